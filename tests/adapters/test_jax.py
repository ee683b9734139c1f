"""jax-privacy and Optax: every target ends as known, planted bugs are caught, and each finding is shown by
hand.
"""

import os
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")  # compiles in half the time
jax_privacy = pytest.importorskip("jax_privacy", reason='needs pip install ".[jax]"')

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import optax  # noqa: E402
from jax_privacy import batch_selection, clipping, noise_addition  # noqa: E402
from scipy.stats import binomtest, chi2  # noqa: E402

import dpverify.adapters.jax_privacy as adapter  # noqa: E402
from dpverify.adapters import Target  # noqa: E402
from dpverify.adapters.jax_privacy import factors, running, training  # noqa: E402
from dpverify.adapters.jax_privacy.gradients import check_gradients, models  # noqa: E402
from dpverify.adapters.jax_privacy.running import float64, linear_loss  # noqa: E402
from dpverify.adapters.optax import TARGETS as OF_OPTAX  # noqa: E402
from dpverify.auditing.sampling import call  # noqa: E402
from dpverify.properties import LAWS  # noqa: E402
from dpverify.properties.examination import examine  # noqa: E402
from dpverify.releases import Gaussian  # noqa: E402
from dpverify.verdicts import REFUTED, SUPPORTED  # noqa: E402

ALPHA = 1e-6  # of each statistical statement below; their seeds are fixed
TARGETS = {target.name: target for target in (*adapter.TARGETS, *OF_OPTAX)}


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_ends_as_known(name):
    examination = examine(TARGETS[name])
    assert examination.surprises == [], {law: examination.outcomes[law] for law in examination.surprises}


def test_half_the_noise_of_the_keras_api_is_caught(monkeypatch):
    noise = noise_addition.gaussian_privatizer
    monkeypatch.setattr(noise_addition, "gaussian_privatizer", lambda stddev: noise(stddev=stddev / 2))
    subject = TARGETS["jax-privacy:keras"](clip=2.0, queried=True)  # models that no other test has compiled
    found = LAWS["noise"](subject)
    assert found.verdict is REFUTED, found.because
    assert LAWS["sensitivity"](subject).verdict is SUPPORTED


def test_the_keras_api_takes_batches_that_divide_the_records():
    with pytest.raises(ValueError, match="Expected batch=2 times accumulation=1 to divide 3"):
        TARGETS["jax-privacy:keras"](records=3)


def drawn(subject, seed=0, runs=1):
    return call(subject.mechanism, subject.neighbours.data, np.random.SeedSequence(seed), runs)


@pytest.mark.parametrize(
    "name", ["jax-privacy:dpsgd", "jax-privacy:poisson", "jax-privacy:bandmf", "optax:dpsgd"]
)
def test_same_seed_same_output(name):
    subject = TARGETS[name]()
    assert np.array_equal(drawn(subject), drawn(subject))
    assert not np.array_equal(drawn(subject), drawn(subject, seed=1))


def test_a_run_is_the_same_alone_and_among_many():
    subject = TARGETS["jax-privacy:dpsgd"]()
    assert np.allclose(drawn(subject)[0], drawn(subject, runs=5000)[0], rtol=1e-12)


