"""Sections 1 and 2: what is claimed of the noise and of neighbours, the gradients, the three updates, what is
revealed.

GD  x - alpha g(x);   HB  x - alpha g(x) + beta (x - x');   NAG  z - alpha g(z), z = (1 + beta) x - beta x'
Eqs (2.4)-(2.6)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal, Instance, Quoted
from dpverify.symbolic.dp_accel import PAPER
from dpverify.verdicts import REFUTED, UNDECIDED

n, m, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "d"))
alpha, beta = sp.symbols("alpha beta", positive=True)
x, p, g, h, w = sp.symbols("x p g h w", real=True)  # x_t, x_{t-1}, gradients, noise
R = sp.Rational


@claim(
    PAPER,
    "sec1-uncorr",
    at="Section 1, after Theorem 3.5",
    kind="algorithm property",
    expect=REFUTED,
    correction="sec1-uncorr-corrected",
    breaks="theorem",
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
)
def uncorrelated_noise_is_enough_on_quadratics_and_centred_given_the_state_elsewhere():
    """On quadratics, noise uncorrelated with the whole state (x_t, x_{t-1}) is enough for second moments;
    elsewhere it must have mean 0 given it.
    """
    a, c, e = sp.symbols("a c e", real=True)  # a = 1 + beta - alpha lambda; E[x w], E[p w]
    xx, xp, pp, ww = sp.symbols("xx xp pp ww", real=True)  # second moments
    moments = {(2, 0, 0): xx, (1, 1, 0): xp, (0, 2, 0): pp, (0, 0, 2): ww, (1, 0, 1): c, (0, 1, 1): e}
    moved = sp.Poly((a * x - beta * p - alpha * w) ** 2, x, p, w)
    mean = sum(coefficient * moments[powers] for powers, coefficient in moved.terms())
    stated = a**2 * xx - 2 * a * beta * xp + beta**2 * pp + alpha**2 * ww
    return (
        Derivation()
        .step(
            Equal(mean - stated, -2 * alpha * (a * c - beta * e)),
            "E x_{t+1}^2: what the noise adds beyond its variance",
        )
        .step(
            Equal((mean - stated).subs({c: 0, e: 0}), 0), "nothing, if E[x_t w_t] = 0 and E[x_{t-1} w_t] = 0"
        )
    )


@claim(
    PAPER,
    "sec1-nbr",
    at="Section 1 against Section 2.2",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="prop-3.1",
    breaks="privacy",
)
def guarantee_holds_when_an_item_is_added_or_removed():
    """The guarantee is for data sets of which one has an item added or removed (Section 1); Section 2.2 and
    the proofs use a replaced item.
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


@claim(PAPER, "eq-2.3", at="Eq (2.3)", kind="identity")
def gradient_of_the_mean_is_the_mean_of_gradients():
    """grad F(x) = (1/n) sum_i grad f(x; y_i), on the logistic loss f(x; y) = ln(1 + e^(-y x))."""
    i, y = sp.Symbol("i", integer=True, positive=True), sp.IndexedBase("y", real=True)
    F = sp.Sum(sp.log(1 + sp.exp(-y[i] * x)), (i, 1, n)) / n
    return Equal(sp.diff(F, x), sp.Sum(-y[i] / (1 + sp.exp(y[i] * x)), (i, 1, n)) / n)


@claim(PAPER, "eq-2.4-2.6", at="Eqs (2.4)-(2.6)", kind="algorithm property")
def no_momentum_gives_gradient_descent():
    """GD, HB and NAG; with beta = 0 the last two are GD; on a quadratic HB and NAG differ by the gradient of
    the momentum alone.
    """
    lam, b = sp.Symbol("lambda", positive=True), sp.Symbol("beta", nonnegative=True)

    def gradient(v: sp.Expr) -> sp.Expr:
        return lam * v

    gd = x - alpha * gradient(x)
    hb = x - alpha * gradient(x) + b * (x - p)
    z = (1 + b) * x - b * p
    nag = z - alpha * gradient(z)
    return (
        Derivation()
        .step(Equal(hb.subs(b, 0), gd), "HB at beta = 0")
        .step(Equal(nag.subs(b, 0), gd), "NAG at beta = 0")
        .step(Equal(hb - nag, alpha * gradient(b * (x - p))), "where the gradient is taken")
    )


@claim(PAPER, "eq-2.7", at="Eq (2.7)", kind="identity")
def minibatch_gradient_is_unbiased():
    """The mean over m of n records drawn without replacement is an unbiased estimator of grad F."""
    i, y = sp.Symbol("i", integer=True, positive=True), sp.IndexedBase("g", real=True)
    chance = sp.gammasimp(sp.combsimp(sp.binomial(n - 1, m - 1) / sp.binomial(n, m)))
    return (
        Derivation()
        .step(Equal(chance, m / n), "every record is in the batch with probability m/n")
        .step(
            Equal(sp.Sum(m / n * y[i], (i, 1, n)) / m, sp.Sum(y[i], (i, 1, n)) / n),
            "so the mean of the batch mean is the mean",
        )
    )


@claim(PAPER, "sec2.2-equiv", at="Section 2.2, last paragraph", kind="algorithm property")
def iterates_and_noisy_gradients_determine_each_other():
    """Revealing x_1..x_T is equivalent to revealing the T noisy gradients, given x_0 and the parameters."""
    after = sp.Symbol("x_next", real=True)
    z = (1 + beta) * x - beta * p
    heavy = x - alpha * g + beta * (x - p)
    nesterov = z - alpha * g
    return (
        Derivation()
        .step(Equal((x + beta * (x - p) - heavy) / alpha, g), "HB: the noisy gradient from three iterates")
        .step(Equal((z - nesterov) / alpha, g), "NAG: likewise")
        .step(Equal((x - alpha * ((x + beta * (x - p) - after) / alpha) + beta * (x - p)), after), "and back")
    )
