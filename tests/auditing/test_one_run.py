"""One training with random canaries: valid when the claim is true, and it finds a training that memorises."""

import numpy as np
import pytest
from scipy.special import bdtrc, ndtri

from dpverify import ApproxDP, PureDP
from dpverify.auditing.one_run import (
    attack_figures,
    epsilon_from_guesses,
    mu_from_guesses,
    one_run,
    p_value,
    p_value_under,
    read_scores,
    score_audit,
    smallest_seen,
)
from dpverify.guarantees import GDP, TradeOff
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

CANARIES = np.eye(300)


def noisy_sum(scale):
    def train(data, rng):
        return data.sum(axis=0) + rng.laplace(scale=scale, size=data.shape[1])

    return train


def read(output, canary):
    return output @ canary


@pytest.mark.parametrize(("scale", "verdict"), [(0.2, REFUTED), (1.0, SUPPORTED)])
def test_one_run_of_a_laplace_sum(scale, verdict):
    assert one_run(noisy_sum(scale), np.zeros((1, 300)), CANARIES, read, PureDP(1.0)).verdict is verdict


def test_too_few_canaries_are_undecided():
    assert one_run(noisy_sum(1.0), np.zeros((1, 4)), np.eye(4), read, PureDP(3.0)).verdict is UNDECIDED
    with pytest.raises(ValueError, match="canaries"):
        one_run(noisy_sum(1.0), np.zeros((1, 4)), np.eye(4)[:1], read, PureDP(3.0))


def test_false_alarms_of_one_run_on_randomised_response():
    """The worst mechanism of 1-DP answers every coin truthfully with probability e/(1+e): the bound exceeds 1
    at most as often as alpha.
    """
    rng = np.random.default_rng(0)
    trials = 3000
    alpha = 0.05
    m = 200
    right = rng.binomial(m, np.e / (1 + np.e), trials)
    bounds = {int(v): epsilon_from_guesses(int(v), m, m, 0.0, alpha) for v in np.unique(right)}
    alarms = sum(bounds[int(v)] > 1 for v in right)
    print(f"\none run: {alarms} false alarms in {trials} at alpha = {alpha}")
    assert bdtrc(alarms - 1, trials, alpha) > 1e-6
    assert alarms > alpha * trials / 4


def test_delta_costs_power_and_never_gains_it():
    assert p_value(180, 200, 200, 1.0, 1e-3) > p_value(180, 200, 200, 1.0, 0.0)
    assert epsilon_from_guesses(180, 200, 200, 1e-3, 0.05) < epsilon_from_guesses(180, 200, 200, 0.0, 0.05)
    assert one_run(noisy_sum(0.2), np.zeros((1, 300)), CANARIES, read, ApproxDP(1.0, 1e-6)).verdict is REFUTED


def coins(shift, seed=0, m=1000):
    """Scores of canaries that were in by a fair coin: normal, and shifted for those that were."""
    rng = np.random.default_rng(seed)
    inside = rng.random(m) < 0.5
    scores = rng.normal(size=m) + shift * inside
    return scores[inside], scores[~inside]


@pytest.mark.parametrize("claim", [PureDP(0.5), ApproxDP(0.5, 1e-6), GDP(0.3)], ids=str)
def test_scores_from_elsewhere(claim):
    assert score_audit(*coins(3.0), claim).verdict is REFUTED
    assert score_audit(*coins(0.0), claim).verdict is SUPPORTED


def test_f_dp_is_judged_by_its_whole_profile():
    narrow = TradeOff(lambda x: max(0.0, 0.95 - x), "a line")
    assert score_audit(*coins(0.0), narrow).verdict is not REFUTED
    assert score_audit(*coins(3.0), GDP(0.5)).evidence.certificate["mu_lower_bound"] > 0.5


def test_false_alarms_of_scores_on_a_gaussian_mechanism():
    """Each canary's score is that of the Gaussian mechanism with mu = 1, which is 1-GDP with equality."""
    alarms = sum(
        score_audit(*coins(1.0, seed, 200), GDP(1.0), alpha=0.05).verdict is REFUTED for seed in range(60)
    )
    assert alarms <= 5  # at a rate of exactly 0.05, other seeds would give more in 8 % of cases


def test_equal_scores_tell_nothing():
    """Those that were in come first in the files: ties must not be broken by that."""
    alarms = [score_audit([0.0] * 500, [0.0] * 500, PureDP(0.1), seed=s).verdict for s in range(6)]
    assert REFUTED not in alarms


def test_coins_that_were_not_fair_are_said():
    result = score_audit(np.ones(900), np.zeros(100), PureDP(1.0))
    assert result.verdict is UNDECIDED
    assert "fair" in result.because


def test_the_figures_of_an_attack_against_counting():
    inside, outside = coins(1.0, m=200)
    scores = np.concatenate([inside, outside])
    figures = attack_figures(scores, np.arange(len(scores)) < len(inside))
    naive = np.mean([(a > b) + (a == b) / 2 for a in inside for b in outside])
    assert figures["auroc"] == pytest.approx(naive)
    allowed = int(0.1 * len(outside))
    threshold = sorted(outside, reverse=True)[allowed]
    assert figures["tpr_at_fpr_0.1"] == np.mean(inside > threshold)
    assert np.sum(outside > threshold) <= allowed


