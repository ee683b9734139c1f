"""Appendix C.3: the printed proof of Theorem 4.7.

noise  (sigma_g xi + G sigma_t nu)/n,   E|xi|^2 <= D,   nu ~ N(0, I_D), independent given the past
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, Derivation, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

R, M, mu, G, D, gap, n, N, sigma_g, sigma = sp.symbols("R M mu G D gap n N sigma_g sigma", positive=True)


@claim(
    PAPER,
    "proof-4.7-second-moment",
    at="Proof of Theorem 4.7",
    kind="identity",
    expect=REFUTED,
    correction="proof-4.7-second-moment-corrected",
    breaks="proof",
)
def second_moment_as_printed():
    """E(sigma_g xi/n + G sigma_t nu/n)^2 = sigma_g^2 + (G sigma_t/n)^2 (D = 1, E xi^2 = 1, independent)."""
    a, b = sp.symbols("x y", real=True)
    square = sp.Poly(sp.expand((sigma_g * a / n + G * sigma * b / n) ** 2), a, b)
    moments = {(2, 0): 1, (0, 2): 1, (1, 1): 0}
    derived = sum(c * moments[k] for k, c in square.terms())
    return Instance(
        Equal(derived, sigma_g**2 + (G * sigma / n) ** 2),
        let={"D": "1", "xi, nu": "independent, mean 0, variance 1"},
    )


@claim(
    PAPER,
    "proof-4.7-second-moment-corrected",
    at="Proof of Theorem 4.7, corrected",
    kind="identity",
    expect=SUPPORTED,
)
def second_moment_of_the_noise():
    """E|sigma_g xi/n + G sigma_t nu/n|^2 <= D (sigma_g^2 + G^2 sigma_t^2)/n^2, with equality if E|xi|^2 =
    D.
    """
    x2, cross = sp.symbols("x2 cross", nonnegative=True)  # E|xi|^2, E xi.nu
    derived = (sigma_g**2 * x2 + 2 * sigma_g * G * sigma * cross + G**2 * sigma**2 * D) / n**2
    return (
        Derivation()
        .step(
            Equal(derived.subs({x2: D, cross: 0}), D * (sigma_g**2 + G**2 * sigma**2) / n**2),
            "independent, E|nu|^2 = D",
        )
        .step(
            AtMost(derived.subs(cross, 0), D * (sigma_g**2 + G**2 * sigma**2) / n**2, given=[x2 <= D]),
            "E|xi|^2 <= D",
        )
    )


@claim(
    PAPER,
    "proof-4.7-chain",
    at="Proof of Theorem 4.7, last line",
    kind="inequality",
    uses=["sec4.3-r-prime"],
    expect=SUPPORTED,
)
def batch_part_is_at_most_alpha_g():
    """R' kappa alpha/G^2 = D/(2 mu n^2 (f_1 - f*)) <= D/(2 mu N^2 R (f_1 - f*)), n = max(N sqrt R, 1)."""
    larger = R * N**2 / n**2
    derived = larger * (M / mu) * schedules.alpha_of(D, G, R, M, N, gap) / G**2
    return (
        Derivation()
        .step(Equal(derived, D / (2 * mu * n**2 * gap)), "alpha and R' of section 4.3")
        .step(
            AtMost(D / (2 * mu * n**2 * gap), D / (2 * mu * N**2 * R * gap), given=[n >= N * sp.sqrt(R)]),
            "n >= N sqrt R",
        )
    )
