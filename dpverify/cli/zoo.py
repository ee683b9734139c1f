"""`dpverify zoo`: audit every planted bug and its correct twin; exit 1 if one that should be found is missed, or a twin accused."""

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

        from rich.console import Console
        from rich.progress import track
        from rich.table import Table

        from dpverify.zoo import bugs, find
        from dpverify.zoo.inspection import inspect

        try:
            chosen = [find(name) for name in names] if names else bugs()
        except KeyError as error:
            typer.echo(error.args[0], err=True)
            raise typer.Exit(2) from None
        err = Console(file=sys.stderr)
        rows = [
            inspect(bug, alpha=alpha, seed=seed) for bug in track(chosen, "auditing", console=err, transient=True, disable=len(chosen) < 3)
        ]
        failed = [row for row in rows if not row.as_expected or row.accused]
        if json_:
            typer.echo(json.dumps([row.to_json() for row in rows], indent=1))
        else:
            table = Table(
                "bug", "found", "by", "samples", "witness", "twin", "seconds", "", title=f"{len(rows)} planted bugs, alpha = {alpha:g}"
            )
            for row in rows:
                found = ("yes" if row.found else "no") + ("" if row.as_expected else " (!)")
                twin = "accused (!)" if row.accused else row.twin.verdict.value
                cells = (
                    row.bug.name,
                    found,
                    row.rung,
                    str(row.samples or ""),
                    str(row.witness_size or ""),
                    twin,
                    f"{row.seconds:.2f}",
                    row.bug.why,
                )
                table.add_row(*cells)
            Console().print(table)
            typer.echo(f"{sum(row.found for row in rows)} found, {len(failed)} not as expected.")
        raise typer.Exit(1 if failed else 0)
