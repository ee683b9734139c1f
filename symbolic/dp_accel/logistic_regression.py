"""Section 5: the logistic regression, and what it takes from the data.

f(x; u, z) = ln(1 + exp(-z u'x)) + lambda |x|^2,   grad ln p(z | u, x) = z u / (1 + exp(z u'x))
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import noise_scale, sampling_variance
from dpverify.language.vectors import inner, norm, vectors
from dpverify.relations import AtMost, BigO, Equal, Increasing, Instance, Tested
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

n, m, T = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T"))
x, u, z = sp.symbols("x u z", real=True)
S, eps, lam = sp.symbols("S epsilon lambda", positive=True)
R = sp.Rational


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
        L = place.smoothness
        mu = section5.MU
        guess = section5.GUESS
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
