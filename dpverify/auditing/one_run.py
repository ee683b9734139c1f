"""The audit of a training that is too dear to repeat: m canaries, each in or out by a fair coin, one run, and
guesses.

Of r guesses (the highest scores "in", the lowest "out"), v are right. If the training is (eps, delta)-DP with
respect to adding or removing one canary, then, with W ~ Bin(r, e^eps / (1 + e^eps)),

    Pr[at least v right] <= Pr[W >= v] + 2 m delta max_{1 <= i <= m} Pr[v - i <= W < v] / i

(Steinke, Nasr and Jagielski 2023, theorem 5.2). A guarantee with a whole profile (Gaussian DP, f-DP) has this
bound at every eps, so the smallest of them. The lower bound on eps, or on mu, is the largest at which it is
at most alpha; the numbers of guesses that are tried share alpha. Beside it stand what a membership attack is
usually told by, the area under the ROC curve and its rates: these are of this run, and prove nothing.

What could have been seen is computed: guesses that are right with probability a each, as those of randomised
response are, end in a refutation with 80 % power from some a on.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.auditing.rungs import check_claim
from dpverify.auditing.sampling import Budget, Mechanism, MechanismError, check_signature, name_of
from dpverify.guarantees import GDP, ApproxDP, Guarantee, PureDP
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


def p_value_under(claim: Guarantee, right: int, guesses: int, canaries: int) -> float:
    """The most probable that so many right guesses can be under any guarantee: the least over its profile.

    >>> p_value_under(GDP(0.5), 90, 100, 100) < p_value_under(GDP(3.0), 90, 100, 100)
    True
    """
    if isinstance(claim, PureDP | ApproxDP):
        return p_value(right, guesses, canaries, claim.epsilon, claim.delta_at(claim.epsilon))
    return min(p_value(right, guesses, canaries, e, claim.delta_at(e)) for e in GRID)


GRID = [0.25 * k for k in range(41)]


def largest_refuted(refuted: Callable[[float], bool], most: float = 64.0) -> float:
    """The largest parameter that is refuted (0 if none is), to three digits.

    >>> round(largest_refuted(lambda parameter: parameter < 2.5), 2)
    2.5
    """
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high < most and refuted(high):
        low, high = high, 2 * high
    return bisect(lambda parameter: not refuted(parameter), low, high, relative=1e-3)[0]


def epsilon_from_guesses(right: int, guesses: int, canaries: int, delta: float, alpha: float) -> float:
    """The largest epsilon refuted at level alpha (0 if none is).

    >>> round(epsilon_from_guesses(900, 1000, 1000, 1e-5, 0.05), 2)
    2.02
    """
    return largest_refuted(lambda epsilon: p_value(right, guesses, canaries, epsilon, delta) <= alpha)


@lru_cache(maxsize=1024)
def mu_from_guesses(right: int, guesses: int, canaries: int, alpha: float) -> float:
    """The largest mu of Gaussian DP refuted at level alpha (0 if none is).

    >>> 0.6 < mu_from_guesses(900, 1000, 1000, 0.05) < 2.6
    True
    """
    return largest_refuted(lambda mu: p_value_under(GDP(mu), right, guesses, canaries) <= alpha, 16.0)


def one_run(
    train: Mechanism,
    data: Data,
    canaries: Sequence[Any],
    score: Callable[[Any, Any], float],
    claim: Guarantee,
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
    _check(claim, alpha, seed)  # before a training that may take a day
    check_signature(train)
    coins, noise = np.random.SeedSequence(seed, spawn_key=(11,)).spawn(2)
    included = np.random.default_rng(coins).random(m) < 0.5
    chosen = [canary for canary, inside in zip(canaries, included) if inside]
    records = _with(data, chosen)
    try:
        output = train(records, np.random.default_rng(noise))
    except (Exception, SystemExit) as error:
        raise MechanismError(
            f"mechanism {name_of(train)} at SeedSequence({seed}) raised {type(error).__name__}: {error}"
        ) from error
    scores = np.array([_number(score, output, canary, at) for at, canary in enumerate(canaries)])
    return _judged(scores, included, claim, alpha, seed, name_of(train))


def _number(score: Callable[[Any, Any], float], output: Any, canary: Any, at: int) -> float:
    value = score(output, canary)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"Expected score(output, canary) to be a number, got {value!r} of canary {at}."
        ) from None


def _check(claim: Guarantee, alpha: float, seed: int) -> None:
    check_claim(claim)
    Budget(alpha=alpha, seed=seed)


def _scores(name: str, values: Any) -> np.ndarray:
    try:
        scores = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"Expected {name} to be a list of numbers, got {values!r:.60}.") from None
    if scores.ndim != 1:
        raise ValueError(f"Expected {name} to be one number a canary, got an array of shape {scores.shape}.")
    if len(scores) == 0:
        raise ValueError(f"Expected {name} with the score of at least one canary, got none.")
    return scores


def score_audit(
    members: Sequence[float],
    others: Sequence[float],
    claim: Guarantee,
    *,
    alpha: float = 1e-3,
    seed: int = 0,
    name: str = "a training elsewhere",
) -> Result:
    """Judge a training by the scores of the canaries that were in and of those that were not.

    Every canary must have been put in or left out by a fair coin of its own; the scores must not depend on
    which were in but through the training. Ties are broken at random.

    >>> rng = np.random.default_rng(0)
    >>> str(score_audit(rng.normal(3.0, 1.0, 510), rng.normal(0.0, 1.0, 490), PureDP(1.0)).verdict)
    'REFUTED'
    """
    _check(claim, alpha, seed)
    sides = _scores("members", members), _scores("others", others)
    if np.array_equal(*sides) and np.ptp(sides[0]) > 0:
        raise ValueError(f"Expected members and others that differ, got the same {len(sides[0])} scores.")
    scores = np.concatenate(sides)
    included = np.arange(len(scores)) < len(members)
    order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(12,))).permutation(len(scores))
    return _judged(scores[order], included[order], claim, alpha, seed, name)


def _judged(
    scores: np.ndarray, included: np.ndarray, claim: Guarantee, alpha: float, seed: int, name: str
) -> Result:
    from scipy.special import bdtr

    m = len(scores)
    if not np.isfinite(scores).all():
        at = int(np.flatnonzero(~np.isfinite(scores))[0])
        return Result(UNDECIDED, f"The score of canary {at} is not finite (seed {seed}).")
    unfair = _chance_of_coins(int(included.sum()), m)
    if unfair < UNFAIR:
        because = (
            f"{int(included.sum())} of {m} canaries were in, which fair coins give with probability "
            f"{unfair:.2g}: the theorem needs a fair coin for each."
        )
        return Result(UNDECIDED, because)
    if included.all() or not included.any():
        return Result(UNDECIDED, f"Of {m} canaries all were in, or all out: there is nothing to compare.")
    order = np.argsort(-scores, kind="stable")
    numbers = sorted({max(1, m // 2), max(1, m // 4), max(1, m // 16)})
    share = alpha / len(numbers)
    tries = [  # k guesses "in", k guesses "out"
        (int(included[order[:k]].sum() + (~included[order[m - k :]]).sum()), 2 * k) for k in numbers
    ]
    right, guesses = min(tries, key=lambda pair: p_value_under(claim, pair[0], pair[1], m))
    shown, figures = _bounds(claim, tries, m, share)
    figures |= {"right": right, "guesses": guesses, "canaries": m, **attack_figures(scores, included)}
    shown = (
        f"{right} of {guesses} guesses right among {m} canaries: {shown} (confidence {1 - alpha:g}); area "
        f"under the ROC curve {figures['auroc']:.3f}, true positive rates "
        f"{', '.join(f'{figures[_rate(rate)]:.3g}' for rate in RATES)} at false positive rates "
        f"{', '.join(f'{rate:g}' for rate in RATES)}"
    )
    seen = {
        count: least for _, count in tries if (least := smallest_seen(claim, count, m, share)) is not None
    }
    ceiling = _ceiling(claim, seen)
    power = [{"guesses": count, "seen": least} for count, least in seen.items()]
    certificate = {**figures, "power": power, "not_looked_at": BLIND}
    evidence = Evidence("one run", certificate, alpha=alpha, samples=1, ceiling=ceiling, seed=seed)
    if p_value_under(claim, right, guesses, m) <= share:
        let = {"M": name, "canaries": str(m), "seed": str(seed)}
        profile = [[e, claim.delta_at(e)] for e in _epsilons(claim)]
        exact = {"kind": "one run", **figures, "tried": len(numbers), "alpha": alpha, "profile": profile}
        witness = Witness(let, shown, str(claim), {**exact, "seed": seed})
        because = f"{claim} (add/remove of a canary) is refuted by one run: {shown}."
        return Result(REFUTED, because, evidence, witness)
    if min(bdtr(correct, count, 0.5) for correct, count in tries) < UNFAIR:
        because = (
            f"Canaries that were in score lower than the others, by more than chance explains ({shown}). Is "
            "the sign of the scores turned, or were members and others exchanged?"
        )
        return Result(UNDECIDED, because, evidence)
    if not seen:
        because = (
            f"{m} canaries could not have refuted {claim}: not even guesses that are right with probability "
            f"{SURE} each would have, with 80 % power."
        )
        return Result(UNDECIDED, because, evidence)
    because = (
        f"One run did not refute {claim}: {shown}. What it could have shown: {ceiling}. "
        f"Not looked at: {BLIND}."
    )
    return Result(SUPPORTED, because, evidence)


SURE = 0.99  # no guess is taken to be surer
BLIND = "other scores, other canaries, records that are no canaries, other trainings"


@lru_cache(maxsize=1024)
def smallest_seen(claim: Guarantee, guesses: int, canaries: int, alpha: float) -> float | None:
    """The smallest probability of a right guess at which so many guesses, each right by itself, refute the
    claim with 80 % power; None if that is more than 0.99.

    >>> round(smallest_seen(PureDP(1.0), 1000, 1000, 1e-3), 2), smallest_seen(PureDP(9.0), 100, 100, 1e-3)
    (0.79, None)
    """
    low, high = 0, guesses
    if p_value_under(claim, guesses, guesses, canaries) > alpha:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        refuted = p_value_under(claim, middle, guesses, canaries) <= alpha
        low, high = (low, middle) if refuted else (middle, high)
    if _chance_of(high, guesses, canaries, SURE) < POWER:
        return None
    return bisect(lambda a: _chance_of(high, guesses, canaries, a) >= POWER, 0.5, SURE, absolute=1e-5)[1]


POWER = 0.81  # a little more than the 80 % that are promised


def _chance_of(right: int, guesses: int, canaries: int, chance: float) -> float:
    """The probability of so many right guesses or more, if every canary looks as it is with that chance.

    Where all are guessed, half are guessed "in", though more or fewer may look so: as many guesses are
    turned, and right with the chance to be wrong. The number that is right has then the mean and the variance
    of one that is smaller by (2 chance - 1) for each of them.
    """
    from scipy.special import bdtrc, gammaln

    if guesses < canaries - 1:
        return float(bdtrc(right - 1, guesses, chance))
    half, odd = divmod(canaries, 2)
    reach = math.ceil(4 * math.sqrt(canaries))
    look_in = np.arange(max(0, half - reach), min(canaries, half + reach) + 1)
    weight = gammaln(canaries + 1) - gammaln(look_in + 1) - gammaln(canaries - look_in + 1)
    turned = np.maximum(np.maximum(half - look_in, look_in - half - odd), 0)
    need = np.minimum(right + np.ceil((2 * chance - 1) * turned), guesses + 1)
    return float(np.exp(weight - canaries * math.log(2)) @ bdtrc(need - 1, guesses, chance))


def _ceiling(claim: Guarantee, seen: dict[int, float]) -> str:
    from dpverify.auditing.claimed import worst_pair

    if not seen:
        return "nothing"
    fpr, tpr = worst_pair(claim).curve
    allowed = (1 + float((tpr - fpr).max())) / 2
    each = ", or ".join(
        f"{math.ceil(1000 * least) / 1000:g} ({count} guesses)" for count, least in sorted(seen.items())[::-1]
    )
    return f"with 80 % power, guesses that are right with probability {each}; allowed is {allowed:.3g}"


UNFAIR = 1e-6  # a number of canaries that fair coins give less often


def _chance_of_coins(inside: int, canaries: int) -> float:
    from scipy.special import bdtr

    return min(1.0, 2 * float(min(bdtr(inside, canaries, 0.5), bdtr(canaries - inside, canaries, 0.5))))


def _epsilons(claim: Guarantee) -> list[float]:
    return [claim.epsilon] if isinstance(claim, PureDP | ApproxDP) else GRID


def _bounds(
    claim: Guarantee, tries: list[tuple[int, int]], canaries: int, share: float
) -> tuple[str, dict[str, Any]]:
    """The best lower bounds: epsilon at the claimed delta for a point, and mu of Gaussian DP."""
    mu = max(mu_from_guesses(right, guesses, canaries, share) for right, guesses in tries)
    if not isinstance(claim, PureDP | ApproxDP):
        return f"mu >= {mu:.4g} of Gaussian DP", {"mu_lower_bound": mu}
    delta = claim.delta_at(claim.epsilon)
    bound = max(epsilon_from_guesses(right, guesses, canaries, delta, share) for right, guesses in tries)
    return f"epsilon >= {bound:.4g} at delta = {delta:g}", {
        "epsilon_lower_bound": bound,
        "mu_lower_bound": mu,
    }


def attack_figures(scores: np.ndarray, included: np.ndarray) -> dict[str, float]:
    """The area under the ROC curve (ties count half), and the true positive rates at small false positive
    rates.

    >>> attack_figures(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False]))["auroc"]
    1.0
    """
    inside, outside = np.sort(scores[included]), np.sort(scores[~included])
    if len(inside) == 0 or len(outside) == 0:
        return {"auroc": 0.5}
    below = np.searchsorted(outside, inside, "left") + np.searchsorted(outside, inside, "right")
    figures = {"auroc": float(below.sum() / (2 * len(inside) * len(outside)))}
    for rate in RATES:
        threshold = outside[::-1][min(int(rate * len(outside)), len(outside) - 1)]
        figures[_rate(rate)] = float((inside > threshold).mean())
    return figures


RATES = (0.001, 0.01, 0.1)  # of false positives


def _rate(rate: float) -> str:
    return f"tpr_at_fpr_{rate:g}"


def read_scores(path: Path) -> list[float]:
    """The scores in a file: one number a line, or the column `score` of a CSV file with a header.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = file.write_text("canary,score\\n1,0.5\\n2,0.25\\n")
    >>> read_scores(file)
    [0.5, 0.25]
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:  # spreadsheets begin with a mark
            lines = list(enumerate(csv.reader(file), 1))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"Expected a text of scores in {path}: {error}.") from None
    rows = [(number, row) for number, row in lines if any(map(str.strip, row))]
    if not rows:
        raise ValueError(f"Expected scores in {path}, got an empty file.")
    names = [name.strip().lower() for name in rows[0][1]]
    column = names.index("score") if "score" in names else None
    if column is None and len(names) > 1:
        raise ValueError(f"Expected a column named score in {path}, got {', '.join(rows[0][1])}.")
    scores = []
    for number, row in rows if column is None else rows[1:]:
        text = row[column or 0].strip() if len(row) > (column or 0) else ""
        try:
            scores.append(float(text))
        except ValueError:
            raise ValueError(f"Expected a number on line {number} of {path}, got {text!r}.") from None
        if not math.isfinite(scores[-1]):
            raise ValueError(f"Expected a finite number on line {number} of {path}, got {text!r}.")
    if not scores:
        raise ValueError(f"Expected scores in {path}, got a header alone.")
    return scores


