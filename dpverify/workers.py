"""Processes that can be killed: a time limit that also stops C code, and a dead worker that costs one piece.

Each worker does one piece at a time, over a pipe. It is forked from a template: a fresh Python, kept as long
as this one, that has loaded what all pieces need and has done nothing else, so that a worker starts in
milliseconds, finds nothing that an earlier piece left behind, and its limit of time is not spent on imports.
What a piece prints goes to stderr, so that stdout holds the answer of the command alone. Hash seeds and
threads are pinned: the answers do not depend on how many workers there are.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, NoReturn, Protocol

PINNED = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux
KILLED_WITHIN = 60.0  # seconds that the kernel may take to end a process that was killed
LOOK = 30.0  # seconds between two looks at what is still running


_own = threading.local()  # the template and the worker of each thread that asked for one


class Stopped(RuntimeError):
    """A piece took longer than it may."""


class WorkersDied(RuntimeError):
    """The processes that a piece was given to were killed, or ran out of memory."""


class _Process(Protocol):
    """A process that can be waited for: one of ours, or one of the template's."""

    pid: int

    def wait(self, timeout: float | None = None) -> int: ...


def _environment() -> dict[str, str]:
    """That of this process, with what is pinned, and its path."""
    pinned = {name: os.environ.get(name, value) for name, value in PINNED.items()}
    return {**os.environ, **pinned, "PYTHONPATH": os.pathsep.join(_path())}


def _path() -> list[str]:
    return [entry or _folder() for entry in sys.path]


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return os.path.abspath(os.sep)


def _stderr() -> int:
    return sys.__stderr__.fileno() if sys.__stderr__ else os.open(os.devnull, os.O_WRONLY)


def _fresh(call: str, descriptor: int) -> subprocess.Popen[bytes]:
    """A fresh Python that calls a function of this module."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", f"from dpverify import workers; workers.{call}"],
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        stdout=_stderr(),
        start_new_session=True,  # so that what a piece started dies with it
        env=_environment(),
    )


class _Template:
    """The process from which workers are forked."""

    def __init__(self, ready: bytes) -> None:
        self.owner = os.getpid()
        self.pipe, theirs = Pipe()
        self.process = _fresh(f"breed({theirs.fileno()})", theirs.fileno())
        theirs.close()
        self.pipe.send_bytes(ready)
        self.asking = threading.Lock()

    def fork(self, descriptor: int) -> _Forked:
        with self.asking, self._sound():
            self.pipe.send((_path(), _folder(), _environment()))
            send_handle(self.pipe, descriptor, self.process.pid)
            send_handle(self.pipe, _stderr(), self.process.pid)
            return _Forked(self, self.pipe.recv())

    def exit_code(self, worker: int, seconds: float) -> int | None:
        """How a worker ended, if it does within so many seconds. Without a template no worker is left."""
        try:
            with self.asking, self._sound():
                self.pipe.send((worker, seconds))
                return self.pipe.recv()
        except (EOFError, OSError):
            return -signal.SIGKILL

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Whoever asks next must not be given an answer that nobody waited for, after an interrupt, say."""
        try:
            yield
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        if os.getpid() == self.owner:  # after a fork it is still the parent's
            self.process.kill()
            self.process.wait()
        self.pipe.close()

    __del__ = end  # of a template that was replaced, once its last worker is gone


class _Forked:
    """A child of the template."""

    def __init__(self, template: _Template, pid: int) -> None:
        self.template, self.pid = template, pid
        self.code: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.code is None:  # a child can be waited for once
            self.code = self.template.exit_code(self.pid, KILLED_WITHIN if timeout is None else timeout)
        if self.code is None:
            raise subprocess.TimeoutExpired("a worker", timeout or KILLED_WITHIN)
        return self.code


def _template(ready: Callable[[], Any] | None) -> _Template:
    """The template of this thread that called `ready`; another one if what Python reads as it starts has
    changed. Each thread has its own, and one at most: the kernel ends it with the thread, and it is large.
    """
    import cloudpickle

    packed = cloudpickle.dumps(ready)
    read = ("PYTHON", "SYMPY_", "OMP_", "OPENBLAS_", "MKL_")
    started = sorted(item for item in os.environ.items() if item[0].startswith(read))
    key = packed, sys.executable, os.getpid(), started
    known, template = getattr(_own, "template", (None, None))
    if known != key or template is None or template.process.poll() is not None:
        template = _Template(packed)
        _own.template = key, template
    return template


