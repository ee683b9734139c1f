"""Targets through the laws: a correct optimizer passes all, and each law catches the bug that is planted for
it.
"""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dpverify.adapters import NotInstalled, Target, halved, profile_of, select, targets
from dpverify.adapters.gradients import gradients_agree
from dpverify.auditing import Budget, audit
from dpverify.auditing.replay import replay
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.properties import LAWS
from dpverify.properties.examination import examine
from dpverify.properties.sensitivity import turning
from dpverify.releases import Gaussian
from dpverify.reporting.document import ReportError
from dpverify.reporting.targets import changes, keep, read, refuted, unexplained, write_page
from dpverify.subjects import NotApplicable, Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

PAIR = Neighbours.remove(np.array([[3.0, 4.0], [0.0, 0.5]]), 0)


def noisy_sum(bug: str = ""):
    """DP-SGD on the linear loss, in NumPy, with one of the bugs below or none."""

    def build(steps: int = 2, noise: float = 1.0, clip: float = 1.0) -> Subject:
        declared = Gaussian(noise * clip, {ADD_REMOVE: clip, ZERO_OUT: clip, REPLACE: 2 * clip})

        def train(data, rng, runs, tape):
            data = np.asarray(data, dtype=float).reshape(-1, 2)
            clean = data if bug == "nan" else data[np.isfinite(data).all(axis=1)]
            size = np.abs(clean).max(
                axis=1, keepdims=True, initial=1e-300
            )  # squares of the rest do not overflow
            norms = size * np.linalg.norm(clean / size, axis=1, keepdims=True)
            if bug == "huge":
                with np.errstate(over="ignore"):
                    norms = np.where(np.isinf((clean**2).sum(axis=1, keepdims=True)), 0.0, norms)
            clipped = clean / np.maximum(1.0, norms / clip)
            query = (clean if bug == "clip" else clipped).sum(axis=0)
            if bug in ("fixed", "own"):
                rng = np.random.default_rng(0 if bug == "fixed" else None)
            out, kept = [], rng.standard_normal((runs, 2))
            for _ in range(steps):
                fresh = kept if bug == "same noise" else rng.standard_normal((runs, 2))
                scale = noise * clip * (0.5 if bug == "noise" else 1.0)
                if len(data) == 0 and bug == "empty":
                    scale = 0.0
                if len(data) == 1 and bug == "single":
                    scale /= 3
                out.append(tape.record(np.broadcast_to(query, (runs, 2)), query + scale * fresh, declared))
            return np.concatenate(out, axis=1)

        claim = GDP(np.sqrt(steps) / noise * (0.5 if bug == "claim" else 1.0))
        right = {"weight": np.array([[1.0, 2.0], [3.0, 4.0]])}
        wrong = {"weight": right["weight"] * [[1.0], [2.0]]}
        return Subject(
            train,
            claim,
            PAIR,
            "the author",
            gradients=lambda: {"linear": gradients_agree(wrong if bug == "gradients" else right, right)},
            runs=4000,
            any_number=True,
        )

    return Target(f"mine:{bug or 'right'}", "a noisy sum", "mu-GDP, add/remove", build)


def test_a_correct_optimizer_passes_every_law_and_half_its_claim_falls():
    examination = examine(noisy_sum())
    assert examination.surprises == []
    outcomes = dict(examination.outcomes)
    assert {"gradients", "sensitivity", "noise", "huge", "budget", "step", "training"} <= set(outcomes)
    assert outcomes.pop("half").verdict is REFUTED
    assert {law: outcome for law, outcome in outcomes.items() if outcome.verdict is not SUPPORTED} == {}


@pytest.mark.parametrize(
    ("bug", "law"),
    [
        ("gradients", "gradients"),
        ("clip", "sensitivity"),
        ("noise", "noise"),
        ("same noise", "noise"),
        ("empty", "empty"),
        ("single", "single"),
        ("huge", "huge"),
        ("nan", "nan"),
        ("claim", "step"),
        ("claim", "training"),
        ("noise", "training"),
        ("claim", "budget"),
        ("fixed", "fresh"),
        ("own", "seeds"),
    ],
)
def test_each_law_catches_its_planted_bug(bug, law):
    result = LAWS[law](noisy_sum(bug)())
    assert result.verdict is REFUTED, result
    assert result.witness is not None


