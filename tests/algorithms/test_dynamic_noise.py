"""The schedules, choices of T, guard and influences of dynamic-noise, against brute force and exact
recursions.
"""

import math

import numpy as np
import pytest
import sympy

from dpverify.accounting.gaussian import gaussian_mu
from dpverify.algorithms import example
from dpverify.algorithms.private_gd import private_gd
from dpverify.algorithms.private_gd_momentum import momentum_schedule, private_gd_momentum
from dpverify.algorithms.private_sgd import private_sgd
from dpverify.formulas import dynamic_noise as dn
from dpverify.guarantees import ApproxDP
from dpverify.moments import exact_moments
from dpverify.montecarlo import run
from dpverify.neighbours import REPLACE, ZERO_OUT
from dpverify.parts.budgets import certified_budget, guarded
from dpverify.parts.cases import quadratic_case
from dpverify.parts.influence import retrained_influence
from dpverify.schedules import Schedule, from_influence

PROBLEM, DATA = quadratic_case(count=50, dimension=3)


@pytest.mark.parametrize("T", [1, 2, 17])
def test_every_schedule_spends_the_budget_exactly(T):
    R = 0.7
    gamma = 0.9
    beta = 0.6
    schedules = {
        "uniform": dn.uniform(T, R),
        "dynamic": dn.dynamic(gamma, T, R),
        "exponential": dn.exponential(0.1, T, R),
        "fitted": dn.fitted_exponential(dn.dynamic(gamma, T, R), T, R),
        "fitted, log scale": dn.fitted_exponential(dn.dynamic(gamma, T, R), T, R, log_scale=True),
        "expinfl": dn.expinfl(0.2, T, R),
        "momexpinfl": dn.momexpinfl(1, 0.3, 2, 0.1, T, R),
        **{name: momentum_schedule(name, beta, gamma, T, R) for name in ("uniform", "exact", "piecewise")},
    }
    for name, schedule in schedules.items():
        assert math.isclose((1 / schedule.values(T)).sum(), R, rel_tol=1e-9), name


def test_the_dynamic_schedule_is_lemma_4_1_on_its_influence():
    assert np.allclose(
        dn.dynamic(0.8, 9, 0.3).values(9), from_influence(dn.gd_influence(0.8, 9), 9, 0.3).values(9)
    )
    printed = ((1 / 0.8) ** 4.5 - 1) / (1 - math.sqrt(0.8)) * np.sqrt(0.8 ** np.arange(1, 10)) / 0.3
    assert np.allclose(dn.dynamic(0.8, 9, 0.3).values(9), printed)


def test_the_exact_momentum_influence_is_the_weight_of_each_variance_in_u3():
    beta = 0.6
    gamma = 0.9
    T = 8
    sigma2 = np.random.default_rng(0).uniform(1, 5, T)
    u3 = sum(
        gamma ** (T - t)
        * ((1 - beta) / (1 - beta**t)) ** 2
        * sum(beta ** (2 * (t - i)) * sigma2[i - 1] for i in range(1, t + 1))
        for t in range(1, T + 1)
    )
    assert math.isclose(dn.momentum_influence(beta, gamma, T).values(T) @ sigma2, u3)


@pytest.mark.parametrize(("kappa", "alpha"), [(3.0, 1e-3), (10.0, 1e-4), (50.0, 1e-2), (20.0, 0.5)])
def test_the_choices_of_t_minimise_what_they_say(kappa, alpha):
    gamma = 1 - 1 / kappa
    T = np.linspace(0, 2000, 400_001)
    uniform = gamma**T + alpha * kappa * T
    assert abs(dn.eq_22(kappa, alpha) - T[np.argmin(uniform)]) < 0.01
    dynamic = gamma**T + alpha * ((1 - gamma ** (T / 2)) / (1 - math.sqrt(gamma))) ** 2
    assert abs(dn.eq_26(gamma, alpha) - T[np.argmin(dynamic)]) < 0.01
    whole = dn.exact_steps(lambda t: dn.dynamic_erub(gamma, alpha, t), 2000)
    assert abs(whole - dn.eq_26(gamma, alpha)) <= 1
    assert dn.eq_4(kappa, alpha) >= dn.eq_23(kappa, alpha) - 1e-9
    assert dn.eq_7(kappa, alpha) in (2 * dn.eq_4(kappa, alpha), 2 * dn.eq_4(kappa, alpha) - 1)


