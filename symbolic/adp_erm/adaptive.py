"""Section 5.2: AdaGrad-norm steps, and Theorem D.1, their descent in the mean.

b_{t+1}^2 = b_t^2 + max(|grad f|^2, nu)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, gaussian
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, inner, norm2
from dpverify.relations import AtMost, Equal, Quoted
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.theorem_4_1 import total
from dpverify.symbolic.adp_erm.utility import G, L, T, alpha, d, e, eta, g2, m, sigma, t, variance
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

nu, start = sp.symbols("nu b0_2", positive=True)  # nu, b_0^2
square = sp.Symbol("g2", nonnegative=True)  # |grad f|^2


@claim(PAPER, "sec5.2-b-inf", at="Section 5.2, without nu", kind="asymptotic")
def first_step_grows_without_bound():
    """Without nu, b_0^2 = |grad f|^2 -> 0 makes eta/b_1 -> infinity: it is above any K once |grad f|^2 <=
    eta^2/(2 K^2).
    """
    small, K = sp.symbols("x K", positive=True)  # |grad f|^2
    return AtMost(K, eta / sp.sqrt(small + small), given=[small <= eta**2 / (2 * K**2)])


@claim(
    PAPER,
    "sec5.2-b-range",
    at="Section 5.2, b_t^2 in [b_0^2 + t nu, b_0^2 + t G]",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="sec5.2-b-range-corrected",
)
def range_of_b_as_printed():
    """b_1^2 <= b_0^2 + G, for |grad f| <= G and nu <= G^2 (the range of C, [nu, G^2], shows what is
    meant).
    """
    return AtMost(start + sp.Max(square, nu), start + G, given=[square <= G**2, nu <= G**2])


@claim(
    PAPER,
    "sec5.2-b-range-corrected",
    at="Section 5.2, b_t^2 in [b_0^2 + t nu, b_0^2 + t G^2]",
    kind="inequality",
    standing="ours",
)
def range_of_b():
    """If b_{t}^2 = b_{t-1}^2 + max(|g_t|^2, nu) with |g_t| <= G for t = 1..T and nu <= G^2, then b_T^2 is
    between b_0^2 + T nu and b_0^2 + T G^2 (B[t] is b_{t-1}^2 and g2[t] is |g_t|^2).
    """
    B, seen = sp.IndexedBase("B", positive=True), sp.IndexedBase("g2", nonnegative=True)
    step = B[t + 1] - B[t]
    return (
        Theorem(
            given=[
                ForEvery(Equal(B[t + 1], B[t] + sp.Max(seen[t], nu)), t, 1, T),
                ForEvery(AtMost(seen[t], G**2), t, 1, T),
                nu <= G**2,
            ],
            shows=AllOf(AtMost(B[1] + T * nu, B[T + 1]), AtMost(B[T + 1], B[1] + T * G**2)),
        )
        .sum(AtMost(nu, step), (t, 1, T), "each step")
        .sum(AtMost(step, G**2), (t, 1, T), "each step")
        .have(Equal(sp.Sum(step, (t, 1, T)), B[T + 1] - B[1]), "it telescopes")
    )


@claim(PAPER, "thm-d.1", at="Theorem D.1", kind="inequality", expect=UNDECIDED)
def convergence_with_adaptive_steps():
    """The convergence of Algorithm 1 with b from the gradients."""
    return Quoted(
        "the theorem stands in an appendix that is not part of the text that we have, so it has no form; "
        "thm-d.1-corrected is what follows"
    )


@claim(
    PAPER,
    "prop-5.2-step",
    at="Proposition 5.2, the correlation of b and the gradient",
    kind="inequality",
    standing="ours",
)
def correlated_step_costs_little():
    """With p = <grad F, grad f>, |p| <= G^2, and b between l = sqrt(b_t^2 + nu) and u = sqrt(b_t^2 + G^2),
    both known before the record is drawn: -p/b <= -p/u + G^2 (1/l - 1/u), and G^2 (1/l - 1/u) <= G^2 (u^2 -
    l^2)/(2 l^3). So b may be replaced by what is known before, at a price whose sum over t is bounded.
    """
    p = sp.Symbol("p", real=True)
    low, size, high = sp.symbols("l b u", positive=True)
    price = G**2 * (1 / low - 1 / high)
    return AllOf(
        AtMost(
            -p / size,
            -p / high + price,
            given=[p <= G**2, -p <= G**2, low <= size, size <= high],
        ),
        AtMost(price, G**2 * (high**2 - low**2) / (2 * low**3), given=[low <= high]),
    )


@claim(PAPER, "prop-5.2-descent", at="Theorem D.1, one record", kind="inequality", standing="ours")
def one_record_descends():
    """For F with L-Lipschitz gradient, any vector g (the gradient of the record that was drawn), any b > 0
    (it may depend on g) and c ~ N(0, sigma^2 I_d): E F(theta - (eta/b)(g + alpha c)) <= F - (eta/b) <grad F,
    g> + (L eta^2/(2 b^2))(|g|^2 + d alpha^2 sigma^2).
    """
    F = Function("F", smooth=L)
    theta = Vector("theta")
    g = Vector("g")
    size, factor = sp.symbols("b alpha", positive=True)
    noise = gaussian("c", sigma, d)
    after = theta - eta / size * (g + factor * noise)
    square = norm2(g) + d * factor**2 * sigma**2
    bound = F(theta) - eta / size * inner(F.gradient(theta), g) + L * eta**2 / (2 * size**2) * square
    lemma = F.descent(theta, after)
    return Theorem(shows=AtMost(E(F(after), noise), bound)).expect(
        AtMost(lemma.lhs, lemma.rhs), [noise], "the descent lemma"
    )


LOWER = start + nu * t  # b_t^2 is at least this
UPPER = sp.sqrt(start + t * G**2)  # and b_t at most this
PRICE, SQUARE = G**4 / 2 * LOWER ** sp.Rational(-3, 2), eta * L * G**2 / 2 / LOWER


@claim(
    PAPER,
    "prop-5.2-average",
    at="Theorem D.1, one step, given the past",
    kind="inequality",
    uses=["prop-5.2-descent", "prop-5.2-step"],
    standing="ours",
)
def mean_over_the_records_descends():
    """Step t, whatever b_{t-1}^2 = B is between b_0^2 + nu (t-1) and b_0^2 + (t-1) G^2: if record i of n,
    when it is drawn, makes b_i^2 = B + max(|g_i|^2, nu) and leads to V_i <= F - (eta/b_i) <grad F, g_i> + (L
    eta^2/(2 b_i^2)) (|g_i|^2 + w) (prop-5.2-descent, w = d alpha_t^2 sigma^2), with |<grad F, g_i>| <= G^2,
    |g_i|^2 <= G^2 and nu <= G^2, and the <grad F, g_i> have the mean q = |grad F|^2, then the mean of the
    V_i, which is the expectation of F after the step given the past, is at most F - eta q/sqrt(b_0^2 + t
    G^2) + eta ((G^4/2) (b_0^2 + nu t)^(-3/2) + (eta L/2) (G^2 + w)/(b_0^2 + nu t)), in which there is no b.

    In the statement p_i is <grad F, g_i> and h_i is |g_i|^2.
    """
    i, n = sp.Symbol("i", integer=True, positive=True), sp.Symbol("n", integer=True, positive=True)
    V, p = (sp.IndexedBase(name, real=True) for name in ("V", "p"))
    h, size = sp.IndexedBase("h", nonnegative=True), sp.IndexedBase("b", positive=True)
    value, now = sp.Symbol("F", real=True), sp.Symbol("B", positive=True)
    q, w = sp.symbols("q w", nonnegative=True)
    low, high = sp.sqrt(now + nu), sp.sqrt(now + G**2)
    price, squares = G**2 * (1 / low - 1 / high), eta * L / 2 * (G**2 + w)
    each = value - eta * p[i] / high + eta * price + eta * squares / low**2
    products = sp.Sum(p[i], (i, 1, n))

    def every(relation):
        return ForEvery(relation, i, 1, n)

    return (
        Theorem(
            given=[
                every(Equal(size[i], sp.sqrt(now + sp.Max(h[i], nu)))),
                every(
                    AtMost(V[i], value - eta * p[i] / size[i] + L * eta**2 * (h[i] + w) / (2 * size[i] ** 2))
                ),
                every(AtMost(p[i], G**2)),
                every(AtMost(-p[i], G**2)),
                every(AtMost(h[i], G**2)),
                sp.Eq(q, products / n),
                nu <= G**2,
                start + nu * (t - 1) <= now,
                now <= start + (t - 1) * G**2,
            ],
            shows=AtMost(
                sp.Sum(V[i], (i, 1, n)) / n, value - eta * q / UPPER + eta * (PRICE + squares / LOWER)
            ),
        )
        .have(AtMost(low, high), "nu <= G^2")
        .have(every(AtMost(low, size[i])), "the largest is at least nu")
        .have(every(AtMost(size[i], high)), "both are at most G^2")
        .have(every(AtMost(-p[i] / size[i], -p[i] / high + price)), "prop-5.2-step")
        .have(every(AtMost((h[i] + w) / size[i] ** 2, (G**2 + w) / size[i] ** 2)), "bounded gradients")
        .have(every(AtMost((G**2 + w) / size[i] ** 2, (G**2 + w) / low**2)), "l <= b_i")
        .have(every(AtMost(-eta * p[i] / size[i], eta * (price - p[i] / high))), "times eta")
        .have(
            every(AtMost(L * eta**2 * (h[i] + w) / (2 * size[i] ** 2), eta * squares / low**2)),
            "times eta^2 L/2",
        )
        .sum(AtMost(V[i], each), (i, 1, n), "each record")
        .have(
            Equal(
                sp.Sum(each, (i, 1, n)),
                n * (value + eta * price + eta * squares / low**2) - eta / high * products,
            ),
            "added up",
        )
        .have(
            AtMost(
                sp.Sum(V[i], (i, 1, n)) / n, value - eta * q / high + eta * price + eta * squares / low**2
            ),
            "their mean",
        )
        .have(AtMost(LOWER, low**2), "B >= b_0^2 + nu (t - 1)")
        .have(AtMost(high, UPPER), "B <= b_0^2 + (t - 1) G^2")
        .have(AtMost(sp.sqrt(LOWER), low), "the root")
        .use("prop-5.2-step", "the price", G=G, p=0, l=low, b=low, u=high)
        .have(AtMost(price, G**4 / (2 * low**3)), "u^2 - l^2 <= G^2")
        .have(AtMost(G**4 / (2 * low**3), PRICE), "l^2 >= b_0^2 + nu t")
        .have(AtMost(squares / low**2, squares / LOWER), "l^2 >= b_0^2 + nu t")
        .have(AtMost(-eta * q / high, -eta * q / UPPER), "u <= sqrt(b_0^2 + t G^2)")
    )


@claim(
    PAPER,
    "prop-5.2-past",
    at="Theorem D.1, one step in the mean, pasts of finitely many outcomes",
    kind="inequality",
    uses=["prop-5.2-average"],
    standing="ours",
)
def mean_over_the_past_descends():
    """If each of J pasts, of probabilities w_j that add up to 1, leads to V_j <= F_j - eta q_j/sqrt(b_0^2 + t
    G^2) + X in the mean, as prop-5.2-average says with one X for every past, because its right side has no
    b: then the mean of the V_j is at most that of the F_j, less eta/sqrt(b_0^2 + t G^2) times that of the
    q_j, plus X. This is the descent that thm-d.1-corrected supposes.
    """
    j, J = (sp.Symbol(name, integer=True, positive=True) for name in ("j", "J"))
    chance, q = (sp.IndexedBase(name, nonnegative=True) for name in ("w", "q"))
    before, after = (sp.IndexedBase(name, real=True) for name in ("F", "V"))
    more = sp.Symbol("X", nonnegative=True)
    bound = before[j] - eta * q[j] / UPPER + more

    def mean(values):
        return sp.Sum(chance[j] * values, (j, 1, J))

    parts = mean(before[j]) - eta * mean(q[j]) / UPPER + more * sp.Sum(chance[j], (j, 1, J))
    return (
        Theorem(
            given=[
                ForEvery(AtMost(after[j], bound), j, 1, J),
                sp.Eq(sp.Sum(chance[j], (j, 1, J)), 1),
            ],
            shows=AtMost(mean(after[j]), mean(before[j]) - eta * mean(q[j]) / UPPER + more),
        )
        .sum(AtMost(chance[j] * after[j], chance[j] * bound), (j, 1, J), "each past")
        .have(Equal(mean(bound), parts), "term by term")
    )


SPREAD = eta * L * d * variance / 2 * alpha[t] ** 2 / LOWER
PRICES = total(PRICE)
SQUARES = total(SQUARE)
STEPS = total(1 / UPPER)
first = sp.Symbol("D_F", positive=True)
DESCENT = [
    ForEvery(AtMost(e[t + 1], e[t] - eta * g2[t] / UPPER + eta * (PRICE + SQUARE + SPREAD)), t, 1, T),
    ForEvery(AtMost(m, g2[t]), t, 1, T),
    e[1] <= first,
]


@claim(
    PAPER,
    "thm-d.1-corrected",
    at="Theorem D.1, as it follows from the descent of each step in the mean",
    kind="inequality",
    uses=["prop-5.2-past", "prop-5.2-average", "prop-5.2-step", "sec5.2-b-range-corrected"],
    standing="ours",
)
def smallest_mean_squared_gradient_with_adaptive_steps():
    """With b_t^2 = b_{t-1}^2 + max(|grad f|^2, nu), nu <= G^2, whatever b and the gradient have to do with
    each other: if every step descends in the mean as in prop-5.2-average, and m <= E|grad F(theta_{t-1})|^2
    for every t, then m is at most [D_F/eta + (G^4/2) sum_t (b_0^2 + nu t)^(-3/2) + (eta L/2)(G^2 sum_t
    1/(b_0^2 + nu t) + d sigma^2 sum_t alpha_t^2/(b_0^2 + nu t))]/sum_t 1/sqrt(b_0^2 + t G^2).

    The descent is prop-5.2-average averaged over the past (prop-5.2-past): given the past it holds for every
    b_{t-1} that sec5.2-b-range-corrected allows, and its right side has no b. It is a hypothesis here, as b
    is a random number, of which the language of iterations knows nothing.
    """
    fall = (e[t] - e[t + 1]) / eta
    parts = (fall, PRICE, SQUARE, SPREAD)
    paid = first / eta + PRICES + SQUARES + total(SPREAD)
    return (
        Theorem(given=DESCENT, shows=AtMost(m, paid / STEPS))
        .sum(AtMost(m / UPPER, sum(parts)), (t, 1, T), "each step, and m is least")
        .have(Equal(total(sum(parts)), sum(total(part) for part in parts)), "term by term")
        .have(Equal(total(fall), (e[1] - e[T + 1]) / eta), "it telescopes")
        .have(AtMost(m * STEPS, paid), "e is not negative")
        .have(AtMost(0, STEPS, strict=True), "every step is positive")
    )
