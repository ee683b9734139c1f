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

Noise is `released - query` on the tape; without a tape, half the difference of two outputs (times sqrt 2) of
a release that was declared for the whole output. Every test has its share of alpha. This refutes what was
*declared*, not privacy itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from dpverify.auditing.replay import describe
from dpverify.auditing.rungs import Audit, Rung
from dpverify.auditing.sampling import Mechanism, batched, call, takes
from dpverify.auditing.tape import Tape
from dpverify.neighbours import Data
from dpverify.releases import Law
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness


def collect(
    mechanism: Mechanism, data: Data, declared: Any, runs: int, seed: int
) -> list[tuple[np.ndarray, Law]]:
    """Standardised noise, one array (runs, coordinates) per release, with its declared law."""
    if takes(mechanism, "tape"):
        if batched(mechanism):
            tape = Tape()
            call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(8,)), runs, tape)
            tapes = [tape]
        else:
            tapes = []
            for run in range(runs):
                tape = Tape()
                call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(8, run)), 1, tape)
                tapes.append(tape)
        steps = min(len(tape.entries) for tape in tapes)
        found = []
        for t in range(steps):
            entries = [tape.entries[t] for tape in tapes]
            if entries[0].declared is None:
                continue
            rows = [entry.declared.standardised(entry.released - entry.query) for entry in entries]
            if any(row is None for row in rows):
                continue
            law = entries[0].declared.law
            if batched(mechanism):
                found.append((rows[0].reshape(runs, -1), law))
            elif len({row.shape for row in rows}) == 1:
                found.append((np.stack([row.ravel() for row in rows]), law))
        return found
    if declared is None or not declared.law.stable or declared.standardised(np.zeros((1, 1))) is None:
        return []
    if batched(mechanism):
        out = call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(8,)), 2 * runs)
    else:
        out = np.concatenate(
            [
                call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(8, run)))
                for run in range(2 * runs)
            ]
        )
    return [(declared.standardised((out[0::2] - out[1::2]) / np.sqrt(2)), declared.law)]


