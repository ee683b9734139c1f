"""Section 5 and Appendix E: the privacy of DIFF2-BVR-L-SGD, whose clients take local steps on secret batches.

    local release  k = 2..K of a round   mean over b of n_p records, without replacement, of clipped
    differences
                   + N(0, (sigma_3 C)^2 I),   C = C_3 |x_{k-1} - x_{k-2}|;   a record of the batch moves it by
                   2 C/b
    eps(j) = 2 j/(b sigma_3)^2,   eps'(a) as in Lemma B.7 with g = b/n_p

Client p takes local steps in at most ceil(R/P) rounds, and pays for the server's releases in all of them.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import ApproxDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.language.vectors import norm
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Instance
from dpverify.releases import Gaussian, Subsampled
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.framework import C, clipped, g, h, w
from dpverify.symbolic.diff2.guarantees import (
    P,
    R,
    delta,
    eps,
    n_min,
    n_p,
    r,
    server_cost,
    server_rounds,
    sigma_1,
    sigma_2,
)
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

a, b, k, K = (sp.Symbol(name, integer=True, positive=True) for name in ("alpha", "b", "k", "K"))
sigma_3, u_1, u_2, n = sp.symbols("sigma_3 u_1 u_2 n", positive=True)
visits = sp.ceiling(R / P)


@claim(PAPER, "lemma-e.1", at="Lemma E.1", kind="inequality", uses=["alg-2"])
def one_record_of_the_batch_moves_the_local_mean():
    """Given the batch and the earlier outputs, replacing a record moves v_{k,r} by at most 2 C_{3,k,r}/b if
    it is in the batch of client p = p_r (C/b if one of the two records sends 0). If p is not p_r, v_{k,r} is
    no function of D_p, and nothing is to be shown.
    """
    moved = (w + clipped(g) / b) - (w + clipped(h) / b)
    return AllOf(
        AtMost(norm(moved), 2 * C / b, given=[norm(g) > 0, norm(h) > 0]),
        AtMost(norm(clipped(g) / b), C / b, given=[norm(g) > 0]),
    )


def local_release(scale):
    """One local release of client p."""
    return Subsampled(Gaussian(scale * C, {REPLACE: 2 * C / b}), size=b, of=n_p)


def all_rounds(first, second, third):
    """The releases of DIFF2-BVR-L-SGD that a record of client p has a part in, K local ones in a round."""
    steps = Repeated(local_release(third), k, 1, K)
    server = server_rounds(first, second)
    return Composed(*server.parts, Repeated(steps, r, 1, R, participations=visits))


def local_cost(at):
    """eps'(a) of Lemma B.7 for the local release."""
    return local_release(sigma_3).formula(("renyi", at), REPLACE)


@claim(
    PAPER,
    "prop-e.2",
    at="Proposition E.2, first sentence",
    kind="privacy guarantee",
    uses=["lemma-c.1", "lemma-e.1", "prop-4.1-counts", "lemma-b.7"],
)
def releases_of_diff2_bvr_l_sgd_add_up():
    """For every whole a >= 2, DIFF2-BVR-L-SGD is (2 a m_1/(n_p P sigma_1)^2 + 2 a m_2/(n_p P sigma_2)^2 + K
    ceil(R/P) eps'(a) + log(1/delta)/(a - 1), delta)-DP with respect to D_p, eps'(a) of Lemma B.7 with eps(j)
    = 2 j/(b sigma_3)^2.

    As in the printed proof K local releases are counted in a round; the algorithm makes K - 1 of them.
    """
    spent = server_cost(sigma_1, sigma_2, a) + K * visits * local_cost(a) + sp.log(1 / delta) / (a - 1)
    return Private(
        all_rounds(sigma_1, sigma_2, sigma_3),
        ApproxDP(spent, delta),
        REPLACE,
        given=[a >= 2, delta < 1, b <= n_p],
        order=a,
    )


