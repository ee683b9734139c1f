"""Appendix B: Lemma B.5, the variance of the gradients, and Eq (20) of its proof.

sum_i beta^(t-i) |grad_t - grad_i|^2, through the path of the iterates, whose gradients are M-Lipschitz
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, inner, norm2, total, vectors
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import ETA0_LIMIT, INSIDE, C, M, beta, eta0, gamma, j
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

k, n = sp.symbols("k n", integer=True, positive=True)
u = sp.IndexedBase("u", nonnegative=True)  # |v_{i+1}|^2
AT_KAPPA_1 = [
    sp.Ne(beta, gamma),
    *INSIDE,
    1 - gamma <= ETA0_LIMIT,
]  # the hypotheses of Theorem 4.4 where kappa = 1, eta_0 = 1 - gamma


@claim(
    PAPER,
    "lemma-b.5",
    at="Lemma B.5",
    kind="inequality",
    uses=["lemma-b.6", "proof-b.5-gradlip"],
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-b.5-corrected",
)
def gradient_variance_is_at_most_the_momentum_effect():
    """sum_t gamma^(T-t) (2 (1-beta) eta/b_t) sum_i beta^(t-i) |grad_t - grad_i|^2 <= eta_0^3 c/(2M) sum_{i<T}
    gamma^(T-i) |v_{i+1}|^2, beta != gamma.

    Refuted where gamma < beta, which Theorem 4.4 does not exclude.
    """
    eta, length = (1 - gamma) / 2, 4
    # f = theta^2/2, noise that makes v_2 = 1 and then v_3 = v_4 = v_5 = 0: theta moves once, by eta/b_1, and
    # stays
    theta = [sp.Symbol("theta_1", real=True)]
    v = [sp.Integer(1)] + [sp.Integer(0)] * (length - 1)
    for s in range(1, length):
        theta.append(theta[-1] - eta * v[s - 1] / (1 - beta**s))

    def variance(s):  # U_2(s)
        return sum(beta ** (s - r) * sp.expand(theta[s - 1] - theta[r - 1]) ** 2 for r in range(1, s + 1))

    left = sum(
        gamma ** (length - s) * 2 * (1 - beta) * eta / (1 - beta**s) * variance(s)
        for s in range(1, length + 1)
    )
    right = (1 - gamma) ** 3 * C / 2 * sum(gamma ** (length - r) * v[r - 1] ** 2 for r in range(1, length))
    case = {
        "f": "theta^2/2",
        "kappa": "1",
        "eta_0": "1 - gamma",
        "T": str(length),
        "noise": "such that v_2 = 1, v_3 = v_4 = v_5 = 0",
    }
    because = "for gamma < beta the geometric sums of Lemma B.6 grow"
    return Instance(
        AtMost(left, right, given=[beta <= sp.Rational(1, 2), *AT_KAPPA_1]), let=case, because=because
    )


def _falling(x):
    """f' and f of a function with f'' in {1, -2}: x, then 3 - 2x on [1, 5/4], then x - 3/4."""
    quarter = sp.Rational(1, 4)
    return {
        "below 1": (x, x**2 / 2, [x <= 1]),
        "between": (3 - 2 * x, 3 * x - x**2 - sp.Rational(3, 2), [x >= 1, x <= 1 + quarter]),
        "above": (x - 3 * quarter, (x - 3 * quarter) ** 2 / 2 + sp.Rational(9, 16), [x >= 1 + quarter]),
    }


