"""`dpverify report`: check, run, audit, and write the proof-check report."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.check import (
    SECONDS,
    ClaimsOption,
    JobsOption,
    PaperOption,
    ProfileOption,
    SearchOption,
    TimeoutOption,
    selected,
)
from dpverify.cli.terminal import (
    AS_EXPECTED,
    CRASH,
    Misuse,
    Profile,
    exit_code_of,
    mark,
    say,
    say_rows,
    say_what_is_missing,
    say_what_runs_long,
)


def report(
    out: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("report"),
    paper: PaperOption = None,
    profile: ProfileOption = Profile.quick,
    jobs: JobsOption = 2,
    timeout: TimeoutOption = None,
    claims: ClaimsOption = None,
    search: SearchOption = False,
    source: Annotated[
        Path | None, typer.Option("--from", help="Render an earlier results.json instead of checking anew.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Check everything anew.")] = False,
) -> None:
    """Check every claim, run the algorithms, audit the planted bugs, and write the report. Exit code as for
    check.
    """
    from dpverify.effort import PROFILES
    from dpverify.memory import Memory
    from dpverify.optional import Missing, optional
    from dpverify.progress import progress_bar
    from dpverify.reporting import ReportError, collect, load, write

    try:
        optional("matplotlib", "report")
    except Missing as missing:
        raise Misuse(f"A report {missing}") from None
    document: dict[str, Any] = {}
    if source is not None:
        try:
            document = load(source)
        except ReportError as error:
            raise Misuse(str(error)) from None
    _expect_writable(out)
    effort = PROFILES[profile.value]
    with progress_bar("report") as advance:

        def tell(what: str, done: int, total: int) -> None:
            advance(completed=done, total=total, note=what)

        times: dict[str, Any] = {}
        if source is None:
            selected(None, paper, claims)  # what cannot be found is said before anything is checked
            memory = None if no_cache else Memory()
            if memory and (problem := memory.problem()):
                say(f"Nothing is kept for the next report: {problem}", err=True)
                memory = None
            document, times = collect(
                paper=paper,
                claims=claims,
                effort=replace(effort, search=search or effort.search),
                jobs=jobs,
                seconds=SECONDS[profile.value] if timeout is None else timeout,
                memory=memory,
                progress=tell,
                watch=say_what_runs_long,
            )
        index = write(document, out, times, tell, jobs)
    raise typer.Exit(_summary(document, index))


def _expect_writable(out: Path) -> None:
    """A folder that cannot be written to is said before the work, not after it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"Expected --output {out} to be a folder to write to: {error.strerror}.") from None
    if not os.access(out, os.W_OK):
        raise Misuse(f"Expected --output {out} to be a folder to write to: Permission denied.")


def _summary(document: dict[str, Any], index: Path) -> int:
    """Print what came out; returns the exit code."""
    from dpverify.reporting.document import VERDICTS, as_expected, broken, findings
    from dpverify.reporting.plain import parts

    records = [c for paper in document["papers"] for c in paper["claims"]]
    say_rows(
        [
            [p["key"], *[f"{sum(c['verdict'] == v for c in p['claims'])} {v}" for v in VERDICTS]]
            for p in document["papers"]
        ],
    )
    refuted = findings(document)
    for c in refuted[:5]:
        say(f"{mark('REFUTED')} {c['id']} (breaks {broken(c)}): {parts(c['statement'])[0]}")
    if len(refuted) > 5:
        say(f"and {len(refuted) - 5} findings more")
    say(f"The report: {index}")
    for what, why in document["lost"].items():
        say(f"{what} is missing: {why}", err=True)
    odd = [c["id"] for c in records if not as_expected(c)]
    if odd:
        say(f"Not as expected ({len(odd)}): {' '.join(odd)}", err=True)
    say_what_is_missing(records)
    code = exit_code_of(records)
    return CRASH if code == AS_EXPECTED and document["lost"] else code


def add(app: typer.Typer) -> None:
    app.command("report")(report)
