"""Section 3: Lemma 5, normalised steps with a momentum; random reshuffling.

w_{t+1} = w_t - eta m^_t/|m^_t|,  m^_t = m_t + NOISE_t,  m_t = (1-alpha) m_{t-1} + alpha grad f(w_t, x_t), m_0
= 0

In theorems about a whole run the sequences are expectations: h_t = E F(w_t), g_t = E|grad F(w_t)|, e_t =
E|m^_t - grad F(w_t)|; what one step does to them holds for every outcome (lemma-5-step), so it holds in
expectation.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, inner, norm, total, vectors
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import Iterates, Theorem
from dpverify.verdicts import REFUTED

alpha, eta, L, G, R, ell, eps = sp.symbols("alpha eta L G R l epsilon", positive=True)  # l = log(1/delta)
N, T, d, t, i = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "T", "d", "t", "i"))
THIRD = sp.Rational(1, 3)
value, slope, error = (sp.IndexedBase(name, real=True) for name in ("h", "g", "e"))


@claim(
    PAPER,
    "lemma-5-sign",
    at="Lemma 5, proof, first display",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="lemma-5-sign-corrected",
)
def normalised_step_ascends():
    """F(w_{t+1}) <= F(w_t) + eta <grad F(w_t), m^_t/|m^_t|> + L eta^2/2 (the rest of the proof has -eta)."""
    F, (w, m) = Function("F", smooth=L), vectors("w m")
    bound = F(w) + eta * inner(F.gradient(w), m) / norm(m) + L * eta**2 / 2
    return AtMost(F(w - eta / norm(m) * m), bound, given=[norm(m) > 0])


@claim(
    PAPER,
    "lemma-5-sign-corrected",
    at="Lemma 5, proof, first display, with -eta",
    kind="inequality",
    standing="ours",
)
def normalised_step_descends_along_the_momentum():
    """F(w_{t+1}) <= F(w_t) - eta <grad F(w_t), m^_t/|m^_t|> + L eta^2/2 for every L-smooth F."""
    F, (w, m) = Function("F", smooth=L), vectors("w m")
    bound = F(w) - eta * inner(F.gradient(w), m) / norm(m) + L * eta**2 / 2
    return AtMost(F(w - eta / norm(m) * m), bound, given=[norm(m) > 0])


def _against_gradient(bound, given):
    """-<g, m/|m|> <= bound for any two vectors g = grad F(w_t) and m = m^_t."""
    g, m = vectors("g m")
    away = norm(m - g)
    return AtMost(-inner(g, m) / norm(m), bound(norm(g), away), given=[norm(m) > 0, *given(norm(g), away)])


@claim(PAPER, "lemma-5-case1", at="Lemma 5, proof, first case", kind="inequality")
def small_error_leaves_the_direction():
    """If |e| <= |g|/2: -<g, m/|m|> <= -(2/3)|g| + 2|e|, e = m - g."""
    return _against_gradient(lambda g, e: -2 * THIRD * g + 2 * e, lambda g, e: [e <= g / 2])


@claim(
    PAPER,
    "lemma-5-case2",
    at="Lemma 5, proof, second case",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="lemma-5-comb",
)
def large_error_leaves_an_acute_angle():
    """If |e| > |g|/2: -<g, m/|m|> <= 0. (It is |g| if m points against g; the next lines, -(2/3)|g| +
    (4/3)|e|, fail too: g = 5, m = -1.)
    """
    return _against_gradient(lambda g, e: 0, lambda g, e: [e > g / 2])


@claim(PAPER, "lemma-5-comb", at="Lemma 5, proof, either way", kind="inequality")
def either_way_the_step_goes_down():
    """-<g, m/|m|> <= -(2/3)|g| + 2|e|, e = m - g, for all g and m != 0, in both cases."""
    return _against_gradient(lambda g, e: -2 * THIRD * g + 2 * e, lambda g, e: [])


@claim(
    PAPER,
    "lemma-5-step",
    at="Lemma 5, one step",
    kind="inequality",
    uses=["lemma-5-sign-corrected", "lemma-5-comb"],
    standing="ours",
)
def gradient_is_paid_for_by_one_step():
    """For L-smooth F, any w and any m^ != 0: |grad F(w)| <= 3 (F(w) - F(w - eta m^/|m^|))/(2 eta) + 3 L eta/4
    + 3 |m^ - grad F(w)|.
    """
    F, (w, m) = Function("F", smooth=L), vectors("w m")
    after, g = F(w - eta / norm(m) * m), F.gradient(w)
    bound = 3 * (F(w) - after) / (2 * eta) + 3 * L * eta / 4 + 3 * norm(m - g)
    return AtMost(norm(g), bound, given=[norm(m) > 0])


def normalised_steps(length=eta):
    """w_{t+1} = w_t - length m^_t/|m^_t| on an L-smooth F, for any m^_1, ..., m^_T that are not 0, random and
    dependent on the past: h_t = E F(w_t), g_t = E|grad F(w_t)| and e_t = E|m^_t - grad F(w_t)|. Before step t
    w is w_t and u is m^_t; after it u is m[t + 1] = m^_{t+1}.
    """
    F = Function("F", smooth=L)
    (w, u) = vectors("w u")
    later = VectorSequence("m")
    step = [w - length / norm(u) * u, later[t + 1]]
    slopes, errors = norm(F.gradient(w)), norm(u - F.gradient(w))
    return [
        Iterates(name, number, [w, u], step, [], t, 1, T, where=[norm(u) > 0])
        for name, number in ((value, F(w)), (slope, slopes), (error, errors))
    ]


@claim(PAPER, "lemma-5", at="Lemma 5", kind="inequality", uses=["lemma-5-step"])
def mean_gradient_of_normalised_steps():
    """For an L-smooth F, any m^_1, ..., m^_T other than 0, random or not, w_{t+1} = w_t - eta m^_t/|m^_t| and
    w^ uniform on w_1..w_T: E|grad F(w^)| <= 3 E[F(w_1) - F(w_{T+1})]/(2 eta T) + 3 L eta/4 + (3/T) sum_t
    E|e^_t|, e^_t = m^_t - grad F(w_t).

    One step, from any w_t and m^_t, is lemma-5-step; then expectations, and the sum over t.
    """
    slopes, errors = (sp.Sum(entry[t], (t, 1, T)) for entry in (slope, error))
    stated = 3 * (value[1] - value[T + 1]) / (2 * eta * T) + 3 * L * eta / 4 + 3 * errors / T
    growth = 3 * (value[t] - value[t + 1]) / (2 * eta) + 3 * L * eta / 4 + 3 * error[t]
    whole = 3 * (value[1] - value[T + 1]) / (2 * eta) + 3 * L * eta * T / 4 + 3 * errors
    values, gradients, apart = run = normalised_steps()
    return (
        Theorem(given=run, shows=AtMost(slopes / T, stated))
        .descend(
            values,
            1,
            L * eta**2 / 2,
            "one step",
            beside=[(gradients, -2 * eta / 3), (apart, 2 * eta)],
        )
        .sum(AtMost(slope[t], growth), (t, 1, T), "every step")
        .have(Equal(sp.Sum(growth, (t, 1, T)), whole), "it telescopes")
        .have(AtMost(slopes, whole), "added up")
    )


@claim(PAPER, "rr-bias", at="Section 3, on random reshuffling, one case", kind="inequality")
def reshuffled_gradient_is_biased():
    """E grad f(w_i, x_i) given w_i is not grad F(w_i): with f(w, x) = (w - x)^2/2, two records x_1 and x_2
    that differ, no noise, and x_1 drawn first, as w_2 shows, the second step takes g = w_2 - x_2, and F has m
    = w_2 - (x_1 + x_2)/2 there.
    """
    w, first, second, g, m = sp.symbols("w_2 x_1 x_2 g m", real=True)
    gradients = [sp.Eq(g, w - second), sp.Eq(m, w - (first + second) / 2)]
    return Theorem(given=[*gradients, sp.Ne(first, second)], shows=AtMost(0, (g - m) ** 2, strict=True))


@claim(PAPER, "rr-anchor", at="Section 3, on random reshuffling", kind="identity")
def gradient_at_the_anchor_is_unbiased():
    """E grad f(w, x_{pi_r}) = grad F(w) for the anchor w of the epoch, which is fixed before pi is drawn:
    pi_r
    is uniform on the records, so against every vector v the mean of <v, grad f(w, x_k) - grad F(w)> over k is
    0.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    v = Vector("v")
    A = VectorSequence("A")
    centre = total(A[k], (k, 1, N)) / N
    return Equal(sp.Sum(inner(v, A[k]), (k, 1, N)) / N, inner(v, centre))
