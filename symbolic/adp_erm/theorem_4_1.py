"""Theorem 4.1 for public b: as printed, with conditions, audited, and by exact losses.

release  (eta/b_{t+1}) (g_t + alpha_{t+1} c_t),  g_t the gradient of one record of n,  |g_t| <= G
sigma^2 = (16 G)^2 B_delta/(n eps)^2 sum_t 1/alpha_t^2,  B_delta = ln(16 T/(n delta)) ln(1.25/delta)   (6)
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.adp_erm import adaptive_alpha, polynomial_b, printed_sigma
from dpverify.guarantees import GDP, ApproxDP
from dpverify.language.mechanisms import Private, Repeated
from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency
from dpverify.relations import AtMost, Equal, Instance, Tested
from dpverify.releases import Gaussian, Subsampled
from dpverify.schedules import step
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.mechanisms import G, delta, eps, n, sigma
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

t, T = step(), sp.Symbol("T", integer=True, positive=True)
alpha = sp.IndexedBase("alpha", positive=True)


def total(term):
    """The sum over all steps."""
    return sp.Sum(term, (t, 1, T))


@claim(
    PAPER,
    "thm-4.1",
    at="Theorem 4.1, Eq (6), b public",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="privacy",
    correction="thm-4.1-corrected",
)
def printed_noise_keeps_epsilon_and_delta():
    """With alpha known in advance and |grad f| <= G, sigma^2 = (16 G)^2 B_delta/(n eps)^2 sum_t 1/alpha_t^2
    makes Algorithm 1 (eps, delta)-DP, for every n, T, eps, delta > 0.

    The case: T = 1, alpha_1 = 1, b_1 = 1, eta = G = 1, d = 1, n = 500 linear losses, of gradient -1 for each
    record of D, and 1 for one record of D'; eps = 1, delta = 1e-5. sigma is about .31, the record is drawn
    with chance 1/500 and then moves the output by 2; the event is {output >= 3/10}.
    """
    count, level = 500, sp.Rational(1, 10**5)
    spread = sp.Rational(16, count) * sp.sqrt(
        sp.log(16 / (count * level)) * sp.log(sp.Rational(5, 4) / level)
    )

    def above(mean):
        return sp.erfc((sp.Rational(3, 10) - mean) / (spread * sp.sqrt(2))) / 2

    seen = sp.Rational(count - 1, count) * above(-1) + sp.Rational(1, count) * above(1)
    return Instance(
        AtMost(seen, sp.E * above(-1) + level),
        let={
            "f(theta; x)": "x theta, x = -1 for each of n records, x = 1 for one record of D'",
            "T, b_1, alpha_1, eta, G, d": "1",
            "n, eps, delta": "500, 1, 1/100000",
            "S": "{g >= 3/10}",
        },
        because="noise of order 1/n leaves a record that is drawn with chance 1/n > delta in the open",
    )


@claim(
    PAPER,
    "thm-4.1-audit",
    at="Theorem 4.1, Eq (6), audited",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-4.1-corrected-audit",
    standing="ours",
)
def audit_finds_the_rare_record():
    """The last iterate of Algorithm 1 with the noise of Eq (6), n = 200, T = 1, b_t = sqrt(1 + t), alpha_t^2
    = b_t, eps = 2, delta = .001, keeps (2, .001)-DP.

    The event, of probability .005, is found by the audit: it is told nothing of the record that is rare.
    """
    return audited(steps=1, count=200, epsilon=2.0, delta=1e-3, said="Algorithm 1 with the noise of Eq (6)")


def audited(*, steps: int, count: int, epsilon: float, delta: float, said: str, scale: float = 1.0) -> Tested:
    """The last iterate of Algorithm 1 on linear losses of slope -1, one of which may be 1."""

    def run(effort: Effort) -> Result:
        from dpverify import Budget, Neighbours, audit

        sizes = polynomial_b(1, 1).values(steps)
        values = adaptive_alpha(polynomial_b(1, 1)).values(steps)
        spread = scale * printed_sigma(values, G=1.0, n=count, epsilon=epsilon, delta=delta)

        def train(data: np.ndarray, rng: np.random.Generator, runs: int) -> np.ndarray:
            drawn = data[rng.integers(count, size=(runs, steps)), 0]
            noisy = drawn + spread * values * rng.standard_normal((runs, steps))
            return -(noisy / sizes).sum(axis=1, keepdims=True)

        pair = Neighbours.replace(np.full((count, 1), -1.0), 0, [1.0])
        budget = Budget(runs=50 * effort.runs, seed=effort.seed)
        return audit(
            train, pair, ApproxDP(epsilon, delta), budget=budget, rungs=["statistics"], smaller=False
        )

    return Tested(f"{said} keeps ({epsilon:g}, {delta:g})-DP at n = {count}, T = {steps}", run)


def sampled_steps(how: str, adjacency: Adjacency, moved: int):
    """Algorithm 1 on batches drawn so, where a record moves the sum of the gradients by `moved` times G, with
    sigma^2 >= (8 moved G)^2 u r/(n eps)^2 sum_t 1/alpha_t^2.
    """
    u, r = sp.symbols("u r", positive=True)  # ln(1/delta) of each step before sampling, and of composition
    m = sp.Symbol("m", integer=True, positive=True)
    unit = G / (m * alpha[t] * sigma)
    inverse = total(1 / alpha[t] ** 2)
    rho = (moved * unit) ** 2 / 2
    before = rho + 2 * sp.sqrt(rho * u)  # epsilon of a step before sampling
    square, most = (2 * m / n * before) ** 2, 10 * moved**2 * u * (G / (alpha[t] * sigma * n)) ** 2
    release = Subsampled(Gaussian(alpha[t] * sigma, {adjacency: moved * G / m}), size=m, of=n, how=how)
    spent = ApproxDP(eps, T * m * sp.exp(-u) / n + sp.exp(-r))
    return (
        Theorem(
            given=[
                (8 * moved * G) ** 2 * u * r / (n * eps) ** 2 * inverse <= sigma**2,
                u >= 2,
                eps <= 5 * r,
                m <= n,
                ForEvery(AtMost(3 * G * sp.sqrt(u), m * alpha[t] * sigma), t, 1, T),
            ],
            shows=Private(Repeated(release, t, 1, T), spent, adjacency, each=sp.exp(-u), slack=sp.exp(-r)),
        )
        .have(ForEvery(AtMost(unit * sp.sqrt(u), sp.Rational(1, 3)), t, 1, T), "the last condition")
        .have(
            ForEvery(AtMost(before, moved * sp.Rational(1581, 1000) * unit * sp.sqrt(u)), t, 1, T), "u >= 2"
        )
        .sum(AtMost(sp.Max(0, before - sp.Rational(5, 4)), 0), (t, 1, T), "epsilon is at most 5/4 before")
        .sum(AtMost(square, most), (t, 1, T), "squared")
        .have(Equal(total(most), 10 * moved**2 * u * G**2 / (n * sigma) ** 2 * inverse), "constant factors")
        .have(AtMost(total(square), sp.Rational(5, 32) * eps**2 / r), "the noise")
        .have(AtMost(sp.sqrt(2 * total(square) * r), sp.Rational(14, 25) * eps), "the spread of the loss")
        .have(AtMost(total(square) / 2, sp.Rational(2, 5) * eps), "its mean: eps <= 5 r")
    )


@claim(
    PAPER,
    "thm-4.1-corrected",
    at="Theorem 4.1, with conditions",
    kind="privacy guarantee",
    uses=["assumption-2.2-sensitivity", "sampling"],
    standing="ours",
)
def noise_suffices_where_each_step_is_private_before_sampling():
    """For every public alpha and every b computed from what was published: Algorithm 1 on m records of n,
    drawn without replacement (m = 1: one uniformly), a record replaced, is (eps, T m e^-u/n + e^-r)-DP if
    sigma^2 >= (16 G)^2 u r/(n eps)^2 sum_t 1/alpha_t^2, u >= 2, eps <= 5 r, and m alpha_t sigma >= 3 G
    sqrt(u) for every t: each step is private before sampling.

    u = ln(2 T m/(n delta)) and r = ln(2/delta) give delta; then u r stands for B_delta
    (thm-4.1-corrected-delta). The last condition is what Theorem 4.1 lacks: T has to be large against (n
    eps)^2. By amplification and advanced composition (Lemma 2.2), as in the paper.
    """
    return sampled_steps("without replacement", REPLACE, 2)


@claim(
    PAPER,
    "thm-4.1-poisson",
    at="Theorem 4.1, Poisson batches, a record added or removed",
    kind="privacy guarantee",
    standing="ours",
)
def a_quarter_of_the_variance_suffices_on_poisson_batches():
    """The same on Poisson batches of m records in expectation (their sum is divided by m), a record added or
    removed, n public: a record moves the sum by G, not 2 G, and sigma^2 >= (8 G)^2 u r/(n eps)^2 sum_t
    1/alpha_t^2 is enough, a quarter of what Eq (6) has.
    """
    return sampled_steps("poisson", ADD_REMOVE, 1)


@claim(
    PAPER,
    "thm-4.1-corrected-delta",
    at="Theorem 4.1, with conditions, B_delta",
    kind="privacy guarantee",
    standing="ours",
)
def shares_of_delta():
    """With u = ln(2 T/(n delta)) and r = ln(2/delta), T e^-u/n + e^-r = delta; and u r is at most B_delta =
    ln(16 T/(n delta)) ln(1.25/delta) = (u + ln 8)(r - ln 1.6) if u <= 4 r - 2 and r >= 1/2 (T <= 2 n/(e^2
    delta^3), roughly): then the noise of Eq (6) is enough where each step is private before sampling.
    """
    u, r = sp.symbols("u r", positive=True)
    return AllOf(
        Theorem(
            given=[sp.Eq(u, sp.log(2 * T / (n * delta))), sp.Eq(r, sp.log(2 / delta)), delta < 1, 2 * T > n],
            shows=Equal(T * sp.exp(-u) / n + sp.exp(-r), delta),
        ),
        AtMost(
            u * r,
            (u + sp.log(8)) * (r - sp.log(sp.Rational(8, 5))),
            given=[u <= 4 * r - 2, r >= sp.Rational(1, 2)],
        ),
    )


@claim(
    PAPER,
    "thm-4.1-n-public",
    at="Theorem 4.1, Eq (6), a record added",
    kind="privacy guarantee",
    expect=SUPPORTED,
    standing="ours",
)
def printed_noise_tells_how_many_records_there_are():
    """Neighbours "differing in one sample" have to be of one size: if a record is added, so that each data
    set has its own n in Eq (6), Algorithm 1 is not (eps, delta)-DP, since the size of the noise tells n.

    The case: T = 1, d = 2, alpha = b = eta = G = 1, eps = 1, delta = 1e-5, every gradient 0; sigma^2 falls
    from n = 1 to n = 2 to less than a quarter; the event {|g|^2 > sigma_1^2} has chances e^-(1/2) and
    e^-(sigma_1^2/(2 sigma_2^2)).
    """
    level = sp.Rational(1, 10**5)
    share = 4 * sp.log(16 / level) / sp.log(8 / level)  # sigma_1^2/sigma_2^2
    return Instance(
        AtMost(sp.E * sp.exp(-share / 2) + level, sp.exp(-sp.Rational(1, 2)), strict=True),
        let={
            "n": "1 on D, 2 on D'",
            "gradients": "0",
            "T, alpha_1, b_1, eta, G, eps": "1",
            "d, delta": "2, 1/100000",
            "S": "{|g|^2 > sigma_1^2}",
        },
        because="the size of the noise tells n",
    )


@claim(
    PAPER,
    "thm-4.1-corrected-audit",
    at="Theorem 4.1, with conditions, audited",
    kind="privacy guarantee",
    uses=["thm-4.1-corrected"],
    expect=SUPPORTED,
    standing="ours",
)
def audit_acquits_the_noise_that_hides_each_step():
    """At n = 200, T = 1, eps = 2, delta = .001 thirty times the noise of Eq (6), with which each step is
    private before sampling (alpha sigma >= 3 G sqrt(ln(2 T/(n delta)))), keeps the guarantee in the audit
    that refutes Eq (6).
    """
    said = "Algorithm 1 with thirty times the noise of Eq (6)"
    return audited(steps=1, count=200, epsilon=2.0, delta=1e-3, said=said, scale=30.0)


def enumerated_delta(mus: np.ndarray, rate: float, epsilon: float) -> float:
    """The least delta at that epsilon when each of one or two steps draws the record that differs with chance
    `rate`, over both directions; every pattern of batches is a component of the mixture.

    A record further than 16 standard deviations away counts as 16 away: noise that is added only hides.
    """
    mus = np.minimum(mus, 16.0)
    grid = np.linspace(-9, 9 + float(mus.max()), 1200)
    width = grid[1] - grid[0]
    ratio, weight = np.ones(1), np.ones(1)
    for mu in mus.tolist():
        drawn = 1 - rate + rate * np.exp(mu * grid - mu * mu / 2)
        ratio = np.multiply.outer(ratio, drawn).ravel()
        weight = np.multiply.outer(weight, width * np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi)).ravel()
    there = float(np.sum(weight * np.maximum(ratio - math.exp(epsilon), 0)))
    back = float(np.sum(weight * np.maximum(1 - math.exp(epsilon) * ratio, 0)))
    return max(there, back)


@claim(
    PAPER,
    "thm-4.1-loss",
    at="Theorem 4.1, Eq (6), exact losses",
    kind="privacy guarantee",
    expect=SUPPORTED,
    standing="ours",
)
def exact_losses_follow_the_condition():
    """For T = 1, 2, n = 1..10000, eps = .1, 1 and delta = 1e-5, on linear losses that differ in one record,
    the exact delta of Eq (6) by enumeration of the batches is below 1e-5 wherever every step is private
    before sampling (alpha_t sigma >= 3 G sqrt(ln(2 T/(n delta)))). Where that fails it is up to T/n, the
    chance that the record is drawn at all.
    """

    def run(effort: Effort) -> Result:
        level = 1e-5
        broken = []
        kept = 0
        for steps, count, epsilon in itertools.product((1, 2), (1, 3, 10, 100, 1000, 10_000), (0.1, 1.0)):
            values = adaptive_alpha(polynomial_b(1, 1)).values(steps)
            spread = printed_sigma(values, G=1.0, n=count, epsilon=epsilon, delta=level)
            exact = enumerated_delta(2 / (values * spread), 1 / count, epsilon)
            private = 3 * math.sqrt(math.log(2 * steps / (count * level))) <= values.min() * spread
            if private and exact > level:
                return Result(
                    UNDECIDED,
                    f"delta = {exact:.3g} at n = {count}, T = {steps}, eps = {epsilon}",
                    Evidence("enumeration", samples=24),
                )
            kept += private
            if exact > level:
                broken.append(f"n = {count}, T = {steps}, eps = {epsilon:g}: {exact:.2g}")
        evidence = Evidence(
            "enumeration of the batches and quadrature",
            samples=24,
            ceiling="a delta above 1e-5 where the condition holds",
        )
        said = f"{kept} of 24 meet the condition and keep delta; broken: " + "; ".join(broken)
        return Result(SUPPORTED if kept and broken else UNDECIDED, said, evidence)

    return Tested("the exact delta of Eq (6) is at most 1e-5 where each step is private before sampling", run)


def mixture_delta(first: dict[float, float], second: dict[float, float], epsilon: float) -> float:
    """The least delta at that epsilon, over both directions, of two mixtures of N(mean, 1), given as chances
    of means, by quadrature.
    """
    grid = np.linspace(min(*first, *second) - 9, max(*first, *second) + 9, 8001)

    def density(chances: dict[float, float]) -> np.ndarray:
        return sum(p * np.exp(-((grid - mean) ** 2) / 2) for mean, p in chances.items()) / math.sqrt(
            2 * math.pi
        )

    p, q = density(first), density(second)
    width = grid[1] - grid[0]
    return max(float(np.maximum(x - math.exp(epsilon) * y, 0).sum()) * width for x, y in ((p, q), (q, p)))


def batch_means(data: tuple[float, ...], size: int, how: str, unit: float) -> dict[float, float]:
    """The chance of every sum of a batch, in units, by enumeration of the batches."""
    count = len(data)
    if how == "with replacement":
        drawn = [(pick, count**-size) for pick in itertools.product(range(count), repeat=size)]
    elif how == "without replacement":
        drawn = [(pick, 1 / math.comb(count, size)) for pick in itertools.combinations(range(count), size)]
    else:  # Poisson batches; the rate is that of four records
        drawn = [
            (pick, (size / 4) ** len(pick) * (1 - size / 4) ** (count - len(pick)))
            for k in range(count + 1)
            for pick in itertools.combinations(range(count), k)
        ]
    chances: dict[float, float] = {}
    for pick, chance in drawn:
        mean = sum(data[i] for i in pick) * unit
        chances[mean] = chances.get(mean, 0.0) + chance
    return chances


@claim(
    PAPER,
    "sampling-losses",
    at="Theorem 4.1, exact losses of the ways to sample",
    kind="privacy guarantee",
    uses=["sampling", "sampling-add-remove"],
    expect=SUPPORTED,
    standing="ours",
)
def exact_losses_of_the_ways_to_sample():
    """On four records of gradient -1, one of which is replaced by 1, or is gone, the exact delta of one step
    by enumeration of the batches is at most what amplification says: batches of 1 and 2 without and with
    replacement, Poisson batches, record replaced or removed, noise .5, 1, 2 and 4 times G, before sampling
    epsilon = .25, 1. With replacement the record may be drawn twice: for m = 2 its exact delta exceeds what
    chance m/n and one copy would give.
    """

    def run(effort: Effort) -> Result:
        ways = [
            (how, size, removed)
            for size in (1, 2)
            for how, removed in (
                ("without replacement", False),
                ("with replacement", False),
                ("poisson", False),
                ("poisson", True),
            )
        ]
        shares = dict.fromkeys((how for how, _, _ in ways), 0.0)
        once = 0.0  # with replacement, against one copy
        for (how, size, removed), spread, before in itertools.product(ways, (0.5, 1, 2, 4), (0.25, 1.0)):
            other = (-1.0,) * 3 if removed else (-1.0, -1.0, -1.0, 1.0)
            first, second = (batch_means(data, size, how, 1 / spread) for data in ((-1.0,) * 4, other))
            chance = 1 - (3 / 4) ** size if how == "with replacement" else size / 4
            epsilon = math.log1p(chance * math.expm1(before))
            exact, moved = mixture_delta(first, second, epsilon), (1 if removed else 2) / spread
            copies = (
                [(k, math.comb(size, k) * 3 ** (size - k) / 4**size) for k in range(1, size + 1)]
                if how == "with replacement"
                else [(1, chance)]
            )
            allowed = sum(p * GDP(k * moved).delta_at(before) for k, p in copies)
            shares[how] = max(shares[how], (exact - 1e-9) / allowed)
            if how == "with replacement" and size == 2:
                single = math.log1p(math.expm1(before) / 2)
                exact = mixture_delta(first, second, single)
                once = max(once, exact / (GDP(moved).delta_at(before) / 2))
        told = ", ".join(f"{share:.3f} {how}" for how, share in shares.items())
        said = f"exact over allowed is at most {told}; two draws against one copy: {once:.3g}"
        evidence = Evidence(
            "enumeration of the batches and quadrature",
            samples=64,
            ceiling="a share above 1.001 (quadrature)",
        )
        return Result(SUPPORTED if max(shares.values()) <= 1.001 < once else UNDECIDED, said, evidence)

    return Tested("the exact delta of a step on a batch is at most that of amplification by sampling", run)


@claim(PAPER, "thm-4.1-negative", at="Theorem 4.1, Eq (6)", kind="inequality", standing="ours")
def many_records_make_the_printed_variance_negative():
    """For n delta > 16 T, delta < 1, the sigma^2 of Eq (6) is negative: the theorem has no noise to
    prescribe.
    """
    few, level = sp.log(16 * T / (n * delta)), sp.log(sp.Rational(5, 4) / delta)
    scale = (16 * G) ** 2 / (n * eps) ** 2 * total(1 / alpha[t] ** 2)
    return (
        Theorem(given=[16 * T < n * delta, delta < 1], shows=AtMost(scale * few * level, 0, strict=True))
        .have(AtMost(16 * T / (n * delta), 1, strict=True), "n delta > 16 T")
        .have(AtMost(few, 0, strict=True), "its logarithm")
        .have(AtMost(0, level, strict=True), "delta < 1")
        .have(AtMost(0, total(1 / alpha[t] ** 2), strict=True), "every term is positive")
        .have(AtMost(0, scale, strict=True), "positive factors")
        .have(AtMost(0, scale * level, strict=True), "positive factors")
    )
