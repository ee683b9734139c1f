"""Appendix B: Lemma B.7, the two phases of the weights.

h(t) = gamma^(t-1) (1 - beta^t),   T_hat = max{t: h(t) >= 1 - beta}
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Increasing
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import INSIDE, beta, gamma, t, weight
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


def h(x):
    """gamma^(x-1) (1 - beta^x)."""
    return gamma ** (x - 1) * (1 - beta**x)


@claim(PAPER, "lemma-b.7-powers", at="Lemma B.7, two bounds of powers", kind="inequality", standing="ours")
def powers_behind_the_weights():
    """1 - (t-1)(1-gamma) <= gamma^(t-1) for gamma in (0, 1)."""
    return Theorem(given=[gamma < 1], shows=AtMost(1 - (t - 1) * (1 - gamma), gamma ** (t - 1))).induct(t, 1)


@claim(PAPER, "lemma-b.7-sum", at="Lemma B.7, a geometric sum", kind="inequality", standing="ours")
def geometric_sum_behind_the_weights():
    """(1-beta)(1 + (t-1) beta^t) <= 1 - beta^t for beta in (0, 1)."""
    shows = AtMost((1 - beta) * (1 + (t - 1) * beta**t), 1 - beta**t)
    return Theorem(given=[beta < 1], shows=shows).induct(t, 1)


@claim(PAPER, "lemma-b.7-falls", at="Lemma B.7, where h falls it goes on", kind="inequality", standing="ours")
def where_h_falls_it_goes_on_falling():
    """If h(t+1) <= h(t), that is gamma (1-beta^(t+1)) <= 1 - beta^t, then gamma^m (1-beta^(t+m)) <= 1 -
    beta^t for every m >= 0.
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    later = gamma * (1 - beta ** (t + m + 1))
    return (
        Theorem(
            given=[*INSIDE, gamma * (1 - beta ** (t + 1)) <= 1 - beta**t],
            shows=AtMost(gamma**m * (1 - beta ** (t + m)), 1 - beta**t),
        )
        .have(AtMost(later, 1 - beta ** (t + m)), "it falls at t + m too")
        .have(AtMost(gamma**m * later, gamma**m * (1 - beta ** (t + m))), "times gamma^m")
        .induct(m, 0)
    )


@claim(
    PAPER,
    "lemma-b.7-rising",
    at="Lemma B.7, where h rises",
    kind="inequality",
    uses=["lemma-b.7-powers", "lemma-b.7-sum"],
    standing="ours",
)
def weight_is_below_the_power_where_h_rises():
    """If h(t+1) >= h(t), that is gamma (1-beta^(t+1)) >= 1 - beta^t, then (1-beta)/(1-beta^t) <= gamma^(t-1):
    h(t) >= h(1).
    """
    bt = 1 - beta**t
    return (
        Theorem(
            given=[*INSIDE, gamma * (1 - beta ** (t + 1)) >= bt], shows=AtMost(weight(t), gamma ** (t - 1))
        )
        .use("lemma-b.7-powers", "Bernoulli", t=t, gamma=gamma)
        .use("lemma-b.7-sum", "the geometric sum", t=t, beta=beta)
        .have(AtMost(bt * (1 - gamma), beta**t * (1 - beta)), "h rises at t")
        .have(AtMost((t - 1) * bt * (1 - gamma), (t - 1) * beta**t * (1 - beta)), "times t - 1")
        .have(AtMost(bt * (1 - (t - 1) * (1 - gamma)), bt * gamma ** (t - 1)), "times b_t")
        .have(AtMost(1 - beta, bt * gamma ** (t - 1)), "h(t) >= h(1)")
    )


