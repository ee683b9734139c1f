"""Section 3.1: the heavy ball as a linear system driven by its gradient and noise; Assumption 3.2.

xi_{t+1} = A xi_t + B (grad F(x_t) + w_t),  xi_t = [x_t; x_{t-1}],  A = [[1 + beta, -beta], [1, 0]]
Eqs (3.6) to (3.10)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import S, alpha, beta, d, t
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

x, y, g, w = sp.symbols(
    "x y g w", real=True
)  # x_t - x*, x_{t-1} - x*, grad F(x_t), noise; products stand for inner products
A = sp.Matrix([[1 + beta, -beta], [1, 0]])
moved = (1 + beta) * x - beta * y - alpha * (g + w)  # x_{t+1} - x*, Eq (B.5)


@claim(PAPER, "eq-3.6-3.7", at="Eqs (3.6) and (3.7)", kind="identity")
def heavy_ball_steps_along_the_smoothed_gradient():
    """(3.1) is x_{t+1} = x_t - (alpha/(1-beta)) u_t, u_t = beta u_{t-1} + (1-beta) g_t, u_0 = (1-beta) g_0,
    in every coordinate: at t = 0, where x_{-1} = x_0; and at t, if (3.6) at t - 1 says x_t = x_{t-1} -
    (alpha/(1-beta)) u_{t-1}.
    """
    now, before, gradient, smooth = sp.symbols("x_t x_before g u_before", real=True)
    heavy = now - alpha * gradient + beta * (now - before)
    along = now - alpha / (1 - beta) * (beta * smooth + (1 - beta) * gradient)
    return AllOf(
        Equal(
            heavy, now - alpha / (1 - beta) * ((1 - beta) * gradient), given=[beta < 1, sp.Eq(before, now)]
        ),
        Equal(heavy, along, given=[beta < 1, sp.Eq(now, before - alpha / (1 - beta) * smooth)]),
    )


@claim(
    PAPER,
    "eq-3.7-avg",
    at="Eq (3.7)",
    kind="identity",
    expect=REFUTED,
    correction="eq-3.7-avg-corrected",
    breaks="text",
)
def smoothed_gradient_is_an_average():
    """u_t is a geometrically weighted average of the gradients g_0..g_t: its weights add up to 1."""
    weight = (1 - beta) * sp.Integer(1)  # of g_0, by u_0 = (1-beta) g_0
    for _ in range(2):
        weight = beta * weight + (1 - beta)
    return Instance(Equal(weight, 1, given=[beta < 1]), let={"t": "2", "u_0": "(1-beta) g_0"})


@claim(
    PAPER,
    "eq-3.7-avg-corrected",
    at="Eq (3.7)",
    kind="identity",
    standing="ours",
)
def weights_of_the_smoothed_gradient_add_up_to_1_minus_beta_to_t_plus_1():
    """The weights of u_t add up to 1 - beta^(t+1); with u_0 = g_0 instead they would add up to 1."""
    k = sp.Symbol("k", integer=True, positive=True)
    printed = (1 - beta) * sp.Sum(beta ** (k - 1), (k, 1, t + 1))
    other = beta**t + (1 - beta) * sp.Sum(beta ** (k - 1), (k, 1, t))
    return AllOf(
        Equal(printed, 1 - beta ** (t + 1), given=[beta < 1]),
        Equal(other, 1, given=[beta < 1]),
    )


@claim(
    PAPER,
    "eq-3.8",
    at="Eq (3.8) and the line before",
    kind="identity",
    expect=REFUTED,
    correction="eq-3.8-corrected",
    breaks="misprint",
    standing="misprint",
)
def update_with_plus_v_is_the_minibatch_update():
    """With v_t = grad F(x_t) - grad F_B(x_t), (3.1) is x_t - alpha (grad F(x_t) + eta_t + v_t) + beta (x_t -
    x_{t-1}).
    """
    batch, noise, error = sp.symbols("g_B eta v", real=True)
    return Equal(
        x - alpha * (batch + noise) + beta * (x - y),
        x - alpha * (g + noise + error) + beta * (x - y),
        given=[beta < 1, sp.Eq(error, g - batch)],
    )


@claim(PAPER, "eq-3.8-corrected", at="Eq (3.8), v_t = grad F_B - grad F", kind="identity", standing="ours")
def update_with_plus_v_is_the_minibatch_update_for_the_other_sign_of_v():
    """With v_t = grad F_B(x_t) - grad F(x_t) the update is (3.8); means and covariances do not see the
    sign.
    """
    batch, noise, error = sp.symbols("g_B eta v", real=True)
    return Equal(
        x - alpha * (batch + noise) + beta * (x - y),
        x - alpha * (g + noise + error) + beta * (x - y),
        given=[sp.Eq(error, batch - g)],
    )


@claim(
    PAPER,
    "eq-3.10",
    at="Eqs (3.9) and (3.10)",
    kind="identity",
    expect=REFUTED,
    correction="eq-3.10-corrected",
    breaks="proof",
)
def state_space_with_plus_alpha_is_the_heavy_ball():
    """xi_{t+1} = A xi_t + B (grad F + w) with B = [alpha; 0] is (3.8)."""
    state = A * sp.Matrix([x, y]) + sp.Matrix([alpha, 0]) * (g + w)
    return Equal(moved, state[0], given=[beta < 1])


@claim(
    PAPER,
    "eq-3.10-corrected",
    at="Eqs (3.9) and (3.10), B = [-alpha; 0]",
    kind="identity",
    standing="ours",
)
def state_space_with_minus_alpha_is_the_heavy_ball():
    """If x_{t+1} is that of (3.8), then (x_{t+1}, x_t) = A xi_t + B (grad F + w) with B = [-alpha; 0], in
    every coordinate.
    """
    after = sp.Symbol("x_next", real=True)
    state = A * sp.Matrix([x, y]) + sp.Matrix([-alpha, 0]) * (g + w)
    step = sp.Eq(after, x - alpha * (g + w) + beta * (x - y))
    return Equal(sp.Matrix([after, x]), state, given=[step])


@claim(PAPER, "eq-cov-split", at="Section 3.1", kind="identity")
def covariances_of_independent_noises_add_up():
    """Cov(w_t | x_t) = Cov(eta_t | x_t) + Cov(v_t | x_t), eta_t and v_t being independent given x_t: at every
    entry (i, j) of the matrices, E eta_i v_j = E eta_i E v_j and E v_i eta_j = E v_i E eta_j.
    """
    eta_i, eta_j, v_i, v_j = sp.symbols("Eeta_i Eeta_j Ev_i Ev_j", real=True)  # means
    eta_2, v_2, mixed, mixed_too = sp.symbols("Eeta_ieta_j Ev_iv_j Eeta_iv_j Ev_ieta_j", real=True)
    independent = [sp.Eq(mixed, eta_i * v_j), sp.Eq(mixed_too, v_i * eta_j)]
    return Equal(
        eta_2 + mixed + mixed_too + v_2 - (eta_i + v_i) * (eta_j + v_j),
        (eta_2 - eta_i * eta_j) + (v_2 - v_i * v_j),
        given=independent,
    )


@claim(PAPER, "asm-3.2-logit", at="after Assumption 3.2", kind="inequality", uses=["eq-5.2-corrected"])
def logistic_loss_has_bounded_sensitivity():
    """The logistic loss admits S_1 <= 2 sup |u|_1 (for bounded covariates, as in Section 5): two gradients p
    z u and p' z' u' with 0 <= p, p' <= 1 are at L1 distance at most |u|_1 + |u'|_1 <= 2 sup |u|_1.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    one, other = (sp.IndexedBase(name, real=True) for name in ("u", "v"))  # z u and z' u'
    p, q = sp.symbols("p q", nonnegative=True)
    bound = sp.Symbol("U", positive=True)
    apart = sp.Sum(sp.Abs(p * one[k] - q * other[k]), (k, 1, d))
    sizes = [sp.Sum(sp.Abs(v[k]), (k, 1, d)) for v in (one, other)]
    within = [size <= bound for size in sizes]
    return Theorem(given=[p <= 1, q <= 1, *within], shows=AtMost(apart, 2 * bound)).calc(
        apart,
        ("<=", sp.Sum(sp.Abs(one[k]) + sp.Abs(other[k]), (k, 1, d)), "coordinate by coordinate"),
        ("=", sizes[0] + sizes[1], "a sum of two sums"),
        ("<=", 2 * bound, "both are at most the sup"),
    )


