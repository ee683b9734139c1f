"""Does alpha hold for outcomes that are no numbers? Randomised response at its very epsilon, told in many
ways; measured: 3 false alarms in 368 audits of 300 runs at alpha = 0.05.
"""

import math

import numpy as np
import pytest
from scipy.special import bdtrc

from dpverify import Budget, Neighbours, PureDP
from dpverify.auditing import Audit
from dpverify.auditing.statistics import statistical_audit
from dpverify.verdicts import REFUTED

PAIR = Neighbours.replace(np.zeros((1, 1)), 0, [1.0])


def raises(rng):
    raise ValueError(f"at {rng.random()}")


TOLD = {
    "lengths": (lambda rng: [0.0] * 3, lambda rng: [0.0] * 5),
    "NaN among numbers": (
        lambda rng: rng.normal(size=4),
        lambda rng: np.append(rng.normal(size=3), math.nan),
    ),
    "an exception with a message that changes": (lambda rng: rng.normal(), raises),
    "texts": (lambda rng: "yes", lambda rng: "no"),
    "large whole numbers": (lambda rng: 2**61, lambda rng: 2**61 + 1),
    "keys": (lambda rng: {"a": rng.normal()}, lambda rng: {"b": rng.normal()}),
}


@pytest.mark.parametrize("name", TOLD)
def test_true_claims_told_by_any_outcome(name, many):
    def respond(data, rng):
        honest = rng.random() < math.e / (1 + math.e)
        bit = int(data[0, 0]) if honest else 1 - int(data[0, 0])
        return TOLD[name][bit](rng)

    audits, alpha = many(4, 300), 0.05
    results = [
        statistical_audit(Audit(respond, PAIR, PureDP(1.0), Budget(runs=300, alpha=alpha, seed=s)))
        for s in range(audits)
    ]
    alarms = sum(result.verdict is REFUTED for result in results)
    print(f"\n{name}: {alarms} false alarms in {audits} audits at alpha = {alpha}")
    assert alarms == 0 or bdtrc(alarms - 1, audits, alpha) > 1e-6
