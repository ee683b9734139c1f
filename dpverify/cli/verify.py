"""`dpverify verify witness.json`: does a witness stand, from its record alone?"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.terminal import AS_EXPECTED, REFUTED, Misuse, say

SHOWN = 3  # points of a profile


def add(app: typer.Typer) -> None:
    """Register the command."""
    app.command("verify")(verify)


def verify(
    file: Annotated[
        str, typer.Argument(help="JSON that holds witnesses: of audit or check, or a report's; - for stdin.")
    ],
) -> None:
    """Verify every witness in a JSON file: exit code 0 if each stands, 1 if one does not."""
    from dpverify.witnesses import verify_witness

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise Misuse(f"Expected a JSON file at {file}: {error.strerror}.") from None
    except ValueError as error:
        raise Misuse(f"Expected JSON in {file}: {error}.") from None
    failed = count = 0
    bare = isinstance(document, dict) and "kind" in document and "verdict" not in document
    for name, exact in [("witness", document)] if bare else witnesses(document, "witness"):
        count += 1
        try:
            stands, why = verify_witness(exact), _against(exact)
        except (KeyError, TypeError, ValueError) as error:
            stands, why = False, f" ({type(error).__name__}: {error})"
        failed += not stands
        say(f"{name}\t{exact.get('kind')}\t{'stands' if stands else 'DOES NOT STAND'}{why}")
    if not count:
        raise Misuse(
            f"Expected a witness in {file}, an object with 'let', 'then' and 'exact': there is none."
        )
    raise typer.Exit(REFUTED if failed else AS_EXPECTED)


def _against(exact: dict[str, Any]) -> str:
    """What a record speaks against, said from what was verified: the texts beside it are anybody's."""
    if exact["kind"] == "point":
        from dpverify.proving.codec import comparison_from_json, from_json

        point = ", ".join(f"{from_json(name)} = {from_json(value)}" for name, value in exact["at"])
        return f": not {comparison_from_json({**exact, 'given': []})} at {point}"
    if exact["kind"] == "one run":
        shown = ", ".join(f"({epsilon:g}, {delta:.3g})-DP" for epsilon, delta in exact["profile"][:SHOWN])
        return f": not {shown}{', ...' * (len(exact['profile']) > SHOWN)}"
    if exact["kind"] == "event":
        claim = exact["claim"]
        epsilon = math.log(max(ratio for ratio, q in zip(claim["ratios"], claim["q"]) if q > 0))
        return f": not a claim whose largest epsilon is {epsilon:.4g}, with delta = {claim['p'][-1]:.3g}"
    if exact["kind"] == "comparison":
        return f": not {exact['left']} {exact['stated']} {exact['right']}"
    return ""


def witnesses(value: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every witness in a JSON value, each with the nearest name above it; those of the steps of a result are
    its own.

    >>> list(witnesses({"id": "p/x", "witness": {"let": {}, "exact": {"kind": "point"}}}, ""))
    [('p/x', {'kind': 'point'})]
    """
    if isinstance(value, dict):
        name = next((value[key] for key in ("id", "target", "bug", "law") if key in value), name)
        if isinstance(value.get("exact"), dict) and "let" in value:
            if value["exact"]:
                yield name, value["exact"]
        else:
            for part in value.values():
                yield from witnesses(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from witnesses(part, name)