@pytest.mark.parametrize("name", ["eq_4", "eq_7", "eq_22", "eq_23"])
def test_choices_of_t_are_the_same_for_symbols_and_numbers(name):
    kappa, alpha = sympy.symbols("kappa alpha", positive=True)
    for values in ((5.0, 0.01), (20.0, 0.3)):
        symbolic = getattr(dn, name)(kappa, alpha).subs({kappa: values[0], alpha: values[1]})
        assert math.isclose(float(symbolic), getattr(dn, name)(*values), rel_tol=1e-12)
    exact = dn.momentum_dynamic_steps(kappa, alpha, 1).subs({kappa: 5, alpha: sympy.Rational(1, 10)})
    assert math.isclose(float(exact), dn.momentum_dynamic_steps(5.0, 0.1, 1.0))


def test_bounds_agree_with_the_general_bound():
    gamma = 0.9
    alpha = 0.01
    R = 0.4
    T = 12
    influence = dn.gd_influence(gamma, T).values(T)
    assert math.isclose(
        dn.erub(dn.uniform(T, R).values(T), influence, gamma, R, alpha), dn.uniform_erub(gamma, alpha, T)
    )
    assert math.isclose(
        dn.erub(dn.dynamic(gamma, T, R).values(T), influence, gamma, R, alpha),
        dn.dynamic_erub(gamma, alpha, T),
    )


@pytest.mark.parametrize(("beta", "gamma"), [(0.9, 0.99), (0.5, 0.9), (0.1, 0.5), (0.9, 0.95), (0.0, 0.7)])
def test_t_hat_is_the_last_step_of_its_inequality(beta, gamma):
    holds = [t for t in range(1, 2000) if gamma ** (t - 1) >= (1 - beta) / (1 - beta**t) * (1 - 1e-12)]
    assert dn.t_hat(beta, gamma) == max(holds)


@pytest.mark.parametrize("as_printed", [False, True])
def test_eta0_sits_on_its_condition(as_printed):
    beta, kappa = 0.5, 10.0
    eta0 = dn.largest_eta0(beta, kappa, as_printed=as_printed)
    gamma = 1 - eta0 / kappa
    c = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
    assert abs(1 - eta0 / 4 - c * eta0**2 if as_printed else 1 - eta0 - 4 * c * eta0**2) < 1e-9


def test_budgets():
    assert round(dn.zcdp_budget(4.0, 1e-8), 4) == dn.PRINTED_R
    rho, L = dn.zcdp_budget(4.0, 1e-8) / 2, math.log(1e8)
    assert math.isclose(rho + 2 * math.sqrt(rho * L), 4.0)
    wrong = dn.printed_budget(4.0, L) / 2
    assert wrong + 2 * math.sqrt(wrong * L) > 100  # the printed root solves rho - 2 sqrt(rho L) = eps instead
    assert math.isclose(wrong - 2 * math.sqrt(wrong * L), 4.0)
    R = certified_budget(ApproxDP(4.0, 1e-8), REPLACE)
    assert math.isclose(4 * R, certified_budget(ApproxDP(4.0, 1e-8), ZERO_OUT), rel_tol=1e-6)


def test_the_guard_stops_before_the_budget_is_overspent():
    rng = np.random.default_rng(0)
    for _ in range(50):
        variances = Schedule(rng.uniform(1, 10, 12))
        budget = float(rng.uniform(0.5, 5))
        cost = 1 / variances.values(12)
        steps = dn.affordable_steps(cost, budget)
        assert cost[:steps].sum() <= budget * (1 + 1e-9)
        assert steps == 12 or cost[: steps + 1].sum() > budget
    full = private_gd(PROBLEM, clip=1.0, variances=dn.dynamic(0.9, 12, 1.0), steps=12)
    assert guarded(full, 1.0, ZERO_OUT).steps == 12
    assert (
        guarded(full, 1.0, ZERO_OUT, strict=True).steps == 11
    )  # the printed guard cannot finish its own schedule
    halted = guarded(full, 1.0, REPLACE)
    assert halted.steps < 12
    assert gaussian_mu(halted.ledger(), REPLACE) ** 2 <= 1.0 + 1e-9
    assert np.array_equal(
        run(halted, DATA, 5, seed=1).output,
        run(full, DATA, 5, seed=1, keep=("iterates",)).iterates[:, halted.steps],
    )


