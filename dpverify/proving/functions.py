"""The functions that the engine models: where each is defined, and which of them are smooth there.

    1/x, x^(-n)       x /= 0             x^(p/q)        x >= 0, and x > 0 if p < 0
    log x             x > 0              x^y            x > 0; or y > 0, x >= 0; or y whole, x /= 0 or y >= 0
    gamma, loggamma   x > 0              n!, binomial   whole and not negative
    tan, cot, coth    off their poles    LambertW       x >= -1/e (the other branch: -1/e <= x < 0)
A function that is not in this list is not modelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

# Defined on all reals, and smooth.
ENTIRE = (sp.exp, sp.erf, sp.erfc, sp.sin, sp.cos, sp.atan, sp.asinh, sp.sinh, sp.cosh, sp.tanh)
# Smooth where they are defined.
PARTIAL = (sp.log, sp.tan, sp.cot, sp.coth, sp.gamma, sp.loggamma, sp.LambertW)
# Defined everywhere, with a bend or a jump.
ROUGH = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.floor, sp.ceiling, sp.Piecewise)
# Of whole numbers.
WHOLE = (sp.factorial, sp.binomial, sp.Mod)
MODELLED = (*ENTIRE, *PARTIAL, *ROUGH, *WHOLE)


def is_smooth(expression: Any, variables: Iterable[Any]) -> bool:
    """Whether the expression is made of functions that are smooth in the variables wherever they are defined.

    >>> x = sp.Symbol("x", real=True)
    >>> is_smooth(sp.exp(x) + sp.log(x), [x]), is_smooth(sp.sign(x), [x])
    (True, False)
    """
    e, names = sp.sympify(expression), set(variables)
    if not names & e.free_symbols:
        return True
    if isinstance(e, sp.Symbol):
        return True
    if isinstance(e, sp.Pow):
        if names & e.exp.free_symbols and not e.base.is_positive:
            return False
    elif not isinstance(e, (sp.Add, sp.Mul, *ENTIRE, *PARTIAL)):
        return False
    return all(is_smooth(arg, names) for arg in e.args)
