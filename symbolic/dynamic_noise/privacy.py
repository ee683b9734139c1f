"""Appendix B.1 and B.2 (Lemma B.4): composition, sensitivity, the Gaussian mechanism, from zCDP to (eps, delta)-DP.

    D_a(N(0, s^2), N(d, s^2)) = a d^2/(2 s^2)        rho-zCDP: D_a <= rho a for every a > 1
"""

from __future__ import annotations

import sympy as sp

from dpverify.algorithms import dynamic_noise as schedules
from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.setting import gaussian_divergence
from dpverify.verdicts import REFUTED

eps, L, rho = sp.symbols("epsilon L rho", positive=True)  # L = ln(1/delta)


@claim(PAPER, "lemma-b.1", at="Lemma B.1", kind="privacy guarantee", expect=REFUTED, correction="lemma-b.1-corrected", breaks="proof")
def composition_at_one_order_gives_every_order():
    """If M is (rho_1, a)-zCDP and M' is (rho_2, a)-zCDP (D_a <= rho a at that a), the composition is (rho_1 + rho_2)-zCDP (at every order).

    The case: M is randomised response with 9/10, rho_1 = D_2/2 at a = 2, and M' ignores the data (rho_2 = 0); D at order 5/4.
    The notation (rho, a)-zCDP is not defined in the paper; read as rho-zCDP at every order, the lemma is lemma-b.1-corrected.
    """
    p = sp.Rational(9, 10)

    def divergence(a):
        return sp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)

    low = sp.Rational(5, 4)
    return Instance(
        AtMost(divergence(low), low * divergence(sp.Integer(2)) / 2), let={"M": "randomised response, 9/10 against 1/10", "M'": "constant", "a": "2"},
        because="a bound at order 2 says nothing of the rho a wanted at order 5/4",
    )  # fmt: skip


@claim(PAPER, "lemma-b.1-corrected", at="Lemma B.1, corrected", kind="privacy guarantee")
def divergences_of_adaptive_steps_add_up():
    """If D_a(M) <= rho_1 a, and D_a(M'(., y)) <= rho_2 a for every y, at every order a > 1, then D_a of both is at most (rho_1 + rho_2) a.

    Over an output space of n points: exp((a-1) D_a) is sum_y w_y c_y, w_y = P(y)^a Q(y)^(1-a), c_y the same for M' at y, c_y = C - slack_y.
    """
    a, r1, r2, C, W = sp.symbols("a rho_1 rho_2 C W", positive=True)
    y, n = sp.Symbol("y", integer=True, positive=True), sp.Symbol("n", integer=True, positive=True)
    w, slack = sp.IndexedBase("w", positive=True), sp.IndexedBase("slack", nonnegative=True)
    both = sp.Sum(w[y] * (C - slack[y]), (y, 1, n))
    return (
        Derivation()
        .step(Equal(C * sp.Sum(w[y], (y, 1, n)) - both, sp.Sum(w[y] * slack[y], (y, 1, n))), "every c_y is C less a nonnegative slack")
        .step(AtMost(0, sp.Sum(w[y] * slack[y], (y, 1, n))), "so the joint sum is at most C sum_y w_y")
        .step(
            AtMost(sp.log(C * W) / (a - 1), (r1 + r2) * a, given=[a > 1, C <= sp.exp((a - 1) * r2 * a), W <= sp.exp((a - 1) * r1 * a)]),
            "with C and W = sum_y w_y at their bounds; what is computed from the output alone cannot add to it",
        )
    )


@claim(PAPER, "def-b.1", at="Definition B.1, Eq (19)", kind="identity")
def leaving_out_one_gradient_moves_the_sum_by_it():
    """(1/N) sum_{j != n} grad_j - (1/N) sum_j grad_j = -grad_n/N: the sensitivity is (1/N) max_n |grad_n|, for a record that contributes nothing, 1/N fixed."""
    g, j = sp.IndexedBase("g", real=True), sp.Symbol("j", integer=True, positive=True)
    n, N = sp.Symbol("n", integer=True, positive=True), sp.Symbol("N", integer=True, positive=True)
    total = sp.Sum(g[j], (j, 1, N))
    return Equal((total - g[n]) / N - total / N, -g[n] / N, given=[n <= N])


@claim(PAPER, "lemma-b.2", at="Lemma B.2", kind="privacy guarantee", uses=["def-3.4"])
def gaussian_mechanism_costs_one_over_two_sigma_squared():
    """f + N(0, Delta^2 sigma^2 I) is 1/(2 sigma^2)-zCDP for f of sensitivity Delta."""
    a, moved, Delta, sigma = sp.symbols("a moved Delta sigma", positive=True)
    return gaussian_divergence().step(
        AtMost(a * moved**2 / (2 * (Delta * sigma) ** 2), a / (2 * sigma**2), given=[moved <= Delta]), "any pair of neighbours moves f by at most Delta"
    )


@claim(PAPER, "lemma-b.3", at="Lemma B.3", kind="privacy guarantee", uses=["def-3.4"])
def zcdp_implies_approximate_dp():
    """rho-zCDP implies (rho + 2 sqrt(rho L), delta)-DP, L = ln(1/delta), delta in (0, 1): Markov on the privacy loss at order a = 1 + sqrt(L/rho).

    Z is the loss ln P/Q under P. E exp((a-1) Z) = exp((a-1) D_a), so P(Z > eps) <= exp((a-1)(rho a - eps)); and P(S) <= e^eps Q(S) + P(Z > eps).
    """
    a = 1 + sp.sqrt(L / rho)
    epsilon = rho + 2 * sp.sqrt(rho * L)
    z, e, k = sp.symbols("z e k", real=True)
    return (
        Derivation()
        .step(AtMost(sp.exp(k * e), sp.exp(k * z), given=[k > 0, z >= e]), "exp((a-1) Z) >= exp((a-1) eps) on the event Z > eps: Markov")
        .step(Equal((a - 1) * (rho * a - epsilon), -L), "the exponent at that order is -L = ln delta")
    )


@claim(PAPER, "inv-b.3", at="Below Lemma B.3", kind="identity", expect=REFUTED, correction="inv-b.3-corrected", breaks="privacy")
def printed_rho_solves_the_conversion():
    """rho = eps + 2 L + 2 sqrt(L (eps + L)), L = ln(1/delta), solves rho + 2 sqrt(rho L) = eps (used as printed it spends far too much)."""
    stated = schedules.printed_budget(eps, L) / 2
    return Equal(stated + 2 * sp.sqrt(stated * L), eps)


@claim(PAPER, "inv-b.3-corrected", at="Below Lemma B.3, corrected", kind="identity")
def smaller_root_solves_the_conversion():
    """rho = eps + 2 L - 2 sqrt(L (eps + L)) = (sqrt(eps + L) - sqrt L)^2 is the only solution of rho + 2 sqrt(rho L) = eps."""
    root = sp.sqrt(eps + L) - sp.sqrt(L)
    s = sp.Symbol("s", positive=True)  # sqrt rho
    return (
        Derivation()
        .step(Equal(root**2, eps + 2 * L - 2 * sp.sqrt(L * (eps + L))), "the smaller root")
        .step(Equal(root**2 + 2 * root * sp.sqrt(L), eps), "sqrt rho = sqrt(eps + L) - sqrt L > 0 solves s^2 + 2 s sqrt L = eps")
        .step(Equal(s**2 + 2 * s * sp.sqrt(L) + L, (s + sp.sqrt(L)) ** 2), "(s + sqrt L)^2 = eps + L has one positive solution")
    )
