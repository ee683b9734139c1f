"""The privacy loss of a transcript, exactly: replay the query on the neighbouring data set at the same
states.

    loss = sum_t  ln p_t(released_t | data, state_t) - ln p_t(released_t | other, state_t),    transcripts
    drawn on `data`

The states are functions of what was released, so they are the same for both. Public coins are given to both.
A secret batch is averaged over: p_t is the exact mixture over all batches that matter, if they are few enough
to list; if not, `NotEnumerable` says so.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.engine import Algorithm, Step, count_of, walk
from dpverify.montecarlo import block_size, generator
from dpverify.neighbours import Neighbours, check_neighbours
from dpverify.parallel import each, stop
from dpverify.releases import NotEnumerable, Release

Array = np.ndarray[Any, Any]


def privacy_losses(
    algorithm: Algorithm, pair: Neighbours, runs: int, seed: int = 0, *, workers: int = 1
) -> Array:
    """The exact privacy loss of `runs` transcripts drawn on `pair.data`, against `pair.other`.

    The mean of exp(-loss) is 1, because exp(-loss) is a likelihood ratio. Each transcript is the one that
    `run` draws with that seed.

    >>> from dpverify.algorithms import example
    >>> from dpverify.neighbours import ADD_REMOVE, ZERO_OUT, Neighbours
    >>> case = example("private-gd")
    >>> privacy_losses(case.algorithm, Neighbours.zero_out(case.data, 0), 5).shape
    (5,)
    """
    if runs < 1:
        raise ValueError(f"Expected runs={runs} >= 1.")
    check_neighbours(pair)
    data, other = algorithm.load(pair.data), algorithm.load(pair.other)
    size = block_size(algorithm)
    blocks = [(k, min(size, runs - k * size)) for k in range(math.ceil(runs / size))]

    def task(block: tuple[int, int]) -> Array:
        return block_losses(algorithm, data, other, block[1], generator(seed, block[0]))

    return np.concatenate([part for _, part in each(task, blocks, workers=workers, instead=stop)])


def block_losses(algorithm: Algorithm, data: Any, other: Any, runs: int, rng: np.random.Generator) -> Array:
    """The losses of one block of runs with these random numbers."""
    total = np.zeros(runs)
    twin = algorithm.memory(other, runs) if algorithm.memory is not None else None
    mixtures: dict[Any, Any] = {}
    for step in walk(algorithm, data, runs, rng):
        if not isinstance(step, Step):
            break
        if not step.release.full_batch:
            if algorithm.memory is not None:
                raise NotEnumerable(
                    f"{algorithm.name} keeps a secret memory across secret batches: the mixture "
                    "is over whole sequences of batches"
                )
            total += _mixture(algorithm, data, step, mixtures) - _mixture(algorithm, other, step, mixtures)
            continue
        batch = step.batch
        if batch is not None and count_of(other) != batch.shape[1]:
            batch = np.ones((runs, count_of(other)), dtype=bool)
        answer = algorithm.ask(other, step.state, step.release, batch=batch, memory=twin)
        twin = answer.memory
        total += log_ratio(step.release, step.released, step.answer, answer)
    return total


def log_ratio(release: Release, released: Array, answer: Any, other: Any) -> Array:
    """ln of the density of `released` given one answer over that given another, one per run."""
    with np.errstate(invalid="ignore"):
        ratio = release.log_density(released - answer.value, answer.unit) - release.log_density(
            released - other.value, other.unit
        )
    return ratio if answer.volume is None else ratio + answer.volume - other.volume


class _Batches(NamedTuple):
    batch: Array
    log_weight: Array


def _mixture(algorithm: Algorithm, data: Any, step: Step, known: dict[Any, Any]) -> Array:
    """ln of the density of what was released, averaged over the secret batch, one per run."""
    release = step.release
    key = (id(data), release.key(), release.shard)
    if key not in known:
        groups = data.groups() if hasattr(data, "groups") else np.arange(count_of(data))
        known[key] = _Batches(*release.batches(groups))
    batches: _Batches = known[key]
    runs = len(step.released)
    logs = np.empty((len(batches.batch), runs))
    for k, row in enumerate(batches.batch):
        answer = algorithm.ask(data, step.state, release, batch=np.broadcast_to(row, (runs, len(row))))
        logs[k] = release.log_density(step.released - answer.value, answer.unit)
    logs += batches.log_weight[:, None]
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).sum(axis=0))