def breed(descriptor: int) -> None:
    """Fork workers, and say how they ended, until the pipe is closed: the life of a template.

    It has one thread, so that nothing can be held by another when it forks.
    """
    _die_with_parent()
    pipe = Connection(descriptor)
    with suppress(Exception):  # what is wrong is said by the pieces, which need it
        ready = pickle.loads(pipe.recv_bytes())
        if ready is not None:
            ready()
    gc.freeze()  # what is loaded is no garbage, and stays shared by all
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        if len(request) == 2:
            pipe.send(_ended(*request))
            continue
        work, errors = recv_handle(pipe), recv_handle(pipe)
        if os.fork() == 0:
            _become_worker(pipe, work, errors, *request)
        os.close(work)
        os.close(errors)


def _ended(worker: int, seconds: float) -> int | None:
    """The exit code of a child, if it ends within so many seconds."""
    until = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(worker, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            return None
        time.sleep(0.005)


def _become_worker(
    pipe: Connection, work: int, errors: int, path: list[str], folder: str, environment: dict[str, str]
) -> NoReturn:
    """In a child of the template: as a fresh Python started now, by the process that asked, would be."""
    code = 1
    try:
        os.setsid()  # so that what a piece started dies with it
        pipe.send(os.getpid())
        pipe.close()
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        os.close(errors)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.path[:] = path
        importlib.invalidate_caches()
        random.seed()  # siblings would draw the same numbers
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed()
        serve(work)
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


class _Worker:
    """A process, the piece it is at, and when it began."""

    def __init__(self, start: Callable[[int], _Process]) -> None:
        self.pipe, theirs = Pipe()
        self.process = start(theirs.fileno())
        theirs.close()
        self.number = -1
        self.piece = None
        self.began = 0.0

    def give(self, call: Callable[[int, Any], Any], number: int, piece: Any) -> None:
        self.number = number
        self.piece = piece
        self.began = time.monotonic()
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
    ready: Callable[[], Any] | None = None,
) -> Generator[tuple[int, Any, Exception | None], None, None]:
    """`call(number, piece)` for every piece, as they are finished: its number, and either the result or an
    error, which is `Stopped` after so many seconds and `WorkersDied` if its process ended.

    `watch` is told now and then which pieces are being done, and for how many seconds. `ready` is called once
    before there are workers: what it loads, all of them have.

    >>> sorted(outcomes(divmod, [2, 1], count=1), key=lambda outcome: outcome[0])
    [(0, (0, 0), None), (1, (1, 0), None)]
    """
    todo = list(enumerate(pieces))[::-1]
    workers: list[_Worker] = []
    try:
        while todo or workers:
            while todo and len(workers) < count:
                workers.append(_forked(ready))
                workers[-1].give(call, *todo.pop())
            now = time.monotonic()
            patience = LOOK if seconds is None else max(0.0, min(w.began + seconds - now for w in workers))
            answered = wait([w.pipe for w in workers], min(LOOK, patience))
            for worker in list(workers):
                number = worker.number
                if worker.pipe in answered:
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


def _forked(ready: Callable[[], Any] | None) -> _Worker:
    """A worker from the template, or from another one if that was killed."""
    try:
        return _Worker(_template(ready).fork)
    except (EOFError, OSError):
        return _Worker(_template(ready).fork)


def _late(seconds: float) -> Stopped:
    return Stopped(f"no answer in {seconds:g} s: it was stopped")


def within(seconds: float, call: Callable[[int, Any], Any], number: int, piece: Any) -> Any:
    """`call(number, piece)` in a process that is kept for this thread and killed, with `Stopped`, after so
    many seconds.

    >>> within(60.0, divmod, 7, 2)
    (3, 1)
    """
    worker = getattr(_own, "worker", None) or _Worker(lambda end: _fresh(f"serve({end})", end))
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


def _answer(worker: _Worker) -> tuple[Any, Exception | None]:
    try:
        return worker.pipe.recv()
    except (EOFError, OSError):
        return None, WorkersDied(worker.epitaph())


def _die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies, where it can."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def die_with(parent: int, end: Callable[[], None]) -> None:
    """Call `end` once that process is no longer the parent of this one.

    Where the kernel can (Linux), it kills this process too: C code that holds the lock of the interpreter
    would keep `end` from being called.
    """
    _die_with_parent()

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
