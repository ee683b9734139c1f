"""What a symbolic claim asserts: relations between SymPy expressions, and derivations made of them.

We derive, the paper states: `Equal(derived=..., stated=...)`. Symbols carry their assumptions (positive,
integer) and `given` the rest of the hypotheses, as SymPy relationals; sequences are `Indexed`
(`IndexedBase("q", positive=True)[t]`), and a `Sum` with a symbolic upper end stands for arbitrary T.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.verdicts import Result

Given = Sequence[Any]


def runs_freely(index: Any, low: Any) -> bool:
    """Whether an index, by what is declared of it, may be any whole number from `low`.

    >>> t = sp.Symbol("t", integer=True, positive=True)
    >>> runs_freely(t, 1), runs_freely(t, 0)
    (True, False)
    """
    if not index.is_integer or index.is_nonpositive:
        return False
    if any(index.assumptions0.get(name) is not None for name in ("even", "odd", "prime", "composite")):
        return False
    least = 1 if index.is_positive else 0 if index.is_nonnegative else None
    return least is None or bool((sp.sympify(low) - least).is_nonnegative)


def described(given: Given) -> str:
    """The hypotheses in words, behind a conclusion.

    >>> described([sp.Symbol("x") > 1])
    '   given x > 1'
    """
    return f"   given {', '.join(sp.sstr(g) for g in given)}" if given else ""


@dataclass(frozen=True)
class Equal:
    """`derived = stated` wherever the hypotheses hold.

    >>> x = sp.Symbol("x", real=True)
    >>> print(Equal((x + 1) ** 2, x**2 + 2 * x + 1))
    (x + 1)**2 = x**2 + 2*x + 1
    """

    derived: Any
    stated: Any
    given: Given = ()

    def __str__(self) -> str:
        return f"{sp.sstr(self.derived)} = {sp.sstr(self.stated)}{described(self.given)}"


@dataclass(frozen=True)
class AtMost:
    """`lhs <= rhs` (or `<` if strict) wherever the hypotheses hold.

    `by` may name tactics to try first, in order. `multipliers` may say how it follows from hypotheses, or
    from facts about functions: pairs of a fact and a scalar, nonnegative, that it is multiplied by.

    >>> x = sp.Symbol("x", positive=True)
    >>> print(AtMost(sp.log(1 + x), sp.sqrt(x)))
    log(x + 1) <= sqrt(x)
    """

    lhs: Any
    rhs: Any
    given: Given = ()
    strict: bool = False
    by: Sequence[str] = ()
    multipliers: Sequence[tuple[Any, Any]] = ()

    def __str__(self) -> str:
        return (
            f"{sp.sstr(self.lhs)} {'<' if self.strict else '<='} {sp.sstr(self.rhs)}{described(self.given)}"
        )


def sides_of(relation: AtMost | Equal) -> tuple[Any, Any]:
    """Left and right side of a comparison.

    >>> sides_of(AtMost(1, 2))
    (1, 2)
    """
    if isinstance(relation, Equal):
        return sp.sympify(relation.derived), sp.sympify(relation.stated)
    return sp.sympify(relation.lhs), sp.sympify(relation.rhs)


@dataclass(frozen=True)
class Minimises:
    """Among positive sequences with `budget = total`, `at` minimises `objective`, for arbitrary length.

    `objective` and `spent` are the terms of the two sums, in the positive variable `over` and the index; `at`
    is the term of the stated minimiser; the sums run over `index` = 1..`length`. With `unique`, it is the
    only minimiser. With `value`, the minimum equals it.

    >>> t, T = sp.Symbol("t", integer=True, positive=True), sp.Symbol("T", integer=True, positive=True)
    >>> q, v, R = sp.IndexedBase("q", positive=True), sp.Symbol("v", positive=True), sp.Symbol("R",
    ...     positive=True)
    >>> roots = sp.Sum(sp.sqrt(q[t]), (t, 1, T))
    >>> print(Minimises(q[t] * v, over=v, spent=1 / v, total=R, at=roots / (R * sp.sqrt(q[t])), index=t,
    ...     length=T))
    v = Sum(sqrt(q[t]), (t, 1, T))/(R*sqrt(q[t])) minimises sum_t v*q[t] on sum_t 1/v = R, t = 1..T
    """

    objective: Any
    over: sp.Symbol
    spent: Any
    total: Any
    at: Any
    index: sp.Symbol
    length: Any
    unique: bool = True
    value: Any = None
    given: Given = ()

    def __str__(self) -> str:
        what = "is the only minimiser of" if self.unique and self.value is not None else "minimises"
        text = (
            f"{self.over} = {sp.sstr(self.at)} {what} sum_{self.index} {sp.sstr(self.objective)} "
            f"on sum_{self.index} {sp.sstr(self.spent)} = {sp.sstr(self.total)}, {self.index} = "
            f"1..{self.length}"
        )
        return (
            text
            + (f"; the minimum is {sp.sstr(self.value)}" if self.value is not None else "")
            + described(self.given)
        )


@dataclass(frozen=True)
class Increasing:
    """`expression` is nondecreasing in `over` (increasing if strict; nonincreasing or decreasing if `down`).

    `over` may be an integer symbol: then consecutive values are compared.

    >>> x = sp.Symbol("x", positive=True)
    >>> print(Increasing(x / (1 + x), x, strict=True))
    x/(x + 1) is strictly increasing in x
    """

    expression: Any
    over: sp.Symbol
    given: Given = ()
    strict: bool = False
    down: bool = False

    def __str__(self) -> str:
        shape = ("strictly " if self.strict else "") + ("decreasing" if self.down else "increasing")
        return f"{sp.sstr(self.expression)} is {shape} in {self.over}{described(self.given)}"


@dataclass(frozen=True)
class ArgMin:
    """`at` minimises `expression` over `over` in its domain (its assumptions and `given`).

    With `over` an integer symbol, `at` may contain floor or ceiling, and the true integer minimiser is
    compared with it; `starts` is the left end of the domain that must be compared too (T = 0). With `unique`
    no other point does as well.

    >>> x = sp.Symbol("x", positive=True)
    >>> print(ArgMin(x + 1 / x, x, sp.Integer(1)))
    x = 1 minimises x + 1/x
    """

    expression: Any
    over: sp.Symbol
    at: Any
    given: Given = ()
    unique: bool = False
    starts: Any = None

    def __str__(self) -> str:
        only = " alone" if self.unique else ""
        return (
            f"{self.over} = {sp.sstr(self.at)}{only} minimises "
            f"{sp.sstr(self.expression)}{described(self.given)}"
        )


@dataclass(frozen=True)
class Induction:
    """For a sequence x[start] = first, x[T+1] = next(x[T], T): `relation` (in `value` and `over`) holds at
    every T >= start.

    `next` is an expression in `value` and `over`; `value` stands for x[T] in `relation`.

    >>> x, T = sp.Symbol("x", real=True), sp.Symbol("T", integer=True, nonnegative=True)
    >>> claim = Induction(Equal(x, 2**T), value=x, over=T, start=0, first=sp.Integer(1), next=2 * x)
    >>> print(claim)
    x = 2**T for every T >= 0, where x starts at 1 and goes on by 2*x
    """

    relation: Equal | AtMost
    value: sp.Symbol
    over: sp.Symbol
    start: int
    first: Any
    next: Any

    def __str__(self) -> str:
        return (
            f"{self.relation} for every {self.over} >= {self.start}, "
            f"where {self.value} starts at {sp.sstr(self.first)} and goes on by {sp.sstr(self.next)}"
        )


@dataclass(frozen=True)
class PositiveSemidefinite:
    """The symmetric matrix is positive semidefinite wherever the hypotheses hold; with `unknowns`, for some
    values of them.

    >>> print(PositiveSemidefinite(sp.Matrix([[2, 1], [1, 2]])))
    [[2, 1], [1, 2]] is positive semidefinite
    """

    matrix: Any
    given: Given = ()
    unknowns: Sequence[sp.Symbol] = ()
    also: Sequence[Any] = ()  # further matrices, or scalars that must be >= 0, for the same unknowns

    def __str__(self) -> str:
        some = f" for some {', '.join(map(str, self.unknowns))}" if self.unknowns else ""
        rows = ", ".join(
            "[" + ", ".join(sp.sstr(entry) for entry in row) + "]" for row in sp.Matrix(self.matrix).tolist()
        )
        return f"[{rows}] is positive semidefinite{some}{described(self.given)}"


@dataclass(frozen=True)
class Order:
    """`expression` is O, Omega or Theta of `scale`: made by `BigO`, `Omega` and `Theta`.

        O       |expression| <= c scale       for some c > 0 and all values of the symbols in the domain
        Omega   c scale <= expression         the same
        Theta   both

    The constants depend on the symbols `of` alone. `lower` and `upper` are theirs if the claim gives them;
    the engine chooses those that are None. With `hiding=[u]` logarithms are hidden: the bounds hold up to a
    power of 1 + log u, where u >= 1.
    """

    kind: str
    expression: Any
    scale: Any
    given: Given = ()
    lower: Any = None
    upper: Any = None
    hiding: Sequence[Any] = ()
    of: Sequence[sp.Symbol] = ()

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that are claimed."""
        return {"O": ("upper",), "Omega": ("lower",), "Theta": ("lower", "upper")}[self.kind]

    @property
    def inequality(self) -> str:
        """What it says, with the names of the constants where the claim gives none."""
        several = len(self.sides) == 2
        factor = "".join(f"*(1 + log({sp.sstr(u)}))^k" for u in self.hiding)
        names = {side: f"c{i}" if several else "c" for i, side in enumerate(self.sides, 1)}
        low, high = (
            sp.sstr(given) if given is not None else names.get(side)
            for side, given in (("lower", self.lower), ("upper", self.upper))
        )
        scale, value = f"({sp.sstr(self.scale)})", sp.sstr(self.expression)
        left = f"{low}*{scale}{factor.replace('^k', '^(-k)')} <= " if "lower" in self.sides else ""
        right = f" <= {high}*{scale}{factor}" if "upper" in self.sides else ""
        return f"{left}{value if left else f'|{value}|'}{right}"

    def __str__(self) -> str:
        if all(getattr(self, side) is not None for side in self.sides):
            return f"{self.inequality}{described(self.given)}"
        name = self.kind + ("~" if self.hiding else "")
        hidden = f", hiding log({'), log('.join(map(sp.sstr, self.hiding))})" if self.hiding else ""
        constants = f", the constants made of {', '.join(map(str, self.of))}" if self.of else ""
        order = f"{sp.sstr(self.expression)} = {name}({sp.sstr(self.scale)})"
        return f"{order}{hidden}{constants}{described(self.given)}"


