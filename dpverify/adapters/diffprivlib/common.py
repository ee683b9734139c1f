"""diffprivlib (IBM): what the targets of its mechanisms, tools and models share.

    repeated(one)(data, rng, runs) = [one(data, state) for each run],    state a RandomState that draws from
    rng

Its claims are pure epsilon-DP, or (epsilon, delta)-DP where it takes a delta. It does not name a neighbouring
relation; each target says which one its sensitivities are those of. Whatever prevents an output is raised,
and a target that is about that publishes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from dpverify.adapters import Target
from dpverify.guarantees import ApproxDP, PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import Verdict

INSTALL = 'pip install ".[sklearn]"'
PACKAGES = ("diffprivlib", "scikit-learn")


def repeated(one: Callable[[Any, np.random.RandomState], Any], name: str) -> Callable[..., Any]:
    """The batched form of something that runs once: the library takes no batch, so this is a loop.

    >>> repeated(lambda data, state: data.sum() + state.random_sample(), "sum")(np.ones(2),
    ...     np.random.default_rng(0), 3).shape
    (3, 1)
    """

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        state = np.random.RandomState(rng.bit_generator)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return np.array([np.ravel(one(data, state)) for _ in range(runs)], dtype=float)

    run.__qualname__ = name
    return run


@contextmanager
def watched() -> Iterator[list[tuple[str, float]]]:
    """The name and the epsilon of every mechanism of the library that is called meanwhile; what a mechanism
    calls itself is part of it.
    """
    from diffprivlib import mechanisms

    base = mechanisms.DPMechanism
    every = [kind for kind in vars(mechanisms).values() if isinstance(kind, type)]
    kinds: list[Any] = [kind for kind in every if issubclass(kind, base)]
    called: list[tuple[str, float]] = []
    originals = {kind: vars(kind)["randomise"] for kind in kinds if "randomise" in vars(kind)}

    def watch(original: Callable[..., Any]) -> Callable[..., Any]:
        def randomise(self: Any, value: Any = None) -> Any:  # those that choose have no value
            before = list(called)
            output = original(self, value)
            called[:] = [*before, (type(self).__name__, float(self.epsilon))]
            return output

        return randomise

    for kind, original in originals.items():
        kind.randomise = watch(original)
    try:
        yield called
    finally:
        for kind, original in originals.items():
            kind.randomise = original


def calls(one: Callable[[Any, np.random.RandomState], Any]) -> Callable[[Any], list[tuple[str, float]]]:
    """With which epsilons the mechanisms of the library are called when something runs once on some data."""

    def spent(data: Any) -> list[tuple[str, float]]:
        with watched() as called, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            one(data, np.random.RandomState(0))
        return list(called)

    return spent


def guarantee(epsilon: float, delta: float = 0.0) -> PureDP | ApproxDP:
    """What is claimed with these parameters.

    >>> guarantee(1.0), guarantee(1.0, 0.1)
    (PureDP(epsilon=1.0), ApproxDP(epsilon=1.0, delta=0.1))
    """
    return ApproxDP(epsilon, delta) if delta else PureDP(epsilon)


def target(name: str, about: str, claims: str, build: Callable[..., Subject], **expect: Verdict) -> Target:
    """A target of this library; `expect` are the verdicts that are not the usual ones."""
    return Target(f"diffprivlib:{name}", about, claims, build, PACKAGES, INSTALL, expect)


def slow(name: str, about: str, claims: str, build: Callable[..., Subject], **expect: Verdict) -> Target:
    """A target whose witness is small already and takes long: it is left as it is."""

    @wraps(build)
    def as_it_is(**settings: Any) -> Subject:
        return replace(build(**settings), shrinks=False)

    return target(name, about, claims, as_it_is, **expect)


def make(name: str, **settings: Any) -> Any:
    """A mechanism of the library by name."""
    from diffprivlib import mechanisms

    return getattr(mechanisms, name)(**settings)


def one_value(data: Any) -> Any:
    """The value of the only record."""
    values = np.asarray(data).ravel()
    if values.size != 1:
        raise ValueError(f"Expected one value, got {values.size}.")
    return values[0].item()


def keeper(name: str) -> Callable[..., Any]:
    """Makes a mechanism and keeps it as long as it is asked for with the same state and settings."""
    kept: list[Any] = []

    def built(state: np.random.RandomState, **settings: Any) -> Any:
        if not kept or kept[0] is not state or kept[1] != settings:
            kept[:] = [state, settings, make(name, random_state=state, **settings)]
        return kept[2]

    return built


def mechanism_subject(name: str, one: Callable[..., Any], claim: Any, pair: Neighbours, runs: int) -> Subject:
    """What is looked at where one mechanism of that name is all that is run."""
    return Subject(
        repeated(one, name),
        claim,
        pair,
        f"the docstring of diffprivlib.mechanisms.{name}",
        runs=runs,
        any_number=True,
        any_record=False,
    )
