"""dynamic-noise: the verdicts come from the relations and the runs, not from the expectations."""

import numpy as np
import pytest
import sympy as sp

from dpverify.claims import find
from dpverify.effort import QUICK
from dpverify.formulas import dynamic_noise as schedules
from dpverify.proving import prove
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dynamic_noise import experiments, runs, secret_batches
from dpverify.theorems import Theorem
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED

CLAIMS = find(papers=["dynamic-noise"])


# The verdicts come from the relations: bend one, and its verdict changes.


def relation(id):
    return CLAIMS[f"dynamic-noise/{id}"].function()


@pytest.mark.parametrize("id", ["eq-24", "sketch-4.2-grad", "def-b.1"])
def test_a_bent_identity_is_refuted(id):
    stated = relation(id)
    assert prove(Equal(stated.derived, stated.stated + 1, stated.given)).verdict is REFUTED


@pytest.mark.parametrize("id", ["eq-25", "inv-b.3", "sec4.1.3-r-literal"])
def test_a_refuted_identity_is_not_refuted_against_itself(id):
    stated = relation(id)
    assert prove(Equal(stated.derived, stated.derived, stated.given)).verdict is PROVED


@pytest.mark.parametrize(
    "id", ["thm-3.1-replace", "thm-a.3", "lemma-b.4-ineq", "sec4.3-target", "appa-ter-eer"]
)
def test_a_refuted_case_is_not_refuted_with_room(id):
    case = relation(id)
    wider = AtMost(case.relation.lhs, 4 * case.relation.rhs, case.relation.given)
    assert prove(Instance(wider, case.let, case.meets)).verdict is SUPPORTED


@pytest.mark.parametrize(
    "id",
    [
        "thm-4.2-bound-lower",
        "thm-4.2-bound-corrected",
        "uniform-tangent",
        "eq-24-least",
        "sc-implies-pl",
        "lemma-b.4-corrected",
        "sec4.1.3-wang-saving",
        "tab1-gd-nonpriv",
        "ln-n",
        "proof-4.7-lines",
        "thm-a.1-stable",
        "eq-17-18-corrected",
        "appa-t-hat",
        "thm-4.6-join",
        "thm-4.6-tail",
    ],
)
def test_a_bound_with_half_its_constant_is_refuted(id):
    stated = relation(id)
    bound = stated.shows if isinstance(stated, Theorem) else stated
    assert prove(AtMost(2 * bound.lhs, bound.rhs, stated.given)).verdict is REFUTED


def test_the_whole_minimisers_are_those_of_a_scan():
    for kappa in (1.5, 4.0, 30.0):
        for alpha in (1e-1, 1e-2, 1e-4):
            gamma = 1 - 1 / kappa
            l, a = -np.log(gamma), alpha * kappa
            c = 1 + l / a
            lambert = (
                float(sp.N((c - sp.LambertW(sp.exp(c))) / l)) if c < 600 else (np.log(c - np.log(c))) / l
            )
            best = schedules.exact_steps(lambda T, g=gamma, b=alpha: schedules.uniform_erub(g, b, T), 2000)
            assert best in (int(np.floor(lambert)), int(np.ceil(lambert)))
            star = schedules.eq_26(gamma, alpha)
            best = schedules.exact_steps(lambda T, g=gamma, b=alpha: schedules.dynamic_erub(g, b, T), 2000)
            assert best in (int(np.floor(star)), int(np.ceil(star)))


def test_sampled_divergence_is_that_of_the_binomial_formula():
    p = 0.3
    s = 1.5
    a = 4
    from math import comb, exp, log

    expected = log(
        sum(comb(a, k) * (1 - p) ** (a - k) * p**k * exp(k * (k - 1) / (2 * s**2)) for k in range(a + 1))
    ) / (a - 1)
    divergence = secret_batches.sampled_divergence(
        a, {0: sp.Rational(7, 10), 1: sp.Rational(3, 10)}, sp.Rational(3, 2)
    )
    assert float(divergence) == pytest.approx(expected, rel=1e-12)


# The runs of appendix D.


@pytest.mark.parametrize(("wins", "verdict"), [(100, SUPPORTED), (50, UNDECIDED), (0, REFUTED)])
def test_sign_test_can_end_either_way(wins, verdict):
    assert experiments.sign_test(np.arange(100) < wins, "it wins", QUICK).verdict is verdict


def test_influence_by_retraining_is_the_hessian_one_without_clipping():
    features, labels = runs.blobs(50, 3)
    job = runs.task(features, labels, "squares", 0.5)  # no gradient is longer than the clip
    slopes = runs.retrained(job, 5, [1, 5], 4000, 0, grid=(50.0, 100.0), base=1.0).mean(axis=1)
    exact = runs.hessian_influence(
        runs.curvatures(job), steps=5, step_size=runs.STEP, clip=runs.CLIP, count=50
    ).values(5)
    # influence is E of a quadratic of Gaussians: relative standard error below 2 percent at 4000 runs; false
    # alarm below 1e-6 at 15 percent
    assert slopes == pytest.approx(exact[[0, 4]], rel=0.15)


def test_schedules_of_appendix_d_spend_the_budget():
    for schedule in runs.schedules(np.exp(-0.1 * np.arange(30)), 20).values():
        assert (1 / schedule.values(20)).sum() == pytest.approx(schedules.PRINTED_R)


def test_the_same_seed_gives_the_same_losses():
    job = runs.task(*runs.blobs(30, 4), "logistic", 10.0)
    uniform = runs.schedules(np.ones(5), 5)["uni"]
    assert np.array_equal(
        runs.final_losses(job, uniform, 5, 10, 3), runs.final_losses(job, uniform, 5, 10, 3)
    )
    assert not np.array_equal(
        runs.final_losses(job, uniform, 5, 10, 3), runs.final_losses(job, uniform, 5, 10, 4)
    )
