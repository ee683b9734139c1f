"""What SymPy's calculus and algebra gave to a reduction, replayed by numbers: a second opinion on the rule.

    Slope(f, x, stated)            stated has the sign of f(x + h) - f(x - h), h tiny
    Bend(f, x, stated)             stated has the sign of f(x + h) + f(x - h) - 2 f(x), in x or in log x
    Limit(f, x, end, stated)       f comes near to stated as x comes near to the end
    Quotient(f, x, stated)         stated is near to (f(x + h) - f(x - h)) / 2h, h tiny
    Same(one, other)               they are the same number
    Below(one, other)              the first is at most the second

Each is looked at, in ball arithmetic, at random rational points that meet its hypotheses. A point at which it
surely fails stops the reduction; how many points agreed stands in the certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from dpverify.proving import sampling
from dpverify.proving.domain import Domain
from dpverify.proving.evaluate import Unknown, ball

POINTS = 5
BITS = 512
TINY = sp.Rational(1, 10**30)
NEAR = (12, 24, 48)  # decimal digits by which a limit is approached


def _sign(value: arb) -> int:
    """1 or -1 if that is sure, else 0."""
    return 1 if value > 0 else -1 if value < 0 else 0


@dataclass(frozen=True)
class _OfFunction:
    """Something is stated of a function of a variable."""

    function: Any
    variable: Any
    stated: Any
    given: Sequence[Any] = ()

    @property
    def expressions(self) -> list[Any]:
        return [self.function, self.stated]


@dataclass(frozen=True)
class _OfTwo:
    """Something is stated of two numbers."""

    one: Any
    other: Any
    given: Sequence[Any] = ()

    @property
    def expressions(self) -> list[Any]:
        return [self.one, self.other]


@dataclass(frozen=True)
class _Sign(_OfFunction):
    """The stated expression has the sign of a change of the function near a point."""

    def agrees(self, function: Any, stated: Any, point: dict[Any, Any]) -> bool:
        """Whether the two have the same sign at the point, as far as it shows."""

        def value(x: Any) -> arb:
            return ball(function, {**point, self.variable: x}, BITS)

        return _sign(self.change(value, point[self.variable])) * _sign(ball(stated, point, BITS)) >= 0

    def change(self, value: Callable[[Any], arb], x: Any) -> arb:
        """A difference of values near x that has the sign in question."""
        raise NotImplementedError


@dataclass(frozen=True)
class Slope(_Sign):
    """The stated expression has the sign of the derivative of the function."""

    def change(self, value: Callable[[Any], arb], x: Any) -> arb:
        step = TINY * (abs(x) or 1)
        return value(x + step) - value(x - step)


@dataclass(frozen=True)
class Bend(_Sign):
    """The stated expression has the sign of the second derivative of the function in x, or in log x."""

    in_log: bool = False

    def change(self, value: Callable[[Any], arb], x: Any) -> arb:
        step = TINY * (abs(x) or 1)
        up, down = (x * (1 + TINY), x / (1 + TINY)) if self.in_log else (x + step, x - step)
        return value(up) + value(down) - 2 * value(x)


@dataclass(frozen=True)
class Limit:
    """The function comes near to the stated value as the variable comes near to the end from inside."""

    function: Any
    variable: Any
    end: Any
    side: int  # 1 if the end is approached from above
    stated: Any
    given: Sequence[Any] = ()
    may_grow: bool = True  # 1 may stand for a function that grows without bound

    @property
    def expressions(self) -> list[Any]:
        hidden = {self.variable: sp.Dummy(real=True)}
        return [self.function.xreplace(hidden), self.stated, self.end]

    def agrees(self, function: Any, stated: Any, point: dict[Any, Any]) -> bool:
        """Whether the distance from the stated value falls."""
        end = self.end.xreplace(point)
        if not end.is_finite:
            places = [self.side * -1 * sp.Integer(10) ** digits for digits in NEAR]
        elif end.is_Rational:
            places = [end + self.side * sp.Rational(1, 10**digits) for digits in NEAR]
        else:
            return True
        aim = ball(self.stated, point, BITS)
        values = [ball(self.function, {**point, self.variable: place}, BITS) for place in places]
        _, farther, near = (abs(value - aim) for value in values)
        lost = near > arb("1e-6") * (1 + abs(aim)) and bool(near > arb("0.99") * farther)
        return not lost or (self.may_grow and self.stated == 1 and bool(values[-1] > values[0]))


@dataclass(frozen=True)
class Quotient(_OfFunction):
    """The stated expression is the derivative of the function."""

    def agrees(self, function: Any, stated: Any, point: dict[Any, Any]) -> bool:
        """Whether a difference quotient comes near to it."""
        x = point[self.variable]
        step = TINY * (abs(x) or 1)
        up, down = (ball(function, {**point, self.variable: x + sign * step}, BITS) for sign in (1, -1))
        aim, rate = ball(stated, point, BITS), (up - down) / (2 * ball(step, {}, BITS))
        return not abs(rate - aim) > arb("1e-9") * (1 + abs(aim))


@dataclass(frozen=True)
class Same(_OfTwo):
    """Two expressions for one number."""

    def agrees(self, one: Any, other: Any, point: dict[Any, Any]) -> bool:
        """Whether they may be equal at the point."""
        return _sign(ball(one, point, BITS) - ball(other, point, BITS)) == 0


@dataclass(frozen=True)
class Below(_OfTwo):
    """One number is at most the other, by an inequality that a rule names."""

    def agrees(self, one: Any, other: Any, point: dict[Any, Any]) -> bool:
        """Whether it may be so at the point."""
        return _sign(ball(one, point, BITS) - ball(other, point, BITS)) <= 0


Replay = Below | Slope | Bend | Limit | Quotient | Same


def replayed(replays: Sequence[Replay], seed: int) -> tuple[int, str]:
    """At how many points the replays agreed, and the first one that does not, in words.

    >>> x = sp.Symbol("x", positive=True)
    >>> replayed([Slope(sp.log(x), x, 1 / x), Slope(x**3, x, 3 * x**2)], 0)
    (10, '')
    >>> replayed([Same(sp.exp(2 * x), sp.exp(x) ** 2 + 1)], 0)[1].startswith("exp(2*x)")
    True
    """
    agreed = 0
    for replay in replays:
        for point, parts in _points(replay, seed):
            try:
                with ctx.workprec(BITS):
                    agrees = replay.agrees(parts[0], parts[1], point)
            except (Unknown, KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError):
                continue  # no number there: no opinion
            if not agrees:
                where = ", ".join(f"{name} = {value}" for name, value in point.items())
                return (
                    agreed,
                    f"{sp.sstr(replay.expressions[0])} and {sp.sstr(replay.expressions[1])} at {where}",
                )
            agreed += 1
    return agreed, ""


def _points(replay: Replay, seed: int) -> Iterator[tuple[dict[Any, Any], list[Any]]]:
    """Random points, and the expressions there with the entries of sequences written out."""
    domain = Domain(replay.expressions, [g for g in replay.given if g is not sp.true])
    for point in sampling.points(domain, POINTS, np.random.default_rng(seed + 7)):
        yield point, domain.at(point)
