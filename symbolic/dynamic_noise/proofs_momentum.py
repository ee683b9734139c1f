"""Appendix C.2 and the end of C.3: the printed proofs of Theorems 4.4, 4.5, 4.6 and 4.8, line by line.

    v_{t+1} = (1-beta) sum_{i<=t} beta^(t-i) g_i,  b_t = 1 - beta^t,  theta_{t+1} = theta_t - eta v_{t+1}/b_t,
    eta = eta_0/(2M)
    gamma = 1 - eta_0/kappa,  T_hat of Lemma B.7

O-statements are refuted along a family that meets every hypothesis: beta = 1/2, gamma = 2^(-1/n), eta_0 =
1/100. There T_hat = n exactly: (1-beta)/(1-beta^(n+1)) > 1/2 = gamma^n, and (1-beta)/(1-beta^n) <=
gamma^(n-1) because 2^-n <= 1 - 2^(-1/n).
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO, Derivation, Equal, Theta
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

t = step()
i, j, T, Th = sp.symbols("i j T T_hat", integer=True, positive=True)
beta, gamma, eta0, kappa, alpha, M, mu, R, eta = sp.symbols(
    "beta gamma eta_0 kappa alpha M mu R eta", positive=True
)
s2 = sp.IndexedBase("s2", positive=True)  # sigma_t^2
INSIDE = [beta < 1, gamma < 1]
ROOT = sp.sqrt(gamma)

n = sp.Symbol("n", integer=True, positive=True)
FAMILY_GAMMA, FAMILY_ETA0 = 2 ** (-1 / n), sp.Rational(1, 100)
FAMILY = {
    gamma: FAMILY_GAMMA,
    beta: sp.Rational(1, 2),
    eta0: FAMILY_ETA0,
    kappa: FAMILY_ETA0 / (1 - FAMILY_GAMMA),
    Th: n,
}
FAMILY_GIVEN = [n >= 100]  # kappa >= 1, and eta_0 meets the condition of Theorem 4.4


def unbounded(expression, scale):
    """The claim expression <= O(scale), on the family."""
    expression, scale = (sp.sympify(e).subs(FAMILY) for e in (expression, scale))
    return BigO(expression, scale, FAMILY_GIVEN)


@claim(
    PAPER,
    "momentum-family",
    at="Appendix C.2, a family of cases",
    kind="inequality",
    uses=["lemma-b.7"],
    expect=SUPPORTED,
)
def family_meets_the_hypotheses():
    """At beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100, n >= 100: T_hat = n, kappa >= 1, gamma > beta, and
    eta_0 meets Theorem 4.4, printed and corrected.
    """
    x, y = sp.symbols("u y", positive=True)  # (ln 2)/n, 2^n
    c = (beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)).subs(beta, sp.Rational(1, 2))
    near = [gamma >= sp.Rational(99, 100), gamma < 1]
    return (
        Derivation()
        .step(
            AtMost(x / 2, 1 - sp.exp(-x), given=[x <= 1]),
            "1 - gamma = 1 - exp(-u), u = (ln 2)/n, is at least u/2",
        )
        .step(AtMost(4 * (n + 1), 2 * y, given=[4 * n <= y]), "4n <= 2^n from n = 4 on, by induction")
        .step(AtMost(sp.Rational(1, 2), sp.log(2)), "ln 2 >= 1/2")
        .step(
            AtMost(1 / y, x / 2, given=[4 * n <= y, n * x >= sp.Rational(1, 2)]),
            "so 2^-n <= u/2 <= 1 - gamma, that is (1-beta)/(1-beta^n) <= gamma^(n-1)",
        )
        .step(
            AtMost(sp.Rational(1, 2), sp.Rational(1, 2) / (1 - sp.Rational(1, 2) ** (n + 1)), strict=True),
            "and (1-beta)/(1-beta^(n+1)) > gamma^n = 1/2",
        )
        .step(
            AtMost(1 - sp.exp(-x), sp.Rational(1, 100), given=[x <= sp.log(2) / 100]),
            "gamma >= 99/100, so kappa = eta_0/(1-gamma) >= 1",
        )
        .step(AtMost(FAMILY_ETA0, 8 / (sp.sqrt(1 + 64 * c) + 1), given=near), "the condition of Theorem 4.4")
        .step(AtMost(FAMILY_ETA0 + 4 * c * FAMILY_ETA0**2, 1, given=near), "and of its correction")
    )


@claim(
    PAPER,
    "eq-27",
    at="Eq (27)",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="eq-27-corrected",
)
def minus_a_product_is_a_difference_of_squares():
    """-(b grad)'v = |b grad - v|^2 - |b grad|^2 - |v|^2 (in one dimension already)."""
    x, v = sp.symbols("x v", real=True)
    return Equal(-x * v, (x - v) ** 2 - x**2 - v**2)


@claim(PAPER, "eq-27-corrected", at="Eq (27), corrected", kind="inequality", expect=SUPPORTED)
def descent_along_the_average():
    """-(b grad)'v is half of that: f(theta_{t+1}) - f(theta_t) <= (eta/(2 b^2)) U_1 - (eta/2)|grad|^2 -
    (eta/(2 b^2))(1 - M eta)|v|^2.
    """
    x2, v2 = sp.symbols("x2 v2", nonnegative=True)  # |b grad|^2, |v|^2
    xv, b = sp.Symbol("xv", real=True), sp.Symbol("b", positive=True)  # (b grad)'v, b_t
    U1 = x2 - 2 * xv + v2
    smooth = -eta / b**2 * xv + M / 2 * eta**2 / b**2 * v2
    stated = eta / (2 * b**2) * U1 - eta / 2 * x2 / b**2 - eta / (2 * b**2) * (1 - M * eta) * v2
    return (
        Derivation()
        .step(Equal(-xv, (U1 - x2 - v2) / 2), "the cosine rule")
        .step(Equal(smooth, stated), "put into the smoothness inequality")
    )


