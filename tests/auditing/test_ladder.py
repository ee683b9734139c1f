"""Each rung catches its planted bug, the correct twin passes, and misuse is reported as what it is."""

import functools
import json
import threading

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing import Tape
from dpverify.guarantees import GDP, RDP, ZCDP, ApproxDP, Profile, PureDP, TradeOff
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED
from dpverify.witnesses import verify_witness

PAIR = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
SMALL = Budget(runs=4000, alpha=1e-3, seed=3)


def gaussian(data, rng, runs):
    return data.sum() + rng.normal(size=(runs, 1))


def step(result, rung):
    return next(s.result for s in result.steps if s.statement.startswith(rung))


@pytest.mark.parametrize(
    "claim",
    [
        PureDP(0.05),
        ApproxDP(0.05, 1e-5),
        GDP(0.3),
        RDP(2.0, 0.02),
        ZCDP(0.02),
        Profile(GDP(0.3).delta_at),
        TradeOff(lambda x: 0.98 * (1 - x)),
    ],
    ids=str,
)
def test_every_form_of_claim_can_be_refuted(claim):
    result = audit(gaussian, PAIR, claim, budget=SMALL)
    assert result.verdict is REFUTED
    assert verify_witness(json.loads(json.dumps(result.witness.exact)))


@pytest.mark.parametrize(
    "claim",
    [PureDP(5.0), ApproxDP(4.0, 0.01), GDP(1.0), RDP(2.0, 1.0), ZCDP(0.5), Profile(GDP(1.0).delta_at)],
    ids=str,
)
def test_a_true_claim_is_supported_and_says_its_ceiling(claim):
    result = audit(gaussian, PAIR, claim, budget=SMALL)
    assert result.verdict is SUPPORTED
    assert result.evidence.ceiling
    assert 0.98e-3 <= result.evidence.alpha <= 1e-3  # a batched mechanism keeps a hundredth in reserve


def test_a_budget_that_cannot_refute_is_undecided():
    result = audit(gaussian, PAIR, PureDP(12.0), budget=SMALL)
    assert result.verdict is UNDECIDED
    assert "could not have refuted" in result.because and "runs could have." in result.because


def test_a_tampered_witness_does_not_verify():
    exact = json.loads(json.dumps(audit(gaussian, PAIR, GDP(0.3), budget=SMALL).witness.exact))
    exact["bets"][0][-1]["log_a"] = [v + 1 for v in exact["bets"][0][-1]["log_a"]]
    assert not verify_witness(exact)


def clipped_sum(data, rng, tape, clip=1.0, noise=1.0, leak=0.0):
    declared = Gaussian(scale=2.0, sensitivity={REPLACE: 2.0, ADD_REMOVE: 1.0})
    total = np.clip(data, -clip, clip).sum(axis=0)
    released = tape.record(total, total + noise * rng.normal(scale=2.0, size=total.shape), declared)
    return released + leak * data.mean()


FAR = Neighbours.replace(np.full((6, 2), 0.25), 1, [9.0, -7.0])


def test_replay_finds_a_forgotten_clip_in_two_executions_and_shrinks_it():
    bad = functools.partial(clipped_sum, clip=1e9)
    result = audit(bad, FAR, GDP(1.0), budget=Budget(runs=200), rungs=["replay"], public=())
    assert result.verdict is REFUTED
    assert "declared replace sensitivity" in result.because
    assert np.size(result.witness.exact["data"]) == 1
    good = functools.partial(clipped_sum, clip=0.5)
    assert audit(good, FAR, GDP(1.0), budget=Budget(runs=200), rungs=["replay"]).verdict is SUPPORTED


def test_replay_finds_what_the_output_knows_beyond_its_releases():
    result = audit(
        functools.partial(clipped_sum, clip=0.5, leak=1e-3),
        FAR,
        GDP(1.0),
        budget=Budget(runs=200),
        rungs=["replay"],
    )
    assert result.verdict is REFUTED
    assert "beyond its declared releases" in result.because


