"""dp-accel: the verdicts come from the relations and the runs, not from the expectations."""

import numpy as np
import pytest
import sympy as sp

from dpverify.claims import find
from dpverify.effort import QUICK
from dpverify.problems import logistic
from dpverify.proving import prove
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.dp_accel import (
    heavy_ball,
    matrix_inequality,
    multistage,
    paired_runs,
    proof_3_5,
    quadratic,
    runs,
    theorem_4_1,
)
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

CLAIMS = find(papers=["dp-accel"])
R = sp.Rational


# The verdicts come from the relations: bend one, and its verdict changes.


def relation(id):
    return CLAIMS[f"dp-accel/{id}"].function()


@pytest.mark.parametrize(
    "id",
    [
        "eq-3.3-full",
        "eq-3.8-corrected",
        "thm-3.5-m",
        "eq-b.2",
        "eq-b-eig",
    ],
)
def test_a_bent_identity_is_refuted(id):
    stated = relation(id)
    assert prove(Equal(stated.derived, stated.stated * R(11, 10) + 1, stated.given)).verdict is REFUTED


@pytest.mark.parametrize(
    "id",
    [
        "eq-4.2",
        "eq-4.3",
        "prop-3.4",
        "thm-3.5-ct",
        "thm-4.3-s0",
        "thm-4.3-restart",
        "eq-b-rec",
        "eq-b-trace",
        "eq-b-tail",
    ],
)
def test_a_refuted_case_is_not_refuted_with_room(id):
    case = relation(id)
    wider = AtMost(case.relation.lhs, 30 * case.relation.rhs, case.relation.given)
    assert prove(Instance(wider, case.let, case.meets)).verdict is SUPPORTED


@pytest.mark.parametrize("id", ["prop-3.4", "sec3.2-tradeoff", "eq-4.2"])
def test_a_case_that_does_not_meet_the_hypotheses_refutes_nothing(id):
    case = relation(id)
    assert (
        prove(Instance(case.relation, case.let, [*case.meets, AtMost(sp.Integer(2), sp.Integer(1))])).verdict
        is UNDECIDED
    )


def test_certificate_against_prop_3_4_fails_for_the_right_sign():
    P, at = (
        sp.Matrix([[23, -51], [-51, 114]]) / 50,
        {heavy_ball.mu: 1, heavy_ball.L: 2, heavy_ball.alpha: R(4, 5), heavy_ball.beta: R(7, 10)},
    )
    for sign, feasible in ((1, True), (-1, False)):
        B = sp.Matrix([sign * heavy_ball.alpha, 0])
        gap = (
            R(2, 25) * matrix_inequality.X0
            + matrix_inequality.X1
            + R(2, 5) * matrix_inequality.X2
            - matrix_inequality.phi(P, B, R(3, 5))
        )
        assert bool(np.linalg.eigvalsh(np.array(gap.subs(at), dtype=float)).min() > 0) is feasible


def test_expected_error_is_that_of_the_algorithm():
    from dpverify.algorithms.dp_nag import dp_nag
    from dpverify.moments import exact_moments
    from dpverify.problems import quadratic
    from dpverify.schedules import Schedule

    problem, data = quadratic([1.0], count=2, start=[1.0]), np.zeros((2, 1))
    algorithm = dp_nag(problem, clip=1.0, scales=Schedule([0.1, 0.3, 0.2]), steps=3, step_size=0.25, mu=1.0)
    exact = exact_moments(algorithm, data).expected_value(problem, data)[-1]
    assert float(theorem_4_1.expected_error(1, R(1, 4), 1, [R(1, 10), R(3, 10), R(1, 5)])) == pytest.approx(
        exact, rel=1e-12
    )


def test_restarted_momentum_keeps_the_bound_that_carried_momentum_breaks():
    now = before = sp.Integer(1)
    for i, size in enumerate([R(1, 4)] + [R(1, 64)] * 5):
        if i == 1:
            before = now
        beta = (1 - sp.sqrt(size)) / (1 + sp.sqrt(size))
        z = (1 + beta) * now - beta * before
        now, before = z - size * 4 * z, now
    assert now**2 <= 4 * R(1, 2) * R(7, 8) ** 5 < multistage.without_restart(4, 1, 5) ** 2


