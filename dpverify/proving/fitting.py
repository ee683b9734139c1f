"""Formulas for numbers that were computed at a few values of the parameters: products of likely factors, or
polynomials of low degree over one of them. A guess; whoever uses it proves it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving.domain import Domain
from dpverify.proving.sampling import nearest

CLOSE = 1e-5
BATCH = 256  # points that are drawn before one is looked at


def moderate_points(domain: Domain, count: int, rng: np.random.Generator) -> list[dict[Any, Any]]:
    """Admissible values of the parameters, neither tiny nor huge.

    >>> x = sp.Symbol("x", positive=True)
    >>> len(moderate_points(Domain([x], [x < 1]), 5, np.random.default_rng(0)))
    5
    """
    if not domain.symbols:
        return [{}]
    places: list[dict[Any, Any]] = []
    for _ in range(400 * count // BATCH + 1):
        rows = np.column_stack([_moderate(s, rng) for s in domain.symbols])
        for i in domain.likely(rows):
            point = {s: sp.Rational(*nearest(float(value), 40)) for s, value in zip(domain.symbols, rows[i])}
            if domain.holds(point):
                places.append(point)
                if len(places) == count:
                    return places
    return places


def _moderate(symbol: Any, rng: np.random.Generator) -> np.ndarray:
    """Numbers for a symbol, neither tiny nor huge."""
    if symbol.is_integer:
        return rng.integers(1, 9, BATCH).astype(float)
    sizes = np.exp(rng.uniform(-1.6, 1.2, BATCH))
    if symbol.is_nonnegative or symbol.is_negative:
        return sizes if symbol.is_nonnegative else -sizes
    return sizes * rng.choice([-1.0, 1.0], BATCH)


def factors(domain: Domain, expressions: Sequence[Any]) -> list[Any]:
    """Likely factors of a multiplier: the parameters, the gaps of the hypotheses, the factors of what is
    given.
    """
    candidates: dict[Any, None] = dict.fromkeys(s for s in domain.symbols)
    for e in (*[c.lhs - c.rhs for c in domain.given if hasattr(c, "rel_op")], *expressions):
        top, bottom = sp.fraction(sp.together(e))
        for part in (top, bottom):
            try:
                _, parts = sp.factor_list(part)
            except sp.PolynomialError:
                continue
            for factor, _ in parts:
                if factor.free_symbols and -factor not in candidates and len(candidates) < 14:
                    candidates.setdefault(factor, None)
    return list(candidates)


def formula(
    values: np.ndarray, points: Sequence[Mapping[Any, Any]], parameters: Sequence[Any], library: Sequence[Any]
) -> Any | None:
    """A formula with these values at these points, or None.

    >>> x = sp.Symbol("x", positive=True)
    >>> at = [{x: sp.Rational(k, 3)} for k in range(1, 12)]
    >>> formula(np.array([2 * float(p[x]) ** 2 / (1 + float(p[x])) for p in at]), at, [x], [x, 1 + x])
    2*x**2/(x + 1)
    """
    if np.ptp(values) <= CLOSE * max(1e-3, float(np.abs(values).max())):
        return _simple(float(np.mean(values)))
    columns = np.array([[float(f.xreplace(dict(p))) for f in library] for p in points])
    return _product(values, columns, library) or _polynomial(values, points, parameters, columns, library)


def _simple(value: float, most: int = 24) -> Any | None:
    near = Fraction(value).limit_denominator(most)
    return (
        sp.Rational(near.numerator, near.denominator)
        if abs(value - near) < 1e-4 * max(1, abs(value))
        else None
    )


def _product(values: np.ndarray, columns: np.ndarray, library: Sequence[Any]) -> Any | None:
    usable = [
        j for j in range(columns.shape[1]) if np.all(columns[:, j] > 1e-9) or np.all(columns[:, j] < -1e-9)
    ]
    if not (np.all(values > 1e-9) or np.all(values < -1e-9)) or not usable:
        return None
    sign = 1 if values[0] > 0 else -1
    design = np.column_stack([np.ones(len(values)), np.log(np.abs(columns[:, usable]))])
    solved, *_ = np.linalg.lstsq(design, np.log(np.abs(values)), rcond=None)
    exponents = np.round(solved[1:] * 2) / 2
    if np.abs(solved[1:] - exponents).max() > 0.02:
        return None
    rest = np.log(np.abs(values)) - design[:, 1:] @ exponents
    constant = _simple(float(np.exp(np.mean(rest))))
    if constant is None or constant == 0 or np.ptp(rest) > 1e-3:
        return None
    powers = [
        (f if columns[0, j] > 0 else -f) ** sp.Rational(Fraction(float(e)))
        for j, f, e in ((j, library[j], e) for j, e in zip(usable, exponents))
    ]
    return sign * constant * sp.Mul(*powers)


def _polynomial(
    values: np.ndarray,
    points: Sequence[Mapping[Any, Any]],
    parameters: Sequence[Any],
    columns: np.ndarray,
    library: Sequence[Any],
) -> Any | None:
    if not 0 < len(parameters) <= 4:
        return None
    numbers = np.array([[float(p[s]) for s in parameters] for p in points])
    for degree in (1, 2, 3):
        exponents = [
            e for e in itertools.product(range(degree + 1), repeat=len(parameters)) if sum(e) <= degree
        ]
        if len(exponents) > len(values) - 4:
            return None
        design = np.column_stack([np.prod(numbers ** np.array(e), axis=1) for e in exponents])
        for below in (None, *range(len(library)), *itertools.combinations(range(len(library)), 2)):
            chosen = [] if below is None else [below] if isinstance(below, int) else list(below)
            denominator = np.prod(columns[:, chosen], axis=1)
            goal = values * denominator
            coefficients, *_ = np.linalg.lstsq(design, goal, rcond=None)
            near = [Fraction(float(c)).limit_denominator(12) for c in coefficients]
            guess = design @ np.array([float(c) for c in near])
            if np.abs(guess - goal).max() < CLOSE * max(1.0, float(np.abs(goal).max())):
                top = sum(
                    (
                        sp.Rational(c.numerator, c.denominator)
                        * sp.prod([s**k for s, k in zip(parameters, e)])
                        for c, e in zip(near, exponents)
                    ),
                    sp.Integer(0),
                )
                return sp.factor(top / sp.prod([library[j] for j in chosen]))
    return None
