"""Algorithms 1 and 2 audited, with the printed noise and with the least that their ledgers certify, beside
the exact losses; and their mean gradients beside Theorems 6 and 9.

The records of the audits have the loss r^2 + 3 sin(r)^2, r = w - y, on a line: those of a pair that differ, y
=
-.3 and y = pi/2, have gradients above 2 and below -2 at w = 0, the clip, and bend in opposite ways, so that
nodes of gradients move by all that is allowed, and those of differences too but for the length of the steps.
The order of an epoch is random and public: the exact loss is that of the order that was drawn.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.algorithms.dp_nsgd import dp_nsgd, gradient_norm
from dpverify.algorithms.sensitivity_reduced_nsgd import Scales, sensitivity_reduced_nsgd
from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.engine import Algorithm
from dpverify.formulas.momentum_agg import printed_sigma, printed_v, printed_v_reduced
from dpverify.guarantees import GDP, ZCDP, Guarantee
from dpverify.montecarlo import mean_at_least, run
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.parts.bounding import first_gap
from dpverify.problems import Linear, Problem, logistic
from dpverify.relations import Tested
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.runs import SEEDS, problems
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

COUNT = 8
STEPS = 32
CLIP = 2.0
BEND = 4.0
STEP = 1e-3


def sensitive_pair() -> Neighbours:
    """Records at 0 on a line, of which the first is replaced by one that bends the other way."""
    features, targets = np.ones((COUNT, 1)), np.zeros(COUNT)
    targets[0] = -0.3
    return Neighbours.replace((features, targets), 0, (np.ones(1), math.pi / 2))


def audited(reduced: bool, sigma: float) -> Algorithm:
    """Algorithm 1 or 2 on such records, four epochs of 8, alpha = 1/8, with the printed noise at sigma."""
    problem = Linear(dimension=1, count=COUNT, start=np.zeros(1), kind="wavy")
    common: dict[str, Any] = {"clip": CLIP, "alpha": 1 / COUNT, "steps": STEPS, "step_size": STEP}
    if not reduced:
        scale = 4 / COUNT * CLIP * sigma * math.sqrt(printed_v(STEPS, COUNT))
        return dp_nsgd(problem, scale=scale, **common)
    few, many = (math.sqrt(v) for v in printed_v_reduced(STEPS, COUNT))
    scales = Scales(4 * CLIP * sigma * few, 4 * CLIP * sigma * many, 2 * STEP * COUNT * BEND * sigma * many)
    return sensitivity_reduced_nsgd(problem, scales=scales, smoothness=BEND, gamma=0.25, **common)


def _audit(reduced: bool, effort: Effort) -> Result:
    """Whether audits acquit the theorem and the ledger, and refute half of the loss that the runs have."""
    from dpverify import Budget, audit
    from dpverify.auditing.algorithm import loss_mechanism
    from dpverify.losses import block_losses

    pair, budget = sensitive_pair(), Budget(runs=3 * effort.runs, seed=effort.seed)
    sigma, cost = 0.25, 3 if reduced else 1

    def verdict(algorithm: Algorithm, claimed: Guarantee) -> Any:
        losses = loss_mechanism(algorithm, pair)
        return audit(losses, pair, claimed, budget=budget, rungs=["statistics"], smaller=False).verdict

    stated = audited(reduced, sigma)
    certified = audited(reduced, sigma * gaussian_mu(stated.ledger(), REPLACE))  # its ledger says 1-GDP
    rng = np.random.default_rng(effort.seed)
    loss = float(np.mean(block_losses(stated, stated.load(pair.data), stated.load(pair.other), 4000, rng)))
    verdicts = {
        "2-zCDP by the theorem": verdict(audited(reduced, math.sqrt(cost) / 2), ZCDP(2.0)),
        "half of the mean loss": verdict(stated, ZCDP(loss / 2)),
        "1-GDP by the ledger": verdict(certified, GDP(1.0)),
        "GDP(.4)": verdict(certified, GDP(0.4)),
    }
    said = ", ".join(f"{name}: {found}" for name, found in verdicts.items())
    said += f"; the mean loss is {loss:.2f} of the {cost / (2 * sigma**2):g} that the theorem allows"
    ceiling = "a refutation of the theorem or of the ledger; those of smaller claims were found"
    evidence = Evidence("audit of exact losses", samples=8 * budget.runs, seed=effort.seed, ceiling=ceiling)
    names = [name for name, found in verdicts.items() if found is REFUTED]
    right = names == ["half of the mean loss", "GDP(.4)"]
    return Result(SUPPORTED if right else UNDECIDED, said, evidence)


@claim(
    PAPER,
    "audit-alg-1",
    at="Theorem 4, audited",
    kind="privacy guarantee",
    uses=["thm-4-rdp-corrected", "ledger-exact"],
    standing="ours",
    expect=SUPPORTED,
)
def audits_of_algorithm_1():
    """N = 8, T = 32, alpha = 1/8: audits of the exact losses of Algorithm 1 do not refute the 2-zCDP of
    Theorem 4 at sigma = 1/2, nor 1-GDP at the noise for which the ledger says so, and refute half of the mean
    loss at sigma = 1/4, and .4-GDP.
    """
    return Tested("audits of Algorithm 1 acquit Theorem 4 and refute less", lambda e: _audit(False, e))


@claim(
    PAPER,
    "audit-alg-2",
    at="Theorem 8, audited",
    kind="privacy guarantee",
    uses=["thm-8-rdp-corrected", "ledger-exact"],
    standing="ours",
    expect=SUPPORTED,
)
def audits_of_algorithm_2():
    """The same of Algorithm 2, with the 2-zCDP of Theorem 8 at sigma = sqrt(3)/2, and L = 4 in the noise of
    the differences.
    """
    return Tested("audits of Algorithm 2 acquit Theorem 8 and refute less", lambda e: _audit(True, e))


def _settings(problem: Problem, reduced: bool, epsilon: float, level: float) -> tuple[int, float]:
    """T and alpha of Theorem 6 or 9, T rounded up."""
    N, d = problem.count, problem.dimension
    if reduced:
        steps = math.ceil(N ** (7 / 3) * epsilon ** (4 / 3) / d ** (2 / 3))
        return steps, min(1.0, N**0.75 * epsilon / (steps**0.75 * math.sqrt(d)))
    steps = 2
    while steps * math.log2(steps) * math.sqrt(d * level) < epsilon * N**2:
        steps += 1
    return steps, min(1.0, epsilon * N / (steps * math.log2(steps) * math.sqrt(d * level)))


# What no record's gradient exceeds: everywhere for the logistic loss, where the runs go for the other.
SLOPES = {"logistic": 1.0, "far": 1.0, "wavy": 12.0}


def _far(reduced: bool) -> tuple[str, Problem, Any, float, float]:
    """Logistic records alike, so far from their least that T steps of 1/sqrt(N T) end where the slope is
    still 1, with an epsilon for which T = 6400, and log(1/delta).
    """
    count, reach = (16, 20.0) if reduced else (64, 10.0)  # reach = sqrt(T/N)
    rows = np.ones((count, 1))
    problem = logistic(rows, count=count, start=np.array([-reach - 8.0]))
    level = 0.01 if reduced else math.log(1e3)
    epsilon = reach**1.5 if reduced else math.log2(count * reach**2) * math.sqrt(level) * reach**2
    return "far", problem, (rows, np.ones(count)), epsilon / count, level


def _printed_bound(
    problem: Problem, data: Any, reduced: bool, epsilon: float, level: float, T: int, G: float
) -> float:
    """The right side of Theorem 6 or 9, with the problem's own L and R."""
    from dpverify.symbolic.momentum_agg import theorem_6, theorem_9_proof

    N = problem.count
    d = problem.dimension
    L = float(problem.smoothness)
    R = first_gap(problem, data)
    values = {"N": N, "d": d, "L": L, "R": R, "G": G, "epsilon": epsilon, "l": level}
    bits = math.log2(T)
    said = theorem_9_proof.printed(16 * bits * level) if reduced else theorem_6.printed(bits)
    return float(said.subs({symbol: values[symbol.name] for symbol in said.free_symbols}))