@claim(PAPER, "proof-4.4-gamma", at="Appendix C.2, the recursion", kind="identity")
def gamma_is_one_minus_two_mu_eta():
    """gamma = 1 - eta_0/kappa = 1 - 2 mu eta with eta = eta_0/(2M), kappa = M/mu."""
    return Equal(1 - 2 * mu * (eta0 / (2 * M)), 1 - eta0 / (M / mu))


@claim(PAPER, "proof-4.4-u1", at="Appendix C.2, U_1(t)", kind="inequality", expect=SUPPORTED)
def error_of_the_average_splits_in_gradients_and_noise():
    """U_1(t) <= 2 (1-beta) (b_t U_2 + (1-beta) |sum_i beta^(t-i) nu_i|^2), U_2 = sum_i beta^(t-i) |grad_t -
    grad_i|^2.
    """
    x, y, A2, B2, U2 = sp.symbols("x y A2 B2 U2", nonnegative=True)
    d = sp.IndexedBase("d", positive=True)  # |grad_t - grad_i|
    weights = sp.Sum(beta ** (t - i), (i, 1, t))
    bt = 1 - beta**t
    return (
        Derivation()
        .step(AtMost((x + y) ** 2, 2 * (x**2 + y**2)), "|A + B|^2 <= 2 (|A|^2 + |B|^2)")
        .step(
            AtMost(
                sp.Sum(beta ** (t - i) * d[i], (i, 1, t)) ** 2,
                weights * sp.Sum(beta ** (t - i) * d[i] ** 2, (i, 1, t)),
            ),
            "|A|^2 <= (sum_i beta^(t-i)) U_2, Cauchy-Schwarz",
        )
        .step(Equal(weights, bt / (1 - beta), given=[beta < 1]), "the geometric sum")
        .step(
            AtMost(
                2 * (1 - beta) ** 2 * (A2 + B2),
                2 * (1 - beta) * (bt * U2 + (1 - beta) * B2),
                given=[A2 <= bt / (1 - beta) * U2, beta < 1],
            ),
            "put together",
        )
    )


@claim(
    PAPER,
    "proof-4.4-noise-index",
    at="Appendix C.2, the noise term",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.4-noise-index-corrected",
)
def averaged_noise_has_the_variance_of_the_last_step():
    """E|sum_i beta^(t-i) nu_i|^2 = sum_i beta^(2(t-i)) C^2 D sigma_t^2/N^2, the same sigma_t in every
    term.
    """
    return Equal(_expected_square(2), sum(beta ** (2 * (2 - r)) * s2[2] for r in (1, 2)), given=[beta < 1])


def _expected_square(length):
    """E (sum_i beta^(t-i) nu_i)^2 at t = length, from E nu_i nu_j = s2[i] if i = j, else 0 (units of C^2
    D/N^2).
    """
    nu = sp.symbols(f"nu1:{length + 1}", real=True)
    square = sp.expand(sum(beta ** (length - r) * nu[r - 1] for r in range(1, length + 1)) ** 2)
    moments = {nu[a] * nu[b]: 0 for a in range(length) for b in range(a)} | {
        nu[a] ** 2: s2[a + 1] for a in range(length)
    }
    return sum(square.coeff(monomial) * value for monomial, value in moments.items())


@claim(
    PAPER,
    "proof-4.4-noise-index-corrected",
    at="Appendix C.2, the noise term, corrected",
    kind="identity",
    expect=SUPPORTED,
)
def averaged_noise_has_the_variance_of_each_step():
    """E|sum_i beta^(t-i) nu_i|^2 = sum_i beta^(2(t-i)) sigma_i^2 (times C^2 D/N^2): at each step, the old
    variance times beta^2 plus the new.
    """
    x = sp.Symbol("x", positive=True)
    sums = sp.Sum(beta ** (2 * (T - i)) * s2[i], (i, 1, T))
    return (
        Derivation()
        .step(Equal(_expected_square(1), s2[1]), "at t = 1")
        .step(Equal(_expected_square(2), (beta**2 * x + s2[2]).subs(x, s2[1])), "the cross term vanishes")
        .step(
            Equal(sums.subs(T, T + 1), beta**2 * sums + s2[T + 1]),
            "so the variance obeys the recursion of the sum",
        )
    )


@claim(
    PAPER,
    "proof-4.4-u4",
    at="Appendix C.2, U_4",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.4-u4-corrected",
)
def momentum_effect_equals_zeta_times_the_sum():
    """eta_0^3 c/(2M) sum_{i<T} gamma^(T-i)|v_{i+1}|^2 - (eta_0/(2M))(1 - eta_0/4) sum_{t<=T}
    gamma^(T-t)|v_{t+1}|^2 = -(eta_0/(2M)) zeta sum_{t<=T} ...
    """
    c = sp.Symbol("c", positive=True)
    left, right = _momentum_effect()
    return Equal(left, right, given=[gamma < 1, eta0 >= 1 - gamma, eta0 / 4 + c * eta0**2 <= 1])


