"""Proposition 5.2: the bounds of AdaGrad-norm steps with adaptive and with constant alpha.

alpha_t = (b_0^2 + t C)^(1/4) in Eq (11), ADP-SGD;   alpha_t = 1 in Eq (12), DP-SGD
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance, Quoted
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.adaptive import (
    DESCENT,
    LOWER,
    PRICES,
    SPREAD,
    SQUARES,
    STEPS,
    first,
    nu,
    start,
)
from dpverify.symbolic.adp_erm.polynomial import HUBER, RATE, STATIONARY, stationary
from dpverify.symbolic.adp_erm.theorem_4_1 import total
from dpverify.symbolic.adp_erm.utility import SCALE, G, L, T, alpha, d, eta, m, t, variance
from dpverify.theorems import ForEvery, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

LOG = sp.log(1 + T * nu / start)


@claim(PAPER, "sum-cubes", at="Theorem D.1, the price", kind="inequality", standing="ours")
def sum_of_cubed_steps_is_at_most():
    """sum_t (G^4/2)(b_0^2 + nu t)^(-3/2) <= G^4/(nu b_0)."""
    return AtMost(PRICES, G**4 / (nu * sp.sqrt(start)))


@claim(
    PAPER,
    "sum-inverse",
    at="Proposition 5.2, the squares of the steps",
    kind="inequality",
    uses=["prop-5.1-bt"],
    standing="ours",
)
def sum_of_inverse_lower_bounds_is_at_most():
    """sum_t k/(b_0^2 + nu t) <= (k/nu) log(1 + T nu/b_0^2)."""
    k = sp.Symbol("k", positive=True)
    return (
        Theorem(shows=AtMost(total(k / LOWER), k * LOG / nu))
        .use("prop-5.1-bt", "without the factor", a=start, c=nu, T=T)
        .have(Equal(total(k / LOWER), k * total(1 / LOWER)), "a constant factor")
    )


@claim(
    PAPER,
    "prop-5.2-bsgd",
    at="Eqs (11), (12), B_sgd",
    kind="definition",
    standing="definition",
    expect=UNDECIDED,
)
def constant_of_sgd():
    """B_sgd."""
    return Quoted(
        "it is used in Eqs (11) and (12) and defined nowhere in the text that we have; nothing to check"
    )


@claim(
    PAPER,
    "prop-5.2-eq11",
    at="Proposition 5.2, Eq (11), at nu = C = G^2",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="prop-5.2-eq11-corrected",
)
def bound_of_adp_sgd_with_adaptive_steps():
    """E|grad F|^2 <= 2 G B_sgd/sqrt(T-1) + 128 G^3 eta d L B_delta sqrt T/(n^2 eps^2 nu) for 0 < nu <= C <=
    G^2, with any B_sgd <= G sqrt(T)/500. (The text does not define B_sgd; what follows, in
    prop-5.2-eq11-corrected, is G B/sqrt(T-1) with B = 1.7 here. B_sgd >= G sqrt(T-1)/2 makes every such bound
    true, as it exceeds G^2. For nu < G^2/4 nothing is shown here.)

    The case is that of prop-5.1-eq9 with T = 10^12: nu = C = G^2 = 1 and b_0^2 = 1 make b_t^2 = 1 + t,
    whatever the gradients are, and alpha_t^2 = b_t; the last term is that of Eq (9).
    """
    rounds, largest = sp.Integer(10) ** 12, sp.Integer(2000)
    least, last = stationary(rounds)
    follows = STATIONARY / 2 / RATE + 1 + RATE / 2 * sp.log(1 + rounds)
    case = {
        "T, d, L, G": "10^12, 1, 1, 1",
        "nu, C, b_0^2": "1, 1, 1",
        "B_sgd": "any number up to 2000",
    }
    return Instance(
        AtMost(least, 2 * largest / sp.sqrt(rounds - 1) + last),
        let={key: value for key, value in HUBER.items() if not key.startswith("T,")} | case,
        meets=[AtMost(follows, largest)],
        because="sum_t 1/b_t is near 2 sqrt(T)/G, and Eq (11) has room for half of it",
    )


@claim(
    PAPER,
    "prop-5.2-eq12",
    at="Proposition 5.2, Eq (12)",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="prop-5.2-eq12-corrected",
)
def bound_of_dp_sgd_with_adaptive_steps():
    """E|grad F|^2 <= 2 G B_sgd/sqrt(T-1) + 32 G^3 eta d L B_delta sqrt T log(1 + T nu/b_0^2)/(n^2 eps^2 nu),
    with any B_sgd <= G sqrt(T)/4000. (The text does not define B_sgd; that of prop-5.2-eq12-corrected is less
    than 1 here.)

    The case: T = 10^12, d = 1, Huber's loss with slope clip(theta, -1, 1), plus 1, for every record, so G = L
    = 1; nu = G^2 and b_0^2 = T/5, which make b_t^2 = b_0^2 + t whatever the gradients are, and meet T >= 5 +
    4 b_0^2/G^2; eta = 1, v = theta_0^2 = 1/1000, and n, eps, delta such that Eq (6) with alpha = 1 gives
    sigma^2 = 2 v/s, where s = eta/sqrt(6 T/5) is the shortest step and r = eta/sqrt(T/5) is longer than all.
    Without the clip theta is Gaussian, and a step of size p takes y = E theta^2 to (1 - p)^2 y + p^2 sigma^2,
    which is at least v if y is, as v <= p sigma^2/(2 - p), and at most w = r sigma^2/(2 - r) if y is. So
    theta is ever beyond 1 with a chance of at most q = 2 T exp(-(1 - theta_0)^2/(2 w)), its mean being never
    above theta_0, and up to then the clip does nothing: every E|grad F(theta_t)|^2 is at least v - E
    theta_t^2 1(beyond) >= v - sqrt(3 q) w, as E theta_t^4 <= 3 w^2. The last term is eta sigma^2 log(1 + T
    nu/b_0^2)/(8 sqrt(T) nu).
    """
    rounds = sp.Integer(10) ** 12
    largest = sp.Integer(250)
    v = sp.Rational(1, 1000)
    short, longest = 1 / sp.sqrt(6 * rounds / 5), 1 / sp.sqrt(rounds / 5)
    noise = 2 * v / short
    wide = longest * noise / (2 - longest)
    beyond = 2 * rounds * sp.exp(-((1 - sp.sqrt(v)) ** 2) / (2 * wide))
    last = noise * sp.log(6) / (8 * sp.sqrt(rounds))
    follows = v / 2 + sp.log(6) / 2
    return Instance(
        AtMost(v - sp.sqrt(3 * beyond) * wide, 2 * largest / sp.sqrt(rounds - 1) + last),
        let={
            "f(theta; x)": "1 + Huber's loss with slope clip(theta, -1, 1), for every x",
            "T, d, L, G, nu, b_0^2": "10^12, 1, 1, 1, 1, T/5",
            "eta, theta_0": "1, 1/sqrt(1000)",
            "n, eps, delta": "any with sigma^2 = sqrt(6 T/5)/500 by Eq (6)",
            "B_sgd": "any number up to 250",
        },
        meets=[
            AtMost(5 + 4 * rounds / 5, rounds),
            AtMost(v, short * noise / (2 - short)),
            AtMost(v, wide),
            AtMost(follows, largest),
        ],
        because="the last term of Eq (12) is a quarter of what the noise makes",
    )


@claim(
    PAPER,
    "sum-adaptive",
    at="Proposition 5.2, the noise of ADP-SGD",
    kind="inequality",
    uses=["sum-upper"],
    standing="ours",
)
def noise_of_adp_with_adaptive_steps():
    """For nu <= C, sum_t k sqrt(b_0^2 + t C)/(b_0^2 + nu t) <= 2 k sqrt(C T)/nu."""
    C, k = sp.symbols("C k", positive=True)
    term = k * sp.sqrt(C / nu) / sp.sqrt(LOWER)
    seen = k * sp.sqrt(start + t * C) / LOWER
    return (
        Theorem(given=[nu <= C], shows=AtMost(total(seen), 2 * k * sp.sqrt(C * T) / nu))
        .sum(AtMost(seen, term), (t, 1, T), "b_0^2 + t C <= (C/nu)(b_0^2 + nu t)")
        .use("sum-upper", "the sum of the steps", a=start, c=nu, T=T)
        .have(Equal(total(term), k * sp.sqrt(C / nu) * total(1 / sp.sqrt(LOWER))), "a constant factor")
    )


SGD = first / eta + G**4 / (nu * sp.sqrt(start)) + eta * L * G**2 * LOG / (2 * nu)


def rules(schedule):
    """alpha_t, sigma^2 of Eq (6), and enough steps."""
    return [
        ForEvery(Equal(alpha[t], schedule), t, 1, T),
        sp.Eq(variance, SCALE * total(1 / alpha[t] ** 2)),
        T >= 5 + 4 * start / G**2,
        T >= 6,
    ]


def proposition_5_2(schedule, given, noise):
    """m <= G (B_sgd + noise)/sqrt(T - 1) for this alpha_t, from thm-d.1-corrected; what the noise adds is
    left to be shown.
    """
    root = sp.sqrt(T - 1)
    paid = first / eta + PRICES + SQUARES + total(SPREAD)
    return (
        (
            Theorem(given=[*DESCENT, *rules(schedule), *given], shows=AtMost(m, G * (SGD + noise) / root))
            .use("thm-d.1-corrected", "Theorem D.1, as it follows")
            .use("sum-cubes", "the price", G=G, nu=nu, b0_2=start, T=T)
            .use("sum-inverse", "the squares of the steps", b0_2=start, nu=nu, T=T, k=eta * L * G**2 / 2)
            .use("prop-5.1-tcond", "the sum of the steps", a=start, c=G**2, T=T)
            .have(AtMost(0, STEPS, strict=True), "every step is positive")
            .have(AtMost(1 / STEPS, G / root), "T >= 5 + 4 b_0^2/G^2")
        ),
        paid,
        root,
    )


def with_noise(theorem, paid, root, noise):
    """The rest of the proof, once total(SPREAD) <= noise is known."""
    return (
        theorem.have(AtMost(paid, SGD + noise), "added up")
        .have(AtMost(0, paid), "no term is negative")
        .have(AtMost(paid / STEPS, paid * (G / root)), "the sum of the steps")
        .have(AtMost(paid * (G / root), (SGD + noise) * (G / root)), "added up")
    )


@claim(
    PAPER,
    "prop-5.2-eq11-corrected",
    at="Proposition 5.2, Eq (11), as it follows from the descent of each step in the mean",
    kind="inequality",
    uses=["thm-d.1-corrected", "sum-cubes", "sum-inverse", "prop-5.1-tcond", "sum-adaptive", "sum-upper"],
    standing="ours",
)
def bound_of_adp_sgd_with_adaptive_steps_as_it_follows():
    """With alpha_t = (b_0^2 + t C)^(1/4), nu <= C <= G^2, sigma^2 of Eq (6) and T >= 5 + 4 b_0^2/G^2, if each
    step descends as in thm-d.1-corrected: whatever is at most every E|grad F(theta_{t-1})|^2 is at most G
    (B_sgd + N)/sqrt(T-1), B_sgd = D_F/eta + G^4/(nu b_0) + eta L G^2 log(1 + T nu/b_0^2)/(2 nu), N = 512 G^2
    eta d L B_delta T/(n^2 eps^2 nu): four times the last term that is printed, but for T/sqrt(T-1).
    """
    C = sp.Symbol("C", positive=True)
    noise, scale = 2 * eta * L * d * SCALE * T / nu, eta * L * d * variance / 2
    theorem, paid, root = proposition_5_2((start + t * C) ** sp.Rational(1, 4), [nu <= C, C <= G**2], noise)
    theorem = (
        theorem.use("sum-adaptive", "the second sum", b0_2=start, nu=nu, T=T, C=C, k=scale)
        .use("sum-upper", "the first sum", a=start, c=C, T=T)
        .sum(Equal(1 / alpha[t] ** 2, 1 / sp.sqrt(start + t * C)), (t, 1, T), "the schedule")
        .sum(Equal(SPREAD, scale * sp.sqrt(start + t * C) / LOWER), (t, 1, T), "the schedule")
        .have(AtMost(variance, 2 * SCALE * sp.sqrt(T / C)), "Eq (6) and the first sum")
        .have(AtMost(total(SPREAD), 2 * scale * sp.sqrt(C * T) / nu), "the second sum")
        .have(AtMost(2 * scale * sp.sqrt(C * T) / nu, noise), "their product")
    )
    return with_noise(theorem, paid, root, noise)


@claim(
    PAPER,
    "prop-5.2-eq12-corrected",
    at="Proposition 5.2, Eq (12), as it follows from the descent of each step in the mean",
    kind="inequality",
    uses=["thm-d.1-corrected", "sum-cubes", "sum-inverse", "prop-5.1-tcond"],
    standing="ours",
)
def bound_of_dp_sgd_with_adaptive_steps_as_it_follows():
    """With alpha = 1 the bound of prop-5.2-eq11-corrected holds with N = 128 G^2 eta d L B_delta T log(1 + T
    nu/b_0^2)/(n^2 eps^2 nu), four times the last term that is printed, as for ADP.
    """
    k = eta * L * d * SCALE * T / 2
    noise = k * LOG / nu
    theorem, paid, root = proposition_5_2(sp.Integer(1), [nu <= G**2], noise)
    theorem = (
        theorem.use("sum-inverse", "the noise", b0_2=start, nu=nu, T=T, k=k)
        .sum(Equal(1 / alpha[t] ** 2, 1), (t, 1, T), "the schedule")
        .have(Equal(total(sp.Integer(1)), T), "T terms")
        .have(Equal(variance, SCALE * T), "Eq (6)")
        .sum(Equal(SPREAD, k / LOWER), (t, 1, T), "the schedule")
        .have(AtMost(total(SPREAD), noise), "what the noise adds")
    )
    return with_noise(theorem, paid, root, noise)
