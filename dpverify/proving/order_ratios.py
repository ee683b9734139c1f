"""How large the ratio of the two sides of O or Omega is seen to become: at many points in floats, at a few of
any size in balls.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import sampling
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import Unknown, ball
from dpverify.proving.floats import real, vectorised
from dpverify.relations import Order

SIZE, SAMPLES = 5.0, 3_000  # logarithm of the values of a sample, and how many there are
LARGE_SIZES, FEW = (20.0, 60.0), 60  # the same in balls, which see what floats round away
LARGEST = 1e9  # constant that is looked at
DRIFT = 1.3  # by which the largest ratio may grow from one size to the next


def largest_ratios(
    order: Order, side: str, powers: list[tuple[int, ...]], effort: Effort
) -> dict[tuple[int, ...], float]:
    """For powers of the hidden logarithms with which the ratio seems to be bounded, its largest value.

    >>> from dpverify.effort import QUICK
    >>> from dpverify.relations import BigO
    >>> N = sp.Symbol("N", positive=True)
    >>> largest_ratios(BigO(2 * N, N), "upper", [()], QUICK)
    {(): 2.0}
    """
    if order.of:
        return {}
    domain = Domain([order.expression, order.scale, *order.hiding], order.given)
    rng = np.random.default_rng(effort.seed)
    if domain.lengths or any(e.atoms(sp.Indexed, sp.Sum, sp.Product) for e in domain.expressions):
        return _ratios_of_sums(domain, side, powers, rng)
    samples = [_sampled(domain, rng), *[_sampled_in_balls(domain, size, rng) for size in LARGE_SIZES]]
    result = {}
    with np.errstate(all="ignore"):
        for k in powers:
            tops = []
            for value, scale, *hidden in samples:
                ratio = np.abs(value) / scale if side == "upper" else scale / value
                for u, power in zip(hidden, k):
                    ratio = ratio / (1 + np.log(u)) ** power
                ratio = ratio[~np.isnan(ratio)]
                tops.append(float(np.max(ratio)) if len(ratio) else 0.0)
            if 0 < tops[0] < LARGEST and all(b <= DRIFT * a for a, b in itertools.pairwise(tops)):
                result[k] = max(tops)
    return result


def _ratios_of_sums(
    domain: Domain, side: str, powers: list[tuple[int, ...]], rng: np.random.Generator
) -> dict[tuple[int, ...], float]:
    """The same where sums are to be written out: at short lengths only, whether it is bounded or not."""
    rows = []
    for point in sampling.points(domain, FEW, rng):
        try:
            rows.append([float(ball(e, point).mid()) for e in domain.at(point)])
        except (Unknown, OverflowError, ValueError):
            continue
    if not rows:
        return {}
    value, scale, *hidden = np.array(rows).T
    result = {}
    with np.errstate(all="ignore"):
        for k in powers:
            ratio = np.abs(value) / scale if side == "upper" else scale / value
            for u, power in zip(hidden, k):
                ratio = ratio / (1 + np.log(u)) ** power
            ratio = ratio[np.isfinite(ratio)]
            if len(ratio) and 0 < np.max(ratio) < LARGEST:
                result[k] = float(np.max(ratio))
    return result


def _sampled(domain: Domain, rng: np.random.Generator) -> list[np.ndarray]:
    """The expressions at many points of moderate size, in floats."""
    columns = _columns(domain, SIZE, SAMPLES, rng)
    with np.errstate(all="ignore"):
        try:
            keep = admissible(domain, columns, SAMPLES)
            values = vectorised(domain.symbols, domain.expressions)(*columns)
            return [real(v, SAMPLES)[keep] for v in values]
        except (TypeError, ValueError, NameError, OverflowError, ZeroDivisionError):
            return [np.array([]) for _ in domain.expressions]


def _sampled_in_balls(domain: Domain, size: float, rng: np.random.Generator) -> list[np.ndarray]:
    """The expressions at a few points of any size."""
    columns = _columns(domain, size, FEW, rng)
    with np.errstate(all="ignore"):
        keep = admissible(domain, columns, FEW)
    rows = []
    for row in columns.T[keep]:
        point = {
            s: sp.Integer(int(v)) if s.is_integer else sp.Rational(v) for s, v in zip(domain.symbols, row)
        }
        try:
            rows.append([float(ball(e, point, 640).mid()) for e in domain.expressions])
        except OverflowError:
            rows.append([np.inf, *[1.0] * (len(domain.expressions) - 1)])
        except (Unknown, ValueError):
            continue
    return list(np.array(rows).reshape(len(rows), len(domain.expressions)).T)


def _columns(domain: Domain, size: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Values of the symbols, as far from 1 or from their ends as e^size."""
    columns = []
    for s in domain.symbols:
        low, high = _ends(domain, s)
        magnitude = np.exp(rng.uniform(0, size, count) * (rng.random(count) < 0.8))
        if low is not None and high is not None:
            if low == 0:
                values = high / magnitude
            else:
                values = low + (high - low) * rng.choice([0.0, 0.5, 1.0], count)
        elif low is not None:
            either = magnitude ** rng.choice([-1.0, 1.0], count) if low == 0 else magnitude
            values = either if low == 0 else low * magnitude if low > 0 else low + magnitude - 1
        elif high is not None:
            values = high - magnitude + 1
        else:
            values = magnitude * rng.choice([-1.0, 1.0], count)
        columns.append(np.ceil(values) if s.is_integer else values)
    return np.array(columns).reshape(len(domain.symbols), count)


def _ends(domain: Domain, s: Any) -> tuple[float | None, float | None]:
    return domain.interval(s).ends


def admissible(domain: Domain, columns: np.ndarray, rows: int) -> np.ndarray:
    """Which columns meet the hypotheses, in floats.

    >>> x, y = sp.symbols("x y", real=True)
    >>> admissible(Domain([x, y], [x <= y]), np.array([[1.0, 2.0], [1.0, 1.0]]), 2)
    array([ True, False])
    """
    keep = np.ones(rows, dtype=bool)
    comparisons = [c for c in domain.coupled if isinstance(c, sp.core.relational.Relational)]
    if comparisons:
        slacks = vectorised(domain.symbols, [c.lhs - c.rhs for c in comparisons])(*columns)
        for c, slack in zip(comparisons, slacks):
            slack = real(slack, rows)
            keep &= slack <= 0 if c.rel_op in ("<", "<=") else slack >= 0 if c.rel_op in (">", ">=") else True
    return keep
