"""`dpverify run NAME`: many runs of an algorithm, its mean, its interval and the bound that is proved of it
side by side, on its own small problem or on anybody's data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.terminal import REFUTED, Misuse, say, say_json

PICTURES = (".svg", ".png", ".pdf")

Epsilon = Annotated[float | None, typer.Option(help="Calibrate for this epsilon.")]
Delta = Annotated[float | None, typer.Option(help="... at this delta; 0 is pure DP.")]
Relation = Annotated[str | None, typer.Option(help="What neighbours are: replace, zero-out or add/remove.")]
DataFile = Annotated[
    Path | None, typer.Option(help="Records of one's own: file.csv with a header, or file.npz.")
]
Target = Annotated[str | None, typer.Option(help="The column (or array) to predict; without it, the mean.")]
Ridge = Annotated[float, typer.Option(help="The regulariser of a problem of one's own.")]
Steps = Annotated[int | None, typer.Option(help="Steps (at most, where the algorithm chooses them).")]
Batch = Annotated[int | None, typer.Option(help="The size of a batch.")]
Clip = Annotated[float | None, typer.Option(help="The norm to which a record's gradient is clipped.")]
Plot = Annotated[Path | None, typer.Option(help="Writes a picture to this file (svg, png, pdf).")]


def settings(
    name: str,
    *,
    epsilon: float | None,
    delta: float | None,
    relation: str | None,
    data: Path | None,
    target: str | None,
    ridge: float,
    **others: Any,
) -> dict[str, Any]:
    """The options of the command line as settings of `algorithms.example`; bad ones are refused by name."""
    from dpverify.algorithms import example
    from dpverify.datafiles import read
    from dpverify.guarantees import ApproxDP, PureDP
    from dpverify.neighbours import Adjacency
    from dpverify.parts.cases import own_case

    chosen = {key: value for key, value in others.items() if value is not None}
    if epsilon is not None or delta is not None:
        usual: Any = example(name).claimed
        epsilon = usual.epsilon if epsilon is None else epsilon
        delta = getattr(usual, "delta", 0.0) if delta is None else delta
        chosen["target"] = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    if relation is not None:
        if relation not in [str(known) for known in Adjacency]:
            known = ", ".join(str(known) for known in Adjacency)
            raise ValueError(f"Expected relation={relation!r} to be one of {known}.")
        chosen["adjacency"] = Adjacency(relation)
    if target is not None and data is None:
        raise ValueError(f"Expected data, of which target={target!r} is a column.")
    if data is not None:
        chosen["case"] = own_case(*read(data, target), ridge=ridge)
    return chosen


def check_picture(plot: Path | None) -> None:
    """Refuses a picture of another kind, and one that cannot be drawn here."""
    from dpverify.optional import optional

    if plot is not None and plot.suffix.lower() not in PICTURES:
        raise ValueError(f"Expected plot={str(plot)!r} to end in .svg, .png or .pdf.")
    if plot is not None:
        optional("matplotlib", "report")


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
            bool, typer.Option("--as-printed", help="The paper's algorithm to the letter.")
        ] = False,
        epsilon: Epsilon = None,
        delta: Delta = None,
        steps: Steps = None,
        batch: Batch = None,
        relation: Relation = None,
        schedule: Annotated[
            str | None, typer.Option(help="The noise schedule, where there are several.")
        ] = None,
        clip: Clip = None,
        step_size: Annotated[float | None, typer.Option(help="The step size.")] = None,
        data: DataFile = None,
        target: Target = None,
        ridge: Ridge = 0.01,
        workers: Annotated[int, typer.Option(help="Processes.")] = 1,
        plot: Plot = None,
        as_json: Annotated[bool, typer.Option("--json", help="Machine output on stdout.")] = False,
    ) -> None:
        """Run an algorithm many times and set it against the bound that is proved of it and the accountant's
        guarantee.
        """
        from dpverify import algorithms
        from dpverify.optional import Missing
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
            check_picture(plot)
            given = settings(
                name,
                epsilon=epsilon,
                delta=delta,
                relation=relation,
                data=data,
                target=target,
                ridge=ridge,
                steps=steps,
                batch=batch,
                schedule=schedule,
                clip=clip,
                step_size=step_size,
            )
            case = algorithms.example(name, as_printed=as_printed, **given)
            result = case.simulate(runs, seed, every_step=plot is not None, workers=workers, progress=True)
            row = summary(case, result, as_printed)
        except (ValueError, Missing) as error:
            raise Misuse(str(error)) from None
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