def test_the_precision_of_jax_is_left_as_it_was():
    before = jnp.zeros(1).dtype
    drawn(TARGETS["jax-privacy:dpsgd"]())
    assert jnp.zeros(1).dtype == before


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("jax-privacy:dpsgd", {"clip": -1.0}, "Expected clip=-1.0 > 0."),
        ("jax-privacy:dpsgd", {"microbatch": -2}, "Expected microbatch=-2 >= 0."),
        (
            "jax-privacy:bfloat16",
            {"dtype": "int8"},
            "Expected dtype='int8' to be bfloat16, float16 or float32.",
        ),
        ("jax-privacy:bandmf", {"rate": 2.0}, "Expected rate=2.0 <= 1."),
        ("jax-privacy:tree", {"steps": 0}, "Expected steps=0 > 0."),
        ("optax:dpsgd", {"momentum": 1.0}, "Expected 0 <= momentum=1.0 < 1."),
        (
            "optax:dpsgd",
            {"dtype": "int8"},
            "Expected dtype='int8' to be bfloat16, float16, float32 or float64.",
        ),
        ("optax:aggregate", {"batches": 3}, "among the settings of optax:aggregate"),
    ],
)
def test_bad_settings_are_named(name, settings, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.").replace("(", r"\(")):
        TARGETS[name](**settings)


def planted(gradient=None, privatizer=None):
    """jax-privacy:dpsgd with a gradient or a privatizer of ours."""
    right = jax_privacy.clipped_grad(linear_loss, l2_clip_norm=1.0)
    privatizer = privatizer or (lambda key: noise_addition.gaussian_privatizer(stddev=1.0, prng_key=key))

    def build(steps: int = 4):
        subject = training.dpsgd(steps=steps)
        trainer = running.trainer_of(gradient or right, privatizer, steps, "all")
        declared = Gaussian(1.0, training._sensitivity(right))
        return type(subject)(
            training._descent(trainer, steps, declared), subject.claim, subject.neighbours, "", runs=4000
        )

    return Target("mine:planted", "", "", build)


def transformed(update):
    """A privatizer that draws a tree of standard normal numbers by `update(key, tree)` in every step."""

    def privatizer(key):
        def step(tree, key, params=None):
            noise, key = update(key, tree)
            return jax.tree.map(jnp.add, tree, noise), key

        return optax.GradientTransformation(lambda params: key, step)

    return privatizer


def same_key_for_every_leaf(key, tree):
    return jax.tree.map(lambda leaf: jax.random.normal(key, leaf.shape, leaf.dtype), tree), jax.random.split(
        key
    )[0]


def same_key_in_every_step(key, tree):
    return optax.tree.random_like(key, tree, sampler=jax.random.normal), key


def right_keys(key, tree):
    now, later = jax.random.split(key)
    return optax.tree.random_like(now, tree, sampler=jax.random.normal), later


def per_leaf(w, x):
    """Clips every leaf to the whole norm."""
    parts = [
        jax_privacy.clipped_grad(
            lambda leaf, x, name=name: linear_loss({**w, name: leaf}, x), l2_clip_norm=1.0
        )(w[name], x)
        for name in w
    ]
    return dict(zip(w, parts))


BUGS = {
    "no clip": ("sensitivity", planted(gradient=jax_privacy.clipped_grad(linear_loss, l2_clip_norm=1e9))),
    "clips the mean": (
        "sensitivity",
        planted(gradient=lambda w, x: clipping.clip_pytree(jax.grad(linear_loss)(w, x), 1.0)[0]),
    ),
    "every leaf to the whole norm": ("sensitivity", planted(gradient=per_leaf)),
    "half the noise": (
        "noise",
        planted(privatizer=lambda key: noise_addition.gaussian_privatizer(stddev=0.5, prng_key=key)),
    ),
    "same key for every leaf": ("noise", planted(privatizer=transformed(same_key_for_every_leaf))),
    "same key in every step": ("noise", planted(privatizer=transformed(same_key_in_every_step))),
    "NaN goes through": (
        "nan",
        planted(gradient=jax_privacy.clipped_grad(linear_loss, l2_clip_norm=1.0, nan_safe=False)),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_are_caught(bug):
    law, target = BUGS[bug]
    assert LAWS[law](target()).verdict is REFUTED


def test_the_twin_without_a_bug_passes():
    target = planted(privatizer=transformed(right_keys))
    assert {LAWS[law](target()).verdict for law in ("sensitivity", "noise", "nan")} == {SUPPORTED}


def test_nan_safe_is_what_keeps_nan_out():
    bound = {True: SUPPORTED, False: REFUTED}
    for safe, verdict in bound.items():
        target = Target("mine:nan", "", "", partial(training.dpsgd, nan_safe=safe))
        assert LAWS["nan"](target()).verdict is verdict


@pytest.mark.parametrize(("dtype", "verdict"), [("float32", SUPPORTED), ("bfloat16", REFUTED)])
def test_float32_keeps_its_claim_but_for_its_lowest_bits(dtype, verdict):
    subject = training.low_precision(dtype=dtype)
    plain = subject.mechanism

    def rounded(data, rng, runs):
        return np.round(plain(data, rng, runs) * 2.0**12) / 2.0**12

    coarse = replace(subject, mechanism=rounded)
    assert LAWS["training"](coarse).verdict is verdict
    assert LAWS["huge"](coarse).verdict is verdict
    assert LAWS["nan"](coarse).verdict is SUPPORTED


def test_noise_in_float32_mends_bfloat16():
    target = Target("mine:mended", "", "", partial(training.low_precision, noise_dtype="float32"))
    assert LAWS["step"](target()).verdict is SUPPORTED


# per-example gradients


@pytest.mark.parametrize("name", ["two layers", "attention", "shared parameters"])
def test_gradients_of_models_agree(name):
    with float64():
        loss, params, batch = models()[name]
        result = check_gradients(loss, params, *batch, model=name, microbatch_size=3)
    assert result.verdict is SUPPORTED
    assert result.evidence.certificate["comparisons"] == 3


def linear(w, x, y):
    return ((x @ w["slope"] + w["shift"] - y) ** 2).mean()


X, Y = np.random.default_rng(0).normal(size=(6, 3)), np.random.default_rng(1).normal(size=6)
W = {"slope": np.array([1.0, -1.0, 0.5]), "shift": np.array(0.3)}


def test_a_loss_of_several_arguments_and_of_one_record():
    def one(w, x, y):
        return (x @ w["slope"] + w["shift"] - y) ** 2

    assert check_gradients(linear, W, X, Y).verdict is SUPPORTED
    assert check_gradients(one, W, X, Y, keep_batch_dim=False, whole=linear).verdict is SUPPORTED
    assert check_gradients(lambda w, x, y: (linear(w, x, y), x), W, X, Y, has_aux=True).verdict is SUPPORTED


def batch_norm(w, x, y):
    scaled = (x - x.mean(axis=0)) / jnp.sqrt(x.var(axis=0) + 1e-5)
    return ((scaled @ w["slope"] + w["shift"] - y) ** 2).mean()


def mixes(w, x, y):
    return ((x @ w["slope"] + w["shift"]).mean() - y.mean()) ** 2


def broadcasts(w, x, y):
    return ((x @ w["slope"] + w["shift"] - y[:, None]) ** 2).mean()


@pytest.mark.parametrize("loss", [batch_norm, mixes, broadcasts])
def test_losses_that_mix_records_are_found(loss):
    result = check_gradients(loss, W, X, Y)
    assert result.verdict is REFUTED
    assert "mixes records" in result.because
    assert any(f"'{leaf}'" in result.because for leaf in W)


def test_wrong_settings_of_clipped_grad_are_found():
    def counts(
        w, x, y
    ):  # divides by the length of the first axis, which is that of a record without keep_batch_dim
        return ((x @ w["slope"] + w["shift"] - y) ** 2).sum() / x.shape[0]

    assert check_gradients(counts, W, X, Y).verdict is SUPPORTED
    assert check_gradients(counts, W, X, Y, keep_batch_dim=False, whole=counts).verdict is REFUTED
    assert check_gradients(linear, W, X, Y, reduction="sum").verdict is REFUTED
    assert (
        check_gradients(
            linear, W, X, Y, pre_clipping_transform=lambda g: {**g, "slope": 2 * g["slope"]}
        ).verdict
        is REFUTED
    )


def test_misuse_of_check_gradients_is_named():
    with pytest.raises(ValueError, match="Expected reduction='max'"):
        check_gradients(linear, W, X, Y, reduction="max")
    with pytest.raises(ValueError, match="Expected at least one array"):
        check_gradients(linear, W)


# what jax-privacy says of padding, sampling and correlated noise


def test_padding_does_not_count():
    with float64():
        gradient = jax_privacy.clipped_grad(linear_loss, l2_clip_norm=1.0)
        rows = np.random.default_rng(0).normal(size=(6, 4))
        padding = np.array([False, True, False, True, True, False])
        alone = gradient(running.weights(), rows[~padding])
        for size in (None, 2, 3):
            padded = jax_privacy.clipped_grad(linear_loss, l2_clip_norm=1.0, microbatch_size=size)(
                running.weights(), np.where(padding[:, None], np.nan, rows), is_padding_example=padding
            )
            assert all(np.allclose(padded[name], alone[name], rtol=1e-12) for name in alone)


def covariance_p(noise, covariance):
    """The p-value of: rows of noise are N(0, covariance), by the variances of e_i and e_i +- e_j, which
    determine it (Bonferroni).
    """
    eye = np.eye(len(covariance))
    pairs = [(i, j) for i in range(len(eye)) for j in range(i)]
    directions = [*eye, *(eye[i] + sign * eye[j] for i, j in pairs for sign in (1, -1))]
    ratios = [((noise @ u) ** 2).sum() / (u @ covariance @ u) for u in directions]
    tails = [2 * min(chi2.cdf(ratio, len(noise)), chi2.sf(ratio, len(noise))) for ratio in ratios]
    return min(1.0, len(directions) * min(tails))


@pytest.mark.parametrize("kind", ["toeplitz", "tree"])
def test_correlated_noise_has_covariance_n_n_transposed_and_not_the_documented_one(kind):
    steps = 4
    trainer, noising, scale, _ = factors._factorised(kind, steps, 0.5, 1.0)
    rows, padding = factors._in_turn(np.zeros((1, 4)), steps)
    queries, releases = trainer(rows, np.arange(20_000), padding)
    noise = (releases - queries)[:, :, 0] / scale
    assert covariance_p(noise, noising @ noising.T) > ALPHA
    if kind == "toeplitz":  # of the tree, N^T N is the covariance of the nodes
        assert covariance_p(noise, noising.T @ noising) < ALPHA
    assert covariance_p(noise, np.diag(np.diag(noising @ noising.T))) < ALPHA


def test_the_noising_matrix_of_a_tree_adds_up_to_few_nodes():
    noising, most = factors._tree(8)
    sums = np.cumsum(noising, axis=0)
    assert most == 4
    assert set(np.unique(sums)) == {0.0, 1.0}
    assert sums.sum(axis=1).tolist() == [1, 1, 2, 1, 2, 2, 3, 1]


def batches(strategy, records, runs, seed=0):
    """Who is in which batch: (runs, steps, records)."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros((runs, strategy.iterations, records), dtype=bool)
    for run in chosen:
        for row, batch in zip(run, strategy.batch_iterator(records, rng)):
            assert len(np.unique(batch)) == len(batch)
            row[batch] = True
    return chosen


def test_poisson_batches_are_independent_coins():
    chosen = batches(batch_selection.CyclicPoissonSampling(sampling_prob=0.3, iterations=3), 4, 3000).reshape(
        3000, -1
    )
    assert binomtest(int(chosen.sum()), chosen.size, 0.3).pvalue > ALPHA
    pairs = [(i, j) for i in range(chosen.shape[1]) for j in range(i)]
    assert (
        min(binomtest(int((chosen[:, i] & chosen[:, j]).sum()), 3000, 0.09).pvalue for i, j in pairs)
        * len(pairs)
        > ALPHA
    )


@pytest.mark.parametrize("partition", list(batch_selection.PartitionType))
def test_cyclic_batches_come_round_at_the_length_of_the_cycle(partition):
    strategy = batch_selection.CyclicPoissonSampling(
        sampling_prob=0.7, iterations=6, cycle_length=3, partition_type=partition
    )
    chosen = batches(strategy, 9, 500)
    assert ((chosen.reshape(500, 2, 3, 9).any(axis=1)).sum(axis=1) <= 1).all()
    assert binomtest(int(chosen.sum()), 500 * 2 * 9, 0.7).pvalue > ALPHA


def test_other_batches_are_what_they_are_called():
    fixed = batches(batch_selection.FixedBatchSampling(batch_size=2, iterations=3), 5, 500)
    assert (fixed.sum(axis=2) == 2).all()
    cut = batches(
        batch_selection.CyclicPoissonSampling(sampling_prob=0.9, iterations=3, truncated_batch_size=2), 5, 500
    )
    assert (cut.sum(axis=2) <= 2).all()
    bins = batches(batch_selection.BallsInBinsSampling(iterations=4, cycle_length=2), 5, 500)
    assert (bins[:, :2].sum(axis=1) == 1).all()
    assert np.array_equal(bins[:, :2], bins[:, 2:])
    apart = batches(batch_selection.BMinSepSampling(sampling_prob=0.5, iterations=8, min_sep=3), 5, 500)
    assert not ((apart[:, 1:] & apart[:, :-1]).any() or (apart[:, 2:] & apart[:, :-2]).any())


# findings that are no targets: jax-privacy 2.0.0, optax 0.2.8


@pytest.mark.parametrize(("dtype", "values"), [("bfloat16", 128), ("float16", 1024)])
def test_low_precision_noise_has_few_values(dtype, values):
    zeros = jnp.zeros(100_000, dtype)
    privatizer = noise_addition.gaussian_privatizer(stddev=1.0, prng_key=0)
    released, _ = privatizer.update(zeros, privatizer.init(zeros))
    aggregate = optax.contrib.differentially_private_aggregate(1.0, 1.0, key=0)
    noisy, _ = aggregate.update([zeros[None]], aggregate.init(None))
    for noise in (np.asarray(released.astype(float)), np.asarray(noisy[0].astype(float))):
        assert len(np.unique(noise)) <= values
        assert abs(noise).max() < 3.5


def test_squared_norms_of_many_bfloat16_leaves_stop_growing():
    tree = [jnp.ones(1, "bfloat16")] * 1000
    clipped, norm = clipping.clip_pytree(tree, 1.0)
    assert float(norm) == 16.0  # sqrt(1000) is 31.6
    assert np.sqrt(sum(float(leaf[0]) ** 2 for leaf in clipped)) > 1.9
    wide, _ = clipping.clip_pytree([leaf.astype("float32") for leaf in tree], 1.0)
    assert np.sqrt(sum(float(leaf[0]) ** 2 for leaf in wide)) < 1.000001


def test_rescaling_at_a_tiny_clip_loses_the_norm():
    gradient = np.array([0.9e-19] * 1000 + [1.2e-19], dtype=np.float32)
    rescaled, _ = clipping.clip_pytree(gradient, 1e-19, rescale_to_unit_norm=True)
    assert np.linalg.norm(np.asarray(rescaled, dtype=float)) > 20  # at most 1 is guaranteed


def test_a_dense_noising_matrix_repeats_its_last_row():
    privatizer = noise_addition.matrix_factorization_privatizer(np.eye(2), stddev=1.0, prng_key=1)
    state, noise = privatizer.init(jnp.zeros(3)), []
    for _ in range(3):
        released, state = privatizer.update(jnp.zeros(3), state)
        noise.append(np.asarray(released))
    assert not np.array_equal(noise[0], noise[1])
    assert np.array_equal(noise[1], noise[2])


def test_an_empty_batch_is_refused():
    with pytest.raises(ValueError, match="num_microbatches=0"):
        jax_privacy.clipped_grad(linear_loss, l2_clip_norm=1.0)(running.weights(), np.zeros((0, 4)))


def test_optax_clips_layers_to_the_whole_norm_together():
    rng = np.random.default_rng(0)
    leaves = [jnp.asarray(100 * rng.normal(size=(1, width))) for width in (1, 2, 5)]
    for uniform in (True, False):
        clipped, _ = optax.per_example_layer_norm_clip(leaves, 2.0, uniform=uniform)
        assert float(optax.tree.norm(clipped)) == pytest.approx(2.0, rel=1e-5)


def test_gradients_that_are_not_finite_break_optax():
    for value in (np.nan, np.inf):
        clipped, _ = optax.per_example_global_norm_clip([jnp.array([[value, 1.0], [1.0, 0.0]])], 1.0)
        assert np.isnan(clipped[0]).any()
