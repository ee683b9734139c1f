"""Certified bounds on epsilon hold the exact values where a closed form gives them, are tight, and stay valid
when they are made coarse.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from dpverify.accounting import bounds, epsilon
from dpverify.accounting.bounds import Steps, epsilon_bounds
from dpverify.accounting.exact import (
    addition,
    laplace,
    randomised_response,
    removal,
    subsampled_gaussian,
)
from dpverify.guarantees import GDP
from dpverify.roots import first_at_most

DELTAS = (1e-8, 1e-5, 1e-3)


def mu(steps: tuple[Steps, ...]) -> float:
    return math.sqrt(sum(count / noise**2 for noise, _, count in steps))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(
    "steps",
    [
        (Steps(1.0),),
        (Steps(0.5),),
        (Steps(5.0),),
        (Steps(40.0, 1.0, 10_000),),
        (Steps(3.0), Steps(4.0, 1.0, 7), Steps(9.0, 1.0, 100)),
    ],
)
def test_gaussian_steps_lie_between_the_bounds(steps, delta):
    exact = epsilon(GDP(mu(steps)), delta)
    limits = epsilon_bounds(steps, delta)
    assert limits.lower <= exact <= limits.upper
    assert limits.upper - limits.lower <= 0.01 * exact


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rate", [1e-3, 0.03, 0.5])
@pytest.mark.parametrize("noise", [0.5, 1.0, 5.0])
def test_one_subsampled_step_lies_between_the_bounds(noise, rate, delta):
    exact = first_at_most(lambda e: subsampled_gaussian(e, rate, noise), delta)
    limits = epsilon_bounds((Steps(noise, rate),), delta)
    assert limits.lower <= exact <= limits.upper
    assert limits.upper - limits.lower <= 0.02 * exact + 1e-3


def test_bounds_hold_for_any_window_and_any_grid(monkeypatch):
    steps, delta = (Steps(2.0, 1.0, 9),), 1e-6
    exact = epsilon(GDP(1.5), delta)
    for gap in (0.3, 0.03, 0.001):
        limits = epsilon_bounds(steps, delta, gap)
        assert limits.lower <= exact <= limits.upper
    plan = bounds._plan

    def poor(*given):
        guess, (tilt, outer, low, high) = plan(*given)
        return guess, bounds._Plan(tilt * 0.8, outer, low + 0.3 * (high - low), high - 0.25 * (high - low))

    monkeypatch.setattr(bounds, "_plan", poor)
    limits = epsilon_bounds(steps, delta, 0.0031)
    assert limits.lower <= exact <= limits.upper


def test_bounds_of_many_steps_agree_with_privacy_loss_distributions():
    from dp_accounting.pld import privacy_loss_distribution as pld

    for noise, rate, count, delta in [(1.0, 0.01, 1000, 1e-6), (0.6, 1e-3, 1000, 1e-6), (2.0, 0.2, 50, 1e-8)]:
        total = pld.from_gaussian_mechanism(
            noise, value_discretization_interval=5e-4, sampling_prob=rate
        ).self_compose(count)  # within 1e-4 of the epsilon on a grid of 1e-4
        epsilon = total.get_epsilon_for_delta(delta)
        limits = epsilon_bounds((Steps(noise, rate, count),), delta)
        assert limits.lower <= epsilon
        assert limits.upper <= epsilon * 1.005


def test_two_unequal_steps_against_an_integral():
    """The profile of two subsampled steps, by integrating the second in closed form over the outputs of the
    first.
    """
    one, two = Steps(1.0, 0.3), Steps(1.7, 0.1)
    x = np.linspace(-12, 13, 20_001)
    plain = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    mixed = 0.7 * plain + 0.3 * np.exp(-((x - 1) ** 2) / 2) / math.sqrt(2 * math.pi)
    losses = np.log(mixed / plain)

    def profile(e: float) -> float:
        return float(
            np.trapezoid([m * removal(e - l, two.rate, two.noise) for m, l in zip(mixed, losses)], x)
        )

    limits = epsilon_bounds((one, two), 1e-4)
    assert profile(limits.lower) > 1e-4 > profile(limits.upper)
    assert limits.upper - limits.lower < 0.02 * limits.upper


def test_the_normal_distribution_function_is_as_accurate_as_assumed():
    from scipy.special import ndtr

    with mpmath.workdps(40):
        for z in np.linspace(-9, 0, 181):
            exact = mpmath.ncdf(mpmath.mpf(float(z)))
            assert abs(mpmath.mpf(float(ndtr(z))) - exact) <= bounds.NDTR * exact


def test_fourier_transforms_are_as_accurate_as_assumed():
    rng = np.random.default_rng(0)
    values = rng.random(2**12)
    found, size = np.fft.rfft(values), len(values)
    turn = -2j * np.longdouble("3.14159265358979323846264338327950288") / size
    slow = np.array(
        [
            np.sum(values.astype(np.longdouble) * np.exp(turn * ((k * np.arange(size)) % size)))
            for k in range(0, size // 2 + 1, 64)
        ]
    )
    assert np.abs(found[::64] - slow).max() <= bounds.FFT * math.log2(size) * bounds.U * np.sqrt(
        size * np.sum(values**2)
    )


@pytest.mark.parametrize("e", [0.0, 0.01, 0.3, 1.0])
@pytest.mark.parametrize(("rate", "noise"), [(0.5, 1.0), (0.01, 0.7), (1.0, 2.0)])
def test_one_step_in_closed_form_is_an_integral(rate, noise, e):
    x = np.linspace(-20, 21, 400_001)
    plain, moved = (
        np.exp(-((x - at) ** 2) / (2 * noise**2)) / (noise * math.sqrt(2 * math.pi)) for at in (0, 1)
    )
    mixed = (1 - rate) * plain + rate * moved
    assert removal(e, rate, noise) == pytest.approx(
        np.trapezoid(np.maximum(0, mixed - math.exp(e) * plain), x), abs=1e-8
    )
    assert addition(e, rate, noise) == pytest.approx(
        np.trapezoid(np.maximum(0, plain - math.exp(e) * mixed), x), abs=1e-8
    )


def test_responses_and_laplace_in_closed_form():
    assert first_at_most(lambda e: randomised_response(e, 0.75, 10), 0.75**10 * 0.1) < 10 * math.log(3)
    assert first_at_most(lambda e: randomised_response(e, 0.75, 10), 0.0) == pytest.approx(10 * math.log(3))
    every = [(0.75 if a else 0.25) * (0.75 if b else 0.25) for a in (0, 1) for b in (0, 1)]
    other = [(0.25 if a else 0.75) * (0.25 if b else 0.75) for a in (0, 1) for b in (0, 1)]
    assert randomised_response(0.4, 0.75, 2) == pytest.approx(
        sum(max(0, p - math.exp(0.4) * q) for p, q in zip(every, other))
    )
    x = np.linspace(-40, 41, 2_000_001)
    here, there = np.exp(-np.abs(x)) / 2, np.exp(-np.abs(x - 1)) / 2
    assert laplace(0.3, 1.0) == pytest.approx(
        np.trapezoid(np.maximum(0, here - math.exp(0.3) * there), x), abs=1e-6
    )


@pytest.mark.parametrize(
    ("steps", "delta", "message"),
    [
        ((), 1e-5, "steps"),
        ((Steps(0.0),), 1e-5, "noise > 0"),
        ((Steps(1.0, 2.0),), 1e-5, "rate"),
        ((Steps(1.0),), 0.0, "delta=0.0"),
    ],
)
def test_bad_input_is_named(steps, delta, message):
    with pytest.raises(ValueError, match=message):
        epsilon_bounds(steps, delta)
