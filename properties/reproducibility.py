"""Laws of reproducibility: the same seed gives the same runs, however they are cut up; functions are pure;
runs are their own.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from dpverify.engine import Algorithm, Step, walk
from dpverify.montecarlo import block_size, run

from .laws import NotApplicable, Subject, law, same

Array = np.ndarray[Any, Any]


def in_small_blocks(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with an output so wide that a block has few runs, and few runs make many blocks."""

    def output(state: Any) -> Array:
        x = algorithm.output(state)
        return np.repeat(x, -(-2048 // x.shape[1]), axis=1)

    return replace(algorithm, output=output)


@law()
def the_same_seed_gives_the_same_transcripts(about: Subject) -> None:
    """The same seed gives the same releases and outputs, bit for bit, for every size of chunk and number of
    workers.
    """
    if about.algorithm is None:
        a, b = _twice(about, 0, 0)
        assert same(a, b), (
            f"{about.name} gives two outputs for one seed: it does not take its randomness from rng"
        )
        return
    algorithm = in_small_blocks(about.algorithm)
    runs = 2 * block_size(algorithm) + 3
    keep = ("output", "releases")
    whole = run(algorithm, about.data, runs, seed=6, keep=keep)
    for options in ({"chunk": 1}, {"chunk": 10 * runs}, {"workers": 2}):
        again = run(algorithm, about.data, runs, seed=6, keep=keep, **options)
        assert same((whole.output, whole.releases), (again.output, again.releases)), (
            f"{about.name} changes with {options}"
        )


def _twice(about: Subject, first: int, second: int) -> tuple[Any, Any]:
    from dpverify.auditing.sampling import call

    assert about.mechanism is not None
    one, two = (
        call(about.mechanism, about.data, np.random.SeedSequence(seed), 1) for seed in (first, second)
    )
    return one, two


@law()
def other_seeds_and_other_runs_differ(about: Subject) -> None:
    """No two runs share their noise: not within a block, not between blocks, not between seeds."""
    if about.algorithm is None:
        a, b = _twice(about, 0, 1)
        assert not same(a, b), f"{about.name} gives the same output for two seeds: its noise is fixed"
        return
    algorithm = in_small_blocks(about.algorithm)
    runs = 2 * block_size(algorithm)
    seen: dict[bytes, tuple[int, int]] = {}
    for seed in (7, 8):
        releases = run(algorithm, about.data, runs, seed=seed, keep=("releases",)).releases
        assert releases is not None
        for row in range(runs):
            key = np.concatenate([part[row].ravel() for part in releases]).tobytes()
            assert key not in seen, (
                f"{about.name}: run {row} of seed {seed} repeats run {seen[key][1]} of seed {seen[key][0]}"
            )
            seen[key] = (seed, row)


@law()
def runs_do_not_meet(about: Subject) -> None:
    """A run is a function of its own row: taken alone, with its own state, batch and release, it does what it
    did among others.
    """
    algorithm = about.needs_algorithm()
    if algorithm.memory is not None:
        raise NotApplicable("a secret memory cannot be cut into rows from outside")
    for step in walk(algorithm, about.data, 3, np.random.default_rng(9)):
        if not isinstance(step, Step):
            break
        state, batch = _row(step.state, 1), None if step.batch is None else step.batch[1:2]
        alone = algorithm.ask(about.data, state, step.release, batch=batch)
        assert same(alone.value, step.answer.value[1:2], 1e-9), (
            f"step {step.t} of {about.name}: a run's query depends on other runs"
        )
        update = algorithm.update(state, step.released[1:2])
        among = _row(algorithm.update(step.state, step.released), 1)
        assert same(tuple(update), tuple(among), 1e-9), (
            f"step {step.t} of {about.name}: a run's update depends on other runs"
        )


def _row(state: Any, k: int) -> Any:
    """The state of run k alone; what is not an array with one row per run stays."""
    changes = {
        name: value[k : k + 1]
        for name, value in state._asdict().items()
        if isinstance(value, np.ndarray) and value.ndim > 0
    }
    return state._replace(**changes)


@law()
def its_functions_are_pure(about: Subject) -> None:
    """init, query, release and update give the same again for the same arguments, and leave their arguments
    as they were.
    """
    algorithm = about.needs_algorithm()
    assert same(algorithm.init(2), algorithm.init(2)), f"{about.name}: init gives two different starts"
    memory = algorithm.memory(algorithm.load(about.data), 2) if algorithm.memory is not None else None
    every = max(1, algorithm.steps // 16)  # of many steps, sixteen are looked at
    for step in walk(algorithm, about.data, 2, np.random.default_rng(10)):
        if not isinstance(step, Step):
            break
        if step.t % every:
            memory = algorithm.ask(
                about.data, step.state, step.release, batch=step.batch, memory=memory
            ).memory
            continue
        before = copy.deepcopy((tuple(step.state), step.released, memory))
        answers = [
            algorithm.ask(about.data, step.state, step.release, batch=step.batch, memory=memory)
            for _ in range(2)
        ]
        updates = [algorithm.update(step.state, step.released) for _ in range(2)]
        assert same(answers[0], answers[1]), (
            f"step {step.t} of {about.name}: the query answers differently when asked again"
        )
        assert same(tuple(updates[0]), tuple(updates[1])), (
            f"step {step.t} of {about.name}: the update moves differently when repeated"
        )
        assert repr(algorithm.release(step.t)) == repr(step.release), (
            f"step {step.t} of {about.name}: the release changes when read again"
        )
        assert same(before, (tuple(step.state), step.released, memory)), (
            f"step {step.t} of {about.name}: a function changed its arguments"
        )
        memory = answers[0].memory
