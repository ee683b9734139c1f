"""Theorem 4's conversion to (epsilon, delta) and the technical results of the appendix: Propositions 13 to
18, Lemma 17.

(z, z/(2 sigma^2))-RDP for every z > 1  =>  eps(sigma) = 1/(2 sigma^2) + 2 sqrt(l/(2 sigma^2)),  l =
log(1/delta)
G[a,b] = sum_{t=a..b} (1-alpha)^(b-t) grad f(w_{q_t N}, x_t),  x_t the sample of step t
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import Derivation, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

eps, ell, sigma = sp.symbols("epsilon l sigma", positive=True)  # l = log(1/delta)
alpha, gamma = sp.symbols("alpha gamma", positive=True)
N = sp.Symbol("N", integer=True, positive=True)
e = sp.exp(1)


@claim(
    PAPER,
    "lemma-17",
    at="Lemma 17",
    kind="identity",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-17-corrected",
)
def momentum_is_rebuilt_from_differences_of_epochs():
    """G[1,T] = (1-alpha)^(T-r) G[1,r] + c_q G[r+1,r+N] + sum_{i=1..q-1} c_i ((1-gamma) Delta + gamma
    G)[T-iN+1,T-(i-1)N], c_i = sum_{j<i} (1-gamma)^j (1-alpha)^((i-1-j)N)."""
    # f(w, x) = x w with two records: the gradient of a step is its record, whatever the anchor, so every
    # Delta is 0
    first, second = sp.symbols("x_1 x_2", real=True)
    order = [first, second, second, first]  # pi^0 = (1, 2), pi^1 = (2, 1)
    rho, n, T = (1 - alpha) ** 2, 2, 4

    def G(a, b):
        return sum((1 - alpha) ** (b - t) * order[t - 1] for t in range(a, b + 1))

    def c(i):
        return sum((1 - gamma) ** j * rho ** (i - 1 - j) for j in range(i))

    rebuilt = c(2) * G(1, n) + c(1) * ((1 - gamma) * 0 + gamma * G(T - n + 1, T))
    case = {"N": "2", "T": "4", "f(w, x)": "x w", "epoch 0": "x_1, x_2", "epoch 1": "x_2, x_1"}
    because = (
        "Delta compares two anchors on the sample of the later epoch, G of the earlier epoch holds "
        "another sample at that place"
    )
    return Instance(Equal(G(1, T), rebuilt, given=[alpha < 1, gamma < 1]), let=case, because=because)


@claim(PAPER, "lemma-17-corrected", at="Lemma 17, corrected", kind="identity", expect=SUPPORTED)
def momentum_is_rebuilt_if_every_epoch_has_the_same_order():
    """Lemma 17 holds for every q, N, r if all epochs visit the records in the same order."""
    q, k, j = sp.symbols("q k j", integer=True, positive=True)
    i = sp.Symbol("i", integer=True)
    rho, beta = sp.symbols("rho beta", positive=True)  # (1-alpha)^N and 1-gamma
    g, J = (
        sp.IndexedBase("g", real=True),
        sp.IndexedBase("J", real=True),
    )  # J_k = (1-gamma) Delta_k + gamma b_k
    start, first, old, new = sp.symbols(
        "X_0 b_1 b_q b_n", real=True
    )  # G[1,r] and blocks b_k = G[r+(k-1)N+1, r+kN]
    later, delta = (
        sp.Sum((1 - alpha) ** (N - j) * term, (j, 1, N)) for term in (g[k, j], g[k, j] - g[k - 1, j])
    )
    earlier = sp.Sum((1 - alpha) ** (N - j) * g[k - 1, j], (j, 1, N))

    def c(m):
        return (beta**m - rho**m) / (beta - rho)

    def gathered(m):
        return beta ** (m - 1) * first + sp.Sum(beta ** (m - k) * J[k], (k, 2, m))

    def stated(m):
        return rho**m * start + c(m) * first + sp.Sum(c(m - k + 1) * J[k], (k, 2, m))

    apart = [sp.Ne(rho, beta), beta < 1]  # polynomials in rho that agree off one point agree there too
    return (
        Derivation()
        .step(
            Equal(later - delta, earlier),
            "g[k, j]: gradient at the anchor of epoch k on the j-th record of every epoch; so "
            "b_k - Delta_k = b_(k-1)",
        )
        .step(
            Equal(sp.Sum((beta / rho) ** i, (i, 0, q - 1)) * rho ** (q - 1), c(q), apart),
            "the coefficients c_q; blocks are counted from the first",
        )
        .step(
            Equal(stated(q + 1), rho * stated(q) + gathered(q + 1), apart),
            "what the stated sum gains on rho times its value one epoch earlier",
        )
        .step(Equal(gathered(q + 1), beta * gathered(q) + J[q + 1]), "is the value of a recursion")
        .step(
            Equal(beta * old + beta * (new - old) + (1 - beta) * new, new),
            "which gives b_(q+1) if the last value was b_q, and starts at b_1",
        )
        .step(
            Equal(stated(sp.Integer(1)), rho * start + first, apart),
            "so the stated sum obeys Eq (9) at every q, and at q = 1 both are rho G[1,r] + b_1",
        )
    )
