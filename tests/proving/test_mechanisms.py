"""The rules for mechanisms against numerical integration of the densities that they speak of."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.stats import laplace, norm

from dpverify.guarantees import GDP, RDP, ApproxDP, PureDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.proving import prove
from dpverify.proving.mechanisms import MU, PURE, RHO, NoRule, cost, gaussian_delta
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED

t = sp.Symbol("t", integer=True, positive=True)


def renyi(p, q, order):
    """ln of the integral of p^order q^(1-order), over order - 1."""
    value, _ = quad(
        lambda x: math.exp(order * p(x) + (1 - order) * q(x)), -60, 60, limit=400, points=[-1, 0, 1, 2]
    )
    return math.log(value) / (order - 1)


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_renyi_of_gaussian_noise(order, scale):
    found = float(cost(Gaussian(scale, {REPLACE: 1.0}), ("renyi", order), REPLACE))
    assert found == pytest.approx(renyi(norm(0, scale).logpdf, norm(1, scale).logpdf, order), rel=1e-6)


@pytest.mark.parametrize("order", [2, 3, 8])
@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_renyi_and_zcdp_of_laplace_noise_are_upper_bounds(order, scale):
    release = Laplace(scale, {REPLACE: 1.0})
    exact = renyi(laplace(0, scale).logpdf, laplace(1, scale).logpdf, order)
    assert exact <= float(cost(release, ("renyi", order), REPLACE)) + 1e-9
    assert exact <= order * float(cost(release, RHO, REPLACE)) + 1e-9
    assert exact <= float(cost(release, PURE, REPLACE)) + 1e-9


@pytest.mark.parametrize("order", [2, 3, 6])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_renyi_of_gaussian_noise_on_poisson_batches(order, rate):
    release = Subsampled(Gaussian(1.5, {ADD_REMOVE: 1.0}), size=10 * rate, of=10, how="poisson")
    found = float(cost(release, ("renyi", order), ADD_REMOVE))

    def mixed(x):
        return np.logaddexp(
            math.log(1 - rate) + norm(0, 1.5).logpdf(x), math.log(rate) + norm(1, 1.5).logpdf(x)
        )

    assert found == pytest.approx(renyi(mixed, norm(0, 1.5).logpdf, order), rel=1e-6)
    assert renyi(norm(0, 1.5).logpdf, mixed, order) <= found + 1e-9


@pytest.mark.parametrize("order", [2, 3, 6])
@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("scale", [1.0, 6.0])
def test_renyi_of_gaussian_noise_on_batches_without_replacement_is_an_upper_bound(order, rate, scale):
    release = Subsampled(Gaussian(scale, {REPLACE: 1.0}), size=10 * rate, of=10)
    found = float(cost(release, ("renyi", order), REPLACE))

    def mixed(moved):  # the batch has the record with chance `rate`, and then the mean is moved
        def log(x):
            without = math.log(1 - rate) + norm(0, scale).logpdf(x)
            return np.logaddexp(without, math.log(rate) + norm(moved, scale).logpdf(x))

        return log

    for first, second in ((1.0, 0.0), (0.0, 1.0), (0.5, -0.5)):
        assert renyi(mixed(first), mixed(second), order) <= found + 1e-9
    assert found < float(cost(release.inner, ("renyi", order), REPLACE)) or rate == 0.5


def test_subsampling_without_replacement_at_a_symbolic_order():
    order = sp.Symbol("a", integer=True, positive=True)
    batches = Subsampled(Gaussian(sp.Integer(2), {REPLACE: 1}), size=2, of=8)
    bound = cost(batches, ("renyi", order), REPLACE)
    assert float(bound.subs(order, 4).doit()) == pytest.approx(float(cost(batches, ("renyi", 4), REPLACE)))
    assert prove(Private(batches, RDP(order, bound), REPLACE, given=[order >= 2])).verdict is PROVED
    assert prove(Private(batches, RDP(order, bound / 2), REPLACE, given=[order >= 2])).verdict is not PROVED


def test_amplified_laplace_noise_is_attained_far_out():
    release = Subsampled(Laplace(1.0, {REPLACE: 1.0}), size=2, of=8)
    found = float(cost(release, PURE, REPLACE))
    with_record = np.logaddexp(
        math.log(0.25) + laplace(1, 1).logpdf(30), math.log(0.75) + laplace(0, 1).logpdf(30)
    )
    assert found == pytest.approx(with_record - laplace(0, 1).logpdf(30), rel=1e-9)


def test_profile_of_gaussian_dp():
    for mu, epsilon in ((0.5, 0.3), (1.0, 1.0), (2.0, 4.0)):
        exact = float(gaussian_delta(sp.Rational(str(mu)), sp.Rational(str(epsilon))).evalf())
        assert exact == pytest.approx(GDP(mu).delta_at(epsilon), rel=1e-9)


def test_what_has_no_rule_is_refused_by_name():
    batches = Subsampled(Gaussian(1.0, {REPLACE: 1.0}), size=2, of=8)
    with pytest.raises(NoRule, match="batches has rules at whole orders"):
        cost(batches, ("renyi", sp.Rational(5, 2)), REPLACE)
    with pytest.raises(NoRule, match="no rule for batches drawn poisson under replace"):
        cost(Subsampled(Laplace(1.0, {REPLACE: 1.0}), size=2, of=8, how="poisson"), PURE, REPLACE)
    with pytest.raises(NoRule, match="pure DP has no simple mu"):
        cost(Composed(Laplace(1.0, {REPLACE: 1.0})), MU, REPLACE)
    result = prove(Private(batches, RDP(sp.Rational(5, 2), sp.Integer(1)), REPLACE))
    assert result.verdict is UNDECIDED and "whole orders" in result.because


def test_the_objects_that_run_are_the_objects_that_are_proved():
    step = Gaussian(2, {REPLACE: 1})
    assert prove(Private(Repeated(step, t, 1, 4), GDP(sp.Integer(1)), REPLACE)).verdict is PROVED
    refuted = prove(Private(Repeated(step, t, 1, 5), GDP(sp.Integer(1)), REPLACE))
    assert refuted.verdict is REFUTED and refuted.witness is not None
    assert step.noise(np.random.default_rng(0), (3, 2)).shape == (3, 2)
    exact = Private(Composed(step, step), ApproxDP(sp.Integer(1), sp.Rational(1, 20)), REPLACE)
    assert prove(exact).verdict is (PROVED if GDP(0.5**0.5).delta_at(1.0) <= 0.05 else REFUTED)
    assert (
        prove(Private(Laplace(sp.Integer(1), {REPLACE: 1}), PureDP(sp.Integer(1)), REPLACE)).verdict is PROVED
    )


def test_a_record_takes_part_once_at_least():
    with pytest.raises(ValueError, match=r"Expected participations=0 >= 1\."):
        Repeated(Gaussian(sp.Symbol("s", positive=True), {REPLACE: 1}), t, 1, 5, participations=0)