def test_noise_that_follows_the_older_iterate_keeps_the_error_up():
    rng = np.random.default_rng(0)
    now, before = rng.choice([-1.0, 1.0], (2, 4000))
    for _ in range(50):
        noise = before / 3
        assert (
            abs(np.mean(noise * now)) < 0.03 and abs(np.mean(noise)) < 0.03
        )  # false alarm below 1e-6: 4000 signs of size 1/3
        now, before = now - 1.5 * (now + noise) + 0.5 * (now - before), now
    assert np.allclose(now**2, 1)


def test_stationary_variance_is_the_limit_of_the_recursion():
    M = np.array(quadratic.block(R(3, 4), R(1, 3), R(1, 2)), dtype=float)
    E = np.zeros((2, 2))
    for _ in range(400):
        E = M @ E @ M.T + np.diag([0.75**2, 0.0])
    assert E[0, 0] == pytest.approx(float(quadratic.variance(R(3, 4), R(1, 3), R(1, 2), 1)), rel=1e-9)


def test_permuted_blocks_are_those_of_an_orthogonal_change():
    M = np.array(
        proof_3_5.full(sp.Matrix([[2, 1], [1, 2]])).subs(
            {heavy_ball.alpha: R(1, 4), heavy_ball.beta: R(1, 2)}
        ),
        dtype=float,
    )
    blocks = [np.array(quadratic.block(R(1, 4), R(1, 2), lam), dtype=float) for lam in (1, 3)]
    expected = np.concatenate([np.linalg.eigvals(b) for b in blocks])
    assert np.sort_complex(np.linalg.eigvals(M)) == pytest.approx(np.sort_complex(expected))


# The experiment of Section 5.


def test_copied_records_are_the_plain_problem_on_repeated_data():
    place = runs.setting(20, 60)
    rows, labels = place.data
    plain = logistic(np.tile(rows, (3, 1)), count=60, ridge=runs.RIDGE)
    data = plain.load((np.tile(rows, (3, 1)), np.tile(labels, 3)))
    x = np.random.default_rng(0).standard_normal((4, runs.DIMENSION))
    copied = place.problem.load(place.data)
    batch = np.array([[0, 25, 59], [1, 2, -1], [40, 20, 0], [7, 8, 9]])
    assert len(copied) == 60
    assert place.problem.value(x, copied) == pytest.approx(plain.value(x, data))
    assert place.problem.gradient(x, copied) == pytest.approx(plain.gradient(x, data))
    assert place.problem.private_sum(x, copied, 20.0, batch=batch, order=1) == pytest.approx(
        plain.private_sum(x, data, 20.0, batch=batch, order=1)
    )


@pytest.mark.parametrize("name", runs.NAMES)
@pytest.mark.parametrize("m", [100, 1000])
def test_every_algorithm_of_section_5_spends_eps(name, m):
    from dpverify.accounting.pure import pure_epsilon
    from dpverify.neighbours import REPLACE

    place = runs.setting(50, 1000)
    assert pure_epsilon(runs.build(name, 30, 1.0, m, place).ledger(), REPLACE) == pytest.approx(runs.EPSILON)


@pytest.mark.parametrize(
    ("first", "second", "verdict"), [(0.0, 1.0, SUPPORTED), (1.0, 0.0, REFUTED), (1.0, 1.0, REFUTED)]
)
def test_sign_test_can_end_either_way(monkeypatch, first, second, verdict):
    monkeypatch.setattr(
        paired_runs,
        "errors",
        lambda one, effort, count=30: np.full(count, first if one.name == "DP-HB" else second),
    )
    result = paired_runs.ordered([(paired_runs.Run("DP-HB", 1, 1.0), paired_runs.Run("DP-GD", 1, 1.0))])(
        QUICK
    )
    assert result.verdict is verdict


def test_sign_test_of_equal_chances_decides_nothing(monkeypatch):
    monkeypatch.setattr(
        paired_runs,
        "errors",
        lambda one, effort, count=30: np.arange(count) % 2 if one.name == "DP-HB" else np.full(count, 0.5),
    )
    assert (
        paired_runs.ordered([(paired_runs.Run("DP-HB", 1, 1.0), paired_runs.Run("DP-GD", 1, 1.0))])(
            QUICK
        ).verdict
        is UNDECIDED
    )


def test_the_same_seed_gives_the_same_traces():
    def once(seed):
        return runs.traces("DP-MASG-opt", 10, 1.0, 1000, runs=3, seed=seed, distinct=50).path["excess"]

    assert np.array_equal(once(1), once(1))
    assert not np.array_equal(once(1), once(2))
