"""Appendix C: Renyi divergences of Gaussians, Algorithm 5 and Theorem 10.

f_i = G_i(D, f_1, ..., f_(i-1)) + N(0, (Delta_i/rho)^2 I),  i = 1..K,  and V of the K queries ask for any
one record
(alpha, V alpha rho^2/2)-RDP,  alpha > 1 its order
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import RDP, ApproxDP
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

alpha, rho, sigma, delta, Delta = sp.symbols("alpha rho sigma delta Delta", positive=True)
K, V, i = (sp.Symbol(name, integer=True, positive=True) for name in ("K", "V", "i"))
ell = sp.log(1 / delta)
sizes = sp.IndexedBase("Delta", positive=True)


@claim(PAPER, "app-c-defs", at="Appendix C, definitions", kind="definition", standing="misprint")
def queries_and_the_records_they_ask_for():
    """Query i may depend on the earlier outputs, and on the records in S_i alone; IN(s) is the set of queries
    i with s in S_i.

    The text prints i in {1..N} for {1..K}, q for s, and the recursion with the outputs before their noise. A
    sanity example: a tree over 2^b steps has K = 2^(b+1) - 1 nodes, more than any N <= 2^b.
    """
    b, level = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("b", "k"))
    return Equal(sp.Sum(2**level, (level, 0, b)), 2 ** (b + 1) - 1)


@claim(PAPER, "gauss-1d", at="Appendix C.1, divergence of Gaussians", kind="identity")
def divergence_of_two_gaussians():
    """D_alpha(N(0, s^2)||N(mu, s^2)) = alpha mu^2/(2 s^2): the integrand P^alpha Q^(1-alpha) is
    exp((alpha-1) alpha mu^2/(2 s^2)) times the density of N((1-alpha) mu, s^2), at every x, and the logarithm
    of its integral over alpha - 1 is alpha mu^2/(2 s^2); this is the cost of one Gaussian release of
    sensitivity mu.
    """
    x, mu = sp.Symbol("x", real=True), sp.Symbol("mu", positive=True)

    def density(centre):
        return sp.exp(-((x - centre) ** 2) / (2 * sigma**2)) / (sigma * sp.sqrt(2 * sp.pi))

    completed = sp.exp((alpha - 1) * alpha * mu**2 / (2 * sigma**2)) * density((1 - alpha) * mu)
    value = alpha * mu**2 / (2 * sigma**2)
    return AllOf(
        Equal(density(0) ** alpha * density(mu) ** (1 - alpha), completed, given=[alpha > 1]),
        Equal(sp.log(sp.Integral(completed, (x, -sp.oo, sp.oo))) / (alpha - 1), value, given=[alpha > 1]),
        Private(Gaussian(sigma, {REPLACE: mu}), RDP(alpha, value), REPLACE, given=[alpha > 1]),
    )


@claim(PAPER, "gauss-md", at="Appendix C.1, multi-dimensional extension", kind="identity", uses=["gauss-1d"])
def divergence_of_two_gaussians_in_any_dimension():
    """In R^d: (1-alpha) |x - mu|^2 + alpha |x|^2 = |x - (1-alpha) mu|^2 - alpha (alpha-1) |mu|^2, so that the
    divergence is alpha |mu|^2/(2 s^2).
    """
    x, mu = vectors("x mu")
    return Equal(
        (1 - alpha) * norm2(x - mu) + alpha * norm2(x),
        norm2(x - (1 - alpha) * mu) - alpha * (alpha - 1) * norm2(mu),
    )


@claim(
    PAPER,
    "t10-exp",
    at="Theorem 10, proof: the density of the noise",
    kind="identity",
    standing="misprint",
    expect=REFUTED,
    breaks="misprint",
    correction="t10-exp-corrected",
)
def exponent_of_the_noise_as_printed():
    """The noise N(0, (Delta/rho)^2 I) has the exponent -|x|^2/(Delta^2/rho^2)."""
    (x,) = vectors("x")
    return Equal(-norm2(x) / (2 * (Delta / rho) ** 2), -norm2(x) / (Delta**2 / rho**2))


@claim(
    PAPER,
    "t10-exp-corrected",
    at="Theorem 10, proof: the density of the noise, corrected",
    kind="identity",
    standing="ours",
)
def exponent_of_the_noise():
    """With -|x|^2/(2 Delta^2/rho^2) the integral of one query is exp((alpha-1) alpha rho^2 |u|^2/(2
    Delta^2)), u the difference of the two answers, which is what the proof goes on with.
    """
    x, u = vectors("x u")
    scale = 2 * (Delta / rho) ** 2
    return Equal(
        -((1 - alpha) * norm2(x - u) + alpha * norm2(x)) / scale,
        (alpha - 1) * alpha * rho**2 * norm2(u) / (2 * Delta**2) - norm2(x - (1 - alpha) * u) / scale,
    )


@claim(
    PAPER,
    "t10-out",
    at="Theorem 10, proof: integrate over OUT first",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="t10-out-corrected",
)
def outputs_without_the_record_integrate_to_one():
    """The outputs that do not depend on the record integrate to 1, and leave the integrals of the others.

    The case: K = 2, f_1 = zeta_1 without the record, and f_2 asks for x if f_1 > 0 and for nothing otherwise.
    With c = (alpha-1) alpha rho^2/2 the integral is (1 + e^c)/2; what is left of it once f_1 is gone is e^c
    or 1, as f_1 > 0 or not: here alpha = 2, rho = 1, f_1 > 0.
    """
    c = sp.Integer(1)
    return Instance(
        Equal((1 + sp.exp(c)) / 2, sp.exp(c)),
        let={"K": "2", "G_1": "0", "G_2(D, r)": "Delta x if r > 0, else 0; x = 0 or 1", "alpha, rho": "2, 1"},
        because="the later queries depend on the outputs that were integrated away",
    )


@claim(
    PAPER,
    "t10-out-corrected",
    at="Theorem 10, proof: the last output first",
    kind="inequality",
    standing="ours",
)
def outputs_are_integrated_from_the_last():
    """Integrated from the last output to the first, a query with the record gives at most e^c whatever came
    before, and one without it 1: if what is left is u_i <= B whatever came before (chance p_i), its mean is
    at most B too.
    """
    p, u = sp.IndexedBase("p", nonnegative=True), sp.IndexedBase("u", nonnegative=True)
    most = sp.Symbol("B", positive=True)
    whole = sp.Sum(p[i], (i, 1, K))
    few = ForEvery(AtMost(u[i], most), i, 1, K)
    return (
        Theorem(given=[few, sp.Eq(whole, 1)], shows=AtMost(sp.Sum(p[i] * u[i], (i, 1, K)), most))
        .sum(AtMost(p[i] * u[i], p[i] * most), (i, 1, K), "u_i <= B")
        .have(Equal(sp.Sum(p[i] * most, (i, 1, K)), whole * most), "a constant factor")
    )


def _algorithm_5():
    """K adaptive Gaussian queries, of which any record has a part in V."""
    query = Gaussian(sizes[i] / rho, {REPLACE: sizes[i]})
    return Repeated(query, i, 1, K, participations=V)


@claim(PAPER, "thm-10", at="Theorem 10", kind="privacy guarantee", uses=["gauss-md"])
def aggregation_is_renyi_private():
    """Algorithm 5 is (alpha, V alpha rho^2/2)-RDP for every alpha > 1 (the divergence is not defined at
    1).
    """
    return Private(_algorithm_5(), RDP(alpha, V * alpha * rho**2 / 2), REPLACE, given=[alpha > 1, V <= K])


@claim(
    PAPER,
    "thm-10-conv-mid",
    at="After Theorem 10, the order alpha = 1 + sqrt(l)/(rho sqrt V)",
    kind="privacy guarantee",
    uses=["thm-10"],
    expect=REFUTED,
    breaks="proof",
    correction="thm-10-conv-mid-corrected",
)
def conversion_at_the_printed_order():
    """With rho <= sqrt(l/V), Algorithm 5 is (V rho^2 + rho sqrt(V l), delta)-DP."""
    spent = V * rho**2 + rho * sp.sqrt(V * ell)
    return Private(
        _algorithm_5(), ApproxDP(spent, delta), REPLACE, given=[delta < 1, V * rho**2 <= ell, V <= K]
    )


@claim(
    PAPER,
    "thm-10-conv-mid-corrected",
    at="After Theorem 10, the printed order, corrected",
    kind="privacy guarantee",
    uses=["thm-10"],
    standing="ours",
)
def conversion_at_the_printed_order_corrected():
    """At that order the conversion gives (V rho^2/2 + (3/2) rho sqrt(V l), delta)-DP."""
    spent = V * rho**2 / 2 + sp.Rational(3, 2) * rho * sp.sqrt(V * ell)
    order = 1 + sp.sqrt(ell) / (rho * sp.sqrt(V))
    given = [delta < 1, V <= K]
    return Private(_algorithm_5(), ApproxDP(spent, delta), REPLACE, given=given, order=order)


@claim(PAPER, "thm-10-conv", at="After Theorem 10", kind="privacy guarantee", uses=["thm-10"])
def aggregation_is_approximately_private():
    """With rho <= sqrt(l/V), Algorithm 5 is (2 rho sqrt(V l), delta)-DP."""
    spent = 2 * rho * sp.sqrt(V * ell)
    given = [delta < 1, V * rho**2 <= ell, V <= K]
    return Private(_algorithm_5(), ApproxDP(spent, delta), REPLACE, given=given)
