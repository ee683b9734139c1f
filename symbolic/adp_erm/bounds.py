"""The bound that runs are set against: Theorem 4.2 with eta L restored, for x_tau, P(tau = t) ~ 1/b_t.

e_t = E F(x_{t-1}) - F*,   g2_t = E|F'(x_{t-1})|^2,   E|noisy gradient of step t|^2 <= G^2 + d (alpha_t
sigma)^2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.schedules import step
from dpverify.symbolic.adp_erm import PAPER
from dpverify.theorems import ForEvery, Theorem

t, T = step(), sp.Symbol("T", integer=True, positive=True)
eta, L, G, d = sp.symbols("eta L G d", positive=True)
sigma = sp.Symbol("sigma", nonnegative=True)
e, g2 = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "g2"))
b, alpha = (sp.IndexedBase(name, positive=True) for name in ("b", "alpha"))


@claim(PAPER, "bound-gradient", at="Theorem 4.2, with eta L in its last term", kind="inequality")
def gradient_at_a_random_iterate():
    """sum_t g2_t/b_t / sum_t 1/b_t <= [e_1/eta + (eta L/2) sum_t (G^2 + d (alpha_t sigma)^2)/b_t^2] / sum_t
    1/b_t, from the descent of every step.
    """
    square = (G**2 + d * alpha[t] ** 2 * sigma**2) / b[t] ** 2
    descent = ForEvery(AtMost(e[t + 1], e[t] - eta * g2[t] / b[t] + L * eta**2 / 2 * square), t, 1, T)

    def total(term: sp.Expr) -> sp.Expr:
        return sp.Sum(term, (t, 1, T))

    whole = e[1] / eta + eta * L / 2 * total(square)
    return (
        Theorem(
            given=[descent],
            shows=AtMost(total(g2[t] / b[t]) / total(1 / b[t]), whole / total(1 / b[t])),
        )
        .sum(
            AtMost(g2[t] / b[t], (e[t] - e[t + 1]) / eta + eta * L / 2 * square),
            (t, 1, T),
            "each step",
        )
        .have(
            Equal(
                total((e[t] - e[t + 1]) / eta + eta * L / 2 * square),
                (e[1] - e[T + 1]) / eta + eta * L / 2 * total(square),
            ),
            "it telescopes",
        )
        .have(AtMost(total(g2[t] / b[t]), whole), "e is not negative")
        .have(AtMost(0, total(1 / b[t]), strict=True), "every 1/b_t is positive")
    )
