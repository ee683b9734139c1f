"""Appendix B.2: the printed proof of Proposition 3.4, through Lemma B.1, line by line.

E V_{P,c}(xi_{t+1}) <= rho^2 E V_{P,c}(xi_t) + noise, from the matrix inequality (3.14)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, inner, norm2
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import L, alpha, beta, mu
from dpverify.symbolic.dp_accel.matrix_inequality import X1, X2, form, heavy_ball_step, quadratic_form
from dpverify.symbolic.dp_accel.state_space import g, moved, w, x, y
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


@claim(PAPER, "lem-b.1", at="Lemma B.1", kind="inequality")
def heavy_ball_dissipates():
    """E[xi' (X_1 + (1 - rho^2) X_2) xi] <= rho^2 E[F(x_t) - F*] - E[F(x_{t+1}) - F*] + (L alpha^2/2) E|w_t|^2
    (w_t of mean 0 given x_t, x_{t-1}): from any state, for F in S_{mu,L} and every dimension.
    """
    r, W = sp.symbols("r W", positive=True)  # rho^2, E|w_t|^2
    state, after, F, noise = heavy_ball_step(W)
    place = state[0] + F.minimiser
    fall = F.descent(place, after)
    return (
        Theorem(
            given=[r <= 1, mu < L],
            shows=AtMost(
                quadratic_form(X1 + (1 - r) * X2, state),
                r * (F(place) - F.minimum) - (E(F(after), noise) - F.minimum) + L * alpha**2 / 2 * W,
            ),
        )
        .expect(AtMost(fall.lhs, fall.rhs), [noise], "the descent lemma")
        .have(AtMost(quadratic_form(X2, state), F.minimum - F(place)), "strong convexity at x_t and x*")
    )


@claim(PAPER, "eq-b.5-7", at="Eqs (B.5)-(B.7)", kind="identity", uses=["def-a.1"])
def update_difference_and_descent_lemma():
    """If (B.5) x_{t+1} = (1 + beta) x_t - beta x_{t-1} - alpha (grad F + w), then (B.6) x_t - x_{t+1} = -beta
    (x_t - x_{t-1}) + alpha (grad F + w), in every coordinate; (B.7) F(x_t) - F(x_{t+1}) >= grad F'(x_t -
    x_{t+1}) - (L/2)|x_t - x_{t+1}|^2 for every x_{t+1}.
    """
    now, before, after, slope, noise = sp.symbols("x_t x_before x_next g w", real=True)
    update = sp.Eq(after, (1 + beta) * now - beta * before - alpha * (slope + noise))
    F = Function("F", smooth=L, strongly_convex=mu)
    at = Vector("x")
    other = Vector("y")
    lower = inner(F.gradient(at), at - other) - L / 2 * norm2(at - other)
    return AllOf(
        Equal(now - after, -beta * (now - before) + alpha * (slope + noise), given=[update]),
        AtMost(lower, F(at) - F(other), given=[mu < L]),
    )


@claim(PAPER, "eq-b-d", at="Appendix B.2, D and X_1", kind="identity")
def d_is_congruent_to_x1():
    """D = [[-L beta^2, L alpha beta - beta], [., 2 alpha - alpha^2 L]], and (1/2) E' D E = X_1 for E = [[1,
    -1, 0], [0, 0, 1]]; half the form of D in (x_t - x_{t-1}, grad F) is the right side of (B.7) without
    noise.
    """
    D = sp.Matrix(
        [[-L * beta**2, L * alpha * beta - beta], [L * alpha * beta - beta, -(alpha**2) * L + 2 * alpha]]
    )
    selects = sp.Matrix([[1, -1, 0], [0, 0, 1]])
    (now, before, gradient), *_ = heavy_ball_step(sp.Symbol("W", positive=True))
    back = alpha * gradient - beta * (now - before)  # x_t - x_{t+1} without noise
    still = inner(gradient, back) - L / 2 * norm2(back)
    return AllOf(
        Equal(still, quadratic_form(D, [now - before, gradient]) / 2), Equal(selects.T * D * selects / 2, X1)
    )


@claim(
    PAPER,
    "eq-b.8",
    at="Eq (B.8), cross terms",
    kind="identity",
    expect=REFUTED,
    correction="eq-b.8-corrected",
    breaks="misprint",
    standing="misprint",
)
def cross_terms_of_b_8_are_as_printed():
    """The cross terms in (B.8) are L alpha [beta (x_t - x_{t-1}) w - alpha grad F'w - alpha grad F'w]."""
    exact = g * (x - moved) - L / 2 * (x - moved) ** 2 - form(X1, [x, y, g]) + L * alpha**2 / 2 * w**2
    return Equal(exact, L * alpha * (beta * (x - y) * w - alpha * g * w - alpha * g * w), given=[beta < 1])


@claim(PAPER, "eq-b.8-corrected", at="Eq (B.8), cross terms", kind="identity", standing="ours")
def cross_terms_of_b_8():
    """The cross terms are L alpha [beta (x_t - x_{t-1}) - alpha grad F]'w + alpha grad F'w; they vanish in
    the mean either way.
    """
    exact = g * (x - moved) - L / 2 * (x - moved) ** 2 - form(X1, [x, y, g]) + L * alpha**2 / 2 * w**2
    return Equal(exact, L * alpha * (beta * (x - y) - alpha * g) * w + alpha * g * w)


@claim(
    PAPER,
    "eq-b.9",
    at="Eq (B.9)",
    kind="inequality",
    expect=REFUTED,
    correction="eq-b.9-corrected",
    breaks="proof",
)
def b_9_holds_with_the_factor_one_half():
    """F* - F(x_t) >= (1/2) (xi, grad F)' X_2 (xi, grad F), X_2 of Proposition 3.4 (which has its own factor
    1/2).
    """
    half_form = form(X2, [x, y, x]).subs(mu, 1) / 2
    return Instance(AtMost(half_form, -(x**2) / 2), let={"F": "x^2/2", "mu": "1"})


@claim(
    PAPER,
    "eq-b.9-corrected",
    at="Eq (B.9)",
    kind="inequality",
    uses=["def-a.1"],
    standing="ours",
)
def b_9_holds_without_the_factor():
    """F* - F(x_t) >= (xi, grad F)' X_2 (xi, grad F), which is what the next display uses: for F in S_{mu,L}
    and every dimension.
    """
    F = Function("F", smooth=L, strongly_convex=mu)
    place = Vector("x_t")
    before = Vector("x_before")
    form_of_x2 = quadratic_form(X2, [place - F.minimiser, before, F.gradient(place)])
    return AtMost(form_of_x2, F.minimum - F(place), given=[mu < L])
