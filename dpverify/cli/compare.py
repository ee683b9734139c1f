"""`dpverify compare NAME NAME ...`: algorithms side by side on one problem, under one guarantee: who wins,
by how much.
"""

from __future__ import annotations

from typing import Annotated

import typer

from dpverify.cli.run import (
    Batch,
    Clip,
    DataFile,
    Others,
    Plot,
    Ridge,
    ScheduleName,
    Steps,
    StepSize,
    Target,
    check_picture,
    other_settings,
    own_problem,
    relation_of,
)
from dpverify.cli.terminal import Misuse, say, say_json, say_rows


def add(app: typer.Typer) -> None:
    """Registers `compare`."""

    @app.command("compare")
    def compare_command(
        names: Annotated[list[str], typer.Argument(help="Two algorithms or more.")],
        epsilon: Annotated[float, typer.Option(help="All are calibrated for this epsilon.")] = 2.0,
        delta: Annotated[float, typer.Option(help="... at this delta; 0 is pure DP.")] = 1e-5,
        relation: Annotated[
            str, typer.Option(help="What neighbours are: replace, zero-out or add/remove.")
        ] = "replace",
        data: DataFile = None,
        target: Target = None,
        ridge: Ridge = None,
        steps: Steps = None,
        batch: Batch = None,
        schedule: ScheduleName = None,
        clip: Clip = None,
        step_size: StepSize = None,
        others: Others = None,
        runs: Annotated[int, typer.Option(help="Independent runs of each.")] = 2000,
        seed: Annotated[int, typer.Option(help="The seed.")] = 0,
        workers: Annotated[int, typer.Option(help="Processes.")] = 1,
        plot: Plot = None,
        as_json: Annotated[bool, typer.Option("--json", help="Machine output on stdout.")] = False,
    ) -> None:
        """Run algorithms on the same problem under the same guarantee, and say who wins and by how much."""
        from dpverify.comparing import compare, verdict
        from dpverify.guarantees import ApproxDP, PureDP
        from dpverify.optional import Missing
        from dpverify.parts.cases import baseline_case
        from dpverify.reporting import figures

        try:
            check_picture(plot)
            own, about = own_problem(data, target, ridge)
            case = own or baseline_case()
            given = {
                "steps": steps,
                "batch": batch,
                "schedule": schedule,
                "clip": clip,
                "step_size": step_size,
            }
            given |= other_settings(others)
            rows = compare(
                names,
                case,
                ApproxDP(epsilon, delta) if delta else PureDP(epsilon),
                relation_of(relation),
                runs=runs,
                seed=seed,
                workers=workers,
                progress=True,
                **{key: value for key, value in given.items() if value is not None},
            )
        except (ValueError, Missing) as error:
            raise Misuse(str(error)) from None
        if plot is not None:
            figures.comparison(rows, plot)
        if as_json:
            say_json({"rows": rows, "verdict": verdict(rows)} | ({"data": about} if about else {}))
            return
        if about:
            say(f"data: {about}")
        say(f"F(x) - F* under {rows[0]['guarantee']}, {rows[0]['adjacency']}, {runs} runs each, seed {seed}")
        head = ["algorithm", "steps", "mean (standard error)", "median (exact)", "of the best", "certified"]
        say_rows([head, *(_cells(row) for row in rows)])
        for row in rows:
            if row["left_out"]:
                say(f"{row['algorithm']} has no setting {', '.join(row['left_out'])}, and ran without")
        say(verdict(rows))
        if plot is not None:
            say(f"wrote {plot}")


def _cells(row: dict) -> list[str]:
    low, high = row["median_interval"]
    return [
        row["algorithm"],
        str(row["steps"]),
        f"{row['mean']:.4g} ({row['standard_error']:.2g})",
        f"{row['median']:.4g} [{low:.4g}, {high:.4g}]",
        f"{row['times_best']:.3g}",
        "yes" if row["certified"] else "NO",
    ]
