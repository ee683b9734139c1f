"""Sections 1 and 2: what is claimed of the noise and of neighbours, the gradients, the three updates, what is
revealed.

GD  x - alpha g(x);   HB  x - alpha g(x) + beta (x - x');   NAG  z - alpha g(z), z = (1 + beta) x - beta x'
Eqs (2.4)-(2.6)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance, Quoted
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

n, m, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "d"))
alpha, beta = sp.symbols("alpha beta", positive=True)
x, p, w = sp.symbols("x p w", real=True)  # x_t, x_{t-1}, noise
R = sp.Rational


@claim(
    PAPER,
    "sec1-uncorr",
    at="Section 1, after Theorem 3.5",
    kind="algorithm property",
    expect=REFUTED,
    correction="sec1-uncorr-corrected",
    breaks="text",
)
def uncorrelated_noise_is_enough():
    """The results hold for noise that is merely uncorrelated with the state, of bounded variance (here: Lemma
    B.1, the step of every heavy ball bound).
    """
    # F(x) = x^2/2 for x <= 0 and x^2 for x > 0: mu = 1, L = 2. x_t = x_{t-1} uniform on -1, 0, 1; w = -1, 2,
    # -1 there.
    size, decay = R(1, 10), R(99, 100)  # alpha, rho^2

    def F(v: sp.Rational) -> sp.Rational:
        return v**2 if v > 0 else v**2 / 2

    def slope(v: sp.Rational) -> sp.Rational:
        return 2 * v if v > 0 else v

    states = [(R(-1), R(-1)), (R(0), R(2)), (R(1), R(-1))]
    mean = sum(noise for _, noise in states) / 3
    correlation = sum(v * noise for v, noise in states) / 3
    left = right = R(0)
    for v, noise in states:
        u = slope(v)
        after = F(v - size * (u + noise))
        left += (size * (2 - 2 * size) / 2 * u**2 + (1 - decay) * (v**2 / 2 - v * u)) / 3
        right += (decay * F(v) - after + size**2 * noise**2) / 3
    let = {
        "F": "x^2/2 for x <= 0, x^2 for x > 0",
        "mu, L": "1, 2",
        "x_t = x_{t-1}": "-1, 0, 1 with probability 1/3 each",
        "w_t": "-1, 2, -1 there",
        "alpha": "1/10",
        "rho^2": "99/100",
    }
    return Instance(
        AtMost(left, right),
        let=let,
        meets=[Equal(mean, 0), Equal(correlation, 0)],
        because="E w = 0 and E w x = 0, but E w grad F(x) = -1/3: the gradient is not linear in the state",
    )


@claim(
    PAPER,
    "sec1-uncorr-corrected",
    at="Section 1, after Theorem 3.5",
    kind="algorithm property",
    uses=["lem-b.1"],
    standing="ours",
)
def uncorrelated_noise_is_enough_on_quadratics():
    """On quadratics, noise uncorrelated with the whole state (x_t, x_{t-1}) is enough for second moments: in
    every direction of an eigenvector E x_{t+1}^2 is what independent noise of the same variance gives. (That
    it is not enough elsewhere is sec1-uncorr.)
    """
    a, c, e = sp.symbols("a c e", real=True)  # a = 1 + beta - alpha lambda; E[x w], E[p w]
    xx, xp, pp, ww = sp.symbols("xx xp pp ww", real=True)  # second moments
    moments = {(2, 0, 0): xx, (1, 1, 0): xp, (0, 2, 0): pp, (0, 0, 2): ww, (1, 0, 1): c, (0, 1, 1): e}
    moved = sp.Poly((a * x - beta * p - alpha * w) ** 2, x, p, w)
    mean = sum(coefficient * moments[powers] for powers, coefficient in moved.terms())
    stated = a**2 * xx - 2 * a * beta * xp + beta**2 * pp + alpha**2 * ww
    return Equal(mean, stated, given=[sp.Eq(c, 0), sp.Eq(e, 0)])


@claim(
    PAPER,
    "sec1-nbr",
    at="Section 1 against Section 2.2",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="prop-3.1",
    standing="ours",
)
def guarantee_holds_when_an_item_is_added_or_removed():
    """DP-SHB is eps-DP for data sets of which one has an item added or removed, as Section 1 words it in
    passing. (Section 2.2, Definition A.2 and the proofs use a replaced item, and hold.)
    """
    o = sp.Symbol("o", positive=True)
    S, eps = sp.symbols("S epsilon", positive=True)

    def density(records: int) -> sp.Expr:  # all gradients 0, T = 1, m = n: only the scale S/(n eps) tells n
        scale = S / (records * eps)
        return sp.exp(-o / scale) / (2 * scale)

    let = {"data": "two records of gradient 0; one of them removed", "T": "1", "m": "n", "b": "S_1/(n eps)"}
    relation = AtMost(density(1), sp.exp(eps) * density(2), given=[sp.Eq(S, 1), sp.Eq(eps, 1)])
    return Instance(
        relation,
        let=let,
        because="the scale of the noise depends on n: the tails of the two densities differ without bound",
    )


@claim(PAPER, "sec1-novel", at="Section 1, Section 3.2", kind="(priority)", expect=UNDECIDED)
def result_was_not_known_before():
    """To the best of the authors' knowledge such a result has not been shown before."""
    return Quoted(
        "a statement on the literature, not on mathematics; nothing here could confirm or refute it"
    )


