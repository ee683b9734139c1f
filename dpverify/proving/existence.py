"""What a statement supposes in silence: that there are functions of the classes and noises with the moments
of which it speaks.

    f with smooth=L, strongly_convex=mu       mu <= L
    nu with variance v - w                    0 <= v - w, at every step if it is the noise of an iteration

These join the hypotheses wherever a point that meets them, or a case that breaks the conclusion, is looked
for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import sympy as sp

from dpverify.language.expectations import Draw, Expected, within
from dpverify.language.functions import Function, points
from dpverify.language.vectors import Atom, Inner, Vector, norm2
from dpverify.proving.symbols import placed
from dpverify.relations import AtMost
from dpverify.theorems import AllOf, ForEvery, ForSome, Iterates, Theorem


def objects_of(parts: Iterable[Any]) -> set[Any]:
    """The functions and the noises that stand in statements, hypotheses and vectors, at any depth.

    >>> from dpverify.language import Noise, norm2
    >>> [draw.name for draw in objects_of([AtMost(norm2(Noise("nu", variance=1)), 2)])]
    ['nu']
    """
    found: set[Any] = set()
    todo = list(parts)
    while todo:
        part = todo.pop()
        if isinstance(part, Vector):
            part = norm2(part)
        if isinstance(part, list | tuple | dict):
            todo.extend(part.values() if isinstance(part, dict) else part)
        elif isinstance(part, sp.Basic):
            draws = {basis for basis in within(part) if isinstance(basis, Draw)}
            inside = [e for draw in draws for e in (norm2(draw.mean), draw.variance)]
            found |= draws | {draw for e in part.atoms(Expected) for draw in e.draws}
            found |= set(points([part, *inside]))
        elif is_dataclass(part) and not isinstance(part, type):
            todo.extend(getattr(part, f.name) for f in fields(part) if f.name != "proof")
    return found


def conditions_on(thing: Function | Draw) -> list[Any]:
    """What the constants of a function, or the moments of a noise, meet if there is one.

    >>> v, w = sp.symbols("v w", positive=True)
    >>> conditions_on(Function("f", smooth=v, strongly_convex=w))
    [w <= v]
    """
    if isinstance(thing, Draw):
        wanted = [sp.Le(0, thing.variance)]
    else:
        wanted = list(thing.conditions)
        if thing.strongly_convex is not None and thing.lipschitz is not None:
            wanted.append(sp.false)  # no function is both
    return [condition for condition in wanted if condition is not sp.true]


def existence(parts: Sequence[Any]) -> list[Any]:
    """The hypotheses that a statement makes by speaking of functions and noises; what depends on the state of
    an iteration is left to its run.

    >>> from dpverify.language import Noise
    >>> v, w = sp.symbols("v w", positive=True)
    >>> existence([AtMost(norm2(Noise("nu", variance=v - w)), 2)])
    [0 <= v - w]
    """
    found: list[Any] = []
    for part in parts:
        if isinstance(part, AllOf):
            found += existence(part.parts)
        elif isinstance(part, ForSome):
            found += [placed(condition, part.at) for condition in existence([part.relation])]
    parts = [part for part in parts if not isinstance(part, AllOf | ForSome | Theorem)]  # it has its own
    processes = [part for part in parts if isinstance(part, Iterates)]
    moving = {noise.basis for process in processes for noise in process.noises}
    for thing in sorted(objects_of(parts) - moving, key=str):
        found += conditions_on(thing)
    for process in processes:
        for noise in process.noises:
            limits = (process.index, process.low, process.high)
            for condition in _of_noise(noise.basis) or ():
                at_every_step = process.index in condition.free_symbols
                found.append(ForEvery(AtMost(0, condition.gts), *limits) if at_every_step else condition)
    return [condition for condition in dict.fromkeys(found) if condition is not sp.true]


def nonnegative_form(variance: Any) -> list[Any] | None:
    """What makes a number that is a quadratic form in the state, and a rest, not negative at every state: the
    rest and the principal minors are not. None if it is no such form.

    >>> v, w = sp.symbols("v w", real=True)
    >>> nonnegative_form(v + w * norm2(Vector("x")))
    [0 <= v, 0 <= w]
    >>> nonnegative_form(v * norm2(Vector("x")) + w * norm2(Vector("y")))
    [True, 0 <= v, 0 <= w, 0 <= v*w]
    """
    inners = sorted(variance.atoms(Atom), key=lambda atom: atom.key)
    if not inners:
        return [sp.Le(0, variance)]
    vectors = sorted({basis for atom in inners for basis in atom.bases}, key=lambda basis: basis.order)
    if not all(isinstance(atom, Inner) for atom in inners) or len(vectors) > 3:
        return None
    form = sp.Poly(variance, *inners)
    if form.total_degree() > 1:
        return None

    def entry(i: int, j: int) -> Any:
        pair = Inner.between(vectors[i], vectors[j])
        coefficient = form.coeff_monomial(pair) if pair in inners else sp.S.Zero
        return coefficient if i == j else coefficient / 2

    matrix = sp.Matrix(len(vectors), len(vectors), entry)
    chosen = [
        rows for k in range(len(vectors)) for rows in itertools.combinations(range(len(vectors)), k + 1)
    ]
    minors = [sp.factor(matrix.extract(list(rows), list(rows)).det()) for rows in chosen]
    return [sp.Le(0, number) for number in (form.coeff_monomial(1), *minors)]


def depends_on_its_state(process: Iterates) -> bool:
    """Whether there is a noise for every step can be seen along a run alone.

    >>> from dpverify.language import Noise
    >>> x, t = Vector("x"), sp.Symbol("t", integer=True)
    >>> nu, V = Noise("nu", variance=1 - norm2(x)), sp.IndexedBase("V", real=True)
    >>> depends_on_its_state(Iterates(V, norm2(x), [x], [x + nu], [nu], t, 1, 2))
    True
    """
    return any(_of_noise(noise.basis) is None for noise in process.noises)


def _of_noise(draw: Draw) -> list[Any] | None:
    """What makes the variance not negative at every state, or None if that can be seen along a run alone."""
    if draw.variance.is_nonnegative:
        return []
    always = nonnegative_form(draw.variance)
    if always is None or sp.false in always:
        return None if draw.variance.atoms(Atom) else [sp.false]
    return [condition for condition in always if condition is not sp.true]
