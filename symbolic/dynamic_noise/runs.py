"""The runs of appendix D, as arrays: data, influence by retraining, final losses under the uniform, dynamic
and exponential schedules.

    step size 0.1, clip 4, R = 0.3927; features of mean 0 and standard deviation 1 each, then scaled so that
    max |x_n| = data scale
    q_t = slope of the mean final loss in sigma_t^2, the other sigmas being those of the uniform schedule
    (same noise along the grid)

MNIST is not shipped: "digits" are the 8x8 digits of scikit-learn, 3 against 5 (365 images, 60 principal
components). The synthetic data are two Gaussian blobs at distance 10. The normalisation and the choice of T
look at the data, as in the paper, and are not accounted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dpverify.algorithms.private_gd import private_gd
from dpverify.formulas.dynamic_noise import PRINTED_R, fitted_exponential, hessian_influence
from dpverify.montecarlo import run
from dpverify.optional import optional
from dpverify.problems import Linear, least_squares, logistic
from dpverify.schedules import Schedule, from_influence

Array = np.ndarray[Any, Any]
CLIP, STEP = 4.0, 0.1


class Task(NamedTuple):
    """A loss on data of one scale."""

    problem: Linear
    data: tuple[Array, Array]


def blobs(count: int = 1000, dimension: int = 100, seed: int = 0) -> tuple[Array, Array]:
    """Two Gaussian blobs whose centres are at distance 10, with labels -1 and 1.

    >>> [part.shape for part in blobs(10, 4)]
    [(10, 4), (10,)]
    """
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    centre = np.full(dimension, 5.0 / np.sqrt(dimension))
    return rng.standard_normal((count, dimension)) + labels[:, None] * centre, labels


@lru_cache(maxsize=1)
def digits() -> tuple[Array, Array]:
    """The 8x8 digits 3 and 5 of scikit-learn on their first 60 principal components, with labels -1 and 1."""
    datasets = optional("sklearn.datasets", "papers")
    images, numbers = datasets.load_digits(return_X_y=True)
    chosen = (numbers == 3) | (numbers == 5)
    rows = images[chosen] - images[chosen].mean(axis=0)
    _, sizes, axes = np.linalg.svd(rows, full_matrices=False)
    keep = min(60, int(np.sum(sizes > 1e-9 * sizes[0])))
    return rows @ axes[:keep].T, np.where(numbers[chosen] == 3, 1.0, -1.0)


def some_digits(count: int, seed: int) -> tuple[Array, Array]:
    """A random part of the digits, drawn without replacement."""
    features, labels = digits()
    chosen = np.random.default_rng(seed).permutation(len(labels))[:count]
    return features[chosen], labels[chosen]


def task(features: Array, labels: Array, kind: str, scale: float) -> Task:
    """The normalised features at a data scale, with the logistic loss or the squared loss (x'theta - 1)^2/2,
    the label folded into x.

    >>> float(np.linalg.norm(task(*blobs(10, 4), "logistic", 7.0).data[0], axis=1).max().round(9))
    7.0
    """
    if kind not in ("squares", "logistic"):
        raise ValueError(f"Expected kind={kind!r} to be 'squares' or 'logistic'.")
    rows = (features - features.mean(axis=0)) / features.std(axis=0)
    rows = rows * (scale / np.linalg.norm(rows, axis=1).max())
    if kind == "logistic":
        return Task(logistic(rows, count=len(rows)), (rows, labels))
    folded = rows * labels[:, None]
    return Task(least_squares(folded, count=len(rows)), (folded, np.ones(len(rows))))


def final_losses(job: Task, variances: Schedule, steps: int, runs: int, seed: int) -> Array:
    """The final training loss of every run; runs of the same seed share their standard normal draws, whatever
    the schedule.
    """
    loaded = job.problem.load(job.data)
    algorithm = private_gd(job.problem, clip=CLIP, variances=variances, steps=steps, step_size=STEP)
    return run(
        algorithm, loaded, runs, seed, measure={"F": lambda x: job.problem.value(x, loaded)}, keep=()
    ).values["F"]


def retrained(
    job: Task,
    steps: int,
    times: list[int],
    runs: int,
    seed: int,
    grid: Any = (20.0, 200.0),
    base: float | None = None,
) -> Array:
    """Influence by retraining: per t and per run, the least-squares slope of the final loss in sigma_t^2 over
    the grid.

    >>> job = task(*blobs(20, 2), "squares", 1.0)
    >>> retrained(job, 2, [1, 2], 3, 0).shape
    (2, 3)
    """
    uniform = np.full(steps, steps / PRINTED_R if base is None else base)
    points = np.asarray(grid, dtype=float) ** 2
    centred = points - points.mean()
    slopes = []
    for t in times:
        losses = []
        for value in points:
            variances = uniform.copy()
            variances[t - 1] = value
            losses.append(final_losses(job, Schedule(variances), steps, runs, seed))
        slopes.append(centred @ np.array(losses) / (centred @ centred))
    return np.array(slopes)


def curvatures(job: Task) -> Array:
    """The eigenvalues of the Hessian of the squared loss."""
    rows = job.data[0]
    return np.linalg.eigvalsh(rows.T @ rows / len(rows))


def by_age(job: Task, longest: int, runs: int, seed: int, knots: int = 6) -> Array:
    """The influence of the noise that is 0, 1, ..., longest - 1 steps old, the newest first: Hessian
    (squares) or retraining (logistic).

    By retraining it is estimated at a few ages and interpolated on a logarithmic scale; what is not positive
    counts as the smallest positive.
    """
    if job.problem.kind == "squares":
        count = len(job.data[0])
        return hessian_influence(
            curvatures(job), steps=longest, step_size=STEP, clip=CLIP, count=count
        ).values(longest)[::-1]
    times = sorted({round(t) for t in np.linspace(1, longest, knots).tolist()})
    influence = retrained(job, longest, times, runs, seed).mean(axis=1)
    smallest = influence[influence > 0].min(initial=influence.max(initial=1e-12))
    at = np.interp(np.arange(1, longest + 1), times, np.log(np.maximum(influence, smallest)))
    return np.exp(at)[::-1]


def schedules(ages: Array, steps: int) -> dict[str, Schedule]:
    """The uniform schedule, the dynamic one of Lemma 4.1 at that influence, and the exponential one fitted to
    it, all on the budget R.

    >>> bool(np.allclose([(1 / s.values(4)).sum() for s in schedules(np.array([1.0, 0.5, 0.2, 0.1]),
    ...     4).values()], PRINTED_R))
    True
    """
    influence = np.maximum(
        ages[:steps][::-1], 1e-6 * ages[:steps].max()
    )  # a floor, so that no step is left without budget
    dynamic = from_influence(Schedule(influence), steps, PRINTED_R)
    return {
        "uni": Schedule(np.full(steps, steps / PRINTED_R)),
        "dyn": dynamic,
        "exp": fitted_exponential(dynamic, steps, PRINTED_R),
    }


class Compared(NamedTuple):
    """The best T of each schedule (chosen on runs of their own) and the final losses at it, one per run."""

    steps: dict[str, int]
    losses: dict[str, Array]

    def relative(self, name: str) -> float:
        """(e_1 - e_0)/e_0, e_0 the mean loss of the uniform schedule."""
        base = float(self.losses["uni"].mean())
        return (float(self.losses[name].mean()) - base) / base


def compared(
    job: Task,
    ages: Array,
    choices: list[int],
    runs: int,
    seed: int,
    names: Sequence[str] = ("uni", "dyn", "exp"),
    tuning: int = 40,
) -> Compared:
    """Each of the schedules named at its best T among the choices, by `tuning` runs of its own each."""
    best: dict[str, int] = {}
    losses: dict[str, Array] = {}
    ready = {steps: schedules(ages, steps) for steps in choices}
    for name in names:
        means = {
            steps: float(final_losses(job, ready[steps][name], steps, tuning, seed + 1_000).mean())
            for steps in choices
        }
        best[name] = min(means, key=lambda steps: means[steps])
        losses[name] = final_losses(job, ready[best[name]][name], best[name], runs, seed)
    return Compared(best, losses)
