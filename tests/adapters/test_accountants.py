"""Every accountant ends as known; planted bugs are refuted by the law that is meant for them, and a correct
accountant passes all.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from dpverify.accountant import Accountant, Recorded, Training
from dpverify.accounting import epsilon as epsilon_of_guarantee
from dpverify.accounting import exact
from dpverify.accounting.bounds import Steps, epsilon_bounds
from dpverify.adapters import NotInstalled, select
from dpverify.guarantees import GDP
from dpverify.properties import LAWS
from dpverify.properties.accountants.questions import GAP
from dpverify.properties.examination import examine
from dpverify.roots import first_at_most
from dpverify.subjects import NotApplicable, Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

# The accountants of others


@pytest.mark.parametrize("target", select("accountant:*"), ids=lambda target: target.name)
def test_every_accountant_ends_as_known(target):
    if not target.installed:
        pytest.skip(f"needs {target.install}")
    examination = examine(target)
    assert examination.surprises == []
    assert all(outcome.because for outcome in examination.outcomes.values())
    json.dumps(examination.to_json())


def test_a_missing_library_says_how_to_install_it():
    missing = replace(select("accountant:opacus-rdp")[0], packages=("no-such-package",))
    with pytest.raises(NotInstalled, match=r"\.\[torch\]"):
        missing()


@pytest.mark.parametrize("settings", [{"grid": "huge"}, {"interval": -1.0}, {"order": 2}])
def test_bad_settings_are_named(settings):
    (name, value), *_ = settings.items()
    with pytest.raises(ValueError, match=f"{name}='?{value}"):
        select("accountant:dp-accounting-pld")[0](**settings)


def test_only_the_count_of_randomised_responses_is_lost_by_privacy_loss_distributions():
    result = LAWS["exact"](select("accountant:dp-accounting-pld")[0]())
    assert {("answers" in found["setting"]) for found in result.witness.exact["all"]} == {True}
    assert result.witness.exact["below"] == 6  # ten and fifty answers, at three deltas; one answer is right


def test_the_lost_count_by_hand():
    dpa = pytest.importorskip("dp_accounting")
    answer = dpa.RandomizedResponseDpEvent(0.5, 2)
    relation = dpa.NeighboringRelation.REPLACE_ONE
    at_once = dpa.pld.PLDAccountant(relation).compose(answer, 2).get_epsilon(1e-6)
    one_by_one = dpa.pld.PLDAccountant(relation).compose(answer).compose(answer).get_epsilon(1e-6)
    assert (
        at_once < 1.1 < 2.19 < one_by_one
    )  # both are true with probability 9/16 on one side and 1/16 on the other: 2 ln 3 = 2.197


def test_replacement_by_hand():
    dpa = pytest.importorskip("dp_accounting")
    relation = dpa.NeighboringRelation.REPLACE_ONE
    of_renyi = (
        dpa.rdp.RdpAccountant(neighboring_relation=relation)
        .compose(dpa.GaussianDpEvent(1.0))
        .get_epsilon(1e-5)
    )
    of_losses = dpa.pld.PLDAccountant(relation, 1e-3).compose(dpa.GaussianDpEvent(1.0)).get_epsilon(1e-5)
    assert of_renyi < 4.73 < 9.99 < epsilon_of_guarantee(GDP(2.0), 1e-5) < 1.0001 * of_losses


# A correct accountant, and bugs planted in it


def certified(ledger, delta, gap=GAP):
    """The exact epsilon where there is one, the certified upper bound elsewhere."""
    if all(step.rate == 1 for step in ledger):
        return epsilon_of_guarantee(GDP(math.sqrt(sum(step.times / step.noise**2 for step in ledger))), delta)
    if len(ledger) == 1 and ledger[0].times == 1:
        return first_at_most(lambda e: exact.subsampled_gaussian(e, ledger[0].rate, ledger[0].noise), delta)
    return epsilon_bounds(tuple(sorted(ledger)), delta, gap).upper


def singly(ledger, delta):
    counts = {}
    for step in ledger:
        for _ in range(step.times):
            counts[step.noise, step.rate] = counts.get((step.noise, step.rate), 0) + 1
    return certified(tuple(Steps(*key, times) for key, times in counts.items()), delta)


def users(ledger, records, delta):
    ((noise, rate, times),) = ledger
    if rate == 1:
        return certified((Steps(noise / records, 1.0, times),), delta)
    chances = binom.pmf(np.arange(records + 1), records, rate)
    return first_at_most(lambda e: exact.participations(e, chances, noise), delta)


def noise(wanted, delta, rate, times, gap=2e-3):
    low, high = 0.2, 200.0
    while high / low > 1.002:
        middle = math.sqrt(low * high)
        low, high = (
            (low, middle)
            if certified((Steps(middle, rate, times),), delta, gap) <= wanted
            else (middle, high)
        )
    return high


def recorded(setup: Training, seed: int) -> Recorded:
    """Poisson and shuffled batches in NumPy, and the rate and steps that they have."""
    rng = np.random.default_rng(seed)
    per_epoch = (
        math.ceil(setup.records / setup.batch) if not setup.drop_last else setup.records // setup.batch
    )
    batches = []
    for _ in range(setup.epochs):
        if setup.poisson and setup.passes > 1:
            raise ValueError("a record may be drawn twice")
        order = rng.permutation(setup.records)
        cut = [order[i * setup.batch : (i + 1) * setup.batch] for i in range(per_epoch)]
        drawn = (
            [np.flatnonzero(rng.random(setup.records) < 1 / per_epoch) for _ in cut] if setup.poisson else cut
        )
        batches += [
            np.concatenate(drawn[i : i + setup.passes]).tolist() for i in range(0, per_epoch, setup.passes)
        ]
    rate = 1 / per_epoch if setup.poisson else max(len(batch) for batch in batches) / setup.records
    return Recorded([Steps(1.0, rate, len(batches))], batches)


def epochs(wanted, delta, batches, count):
    return [Steps(noise(wanted, delta, 1 / batches, batches * count, GAP), 1 / batches, batches * count)]


OWN = Accountant(
    certified,
    "these tests",
    singly=singly,
    users=users,
    noise=noise,
    recorded=recorded,
    epochs=epochs,
    laplace=lambda scale, times, delta: first_at_most(lambda e: exact.laplace(e, scale), delta),
    response=lambda truth, times, delta: first_at_most(
        lambda e: exact.randomised_response(e, truth, times), delta
    ),
    replaced=lambda ledger, delta: first_at_most(
        lambda e: exact.replacement(e, ledger[0].rate, ledger[0].noise), delta
    ),
)


OF_ACCOUNTANTS = [law.name for law in LAWS.values() if law.family == "accountants"]


def mine(**changes) -> Subject:
    return Subject(name="mine:accountant", accountant=replace(OWN, **changes))


def test_every_law_of_accountants_has_a_planted_bug():
    planted = {law for _, laws in BUGS.values() for law in laws}
    assert planted | {"agreement"} == set(OF_ACCOUNTANTS)  # which can only leave undecided


@pytest.mark.parametrize("law", OF_ACCOUNTANTS)
def test_a_correct_accountant_passes(law):
    result = LAWS[law](mine())
    assert result.verdict is SUPPORTED, result


def zero_or(ledger, delta):
    left = tuple(step for step in ledger if step.times > 0)
    return certified(left, delta) if left else 0.0


def one_fewer(setup, seed):
    (history,), batches = recorded(setup, seed)
    return Recorded([history._replace(times=history.times - 1)], batches)


def at_physical_rate(setup, seed):
    (history,), batches = recorded(setup, seed)
    return Recorded([history._replace(rate=(setup.physical or setup.batch) / setup.records)], batches)


def drawn_twice(setup, seed):
    found = recorded(setup._replace(passes=1), seed)
    return (
        Recorded(found.history, [a + b for a, b in zip(found.batches[::2], found.batches[1::2])])
        if setup.passes > 1
        else found
    )


def last_call_only(ledger, delta):
    return certified((ledger[-1]._replace(times=1),), delta)


BUGS = {
    "0.95 of epsilon": (
        {"epsilon": lambda ledger, delta: 0.95 * certified(ledger, delta)},
        ["exact", "bounds", "relation"],
    ),
    "the rate is ignored": (
        {"epsilon": lambda ledger, delta: certified(tuple(s._replace(rate=1.0) for s in ledger), delta)},
        ["monotone"],
    ),
    "the rate of another training": (
        {"epsilon": lambda ledger, delta: certified(tuple(s._replace(rate=0.01) for s in ledger), delta)},
        ["exact", "monotone"],
    ),
    "a step is missing": (
        {
            "epsilon": lambda ledger, delta: zero_or(
                tuple(s._replace(times=s.times - 1) for s in ledger), delta
            )
        },
        ["exact", "bounds"],
    ),
    "the wrong delta": (
        {"epsilon": lambda ledger, delta: certified(ledger, 1e-3)},
        ["exact", "bounds", "monotone"],
    ),
    "squared noise": (
        {
            "epsilon": lambda ledger, delta: certified(
                tuple(s._replace(noise=s.noise**2) for s in ledger), delta
            )
        },
        ["exact"],
    ),
    "only the first kind of steps": (
        {"epsilon": lambda ledger, delta: certified(ledger[:1], delta)},
        ["exact", "monotone"],
    ),
    "calls do not add up": ({"singly": last_call_only}, ["monotone"]),
    "answers do not add up": (
        {"response": lambda truth, times, delta: OWN.response(truth, 1, delta)},
        ["exact", "monotone"],
    ),
    "a user is charged like a record": (
        {"users": lambda ledger, records, delta: certified(ledger, delta)},
        ["exact"],
    ),
    "group privacy at the same delta": (
        {"users": lambda ledger, records, delta: users(ledger, 1, delta) * records},
        ["exact"],
    ),
    "scale for sensitivity": (
        {"laplace": lambda scale, times, delta: OWN.laplace(2 * scale, times, delta)},
        ["exact"],
    ),
    "replacing as removing": ({"replaced": certified}, ["relation"]),
    "a relation that it does not speak of": ({"relation": "replace"}, ["relation"]),
    "a step is not recorded": ({"recorded": one_fewer}, ["accumulation", "shuffled"]),
    "the rate of the physical batch": ({"recorded": at_physical_rate}, ["accumulation"]),
    "a record twice in a step": ({"recorded": drawn_twice}, ["accumulation"]),
    "noise that stops short": ({"noise": lambda *given: 0.98 * noise(*given)}, ["calibration"]),
    "noise for another delta": (
        {"noise": lambda wanted, delta, rate, times: noise(wanted, 10 * delta, rate, times)},
        ["calibration"],
    ),
    "epochs of one batch fewer": (
        {"epochs": lambda e, d, b, n: [Steps(noise(e, d, 1 / b, (b - 1) * n, GAP), 1 / b, b * n)]},
        ["epochs"],
    ),
}


@pytest.mark.parametrize(("bug", "law"), [(bug, law) for bug, (_, laws) in BUGS.items() for law in laws])
def test_planted_bugs_are_refuted_by_the_law_that_is_meant_for_them(bug, law):
    result = LAWS[law](mine(**BUGS[bug][0]))
    assert result.verdict is REFUTED, result
    assert result.witness.let and result.witness.then


def test_an_accountant_that_is_three_times_too_large_does_not_agree():
    result = LAWS["agreement"](mine(epsilon=lambda ledger, delta: 3 * certified(ledger, delta)))
    assert result.verdict is UNDECIDED


def test_an_accountant_that_gives_no_number_is_not_judged():
    def refuse(*given):
        raise ValueError("too hard")

    silent = mine(
        epsilon=refuse,
        users=refuse,
        laplace=None,
        response=None,
        noise=refuse,
        epochs=refuse,
        recorded=refuse,
    )
    for law in (
        "exact",
        "bounds",
        "monotone",
        "calibration",
        "epochs",
        "accumulation",
        "shuffled",
        "agreement",
    ):
        assert LAWS[law](silent).verdict is UNDECIDED, law


def test_laws_that_do_not_apply_say_why():
    bare = mine(noise=None, recorded=None, epochs=None)
    for law in ("calibration", "accumulation", "shuffled", "epochs"):
        assert isinstance(LAWS[law](bare), NotApplicable)


@pytest.mark.parametrize("name", ["accountant:opacus-rdp", "accountant:opacus-prv"])
def test_training_with_opacus_is_the_same_for_the_same_seed(name):
    pytest.importorskip("opacus", reason='needs pip install ".[torch]"')
    train = select(name)[0]().accountant.recorded
    setup = Training(20, 4, 3, physical=2)
    assert train(setup, 1) == train(setup, 1) != train(setup, 2)
