"""Rational positive semidefinite matrices under linear equations: found by a numerical solver, rounded,
verified exactly.

    find Q_1, ..., Q_k >= 0 with sum_b <E_rb, Q_b> = c_r for every r
A solution inside the cone survives rounding: the free entries are rounded, the others solved for over the
rationals. If every
solution lies on the boundary, the common kernel is read off, made rational, and the search goes on in its
complement.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from dpverify.proving.limits import SEMIDEFINITE_SECONDS
from dpverify.proving.reduction import engine

Rows = list[list[Fraction]]
Equation = dict[
    tuple[int, int, int], Fraction
]  # (block, row, column), row <= column: the coefficient of that entry of the block

DENOMINATORS = (1, 2, 4, 12, 60, 10**3, 10**4, 10**6, 10**8, 10**10)
INSIDE = 1e-6
VANISHES = 1e-5
FACES = 5


def ldl(matrix: Rows) -> tuple[Rows, list[Fraction]] | None:
    """L with unit diagonal and d >= 0 with matrix = L diag(d) L^T, exactly; None if the matrix is not
    positive semidefinite.

    >>> ldl([[Fraction(4), Fraction(2)], [Fraction(2), Fraction(1)]])[1]
    [Fraction(4, 1), Fraction(0, 1)]
    """
    n = len(matrix)
    rest = [list(row) for row in matrix]
    lower = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    diagonal = []
    for k in range(n):
        pivot = rest[k][k]
        if pivot < 0 or (pivot == 0 and any(rest[i][k] for i in range(k + 1, n))):
            return None
        diagonal.append(pivot)
        if pivot:
            for i in range(k + 1, n):
                lower[i][k] = rest[i][k] / pivot
            for i in range(k + 1, n):
                for j in range(k + 1, n):
                    rest[i][j] -= lower[i][k] * pivot * lower[j][k]
    return lower, diagonal


def find(
    sizes: Sequence[int], equations: Sequence[Equation], constants: Sequence[Fraction]
) -> list[Rows] | None:
    """Rational positive semidefinite blocks of the given sizes that meet the equations exactly, or None."""
    bases = [[[Fraction(int(i == j)) for j in range(n)] for i in range(n)] for n in sizes]
    for _ in range(FACES):
        small = [_restricted(equation, bases) for equation in equations]
        approximate = _numerical([len(b[0]) if b and b[0] else 0 for b in bases], small, constants)
        if approximate is None:
            return None
        blocks, margin = approximate
        if margin > INSIDE:
            inner = _rounded(blocks, small, constants)
            return None if inner is None else [_congruent(w, q) for w, q in zip(bases, inner)]
        smaller = [_face(w, q) for w, q in zip(bases, blocks)]
        if any(w is None for w in smaller):
            return None
        faces = [w for w in smaller if w is not None]
        if faces == bases:
            inner = _rounded(blocks, small, constants)
            return None if inner is None else [_congruent(w, q) for w, q in zip(bases, inner)]
        bases = faces
    return None


def _congruent(w: Rows, q: Rows) -> Rows:
    """w q w^T."""
    n, k = len(w), len(q)
    half = [[sum((w[i][a] * q[a][b] for a in range(k)), Fraction(0)) for b in range(k)] for i in range(n)]
    return [[sum((half[i][b] * w[j][b] for b in range(k)), Fraction(0)) for j in range(n)] for i in range(n)]


def _restricted(equation: Equation, bases: list[Rows]) -> Equation:
    """The equation for Q' where Q = W Q' W^T."""
    result: Equation = {}
    for (block, i, j), c in equation.items():
        w = bases[block]
        for a, left in enumerate(w[i]):
            for b, right in enumerate(w[j]):
                if left and right:
                    key = (block, min(a, b), max(a, b))
                    result[key] = result.get(key, Fraction(0)) + c * left * right
    return {key: c for key, c in result.items() if c}


def solved(problem: Any) -> bool:
    """Whether the semidefinite solver came to an end; an inaccurate point is verified like any other."""
    cp = engine("cvxpy", "sdp")
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            problem.solve(solver="CLARABEL", time_limit=SEMIDEFINITE_SECONDS)
    except (cp.error.SolverError, ValueError):
        return False
    return True


def _numerical(
    sizes: list[int], equations: list[Equation], constants: Sequence[Fraction]
) -> tuple[list[np.ndarray], float] | None:
    """Blocks as far inside the cone as the solver can put them, and how far (at most 1)."""
    cp = engine("cvxpy", "sdp")
    blocks = [cp.Variable((n, n), symmetric=True) if n else None for n in sizes]
    margin = cp.Variable()
    constraints = [margin <= 1, *[q - margin * np.eye(n) >> 0 for q, n in zip(blocks, sizes) if n]]
    flat = cp.hstack([cp.vec(q, order="F") for q in blocks if q is not None]) if any(sizes) else None
    offsets = np.cumsum([0, *[n * n for n in sizes]])
    for equation, constant in zip(equations, constants):
        if not equation:
            if constant:
                return None
            continue
        row = np.zeros(offsets[-1])
        for (b, i, j), c in equation.items():
            row[offsets[b] + j * sizes[b] + i] += float(c)
        constraints.append(row @ flat == float(constant))
    if flat is None:
        return [np.zeros((0, 0)) for _ in sizes], 1.0
    problem = cp.Problem(cp.Maximize(margin), constraints)
    if not solved(problem):
        return None
    if (
        problem.status not in ("optimal", "optimal_inaccurate")
        or margin.value is None
        or float(margin.value) < -1e-4
    ):
        return None
    return [np.asarray(q.value) if q is not None else np.zeros((0, 0)) for q in blocks], float(margin.value)


def _face(w: Rows, q: np.ndarray) -> Rows | None:
    """The basis of the block without the directions in which it vanishes, if those are rational."""
    if not len(q):
        return w
    values, vectors = np.linalg.eigh(q)
    kernel = vectors[:, values < VANISHES * max(1.0, float(values[-1]))].T
    if not len(kernel):
        return w
    echelon = _echelon(kernel)
    rational = [[Fraction(float(v)).limit_denominator(200) for v in row] for row in echelon]
    if max(abs(float(r) - v) for row, exact in zip(echelon, rational) for v, r in zip(row, exact)) > 1e-3:
        return None
    complement = _nullspace(rational, len(q))
    return [[sum((row[a] * c[a] for a in range(len(q))), Fraction(0)) for c in complement] for row in w]


def _echelon(rows: np.ndarray) -> np.ndarray:
    rows = rows.copy()
    free = list(range(rows.shape[1]))
    for k in range(len(rows)):
        column = max(free, key=lambda j: float(np.max(np.abs(rows[k:, j]))))
        free.remove(column)
        best = k + int(np.argmax(np.abs(rows[k:, column])))
        rows[[k, best]] = rows[[best, k]]
        rows[k] /= rows[k, column]
        for i in range(len(rows)):
            if i != k:
                rows[i] -= rows[i, column] * rows[k]
    return rows


def _reduced(rows: Rows) -> tuple[fmpq_mat, list[int]]:
    """Reduced row echelon form, exactly, and its pivot columns."""
    matrix = fmpq_mat(
        len(rows), len(rows[0]), [fmpq(v.numerator, v.denominator) for row in rows for v in row]
    )
    reduced, rank = matrix.rref()
    pivots = []
    for i in range(rank):
        pivots.append(next(j for j in range(len(rows[0])) if reduced[i, j] != 0))
    return reduced, pivots


def _nullspace(rows: Rows, n: int) -> Rows:
    """Rational vectors that span the solutions of rows . v = 0."""
    reduced, pivots = _reduced(rows)
    span = []
    for free in (j for j in range(n) if j not in pivots):
        v = [Fraction(0)] * n
        v[free] = Fraction(1)
        for i, p in enumerate(pivots):
            v[p] = -_fraction(reduced[i, free])
        span.append(v)
    return span


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _rounded(
    blocks: list[np.ndarray], equations: list[Equation], constants: Sequence[Fraction]
) -> list[Rows] | None:
    """The blocks with free entries rounded and the others solved for, if that is positive semidefinite."""
    entries = [(b, i, j) for b, q in enumerate(blocks) for j in range(len(q)) for i in range(j + 1)]
    place = {entry: k for k, entry in enumerate(entries)}
    system = [[Fraction(0)] * (len(entries) + 1) for _ in equations]
    for row, equation, constant in zip(system, equations, constants):
        for entry, c in equation.items():
            row[place[entry]] += c
        row[-1] = Fraction(constant)
    reduced, pivots = _reduced(system) if system and entries else (None, [])
    if len(entries) in pivots:
        return None
    for denominator in DENOMINATORS:
        values = [Fraction(round(float(blocks[b][i, j]) * denominator), denominator) for b, i, j in entries]
        for i, p in enumerate(pivots):
            assert reduced is not None
            values[p] = _fraction(reduced[i, len(entries)]) - sum(
                (
                    _fraction(reduced[i, k]) * values[k]
                    for k in range(p + 1, len(entries))
                    if k not in pivots and reduced[i, k] != 0
                ),
                Fraction(0),
            )
        exact = [
            [[values[place[(b, min(i, j), max(i, j))]] for j in range(len(q))] for i in range(len(q))]
            for b, q in enumerate(blocks)
        ]
        if all(ldl(q) is not None for q in exact):
            return exact
    return None
