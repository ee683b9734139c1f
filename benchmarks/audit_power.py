"""Power, tightness and cost of audits, next to the best event known in advance with Clopper-Pearson on each
side.

    python benchmarks/audit_power.py [seeds]

Gaussian: sensitivity 1, sigma = 3.7306, exactly (1, 1e-5)-DP and 0.26805-GDP. Everything at 95 % confidence;
times are CPU times and are given as ratios to drawing the same samples in the same process.
"""

from __future__ import annotations

import math
import resource
import sys
import time

import numpy as np
from scipy.special import ndtr

from dpverify import Budget, Neighbours
from dpverify.auditing.blocks import chunk_sizes
from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.drawing import Sampler
from dpverify.auditing.exact import clopper_pearson, equivalent_epsilon
from dpverify.auditing.noise import noise_as_declared
from dpverify.auditing.rungs import Audit
from dpverify.auditing.sequential import Desk, Sequential
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


def truncated_laplace(data, rng, runs):
    """Noise of scale 1 cut at 3: beyond, an output tells the record."""
    noise = rng.laplace(size=(3 * runs, 1))
    return data.sum() + noise[np.abs(noise[:, 0]) < 3][:runs]


def noisy_max(data, rng, runs):
    """The largest of ten noisy counts, and where it is: the noise hides the place, but not the value of what
    a record moves ten times.
    """
    scores = rng.laplace(scale=2.0, size=(runs, 10)) + data.sum()
    return np.column_stack([scores.argmax(axis=1), scores.max(axis=1)])


def biased_response(data, rng, runs):
    return np.abs(data.sum() - (rng.random((runs, 1)) < 0.2))


def wide_gaussian(data, rng, runs):
    return data.sum() / SIGMA * 0.5 + rng.standard_normal((runs, 10))


def two_scales(data, rng, runs):
    return rng.standard_normal((runs, 2)) * (1.0 + 0.3 * data.sum())


def samples_to_refutation(mechanism, claim, most: int, seed: int, alpha: float = 0.05, early=False) -> int:
    """Runs a side until the wealth is 1/alpha (within the last chunk its logarithm is taken to grow evenly);
    `early` if only the bettors of the early desk are there.
    """
    rng = np.random.default_rng(seed)
    pair = worst_pair(claim)
    test = Sequential(pair, honest=Desk(True)) if early else Sequential(pair)
    for m in chunk_sizes(most):
        test.feed(mechanism(PAIR.other, rng, m), mechanism(PAIR.data, rng, m))
        if test.log_wealth >= -math.log(alpha):
            (before, low), (after, high) = [(0, 0.0), *test.path][-2:]
            return before + round((after - before) * (-math.log(alpha) - low) / (high - low))
    return 10 * most


CASES = [
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
    ("truncated Laplace", truncated_laplace, PURE, None, 20_000),
    ("noisy max with its value", noisy_max, PURE, None, 100_000),
    ("randomised response", biased_response, PURE, None, 20_000),
    ("shift in ten coordinates", wide_gaussian, CURVE, None, 20_000),
    ("scale of two coordinates", two_scales, CURVE, None, 20_000),
]


def beside_the_early_desk(seeds: int) -> None:
    """What sharing the stake with the bettors of the honest desk costs where the early desk is enough."""
    print("\nsamples a side to refutation, median: bettors of the early desk alone, all bettors, ratio")
    for name, mechanism, claim, _, most in CASES:
        alone, both = (
            np.median([samples_to_refutation(mechanism, claim, most, s, early=early) for s in range(seeds)])
            for early in (True, False)
        )
        print(f"{name:28} {alone:9.0f} {both:9.0f} {both / alone:6.2f}", flush=True)


def refutation(seeds: int) -> None:
    print(
        "\nsamples a side to refutation, sequential, 95 %: the best known event needs (80 % "
        "power) | median, 80 % quantile, ratio"
    )
    for name, mechanism, claim, known, most in CASES[:7]:
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


def clock(work) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def cost() -> None:
    print("\nCPU time of an audit over that of drawing its samples")
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
    for width, repeats in ((10, 3), (100, 1)):
        n = 10**6
        pieces = 400_000 // width
        wide = many_coordinates(width)

        def in_pieces(seed, wide=wide, n=n, pieces=pieces):  # all at once would mostly measure the memory
            rng = np.random.default_rng(seed)
            for _ in range(2 * n // pieces):
                wide(PAIR.data, rng, pieces)

        def whole(seed, wide=wide, n=n):
            statistical_audit(Audit(wide, PAIR, CURVE, Budget(runs=n, alpha=0.05, seed=seed)))

        times = [(clock(lambda s=s: whole(s)), clock(lambda s=s: in_pieces(s))) for s in range(repeats)]
        audit, drawing = sorted(times, key=lambda pair: pair[0] / pair[1])[repeats // 2]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"n = {n:8}  {width:3} coordinates {audit / drawing:6.1f}   ({audit:.3f} s against "
            f"{drawing:.3f} s), at most {memory:.0f} MB"
        )


PLAIN = {
    "a number": lambda data, rng: rng.laplace(),
    "an array": lambda data, rng: rng.laplace(size=3),
    "a list": lambda data, rng: [rng.laplace(), rng.laplace(), 0.0],
    "a tuple": lambda data, rng: (rng.laplace(), 1, True),
    "a text": lambda data, rng: f"mean {rng.laplace():.3f} of 10",
    "a dict": lambda data, rng: {"mean": rng.laplace(), "count": 10, "ok": True},
}


def calls(runs: int = 100_000) -> None:
    print(f"\nmicroseconds of CPU a call of a plain callable, {runs} runs a side: drawn, and with the test")
    for name, mechanism in PLAIN.items():
        audit = Audit(mechanism, PAIR, PURE, Budget(runs=runs))

        def alone(mechanism=mechanism):
            rng = np.random.default_rng(0)
            for _ in range(runs // 2):
                mechanism(PAIR.data, rng)

        def drawn(audit=audit):
            for _ in Sampler(audit.mechanism, PAIR, audit.budget):
                pass

        call = clock(alone) / (runs // 2)
        draw, whole = (
            clock(work) / (2 * runs) - call for work in (drawn, lambda a=audit: statistical_audit(a))
        )
        print(
            f"{name:10} {1e6 * draw:6.1f} {1e6 * whole:6.1f}   (the call itself {1e6 * call:.1f})", flush=True
        )


if __name__ == "__main__":
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    tightness(seeds)
    refutation(2 * seeds)
    beside_the_early_desk(2 * seeds)
    cost()
    calls()