@claim(
    PAPER,
    "prop-e.2-levels",
    at="Proposition E.2, second sentence",
    kind="privacy guarantee",
    uses=["prop-e.2"],
)
def stated_condition_suffices():
    """With a = 1 + ceil(2 log(1/delta)/eps), sigma_1^2 = 4 u_1 a m_1/(N^2 eps), sigma_2^2 = 4 u_2 a m_2/(N^2
    eps), N = n_min P, and 2 K ceil(R/P) eps'(a) <= (1 - 1/u_1 - 1/u_2) eps: the cost of the first sentence is
    at most eps.

    In the statement k = ceil(2 log(1/delta)/eps) = a - 1, l = log(1/delta), x = eps'(a). With 1/u_1 + 1/u_2
    >= 1, which "any u_1, u_2 > 1" admits, no sigma_3 meets the condition.
    """
    whole, ell, x = sp.Symbol("k", integer=True, positive=True), *sp.symbols("l x", positive=True)
    m_1, m_2 = sp.symbols("m_1 m_2", positive=True)
    at = 1 + whole
    first, second = 4 * u_1 * at * m_1 / (n_min**2 * P**2 * eps), 4 * u_2 * at * m_2 / (n_min**2 * P**2 * eps)
    server = 2 * at * m_1 / (n_p**2 * P**2 * first) + 2 * at * m_2 / (n_p**2 * P**2 * second)
    share = (1 - 1 / u_1 - 1 / u_2) * eps
    return (
        Theorem(
            given=[u_1 > 1, u_2 > 1, n_min <= n_p, 2 * ell <= whole * eps, 2 * K * visits * x <= share],
            shows=AtMost(server + K * visits * x + ell / whole, eps),
        )
        .have(AtMost(n_min**2, n_p**2), "the smallest client")
        .have(AtMost(server, eps / (2 * u_1) + eps / (2 * u_2)), "the smallest client costs most")
        .have(AtMost(ell / whole, eps / 2), "the conversion")
    )


s, x = sp.symbols("s x", positive=True)  # sigma_3^2 and eps'(a)
batch = [2 * sp.E * a * b <= n_min, a * s * b**3 <= 4 * n_min, n_min <= n_p]


@claim(PAPER, "prop-e.2-b", at="Proposition E.2, the condition on b", kind="inequality")
def batches_that_lemma_b8_needs():
    """If b <= n_min/(2 e a), b^3 <= 4 n_min/(a sigma_3^2) and sigma_3^2 >= 6 a/b^2, the conditions of Lemma
    B.8 with c = 1 hold for g = b/n_p and eps(j) = 2 j/(b sigma_3)^2: eps(a) <= 1/3, 2 g a e <= 1 (so that
    log(1/(2 g a)) >= 1 >= eps(a)) and g <= eps(2)/a. In the statement s = sigma_3^2.
    """
    held = [*batch, 6 * a <= s * b**2]
    rate = b / n_p
    return AllOf(
        AtMost(2 * a / (b**2 * s), sp.Rational(1, 3), given=held),
        AtMost(2 * rate * a * sp.E, 1, given=held),
        Theorem(given=held, shows=AtMost(rate, 4 / (a * b**2 * s)))
        .have(AtMost(b / n_p, b / n_min), "the smallest client has the largest share")
        .have(AtMost(b / n_min, 4 / (a * b**2 * s)), "the condition on b^3"),
    )


@claim(PAPER, "prop-e.2-b-size", at="Proposition E.2, the condition on b", kind="inequality", standing="ours")
def clients_need_enough_records():
    """The condition on b and sigma_3^2 >= 6 a/b^2 together give 3 a^2 b <= 2 n_min: there is no batch at all
    for clients of fewer than 3 a^2/2 records (122 at eps = 3, delta = 10^-5).
    """
    return AtMost(3 * a**2 * b, 2 * n_min, given=[a * s * b**3 <= 4 * n_min, 6 * a <= s * b**2])


@claim(PAPER, "prop-e.2-sigma", at="Appendix E, last display", kind="inequality", uses=["lemma-b.8"])
def noise_that_the_batches_need():
    """If eps'(a) <= (2/3)(4 + e) g^2 a^2 eps(2)/(a - 1) with g = b/n_p, n_p >= n_min, eps(2) = 4/(b
    sigma_3)^2 (Lemma B.8, c = 1) and sigma_3^2 >= (8/3)(4 + e) (a^2/(a - 1)) 6 K ceil(R/P)/(n_min^2 eps),
    then 6 K ceil(R/P) eps'(a) <= eps.
    """
    v = sp.Symbol("v", integer=True, positive=True)  # ceil(R/P)
    factor = sp.Rational(8, 3) * (4 + sp.E) * a**2 / (a - 1)
    bound = factor / (n_p**2 * s)
    return (
        Theorem(
            given=[a >= 2, n_min <= n_p, x <= bound, factor * 6 * K * v <= s * n_min**2 * eps],
            shows=AtMost(6 * K * v * x, eps),
        )
        .have(AtMost(n_min**2, n_p**2), "the smallest client")
        .have(AtMost(factor * 6 * K * v, s * n_p**2 * eps), "the condition on sigma_3")
        .have(AtMost(6 * K * v * x, 6 * K * v * bound), "Lemma B.8")
    )


