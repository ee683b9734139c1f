"""The bound that runs are set against: Theorem 4.2 with eta L restored, for x_tau, P(tau = t) ~ 1/b_t.

e_t = E F(x_{t-1}) - F*,   g2_t = E|F'(x_{t-1})|^2,   E|noisy gradient of step t|^2 <= G^2 + d (alpha_t
sigma)^2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, Equal
from dpverify.schedules import step
from dpverify.symbolic.adp_erm import PAPER
from dpverify.theorems import Iterates, Theorem

t, T = step(), sp.Symbol("T", integer=True, positive=True)
eta, L, G, d = sp.symbols("eta L G d", positive=True)
sigma = sp.Symbol("sigma", nonnegative=True)
e, g2 = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "g2"))
b, alpha = (sp.IndexedBase(name, positive=True) for name in ("b", "alpha"))


@claim(
    PAPER, "bound-gradient", at="Theorem 4.2, with eta L in its last term", kind="inequality", standing="ours"
)
def gradient_at_a_random_iterate():
    """For an L-smooth F and steps x - (eta/b_t)(g_t + nu_t) with E g_t = F'(x) and E|g_t|^2 = G^2 given the
    past (a smaller one adds less), E nu_t = 0 and E|nu_t|^2 = d (alpha_t sigma)^2: sum_t E|F'(x_{t-1})|^2/b_t
    / sum_t 1/b_t <= [e_1/eta + (eta L/2) sum_t (G^2 + d (alpha_t sigma)^2)/b_t^2] / sum_t 1/b_t.
    """
    F, x = Function("F", smooth=L), Vector("x")
    slope = F.gradient(x)
    xi, nu = Noise("xi", variance=G**2 - norm2(slope)), Noise("nu", variance=d * alpha[t] ** 2 * sigma**2)
    after = x - eta / b[t] * (slope + xi + nu)
    run = Iterates(e, F(x) - F.minimum, [x], [after], [xi, nu], t, 1, T)
    slopes = Iterates(g2, norm2(slope), [x], [after], [xi, nu], t, 1, T)
    square = (G**2 + d * alpha[t] ** 2 * sigma**2) / b[t] ** 2
    added = L * eta**2 / 2 * square

    def total(term: sp.Expr) -> sp.Expr:
        return sp.Sum(term, (t, 1, T))

    whole = e[1] / eta + eta * L / 2 * total(square)
    one = (e[t] - e[t + 1]) / eta + eta * L / 2 * square
    return (
        Theorem(
            given=[run, slopes],
            shows=AtMost(total(g2[t] / b[t]) / total(1 / b[t]), whole / total(1 / b[t])),
        )
        .descend(run, 1, added, "descent", by=[F.descent(x, after)], beside=[(slopes, -eta / b[t])])
        .sum(AtMost(g2[t] / b[t], one), (t, 1, T), "each step")
        .have(
            Equal(total(one), (e[1] - e[T + 1]) / eta + eta * L / 2 * total(square)),
            "it telescopes",
        )
        .have(AtMost(total(g2[t] / b[t]), whole), "e is not negative")
        .have(AtMost(0, total(1 / b[t]), strict=True), "every 1/b_t is positive")
    )
