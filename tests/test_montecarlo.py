"""Runs are the algorithm, many times: a naive twin, the same numbers whatever the workers, independent runs,
bounded memory.
"""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from dpverify.algorithms import example
from dpverify.algorithms.private_gd import private_gd
from dpverify.montecarlo import block_size, generator, mean_at_least, run
from dpverify.problems import quadratic
from dpverify.schedules import Schedule

NAMES = ["private-gd", "private-gd-momentum", "adp-sgd"]


@pytest.fixture(scope="module")
def case():
    return example("private-gd")


@pytest.mark.parametrize("name", NAMES)
def test_any_number_of_workers_and_any_chunk_give_the_same_bits(name):
    case = example(name, as_printed=True)
    runs = 2 * block_size(case.algorithm) + 5
    settings = {
        "measure": {"m": case.measured},
        "every_step": True,
        "keep": ("output", "iterates", "releases"),
    }
    one = run(case.algorithm, case.data, runs, seed=3, **settings)
    for other in (
        run(case.algorithm, case.data, runs, seed=3, workers=2, **settings),
        run(case.algorithm, case.data, runs, seed=3, chunk=10 * runs, **settings),
        run(case.algorithm, case.data, runs, seed=3, chunk=1, workers=2, **settings),
    ):
        assert np.array_equal(one.output, other.output)
        assert np.array_equal(one.iterates, other.iterates)
        assert all(np.array_equal(a, b) for a, b in zip(one.releases, other.releases))
        assert np.array_equal(one.path["m"], other.path["m"])
        assert np.array_equal(one.path_variance["m"], other.path_variance["m"])
    assert not np.array_equal(one.output, run(case.algorithm, case.data, runs, seed=4).output)


def test_private_gd_is_its_naive_twin():
    problem = quadratic([0.5, 1.0], count=4)
    data = np.arange(8.0).reshape(4, 2) / 4
    algorithm = private_gd(problem, clip=1.0, variances=Schedule([4.0, 1.0, 0.25]), steps=3, step_size=0.3)
    result = run(algorithm, data, 7, seed=5, keep=("output", "iterates", "releases"))
    rng = generator(5, 0)
    noise = [rng.standard_normal((7, 2)) for _ in range(3)]
    for r in range(7):
        x = np.ones(2)
        for t, sigma in enumerate([2.0, 1.0, 0.5]):
            g = np.zeros(2)
            for record in data:
                g -= record * min(1.0, 1.0 / max(np.linalg.norm(record), 1e-300))
            released = g / 4 + sigma / 4 * noise[t][r]
            assert np.allclose(result.releases[t][r], released)
            assert np.allclose(result.iterates[r, t], x)
            x = x - 0.3 * (np.array([0.5, 1.0]) * x + released)
        assert np.allclose(result.output[r], x)


def test_paths_are_the_means_of_the_iterates(case):
    runs = block_size(case.algorithm) + 3
    result = run(
        case.algorithm, case.data, runs, measure={"m": case.measured}, every_step=True, keep=("iterates",)
    )
    values = np.stack([case.measured(result.iterates[:, t]) for t in range(case.algorithm.steps + 1)])
    assert np.allclose(result.path["m"], values.mean(axis=1), rtol=1e-12)
    assert np.allclose(result.path_variance["m"], values.var(axis=1, ddof=1), rtol=1e-9)
    assert np.allclose(result.values["m"], values[-1])
    assert result.output is None
    assert result.releases is None


def test_runs_are_independent_within_and_across_blocks(case):
    size = block_size(case.algorithm)
    x = run(case.algorithm, case.data, 4 * size, seed=9).output[:, 0]
    for lag in (1, size):
        assert abs(np.corrcoef(x[:-lag], x[lag:])[0, 1]) < 5 / np.sqrt(len(x) - lag)  # false alarm below 1e-6
    assert stats.kstest((x - x.mean()) / x.std(), "norm").pvalue > 1e-6


def test_memory_does_not_grow_with_the_runs(case):
    peaks = []
    for runs in (20_000, 80_000):
        tracemalloc.start()
        run(case.algorithm, case.data, runs, keep=())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_the_lower_bound_on_a_mean_covers():
    rng = np.random.default_rng(0)
    misses = sum(mean_at_least(rng.lognormal(0, 1.5, 200), alpha=0.05) > np.exp(1.125) for _ in range(400))
    assert misses <= stats.binom(400, 0.05).ppf(1 - 1e-6)
    assert mean_at_least(np.ones(5)) == 0.0
    assert 0.98 < mean_at_least(np.ones(10_000)) <= 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"runs": 0}, "runs=0 >= 1"),
        ({"runs": 3, "workers": 0}, "workers=0 >= 1"),
        ({"runs": 3, "chunk": 0}, "chunk=0 >= 1"),
        ({"runs": 3, "seed": -1}, "seed=-1 >= 0"),
        ({"runs": 3, "keep": ("noise",)}, "keep="),
        ({"runs": 3, "measure": {"m": lambda x: x}}, "measure 'm' to give one value per run"),
    ],
)
def test_bad_input_is_named(case, settings, message):
    with pytest.raises(ValueError, match=message):
        run(case.algorithm, case.data, **settings)


def test_steps_of_a_wrong_data_set_are_refused(case):
    with pytest.raises(ValueError, match="data with nan"):
        run(case.algorithm, case.data * np.nan, 3)
    with pytest.raises(ValueError, match="steps=0 >= 1"):
        private_gd(case.problem, clip=1.0, variances=Schedule(1.0), steps=0)
    with pytest.raises(ValueError, match=r"clip=0\.0 > 0"):
        private_gd(case.problem, clip=0.0, variances=Schedule(1.0), steps=2)
