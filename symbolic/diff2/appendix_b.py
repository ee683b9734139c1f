"""Appendix B: Renyi differential privacy, its composition, conversion, and amplification by sampling.

    E_{o ~ M(D')} (M(D)(o)/M(D')(o))^a <= e^((a-1) eps)                                        (a, eps)-RDP
    eps'(a) = log(1 + g^2 C(a,2) min(4(e^eps(2) - 1), e^eps(2) w_2) + sum_(j=3..a) g^j C(a,j) e^((j-1) eps(j))
    w_j)/(a - 1),   w_j = min(2, (e^eps(inf) - 1)^j)                                            (Lemma B.7)

Where densities occur they are those of finitely many outcomes, p_i = M(D)(i) and q_i = M(D')(i); the printed
lemmas are quoted from Mironov (2017) and Wang et al. (2019) for any outcomes.
"""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.diff2 import sampled_renyi
from dpverify.guarantees import RDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Tested
from dpverify.releases import Gaussian
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import SUPPORTED, UNDECIDED, Evidence, Result

a, i, j, m = (sp.Symbol(name, integer=True, positive=True) for name in ("alpha", "i", "j", "m"))
eps, delta, sigma, Delta, gamma, c = sp.symbols("epsilon delta sigma Delta gamma c", positive=True)
order = sp.Symbol("alpha", positive=True)
p, q = (sp.IndexedBase(name, positive=True) for name in "pq")
loss = sp.IndexedBase("y", real=True)


@claim(PAPER, "def-b.1", at="Definition B.1", kind="definition")
def renyi_differential_privacy():
    """(a, eps)-RDP: log E_{o ~ M(D')} (M(D)(o)/M(D')(o))^a/(a - 1) <= eps for adjacent D, D' (Hamming
    distance 1), a > 1.

    A sanity example: for N(mu, 1) against N(0, 1) the integrand is e^(a (a-1) mu^2/2) times the density of
    N(a mu, 1), so the left side is a mu^2/2; here as an identity of the exponents.
    """
    x, mu = sp.symbols("x mu", real=True)
    integrand = -order * (x - mu) ** 2 / 2 - (1 - order) * x**2 / 2
    return Equal(integrand, order * (order - 1) * mu**2 / 2 - (x - order * mu) ** 2 / 2)


BERNOULLI = AtMost(order * sp.exp(loss[i]) - order + 1, sp.exp(order * loss[i]))
BEYOND = AtMost(sp.exp(loss[i]), 1 + sp.exp(order * loss[i]))


@claim(
    PAPER,
    "lemma-b.2",
    at="Lemma B.2, finitely many outcomes, those of one value of g",
    kind="privacy guarantee",
    uses=["lemma-b.2-pointwise"],
)
def merged_outcomes_are_not_easier_to_tell_apart():
    """For the m outcomes that g sends to one value, of probability q_i on D' and p_i = c q_i e^(y_i) on D,
    where P = sum p_i = c sum q_i = c Q: sum q_i <= sum q_i e^(a y_i), which times c^a is P^a Q^(1-a) <= sum
    p_i^a q_i^(1-a), a > 1. Added over the values of g: g of M has no larger Renyi divergence than M.

    g is deterministic.
    """
    limits = (i, 1, m)
    merged = sp.Eq(sp.Sum(q[i] * sp.exp(loss[i]), limits), sp.Sum(q[i], limits))
    shown = AtMost(sp.Sum(q[i], limits), sp.Sum(q[i] * sp.exp(order * loss[i]), limits))
    return (
        Theorem(given=[order > 1, merged], shows=shown)
        .use("lemma-b.2-pointwise", "each outcome", over=limits, y=loss[i])
        .sum(AtMost(q[i] * BERNOULLI.lhs, q[i] * BERNOULLI.rhs), limits, "outcome by outcome")
    )


@claim(PAPER, "lemma-b.2-pointwise", at="Lemma B.2, one outcome", kind="inequality", standing="ours")
def one_outcome_against_its_tangent():
    """e^(a y) >= a e^y - a + 1 for every real y and a > 1: x^a is above its tangent at x = 1."""
    y = sp.Symbol("y", real=True)
    return AtMost(order * sp.exp(y) - order + 1, sp.exp(order * y), given=[order > 1])


