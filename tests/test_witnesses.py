"""Every kind of witness stands from its JSON alone, and a tampered twin of it does not."""

import copy
import functools
import json

import numpy as np
import pytest
import sympy as sp

from dpverify import Budget, Neighbours, audit
from dpverify.adapters.gradients import gradients_agree
from dpverify.algorithms import example
from dpverify.auditing.one_run import one_run
from dpverify.auditing.whitebox import loss_audit
from dpverify.guarantees import GDP, PureDP
from dpverify.neighbours import ADD_REMOVE, REPLACE
from dpverify.proving import prove
from dpverify.relations import AtMost
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.verdicts import REFUTED
from dpverify.witnesses import MAKERS, comparison, verify_witness

PAIR = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
FAR = Neighbours.replace(np.full((4, 2), 0.25), 1, [9.0, -7.0])
DECLARED = Gaussian(scale=1.0, sensitivity={REPLACE: 2.0})


def taped(data, rng, tape, noise=1.0, leak=0.0, releases=1, scale=1.0, law="normal"):
    """A clipped sum with noise of scale 1, or what `noise`, `leak`, `releases`, `scale` and `law` make of
    it.
    """
    out = 0.0
    for _ in range(releases if np.abs(data).max() > 1 else 1):
        total = data.sum(axis=0)
        drawn = noise * getattr(rng, law)(size=total.shape)
        far = np.abs(data).max() > 1
        declared = Gaussian(scale=scale if far else 1.0, sensitivity={REPLACE: 2.0})
        out = tape.record(total, total + drawn, declared)
    return out + leak * data.sum() if leak else out


def correlated(data, rng, runs, tape):
    total = np.zeros((runs, 2))
    noise = np.repeat(rng.normal(size=(runs, 1)), 2, axis=1)
    return tape.record(total, total + noise, DECLARED)


CLAIM = GDP(1.0)


def rung(name, mechanism, pair, claim=CLAIM, declared=None):
    result = audit(
        mechanism, pair, claim, budget=Budget(runs=2000), declared=declared, rungs=[name], smaller=False
    )
    assert result.verdict is REFUTED, result.because
    return result.witness.exact


def event():
    def far_apart(data, rng, runs):
        return 4 * data.sum() + rng.laplace(size=(runs, 1))

    return rung("statistics", far_apart, PAIR, PureDP(1.0))


def subsampled():
    declared = Subsampled(Gaussian(1.0, {ADD_REMOVE: 1.0}), size=5, of=10, how="poisson")
    pair = Neighbours.add(np.ones((9, 1)), [1.0])
    return rung("accountant", lambda data, rng: rng.normal(), pair, GDP(0.1), declared)


def losses():
    case = example("private-gd")
    result = loss_audit(case.algorithm, Neighbours.zero_out(case.data, 0), GDP(1e-4), runs=2000)
    assert result.verdict is REFUTED
    return result.witness.exact


def guessed():
    score = lambda out, canary: out @ canary  # noqa: E731
    noisy_sum = lambda data, rng: data.sum(axis=0) + 0.1 * rng.normal(size=data.shape[1])  # noqa: E731
    return one_run(noisy_sum, np.zeros((1, 200)), np.eye(200), score, PureDP(1.0)).witness.exact


