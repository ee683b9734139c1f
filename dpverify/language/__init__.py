"""The language of theorems: vectors of any dimension, functions known by their class, expectations."""

from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Atom, Vector, VectorSequence, inner, norm, norm2, total, vectors

__all__ = [
    "Atom",
    "E",
    "Function",
    "Noise",
    "Vector",
    "VectorSequence",
    "inner",
    "norm",
    "norm2",
    "total",
    "vectors",
]
