"""Baselines against naive twins, written from their papers; what they charge; what they refuse."""

import numpy as np
import pytest

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.algorithms import example
from dpverify.algorithms.dp_adam import dp_adam
from dpverify.algorithms.dp_ftrl import dp_ftrl
from dpverify.algorithms.output_perturbation import output_perturbation
from dpverify.engine import walk
from dpverify.montecarlo import generator
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.parts.cases import baseline_case, mean_case
from dpverify.problems import least_squares
from dpverify.schedules import Schedule

PROBLEM, (ROWS, LABELS) = baseline_case()


def gradient(x, i):
    chance = 1 / (1 + np.exp(LABELS[i] * ROWS[i] @ x))
    return -LABELS[i] * chance * ROWS[i]


def test_adam_is_adam_on_the_gradients_that_were_released():
    algorithm = dp_adam(PROBLEM, clip=1.0, batch=50, variances=Schedule(1.0), steps=4, step_size=0.1)
    *steps, last = walk(algorithm, (ROWS, LABELS), 1, generator(0, 0))
    x, m, v = PROBLEM.start.copy(), np.zeros(3), np.zeros(3)
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


@pytest.mark.parametrize("name", ["dpsgd-poisson", "dp-adam", "dp-ftrl", "output-perturbation"])
def test_noise_that_is_needed_is_there(name):
    case = example(name)
    loud, quiet = (
        sum(r.variance() for r in example(name, target=t).algorithm.ledger())
        for t in (type(case.claimed)(0.5, 1e-5), type(case.claimed)(8.0, 1e-5))
    )
    assert loud > 10 * quiet
