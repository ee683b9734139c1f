"""`dpverify targets`: other people's optimizers, what they claim, and how to install them; `--test` puts them
through the laws.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpverify.cli.check import misuse

if TYPE_CHECKING:
    from dpverify.adapters import Target


def add(app: typer.Typer) -> None:
    """Register the command."""

    @app.command()
    def targets(
        patterns: Annotated[list[str] | None, typer.Argument(help="Only these, as in 'opacus:*'.")] = None,
        test: Annotated[
            bool,
            typer.Option(
                "--test",
                help="Put those that are installed through the laws; exit 1 if one ends otherwise "
                "than known.",
            ),
        ] = False,
        out: Annotated[
            Path | None,
            typer.Option(
                "--output",
                "-o",
                help="With --test: keep the results here, and write the page of all that are kept.",
            ),
        ] = None,
        seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
        json_: Annotated[bool, typer.Option("--json", help="Machine output.")] = False,
    ) -> None:
        """List other people's optimizers that can be audited by name, or put them through the laws."""
        from dpverify.adapters import select

        try:
            chosen = select(*(patterns or []))
        except KeyError as error:
            raise misuse(error.args[0]) from None
        if not test:
            if out is not None:
                raise misuse("Expected --test with --output.")
            _list(chosen, json_)
            return
        _test(chosen, out, seed, json_)


def _list(chosen: list[Target], json_: bool) -> None:
    import json

    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if json_:
        rows = [
            {
                "target": t.name,
                "about": t.about,
                "claims": t.claims,
                "installed": t.installed,
                "versions": t.versions,
                "install": t.install,
                "settings": {
                    name: value for name, value in t.settings.items() if isinstance(value, int | float | str)
                },
            }
            for t in chosen
        ]
        typer.echo(json.dumps(rows, indent=1))
        return
    table = Table(title="Targets", box=box.SIMPLE)
    table.add_column("target", overflow="fold", min_width=24)
    table.add_column("installed", no_wrap=True)
    table.add_column("what is claimed", overflow="fold")
    table.add_column("how to install it", overflow="fold")
    for t in chosen:
        version = t.versions.get(t.packages[0]) if t.packages else "with dpverify"
        table.add_row(
            t.name,
            version if t.installed else "no",
            escape(t.claims),
            "" if t.installed else escape(t.install),
        )
    out = Console()
    (out if out.is_terminal else Console(width=140)).print(table)
    typer.echo(
        "dpverify audit TARGET audits one at its own claim; dpverify targets --test puts those "
        "that are installed through the laws."
    )


def _test(chosen: list[Target], out: Path | None, seed: int, json_: bool) -> None:
    import json
    import sys

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from dpverify.adapters.suite import LAWS, Examination, examine
    from dpverify.reporting.targets import keep, write_page

    there = [t for t in chosen if t.installed]
    for missing in sorted({f"{t.family}: not installed ({t.install})" for t in chosen if not t.installed}):
        typer.echo(f"skipped {missing}", err=True)
    if not there:
        raise misuse("None of these targets is installed.")
    done: list[Examination] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()
    ) as bar:
        task = bar.add_task("starting", total=sum(len(t.laws or LAWS) for t in there))
        for target in there:

            def tell(law: str, name: str = target.name) -> None:
                bar.update(task, advance=1, description=f"{name}: {law}")

            examination = examine(target, seed=seed, progress=tell)
            done.append(examination)
            if out is not None:
                keep(examination, out)
    records = [examination.to_json() for examination in done]
    if json_:
        typer.echo(json.dumps(records, indent=1))
    else:
        _print(records)
    if out is not None:
        typer.echo(f"The page: {write_page(out)}", err=json_)
    odd = [(e, law) for e in done for law in e.surprises]
    for examination, law in odd:
        result: Any = examination.results[law]
        typer.echo(
            f"{examination.target.name}, {law}: expected {examination.expected(law)}, ended in {result}",
            err=True,
        )
    raise typer.Exit(1 if odd else 0)


def _print(records: list[dict[str, Any]]) -> None:
    for record in records:
        typer.echo(f"\n{record['target']}: {record['about']}")
        for law, result in record["laws"].items():
            known = "" if not result["applies"] or result["verdict"] == result["expected"] else " (!)"
            verdict = result["verdict"] if result["applies"] else "-"
            typer.echo(f"  {law:12} {verdict + known:13} {result['because'][:300]}")
