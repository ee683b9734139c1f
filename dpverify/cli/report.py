"""`dpverify report`: check, run, audit, and write the proof-check report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.check import ClaimsOption, JobsOption, PaperOption, ProfileOption, misuse


def report(
    out: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("report"),
    paper: PaperOption = None,
    profile: ProfileOption = "quick",
    jobs: JobsOption = 2,
    claims: ClaimsOption = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Render an earlier results.json instead of checking anew.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Check everything anew.")] = False,
) -> None:
    """Check every claim, run the algorithms, audit the planted bugs, and write the report. Exit code as for
    check.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from dpverify.claims import ClaimError
    from dpverify.effort import PROFILES
    from dpverify.memory import Memory
    from dpverify.reporting import ReportError, collect, load, write
    from dpverify.reporting.collecting import folder_for_cache

    if profile not in PROFILES:
        raise misuse(f"Expected --profile {profile} to be one of {', '.join(PROFILES)}.")
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("starting", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        times: dict[str, Any] = {}
        try:
            if source is not None:
                document = load(source)
            else:
                memory = None if no_cache else Memory(folder_for_cache())
                document, times = collect(
                    paper=paper,
                    claims=claims,
                    effort=PROFILES[profile],
                    jobs=jobs,
                    memory=memory,
                    progress=tell,
                )
        except (ReportError, ClaimError, ValueError) as error:
            raise misuse(str(error)) from None
        index = write(document, out, times, tell)
    _summary(document, index)
    odd = [c["id"] for p in document["papers"] for c in p["claims"] if c["verdict"] != c["expect"]]
    if odd:
        typer.echo(
            f"{len(odd)} verdicts are not as expected: "
            f"{', '.join(odd[:10])}{' ...' if len(odd) > 10 else ''}",
            err=True,
        )
    raise typer.Exit(1 if odd else 0)


def _summary(document: dict[str, Any], index: Path) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from dpverify.reporting.document import VERDICTS, findings

    console = Console()
    table = Table("paper", *VERDICTS)
    for p in document["papers"]:
        table.add_row(p["key"], *[str(sum(c["verdict"] == v for c in p["claims"])) for v in VERDICTS])
    console.print(table)
    for c in findings(document)[:5]:
        console.print(
            f"✗ {c['id']} (breaks {c['breaks'] or 'a statement'}): {escape(c['statement'])}", highlight=False
        )
    typer.echo(f"The report: {index}")


def add(app: typer.Typer) -> None:
    app.command("report")(report)