@claim(
    PAPER,
    "proof-b.5-gradlip",
    at="Proof of Lemma B.5, first line",
    kind="inequality",
    uses=["def-3.3"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.5-gradlip-corrected",
)
def smoothness_of_definition_3_3_makes_gradients_lipschitz():
    """By smoothness (Definition 3.3), |grad f(x) - grad f(y)| <= M |x - y|."""
    x = sp.Symbol("x", real=True)
    pieces = _falling(x)
    mu, slope = sp.Rational(1, 8), {name: sp.diff(grad, x) for name, (grad, _, _) in pieces.items()}
    meets = [AtMost(s, 1) for s in slope.values()] + [
        AtMost(2 * mu * f, grad**2, given=where) for grad, f, where in pieces.values()
    ]
    ends = [sp.Integer(1), sp.Rational(5, 4)]
    joined = [
        Equal(pieces["below 1"][m].subs(x, ends[0]), pieces["between"][m].subs(x, ends[0])) for m in (0, 1)
    ]
    joined += [
        Equal(pieces["between"][m].subs(x, ends[1]), pieces["above"][m].subs(x, ends[1])) for m in (0, 1)
    ]
    gap = sp.Abs(pieces["between"][0].subs(x, ends[1]) - pieces["between"][0].subs(x, ends[0]))
    case = {
        "f'": "x up to 1, 3 - 2x up to 5/4, then x - 3/4",
        "M": "1",
        "mu (PL)": "1/8",
        "x": "5/4",
        "y": "1",
    }
    because = (
        "Definition 3.3 bounds the curvature from above only: f'' <= M, while f'' = -2 between the two points"
    )
    return Instance(AtMost(gap, ends[1] - ends[0]), let=case, meets=[*meets, *joined], because=because)


@claim(
    PAPER,
    "proof-b.5-gradlip-corrected",
    at="Proof of Lemma B.5, first line, corrected",
    kind="inequality",
    standing="ours",
)
def two_sided_smoothness_makes_gradients_lipschitz():
    """If the inequality of Definition 3.3 holds for f and for -f, then |grad f(x) - grad f(y)| <= M |x - y|,
    in any dimension: it is used from x and from y to the two points (x + y)/2 -+ (grad f(x) - grad
    f(y))/(2M).
    """
    x, y, p, q = vectors("x y p q")  # p, q are the gradients at x and y
    at_x, at_y, low, high = sp.symbols("f_x f_y f_1 f_2", real=True)
    middle, side = (x + y) / 2, (p - q) / (2 * M)

    def bound(value, start, slope, end, sign):
        return value + inner(slope, end - start) + sign * M / 2 * norm2(end - start)

    given = [
        low <= bound(at_x, x, p, middle - side, 1),
        low >= bound(at_y, y, q, middle - side, -1),
        high <= bound(at_y, y, q, middle + side, 1),
        high >= bound(at_x, x, p, middle + side, -1),
    ]
    return AtMost(norm2(p - q), M**2 * norm2(x - y), given=given)


@claim(PAPER, "eq-20-path", at="Proof of Lemma B.5, fourth line", kind="inequality")
def distance_along_the_path():
    """|sum_{j<=k} w_j|^2 <= k sum_{j<=k} |w_j|^2 in any dimension: with w_j = eta_i v_{i+1}/b_i the distance
    between theta_t and theta_{t-k}, k steps apart.
    """
    w = VectorSequence("w")
    return AtMost(norm2(total(w[j], (j, 1, k))), k * sp.Sum(norm2(w[j]), (j, 1, k)))


@claim(
    PAPER,
    "eq-20-smooth",
    at="Proof of Lemma B.5, first four lines, with M-Lipschitz gradients",
    kind="inequality",
    uses=["eq-20-path"],
    standing="ours",
)
def gradients_along_the_path():
    """For f with M-Lipschitz gradients and eta_t = eta_0/(2M): |grad_t - grad_{t-k}|^2 <= (eta_0^2/4) k
    sum_{j<=k} |w_j|^2, where theta_{t-k} is theta_t + (eta_0/(2M)) sum_{j<=k} w_j, w_j = v_{t-j+1}/b_{t-j},
    in any dimension; so that |w_j|^2 <= |v_{t-j+1}|^2/(1-beta)^2.

    Definition 3.3 as printed does not give M-Lipschitz gradients (proof-b.5-gradlip), read two-sided it does
    (proof-b.5-gradlip-corrected).
    """
    f = Function("f", smooth=M)
    theta = Vector("theta_t")
    w = VectorSequence("w")
    moved = total(w[j], (j, 1, k))
    apart = norm2(f.gradient(theta) - f.gradient(theta + eta0 / (2 * M) * moved))
    v, length = Vector("v"), sp.Symbol("b", positive=True)
    return AllOf(
        Theorem(shows=AtMost(apart, eta0**2 / 4 * k * sp.Sum(norm2(w[j]), (j, 1, k))))
        .have(AtMost(apart, eta0**2 / 4 * norm2(moved)), "the gradients are M-Lipschitz")
        .have(AtMost(norm2(moved), k * sp.Sum(norm2(w[j]), (j, 1, k))), "Cauchy-Schwarz"),
        AtMost(norm2(v / length), norm2(v) / (1 - beta) ** 2, given=[beta < 1, length >= 1 - beta]),
    )


@claim(PAPER, "eq-20-order", at="Eq (20), the order of summation", kind="identity")
def order_of_summation_in_eq_20():
    """sum_{k<=n} k beta^k sum_{j<=k} u_j = sum_{j<=n} u_j sum_{k=j..n} k beta^k (n = t - 1, u_j =
    |v_{t-j+1}|^2).
    """
    by_distance = sp.Sum(k * beta**k * sp.Sum(u[j], (j, 1, k)), (k, 1, n))
    by_step = sp.Sum(u[j] * sp.Sum(k * beta**k, (k, j, n)), (j, 1, n))
    last = (n + 1) * beta ** (n + 1) * sp.Sum(u[j], (j, 1, n + 1))
    return (
        Theorem(shows=Equal(by_distance, by_step))
        .have(Equal(by_distance.subs(n, n + 1) - by_distance, last), "one more term")
        .have(Equal(by_step.subs(n, n + 1) - by_step, last), "one more term in each inner sum")
        .induct(n, 1)
    )


@claim(PAPER, "eq-20", at="Eq (20)", kind="inequality", uses=["eq-20-smooth", "eq-20-order"])
def distances_are_at_most_a_double_sum():
    """With q_k = |grad_t - grad_{t-k}|^2 <= M^2 k sum_{j<=k} (eta_0/(2M))^2 u_j/(1-beta)^2 for k <= n = t - 1
    (eq-20-smooth; u_j = |v_{t-j+1}|^2): U_2(t) = sum_k beta^k q_k <=
    eta_0^2/(4 (1-beta)^2) sum_{j<=n} u_j sum_{k=j..n} k beta^k.
    """
    q = sp.IndexedBase("q", nonnegative=True)
    so_far = sp.Sum(u[j], (j, 1, k))
    factor = eta0**2 / (4 * (1 - beta) ** 2)
    path = ForEvery(AtMost(q[k], M**2 * k * (eta0 / (2 * M)) ** 2 / (1 - beta) ** 2 * so_far), k, 1, n)
    double = sp.Sum(u[j] * sp.Sum(k * beta**k, (k, j, n)), (j, 1, n))
    return (
        Theorem(given=[beta < 1, path], shows=AtMost(sp.Sum(beta**k * q[k], (k, 1, n)), factor * double))
        .sum(AtMost(beta**k * q[k], factor * (k * beta**k * so_far)), (k, 1, n), "each distance")
        .use("eq-20-order", "the order of summation", n=n)
        .have(Equal(factor * sp.Sum(k * beta**k * so_far, (k, 1, n)), factor * double), "the other order")
    )
