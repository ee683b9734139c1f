"""An accountant as functions: what laws ask of somebody's bookkeeping of epsilon and delta."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpverify.accounting.bounds import Steps

Ledger = tuple[Steps, ...]
Epsilon = Callable[[Ledger, float], float]


class Training(NamedTuple):
    """How a training is set up: records, batch, epochs, batches in memory at once, backward passes a step,
    Poisson batches or shuffled ones.

    >>> str(Training(12, 4, 2, poisson=False))
    '12 records, batch size 4, 2 epochs, shuffled'
    """

    records: int
    batch: int
    epochs: int
    physical: int | None = None
    passes: int = 1
    poisson: bool = True
    drop_last: bool = False

    def __str__(self) -> str:
        extras = [f"at most {self.physical} in memory"] * (self.physical is not None) + [
            f"{self.passes} passes a step"
        ] * (self.passes > 1)
        kind = ["Poisson" if self.poisson else "shuffled"] + ["last dropped"] * self.drop_last
        return ", ".join(
            [f"{self.records} records", f"batch size {self.batch}", f"{self.epochs} epochs", *kind, *extras]
        )


class Recorded(NamedTuple):
    """What the hooks recorded, and the records that went into each noisy step."""

    history: list[Steps]
    batches: Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class Accountant:
    """An accountant as functions: epsilon of steps at a delta, and whatever else it offers; None where it
    does not.

    `epsilon` takes the steps in one call (equal ones together) and `singly` one by one; `mixed` says whether
    they may differ. `laplace` and `response` are (scale or chance of the truth, times, delta) -> epsilon.
    `users` is (steps, records of a user, delta) -> epsilon when all records of a user come or go.
    `replaced` is `epsilon` when a record is replaced, `exchange` its exact profile (epsilon, rate, noise) ->
    delta for one step. `noise` is (epsilon, delta, rate, times) -> noise multiplier, chosen up to
    `tolerance` in epsilon. `recorded` trains and says what was recorded; `epochs` is (epsilon, delta,
    batches, epochs) -> what was recorded after training at the noise that was chosen for them.
    """

    epsilon: Epsilon
    said_by: str
    relation: str = "add/remove"
    mixed: bool = True
    singly: Epsilon | None = None
    laplace: Callable[[float, int, float], float] | None = None
    response: Callable[[float, int, float], float] | None = None
    users: Callable[[Ledger, int, float], float] | None = None
    replaced: Epsilon | None = None
    exchange: Callable[[float, float, float], float] | None = None
    noise: Callable[[float, float, float, int], float] | None = None
    recorded: Callable[[Training, int], Recorded] | None = None
    epochs: Callable[[float, float, int, int], list[Steps]] | None = None
    tolerance: float = 0.0  # in epsilon, that the library documents for the noise it chooses
    full: bool = False  # the large grid


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings, neither printed nor logged.

    >>> with quiet():
    ...     warnings.warn("not heard")
    """
    before = logging.root.manager.disable
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(before)
