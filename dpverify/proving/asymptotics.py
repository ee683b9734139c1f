"""Theta, O and Omega: with constants, two inequalities; without, a scan of the ratio along a limit, and its
divergence if it has one.

lower * scale <= expression <= upper * scale no constant serves if expression/scale -> oo (for O) or -> 0 (for
Omega) at some admissible values of the other symbols: the limit is SymPy's, and the ratio is evaluated in
ball arithmetic at points that go towards it
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import Unknown, ball
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Scanned, Ways
from dpverify.relations import AtMost, Theta
from dpverify.verdicts import SUPPORTED, Evidence, Result, Witness

HANDLES = (Theta,)
POWERS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 40, 80, 160)  # of ten, by which a point goes towards the limit
NEARBY = (0, 1, 2, 3, 5, 7)  # a whole number near it is scanned too: odd, even, and other residues
PARTS = (sp.Integer(1), sp.Rational(11, 7), sp.Rational(29, 9), sp.Rational(57, 8))  # of a real number
DRIFT = (
    1.5  # a bounded ratio may grow by this factor over the second half of the scan, a logarithm grows by more
)
PLACES = 6  # values of the other symbols at which the ratio is scanned


def attempt(relation: Theta, effort: Effort) -> Outcome:
    """The inequalities, or a scan."""
    if relation.constants:
        sides = tuple(
            (c, "the lower side" if c.rhs is relation.expression else "the upper side")
            for c in consequences(relation)
        )
        return Ways([Reduction(sides, "both sides with their constants")])
    found = _scan(relation, effort)
    return GaveUp(found) if isinstance(found, str) else Scanned(found)


def consequences(relation: Theta) -> Iterator[AtMost]:
    """With constants: the inequalities themselves."""
    if relation.constants:
        if relation.lower is not None:
            yield AtMost(relation.lower * relation.scale, relation.expression, relation.given)
        if relation.upper is not None:
            yield AtMost(relation.expression, relation.upper * relation.scale, relation.given)


def _towards(end: Any, power: int, side: int, whole: bool = False) -> list[Any]:
    """Points on the way to the limit: a power of ten first, then others of its size."""
    step = sp.Integer(10) ** power
    sizes = [step + k for k in NEARBY] if whole else [step * part for part in PARTS]
    if end in (sp.oo, -sp.oo):
        return [size if end is sp.oo else -size for size in sizes]
    return [end + side / size for size in sizes]


def _places(relation: Theta, effort: Effort) -> Iterator[tuple[Any, dict[Any, Any], list[Any], list[Any]]]:
    """The ratio, admissible values of the other symbols, and admissible points on the way to the limit:
    powers of ten, and all of them.
    """
    assert relation.towards is not None
    N, end = relation.towards[0], sp.sympify(relation.towards[1])
    domain = Domain([relation.expression, relation.scale], relation.given)
    expression, scale = domain.expressions
    if N not in domain.symbols:
        return
    others = [s for s in domain.symbols if s != N]
    rng = np.random.default_rng(effort.seed + 11)
    found = 0
    for k in range(40 * PLACES):
        if found == PLACES or (not others and found):
            return
        values = {}
        for s in others:
            simple = domain.choices(s)
            values[s] = simple[(k // 2) % len(simple)] if k % 2 == 0 and simple else domain.draw(s, rng)
        for side in (1, -1) if end.is_finite else (1,):
            whole = bool(N.is_integer)
            near = [_towards(end, power, side, whole) for power in POWERS]
            groups = [[p for p in group if domain.holds(values | {N: p})] for group in near]
            plain = [group[0] for group, all_ in zip(groups, near) if group and group[0] == all_[0]]
            if len(plain) >= len(POWERS) // 2:
                found += 1
                yield expression / scale, values, plain, [p for group in groups for p in group]


def _ratios(ratio: Any, values: dict[Any, Any], N: Any, points: list[Any]) -> list[tuple[Any, float]]:
    """The ratio at the points where it can be evaluated, exactly 0 or with its sign."""
    result = []
    for point in points:
        try:
            value = ball(ratio, values | {N: point}, 640)
            if value == 0 or (value.is_finite() and value.rad() < abs(value.mid()) / 1000):
                result.append((point, float(value.mid())))
        except (Unknown, OverflowError):
            continue
    return [(p, v) for p, v in result if np.isfinite(v)]


def _rising(ratio: Any, values: dict[Any, Any], N: Any, points: list[Any]) -> list[tuple[Any, float]]:
    """The last points at which the ratio is positive."""
    return [(p, v) for p, v in _ratios(ratio, values, N, points) if v > 0][-3:]


def _scan(relation: Theta, effort: Effort) -> Result | str:
    if relation.towards is None:
        return "no limit is named in which the claim is meant"
    if refute(relation, effort) is not None:  # a slow divergence may hide from a scan
        return "the ratio to the scale leaves every bound"
    N, scanned, widest = relation.towards[0], 0, 1.0
    for ratio, values, _, points in _places(relation, effort):
        seen = _ratios(ratio, values, N, points)
        if len(seen) < 4 * (len(points) // len(POWERS)):
            continue
        if (below := next((p for p, v in seen if v < 0), None)) is not None:
            return (
                f"O, Omega and Theta are modelled for expressions and scales that are not negative, and "
                f"the ratio is negative at {N} = {_short(below)}"
            )
        early, late = [v for _, v in seen[: len(seen) // 2]], [v for _, v in seen[len(seen) // 2 :]]
        if relation.lower is not None and (min(late) == 0 or min(early) == 0):
            zero = next(p for p, v in seen if v == 0)
            return f"the ratio to the scale is 0 at {N} = {_short(zero)}"
        for claimed, growth in (
            (relation.upper, max(late) / max(early) if max(early) else np.inf if max(late) else 1.0),
            (relation.lower, min(early) / min(late) if relation.lower is not None else 1.0),
        ):
            if claimed is not None:
                if growth > DRIFT:
                    return (
                        f"the ratio to the scale drifts by a factor {growth:.3g} over the second half "
                        "of a scan"
                    )
                widest = max(widest, growth)
        scanned += len(seen)
    if scanned < 4:
        return "the ratio could not be evaluated on the way to the limit"
    ceiling = (
        f"a ratio that drifts by more than a factor {DRIFT} between the halves of a scan up to "
        f"10^{POWERS[-1]} would have been seen"
    )
    because = (
        f"the ratio to the scale drifts by a factor {widest:.3g} at most at {scanned} points towards "
        f"{N} -> {relation.towards[1]}"
    )
    return Result(
        SUPPORTED,
        because,
        Evidence("asymptotics", {"drift": widest}, samples=scanned, seed=effort.seed, ceiling=ceiling),
    )


def refute(relation: Theta, effort: Effort) -> Witness | None:
    """Values of the other symbols at which the ratio tends to oo, or to 0."""
    if relation.constants or relation.towards is None:
        return None
    N, end = relation.towards[0], sp.sympify(relation.towards[1])
    for ratio, values, plain, _ in _places(relation, effort):
        exact = {
            "kind": "asymptotics",
            "expression": to_json(relation.expression),
            "scale": to_json(relation.scale),
            "given": [to_json(g) for g in relation.given],
            "over": to_json(N),
            "end": to_json(end),
            "at": [[to_json(s), to_json(v)] for s, v in values.items()],
            "points": [to_json(p) for p, _ in _rising(ratio, values, N, plain)],
        }
        for claimed, limit, sign in ((relation.upper, sp.oo, "<="), (relation.lower, sp.Integer(0), ">=")):
            if claimed is not None and verify(exact | {"limit": to_json(limit)}):
                seen = _rising(ratio, values, N, plain)
                figures = ", ".join(f"{v:.4g} at {N} = {_short(p)}" for p, v in seen)
                then = (
                    f"({sp.sstr(relation.expression)})/({sp.sstr(relation.scale)}) is {figures}, and "
                    f"tends to {limit} as {N} -> {end}"
                )
                let = {sp.sstr(s): str(v) for s, v in values.items()} or {sp.sstr(N): f"-> {end}"}
                contradicts = (
                    f"{sp.sstr(relation.expression)} {sign} C*({sp.sstr(relation.scale)}) for some "
                    "constant C > 0"
                )
                because = "the limit was computed by SymPy, the figures by ball arithmetic"
                return Witness(let, then, contradicts, exact | {"limit": to_json(limit)}, because)
    return None


def _short(p: Any) -> str:
    return str(p) if len(str(p)) <= 12 else f"{sp.N(p, 3)}"


def verify(exact: dict[str, Any]) -> bool:
    """Whether the ratio tends to oo or 0, from the record alone: the points are admissible, the ratio moves
    there, the limit agrees.
    """
    expression, scale, N, end, limit = (
        from_json(exact[key]) for key in ("expression", "scale", "over", "end", "limit")
    )
    values = {from_json(s): from_json(v) for s, v in exact["at"]}
    points = [from_json(p) for p in exact["points"]]
    domain = Domain([expression, scale], [from_json(g) for g in exact["given"]])
    if limit not in (sp.oo, 0) or len(points) < 3 or not all(domain.holds(values | {N: p}) for p in points):
        return False
    distances = [abs(p) if end in (sp.oo, -sp.oo) else 1 / abs(p - end) for p in points]
    ratio = domain.expressions[0] / domain.expressions[1]
    seen = [v for _, v in _ratios(ratio, values, N, points) if v > 0]
    moves = [b > a if limit is sp.oo else b < a for a, b in itertools.pairwise(seen)]
    if len(seen) != len(points) or not all(moves) or not all(a < b for a, b in itertools.pairwise(distances)):
        return False
    side = "-" if end is sp.oo or (end.is_finite and points[-1] < end) else "+"
    found = _limit(ratio.xreplace(values), N, end, side)
    return found == limit


@lru_cache(maxsize=256)
def _limit(ratio: Any, N: sp.Symbol, end: Any, side: str) -> Any | None:
    """SymPy's limit, None if it has none; the scan, the refutation and the verification of its record all ask
    for the same one.
    """
    n = sp.Dummy("N", positive=True) if end is sp.oo else sp.Dummy("N", real=True)
    try:
        return sp.limit(sp.simplify(ratio.xreplace({N: n})), n, end, side)
    except (NotImplementedError, ValueError, TypeError, sp.PoleError, RecursionError, AttributeError):
        return None
