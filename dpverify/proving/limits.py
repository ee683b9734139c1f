"""A wall-clock limit on one attempt: symbolic algebra may run for ever, and a check must not."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimit(BaseException):
    """The attempt took too long. Not an Exception, so that no tactic swallows it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in the block after that many seconds (in the main thread of a process; elsewhere no limit).

    >>> with within(5):
    ...     sum(range(10))
    45
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise TimeLimit(f"no answer in {seconds:g} s")

    old = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again and again: a callback may swallow the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold a limit back until the block has ended: an import that is cut short leaves a broken module behind.

    >>> with uninterrupted():
    ...     import json
    """
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