def _against_theorem(reduced: bool, effort: Effort) -> Result:
    shares = {}
    runs = 200 if effort.name == "quick" else 2000
    cases = [(seed, *case, 1.0, math.log(1e3)) for seed in SEEDS for case in problems(seed)]
    cases.append((SEEDS[0], *_far(reduced)))
    for seed, name, problem, data, epsilon, level in cases:
        steps, alpha = _settings(problem, reduced, epsilon, level)
        eta, G = 1 / math.sqrt(problem.count * steps), SLOPES[name]
        common: dict[str, Any] = {"clip": G, "alpha": alpha, "steps": steps, "step_size": eta}
        sigma = printed_sigma(epsilon, math.exp(-level), 4.0 if reduced else 2.0)
        if reduced:
            few, many = (math.sqrt(v) for v in printed_v_reduced(steps, problem.count))
            L, gamma = float(problem.smoothness), min(1.0, eta * problem.count)
            small = 2 * eta * problem.count * L
            scales = Scales(4 * G * sigma * few, 4 * G * sigma * many, small * sigma * many)
            algorithm = sensitivity_reduced_nsgd(problem, scales=scales, smoothness=L, gamma=gamma, **common)
        else:
            scale = 4 * alpha * G * sigma * math.sqrt(printed_v(steps, problem.count))
            algorithm = dp_nsgd(problem, scale=scale, **common)
        measure = {"slope": gradient_norm(problem, data)}
        measured = run(algorithm, data, runs, seed, measure=measure, keep=()).values["slope"]
        bound = _printed_bound(problem, data, reduced, epsilon, level, steps, G)
        shares[f"{name}, seed {seed}"] = mean_at_least(measured, 1e-3 / len(cases)) / bound
    worst = max(shares, key=lambda name: shares[name])
    said = f"the mean gradients reach at least {shares[worst]:.2g} of the printed bound ({worst})"
    evidence = Evidence(
        "runs",
        samples=runs * len(cases),
        alpha=1e-3,
        seed=SEEDS[0],
        ceiling="a lower confidence bound above the bound, which is above G in every case",
    )
    good = shares[worst] <= 1 and shares[f"far, seed {SEEDS[0]}"] >= 1 / (11 if reduced else 4)
    return Result(SUPPORTED if good else UNDECIDED, said, evidence)


