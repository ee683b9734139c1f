"""An algorithm is four pure functions, init, query, release, update; only `query` sees data.

for t = 1..steps:   released = query(data, state) + unit * noise of release(t)
                    state = update(state, released)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpverify.neighbours import Data
from dpverify.neighbours import records as count_records
from dpverify.releases import Release

Array = np.ndarray[Any, Any]


State = Any  # a NamedTuple whose arrays have one row per run
Record = Callable[[Any, Array, Release], Array]  # (query, released, release) -> what the runs go on with


class Answer(NamedTuple):
    """What a query returns when a value is not all: the factor `unit` of its release (one per run), and its
    secret memory. Where an algorithm has `solve`, `volume` is ln of the Jacobian of released -
    value(released), one per run.
    """

    value: Array
    unit: Array | None = None
    memory: Any = None
    volume: Array | None = None


def _iterate(state: State) -> Array:
    return state.x


def _as_given(data: Data) -> Data:
    return data


@dataclass(frozen=True)
class Algorithm:
    """Four pure functions, vectorised over runs; from them come Monte Carlo, the ledger, exact losses and
    exact moments.

    - `init(runs)`: the public state before step 1.
    - `query(data, state)`: the exact answer, one row per run: an array, or an `Answer`. If the step's release
      is `Subsampled`, it gets the secret batch as third argument; if the algorithm has `memory`, it gets that
      last and returns the new one.
    - `release(t)`: what step t = 1..steps publishes; must not depend on data.
    - `update(state, released)`: post-processing; no data in reach.

    Optional: `load(data)` checks the data once and precomputes; `coins(state, rng)` refreshes the public
    state with public randomness before a query (a permutation, an index drawn for the output); `memory(data,
    runs)` starts what the query keeps to itself between steps (node sums of a tree); `output(state)` is the
    (runs, d) iterate that is judged; `solve(data, state, noise)` is for a query that is asked at the state to
    which its own release leads (noise inside an argmin): it finds the solution of released = query(data,
    update(state, released)) + noise, which the engine then checks, and sees the data as `query` does; `work`
    is how many records a run's query goes through, from which the size of a block follows.
    """

    name: str
    steps: int
    init: Callable[[int], State]
    query: Callable[..., Any]
    release: Callable[[int], Release]
    update: Callable[[State, Array], State]
    load: Callable[[Data], Any] = _as_given
    coins: Callable[[State, np.random.Generator], State] | None = None
    memory: Callable[[Any, int], Any] | None = None
    output: Callable[[State], Array] = _iterate
    solve: Callable[[Any, State, Array], Array] | None = None
    work: int = 1

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"Expected steps={self.steps} >= 1.")
        if self.solve is not None and self.memory is not None:
            raise ValueError(f"Expected {self.name} without memory, since it has solve.")

    def ask(
        self, data: Data, state: State, release: Release, *, batch: Array | None = None, memory: Any = None
    ) -> Answer:
        """The query of the step with that release as an `Answer`, whichever arguments this algorithm's query
        takes.
        """
        arguments = [self.load(data), state]
        if release.sampled:
            if batch is None:
                raise ValueError(f"Expected a batch for a step of {self.name} whose release is subsampled.")
            arguments.append(batch)
        if self.memory is not None:
            arguments.append(memory)
        answer = self.query(*arguments)
        return answer if isinstance(answer, Answer) else Answer(answer)

    def ledger(self) -> tuple[Release, ...]:
        """Every release in order: what an accountant reads."""
        return tuple(self.release(t) for t in range(1, self.steps + 1))


class Step(NamedTuple):
    """One step of a block of runs: the state at which the query was asked (the one before the step, unless
    the step is solved for), the secret batch, the exact answer, and what was released.
    """

    t: int
    release: Release
    state: State
    batch: Array | None
    answer: Answer
    released: Array


def walk(
    algorithm: Algorithm, data: Data, runs: int, rng: np.random.Generator, record: Record | None = None
) -> Iterator[Step | State]:
    """Every `Step` of a block of runs in turn, and last the final state.

    With `record(query, released, release)`, given in units, the runs go on with what it returns: a tape
    that writes down the transcript, or hands back that of an earlier run. The query of a step that is solved
    for is given as a function of what was released.

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> *steps, last = walk(case.algorithm, case.data, 3, np.random.default_rng(0))
    >>> len(steps) == case.algorithm.steps, last.x.shape[0]
    (True, 3)
    """
    loaded = algorithm.load(data)
    state = algorithm.init(runs)
    memory = algorithm.memory(loaded, runs) if algorithm.memory is not None else None
    records = count_of(loaded)
    for t in range(1, algorithm.steps + 1):
        release = algorithm.release(t)
        if algorithm.coins is not None:
            state = algorithm.coins(state, rng)
        if algorithm.solve is not None:
            step = _solved(algorithm, loaded, state, release, t, rng, record)
            yield step
            state = step.state
            continue
        batch = release.batch(rng, runs, records)
        answer = algorithm.ask(loaded, state, release, batch=batch, memory=memory)
        memory = answer.memory
        released = release.noise(rng, answer.value.shape)
        unit: Any = 1.0
        if answer.unit is not None:
            unit = answer.unit.reshape(-1, *(1,) * (released.ndim - 1))
        if record is None:
            if answer.unit is not None:
                released *= unit
            released += answer.value
        else:
            query = answer.value / np.where(unit > 0, unit, 1.0)
            released = record(query, query + released, release) * unit
        yield Step(t, release, state, batch, answer, released)
        state = algorithm.update(state, released)
    yield state


def _solved(
    algorithm: Algorithm,
    loaded: Any,
    state: State,
    release: Release,
    t: int,
    rng: np.random.Generator,
    record: Record | None,
) -> Step:
    """A step whose query is asked where its release leads, and whether it is what it says."""
    assert algorithm.solve is not None

    def asked(released: Array) -> Answer:
        return algorithm.ask(loaded, algorithm.update(state, released), release)

    noise = release.noise(rng, algorithm.ask(loaded, state, release).value.shape)
    released = algorithm.solve(loaded, state, noise)
    answer = asked(released)
    off = float(np.max(np.abs(answer.value + noise - released), initial=0.0))
    if not off <= 1e-9 * (1 + float(np.max(np.abs(released), initial=0.0))):
        raise ValueError(
            f"Expected solve of {algorithm.name} to find released = query + noise, got a gap of {off:.3g}."
        )
    if record is not None:
        released = record(lambda there: asked(there).value, released, release)
        answer = asked(released)
    return Step(t, release, algorithm.update(state, released), None, answer, released)


def count_of(loaded: Any) -> int:
    """The number of records of a data set, loaded or not."""
    return (
        len(loaded) if hasattr(loaded, "__len__") and not isinstance(loaded, tuple) else count_records(loaded)
    )
