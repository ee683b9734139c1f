"""The bounds that runs are set against: Theorems 3.5 and 4.1, corrected, for any noise of known second
moment.

c_t = E|w_t|^2: 2 d b_t^2 of Laplace noise, and the variance of the batch; Theorem 4.3 is Theorem 4.1 stage
after stage, each beginning with the error at which the last one ends.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost
from dpverify.schedules import step
from dpverify.symbolic.dp_accel import PAPER, theorem_4_1
from dpverify.theorems import ForEvery, Theorem

t = step()
i = sp.Symbol("i", integer=True, positive=True)
T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("T", "d"))
alpha, mu, L = sp.symbols("alpha mu L", positive=True)
beta, kept, distance, variance, E_0, E_T = sp.symbols("beta P x2 sigma2 E_0 E_T", nonnegative=True)
s = sp.Symbol("s", positive=True)  # sqrt(mu alpha)

square = sp.Symbol("Y", nonnegative=True)  # E|x_T - x*|^2
c = sp.IndexedBase("c", nonnegative=True)
lam, room = (sp.IndexedBase(name, positive=True) for name in ("lambda", "room"))


@claim(
    PAPER,
    "bound-heavy-ball",
    at="Theorem 3.5, corrected, on a quadratic",
    kind="inequality",
    uses=["thm-3.5-corrected", "thm-3.5-m"],
    standing="ours",
)
def error_of_the_heavy_ball_on_a_quadratic():
    """If E|x_T - x*|^2 <= 2 |M^T|^2 |x_0 - x*|^2 + sum_i v_i, where v_i (1-beta) lambda_i (2 + 2 beta - alpha
    lambda_i) >= sigma^2 alpha (1+beta): E F(x_T) - F* <= (L/2)(2 |M^T|^2 |x_0 - x*|^2 + sum_i v_i).
    """
    v = sp.IndexedBase("v", nonnegative=True)
    level = (1 - beta) * lam[i] * (2 + 2 * beta - alpha * lam[i])
    enough = ForEvery(AtMost(variance * alpha * (1 + beta), v[i] * level), i, 1, d)
    stable = ForEvery(AtMost(alpha * lam[i], 2 + 2 * beta, strict=True), i, 1, d)
    m = sp.Sum(v[i], (i, 1, d))
    return Theorem(
        given=[beta < 1, stable, enough, E_T <= L / 2 * square, square <= 2 * kept * distance + m],
        shows=AtMost(E_T, L / 2 * (2 * kept * distance + m)),
    ).have(AtMost(L / 2 * square, L / 2 * (2 * kept * distance + m)), "L/2 times the squared distance")


@claim(PAPER, "bound-nag-start", at="Theorem 4.1, at the start", kind="inequality", standing="ours")
def lyapunov_function_at_the_start():
    """Where v = x: F(x) - F* + (mu/2)|v - x*|^2 <= 2 (F(x) - F*), for F that is mu-strongly convex."""
    F, x = Function("F", smooth=L, strongly_convex=mu), Vector("x")
    gap = F(x) - F.minimum
    return AtMost(gap + mu / 2 * norm2(x - F.minimiser), 2 * gap)


@claim(PAPER, "bound-nag-ends", at="Theorem 4.1, its two ends", kind="inequality", standing="ours")
def lyapunov_function_at_its_ends():
    """If V_T <= q^T V_0 + rest and V_0 <= 2 E_0, q >= 0: V_T <= 2 q^T E_0 + rest."""
    q, V_0, V_T, rest = (*sp.symbols("q V_0 V_T", nonnegative=True), sp.Symbol("rest", real=True))
    return Theorem(
        given=[V_T <= q**T * V_0 + rest, V_0 <= 2 * E_0], shows=AtMost(V_T, 2 * q**T * E_0 + rest)
    ).have(AtMost(q**T * V_0, 2 * q**T * E_0), "V_0 <= 2 E_0")


@claim(
    PAPER,
    "bound-nag",
    at="Theorem 4.1, corrected, any noise",
    kind="inequality",
    uses=["bound-nag-start", "bound-nag-ends"],
    standing="ours",
)
def error_of_noisy_nag():
    """For F that is mu-strongly convex and L-smooth, mu = s^2/alpha, alpha L <= 1, q = 1 - s >= 0, and the
    steps of DP-NAG with noise of mean 0 and second moment c_t given the past: E F(x_T) - F* <= 2 q^T (F(x_0)
    - F*) + sum_t q^(T-t) (alpha/2)(1 + alpha L) c_t.

    e[t] is E F(x) - F* before step t and V[t] that of F(x) - F* + (mu/2)|v - x*|^2, where v = x_0 at the
    start, so that V[1] <= 2 e[1] (bound-nag-start).
    """
    return theorem_4_1.error_of_noisy_nag(c[t], alpha / 2 * (1 + alpha * L) * c[t])