def exceeded_budget():
    """2 K ceil(R/P) eps'(2) <= eps at R = 1, b = 1, eps = 1, delta = e^(-1/2), for sigma_3^2 = s of order
    1.
    """
    spent = sp.log(1 + sp.Min(4 * (sp.exp(4 / s) - 1), 2 * sp.exp(4 / s)) / n_min**2)
    return AtMost(2 * K * spent, 1, given=[n_min >= 11, s <= 2 * n_min, n_min**2 * (1 + s) <= K])


@claim(
    PAPER,
    "prop-e.2-theta",
    at="Proposition E.2, last sentence",
    kind="asymptotic",
    expect=REFUTED,
    breaks="theorem",
    correction="prop-e.2-theta-corrected",
)
def stated_order_of_the_local_noise():
    """For every b with the condition, some sigma_3^2 of the order KR/(n_min^2 P eps^2) + 1/(b^2 eps) meets 2
    K ceil(R/P) eps'(a) <= (1 - 1/u_1 - 1/u_2) eps.

    With fewer rounds than clients, ceil(R/P) = 1 is more than R/P: at R = 1, b = 1, eps = 1, delta =
    e^(-1/2), a = 2, K >= n^2 (1 + s) and P >= K the stated order is 1, and no s = sigma_3^2 of order 1 meets
    it.
    """
    return Instance(
        exceeded_budget(),
        let={"R, b, a, eps, delta": "1, 1, 2, 1, exp(-1/2)", "P": "any P >= K", "s": "sigma_3^2, any"},
        because="one visit is made, where the order counts R/P of a visit",
    )


@claim(
    PAPER,
    "prop-e.2-theta-never",
    at="Proposition E.2, last sentence, for every sigma_3",
    kind="inequality",
    standing="ours",
)
def no_noise_of_the_stated_order_meets_the_condition():
    """In the case of prop-e.2-theta the condition fails for every s = sigma_3^2 and K >= n^2 (1 + s), not for
    one: both numbers of the minimum are at least 2/(s + 1), log(1 + x) >= x/(1 + x), and 2 K x/(1 + x) > 1
    for every x >= 2/(n^2 (s + 1)).
    """
    x = sp.Symbol("x", positive=True)
    floor = 2 / ((s + 1) * n_min**2)
    return AllOf(
        AtMost(2 / (s + 1), 4 * sp.exp(4 / s) - 4),
        AtMost(2 / (s + 1), 2 * sp.exp(4 / s)),
        AtMost(x / (1 + x), sp.log(1 + x)),
        Theorem(
            given=[n_min >= 11, n_min**2 * (1 + s) <= K, x >= floor],
            shows=AtMost(1, 2 * K * x / (1 + x), strict=True),
        )
        .have(AtMost(2 / x, K), "K >= n^2 (1 + s) >= 2/x")
        .have(AtMost(4 / (1 + x), 2 * K * x / (1 + x)), "times 2 x/(1 + x)")
        .have(AtMost(1, 2 * K * x / (1 + x), strict=True), "4/(1 + x) > 1, or x >= 3 and K >= 121"),
    )


@claim(
    PAPER,
    "prop-e.2-theta-corrected",
    at="Proposition E.2, last sentence, corrected",
    kind="asymptotic",
    uses=["prop-e.2-sigma"],
    standing="ours",
)
def order_of_the_local_noise():
    """The least sigma_3^2 that Appendix E asks for, max(16 (4 + e) (a^2/(a - 1)) K ceil(R/P)/(n_min^2 eps), 6
    a/b^2), is between 1 and 16 (4 + e) times max(2 a K ceil(R/P)/(n_min^2 eps), 6 a/b^2); with R >= P,
    ceil(R/P) <= 2 R/P, and with fewer rounds than clients ceil(R/P) = 1 stays.
    """
    v = sp.Symbol("v", integer=True, positive=True)
    unit = K * v / (n_min**2 * eps)
    least = sp.Max(16 * (4 + sp.E) * a**2 / (a - 1) * unit, 6 * a / b**2)
    scale = sp.Max(2 * a * unit, 6 * a / b**2)
    return AllOf(
        AtMost(scale, least, given=[a >= 2]),
        AtMost(least, 16 * (4 + sp.E) * scale, given=[a >= 2]),
        AtMost(sp.ceiling(R / P), 2 * R / P, given=[P <= R]),
    )