def test_bounds_never_exceed_what_any_point_of_the_curve_gives():
    assert p_value_under(GDP(1.0), 300, 400, 400) <= p_value(300, 400, 400, 2.0, GDP(1.0).delta_at(2.0))
    assert mu_from_guesses(300, 400, 400, 1e-3) > mu_from_guesses(260, 400, 400, 1e-3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("1\nx\n", "line 2"),
        ("a,b\n1,2\n", "column named score"),
        ("id,score\n", "a header alone"),
        ("1\nnan\n", "finite number on line 2"),
        ("1\n\ud800\n", "a text of scores in .*scores.csv"),
    ],
)
def test_files_that_hold_no_scores(tmp_path, text, says):
    (tmp_path / "scores.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ValueError, match=says):
        read_scores(tmp_path / "scores.csv")


def test_a_file_of_a_spreadsheet_begins_with_a_mark(tmp_path):
    (tmp_path / "scores.csv").write_text("score\n0.5\n", encoding="utf-8-sig")
    assert read_scores(tmp_path / "scores.csv") == [0.5]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([], [1.0]), "members with the score of at least one canary"),
        (([1.0], []), "others with the score of at least one canary"),
        ((["a"], [1.0]), "members to be a list of numbers"),
        ((None, [1.0]), "members to be one number a canary"),
        (([1.0], np.ones((3, 2))), r"others to be one number a canary, got an array of shape \(3, 2\)"),
    ],
)
def test_scores_that_are_none_are_named(arguments, says):
    with pytest.raises((TypeError, ValueError), match=says):
        score_audit(*arguments, PureDP(1.0))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"claim": 3.0}, "claim=3.0"),
        ({"alpha": 2}, "alpha=2 in"),
        ({"alpha": "a"}, "alpha='a'"),
        ({"seed": -1}, "seed=-1"),
        ({"canaries": np.eye(5)}, r"canaries of shape \(300,\), as records are"),
    ],
)
def test_what_is_asked_is_checked_before_the_training(changed, says):
    asked = {"canaries": CANARIES, "claim": PureDP(1.0), "score": read} | changed
    with pytest.raises((TypeError, ValueError), match=says):
        one_run(lambda data, rng: pytest.fail("trained"), np.zeros((1, 300)), **asked)


def test_scores_of_a_training_must_be_numbers():
    with pytest.raises(TypeError, match="got None of canary 0"):
        one_run(noisy_sum(1.0), np.zeros((1, 300)), CANARIES, lambda output, canary: None, PureDP(1.0))
    with pytest.raises(TypeError, match=r"called as \(data, rng\)"):
        one_run(lambda data: data, np.zeros((1, 300)), CANARIES, read, PureDP(1.0))


def answers(inside, right, rng):
    """Scores of randomised response: yes or no, and so often true."""
    return (inside == (rng.random(len(inside)) < right)).astype(float)


def shifted(inside, right, rng):
    """Scores of the Gaussian mechanism, of which so many guesses are right."""
    return rng.normal(size=len(inside)) + 2 * ndtri(right) * inside


@pytest.mark.parametrize("planted", [answers, shifted])
@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(1.0, 1e-6), GDP(0.4)], ids=str)
def test_what_could_have_been_shown_is_shown_in_80_of_100_cases(claim, planted):
    """Canaries that are guessed as often as the result says that it would see."""
    m = 600
    result = score_audit(*coins(0.0, m=m), claim)
    assert result.verdict is SUPPORTED and "with 80 % power" in result.evidence.ceiling
    least = result.evidence.certificate["power"][-1]
    assert least["guesses"] == m

    def found(seed):
        rng = np.random.default_rng(seed)
        inside = rng.random(m) < 0.5
        scores = planted(inside, least["seen"], rng)
        return score_audit(scores[inside], scores[~inside], claim).verdict is REFUTED

    assert sum(map(found, range(200))) >= 130  # 160 are expected, and fewer than 130 below 1e-6 of the time


def test_one_class_alone_has_nothing_to_compare():
    result = one_run(noisy_sum(1.0), np.zeros((1, 2)), np.eye(2), read, PureDP(1.0), seed=0)
    assert result.verdict is UNDECIDED


def test_scores_whose_sign_is_turned_support_nothing():
    rng = np.random.default_rng(0)
    members, others = rng.normal(2.0, 1.0, 200), rng.normal(0.0, 1.0, 200)
    assert score_audit(members, others, PureDP(1.0)).verdict is REFUTED
    exchanged = score_audit(others, members, PureDP(1.0))
    assert exchanged.verdict is UNDECIDED and "exchanged" in exchanged.because
    alike = score_audit(rng.normal(size=200), rng.normal(size=200), PureDP(1.0))
    assert alike.verdict is SUPPORTED


def test_the_same_scores_twice_are_refused():
    with pytest.raises(ValueError, match="the same 3 scores"):
        score_audit([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], PureDP(1.0))


@pytest.mark.parametrize(
    ("claim", "canaries"), [(GDP(0.5), 400), (ApproxDP(1.0, 1e-5), 101), (PureDP(0.5), 400)], ids=str
)
def test_guesses_of_all_canaries_refute_as_often_as_promised(claim, canaries):
    """Of canaries that each look as they are with the probability that is said, also where more than half
    look as if they were in.
    """
    rng = np.random.default_rng(0)
    k = canaries // 2
    least = smallest_seen(claim, 2 * k, canaries, 1e-3 / 3)
    included = rng.random((4000, canaries)) < 0.5
    look = included ^ (rng.random((4000, canaries)) > least)
    order = np.argsort(-(look + 0.5 * rng.random((4000, canaries))), axis=1)
    ordered = np.take_along_axis(included, order, axis=1)
    right = ordered[:, :k].sum(axis=1) + (~ordered[:, canaries - k :]).sum(axis=1)
    values, times = np.unique(right, return_counts=True)
    found = [p_value_under(claim, int(v), 2 * k, canaries) <= 1e-3 / 3 for v in values]
    assert 0.79 <= times @ np.array(found) / 4000 <= 0.88
