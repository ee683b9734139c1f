"""Appendix F: Lemma F.1, what a local step of BVR-L-SGD does to the value.

x_k = x_{k-1} - eta v_k,   v_k = v_{k-1} + (mean over a batch of b of the differences of gradients) + xi_k
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, inner, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED

eta, L, zeta, C_1, C_2, C_3 = sp.symbols("eta L zeta C_1 C_2 C_3", positive=True)


@claim(PAPER, "lemma-f.1", at="Lemma F.1", kind="inequality")
def local_descent_with_the_error_of_the_estimate():
    """For an L-smooth f and eta <= 1/(2L), given the past: E f(x_k) <= f(x_{k-1}) - (eta/2)|grad
    f(x_{k-1})|^2 - E|x_k - x_{k-1}|^2/(4 eta) + eta E|v_k - grad f(x_{k-1})|^2, x_k = x_{k-1} - eta v_k,
    whatever the law of v_k = m + nu is (m its mean given the past).
    """
    f = Function("f", smooth=L)
    x = Vector("x")
    mean = Vector("m")
    noise = Noise("nu", variance=sp.Symbol("v", nonnegative=True))
    estimate = mean + noise
    after, slope = x - eta * estimate, f.gradient(x)
    kept = E(norm2(after - x), noise) / (4 * eta)
    bound = f(x) - eta / 2 * norm2(slope) - kept + eta * E(norm2(estimate - slope), noise)
    lemma = f.descent(x, after)
    return Theorem(given=[2 * eta * L <= 1], shows=AtMost(E(f(after), noise), bound)).expect(
        AtMost(lemma.lhs, lemma.rhs), [noise], "the descent lemma"
    )


def line_of_the_descent(error):
    """<grad, x_k - x> + (L/2)|x_k - x|^2 as the third line of the proof has it, with this error."""
    slope, estimate = vectors("g v")
    move = -eta * estimate
    left = inner(slope, move) + L / 2 * norm2(move)
    right = -eta / 2 * norm2(slope) - (1 / (2 * eta) - L / 2) * norm2(move)
    return Equal(left, right + eta / 2 * norm2(error(slope, estimate)))


@claim(
    PAPER,
    "lemma-f.1-line",
    at="Lemma F.1, third line of its proof",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    correction="lemma-f.1-line-corrected",
    standing="misprint",
)
def line_of_the_descent_as_printed():
    """<g, x_k - x> + (L/2)|x_k - x|^2 = -(eta/2)|g|^2 - (1/(2 eta) - L/2)|x_k - x|^2 + (eta/2)|v - eta g|^2,
    x_k = x - eta v. (The last display of the proof has |v - g|^2, which is right.)
    """
    return line_of_the_descent(lambda slope, estimate: estimate - eta * slope)


@claim(
    PAPER,
    "lemma-f.1-line-corrected",
    at="Lemma F.1, third line of its proof, corrected",
    kind="identity",
    standing="ours",
)
def line_of_the_descent_as_meant():
    """The same with (eta/2)|v - g|^2."""
    return line_of_the_descent(lambda slope, estimate: estimate - slope)
