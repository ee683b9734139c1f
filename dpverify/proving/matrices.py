"""Linear matrix inequalities: M >= 0 for all parameters, or for some values of unknowns in which it is
affine.

numbers      M = L diag(d) L^T with d >= 0, over the rationals
parameters   every principal minor is nonnegative, or every leading one positive (Sylvester): inequalities,
proved as such
unknowns     a rational point found by a semidefinite program, at which every block is M = L diag(d) L^T with
d >= 0
no point     Z >= 0 with <Z, M(u)> the same negative number for every u: then no u makes M(u) >= 0
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.effort import Effort
from dpverify.proving import semidefinite
from dpverify.proving.codec import from_json, to_json
from dpverify.proving.domain import Domain
from dpverify.proving.reduction import Certificate, GaveUp, Outcome, Reduction, Ways, engine
from dpverify.relations import AtMost, PositiveSemidefinite
from dpverify.verdicts import Witness

HANDLES = (PositiveSemidefinite,)
ZERO = sp.Integer(0)


def attempt(relation: PositiveSemidefinite, effort: Effort) -> Outcome:
    """A factorisation, minors, or a point."""
    blocks = _blocks(relation)
    if isinstance(blocks, str):
        return GaveUp(blocks)
    if relation.unknowns:
        return _point(relation, blocks)
    if all(_rational(m) for m in blocks):
        if not all(semidefinite.ldl(_rows(m)) for m in blocks):
            return GaveUp("a pivot is negative")
        return Certificate({"at": [], "summary": "M = L diag(d) L^T with d >= 0"})
    minors = [(m, ix) for m in blocks for ix in _principal(m)]
    every = tuple(
        (AtMost(ZERO, _det(m, ix), relation.given), f"the minor of rows {[i + 1 for i in ix]}")
        for m, ix in minors
    )
    leading = tuple((r, why) for (r, why), (_, ix) in zip(every, minors) if ix == tuple(range(len(ix))))
    sylvester = tuple((AtMost(r.lhs, r.rhs, r.given, strict=True), why) for r, why in leading)
    return Ways(
        [
            Reduction(every, "every principal minor is nonnegative"),
            Reduction(sylvester, "every leading minor is positive"),
        ]
    )


def _blocks(relation: PositiveSemidefinite) -> list[sp.Matrix] | str:
    """The matrices that must be positive semidefinite, scalars as 1 x 1, definitions among the hypotheses put
    in.
    """
    blocks = []
    domain = Domain([], relation.given)
    for part in (relation.matrix, *relation.also):
        m = sp.Matrix(part) if isinstance(part, sp.MatrixBase) else sp.Matrix([[sp.sympify(part)]])
        m = m.applyfunc(lambda e: sp.sympify(e).xreplace(domain.defined))
        if m.shape[0] != m.shape[1] or any(
            sp.simplify(m[i, j] - m[j, i]) != 0 for i in range(m.shape[0]) for j in range(i)
        ):
            return f"the matrix {sp.sstr(m)} is not symmetric"
        blocks.append(m)
    return blocks


def _principal(m: sp.Matrix) -> Iterator[tuple[int, ...]]:
    n = m.shape[0]
    return (ix for size in range(1, n + 1) for ix in itertools.combinations(range(n), size))


def _det(m: sp.Matrix, ix: tuple[int, ...]) -> Any:
    return sp.factor(m.extract(list(ix), list(ix)).det(method="berkowitz"))


def _rational(m: sp.Matrix) -> bool:
    return all(e.is_Rational for e in m)


def _rows(m: sp.Matrix) -> semidefinite.Rows:
    return [[Fraction(int(m[i, j].p), int(m[i, j].q)) for j in range(m.shape[1])] for i in range(m.shape[0])]


Affine = tuple[semidefinite.Rows, list[semidefinite.Rows]]


def _affine(blocks: list[sp.Matrix], unknowns: list[sp.Symbol]) -> list[Affine] | str:
    """Every block as M_0 + sum_k u_k M_k with rational matrices."""
    rows = []
    for m in blocks:
        parts = [m.applyfunc(lambda e, u=u: sp.diff(sp.expand(e), u)) for u in unknowns]
        constant = m.applyfunc(lambda e: sp.expand(e).subs(dict.fromkeys(unknowns, 0)))
        for part in (constant, *parts):
            if not _rational(part):
                return (
                    f"the matrix is not affine in {', '.join(map(str, unknowns))} with rational "
                    f"coefficients: {sp.sstr(part)}"
                )
        rows.append((_rows(constant), [_rows(p) for p in parts]))
    return rows


def _signs(relation: PositiveSemidefinite) -> list[sp.Matrix]:
    """What the assumptions on the unknowns and the bounds among the hypotheses ask of them, as 1 x 1
    blocks.
    """
    asked = [sp.Matrix([[u]]) for u in relation.unknowns if u.is_nonnegative] + [
        sp.Matrix([[-u]]) for u in relation.unknowns if u.is_negative
    ]
    for c in Domain([], relation.given).given:
        if isinstance(c, sp.Le | sp.Ge | sp.Lt | sp.Gt):
            asked.append(sp.Matrix([[c.rhs - c.lhs if isinstance(c, sp.Le | sp.Lt) else c.lhs - c.rhs]]))
    return asked


def _point(relation: PositiveSemidefinite, blocks: list[sp.Matrix]) -> Outcome:
    cp = engine("cvxpy", "sdp")
    unknowns = list(relation.unknowns)
    affine = _affine([*blocks, *_signs(relation)], unknowns)
    if isinstance(affine, str):
        return GaveUp(affine)
    u, margin = cp.Variable(len(unknowns)), cp.Variable()
    constraints = [margin <= 1, cp.norm(u, "inf") <= 1e4]
    for constant, parts in affine:
        n = len(constant)
        whole = np.array(constant, dtype=float) + sum(
            (u[k] * np.array(p, dtype=float) for k, p in enumerate(parts)), np.zeros((n, n))
        )
        constraints.append((whole + whole.T) / 2 - margin * np.eye(n) >> 0)
    problem = cp.Problem(cp.Maximize(margin), constraints)
    if not semidefinite.solved(problem):
        return GaveUp("the solver gave up")
    if u.value is None or float(margin.value) < -1e-6:
        return GaveUp("the solver found no point")
    for denominator in semidefinite.DENOMINATORS:
        at = [sp.Rational(round(float(v) * denominator), denominator) for v in u.value]
        certificate = {
            "at": [to_json(v) for v in at],
            "summary": "at " + ", ".join(f"{k} = {v}" for k, v in zip(unknowns, at)),
        }
        if check(relation, certificate):
            return Certificate(certificate)
    numbers = dict(zip(map(str, unknowns), u.value.tolist()))
    return GaveUp(f"the solver's point {numbers} could not be made rational")


def check(relation: PositiveSemidefinite, certificate: dict[str, Any]) -> bool:
    """At the point named, every block factors as L diag(d) L^T with d >= 0, exactly, and the unknowns meet
    what is asked of them.
    """
    blocks, at = _blocks(relation), [from_json(v) for v in certificate["at"]]
    if isinstance(blocks, str) or len(at) != len(relation.unknowns) or not all(v.is_Rational for v in at):
        return False
    values = dict(zip(relation.unknowns, at))
    if not Domain(list(relation.unknowns), relation.given).holds(values):
        return False
    placed = [m.xreplace(values).applyfunc(sp.expand) for m in blocks]
    return all(_rational(m) and semidefinite.ldl(_rows(m)) is not None for m in placed)


def consequences(relation: PositiveSemidefinite) -> Iterator[AtMost]:
    """Without unknowns: every principal minor is nonnegative."""
    blocks = _blocks(relation)
    if relation.unknowns or isinstance(blocks, str):
        return
    for m in blocks:
        for ix in _principal(m):
            yield AtMost(ZERO, _det(m, ix), relation.given)


def refute(relation: PositiveSemidefinite, effort: Effort) -> Witness | None:
    """With unknowns: Z >= 0 that makes <Z, M(u)> the same negative number for every u."""
    blocks = _blocks(relation)
    if not relation.unknowns or isinstance(blocks, str):
        return None
    unknowns = list(relation.unknowns)
    whole = [*blocks, *_signs(relation)]
    affine = _affine(whole, unknowns)
    if isinstance(affine, str):
        return None
    equations: list[semidefinite.Equation] = [{} for _ in range(len(unknowns) + 1)]
    for b, (constant, parts) in enumerate(affine):
        for equation, rows in zip(equations, (constant, *parts)):
            for j in range(len(rows)):
                for i in range(j + 1):
                    if rows[i][j]:
                        equation[(b, i, j)] = (1 if i == j else 2) * rows[i][j]
    certificate = semidefinite.find(
        [len(constant) for constant, _ in affine], equations, [Fraction(-1), *[Fraction(0)] * len(unknowns)]
    )
    if certificate is None:
        return None
    duals = [
        sp.Matrix([[sp.Rational(v.numerator, v.denominator) for v in row] for row in z]) for z in certificate
    ]
    exact = {
        "kind": "matrices",
        "blocks": [[[to_json(e) for e in m.row(i)] for i in range(m.shape[0])] for m in whole],
        "duals": [[[to_json(e) for e in z.row(i)] for i in range(z.shape[0])] for z in duals],
    }
    let = {f"Z_{k + 1}": sp.sstr(z.tolist()) for k, z in enumerate(duals) if any(z)}
    names = ", ".join(map(str, unknowns))
    then = (
        f"every Z_k >= 0 and sum_k <Z_k, M_k> = -1 whatever {names}, M_1 being "
        f"{sp.sstr(whole[0].tolist())} and the others what is asked besides"
    )
    return Witness(
        let,
        then,
        "0 <= -1, since <Z, M> >= 0 if both are positive semidefinite",
        exact,
        because="the factors were computed over the rationals",
    )


def verify(exact: dict[str, Any]) -> bool:
    """Whether Z >= 0 and <Z, M(u)> is a negative number free of u, from the record alone."""
    blocks = [sp.Matrix([[from_json(e) for e in row] for row in m]) for m in exact["blocks"]]
    duals = [sp.Matrix([[from_json(e) for e in row] for row in z]) for z in exact["duals"]]
    if len(blocks) != len(duals) or any(
        m.shape != z.shape or not m.is_symmetric() or not z.is_symmetric() for m, z in zip(blocks, duals)
    ):
        return False
    if not all(_rational(z) and semidefinite.ldl(_rows(z)) is not None for z in duals):
        return False
    total = sp.expand(sum((sum((a * b for a, b in zip(m, z)), ZERO) for m, z in zip(blocks, duals)), ZERO))
    return bool(total.is_Rational and total < 0)