@claim(
    PAPER, "lemma-b.3", at="Lemma B.3, two mechanisms, finitely many first outcomes", kind="privacy guarantee"
)
def renyi_divergences_add_up():
    """If sum_i p_i^a q_i^(1-a) <= E_1 and, given each first outcome i, the moment D_i of the second mechanism
    is at most E_2, the moment of the pair is at most E_1 E_2; at E_k = e^((a-1) eps_k): e^((a-1)(eps_1 +
    eps_2)). R mechanisms are R - 1 such pairs.
    """
    moment, limits = sp.IndexedBase("D", positive=True), (i, 1, m)
    first, second = sp.symbols("E_1 E_2", positive=True)
    term = p[i] ** order * q[i] ** (1 - order)
    held = [order > 1, ForEvery(AtMost(moment[i], second), *limits), sp.Sum(term, limits) <= first]
    return Theorem(given=held, shows=AtMost(sp.Sum(term * moment[i], limits), first * second)).sum(
        AtMost(term * moment[i], term * second), limits, "whatever the first outcome"
    )


@claim(
    PAPER,
    "lemma-b.4",
    at="Lemma B.4, finitely many outcomes",
    kind="privacy guarantee",
    uses=["lemma-b.4-pointwise"],
)
def renyi_privacy_gives_approximate_privacy():
    """For the m outcomes of an event S, of probability q_i on D' and p_i = w q_i e^(y_i) on D, w = e^E, E =
    eps + log(1/delta)/(a - 1): if w sum q_i e^(a y_i) <= delta, then Pr[M(D) in S] = w sum q_i e^(y_i) <= e^E
    Pr[M(D') in S] + delta. (a, eps)-RDP gives the hypothesis: sum p_i^a q_i^(1-a) = w^a sum q_i e^(a y_i) <=
    e^((a-1) eps) over all outcomes, and w^(1-a) e^((a-1) eps) = delta.

    The first hypothesis is lemma-b.4-pointwise at y_1, ..., y_m.
    """
    limits, w = (i, 1, m), sp.Symbol("w", positive=True)
    chance, moment = (sp.Sum(q[i] * sp.exp(power * loss[i]), limits) for power in (1, order))
    exponent = (1 - order) * (eps + sp.log(1 / delta) / (order - 1))
    held = [order > 1, ForEvery(BEYOND, *limits), w * moment <= delta]
    event = Theorem(given=held, shows=AtMost(w * chance, w * sp.Sum(q[i], limits) + delta)).sum(
        AtMost(q[i] * BEYOND.lhs, q[i] * BEYOND.rhs), limits, "outcome by outcome"
    )
    return AllOf(event, Equal(exponent + (order - 1) * eps, sp.log(delta), given=[order > 1, delta < 1]))


@claim(PAPER, "lemma-b.4-pointwise", at="Lemma B.4, one outcome", kind="inequality", standing="ours")
def one_outcome_below_or_beyond():
    """e^y <= 1 + e^(a y) for every real y and a > 1: e^y <= 1 for y <= 0, and e^y <= e^(a y) for y >= 0."""
    y = sp.Symbol("y", real=True)
    bound = AtMost(sp.exp(y), 1 + sp.exp(order * y))
    below = Theorem(given=[order > 1, y <= 0], shows=bound).have(AtMost(sp.exp(y), 1), "below E")
    above = Theorem(given=[order > 1, y >= 0], shows=bound).have(AtMost(y, order * y), "a > 1")
    return AllOf(
        below.have(AtMost(0, sp.exp(order * y)), "a power"),
        above.have(AtMost(sp.exp(y), sp.exp(order * y)), "beyond E"),
    )


@claim(PAPER, "def-b.5", at="Definition B.5", kind="definition")
def sensitivity_is_a_supremum():
    """The l_q-sensitivity of h is the supremum of |h(D) - h(D')|_q over adjacent D, D'.

    A sanity example: that of the mean of n numbers in [-C, C] is 2 C/n: no two values of a record give more,
    and C and -C give it.
    """
    n, C = sp.Symbol("n", integer=True, positive=True), sp.Symbol("C", positive=True)
    x, y, rest = sp.symbols("x y s", real=True)
    moved = (rest + x) / n - (rest + y) / n
    inside = [x <= C, -C <= x, y <= C, -C <= y]
    return AllOf(
        AtMost(moved, 2 * C / n, given=inside), Equal(moved.subs({x: C, y: -C}, simultaneous=True), 2 * C / n)
    )


@claim(PAPER, "lemma-b.6", at="Lemma B.6", kind="privacy guarantee")
def gaussian_mechanism():
    """h(D) + N(0, sigma^2 I) is (a, a Delta^2/(2 sigma^2))-RDP for every a > 1, Delta the l2-sensitivity
    of h.
    """
    return Private(
        Gaussian(sigma, {REPLACE: Delta}),
        RDP(order, order * Delta**2 / (2 * sigma**2)),
        REPLACE,
        given=[order > 1],
    )


