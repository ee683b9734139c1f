"""Bounds from below and from above on epsilon of Poisson-subsampled Gaussian steps, with every error on the
right side.

    delta(eps) = E (1 - exp(eps - X))_+,    X = sum of T independent losses ln dP/dQ, drawn from P
    (exact; one order of the pair)

1. Each loss is moved to the two ends of its cell [kh, (k+1)h] so that the masses under P and under Q both
stay ("connecting the dots",
   Doroshenko et al. 2022). The moved pair Y can be garbled into the original, so delta_Y >= delta: an upper
   bound, whatever h is.
2. Given X, the moves are independent, each within an interval of length h, with a mean in [0, r - 1 - ln r],
r = h/(1 - exp(-h)).
   By Hoeffding, Y <= X + T (r - 1 - ln r) + h sqrt(T ln(1/eta)/2) =: X + shift except with probability eta.
   Hence
   delta(eps) >= delta_Y(eps + shift) - eta: a lower bound from the same distribution.
3. Y is the T-fold convolution of one step, by FFT on a window, after tilting by exp(tilt y): the error of the
FFT is then relative to
   delta. What falls out of the window wraps around; a Chernoff bound with the moments of the discretised step
   says how much at most.
   The upper bound adds it, the lower bound takes it off.
4. Losses beyond the grid count as disclosed for the upper bound (or are raised to its lowest point), and are
dropped for the lower one.
5. Rounding. A cell mass is a difference of normal distribution functions, each right to NDTR times its value;
the mass that lands on
   the wrong end of a cell (or in the cell next to it) is at most `misplaced` in one step; more than m such
   moves, by at most 2h each,
   have probability at most exp(m - M) (M/m)^m, M = T misplaced (Chernoff).
   Errors of an FFT of N numbers are at most FFT log2 N u in the 2-norm (Higham 2002, Theorem 24.2), those of
   the power T POWER u.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

U = 2.0**-53  # unit roundoff
NDTR = 128 * U
FFT, POWER = 8.0, 16.0
CELLS = 2**20  # of one step, and of the window, at most


class Steps(NamedTuple):
    """Equal steps: noise multiplier, sampling rate, and how many."""

    noise: float
    rate: float = 1.0
    times: int = 1


@dataclass(frozen=True)
class Bounds:
    """Epsilon lies between `lower` and `upper`."""

    lower: float
    upper: float


@lru_cache(maxsize=1024)
def epsilon_bounds(steps: tuple[Steps, ...], delta: float, gap: float = 0.003) -> Bounds:
    """Certified bounds on the smallest epsilon of these steps at that delta, adding or removing one record;
    `gap` is aimed at, relative.

    >>> bounds = epsilon_bounds((Steps(2.0, 1.0, 4),), 1e-5)  # as one Gaussian step of noise 1: 4.3772
    >>> bounds.lower <= 4.3772 <= bounds.upper < 1.01 * bounds.lower
    True
    """
    if not steps or any(not (noise > 0 and 0 < rate <= 1 and times >= 1) for noise, rate, times in steps):
        raise ValueError(f"Expected steps={steps} with noise > 0, 0 < rate <= 1, times >= 1.")
    if not 0 < delta < 1:
        raise ValueError(f"Expected 0 < delta={delta} < 1.")
    if _total_variation(steps) <= delta:
        return Bounds(0.0, 0.0)
    both = [_bounds(steps, delta, gap, removal) for removal in (True, False)]
    return Bounds(max(low for low, _ in both), max(high for _, high in both))


def _total_variation(steps: Sequence[Steps]) -> float:
    """At least delta(0): the steps' distances in total variation add up to no less than that of all."""
    distances = (times * rate * math.erf(1 / (math.sqrt(8) * noise)) for noise, rate, times in steps)
    return (1 + 64 * U) * math.fsum(distances)


class _Step(NamedTuple):
    """One discretised step: masses at `first * h`, `(first + 1) * h`, ...; below and above the grid;
    misplaced; and slack in the losses.
    """

    mass: Array
    first: int
    below: float
    above: float
    misplaced: float
    slack: float


