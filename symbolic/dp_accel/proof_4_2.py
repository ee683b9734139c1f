"""Appendix B.4: the printed proof of Proposition 4.2, line by line: the Lagrangian and the bordered Hessian.

sum_t a_t b_t^2 - lambda (sum_t S/(n b_t) - eps)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.proof_3_3 import S, T, eps, k, n, t
from dpverify.symbolic.dp_accel.proof_3_5 import R
from dpverify.theorems import AllOf
from dpverify.verdicts import REFUTED


@claim(PAPER, "eq-b.4-lagr", at="Appendix B.4, the Lagrangian", kind="identity")
def lagrange_equations_have_the_stated_solution():
    """2 a_t b_t = lambda S_1/(n b_t^2) and sum_t S_1/(n b_t) = eps have b_t = (lambda S_1/(2 n a_t))^(1/3),
    lambda = (S_1/n)^2 [sum (2 a_t)^(1/3)]^3/eps^3.
    """
    a = sp.IndexedBase("a", positive=True)
    weight, multiplier, b = sp.symbols("a_t lambda b", positive=True)
    third = R(1, 3)
    lagrangian = weight * b**2 + multiplier * (S / (n * b) - eps)
    slope = 2 * weight * b - multiplier * S / (n * b**2)
    lam = sp.Eq(multiplier, (S / n) ** 2 * sp.Sum((2 * a[t]) ** third, (t, 1, T)) ** 3 / eps**3)
    final = sp.Sum(a[t] ** third, (t, 1, T)) * S / (a[k] ** third * n * eps)
    return AllOf(
        Equal(sp.Derivative(lagrangian, b), slope),
        Equal(slope, 0, given=[sp.Eq(b, (multiplier * S / n / (2 * weight)) ** third)]),
        Equal((multiplier * S / n / (2 * a[k])) ** third, final, given=[lam]),  # lambda put in gives (4.5)
        Equal(sp.Sum(S / (n * final), (k, 1, T)), eps),
    )


@claim(
    PAPER,
    "prop-4.2-bordered",
    at="Appendix B.4, last sentence",
    kind="identity",
    expect=REFUTED,
    correction="prop-4.2-bordered-corrected",
    breaks="proof",
)
def bordered_hessian_is_diagonal_with_negative_entries():
    """The bordered Hessian at the solution is diagonal, with T negative values and a single 0 (T = 1: its
    second entry is negative).
    """
    b, a, multiplier = sp.symbols("b a lambda", positive=True)
    lagrangian = a * b**2 + multiplier * (S / (n * b) - eps)
    hessian = sp.hessian(lagrangian, [multiplier, b]).subs(multiplier, 2 * a * b**3 * n / S)
    return Instance(
        AtMost(sp.simplify(hessian[1, 1]), 0, strict=True),
        let={"T": "1"},
        because="it is 6 a_t > 0; and the border -S_1/(n b_t^2) is not 0",
    )


@claim(
    PAPER,
    "prop-4.2-bordered-corrected",
    at="Appendix B.4, last sentence",
    kind="identity",
    standing="ours",
)
def lagrangian_hessian_is_positive_and_its_border_is_not_zero():
    """At the solution the Hessian of the Lagrangian in b_t is 6 a_t > 0, bordered by -S_1/(n b_t^2), with 0
    in the corner; for T = 1 its determinant is negative, as a strict minimum on one constraint asks.
    """
    b, a, multiplier = sp.symbols("b a lambda", positive=True)
    lagrangian = a * b**2 + multiplier * (S / (n * b) - eps)
    bend, border = 2 * a + 2 * multiplier * S / (n * b**3), -S / (n * b**2)
    solution = sp.Eq(multiplier, 2 * a * b**3 * n / S)
    return AllOf(
        Equal(sp.Derivative(lagrangian, (b, 2)), bend),
        Equal(bend, 6 * a, given=[solution]),
        Equal(sp.Derivative(lagrangian, b, multiplier), border),
        Equal(sp.Derivative(lagrangian, (multiplier, 2)), 0),
        AtMost(sp.Matrix([[0, border], [border, bend]]).det(), 0, given=[solution], strict=True),
    )