@claim(PAPER, "eq-2.3", at="Eq (2.3)", kind="identity", standing="definition")
def gradient_of_the_mean_is_the_mean_of_gradients():
    """grad F(x) = (1/n) sum_i grad f(x; y_i), on the logistic loss f(x; y) = ln(1 + e^(-y x))."""
    i, y = sp.Symbol("i", integer=True, positive=True), sp.IndexedBase("y", real=True)
    F = sp.Sum(sp.log(1 + sp.exp(-y[i] * x)), (i, 1, n)) / n
    return Equal(sp.Derivative(F, x), sp.Sum(-y[i] / (1 + sp.exp(y[i] * x)), (i, 1, n)) / n)


@claim(PAPER, "eq-2.4-2.6", at="Eqs (2.4)-(2.6)", kind="definition")
def no_momentum_gives_gradient_descent():
    """GD x_t - alpha grad F(x_t), HB with + beta (x_t - x_{t-1}), NAG from z = (1 + beta) x_t - beta x_{t-1}:
    where beta = 0 the step of HB is that of GD, and z is x_t, in every coordinate.
    """
    now, before, gradient = sp.symbols("x_t x_before g", real=True)
    momentum = sp.Symbol("beta", nonnegative=True)
    none = [sp.Eq(momentum, 0)]
    heavy = now - alpha * gradient + momentum * (now - before)
    return AllOf(
        Equal(heavy, now - alpha * gradient, given=none),
        Equal((1 + momentum) * now - momentum * before, now, given=none),
    )


@claim(PAPER, "eq-2.7", at="Eq (2.7)", kind="identity")
def minibatch_gradient_is_unbiased():
    """The mean over m of n records drawn without replacement is an unbiased estimator of grad F: a record is
    in the batch with probability C(n-1, m-1)/C(n, m) = m/n, and the sum of the gradients, each weighted by
    this probability over m, is the mean of all.
    """
    i, y = sp.Symbol("i", integer=True, positive=True), sp.IndexedBase("g", real=True)
    drawn = sp.Symbol("q", positive=True)
    weighted = sp.Sum(drawn * y[i], (i, 1, n)) / m
    return AllOf(
        Equal(n * sp.binomial(n - 1, m - 1), m * sp.binomial(n, m), given=[m <= n]),
        Theorem(given=[sp.Eq(drawn, m / n)], shows=Equal(weighted, sp.Sum(y[i], (i, 1, n)) / n)).calc(
            weighted,
            ("=", drawn / m * sp.Sum(y[i], (i, 1, n)), "every record has the same chance"),
            ("=", sp.Sum(y[i], (i, 1, n)) / n, "which is m/n"),
        ),
    )


@claim(PAPER, "sec2.2-equiv", at="Section 2.2, last paragraph", kind="algorithm property")
def iterates_and_noisy_gradients_determine_each_other():
    """Revealing x_1..x_T is equivalent to revealing the T noisy gradients, given x_0 and the parameters: in
    every coordinate, if x_{t+1} is the step of HB, or of NAG, then the noisy gradient g is (x_t + beta (x_t -
    x_{t-1}) - x_{t+1})/alpha, or (z_t - x_{t+1})/alpha; and if g is this, x_{t+1} is the step.
    """
    now, before, after, noisy = sp.symbols("x_t x_before x_next g", real=True)
    z = (1 + beta) * now - beta * before
    heavy, nesterov = now - alpha * noisy + beta * (now - before), z - alpha * noisy
    read_heavy, read_nesterov = (now + beta * (now - before) - after) / alpha, (z - after) / alpha
    return AllOf(
        Equal(noisy, read_heavy, given=[sp.Eq(after, heavy)]),
        Equal(noisy, read_nesterov, given=[sp.Eq(after, nesterov)]),
        Equal(after, heavy, given=[sp.Eq(noisy, read_heavy)]),
        Equal(after, nesterov, given=[sp.Eq(noisy, read_nesterov)]),
    )


@claim(
    PAPER,
    "sec2.2-public",
    at="Section 2.2, privacy setting",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="prop-3.1",
    standing="ours",
)
def known_parameters_may_depend_on_the_data():
    """The algorithm being known with all its parameters, such as alpha, beta, and the variance of the noise,
    these may be computed from the data. (The paper supposes that they are known, and not that they are public
    constants.)

    The case n = d = T = 1, eps = 1: the scale is the gradient of the record at hand, 2 on Y and 1 on Y', in
    place of a bound that holds for all records; the densities of the release at o.
    """
    o = sp.Symbol("o", positive=True)
    here, there = sp.exp(-(o - 2) / 2) / 4, sp.exp(-(o - 1)) / 2
    return Instance(
        AtMost(here, sp.E * there, given=[o >= 2]),
        let={"n, d, T": "1, 1, 1", "eps": "1", "gradient": "2 on Y, 1 on Y'", "b": "the gradient/eps"},
        because="Laplace noise of the larger scale is far likelier beyond both gradients",
    )
