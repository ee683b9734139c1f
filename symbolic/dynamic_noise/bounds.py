"""The bounds that runs are set against: Theorems 4.1 and 4.4, corrected, for any noise of known second
moment.

e_t = E f(theta_t) - f*,   c_t = E|noise of step t|^2: D (G sigma_t/N)^2 for the whole data set, the variance
of the batch added to it for a batch of n (Theorems 4.7 and 4.8, without the paper's sigma_g).
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import ForEvery, Theorem

t = step()
T = sp.Symbol("T", integer=True, positive=True)
M, mu, eta_0 = sp.symbols("M mu eta_0", positive=True)
beta = sp.Symbol("beta", nonnegative=True)
e, g2, c = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "g2", "c"))
rest = sp.IndexedBase("rest", real=True)
u = sp.IndexedBase("u", nonnegative=True)


@claim(PAPER, "bound-gd", at="Theorem 4.1, any noise", kind="inequality", uses=["thm-4.1"], standing="ours")
def excess_of_noisy_gradient_descent():
    """With steps 1/M: e_{T+1} <= gamma^T e_1 + sum_t gamma^(T-t) c_t/(2M), gamma = 1 - mu/M, by descent and
    the PL condition.
    """
    gamma = 1 - mu / M
    noise = c[t] / (2 * M)
    descent = ForEvery(AtMost(e[t + 1], e[t] - g2[t] / (2 * M) + noise), t, 1, T)
    pl = ForEvery(AtMost(2 * mu * e[t], g2[t]), t, 1, T)
    bound = gamma**T * e[1] + sp.Sum(gamma ** (T - t) * noise, (t, 1, T))
    return Theorem(given=[mu <= M, descent, pl], shows=AtMost(e[T + 1], bound)).unroll(
        e[t], gamma, noise, (t, 1, T), "a step keeps at most gamma of the excess and adds the noise"
    )


@claim(
    PAPER,
    "bound-momentum",
    at="Theorem 4.4, with step eta_0/M, any noise",
    kind="inequality",
    uses=["thm-4.4-corrected"],
    standing="ours",
)
def excess_of_noisy_momentum():
    """With steps eta_0/M, gamma = 1 - eta_0 mu/M > beta and u_t = ((1-beta)/(1-beta^t))^2 sum_{i<=t}
    beta^(2(t-i)) c_i: e_{T+1} <= gamma^T e_1 + (eta_0/M) sum_t gamma^(T-t) u_t, the rest of each step adding
    up to at most 0.

    That it does if 1 - eta_0 - 4 c eta_0^2 >= 0 is Theorem 4.4, corrected.
    """
    gamma = 1 - eta_0 * mu / M
    noise = eta_0 / M * u[t]
    one = ForEvery(AtMost(e[t + 1], gamma * e[t] + noise + rest[t]), t, 1, T)
    added = sp.Sum(gamma ** (T - t) * noise, (t, 1, T))
    total = sp.Sum(gamma ** (T - t) * (noise + rest[t]), (t, 1, T))
    parts = added + sp.Sum(gamma ** (T - t) * rest[t], (t, 1, T))
    return (
        Theorem(
            given=[
                beta < gamma,
                mu <= M,
                4 * beta * gamma * eta_0**2 <= (1 - eta_0) * (gamma - beta) ** 2 * (1 - beta) ** 3,
                one,
                sp.Sum(gamma ** (T - t) * rest[t], (t, 1, T)) <= 0,
            ],
            shows=AtMost(e[T + 1], gamma**T * e[1] + added),
        )
        .unroll(e[t], gamma, noise + rest[t], (t, 1, T), "a step keeps at most gamma of the excess")
        .calc(
            e[T + 1], ("<=", gamma**T * e[1] + total, "unrolled"), ("=", gamma**T * e[1] + parts, "two sums")
        )
    )
