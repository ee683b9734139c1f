"""One block of runs: drawn on both data sets, seeded, and interleaved.

Chunk c is cut into blocks; block b draws its runs on side s, one after the other, from one generator with
SeedSequence(seed, spawn_key=(s, c, b)). The sizes of the chunks do not depend on how many runs there are, so
that more runs begin with the same ones, whoever computes them. In a block the runs on the two data sets come
in random order: what drifts from call to call drifts alike on both.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.leaves import NotAnOutcome, raised
from dpverify.auditing.outcomes import LATE, Plain, plain, plain_batch, settled, stacked
from dpverify.auditing.sampling import Mechanism, MechanismError, batched, ends_a_run, name_of, takes
from dpverify.auditing.tape import Tape
from dpverify.neighbours import Data, Neighbours

BLOCK = 256  # runs of a plain callable that share a generator
BATCH, LARGEST = 4096, 16_384  # runs of a batched call, at first and at most


def chunk_sizes(runs: int) -> list[int]:
    """How the runs are cut: 20 at first, then half of what was drawn before.

    >>> chunk_sizes(500)
    [20, 20, 20, 30, 45, 67, 101, 151, 46]
    """
    sizes: list[int] = []
    while sum(sizes) < runs:
        sizes.append(next_size(sum(sizes), runs))
    return sizes


def next_size(done: int, runs: int) -> int:
    return min(runs - done, max(20, done // 2))


def block_size(done: int, together: bool) -> int:
    """How many runs of the chunk after so many share a generator, and are drawn by one worker."""
    return min(LARGEST, max(BATCH, done // 16)) if together else min(BLOCK, max(5, done // 128))


class BatchRaised(MechanismError):
    """A batched call raised: which of its runs did is unknown."""


class Drawn(NamedTuple):
    """Outputs on the two data sets as they were when they came (see `settled`), or made plain at once, where
    they came together; and what the first run that raised said.
    """

    sides: tuple[list[Any] | Plain, list[Any] | Plain]
    error: str = ""


class Block(NamedTuple):
    """Outcomes on the two data sets, and what the first run that raised said."""

    sides: tuple[Plain, Plain]
    error: str = ""

    def first(self, runs: int) -> Block:
        """The first runs of them."""
        return Block((self.sides[0].first(runs), self.sides[1].first(runs)), self.error)


class Task(NamedTuple):
    """One block to draw: its chunk, its number there, and how many runs."""

    chunk: int
    number: int
    runs: int


def draw_block(
    mechanism: Mechanism, neighbours: Neighbours, seed: int, late: float | None, task: Task
) -> Drawn:
    """The outputs of one block on both data sets."""
    sequences = [np.random.SeedSequence(seed, spawn_key=(s, task.chunk, task.number)) for s in (0, 1, 2)]
    first, second, order = (np.random.default_rng(sequence) for sequence in sequences)
    where = f"mechanism {name_of(mechanism)} at seed {seed}, chunk {task.chunk}, block {task.number}"
    both = ((neighbours.data, first), (neighbours.other, second))
    taped = takes(mechanism, "tape")
    try:
        if batched(mechanism):
            return _batches(mechanism, both, int(order.integers(2)), task.runs, taped, late, where)
        sides = np.repeat([0, 1], task.runs)
        order.shuffle(sides)
        return _singles(mechanism, both, sides.tolist(), taped, late, where)
    except NotAnOutcome as error:
        raise MechanismError(f"{where} {error}.") from None


Sides = tuple[tuple[Data, np.random.Generator], tuple[Data, np.random.Generator]]


def _batches(
    mechanism: Mechanism, both: Sides, first: int, runs: int, taped: bool, late: float | None, where: str
) -> Drawn:
    sides: dict[int, Plain] = {}
    for side in (first, 1 - first):
        data, rng = both[side]
        extra = {"tape": Tape()} if taped else {}
        try:
            with nullcontext() if late is None else _limit(late):
                output = mechanism(data, rng, runs=runs, **extra)
        except OutOfTime:  # some run did not come to its end: which?
            raise BatchRaised(f"{where} took longer than call_seconds={late}", data) from None
        except BaseException as error:
            if not ends_a_run(error):
                raise
            raise BatchRaised(f"{where} raised {type(error).__name__}: {error}", data) from error
        sides[side] = plain_batch(output, runs)
    return Drawn((sides[0], sides[1]))


def _singles(
    mechanism: Mechanism, both: Sides, sides: list[int], taped: bool, late: float | None, where: str
) -> Drawn:
    outputs: tuple[list[Any], list[Any]] = ([], [])
    first = ""
    for side in sides:
        data, rng = both[side]
        try:
            # taken as it is now: the next call may write into the same array
            if late is None:
                output = settled(mechanism(data, rng, tape=Tape()) if taped else mechanism(data, rng))
            else:
                with _limit(late):
                    output = settled(mechanism(data, rng, tape=Tape()) if taped else mechanism(data, rng))
        except OutOfTime:
            output = LATE
        except NotAnOutcome:
            raise
        except BaseException as error:
            if not ends_a_run(error):
                raise
            output = settled(raised(error))
            first = first or f"{where} raised {type(error).__name__}: {error}"
        outputs[side].append(output)
    return Drawn(outputs, first)


class OutOfTime(BaseException):
    """A call took longer than it may; not an Exception, so that the mechanism does not catch it by chance."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in this thread after so many seconds."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError(
            "Expected call_seconds=None outside of the main thread: calls cannot be stopped there."
        )

    def stop(number: int, frame: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def joined(blocks: Sequence[Block | Drawn]) -> Block:
    """Blocks one after the other, each as wide as the widest."""
    x, y = (_one_after_the_other([block.sides[side] for block in blocks]) for side in (0, 1))
    return Block((x, y), next((block.error for block in blocks if block.error), ""))


def _one_after_the_other(parts: Sequence[list[Any] | Plain]) -> Plain:
    """All outcomes: those that are not plain yet are made so, neighbours together."""
    made: list[Plain] = []
    waiting: list[Any] = []
    for part in parts:
        if isinstance(part, Plain):
            made += [plain(waiting), part] if waiting else [part]
            waiting = []
        else:
            waiting += part
    if waiting:
        made.append(plain(waiting))
    return made[0] if len(made) == 1 else stacked(made)