def _momentum_effect():
    """The two sides, zeta = 1 - eta_0/4 - c eta_0^2."""
    c, v2 = sp.Symbol("c", positive=True), sp.IndexedBase("v2", positive=True)  # |v_{t+1}|^2
    all_steps = sp.Sum(gamma ** (T - t) * v2[t], (t, 1, T))
    but_last = all_steps - v2[T]
    left = eta0**3 * c / (2 * M) * but_last - eta0 / (2 * M) * (1 - eta0 / 4) * all_steps
    return left, -eta0 / (2 * M) * (1 - eta0 / 4 - c * eta0**2) * all_steps


@claim(
    PAPER,
    "proof-4.4-u4-corrected",
    at="Appendix C.2, U_4, as an inequality",
    kind="inequality",
    expect=SUPPORTED,
)
def momentum_effect_is_at_most_zeta_times_the_sum():
    """The same with <=: the first sum lacks the last term, which is c eta_0^3/(2M) |v_{T+1}|^2 >= 0."""
    left, right = _momentum_effect()
    last = sp.Symbol("c", positive=True) * eta0**3 / (2 * M) * sp.IndexedBase("v2", positive=True)[T]
    return (
        Derivation()
        .step(Equal(right - left, last), "what is missing")
        .step(AtMost(0, last), "is not negative")
    )


def weight(x):
    """(1-beta)/(1-beta^x)."""
    return (1 - beta) / (1 - beta**x)


@claim(
    PAPER, "proof-4.5-u3", at="Proof of Theorem 4.5, U_3", kind="identity", uses=["eq-13"], expect=SUPPORTED
)
def u3_of_the_uniform_schedule():
    """With sigma_t = sigma: U_3 = sigma^2 sum_t gamma^(T-t) (1-beta)(1+beta^t)/((1-beta^t)(1+beta)), each
    weight at most 1.
    """
    y = sp.Symbol("y", positive=True)  # beta^t <= beta
    inner = weight(t) ** 2 * sp.Sum(beta ** (2 * (t - i)), (i, 1, t))
    return (
        Derivation()
        .step(
            Equal(inner, weight(t) * (1 + beta**t) / (1 + beta), given=[beta < 1]),
            "the geometric sum, term by term",
        )
        .step(
            AtMost((1 - beta) / (1 - y) * (1 + y) / (1 + beta), 1, given=[y <= beta, beta < 1]),
            "beta^t <= beta",
        )
    )


@claim(
    PAPER,
    "proof-4.5-split",
    at="Proof of Theorem 4.5, the general bound of U_3",
    kind="inequality",
    uses=["proof-4.5-u3", "lemma-b.7"],
    expect=SUPPORTED,
)
def u3_of_the_uniform_schedule_in_two_phases():
    """U_3 <= (T/(gamma R)) gamma^T (min(T_hat, T) + max((gamma^(T_hat-T) - 1)/(1-gamma), 0))."""
    m = sp.Symbol("m", integer=True, positive=True)  # T - T_hat
    y = sp.Symbol("y", positive=True)
    first = sp.Sum(gamma ** (T - t) * gamma ** (t - 1), (t, 1, Th))
    second = sp.Sum(gamma ** (m - j) * gamma ** (Th - 1), (j, 1, m))
    return (
        Derivation()
        .step(
            AtMost((1 + y) / (1 + beta), 1, given=[y <= beta]),
            "the weight is at most (1-beta)/(1-beta^t), so at most gamma^(t-1) or gamma^(T_hat-1)",
        )
        .step(
            Equal(first, gamma**T / gamma * Th),
            "the steps up to T_hat (up to T, if T <= T_hat, with T in place of T_hat)",
        )
        .step(
            Equal(second, gamma ** (Th + m) / gamma * (gamma**-m - 1) / (1 - gamma), given=[gamma < 1]),
            "the steps after T_hat, T = T_hat + m",
        )
        .step(
            AtMost((gamma**m - 1) / (1 - gamma), 0, given=[gamma < 1]),
            "if T <= T_hat the second maximum is 0",
        )
    )


@claim(PAPER, "ineq-ln-sqrt", at="Proof of Theorem 4.5", kind="inequality")
def log_is_at_most_the_root():
    """ln(1 + x) <= sqrt(x) for x > 0."""
    x = sp.Symbol("x", positive=True)
    return AtMost(sp.log(1 + x), sp.sqrt(x))


