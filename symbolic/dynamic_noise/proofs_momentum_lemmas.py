"""Appendix B: the lemmas behind momentum. B.5 (gradient variance), B.6 (the double sum), B.7 (the two phases
of the weights).

U_1(t, i) = sum_{k=t-i..t-1} k beta^k,   h(t) = gamma^(t-1) (1 - beta^t),   T_hat = max{t: h(t) >= 1 - beta}
c = beta gamma/((gamma - beta)^2 (1 - beta)^3)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal, Increasing, Instance
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

t = step()
i, k, j, n = sp.symbols("i k j n", integer=True, positive=True)
beta, gamma, a, eta0, M = sp.symbols("beta gamma a eta_0 M", positive=True)
u = sp.IndexedBase("u", positive=True)  # |v_{i+1}|^2
INSIDE = [beta < 1, gamma < 1]
C = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
ETA0_LIMIT = 8 / (sp.sqrt(1 + 64 * C) + 1)  # of Theorem 4.4
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


@claim(
    PAPER,
    "lemma-b.5-corrected",
    at="Lemma B.5, with gamma > beta",
    kind="inequality",
    uses=["eq-20", "lemma-b.6-corrected"],
    expect=SUPPORTED,
)
def gradient_variance_is_at_most_the_momentum_effect_if_gamma_exceeds_beta():
    """Lemma B.5 holds for gamma > beta and M-Lipschitz gradients; with step eta_0/M and half the left side,
    with 2 c eta_0^3/M on the right.
    """
    total, weight = sp.symbols("S b", positive=True)  # sum_{i<T} gamma^(T-i) |v_{i+1}|^2, b_t
    double = 2 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta)) * total  # Lemma B.6
    order = [beta < gamma, gamma < 1]
    eta = eta0 / (2 * M)
    variance = M**2 * eta**2 / (1 - beta) ** 2  # Eq (20): U_2(t) is at most this times the double sum
    return (
        Derivation()
        .step(AtMost(1 / weight, 1 / (1 - beta), given=[weight >= 1 - beta, beta < 1]), "b_t >= 1 - beta")
        .step(
            Equal(
                2 * (1 - beta) * eta / (1 - beta) * variance * double,
                eta0**3 * C / (2 * M) * total,
                given=order,
            ),
            "Eq (20) and Lemma B.6",
        )
        .step(
            Equal(
                (2 * (1 - beta) * eta / (1 - beta) * variance * double / 2).subs(eta0, 2 * eta0),
                2 * C * eta0**3 / M * total,
                given=order,
            ),
            "the form used with the step eta_0/M",
        )
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
    PAPER, "proof-b.5-gradlip-corrected", at="Proof of Lemma B.5, first line, corrected", kind="inequality"
)
def two_sided_smoothness_makes_gradients_lipschitz():
    """If f and -f are both M-smooth in the sense of Definition 3.3, then |grad f(x) - grad f(y)| <= M |x - y|
    (one dimension).
    """
    # the four inequalities of Definition 3.3 between the points 0, h and z = s h, f'(0) = 0 and f(0) = 0
    # without loss of generality
    h, s, d, fh, fz = sp.symbols("h s d f_h f_z", real=True)  # d = f'(h)
    z = s * h
    upper = [fz <= M / 2 * z**2, -fz <= M / 2 * z**2]
    from_h = [fz <= fh + d * (z - h) + M / 2 * (z - h) ** 2, -fz <= -fh - d * (z - h) + M / 2 * (z - h) ** 2]
    ends = [fh <= M / 2 * h**2, -fh <= M / 2 * h**2]
    at = {s: 2}
    # from h to z = 2h and back to 0: the bounds at z = 2h, and at z = 0
    zero = [0 <= fh - d * h + M / 2 * h**2, 0 <= -fh + d * h + M / 2 * h**2]
    given = [h > 0, *ends, *zero, *[c.subs(at) for c in (*upper, *from_h)]]
    return AtMost(sp.Abs(d), M * h, given=given)


@claim(PAPER, "eq-20", at="Eq (20)", kind="inequality", expect=SUPPORTED)
def distances_are_at_most_a_double_sum():
    """With M-Lipschitz gradients, U_2(t) <= eta_0^2/(4 (1-beta)^2) sum_{i<t} |v_{i+1}|^2 sum_{k=t-i..t-1} k
    beta^k.
    """
    eta, w = sp.Symbol("eta", positive=True), sp.IndexedBase("w", positive=True)  # w_j = |v_{t-j+1}|^2
    inv, norm = sp.IndexedBase("c", positive=True), sp.IndexedBase("v", positive=True)  # eta/b_j, |v_{j+1}|
    ratio = sp.Symbol("b", positive=True)
    inner = sp.Sum(j * beta**j, (j, k, n))
    double = sp.Sum(w[k] * inner, (k, 1, n))
    return (
        Derivation()
        .step(
            AtMost(
                sp.Sum(inv[j] * norm[j], (j, 1, k)) ** 2,
                sp.Sum(inv[j] ** 2, (j, 1, k)) * sp.Sum(norm[j] ** 2, (j, 1, k)),
            ),
            "|theta_t - theta_{t-k}|^2 <= (sum of k terms eta/b_j |v_{j+1}|)^2, Cauchy-Schwarz",
        )
        .step(
            AtMost(eta**2 / ratio**2, eta**2 / (1 - beta) ** 2, given=[ratio >= 1 - beta, beta < 1]),
            "each eta^2/b_j^2 is at most eta^2/(1-beta)^2",
        )
        .step(
            Equal(
                M**2 * (eta0 / (2 * M)) ** 2 / (1 - beta) ** 2, eta0**2 / (4 * (1 - beta) ** 2), [beta < 1]
            ),
            "eta = eta_0/(2M)",
        )
        .step(
            Equal(double.subs(n, n + 1) - double, (n + 1) * beta ** (n + 1) * sp.Sum(w[j], (j, 1, n + 1))),
            "the order of summation, by induction on n = t - 1: sum_k k beta^k sum_{j<=k} w_j "
            "grows by as much, and both are 0 at n = 0",
        )
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


@claim(
    PAPER,
    "lemma-b.6-corrected",
    at="Lemma B.6, with gamma > beta",
    kind="inequality",
    uses=["proof-b.6-u1-corrected", "proof-b.6-ja", "proof-b.6-missing-2-corrected"],
    expect=SUPPORTED,
)
def double_sum_is_at_most_a_single_one_if_gamma_exceeds_beta():
    """Lemma B.6 holds for gamma > beta: with a = beta/gamma, sum_{j<=T-i} gamma^-j U_1(i+j, i) <= 2a/((1-a)^2
    (1-beta)) for every i.
    """
    m = sp.Symbol("m", integer=True, positive=True)
    order = [beta < gamma, gamma < 1]
    tail = sp.Symbol("x", nonnegative=True)
    first, second = sp.Sum(j * a**j, (j, 1, m)), sp.Sum(a**j, (j, 1, m))
    return (
        Derivation()
        .step(
            Equal(
                gamma**-j * (j * beta**j + beta ** (j + 1) / (1 - beta)),
                (j * (beta / gamma) ** j + beta / (1 - beta) * (beta / gamma) ** j),
                given=order,
            ),
            "gamma^-j times the upper bound of U_1, t - i = j",
        )
        .step(
            Equal(first, (a - a ** (m + 1)) / (1 - a) ** 2 - m * a ** (m + 1) / (1 - a), given=[a < 1]),
            "sum_j j a^j",
        )
        .step(Equal(second, (a - a ** (m + 1)) / (1 - a), given=[a < 1]), "sum_j a^j")
        .step(
            AtMost((a - tail) / (1 - a) ** 2 - m * tail / (1 - a), a / (1 - a) ** 2, given=[a < 1]),
            "the first is at most a/(1-a)^2",
        )
        .step(AtMost((a - tail) / (1 - a), a / (1 - a), given=[a < 1]), "the second at most a/(1-a)")
        .step(
            AtMost(
                a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a),
                2 * a / (1 - a) ** 2,
                given=[beta <= a, a < 1],
            ),
            "beta <= a = beta/gamma",
        )
        .step(
            Equal(
                (2 * a / (1 - a) ** 2).subs(a, beta / gamma),
                2 * beta * gamma / (gamma - beta) ** 2,
                given=order,
            ),
            "in beta and gamma",
        )
    )


def _u1(m, last):
    """sum_{k=m..last} k beta^k."""
    return sp.Sum(k * beta**k, (k, m, last))


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
    expect=SUPPORTED,
)
def u1_in_its_true_closed_form():
    """With j = t - i: U_1 = ((j beta^j - t beta^t) + (beta^(j+1) - beta^(t+1))/(1-beta))/(1-beta) <= (j
    beta^j + beta^(j+1)/(1-beta))/(1-beta).
    """

    def primitive(m):  # primitive(m) - primitive(m + 1) = m beta^m
        return (m * beta**m + beta ** (m + 1) / (1 - beta)) / (1 - beta)

    return (
        Derivation()
        .step(
            Equal(primitive(k) - primitive(k + 1), k * beta**k, given=[beta < 1]),
            "so the sum over k = j..t-1 telescopes to primitive(j) - primitive(t)",
        )
        .step(AtMost(0, primitive(t), given=[beta < 1]), "and dropping primitive(t) bounds it from above")
    )


@claim(PAPER, "proof-b.6-ja", at="Proof of Lemma B.6, sum of j a^j", kind="inequality", expect=SUPPORTED)
def sum_of_j_a_to_the_j():
    """sum_{j<=n} j a^j = (a - a^(n+1))/(1-a)^2 - n a^(n+1)/(1-a) <= a/(1-a)^2 for 0 < a < 1."""
    closed = (a - a ** (n + 1)) / (1 - a) ** 2 - n * a ** (n + 1) / (1 - a)
    return (
        Derivation()
        .step(Equal(sp.Sum(j * a**j, (j, 1, n)), closed, given=[a < 1]), "the order of summation")
        .step(AtMost(closed, a / (1 - a) ** 2, given=[a < 1]), "what is dropped is positive")
    )


@claim(
    PAPER,
    "proof-b.6-missing-2",
    at="Proof of Lemma B.6, third line of the last display but two",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.6-missing-2-corrected",
)
def two_terms_are_at_most_the_first():
    """a/(1-a)^2 + (beta/(1-beta)) a/(1-a) <= a/(1-a)^2 (the next display has 2a)."""
    return AtMost(
        a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a), a / (1 - a) ** 2, given=[beta < a, a < 1]
    )


@claim(
    PAPER, "proof-b.6-missing-2-corrected", at="Proof of Lemma B.6, last display but one", kind="inequality"
)
def two_terms_are_at_most_twice_the_first():
    """a/(1-a)^2 + (beta/(1-beta)) a/(1-a) <= 2a/(1-a)^2 for beta <= a < 1."""
    return AtMost(
        a / (1 - a) ** 2 + beta / (1 - beta) * a / (1 - a), 2 * a / (1 - a) ** 2, given=[beta <= a, a < 1]
    )


def h(x):
    """gamma^(x-1) (1 - beta^x)."""
    return gamma ** (x - 1) * (1 - beta**x)


@claim(
    PAPER,
    "lemma-b.7",
    at="Lemma B.7",
    kind="inequality",
    uses=["proof-b.7-concave-corrected", "proof-b.7-monotone-corrected"],
    expect=SUPPORTED,
)
def weights_are_geometric_up_to_t_hat_and_small_after():
    """(1-beta)/(1-beta^t) <= gamma^(t-1) for t <= T_hat, and < gamma^(T_hat-1) for t > T_hat."""
    x, y, z, s = sp.symbols(
        "x y z s", real=True
    )  # log h at 1, at T_hat and at a t between, t = (1-s) + s T_hat
    value, w, last = sp.symbols("h w g", positive=True)
    b1, b2 = sp.symbols("b_1 b_2", positive=True)  # 1 - beta^T_hat < 1 - beta^t
    return (
        Derivation()
        .step(
            Equal(h(sp.Integer(1)), 1 - beta),
            "h(1) = 1 - beta, so that T_hat >= 1, and h(t) < gamma^(t-1) makes it finite",
        )
        .step(
            AtMost(x, z, given=[z >= (1 - s) * x + s * y, y >= x, s >= 0, s <= 1]),
            "log h is concave, so that h >= 1 - beta = h(1) between 1 and T_hat",
        )
        .step(
            AtMost(value / w, last, given=[last * w >= value]),
            "h(t) >= 1 - beta is (1-beta)/(1-beta^t) <= gamma^(t-1)",
        )
        .step(
            AtMost(value / b2, last, given=[value / b1 <= last, b1 < b2], strict=True),
            "beyond T_hat the weight falls further, from at most gamma^(T_hat-1)",
        )
    )


@claim(PAPER, "proof-b.7-deriv", at="Proof of Lemma B.7, h'(t)", kind="identity", expect=SUPPORTED)
def derivative_of_h():
    """h'(t) = gamma^(t-1) (1 - beta^t (1 + log_gamma beta)) ln gamma, which is 0 at t_0 = -log_beta(1 +
    log_gamma beta).
    """
    x = sp.Symbol("x", positive=True)
    ratio = sp.log(beta) / sp.log(gamma)
    stated = gamma ** (x - 1) * (1 - beta**x * (1 + ratio)) * sp.log(gamma)
    zero = -sp.log(1 + ratio) / sp.log(beta)
    r = sp.Symbol("r", positive=True)  # log_gamma beta
    return (
        Derivation()
        .step(Equal(sp.diff(h(x), x), stated, given=INSIDE), "differentiate")
        .step(
            Equal(1 - sp.exp(sp.log(beta) * zero.subs(ratio, r)) * (1 + r), 0, given=[beta < 1]),
            "beta^(t_0) = 1/(1 + log_gamma beta)",
        )
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
    expect=SUPPORTED,
)
def log_h_is_concave():
    """log h is concave, which is enough for h >= min(h(1), h(T_hat)) in between."""
    x = sp.Symbol("x", positive=True)
    log = (x - 1) * sp.log(gamma) + sp.log(1 - beta**x)
    curvature = -(sp.log(beta) ** 2) * beta**x / (1 - beta**x) ** 2
    return (
        Derivation()
        .step(Equal(sp.diff(log, x, 2), curvature, given=INSIDE), "differentiate twice")
        .step(AtMost(curvature, 0, given=INSIDE), "a square with a minus sign")
    )


@claim(
    PAPER,
    "proof-b.7-monotone",
    at="Proof of Lemma B.7, last line",
    kind="monotonicity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.7-monotone-corrected",
)
def weights_increase():
    """(1-beta)/(1-beta^t) monotonically increases with t."""
    return Increasing((1 - beta) / (1 - beta**t), t, given=[beta < 1])


@claim(
    PAPER, "proof-b.7-monotone-corrected", at="Proof of Lemma B.7, last line, corrected", kind="monotonicity"
)
def weights_decrease():
    """(1-beta)/(1-beta^t) strictly decreases with t, which is what the last line needs."""
    return Increasing((1 - beta) / (1 - beta**t), t, given=[beta < 1], strict=True, down=True)