def test_replay_finds_noise_that_depends_on_the_data():
    def adaptive(data, rng, tape):
        declared = Gaussian(scale=float(np.abs(data).max()), sensitivity={REPLACE: 1e9})
        return tape.record(data.sum(), data.sum() + rng.normal(scale=declared.scale), declared)

    result = audit(adaptive, FAR, GDP(1.0), budget=Budget(runs=200), rungs=["replay"])
    assert result.verdict is REFUTED
    assert "depends on the data" in result.because


def test_replay_does_not_accuse_poisson_batches_that_differ():
    declared = Subsampled(Gaussian(1.0, {ADD_REMOVE: 1.0}), size=5, of=10, how="poisson")

    def sampled(data, rng, tape):
        out = 0.0
        for _ in range(3):
            total = float(data[rng.random(len(data)) < 0.5].sum())
            out = tape.record(total, total + rng.normal(), declared)
        return out

    pair = Neighbours.remove(np.ones((10, 1)), 2)
    assert audit(sampled, pair, GDP(9.0), budget=Budget(runs=500), rungs=["replay"]).verdict is not REFUTED


def test_replay_says_when_the_rng_is_ignored():
    own = np.random.default_rng(0)
    result = audit(lambda data, rng: data.sum() + own.normal(), PAIR, GDP(1.0), budget=Budget(runs=200))
    assert "does not take its randomness from rng" in step(result, "replay").because


@pytest.mark.parametrize("factor", [1 / 1.1, 0.5])
def test_noise_that_is_too_small_falls_to_the_noise_rung(factor):
    bad = functools.partial(clipped_sum, noise=factor)
    result = audit(bad, FAR, GDP(1.0), budget=Budget(runs=20_000), rungs=["noise"])
    assert result.verdict is REFUTED
    assert result.evidence.samples <= 8000


def test_noise_that_is_too_large_is_safe():
    result = audit(
        functools.partial(clipped_sum, noise=2.0), FAR, GDP(1.0), budget=Budget(runs=8000), rungs=["noise"]
    )
    assert result.verdict is SUPPORTED
    assert "safe, but not as declared" in result.because


def several_steps(data, rng, runs, tape, kind="right"):
    declared = Laplace(scale=1.0, sensitivity={REPLACE: 1.0})
    shared = rng.laplace(size=(runs, 3))
    out = []
    for t in range(4):
        total = np.zeros((runs, 3))
        noise = rng.laplace(size=(runs, 3))
        if kind == "same every step":
            noise = shared
        elif kind == "same in every coordinate":
            noise = np.repeat(noise[:, :1], 3, axis=1)
        elif kind == "wrong law":
            noise = rng.normal(scale=1.2533, size=(runs, 3))  # the same mean size
        elif kind == "one coordinate bare" and t == 2:
            noise[:, 1] = 0
        elif kind == "fixed seed":
            noise = np.broadcast_to(np.random.default_rng(0).laplace(size=3), (runs, 3))
        elif kind == "that of two steps before" and t == 2:
            noise = out[0]
        elif kind == "one entry of an earlier step" and t == 3:
            noise[:, 2] = out[1][:, 0]
        out.append(tape.record(total, total + noise, declared))
    return np.concatenate(out, axis=1)


KINDS = ["same every step", "same in every coordinate", "wrong law", "one coordinate bare", "fixed seed"]


@pytest.mark.parametrize("kind", [*KINDS, "that of two steps before", "one entry of an earlier step"])
def test_noise_bugs(kind):
    pair = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])
    bad = audit(functools.partial(several_steps, kind=kind), pair, PureDP(4.0), budget=SMALL, rungs=["noise"])
    assert bad.verdict is REFUTED
    assert audit(several_steps, pair, PureDP(4.0), budget=SMALL, rungs=["noise"]).verdict is SUPPORTED


