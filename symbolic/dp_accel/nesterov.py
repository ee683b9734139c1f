"""Section 4.1: Nesterov's method with noise, the Lyapunov function that contracts, and the best split of the budget.

    V_t = F(x_t) - F* + (mu/2) |v_t - x*|^2,   v_t = x_{t-1} + (x_t - x_{t-1})/s,   s = sqrt(mu alpha):   E V_{t+1} <= (1-s) E V_t + noise
    b_t = S1 sum_j a_j^(1/3) / (a_t^(1/3) n eps)                                                                    Eq (4.5)
"""

from __future__ import annotations

import sympy as sp

from dpverify.algorithms.dp_accel import nag_weights, optimal_epsilons, optimal_scales
from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal, Minimises
from dpverify.schedules import Schedule, step
from dpverify.symbolic.dp_accel import PAPER

t, j = step(), sp.Symbol("j", integer=True, positive=True)
n, m, T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T", "d"))
eps, S, alpha, mu, L = sp.symbols("epsilon S alpha mu L", positive=True)
s = sp.Symbol("s", positive=True)  # sqrt(mu alpha)
a = sp.IndexedBase("a", positive=True)
root = sp.Rational(1, 3)


@claim(PAPER, "prop-4.2", at="Proposition 4.2, Eq (4.5)", kind="optimality")
def cube_root_scales_are_the_only_minimiser():
    """For m = n, b_t = sum_j a_j^(1/3) S_1 / (a_t^(1/3) n eps) minimises sum_t a_t b_t^2 on sum_t S_1/(n b_t) = eps (and nothing else does)."""
    b = sp.Symbol("b", positive=True)
    stated = sp.Sum(a[j] ** root, (j, 1, T)) * S / (a[t] ** root * n * eps)
    value = (S / (n * eps)) ** 2 * sp.Sum(a[j] ** root, (j, 1, T)) ** 3
    run = optimal_scales(Schedule(a[t]), T, S, n, eps).formula
    return (
        Derivation()
        .step(
            Minimises(a[t] * b**2, over=b, spent=S / (n * b), total=eps, at=stated, index=t, length=T, unique=True, value=value),
            "arbitrary T and positive weights",
        )
        .step(Equal(run, stated), "the schedule that the algorithms run is (4.5)")
    )


@claim(PAPER, "eps-t", at="after Proposition 4.2", kind="identity", uses=["prop-4.2"])
def optimal_scales_spend_in_proportion_to_cube_roots():
    """The solution (4.5) spends eps_t = eps a_t^(1/3) / sum_j a_j^(1/3) at step t."""
    scales = sp.Sum(a[j] ** root, (j, 1, T)) * S / (a[t] ** root * n * eps)
    stated = a[t] ** root / sp.Sum(a[j] ** root, (j, 1, T)) * eps
    return (
        Derivation()
        .step(Equal(S / (n * scales), stated), "the loss S_1/(n b_t) of a step")
        .step(Equal(optimal_epsilons(Schedule(a[t]), T, eps).formula, stated), "the split that the algorithms run")
        .step(Equal(sp.Sum(a[t] ** root, (t, 1, T)) / sp.Sum(a[j] ** root, (j, 1, T)) * eps, eps), "it adds up to eps")
    )