def _with(data: Data, chosen: list[Any]) -> Data:
    if not chosen:
        return data
    parts = data if isinstance(data, tuple) else (data,)
    rows = [canary if isinstance(data, tuple) else (canary,) for canary in chosen]
    together = []
    for i, part in enumerate(map(np.asarray, parts)):
        shapes = {np.shape(row[i]) for row in rows}
        if shapes != {part.shape[1:]}:
            raise ValueError(f"Expected canaries of shape {part.shape[1:]}, as records are, got {shapes}.")
        together.append(np.concatenate([part, np.stack([np.asarray(row[i]) for row in rows])]))
    return tuple(together) if isinstance(data, tuple) else together[0]


def verify(exact: dict[str, Any]) -> bool:
    """Whether so many right guesses refute the claimed profile at its share of alpha."""
    counts = (int(exact["right"]), int(exact["guesses"]), int(exact["canaries"]))
    possible = 0 <= counts[0] <= counts[1] <= counts[2] and int(exact["tried"]) >= 1
    if not (possible and 0 < exact["alpha"] < 1):
        return False
    if not all(epsilon >= 0 and 0 <= delta <= 1 for epsilon, delta in exact["profile"]):
        return False
    p = min(p_value(*counts, float(epsilon), float(delta)) for epsilon, delta in exact["profile"])
    return p <= exact["alpha"] / exact["tried"]
