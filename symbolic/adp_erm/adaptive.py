"""Section 5.2: AdaGrad-norm steps, b_{t+1}^2 = b_t^2 + max(|grad f|^2, nu), and alpha_t = (b_0^2 + t
C)^(1/4).
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance, Quoted
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.utility import G, L, T, eta, t
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

nu, start = sp.symbols("nu b0_2", positive=True)  # nu, b_0^2
square = sp.Symbol("g2", nonnegative=True)  # |grad f|^2
LOG = sp.log(1 + T * nu / start)


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
)
def range_of_b():
    """One step adds between nu and G^2 to b^2, and so b_T^2 is between b_0^2 + T nu and b_0^2 + T G^2 (B[t]
    is b_{t-1}^2).
    """
    B = sp.IndexedBase("B", positive=True)
    grown = sp.Sum(B[t + 1] - B[t], (t, 1, T))
    telescoped = Equal(grown, B[T + 1] - B[1])
    return AllOf(
        AtMost(nu, sp.Max(square, nu)),
        AtMost(sp.Max(square, nu), G**2, given=[square <= G**2, nu <= G**2]),
        Theorem(given=[ForEvery(AtMost(B[t] + nu, B[t + 1]), t, 1, T)], shows=AtMost(B[1] + T * nu, B[T + 1]))
        .sum(AtMost(nu, B[t + 1] - B[t]), (t, 1, T), "each step")
        .have(telescoped, "it telescopes"),
        Theorem(
            given=[ForEvery(AtMost(B[t + 1], B[t] + G**2), t, 1, T)], shows=AtMost(B[T + 1], B[1] + T * G**2)
        )
        .sum(AtMost(B[t + 1] - B[t], G**2), (t, 1, T), "each step")
        .have(telescoped, "it telescopes"),
    )


@claim(PAPER, "thm-d.1", at="Theorem D.1", kind="inequality", expect=UNDECIDED)
def convergence_with_adaptive_steps():
    """The convergence of Algorithm 1 with b from the gradients."""
    return Quoted(
        "the theorem stands in an appendix that is not part of the text that we have, so it has no form"
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
    l^2)/(2 l^3). So b may be replaced by u, at a price whose sum over t is bounded.
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
    at="Proposition 5.2, Eq (11)",
    kind="inequality",
    uses=["thm-d.1"],
    expect=UNDECIDED,
)
def bound_of_adp_sgd_with_adaptive_steps():
    """E|grad F|^2 <= 2 G B_sgd/sqrt(T-1) + 128 G^3 eta d L B_delta sqrt T/(n^2 eps^2 nu)."""
    return Quoted(
        "B_sgd and Theorem D.1 are not in the text. At nu = C = G^2, where b is public, the last "
        "term is that of Eq "
        "(9), half of what follows"
    )


@claim(
    PAPER,
    "prop-5.2-eq12",
    at="Proposition 5.2, Eq (12)",
    kind="inequality",
    uses=["thm-d.1"],
    expect=UNDECIDED,
)
def bound_of_dp_sgd_with_adaptive_steps():
    """E|grad F|^2 <= 2 G B_sgd/sqrt(T-1) + 32 G^3 eta d L B_delta sqrt T log(1 + T nu/b_0^2)/(n^2 eps^2
    nu).
    """
    return Quoted(
        "B_sgd and Theorem D.1 are not in the text. At nu = G^2, where b is public, the last "
        "term is an eighth of "
        "that of Eq (10)"
    )


@claim(
    PAPER,
    "prop-5.2-factor",
    at="Below Proposition 5.2",
    kind="asymptotic",
    expect=REFUTED,
    breaks="text",
    correction="prop-5.2-factor-corrected",
)
def bound_of_adp_is_tighter():
    """The last term of Eq (11) is tighter than that of Eq (12): 128 <= 32 log(1 + T nu/b_0^2).

    The case: the paper's own experiments, nu = 1e-5, b_0^2 = 20, T = 11700: log(1 + T nu/b_0^2) is below
    .006, and the bound of DP is more than 600 times smaller.
    """
    stated = sp.log(1 + sp.Rational(11700, 20 * 10**5))
    return Instance(
        AtMost(128, 32 * stated),
        let={"nu": "1/100000", "b_0^2": "20", "T": "11700"},
        because="the logarithm is small until T is large against b_0^2/nu",
    )


@claim(PAPER, "prop-5.2-factor-corrected", at="Below Proposition 5.2, corrected", kind="asymptotic")
def bound_of_adp_is_tighter_for_many_steps():
    """The last term of Eq (11) is at most that of Eq (12) if x = T nu/b_0^2 >= 54 (e^4 - 1 is enough), and
    then by the factor log(1 + x)/4.
    """
    x = sp.Symbol("x", positive=True)
    return AtMost(128, 32 * sp.log(1 + x), given=[x >= 54])


@claim(
    PAPER,
    "intro-adaptive-same",
    at="Section 1, steps updated by the gradients",
    kind="asymptotic",
    uses=["prop-5.2-eq11", "prop-5.2-eq12"],
)
def adaptive_steps_gain_a_logarithm_too():
    """With steps updated by the gradients the last terms of Eqs (12) and (11) have the ratio log(1 + T
    nu/b_0^2)/4, of the order log T (as bounds; the privacy of it fails, thm-4.1-adaptive).
    """
    d, B, scale = sp.symbols("d B_delta k", positive=True)  # k = sqrt(T)/(n eps)^2
    adaptive = 128 * G**3 * eta * d * L * B * scale / nu
    constant = 32 * G**3 * eta * d * L * B * scale * LOG / nu
    return Equal(constant / adaptive, LOG / 4)