def test_a_missing_clip_is_shown_on_one_record():
    result = LAWS["sensitivity"](noisy_sum("clip")())
    assert len(result.witness.exact["data"]) + len(result.witness.exact["other"]) <= 3


@pytest.mark.parametrize("any_number", [True, False])
@pytest.mark.parametrize("relation", [ADD_REMOVE, ZERO_OUT])
@pytest.mark.parametrize(("clips", "verdict"), [("the sum", REFUTED), ("each record", SUPPORTED)])
def test_a_clip_of_the_sum_is_seen_where_a_record_turns_it_round(clips, verdict, relation, any_number):
    declared = Gaussian(1.0, {relation: 1.0})

    def clipped(rows):
        return rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))

    def noisy(data, rng, tape):
        rows = np.asarray(data, dtype=float)
        query = (
            clipped(rows.sum(axis=0, keepdims=True))[0] if clips == "the sum" else clipped(rows).sum(axis=0)
        )
        return tape.record(query, query + rng.standard_normal(2), declared)

    subject = Subject(noisy, GDP(1.0), PAIR, any_number=any_number)
    pairs = turning(subject, [relation])
    assert {pair.adjacency for pair in pairs} == {relation}
    found = [replay(noisy, pair, seed=0, executions=1).verdict for pair in pairs]
    assert (REFUTED in found) == (verdict is REFUTED)
    assert LAWS["sensitivity"](subject).verdict is verdict


def opaque(bug: str = "") -> Subject:
    """A sum of numbers clipped at 1, of which only the output is seen."""

    def noisy(data, rng, runs):
        rows = np.asarray(data, dtype=float)
        return (rows if bug else np.clip(rows, -1, 1)).sum() + rng.laplace(scale=2.0, size=(runs, 1))

    pair = Neighbours.replace(-np.ones((2, 1)), 0, [1.0])
    return Subject(noisy, PureDP(1.0), pair, "the author", runs=2000, any_number=True)


def test_what_cannot_be_seen_does_not_apply():
    for law in ("gradients", "sensitivity", "noise", "step", "budget"):
        assert isinstance(LAWS[law](opaque()), NotApplicable)
    assert LAWS["empty"](opaque()).verdict is SUPPORTED
    assert LAWS["half"](opaque()).verdict is REFUTED


def test_a_huge_record_moves_no_output_further_than_claimed_even_if_only_that_is_seen():
    assert LAWS["huge"](opaque()).verdict is SUPPORTED
    assert LAWS["training"](opaque("not clipped")).verdict is SUPPORTED
    assert LAWS["huge"](opaque("not clipped")).verdict is REFUTED


def test_a_target_that_refuses_says_so():
    def mean(data, rng):
        if not np.isfinite(data).all() or not len(data):
            raise ValueError("Expected numbers.")
        return np.clip(data, -1, 1).mean() + rng.normal()

    subject = Subject(mean, GDP(2.0), Neighbours.replace(np.zeros((2, 1)), 0, [1.0]), "the author")
    assert LAWS["nan"](subject).verdict is SUPPORTED and "Refused" in LAWS["nan"](subject).because
    assert LAWS["empty"](subject).verdict is UNDECIDED and "no record" in LAWS["empty"](subject).because


def test_a_constant_on_one_record_is_held_against_nobody_whose_claim_is_for_more():
    def lonely(data, rng):
        return 0.0 if len(data) < 2 else np.clip(data, -1, 1).mean() + rng.normal()

    subject = Subject(lonely, GDP(2.0), Neighbours.replace(np.ones((2, 1)), 0, [-1.0]))
    assert LAWS["single"](subject).verdict is UNDECIDED


def test_gradients_name_the_parameter_the_record_and_the_gap():
    reference = {"a": np.ones((2, 3)), "b": np.ones((2, 2, 2))}
    wrong = {"a": reference["a"], "b": reference["b"] * np.array([1.0, 1.5])[:, None, None]}
    result = gradients_agree(wrong, reference, model="net")
    assert result.witness.exact["parameter"] == "b" and result.witness.exact["record"] == 1
    assert result.witness.exact["gap"] == pytest.approx(1.0)
    assert gradients_agree({"a": np.ones((2, 4)), "b": reference["b"]}, reference).verdict is REFUTED
    assert gradients_agree({"a": np.full((2, 3), np.nan), "b": reference["b"]}, reference).verdict is REFUTED
    with pytest.raises(ValueError, match="same parameters"):
        gradients_agree({"a": reference["a"]}, reference)


