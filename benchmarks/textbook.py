"""Thirty textbook facts on optimization and privacy: verdict, seconds and judges of each, beside PEPit where
it applies.

    python benchmarks/textbook.py            prints the table
    python benchmarks/textbook.py --write    writes the page docs/language/textbook.md

The facts are statements for all parameters and all dimensions. PEPit (PyPI: pepit) computes the worst case of
a rate at numbers; those rows are the ones of benchmarks/pepit.py, and have both figures.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from dpverify.exam import expectations, functions, mechanisms, sums, vectors
from dpverify.guarantees import ApproxDP
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Repeated
from dpverify.language.vectors import Vector, norm2
from dpverify.proving import prove
from dpverify.relations import AtMost, BigO, Equal
from dpverify.theorems import AllOf, Iterates, Theorem, formal
from dpverify.verdicts import Result

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "language" / "textbook.md"

L, mu, eta, s, b = sp.symbols("L mu eta s b", positive=True)
t, T = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "T"))
x = Vector("x")
v = Vector("v")
g = Vector("g")
nu = Noise("nu", variance=s**2)


@dataclass(frozen=True)
class Fact:
    """A fact by name, and the row of benchmarks/pepit.py that PEPit solves for it, if there is one."""

    area: str
    name: str
    build: Callable[[], Any]
    row: str = ""


def sgd_on_pl_functions() -> Theorem:
    """T noisy steps on a PL function: E f(x_T) - min f falls geometrically to a floor set by the noise."""
    f = Function("f", smooth=L, polyak_lojasiewicz=mu)
    e = sp.IndexedBase("e", nonnegative=True)
    after = x - eta * (f.gradient(x) + nu)
    steps = Iterates(e, f(x) - f.minimum, [x], [after], [nu], t, 1, T)
    ratio, extra = 1 - eta * mu, L * eta**2 * s**2 / 2
    return (
        Theorem(
            given=[eta * L <= 1, mu <= L, steps],
            shows=AtMost(e[T + 1], ratio**T * e[1] + sp.Sum(ratio ** (T - t) * extra, (t, 1, T))),
        )
        .descend(steps, ratio, extra, "one step", by=[f.descent(x, after)])
        .unroll(e[t], ratio, extra, (t, 1, T), "T steps")
    )


def sgd_on_smooth_functions() -> Theorem:
    """T noisy steps on a smooth function: the sum of E|gradient|^2 is at most what f can fall, and noise."""
    f = Function("f", smooth=L)
    e, q = sp.IndexedBase("e", real=True), sp.IndexedBase("q", nonnegative=True)
    after = x - eta * (f.gradient(x) + nu)
    values = Iterates(e, f(x), [x], [after], [nu], t, 1, T)
    gradients = Iterates(q, norm2(f.gradient(x)), [x], [after], [nu], t, 1, T)
    extra = L * eta**2 * s**2 / 2
    fall = AtMost(eta / 2 * q[t], e[t] - e[t + 1] + extra)
    return (
        Theorem(
            given=[eta * L <= 1, values, gradients],
            shows=AtMost(eta / 2 * sp.Sum(q[t], (t, 1, T)), e[1] - e[T + 1] + T * extra),
        )
        .descend(values, 1, extra, "one step", by=[f.descent(x, after)], beside=[(gradients, -eta / 2)])
        .sum(fall, (t, 1, T), "added up; the values telescope")
    )


def variance_reduction() -> AtMost:
    """A recursive estimate v of the gradient, moved by a sampled difference of gradients: from x to y its
    error grows by L^2 |y - x|^2/b at most, the variance of that difference.
    """
    f, y = Function("f", smooth=L), Vector("y")
    moved = f.gradient(y) - f.gradient(x)
    difference = Noise("D", mean=moved, variance=norm2(moved) / b)
    return AtMost(
        E(norm2(v + difference - f.gradient(y))), norm2(v - f.gradient(x)) + L**2 * norm2(y - x) / b
    )


def momentum_as_averaging() -> AtMost:
    """The error of momentum on a gradient that does not move: a share beta^2 of the old one, and fresh
    noise.
    """
    beta = sp.Symbol("beta", positive=True)
    after = beta * v + (1 - beta) * (g + nu)
    bound = beta**2 * norm2(v - g) + (1 - beta) ** 2 * s**2
    return AtMost(E(norm2(after - g)), bound)


def advanced_composition() -> Any:
    """T Laplace releases of epsilon each, by way of zCDP: T epsilon^2/2 + epsilon sqrt(2 T log(1/delta))."""
    m = mechanisms
    each = m.D / m.b
    epsilon = m.T * each**2 / 2 + each * sp.sqrt(2 * m.T * sp.log(1 / m.delta))
    return m.private(Repeated(m.laplace, m.t, 1, m.T), ApproxDP(epsilon, m.delta), given=[m.delta < 1])


def amplification_at_order_two() -> AllOf:
    """The Renyi divergence of order 2 of a Gaussian release on a batch with rate p, and its bound by p^2."""
    p, y = sp.symbols("p y", positive=True)
    exact = sp.log(1 + p**2 * (sp.exp(y) - 1))
    mixture = (1 - p) ** 2 + 2 * p * (1 - p) + p**2 * sp.exp(y)  # E_Q (P/Q)^2 for P = (1-p) Q + p Q shifted
    return AllOf(
        Equal(sp.log(mixture), exact, [p < 1]),
        Theorem(given=[y <= 1], shows=AtMost(exact, (sp.E - 1) * p**2 * y))
        .have(AtMost(exact, p**2 * (sp.exp(y) - 1)), "log(1 + u) <= u")
        .have(AtMost(sp.exp(y) - 1, (sp.E - 1) * y), "e^y - 1 is convex, and 0 at 0"),
    )


def noise_of_private_descent() -> Any:
    """The noise of T steps at (epsilon, delta) is O~(sqrt(T)/(n epsilon)), a logarithm of 1/delta hidden."""
    n = sp.Symbol("n", integer=True, positive=True)
    epsilon, delta = sp.symbols("epsilon delta", positive=True)
    return BigO(
        sp.sqrt(8 * T * sp.log(1 / delta)) / (n * epsilon) + sp.sqrt(T) / n,
        sp.sqrt(T) / (n * epsilon),
        [epsilon <= 1, delta < 1],
        hiding=[1 / delta],
    )


def _examined(module: Any, name: str) -> Callable[[], Any]:
    """A truth of the exam."""
    return dict(module.TRUE)[name]


def _fact(area: str, module: Any, name: str, title: str = "", row: str = "") -> Fact:
    return Fact(area, title or name, _examined(module, name), row)


OPTIMIZATION, PRIVACY = "optimization", "privacy"
FACTS = [
    _fact(OPTIMIZATION, functions, "descent lemma"),
    _fact(OPTIMIZATION, functions, "short gradient step", "a gradient step descends"),
    _fact(OPTIMIZATION, functions, "co-coercivity", row="co-coercivity"),
    _fact(OPTIMIZATION, functions, "strong convexity gives PL"),
    _fact(OPTIMIZATION, functions, "contraction of gradient descent", row="gradient descent, distance"),
    _fact(OPTIMIZATION, functions, "exact rate of values", row="gradient descent, value"),
    _fact(OPTIMIZATION, functions, "exact rate of gradients", row="gradient descent, gradient"),
    _fact(OPTIMIZATION, functions, "exact rate on convex functions", row="gradient descent, convex"),
    _fact(OPTIMIZATION, functions, "gradient descent on PL functions"),
    _fact(OPTIMIZATION, functions, "one step of the subgradient method"),
    _fact(OPTIMIZATION, functions, "heavy ball does not climb"),
    _fact(OPTIMIZATION, functions, "Nesterov's one-step inequality", row="Nesterov's potential"),
    _fact(OPTIMIZATION, functions, "Nesterov's potential on convex functions"),
    _fact(OPTIMIZATION, vectors, "a normalised step descends", "a normalised step with momentum descends"),
    _fact(OPTIMIZATION, expectations, "one noisy step descends"),
    Fact(OPTIMIZATION, "SGD on PL functions with noise, T steps", sgd_on_pl_functions),
    Fact(OPTIMIZATION, "SGD on smooth functions, T steps", sgd_on_smooth_functions),
    Fact(OPTIMIZATION, "variance reduction by recursion", variance_reduction),
    Fact(OPTIMIZATION, "momentum as averaging", momentum_as_averaging),
    _fact(OPTIMIZATION, expectations, "sampling without replacement"),
    _fact(OPTIMIZATION, sums, "AdaGrad with a root", "AdaGrad-norm sum, root"),
    _fact(OPTIMIZATION, sums, "AdaGrad with a logarithm", "AdaGrad-norm sum, logarithm"),
    _fact(PRIVACY, mechanisms, "Gaussian noise in zCDP", "Gaussian mechanism in zCDP"),
    _fact(PRIVACY, mechanisms, "Gaussian noise at a symbolic order", "Gaussian mechanism in Renyi DP"),
    _fact(PRIVACY, mechanisms, "T Gaussian steps in Gaussian DP", "T Gaussian mechanisms in Gaussian DP"),
    _fact(PRIVACY, mechanisms, "zCDP to (epsilon, delta)", "Gaussian mechanism in (epsilon, delta)"),
    _fact(PRIVACY, mechanisms, "T Laplace releases", "basic composition"),
    Fact(PRIVACY, "advanced composition", advanced_composition),
    Fact(PRIVACY, "amplification at order 2", amplification_at_order_two),
    Fact(PRIVACY, "the noise of private descent, in order", noise_of_private_descent),
]


def pepit_rows() -> Any:
    """The module benchmarks/pepit.py."""
    spec = importlib.util.spec_from_file_location("benchmark_pepit", HERE / "pepit.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def beside_pepit(fact: Fact, rows: Any) -> str:
    """PEPit's worst case at numbers, and our formula there; empty if PEPit has no such problem."""
    if not fact.row:
        return ""
    row = next(row for row in rows.ROWS if row.name == fact.row)
    ours = float(row.rate.xreplace(rows.NUMBERS))
    if importlib.util.find_spec("PEPit") is None:
        return f"ours {ours:.6f}"
    import PEPit

    theirs = float(
        row.theirs(PEPit, {str(p): float(value) for p, value in rows.NUMBERS.items()}).solve(verbose=0)
    )
    return f"{theirs:.6f}, ours {ours:.6f}" + ("" if row.tight else " (not the least)")


