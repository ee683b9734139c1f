"""Rates of first-order methods, beside PEPit: its worst case at numbers, our formula with a proof for all
parameters.

    python benchmarks/pepit.py

PEPit (PyPI: pepit; Goujaud et al., 2022) solves a semidefinite program at given numbers and returns the
worst rate in floating point. Each row states the rate as a formula: it is proved with every parameter a
symbol, its value at PEPit's numbers is compared with PEPit's, and with one percent less it is refuted by an
explicit function.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from dpverify.language import Function, inner, norm2, vectors
from dpverify.optional import optional
from dpverify.proving import prove
from dpverify.relations import AtMost

L, mu, eta, q = sp.symbols("L mu eta q", positive=True)
x, y, z = vectors("x y z")
NUMBERS = {L: sp.Integer(2), mu: sp.Rational(1, 4), eta: sp.Rational(2, 5), q: sp.Rational(1, 3)}


@dataclass(frozen=True)
class Row:
    """A rate: `left <= rate * right`, under hypotheses, and the program that PEPit solves for it."""

    name: str
    left: Any
    right: Any
    rate: Any
    given: tuple[Any, ...]
    theirs: Callable[[Any, dict[str, float]], Any]
    tight: bool = True


def strongly_convex() -> list[Row]:
    """Gradient descent on smooth strongly convex functions."""
    f = Function("f", smooth=L, strongly_convex=mu)
    best, after = f.minimiser, x - eta * f.gradient(x)
    long, short = (eta <= 2 / (L + mu), mu < L), (eta <= 1 / L, mu < L)

    def program(measure: str) -> Callable[[Any, dict[str, float]], Any]:
        def build(pepit: Any, at: dict[str, float]) -> Any:
            from PEPit.functions import SmoothStronglyConvexFunction

            problem = pepit.PEP()
            g = problem.declare_function(SmoothStronglyConvexFunction, mu=at["mu"], L=at["L"])
            least, start = g.stationary_point(), problem.set_initial_point()
            end = start - at["eta"] * g.gradient(start)
            of = {
                "distance": lambda p: (p - least) ** 2,
                "value": lambda p: g(p) - g(least),
                "gradient": lambda p: g.gradient(p) ** 2,
            }[measure]
            problem.set_initial_condition(of(start) <= 1)
            problem.set_performance_metric(of(end))
            return problem

        return build

    rate = (1 - eta * mu) ** 2
    return [
        Row(
            "gradient descent, distance",
            norm2(after - best),
            norm2(x - best),
            rate,
            long,
            program("distance"),
        ),
        Row("gradient descent, value", f(after) - f.minimum, f(x) - f.minimum, rate, short, program("value")),
        Row(
            "gradient descent, gradient",
            norm2(f.gradient(after)),
            norm2(f.gradient(x)),
            rate,
            long,
            program("gradient"),
        ),
    ]


def convex() -> list[Row]:
    """Gradient descent on smooth convex functions."""
    f = Function("f", smooth=L, convex=True)
    after = x - eta * f.gradient(x)

    def build(pepit: Any, at: dict[str, float]) -> Any:
        from PEPit.functions import SmoothConvexFunction

        problem = pepit.PEP()
        g = problem.declare_function(SmoothConvexFunction, L=at["L"])
        least, start = g.stationary_point(), problem.set_initial_point()
        problem.set_initial_condition((start - least) ** 2 <= 1)
        problem.set_performance_metric(g(start - at["eta"] * g.gradient(start)) - g(least))
        return problem

    def monotone(pepit: Any, at: dict[str, float]) -> Any:
        from PEPit.functions import SmoothConvexFunction

        problem = pepit.PEP()
        g = problem.declare_function(SmoothConvexFunction, L=at["L"])
        one, two = problem.set_initial_point(), problem.set_initial_point()
        difference = g.gradient(one) - g.gradient(two)
        problem.set_initial_condition(difference * (one - two) <= 1)
        problem.set_performance_metric(difference**2)
        return problem

    difference = f.gradient(x) - f.gradient(y)
    return [
        Row(
            "gradient descent, convex",
            f(after) - f.minimum,
            norm2(x - f.minimiser),
            L / (4 * eta * L + 2),
            (eta * L <= 1,),
            build,
        ),
        Row("co-coercivity", norm2(difference), inner(difference, x - y), L, (), monotone),
    ]


def nonconvex() -> list[Row]:
    """Gradient descent on smooth functions."""
    f = Function("f", smooth=L)
    after = x - eta * f.gradient(x)

    def build(pepit: Any, at: dict[str, float]) -> Any:
        from PEPit.functions import SmoothFunction

        problem = pepit.PEP()
        g = problem.declare_function(SmoothFunction, L=at["L"])
        start = problem.set_initial_point()
        end = start - at["eta"] * g.gradient(start)
        problem.set_initial_condition(g(start) - g(end) <= 1)
        problem.set_performance_metric(g.gradient(start) ** 2)
        return problem

    rate = 1 / (eta * (1 - L * eta / 2))
    return [
        Row("descent by the gradient", norm2(f.gradient(x)), f(x) - f(after), rate, (eta * L < 2,), build)
    ]


def nesterov() -> list[Row]:
    """One step of Nesterov's method: its potential falls by 1 - q, with mu = q^2 L."""
    f = Function("f", smooth=L, strongly_convex=q**2 * L)
    best, between = f.minimiser, (x + q * z) / (1 + q)
    after = between - f.gradient(between) / L
    moved = (1 - q) * z + q * between - f.gradient(between) / (q * L)

    def build(pepit: Any, at: dict[str, float]) -> Any:
        from PEPit.functions import SmoothStronglyConvexFunction

        r, size = at["q"], at["L"]
        problem = pepit.PEP()
        g = problem.declare_function(SmoothStronglyConvexFunction, mu=r**2 * size, L=size)
        least = g.stationary_point()
        start = problem.set_initial_point()
        other = problem.set_initial_point()
        middle = (start + r * other) / (1 + r)
        slope = g.gradient(middle)
        end, far = middle - slope / size, (1 - r) * other + r * middle - slope / (r * size)
        problem.set_initial_condition(g(start) - g(least) + r**2 * size / 2 * (other - least) ** 2 <= 1)
        problem.set_performance_metric(g(end) - g(least) + r**2 * size / 2 * (far - least) ** 2)
        return problem

    def potential(point: Any, velocity: Any) -> Any:
        return f(point) - f.minimum + q**2 * L / 2 * norm2(velocity - best)

    return [
        Row(
            "Nesterov's potential",
            potential(after, moved),
            potential(x, z),
            1 - q,
            (q < 1,),
            build,
            tight=False,
        )
    ]