x = sp.Symbol("x", real=True)
PURE = Laplace(scale=1.0, sensitivity={REPLACE: 1.0})
CASES = {
    "point": (lambda: prove(AtMost(x, 3)).witness.exact, {"given": "at"}),
    "event": (event, {"alpha": 1e-300}),
    "replay, sensitivity": (lambda: rung("replay", taped, FAR), {"allowed": 99.0}),
    "replay, without a tape": (
        lambda: rung("replay", lambda data, rng: 9 * data.sum() + rng.normal(), PAIR, declared=DECLARED),
        {"allowed": 99.0},
    ),
    "replay, not finite": (
        lambda: rung(
            "replay", functools.partial(taped, noise=1.0), Neighbours.replace(PAIR.data, 0, [1e308 * 10])
        ),
        {"queries": [[0.0], [0.0]]},
    ),
    "replay, count": (
        lambda: rung("replay", functools.partial(taped, releases=2), FAR),
        {"releases": [2, 2]},
    ),
    "replay, declaration": (
        lambda: rung("replay", functools.partial(taped, scale=2.0), FAR),
        {"declared": ["a", "a"]},
    ),
    "replay, output": (
        lambda: rung("replay", functools.partial(taped, leak=1.0), PAIR),
        {"outputs": [[1.0], [1.0]]},
    ),
    "noise, scale": (lambda: rung("noise", functools.partial(taped, noise=0.5), PAIR), {"energy": 1e9}),
    "noise, law": (
        lambda: rung("noise", functools.partial(taped, law="laplace", noise=0.707), PAIR),
        {"gap": 0.001},
    ),
    "noise, signs": (lambda: rung("noise", correlated, PAIR), {"agree": 1000}),
    "noise, missing": (lambda: rung("noise", functools.partial(taped, noise=0.0), PAIR), {"runs": 0}),
    "accountant": (
        lambda: rung("accountant", lambda data, rng: rng.laplace(), PAIR, PureDP(0.5), PURE),
        {"claimed_delta": 1.0},
    ),
    "accountant, subsampled": (subsampled, {"claimed_delta": 1.0}),
    "losses": (losses, {"claimed": 1.0}),
    "one run": (guessed, {"right": 100}),
    "gradients": (
        lambda: gradients_agree({"w": np.array([[1.0, 0.0]])}, {"w": np.array([[1.0, 1.0]])}).witness.exact,
        {"tolerance": 9.0},
    ),
    "gradients, shape": (
        lambda: gradients_agree({"w": np.ones((1, 3))}, {"w": np.ones((1, 2))}).witness.exact,
        {"shapes": [[1], [1]]},
    ),
    "comparison": (lambda: comparison(2.0, "<=", 1.0), {"left": 0.5}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_witness_stands_and_its_tampered_twin_does_not(name):
    make, change = CASES[name]
    exact = json.loads(json.dumps(make(), allow_nan=False))
    assert exact["kind"] == name.partition(",")[0]
    assert verify_witness(exact)
    if name == "point":
        twin = copy.deepcopy(exact)
        twin["at"][0][1] = json.loads(json.dumps(twin["right"]))
    else:
        twin = {**exact, **change}
    assert not verify_witness(twin)


def test_every_kind_is_tested_here_or_beside_the_tactic_that_makes_it():
    elsewhere = {"vectors", "matrices", "order"}  # in tests/proving
    assert {name.partition(",")[0] for name in CASES} | elsewhere == set(MAKERS)


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="'guess'"):
        verify_witness({"kind": "guess"})


def test_proving_does_not_import_auditing():
    import subprocess
    import sys

    audits = "any(name.startswith('dpverify.auditing') for name in sys.modules)"
    code = f"import sys, dpverify.proving; sys.exit({audits})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "forged",
    [
        {"tried": 0},
        {"alpha": 5.0},
        {"guesses": 10**6},
        {"profile": [[1.0, -1e-3]]},
    ],
)
def test_figures_that_no_audit_writes_are_no_witness(forged):
    assert not verify_witness({**guessed(), "right": 150, **forged})


def test_an_event_needs_a_pair_of_likelihood_ratios_and_counts():
    exact = event()
    assert verify_witness(exact)
    assert not verify_witness({**exact, "alpha": 5.0})
    assert not verify_witness({**exact, "claim": {**exact["claim"], "p": exact["claim"]["q"]}})
    bets = [[{**bet, "x": [-100] * len(bet["x"])} for bet in bettor] for bettor in exact["bets"]]
    assert not verify_witness({**exact, "bets": bets})
    assert not verify_witness({**exact, "log_wealth": 99.0})
    winners = [bettor for bettor in exact["bets"] if bettor]
    assert not verify_witness({**exact, "bets": winners[:1]})


def test_a_rare_event_is_tested_at_its_own_small_level():
    """A few dozen of 100,000 runs print what the others never do: its bound is not expected to be the best,
    but the claim falls by it.
    """

    def prints(data, rng, runs):
        return (rng.random((runs, 1)) < 4e-4 * data.sum()).astype(float)

    budget = Budget(runs=100_000, seed=4)
    result = audit(prints, PAIR, PureDP(1.0), budget=budget, rungs=["statistics"], smaller=False)
    exact = result.witness.exact
    assert "counts" in exact and exact["level"] < budget.alpha / 2
    assert verify_witness(exact)
    assert not verify_witness({**exact, "level": 1e-9})
    assert not verify_witness({**exact, "counts": [exact["counts"][0] // 3, 0], "level": 1.0})


def test_a_bet_on_outputs_of_one_side_alone_is_no_witness():
    """Weights are fair for pairs of outputs: A may have a mean above 1, where B has one below."""
    exact = copy.deepcopy(event())
    assert verify_witness(exact)
    for bettor in exact["bets"]:
        for bet in bettor:
            best = int(np.argmax(bet["log_a"]))
            bet["x"] = [count + 50 * (i == best) for i, count in enumerate(bet["x"])]
    assert not verify_witness(exact)
