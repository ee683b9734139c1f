"""`dpverify run NAME`: many runs of an algorithm of the papers, its mean, its interval and the paper's bound
side by side.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpverify.cli.terminal import REFUTED, Misuse, say, say_json


def add(app: typer.Typer) -> None:
    """Registers `run`."""

    @app.command("run")
    def run_command(
        name: Annotated[str | None, typer.Argument(help="An algorithm; without it, the list of all.")] = None,
        runs: Annotated[int, typer.Option(help="Independent runs.")] = 10_000,
        seed: Annotated[
            int,
            typer.Option(help="The seed; the same seed gives the same figures for any number of workers."),
        ] = 0,
        as_printed: Annotated[
            bool, typer.Option("--as-printed", help="The paper's constants instead of the certified ones.")
        ] = False,
        workers: Annotated[int, typer.Option(help="Processes.")] = 1,
        plot: Annotated[
            Path | None, typer.Option(help="Writes the mean along the steps to this file (svg, png, pdf).")
        ] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Machine output on stdout.")] = False,
    ) -> None:
        """Run an algorithm of the papers many times and set it against its paper's bound and the accountant's
        guarantee.
        """
        from dpverify import algorithms
        from dpverify.montecarlo import run
        from dpverify.optional import Missing, optional
        from dpverify.reporting import figures
        from dpverify.reporting.runs import along, summary, table

        if name is None:
            known = algorithms.names()
            if as_json:
                say_json(known)
            else:
                say("\n".join(known))
            return
        try:
            if plot is not None and plot.suffix.lower() not in (".svg", ".png", ".pdf"):
                raise ValueError(f"Expected plot={str(plot)!r} to end in .svg, .png or .pdf.")
            if plot is not None:
                optional("matplotlib", "report")
            case = algorithms.example(name, as_printed=as_printed)
            every_step = case.best_step or plot is not None
            result = run(
                case.algorithm,
                case.data,
                runs,
                seed,
                measure={case.quantity: case.measured},
                every_step=every_step,
                keep=(),
                workers=workers,
                progress=True,
            )
        except (ValueError, Missing) as error:
            raise Misuse(str(error)) from None
        row = summary(case, result, as_printed)
        if plot is not None:
            figures.algorithm(row | along(case, result), plot)
        if as_json:
            say_json(row)
        else:
            say(table(row))
        if plot is not None and not as_json:
            say(f"wrote {plot}")
        if row["exceeds_bound"]:
            raise typer.Exit(REFUTED)
