"""Drawing outputs on the two data sets: in chunks of `blocks`, kept, and cut short without harm."""

from __future__ import annotations

import io
import time
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.auditing.blocks import Block, Drawn, Task, block_size, draw_block, joined, next_size
from dpverify.auditing.copies import expect_picklable, pickled, restored, run_by_run, untaped
from dpverify.auditing.fingerprints import fingerprint
from dpverify.auditing.interrupts import Interrupts
from dpverify.auditing.layout import Layout
from dpverify.auditing.memory import Memory
from dpverify.auditing.outcomes import Plain, plain, same_outcomes, stacked
from dpverify.auditing.sampling import Budget, Mechanism, MechanismError, batched, call, name_of
from dpverify.neighbours import Data, Neighbours
from dpverify.parallel import each, stop
from dpverify.signing import read_signed, write_signed

HERE = 1.0  # seconds of drawing a chunk after which others are asked to help
LATER = 2**31  # the number of a chunk that no audit comes to
TOGETHER = 512  # outputs that are made plain together: of more, the garbage collector sees many
WIDEST = 400_000  # numbers of each side that a chunk has at most
PATIENCE = 10_000  # runs of each side that a mechanism may return nothing in
SHARE = 1 / 8  # of a budget in time, after which the number of runs is settled
WARM = 3  # chunks, of which the first pay for what is loaded and learned once; half of the time is enough


