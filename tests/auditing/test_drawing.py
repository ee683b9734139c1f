"""Runs are drawn once: kept, taken up again, continued, cut short, and never another mechanism's."""

import functools
import importlib
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest

from dpverify import Budget, Neighbours, audit
from dpverify.auditing.blocks import chunk_sizes
from dpverify.auditing.drawing import WARM, Sampler
from dpverify.auditing.fingerprints import fingerprint
from dpverify.auditing.sequential import Sequential
from dpverify.guarantees import GDP, PureDP
from dpverify.neighbours import REPLACE
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

PAIR = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
SCALE = 1.0


def drawn(mechanism, budget, pair=PAIR):
    chunks = list(Sampler(mechanism, pair, budget))
    return tuple(np.concatenate([chunk[side] for chunk in chunks]) for side in (0, 1))


def own_copy(function, **changed):
    """The same function with some of its globals changed, as after an edit."""
    scope = {**function.__globals__, **changed}
    return types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)


def keeps_count(data, rng):
    return data.sum() + rng.normal()


def test_a_lost_chunk_is_drawn_again_and_nothing_else(tmp_path):
    def mechanism(data, rng, runs):
        return data.sum() + rng.normal(size=(runs, 1))

    budget = Budget(runs=1000, chunks=str(tmp_path))
    first = drawn(mechanism, budget)
    files = sorted(tmp_path.rglob("*.npz"))
    assert len(files) == len(chunk_sizes(1000))
    files[3].unlink()
    before = {file: file.stat().st_mtime_ns for file in files if file.exists()}
    again = drawn(mechanism, budget)
    assert all(file.stat().st_mtime_ns == when for file, when in before.items())
    assert all(np.array_equal(a, b) for a, b in zip(first, again))


@pytest.mark.parametrize("batched", [False, True])
def test_more_runs_begin_with_the_same_runs_and_do_not_draw_them_again(tmp_path, batched):
    def single(data, rng):
        return data.sum() + rng.normal()

    def many(data, rng, runs):
        return data.sum() + rng.normal(size=(runs, 1))

    mechanism = many if batched else single
    few = drawn(mechanism, Budget(runs=5000, chunks=str(tmp_path)))
    sizes = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.npz")}
    more = drawn(mechanism, Budget(runs=9000, chunks=str(tmp_path)))
    kept = [file for file, when in sizes.items() if file.stat().st_mtime_ns == when]
    assert len(kept) >= len(sizes) - 1
    whole = sum(chunk_sizes(5000)[:-1])
    assert np.array_equal(few[0][:whole], more[0][:whole])
    fresh = drawn(mechanism, Budget(runs=9000))
    assert all(np.array_equal(a, b) for a, b in zip(more, fresh))


def scaled(data, rng):
    return SCALE * data.sum() + rng.normal()


def helped(data, rng):
    return scaled(data, rng)


class Trainer:
    def __init__(self, scale):
        self.scale = scale

    def train(self, data, rng):
        return self.scale * data.sum() + rng.normal()

    __call__ = train


def closure(scale):
    held = {"scale": [scale]}
    return lambda data, rng: held["scale"][0] * data.sum() + rng.normal()


MODULE = types.ModuleType("settings_of_the_user")


def from_module(data, rng):
    return MODULE.scale * data.sum() + rng.normal()


def edited(kind, scale):
    """The same mechanism at another constant, wherever the constant lives."""
    if kind == "global":
        return own_copy(scaled, SCALE=scale)
    if kind == "global of a helper":
        return own_copy(helped, scaled=own_copy(scaled, SCALE=scale))
    if kind == "global of a cached helper":
        return own_copy(helped, scaled=functools.lru_cache(own_copy(scaled, SCALE=scale)))
    if kind == "attribute":
        return Trainer(scale)
    if kind == "attribute of a bound method":
        return Trainer(scale).train
    if kind == "closure":
        return closure(scale)
    if kind == "partial of a helper":
        return functools.partial(own_copy(helped, scaled=own_copy(scaled, SCALE=scale)))
    if kind == "default":
        return lambda data, rng, scale=scale: scale * data.sum() + rng.normal()
    module = types.ModuleType("settings_of_the_user")
    module.scale = scale
    return own_copy(from_module, MODULE=module)


