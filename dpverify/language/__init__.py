"""The language of theorems: vectors of any dimension, functions known by their class, mechanisms."""

from dpverify.language.functions import Function
from dpverify.language.vectors import Atom, Vector, inner, norm, norm2, vectors

__all__ = ["Atom", "Function", "Vector", "inner", "norm", "norm2", "vectors"]
