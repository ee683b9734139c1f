"""A release on a fresh secret batch of the records, which costs less than one on all of them.

    delta(eps') = sum_j P(the record is drawn j times) delta_j(eps),   exp(eps') = 1 + q (exp(eps) - 1)

q is the chance that the record is in the batch (Balle, Barthe and Gaboardi 2018, Theorems 8 to 10); Gaussian
noise on Poisson batches has its exact curves. Without replacement the number of records is public and a batch
with the record faces one with another record instead, so that the sensitivity is that of replacement, also
when the record is zeroed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency
from dpverify.releases.base import Law, NotEnumerable, Release, is_formula, renyi_of_pure
from dpverify.releases.curves import (
    Curve,
    addition_curve,
    from_both_curves,
    from_curve,
    removal_curve,
    replacement_curve,
)

if TYPE_CHECKING:
    from dpverify.releases.rules import Condition, Currency

Array = np.ndarray[Any, Any]

BATCH_LIMIT = 20_000  # batches that an exact mixture enumerates at most
WIDE = (np.random.SFC64, np.random.PCG64, np.random.PCG64DXSM, np.random.Philox)  # whose words have 64 bits
MANY = 256  # records of a batch from which on it is drawn for each run apart


@dataclass(frozen=True)
class Subsampled(Release):
    """A release on a fresh secret batch: `size` of `of` records, drawn in one of three ways.

    `how` is "without replacement", "with replacement", or "poisson" (every record with probability size/of,
    so that `size` is the expected size). A batch is an array (runs, width) of record numbers, -1 for nobody,
    or, for large batches, an array (runs, records) of True and False. With `first`, the batch is drawn from
    the records first, ..., first + of - 1 alone (one client's), and the others pay nothing for it.

    >>> from dpverify.neighbours import REPLACE
    >>> from dpverify.releases import Gaussian
    >>> step = Subsampled(Gaussian(1.0, {REPLACE: 1.0}), size=2, of=50)
    >>> step.batch(np.random.default_rng(0), 3).shape
    (3, 2)
    """

    inner: Release
    size: float
    of: int
    how: str = "without replacement"
    first: int | None = None

    sampled = True

    def __post_init__(self) -> None:
        if self.how not in ("without replacement", "with replacement", "poisson"):
            raise ValueError(
                f"Expected how={self.how!r} to be 'without replacement', 'with replacement' or 'poisson'."
            )
        if is_formula(self.size) or is_formula(self.of):
            return
        if not 0 < self.size <= self.of:
            raise ValueError(f"Expected 0 < size={self.size} <= of={self.of}, the number of records.")
        if self.how != "poisson" and self.size != int(self.size):
            raise ValueError(f"Expected a whole size={self.size} for how={self.how!r}.")

    @property
    def scale(self) -> Any:
        """That of the release on the batch."""
        return self.inner.scale

    @property
    def sensitivity(self) -> Mapping[Adjacency, Any]:  # type: ignore[override]
        """That of the release on the batch."""
        return self.inner.sensitivity

    @property
    def norm(self) -> int:
        """That of the release on the batch."""
        return self.inner.norm

    @property
    def law(self) -> Law:
        """That of the release on the batch."""
        return self.inner.law

    @property
    def rate(self) -> float:
        """The probability that a record is in the batch (for "with replacement": the mean number of times it
        is).
        """
        return self.size / self.of

    @property
    def chance(self) -> float:
        """The probability that a record is in the batch."""
        if self.how == "with replacement":
            return -math.expm1(self.size * math.log1p(-1 / self.of)) if self.of > 1 else 1.0
        return self.rate

    @property
    def full_batch(self) -> bool:
        """A batch without replacement of all records is the data set itself."""
        return self.how != "with replacement" and self.size == self.of

    @property
    def gaussian(self) -> bool:
        """Only where the batch is everybody."""
        return self.full_batch and self.inner.gaussian

    @property
    def shard(self) -> tuple[int, int] | None:
        """The records from which the batch is drawn, if they are some client's."""
        return None if self.first is None else (self.first, self.of)

    @property
    def drawn_from(self) -> Any:
        return self.of

    @property
    def adjacencies(self) -> list[Adjacency]:
        """A batch of fixed size fixes the size of the data set, unless it is Poisson's."""
        known = self.inner.adjacencies
        return known if self.how == "poisson" else [a for a in known if a is not ADD_REMOVE]

    def ratio(self, adjacency: Adjacency) -> float:
        """Sensitivity over scale, the batch given."""
        return self.inner.ratio(adjacency)

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return self.inner.noise(rng, shape)

    def standardised(self, residual: Array) -> Array | None:
        return self.inner.standardised(residual)

    def log_density(self, residual: Array, unit: Array | None = None) -> Array:
        """The log density of `released - value`, the batch given, one per run."""
        return self.inner.log_density(residual, unit)

    def variance(self) -> float:
        """The variance of one coordinate of the noise, without that of the batch."""
        return self.inner.variance()

    def scaled(self, factor: float) -> Subsampled:
        return replace(self, inner=self.inner.scaled(factor))

    def moved(self, gap: Array, adjacency: Adjacency) -> list[tuple[float, float]]:
        return self.inner.moved(gap, adjacency)

    def key(self) -> str:
        return repr(replace(self, first=None))

    def _faced(self, adjacency: Adjacency) -> Adjacency:
        """The relation between the batches that the amplification has to assume."""
        if self.how == "poisson":
            return adjacency
        if adjacency is ADD_REMOVE:
            raise ValueError(
                f"Expected adjacency='replace' or 'zero-out' for sampling {self.how}: the batch "
                "size fixes the data set's."
            )
        return REPLACE

    def epsilon(self, adjacency: Adjacency) -> float:
        times = int(self.size) if self.how == "with replacement" else 1
        inner = times * self.inner.epsilon(self._faced(adjacency))
        return inner if inner > 700 else math.log1p(self.chance * math.expm1(inner))

    def _times(self) -> list[tuple[int, float]]:
        """How often the record may be in the batch, with the chance of each."""
        if self.how != "with replacement":
            return [(1, self.rate)]
        from scipy.stats import binom

        n = int(self.size)
        chances = [(j, float(binom.pmf(j, n, 1 / self.of))) for j in range(1, n + 1)]
        return [(j, p) for j, p in chances if p > 1e-18]

    def curve(self, adjacency: Adjacency) -> Curve:
        if self.gaussian or math.isfinite(self.epsilon(adjacency)):
            return super().curve(adjacency)
        faced, q = self._faced(adjacency), self.chance
        relations = [faced, ADD_REMOVE] if self.how == "poisson" and faced is REPLACE else [faced]
        parts = [(p, [self.inner.scaled(1 / j).curve(a) for a in relations]) for j, p in self._times()]
        rest = max(0.0, q - sum(p for p, _ in parts))

        def curve(epsilon: Array) -> Array:
            inner = np.log1p(np.expm1(epsilon) / q)
            worst = [p * np.max([one(inner) for one in curves], axis=0) for p, curves in parts]
            return rest + np.sum(worst, axis=0)

        return curve

    def _tight_poisson(self) -> bool:
        return self.how == "poisson" and self.inner.gaussian and not self.inner.sampled

    def reach(self, adjacency: Adjacency) -> float:
        if not self._tight_poisson() or self.gaussian:
            return super().reach(adjacency)
        return max(1.0, self._largest_loss(self.ratio(adjacency)))

    def _largest_loss(self, ratio: float) -> float:
        """That of noise ten standard deviations out, a record removed."""
        loss = ratio * (10 + ratio / 2)
        return loss + math.log(self.rate) if loss > 700 else math.log1p(self.rate * math.expm1(loss))

    def distribution(self, adjacency: Adjacency, interval: float) -> Any:
        if not self._tight_poisson() or self.gaussian:
            return super().distribution(adjacency, interval)
        ratio = self.ratio(ADD_REMOVE if adjacency is REPLACE else adjacency)
        top, bottom = self._largest_loss(ratio), math.log1p(-self.rate)
        if adjacency is REPLACE:
            return from_curve(replacement_curve(self.rate, 1 / ratio), interval, top - bottom)
        removal, addition = removal_curve(self.rate, 1 / ratio), addition_curve(self.rate, 1 / ratio)
        return from_both_curves(removal, addition, interval, bottom, top)

    def renyi(self, adjacency: Adjacency, orders: Array) -> Array:
        epsilon = self.epsilon(adjacency)
        if self.gaussian or math.isfinite(epsilon):
            return super().renyi(adjacency, orders) if self.gaussian else renyi_of_pure(epsilon, orders)
        from dp_accounting.rdp import rdp_privacy_accountant as rdp

        if self.how == "with replacement" or not self.inner.gaussian:
            return super().renyi(adjacency, orders)
        if self.how == "poisson" and adjacency is REPLACE:
            return super().renyi(adjacency, orders)
        ratio = self.inner.ratio(self._faced(adjacency))
        if not math.isfinite(ratio):
            return np.full(len(orders), np.inf)
        compute = (
            rdp._compute_rdp_poisson_subsampled_gaussian
            if self.how == "poisson"
            else rdp._compute_rdp_sample_wor_gaussian
        )
        return np.asarray(compute(q=self.rate, noise_multiplier=1 / ratio, orders=orders))

    def tight(self, adjacency: Adjacency, pure: bool) -> bool:
        if self.gaussian:
            return True
        return self.how == "poisson" and adjacency is ADD_REMOVE and self.inner.tight(adjacency, pure)

    def formula(self, currency: Currency, adjacency: Adjacency) -> Any:
        from dpverify.releases.rules import chance_in_batch

        chance = chance_in_batch(self.size, self.of, self.how, adjacency)
        return self.inner.formula_on_batches(chance, self.how, currency, adjacency)

    def attains(self, currency: Currency) -> bool:
        """A point at which the likelihoods differ most keeps its place in the mixture over batches."""
        from dpverify.releases.rules import PURE

        return currency == PURE and self.inner.attains(PURE)

    def conditions(self, adjacency: Adjacency) -> list[Condition]:
        from sympy import sympify

        from dpverify.releases.rules import Condition, NoRule

        if self.inner.drawn_from not in (None, self.size):
            raise NoRule(f"a batch is drawn from another one, of {self.size} records, as if it had others")
        if self.how != "poisson":
            for number in (self.size, self.of):
                if not sympify(number).is_integer:
                    raise NoRule(f"{number} records in a batch or to draw from is not known to be whole")
        drawn = [Condition(0, self.size, strict=True), Condition(self.size, self.of)]
        return [*self.inner.conditions(adjacency), *drawn]

    def in_words(self, adjacency: Adjacency) -> str:
        return f"{self.inner.in_words(adjacency)} on {self.size} of {self.of} records ({self.how})"

    def batch(self, rng: np.random.Generator, runs: int, records: int | None = None) -> Array:
        """One batch of record numbers per run; `records` is the size of the data set at hand where it is not
        `of` (Poisson only).
        """
        n = self.of if records is None else records
        if self.first is not None:
            if n < self.first + self.of:
                raise ValueError(f"Expected a data set of at least {self.first + self.of} records, got {n}.")
            inside = replace(self, first=None).batch(rng, runs)
            if inside.dtype != bool:
                return np.where(inside >= 0, inside + self.first, -1)
            batch = np.zeros((runs, n), dtype=bool)
            batch[:, self.first : self.first + self.of] = inside
            return batch
        if self.how == "poisson":
            if self.rate > 1 / 16:
                return _coins(rng, (runs, n), self.rate)
            sizes = rng.binomial(n, self.rate, size=runs)
            batch = _distinct(rng, runs, max(int(sizes.max(initial=0)), 1), n)
            batch[np.arange(batch.shape[1]) >= sizes[:, None]] = -1
            return batch
        if n != self.of:
            raise ValueError(f"Expected a data set of of={self.of} records for sampling {self.how}, got {n}.")
        if self.how == "with replacement":
            return rng.integers(0, n, size=(runs, int(self.size)))
        if self.size > max(1, n // 8):
            return _subset(rng, runs, int(self.size), n)
        return (
            _floyd(rng, runs, int(self.size), n)
            if self.size <= MANY
            else _distinct(rng, runs, int(self.size), n)
        )

    def batches(self, groups: Array) -> tuple[Array, Array]:
        """Every batch that matters and its log probability; `groups[i]` numbers the distinct value that
        record i has.
        """
        start, records = self.first or 0, len(groups)
        groups = (
            np.unique(groups[start : start + self.of], return_inverse=True)[1]
            if self.first is not None
            else groups
        )
        outcomes = list(self._counts(np.bincount(groups)))
        members = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
        numbers = [
            start + np.concatenate([np.resize(rows, c) for rows, c in zip(members, counts)]).astype(int)
            for counts, _ in outcomes
        ]
        log = np.array([log for _, log in outcomes])
        if self.how == "with replacement":
            return np.array(numbers), log
        batch = np.zeros((len(outcomes), records), dtype=bool)
        for row, chosen in zip(batch, numbers):
            row[chosen] = True
        return batch, log

    def batch_moments(self, rows: Array) -> tuple[Array, Array]:
        n, m = len(rows), self.size
        if self.how == "poisson":
            q = self.rate
            return q * rows.sum(axis=0), q * (1 - q) * rows.T @ rows
        centred = rows - rows.mean(axis=0)
        fewer = (n - m) / max(n - 1, 1) if self.how == "without replacement" else 1.0
        return m * rows.mean(axis=0), m * fewer * centred.T @ centred / n

    def _counts(self, sizes: Array) -> Iterator[tuple[tuple[int, ...], float]]:
        """How often each distinct value may be drawn, with its log probability."""
        n, m = int(sizes.sum()), int(self.size)
        poisson = self.how == "poisson"
        bound = math.prod(min(int(c), n if poisson else m) + 1 for c in sizes[: -1 if not poisson else None])
        if self.how == "with replacement":
            bound = (m + 1) ** (len(sizes) - 1)
        exact = math.comb(m + len(sizes) - 1, m)
        if (bound if poisson else min(bound, exact)) > BATCH_LIMIT:
            raise NotEnumerable(
                f"the exact mixture over secret batches of {self.size:g} of {n} records with "
                f"{len(sizes)} distinct values "
                f"has more than {BATCH_LIMIT} components"
            )
        if poisson:
            for counts in product(*(range(int(c) + 1) for c in sizes)):
                k = sum(counts)
                log = sum(_log_comb(int(c), b) for c, b in zip(sizes, counts))
                q = self.rate
                yield (
                    counts,
                    log + (k * math.log(q) if k else 0.0) + ((n - k) * math.log1p(-q) if k < n else 0.0),
                )
            return
        with_replacement = self.how == "with replacement"
        for counts in _compositions(m, tuple(m if with_replacement else int(c) for c in sizes)):
            if with_replacement:
                log = math.lgamma(m + 1) + sum(
                    b * math.log(c / n) - math.lgamma(b + 1) for c, b in zip(sizes, counts)
                )
            else:
                log = sum(_log_comb(int(c), b) for c, b in zip(sizes, counts)) - _log_comb(n, m)
            yield counts, log


def _log_comb(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _compositions(total: int, caps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The tuples of len(caps) whole numbers, each at most its cap, that add up to `total`."""
    if len(caps) == 1:
        if total <= caps[0]:
            yield (total,)
        return
    rest = sum(caps[1:])
    for first in range(max(0, total - rest), min(total, caps[0]) + 1):
        for tail in _compositions(total - first, caps[1:]):
            yield (first, *tail)


def _subset(rng: np.random.Generator, runs: int, size: int, n: int) -> Array:
    """A uniformly random subset of that size for every run, as True and False."""
    if size == n:
        return np.ones((runs, n), dtype=bool)
    keys = rng.random((runs, n))
    chosen = np.zeros((runs, n), dtype=bool)
    np.put_along_axis(chosen, np.argpartition(keys, size - 1, axis=1)[:, :size], True, axis=1)
    return chosen


def _coins(rng: np.random.Generator, shape: tuple[int, int], chance: float) -> Array:
    """Independent coins that show True with that chance, each from eight random bits; where those leave it
    open, which is once in 256 times, a number of its own decides.
    """
    count = shape[0] * shape[1]
    level = int(chance * 2**8)
    if level >= 2**8:
        return np.ones(shape, dtype=bool)
    bits = _words(rng, -(-count // 8)).view(np.uint8)[:count]
    coins = bits < level
    (open_ones,) = (bits == level).nonzero()
    coins[open_ones] = rng.random(len(open_ones)) < chance * 2**8 - level
    return coins.reshape(shape)


def _words(rng: np.random.Generator, count: int) -> Array:
    """Random words of 64 bits, as the bit generator has them where it makes such: that is sooner done than
    asking for numbers of a range, and gives the same ones.
    """
    if isinstance(rng.bit_generator, WIDE):
        return rng.bit_generator.random_raw(count)
    return rng.integers(0, 2**64 - 1, size=count, dtype=np.uint64, endpoint=True)


def _floyd(rng: np.random.Generator, runs: int, size: int, n: int) -> Array:
    """A uniformly random subset for every run by Floyd's method: a number that was drawn before gives way to
    the newest one.
    """
    newest = np.arange(n - size, n)
    drawn = rng.random((size, runs))
    drawn *= newest[:, None] + 1
    chosen = drawn.astype(np.int16 if n < 2**15 else np.int64)  # short numbers are compared faster
    for k in range(1, size):
        row = chosen[k]
        row[np.logical_or.reduce(chosen[:k] == row, axis=0)] = newest[k]
    return chosen.astype(np.int64, copy=False).T


def _distinct(rng: np.random.Generator, runs: int, size: int, n: int) -> Array:
    """`size` distinct numbers below n for every run, in random order."""
    if size == 1:
        return rng.integers(0, n, size=(runs, 1))
    if size > MANY:  # one run at a time, in C, is then faster than sorting all of them
        return np.array([rng.choice(n, size, replace=False) for _ in range(runs)]).reshape(runs, size)
    if size > n // 8:
        return np.argsort(rng.random((runs, n)), axis=1)[:, :size]
    # Draw with replacement and keep the first `size` distinct ones; every value is treated alike, so the
    # subset is uniform.
    width = size + 4 + int(2 * size * size / n)
    result = np.empty((runs, size), dtype=np.int64)
    todo = np.arange(runs)
    while len(todo):
        drawn = rng.integers(0, n, size=(len(todo), width))
        order = np.argsort(drawn, axis=1, kind="stable")
        ranked = np.take_along_axis(drawn, order, axis=1)
        first = np.ones(drawn.shape, dtype=bool)
        np.put_along_axis(first, order[:, 1:], ranked[:, 1:] != ranked[:, :-1], axis=1)
        enough = first.sum(axis=1) >= size
        kept = first[enough] & (np.cumsum(first[enough], axis=1) <= size)
        result[todo[enough]] = drawn[enough][kept].reshape(-1, size)
        todo = todo[~enough]
    return result
