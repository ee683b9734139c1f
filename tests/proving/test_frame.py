"""What the tactics stand on: the codec, rigorous evaluation, domains, refutation, limits."""

import gc
import json
import sys
import time
import weakref

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.effort import QUICK
from dpverify.language.vectors import Vector, norm2
from dpverify.proving import prove, sampling
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import Unknown, ball, sign, truth
from dpverify.proving.floats import real, vectorised
from dpverify.proving.limits import TimeLimit, uninterrupted, within
from dpverify.proving.refutation import refute
from dpverify.proving.writing_out import written_out
from dpverify.relations import AtMost, Equal, Instance, Tested
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED, Evidence, Result
from dpverify.witnesses import verify_witness

x, y = sp.symbols("x y", positive=True)
whole, index = sp.symbols("T t", integer=True, positive=True)
t, T = sp.Symbol("t", integer=True, positive=True), sp.Symbol("T", integer=True, positive=True)
q = sp.IndexedBase("q", positive=True)
EXPRESSIONS = [
    sp.log(1 + x) / y**2,
    sp.Sum(q[t] * x**t, (t, 1, T)),
    sp.Max(x, 2 * y) - sp.Abs(x - y),
    sp.Piecewise((x, x < y), (y, True)),
    sp.exp(-x) * sp.erf(y),
    sp.sqrt(x) ** 3 + sp.pi,
    sp.binomial(T, 2),
    sp.And(x < y, y <= 3),
    sp.LambertW(x),
]


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_expressions_survive_json(e):
    assert from_json(json.loads(json.dumps(to_json(e)))) == e


@pytest.mark.parametrize(
    "tree",
    [
        "__import__('os')",
        ["eval", ["Symbol", "x", {}]],
        ["Rational", "1", 2],
        ["Symbol", "x", {"evil": True}],
        {"a": 1},
        [],
        ["Lambda"],
    ],
)
def test_nothing_but_known_nodes_is_read(tree):
    with pytest.raises((ValueError, TypeError)):
        from_json(tree)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.fractions(min_value="1/100", max_value=100), st.fractions(min_value="1/100", max_value=100))
def test_balls_contain_the_value(a, b):
    point = {x: sp.Rational(a), y: sp.Rational(b)}
    for e in (
        sp.log(1 + x) / y**2,
        sp.exp(-x) * sp.erf(y),
        sp.sqrt(x) ** 3 + sp.pi,
        sp.LambertW(x),
        sp.Max(x, 2 * y) - sp.Abs(x - y),
    ):
        assert abs(float(ball(e, point).mid()) - float(e.subs(point).evalf(30))) < 1e-12 * (
            1 + abs(float(e.subs(point).evalf(30)))
        )


def test_signs_are_decided_exactly():
    assert sign(sp.sqrt(2) * sp.sqrt(3) - sp.sqrt(6)) == 0
    assert sign(sp.sqrt(5 + 2 * sp.sqrt(6)) - sp.sqrt(2) - sp.sqrt(3)) == 0
    assert sign(sp.pi - sp.Rational(355, 113)) == -1
    assert sign(x - sp.Rational(1, 10**60), {x: sp.Rational(1, 10**60) + sp.Rational(1, 10**90)}) == 1
    assert truth(sp.Or(x < y, x > y), {x: 1, y: 1}) is False


@pytest.mark.parametrize(
    ("e", "point"), [(sp.log(x - 2), {x: 1}), (sp.sqrt(x - 2), {x: 1}), (sp.zeta(x), {x: 2}), (q[t], {t: 1})]
)
def test_what_has_no_rigorous_value_says_so(e, point):
    with pytest.raises(Unknown):
        ball(e, point)


def test_sums_are_written_out_with_their_own_index():
    total = q[1] + q[2]
    assert sp.expand(written_out(sp.Sum(q[t] * sp.Sum(q[t], (t, 1, 2)), (t, 1, 2))) - total**2) == 0
    assert written_out(sp.Sum(q[t], (t, 3, 2))) == 0


