"""`dpverify run NAME`: many runs of an algorithm, its mean, its interval and the bound that is proved of it
side by side, on its own small problem or on anybody's data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.terminal import REFUTED, UNDECIDED, Misuse, say, say_json

PICTURES = (".svg", ".png", ".pdf")

Epsilon = Annotated[float | None, typer.Option(help="Calibrate for this epsilon.")]
Delta = Annotated[float | None, typer.Option(help="... at this delta; 0 is pure DP.")]
Relation = Annotated[str | None, typer.Option(help="What neighbours are: replace, zero-out or add/remove.")]
DataFile = Annotated[
    Path | None, typer.Option(help="Records of one's own: file.csv with a header, or file.npz.")
]
Target = Annotated[str | None, typer.Option(help="The column (or array) to predict; without it, the mean.")]
Ridge = Annotated[
    float | None, typer.Option(help="The regulariser of a problem of one's own.", show_default="0.01")
]
Steps = Annotated[int | None, typer.Option(help="Steps (at most, where the algorithm chooses them).")]
Batch = Annotated[int | None, typer.Option(help="The size of a batch.")]
Clip = Annotated[float | None, typer.Option(help="The norm to which a record's gradient is clipped.")]
StepSize = Annotated[float | None, typer.Option(help="The step size.")]
ScheduleName = Annotated[str | None, typer.Option(help="The noise schedule, where there are several.")]
Others = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=NUMBER", help="Another setting of the algorithm, such as beta=0.9."),
]
Plot = Annotated[Path | None, typer.Option(help="Writes a picture to this file (svg, png, pdf).")]


def settings(
    name: str,
    *,
    epsilon: float | None,
    delta: float | None,
    relation: str | None,
    case: Any,
    **others: Any,
) -> dict[str, Any]:
    """The options of the command line as settings of `algorithms.example`; bad ones are refused by name."""
    from dpverify.algorithms import example
    from dpverify.guarantees import ApproxDP, PureDP

    chosen = {key: value for key, value in others.items() if value is not None}
    if epsilon is not None or delta is not None:
        usual: Any = example(name).claimed
        epsilon = usual.epsilon if epsilon is None else epsilon
        delta = getattr(usual, "delta", 0.0) if delta is None else delta
        chosen["target"] = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    if relation is not None:
        chosen["adjacency"] = relation_of(relation)
    return chosen if case is None else chosen | {"case": case}


def relation_of(name: str) -> Any:
    """The neighbouring relation of that name."""
    from dpverify.neighbours import Adjacency

    known = [str(adjacency) for adjacency in Adjacency]
    if name not in known:
        raise ValueError(f"Expected relation={name!r} to be one of {', '.join(known)}.")
    return Adjacency(name)


def own_problem(data: Path | None, target: str | None, ridge: float | None) -> tuple[Any, str]:
    """The problem and the records of a file, and in words what they are; None without one."""
    from dpverify.datafiles import read
    from dpverify.parts.cases import described, own_case

    if data is not None:
        records, ridge = read(data, target), 0.01 if ridge is None else ridge
        return own_case(*records, ridge=ridge), described(*records, ridge=ridge)
    for name, value in (("target", target), ("ridge", ridge)):
        if value is not None:
            raise ValueError(f"Expected data, of whose problem {name}={value!r} is a part.")
    return None, ""


def other_settings(given: list[str] | None) -> dict[str, float | int | bool]:
    """The settings `NAME=NUMBER` (or true, false) of --set.

    >>> other_settings(["beta=0.9", "restart=5"])
    {'beta': 0.9, 'restart': 5}
    """
    chosen: dict[str, float | int | bool] = {}
    for text in given or []:
        name, sign, value = text.partition("=")
        try:
            number = float(value) if value not in ("true", "false") else value == "true"
        except ValueError:
            sign = ""
        if not sign or not name:
            raise ValueError(f"Expected set={text!r} of the form NAME=NUMBER, such as beta=0.9.")
        whole = not isinstance(number, bool) and number.is_integer() and value.lstrip("-").isdigit()
        chosen[name] = int(value) if whole else number
    return chosen


def check_picture(plot: Path | None) -> None:
    """Refuses a picture of another kind, and one that cannot be drawn here."""
    from dpverify.optional import optional

    if plot is not None and plot.suffix.lower() not in PICTURES:
        raise ValueError(f"Expected plot={str(plot)!r} to end in .svg, .png or .pdf.")
    if plot is not None:
        optional("matplotlib", "report")


def check_claims(ids: list[str]) -> dict[str, dict[str, Any]]:
    """The records of these claims, checked now, or recalled where nothing has changed since they were."""
    from dpverify.checking import check
    from dpverify.memory import Memory
    from dpverify.progress import progress_bar

    if not ids:
        return {}
    with progress_bar("checking the claims of this run") as advance:
        done = check(
            *ids,
            memory=Memory(),
            progress=lambda id, n, total: advance(completed=n, total=total, note=id),
        )
    return {c.claim.id: c.to_json() for c in done}


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
        schedule: ScheduleName = None,
        clip: Clip = None,
        step_size: StepSize = None,
        others: Others = None,
        data: DataFile = None,
        target: Target = None,
        ridge: Ridge = None,
        workers: Annotated[int, typer.Option(help="Processes.")] = 1,
        plot: Plot = None,
        checked: Annotated[
            bool,
            typer.Option("--check/--no-check", help="Check the claim whose formula the bound is."),
        ] = True,
        as_json: Annotated[bool, typer.Option("--json", help="Machine output on stdout.")] = False,
    ) -> None:
        """Run an algorithm many times and set it against the bound that is proved of it and the accountant's
        guarantee. The claim whose formula the bound is gets checked, unless a kept result stands; exit code 1
        if the bound is exceeded, 3 if its claim is not proved.
        """
        from dpverify import algorithms
        from dpverify.optional import Missing
        from dpverify.reporting import figures
        from dpverify.reporting.runs import along, called, judged, summary, table

        if name is None:
            known = algorithms.names()
            if as_json:
                say_json(known)
            else:
                say("\n".join(known))
            return
        try:
            check_picture(plot)
            own, about = own_problem(data, target, ridge)
            given = settings(
                name,
                epsilon=epsilon,
                delta=delta,
                relation=relation,
                case=own,
                steps=steps,
                batch=batch,
                schedule=schedule,
                clip=clip,
                step_size=step_size,
                **other_settings(others),
            )
            case = algorithms.example(name, as_printed=as_printed, **given)
            result = case.simulate(runs, seed, every_step=plot is not None, workers=workers, progress=True)
            row = summary(case, result, as_printed) | ({"data": about} if about else {})
            named = [claim for claim in (row["bound_claim"], row["printed_claim"]) if claim]
            row = judged(row, check_claims(named) if checked else {})
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
        if row["bound_verdict"] and called(row) != "bound":
            raise typer.Exit(UNDECIDED)
