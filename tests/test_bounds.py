"""Bounds of runs: each is the formula of a proved claim, holds where its hypotheses are met, and could have
failed.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from dpverify.accounting import calibrate
from dpverify.algorithms import example, names
from dpverify.bounds import Bound, evaluate
from dpverify.claims import find
from dpverify.formulas import adp_erm, dp_accel, dynamic_noise
from dpverify.formulas.momentum_agg import prefix_deviation, reduced_deviation
from dpverify.guarantees import ApproxDP, PureDP
from dpverify.montecarlo import mean_at_least
from dpverify.neighbours import REPLACE
from dpverify.parts.bounding import batch_moment, first_gap
from dpverify.parts.cases import logistic_case, quadratic_case
from dpverify.problems import least_squares, logistic, quadratic
from dpverify.properties import LAWS
from dpverify.releases import Gaussian, Subsampled
from dpverify.reporting.runs import judged, summary, table
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED

NOISY = ["private-gd", "private-gd-momentum", "private-sgd", "private-sgd-momentum"]
LAPLACE = ["dp-gd", "dp-shb", "dp-nag", "dp-nag-opt", "dp-masg", "dp-masg-opt"]
BOUNDED = [*NOISY, *LAPLACE, "adp-sgd", "dp-sgd", "diff2-gd", "diff2-dp-gd", "tree-aggregation"]
BOUNDED += ["dp-nsgd", "sensitivity-reduced-nsgd", "adp-sgd-norm", "dp-sgd-norm", "diff2-bvr-l-sgd"]


def twin(name):
    """The bound again, by the formulas of its paper."""
    case = example(name)
    problem = case.problem
    data = case.data
    T = case.algorithm.steps
    ledger, d = case.algorithm.ledger(), case.problem.dimension
    gap = first_gap(problem, data)
    if name == "private-gd":
        R = sum(r.ratio(case.adjacency) ** -2 for r in ledger)
        sigma2 = np.array([(r.scale * problem.count) ** 2 for r in ledger])
        alpha = dynamic_noise.alpha_of(d, 1.0, R, 1.0, problem.count, gap)
        return gap * dynamic_noise.erub(sigma2, dynamic_noise.gd_influence(0.9, T).values(T), 0.9, R, alpha)
    if name == "private-gd-momentum":
        eta0 = dynamic_noise.largest_eta0(0.5, 10.0)
        gamma = 1 - eta0 / 10
        sigma2 = np.array([(r.scale * problem.count) ** 2 for r in ledger])
        alpha = 2 * eta0 * dynamic_noise.alpha_of(d, 1.0, 1.0, 1.0, problem.count, gap)
        influence = dynamic_noise.momentum_influence(0.5, gamma, T).values(T)
        return gap * dynamic_noise.erub(sigma2, influence, gamma, 1.0, alpha)
    if name.startswith("private-sgd"):
        q, n = ledger[0].rate, ledger[0].size
        moment = d * ledger[0].scale ** 2 + q * (1 - q) * np.sum(data**2) / n**2  # of the noise and the batch
        if name == "private-sgd":
            return 0.9**T * gap + moment / 2 * sum(0.9**k for k in range(T))
        eta0 = dynamic_noise.largest_eta0(0.5, 10.0)
        influence = dynamic_noise.momentum_influence(0.5, 1 - eta0 / 10, T).values(T)
        return (1 - eta0 / 10) ** T * gap + eta0 * moment * influence.sum()
    if name in ("diff2-gd", "diff2-dp-gd"):
        steepest = 0.25 if name == "diff2-dp-gd" else max(0.25, math.sqrt(5 * d) * ledger[1].scale / 4)
        return 4 * gap * steepest / T + d * ledger[0].scale ** 2
    if name in ("dp-nag", "dp-nag-opt", "dp-masg", "dp-masg-opt"):
        stages = dp_accel.masg_stages(0.1, 1.0, T) if "masg" in name else dp_accel.one_stage(1.0, T)
        scales = dp_accel.Schedule([r.scale for r in ledger])
        return dp_accel.nag_bound(stages, scales, T, 0.1, 1.0, dimension=d, gap=gap, sampling=0.0)
    if name == "dp-gd":
        noise = d * 2 * ledger[0].scale ** 2 / 2
        return 0.9**T * gap + noise * sum(0.9**k for k in range(T))
    if name == "dp-shb":
        beta = dp_accel.momentum_of(0.1, 1.0)
        away = problem.start - problem.optimum(data)[0]
        kept = max(
            np.linalg.norm(np.linalg.matrix_power([[1 + beta - lam, -beta], [1, 0]], T), 2)
            for lam in problem.spectrum
        )
        v = sum(
            2 * ledger[0].scale ** 2 * (1 + beta) / ((1 - beta) * lam * (2 + 2 * beta - lam))
            for lam in problem.spectrum
        )
        return (2 * kept**2 * away @ away + v) / 2
    if name in ("adp-sgd", "dp-sgd"):
        b = adp_erm.polynomial_b(1, 1).values(T)
        alpha = np.sqrt(b) if name == "adp-sgd" else np.ones(T)
        sigma = ledger[0].scale / alpha[0]
        return adp_erm.gradient_bound(alpha, b, sigma, gap=gap, eta=1.0, L=problem.smoothness, G=1.0, d=d)
    if name == "diff2-bvr-l-sgd":
        return 2 * gap / (0.2 * 32) + 2 * d * ledger[0].scale ** 2
    if name in ("adp-sgd-norm", "dp-sgd-norm"):
        s2 = np.array([r.scale**2 for r in ledger])
        V = 1 + d * s2 + 1e-5
        W = (1 + d * s2) ** 2 + 4 * s2 + 2 * d * s2**2 + 1e-10 - 2 * V * d * s2 + V**2
        least, steps = 20 + 1e-5 * np.arange(T), 1 / np.sqrt(20 + np.cumsum(V))
        price = np.sum((V**1.5 + W / V**0.5) / 4 / least**1.5)
        squares = 2 * problem.smoothness * np.sum(V / (least + 1e-5))
        return math.sqrt((gap / 4 + price + squares) / steps.sum())
    if name in ("dp-nsgd", "sensitivity-reduced-nsgd"):
        eta = 1 / 40
        alpha = 0.1
        N = problem.count
        G, L = (
            problem.lipschitz + 0.1 * (np.linalg.norm(problem.start) + eta * T),
            problem.lipschitz**2 / 4 + 0.1,
        )
        if name == "dp-nsgd":
            sampling, deviation = 2 * G * alpha**0.5, prefix_deviation(alpha, ledger[0].scale[0], T)
        else:
            whole = 1 - (1 - alpha) ** N
            sampling = (alpha * (G**2 + eta * N * (G + L) ** 2)) ** 0.5 / whole
            scales = ledger[0].scale[0], ledger[-1].scale[0], ledger[0].scale[1]
            deviation = reduced_deviation(alpha, eta * N, N, T, *scales)
        drift = 2 * eta * N * L + eta * L / alpha + G / (alpha * T)
        noise = math.sqrt(d) * deviation.mean()
        return 3 * gap / (2 * eta * T) + 3 * L * eta / 4 + 3 * (sampling + drift + noise)
    if name == "tree-aggregation":
        return d * ledger[0].scale[0] ** 2 * (1 + math.log2(50)) / (2 * 50**2)
    raise AssertionError(f"Expected a twin of the bound of {name}.")


@pytest.mark.parametrize("name", BOUNDED)
def test_the_bound_of_the_default_is_a_proved_claim_whose_hypotheses_hold(name):
    bound = example(name).bound
    assert find()[bound.claim].expect is PROVED  # which the tests of the claims hold against the verdict
    assert bound.broken == []
    assert bound.value == pytest.approx(twin(name))


def test_every_other_algorithm_says_that_no_bound_is_proved():
    for name in set(names()) - set(BOUNDED):
        case = example(name)
        assert case.bound is None
        assert case.no_bound, name


@pytest.mark.parametrize("name", BOUNDED)
def test_a_bound_a_hundred_times_too_small_is_caught_and_the_bound_itself_is_not(name):
    case = example(name)
    law = LAWS["bound"]
    assert law(case).verdict is SUPPORTED
    short = replace(case, bound=replace(case.bound, factor=0.01))
    assert law(short).verdict is REFUTED


def test_local_steps_have_the_bound_of_diff2_if_there_is_one_a_round(calibrated_roughly):
    case = example("diff2-bvr-l-sgd", local=1, step_size=0.05)
    assert case.bound.claim == "diff2/bound-gradient"
    assert LAWS["bound"](case).verdict is SUPPORTED
    assert LAWS["bound"](replace(case, bound=replace(case.bound, factor=0.01))).verdict is REFUTED
    assert example("diff2-bvr-l-sgd", local=1, step_size=50.0).no_bound
    assert example("diff2-bvr-l-sgd", step_size=1.0).no_bound


def test_local_steps_of_one_client_keep_their_bound_whatever_the_batch(calibrated_roughly):
    for batch in (1, 20, 80):
        case = example("diff2-bvr-l-sgd", case=logistic_case(), clients=1, batch=batch, step_size=0.1)
        assert LAWS["bound"](case).verdict is SUPPORTED


def problems():
    """Where bounds are tight or break: curvature 100, condition number 1, one record, a start along an
    axis.
    """
    rows = np.array([[0.5, 0.5]] * 40)
    for spectrum, start, count in (
        ([10.0, 100.0], [1.0, 1.0], 40),
        ([1.0, 1.0], [0.0, 1.0], 1),
        ([0.1, 1.0], [1.0, 0.0], 40),
        ([100.0, 100.0], [0.0, 1.0], 40),
    ):
        problem = quadratic(spectrum, count=count, start=start, radius=1.0)
        yield replace(problem, lipschitz1=1.0), rows[:count]


@pytest.mark.parametrize("name", [*NOISY, *LAPLACE])
def test_bounds_hold_exactly_wherever_their_hypotheses_do(name):
    settings = {"target": PureDP(30.0) if name in LAPLACE else ApproxDP(30.0, 1e-3)}
    tightest = 0.0
    for case in problems():
        for steps in (1, 30):
            extra = {"batch": max(1, case[0].count // 2)} if name.startswith("private-sgd") else {}
            made = example(name, case=case, steps=steps, **settings, **extra)
            if made.bound is not None:
                ratio = made.exact_mean() / made.bound.value
                assert ratio <= 1 + 1e-9, (name, case[0].spectrum, case[0].start, steps)
                tightest = max(tightest, ratio)
    assert tightest > 0.15


def extremes():
    """Logistic regression with L = 100 a record, a steep ridge (hardly any condition number), one record or
    two, started along its only direction; the largest gradient of a record beside each.
    """
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 2))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    labels = np.where(rows[:, 0] > 0, 1.0, -1.0)
    for far, ridge, count, start in (
        (20.0, 0.0, 40, [0.1, 0.0]),
        (1.0, 1.0, 40, [1.0, 0.0]),
        (1.0, 0.0, 1, 2 * rows[0]),
        (1.0, 0.0, 2, [1.0, 0.0]),
    ):
        features = far * rows[:count]
        yield far, (logistic(features, count=count, ridge=ridge, start=start), (features, labels[:count]))
    for problem, data in problems():
        yield 1.0, (problem, data)


@pytest.fixture
def calibrated_roughly(monkeypatch):
    """Noise up to a thousandth larger than its target needs: bound and runs are about the noise that there
    is, and to find the least takes twice as many distributions of losses.
    """
    monkeypatch.setattr(calibrate, "__kwdefaults__", {"tolerance": 1e-3})


def steps_of(name, problem, steps):
    """The settings with which an algorithm takes that many steps, where its bound is proved."""
    if name == "diff2-bvr-l-sgd":
        return {"rounds": steps, "batch": 1, "local": 3, "step_size": 0.1 / problem.smoothness}
    short = {"sensitivity-reduced-nsgd": 0.5 / problem.count, "dp-nsgd": 0.5 / problem.count}
    short |= dict.fromkeys(["adp-sgd", "dp-sgd"], min(1.0, 1 / problem.smoothness))
    return {"steps": steps} | ({"step_size": short[name]} if name in short else {})


@pytest.mark.parametrize("name", sorted(set(BOUNDED) - set(NOISY) - set(LAPLACE) - {"tree-aggregation"}))
def test_bounds_of_gradients_are_kept_at_the_extremes(name, calibrated_roughly):
    tightest, seen = 0.0, 0
    for clip, (problem, data) in extremes():
        if problem.count == 1 and name == "sensitivity-reduced-nsgd":
            continue  # which is refused: a momentum is over other records
        for steps in (1,) if name == "diff2-bvr-l-sgd" else (1, 5):  # whose accounting takes seconds
            settings = steps_of(name, problem, steps) | {"clip": clip, "target": ApproxDP(30.0, 1e-3)}
            made = example(name, case=(problem, data), **settings)
            if made.bound is None:
                assert made.no_bound
                continue
            values = made.simulate(1000, seed=1).values[made.quantity]
            seen += 1
            assert not made.exceeds(mean_at_least(values, alpha=1e-7)), (name, clip, problem.count, steps)
            tightest = max(tightest, values.mean() / made.bound.value)
    assert seen >= 6  # false alarm of all of them together below 1e-5
    assert tightest > 0.005


def test_the_bound_of_a_tree_of_one_record_is_its_variance():
    case = example("tree-aggregation", count=1, dimension=2)
    values = case.simulate(40_000).values[case.quantity]
    assert abs(values.mean() / case.bound.value - 1) < 0.03  # false alarm below 1e-8
    far = example("tree-aggregation", count=37, dimension=2)
    assert not far.exceeds(mean_at_least(far.simulate(4000).values[far.quantity], alpha=1e-7))


def test_what_used_to_exceed_its_bound_no_longer_does():
    problem = quadratic([0.1, 1.0], count=100_000, start=[1.0, 0.0], radius=1.0)
    case = example("private-gd-momentum", case=(problem, np.zeros((1, 2))), steps=100, beta=0.1)
    assert case.exact_mean() <= case.bound.value
    steep = quadratic([100.0, 100.0], count=200, start=[0.5, 0.0], radius=1.0)
    steep = replace(steep, lipschitz1=1.0)
    case = example("dp-gd", as_printed=True, case=(steep, np.zeros((200, 2))), steps=1, step_size=0.005)
    assert find()[case.printed.claim].expect is REFUTED
    assert case.printed.value < case.exact_mean() <= case.bound.value
    equal = quadratic([1.0, 1.0], count=200, start=[0.3, 0.4], radius=1.0)
    case = example("private-sgd", case=(equal, np.full((200, 2), 0.5)))
    assert case.exact_mean() == pytest.approx(case.bound.value)  # the variance of Poisson batches, reached


def test_a_hypothesis_that_does_not_hold_is_named():
    values = {
        "alpha": 0.5,
        "beta": 0.0,
        "lambda": [1.0, 5.0],
        "room": [1.5, 0.5],
        "d": 2,
        "P": 1.0,
        "x2": 1.0,
        "sigma2": 1.0,
        "L": 5.0,
    }
    steep = {"M": 1, "mu": 2, "eta": 1, "T": 1, "e": [1.0], "c": [1.0]}
    assert "lambda" in Bound("dp-accel/bound-heavy-ball", values).broken[0]
    assert Bound("dynamic-noise/bound-gd", steep).broken == ["mu <= M"]
    assert Bound("dynamic-noise/bound-gd", steep | {"mu": 0.5, "eta": 1.5}).broken == ["M*eta <= 1"]


def test_what_a_bound_takes_as_known_is_said():
    assert example("private-gd").bound.taken == example("adp-sgd").bound.taken == []
    assert example("tree-aggregation").bound.taken == []
    assert len(example("dp-shb").bound.taken) == 2
    assert "e[t + 1]" in example("adp-sgd-norm").bound.taken[0]
    case = example("dp-shb")
    said = table(judged(summary(case, case.simulate(20), False), {}))
    assert said.count("takes as known of means: ") == 2
    assert "in full: dpverify explain dp-accel/bound-heavy-ball" in said


def test_evaluation_agrees_with_sympy():
    t, i, T = sp.symbols("t i T", integer=True, positive=True)
    c, x = sp.IndexedBase("c"), sp.Symbol("x", positive=True)
    nested = sp.Sum(x**t * sp.Sum(c[i], (i, 1, t)), (t, 1, T)) / sp.log(x + 1) + sp.sqrt(x)
    mine = evaluate(nested, {"T": 3, "x": 0.5, "c": [1.0, 2.0, 4.0]})
    theirs = nested.subs(T, 3).doit().subs({c[1]: 1, c[2]: 2, c[3]: 4}).subs(x, sp.Rational(1, 2))
    assert mine == pytest.approx(float(theirs))
    with pytest.raises(ValueError, match="Expected a value of x"):
        evaluate(x, {})
    with pytest.raises(ValueError, match="claim='dp-accel/nope'"):
        _ = Bound("dp-accel/nope", {}).value


@pytest.mark.parametrize("name", ["adp-sgd-norm", "dp-sgd-norm"])
def test_the_raw_reading_of_adagrad_norm_has_a_bound_too(name):
    case = example(name, as_printed=True)
    assert find()[case.bound.claim].expect is PROVED
    assert case.bound.broken == []
    assert LAWS["bound"](case).verdict is SUPPORTED
    assert LAWS["bound"](replace(case, bound=replace(case.bound, factor=0.01))).verdict is REFUTED


@pytest.mark.parametrize("name", ["adp-sgd", "dp-sgd"])
def test_a_ridge_that_joins_the_step_has_the_bound_from_the_variance(name, calibrated_roughly):
    case = example(name, case=logistic_case(60, ridge=0.05), step_size=2.0)
    assert case.bound.claim == "adp-erm/bound-gradient-variance"
    assert LAWS["bound"](case).verdict is SUPPORTED
    assert LAWS["bound"](replace(case, bound=replace(case.bound, factor=0.01))).verdict is REFUTED
    steep = quadratic([10.0, 100.0], count=40, start=[1.0, 1.0], radius=1.0), np.full((40, 2), 0.5)
    short = example(name, case=steep, step_size=0.01)  # |F'| is not below the clip: its curvature is public
    assert LAWS["bound"](short).verdict is SUPPORTED
    assert example(name, case=steep).bound is None
    assert example(name, case=logistic_case(60, ridge=0.05), step_size=50.0).no_bound.startswith("it needs ")


def test_what_a_norm_adds_to_b_has_the_moments_that_its_bound_takes():
    rng = np.random.default_rng(0)
    d = 4
    s = 0.3
    for length in (0.0, 0.7, 1.0):
        g = s * rng.standard_normal((200_000, d))
        g[:, 0] += length
        m, V = np.maximum((g**2).sum(axis=1), 1e-5), 1 + d * s**2 + 1e-5
        most = (1 + d * s**2) ** 2 + 4 * s**2 + 2 * d * s**4 + 1e-10 - 2 * V * d * s**2 + V**2
        assert m.mean() <= V * 1.01  # false alarm below 1e-6
        assert ((m - V) ** 2).mean() <= most


@pytest.mark.parametrize("name", ["private-gd", "dp-gd", "dp-shb"])
def test_rounding_is_no_bound_exceeded(name):
    # Where hardly any noise is left the bounds are reached, at 1e-14: F(x) - F* must not be a difference.
    target = PureDP(1e6) if name in LAPLACE else ApproxDP(1e6, 1e-5)
    for spectrum in ([1.0, 1.0], [100.0, 100.0]):
        problem = replace(quadratic(spectrum, count=40, start=[1.0, 0.0], radius=1.0), lipschitz1=1.0)
        case = example(name, case=(problem, np.full((40, 2), 0.5)), steps=2, target=target)
        assert not case.exceeds(case.exact_mean())
        assert case.exact_mean() > 0.99 * case.bound.value
        assert case.exceeds(1.001 * case.bound.value)


def test_batches_of_three_records_vary_as_much_as_can_be():
    rows = np.array([[np.cos(a), np.sin(a)] for a in 2 * np.pi * np.arange(3) / 3])
    problem, labels = logistic(rows, count=3, ridge=0.1), np.ones(3)
    release = Subsampled(Gaussian(1.0, {REPLACE: 1.0}), size=1, of=3)
    assert batch_moment(problem, (rows, labels), release, 1.0, 1) == pytest.approx(1.0)


def test_there_is_no_bound_where_a_hypothesis_is_not_met():
    assert example("tree-aggregation", case=quadratic_case()).bound is None  # x_0 - F'(x_0) is not the mean
    problem, data = logistic_case()
    case = example("diff2-gd", case=(problem, data), clients=4)
    assert problem.smoothness < 0.1  # of the mean; a record's is 1/4, to which its differences are clipped
    assert case.bound.values["L"] == pytest.approx(0.25)


def test_records_that_do_not_keep_to_the_constants_of_their_problem_have_no_bound():
    far = quadratic([1.0], count=2, start=[0.0], radius=1.0), np.array([[10.0], [10.0]])
    case = example("private-gd", case=far, target=ApproxDP(30.0, 1e-3))
    assert case.bound is None
    assert case.no_bound == "records up to 10 long, where the problem says 1"
    rows, labels = np.eye(2), np.ones(2)
    gentle = logistic(rows / 10, count=2, ridge=0.1)
    steep = replace(gentle, lipschitz=1.0, lipschitz1=1.0)
    assert "a smoothness of" in example("private-gd", case=(steep, (rows, labels))).no_bound
    round_one = replace(least_squares(rows, count=2), lipschitz=1.0)
    assert (
        "a PL constant of 0" in example("private-gd", case=(round_one, (rows[[0, 0]] / 2, labels))).no_bound
    )
    many = logistic(rows / 2, count=2, ridge=0.1), (rows[[0, 1, 1]] / 2, np.ones(3))
    assert example("private-gd", case=many).no_bound == "3 records, where the problem says 2"
    kept = example("private-gd", case=(logistic(rows, count=2, ridge=0.1), (rows, labels)))
    assert kept.bound is not None


def test_differences_that_are_clipped_have_no_bound():
    case = logistic(3 * np.eye(3), count=3, ridge=0.05), (3 * np.eye(3), np.ones(3))
    settings = {"case": case, "clip": 3.0, "steps": 12}
    assert example("sensitivity-reduced-nsgd", **settings).bound is not None
    short = example("sensitivity-reduced-nsgd", smoothness=0.25, **settings)
    assert short.bound is None
    assert short.no_bound == "differences of gradients are clipped below smoothness=2.25"
