"""`dpverify list`, `check`, `explain` and `proofs`: the claims of the papers."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from dpverify.cli.terminal import (
    STYLE,
    Format,
    Misuse,
    Profile,
    exit_code_of,
    mark,
    say,
    say_json,
    say_rows,
    say_what_is_missing,
    say_what_runs_long,
)

if TYPE_CHECKING:
    from dpverify.checking import Checked
    from dpverify.claims import Claim
    from dpverify.verdicts import Step

SECONDS = {"quick": 900.0, "full": 7200.0}  # the usual time limit of one claim

PatternsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATTERN", help="Claim ids or globs, such as 'dp-accel/eq-*'. All if none."),
]
PaperOption = Annotated[
    str | None, typer.Option("--paper", help="Only this paper (its key, such as dp-accel).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON array and nothing else.")]
FormatOption = Annotated[
    Format, typer.Option("--format", help="Form of the results on stdout; --json is --format json.")
]
ClaimsOption = Annotated[
    list[str] | None,
    typer.Option("--claims", help="A file or package of claims to use instead of the installed papers."),
]
SearchOption = Annotated[
    bool, typer.Option("--search", help="Search for every proof again, instead of checking the kept ones.")
]
ProfileOption = Annotated[Profile, typer.Option("--profile", help="How hard to try.")]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Processes to use.")]
TimeoutOption = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        min=0.001,
        help="Seconds that one claim may take; then it is stopped and UNDECIDED. "
        f"[default: {SECONDS['quick']:g}, with --profile full {SECONDS['full']:g}]",
        show_default=False,
    ),
]


def selected(patterns: list[str] | None, paper: str | None, claims: list[str] | None) -> list[Claim]:
    """The claims that were asked for; anything that cannot be found is misuse."""
    from dpverify.claims import ClaimError, find, select
    from dpverify.suggestions import did_you_mean

    try:
        known = find(*(claims or []))
        keys = sorted({item.paper.key for item in known.values()})
        if paper is not None and paper not in keys:
            raise Misuse(
                f"Expected --paper {paper} to be one of {', '.join(keys)}.{did_you_mean(paper, keys)}"
            )
        chosen = [c for c in select(known, patterns or []) if paper is None or c.paper.key == paper]
    except ClaimError as error:
        raise Misuse(str(error)) from None
    if not chosen:
        raise Misuse(f"No claim of --paper {paper} matches {' '.join(patterns or [])}.")
    return chosen


def list_claims(
    patterns: PatternsArgument = None,
    paper: PaperOption = None,
    as_json: JsonOption = False,
    claims: ClaimsOption = None,
) -> None:
    """List the claims of the papers; in a pipe one line per claim, its cells between tabs."""
    chosen = selected(patterns, paper, claims)
    if as_json:
        say_json(
            [
                {
                    "id": c.id,
                    "paper": c.paper.key,
                    "at": c.at,
                    "kind": c.kind,
                    "statement": c.statement,
                    "expect": c.expect.value,
                    "uses": list(c.uses),
                    "correction": c.correction,
                    "file": c.shown_file,
                    "line": c.line,
                }
                for c in chosen
            ]
        )
        return
    say_rows(
        [(c.id, c.expect.value, c.at, c.kind, c.statement) for c in chosen],
    )
    say(f"{len(chosen)} claim{'' if len(chosen) == 1 else 's'}", err=not sys.stdout.isatty())


def check(
    patterns: PatternsArgument = None,
    paper: PaperOption = None,
    as_json: JsonOption = False,
    form: FormatOption = Format.text,
    profile: ProfileOption = Profile.quick,
    jobs: JobsOption = 2,
    timeout: TimeoutOption = None,
    claims: ClaimsOption = None,
    search: SearchOption = False,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Put the engine through its own exam instead.")
    ] = False,
) -> None:
    """Check claims. Exit code 0 if every verdict is as expected; see `dpverify -h` for the others."""
    if self_test:
        from dpverify.exam import main as exam

        raise typer.Exit(exam(profile.value))
    done = run_checks(patterns, paper, profile, jobs, claims, timeout, search)
    records = [c.to_json() for c in done]
    if as_json or form is Format.json:
        say_json(records)
    elif form is Format.text:
        print_table(done)
    else:
        from dpverify.effort import PROFILES
        from dpverify.reporting import formats
        from dpverify.reporting.collecting import bare_document, times_of

        document = bare_document(done, PROFILES[profile.value])
        say(formats.WRITERS[form.value](document, times_of(done)), nl=False)
    say_what_is_missing(records)
    raise typer.Exit(exit_code_of(records))


def run_checks(
    patterns: list[str] | None,
    paper: str | None,
    profile: Profile,
    jobs: int,
    claims: list[str] | None = None,
    timeout: float | None = None,
    search: bool = False,
) -> list[Checked]:
    """Check with a progress bar on stderr, each claim in a process that can be killed."""
    from dpverify.checking import check as run
    from dpverify.effort import PROFILES
    from dpverify.progress import progress_bar

    chosen = selected(patterns, paper, claims)
    effort = PROFILES[profile.value]
    with progress_bar("checking") as advance:

        def tell(id: str, done: int, total: int) -> None:
            advance(completed=done, total=total, note=id)

        def watch(running: dict[str, float]) -> None:
            advance(0, note=" ".join(running))
            say_what_runs_long(running)

        return run(
            *[c.id for c in chosen],
            paths=claims or (),
            effort=replace(effort, search=search or effort.search),
            jobs=jobs,
            seconds=SECONDS[profile.value] if timeout is None else timeout,
            progress=tell,
            watch=watch,
        )


def print_table(done: list[Checked]) -> None:
    """The verdicts as a table (in a pipe, as lines), then how many of each."""
    rows, styles = [], []
    for c in done:
        verdict = c.result.verdict.value
        expected = (
            "" if c.as_expected else f" ({'crashed; ' if c.result.crashed else ''}expected {c.claim.expect})"
        )
        rows.append(
            (
                c.claim.id,
                f"{mark(verdict)} {verdict}{expected}",
                c.claim.at,
                f"{c.result.seconds:.1f} s",
                c.summary,
            )
        )
        styles.append(STYLE[verdict])
    say_rows(rows, styles)
    say(f"{tally(done)}; {sum(not c.as_expected for c in done)} not as expected")


def tally(done: list[Checked]) -> str:
    """How many statements of the papers ended in each verdict; what is not a statement of a paper is
    counted apart.
    """
    from dpverify.claims import STANDINGS

    lines = []
    for standing in STANDINGS:
        counts = Counter(c.result.verdict.value for c in done if c.claim.standing == standing)
        if counts:
            words = ", ".join(f"{n} {v}" for v, n in counts.most_common())
            lines.append(words if standing == "statement" else f"{standing}: {words}")
    return "; ".join(lines)


def explain(
    id: Annotated[str, typer.Argument(metavar="ID", help="A claim id, such as dynamic-noise/lemma-4.1.")],
    profile: ProfileOption = Profile.quick,
    timeout: TimeoutOption = None,
    claims: ClaimsOption = None,
) -> None:
    """Check one claim and print its statement, its derivation step by step, the verdict and the witness."""
    if any(sign in id for sign in "*?["):
        raise Misuse(f"Expected one claim id, got the pattern {id!r}.")
    (c,) = run_checks([id], None, profile, 1, claims, timeout)
    say(explanation(c))
    records = [c.to_json()]
    say_what_is_missing(records)
    raise typer.Exit(exit_code_of(records))


def explanation(c: Checked) -> str:
    """A claim and its result as plain text."""
    from dpverify.proving.judges import one_solver, would_be_wrong_if
    from dpverify.verdicts import PROVED

    lines = [
        f"{c.claim.id}   ({c.claim.at}; {c.claim.kind})",
        f"  {c.claim.paper.citation}",
        "",
        f"  {c.claim.statement}",
        "",
    ]
    if c.result.formal:
        lines += [f"  Formally: {c.result.formal}", ""]
    lines += _steps(c.result.steps, "  ")
    expected = "" if c.as_expected else f"   (expected {c.claim.expect.value})"
    lines += [f"{mark(c.result.verdict.value)} {c.result.verdict.value}{expected}: {c.summary}"]
    if c.result.judges:
        lines += [
            f"  judged by {', '.join(c.result.judges)}{'; one part by one solver' * one_solver(c.result)}"
        ]
    if c.result.verdict is PROVED:
        lines += [f"  {would_be_wrong_if(c.result)}"]
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
        lines.append(f"{indent}{i}. {mark(v)} {step.statement}")
        lines.append(f"{indent}      {step.reason}: {v}, {step.result.because}")
        lines += _steps(step.result.steps, indent + "      ")
    return [*lines, ""] if lines and indent == "  " else lines


def proofs(
    patterns: PatternsArgument = None,
    paper: PaperOption = None,
    jobs: JobsOption = 2,
    claims: ClaimsOption = None,
    search: SearchOption = False,
) -> None:
    """Search for the proofs of claims that are not kept yet, and keep them in proofs.json beside the claims,
    where `dpverify check` finds and checks them.
    """
    from dpverify.effort import QUICK
    from dpverify.keeping import keep_proofs
    from dpverify.progress import progress_bar

    chosen = selected(patterns, paper, claims)
    some = [c.id for c in chosen] if patterns or paper else []
    with progress_bar("proving") as advance:

        def tell(id: str, done: int, total: int) -> None:
            advance(completed=done, total=total, note=id)

        effort = replace(QUICK, search=search)
        written = keep_proofs(
            *some,
            paths=claims or (),
            effort=effort,
            jobs=jobs,
            seconds=SECONDS[effort.name],
            progress=tell,
        )
    for path, count in written.items():
        say(f"{count} relation{'' if count == 1 else 's'}, {path.stat().st_size / 1e3:.0f} kB: {path}")
    if not written:
        say("Nothing was proved, nothing is kept.")


def add(app: typer.Typer) -> None:
    app.command("list")(list_claims)
    app.command("check")(check)
    app.command("explain")(explain)
    app.command("proofs")(proofs)
