"""Every algorithm has an example that the accountant certifies, and printed constants that do what its
docstring says.
"""

import numpy as np
import pytest

from dpverify.accounting import account, epsilon, meets
from dpverify.algorithms import example, names
from dpverify.engine import Algorithm
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
        ("diff2-gd", {"u": 1.0}, "u=1.0 > 1"),
        ("tree-aggregation", {"count": 0.5}, "count=0.5 >= 1"),
        ("tree-aggregation", {"count": 9, "case": mean_case(4, 2)}, "no count=9 beside data"),
        ("tree-aggregation", {"dimension": 9, "case": mean_case(4, 2)}, "no dimension=9 beside data"),
    ],
)
def test_settings_that_could_not_be_followed_are_refused_by_name(name, settings, message):
    with pytest.raises(ValueError, match=message):
        example(name, **settings)