def test_points_meet_every_hypothesis():
    gamma, kappa = sp.Symbol("gamma", real=True), sp.Symbol("kappa", positive=True)
    d = Domain([gamma * x], [sp.Eq(gamma, 1 - 1 / kappa), kappa > 2, x < kappa])
    points = list(sampling.points(d, 20, np.random.default_rng(0)))
    assert len(points) == 20
    assert gamma not in d.symbols
    assert all(p[kappa] > 2 and 0 < p[x] < p[kappa] for p in points)


@pytest.mark.parametrize(
    "relation",
    [
        AtMost(x**2, x),
        AtMost(x * y, 1, given=[x <= 2, y <= 2]),
        AtMost(T * sp.Sum(q[t] ** 2, (t, 1, T)), sp.Sum(q[t], (t, 1, T)) ** 2),
        Equal(sp.sqrt(x + y), sp.sqrt(x) + sp.sqrt(y)),
        AtMost(sp.exp(x) - 1, x + x**2, given=[x <= sp.Rational(18, 10)]),
    ],
    ids=str,
)
def test_a_witness_stands_on_its_json_alone_and_falls_when_tampered_with(relation):
    witness = refute(relation, QUICK)
    record = json.loads(json.dumps(witness.exact))
    assert verify_witness(record)
    record["left"], record["right"] = record["right"], record["left"]
    if isinstance(relation, AtMost):
        assert not verify_witness(record)
    record = json.loads(json.dumps(witness.exact))
    record["at"][-1][1] = ["Rational", -1, 1]
    assert not verify_witness(record), "a point outside the hypotheses is no witness"


def test_witnesses_are_simple():
    assert refute(AtMost(x**2, x), QUICK).let == {"x": "2"}
    assert refute(AtMost(sp.log(1 + x), 10), QUICK).let["x"] in ("100000", "1000000")


def test_an_instance_refutes_but_never_proves():
    holds, fails = AtMost(sp.Integer(1), sp.Integer(2)), AtMost(sp.Integer(2), sp.Integer(1))
    assert prove(Instance(holds, {"f": "x^2"})).verdict is SUPPORTED
    refuted = prove(Instance(fails, {"f": "x^2"}, meets=[holds]))
    assert refuted.verdict is REFUTED
    assert refuted.witness.let["f"] == "x^2"
    unmet = prove(Instance(fails, {"f": "x^2"}, meets=[fails]))
    assert unmet.verdict is UNDECIDED, "a case that does not meet the hypotheses refutes nothing"


def test_a_run_decides_but_an_unverified_witness_does_not():
    from dpverify.verdicts import Witness

    exact = refute(AtMost(x, 1), QUICK).exact
    exact = json.loads(json.dumps(exact))
    assert (
        prove(
            Tested("s", lambda effort: Result(REFUTED, "b", Evidence("run"), Witness({}, "t", "c", exact)))
        ).verdict
        is REFUTED
    )
    exact["at"][0][1] = ["Rational", 1, 2]
    assert (
        prove(
            Tested("s", lambda effort: Result(REFUTED, "b", Evidence("run"), Witness({}, "t", "c", exact)))
        ).verdict
        is UNDECIDED
    )


def test_what_is_open_is_supported_by_a_scan_that_says_what_it_could_have_shown():
    result = prove(AtMost(sp.LambertW(x), sp.log(1 + x)), QUICK)
    assert result.verdict is SUPPORTED
    assert result.evidence.samples > 0 and result.evidence.ceiling


def test_an_attempt_is_cut_off():
    with pytest.raises(TimeLimit), within(0.2):
        while True:  # that the test ends is what it asks
            pass


def test_a_limit_counts_processor_time_and_waits_for_an_import():
    with within(0.2):
        time.sleep(0.5)
    done = []
    with pytest.raises(TimeLimit), within(0.05):
        with uninterrupted():
            start = time.process_time()
            while time.process_time() - start < 0.2:
                pass
            done.append(True)
        while True:
            pass
    assert done