@dataclass
class Sampler:
    """Chunks of outcomes on both data sets, as two matrices of numbers each time (see `outcomes`).

    Both matrices have the same columns. A later chunk may have more of them, on the right: the outputs before
    it are 0 there. `runs` is how many there will be, once `settled` (a budget in time settles it on the way);
    `cut_short` says why it ended before that.

    >>> pair = Neighbours.replace(np.ones((2, 1)), 0, [2.0])
    >>> sampler = Sampler(lambda data, rng: rng.normal(size=2), pair, Budget(runs=60))
    >>> [x.shape for x, y in sampler], sampler.cut_short
    ([(20, 2), (20, 2), (20, 2)], '')
    """

    mechanism: Mechanism
    neighbours: Neighbours
    budget: Budget
    runs: int = 0
    settled: bool = True
    cut_short: str = ""
    raised: list[int] = field(default_factory=lambda: [0, 0])
    error: str = ""
    interrupts: Interrupts = field(default_factory=Interrupts)

    def __post_init__(self) -> None:
        self.runs = self.budget.runs
        self.settled = self.budget.seconds is None
        self._started = self._before = time.monotonic()
        self._layout = Layout()
        self._data = self._content()
        self._first: tuple[Plain, Plain] | None = None
        self._spoke = False  # whether two outcomes differed
        self._untouched = pickled(self.mechanism)
        self._memory = Memory(self.mechanism)
        if self.budget.workers > 1:
            expect_picklable(self.mechanism, self.budget.workers)
        self._folder: Path | None = None
        if self.budget.chunks is not None:
            pair = self.neighbours
            asked = (self.mechanism, pair.data, pair.other, self.budget.seed, self.budget.call_seconds)
            key = fingerprint(*asked, plain, block_size)
            self._folder = Path(self.budget.chunks) / key if key is not None else None
            if key is None:
                warnings.warn(
                    f"Nothing is kept in chunks={str(self.budget.chunks)!r}: what mechanism "
                    f"{name_of(self.mechanism)} depends on cannot be told (a file, the environment, a "
                    "generator of its own).",
                    stacklevel=2,
                )

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        done, chunk = 0, 0
        while done < self.runs and not self.cut_short:
            size = min(next_size(done, self.runs), self._widest())
            x, y = self._chunk(chunk, done, size)
            if x.runs:
                self._look(chunk, x, y)
                self._tells(x, y, done + x.runs)
                yield self._layout.matrices(x, y)
            done, chunk = done + x.runs, chunk + 1
            self._settle(chunk, x.runs, done)

    def _widest(self) -> int:
        """How many runs a chunk has at most, so that it fits in memory."""
        if self._first is None:
            return WIDEST
        first = self._first[0]
        return WIDEST // max(1, first.numbers.shape[1] + first.keyed.shape[1])

    def _settle(self, chunks: int, last: int, done: int) -> None:
        """With a budget in time: the number of runs, by the speed of the last chunk."""
        if self.settled or self.budget.seconds is None:
            return
        now = time.monotonic()
        elapsed = now - self._started
        took = now - self._before
        self._before = now
        if elapsed >= (SHARE if chunks >= WARM else 1 / 2) * self.budget.seconds:
            more = last * max(self.budget.seconds - elapsed, 0.0) / max(took, 1e-9)
            self.runs = min(self.budget.runs, done + int(more))
            self.settled = True

    def _late(self) -> bool:
        """Whether a budget in time is spent, and half of it once more."""
        limit = self.budget.seconds
        return limit is not None and time.monotonic() - self._started > 1.5 * limit

    def _chunk(self, chunk: int, done: int, size: int) -> tuple[Plain, Plain]:
        """The chunk, as far as it could be drawn; what was kept of it is not drawn again."""
        block = block_size(done, batched(self.mechanism))
        blocks = [kept] if (kept := self._kept(chunk)) is not None else []
        there = blocks[0].sides[0].runs if blocks else 0
        fresh: list[Drawn] = []
        if there < size:
            there -= there % block  # an unfinished block is drawn again
            blocks = [kept.first(there) for kept in blocks]
        starts = range(there, size, block)
        tasks = [Task(chunk, start // block, min(block, size - start)) for start in starts]
        try:
            with self.interrupts.at_once(), closing(self._drawn(tasks)) as drawn:
                for task, part in drawn:
                    fresh.append(part)
                    if len(fresh) * task.runs >= TOGETHER:
                        blocks.append(joined(fresh))
                        fresh = []
                    self.error = self.error or part.error
                    if self._late():
                        self.cut_short = "out of time"
                        break
        except KeyboardInterrupt:
            self.cut_short = "interrupted"
        self._unchanged()
        whole = joined([*blocks, *fresh])
        if tasks and not self.cut_short:
            self._keep(chunk, whole)
        return whole.first(size).sides

    def _drawn(self, tasks: list[Task]) -> Generator[tuple[Task, Drawn], None, None]:
        budget = self.budget
        shared = (self.mechanism, self.neighbours, budget.seed, budget.call_seconds)
        return each(
            draw_block, tasks, shared=shared, workers=budget.workers, ahead=4, here=HERE, instead=stop
        )

    def _look(self, chunk: int, x: Plain, y: Plain) -> None:
        """Refuse what is no mechanism: one that raises in every run of the first chunk."""
        self.raised = [count + side.raised for count, side in zip(self.raised, (x, y))]
        if chunk:
            return
        self._first = (x, y)
        where = f"mechanism {name_of(self.mechanism)} at seed {self.budget.seed}"
        if x.raised + y.raised == x.runs + y.runs and len({*x.shapes.tolist(), *y.shapes.tolist()}) == 1:
            first = np.random.SeedSequence(self.budget.seed, spawn_key=(0, 0, 0))
            call(self.mechanism, self.neighbours.data, first)  # to raise as it did, with its traceback
            within = f" within call_seconds={late:g}" if (late := self.budget.call_seconds) else ""
            raise MechanismError(f"{self.error or where}: no run of the first chunk came to its end{within}.")
        if batched(self.mechanism):
            self._runs_differ(x, where)

    def _tells(self, x: Plain, y: Plain, done: int) -> None:
        """Refuse a mechanism that has returned one thing without a number, again and again; a little patience
        is due to one that seldom returns another.
        """
        if self._spoke:
            return
        assert self._first is not None
        both = stacked([*self._first, x, y])
        self._spoke = not same_outcomes(both, both.at(np.zeros(both.runs, dtype=int)))
        nothing = "" if both.sizes.any() else "an empty output"
        nothing = nothing or ("NaN alone" if np.isnan(both.numbers).all() else "")
        if nothing and not self._spoke and done >= min(self.runs, PATIENCE):
            raise MechanismError(
                f"mechanism {name_of(self.mechanism)} at seed {self.budget.seed} returned {nothing} in each "
                f"of its first {done} runs a side."
            )

    def _runs_differ(self, x: Plain, where: str) -> None:
        """Refuse a batched mechanism whose runs share what differs from call to call: they are few runs, told
        many times.
        """
        ordered = np.sort(x.numbers, axis=0)
        again = (ordered[1:] == ordered[:-1]).sum(axis=0)
        if x.runs < 2 or not (again >= x.runs / 4).any():
            return
        tasks = [Task(0, number, x.runs) for number in range(1, 4)]
        others = [joined([block]).sides[0].numbers for _, block in self._drawn(tasks)]
        if len({numbers.shape for numbers in (x.numbers, *others)}) > 1:
            return
        for column in np.flatnonzero(again >= x.runs / 4).tolist():
            values, times = np.unique(x.numbers[:, column], return_counts=True)
            elsewhere = np.isin(values, np.concatenate([numbers[:, column] for numbers in others]))
            repeated = int(times[(times > 1) & ~elsewhere].sum())
            if repeated >= x.runs / 2:
                raise MechanismError(
                    f"{where} gives {repeated} of the {x.runs} runs of a batched call the same "
                    f"output[{column}] as another, and never so in three more calls; draw for every run, as "
                    "rng.normal(size=(runs, 1)) does."
                )

    def _content(self) -> str | None:
        return fingerprint(self.neighbours.data, self.neighbours.other)

    def _unchanged(self) -> None:
        """Refuse a mechanism that writes into its data: its later runs see other data than its first."""
        if self._content() != self._data:
            raise MechanismError(
                f"mechanism {name_of(self.mechanism)} changes its data; hand it a copy, as in "
                "lambda data, rng: train(data.copy(), rng)."
            )

    def repeatable(self) -> bool:
        """Whether the first runs, made once more, end as they did: all randomness from rng, no state."""
        assert self._first is not None
        runs = min(self._first[0].runs, block_size(0, True) if batched(self.mechanism) else 2)
        _, again = next(self._drawn([Task(0, 0, runs)]))
        return all(
            same_outcomes(before.first(runs), after)
            for before, after in zip(self._first, joined([again]).sides)
        )

    def calls(self, count: int, runs: int) -> list[Plain]:
        """So many fresh calls of so many runs on the first data set; none if one of them raises."""
        tasks = [Task(LATER, number, runs) for number in range(count)]
        try:
            return [joined([block]).sides[0] for _, block in self._drawn(tasks)]
        except MechanismError:
            return []

    @property
    def layout(self) -> Layout:
        """The columns so far."""
        return self._layout

    def from_scratch(self) -> Mechanism | None:
        """The mechanism as it was before its first run, in every run, if its runs have changed it (and it can
        be copied).
        """
        untouched, memory = self._untouched, self._memory
        if untouched is None or untouched == pickled(self.mechanism):
            if not memory.changed():
                return None
            untouched = None
        elif restored(untouched, self.neighbours) is None:
            return None
        import cloudpickle

        alone = run_by_run if batched(self.mechanism) else untaped
        mechanism = self.mechanism

        def fresh(data: Data, rng: np.random.Generator) -> Any:
            memory.put_back()
            return alone(mechanism if untouched is None else cloudpickle.loads(untouched))(data, rng)

        fresh.__qualname__ = fresh.__name__ = name_of(self.mechanism)
        return fresh

    def _path(self, chunk: int) -> Path | None:
        return None if self._folder is None else self._folder / f"{chunk}.npz"

    def _kept(self, chunk: int) -> Block | None:
        path = self._path(chunk)
        content = None if path is None else read_signed(path, f"{path.parent.name}/{path.name}")
        if content is None:
            return None
        with np.load(io.BytesIO(content)) as file:
            x, y = (Plain(*(file[f"{name}{side}"] for name in Plain._fields)) for side in (0, 1))
            return Block((x, y), str(file["error"]))

    def _keep(self, chunk: int, block: Block) -> None:
        path = self._path(chunk)
        if path is None:
            return
        content = io.BytesIO()
        arrays = {f"{name}{s}": part for s in (0, 1) for name, part in block.sides[s]._asdict().items()}
        np.savez(content, **arrays, error=block.error)
        write_signed(path, f"{path.parent.name}/{path.name}", content.getvalue())