def _discretised(step: Steps, h: float, reach: float, removal: bool) -> _Step:
    """One step with losses moved to the grid; noise beyond `reach` standard deviations is left out."""
    from scipy.special import ndtr

    noise, rate, _ = step
    low_x, high_x = -reach * noise, 1 + reach * noise
    bottom, top = (math.floor(_loss(low_x, rate, noise) / h), math.ceil(_loss(high_x, rate, noise) / h))
    grid = np.arange(bottom, top + 1) * h
    with np.errstate(divide="ignore", invalid="ignore"):
        x = (
            noise**2 * np.log1p(np.maximum(np.expm1(grid) / rate, -1.0)) + 0.5
        )  # -inf below ln(1 - rate), where no loss is
    plain, plain_size = _cells(ndtr, x / noise)
    moved, moved_size = _cells(ndtr, (x - 1) / noise)
    mixed, mixed_size = (1 - rate) * plain + rate * moved, (1 - rate) * plain_size + rate * moved_size
    plain_ends = float(ndtr(x[0] / noise)), float(ndtr(-x[-1] / noise))
    moved_ends = float(ndtr((x[0] - 1) / noise)), float(ndtr((1 - x[-1]) / noise))
    mixed_ends = (
        (1 - rate) * plain_ends[0] + rate * moved_ends[0],
        (1 - rate) * plain_ends[1] + rate * moved_ends[1],
    )
    finite = x[np.isfinite(x)]
    slack = 16 * U * (4 + float(np.abs(finite).max()) / noise**2 + abs(top) * h)
    if removal:
        main = mixed
        main_size = mixed_size
        other = plain
        other_size = plain_size
        low = grid[:-1]
        ends = mixed_ends
        first = bottom
    else:
        main = plain[::-1]
        main_size = plain_size[::-1]
        other = mixed[::-1]
        other_size = mixed_size[::-1]
        low = -grid[:0:-1]
        ends = (plain_ends[1], plain_ends[0])
        first = -top
    ratio = np.exp(low)
    upper = np.clip((main - other * ratio) / -math.expm1(-h), 0.0, main)
    misplaced = NDTR * float(np.sum(main_size + other_size * ratio)) * (1 + 1 / -math.expm1(-h))
    mass = np.zeros(len(main) + 1)
    mass[:-1] += main - upper
    mass[1:] += upper
    below, above = ends
    mass[0] += below
    return _Step(mass, first, below, above, misplaced, slack)


def _loss(x: float, rate: float, noise: float) -> float:
    """ln of the mixture over the plain normal at x."""
    exponent = (x - 0.5) / noise**2
    if rate == 1:
        return exponent
    return float(np.logaddexp(math.log1p(-rate), math.log(rate) + exponent))


def _cells(ndtr: Callable[[Array], Array], z: Array) -> tuple[Array, Array]:
    """The masses of the normal law between neighbours, and the size of what was subtracted; each half of the
    line from its own tail.
    """
    left, right = ndtr(np.minimum(z, 0)), ndtr(-np.maximum(z, 0))
    mass = np.where(
        z[1:] <= 0, np.diff(left), np.where(z[:-1] >= 0, -np.diff(right), 1 - left[:-1] - right[1:])
    )
    size = np.where(z[1:] <= 0, left[1:], np.where(z[:-1] >= 0, right[:-1], 1.0))
    return np.maximum(mass, 0.0), 2 * size


class _Losses(NamedTuple):
    """Where a discretised step has mass, and how much."""

    at: Array
    mass: Array

    def log_moment(self, tilt: float) -> float:
        """ln E exp(tilt Y)."""
        exponents = tilt * self.at
        largest = float(exponents.max())
        with np.errstate(under="ignore"):
            return largest + math.log(float(self.mass @ np.exp(exponents - largest)))


def _losses(step: _Step, h: float) -> _Losses:
    there = np.flatnonzero(step.mass)
    return _Losses(h * (step.first + there), step.mass[there])


def _power(base: Array, times: int) -> Array:
    """base ** times by squaring: at most times sqrt(5) u off, relatively, and ten times as fast as the
    logarithm and exponential of complex numbers that NumPy takes.
    """
    result = None
    while True:
        if times & 1:
            result = base if result is None else result * base
        times >>= 1
        if not times:
            return base if result is None else result
        base = base * base


def _bounds(steps: Sequence[Steps], delta: float, gap: float, removal: bool) -> tuple[float, float]:
    """Lower and upper bound on epsilon at delta for one order of the pair; again on a finer grid while
    epsilon is smaller than guessed.
    """
    from scipy.special import ndtri

    total = sum(step.times for step in steps)
    spare = 1e-5 * delta  # what each of the probabilities set aside may be
    reach = -float(ndtri(spare / total))
    guess, plan = _plan(steps, delta, reach, removal)
    width = max(
        _loss(1 + reach * s.noise, s.rate, s.noise) - _loss(-reach * s.noise, s.rate, s.noise) for s in steps
    )
    coarsest = max(width, plan.high - plan.low) / CELLS
    while True:
        h = max(gap * guess / (math.sqrt(total * math.log(1 / spare) / 2) + 6), coarsest)
        lower, upper = _on_grid(steps, delta, removal, h, reach, spare, plan)
        if h == coarsest or upper > 0.6 * guess:
            return lower, upper
        guess = upper


class _Plan(NamedTuple):
    """The tilt that makes epsilon typical, what to add to it for either tail, and the window of losses. The
    bounds hold for any plan.
    """

    tilt: float
    outer: tuple[float, float]
    low: float
    high: float


