"""`dpverify audit package.module:train`: can this mechanism keep the guarantee it claims? Exit 0 only if
nothing speaks against it.

A name of `dpverify targets` (`opacus:dpsgd`) brings its own neighbours and its own claim; settings of the
target are options.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def _load(target: str) -> Any:
    import importlib
    import os
    import sys

    module, _, name = target.partition(":")
    if not name:
        raise typer.BadParameter(f"Expected package.module:name, got {target!r}.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        value: Any = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except (ImportError, AttributeError) as error:
        raise typer.BadParameter(f"Cannot load {target!r}: {error}") from None
    return value


def _setting(text: str) -> tuple[str, float | int | str]:
    """NAME=VALUE, the value a number if it is one."""
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"Expected --set NAME=VALUE, got {text!r}.")
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
        if target.laws is not None:
            raise ValueError(
                f"{name} is not a mechanism; put it through its laws: dpverify targets '{name}' --test."
            )
        return target(**settings)
    except (KeyError, NotInstalled, ValueError) as error:
        raise typer.BadParameter(str(error.args[0]) if error.args else str(error)) from None


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
        raise typer.BadParameter(
            f"Expected exactly one of --epsilon, --mu, --rho and --claim, got {len(given)}."
        )
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
        return ApproxDP(epsilon, delta) if delta > 0 else PureDP(epsilon)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def add(app: typer.Typer) -> None:
    """Register the command."""

    @app.command()
    def audit(
        mechanism: Annotated[
            str,
            typer.Argument(
                help="package.module:train, any (data, rng) -> numbers; or a name of `dpverify targets`."
            ),
        ],
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
        json_: Annotated[bool, typer.Option("--json", help="Machine output.")] = False,
        plot: Annotated[
            Path | None, typer.Option(help="Draw the claimed and the observed trade-off curve here.")
        ] = None,
    ) -> None:
        """Audit a mechanism on a pair of neighbouring data sets against a claimed guarantee."""
        import json

        from dpverify.auditing import Budget
        from dpverify.auditing import audit as run_audit
        from dpverify.neighbours import Neighbours
        from dpverify.verdicts import SUPPORTED

        options = {"steps": steps, "noise": noise, "clip": clip, "rate": rate}
        settings = {name: value for name, value in options.items() if value is not None} | dict(
            _setting(text) for text in set_ or []
        )
        subject = _subject(mechanism, settings)
        if subject is None and neighbours is None:
            raise typer.BadParameter(
                f"Expected --neighbours with {mechanism}: it is not one of `dpverify targets`."
            )
        if subject is None and settings:
            raise typer.BadParameter(
                f"Expected a name of `dpverify targets` with {', '.join(settings)}, got {mechanism}."
            )
        target = _load(mechanism) if subject is None else subject.mechanism
        pair: Any = _load(neighbours) if neighbours is not None else subject.neighbours
        pair = pair if isinstance(pair, Neighbours) else pair()
        claimed = any(value is not None for value in (epsilon, mu, rho, claim))
        guarantee = (
            _claim(epsilon, delta, mu, rho, order, claim) if claimed or subject is None else subject.claim
        )
        try:
            budget = Budget(runs=runs, alpha=alpha, seed=seed, workers=workers, chunks=chunks)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
        release = _load(declared) if declared is not None else getattr(subject, "declared", None)
        if subject is not None and not json_:
            typer.echo(f"{mechanism} claims {guarantee}{'' if claimed else f' ({subject.said_by})'}")
        result = run_audit(target, pair, guarantee, budget=budget, declared=release, progress=not json_)
        if json_:
            typer.echo(json.dumps(result.to_json()))
        else:
            for step in result.steps:
                typer.echo(f"{step.result.verdict:9}  {step.statement.split(':')[0]:10}  {step.reason}")
            typer.echo(str(result))
        if plot is not None:
            from dpverify.reporting import figures

            figures.audit(target, pair, guarantee, budget, plot)
        raise typer.Exit(0 if result.verdict is SUPPORTED else 1)
