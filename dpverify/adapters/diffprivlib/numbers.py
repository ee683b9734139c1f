"""The mechanisms of diffprivlib that add noise to one number, at a value and the same value moved by the
sensitivity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.bits import lowest_bit
from dpverify.adapters.diffprivlib.common import guarantee, keeper, mechanism_subject, one_value
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.subjects import Subject


def _number(
    name: str, value: float, moved: float, claim: Any, runs: int, bits: bool = False, **settings: Any
) -> Subject:
    """A mechanism for one number, at `value` and `moved`."""
    built = keeper(name)

    def one(data: Any, state: np.random.RandomState) -> Any:
        out = built(state, **settings).randomise(one_value(data))
        return lowest_bit(out) if bits else out

    pair = Neighbours(np.array([[value]]), np.array([[moved]]), REPLACE)
    return mechanism_subject(name, one, claim, pair, runs)


def laplace(
    epsilon: float = 1.0, delta: float = 0.0, sensitivity: float = 1.0, value: float = 0.0, bits: bool = False
) -> Subject:
    """One number, at `value` and moved by the sensitivity."""
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
    """One number at the lower bound, moved by the sensitivity to the upper one."""
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
    """One number well within the bounds, moved by the sensitivity."""
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
    """One number at the lower bound, moved by the sensitivity."""
    return _bounded("LaplaceBoundedDomain", value, epsilon, delta, sensitivity, lower, upper, bits)


def laplace_bounded_noise(
    epsilon: float = 1.0, delta: float = 0.1, sensitivity: float = 1.0, value: float = 0.0, bits: bool = False
) -> Subject:
    """One number, moved by the sensitivity; beyond the bound of the noise delta shows."""
    positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    settings = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    return _number(
        "LaplaceBoundedNoise", value, value + sensitivity, guarantee(epsilon, delta), 8_000, bits, **settings
    )


def gaussian(name: str, runs: int) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0,
        delta: float = 0.1,
        sensitivity: float = 1.0,
        value: float = 0.0,
        bits: bool = False,
    ) -> Subject:
        """One number, moved by the sensitivity."""
        positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        settings = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
        return _number(name, value, value + sensitivity, guarantee(epsilon, delta), runs, bits, **settings)

    return build


def gaussian_discrete(
    epsilon: float = 1.0, delta: float = 0.1, sensitivity: int = 1, value: int = 0
) -> Subject:
    """A whole number, moved by the sensitivity."""
    positive(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    settings: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    return _number(
        "GaussianDiscrete", value, value + sensitivity, guarantee(epsilon, delta), 8_000, **settings
    )


def geometric(epsilon: float = 1.0, sensitivity: int = 1, value: int = 0) -> Subject:
    """A whole number, moved by the sensitivity."""
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


def geometric_bounded(name: str, low: float, high: float) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0, sensitivity: int = 1, lower: float = low, upper: float = high, value: int = 0
    ) -> Subject:
        """A whole number within the bounds, moved by the sensitivity."""
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
    """One number in the middle of the bounds, moved by the sensitivity."""
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
    """One number, moved by the sensitivity; gamma is the library's own choice unless it is given."""
    positive(epsilon=epsilon, sensitivity=sensitivity)
    settings = {"epsilon": epsilon, "sensitivity": sensitivity, "gamma": gamma}
    return _number("Staircase", value, value + sensitivity, guarantee(epsilon), 8_000, bits, **settings)


def uniform(delta: float = 0.1, sensitivity: float = 1.0, value: float = 0.0) -> Subject:
    """One number, moved by the sensitivity: the noise is bounded, and what it cannot reach is delta."""
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
