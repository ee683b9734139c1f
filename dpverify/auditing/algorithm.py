"""An algorithm of this project as a mechanism: its transcript, its last iterate, or the exact privacy loss of
its transcript.

    loss(transcript) = log density of the transcript on D - log density on D',   by replaying `query` at the
    same states

The loss is a function of what was released, so an audit of it is an audit of the whole transcript with the
best score there is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpverify.auditing.tape import Tape
from dpverify.engine import Algorithm, Step, walk
from dpverify.neighbours import Data, Neighbours


def as_mechanism(algorithm: Algorithm, shows: str = "output") -> Any:
    """The algorithm in batched form with a tape; `shows` is "output" (the last iterate) or "transcript"
    (every release).

    >>> from dpverify.algorithms import example
    >>> case = example("private-gd")
    >>> as_mechanism(case.algorithm)(case.data, np.random.default_rng(0), runs=3, tape=Tape()).shape[0]
    3
    """
    if shows not in ("output", "transcript"):
        raise ValueError(f"Expected shows={shows!r} to be 'output' or 'transcript'.")

    def mechanism(data: Data, rng: np.random.Generator, runs: int, tape: Tape) -> np.ndarray:
        shown = []
        state: Any = None
        for step in walk(algorithm, data, runs, rng, record=tape.record):
            if isinstance(step, Step):
                shown.append(step.released.reshape(runs, -1))
            else:
                state = step
        return np.concatenate(shown, axis=1) if shows == "transcript" else algorithm.output(state)

    mechanism.__qualname__ = mechanism.__name__ = algorithm.name
    return mechanism


def loss_mechanism(algorithm: Algorithm, pair: Neighbours) -> Any:
    """The exact loss of a transcript as a mechanism: on `pair.data` and `pair.other`, and on nothing else."""
    from dpverify.losses import block_losses

    data, other = algorithm.load(pair.data), algorithm.load(pair.other)

    def mechanism(given: Data, rng: np.random.Generator, runs: int) -> np.ndarray:
        if given is pair.data:
            return block_losses(algorithm, data, other, runs, rng)[:, None]
        if given is pair.other:
            return -block_losses(algorithm, other, data, runs, rng)[:, None]
        raise ValueError("Expected one of the two data sets of the pair that the loss was built for.")

    mechanism.__qualname__ = mechanism.__name__ = f"exact loss of {algorithm.name}"
    return mechanism