def test_the_accountant_is_told_what_it_left_out():
    declared = Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})

    def two(data, rng, tape):
        return [tape.record(0.0, rng.normal(), declared), tape.record(0.0, rng.normal(), declared)]

    result = audit(two, PAIR, GDP(1.0), budget=Budget(runs=100), rungs=["accountant"])
    assert result.verdict is REFUTED
    assert "refutes the accounting" in result.because
    assert audit(two, PAIR, GDP(1.4143), budget=Budget(runs=100), rungs=["accountant"]).verdict is SUPPORTED


def test_a_declaration_refuted_and_then_privacy():
    bad = functools.partial(clipped_sum, clip=1e9)
    result = audit(bad, FAR, GDP(1.0), budget=Budget(runs=2000))
    assert result.evidence.certificate["refuted"][:1] == ["replay"]
    assert "break the guarantee itself" in result.because
    assert verify_witness(result.witness.exact)


def test_the_same_seed_gives_the_same_result_for_any_number_of_workers():
    def slow(data, rng):
        return data.sum() + rng.normal()

    one = audit(slow, PAIR, GDP(0.5), budget=Budget(runs=600, seed=5), rungs=["statistics"])
    two = audit(slow, PAIR, GDP(0.5), budget=Budget(runs=600, seed=5, workers=2), rungs=["statistics"])
    assert one.with_(seconds=0).to_json() != {}
    assert {**one.to_json(), "seconds": 0, "steps": 0} == {**two.to_json(), "seconds": 0, "steps": 0}


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        (lambda data, rng: 1 / 0, "raised ZeroDivisionError"),
        (lambda data, rng: float("nan"), "returned NaN"),
        (lambda data, rng: [], "empty output"),
        (lambda data, rng: object(), "returned an object of type object"),
        (lambda data, rng, runs: np.zeros(runs + 1), "expected"),
    ],
)
def test_a_broken_mechanism_is_reported_with_its_seed(mechanism, says):
    result = audit(mechanism, PAIR, GDP(1.0), budget=Budget(runs=100, seed=17))
    assert result.verdict is UNDECIDED
    assert says in result.because
    assert "17" in result.because


@pytest.mark.parametrize("together", [False, True])
def test_of_a_mechanism_that_raises_its_own_frames_alone_are_shown(together):
    def helper(data):
        return data["missing"]

    def single(data, rng):
        return helper(data)

    def batch(data, rng, runs):
        return helper(data)

    result = audit(batch if together else single, PAIR, GDP(1.0), budget=Budget(runs=100))
    assert result.crashed and "on D = [" in result.because
    frames = [line for line in result.evidence.details.splitlines() if line.startswith("  File ")]
    assert [frame.split(" in ")[-1] for frame in frames] == ["batch" if together else "single", "helper"]


def test_a_refuted_declaration_stays_refuted_when_the_mechanism_fails_later():
    def fails_alone(data, rng, runs, tape):
        if runs > 1:
            return object()
        value = data.sum(axis=0)
        declared = Gaussian(scale=1.0, sensitivity={REPLACE: 0.5})
        return tape.record(value, value + rng.normal(size=value.shape), declared)[None]

    result = audit(fails_alone, PAIR, GDP(0.5), budget=Budget(runs=500), rungs=("replay", "statistics"))
    assert result.verdict is REFUTED
    assert result.evidence.certificate["refuted"] == ["replay"]
    assert "returned shape" in result.because


def test_a_deterministic_mechanism_that_differs_is_refuted():
    result = audit(lambda data, rng: data.sum(), PAIR, ApproxDP(1.0, 1e-5), budget=Budget(runs=500))
    assert result.verdict is REFUTED
    assert "ignore its rng" in result.because


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(0.9, 1e-3)])
def test_discrete_outputs(claim):
    def response(truth):
        def mechanism(data, rng, runs):
            keep = rng.random((runs, 1)) < truth
            return np.where(keep, data[0, 0], 1 - data[0, 0])

        return mechanism

    pair = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])
    assert audit(response(0.9), pair, claim, budget=SMALL).verdict is REFUTED
    assert audit(response(0.7), pair, claim, budget=SMALL).verdict is SUPPORTED  # epsilon = ln(7/3) = 0.85


