"""Laws of the noise: it is what was declared, it is fresh, and it sees no record."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.neighbours import Neighbours
from dpverify.verdicts import SUPPORTED

from .laws import ALPHA, Outcome, Result, Subject, broken, held, law, same
from .sensitivity import replayed


@law("data", "releases")
def noise(subject: Subject, seed: int) -> Outcome:
    """Scale, law and independence of the noise (across steps, parameters, runs) are as declared."""
    return noise_on(subject, subject.data, seed)


def noise_on(subject: Subject, data: Any, seed: int) -> Result:
    """The same on other data: the rung of an audit, which looks at signs, and the sizes."""
    from dpverify.auditing.noise import noise_as_declared

    result = noise_as_declared(subject.mechanism, data, subject.declared, ALPHA / 2, seed, most=subject.runs)
    unlike = _sizes(subject, data, seed) if result.verdict is SUPPORTED else None
    return result if unlike is None else unlike


def _sizes(subject: Subject, data: Any, seed: int) -> Result | None:
    """Whether neighbours in each direction are both larger than the median, or both smaller, more often than
    half of the time, or less: the same noise with another sign.
    """
    from scipy.stats import binomtest

    from dpverify.auditing.noise import collect

    blocks = collect(subject.mechanism, data, subject.declared, 64, seed + 1)
    large = [np.abs(block) > law.median for block, law in blocks]
    neighbours = {
        "runs": [(part[0:-1:2], part[1::2]) for part in large],
        "coordinates": [(part[:, 0:-1:2], part[:, 1::2]) for part in large],
        "steps": [
            (a[:, :width], b[:, :width])
            for a, b in zip(large[0::2], large[1::2])
            for width in [min(a.shape[1], b.shape[1])]
        ],
    }
    for direction, pairs in neighbours.items():
        agree = np.concatenate([(a == b).ravel() for a, b in pairs]) if pairs else np.zeros(0)
        if len(agree) and binomtest(int(agree.sum()), len(agree)).pvalue <= ALPHA / 2 / len(neighbours):
            then = f"the noise of neighbouring {direction} is of like size in {agree.mean():.1%} of cases"
            return broken(then, {"target": subject.name, "pairs": str(len(agree))}, {"between": direction})
    return None


@law("algorithm", "data")
def scale(subject: Subject, seed: int) -> Outcome:
    """The scale of the noise is the same on neighbouring data sets: neither the release nor its unit sees a
    record.
    """
    algorithm: Any = subject.algorithm
    parts = subject.data if isinstance(subject.data, tuple) else (subject.data,)
    factors = (0.0, -3.0, 100.0)
    for factor in factors:
        changed = tuple(np.array(part, dtype=float) for part in parts)
        changed[0][0] *= factor
        other = changed if isinstance(subject.data, tuple) else changed[0]
        for step, answer in replayed(algorithm, Neighbours(subject.data, other, subject.adjacency), seed):
            let = {"algorithm": subject.name, "step": str(step.t), "first record": f"times {factor:g}"}
            if not same(step.answer.unit, answer.unit):
                return broken("the unit of the noise depends on the data", let)
            if repr(algorithm.release(step.t)) != repr(step.release):
                return broken("its release depends on the data", let)
    return held(
        f"The noise of {algorithm.steps} steps is the same with the first record changed in three ways.",
        "noise that follows one of these changes",
        samples=len(factors),
    )
