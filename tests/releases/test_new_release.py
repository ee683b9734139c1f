"""A kind of release that no other file knows is run, charged, calibrated, audited, and decided about."""

import ast
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy import stats

from dpverify.accounting import account, calibrate, epsilon, meets
from dpverify.algorithms import example
from dpverify.auditing import Budget, audit
from dpverify.auditing.algorithm import as_mechanism
from dpverify.guarantees import ZCDP, PureDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.losses import privacy_losses
from dpverify.moments import exact_moments
from dpverify.montecarlo import run
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours
from dpverify.proving import prove
from dpverify.releases import Gaussian, Laplace, Law, Noise, Release, Subsampled, TreeNode
from dpverify.releases.rules import PURE, pure_formula
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED

LOGISTIC = Law(
    "logistic",
    cdf=stats.logistic.cdf,
    median=math.log(3),
    energy=lambda z: -np.log(2 * stats.logistic.sf(np.abs(z))),
    shape=1.0,
    size=lambda energy: energy,
)


@dataclass(frozen=True)
class Logistic(Noise):
    """Logistic noise: slopes of its log density are below 1/scale, so it costs that times L1."""

    norm = 1
    law = LOGISTIC
    unit_variance = math.pi**2 / 3

    def draw(self, rng, shape):
        return rng.logistic(size=shape)

    def log_standard(self, rows):
        return -(np.abs(rows) + 2 * np.log1p(np.exp(-np.abs(rows)))).sum(axis=1)

    def epsilon(self, adjacency):
        return self.ratio(adjacency)

    def formula(self, currency, adjacency):
        return pure_formula(self.quotient(adjacency), currency)

    def attains(self, currency):
        return currency == PURE


SENSITIVITY = {REPLACE: 0.01, ZERO_OUT: 0.005}
CASE = example("dp-gd")


def with_release(release):
    return replace(CASE.algorithm, steps=3, release=lambda t: release)


def test_it_runs_and_its_moments_are_exact():
    algorithm = with_release(Logistic(0.1, SENSITIVITY))
    runs = run(algorithm, CASE.data, 20_000, measure={"F": lambda x: CASE.problem.value(x, CASE.data)})
    exact = exact_moments(algorithm, CASE.data).expected_value(CASE.problem, CASE.data)[-1]
    assert abs(runs.mean("F") - exact) < 6 * runs.standard_error("F")  # false alarm below 1e-8


def test_it_is_charged_and_calibrated():
    ledger = with_release(Logistic(0.1, SENSITIVITY)).ledger()
    assert account(ledger, REPLACE, "pure").epsilon == pytest.approx(0.3)
    assert 0 < epsilon(account(ledger, REPLACE), 1e-6) <= 0.3 + 1e-3
    assert epsilon(account(ledger, REPLACE, "rdp"), 1e-6) < 0.33
    batch = Subsampled(Logistic(0.1, SENSITIVITY), size=20, of=200)
    assert account([batch], REPLACE, "pure").epsilon < 0.2 * 0.1
    scale = calibrate(lambda m: [Logistic(m, SENSITIVITY)] * 3, PureDP(0.3), REPLACE)
    assert scale == pytest.approx(0.1, rel=1e-5)
    assert meets([Logistic(scale, SENSITIVITY)] * 3, REPLACE, PureDP(0.3))


def test_the_exact_loss_of_a_transcript_stays_below_its_epsilon():
    pair = Neighbours.zero_out(CASE.data, 0)
    for release in (Logistic(0.1, SENSITIVITY), Subsampled(Logistic(0.1, SENSITIVITY), size=200, of=200)):
        losses = privacy_losses(with_release(release), pair, 500)
        assert 0 < np.abs(losses).max() <= 3 * 0.05
        assert np.exp(-losses).mean() == pytest.approx(1.0, abs=0.05)


class Quiet(Logistic):
    """Draws half the noise that it declares."""

    def draw(self, rng, shape):
        return 0.5 * super().draw(rng, shape)


@pytest.mark.parametrize(("kind", "claim"), [(Logistic, PureDP(0.1)), (Quiet, PureDP(0.3))])
def test_an_audit_refutes_a_claim_that_is_too_small_and_noise_that_is_too_quiet(kind, claim):
    algorithm, pair = with_release(kind(0.1, SENSITIVITY)), Neighbours.zero_out(CASE.data, 0)
    assert audit(as_mechanism(algorithm), pair, claim, budget=Budget(runs=2000)).verdict is REFUTED


def test_an_audit_acquits_it_where_the_claim_is_right():
    pair = Neighbours.zero_out(CASE.data, 0)
    result = audit(
        as_mechanism(with_release(Logistic(0.1, SENSITIVITY))), pair, PureDP(0.15), budget=Budget(runs=2000)
    )
    assert result.verdict is not REFUTED


C, s = sp.symbols("C s", positive=True)
n, m = sp.symbols("n m", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
t = sp.Symbol("t", integer=True)
SYMBOLIC = Logistic(s, {REPLACE: C})


@pytest.mark.parametrize(
    ("mechanism", "guarantee", "verdict"),
    [
        (SYMBOLIC, PureDP(C / s), PROVED),
        (SYMBOLIC, PureDP(C / (2 * s)), REFUTED),
        (Repeated(SYMBOLIC, t, 1, T), PureDP(T * C / s), PROVED),
        (Composed(SYMBOLIC, Gaussian(s, {REPLACE: C})), ZCDP(C**2 / s**2), PROVED),
        (SYMBOLIC, ZCDP(C**2 / (4 * s**2)), UNDECIDED),  # half of what the rule gives, which is not attained
    ],
)
def test_statements_about_it_are_decided(mechanism, guarantee, verdict):
    assert prove(Private(mechanism, guarantee, REPLACE)).verdict is verdict


def test_a_batch_amplifies_it_and_a_mechanism_without_a_rule_says_so():
    batch = Subsampled(SYMBOLIC, size=m, of=n)
    amplified = sp.log(1 + m / n * (sp.exp(C / s) - 1))
    assert prove(Private(batch, PureDP(amplified), REPLACE, [m <= n])).verdict is PROVED
    assert batch.in_words(REPLACE) == (
        "a Logistic release (sensitivity C, scale s) on m of n records (without replacement)"
    )

    class Silent(Logistic):
        formula = Release.formula

    result = prove(Private(Silent(s, {REPLACE: C}), PureDP(C / s), REPLACE))
    assert result.verdict is UNDECIDED and "there is no rule for Silent" in result.because
    with pytest.raises(TypeError, match="Expected mechanism='laplace' to be a release"):
        Private("laplace", PureDP(1), REPLACE)


def test_nobody_asks_a_release_which_class_it_is():
    root = Path(__file__).parents[2]
    kinds = {kind.__name__ for kind in (Gaussian, Laplace, Subsampled, TreeNode)}
    files = [path for part in ("dpverify", "symbolic", "properties") for path in (root / part).rglob("*.py")]
    asked = [
        f"{path.relative_to(root)}:{call.lineno}"
        for path in files
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "isinstance"
        if kinds & {name.id for name in ast.walk(call.args[1]) if isinstance(name, ast.Name)}
    ]
    assert asked == []
