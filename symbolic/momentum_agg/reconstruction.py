"""Appendix F, Lemma 17: the momentum rebuilt from differences between epochs.

G[a,b] = sum_{t=a..b} (1-alpha)^(b-t) grad f(w_{q_t N}, x_t),  x_t the sample of step t
c_i = sum_{j<i} (1-gamma)^j rho^(i-1-j),  rho = (1-alpha)^N

Identities between vectors are stated for one coordinate: sequences of real numbers. Blocks of N steps are
counted from the first: b_k = G[r+(k-1)N+1, r+kN], k = 1..q, so that the i-th of the paper is b_{q-i+1}.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import Equal, Induction, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

alpha, gamma = sp.symbols("alpha gamma", positive=True)
beta, rho = sp.symbols("beta rho", positive=True)  # 1 - gamma (1 - alpha in Eq (9)), and (1-alpha)^N
N, k, j, q, i = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "k", "j", "q", "i"))
block, joint = sp.IndexedBase("b", real=True), sp.IndexedBase("J", real=True)

CASE = {"N": "2", "T": "4", "f(w, x)": "x w", "epoch 0": "x_1, x_2", "epoch 1": "x_2, x_1"}
BECAUSE = (
    "Delta compares two anchors on the sample of the later epoch, G of the earlier epoch holds "
    "another sample at "
    "that place"
)


def _two_epochs():
    """G[a, b] for f(w, x) = x w and two records in the orders (1, 2) and (2, 1): the gradient of a step is
    its record, whatever the anchor, so that every Delta is 0.
    """
    first, second = sp.symbols("x_1 x_2", real=True)
    order = [first, second, second, first]
    return lambda a, b: sum((1 - alpha) ** (b - t) * order[t - 1] for t in range(a, b + 1))


def _rebuilt_wrongly():
    G = _two_epochs()
    power = (1 - alpha) ** 2
    rebuilt = (1 - gamma + power) * G(1, 2) + gamma * G(3, 4)
    return Instance(Equal(G(1, 4), rebuilt, given=[alpha < 1, gamma < 1]), let=CASE, because=BECAUSE)


@claim(
    PAPER,
    "eq-3",
    at="Section 4, Eq (3)",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="lemma-17-corrected",
)
def momentum_expanded_in_section_4():
    """G[1,t] is rebuilt from G and Delta of the epochs as Eq (3) has it, which is Lemma 17 with t for T,
    where every epoch has an order of its own.
    """
    return _rebuilt_wrongly()


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
    G)[T-iN+1,T-(i-1)N], where every epoch has an order of its own, as in Algorithm 2.
    """
    return _rebuilt_wrongly()


@claim(PAPER, "eq-9", at="Lemma 17, proof, Eq (9)", kind="identity")
def last_epoch_is_split_off():
    """G[1,T] = (1-alpha)^N G[1,T-N] + G[T-N+1,T] for every sequence g_t, T = M + N and beta = 1-alpha (at T =
    N both sides are G[1,N]).
    """
    M, g = sp.Symbol("M", integer=True, positive=True), sp.IndexedBase("g", real=True)
    whole = sp.Sum(beta ** (M + N - i) * g[i], (i, 1, M + N))
    earlier = sp.Sum(beta ** (M - i) * g[i], (i, 1, M))
    last = sp.Sum(beta ** (N - j) * g[M + j], (j, 1, N))
    return Theorem(shows=Equal(whole, beta**N * earlier + last)).induct(N, 1)


@claim(
    PAPER,
    "l17-step",
    at="Lemma 17, proof, second display",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="l17-step-corrected",
)
def last_block_from_the_one_before():
    """G[T-N+1,T] = (1-gamma) Delta[T-N+1,T] + gamma G[T-N+1,T] + (1-gamma) G[T-2N+1,T-N]."""
    G = _two_epochs()
    stated = gamma * G(3, 4) + (1 - gamma) * G(1, 2)
    return Instance(Equal(G(3, 4), stated, given=[alpha < 1, gamma < 1]), let=CASE, because=BECAUSE)


