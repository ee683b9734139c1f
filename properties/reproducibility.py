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

from .laws import NotApplicable, Outcome, Subject, broken, held, law, same

Array = np.ndarray[Any, Any]


def in_small_blocks(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with an output so wide that a block has few runs, and few runs make many blocks."""

    def output(state: Any) -> Array:
        x = algorithm.output(state)
        return np.repeat(x, -(-2048 // x.shape[1]), axis=1)

    return replace(algorithm, output=output)


@law("mechanism", "data")
def seeds(subject: Subject, seed: int) -> Outcome:
    """The same seed gives the same releases and outputs, bit for bit, whatever was run before, for every size
    of chunk and number of workers.
    """
    if subject.algorithm is None:
        # Outputs come again by chance where nearly all are one value: thirty of which that holds are too few.
        for number in (30, 300):
            chosen = list(range(seed, seed + number))
            first, again = _outputs(subject, chosen), _outputs(subject, chosen)
            if not same(first, again):
                then = "one seed gives two outputs: it does not take its randomness from rng"
                return broken(then, {"mechanism": subject.name, "seed": str(seed)})
            if 2 * sum(same(first[0], output) for output in first) < number:
                break
        return held("One seed gives one output, twice.", "another output at the same seed", samples=number)
    algorithm = in_small_blocks(subject.algorithm)
    runs = 2 * block_size(algorithm) + 3
    keep = ("output", "releases")
    whole = run(algorithm, subject.data, runs, seed=seed + 6, keep=keep)
    for options in ({"chunk": 1}, {"chunk": 10 * runs}, {"workers": 2}):
        again = run(algorithm, subject.data, runs, seed=seed + 6, keep=keep, **options)
        if not same((whole.output, whole.releases), (again.output, again.releases)):
            return broken(f"it changes with {options}", {"algorithm": subject.name, "runs": str(runs)})
    return held(
        f"{runs} runs are the same in any chunks and with two workers.", "any other bit", samples=runs
    )


def _outputs(subject: Subject, chosen: list[int]) -> list[Any]:
    from dpverify.auditing.sampling import call

    return [call(subject.mechanism, subject.data, np.random.SeedSequence(s), 1) for s in chosen]


@law("mechanism", "data")
def fresh(subject: Subject, seed: int) -> Outcome:
    """No two runs share their noise: not within a block, not between blocks, not between seeds."""
    if subject.algorithm is None:
        # Of few values, a dozen may be equal by chance; a fixed seed makes all of a hundred equal.
        first, *others = _outputs(subject, list(range(seed, seed + 12)))
        if all(same(first, other) for other in others):
            others = _outputs(subject, list(range(seed, seed + 100)))
        if all(same(first, other) for other in others):
            then = "a hundred seeds give the same output: its noise is fixed"
            return broken(then, {"mechanism": subject.name, "seeds": f"{seed} to {seed + 99}"})
        return held("Different seeds give different outputs.", "noise that is fixed", samples=len(others))
    algorithm = in_small_blocks(subject.algorithm)
    runs = 2 * block_size(algorithm)
    seen: dict[bytes, tuple[int, int]] = {}
    for one in (seed + 7, seed + 8):
        releases = run(algorithm, subject.data, runs, seed=one, keep=("releases",)).releases
        assert releases is not None
        for row in range(runs):
            key = np.concatenate([part[row].ravel() for part in releases]).tobytes()
            if key in seen:
                then = f"run {row} of seed {one} repeats run {seen[key][1]} of seed {seen[key][0]}"
                return broken(then, {"algorithm": subject.name})
            seen[key] = (one, row)
    return held(f"{len(seen)} runs of two seeds are all different.", "two that are equal", samples=len(seen))


@law("algorithm", "data")
def rows(subject: Subject, seed: int) -> Outcome:
    """A run is a function of its own row: taken alone, with its own state, batch and release, it does what it
    did among others.
    """
    algorithm: Any = subject.algorithm
    if algorithm.memory is not None:
        return NotApplicable("a secret memory cannot be cut into rows from outside")
    for step in walk(algorithm, subject.data, 3, np.random.default_rng(seed)):
        if not isinstance(step, Step):
            break
        state, batch = _row(step.state, 1), None if step.batch is None else step.batch[1:2]
        let = {"algorithm": subject.name, "step": str(step.t)}
        alone = algorithm.ask(subject.data, state, step.release, batch=batch)
        if not same(alone.value, step.answer.value[1:2], 1e-9):
            return broken("a run's query depends on other runs", let)
        update = algorithm.update(state, step.released[1:2])
        among = _row(algorithm.update(step.state, step.released), 1)
        if not same(tuple(update), tuple(among), 1e-9):
            return broken("a run's update depends on other runs", let)
    return held(
        f"{algorithm.steps} steps of one run alone are those among three.", "a gap of 1e-9", samples=3
    )


def _row(state: Any, k: int) -> Any:
    """The state of run k alone; what is not an array with one row per run stays."""
    changes = {
        name: value[k : k + 1]
        for name, value in state._asdict().items()
        if isinstance(value, np.ndarray) and value.ndim > 0
    }
    return state._replace(**changes)


@law("algorithm", "data")
def pure(subject: Subject, seed: int) -> Outcome:
    """init, query, release and update give the same again for the same arguments, and leave their arguments
    as they were.
    """
    algorithm: Any = subject.algorithm
    if not same(algorithm.init(2), algorithm.init(2)):
        return broken("init gives two different starts", {"algorithm": subject.name})
    memory = algorithm.memory(algorithm.load(subject.data), 2) if algorithm.memory is not None else None
    every = max(1, algorithm.steps // 16)  # of many steps, sixteen are looked at
    for step in walk(algorithm, subject.data, 2, np.random.default_rng(seed)):
        if not isinstance(step, Step):
            break

        def ask(step: Step = step, memory: Any = memory) -> Any:
            return algorithm.ask(subject.data, step.state, step.release, batch=step.batch, memory=memory)

        if step.t % every:
            memory = ask().memory
            continue
        before = copy.deepcopy((tuple(step.state), step.released, memory))
        answers = [ask(), ask()]
        updates = [algorithm.update(step.state, step.released) for _ in range(2)]
        let = {"algorithm": subject.name, "step": str(step.t)}
        if not same(answers[0], answers[1]):
            return broken("the query answers differently when asked again", let)
        if not same(tuple(updates[0]), tuple(updates[1])):
            return broken("the update moves differently when repeated", let)
        if repr(algorithm.release(step.t)) != repr(step.release):
            return broken("the release changes when read again", let)
        if not same(before, (tuple(step.state), step.released, memory)):
            return broken("a function changed its arguments", let)
        memory = answers[0].memory
    return held(
        "Asked again, every function says the same.", "any other answer, or a changed argument", samples=2
    )
