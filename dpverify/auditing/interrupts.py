"""Ctrl-C in an audit: at once while runs are drawn, and after the bets on a chunk while these are made.

A chunk that is half bet on is no state to stop in. So what interrupts the test is noted, and the audit ends
with its verdict so far when the chunk has been played; a mechanism that runs for long is interrupted where it
is.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """Within, a Ctrl-C that would raise is `noted`; within `at_once`, it raises. In another thread than the
    main one, which gets none, nothing changes.

    >>> before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a job behind a shell
    >>> with Interrupts() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     print(interrupts.noted)
    ...     try:
    ...         with interrupts.at_once():
    ...             print("not reached")
    ...     except KeyboardInterrupt:
    ...         print("raised")
    True
    raised
    >>> raises_again = signal.signal(signal.SIGINT, before)
    """

    def __init__(self) -> None:
        self.noted = False
        self._raises = False
        self._before: Callable[[int, Any], Any] | None = None

    def __enter__(self) -> Interrupts:
        before = signal.getsignal(signal.SIGINT)
        if callable(before) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._note)
            self._before = before
        return self

    def __exit__(self, *raised: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, number: int, frame: Any) -> None:
        assert self._before is not None
        try:
            self._before(number, frame)
        except KeyboardInterrupt:
            if self._raises:
                raise
            self.noted = True

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Raise within, or now if it was noted before."""
        if self.noted:
            raise KeyboardInterrupt
        self._raises = True
        try:
            yield
        finally:
            self._raises = False