def lines(fact: Fact, result: Result, seconds: float, figures: str) -> str:
    """One row of the table."""
    judges = "; ".join(result.judges) or "rules alone"
    return f"| {fact.area} | {fact.name} | {result.verdict} | {seconds:.1f} | {judges} | {figures} |"


EXAMPLE = """
One of them, written out:

```python
>>> import sympy as sp
>>> from dpverify import prove
>>> from dpverify.language import Function, Vector, inner, norm2
>>> from dpverify.relations import AtMost
>>> L, x, y = sp.Symbol("L", positive=True), Vector("x"), Vector("y")
>>> f = Function("f", smooth=L)
>>> print(prove(AtMost(f(y), f(x) + inner(f.gradient(x), y - x) + L / 2 * norm2(y - x))).verdict)
PROVED

```
"""


def page(rows: list[str]) -> str:
    """The table as a page, with the statements below."""
    head = [
        "# Thirty textbook facts",
        "",
        "Every fact is a statement for all parameters, and for all dimensions where there are "
        "vectors. The table is",
        "written by `python benchmarks/textbook.py --write`; seconds are of processor time, one "
        "process. PEPit computes",
        "the worst case at numbers (L = 2, mu = 1/4, eta = 2/5, q = 1/3); ours is the formula "
        "that is proved, there.",
        "",
        "| area | fact | verdict | s | judges | PEPit |",
        "|---|---|---|---|---|---|",
    ]
    statements = ["", "## The statements", ""]
    for fact in FACTS:
        statements += [f"- **{fact.name}**: `{formal(fact.build())}`"]
    return "\n".join([*head, *rows, EXAMPLE.rstrip(), *statements, ""])


def main() -> None:
    """Print the table, or write the page."""
    rows, table = pepit_rows(), []
    for fact in FACTS:
        start = time.process_time()
        result = prove(fact.build())
        table.append(lines(fact, result, time.process_time() - start, beside_pepit(fact, rows)))
        print(table[-1], flush=True)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(table))


if __name__ == "__main__":
    main()
