"""Appendix A: the definitions, and the three known results on Laplace noise, composition and subsampling.

e^(-|o-a|/b) <= e^(|a-a'|/b) e^(-|o-a'|/b);    eps' = ln(1 + (m/n)(e^eps - 1))
Theorems A.1 and A.3
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import PureDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Derivation, Equal
from dpverify.releases import Laplace
from dpverify.symbolic.dp_accel import PAPER

n, m, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "d"))
eps, mu, L = sp.symbols("epsilon mu L", positive=True)


@claim(PAPER, "def-a.1", at="Definition A.1", kind="definition")
def two_sided_quadratic_bounds_give_the_sector_of_the_gradient():
    """S_{mu,L}: mu/2 |x-y|^2 <= F(x) - F(y) - grad F(y)'(x-y) <= L/2 |x-y|^2 for all x, y; so mu <= L, and
    the gradient lies in a sector.
    """
    x, u, F, hh, hx, phi = sp.symbols("x u F hh hx phi", real=True)  # x - x*, grad F, F - F*, |h|^2, h'x, phi
    k = sp.Symbol("k", positive=True)  # L - mu
    xx, ux, uu = sp.symbols("xx ux uu", real=True)  # |x|^2, u'x, |u|^2
    return (
        Derivation()
        .step(
            AtMost(mu * x**2 / 2, L * x**2 / 2, given=[F >= mu * x**2 / 2, F <= L * x**2 / 2]),
            "both bounds at (x, x*): mu <= L",
        )
        .step(
            Equal(phi - hh / k + k / 2 * (hh / k**2), phi - hh / (2 * k)),
            "phi = F - mu/2 |.|^2 is convex and k-smooth: step to x - h/k, h = grad phi",
        )
        .step(
            AtMost(hh, k * hx, given=[phi >= hh / (2 * k), phi - hx + hh / (2 * k) <= 0]),
            "the same for phi - h'y, least at x; added up",
        )
        .step(
            AtMost(
                uu - (mu + L) * ux + mu * L * xx,
                0,
                given=[uu - 2 * mu * ux + mu**2 * xx <= (L - mu) * (ux - mu * xx)],
            ),
            "h = u - mu x: (u - mu x)'(u - L x) <= 0",
        )
        .step(Equal((x + u) ** 2 / 2 - x**2 / 2 - x * u, u**2 / 2), "satisfiable: F = x^2/2 has mu = L = 1")
    )


@claim(PAPER, "def-a.2", at="Definition A.2", kind="definition")
def randomised_response_meets_the_definition_with_equality():
    """eps-DP: P[A_Y in O] <= e^eps P[A_Y' in O] for all events O and all Y, Y' with h(Y, Y') <= 1."""
    truth, lie = sp.exp(eps) / (1 + sp.exp(eps)), 1 / (1 + sp.exp(eps))
    p, q, p2, q2, k = sp.symbols("p q p_2 q_2 k", positive=True)
    return (
        Derivation()
        .step(Equal(truth + lie, 1), "randomised response is a distribution")
        .step(
            Equal(truth, sp.exp(eps) * lie),
            "its worst event meets the bound with equality: the definition is satisfiable for every eps",
        )
        .step(
            AtMost(p + p2, k * (q + q2), given=[p <= k * q, p2 <= k * q2]),
            "outcome by outcome implies event by event (densities: integrate)",
        )
    )


@claim(PAPER, "def-a.3", at="Definition A.3, Eq (A.1)", kind="definition", uses=["thm-a.1"])
def sensitivity_of_the_mean_gradient_is_s1_over_n():
    """S_1^phi = max over neighbours of |phi(Y) - phi(Y')|_1 (a sup where no maximum exists, as in (3.2)); for
    the mean gradient it is S_1(x)/n.
    """
    g, h, rest = sp.symbols(
        "g h rest", real=True
    )  # the gradients of the replaced record, the sum of the others
    S = sp.Symbol("S", positive=True)
    change = (g + rest) / n - (h + rest) / n
    return (
        Derivation()
        .step(Equal(change, (g - h) / n), "one record is replaced")
        .step(AtMost(sp.Abs(g - h) / n, S / n, given=[sp.Abs(g - h) <= S]), "the definition (3.2) of S_1(x)")
    )


@claim(PAPER, "thm-a.1", at="Theorem A.1", kind="privacy guarantee")
def laplace_noise_of_scale_sensitivity_over_eps_is_eps_dp():
    """Adding Lap(S/eps) to each coordinate of a query of L1 sensitivity S is eps-DP."""
    S = sp.Symbol("S", positive=True)
    return Private(Laplace(S / eps, {REPLACE: S}), PureDP(eps), REPLACE)


@claim(PAPER, "thm-a.2", at="Theorem A.2", kind="privacy guarantee")
def epsilons_of_adaptive_steps_add_up():
    """A_i eps_i-DP for each i: their concatenation is sum_i eps_i-DP (used adaptively: step t may look at the
    earlier outputs).
    """
    before, now, spent, e = sp.symbols("l_before l_now spent e", real=True)
    T = sp.Symbol("T", integer=True, positive=True)
    t = sp.Symbol("t", integer=True, positive=True)
    es = sp.IndexedBase("epsilon", positive=True)
    return (
        Derivation()
        .step(
            Equal(sp.exp(before) * sp.exp(now), sp.exp(before + now)),
            "chain rule: the ratio of transcripts is the product of conditional ratios",
        )
        .step(
            AtMost(before + now, spent + e, given=[before <= spent, now <= e]),
            "one more step, given the outputs before it",
        )
        .step(
            Equal(sp.Sum(es[t], (t, 1, T + 1)), sp.Sum(es[t], (t, 1, T)) + es[T + 1]),
            "so by induction the sum of the epsilons",
        )
    )


@claim(PAPER, "thm-a.3", at="Theorem A.3", kind="privacy guarantee")
def sampling_without_replacement_amplifies_to_ln_1_plus_q_times_e_eps_minus_1():
    """M eps-DP (replacement): M on m of n items drawn without replacement is ln(1 + (m/n)(e^eps - 1))-DP."""
    q, k, p0, p1, p2 = sp.symbols(
        "q k p_0 p_1 p_2", positive=True
    )  # q = m/n, k = e^eps; densities: without, with y_i, with y_i'
    inclusion = sp.binomial(n - 1, m - 1) / sp.binomial(n, m)
    pairs = (n - m) * sp.binomial(n - 1, m - 1) / sp.binomial(n - 1, m)
    return (
        Derivation()
        .step(
            Equal(sp.gammasimp(sp.combsimp(inclusion)), m / n),
            "a record is in the batch with probability q = m/n",
        )
        .step(
            Equal(sp.gammasimp(sp.combsimp(pairs)), m),
            "swapping i for one of the n-m others reaches every batch without i equally often",
        )
        .step(
            AtMost(
                (1 - q) * p0 + q * p1,
                (1 + q * (k - 1)) * ((1 - q) * p0 + q * p2),
                given=[q <= 1, k >= 1, p1 <= k * p0, p1 <= k * p2],
            ),
            "p_1 <= e^eps p_2 (same batch, y_i replaced) and p_1 <= e^eps p_0 (y_i swapped for "
            "another record)",
        )
    )
