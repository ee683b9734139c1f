"""The search for multipliers, in floating point: semidefinite programs at a few values of the parameters.

Which facts are needed is found by leaving out one after the other; the multipliers of those that stay are
guessed as formulas. Nothing here is believed: what is found is checked in `gram`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from dpverify.proving import fitting
from dpverify.proving.floats import compiled
from dpverify.proving.gram_rows import Problem, tidied
from dpverify.proving.limits import SEMIDEFINITE_SECONDS
from dpverify.proving.reduction import engine
from dpverify.proving.vector_statements import ZERO

SLACK = 1e-7


def supports(problem: Problem, where: Sequence[Mapping[Any, Any]]) -> Iterator[list[int]]:
    """Small sets of facts that suffice at the first points, found by leaving out one after the other."""
    everything = list(range(len(problem.facts)))
    first = solve(problem, where[0], everything, SLACK)
    if first is None:
        return
    equations = [i for i in everything if problem.facts[i].equation]
    small = [i for i, v in zip(everything, first) if abs(v) > 1e-6 or i in equations]
    seen: set[tuple[int, ...]] = set()
    orders = [everything, small, everything[::-1]] if len(everything) <= 40 else [small]
    for start in orders:
        support = _pruned(problem, where[:3], list(start))
        if support is not None and tuple(sorted(support)) not in seen:
            seen.add(tuple(sorted(support)))
            yield sorted(support)


def _pruned(problem: Problem, where: Sequence[Mapping[Any, Any]], support: list[int]) -> list[int] | None:
    def suffices(chosen: Sequence[int]) -> bool:
        return all(solve(problem, p, chosen, SLACK) is not None for p in where)

    if not suffices(support):
        return None
    for i in reversed(support.copy()):
        rest = [k for k in support if k != i]
        if suffices(rest):
            support = rest
    return support


def rational_multipliers(problem: Problem, support: list[int]) -> Iterator[dict[int, Any]]:
    """The multipliers of a problem without parameters, rounded ever less."""
    solved = solve(problem, {}, support)
    if solved is None:
        return
    for denominator in (1, 2, 12, 60, 1000, 10**5):
        rounded = {
            i: sp.Rational(Fraction(float(v)).limit_denominator(denominator)) for i, v in zip(support, solved)
        }
        yield {i: v for i, v in rounded.items() if v}


def fitted(
    problem: Problem, support: list[int], where: Sequence[Mapping[Any, Any]], library: Sequence[Any]
) -> Iterator[dict[int, Any]]:
    """Formulas for the multipliers in the support: those that the values must cancel by are solved for, the
    others are fitted.
    """
    rows = [(p, v) for p in where if (v := solve(problem, p, support)) is not None]
    if 2 * len(rows) < len(where):  # a solver stumbles now and then where nothing lies inside the cone
        return
    values = np.array([v for _, v in rows])
    unknown = {i: sp.Dummy(f"lambda_{i}") for i in support}
    equations = _equations(problem, unknown, rows)
    solution = sp.solve(equations, list(unknown.values()), dict=True) if equations else [{}]
    if not solution:
        return
    solved = solution[0]
    fitted: dict[Any, Any] = {}
    for k, i in enumerate(support):
        if unknown[i] not in solved:
            formula = fitting.formula(
                values[:, k], [p for p, _ in rows], problem.statement.parameters, library
            )
            if formula is None:
                return
            fitted[unknown[i]] = formula
    final = {i: tidied(solved.get(u, u).xreplace(fitted)) for i, u in unknown.items()}
    if not any(v.free_symbols & set(unknown.values()) for v in final.values()):
        yield {i: v for i, v in final.items() if v != 0}


def _equations(problem: Problem, unknown: Mapping[int, Any], rows: Sequence[Any]) -> list[Any]:
    """What the multipliers must meet: values cancel, and a row of a matrix vanishes if its diagonal entry
    does.
    """
    rest = dict(problem.target)
    for i, u in unknown.items():
        for m, c in problem.rows[i].items():
            rest[m] = rest.get(m, ZERO) - u * c
    equations = [rest[m] for m in problem.free if m in rest]
    numeric = _numeric(problem)
    for which, matrix in enumerate(problem.matrices(rest)):
        sums = []
        for point, values in rows:
            blocks = numeric.blocks(numeric.table(point))[which]
            chosen = blocks[[i + 1 for i in unknown]]
            sums.append(blocks[0] - np.tensordot(values, chosen, axes=1) if len(chosen) else blocks[0])
        for j in range(matrix.shape[0]):
            if all(abs(s[j, j]) < 1e-6 * max(1.0, float(np.abs(s).max())) for s in sums):
                equations += [e for e in matrix.row(j) if e != 0]
    return [e for e in equations if e != 0]


def plausible(problem: Problem, multipliers: Mapping[int, Any], where: Sequence[Mapping[Any, Any]]) -> bool:
    """Whether formulas are multipliers at every sampled value of the parameters, in floating point."""
    numeric, parameters = _numeric(problem), problem.statement.parameters
    formulas = compiled(parameters, [sp.sympify(m) for m in multipliers.values()])
    rows = [0, *[i + 1 for i in multipliers]]
    for point in where:
        with np.errstate(all="ignore"):
            values = np.array(formulas(*[np.float64(point[s]) for s in parameters]), dtype=float)
        signed = [v for i, v in zip(multipliers, values) if not problem.facts[i].equation]
        if not np.all(np.isfinite(values)) or min(signed, default=0.0) < -1e-7:
            return False
        table = numeric.table(point)[rows]
        for block in numeric.blocks(table):
            rest = block[0] - np.tensordot(values, block[1:], axes=1)
            if len(rest) and np.linalg.eigvalsh(rest)[0] < -1e-6 * max(1.0, float(np.abs(block[0]).max())):
                return False
    return True


class Numeric:
    """The coefficients of a problem as functions of the parameters, in floating point."""

    def __init__(self, problem: Problem):
        self.problem = problem
        rows = [problem.target, *problem.rows]
        self.monomials = sorted({m for row in rows for m in row}, key=str)
        table = [row.get(m, ZERO) for row in rows for m in self.monomials]
        self.shape = (len(rows), len(self.monomials))
        self.tables: dict[tuple[float, ...], np.ndarray] = {}
        self.values = compiled(problem.statement.parameters, table)
        self.sizes = [len(names) for names in problem.blocks]
        self.entries = [(k, place) for k, m in enumerate(self.monomials) if (place := problem.entry(m))]
        self.free = [k for k, m in enumerate(self.monomials) if problem.entry(m) is None]

    def table(self, point: Mapping[Any, Any]) -> np.ndarray:
        at = tuple(np.float64(point[s]) for s in self.problem.statement.parameters)
        if at not in self.tables:
            with np.errstate(all="ignore"):
                self.tables[at] = np.array(self.values(*at), dtype=float).reshape(self.shape)
        return self.tables[at]

    def blocks(self, table: np.ndarray) -> list[np.ndarray]:
        """For every row its matrices."""
        matrices = [np.zeros((len(table), n, n)) for n in self.sizes]
        for k, (which, i, j) in self.entries:
            matrices[which][:, i, j] += table[:, k] / 2
            matrices[which][:, j, i] += table[:, k] / 2
        return matrices


def _numeric(problem: Problem) -> Numeric:
    if not hasattr(problem, "numeric"):
        problem.numeric = Numeric(problem)  # type: ignore[attr-defined]
    return problem.numeric  # type: ignore[attr-defined]


def solve(
    problem: Problem, point: Mapping[Any, Any], support: Sequence[int], slack: float = 0.0
) -> np.ndarray | None:
    """Multipliers of the facts in the support at one value of the parameters, the least in sum, or None.

    With some slack the matrices need be positive semidefinite only nearly, which a solver finds more easily.
    """
    clarabel = engine("clarabel", "sdp")
    from scipy.sparse import csc_matrix

    numeric = _numeric(problem)
    table = numeric.table(point)
    if not np.all(np.isfinite(table)):
        return None
    chosen = [0, *[i + 1 for i in support]]
    scale = np.maximum(np.abs(table[chosen]).max(axis=1, initial=0.0), 1e-9)
    table = table[chosen] / scale[:, None]
    blocks = numeric.blocks(table)
    kernel = _common_kernel(blocks[0])
    blocks[0] = np.einsum("ai,kij,bj->kab", kernel, blocks[0], kernel)
    m = len(support)
    if m == 0:
        return np.zeros(0) if _feasible(table, numeric, blocks) else None
    columns = []
    right = []
    cones = []
    if numeric.free:
        columns.append(table[1:, numeric.free].T)
        right.append(table[0, numeric.free])
        cones.append(clarabel.ZeroConeT(len(numeric.free)))
    signed = [k for k, i in enumerate(support) if not problem.facts[i].equation]
    if signed:
        part = np.zeros((len(signed), len(support)))
        part[range(len(signed)), signed] = -1.0
        columns.append(part)
        right.append(np.zeros(len(signed)))
        cones.append(clarabel.NonnegativeConeT(len(signed)))
    for block in blocks:
        size = block.shape[1]
        if size:
            columns.append(_packed(block[1:]).T)
            right.append(_packed(block[0] + slack * np.eye(size)))
            cones.append(clarabel.PSDTriangleConeT(size))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = SEMIDEFINITE_SECONDS
    settings.tol_feas = settings.tol_gap_abs = settings.tol_gap_rel = 1e-10
    weights = np.array([0.0 if problem.facts[i].equation else 1.0 for i in support])
    a, b = np.vstack(columns), np.concatenate(right)
    solver = clarabel.DefaultSolver(csc_matrix((m, m)), weights, csc_matrix(a), b, cones, settings)
    solution = solver.solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        return None
    return np.asarray(solution.x) * scale[0] / scale[1:]


def _feasible(table: np.ndarray, numeric: Numeric, blocks: list[np.ndarray]) -> bool:
    return bool(np.all(np.abs(table[0, numeric.free]) < 1e-9)) and all(
        float(np.linalg.eigvalsh(b[0])[0]) > -1e-9 for b in blocks if b.shape[1]
    )


def _common_kernel(matrices: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the complement of what every matrix sends to 0, as rows: a statement that
    does not change if all points move together has such a kernel, and the solver works better without it.
    """
    n = matrices.shape[1]
    if n == 0:
        return np.zeros((0, 0))
    _, values, basis = np.linalg.svd(matrices.reshape(-1, n), full_matrices=False)
    rank = int(np.sum(values > 1e-9 * max(1.0, float(values[0]) if len(values) else 1.0)))
    return basis[:rank]


def _packed(matrices: np.ndarray) -> np.ndarray:
    """The upper triangles by columns, what is off the diagonal times the root of two."""
    columns, rows = np.tril_indices(matrices.shape[-1])
    return matrices[..., rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0))
