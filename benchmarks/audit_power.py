"""Power, tightness and cost of audits, next to the best event known in advance with Clopper-Pearson on each
side.

    python benchmarks/audit_power.py [seeds]

Gaussian: sensitivity 1, sigma = 3.7306, exactly (1, 1e-5)-DP and 0.26805-GDP. Everything at 95 % confidence;
times are CPU times and are given as ratios to drawing the same samples in the same process.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
from scipy.special import ndtr

from dpverify import Budget, Neighbours
from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.drawing import chunk_sizes
from dpverify.auditing.exact import clopper_pearson, equivalent_epsilon
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.rungs import Audit
from dpverify.auditing.sequential import Sequential
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian
from dpverify.verdicts import REFUTED

SIGMA = 3.7306
PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
CURVE = GDP(1 / SIGMA)
POINT = ApproxDP(1.0, 1e-5)
PURE = PureDP(1.0)


def gaussian(factor=1.0):
    def mechanism(data, rng, runs):
        return data.sum() + SIGMA / factor * rng.standard_normal((runs, 1))

    return mechanism


def laplace(factor=1.0):
    def mechanism(data, rng, runs):
        return data.sum() + rng.laplace(scale=1 / factor, size=(runs, 1))

    return mechanism


def limit(n: int, mu: float, delta: float) -> float:
    """The best threshold known in advance, expected counts, Clopper-Pearson at 2.5 % on each side."""
    best = 0.0
    for t in np.linspace(0, 5, 400):
        x, y = round(n * ndtr(mu - t)), round(n * ndtr(-t))
        best = max(
            best,
            math.log(max(clopper_pearson(x, n, 0.025)[0] - delta, 1e-300) / clopper_pearson(y, n, 0.025)[1]),
        )
    return best


def laplace_limit(n: int) -> float:
    return math.log(
        clopper_pearson(n // 2, n, 0.025)[0] / clopper_pearson(round(n / 2 / math.e), n, 0.025)[1]
    )


def tightness(seeds: int) -> None:
    print("lower bounds on epsilon at 95 % (mean over seeds), and the limit")
    print(
        f"{'n':>8} {'point':>7} {'limit':>7} {'Laplace':>8} {'limit':>7} {'curve':>7}  (the curve "
        "as the epsilon of mu-GDP at 1e-5)"
    )
    for n in (10**4, 10**5, 10**6):
        bounds = {}
        for name, mechanism, claim in (
            ("point", gaussian(), POINT),
            ("pure", laplace(), PURE),
            ("curve", gaussian(), CURVE),
        ):
            found = []
            for seed in range(seeds):
                # half of alpha goes to the fixed event
                figures = statistical_audit(
                    Audit(mechanism, PAIR, claim, Budget(runs=n, alpha=0.1, seed=seed))
                ).evidence.certificate
                mu = figures.get("mu_lower_bound")
                found.append(
                    equivalent_epsilon(mu, 1e-5)
                    if mu is not None
                    else figures.get("epsilon_lower_bound", 0.0)
                )
            bounds[name] = float(np.mean(found))
        limits = limit(n, 1 / SIGMA, 1e-5), laplace_limit(n)
        print(
            f"{n:8} {bounds['point']:7.3f} {limits[0]:7.3f} {bounds['pure']:8.3f} "
            f"{limits[1]:7.3f} {bounds['curve']:7.3f}"
        )


def samples_to_refutation(mechanism, claim, most: int, seed: int, alpha: float = 0.05) -> int:
    rng = np.random.default_rng(seed)
    test = None
    pair = worst_pair(claim)
    test = Sequential(pair)
    for m in chunk_sizes(most):
        test.feed(mechanism(PAIR.other, rng, m), mechanism(PAIR.data, rng, m))
        if test.log_wealth >= -math.log(alpha):
            return test.samples
    return 10 * most


def refutation(seeds: int) -> None:
    print(
        "\nsamples a side to refutation, sequential, 95 %: the best known event needs (80 % "
        "power) | median, 80 % quantile, ratio"
    )
    cases = [
        ("std 2x too small, curve", gaussian(2.0), CURVE, 615, 20_000),
        ("std 1.5x too small, curve", gaussian(1.5), CURVE, None, 40_000),
        ("std 1.1x too small, curve", gaussian(1.1), CURVE, 57_531, 500_000),
        ("std 2x too small, point", gaussian(2.0), POINT, 16_689, 200_000),
        (
            "record moves by 5, curve",
            lambda data, rng, runs: gaussian()(5 * data, rng, runs),
            CURVE,
            45,
            5_000,
        ),
        (
            "record moves by 5, point",
            lambda data, rng, runs: gaussian()(5 * data, rng, runs),
            POINT,
            179,
            5_000,
        ),
        ("Laplace 1.5x too small", laplace(1.5), PURE, 355, 20_000),
    ]
    for name, mechanism, claim, known, most in cases:
        found = [samples_to_refutation(mechanism, claim, most, seed) for seed in range(seeds)]
        middle, late = np.quantile(found, [0.5, 0.8])
        ratio = f"{late / known:.2f}" if known else "-"
        print(f"{name:28} {known or '-':>8} | {middle:9.0f} {late:9.0f} {ratio:>6}")
    refuted = sum(
        statistical_audit(Audit(gaussian(1.1), PAIR, CURVE, Budget(runs=100_000, alpha=0.05, seed=s))).verdict
        is REFUTED
        for s in range(20)
    )
    print(f"std 1.1x too small, curve, n = 1e5: refuted in {refuted} of 20 seeds")
    declared = Gaussian(scale=SIGMA, sensitivity={REPLACE: 1.0})

    def short_of_noise(data, rng, runs, tape):
        query = np.full((runs, 1), data.sum())
        return tape.record(query, query + SIGMA / 1.1 * rng.standard_normal((runs, 1)), declared)

    for draws in (400, 1000):
        short = sum(
            noise_as_declared(short_of_noise, PAIR.data, None, 0.05, seed, draws, draws).verdict is REFUTED
            for seed in range(20)
        )
        print(f"std 1.1x too small, the noise itself, {draws} draws: refuted in {short} of 20 seeds")


def many_coordinates(width):
    def mechanism(data, rng, runs):
        out = rng.standard_normal((runs, width))
        out[:, 0] += data.sum() / SIGMA
        return out

    return mechanism


def cost() -> None:
    print("\nCPU time of an audit over that of drawing its samples")

    def clock(work) -> float:
        started = time.process_time()
        work()
        return time.process_time() - started

    for n in (10**5, 10**6):
        drawing = min(
            clock(lambda n=n: [gaussian()(PAIR.data, np.random.default_rng(s), n) for s in (0, 1)])
            for _ in range(5)
        )
        for claim in (CURVE, POINT):
            audit = min(
                clock(
                    lambda n=n, s=s, claim=claim: statistical_audit(
                        Audit(gaussian(), PAIR, claim, Budget(runs=n, alpha=0.05, seed=s))
                    )
                )
                for s in range(4)
            )
            print(f"n = {n:8}  {claim!s:16} {audit / drawing:6.1f}   ({audit:.3f} s against {drawing:.3f} s)")
    wide, n = many_coordinates(10), 10**6
    drawing = min(
        clock(lambda: [wide(PAIR.data, np.random.default_rng(s), n) for s in (0, 1)]) for _ in range(3)
    )
    audits = [Audit(wide, PAIR, CURVE, Budget(runs=n, alpha=0.05, seed=s)) for s in range(3)]
    audit = min(clock(lambda one=one: statistical_audit(one)) for one in audits)
    print(f"n = {n:8}  10 coordinates   {audit / drawing:6.1f}   ({audit:.3f} s against {drawing:.3f} s)")


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    tightness(seeds)
    refutation(2 * seeds)
    cost()