def test_settings_are_checked_by_name():
    with pytest.raises(ValueError, match="speed=3 among the settings of mine:right: steps, noise, clip"):
        noisy_sum()(speed=3)
    missing = Target(
        "mine:gone", "", "", noisy_sum().build, packages=("no-such-distribution",), install="pip install it"
    )
    assert not missing.installed
    with pytest.raises(NotInstalled, match="mine:gone needs no-such-distribution: pip install it"):
        missing()


def test_every_target_says_what_it_claims_and_how_to_install_it():
    for target in targets():
        assert target.about and target.claims, target.name
        assert target.notes and target.notes != partial.__doc__, target.name
        assert target.install or not target.packages, target.name
        assert ":" in target.name
    with pytest.raises(KeyError, match="no-such-target"):
        select("no-such-target")


def test_half_of_a_claim():
    assert halved(GDP(1.0)).delta_at(0.5) == GDP(1.0).delta_at(1.0)
    assert halved(ApproxDP(2.0, 1e-5)) == ApproxDP(1.0, 1e-5)
    assert halved(PureDP(1.0)) == PureDP(0.5)


def test_the_profile_of_an_accountant_that_answers_epsilon_is_never_below_it():
    from dpverify.accounting import epsilon

    profile = profile_of(lambda delta: epsilon(GDP(1.0), delta), "exact")
    for eps in (0.01, 0.5, 1.0, 3.0):
        assert GDP(1.0).delta_at(eps) <= profile.delta_at(eps) <= GDP(1.0).delta_at(eps) * (1 + 1e-6)


def test_a_subject_is_named_by_target_and_settings():
    subject = noisy_sum("noise")(steps=3)
    result = audit(subject.mechanism, subject.neighbours, subject.claim, budget=Budget(runs=2000))
    assert "mine:noise(steps=3, noise=1.0, clip=1.0)" in str(result.witness)


SCRIPT = """'A title of <one> finding.

library: mine 1.0
met by: training
severity: corner case
claim: the readme
shown: charged 1, moved 5
cause: no clip
remedy: clip
upstream: not found
targets: mine:clip
'
""".replace("'", '"""')


def test_the_page_is_drawn_from_what_is_kept(tmp_path):
    right = examine(noisy_sum())
    for examination in (right, replace(right, target=noisy_sum("<odd>")), examine(noisy_sum("clip"))):
        keep(examination, tmp_path)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "finding.py").write_text(SCRIPT)
    text = write_page(tmp_path).read_text()
    records = read(tmp_path)
    assert [record["target"] for record in records] == ["mine:<odd>", "mine:clip", "mine:right"]
    assert [{"sensitivity", "training"} <= set(refuted(record)) for record in records] == [False, True, False]
    assert "<odd>" not in text and "<one>" not in text and "mine:clip" in text
    page = (tmp_path / "README.md").read_text()
    assert "| **mine 1.0**: [A title of &lt;one&gt; finding](pages/finding.md) |" in page
    assert "| mine:right | a noisy sum | restated here | half the claim is refuted |" in page
    assert unexplained(records, []) == [records[1]]
    assert changes(records, records) == []
    (tmp_path / "scripts" / "finding.py").write_text(SCRIPT.replace("mine:clip", "mine:clip\nmended: 1.1"))
    write_page(tmp_path)
    page = (tmp_path / "README.md").read_text()
    assert "## Mended" in page and "## What breaks privacy" not in page
    assert "Mended in 1.1." in (tmp_path / "pages" / "finding.md").read_text()
    (tmp_path / "scripts" / "finding.py").write_text(SCRIPT.replace("corner case", "odd"))
    with pytest.raises(ReportError, match=r"severity='odd' in .*finding\.py"):
        write_page(tmp_path)
    (tmp_path / "results" / "odd.json").write_text(json.dumps({"schema": "other"}))
    with pytest.raises(ReportError, match=r"odd\.json"):
        read(tmp_path)


def test_a_claim_for_values_within_a_sensitivity_says_nothing_of_huge_ones():
    bare = replace(opaque("not clipped"), any_record=False)
    assert isinstance(LAWS["huge"](bare), NotApplicable)
