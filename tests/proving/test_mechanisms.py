"""The rules for mechanisms against numerical integration of the densities that they speak of."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from scipy.stats import laplace, norm

from dpverify.guarantees import GDP, RDP, ApproxDP, PureDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.proving import prove
from dpverify.proving.mechanisms import gaussian_delta
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.releases.rules import DELTAS, EXCESS, MU, PURE, RHO, SQUARES, NoRule
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED

t = sp.Symbol("t", integer=True, positive=True)


NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
PLACES = np.arange(-60, 60)[:, None] + (NODES + 1) / 2  # densities have their kinks at whole numbers


def renyi(p, q, order):
    """ln of the integral of p^order q^(1-order), over order - 1, by Gauss's rule between whole numbers."""
    values = np.exp(order * p(PLACES) + (1 - order) * q(PLACES))
    return math.log((values * WEIGHTS / 2).sum()) / (order - 1)


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_renyi_of_gaussian_noise(order, scale):
    cost = float(Gaussian(scale, {REPLACE: 1.0}).formula(("renyi", order), REPLACE))
    assert cost == pytest.approx(renyi(norm(0, scale).logpdf, norm(1, scale).logpdf, order), rel=1e-6)


@pytest.mark.parametrize("order", [2, 3, 8])
@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_renyi_and_zcdp_of_laplace_noise_are_upper_bounds(order, scale):
    release = Laplace(scale, {REPLACE: 1.0})
    exact = renyi(laplace(0, scale).logpdf, laplace(1, scale).logpdf, order)
    assert exact <= float(release.formula(("renyi", order), REPLACE)) + 1e-9
    assert exact <= order * float(release.formula(RHO, REPLACE)) + 1e-9
    assert exact <= float(release.formula(PURE, REPLACE)) + 1e-9


@pytest.mark.parametrize("order", [2, 3, 6])
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_renyi_of_gaussian_noise_on_poisson_batches(order, rate):
    release = Subsampled(Gaussian(1.5, {ADD_REMOVE: 1.0}), size=10 * rate, of=10, how="poisson")
    cost = float(release.formula(("renyi", order), ADD_REMOVE))

    def mixed(x):
        return np.logaddexp(
            math.log(1 - rate) + norm(0, 1.5).logpdf(x), math.log(rate) + norm(1, 1.5).logpdf(x)
        )

    assert cost == pytest.approx(renyi(mixed, norm(0, 1.5).logpdf, order), rel=1e-6)
    assert renyi(norm(0, 1.5).logpdf, mixed, order) <= cost + 1e-9


@pytest.mark.parametrize("order", [2, 3, 6])
@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("scale", [1.0, 6.0])
def test_renyi_of_gaussian_noise_on_batches_without_replacement_is_an_upper_bound(order, rate, scale):
    release = Subsampled(Gaussian(scale, {REPLACE: 1.0}), size=10 * rate, of=10)
    cost = float(release.formula(("renyi", order), REPLACE))

    def mixed(moved):  # the batch has the record with chance `rate`, and then the mean is moved
        def log(x):
            without = math.log(1 - rate) + norm(0, scale).logpdf(x)
            return np.logaddexp(without, math.log(rate) + norm(moved, scale).logpdf(x))

        return log

    for first, second in ((1.0, 0.0), (0.0, 1.0), (0.5, -0.5)):
        assert renyi(mixed(first), mixed(second), order) <= cost + 1e-9
    assert cost < float(release.inner.formula(("renyi", order), REPLACE)) or rate == 0.5


def test_subsampling_without_replacement_at_a_symbolic_order():
    order = sp.Symbol("a", integer=True, positive=True)
    batches = Subsampled(Gaussian(sp.Integer(2), {REPLACE: 1}), size=2, of=8)
    bound = batches.formula(("renyi", order), REPLACE)
    assert float(bound.subs(order, 4).doit()) == pytest.approx(float(batches.formula(("renyi", 4), REPLACE)))
    assert prove(Private(batches, RDP(order, bound), REPLACE, given=[order >= 2])).verdict is PROVED
    assert prove(Private(batches, RDP(order, bound / 2), REPLACE, given=[order >= 2])).verdict is not PROVED


