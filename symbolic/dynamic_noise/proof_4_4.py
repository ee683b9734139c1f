"""Appendix C.2: the printed proof of Theorem 4.4, line by line.

v_{t+1} = (1-beta) sum_{i<=t} beta^(t-i) g_i,  b_t = 1 - beta^t,  theta_{t+1} = theta_t - eta v_{t+1}/b_t
eta = eta_0/(2M),  gamma = 1 - eta_0/kappa
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import M, T, beta, eta, eta0, gamma, i, kappa, mu, s2, t
from dpverify.theorems import Iterates, Theorem
from dpverify.verdicts import REFUTED


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
    f = Function("f", smooth=M)
    theta = Vector("theta")
    v = Vector("v")
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