@claim(
    PAPER,
    "proof-4.5-case1",
    at="Proof of Theorem 4.5, T <= T_hat",
    kind="inequality",
    uses=["proof-4.5-split", "ineq-ln-sqrt"],
    expect=SUPPORTED,
)
def uniform_bound_before_t_hat():
    """With T <= (2/l) ln(1 + 1/y), y = kappa alpha/eta_0, l = ln(1/gamma): gamma^T (1 + (alpha'/gamma) T^2)
    <= 2 (y/(1+y)) (1 + 4 kappa/gamma).

    T = ceil((1/l) ln(1 + 1/y)) is at most twice its argument unless it is 1; Theorem 4.5 itself (thm-4.5)
    holds in that case too.
    """
    y, L, l = sp.symbols("y L l", positive=True)  # L = ln(1 + 1/y)
    two_steps = 2 * L / l
    alpha_ = y * eta0 / kappa
    noise = 2 * eta0 * alpha_ / gamma * two_steps**2
    return (
        Derivation()
        .step(AtMost(eta0 / kappa, -sp.log(1 - eta0 / kappa), given=[eta0 < kappa]), "l >= eta_0/kappa")
        .step(
            AtMost(noise, 8 * kappa * y / gamma * L**2, given=[l >= eta0 / kappa]),
            "alpha' T^2/gamma with alpha' = 2 eta_0 alpha",
        )
        .step(
            AtMost(8 * kappa * y / gamma * L**2, 8 * kappa / gamma, given=[L**2 <= 1 / y]),
            "ln(1 + 1/y)^2 <= 1/y",
        )
        .step(
            AtMost(1 + 8 * kappa / gamma, 2 * (1 + 4 * kappa / gamma)), "the printed 4 is a constant inside O"
        )
        .step(
            Equal(alpha_ / (alpha_ + eta0 / kappa), y / (1 + y)),
            "gamma^T <= 1/(1 + 1/y) = alpha/(alpha + eta_0/kappa)",
        )
        .step(
            Equal(y / (1 + y), (kappa / (kappa + eta0 / alpha)).subs(alpha, alpha_)),
            "which is kappa/(kappa + eta_0/alpha)",
        )
    )


@claim(
    PAPER,
    "proof-4.5-dropthat",
    at="Proof of Theorem 4.5, T > T_hat, first display",
    kind="inequality",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.5-dropthat-corrected",
)
def first_phase_may_be_dropped():
    """gamma^T (1 + (alpha'/gamma) T (T_hat + (gamma^(T_hat-T) - 1)/(1-gamma))) <= O(gamma^T + (2
    alpha'/gamma) T kappa (gamma^T_hat - gamma^T)).

    On the family at T = T_hat + 1 and the alpha for which that is T of Theorem 4.5.
    """
    steps, half, last = n + 1, sp.Rational(1, 2), FAMILY_GAMMA / 2  # T, gamma^T_hat, gamma^T
    alpha_ = (1 - FAMILY_GAMMA) / (2 / FAMILY_GAMMA - 1)  # eta_0/(kappa alpha) = gamma^-T - 1
    extra = 2 * FAMILY_ETA0 * alpha_ / FAMILY_GAMMA * steps
    return unbounded(
        last + extra * (last * n + (half - last) / (1 - FAMILY_GAMMA)),
        last + extra * 2 * kappa * (half - last),
    )


@claim(
    PAPER,
    "proof-4.5-dropthat-corrected",
    at="Proof of Theorem 4.5, T > T_hat, first display, corrected",
    kind="inequality",
    uses=["proof-4.5-split"],
    expect=SUPPORTED,
)
def first_phase_is_kept_as_a_constant_of_beta():
    """What holds: T_hat gamma^T + (gamma^T_hat - gamma^T)/(1-gamma) <= (gamma^T_hat/(1-gamma)) (2 +
    ln(1/(1-beta))).
    """
    x, l, B, g = sp.symbols("x l B g", positive=True)  # T_hat, ln(1/gamma), ln(1/(1-beta)), gamma^(T - T_hat)
    return (
        Derivation()
        .step(
            AtMost((1 - gamma) * x, 1 + B, given=[1 - gamma <= l, (x - 1) * l <= B, x >= 1, gamma < 1]),
            "gamma^(T_hat-1) >= 1 - beta bounds T_hat",
        )
        .step(AtMost(1 - gamma, -sp.log(gamma), given=[gamma < 1]), "with l = ln(1/gamma) >= 1 - gamma")
        .step(
            AtMost((1 - gamma) * x * g + 1 - g, 2 + B, given=[(1 - gamma) * x <= 1 + B, g <= 1, gamma < 1]),
            "all divided by gamma^T_hat/(1-gamma)",
        )
    )


@claim(PAPER, "proof-4.5-last", at="Proof of Theorem 4.5, last line", kind="inequality")
def difference_is_at_most_the_product():
    """(kappa^2 alpha/eta_0)(gamma^T_hat - x) <= kappa x gamma^T_hat, x = kappa/(kappa + eta_0/alpha)."""
    x, g = kappa / (kappa + eta0 / alpha), sp.Symbol("g", positive=True)
    return AtMost(kappa**2 * alpha / eta0 * (g - x), kappa * x * g, given=[g <= 1])


def _v1(exponent):
    """The printed fourth line of V_1, with gamma to that exponent in front."""
    return gamma**exponent * sp.Sum(
        (gamma ** (i - Th - 1) - beta ** (2 * (Th + 1 - i))) / (1 - gamma * beta**2) * s2[i], (i, 1, Th)
    )


def _v1_definition(length):
    return sum(
        gamma ** (length - r)
        * gamma ** (2 * (r - 1))
        * sum(beta ** (2 * (r - k)) * s2[k] for k in range(1, r + 1))
        for r in range(1, length + 1)
    )


@claim(
    PAPER,
    "proof-4.6-v1",
    at="Proof of Theorem 4.6, V_1, fourth line",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-v1-corrected",
)
def v1_with_exponent_two_t_hat_minus_three():
    """V_1 = gamma^(2 T_hat - 3) sum_i (gamma^(i-T_hat-1) - beta^(2(T_hat+1-i)))/(1 - gamma beta^2) sigma_i^2
    (at T_hat = 1: V_1 = sigma_1^2).
    """
    return Equal(_v1_definition(1), _v1(2 * Th - 3).subs(Th, 1).doit(), given=INSIDE)


