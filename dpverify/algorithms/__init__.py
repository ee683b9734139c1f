"""The algorithms of the papers, one file each.

A module of this package that has a function `example` is an algorithm: it is found by its name, without a
second edit.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from dpverify.bounds import Bound, Printed
from dpverify.engine import Algorithm
from dpverify.guarantees import Guarantee
from dpverify.moments import Moments, NotAffine, exact_moments
from dpverify.montecarlo import Runs, run
from dpverify.neighbours import Adjacency, Data
from dpverify.problems import Problem
from dpverify.suggestions import did_you_mean

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Example:
    """A ready instance of an algorithm: what to run it on, what is claimed of it, and the bound that is
    proved of it, if any.

    `claimed` is the guarantee that the calibration in use promises under `adjacency`; `measure(x)` (runs,) is
    the quantity that `bound` bounds in the mean, named by `quantity`: at the output, or with `weights` on
    average over the iterates, the start first. `printed` is what the paper prints where no claim proves it.
    `limit` names the method that it is without noise, with its settings (those of `properties.limits`);
    `forms()` gives pairs of algorithms that must do the same, under the reason why.
    """

    algorithm: Algorithm
    paper: str
    problem: Problem
    data: Data
    adjacency: Adjacency
    claimed: Guarantee
    bound: Bound | None = None
    printed: Printed | None = None
    quantity: str = "E F(x) - F*"
    measure: Callable[[Array], Array] | None = None
    weights: tuple[float, ...] | None = None
    no_bound: str = ""  # why no bound is proved for it
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

    def simulate(self, runs: int, seed: int = 0, **settings: Any) -> Runs:
        """Runs that measure what the bound is about.

        >>> example("private-gd").simulate(10).values["E F(x) - F*"].shape
        (10,)
        """
        measure = {self.quantity: self.measured}
        return run(
            self.algorithm, self.data, runs, seed, measure=measure, weights=self.weights, keep=(), **settings
        )

    def exceeds(self, mean: float) -> bool:
        """Whether a mean is above the bound by more than rounding: that of F, where F(x) - F* is a
        difference. A bound that is reached is kept.
        """
        if self.bound is None:
            return False
        difference = self.measure is None and self.problem.hessian(self.data) is None
        rounding = 1e-14 * abs(self.problem.optimum(self.data)[1]) if difference else 0.0
        return mean > self.bound.value * (1 + 1e-9) + rounding

    def exact_mean(self) -> float | None:
        """E F(x) - F* of the last iterate by the exact recursion, where the algorithm is affine on a
        quadratic; else None.
        """
        moments = self._moments
        return None if moments is None else float(moments.expected_excess(self.problem, self.data)[-1])

    def influence(self) -> Array | None:
        """What a unit of variance in the noise of each step adds to E F(x) of the last iterate, where the
        exact recursion gives that; else None.

        >>> example("private-gd").influence().shape
        (20,)
        """
        moments = self._moments
        return None if moments is None else moments.influence(self.problem, self.data)

    @cached_property
    def _moments(self) -> Moments | None:
        if self.measure is not None or self.weights is not None or self.problem.hessian(self.data) is None:
            return None
        try:
            return exact_moments(self.algorithm, self.data)
        except NotAffine:
            return None


def _module(name: str) -> Any:
    known = {info.name for info in pkgutil.iter_modules(__path__)}
    key = name.replace("-", "_")
    module = importlib.import_module(f"{__name__}.{key}") if key in known else None
    if module is None or not hasattr(module, "example"):
        raise ValueError(
            f"Expected the name of an algorithm, got name={name!r}; there are {', '.join(names())}."
            f"{did_you_mean(name, names())}"
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
    """An instance of the algorithm of that name, calibrated by the accountant, or to the letter of its paper.

    Settings are keywords of the algorithm's own `example`: `steps`, `batch`, `clip`, `step_size`, `schedule`,
    `target` (a guarantee), `adjacency`, `case` (a problem and its data), as far as it has them. The instance
    is made once and shared: treat its data as read-only.

    >>> example("private-gd").algorithm.name
    'private-gd'
    >>> example("private-gd", steps=5).algorithm.steps
    5
    """
    known = settings_of(name)
    for setting, value in settings.items():
        if setting not in known:
            raise ValueError(
                f"Expected settings of {name} among {', '.join(sorted(known))}, got {setting}={value!r}."
            )
    check_settings(settings)
    if settings.get("case") is None:
        return _example(name.replace("_", "-"), as_printed, tuple(sorted(settings.items())))
    return _kept_to(_module(name).example(as_printed=as_printed, **settings))


def _kept_to(made: Example) -> Example:
    """The example without its bounds where the records do not keep to the constants of the problem."""
    from dpverify.parts.bounding import contradicted

    wrong = contradicted(made.problem, made.data) if made.bound or made.printed else ""
    if not wrong:
        return made
    return replace(made, bound=None, printed=None, no_bound=wrong)


def check_settings(settings: dict[str, Any]) -> None:
    """Refuses a setting that no algorithm has a use for: steps, batches and clients below 1, clips and step
    sizes that are not positive numbers, a momentum outside [0, 1), a share u of 1 or less.

    >>> check_settings({"batch": 0})
    Traceback (most recent call last):
    ...
    ValueError: Expected batch=0 >= 1.
    """
    for name, value in settings.items():
        if (
            name
            in ("steps", "batch", "clients", "rounds", "restart", "local", "epochs", "count", "dimension")
            and value is not None
        ):
            if not (isinstance(value, int) and value >= 1):
                raise ValueError(f"Expected {name}={value} >= 1.")
        elif name in ("clip", "step_size") and value is not None and not 0 < value < np.inf:
            raise ValueError(f"Expected {name}={value} > 0.")
        elif name == "beta" and value is not None and not 0 <= value < 1:
            raise ValueError(f"Expected 0 <= beta={value} < 1.")
        elif name == "u" and not 1 < value < np.inf:
            raise ValueError(f"Expected u={value} > 1, so that the differences have a part of the budget.")


def settings_of(name: str) -> set[str]:
    """The settings that the algorithm of that name has.

    >>> "schedule" in settings_of("private-gd")
    True
    """
    return set(inspect.signature(_module(name).example).parameters) - {"as_printed"}


@cache
def _example(name: str, as_printed: bool, settings: tuple[tuple[str, Any], ...]) -> Example:
    return _module(name).example(as_printed=as_printed, **dict(settings))
