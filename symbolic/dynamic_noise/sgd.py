"""Section 4.3: private stochastic gradient descent, and the privacy of secret batches.

D_a = (1/(a-1)) ln sum_k C(a, k) (1-p)^(a-k) p^k exp(k (k-1)/(2 sigma^2))      whole a, one record drawn with
probability p, zeroed or not
ERUB = gamma^T + alpha_g sigma_g^2 + R' sum_t gamma^(T-t) alpha sigma_t^2       Eq (14)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, Derivation, Equal, Induction, Instance
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

t = step()
T = sp.Symbol("T", integer=True, positive=True)
R, M, mu, G, D, gap, p, sigma, order = sp.symbols("R M mu G D gap p sigma a", positive=True)
n, N = sp.Symbol("n", integer=True, positive=True), sp.Symbol("N", integer=True, positive=True)


def sampled_divergence(a: int, weights: dict[int, sp.Expr], s: sp.Expr) -> sp.Expr:
    """D_a of sum_j w_j N(j, s^2) from N(0, s^2), a whole: E exp of products of likelihood ratios,
    exp(sum_{i<k} j_i j_k/s^2).
    """
    import itertools

    total = sp.Integer(0)
    for draw in itertools.product(weights, repeat=a):
        chance = sp.prod([weights[j] for j in draw])
        pairs = sum(draw[i] * draw[k] for i in range(a) for k in range(i))
        total += chance * sp.exp(sp.Integer(pairs) / s**2)
    return sp.log(total) / (a - 1)


@claim(
    PAPER,
    "sec4.3-cost-exponent",
    at="Section 4.3",
    kind="identity",
    expect=REFUTED,
    correction="sec4.3-cost-exponent-corrected",
    breaks="proof",
)
def cost_of_a_batch_is_over_sigma():
    """The cost of one iteration is c p^2/sigma_t; at p = 1 it must be the full-batch cost c/sigma_t^2 (a
    misprint: the text goes on with p^2/sigma_t^2).
    """
    c = sp.Symbol("c", positive=True)
    return Equal((c * p**2 / sigma).subs(p, 1), c / sigma**2)


@claim(
    PAPER, "sec4.3-cost-exponent-corrected", at="Section 4.3, corrected", kind="identity", expect=SUPPORTED
)
def cost_of_a_batch_is_over_sigma_squared():
    """With c p^2/sigma_t^2 the full batch costs c/sigma_t^2, and sum_t p^2/sigma_t^2 = R is sum_t 1/sigma_t^2
    = R/p^2.
    """
    c, s2 = sp.Symbol("c", positive=True), sp.IndexedBase("s2", positive=True)
    return (
        Derivation()
        .step(Equal((c * p**2 / sigma**2).subs(p, 1), c / sigma**2), "at p = 1")
        .step(
            Equal(sp.Sum(p**2 / s2[t], (t, 1, T)) / p**2, sp.Sum(1 / s2[t], (t, 1, T))),
            "the budget, divided by p^2",
        )
    )


@claim(
    PAPER,
    "sec4.3-amplification",
    at="Section 4.3",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="sec4.3-amplification-order-2",
    breaks="privacy",
)
def subsampling_multiplies_the_zcdp_cost_by_p_squared():
    """A step on a batch drawn with rate p is (p^2/(2 sigma^2))-zCDP (the constant c being omitted, as in R' =
    R/p^2).

    The case N = 2, n = 1 = N sqrt(R) with R = 1/4, so p = 1/2, R' = 1, T = 1, sigma = 1; one record with
    gradient G or zeroed, the other 0.
    """
    half = sp.Rational(1, 2)
    exact = sampled_divergence(2, {0: half, 1: half}, sp.Integer(1))
    return Instance(
        AtMost(exact, 2 * half**2 / 2),
        let={
            "N": "2",
            "n": "1",
            "p": "1/2",
            "T": "1",
            "sigma": "1",
            "order": "2",
            "gradients": "(G, 0) against (0, 0)",
        },
        because="the release is (1/2) N(0, 1) + (1/2) N(1, 1) against N(0, 1), in units of G; E_Q "
        "(P/Q)^2 = 3/4 + e/4",
    )


@claim(
    PAPER,
    "sec4.3-no-amplification",
    at="Section 4.3, every constant c",
    kind="privacy guarantee",
    expect=SUPPORTED,
)
def no_constant_makes_subsampling_zcdp_with_p_squared():
    """D_a >= (1 - e) a/(2 sigma^2) once a >= 1 + 2 sigma^2 ln(1/p)/e: a subsampled Gaussian has the zCDP cost
    of the full batch, never c p^2 < 1 of it.

    P >= p N(1, sigma^2), hence D_a >= a/(2 sigma^2) - (a/(a-1)) ln(1/p).
    """
    e, L = sp.symbols("e L", positive=True)  # L = ln(1/p)
    below = order / (2 * sigma**2) - order * L / (order - 1)
    return (
        Derivation()
        .step(
            Equal(
                sp.log(sp.exp(-order * L + order * (order - 1) / (2 * sigma**2))) / (order - 1),
                below,
                given=[order > 1],
            ),
            "E_Q (p N(1)/N(0))^a = p^a exp(a (a-1)/(2 sigma^2))",
        )
        .step(
            AtMost(
                (1 - e) * order / (2 * sigma**2),
                below,
                given=[order > 1, (order - 1) * e >= 2 * sigma**2 * L],
            ),
            "for large orders",
        )
    )


@claim(
    PAPER,
    "sec4.3-amplification-order-2",
    at="Section 4.3, corrected",
    kind="privacy guarantee",
    expect=SUPPORTED,
)
def subsampling_helps_at_order_two():
    """At order 2, D_2 = ln(1 + p^2 (exp(1/sigma^2) - 1)) <= (e - 1) p^2/sigma^2 for sigma >= 1: amplification
    by c p^2 at a low order, not at all of them.
    """
    y = sp.Symbol("y", positive=True)  # 1/sigma^2
    exact = sampled_divergence(2, {0: 1 - p, 1: p}, sigma)
    x = sp.Symbol("x", positive=True)
    return (
        Derivation()
        .step(
            Equal(exact, sp.log(1 + p**2 * (sp.exp(1 / sigma**2) - 1)), given=[p < 1]),
            "the four pairs of draws",
        )
        .step(AtMost(sp.log(1 + x), x), "ln(1 + x) <= x, x = p^2 (e^y - 1), y = 1/sigma^2")
        .step(
            AtMost(sp.exp(y) - 1, (sp.E - 1) * y, given=[y <= 1]),
            "e^y - 1 is convex, and equal at y = 0 and y = 1",
        )
    )


@claim(
    PAPER,
    "sec4.3-target",
    at="Section 4.3 with the budget of appendix D",
    kind="privacy guarantee",
    uses=["num-0.1963"],
    expect=REFUTED,
    correction="sec4.3-target-corrected",
    breaks="privacy",
)
def private_sgd_meets_the_target_of_the_experiments():
    """PSGD with R = 0.3927, n = N sqrt(R), sum_t 1/sigma_t^2 = R' = R/p^2 is (4, 1e-8)-DP.

    The case T = 1, sigma = 1 (p^2 = R up to rounding, p = 627/1000), a zeroed record, the event that the
    release exceeds 5 (in units of G/n).
    """
    rate, at = sp.Rational(627, 1000), sp.Integer(5)

    def tail(x):
        return sp.erfc(x / sp.sqrt(2)) / 2

    likely, unlikely = (1 - rate) * tail(at) + rate * tail(at - 1), tail(at)
    return Instance(
        AtMost(likely, sp.exp(4) * unlikely + sp.Rational(1, 10**8)),
        let={"N": "1000", "n": "627", "T": "1", "sigma": "1", "event": "release > 5 G/n"},
        because="P(E) = (1-p) Phi(-5) + p Phi(-4) if the record is there, Phi(-5) if it is zeroed",
    )


@claim(
    PAPER,
    "sec4.3-target-corrected",
    at="Section 4.3 with the budget of appendix D, corrected",
    kind="privacy guarantee",
    expect=SUPPORTED,
)
def half_more_noise_meets_the_target():
    """One step on a Poisson batch of rate 627/1000 with sigma = 3/2 in place of 1 is (4, 1e-8)-DP for a
    zeroed record.

    delta = p delta_Gauss(e'), e' = ln(1 + (e^4 - 1)/p), when the record is there; the other way round e^4 (1
    - p) >= 1, so that delta = 0.
    """
    rate, s = sp.Rational(627, 1000), sp.Rational(3, 2)

    def tail(x):
        return sp.erfc(x / sp.sqrt(2)) / 2

    e = sp.log(1 + (sp.exp(4) - 1) / rate)
    u, v, E, q = sp.symbols(
        "u v E q", positive=True
    )  # densities with and without the record's gradient, e^eps, the rate
    return (
        Derivation()
        .step(
            Equal((1 - q) * v + q * u - E * v, q * (u - (1 + (E - 1) / q) * v)),
            "mixture less e^eps times the other: p times the same of the Gaussian at e'",
        )
        .step(
            AtMost(
                rate * (tail(s * e - 1 / (2 * s)) - sp.exp(e) * tail(s * e + 1 / (2 * s))),
                sp.Rational(1, 10**8),
            ),
            "the profile of N(1, sigma^2) against N(0, sigma^2)",
        )
        .step(
            AtMost(1, sp.exp(4) * (1 - rate)),
            "the other direction: v - e^4 ((1 - p) v + p u) <= 0 everywhere",
        )
    )


@claim(
    PAPER,
    "sec4.3-with-replacement",
    at="Section 4.3",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="sec4.3-with-replacement-corrected",
    breaks="privacy",
)
def a_record_drawn_with_replacement_moves_the_mean_by_g_over_n():
    """The same for sampling with replacement, the sensitivity being G/n: at p = n/N = 1 the cost is 1/(2
    sigma^2).

    The case N = n = 2: a record is drawn 0, 1 or 2 times (1/4, 1/2, 1/4), and moves the mean by up to 2 G/n.
    """
    quarter, half = sp.Rational(1, 4), sp.Rational(1, 2)
    exact = sampled_divergence(2, {0: quarter, 1: half, 2: quarter}, sp.Integer(1))
    return Instance(
        AtMost(exact, sp.Integer(2) / 2),
        let={
            "N": "2",
            "n": "2",
            "p": "1",
            "T": "1",
            "sigma": "1",
            "order": "2",
            "gradients": "(G, 0) against (0, 0)",
        },
        because="E_Q (P/Q)^2 = 7/16 + e/4 + e^2/4 + e^4/16",
    )


@claim(
    PAPER,
    "sec4.3-with-replacement-corrected",
    at="Section 4.3, corrected",
    kind="privacy guarantee",
    uses=["lemma-b.2"],
    expect=SUPPORTED,
)
def a_batch_with_replacement_costs_its_largest_multiplicity():
    """A record drawn j times moves the mean by j G/n; with j <= m the cost is at most m^2/(2 sigma^2) (in the
    worst batch m = n), by convexity in the batch.
    """
    j, m, u, v, w = sp.symbols("j m u v w", positive=True)
    return (
        Derivation()
        .step(
            AtMost(
                order * (j * G / n) ** 2 / (2 * (G * sigma / n) ** 2),
                order * m**2 / (2 * sigma**2),
                given=[j <= m],
            ),
            "given the batch",
        )
        .step(
            AtMost(w * u + (1 - w) * v, sp.Max(u, v), given=[w <= 1]),
            "exp((a-1) D_a) of a mixture over batches is at most the largest (joint convexity)",
        )
    )


@claim(PAPER, "sec4.3-r-prime", at="Section 4.3", kind="identity", expect=SUPPORTED)
def alpha_is_unchanged():
    """R' = R/p^2 = N^2 R/n^2, so n^2 R' = N^2 R, and alpha with n for N and R' for R is the alpha of Eq
    (2).
    """
    larger = R / (n / N) ** 2
    return (
        Derivation()
        .step(Equal(n**2 * larger, N**2 * R), "p = n/N")
        .step(
            Equal(schedules.alpha_of(D, G, larger, M, n, gap), schedules.alpha_of(D, G, R, M, N, gap)),
            "so alpha does not change",
        )
    )


@claim(
    PAPER,
    "sec4.3-xi-model",
    at="Section 4.3",
    kind="inequality",
    expect=REFUTED,
    correction="sec4.3-xi-model-corrected",
    breaks="theorem",
)
def batch_gradient_deviates_like_one_over_n():
    """The gradient of a batch is grad + sigma_g xi/n with E|xi|^2 <= D and sigma_g constant in n (fixed here
    by n = 1).

    The case D = 1, gradients +1 and -1 in equal numbers, drawn with replacement: the mean of n draws has
    variance 1/n, not 1/n^2.
    """
    k, i = sp.Symbol("k", integer=True, positive=True), sp.Symbol("i", integer=True, positive=True)
    variance = sp.Sum(1 / k**2, (i, 1, k))  # n independent draws of variance 1, each with weight 1/n
    return Instance(
        AtMost(variance, variance.subs(k, 1).doit() / k**2),
        let={"D": "1", "gradients": "+1, -1 in equal numbers"},
        because="E|mean - grad|^2 = 1/n",
    )


@claim(
    PAPER,
    "sec4.3-xi-model-corrected",
    at="Section 4.3, corrected",
    kind="inequality",
    uses=["proof-4.7-chain"],
    expect=SUPPORTED,
)
def batch_gradient_deviates_like_one_over_root_n():
    """With variance V per draw the mean of n has variance V/n, and the bound gains at most V/(2 mu n (f_1 -
    f*)): order 1/(N sqrt R), not 1/(N^2 R).
    """
    V, g = sp.symbols("V gamma", positive=True)
    i, s = sp.Symbol("i", integer=True, positive=True), sp.Symbol("x", nonnegative=True)
    added = (M / 2) * (V / n) / M**2 / gap
    return (
        Derivation()
        .step(Equal(sp.Sum(V / n**2, (i, 1, n)), V / n), "n independent draws")
        .step(
            AtMost(
                added * (1 - s) / (1 - g),
                V / (2 * mu * n * gap),
                given=[s <= 1, g < 1, sp.Eq(g, 1 - mu / M), mu <= M],
            ),
            "sum_t gamma^(T-t) <= kappa, s = gamma^T",
        )
    )


@claim(
    PAPER,
    "thm-4.7",
    at="Theorem 4.7, Eq (14)",
    kind="inequality",
    uses=["thm-4.1", "proof-4.7-second-moment-corrected", "proof-4.7-chain", "sec4.3-xi-model"],
    expect=SUPPORTED,
)
def bound_of_private_sgd_under_its_noise_model():
    """Under its noise model, n >= N sqrt R: ERUB = gamma^T + alpha_g sigma_g^2 + R' sum_t gamma^(T-t) alpha
    sigma_t^2, alpha_g = D/(2 mu N^2 R (f_1 - f*)).

    The noise (sigma_g xi + G sigma_t nu)/n is taken to have mean 0 given the past and second moment at most D
    (sigma_g^2 + G^2 sigma_t^2)/n^2.
    """
    sg, s2, error, grad2, x = *sp.symbols("sigma_g s2 e g2", positive=True), sp.Symbol("x", real=True)
    larger = R * N**2 / n**2
    a = schedules.alpha_of(D, G, R, M, N, gap)
    g = 1 - mu / M
    second = D * (sg**2 + G**2 * s2) / n**2
    descent = error - grad2 / M + (M / 2) * (grad2 + second) / M**2
    variance = sp.IndexedBase("s2", positive=True)
    extra = sg**2 / G**2  # what the batch adds to every sigma_t^2
    ratio = sp.Symbol("gamma", positive=True)
    scale, both = (
        sp.Symbol("scale", positive=True),
        sp.IndexedBase("v", positive=True),
    )  # R' alpha (f_1 - f*), and sigma_t^2 + extra
    bound = ratio**T * gap + scale * sp.Sum(ratio ** (T - t) * both[t], (t, 1, T))
    k, power = sp.Symbol("kappa", positive=True), sp.Symbol("power", nonnegative=True)
    return (
        Derivation()
        .step(
            AtMost(descent, g * error + larger * a * gap * (s2 + extra), given=[grad2 >= 2 * mu * error]),
            "descent lemma, PL, the second moment",
        )
        .step(
            Induction(
                AtMost(x, bound),
                value=x,
                over=T,
                start=1,
                first=ratio * gap + scale * both[1],
                next=ratio * x + scale * both[T + 1],
            ),
            "unrolled over T steps, gamma = 1 - mu/M and v_t = sigma_t^2 + sigma_g^2/G^2",
        )
        .step(
            Equal(
                sp.Sum(ratio ** (T - t) * (variance[t] + extra), (t, 1, T)),
                sp.Sum(ratio ** (T - t) * variance[t], (t, 1, T))
                + extra * sp.Sum(ratio ** (T - t), (t, 1, T)),
            ),
            "the two parts of v_t",
        )
        .step(
            Equal(sp.Sum(ratio ** (T - t), (t, 1, T)), (1 - ratio**T) / (1 - ratio), given=[ratio < 1]),
            "the part of the batch is a geometric sum",
        )
        .step(AtMost((1 - power) * k, k, given=[power <= 1]), "at most kappa")
        .step(
            AtMost(
                larger * a * extra * M / mu, sg**2 * D / (2 * mu * N**2 * R * gap), given=[n**2 >= N**2 * R]
            ),
            "n >= N sqrt R: at most alpha_g sigma_g^2",
        )
    )


@claim(
    PAPER,
    "thm-4.7-n",
    at="Theorems 4.7, 4.8",
    kind="algorithm property",
    expect=REFUTED,
    correction="thm-4.7-n-corrected",
    breaks="theorem",
)
def printed_batch_size_is_at_most_the_number_of_records():
    """n = max(N sqrt R, 1) is a batch size, at most N (p = n/N <= 1), for every budget R > 0; nor is it whole
    in general.
    """
    return AtMost(sp.Max(N * sp.sqrt(R), 1), N)


@claim(
    PAPER,
    "thm-4.7-n-corrected",
    at="Theorems 4.7, 4.8, corrected",
    kind="algorithm property",
    expect=SUPPORTED,
)
def rounded_batch_size_is_admissible():
    """n = ceil(N sqrt R) with R <= 1 is whole, between 1 and N, and at least N sqrt R, which is what the
    proof uses.
    """
    x, whole = (
        sp.Symbol("x", positive=True),
        sp.Symbol("m", integer=True, positive=True),
    )  # x = N sqrt R, m = ceil(x)
    return (
        Derivation()
        .step(AtMost(N * sp.sqrt(R), N, given=[R <= 1]), "N sqrt R <= N")
        .step(AtMost(1, whole, given=[x <= whole]), "a whole number above a positive one is at least 1")
        .step(
            AtMost(whole, N + 1, given=[whole < x + 1, x <= N], strict=True),
            "and ceil(x) < x + 1 <= N + 1, so at most N, both being whole",
        )
    )
