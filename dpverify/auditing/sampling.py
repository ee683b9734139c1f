"""What is audited, and what may be spent on it.

A mechanism is any callable `(data, rng) -> numbers`. One that has a parameter named `runs` is called in
batched form, `(data, rng, runs) -> array whose first axis counts the runs`. One that has a parameter named
`tape` may declare its releases (see `dpverify.auditing.tape`).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpverify.auditing.leaves import NotAnOutcome
from dpverify.auditing.outcomes import plain, plain_batch
from dpverify.auditing.tape import Tape
from dpverify.neighbours import Data

Mechanism = Callable[..., Any]


class MechanismError(ValueError):
    """The mechanism cannot be audited: it raised, or returned what is no outcome; names the seed, and keeps
    the data set on which it did, where that is known.
    """

    def __init__(self, message: str, data: Data | None = None) -> None:
        super().__init__(message)
        self.data = data


class NotANumber(MechanismError):
    """The mechanism returned NaN where numbers are compared."""


@dataclass(frozen=True)
class Budget:
    """What an audit may spend: runs on each of the two data sets, the probability of a false refutation,
    time, and the seed.

    `workers` processes draw (joblib); the result does not depend on it. `chunks` names a folder in which
    finished chunks are kept, so that a killed audit resumes where it was, and one with more runs begins with
    those. `seconds` is about how long it may draw; a call that takes longer than `call_seconds` is stopped,
    and counts as an outcome.

    >>> Budget(runs=1000).alpha
    0.001
    """

    runs: int = 100_000
    alpha: float = 1e-3
    seed: int = 0
    workers: int = 1
    chunks: str | None = None
    seconds: float | None = None
    call_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("runs", "seed", "workers"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise TypeError(f"Expected {name}={value!r} to be a whole number.")
        if not isinstance(self.chunks, str | os.PathLike | None):
            raise TypeError(f"Expected chunks={self.chunks!r} to be the name of a folder.")
        if self.chunks is not None and os.path.exists(self.chunks) and not os.path.isdir(self.chunks):
            raise ValueError(f"Expected chunks={str(self.chunks)!r} to be a folder.")
        for name in ("alpha", "seconds", "call_seconds"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number | None):
                raise TypeError(f"Expected {name}={value!r} to be a number.")
        if self.runs < 2:
            raise ValueError(f"Expected runs={self.runs} >= 2.")
        if self.seed < 0:
            raise ValueError(f"Expected seed={self.seed} >= 0.")
        if not 0 < self.alpha < 1:
            raise ValueError(f"Expected alpha={self.alpha} in (0, 1).")
        if self.workers < 1:
            raise ValueError(f"Expected workers={self.workers} >= 1.")
        for name in ("seconds", "call_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"Expected {name}={value} > 0.")


@lru_cache(maxsize=256)
def _parameters(mechanism: Mechanism) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(mechanism).parameters)
    except (TypeError, ValueError):
        return frozenset()


def check_signature(mechanism: Mechanism) -> None:
    """Refuses a callable that does not take data and a generator, where its parameters can be told.

    >>> check_signature(lambda data: data.sum())
    Traceback (most recent call last):
    TypeError: Expected mechanism=<lambda> to be called as (data, rng), got (data).
    """
    try:
        signature = inspect.signature(mechanism)
    except (TypeError, ValueError):
        return
    extra = {name: None for name in ("runs", "tape") if name in signature.parameters}
    try:
        signature.bind(None, None, **extra)
    except TypeError:
        name = name_of(mechanism)
        raise TypeError(f"Expected mechanism={name} to be called as (data, rng), got {signature}.") from None


def takes(mechanism: Mechanism, name: str) -> bool:
    """Whether the mechanism has a parameter of that name.

    >>> takes(lambda data, rng, tape: None, "tape")
    True
    """
    try:
        return name in _parameters(mechanism)
    except TypeError:  # a callable that cannot be hashed
        return name in inspect.signature(mechanism).parameters


def batched(mechanism: Mechanism) -> bool:
    """Whether the mechanism offers the batched form.

    >>> batched(lambda data, rng, runs: None), batched(lambda data, rng: None)
    (True, False)
    """
    return takes(mechanism, "runs")


def name_of(mechanism: Mechanism) -> str:
    """A readable name of a callable; of one that is made in a function, its own name.

    >>> name_of(batched)
    'batched'
    """
    qualified = getattr(mechanism, "__qualname__", None) or getattr(mechanism, "name", None)
    return str(qualified or type(mechanism).__name__).rpartition("<locals>.")[2]


def ends_a_run(error: BaseException) -> bool:
    """Whether an exception is what a run ends with (SystemExit too, and what asyncio cancels with), not what
    ends the audit: Ctrl-C, or the end of a test.

    >>> ends_a_run(SystemExit(0)), ends_a_run(KeyboardInterrupt())
    (True, False)
    """
    return not (isinstance(error, KeyboardInterrupt) or type(error).__module__.startswith("_pytest"))


def call(
    mechanism: Mechanism,
    data: Data,
    seed: np.random.SeedSequence,
    runs: int | None = None,
    tape: Tape | None = None,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """One call, as an array of the numbers in its output, of shape (runs, k); errors name the seed. `rng`, if
    given, is a generator of that seed to be looked at after.

    >>> call(lambda data, rng: data.sum() + rng.normal(), np.ones(3), np.random.SeedSequence(0)).shape
    (1, 1)
    """
    extra: dict[str, Any] = {}
    if batched(mechanism):
        extra["runs"] = 1 if runs is None else runs
    if takes(mechanism, "tape"):
        extra["tape"] = Tape() if tape is None else tape
    where = f"mechanism {name_of(mechanism)} at SeedSequence({seed.entropy}, spawn_key={seed.spawn_key})"
    try:
        output = mechanism(data, np.random.default_rng(seed) if rng is None else rng, **extra)
    except BaseException as error:
        if not ends_a_run(error):
            raise
        raise MechanismError(f"{where} raised {type(error).__name__}: {error}", data) from error
    try:
        values = (plain_batch(output, extra["runs"]) if batched(mechanism) else plain([output])).numbers
    except NotAnOutcome as error:
        raise MechanismError(f"{where} {error}.", data) from None
    if np.isnan(values).any():
        raise NotANumber(f"{where} returned NaN.", data)
    return values
