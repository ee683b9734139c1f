"""`dpverify audit package.module:train`: can this mechanism keep the guarantee it claims? Exit 0 only if
nothing speaks against it.

A name of `dpverify targets` (`opacus:dpsgd`) brings its own neighbours and its own claim; settings of the
target are options.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.run import check_picture
from dpverify.cli.terminal import INTERRUPTED, REFUTED, Format, Misuse, exit_code, say, say_json


def _load(target: str) -> Any:
    import importlib
    import os
    import sys
    import traceback

    from dpverify.suggestions import did_you_mean

    module, _, name = target.partition(":")
    if not name:
        raise Misuse(f"Expected package.module:name, got {target!r}.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if "importlib" in frame.filename else f" at {frame.filename}:{frame.lineno}"
        raise Misuse(f"Cannot load {target!r}: {type(error).__name__}{where}: {error}") from None
    for part in name.split("."):
        if not hasattr(value, part):
            near = did_you_mean(part, [known for known in dir(value) if not known.startswith("_")])
            raise Misuse(f"Cannot load {target!r}: there is no {part!r} in it.{near}")
        value = getattr(value, part)
    return value


def _setting(text: str) -> tuple[str, float | int | str]:
    """NAME=VALUE, the value a number if it is one."""
    name, equals, value = text.partition("=")
    if not equals:
        raise Misuse(f"Expected --set NAME=VALUE, got {text!r}.")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def _subject(name: str, settings: dict[str, Any]) -> Any:
    """The target of that name at these settings, or None if no library of that name is known."""
    from dpverify.adapters import NotInstalled, select, targets

    if name.partition(":")[0] not in {target.family for target in targets()}:
        return None
    try:
        (target,) = select(name)
        subject = target(**settings)
        if subject.mechanism is None:
            raise ValueError(
                f"{name} is not a mechanism; put it through its laws: dpverify targets '{name}' --test."
            )
        return subject
    except (KeyError, NotInstalled, ValueError) as error:
        raise Misuse(str(error.args[0]) if error.args else str(error)) from None


def _claim(
    epsilon: float | None,
    delta: float,
    mu: float | None,
    rho: float | None,
    order: float | None,
    claim: str | None,
) -> Any:
    from dpverify.guarantees import GDP, RDP, ZCDP, ApproxDP, PureDP

    given = [v for v in (epsilon, mu, rho, claim) if v is not None]
    if len(given) != 1:
        raise Misuse(f"Expected exactly one of --epsilon, --mu, --rho and --claim, got {len(given)}.")
    try:
        if claim is not None:
            return _load(claim)
        if mu is not None:
            return GDP(mu)
        if rho is not None:
            return ZCDP(rho)
        assert epsilon is not None
        if order is not None:
            return RDP(order, epsilon)
        return PureDP(epsilon) if delta == 0 else ApproxDP(epsilon, delta)
    except ValueError as error:
        raise Misuse(str(error)) from None


def _audited(pair: Any, claim: Any, budget: Any, declared: Any, shown: bool, mechanism: Any) -> Any:
    from dpverify.auditing import audit

    with redirect_stdout(sys.stderr):  # what a mechanism prints is no part of the result
        return audit(mechanism, pair, claim, budget=budget, declared=declared, progress=shown)


def _within(
    seconds: float | None, mechanism: Any, pair: Any, claim: Any, budget: Any, declared: Any, shown: bool
) -> Any:
    """The result of the audit; with a limit it runs in a process that can be killed, C code and all."""
    from dpverify.parallel import each
    from dpverify.verdicts import UNDECIDED, Result, crash
    from dpverify.workers import Stopped

    shared = (pair, claim, budget, declared, shown)
    if seconds is None:
        return _audited(*shared, mechanism)

    def instead(_: Any, error: Exception) -> Result:
        return Result(UNDECIDED, str(error)) if isinstance(error, Stopped) else crash(str(error))

    ((_, result),) = each(_audited, [mechanism], shared=shared, seconds=seconds, instead=instead)
    return result


def _of_scores(files: tuple[Path, Path] | None, claim: Any, alpha: float, seed: int) -> Any:
    """The result of one training, from the scores of its canaries."""
    from dpverify.auditing.one_run import read_scores, score_audit

    assert files is not None
    try:
        members, others = (read_scores(file) for file in files)
        return score_audit(members, others, claim, alpha=alpha, seed=seed)
    except OSError as error:
        raise Misuse(f"Expected a file of scores at {error.filename}: {error.strerror}.") from None
    except (ValueError, TypeError) as error:
        raise Misuse(str(error)) from None


def _checked(pair: Any, claim: Any) -> None:
    from dpverify.auditing.rungs import check_claim, check_pair

    try:
        check_claim(claim)
        check_pair(pair)
    except (ValueError, TypeError) as error:
        raise Misuse(str(error)) from None


def _print(result: Any, name: str, target: Any, guarantee: Any, form: Format) -> None:
    if form is Format.json:
        say_json(result.to_json())
    elif form is not Format.text:
        from dpverify.reporting import formats
        from dpverify.reporting.collecting import document_of_audit

        document = document_of_audit(name, target, guarantee, result)
        say(formats.WRITERS[form.value](document, {name: result.seconds}), nl=False)
    else:
        for step in result.steps:
            say(f"{step.result.verdict:9}  {step.statement.split(':')[0]:10}  {step.reason}")
        say(str(result))
        if result.crashed:
            say(result.evidence.details, err=True)


def _drawn(plot: Path, target: Any, pair: Any, guarantee: Any, budget: Any) -> str:
    """Draw the audit to a file; a line that says so, or why there is no picture."""
    from dpverify.auditing.picture import NoPicture
    from dpverify.reporting import figures

    try:
        with redirect_stdout(sys.stderr):
            figures.audit(target, pair, guarantee, budget, plot)
    except NoPicture as error:
        return f"no picture: {error}"
    return f"wrote {plot}"


def add(app: typer.Typer) -> None:
    """Register the command."""

    @app.command()
    def audit(
        mechanism: Annotated[
            str | None,
            typer.Argument(
                help="package.module:train, any (data, rng) -> numbers; or a name of `dpverify targets`."
            ),
        ] = None,
        scores: Annotated[
            tuple[Path, Path] | None,
            typer.Option(
                help="Instead of a mechanism: files with the scores of canaries that were in one training, "
                "and of those that were not, each by a fair coin."
            ),
        ] = None,
        neighbours: Annotated[
            str | None, typer.Option(help="package.module:pair, a Neighbours or a function that returns one.")
        ] = None,
        epsilon: Annotated[float | None, typer.Option(help="Claimed epsilon.")] = None,
        delta: Annotated[float, typer.Option(help="Claimed delta, with --epsilon.")] = 0.0,
        mu: Annotated[
            float | None, typer.Option(help="Claimed mu of Gaussian DP: the whole profile is tested.")
        ] = None,
        rho: Annotated[float | None, typer.Option(help="Claimed rho of zCDP.")] = None,
        order: Annotated[
            float | None, typer.Option(help="Order of a claimed Renyi DP, with --epsilon.")
        ] = None,
        claim: Annotated[
            str | None, typer.Option(help="package.module:guarantee, anything with delta(epsilon).")
        ] = None,
        declared: Annotated[
            str | None, typer.Option(help="package.module:release, what the whole output is charged as.")
        ] = None,
        steps: Annotated[int | None, typer.Option(help="Of a target: its number of steps.")] = None,
        noise: Annotated[float | None, typer.Option(help="Of a target: its noise multiplier.")] = None,
        clip: Annotated[float | None, typer.Option(help="Of a target: its clip norm.")] = None,
        rate: Annotated[float | None, typer.Option(help="Of a target: its sampling rate.")] = None,
        set_: Annotated[
            list[str] | None, typer.Option("--set", help="Of a target: NAME=VALUE, any other setting.")
        ] = None,
        alpha: Annotated[float, typer.Option(help="Probability of a false refutation.")] = 1e-3,
        runs: Annotated[int, typer.Option(help="Runs on each of the two data sets, at most.")] = 100_000,
        seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
        workers: Annotated[int, typer.Option(help="Processes; the result does not depend on it.")] = 1,
        chunks: Annotated[str | None, typer.Option(help="Folder of finished chunks, to resume from.")] = None,
        seconds: Annotated[
            float | None,
            typer.Option(help="About how long it may draw; the number of runs follows from it."),
        ] = None,
        call_seconds: Annotated[
            float | None,
            typer.Option(help="A call that takes longer is stopped, which counts as an outcome."),
        ] = None,
        timeout: Annotated[
            float | None,
            typer.Option(min=0.001, help="Seconds that the audit may take; then it is stopped, UNDECIDED."),
        ] = None,
        json_: Annotated[
            bool, typer.Option("--json", help="Print one JSON object and nothing else.")
        ] = False,
        form: Annotated[
            Format, typer.Option("--format", help="Form of the result on stdout; --json is --format json.")
        ] = Format.text,
        plot: Annotated[
            Path | None, typer.Option(help="Draw the claimed and the observed trade-off curve here.")
        ] = None,
    ) -> None:
        """Audit a mechanism on a pair of neighbouring data sets against a claimed guarantee."""
        from dpverify.auditing import Budget
        from dpverify.auditing.rungs import Audit, check_pair
        from dpverify.neighbours import Neighbours
        from dpverify.optional import Missing
        from dpverify.releases import Release

        form = Format.json if json_ else form
        plain = form is Format.text
        options = {"steps": steps, "noise": noise, "clip": clip, "rate": rate}
        settings = {name: value for name, value in options.items() if value is not None} | dict(
            _setting(text) for text in set_ or []
        )
        if delta and (epsilon is None or order is not None):
            raise Misuse(f"Expected --delta {delta:g} with --epsilon, and without --order.")
        if order is not None and epsilon is None:
            raise Misuse(f"Expected --order {order:g} with --epsilon.")
        if (mechanism is None) == (scores is None):
            raise Misuse("Expected either a mechanism or --scores with two files.")
        if mechanism is None and plot is not None:
            raise Misuse(f"Expected --plot {plot} with a mechanism: scores have no runs to draw.")
        if mechanism is None:
            given = {"neighbours": neighbours, "declared": declared, "chunks": chunks, "seconds": seconds}
            unused = [f"--{name} {value}" for name, value in (given | settings).items() if value is not None]
            if unused:
                raise Misuse(f"Expected {unused[0]} with a mechanism: of scores nothing is drawn.")
            guarantee = _claim(epsilon, delta, mu, rho, order, claim)
            result = _of_scores(scores, guarantee, alpha, seed)
            _print(result, "one training", None, guarantee, form)
            raise typer.Exit(exit_code(result.verdict, result.crashed))
        subject = _subject(mechanism, settings)
        if subject is None and neighbours is None:
            raise Misuse(f"Expected --neighbours with {mechanism}: it is not one of `dpverify targets`.")
        if subject is None and settings:
            raise Misuse(
                f"Expected a name of `dpverify targets` with {', '.join(settings)}, got {mechanism}."
            )
        target = _load(mechanism) if subject is None else subject.mechanism
        if not callable(target) and not hasattr(target, "ledger"):
            raise Misuse(f"Expected {mechanism} to be a function (data, rng) -> numbers, got {target!r}.")
        pair: Any = _load(neighbours) if neighbours is not None else subject.neighbours
        if callable(pair) and not isinstance(pair, Neighbours):
            try:
                pair = pair()
            except (Exception, SystemExit) as error:
                raise Misuse(f"Cannot call {neighbours}: {type(error).__name__}: {error}") from None
        if not isinstance(pair, Neighbours):
            raise Misuse(f"Expected {neighbours} to be a Neighbours, or a function that returns one.")
        claimed = any(value is not None for value in (epsilon, mu, rho, claim))
        guarantee = (
            _claim(epsilon, delta, mu, rho, order, claim) if claimed or subject is None else subject.claim
        )
        try:
            budget = Budget(
                runs=runs,
                alpha=alpha,
                seed=seed,
                workers=workers,
                chunks=chunks,
                seconds=seconds,
                call_seconds=call_seconds,
            )
        except ValueError as error:
            raise Misuse(str(error)) from None
        _checked(pair, guarantee)
        release = _load(declared) if declared is not None else getattr(subject, "declared", None)
        if subject is not None and plain:
            say(f"{mechanism} claims {guarantee}{'' if claimed else f' ({subject.said_by})'}")
        if release is not None and not isinstance(release, Release):
            raise Misuse(
                f"Expected --declared {declared} to be a release, such as Gaussian, got {release!r}."
            )
        try:
            Audit(target, pair, guarantee, budget, release)
            check_pair(pair)
        except (TypeError, ValueError) as error:
            raise Misuse(str(error)) from None
        try:
            check_picture(plot)
        except (ValueError, Missing) as error:
            raise Misuse(str(error)) from None
        result = _within(timeout, target, pair, guarantee, budget, release, plain)
        _print(result, mechanism, target, guarantee, form)
        if plot is not None and not result.crashed:
            say(_drawn(plot, target, pair, guarantee, budget), err=not plain)
        code = exit_code(result.verdict, result.crashed)
        cut_short = result.evidence.certificate.get("cut_short") if result.evidence else None
        raise typer.Exit(INTERRUPTED if cut_short == "interrupted" and code != REFUTED else code)
