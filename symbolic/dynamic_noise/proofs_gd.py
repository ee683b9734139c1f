"""Appendix C.1: the printed proofs of Theorem 3.1 and of section 4.1, line by line.

uniform   E(T) = gamma^T + alpha kappa (1 - gamma^T) T                                              Eq (21)
dynamic   E(T) = x^2 + b (1 - x)^2,  x = gamma^(T/2),  b = alpha/(1 - sqrt gamma)^2                  Eq (26)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, BigO, Derivation, Equal, Increasing, Induction, Instance
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

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
    breaks="proof",
)
def spent_is_at_most_r_minus_r_t():
    """(1/2) sum_{t<=T} rho_t <= (1/2)(R - R_T) <= R/2, with R_1 = R and R_{t+1} = R_t - rho_t."""
    rest = R - sp.Sum(q[t], (t, 1, T - 1))  # R_T; q stands for rho
    return Derivation().step(
        AtMost(sp.Sum(q[t], (t, 1, T)) / 2, (R - rest) / 2, given=[T >= 2]),
        "R - R_T is the sum of the first T - 1 costs",
    )


@claim(
    PAPER,
    "proof-3.1-chain-corrected",
    at="Proof of Theorem 3.1, corrected",
    kind="inequality",
    expect=SUPPORTED,
)
def spent_is_r_minus_what_is_left():
    """(1/2) sum_{t<=T} rho_t = (1/2)(R - R_{T+1}) <= R/2, since the guard keeps R_{T+1} >= 0."""
    left, spent = sp.Symbol("left", nonnegative=True), sp.Sum(q[t], (t, 1, T))  # left = R_{T+1}
    budget, cost = sp.Symbol("budget", positive=True), sp.Symbol("cost", positive=True)
    return (
        Derivation()
        .step(
            Induction(Equal(x, R - spent), value=x, over=T, start=1, first=R - q[1], next=x - q[T + 1]),
            "R_{T+1} = R_T - rho_T, unrolled",
        )
        .step(
            AtMost(0, budget - cost, given=[cost <= budget]),
            "a step is taken only if its cost is at most what is left",
        )
        .step(AtMost((R - left) / 2, R / 2), "so what was spent is at most R")
    )


@claim(
    PAPER,
    "proof-3.1-map",
    at="Proof of Theorem 3.1, first sentence",
    kind="algorithm property",
    expect=REFUTED,
    correction="proof-3.1-map-corrected",
    breaks="proof",
)
def sensitivity_follows_from_lipschitz_gradients():
    """ "Because all sample gradients are G-Lipschitz, the sensitivity of the averaged gradient is at most
    G/N".

    The case f(theta; x) = G theta^2/2 has a G-Lipschitz gradient G theta, of any size. (The proof also calls
    m_t by the name v_t.)
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
    expect=SUPPORTED,
)
def sensitivity_follows_from_lipschitz_losses():
    """If every sample loss is G-Lipschitz (or its gradient is clipped to G), one sample moves the averaged
    gradient by at most G/N.
    """
    g, G, N = (
        sp.Symbol("g", nonnegative=True),
        sp.Symbol("G", positive=True),
        sp.Symbol("N", integer=True, positive=True),
    )
    clipped = g * sp.Min(1, G / g)
    return (
        Derivation()
        .step(AtMost(g / N, G / N, given=[g <= G]), "a G-Lipschitz loss has gradients of norm at most G")
        .step(AtMost(clipped, G, given=[g > 0]), "so does a clipped one")
    )


