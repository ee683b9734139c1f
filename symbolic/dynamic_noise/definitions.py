"""Section 3: the definitions, and the cost of a step.

D_a(P, Q) <= rho a for every a > 1  (rho-zCDP),   rho = 1/(2 sigma^2) for Gaussian noise of scale sigma
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import ZCDP
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import Vector, inner, norm, norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

t, i = step(), sp.Symbol("i", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
R, M, mu, alpha, kappa, gamma = sp.symbols("R M mu alpha kappa gamma", positive=True)
G = sp.Symbol("G", positive=True)
D = sp.Symbol("D", integer=True, positive=True)
N = sp.Symbol("N", integer=True, positive=True)
order, sigma, shift = sp.symbols(
    "a sigma delta", positive=True
)  # Renyi order, noise multiplier, what one record moves


@claim(
    PAPER,
    "def-3.1",
    at="Definition 3.1",
    kind="definition",
    expect=REFUTED,
    correction="def-3.1-corrected",
    breaks="misprint",
    standing="misprint",
)
def linear_loss_is_lipschitz():
    """G-Lipschitz continuity: |f(y) - f(x)| <= G |y - x|^2 (as printed); it should hold of f(x) = G x, which
    has slope G everywhere.

    As printed only constants qualify (def-3.1-vacuous); a misprint, of the paper or of the scan.
    """
    h = sp.Symbol("h", positive=True)  # |y - x|
    return Instance(AtMost(G * h, G * h**2), let={"f(x)": "G x", "y - x": "h"}, because="|f(y) - f(x)| = G h")


@claim(PAPER, "def-3.1-vacuous", at="Definition 3.1, as printed", kind="inequality", standing="ours")
def squared_condition_forces_constants():
    """If |f(y) - f(x)| <= G |y - x|^2 for all x and y, then f(y) - f(x) <= G h^2/n for every whole n, h = |y
    -
    x|, by n equal parts of the segment: f is constant.

    F_k is f at x + (k-1)(y - x)/n, k = 1..n+1.
    """
    h = sp.Symbol("h", positive=True)
    n, k = (sp.Symbol(name, integer=True, positive=True) for name in "nk")
    F = sp.IndexedBase("F", real=True)
    each = AtMost(F[k + 1] - F[k], G * (h / n) ** 2)
    return (
        Theorem(given=[ForEvery(each, k, 1, n)], shows=AtMost(F[n + 1] - F[1], G * h**2 / n))
        .sum(each, (k, 1, n), "the condition on each of n parts of the segment")
        .have(Equal(sp.Sum(F[k + 1] - F[k], (k, 1, n)), F[n + 1] - F[1]), "it telescopes")
    )


@claim(PAPER, "def-3.1-corrected", at="Definition 3.1, corrected", kind="definition", standing="ours")
def lipschitz_bounds_the_gradient():
    """|f(y) - f(x)| <= G |y - x|: along the gradient g of an M-smooth f, at y = x + s g for any s > 0, this
    gives |g|^2 (1 - M s/2) <= G |g|, and so |g| <= G as s tends to 0, which is what the sensitivity uses.
    """
    s = sp.Symbol("s", positive=True)
    f = Function("f", smooth=M)
    x = Vector("x")
    g = f.gradient(x)
    return AtMost(norm2(g) * (1 - M * s / 2), G * norm(g), given=[f(x + s * g) - f(x) <= G * s * norm(g)])


@claim(PAPER, "def-3.2", at="Definition 3.2", kind="definition")
def quadratics_are_strongly_convex():
    """m-strong convexity: f(y) >= f(x) + grad f(x)'(y - x) + (m/2)|y - x|^2; f(x) = lam |x|^2/2 on R^D with
    curvature lam >= m has it.
    """
    x, y = vectors("x y")
    lam, m = sp.symbols("lam m", positive=True)
    return AtMost(
        lam / 2 * norm2(x) + lam * inner(x, y - x) + m / 2 * norm2(y - x),
        lam / 2 * norm2(y),
        given=[lam >= m],
    )


@claim(PAPER, "def-3.3", at="Definition 3.3", kind="definition")
def smoothness_is_the_descent_lemma():
    """M-smoothness: f(y) <= f(x) + grad f(x)'(y - x) + (M/2)|y - x|^2; f(x) = lam |x|^2/2 on R^D has it for
    every lam <= M, negative ones too. Of any M-smooth f, f(x - grad f(x)/M) <= f(x) - |grad f(x)|^2/(2M).

    As printed it is one-sided and does not bound the change of the gradient; Lemma B.5 uses that bound "by
    smoothness", and an M-smooth f is here one with an M-Lipschitz gradient.
    """
    x, y = vectors("x y")
    lam, f = sp.Symbol("lam", real=True), Function("f", smooth=M)
    g = f.gradient(x)
    return AllOf(
        AtMost(
            lam / 2 * norm2(y), lam / 2 * norm2(x) + lam * inner(x, y - x) + M / 2 * norm2(y - x), [lam <= M]
        ),
        AtMost(f(x - g / M), f(x) - norm2(g) / (2 * M)),
    )


@claim(PAPER, "def-3.4", at="Definition 3.4", kind="definition")
def gaussian_noise_meets_the_definition():
    """rho-zCDP: D_a(M(d), M(d')) <= rho a for all a > 1; Gaussian noise of sigma times the sensitivity meets
    it with rho = 1/(2 sigma^2), and no smaller rho will do at any order: D_a = a delta^2/(2 (delta sigma)^2).
    """
    rho = sp.Symbol("rho", positive=True)
    value = order * shift**2 / (2 * (shift * sigma) ** 2)
    return AllOf(
        Private(Gaussian(shift * sigma, {REPLACE: shift}), ZCDP(1 / (2 * sigma**2)), REPLACE),
        AtMost(1 / (2 * sigma**2), rho, given=[value <= rho * order]),
    )


@claim(PAPER, "sec3-ma-less-tight", at="Section 3", kind="inequality")
def moments_accountant_is_never_tighter_than_zcdp():
    """The moments accountant ("less tight for a smaller privacy budget"), with log moments lam (lam + 1) rho
    at orders lam and so epsilon = (lam + 1) rho + L/lam, L = ln(1/delta), is never below rho + 2 sqrt(rho L),
    the zCDP conversion; with the orders capped at 32, as usual, it is at least L/128 above once rho <=
    L/4096.

    The comparison is for Gaussian steps on the full batch.
    """
    lam, rho, L = sp.symbols("lambda rho L", positive=True)
    counted, best = (lam * (lam + 1) * rho + L) / lam, rho + 2 * sp.sqrt(rho * L)
    return AllOf(AtMost(best, counted), AtMost(L / 128, counted - best, given=[4096 * rho <= L, lam <= 32]))


@claim(PAPER, "sec3-step-cost", at="Section 3", kind="privacy guarantee", uses=["lemma-b.1", "lemma-b.2"])
def step_cost_is_half_of_one_over_sigma_squared():
    """T releases of queries of sensitivity 1, each chosen after the earlier ones, with noise N(0, sigma_t^2
    I), are rho-zCDP with rho = (1/2) sum_t 1/sigma_t^2: proportional to sum_t rho_t, rho_t = 1/sigma_t^2.
    """
    noise = sp.IndexedBase("sigma", positive=True)
    spent = sp.Sum(1 / noise[t] ** 2, (t, 1, T)) / 2
    return Private(Repeated(Gaussian(noise[t], {REPLACE: 1}), t, 1, T), ZCDP(spent), REPLACE)
