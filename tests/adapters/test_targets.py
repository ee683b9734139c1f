"""The laws that targets are put through: a correct optimizer passes all, and each law catches the bug that is
planted for it.
"""

import json

import numpy as np
import pytest

from dpverify.adapters import NotInstalled, Subject, Target, halved, profile_of, select, targets
from dpverify.adapters.gradients import gradients_agree
from dpverify.adapters.suite import LAWS, examine
from dpverify.auditing import Budget, audit
from dpverify.guarantees import GDP, ApproxDP, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.releases import Gaussian
from dpverify.reporting.document import ReportError
from dpverify.reporting.targets import findings, keep, read, write_page
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
            gradients=lambda: {"linear": (wrong if bug == "gradients" else right, right)},
            runs=4000,
        )

    return Target(f"mine:{bug or 'right'}", "a noisy sum", "mu-GDP, add/remove", build)


def test_a_correct_optimizer_passes_every_law_and_half_its_claim_falls():
    examination = examine(noisy_sum())
    assert examination.surprises == []
    assert set(examination.results) == set(LAWS)
    assert examination.results["half"].verdict is REFUTED
    assert all(result.verdict is SUPPORTED for law, result in examination.results.items() if law != "half")


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
    ],
)
def test_each_law_catches_its_planted_bug(bug, law):
    result = LAWS[law](noisy_sum(bug), 0)
    assert result.verdict is REFUTED, result
    assert result.witness is not None


def test_a_missing_clip_is_shown_on_one_record():
    result = LAWS["sensitivity"](noisy_sum("clip"), 0)
    assert len(result.witness.exact["data"]) + len(result.witness.exact["other"]) <= 3


def test_what_cannot_be_seen_does_not_apply():
    def build() -> Subject:
        return Subject(
            lambda data, rng: data.sum() + rng.laplace(),
            PureDP(1.0),
            Neighbours.replace(np.zeros((2, 1)), 0, [1.0]),
            "the author",
        )

    target = Target("mine:opaque", "a sum", "1-DP, replace", build)
    assert all(isinstance(LAWS[law](target, 0), str) for law in ("gradients", "sensitivity", "noise", "step"))
    assert LAWS["empty"](target, 0).verdict is SUPPORTED
    assert LAWS["half"](target, 0).verdict is REFUTED


def test_a_target_that_refuses_says_so():
    def build() -> Subject:
        def mean(data, rng):
            if not np.isfinite(data).all() or not len(data):
                raise ValueError("Expected numbers.")
            return np.clip(data, -1, 1).mean() + rng.normal()

        return Subject(mean, GDP(2.0), Neighbours.replace(np.zeros((2, 1)), 0, [1.0]), "the author")

    target = Target("mine:strict", "a mean", "2-GDP, replace", build)
    assert LAWS["nan"](target, 0).verdict is SUPPORTED and "Refused" in LAWS["nan"](target, 0).because
    assert LAWS["empty"](target, 0).verdict is UNDECIDED and "no record" in LAWS["empty"](target, 0).because


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


def test_the_page_is_drawn_from_what_is_kept(tmp_path):
    for bug in ("", "clip", "<script>"):
        keep(examine(noisy_sum(bug)), tmp_path)
    page = write_page(tmp_path)
    text = page.read_text()
    records = read(tmp_path)
    assert [record["target"] for record in records] == ["mine:<script>", "mine:clip", "mine:right"]
    assert [
        (record["target"], {"sensitivity", "training"} <= set(laws)) for record, laws in findings(records)
    ] == [("mine:clip", True)]
    assert "<script>" not in text and "mine:clip" in text and "dpverify targets" in text
    assert "| mine:right |" in (tmp_path / "README.md").read_text()
    (tmp_path / "odd.json").write_text(json.dumps({"schema": "other"}))
    with pytest.raises(ReportError, match=r"odd\.json"):
        write_page(tmp_path)
