"""The audit of a training that is too dear to repeat: m canaries, each in or out by a fair coin, one run, and
guesses.

Of r guesses (the highest scores "in", the lowest "out"), v are right. If the training is (eps, delta)-DP with
respect to adding or removing one canary, then, with W ~ Bin(r, e^eps / (1 + e^eps)),

    Pr[at least v right] <= Pr[W >= v] + 2 m delta max_{1 <= i <= m} Pr[v - i <= W < v] / i

(Steinke, Nasr and Jagielski 2023, theorem 5.2). The lower bound on eps is the largest eps at which this is at
most alpha; the numbers of guesses that are tried share alpha.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpverify.auditing.sampling import Mechanism, MechanismError, name_of
from dpverify.guarantees import ApproxDP, PureDP
from dpverify.neighbours import Data
from dpverify.roots import bisect
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness


def p_value(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """The most probable that so many right guesses can be under (epsilon, delta)-DP.

    >>> round(p_value(80, 100, 100, 0.0, 0.0), 12) == round(p_value(80, 100, 1000, 0.0, 0.0), 12) < 1e-8
    True
    """
    from scipy.special import bdtr, bdtrc

    if right == 0:
        return 1.0
    q = 1 / (1 + math.exp(-epsilon))
    beta = float(bdtrc(right - 1, guesses, q))
    if delta == 0:
        return beta
    i = np.arange(1, min(right, canaries) + 1)
    below = np.where(right - i - 1 >= 0, bdtr(np.maximum(right - i - 1, 0), guesses, q), 0.0)
    share = float(((bdtr(right - 1, guesses, q) - below) / i).max())
    return min(1.0, beta + 2 * canaries * delta * share)


def epsilon_from_guesses(right: int, guesses: int, canaries: int, delta: float, alpha: float) -> float:
    """The largest epsilon refuted at level alpha (0 if none is).

    >>> round(epsilon_from_guesses(900, 1000, 1000, 1e-5, 0.05), 2)
    2.02
    """
    if p_value(right, guesses, canaries, 0.0, delta) > alpha:
        return 0.0
    low, high = 0.0, 1.0
    while p_value(right, guesses, canaries, high, delta) <= alpha and high < 64:
        low, high = high, 2 * high

    def stands(epsilon: float) -> bool:
        return p_value(right, guesses, canaries, epsilon, delta) > alpha

    return bisect(stands, low, high, relative=1e-12)[0]


def one_run(
    train: Mechanism,
    data: Data,
    canaries: Sequence[Any],
    score: Callable[[Any, Any], float],
    claim: PureDP | ApproxDP,
    *,
    alpha: float = 1e-3,
    seed: int = 0,
) -> Result:
    """Train once on the data and a random half of the canaries; `score(output, canary)` is high for one that
    was in.

    >>> def noisy_sum(data, rng):
    ...     return data.sum(axis=0) + 0.1 * rng.normal(size=data.shape[1])
    >>> result = one_run(noisy_sum, np.zeros((1, 200)), np.eye(200), lambda out, canary: out @ canary,
    ...     PureDP(1.0))
    >>> str(result.verdict)
    'REFUTED'
    """
    m = len(canaries)
    if m < 2:
        raise ValueError(f"Expected at least 2 canaries, got {m}.")
    coins, noise = np.random.SeedSequence(seed, spawn_key=(11,)).spawn(2)
    included = np.random.default_rng(coins).random(m) < 0.5
    chosen = [canary for canary, inside in zip(canaries, included) if inside]
    try:
        output = train(_with(data, chosen), np.random.default_rng(noise))
    except Exception as error:
        raise MechanismError(
            f"mechanism {name_of(train)} at SeedSequence({seed}) raised {type(error).__name__}: {error}"
        ) from error
    scores = np.array([float(score(output, canary)) for canary in canaries])
    if not np.isfinite(scores).all():
        return Result(
            UNDECIDED,
            f"The score of canary {int(np.flatnonzero(~np.isfinite(scores))[0])} is not finite "
            f"(seed {seed}).",
        )
    order = np.argsort(-scores, kind="stable")
    delta = claim.delta_at(claim.epsilon)
    best: tuple[float, int, int] | None = None
    numbers = sorted({max(1, m // 2), max(1, m // 4), max(1, m // 16)})
    for k in numbers:  # k guesses "in", k guesses "out"
        right = int(included[order[:k]].sum() + (~included[order[m - k :]]).sum())
        bound = epsilon_from_guesses(right, 2 * k, m, delta, alpha / len(numbers))
        if best is None or bound > best[0]:
            best = (bound, right, 2 * k)
    assert best is not None
    bound, right, guesses = best
    shown = (
        f"{right} of {guesses} guesses right among {m} canaries: epsilon >= {bound:.4g} at delta = "
        f"{delta:g} (confidence {1 - alpha:g})"
    )
    ceiling = epsilon_from_guesses(guesses, guesses, m, delta, alpha / len(numbers))
    figures = {"right": right, "guesses": guesses, "canaries": m, "epsilon_lower_bound": bound}
    evidence = Evidence(
        "one run", figures, alpha=alpha, samples=1, ceiling=f"epsilon = {ceiling:.3g}", seed=seed
    )
    if bound > claim.epsilon:
        let = {"M": name_of(train), "canaries": str(m), "seed": str(seed)}
        exact = {"kind": "one run", **figures, "tried": len(numbers), "alpha": alpha, "delta": delta}
        witness = Witness(let, shown, str(claim), {**exact, "epsilon": claim.epsilon, "seed": seed})
        return Result(
            REFUTED, f"{claim} (add/remove of a canary) is refuted by one run: {shown}.", evidence, witness
        )
    if ceiling <= claim.epsilon:
        return Result(
            UNDECIDED,
            f"{m} canaries could not have refuted {claim}: at most epsilon = {ceiling:.3g} could be shown.",
            evidence,
        )
    return Result(
        SUPPORTED,
        f"One run did not refute {claim}: {shown}; could have shown up to epsilon = {ceiling:.3g}.",
        evidence,
    )


def _with(data: Data, chosen: list[Any]) -> Data:
    if not chosen:
        return data
    if isinstance(data, tuple):
        return tuple(
            np.concatenate([part, np.stack([np.asarray(c[i]) for c in chosen])])
            for i, part in enumerate(data)
        )
    return np.concatenate([np.asarray(data), np.stack([np.asarray(c) for c in chosen])])


def verify(exact: dict[str, Any]) -> bool:
    """Whether so many right guesses refute the claimed epsilon at its share of alpha."""
    p = p_value(exact["right"], exact["guesses"], exact["canaries"], exact["epsilon"], exact["delta"])
    return p <= exact["alpha"] / exact["tried"]