def BigO(
    expression: Any,
    scale: Any,
    given: Given = (),
    constant: Any = None,
    hiding: Sequence[Any] = (),
    of: Sequence[sp.Symbol] = (),
) -> Order:
    """`expression` = O(`scale`): |expression| <= c scale for one c, wherever the hypotheses hold.

    >>> N, d = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "d"))
    >>> print(BigO(N * sp.log(N) + d, N + d, hiding=[N]))
    N*log(N) + d = O~(N + d), hiding log(N)
    """
    return Order("O", expression, scale, given, upper=constant, hiding=hiding, of=of)


def Omega(
    expression: Any,
    scale: Any,
    given: Given = (),
    constant: Any = None,
    hiding: Sequence[Any] = (),
    of: Sequence[sp.Symbol] = (),
) -> Order:
    """`expression` = Omega(`scale`): c scale <= expression for one c > 0, wherever the hypotheses hold.

    >>> x = sp.Symbol("x", positive=True)
    >>> print(Omega(x + 1, x).inequality)
    c*(x) <= x + 1
    """
    return Order("Omega", expression, scale, given, lower=constant, hiding=hiding, of=of)


def Theta(
    expression: Any,
    scale: Any,
    given: Given = (),
    lower: Any = None,
    upper: Any = None,
    hiding: Sequence[Any] = (),
    of: Sequence[sp.Symbol] = (),
) -> Order:
    """`expression` = Theta(`scale`): O and Omega at once.

    >>> x = sp.Symbol("x", positive=True)
    >>> print(Theta(x + 1, x, lower=1, upper=2, given=[x >= 1]))
    1*(x) <= x + 1 <= 2*(x)   given x >= 1
    """
    return Order("Theta", expression, scale, given, lower, upper, hiding, of)


