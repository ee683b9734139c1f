"""Baselines against naive twins, written from their papers; what they charge; what they refuse."""

from dataclasses import replace

import numpy as np
import pytest

from dpverify.accounting import account
from dpverify.accounting import epsilon as epsilon_of
from dpverify.accounting.gaussian import gaussian_mu
from dpverify.algorithms import example
from dpverify.algorithms.dp_adam import dp_adam
from dpverify.algorithms.dp_ftrl import dp_ftrl
from dpverify.algorithms.objective_perturbation import objective_perturbation
from dpverify.algorithms.output_perturbation import output_perturbation
from dpverify.auditing import Budget, audit
from dpverify.auditing.algorithm import as_mechanism
from dpverify.engine import walk
from dpverify.guarantees import ApproxDP
from dpverify.losses import privacy_losses
from dpverify.montecarlo import generator
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.parts.cases import baseline_case, mean_case, own_case
from dpverify.problems import least_squares
from dpverify.schedules import Schedule
from dpverify.verdicts import REFUTED

PROBLEM, (ROWS, LABELS) = baseline_case()


def gradient(x, i):
    chance = 1 / (1 + np.exp(LABELS[i] * ROWS[i] @ x))
    return -LABELS[i] * chance * ROWS[i]


def test_adam_is_adam_on_the_gradients_that_were_released():
    algorithm = dp_adam(PROBLEM, clip=1.0, batch=50, variances=Schedule(1.0), steps=4, step_size=0.1)
    *steps, last = walk(algorithm, (ROWS, LABELS), 1, generator(0, 0))
    x = PROBLEM.start.copy()
    m = np.zeros(3)
    v = np.zeros(3)
    for t, step in enumerate(steps, start=1):
        g = step.released[0] + 2 * PROBLEM.ridge * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        x = x - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    assert np.allclose(last.x[0], x)


def test_without_noise_ftrl_is_gradient_descent_in_a_fixed_order():
    algorithm = dp_ftrl(PROBLEM, clip=1.0, batch=40, scale=0.0, epochs=2, step_size=0.3)
    *steps, last = walk(algorithm, (ROWS, LABELS), 1, generator(0, 0))
    x = PROBLEM.start.copy()
    for t in range(len(steps)):
        chosen = range(t % 5 * 40, t % 5 * 40 + 40)
        x = x - 0.3 * (sum(gradient(x, i) for i in chosen) / 40 + 2 * PROBLEM.ridge * x)
    assert np.allclose(last.x[0], x)


def test_ftrl_charges_the_worst_place_once_an_epoch():
    algorithm = dp_ftrl(PROBLEM, clip=1.0, batch=40, scale=1.0, epochs=3, step_size=0.3)
    # Five steps a tree: nodes 1, 12, 3, 1234, 5; the first step is in three of them.
    assert gaussian_mu(algorithm.ledger(), REPLACE) == pytest.approx(np.sqrt(3 * 3 * 2.0**2))


def test_the_minimiser_moves_by_at_most_its_sensitivity_and_nearly_reaches_it():
    problem, rows = mean_case(20, 2)
    algorithm = output_perturbation(problem, scale=1.0)
    pair = Neighbours.replace(np.vstack([[1.0, 0.0], rows[1:]]), 0, [-50.0, 0.0])
    state = algorithm.init(1)
    release = algorithm.release(1)
    here, there = (algorithm.ask(side, state, release).value for side in (pair.data, pair.other))
    assert np.linalg.norm(here - there) == pytest.approx(release.sensitivity[REPLACE])


def test_unbounded_slopes_are_refused():
    with pytest.raises(ValueError, match="strongly convex"):
        output_perturbation(least_squares(np.eye(2), count=2, ridge=0.1), scale=1.0)


def small(count=6):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((count, 2))
    rows[0] = [3.0, 4.0]  # cut to length 1
    return own_case(rows, np.where(np.arange(count) % 2, 1.0, -1.0), ridge=0.05)


