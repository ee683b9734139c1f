"""The one progress bar: on stderr, gone when it is done, silent where nobody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[..., None]  # advance(done=1, note="", completed=None, total=None)


@contextmanager
def progress_bar(title: str, total: int | None = None, shown: bool = True) -> Iterator[Advance]:
    """A function to call as the work goes on: by how much (or how much is completed, of what total), and what
    to say beside the bar.

    >>> with progress_bar("counting", 3, shown=False) as advance:
    ...     for number in range(3):
    ...         advance(1, f"at {number}")
    """
    if not shown:
        yield lambda done=1, note="", completed=None, total=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total)

        def advance(
            done: int = 1, note: str = "", completed: int | None = None, total: int | None = None
        ) -> None:
            description = f"{title}: {note}" if note else title
            if completed is None:
                bar.update(task, advance=done, description=description)
            else:
                bar.update(task, completed=completed, total=total, description=description)

        yield advance