def _on_grid(
    steps: Sequence[Steps], delta: float, removal: bool, h: float, reach: float, spare: float, plan: _Plan
) -> tuple[float, float]:
    """The bounds that a grid of that step gives."""
    tilt, outer, low, high = plan
    total = sum(step.times for step in steps)
    size = 2 ** math.ceil(math.log2((high - low) / h + 2))
    start = math.floor(low / h)

    spectrum: Array = np.ones(size // 2 + 1, dtype=complex)
    log_scale = 0.0
    error = 0.0
    relative = 0.0
    misplaced = 0.0
    slack = 0.0
    above = 0.0
    below = 0.0
    wrapped = [0.0, 0.0]
    for step in steps:
        one = _discretised(step, h, reach, removal)
        losses = _losses(one, h)
        log_moment = losses.log_moment(tilt)
        at = (one.first + np.arange(len(one.mass))) * h
        with np.errstate(under="ignore"):
            tilted = one.mass * np.exp(tilt * at - log_moment)
        folded = np.bincount((one.first + np.arange(len(tilted))) % size, tilted, size)
        spectrum *= _power(np.fft.rfft(folded), step.times)
        log_scale += step.times * log_moment
        norm = float(np.sqrt(np.sum(folded**2)))
        error += step.times * (FFT * math.log2(size) + POWER) * U * norm + FFT * math.log2(size) * U * norm
        relative += step.times * 8 * U * (4 + tilt * float(np.abs(at).max()) + abs(log_moment))
        misplaced += step.times * one.misplaced
        slack += step.times * one.slack
        above += step.times * one.above
        below += step.times * one.below
        for i, more in enumerate(outer):
            wrapped[i] += step.times * (losses.log_moment(tilt + more) - log_moment)
    out_above = math.exp(min(0.0, wrapped[0] - outer[0] * (start + size) * h))
    out_below = math.exp(min(0.0, wrapped[1] - outer[1] * start * h))
    composed = np.roll(np.fft.irfft(spectrum, size), -(start % size))

    at = (start + np.arange(size)) * h
    scale = np.exp(np.minimum(log_scale - tilt * at, 700.0))  # of the tilt at each point; it falls with y
    tail = np.cumsum((composed * scale)[::-1])[::-1]
    beyond = np.append(tail[1:], 0.0)  # the mass above each point
    curve = _hockey_stick(beyond, h)
    numerical = (
        scale * math.sqrt(size) * error * math.exp(min(error * math.sqrt(size), 1.0))
        + 4 * size * U * np.abs(tail)
        + relative * np.abs(curve)
    )
    moves = _moves(misplaced, spare)
    upper_curve = curve + numerical + scale * out_above + above + spare
    lower_curve = curve - numerical - scale * (out_above + out_below) - above - below - 2 * spare
    r = h / -math.expm1(-h)
    shift = total * (r - 1) ** 2 / 2 + h * math.sqrt(total * math.log(1 / spare) / 2)
    rounding = 2 * moves * h + slack

    enough = upper_curve <= delta
    if enough[-1]:
        first = size - int(np.argmin(enough[::-1])) if not enough.all() else 0
        upper = max(0.0, at[first] + rounding)
    else:
        upper = math.inf
    short = np.flatnonzero(lower_curve > delta)
    lower = max(0.0, at[short[-1]] - shift - rounding) if len(short) else 0.0
    return float(lower), float(upper)


def _hockey_stick(beyond: Array, h: float) -> Array:
    """sum over y' > y of mass(y') (1 - exp(y - y')) at every y of the grid, from the mass beyond each; only
    positive terms are added.
    """
    from scipy.signal import lfilter

    weight = -math.expm1(-h)
    return np.asarray(lfilter([weight], [1.0, -math.exp(-h)], beyond[::-1]))[::-1]


def _moves(expected: float, chance: float) -> int:
    """m such that a sum of independent events with that expected number exceeds it with at most that
    chance.
    """
    m = 1
    while m <= expected or m * (1 + math.log(expected / m)) - expected > math.log(chance):
        m += 1 + m // 8
    return m


def _plan(steps: Sequence[Steps], delta: float, reach: float, removal: bool) -> tuple[float, _Plan]:
    """About where epsilon is at most, and the plan, from the moments on a coarse grid."""
    from scipy.optimize import minimize_scalar

    coarse = []
    for step in steps:
        width = _loss(1 + reach * step.noise, step.rate, step.noise) - _loss(
            -reach * step.noise, step.rate, step.noise
        )
        h = width / 4000
        coarse.append((_losses(_discretised(step, h, reach, removal), h), step.times))

    @lru_cache(maxsize=4096)
    def moments(tilt: float) -> float:
        return sum(count * losses.log_moment(tilt) for losses, count in coarse)

    def needed(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        return (moments(tilt) - math.log(delta)) / tilt

    best = minimize_scalar(needed, bounds=(-6.0, 10.0), method="bounded", options={"xatol": 1e-3})
    tilt = math.exp(best.x)
    small = -math.log(1e-10)
    outs = []
    for sign in (1, -1):
        tried = [sign * tilt * 2.0**k for k in np.arange(-12, 6, 0.5)]
        ends = [
            (moments(tilt + more) - moments(tilt) + small) / more for more in tried if abs(tilt + more) < 1e5
        ]
        end = min(ends) if sign == 1 else max(ends)
        outs.append((tried[ends.index(end)], end))
    (more, high), (less, low) = outs
    pad = 0.05 * (high - low)
    return max(float(best.fun), 0.0), _Plan(tilt, (more, less), low - pad, high + pad)
