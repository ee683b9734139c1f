"""Problems: closed forms against a naive twin, bounded influence of a record, true constants, true optima."""

import numpy as np
import pytest

from dpverify.problems import finite, least_squares, logistic, mean_estimation, network, quadratic, wavy

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((7, 3))
LABELS = np.where(RNG.random(7) < 0.5, -1.0, 1.0)
WIDE = RNG.standard_normal((3, 6))

CASES = {
    "quadratic": (quadratic([0.5, 1.0, 2.0], count=7), ROWS),
    "mean": (mean_estimation(3, count=7), ROWS),
    "squares": (least_squares(ROWS, count=7, ridge=0.1), (ROWS, LABELS)),
    "logistic": (logistic(ROWS, count=7, ridge=0.1), (ROWS, LABELS)),
    "wavy": (wavy(WIDE, count=3), (WIDE, RNG.standard_normal(3))),
    "network": (network(3, hidden=4, count=7), (ROWS, LABELS)),
}
ALL = pytest.mark.parametrize(("problem", "data"), CASES.values(), ids=CASES.keys())


def points(problem, runs, seed=1):
    return problem.start + np.random.default_rng(seed).standard_normal((runs, problem.dimension))


def record_gradient(problem, data, i, x):
    """One record's private gradient by central differences."""
    one = tuple(part[i : i + 1] for part in data) if isinstance(data, tuple) else data[i : i + 1]
    h = 1e-6
    slopes = []
    for j in range(problem.dimension):
        up, down = x.copy(), x.copy()
        up[j] += h
        down[j] -= h
        slopes.append(
            (problem.private_value(up[None], one)[0] - problem.private_value(down[None], one)[0]) / (2 * h)
        )
    return np.array(slopes)


def clip(vector, bound, order):
    length = np.linalg.norm(vector, ord=order)
    return vector if length <= bound else vector * (bound / length)


@ALL
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("difference", [False, True])
def test_clipped_sums_equal_the_naive_loop(problem, data, order, difference):
    loaded = problem.load(data)
    x, y = points(problem, 2), points(problem, 2, seed=2)
    gradients = np.array([[record_gradient(problem, data, i, row) for i in range(len(loaded))] for row in x])
    if difference:
        gradients = gradients - [
            [record_gradient(problem, data, i, row) for i in range(len(loaded))] for row in y
        ]
    minus = y if difference else None
    bound = np.median(np.linalg.norm(gradients, ord=order, axis=2))
    per_run = np.array([bound, bound / 2])
    batch = np.array([[0, 2, 2], [1, -1, 0]])
    mask = np.zeros((2, len(loaded)), dtype=bool)
    mask[0, 1] = mask[1, :2] = True
    for limit in (bound, per_run):
        limits = np.broadcast_to(limit, 2)
        cut = np.array([[clip(g, limits[r], order) for g in gradients[r]] for r in range(2)])
        close = {"rtol": 1e-5, "atol": 1e-6}
        assert np.allclose(
            problem.private_sum(x, data, limit, minus=minus, order=order), cut.sum(axis=1), **close
        )
        chosen = [cut[0, [0, 2, 2]].sum(axis=0), cut[1, [1, 0]].sum(axis=0)]
        assert np.allclose(
            problem.private_sum(x, data, limit, batch=batch, minus=minus, order=order), chosen, **close
        )
        masked = np.einsum("rn,rnd->rd", mask, cut)
        assert np.allclose(
            problem.private_sum(x, data, limit, batch=mask, minus=minus, order=order), masked, **close
        )


@ALL
def test_gradient_is_the_slope_of_the_value(problem, data):
    x, v = points(problem, 4), np.random.default_rng(5).standard_normal(problem.dimension)
    h = 1e-6
    slope = (problem.value(x + h * v, data) - problem.value(x - h * v, data)) / (2 * h)
    assert np.allclose(problem.gradient(x, data) @ v, slope, rtol=1e-5, atol=1e-7)
    assert np.allclose(
        problem.with_public(x, np.ones(x.shape)), problem.public_gradient(x) + np.ones(x.shape)
    )


@ALL
def test_slicing_the_records_changes_nothing(problem, data, monkeypatch):
    x = points(problem, 5)
    batch = np.array([[0, 1, 2]] * 5)
    few = np.eye(5, len(problem.load(data)), dtype=bool)

    def sums():
        batches = (None, batch, few, np.ones_like(few))
        return [
            *(problem.private_sum(x, data, 0.7, batch=chosen) for chosen in batches),
            problem.value(x, data),
        ]

    whole = sums()
    monkeypatch.setattr("dpverify.problems.records.ENTRIES", 16)
    for a, b in zip(whole, sums()):
        assert np.allclose(a, b, rtol=1e-12)


@ALL
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("size", [1e-300, 1.0, 1e150, 1e307])
def test_one_huge_or_tiny_record_moves_the_sum_by_at_most_the_clip(problem, data, order, size):
    features, targets = data if isinstance(data, tuple) else (data, None)
    other = features.copy()
    other[0] = size * np.sign(other[0] + 1e-9)
    pair = (other, targets) if targets is not None else other
    rest = (features[1:], targets[1:]) if targets is not None else features[1:]
    x = points(problem, 3)
    moved = problem.private_sum(x, pair, 0.5, order=order) - problem.private_sum(x, rest, 0.5, order=order)
    assert np.all(np.isfinite(moved))
    assert np.all(np.linalg.norm(moved, ord=order, axis=1) <= 0.5 * (1 + 1e-9))


