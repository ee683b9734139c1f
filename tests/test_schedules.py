"""A schedule runs what its formula says."""

import numpy as np
import pytest
import sympy

from dpverify.formulas.dynamic_noise import (
    dynamic,
    expinfl,
    exponential,
    gd_influence,
    momentum_influence,
    momexpinfl,
    piecewise_influence,
)
from dpverify.schedules import Schedule, from_influence, step

R = sympy.Rational


@pytest.mark.parametrize(
    "schedule",
    [
        dynamic(R(9, 10), 7, R(1, 3)),
        exponential(R(1, 5), 7, 2),
        expinfl(R(1, 7), 7, 2),
        momexpinfl(2, R(1, 3), 1, R(1, 4), 7, 2),
        momentum_influence(R(1, 2), R(9, 10), 7),
        piecewise_influence(R(1, 2), R(9, 10), 7, 3),
        from_influence(gd_influence(R(1, 2), 7), 7, 3),
    ],
)
def test_code_is_the_formula_to_fifteen_digits(schedule):
    t = step()
    exact = [float(schedule.formula.subs(t, k).doit().evalf(40)) for k in range(1, 8)]
    assert np.allclose(schedule.values(7), exact, rtol=1e-13)
    assert [schedule(k) for k in range(1, 8)] == schedule.values(7).tolist()


def test_the_same_function_gives_the_symbolic_formula():
    gamma, T, budget = sympy.symbols("gamma T R", positive=True)
    symbolic = dynamic(gamma, T, budget)
    assert {s.name for s in symbolic.formula.free_symbols} == {"gamma", "T", "R", "t"}
    assert np.allclose(symbolic.at(gamma=0.9, T=5, R=2).values(5), dynamic(0.9, 5, 2).values(5))


def test_lemma_4_1_is_the_least_weighted_sum_on_the_budget():
    rng = np.random.default_rng(0)
    q = rng.uniform(0.1, 5, 6)
    best = from_influence(Schedule(q), 6, 1.7).values(6)
    assert np.isclose((1 / best).sum(), 1.7)
    for _ in range(50):
        other = best * np.exp(rng.normal(0, 0.3, 6))
        other *= (1 / other).sum() / 1.7
        assert q @ best <= q @ other + 1e-12


def test_arrays_and_formulas_agree_on_influence():
    q = gd_influence(0.8, 5)
    assert np.allclose(
        from_influence(q, 5, 2.0).values(5), from_influence(Schedule(q.values(5)), 5, 2.0).values(5)
    )
    assert float(Schedule([3.0, 4.0]).formula.subs(step(), 2)) == 4.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Schedule([]), "at least one entry"),
        (lambda: Schedule([1.0, np.nan]), "finite"),
        (lambda: Schedule(float("inf")), "finite schedule, got inf"),
        (lambda: Schedule([1.0, 2.0])(3), "t=3 <= 2"),
        (lambda: Schedule(1.0)(0), "t=0 >= 1"),
        (lambda: Schedule(1.0).values(0), "steps=0 >= 1"),
        (lambda: Schedule(sympy.Symbol("R") * step())(1), "also has R"),
        (lambda: Schedule(step()).at(R=1), "got R=1"),
        (lambda: Schedule(1 / (step() - 1)).values(3), "finite"),
        (lambda: from_influence(Schedule([1.0, 0.0]), 2, 1.0), "influence > 0"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
