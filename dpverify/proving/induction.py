"""Induction over a whole number T: a base, and a step from T to T + 1.

    x[T+1] = next(x[T]), x[T] <= f(T):   first <= f(start);  next increasing in x and next(f(T)) <= f(T + 1)
    0 <= g(T), sums and powers in T:     0 <= g(start);      g(T + 1) >= c g(T) for some c > 0
    0 = g(T):                            0 = g(start);       g(T + 1) = c g(T)

The sums in g(T + 1) are those in g(T) and one term more; c is chosen so that they cancel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.derivatives import guess_sign
from dpverify.proving.domain import Domain, domain_of
from dpverify.proving.functions import is_smooth
from dpverify.proving.identities import close_sums, normalise
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways, reductions
from dpverify.proving.replays import Same
from dpverify.proving.symbols import fresh
from dpverify.proving.writing_out import written_out
from dpverify.relations import AtMost, Equal, Increasing, Induction, sides_of

HANDLES = (Induction, Equal, AtMost)
DEPTH = 2
FAR = 600  # members of a sequence of numbers that are computed
UNROLLED = 6  # first members of a sequence that are computed to refute a claim on all of them
ZERO = sp.Integer(0)


def attempt(relation: Induction | Equal | AtMost, effort: Effort) -> Outcome:
    """Base and step, in the ways that apply."""
    if isinstance(relation, Induction):
        steps = _sequence(_plain_bases(relation))
        return GaveUp(steps) if isinstance(steps, str) else Ways(steps)
    if reductions.get() >= DEPTH:
        return GaveUp(f"already {DEPTH} reductions deep")
    if isinstance(relation.derived if isinstance(relation, Equal) else relation.lhs, sp.MatrixBase):
        return GaveUp("not a comparison of numbers")
    domain = domain_of(relation)
    ways = [way for T in _counters(domain) for way in _over(relation, domain, T)]
    return Ways(ways) if ways else GaveUp("no whole number to go by")


def _plain_bases(relation: Induction) -> Induction:
    """With sums about, a positive base such as 1 - s of powers in T becomes a symbol b, and s becomes 1 -
    b.
    """
    claim, T = relation.relation, relation.over
    parts = [*sides_of(claim), sp.sympify(relation.first), sp.sympify(relation.next)]
    if not any(e.has(sp.Sum) for e in parts):
        return relation
    given = list(map(sp.sympify, claim.given))
    for base in sorted(
        {p.base for e in parts for p in e.atoms(sp.Pow) if T in p.exp.free_symbols}, key=sp.default_sort_key
    ):
        (one, slope), symbols = base.as_coeff_Add(), base.free_symbols
        if (
            not isinstance(base, sp.Add)
            or len(symbols) != 1
            or slope not in (*symbols, *[-x for x in symbols])
        ):
            continue
        (s,) = symbols
        bounds = Domain([s], given).bounds[s]
        least, is_open = (
            (one + bounds.low, bounds.low_open) if slope == s else (one - bounds.high, bounds.high_open)
        )
        if not (least.is_finite and (least > 0 or (least == 0 and is_open))):
            continue
        b = fresh(f"{s.name}_base", [*parts, *given, T, relation.value], positive=True)
        swap = {s: b - one if slope == s else one - b}
        left, right, first, after = (e.subs(swap) for e in parts)
        sign = [
            c
            for c in [swap[s] > 0 if s.is_positive else swap[s] >= 0 if s.is_nonnegative else sp.true]
            if c is not sp.true
        ]
        held = [c for c in (*[g.subs(swap) for g in given], *sign) if c is not sp.true]
        moved = (
            Equal(left, right, held) if isinstance(claim, Equal) else AtMost(left, right, held, claim.strict)
        )
        return Induction(moved, relation.value, T, relation.start, first, after)
    return relation


def _step_up(e: Any, T: sp.Symbol) -> Any:
    """The expression at T + 1, with sums and products to T + 1 written as those to T and one term more."""
    swap = {}
    for total in e.atoms(sp.Sum, sp.Product):
        index, low, high = total.limits[0]
        if (
            len(total.limits) == 1
            and T in high.free_symbols
            and sp.expand(high.subs(T, T + 1) - high) == 1
            and T not in low.free_symbols
        ):
            body, last = total.function.subs(T, T + 1), total.function.subs(T, T + 1).subs(index, high + 1)
            shorter = total.func(body, total.limits[0])
            swap[total] = shorter + last if isinstance(total, sp.Sum) else shorter * last
    stand_ins = {total: sp.Dummy() for total in swap}
    moved = e.xreplace(stand_ins | _next_binomials(e, T)).subs(T, T + 1)
    return moved.xreplace({stand_ins[total]: new for total, new in swap.items()})


def _next_binomials(e: Any, T: sp.Symbol) -> dict[Any, Any]:
    """What, at T + 1 for T, is C(n, k + 1) = C(n, k) (n - k)/(k + 1), for k that grows by 1 with T."""
    later = {}
    for term in e.atoms(sp.binomial):
        n, k = term.args
        if T not in n.free_symbols and sp.expand(k.subs(T, T + 1) - k) == 1 and k.is_nonnegative:
            before = k.subs(T, T - 1)
            later[term] = sp.binomial(n, before) * (n - before) / (before + 1)
    return later


def _at_start(e: Any, T: sp.Symbol, start: Any) -> Any:
    """The expression at the start, its binomials C(n, 3) as polynomials in n."""
    there = written_out(e.subs(T, start))
    small = [b for b in there.atoms(sp.binomial) if b.args[1].is_Integer and 0 <= b.args[1] <= UNROLLED]
    return there.xreplace({b: sp.ff(b.args[0], b.args[1]) / sp.factorial(b.args[1]) for b in small})


def _long_enough(e: Any, T: sp.Symbol, start: Any) -> bool:
    """Whether no sum runs backwards at the start: one more term then means one more term."""
    return all(
        (limit[2].subs(T, start) - limit[1] + 1).is_nonnegative
        for total in e.atoms(sp.Sum, sp.Product)
        for limit in total.limits
        if T in limit[2].free_symbols
    )


def _sequence(relation: Induction) -> list[Reduction] | str:
    claim = relation.relation
    x = relation.value
    T = relation.over
    start = sp.Integer(relation.start)
    first, after = sp.sympify(relation.first), sp.sympify(relation.next)
    given = list(map(sp.sympify, claim.given))
    if (T.is_positive and start < 1) or (T.is_nonnegative and start < 0):
        return f"{T} cannot be {start}, where the induction is to start"
    left, right = sides_of(claim)
    if not _long_enough(left - right, T, start):
        return "a sum has no terms yet at the start"
    # A hypothesis that speaks of T holds at every T: at the start, and before and after a step.
    later = [c.subs(T, T + 1) for c in given if T in c.free_symbols]
    here = [*given, *later, *([sp.Ge(T, start)] if not (T - start).is_nonnegative else [])]
    given = [c for g in given if (c := g.subs(T, start)) is not sp.true]
    ways = []
    if isinstance(claim, Equal):
        for value, f in ((left, right), (right, left)):
            if value == x and x not in f.free_symbols:
                steps = [
                    (Equal(first, f.subs(T, start), given), f"base, {T} = {start}"),
                    (Equal(after.subs(x, f), _step_up(f, T), here), f"step from {T} to {T} + 1"),
                ]
                moved = Same(_step_up(f, T), f.subs(T, T + 1), here)
                ways.append(Reduction(tuple(steps), f"induction over {T}", replays=(moved,)))
        return ways or f"the equation does not give {x} in terms of {T}"
    base = (
        AtMost(left.subs(x, first).subs(T, start), right.subs(x, first).subs(T, start), given, claim.strict),
        f"base, {T} = {start}",
    )
    for bound, above in ((right, True), (left, False)):
        if x in (left, right) and x not in bound.free_symbols:
            gap = _step_up(bound, T) - after.subs(x, bound)
            gap = normalise(gap if above else -gap) if gap.has(sp.Sum) else gap if above else -gap
            for kept, strict in _increasing(after, x, here, claim.strict, relation):
                step = (AtMost(ZERO, gap, here, strict), f"step from {T} to {T} + 1, at the bound")
                if (x.is_nonnegative and not above) or (x.is_nonpositive and above):
                    signed = -bound if x.is_nonpositive else bound
                    kept = [
                        *kept,
                        (
                            AtMost(ZERO, signed, here, strict=bool(x.is_nonzero)),
                            f"the bound has the sign of {x}",
                        ),
                    ]
                plain = bound.subs(T, T + 1) - after.subs(x, bound)
                ways.append(
                    Reduction(
                        (base, *kept, step),
                        f"induction over {T}, the next term increasing with {x}",
                        replays=(Same(gap, plain if above else -plain, here),),
                    )
                )
    hypothesis = sp.Lt(left, right) if claim.strict else sp.Le(left, right)
    held = [*here, hypothesis] if hypothesis not in (sp.true, sp.false) else here
    general = AtMost(_step_up(left, T).subs(x, after), _step_up(right, T).subs(x, after), held, claim.strict)
    plain = (right - left).subs(T, T + 1).subs(x, after)
    ways.append(
        Reduction(
            (base, *_invariant(relation, held), (general, f"step from {T} to {T} + 1")),
            f"induction over {T}",
            replays=(Same(general.rhs - general.lhs, plain, here),),
        )
    )
    return ways


def _increasing(
    after: Any, x: sp.Symbol, here: list[Any], strict: bool, relation: Induction
) -> Iterator[tuple[list[Any], bool]]:
    """Steps that show the next term to increase with x, and whether the step at the bound must be strict."""
    slope = sp.simplify(sp.diff(after, x)) if is_smooth(after, [x]) else x
    linear = x not in slope.free_symbols and x not in sp.expand(after - slope * x).free_symbols
    for firm in (False, True) if strict else (False,):
        if not linear:
            rises = (Increasing(after, x, here, strict=firm), f"the next term increases with {x}")
            yield [*_invariant(relation, here), rises], strict and not firm
        else:
            yield (
                [(AtMost(ZERO, slope, here, strict=firm), f"the next term increases with {x}")],
                strict and not firm,
            )


def _invariant(relation: Induction, here: list[Any]) -> list[Any]:
    """Steps that show the terms to have the sign that the symbol for them assumes."""
    x = relation.value
    if not (x.is_nonnegative or x.is_nonpositive):
        return []
    sign, strict = (-1, bool(x.is_negative)) if x.is_nonpositive else (1, bool(x.is_positive))
    return [
        (
            AtMost(ZERO, sign * sp.sympify(relation.first), relation.relation.given, strict),
            f"the sign of {x}, at first",
        ),
        (AtMost(ZERO, sign * sp.sympify(relation.next), here, strict), f"the sign of {x} is kept"),
    ]


def _counters(domain: Domain) -> list[sp.Symbol]:
    """Whole symbols with a least value, in the limits of sums or in exponents, that no other hypothesis
    ties.
    """
    counters = []
    for s in domain.symbols:
        bounds = domain.bounds[s]
        chosen = any(s in b.args[1].free_symbols for e in domain.expressions for b in e.atoms(sp.binomial))
        tied = any(s in c.free_symbols for c in domain.coupled) or bounds.high.is_finite
        # What ties the k of C(n, k) is mostly k <= n, beyond which it is 0: it can be done without.
        if s.is_integer and bounds.low.is_finite and (chosen or not tied):
            sums = any(
                s in limit[2].free_symbols
                for e in domain.expressions
                for t in e.atoms(sp.Sum, sp.Product)
                for limit in t.limits
            )
            powers = any(s in p.exp.free_symbols for e in domain.expressions for p in e.atoms(sp.Pow))
            if sums or powers:
                counters.append((not sums, s.name, s))
    return [s for *_, s in sorted(counters, key=lambda f: f[:2])][:2]


def _over(relation: Equal | AtMost, domain: Domain, T: sp.Symbol) -> Iterator[Reduction]:
    left, right = domain.expressions
    start = domain.bounds[T].low
    others = [c for c in domain.given if T not in c.free_symbols]
    here = [*others, *([sp.Ge(T, start)] if not (T - start).is_nonnegative else [])]
    g = right - left
    if not _long_enough(g, T, start):
        return
    now, later = normalise(g), normalise(_step_up(g, T))
    atoms = sorted(now.atoms(sp.Sum, sp.Product) | later.atoms(sp.Sum, sp.Product), key=sp.default_sort_key)
    closed = close_sums(g) if atoms and isinstance(relation, AtMost) else g
    if isinstance(relation, AtMost) and closed != g and not closed.has(sp.Sum, sp.Product):
        whole = (AtMost(ZERO, closed, domain.given, relation.strict), "with the sums closed")
        yield Reduction(
            (whole, *_divides(closed, domain.given)),
            "hypergeometric sums closed by telescoping",
            replays=(Same(closed, g, domain.given),),
        )
    low, high = (_at_start(e, T, start) for e in (left, right))
    steps: list[tuple[Any, str]]
    for c in _factors(now, later, atoms, T):
        gap = sp.expand(sp.expand(later - c * now, power_exp=True))
        if atoms and gap.has(sp.Sum, sp.Product):
            gap = sp.simplify(gap)
        if gap.has(sp.Sum, sp.Product) and any(
            T in limit[2].free_symbols for t in gap.atoms(sp.Sum, sp.Product) for limit in t.limits
        ):
            continue
        because = f"induction over {T}" + (f", with the factor {sp.sstr(c)}" if c != 1 else "")
        if isinstance(relation, Equal):
            first, *rest = sp.Add.make_args(gap)
            steps = [
                (Equal(low, high, others), f"base, {T} = {start}"),
                (Equal(first, -sp.Add(*rest), here), f"step from {T} to {T} + 1"),
            ]
        else:
            steps = [
                (AtMost(low, high, others, relation.strict), f"base, {T} = {start}"),
                (AtMost(ZERO, gap, here), f"step from {T} to {T} + 1"),
            ]
            if not c.is_positive:
                steps.append(
                    (AtMost(ZERO, c, here, strict=relation.strict), "the factor of the step has a sign")
                )
        replays = (Same(gap, g.subs(T, T + 1) - c * g, here), Same(high - low, g.subs(T, start), others))
        yield Reduction(tuple(steps), because, replays=replays)


def _divides(e: Any, given: list[Any]) -> list[tuple[Any, str]]:
    """Steps that show the denominators not to vanish."""
    factors = {f.as_base_exp()[0] for f in sp.Mul.make_args(sp.factor(sp.denom(sp.together(e))))}
    wanted = sorted((f for f in factors if not f.is_nonzero), key=sp.default_sort_key)
    return [
        (
            AtMost(ZERO, guess_sign(f, given) * f, given, strict=True),
            f"the denominator {sp.sstr(f)} does not vanish",
        )
        for f in wanted
    ]


def _factors(now: Any, later: Any, atoms: list[Any], T: sp.Symbol) -> Iterator[Any]:
    """Factors c for which g(T + 1) - c g(T) may be free of sums."""
    ratios = []
    if len(atoms) == 1:
        before, then = (sp.expand(e).coeff(atoms[0], 1) for e in (now, later))
        if before != 0 and then != 0:
            ratios.append(sp.simplify(then / before))
    ratios += sorted(
        {p.base for p in now.atoms(sp.Pow) if sp.diff(p.exp, T) == 1 and T not in p.base.free_symbols},
        key=sp.default_sort_key,
    )
    usable = [ratio for ratio in ratios[:3] if not ratio.has(sp.Sum, sp.Product)]
    one = sp.Integer(1)
    # Next to a power in T a binomial is small change: the ratio of the powers goes first.
    yield from dict.fromkeys([*usable, one] if now.has(sp.binomial) else [one, *usable])


def consequences(relation: Induction | Equal | AtMost) -> Iterator[Any]:
    """What the claim says of the first members of the sequence, computed one from the other."""
    if not isinstance(relation, Induction):
        return
    claim = relation.relation
    x = relation.value
    T = relation.over
    left, right = sides_of(claim)
    member = sp.sympify(relation.first)
    given: list[Any] = []
    for k in range(relation.start, relation.start + UNROLLED):
        a, b = (written_out(e.subs(x, member).subs(T, k)) for e in (left, right))
        # A hypothesis that speaks of T holds at every T up to here.
        held = [written_out(sp.sympify(g).subs(T, k)) for g in claim.given]
        given = [*given, *[c for c in held if c is not sp.true and c not in given]]
        if sp.false not in given:
            yield Equal(a, b, given) if isinstance(claim, Equal) else AtMost(a, b, given, claim.strict)
        member = sp.sympify(relation.next).subs(x, member).subs(T, k)
        if sp.count_ops(member) > 400:
            return
    yield from _far(relation, member)


def _far(relation: Induction, member: Any) -> Iterator[Any]:
    """The first of many further members, as far as they are plain numbers, that breaks the claim."""
    claim = relation.relation
    x = relation.value
    T = relation.over
    left, right = sides_of(claim)
    for k in range(relation.start + UNROLLED, relation.start + FAR):
        if not member.is_Rational or len(str(member)) > 60:
            return
        a, b = (written_out(e.subs(x, member).subs(T, k)) for e in (left, right))
        if not (a - b).is_Rational:
            return
        gap = a - b
        if (
            gap != 0 if isinstance(claim, Equal) else gap > 0 or (claim.strict and gap == 0)
        ) and not claim.given:
            yield Equal(a, b) if isinstance(claim, Equal) else AtMost(a, b, (), claim.strict)
            return
        member = sp.sympify(relation.next).subs(x, member).subs(T, k)
