"""Drawing outputs of a mechanism: seeded chunks, the same result for any number of workers, resumable, and
checked.

A mechanism is any callable `(data, rng) -> numbers`. One that has a parameter named `runs` is called in
batched form, `(data, rng, runs) -> array whose first axis counts the runs`. One that has a parameter named
`tape` may declare its releases (see `dpverify.auditing.tape`). Run i of chunk c on side s draws from
SeedSequence(seed, spawn_key=(s, c, i)); a batched chunk from spawn_key=(s, c), or, if it is too large for one
call, its part from run i on from spawn_key=(s, c, i).
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.tape import Tape
from dpverify.neighbours import Data, Neighbours
from dpverify.parallel import each, stop

Mechanism = Callable[..., Any]

LARGEST = 65_536  # runs that a worker draws at a time


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


class Part(NamedTuple):
    """Some runs of a chunk, the unit that a worker draws; the cut depends on the number of runs alone."""

    side: int
    chunk: int
    start: int
    stop: int


def cut(side: int, chunk: int, runs: int, together: bool) -> list[Part]:
    """The parts of a chunk; those of a batched mechanism (`together`) are as large as one call may be.

    >>> [part.stop - part.start for part in cut(0, 3, 30, together=False)]
    [5, 5, 5, 5, 5, 5]
    """
    size = LARGEST if together else min(max(5, -(-runs // 64)), LARGEST)
    return [Part(side, chunk, start, min(start + size, runs)) for start in range(0, runs, size)]


def _drawn(mechanism: Mechanism, data: tuple[Data, Data], seed: int, part: Part) -> np.ndarray:
    """The outputs of one part, one row per run."""
    side, chunk, start, stop = part
    if batched(mechanism):
        place = (side, chunk) if start == 0 else (side, chunk, start)
        return call(mechanism, data[side], np.random.SeedSequence(seed, spawn_key=place), stop - start)
    rows = [
        call(mechanism, data[side], np.random.SeedSequence(seed, spawn_key=(side, chunk, i)))
        for i in range(start, stop)
    ]
    _one_width(mechanism, seed, part, [row.shape[1] for row in rows])
    return np.concatenate(rows)


def _one_width(mechanism: Mechanism, seed: int, part: Part, widths: list[int]) -> None:
    if len(set(widths)) > 1:
        raise MechanismError(
            f"mechanism {name_of(mechanism)} changes the shape of its output: {sorted(set(widths))} "
            f"numbers (side {part.side}, chunk {part.chunk}, seed {seed})."
        )


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


class _Folder:
    """Parts that were drawn before, one file each; without a folder there are none."""

    def __init__(self, mechanism: Mechanism, data: tuple[Data, Data], budget: Budget) -> None:
        self.folder, self.seed = Path(budget.chunks or "."), budget.seed
        self.keys = [fingerprint(mechanism, one) for one in data] if budget.chunks else []

    def path(self, part: Part) -> Path:
        return self.folder / f"{self.keys[part.side]}-{self.seed}-{'-'.join(map(str, part))}.npy"

    def has(self, part: Part) -> bool:
        return bool(self.keys) and self.path(part).exists()

    def keep(self, part: Part, rows: np.ndarray) -> None:
        if self.keys:
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished = self.path(part).with_suffix(".part.npy")
            np.save(unfinished, rows)
            unfinished.replace(self.path(part))


def draw_pairs(
    mechanism: Mechanism, neighbours: Neighbours, budget: Budget
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The outputs on both data sets, chunk by chunk: two matrices of numbers with one row per run.

    They come in the order of their numbers, whatever was drawn first; leaving the loop cancels what is still
    being drawn. Both have the same columns. A later chunk may have more of them, on the right: the outputs
    before it are 0 there.

    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [4.0])
    >>> noise = lambda data, rng, runs: rng.normal(size=(runs, 2))
    >>> [a.shape for a, b in draw_pairs(noise, pair, Budget(runs=100))]
    [(20, 2), (20, 2), (20, 2), (30, 2), (10, 2)]
    """
    sizes, together = chunk_sizes(budget.runs), batched(mechanism)
    parts = [p for c, runs in enumerate(sizes) for side in (0, 1) for p in cut(side, c, runs, together)]
    data = (neighbours.data, neighbours.other)
    folder = _Folder(mechanism, data, budget)
    known = {part for part in parts if folder.has(part)}
    shared = (mechanism, data, budget.seed)
    todo = [part for part in parts if part not in known]
    fresh = each(_drawn, todo, shared=shared, workers=budget.workers, ahead=4, instead=stop)
    waiting: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    widths: dict[int, int] = {}
    with closing(fresh):
        for part in parts:
            if part in known:
                rows = np.load(folder.path(part))
            else:
                _, rows = next(fresh)
                folder.keep(part, rows)
            width = rows.shape[1]
            _one_width(mechanism, budget.seed, part, [widths.setdefault(part.side, width), width])
            waiting[part.side].append(rows)
            if part.side == 1 and part.stop == sizes[part.chunk]:
                a, b = (np.concatenate(rows) for rows in waiting)
                more = a.shape[1] - b.shape[1]
                yield np.pad(a, ((0, 0), (0, max(-more, 0)))), np.pad(b, ((0, 0), (0, max(more, 0))))
                waiting = ([], [])
