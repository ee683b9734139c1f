"""A schedule is one formula in t = 1, 2, ..., T: what the claims are about and what the algorithms run are
the same object.

    Schedule(formula)(t) = formula at t, compiled once from SymPy to NumPy

Numbers and arrays are schedules too (the array's first entry belongs to t = 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import sympy

Array = np.ndarray[Any, Any]
Number = Any  # a number, or a SymPy expression


def step() -> sympy.Symbol:
    """The symbol t of every schedule: a positive integer.

    >>> step().is_positive
    True
    """
    import sympy

    return sympy.Symbol("t", integer=True, positive=True)


class Schedule:
    """A function of the step t = 1, 2, ..., T, from a SymPy formula in `step()`, a number, or an array.

    >>> t = step()
    >>> halving = Schedule(2 ** (1 - t))
    >>> halving(1), halving.values(3).tolist(), halving.formula
    (1.0, [1.0, 0.5, 0.25], 2**(1 - t))
    >>> Schedule(3).values(2).tolist(), Schedule([5.0, 4.0])(2)
    ([3.0, 3.0], 4.0)
    """

    def __init__(self, formula: Number | Sequence[float] | Array) -> None:
        self._array: Array | None = None
        self._given: Any = formula
        if isinstance(formula, (list, tuple, np.ndarray)) and np.ndim(formula) > 0:
            self._array = np.asarray(formula, dtype=float)
            if self._array.ndim != 1 or len(self._array) == 0:
                raise ValueError(
                    "Expected a schedule array of one dimension and at least one entry, got "
                    f"shape {self._array.shape}."
                )
            if not np.all(np.isfinite(self._array)):
                raise ValueError(f"Expected a schedule of finite numbers, got {formula}.")
        elif isinstance(formula, (int, float, np.number)) and not np.isfinite(formula):
            raise ValueError(f"Expected a finite schedule, got {formula}.")

    @cached_property
    def formula(self) -> sympy.Expr:
        """The SymPy expression in t (a Piecewise for an array)."""
        import sympy

        if self._array is not None:
            t = step()
            return sympy.Piecewise(*((sympy.Float(v), sympy.Eq(t, i + 1)) for i, v in enumerate(self._array)))
        return sympy.sympify(self._given, strict=True)

    @cached_property
    def _compiled(self) -> Callable[[Any], Any]:
        import sympy

        free = self.formula.free_symbols - {step()}
        if free:
            names = ", ".join(sorted(str(symbol) for symbol in free))
            raise ValueError(
                f"Expected a schedule in t alone, but {self.formula} also has {names}; give them "
                "values with .at(...)."
            )
        compiled = sympy.lambdify(step(), self.formula, modules="numpy")
        if any(limit.has(step()) for total in self.formula.atoms(sympy.Sum) for limit in total.limits):
            return lambda t: np.array(
                [compiled(int(one)) for one in t]
            )  # a sum from or to t has no vectorised form
        return compiled

    def at(self, **values: Number) -> Schedule:
        """The same formula with values for its other symbols, given by name.

        >>> import sympy
        >>> Schedule(sympy.Symbol("R") * step()).at(R=2)(3)
        6.0
        """
        named = {symbol.name: symbol for symbol in self.formula.free_symbols}
        unknown = sorted(set(values) - set(named))
        if unknown:
            raise ValueError(f"Expected names among {sorted(named)}, got {unknown[0]}={values[unknown[0]]}.")
        return Schedule(self.formula.subs({named[name]: value for name, value in values.items()}))

    def __call__(self, t: int) -> float:
        return float(self.values_at(np.array([t]))[0])

    def values_at(self, t: Array) -> Array:
        """The schedule at an array of steps."""
        if np.any(t < 1):
            raise ValueError(f"Expected t={int(np.min(t))} >= 1.")
        if self._array is not None:
            if np.any(t > len(self._array)):
                raise ValueError(
                    f"Expected t={int(np.max(t))} <= {len(self._array)}, the length of the schedule."
                )
            return self._array[t - 1]
        if isinstance(self._given, (int, float, np.number)):
            return np.full(len(t), float(self._given))
        values = np.asarray(self._compiled(np.asarray(t, dtype=float)), dtype=float)
        return np.array(np.broadcast_to(values, t.shape))

    def values(self, steps: int) -> Array:
        """The schedule at t = 1, ..., steps."""
        if steps < 1:
            raise ValueError(f"Expected steps={steps} >= 1.")
        values = self.values_at(np.arange(1, steps + 1))
        if not np.all(np.isfinite(values)):
            raise ValueError(
                f"Expected a schedule of finite numbers, got {values[~np.isfinite(values)][0]} for {self}."
            )
        return values

    def __repr__(self) -> str:
        return f"Schedule({self._given})"


def from_influence(influence: Schedule | Number, steps: Number, budget: Number) -> Schedule:
    """The *squared* noise multipliers that minimise sum_t q_t sigma_t^2 on sum_t 1/sigma_t^2 = budget
    (dynamic-noise, Lemma 4.1).

        sigma_t^2 = (1/R) (sum_i sqrt(q_i)) / sqrt(q_t)

    >>> from_influence(Schedule([1.0, 4.0]), 2, 1.0).values(2).tolist()
    [3.0, 1.5]
    """
    q = influence if isinstance(influence, Schedule) else Schedule(influence)
    if q._array is not None:
        root = np.sqrt(_positive(q.values(int(steps)), "influence"))
        return Schedule(root.sum() / root / float(budget))
    import sympy

    t, i = step(), sympy.Symbol("i", integer=True, positive=True)
    total = sympy.Sum(sympy.sqrt(q.formula.subs(t, i)), (i, 1, steps))
    return Schedule(total / sympy.sqrt(q.formula) / budget)


def _positive(values: Array, name: str) -> Array:
    if not np.all(values > 0):
        raise ValueError(f"Expected {name} > 0 at every step, got {values[~(values > 0)][0]}.")
    return values
