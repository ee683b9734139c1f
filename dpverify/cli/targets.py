"""`dpverify targets`: other people's optimizers, what they claim, and how to install them; `--test` puts them
through the laws.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpverify.cli.terminal import REFUTED, UNDECIDED, Misuse, say, say_json, say_rows

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
            raise Misuse(error.args[0]) from None
        if not test:
            if out is not None:
                raise Misuse("Expected --test with --output.")
            _list(chosen, json_)
            return
        _test(chosen, out, seed, json_)


def _list(chosen: list[Target], json_: bool) -> None:
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
        say_json(rows)
        return
    cells = []
    for t in chosen:
        version = t.versions.get(t.packages[0]) or "" if t.packages else "with dpverify"
        cells.append((t.name, version if t.installed else "no", t.claims, "" if t.installed else t.install))
    say_rows(cells)
    say(
        "dpverify audit TARGET audits one at its own claim; dpverify targets --test puts those "
        "that are installed through the laws.",
        err=not sys.stdout.isatty(),
    )


def _test(chosen: list[Target], out: Path | None, seed: int, json_: bool) -> None:
    from dpverify.parallel import each, stop
    from dpverify.progress import progress_bar
    from dpverify.properties.examination import Examination, examine_by_name
    from dpverify.reporting.targets import changes, keep, read, write_page

    there = [t for t in chosen if t.installed]
    for missing in sorted({f"{t.family}: not installed ({t.install})" for t in chosen if not t.installed}):
        say(f"skipped {missing}", err=True)
    if not there:
        say("INCOMPLETE: none of these targets is installed.", err=True)
        raise typer.Exit(UNDECIDED)
    done: list[Examination] = []
    before = [] if out is None else read(out)
    with progress_bar("testing", len(there)) as advance:
        for name, examination in each(examine_by_name, [t.name for t in there], shared=(seed,), instead=stop):
            advance(note=name)
            done.append(examination)
            if out is not None:
                keep(examination, out)
    records = [examination.to_json() for examination in done]
    if json_:
        say_json(records)
    else:
        _print(records)
    if out is not None:
        say(f"The page: {write_page(out)}", err=json_)
        for line in changes(before, read(out)) if before else []:
            say(f"changed: {line}", err=json_)
    odd = [(e, law) for e in done for law in e.surprises]
    for examination, law in odd:
        result: Any = examination.outcomes[law]
        say(
            f"{examination.target.name}, {law}: expected {examination.expected(law)}, ended in {result}",
            err=True,
        )
    raise typer.Exit(REFUTED if odd else 0)


def _print(records: list[dict[str, Any]]) -> None:
    for record in records:
        say(f"\n{record['target']}: {record['about']}")
        for law, result in record["laws"].items():
            known = "" if not result["applies"] or result["verdict"] == result["expected"] else " (!)"
            verdict = result["verdict"] if result["applies"] else "-"
            say(f"  {law:12} {verdict + known:13} {result['because'][:300]}")
