"""The limit of a formula in y as y grows without bound, by rules whose conditions are proved.

    leading form     f(y) = (c + o(1)) exp(g(y)) y^p log(y)^q loglog(y)^r; a sum has that of the term that
                     grows fastest
    value            0, or infinite, by the signs of g, p, q and r in this order; c if there is nothing else
    of a sum, a product, a continuous function: that of the limits, where these are finite
SymPy's own limits ask for no signs, and are not used. What these rules leave open stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from dpverify.proving.functions import ENTIRE, PARTIAL

ZERO, ONE = sp.Integer(0), sp.Integer(1)
# The values of functions far to the right; far to the left they are the negative of these.
FAR = {sp.erf: ONE, sp.tanh: ONE, sp.coth: ONE, sp.atan: sp.pi / 2}

ODD = (sp.erf, sp.sin, sp.atan, sp.asinh, sp.sinh, sp.tanh)  # f(u) ~ f'(0) u as u comes near to 0


class Open(Exception):
    """The rules do not give the limit; the message says of which part."""


class Lead(NamedTuple):
    """A function that is (factor + o(1)) exp(exponent) y^power log(y)^logs log(log(y))^loglogs; the factor
    may turn out to be 0, where nothing was made of it that needs its sign.
    """

    factor: Any
    exponent: Any = ZERO
    power: Any = ZERO
    logs: Any = ZERO
    loglogs: Any = ZERO

    @property
    def rates(self) -> tuple[Any, ...]:
        """The exponents of y and of its logarithms, the fastest first."""
        return self.power, self.logs, self.loglogs

    def times(self, other: Lead) -> Lead:
        return Lead(self.factor * other.factor, *(sp.expand(a + b) for a, b in zip(self[1:], other[1:])))

    def raised(self, power: Any) -> Lead:
        return Lead(self.factor**power, *(sp.expand(a * power) for a in self[1:]))


class Growth:
    """Limits of formulas in `variable`, which grows; `sign` gives the sign of a constant that it has proved,
    or raises `Open`.

    >>> y, a = sp.symbols("y a", positive=True)
    >>> growth = Growth(y, lambda e: sp.sign(e))
    >>> growth.limit(y**2 * sp.exp(-a * y)), growth.limit((1 + 2 * y) / (3 + y)), growth.limit(sp.log(y) / y)
    (0, 2, 0)
    >>> growth.limit(y * (1 - 2 ** (-1 / y))), growth.limit(y * (sp.exp(1 / y) + sp.exp(-2 / y) - 2))
    (log(2), -1)
    """

    def __init__(self, variable: Any, sign: Callable[[Any], int]):
        self.variable = variable
        self.sign = sign

    def limit(self, e: Any) -> Any:
        """The limit, which may be infinite; or `Open`."""
        y = self.variable
        if not e.has(y):
            return e
        if e == y:
            return sp.oo
        if isinstance(e, sp.Add | sp.Mul):
            try:
                limits = [self.limit(arg) for arg in e.args]
            except Open:
                return self._of_lead(e)
            if all(value.is_finite is not False for value in limits):
                return e.func(*limits)
            return self._of_lead(e)
        if isinstance(e, sp.Pow) and e.exp.has(y):
            return self._exponential(e)
        if isinstance(e, sp.Pow):
            base = self.limit(e.base)
            if base.is_finite is not False and self._continuous_power(base, e.exp):
                return base**e.exp
        if isinstance(e, (*ENTIRE, *PARTIAL)) and (value := self._of_function(e)) is not None:
            return value
        return self._of_lead(e)

    def _of_function(self, e: Any) -> Any:
        """The limit of a function of one argument, by the limit of that; None if it does not give it."""
        if len(e.args) > 1:
            return None
        inner = self.limit(e.args[0])
        if inner.is_finite is not False:
            return e.func(inner) if self._continuous(e, inner) else None
        if isinstance(e, sp.exp):
            return sp.oo if inner == sp.oo else ZERO
        if isinstance(e, sp.erfc):
            return ZERO if inner == sp.oo else sp.Integer(2)
        if type(e) in FAR:
            return FAR[type(e)] if inner == sp.oo else -FAR[type(e)]
        return None

    def _continuous_power(self, base: Any, exponent: Any) -> bool:
        """Whether a power is continuous in its base there; a root at 0 depends on the side from which its
        base comes.
        """
        if exponent.is_integer and exponent.is_positive:
            return True
        if base.is_zero:
            return False
        return self.sign(base) > 0 or bool(exponent.is_integer)

    def _continuous(self, e: Any, inner: Any) -> bool:
        """Whether a function is defined and continuous at the limit of its argument."""
        if isinstance(e, ENTIRE):
            return True
        if isinstance(e, sp.log) and inner.is_zero:
            return False
        if isinstance(e, sp.log | sp.gamma | sp.loggamma) and self.sign(inner) > 0:
            return True
        raise Open(f"{sp.sstr(e)} is not known to have a limit")

    def _exponential(self, e: Any) -> Any:
        """A power with a constant base: of modulus below 1 with a whole exponent, or positive."""
        y, (base, exponent) = self.variable, e.args
        if base.has(y):
            return self.limit(sp.exp(exponent * sp.log(base)))
        slope = sp.expand(exponent).coeff(y)
        rest = sp.expand(exponent - slope * y)
        if y.is_integer and slope.is_Integer and slope > 0 and rest.is_integer and not base.is_positive:
            if self.sign(1 - base**2) > 0:
                return ZERO
            raise Open(f"{sp.sstr(base)} is not within (-1, 1)")
        return self._of_lead(e)

    def _of_lead(self, e: Any) -> Any:
        lead = self.lead(e)
        if lead is None:
            return ZERO
        for rate in lead[1:]:
            grows = self._direction(rate) if rate is lead.exponent else self.sign(rate)
            if grows < 0:
                return ZERO
            if grows > 0:
                return sp.oo * self.sign(lead.factor)
        return lead.factor

    def _direction(self, exponent: Any) -> int:
        """The sign of an exponent that grows like a power of y, so that exp of it beats every power; 0 if
        there is none.
        """
        if exponent == 0:
            return 0
        lead = self.lead(exponent)
        if lead is None:
            return 0
        if lead.exponent == 0 and self.sign(lead.power) > 0:
            return self.sign(lead.factor)
        raise Open(f"how exp({sp.sstr(exponent)}) grows is not known")

    def lead(self, e: Any) -> Lead | None:
        """The leading form of a function; None if it is 0."""
        y = self.variable
        if not e.has(y):
            return None if e.is_zero else Lead(e)
        if e == y:
            return Lead(ONE, power=ONE)
        if isinstance(e, sp.Add):
            return self._lead_of_sum(e)
        if isinstance(e, sp.Mul):
            product = Lead(ONE)
            for arg in e.args:
                factor = self.lead(arg)
                if factor is None:
                    return None
                product = product.times(factor)
            return product
        if isinstance(e, sp.Pow) and not e.exp.has(y):
            base = self.lead(e.base)
            if base is None:
                raise Open(f"{sp.sstr(e.base)} is 0")
            sign = 1 if e.exp.is_integer and e.exp.is_positive else self.sign(base.factor)
            if sign == 0 or (sign < 0 and not e.exp.is_integer):
                raise Open(f"{sp.sstr(e)} has a base that is not positive")
            return base.raised(e.exp)
        if isinstance(e, sp.Pow) and e.base.has(y):
            return self._lead_of_exp(e.exp * sp.log(e.base))
        if isinstance(e, sp.Pow):
            if self.sign(e.base) <= 0:
                raise Open(f"{sp.sstr(e)} has a base that is not positive")
            return self._lead_of_exp(e.exp * sp.log(e.base))
        if isinstance(e, sp.exp):
            return self._lead_of_exp(e.args[0])
        if isinstance(e, sp.log):
            return self._lead_of_log(e.args[0])
        if isinstance(e, sp.erfc) and self.limit(e.args[0]) == sp.oo:
            u = e.args[0]
            return self.lead(sp.exp(-(u**2)) / (u * sp.sqrt(sp.pi)))
        if isinstance(e, ODD) and self.limit(e.args[0]) == 0:
            inner = self.lead(e.args[0])
            return inner and inner.times(Lead(e.func(y).diff(y).subs(y, 0)))
        value = self._of_function(e) if isinstance(e, (*ENTIRE, *PARTIAL)) else None
        if value is not None and value.is_finite is not False and self.sign(value) != 0:
            return Lead(value)
        raise Open(f"how {sp.sstr(e)} grows is not known")

    def _lead_of_exp(self, exponent: Any) -> Lead:
        value = self.limit(exponent)
        return (
            Lead(sp.exp(value)) if value.is_finite is not False else Lead(ONE, exponent=sp.expand(exponent))
        )

    def _lead_of_log(self, u: Any) -> Lead | None:
        lead = self.lead(u)
        if lead is None or self.sign(lead.factor) <= 0:
            raise Open(f"the logarithm of {sp.sstr(u)} is not defined")
        if lead.exponent != 0:
            self._direction(lead.exponent)
            return self.lead(lead.exponent)
        if lead.power != 0:
            if self.sign(lead.power) == 0:
                raise Open(f"the sign of {sp.sstr(lead.power)} is not known")
            return Lead(lead.power, logs=ONE)
        if lead.logs != 0:
            return Lead(lead.logs, loglogs=ONE)
        if lead.loglogs != 0:
            raise Open(f"how the logarithm of {sp.sstr(u)} grows is not known")
        if sp.expand(lead.factor - 1) == 0:
            return self.lead(sp.together(u - 1))  # log u ~ u - 1 as u comes near to 1
        return self.lead(sp.log(lead.factor))

    def _lead_of_sum(self, e: Any, simplified: bool = False) -> Lead | None:
        """That of the terms that no other term exceeds, unless they cancel."""
        leads = [self.lead(arg) for arg in e.args]
        if not any(leads):
            return None
        lead = self._largest(leads)
        if lead is not None:
            return lead
        if not simplified:
            other = sp.factor(sp.together(e))
            if isinstance(other, sp.Add):
                return self._lead_of_sum(other, simplified=True)
            if other != e:
                return self.lead(other)
        return self._lead_of_differences(e)

    def _largest(self, leads: Sequence[Lead | None]) -> Lead | None:
        """The leading form of a sum of terms with these; None if those that no other exceeds cancel."""
        best: list[Lead] = []
        for lead in leads:
            if lead is not None:
                order = self._compare(lead, best[0]) if best else 1
                if order >= 0:
                    best = [lead, *(best if order == 0 else [])]
        factor = sp.expand(sum(lead.factor for lead in best))
        return best[0]._replace(factor=factor) if factor != 0 and self.sign(factor) != 0 else None

    def _lead_of_differences(self, e: Any) -> Lead:
        """That of a sum of a exp(u) with u near to 0 whose largest a cancel: a exp(u) = a + (a u)(1 + o(1)),
        and the a are added up before they are looked at.
        """
        rest, small = ZERO, []
        for arg in e.args:
            near = [f for f in sp.Mul.make_args(arg) if f.has(self.variable) and self._near_one(f)]
            exponent = sp.expand(sum(_exponent(f) for f in near))
            other = arg / sp.Mul(*near)
            rest += other
            if exponent != 0:
                small.append((other, exponent))
        if not small:
            raise Open(f"the largest terms of {sp.sstr(e)} cancel")
        parts = [sp.Mul(*pair) for pair in small] + ([] if sp.expand(rest) == 0 else [rest])
        lead = self._largest([self.lead(part) for part in parts])
        if lead is None:
            raise Open(f"the largest terms of {sp.sstr(e)} cancel")
        return lead

    def _near_one(self, factor: Any) -> bool:
        """Whether a factor is exp(u) with u going to 0."""
        if not isinstance(factor, sp.exp | sp.Pow) or (factor.is_Pow and not factor.exp.has(self.variable)):
            return False
        if factor.is_Pow and (factor.base.has(self.variable) or self.sign(factor.base) <= 0):
            return False
        return bool(self.limit(_exponent(factor)) == 0)

    def _compare(self, one: Lead, other: Lead) -> int:
        """1 if the first grows faster, -1 if the second does, 0 if neither."""
        order = self._direction(sp.expand(one.exponent - other.exponent))
        for rate in (sp.expand(a - b) for a, b in zip(one.rates, other.rates)):
            if order == 0 and rate != 0:
                order = self.sign(rate)
        return order


def _exponent(factor: Any) -> Any:
    """The u of exp(u), or of b^(u/log b)."""
    return factor.exp * sp.log(factor.base) if isinstance(factor, sp.Pow) else factor.args[0]
