"""PipelineDP (OpenMined): metrics of its engine on the local backend, with public partitions.

    one value within bounds a user: AggregateParams(metrics, Laplace, max_partitions_contributed=1, ...)

Every run is a partition of its own, with users of its own, so that one pipeline makes many independent runs.
The claim is the total epsilon of its NaiveBudgetAccountant, for a user more or less. Noise is drawn by PyDP
and takes no seed: the law `seeds` says so.

Shown on pipeline-dp 0.3.1: the variance within (-1, 1) has noise for half of what one user moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.guarantees import PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED, Verdict

Array = np.ndarray[Any, Any]


def _aggregated(data: Any, runs: int, epsilon: float, metrics: tuple[str, ...], **bounds: Any) -> list[Any]:
    """What the engine publishes of each of `runs` partitions that hold the same values, one a user."""
    import pipeline_dp

    rows = [((run, user), run, value) for run in range(runs) for user, value in enumerate(data)]
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=0)
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    params = pipeline_dp.AggregateParams(
        metrics=[getattr(pipeline_dp.Metrics, metric) for metric in metrics],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        **bounds,
    )
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    released = engine.aggregate(rows, params, extractors, public_partitions=list(range(runs)))
    accountant.compute_budgets()
    return [published for _, published in sorted(released, key=lambda pair: pair[0])]


def _subject(
    pair: Neighbours,
    epsilon: float,
    runs: int,
    publish: Callable[[Any], Any],
    metrics: tuple[str, ...],
    **bounds: Any,
) -> Subject:
    positive(epsilon=epsilon)

    def run(data: Any, rng: np.random.Generator, runs: int) -> Array:
        values = [float(row[0]) for row in np.asarray(data)]
        published = _aggregated(values, runs, epsilon, metrics, **bounds)
        return np.array([np.ravel(publish(one)) for one in published], dtype=float)

    said_by = "the total epsilon of pipeline_dp.NaiveBudgetAccountant"
    return Subject(run, PureDP(epsilon), pair, said_by, runs=runs, any_number=True)


def _removed(*values: float) -> Neighbours:
    """These records, and all but the first of them."""
    return Neighbours.remove(np.array([[value] for value in values], dtype=float), 0)


def count(epsilon: float = 1.0) -> Subject:
    """COUNT: four users, and three."""
    return _subject(_removed(0, 0, 0, 0), epsilon, 10_000, lambda m: m.count, ("COUNT",))


def total(epsilon: float = 1.0, lower: float = -2.0, upper: float = 1.0) -> Subject:
    """SUM: a user at the larger bound is removed."""
    pair = _removed(lower, 0, 0, 0)
    return _subject(pair, epsilon, 10_000, lambda m: m.sum, ("SUM",), min_value=lower, max_value=upper)


def mean(epsilon: float = 1.0) -> Subject:
    """COUNT and MEAN within (-1, 1): a user at the upper bound is removed; both sums are read from it."""

    def publish(metrics: Any) -> Any:
        return [metrics.count, metrics.mean * max(1.0, metrics.count)]

    bounds = {"min_value": -1.0, "max_value": 1.0}
    return _subject(_removed(1, 0, 0, 0), epsilon, 10_000, publish, ("MEAN", "COUNT"), **bounds)


def variance(epsilon: float = 1.5, lower: float = -1.0, upper: float = 1.0) -> Subject:
    """COUNT, MEAN and VARIANCE: a user at the upper bound is removed. The noisy sums of values and of squares
    about the middle are read from them; published is how many of the three are at least what they are with
    that user.
    """
    middle = (lower + upper) / 2

    def publish(metrics: Any) -> Any:
        users, about = max(1.0, metrics.count), metrics.mean - middle
        total, squares = about * users, (metrics.variance + about**2) * users
        moved = upper - middle
        return [float(metrics.count >= 4) + (total >= moved) + (squares >= moved**2)]

    pair = _removed(upper, middle, middle, middle)
    metrics = ("VARIANCE", "MEAN", "COUNT")
    return _subject(pair, epsilon, 10_000, publish, metrics, min_value=lower, max_value=upper)


def variance_positive(epsilon: float = 1.5) -> Subject:
    """The same within (0, 1), where the noise is for twice what one user moves."""
    return variance(epsilon, 0.0, 1.0)


INSTALL = 'pip install ".[pipelines]"'
PACKAGES = ("pipeline-dp", "python-dp")
CLAIM = "epsilon-DP for one user more or less: the total epsilon of its accountant"


def _target(name: str, about: str, build: Callable[..., Subject], **known: Verdict) -> Target:
    odd = {"seeds": REFUTED, "empty": UNDECIDED, **known}  # its noise takes no seed; no rows are refused
    return Target(f"pipeline-dp:{name}", about, CLAIM, build, PACKAGES, INSTALL, odd)


TARGETS = (
    _target("count", "COUNT of users in a public partition", count),
    _target("sum", "SUM of values within (-2, 1)", total, nan=REFUTED),
    _target("mean", "MEAN and COUNT of values within (-1, 1)", mean, nan=REFUTED),
    _target(
        "variance",
        "VARIANCE, MEAN and COUNT of values within (-1, 1): squares about the middle of the bounds get "
        "the noise of squares about 0",
        variance,
        training=REFUTED,
    ),
    _target("variance-positive", "VARIANCE, MEAN and COUNT of values within (0, 1)", variance_positive),
)