FLOATS = [
    sp.log(1 + x) / y**2,
    sp.Max(x, 2 * y) - sp.Abs(x - y),
    sp.sqrt(x) ** 3 + sp.pi,
    x**y - sp.exp(-x),
    sp.Piecewise((x, x < y), (y, True)),
    sp.erf(x) - 1 / sp.sqrt(y),
    sp.tanh(x) * sp.floor(y),
    sp.binomial(5, 2) + x ** sp.Rational(-2, 3),
]


@pytest.mark.parametrize("e", FLOATS, ids=str)
def test_floats_are_near_the_balls(e):
    points = [(0.5, 2.25), (3.0, 0.125), (1.75, 1.75)]
    values = real(vectorised([x, y], [e])(*np.array(points).T)[0], len(points))
    for value, (a, b) in zip(values, points):
        assert value == pytest.approx(float(ball(e, {x: sp.Rational(a), y: sp.Rational(b)}).mid()), rel=1e-12)


def test_numbers_beyond_floating_point_stop_nothing():
    huge = sp.Integer(10) ** 400
    assert prove(AtMost(x, huge, [x <= huge])).verdict is PROVED
    assert prove(AtMost(huge, x, [x >= huge])).verdict is PROVED
    assert prove(AtMost(x, 1 / huge, [x > 0])).verdict is REFUTED
    for false in (AtMost(x, huge), AtMost(whole, huge), AtMost(norm2(Vector("u")), huge)):
        assert prove(false).verdict is UNDECIDED


def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


TOWERS = [
    (AtMost(2 ** (2**whole), 2 ** (2**whole) + 1), PROVED),
    (AtMost(y ** (2 * (2**whole - 1)), y ** (2**whole), [y < 1]), PROVED),
    (AtMost(sp.Sum(2 ** (2**index), (index, 1, whole)), 2 ** (2 ** (whole + 1))), PROVED),
    (AtMost(3 ** (5**whole), 5 ** (3**whole)), REFUTED),
]


@pytest.mark.parametrize(("relation", "verdict"), TOWERS, ids=str)
def test_powers_of_powers_are_not_written_out(relation, verdict):
    assert prove(relation).verdict is verdict


def test_a_limit_that_rings_in_a_finaliser_is_raised_after_it(monkeypatch):
    """Python prints and forgets what is raised in `__del__`, as of a solver's objects."""
    forgotten = []
    monkeypatch.setattr(sys, "unraisablehook", forgotten.append)

    class Slow:
        def __del__(self):
            spin(0.2)

    with pytest.raises(TimeLimit), within(0.05):
        Slow()
        spin(5)
    assert forgotten == []


def test_a_limit_that_rings_as_a_watched_object_goes_is_raised_after_what_was_to_be_done(monkeypatch):
    """Python prints and forgets what is raised there too, and the rest of it is not done."""
    forgotten, done = [], []
    monkeypatch.setattr(sys, "unraisablehook", forgotten.append)

    def slowly():
        spin(0.2)
        done.append(True)

    class Watched:
        pass

    watched = Watched()
    weakref.finalize(watched, slowly)
    with pytest.raises(TimeLimit), within(0.05):
        del watched
        spin(5)
    assert done == [True]
    assert forgotten == []


def test_a_limit_that_rings_in_a_callback_of_the_collector_is_raised_after_it(monkeypatch):
    """Python prints and forgets what is raised there too; Hypothesis sets such a callback."""
    forgotten = []
    monkeypatch.setattr(sys, "unraisablehook", forgotten.append)

    def slowly(phase, info):
        spin(0.1)

    gc.callbacks.append(slowly)
    try:
        with pytest.raises(TimeLimit), within(0.05):
            gc.collect()
            spin(5)
    finally:
        gc.callbacks.remove(slowly)
    assert forgotten == []


def test_numbers_may_be_longer_than_python_writes_by_itself():
    long = sp.Rational(10**5000 + 1, 10**5000)
    assert prove(AtMost(x, long * x)).verdict is PROVED
    refuted = prove(AtMost(long * x, x))
    assert refuted.verdict is REFUTED
    assert verify_witness(json.loads(json.dumps(refuted.witness.exact)))
