"""What every release answers: its noise and its density, what its query may move by, and what it costs.

    released = value + scale * unit * noise

A new kind of release is one class in one file, here or in anybody's code: the sampler, the exact loss, every
accountant, the audits, the laws and the privacy statements ask it, and never which class it is. `unit` is 1,
or one factor per run that multiplies scale and sensitivity alike (a clip norm that follows the public
iterates).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from dpverify.neighbours import Adjacency
from dpverify.releases.curves import Curve, from_curve, gaussian_curve, pure_curve, top_of

if TYPE_CHECKING:
    from dpverify.releases.rules import Condition, Currency

Array = np.ndarray[Any, Any]
Self = TypeVar("Self", bound="Release")


class NotEnumerable(ValueError):
    """The exact mixture over secret batches has too many components; the message says how many."""


class Law(NamedTuple):
    """The law of noise divided by its scale, symmetric about 0, and the test of its size.

    `energy(z)` is, under that law, Gamma of shape `shape` for every draw; `size(mean energy)` is the ratio of
    the scale drawn to the scale declared; `stable` says that (a draw less another) / sqrt(2) has the same
    law.
    """

    name: str
    cdf: Callable[[Array], Array]
    median: float  # of the size of a draw
    energy: Callable[[Array], Array]
    shape: float
    size: Callable[[float], float]
    stable: bool = False


class Cost(NamedTuple):
    """What a release adds to mu^2 of Gaussian DP: for every record, or for those whose occurrences lie in
    `steps`, one in each period, the i-th step's counting decay^(last - i).
    """

    weight: float
    steps: tuple[int, int] | None = None
    period: int = 1
    decay: float = 1.0


class Release(ABC):
    """What a step publishes. A kind of release says how its noise is drawn and what it costs; the rest
    follows.

    It must have `scale` and `sensitivity` (per neighbouring relation), `norm` (1 or 2, that of its
    sensitivity), a `law`, and one of three costs: `gaussian` and `costs`, a finite `epsilon`, or a `curve`.
    Statements about it with symbols for its numbers need a `formula`, and `attains` where that is necessary.
    """

    scale: Any
    sensitivity: Mapping[Adjacency, Any]

    @property
    @abstractmethod
    def norm(self) -> int:
        """1 or 2: the norm of its sensitivity."""

    @property
    @abstractmethod
    def law(self) -> Law:
        """The law of its noise, divided by the scale."""

    @property
    def gaussian(self) -> bool:
        """Whether it composes exactly, by `costs`."""
        return False

    @property
    def sampled(self) -> bool:
        """Whether its query gets a secret batch."""
        return False

    @property
    def full_batch(self) -> bool:
        """Whether that batch, if any, is everybody."""
        return True

    @property
    def shard(self) -> tuple[int, int] | None:
        """(first, how many): the only records that pay; None for all."""
        return None

    @property
    def drawn_from(self) -> Any:
        """The number of records that its batch is drawn from; None if its query gets them all."""
        return None

    @abstractmethod
    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Noise for a value of that shape, at unit 1."""

    @abstractmethod
    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        """The log density of `released - value`, one per run; at scale 0 it is 0 where the residual is 0,
        else
        -inf.
        """

    @abstractmethod
    def variance(self) -> float:
        """The variance of one coordinate of the noise."""

    @abstractmethod
    def scaled(self: Self, factor: float) -> Self:
        """The same release with that many times the noise, for the same sensitivity."""

    @abstractmethod
    def ratio(self, adjacency: Adjacency) -> float:
        """Sensitivity over scale, the largest of them: 0 costs nothing, infinity everything."""

    def standardised(self, residual: Array) -> Array | None:
        """The noise `residual` divided by its scale; None where there is no noise."""
        return residual / self.scale if self.scale > 0 else None

    def moved(self, gap: Array, adjacency: Adjacency) -> list[tuple[float, float]]:
        """How far the query of one run moved, and how far it may: one pair for each sensitivity declared."""
        with np.errstate(over="ignore"):
            length = float(np.linalg.norm(np.ravel(gap), ord=self.norm))
        return [(length, float(look_up(self.sensitivity, adjacency)))]

    @property
    def adjacencies(self) -> list[Adjacency]:
        """The neighbouring relations under which it can be charged."""
        return [adjacency for adjacency in Adjacency if adjacency in self.sensitivity]

    def batch(self, rng: np.random.Generator, runs: int, records: int | None = None) -> Array | None:
        """One secret batch per run, if its query is asked on one."""
        return None

    def batches(self, groups: Array) -> tuple[Array, Array]:
        """Every secret batch that matters, and its log probability; `groups` numbers equal records alike."""
        raise TypeError(f"Expected a release on secret batches, got {self}.")

    def batch_moments(self, rows: Array) -> tuple[Array, Array]:
        """The mean and the covariance of the sum of the rows over a secret batch, one row for each record."""
        raise TypeError(f"Expected a release on secret batches, got {self}.")

    def key(self) -> str:
        """What decides its cost: releases of equal keys are charged alike."""
        return repr(self)

    def costs(self, adjacency: Adjacency) -> list[Cost]:
        """What it adds to mu^2, if it is `gaussian`."""
        return [Cost(self.ratio(adjacency) ** 2)]

    def epsilon(self, adjacency: Adjacency) -> float:
        """Its epsilon of pure DP, infinite if it has none."""
        return 0.0 if self.ratio(adjacency) == 0 else math.inf

    def curve(self, adjacency: Adjacency) -> Curve:
        """delta at every epsilon >= 0, in both directions."""
        epsilon = self.epsilon(adjacency)
        if self.gaussian:
            return gaussian_curve(math.sqrt(sum(cost.weight for cost in self.costs(adjacency))))
        if math.isfinite(epsilon):
            return pure_curve(epsilon)
        raise ValueError(f"Expected a release with a cost under {adjacency}, got {self.key()}.")

    def reach(self, adjacency: Adjacency) -> float:
        """The largest privacy loss that matters for the grid of a privacy loss distribution."""
        epsilon = self.epsilon(adjacency)
        return epsilon if math.isfinite(epsilon) else top_of(self.curve(adjacency))

    def distribution(self, adjacency: Adjacency, interval: float) -> Any:
        """A privacy loss distribution (dp-accounting) on that grid which dominates it."""
        epsilon = self.epsilon(adjacency)
        return from_curve(self.curve(adjacency), interval, epsilon if math.isfinite(epsilon) else None)

    def renyi(self, adjacency: Adjacency, orders: Array) -> Array:
        """Bounds on its Renyi divergences at these orders."""
        epsilon = self.epsilon(adjacency)
        if self.gaussian:
            return orders * sum(cost.weight for cost in self.costs(adjacency)) / 2
        if math.isfinite(epsilon):
            return renyi_of_pure(epsilon, orders)
        raise ValueError(
            f"Expected a release with an RDP accountant under {adjacency}, got {self.key()}; "
            "use method='pld'."
        )

    def tight(self, adjacency: Adjacency, pure: bool) -> bool:
        """Whether some mechanism attains its cost, so that no smaller guarantee (of pure DP or not) is
        right.
        """
        return self.gaussian or (pure and math.isfinite(self.epsilon(adjacency)))

    def formula(self, currency: Currency, adjacency: Adjacency) -> Any:
        """An upper bound on its cost in that currency, in the symbols that it is made of (see `rules`)."""
        from dpverify.releases.rules import NoRule

        raise NoRule(f"there is no rule for {type(self).__name__}")

    def formula_on_batches(self, chance: Any, how: str, currency: Currency, adjacency: Adjacency) -> Any:
        """The same where its query gets a secret batch that has the record with that chance."""
        from dpverify.releases.rules import PURE, pure_on_batches

        return pure_on_batches(self.formula(PURE, adjacency), chance, currency)

    def attains(self, currency: Currency) -> bool:
        """Whether some mechanism of this form costs as much as its formula says, which is then necessary
        too.
        """
        return False

    def conditions(self, adjacency: Adjacency) -> list[Condition]:
        """What its symbols must meet for it to be a release."""
        from dpverify.releases.rules import Condition

        positive = Condition(0, self.scale, strict=True)
        return [positive, Condition(0, look_up(self.sensitivity, adjacency))]

    def in_words(self, adjacency: Adjacency) -> str:
        """What it is, for a reader of a statement about it."""
        size = look_up(self.sensitivity, adjacency)
        return f"a {type(self).__name__} release (sensitivity {size}, scale {self.scale})"


