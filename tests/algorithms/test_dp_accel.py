"""dp-accel: scales, allocations, stages, the choice of T, naive twins of every update, and what the
accountant says.
"""

import math

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.accounting import account, meets
from dpverify.algorithms import example
from dpverify.algorithms.dp_gd import dp_gd
from dpverify.algorithms.dp_masg import dp_masg
from dpverify.algorithms.dp_nag import dp_nag
from dpverify.algorithms.dp_shb import dp_shb
from dpverify.engine import walk
from dpverify.formulas import dp_accel
from dpverify.moments import exact_moments
from dpverify.montecarlo import generator, run
from dpverify.neighbours import REPLACE
from dpverify.parts.cases import quadratic_case
from dpverify.problems import logistic
from dpverify.schedules import Schedule

NAMES = ["dp-gd", "dp-shb", "dp-nag", "dp-nag-opt", "dp-masg", "dp-masg-opt"]
PRINTED = {
    "dp-gd": 1.0,
    "dp-shb": 1.0,
    "dp-nag": 4.894,
    "dp-nag-opt": 1.221,
    "dp-masg": 4.894,
    "dp-masg-opt": 1.221,
}  # batches of 50 of 200
quick = settings(max_examples=40, derandomize=True, database=None, deadline=None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch", [None, 50])
def test_the_default_spends_exactly_its_epsilon(name, batch):
    case = example(name, batch=batch)
    assert meets(case.algorithm.ledger(), REPLACE, case.claimed)
    assert account(case.algorithm.ledger(), REPLACE, "pure").epsilon == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_accountant_judges_the_printed_constants(name):
    full, batch = example(name, as_printed=True), example(name, as_printed=True, batch=50)
    assert account(full.algorithm.ledger(), REPLACE, "pure").epsilon == pytest.approx(1.0, rel=1e-9)
    assert account(batch.algorithm.ledger(), REPLACE, "pure").epsilon == pytest.approx(
        PRINTED[name], rel=1e-3
    )
    assert meets(batch.algorithm.ledger(), REPLACE, batch.claimed) == (PRINTED[name] == 1.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch", [None, 50])
def test_the_exact_mean_is_below_the_bound(name, batch):
    case = example(name, batch=batch)
    mean = (
        exact_moments(case.algorithm, case.data).expected_value(case.problem, case.data)[-1]
        - case.problem.optimum(case.data)[1]
    )
    assert 0 < mean < case.bound.value


@quick
@given(e=st.floats(1e-6, 3.0), m=st.integers(1, 50), n=st.integers(1, 50), S=st.floats(0.1, 10))
def test_scale_and_loss_are_inverse(e, m, n, S):
    m, n = min(m, n), max(m, n)
    assert dp_accel.step_loss(dp_accel.noise_scale(e, S, m, n), S, m, n) == pytest.approx(e, rel=1e-9)


def test_formulas_take_symbols():
    e, S, m, n = sympy.symbols("e S m n", positive=True)
    b = dp_accel.noise_scale(e, S, m, n)
    assert sympy.simplify(dp_accel.step_loss(b, S, m, n) - e) == 0
    assert sympy.simplify(dp_accel.step_loss(b, S, n, n).subs(m, n) - e) == 0
    mu, alpha, L, T = sympy.symbols("mu alpha L T", positive=True)
    weights = dp_accel.nag_weights(mu, L, alpha, T)
    assert np.allclose(
        weights.at(mu=0.1, alpha=0.5, L=1.0, T=4).values(4), dp_accel.nag_weights(0.1, 1.0, 0.5, 4).values(4)
    )


@quick
@given(data=st.data(), T=st.integers(1, 6))
def test_weights_by_formula_are_weights_by_arrays(data, T):
    alpha = data.draw(st.lists(st.floats(0.01, 1.0), min_size=T, max_size=T))
    stage = np.cumsum([1, *data.draw(st.lists(st.integers(0, 1), min_size=T - 1, max_size=T - 1))]).astype(
        float
    )
    weights = dp_accel.stage_weights(Schedule(alpha), Schedule(stage), 0.3, 1.0, T).values(T)
    for t in range(1, T + 1):
        kept = math.prod(1 - math.sqrt(0.3 * alpha[i]) for i in range(t, T))
        assert weights[t - 1] == pytest.approx(
            2.0 ** (stage[-1] - stage[t - 1]) * kept * alpha[t - 1] * (1 + alpha[t - 1])
        )
    formula = dp_accel.stage_weights(
        Schedule(sympy.Rational(1, 2)), Schedule(1), sympy.Rational(3, 10), 1, T
    ).formula.doit()
    plain = dp_accel.nag_weights(0.3, 1.0, 0.5, T).values(T)
    assert [
        float(formula.subs({s: t for s in formula.free_symbols}).doit()) for t in range(1, T + 1)
    ] == pytest.approx(plain.tolist())


@quick
@given(data=st.data(), T=st.integers(1, 5), m=st.integers(1, 10), eps=st.floats(0.05, 4.0))
def test_the_exact_split_beats_its_rivals(data, T, m, eps):
    n = 10
    a = np.array(data.draw(st.lists(st.floats(0.01, 10.0), min_size=T, max_size=T)))
    split = dp_accel.exact_epsilons(Schedule(a), T, eps, m, n).values(T)
    assert split.sum() == pytest.approx(eps)

    def cost(parts):
        return sum(w * dp_accel.noise_scale(e, 2.0, m, n) ** 2 for w, e in zip(a, parts))

    best = cost(split)
    assert best <= cost(dp_accel.optimal_epsilons(Schedule(a), T, eps).values(T)) * (1 + 1e-9)
    rival = np.array(data.draw(st.lists(st.floats(0.05, 1.0), min_size=T, max_size=T)))
    assert best <= cost(rival * eps / rival.sum()) * (1 + 1e-9)
    if m == n:
        assert np.allclose(split, dp_accel.optimal_epsilons(Schedule(a), T, eps).values(T), rtol=1e-6)


@quick
@given(noise=st.floats(1e-6, 1.0), gap=st.floats(0.1, 20.0), staged=st.booleans())
def test_t_chosen_in_one_pass_minimises_the_bound(noise, gap, staged):
    stages = dp_accel.masg_stages(0.1, 1.0, 40) if staged else dp_accel.one_stage(1.0, 40)

    def bound(T):
        weights = dp_accel.stage_weights(
            Schedule(stages.alpha.values(T)), Schedule(stages.stage.values(T)), 0.1, 1.0, T
        ).values(T)
        return (
            dp_accel.first_weight(stages.alpha, stages.stage, 0.1, T) * gap
            + noise * np.cbrt(weights).sum() ** 3
        )

    chosen = dp_accel.choose_steps(stages, 40, 0.1, 1.0, noise=noise, gap=gap)
    assert bound(chosen) <= min(bound(T) for T in range(1, 41)) * (1 + 1e-12)


def test_the_stages_are_those_of_eq_4_7():
    stages = dp_accel.masg_stages(0.25, 1.0, 60, p=1, first=2)
    length = math.ceil(2 * math.log(8))
    assert stages.alpha.values(60).tolist()[:2] == [1.0, 1.0]
    assert stages.stage.values(60).tolist().count(2) == 4 * length
    assert stages.alpha(3) == 1 / 16
    assert stages.alpha(3 + 4 * length) == 1 / 64


ROWS = np.random.default_rng(1).standard_normal((12, 3))
LABELS = np.where(ROWS[:, 0] > 0, 1.0, -1.0)
LOGISTIC = logistic(ROWS, count=12, ridge=0.1, start=np.ones(3))


def naive_gradient(x, rows, clip):
    """The noise-free release at x, record by record."""
    total = np.zeros(3)
    for i in rows:
        g = -LABELS[i] * ROWS[i] / (1 + math.exp(LABELS[i] * ROWS[i] @ x))
        total += g * min(1.0, clip / np.abs(g).sum())
    return total / len(rows)


@pytest.mark.parametrize("batch", [None, 5])
def test_every_update_is_its_naive_twin(batch):
    common = {"clip": 0.3, "scales": Schedule([0.1, 0.2, 0.3, 0.4]), "steps": 4, "batch": batch}
    stages = dp_accel.Stages(Schedule([0.5, 0.5, 0.2, 0.2]), Schedule([1.0, 1.0, 2.0, 2.0]))
    for algorithm, move in [
        (dp_gd(LOGISTIC, step_size=0.5, **common), lambda t, x, p: (x, 0.5, 0.0)),
        (dp_shb(LOGISTIC, step_size=0.5, beta=0.7, **common), lambda t, x, p: (x, 0.5, 0.7)),
        (
            dp_nag(LOGISTIC, step_size=0.5, mu=0.2, **common),
            lambda t, x, p: (x + _beta(0.5) * (x - p), 0.5, 0.0),
        ),
        (
            dp_masg(LOGISTIC, stages=stages, mu=0.2, **common),
            lambda t, x, p: (
                x + (0 if t == 3 else _beta([0.5, 0.5, 0.2, 0.2][t - 1])) * (x - p),
                [0.5, 0.5, 0.2, 0.2][t - 1],
                0.0,
            ),
        ),
    ]:
        *steps, last = walk(algorithm, (ROWS, LABELS), 2, generator(3, 0))
        for r in range(2):
            x = previous = np.ones(3)
            for step in steps:
                rows = range(12) if batch is None else np.flatnonzero(step.batch[r])
                rows = step.batch[r] if batch is not None and step.batch.dtype != bool else rows
                assert len(set(rows)) == (batch or 12)
                z, alpha, beta = move(step.t, x, previous)
                assert np.allclose(step.answer.value[r], naive_gradient(z, list(rows), 0.3))
                x, previous = z - alpha * (0.2 * z + step.released[r]) + beta * (x - previous), x
            assert np.allclose(last.x[r], x), algorithm.name


def _beta(alpha):
    return (1 - math.sqrt(0.2 * alpha)) / (1 + math.sqrt(0.2 * alpha))


def test_bad_input_is_named():
    problem = quadratic_case(norm=1)[0]
    with pytest.raises(ValueError, match=r"clip=-1\.0 > 0"):
        dp_gd(problem, clip=-1.0, scales=Schedule(1.0), steps=2, step_size=1.0)
    with pytest.raises(ValueError, match="batch=300 <= 200"):
        dp_nag(problem, clip=1.0, scales=Schedule(1.0), steps=2, step_size=1.0, mu=0.1, batch=300)
    with pytest.raises(ValueError, match=r"beta=1\.0"):
        dp_shb(problem, clip=1.0, scales=Schedule(1.0), steps=2, step_size=1.0, beta=1.0)
    with pytest.raises(ValueError, match=r"mu=0\.0 > 0"):
        dp_nag(problem, clip=1.0, scales=Schedule(1.0), steps=2, step_size=1.0, mu=0.0)
    with pytest.raises(ValueError, match=r"scale=-1\.0 >= 0"):
        dp_gd(problem, clip=1.0, scales=Schedule(-1.0), steps=2, step_size=1.0)
    with pytest.raises(ValueError, match="m=3 <= n=2"):
        dp_accel.exact_epsilons(Schedule(1.0), 2, 1.0, 3, 2)
    with pytest.raises(ValueError, match="steps=0"):
        dp_gd(problem, clip=1.0, scales=Schedule(1.0), steps=0, step_size=1.0)


def test_optimised_scales_help():
    for plain, best in (("dp-nag", "dp-nag-opt"), ("dp-masg", "dp-masg-opt")):
        means = []
        for name in (plain, best):
            case = example(name)
            means.append(run(case.algorithm, case.data, 500, measure={"m": case.measured}).mean("m"))
        assert means[1] < means[0] / 2
