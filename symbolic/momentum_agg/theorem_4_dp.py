"""Theorem 4, second sentence, and Appendix D.1: from Renyi to approximate privacy.

eps = z/(2 sigma^2) + ln(1/delta)/(z - 1), the least over z
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.guarantees import ApproxDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import REPLACE
from dpverify.relations import ArgMin, AtMost, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.algorithm_1 import delta, eps, sigma
from dpverify.symbolic.momentum_agg.theorem_4_rdp import chance_of_a_turned_sign
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

ell = sp.log(1 / delta)


def converted(scale, size=1):
    """size z/(2 sigma^2) + l/(z - 1) at its least, z = 1 + sqrt(2 sigma^2 l/size)."""
    order = 1 + sp.sqrt(2 * scale**2 * LOG / size)
    return size * order / (2 * scale**2) + LOG / (order - 1)


def least_loss(size, times, share):
    """size z/(2 sigma^2) + l/(z - 1) at its best z is at most eps, if sigma >= times sqrt(l)/eps and eps <=
    share l.
    """
    loss = size / (2 * sigma**2) + 2 * sp.sqrt(size * LOG / (2 * sigma**2))
    return (
        Theorem(given=[sigma >= times * sp.sqrt(LOG) / eps, eps <= share * LOG], shows=AtMost(loss, eps))
        .have(AtMost(1 / sigma, eps / (times * sp.sqrt(LOG))), "the least sigma")
        .have(AtMost(1 / sigma**2, eps**2 / (times**2 * LOG)), "squared")
        .have(AtMost(eps**2 / LOG, share * eps), "eps <= share l")
        .have(AtMost(sp.sqrt(LOG) / sigma, eps / times), "times sqrt(l)")
    )


LOG = sp.Symbol("l", positive=True)  # log(1/delta)
LEAST_SIGMA = 1 / (sp.sqrt(2 * LOG + 2 * eps) - sp.sqrt(2 * LOG))
AT_BEST = 1 / (2 * sigma**2) + 2 * sp.sqrt(LOG / (2 * sigma**2))


@claim(PAPER, "thm-4-conv-z", at="Appendix D.1, optimising over z", kind="optimality")
def best_order_of_the_conversion():
    """z = 1 + sqrt(2 sigma^2 l) alone minimises z/(2 sigma^2) + l/(z - 1) over z > 1, and the least value is
    1/(2 sigma^2) + 2 sqrt(l/(2 sigma^2)).
    """
    order = sp.Symbol("u", positive=True)  # z - 1
    best = ArgMin((1 + order) / (2 * sigma**2) + LOG / order, order, sp.sqrt(2 * sigma**2 * LOG), unique=True)
    return AllOf(best, Equal(converted(sigma), AT_BEST))


@claim(PAPER, "thm-4-conv-quad", at="Appendix D.1, first display", kind="inequality", uses=["thm-4-conv-z"])
def smallest_sigma_of_the_conversion():
    """1/(2 sigma^2) + 2 sqrt(l/(2 sigma^2)) <= eps for sigma >= 1/(sqrt(2l + 2 eps) - sqrt(2l)), with
    equality at the end, and for no smaller sigma.
    """
    r, least = sp.symbols("r r_0", positive=True)  # 1/sigma and its largest value
    loss, root = r**2 / 2 + sp.sqrt(2 * LOG) * r, sp.sqrt(2 * LOG + 2 * eps) - sp.sqrt(2 * LOG)
    return AllOf(
        Equal(AT_BEST, loss, given=[sp.Eq(r, 1 / sigma)]),
        Equal(loss, eps, given=[sp.Eq(r, root)]),
        AtMost(loss, loss.subs(r, least), given=[r <= least]),
        AtMost(loss.subs(r, least), loss, given=[least < r], strict=True),
    )


@claim(PAPER, "thm-4-sqrt", at="Appendix D.1, in pursuit of a simpler expression", kind="inequality")
def concavity_of_the_root():
    """sqrt(x + y) >= sqrt(x) + y/(2 sqrt(x + y))."""
    x, more = sp.symbols("x y", positive=True)
    return AtMost(sp.sqrt(x) + more / (2 * sp.sqrt(x + more)), sp.sqrt(x + more))


@claim(
    PAPER,
    "thm-4-conv-suff",
    at="Appendix D.1, second display",
    kind="inequality",
    uses=["thm-4-conv-quad", "thm-4-sqrt"],
)
def simpler_sigma_suffices():
    """sigma >= sqrt(2l + 2 eps)/eps suffices: it is at least the smallest sigma of the conversion."""
    return AtMost(LEAST_SIGMA, sp.sqrt(2 * LOG + 2 * eps) / eps)


@claim(
    PAPER,
    "thm-4-conv-last",
    at="Appendix D.1, the last sentence",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="thm-4-conv-last-corrected",
)
def two_root_log_is_larger_for_large_delta():
    """If delta >= exp(-eps), that is l <= eps, then sqrt(2l + 2 eps)/eps <= 2 sqrt(l)/eps."""
    return AtMost(sp.sqrt(2 * LOG + 2 * eps) / eps, 2 * sp.sqrt(LOG) / eps, given=[LOG <= eps])


@claim(
    PAPER,
    "thm-4-conv-last-corrected",
    at="Appendix D.1, the last sentence, corrected",
    kind="inequality",
    standing="ours",
)
def two_root_log_is_larger_for_small_delta():
    """If delta <= exp(-eps), then sqrt(2l + 2 eps)/eps <= 2 sqrt(l)/eps."""
    return AtMost(sp.sqrt(2 * LOG + 2 * eps) / eps, 2 * sp.sqrt(LOG) / eps, given=[eps <= LOG])


@claim(
    PAPER,
    "thm-4-dp",
    at="Theorem 4, second sentence",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="privacy",
    correction="thm-4-dp-corrected",
)
def two_root_log_over_eps_suffices_for_large_delta():
    """If delta >= exp(-eps), then Algorithm 1 with sigma = 2 sqrt(log(1/delta))/eps is (eps, delta)-DP.

    The case is that of thm-4-rdp, less than one epoch, at (12, 1e-5), delta below 1/N: N = 65536, T = 2, and
    a step goes up with chance p on D and p + (1 - 2p)/N on D'. (In whole passes, T >= N, and with alpha >=
    1/N it can fail only where eps is above 2.34 log(1/delta), 27 at delta = 1e-5: thm-4-dp-corrected,
    thm-4-dp-passes.)
    """
    count = 2**16
    steps = 2
    budget = sp.Integer(12)
    level = sp.log(sp.Integer(10) ** 5)
    V = sp.Rational((16 + 1) * steps, count)
    p = chance_of_a_turned_sign(2 * sp.sqrt(level) / budget, V)
    return Instance(
        AtMost(p + (1 - 2 * p) / count, sp.exp(budget) * p + sp.Rational(1, 10**5)),
        let={
            "N, T, R": "65536, 2, any from 16 on",
            "alpha, G, d": "1",
            "f(w, x)": "x w, x = 1 for every record, x = -1 for one of D'",
            "eps, delta": "12, 1e-5",
            "event": "w_2 > w_1",
        },
        meets=[AtMost(sp.exp(-budget), sp.Rational(1, 10**5))],
        because="the one occurrence of the record is counted as T/N of one, and there is hardly any noise",
    )


@claim(
    PAPER,
    "thm-4-dp-passes",
    at="Theorem 4, second sentence, in whole passes",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-4-dp-corrected",
    standing="ours",
)
def two_root_log_over_eps_suffices_in_whole_passes():
    """If delta >= exp(-eps), T >= N and eps <= 20, then Algorithm 1 with sigma = 2 sqrt(log(1/delta))/eps is
    (eps, delta)-DP: what is left of Theorem 4 in whole passes. With alpha >= 1/N it can fail only where
    eps > 2.34 log(1/delta) (thm-4-dp-corrected); this case needs a delta near 1, .98 at eps = 10.

    The case: one record, two steps, one dimension: w_2 - w_1 = -eta sign(m_1 + zeta), m_1 = alpha G or -alpha
    G, zeta ~ N(0, 16 alpha^2 G^2 sigma^2 V).
    """
    steps, count = 2, 1
    V = (0 + 1) * sp.Rational(steps, count) + sum(steps // 2**level for level in range(1, 3))
    wrong = chance_of_a_turned_sign(2 * sp.sqrt(ell) / eps, V)
    relation = AtMost(
        1 - wrong, sp.exp(eps) * wrong + delta, given=[delta >= sp.exp(-eps), delta < 1, eps <= 20]
    )
    case = {
        "N": "1",
        "T": "2",
        "alpha": "1",
        "d": "1",
        "f(w, x)": "G x w with x = 1, or x = -1 on the neighbour",
        "event": "w_2 < w_1",
    }
    return Instance(relation, let=case, because="Theorem 4 promises P(event) <= exp(eps) P'(event) + delta")


@claim(
    PAPER,
    "thm-4-dp-corrected",
    at="Theorem 4, second sentence, corrected",
    kind="privacy guarantee",
    uses=["thm-4-rdp-corrected", "thm-4-conv-z"],
    standing="ours",
)
def two_root_log_over_eps_suffices_for_small_delta():
    """(z, z/(2 sigma^2))-RDP for every z with sigma >= 2 sqrt(l)/eps is (eps, delta)-DP if eps <= 8 (1 -
    1/sqrt 2) l = 2.34 l, in particular if delta <= exp(-eps): the best of z/(2 sigma^2) + l/(z - 1)
    (thm-4-conv-z) is at most eps; and so is one Gaussian release of sensitivity 1 and scale sigma, which has
    that curve.
    """
    share = 8 * (1 - 1 / sp.sqrt(2))
    given = [delta < 1, sigma >= 2 * sp.sqrt(ell) / eps, eps <= share * ell]
    return AllOf(
        least_loss(sp.Integer(1), 2, share),
        Private(Gaussian(sigma, {REPLACE: 1}), ApproxDP(eps, delta), REPLACE, given=given),
    )
