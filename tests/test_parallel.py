"""Pieces done here, by processes and by a Dask cluster: the same results, and what happens when one dies.

Every process that does a piece imports this module: what is heavy is imported by the tests that need it.
Those that kill workers come last, so that the others find workers that have imported what they need.
"""

import ctypes
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from dpverify.parallel import ClusterError, PiecesFailed, each, on, stop, workers_in_use

pytest.importorskip("distributed", reason='needs Dask: pip install ".[dask]"')


@pytest.fixture(scope="module")
def cluster():
    """Two processes of a Dask cluster; every `each` of the test goes to them."""
    from dpverify import parallel

    with on("local:2"):
        backend = parallel._active.pop()
        yield backend
        parallel._active.append(backend)


@pytest.fixture
def on_cluster(cluster, monkeypatch):
    from dpverify import parallel

    monkeypatch.setattr(parallel, "_active", [cluster])


def square(k):
    return k * k


def divide(a, b):
    return a / b


def test_a_cluster_gives_the_same_results_in_the_same_order(on_cluster):
    assert workers_in_use() == 2
    assert list(each(square, range(7))) == [(k, k * k) for k in range(7)]
    assert sorted(each(square, range(7), ordered=False)) == [(k, k * k) for k in range(7)]
    assert list(each(square, range(7), ahead=1)) == [(k, k * k) for k in range(7)]
    assert list(each(square, [])) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_piece_that_raises_is_named_and_the_rest_is_done(workers):
    done = []
    with pytest.raises(PiecesFailed, match="0 failed: ZeroDivisionError") as failed:
        done.extend(each(divide, [2, 0, 4], shared=(8,), workers=workers))
    assert failed.value.pieces == ["0"]
    assert len(done) == 0 or done == [(2, 4.0), (4, 2.0)]
    kept = [result for _, result in each(divide, [2, 0, 4], shared=(8,), instead=lambda piece, error: None)]
    assert kept == [4.0, None, 2.0]
    with pytest.raises(ZeroDivisionError):
        list(each(divide, [2, 0, 4], shared=(8,), workers=workers, instead=stop))


def test_what_was_done_before_a_piece_failed_is_not_lost(on_cluster):
    done = {}
    with pytest.raises(PiecesFailed, match="0 failed"):
        for piece, result in each(divide, [2, 0, 4], shared=(8,)):
            done[piece] = result
    assert done == {2: 4.0, 4: 2.0}


def unpicklable(k):
    return (part for part in range(k))


def test_a_result_that_cannot_travel_is_the_error_of_its_piece(on_cluster):
    with pytest.raises(PiecesFailed, match="2 failed: TypeError: the result of type generator cannot travel"):
        list(each(unpicklable, [2]))


def test_a_piece_that_is_tried_again_does_not_wait_for_ever_for_a_worker(cluster, monkeypatch):
    class Unfinished:
        def result(self, timeout):
            raise TimeoutError

    monkeypatch.setattr(cluster.client, "submit", lambda *given, **options: Unfinished())
    monkeypatch.setattr(cluster.client, "nthreads", dict)
    with pytest.raises(ClusterError, match="No worker is left at on='local:2'"):
        cluster.alone(None, 0, 0)


def hang_at_three(k):
    if k == 3:
        ctypes.PyDLL(None).sleep(1000)  # holds the lock of the interpreter
    return k


def test_a_piece_that_takes_too_long_is_stopped_on_a_cluster_too(on_cluster):
    list(each(time.sleep, [0.2] * 4, seconds=60))  # so that the limit is not spent on starting processes
    seen = dict(each(hang_at_three, range(4), seconds=5, instead=lambda piece, error: str(error)))
    assert seen.pop(3) == "no answer in 5 s: it was stopped"
    assert seen == {k: k for k in range(3)}
    assert list(each(hang_at_three, [4, 5], seconds=60)) == [(4, 4), (5, 5)]


def leave_a_mark(folder, k):
    time.sleep(0.05)
    with open(os.path.join(folder, str(k)), "w"):
        pass
    return k