KINDS = [
    "global",
    "global of a helper",
    "global of a cached helper",
    "attribute",
    "attribute of a bound method",
    "closure",
]


@pytest.mark.parametrize("kind", [*KINDS, "partial of a helper", "default", "module"])
def test_an_edited_constant_is_another_mechanism(tmp_path, kind):
    budget = Budget(runs=3000, chunks=str(tmp_path))
    assert fingerprint(edited(kind, 0.1)) == fingerprint(edited(kind, 0.1)) is not None
    if "cached" not in kind:  # arrays cannot be looked up in a cache
        assert audit(edited(kind, 0.1), PAIR, GDP(0.5), budget=budget).verdict is SUPPORTED
        assert list(tmp_path.glob("*/*.npz"))
        assert audit(edited(kind, 5.0), PAIR, GDP(0.5), budget=budget, smaller=False).verdict is REFUTED
    assert fingerprint(edited(kind, 5.0)) != fingerprint(edited(kind, 0.1))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A package of the user's, with a constant in a module of it, and a folder for chunks."""
    (tmp_path / "user_project").mkdir()
    (tmp_path / "user_project" / "__init__.py").write_text("")
    (tmp_path / "user_project" / "settings.py").write_text("SCALE = 1.0\ndef scale():\n    return SCALE\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("user_project.settings")
    for name in ("user_project.settings", "user_project"):
        sys.modules.pop(name, None)


REACHED = {
    "module of a package": "return user_project.settings.SCALE * data.sum() + rng.laplace()",
    "function of a module of a package": "return user_project.settings.scale() * data.sum() + rng.laplace()",
    "import": "from user_project.settings import scale; return scale() * data.sum() + rng.laplace()",
    "import of a member": "from user_project import settings; return settings.SCALE * data.sum()",
    "import of a module": "import user_project.settings as s; return s.SCALE * data.sum() + rng.laplace()",
    "module handed on": "return of(user_project.settings) * data.sum() + rng.laplace()",
    "computed name": "s = user_project.settings; return getattr(s, 'SC' + end) * data.sum() + rng.laplace()",
    "text": "return vars(user_project.settings)['SCALE'] * data.sum() + rng.laplace()",
}


@pytest.mark.parametrize("how", REACHED)
def test_a_constant_that_is_edited_in_another_module_is_another_mechanism(project, how):
    scope = {"user_project": sys.modules["user_project"], "end": "ALE", "__name__": "__main__"}
    exec(f"def of(module): return module.SCALE\ndef mechanism(data, rng):\n    {REACHED[how]}", scope)
    before = fingerprint(scope["mechanism"])
    assert before == fingerprint(scope["mechanism"]) is not None
    project.SCALE = 5.0
    assert fingerprint(scope["mechanism"]) != before


def test_a_module_that_was_not_imported_yet_is_part_of_the_fingerprint(project):
    """A process that begins sees the edit of the file, though nothing has imported it."""

    def mechanism(data, rng):
        from user_project import settings

        return settings.SCALE * data.sum() + rng.laplace()

    def begun_anew(scale):
        Path(project.__file__).write_text(f"SCALE = {scale}\n" + "#" * int(scale))  # of another size
        for name in ("user_project.settings", "user_project"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return fingerprint(mechanism)

    assert begun_anew(1.0) == begun_anew(1.0) != begun_anew(5.0)


def test_an_edited_constant_of_a_package_is_drawn_anew(project, tmp_path):
    def mechanism(data, rng):
        return user_project.settings.SCALE * data.sum() + rng.laplace()

    user_project = sys.modules["user_project"]
    budget = Budget(runs=2000, chunks=str(tmp_path / "chunks"))
    assert audit(mechanism, PAIR, PureDP(1.0), budget=budget).verdict is SUPPORTED
    assert list(tmp_path.glob("chunks/*/*.npz"))
    project.SCALE = 5.0
    assert audit(mechanism, PAIR, PureDP(1.0), budget=budget, smaller=False).verdict is REFUTED


OUTSIDE = {
    "a file": "float(open(path).read())",
    "a file by its path": "float(Path(path).read_text())",
    "the environment": "float(os.environ['SCALE'])",
    "a module by its text": "importlib.import_module('set' + 'tings').SCALE",
    "the loaded modules": "sys.modules['set' + 'tings'].SCALE",
    "another process": "float(processes.run(['scale']).stdout)",
    "another process, imported": "float(__import__('subprocess').run(['scale']).stdout)",
}


@pytest.mark.parametrize("where", OUTSIDE)
def test_what_comes_from_outside_of_the_code_has_no_fingerprint(where):
    scope = {"path": "scale.txt", "__name__": "__main__", "os": os, "sys": sys, "importlib": importlib}
    scope |= {"Path": Path, "processes": subprocess}
    exec(f"def mechanism(data, rng): return {OUTSIDE[where]} * data.sum() + rng.laplace()", scope)
    assert fingerprint(scope["mechanism"]) is None


def test_the_version_of_a_library_is_part_of_the_fingerprint(monkeypatch):
    from dpverify.auditing import fingerprints

    def uses_scipy(data, rng):
        return float(scipy_special.expit(data.sum()) + rng.normal())

    import scipy.special as scipy_special

    before = fingerprint(uses_scipy)
    monkeypatch.setattr(fingerprints, "_version", lambda module: f"{module} 99")
    assert fingerprint(uses_scipy) != before


def test_what_cannot_be_followed_is_not_kept(tmp_path):
    own = np.random.default_rng(0)
    with pytest.warns(UserWarning, match=r"Nothing is kept in chunks='.*': what mechanism <lambda> depends"):
        drawn(lambda data, rng: data.sum() + own.normal(), Budget(runs=100, chunks=str(tmp_path)))
    assert list(tmp_path.rglob("*.npz")) == []


def test_workers_change_nothing():
    one = drawn(keeps_count, Budget(runs=1500, seed=4))
    two = drawn(keeps_count, Budget(runs=1500, seed=4, workers=2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two))


def test_an_interrupted_audit_ends_with_the_verdict_so_far():
    calls = []

    def interrupted(data, rng, after):
        calls.append(1)
        if len(calls) > after:
            raise KeyboardInterrupt
        return 4 * data.sum() + rng.normal()

    late = functools.partial(interrupted, after=3000)
    result = audit(late, PAIR, PureDP(1.0), budget=Budget(runs=10**6), rungs=["statistics"], smaller=False)
    assert result.verdict is REFUTED
    calls.clear()
    soon = functools.partial(interrupted, after=60)
    result = audit(soon, PAIR, PureDP(8.0), budget=Budget(runs=10**6), rungs=["statistics"])
    assert result.verdict is UNDECIDED
    assert result.cut_short
    assert result.evidence.certificate["cut_short"] == "interrupted"
    assert result.evidence.samples < 60


def test_an_interrupt_while_bets_are_made_ends_with_the_verdict_so_far(monkeypatch):
    feed = Sequential.feed

    def interrupted(self, x, y):
        if self.samples >= 60:
            signal.raise_signal(signal.SIGINT)
        feed(self, x, y)

    monkeypatch.setattr(Sequential, "feed", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a job behind a shell
    try:
        result = audit(keeps_count, PAIR, GDP(1.0), budget=Budget(runs=10**6), rungs=["statistics"])
        handler = signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.cut_short and result.evidence.certificate["cut_short"] == "interrupted"
    assert result.evidence.samples == 90  # the chunk that was being bet on counts, and none after it
    assert handler is signal.default_int_handler


def test_what_is_loaded_once_does_not_settle_the_number_of_runs(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("dpverify.auditing.drawing.time.monotonic", lambda: clock[0])
    sampler = Sampler(lambda data, rng: rng.normal(), PAIR, Budget(runs=10**6, seconds=10.0))
    for chunk, (x, _) in enumerate(sampler):
        clock[0] += (
            3.0 if chunk == 0 else 1e-3 * len(x)
        )  # the first pays for imports, then 1000 runs a second
        assert sampler.settled == (chunk >= WARM)
    assert sampler.runs == pytest.approx(7000, rel=0.02)


def test_a_budget_in_time_settles_the_number_of_runs():
    def slow(data, rng):
        time.sleep(1e-3)
        return data.sum() + rng.normal()

    sampler = Sampler(slow, PAIR, Budget(runs=10**6, seconds=0.5))
    drawn_runs = sum(len(x) for x, _ in sampler)
    assert sampler.settled
    assert drawn_runs == sampler.runs < 10**4
    result = audit(slow, PAIR, GDP(1.0), budget=Budget(runs=10**6, seconds=0.3), rungs=["statistics"])
    assert result.evidence.samples < 10**4


def test_a_call_that_takes_too_long_is_an_outcome():
    def hangs(data, rng):
        if data.sum() > 0:
            time.sleep(5)
        return rng.normal()

    budget = Budget(runs=60, call_seconds=0.005)
    result = audit(hangs, PAIR, PureDP(0.5), budget=budget, rungs=["statistics"], smaller=False)
    assert result.verdict is REFUTED
    assert "on D' took longer than call_seconds=0.005." in result.because
    twin = audit(lambda data, rng: rng.normal(), PAIR, PureDP(0.5), budget=budget, rungs=["statistics"])
    assert twin.verdict is not REFUTED


def test_a_batched_call_that_takes_too_long_is_made_run_by_run():
    def hangs(data, rng, runs):
        if data.sum() > 0:
            time.sleep(5)
        return rng.normal(size=(runs, 1))

    def slow(data, rng, runs):
        time.sleep(0.001 * runs)
        return rng.normal(size=(runs, 1))

    budget = Budget(runs=90, call_seconds=0.015)
    result = audit(hangs, PAIR, PureDP(0.5), budget=budget, rungs=["statistics"], smaller=False)
    assert result.verdict is REFUTED
    assert "on D' took longer than call_seconds=0.015." in result.because
    twin = audit(slow, PAIR, PureDP(0.5), budget=budget, rungs=["statistics"])
    assert twin.verdict is not REFUTED and not twin.crashed


def test_a_state_that_drifts_is_not_taken_for_a_leak():
    class Drifting:
        def __init__(self):
            self.calls = 0

        def __call__(self, data, rng, runs):
            self.calls += 1
            return 3.0 * self.calls + rng.normal(size=(runs, 1))

    class Alternating(Drifting):
        def __call__(self, data, rng):
            self.calls += 1
            return 0.05 * self.calls + rng.normal()

    for kind in (Drifting, Alternating):
        for seed in range(2):
            result = audit(kind(), PAIR, PureDP(0.5), budget=Budget(runs=2000, seed=seed), smaller=False)
            assert result.verdict is not REFUTED, result.because
            assert "state" in result.because


def test_a_leak_with_a_state_is_still_seen():
    class Leaky:
        def __init__(self):
            self.calls = 0

        def __call__(self, data, rng):
            self.calls += 1
            return 1e-3 * self.calls + 9 * data.sum() + rng.normal()

    assert audit(Leaky(), PAIR, PureDP(0.5), budget=Budget(runs=2000), smaller=False).verdict is REFUTED


def test_a_leak_whose_copies_do_not_run_is_still_seen():
    places = {}

    class Registered:
        """Counts its calls, and refers to a place that a copy does not know."""

        def __init__(self):
            self.calls = 0
            places[id(self)] = 9.0

        def __call__(self, data, rng):
            self.calls += 1
            return places[id(self)] * data.sum() + rng.normal()

    result = audit(Registered(), PAIR, PureDP(0.5), budget=Budget(runs=2000), smaller=False)
    assert result.verdict is REFUTED, result.because


def test_a_mechanism_that_changes_its_data_is_named():
    def centres(data, rng):
        data -= data.mean()
        return data.sum() + rng.normal()

    pair = Neighbours(np.array([[0.0], [1.0]]), np.array([[0.0], [5.0]]), REPLACE)
    result = audit(centres, pair, GDP(1.0), budget=Budget(runs=100), rungs=["statistics"])
    assert result.verdict is UNDECIDED
    assert "changes its data" in result.because
