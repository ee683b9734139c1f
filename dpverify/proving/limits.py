"""A limit on the processor time of some work: symbolic algebra may run for ever, and a check must not, nor
may it depend on other work.

Limits may lie inside one another; the nearest to its end rings first, and ends the block whose limit it is,
with all blocks inside. Python code is stopped by an exception. Code in C is not: every solver gets a limit of
its own, and those that can be interrupted from another thread register how (`interrupting`), for a watchdog
that rings when the limit has passed and the exception waits.
"""

from __future__ import annotations

import ctypes
import gc
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple, TypeVar

from dpverify.optional import Missing

_held: list[bool] = []  # one entry per block that must not be interrupted
_ends: list[float] = []  # the processor times at which the limits that are in force ring, outermost first
_rung: list[float] = []  # the end for which the timer rang last
AGAIN = 0.5  # seconds between two rings for one end
GRACE = 1.0  # seconds of processor time after which a solver that does not return is interrupted
SEMIDEFINITE_SECONDS = (
    60.0  # of a semidefinite solver, which cannot be interrupted and is asked small questions
)
_OF_WEAK_REFERENCES = {  # the files whose functions Python calls when an object that is watched goes
    function.__code__.co_filename for function in (weakref.finalize.__call__, weakref.WeakSet.__init__)
}


class TimeLimit(BaseException):
    """The work took too long. Not an Exception, so that no tactic swallows it."""


class _Ring(BaseException):
    """A limit has passed: on its way out to the block whose limit it is, which raises `TimeLimit`. Blocks
    inside of that one let it through, and cannot take it for the end of their own time.
    """

    def __init__(self, end: float = 0.0):
        super().__init__("no answer in the time allowed")
        self.end = end


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in the block after that many seconds of processor time, in any thread.

    >>> with within(5), within(60):
    ...     sum(range(10))
    45
    """
    if threading.current_thread() is threading.main_thread():
        with _signalled(seconds):
            yield
    else:  # a worker of a cluster
        with _watched(seconds):
            yield


@contextmanager
def _signalled(seconds: float) -> Iterator[None]:
    outermost = not _ends
    old = signal.signal(signal.SIGPROF, _ring) if outermost else None
    end = time.process_time() + seconds
    _ends.append(end)
    _set()
    try:
        yield
    except _Ring as ring:
        if ring.end != end:
            raise
        raise TimeLimit(str(ring)) from None
    finally:
        _ends.pop()
        _set()
        if outermost:
            signal.signal(signal.SIGPROF, old)


def _set() -> None:
    """Let the timer ring at the nearest end, and again and again: a callback may swallow the first, or it may
    be held back. One that has rung is given time to get out.
    """
    if _ends:
        end = min(_ends)
        left = AGAIN if end in _rung else max(end - time.process_time(), 0.001)
        signal.setitimer(signal.ITIMER_PROF, left, AGAIN)
    else:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _ring(_: int, frame: FrameType | None) -> None:
    if not _ends or _held or time.process_time() < min(_ends):
        return
    if _swallowing(frame):
        signal.setitimer(signal.ITIMER_PROF, 0.001, AGAIN)
        return
    _rung[:] = [min(_ends)]
    raise _Ring(min(_ends))


def _swallowing(frame: FrameType | None) -> bool:
    """Whether what is raised now would be lost: Python forgets what a finaliser, a weak reference or a
    callback of the garbage collector raises, ctypes makes an ArgumentError of what `from_param` does
    (solvers' objects have both), and a limit that is being set or taken back would not see its own end.
    """
    callbacks = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    while frame is not None:
        if frame.f_code.co_name in ("__del__", "from_param", "__enter__", "__exit__"):
            return True
        if frame.f_code in callbacks or frame.f_code.co_filename in _OF_WEAK_REFERENCES:
            return True
        frame = frame.f_back
    return False


@contextmanager
def interrupting(stop: Callable[[], None]) -> Iterator[None]:
    """While the block runs, a watchdog calls `stop` if the limit in force has passed: the way to end a solver
    that does not return to Python.

    >>> with within(5), interrupting(lambda: None):
    ...     sum(range(10))
    45
    """
    if not _ends:
        yield
        return
    end, finished = min(_ends) + GRACE, threading.Event()

    def watch() -> None:
        # Processor time passes no faster than the clock on the wall.
        while not finished.wait(max(end - time.process_time(), 0.01)):
            if time.process_time() >= end:
                stop()

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        finished.set()


@contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """The same by a second thread that watches the clock of this one: signals reach the main thread only."""

    class OwnRing(_Ring):
        """Told apart from those of other limits by its class."""

    thread = threading.get_ident()
    clock = time.pthread_getcpuclockid(thread)
    end = time.clock_gettime(clock) + seconds
    finished, lock = threading.Event(), threading.Lock()
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def watch() -> None:
        # Processor time passes no faster than the clock on the wall.
        pause = seconds
        while not finished.wait(pause):
            pause = max(end - time.clock_gettime(clock), 0.01)
            if end <= time.clock_gettime(clock):
                with lock:
                    if not finished.is_set() and not _held:
                        raise_in(ctypes.c_ulong(thread), ctypes.py_object(OwnRing))
                pause = 1.0  # again and again, as above

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except OwnRing:
        raise TimeLimit(f"no answer in {seconds:g} s") from None
    finally:
        with lock:
            finished.set()
            raise_in(ctypes.c_ulong(thread), None)  # one that was sent as the block ended


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold a limit back until the block has ended: an import that is cut short leaves a broken module behind.

    >>> with within(5), uninterrupted():
    ...     import json
    """
    _held.append(True)
    try:
        yield
    finally:
        _held.pop()


class StillOpen(NamedTuple):
    """Why a relation is still open after an attempt, and whether more time might have closed it."""

    why: str
    cut_short: bool = False


Answer = TypeVar("Answer")


def limited(work: Callable[[], Answer], seconds: float) -> Answer | StillOpen:
    """The answer of some work, or that it was cut short or needs an engine that is not there.

    >>> limited(lambda: 6 * 7, 5)
    42
    >>> limited(lambda: 10.0**400, 5).why
    'its numbers are beyond floating point'
    """
    try:
        with within(seconds):
            return work()
    except Missing as missing:
        return StillOpen(str(missing))
    except TimeLimit as late:
        return StillOpen(str(late), cut_short=True)
    except RecursionError:
        return StillOpen("algebra went deeper than Python lets it", cut_short=True)
    except OverflowError:
        return StillOpen("its numbers are beyond floating point")