def exact_divergence(alpha: int, rate: float, scale: float, first: float, second: float) -> float:
    """The Renyi divergence of (1 - rate) N(0, s^2) + rate N(first, s^2) from the same with `second`."""
    grid = np.linspace(-12 * scale - 2, 12 * scale + 2 + alpha, 8001)

    def log_density(moved: float) -> np.ndarray:
        plain, other = -(grid**2) / (2 * scale**2), -((grid - moved) ** 2) / (2 * scale**2)
        return np.logaddexp(math.log1p(-rate) + plain, math.log(rate) + other)

    above, below = log_density(first), log_density(second)
    width, unit = grid[1] - grid[0], scale * math.sqrt(2 * math.pi)
    return math.log(float(np.sum(np.exp(alpha * above + (1 - alpha) * below))) * width / unit) / (alpha - 1)


@claim(PAPER, "lemma-b.7", at="Lemma B.7, for Gaussian noise", kind="privacy guarantee", expect=SUPPORTED)
def subsampled_renyi_divergence():
    """If M is (j, eps(j))-RDP for j = 2..a, M on b = g n of n records drawn without replacement is (a,
    eps'(a))-RDP with the printed eps'(a), a >= 2 whole (Theorem 9 of Wang et al.).

    Compared with the exact divergence, by integration, for Gaussian noise of scale s on a query that one
    record moves from -1/2, 0 or 1 to 1/2, 1 or 0, a = 2..12, g = .001 to .5, s = .7 to 8.
    """

    def run(effort: Effort) -> Result:
        worst, cases = 0.0, 0
        for alpha in (2, 3, 5, 8, 12):
            for rate in (0.001, 0.01, 0.05, 0.2, 0.5):
                for scale in (0.7, 1.0, 2.0, 8.0):
                    bound = sampled_renyi(alpha, rate, lambda k, s=scale: k / (2 * s**2))
                    for pair in ((1.0, 0.0), (0.0, 1.0), (0.5, -0.5)):
                        worst = max(worst, exact_divergence(alpha, rate, scale, *pair) / bound)
                        cases += 1
        said = f"the exact divergence is at most {worst:.3g} of the bound in {cases} cases"
        evidence = Evidence("integration", samples=cases, ceiling="a divergence above the bound")
        return Result(SUPPORTED if worst <= 1 + 1e-6 else UNDECIDED, said, evidence)

    return Tested("Gaussian noise on batches without replacement keeps the bound of Lemma B.7", run)


later = (j, 3, a)
rdp = sp.IndexedBase("epsilon", positive=True)  # eps(j); `two` is eps(2) and `top` is eps(a)
two, top = sp.symbols("epsilon_2 epsilon_a", positive=True)
weight = sp.IndexedBase("w", nonnegative=True)  # w_j; `least` is w_2
least = sp.Symbol("w_2", nonnegative=True)
tail = gamma**j * sp.binomial(a, j) * sp.exp((j - 1) * rdp[j]) * weight[j]
small = [
    top <= sp.Rational(1, 3),
    2 * gamma * a * sp.exp(top) <= 1,
    gamma <= two / (c * a),
]
increasing = ForEvery(AtMost(rdp[j], top), j, 3, a)
few = ForEvery(AtMost(weight[j], 2), j, 3, a)


@claim(PAPER, "lemma-b.8-steps", at="Lemma B.8, the inequalities of its proof", kind="inequality")
def inequalities_of_the_proof():
    """C(a, j) <= a^j/6 for j >= 3; sum_(j=3..a) y^j <= 2 y^3 for 0 < y <= 1/2; log(1 + x) <= x for x > -1;
    e^x
    - 1 <= x + x^2 for x <= 3/2, that is for x = -v and x = v <= 3/2, v >= 0; and eps(a) <= log(1/(2 g a))
    gives g a e^eps(a) <= 1/2.
    """
    y = sp.Symbol("y", positive=True)
    x = sp.Symbol("x", real=True)
    v = sp.Symbol("v", nonnegative=True)
    return AllOf(
        AtMost(sp.binomial(a, j), a**j / 6, given=[j >= 3]),
        AtMost(sp.Sum(y**j, later), 2 * y**3, given=[2 * y <= 1]),
        AtMost(sp.log(1 + x), x, given=[x > -1]),
        AtMost(sp.exp(-v) - 1, -v + v**2),
        AtMost(sp.exp(v) - 1, v + v**2, given=[v <= sp.Rational(3, 2)]),
        AtMost(grown, sp.Rational(1, 2), given=[top <= sp.log(1 / (2 * gamma * a))]),
    )


grown = gamma * a * sp.exp(top)


