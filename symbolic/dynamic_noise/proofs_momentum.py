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
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, BigO, Equal, Theta
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED

t = step()
i, j, k, T, Th = sp.symbols("i j k T T_hat", integer=True, positive=True)
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


@claim(PAPER, "momentum-family-power", at="Appendix C.2, a family", kind="inequality", standing="ours")
def four_n_is_at_most_two_to_the_n():
    """4 (n+3) <= 2^(n+3) for every n >= 1."""
    return Theorem(shows=AtMost(4 * (n + 3), 2 ** (n + 3))).induct(n, 1)


@claim(PAPER, "momentum-family-exp", at="Appendix C.2, a family", kind="inequality", standing="ours")
def exponential_is_below_its_chord():
    """1 - exp(-x) >= x/2 for 0 < x <= 1."""
    x = sp.Symbol("x", positive=True)
    return AtMost(x / 2, 1 - sp.exp(-x), given=[x <= 1])


@claim(
    PAPER,
    "momentum-family",
    at="Appendix C.2, a family of cases",
    kind="inequality",
    uses=["momentum-family-power", "momentum-family-exp"],
    standing="ours",
)
def family_meets_the_hypotheses():
    """At beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100, n >= 100: (1-beta)/(1-beta^n) <= gamma^(n-1) and
    (1-beta)/(1-beta^(n+1)) > gamma^n, so that T_hat = n (Lemma B.7); kappa = eta_0/(1-gamma) >= 1, gamma >
    beta, and eta_0 meets Theorem 4.4, printed and corrected.
    """
    rate = sp.exp(-sp.log(2) / n)  # gamma
    half = sp.Rational(1, 2)
    c = (beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)).subs(beta, half)
    near = [gamma >= sp.Rational(99, 100), gamma < 1]
    at_n = (
        Theorem(given=[n >= 100], shows=AtMost(half / (1 - half**n), half / rate))
        .use("momentum-family-power", "by induction", n=n - 3)
        .have(AtMost(sp.log(2), 1), "ln 2 <= 1")
        .have(AtMost(sp.log(2) / n, 1), "over n")
        .use("momentum-family-exp", "1 - gamma >= u/2, u = (ln 2)/n", x=sp.log(2) / n)
        .have(AtMost(half, sp.log(2)), "ln 2 >= 1/2")
        .have(AtMost(1 / (4 * n), sp.log(2) / (2 * n)), "over 2n")
        .have(AtMost(half**n, 1 / (4 * n)), "the inverse")
        .have(AtMost(rate, 1 - half**n), "gamma <= 1 - 2^-n")
    )
    return AllOf(
        at_n,
        AtMost(half, half / (1 - half ** (n + 1)), strict=True),
        AtMost(1 - rate, sp.Rational(1, 100), given=[n >= 100]),
        AtMost(FAMILY_ETA0, 8 / (sp.sqrt(1 + 64 * c) + 1), given=near),
        AtMost(FAMILY_ETA0 + 4 * c * FAMILY_ETA0**2, 1, given=near),
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


@claim(PAPER, "eq-27-corrected", at="Eq (27), corrected", kind="inequality", standing="ours")
def descent_along_the_average():
    """For an M-smooth f and theta_{t+1} = theta_t - eta v/b: f(theta_{t+1}) - f(theta_t) <= (eta/(2 b^2)) |b
    grad - v|^2 - (eta/2)|grad|^2 - (eta/(2 b^2))(1 - M eta)|v|^2, half of what is printed, in any dimension.
    """
    f, theta, v = Function("f", smooth=M), Vector("theta"), Vector("v")
    b = sp.Symbol("b", positive=True)
    after, slope = theta - eta / b * v, f.gradient(theta)
    one = eta / (2 * b**2)
    return AtMost(
        f(after) - f(theta),
        one * norm2(b * slope - v) - eta / 2 * norm2(slope) - one * (1 - M * eta) * norm2(v),
    )


@claim(PAPER, "proof-4.4-gamma", at="Appendix C.2, the recursion", kind="identity")
def gamma_is_one_minus_two_mu_eta():
    """gamma = 1 - eta_0/kappa = 1 - 2 mu eta with eta = eta_0/(2M), kappa = M/mu."""
    given = [sp.Eq(eta, eta0 / (2 * M)), sp.Eq(kappa, M / mu)]
    return Equal(1 - 2 * mu * eta, 1 - eta0 / kappa, given=given)


@claim(PAPER, "proof-4.4-u1", at="Appendix C.2, U_1(t)", kind="inequality")
def error_of_the_average_splits_in_gradients_and_noise():
    """U_1(t) <= 2 (1-beta) (b_t sum_i beta^(t-i) |grad_t - grad_i|^2 + (1-beta) |sum_i beta^(t-i) nu_i|^2),
    for each coordinate, as the paper has it: x_i of grad_t - grad_i and y_i of -nu_i are any numbers.
    """
    x, y = (sp.IndexedBase(name, real=True) for name in ("x", "y"))
    weights = sp.Sum(beta ** (t - i), (i, 1, t))
    first, second = (sp.Sum(beta ** (t - i) * part[i], (i, 1, t)) for part in (x, y))
    squares = sp.Sum(beta ** (t - i) * x[i] ** 2, (i, 1, t))
    both = sp.Sum(beta ** (t - i) * (x[i] + y[i]), (i, 1, t))
    bt = 1 - beta**t
    return (
        Theorem(
            given=[beta < 1],
            shows=AtMost((1 - beta) ** 2 * both**2, 2 * (1 - beta) * (bt * squares + (1 - beta) * second**2)),
        )
        .have(AtMost(first**2, weights * squares), "Cauchy-Schwarz")
        .have(Equal((1 - beta) * weights, bt), "the geometric sum")
        .have(Equal(both, first + second), "two sums")
        .calc(
            (1 - beta) ** 2 * both**2,
            ("=", (1 - beta) ** 2 * (first + second) ** 2, "two sums"),
            ("<=", 2 * (1 - beta) ** 2 * (first**2 + second**2), "|A + B|^2 <= 2 (|A|^2 + |B|^2)"),
            (
                "<=",
                2 * (1 - beta) ** 2 * (weights * squares + second**2),
                "Cauchy-Schwarz",
            ),
            ("=", 2 * (1 - beta) * (bt * squares + (1 - beta) * second**2), "the geometric sum"),
        )
    )


@claim(
    PAPER,
    "proof-4.4-noise-index",
    at="Appendix C.2, the noise term, at t = 2",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-4.4-noise-index-corrected",
)
def averaged_noise_has_the_variance_of_the_last_step():
    """E|sum_i beta^(t-i) nu_i|^2 = sum_i beta^(2(t-i)) C^2 D sigma_t^2/N^2, the same sigma_t in every term;
    the theorem has sigma_i.
    """
    one, two = (Noise(f"nu_{r}", variance=s2[r]) for r in (1, 2))
    return Equal(E(norm2(beta * one + two), one, two), beta**2 * s2[2] + s2[2], given=[beta < 1])


@claim(
    PAPER,
    "proof-4.4-noise-index-corrected",
    at="Appendix C.2, the noise term, corrected",
    kind="inequality",
    standing="ours",
)
def averaged_noise_has_the_variance_of_each_step():
    """For n_{t+1} = beta n_t + nu_t, n_1 = 0, with E nu_t = 0 and E|nu_t|^2 = C^2 D sigma_t^2/N^2 given the
    past (so that n_{T+1} = sum_t beta^(T-t) nu_t): E|n_{T+1}|^2 <= sum_t beta^(2(T-t)) C^2 D sigma_t^2/N^2.
    """
    scale = sp.Symbol("c", positive=True)  # C^2 D/N^2
    noise, average = Noise("nu", variance=scale * s2[t]), Vector("n")
    size = sp.IndexedBase("a", nonnegative=True)
    run = Iterates(size, norm2(average), [average], [beta * average + noise], [noise], t, 1, T)
    bound = sp.Sum(beta ** (2 * (T - t)) * scale * s2[t], (t, 1, T))
    return (
        Theorem(given=[run, size[1] <= 0], shows=AtMost(size[T + 1], bound))
        .descend(run, beta**2, scale * s2[t], "the fresh noise is centred")
        .unroll(size[t], beta**2, scale * s2[t], (t, 1, T), "T steps")
        .have(AtMost((beta**2) ** T * size[1], 0), "it starts at 0")
    )


@claim(
    PAPER,
    "proof-4.4-u4",
    at="Appendix C.2, U_4",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    correction="proof-4.4-u4-corrected",
    standing="misprint",
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
    standing="ours",
)
def momentum_effect_is_at_most_zeta_times_the_sum():
    """The same with <=: the first sum lacks the last term, which is c eta_0^3/(2M) |v_{T+1}|^2 >= 0."""
    left, right = _momentum_effect()
    last = sp.Symbol("c", positive=True) * eta0**3 / (2 * M) * sp.IndexedBase("v2", positive=True)[T]
    return (
        Theorem(shows=AtMost(left, right))
        .have(Equal(right - left, last), "what is missing")
        .have(AtMost(0, last), "is not negative")
    )


def weight(x):
    """(1-beta)/(1-beta^x)."""
    return (1 - beta) / (1 - beta**x)


@claim(PAPER, "proof-4.5-u3", at="Proof of Theorem 4.5, U_3", kind="identity")
def u3_of_the_uniform_schedule():
    """With sigma_t = sigma: U_3 = sigma^2 sum_t gamma^(T-t) (1-beta)(1+beta^t)/((1-beta^t)(1+beta)), term by
    term, and each weight is at most 1: smaller than the sum in GD.
    """
    y = sp.Symbol("y", positive=True)  # beta^t <= beta
    average = weight(t) ** 2 * sp.Sum(beta ** (2 * (t - i)), (i, 1, t))
    return AllOf(
        Equal(average, weight(t) * (1 + beta**t) / (1 + beta), given=[beta < 1]),
        AtMost((1 - beta) / (1 - y) * (1 + y) / (1 + beta), 1, given=[y <= beta, beta < 1]),
    )


def averaged(x):
    """w_x^2 sum_{i<=x} beta^(2(x-i)), by proof-4.5-u3."""
    return weight(x) * (1 + beta**x) / (1 + beta)


@claim(PAPER, "momentum-weight-below", at="Proof of Theorem 4.5, U_3", kind="inequality", standing="ours")
def averaging_lowers_the_weight():
    """(1-beta)/(1-beta^t) (1+beta^t)/(1+beta) <= (1-beta)/(1-beta^t)."""
    return (
        Theorem(given=[beta < 1], shows=AtMost(averaged(t), weight(t)))
        .have(AtMost(beta**t, beta), "t >= 1")
        .have(AtMost((1 + beta**t) / (1 + beta), 1), "divided")
    )


@claim(PAPER, "momentum-weight-later", at="Proof of Theorem 4.5, U_3", kind="inequality", standing="ours")
def later_weights_are_smaller():
    """(1-beta)/(1-beta^(t+j)) <= (1-beta)/(1-beta^t) for j >= 1."""
    return Theorem(given=[beta < 1], shows=AtMost(weight(t + j), weight(t))).have(
        AtMost(beta ** (t + j), beta**t), "t + j > t"
    )


@claim(
    PAPER,
    "proof-4.5-split-short",
    at="Proof of Theorem 4.5, the general bound of U_3 for T <= T_hat",
    kind="inequality",
    uses=["proof-4.5-u3", "lemma-b.7-before", "momentum-weight-below"],
)
def u3_of_the_uniform_schedule_up_to_t_hat():
    """With sigma_t^2 = T/R and T <= T_hat, U_3 = (T/R) sum_t gamma^(T-t)
    (1-beta)(1+beta^t)/((1-beta^t)(1+beta)) (proof-4.5-u3) is at most (T/(gamma R)) gamma^T T. Of T_hat only
    (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1) is used.
    """
    whole = sp.Sum(gamma ** (T - t) * averaged(t), (t, 1, T))
    return (
        Theorem(
            given=[*INSIDE, weight(Th) <= gamma ** (Th - 1), T <= Th],
            shows=AtMost(T / R * whole, T / (gamma * R) * gamma**T * T),
        )
        .use("lemma-b.7-before", "Lemma B.7", over=(t, 1, T), t=t, m=Th - t)
        .use("momentum-weight-below", "averaged", over=(t, 1, T), t=t)
        .have(ForEvery(AtMost(averaged(t), gamma ** (t - 1)), t, 1, T), "each weight")
        .sum(AtMost(gamma ** (T - t) * averaged(t), gamma ** (T - 1)), (t, 1, T), "each term")
        .have(AtMost(whole, T * gamma ** (T - 1)), "T of them")
        .have(AtMost(T / R * whole, T / R * (T * gamma ** (T - 1))), "times sigma^2")
    )


@claim(
    PAPER,
    "proof-4.5-split",
    at="Proof of Theorem 4.5, the general bound of U_3 for T > T_hat",
    kind="inequality",
    uses=["proof-4.5-u3", "lemma-b.7-before", "momentum-weight-below", "momentum-weight-later"],
)
def u3_of_the_uniform_schedule_in_two_phases():
    """With sigma_t^2 = T/R and T = T_hat + m > T_hat, U_3 = (T/R) sum_t gamma^(T-t)
    (1-beta)(1+beta^t)/((1-beta^t) (1+beta)) (proof-4.5-u3) is at most (T/(gamma R)) gamma^T (T_hat +
    (gamma^(T_hat-T) - 1)/(1-gamma)). The steps after T_hat are T_hat + j, j = 1..m; of T_hat only
    (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1) is used.
    """
    m = sp.Symbol("m", integer=True, positive=True)  # T - T_hat
    before = sp.Sum(gamma ** (Th + m - t) * averaged(t), (t, 1, Th))
    after = sp.Sum(gamma ** (m - j) * averaged(Th + j), (j, 1, m))
    factor = (Th + m) / R
    tail = gamma ** (Th - 1) * (1 - gamma**m) / (1 - gamma)
    return (
        Theorem(
            given=[*INSIDE, weight(Th) <= gamma ** (Th - 1)],
            shows=AtMost(
                factor * (before + after),
                factor / gamma * gamma ** (Th + m) * (Th + (gamma**-m - 1) / (1 - gamma)),
            ),
        )
        .use("lemma-b.7-before", "Lemma B.7", over=(t, 1, Th), t=t, m=Th - t)
        .use("momentum-weight-below", "averaged", over=(t, 1, Th), t=t)
        .have(ForEvery(AtMost(averaged(t), gamma ** (t - 1)), t, 1, Th), "each weight up to T_hat")
        .use("momentum-weight-below", "averaged", over=(j, 1, m), t=Th + j)
        .use("momentum-weight-later", "the weights decrease", over=(j, 1, m), t=Th, j=j)
        .have(ForEvery(AtMost(averaged(Th + j), gamma ** (Th - 1)), j, 1, m), "each weight after T_hat")
        .sum(AtMost(gamma ** (Th + m - t) * averaged(t), gamma ** (Th + m - 1)), (t, 1, Th), "up to T_hat")
        .sum(
            AtMost(gamma ** (m - j) * averaged(Th + j), gamma ** (m - j) * gamma ** (Th - 1)),
            (j, 1, m),
            "after",
        )
        .have(Equal(sp.Sum(gamma ** (m - j) * gamma ** (Th - 1), (j, 1, m)), tail), "a geometric sum")
        .have(AtMost(before + after, Th * gamma ** (Th + m - 1) + tail), "both phases")
        .have(
            Equal(
                factor * (Th * gamma ** (Th + m - 1) + tail),
                factor / gamma * gamma ** (Th + m) * (Th + (gamma**-m - 1) / (1 - gamma)),
            ),
            "as printed",
        )
        .have(
            AtMost(factor * (before + after), factor * (Th * gamma ** (Th + m - 1) + tail)), "times sigma^2"
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
)
def uniform_bound_before_t_hat():
    """If gamma^T <= y/(1+y), y = kappa alpha/eta_0, T <= (2/l) ln(1 + 1/y) and l = ln(1/gamma) >=
    eta_0/kappa: gamma^T (1 + (2 eta_0 alpha/gamma) T^2) <= 2 (y/(1+y)) (1 + 4 kappa/gamma), y/(1+y) =
    kappa/(kappa + eta_0/alpha).

    T = ceil((1/l) ln(1 + 1/y)) is at most twice its argument unless it is 1; Theorem 4.5 itself (thm-4.5)
    holds in that case too.
    """
    y, p, x, l = sp.symbols("y p x l", positive=True)  # gamma^T, T, ln(1/gamma)
    log = sp.log(1 + 1 / y)
    noise = 2 * eta0 * (y * eta0 / kappa) / gamma * x**2
    return (
        Theorem(
            given=[p <= y / (1 + y), x <= 2 * log / l, l >= eta0 / kappa],
            shows=AtMost(p * (1 + noise), 2 * (y / (1 + y)) * (1 + 4 * kappa / gamma)),
        )
        .use("ineq-ln-sqrt", "ln(1 + 1/y) <= sqrt(1/y)", x=1 / y)
        .have(AtMost(2 * log / l, 2 * log * kappa / eta0), "1/l <= kappa/eta_0")
        .have(AtMost(log**2, 1 / y), "squared")
        .have(AtMost(x**2, (2 * log * kappa / eta0) ** 2), "T^2")
        .have(AtMost(x**2, 4 * kappa**2 / (eta0**2 * y)), "T^2")
        .have(AtMost(noise, 8 * kappa / gamma), "alpha' T^2/gamma")
        .have(AtMost(1 + noise, 2 * (1 + 4 * kappa / gamma)), "the printed 4 is a constant inside O")
        .have(AtMost(p * (1 + noise), p * (2 * (1 + 4 * kappa / gamma))), "times gamma^T")
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

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) at T = T_hat + 1 and
    the alpha for which that is the T of Theorem 4.5.
    """
    steps, half, last = n + 1, sp.Rational(1, 2), FAMILY_GAMMA / 2  # T, gamma^T_hat, gamma^T
    alpha_ = (1 - FAMILY_GAMMA) / (2 / FAMILY_GAMMA - 1)  # eta_0/(kappa alpha) = gamma^-T - 1
    extra = 2 * FAMILY_ETA0 * alpha_ / FAMILY_GAMMA * steps
    return unbounded(
        last + extra * (last * n + (half - last) / (1 - FAMILY_GAMMA)),
        last + extra * 2 * kappa * (half - last),
    )


@claim(PAPER, "ln-gamma", at="Proof of Theorem 4.5, ln(1/gamma) >= eta_0/kappa", kind="inequality")
def logarithm_of_gamma():
    """ln(1/gamma) >= 1 - gamma for gamma in (0, 1), which is eta_0/kappa."""
    return AtMost(1 - gamma, -sp.log(gamma), given=[gamma < 1])


@claim(
    PAPER,
    "proof-4.5-dropthat-corrected",
    at="Proof of Theorem 4.5, T > T_hat, first display, corrected",
    kind="inequality",
    uses=["ln-gamma"],
    standing="ours",
)
def first_phase_is_kept_as_a_constant_of_beta():
    """If (T_hat-1) ln(1/gamma) <= ln(1/(1-beta)), as the definition of T_hat implies, T = T_hat + m: T_hat
    gamma^T + (gamma^T_hat - gamma^T)/(1-gamma) <= (gamma^T_hat/(1-gamma)) (2 + ln(1/(1-beta))).
    """
    m = sp.Symbol("m", integer=True, positive=True)
    log = -sp.log(1 - beta)
    inside = (1 - gamma) * Th * gamma**m + 1 - gamma**m
    return (
        Theorem(
            given=[beta < 1, gamma < 1, -(Th - 1) * sp.log(gamma) <= log],
            shows=AtMost(
                Th * gamma ** (Th + m) + (gamma**Th - gamma ** (Th + m)) / (1 - gamma),
                gamma**Th / (1 - gamma) * (2 + log),
            ),
        )
        .use("ln-gamma", "ln(1/gamma) >= 1 - gamma", gamma=gamma)
        .have(AtMost((Th - 1) * (1 - gamma), -(Th - 1) * sp.log(gamma)), "T_hat - 1 times")
        .have(AtMost((1 - gamma) * Th, 1 + log), "T_hat is bounded")
        .have(AtMost(gamma**m, 1), "gamma < 1")
        .have(AtMost((1 - gamma) * Th * gamma**m, 1 + log), "times gamma^m")
        .have(AtMost(inside, 2 + log), "together")
        .have(AtMost(gamma**Th / (1 - gamma) * inside, gamma**Th / (1 - gamma) * (2 + log)), "a factor")
        .have(
            Equal(
                gamma**Th / (1 - gamma) * inside,
                Th * gamma ** (Th + m) + (gamma**Th - gamma ** (Th + m)) / (1 - gamma),
            ),
            "the left side",
        )
    )


@claim(PAPER, "proof-4.5-last", at="Proof of Theorem 4.5, last line", kind="inequality")
def difference_is_at_most_the_product():
    """(kappa^2 alpha/eta_0)(gamma^T_hat - x) <= kappa x gamma^T_hat, x = kappa/(kappa + eta_0/alpha)."""
    x, g = kappa / (kappa + eta0 / alpha), sp.Symbol("g", positive=True)
    return AtMost(kappa**2 * alpha / eta0 * (g - x), kappa * x * g, given=[g <= 1])


@claim(
    PAPER,
    "proof-4.6-v1",
    at="Proof of Theorem 4.6, V_1, fourth line, at T_hat = 1",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-4.6-v1-corrected",
)
def v1_with_exponent_two_t_hat_minus_three():
    """V_1 = gamma^(2 T_hat - 3) sum_i (gamma^(i-T_hat-1) - beta^(2(T_hat+1-i)))/(1 - gamma beta^2) sigma_i^2;
    the last line has the right power again.
    """
    first = gamma**-1 * (gamma**-1 - beta**2) / (1 - gamma * beta**2) * s2[1]
    return Equal(s2[1], first, given=INSIDE)


@claim(
    PAPER,
    "proof-4.6-v1-corrected",
    at="Proof of Theorem 4.6, V_1, fourth line, corrected",
    kind="identity",
    standing="ours",
)
def v1_with_exponent_two_t_hat_minus_one():
    """(1 - gamma beta^2) V_1 = sum_i (gamma^(T_hat-2) gamma^i - gamma^(2 T_hat-1) beta^(2(T_hat+1-i)))
    sigma_i^2: the exponent in front is 2 T_hat - 1.
    """
    whole, dropped = _v1_parts()
    return Theorem(shows=Equal((1 - gamma * beta**2) * _v1(), whole - dropped)).induct(Th, 1)


def _v1():
    """V_1, as it is defined."""
    inside = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    return sp.Sum(gamma ** (Th - t) * gamma ** (2 * (t - 1)) * inside, (t, 1, Th))


def _v1_parts():
    """The two sums of (1 - gamma beta^2) V_1."""
    whole = gamma ** (Th - 2) * sp.Sum(gamma**i * s2[i], (i, 1, Th))
    dropped = gamma ** (2 * Th - 1) * sp.Sum(beta ** (2 * (Th + 1 - i)) * s2[i], (i, 1, Th))
    return whole, dropped


@claim(
    PAPER,
    "proof-4.6-v1-bound",
    at="Proof of Theorem 4.6, V_1, last line but one",
    kind="inequality",
    uses=["proof-4.6-v1-corrected"],
)
def v1_is_at_most_a_weighted_sum():
    """V_1 <= gamma^T_hat/(gamma^2 (1 - gamma beta^2)) sum_i gamma^i sigma_i^2."""
    whole, dropped = _v1_parts()
    return (
        Theorem(given=INSIDE, shows=AtMost((1 - gamma * beta**2) * _v1(), whole))
        .use("proof-4.6-v1-corrected", "the closed form", T_hat=Th)
        .have(AtMost(0, dropped), "what is dropped")
    )


@claim(PAPER, "proof-4.6-direction", at="Proof of Theorem 4.6, V_1, last line", kind="inequality")
def last_relaxation_of_v1():
    """1/(gamma^2 (1 - gamma beta^2)) <= 1/(gamma (gamma - beta^2)) for beta^2 < gamma < 1."""
    return AtMost(
        1 / (gamma**2 * (1 - gamma * beta**2)),
        1 / (gamma * (gamma - beta**2)),
        given=[beta**2 < gamma, *INSIDE],
    )


@claim(PAPER, "proof-4.6-v2-first", at="Proof of Theorem 4.6, V_2, the first term", kind="identity")
def first_term_of_v2():
    """(gamma - beta^2) sum_{t<=T} gamma^(T-t) sum_{i<=t} beta^(2(t-i)) sigma_i^2 = sum_{i<=T} (gamma^(T+1-i)
    -
    beta^(2(T+1-i))) sigma_i^2.
    """
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    left = (gamma - beta**2) * sp.Sum(gamma ** (T - t) * average, (t, 1, T))
    right = gamma * sp.Sum(gamma ** (T - i) * s2[i], (i, 1, T)) - sp.Sum(
        beta ** (2 * (T + 1 - i)) * s2[i], (i, 1, T)
    )
    return Theorem(shows=Equal(left, right)).induct(T, 1)


@claim(
    PAPER,
    "proof-4.6-v2-bound-first",
    at="Proof of Theorem 4.6, V_2, the first term, bounded",
    kind="inequality",
    uses=["proof-4.6-v2-first"],
    standing="ours",
)
def first_term_of_v2_is_at_most_a_geometric_sum():
    """(gamma - beta^2) sum_{t<=T} gamma^(T-t) sum_{i<=t} beta^(2(t-i)) sigma_i^2 <= gamma sum_{i<=T}
    gamma^(T-i) sigma_i^2.
    """
    average = sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t))
    left = (gamma - beta**2) * sp.Sum(gamma ** (T - t) * average, (t, 1, T))
    return (
        Theorem(given=INSIDE, shows=AtMost(left, gamma * sp.Sum(gamma ** (T - i) * s2[i], (i, 1, T))))
        .use("proof-4.6-v2-first", "the order of summation", T=T)
        .have(AtMost(0, sp.Sum(beta ** (2 * (T + 1 - i)) * s2[i], (i, 1, T))), "what is dropped")
    )


@claim(PAPER, "proof-4.6-v2", at="Proof of Theorem 4.6, V_2", kind="identity")
def v2_in_closed_form():
    """(gamma - beta^2) V_2 = sum_{k<=m} (gamma^(m+1-k) - beta^(2(m+1-k))) sigma_{T_hat+k}^2 + (gamma^m -
    beta^(2m)) beta^2 B for T = T_hat + m, with B = sum_{i<=T_hat} beta^(2(T_hat-i)) sigma_i^2 the average at
    T_hat, so that the one at T_hat + j is beta^(2j) B + sum_{k<=j} beta^(2(j-k)) sigma_{T_hat+k}^2.
    """
    left, after, before = _v2()
    return Theorem(shows=Equal(left, after + before)).induct(m, 1)


m = sp.Symbol("m", integer=True, positive=True)  # T - T_hat
later, B = sp.IndexedBase("s", positive=True), sp.Symbol("B", positive=True)  # sigma_{T_hat+k}^2


def _v2():
    """(gamma - beta^2) V_2, and its two parts."""
    average = beta ** (2 * j) * B + sp.Sum(beta ** (2 * (j - k)) * later[k], (k, 1, j))
    after = sp.Sum((gamma ** (m + 1 - k) - beta ** (2 * (m + 1 - k))) * later[k], (k, 1, m))
    before = (gamma**m - beta ** (2 * m)) * beta**2 * B
    return (gamma - beta**2) * sp.Sum(gamma ** (m - j) * average, (j, 1, m)), after, before


@claim(
    PAPER,
    "proof-4.6-v2-bound",
    at="Proof of Theorem 4.6, V_2, last line",
    kind="inequality",
    uses=["proof-4.6-v2"],
)
def v2_without_its_negative_part():
    """(gamma - beta^2) V_2 is at most the same with gamma^m in place of gamma^m - beta^(2m)."""
    left, after, _ = _v2()
    return (
        Theorem(given=INSIDE, shows=AtMost(left, after + gamma**m * beta**2 * B))
        .use("proof-4.6-v2", "the closed form", m=m, beta=beta, gamma=gamma, B=B)
        .have(AtMost(0, beta ** (2 * m) * beta**2 * B), "what is dropped")
    )


@claim(
    PAPER,
    "proof-4.6-combine",
    at="Proof of Theorem 4.6, U_3",
    kind="inequality",
    uses=["lemma-b.7", "proof-4.6-v1-bound", "proof-4.6-direction", "proof-4.6-v2-bound"],
)
def u3_in_two_phases():
    """From V_1 <= gamma^T_hat/(gamma (gamma-beta^2)) F, F = sum_{i<=T_hat} gamma^i sigma_i^2, and
    (gamma-beta^2) V_2 <= G + gamma^m beta^2 B, G = sum_{i>T_hat} (gamma^(T+1-i) - beta^(2(T+1-i))) sigma_i^2,
    B = sum_{i<=T_hat} beta^(2(T_hat-i)) sigma_i^2, T = T_hat + m, beta^2 < gamma: gamma^m V_1 + gamma^(2
    T_hat-2) V_2 <= 2 gamma^T/(gamma (gamma-beta^2)) F + gamma^(2 T_hat-2)/(gamma-beta^2) G, the bound of U_3
    by Lemma B.7.

    r_k is sigma_(T_hat-k)^2, k = 0..T_hat-1.
    """
    V1, V2, G = sp.symbols("V_1 V_2 G", nonnegative=True)
    r, k = sp.IndexedBase("r", positive=True), sp.Symbol("k", integer=True, nonnegative=True)
    F = sp.Sum(gamma ** (Th - k) * r[k], (k, 0, Th - 1))
    last = sp.Sum(beta ** (2 * k) * r[k], (k, 0, Th - 1))
    p = gamma - beta**2
    return (
        Theorem(
            given=[
                beta**2 < gamma,
                *INSIDE,
                V1 <= gamma**Th / (gamma * p) * F,
                p * V2 <= G + gamma**m * beta**2 * last,
            ],
            shows=AtMost(
                gamma**m * V1 + gamma ** (2 * Th - 2) * V2,
                2 * gamma ** (Th + m) / (gamma * p) * F + gamma ** (2 * Th - 2) / p * G,
            ),
        )
        .sum(
            AtMost(gamma ** (Th - 1) * beta**2 * beta ** (2 * k) * r[k], gamma ** (Th - k) * r[k]),
            (k, 0, Th - 1),
            "gamma^(T_hat-1) beta^(2(T_hat+1-i)) <= gamma^i",
        )
        .have(AtMost(gamma ** (Th - 1) * beta**2 * last, F), "added up")
        .have(AtMost(gamma**m * V1, gamma**m * gamma**Th / (gamma * p) * F), "the first phase")
        .have(
            AtMost(gamma ** (2 * Th - 2) * V2, gamma ** (2 * Th - 2) / p * (G + gamma**m * beta**2 * last)),
            "the second phase",
        )
        .have(
            AtMost(
                gamma ** (2 * Th - 2) / p * gamma**m * beta**2 * last,
                gamma ** (Th - 1) / p * gamma**m * F,
            ),
            "its first sum joins the first phase",
        )
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
    PAPER,
    "proof-4.6-sumsqrt-corrected",
    at="Proof of Theorem 4.6, sum of roots, corrected",
    kind="identity",
    standing="ours",
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
    """(sum_t sqrt q_t)^2 <= O(c2 ((gamma^((T_hat-1)/2) - gamma^(T/2))/(1 - sqrt gamma))^2).

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) with T = T_hat + 1.
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
    standing="ours",
)
def both_phases_of_the_roots_are_kept():
    """With c1 = 2/(gamma (gamma-beta^2)) and c2 = gamma^T_hat/(gamma-beta^2), T = T_hat + m, g = sqrt(gamma),
    p = 1/sqrt(gamma-beta^2), the sum of roots of proof-4.6-sumsqrt-corrected: (sum_t sqrt q_t)^2 <=
    (2/((gamma-beta^2) (1 - sqrt gamma)^2)) (2 gamma^T + gamma^(2 T_hat - 1)).
    """
    p, g = sp.symbols("p g", positive=True)
    first, second = sp.sqrt(2) * p * g ** (Th + m), p * g ** (2 * Th) / g
    roots = (first * (1 - g**Th) + second * (1 - g**m)) / (1 - g)
    return (
        Theorem(
            given=[g < 1],
            shows=AtMost(roots**2, 2 * p**2 / (1 - g) ** 2 * (2 * g ** (2 * Th + 2 * m) + g ** (4 * Th - 2))),
        )
        .have(AtMost(g**Th, 1), "a power")
        .have(AtMost(g**m, 1), "a power")
        .have(AtMost(0, roots), "not negative")
        .have(AtMost(roots, (first + second) / (1 - g)), "both sums completed")
        .have(AtMost(roots**2, ((first + second) / (1 - g)) ** 2), "squared")
        .have(AtMost((first + second) ** 2, 2 * (first**2 + second**2)), "the square of a sum")
        .have(AtMost(((first + second) / (1 - g)) ** 2, 2 * (first**2 + second**2) / (1 - g) ** 2), "divided")
        .have(
            Equal(
                2 * (first**2 + second**2) / (1 - g) ** 2,
                2 * p**2 / (1 - g) ** 2 * (2 * g ** (2 * Th + 2 * m) + g ** (4 * Th - 2)),
            ),
            "the squares",
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
    + eta_0), g = gamma^((T_hat-1)/2), and 1 - x <= 1/(kappa alpha + 1).
    """
    g, x = sp.Symbol("g", positive=True), kappa * alpha / (kappa * alpha + eta0)
    given = [g <= 1, eta0 < kappa, kappa >= 1]
    return AllOf(
        Equal(g - x, (g - (1 - g) * kappa * alpha) / (kappa * alpha + eta0), given=given),
        AtMost(1 - x, 1 / (kappa * alpha + 1), given=given),
    )


@claim(
    PAPER,
    "proof-4.6-x-subst-corrected",
    at="Proof of Theorem 4.6, ERUB_min at T, corrected",
    kind="identity",
    standing="ours",
)
def substitution():
    """g - x = (g eta_0 - (1-g) kappa alpha)/(kappa alpha + eta_0) and 1 - x = eta_0/(kappa alpha + eta_0):
    the printed ones are for eta_0 = 1.
    """
    g, x = sp.Symbol("g", positive=True), kappa * alpha / (kappa * alpha + eta0)
    return AllOf(
        Equal(g - x, (g * eta0 - (1 - g) * kappa * alpha) / (kappa * alpha + eta0)),
        Equal(1 - x, eta0 / (kappa * alpha + eta0)),
    )


@claim(
    PAPER,
    "proof-4.6-c3-constant",
    at="Proof of Theorem 4.6, c3",
    kind="asymptotic",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-c3-corrected",
)
def c3_is_a_constant():
    """c3 = 2 c2 gamma^(T_hat-1)/(kappa (1 - sqrt gamma)^2) is a constant, that is bounded.

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family), where kappa grows
    with n.
    """
    c2, half = 1 / (4 * (FAMILY_GAMMA - sp.Rational(1, 4))), FAMILY_GAMMA ** sp.Rational(1, 2)
    return unbounded(2 * c2 / (2 * FAMILY_GAMMA) / (kappa * (1 - half) ** 2), sp.Integer(1))


@claim(
    PAPER,
    "proof-4.6-c3-corrected",
    at="Proof of Theorem 4.6, c3, corrected",
    kind="asymptotic",
    standing="ours",
)
def c3_grows_like_kappa():
    """1/(kappa (1 - sqrt gamma)^2) lies between kappa/eta_0^2 and 4 kappa/eta_0^2: c3 is a constant of beta
    and eta_0 times kappa.
    """
    value = (1 / (kappa * (1 - ROOT) ** 2)).subs(gamma, 1 - eta0 / kappa)
    return Theta(value, kappa / eta0**2, lower=1, upper=4, given=[eta0 < kappa])


@claim(PAPER, "proof-4.6-small-sum", at="Proof of Theorem 4.6, T <= T_hat", kind="identity")
def sum_of_roots_before_t_hat():
    """With g = sqrt(gamma): (sum_t sqrt(gamma^(T+t)))^2 = gamma^(T+1) ((1-gamma^(T/2))/(1-sqrt gamma))^2, and
    2 eta_0 alpha gamma^-2/(1 - gamma beta^2) times that is 2 eta_0 alpha gamma^(T-1)/(1 - gamma beta^2) times
    the square.
    """
    g = sp.Symbol("g", positive=True)  # sqrt(gamma)
    square = ((1 - g**T) / (1 - g)) ** 2
    factor = 2 * eta0 * alpha / (1 - g**2 * beta**2)
    return AllOf(
        Equal(sp.Sum(g ** (T + t), (t, 1, T)) ** 2, g ** (2 * T + 2) * square, given=[g < 1]),
        Equal(
            factor * g**-4 * g ** (2 * T + 2) * square, factor * g ** (2 * T - 2) * square, [g < 1, beta < 1]
        ),
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
    standing="ours",
)
def bound_before_t_hat_is_at_most_that_with_c1():
    """The same with <=: 1/(gamma (1 - gamma beta^2)) <= 2/(gamma - beta^2)."""
    left, right = _small_sides()
    x = sp.Symbol("x", positive=True)
    inverse = 1 / (gamma * (1 - gamma * beta**2))
    return (
        Theorem(given=[beta**2 < gamma, *INSIDE], shows=AtMost(left, right))
        .have(AtMost(inverse, 2 / (gamma - beta**2)), "the coefficients")
        .have(
            AtMost(
                gamma**T * (1 + 2 * eta0 * alpha * x * inverse),
                gamma**T * (1 + 2 * eta0 * alpha * x * (2 / (gamma - beta**2))),
            ),
            "put in",
        )
        .have(Equal(left, gamma**T * (1 + 2 * eta0 * alpha * x * inverse)), "the left side")
        .have(Equal(right, gamma**T * (1 + 2 * eta0 * alpha * x * (2 / (gamma - beta**2)))), "the right side")
    )


@claim(
    PAPER,
    "proof-4.6-o1",
    at="Proof of Theorem 4.6, T <= T_hat, last step but one",
    kind="asymptotic",
    uses=["momentum-family"],
    expect=REFUTED,
    breaks="proof",
    correction="proof-4.6-o1-corrected",
)
def remainder_is_of_order_one():
    """(2 eta_0 gamma c1 alpha/(1 - sqrt gamma)^2) (1/(kappa alpha + 1))^2 <= O(1/(kappa alpha + 1)).

    Refuted on the family beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100 (momentum-family) with alpha = 1/kappa.
    """
    value = 2 * eta0 * gamma * C1 * alpha / (1 - ROOT) ** 2 / (kappa * alpha + 1) ** 2
    return unbounded(value.subs(alpha, 1 / kappa), (1 / (kappa * alpha + 1)).subs(alpha, 1 / kappa))


@claim(
    PAPER,
    "proof-4.6-o1-corrected",
    at="Proof of Theorem 4.6, T <= T_hat, last step but one, corrected",
    kind="inequality",
    standing="ours",
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
    breaks="misprint",
    correction="proof-4.8-index-corrected",
    standing="misprint",
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


@claim(
    PAPER,
    "proof-4.8-index-corrected",
    at="Proof of Theorem 4.8, second line, corrected",
    kind="identity",
    standing="ours",
)
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
    breaks="proof",
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
    standing="ours",
)
def one_over_one_minus_gamma_is_kappa_over_eta0():
    """sigma_g^2/(G^2 (1-gamma)) = kappa sigma_g^2/(eta_0 G^2), gamma = 1 - eta_0/kappa (r =
    sigma_g^2/G^2).
    """
    g2 = sp.Symbol("r", positive=True)
    return Equal(g2 / (1 - gamma), kappa * g2 / eta0, given=[sp.Eq(gamma, 1 - eta0 / kappa), eta0 < kappa])
