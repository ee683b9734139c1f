"""Theorem 4's conversion to (epsilon, delta) and the technical results of the appendix: Propositions 13 to
18, Lemma 17.

(z, z/(2 sigma^2))-RDP for every z > 1  =>  eps(sigma) = 1/(2 sigma^2) + 2 sqrt(l/(2 sigma^2)),  l =
log(1/delta)
G[a,b] = sum_{t=a..b} (1-alpha)^(b-t) grad f(w_{q_t N}, x_t),  x_t the sample of step t
"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.relations import AtMost, Derivation, Equal, Increasing, Instance, Tested
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result, Witness

eps, ell, sigma = sp.symbols("epsilon l sigma", positive=True)  # l = log(1/delta)
alpha, gamma = sp.symbols("alpha gamma", positive=True)
N = sp.Symbol("N", integer=True, positive=True)
e = sp.exp(1)


@claim(PAPER, "prop-16", at="Proposition 16", kind="inequality", expect=SUPPORTED)
def discounted_bits_are_at_most_a_doubly_exponential_sum():
    """For gamma in (0, 1) and s with bits b_R..b_0: sum_i b_i gamma^(2 (s mod 2^i)) <= 1 + sum_{i=1..R}
    gamma^(2^i).
    """
    k, p, R = sp.symbols("k p R", integer=True, positive=True)
    low, x = sp.Symbol("s_k", nonnegative=True), sp.Symbol("x", positive=True)
    return (
        Derivation()
        .step(
            AtMost(2**k, 2**p, given=[p >= k]),
            "p_1 < p_2 < ... are the positions of the set bits, so p_(k+1) >= k",
        )
        .step(
            AtMost(2 ** (k + 1) - 1, low + x, given=[low >= 2**k - 1, x >= 2**k]),
            "s mod 2^(p_(k+1)) >= 2^k - 1 by induction on k: it is the sum of the k lower set "
            "bits, 0 at k = 0",
        )
        .step(
            AtMost(2**k, 2 * (2**k - 1)), "so the exponent 2 (s mod 2^(p_(k+1))) is at least 2^k for k >= 1"
        )
        .step(
            Increasing(gamma**x, x, down=True, given=[gamma < 1]),
            "and its power of gamma at most gamma^(2^k); the lowest set bit gives 1",
        )
        .step(
            Increasing(sp.Sum(gamma ** (2**k), (k, 1, R)), R, given=[gamma < 1]),
            "at most R of the R + 1 bits stand above the lowest set one, and the terms are positive",
        )
    )


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


def compose(a: int, b: int) -> list[tuple[int, int]]:
    """Algorithm 3: the intervals of COMPOSE(a, b), greedily the largest dyadic block.

    >>> compose(2, 8)
    [(2, 2), (3, 4), (5, 8)]
    """
    found = []
    while a <= b:
        k = 0
        while (a - 1) % 2 ** (k + 1) == 0 and a + 2 ** (k + 1) - 1 <= b:
            k += 1
        found.append((a, a + 2**k - 1))
        a += 2**k
    return found


@claim(PAPER, "prop-18", at="Proposition 18", kind="inequality", expect=SUPPORTED)
def compose_has_at_most_twice_one_plus_log_intervals():
    """|COMPOSE(a,b)| <= 2 (1 + floor(log2(b-a+1))), and <= 1 + log2(b) if a = 1; its intervals are dyadic,
    disjoint and cover [a,b].
    """
    k, h, m = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("k", "h", "m"))
    left = sp.Symbol("n", integer=True, positive=True)  # what is left, b - a + 1
    length = sp.Symbol("length", positive=True)
    return (
        Derivation()
        .step(
            Equal(h * 2**k + 1 + 2**k - 1, (h + 1) * 2**k),
            "a block [a, a+2^k-1] with 2^k | a-1 is [h 2^k + 1, (h+1) 2^k]; the next starts where it ends",
        )
        .step(
            Equal((2 * h + 1) * 2**k + 2**k, (h + 1) * 2 ** (k + 1)),
            "while divisibility limits k (a-1 an odd multiple of 2^k), the next a-1 is a "
            "multiple of 2^(k+1): k increases at every such step",
        )
        .step(
            AtMost(left - 2**k, 2**k, given=[left < 2 * 2**k], strict=True),
            "once length limits k (2^k <= n < 2^(k+1)), what is left is < 2^k and 2^k still "
            "divides a-1: length limits k ever after, and k decreases",
        )
        .step(
            AtMost(k, sp.log(length) / sp.log(2), given=[2**k <= length]),
            "all k are between 0 and floor(log2(b-a+1)) = m, so each of the two runs has at most "
            "m + 1 blocks",
        )
        .step(
            Equal((m + 1) + (m + 1), 2 * (1 + m)),
            "two runs in general; at a = 1 every 2^k divides a-1 and there is only the second",
        )
    )


@claim(PAPER, "prop-18-run", at="Proposition 18, run", kind="inequality", uses=["prop-18"], expect=SUPPORTED)
def compose_counted_on_every_small_interval(effort: Effort):
    """Proposition 18 holds for every interval [a, b] with b <= 96 (quick) or 400 (full), by running Algorithm
    3.
    """
    most = 96 if effort.name == "quick" else 400

    def run(effort: Effort) -> Result:
        for b in range(1, most + 1):
            for a in range(1, b + 1):
                found = compose(a, b)
                dyadic = all((x - 1) % (y - x + 1) == 0 and (y - x + 1) & (y - x) == 0 for x, y in found)
                joined = (
                    found[0][0] == a
                    and found[-1][1] == b
                    and all(q[0] == p[1] + 1 for p, q in pairwise(found))
                )
                few = len(found) <= 2 * (1 + (b - a + 1).bit_length() - 1) and (
                    a > 1 or len(found) <= b.bit_length()
                )
                if not (dyadic and joined and few):
                    return Result(
                        REFUTED,
                        f"it fails at [{a}, {b}]",
                        witness=Witness(
                            {"a": str(a), "b": str(b)}, f"COMPOSE(a, b) = {found}", "Proposition 18"
                        ),
                    )
        evidence = Evidence(
            "enumeration",
            samples=most * (most + 1) // 2,
            ceiling=f"a counterexample with b <= {most} would have been found",
        )
        return Result(
            SUPPORTED,
            f"it holds on each of the {most * (most + 1) // 2} intervals with b <= {most}",
            evidence,
        )

    return Tested("Proposition 18 on every small interval", run)
