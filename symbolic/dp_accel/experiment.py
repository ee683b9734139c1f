"""Sections 5 and 6: the logistic regression, what it takes from the data, and what its figures show.

    f(x; u, z) = ln(1 + exp(-z u'x)) + lambda |x|^2,   grad ln p(z | u, x) = z u / (1 + exp(z u'x))

The findings of Figures 3 and 4 are tested by sign tests on several data sets: in every comparison,
independent runs of the two algorithms are paired, and one ends below the other in so many pairs that fair
coins would do it with probability at most alpha; the verdict says on how many data sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import noise_scale, sampling_variance
from dpverify.language.vectors import inner, norm, vectors
from dpverify.relations import AtMost, BigO, Equal, Increasing, Instance, Minimises, Tested
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

n, m, T = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T"))
t, j = (sp.Symbol(name, integer=True, positive=True) for name in "tj")
x, u, z = sp.symbols("x u z", real=True)
S, eps, lam = sp.symbols("S epsilon lambda", positive=True)
R = sp.Rational
FULL, BATCH = 100_000, 1_000
RUNS, ALPHA, DISTINCT, EARLY = 30, 1e-6, 250, 20
LENGTHS = (100, 200, 500, 1000)  # T


def likelihood(label: Any, covariate: Any, at: Any) -> Any:
    """p(z | u, x), d = 1."""
    return 1 / (1 + sp.exp(-label * covariate * at))


@claim(PAPER, "sec5-p", at="Section 5, the model", kind="identity")
def probabilities_of_the_two_labels_add_up_to_1():
    """p(z | u, x) = 1/(1 + exp(-z u'x)) adds up to 1 over z = -1, 1."""
    return Equal(likelihood(1, u, x) + likelihood(-1, u, x), 1)


@claim(
    PAPER,
    "sec5-z01",
    at="before Eq (5.2), z in {0, 1}",
    kind="identity",
    expect=REFUTED,
    correction="sec5-p",
    breaks="misprint",
    standing="misprint",
)
def labels_may_be_0_and_1():
    """The labels z, z' in (5.2) are in {0, 1}, as printed there for the {-1, 1} of the model: then p adds up
    to 1 over z = 0, 1.
    """
    return Equal(likelihood(1, u, x) + likelihood(0, u, x), 1)


@claim(
    PAPER,
    "eq-5.1",
    at="Eq (5.1)",
    kind="optimality",
    expect=REFUTED,
    correction="eq-5.1-corrected",
    breaks="misprint",
    standing="misprint",
)
def maximum_likelihood_with_plus_lambda_has_a_maximiser():
    """x* = argmax (1/n) sum_i (ln p(z_i | u_i, x) + lambda |x|^2), with + before lambda.

    A minus is meant. A maximiser would bound the objective, which is not bounded at x = N for N = 1, 2, 3,
    ... (n = d = 1, u = z = 1, lambda = 1/100).
    """
    v = sp.Symbol("N", integer=True, positive=True)
    value = -sp.log(1 + sp.exp(-v)) + v**2 / 100
    return BigO(value, sp.Integer(1))


@claim(PAPER, "eq-5.1-corrected", at="Eq (5.1), minus lambda |x|^2", kind="optimality", standing="ours")
def maximum_likelihood_with_minus_lambda_is_strongly_concave():
    """With ln p - lambda |x|^2 the objective is strongly concave with modulus 2 lambda: along every line x +
    s v its second derivative is at most -2 lambda |v|^2 (for each record, so for their mean).
    """
    k = sp.Symbol("k", positive=True)  # e^(-z u'(x + s v))
    s, ux, uv, xx, xv = sp.symbols("s ux uv xx xv", real=True)  # inner products
    vv = sp.Symbol("vv", nonnegative=True)
    value = sp.log(likelihood(z, 1, ux + s * uv)) - lam * (xx + 2 * s * xv + s**2 * vv)
    bend = -((z * uv) ** 2) * k / (1 + k) ** 2 - 2 * lam * vv
    return AllOf(
        Equal(sp.Derivative(value, (s, 2)), bend.subs(k, sp.exp(-z * (ux + s * uv)))),
        AtMost(bend, -2 * lam * vv),
    )


@claim(
    PAPER,
    "eq-5.2",
    at="Eq (5.2), line 1",
    kind="identity",
    expect=REFUTED,
    correction="eq-5.2-corrected",
    breaks="misprint",
    standing="misprint",
)
def gradient_of_the_log_likelihood_as_printed():
    """grad ln p(z | u, x) = z u e^(z u'x)/(1 + e^(z u'x)) (the sign in the exponents is wrong; the second
    term also has z for z').
    """
    derived = sp.Derivative(sp.log(likelihood(1, u, x)), x)
    return Instance(Equal(derived, u * sp.exp(u * x) / (1 + sp.exp(u * x))), let={"d": "1", "z": "1"})


@claim(PAPER, "eq-5.2-corrected", at="Eq (5.2), line 1", kind="identity", standing="ours")
def gradient_of_the_log_likelihood():
    """grad ln p(z | u, x) = z u/(1 + e^(z u'x)), in every coordinate: u'x is u x there plus the rest r of the
    product. The regulariser cancels in the difference of two gradients.
    """
    rest = sp.Symbol("r", real=True)
    product = u * x + rest
    return Equal(sp.Derivative(sp.log(likelihood(z, 1, product)), x), z * u / (1 + sp.exp(z * product)))


@claim(PAPER, "eq-5.2-bound", at="Eq (5.2), lines 2 and 3", kind="inequality", uses=["eq-5.2-corrected"])
def gradients_differ_by_at_most_the_two_norms():
    """|grad f(x; u, z) - grad f(x; u', z')|_1 <= |u|_1 + |u'|_1: the factors 1/(1 + e^(z u'x)) of z u and z'
    u' lie between 0 and 1.
    """
    i, d = (sp.Symbol(name, integer=True, positive=True) for name in "id")
    one, other = (sp.IndexedBase(name, real=True) for name in ("u", "v"))  # z u and z' u'
    p, q = sp.symbols("p q", nonnegative=True)
    exponent = sp.Symbol("k", real=True)
    apart = sp.Sum(sp.Abs(p * one[i] - q * other[i]), (i, 1, d))
    sizes = sp.Sum(sp.Abs(one[i]), (i, 1, d)) + sp.Sum(sp.Abs(other[i]), (i, 1, d))
    return AllOf(
        AtMost(1 / (1 + sp.exp(exponent)), 1, strict=True),
        Theorem(given=[p <= 1, q <= 1], shows=AtMost(apart, sizes)).calc(
            apart,
            ("<=", sp.Sum(sp.Abs(one[i]) + sp.Abs(other[i]), (i, 1, d)), "coordinate by coordinate"),
            ("=", sizes, "a sum of two sums"),
        ),
    )


@claim(
    PAPER,
    "eq-5.2-exact",
    at="before Eq (5.2)",
    kind="identity",
    expect=REFUTED,
    correction="eq-5.2-exact-corrected",
    breaks="text",
)
def sensitivity_equals_twice_the_largest_norm_at_every_x():
    """S_1(x) = 2 sup |u|_1 for all x."""
    gradients = [sp.diff(sp.log(likelihood(label, u, x)), x).subs(x, 0) for label in (1, -1)]  # +-u/2
    largest = max(
        abs(p.subs(u, a) - q.subs(u, b))
        for p in gradients
        for q in gradients
        for a in (-1, 1)
        for b in (-1, 1)
    )  # linear in u: at the ends
    return Instance(
        Equal(largest, 2),
        let={"d": "1", "U": "[-1, 1]", "x": "0"},
        because="at x = 0 every gradient is z u/2",
    )


@claim(
    PAPER,
    "eq-5.2-exact-corrected",
    at="before Eq (5.2)",
    kind="identity",
    uses=["eq-5.2-bound"],
    standing="ours",
)
def sensitivity_is_below_twice_the_largest_norm_and_comes_near_it():
    """For |u|_1 <= 1 and d >= 2 the gradients of u = e_1, z = 1 and u' = e_2, z' = -1 at x = (-s, s) are at
    L1 distance 2/(1 + e^-s): below 2 = 2 sup |u|_1 at every s, and above 2 - 2 e^-s, so as near to it as one
    likes.
    """
    s = sp.Symbol("s", positive=True)
    first = sp.diff(sp.log(likelihood(1, u, x)), x).subs({u: 1, x: -s})  # u = e_1, z = 1, x_1 = -s
    second = sp.diff(sp.log(likelihood(-1, u, x)), x).subs({u: 1, x: s})  # u' = e_2, z' = -1, x_2 = s
    distance = 2 / (1 + sp.exp(-s))
    return AllOf(
        Equal(first - second, distance),
        AtMost(distance, 2, strict=True),
        AtMost(2 - 2 * sp.exp(-s), distance, strict=True),
    )


@claim(PAPER, "sec5-s1", at="Section 5", kind="numeric constant", uses=["asm-3.2-logit"])
def sensitivity_of_the_experiment_is_at_most_40():
    """ "Assumption 3.2 holds for this example with S_1 = 2 x 20": |u|_1 <= 20 and |u'|_1 <= 20 give |grad
    f(x; u, z) - grad f(x; u', z')|_1 = |p u - q u'|_1 <= 40, p and q being the factors of asm-3.2-logit (z u
    and z' u' stand for u and u').
    """
    i, d = (sp.Symbol(name, integer=True, positive=True) for name in "kd")
    one, other = (sp.IndexedBase(name, real=True) for name in ("u", "v"))
    p, q = sp.symbols("p q", nonnegative=True)
    within = [sp.Sum(sp.Abs(v[i]), (i, 1, d)) <= 20 for v in (one, other)]
    apart = sp.Sum(sp.Abs(p * one[i] - q * other[i]), (i, 1, d))
    return Theorem(given=[p <= 1, q <= 1, *within], shows=AtMost(apart, 40)).use(
        "asm-3.2-logit", "with |u|_1 <= U = 20", U=20
    )


@claim(PAPER, "sec5-mu", at="Sections 5 and 6", kind="numeric constant")
def strong_convexity_comes_from_the_regulariser():
    """lambda |x|^2 gives mu = 2 lambda, lambda |x|^2/2 gives mu = lambda: along every line x + s v the
    logistic loss has a second derivative >= 0, so that the sum has one of at least mu |v|^2.
    """
    k = sp.Symbol("k", positive=True)  # e^(-z u'(x + s v))
    s, ux, uv, xx, xv = sp.symbols("s ux uv xx xv", real=True)  # inner products
    vv = sp.Symbol("vv", nonnegative=True)
    bend = (z * uv) ** 2 * k / (1 + k) ** 2
    loss = -sp.log(likelihood(z, 1, ux + s * uv))
    square = xx + 2 * s * xv + s**2 * vv
    return AllOf(
        Equal(sp.Derivative(loss, (s, 2)), bend.subs(k, sp.exp(-z * (ux + s * uv)))),
        AtMost(2 * lam * vv, bend + sp.Derivative(lam * square, (s, 2))),
        AtMost(lam * vv, bend + sp.Derivative(lam * square / 2, (s, 2))),
    )


@claim(PAPER, "sec5-l", at="Section 5", kind="inequality")
def largest_singular_value_bounds_the_smoothness():
    """L = largest singular value of U'U/n + 2 lambda I is a smoothness constant (four times larger than
    needed in U; the u_i are the rows of U): in a unit direction v the curvature (1/n) sum_i p_i (1 -
    p_i)(u_i'v)^2 + 2 lambda is at most (1/n) sum_i (u_i'v)^2/4 + 2 lambda, so at most v'(U'U/n + 2 lambda I)
    v.
    """
    i = sp.Symbol("i", integer=True, positive=True)
    p, a = (sp.IndexedBase(name, real=True) for name in ("p", "a"))  # probabilities, u_i'v
    squares = sp.Sum(a[i] ** 2, (i, 1, n))
    curvature = sp.Sum(p[i] * (1 - p[i]) * a[i] ** 2, (i, 1, n)) / n + 2 * lam
    one = AtMost(p[i] * (1 - p[i]) * a[i] ** 2, a[i] ** 2 / 4)
    quarter = Theorem(shows=AtMost(curvature, squares / (4 * n) + 2 * lam)).sum(
        one, (i, 1, n), "p(1-p) <= 1/4"
    )
    return AllOf(quarter, AtMost(squares / (4 * n) + 2 * lam, squares / n + 2 * lam))


@claim(
    PAPER,
    "sec5-l-private",
    at="Section 5, L from the data (Section 6: by line search)",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="sec5-l-corrected",
    standing="ours",
)
def step_size_from_the_data_keeps_eps_dp():
    """Running with alpha = c/L, L computed from U without noise, is eps-DP (the paper runs it so, and says of
    the privacy of L nothing): the event "alpha = c/L(Y)", alpha being known, has P_Y <= e^eps P_Y'.
    """
    smoothness = [R(1, 1) * v**2 + 2 * R(1, 100) for v in (1, R(1, 2))]
    here, there = sp.symbols("P_Y P_other", nonnegative=True)
    let = {
        "n, d": "1, 1",
        "u": "1 on Y, 1/2 on Y'",
        "lambda": "1/100",
        "L": "102/100 on Y, 27/100 on Y'",
        "event": "alpha = 100 c/102",
    }
    return Instance(
        AtMost(here, sp.exp(eps) * there, given=[sp.Eq(here, 1), sp.Eq(there, 0)]),
        let=let,
        meets=[AtMost(smoothness[1], smoothness[0], strict=True)],
        because="the adversary knows alpha (Section 2.2), and alpha is a function of the data: it tells "
        "Y from Y' with certainty",
    )


@claim(
    PAPER,
    "sec5-l-corrected",
    at="Section 5, a public L",
    kind="privacy guarantee",
    standing="ours",
)
def public_bound_on_the_covariates_gives_a_public_smoothness():
    """|u|_2 <= |u|_1 <= U alone (U = 20) gives L = U^2/4 + 2 lambda, which does not depend on the data: in a
    unit direction v, p (1 - p)(u'v)^2 + 2 lambda <= L, c being |u'v| (about 20 times the L of the
    experiment).
    """
    covariate, direction = vectors("u v")
    p, c = sp.Symbol("p", real=True), sp.Symbol("c", nonnegative=True)
    bound = sp.Symbol("U", positive=True)
    return (
        Theorem(
            given=[norm(covariate) <= bound, norm(direction) <= 1, c <= sp.Abs(inner(covariate, direction))],
            shows=AtMost(p * (1 - p) * c**2 + 2 * lam, bound**2 / 4 + 2 * lam),
        )
        .have(AtMost(sp.Abs(inner(covariate, direction)), bound), "Cauchy-Schwarz")
        .have(AtMost(c, bound), "so |u'v| <= U")
        .have(AtMost(p * (1 - p) * c**2, c**2 / 4), "p(1-p) <= 1/4")
        .have(AtMost(c**2 / 4, bound**2 / 4), "squares")
    )


@claim(
    PAPER,
    "sec5-t-prime",
    at="Section 5, the choice of T'",
    kind="algorithm property",
    expect=SUPPORTED,
    uses=["rem-4.1"],
)
def chosen_number_of_steps_has_the_least_bound():
    """For DP-NAG-opt T' is the one of T' <= T with the least bound (4.6) at the guess E_0 = 10, for c = 0.1,
    1 and T = 100, 200, 500, 1000: what the algorithm takes has the least of all T bounds, computed one by
    one, and is the closed form of Remark 4.1, rounded up or down, or T if that is less.
    """

    def run(effort: Effort) -> Result:
        import math

        from dpverify.formulas.dp_accel import choose_steps, one_stage
        from dpverify.symbolic.dp_accel import runs as section5

        place = section5.setting(500)
        L, mu, guess = place.smoothness, section5.MU, section5.GUESS
        noise = section5.DIMENSION * (section5.S1 / section5.RECORDS) ** 2
        told = []
        for c in (0.1, 1.0):
            size = c / L
            kept, added = 1 - math.sqrt(mu * size), size * (1 + size * L)

            def bound(steps: int, kept: float = kept, added: float = added) -> float:
                thirds = math.fsum((kept ** (steps - i) * added) ** (1 / 3) for i in range(1, steps + 1))
                return kept**steps * guess + noise * thirds**3

            r = kept ** (1 / 3)
            closed = math.log1p(math.sqrt(guess / (noise * added / (1 - r) ** 3))) / math.log(1 / r)
            for steps in (100, 200, 500, 1000):
                stages = one_stage(size, steps)
                chosen = choose_steps(stages, steps, mu, L, noise=noise, gap=guess, as_printed=True)
                bounds = [bound(k) for k in range(1, steps + 1)]
                rounded = {min(steps, math.floor(closed)), min(steps, math.ceil(closed))}
                if bounds[chosen - 1] > min(bounds) * (1 + 1e-12) or chosen not in rounded:
                    return Result(UNDECIDED, f"c = {c}, T = {steps}: T' = {chosen}, closed form {closed:.1f}")
                told.append(f"c = {c:g}, T = {steps}: {chosen}")
        evidence = Evidence(
            "scan",
            samples=len(told),
            ceiling="one data set, m = n, eight settings; a choice one step off would have shown",
        )
        return Result(SUPPORTED, "; ".join(told), evidence)

    return Tested(
        "DP-NAG-opt, m = n, c = 0.1 and 1, T = 100, 200, 500, 1000: the bound (4.6) at the T' that the "
        "algorithm takes is at most that at every k = 1..T",
        run,
    )


@claim(
    PAPER,
    "sec5-subsampling-noise",
    at="Section 5, last paragraph",
    kind="monotonicity",
    uses=["sec5-amplified"],
)
def subsampling_decreases_the_noise_that_privacy_requires():
    """ "The additional randomness introduced by subsampling helps to decrease the required noise level": the
    scale S_1/(m eps_0) that a batch of m < n needs, drawn at random, is at most the S_1/(m eps/T) that the
    same batch would need if it were known. (Against the full gradient: sec5-subsampling-noise-full.)
    """
    e = sp.Symbol("e", positive=True)  # eps/T
    return Theorem(given=[m < n], shows=AtMost(noise_scale(e, S, m, n), S / (m * e))).use(
        "sec5-amplified", "eps_0 >= eps/T", e=e, q=n / m
    )


@claim(PAPER, "sec5-amplified", at="Section 5, last paragraph", kind="inequality", standing="ours")
def budget_of_a_drawn_batch():
    """e <= ln(1 + q (e^e - 1)) for q >= 1: eps_0 >= eps/T."""
    e, q = sp.symbols("e q", positive=True)
    return AtMost(e, sp.log(1 + q * (sp.exp(e) - 1)), given=[q >= 1])


@claim(
    PAPER,
    "sec5-subsampling-noise-full",
    at="Section 5, last paragraph, against the full gradient",
    kind="monotonicity",
    expect=REFUTED,
    correction="sec5-subsampling-noise-corrected",
    standing="ours",
)
def subsampling_needs_less_noise_than_the_full_gradient():
    """Read as a comparison of m < n with m = n: the scale b for m < n is at most that for m = n."""
    e = sp.Symbol("e", positive=True)  # eps/T
    return AtMost(noise_scale(e, S, m, n), noise_scale(e, S, n, n), given=[m < n, n <= 10])


@claim(
    PAPER,
    "sec5-subsampling-noise-corrected",
    at="Section 5, last paragraph",
    kind="monotonicity",
    uses=["eq-3.3"],
    standing="ours",
)
def required_noise_decreases_in_the_batch_size_and_amplification_helps_at_equal_size():
    """The required scale S_1/(m eps_0) decreases in m, as m eps_0 = m ln(1 + k/m), k = (e^(eps/T) - 1) n,
    increases; so it is least for m = n. Amplification lowers it only against S_1/(m eps/T), at the same m:
    eps_0 >= eps/T.
    """
    e, q, k = sp.symbols("e q k", positive=True)
    size = sp.Symbol("m", positive=True)
    return AllOf(
        Increasing(size * sp.log(1 + k / size), size, strict=True),
        AtMost(e, sp.log(1 + (sp.exp(e) - 1) * q), given=[q >= 1]),
    )


@claim(
    PAPER,
    "sec5-full-bound",
    at="Section 5, last sentence",
    kind="monotonicity",
    uses=["sec5-subsampling-noise-corrected"],
)
def full_data_gives_the_smaller_bound():
    """Using full data results in a smaller bound on the objective error: sigma_s^2 decreases in m, and with
    it and the scale b_t every term b_t^2 d + sigma_s^2/2 of (4.3).
    """
    more = sp.Symbol("m_2", integer=True, positive=True)
    low, high, d = sp.symbols("b_2 b d", positive=True)
    one, other = sampling_variance(S, more, n), sampling_variance(S, m, n)
    fewer = [m <= more, more <= n, n >= 2]
    return (
        Theorem(given=[*fewer, low <= high], shows=AtMost(d * low**2 + one / 2, d * high**2 + other / 2))
        .have(AtMost(one, other), "sigma_s^2 decreases in m")
        .have(AtMost(low**2, high**2), "and b_t does")
    )


class Run(NamedTuple):
    """One algorithm in one setting of Section 5; `data` seeds the records."""

    name: str
    T: int
    c: float
    m: int = FULL
    data: int = 1

    def __str__(self) -> str:
        return (
            f"{self.name} (T = {self.T}, c = {self.c:g}, m = "
            f"{self.m}{f', data set {self.data}' if self.data != 1 else ''})"
        )


Pairs = list[tuple[Run, Run]]


def seed_of(one: Run, effort: Effort) -> int:
    """A seed of its own for each algorithm and setting."""
    import numpy as np

    from dpverify.symbolic.dp_accel.runs import NAMES

    entropy = [effort.seed, NAMES.index(one.name), one.T, int(10 * one.c), one.m, one.data]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def errors(one: Run, effort: Effort, runs: int = RUNS) -> Any:
    """F - F* at the end of independent runs of one algorithm."""
    from dpverify.symbolic.dp_accel import runs as section5

    return section5.final_errors(*one, runs=runs, seed=seed_of(one, effort), distinct=DISTINCT)


def ordered(
    pairs: Pairs,
    also: Callable[[Effort], str | None] = lambda effort: None,
    runs: int = RUNS,
    sets: Sequence[int] | None = None,
) -> Callable[[Effort], Result]:
    """A run that tests, for every pair and on every data set, that the first ends below the second; `also`
    may add a reason why the finding fails.

    A finding about data drawn like this is supported if for every pair it shows on most data sets, and
    refuted if for some pair the opposite shows on most. `sets` are seeds of data: 1 to 3, in the full profile
    1 to 8.
    """

    def run(effort: Effort) -> Result:
        from scipy.stats import binom

        from dpverify.proving.refutation import refute

        seeds = tuple(sets or data_seeds(effort))
        level = ALPHA / (len(pairs) * len(seeds))
        told, shares = [], []
        for one, other in pairs:
            below, against = 0, []
            for seed in seeds:
                first, second = one._replace(data=seed), other._replace(data=seed)
                a, b = errors(first, effort, runs), errors(second, effort, runs)
                wins = int((a < b).sum())
                text = f"{first} {a.mean():.3g} against {second} {b.mean():.3g}"
                below += bool(binom.sf(wins - 1, runs, 0.5) <= ALPHA)
                if binom.sf(runs - wins - 1, runs, 0.5) <= level:
                    against.append((text, wins))
                told.append(f"{text}: {wins} of {runs} pairs of runs")
            shares.append((below, f"{one} below {other}"))
            if 2 * len(against) > len(seeds):
                text, wins = against[0]
                tail = (
                    sp.Add(*[sp.binomial(runs, k) for k in range(wins + 1)]) / sp.Integer(2) ** runs
                )  # of a fair coin
                limit = sp.Rational(1, 10**6) / (len(pairs) * len(seeds))
                exact = refute(AtMost(limit, tail), effort)
                assert exact is not None
                let = {
                    "runs": f"{runs} of each, seed {effort.seed}",
                    "data": "250 distinct records, 400 copies each",
                    "data sets": f"the opposite on {len(against)} of {len(seeds)}",
                }
                then = (
                    f"{text}; the first ends below the second in {wins} of {runs} pairs, a fair coin "
                    f"so rarely with probability {float(tail):.2g}"
                )
                witness = Witness(let, then, "the first ends below the second", exact.exact)
                because = f"the opposite on {len(against)} of {len(seeds)} data sets; {text}"
                evidence = Evidence("sign test", alpha=ALPHA, samples=runs, seed=effort.seed)
                return Result(REFUTED, because, evidence, witness)
        least, which = min(shares)
        if 2 * least <= len(seeds):
            return Result(UNDECIDED, f"{which} on {least} of {len(seeds)} data sets only")
        if extra := also(effort):
            return Result(UNDECIDED, extra)
        evidence = Evidence(
            "sign test",
            alpha=ALPHA,
            samples=runs,
            seed=effort.seed,
            details="\n".join(told),
            ceiling=f"{len(pairs)} comparisons on each of {len(seeds)} data sets of 250 distinct records "
            "with "
            "400 copies each, u uniform; the opposite on most of them would have shown",
        )
        because = f"{len(pairs)} comparisons, each on at least {least} of {len(seeds)} data sets; {told[0]}"
        return Result(SUPPORTED, because, evidence)

    return run


def data_seeds(effort: Effort) -> range:
    """The seeds of the data sets on which a finding is looked for: 1 to 3, in the full profile 1 to 8."""
    return range(1, 4 if effort.name == "quick" else 9)


def on_most(ratio: Callable[[Effort, int], float], low: float, high: float, what: str) -> Any:
    """A condition beside the comparisons: a ratio lies strictly between two numbers on most data sets."""

    def also(effort: Effort) -> str | None:
        values = [ratio(effort, seed) for seed in data_seeds(effort)]
        inside = sum(low < value < high for value in values)
        told = ", ".join(f"{value:.3g}" for value in values)
        return None if 2 * inside > len(values) else f"{what} is {told} on {len(values)} data sets"

    return also


def mean_ratio(one: Run, other: Run, runs: int = RUNS) -> Callable[[Effort, int], float]:
    """The mean final error of one algorithm over that of another, on a data set."""

    def ratio(effort: Effort, seed: int) -> float:
        first, second = (errors(each._replace(data=seed), effort, runs).mean() for each in (one, other))
        return float(first / second)

    return ratio


DRAWN = (  # the paper prints neither its records nor the law of u
    f"{FULL} records, {FULL // DISTINCT} copies each of {DISTINCT} different ones (u uniform on [0, 1]^20, z "
    "the sign of u'v, v normal)"
)
SETS = "3 data sets (8 in the full profile)"


STAGED = ", p = 1 and n_1 = ceil(sqrt(kappa) ln kappa) in the stages of DP-MASG"


def compared(
    pairs: Pairs,
    also: Callable[[Effort], str | None] = lambda effort: None,
    runs: int = RUNS,
    sets: Sequence[int] | None = None,
    more: str = "",
) -> Tested:
    """The statement that in every pair the first ends below the second on most data sets, and its test."""
    below: dict[str, list[str]] = {}
    for one, other in pairs:
        below.setdefault(str(one), []).append(str(other))
    told = "; ".join(f"{one} ends below {' and '.join(others)}" for one, others in below.items())
    staged = STAGED if "MASG" in told else ""
    number = f"{len(sets)} data sets" if sets else SETS
    return Tested(
        f"on most of {number} of {DRAWN}{staged}, by a sign test on {runs} pairs of runs each: {told}{more}",
        ordered(pairs, also, runs, sets),
    )


@claim(PAPER, "fig3-accel-vs-gd", at="Section 5, Figure 3", kind="numeric", expect=SUPPORTED)
def accelerated_algorithms_outperform_gd():
    """DP-HB, DP-NAG and DP-NAG-opt outperform DP-GD (m = n, on most data sets drawn as described): for c =
    0.1 at T = 100, 200, 500 and 1000; for c = 1 at T = 100, and there also DP-GD at T = 500; DP-NAG-opt for c
    = 1 at every T. (Left out are DP-HB and DP-NAG for c = 1 at T = 200, 500 and 1000, of which the text says
    itself that DP-GD is sometimes better: fig3-accel-vs-gd-same-t.)
    """
    names = ("DP-HB", "DP-NAG", "DP-NAG-opt")
    pairs: Pairs = [(Run(a, T_, 0.1), Run("DP-GD", T_, 0.1)) for a in names for T_ in LENGTHS]
    pairs += [(Run(a, 100, 1.0), Run("DP-GD", T_, 1.0)) for a in names for T_ in (100, 500)]
    pairs += [(Run("DP-NAG-opt", T_, 1.0), Run("DP-GD", T_, 1.0)) for T_ in LENGTHS[1:]]
    return compared(pairs)


@claim(
    PAPER,
    "fig3-accel-vs-gd-same-t",
    at='Section 5, Figure 3, bottom, "still able to beat it" read at every T',
    kind="numeric",
    expect=REFUTED,
    correction="fig3-accel-vs-gd",
    standing="ours",
)
def accelerated_algorithms_outperform_gd_at_every_number_of_steps():
    """For c = 1 DP-HB and DP-NAG end below DP-GD at the same T, T = 500 as well (m = n). (The text says that
    DP-GD sometimes has a better performance, and names T = 1000.)
    """
    return compared([(Run(a, 500, 1.0), Run("DP-GD", 500, 1.0)) for a in ("DP-HB", "DP-NAG")])


@claim(PAPER, "fig3-speed", at='Section 5, "in all instances"', kind="numeric", expect=SUPPORTED)
def accelerated_algorithms_converge_faster():
    """In all instances the accelerated algorithms have the advantage in the speed of convergence: after 20
    steps of runs with T = 100 and 200 (in the full profile also 500 and 1000) the mean error of 20 runs of
    DP-HB and DP-NAG is below that of DP-GD (m = n; c = 0.1 and 1), on most data sets drawn as described.
    """

    def run(effort: Effort) -> Result:
        from dpverify.symbolic.dp_accel import runs as section5

        def error(one: Run) -> float:
            traced = section5.traces(*one, runs=20, seed=seed_of(one, effort), distinct=DISTINCT)
            return float(traced.path["excess"][EARLY])

        quick = effort.name == "quick"
        lengths, seeds = (100, 200) if quick else (100, 200, 500, 1000), data_seeds(effort)
        shares, told = [], []
        for T_, c, name in itertools.product(lengths, (0.1, 1.0), ("DP-HB", "DP-NAG")):
            gaps = [(error(Run(name, T_, c, FULL, k)), error(Run("DP-GD", T_, c, FULL, k))) for k in seeds]
            shares.append(sum(one < other for one, other in gaps))
            told.append(f"{name}, T = {T_}, c = {c:g}: {gaps[0][0]:.3g} against {gaps[0][1]:.3g}")
        if 2 * min(shares) <= len(seeds):
            which = told[shares.index(min(shares))]
            return Result(UNDECIDED, f"{which}: below on {min(shares)} of {len(seeds)} data sets only")
        evidence = Evidence(
            "Monte Carlo",
            samples=20,
            seed=effort.seed,
            details="\n".join(told),
            ceiling=f"means of 20 runs at step {EARLY} on {len(seeds)} data sets; a slower one would show",
        )
        because = (
            f"{len(told)} comparisons, each on at least {min(shares)} of {len(seeds)} data sets; {told[0]}"
        )
        return Result(SUPPORTED, because, evidence)

    return Tested(
        f"on most of {SETS} of {DRAWN}, m = n, c = 0.1 and 1, T = 100 and 200 (there also 500 and 1000): the "
        f"mean error of 20 runs after {EARLY} steps is lower with DP-HB and with DP-NAG than with DP-GD",
        run,
    )


@claim(PAPER, "fig4-accel-vs-gd", at='Section 5, "hold both for"', kind="numeric", expect=SUPPORTED)
def accelerated_algorithms_outperform_gd_under_subsampling():
    """The observations hold for m = 1000, too: DP-HB, DP-NAG and DP-NAG-opt end below DP-GD for c = 0.1 and c
    = 1 (T = 100), on most data sets drawn as described. (T = 200, 500 and 1000 are left out.)
    """
    names = ("DP-HB", "DP-NAG", "DP-NAG-opt")
    pairs: Pairs = [(Run(a, 100, c, BATCH), Run("DP-GD", 100, c, BATCH)) for a in names for c in (0.1, 1.0)]
    return compared(pairs, runs=20)


@claim(
    PAPER,
    "fig3-accel-data",
    at='Section 5, "repeated in our experiments"',
    kind="numeric",
    expect=UNDECIDED,
)
def best_of_hb_beats_the_best_of_gd():
    """The best of DP-HB (T = 100) outperforms the best of DP-GD (T = 200 on most data sets drawn as
    described; the paper has T = 1000) for c = 1, m = n: on eight data sets it shows on two, and the opposite
    on few.
    """
    return compared([(Run("DP-HB", 100, 1.0), Run("DP-GD", 200, 1.0))], runs=60, sets=range(1, 9))


@claim(PAPER, "fig3-two-best", at="Section 5, Figure 3", kind="numeric", expect=SUPPORTED)
def optimised_algorithms_are_the_two_best_at_c_1():
    """Among the accelerated algorithms the best results are those of DP-NAG-opt and DP-MASG-opt (c = 1, T =
    200 and 500).
    """
    plain = ("DP-HB", "DP-NAG", "DP-MASG")
    pairs: Pairs = [
        (Run(a, T_, 1.0), Run(b, T_, 1.0))
        for a in ("DP-NAG-opt", "DP-MASG-opt")
        for b in plain
        for T_ in (200, 500)
    ]
    return compared(pairs)


@claim(
    PAPER,
    "fig3-two-best-c01",
    at="Section 5, Figure 3, top",
    kind="numeric",
    expect=REFUTED,
    correction="fig3-two-best",
    breaks="text",
)
def optimised_multistage_is_among_the_two_best_at_c_01():
    """For c = 0.1, too, DP-MASG-opt is among the best of the accelerated algorithms: it ends below DP-HB and
    DP-NAG (T = 200).
    """
    return compared([(Run("DP-MASG-opt", 200, 0.1), Run(b, 200, 0.1)) for b in ("DP-HB", "DP-NAG")])


@claim(PAPER, "fig3-gd-t1000", at="Section 5, Figure 3, bottom", kind="numeric", expect=SUPPORTED)
def gd_ends_below_plain_momentum_at_t_1000():
    """At T = 1000, c = 1, DP-GD reaches a smaller error than DP-HB and DP-NAG."""
    return compared([(Run("DP-GD", 1000, 1.0), Run(b, 1000, 1.0)) for b in ("DP-HB", "DP-NAG")])


@claim(
    PAPER,
    "fig3-gd-bestt",
    at="Section 5, Figure 3, bottom",
    kind="numeric",
    expect=REFUTED,
    correction="fig3-gd-bestt-corrected",
    breaks="text",
)
def gd_is_best_at_t_1000():
    """For c = 1 the best of DP-GD among T = 100, 200, 500, 1000 is at T = 1000 (on data drawn as described;
    the records of the paper are not printed).
    """
    return compared([(Run("DP-GD", 1000, 1.0), Run("DP-GD", T_, 1.0)) for T_ in (100, 200, 500)])


@claim(
    PAPER,
    "fig3-gd-bestt-corrected",
    at="Section 5, Figure 3, bottom",
    kind="numeric",
    expect=SUPPORTED,
    standing="ours",
)
def gd_needs_more_steps_than_hb():
    """For c = 1, m = n, on most data sets drawn as described, DP-GD is better at T = 200 and 500 than at T =
    100 and 1000, and DP-HB is better at T = 100 than at 200 and 500: accelerated algorithms want fewer steps.
    """
    pairs: Pairs = [(Run("DP-GD", a, 1.0), Run("DP-GD", b, 1.0)) for a in (200, 500) for b in (100, 1000)]
    return compared(pairs + [(Run("DP-HB", 100, 1.0), Run("DP-HB", T_, 1.0)) for T_ in (200, 500)])


@claim(PAPER, "fig3-c01", at="Section 5, Figure 3", kind="numeric", expect=SUPPORTED)
def small_steps_hurt_gd_and_masg_most():
    """With c = 0.1 DP-GD is dramatically slow and DP-MASG suffers (more than five times its error at c = 1),
    DP-HB, DP-NAG and DP-NAG-opt less so; c = 1 recovers (m = n, T = 200, on most data sets drawn as
    described).
    """
    pairs: Pairs = [(Run(a, 200, 1.0), Run(a, 200, 0.1)) for a in ("DP-GD", "DP-MASG")]
    pairs += [
        (Run(b, 200, 0.1), Run(a, 200, 0.1))
        for a in ("DP-GD", "DP-MASG")
        for b in ("DP-HB", "DP-NAG", "DP-NAG-opt")
    ]

    grown = mean_ratio(Run("DP-MASG", 200, 0.1), Run("DP-MASG", 200, 1.0))
    return compared(
        pairs,
        on_most(grown, 5, float("inf"), "the mean error of DP-MASG at c = 0.1 over that at c = 1"),
        more="; the mean error of DP-MASG is more than 5 times as large at c = 0.1 as at c = 1",
    )


@claim(PAPER, "fig3-similar", at="Section 5", kind="numeric", expect=SUPPORTED)
def optimised_algorithms_are_alike_at_c_1_and_nag_is_the_robust_one():
    """For c = 1 DP-NAG-opt and DP-MASG-opt perform very similarly (mean errors within a factor 2); for c =
    0.1 DP-NAG-opt is better (T = 200).
    """

    ratio = mean_ratio(Run("DP-NAG-opt", 200, 1.0), Run("DP-MASG-opt", 200, 1.0))
    return compared(
        [(Run("DP-NAG-opt", 200, 0.1), Run("DP-MASG-opt", 200, 0.1))],
        on_most(ratio, 0.5, 2, "the ratio of mean errors at c = 1"),
        more="; their mean errors at c = 1 are within a factor 2",
    )


@claim(PAPER, "fig3-smallt", at="Section 5", kind="numeric", expect=SUPPORTED)
def readjusted_t_is_small_and_improves_the_result():
    """The re-adjustment prefers small T (T' < 200 of T = 1000 for c = 1), and that improves the
    performance.
    """

    def longest(effort: Effort, seed: int) -> float:
        from dpverify.symbolic.dp_accel import runs as section5

        place, names = section5.setting(DISTINCT, seed=seed), ("DP-NAG-opt", "DP-MASG-opt")
        return max(section5.steps_and_scales(name, 1000, 1.0, FULL, place)[0] for name in names)

    pairs: Pairs = [(Run(f"{a}-opt", 1000, 1.0), Run(a, 1000, 1.0)) for a in ("DP-NAG", "DP-MASG")]
    return compared(
        pairs, on_most(longest, 0, 200, "the larger T'"), more="; both optimised ones take T' < 200 steps"
    )


@claim(
    PAPER,
    "fig4-opt-improves",
    at="Section 5, Figure 4",
    kind="numeric",
    expect=REFUTED,
    correction="fig4-opt-improves-corrected",
    breaks="text",
)
def optimising_improves_under_subsampling():
    """With m = 1000, optimising b_t and T improves DP-NAG and DP-MASG significantly: for c = 0.1 and c = 1 (T
    = 200; on data drawn as described, the records of the paper are not printed).

    It is DP-MASG at c = 0.1 that fails: DP-MASG-opt stops at the end of its first stage, and ends above. (p
    and n_1 of (4.7) are not printed for Section 5; here p = 1 and n_1 = ceil(sqrt(kappa) ln kappa), as in the
    authors' code. T = 100, 500 and 1000 are left out.)
    """
    pairs: Pairs = [
        (Run(f"{a}-opt", 200, c, BATCH), Run(a, 200, c, BATCH))
        for a, c in (("DP-MASG", 0.1), ("DP-MASG", 1.0), ("DP-NAG", 0.1), ("DP-NAG", 1.0))
    ]
    return compared(pairs)


@claim(
    PAPER,
    "fig4-opt-improves-corrected",
    at="Section 5, Figure 4, bottom, DP-NAG at T = 200 and DP-MASG at T = 500",
    kind="numeric",
    expect=SUPPORTED,
    standing="ours",
)
def optimising_improves_under_subsampling_for_the_large_step():
    """With m = 1000 and c = 1, optimising b_t and T improves DP-NAG (T = 200) and DP-MASG (T = 500)
    significantly: on most data sets drawn as described it ends below in nearly every run. (Each at this T
    alone: the other T of 100, 200, 500 and 1000 are left out.)
    """
    pairs: Pairs = [
        (Run(f"{a}-opt", T_, 1.0, BATCH), Run(a, T_, 1.0, BATCH))
        for a, T_ in (("DP-NAG", 200), ("DP-MASG", 500))
    ]
    return compared(pairs, runs=22)


@claim(
    PAPER,
    "fig34-full-better",
    at="Section 5, Figures 3 and 4",
    kind="numeric",
    expect=SUPPORTED,
    uses=["sec5-full-bound"],
)
def full_data_is_better_by_less_than_an_order_of_magnitude():
    """Full data improves the accelerated algorithms, here DP-NAG and DP-NAG-opt (c = 1, T = 100), but the
    mean error by less than a factor 10.
    """
    names = ("DP-NAG", "DP-NAG-opt")

    def largest(effort: Effort, seed: int) -> float:
        return max(mean_ratio(Run(a, 100, 1.0, BATCH), Run(a, 100, 1.0), 60)(effort, seed) for a in names)

    return compared(
        [(Run(a, 100, 1.0), Run(a, 100, 1.0, BATCH)) for a in names],
        on_most(largest, 0, 10, "the larger ratio of mean errors"),
        60,
        more="; the mean errors by less than a factor 10",
    )


@claim(PAPER, "sec6-zcdp", at="Section 6, second paragraph", kind="optimality")
def zcdp_budget_has_a_closed_form_split():
    """With Gaussian noise and a zCDP budget, the split has a closed form for m = n: sigma_t^2 = (D^2/(2 rho))
    sum_j sqrt(a_j)/sqrt(a_t), D = sensitivity.
    """
    a = sp.IndexedBase("a", positive=True)
    v, rho, D = sp.symbols("v rho D", positive=True)  # sigma_t^2
    total = sp.Sum(sp.sqrt(a[j]), (j, 1, T))
    return Minimises(
        a[t] * v,
        over=v,
        spent=D**2 / (2 * v),
        total=rho,
        at=D**2 / (2 * rho) * total / sp.sqrt(a[t]),
        index=t,
        length=T,
        unique=True,
        value=D**2 / (2 * rho) * total**2,
    )
