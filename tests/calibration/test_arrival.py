"""The order in which pieces arrive does not matter: an honest mechanism is accused as seldom by two processes
as by one, because every audit is the same, to the last digit of its wealth.
"""

import json
import time

import numpy as np

from dpverify import GDP, Budget, Neighbours, audit

PAIR = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])


def honest(data, rng):
    """Tight for 1-GDP; its runs take a time that has nothing to do with their numbers."""
    value = data.sum() + rng.normal()
    time.sleep(0.0005 * float(np.random.default_rng().random()))
    return value


def told(seed, workers):
    budget = Budget(runs=120, alpha=0.2, seed=seed, workers=workers)
    result = audit(honest, PAIR, GDP(1.0), budget=budget, rungs=["statistics"], smaller=False)
    return json.dumps(result.with_(seconds=0.0, steps=()).to_json())


def test_audits_do_not_depend_on_who_was_drawn_first(monkeypatch):
    monkeypatch.setattr("dpverify.auditing.drawing.HERE", 0.0)
    assert [told(seed, 2) for seed in range(8)] == [told(seed, 1) for seed in range(8)]
