"""What the commands share: exit codes, misuse, and texts that any terminal and any pipe can show."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import typer

AS_EXPECTED, REFUTED, MISUSE, UNDECIDED, CRASH = 0, 1, 2, 3, 70
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


def echo_json(value: Any, indent: int | None = 1) -> None:
    """JSON on stdout; beyond ASCII only where stdout can show it."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    typer.echo(text if shows(text) else json.dumps(value, indent=indent))


def echo_rows(names: Sequence[str], rows: Sequence[Sequence[str]], styles: Sequence[str] = ()) -> None:
    """A table on a terminal, the first column never cut; in a pipe one line per row, with tabs."""
    rows = [[" ".join(cell.split()) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for i, name in enumerate(names):
        longest = max((len(row[i]) for row in rows), default=0)
        table.add_column(name, overflow="fold", min_width=longest if i == 0 else None)
    for row, style in zip(rows, styles or [""] * len(rows)):
        table.add_row(*(Text(cell, style=style if i == 1 else "") for i, cell in enumerate(row)))
    Console().print(table)


def say_what_runs_long(running: dict[str, float]) -> None:
    """Name on stderr what has been running for minutes: if it never ends, the log says what it was."""
    for id, seconds in running.items():
        minutes = int(seconds // 60)
        if minutes and minutes & (minutes - 1) == 0 and seconds % 60 < 30:  # after 1, 2, 4, 8 ... minutes
            typer.echo(f"still checking {id} ({minutes} min)", err=True)


def say_what_is_missing(records: Sequence[dict[str, Any]]) -> None:
    """A banner on stderr: how many claims need which engine that is not installed."""
    from collections import Counter

    from dpverify.optional import NEEDS
    from dpverify.reporting.document import as_expected

    counts = Counter(
        engine
        for record in records
        if not as_expected(record)
        for engine in set(NEEDS.findall(json.dumps(record)))
    )
    if counts:
        parts = ", ".join(f"{count} need {engine}" for engine, count in counts.most_common())
        typer.echo(
            f"INCOMPLETE: of {len(records)} claims, {parts}, not installed. "
            'In a clone of dpverify: pip install ".[papers]"',
            err=True,
        )