def _common(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    width = min(a.shape[1], b.shape[1])
    return a[:, :width], b[:, :width]


def _sign_test(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(p-value, share of agreeing signs) of two arrays that should be independent and symmetric."""
    from scipy.special import bdtr

    product = (a * b).ravel()
    n, agree = int(np.count_nonzero(product)), int(np.count_nonzero(product > 0))
    if n == 0:
        return 1.0, 0.5
    tail = min(bdtr(agree, n, 0.5), bdtr(n - agree, n, 0.5))
    return min(1.0, 2 * float(tail)), agree / n


MOST = 512


def _any_two(columns: np.ndarray, seed: int) -> tuple[float, float, int, int]:
    """(p-value, share of agreeing signs, the two columns) of the most suspicious of all pairs of columns,
    their number paid for.
    """
    of = np.arange(columns.shape[1])
    if len(of) > MOST:
        of = np.sort(
            np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(9,))).choice(
                of, MOST, replace=False
            )
        )
    signs = np.sign(columns[:, of])
    excess, seen = signs.T @ signs, np.abs(signs).T @ np.abs(signs)
    suspicion = np.triu(np.abs(excess) / np.sqrt(np.maximum(seen, 1)), 1)
    i, j = np.unravel_index(suspicion.argmax(), suspicion.shape)
    if i == j:
        return 1.0, 0.5, 0, 0
    p, agree = _sign_test(signs[:, i], signs[:, j])
    return min(1.0, p * len(of) * (len(of) - 1) / 2), agree, int(of[i]), int(of[j])


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


def _kolmogorov(values: np.ndarray, law: Law) -> float:
    """An upper bound on the p-value of the two-sided Kolmogorov-Smirnov test: twice the exact one-sided
    one.
    """
    from scipy.special import smirnov

    values = np.sort(values)
    n = len(values)
    cdf = law.cdf(values)
    gap = max(float((np.arange(1, n + 1) / n - cdf).max()), float((cdf - np.arange(n) / n).max()))
    return min(1.0, 2 * float(smirnov(n, min(gap, 1.0))))


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
    >>> half = lambda data, rng, runs: data.sum() + 0.5 * rng.normal(size=(runs, 1))
    >>> print(noise_as_declared(half, np.zeros(3), Gaussian(scale=1.0, sensitivity={REPLACE: 1.0})).verdict)
    REFUTED
    """
    from scipy.special import gammainc, gammaincc

    probe = collect(mechanism, data, declared, 2, seed + 1)
    if not probe:
        return Result(UNDECIDED, "No release with a declared noise was recorded.")
    per_run = max(1, sum(block.shape[1] for block, _ in probe))
    runs = int(min(most, max(32, draws // per_run)))
    blocks = collect(mechanism, data, declared, runs, seed)
    if not blocks:
        return Result(UNDECIDED, "The recorded releases change their shape from run to run.")
    total = sum(block.size for block, _ in blocks)
    let = {
        "D": describe(data),
        "seed": f"SeedSequence({seed}, spawn_key=(8, ...))",
        "draws": f"{total} of noise, {runs} runs, {len(blocks)} releases",
    }

    def refuted(then: str, contradicts: str, exact: dict[str, Any]) -> Result:
        witness = Witness(let, then, contradicts, {**exact, "draws": total})
        return Result(
            REFUTED,
            f"{then}. This refutes the declared noise.",
            Evidence("noise", exact, alpha=alpha, samples=runs, seed=seed),
            witness,
        )

    for t, (block, _) in enumerate(blocks):
        broken = int((~np.isfinite(block)).any(axis=1).sum())
        if broken:
            return refuted(
                f"release {t}: the noise is not finite in {broken} of {runs} runs",
                "noise that is a number",
                {"release": t, "runs": broken},
            )
        missing = np.flatnonzero((block == 0).all(axis=0))
        if len(missing):
            return refuted(
                f"release {t}, coordinate {missing[0]}: the noise is exactly 0 in {runs} of {runs} runs",
                "noise of positive scale",
                {"release": t, "coordinate": int(missing[0])},
            )
        if runs > 1 and (block == block[0]).all():
            return refuted(
                f"release {t}: the noise is the same in {runs} runs with different seeds",
                "fresh noise in every run",
                {"release": t},
            )
    share = alpha / (len(blocks) + len({law for _, law in blocks}) + 6)
    larger = []
    for t, (block, law) in enumerate(blocks):
        n = block.size
        energy = float(law.energy(block).sum())
        small, large = gammainc(law.shape * n, energy), gammaincc(law.shape * n, energy)
        size = law.size(energy / n)
        if small <= share:
            then = (
                f"release {t}: the {law.name} noise is {size:.3g} of its declared scale ({n} draws, p = "
                f"{small:.2g})"
            )
            return refuted(
                then, "the declared scale", {"release": t, "ratio": float(size), "p": float(small)}
            )
        if large <= share:
            larger.append((t, float(size)))
    for law in sorted({law for _, law in blocks}, key=lambda law: law.name):
        pooled = [
            block.ravel() for t, (block, of) in enumerate(blocks) if of == law and t not in dict(larger)
        ]
        p = _kolmogorov(np.concatenate(pooled), law) if pooled else 1.0
        if p <= share:
            return refuted(
                f"the noise is not {law.name} (Kolmogorov-Smirnov p = {p:.2g})",
                f"{law.name} noise",
                {"law": law.name, "p": p},
            )
    pairs = {"steps": [_common(a[0], b[0]) for a, b in pairwise(blocks)]}
    pairs["coordinates"] = [(block[:, :-1], block[:, 1:]) for block, _ in blocks if block.shape[1] > 1]
    pairs["runs"] = [(block[0:-1:2], block[1::2]) for block, _ in blocks if len(block) > 1]
    for kind, found in pairs.items():
        if found:
            # disjoint pairs only, so that the signs are independent coin flips
            if kind == "steps":
                found = found[::2]
            if kind == "coordinates":
                found = [(a[:, ::2], b[:, ::2]) for a, b in found]
            p, agree = _sign_test(
                np.concatenate([a.ravel() for a, _ in found]), np.concatenate([b.ravel() for _, b in found])
            )
            if p <= share:
                return refuted(
                    f"the noise at neighbouring {kind} has the same sign in {agree:.1%} of cases "
                    f"(p = {p:.2g})",
                    f"independent noise across {kind}",
                    {"between": kind, "agree": agree, "p": p},
                )
    for kind, columns in _layouts([block for block, _ in blocks]).items():
        p, agree, i, j = _any_two(columns, seed)
        if p <= share:
            return refuted(
                f"the noise of {kind} {i} and {j} has the same sign in {agree:.1%} of cases (p = "
                f"{p:.2g}, all pairs counted)",
                f"independent noise across {kind}",
                {"between": kind, "pair": [i, j], "agree": agree, "p": p},
            )
    note = (
        f" The noise of release {larger[0][0]} is {larger[0][1]:.3g} times its declared scale: "
        "safe, but not as declared."
        if larger
        else ""
    )
    # smallest deficit that N draws show with 80 % power: (z_alpha + z_0.8) / sqrt(2 N)
    from scipy.special import ndtri

    ceiling = 1 - (0.84 - ndtri(share)) / np.sqrt(2 * total / len(blocks))
    evidence = Evidence(
        "noise",
        {"draws": total},
        alpha=alpha,
        samples=runs,
        seed=seed,
        ceiling=f"a scale below {ceiling:.3g} of the declared one, with 80 % power",
    )
    return Result(
        SUPPORTED,
        f"{total} draws of noise agree with the declared scale, law and independence.{note}",
        evidence,
    )


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
