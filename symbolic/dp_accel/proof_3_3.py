"""Appendix B.1: the printed proof of Proposition 3.3, line by line: the covariance of the noise.

Cov(w_t | x_t) = (1/m)(n-m)/(n-1) times the covariance over the records + 2 b^2 I of the Laplace noise
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

n, m, d, T = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "d", "T"))
t, k = (sp.Symbol(name, integer=True, positive=True) for name in "tk")
S, eps = sp.symbols("S epsilon", positive=True)


@claim(
    PAPER,
    "eq-b.1",
    at="Eq (B.1)",
    kind="identity",
    expect=REFUTED,
    correction="eq-b.1-corrected",
    breaks="proof",
)
def norm_of_the_laplace_covariance_is_d_b_squared():
    """|Cov(eta_t | x)| = S_1(x)^2 d/(m eps_0)^2, where Cov(eta_t | x) = 2 b^2 I_d, b = S_1(x)/(m eps_0)."""
    e0 = sp.Symbol("epsilon_0", positive=True)
    b = S / (m * e0)
    return Equal(2 * b**2, S**2 * d / (m**2 * e0**2))


@claim(
    PAPER,
    "eq-b.1-corrected",
    at="Eq (B.1)",
    kind="identity",
    uses=["eq-3.1-var"],
    standing="ours",
)
def norm_of_the_laplace_covariance_is_two_b_squared():
    """Cov(eta_t | x) = 2 b^2 I_d, b = S_1(x)/(m eps_0), has the norm 2 S_1(x)^2/(m eps_0)^2 <= 2 d S_1^2/(m
    eps_0)^2, which is what (3.12) has.
    """
    e0, at, b = sp.symbols("epsilon_0 S_x b", positive=True)
    scale = sp.Eq(b, at / (m * e0))
    return AllOf(
        Equal(2 * b**2, 2 * at**2 / (m * e0) ** 2, given=[scale]),
        AtMost(2 * b**2, 2 * d * S**2 / (m * e0) ** 2, given=[scale, at <= S]),
    )


@claim(PAPER, "eq-b.2", at="Eqs (B.2) and (B.3)", kind="identity")
def mean_of_a_sample_without_replacement_has_variance_sigma2_over_m_times_the_correction():
    """The minibatch gradient has variance r_kk = sigma_{y,k}^2 (1/m)(n-m)/(n-1), sigma_{y,k}^2 the population
    variance (B.3) of the entries g_i: a record is drawn with chance m/n and two of them with m (m-1)/(n
    (n-1)), so that m^2 r_kk is the variance of one indicator times sum_i g_i^2 plus the covariance of two
    times (sum_i g_i)^2 - sum_i g_i^2.
    """
    g, i = sp.IndexedBase("g", real=True), sp.Symbol("i", integer=True, positive=True)
    squares, total = sp.Sum(g[i] ** 2, (i, 1, n)), sp.Sum(g[i], (i, 1, n))
    own, pair = (
        m / n * (1 - m / n),
        m * (m - 1) / (n * (n - 1)) - (m / n) ** 2,
    )  # covariances of the inclusion indicators
    derived = (own * squares + pair * (total**2 - squares)) / m**2
    population = squares / n - (total / n) ** 2
    return Equal(derived, population / m * (n - m) / (n - 1), given=[n >= 2])


@claim(PAPER, "eq-b.3-pop", at="after Eq (B.3)", kind="inequality")
def population_variance_is_at_most_a_quarter_of_the_squared_range():
    """sigma_{y,k}^2 <= S_{1,k}(x)^2/4: n numbers between l and h have variance at most (h - l)^2/4."""
    low, high = sp.symbols("l h", real=True)
    v, i = sp.IndexedBase("v", real=True), sp.Symbol("i", integer=True, positive=True)
    squares, total = sp.Sum(v[i] ** 2, (i, 1, n)), sp.Sum(v[i], (i, 1, n))
    inside = [ForEvery(AtMost(low, v[i]), i, 1, n), ForEvery(AtMost(v[i], high), i, 1, n)]
    mean = sp.Symbol("M", real=True)
    return (
        Theorem(
            given=[*inside, sp.Eq(mean, total / n)],
            shows=AtMost(squares / n - mean**2, (high - low) ** 2 / 4),
        )
        .sum(AtMost(v[i] ** 2, (low + high) * v[i] - low * high), (i, 1, n), "(h - v)(v - l) >= 0, added up")
        .have(AtMost(squares, (low + high) * n * mean - n * low * high), "in the mean")
        .have(AtMost(squares / n, (low + high) * mean - low * high), "over n")
        .have(AtMost((low + high) * mean - low * high - mean**2, (high - low) ** 2 / 4), "a square")
    )


@claim(PAPER, "eq-b.4-a", at="Eq (B.4), steps 1 and 2", kind="inequality", uses=["eq-b.2", "eq-b.3-pop"])
def norm_is_at_most_trace_and_squares_at_most_the_square():
    """|R| <= tr R <= (1/4) [sum_k S_{1,k}^2] (1/m)(n-m)/(n-1), and sum_k S_{1,k}^2 <= (sum_k S_{1,k})^2: r[k]
    being the variances on the diagonal of R, of which the norm, its largest eigenvalue, is at most the sum (a
    range of 0 adds nothing).
    """
    ranges, diagonal = sp.IndexedBase("S_1", positive=True), sp.IndexedBase("r", nonnegative=True)
    share = (n - m) / (m * (n - 1))
    each = AtMost(diagonal[k], share / 4 * ranges[k] ** 2)
    trace, bound = sp.Sum(diagonal[k], (k, 1, d)), sp.Sum(ranges[k] ** 2, (k, 1, d))
    norm_ = sp.Symbol("N", nonnegative=True)
    return AllOf(
        Theorem(
            given=[m <= n, n >= 2, norm_ <= trace, ForEvery(each, k, 1, d)],
            shows=AtMost(norm_, share / 4 * bound),
        )
        .sum(each, (k, 1, d), "(B.2) with (B.3), over the coordinates")
        .have(Equal(sp.Sum(share / 4 * ranges[k] ** 2, (k, 1, d)), share / 4 * bound), "the common factor"),
        AtMost(bound, sp.Sum(ranges[k], (k, 1, d)) ** 2),
    )


@claim(
    PAPER,
    "eq-b.4-last",
    at="Eq (B.4), last step",
    kind="inequality",
    expect=REFUTED,
    correction="eq-3.13",
    breaks="proof",
)
def coordinate_ranges_add_up_to_at_most_s1():
    """sum_k S_{1,k}(x) <= S_1 (Assumption 3.2 bounds the sup of the sum, not the sum of the sups)."""
    gradients = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    ranges = [max(v[i] for v in gradients) - min(v[i] for v in gradients) for i in range(2)]
    spread = max(abs(u[0] - v[0]) + abs(u[1] - v[1]) for u in gradients for v in gradients)
    let = {"f(x; y)": "|x|^2/2 - y'x", "y": "one of (1,0), (-1,0), (0,1), (0,-1)", "d": "2"}
    return Instance(AtMost(sp.Integer(sum(ranges)), sp.Integer(spread)), let=let)
