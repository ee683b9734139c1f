"""The bounds that runs are set against: Proposition D.2 with its constants, from the rounds themselves, and
the like of it for local steps.

x_r = x_{r-1} - eta v_r,  v_r = F'(x_{r-1}) + u_r,  u_r = k_r u_{r-1} + xi_r,  k_r = 0 in a restart round and
1 in
the others; E|xi_r|^2 = a in a restart round, c |x_{r-1} - x_{r-2}|^2 in the others
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import ForEvery, Iterates, Theorem

r, R, T = (sp.Symbol(name, integer=True, positive=True) for name in ("r", "R", "T"))
eta, L = sp.symbols("eta L", positive=True)
a, c = sp.symbols("a c", nonnegative=True)
e, g2, s2, w2, left = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "g2", "s2", "w2", "n"))


f, (x, y, u) = Function("F", smooth=L), vectors("x y u")
kept = left[r] / (1 + left[r + 1])


def every(smaller: Any, larger: Any) -> ForEvery:
    return ForEvery(AtMost(smaller, larger), r, 1, R)


def rounds_of_diff2(a: Any, c: Any) -> list[Any]:
    """The hypotheses on R rounds: e, g2, s2 and w2 along them, two conditions on the step size, and intervals
    of at most T rounds.
    """
    xi = Noise("xi", variance=(1 - kept) * a + kept * c * norm2(x - y))
    error = kept * u + xi
    after = x - eta * (f.gradient(x) + error)
    values = {e: f(x) - f.minimum, g2: norm2(f.gradient(x)), s2: norm2(x - y), w2: norm2(u)}
    return [
        *[Iterates(k, v, [x, y, u], [after, x, error], [xi], r, 1, R) for k, v in values.items()],
        2 * eta * L <= 1,
        4 * eta**2 * T * c <= 1,
        every(left[r], 1 + left[r + 1]),
        every(1 + left[r + 1], T),
    ]


@claim(
    PAPER,
    "bound-gradient",
    at="Proposition D.2 with the constants of its proof",
    kind="inequality",
    uses=["prop-d.2-unclipped"],
    standing="ours",
)
def gradient_at_a_random_round():
    """For an L-smooth F, 2 eta L <= 1 and 4 eta^2 T c <= 1: the mean over the R rounds of E|F'(x_{r-1})|^2 is
    at most 2 (F(x_0) - F*)/(eta R) + a; the other terms of the bound are 0, since the first round is a
    restart (n_1 = 0), nothing was travelled before it (s2_1 = 0) and nothing is left after the last (n_{R+1}
    = 0).

    n_r is 0 in a restart round, and the number of rounds from r to the end of its interval (or of the run) in
    the others, so that k_r = n_r/(1 + n_{r+1}); 1 + n_{r+1} <= T. Before round r: e[r] is E F(x_{r-1}) - F*,
    g2[r] is E|F'(x_{r-1})|^2, s2[r] is E|x_{r-1} - x_{r-2}|^2, w2[r] is E|u_{r-1}|^2.
    """
    given = rounds_of_diff2(a, c)
    gap, slopes, moves, errors, *_ = given
    after, _, error = gap.step
    fall = f(x) - eta / 2 * norm2(f.gradient(x)) - norm2(after - x) / (4 * eta) + eta / 2 * norm2(error)
    owed = e[r] + eta / 2 * left[r] * w2[r] + s2[r] / (4 * eta)
    paid = owed - owed.xreplace({r: r + 1}) + eta / 2 * (1 + left[r + 1] - left[r]) * a
    ends = e[1] - e[R + 1] + eta / 2 * (left[1] * w2[1] - left[R + 1] * w2[R + 1])
    ends += (s2[1] - s2[R + 1]) / (4 * eta) + eta / 2 * a * (R + left[R + 1] - left[1])
    slope = sp.Sum(g2[r], (r, 1, R))
    rest = (left[1] * w2[1] + s2[1] / (2 * eta**2) + a * left[R + 1]) / R
    noisy = left[r] ** 2 / (1 + left[r + 1]) * w2[r]  # (1 + n_{r+1}) k_r^2 w2_r
    return (
        Theorem(given=given, shows=AtMost(slope / R, 2 * e[1] / (eta * R) + a + rest))
        .descend(
            gap,
            1,
            0,
            "Lemma D.1, with half the error",
            by=[sp.Le(f(after), fall, evaluate=False)],
            beside=[(slopes, -eta / 2)],
            later=[(moves, -1 / (4 * eta)), (errors, eta / 2)],
        )
        .descend(errors, kept**2, (1 - kept) * a, "fresh noise", beside=[(moves, kept * c)])
        .have(every(noisy, left[r] * w2[r]), "k_r <= 1")
        .have(
            every(
                (1 + left[r + 1]) * w2[r + 1], noisy + (1 + left[r + 1] - left[r]) * a + left[r] * c * s2[r]
            ),
            "the error of a round, times the rounds that keep it",
        )
        .have(every(left[r] * c * s2[r], T * c * s2[r]), "at most T rounds do")
        .have(every(4 * eta**2 * T * c * s2[r], s2[r]), "the step is short")
        .have(every(eta / 2 * left[r] * c * s2[r], s2[r] / (8 * eta)), "paid for by the way travelled")
        .sum(AtMost(eta / 2 * g2[r], paid), (r, 1, R), "every round")
        .have(Equal(sp.Sum(paid, (r, 1, R)), ends), "it telescopes")
        .have(AtMost(0, eta / 2 * left[R + 1] * w2[R + 1] + eta / 2 * a * left[1]), "not negative")
        .have(AtMost(eta / 2 * slope, e[1] + eta / 2 * R * (a + rest)), "from end to end")
        .calc(
            slope / R,
            ("<=", 2 / (eta * R) * (e[1] + eta / 2 * R * (a + rest)), "times 2/(eta R)"),
            ("=", 2 * e[1] / (eta * R) + a + rest, "multiplied out"),
        )
    )


@claim(PAPER, "bound-local-step", at="Lemma D.1, with half the error", kind="inequality", standing="ours")
def step_along_a_gradient_with_an_error():
    """For an L-smooth F, 2 eta L <= 1, and the step y = x - eta (F'(x) + u) with any error u: F(y) <= F(x) -
    (eta/2) |F'(x)|^2 - |y - x|^2/(4 eta) + (eta/2) |u|^2.
    """
    f = Function("F", smooth=L)
    x = Vector("x")
    u = Vector("u")
    slope = f.gradient(x)
    after = x - eta * (slope + u)
    fall = f(x) - eta / 2 * norm2(slope) - norm2(after - x) / (4 * eta) + eta / 2 * norm2(u)
    return AtMost(f(after), fall, given=[2 * eta * L <= 1])


@claim(
    PAPER,
    "bound-local",
    at="Theorem 5.3, with constants",
    kind="inequality",
    uses=["bound-local-step"],
    standing="ours",
)
def gradient_at_a_random_local_step():
    """For R rounds of K local steps, S = R K in all, a restart every T rounds: if every step descends in the
    mean as bound-local-step says and E|u_s|^2 <= a + p P_s + q Q_s, where P_s is the sum of E|y - x|^2 over
    the steps of the same round before step s and Q_s that over the rounds before it since the last restart,
    and 2 eta^2 (p (K-1) + q (T-1) K) <= 1, then the mean of E|F'|^2 over the S points where a step begins is
    at most 2 (F(x_0) - F*)/(eta S) + a.

    A step is among the steps before at most K - 1 others of its round, and of (T-1) K of later rounds. With
    one client u_s is the error of the server's gradient and the noise of the differences since, all of mean 0
    given the past: a = d (sigma_1 C_1)^2, q = K d (sigma_2 C_2)^2 (the way of a round is the sum of K), p =
    L^2 (n-b)/(b (n-1)) + d (sigma_3 C_3)^2. With several the differences of the client whose turn it is are
    not those of F: |u + v|^2 <= 2 |u|^2 + 2 |v|^2 doubles the three and adds 2 (K-1) zeta^2 to p, where zeta
    <= 2 L (1 - 1/P) bounds how far its gradient differences are from those of F.
    """
    s, S, K = (sp.Symbol(name, integer=True, positive=True) for name in ("s", "S", "K"))
    near, far = (sp.IndexedBase(name, nonnegative=True) for name in ("P", "Q"))
    p, q = sp.symbols("p q", nonnegative=True)

    def every(smaller: sp.Expr, larger: sp.Expr) -> ForEvery:
        return ForEvery(AtMost(smaller, larger), s, 1, S)

    def total(term: sp.Expr) -> sp.Expr:
        return sp.Sum(term, (s, 1, S))

    way, slope = total(s2[s + 1]), total(g2[s])
    price = p * (K - 1) + q * (T - 1) * K
    error = a + p * near[s] + q * far[s]
    paid = e[s] - e[s + 1] - s2[s + 1] / (4 * eta) + eta / 2 * error
    ends = e[1] - e[S + 1] - way / (4 * eta) + eta / 2 * (S * a + p * total(near[s]) + q * total(far[s]))
    return (
        Theorem(
            given=[
                every(e[s + 1], e[s] - eta / 2 * g2[s] - s2[s + 1] / (4 * eta) + eta / 2 * w2[s + 1]),
                every(w2[s + 1], error),
                total(near[s]) <= (K - 1) * way,
                total(far[s]) <= (T - 1) * K * way,
                2 * eta * L <= 1,
                2 * eta**2 * price <= 1,
            ],
            shows=AtMost(slope / S, 2 * e[1] / (eta * S) + a),
        )
        .sum(AtMost(eta / 2 * g2[s], paid), (s, 1, S), "every step")
        .have(Equal(total(paid), ends), "it telescopes")
        .have(AtMost(0, way), "not negative")
        .have(AtMost(p * total(near[s]), p * (K - 1) * way), "at most K - 1 steps of the round")
        .have(AtMost(q * total(far[s]), q * (T - 1) * K * way), "at most (T-1) K later steps")
        .have(AtMost(2 * eta**2 * price * way, way), "the step is short")
        .have(AtMost(eta / 2 * price * way, way / (4 * eta)), "paid for by the way travelled")
        .have(AtMost(eta / 2 * slope, e[1] + eta / 2 * S * a), "from end to end")
        .calc(
            slope / S,
            ("<=", 2 / (eta * S) * (e[1] + eta / 2 * S * a), "times 2/(eta S)"),
            ("=", 2 * e[1] / (eta * S) + a, "multiplied out"),
        )
    )
