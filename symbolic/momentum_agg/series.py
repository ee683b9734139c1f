"""Appendix F, Propositions 13 and 14 and Corollary 15: geometric series over epochs.

sum_i (1-alpha)^(N i) <= max(1, 1/(alpha N))/(1 - 1/e)        Proposition 13

The terms are not negative, so the infinite series is at most b exactly if every partial sum is: what is
stated here is about the sum over i = 0..n for every n (prop-13-infinite is about the whole series). And
max(1, 1/x) is stated case by case: the bound is 1/(1 - 1/e) where x >= 1, and 1/(x (1 - 1/e)) where x <= 1.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED

alpha, gamma = sp.symbols("alpha gamma", positive=True)
N, n = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "n"))
i = sp.Symbol("i", integer=True)
WHOLE = 1 / (1 - sp.exp(-1))  # 1/(1 - 1/e)
RATIO = (1 - alpha) ** N
WITH_GAMMA = alpha * N + sp.log(1 - gamma)  # alpha N - log(1/(1-gamma))


def partial(ratio):
    """sum_{i=0..n} ratio^i."""
    return sp.Sum(ratio**i, (i, 0, n))


@claim(PAPER, "scaled", at="A bound times a factor", kind="inequality", standing="ours")
def bound_times_a_factor():
    """If s <= b and p > 0, then p s <= p b."""
    p, s, b = sp.Symbol("p", positive=True), *sp.symbols("s b", real=True)
    return AtMost(p * s, p * b, given=[s <= b])


@claim(PAPER, "prop-13-power", at="Proposition 13, 1 - x <= exp(-x)", kind="inequality", standing="ours")
def power_is_at_most_an_exponential():
    """0 <= (1-alpha)^N <= exp(-alpha N) for alpha in (0, 1] and whole N."""
    bounds = AllOf(AtMost(0, RATIO), AtMost(RATIO, sp.exp(-alpha * N)))
    return Theorem(given=[alpha <= 1], shows=bounds).cases(alpha < 1, sp.Eq(alpha, 1))


@claim(PAPER, "prop-13-series", at="Proposition 13, geometric series", kind="inequality", standing="ours")
def geometric_series_with_a_ratio_below_an_exponential():
    """If 0 <= r <= exp(-y) with y > 0, then sum_i r^i <= 1/(1 - exp(-y))."""
    r, y = sp.Symbol("r", nonnegative=True), sp.Symbol("y", positive=True)
    return (
        Theorem(given=[r <= sp.exp(-y)], shows=AtMost(partial(r), 1 / (1 - sp.exp(-y))))
        .have(AtMost(r, 1, strict=True), "exp(-y) < 1")
        .have(AtMost(partial(r), 1 / (1 - r)), "a partial sum is below the whole series")
        .have(AtMost(1 / (1 - r), 1 / (1 - sp.exp(-y))), "the whole series grows with its ratio")
    )


@claim(
    PAPER, "prop-13-infinite", at="Proposition 13, the infinite series", kind="inequality", standing="ours"
)
def infinite_series_with_a_ratio_below_an_exponential():
    """If 0 <= r <= exp(-y) with y > 0, the infinite series sum_{i=0..oo} r^i is 1/(1 - r), at most 1/(1 -
    exp(-y)), as its partial sums are (prop-13-series).
    """
    r, y = sp.Symbol("r", nonnegative=True), sp.Symbol("y", positive=True)
    whole = sp.Sum(r**i, (i, 0, sp.oo))
    return (
        Theorem(
            given=[r <= sp.exp(-y)],
            shows=AllOf(Equal(whole, 1 / (1 - r)), AtMost(whole, 1 / (1 - sp.exp(-y)))),
        )
        .have(AtMost(r, 1, strict=True), "exp(-y) < 1")
        .have(AtMost(1 / (1 - r), 1 / (1 - sp.exp(-y))), "the whole series grows with its ratio")
    )


@claim(PAPER, "p13-chord", at="Proposition 13, proof", kind="inequality")
def exponential_is_below_its_chord():
    """exp(-x) <= 1 - (1 - 1/e) x for x in [0, 1] ("the identity")."""
    x = sp.Symbol("x", nonnegative=True)
    return AtMost(sp.exp(-x), 1 - x * (1 - sp.exp(-1)), given=[x <= 1])


@claim(PAPER, "prop-13-small", at="Proposition 13, first case", kind="inequality", standing="ours")
def whole_series_with_a_small_exponent():
    """1/(1 - exp(-y)) <= 1/(y (1 - 1/e)) for y in (0, 1]."""
    y = sp.Symbol("y", positive=True)
    return AtMost(1 / (1 - sp.exp(-y)), WHOLE / y, given=[y <= 1])


@claim(PAPER, "prop-13-large", at="Proposition 13, second case", kind="inequality", standing="ours")
def whole_series_with_a_large_exponent():
    """1/(1 - exp(-y)) <= 1/(1 - 1/e) for y >= 1."""
    y = sp.Symbol("y", positive=True)
    return AtMost(1 / (1 - sp.exp(-y)), WHOLE, given=[y >= 1])


def _bounded(given, ratio, y, lead, case, bound):
    """The series of `ratio` <= exp(-y), which `lead` shows, is at most `bound`."""
    return (
        lead(Theorem(given=given, shows=AtMost(partial(ratio), bound)))
        .use("prop-13-series", "a geometric series", r=ratio, y=y)
        .use(case, "the chord, or beyond it", y=y)
    )


def _power(theorem):
    return theorem.use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=N)


@claim(
    PAPER,
    "prop-13",
    at="Proposition 13",
    kind="inequality",
    uses=["prop-13-power", "prop-13-series", "prop-13-small", "prop-13-large", "p13-chord"],
)
def geometric_series_of_an_epoch():
    """For alpha in (0, 1] and any N: sum_i (1-alpha)^(N i) <= max(1, 1/(alpha N))/(1 - 1/e)."""
    y = alpha * N
    return AllOf(
        _bounded([alpha <= 1, y <= 1], RATIO, y, _power, "prop-13-small", WHOLE / y),
        _bounded([alpha <= 1, y >= 1], RATIO, y, _power, "prop-13-large", WHOLE),
    )


@claim(
    PAPER, "prop-14-exponent", at="Proposition 14, sign of the exponent", kind="inequality", standing="ours"
)
def exponential_is_below_what_its_logarithm_says():
    """If z + log u > 0, then exp(-z) < u."""
    z, u = sp.symbols("z u", positive=True)
    return AtMost(sp.exp(-z), u, given=[z + sp.log(u) > 0], strict=True)


@claim(
    PAPER,
    "prop-14-ratio",
    at="Proposition 14, the ratio of the series",
    kind="inequality",
    uses=["prop-13-power", "prop-14-exponent"],
    standing="ours",
)
def ratio_with_gamma_is_at_most_an_exponential():
    """If log(1/(1-gamma))/N < alpha <= 1: 0 <= (1-alpha)^N/(1-gamma) <= exp(-alpha N)/(1-gamma) < 1."""
    ratio, most = RATIO / (1 - gamma), sp.exp(-alpha * N) / (1 - gamma)
    return _power(
        Theorem(
            given=[alpha <= 1, gamma < 1, WITH_GAMMA > 0],
            shows=AllOf(AtMost(0, ratio), AtMost(ratio, most), AtMost(most, 1, strict=True)),
        )
    ).use("prop-14-exponent", "the exponent is positive", z=alpha * N, u=1 - gamma)


def _with_gamma(theorem):
    return theorem.use("prop-14-ratio", "the ratio", alpha=alpha, N=N, gamma=gamma)


def _near():
    given = [alpha <= 1, gamma < 1, WITH_GAMMA > 0, WITH_GAMMA <= 1]
    return _bounded(given, RATIO / (1 - gamma), WITH_GAMMA, _with_gamma, "prop-13-small", WHOLE / WITH_GAMMA)


def _far():
    given = [alpha <= 1, gamma < 1, WITH_GAMMA >= 1]
    return _bounded(given, RATIO / (1 - gamma), WITH_GAMMA, _with_gamma, "prop-13-large", WHOLE)


@claim(
    PAPER,
    "prop-14-near",
    at="Proposition 14, exponent at most 1",
    kind="inequality",
    uses=["prop-14-ratio", "prop-13-series", "prop-13-small"],
    standing="ours",
)
def geometric_series_with_gamma_and_a_small_exponent():
    """If y = alpha N - log(1/(1-gamma)) is in (0, 1]: sum_i (1-gamma)^-i (1-alpha)^(N i) <= 1/(y (1 -
    1/e)).
    """
    return _near()


@claim(
    PAPER,
    "prop-14-far",
    at="Proposition 14, exponent at least 1",
    kind="inequality",
    uses=["prop-14-ratio", "prop-13-series", "prop-13-large"],
    standing="ours",
)
def geometric_series_with_gamma_and_a_large_exponent():
    """If alpha N - log(1/(1-gamma)) >= 1: sum_i (1-gamma)^-i (1-alpha)^(N i) <= 1/(1 - 1/e)."""
    return _far()


def _again(statement, id):
    """A statement that was shown under another id."""
    names = {"alpha": alpha, "gamma": gamma, "N": N, "n": n}
    return Theorem(given=statement.given, shows=statement.shows).use(id, "this case", **names)


@claim(
    PAPER,
    "prop-14",
    at="Proposition 14, first statement",
    kind="inequality",
    uses=["prop-14-near", "prop-14-far"],
)
def geometric_series_of_an_epoch_with_gamma():
    """If log(1/(1-gamma))/N < alpha <= 1: sum_i (1-gamma)^-i (1-alpha)^(N i) <= max(1, 1/(alpha N -
    log(1/(1-gamma))))/(1 - 1/e).

    Where alpha N = log(1/(1-gamma)), which the paper admits too, the right side is infinite.
    """
    return AllOf(_again(_near(), "prop-14-near"), _again(_far(), "prop-14-far"))


@claim(
    PAPER,
    "p14-step",
    at="Proposition 14, proof, first equality",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="prop-14",
)
def gamma_drops_out_of_the_series():
    """sum_i (1-gamma)^-i (1-alpha)^(N i) = sum_i ((1-alpha)^N)^i. The factor (1-gamma)^-i is lost. (The next
    line has (1-gamma)^i for (1-gamma)^-i, the one after it is right again.)
    """
    return Equal(partial(RATIO / (1 - gamma)), partial(RATIO), given=[alpha < 1, gamma < 1])


@claim(
    PAPER,
    "prop-14-special",
    at="Proposition 14, second statement",
    kind="inequality",
    uses=["prop-14-far"],
)
def series_with_gamma_at_most_a_half():
    """If gamma <= 1/2 and (1 + log 2)/N <= alpha <= 1: sum_i (1-gamma)^-i (1-alpha)^(N i) <= 1/(1 - 1/e)."""
    return (
        Theorem(
            given=[alpha <= 1, gamma <= sp.Rational(1, 2), alpha * N >= 1 + sp.log(2)],
            shows=AtMost(partial(RATIO / (1 - gamma)), WHOLE),
        )
        .have(AtMost(-sp.log(2), sp.log(1 - gamma)), "log(1-gamma) falls with gamma")
        .have(AtMost(1, WITH_GAMMA), "so the exponent is at least 1")
        .use("prop-14-far", "the first statement", alpha=alpha, gamma=gamma, N=N, n=n)
    )


@claim(
    PAPER,
    "prop-14-in-lemma-7",
    at="Lemma 7, proof, uses of Proposition 14 and Corollary 15",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="prop-14-in-lemma-7-corrected",
)
def series_with_gamma_under_the_hypotheses_of_lemma_7():
    """If gamma <= 1/2 and alpha >= 1/N, the hypotheses of Lemma 7: sum_i (1-gamma)^-i (1-alpha)^(N i) <= 1/(1
    - 1/e). (Proposition 14 asks for alpha >= (1 + log 2)/N.)
    """
    return AtMost(
        partial(RATIO / (1 - gamma)),
        WHOLE,
        given=[alpha <= 1, alpha * N >= 1, gamma <= sp.Rational(1, 2)],
    )


@claim(
    PAPER,
    "prop-14-in-lemma-7-corrected",
    at="Lemma 7, proof, Proposition 14 for alpha >= 1/N",
    kind="inequality",
    uses=["prop-13-power", "prop-13-series"],
    standing="ours",
)
def series_with_gamma_under_the_hypotheses_of_lemma_7_corrected():
    """If gamma <= 1/2 and alpha >= 1/N: sum_i (1-gamma)^-i (1-alpha)^(N i) <= 1/(1 - 2/e), about 3.78. (The
    variances of Lemma 7 hold all the same: l7-coefficients.)
    """
    ratio = RATIO / (1 - gamma)
    return (
        Theorem(
            given=[alpha <= 1, alpha * N >= 1, gamma <= sp.Rational(1, 2)],
            shows=AtMost(partial(ratio), 1 / (1 - 2 * sp.exp(-1))),
        )
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=N)
        .have(AtMost(sp.exp(-alpha * N), sp.exp(-1)), "alpha N >= 1")
        .have(AtMost(RATIO, sp.exp(-1)), "so the power is at most 1/e")
        .have(AtMost(0, ratio), "a quotient of powers")
        .have(AtMost(ratio, 2 * sp.exp(-1)), "1 - gamma >= 1/2")
        .use("prop-13-series", "a geometric series", r=ratio, y=1 - sp.log(2))
    )


def gathered(beta, rho, k):
    """c_k = sum_{j=0..k-1} beta^j rho^(k-1-j), the coefficient of a block k - 1 epochs back."""
    j = sp.Symbol("j", integer=True)
    return sp.Sum(beta**j * rho ** (k - 1 - j), (j, 0, k - 1))


@claim(PAPER, "cor-15-factored", at="Corollary 15, first equality", kind="identity")
def last_power_is_taken_out():
    """sum_{j=0..i-1} beta^j rho^(i-1-j) = beta^(i-1) sum_k (rho/beta)^k, k = 0..i-1, i = n + 1."""
    beta, rho = sp.symbols("beta rho", positive=True)
    return Equal(gathered(beta, rho, n + 1), beta**n * partial(rho / beta))


@claim(
    PAPER,
    "cor-15",
    at="Corollary 15",
    kind="inequality",
    uses=["prop-13-power", "cor-15-factored", "prop-13-series", "prop-13-small", "prop-13-large", "scaled"],
)
def discounted_powers_of_two_rates():
    """sum_{j=0..i-1} beta^j rho^(i-1-j) <= beta^(i-1) max(1, 1/y)/(1 - 1/e), i = n + 1, for beta = 1-gamma,
    rho = (1-alpha)^N and y = alpha N - log(1/(1-gamma)) > 0, that is exp(-alpha N) = beta exp(-y): all that
    is used of rho is rho <= exp(-alpha N), which is shown first. (At i = 1 both sides have beta^0; at alpha =
    1 the left side is beta^(i-1).)
    """
    beta, rho, y = sp.symbols("beta rho y", positive=True)

    def part(case, bound, id):
        return (
            Theorem(
                given=[rho <= beta * sp.exp(-y), case],
                shows=AtMost(gathered(beta, rho, n + 1), beta**n * bound),
            )
            .have(AtMost(rho / beta, sp.exp(-y)), "divided by beta")
            .use("cor-15-factored", "beta^(i-1) taken out", beta=beta, rho=rho, n=n)
            .use("prop-13-series", "a geometric series", r=rho / beta, y=y)
            .use(id, "Proposition 14", y=y)
            .have(AtMost(partial(rho / beta), bound), "both")
            .use("scaled", "times beta^(i-1)", p=beta**n, s=partial(rho / beta), b=bound)
        )

    power = Theorem(given=[alpha <= 1], shows=AtMost(RATIO, sp.exp(-alpha * N)))
    return AllOf(
        _power(power), part(y <= 1, WHOLE / y, "prop-13-small"), part(y >= 1, WHOLE, "prop-13-large")
    )
