"""Check the witness of a refuted audit from its JSON alone: the claim's worst pair, every bet, and the
arithmetic.

That the bets were made before the draws they were made on, and the counts themselves, are checked by running
the audit again with the seed that the witness names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.auditing.betting import capacity
from dpverify.auditing.claimed import WorstPair
from dpverify.auditing.exact import refutes
from dpverify.auditing.sequential import EARLY_KINDS, HONEST_KINDS


def verify(exact: dict[str, Any]) -> bool:
    """Whether the counts in a witness refute the claim in it at its alpha.

    >>> from dpverify import Budget, Neighbours, PureDP, audit
    >>> pair = Neighbours.replace(np.zeros((2, 1)), 0, [9.0])
    >>> result = audit(lambda data, rng, runs: data.sum() + rng.laplace(size=(runs, 1)), pair, PureDP(1.0),
    ...     budget=Budget(runs=2000))
    >>> verify(result.witness.exact)
    True
    """
    claim = exact["claim"]
    pair = WorstPair(np.append(claim["ratios"], math.inf), np.array(claim["p"]), np.array(claim["q"]))
    if not (
        math.isclose(pair.p.sum(), 1)
        and math.isclose(pair.q.sum(), 1)
        and (pair.p >= 0).all()
        and (pair.q >= 0).all()
    ):
        return False
    alpha = float(exact["alpha"])
    if not 0 < alpha < 1 or not np.allclose(pair.p[:-1], pair.q[:-1] * pair.ratios[:-1], atol=1e-9):
        return False
    if "bets" in exact:
        if len(exact["bets"]) != len(EARLY_KINDS) + len(HONEST_KINDS):  # the stake was shared by all of them
            return False
        wealths = []
        for bettor in exact["bets"]:
            log_wealth = 0.0
            for bet in bettor:
                a, b = np.exp(bet["log_a"]), np.exp(bet["log_b"])
                if capacity(a, b, pair) > 2 * (1 + 1e-12) or min(*bet["x"], *bet["y"]) < 0:
                    return False
                if sum(bet["x"]) != sum(bet["y"]):  # a bet is made on pairs of outputs
                    return False
                log_wealth += float(np.dot(bet["x"], bet["log_a"]) + np.dot(bet["y"], bet["log_b"]))
            wealths.append(log_wealth)
        reached = float(np.logaddexp.reduce(wealths)) - math.log(len(wealths))
        if not math.isclose(reached, exact["log_wealth"], rel_tol=1e-6):
            return False
        return reached >= math.log(2 / alpha) - 1e-9
    if "counts" in exact:
        (x, y), n = exact["counts"], exact["fresh"]
        level = min(float(exact.get("level", alpha / 2)), alpha / 2)
        return refutes(x, n, y, n, lambda q: np.interp(q, *pair.curve), float(exact["slope"]), level)
    raise ValueError("Expected a witness with 'bets' or 'counts'.")
