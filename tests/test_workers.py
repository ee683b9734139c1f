"""Processes that can be killed: what they import, what they cost when they die, and that they end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpverify.parallel import each
from dpverify.workers import Stopped, WorkersDied


def test_a_worker_imports_what_this_process_imports_and_nothing_from_the_current_folder(
    tmp_path, monkeypatch
):
    (tmp_path / "dpverify").mkdir()
    (tmp_path / "dpverify" / "__init__.py").write_text("raise ImportError('a folder of that name')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(tmp_path))])
    assert [answer for _, answer in each(abs, [-1], seconds=60)] == [1]


def dies_at_two(piece):
    if piece == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if piece == 3:
        time.sleep(1000)
    if piece == 4:
        raise ValueError("no")
    return piece * 10


def test_one_that_dies_hangs_or_raises_costs_its_piece_alone():
    seen = dict(each(dies_at_two, range(6), workers=2, seconds=5, instead=lambda piece, error: error))
    assert [seen[k] for k in (0, 1, 5)] == [0, 10, 50]
    assert isinstance(seen[2], WorkersDied) and "SIGSEGV" in str(seen[2])
    assert isinstance(seen[3], Stopped) and "5 s" in str(seen[3])
    assert isinstance(seen[4], ValueError)


def own_id(piece):
    return os.getpid()


def test_workers_are_gone_when_the_loop_is_left():
    loop = each(own_id, range(3), seconds=60)
    _, worker = next(loop)
    loop.close()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("a worker outlives its loop")


def hash_of_text(piece):
    return hash("text")


def test_hashes_are_pinned():
    answers = {answer for _ in range(2) for _, answer in each(hash_of_text, [0, 1], workers=2, seconds=60)}
    assert len(answers) == 1


def load_numpy():
    import numpy  # noqa: F401


def two_numbers(piece):
    import random

    loaded = "numpy" in sys.modules
    import numpy as np

    return loaded, random.random(), float(np.random.random())


def test_siblings_draw_numbers_of_their_own_and_have_what_was_made_ready():
    """They are forked from one process: without new seeds unseeded noise would be the same everywhere."""
    seen = [answer for _, answer in each(two_numbers, range(3), workers=3, seconds=60, ready=load_numpy)]
    seen += [answer for _, answer in each(two_numbers, range(3), workers=3, seconds=60, ready=load_numpy)]
    loaded, ours, numpys = (set(part) for part in zip(*seen))
    assert loaded == {True} and len(ours) == len(numpys) == 6
    ((_, (loaded, *_)),) = each(two_numbers, [0], seconds=60)
    assert not loaded


def surroundings(piece):
    import module_of_the_moment

    return os.getcwd(), os.environ["OF_THE_MOMENT"], module_of_the_moment.NAME


@pytest.mark.parametrize("name", ["one", "other"])
def test_a_worker_has_the_folder_the_path_and_the_environment_of_the_moment(name, tmp_path, monkeypatch):
    (tmp_path / "module_of_the_moment.py").write_text(f"NAME = {name!r}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OF_THE_MOMENT", name)
    assert list(each(surroundings, [0], seconds=60)) == [(0, (str(tmp_path), name, name))]


def load_fractions():
    import fractions  # noqa: F401


def test_a_loop_within_a_loop_and_one_of_another_thread_do_not_end_each_other():
    from concurrent.futures import ThreadPoolExecutor

    outer = each(abs, [-1, -2, -3], seconds=60, ready=load_numpy)
    assert next(outer) == (-1, 1)
    assert list(each(abs, [-4], seconds=60, ready=load_fractions)) == [(-4, 4)]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: list(each(abs, [-5], seconds=60))).result() == [(-5, 5)]
    assert list(outer) == [(-2, 2), (-3, 3)]


def kill_parent(piece):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)


def test_a_template_that_is_killed_costs_its_workers_and_the_next_ones_have_another():
    ((_, error),) = each(kill_parent, [0], seconds=60, instead=lambda piece, error: error)
    assert isinstance(error, WorkersDied) and "SIGKILL" in str(error)
    assert [answer for _, answer in each(abs, [-1], seconds=60)] == [1]


def test_after_an_interrupt_nobody_is_given_the_answer_to_another_question(monkeypatch):
    from dpverify import workers

    template = workers._template(None)

    class Interrupted:
        def __getattr__(self, name):
            return getattr(pipe, name)

        def recv(self):
            raise KeyboardInterrupt

    pipe = template.pipe
    monkeypatch.setattr(template, "pipe", Interrupted())
    with open(os.devnull) as nothing, pytest.raises(KeyboardInterrupt):
        template.fork(nothing.fileno())
    assert [answer for _, answer in each(abs, [-1], seconds=60)] == [1]
    assert workers._template(None) is not template


ORPHAN = """
import os, re, sys, time
from dpverify.parallel import each

def hang(path):
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    re.match("(a+)+$", "a" * 64 + "b")  # holds the lock of the interpreter

list(each(hang, [sys.argv[1]], seconds=600))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel kills it on Linux only")
def test_a_worker_that_hangs_in_c_dies_with_its_parent(tmp_path):
    script, mark = tmp_path / "orphan.py", tmp_path / "worker"
    script.write_text(ORPHAN)
    parent = subprocess.Popen([sys.executable, str(script), str(mark)])
    try:
        while not (mark.exists() and mark.read_text()):
            time.sleep(0.1)
            assert parent.poll() is None
    finally:
        parent.kill()
        parent.wait()
    for _ in range(100):
        try:
            state = Path(f"/proc/{mark.read_text()}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":  # dead, and nobody asked how
            return
        time.sleep(0.1)
    pytest.fail("a worker outlives its parent")
