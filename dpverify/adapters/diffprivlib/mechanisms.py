"""Every mechanism of diffprivlib.mechanisms, on a value and the same value moved by the sensitivity.

    M(x) and M(x + sensitivity),    claimed: epsilon-DP, or (epsilon, delta)-DP where the mechanism takes a
    delta

A data set is one record, the value; for a mechanism that chooses among candidates the record holds their
utilities, each of which moves by the sensitivity; for Bingham the records are the rows of X and the value is
X^T X; for Vector the record is the feature of the one example of a logistic loss. A value that is not a
number is outside of what a sensitivity speaks of: where such a value comes back as it went in, the law `nan`
says so, and no claim of the library is touched.

`bits=True` publishes of each output only the place of its lowest bit (`dpverify.adapters.bits`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.bits import lowest_bit
from dpverify.adapters.diffprivlib.common import guarantee, repeated, target
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED


def shipped() -> list[str]:
    """The names of all mechanisms in the library that is installed."""
    from diffprivlib import mechanisms

    base = mechanisms.DPMechanism
    classes = {name: getattr(mechanisms, name) for name in dir(mechanisms)}
    return [
        name
        for name, kind in classes.items()
        if isinstance(kind, type) and issubclass(kind, base) and kind is not base
    ]


def make(name: str, **settings: Any) -> Any:
    """A mechanism of the library by name."""
    from diffprivlib import mechanisms

    return getattr(mechanisms, name)(**settings)


def _one(data: Any) -> Any:
    values = np.asarray(data).ravel()
    if values.size != 1:
        raise ValueError(f"Expected one value, got {values.size}.")
    return values[0].item()


def _keeper(name: str) -> Callable[..., Any]:
    """Makes a mechanism and keeps it as long as it is asked for with the same state and settings."""
    kept: list[Any] = []

    def built(state: np.random.RandomState, **settings: Any) -> Any:
        if not kept or kept[0] is not state or kept[1] != settings:
            kept[:] = [state, settings, make(name, random_state=state, **settings)]
        return kept[2]

    return built


def _number(
    name: str, value: float, moved: float, claim: Any, runs: int, bits: bool = False, **settings: Any
) -> Subject:
    """A mechanism for one number, at `value` and `moved`."""
    built = _keeper(name)

    def one(data: Any, state: np.random.RandomState) -> Any:
        out = built(state, **settings).randomise(_one(data))
        return lowest_bit(out) if bits else out

    pair = Neighbours(np.array([[value]]), np.array([[moved]]), REPLACE)
    return Subject(
        repeated(one, name),
        claim,
        pair,
        f"the docstring of diffprivlib.mechanisms.{name}",
        runs=runs,
        any_number=True,
        any_record=False,
    )


def laplace(
    epsilon: float = 1.0, delta: float = 0.0, sensitivity: float = 1.0, value: float = 0.0, bits: bool = False
) -> Subject:
    positive(epsilon=epsilon, sensitivity=sensitivity)
    settings = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    return _number("Laplace", value, value + sensitivity, guarantee(epsilon, delta), 8_000, bits, **settings)


def _bounded(
    name: str,
    value: float,
    epsilon: float,
    delta: float,
    sensitivity: float,
    lower: float,
    upper: float,
    bits: bool,
) -> Subject:
    positive(epsilon=epsilon, sensitivity=sensitivity)
    if not lower < upper:
        raise ValueError(f"Expected lower={lower} < upper={upper}.")
    settings = {
        "epsilon": epsilon,
        "delta": delta,
        "sensitivity": sensitivity,
        "lower": lower,
        "upper": upper,
    }
    return _number(name, value, value + sensitivity, guarantee(epsilon, delta), 8_000, bits, **settings)


def laplace_truncated(
    epsilon: float = 1.0,
    delta: float = 0.0,
    sensitivity: float = 1.0,
    lower: float = 0.0,
    upper: float = 1.0,
    value: float = 0.0,
    bits: bool = False,
) -> Subject:
    return _bounded("LaplaceTruncated", value, epsilon, delta, sensitivity, lower, upper, bits)


def laplace_folded(
    epsilon: float = 1.0,
    delta: float = 0.0,
    sensitivity: float = 1.0,
    lower: float = -5.0,
    upper: float = 5.0,
    value: float = 0.0,
    bits: bool = False,
) -> Subject:
    return _bounded("LaplaceFolded", value, epsilon, delta, sensitivity, lower, upper, bits)


def laplace_bounded_domain(
    epsilon: float = 1.0,
    delta: float = 0.0,
    sensitivity: float = 1.0,
    lower: float = 0.0,
    upper: float = 4.0,
    value: float = 0.0,
    bits: bool = False,
) -> Subject:
    return _bounded("LaplaceBoundedDomain", value, epsilon, delta, sensitivity, lower, upper, bits)


def laplace_bounded_noise(
    epsilon: float = 1.0, delta: float = 0.1, sensitivity: float = 1.0, value: float = 0.0, bits: bool = False
) -> Subject:
    positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    settings = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    return _number(
        "LaplaceBoundedNoise", value, value + sensitivity, guarantee(epsilon, delta), 8_000, bits, **settings
    )


def _gaussian(name: str, runs: int) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0,
        delta: float = 0.1,
        sensitivity: float = 1.0,
        value: float = 0.0,
        bits: bool = False,
    ) -> Subject:
        positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        settings = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
        return _number(name, value, value + sensitivity, guarantee(epsilon, delta), runs, bits, **settings)

    return build


def gaussian_discrete(
    epsilon: float = 1.0, delta: float = 0.1, sensitivity: int = 1, value: int = 0
) -> Subject:
    positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    settings: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    return _number(
        "GaussianDiscrete", value, value + sensitivity, guarantee(epsilon, delta), 8_000, **settings
    )


def geometric(epsilon: float = 1.0, sensitivity: int = 1, value: int = 0) -> Subject:
    positive(epsilon=epsilon, sensitivity=sensitivity)
    return _number(
        "Geometric",
        value,
        value + sensitivity,
        guarantee(epsilon),
        8_000,
        epsilon=epsilon,
        sensitivity=sensitivity,
    )


def geometric_large(epsilon: float = 1.0, sensitivity: int = 1, value: int = 2**60 + 128) -> Subject:
    """The same at integers that are no doubles: the mechanism adds its noise in double precision, so the
    value is rounded first.
    """
    return geometric(epsilon, sensitivity, value)


def _geometric_bounded(name: str, low: float, high: float) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0, sensitivity: int = 1, lower: float = low, upper: float = high, value: int = 0
    ) -> Subject:
        positive(epsilon=epsilon, sensitivity=sensitivity)
        settings: dict[str, Any] = {
            "epsilon": epsilon,
            "sensitivity": sensitivity,
            "lower": lower,
            "upper": upper,
        }
        return _number(name, value, value + sensitivity, guarantee(epsilon), 5_000, **settings)

    return build


def snapping(
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
    lower: float = -8.0,
    upper: float = 8.0,
    value: float = 0.0,
    bits: bool = False,
) -> Subject:
    positive(epsilon=epsilon, sensitivity=sensitivity)
    settings = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper}
    return _number("Snapping", value, value + sensitivity, guarantee(epsilon), 5_000, bits, **settings)


def staircase(
    epsilon: float = 1.0,
    sensitivity: float = 1.0,
    gamma: float | None = None,
    value: float = 0.0,
    bits: bool = False,
) -> Subject:
    positive(epsilon=epsilon, sensitivity=sensitivity)
    settings = {"epsilon": epsilon, "sensitivity": sensitivity, "gamma": gamma}
    return _number("Staircase", value, value + sensitivity, guarantee(epsilon), 8_000, bits, **settings)


def uniform(delta: float = 0.1, sensitivity: float = 1.0, value: float = 0.0) -> Subject:
    positive(delta=delta, sensitivity=sensitivity)
    return _number(
        "Uniform",
        value,
        value + sensitivity,
        guarantee(0.0, delta),
        8_000,
        delta=delta,
        sensitivity=sensitivity,
    )


def uniform_bits() -> Subject:
    """Of each output x only 2^52 x modulo 5: the noise at delta = 0.1 is 5 (2 U - 1), U a multiple of 2^-53,
    and x = 0 + noise or 1 + noise.
    """
    plain = uniform()
    draw: Any = plain.mechanism

    def modulo(data: Any, rng: np.random.Generator, runs: int) -> Any:
        return np.mod(draw(data, rng, runs) * 2.0**52, 5)

    modulo.__qualname__ = "Uniform"
    return replace(plain, mechanism=modulo)


def binary(epsilon: float = 1.0) -> Subject:
    """The value is 0 or 1, its label "0" or "1"."""
    positive(epsilon=epsilon)
    return _labelled("Binary", epsilon, 0, 1, ["0", "1"], 8_000, value0="0", value1="1")


def _labelled(
    name: str, epsilon: float, value: int, other: int, labels: list[str], runs: int, **settings: Any
) -> Subject:
    built = _keeper(name)

    def one(data: Any, state: np.random.RandomState) -> Any:
        return float(
            labels.index(built(state, epsilon=epsilon, **settings).randomise(_label(_one(data), labels)))
        )

    pair = Neighbours(np.array([[value]]), np.array([[other]]), REPLACE)
    return Subject(
        repeated(one, name),
        guarantee(epsilon),
        pair,
        f"the docstring of diffprivlib.mechanisms.{name}",
        runs=runs,
        any_number=True,
        any_record=False,
    )


def _label(value: Any, labels: list[str]) -> str:
    return labels[value] if isinstance(value, int) and 0 <= value < len(labels) else str(value)


def categorical(epsilon: float = 1.0) -> Subject:
    """A label far from four that are close together: the normalising constants differ, and half the budget
    goes to them.
    """
    positive(epsilon=epsilon)
    labels = ["a", "b", "c", "d", "e"]
    utility = [(x, y, 1.0 if x == "a" else 0.01) for x in labels for y in labels if x < y]
    return _labelled("ExponentialCategorical", epsilon, 0, 1, labels, 10_000, utility_list=utility)


def balanced(epsilon: float = 4.0) -> tuple[list[str], list[tuple[str, str, float]]]:
    """Eight labels whose normalising constants agree at epsilon / 2 and not at epsilon, with the utilities
    between them.

    With f = exp(-epsilon d / 2), h = exp(-0.02), m = exp(-epsilon / 2), c = (h + m) / 2: f(0, 1) = m; f(0, .)
    = c; f(1, .) = h three times and m three times; among the first three of the rest m, elsewhere c. Every
    row adds up to m + 6 c.

    >>> rows = {k: sum(np.exp(-2 * d) for *pair,
    ...     d in balanced(4.0)[1] if k in pair) for k in balanced(4.0)[0]}
    >>> bool(max(rows.values()) - min(rows.values()) < 1e-12)
    True
    """
    h, m = math.exp(-0.02), math.exp(-epsilon / 2)
    c = (h + m) / 2

    def f(i: int, j: int) -> float:
        if i == 0:
            return m if j == 1 else c
        if i == 1:
            return h if j < 5 else m
        return m if j < 5 else c

    labels = [str(k) for k in range(8)]
    return labels, [
        (labels[i], labels[j], -2 / epsilon * math.log(f(i, j))) for i in range(8) for j in range(i + 1, 8)
    ]


def categorical_balanced(epsilon: float = 4.0) -> Subject:
    positive(epsilon=epsilon)
    labels, utility = balanced(epsilon)
    return _labelled("ExponentialCategorical", epsilon, 0, 1, labels, 100_000, utility_list=utility)


def hierarchical(epsilon: float = 1.0) -> Subject:
    """Two branches of two leaves: balanced, so the whole budget goes to the distance."""
    positive(epsilon=epsilon)
    return _labelled(
        "ExponentialHierarchical",
        epsilon,
        0,
        2,
        ["a", "b", "c", "d"],
        8_000,
        hierarchy=[["a", "b"], ["c", "d"]],
    )


def _selection(name: str) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0, sensitivity: float = 1.0, monotonic: bool = False, gap: float = 4.0
    ) -> Subject:
        """Two candidates: the better is ahead by `gap`, and one record brings it back (both utilities move,
        unless monotonic).
        """
        positive(epsilon=epsilon, sensitivity=sensitivity)
        built = _keeper(name)

        def one(data: Any, state: np.random.RandomState) -> Any:
            utility = np.asarray(data, dtype=float)[0].tolist()
            return built(
                state, epsilon=epsilon, sensitivity=sensitivity, utility=utility, monotonic=monotonic
            ).randomise()

        ahead = gap * sensitivity
        pair = Neighbours.replace(
            np.array([[0.0, ahead]]), 0, [sensitivity, ahead - (0.0 if monotonic else sensitivity)]
        )
        return Subject(
            repeated(one, name),
            guarantee(epsilon),
            pair,
            f"the docstring of diffprivlib.mechanisms.{name}",
            runs=8_000,
            any_number=True,
            any_record=False,
        )

    return build


def bingham(epsilon: float = 2.0, dimension: int = 2) -> Subject:
    """The direction u of most variance of the rows X, as the products u_i u_j; one row of norm 1 goes from
    one axis to another.
    """
    positive(epsilon=epsilon, dimension=dimension)
    built = _keeper("Bingham")

    def one(data: Any, state: np.random.RandomState) -> Any:
        rows = np.asarray(data, dtype=float)
        drawn = built(state, epsilon=epsilon).randomise(rows.T @ rows)
        return np.outer(drawn, drawn)[np.triu_indices(dimension)]

    pair = Neighbours.replace(np.eye(dimension)[:1], 0, np.eye(dimension)[1])
    return Subject(
        repeated(one, "Bingham"),
        guarantee(epsilon),
        pair,
        "the docstring of diffprivlib.mechanisms.Bingham",
        runs=3_000,
        any_number=True,
        any_record=False,
    )


def vector(epsilon: float = 1.0, norm: float = 1.0, alpha: float = 0.01) -> Subject:
    """The size of the minimiser of log(1 + exp(-w x)) + alpha w^2 / 2, perturbed; |x| <= norm, second
    derivative of the loss at most 1/4.
    """
    positive(epsilon=epsilon, norm=norm, alpha=alpha)
    from scipy.optimize import brentq
    from scipy.special import expit

    built = _keeper("Vector")

    def one(data: Any, state: np.random.RandomState) -> Any:
        x = _one(data)
        if not abs(x) <= norm:
            raise ValueError(f"Expected |x|={abs(x)} <= norm={norm}.")

        def objective(w: Any) -> tuple[Any, Any]:
            return np.logaddexp(0, -w[0] * x) + alpha * w[0] ** 2 / 2, np.array(
                [alpha * w[0] - x * expit(-w[0] * x)]
            )

        settings = {"function_sensitivity": 0.25, "data_sensitivity": norm, "dimension": 1, "alpha": alpha}
        perturbed = built(state, epsilon=epsilon, **settings).randomise(objective)
        slope = lambda w: float(perturbed(np.array([w]))[1][0])  # noqa: E731
        far = (abs(slope(0.0)) + norm) / alpha
        return round(
            abs(brentq(slope, -far, far, xtol=1e-9)), 6
        )  # what the search leaves below that is not the mechanism's

    pair = Neighbours.replace(np.array([[norm]]), 0, [0.0])
    return Subject(
        repeated(one, "Vector"),
        guarantee(epsilon),
        pair,
        "the docstring of diffprivlib.mechanisms.Vector",
        runs=4_000,
        any_number=True,
        any_record=False,
    )


def vector_norm(epsilon: float = 1.0, norm: float = 1000.0, alpha: float = 3000.0) -> Subject:
    return vector(epsilon, norm, alpha)


def bits_of(build: Callable[..., Subject], **settings: Any) -> Callable[..., Subject]:
    """The same, of which only the lowest bit is published."""

    def build_bits(epsilon: float = 1.0) -> Subject:
        return build(epsilon=epsilon, bits=True, **settings)

    return build_bits


PURE, APPROX = (
    "epsilon-DP for values that differ by the sensitivity",
    "(epsilon, delta)-DP for values that differ by the sensitivity",
)
NONE = {"empty": UNDECIDED}  # there is no value to randomise
NAN = {"empty": UNDECIDED, "nan": REFUTED}  # outside of the claim
BITS = {"empty": UNDECIDED, "training": REFUTED}
LOWEST = (
    "In double precision 0 + noise has bits below 2^-54 where the noise is small, and 1 + noise "
    "never has: an output with such a bit was "
    "made from 0. {} in its documentation claims protection of the sampling, not of the sum"
)
GAUSSIAN, ANALYTIC = _gaussian("Gaussian", 8_000), _gaussian("GaussianAnalytic", 8_000)

TARGETS = (
    target("Laplace", "Laplace noise", PURE, laplace, **NAN),
    target(
        "LaplaceTruncated",
        "Laplace noise, then the nearest value in [lower, upper]",
        PURE,
        laplace_truncated,
        **NAN,
    ),
    target("LaplaceFolded", "Laplace noise, then reflected into [lower, upper]", PURE, laplace_folded, **NAN),
    target(
        "LaplaceBoundedDomain",
        "Laplace noise, given that the output is in [lower, upper]",
        PURE,
        laplace_bounded_domain,
        **NAN,
    ),
    target(
        "LaplaceBoundedNoise", "Laplace noise, given that it is bounded", APPROX, laplace_bounded_noise, **NAN
    ),
    target(
        "Gaussian",
        "Gaussian noise of the classical scale, which is larger than needed: half the claim stands",
        APPROX,
        GAUSSIAN,
        **NAN,
        half=SUPPORTED,
    ),
    target("GaussianAnalytic", "Gaussian noise of the exact scale", APPROX, ANALYTIC, **NAN),
    target(
        "GaussianDiscrete", "discrete Gaussian noise of the exact scale", APPROX, gaussian_discrete, **NONE
    ),
    target("Geometric", "two-sided geometric noise", PURE, geometric, **NONE),
    target(
        "Geometric-large",
        "two-sided geometric noise at 2^60 + 128 and 2^60 + 129: noise is added in double "
        "precision, where these are 256 apart. Any integer is "
        "accepted; GeometricTruncated and GeometricFolded add it in the same way",
        PURE,
        geometric_large,
        **NONE,
        single=REFUTED,
        fresh=REFUTED,
        training=REFUTED,
    ),
    target(
        "GeometricTruncated",
        "geometric noise, then the nearest value in [lower, upper]",
        PURE,
        _geometric_bounded("GeometricTruncated", 0, 1),
        **NONE,
    ),
    target(
        "GeometricFolded",
        "geometric noise, then reflected into [lower, upper]",
        PURE,
        _geometric_bounded("GeometricFolded", -5, 5),
        **NONE,
    ),
    target("Binary", "randomised response", PURE, binary, **NONE),
    target(
        "Exponential", "the exponential mechanism, two candidates", PURE, _selection("Exponential"), **NONE
    ),
    target("PermuteAndFlip", "permute and flip, two candidates", PURE, _selection("PermuteAndFlip"), **NONE),
    target("ExponentialCategorical", "the exponential mechanism on labels", PURE, categorical, **NONE),
    target(
        "ExponentialCategorical-balanced",
        "the exponential mechanism on eight labels whose normalising constants agree at epsilon "
        "/ 2: the mechanism then spends no budget on them, "
        "but at epsilon they differ (exact loss 4.31 at epsilon = 4)",
        PURE,
        categorical_balanced,
        **NONE,
        training=REFUTED,
    ),
    target(
        "ExponentialHierarchical",
        "the exponential mechanism on the leaves of a tree",
        PURE,
        hierarchical,
        **NONE,
    ),
    target(
        "Bingham",
        "the first eigenvector of a covariance matrix. The rejection step divides by what it "
        "should multiply with, so the output is not of the "
        "Bingham law: a loss of at most epsilon / 2 was meant, and half the claim falls. From four "
        "dimensions on the claim falls as well, by its exact law (2.7 epsilon at 10)",
        PURE,
        bingham,
        empty=SUPPORTED,
    ),
    target("Snapping", "Laplace noise on a grid of powers of two", PURE, snapping, **NAN),
    target("Staircase", "staircase noise", PURE, staircase, **NAN),
    target(
        "Uniform",
        "uniform noise, epsilon = 0, of which half is 0: the same claim",
        APPROX,
        uniform,
        **NAN,
        half=SUPPORTED,
    ),
    target(
        "Vector",
        "a random linear term in an objective, data_sensitivity=1: loose, half the claim stands",
        PURE,
        vector,
        **NONE,
        half=SUPPORTED,
    ),
    target(
        "Vector-norm",
        "a random linear term in an objective, data_sensitivity=1000: the curvature of a loss of "
        "records of norm R is up to R^2 / 4, the mechanism "
        "reckons with R / 4 (exact loss 4.2 at epsilon = 1, alpha = 3000)",
        PURE,
        vector_norm,
        **NONE,
        training=REFUTED,
    ),
    *(
        target(f"{name}-bits", LOWEST.format(name), PURE, bits_of(build), **BITS)
        for name, build in (
            ("Laplace", laplace),
            ("LaplaceTruncated", laplace_truncated),
            ("LaplaceFolded", laplace_folded),
            ("LaplaceBoundedDomain", laplace_bounded_domain),
            ("Staircase", staircase),
        )
    ),
    *(
        target(f"{name}-bits", LOWEST.format(name), APPROX, bits_of(build, delta=1e-5), **BITS)
        for name, build in (
            ("LaplaceBoundedNoise", laplace_bounded_noise),
            ("Gaussian", GAUSSIAN),
            ("GaussianAnalytic", ANALYTIC),
        )
    ),
    target("Uniform-bits", LOWEST.format("Uniform"), APPROX, uniform_bits, **BITS, nan=REFUTED),
    target(
        "Snapping-bits",
        "the grid of Snapping is the same for all values: its lowest bits add nothing",
        PURE,
        bits_of(snapping),
        **NONE,
        half=SUPPORTED,
    ),
)
