"""The bound that runs are set against: a prefix sum is read off at most 1 + log2 N noisy nodes."""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import Theorem

N, k = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "k"))
d, s = sp.symbols("d s", positive=True)


@claim(
    PAPER, "bound-tree", at="Proposition 18, for the mean of N records", kind="inequality", uses=["prop-18"]
)
def error_of_the_mean_from_a_tree():
    """If the sum is read off k <= 1 + log2 N nodes of noise N(0, s^2 I), half the squared error of the mean
    is d k s^2/(2 N^2) <= d s^2 (1 + log2 N)/(2 N^2).
    """
    most = 1 + sp.log(N) / sp.log(2)
    return Theorem(given=[k <= most], shows=AtMost(d * k * s**2 / (2 * N**2), d * s**2 * most / (2 * N**2)))