def _difference():
    """Delta_k = b_k - b_{k-1}: g[k, j] is the gradient at the anchor of epoch k on the record of place j."""
    g, weight = sp.IndexedBase("g", real=True), sp.Symbol("w", positive=True)  # w = 1-alpha
    later, earlier = (sp.Sum(weight ** (N - j) * g[k - back, j], (j, 1, N)) for back in (0, 1))
    delta = sp.Sum(weight ** (N - j) * (g[k, j] - g[k - 1, j]), (j, 1, N))
    return Equal(delta, later - earlier)


@claim(
    PAPER,
    "l17-step-corrected",
    at="Lemma 17, proof, second display, with one order",
    kind="identity",
    standing="ours",
)
def last_block_from_the_one_before_with_one_order():
    """If the record at a place is the same in every epoch, or the gradient does not depend on the record:
    Delta_k = b_k - b_{k-1}, and b_k = (1-gamma) Delta_k + gamma b_k + (1-gamma) b_{k-1}.
    """
    delta = block[k] - block[k - 1]
    stated = beta * delta + (1 - beta) * block[k] + beta * block[k - 1]
    return AllOf(_difference(), Equal(block[k], stated))


@claim(PAPER, "l17-tele", at="Lemma 17, proof, telescoped form", kind="identity", uses=["l17-step-corrected"])
def blocks_telescope():
    """If b_{k+1} = (1-gamma) b_k + J_{k+1} for every k, then b_q = (1-gamma)^(q-1) b_1 + sum_{k=2..q}
    (1-gamma)^(q-k) J_k (the display at i = 1; at i it is the same with q - i + 1 for q).
    """
    x = sp.Symbol("x", real=True)
    stated = beta ** (q - 1) * block[1] + sp.Sum(beta ** (q - k) * joint[k], (k, 2, q))
    return Induction(Equal(x, stated), value=x, over=q, start=1, first=block[1], next=beta * x + joint[q + 1])


@claim(
    PAPER,
    "l17-ih",
    at="Lemma 17, proof, induction hypothesis",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="lemma-17-corrected",
)
def induction_hypothesis_as_printed():
    """The hypothesis for T - N has (1-gamma)^(q-(i+1)), which is the Lemma at q - 1. (There it is
    (1-gamma)^(q-(i+2)), which the proof goes on with; the last line has its sum from i = 2, for i = 1.)
    """
    return Instance(
        Equal(beta * block[1], block[1], given=[beta < 1]),
        let={"q": "2", "r": "0", "beta": "1 - gamma", "b[1]": "G[1, N]"},
        because="at q = 2 the hypothesis says G[1, N] = (1-gamma) G[1, N]",
    )


@claim(
    PAPER,
    "lemma-17-corrected",
    at="Lemma 17, corrected",
    kind="identity",
    uses=["eq-9", "l17-step-corrected"],
    standing="ours",
)
def momentum_is_rebuilt_if_every_epoch_has_the_same_order():
    """Lemma 17 holds if all epochs visit the records in one order: then J_k = (1-gamma) Delta_k + gamma b_k =
    b_k - (1-gamma) b_{k-1}, and Eq (9), applied q times, G[1,T] = rho^q G[1,r] + sum_k rho^(q-k) b_k, is
    rho^q G[1,r] + c_q b_1 + sum_{k=2..q} c_{q-k+1} J_k, c_m = (beta^m - rho^m)/(beta - rho), beta = 1-gamma,
    or m beta^(m-1) where rho = beta.

    It holds for any orders with grad F for grad f, which is a mean over the records: given the anchors, what
    Algorithm 2 rebuilds has the right mean.
    """
    start = sp.Symbol("X_0", real=True)  # G[1, r]
    gained = block[k] - beta * block[k - 1]

    def rebuilt(c, rho):
        return rho**q * start + c(q) * block[1] + sp.Sum(c(q - k + 1) * gained, (k, 2, q))

    def repeated(rho):
        return rho**q * start + sp.Sum(rho ** (q - k) * block[k], (k, 1, q))

    apart = rebuilt(lambda m: (beta**m - rho**m) / (beta - rho), rho)
    delta = block[k] - block[k - 1]
    return AllOf(
        _difference(),
        Equal(beta * delta + (1 - beta) * block[k], gained),
        Equal(apart, repeated(rho), given=[sp.Ne(rho, beta)]),
        Equal(rebuilt(lambda m: m * beta ** (m - 1), beta), repeated(beta)),
    )
