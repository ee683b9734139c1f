"""Every law on every algorithm, by name; and on the nonlinear problems and batches that the small examples
leave out.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

from dpverify.algorithms import example, names
from dpverify.algorithms.dp_gd import dp_gd
from dpverify.algorithms.dp_nag import dp_nag
from dpverify.algorithms.private_gd import private_gd
from dpverify.algorithms.private_gd_momentum import private_gd_momentum
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.parts.cases import logistic_case
from dpverify.problems import logistic, network, wavy
from dpverify.properties import LAWS, NotApplicable, Subject, check, hold
from dpverify.properties.laws import violation
from dpverify.releases import Gaussian
from dpverify.schedules import Schedule
from dpverify.verdicts import REFUTED, SUPPORTED

# What must apply somewhere: a law that never says anything would pass unseen.
ALWAYS = {
    "sensitivity",
    "huge",
    "scale",
    "nan",
    "budget",
    "postprocessing",
    "noise",
    "seeds",
    "fresh",
    "pure",
}


QUICK = [law for name, law in LAWS.items() if law.family != "audits"]


def verdict(outcome):
    return None if isinstance(outcome, NotApplicable) else outcome.verdict


# Epochs of six records instead of twenty: a law looks at every step, and none is unlike those of two epochs.
SHORT = {name: {"case": logistic_case(6), "steps": 24} for name in ("dp-nsgd", "sensitivity-reduced-nsgd")}
SHORT["diff2-bvr-l-sgd"] = {"rounds": 3}


@pytest.mark.parametrize("name", names())
def test_every_law_holds_or_says_why_it_does_not_apply(name):
    case = example(name, **SHORT[name]) if name in SHORT else name
    outcomes = {law.name: law(case) for law in QUICK}
    assert {law for law in ALWAYS if verdict(outcomes[law]) is not SUPPORTED} == set()
    refuted = {law: outcome for law, outcome in outcomes.items() if verdict(outcome) is REFUTED}
    assert refuted == {}
    assert all(outcome.because for outcome in outcomes.values())


@pytest.mark.parametrize("name", ["private-gd", "dp-gd", "clipped-mean"])
def test_audits_of_our_algorithms_keep_their_claims(name):
    outcomes = check(name, family="audits")
    assert verdict(outcomes["training"]) is SUPPORTED
    assert outcomes["step"] == NotApplicable("it needs a number of steps that can be chosen")


SETTINGS = [
    ("dp-gd", {"batch": 50}),
    ("dp-shb", {"batch": 50}),
    ("dp-nag", {"batch": 50}),
    ("dp-nag-opt", {"batch": 50}),
    ("dp-masg", {"batch": 50}),
    ("dp-masg-opt", {"batch": 50}),
    ("sensitivity-reduced-nsgd", {"reshuffle": False, "case": logistic_case(6), "steps": 21}),
    ("diff2-gd", {"restart": 1}),
    ("diff2-bvr-l-sgd", {"as_printed": True, "clients": 2, "batch": 5}),
]


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
def test_laws_hold_in_other_settings(name, settings):
    case = example(name, **settings)
    for law in ("sensitivity", "budget", "postprocessing"):
        assert verdict(LAWS[law](case)) is SUPPORTED
    for law in ("noiseless", "forms", "moments"):
        outcome = LAWS[law](case)
        if isinstance(outcome, NotApplicable):
            bent = name in ("sensitivity-reduced-nsgd", "diff2-gd", "diff2-bvr-l-sgd")
            assert bent or law == "forms"
        else:
            assert outcome.verdict is SUPPORTED


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
    assert LAWS["sensitivity"](build(problem), data).verdict is SUPPORTED


def clipped_sum(data, rng):
    rows = np.asarray(data) / np.maximum(1.0, np.abs(data))
    return np.asarray([rows.sum() + rng.normal()])


def plain_sum(data, rng):
    return np.asarray([np.sum(data) + rng.normal()])


DECLARED = Gaussian(1.0, {REPLACE: 2.0})


def test_a_mechanism_of_somebody_else_is_checked_in_one_line():
    outcomes = hold(clipped_sum, np.ones((4, 1)), declared=DECLARED)
    for law in ("sensitivity", "seeds", "fresh", "huge", "noise"):
        assert verdict(outcomes[law]) is SUPPORTED, law
    assert outcomes["postprocessing"] == LAWS["postprocessing"](clipped_sum, np.ones((4, 1)))
    assert isinstance(outcomes["postprocessing"], NotApplicable)
    with pytest.raises(AssertionError, match="sensitivity: REFUTED"):
        hold(plain_sum, np.ones((4, 1)), declared=DECLARED)


def test_with_neighbours_and_a_claim_it_is_audited():
    pair = Neighbours.replace(np.zeros((4, 1)), 0, [1.0])
    outcomes = check(clipped_sum, neighbours=pair, claim=GDP(2.0), declared=DECLARED, runs=2000)
    assert verdict(outcomes["training"]) is verdict(outcomes["budget"]) is SUPPORTED
    small = check(plain_sum, neighbours=pair, claim=GDP(0.2), declared=DECLARED, runs=2000)
    assert verdict(small["training"]) is verdict(small["budget"]) is REFUTED


def test_a_smaller_witness_stays_where_the_claim_is():
    """The rate is one over the number of records: with fewer of them the claim would be another."""

    def sampled(data, rng, runs):
        rows = np.asarray(data)[rng.integers(len(data), size=runs), 0]
        return (rows + rng.normal(size=runs))[:, None]

    pair = Neighbours.zero_out(np.array([[9.0], *[[0.0]] * 4]), 0)
    claimed = Subject(sampled, GDP(0.02), pair, runs=4000)
    result = LAWS["training"](claimed)
    assert result.verdict is REFUTED
    assert len(result.witness.exact["data"]) == 5
    free = LAWS["training"](replace(claimed, any_number=True))
    assert len(free.witness.exact["data"]) < 5


def test_what_a_law_is_about_must_be_clear():
    with pytest.raises(ValueError, match="data=None"):
        LAWS["postprocessing"](lambda data, rng: data)
    with pytest.raises(TypeError, match="mechanism"):
        hold(3, np.zeros((1, 1)))
    with pytest.raises(ValueError, match="family='nothing'"):
        hold("private-gd", family="nothing")


def test_a_law_says_what_it_needs_in_one_sentence():
    for law in LAWS.values():
        assert law.needs and law.statement.endswith("."), law.name


def test_the_momentum_of_algorithm_2_needs_one_order_for_all_epochs():
    """Lemma 17 as an identity: true for a fixed order of the records, false for fresh ones (and the law shows
    it).
    """
    fixed = example("sensitivity-reduced-nsgd", reshuffle=False)
    assert LAWS["noiseless"](fixed).verdict is SUPPORTED
    shuffled = example("sensitivity-reduced-nsgd", reshuffle=True)
    fresh = LAWS["noiseless"](replace(shuffled, limit=fixed.limit))
    assert fresh.verdict is REFUTED and "leaves normalised momentum at step 40" in fresh.because


@pytest.mark.parametrize("planted", [False, True], ids=["as it is", "drawn as Hypothesis would"])
def test_cases_do_not_depend_on_what_is_loaded(planted, tmp_path, monkeypatch):
    """A process of a cluster has loaded other modules than this one, and tries the same cases."""
    if planted:
        monkeypatch.setattr("dpverify.strategies.drawn_alike", nullcontext)
    (tmp_path / "many_constants.py").write_text(f"A = {[k / 100 + 1e-9 for k in range(100)]}\n")
    seen = []
    for _ in range(2):
        seen.append([])
        violation(lambda x: seen[-1].append(x), examples=100, x=st.floats(0, 1))
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.import_module("many_constants")
    del sys.modules["many_constants"]
    assert (seen[0] == seen[1]) is not planted