def test_outputs_with_atoms_and_many_dimensions():
    def rounded(data, rng, runs):
        # noise on a grid, so that the sum is exact: otherwise its low bits give the shift away (the next
        # test)
        out = np.round(rng.normal(size=(runs, 20)) * 2**20) / 2**20
        out[:, 7] = np.clip(data.sum() * 0.875 + out[:, 7], -0.5, 0.5)
        return out

    assert audit(rounded, PAIR, GDP(0.3), budget=Budget(runs=20_000)).verdict is REFUTED
    assert audit(rounded, PAIR, GDP(0.9), budget=Budget(runs=20_000)).verdict is SUPPORTED


def test_a_change_of_dependence_alone_is_seen():
    def turned(data, rng, runs):
        out = rng.normal(size=(runs, 6))
        out[:, 4] = (
            0.5 * out[:, 4]
            + data.sum() * np.sqrt(0.75) * out[:, 1]
            + (1 - data.sum()) * np.sqrt(0.75) * out[:, 2]
        )
        return out

    assert audit(turned, PAIR, ApproxDP(0.5, 1e-5), budget=SMALL, smaller=False).verdict is REFUTED


def test_what_no_gaussian_sees_the_classifier_does():
    def ring(data, rng, runs):
        # the same means and covariances: two clouds along one diagonal or the other, in a random quarter turn
        side = rng.choice([-1.0, 1.0], size=(runs, 2))
        turn = np.pi / 4 * data.sum()
        out = 0.3 * rng.normal(size=(runs, 2)) + side
        return out @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])

    result = audit(ring, PAIR, ApproxDP(0.3, 1e-5), budget=SMALL, rungs=["statistics"], smaller=False)
    assert result.verdict is REFUTED


def test_low_bits_of_floating_point_sums_are_seen():
    def clipped(data, rng, runs):
        return np.clip(data.sum() * 0.9 + rng.normal(size=(runs, 1)), -0.5, 0.5)

    result = audit(clipped, PAIR, GDP(0.95), budget=Budget(runs=20_000), smaller=False)
    assert result.verdict is REFUTED
    assert "trailing zero bits" in str(result)


def test_a_change_of_variance_alone_is_seen():
    def spread(data, rng, runs):
        return (1 + data.sum()) * rng.normal(size=(runs, 3))

    assert audit(spread, PAIR, ApproxDP(0.5, 1e-5), budget=SMALL).verdict is REFUTED


def test_misuse_is_named():
    with pytest.raises(ValueError, match="runs=1"):
        Budget(runs=1)
    with pytest.raises(ValueError, match="alpha=2"):
        Budget(alpha=2)
    with pytest.raises(ValueError, match="rungs="):
        audit(gaussian, PAIR, GDP(1.0), rungs=["guess"])
    with pytest.raises(TypeError, match="neighbours="):
        audit(gaussian, (1, 2), GDP(1.0))


def test_the_progress_bar_leaves_no_thread_and_nothing_on_stdout(capsys):
    before = set(threading.enumerate())
    audit(gaussian, PAIR, GDP(1.0), budget=Budget(runs=500), progress=True)
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()
    assert capsys.readouterr().out == ""


def test_the_tape_hands_back_what_was_released():
    tape = Tape()
    tape.record(np.ones(2), np.full(2, 3.0), None)
    again = Tape(frozen=tape.entries)
    assert again.record(np.zeros(2), np.zeros(2), None).tolist() == [3.0, 3.0]
    assert again.entries[0].query.tolist() == [0.0, 0.0]


def test_noise_that_is_not_finite_is_not_the_declared_noise():
    def divides_by_nothing(data, rng, runs, tape):
        query = np.zeros((runs, 1))
        return tape.record(
            query, np.copysign(np.inf, rng.normal(size=(runs, 1))), Gaussian(1.0, {REPLACE: 1.0})
        )

    result = audit(divides_by_nothing, PAIR, GDP(1.0), budget=SMALL, rungs=["noise"])
    assert result.verdict is REFUTED
    assert "not finite in" in result.because