@claim(PAPER, "lemma-b.8-geometric", at="Lemma B.8, the geometric sum", kind="inequality")
def geometric_sum_from_the_third_power():
    """(1/3) sum_(j=3..a) y^j <= (2/3) y^3 for 0 < y <= 1/2."""
    y = sp.Symbol("y", positive=True)
    return AtMost(sp.Sum(y**j / 3, later), 2 * y**3 / 3, given=[2 * y <= 1])


@claim(PAPER, "lemma-b.8-log", at="Lemma B.8, second inequality", kind="inequality")
def logarithm_is_below_its_tangent():
    """log(1 + x) <= x for x >= 0."""
    x = sp.Symbol("x", nonnegative=True)
    return AtMost(sp.log(1 + x), x)


@claim(PAPER, "lemma-b.8-exp", at="Lemma B.8, last line", kind="inequality")
def exponential_of_a_small_loss():
    """e^x - 1 <= (4/3) x for 0 < x <= 1/3."""
    x = sp.Symbol("x", positive=True)
    return AtMost(sp.exp(x) - 1, sp.Rational(4, 3) * x, given=[x <= sp.Rational(1, 3)])


@claim(PAPER, "lemma-b.8-cube", at="Lemma B.8, last line", kind="inequality")
def cube_of_the_exponential():
    """e^(3 x) <= e for 0 < x <= 1/3."""
    x = sp.Symbol("x", positive=True)
    return AtMost(sp.exp(3 * x), sp.E, given=[x <= sp.Rational(1, 3)])


def with_geometric_tail(theorem):
    """The proof with sum_(j=3..a) g^j C(a,j) e^((j-1) eps(j)) w_j <= (1/3) sum_(j=3..a) (g a e^eps(a))^j."""
    largest, most = sp.exp(j * top), sp.exp((j - 1) * rdp[j])
    steps = [
        (AtMost(sp.binomial(a, j), a**j / 6), "C(a, j) <= a^j/6"),
        (AtMost((j - 1) * rdp[j], j * top), "eps(.) increases"),
        (AtMost(most, largest), "so does exp"),
        (AtMost(sp.binomial(a, j) * weight[j], a**j / 3), "w_j <= 2"),
        (AtMost(most * sp.binomial(a, j) * weight[j], largest * a**j / 3), "the product"),
        (AtMost(tail, gamma**j * largest * a**j / 3), "times g^j"),
        (Equal(gamma**j * largest * a**j / 3, grown**j / 3), "one power"),
    ]
    for step, reason in steps:
        theorem = theorem.have(ForEvery(step, *later), reason)
    return theorem.sum(AtMost(tail, grown**j / 3), later, "added up")


@claim(
    PAPER,
    "lemma-b.8",
    at="Lemma B.8",
    kind="inequality",
    uses=["lemma-b.8-steps", "lemma-b.8-geometric", "lemma-b.8-exp", "lemma-b.8-log", "lemma-b.8-cube"],
)
def subsampled_renyi_divergence_is_quadratic_in_the_rate():
    """If eps(.) is increasing up to a >= 2, eps(a) <= min(1/3, log(1/(2 g a))) and g <= eps(2)/(c a), the
    right side of Lemma B.7 is at most (2/3)(4 + e/c) g^2 a^2 eps(2)/(a - 1), for every c > 0.

    Both sides are multiplied by a - 1 > 0, and eps(a) <= log(1/(2 g a)) is written 2 g a e^eps(a) <= 1
    (lemma-b.8-steps has the one from the other).
    """
    third = sp.Sum(tail, later)
    second = gamma**2 * a * (a - 1) / 2 * sp.Min(4 * (sp.exp(two) - 1), sp.exp(two) * least)
    stated = sp.Rational(2, 3) * (4 + sp.E / c) * gamma**2 * a**2 * two
    theorem = Theorem(
        given=[a >= 2, increasing, few, two <= top, *small],
        shows=AtMost(sp.log(1 + second + third), stated),
    )
    return (
        with_geometric_tail(
            theorem.use("lemma-b.8-cube", "eps(a) <= 1/3", x=top).use(
                "lemma-b.8-exp", "e^x - 1 <= x + x^2 at x <= 1/3", x=two
            )
        )
        .use("lemma-b.8-geometric", "a geometric sum", y=grown, alpha=a)
        .have(AtMost(third, sp.Rational(2, 3) * grown**3), "the later terms")
        .have(AtMost(second, sp.Rational(8, 3) * gamma**2 * a**2 * two), "the second term")
        .have(AtMost(third, sp.Rational(2, 3) * sp.E / c * gamma**2 * a**2 * two), "one factor traded")
        .have(AtMost(second + third, stated), "added")
        .have(AtMost(0, second + third), "of terms that are not negative")
        .use("lemma-b.8-log", "log(1 + x) <= x", x=second + third)
    )
