"""Mechanisms in another form: written down and read back, run by run, without a tape."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from dpverify.auditing.sampling import Mechanism, call, name_of, takes
from dpverify.auditing.tape import Tape
from dpverify.neighbours import Data, Neighbours


def pickled(mechanism: Mechanism) -> bytes | None:
    """The mechanism with its state, if it can be written down."""
    import cloudpickle

    try:
        return cloudpickle.dumps(mechanism)
    except Exception:
        return None


def restored(untouched: bytes, neighbours: Neighbours) -> Mechanism | None:
    """The mechanism that was written down, if a copy of it runs on both data sets: what refers to more than
    it holds (hooks, registries) may not.
    """
    import cloudpickle

    with _optimizers_left_alone():
        try:
            for data in (neighbours.data, neighbours.other):
                call(cloudpickle.loads(untouched), data, np.random.SeedSequence(0), 1)
        except Exception:
            return None
        mechanism: Mechanism = cloudpickle.loads(untouched)
    return mechanism


@contextmanager
def _optimizers_left_alone() -> Iterator[None]:
    """PyTorch wraps `step` in the class of every optimizer that is read back. Optimizers of Opacus, which do
    not call Optimizer.__init__, raise from then on, the one under audit too: afterwards classes are as they
    were.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return

    def below(kind: Any) -> Iterator[Any]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    before = {kind: vars(kind).get("step") for kind in below(torch.optim.Optimizer)}
    try:
        yield
    finally:
        for kind, step in before.items():
            if step is not None:
                kind.step = step
            elif "step" in vars(kind):
                del kind.step


def expect_picklable(mechanism: Mechanism, workers: int) -> None:
    import cloudpickle

    try:
        cloudpickle.dumps(mechanism)
    except Exception as error:
        raise ValueError(
            f"Expected mechanism={name_of(mechanism)} to be something that can be pickled, with "
            f"workers={workers}: {error}"
        ) from error


def run_by_run(mechanism: Mechanism) -> Mechanism:
    """A batched mechanism as a plain one, so that a run that raises is one outcome.

    >>> run_by_run(lambda data, rng, runs: np.ones((runs, 2)))(None, None).tolist()
    [1.0, 1.0]
    """
    taped = takes(mechanism, "tape")

    def single(data: Data, rng: np.random.Generator) -> Any:
        output = mechanism(data, rng, runs=1, tape=Tape()) if taped else mechanism(data, rng, runs=1)
        return output[0] if isinstance(output, np.ndarray | list) else output

    single.__qualname__ = single.__name__ = name_of(mechanism)
    return single


def untaped(mechanism: Mechanism) -> Mechanism:
    """A plain mechanism that needs no tape."""
    return partial(mechanism, tape=Tape()) if takes(mechanism, "tape") else mechanism
