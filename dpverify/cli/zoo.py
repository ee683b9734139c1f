"""`dpverify zoo`: audit every planted bug and its correct twin; exit 1 if one that should be found is missed,
or a twin accused.
"""

from __future__ import annotations

from typing import Annotated

import typer


def add(app: typer.Typer) -> None:
    """Register the command."""

    @app.command()
    def zoo(
        names: Annotated[list[str] | None, typer.Argument(help="Only these bugs.")] = None,
        alpha: Annotated[float, typer.Option(help="Probability of a false refutation, per audit.")] = 1e-3,
        seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
        json_: Annotated[bool, typer.Option("--json", help="Machine output.")] = False,
    ) -> None:
        """Audit every planted bug and its correct twin."""
        import json
        import sys

        from rich import box
        from rich.console import Console
        from rich.progress import track
        from rich.table import Table

        from dpverify import zoo
        from dpverify.zoo.inspection import inspect

        try:
            chosen = [zoo.find(name) for name in names] if names else zoo.bugs()
        except KeyError as error:
            typer.echo(error.args[0], err=True)
            raise typer.Exit(2) from None
        err = Console(file=sys.stderr)
        rows = [
            inspect(bug, alpha=alpha, seed=seed)
            for bug in track(chosen, "auditing", console=err, transient=True, disable=len(chosen) < 3)
        ]
        failed = [row for row in rows if not row.as_expected or row.accused]
        if json_:
            typer.echo(json.dumps([row.to_json() for row in rows], indent=1))
            raise typer.Exit(1 if failed else 0)
        table = Table(title=f"{len(rows)} planted bugs, alpha = {alpha:g}", box=box.SIMPLE)
        table.add_column("bug", overflow="fold")
        for name in ("found", "by", "samples", "witness", "twin", "seconds"):
            table.add_column(name, no_wrap=True)
        for row in rows:
            found = ("yes" if row.found else "no") + ("" if row.as_expected else " (!)")
            twin = "accused (!)" if row.accused else "not accused"
            numbers = [str(value or "") for value in (row.samples, row.witness_size)]
            table.add_row(row.bug.name, found, row.rung, *numbers, twin, f"{row.seconds:.2f}")
        out = Console()
        (out if out.is_terminal else Console(width=110)).print(table)
        for row in rows:
            if row.bug.why:
                typer.echo(f"{row.bug.name}: {row.bug.why}.")
            if not row.as_expected:
                expected = f"{row.bug.expect}{f' by {row.bug.rung}' if row.bug.rung else ''}"
                typer.echo(
                    f"{row.bug.name}: expected {expected}, ended in {row.result.verdict}: "
                    f"{row.result.because}"
                )
            if row.accused:
                typer.echo(f"{row.bug.name}: its correct twin is accused: {row.twin.because}")
        typer.echo(f"{sum(row.found for row in rows)} found, {len(failed)} not as expected.")
        raise typer.Exit(1 if failed else 0)