def test_the_published_point_minimises_the_perturbed_objective():
    problem, (rows, labels) = small()
    algorithm = objective_perturbation(problem, scale=3.0)
    (step, last) = walk(algorithm, (rows, labels), 50, generator(0, 0))
    noise = step.released - step.answer.value
    assert 2 < noise.std() < 4  # 100 draws of deviation 3: false alarm below 1e-6

    def objective(x, b):
        return np.logaddexp(0, -labels * (rows @ x)).sum() / 6 + 0.05 * x @ x + b @ x / 6

    for x, b in zip(last.x, noise):
        for way in np.vstack([np.eye(2), -np.eye(2)]):
            assert objective(x, b) <= objective(x + 1e-4 * way, b)


def losses_of(algorithm, runs=20_000):
    data = small()[1]
    for pair in (Neighbours.zero_out(data, 0), Neighbours.replace(data, 0, (np.array([-1.0, 0.0]), 1.0))):
        yield pair.adjacency, privacy_losses(algorithm, pair, runs)
        yield pair.adjacency, privacy_losses(algorithm, pair.swapped(), runs)


def test_the_exact_loss_of_objective_perturbation_is_a_likelihood_ratio_and_within_its_curve():
    algorithm = objective_perturbation(small()[0], scale=1.5)
    shown = 0.0
    for adjacency, losses in losses_of(algorithm):
        ratio = np.exp(-losses)
        assert abs(ratio.mean() - 1) < 6 * ratio.std() / len(ratio) ** 0.5  # false alarm below 1e-8
        for epsilon in (0.25, 0.5, 1.0):
            delta = np.maximum(0, 1 - np.exp(epsilon - losses)).mean()
            assert delta <= algorithm.release(1).curve(adjacency)(np.array([epsilon]))[0]
            shown = max(shown, delta)
    assert shown > 0.05


def test_without_the_jacobian_the_loss_is_no_likelihood_ratio():
    algorithm = objective_perturbation(small()[0], scale=1.5)
    bare = replace(algorithm, query=lambda data, state: algorithm.query(data, state)._replace(volume=None))
    off = [
        (np.exp(-losses).mean() - 1) / np.exp(-losses).std() * 20_000**0.5 for _, losses in losses_of(bare)
    ]
    assert max(map(abs, off)) > 10


def test_an_audit_catches_a_perturbed_objective_with_too_little_noise_and_acquits_the_right_one():
    problem, data = small()
    pair = Neighbours.replace(data, 0, (np.array([-1.0, 0.0]), 1.0))
    right = objective_perturbation(problem, scale=6.0)
    claim = ApproxDP(epsilon_of(account(right.ledger(), REPLACE), 1e-3), 1e-3)
    quiet = objective_perturbation(problem, scale=0.1)
    budget = Budget(runs=4000)
    assert audit(as_mechanism(right), pair, claim, budget=budget).verdict is not REFUTED
    assert audit(as_mechanism(quiet), pair, claim, budget=budget).verdict is REFUTED


def test_a_minimum_that_is_not_exact_is_refused():
    algorithm = objective_perturbation(small()[0], scale=1.0)
    hasty = replace(algorithm, solve=lambda data, state, noise: algorithm.query(data, state).value + noise)
    with pytest.raises(ValueError, match="Expected solve of objective-perturbation to find"):
        list(walk(hasty, small()[1], 2, generator(0, 0)))
    with pytest.raises(ValueError, match="logistic regression with a ridge"):
        objective_perturbation(least_squares(np.eye(2), count=2, ridge=0.1), scale=1.0)


BASELINES = ["dpsgd-poisson", "dp-adam", "dp-ftrl", "output-perturbation", "objective-perturbation"]


@pytest.mark.parametrize("name", BASELINES)
def test_noise_that_is_needed_is_there(name):
    case = example(name)
    loud, quiet = (
        sum(r.variance() for r in example(name, target=t).algorithm.ledger())
        for t in (type(case.claimed)(0.5, 1e-5), type(case.claimed)(8.0, 1e-5))
    )
    assert loud > 10 * quiet
