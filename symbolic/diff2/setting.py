"""Section 2: record-level differential privacy with respect to each client, and the assumptions.

f(x) = (1/P) sum_p f_p(x),   f_p(x) = (1/n_p) sum_i l(x, z_i^(p));   D_p, D_p' adjacent: one record replaced
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import PureDP
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Private
from dpverify.language.vectors import norm, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance
from dpverify.releases import Laplace
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED

L, G = sp.symbols("L G", positive=True)


@claim(PAPER, "sec2-dp", at="Section 2.1", kind="definition")
def record_level_privacy_of_each_client():
    """(eps, delta)-DP with respect to each D_p: Pr[M(D) in S] <= e^eps Pr[M(D') in S] + delta for every S, D'
    being D with one record of one client replaced (Hamming distance 1; n_p and P are public).

    A sanity example: the mean over P clients of the means of n_p numbers in [0, 1], with Laplace noise of
    scale 1/(n_min P eps), is (eps, 0)-DP for every client. (The printed d_H has x_i where it means z_i.)
    """
    eps = sp.Symbol("epsilon", positive=True)
    n_p, n_min, P = (sp.Symbol(name, integer=True, positive=True) for name in ("n_p", "n_min", "P"))
    mean = Laplace(1 / (n_min * P * eps), {REPLACE: 1 / (n_p * P)})
    return Private(mean, PureDP(eps), REPLACE, given=[n_min <= n_p])


@claim(
    PAPER,
    "sec2-secure",
    at="Section 2.1, on a server that is not trusted, with noise that the clients add",
    kind="identity",
    standing="ours",
)
def secure_aggregation_keeps_the_noise_of_a_trusted_server():
    """With secure aggregation, of which the server and the clients see the result alone, the privacy level is
    that of a trusted server: if client p adds noise of variance P (sigma C)^2 to d_r^(p), the mean over P
    clients has noise of variance (sigma C)^2, that of line 16 of Algorithm 1.

    So read, the noise is a part of what is aggregated; where the server draws it afterwards, as line 16
    prints, it sees the mean without noise (sec2-secure-after).
    """
    sigma, C = sp.symbols("sigma C", positive=True)
    p, P = (sp.Symbol(name, integer=True, positive=True) for name in ("p", "P"))
    share = sp.IndexedBase("s", positive=True)
    shares = ForEvery(Equal(share[p] ** 2, P * sigma**2 * C**2), p, 1, P)
    mean = sp.Sum(share[p] ** 2, (p, 1, P)) / P**2
    return Theorem(given=[shares], shows=Equal(mean, (sigma * C) ** 2)).sum(
        Equal(share[p] ** 2, P * sigma**2 * C**2), (p, 1, P), "independent shares"
    )


@claim(
    PAPER,
    "sec2-secure-after",
    at="Section 2.1, on a server that is not trusted, with Algorithm 1 as printed",
    kind="privacy guarantee",
    standing="ours",
    expect=REFUTED,
    correction="sec2-secure",
)
def secure_aggregation_before_the_noise():
    """With secure aggregation and the noise of line 16, which the server draws, what the server sees is (eps,
    delta)-DP, here (3, 10^-5).

    The case: P = n_p = C_1 = 1, l(x, z) = z x with z = 1 in D and -1 in D'. The aggregate of the first round
    is z: S = {1} has the probability 1 on D and 0 on D'.
    """
    return Instance(
        AtMost(sp.Integer(1), sp.exp(3) * sp.Integer(0) + sp.Rational(1, 10**5)),
        let={"P, n_p, C_1": "1", "l(x, z)": "z x, z = 1 in D, -1 in D'", "S": "{1}"},
        because="the mean is aggregated before there is noise",
    )


@claim(PAPER, "assumption-2.1", at="Assumption 2.1", kind="definition")
def each_record_has_a_smooth_loss():
    """For every record z, l(., z) is L-smooth: |grad l(x, z) - grad l(y, z)| <= L |x - y|.

    What it gives: the mean of two L-smooth losses is L-smooth, so f_p and f are; the converse is false, and
    the assumption is made of the losses for that reason.
    """
    x, y = vectors("x y")
    first, second = Function("l", smooth=L), Function("k", smooth=L)
    moved = (first.gradient(x) + second.gradient(x)) / 2 - (first.gradient(y) + second.gradient(y)) / 2
    return AtMost(norm(moved), L * norm(x - y))


@claim(PAPER, "assumption-2.2", at="Assumption 2.2", kind="definition", expect=SUPPORTED)
def objective_has_a_minimiser():
    """f has a global minimiser. It is not implied by Assumptions 2.1 and 2.3: the logistic loss log(1 +
    e^-x) is smooth with bounded gradient, above its infimum 0 everywhere, and has none.
    """
    x = sp.Symbol("x", real=True)
    return Instance(
        AtMost(0, sp.log(1 + sp.exp(-x)), strict=True), let={"f(x)": "log(1 + exp(-x))", "inf f": "0"}
    )


@claim(PAPER, "assumption-2.3", at="Assumption 2.3", kind="definition", expect=SUPPORTED)
def each_record_has_a_bounded_gradient():
    """For every record z and every x, |grad l(x, z)| < G (with <, so that no gradient attains G).

    An example: softplus(x) = log(1 + e^x), with G = 1; the squared loss of section 6 meets it for no G.
    """
    x = sp.Symbol("x", real=True)
    slope = sp.exp(x) / (1 + sp.exp(x))
    return Instance(
        AllOf(AtMost(0, slope, strict=True), AtMost(slope, 1, strict=True)),
        let={"l(x)": "log(1 + exp(x))", "l'(x)": "exp(x)/(1 + exp(x))", "G": "1"},
    )
