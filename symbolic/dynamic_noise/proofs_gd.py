"""Appendix C.1: the printed proofs of Theorem 3.1 and of section 4.1, line by line.

uniform   E(T) = gamma^T + alpha kappa (1 - gamma^T) T                                              Eq (21)
dynamic   E(T) = x^2 + b (1 - x)^2,  x = gamma^(T/2),  b = alpha/(1 - sqrt gamma)^2                  Eq (26)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, norm, norm2, total
from dpverify.relations import ArgMin, AtMost, BigO, Equal, Increasing, Instance
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

t, i = step(), sp.Symbol("i", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
tau = sp.Symbol("tau", nonnegative=True)  # T as a real number, 0 included
R, M, mu, alpha, kappa, gamma = sp.symbols("R M mu alpha kappa gamma", positive=True)
b, x, l, a = sp.symbols("b x l a", positive=True)  # l = ln(1/gamma), a = alpha kappa
q = sp.IndexedBase("q", positive=True)


@claim(
    PAPER,
    "proof-3.1-chain",
    at="Proof of Theorem 3.1",
    kind="inequality",
    expect=REFUTED,
    correction="proof-3.1-chain-corrected",
    breaks="misprint",
    standing="misprint",
)
def spent_is_at_most_r_minus_r_t():
    """(1/2) sum_{t<=T} rho_t <= (1/2)(R - R_T) <= R/2, with R_1 = R and R_{t+1} = R_t - rho_t. A slip of the
    index: R - R_T is the sum of the first T - 1 costs (q stands for rho).
    """
    rest = R - sp.Sum(q[t], (t, 1, T - 1))  # R_T
    return AtMost(sp.Sum(q[t], (t, 1, T)) / 2, (R - rest) / 2, given=[T >= 2])


@claim(
    PAPER,
    "proof-3.1-chain-corrected",
    at="Proof of Theorem 3.1, corrected",
    kind="inequality",
    standing="ours",
)
def spent_is_r_minus_what_is_left():
    """(1/2) sum_{t<=T} rho_t = (1/2)(R - R_{T+1}) <= R/2, with R_1 = R and R_{t+1} = R_t - rho_t, since the
    guard rho_t <= R_t keeps R_{T+1} >= 0. (B_t stands for R_t, so B_1 for R, and q_t for rho_t.)
    """
    B = sp.IndexedBase("B", real=True)
    left = ForEvery(Equal(B[t + 1], B[t] - q[t]), t, 1, T)
    guard = ForEvery(AtMost(q[t], B[t]), t, 1, T)
    spent = sp.Sum(q[t], (t, 1, T))
    return (
        Theorem(
            given=[left, guard],
            shows=AtMost(spent / 2, B[1] / 2),
        )
        .sum(Equal(B[t + 1] - B[t], -q[t]), (t, 1, T), "what each step takes")
        .have(Equal(sp.Sum(B[t + 1] - B[t], (t, 1, T)), B[T + 1] - B[1]), "it telescopes")
        .at(guard, T, "the last step is allowed")
        .at(left, T, "and leaves R_{T+1}")
    )


@claim(
    PAPER,
    "proof-3.1-map",
    at="Proof of Theorem 3.1, first sentence",
    kind="algorithm property",
    expect=REFUTED,
    correction="proof-3.1-map-corrected",
    breaks="misprint",
    standing="misprint",
)
def sensitivity_follows_from_lipschitz_gradients():
    """ "Because all sample gradients are G-Lipschitz, the sensitivity of the averaged gradient is at most
    G/N": the theorem has G-Lipschitz losses, and means them.

    The case f(theta; x) = G theta^2/2 has a G-Lipschitz gradient G theta, of any size.
    """
    theta, other, G = sp.symbols("theta theta2 G", positive=True)
    loss = G * theta**2 / 2
    slope = sp.diff(loss, theta)
    lipschitz = Equal(sp.Abs(slope - slope.subs(theta, other)), G * sp.Abs(theta - other))
    return Instance(
        AtMost(slope, G),
        let={"f(theta; x)": "G theta^2/2", "N": "1", "D": "1"},
        meets=[lipschitz],
        because="the gradient is G-Lipschitz; zeroing the record moves the average by |G theta|/N",
    )


@claim(
    PAPER,
    "proof-3.1-map-corrected",
    at="Proof of Theorem 3.1, first sentence, corrected",
    kind="algorithm property",
    uses=["def-3.1-corrected", "def-b.1"],
    standing="ours",
)
def sensitivity_follows_from_lipschitz_losses():
    """If every sample loss is G-Lipschitz, so that |grad_n| <= G, leaving out the gradient of one sample
    moves the average over N by at most G/N, in R^D; and a gradient that is clipped, grad min(1, G/|grad|),
    has norm at most G.
    """
    N, n, j = (sp.Symbol(name, integer=True, positive=True) for name in "Nnj")
    G = sp.Symbol("G", positive=True)
    g = VectorSequence("g")
    own = Vector("own")
    whole = total(g[j], (j, 1, N))
    return AllOf(
        AtMost(norm((whole - g[n]) / N - whole / N), G / N, given=[norm(g[n]) <= G, n <= N]),
        AtMost(norm(sp.Min(1, G / norm(own)) * own), G, given=[norm(own) > 0]),
    )


@claim(PAPER, "proof-4.1", at="Proof of Theorem 4.1, one step", kind="inequality", uses=["eq-2-alpha"])
def proof_of_theorem_4_1_one_step():
    """For f M-smooth that meets the PL condition, a step of any size eta <= 2/M from any theta, with noise nu
    of mean 0 and E|nu|^2 = V: E f(theta - eta (grad f + nu)) - f* <= (1 - 2 mu eta (1 - M eta/2)) (f(theta) -
    f*) + (M/2) eta^2 V, in R^D. At eta = 1/M the factor is gamma = 1 - mu/M, and (M/2R) (G/(MN))^2 D = alpha
    (f(theta_1) - f*).
    """
    D, G, N, eta, gap, V, alpha = sp.symbols("D G N eta e_1 V alpha", positive=True)
    f, theta = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("theta")
    noise = Noise("nu", variance=V)
    after = theta - eta * (f.gradient(theta) + noise)
    lemma = f.descent(theta, after)
    factor = 1 - 2 * mu * eta * (1 - M * eta / 2)
    bound = factor * (f(theta) - f.minimum) + M / 2 * eta**2 * V
    eq_2 = sp.Eq(alpha, schedules.alpha_of(D, G, R, M, N, gap))
    return AllOf(
        Theorem(given=[eta * M <= 2], shows=AtMost(E(f(after), noise) - f.minimum, bound))
        .expect(AtMost(lemma.lhs, lemma.rhs), [noise], "the descent lemma")
        .have(AtMost(2 * mu * (f(theta) - f.minimum), norm2(f.gradient(theta))), "PL"),
        Equal(factor, 1 - mu / M, given=[sp.Eq(eta, 1 / M)]),
        Equal((M * D / (2 * R)) * (G / (M * N)) ** 2, alpha * gap, given=[eq_2]),
    )


@claim(
    PAPER,
    "proof-4.1-unroll",
    at="Proof of Theorem 4.1, any step sizes",
    kind="inequality",
    uses=["proof-4.1"],
)
def proof_of_theorem_4_1_unrolled():
    """The recursion e_{t+1} <= a_t e_t + c_t, applied for t = 1..T: e_{T+1} <= prod_{t<=T} a_t e_1 + sum_t
    prod_{i=t+1..T} a_i c_t, for any positive factors. P_{t+1}/P_1 is the product of the first t factors, a_t
    = P_{t+1}/P_t, whatever P_1 > 0.
    """
    e, c = sp.IndexedBase("e", nonnegative=True), sp.IndexedBase("c", nonnegative=True)
    P = sp.IndexedBase("P", positive=True)
    one = ForEvery(AtMost(e[t + 1], P[t + 1] / P[t] * e[t] + c[t]), t, 1, T)
    added = sp.Sum(c[t] / P[t + 1], (t, 1, T))
    growth = AtMost(e[t + 1] / P[t + 1] - e[t] / P[t], c[t] / P[t + 1])
    return (
        Theorem(given=[one], shows=AtMost(e[T + 1], P[T + 1] * (e[1] / P[1] + added)))
        .sum(growth, (t, 1, T), "each step, over its product")
        .have(
            Equal(sp.Sum(growth.lhs, (t, 1, T)), e[T + 1] / P[T + 1] - e[1] / P[1]),
            "it telescopes",
        )
        .have(AtMost(e[T + 1] / P[T + 1], e[1] / P[1] + added), "together")
    )


@claim(
    PAPER,
    "proof-4.2-convex",
    at="Proof of Theorem 4.2, Eq (21)",
    kind="monotonicity",
    uses=["sketch-4.2-e"],
    expect=REFUTED,
    correction="proof-4.2-unimodal",
    breaks="proof",
)
def uniform_bound_is_convex_in_t():
    """gamma^T + alpha kappa (1 - gamma^T) T is convex in T ("the convex minimization problem")."""
    bound = sp.exp(-l * tau) + a * (1 - sp.exp(-l * tau)) * tau
    return AtMost(0, sp.Derivative(bound, (tau, 2)))


@claim(
    PAPER,
    "proof-4.2-unimodal",
    at="Proof of Theorem 4.2, Eq (21), corrected",
    kind="monotonicity",
    uses=["sketch-4.2-e"],
    standing="ours",
)
def uniform_bound_falls_then_rises():
    """With w = l T, a = alpha kappa, the second derivative of E is (a/l) e^-w (2 + l/a - w): E is convex up
    to T = 2/l + 1/(alpha kappa) and concave after. Its slope is (a/l) e^-w (w + e^w - 1 - l/a), and w + e^w
    increases strictly: one sign change, so that E falls and then rises.
    """
    w = sp.Symbol("w", positive=True)
    bound = sp.exp(-w) + (a / l) * (1 - sp.exp(-w)) * w
    return AllOf(
        Equal(sp.Derivative(bound, (w, 2)), (a / l) * sp.exp(-w) * (2 + l / a - w)),
        Equal(sp.Derivative(bound, w), (a / l) * sp.exp(-w) * (w + sp.exp(w) - 1 - l / a)),
        Increasing(w + sp.exp(w), w, strict=True),
    )


@claim(PAPER, "eq-22-argmin", at="Eq (22)", kind="optimality")
def eq_22_minimises_the_surrogate():
    """arg min over real T >= 0 of gamma^T + alpha kappa T is (1/l) ln(l/(kappa alpha)), l = ln(1/gamma),
    if kappa alpha < l.
    """
    return ArgMin(sp.exp(-l * tau) + a * tau, tau, sp.log(l / a) / l, given=[a < l])


@claim(PAPER, "eq-22-explosion", at="Below Eq (22)", kind="asymptotic", uses=["gamma-logarithm", "ln-two"])
def eq_22_explodes():
    """ "T suffers from explosion if kappa -> oo": where Eq (22) applies with room, 2 alpha kappa^2 <= 1, its
    T is at least (kappa - 1) ln 2, which grows without bound. gamma = 1 - 1/kappa, so that kappa - 1 =
    gamma/(1 - gamma). (Eq (22) does not apply if alpha is fixed and kappa large: eq-22-fixed-alpha.)
    """
    length, kept = -sp.log(gamma), 1 - gamma
    value = sp.log(length * kept / alpha) / length  # kappa = 1/kept
    return (
        Theorem(given=[gamma < 1, 2 * alpha <= kept**2], shows=AtMost(gamma / kept * sp.log(2), value))
        .use("gamma-logarithm", "1/kappa <= l <= 1/(kappa - 1)", gamma=gamma)
        .have(AtMost(2, length * kept / alpha), "l/(kappa alpha) >= 1/(kappa^2 alpha) >= 2")
        .have(AtMost(sp.log(2), sp.log(length * kept / alpha)), "so its logarithm is at least ln 2")
        .have(AtMost(gamma / kept, 1 / length), "1/l >= kappa - 1")
    )


@claim(
    PAPER,
    "eq-22-fixed-alpha",
    at="Below Eq (22), alpha fixed",
    kind="asymptotic",
    uses=["gamma-logarithm", "exp-tangent", "eq-22-argmin"],
    standing="ours",
)
def eq_22_is_zero_for_large_kappa():
    """If alpha kappa (kappa - 1) >= 1 then kappa alpha >= l, outside the condition of Eq (22), and gamma^T +
    alpha kappa T is at least 1, its value at T = 0, for every T >= 0 (u = l T). kappa = 1/(1 - gamma).
    """
    u, kept = sp.Symbol("u", nonnegative=True), 1 - gamma
    length = -sp.log(gamma)
    return (
        Theorem(
            given=[gamma < 1, alpha * gamma >= kept**2],
            shows=AllOf(AtMost(length, alpha / kept), AtMost(1, sp.exp(-u) + alpha / kept * u / length)),
        )
        .use("gamma-logarithm", "l <= 1/(kappa - 1)", gamma=gamma)
        .have(AtMost(length, alpha / kept), "l <= 1/(kappa - 1) <= alpha kappa")
        .use("exp-tangent", "e^-u >= 1 - u", u=u)
        .have(AtMost(0, length, strict=True), "gamma < 1")
        .have(AtMost(u, alpha / kept * u / length), "alpha kappa >= l")
    )


@claim(PAPER, "exp-tangent", at="Below Eq (22), alpha fixed", kind="inequality", standing="ours")
def exponential_above_its_tangent():
    """1 <= e^-u + u."""
    u = sp.Symbol("u", nonnegative=True)
    return AtMost(1, sp.exp(-u) + u)


@claim(PAPER, "eq-24", at="Eq (24)", kind="identity", uses=["sketch-4.2-e"])
def uniform_bound_at_eq_23_is_eq_24():
    """E at T = (1/l) ln(1 + l/alpha) is (1 + kappa ln(1 + l/alpha))/(1 + l/alpha)."""
    bound = sp.exp(-l * tau) + alpha * kappa * (1 - sp.exp(-l * tau)) * tau
    derived = bound.subs(tau, sp.log(1 + l / alpha) / l)
    return Equal(derived, (1 + kappa * sp.log(1 + l / alpha)) / (1 + l / alpha))


@claim(PAPER, "proof-4.2-ln", at="Proof of Theorem 4.2", kind="inequality")
def log_one_over_gamma_is_of_order_one_over_kappa():
    """1/kappa <= ln(1/gamma) = ln(kappa/(kappa - 1)) <= 1/(kappa - 1) <= 1/(c kappa) for kappa >=
    1/(1-c), 0 < c < 1.
    """
    c = sp.Symbol("c", positive=True)
    length = sp.log(kappa / (kappa - 1))
    return AllOf(
        AtMost(1 / kappa, length, given=[kappa > 1]),
        AtMost(length, 1 / (kappa - 1), given=[kappa > 1]),
        AtMost(1 / (kappa - 1), 1 / (c * kappa), given=[kappa * (1 - c) >= 1, c < 1, kappa > 1]),
    )


@claim(
    PAPER,
    "proof-4.2-upper",
    at="Proof of Theorem 4.2, upper bound",
    kind="inequality",
    uses=["eq-24"],
    expect=REFUTED,
    correction="proof-4.2-upper-corrected",
    breaks="proof",
)
def log_one_over_c_is_absorbed():
    """With A = ln(1 + 1/(kappa alpha)): A + ln(1/c) <= c_2 A for a constant c_2 and all large 1/alpha,
    whatever kappa >= 1/(1-c).

    Along kappa = n^2, alpha = 1/n, which meets the conditions for every alpha_0 once n is large, A = ln(1 +
    1/n) -> 0: with c = 1/2 no c_2 will do (nor with any other c).
    """
    n = sp.Symbol("n", integer=True, positive=True)
    A = sp.log(1 + 1 / n)
    return Instance(BigO(A + sp.log(2), A, [n >= 2]), let={"kappa": "n^2", "alpha": "1/n", "c": "1/2"})


@claim(
    PAPER,
    "proof-4.2-upper-corrected",
    at="Proof of Theorem 4.2, upper bound, corrected",
    kind="inequality",
    standing="ours",
)
def bernoulli_replaces_the_absorbed_logarithm():
    """ln(1 + z/c) <= (1/c) ln(1 + z), 0 < c <= 1: the upper bound of Eq (24) holds for all alpha and kappa
    with c_2 = 1/c.
    """
    z, c = sp.symbols("z c", positive=True)
    return AtMost(sp.log(1 + z / c), sp.log(1 + z) / c, given=[c <= 1])


@claim(
    PAPER,
    "proof-4.2-eq24-theta",
    at="Proof of Theorem 4.2, Eq (24) against Eq (5)",
    kind="asymptotic",
    uses=["eq-24", "gamma-logarithm", "ln-monotone", "proof-4.2-upper-corrected", "eq-24-least"],
)
def eq_24_is_of_order_eq_5():
    """c S <= Eq (24) <= C S, S = kappa^2/(kappa + 1/alpha) ln(1 + 1/(kappa alpha)) of Eq (5), for kappa >=
    1/(1-c) and alpha <= alpha_0: C = 1/c + 1/(k0 ln(1 + 1/(k0 alpha_0))), k0 = 1/(1-c). (By Bernoulli, in
    place of the printed ln(1/c).)

    z = 1/(kappa alpha), s = l kappa; k0 ln(1 + 1/(k0 alpha_0)) = A, which kappa ln(1 + z) is never below
    (eq-24-least). So S = kappa ln(1 + z)/(1 + z) and Eq (24) = (1 + kappa ln(1 + s z))/(1 + s z), with 1 <= s
    <= 1/c (gamma-logarithm).
    """
    z, s, c, A = sp.symbols("z s c A", positive=True)
    scale = kappa * sp.log(1 + z) / (1 + z)
    value = (1 + kappa * sp.log(1 + s * z)) / (1 + s * z)
    short, long = sp.log(1 + z), sp.log(1 + s * z)
    return (
        Theorem(
            given=[s >= 1, s * c <= 1, c < 1, kappa * short >= A],
            shows=AllOf(AtMost(c * scale, value), AtMost(value, (1 / c + 1 / A) * scale)),
        )
        .use("proof-4.2-upper-corrected", "Bernoulli", z=z, c=1 / s)
        .use("ln-monotone", "s >= 1", z=z, s=s)
        .have(AtMost(kappa * short, 1 + kappa * long), "the numerator from below")
        .have(AtMost(c / (1 + z), 1 / (1 + s * z)), "the denominator from above")
        .have(AtMost(c / (1 + z) * kappa * short, (1 + kappa * long) / (1 + s * z)), "the lower bound")
        .have(AtMost(long, short / c), "s <= 1/c")
        .have(AtMost(1 + kappa * long, (1 / c + 1 / A) * kappa * short), "the numerator from above")
        .have(AtMost(1 / (1 + s * z), 1 / (1 + z)), "the denominator from below")
        .have(
            AtMost((1 + kappa * long) / (1 + s * z), (1 / c + 1 / A) * kappa * short / (1 + z)),
            "the upper bound",
        )
    )


@claim(PAPER, "ln-monotone", at="Proof of Theorem 4.2", kind="inequality", standing="ours")
def logarithm_increases():
    """ln(1 + z) <= ln(1 + s z) for s >= 1."""
    z, s = sp.symbols("z s", positive=True)
    return AtMost(sp.log(1 + z), sp.log(1 + s * z), given=[s >= 1])


@claim(
    PAPER,
    "eq-24-least",
    at="Proof of Theorem 4.2",
    kind="inequality",
    uses=["proof-4.2-upper-corrected", "ln-monotone"],
    standing="ours",
)
def kappa_times_the_logarithm_is_bounded_below():
    """kappa ln(1 + 1/(kappa alpha)) >= k0 ln(1 + 1/(k0 alpha_0)) for kappa >= k0 and alpha <= alpha_0."""
    k0, most = sp.symbols("k_0 alpha_0", positive=True)
    return (
        Theorem(
            given=[kappa >= k0, alpha <= most],
            shows=AtMost(k0 * sp.log(1 + 1 / (k0 * most)), kappa * sp.log(1 + 1 / (kappa * alpha))),
        )
        .use("proof-4.2-upper-corrected", "Bernoulli", z=1 / (kappa * alpha), c=k0 / kappa)
        .use("ln-monotone", "alpha <= alpha_0", z=1 / (k0 * most), s=most / alpha)
    )


@claim(PAPER, "proof-lemma-4.1", at="Proof of Lemma 4.1", kind="identity")
def equality_in_cauchy_schwarz_gives_the_schedule():
    """sum_t 1/sigma_t^2 sum_t q_t sigma_t^2 >= (sum_t sqrt q_t)^2; sigma_t = (s/q_t)^(1/4) makes s/sigma_t^2
    = q_t sigma_t^2; with sqrt s = (1/R) sum_t sqrt q_t it spends the budget, and is Eq (6). (That it is the
    only minimiser is lemma-4.1.)
    """
    s, sigma, v = *sp.symbols("s sigma", positive=True), sp.IndexedBase("v", positive=True)  # v = sigma^2
    roots = sp.Sum(sp.sqrt(q[i]), (i, 1, T))
    chosen, level = sp.Eq(sigma, (s / q[t]) ** sp.Rational(1, 4)), sp.Eq(s, (roots / R) ** 2)
    spent = sp.Sum(1 / v[t], (t, 1, T)) * sp.Sum(q[t] * v[t], (t, 1, T))
    return AllOf(
        AtMost(sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2, spent),
        Equal(s / sigma**2, q[t] * sigma**2, given=[chosen]),
        Equal(sp.Sum(sp.sqrt(q[t] / s), (t, 1, T)), R, given=[level]),
        Equal(sigma**2, sp.Sum(sp.sqrt(q[i] / q[t]), (i, 1, T)) / R, given=[level, chosen]),
    )


@claim(
    PAPER,
    "eq-25",
    at="Eq (25)",
    kind="identity",
    uses=["lemma-4.1"],
    expect=REFUTED,
    correction="lemma-4.1-var",
    breaks="misprint",
    standing="misprint",
)
def gain_over_uniform_is_the_variance_of_q():
    """T sum_t q_t - (sum_t sqrt q_t)^2 = T^2 Var[q_t] (the middle expression of Eq (25) is the variance of
    sqrt q_t).
    """
    mean = sp.Sum(q[t], (t, 1, T)) / T
    variance = sp.Sum((q[t] - mean) ** 2, (t, 1, T)) / T
    return Equal(T * sp.Sum(q[t], (t, 1, T)) - sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2, T**2 * variance)


@claim(PAPER, "eq-26", at="Eq (26)", kind="optimality", uses=["lemma-4.1", "thm-4.1"])
def eq_26_is_the_only_real_minimiser():
    """Eq (3) at the schedule of Lemma 4.1 is the dynamic bound gamma^T + alpha ((1 - gamma^(T/2))/(1 - sqrt
    gamma))^2. In x = gamma^(T/2), b = alpha/(1 - sqrt gamma)^2, it exceeds b/(1+b) by (1+b)(x - b/(1+b))^2,
    so that it is least, b/(1+b), where x = b/(1+b) and nowhere else; this is at T* = 2 log_gamma(alpha/(alpha
    + (1 - sqrt gamma)^2)), which is positive.
    """
    roots = sp.Sum(sp.sqrt(gamma ** (T - t)), (t, 1, T))
    closed, star = schedules.dynamic_erub(gamma, alpha, T), schedules.eq_26(gamma, alpha)
    known = [gamma < 1, sp.Eq(b, alpha / (1 - sp.sqrt(gamma)) ** 2)]
    return AllOf(
        Equal(gamma**T + alpha * roots**2, closed, given=[gamma < 1]),
        Equal(x**2 + b * (1 - x) ** 2 - b / (1 + b), (1 + b) * (x - b / (1 + b)) ** 2),
        Equal(sp.exp(star * sp.log(gamma) / 2), b / (1 + b), given=known),
        AtMost(b / (1 + b), 1, strict=True),
    )


@claim(PAPER, "proof-4.3-kappa", at="Proof of Theorem 4.3", kind="inequality")
def one_over_one_minus_sqrt_gamma_is_of_order_kappa():
    """(1 - sqrt gamma)^-2 = kappa (2 kappa - 1 + 2 sqrt(kappa (kappa - 1))), which is between kappa^2 and 4
    kappa^2; and kappa <= (1 - sqrt gamma)^-1 <= 2 kappa (kappa = 1/(1 - g^2), g = sqrt gamma).
    """
    derived = (1 - sp.sqrt(1 - 1 / kappa)) ** -2
    stated = kappa * (2 * kappa - 1 + 2 * sp.sqrt(kappa * (kappa - 1)))
    g = sp.Symbol("g", nonnegative=True)
    return AllOf(
        Equal(derived, stated, given=[kappa >= 1]),
        AtMost(stated, 4 * kappa**2, given=[kappa >= 1]),
        AtMost(kappa**2, stated, given=[kappa >= 1]),
        AtMost(1 / (1 - g**2), 1 / (1 - g), given=[g < 1]),
        AtMost(1 / (1 - g), 2 / (1 - g**2), given=[g < 1]),
    )


@claim(
    PAPER,
    "proof-4.3-bounds",
    at="Proof of Theorem 4.3",
    kind="inequality",
    uses=["eq-26", "proof-4.3-kappa"],
)
def least_dynamic_bound_within_a_factor_four():
    """(1/4) y/(y + 1) <= y/(4 y + 1) <= b/(1+b) <= 4 y/(y + 1), y = kappa^2 alpha, b = alpha/(1 - g)^2 =
    y (1 + g)^2, g = sqrt gamma.
    """
    g, y = sp.Symbol("g", nonnegative=True), sp.Symbol("y", positive=True)
    least = y * (1 + g) ** 2 / (1 + y * (1 + g) ** 2)
    return AllOf(
        AtMost(y / (4 * (y + 1)), y / (4 * y + 1)),
        AtMost(y / (4 * y + 1), least, given=[g < 1]),
        AtMost(least, 4 * y / (y + 1), given=[g < 1]),
    )