def test_leaving_the_loop_cancels_what_is_outstanding(on_cluster, tmp_path):
    for piece, _ in each(leave_a_mark, range(200), shared=(str(tmp_path),), ahead=50):
        if piece == 3:
            break
    assert list(each(square, [1, 2])) == [(1, 1), (2, 4)]  # after which the cluster is free
    assert len(list(tmp_path.iterdir())) < 100


def late(data, rng):
    """A mechanism whose runs are finished in an order that has nothing to do with their numbers."""
    value = data.sum() + rng.normal()
    time.sleep(0.002 * random.random())
    return value


def test_an_audit_is_the_same_whoever_was_drawn_first(on_cluster, monkeypatch):
    import numpy as np

    from dpverify import parallel
    from dpverify.auditing import Budget, audit
    from dpverify.guarantees import GDP
    from dpverify.neighbours import Neighbours

    monkeypatch.setattr("dpverify.auditing.drawing.HERE", 0.0)
    pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
    budget = Budget(runs=300, seed=5)

    def timeless(mu):
        result = audit(late, pair, GDP(mu), budget=budget, smaller=False)
        return json.dumps(result.with_(seconds=0.0, steps=()).to_json())

    there = [timeless(mu) for mu in (0.25, 1.0)]
    parallel._active.clear()
    assert [timeless(mu) for mu in (0.25, 1.0)] == there


def test_runs_are_the_same_bytes(on_cluster):
    from dpverify import parallel
    from dpverify.algorithms import example
    from dpverify.montecarlo import run

    case = example("private-gd")
    there = run(case.algorithm, case.data, 20_000, 3, measure={"excess": case.measured})
    parallel._active.clear()
    here = run(case.algorithm, case.data, 20_000, 3, measure={"excess": case.measured})
    assert there.output.tobytes() == here.output.tobytes()
    assert there.values["excess"].tobytes() == here.values["excess"].tobytes()


def for_ever(seconds):
    from dpverify.proving.limits import TimeLimit, within

    try:
        with within(seconds):
            while True:
                pass
    except TimeLimit as limit:
        return str(limit)


def test_a_limit_on_time_holds_in_a_worker_of_a_cluster(on_cluster):
    assert list(each(for_ever, [0.2])) == [(0.2, "no answer in 0.2 s")]


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("local:0", "Expected on='local:0' to be local:N"),
        ("nowhere", "Expected on='nowhere' to be local:N"),
        ("tcp://127.0.0.1:1", "No Dask scheduler answers at on='tcp://127.0.0.1:1'"),
    ],
)
def test_a_cluster_that_is_not_there_is_named(where, says, monkeypatch):
    from dpverify import parallel

    monkeypatch.setattr(parallel, "PATIENCE", "1s")
    with pytest.raises(ClusterError, match=says), on(where):
        pass


def test_without_dask_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install \"\.\[dask\]\""), on("local:2"):
        pass


