"""The bounds that runs are set against: Theorem 4.2 with eta L restored, for x_tau, P(tau = t) ~ 1/b_t, and
what follows for AdaGrad-norm steps, with b from the raw gradients and with b from the released ones.

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
from dpverify.symbolic.adp_erm import PAPER, adaptive
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem

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


@claim(
    PAPER,
    "bound-gradient-variance",
    at="Theorem 4.2, with the variance for G^2",
    kind="inequality",
    standing="ours",
)
def gradient_at_a_random_iterate_from_the_variance():
    """For an L-smooth F and steps x - (eta/b_t)(F'(x) + xi_t), eta L <= b_t, with noise of mean 0 and second
    moment c_t given the past, whatever the length of F'(x) (a ridge may join it): sum_t E|F'(x_{t-1})|^2/b_t
    / sum_t 1/b_t <= [2 e_1/eta + eta L sum_t c_t/b_t^2] / sum_t 1/b_t.
    """
    F = Function("F", smooth=L)
    x = Vector("x")
    c = sp.IndexedBase("c", nonnegative=True)
    slope, xi = F.gradient(x), Noise("xi", variance=c[t])
    after = x - eta / b[t] * (slope + xi)
    run = Iterates(e, F(x) - F.minimum, [x], [after], [xi], t, 1, T)
    slopes = Iterates(g2, norm2(slope), [x], [after], [xi], t, 1, T)
    inverse, squares = sp.Sum(1 / b[t], (t, 1, T)), sp.Sum(c[t] / b[t] ** 2, (t, 1, T))
    short = ForEvery(AtMost(eta * L, b[t]), t, 1, T)
    one = 2 * (e[t] - e[t + 1]) / eta + eta * L * c[t] / b[t] ** 2
    whole = 2 * e[1] / eta + eta * L * squares
    return (
        Theorem(
            given=[run, slopes, short],
            shows=AtMost(sp.Sum(g2[t] / b[t], (t, 1, T)) / inverse, whole / inverse),
        )
        .descend(
            run,
            1,
            L * eta**2 * c[t] / (2 * b[t] ** 2),
            "descent",
            by=[F.descent(x, after)],
            beside=[(slopes, L * eta**2 / (2 * b[t] ** 2) - eta / b[t])],
        )
        .have(ForEvery(AtMost(eta * L / b[t], 1), t, 1, T), "divided by b_t")
        .have(ForEvery(AtMost(eta * L * g2[t] / b[t] ** 2, g2[t] / b[t]), t, 1, T), "the steps are short")
        .sum(AtMost(g2[t] / b[t], one), (t, 1, T), "each step")
        .have(Equal(sp.Sum(one, (t, 1, T)), 2 * (e[1] - e[T + 1]) / eta + eta * L * squares), "it telescopes")
        .have(AtMost(sp.Sum(g2[t] / b[t], (t, 1, T)), whole), "e is not negative")
        .have(AtMost(0, inverse, strict=True), "every 1/b_t is positive")
    )


@claim(
    PAPER,
    "bound-norm-raw",
    at="Theorem D.1, as it follows from the descent of each step in the mean, at a random iterate",
    kind="inequality",
    uses=["prop-5.2-average", "prop-5.2-step", "sec5.2-b-range-corrected"],
    standing="ours",
)
def gradient_at_a_random_iterate_of_adagrad_norm():
    """With b_t^2 = b_{t-1}^2 + max(|grad f|^2, nu), nu <= G^2, if every step descends as in
    prop-5.2-average:
    the mean of E|grad F(theta_{t-1})|^2 over t with weights 1/sqrt(b_0^2 + t G^2) is at most what
    thm-d.1-corrected says of the least of them.
    """
    upper = sp.sqrt(adaptive.start + t * G**2)
    price = G**4 / 2 * adaptive.LOWER ** sp.Rational(-3, 2)
    square = eta * L * (G**2 + d * alpha[t] ** 2 * sigma**2) / 2 / adaptive.LOWER
    inverse, paid = sp.Sum(1 / upper, (t, 1, T)), sp.Sum(price + square, (t, 1, T))
    descent = ForEvery(AtMost(e[t + 1], e[t] - eta * g2[t] / upper + eta * (price + square)), t, 1, T)
    one = (e[t] - e[t + 1]) / eta + price + square
    return (
        Theorem(
            given=[descent, adaptive.nu <= G**2],
            shows=AtMost(sp.Sum(g2[t] / upper, (t, 1, T)) / inverse, (e[1] / eta + paid) / inverse),
        )
        .sum(AtMost(g2[t] / upper, one), (t, 1, T), "each step")
        .have(Equal(sp.Sum(one, (t, 1, T)), (e[1] - e[T + 1]) / eta + paid), "it telescopes")
        .have(AtMost(sp.Sum(g2[t] / upper, (t, 1, T)), e[1] / eta + paid), "e is not negative")
        .have(AtMost(0, inverse, strict=True), "every step is positive")
    )


@claim(
    PAPER, "bound-norm-step", at="Section 5.2, b from what is released", kind="inequality", standing="ours"
)
def step_that_depends_on_the_noise_costs_little():
    """With p = <grad F, g>, |p| <= G r, r = |g|, both b and u at least l, and |b^2 - u^2| <= q: -p/b <= -p/u
    + G r q/(2 l^3), and r q <= s r^2/2 + q^2/(2 s) for every s > 0. So b, which depends on the noise in g,
    may be replaced by a u that is known before, at a price of which the mean is known where those of r^2 and
    q^2 are.
    """
    p = sp.Symbol("p", real=True)
    low, size, high, s = sp.symbols("l b u s", positive=True)
    r, q = sp.symbols("r q", nonnegative=True)
    far = q / (2 * low)
    return AllOf(
        Theorem(
            given=[
                p <= G * r,
                -p <= G * r,
                low <= size,
                low <= high,
                size**2 - high**2 <= q,
                high**2 - size**2 <= q,
            ],
            shows=AtMost(-p / size, -p / high + G * r * q / (2 * low**3)),
        )
        .have(AtMost(size - high, far), "b + u >= 2 l")
        .have(AtMost(high - size, far), "b + u >= 2 l")
        .have(AtMost(p * (size - high), G * r * far), "|p| <= G r")
        .have(AtMost(low**2, size * high), "both are at least l")
        .have(AtMost(1 / (size * high), 1 / low**2), "so that")
        .calc(
            -p / size,
            ("=", -p / high + p * (size - high) / (size * high), "their difference"),
            ("<=", -p / high + G * r * far / (size * high), "|p| |b - u|"),
            ("<=", -p / high + G * r * far / low**2, "u b >= l^2"),
            ("=", -p / high + G * r * q / (2 * low**3), "multiplied out"),
        ),
        AtMost(r * q, s * r**2 / 2 + q**2 / (2 * s)),
    )


@claim(
    PAPER,
    "bound-norm",
    at="Section 5.2, with b from what is released",
    kind="inequality",
    uses=["bound-norm-step", "prop-5.2-descent"],
    standing="ours",
)
def gradient_of_adagrad_norm_from_released_gradients():
    """With b_t^2 = b_{t-1}^2 + m_t, m_t = max(|g_t|^2, nu), from the noisy g_t itself, and u_t^2 = b_{t-1}^2
    + V_t known before: if every step descends in the mean as bound-norm-step and the descent lemma say, with
    E m_t <= V_t, K_t >= sqrt(V_t) V_t/2 + E(m_t - V_t)^2/(2 sqrt(V_t)), b_{t-1}^2 >= b_0^2 + nu (t-1), then
    for every lambda > 0 the mean of E|grad F(theta_{t-1})| over t with weights 1/B_t is at most
    [e_1/eta + sum_t G K_t/(2 (b_0^2 + nu (t-1))^(3/2)) + (eta L/2) sum_t V_t/(b_0^2 + nu t)]/(2 lambda
    sum_t 1/B_t) + lambda/2.

    h_t is E|grad F|^2/u_t and a_t is E|grad F|, so that a_t^2 <= B_t h_t by the inequality of Cauchy and
    Schwarz for every B_t >= E u_t, such as sqrt(b_0^2 + V_1 + ... + V_t).
    """
    h, a = (sp.IndexedBase(name, nonnegative=True) for name in ("h", "a"))
    B, V, K = (sp.IndexedBase(name, positive=True) for name in ("B", "V", "K"))
    lam = sp.Symbol("lambda", positive=True)
    price = G * K[t] / (2 * (adaptive.start + adaptive.nu * (t - 1)) ** sp.Rational(3, 2))
    added = price + eta * L * V[t] / (2 * adaptive.LOWER)
    paid, inverse = sp.Sum(added, (t, 1, T)), sp.Sum(1 / B[t], (t, 1, T))
    one = (e[t] - e[t + 1]) / eta + added
    whole = e[1] / eta + paid
    mean, slopes = (h[t] / lam + lam / B[t]) / 2, sp.Sum(h[t], (t, 1, T))
    return (
        Theorem(
            given=[
                ForEvery(AtMost(e[t + 1], e[t] - eta * h[t] + eta * added), t, 1, T),
                ForEvery(AtMost(a[t] ** 2, B[t] * h[t]), t, 1, T),
            ],
            shows=AtMost(sp.Sum(a[t] / B[t], (t, 1, T)) / inverse, whole / (2 * lam * inverse) + lam / 2),
        )
        .sum(AtMost(h[t], one), (t, 1, T), "each step")
        .have(Equal(sp.Sum(one, (t, 1, T)), (e[1] - e[T + 1]) / eta + paid), "it telescopes")
        .have(AtMost(slopes, whole), "e is not negative")
        .have(ForEvery(AtMost(a[t] ** 2 / B[t], h[t]), t, 1, T), "divided by B_t")
        .have(
            ForEvery(AtMost(a[t] / B[t], (a[t] ** 2 / B[t] / lam + lam / B[t]) / 2), t, 1, T),
            "(a_t - lambda)^2 >= 0",
        )
        .have(ForEvery(AtMost(a[t] ** 2 / B[t] / lam, h[t] / lam), t, 1, T), "divided by lambda")
        .sum(AtMost(a[t] / B[t], mean), (t, 1, T), "added up")
        .have(Equal(sp.Sum(mean, (t, 1, T)), slopes / (2 * lam) + lam / 2 * inverse), "term by term")
        .have(AtMost(slopes / (2 * lam), whole / (2 * lam)), "the sum of h")
        .have(
            AtMost(sp.Sum(a[t] / B[t], (t, 1, T)), whole / (2 * lam) + lam / 2 * inverse),
            "both",
        )
        .have(AtMost(0, inverse, strict=True), "every 1/B_t is positive")
    )
