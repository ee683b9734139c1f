"""Appendix B: the lemmas behind momentum. B.5 (gradient variance), B.6 (the double sum), B.7 (the two phases
of the weights).

U_1(t, i) = sum_{k=t-i..t-1} k beta^k,   h(t) = gamma^(t-1) (1 - beta^t),   T_hat = max{t: h(t) >= 1 - beta}
c = beta gamma/((gamma - beta)^2 (1 - beta)^3)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, inner, norm2, total, vectors
from dpverify.relations import AtMost, Equal, Increasing, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import (
    ETA0_LIMIT,
    INSIDE,
    C,
    M,
    beta,
    eta0,
    gamma,
    i,
    j,
    t,
    weight,
)
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

k, n = sp.symbols("k n", integer=True, positive=True)
a = sp.Symbol("a", positive=True)
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
    f, theta, w = Function("f", smooth=M), Vector("theta_t"), VectorSequence("w")
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


@claim(
    PAPER,
    "lemma-b.6",
    at="Lemma B.6",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-b.6-corrected",
)
def double_sum_is_at_most_a_single_one():
    """sum_t gamma^(T-t) sum_{i<t} |v_{i+1}|^2 U_1(t, i) <= 2 beta gamma/((gamma-beta)^2 (1-beta)) sum_{i<T}
    gamma^(T-i) |v_{i+1}|^2, beta != gamma.

    Refuted where gamma < beta, which Theorem 4.4 does not exclude.
    """
    length = 6  # |v_2|^2 = 1, the others 0
    left = sum(
        gamma ** (length - s) * sum(r * beta**r for r in range(s - 1, s)) for s in range(2, length + 1)
    )
    right = 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * gamma ** (length - 1)
    case = {"kappa": "1", "eta_0": "1 - gamma", "T": str(length), "v": "v_2 of length 1, the others 0"}
    return Instance(AtMost(left, right, given=[beta <= sp.Rational(1, 2), *AT_KAPPA_1]), let=case)


def _u1(m, last):
    """sum_{k=m..last} k beta^k."""
    return sp.Sum(k * beta**k, (k, m, last))


def _inner(x):
    """sum_{i<t} u_i U_1(t, i), U_1(t, i) = sum_{k=t-i..t-1} k beta^k, at t = x."""
    return sp.Sum(u[i] * _u1(x - i, x - 1), (i, 1, x - 1))


def _average(x):
    """sum_{i<x} beta^(x-i) u_i."""
    return sp.Sum(beta ** (x - i) * u[i], (i, 1, x - 1))


def _moment(x):
    """sum_{i<x} (x-i) beta^(x-i) u_i."""
    return sp.Sum((x - i) * beta ** (x - i) * u[i], (i, 1, x - 1))


def _primitive(m):
    """(m beta^m + beta^(m+1)/(1-beta))/(1-beta), whose value at m less that at m + 1 is m beta^m."""
    return (m * beta**m + beta ** (m + 1) / (1 - beta)) / (1 - beta)


@claim(
    PAPER,
    "lemma-b.6-inner",
    at="Lemma B.6, the inner sums",
    kind="inequality",
    uses=["proof-b.6-u1-corrected"],
    standing="ours",
)
def inner_sums_are_at_most_two_averages():
    """(1-beta)^2 sum_{i<t} u_i U_1(t, i) <= (1-beta) sum_{i<t} (t-i) beta^(t-i) u_i + beta sum_{i<t}
    beta^(t-i) u_i; t + 1 stands for t.
    """
    x, square = t + 1, (1 - beta) ** 2
    each = (1 - beta) * ((x - i) * beta ** (x - i) * u[i]) + beta * (beta ** (x - i) * u[i])
    both = (1 - beta) * _moment(x) + beta * _average(x)
    return (
        Theorem(given=[beta < 1], shows=AtMost(square * _inner(x), both))
        .use("proof-b.6-u1-corrected", "U_1 in closed form", over=(i, 1, t), t=x, i=i)
        .have(
            ForEvery(AtMost(square * _u1(x - i, t), square * _primitive(x - i)), i, 1, t), "times (1-beta)^2"
        )
        .sum(AtMost(square * (u[i] * _u1(x - i, t)), each), (i, 1, t), "each i")
        .have(Equal(sp.Sum(square * (u[i] * _u1(x - i, t)), (i, 1, t)), square * _inner(x)), "a factor")
        .have(Equal(sp.Sum(each, (i, 1, t)), both), "two sums")
    )


@claim(
    PAPER,
    "lemma-b.6-corrected",
    at="Lemma B.6, with gamma > beta",
    kind="inequality",
    uses=["lemma-b.6-inner"],
    standing="ours",
)
def double_sum_is_at_most_a_single_one_if_gamma_exceeds_beta():
    """Lemma B.6 holds for gamma > beta, u_i = |v_{i+1}|^2 being any numbers and T = n + 1: sum_{t=2..T}
    gamma^(T-t) sum_{i<t} u_i sum_{k=t-i..t-1} k beta^k <= 2 beta gamma/((gamma-beta)^2 (1-beta)) sum_{i<T}
    gamma^(T-i) u_i. (The inner sum is empty at t = 1; t + 1 stands for t.)
    """
    double, both = _inner(t + 1), (1 - beta) * _moment(t + 1) + beta * _average(t + 1)
    gap, square = (gamma - beta) ** 2, (1 - beta) ** 2
    q = beta * gamma * (1 - beta) + beta**2 * (gamma - beta)
    potential = q * _average(t) + beta * (gamma - beta) * (1 - beta) * _moment(t)
    left = sp.Sum(gamma ** (n - t) * double, (t, 1, n))
    most = sp.Sum(gamma ** (n - t) * both, (t, 1, n))
    effect = sp.Sum(gamma ** (n + 1 - t) * u[t], (t, 1, n))
    return (
        Theorem(
            given=[beta < gamma, gamma < 1],
            shows=AtMost(left, 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * effect),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .use("lemma-b.6-inner", "the inner sums", over=(t, 1, n), t=t)
        .sum(
            AtMost(square * (gamma ** (n - t) * double), gamma ** (n - t) * both),
            (t, 1, n),
            "times gamma^(T-t)",
        )
        .have(AtMost(square * left, most), "added up")
        .unroll(
            potential,
            gamma,
            q * gamma * u[t] - gap * both,
            (t, 1, n),
            "a potential of sum_i beta^(t-i) u_i and sum_i (t-i) beta^(t-i) u_i pays for them",
        )
        .have(AtMost(0, potential.subs(t, n + 1)), "what is left of the potential")
        .have(AtMost(gap * most, q * effect), "all steps")
        .have(AtMost(gap * (square * left), gap * most), "the inner sums")
        .have(
            AtMost(q * effect, 2 * beta * gamma * (1 - beta) * effect),
            "the second part is at most the first: beta (gamma-beta) <= gamma (1-beta)",
        )
    )


@claim(
    PAPER,
    "lemma-b.5-corrected",
    at="Lemma B.5, with gamma > beta, given Eq (20) at every t",
    kind="inequality",
    uses=["eq-20", "lemma-b.6-corrected"],
    standing="ours",
)
def gradient_variance_is_at_most_the_momentum_effect_if_gamma_exceeds_beta():
    """Lemma B.5 for gamma > beta, T = n + 1, u_i = |v_{i+1}|^2 and U_2(t) = sum_{i<=t} beta^(t-i) |grad_t -
    grad_i|^2, of which Eq (20) is known: if U_2(t) <= eta_0^2/(4 (1-beta)^2) sum_{i<t} u_i sum_{k=t-i..t-1}
    k beta^k for t = 2..T, then sum_{t=2..T} gamma^(T-t) (2 (1-beta) eta_t/b_t) U_2(t) <= eta_0^3 c/(2M)
    sum_{i<T} gamma^(T-i) u_i, eta_t = eta_0/(2M), b_t = 1 - beta^t. (U_2(1) = 0; t + 1 stands for t.)

    Eq (20) is eq-20, from the distances of eq-20-smooth.
    """
    variance = sp.IndexedBase("U_2", nonnegative=True)[t + 1]
    doubled = sp.Sum(gamma ** (n - t) * _inner(t + 1), (t, 1, n))
    share, factor = (1 - beta) / (1 - beta ** (t + 1)), eta0**3 / (4 * M)
    term = gamma ** (n - t) * 2 * (eta0 / (2 * M)) * share * variance
    effect = sp.Sum(gamma ** (n + 1 - t) * u[t], (t, 1, n))
    lemma = 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * effect
    return (
        Theorem(
            given=[
                beta < gamma,
                gamma < 1,
                ForEvery(AtMost(variance, eta0**2 / (4 * (1 - beta) ** 2) * _inner(t + 1)), t, 1, n),
            ],
            shows=AtMost(sp.Sum(term, (t, 1, n)), eta0**3 * C / (2 * M) * effect),
        )
        .have(AtMost(beta, 1, strict=True), "beta < gamma < 1")
        .have(ForEvery(AtMost(share, 1), t, 1, n), "b_t >= 1 - beta")
        .have(ForEvery(AtMost(share * variance, variance), t, 1, n), "times U_2(t)")
        .have(
            ForEvery(AtMost((1 - beta) ** 2 * (share * variance), eta0**2 / 4 * _inner(t + 1)), t, 1, n),
            "Eq (20)",
        )
        .sum(
            AtMost((1 - beta) ** 2 * term, factor * (gamma ** (n - t) * _inner(t + 1))),
            (t, 1, n),
            "times gamma^(T-t)",
        )
        .use("lemma-b.6-corrected", "Lemma B.6")
        .calc(
            (1 - beta) ** 2 * sp.Sum(term, (t, 1, n)),
            ("<=", factor * doubled, "added up"),
            ("<=", factor * lemma, "Lemma B.6"),
            ("=", (1 - beta) ** 2 * (eta0**3 * C / (2 * M) * effect), "collected"),
        )
    )


@claim(
    PAPER,
    "proof-b.6-u1",
    at="Proof of Lemma B.6, U_1(t, i)",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.6-u1-corrected",
)
def u1_in_closed_form():
    """U_1(t, i) = ((t-i) beta^(t-i) + (beta^(t-i+1) - beta)/(1-beta))/(1-beta)."""
    return Equal(
        _u1(t - i, t - 1),
        ((t - i) * beta ** (t - i) + (beta ** (t - i + 1) - beta) / (1 - beta)) / (1 - beta),
        given=[i < t, beta < 1],
    )


@claim(
    PAPER,
    "proof-b.6-u1-corrected",
    at="Proof of Lemma B.6, U_1(t, i), corrected",
    kind="identity",
    standing="ours",
)
def u1_in_its_true_closed_form():
    """With j = t - i: U_1 = ((j beta^j - t beta^t) + (beta^(j+1) - beta^(t+1))/(1-beta))/(1-beta) <= (j
    beta^j + beta^(j+1)/(1-beta))/(1-beta).
    """
    u1 = _u1(t - i, t - 1)
    return (
        Theorem(
            given=[i < t, beta < 1],
            shows=AllOf(Equal(u1, _primitive(t - i) - _primitive(t)), AtMost(u1, _primitive(t - i))),
        )
        .have(Equal(u1, _primitive(t - i) - _primitive(t)), "the sum telescopes")
        .have(AtMost(0, _primitive(t)), "what is dropped")
    )


@claim(
    PAPER,
    "proof-b.6-ja",
    at="Proof of Lemma B.6, sum of j a^j",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.6-ja-corrected",
)
def sum_of_j_a_to_the_j():
    """sum_{j<=n} j a^j <= a/(1-a)^2 for a = beta/gamma, whatever beta != gamma in (0, 1).

    Refuted where gamma < beta, which neither Lemma B.6 nor Theorem 4.4 excludes: then a > 1.
    """
    ratio = beta / gamma
    return AtMost(
        sp.Sum(j * ratio**j, (j, 1, n)), ratio / (1 - ratio) ** 2, given=[sp.Ne(beta, gamma), *INSIDE]
    )


@claim(
    PAPER,
    "proof-b.6-ja-corrected",
    at="Proof of Lemma B.6, sum of j a^j, for beta < gamma",
    kind="inequality",
    standing="ours",
)
def sum_of_j_a_to_the_j_below_one():
    """sum_{j<=n} j a^j = (a - a^(n+1))/(1-a)^2 - n a^(n+1)/(1-a) <= a/(1-a)^2 for 0 < a < 1."""
    closed = (a - a ** (n + 1)) / (1 - a) ** 2 - n * a ** (n + 1) / (1 - a)
    terms = sp.Sum(j * a**j, (j, 1, n))
    return (
        Theorem(given=[a < 1], shows=AllOf(Equal(terms, closed), AtMost(terms, a / (1 - a) ** 2)))
        .have(Equal(terms, closed), "the order of summation")
        .have(AtMost(closed, a / (1 - a) ** 2), "what is dropped is positive")
    )


@claim(
    PAPER,
    "proof-b.6-missing-2",
    at="Proof of Lemma B.6, third line of the last display but two",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-b.6-missing-2-corrected",
)
def two_terms_are_at_most_the_first():
    """a/(1-a)^2 + (beta/(1-beta)) a/(1-a) <= a/(1-a)^2 (the next display has 2a)."""
    return AtMost(
        a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a), a / (1 - a) ** 2, given=[beta < a, a < 1]
    )


@claim(
    PAPER,
    "proof-b.6-missing-2-corrected",
    at="Proof of Lemma B.6, last display but one",
    kind="inequality",
    standing="ours",
)
def two_terms_are_at_most_twice_the_first():
    """a/(1-a)^2 + (beta/(1-beta)) a/(1-a) <= 2a/(1-a)^2 for beta <= a < 1."""
    return AtMost(
        a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a), 2 * a / (1 - a) ** 2, given=[beta <= a, a < 1]
    )


def h(x):
    """gamma^(x-1) (1 - beta^x)."""
    return gamma ** (x - 1) * (1 - beta**x)


@claim(PAPER, "lemma-b.7-powers", at="Lemma B.7, two bounds of powers", kind="inequality", standing="ours")
def powers_behind_the_weights():
    """1 - (t-1)(1-gamma) <= gamma^(t-1) for gamma in (0, 1)."""
    return Theorem(given=[gamma < 1], shows=AtMost(1 - (t - 1) * (1 - gamma), gamma ** (t - 1))).induct(t, 1)


@claim(PAPER, "lemma-b.7-sum", at="Lemma B.7, a geometric sum", kind="inequality", standing="ours")
def geometric_sum_behind_the_weights():
    """(1-beta)(1 + (t-1) beta^t) <= 1 - beta^t for beta in (0, 1)."""
    shows = AtMost((1 - beta) * (1 + (t - 1) * beta**t), 1 - beta**t)
    return Theorem(given=[beta < 1], shows=shows).induct(t, 1)


@claim(PAPER, "lemma-b.7-falls", at="Lemma B.7, where h falls it goes on", kind="inequality", standing="ours")
def where_h_falls_it_goes_on_falling():
    """If h(t+1) <= h(t), that is gamma (1-beta^(t+1)) <= 1 - beta^t, then gamma^m (1-beta^(t+m)) <= 1 -
    beta^t for every m >= 0.
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    later = gamma * (1 - beta ** (t + m + 1))
    return (
        Theorem(
            given=[*INSIDE, gamma * (1 - beta ** (t + 1)) <= 1 - beta**t],
            shows=AtMost(gamma**m * (1 - beta ** (t + m)), 1 - beta**t),
        )
        .have(AtMost(later, 1 - beta ** (t + m)), "it falls at t + m too")
        .have(AtMost(gamma**m * later, gamma**m * (1 - beta ** (t + m))), "times gamma^m")
        .induct(m, 0)
    )


