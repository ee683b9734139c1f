"""Optimality on a budget for arbitrary length, by Lagrangian sufficiency; inequalities between sums of
arbitrary length, by Hoelder.

    sum_t psi_t(x_t) = total = sum_t psi_t(y_t),  phi_t + lam*psi_t least at x_t for every t, lam free of t
        =>  sum_t phi_t(y_t) >= sum_t phi_t(x_t), with equality only at y = x if every scalar minimum is the
        only one
    prod_j (sum_t f_j)^theta_j >= sum_t prod_j f_j^theta_j        if sum_j theta_j >= 1, f_j >= 0

Positive coefficients times powers of x are convex in log x, so a stationary point of theirs is a minimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.identities import normalise
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.proving.replays import Below, Bend, Replay, Same, Slope
from dpverify.proving.shape import smooth
from dpverify.proving.symbols import fresh
from dpverify.proving.writing_out import written_out
from dpverify.relations import AtMost, Equal, Minimises

HANDLES = (Minimises, AtMost)

_LENGTHS = (2, 3)  # of the instances in which a false statement is looked for


def attempt(relation: Minimises | AtMost, effort: Effort) -> Outcome:
    """A multiplier free of the index, and the scalar problems it leaves; for an inequality, the exponents of
    Hoelder's.
    """
    ways = _hoelder(relation) if isinstance(relation, AtMost) else _lagrange(relation)
    return GaveUp(ways) if isinstance(ways, str) else Ways(ways)


def _renamed(expression: Any, index: sp.Symbol) -> Any:
    """The expression with bound occurrences of the index under another name, so that the free one can be
    summed over.
    """
    e = sp.sympify(expression)
    inner = fresh(f"{index.name}_in", [e], integer=True, positive=True)
    swap = {}
    for total in e.atoms(sp.Sum, sp.Product):
        if any(limit[0] == index for limit in total.limits):
            swap[total] = total.func(
                total.function.xreplace({index: inner}),
                *[(inner if v == index else v, a, b) for v, a, b in total.limits],
            )
    return e.xreplace(swap)


def _scalars(*expressions: Any) -> dict[Any, sp.Symbol]:
    """Plain symbols, of the same sign, for the sums and the entries of sequences: a scalar problem at one
    index.
    """
    sums = {s for e in expressions for s in e.atoms(sp.Sum, sp.Product)}
    entries = {a for e in expressions for a in e.xreplace({s: sp.Dummy() for s in sums}).atoms(sp.Indexed)}
    swap = {}
    for k, s in enumerate(sorted(sums, key=sp.default_sort_key)):
        swap[s] = fresh(f"S_{k + 1}", expressions, **_sign(s))
    for a in sorted(entries, key=sp.default_sort_key):
        name = "_".join([str(a.base.label), *[sp.sstr(i) for i in a.indices]])
        swap[a] = fresh(name, [*expressions, *swap.values()], **_sign(a))
    return swap


def _sign(e: Any) -> dict[str, bool]:
    if e.is_positive:
        return {"positive": True}
    if e.is_nonnegative:
        return {"nonnegative": True}
    return {"real": True}


def _stated(relation: Minimises) -> tuple[Any, Any, Any, Any, list[Any]]:
    """Objective, spending and stated point in a positive variable, the total, and the hypotheses; no name
    bound twice.
    """
    x = relation.over if relation.over.is_positive else sp.Symbol(relation.over.name, positive=True)
    phi, psi, at, total, *given = (
        _renamed(sp.sympify(e).xreplace({relation.over: x}), relation.index)
        for e in (relation.objective, relation.spent, relation.at, relation.total, *relation.given)
    )
    return x, (phi, psi), normalise(at), total, given


def _lagrange(relation: Minimises) -> list[Reduction] | str:
    t, length = relation.index, sp.sympify(relation.length)
    x, (phi, psi), at, total, given = _stated(relation)
    if at.has(x):
        return f"the stated point holds {x} itself"
    swap = _scalars(phi, psi, at, total, *given)
    phi_s, psi_s, at_s, *given_s = (e.xreplace(swap) for e in (phi, psi, at, *given))
    slope = sp.diff(psi_s, x).subs(x, at_s)
    if sp.simplify(slope) == 0:
        return "the budget is stationary at the stated point"
    lam_s = _tidy(-sp.diff(phi_s, x).subs(x, at_s) / slope)
    lam = lam_s.xreplace({v: k for k, v in swap.items()})
    if t in lam.free_symbols:
        return f"the point is stationary only for a multiplier that depends on {t}: {sp.sstr(lam)}"
    inside = [
        *given_s,
        *([sp.Le(t, length)] if t in phi_s.free_symbols | psi_s.free_symbols | at_s.free_symbols else []),
    ]
    common = [
        (Equal(sp.Sum(psi.subs(x, at), (t, 1, length)), total, given), "the stated point spends the budget"),
        (AtMost(sp.Integer(0), at_s, inside, strict=True), "the stated point is positive"),
        (
            Equal(sp.diff(phi_s, x).subs(x, at_s), -lam_s * slope, inside),
            "it is stationary for the multiplier",
        ),
    ]
    if relation.value is not None:
        value = _renamed(relation.value, t)
        common.append(
            (Equal(sp.Sum(phi.subs(x, at), (t, 1, length)), value, given), "the value of the objective there")
        )
    ways = []
    slopes = (
        Slope(phi_s, x, sp.diff(phi_s, x), inside),
        Slope(psi_s, x, sp.diff(psi_s, x), inside),
    )
    for how, steps, replays in _scalar_minimum(phi_s, psi_s, lam_s, x, at_s, inside, relation.unique):
        ways.append(
            Reduction(
                (*common, *steps),
                f"Lagrangian sufficiency with the multiplier {sp.sstr(lam)}; {how}",
                replays=(*slopes, *replays),
            )
        )
    return ways


def _tidy(e: Any) -> Any:
    for form in (sp.powsimp, lambda v: sp.powsimp(sp.powdenest(sp.expand_power_base(v))), sp.simplify):
        e = form(e)
    return e


Steps = list[tuple[Any, str]]


def _scalar_minimum(
    phi: Any, psi: Any, lam: Any, x: Any, at: Any, given: list[Any], unique: bool
) -> Iterator[tuple[str, Steps, tuple[Replay, ...]]]:
    """Ways to see that phi + lam*psi is least (only) at its stationary point."""
    zero = sp.Integer(0)
    terms = _powers(phi, x), _powers(psi, x)
    if terms[0] is not None and terms[1] is not None:
        coefficients = [*((c, p) for c, p in terms[0]), *((_tidy(lam * c), p) for c, p in terms[1])]
        moving = [(c, p) for c, p in coefficients if p != 0]
        if moving and all(p.is_nonzero for _, p in moving):
            steps: Steps = [
                (AtMost(zero, c, given, strict=True), f"the coefficient of {x}^({sp.sstr(p)}) is positive")
                for c, p in moving
            ]
            powers = sum(c * x**p for c, p in coefficients)
            whole = (Same(powers, phi + lam * psi, given),)
            yield f"positive multiples of powers of {x} are strictly convex in log {x}", steps, whole
    taken = [phi, psi, *given]
    multiplier = -fresh("lam", taken, positive=True) if lam.is_negative else fresh("lam", taken, **_sign(lam))
    g = phi + multiplier * psi
    defined = smooth(g, x, given)
    if defined is None:
        return
    bends = (
        (f"in {x}", False, sp.diff(g, x, 2)),
        (f"in log {x}", True, sp.simplify(sp.diff(x * sp.diff(g, x), x))),
    )
    for where, in_log, bend in bends:
        step = (AtMost(zero, bend, given, strict=unique), f"the second derivative {where} has a sign")
        replay = Bend(g, x, bend, given, in_log=in_log)
        yield f"phi + lam*psi is convex {where}", [*defined, step], (replay,)


def _powers(e: Any, x: Any) -> list[tuple[Any, Any]] | None:
    """The coefficients and exponents of a sum of multiples of powers of x, or None if it is no such sum."""
    powers: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(sp.powsimp(sp.expand(e)))):
        c, power = term.as_independent(x, as_Add=False)
        base, p = power.as_base_exp()
        if power == 1:
            p = sp.Integer(0)
        elif base != x or x in p.free_symbols or not p.is_real:
            return None
        powers[p] = powers.get(p, sp.Integer(0)) + c
    return [(c, p) for p, c in powers.items()]


def _hoelder(relation: AtMost) -> list[Reduction] | str:
    left, right = normalise(sp.sympify(relation.lhs)), normalise(sp.sympify(relation.rhs))
    scale: Any = sp.Integer(1)
    powers: dict[Any, Any] = {}
    for factor, direction in [
        *((f, 1) for f in sp.Mul.make_args(right)),
        *((f, -1) for f in sp.Mul.make_args(left)),
    ]:
        base, exponent = factor.as_base_exp()
        if isinstance(base, sp.Sum) and exponent.is_Rational:
            powers[base] = powers.get(base, sp.Integer(0)) + direction * exponent
        elif factor.has(sp.Sum):
            return "not a comparison of products of powers of sums"
        elif direction < 0 and not factor.is_positive:
            return f"the factor {sp.sstr(factor)} on the left is not evidently positive"
        else:
            scale *= factor**direction
    below = [(s, -p) for s, p in powers.items() if p < 0]
    above = [(s, p) for s, p in powers.items() if p > 0]
    if len(below) > 1 or not above:
        return "not at most one sum on the left against products of sums on the right"
    limits = above[0][0].limits
    if any(s.limits != limits or len(limits) != 1 or not s.function.is_positive for s, _ in (*above, *below)):
        return "the sums do not run over the same range with positive terms"
    index, low, high = limits[0]
    length = high - low + 1
    if not length.is_positive:
        return "the range of the sums may be empty"
    m = below[0][1] if below else sum(p for _, p in above)
    small = below[0][0].function if below else sp.Integer(1)
    product = sp.prod([s.function ** (p / m) for s, p in above])
    share = sum(p for _, p in above) / m
    swap = _scalars(small, product)
    ratio = _tidy((small / product).xreplace(swap)).xreplace({v: k for k, v in swap.items()})
    if index in ratio.free_symbols:
        return f"the terms do not match: {sp.sstr(ratio)} depends on the index"
    needed = ratio**m * (length ** (m * (1 - share)) if share < 1 else 1) / (1 if below else length**m)
    exponents = ", ".join(f"({sp.sstr(s)})^({p / m})" for s, p in above)
    reason = "what is left after Hoelder's inequality" + (
        "" if share == 1 else ", filled up with ones" if share < 1 else " and the order of norms"
    )
    total = sp.prod([s**p for s, p in above])
    smaller = below[0][0] ** m if below else sp.Integer(1)
    return [
        Reduction(
            ((AtMost(needed, scale, relation.given, strict=relation.strict), reason),),
            f"Hoelder's inequality with {exponents}",
            replays=(
                Same(
                    sp.sympify(relation.rhs) * smaller,
                    scale * total * sp.sympify(relation.lhs),
                    relation.given,
                ),
                Below(smaller, needed * total, relation.given),
            ),
        )
    ]


def consequences(relation: Minimises | AtMost) -> Iterator[Any]:
    """Feasibility and value at the stated point; at lengths 2 and 3, no other way to share the budget does
    better.
    """
    if isinstance(relation, AtMost):
        return
    t, length = relation.index, sp.sympify(relation.length)
    x, (phi, psi), at, total, given = _stated(relation)
    yield Equal(sp.Sum(psi.subs(x, at), (t, 1, length)), total, given)
    if relation.value is not None:
        yield Equal(sp.Sum(phi.subs(x, at), (t, 1, length)), _renamed(relation.value, t), given)
    for n, fix in _lengths(length):
        points = range(1, n + 1)

        def here(e: Any, k: int, fix: dict[Any, Any] = fix) -> Any:
            return written_out(e.subs(t, k).xreplace(fix))

        hypotheses = [
            c
            for g in given
            for c in ({here(g, k) for k in points} if t in g.free_symbols else {here(g, 1)})
            if c is not sp.true
        ]
        stated = [here(at, k) for k in points]
        yield from (AtMost(sp.Integer(0), v, hypotheses, strict=True) for v in stated if not v.is_positive)
        worth = sum(here(phi, k).subs(x, v) for k, v in zip(points, stated))
        shares, inside = _shares(n, [phi, psi, at, total, *given])
        budget = written_out(total.xreplace(fix))
        for rivals in _solved([here(psi, k) for k in points], x, [s * budget for s in shares]):
            cost = sum(here(phi, k).subs(x, v) for k, v in zip(points, rivals))
            positive = [sp.Gt(v, 0) for v in (*rivals, budget) if not v.is_positive]
            other = [sp.Ne(rivals[0], stated[0])] if relation.unique else []
            yield AtMost(worth, cost, [*hypotheses, *inside, *positive, *other], strict=relation.unique)


def _lengths(length: Any) -> Iterator[tuple[int, dict[Any, Any]]]:
    """Small lengths, with the values of the length's symbol that give them."""
    if length.is_Integer:
        yield int(length), {}
        return
    symbols = length.free_symbols
    if len(symbols) == 1:
        (symbol,) = symbols
        for k in range(8):
            n = length.subs(symbol, k)
            if n in _LENGTHS:
                yield int(n), {symbol: sp.Integer(k)}


