"""Other people's optimizers as subjects that carry their own claim, so that one line audits them.

One file or folder per library, found by itself. It defines `TARGETS`, a tuple of `Target`; nothing of the
library is imported before a target is built. `target(**settings)` gives a `Subject`: what it publishes, what
it says of itself, and a pair of neighbours on which that should be tight. Optimizers train on the linear loss
<w, record>, whose gradient is the record itself wherever w is, so that every figure can be checked by hand;
losses of other models are compared record by record (`dpverify.adapters.gradients`).
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from importlib import metadata
from typing import Any

from dpverify.guarantees import ApproxDP, Guarantee, Profile, PureDP
from dpverify.roots import bisect
from dpverify.subjects import Subject
from dpverify.suggestions import did_you_mean
from dpverify.verdicts import Verdict


class NotInstalled(ImportError):
    """The library of a target is missing; the message says what to install."""


@dataclass(frozen=True)
class Target:
    """Something that somebody else wrote: its name, what it claims, how to install it, and how to build it.

    `expect` are the verdicts other than the usual ones that are known for the version tested, by law: a
    change shows. Which laws apply follows from what `build` gives.

    >>> target = Target("mine:sum", "a noisy sum", "1-DP under replace", build=lambda noise=1.0: None)
    >>> target.settings
    {'noise': 1.0}
    """

    name: str
    about: str
    claims: str
    build: Callable[..., Subject]
    packages: tuple[str, ...] = ()
    install: str = ""
    expect: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def family(self) -> str:
        return self.name.partition(":")[0]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings and their defaults, as `build` has them."""
        return {
            name: parameter.default for name, parameter in inspect.signature(self.build).parameters.items()
        }

    @property
    def versions(self) -> dict[str, str | None]:
        """The version of each package, None where it is missing."""
        return {package: _version(package) for package in self.packages}

    @property
    def installed(self) -> bool:
        return None not in self.versions.values()

    @property
    def notes(self) -> str:
        """What its author should know of it: the text of the function that builds it."""
        function = self.build
        while isinstance(function, partial):
            function = function.func
        return inspect.getdoc(function) or ""

    def __call__(self, **settings: Any) -> Subject:
        """The target at these settings; the others are as `settings` says."""
        known = self.settings
        for name in settings:
            if name not in known:
                raise ValueError(
                    f"Expected {name}={settings[name]} among the settings of {self.name}: "
                    f"{', '.join(known) or 'it has none'}."
                )
        if not self.installed:
            missing = ", ".join(name for name, version in self.versions.items() if version is None)
            raise NotInstalled(f"{self.name} needs {missing}: {self.install}")
        subject = replace(self.build(**settings), name=self.name)
        if inspect.isfunction(subject.mechanism):
            # The settings are part of its name in witnesses, and in the names of kept chunks.
            chosen = ", ".join(f"{name}={value}" for name, value in {**known, **settings}.items())
            subject.mechanism.__qualname__ = f"{self.name}({chosen})"
        if "steps" in known:
            return replace(subject, shorter=lambda steps: self(**{**settings, "steps": steps}))
        return subject


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@lru_cache(maxsize=1)
def targets() -> tuple[Target, ...]:
    """Every target, installed or not, by name.

    >>> "opacus:dpsgd" in [target.name for target in targets()]
    True
    """
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    known = [target for module in modules for target in getattr(module, "TARGETS", ())]
    names = [target.name for target in known]
    if len(set(names)) != len(names):
        raise ValueError(
            "Expected different names of targets, got "
            f"{sorted(n for n in set(names) if names.count(n) > 1)} twice."
        )
    return tuple(sorted(known, key=lambda target: target.name))


def select(*patterns: str) -> list[Target]:
    """The targets whose names match one of the patterns (`opacus:*`), all without patterns.

    >>> {target.family for target in select("opacus:*")}
    {'opacus'}
    """
    if not patterns:
        return list(targets())
    for pattern in patterns:
        if not any(fnmatchcase(target.name, pattern) for target in targets()):
            raise KeyError(
                f"Expected {pattern!r} to match a target; `dpverify targets` lists them all."
                f"{did_you_mean(pattern, [target.name for target in targets()])}"
            )
    return [target for target in targets() if any(fnmatchcase(target.name, pattern) for pattern in patterns)]


def positive(**values: float) -> None:
    """Raise unless every value is positive; the message names the first that is not.

    >>> positive(noise=1.0, clip=-1.0)
    Traceback (most recent call last):
    ValueError: Expected clip=-1.0 > 0.
    """
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"Expected {name}={value} > 0.")


def profile_of(epsilon_at: Callable[[float], float], source: str) -> Profile:
    """The whole profile of an accountant that only answers epsilon at a delta: the smallest delta whose
    epsilon is small enough.

    >>> from dpverify.accounting import epsilon
    >>> from dpverify.guarantees import GDP
    >>> abs(profile_of(lambda delta: epsilon(GDP(1.0), delta),
    ...     "mine").delta_at(1.0) - GDP(1.0).delta_at(1.0)) < 1e-6
    True
    """
    answered = lru_cache(maxsize=4096)(lambda log_delta: float(epsilon_at(math.exp(log_delta))))

    @lru_cache(maxsize=4096)
    def delta(epsilon: float) -> float:
        low, high = (
            math.log(1e-12),
            0.0,
        )  # the answer at delta = 1 is never asked for: every mechanism is (epsilon, 1)-DP
        if answered(low) <= epsilon:
            return math.exp(low)
        return math.exp(bisect(lambda x: answered(x) <= epsilon, low, high, absolute=1e-10)[1])

    return Profile(delta, source)


def profile_through(points: Sequence[tuple[float, float]], source: str) -> Profile:
    """The profile that a few (epsilon, delta) imply, epsilon rising: delta is convex in e^epsilon, and 1
    where that is 0.

    For accountants that take long to answer; never stricter than what they say.

    >>> profile = profile_through([(0.0, 0.2), (1.0, 0.1)], "two points")
    >>> [round(profile.delta_at(e), 3) for e in (0.0, 0.5, 1.0, 2.0)]
    [0.2, 0.162, 0.1, 0.1]
    """
    import numpy as np

    at, deltas = [0.0, *(math.exp(epsilon) for epsilon, _ in points)], [1.0, *(delta for _, delta in points)]
    return Profile(lambda epsilon: float(np.interp(math.exp(min(epsilon, 700.0)), at, deltas)), source)


def halved(claim: Guarantee) -> Guarantee:
    """The same claim with half the epsilon at every delta: one that a tight mechanism breaks.

    >>> halved(PureDP(1.0)), halved(ApproxDP(1.0, 1e-5))
    (PureDP(epsilon=0.5), ApproxDP(epsilon=0.5, delta=1e-05))
    """
    if isinstance(claim, PureDP):
        return PureDP(claim.epsilon / 2)
    if isinstance(claim, ApproxDP):
        return ApproxDP(claim.epsilon / 2, claim.delta)
    return Profile(lambda epsilon: claim.delta_at(2 * epsilon), f"half the epsilon of {claim}")
