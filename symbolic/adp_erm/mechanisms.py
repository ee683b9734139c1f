"""Sections 2 to 4: the Gaussian mechanism (Lemma 2.1), composition (Lemma 2.2), sampling.

eps = sqrt(2 ln(1.25/delta)) Delta/sigma;   drawn with chance s: (ln(1 + s (e^eps - 1)), s delta)

Neighbours differ in one record that is replaced ("differing in one sample", with n known), so the gradient of
the record that is drawn moves by at most 2 G.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.guarantees import GDP, ApproxDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Tested
from dpverify.releases import Gaussian
from dpverify.symbolic.adp_erm import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

n = sp.Symbol("n", integer=True, positive=True)
G, sigma, eps, delta, Delta = sp.symbols("G sigma epsilon delta Delta", positive=True)


@claim(
    PAPER,
    "def-2.1",
    at="Definition 2.1",
    kind="definition",
    standing="definition",
)
def definition_of_approximate_privacy():
    """(eps, delta)-DP: Pr[M(D) in S] <= e^eps Pr[M(D') in S] + delta for D, D' that differ in one sample.

    A sanity example: randomised response that is true with chance e^eps/(1 + e^eps) meets it with delta = 0.
    """
    truth = sp.exp(eps) / (1 + sp.exp(eps))
    return AllOf(
        AtMost(truth, sp.exp(eps) * (1 - truth)),
        AtMost(1 - truth, sp.exp(eps) * truth),
    )


@claim(
    PAPER,
    "lemma-2.1",
    at="Lemma 2.1",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-2.1-corrected",
)
def gaussian_mechanism_for_every_epsilon():
    """h + N(0, sigma^2 I) is (sqrt(2 ln(1.25/delta)) Delta/sigma, delta)-DP for every eps, delta > 0.

    The lemma is known for eps <= 1 (lemma-2.1-small); here sigma may be small against Delta, and delta < 1.
    """
    spent = sp.sqrt(2 * sp.log(5 / (4 * delta))) * Delta / sigma
    return Private(Gaussian(sigma, {REPLACE: Delta}), ApproxDP(spent, delta), REPLACE, given=[delta < 1])


@claim(
    PAPER,
    "lemma-2.1-corrected",
    at="Lemma 2.1, corrected",
    kind="privacy guarantee",
    standing="ours",
)
def gaussian_mechanism_by_concentrated_privacy():
    """h + N(0, sigma^2 I) is (Delta^2/(2 sigma^2) + (Delta/sigma) sqrt(2 ln(1/delta)), delta)-DP, for every
    Delta, sigma > 0 and delta < 1.
    """
    rho = Delta**2 / (2 * sigma**2)
    spent = rho + 2 * sp.sqrt(rho * sp.log(1 / delta))
    return Private(Gaussian(sigma, {REPLACE: Delta}), ApproxDP(spent, delta), REPLACE, given=[delta < 1])


@claim(
    PAPER,
    "lemma-2.1-small",
    at="Lemma 2.1, for eps <= 1",
    kind="privacy guarantee",
    expect=SUPPORTED,
    standing="ours",
)
def gaussian_mechanism_for_small_epsilon():
    """For eps <= 1 and delta < 1, Lemma 2.1 holds: the exact profile of N(0, 1) against N(mu, 1), at mu =
    eps/sqrt(2 ln(1.25/delta)), is at most delta, on a grid of eps in [.001, 1], delta in [1e-12, .99].
    """

    def run(effort: Effort) -> Result:
        worst, where = 0.0, (0.0, 0.0)
        points = list(
            itertools.product(np.linspace(0.001, 1, 60), [*np.geomspace(1e-12, 0.5, 60), 0.9, 0.99])
        )
        for epsilon, level in points:
            share = GDP(epsilon / math.sqrt(2 * math.log(1.25 / level))).delta_at(epsilon) / level
            worst, where = max((worst, where), (share, (epsilon, level)))
        evidence = Evidence(
            "exact profile on a grid", samples=len(points), ceiling="a point of the grid above its delta"
        )
        said = f"delta is at most {worst:.3g} of what is claimed, at eps = {where[0]:.3g}, {where[1]:.3g}"
        if worst <= 1:
            return Result(SUPPORTED, said, evidence)
        return Result(UNDECIDED, said, evidence)

    return Tested("the exact delta of the Gaussian mechanism is at most the claimed one for eps <= 1", run)


def response_delta(epsilons: np.ndarray, deltas: np.ndarray, epsilon: float) -> float:
    """The least delta, at that epsilon, of the worst mechanisms of (eps_i, delta_i)-DP one after the other.

    Each shows the record with chance delta_i and is randomised response of eps_i otherwise: no composition of
    (eps_i, delta_i)-DP mechanisms has a larger profile (Kairouz, Oh and Viswanath 2017).
    """
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(epsilons))))
    loss = signs @ epsilons
    chance = np.prod(np.where(signs > 0, np.exp(epsilons), 1.0) / (1 + np.exp(epsilons)), axis=1)
    hidden = float(np.sum(chance * np.maximum(-np.expm1(epsilon - loss), 0)))
    return 1 - float(np.prod(1 - deltas)) * (1 - hidden)


def composed_epsilon(epsilons: np.ndarray, slack: float) -> float:
    """The eps of Lemma 2.2."""
    spread = math.sqrt(2 * float(epsilons @ epsilons) * math.log(1 / slack))
    return spread + float(np.sum(epsilons * np.tanh(epsilons / 2)))


@claim(PAPER, "lemma-2.2", at="Lemma 2.2", kind="privacy guarantee", expect=SUPPORTED)
def composition_of_different_mechanisms():
    """(eps_i, delta_i)-DP mechanisms together are (eps, delta)-DP with eps = sqrt(2 sum eps_i^2 ln(1/delta'))
    + sum eps_i (e^eps_i - 1)/(e^eps_i + 1) and delta = 1 - prod(1 - delta_i) + delta'.

    Decided exactly for the worst mechanisms by enumeration of their outcomes, k up to 10, at random eps_i,
    delta_i and delta'. The general statement is a theorem of Kairouz, Oh and Viswanath, who have 1 - (1 -
    delta') prod(1 - delta_i), which is less.
    """

    def run(effort: Effort) -> Result:
        rng = np.random.default_rng(effort.seed)
        worst = 0.0
        cases = effort.runs // 10
        for _ in range(cases):
            k = int(rng.integers(1, 11))
            epsilons = rng.uniform(0.01, 1, k) ** rng.choice([1, 3])
            deltas = 10 ** rng.uniform(-8, -0.1, k)
            slack = 10 ** rng.uniform(-6, -0.05)
            allowed = 1 - float(np.prod(1 - deltas)) + slack
            exact = response_delta(epsilons, deltas, composed_epsilon(epsilons, slack))
            worst = max(worst, exact - allowed)
            if exact > allowed + 1e-9:
                let = {"eps_i": str(epsilons.tolist()), "delta_i": str(deltas.tolist()), "delta'": str(slack)}
                return Result(
                    UNDECIDED,
                    f"exact {exact} above {allowed} at {let}",
                    Evidence("enumeration", samples=cases),
                )
        evidence = Evidence(
            "enumeration of the outcomes",
            samples=cases,
            seed=effort.seed,
            ceiling="one of the random compositions above its delta",
        )
        return Result(SUPPORTED, f"the exact delta exceeds the stated one by at most {worst:.2g}", evidence)

    return Tested("the worst composition of up to 10 mechanisms keeps Lemma 2.2", run)


@claim(
    PAPER, "lemma-2.2-step", at="Lemma 2.2, first step", kind="inequality", standing="ours", uses=["def-2.1"]
)
def mean_loss_of_randomised_response():
    """The loss of the worst eps-DP mechanism is +-eps with mean eps (e^eps - 1)/(e^eps + 1), between 0 and
    eps^2/2.
    """
    truth = sp.exp(eps) / (1 + sp.exp(eps))
    mean = eps * (sp.exp(eps) - 1) / (sp.exp(eps) + 1)
    return AllOf(
        Equal(eps * truth - eps * (1 - truth), mean),
        Equal(eps * sp.tanh(eps / 2), mean),
        AtMost(sp.tanh(eps / 2), eps / 2),
    )


@claim(PAPER, "lemma-2.2-reduces", at="Below Lemma 2.2", kind="identity", uses=["lemma-2.2"])
def homogeneous_composition_is_at_most_the_classical_one():
    """With eps_i = e0 and delta_i = d0, Lemma 2.2 gives the classical advanced composition (sqrt(2 k
    ln(1/delta')) e0 + k e0 (e^e0 - 1), k d0 + delta'): neither part is larger (nor equal: the division by
    e^e0 + 1 is gained).
    """
    k = sp.Symbol("k", integer=True, positive=True)
    e0, d0, slack = sp.symbols("epsilon_0 delta_0 delta'", positive=True)
    spread = sp.sqrt(2 * k * sp.log(1 / slack)) * e0
    mean = k * e0 * (sp.exp(e0) - 1)
    return AllOf(
        AtMost(spread + mean / (sp.exp(e0) + 1), spread + mean, given=[slack < 1]),
        Theorem(given=[d0 < 1], shows=AtMost(1 - (1 - d0) ** k + slack, k * d0 + slack)).have(
            AtMost(1 - k * d0, (1 - d0) ** k), "Bernoulli"
        ),
    )


@claim(PAPER, "sampling", at="Theorem 4.1, sampling, n fixed", kind="privacy guarantee", standing="ours")
def random_batch_amplifies():
    """If M is (e0, d0)-DP on the batch and the record that differs is in it with chance s, whatever the rest
    of the batch, then M of the batch is (ln(1 + s (e^e0 - 1)), s d0)-DP: one record drawn uniformly (s =
    1/n), m records without replacement (s = m/n), and Poisson batches whose record is replaced (s the rate).

    a is the chance of an event without the record (another one in its place, or nobody), p and q its chances
    with the record on the two data sets.
    """
    a, p, q, grown, d0, chance = sp.symbols("a p q g delta_0 s", nonnegative=True)  # g = e^e0 - 1
    on_first, on_second = (1 - chance) * a + chance * p, (1 - chance) * a + chance * q
    return Theorem(
        given=[chance <= 1, p <= (1 + grown) * q + d0, p <= (1 + grown) * a + d0],
        shows=AtMost(on_first, (1 + chance * grown) * on_second + chance * d0),
    ).cases(q <= a, a <= q)


@claim(
    PAPER,
    "sampling-add-remove",
    at="Theorem 4.1, one record of n or of n + 1",
    kind="privacy guarantee",
    standing="ours",
)
def one_random_record_amplifies_when_one_is_added():
    """If a record is added to n, one drawn uniformly from n + 1 gives (ln(1 + (e^e0 - 1)/(n + 1)), d0/(n +
    1))-DP both ways, provided that the noise is the same: a is the chance of an event on the n records, p
    on the added one.
    """
    a, p, grown, d0 = sp.symbols("a p g delta_0", nonnegative=True)
    added = (n * a + p) / (n + 1)
    factor, slack = 1 + grown / (n + 1), d0 / (n + 1)
    near = [p <= (1 + grown) * a + d0, a <= (1 + grown) * p + d0]
    return AllOf(AtMost(added, factor * a + slack, given=near), AtMost(a, factor * added + slack, given=near))


@claim(PAPER, "assumption-2.2-sensitivity", at="Assumption 2.2", kind="inequality", standing="ours")
def replaced_record_moves_the_gradient_by_two_bounds():
    """Replacing a record moves the gradient that is drawn by at most 2 G."""
    from dpverify.language.vectors import norm, vectors

    first, second = vectors("g h")
    return AtMost(norm(first - second), 2 * G, given=[norm(first) <= G, norm(second) <= G])
