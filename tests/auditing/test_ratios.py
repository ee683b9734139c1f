"""Each kind of column sees what it is for, and rounding alone is no difference."""

import numpy as np
import pytest

from dpverify.auditing import features
from dpverify.auditing.cells import learn_atoms, learn_cells, rounded, sort_columns
from dpverify.auditing.claimed import worst_pair
from dpverify.auditing.ratios import learn_ratios
from dpverify.auditing.sequential import increasing
from dpverify.auditing.trees import grow_trees
from dpverify.guarantees import PureDP

RNG = np.random.default_rng(3)
CLAIM = worst_pair(PureDP(1.0))


def separation(score, x, y):
    a, b = score.apply(x), score.apply(y)
    return abs(a.mean() - b.mean()) / (np.sqrt((a.var() + b.var()) / 2) + 1e-12)


def best(x, y):
    """The largest separation of a score learned on the first half, measured on the second."""
    half = len(x) // 2
    scores = learn_ratios(x[:half], y[:half], CLAIM)
    return max(((separation(s, x[half:], y[half:]), s.text) for s in scores), default=(0.0, ""))


def normal(width=3):
    return RNG.standard_normal((4000, width))


def bump(x):
    x[:200, 0] = RNG.uniform(0.3, 0.301, 200)
    return x[RNG.permutation(len(x))]


def correlated(x):
    x[:, 1] = 0.9 * x[:, 0] + np.sqrt(0.19) * x[:, 1]
    return x


def tied(x):
    x[:400, 2] = x[:400, 0]
    return x[RNG.permutation(len(x))]


def low_bit(x):
    return (x.view(np.uint64) | np.uint64(1)).view(float)


@pytest.mark.parametrize("leak", [bump, correlated, tied, low_bit], ids=lambda leak: leak.__name__)
def test_a_difference_is_learned_on_one_half_and_seen_on_the_other(leak):
    found, text = best(leak(normal()), normal())
    assert found > 0.2, text
    nothing, _ = best(normal(), normal())
    assert nothing < 0.12


@pytest.mark.parametrize("shift", [0.25, 0.3, 1.0, 3.0])
@pytest.mark.parametrize(("kind", "empty"), [(np.float64, 0), (np.float32, 29)])
def test_adding_a_constant_to_noise_moves_no_bit_that_counts(shift, kind, empty):
    noise = [RNG.standard_normal((4096, 1)).astype(kind) for _ in range(2)]
    x, y = (noise[0] + kind(shift)).astype(float), noise[1].astype(float)
    assert not [score for score in features.bits(x, y) if int(score.text.split()[1]) < empty + 12]


def test_sums_in_another_order_are_one_value():
    x, y = np.full((50, 1), 0.1 + 0.2), np.full((50, 1), 0.3)
    [column] = sort_columns(np.vstack([x, [[1.0]]]).T, np.vstack([y, [[1.0]]]).T)
    assert learn_atoms(column) is None
    assert len(np.unique(rounded(np.array([0.1 + 0.2, 0.3]), column.grain))) == 1


def test_cells_of_equal_sides_are_few_and_weak():
    [cells] = learn_cells(sort_columns(normal(1).T, normal(1).T))
    assert np.abs(cells.apply(normal(1)[:, 0])).mean() < 0.1


@pytest.mark.parametrize(
    ("values", "step"), [(np.arange(40) * 0.25 + 0.1, 0.25), (RNG.normal(size=300), 0.0)]
)
def test_a_lattice_is_recognised(values, step):
    assert features.lattice_step(RNG.permutation(values)) == pytest.approx(step)


def test_rows_have_equal_codes_if_and_only_if_they_are_equal():
    rows = RNG.integers(2, size=(2000, 12)).astype(float)
    codes = features.row_codes(rows)
    assert len(np.unique(codes)) == len(np.unique(rows, axis=0))


def test_growing_log_odds_keep_the_totals():
    p, q = increasing(np.array([3, 0, 9, 40]), np.array([20, 8, 9, 0]))
    assert p.sum() == pytest.approx(1) and q.sum() == pytest.approx(1)
    assert (np.diff(np.log(p / q)) >= -1e-12).all()


@pytest.mark.parametrize("differs", [True, False])
def test_trees_see_what_is_rare_and_far_from_the_rest(differs):
    """Few outputs lie between two clusters: above on one side and below on the other, or above on both."""
    rng = np.random.default_rng(0)

    def side(place):
        middle = rng.choice([[-1.0, 0.0], [1.0, 0.0]], size=16_384)
        middle[rng.random(len(middle)) < 0.005] = [0.0, place]
        return middle + 0.25 * rng.standard_normal(middle.shape)

    x, y = side(1.0), side(-1.0 if differs else 1.0)
    score = grow_trees(x[:8192], y[:8192])
    between = [rest[(np.abs(rest[:, 0]) < 0.4) & (rest[:, 1] > 0.6)] for rest in (x[8192:], y[8192:])]
    above = np.concatenate(between)
    assert len(above) > 20 and (score(above).mean() > 0.7) == differs
