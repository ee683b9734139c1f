"""What the commands share: exit codes, misuse, and texts that any terminal and any pipe can show."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import textwrap
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import typer

AS_EXPECTED = 0
REFUTED = 1
MISUSE = 2
UNDECIDED = 3
CRASH = 70
INTERRUPTED = 130
EXIT_CODES = (
    "Exit codes: 0 everything is as expected; 1 something is refuted (or holds though it was expected to be "
    "refuted); 2 misuse; 3 nothing is refuted, but something stays undecided, weaker than expected or "
    "incomplete (an engine is not installed, a time limit was reached); 70 a claim, a mechanism or dpverify "
    "itself crashed; 130 interrupted."
)

STYLE = {"PROVED": "green", "REFUTED": "red", "SUPPORTED": "cyan", "UNDECIDED": "yellow"}


class Profile(StrEnum):
    """How hard to try: the names of `dpverify.effort.PROFILES`."""

    quick = "quick"
    full = "full"


class Format(StrEnum):
    """Forms of the results of a check."""

    text = "text"
    json = "json"
    github = "github"
    junit = "junit"
    sarif = "sarif"
    markdown = "markdown"


class Misuse(typer.BadParameter):
    """What the user asked for cannot be done; one sentence says why. Exit code 2."""

    def format_message(self) -> str:
        return self.message


def exit_code(verdict: str, crashed: bool = False) -> int:
    """The exit code of one audit or test.

    >>> exit_code("SUPPORTED"), exit_code("REFUTED"), exit_code("UNDECIDED"), exit_code("UNDECIDED", True)
    (0, 1, 3, 70)
    """
    if crashed:
        return CRASH
    return {"REFUTED": REFUTED, "UNDECIDED": UNDECIDED}.get(verdict, AS_EXPECTED)


def exit_code_of(records: Sequence[dict[str, Any]]) -> int:
    """The exit code of many claims, from their records: a refutation first, then a crash, then what is open.

    >>> exit_code_of([{"verdict": "PROVED", "expect": "PROVED", "evidence": None}])
    0
    >>> exit_code_of([{"verdict": "SUPPORTED", "expect": "PROVED", "evidence": None}])
    3
    """
    from dpverify.reporting.document import as_expected, crashed

    odd = [record for record in records if not as_expected(record)]
    if any(record["verdict"] == "REFUTED" for record in odd):
        return REFUTED
    if any(record["expect"] == "REFUTED" and record["verdict"] != "UNDECIDED" for record in odd):
        return REFUTED
    if any(crashed(record) for record in odd):
        return CRASH
    return UNDECIDED if odd else AS_EXPECTED


def say(text: str, err: bool = False, nl: bool = True) -> None:
    """Print a text, in the encoding of the terminal or pipe that it goes to."""
    try:
        print(text, file=sys.stderr if err else sys.stdout, end="\n" if nl else "", flush=True)
    except BrokenPipeError:  # whoever read has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def shows(text: str) -> bool:
    """Whether stdout can show a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def mark(verdict: str) -> str:
    """One character for a verdict, in the letters of the terminal."""
    signs = {"PROVED": "✓", "REFUTED": "✗", "SUPPORTED": "~", "UNDECIDED": "?"}
    letters = {"PROVED": "+", "REFUTED": "x", "SUPPORTED": "~", "UNDECIDED": "?"}
    return (signs if shows("✓✗") else letters)[verdict]


def say_json(value: Any, indent: int | None = 1) -> None:
    """JSON on stdout; beyond ASCII only where stdout can show it."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    say(text if shows(text) else json.dumps(value, indent=indent))


def say_rows(rows: Sequence[Sequence[str]], colours: Sequence[str] = ()) -> None:
    """In a pipe one line per row, with tabs. On a terminal columns, the last of which is a text that goes
    below where it is too long; nothing is ever cut. A colour is that of the second cell.
    """
    rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in rows:
            say("\t".join(row))
        return
    coloured = "NO_COLOR" not in os.environ
    width = shutil.get_terminal_size().columns
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)] if rows else []
    for row, colour in zip(rows, colours or [""] * len(rows)):
        cells = [cell.ljust(size) for cell, size in zip(row, widths)]
        short = sum(map(len, cells)) + 2 * len(cells) + len(row[-1]) <= width
        if colour and coloured:
            cells[1] = typer.style(cells[1], fg=colour)
        say("  ".join([*cells, row[-1]] if short else cells).rstrip())
        if not short:
            say(textwrap.fill(row[-1], max(width, 40), initial_indent="    ", subsequent_indent="    "))


def say_what_runs_long(running: dict[str, float]) -> None:
    """Name on stderr what has been running for minutes: if it never ends, the log says what it was."""
    for id, seconds in running.items():
        minutes = int(seconds // 60)
        if minutes and minutes & (minutes - 1) == 0 and seconds % 60 < 30:  # after 1, 2, 4, 8 ... minutes
            say(f"still checking {id} ({minutes} min)", err=True)


def say_what_is_missing(records: Sequence[dict[str, Any]]) -> None:
    """A banner on stderr: how many claims need which engine that is not installed."""
    from collections import Counter

    from dpverify.reporting.document import as_expected

    counts = Counter(engine for record in records if not as_expected(record) for engine in record["missing"])
    if counts:
        parts = ", ".join(f"{count} need {engine}" for engine, count in counts.most_common())
        say(
            f"INCOMPLETE: of {len(records)} claims, {parts}, not installed. "
            'In a clone of dpverify: pip install ".[papers]"',
            err=True,
        )
