"""The witness against O or Omega: a path on which no constant serves, verified from its record alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import sympy as sp

from dpverify.effort import QUICK
from dpverify.proving.assumptions import admits
from dpverify.proving.codec import from_json
from dpverify.proving.convergence import Growth, Open
from dpverify.proving.evaluate import Unknown, ball, sign
from dpverify.proving.order_paths import Path
from dpverify.relations import AtMost, Equal, Order
from dpverify.verdicts import PROVED, Witness


def witness_of(order: Order, side: str, path: Path, exact: dict[str, Any], t: sp.Symbol) -> Witness:
    """A path, and the record that shows that no constant serves on it, as a witness for people.

    >>> from dpverify.relations import BigO
    >>> N, t = sp.Symbol("N", positive=True), sp.Symbol("t", integer=True, positive=True)
    >>> witness_of(BigO(N**2, N), "upper", {N: t}, {"start": 2, "limit": True}, t).contradicts
    'N**2 <= c*(N) for some constant c > 0'
    """
    limit = "oo" if side == "upper" else "0"
    ratio = f"({sp.sstr(order.expression)})/({sp.sstr(order.scale)})"
    figures = ", ".join(f"{v:.4g} at {t} = {x}" for x, v in _figures(order, path, t))
    sign = "<=" if side == "upper" else ">="
    hidden = ", whatever the power of the hidden logarithms" if order.hiding else ""
    because = (
        f"the limit follows from the leading terms, the figures are ball arithmetic{hidden}"
        if "limit" in exact
        else _growth(exact, side) + hidden
    )
    return Witness(
        {sp.sstr(s): sp.sstr(v) for s, v in path.items()}
        | {str(t): f"{exact['start']}, {exact['start'] + 1}, ..."},
        f"{ratio} is {figures}, and tends to {limit} as {t} -> oo",
        f"{sp.sstr(order.expression)} {sign} c*({sp.sstr(order.scale)}) for some constant c > 0",
        exact,
        because,
    )


def _growth(exact: dict[str, Any], side: str) -> str:
    rate, constant = from_json(exact["rate"]), from_json(exact["constant"])
    small, large = ("scale", "expression") if side == "upper" else ("expression", "scale")
    return (
        f"({sp.sstr(rate)})*{small} <= {sp.sstr(constant)}*{large} on the path, which was proved for "
        f"every {from_json(exact['over'])}"
    )


def _figures(order: Order, path: Path, t: sp.Symbol) -> Iterator[tuple[str, float]]:
    ratio = sp.sympify(order.expression).xreplace(path) / sp.sympify(order.scale).xreplace(path)
    for power in (2, 4, 8):
        try:
            yield f"10^{power}", float(ball(ratio, {t: sp.Integer(10) ** power}).mid())
        except (Unknown, OverflowError):
            continue


def verify(exact: dict[str, Any]) -> bool:
    """Whether no constant serves, from the record alone: the path meets every hypothesis for every whole t
    from the start, the scale is positive there, and the ratio leaves every bound.
    """
    expression, scale, t = (from_json(exact[key]) for key in ("expression", "scale", "over"))
    given = [from_json(g) for g in exact["given"]]
    path = {from_json(s): from_json(v) for s, v in exact["path"]}
    hiding = [from_json(u) for u in exact["hiding"]]
    start = exact["start"]
    side = exact["side"]
    sense = exact["sense"]
    if type(start) is not int or start < 2 or side not in ("upper", "lower") or sense not in (1, -1):
        return False
    if any(path[from_json(s)].free_symbols for s in exact["of"] if from_json(s) in path):
        return False  # the constants may depend on these: they stand still
    names = {s for e in (expression, scale, *given, *hiding) for s in sp.sympify(e).free_symbols}
    if not names <= set(path) or any(v.free_symbols - {t} for v in path.values()):
        return False
    if not (t.is_integer and t.is_positive) or t in names:
        return False
    value, size = (sense * expression.xreplace(path), scale.xreplace(path))
    later = (sp.Ge(t, start),)
    if not _within(path, given, later):
        return False
    # Where |expression|/|scale| grows beyond all bounds, |expression| <= c scale fails whatever the signs
    # are.
    signless = side == "upper" and "limit" in exact
    if not signless and not _holds(AtMost(0, size, later, strict=True)):
        return False
    hidden = [u.xreplace(path) for u in hiding]
    if not all(_holds(AtMost(1, u, later)) for u in hidden):
        return False
    if "limit" in exact:
        return _diverges(value, size, hidden, t, side)
    rate, constant = from_json(exact["rate"]), from_json(exact["constant"])
    base, power = rate.as_base_exp()
    slow = base in (sp.log(t), sp.log(sp.log(t))) and not hiding
    unbounded = (base == t or slow) and power.is_Rational and power > 0
    if not (unbounded and constant.is_Rational and constant > 0):
        return False
    for u, (number, degree) in zip(hidden, exact["sizes"], strict=True):
        if not _holds(AtMost(u, sp.Rational(number) * t ** int(degree), later)):
            return False
    small, large = (size, value) if side == "upper" else (value, size)
    ways = (AtMost(small, constant * large / rate, later), AtMost(rate * small, constant * large, later))
    return any(map(_holds, ways))


@lru_cache(maxsize=1024)  # a record is verified when it is made, and again when the verdict is printed
def _holds(relation: AtMost | Equal) -> bool:
    from dpverify.proving.deciding import prove_step

    return prove_step(relation, QUICK).verdict is PROVED


def _within(path: Mapping[Any, Any], given: list[Any], later: tuple[Any, ...]) -> bool:
    """Whether the path meets the assumptions on the symbols and the hypotheses, for every t from the
    start.
    """
    from dpverify.proving.instances import assumed
    from dpverify.proving.proof import as_relation

    for s, v in path.items():
        if v.is_Rational:
            if not admits(s, v):
                return False
            continue
        if s.is_integer and not v.is_integer:
            return False
        if any(s.assumptions0.get(name) for name in ("even", "odd", "prime", "composite", "noninteger")):
            return False
        if s.is_rational and not v.is_rational:
            return False
        if s.is_nonzero and not (s.is_positive or s.is_negative):
            return False
        for condition in assumed(s, v):
            if not _holds(AtMost(condition.lhs, condition.rhs, later, strict=condition.strict)):
                return False
    for g in given:
        placed = sp.sympify(g).xreplace(path)
        if placed is sp.true:
            continue
        if not isinstance(placed, sp.core.relational.Relational) or isinstance(placed, sp.Ne):
            return False
        relation = as_relation(placed)
        if isinstance(relation, Equal):
            if not _holds(Equal(relation.derived, relation.stated, later)):
                return False
        elif not _holds(AtMost(relation.lhs, relation.rhs, later, strict=relation.strict)):
            return False
    return True


def _diverges(value: Any, scale: Any, hidden: list[Any], t: sp.Symbol, side: str) -> bool:
    """Whether the rules of `convergence` give that the ratio leaves every bound, and balls see it move; where
    logarithms are hidden, faster than every power of them.
    """
    ratio = value / scale if side == "upper" else scale / value
    seen = []
    for power in (4, 10, 40):
        try:
            number = ball(ratio, {t: sp.Integer(10) ** power}, 640)
        except (Unknown, OverflowError):
            return False
        if not (number.is_finite() and number > 0):
            return False
        seen.append(number)
    if not (seen[0] < seen[1] < seen[2]):
        return False
    if hidden:
        ratio = sp.log(ratio) / (1 + sum(sp.log(1 + sp.log(u)) for u in hidden))
    return _grows(ratio, t)


@lru_cache(maxsize=256)
def _grows(ratio: Any, t: sp.Symbol) -> bool:
    """Whether the rules of `convergence` say that the ratio, which has no parameters, leaves every bound."""

    def proved_sign(constant: Any) -> int:
        found = sign(constant)
        if found is None:
            raise Open(f"the sign of {sp.sstr(constant)} is not known")
        return found

    y = sp.Dummy("t", positive=True, integer=True)
    try:
        return Growth(y, proved_sign).limit(sp.expand_log(ratio.xreplace({t: y}))) is sp.oo
    except (Open, RecursionError):
        return False
