"""Models of hypotheses: an explicit rational point that meets them, or that they contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.language.vectors import Atom
from dpverify.proving.definedness import ZERO, Hypotheses, Prove
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.refutation import refute
from dpverify.proving.search import EASY, HARD
from dpverify.proving.vector_statements import mentions
from dpverify.relations import AtMost
from dpverify.verdicts import PROVED


def model(given: Sequence[Any], effort: Effort) -> dict[str, str] | None:
    """A rational point that meets the hypotheses, in words; None if none was found.

    >>> from dpverify.effort import QUICK
    >>> x = sp.Symbol("x", real=True)
    >>> model([x < 1, x > 0], QUICK)
    {'x': '1/2'}
    """
    return _model(tuple(map(sp.sympify, given)), effort)


@lru_cache(maxsize=1024)
def _model(given: Hypotheses, effort: Effort) -> dict[str, str] | None:
    if any(c is sp.false for c in given):
        return None
    # Nothing makes 1 <= 0 true, so that a counterexample to it is a point that meets the hypotheses.
    absurd = AtMost(sp.Integer(1), ZERO, tuple(map(_solved, _without_names(given))))
    if not mentions(absurd) and sp.false in domain_of(absurd).given:
        return None
    witness = refute(absurd, effort, EASY) or refute(absurd, effort, HARD)
    return None if witness is None else dict(witness.let)


def _without_names(given: Hypotheses) -> Hypotheses:
    """The hypotheses with F(w) for every real number that an equation only names: h = F(w) can always be
    met, and says nothing of F and w.
    """
    names = {
        c.lhs: c.rhs
        for c in given
        if isinstance(c, sp.Eq)
        and isinstance(c.rhs, Atom)
        and type(c.lhs) in (sp.Symbol, sp.Dummy)
        and c.lhs.assumptions0 == sp.Dummy(real=True).assumptions0
    }
    replaced = (c.xreplace(names) for c in given)
    return tuple(c for c in replaced if c is not sp.true)


def _solved(c: Any) -> Any:
    """An equation that is linear in a real symbol, solved for it, so that the others can be chosen freely;
    one that defines a symbol stays as it is.
    """
    if not isinstance(c, sp.Eq) or Domain.definition(c) is not None:
        return c
    gap = c.lhs - c.rhs
    for s in sorted(gap.free_symbols, key=str):
        if isinstance(s, sp.Symbol) and not s.is_integer and not gap.atoms(sp.Indexed, sp.Sum, sp.Product):
            slope = sp.diff(gap, s)
            if s not in slope.free_symbols and slope.is_nonzero:
                return sp.Eq(s, sp.expand(s - gap / slope), evaluate=False)
    return c


def contradiction(given: Sequence[Any], effort: Effort, prove: Prove) -> bool:
    """Whether the hypotheses are shown to contradict each other."""
    scalar = [c for c in map(sp.sympify, given) if not c.atoms(Atom)]
    if sp.false in scalar or sp.false in Domain([], scalar).given:
        return True
    return prove(AtMost(sp.Integer(1), ZERO, tuple(given)), effort).verdict is PROVED
