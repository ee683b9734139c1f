"""ADP-SGD: the optimal alpha, its limits, and the two readings of b."""

import math

import numpy as np
import pytest

from dpverify.algorithms.adp_sgd import adp_sgd
from dpverify.algorithms.adp_sgd_norm import adp_sgd_norm
from dpverify.engine import walk
from dpverify.formulas import adp_erm
from dpverify.montecarlo import generator, run
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import logistic_case
from dpverify.problems import quadratic
from dpverify.schedules import Schedule

PROBLEM, DATA = logistic_case(40, 4, start=-2.0, sphere=True)
B = adp_erm.polynomial_b(1, 1)
ALPHA = adp_erm.adaptive_alpha(B)


def test_alpha_squared_equal_to_b_minimises_m():
    b = B.values(9)
    best = adp_erm.m_factor(ALPHA.values(9), b)
    assert math.isclose(best, (1 / b).sum() ** 2)
    rng = np.random.default_rng(0)
    assert all(adp_erm.m_factor(rng.uniform(0.5, 2, 9), b) >= best for _ in range(100))
    assert math.isclose(adp_erm.m_factor(np.ones(9), b), 9 * (1 / b**2).sum())


def test_the_bound_with_eq_6_is_the_last_term_of_proposition_5_1_before_its_estimate():
    alpha, b = ALPHA.values(12), B.values(12)
    sigma = adp_erm.printed_sigma(alpha, G=1.0, n=40, epsilon=1.0, delta=1e-5)
    noise = adp_erm.gradient_bound(alpha, b, sigma, gap=0.0, eta=1.0, L=0.25, G=0.0, d=4)
    B_delta = math.log(16 * 12 / (40 * 1e-5)) * math.log(1.25e5)
    assert math.isclose(noise, 0.25 * 4 * 256 * B_delta / (2 * 40**2) * (1 / b).sum())


def test_adp_sgd_is_its_naive_twin():
    algorithm = adp_sgd(PROBLEM, G=0.5, sigma=0.3, alpha=ALPHA, b=B, steps=4, eta=0.8)
    rows, labels = DATA
    *steps, last = walk(algorithm, DATA, 3, generator(1, 0))
    for r in range(3):
        x = PROBLEM.start.copy()
        for step in steps:
            i = step.batch[r, 0]
            g = -labels[i] * rows[i] / (1 + math.exp(labels[i] * rows[i] @ x))
            g *= min(1.0, 0.5 / np.linalg.norm(g))
            assert np.allclose(step.answer.value[r], g)
            assert math.isclose(step.release.scale, 0.3 * (1 + step.t) ** 0.25)
            x = x - 0.8 / math.sqrt(1 + step.t) * step.released[r]
        assert np.allclose(last.x[r], x)


@pytest.mark.parametrize("raw", [False, True])
def test_without_noise_both_readings_are_adagrad_norm(raw):
    settings = {
        "G": 10.0,
        "sigma": 0.0,
        "alpha": Schedule(1.0),
        "steps": 5,
        "eta": 0.7,
        "b0_squared": 2.0,
        "batch": 40,
    }
    out = run(adp_sgd_norm(PROBLEM, **settings, raw=raw), DATA, 2).output
    x, b2 = PROBLEM.start[None].copy(), 2.0
    for _ in range(5):
        g = PROBLEM.gradient(x, DATA)
        b2 += max(float((g**2).sum()), 1e-5)
        x = x - 0.7 / math.sqrt(b2) * g
    assert np.allclose(out, x)


def test_one_record_moves_the_scale_of_the_raw_reading_and_not_of_the_other():
    rows, labels = DATA
    other = (np.vstack([10 * rows[:1], rows[1:]]), labels)
    settings = {"G": 1.0, "sigma": 1.0, "alpha": Schedule(1.0), "steps": 2, "eta": 1.0, "b0_squared": 0.1}
    batch = np.zeros((1, 1), dtype=int)
    raw = adp_sgd_norm(PROBLEM, **settings, raw=True)
    units = [
        raw.ask(d, raw.init(1), raw.release(1), batch=batch, memory=raw.memory(d, 1)).unit[0]
        for d in (DATA, other)
    ]
    assert units[0] != units[1]
    assert raw.release(1).ratio(REPLACE) == math.inf
    noisy = adp_sgd_norm(PROBLEM, **settings)
    assert noisy.ask(DATA, noisy.init(1), noisy.release(1), batch=batch).unit is None
    assert noisy.release(1).ratio(REPLACE) == 2.0


def test_nu_keeps_the_step_finite_where_all_gradients_vanish():
    problem = quadratic([1.0], count=3, start=[0.0])
    settings = {"G": 1.0, "sigma": 0.0, "alpha": Schedule(1.0), "steps": 3, "eta": 1.0, "b0_squared": 1e-12}
    assert np.all(np.isfinite(run(adp_sgd_norm(problem, **settings), np.zeros((3, 1)), 2).output))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: adp_sgd(PROBLEM, G=-1.0, sigma=1.0, alpha=ALPHA, b=B, steps=2, eta=1.0), "G=-1.0 > 0"),
        (lambda: adp_sgd(PROBLEM, G=1.0, sigma=-1.0, alpha=ALPHA, b=B, steps=2, eta=1.0), "scale=-"),
        (lambda: adp_sgd(PROBLEM, G=1.0, sigma=1.0, alpha=ALPHA, b=B, steps=2, eta=0.0), "eta=0.0 > 0"),
        (
            lambda: adp_sgd(PROBLEM, G=1.0, sigma=1.0, alpha=ALPHA, b=B, steps=2, eta=1.0, batch=41),
            "size=41 <= of=40",
        ),
        (
            lambda: adp_sgd_norm(PROBLEM, G=1.0, sigma=1.0, alpha=ALPHA, steps=2, eta=1.0, b0_squared=0.0),
            "b0_squared=0.0 > 0",
        ),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