@claim(PAPER, "proof-4.1", at="Proof of Theorem 4.1", kind="identity", uses=["eq-2-alpha"], expect=SUPPORTED)
def proof_of_theorem_4_1_line_by_line():
    """1 - 2 mu eta (1 - M eta/2) = gamma at eta = 1/M; the recursion unrolled for any step sizes;
    (MD/2R)(G/(MN))^2 = alpha (f(theta_1) - f*).
    """
    D, G, N, eta, gap = sp.symbols("D G N eta e_1", positive=True)
    g2, n2 = sp.symbols("g2 n2", positive=True)  # |grad|^2, |noise|^2
    dot = sp.Symbol("dot", real=True)  # grad . noise
    y = sp.Symbol("y", real=True)

    P, c = (
        sp.IndexedBase("P", positive=True),
        sp.IndexedBase("c", positive=True),
    )  # P_t, the product of the first t factors, and the noise terms
    unrolled = P[T] * (gap + sp.Sum(c[t] / P[t], (t, 1, T)))
    return (
        Derivation()
        .step(
            Equal(
                -eta * (g2 + dot) + (M / 2) * eta**2 * (g2 + 2 * dot + n2),
                -eta * (1 - M * eta / 2) * g2 - (1 - M * eta) * eta * dot + M * eta**2 * n2 / 2,
            ),
            "first display: expand the square",
        )
        .step(
            AtMost(
                -eta * (1 - M * eta / 2) * g2,
                -2 * mu * eta * (1 - M * eta / 2) * y,
                given=[g2 >= 2 * mu * y, eta <= 2 / M],
            ),
            "the PL condition (needs eta <= 2/M)",
        )
        .step(
            Equal((1 - 2 * mu * eta * (1 - M * eta / 2)).subs(eta, 1 / M), 1 - mu / M),
            "at eta = 1/M the factor is gamma",
        )
        .step(
            Induction(
                Equal(y, unrolled),
                value=y,
                over=T,
                start=1,
                first=P[1] * gap + c[1],
                next=P[T + 1] / P[T] * y + c[T + 1],
            ),
            "the recursion for any step sizes, factors P_{t+1}/P_t: the product over i = t+1..T is P_T/P_t",
        )
        .step(
            Equal((M * D / (2 * R)) * (G / (M * N)) ** 2, schedules.alpha_of(D, G, R, M, N, gap) * gap),
            "alpha of Eq (2)",
        )
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
    return AtMost(0, sp.diff(bound, tau, 2))


@claim(
    PAPER,
    "proof-4.2-unimodal",
    at="Proof of Theorem 4.2, Eq (21), corrected",
    kind="monotonicity",
    uses=["sketch-4.2-e"],
    expect=SUPPORTED,
)
def uniform_bound_falls_then_rises():
    """It is convex up to T = 2/l + 1/(alpha kappa) and concave after, but unimodal: its slope has the sign of
    w + e^w - c, w = l T.
    """
    w = sp.Symbol("w", positive=True)
    bound = sp.exp(-w) + (a / l) * (1 - sp.exp(-w)) * w
    return (
        Derivation()
        .step(
            Equal(sp.diff(bound, w, 2), (a / l) * sp.exp(-w) * (2 + l / a - w)),
            "second derivative in w = l T",
        )
        .step(Equal(sp.diff(bound, w), (a / l) * sp.exp(-w) * (w + sp.exp(w) - 1 - l / a)), "slope")
        .step(Increasing(w + sp.exp(w), w, strict=True), "one sign change")
    )


@claim(PAPER, "eq-22-argmin", at="Eq (22)", kind="optimality", expect=SUPPORTED)
def eq_22_minimises_the_surrogate():
    """arg min over T of gamma^T + alpha kappa T is (1/l) ln(l/(kappa alpha)), l = ln(1/gamma), if kappa alpha
    < l.
    """
    surrogate = sp.exp(-l * tau) + a * tau
    stated = sp.log(l / a) / l
    u, v = sp.Symbol("u", real=True), sp.Symbol("v", positive=True)
    return (
        Derivation()
        .step(AtMost(1 + u, sp.exp(u)), "the exponential lies above its tangent")
        .step(Equal(sp.diff(surrogate, tau).subs(tau, stated), 0), "the stated T is stationary")
        .step(
            Equal(
                surrogate - surrogate.subs(tau, stated),
                (a / l) * (sp.exp(u) - 1 - u),
                given=[sp.Eq(u, sp.log(l / a) - l * tau)],
            ),
            "the excess over the stated T is (a/l)(e^u - 1 - u), u = l (T* - T): nonnegative by step 1",
        )
        .step(
            AtMost(0, sp.log(1 + v) / l, strict=True),
            "with l/(kappa alpha) = 1 + v > 1 the stated T is positive, in the domain",
        )
    )


@claim(
    PAPER,
    "eq-22-explosion",
    at="Below Eq (22)",
    kind="asymptotic",
    uses=["proof-4.2-ln"],
    expect=REFUTED,
    correction="eq-22-explosion-corrected",
    breaks="proof",
)
def eq_22_explodes():
    """The T of Eq (22) explodes as kappa -> oo: in particular it is at least 1 for all large kappa, such as
    those with alpha kappa (kappa - 1) >= 1.
    """
    length = -sp.log(1 - 1 / kappa)
    return AtMost(
        1, sp.log(length / (kappa * alpha)) / length, given=[kappa > 1, alpha * kappa * (kappa - 1) >= 1]
    )


@claim(
    PAPER,
    "eq-22-explosion-corrected",
    at="Below Eq (22), corrected",
    kind="asymptotic",
    uses=["proof-4.2-ln", "eq-22-argmin"],
    expect=SUPPORTED,
)
def eq_22_is_zero_for_large_kappa():
    """If alpha kappa (kappa - 1) >= 1 then kappa alpha >= l, outside the condition of Eq (22): gamma^T +
    alpha kappa T is least at T = 0.
    """
    u = sp.Symbol("u", nonnegative=True)
    return (
        Derivation()
        .step(
            AtMost(
                l, alpha * kappa, given=[kappa > 1, l <= 1 / (kappa - 1), alpha * kappa * (kappa - 1) >= 1]
            ),
            "l <= 1/(kappa - 1) <= alpha kappa",
        )
        .step(AtMost(1, sp.exp(-u) + u), "e^-u >= 1 - u")
        .step(
            AtMost(u, a * u / l, given=[a >= l]),
            "so gamma^T + alpha kappa T >= 1, its value at T = 0, with u = l T",
        )
    )


@claim(PAPER, "eq-24", at="Eq (24)", kind="identity", uses=["sketch-4.2-e"])
def uniform_bound_at_eq_23_is_eq_24():
    """E at T = (1/l) ln(1 + l/alpha) is (1 + kappa ln(1 + l/alpha))/(1 + l/alpha)."""
    bound = sp.exp(-l * tau) + alpha * kappa * (1 - sp.exp(-l * tau)) * tau
    derived = bound.subs(tau, sp.log(1 + l / alpha) / l)
    return Equal(derived, (1 + kappa * sp.log(1 + l / alpha)) / (1 + l / alpha))


@claim(PAPER, "proof-4.2-ln", at="Proof of Theorem 4.2", kind="inequality", expect=SUPPORTED)
def log_one_over_gamma_is_of_order_one_over_kappa():
    """1/kappa <= ln(1/gamma) <= 1/(kappa - 1) <= 1/(c kappa) for kappa >= 1/(1-c), 0 < c < 1."""
    c = sp.Symbol("c", positive=True)
    length = sp.log(kappa / (kappa - 1))
    return (
        Derivation()
        .step(AtMost(1 / kappa, length, given=[kappa > 1]), "-ln(1 - x) >= x")
        .step(AtMost(length, 1 / (kappa - 1), given=[kappa > 1]), "ln(1 + x) <= x")
        .step(
            AtMost(1 / (kappa - 1), 1 / (c * kappa), given=[kappa * (1 - c) >= 1, c < 1, kappa > 1]),
            "c kappa <= kappa - 1",
        )
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

    Checked at c = 1/2 and alpha = 1/10 along kappa -> oo, where A -> 0.
    """
    n = sp.Symbol("n", integer=True, positive=True)  # kappa
    A = sp.log(1 + 10 / n)
    return BigO(A + sp.log(2), A, [n >= 2])


@claim(
    PAPER, "proof-4.2-upper-corrected", at="Proof of Theorem 4.2, upper bound, corrected", kind="inequality"
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
    uses=["eq-24", "proof-4.2-ln", "proof-4.2-upper", "proof-4.2-upper-corrected"],
    expect=SUPPORTED,
)
def eq_24_is_of_order_eq_5():
    """c S <= Eq (24) <= C S with S of Eq (5), kappa >= 1/(1-c), alpha <= alpha_0: C = 1/c + 1/(k0 ln(1 +
    1/(k0 alpha_0))), k0 = 1/(1-c).
    """
    z, l1, c, k, A = sp.symbols("z s c k A", positive=True)  # z = 1/(kappa alpha), s = l kappa in [1, 1/c]
    scale = k * sp.log(1 + z) / (1 + z)
    room = [l1 >= 1, l1 <= 1 / c, c < 1]
    return (
        Derivation()
        .step(
            Equal(
                kappa**2 / (kappa + 1 / alpha) * sp.log(1 + 1 / (kappa * alpha)),
                scale.subs({k: kappa, z: 1 / (kappa * alpha)}),
            ),
            "Eq (5) with z = 1/(kappa alpha)",
        )
        .step(AtMost(1 / (1 + z / c), 1 / (1 + l1 * z), given=room), "l <= 1/(c kappa)")
        .step(AtMost(c / (1 + z), 1 / (1 + z / c), given=[c < 1]), "c/(1+z) <= 1/(1+z/c)")
        .step(
            AtMost(k * sp.log(1 + z), 1 + k * sp.log(1 + l1 * z), given=[l1 >= 1]),
            "l >= 1/kappa: the lower bound c S <= Eq (24)",
        )
        .step(AtMost(1 / (1 + l1 * z), 1 / (1 + z), given=[l1 >= 1]), "l >= 1/kappa, in the denominator")
        .step(
            AtMost(sp.log(1 + z / c), sp.log(1 + z) / c, given=[c < 1]),
            "Bernoulli, in place of the printed ln(1/c)",
        )
        .step(
            AtMost(1, k * sp.log(1 + z) / A, given=[k * sp.log(1 + z) >= A]),
            "and 1 <= k ln(1 + z)/A, A its least value: C = 1/c + 1/A",
        )
        .step(
            Equal(
                sp.diff(k * sp.log(1 + 1 / (k * alpha)), k),
                (sp.log(1 + z) - z / (1 + z)).subs(z, 1 / (k * alpha)),
            ),
            "the slope of k ln(1 + 1/(k alpha)) in k, z = 1/(k alpha)",
        )
        .step(
            AtMost(z / (1 + z), sp.log(1 + z)),
            "is not negative: A = k0 ln(1 + 1/(k0 alpha_0)), at the smallest kappa",
        )
    )


@claim(PAPER, "proof-lemma-4.1", at="Proof of Lemma 4.1", kind="identity", expect=SUPPORTED)
def equality_in_cauchy_schwarz_gives_the_schedule():
    """Equality holds iff sigma_t = (s/q_t)^(1/4), with sqrt s = (1/R) sum_t sqrt q_t from the budget; this is
    Eq (6).
    """
    s, v, w = sp.symbols("s v w", positive=True)
    roots = sp.Sum(sp.sqrt(q[i]), (i, 1, T))
    sigma2 = sp.sqrt(s / q[t])
    return (
        Derivation()
        .step(
            Equal(v * w - (sp.sqrt(v * w)) ** 2, 0),
            "the two sums multiply to the square of the mixed one, term by term",
        )
        .step(Equal(s / sigma2, q[t] * sigma2), "sigma_t = (s/q_t)^(1/4) makes s/sigma_t^2 = q_t sigma_t^2")
        .step(Equal((sp.Sum(1 / sigma2, (t, 1, T))).subs(s, (roots / R) ** 2), R), "the budget fixes sqrt s")
        .step(
            Equal(sigma2.subs(s, (roots / R) ** 2), sp.Sum(sp.sqrt(q[i] / q[t]), (i, 1, T)) / R),
            "which is Eq (6)",
        )
    )


@claim(
    PAPER,
    "eq-25",
    at="Eq (25)",
    kind="identity",
    uses=["lemma-4.1"],
    expect=REFUTED,
    correction="lemma-4.1-var",
    breaks="proof",
)
def gain_over_uniform_is_the_variance_of_q():
    """T sum_t q_t - (sum_t sqrt q_t)^2 = T^2 Var[q_t] (the middle expression of Eq (25) is the variance of
    sqrt q_t).
    """
    mean = sp.Sum(q[t], (t, 1, T)) / T
    variance = sp.Sum((q[t] - mean) ** 2, (t, 1, T)) / T
    return Equal(T * sp.Sum(q[t], (t, 1, T)) - sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2, T**2 * variance)


@claim(PAPER, "eq-26", at="Eq (26)", kind="optimality", uses=["lemma-4.1", "thm-4.1"], expect=SUPPORTED)
def eq_26_is_the_only_real_minimiser():
    """The dynamic bound is least at T* = 2 log_gamma(alpha/(alpha + (1 - sqrt gamma)^2)), where it is
    b/(1+b), b = alpha/(1-sqrt gamma)^2.
    """
    roots = sp.Sum(sp.sqrt(gamma ** (T - t)), (t, 1, T))
    closed = schedules.dynamic_erub(gamma, alpha, T)
    star = schedules.eq_26(gamma, alpha)
    return (
        Derivation()
        .step(
            Equal(gamma**T + alpha * roots**2, closed, given=[gamma < 1]),
            "Eq (3) at the schedule of Lemma 4.1: a geometric sum",
        )
        .step(
            Equal(x**2 + b * (1 - x) ** 2 - b / (1 + b), (1 + b) * (x - b / (1 + b)) ** 2),
            "with x = gamma^(T/2): a square, zero only at x = b/(1+b)",
        )
        .step(
            Equal(
                sp.exp(star * sp.log(gamma) / 2),
                b / (1 + b),
                given=[gamma < 1, sp.Eq(b, alpha / (1 - sp.sqrt(gamma)) ** 2)],
            ),
            "x = gamma^(T/2) decreases strictly in T and takes the value b/(1+b) at the stated T",
        )
        .step(AtMost(b / (1 + b), 1, strict=True), "so T* > 0")
    )


@claim(PAPER, "proof-4.3-kappa", at="Proof of Theorem 4.3", kind="inequality", expect=SUPPORTED)
def one_over_one_minus_sqrt_gamma_is_of_order_kappa():
    """(1 - sqrt gamma)^-2 = kappa (2 kappa - 1 + 2 sqrt(kappa (kappa - 1))), and kappa <= (1 - sqrt gamma)^-1
    <= 2 kappa.
    """
    derived = (1 - sp.sqrt(1 - 1 / kappa)) ** -2
    stated = kappa * (2 * kappa - 1 + 2 * sp.sqrt(kappa * (kappa - 1)))
    at_least_one = [kappa >= 1]
    g = sp.Symbol("g", nonnegative=True)
    return (
        Derivation()
        .step(Equal(derived, stated, given=at_least_one), "expand with gamma = 1 - 1/kappa")
        .step(AtMost(stated, 4 * kappa**2, given=at_least_one), "printed upper bound")
        .step(AtMost(kappa**2, stated, given=at_least_one), "printed lower bound")
        .step(
            AtMost(1 / (1 - g**2), 1 / (1 - g), given=[g < 1]),
            "the root: kappa = 1/(1 - gamma) <= 1/(1 - sqrt gamma)",
        )
        .step(AtMost(1 / (1 - g), 2 / (1 - g**2), given=[g < 1]), "and 1/(1 - sqrt gamma) <= 2 kappa")
    )


@claim(
    PAPER,
    "proof-4.3-bounds",
    at="Proof of Theorem 4.3",
    kind="inequality",
    uses=["eq-26", "proof-4.3-kappa"],
    expect=SUPPORTED,
)
def least_dynamic_bound_within_a_factor_four():
    """(1/4) kappa^2 alpha/(kappa^2 alpha + 1) <= kappa^2 alpha/(4 kappa^2 alpha + 1) <= b/(1+b) <= 4 kappa^2
    alpha/(kappa^2 alpha + 1).
    """
    y = kappa**2 * alpha
    room = [b >= y, b <= 4 * y]
    return (
        Derivation()
        .step(AtMost(b / (1 + b), 4 * y / (y + 1), given=room), "kappa^2 alpha <= b <= 4 kappa^2 alpha")
        .step(AtMost(y / (4 * y + 1), b / (1 + b), given=room), "the same")
        .step(AtMost(y / (4 * (y + 1)), y / (4 * y + 1)), "4 y + 1 <= 4 (y + 1)")
    )
