"""The bound that a run is set against: the right side of a claim, compiled, at the values of this run.

    Bound("dynamic-noise/bound-gd", {"mu": 0.1, "M": 1.0, "eta": 1.0, "T": 20, "e": [first gap], "c": noise})

The formula is the claim's own (`Theorem.shows`), so that what is proved is what is printed; the hypotheses
that speak of these values alone are checked, and one that does not hold is named. What a paper prints and no
claim proves is a `Printed`, which is never called a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

Values = Mapping[str, Any]  # by the names of the symbols; the first entry of a sequence is that of index 1


@lru_cache(maxsize=64)
def _claim(id: str) -> tuple[Any, Any]:
    """The claim of that id, and its statement."""
    from dpverify.claims import find

    claims = find(papers=[id.split("/")[0]])
    if id not in claims:
        raise ValueError(f"Expected the id of a claim, got claim={id!r}.")
    statement = claims[id].function()
    if not hasattr(getattr(statement, "shows", None), "rhs"):
        raise ValueError(f"Expected claim={id!r} to be a theorem that shows an inequality.")
    return claims[id], statement


@dataclass(frozen=True)
class Bound:
    """The upper bound of a claim, which is a bound as far as that claim is proved: `dpverify run` checks it
    and says so. With several `stages` the formula is applied one after the other, each taking the
    result of the last as the first entry of the sequence `carries`.

    >>> bound = Bound("dynamic-noise/bound-gd", {"M": 1, "mu": 1, "eta": 1, "T": 1, "e": [5.0], "c": [4.0]})
    >>> bound.value, bound.broken
    (2.0, [])
    """

    claim: str
    values: Values
    later: tuple[Values, ...] = ()
    carries: str = ""
    factor: float = 1.0

    @cached_property
    def value(self) -> float:
        """The right side of the claim at these values."""
        right = _claim(self.claim)[1].shows.rhs
        total = evaluate(right, self.values)
        for stage in self.later:
            total = evaluate(right, {**stage, self.carries: [total]})
        return self.factor * float(total)

    @property
    def at(self) -> str:
        """Where the claim stands in its paper."""
        return _claim(self.claim)[0].at

    @cached_property
    def broken(self) -> list[str]:
        """The hypotheses about these values that do not hold."""
        return [str(one) for one, holds in self._hypotheses if holds is False]

    @cached_property
    def taken(self) -> list[str]:
        """The hypotheses about means that no value of a run decides: the claim takes them as known."""
        return list(dict.fromkeys(str(one) for one, holds in self._hypotheses if holds is None))

    @cached_property
    def _hypotheses(self) -> list[tuple[Any, bool | None]]:
        given = _claim(self.claim)[1].given
        return [(one, _holds(one, values)) for one in given for values in (self.values, *self.later)]


@dataclass(frozen=True)
class Printed:
    """What a paper prints, with the claim that judges it, if there is one: shown as "the paper says", never
    as a bound.
    """

    claim: str
    value: float
    at: str


def evaluate(expression: Any, values: Values) -> Any:
    """A SymPy expression at numbers: sums over symbolic ranges, entries of sequences, powers with 0^0 = 1.

    >>> import sympy as sp
    >>> t, T = sp.symbols("t T", integer=True)
    >>> evaluate(sp.Sum(sp.IndexedBase("c")[t] * t, (t, 1, T)), {"T": 2, "c": [3.0, 5.0]})
    13.0
    """
    import sympy as sp

    if expression.is_Number or expression.is_NumberSymbol:
        return float(expression)
    if isinstance(expression, sp.Indexed):
        name, index = str(expression.base.label), evaluate(expression.indices[0], values)
        entries = np.asarray(_value(values, name), dtype=float)
        return entries[np.asarray(index, dtype=int) - 1]
    if isinstance(expression, sp.Symbol):
        return _value(values, expression.name)
    if isinstance(expression, sp.Sum):
        ((index, low, high),) = expression.limits
        at = np.arange(round(float(evaluate(low, values))), round(float(evaluate(high, values))) + 1)
        if any(index in inner.free_symbols for inner in expression.function.atoms(sp.Sum)):
            return float(sum(evaluate(expression.function, {**values, index.name: int(i)}) for i in at))
        terms = evaluate(expression.function, {**values, index.name: at})
        return float(np.sum(np.broadcast_to(terms, at.shape)))
    parts = [evaluate(part, values) for part in expression.args]
    if expression.is_Add:
        return sum(parts[1:], start=parts[0])
    if expression.is_Mul:
        product = parts[0]
        for part in parts[1:]:
            product = product * part
        return product
    if expression.is_Pow:
        return np.power(np.asarray(parts[0], dtype=float), parts[1])
    if isinstance(expression, sp.log):
        return np.log(parts[0])
    raise ValueError(f"Expected a formula of sums, products, powers and logarithms, got {expression}.")


def _value(values: Values, name: str) -> Any:
    if name not in values:
        raise ValueError(f"Expected a value of {name} among {', '.join(sorted(values))}.")
    return values[name]


def _holds(hypothesis: Any, values: Values) -> bool | None:
    """Whether a hypothesis holds at these values, up to rounding; None where it speaks of others, and True of
    the iteration itself, which is the algorithm's.
    """
    import sympy as sp

    from dpverify.relations import Equal
    from dpverify.theorems import ForEvery

    at, relation = dict(values), hypothesis
    if isinstance(hypothesis, ForEvery):
        relation = hypothesis.relation
        first, last = (evaluate(sp.sympify(end), values) for end in (hypothesis.low, hypothesis.high))
        at[hypothesis.index.name] = np.arange(round(float(first)), round(float(last)) + 1)
    elif not isinstance(hypothesis, sp.Rel):
        return True
    if isinstance(relation, sp.Eq | Equal):
        low, high = relation.args if isinstance(relation, sp.Eq) else (relation.derived, relation.stated)
    else:
        low, high = (relation.lts, relation.gts) if relation is hypothesis else (relation.lhs, relation.rhs)
    names = {s.name for side in (low, high) for s in side.free_symbols if isinstance(s, sp.Symbol)}
    if not names <= set(at):
        return None
    try:
        left, right = evaluate(low, at), evaluate(high, at)
    except IndexError:  # of a sequence only the first entry is known
        return None
    over = np.abs(left - right) if isinstance(relation, sp.Eq | Equal) else left - right
    return bool(np.all(over <= 1e-9 * (1 + np.abs(right))))
