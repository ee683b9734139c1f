"""Section 4: the utility theorem as printed and as it follows, and its noise factor M with its minimum over
alpha.

M = sum_t (alpha_t/b_t)^2 sum_t 1/alpha_t^2        Theorem 4.2
sigma^2 = S sum_t 1/alpha_t^2,  S = (16 G)^2 B_delta/(n eps)^2        Eq (6)

Step t of Algorithm 1 uses b_{t+1} and alpha_{t+1}; here the steps are numbered from 1, so that it uses b_t,
alpha_t.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise, gaussian
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, Equal, Instance, Minimises
from dpverify.schedules import step
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.theorem_4_1 import total
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED

t, T = step(), sp.Symbol("T", integer=True, positive=True)
d = sp.Symbol("d", integer=True, positive=True)
alpha, b = sp.IndexedBase("alpha", positive=True), sp.IndexedBase("b", positive=True)
eta, L, G, S, sigma = sp.symbols("eta L G S sigma", positive=True)


def noise_factor(alpha2, steps):
    """M at given alpha_t^2 and b_t."""
    return total(alpha2 / steps**2) * total(1 / alpha2)


LEAST = total(1 / b[t]) ** 2


@claim(PAPER, "thm-4.2-step", at="Theorem 4.2, one step", kind="inequality", standing="ours")
def one_step_descends():
    """For F with L-Lipschitz gradient, grad f = grad F + xi with E xi = 0 and E|xi|^2 = v, c ~ N(0, sigma^2
    I_d): E F(theta - (eta/b)(grad f + alpha c)) <= F - (eta/b)|grad F|^2 + (L eta^2/(2 b^2))(E|grad f|^2 + d
    alpha^2 sigma^2), E|grad f|^2 = |grad F|^2 + v.
    """
    F, theta = Function("F", smooth=L), Vector("theta")
    size, factor = sp.symbols("b_t alpha_t", positive=True)
    spread = sp.Symbol("v", nonnegative=True)
    record, noise = Noise("xi", variance=spread), gaussian("c", sigma, d)
    slope = F.gradient(theta)
    after = theta - eta / size * (slope + record + factor * noise)
    square = norm2(slope) + spread + d * factor**2 * sigma**2
    bound = F(theta) - eta / size * norm2(slope) + L * eta**2 / (2 * size**2) * square
    lemma = F.descent(theta, after)
    return Theorem(shows=AtMost(E(F(after), record, noise), bound)).expect(
        AtMost(lemma.lhs, lemma.rhs), [record, noise], "the descent lemma"
    )


@claim(
    PAPER,
    "thm-4.2-eq7",
    at="Theorem 4.2, Eq (7)",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.2-eq7-corrected",
)
def smallest_mean_squared_gradient_is_at_most_eq_7():
    """For public alpha and b and sigma of Eq (6): E|grad F(theta_tau)|^2 <= [D_F/eta + (eta L/2) sum_t E|grad
    f|^2/b_t^2 + d (16 G)^2 B_delta M/(2 n^2 eps^2)]/sum_t 1/b_t, tau the best of theta_0..theta_{T-1}.

    The case: T = 2, d = 1, every record has Huber's loss with slope clip(theta, -10, 10), plus 1, so L = 1
    and G = 10; eta = b_1 = b_2 = 4, alpha = 1, theta_0 = 1, n = 1000, delta = 1e-5, and eps such that Eq (6)
    gives sigma = 1. Then theta_1 = -c_0: both gradients have a second moment of 1, but for the tail beyond
    10; the last term lacks the factor eta L = 4, which Eqs (9) and (10) have.
    """
    K = sp.Integer(10)
    tail = sp.erfc(K / sp.sqrt(2))
    second = 1 - tail - sp.sqrt(2 / sp.pi) * K * sp.exp(-(K**2) / 2) + K**2 * tail  # E min(|c|, 10)^2
    D = sp.Rational(1, 2)
    rate = sp.Integer(4)
    size = sp.Integer(4)
    count, level = 1000, sp.Rational(1, 10**5)
    B = sp.log(32 / (count * level)) * sp.log(sp.Rational(5, 4) / level)
    spent = 16 * K * sp.sqrt(2 * B) / count
    noise = (16 * K) ** 2 * B / (2 * count**2 * spent**2) * (2 / size**2) * 2
    stated = (D / rate + rate / 2 * (1 + second) / size**2 + noise) / (2 / size)
    return Instance(
        AtMost(sp.Min(1, second), stated),
        let={
            "f(theta; x)": "1 + Huber's loss with slope clip(theta, -10, 10), for every x",
            "T, d, L, G": "2, 1, 1, 10",
            "eta, b, alpha, theta_0": "4, 4, 1, 1",
            "n, delta, eps": "1000, 1/100000, 16 G sqrt(2 B_delta)/n (sigma = 1)",
        },
        because="the noise enters the descent lemma with L eta^2/2, and one eta alone is divided out",
    )


e, g2, h2 = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "g2", "h2"))
m = sp.Symbol("m", nonnegative=True)
B, eps, variance = sp.symbols("B_delta epsilon sigma2", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
SCALE = (16 * G) ** 2 * B / (n * eps) ** 2  # sigma^2 over sum_t 1/alpha_t^2 in Eq (6)


def steps_of_algorithm_1(F: Function) -> list:
    """The hypotheses of Theorem 4.2: e, g2 and h2 along the T steps, m at most every g2, and Eq (6).

    Q(theta) is E|grad f|^2 over the record that is drawn.
    """
    Q, theta = Function("Q", lower_bound=0), Vector("theta")
    slope = F.gradient(theta)
    record, noise = Noise("xi", variance=Q(theta) - norm2(slope)), Noise("c", variance=d * variance)
    after = theta - eta / b[t] * (slope + record + alpha[t] * noise)
    gap, squares = F(theta) - F.minimum, {g2: norm2(slope), h2: Q(theta)}
    return [
        *[
            Iterates(k, v, [theta], [after], [record, noise], t, 1, T)
            for k, v in ({e: gap} | squares).items()
        ],
        ForEvery(AtMost(m, g2[t]), t, 1, T),
        sp.Eq(variance, SCALE * total(1 / alpha[t] ** 2)),
    ]


def theorem_4_2(convex: bool):
    """Theorem 4.2 with eta L in its last term, for such F."""
    F = Function("F", smooth=L, convex=convex)
    given = steps_of_algorithm_1(F)
    run, slopes, squares, *_ = given
    square = (h2[t] + d * alpha[t] ** 2 * variance) / b[t] ** 2
    noisy = L * eta**2 / 2 * d * alpha[t] ** 2 * variance / b[t] ** 2
    inverse = total(1 / b[t])
    first = total(h2[t] / b[t] ** 2)
    second = total(alpha[t] ** 2 / b[t] ** 2)
    whole = e[1] / eta + eta * L / 2 * first + eta * L * d * SCALE / 2 * noise_factor(alpha[t] ** 2, b[t])
    growth = (e[t] - e[t + 1]) / eta + eta * L / 2 * square
    return (
        Theorem(given=given, shows=AtMost(m, whole / inverse))
        .descend(
            run,
            1,
            noisy,
            "descent",
            by=[F.descent(run.state[0], run.step[0])],
            beside=[(slopes, -eta / b[t]), (squares, L * eta**2 / (2 * b[t] ** 2))],
        )
        .sum(AtMost(m / b[t], growth), (t, 1, T), "each step, and m is least")
        .have(
            Equal(total(growth), (e[1] - e[T + 1]) / eta + eta * L / 2 * (first + d * variance * second)),
            "it telescopes",
        )
        .have(AtMost(m * inverse, whole), "e is not negative")
        .have(AtMost(0, inverse, strict=True), "every 1/b_t is positive")
    )


@claim(
    PAPER,
    "thm-4.2-eq7-corrected",
    at="Theorem 4.2, Eq (7), with eta L in its last term",
    kind="inequality",
    uses=["thm-4.2-step"],
    standing="ours",
)
def smallest_mean_squared_gradient_with_eta_l_restored():
    """For an L-smooth F, steps theta - (eta/b_t)(grad f + alpha_t c_t) with E grad f = grad F and E|grad f|^2
    = Q(theta) given the past, c_t of mean 0 and E|c_t|^2 = d sigma^2 with sigma^2 of Eq (6) (whatever B_delta
    > 0 is), and m <= E|grad F(theta_{t-1})|^2 for every t = 1..T: m <= [e_1/eta + (eta L/2) sum_t E|grad
    f(theta_{t-1})|^2/b_t^2 + eta L d (16 G)^2 B_delta M/(2 n^2 eps^2)]/sum_t 1/b_t, e_1 = F(theta_0) - F*.
    """
    return theorem_4_2(convex=False)


@claim(PAPER, "thm-4.2-scope", at="Below Remark 4.1", kind="inequality", uses=["thm-4.2-eq7-corrected"])
def theorem_holds_for_convex_functions_too():
    """The theorem applies to convex and to non-convex functions: thm-4.2-eq7-corrected is about every smooth
    F; the same holds among convex F.
    """
    return theorem_4_2(convex=True)


@claim(PAPER, "remark-4.1-dominating", at="Remark 4.1, second sentence, as T grows", kind="asymptotic")
def last_term_dominates():
    """Of the three terms of Eq (7) the last, by privacy, dominates as steps are added: for b_t >= b_0 > 0 and
    E|grad f|^2 <= G^2 it is at least k times the first two together, for every k, once sum_t 1/b_t >= 1 and
    d (16 G)^2 B_delta sum_t 1/b_t >= k (2 D_F/eta + eta L G^2/b_0) n^2 eps^2, whatever alpha is.

    It is the one of the three that grows, wherever sum_t 1/b_t grows without bound (as for the schedules of
    Section 5). For few steps and many records it may be the smallest (remark-4.1-dominating-always); the
    paragraph below the remark supposes that it is "much larger", and so does not count on it either.
    """
    D, least, k = sp.symbols("D_F b_0 k", positive=True)
    S = total(1 / b[t])
    squares = total(1 / b[t] ** 2)
    seen = total(h2[t] / b[t] ** 2)
    first, unit = 2 * D / eta, eta * L * G**2
    M = noise_factor(alpha[t] ** 2, b[t])
    return (
        Theorem(
            given=[
                ForEvery(AtMost(least, b[t]), t, 1, T),
                ForEvery(AtMost(h2[t], G**2), t, 1, T),
                S >= 1,
                k * (first + unit / least) <= d * SCALE * S,
            ],
            shows=AtMost(k * (D / eta + eta * L / 2 * seen), d * SCALE / 2 * M),
        )
        .sum(AtMost(h2[t] / b[t] ** 2, G**2 / b[t] ** 2), (t, 1, T), "bounded gradients")
        .have(Equal(total(G**2 / b[t] ** 2), G**2 * squares), "a constant factor")
        .sum(AtMost(1 / b[t] ** 2, 1 / (least * b[t])), (t, 1, T), "b_t >= b_0")
        .have(Equal(total(1 / (least * b[t])), S / least), "a constant factor")
        .have(AtMost(S**2, M), "Cauchy and Schwarz")
        .have(AtMost(d * SCALE * S**2, d * SCALE * M), "times d S")
        .have(AtMost(k * (first + unit / least) * S, d * SCALE * S * S), "times sum_t 1/b_t")
        .have(AtMost(eta * L * seen, unit * S / least), "the second term")
        .have(AtMost(k * first, k * first * S), "sum_t 1/b_t >= 1")
        .have(AtMost(k * eta * L * seen, k * unit * S / least), "times k")
    )


@claim(
    PAPER,
    "remark-4.1-dominating-always",
    at="Remark 4.1, second sentence, for every number of steps and records",
    kind="asymptotic",
    standing="ours",
    expect=REFUTED,
    correction="remark-4.1-dominating-when",
)
def last_term_dominates_always():
    """Of the three terms of Eq (7), the last, by privacy, is the largest, whatever T and n are.

    The case: b_t = 2, alpha_t^2 = 2, T = 100, G = L = eta = D_F = d = 1, n = 10^5, eps = 1, delta = 1e-5: the
    last term is below a hundredth of the first.
    """
    B = sp.log(1600) * sp.log(125000)
    last = sp.Integer(256) * B / (2 * sp.Integer(10) ** 10) * 50**2
    return Instance(
        AtMost(sp.Integer(1), last),
        let={
            "b_t, alpha_t^2, T": "2, 2, 100",
            "G, L, eta, D_F, d": "1",
            "n, eps, delta": "100000, 1, 1/100000",
        },
        because="it falls like 1/n^2, the others do not depend on n",
    )


@claim(
    PAPER,
    "remark-4.1-dominating-when",
    at="Remark 4.1, second sentence, for few records",
    kind="asymptotic",
    standing="ours",
)
def last_term_dominates_for_few_records():
    """The last term is at least the first two together if n^2 eps^2 <= d (16 G)^2 B_delta M/(2 D_F/eta + eta
    L G^2 sum_t 1/b_t^2) and E|grad f|^2 <= G^2 at every step.
    """
    D = sp.Symbol("D_F", positive=True)
    M, squares = noise_factor(alpha[t] ** 2, b[t]), total(1 / b[t] ** 2)
    seen = total(h2[t] / b[t] ** 2)
    twice = 2 * D / eta + eta * L * G**2 * squares
    return (
        Theorem(
            given=[
                n**2 * eps**2 <= d * (16 * G) ** 2 * B * M / twice,
                ForEvery(AtMost(h2[t], G**2), t, 1, T),
            ],
            shows=AtMost(D / eta + eta * L / 2 * seen, d * SCALE / 2 * M),
        )
        .sum(AtMost(h2[t] / b[t] ** 2, G**2 / b[t] ** 2), (t, 1, T), "bounded gradients")
        .have(Equal(total(G**2 / b[t] ** 2), G**2 * squares), "a constant factor")
        .have(AtMost(0, squares, strict=True), "every term is positive")
        .have(AtMost(n**2 * eps**2 * twice, d * (16 * G) ** 2 * B * M), "times what it is divided by")
        .have(AtMost(twice / 2, d * SCALE / 2 * M), "over 2 n^2 eps^2")
    )


def square_root_of_b():
    """M is the least if alpha_t^2 = b_t."""
    chosen = ForEvery(Equal(b[t], alpha[t] ** 2), t, 1, T)
    return (
        Theorem(given=[chosen], shows=Equal(noise_factor(alpha[t] ** 2, b[t]), LEAST))
        .sum(Equal(alpha[t] ** 2 / b[t] ** 2, 1 / b[t]), (t, 1, T), "alpha_t^2 = b_t")
        .sum(Equal(1 / alpha[t] ** 2, 1 / b[t]), (t, 1, T), "alpha_t^2 = b_t")
    )


@claim(PAPER, "remark-4.1-attain", at="Remark 4.1, below Eq (8)", kind="identity")
def square_root_of_b_attains_the_least_noise_factor():
    """M = M_adp = (sum_t 1/b_t)^2 if alpha_t^2 = b_t."""
    return square_root_of_b()


@claim(PAPER, "remark-4.1-min", at="Remark 4.1, Eq (8)", kind="optimality", uses=["remark-4.1-attain"])
def least_noise_factor_is_the_squared_sum_of_steps():
    """For fixed b, the minimum of M over alpha is (sum_t 1/b_t)^2: no alpha does better (Cauchy-Schwarz), and
    alpha_t^2 = b_t does as well.
    """
    return AllOf(
        AtMost(LEAST, noise_factor(alpha[t] ** 2, b[t])),
        square_root_of_b(),
    )


@claim(PAPER, "remark-4.1-ratio", at="Remark 4.1, display", kind="inequality", uses=["remark-4.1-attain"])
def constant_noise_is_never_better():
    """At alpha = 1, M is M_dp = T sum_t 1/b_t^2, and M_dp/M_adp >= 1."""
    return AllOf(
        Equal(noise_factor(sp.Integer(1), b[t]), T * total(1 / b[t] ** 2)),
        Theorem(shows=AtMost(1, T * total(1 / b[t] ** 2) / LEAST)).have(
            AtMost(LEAST, T * total(1 / b[t] ** 2)), "Cauchy-Schwarz"
        ),
    )


def least_second_moment(sizes, factors2, budget, start):
    """min_t E|F'(theta_t)|^2, t = 0..T-1, of Algorithm 1 on F = theta^2/2 with eta = 4 and Eq (6),
    exactly.
    """
    variance = budget * sum(1 / factor for factor in factors2)
    moments = [sp.sympify(start)]
    for size, factor in list(zip(sizes, factors2))[:-1]:
        rate = sp.Integer(4) / size
        moments.append((1 - rate) ** 2 * moments[-1] + rate**2 * factor * variance)
    return min(moments)


@claim(
    PAPER,
    "remark-4.1-not-worse",
    at="Remark 4.1, not worse for any choice of b: of the bounds, not of the algorithms",
    kind="inequality",
    expect=SUPPORTED,
    standing="ours",
)
def adaptive_noise_may_be_worse_in_fact():
    """Of the bounds "not worse for any choice of b" is true (remark-4.1-ratio); of the algorithms it is not:
    at the same budget the smallest E|F'(theta_t)|^2 of ADP-SGD may exceed that of DP-SGD.

    The case: F = theta^2/2 with the same gradient for every record, eta = 4, b = (1, 4, 4), T = 3, theta_0 =
    3, S = 1: the second step lands on the minimum, but for its own noise, of variance 3 for DP and 6 for ADP.
    (The gradient is unbounded; nothing of it changes with the slope cut off at a large G but for Gaussian
    tails.)
    """
    sizes = [sp.Integer(1), sp.Integer(4), sp.Integer(4)]
    adaptive = least_second_moment(sizes, sizes, 1, 9)
    constant = least_second_moment(sizes, [sp.Integer(1)] * 3, 1, 9)
    return Instance(
        AtMost(constant, adaptive, strict=True),
        let={"F": "theta^2/2", "eta, T, theta_0, S": "4, 3, 3, 1", "b": "(1, 4, 4)"},
        because="the best iterate feels the noise of the last steps, where ADP has more",
    )


@claim(
    PAPER,
    "remark-4.1-alt",
    at="Remark 4.1, last paragraph",
    kind="optimality",
    expect=REFUTED,
    breaks="text",
    correction="remark-4.1-alt-corrected",
)
def products_of_mirrored_alphas_attain_the_least_noise_factor():
    """Setting alpha_t alpha_{T-(t-1)} = b_t leads to the same M_adp (such an alpha exists only if b is its
    own mirror image).
    """
    steps = alpha[t] * alpha[T + 1 - t]
    return Equal(noise_factor(alpha[t] ** 2, steps), total(1 / steps) ** 2)


@claim(
    PAPER,
    "remark-4.1-alt-corrected",
    at="Remark 4.1, last paragraph, corrected",
    kind="optimality",
    uses=["remark-4.1-min"],
    standing="ours",
)
def only_multiples_of_b_attain_the_least_noise_factor():
    """M = M_adp exactly if alpha_t^2 is a constant times b_t: whatever sum_t 1/alpha_t^2 is, M is least there
    and nowhere else.
    """
    v, spent = sp.symbols("v s", positive=True)  # alpha_t^2 and the value of sum_t 1/alpha_t^2
    at = total(1 / b[t]) / spent * b[t]
    return Minimises(
        v * spent / b[t] ** 2,
        over=v,
        spent=1 / v,
        total=spent,
        at=at,
        index=t,
        length=T,
        unique=True,
        value=LEAST,
    )


@claim(
    PAPER,
    "concl-not-unique",
    at="Section 8, on alpha_t^2 = b_t",
    kind="optimality",
    uses=["remark-4.1-attain"],
)
def multiples_of_b_attain_the_least_noise_factor_too():
    """alpha_t^2 = b_t is not the only setting with the least M: alpha_t^2 = k b_t has it for every k > 0
    (with sigma^2/k in Eq (6), so that it is the same algorithm; no other setting has it,
    remark-4.1-alt-corrected).
    """
    k = sp.Symbol("k", positive=True)
    return Equal(noise_factor(k * b[t], b[t]), LEAST)


@claim(PAPER, "sec5-constant", at="Section 5, constant stepsize", kind="optimality", uses=["remark-4.1-min"])
def constant_steps_ask_for_constant_noise():
    """With b_t = B for every t, M is least at a constant alpha, whatever sum_t 1/alpha_t^2 is, and
    nowhere else; there it is M_adp = T^2/B^2.
    """
    v, spent, B = sp.symbols("v s B", positive=True)
    return Minimises(
        v * spent / B**2,
        over=v,
        spent=1 / v,
        total=spent,
        at=T / spent,
        index=t,
        length=T,
        unique=True,
        value=T**2 / B**2,
    )