@dataclass(frozen=True)
class Noise(Release):
    """The value of a query plus independent noise of one scale on each coordinate.

    A kind of noise gives `norm`, `law`, `draw`, `log_standard` and `unit_variance`, all at scale 1.
    """

    scale: float
    sensitivity: Mapping[Adjacency, float]
    unit_variance: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        if not is_formula(self.scale) and not self.scale >= 0:
            raise ValueError(f"Expected scale={self.scale} >= 0.")
        check_sensitivity(self.sensitivity)

    @abstractmethod
    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Noise of scale 1 in a new array."""

    @abstractmethod
    def log_standard(self, rows: Array) -> Array:
        """The log density of each row of noise of scale 1."""

    def ratio(self, adjacency: Adjacency) -> float:
        sensitivity = look_up(self.sensitivity, adjacency)
        return 0.0 if sensitivity == 0 else math.inf if self.scale == 0 else float(sensitivity / self.scale)

    def quotient(self, adjacency: Adjacency) -> Any:
        """Sensitivity over scale, in the symbols that they are made of."""
        from sympy import sympify

        return sympify(look_up(self.sensitivity, adjacency)) / self.scale

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        if self.scale == 0:
            return np.zeros(shape)
        drawn = self.draw(rng, shape)
        drawn *= self.scale
        return drawn

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        scale = np.full(len(residual), self.scale) if unit is None else self.scale * unit
        safe = np.where(scale > 0, scale, 1.0)
        rows = residual.reshape(len(residual), -1)
        log = self.log_standard(rows / safe[:, None]) - rows.shape[1] * np.log(safe)
        silent = np.where(np.any(rows != 0, axis=1), -np.inf, 0.0)
        return np.where(scale > 0, log, silent)

    def variance(self) -> float:
        return self.unit_variance * self.scale**2

    def scaled(self: Self, factor: float) -> Self:
        return replace(self, scale=factor * self.scale)  # type: ignore[type-var]


def is_formula(value: Any) -> bool:
    """Whether a value has symbols in it: a statement about them says in which range it is.

    >>> is_formula(2.0)
    False
    """
    return bool(getattr(value, "free_symbols", None))


def check_sensitivity(sensitivity: Mapping[Adjacency, Any]) -> None:
    """Refuses no sensitivity at all, and a negative one.

    >>> check_sensitivity({})
    Traceback (most recent call last):
    ...
    ValueError: Expected sensitivity for at least one neighbouring relation, got sensitivity={}.
    """
    if not sensitivity:
        raise ValueError("Expected sensitivity for at least one neighbouring relation, got sensitivity={}.")
    for adjacency, value in sensitivity.items():
        if type(value) is float and value >= 0:  # nearly always, in each of many steps
            continue
        if not is_formula(value) and not np.all(np.asarray(value) >= 0):
            raise ValueError(f"Expected sensitivity[{adjacency}]={value} >= 0.")


def look_up(sensitivity: Mapping[Adjacency, Any], adjacency: Adjacency) -> Any:
    """The sensitivity under that relation; a relation without one is refused by name."""
    if adjacency not in sensitivity:
        declared = ", ".join(str(known) for known in sensitivity)
        raise ValueError(
            f"Expected adjacency={str(adjacency)!r} among the relations whose sensitivity is "
            f"declared: {declared}."
        )
    return sensitivity[adjacency]


def renyi_of_pure(epsilon: float, orders: Array) -> Array:
    """The Renyi divergences of randomised response, which dominates every mechanism of that epsilon.

    >>> renyi_of_pure(1.0, np.array([2.0, 1000.0])).round(2).tolist()
    [0.74, 1.0]
    """
    p, q = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
    return np.minimum(
        np.logaddexp(orders * p + (1 - orders) * q, orders * q + (1 - orders) * p) / (orders - 1), epsilon
    )