def _shares(n: int, expressions: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """A way to share 1 among n, in n - 1 free symbols between 0 and 1."""
    rest: Any = sp.Integer(1)
    shares, inside = [], []
    for k in range(n - 1):
        u = fresh(f"u_{k + 1}", expressions, positive=True)
        shares.append(rest * u)
        inside.append(sp.Lt(u, 1))
        rest = rest * (1 - u)
    return [*shares, rest], inside


def _solved(spendings: Sequence[Any], x: Any, amounts: Sequence[Any]) -> Iterator[list[Any]]:
    """Points that spend the given amounts, one per branch of the inverse of the spending (checked by putting
    them in).
    """
    y = sp.Dummy("y", positive=True)
    inverses = []
    for spent in spendings:
        terms = _powers(spent, x)
        if terms is not None and len(terms) == 1 and terms[0][1] != 0:
            (c, p) = terms[0]
            branches = [(y / c) ** (1 / p)]
        else:
            try:
                branches = [b for b in sp.solve(sp.Eq(spent, y), x) if b.is_real is not False]
            except NotImplementedError:
                return
        inverses.append([b for b in branches if sp.simplify(spent.subs(x, b) - y) == 0])
    for k in range(min(map(len, inverses))):
        yield [branch[k].subs(y, amount) for branch, amount in zip(inverses, amounts)]
