"""The speed of runs, as ratios within one process: against merely drawing the noise, against a loop over
runs, and how it grows.

    python benchmarks/speed.py [--quick]

`noise` is the time of drawing the same normals (or Laplace variates) with the same bit generator in the same
blocks; a ratio of 1 would be algorithms for free. Figures are processor seconds. Where two things are timed
in turn, the pair with the median ratio is shown; else the best of several repeats: a busy machine only ever
adds.
"""

from __future__ import annotations

import argparse
import cProfile
import math
import pstats
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.algorithms import example, names
from dpverify.algorithms.adp_sgd import adp_sgd
from dpverify.algorithms.private_gd import private_gd
from dpverify.algorithms.private_gd_momentum import private_gd_momentum
from dpverify.algorithms.private_sgd import private_sgd
from dpverify.algorithms.sensitivity_reduced_nsgd import Scales, sensitivity_reduced_nsgd
from dpverify.engine import Algorithm, walk
from dpverify.formulas.adp_erm import adaptive_alpha, polynomial_b
from dpverify.montecarlo import block_size, generator, run
from dpverify.parts.cases import logistic_case
from dpverify.problems import Problem, quadratic
from dpverify.schedules import Schedule


def best(function: Callable[[], Any], repeats: int) -> float:
    """The least time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def in_turn(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """The times of two functions that are called in turn, those of the median ratio: other work of the
    machine meets both.
    """
    pairs = sorted(((best(first, 1), best(second, 1)) for _ in range(repeats)), key=lambda p: p[0] / p[1])
    return pairs[len(pairs) // 2]


def draw(algorithm: Algorithm, data: Any, runs: int) -> Callable[[], None]:
    """Merely drawing the noise of all steps: as many standard normals, or exponentials with signs, in the
    same blocks.
    """
    *steps, _ = walk(algorithm, data, 2, generator(0, 0))
    plan = [(step.answer.value.shape[1:], step.release.law.name == "Laplace") for step in steps]
    size = block_size(algorithm)

    def noise() -> None:
        for k in range(math.ceil(runs / size)):
            rng, n = generator(0, k), min(size, runs - k * size)
            for shape, laplace in plan:
                if laplace:
                    rng.laplace(size=(n, *shape))
                else:
                    rng.standard_normal((n, *shape))

    return noise


def draw_batches(algorithm: Algorithm, runs: int) -> Callable[[], None]:
    """Merely drawing the secret batches of all steps."""
    ledger, size = algorithm.ledger(), block_size(algorithm)

    def batches() -> None:
        for k in range(math.ceil(runs / size)):
            rng, n = generator(0, k), min(size, runs - k * size)
            for release in ledger:
                release.batch(rng, n)

    return batches


def gradients(algorithm: Algorithm, data: Any, runs: int) -> Callable[[], None]:
    """Merely computing the gradients of logistic regression that the steps ask for, nothing clipped: one a
    step, two where a difference is asked for, over everybody or over batches that are already drawn.
    """
    loaded, size = algorithm.load(data), block_size(algorithm)
    rows, labels = loaded.features, loaded.targets
    *steps, _ = walk(algorithm, loaded, size, generator(0, 0))
    plan = [(step.state.x, step.batch, 1 if step.answer.unit is None else 2) for step in steps]

    def slopes(x: Any, batch: Any) -> None:
        if batch is None:
            _ = (-labels / (1 + np.exp(labels * (x @ rows.T)))) @ rows
        else:
            a, y = rows[batch], labels[batch]
            slope = -y / (1 + np.exp(y * np.einsum("rmp,rp->rm", a, x)))
            np.einsum("rm,rmp->rp", slope, a)

    def compute() -> None:
        for _ in range(math.ceil(runs / size)):
            for x, batch, times in plan:
                for _ in range(times):
                    slopes(x, batch)

    return compute


def profile(algorithm: Algorithm, data: Any, runs: int, most: int = 3) -> list[str]:
    """The functions in which most of the time of the runs is spent, with their shares."""
    watch = cProfile.Profile()
    watch.runcall(run, algorithm, data, runs, keep=())
    times = {where: entry[2] for where, entry in pstats.Stats(watch).stats.items()}  # type: ignore[attr-defined]
    total = sum(times.values())
    largest = sorted(times, key=lambda where: -times[where])[:most]
    return [
        f"{name.split('.')[-1].strip('<>')} {times[file, line, name] / total:.0%}"
        for file, line, name in largest
    ]


def naive(algorithm: Algorithm, data: Any, runs: int) -> Callable[[], None]:
    """The same runs, one at a time."""

    def loop() -> None:
        loaded = algorithm.load(data)
        for k in range(runs):
            for _ in walk(algorithm, loaded, 1, generator(0, k)):
                pass

    return loop


def problem_of(n: int, d: int) -> tuple[Problem, Any]:
    """A quadratic with kappa = 10 and records in the unit ball."""
    rows = np.random.default_rng(0).standard_normal((n, d))
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, None]
    return quadratic(np.linspace(0.1, 1.0, d), count=n, radius=1.0), rows


def at_scale(n: int, d: int, T: int) -> dict[str, tuple[Algorithm, Any]]:
    """Algorithms on a quadratic of that size."""
    problem, data = problem_of(n, d)
    b = polynomial_b(1, 1)
    made = {
        "private-gd": private_gd(problem, clip=1.0, variances=Schedule(4.0), steps=T),
        "private-gd-momentum": private_gd_momentum(
            problem, clip=1.0, variances=Schedule(4.0), steps=T, beta=0.9, step_size=0.1
        ),
        "private-sgd, n/10 Poisson": private_sgd(
            problem, clip=1.0, batch=n // 10, variances=Schedule(4.0), steps=T
        ),
        "private-sgd, n/10 fixed": private_sgd(
            problem, clip=1.0, batch=n // 10, variances=Schedule(4.0), steps=T, how="without replacement"
        ),
        "adp-sgd, one record": adp_sgd(
            problem, G=1.0, sigma=1.0, alpha=adaptive_alpha(b), b=b, steps=T, eta=0.1
        ),
    }
    return {name: (algorithm, data) for name, algorithm in made.items()}


def bit_generators(repeats: int) -> None:
    """Nanoseconds a variate for NumPy's bit generators: why blocks use SFC64."""
    print("\nbit generator    normal  exponential  uniform   (ns each)")
    for name in ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"):
        rng = np.random.Generator(getattr(np.random, name)(0))
        cost = [
            best(lambda f=f: f(500_000), repeats) * 2000
            for f in (rng.standard_normal, rng.standard_exponential, rng.random)
        ]
        print(f"{name:15} {cost[0]:7.1f} {cost[1]:12.1f} {cost[2]:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a quarter of the runs, twice")
    quick = parser.parse_args().quick
    runs, repeats = (1_024, 2) if quick else (4_096, 12)

    print(f"quadratic, n = 100, d = 20, T = 100, {runs} runs")
    print("algorithm                      run (s)  noise (s)  ratio  batches (s)  rest (s)   loop over runs")
    for name, (algorithm, data) in at_scale(100, 20, 100).items():
        taken, noise = in_turn(
            lambda a=algorithm, d=data: run(a, d, runs, keep=()), draw(algorithm, data, runs), repeats
        )
        few = 20
        loop = best(naive(algorithm, data, few), 1) * runs / few
        batches = best(draw_batches(algorithm, runs), repeats)
        print(
            f"{name:30} {taken:7.3f} {noise:10.3f} {taken / noise:6.2f} {batches:11.3f} "
            f"{taken - noise - batches:9.3f}"
            f" {loop / taken:8.0f} times slower"
        )

    print(f"\nevery algorithm on its own example, {runs} runs")
    print("algorithm                      run (s)  noise (s)  ratio   where the time goes")
    for name in names():
        case = example(name)
        taken = best(lambda c=case: run(c.algorithm, c.data, runs, keep=()), repeats)
        noise = best(draw(case.algorithm, case.data, runs), repeats)
        spent = ", ".join(profile(case.algorithm, case.data, runs))
        print(f"{name:30} {taken:7.3f} {noise:10.3f} {taken / noise:6.2f}   {spent}")

    print(f"\nagainst merely computing the gradients, {runs} runs")
    print("algorithm                      run (s)  gradients (s)  ratio")
    for name in ("diff2-gd", "diff2-dp-gd", "adp-sgd", "dp-sgd", "adp-sgd-norm"):
        case = example(name)
        count = block_size(case.algorithm) * max(1, runs // block_size(case.algorithm))
        taken, floor = in_turn(
            lambda c=case, k=count: run(c.algorithm, c.data, k, keep=()),
            gradients(case.algorithm, case.data, count),
            repeats,
        )
        print(f"{name:30} {taken:7.3f} {floor:14.3f} {taken / floor:6.2f}")

    print(
        "\ngrowth of private-gd (and of private-sgd in n): time at 4 times the size over time at "
        "the size; 4 is linear"
    )
    base = {"n": 100, "d": 20, "T": 100}
    for what in ("runs", "T", "d", "n"):
        name = "private-sgd, n/10 Poisson" if what == "n" else "private-gd"
        times = []
        for factor in (1, 4):
            size = {**base, **({what: base[what] * factor} if what in base else {})}
            algorithm, data = at_scale(**size)[name]
            count = runs * factor if what == "runs" else runs
            times.append(best(lambda a=algorithm, d=data, k=count: run(a, d, k, keep=()), repeats))
        print(f"  {what:5} {times[1] / times[0]:.2f}")

    print("\nsensitivity-reduced NSGD, T = 4 N: time a step over that at N = 16")
    times = []
    for n in (16, 64, 256):
        problem, data = logistic_case(n, ridge=0.05, doubt=0.3)
        settings = {
            "clip": 1.0,
            "smoothness": 0.25,
            "alpha": 0.05,
            "gamma": 0.5,
            "scales": Scales(1.0, 1.0, 0.1),
            "step_size": 0.01,
        }
        algorithm = sensitivity_reduced_nsgd(problem, steps=4 * n, **settings)
        times.append(best(lambda a=algorithm, d=data: run(a, d, runs // 20, keep=()), 2) / algorithm.steps)
        print(
            f"  N = {n:4} {times[-1] / times[0]:.2f}   (logarithmic would be "
            f"{math.log2(n) / 4:.2f}, linear {n / 16:.0f})"
        )

    print("\npeak memory of private-gd beyond the data (MB), keeping nothing")
    algorithm, data = at_scale(100, 20, 100)["private-gd"]
    for k in (1, 4, 16):
        tracemalloc.start()
        run(algorithm, data, k * runs // 4, keep=())
        print(f"  {k * runs // 4:7} runs {tracemalloc.get_traced_memory()[1] / 1e6:.2f}")
        tracemalloc.stop()
    bit_generators(repeats)


if __name__ == "__main__":
    main()
