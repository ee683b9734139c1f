"""Releases draw what they declare: the law of the noise, its density, and the law of secret batches."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT
from dpverify.releases import Gaussian, Laplace, NotEnumerable, Subsampled, TreeNode

ONE = {REPLACE: 1.0}


@pytest.mark.parametrize(
    ("release", "law"),
    [(Gaussian(1.7, ONE), stats.norm(scale=1.7)), (Laplace(1.7, ONE), stats.laplace(scale=1.7))],
)
def test_noise_follows_the_declared_law(release, law):
    drawn = release.noise(np.random.default_rng(1), (200, 50)).ravel()
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-6  # false alarm below 1e-6 per run
    assert np.isclose(release.variance(), law.var())


@pytest.mark.parametrize(
    ("release", "law"), [(Gaussian(1.7, ONE), stats.norm), (Laplace(1.7, ONE), stats.laplace)]
)
def test_log_density_is_that_of_the_law_at_every_unit(release, law):
    residual = np.random.default_rng(0).standard_normal((6, 3))
    unit = np.linspace(0.5, 3, 6)
    assert np.allclose(release.log_density(residual), law(scale=1.7).logpdf(residual).sum(axis=1))
    assert np.allclose(
        release.log_density(residual, unit), law(scale=1.7 * unit[:, None]).logpdf(residual).sum(axis=1)
    )


@pytest.mark.parametrize("kind", [Gaussian, Laplace])
def test_without_noise_only_the_value_itself_is_possible(kind):
    silent = kind(0.0, ONE)
    assert silent.noise(np.random.default_rng(0), (2, 2)).tolist() == [[0, 0], [0, 0]]
    assert silent.log_density(np.array([[0.0], [1.0]])).tolist() == [0.0, -math.inf]
    assert silent.ratio(REPLACE) == math.inf


def test_nodes_of_a_tree_have_their_own_scales():
    node = TreeNode((1.0, 3.0), {REPLACE: (1.0, 1.0)}, ((2, 2), (1, 2)), period=2)
    drawn = node.noise(np.random.default_rng(0), (20_000, 2, 1))
    for k, scale in enumerate(node.scale):
        assert stats.kstest(drawn[:, k, 0], stats.norm(scale=scale).cdf).pvalue > 1e-6
    residual = drawn[:4]
    expected = stats.norm(scale=1.0).logpdf(residual[:, 0, 0]) + stats.norm(scale=3.0).logpdf(
        residual[:, 1, 0]
    )
    assert np.allclose(node.log_density(residual), expected)


def counts(batch, n):
    """How often each record is in each batch."""
    if batch.dtype == bool:
        return batch.astype(int)
    return np.stack([(batch == i).sum(axis=1) for i in range(n)], axis=1)


@pytest.mark.parametrize(
    ("size", "of", "first"),
    [
        (1, 6, None),
        (2, 20, None),
        (4, 6, None),
        (6, 6, None),
        (2, 3, 4),
    ],  # one, Floyd, a mask, everybody, a shard
)
def test_every_subset_without_replacement_is_as_likely_as_any_other(size, of, first):
    runs, total = 40_000, 20
    step = Subsampled(Gaussian(1.0, ONE), size=size, of=of, first=first)
    drawn = counts(step.batch(np.random.default_rng(2), runs, None if first is None else total), total)
    assert drawn.max() == 1
    assert (drawn.sum(axis=1) == size).all()
    start = first or 0
    subsets = {subset: k for k, subset in enumerate(itertools.combinations(range(start, start + of), size))}
    seen = np.bincount([subsets[tuple(np.flatnonzero(row))] for row in drawn], minlength=len(subsets))
    assert len(subsets) == 1 or stats.chisquare(seen).pvalue > 1e-6  # false alarm once in a million


def test_the_path_for_large_batches_of_many_records_is_uniform_too():
    step = Subsampled(Gaussian(1.0, ONE), size=300, of=3000)
    batch = step.batch(np.random.default_rng(0), 500)
    assert all(len(set(row)) == 300 for row in batch)
    assert stats.chisquare(np.bincount(batch.ravel(), minlength=3000)).pvalue > 1e-6


@pytest.mark.parametrize("size", [0.3, 2.5])  # record numbers, a mask
def test_poisson_batches_take_each_record_by_itself(size):
    runs, n = 40_000, 8
    drawn = counts(
        Subsampled(Gaussian(1.0, ONE), size=size, of=n, how="poisson").batch(np.random.default_rng(3), runs),
        n,
    )
    codes = drawn[:, :4] @ [1, 2, 4, 8]
    q = size / n
    expected = [runs * math.prod(q if code >> i & 1 else 1 - q for i in range(4)) for code in range(16)]
    keep = np.array(expected) > 5
    seen = np.bincount(codes, minlength=16)
    seen, expected = (
        np.append(seen[keep], seen[~keep].sum()),
        np.append(np.array(expected)[keep], np.array(expected)[~keep].sum()),
    )
    if expected[-1] == 0:
        seen, expected = seen[:-1], expected[:-1]
    assert stats.chisquare(seen, expected).pvalue > 1e-6


def test_poisson_batches_follow_the_data_set_at_hand():
    step = Subsampled(Gaussian(1.0, ONE), size=4, of=8, how="poisson")
    assert step.batch(np.random.default_rng(0), 3, records=7).shape == (3, 7)
    with pytest.raises(ValueError, match="of=8 records"):
        Subsampled(Gaussian(1.0, ONE), size=4, of=8).batch(np.random.default_rng(0), 3, records=7)


@pytest.mark.parametrize("how", ["without replacement", "with replacement", "poisson"])
def test_listed_batches_have_the_probabilities_of_drawn_ones(how):
    values = np.array([0, 1, 1, 2, 2])
    step = Subsampled(Gaussian(1.0, ONE), size=2, of=5, how=how)
    batch, log = step.batches(values)
    assert np.isclose(np.exp(log).sum(), 1)
    drawn = counts(step.batch(np.random.default_rng(4), 40_000), 5)
    kinds = np.stack([drawn[:, values == g].sum(axis=1) for g in range(3)], axis=1)
    listed = [tuple(row[values == g].sum() for g in range(3)) for row in counts(batch, 5)]
    seen = np.array([(kinds == kind).all(axis=1).sum() for kind in listed])
    assert seen.sum() == 40_000
    assert stats.chisquare(seen, 40_000 * np.exp(log)).pvalue > 1e-6


def test_too_many_batches_to_list_are_refused_with_their_number():
    with pytest.raises(NotEnumerable, match="50 of 100 records with 100 distinct"):
        Subsampled(Gaussian(1.0, ONE), size=50, of=100).batches(np.arange(100))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gaussian(-1.0, ONE), "scale=-1.0 >= 0"),
        (lambda: Gaussian(math.nan, ONE), "scale=nan >= 0"),
        (lambda: Laplace(-1.0, ONE), "scale=-1.0 >= 0"),
        (lambda: Gaussian(1.0, {}), "at least one neighbouring relation"),
        (lambda: Gaussian(1.0, {REPLACE: -2.0}), r"sensitivity\[replace\]=-2.0 >= 0"),
        (lambda: Gaussian(1.0, ONE).ratio(ADD_REMOVE), "adjacency='add/remove'"),
        (lambda: Subsampled(Gaussian(1.0, ONE), size=7, of=5), "size=7 <= of=5"),
        (lambda: Subsampled(Gaussian(1.0, ONE), size=0, of=5), "0 < size=0"),
        (lambda: Subsampled(Gaussian(1.0, ONE), size=1.5, of=5), "whole size=1.5"),
        (lambda: Subsampled(Gaussian(1.0, ONE), size=1, of=5, how="shuffled"), "how='shuffled'"),
        (lambda: TreeNode((1.0,), {ZERO_OUT: (1.0, 2.0)}, ((1, 1),), 2), "one sensitivity per node"),
        (lambda: TreeNode((1.0,), {ZERO_OUT: (1.0,)}, ((2, 1),), 2), "first <= last"),
        (lambda: TreeNode((1.0,), {ZERO_OUT: (1.0,)}, ((1, 1),), 0), "period=0 >= 1"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("chance", [0.1, 0.0625 + 1e-6, 0.999999, 1.0])
def test_poisson_coins_have_their_chance_beyond_eight_bits(chance):
    release = Subsampled(Gaussian(1.0, ONE), size=chance * 1000, of=1000, how="poisson")
    rng, shown = np.random.default_rng(0), 0
    for _ in range(20):
        shown += int(release.batch(rng, 1000).sum())
    spread = math.sqrt(2e7 * chance * (1 - chance))
    assert abs(shown - 2e7 * chance) <= 6 * spread  # false alarm below 1e-8


@pytest.mark.parametrize("name", ["SFC64", "PCG64", "PCG64DXSM", "Philox", "MT19937"])
def test_words_are_the_numbers_of_sixty_four_bits_that_a_generator_gives(name):
    from dpverify.releases.subsampled import _words

    rng, twin = (np.random.Generator(getattr(np.random, name)(5)) for _ in range(2))
    words = _words(rng, 1000)
    assert np.array_equal(words, twin.integers(0, 2**64 - 1, size=1000, dtype=np.uint64, endpoint=True))
    assert rng.random() == twin.random()  # and as many of them were used up
    assert np.all(np.bitwise_or.reduce(words) == np.uint64(2**64 - 1))  # false alarm below 64 / 2^1000


def test_coins_that_eight_bits_leave_open_are_decided_by_their_own_chance():
    from dpverify.releases.subsampled import _coins

    chance = 0.5 / 2**8  # only the open ones can show True: every second of them
    shown = sum(int(_coins(np.random.default_rng(k), (1000, 2000), chance).sum()) for k in range(2))
    mean = 4e6 * chance
    assert abs(shown - mean) < 6 * math.sqrt(mean)  # false alarm below 1e-8