@pytest.mark.parametrize("name", ["quadratic", "mean", "squares", "logistic", "wavy"])
def test_constants_hold_at_random_points(name):
    problem, data = CASES[name]
    x, y = 3 * points(problem, 400), 3 * points(problem, 400, seed=7)
    gx, gy = problem.gradient(x, data), problem.gradient(y, data)
    assert np.all(
        np.linalg.norm(gx - gy, axis=1) <= problem.smoothness * np.linalg.norm(x - y, axis=1) * (1 + 1e-9)
    )
    if problem.pl is not None:
        assert np.all((gx**2).sum(axis=1) >= 2 * problem.pl * problem.excess(x, data) * (1 - 1e-9) - 1e-12)
    if problem.lipschitz is not None:
        single = np.zeros((400, 1), dtype=int)
        private = problem.private_sum(x, data, batch=single)
        assert np.all(np.linalg.norm(private, axis=1) <= problem.lipschitz * (1 + 1e-9))
        assert np.all(np.abs(private).sum(axis=1) <= problem.lipschitz1 * (1 + 1e-9))


def test_the_wavy_problem_is_not_convex():
    problem, data = wavy(np.eye(1), count=1), (np.eye(1), np.zeros(1))
    a, b = np.array([[1.0]]), np.array([[2.2]])
    assert problem.value((a + b) / 2, data)[0] > (problem.value(a, data)[0] + problem.value(b, data)[0]) / 2


@pytest.mark.parametrize("name", CASES)
def test_the_optimum_is_stationary_and_beats_random_points(name):
    problem, data = CASES[name]
    best, value = problem.optimum(data)
    assert np.linalg.norm(problem.gradient(best[None], data)) < 1e-4
    assert np.isclose(problem.value(best[None], data)[0], value)
    assert np.all(
        problem.excess(best + 0.5 * points(problem, 50), data) >= (-1e-9 if name != "network" else -np.inf)
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: finite([1.0, np.nan], "data"), "data with nan"),
        (lambda: CASES["squares"][0].load((ROWS * np.inf, LABELS)), "data with"),
        (lambda: CASES["squares"][0].load((ROWS, LABELS * np.nan)), "targets with nan"),
        (lambda: CASES["squares"][0].load((ROWS[:0], LABELS[:0])), "at least one record, got data with 0"),
        (lambda: CASES["squares"][0].load((ROWS[:, :2], LABELS)), "width 3"),
        (lambda: CASES["squares"][0].load((ROWS, LABELS[:-1])), "one row per record"),
        (lambda: CASES["squares"][0].private_sum(np.zeros((1, 3)), (ROWS, LABELS), -1.0), "clip=-1.0 >= 0"),
        (
            lambda: CASES["network"][0].private_sum(points(CASES["network"][0], 1), (ROWS, LABELS), -1.0),
            "clip=-1.0 >= 0",
        ),
        (lambda: CASES["squares"][0].private_sum(np.zeros((1, 3)), (ROWS, LABELS), 1.0, order=3), "order=3"),
        (lambda: quadratic([1.0, 0.0], count=3), "spectrum > 0"),
        (lambda: quadratic([1.0], count=0), "count=0 >= 1"),
        (lambda: quadratic([1.0], count=1, start=[1.0, 2.0]), r"start of shape \(1,\)"),
        (lambda: wavy(ROWS, count=7), "records <= dimension"),
        (lambda: logistic(ROWS, count=7, ridge=-1.0), "ridge=-1.0 >= 0"),
        (lambda: network(2, hidden=0, count=3), "hidden=0 >= 1"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("count", [7, 400])
def test_sums_over_batches_of_a_quadratic_are_sums(count):
    rng = np.random.default_rng(0)
    problem, rows = quadratic([1.0, 2.0], count=count), rng.standard_normal((count, 2))
    x = np.zeros((300, 2))
    lists = rng.integers(0, count, size=(300, 30))  # with repeats
    distinct = np.array([rng.permutation(count)[:5] for _ in range(300)])
    for batch in (lists, distinct, rng.random((300, count)) < 0.3):
        total = problem.private_sum(x, rows, batch=batch)
        assert np.allclose(total, [-rows[chosen].sum(axis=0) for chosen in batch])


@ALL
def test_means_are_sums_over_a_number_and_may_be_asked_for_again(problem, data):
    x = points(problem, 4)
    batches = [None, np.array([[0, 1], [1, 2], [2, -1], [1, 1]]), np.eye(4, problem.count) > 0]
    for batch in batches:
        total = problem.private_sum(x, data, 0.5, batch=batch)
        for _ in range(2):
            mean = problem.private_mean(x, data, 0.5, 5.0, batch=batch)
            assert np.allclose(mean, total / 5.0, rtol=1e-12, atol=1e-14)
    fewer = problem.private_mean(x[:2], data, 0.5, 5.0)
    assert fewer.shape == (2, problem.dimension)
