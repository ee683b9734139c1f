"""Section 4 and its appendices: noise levels, subsampling.

(2 a m1/(N^2 sigma1^2) + 2 a m2/(N^2 sigma2^2) + log(1/delta)/(a-1), delta)-DP,  m1 = ceil(R/T), m2 = R - m1,
N = n_min P
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal
from dpverify.symbolic.diff2 import PAPER
from dpverify.verdicts import SUPPORTED

N, n, eps, ell, u = sp.symbols("N n epsilon l u", positive=True)  # l = log(1/delta), n = n_p P >= N = n_min P


@claim(PAPER, "prop-4.1", at="Proposition 4.1, second sentence", kind="privacy guarantee", expect=SUPPORTED)
def stated_noise_levels_suffice():
    """With a = 1 + ceil(2 log(1/delta)/eps), sigma1^2 = 4u a m1/(N^2 eps), sigma2^2 = 4u/(u-1) a m2/(N^2
    eps), u > 1, DIFF2-GD is (eps, delta)-DP.
    """
    order, m1, m2, C, s2 = sp.symbols("a m1 m2 C s2", positive=True)
    k = sp.Symbol("k", integer=True, positive=True)  # ceil(2 l/eps)
    sensitivity = 2 * C / n  # replacing one record of a client with n_p records, mean over P clients
    sigma1, sigma2 = 4 * u * order * m1 / (N**2 * eps), 4 * u / (u - 1) * order * m2 / (N**2 * eps)
    return (
        Derivation()
        .step(
            Equal(order * sensitivity**2 / (2 * s2 * C**2), 2 * order / (n**2 * s2)),
            "one Gaussian release is (a, a Delta^2/(2 sigma^2 C^2))-RDP",
        )
        .step(
            AtMost(2 * order / (n**2 * s2), 2 * order / (N**2 * s2), given=[n >= N]),
            "the smallest client costs most",
        )
        .step(
            Equal(
                m1 * 2 * order / (N**2 * sigma1) + m2 * 2 * order / (N**2 * sigma2), eps / 2, given=[u > 1]
            ),
            "all releases cost eps/2",
        )
        .step(
            AtMost(m1 * 2 * order / (N**2 * sigma1), eps / 2, given=[u > 1]),
            "with T = 1 there is only the first kind",
        )
        .step(
            AtMost(ell / k, eps / 2, given=[k >= 2 * ell / eps]),
            "the conversion at a - 1 = ceil(2 l/eps) costs the other half",
        )
    )


@claim(PAPER, "lemma-b.8", at="Lemma B.8", kind="inequality", expect=SUPPORTED)
def subsampled_renyi_divergence_is_quadratic_in_the_rate():
    """Given Lemma B.7, eps(.) increasing, eps(a) <= min(1/3, log(1/(2 g a))), g <= eps(2)/(c a): eps'(a) <=
    (2/3)(4 + e/c) g^2 a^2 eps(2)/(a-1).
    """
    a, j = (sp.Symbol(name, integer=True, positive=True) for name in "aj")
    g, c, e2, ea, y, term = sp.symbols(
        "g c e_2 e_a y B", positive=True
    )  # rate, constant, eps(2), eps(a), g a exp(eps(a)), binomial(a, j)
    i = sp.Symbol("i", integer=True)
    tail = 2 * y**3 / 3
    inside = 4 * g**2 * a * (a - 1) / 2 * (sp.exp(e2) - 1) + 2 * g**2 * a**2 * sp.exp(3 * ea) * e2 / (3 * c)
    stated = sp.Rational(2, 3) * (4 + sp.E / c) * g**2 * a**2 * e2
    grown, x = sp.symbols("E_a x", positive=True)  # exp(3 eps(a))
    return (
        Derivation()
        .step(AtMost(a * (a - 1) * (a - 2) / 6, a**3 / 6, given=[a >= 3]), "binomial(a, j) <= a^j/6 at j = 3")
        .step(
            AtMost(term * (a - j) / (j + 1), a ** (j + 1) / 6, given=[term <= a**j / 6, a >= j]),
            "and from j to j + 1",
        )
        .step(
            AtMost((j - 1) * e2, j * ea, given=[e2 <= ea]),
            "exp((j-1) eps(j)) <= exp(eps(a))^j (here e_2 stands for eps(j) <= eps(a))",
        )
        .step(
            AtMost(g * a * grown, sp.Rational(1, 2), given=[grown <= 1 / (2 * g * a)]),
            "y = g a exp(eps(a)) <= 1/2, as eps(a) <= log(1/(2 g a))",
        )
        .step(
            Equal(sp.Sum(y**i, (i, 3, a)) * (1 - y), y**3 - y ** (a + 1), given=[a >= 3, y < 1]),
            "the geometric sum",
        )
        .step(
            AtMost((y**3 - x) / (3 * (1 - y)), tail, given=[y <= sp.Rational(1, 2)]),
            "so the third term is at most 2 y^3/3",
        )
        .step(
            AtMost(
                2 * (g * a) ** 3 * grown / 3,
                2 * g**2 * a**2 * grown * e2 / (3 * c),
                given=[g <= e2 / (c * a)],
            ),
            "one factor g a traded for eps(2)/c",
        )
        .step(AtMost(sp.log(1 + x), x), "log(1 + x) <= x")
        .step(
            AtMost(sp.exp(e2) - 1, e2 + e2**2, given=[e2 <= sp.Rational(1, 3)]),
            "exp(x) - 1 <= x + x^2, eps(2) <= eps(a) <= 1/3",
        )
        .step(AtMost(sp.exp(3 * ea), sp.E, given=[ea <= sp.Rational(1, 3)]), "exp(3 eps(a)) <= e")
        .step(
            AtMost(
                inside.subs(sp.exp(e2), 1 + x).subs(sp.exp(3 * ea), grown),
                stated,
                given=[x <= e2 + e2**2, e2 <= sp.Rational(1, 3), grown <= sp.E, a >= 2],
            ),
            "put together; both sides are divided by a - 1 > 0",
        )
    )