@claim(
    PAPER,
    "proof-4.6-v1-corrected",
    at="Proof of Theorem 4.6, V_1, corrected",
    kind="identity",
    expect=SUPPORTED,
)
def v1_with_exponent_two_t_hat_minus_one():
    """The exponent is 2 T_hat - 1, and V_1 <= gamma^T_hat/(gamma^2 (1 - gamma beta^2)) sum_i gamma^i
    sigma_i^2, as printed.
    """
    r = gamma * beta**2
    coefficient = gamma ** (Th - 2) * beta ** (-2 * i) * (r**i - r ** (Th + 1)) / (1 - r)
    rest = sp.Symbol("x", positive=True)
    closed = sp.Sum(r**t, (t, 1, j)) * (1 - r)
    return (
        Derivation()
        .step(
            Equal(closed, r - r ** (j + 1), given=INSIDE),
            "sum_{t=i..T_hat} (gamma beta^2)^t is a geometric sum",
        )
        .step(
            Equal(
                coefficient,
                gamma ** (2 * Th - 1) * (gamma ** (i - Th - 1) - beta ** (2 * (Th + 1 - i))) / (1 - r),
                given=INSIDE,
            ),
            "the factor of sigma_i^2",
        )
        .step(
            Equal(_v1_definition(2), _v1(2 * Th - 1).subs(Th, 2).doit(), given=INSIDE),
            "at T_hat = 2, written out",
        )
        .step(
            AtMost((gamma**i - rest) / (gamma**2 * (1 - r)), gamma**i / (gamma**2 * (1 - r)), given=INSIDE),
            "what is dropped is positive",
        )
    )


@claim(PAPER, "proof-4.6-direction", at="Proof of Theorem 4.6, V_1, last line", kind="inequality")
def last_relaxation_of_v1():
    """1/(gamma^2 (1 - gamma beta^2)) <= 1/(gamma (gamma - beta^2)) for beta^2 < gamma < 1."""
    return AtMost(
        1 / (gamma**2 * (1 - gamma * beta**2)),
        1 / (gamma * (gamma - beta**2)),
        given=[beta**2 < gamma, *INSIDE],
    )


@claim(PAPER, "proof-4.6-v2", at="Proof of Theorem 4.6, V_2", kind="identity", expect=SUPPORTED)
def v2_in_closed_form():
    """V_2 = sum_{i>T_hat} (gamma^(T+1-i) - beta^(2(T+1-i)))/(gamma - beta^2) sigma_i^2
    + sum_{i<=T_hat} (gamma^(T-T_hat) - beta^(2(T-T_hat)))/(gamma - beta^2) beta^(2(T_hat+1-i)) sigma_i^2, and
    its bound.
    """
    m = sp.Symbol("m", integer=True, positive=True)  # T + 1 - i, or T - T_hat
    geometric = sp.Sum((beta**2 / gamma) ** j, (j, 0, m - 1)) * gamma ** (m - 1)
    x, y = sp.symbols("x y", positive=True)
    order = [beta**2 < gamma, *INSIDE]
    return (
        Derivation()
        .step(
            Equal(geometric, (gamma**m - beta ** (2 * m)) / (gamma - beta**2), given=order),
            "sum_t gamma^(T-t) beta^(2(t-i)) over t = i..T, m = T + 1 - i",
        )
        .step(
            Equal(
                beta ** (2 * (Th + 1 - i)) * geometric,
                beta ** (2 * (Th + 1 - i)) * (gamma**m - beta ** (2 * m)) / (gamma - beta**2),
                given=order,
            ),
            "over t = T_hat + 1..T for i <= T_hat, m = T - T_hat",
        )
        .step(
            AtMost((x - y) / (gamma - beta**2), x / (gamma - beta**2), given=order),
            "the bound drops beta^(2(T-T_hat))",
        )
    )


@claim(
    PAPER,
    "proof-4.6-combine",
    at="Proof of Theorem 4.6, U_3",
    kind="inequality",
    uses=["lemma-b.7", "proof-4.6-v1-corrected", "proof-4.6-direction", "proof-4.6-v2"],
    expect=SUPPORTED,
)
def u3_in_two_phases():
    """U_3 <= 2 gamma^T/(gamma (gamma-beta^2)) sum_{i<=T_hat} gamma^i sigma_i^2
    + gamma^(2 T_hat-2) sum_{i>T_hat} (gamma^(T+1-i) - beta^(2(T+1-i)))/(gamma-beta^2) sigma_i^2, for beta^2 <
    gamma.
    """
    k = sp.Symbol("k", integer=True, nonnegative=True)  # T_hat - i
    y, x = sp.symbols("y x", positive=True)
    order = [beta**2 < gamma, *INSIDE]
    unit = gamma**T / (gamma * (gamma - beta**2))
    return (
        Derivation()
        .step(
            Equal(gamma ** (T - Th) * gamma**Th / (gamma * (gamma - beta**2)), unit, order),
            "the factor of V_1, gamma^(T-T_hat), times its bound",
        )
        .step(
            Equal(
                gamma ** (2 * (Th - 1)) * gamma ** (T - Th) / (gamma - beta**2),
                unit * gamma ** (Th - 1),
                order,
            ),
            "the factor of V_2 times its second sum",
        )
        .step(
            AtMost(beta**2 / gamma, 1, given=order),
            "gamma^(T_hat-1) beta^(2(T_hat+1-i)) <= gamma^i: at i = T_hat it says beta^2 <= gamma",
        )
        .step(
            Equal(
                gamma ** (i + k - 1) * beta ** (2 * (k + 1)),
                gamma**i * (beta**2 / gamma) * (gamma * beta**2) ** k,
            ),
            "and for i = T_hat - k",
        )
        .step(AtMost(gamma**i * x * y, gamma**i, given=[x <= 1, y <= 1]), "both factors are at most 1")
    )


