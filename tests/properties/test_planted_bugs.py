"""Each law catches a planted bug: a small change to a correct algorithm that the law must refuse, while the
others may not notice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.algorithms import example
from dpverify.engine import Answer
from dpverify.guarantees import GDP, ZCDP, PureDP
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours
from dpverify.properties import LAWS, Subject
from dpverify.releases import Gaussian
from dpverify.verdicts import REFUTED, SUPPORTED

GOOD = example("private-gd", steps=6)
BUGS = {}


def bug(law):
    def add(function):
        BUGS[function.__name__] = (law, function)
        return function

    return add


def changed(case=GOOD, **functions):
    return replace(case, algorithm=replace(case.algorithm, **functions))


@bug("sensitivity")
def forgotten_clip():
    problem = GOOD.problem
    return changed(query=lambda data, state: problem.private_sum(state.x, data) / problem.count)


@bug("sensitivity")
def mean_over_the_records_at_hand():
    problem = GOOD.problem
    return changed(query=lambda data, state: problem.private_sum(state.x, data, 1.0) / len(data))


@bug("sensitivity")
def clipped_in_the_wrong_norm():
    case = example("dp-gd", steps=4)
    problem = case.problem
    return changed(
        case, query=lambda data, state: problem.private_sum(state.x, data, 1.0, order=2) / problem.count
    )


@bug("sensitivity")
def node_charged_for_a_zeroed_record():
    case = example("dp-nsgd", steps=20)
    good = case.algorithm.release
    return changed(
        case, release=lambda t: replace(good(t), sensitivity={REPLACE: good(t).sensitivity[ZERO_OUT]})
    )


@bug("scale")
def noise_scaled_by_the_data():
    query = GOOD.algorithm.query
    return changed(
        query=lambda data, state: Answer(
            query(data, state), np.full(len(state.x), 1 + np.abs(data.features).max())
        )
    )


@bug("nan")
def data_not_checked():
    def query(data, state):
        return np.tile(np.clip(data, -1, 1).sum(axis=0) / 200, (len(state.x), 1))

    return changed(load=lambda data: data, query=query)


@bug("budget")
def printed_noise_for_another_relation():
    return example("private-gd", as_printed=True, adjacency=REPLACE)


@bug("budget")
def printed_scale_of_a_batch():
    return example("dp-nag", as_printed=True, batch=50)


@bug("postprocessing")
def update_peeks():
    seen = []
    query, update = GOOD.algorithm.query, GOOD.algorithm.update

    def peeking_query(data, state):
        seen[:] = [data.features.sum(axis=0)]
        return query(data, state)

    def peeking_update(state, released):
        new = update(state, released)
        return new._replace(x=new.x + 1e-9 * seen[0])

    return changed(query=peeking_query, update=peeking_update)


class Short(Gaussian):
    """Noise of half the scale that it declares."""

    def noise(self, rng, shape):
        return 0.5 * super().noise(rng, shape)


class Stale(Gaussian):
    """The same noise for every run."""

    def noise(self, rng, shape):
        return np.broadcast_to(super().noise(rng, (1, *shape[1:])), shape).copy()


class Paired(Gaussian):
    """The same noise in neighbouring coordinates, up to its sign."""

    def noise(self, rng, shape):
        drawn = super().noise(rng, shape)
        drawn[..., 1::2] = drawn[..., : 2 * (shape[-1] // 2) : 2] * rng.choice(
            [-1.0, 1.0], size=drawn[..., 1::2].shape
        )
        return drawn


class Dense(Gaussian):
    """A density with twice the scale of its noise."""

    def log_density(self, residual, unit=None):
        return Gaussian(2 * self.scale, self.sensitivity).log_density(residual, unit)


class Flat(Gaussian):
    """A cost that does not fall as the noise grows."""

    def ratio(self, adjacency):
        return 0.1


def with_release(kind):
    kind.__name__ = "Gaussian"  # it says that it is

    def release(t):
        good = GOOD.algorithm.release(t)
        return kind(good.scale, good.sensitivity)

    return changed(release=release)


@bug("noise")
def noise_half_as_large():
    return with_release(Short)


@bug("noise")
def noise_shared_by_runs():
    return with_release(Stale)


@bug("noise")
def noise_shared_by_coordinates():
    return with_release(Paired)


@bug("likelihood")
def loss_of_other_noise():
    return with_release(Dense)


@bug("normal")
def loss_of_other_noise_on_a_quadratic():
    return with_release(Dense)


@bug("doubling")
def cost_that_stays():
    return with_release(Flat)


@bug("moments")
def moments_of_other_noise():
    return with_release(Short)


@bug("bound")
def step_in_the_wrong_direction():
    return changed(
        update=lambda state, released: state._replace(
            x=state.x + GOOD.problem.public_gradient(state.x) + released, t=state.t + 1
        )
    )


@bug("noiseless")
def momentum_without_restart():
    case = example("dp-masg")
    name, settings = case.limit
    return replace(case, limit=(name, {**settings, "restarts": []}))


@bug("noiseless")
def clip_left_active():
    case = example("dp-gd")
    problem = case.problem
    return changed(
        case, query=lambda data, state: problem.private_sum(state.x, data, 0.5, order=1) / problem.count
    )


@bug("forms")
def averages_with_another_weight():
    case = example("dp-shb")
    one, other = case.forms()["Eqs (3.6) and (3.7): a step along the average"]
    return replace(
        case,
        forms=lambda: {"the average": (one, replace(other, update=lambda s, r: other.update(s, 0.9 * r)))},
    )


@bug("affine")
def noise_inside_the_clip():
    case = example("dp-gd")
    update = case.algorithm.update
    return changed(case, update=lambda state, released: update(state, np.clip(released, -0.1, 0.1)))


@bug("seeds")
def randomness_from_elsewhere():
    own = np.random.default_rng(0)
    update = GOOD.algorithm.update
    return changed(update=lambda s, r: update(s, r + 1e-6 * own.standard_normal(r.shape)))


class Frozen(Gaussian):
    """Noise from a seed of its own."""

    def noise(self, rng, shape):
        return super().noise(np.random.default_rng(0), shape)


@bug("fresh")
def noise_with_a_fixed_seed():
    return with_release(Frozen)


@bug("rows")
def mean_over_the_runs():
    update = GOOD.algorithm.update
    return changed(update=lambda state, released: update(state, released + 0.01 * released.mean(axis=0)))


@bug("pure")
def state_changed_in_place():
    def update(state, released):
        np.subtract(state.x, released, out=state.x)
        return state._replace(t=state.t + 1)

    return changed(update=update)


@bug("pure")
def query_that_counts():
    calls = []
    query = GOOD.algorithm.query

    def counting(data, state):
        calls.append(1)
        return query(data, state) + 1e-9 * len(calls)

    return changed(query=counting)


@bug("huge")
def norms_that_overflow():
    """Squares of 1e200 are infinite, and a record of infinite norm is taken for one of norm 0."""

    def query(data, state):
        with np.errstate(over="ignore"):
            norms = np.sqrt((np.asarray(data) ** 2).sum(axis=1, keepdims=True))
        clipped = data / np.maximum(1.0, np.where(np.isinf(norms), 0.0, norms))
        return np.tile(clipped.sum(axis=0) / 200, (len(state.x), 1))

    return changed(load=lambda data: np.asarray(data), query=query)


@pytest.mark.parametrize("name", sorted(BUGS))
def test_the_law_catches_the_planted_bug(name):
    law, build = BUGS[name]
    outcome = LAWS[law](build())
    assert outcome.verdict is REFUTED, outcome
    assert outcome.witness.contradicts


def test_every_law_of_algorithms_has_a_planted_bug():
    """The bugs of mechanisms are planted in tests/adapters/test_targets.py, those of accountants in
    tests/adapters/test_accountants.py.
    """
    of_algorithms = {law.name for law in LAWS.values() if "algorithm" in law.needs}
    shared = {"sensitivity", "noise", "nan", "huge", "budget", "seeds", "fresh"}
    assert {law for law, _ in BUGS.values()} == of_algorithms | shared


def test_the_correct_twins_pass():
    for law in sorted({law for law, _ in BUGS.values()}):
        twin = example("dp-shb") if law in ("noiseless", "forms", "affine") else GOOD
        assert LAWS[law](twin).verdict is SUPPORTED, law


def test_a_claim_that_is_too_small_by_little_is_seen():
    case = GOOD
    mu = gaussian_mu(case.algorithm.ledger(), case.adjacency)
    details = {"adjacency": case.adjacency}
    assert LAWS["budget"](case.algorithm, case.data, claim=GDP(mu), **details).verdict is SUPPORTED
    result = LAWS["budget"](case.algorithm, case.data, claim=GDP(0.999 * mu), **details)
    assert result.verdict is REFUTED and "spend more" in result.because


def test_a_fixed_seed_in_a_mechanism_is_seen():
    fixed = LAWS["fresh"](lambda data, rng: np.random.default_rng(0).normal(size=2), np.zeros((2, 1)))
    assert fixed.verdict is REFUTED and "noise is fixed" in fixed.because
    own = np.random.default_rng(0)
    assert LAWS["seeds"](lambda data, rng: own.normal(size=2), np.zeros((2, 1))).verdict is REFUTED


def test_a_seed_that_is_not_used_is_seen_where_nearly_all_outputs_are_one_value():
    own = np.random.default_rng(0)  # thirty seeds give the same twice with probability 0.22, 300 with 3e-7
    for draw, verdict in ((lambda rng: own.random(), REFUTED), (lambda rng: rng.random(), SUPPORTED)):
        rare = lambda data, rng, draw=draw: np.array([float(draw(rng) < 0.025)])  # noqa: E731
        assert LAWS["seeds"](rare, np.zeros((2, 1))).verdict is verdict


@pytest.mark.parametrize("claim", [PureDP(1.0), ZCDP(1.0)])
@pytest.mark.parametrize(("calls", "verdict"), [((0.5, 0.5), SUPPORTED), ((0.5, 0.5, 0.2), REFUTED)])
def test_epsilons_that_were_called_with_must_add_up(claim, calls, verdict):
    subject = Subject(
        lambda data, rng: rng.laplace(size=2),
        claim,
        Neighbours.replace(np.zeros((2, 1)), 0, [1.0]),
        calls=lambda data: [("Laplace", epsilon) for epsilon in calls],
    )
    assert LAWS["budget"](subject).verdict is verdict