ROWS = [*strongly_convex(), *convex(), *nonconvex(), *nesterov()]


def measure(row: Row) -> str:
    """One line: PEPit's rate, ours, whether it is proved for all parameters and refuted with one percent
    less.
    """
    pepit = optional("PEPit", "bench")
    at = {str(s): float(v) for s, v in NUMBERS.items()}
    start = time.perf_counter()
    theirs = float(row.theirs(pepit, at).solve(verbose=0))
    seconds = time.perf_counter() - start
    ours = float(row.rate.xreplace(NUMBERS))
    proof = prove(AtMost(row.left, row.rate * row.right, row.given))
    less = prove(AtMost(row.left, sp.Rational(99, 100) * row.rate * row.right, row.given))
    numbers = f"{theirs:12.8f} {ours:12.8f} {ours - theirs:9.1e}  {seconds:6.2f} {proof.seconds:6.2f}"
    return f"{row.name:28} {numbers}  {proof.verdict:9} {less.verdict if row.tight else '-':9} {row.rate}"


def main() -> None:
    """Print the table."""
    print(f"at {', '.join(f'{s} = {v}' for s, v in NUMBERS.items())}; seconds of theirs and of ours")
    print(
        f"{'rate':28} {'PEPit':>12} {'ours':>12} {'differs':>9}  {'s':>6} {'s':>6}  "
        f"{'formula':9} {'1% less':9} formula"
    )
    for row in ROWS:
        print(measure(row), flush=True)


if __name__ == "__main__":
    main()