C1, C2 = 2 / (gamma * (gamma - beta**2)), gamma ** (2 * Th) / (gamma - beta**2)


def _root_sum(m, c1, c2):
    """sum_t sqrt(q_t) gamma^(-T/2) with q_t = c1 gamma^(T+t) up to T_hat and gamma^(T_hat-1) c2 gamma^(T-t)
    after, T = T_hat + m.
    """
    return sp.Sum(sp.sqrt(c1) * gamma ** (t / 2), (t, 1, Th)) + sp.Sum(
        sp.sqrt(c2) * gamma ** (-(j + 1) / 2), (j, 1, m)
    )


@claim(
    PAPER,
    "proof-4.6-sumsqrt",
    at="Proof of Theorem 4.6, sum of roots",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-sumsqrt-corrected",
)
def sum_of_roots_as_printed():
    """(sum_t sqrt q_t)^2 = gamma^T (sqrt(c1) gamma (1 - gamma^(T_hat/2))/(1 - sqrt gamma) + sqrt(c2)
    (gamma^((T_hat-T-1)/2) - 1)/(1 - sqrt gamma))^2.

    Whatever c1 and c2: the roots of the first sum are gamma^(t/2), printed gamma^t.
    """
    c1, c2 = sp.symbols("c_1 c_2", positive=True)
    m = sp.Symbol("m", integer=True, positive=True)
    printed = (
        sp.sqrt(c1) * gamma * (1 - gamma ** (Th / 2)) + sp.sqrt(c2) * (gamma ** (-(m + 1) / 2) - 1)
    ) / (1 - ROOT)
    return Equal(_root_sum(m, c1, c2), printed, given=[gamma < 1])


@claim(
    PAPER, "proof-4.6-sumsqrt-corrected", at="Proof of Theorem 4.6, sum of roots, corrected", kind="identity"
)
def sum_of_roots():
    """sum_t sqrt q_t = gamma^(T/2) (sqrt(c1 gamma) (1 - gamma^(T_hat/2)) + sqrt(c2/gamma)
    (gamma^((T_hat-T)/2) - 1))/(1 - sqrt gamma).
    """
    c1, c2, g = sp.symbols("c_1 c_2 g", positive=True)  # g = sqrt(gamma)
    m = sp.Symbol("m", integer=True, positive=True)
    true = (sp.sqrt(c1) * g * (1 - g**Th) + sp.sqrt(c2) / g * (g**-m - 1)) / (1 - g)
    return Equal(_root_sum(m, c1, c2).subs(gamma, g**2), true, given=[g < 1])


