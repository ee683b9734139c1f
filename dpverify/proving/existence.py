"""What a statement supposes in silence: that there are functions of the classes and noises with the moments
of which it speaks.

    f with smooth=L, strongly_convex=mu       mu <= L
    nu with variance v - w                    0 <= v - w, at every step if it is the noise of an iteration

These join the hypotheses wherever a point that meets them, or a case that breaks the conclusion, is looked
for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import sympy as sp

from dpverify.language.expectations import Draw, Expected, within
from dpverify.language.functions import Function, points
from dpverify.language.vectors import Atom, Vector, norm2
from dpverify.proving.domain import placed
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
            variance = noise.basis.variance
            if variance.is_nonnegative or variance.atoms(Atom):
                continue
            if process.index in variance.free_symbols:
                found.append(ForEvery(AtMost(0, variance), process.index, process.low, process.high))
            else:
                found += conditions_on(noise.basis)
    return [condition for condition in dict.fromkeys(found) if condition is not sp.true]


def depends_on_its_state(process: Iterates) -> bool:
    """Whether there is a noise for every step can be seen along a run alone.

    >>> from dpverify.language import Noise
    >>> x, t = Vector("x"), sp.Symbol("t", integer=True)
    >>> nu, V = Noise("nu", variance=1 - norm2(x)), sp.IndexedBase("V", real=True)
    >>> depends_on_its_state(Iterates(V, norm2(x), [x], [x + nu], [nu], t, 1, 2))
    True
    """
    variances = [noise.basis.variance for noise in process.noises]
    return any(variance.atoms(Atom) and not variance.is_nonnegative for variance in variances)
