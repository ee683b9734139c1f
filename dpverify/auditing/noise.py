"""Rung 2, the noise: its scale, law and independence with the data held fixed, against what was declared.

    scale         sum noise^2 / scale^2 ~ chi^2(N) (Gaussian), sum |noise| / b ~ Gamma(N) (Laplace); refuted
    when too small
    law           Kolmogorov-Smirnov against the declared law (twice the exact one-sided p-value), unless the
    noise is just larger
    independence  signs of noise at two steps, two coordinates, two seeds agree with probability 1/2: exact
    binomial tests of neighbours
                  together, and of all pairs of steps, of coordinates and of single entries (Bonferroni; of
                  many, a random MOST)
    missing       a coordinate whose noise is exactly 0, or not finite

Noise is `released - query` on the tape; without a tape, what rng drew, if the whole output is its query and
that noise (see `recorded`; then its scale is what it is declared to be, up to the unit, and the query tells).
Every test has its share of alpha. This refutes what was
*declared*, not privacy itself.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.recorded import split
from dpverify.auditing.replay import describe
from dpverify.auditing.rungs import Audit, Rung
from dpverify.auditing.sampling import Mechanism, batched, call, takes
from dpverify.auditing.tape import Entry, Tape
from dpverify.neighbours import Data
from dpverify.releases import Law
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

PROBE = 4  # runs that show how much noise there is in one


class Noise(NamedTuple):
    """Standardised noise of one release, (runs, coordinates), and its declared law."""

    values: np.ndarray
    law: Law


def collect(mechanism: Mechanism, data: Data, declared: Any, runs: int, seed: int) -> list[Noise]:
    """The noise of each release that was recorded; without a tape, of the whole output, if it can be told."""
    sequence = np.random.SeedSequence(seed, spawn_key=(8,))
    if not takes(mechanism, "tape"):
        parts = split(mechanism, data, declared, sequence, runs) if declared is not None else None
        values = None if parts is None else declared.standardised(parts.noise)
        return [] if values is None else [Noise(values, declared.law)]
    if batched(mechanism):
        tape = Tape()
        call(mechanism, data, sequence, runs, tape)
        return [noise for entry in tape.entries if (noise := _noise((entry,), runs))]
    tapes = [Tape() for _ in range(runs)]
    for run, tape in enumerate(tapes):
        call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(8, run)), 1, tape)
    return [noise for entries in zip(*(tape.entries for tape in tapes)) if (noise := _noise(entries, runs))]


def _noise(entries: tuple[Entry, ...], runs: int) -> Noise | None:
    """The noise of one release in all runs, if it has a law and the same shape in each."""
    if any(entry.declared is None for entry in entries) or len({entry.query.shape for entry in entries}) != 1:
        return None
    rows = [entry.declared.standardised(entry.released - entry.query) for entry in entries]
    if any(row is None for row in rows):
        return None
    return Noise(np.stack(rows).reshape(runs, -1), entries[0].declared.law)


def _common(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    width = min(a.shape[1], b.shape[1])
    return a[:, :width], b[:, :width]


def _agreeing(a: np.ndarray, b: np.ndarray) -> tuple[int, int]:
    """How many pairs there are (no number is 0), and how many have the same sign."""
    product = (a * b).ravel()
    return int(np.count_nonzero(product)), int(np.count_nonzero(product > 0))


def _sign_test(n: int, agree: int) -> float:
    """The probability that independent, symmetric noise agrees in sign so seldom, or so often, in n pairs."""
    from scipy.special import bdtr

    if n == 0:
        return 1.0
    return min(1.0, 2 * float(min(bdtr(agree, n, 0.5), bdtr(n - agree, n, 0.5))))


MOST = 512


def _most_suspicious(columns: np.ndarray, seed: int) -> tuple[int, int, int, tuple[int, int]]:
    """(pairs of numbers, how many agree in sign, pairs of columns tried, the two columns) of the pair of
    columns that agrees or disagrees most.
    """
    chosen = np.arange(columns.shape[1])
    if len(chosen) > MOST:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(9,)))
        chosen = np.sort(rng.choice(chosen, MOST, replace=False))
    signs = np.sign(columns[:, chosen])
    excess, seen = signs.T @ signs, np.abs(signs).T @ np.abs(signs)
    suspicion = np.triu(np.abs(excess) / np.sqrt(np.maximum(seen, 1)), 1)
    i, j = np.unravel_index(suspicion.argmax(), suspicion.shape)
    pairs = len(chosen) * (len(chosen) - 1) // 2
    if i == j:
        return 0, 0, pairs, (0, 0)
    return *_agreeing(signs[:, i], signs[:, j]), pairs, (int(chosen[i]), int(chosen[j]))


def _layouts(blocks: list[np.ndarray]) -> dict[str, np.ndarray]:
    """The noise with steps, coordinates or single entries as columns; what else there is lies in the rows."""
    width = min(block.shape[1] for block in blocks)
    cube = np.stack([block[:, :width] for block in blocks])
    shapes = {
        "releases": cube.reshape(len(blocks), -1).T,
        "coordinates": cube.reshape(-1, width),
        "entries": np.concatenate(blocks, axis=1),
    }
    return {kind: columns for kind, columns in shapes.items() if columns.shape[1] > 1}


def _gap(values: np.ndarray, law: Law) -> float:
    """The largest distance between the law and the distribution of the values."""
    n, cdf = len(values), law.cdf(np.sort(values))
    return max(float((np.arange(1, n + 1) / n - cdf).max()), float((cdf - np.arange(n) / n).max()))


def _kolmogorov(n: int, gap: float) -> float:
    """An upper bound on the p-value of the two-sided Kolmogorov-Smirnov test: twice the exact one-sided
    one.
    """
    from scipy.special import smirnov

    return min(1.0, 2 * float(smirnov(n, min(gap, 1.0))))


class Finding(NamedTuple):
    """How the noise differs from what was declared, and the figures that show it."""

    then: str
    contradicts: str
    figures: dict[str, Any]


def _missing(blocks: list[Noise], share: float, seed: int) -> Finding | None:
    """Noise that is not there, not a number, or not drawn anew: no chance is involved."""
    for t, (values, _) in enumerate(blocks):
        runs = len(values)
        broken = int((~np.isfinite(values)).any(axis=1).sum())
        if broken:
            then = f"release {t}: the noise is not finite in {broken} of {runs} runs"
            return Finding(then, "noise that is a number", {"test": "missing", "release": t, "runs": broken})
        zero = np.flatnonzero((values == 0).all(axis=0))
        if len(zero):
            then = f"release {t}, coordinate {zero[0]}: the noise is exactly 0 in {runs} of {runs} runs"
            figures = {"test": "missing", "release": t, "coordinate": int(zero[0]), "runs": runs}
            return Finding(then, "noise of positive scale", figures)
        if runs > 1 and (values == values[0]).all():
            then = f"release {t}: the noise is the same in {runs} runs with different seeds"
            return Finding(then, "fresh noise in every run", {"test": "missing", "release": t, "runs": runs})
    return None


def _energy(noise: Noise) -> tuple[float, float]:
    """(the sum of the energies of the draws, their size against the declared scale)."""
    energy = float(noise.law.energy(noise.values).sum())
    return energy, noise.law.size(energy / noise.values.size)


def _too_small(blocks: list[Noise], share: float, seed: int) -> Finding | None:
    from scipy.special import gammainc

    for t, noise in enumerate(blocks):
        n, (energy, size) = noise.values.size, _energy(noise)
        p = float(gammainc(noise.law.shape * n, energy))
        if p <= share:
            name = noise.law.name
            then = (
                f"release {t}: the {name} noise is {size:.3g} of its declared scale ({n} draws, p = {p:.2g})"
            )
            figures = {"test": "scale", "release": t, "law": name, "shape": noise.law.shape, "n": n}
            return Finding(then, "the declared scale", {**figures, "energy": energy, "ratio": size, "p": p})
    return None


def _seen_below(noise: Noise, share: float) -> float:
    """The scale, of the declared one, at which and below which the noise is found too small with 80 %
    power.
    """
    from scipy.special import gammaincinv

    law, shape = noise.law, noise.law.shape * noise.values.size
    return law.size(law.shape * float(gammaincinv(shape, share) / gammaincinv(shape, 0.8)))


def _larger(blocks: list[Noise], share: float) -> dict[int, float]:
    """The releases whose noise is larger than declared, and by how much: that is safe."""
    from scipy.special import gammaincc

    sizes = {}
    for t, noise in enumerate(blocks):
        energy, size = _energy(noise)
        if gammaincc(noise.law.shape * noise.values.size, energy) <= share:
            sizes[t] = size
    return sizes


def _other_law(blocks: list[Noise], share: float, seed: int) -> Finding | None:
    larger = _larger(blocks, share)
    for law in sorted({noise.law for noise in blocks}, key=lambda law: law.name):
        pooled = [n.values.ravel() for t, n in enumerate(blocks) if n.law == law and t not in larger]
        if not pooled:
            continue
        values = np.concatenate(pooled)
        gap = _gap(values, law)
        p = _kolmogorov(len(values), gap)
        if p <= share:
            then = f"the noise is not {law.name} (Kolmogorov-Smirnov p = {p:.2g})"
            figures = {"test": "law", "law": law.name, "n": len(values), "gap": gap, "p": p}
            return Finding(then, f"{law.name} noise", figures)
    return None


def _neighbouring(blocks: list[Noise], share: float, seed: int) -> Finding | None:
    """Noise at neighbouring steps, coordinates or runs, in disjoint pairs: their signs are coin flips."""
    values = [noise.values for noise in blocks]
    pairs = {
        "steps": [_common(a, b) for a, b in pairwise(values)][::2],
        "coordinates": [(v[:, :-1:2], v[:, 1::2]) for v in values if v.shape[1] > 1],
        "runs": [(v[:-1:2], v[1::2]) for v in values if len(v) > 1],
    }
    for kind, some in pairs.items():
        if not some:
            continue
        n, agree = _agreeing(
            np.concatenate([a.ravel() for a, _ in some]), np.concatenate([b.ravel() for _, b in some])
        )
        p = _sign_test(n, agree)
        if p <= share:
            then = (
                f"the noise at neighbouring {kind} has the same sign in {agree / n:.1%} of cases "
                f"(p = {p:.2g})"
            )
            figures = {"test": "signs", "between": kind, "n": n, "agree": agree, "pairs": 1, "p": p}
            return Finding(then, f"independent noise across {kind}", figures)
    return None


def _any_pair(blocks: list[Noise], share: float, seed: int) -> Finding | None:
    for kind, columns in _layouts([noise.values for noise in blocks]).items():
        n, agree, pairs, at = _most_suspicious(columns, seed)
        p = min(1.0, _sign_test(n, agree) * pairs)
        if p <= share:
            then = (
                f"the noise of {kind} {at[0]} and {at[1]} has the same sign in {agree / n:.1%} of cases (p = "
                f"{p:.2g}, all pairs counted)"
            )
            figures = {"test": "signs", "between": kind, "pair": list(at), "n": n, "agree": agree}
            return Finding(then, f"independent noise across {kind}", {**figures, "pairs": pairs, "p": p})
    return None


CHECKS = (_missing, _too_small, _other_law, _neighbouring, _any_pair)


def noise_as_declared(
    mechanism: Mechanism,
    data: Data,
    declared: Any = None,
    alpha: float = 1e-3,
    seed: int = 0,
    draws: int = 8000,
    most: int = 8000,
) -> Result:
    """Rung 2 alone.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> declared = Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})
    >>> def half(data, rng, tape):
    ...     return tape.record(data.sum(), data.sum() + 0.5 * rng.normal(), declared)
    >>> print(noise_as_declared(half, np.zeros(3)).verdict)
    REFUTED
    """
    probe = collect(mechanism, data, declared, PROBE, seed + 1)
    if not probe:
        return Result(UNDECIDED, "No release with a declared noise was recorded, and none can be told apart.")
    per_run = max(1, sum(noise.values.shape[1] for noise in probe))
    runs = int(min(most, max(32, draws // per_run)))
    blocks = collect(mechanism, data, declared, runs, seed)
    if not blocks:
        return Result(UNDECIDED, "The recorded releases change their shape or their query from run to run.")
    share = alpha / (len(blocks) + len({noise.law for noise in blocks}) + 6)
    findings = (check(blocks, share, seed) for check in CHECKS)
    finding = next((finding for finding in findings if finding is not None), None)
    total = sum(noise.values.size for noise in blocks)
    if finding is None:
        return _as_declared(blocks, total, runs, share, alpha, seed)
    let = {
        "D": describe(data),
        "seed": f"SeedSequence({seed}, spawn_key=(8, ...))",
        "draws": f"{total} of noise, {runs} runs, {len(blocks)} releases",
    }
    exact = {"kind": "noise", **finding.figures, "draws": total, "share": share, "seed": seed}
    return Result(
        REFUTED,
        f"{finding.then}. This refutes the declared noise.",
        Evidence("noise", finding.figures, alpha=alpha, samples=runs, seed=seed),
        Witness(let, finding.then, finding.contradicts, exact),
    )


def _as_declared(blocks: list[Noise], total: int, runs: int, share: float, alpha: float, seed: int) -> Result:
    larger = _larger(blocks, share)
    note = ""
    if larger:
        t, size = next(iter(larger.items()))
        note = f" The noise of release {t} is {size:.3g} times its declared scale: safe, but not as declared."
    ceiling = math.floor(1000 * min(_seen_below(noise, share) for noise in blocks)) / 1000
    evidence = Evidence(
        "noise",
        {"draws": total},
        alpha=alpha,
        samples=runs,
        seed=seed,
        ceiling=f"a scale below {ceiling:.3g} of the declared one, with 80 % power",
    )
    because = f"{total} draws of noise agree with the declared scale, law and independence.{note}"
    return Result(SUPPORTED, because, evidence)


def verify(exact: dict[str, Any]) -> bool:
    """Whether the figures of a witness are as improbable as it says: from counts and statistics, anew."""
    from scipy.special import gammainc

    share, test = float(exact["share"]), exact["test"]
    if test == "missing":
        return int(exact["runs"]) > 0
    n = int(exact["n"])
    if test == "scale":
        return float(gammainc(float(exact["shape"]) * n, float(exact["energy"]))) <= share
    if test == "law":
        return _kolmogorov(n, float(exact["gap"])) <= share
    if test == "signs":
        return 0 <= exact["agree"] <= n and _sign_test(n, int(exact["agree"])) * int(exact["pairs"]) <= share
    return False


def _climb(audit: Audit) -> Result:
    budget = audit.budget
    return noise_as_declared(
        audit.replayed, audit.neighbours.data, audit.declared, audit.alpha, budget.seed, most=budget.runs
    )


NOISE = Rung(
    "noise",
    shows="the noise has the declared scale, law and independence",
    needs="releases on a tape, or one declared for the whole output",
    climb=_climb,
    share=0.1,
)
