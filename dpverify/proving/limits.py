"""A limit on the processor time of one attempt: symbolic algebra may run for ever, and a check must not, nor
may it depend on other work.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_held: list[bool] = []  # one entry per block that must not be interrupted


class TimeLimit(BaseException):
    """The attempt took too long. Not an Exception, so that no tactic swallows it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in the block after that many seconds of processor time (in the main thread of a
    process; elsewhere no limit).

    >>> with within(5):
    ...     sum(range(10))
    45
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

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
