"""Every algorithm has an example that the accountant certifies, and printed constants that do what its
docstring says.
"""

import numpy as np
import pytest

from dpverify.accounting import account, epsilon, meets
from dpverify.algorithms import example, names
from dpverify.engine import Algorithm
from dpverify.guarantees import ApproxDP
from dpverify.montecarlo import run
from dpverify.parts.cases import mean_case

MINE = {
    "private-gd": 3.306,
    "private-gd-momentum": 3.372,
    "private-sgd": 28.64,
    "private-sgd-momentum": 28.64,
    "dp-sgd": 0.684,
    "adp-sgd": 1.407,
    "dp-sgd-norm": np.inf,
    "adp-sgd-norm": np.inf,
}  # what the accountant says of the printed constants, at the delta that is claimed


def test_all_of_them_are_found_by_name():
    assert set(MINE) <= set(names())
    with pytest.raises(ValueError, match="name='sgd'; there are"):
        example("sgd")
    with pytest.raises(ValueError, match="name='adp-erm'"):
        example("adp-erm")


@pytest.mark.parametrize("name", MINE)
def test_the_default_is_certified_with_little_to_spare(name):
    case = example(name)
    assert case.algorithm.name == name
    ledger = case.algorithm.ledger()
    assert len(ledger) == case.algorithm.steps
    assert meets(ledger, case.adjacency, case.claimed)
    assert epsilon(account(ledger, case.adjacency), case.claimed.delta) > 0.9 * case.claimed.epsilon


@pytest.mark.parametrize("name", MINE)
def test_the_accountant_judges_the_printed_constants(name):
    case = example(name, as_printed=True)
    spent = epsilon(account(case.algorithm.ledger(), case.adjacency), case.claimed.delta)
    assert spent == pytest.approx(MINE[name], rel=0.01)
    assert meets(case.algorithm.ledger(), case.adjacency, case.claimed) == (spent <= case.claimed.epsilon)


@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("name", MINE)
def test_examples_run(name, as_printed):
    case = example(name, as_printed=as_printed)
    result = run(case.algorithm, case.data, 30, measure={"m": case.measured})
    assert np.all(np.isfinite(result.output))
    assert np.all(result.values["m"] >= -1e-12)


@pytest.mark.parametrize("name", ["private-gd", "private-gd-momentum", "private-sgd", "private-sgd-momentum"])
def test_the_printed_guard_is_strict_and_says_where_it_stops(name):
    whole, one = example(name, as_printed=True, steps=5), example(name, as_printed=True, steps=1)
    assert whole.algorithm.steps == 4  # a schedule that spends the budget loses its last step
    assert "the strict guard stops after 4 of 5 steps" in whole.note
    assert one.algorithm.steps == 1
    assert "the strict guard would not let the only step pass" in one.note
    assert example(name, steps=5).algorithm.steps == 5
    assert "guard" not in example(name, steps=5).note


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("private-gd-momentum", {"beta": 0.0}, "Theorem 4.4 is for beta in (0, 1), not for beta=0"),
        ("private-gd-momentum", {"step_size": 0.1}, "the step eta_0/(2M), not for step_size=0.1"),
        ("private-sgd", {"batch": 10}, "Theorem 4.7 is for n = max(N sqrt(R), 1) = 125.3, not for n=10"),
        ("private-sgd", {"target": ApproxDP(100.0, 1e-5)}, "= 2027, not for n=200"),
        ("private-sgd-momentum", {"batch": 10}, "not for n=10"),
        ("dp-nag", {"step_size": 2.0}, "Theorem 4.1 is for steps up to 1/L, not for step_size=2"),
        ("dp-nag-opt", {"step_size": 2.0}, "Theorem 4.1 is for steps up to 1/L, not for step_size=2"),
        ("dp-nsgd", {}, "Theorem 4 is for delta >= exp(-epsilon)"),
        ("sensitivity-reduced-nsgd", {"alpha": 0.01}, "Theorem 8 is for alpha >= 1/N = 0.05"),
    ],
)
def test_settings_outside_of_a_printed_theorem_are_said(name, settings, said):
    case = example(name, as_printed=True, **settings)
    assert said in case.note
    assert case.printed is None  # the paper says nothing there
    assert said not in example(name, **settings).note


def test_settings_inside_of_a_printed_theorem_are_not():
    for name in ("private-gd-momentum", "private-sgd-momentum", "dp-nag", "dp-nag-opt"):
        case = example(name, as_printed=True)
        assert case.printed is not None
        assert "is for" not in case.note
    assert "Theorem 4" not in example("dp-nsgd", as_printed=True, target=ApproxDP(12.0, 1e-5)).note
    assert "Theorem 8" not in example("sensitivity-reduced-nsgd", as_printed=True).note


def test_an_algorithm_needs_a_step():
    plain = example("private-gd").algorithm
    with pytest.raises(ValueError, match="steps=0 >= 1"):
        Algorithm("empty", 0, plain.init, plain.query, plain.release, plain.update)


def test_a_subsampled_step_needs_its_batch():
    algorithm = example("adp-sgd", as_printed=True).algorithm
    with pytest.raises(ValueError, match="Expected a batch for a step of adp-sgd"):
        algorithm.ask(example("adp-sgd", as_printed=True).data, algorithm.init(1), algorithm.release(1))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("diff2-gd", {"u": 0.9}, "u=0.9 > 1"),
        ("adp-sgd", {"target": ApproxDP(1.0, 0.9), "as_printed": True}, "delta=0.9 < 16 T/n=0.384"),
        ("dp-shb", {"step_size": 1e3}, "step_size=1000.0 <= 1/mu=10.0"),
        ("dp-nag", {"step_size": 1e3}, "step_size=1000.0 <= 1/mu=10.0"),
        ("dp-gd", {"step_size": 1e3, "as_printed": True}, "step_size=1000.0 that converges"),
        ("diff2-bvr-l-sgd", {"target": ApproxDP(1e-3, 1e-5), "as_printed": True}, "batch=5 of 50 records"),
        ("diff2-gd", {"u": 1.0}, "u=1.0 > 1"),
        ("tree-aggregation", {"count": 0.5}, "count=0.5 >= 1"),
        ("tree-aggregation", {"count": 9, "case": mean_case(4, 2)}, "no count=9 beside data"),
        ("tree-aggregation", {"dimension": 9, "case": mean_case(4, 2)}, "no dimension=9 beside data"),
    ],
)
def test_settings_that_could_not_be_followed_are_refused_by_name(name, settings, message):
    with pytest.raises(ValueError, match=message):
        example(name, **settings)
