"""Rigorous evaluation of expressions in ball arithmetic (Arb): every number comes with a proven radius.

sign(log(2) - 7/10, {}) = -1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

PRECISIONS = (64, 192, 640, 2560)
LONGEST_EXPONENT = 2**256  # beyond this size an exponent is not made a whole number of Python's
LARGEST = 4096  # beyond this size numbers are not substituted exactly: they may be exponents


class Unknown(ArithmeticError):
    """The expression has no value here, or holds something that cannot be evaluated rigorously."""


def rational(value: Any) -> fmpq:
    """A SymPy rational or Python number as an exact fmpq."""
    r = value if isinstance(value, sp.Rational) else sp.Rational(value)
    return fmpq(int(r.p), int(r.q))


def ball(expression: Any, at: Mapping[Any, Any] | None = None, bits: int = 192) -> arb:
    """A ball that surely contains the value of the expression at the point (numbers, fmpq or balls for the
    symbols).

    >>> x = sp.Symbol("x")
    >>> ball(sp.exp(x), {x: 0}) == 1
    True
    """
    old = ctx.prec
    ctx.prec = bits
    try:
        return _ball(sp.sympify(expression), at if isinstance(at, _Balls) else _Balls(at or {}))
    finally:
        ctx.prec = old


class _Balls(dict[Any, arb]):
    """A point whose numbers become balls when they are looked up: few of them stand in one expression."""

    def __init__(self, numbers: Mapping[Any, Any]):
        super().__init__()
        self.numbers = numbers

    def __missing__(self, key: Any) -> arb:
        value = self.numbers[key]
        self[key] = value = value if isinstance(value, arb) else arb(rational(value))
        return value


def bind(expression: Any, index: sp.Symbol, value: Any) -> Any:
    """The expression with the free occurrences of the index replaced; sums that bind the same name keep
    theirs.

    >>> t, q = sp.Symbol("t"), sp.IndexedBase("q")
    >>> bind(q[t] + sp.Sum(q[t], (t, 1, 2)), t, sp.Integer(5)) == q[5] + sp.Sum(q[t], (t, 1, 2))
    True
    """
    e = sp.sympify(expression)
    if index not in e.free_symbols:
        return e
    if not any(limit[0] == index for total in e.atoms(sp.Sum, sp.Product) for limit in total.limits):
        return e.xreplace({index: value})
    if isinstance(e, sp.Sum | sp.Product):
        bound = [limit[0] for limit in e.limits]
        limits = [(limit[0], *[bind(end, index, value) for end in limit[1:]]) for limit in e.limits]
        return e.func(e.function if index in bound else bind(e.function, index, value), *limits)
    return e.func(*[bind(arg, index, value) for arg in e.args])


def _integer(value: arb, what: Any) -> int:
    exact = value.unique_fmpz()
    if exact is None:
        raise Unknown(f"{what} is not decided to be an integer")
    return int(exact)


Value = Callable[[Mapping[Any, arb]], arb]


def _ball(e: Any, at: Mapping[Any, arb]) -> arb:
    return _value(e)(at)


@lru_cache(maxsize=20_000)
def _value(e: Any) -> Value:
    """The expression as a function of the point; the same expression is evaluated at many points."""
    if isinstance(e, sp.Rational):
        number = fmpq(int(e.p), int(e.q))
        return lambda at: arb(number)
    if isinstance(e, sp.Symbol):
        return partial(_looked_up, e)
    if isinstance(e, sp.Add | sp.Mul):
        first, *rest = map(_value, e.args)
        return partial(_total if isinstance(e, sp.Add) else _product, first, rest)
    if isinstance(e, sp.Pow):
        return _power(e)
    if isinstance(e, sp.exp):
        inner = _value(e.args[0])
        return lambda at: inner(at).exp()
    if isinstance(e, sp.Sum | sp.Product):
        return partial(_fold, e)
    if isinstance(e, sp.Piecewise):
        return partial(_branch, e)
    if isinstance(e, sp.Indexed):
        return partial(_entry, e)
    return partial(_function, e)


def _looked_up(e: Any, at: Mapping[Any, arb]) -> arb:
    try:
        return at[e]
    except KeyError:
        raise Unknown(f"no value for {e}") from None


def _total(first: Value, rest: list[Value], at: Mapping[Any, arb]) -> arb:
    total = first(at)
    for value in rest:
        total += value(at)
    return total


def _product(first: Value, rest: list[Value], at: Mapping[Any, arb]) -> arb:
    product = first(at)
    for value in rest:
        product *= value(at)
    return product


def _branch(e: sp.Piecewise, at: Mapping[Any, arb]) -> arb:
    for value, condition in e.args:
        holds = truth(condition, at)
        if holds is None:
            raise Unknown(f"the branch {condition} is not decided")
        if holds:
            return _ball(value, at)
    raise Unknown("no branch of a Piecewise holds")


def _entry(e: sp.Indexed, at: Mapping[Any, arb]) -> arb:
    try:
        return at[e]
    except KeyError:
        pass
    return _looked_up(e.base[tuple(sp.Integer(_integer(_ball(i, at), i)) for i in e.indices)], at)


def _power(e: sp.Pow) -> Value:
    base, exponent = _value(e.base), e.exp
    if not exponent.is_Rational:
        return partial(_symbolic_power, e, base, _value(exponent))
    p, q = int(exponent.p), int(exponent.q)
    if q == 1:
        return lambda at: base(at) ** p
    if q == 2:
        return lambda at: _root_domain(base(at), e).sqrt() ** p
    return lambda at: _root_domain(base(at), e).root(q) ** p


def _symbolic_power(e: sp.Pow, base_of: Value, exponent_of: Value, at: Mapping[Any, arb]) -> arb:
    base, power = base_of(at), exponent_of(at)
    if power.rad() == 0 and abs(power) < LONGEST_EXPONENT and (whole := power.unique_fmpz()) is not None:
        return base ** int(whole)
    if not base > 0:
        raise Unknown(f"{e} needs a positive base, or a whole exponent that is not huge")
    return (power * base.log()).exp()


def _root_domain(base: arb, e: Any) -> arb:
    if base < 0:
        raise Unknown(f"{e} is a root of a negative number")
    if base >= 0:
        return base
    # a ball that straddles 0: the admissible part of it
    top = base.mid() + base.rad()
    return (top / 2) + arb(0, (top / 2).upper())


def _fold(e: Any, at: Mapping[Any, arb]) -> arb:
    *inner, (index, low, high) = e.limits  # the last limit is the outermost
    body = e.func(e.function, *inner) if inner else e.function
    a, b = _integer(_ball(low, at), low), _integer(_ball(high, at), high)
    if b - a > 20_000:
        raise Unknown(f"{e} has {b - a + 1} terms")
    result = arb(0) if isinstance(e, sp.Sum) else arb(1)
    for i in range(a, b + 1):
        term = _ball(bind(body, index, sp.Integer(i)), at)
        result = result + term if isinstance(e, sp.Sum) else result * term
    return result


def _lambert(x: arb) -> arb:
    return x.lambertw()


_UNARY: dict[str, Callable[[arb], arb]] = {
    "log": arb.log,
    "Abs": abs,
    "erf": arb.erf,
    "erfc": arb.erfc,
    "sin": arb.sin,
    "cos": arb.cos,
    "tan": arb.tan,
    "cot": arb.cot,
    "atan": arb.atan,
    "asinh": arb.asinh,
    "coth": arb.coth,
    "loggamma": arb.lgamma,
    "sinh": arb.sinh,
    "cosh": arb.cosh,
    "tanh": arb.tanh,
    "gamma": arb.gamma,
    "LambertW": _lambert,
}


def _function(e: Any, at: Mapping[Any, arb]) -> arb:
    if e is sp.pi:
        return arb.pi()
    if e is sp.E:
        return arb(1).exp()
    name = type(e).__name__
    if name == "LambertW" and len(e.args) == 2 and e.args[1] == -1:
        return _ball(e.args[0], at).lambertw(branch=-1)
    if name in _UNARY and len(e.args) == 1:
        x = _ball(e.args[0], at)
        if name in ("log", "gamma", "loggamma") and not x > 0:
            raise Unknown(f"{e} needs a positive argument")
        return _UNARY[name](x)
    if name in ("Max", "Min"):
        values = [_ball(arg, at) for arg in e.args]
        result = values[0]
        for value in values[1:]:
            result = result.max(value) if name == "Max" else result.min(value)
        return result
    if name in ("floor", "ceiling"):
        x = _ball(e.args[0], at)
        rounded = x.floor() if name == "floor" else x.ceil()
        if rounded.unique_fmpz() is None:
            raise Unknown(f"{e} is not decided")
        return rounded
    if name == "sign":
        x = _ball(e.args[0], at)
        if x > 0:
            return arb(1)
        if x < 0:
            return arb(-1)
        if x == 0:
            return arb(0)
        raise Unknown(f"{e} is not decided")
    if name == "factorial":
        number = _integer(_ball(e.args[0], at), e.args[0])
        if not 0 <= number <= 20_000:
            raise Unknown(f"{e} needs a whole number that is not negative, and not huge")
        return (arb(number) + 1).gamma()
    if name == "binomial":
        n, k = (_ball(arg, at) for arg in e.args)
        whole = _integer(k, e)
        if not 0 <= whole <= 20_000:
            raise Unknown(f"{e} needs a whole lower number that is not negative, and not huge")
        return arb.bin(n, whole)
    if name == "Mod":
        whole, modulus = (_integer(_ball(arg, at), arg) for arg in e.args)
        if modulus == 0:
            raise Unknown(f"{e} has the modulus 0")
        return arb(whole % modulus)
    raise Unknown(f"no rigorous value for {name} in {e}")


def truth(condition: Any, at: Mapping[Any, Any]) -> bool | None:
    """Whether a comparison holds at the point: True, False, or None if the balls cannot tell.

    >>> x = sp.Symbol("x")
    >>> truth(x**2 < 2, {x: sp.Rational(14, 10)})
    True
    """
    if condition is sp.true or condition is True:
        return True
    if condition is sp.false or condition is False:
        return False
    if isinstance(condition, sp.And | sp.Or):
        parts = [truth(arg, at) for arg in condition.args]
        decisive = isinstance(condition, sp.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(condition, sp.Not):
        inner = truth(condition.args[0], at)
        return None if inner is None else not inner
    if not isinstance(condition, sp.core.relational.Relational):
        return None
    s = sign(_excess(condition), at)
    if s is None:
        return None
    kind = type(condition).__name__
    return {
        "StrictLessThan": s < 0,
        "LessThan": s <= 0,
        "StrictGreaterThan": s > 0,
        "GreaterThan": s >= 0,
        "Equality": s == 0,
        "Unequality": s != 0,
    }[kind]


@lru_cache(maxsize=4096)
def _excess(comparison: Any) -> Any:
    return comparison.lhs - comparison.rhs


@lru_cache(maxsize=4096)
def _exact_zero(expression: Any) -> bool:
    """Whether a constant expression is exactly 0, decided by algebra (a Rational, or a minimal
    polynomial).
    """
    if expression.is_Rational:
        return expression == 0
    if expression.has(sp.Sum, sp.Product):
        return False  # SymPy has another convention for empty ranges
    radicals = {p for p in expression.atoms(sp.Pow) if p.exp.is_Rational and not p.exp.is_Integer}
    if sp.prod([p.exp.q for p in radicals]) > 16:
        return False  # the degree of a minimal polynomial would be out of reach
    try:
        simple = sp.simplify(expression)
        if simple.is_Rational:
            return simple == 0
        if simple.is_algebraic:
            return sp.minimal_polynomial(simple, sp.Symbol("z")) == sp.Symbol("z")
    except (NotImplementedError, ValueError, sp.PolynomialError, TypeError):
        pass
    return False


def sign(
    expression: Any,
    at: Mapping[Any, Any] | None = None,
    zero: bool = True,
    precisions: Sequence[int] = PRECISIONS,
) -> int | None:
    """The sign (-1, 0, 1) of the expression at an exact point, proved; None if it cannot be decided.

    Without `zero`, no algebra is spent on deciding that it is 0 (None then); with fewer `precisions`, a sign
    that shows only far behind the point is not looked for.

    >>> sign(sp.sqrt(2) ** 2 - 2)
    0
    """
    e = sp.sympify(expression)
    point: Mapping[Any, Any] = {} if at is None else at
    numbers = point.numbers if isinstance(point, _Balls) else point
    inexact = bool(numbers) if numbers is not point else any(isinstance(v, arb) for v in point.values())
    for bits in precisions:
        try:
            value = ball(e, point, bits)
        except Unknown:
            continue
        if value > 0:
            return 1
        if value < 0:
            return -1
        if value == 0:
            return 0
        if inexact:
            return None
        if zero and bits == PRECISIONS[1] and all(abs(sp.Rational(v)) <= LARGEST for v in point.values()):
            constant = e.xreplace({key: sp.Rational(v) for key, v in point.items()})
            if not constant.free_symbols and _exact_zero(constant):
                return 0
    return None
