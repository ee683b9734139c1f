"""The privacy profile of an algorithm on a pair of neighbours from exact losses, with bounds that hold in
finite samples.

    delta(eps) = E max(0, 1 - e^(eps - loss)),     loss drawn on D (and, the other way round, on D')

The variable lies in [0, 1]; its mean is bounded by betting: under a mean of at most m, prod (1 + l (z_i - m))
has mean at most 1 for every l in [0, 1/m], so an average over fixed l above 1/alpha refutes m (Waudby-Smith
and Ramdas 2024). Several eps share alpha; between them delta falls, and it is convex in e^eps, so the bounds
extend to the whole curve.

The trade-off curve f(a) = least P(not E) over events with Q(E) <= a is that of the events {loss > t} (Neyman
and Pearson), with P and Q the laws on D and on D'. It lies above its tangents 1 - delta(t) - e^t a, and below
the chords of the points (Q(loss > t), P(loss <= t)).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.claimed import _hull
from dpverify.auditing.exact import clopper_pearson
from dpverify.auditing.replay import as_json, describe
from dpverify.engine import Algorithm
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours
from dpverify.roots import bisect
from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result, Witness

PILOT = 2000  # losses, at most, by which the epsilons are chosen at which others are tested
STAKES = 0.5 ** np.arange(14)  # fractions of the largest admissible stake; fixed beforehand


def _log_wealth(z: np.ndarray, times: np.ndarray, mean: float) -> float:
    """The average wealth, over the fixed stakes, of betting that the mean of z is above `mean`."""
    stakes = STAKES / max(mean, 1e-12)
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(1 + stakes[:, None] * (z - mean), 0)) @ times
    return float(np.logaddexp.reduce(logs) - math.log(len(stakes)))


def mean_lower_bound(z: np.ndarray, alpha: float) -> float:
    """A lower bound on the mean of independent draws in [0, 1], valid with probability 1 - alpha.

    >>> 0.4 < mean_lower_bound(np.tile([0.0, 1.0], 500), 0.05) < 0.5
    True
    """
    values, times = np.unique(z, return_counts=True)
    if values[0] < 0 or values[-1] > 1:
        raise ValueError(f"Expected z in [0, 1], got values from {values[0]} to {values[-1]}.")

    def plausible(mean: float) -> bool:
        return _log_wealth(values, times, mean) < -math.log(alpha)

    return bisect(plausible, 0.0, float(np.mean(z)), relative=1e-4, absolute=1e-300)[0]


def mean_upper_bound(z: np.ndarray, alpha: float) -> float:
    """An upper bound on the mean of independent draws in [0, 1], valid with probability 1 - alpha.

    >>> mean_upper_bound(np.zeros(1000), 0.05) < 0.01
    True
    """
    return 1 - mean_lower_bound(1 - np.asarray(z), alpha)


class Bounds(NamedTuple):
    """Bounds on delta at each epsilon, all at once."""

    epsilons: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def at(self, epsilon: float) -> tuple[float, float]:
        """The bounds at any epsilon: delta falls in epsilon, so the next one to the right bounds from below,
        that to the left from above.
        """
        right, left = (
            np.searchsorted(self.epsilons, epsilon),
            np.searchsorted(self.epsilons, epsilon, side="right") - 1,
        )
        lower = float(self.lower[right]) if right < len(self.epsilons) else 0.0
        return lower, float(self.upper[left]) if left >= 0 else 1.0


def profile_bounds(losses: np.ndarray, epsilons: np.ndarray, alpha: float) -> Bounds:
    """Bounds on delta(eps) at all `epsilons` together, from exact losses.

    >>> losses = np.random.default_rng(0).normal(0.5, 1.0,
    ...     2000)              # those of a Gaussian mechanism with mu = 1
    >>> bounds = profile_bounds(losses, np.array([0.0, 1.0]), 0.05)
    >>> bool(bounds.lower[1] < 0.1269 < bounds.upper[1])
    True
    """
    epsilons = np.sort(np.asarray(epsilons, dtype=float))
    share = alpha / (2 * len(epsilons))
    z = [np.maximum(-np.expm1(np.minimum(e - losses, 0)), 0) for e in epsilons]
    lower = np.array([mean_lower_bound(v, share) for v in z])
    upper = np.array([mean_upper_bound(v, share) for v in z])
    return Bounds(epsilons, np.maximum.accumulate(lower[::-1])[::-1], np.minimum.accumulate(upper))


class TradeOffBounds(NamedTuple):
    """Bounds on the trade-off curve, all at once: upper bounds on delta, on Q(loss > t) and on P(loss <= t)
    at each threshold t.
    """

    thresholds: np.ndarray
    delta: np.ndarray
    false_alarm: np.ndarray
    missed: np.ndarray

    def at(self, level: float) -> tuple[float, float]:
        """The bounds on f at any level: the best tangent from below, the best chord from above.

        >>> TradeOffBounds(*np.array([[0.0], [0.2], [0.4], [0.4]])).at(0.4)
        (0.4, 0.4)
        """
        if not 0 <= level <= 1:
            raise ValueError(f"Expected level={level} in [0, 1].")
        order = np.argsort(self.false_alarm)
        x = np.concatenate([[0.0], self.false_alarm[order], [1.0]])
        corners = _hull(x, np.concatenate([[1.0], self.missed[order], [0.0]]))
        return max(0.0, float((1 - self.delta - np.exp(self.thresholds) * level).max())), float(
            np.interp(level, *corners)
        )


def tradeoff_bounds(
    on_data: np.ndarray, on_other: np.ndarray, thresholds: np.ndarray, alpha: float
) -> TradeOffBounds:
    """Bounds on the trade-off curve from exact losses log P/Q drawn on D and on D'; the thresholds must not
    be chosen by these losses.

    >>> rng = np.random.default_rng(0)
    >>> on_data, on_other = rng.normal(0.5, 1.0, 2000), rng.normal(-0.5, 1.0,
    ...     2000)            # a Gaussian mechanism with mu = 1
    >>> low, high = tradeoff_bounds(on_data, on_other, np.linspace(-3, 3, 13),
    ...     0.05).at(0.2)   # f(0.2) = 0.4367
    >>> bool(0.38 < low < 0.4367 < high < 0.55)
    True
    """
    thresholds = np.sort(np.asarray(thresholds, dtype=float))
    share = alpha / (3 * len(thresholds))
    delta = [
        mean_upper_bound(np.maximum(-np.expm1(np.minimum(t - on_data, 0)), 0), share) for t in thresholds
    ]
    alarms = [clopper_pearson(int((on_other > t).sum()), len(on_other), share)[1] for t in thresholds]
    missed = [clopper_pearson(int((on_data <= t).sum()), len(on_data), share)[1] for t in thresholds]
    return TradeOffBounds(thresholds, np.array(delta), np.array(alarms), np.array(missed))


def loss_tradeoff(
    algorithm: Algorithm,
    pair: Neighbours,
    thresholds: np.ndarray,
    *,
    runs: int = 10_000,
    alpha: float = 1e-3,
    seed: int = 0,
) -> TradeOffBounds:
    """Bounds on the trade-off curve of an algorithm's transcript on a pair of neighbours, from its exact
    losses on both.

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> low, high = loss_tradeoff(case.algorithm, Neighbours.zero_out(case.data, 0), np.linspace(-2, 2, 9),
    ...     runs=500).at(0.5)
    >>> low <= high
    True
    """
    from dpverify.losses import privacy_losses

    first, second = (int(child.generate_state(1)[0]) for child in np.random.SeedSequence(seed).spawn(2))
    on_data = privacy_losses(algorithm, pair, runs, first)
    on_other = -privacy_losses(algorithm, Neighbours(pair.other, pair.data, pair.adjacency), runs, second)
    return tradeoff_bounds(on_data, on_other, thresholds, alpha)


def loss_audit(
    algorithm: Algorithm,
    pair: Neighbours,
    claim: Guarantee,
    *,
    runs: int = 10_000,
    epsilons: tuple[float, ...] = (),
    alpha: float = 1e-3,
    seed: int = 0,
) -> Result:
    """Set the exact losses of an algorithm on a pair of neighbours against a claim: bounds on delta(eps), and
    the gap to the ledger; the epsilons, if given, must not be chosen by these losses.

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> str(loss_audit(case.algorithm, Neighbours.zero_out(case.data, 0), case.claimed, runs=500).verdict)
    'SUPPORTED'
    """
    from dpverify.accounting import account
    from dpverify.losses import privacy_losses

    losses = privacy_losses(algorithm, pair, runs, seed)
    if not epsilons:  # by other losses: bounds hold at epsilons that were not chosen by what is tested there
        other = int(np.random.SeedSequence(seed, spawn_key=(13,)).generate_state(1)[0])
        seen = privacy_losses(algorithm, pair, min(runs, PILOT), other)
        epsilons = tuple(np.linspace(0, max(0.1, float(np.quantile(seen, 0.999))), 9).tolist())
    grid = np.array(epsilons)
    bounds = profile_bounds(losses, grid, alpha)
    ledger = (
        account(algorithm.ledger(), pair.adjacency)
        if all(pair.adjacency in r.sensitivity for r in algorithm.ledger())
        else None
    )
    rows = [
        {"epsilon": float(e), "lower": float(low), "upper": float(up), "claimed": claim.delta_at(float(e))}
        | ({"ledger": ledger.delta_at(float(e))} if ledger is not None else {})
        for e, low, up in zip(*bounds)
    ]
    worst = max(rows, key=lambda row: row["lower"] - row["claimed"])
    evidence = Evidence(
        "exact losses",
        {"profile": rows},
        alpha=alpha,
        samples=runs,
        seed=seed,
        ceiling="any delta above its lower bound",
    )
    if worst["lower"] > worst["claimed"]:
        then = (
            f"delta >= {worst['lower']:.4g} at epsilon = {worst['epsilon']:.4g} ({runs} exact losses, "
            f"confidence {1 - alpha:g})"
        )
        both = {"D": describe(pair.data, pair.other), "D'": describe(pair.other, pair.data)}
        let = {"M": algorithm.name, **both, "seed": str(seed)}
        witness = Witness(
            let,
            then,
            f"delta = {worst['claimed']:.4g} there ({claim})",
            {
                "kind": "losses",
                **as_json(pair),
                **worst,
                "losses": losses.tolist(),
                "alpha": alpha,
                "epsilons": grid.tolist(),
                "seed": seed,
            },
        )
        return Result(REFUTED, f"{claim} is refuted: {then}.", evidence, witness)
    shown = (
        f"delta is at least {worst['lower']:.4g} and at most {worst['upper']:.4g} at epsilon = "
        f"{worst['epsilon']:.4g}"
    )
    return Result(
        SUPPORTED,
        f"{runs} exact losses do not refute {claim}: {shown}, {worst['claimed']:.4g} is claimed.",
        evidence,
    )


def verify(exact: dict[str, Any]) -> bool:
    """Whether the losses in a witness put delta above what was claimed: the bound is computed anew."""
    losses, grid = np.array(exact["losses"], dtype=float), np.array(exact["epsilons"], dtype=float)
    lower, _ = profile_bounds(losses, grid, float(exact["alpha"])).at(float(exact["epsilon"]))
    return lower > float(exact["claimed"])