@claim(
    PAPER,
    "lemma-b.7-rising",
    at="Lemma B.7, where h rises",
    kind="inequality",
    uses=["lemma-b.7-powers", "lemma-b.7-sum"],
    standing="ours",
)
def weight_is_below_the_power_where_h_rises():
    """If h(t+1) >= h(t), that is gamma (1-beta^(t+1)) >= 1 - beta^t, then (1-beta)/(1-beta^t) <= gamma^(t-1):
    h(t) >= h(1).
    """
    bt = 1 - beta**t
    return (
        Theorem(
            given=[*INSIDE, gamma * (1 - beta ** (t + 1)) >= bt], shows=AtMost(weight(t), gamma ** (t - 1))
        )
        .use("lemma-b.7-powers", "Bernoulli", t=t, gamma=gamma)
        .use("lemma-b.7-sum", "the geometric sum", t=t, beta=beta)
        .have(AtMost(bt * (1 - gamma), beta**t * (1 - beta)), "h rises at t")
        .have(AtMost((t - 1) * bt * (1 - gamma), (t - 1) * beta**t * (1 - beta)), "times t - 1")
        .have(AtMost(bt * (1 - (t - 1) * (1 - gamma)), bt * gamma ** (t - 1)), "times b_t")
        .have(AtMost(1 - beta, bt * gamma ** (t - 1)), "h(t) >= h(1)")
    )


