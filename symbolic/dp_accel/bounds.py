"""The bounds that runs are set against: Theorems 3.5 and 4.1, corrected, for any noise of known second
moment.

c_t = E|w_t|^2: 2 d b_t^2 of Laplace noise, and the variance of the batch; Theorem 4.3 is Theorem 4.1 stage
after stage, each beginning with the error at which the last one ends.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost
from dpverify.schedules import step
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import ForEvery, Theorem

t = step()
i = sp.Symbol("i", integer=True, positive=True)
T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("T", "d"))
alpha, mu, L = sp.symbols("alpha mu L", positive=True)
beta, kept, distance, variance, E_0, E_T = sp.symbols("beta P x2 sigma2 E_0 E_T", nonnegative=True)
keeps = sp.Symbol("q", nonnegative=True)  # 1 - s, what a step keeps of the Lyapunov function
square = sp.Symbol("Y", nonnegative=True)  # E|x_T - x*|^2
V, c = (sp.IndexedBase(name, nonnegative=True) for name in ("V", "c"))
lam, room = (sp.IndexedBase(name, positive=True) for name in ("lambda", "room"))


@claim(
    PAPER,
    "bound-heavy-ball",
    at="Theorem 3.5, corrected, on a quadratic",
    kind="inequality",
    uses=["thm-3.5-corrected", "thm-3.5-m"],
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


@claim(
    PAPER,
    "bound-nag",
    at="Theorem 4.1, corrected, any noise",
    kind="inequality",
    uses=["eq-4.2-corrected"],
)
def error_of_noisy_nag():
    """With q = 1 - sqrt(mu alpha), V_1 <= 2 E_0, E_T <= V_{T+1} and V_{t+1} <= q V_t + (alpha/2)(1 + alpha
    L) c_t: E_T <= 2 q^T E_0 + sum_t q^(T-t) (alpha/2)(1 + alpha L) c_t.
    """
    noise = alpha / 2 * (1 + alpha * L) * c[t]
    recursion = ForEvery(AtMost(V[t + 1], keeps * V[t] + noise), t, 1, T)
    added = sp.Sum(keeps ** (T - t) * noise, (t, 1, T))
    return (
        Theorem(
            given=[
                alpha * L <= 1,
                mu <= L,
                keeps <= 1 - sp.sqrt(mu * alpha),
                V[1] <= 2 * E_0,
                E_T <= V[T + 1],
                recursion,
            ],
            shows=AtMost(E_T, 2 * keeps**T * E_0 + added),
        )
        .unroll(V[t], keeps, noise, (t, 1, T), "the Lyapunov function contracts")
        .have(AtMost(keeps**T * V[1], 2 * keeps**T * E_0), "it starts at most at twice the error")
    )