def test_amplified_laplace_noise_is_attained_far_out():
    release = Subsampled(Laplace(1.0, {REPLACE: 1.0}), size=2, of=8)
    cost = float(release.formula(PURE, REPLACE))
    with_record = np.logaddexp(
        math.log(0.25) + laplace(1, 1).logpdf(30), math.log(0.75) + laplace(0, 1).logpdf(30)
    )
    assert cost == pytest.approx(with_record - laplace(0, 1).logpdf(30), rel=1e-9)


def test_profile_of_gaussian_dp():
    for mu, epsilon in ((0.5, 0.3), (1.0, 1.0), (2.0, 4.0)):
        exact = float(gaussian_delta(sp.Rational(str(mu)), sp.Rational(str(epsilon))).evalf())
        assert exact == pytest.approx(GDP(mu).delta_at(epsilon), rel=1e-9)


def test_what_has_no_rule_is_refused_by_name():
    batches = Subsampled(Gaussian(1.0, {REPLACE: 1.0}), size=2, of=8)
    with pytest.raises(NoRule, match="batches has rules at whole orders"):
        batches.formula(("renyi", sp.Rational(5, 2)), REPLACE)
    poisson = Subsampled(Laplace(1.0, {REPLACE: 1.0}), size=2, of=8, how="poisson")
    with pytest.raises(NoRule, match="no rule for batches drawn poisson under replace"):
        poisson.formula(PURE, REPLACE)
    assert prove(Private(poisson, PureDP(1), REPLACE)).verdict is UNDECIDED
    with pytest.raises(NoRule, match="pure DP has no simple mu"):
        Composed(Laplace(1.0, {REPLACE: 1.0})).formula(MU, REPLACE)
    exact = Subsampled(Gaussian(1, {REPLACE: 1}), size=2, of=8)
    result = prove(Private(exact, RDP(sp.Rational(5, 2), sp.Integer(1)), REPLACE))
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


@pytest.mark.parametrize("scale", [2.0, 4.0])
@pytest.mark.parametrize("rate", [0.05, 0.25])
def test_advanced_composition_of_batches_is_above_the_exact_loss(scale, rate):
    each = 1e-3
    slack = 1e-3
    steps = 2
    release = Subsampled(Gaussian(scale, {REPLACE: 1.0}), size=20 * rate, of=20)
    squares = steps * float(release.formula((SQUARES, each), REPLACE))
    delta = steps * float(release.formula((DELTAS, each), REPLACE)) + slack
    epsilon = math.sqrt(2 * squares * math.log(1 / slack)) + squares / 2
    grid = np.linspace(-8 * scale, 8 * scale + 1, 1500)
    first, second = (
        (1 - rate) * norm(0, scale).pdf(grid) + rate * norm(moved, scale).pdf(grid) for moved in (1, 0)
    )
    p, q = np.multiply.outer(first, first), np.multiply.outer(second, second)
    exact = float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) * (grid[1] - grid[0]) ** 2
    assert exact <= delta
    assert float(release.formula((EXCESS, each), REPLACE)) == (
        0 if scale == 4.0 else pytest.approx(0.733, abs=1e-3)
    )


def test_advanced_composition_is_proved_and_half_of_it_is_not():
    r = sp.Integer(5)
    step = Subsampled(Gaussian(sp.Integer(10), {REPLACE: 1}), size=1, of=100)
    worth = sp.sqrt(2 * 9 * step.formula((SQUARES, sp.exp(-2)), REPLACE) * r)
    mean = 9 * step.formula((SQUARES, sp.exp(-2)), REPLACE) / 2
    for share, verdict in ((1, PROVED), (sp.Rational(1, 2), UNDECIDED)):
        promised = ApproxDP(share * (worth + mean), 9 * sp.exp(-2) / 100 + sp.exp(-r))
        statement = Private(Repeated(step, t, 1, 9), promised, REPLACE, each=sp.exp(-2), slack=sp.exp(-r))
        assert prove(statement).verdict is verdict


def test_a_batch_of_releases_that_are_not_private_before_sampling_is_not_amplified():
    r = sp.Integer(5)
    step = Subsampled(Gaussian(sp.Rational(1, 5), {REPLACE: 1}), size=1, of=100)
    squares = 9 * step.formula((SQUARES, sp.exp(-2)), REPLACE)
    promised = ApproxDP(sp.sqrt(2 * squares * r) + squares / 2, 9 * sp.exp(-2) / 100 + sp.exp(-r))
    statement = Private(Repeated(step, t, 1, 9), promised, REPLACE, each=sp.exp(-2), slack=sp.exp(-r))
    assert prove(statement).verdict is UNDECIDED
