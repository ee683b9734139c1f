"""Laws of utility: exact moments and Monte Carlo agree, and the paper's bound holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.moments import NotAffine, exact_moments
from dpverify.montecarlo import mean_at_least, run

from .laws import NotApplicable, Outcome, Subject, broken, held, law

RUNS = 2000


@law("algorithm", "data")
def moments(subject: Subject, seed: int) -> Outcome:
    """Where every step is affine, the recursion of moments gives the mean and the variance that the runs
    have.
    """
    algorithm: Any = subject.algorithm
    try:
        exact = exact_moments(algorithm, subject.data)
    except NotAffine as reason:
        return NotApplicable(str(reason))
    output = run(algorithm, subject.data, RUNS, seed=seed + 4).output
    assert output is not None
    deviation = np.sqrt(np.diag(exact.covariance[-1]))
    rows = output - exact.mean[-1]
    # Sums of Gaussian, Laplace and batch noise: by Bernstein's inequality 7 standard errors are passed with
    # chance below 1e-8.
    mean = float(np.max(np.abs(rows.mean(axis=0)) / (deviation / math.sqrt(RUNS) + 1e-12)))
    # The kurtosis of such sums is at most that of Laplace noise, 6: the variance of a square is at most 5
    # variances squared.
    ratio = rows.var(axis=0) / np.maximum(deviation**2, 1e-300)
    spread = float(np.max(np.abs(ratio - 1)[deviation > 1e-12], initial=0.0)) / math.sqrt(5 / RUNS)
    for what, errors in (("mean", mean), ("variance", spread)):
        if errors > 7:
            then = f"the {what} of the output is {errors:.1f} standard errors from the recursion of moments"
            return broken(then, {"algorithm": subject.name, "runs": str(RUNS)})
    return held(
        f"Mean and variance are {mean:.1f} and {spread:.1f} standard errors from the recursion of moments.",
        "a gap of 7 standard errors",
        samples=RUNS,
        alpha=1e-8,
    )


@law("algorithm", "data", "bound")
def bound(subject: Subject, seed: int) -> Outcome:
    """What the claim bounds is below its bound in the mean: exactly where moments are known, else as far as
    the runs can tell.
    """
    example: Any = subject.example
    most, exact = subject.bound.value, example.exact_mean()
    if exact is None:
        values = example.simulate(RUNS, seed + 5).values[example.quantity]
        mean, how = mean_at_least(values, alpha=1e-6), "at least"
    else:
        mean, how = exact, "exactly"
    if example.exceeds(mean):
        then = f"the mean is {how} {mean:.4g}, above its bound {most:.4g} ({subject.bound.claim})"
        return broken(then, {"algorithm": subject.name, "runs": str(RUNS)})
    because = f"The mean is {how} {mean:.4g}, the bound is {most:.4g} ({subject.bound.claim})."
    return held(because, "a mean that is clearly above the bound", samples=RUNS, alpha=1e-6)
