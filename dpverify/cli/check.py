"""`dpverify list`, `dpverify check`, `dpverify explain`: the claims of the papers."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dpverify.checking import Checked
    from dpverify.verdicts import Step

STYLE = {"PROVED": "green", "REFUTED": "red", "SUPPORTED": "cyan", "UNDECIDED": "yellow"}
MARK = {"PROVED": "✓", "REFUTED": "✗", "SUPPORTED": "~", "UNDECIDED": "?"}

PaperOption = Annotated[
    str | None, typer.Option("--paper", help="Only this paper (its key, such as dp-accel).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON array and nothing else.")]
ClaimsOption = Annotated[
    list[str] | None,
    typer.Option("--claims", help="A file or package of claims to use instead of the installed papers."),
]
ProfileOption = Annotated[str, typer.Option("--profile", help="How hard to try: quick or full.")]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Processes to use.")]


def misuse(message: str) -> typer.Exit:
    """Say what is wrong on stderr; exit code 2."""
    typer.echo(f"dpverify: {message}", err=True)
    return typer.Exit(2)


def list_claims(paper: PaperOption = None, as_json: JsonOption = False, claims: ClaimsOption = None) -> None:
    """List the claims of the papers."""
    from dpverify.claims import ClaimError, find

    try:
        found = [c for c in find(*(claims or [])).values() if paper is None or c.paper.key == paper]
    except ClaimError as error:
        raise misuse(str(error)) from None
    if not found:
        raise misuse(f"Expected --paper {paper} to be the key of a paper.")
    if as_json:
        rows = [
            {
                "id": c.id,
                "paper": c.paper.key,
                "at": c.at,
                "kind": c.kind,
                "statement": c.statement,
                "expect": c.expect.value,
                "uses": list(c.uses),
                "correction": c.correction,
            }
            for c in found
        ]
        typer.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("claim", "at", "kind", "expected", "statement")
    for c in found:
        table.add_row(c.id, c.at, c.kind, c.expect.value, c.statement)
    Console().print(table)
    typer.echo(f"{len(found)} claims")


def check(
    patterns: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATTERN]...", help="Claim ids or globs, such as dp-accel/eq-*. All if none."
        ),
    ] = None,
    paper: PaperOption = None,
    as_json: JsonOption = False,
    profile: ProfileOption = "quick",
    jobs: JobsOption = 2,
    claims: ClaimsOption = None,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Put the engine through its own exam instead.")
    ] = False,
) -> None:
    """Check claims. Exit code 0: every verdict is as its claim expects; 1: one differs; 2: misuse."""
    if self_test:
        from dpverify.exam import main as exam

        raise typer.Exit(exam(profile))
    done = run_checks(patterns or [], paper, profile, jobs, claims)
    if as_json:
        typer.echo(json.dumps([c.to_json() for c in done], indent=1, ensure_ascii=False))
    else:
        print_table(done)
    raise typer.Exit(0 if all(c.as_expected for c in done) else 1)


def run_checks(
    patterns: list[str], paper: str | None, profile: str, jobs: int, claims: list[str] | None = None
) -> list[Checked]:
    """Check with a progress bar on stderr; misuse ends with exit code 2."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from dpverify.checking import check as run
    from dpverify.claims import ClaimError
    from dpverify.effort import PROFILES

    if profile not in PROFILES:
        raise misuse(f"Expected --profile {profile} to be one of {', '.join(PROFILES)}.")
    bar = Progress(
        TextColumn("checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("", total=None)

        def tell(id: str, finished: int, total: int) -> None:
            bar.update(task, completed=finished, total=total, description=id)

        try:
            return run(
                *patterns, paper=paper, paths=claims or (), effort=PROFILES[profile], jobs=jobs, progress=tell
            )
        except (ClaimError, ValueError) as error:
            raise misuse(str(error)) from None


def print_table(done: list[Checked]) -> None:
    """The verdicts as a table, then how many of each."""
    from collections import Counter

    from rich.console import Console
    from rich.table import Table

    table = Table("claim", "at", "verdict", "because", "s", show_lines=False)
    for c in done:
        v = c.result.verdict.value
        expected = "" if c.as_expected else f" (expected {c.claim.expect.value})"
        because = c.summary if len(c.summary) <= 160 else c.summary[:157] + "…"
        table.add_row(
            c.claim.id,
            c.claim.at,
            f"[{STYLE[v]}]{MARK[v]} {v}[/]{expected}",
            _plain(because),
            f"{c.result.seconds:.1f}",
        )
    console = Console()
    console.print(table)
    counts = Counter(c.result.verdict.value for c in done)
    console.print(
        ", ".join(f"{n} {v}" for v, n in counts.most_common())
        + f"; {sum(not c.as_expected for c in done)} not as expected"
    )


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def explain(
    id: Annotated[str, typer.Argument(metavar="ID", help="A claim id, such as dynamic-noise/lemma-4.1.")],
    profile: ProfileOption = "quick",
    claims: ClaimsOption = None,
) -> None:
    """Check one claim and print its statement, its derivation step by step, the verdict and the witness."""
    (c,) = run_checks([id], None, profile, 1, claims) if "*" not in id else [None]
    if c is None:
        raise misuse(f"Expected one claim id, got the pattern {id!r}.")
    typer.echo(explanation(c))
    raise typer.Exit(0 if c.as_expected else 1)


def explanation(c: Checked) -> str:
    """A claim and its result as plain text."""
    lines = [
        f"{c.claim.id}   ({c.claim.at}; {c.claim.kind})",
        f"  {c.claim.paper.citation}",
        "",
        f"  {c.claim.statement}",
        "",
    ]
    lines += _steps(c.result.steps, "  ")
    expected = "" if c.as_expected else f"   (expected {c.claim.expect.value})"
    lines += [f"{MARK[c.result.verdict.value]} {c.result.verdict.value}{expected}: {c.summary}"]
    if c.result.evidence:
        e = c.result.evidence
        figures = [
            f"{k} {v}"
            for k, v in (("alpha", e.alpha), ("samples", e.samples), ("seed", e.seed))
            if v is not None
        ]
        lines.append(
            f"  by {e.method}"
            + (f" ({', '.join(figures)})" if figures else "")
            + (f"; ceiling: {e.ceiling}" if e.ceiling else "")
        )
        if e.details:
            lines += ["", *("  " + line for line in e.details.splitlines())]
    if c.result.witness:
        lines += ["", *("  " + line for line in str(c.result.witness).splitlines())]
    if c.claim.uses:
        lines += ["", f"  uses {', '.join(c.claim.uses)}"]
    if c.claim.correction:
        lines += [
            "",
            f"  the nearest true form: {c.claim.correction}   (dpverify explain {c.claim.correction})",
        ]
    return "\n".join(lines)


def _steps(steps: tuple[Step, ...], indent: str) -> list[str]:
    lines = []
    for i, step in enumerate(steps, 1):
        v = step.result.verdict.value
        lines.append(f"{indent}{i}. {MARK[v]} {step.statement}")
        lines.append(f"{indent}      {step.reason}: {v}, {step.result.because}")
        lines += _steps(step.result.steps, indent + "      ")
    return [*lines, ""] if lines and indent == "  " else lines


def add(app: typer.Typer) -> None:
    app.command("list")(list_claims)
    app.command("check")(check)
    app.command("explain")(explain)
