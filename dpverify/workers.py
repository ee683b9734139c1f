"""Processes that can be killed: a time limit that also stops C code, and a dead worker that costs one piece.

Each worker is a fresh Python, with the path of this one, that does one piece at a time, over a pipe. What a
piece prints goes to stderr, so that stdout holds the answer of the command alone. Hash seeds and threads are
pinned: the answers do not depend on how many workers there are.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

PINNED = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux
LOOK = 30.0  # seconds between two looks at what is still running


class Stopped(RuntimeError):
    """A piece took longer than it may."""


class WorkersDied(RuntimeError):
    """The processes that a piece was given to were killed, or ran out of memory."""


class _Worker:
    """A process, the piece it is at, and when it began."""

    def __init__(self) -> None:
        self.pipe, theirs = Pipe()
        code = f"from dpverify.workers import serve; serve({theirs.fileno()})"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=sys.__stderr__.fileno() if sys.__stderr__ else subprocess.DEVNULL,
            start_new_session=True,  # so that what a piece started dies with it
            env={**os.environ, **{name: os.environ.get(name, value) for name, value in PINNED.items()}}
            | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
        )
        theirs.close()
        self.number, self.piece, self.began = -1, None, 0.0

    def give(self, call: Callable[[int, Any], Any], number: int, piece: Any) -> None:
        self.number, self.piece, self.began = number, piece, time.monotonic()
        with suppress(BrokenPipeError):  # it is dead: its pipe will say so
            self.pipe.send((call, number, piece))

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.pipe.close()

    def epitaph(self) -> str:
        """How a worker that is dead came to its end."""
        try:
            code = self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "its worker closed its pipe"
        if code >= 0:
            return f"its worker ended with exit code {code}"
        name = signal.Signals(-code).name
        memory = " (out of memory?)" if name == "SIGKILL" else ""
        return f"its worker was ended by {name}{memory}"


def outcomes(
    call: Callable[[int, Any], Any],
    pieces: list[Any],
    *,
    count: int,
    seconds: float | None = None,
    watch: Callable[[dict[Any, float]], None] | None = None,
) -> Generator[tuple[int, Any, Exception | None], None, None]:
    """`call(number, piece)` for every piece, as they are finished: its number, and either the result or an
    error, which is `Stopped` after so many seconds and `WorkersDied` if its process ended.

    `watch` is told now and then which pieces are being done, and for how many seconds.

    >>> sorted(outcomes(divmod, [2, 1], count=1), key=lambda outcome: outcome[0])
    [(0, (0, 0), None), (1, (1, 0), None)]
    """
    todo = list(enumerate(pieces))[::-1]
    workers: list[_Worker] = []
    try:
        while todo or workers:
            while todo and len(workers) < count:
                workers.append(_Worker())
                workers[-1].give(call, *todo.pop())
            now = time.monotonic()
            patience = LOOK if seconds is None else max(0.0, min(w.began + seconds - now for w in workers))
            ready = wait([w.pipe for w in workers], min(LOOK, patience))
            for worker in list(workers):
                number = worker.number
                if worker.pipe in ready:
                    result, error = _answer(worker)
                elif seconds is not None and time.monotonic() - worker.began >= seconds:
                    result, error = None, _late(seconds)
                else:
                    continue
                if not todo or isinstance(error, Stopped | WorkersDied):
                    workers.remove(worker)
                    worker.kill()
                else:
                    worker.give(call, *todo.pop())
                yield number, result, error
            if watch:
                watch({w.piece: time.monotonic() - w.began for w in workers})
    finally:
        for worker in workers:
            worker.kill()


def _late(seconds: float) -> Stopped:
    return Stopped(f"no answer in {seconds:g} s: it was stopped")


def within(seconds: float, call: Callable[[int, Any], Any], number: int, piece: Any) -> Any:
    """`call(number, piece)` in a process that is kept for this thread and killed, with `Stopped`, after so
    many seconds.

    >>> within(60.0, divmod, 7, 2)
    (3, 1)
    """
    worker = getattr(_own, "worker", None) or _Worker()
    _own.worker = worker
    try:
        worker.give(call, number, piece)
        if wait([worker.pipe], seconds):
            result, error = _answer(worker)
        else:
            result, error = None, _late(seconds)
    except BaseException:  # whoever asks next would be given the answer to this
        _own.worker = None
        worker.kill()
        raise
    if isinstance(error, Stopped | WorkersDied):
        _own.worker = None
        worker.kill()
    if error is not None:
        raise error
    return result


_own = threading.local()  # the worker of each thread that asked for one


def _answer(worker: _Worker) -> tuple[Any, Exception | None]:
    try:
        return worker.pipe.recv()
    except (EOFError, OSError):
        return None, WorkersDied(worker.epitaph())


def die_with(parent: int, end: Callable[[], None]) -> None:
    """Call `end` once that process is no longer the parent of this one.

    Where the kernel can (Linux), it kills this process too: C code that holds the lock of the interpreter
    would keep `end` from being called.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        end()

    threading.Thread(target=look, daemon=True).start()


def serve(descriptor: int) -> None:
    """Do pieces from a pipe until it is closed: the life of a worker."""
    pipe = Connection(descriptor)
    die_with(os.getppid(), lambda: os.killpg(0, signal.SIGKILL))
    while True:
        try:
            call, number, piece = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((call(number, piece), None))
        except Exception as error:
            pipe.send((None, RuntimeError(f"{type(error).__name__}: {error}")))