@dataclass(frozen=True)
class Instance:
    """One case of a general statement: `let` describes it in words, `relation` is what the statement says of
    it.

    A refuted instance refutes the general statement, if the case meets its hypotheses, which `meets` lists as
    relations that are proved as well. A proved instance supports it, and no more.

    >>> print(Instance(AtMost(sp.Integer(2), sp.Integer(1)), let={"f": "x^2/2"}))
    at f = x^2/2: 2 <= 1
    """

    relation: Any
    let: dict[str, str]
    meets: Sequence[Any] = ()
    because: str = ""

    def __str__(self) -> str:
        return f"at {', '.join(f'{k} = {v}' for k, v in self.let.items())}: {self.relation}"


@dataclass(frozen=True)
class Tested:
    """A statement that a run decides: `run(effort)` returns a Result that is SUPPORTED, REFUTED or UNDECIDED,
    never PROVED.

    >>> Tested("the mean is 0", lambda effort: None).statement
    'the mean is 0'
    """

    __test__ = False  # not a test of pytest's

    statement: str
    run: Callable[[Effort], Result] = field(repr=False)

    def __str__(self) -> str:
        return self.statement


@dataclass(frozen=True)
class Quoted:
    """A statement quoted from elsewhere, or one with no content that could be checked: UNDECIDED, for this
    reason.

    >>> print(Quoted("a rate of prior work, whose setting is not restated here"))
    not checked: a rate of prior work, whose setting is not restated here
    """

    why: str

    def __str__(self) -> str:
        return f"not checked: {self.why}"


Relation = (
    Equal
    | AtMost
    | Minimises
    | Increasing
    | ArgMin
    | Induction
    | PositiveSemidefinite
    | Order
    | Instance
    | Tested
    | Quoted
)
