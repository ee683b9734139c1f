"""An algorithm is four pure functions: init, query, release, update; only `query` sees data. One file per
algorithm.

    for t = 1..steps:   released = query(data, state) + unit * noise of release(t);   state = update(state,
    released)

A module of this package that has a function `example` is an algorithm: it is found by its name, without a
second edit.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dpverify.guarantees import Guarantee
from dpverify.neighbours import Adjacency, Data
from dpverify.problems import Problem
from dpverify.releases import Release, Subsampled

Array = np.ndarray[Any, Any]
State = Any  # a NamedTuple whose arrays have one row per run


class Answer(NamedTuple):
    """What a query returns when a value is not all: the factor `unit` of its release (one per run), and its
    secret memory.
    """

    value: Array
    unit: Array | None = None
    memory: Any = None


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
    is `Subsampled`, it
      gets the secret batch as third argument; if the algorithm has `memory`, it gets that last and returns
      the new one.
    - `release(t)`: what step t = 1..steps publishes; must not depend on data.
    - `update(state, released)`: post-processing; no data in reach.

    Optional: `load(data)` checks the data once and precomputes; `coins(state, rng)` refreshes the public
    state with public randomness before a query (a permutation, an index drawn for the output); `memory(data,
    runs)` starts what the query keeps to itself between steps (node sums of a tree); `output(state)` is the
    (runs, d) iterate that is judged.
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

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"Expected steps={self.steps} >= 1.")

    def ask(
        self, data: Data, state: State, release: Release, *, batch: Array | None = None, memory: Any = None
    ) -> Answer:
        """The query of the step with that release as an `Answer`, whichever arguments this algorithm's query
        takes.
        """
        arguments = [self.load(data), state]
        if isinstance(release, Subsampled):
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


@dataclass(frozen=True)
class Example:
    """A small ready instance of an algorithm: what to run it on, what is claimed of it, and the paper's
    bound, if any.

    `claimed` is the guarantee that the calibration in use promises under `adjacency`; `measure(x)` (runs,) is
    the quantity that `bound` bounds in the mean, named by `quantity`: at the last iterate, or with
    `best_step` at the one where its mean is least. `limit` names the method that it is without noise, with
    its settings (those of `properties.limits`); `forms()` gives pairs of algorithms that must do the same,
    under the reason why.
    """

    algorithm: Algorithm
    paper: str
    problem: Problem
    data: Data
    adjacency: Adjacency
    claimed: Guarantee
    bound: float | None = None
    bound_source: str = ""
    quantity: str = "E F(x) - F*"
    measure: Callable[[Array], Array] | None = None
    best_step: bool = False
    note: str = ""
    limit: tuple[str, dict[str, Any]] | None = None
    forms: Callable[[], dict[str, tuple[Algorithm, Algorithm]]] | None = None

    def measured(self, x: Array) -> Array:
        """The quantity that the bound is about, one per run; the excess of F unless the example says
        otherwise.
        """
        return (
            self.problem.excess(x, self.problem.load(self.data)) if self.measure is None else self.measure(x)
        )


def _module(name: str) -> Any:
    known = {info.name for info in pkgutil.iter_modules(__path__)}
    key = name.replace("-", "_")
    module = importlib.import_module(f"{__name__}.{key}") if key in known else None
    if module is None or not hasattr(module, "example"):
        raise ValueError(
            f"Expected the name of an algorithm, got name={name!r}; there are {', '.join(names())}."
        )
    return module


def names() -> list[str]:
    """The names of all algorithms.

    >>> "private-gd" in names()
    True
    """
    modules = sorted(info.name for info in pkgutil.iter_modules(__path__))
    return [
        name.replace("_", "-")
        for name in modules
        if hasattr(importlib.import_module(f"{__name__}.{name}"), "example")
    ]


def example(name: str, *, as_printed: bool = False, **settings: Any) -> Example:
    """A small instance of the algorithm of that name, calibrated by the accountant, or with the paper's
    printed constants.

    The instance is made once and shared: treat its data as read-only.

    >>> example("private-gd").algorithm.name
    'private-gd'
    """
    return _example(name.replace("_", "-"), as_printed, tuple(sorted(settings.items())))


@cache
def _example(name: str, as_printed: bool, settings: tuple[tuple[str, Any], ...]) -> Example:
    return _module(name).example(as_printed=as_printed, **dict(settings))
