"""Appendix A: the definitions, and the three known results on Laplace noise, composition and subsampling.

e^(-|o-a|/b) <= e^(|a-a'|/b) e^(-|o-a'|/b);    eps' = ln(1 + (m/n)(e^eps - 1))
Theorems A.1 and A.3
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import PureDP
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import inner, norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal
from dpverify.releases import Laplace, Subsampled
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem

n, m, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "d"))
eps, mu, L = sp.symbols("epsilon mu L", positive=True)


@claim(PAPER, "def-a.1", at="Definition A.1", kind="definition")
def two_sided_quadratic_bounds_give_the_sector_of_the_gradient():
    """S_{mu,L}: mu/2 |x-y|^2 <= F(x) - F(y) - grad F(y)'(x-y) <= L/2 |x-y|^2 for all x, y. So mu <= L as soon
    as there are two points, and (grad F(x) - mu (x - x*))'(grad F(x) - L (x - x*)) <= 0.
    """
    F, x, y = Function("F", smooth=L, strongly_convex=mu), *vectors("x y")
    rise = F(x) - F(y) - inner(F.gradient(y), x - y)
    away = x - F.minimiser
    apart = [norm2(x - y) > 0, mu / 2 * norm2(x - y) <= rise, rise <= L / 2 * norm2(x - y)]
    return AllOf(
        Theorem(given=apart, shows=AtMost(mu, L)).have(
            AtMost(mu * norm2(x - y), L * norm2(x - y)), "both bounds at one pair"
        ),
        AtMost(inner(F.gradient(x) - mu * away, F.gradient(x) - L * away), 0, given=[mu < L]),
    )


@claim(PAPER, "def-a.2", at="Definition A.2", kind="definition")
def randomised_response_meets_the_definition_with_equality():
    """eps-DP: P[A_Y in O] <= e^eps P[A_Y' in O] for all events O and all Y, Y' with h(Y, Y') <= 1. Randomised
    response, which tells the truth with probability e^eps/(1 + e^eps) and lies else, meets it with equality.
    """
    truth, lie = sp.symbols("p_truth p_lie", positive=True)
    given = [sp.Eq(truth, sp.exp(eps) / (1 + sp.exp(eps))), sp.Eq(lie, 1 - truth)]
    return Equal(truth, sp.exp(eps) * lie, given=given)


@claim(PAPER, "def-a.3", at="Definition A.3, Eq (A.1)", kind="definition", uses=["thm-a.1"])
def sensitivity_of_the_mean_gradient_is_s1_over_n():
    """S_1^phi = max over neighbours of |phi(Y) - phi(Y')|_1 (a sup where no maximum exists, as in (3.2)); the
    mean gradient moves by |g - h|_1/n when the gradient g of one record becomes h, so by at most S_1(x)/n.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    g, h, rest = (sp.IndexedBase(name, real=True) for name in ("g", "h", "r"))
    S = sp.Symbol("S", positive=True)
    change = sp.Sum(sp.Abs((g[k] + rest[k]) / n - (h[k] + rest[k]) / n), (k, 1, d))
    apart = sp.Sum(sp.Abs(g[k] - h[k]), (k, 1, d))
    return Theorem(given=[apart <= S], shows=AtMost(change, S / n)).calc(
        change, ("<=", apart / n, "the other records are the same"), ("<=", S / n, "the definition of S_1(x)")
    )


@claim(PAPER, "thm-a.1", at="Theorem A.1", kind="privacy guarantee")
def laplace_noise_of_scale_sensitivity_over_eps_is_eps_dp():
    """Adding Lap(S/eps) to each coordinate of a query of L1 sensitivity S is eps-DP."""
    S = sp.Symbol("S", positive=True)
    return Private(Laplace(S / eps, {REPLACE: S}), PureDP(eps), REPLACE)


@claim(PAPER, "thm-a.2", at="Theorem A.2", kind="privacy guarantee")
def epsilons_of_adaptive_steps_add_up():
    """A_i eps_i-DP for each i: their concatenation is sum_i eps_i-DP. That is: if the privacy loss of output
    t, given the outputs before it, is at most eps_t for every t, the likelihood ratio of the whole
    transcript, e^(sum of the losses), is at most e^(sum of the eps_t); Laplace releases, for example.
    """
    t, T = (sp.Symbol(name, integer=True, positive=True) for name in "tT")
    es, loss = sp.IndexedBase("epsilon", positive=True), sp.IndexedBase("l", real=True)
    total, spent = sp.Sum(loss[t], (t, 1, T)), sp.Sum(es[t], (t, 1, T))
    each = ForEvery(AtMost(loss[t], es[t]), t, 1, T)
    return AllOf(
        Theorem(given=[each], shows=AtMost(sp.exp(total), sp.exp(spent))).sum(
            AtMost(loss[t], es[t]), (t, 1, T), "the chain rule: losses of conditional outputs add up"
        ),
        Private(Repeated(Laplace(1 / es[t], {REPLACE: 1}), t, 1, T), PureDP(spent), REPLACE),
    )


@claim(PAPER, "thm-a.3", at="Theorem A.3", kind="privacy guarantee")
def sampling_without_replacement_amplifies_to_ln_1_plus_q_times_e_eps_minus_1():
    """M eps-DP (replacement): M on m of n items drawn without replacement is ln(1 + (m/n)(e^eps - 1))-DP. For
    every M: the replaced item is drawn with chance C(n-1, m-1)/C(n, m) = m/n, and if its density with y_i is
    at most e^eps times that with y_i', and at most e^eps times that without the item, the two mixtures have
    at most that ratio; for Laplace releases as a whole.
    """
    p0, p1, p2 = sp.symbols("p_0 p_1 p_2", positive=True)  # densities without, with y_i, with y_i'
    S, b = sp.symbols("S b", positive=True)
    k, q = sp.symbols("k q", positive=True)  # e^eps, m/n
    release = Subsampled(Laplace(b, {REPLACE: S}), size=m, of=n)
    return AllOf(
        Equal(n * sp.binomial(n - 1, m - 1), m * sp.binomial(n, m), given=[m <= n]),
        AtMost(
            (1 - q) * p0 + q * p1,
            (1 + q * (k - 1)) * ((1 - q) * p0 + q * p2),
            given=[q <= 1, k >= 1, p1 <= k * p0, p1 <= k * p2],
        ),
        Private(release, PureDP(sp.log(1 + m / n * (sp.exp(S / b) - 1))), REPLACE, given=[m <= n]),
    )