def test_the_hessian_influence_is_what_a_variance_adds_to_the_final_loss():
    steps, eta = 4, 0.7

    def final(variances):
        moments = exact_moments(
            private_gd(PROBLEM, clip=1.0, variances=Schedule(variances), steps=steps, step_size=eta), DATA
        )
        return moments.expected_value(PROBLEM, DATA)[-1]

    q = dn.hessian_influence(
        PROBLEM.spectrum, steps=steps, step_size=eta, clip=1.0, count=PROBLEM.count
    ).values(steps)
    base = np.full(steps, 5.0)
    for t in range(steps):
        more = base.copy()
        more[t] += 3.0
        assert math.isclose((final(more) - final(base)) / 3.0, q[t], rel_tol=1e-9)


def test_retraining_finds_the_influence():
    def build(variances):
        return private_gd(PROBLEM, clip=1.0, variances=variances, steps=3, step_size=0.7)

    q = dn.hessian_influence(PROBLEM.spectrum, steps=3, step_size=0.7, clip=1.0, count=PROBLEM.count).values(
        3
    )
    fitted = retrained_influence(
        build, PROBLEM, DATA, Schedule(25.0), 3, grid=[20.0, 60.0, 100.0], repeats=4000
    ).values(3)
    assert np.allclose(fitted, q, rtol=0.15)


def test_no_momentum_is_gradient_descent():
    settings = {"clip": 1.0, "variances": Schedule(4.0), "steps": 6}
    plain = run(private_gd(PROBLEM, **settings, step_size=0.5), DATA, 20, seed=1).output
    assert np.allclose(
        plain, run(private_gd_momentum(PROBLEM, **settings, beta=0.0, step_size=0.5), DATA, 20, seed=1).output
    )
    everybody = private_sgd(
        PROBLEM, **settings, batch=PROBLEM.count, how="without replacement", step_size=0.5
    )
    assert gaussian_mu(everybody.ledger(), REPLACE) == gaussian_mu(
        private_gd(PROBLEM, **settings).ledger(), REPLACE
    )


def test_momentum_is_the_printed_form_of_phi():
    beta, steps = 0.7, 5
    algorithm = private_gd_momentum(
        PROBLEM, clip=1.0, variances=Schedule(4.0), steps=steps, beta=beta, step_size=0.4
    )
    result = run(algorithm, DATA, 1, seed=2, keep=("releases", "iterates"))
    x, m = PROBLEM.start.copy(), np.zeros(3)
    for t in range(1, steps + 1):
        g = PROBLEM.spectrum * x + result.releases[t - 1][0]
        m = (beta * (1 - beta ** (t - 1)) * m + (1 - beta) * g) / (1 - beta**t)
        x = x - 0.4 * m
        assert np.allclose(result.iterates[0, t], x)


def test_no_noise_is_the_plain_method():
    still = run(private_gd(PROBLEM, clip=10.0, variances=Schedule(0.0), steps=200), DATA, 2)
    assert np.allclose(still.output, PROBLEM.optimum(DATA)[0], atol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: private_gd_momentum(
                PROBLEM, clip=1.0, variances=Schedule(1.0), steps=2, beta=1.0, step_size=1.0
            ),
            "beta=1.0 < 1",
        ),
        (
            lambda: private_sgd(PROBLEM, clip=1.0, batch=51, variances=Schedule(1.0), steps=2),
            "batch=51 <= 50",
        ),
        (lambda: private_sgd(PROBLEM, clip=-1.0, batch=5, variances=Schedule(1.0), steps=2), "clip=-1.0 > 0"),
        (lambda: momentum_schedule("linear", 0.5, 0.9, 3, 1.0), "schedule='linear'"),
        (lambda: example("private-gd", schedule="linear"), "schedule='linear'"),
        (lambda: dn.affordable_steps(np.ones(3), 0.0), "budget=0.0 > 0"),
        (
            lambda: guarded(example("private-gd").algorithm, 1e-9, REPLACE),
            "budget=1e-09 to pay for the first step",
        ),
        (
            lambda: private_gd(PROBLEM, clip=1.0, variances=Schedule([1.0, -1.0]), steps=2),
            "variances >= 0 at every step, got -1.0",
        ),
        (lambda: dn.t_hat(1.0, 0.9), "beta=1.0 < 1"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
