"""The accountant refutes a claim that charges too little, and not one that knows better than our upper
bounds.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.auditing.accountant import charged
from dpverify.auditing.rungs import Audit
from dpverify.guarantees import GDP, Profile, PureDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.releases import Laplace, TreeNode
from dpverify.verdicts import REFUTED, UNDECIDED

PAIR = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])


def noisy_sum(data, rng):
    return data.sum() + rng.laplace()


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (PureDP(0.8), REFUTED),
        (
            Profile(
                lambda epsilon: max(0.0, -math.expm1((epsilon - 1) / 2)), "the Laplace mechanism, exactly"
            ),
            UNDECIDED,
        ),
    ],
)
def test_the_exact_profile_of_laplace_noise_is_not_refuted(claim, verdict):
    declared = Laplace(scale=1.0, sensitivity={REPLACE: 1.0})
    assert charged(Audit(noisy_sum, PAIR, claim, declared=declared)).verdict is verdict


@pytest.mark.parametrize(
    ("nodes", "period", "verdict"),
    [
        (((1, 1), (2, 2), (3, 3), (4, 4), (1, 2), (3, 4), (1, 4)), 4, REFUTED),
        (((1, 1), (2, 2), (3, 3), (4, 4), (1, 2), (3, 4), (1, 4)), 2, REFUTED),
        (((1, 1), (2, 3), (1, 3), (2, 4)), 2, UNDECIDED),
    ],
)
def test_the_cost_of_a_dyadic_tree_is_attained_and_of_other_nodes_only_bounded(nodes, period, verdict):
    ones = (1.0,) * len(nodes)
    declared = TreeNode(scale=ones, sensitivity={REPLACE: ones}, nodes=nodes, period=period)
    assert charged(Audit(noisy_sum, PAIR, GDP(1.0), declared=declared)).verdict is verdict
