"""Relations between vectors, and between values and gradients of functions, through the Gram matrix.

    rhs - lhs = sum_i lambda_i fact_i + <S, Gram> + <N, n n^T>,   lambda_i >= 0,  S and N positive
    semidefinite

The facts are the hypotheses, the instances of what the classes of the functions say, and Cauchy-Schwarz
between vectors whose norms occur; n lists 1 and these norms. The search is a semidefinite program at a few
values of the parameters, whose multipliers are then guessed as formulas; what is left to prove is that each
multiplier is nonnegative and each matrix positive semidefinite, wherever the parameters are allowed: plain
scalar relations. A relation that is not of this form is handed to the other tactics with a free variable
for every inner product and every value, and minors of the Gram matrix among the hypotheses.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.language.vectors import Atom, Inner
from dpverify.proving import fitting, semidefinite
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.gram_multipliers import fitted, plausible, rational_multipliers, supports
from dpverify.proving.gram_rows import NotLinear, Problem, Row, outside, tidied
from dpverify.proving.reduction import Certificate, GaveUp, Outcome, Reduction, Ways
from dpverify.proving.symbols import fresh
from dpverify.proving.vector_statements import ZERO, Fact, Statement, fact_of, mentions
from dpverify.relations import AtMost, Equal, PositiveSemidefinite, sides_of

HANDLES = (AtMost, Equal)
SAMPLES = 28
BLOCKS = ("the Gram matrix", "the norms", "the centred sequences")


def attempt(relation: AtMost | Equal, effort: Effort) -> Outcome:
    """Multipliers at numbers, or as formulas; or a relation between free variables."""
    if not mentions(relation):
        return GaveUp("no vectors occur in it")
    try:
        statement = Statement(relation)
    except ValueError as why:
        return GaveUp(str(why))
    if isinstance(relation, Equal):
        return Ways(_equal(relation, statement))
    if isinstance(certificate := _numbers(relation, statement), dict):
        return Certificate(certificate)
    return Ways(_reductions(relation, statement, _formulas(relation, statement, effort)))


def _equal(relation: Equal, statement: Statement) -> Iterator[Reduction]:
    left, right = sides_of(relation)
    swap = _free_variables([statement.left, statement.right])
    plain = Equal(statement.left.xreplace(swap), statement.right.xreplace(swap), statement.scalar)
    yield Reduction(
        ((plain, "with a free variable for every inner product and value"),), "an identity in them"
    )
    both = (
        (AtMost(left, right, relation.given), "one way"),
        (AtMost(right, left, relation.given), "the other way"),
    )
    yield Reduction(both, "both inequalities hold")


def again(relation: AtMost | Equal, recipe: Mapping[str, Any]) -> Iterator[Reduction]:
    """The reductions that need no search, or the one by the multipliers of the recipe."""
    statement = Statement(relation)
    if isinstance(relation, Equal):
        yield from _equal(relation, statement)
    elif "multipliers" not in recipe or relation.multipliers:
        yield from _reductions(relation, statement, ())
    else:
        multipliers = {int(i): from_json(value) for i, value in recipe["multipliers"].items()}
        for problem in _problems(statement):
            if max(multipliers, default=0) < len(problem.facts):
                way = _reduction(relation, problem, multipliers)
                yield from [] if way is None else [way]


def _reductions(relation: AtMost, statement: Statement, formulas: Iterable[Reduction]) -> Iterator[Reduction]:
    if (split := _without_modulus(relation)) is not None:
        yield split
        return
    if relation.multipliers:
        yield _given(relation, statement)
        return
    if (squared := _squared(relation, statement)) is not None:
        yield squared
    yield from _scaled(relation, statement)
    yield from formulas
    plain = [fact for fact in statement.instances if fact.plain]
    for facts in (statement.hypotheses, [*statement.hypotheses, *plain]):
        yield _freed(relation, statement, facts)
        if not plain:
            break


def _without_modulus(relation: AtMost) -> Reduction | None:
    """|e| <= b says that e <= b and -e <= b."""
    gap = sp.expand(sp.sympify(relation.rhs) - sp.sympify(relation.lhs))
    for term in sp.Add.make_args(gap):
        c, rest = term.as_independent(*term.atoms(Atom), as_Add=False)
        if isinstance(rest, sp.Abs) and c.is_negative:
            steps = tuple(
                (
                    AtMost(sign * -c * rest.args[0], sp.expand(gap - term), relation.given, relation.strict),
                    f"the modulus of {rest.args[0]}, sign {sign:+d}",
                )
                for sign in (1, -1)
            )
            return Reduction(steps, "a modulus is one of two values")
    return None


def _squared(relation: AtMost, statement: Statement) -> Reduction | None:
    """a <= b follows from a^2 <= b^2 if b >= 0; with norms on either side, squares have fewer of them."""
    if relation.strict or "squared" in relation.by:
        return None
    grouped: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(statement.right - statement.left)):
        atoms = [f for f in sp.Mul.make_args(term) if f.atoms(Atom)]
        grouped[sp.Mul(*atoms)] = grouped.get(sp.Mul(*atoms), ZERO) + term / sp.Mul(*atoms)
    roots = {p for m in grouped for p in m.atoms(sp.Pow) if p.exp == sp.Rational(1, 2) and p.base.atoms(Atom)}
    unsigned = {p: sp.Dummy(nonnegative=True) for p in roots}
    if not roots or not all(m.xreplace(unsigned).is_nonnegative for m in grouped):
        return None
    point = next(iter(fitting.moderate_points(statement.domain, 1, np.random.default_rng(1))), None)
    if point is None:
        return None
    left = ZERO
    right = ZERO
    steps = []
    for m, c in grouped.items():
        small = bool(c.xreplace(point) < 0)
        left, right = (left - c * m, right) if small else (left, right + c * m)
        size = -c if small else c
        if not size.is_nonnegative:
            steps.append((AtMost(ZERO, size, statement.scalar), f"the coefficient of {m}"))
    square = AtMost(sp.expand(left**2), sp.expand(right**2), relation.given, by=("squared",))
    return Reduction((*steps, (square, "the squares of both sides")), "both sides are nonnegative")


def _scaled(relation: AtMost, statement: Statement) -> Iterator[Reduction]:
    """a <= b follows from n a <= n b for a norm n > 0; where n may be 0, a <= b must hold with 0 for n,
    too.
    """
    if relation.strict or {"scaled", "squared"} & set(relation.by):
        return
    gap = sp.expand(sp.sympify(relation.rhs) - sp.sympify(relation.lhs))
    half = sp.Rational(1, 2)
    written = [gap, *[fact.expression for fact in statement.instances if fact.plain]]
    divided = {p.base for e in written for p in e.atoms(sp.Pow) if p.base.atoms(Atom) and p.exp == -half}
    terms = [t for t in sp.Add.make_args(gap) if t.could_extract_minus_sign()]
    factors = {f for t in terms for f in sp.Mul.make_args(t)}
    smaller = {f.base for f in factors if f.is_Pow and f.exp == half and f.base.atoms(Atom)}
    for base in [*sorted(divided, key=str), *sorted(smaller - divided, key=str)]:
        n, below = sp.sqrt(base), base in divided
        larger = sp.expand(gap * n)
        steps = [(AtMost(ZERO, larger, relation.given, by=("scaled",)), f"both sides times {n}")]
        if not below:
            steps.append((AtMost(ZERO, outside(gap, {n: ZERO}), relation.given), f"where {n} is 0"))
        yield Reduction(tuple(steps), f"{n} is positive or 0")


def _free_variables(expressions: Sequence[Any]) -> dict[Any, Any]:
    """A plain real symbol for every atom, and for every sum or product over an index that holds one."""
    bound = {w for e in expressions for w in e.atoms(sp.Sum, sp.Product) if w.atoms(Atom)}
    atoms = {a for e in expressions for a in e.atoms(Atom)}
    names = [*sorted(atoms, key=lambda a: (a.name, a.key)), *sorted(bound, key=sp.default_sort_key)]
    taken = [*expressions, *[s for a in atoms for s in a.scalars]]
    swap: dict[Any, Any] = {}
    for k, name in enumerate(names):
        sign = {"nonnegative": True} if isinstance(name, Atom) and name.is_nonnegative else {"real": True}
        swap[name] = fresh(f"v_{k + 1}", taken, **sign)
    return swap


def _freed(relation: AtMost, statement: Statement, facts: Sequence[Fact]) -> Reduction:
    """The same between free variables, with facts and minors of the Gram matrix as hypotheses."""
    roots: dict[Any, Any] = {}
    whole = [statement.left, statement.right, *[f.expression for f in facts]]
    for e in whole:
        for p in e.atoms(sp.Pow):
            if p.base.atoms(Atom) and p.exp.is_Rational and p.exp.q == 2:
                roots.setdefault(sp.expand(p.base), fresh(f"n_{len(roots) + 1}", whole, nonnegative=True))

    def rooted(e: Any) -> Any:
        swap = {
            p: roots[sp.expand(p.base)] ** p.exp.p
            for p in e.atoms(sp.Pow)
            if p.base.atoms(Atom) and p.exp.is_Rational and p.exp.q == 2
        }
        return outside(e, swap)

    bases = sorted({b for e in whole for a in e.atoms(Inner) for b in a.bases}, key=lambda b: b.order)
    minors = [
        sp.Ge(Inner.between(u, u) * Inner.between(v, v) - Inner.between(u, v) ** 2, 0)
        for u, v in itertools.combinations(bases, 2)
        if len(bases) <= 4
    ]
    if len(bases) == 3:
        gram = sp.Matrix(3, 3, lambda i, j: Inner.between(bases[i], bases[j]))
        minors.append(sp.Ge(sp.expand(gram.det()), 0))
    squares = [sp.Eq(n**2, base) for base, n in roots.items()]
    known = [(sp.Eq if f.equation else sp.Gt if f.strict else sp.Ge)(rooted(f.expression), 0) for f in facts]
    given = [*squares, *known, *minors]
    swap = _free_variables([rooted(statement.left), rooted(statement.right), *given])
    plain = AtMost(
        rooted(statement.left).xreplace(swap),
        rooted(statement.right).xreplace(swap),
        [*statement.scalar, *[g for c in given if (g := c.xreplace(swap)) is not sp.true]],
        relation.strict,
    )
    reason = "with free variables; minors of the Gram matrix and the facts are hypotheses"
    return Reduction(((plain, reason),), "it holds for all numbers that inner products could be")


def _problems(statement: Statement) -> Iterator[Problem]:
    """First with the simplest facts, then with all of them."""
    plain = [fact for fact in statement.instances if fact.plain]
    yield Problem(statement, [*statement.hypotheses, *plain])
    if len(plain) < len(statement.instances):
        yield Problem(statement, [*statement.hypotheses, *statement.instances])


def _numbers(relation: AtMost, statement: Statement) -> dict[str, Any] | str:
    """A certificate with rational multipliers, for a relation without parameters."""
    if statement.parameters or relation.multipliers:
        return "there are parameters"
    try:
        for problem in _problems(statement):
            for support in supports(problem, [{}]):
                for multipliers in rational_multipliers(problem, support):
                    certificate = _certificate(problem, multipliers)
                    if check(relation, certificate):
                        return certificate
    except NotLinear as why:
        return str(why)
    return "no multipliers were found"


def _certificate(problem: Problem, multipliers: Mapping[int, Any]) -> dict[str, Any]:
    used = [(problem.facts[i], v) for i, v in multipliers.items()]
    return {
        "multipliers": [
            [f.text, to_json(f.expression.xreplace(_spelt(problem))), to_json(v)] for f, v in used
        ],
        "summary": _summary(used),
    }


def _spelt(problem: Problem) -> dict[Any, Any]:
    return {n: sp.sqrt(base) for n, base in problem.roots.items()}


def _summary(used: Sequence[tuple[Fact, Any]]) -> str:
    terms = " + ".join(f"({sp.sstr(v)}) * [{f.text}]" for f, v in used)
    return f"rhs - lhs = {terms + ' + ' if terms else ''}a positive semidefinite form"


def check(relation: AtMost, certificate: dict[str, Any]) -> bool:
    """Recompute the remainder from the facts of the relation itself, and factor its matrices over the
    rationals.
    """
    statement = Statement(relation)
    for problem in _problems(statement):
        known = {_text(f.expression.xreplace(_spelt(problem))): i for i, f in enumerate(problem.facts)}
        multipliers: dict[int, Any] = {}
        for _, expression, value in certificate["multipliers"]:
            i = known.get(_text(from_json(expression)))
            if i is None:
                break
            multipliers[i] = from_json(value)
        else:
            return _holds(problem, multipliers, relation.strict)
    return False


def _text(e: Any) -> str:
    return sp.srepr(sp.expand(e))


def _holds(problem: Problem, multipliers: Mapping[int, Any], strict: bool) -> bool:
    if any(not v.is_Rational or (v < 0 and not problem.facts[i].equation) for i, v in multipliers.items()):
        return False
    rest = problem.remainder(multipliers)
    if any(m in rest for m in problem.free):
        return False
    matrices = problem.matrices(rest)
    if not all(e.is_Rational for m in matrices for e in m):
        return False
    positive = not strict or any(problem.facts[i].strict and v > 0 for i, v in multipliers.items())
    if not positive:  # a positive constant may be taken out of what remains
        matrices[1][0, 0] -= sp.Rational(1, 10**6)
    return all(semidefinite.ldl(_rows(m)) is not None for m in matrices)


def _rows(m: sp.Matrix) -> semidefinite.Rows:
    return [[Fraction(int(m[i, j].p), int(m[i, j].q)) for j in range(m.shape[1])] for i in range(m.shape[0])]


def _formulas(relation: AtMost, statement: Statement, effort: Effort) -> Iterator[Reduction]:
    """Multipliers as formulas in the parameters, guessed from their values at a few points."""
    rng = np.random.default_rng(effort.seed)
    where = fitting.moderate_points(statement.domain, SAMPLES, rng)
    if not where:
        return
    tried: set[Any] = set()
    try:
        for problem in _problems(statement):
            library = fitting.factors(statement.domain, statement.parts)
            for support in supports(problem, where):
                for multipliers in fitted(problem, support, where, library):
                    key = tuple(sorted((problem.facts[i].text, sp.srepr(v)) for i, v in multipliers.items()))
                    if key in tried or not plausible(problem, multipliers, where):
                        continue
                    tried.add(key)
                    if (reduction := _reduction(relation, problem, multipliers)) is not None:
                        yield reduction
    except NotLinear:
        return


def _reduction(relation: AtMost, problem: Problem, multipliers: Mapping[int, Any]) -> Reduction | None:
    """What is left to prove once the multipliers are chosen."""
    rest = problem.remainder(multipliers)
    if any(m in rest for m in problem.free):
        return None
    given = problem.statement.scalar
    steps = _denominators(problem, [*multipliers.values(), *rest.values()])
    steps.append((_identity(problem, multipliers, rest), "it adds up, with free variables"))
    positive = not relation.strict
    for i, v in multipliers.items():
        fact = problem.facts[i]
        if not fact.equation and ((fact.strict and not positive) or not (v.is_Rational and v >= 0)):
            claim = AtMost(ZERO, sp.factor(v), given, strict=fact.strict and not positive)
            steps.append((claim, f"the multiplier of {fact.text}"))
            positive = positive or fact.strict
    for matrix, what in zip(problem.matrices(rest), BLOCKS):
        small = _without_kernel(matrix)
        if small.shape[0] == 1:
            alone = not positive and what == "the norms" and len(problem.scalars) == 1
            if alone or not (small[0, 0].is_Rational and small[0, 0] >= 0):
                claim = AtMost(ZERO, sp.factor(small[0, 0]), given, strict=alone)
                steps.append((claim, f"what remains, times {what}"))
            positive = positive or alone
        elif small.shape[0]:
            steps.append((PositiveSemidefinite(small, given), f"what remains, times {what}"))
    if not positive:
        return None
    used = [(problem.facts[i], v) for i, v in multipliers.items()]
    recipe = {"multipliers": {str(i): to_json(v) for i, v in multipliers.items()}}
    return Reduction(tuple(steps), _summary(used), recipe=recipe)


def _identity(problem: Problem, multipliers: Mapping[int, Any], rest: Row) -> Equal:
    """rhs - lhs = sum_i lambda_i fact_i + what remains, as an identity between plain symbols."""
    gap = problem.rooted(sp.expand(problem.statement.right - problem.statement.left))
    total = sp.Add(*[v * problem.facts[i].expression for i, v in multipliers.items()])
    total += sp.Add(*[c * sp.Mul(*m) for m, c in rest.items()])
    names = {n: fresh(f"n_{k + 1}", [gap, total], nonnegative=True) for k, n in enumerate(problem.roots)}
    swap = _free_variables([gap, total]) | names
    return Equal(gap.xreplace(swap), total.xreplace(swap), problem.statement.scalar)


def _denominators(problem: Problem, expressions: Sequence[Any]) -> list[tuple[Any, str]]:
    """Nothing is divided by 0: a step for every factor below a line whose sign is not evident."""
    domain = problem.statement.domain
    point = next(iter(fitting.moderate_points(domain, 1, np.random.default_rng(0))), {})
    steps: dict[Any, tuple[Any, str]] = {}
    for e in expressions:
        for factor, _ in sp.factor_list(sp.fraction(sp.together(e))[1])[1]:
            if not (factor.is_positive or factor.is_negative) and factor not in steps:
                positive = bool(factor.xreplace(point) > 0)
                claim = AtMost(ZERO, factor if positive else -factor, problem.statement.scalar, strict=True)
                steps[factor] = (claim, "it is divided by")
    return list(steps.values())


def _without_kernel(matrix: sp.Matrix) -> sp.Matrix:
    """The matrix without rows and columns that are 0, or that a rational vector in its kernel makes
    superfluous: if M k = 0 and k_i is not 0, then M is positive semidefinite if it is without row and
    column i.
    """
    keep = [i for i in range(matrix.shape[0]) if any(e != 0 for e in matrix.row(i))]
    m = matrix.extract(keep, keep)
    while m.shape[0] > 1:
        n = m.shape[0]
        kernel = next(
            (
                k
                for k in itertools.product((1, 0, -1), repeat=n)
                if n <= 5 and next((c for c in k if c), 0) == 1 and _sends_to_zero(m, k)
            ),
            None,
        )
        if kernel is None:
            break
        drop = next(i for i, c in enumerate(kernel) if c)
        rest = [i for i in range(n) if i != drop]
        m = m.extract(rest, rest)
    return m


def _sends_to_zero(m: sp.Matrix, k: Sequence[int]) -> bool:
    return all(tidied(sum((m[i, j] * c for j, c in enumerate(k)), ZERO)) == 0 for i in range(m.shape[0]))


def _given(relation: AtMost, statement: Statement) -> Reduction:
    """The multipliers that the claim names."""
    facts = [*statement.hypotheses, *statement.instances]
    named = []
    for condition, value in relation.multipliers:
        fact = fact_of(sp.sympify(condition))
        if fact is None:
            raise ValueError(f"Expected a multiplier of a comparison, got {condition}.")
        fact = next((f for f in facts if sp.expand(fact.expression - f.expression) == 0), fact)
        if fact not in facts:
            raise ValueError(f"Expected a multiplier of a hypothesis or a fact of a class, got {fact.text}.")
        named.append((fact, sp.sympify(value)))
    problem = Problem(statement, [f for f, _ in named])
    chosen = {i: v for i, (_, v) in enumerate(named) if i < len(problem.facts)}
    reduction = _reduction(relation, problem, chosen)
    if reduction is None:
        raise ValueError("Expected multipliers with which the values cancel.")
    return reduction
