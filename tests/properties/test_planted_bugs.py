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
from dpverify.guarantees import GDP
from dpverify.neighbours import REPLACE, ZERO_OUT
from dpverify.properties import LAWS, NotApplicable, subject
from dpverify.releases import Gaussian

GOOD = example("private-gd", steps=6)
BUGS = {}


def bug(law):
    def add(function):
        BUGS[function.__name__] = (law, function)
        return function

    return add


def changed(case=GOOD, **functions):
    return replace(case, algorithm=replace(case.algorithm, **functions))


@bug("one_record_moves_the_query_by_at_most_its_sensitivity")
def forgotten_clip():
    problem = GOOD.problem
    return changed(query=lambda data, state: problem.private_sum(state.x, data) / problem.count)


@bug("one_record_moves_the_query_by_at_most_its_sensitivity")
def mean_over_the_records_at_hand():
    problem = GOOD.problem
    return changed(query=lambda data, state: problem.private_sum(state.x, data, 1.0) / len(data))


@bug("one_record_moves_the_query_by_at_most_its_sensitivity")
def clipped_in_the_wrong_norm():
    case = example("dp-gd", steps=4)
    problem = case.problem
    return changed(
        case, query=lambda data, state: problem.private_sum(state.x, data, 1.0, order=2) / problem.count
    )


@bug("one_record_moves_the_query_by_at_most_its_sensitivity")
def node_charged_for_a_zeroed_record():
    case = example("dp-nsgd", steps=20)
    good = case.algorithm.release
    return changed(
        case, release=lambda t: replace(good(t), sensitivity={REPLACE: good(t).sensitivity[ZERO_OUT]})
    )


@bug("the_noise_depends_on_no_record")
def noise_scaled_by_the_data():
    query = GOOD.algorithm.query
    return changed(
        query=lambda data, state: Answer(
            query(data, state), np.full(len(state.x), 1 + np.abs(data.features).max())
        )
    )


@bug("data_that_are_not_finite_are_refused")
def data_not_checked():
    def query(data, state):
        return np.tile(np.clip(np.nan_to_num(data), -1, 1).sum(axis=0) / 200, (len(state.x), 1))

    return changed(load=lambda data: data, query=query)


@bug("the_ledger_stays_within_the_budget")
def printed_noise_for_another_relation():
    return example("private-gd", as_printed=True)


@bug("the_ledger_stays_within_the_budget")
def printed_scale_of_a_batch():
    return example("dp-nag", as_printed=True, batch=50)


@bug("update_sees_no_data")
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
    def release(t):
        good = GOOD.algorithm.release(t)
        return kind(good.scale, good.sensitivity)

    return changed(release=release)


@bug("the_noise_has_its_declared_law")
def noise_half_as_large():
    return with_release(Short)


@bug("the_noise_is_independent")
def noise_shared_by_runs():
    return with_release(Stale)


@bug("the_noise_is_independent")
def noise_shared_by_coordinates():
    return with_release(Paired)


@bug("losses_are_likelihood_ratios")
def loss_of_other_noise():
    return with_release(Dense)


@bug("losses_of_constant_differences_are_normal")
def loss_of_other_noise_on_a_quadratic():
    return with_release(Dense)


@bug("twice_the_noise_costs_half")
def cost_that_stays():
    return with_release(Flat)


@bug("exact_moments_agree_with_monte_carlo")
def moments_of_other_noise():
    return with_release(Short)


@bug("the_mean_stays_below_the_bound")
def step_in_the_wrong_direction():
    return changed(
        update=lambda state, released: state._replace(
            x=state.x + GOOD.problem.public_gradient(state.x) + released, t=state.t + 1
        )
    )


@bug("without_noise_it_is_the_plain_method")
def momentum_without_restart():
    case = example("dp-masg")
    name, settings = case.limit
    return replace(case, limit=(name, {**settings, "restarts": []}))


@bug("without_noise_it_is_the_plain_method")
def clip_left_active():
    case = example("dp-gd")
    problem = case.problem
    return changed(
        case, query=lambda data, state: problem.private_sum(state.x, data, 0.5, order=1) / problem.count
    )


@bug("two_forms_of_it_agree")
def averages_with_another_weight():
    case = example("dp-shb")
    one, other = case.forms()["Eqs (3.6) and (3.7): a step along the average"]
    return replace(
        case,
        forms=lambda: {"the average": (one, replace(other, update=lambda s, r: other.update(s, 0.9 * r)))},
    )


@bug("the_iterates_are_affine_in_the_noise_on_a_quadratic")
def noise_inside_the_clip():
    case = example("dp-gd")
    update = case.algorithm.update
    return changed(case, update=lambda state, released: update(state, np.clip(released, -0.1, 0.1)))


@bug("the_same_seed_gives_the_same_transcripts")
def randomness_from_elsewhere():
    own = np.random.default_rng(0)
    update = GOOD.algorithm.update
    return changed(update=lambda s, r: update(s, r + 1e-6 * own.standard_normal(r.shape)))


class Frozen(Gaussian):
    """Noise from a seed of its own."""

    def noise(self, rng, shape):
        return super().noise(np.random.default_rng(0), shape)


@bug("other_seeds_and_other_runs_differ")
def noise_with_a_fixed_seed():
    return with_release(Frozen)


@bug("runs_do_not_meet")
def mean_over_the_runs():
    update = GOOD.algorithm.update
    return changed(update=lambda state, released: update(state, released + 0.01 * released.mean(axis=0)))


@bug("its_functions_are_pure")
def state_changed_in_place():
    def update(state, released):
        np.subtract(state.x, released, out=state.x)
        return state._replace(t=state.t + 1)

    return changed(update=update)


@bug("its_functions_are_pure")
def query_that_counts():
    calls = []
    query = GOOD.algorithm.query

    def counting(data, state):
        calls.append(1)
        return query(data, state) + 1e-9 * len(calls)

    return changed(query=counting)


@pytest.mark.parametrize("name", sorted(BUGS))
def test_the_law_catches_the_planted_bug(name):
    law, build = BUGS[name]
    with pytest.raises(AssertionError):
        LAWS[law](build())


def test_every_law_has_a_planted_bug():
    assert {law for law, _ in BUGS.values()} == set(LAWS)


def test_the_correct_twins_pass():
    for law in LAWS:
        if law != "two_forms_of_it_agree":
            try:
                LAWS[law](GOOD)
            except NotApplicable:
                assert law in (
                    "without_noise_it_is_the_plain_method",
                    "the_iterates_are_affine_in_the_noise_on_a_quadratic",
                )


def test_a_claim_that_is_too_small_by_little_is_seen():
    case = GOOD
    mu = gaussian_mu(case.algorithm.ledger(), case.adjacency)
    LAWS["the_ledger_stays_within_the_budget"](case.algorithm, case.data, claimed=GDP(mu))
    with pytest.raises(AssertionError, match="spend more"):
        LAWS["the_ledger_stays_within_the_budget"](case.algorithm, case.data, claimed=GDP(0.999 * mu))


def test_a_fixed_seed_in_a_mechanism_is_seen():
    fixed = subject(lambda data, rng: np.random.default_rng(0).normal(size=2), np.zeros((2, 1)))
    with pytest.raises(AssertionError, match="noise is fixed"):
        LAWS["other_seeds_and_other_runs_differ"](fixed)
