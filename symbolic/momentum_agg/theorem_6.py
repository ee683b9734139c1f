"""Theorem 6, Section 3 and Appendix D.2: its proof line by line, the constants that fail, and what holds.

x = sqrt(N/T) = sqrt(log2 T) (d l)^(1/4)/sqrt(epsilon N) with the parameters of the theorem
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.lemma_5 import (
    G,
    L,
    N,
    R,
    T,
    alpha,
    d,
    ell,
    eps,
    error,
    eta,
    normalised_steps,
    slope,
    t,
    value,
)
from dpverify.symbolic.momentum_agg.lemma_12 import BITS, V, sigma
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

bits = sp.Symbol("b", positive=True)  # log2 T, where only its sign matters
size = sp.Symbol("T", positive=True)  # T, where it need not be whole


@claim(PAPER, "t6-v", at="Theorem 6, proof, V", kind="inequality")
def participations_are_at_most_four_log_passes():
    """V <= 4 (T/N) log2 T for T >= 2 and a tree of depth R <= 1 + log2 T. With c = floor(log2 N): V = (R+1)
    T/N if R <= c, and V = (c+1) T/N + sum_{j=1..m} floor(T/2^(c+j)) if R = c + m. b is log2 T, at least 1.
    """
    c, depth = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("c", "R"))
    j, m = (sp.Symbol(name, integer=True, positive=True) for name in ("j", "m"))
    rest, whole = (sp.Sum(term, (j, 1, m)) for term in (sp.floor(T / 2 ** (c + j)), T / 2 ** (c + j)))
    return AllOf(
        AtMost((depth + 1) * T / N, 4 * T / N * bits, given=[bits >= 1, depth <= 1 + bits]),
        Theorem(
            given=[bits >= 1, c + m <= 1 + bits, 2**c <= N, N < 2 ** (c + 1)],
            shows=AtMost((c + 1) * T / N + rest, 4 * T / N * bits),
        )
        .have(AtMost(rest, whole), "a floor is at most its argument")
        .have(Equal(whole, T / 2**c * (1 - 2 ** (-m))), "a geometric sum")
        .have(AtMost(T / 2**c * (1 - 2 ** (-m)), T / 2**c), "less than the series")
        .have(AtMost(T / 2**c, 2 * T / N), "N < 2^(c+1)")
        .have(AtMost((c + 1) * T / N, bits * T / N + T / N), "c + 1 <= b + 1")
        .have(AtMost(3 * T / N, 3 * T / N * bits), "b >= 1"),
    )


NOISE = 3 * 4 * alpha * G * (2 * sp.sqrt(ell) / eps)  # times sqrt(d V log2 T): three times Lemma 12


@claim(
    PAPER,
    "t6-12",
    at="Theorem 6, proof, noise term",
    kind="numeric constant",
    expect=REFUTED,
    breaks="proof",
    correction="t6-12-corrected",
)
def noise_term_with_twelve():
    """Three times Lemma 12 with V = 4 (T/N) log2 T and sigma = 2 sqrt(l)/epsilon is at most 12 alpha G log2 T
    sqrt(d T l)/(epsilon sqrt N).
    """
    derived = NOISE * sp.sqrt(d * (4 * bits * size / N) * bits)
    stated = 12 * alpha * G * bits * sp.sqrt(d * size * ell) / (eps * sp.sqrt(N))
    at = {size: 4, bits: 2}
    return Instance(
        AtMost(derived.subs(at), stated.subs(at)),
        let={"T": "4"},
        because="4 * 2 * sqrt 4 * 3 is 48, not 12",
    )


@claim(
    PAPER,
    "t6-12-corrected",
    at="Theorem 6, proof, noise term, corrected",
    kind="numeric constant",
    standing="ours",
)
def noise_term_with_forty_eight():
    """The constant is 48 with the printed Lemma 12, and with 1 + log2 T nodes, T >= 2, at most 48 sqrt 2."""
    unit = alpha * G * bits * sp.sqrt(d * size * ell) / (eps * sp.sqrt(N))
    noise = 3 * 4 * alpha * G * sigma * sp.sqrt(d * V)  # times the root of the number of nodes
    chosen = [sp.Eq(V, 4 * bits * size / N), sp.Eq(sigma, 2 * sp.sqrt(ell) / eps)]
    return AllOf(
        Equal(noise * sp.sqrt(bits), 48 * unit, given=chosen),
        AtMost(noise * sp.sqrt(1 + bits), 48 * sp.sqrt(2) * unit, given=[*chosen, bits >= 1]),
    )


@claim(PAPER, "t6-merge", at="Theorem 6, proof, second line", kind="inequality")
def two_terms_of_the_step_are_merged():
    """3 eta L/4 + 3 eta L/alpha <= 6 eta L/alpha for alpha <= 1."""
    return AtMost(3 * eta * L / 4 + 3 * eta * L / alpha, 6 * eta * L / alpha, given=[alpha <= 1])


@claim(PAPER, "t6-phantom", at="Theorem 6, proof, 'Let eta = 1/sqrt(NT)'", kind="inequality")
def bound_with_a_term_that_was_not_there():
    """With eta = 1/sqrt(N T) the bound is at most (3R/2 + 6L) sqrt(N/T) + 6L/(alpha sqrt(N T)) + 6 G
    sqrt(alpha) + 6 G/(alpha T) + the noise n. (The fourth term is new and makes the line weaker; it is what
    the corrected Lemma 11 asks for: 3 G/(alpha T).)
    """
    n, step = sp.Symbol("n", nonnegative=True), 1 / sp.sqrt(N * size)
    before = 3 * R / (2 * step * size) + 6 * G * sp.sqrt(alpha) + 6 * step * N * L + 6 * step * L / alpha + n
    lead = (3 * R / 2 + 6 * L) * sp.sqrt(N) / sp.sqrt(size)
    after = lead + 6 * L / (alpha * sp.sqrt(N * size)) + 6 * G * sp.sqrt(alpha) + 6 * G / (alpha * size) + n
    return AtMost(before, after)


def _before_alpha(alpha):
    noise = 12 * alpha * G * bits * sp.sqrt(d * size * ell) / (eps * sp.sqrt(N))
    lead = (3 * R / 2 + 6 * L) * sp.sqrt(N) / sp.sqrt(size)
    return (
        lead + 6 * L / (alpha * sp.sqrt(N * size)) + 6 * G * sp.sqrt(alpha) + 6 * G / (alpha * size) + noise
    )


def _after_alpha():
    root = sp.sqrt(d * ell)
    return (
        (3 * R / 2 + 6 * L + 12 * G) * sp.sqrt(N) / sp.sqrt(size)
        + 6 * L * sp.sqrt(size) * bits * root / (eps * N * sp.sqrt(N))
        + 6 * G * sp.sqrt(eps * N) / (sp.sqrt(root) * sp.sqrt(size * bits))
        + 6 * G * bits * root / (eps * N)
    )


@claim(PAPER, "t6-alpha", at="Theorem 6, proof, 'Set alpha'", kind="identity")
def alpha_is_put_in():
    """The line after 'Set alpha' is the one before it at alpha = epsilon N/(T log2 T sqrt(d l)); b is
    log2 T.
    """
    return Equal(_before_alpha(eps * N / (size * bits * sp.sqrt(d * ell))), _after_alpha())


@claim(
    PAPER,
    "t6-t",
    at="Theorem 6, proof, T put in",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="t6-t-corrected",
)
def length_is_put_in():
    """With T = epsilon N^2/(log2 T sqrt(d l)) the line is at most the printed bound, with (3/2) R
    d^(1/4)/sqrt(epsilon N) and 6 L sqrt(log2 T l) d^(1/4)/sqrt(epsilon N).
    """
    count, length = sp.Integer(12 * 2**18), sp.Integer(2**36)
    case = {N: count, size: length, bits: 36, d: 1, G: 1, L: 1, R: 100, eps: 1, ell: 16}
    return Instance(
        AtMost(_after_alpha().subs(case), printed(bits).subs(case)),
        let={"N, T": "12*2^18, 2^36", "d, G, L": "1", "R": "100", "epsilon, delta": "1, exp(-16)"},
        meets=[Equal(length, count**2 / (36 * sp.sqrt(16)))],
        because="the term of R lacks sqrt(log2 T) l^(1/4)",
    )


def printed(bits):
    """The right side of Theorem 6."""
    fourth = sp.Rational(1, 4)
    lead = 3 * R / 2 + 6 * L * sp.sqrt(bits * ell) + 12 * G * sp.sqrt(bits) * ell**fourth
    return (
        lead * d**fourth / sp.sqrt(eps * N)
        + 3 * L * (d * ell) ** fourth * sp.sqrt(bits) / (4 * sp.sqrt(eps) * sp.sqrt(N) ** 3)
        + 6 * G / sp.sqrt(N)
        + 6 * G * bits * sp.sqrt(d * ell) / (eps * N)
    )


@claim(PAPER, "t6-t-corrected", at="Theorem 6, proof, T put in, corrected", kind="identity", standing="ours")
def length_is_put_in_corrected():
    """With x = sqrt(N/T), so that x^2 = log2 T sqrt(d l)/(epsilon N), the line is (3R/2 + 12L + 12G) x + 6
    G/sqrt(N) + 6 G x^2: R and L carry sqrt(log2 T) (d l)^(1/4)/sqrt(epsilon N) as G does, and L has 12.
    """
    x = sp.Symbol("x", positive=True)
    at = {size: N / x**2, bits: eps * N * x**2 / sp.sqrt(d * ell)}
    stated = (3 * R / 2 + 12 * L + 12 * G) * x + 6 * G / sp.sqrt(N) + 6 * G * x**2
    return Equal(_after_alpha().subs(at), stated)


@claim(
    PAPER,
    "thm-6",
    at="Theorem 6, first inequality",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="thm-6-corrected",
)
def explicit_bound_of_theorem_6():
    """E|grad F(w^)| <= (3R/2 + 6L sqrt(log2 T l) + 12G sqrt(log2 T) l^(1/4)) d^(1/4)/sqrt(epsilon N) + ...
    with eta, alpha, T as stated.

    The case: d = 1, every record has Huber's loss (slope clip(w, -1, 1), so G = L = 1, least value 0), w_1 =
    1 + sqrt(T/N): T - 1 steps of length eta = 1/sqrt(N T) stay in w >= 1, whatever the noise, where the slope
    is 1. So E|grad F(w^)| = 1, and R = F(w_1) = sqrt(T/N) + 1/2. N = 12 * 2^18, T = 2^36, epsilon = 1, delta
    = exp(-16): T = epsilon N^2/(log2 T sqrt(d l)) and alpha = 1/N.
    """
    count = sp.Integer(12 * 2**18)
    length = sp.Integer(2**36)
    budget = sp.Integer(1)
    level = sp.Integer(16)
    reach = sp.sqrt(length / count)
    case = {N: count, d: 1, G: 1, L: 1, eps: budget, ell: level, R: reach + sp.Rational(1, 2)}
    step = 1 / sp.sqrt(count * length)
    return Instance(
        AtMost(1, printed(sp.Integer(36)).subs(case)),
        let={
            "f(w, x)": "Huber's loss, slope clip(w, -1, 1), for every x",
            "d, G, L": "1",
            "w_1": "1 + sqrt(T/N)",
            "R": "sqrt(T/N) + 1/2",
            "N, T": "12*2^18, 2^36",
            "epsilon, delta": "1, exp(-16)",
        },
        meets=[
            Equal(length, budget * count**2 / (36 * sp.sqrt(level))),
            Equal(sp.Integer(2) ** 36, length),
            AtMost(1, 1 + reach - step * (length - 1)),
        ],
        because="the term of R lacks sqrt(log2 T) l^(1/4), which is 12 here",
    )


def mean_gradient_with(step, weight, c, given, stated, noise=sp.S.Zero):
    """Lemma 5 with E|m^_t - grad F(w_t)| <= c + noise(t) + weight^t G at every step: the mean gradient is as
    stated.
    """
    near = c + noise + weight**t * G
    slopes, errors, powers, noises = (
        sp.Sum(term, (t, 1, T)) if term else sp.S.Zero for term in (slope[t], error[t], weight**t, noise)
    )
    most = c * T + noises + G / (1 - weight)
    reached = 3 * R / (2 * step * T) + 3 * L * step / 4 + 3 * most / T
    return (
        Theorem(
            given=[
                *normalised_steps(step),
                ForEvery(AtMost(error[t], near), t, 1, T),
                value[1] - value[T + 1] <= R,
                *given,
            ],
            shows=AtMost(slopes / T, stated),
        )
        .use("lemma-5", "Lemma 5", eta=step)
        .sum(AtMost(error[t], near), (t, 1, T), "every error")
        .have(Equal(sp.Sum(near, (t, 1, T)), c * T + noises + G * powers), "term by term")
        .have(AtMost(powers, 1 / (1 - weight)), "a geometric series")
        .have(AtMost(errors, most), "the errors")
        .have(AtMost(3 * errors / T, 3 * most / T), "times 3/T")
        .have(AtMost(3 * (value[1] - value[T + 1]) / (2 * step * T), 3 * R / (2 * step * T)), "R")
        .have(AtMost(slopes / T, reached), "together")
        .have(Equal(reached, stated), "put in")
    )


@claim(
    PAPER,
    "thm-6-general",
    at="Theorem 6, for any eta and alpha",
    kind="inequality",
    uses=["lemma-5", "lemma-11-corrected", "lemma-12-corrected"],
    standing="ours",
)
def mean_gradient_for_any_step_and_weight():
    """For normalised steps on an L-smooth F (Lemma 5), if E|m^_t - grad F(w_t)| <= c + beta^t G, beta =
    1-alpha < 1 (Lemmas 11 and 12, corrected, c all that does not depend on t), and E[F(w_1) - F(w_{T+1})] <=
    R, then E|grad F(w^)| <= 3R/(2 eta T) + 3 L eta/4 + 3 c + 3 G/(alpha T).
    """
    c, beta = sp.Symbol("c", nonnegative=True), sp.Symbol("beta", positive=True)
    stated = 3 * R / (2 * eta * T) + 3 * L * eta / 4 + 3 * c + 3 * G / ((1 - beta) * T)
    return mean_gradient_with(eta, beta, c, [beta < 1], stated)


x = sp.Symbol("x", positive=True)  # sqrt(N/T)


@claim(PAPER, "thm-6-noise", at="Theorem 6, noise term in x", kind="inequality", standing="ours")
def noise_of_theorem_6():
    """With alpha = 1/N, sigma = 2 sqrt(l)/epsilon, epsilon = log2 T sqrt(d l)/(N x^2), x = sqrt(N/T), V <= 4
    (T/N) log2 T and T >= 2 the corrected Lemma 12 is at most 16 sqrt(2) G x. b is log2 T.
    """
    budget = bits * sp.sqrt(d * ell) / (N * x**2)
    noise = 4 / N * G * (2 * sp.sqrt(ell) / budget) * sp.sqrt(d * V * (1 + bits))
    return (
        Theorem(given=[V <= 4 * bits / x**2, bits >= 1], shows=AtMost(noise, 16 * sp.sqrt(2) * G * x))
        .have(AtMost(V * (1 + bits), 8 * bits**2 / x**2), "1 + b <= 2 b")
        .have(AtMost(sp.sqrt(V * (1 + bits)), 2 * sp.sqrt(2) * bits / x), "the root")
    )


def corrected(x):
    """The bound of Theorem 6, corrected, with x = sqrt(N/T) = sqrt(log2 T) (d l)^(1/4)/sqrt(epsilon N)."""
    lead = 3 * R / 2 + 9 * L + 48 * sp.sqrt(2) * G
    return lead * x + 3 * L * x / (4 * N) + 6 * G / sp.sqrt(N) + 3 * G * x**2


@claim(
    PAPER,
    "thm-6-corrected",
    at="Theorem 6, corrected, given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="inequality",
    uses=["lemma-5", "thm-6-noise", "lemma-11-corrected", "lemma-12-corrected", "t6-v"],
    standing="ours",
)
def explicit_bound_of_theorem_6_corrected():
    """E|grad F(w^)| <= (3R/2 + 9L + 48 sqrt(2) G) x + 3 L x/(4N) + 6 G/sqrt(N) + 3 G x^2, x = sqrt(log2 T) (d
    l)^(1/4)/sqrt(epsilon N) = sqrt(N/T), for T, N >= 2 and eta = 1/sqrt(N T), alpha = 1/N, T as in the
    theorem.

    As in thm-6-general, with c = 2 G sqrt(alpha) + 2 eta N L + eta L/alpha + 16 sqrt(2) G x
    (lemma-11-corrected, thm-6-noise); the second part has the T of the theorem, solved for epsilon. sigma = 2
    sqrt(l)/epsilon is the noise of Theorem 4, which is refuted (thm-4-dp): where that noise does not hide a
    record, this is a bound on runs that are not (epsilon, delta)-DP.
    """
    run = run_of_theorem_6()
    stated = AllOf(run.shows, Equal(SIZE, PRINTED_RATE))
    return replace(run, given=[*run.given, *CHOSEN], shows=stated)


SIZE = sp.sqrt(N / T)
PRINTED_RATE = sp.sqrt(BITS) * (d * ell) ** sp.Rational(1, 4) / sp.sqrt(eps * N)
CHOSEN = [sp.Eq(eps, BITS * sp.sqrt(d * ell) * T / N**2), T >= 2]


def run_of_theorem_6():
    """The steps with the eta and alpha of Theorem 6 and the error of their momentum, and its bound."""
    c = 2 * G / sp.sqrt(N) + 2 * SIZE * L + SIZE * L + 16 * sp.sqrt(2) * G * SIZE
    return mean_gradient_with(1 / sp.sqrt(N * T), 1 - 1 / N, c, [N >= 2], corrected(SIZE))


def no_gradient_is_above_g(theorem):
    """With the mean of E|grad F(w_t)| at most G, as each of them is."""
    slopes = sp.Sum(slope[t], (t, 1, T))
    return (
        theorem.sum(AtMost(slope[t], G), (t, 1, T), "no gradient is above G")
        .have(Equal(sp.Sum(G, (t, 1, T)), T * G), "T times the same")
        .have(AtMost(slopes, T * G), "added up")
        .have(AtMost(slopes / T, G), "nor is their mean")
    )


def rate_6(x):
    """The rate of Theorem 6 with its constants."""
    return (3 * R / 2 + 10 * L + 71 * G) * x + 6 * G / sp.sqrt(N)


@claim(PAPER, "thm-6-rate-terms", at="Theorem 6, second inequality, in x", kind="inequality", standing="ours")
def terms_of_the_rate_of_theorem_6():
    """What is at most the bound of thm-6-corrected and at most G is at most (3R/2 + 10L + 71G) x + 6
    G/sqrt(N).
    """
    mean = sp.Symbol("g", real=True)
    known = [mean <= corrected(x), mean <= G]
    return Theorem(given=known, shows=AtMost(mean, rate_6(x))).cases(x <= 1, x > 1)


@claim(
    PAPER,
    "thm-6-rate",
    at="Theorem 6, second inequality, given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="asymptotic",
    uses=["thm-6-corrected", "thm-6-rate-terms"],
)
def rate_of_theorem_6():
    """E|grad F(w^)| is O~(d^(1/4)/sqrt(epsilon N) + 1/sqrt(N)): at most (3R/2 + 10L + 71G) x + 6 G/sqrt(N), x
    = sqrt(log2 T) (d l)^(1/4)/sqrt(epsilon N), O~ hiding sqrt(log2 T) l^(1/4); by thm-6-corrected where x <=
    1, and by E|grad F| <= G where x > 1.
    """
    mean = sp.Sum(slope[t], (t, 1, T)) / T
    known = [*run_of_theorem_6().given, ForEvery(AtMost(slope[t], G), t, 1, T), *CHOSEN]
    theorem = Theorem(given=known, shows=AtMost(mean, rate_6(PRINTED_RATE)))
    return (
        no_gradient_is_above_g(theorem)
        .use("thm-6-corrected", "Theorem 6, corrected")
        .use("thm-6-rate-terms", "where x <= 1, and where x > 1", g=mean, x=SIZE)
    )


@claim(PAPER, "thm-6-hyp", at="Theorem 6, hypotheses", kind="identity")
def conditions_of_theorem_6():
    """With alpha = epsilon N/(T log2 T sqrt(d l)): epsilon <= T log2 T sqrt(d l)/N exactly if alpha <= 1, and
    T = epsilon N^2/(log2 T sqrt(d l)) exactly if alpha = 1/N. b is log2 T.
    """
    root = sp.sqrt(d * ell)
    weight = eps * N / (size * bits * root)
    return AllOf(
        AtMost(weight, 1, given=[eps <= size * bits * root / N]),
        AtMost(eps, size * bits * root / N, given=[weight <= 1]),
        Equal(weight, 1 / N, given=[sp.Eq(size, eps * N**2 / (bits * root))]),
        Equal(size, eps * N**2 / (bits * root), given=[sp.Eq(weight, 1 / N)]),
    )
