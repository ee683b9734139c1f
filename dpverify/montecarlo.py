"""Many independent runs of an algorithm as arrays: one row per run, in blocks of fixed size, each block with
its own seed.

    block k draws from SFC64(SeedSequence(seed, spawn_key=(k,)))

The size of a block depends on the algorithm alone, so the result is the same, bit for bit, for any number of
workers and for any `chunk` (the number of runs that a worker takes at a time). Memory is that of the blocks
in flight, plus what `keep` asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpverify.engine import Algorithm, State, Step, walk
from dpverify.neighbours import Data
from dpverify.parallel import each, stop, workers_in_use
from dpverify.progress import progress_bar
from dpverify.threads import one_thread

Array = np.ndarray[Any, Any]
Measure = Callable[[Array], Array]  # (runs, d) iterates to (runs,) values

_ENTRIES = 2**14  # of a block's iterates: they and their noise stay in the processor's cache
_TERMS = 2**16  # of a block's queries, one for each run and record


def generator(seed: int, block: int) -> np.random.Generator:
    """The random numbers of one block.

    >>> generator(0, 1).random() == generator(0, 1).random() != generator(0, 2).random()
    True
    """
    if seed < 0:
        raise ValueError(f"Expected seed={seed} >= 0.")
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(block,))))


def block_size(algorithm: Algorithm) -> int:
    """The number of runs in a block: a power of two that depends on the dimension and the work of a step."""
    d = algorithm.output(algorithm.init(1)).shape[1]
    most = min(_ENTRIES / d, _TERMS / algorithm.work)
    return 2 ** min(12, max(4, round(math.log2(most))))


def blocks_at_once(blocks: int, workers: int) -> int:
    """How many blocks a worker takes at a time: about eight portions each, none above 64 blocks.

    >>> blocks_at_once(1000, 1), blocks_at_once(1000, 4)
    (1, 31)
    """
    count = workers_in_use(workers)
    return max(1, min(64, blocks // (8 * count))) if count > 1 else 1


@dataclass(frozen=True, eq=False)
class Runs:
    """What many runs gave: each measure at the end of every run, its mean along the way, and what `keep`
    asked for.

    `path[name]` and `path_variance[name]` have one entry per iterate, the start first. `iterates` has shape
    (runs, steps + 1, d); `releases[t - 1]` is what step t published, one row per run.
    """

    algorithm: str
    runs: int
    seed: int
    values: dict[str, Array]
    path: dict[str, Array]
    path_variance: dict[str, Array]
    output: Array | None
    iterates: Array | None
    releases: list[Array] | None

    def mean(self, name: str) -> float:
        """The mean of a measure over the runs."""
        return float(np.mean(self.values[name]))

    def standard_error(self, name: str) -> float:
        """The standard error of that mean (nan for a single run)."""
        return float(np.std(self.values[name], ddof=1) / math.sqrt(self.runs)) if self.runs > 1 else math.nan


def mean_at_least(values: Array, alpha: float = 0.025) -> float:
    """A lower confidence bound on the mean of a non-negative quantity that holds in finite samples, whatever
    its tails.

    The first tenth of the values sets a cap; the mean of the capped rest is bounded by the empirical
    Bernstein inequality (Maurer and Pontil 2009), and the mean itself is no smaller. No upper bound exists
    without an assumption on the tails.

    >>> 0.9 < mean_at_least(np.random.default_rng(0).exponential(size=20_000)) < 1.0
    True
    """
    if not 0 < alpha < 1:
        raise ValueError(f"Expected 0 < alpha={alpha} < 1.")
    head = len(values) // 10
    if head < 10:
        return 0.0
    cap = 2 * float(np.quantile(values[:head], 0.99))
    if cap <= 0:
        return 0.0
    rest = np.minimum(values[head:], cap) / cap
    n, log = len(rest), math.log(2 / alpha)
    low = rest.mean() - math.sqrt(2 * rest.var(ddof=1) * log / n) - 7 * log / (3 * (n - 1))
    return max(0.0, float(low) * cap)


_KEEP = ("output", "iterates", "releases")


def run(
    algorithm: Algorithm,
    data: Data,
    runs: int,
    seed: int = 0,
    *,
    measure: Mapping[str, Measure] | None = None,
    every_step: bool = False,
    weights: Sequence[float] | None = None,
    keep: tuple[str, ...] = ("output",),
    workers: int = 1,
    chunk: int | None = None,
    progress: bool = False,
) -> Runs:
    """`runs` independent runs; `measure` names functions of the iterate, taken at the end or, with
    `every_step`, all the way; with `weights`, one for each iterate, the start first, their weighted sum.

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> result = run(case.algorithm, case.data, 100, seed=1, measure={"excess": case.measured})
    >>> result.output.shape[0], result.values["excess"].shape
    (100, (100,))
    """
    if runs < 1:
        raise ValueError(f"Expected runs={runs} >= 1.")
    if workers < 1:
        raise ValueError(f"Expected workers={workers} >= 1.")
    unknown = [name for name in keep if name not in _KEEP]
    if unknown:
        raise ValueError(f"Expected keep={keep} among {_KEEP}.")
    if chunk is not None and chunk < 1:
        raise ValueError(f"Expected chunk={chunk} >= 1.")
    if weights is not None and len(weights) != algorithm.steps + 1:
        raise ValueError(f"Expected {algorithm.steps + 1} weights, one for each iterate, got {len(weights)}.")
    loaded = algorithm.load(data)
    measures = dict(measure or {})
    size = block_size(algorithm)
    blocks = [(k, min(size, runs - k * size)) for k in range(math.ceil(runs / size))]
    per_task = max(1, chunk // size) if chunk else blocks_at_once(len(blocks), workers)
    tasks = [blocks[a : a + per_task] for a in range(0, len(blocks), per_task)]

    def task(part: list[tuple[int, int]]) -> list[_Block]:
        with one_thread():
            return [
                _block(algorithm, loaded, n, generator(seed, k), measures, every_step, weights, keep)
                for k, n in part
            ]

    done: list[_Block] = []
    with progress_bar(f"running {algorithm.name}", len(tasks), progress) as advance:
        for _, batch in each(task, tasks, workers=workers, instead=stop):
            done.extend(batch)
            advance()
    return _collect(algorithm, runs, seed, measures, every_step, keep, done)


class _Block(NamedTuple):
    values: dict[str, Array]
    sums: dict[str, Array]  # (2, steps + 1): mean and sum of squared deviations
    output: Array | None
    iterates: Array | None
    releases: list[Array] | None


def _block(
    algorithm: Algorithm,
    data: Any,
    runs: int,
    rng: np.random.Generator,
    measures: Mapping[str, Measure],
    every_step: bool,
    weights: Sequence[float] | None,
    keep: tuple[str, ...],
) -> _Block:
    paths: dict[str, list[tuple[float, float]]] = {name: [] for name in measures}
    iterates: list[Array] = []
    releases: list[Array] = []
    values: dict[str, Array] = {}

    def look(state: State, t: int, last: bool) -> None:
        x = algorithm.output(state)
        if "iterates" in keep:
            iterates.append(np.array(x))
        if every_step or last or weights is not None:
            for name, function in measures.items():
                value = np.asarray(function(x), dtype=float)
                if value.shape != (runs,):
                    raise ValueError(
                        f"Expected measure {name!r} to give one value per run, got shape "
                        f"{value.shape} for {runs} runs."
                    )
                mean = float(value.mean())
                paths[name].append((mean, float(np.sum((value - mean) ** 2))))
                if weights is not None:
                    values[name] = values.get(name, 0.0) + weights[t] * value
                elif last:
                    values[name] = value

    state: State = algorithm.init(runs)
    for step in walk(algorithm, data, runs, rng):
        if isinstance(step, Step):
            if every_step or weights is not None or "iterates" in keep:
                look(step.state if algorithm.solve is None else state, step.t - 1, False)
            state = step.state
            if "releases" in keep:
                releases.append(step.released)
        else:
            state = step
    look(state, algorithm.steps, True)
    return _Block(
        values,
        {name: np.array(path).T for name, path in paths.items()},
        np.array(algorithm.output(state)) if "output" in keep else None,
        np.stack(iterates, axis=1) if iterates else None,
        releases if "releases" in keep else None,
    )


def _collect(
    algorithm: Algorithm,
    runs: int,
    seed: int,
    measures: Mapping[str, Measure],
    every_step: bool,
    keep: tuple[str, ...],
    done: list[_Block],
) -> Runs:
    values = {}
    path = {}
    variance = {}
    for name in measures:
        values[name] = np.concatenate([block.values[name] for block in done])
        if every_step:
            n = 0
            mean = np.zeros(algorithm.steps + 1)
            squares = np.zeros(algorithm.steps + 1)
            for block in done:
                m = len(block.values[name])
                shift = block.sums[name][0] - mean
                squares = squares + block.sums[name][1] + shift**2 * (n * m / (n + m))
                mean = mean + shift * (m / (n + m))
                n += m
            path[name], variance[name] = mean, squares / max(n - 1, 1)
    iterates = [block.iterates for block in done if block.iterates is not None]
    releases = [block.releases for block in done if block.releases is not None]
    return Runs(
        algorithm.name,
        runs,
        seed,
        values,
        path,
        variance,
        np.concatenate([block.output for block in done if block.output is not None])
        if "output" in keep
        else None,
        np.concatenate(iterates) if "iterates" in keep else None,
        [np.concatenate(parts) for parts in zip(*releases)] if "releases" in keep else None,
    )
