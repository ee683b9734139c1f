"""Every law on every algorithm, by name; and on the nonlinear problems and batches that the small examples
leave out.
"""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.algorithms import example, names
from dpverify.algorithms.dp_gd import dp_gd
from dpverify.algorithms.dp_nag import dp_nag
from dpverify.algorithms.private_gd import private_gd
from dpverify.algorithms.private_gd_momentum import private_gd_momentum
from dpverify.engine import Algorithm
from dpverify.neighbours import REPLACE
from dpverify.problems import logistic, network, wavy
from dpverify.properties import LAWS, NotApplicable, hold
from dpverify.releases import Gaussian
from dpverify.schedules import Schedule

# What must apply somewhere: a law that never says anything would pass unseen.
ALWAYS = {
    "one_record_moves_the_query_by_at_most_its_sensitivity",
    "the_noise_depends_on_no_record",
    "data_that_are_not_finite_are_refused",
    "the_ledger_stays_within_the_budget",
    "update_sees_no_data",
    "the_noise_has_its_declared_law",
    "the_noise_is_independent",
    "the_same_seed_gives_the_same_transcripts",
    "other_seeds_and_other_runs_differ",
    "its_functions_are_pure",
}


@pytest.mark.parametrize("name", names())
def test_every_law_holds_or_says_why_it_does_not_apply(name):
    found = hold(name)
    assert set(found) == set(LAWS)
    assert {law for law in ALWAYS if found[law] != "holds"} == set()


SETTINGS = [
    ("dp-gd", {"batch": 50}),
    ("dp-shb", {"batch": 50}),
    ("dp-nag", {"batch": 50}),
    ("dp-nag-opt", {"batch": 50}),
    ("dp-masg", {"batch": 50}),
    ("dp-masg-opt", {"batch": 50}),
    ("sensitivity-reduced-nsgd", {"reshuffle": False, "steps": 70}),
    ("diff2-gd", {"restart": 1}),
    ("diff2-bvr-l-sgd", {"as_printed": True, "clients": 2, "batch": 5}),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_laws_hold_in_other_settings(name, settings):
    case = example(name, **settings)
    for law in (
        "one_record_moves_the_query_by_at_most_its_sensitivity",
        "the_ledger_stays_within_the_budget",
        "update_sees_no_data",
    ):
        LAWS[law](case)
    for law in (
        "without_noise_it_is_the_plain_method",
        "two_forms_of_it_agree",
        "exact_moments_agree_with_monte_carlo",
    ):
        try:
            LAWS[law](case)
        except NotApplicable:
            assert (
                name in ("sensitivity-reduced-nsgd", "diff2-gd", "diff2-bvr-l-sgd")
                or law == "two_forms_of_it_agree"
            )


def nonlinear(kind: str):
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((6, 8)), np.where(rng.random(6) < 0.5, 1.0, -1.0)
    if kind == "logistic":
        return logistic(rows, count=6, ridge=0.1), (rows, labels)
    return (
        (wavy(rows, count=6), (rows, 3 * labels))
        if kind == "wavy"
        else (network(8, hidden=2, count=6), (rows, labels))
    )


@pytest.mark.parametrize("kind", ["logistic", "wavy", "network"])
@pytest.mark.parametrize(
    "build",
    [
        lambda p: private_gd(p, clip=0.5, variances=Schedule(4.0), steps=4, step_size=0.5),
        lambda p: private_gd_momentum(p, clip=0.5, variances=Schedule(4.0), steps=4, step_size=0.5, beta=0.9),
        lambda p: dp_gd(p, clip=0.5, scales=Schedule(1.0), steps=4, step_size=0.5, batch=3),
        lambda p: dp_nag(p, clip=0.5, scales=Schedule(1.0), steps=4, step_size=0.5, mu=0.1),
    ],
)
def test_sensitivity_holds_where_gradients_bend(kind, build):
    problem, data = nonlinear(kind)
    LAWS["one_record_moves_the_query_by_at_most_its_sensitivity"](build(problem), data)


def test_a_mechanism_of_somebody_else_is_checked_in_one_line():
    def clipped_sum(data, rng):
        rows = data / np.maximum(1.0, np.abs(data))
        return np.asarray([rows.sum() + rng.normal()])

    declared = Gaussian(1.0, {REPLACE: 2.0})
    found = hold(clipped_sum, np.ones((4, 1)), declared=declared)
    assert found["one_record_moves_the_query_by_at_most_its_sensitivity"] == "holds"
    assert found["the_same_seed_gives_the_same_transcripts"] == "holds"
    assert found["update_sees_no_data"].startswith("does not apply")
    with pytest.raises(AssertionError, match="sensitivity"):
        LAWS["one_record_moves_the_query_by_at_most_its_sensitivity"](
            lambda data, rng: np.asarray([data.sum() + rng.normal()]), np.ones((4, 1)), declared=declared
        )


def test_what_a_law_is_about_must_be_clear():
    with pytest.raises(ValueError, match="data=None"):
        LAWS["update_sees_no_data"](lambda data, rng: data)
    with pytest.raises(TypeError, match="mechanism"):
        hold(3, np.zeros((1, 1)))
    with pytest.raises(ValueError, match="family='nothing'"):
        hold("private-gd", family="nothing")
    assert isinstance(example("dp-gd").algorithm, Algorithm)


def test_the_momentum_of_algorithm_2_needs_one_order_for_all_epochs():
    """Lemma 17 as an identity: true for a fixed order of the records, false for fresh ones (and the law shows
    it).
    """
    fixed = example("sensitivity-reduced-nsgd", reshuffle=False)
    LAWS["without_noise_it_is_the_plain_method"](fixed)
    from dataclasses import replace

    fresh = replace(example("sensitivity-reduced-nsgd"), limit=fixed.limit)
    with pytest.raises(AssertionError, match="leaves normalised momentum at step 40"):
        LAWS["without_noise_it_is_the_plain_method"](fresh)