@pytest.fixture
def scheduler_and_worker():
    """A scheduler and a worker as one starts them on three machines."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    command = [*dask, "scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2]]
    worker = [*dask, "worker", address, "--nthreads", "1", "--death-timeout", "10"]
    started = [
        subprocess.Popen([*command, "--no-dashboard"], **quiet),
        subprocess.Popen([*worker, "--no-dashboard"], **quiet),
    ]
    yield address, started[0]
    for process in started:
        process.terminate()
        process.wait()


def test_a_scheduler_that_dies_ends_the_loop_with_what_is_finished_kept(scheduler_and_worker):
    address, scheduler = scheduler_and_worker
    done = []
    with on(address), pytest.raises(ClusterError, match="is gone"):
        for piece, _ in each(time.sleep, [0.05] * 4 + [0.5] * 20):
            done.append(piece)
            if len(done) == 2:
                scheduler.kill()
    assert 2 <= len(done) < 24


def test_the_same_work_goes_on_from_where_it_was_and_then_nothing_is_left_behind(tmp_path):
    from dpverify.memory import Memory

    marks, memory = tmp_path / "marks", Memory(tmp_path / "pieces")
    marks.mkdir()
    with pytest.raises(KeyboardInterrupt), on("local:2", memory):
        for piece, _ in each(leave_a_mark, range(12), shared=(str(marks),), ahead=1):
            if piece == 5:
                raise KeyboardInterrupt
    assert {"0", "1", "2", "3", "4", "5"} <= {mark.name for mark in marks.iterdir()}
    for mark in marks.iterdir():
        mark.unlink()
    with on("local:1", memory):  # whoever made a piece, it is the same
        assert list(each(leave_a_mark, range(12), shared=(str(marks),))) == [(k, k) for k in range(12)]
    assert not {"0", "1", "2", "3", "4"} & {mark.name for mark in marks.iterdir()}
    assert list(memory.folder.iterdir()) == []


CLAIMS = [  # each is decided in its own way
    "dp-accel/eq-4.1-b-audit",  # refuted by an audit
    "dp-accel/eq-4.2-note",  # refuted by a point
    "dp-accel/eq-4.2-trace",  # holds in runs, and leans on another claim
    "dynamic-noise/lemma-4.1",  # an optimum
    "dynamic-noise/eq-10",  # an identity
]


@pytest.mark.parametrize(
    "command",
    [
        ["run", "private-gd", "--runs", "3000", "--json"],
        ["zoo", "forgotten_clip", "fixed_seed", "--json"],
        ["check", *CLAIMS, "--json"],
        ["laws", "private-gd", "--family", "sensitivity", "--json"],
        ["targets", "published:adp-erm-norm", "--test", "--json"],
    ],
)
def test_a_command_prints_the_same_on_a_cluster(command, on_cluster, monkeypatch):
    """The option starts a cluster of its own; here it is given the one of these tests."""
    from contextlib import nullcontext

    from typer.testing import CliRunner

    from dpverify import parallel
    from dpverify.cli import application

    def output(*more):
        done = CliRunner().invoke(application(), [*command, *more])
        assert done.exit_code == 0, done.output
        return re.sub(r'"seconds": [0-9.e-]+', "", done.stdout)

    with monkeypatch.context() as patch:
        patch.setattr(parallel, "on", lambda where, memory: nullcontext())
        there = output("--on", "local:2")
    parallel._active.clear()
    assert output() == there


def test_workers_of_several_threads_are_refused():
    from distributed import LocalCluster

    settings = {"processes": False, "protocol": "tcp", "dashboard_address": None}
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, **settings) as several,
        pytest.raises(ClusterError, match="Expected workers of one thread each"),
        on(several.scheduler_address),
    ):
        pass


def kill_once(flag, k):
    if k == 3 and not os.path.exists(flag):
        with open(flag, "w"):
            pass
        os.kill(os.getpid(), signal.SIGKILL)
    return k


def kill_always(here, k):
    if k == 3 and os.getpid() != here:
        os.kill(os.getpid(), signal.SIGKILL)
    return k


def test_a_worker_that_is_killed_costs_its_pieces_and_they_are_done_again(on_cluster, tmp_path):
    flag = str(tmp_path / "killed")
    assert list(each(kill_once, range(8), shared=(flag,))) == [(k, k) for k in range(8)]
    assert os.path.exists(flag)


def test_a_piece_that_kills_every_worker_is_named_and_its_neighbours_are_done(on_cluster):
    seen = dict(each(kill_always, range(6), shared=(os.getpid(),), instead=lambda piece, error: str(error)))
    assert seen.pop(3) == "each worker that it was given to died"
    assert seen == {k: k for k in (0, 1, 2, 4, 5)}


def test_a_piece_that_kills_a_process_of_this_machine_is_named_too():
    seen = list(
        each(kill_always, range(6), shared=(os.getpid(),), workers=2, instead=lambda piece, error: str(error))
    )
    assert seen == [(0, 0), (1, 1), (2, 2), (3, "its process was killed"), (4, 4), (5, 5)]