@claim(
    PAPER,
    "lemma-b.7-falling",
    at="Lemma B.7, where h falls",
    kind="inequality",
    uses=["lemma-b.7-falls"],
    standing="ours",
)
def weight_is_below_the_power_where_h_falls():
    """If h(t+1) <= h(t) and (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), T_hat = t + m, then
    (1-beta)/(1-beta^t) <= gamma^(t-1): h(t) >= h(T_hat) >= h(1).
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    bt = 1 - beta**t
    return (
        Theorem(
            given=[
                *INSIDE,
                gamma * (1 - beta ** (t + 1)) <= bt,
                weight(t + m) <= gamma ** (t + m - 1),
            ],
            shows=AtMost(weight(t), gamma ** (t - 1)),
        )
        .use("lemma-b.7-falls", "from t to T_hat", t=t, m=m)
        .have(AtMost(1 - beta, gamma ** (t + m - 1) * (1 - beta ** (t + m))), "h(T_hat) >= h(1)")
        .have(
            AtMost(gamma ** (t - 1) * (gamma**m * (1 - beta ** (t + m))), gamma ** (t - 1) * bt),
            "h(T_hat) <= h(t)",
        )
        .have(AtMost(1 - beta, gamma ** (t - 1) * bt), "h(t) >= h(1)")
    )


@claim(
    PAPER,
    "lemma-b.7-before",
    at="Lemma B.7, t <= T_hat",
    kind="inequality",
    uses=["lemma-b.7-rising", "lemma-b.7-falling"],
    standing="ours",
)
def weights_are_geometric_up_to_t_hat():
    """If (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), T_hat = t + m with m >= 0, then (1-beta)/(1-beta^t) <=
    gamma^(t-1).
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    rise, bt = gamma * (1 - beta ** (t + 1)), 1 - beta**t
    return (
        Theorem(
            given=[*INSIDE, weight(t + m) <= gamma ** (t + m - 1)],
            shows=AtMost(weight(t), gamma ** (t - 1)),
        )
        .use("lemma-b.7-rising", "where h rises", when=rise >= bt, t=t)
        .use("lemma-b.7-falling", "where h falls", when=rise <= bt, t=t, m=m)
        .cases(rise >= bt, rise <= bt)
    )