@claim(
    PAPER,
    "proof-4.6-ostep",
    at="Proof of Theorem 4.6, sum of roots, last line",
    kind="asymptotic",
    uses=["momentum-family", "proof-4.6-sumsqrt-corrected"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-ostep-corrected",
)
def first_phase_of_the_roots_may_be_dropped():
    """(sum_t sqrt q_t)^2 <= O(c2 ((gamma^((T_hat-1)/2) - gamma^(T/2))/(1 - sqrt gamma))^2) (on the family at
    T = T_hat + 1).
    """
    half = FAMILY_GAMMA ** sp.Rational(1, 2)
    tail = 1 / sp.sqrt(2)  # gamma^(T_hat/2)
    c1, c2 = C1.subs(FAMILY), 1 / (4 * (FAMILY_GAMMA - sp.Rational(1, 4)))
    roots = tail * half * (sp.sqrt(c1) * half * (1 - tail) / (1 - half) + sp.sqrt(c2) / FAMILY_GAMMA)
    return unbounded(roots**2, c2 * (tail / half * (1 - FAMILY_GAMMA) / (1 - half)) ** 2)


@claim(
    PAPER,
    "proof-4.6-ostep-corrected",
    at="Proof of Theorem 4.6, sum of roots, last line, corrected",
    kind="inequality",
    uses=["proof-4.6-sumsqrt-corrected"],
    expect=SUPPORTED,
)
def both_phases_of_the_roots_are_kept():
    """What holds, with c2 = gamma^T_hat/(gamma-beta^2): (sum_t sqrt q_t)^2 <= (2/((gamma-beta^2)(1 - sqrt
    gamma)^2)) (2 gamma^T + gamma^(2 T_hat - 1)).
    """
    p, x, y, g = sp.symbols("p x y g", positive=True)  # gamma - beta^2, gamma^(T/2), gamma^T_hat, sqrt(gamma)
    u, w = sp.symbols("u w", nonnegative=True)  # gamma^(T_hat/2), gamma^((T - T_hat)/2)
    roots = (sp.sqrt(2 / p) * x * (1 - u) + y / (sp.sqrt(p) * g) * (1 - w)) / (1 - g)
    return (
        Derivation()
        .step(
            AtMost(
                roots, (sp.sqrt(2 / p) * x + y / (sp.sqrt(p) * g)) / (1 - g), given=[u <= 1, w <= 1, g < 1]
            ),
            "both sums completed",
        )
        .step(
            AtMost((sp.sqrt(2) * x + y / g) ** 2, 2 * (2 * x**2 + y**2 / g**2)),
            "the square of a sum, times p (1-g)^2",
        )
    )


@claim(
    PAPER,
    "proof-4.6-x-subst",
    at="Proof of Theorem 4.6, ERUB_min at T",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-x-subst-corrected",
)
def substitution_as_printed():
    """With x = gamma^(T/2) = kappa alpha/(kappa alpha + eta_0): g - x = (g - (1-g) kappa alpha)/(kappa alpha
    + eta_0) and 1 - x = 1/(kappa alpha + 1).
    """
    g, x = sp.Symbol("g", positive=True), kappa * alpha / (kappa * alpha + eta0)
    return (
        Derivation()
        .step(
            Equal(
                g - x,
                (g - (1 - g) * kappa * alpha) / (kappa * alpha + eta0),
                given=[g <= 1, eta0 < kappa, kappa >= 1],
            ),
            "g = gamma^((T_hat-1)/2)",
        )
        .step(
            Equal(1 - x, 1 / (kappa * alpha + 1), given=[eta0 < kappa, kappa >= 1]),
            "the last part, T <= T_hat",
        )
    )


@claim(
    PAPER,
    "proof-4.6-x-subst-corrected",
    at="Proof of Theorem 4.6, ERUB_min at T, corrected",
    kind="identity",
    expect=SUPPORTED,
)
def substitution():
    """g - x = (g eta_0 - (1-g) kappa alpha)/(kappa alpha + eta_0) and 1 - x = eta_0/(kappa alpha + eta_0):
    the printed ones are for eta_0 = 1.
    """
    g, x = sp.Symbol("g", positive=True), kappa * alpha / (kappa * alpha + eta0)
    return (
        Derivation()
        .step(
            Equal(g - x, (g * eta0 - (1 - g) * kappa * alpha) / (kappa * alpha + eta0), given=[g <= 1]),
            "one denominator",
        )
        .step(Equal(1 - x, eta0 / (kappa * alpha + eta0)), "one denominator")
    )


@claim(
    PAPER,
    "proof-4.6-c3-constant",
    at="Proof of Theorem 4.6, c3",
    kind="asymptotic",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="theorem",
    correction="proof-4.6-c3-corrected",
)
def c3_is_a_constant():
    """c3 = 2 c2 gamma^(T_hat-1)/(kappa (1 - sqrt gamma)^2) is a constant, that is bounded (on the family
    kappa grows with n).
    """
    c2, half = 1 / (4 * (FAMILY_GAMMA - sp.Rational(1, 4))), FAMILY_GAMMA ** sp.Rational(1, 2)
    return unbounded(2 * c2 / (2 * FAMILY_GAMMA) / (kappa * (1 - half) ** 2), sp.Integer(1))


@claim(PAPER, "proof-4.6-c3-corrected", at="Proof of Theorem 4.6, c3, corrected", kind="asymptotic")
def c3_grows_like_kappa():
    """1/(kappa (1 - sqrt gamma)^2) lies between kappa/eta_0^2 and 4 kappa/eta_0^2: c3 is a constant of beta
    and eta_0 times kappa.
    """
    value = (1 / (kappa * (1 - ROOT) ** 2)).subs(gamma, 1 - eta0 / kappa)
    return Theta(value, kappa / eta0**2, lower=1, upper=4, given=[eta0 < kappa])


@claim(
    PAPER,
    "proof-4.6-small-sum",
    at="Proof of Theorem 4.6, T <= T_hat",
    kind="identity",
    uses=["lemma-b.7", "proof-4.6-v1-corrected"],
    expect=SUPPORTED,
)
def sum_of_roots_before_t_hat():
    """(sum_t sqrt(gamma^(T+t)))^2 = gamma^(T+1) x, x = ((1-gamma^(T/2))/(1-sqrt gamma))^2; ERUB <= gamma^T +
    2 eta_0 alpha gamma^(T-1) x/(1 - gamma beta^2).
    """
    g, x = sp.symbols("g x", positive=True)  # sqrt(gamma), the last square
    return (
        Derivation()
        .step(
            Equal(sp.Sum(g**t, (t, 1, T)), g * (1 - g**T) / (1 - g), given=[g < 1]),
            "sum_t gamma^(t/2), times gamma^(T/2)",
        )
        .step(
            Equal(
                2 * eta0 * alpha * gamma**-2 / (1 - gamma * beta**2) * gamma ** (T + 1) * x,
                2 * eta0 * alpha * gamma ** (T - 1) / (1 - gamma * beta**2) * x,
                INSIDE,
            ),
            "put into U_3 <= gamma^-2/(1 - gamma beta^2) sum_t gamma^(T+t) sigma_t^2",
        )
    )


@claim(
    PAPER,
    "proof-4.6-last-eq",
    at="Proof of Theorem 4.6, T <= T_hat, ERUB_min",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-last-eq-corrected",
)
def bound_before_t_hat_in_terms_of_c1():
    """gamma^T + 2 eta_0 alpha gamma^(T-1)/(1 - gamma beta^2) x = gamma^T (1 + 2 eta_0 gamma c1 alpha x), c1 =
    2/(gamma (gamma - beta^2)).
    """
    left, right = _small_sides()
    return Equal(left, right, given=[beta**2 < gamma, *INSIDE])


def _small_sides():
    x = sp.Symbol("x", positive=True)
    return gamma**T + 2 * eta0 * alpha * gamma ** (T - 1) / (1 - gamma * beta**2) * x, gamma**T * (
        1 + 2 * eta0 * gamma * C1 * alpha * x
    )


@claim(
    PAPER,
    "proof-4.6-last-eq-corrected",
    at="Proof of Theorem 4.6, T <= T_hat, ERUB_min, as an inequality",
    kind="inequality",
    expect=SUPPORTED,
)
def bound_before_t_hat_is_at_most_that_with_c1():
    """The same with <=: 1/(gamma (1 - gamma beta^2)) <= 2/(gamma - beta^2)."""
    left, right = _small_sides()
    g = sp.Symbol("y", positive=True)  # gamma^T
    return (
        Derivation()
        .step(
            AtMost(
                1 / (gamma * (1 - gamma * beta**2)), 2 / (gamma - beta**2), given=[beta**2 < gamma, *INSIDE]
            ),
            "the coefficients",
        )
        .step(
            AtMost((left / gamma**T).expand() * g, (right / gamma**T) * g, given=[beta**2 < gamma, *INSIDE]),
            "put in, gamma^T = y",
        )
    )


@claim(
    PAPER,
    "proof-4.6-o1",
    at="Proof of Theorem 4.6, T <= T_hat, last step but one",
    kind="asymptotic",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="theorem",
    correction="proof-4.6-o1-corrected",
)
def remainder_is_of_order_one():
    """(2 eta_0 gamma c1 alpha/(1 - sqrt gamma)^2) (1/(kappa alpha + 1))^2 <= O(1/(kappa alpha + 1)) (on the
    family at alpha = 1/kappa).
    """
    value = 2 * eta0 * gamma * C1 * alpha / (1 - ROOT) ** 2 / (kappa * alpha + 1) ** 2
    return unbounded(value.subs(alpha, 1 / kappa), (1 / (kappa * alpha + 1)).subs(alpha, 1 / kappa))


@claim(
    PAPER,
    "proof-4.6-o1-corrected",
    at="Proof of Theorem 4.6, T <= T_hat, last step but one, corrected",
    kind="inequality",
)
def remainder_is_of_order_kappa():
    """It is at most (16 kappa/(eta_0 (gamma - beta^2))) (1/(kappa alpha + 1)): a factor kappa more."""
    r, p = sp.symbols("r p", positive=True)  # (1 - sqrt gamma)^-2 and gamma - beta^2
    value = 4 * eta0 / p * alpha * r / (kappa * alpha + 1) ** 2
    return AtMost(value, 16 * kappa / (eta0 * p) / (kappa * alpha + 1), given=[r <= 4 * kappa**2 / eta0**2])


@claim(
    PAPER,
    "proof-4.8-index",
    at="Proof of Theorem 4.8, second line",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.8-index-corrected",
)
def batch_noise_with_the_last_sigma():
    """sum_i beta^(2(t-i)) (sigma_g^2/G^2 + sigma_i^2) is written sum_i beta^(2(t-i)) (sigma_g^2/G^2 +
    sigma_t^2).
    """
    g2 = sp.Symbol("r", positive=True)  # sigma_g^2/G^2
    return Equal(
        sp.Sum(beta ** (2 * (t - i)) * (g2 + s2[i]), (i, 1, t)),
        sp.Sum(beta ** (2 * (t - i)) * (g2 + s2[t]), (i, 1, t)),
        given=[beta < 1],
    )


@claim(PAPER, "proof-4.8-index-corrected", at="Proof of Theorem 4.8, second line, corrected", kind="identity")
def batch_noise_splits():
    """With sigma_i^2 in the sum, U_3 with sigma_g^2/G^2 + sigma_i^2 is U_3^g + U_3."""
    g2 = sp.Symbol("r", positive=True)

    def u3(variance):
        return sp.Sum(
            gamma ** (T - t) * weight(t) ** 2 * sp.Sum(beta ** (2 * (t - i)) * variance, (i, 1, t)), (t, 1, T)
        )

    return Equal(u3(g2 + s2[i]), u3(g2) + u3(s2[i]), given=INSIDE)


@claim(
    PAPER,
    "proof-4.8-kappa",
    at="Proof of Theorem 4.8, last line of U_3^g",
    kind="identity",
    expect=REFUTED,
    breaks="theorem",
    correction="proof-4.8-kappa-corrected",
)
def one_over_one_minus_gamma_is_kappa():
    """sigma_g^2/(G^2 (1-gamma)) = kappa sigma_g^2/G^2, gamma = 1 - eta_0/kappa as in Theorem 4.4."""
    g2 = sp.Symbol("r", positive=True)
    return Equal(g2 / (1 - (1 - eta0 / kappa)), kappa * g2, given=[eta0 < kappa, kappa >= 1, eta0 < 1])


@claim(
    PAPER,
    "proof-4.8-kappa-corrected",
    at="Proof of Theorem 4.8, last line of U_3^g, corrected",
    kind="identity",
)
def one_over_one_minus_gamma_is_kappa_over_eta0():
    """sigma_g^2/(G^2 (1-gamma)) = kappa sigma_g^2/(eta_0 G^2)."""
    g2 = sp.Symbol("r", positive=True)
    return Equal(g2 / (1 - (1 - eta0 / kappa)), kappa * g2 / eta0, given=[eta0 < kappa])
