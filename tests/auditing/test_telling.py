"""A stranger can look for the event of a witness by hand, in draws of their own."""

import re

import numpy as np
import pytest

from dpverify import Budget, Neighbours
from dpverify.auditing.rungs import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.guarantees import ApproxDP, PureDP
from dpverify.verdicts import REFUTED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])


def bump(secret, rng, runs):
    out, hit = rng.standard_normal((runs, 1)), rng.random(runs) < 0.05 * secret
    out[hit, 0] = 0.3 + 1e-3 * rng.random(hit.sum())
    return out


def value(secret, rng, runs):
    out = rng.standard_normal((runs, 3))
    out[rng.random(runs) < 0.03 * secret, 1] = np.pi
    return out


def beyond(secret, rng, runs):
    return rng.laplace(size=(runs, 1)) + 3 * secret


def inside(event, column):
    """Whether numbers belong to an event as it is printed."""
    belongs = np.zeros(len(column), dtype=bool)
    for part in event.split(" or "):
        numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[-+]\d+)?", part)]
        if "in (" in part:
            belongs |= (column > numbers[0]) & (column <= numbers[1])
        elif "<=" in part:
            belongs |= column <= numbers[0]
        elif "=" in part:
            belongs |= np.abs(column - numbers[0]) <= 1e-12 * np.abs(numbers[0])
        else:
            belongs |= column > numbers[0]
    return belongs


@pytest.mark.parametrize(
    ("leak", "claim"), [(bump, ApproxDP(1.0, 1e-5)), (value, ApproxDP(1.0, 1e-5)), (beyond, PureDP(1.0))]
)
def test_the_printed_event_is_found_by_hand_in_other_draws(leak, claim):
    result = statistical_audit(
        Audit(lambda data, rng, runs: leak(float(data.sum()), rng, runs), PAIR, claim, Budget(runs=20_000))
    )
    assert result.verdict is REFUTED
    sign = result.witness.exact["sign"]
    looked_at = re.match(r"output\[(\d+)\] ", sign["event"])
    assert looked_at, sign["event"]
    rest = sign["event"][looked_at.end() :]
    rng, n = np.random.default_rng(77), 200_000
    rates = [inside(rest, leak(secret, rng, n)[:, int(looked_at[1])]).mean() for secret in (0.0, 1.0)]
    if sign["likelier_on"] == "D":
        rates.reverse()
    # the counts of 200,000 draws exceed what the claim allows by far more than they scatter
    assert rates[1] > np.exp(1.0) * rates[0] + 1e-5 + 5 * np.sqrt(rates[1] / n)


def test_outputs_that_are_no_numbers_are_shown():
    def mechanism(data, rng):
        return {"answer": "yes" if rng.random() < 0.05 + 0.9 * data.sum() else "no", "noise": rng.normal()}

    result = statistical_audit(Audit(mechanism, PAIR, PureDP(1.0), Budget(runs=5000)))
    assert result.verdict is REFUTED and "'answer': " in result.witness.then
