"""The start of Section 4: the excess risk, the Polyak-Lojasiewicz condition, and the constants of the bounds.

kappa = M/mu,  gamma = 1 - 1/kappa,  1/alpha = 2 R M N^2 (f(theta_1) - f*)/(D G^2)      Eq (2)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.language.expectations import E, gaussian
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm, norm2
from dpverify.relations import AtMost, Equal, Increasing
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.definitions import D, G, M, N, R, T, mu, t
from dpverify.theorems import AllOf, Iterates, Theorem


@claim(PAPER, "def-eer", at="Section 4", kind="definition", uses=["thm-4.1"])
def eer_of_a_quadratic_is_within_erub():
    """EER = E f(theta_{T+1}) - f*, ERUB = its bound over f(theta_1) - f*. A step on f = lam |theta|^2/2 in
    R^D, mu <= lam <= M, keeps EER <= ERUB (f(theta_1) - f*): e = EER and bound = ERUB (f(theta_1) - f*)
    before it, and the exact EER after it is (1 - lam/M)^2 e + (lam/2) D (G/(MN))^2 sigma^2.
    """
    lam, first, s2 = sp.symbols("lam e_1 s2", positive=True)
    e, bound = sp.symbols("e bound", nonnegative=True)
    exact = (1 - lam / M) ** 2 * e + (lam / 2) * D * (G / (M * N)) ** 2 * s2
    a = schedules.alpha_of(D, G, R, M, N, first)
    after = (1 - mu / M) * bound + R * a * first * s2
    return AtMost(exact, after, given=[lam >= mu, lam <= M, e <= bound])


@claim(PAPER, "sc-implies-pl", at="Section 4", kind="inequality")
def strong_convexity_implies_pl():
    """If f is M-smooth, m-strong convexity implies the PL condition with mu = m: |grad f|^2 >= 2 m (f - f*),
    in R^D.
    """
    m, x = sp.Symbol("m", positive=True), Vector("x")
    f = Function("f", smooth=M, strongly_convex=m)
    return AtMost(2 * m * (f(x) - f.minimum), norm2(f.gradient(x)))


@claim(PAPER, "def-4.1", at="Definition 4.1", kind="definition")
def quadratics_meet_the_pl_condition():
    """PL: |grad f|^2 >= 2 mu (f - f*); f = lam |x|^2/2 with lam >= mu has it, where x may be a part of
    theta: in the other directions f is flat, and not strongly convex.
    """
    x, lam = Vector("x"), sp.Symbol("lam", positive=True)
    return AtMost(2 * mu * (lam * norm2(x) / 2), norm2(lam * x), given=[lam >= mu])


@claim(PAPER, "bernoulli", at="Theorem 4.1, hypotheses", kind="inequality", standing="ours")
def bernoulli_inequality():
    """1 + T x <= (1 + x)^T for whole T and x > 0."""
    x = sp.Symbol("x", positive=True)
    return AtMost(1 + T * x, (1 + x) ** T)


@claim(PAPER, "thm-4.1-growth", at="Theorem 4.1, hypotheses", kind="inequality", standing="ours")
def excess_grows_along_ascent():
    """An M-smooth f on R^D that meets the PL condition grows at least by the factor 1 + mu/M along theta +
    grad f(theta)/M, and f - f* <= G^2/(2 mu) wherever |grad f| <= G. After T steps of ascent f - f* is at
    least (1 + mu/M)^T times what it was: h_t = K - (f(theta_t) - f*), h_{T+1} <= K - (1 + mu/M)^T (K - h_1),
    for any K.
    """
    f, theta = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("theta")
    h = sp.IndexedBase("h", real=True)
    K = sp.Symbol("K", positive=True)
    rate = 1 + mu / M
    excess = f(theta) - f.minimum
    run = Iterates(h, K - excess, [theta], [theta + f.gradient(theta) / M], [], t, 1, T)
    return AllOf(
        AtMost(excess, G**2 / (2 * mu), given=[norm(f.gradient(theta)) <= G]),
        Theorem(given=[run, mu <= M], shows=AtMost(h[T + 1], K - rate**T * (K - h[1])))
        .descend(run, rate, -K * mu / M, "PL, and the lemma of ascent")
        .unroll(h[t], rate, -K * mu / M, (t, 1, T), "T steps")
        .have(
            Equal(sp.Sum(rate ** (T - t) * (-K * mu / M), (t, 1, T)), -K * (rate**T - 1)), "a geometric sum"
        ),
    )


@claim(
    PAPER,
    "thm-4.1-satisfiable",
    at="Theorem 4.1, hypotheses",
    kind="inequality",
    uses=["thm-4.1-growth", "bernoulli"],
    standing="ours",
)
def no_loss_on_all_of_space_is_lipschitz_and_pl():
    """For every e > 0 and every whole T with T >= G^2 M/(2 mu^2 e), (1 + mu/M)^T e > G^2/(2 mu). So, by
    thm-4.1-growth, an f on all of R^D that is smooth, G-Lipschitz and meets the PL condition is nowhere above
    f*: it is constant, and Theorem 4.1 as printed is about no other.

    Its proof does not need G to bound the gradients: G is there the scale of the noise, and clipping bounds
    the sensitivity (thm-4.1 is proved without it).
    """
    e = sp.Symbol("e", positive=True)
    return Theorem(
        given=[2 * mu**2 * e * T >= G**2 * M],
        shows=AtMost(G**2 / (2 * mu), (1 + mu / M) ** T * e, strict=True),
    ).use("bernoulli", "with x = mu/M", x=mu / M)


@claim(PAPER, "eq-2-alpha", at="Eq (2)", kind="identity", standing="definition")
def alpha_times_the_first_gap():
    """alpha = D G^2/(2 R M N^2 (f(theta_1) - f*)): then alpha (f(theta_1) - f*) is the noise of one step at
    sigma^2 = 1/R, (M/2) E|G sigma nu/(M N)|^2, nu being standard normal in R^D.
    """
    gap, alpha, sigma = sp.symbols("gap alpha sigma", positive=True)
    noise = G / (M * N) * gaussian("nu", sigma, D)
    named = [sp.Eq(alpha, schedules.alpha_of(D, G, R, M, N, gap)), sp.Eq(sigma, 1 / sp.sqrt(R))]
    return Equal(M / 2 * E(norm2(noise)), alpha * gap, given=named)


@claim(PAPER, "eq-2-range", at="Below Eq (2)", kind="inequality", uses=["def-3.3", "def-4.1"])
def kappa_is_at_least_one():
    """kappa = M/mu >= 1 and gamma = 1 - 1/kappa in [0, 1), where f is somewhere above f*: M-smoothness gives
    |grad|^2 <= 2 M (f - f*), PL gives >= 2 mu (f - f*).
    """
    f, x = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("x")
    excess, square = f(x) - f.minimum, norm2(f.gradient(x))
    return AllOf(
        Theorem(given=[excess > 0], shows=AtMost(mu, M))
        .have(AtMost(2 * mu * excess, square), "PL")
        .have(AtMost(square, 2 * M * excess), "f* <= f(x - grad/M) <= f(x) - |grad|^2/(2M)"),
        AtMost(0, 1 - mu / M, given=[mu <= M]),
        AtMost(1 - mu / M, 1, strict=True),
    )


@claim(PAPER, "eq-2-trends", at="Below Eq (2)", kind="monotonicity", uses=["eq-2-alpha"])
def one_over_alpha_grows_with_samples_and_budget():
    """1/alpha = 2 R M N^2 (f(theta_1) - f*)/(D G^2) grows with the number of samples N and with the budget
    R.
    """
    gap = sp.Symbol("gap", positive=True)
    inverse = 2 * R * M * N**2 * gap / (D * G**2)
    return AllOf(Increasing(inverse, N, strict=True), Increasing(inverse, R, strict=True))