@claim(
    PAPER,
    "lemma-b.7-squared",
    at="Lemma B.7, t <= T_hat, squared",
    kind="inequality",
    uses=["lemma-b.7-before"],
    standing="ours",
)
def squared_weights_are_geometric_up_to_t_hat():
    """If (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), T_hat = t + m with m >= 0, then ((1-beta)/(1-beta^t))^2
    <= gamma^(2(t-1)).
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    return (
        Theorem(
            given=[*INSIDE, weight(t + m) <= gamma ** (t + m - 1)],
            shows=AtMost(weight(t) ** 2, gamma ** (2 * (t - 1))),
        )
        .use("lemma-b.7-before", "Lemma B.7", t=t, m=m)
        .have(AtMost(0, weight(t)), "beta < 1")
        .have(AtMost(weight(t) ** 2, (gamma ** (t - 1)) ** 2), "squared")
    )


@claim(PAPER, "momentum-weight-squared", at="Lemma B.7, every t, squared", kind="inequality", standing="ours")
def squared_weights_are_at_most_one():
    """((1-beta)/(1-beta^t))^2 <= 1 for t >= 1."""
    return (
        Theorem(given=[beta < 1], shows=AtMost(weight(t) ** 2, 1))
        .have(AtMost(beta**t, beta), "t >= 1")
        .have(AtMost(weight(t), 1), "so the weight is at most 1")
        .have(AtMost(0, weight(t)), "and not negative")
    )


@claim(
    PAPER,
    "lemma-b.7",
    at="Lemma B.7",
    kind="inequality",
    uses=["lemma-b.7-before"],
)
def weights_are_geometric_up_to_t_hat_and_small_after():
    """If (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), then (1-beta)/(1-beta^t) <= gamma^(t-1) for every whole
    t <= T_hat, and (1-beta)/(1-beta^t) < gamma^(T_hat-1) for every t > T_hat.
    """
    last = sp.Symbol("T_hat", integer=True, positive=True)
    given = [*INSIDE, weight(last) <= gamma ** (last - 1)]
    return AllOf(
        Theorem(given=[*given, t <= last], shows=AtMost(weight(t), gamma ** (t - 1))).use(
            "lemma-b.7-before", "T_hat - t steps on", t=t, m=last - t
        ),
        Theorem(given=[*given, t > last], shows=AtMost(weight(t), gamma ** (last - 1), strict=True))
        .have(AtMost(beta**t, beta**last, strict=True), "t > T_hat")
        .have(AtMost(weight(t), weight(last), strict=True), "the weights decrease"),
    )


@claim(PAPER, "proof-b.7-deriv", at="Proof of Lemma B.7, h'(t)", kind="identity")
def derivative_of_h():
    """h'(t) = gamma^(t-1) (1 - beta^t (1 + log_gamma beta)) ln gamma, which is 0 where beta^t = 1/(1 +
    log_gamma beta), that is at t_0 = -log_beta(1 + log_gamma beta) (r stands for log_gamma beta).
    """
    x = sp.Symbol("x", positive=True)
    ratio = sp.log(beta) / sp.log(gamma)
    stated = gamma ** (x - 1) * (1 - beta**x * (1 + ratio)) * sp.log(gamma)
    r = sp.Symbol("r", positive=True)
    return AllOf(
        Equal(sp.Derivative(h(x), x), stated, given=INSIDE),
        Equal(1 - beta**x * (1 + r), 0, given=[*INSIDE, sp.Eq(beta**x, 1 / (1 + r))]),
    )


@claim(PAPER, "proof-b.7-signs", at="Proof of Lemma B.7, the sign of h'(t)", kind="monotonicity")
def factor_of_the_derivative_increases():
    """1 - beta^t (1 + log_gamma beta) is -log_gamma beta < 0 at t = 0, increases with t and tends to 1."""
    x = sp.Symbol("x", nonnegative=True)
    ratio = sp.Symbol("r", positive=True)  # log_gamma beta
    factor = 1 - beta**x * (1 + ratio)
    return AllOf(
        Equal(factor, -ratio, given=[beta < 1, sp.Eq(x, 0)]),
        Increasing(factor, x, given=[beta < 1], strict=True),
        Equal(sp.Limit(factor, x, sp.oo), 1, given=[beta < 1]),
    )


@claim(
    PAPER,
    "proof-b.7-concave",
    at="Proof of Lemma B.7",
    kind="monotonicity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.7-concave-corrected",
)
def h_is_concave():
    """h(t) = gamma^(t-1) (1 - beta^t) is a concave function: at whole t, (h(t) + h(t+2))/2 <= h(t+1)."""
    return AtMost((h(t) + h(t + 2)) / 2, h(t + 1), given=INSIDE)


@claim(
    PAPER,
    "proof-b.7-concave-corrected",
    at="Proof of Lemma B.7, corrected",
    kind="monotonicity",
    standing="ours",
)
def log_h_is_concave():
    """(log h)'' = -(ln beta)^2 beta^t/(1-beta^t)^2 <= 0 for t > 0: log h is concave, if h is not."""
    x = sp.Symbol("x", positive=True)
    log = (x - 1) * sp.log(gamma) + sp.log(1 - beta**x)
    curvature = -(sp.log(beta) ** 2) * beta**x / (1 - beta**x) ** 2
    return AllOf(
        Equal(sp.Derivative(log, (x, 2)), curvature, given=INSIDE), AtMost(curvature, 0, given=INSIDE)
    )


@claim(
    PAPER,
    "proof-b.7-monotone",
    at="Proof of Lemma B.7, last line",
    kind="monotonicity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-b.7-monotone-corrected",
)
def weights_increase():
    """(1-beta)/(1-beta^t) monotonically increases with t."""
    return Increasing((1 - beta) / (1 - beta**t), t, given=[beta < 1])


@claim(
    PAPER,
    "proof-b.7-monotone-corrected",
    at="Proof of Lemma B.7, last line, corrected",
    kind="monotonicity",
    standing="ours",
)
def weights_decrease():
    """(1-beta)/(1-beta^t) strictly decreases with t, which is what the last line needs."""
    return Increasing((1 - beta) / (1 - beta**t), t, given=[beta < 1], strict=True, down=True)