@claim(
    PAPER,
    "lemma-b.7-falling",
    at="Lemma B.7, where h falls",
    kind="inequality",
    uses=["lemma-b.7-falls"],
    standing="ours",
)
def weight_is_below_the_power_where_h_falls():
    """If h(t+1) <= h(t) and (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), T_hat = t + m, then
    (1-beta)/(1-beta^t) <= gamma^(t-1): h(t) >= h(T_hat) >= h(1).
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    bt = 1 - beta**t
    return (
        Theorem(
            given=[
                *INSIDE,
                gamma * (1 - beta ** (t + 1)) <= bt,
                weight(t + m) <= gamma ** (t + m - 1),
            ],
            shows=AtMost(weight(t), gamma ** (t - 1)),
        )
        .use("lemma-b.7-falls", "from t to T_hat", t=t, m=m)
        .have(AtMost(1 - beta, gamma ** (t + m - 1) * (1 - beta ** (t + m))), "h(T_hat) >= h(1)")
        .have(
            AtMost(gamma ** (t - 1) * (gamma**m * (1 - beta ** (t + m))), gamma ** (t - 1) * bt),
            "h(T_hat) <= h(t)",
        )
        .have(AtMost(1 - beta, gamma ** (t - 1) * bt), "h(t) >= h(1)")
    )


@claim(
    PAPER,
    "lemma-b.7-before",
    at="Lemma B.7, t <= T_hat",
    kind="inequality",
    uses=["lemma-b.7-rising", "lemma-b.7-falling"],
    standing="ours",
)
def weights_are_geometric_up_to_t_hat():
    """If (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), T_hat = t + m with m >= 0, then (1-beta)/(1-beta^t) <=
    gamma^(t-1).
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    rise, bt = gamma * (1 - beta ** (t + 1)), 1 - beta**t
    return (
        Theorem(
            given=[*INSIDE, weight(t + m) <= gamma ** (t + m - 1)],
            shows=AtMost(weight(t), gamma ** (t - 1)),
        )
        .use("lemma-b.7-rising", "where h rises", when=rise >= bt, t=t)
        .use("lemma-b.7-falling", "where h falls", when=rise <= bt, t=t, m=m)
        .cases(rise >= bt, rise <= bt)
    )


@claim(
    PAPER,
    "lemma-b.7-squared",
    at="Lemma B.7, t <= T_hat, squared",
    kind="inequality",
    uses=["lemma-b.7-before"],
    standing="ours",
)
def squared_weights_are_geometric_up_to_t_hat():
    """If (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), T_hat = t + m with m >= 0, then ((1-beta)/(1-beta^t))^2
    <= gamma^(2(t-1)).
    """
    m = sp.Symbol("m", integer=True, nonnegative=True)
    return (
        Theorem(
            given=[*INSIDE, weight(t + m) <= gamma ** (t + m - 1)],
            shows=AtMost(weight(t) ** 2, gamma ** (2 * (t - 1))),
        )
        .use("lemma-b.7-before", "Lemma B.7", t=t, m=m)
        .have(AtMost(0, weight(t)), "beta < 1")
        .have(AtMost(weight(t) ** 2, (gamma ** (t - 1)) ** 2), "squared")
    )


@claim(PAPER, "momentum-weight-squared", at="Lemma B.7, every t, squared", kind="inequality", standing="ours")
def squared_weights_are_at_most_one():
    """((1-beta)/(1-beta^t))^2 <= 1 for t >= 1."""
    return (
        Theorem(given=[beta < 1], shows=AtMost(weight(t) ** 2, 1))
        .have(AtMost(beta**t, beta), "t >= 1")
        .have(AtMost(weight(t), 1), "so the weight is at most 1")
        .have(AtMost(0, weight(t)), "and not negative")
    )


@claim(
    PAPER,
    "lemma-b.7",
    at="Lemma B.7",
    kind="inequality",
    uses=["lemma-b.7-before"],
)
def weights_are_geometric_up_to_t_hat_and_small_after():
    """If (1-beta)/(1-beta^T_hat) <= gamma^(T_hat-1), then (1-beta)/(1-beta^t) <= gamma^(t-1) for every whole
    t <= T_hat, and (1-beta)/(1-beta^t) < gamma^(T_hat-1) for every t > T_hat.
    """
    last = sp.Symbol("T_hat", integer=True, positive=True)
    given = [*INSIDE, weight(last) <= gamma ** (last - 1)]
    return AllOf(
        Theorem(given=[*given, t <= last], shows=AtMost(weight(t), gamma ** (t - 1))).use(
            "lemma-b.7-before", "T_hat - t steps on", t=t, m=last - t
        ),
        Theorem(given=[*given, t > last], shows=AtMost(weight(t), gamma ** (last - 1), strict=True))
        .have(AtMost(beta**t, beta**last, strict=True), "t > T_hat")
        .have(AtMost(weight(t), weight(last), strict=True), "the weights decrease"),
    )


