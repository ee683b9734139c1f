"""Laws of utility: exact moments and Monte Carlo agree, and the paper's bound holds."""

from __future__ import annotations

import math

import numpy as np

from dpverify.moments import NotAffine, exact_moments
from dpverify.montecarlo import mean_at_least, run

from .laws import NotApplicable, Subject, law

RUNS = 2000


@law()
def exact_moments_agree_with_monte_carlo(about: Subject) -> None:
    """Where every step is affine, the recursion of moments gives the mean and the variance that the runs
    have.
    """
    algorithm = about.needs_algorithm()
    try:
        moments = exact_moments(algorithm, about.data)
    except NotAffine as reason:
        raise NotApplicable(str(reason)) from None
    output = run(algorithm, about.data, RUNS, seed=4).output
    assert output is not None
    deviation = np.sqrt(np.diag(moments.covariance[-1]))
    rows = output - moments.mean[-1]
    # Sums of Gaussian, Laplace and batch noise: by Bernstein's inequality 7 standard errors are passed with
    # chance below 1e-8.
    worst = float(np.max(np.abs(rows.mean(axis=0)) / (deviation / math.sqrt(RUNS) + 1e-12)))
    assert worst <= 7, (
        f"the mean of {about.name} is {worst:.1f} standard errors from the recursion of moments"
    )
    # The kurtosis of such sums is at most that of Laplace noise, 6: the variance of a square is at most 5
    # variances squared.
    ratio = rows.var(axis=0) / np.maximum(deviation**2, 1e-300)
    worst = float(np.max(np.abs(ratio - 1)[deviation > 1e-12], initial=0.0)) / math.sqrt(5 / RUNS)
    assert worst <= 7, (
        f"the variance of {about.name} is {worst:.1f} standard errors from the recursion of moments"
    )


@law()
def the_mean_stays_below_the_bound(about: Subject) -> None:
    """The quantity that the paper bounds is below its bound in the mean, as far as the runs can tell."""
    algorithm, bound = about.needs_algorithm(), about.needs_example("bound")
    assert about.example is not None
    if about.example.best_step:
        raise NotApplicable("the bound is for the best step, which is not known beforehand")
    result = run(algorithm, about.data, RUNS, seed=5, measure={"value": about.example.measured})
    least = mean_at_least(result.values["value"], alpha=1e-6)
    assert least <= bound, (
        f"the mean of {about.name} is at least {least:.4g}, above its bound {bound:.4g} "
        f"({about.example.bound_source})"
    )