@claim(
    PAPER,
    "run-thm-6",
    at="Theorem 6, run",
    kind="inequality",
    uses=["thm-6-corrected"],
    standing="ours",
    expect=SUPPORTED,
)
def algorithm_1_against_theorem_6():
    """E|F'(w^)| of Algorithm 1 with eta, alpha, T and the noise of Theorem 6 at (1, 1e-3) is not above the
    printed bound, where N is small: a convex problem of 20 records and a non-convex one of 12, three data
    seeds each; and 64 records alike, far from their least, at (52, 1e-3), where it is within a factor of
    four; 1e-3 for all seven together. (thm-6 fails for N of millions; the bound says less than |F'| <= G
    here.)
    """
    return Tested("mean gradients of Algorithm 1 beside Theorem 6", lambda e: _against_theorem(False, e))


@claim(
    PAPER,
    "run-thm-9",
    at="Theorem 9, run",
    kind="inequality",
    uses=["thm-9-small-delta"],
    standing="ours",
    expect=SUPPORTED,
)
def algorithm_2_against_theorem_9():
    """The same of Algorithm 2 with fresh orders and the parameters of Theorem 9; 16 records alike, far from
    their least, at (5.6, .99), where the bound is within a factor of eleven. (For delta <= 1/2 it is at
    least 24 K G sqrt(N/T), K >= 11 log2 T: to be below 10 G takes a million steps.)
    """
    return Tested("mean gradients of Algorithm 2 beside Theorem 9", lambda e: _against_theorem(True, e))
