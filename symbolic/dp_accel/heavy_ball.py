"""Sections 3 and 3.1: the private heavy ball, its noise, its state space, and the matrix inequality.

    x_{t+1} = x_t - alpha (grad F_B(x_t) + eta_t) + beta (x_t - x_{t-1}),  eta ~ Lap(b)^d                          Eq (3.1)
    eps(S, b, n, m) = ln(1 + (m/n)(e^(S/(bm)) - 1))                                                              Eq (3.3)
"""

from __future__ import annotations

import sympy as sp

from dpverify.algorithms.dp_accel import inner_epsilon, noise_scale, sampling_variance, step_loss
from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal
from dpverify.symbolic.dp_accel import PAPER

n, m, T = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T"))
t = sp.Symbol("t", integer=True, positive=True)
eps, S, b, alpha, beta, mu, L = sp.symbols("epsilon S b alpha beta mu L", positive=True)


@claim(PAPER, "eq-3.3", at="Eq (3.3)", kind="privacy guarantee", uses=["thm-a.1", "thm-a.3", "def-a.3"])
def one_step_loses_ln_1_plus_q_times_exp_minus_1():
    """One noisy minibatch gradient loses eps(S, b, n, m) = ln((e^(S/(bm)) - 1) m/n + 1), for a replaced record; no smaller number will do."""
    o = sp.Symbol("o", positive=True)
    stated = step_loss(b, S, m, n)
    # tight: all other records have gradient 0, the record's is S or 0; batch mean S/m with probability m/n, else 0; far out at o
    with_it, without = sp.exp(-(o - S / m) / b) / (2 * b), sp.exp(-o / b) / (2 * b)
    ratio = (m / n * with_it + (1 - m / n) * without) / without
    return (
        Derivation()
        .step(Equal(sp.log(1 + (m / n) * (sp.exp((S / m) / b) - 1)), stated), "Theorem A.1 at sensitivity S/m and scale b, then Theorem A.3")
        .step(Equal(sp.expand(sp.simplify(ratio)), sp.expand(sp.exp(stated))), "attained at every output o >= S/m when the other gradients are 0")
    )


@claim(PAPER, "prop-3.1", at="Proposition 3.1, Eqs (3.4) and (3.5)", kind="privacy guarantee", uses=["eq-3.3", "thm-a.2"])
def scale_s_over_m_eps0_spends_eps_over_t_per_step():
    """b_t = S_1(x_t)/(m eps_0), eps_0 = ln(1 + (e^(eps/T) - 1) n/m) makes DP-SHB eps-DP (one record replaced; S_1(x) is a sup over all records, so public)."""
    scale = noise_scale(eps / T, S, m, n)
    per_step = step_loss(scale, S, m, n)
    return (
        Derivation()
        .step(Equal(S / (m * sp.log(1 + (sp.exp(eps / T) - 1) * n / m)), scale), "the scale that the algorithms run is (3.4) with (3.5)")
        .step(AtMost(0, inner_epsilon(eps / T, m, n), given=[m <= n]), "eps_0 is not negative")
        .step(Equal(per_step, eps / T), "the loss of a step, whatever S = S_1(x_t) is")
        .step(Equal(sp.Sum(eps / T, (t, 1, T)), eps), "Theorem A.2 over T steps")
    )


@claim(PAPER, "eq-3.1-var", at="after Eq (3.1)", kind="numeric constant")
def laplace_of_scale_b_has_variance_two_b_squared():
    """Laplace(b) has mean zero and variance 2 b^2."""
    u = sp.Symbol("u", positive=True)
    return Equal(sp.integrate(2 * u**2 * sp.exp(-u / b) / (2 * b), (u, 0, sp.oo)), 2 * b**2)


@claim(PAPER, "eq-3.13", at="Eq (3.13)", kind="inequality", uses=["eq-b.2", "eq-b.3-pop"])
def sampling_covariance_is_at_most_sigma_s_in_norm():
    """sigma_s^2(m, n) = (S_1^2/4)(1/m)(n-m)/(n-1) bounds the norm of the covariance of the minibatch gradient (n >= 2)."""
    u1, u2, d1, d2 = sp.symbols("u_1 u_2 d_1 d_2", real=True)
    spread, variance = sp.symbols("r v", nonnegative=True)
    return (
        Derivation()
        .step(AtMost((u1 * d1 + u2 * d2) ** 2, d1**2 + d2**2, given=[u1**2 + u2**2 <= 1]), "in a unit direction u, a difference d of gradients has |u'd| <= |d|_2")
        .step(AtMost(d1**2 + d2**2, (sp.Abs(d1) + sp.Abs(d2)) ** 2), "and |d|_2 <= |d|_1 <= S_1")
        .step(
            AtMost(variance / m * (n - m) / (n - 1), sampling_variance(S, m, n), given=[variance <= spread**2 / 4, spread <= S, m <= n, n >= 2]),
            "so the population variance in direction u is at most S_1^2/4 (B.3), and (B.2) gives the variance of the batch mean",
        )
    )
