"""`dpverify zoo`: audit every planted bug and its correct twin; exit 1 if one that should be found is missed,
or a twin accused.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dpverify.cli.terminal import AS_EXPECTED, REFUTED, Misuse, say, say_json, say_rows


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
        from dpverify import zoo
        from dpverify.parallel import each
        from dpverify.progress import progress_bar
        from dpverify.zoo.inspection import inspect_by_name

        if not 0 < alpha < 1:
            raise Misuse(f"Expected --alpha {alpha:g} in (0, 1).")
        if seed < 0:
            raise Misuse(f"Expected --seed {seed} >= 0.")
        try:
            chosen = [zoo.find(name) for name in names] if names else zoo.bugs()
        except KeyError as error:
            raise Misuse(error.args[0]) from None
        rows = []
        with progress_bar("auditing", len(chosen)) as advance:
            for name, row in each(inspect_by_name, [bug.name for bug in chosen], shared=(alpha, seed)):
                advance(note=name)
                rows.append(row)
        failed = [row for row in rows if not row.as_expected or row.accused]
        if json_:
            say_json([row.to_json() for row in rows])
            raise typer.Exit(REFUTED if failed else AS_EXPECTED)
        cells = []
        for row in rows:
            outcome = ("found" if row.found else "not found") + ("" if row.as_expected else " (!)")
            twin = "twin accused (!)" if row.accused else "twin not accused"
            numbers = [str(value or "") for value in (row.samples, row.witness_size)]
            cells.append((row.bug.name, outcome, row.rung or "", *numbers, twin, f"{row.seconds:.2f} s"))
        say_rows(cells)
        for row in rows:
            if row.bug.why:
                say(f"{row.bug.name}: {row.bug.why}.")
            if not row.as_expected:
                expected = f"{row.bug.expect}{f' by {row.bug.rung}' if row.bug.rung else ''}"
                say(
                    f"{row.bug.name}: expected {expected}, ended in {row.result.verdict}: "
                    f"{row.result.because}"
                )
            if row.accused:
                say(f"{row.bug.name}: its correct twin is accused: {row.twin.because}")
        say(f"{sum(row.found for row in rows)} found, {len(failed)} not as expected.")
        raise typer.Exit(REFUTED if failed else AS_EXPECTED)
