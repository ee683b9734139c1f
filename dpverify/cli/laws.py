"""`dpverify laws package.module:train`: every law that applies to an optimizer, whoever wrote it.

A name of an algorithm (`dp-nag`) or of `dpverify targets` (`opacus:dpsgd`) brings its own data, neighbours
and claim.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpverify.cli.audit import _claim, _load, _subject
from dpverify.cli.terminal import AS_EXPECTED, REFUTED, Misuse, say, say_json, say_rows


def add(app: typer.Typer) -> None:
    """Register the command."""

    @app.command()
    def laws(
        subject: Annotated[
            str | None,
            typer.Argument(
                help="package.module:train, any (data, rng) -> numbers; an algorithm; a name of `dpverify "
                "targets`. Without it the laws are listed."
            ),
        ] = None,
        data: Annotated[
            str | None, typer.Option(help="package.module:data, arrays or a function that returns them.")
        ] = None,
        neighbours: Annotated[
            str | None, typer.Option(help="package.module:pair, a Neighbours or a function that returns one.")
        ] = None,
        declared: Annotated[
            str | None, typer.Option(help="package.module:release, what the whole output is charged as.")
        ] = None,
        epsilon: Annotated[float | None, typer.Option(help="Claimed epsilon.")] = None,
        delta: Annotated[float, typer.Option(help="Claimed delta, with --epsilon.")] = 0.0,
        mu: Annotated[float | None, typer.Option(help="Claimed mu of Gaussian DP.")] = None,
        rho: Annotated[float | None, typer.Option(help="Claimed rho of zCDP.")] = None,
        claim: Annotated[str | None, typer.Option(help="package.module:guarantee.")] = None,
        family: Annotated[str | None, typer.Option(help="Only the laws of this family.")] = None,
        runs: Annotated[int, typer.Option(help="Runs on each of two data sets, in an audit.")] = 20_000,
        seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
        json_: Annotated[bool, typer.Option("--json", help="Machine output.")] = False,
    ) -> None:
        """Put an optimizer through the laws; exit 1 if one is refuted. What a law needs and is not there is
        said, and nothing is held against anybody."""
        from dpverify.properties import LAWS, check
        from dpverify.subjects import SHOWN, NotApplicable

        if subject is None:
            if json_:
                say_json(
                    [{"law": one.name, "family": one.family, "says": one.statement} for one in LAWS.values()]
                )
            else:
                say_rows([(one.name, one.family, one.statement) for one in LAWS.values()])
            return
        known: dict[str, Any] = {"runs": runs}
        if any(value is not None for value in (epsilon, mu, rho, claim)):
            known["claim"] = _claim(epsilon, delta, mu, rho, None, claim)
        if declared is not None:
            known["declared"] = _load(declared)
        if neighbours is not None:
            known["neighbours"] = _called(_load(neighbours))
        records = _called(_load(data)) if data is not None else None
        try:
            outcomes = check(_look_up(subject), records, family=family, seed=seed, **known)
        except (TypeError, ValueError) as error:
            raise Misuse(str(error)) from None
        rows = [
            {
                "law": name,
                "family": LAWS[name].family,
                "applies": not isinstance(outcome, NotApplicable),
                "because": outcome.because,
                **({} if isinstance(outcome, NotApplicable) else outcome.to_json()),
            }
            for name, outcome in outcomes.items()
        ]
        if json_:
            say_json(rows)
        else:
            judged = [row for row in rows if row["applies"]]
            verdicts = [
                row["verdict"] + (f" ({SHOWN[row['law']]})" if row["law"] in SHOWN else "") for row in judged
            ]
            say_rows([(row["law"], verdict, row["because"]) for row, verdict in zip(judged, verdicts)])
            missing = [row for row in rows if not row["applies"]]
            for because in sorted({row["because"] for row in missing}):
                named = ", ".join(row["law"] for row in missing if row["because"] == because)
                say(f"not {named}: {because}")
        refuted = any(row.get("verdict") == "REFUTED" and row["law"] not in SHOWN for row in rows)
        raise typer.Exit(REFUTED if refuted else AS_EXPECTED)


def _called(value: Any) -> Any:
    return value() if callable(value) else value


def _look_up(name: str) -> Any:
    """A target, a callable by its place, or the name of an algorithm."""
    if ":" not in name:
        return name
    target = _subject(name, {})
    return _load(name) if target is None else target
