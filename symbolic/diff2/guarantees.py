"""Section 4.1: the noise levels of DIFF2-GD, as a theorem about every mechanism of its form.

    m_1 = ceil(R/T) restarts       N(0, (sigma_1 C_1)^2 I) on a mean that a record moves by 2 C_1/(n_p P)
    m_2 = R - m_1 differences      N(0, (sigma_2 C_{2,r})^2 I) on one that it moves by 2 C_{2,r}/(n_p P)
    sigma_1^2 = 4 u a m_1/(N^2 eps), sigma_2^2 = (4 u/(u-1)) a m_2/(N^2 eps), a = 1 + ceil(2 ln(1/delta)/eps)

N = n_min P. C_{2,r} is known from earlier outputs, and positive: where it is 0 the difference is 0 for every
data set, and nothing is released. Restarts and differences interleave; what a composition costs does not
depend on their order.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas.diff2 import printed_variances, renyi_order
from dpverify.guarantees import RDP, ApproxDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.language.vectors import norm, norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.proving.mechanisms import gaussian_delta
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

R, T, n_p, n_min, P, r = (
    sp.Symbol(name, integer=True, positive=True) for name in ("R", "T", "n_p", "n_min", "P", "r")
)
alpha, eps, delta, u, C_1, sigma_1, sigma_2 = sp.symbols(
    "alpha epsilon delta u C_1 sigma_1 sigma_2", positive=True
)
C_2 = sp.IndexedBase("C_2", positive=True)
restarts = sp.ceiling(R / T)
order = renyi_order(eps, delta)
N, ell, G = sp.symbols("N l G", positive=True)


def server_rounds(first, second, parts=n_p * P):
    """The releases of DIFF2-GD's R rounds, with sigma_1 = `first` and sigma_2 = `second`; what is replaced
    has one of `parts` equal parts in the mean.
    """
    return Composed(
        Repeated(Gaussian(first * C_1, {REPLACE: 2 * C_1 / parts}), r, 1, restarts),
        Repeated(Gaussian(second * C_2[r], {REPLACE: 2 * C_2[r] / parts}), r, restarts + 1, R),
    )


def server_cost(first, second, at):
    """2 a m_1/(n_p P sigma_1)^2 + 2 a m_2/(n_p P sigma_2)^2 at the order a."""
    per_record = 2 * at / (n_p * P) ** 2
    return per_record * restarts / first**2 + per_record * (R - restarts) / second**2


@claim(
    PAPER,
    "sec4.1-sens-g",
    at="Section 4.1, second paragraph",
    kind="inequality",
    expect=REFUTED,
    breaks="text",
    correction="sec4.1-sens-g-corrected",
)
def gradient_has_sensitivity_g():
    """A gradient grad l(x, z) with |grad l| < G has L2-sensitivity G: replacing z moves it by at most G.

    Two gradients may point in opposite directions; section 3 itself has 2 G/(n_min P) for the mean.
    """
    g, h = vectors("g h")
    return AtMost(norm(g - h), G, given=[norm(g) < G, norm(h) < G])


@claim(
    PAPER,
    "sec4.1-sens-g-corrected",
    at="Section 4.1, second paragraph, corrected",
    kind="inequality",
    standing="ours",
)
def gradient_has_sensitivity_two_g():
    """Replacing a record moves its gradient by less than 2 G."""
    g, h = vectors("g h")
    return AtMost(norm(g - h), 2 * G, given=[norm(g) < G, norm(h) < G])


@claim(
    PAPER,
    "prop-4.1-rdp",
    at="Proposition 4.1, first sentence",
    kind="privacy guarantee",
    uses=["lemma-c.1", "prop-4.1-counts"],
)
def releases_of_diff2_gd_add_up():
    """{x_r, x_r^out, v_r} of DIFF2-GD is (2 a m_1/(n_p P sigma_1)^2 + 2 a m_2/(n_p P sigma_2)^2 +
    log(1/delta)/(a - 1), delta)-DP with respect to D_p, for every a > 1 and delta < 1, whatever R, T, n_p, P,
    C_1, C_2.
    """
    spent = server_cost(sigma_1, sigma_2, alpha) + sp.log(1 / delta) / (alpha - 1)
    return Private(
        server_rounds(sigma_1, sigma_2),
        ApproxDP(spent, delta),
        REPLACE,
        given=[alpha > 1, delta < 1],
        order=alpha,
    )


@claim(
    PAPER,
    "prop-4.1-renyi",
    at="Proposition 4.1, before the conversion",
    kind="privacy guarantee",
    uses=["lemma-c.1", "prop-4.1-counts"],
)
def renyi_cost_of_diff2_gd():
    """The same mechanism is (a, 2 a m_1/(n_p P sigma_1)^2 + 2 a m_2/(n_p P sigma_2)^2)-RDP, for every a > 1;
    records on a line whose gradients are clipped on both sides attain it.
    """
    spent = server_cost(sigma_1, sigma_2, alpha)
    return Private(server_rounds(sigma_1, sigma_2), RDP(alpha, spent), REPLACE, given=[alpha > 1])


@claim(
    PAPER,
    "prop-4.1",
    at="Proposition 4.1, second sentence",
    kind="privacy guarantee",
    uses=["lemma-c.1", "prop-4.1-counts"],
)
def stated_noise_levels_suffice():
    """With a = 1 + ceil(2 log(1/delta)/eps), sigma_1^2 = 4 u a m_1/(N^2 eps) and sigma_2^2 = (4 u/(u - 1)) a
    m_2/(N^2 eps), DIFF2-GD is (eps, delta)-DP for every client, every u > 1, eps > 0 and delta < 1.

    With T = 1 there are no differences, and sigma_2 = 0 is not used.
    """
    first, second = printed_variances(R, T, n_min * P, eps, order, u)
    return Private(
        server_rounds(sp.sqrt(first), sp.sqrt(second)),
        ApproxDP(eps, delta),
        REPLACE,
        given=[u > 1, delta < 1, n_min <= n_p],
        order=order,
    )


@claim(
    PAPER,
    "prop-4.1-dpgd",
    at="Proposition 4.1 with T = 1, u -> 1 (section 6)",
    kind="privacy guarantee",
    uses=["lemma-c.1"],
)
def noise_of_dp_gd_suffices():
    """In the limit u -> 1 that section 6 takes for DP-GD, sigma^2 = 4 a R/(N^2 eps) in all R rounds is enough
    for (eps, delta)-DP.
    """
    sigma = sp.sqrt(printed_variances(R, 1, n_min * P, eps, order, 1)[0])
    step = Gaussian(sigma * C_1, {REPLACE: 2 * C_1 / (n_p * P)})
    return Private(
        Repeated(step, r, 1, R), ApproxDP(eps, delta), REPLACE, given=[delta < 1, n_min <= n_p], order=order
    )


@claim(
    PAPER,
    "prop-4.1-view",
    at="Algorithm 1, lines 17 to 20: what a client sees of DIFF2-GD",
    kind="algorithm property",
    standing="ours",
)
def a_client_sees_what_is_released():
    """A client who receives y = x_r after x = x_{r-1}, y = x - eta v, can tell v = v_r = (x - y)/eta: what
    the clients see is all that Proposition 4.1 is about, and no more, as x_r is made of v_1, ..., v_r alone.
    """
    eta = sp.Symbol("eta", positive=True)
    x, y, v = vectors("x y v")
    return Equal(norm2((x - y) / eta - v), 0, given=[sp.Eq(norm2(y - x + eta * v), 0)])


@claim(
    PAPER,
    "footnote-6",
    at="Footnote 6, for DIFF2-GD",
    kind="privacy guarantee",
    uses=["lemma-c.1-client", "prop-4.1-counts"],
)
def whole_clients_need_n_times_the_noise():
    """The analysis extends to client-level differential privacy: if all records of a client are replaced,
    every mean moves by at most 2 C/P (lemma-c.1-client), and with 1 in the place of n_min Proposition 4.1
    holds as it is: sigma_1^2 = 4 u a m_1/(P^2 eps) and sigma_2^2 = (4 u/(u - 1)) a m_2/(P^2 eps) give (eps,
    delta)-DP for every client as a whole, u > 1.

    For local steps the client whose turn it is replaces every batch: Lemma B.7 saves nothing there.
    """
    first, second = printed_variances(R, T, P, eps, order, u)
    return Private(
        server_rounds(sp.sqrt(first), sp.sqrt(second), P),
        ApproxDP(eps, delta),
        REPLACE,
        given=[u > 1, delta < 1],
        order=order,
    )


SMALLER = sp.Rational(9, 10)


@claim(
    PAPER,
    "prop-4.1-minimum",
    at="Proposition 4.1, its title, and section 4.1",
    kind="optimality",
    expect=REFUTED,
    breaks="text",
    correction="prop-4.1-minimum-corrected",
)
def stated_noise_levels_are_minimal():
    """The noise levels of Proposition 4.1 are the minimum for (eps, delta)-DP: with 9/10 of both, DIFF2-GD is
    not (3, 10^-5)-DP. (The proposition itself says "sufficient", which is right, prop-4.1; its title and
    section 4.1, "reveals the minimum noise levels", say more, and leave a reader no noise to save.)

    Its releases together are one Gaussian release with mu^2 = eps/a = 1/3, divided by (9/10)^2; the least
    delta at eps = 3 is a formula, and no larger than 10^-5.
    """
    mu = 1 / (sp.sqrt(3) * SMALLER)
    return Instance(
        AtMost(sp.Rational(1, 10**5), gaussian_delta(mu, sp.Integer(3)), strict=True),
        let={"eps, delta": "3, 10^-5", "a": "9", "sigma_1, sigma_2": "9/10 of the printed ones"},
        meets=[Equal(renyi_order(sp.Integer(3), sp.Rational(1, 10**5)), 9)],
        because="the conversion from Renyi DP at one order is not tight",
    )


@claim(
    PAPER,
    "prop-4.1-minimum-corrected",
    at="Proposition 4.1, its title, corrected",
    kind="privacy guarantee",
    standing="ours",
)
def less_noise_suffices_at_section_6():
    """At (3, 10^-5), 81/100 of both noise levels is enough for DIFF2-GD to be private, whatever u > 1, R, T,
    n_p, P; for R = 1 and the smallest client 79/100 is not.
    """
    target = (sp.Integer(3), sp.Rational(1, 10**5))
    first, second = printed_variances(R, T, n_min * P, target[0], 9, u)
    share = sp.Rational(81, 100)
    enough = Private(
        server_rounds(share * sp.sqrt(first), share * sp.sqrt(second)),
        ApproxDP(*target),
        REPLACE,
        given=[u > 1, n_min <= n_p],
    )
    mu = 1 / (sp.sqrt(3) * sp.Rational(79, 100))
    return AllOf(enough, AtMost(target[1], gaussian_delta(mu, target[0]), strict=True))


c = sp.Symbol("c", positive=True)


@claim(
    PAPER,
    "prop-4.1-theta",
    at="Proposition 4.1, orders, for eps <= 2 log(1/delta) and restarts within the run",
    kind="asymptotic",
)
def orders_of_the_noise():
    """For 2 <= T <= R and eps <= 2 l, l = log(1/delta), sigma_1^2 = 4 u a ceil(R/T)/(N^2 eps) is between 8
    and 48 times u l R/(T N^2 eps^2), and (u - 1)/u sigma_2^2 = 4 a (R - ceil(R/T))/(N^2 eps) is between 2 and
    24 times l R/(N eps)^2.

    In the statement k = a - 1 = ceil(2 l/eps) and m = ceil(R/T). The range is that in which a reader takes an
    order that hides powers of log(1/delta): eps below 2 log(1/delta) (23 at delta = 10^-5), T <= R as in
    Theorem 4.3, and T >= 2 where there are differences at all; the constants depend on u. Beyond it the order
    fails (prop-4.1-theta-large).
    """
    whole, m = (sp.Symbol(name, integer=True, positive=True) for name in "km")
    a = 1 + whole  # whole = ceil(2 l/eps)
    rounded = [2 * ell <= whole * eps, whole * eps < 2 * ell + eps, eps <= 2 * ell]
    counted = [R <= m * T, m * T <= R + T - 1, T >= 2, T <= R]  # m = ceil(R/T)
    unit = ell * R / (N * eps) ** 2
    first, second = u * a * m / (N**2 * eps), a * (R - m) / (N**2 * eps)

    def between(low, value, high, rounds, fewest, most):
        held, product = [*rounded, *counted], a * eps * rounds
        lower = (
            Theorem(given=held, shows=AtMost(low, value))
            .have(AtMost(2 * ell, a * eps), "a is at least 2 l/eps")
            .have(AtMost(fewest, rounds), "at least as many rounds")
            .have(AtMost(2 * ell * fewest, product), "the product")
        )
        upper = (
            Theorem(given=held, shows=AtMost(value, high))
            .have(AtMost(a * eps, 6 * ell), "a is at most 2 + 2 l/eps")
            .have(AtMost(rounds, most), "at most as many rounds")
            .have(AtMost(product, 6 * ell * most), "the product")
        )
        return lower, upper

    return AllOf(
        *between(8 * u * unit / T, 4 * first, 48 * u * unit / T, m * T, R, 2 * R),
        *between(2 * unit, 4 * second, 24 * unit, R - m, R / 4, R),
    )


@claim(
    PAPER,
    "prop-4.1-theta-large",
    at="Proposition 4.1, orders, for every eps",
    kind="asymptotic",
    standing="ours",
    expect=REFUTED,
    correction="prop-4.1-theta",
)
def orders_of_the_noise_beyond_every_eps():
    """sigma_1^2 = 4 u a ceil(R/T)/(N^2 eps) is of order R/(T N^2 eps^2), but for powers of log(1/delta),
    whatever eps is.

    The path: R = T = N = 1, u = 2, log(1/delta) = 1 and eps = j + 1: a = 1 + ceil(2/eps) = 2 does not fall
    like 1/eps, and 16/eps is not O(1/eps^2). (At T = 1 the unused sigma_2^2 is 0; for T > R, ceil(R/T) is 1
    and not of the order R/T.)
    """
    j = sp.Symbol("j", integer=True, positive=True)
    level = 1 + j
    first = printed_variances(1, 1, 1, level, 2, 2)[0]
    return Instance(
        BigO(sp.sympify(first), 1 / level**2),
        let={"R, T, N": "1", "u": "2", "delta": "1/e", "eps": "1 + j"},
        meets=[Equal(1 + sp.ceiling(2 / level), 2)],
        because="the order a is at least 2, however large eps is",
    )


@claim(PAPER, "remark-4.2", at="Remark 4.2", kind="asymptotic", uses=["prop-4.1", "prop-4.1-dpgd"])
def restarts_need_a_fraction_of_the_noise():
    """Against sigma^2 = 4 a R/(N^2 eps) of DP-GD, sigma_1^2 is T times smaller up to the factor 2 u, and no
    more than T/u times: u sigma^2 <= T sigma_1^2 <= 2 u sigma^2 for T <= R; and (sigma_2 C_{2,r})^2 <= (sigma
    C_1)^2 as soon as C_{2,r} <= sqrt((u - 1)/u) C_1.

    T <= R as in the proof of Theorem 4.3; beyond it a larger T does not make sigma_1 smaller.
    """
    unit = sp.Symbol("C_2r", positive=True)
    plain = printed_variances(R, 1, N, eps, alpha, 1)[0]
    first, second = printed_variances(R, T, N, eps, alpha, u)
    many = AtMost(R, T * restarts)
    few = AtMost(T * restarts, 2 * R)
    differences = Theorem(
        given=[u > 1, unit**2 * u <= (u - 1) * C_1**2],
        shows=AtMost(second * unit**2, plain * C_1**2),
    ).have(AtMost((R - restarts) * unit**2 * u, R * (u - 1) * C_1**2), "fewer rounds, smaller differences")
    return AllOf(
        Theorem(given=[T <= R], shows=AtMost(u * plain, T * first)).have(many, "ceil(R/T) >= R/T"),
        Theorem(given=[T <= R], shows=AtMost(T * first, 2 * u * plain)).have(few, "R + T - 1 <= 2 R"),
        differences,
    )
