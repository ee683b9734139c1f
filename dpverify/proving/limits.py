"""A limit on the processor time of one attempt: symbolic algebra may run for ever, and a check must not, nor
may it depend on other work.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_held: list[bool] = []  # one entry per block that must not be interrupted


class TimeLimit(BaseException):
    """The attempt took too long. Not an Exception, so that no tactic swallows it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in the block after that many seconds of processor time, in any thread.

    >>> with within(5):
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
    def ring(*_: object) -> None:
        if not _held:
            raise TimeLimit(f"no answer in {seconds:g} s")

    old = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(
        signal.ITIMER_PROF, seconds, 1.0
    )  # again and again: a callback may swallow the first, or it may be held back
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


@contextmanager
def _watched(seconds: float) -> Iterator[None]:
    """The same by a second thread that watches the clock of this one: signals reach the main thread only."""
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
                        raise_in(ctypes.c_ulong(thread), ctypes.py_object(TimeLimit))
                pause = 1.0  # again and again, as above

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except TimeLimit:
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