@claim(
    PAPER,
    "asm-3.2-quad",
    at="Section 3.2, second paragraph",
    kind="algorithm property",
    expect=REFUTED,
    correction="asm-3.2-quad-corrected",
    standing="ours",
)
def quadratic_losses_with_data_dependent_coefficients_have_bounded_sensitivity():
    """Every quadratic f(.; y_i), also one whose curvature depends on y_i, meets Assumption 3.2 (which the
    paper supposes, and does not say of all of them).
    """
    v = sp.Symbol("x", real=True)
    one, other = v**2 / 2, v**2
    sensitivity = sp.Abs(sp.diff(one, v) - sp.diff(other, v))
    return Instance(
        AtMost(sensitivity, S),
        let={"f(x; y)": "y x^2/2", "y, y'": "1, 2"},
        because="S_1(x) = |x|: whatever S_1, some x exceeds it",
    )


@claim(
    PAPER,
    "asm-3.2-quad-corrected",
    at="Section 3.2, second paragraph",
    kind="algorithm property",
    standing="ours",
)
def quadratic_losses_have_bounded_sensitivity_iff_the_data_enter_linearly():
    """On the line f(x; y) = q(y) x^2/2 + a(y) x has S_1(x) = |(q - q') x + a - a'|: constant in x if q = q',
    and else beyond every S, at x = (|a - a'| + S + 1)/(q - q').
    """
    v, q1, q2, a1, a2 = sp.symbols("x q_1 q_2 a_1 a_2", real=True)
    difference = sp.Derivative(q1 * v**2 / 2 + a1 * v, v) - sp.Derivative(q2 * v**2 / 2 + a2 * v, v)
    far = (sp.Abs(a1 - a2) + S + 1) / (q1 - q2)
    return AllOf(
        Equal(difference, (q1 - q2) * v + a1 - a2),
        Equal(difference, a1 - a2, given=[sp.Eq(q1, q2)]),
        AtMost(S, difference.subs(v, far), given=[q1 > q2], strict=True),
    )