@claim(PAPER, "proof-b.7-deriv", at="Proof of Lemma B.7, h'(t)", kind="identity")
def derivative_of_h():
    """h'(t) = gamma^(t-1) (1 - beta^t (1 + log_gamma beta)) ln gamma, which is 0 where beta^t = 1/(1 +
    log_gamma beta), that is at t_0 = -log_beta(1 + log_gamma beta) (r stands for log_gamma beta).
    """
    x = sp.Symbol("x", positive=True)
    ratio = sp.log(beta) / sp.log(gamma)
    stated = gamma ** (x - 1) * (1 - beta**x * (1 + ratio)) * sp.log(gamma)
    r = sp.Symbol("r", positive=True)
    return AllOf(
        Equal(sp.Derivative(h(x), x), stated, given=INSIDE),
        Equal(1 - beta**x * (1 + r), 0, given=[*INSIDE, sp.Eq(beta**x, 1 / (1 + r))]),
    )


@claim(PAPER, "proof-b.7-signs", at="Proof of Lemma B.7, the sign of h'(t)", kind="monotonicity")
def factor_of_the_derivative_increases():
    """1 - beta^t (1 + log_gamma beta) is -log_gamma beta < 0 at t = 0, increases with t and tends to 1."""
    x = sp.Symbol("x", nonnegative=True)
    ratio = sp.Symbol("r", positive=True)  # log_gamma beta
    factor = 1 - beta**x * (1 + ratio)
    return AllOf(
        Equal(factor, -ratio, given=[beta < 1, sp.Eq(x, 0)]),
        Increasing(factor, x, given=[beta < 1], strict=True),
        Equal(sp.Limit(factor, x, sp.oo), 1, given=[beta < 1]),
    )


@claim(
    PAPER,
    "proof-b.7-concave",
    at="Proof of Lemma B.7",
    kind="monotonicity",
    expect=REFUTED,
    breaks="proof",
    correction="proof-b.7-concave-corrected",
)
def h_is_concave():
    """h(t) = gamma^(t-1) (1 - beta^t) is a concave function: at whole t, (h(t) + h(t+2))/2 <= h(t+1)."""
    return AtMost((h(t) + h(t + 2)) / 2, h(t + 1), given=INSIDE)


@claim(
    PAPER,
    "proof-b.7-concave-corrected",
    at="Proof of Lemma B.7, corrected",
    kind="monotonicity",
    standing="ours",
)
def log_h_is_concave():
    """(log h)'' = -(ln beta)^2 beta^t/(1-beta^t)^2 <= 0 for t > 0: log h is concave, if h is not."""
    x = sp.Symbol("x", positive=True)
    log = (x - 1) * sp.log(gamma) + sp.log(1 - beta**x)
    curvature = -(sp.log(beta) ** 2) * beta**x / (1 - beta**x) ** 2
    return AllOf(
        Equal(sp.Derivative(log, (x, 2)), curvature, given=INSIDE), AtMost(curvature, 0, given=INSIDE)
    )


@claim(
    PAPER,
    "proof-b.7-monotone",
    at="Proof of Lemma B.7, last line",
    kind="monotonicity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="proof-b.7-monotone-corrected",
)
def weights_increase():
    """(1-beta)/(1-beta^t) monotonically increases with t."""
    return Increasing((1 - beta) / (1 - beta**t), t, given=[beta < 1])


@claim(
    PAPER,
    "proof-b.7-monotone-corrected",
    at="Proof of Lemma B.7, last line, corrected",
    kind="monotonicity",
    standing="ours",
)
def weights_decrease():
    """(1-beta)/(1-beta^t) strictly decreases with t, which is what the last line needs."""
    return Increasing((1 - beta) / (1 - beta**t), t, given=[beta < 1], strict=True, down=True)
