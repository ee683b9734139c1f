"""Drawing outputs of a mechanism: seeded chunks, the same result for any number of workers, resumable, and
checked.

A mechanism is any callable `(data, rng) -> numbers`. One that has a parameter named `runs` is called in
batched form, `(data, rng, runs) -> array whose first axis counts the runs`. One that has a parameter named
`tape` may declare its releases (see `dpverify.auditing.tape`). Run i of chunk c on side s draws from
SeedSequence(seed, spawn_key=(s, c, i)); a batched chunk from spawn_key=(s, c).
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.auditing.tape import Tape
from dpverify.neighbours import Data, Neighbours

Mechanism = Callable[..., Any]


class MechanismError(ValueError):
    """The mechanism raised, returned something that is not a number, or changed its shape; names the seed."""


@dataclass(frozen=True)
class Budget:
    """What an audit may spend: runs on each of the two data sets, the probability of a false refutation, and
    the seed.

    `workers` processes draw (joblib); the result does not depend on it. `chunks` names a folder in which
    finished chunks are kept, so that a killed audit resumes where it was.

    >>> Budget(runs=1000).alpha
    0.001
    """

    runs: int = 100_000
    alpha: float = 1e-3
    seed: int = 0
    workers: int = 1
    chunks: str | None = None

    def __post_init__(self) -> None:
        if self.runs < 2:
            raise ValueError(f"Expected runs={self.runs} >= 2.")
        if not 0 < self.alpha < 1:
            raise ValueError(f"Expected alpha={self.alpha} in (0, 1).")
        if self.workers < 1:
            raise ValueError(f"Expected workers={self.workers} >= 1.")


def chunk_sizes(runs: int) -> list[int]:
    """How the runs are cut: 20 at first (of many, a thousandth), then half of what was drawn before.

    >>> chunk_sizes(500)
    [20, 20, 20, 30, 45, 67, 101, 151, 46]
    """
    sizes: list[int] = []
    first, done = max(20, runs // 1000), 0
    while done < runs:
        sizes.append(min(runs - done, max(first, done // 2)))
        done += sizes[-1]
    return sizes


@lru_cache(maxsize=256)
def _parameters(mechanism: Mechanism) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(mechanism).parameters)
    except (TypeError, ValueError):
        return frozenset()


def _takes(mechanism: Mechanism, name: str) -> bool:
    try:
        return name in _parameters(mechanism)
    except TypeError:  # a callable that cannot be hashed
        return name in inspect.signature(mechanism).parameters


def batched(mechanism: Mechanism) -> bool:
    """Whether the mechanism offers the batched form.

    >>> batched(lambda data, rng, runs: None), batched(lambda data, rng: None)
    (True, False)
    """
    return _takes(mechanism, "runs")


def name_of(mechanism: Mechanism) -> str:
    """A readable name of a callable.

    >>> name_of(batched)
    'batched'
    """
    return (
        getattr(mechanism, "__qualname__", None)
        or getattr(mechanism, "name", None)
        or type(mechanism).__name__
    )


def call(
    mechanism: Mechanism,
    data: Data,
    seed: np.random.SeedSequence,
    runs: int | None = None,
    tape: Tape | None = None,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """One call, as an array of shape (runs, k); errors name the seed. `rng`, if given, is a generator of that
    seed to be looked at after.

    >>> call(lambda data, rng: data.sum() + rng.normal(), np.ones(3), np.random.SeedSequence(0)).shape
    (1, 1)
    """
    extra: dict[str, Any] = {}
    if batched(mechanism):
        extra["runs"] = 1 if runs is None else runs
    if _takes(mechanism, "tape"):
        extra["tape"] = Tape() if tape is None else tape
    where = f"mechanism {name_of(mechanism)} at SeedSequence({seed.entropy}, spawn_key={seed.spawn_key})"
    try:
        out = mechanism(data, np.random.default_rng(seed) if rng is None else rng, **extra)
        values = (
            np.concatenate([np.asarray(part, dtype=float).ravel() for part in out])
            if isinstance(out, tuple)
            else np.asarray(out, dtype=float)
        )
    except Exception as error:
        raise MechanismError(f"{where} raised {type(error).__name__}: {error}") from error
    count = extra.get("runs", 1)
    if batched(mechanism) and (isinstance(out, tuple) or values.ndim == 0 or values.shape[0] != count):
        raise MechanismError(
            f"{where} returned shape {values.shape}; expected {count} runs on the first axis."
        )
    values = values.reshape(count, -1)
    if np.isnan(values).any():
        raise MechanismError(f"{where} returned NaN.")
    return values


def _one_chunk(
    mechanism: Mechanism, data: Data, seed: int, side: int, chunk: int, runs: int, workers: int
) -> np.ndarray:
    if batched(mechanism):
        return call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(side, chunk)), runs)

    def some(start: int, stop: int) -> list[np.ndarray]:
        return [
            call(mechanism, data, np.random.SeedSequence(seed, spawn_key=(side, chunk, i)))
            for i in range(start, stop)
        ]

    if workers == 1 or runs < 2 * workers:
        parts = [some(0, runs)]
    else:
        import joblib

        cuts = np.linspace(0, runs, workers + 1).astype(int)
        parts = joblib.Parallel(n_jobs=workers)(joblib.delayed(some)(a, b) for a, b in pairwise(cuts))
    rows = [row for part in parts for row in part]
    widths = {row.shape[1] for row in rows}
    if len(widths) != 1:
        where = f"(side {side}, chunk {chunk}, seed {seed})"
        raise MechanismError(
            f"mechanism {name_of(mechanism)} changes the shape of its output: {sorted(widths)} "
            f"numbers {where}."
        )
    return np.concatenate(rows)


def _identity(mechanism: Mechanism) -> str:
    """The name, the settings and the compiled body of a callable; what its closure holds beyond numbers and
    texts is not seen.
    """
    if isinstance(mechanism, partial):
        return f"{_identity(mechanism.func)}{mechanism.args}{sorted(mechanism.keywords.items())}"
    code = getattr(mechanism, "__code__", None)
    held = [cell.cell_contents for cell in getattr(mechanism, "__closure__", None) or ()]
    plain = [value for value in held if isinstance(value, str | int | float)]
    body = (
        (code.co_code.hex(), code.co_consts, getattr(mechanism, "__defaults__", None))
        if code is not None
        else ""
    )
    return f"{getattr(mechanism, '__module__', '')}:{name_of(mechanism)}{body}{plain}"


def fingerprint(mechanism: Mechanism, data: Data) -> str:
    """A short name for (mechanism, data): the key of a chunk file.

    >>> fingerprint(len, np.ones(3)) == fingerprint(len, np.ones(3))
    True
    """
    digest = hashlib.sha256(_identity(mechanism).encode())
    for part in data if isinstance(data, tuple) else (data,):
        array = np.ascontiguousarray(part)
        digest.update(f"{array.shape}{array.dtype}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def draw(mechanism: Mechanism, data: Data, side: int, budget: Budget) -> Iterator[np.ndarray]:
    """The outputs on one data set, chunk by chunk.

    >>> [part.shape for part in draw(lambda data, rng, runs: rng.normal(size=(runs, 2)), np.ones(3), 0,
    ...     Budget(runs=100))]
    [(20, 2), (20, 2), (20, 2), (30, 2), (10, 2)]
    """
    key = fingerprint(mechanism, data) if budget.chunks else ""
    width = None
    for chunk, runs in enumerate(chunk_sizes(budget.runs)):
        path = (
            Path(budget.chunks) / f"{key}-{budget.seed}-{side}-{chunk}-{runs}.npy" if budget.chunks else None
        )
        if path is not None and path.exists():
            part = np.load(path)
        else:
            part = _one_chunk(mechanism, data, budget.seed, side, chunk, runs, budget.workers)
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                unfinished = path.with_suffix(".part.npy")
                np.save(unfinished, part)
                unfinished.replace(path)
        if width is not None and part.shape[1] != width:
            where = f"(side {side}, chunk {chunk}, seed {budget.seed})"
            raise MechanismError(
                f"mechanism {name_of(mechanism)} changes the shape of its output: {width}, then "
                f"{part.shape[1]} {where}."
            )
        width = part.shape[1]
        yield part


def draw_pairs(
    mechanism: Mechanism, neighbours: Neighbours, budget: Budget
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The outputs on both data sets, chunk by chunk: two matrices of numbers with one row per run.

    Both have the same columns. A later chunk may have more of them, on the right: the outputs before it are 0
    there.

    >>> pair = Neighbours.replace(np.ones((2, 1)), 0, [2.0])
    >>> [x.shape for x, y in draw_pairs(lambda data, rng: rng.normal(size=2), pair, Budget(runs=60))]
    [(20, 2), (20, 2), (20, 2)]
    """
    for a, b in zip(
        draw(mechanism, neighbours.data, 0, budget), draw(mechanism, neighbours.other, 1, budget)
    ):
        width = max(a.shape[1], b.shape[1])
        yield tuple(np.pad(side, ((0, 0), (0, width - side.shape[1]))) for side in (a, b))  # type: ignore[misc]
