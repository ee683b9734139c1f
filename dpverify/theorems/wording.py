"""A statement as people read it: its symbols with the values that they may take, the whole as text
(`formal`) and in LaTeX (`latex`), and the steps of its proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import sympy as sp

from dpverify.language.lengths import in_norms
from dpverify.relations import (
    ArgMin,
    AtMost,
    Equal,
    Induction,
    Instance,
    Minimises,
    Order,
    PositiveSemidefinite,
    described,
)
from dpverify.theorems.statements import AllOf, ForEvery, ForSome, Iterates, Theorem
from dpverify.verdicts import Result, Step

READABLE = 1_000  # characters of a step beyond which a typeset form helps nobody


def _parts(statement: Any) -> Any:
    """Every SymPy expression in a statement, its proof left out."""
    if isinstance(statement, sp.Basic | sp.MatrixBase):
        yield statement
    elif isinstance(statement, dict):
        for value in statement.values():
            yield from _parts(value)
    elif isinstance(statement, list | tuple):
        for value in statement:
            yield from _parts(value)
    elif is_dataclass(statement) and not isinstance(statement, type):
        bound = [
            b
            for name in ("index", "value")
            if isinstance(b := getattr(statement, name, None), sp.Symbol) and not hasattr(b, "declarations")
        ]
        for field in fields(statement):
            if field.name not in ("proof", "by", "let", "because", "run", "reason"):
                for part in _parts(getattr(statement, field.name)):
                    if isinstance(part, sp.MatrixBase) or part not in bound:
                        yield part


SIGNS = {  # the first that is known of a symbol says the most
    "> 0": "is_positive",
    ">= 0": "is_nonnegative",
    "< 0": "is_negative",
    "<= 0": "is_nonpositive",
    "!= 0": "is_nonzero",
}


def _domain(symbol: Any, name: str) -> str:
    """The values that a symbol or the entries of a sequence may take, in words."""
    sign = next((sign for sign, assumption in SIGNS.items() if getattr(symbol, assumption)), "")
    kind = "whole " if symbol.is_integer else "" if sign else "real "
    return f"{kind}{name}{' ' + sign if sign else ''}"


class Declared(NamedTuple):
    """What a statement is about, in words, and the name of the symbol or sequence, if it is one."""

    words: str
    name: str = ""


def domains(statement: Any) -> list[str]:
    """The symbols and sequences of a statement, each with the values that it may take.

    >>> x, T = sp.Symbol("x", positive=True), sp.Symbol("T", integer=True, positive=True)
    >>> domains(AtMost(x, T))
    ['whole T > 0', 'x > 0']
    """
    return [declared.words for declared in _declared(statement)]


def _declared(statement: Any) -> list[Declared]:
    """The same with the names of the symbols and sequences."""
    symbols: set[Any] = set()
    sequences: dict[str, Any] = {}
    bound: set[Any] = set()
    for part in _parts(statement):
        entries = part.atoms(sp.Indexed) if isinstance(part, sp.Basic) else set()
        sequences |= {str(entry.base.label): entry for entry in entries}
        symbols |= {s for s in part.free_symbols if isinstance(s, sp.Symbol)}
    for name in ("index", "value"):
        inner = getattr(statement, name, None) or getattr(getattr(statement, "shows", None), name, None)
        bound |= {inner} if inner is not None else set()
    bound |= {h.index for h in getattr(statement, "given", ()) if isinstance(h, ForEvery | Iterates)}
    things = {words for s in symbols if hasattr(s, "declarations") for words in s.declarations()}
    for process in (h for h in getattr(statement, "given", ()) if isinstance(h, Iterates)):
        things |= {
            words for v in (*process.state, *process.step) for b, _ in v.parts for words in b.declarations()
        }
    plain = {s for s in symbols - bound if not hasattr(s, "declarations") and str(s) not in sequences}
    return [
        *[Declared(_domain(s, str(s)), str(s)) for s in sorted(plain, key=str)],
        *[Declared(f"sequence {_domain(entry, name)}", name) for name, entry in sorted(sequences.items())],
        *[Declared(words) for words in sorted(things)],
    ]


def formal(statement: Any) -> str:
    """The statement as text: for all what, under which hypotheses, what holds.

    >>> x = sp.Symbol("x", positive=True)
    >>> formal(Theorem(given=[x < 1], shows=AtMost(x**2, x)))
    'for all x > 0: x**2 <= x   given x < 1'
    """
    shows = statement.shows if isinstance(statement, Theorem) else statement
    given = tuple(statement.given) if isinstance(statement, Theorem) else ()
    if isinstance(shows, Theorem):
        return formal(Theorem(shows.shows, (*given, *shows.given)))
    if isinstance(shows, AllOf) and any(isinstance(part, ForSome | Order | Theorem) for part in shows.parts):
        # Each part has variables and hypotheses of its own.
        return " and ".join(formal(Theorem(part, given) if given else part) for part in shows.parts)
    over = _declared(statement)
    if isinstance(statement, Order):
        return _formal_order(statement, over)
    if isinstance(shows, ForSome):
        return _formal_existence(statement, shows, over)
    return f"for all {', '.join(words for words, _ in over)}: {statement}" if over else str(statement)


def _formal_existence(statement: Any, shows: ForSome, over: list[Declared]) -> str:
    """What the values may depend on comes before them, everything else after."""
    first = [words for words, name in over if name in map(str, shows.of)]
    chosen = [words for words, name in over if name in map(str, shows.symbols)]
    rest = [words for words, _ in over if words not in first and words not in chosen]
    before = f"for all {', '.join(first)} " if first else ""
    some = f"there {'are' if len(chosen) > 1 else 'is'} {', '.join(chosen)} such that "
    given = statement.given if isinstance(statement, Theorem) else ()
    after = f"for all {', '.join(rest)}: " if rest else ""
    return f"{before}{some}{after}{shows.relation}{described(given)}"


def _formal_order(order: Order, over: list[Declared]) -> str:
    """The constants come before what they do not depend on."""
    first = [words for words, name in over if name in map(str, order.of)]
    open_sides = [side for side in order.sides if getattr(order, side) is None]
    names = ["c1 > 0", "c2 > 0"] if len(order.sides) == 2 else ["c > 0"]
    names = [name for name, side in zip(names, order.sides) if side in open_sides]
    names += ["a whole k >= 0"] if order.hiding else []
    before = f"for all {', '.join(first)} " if first else ""
    some = f"there {'are' if len(names) > 1 else 'is'} {', '.join(names)} such that " if names else ""
    rest = [words for words, _ in over if words not in first]
    after = f"for all {', '.join(rest)}: " if rest else ""
    return f"{before}{some}{after}{order.inequality}{described(order.given)}"


def _typeset(expression: Any) -> str:
    """An expression in LaTeX, with norms where it has them."""
    return str(sp.latex(in_norms(sp.sympify(expression))))


def latex(relation: Any) -> str:
    """The relation in LaTeX, for a typeset page; empty where words say it better.

    >>> x = sp.Symbol("x", positive=True)
    >>> latex(AtMost(sp.log(1 + x), sp.sqrt(x), given=[x < 1]))
    '\\\\log{\\\\left(x + 1 \\\\right)} \\\\le \\\\sqrt{x} \\\\quad \\\\left(x < 1\\\\right)'
    """
    given = getattr(relation, "given", ())
    if isinstance(relation, Equal):
        text = f"{_typeset(relation.derived)} = {_typeset(relation.stated)}"
    elif isinstance(relation, AtMost):
        text = (
            f"{_typeset(relation.lhs)} {'<' if relation.strict else chr(92) + 'le'} {_typeset(relation.rhs)}"
        )
    elif isinstance(relation, Minimises):
        sums = f"\\sum_{{{relation.index}=1}}^{{{_typeset(relation.length)}}}"
        over = _typeset(relation.over)
        text = (
            f"\\arg\\min_{{{over} > 0}} \\left\\{{ {sums} {_typeset(relation.objective)} : {sums} "
            f"{_typeset(relation.spent)} = "
            f"{_typeset(relation.total)} \\right\\}} = {_typeset(relation.at)}"
        )
    elif isinstance(relation, ArgMin):
        text = (
            f"\\arg\\min_{{{_typeset(relation.over)}}} {_typeset(relation.expression)} = "
            f"{_typeset(relation.at)}"
        )
    elif isinstance(relation, PositiveSemidefinite):
        text = f"{_typeset(relation.matrix)} \\succeq 0"
    elif isinstance(relation, Order):
        text = _latex_of_order(relation)
    elif isinstance(relation, Induction | Instance):
        return latex(relation.relation)
    elif isinstance(relation, ForSome):
        return f"\\exists\\, {', '.join(map(_typeset, relation.symbols))}:\\; {latex(relation.relation)}"
    elif isinstance(relation, AllOf):
        return " \\quad\\text{and}\\quad ".join(filter(None, map(latex, relation.parts)))
    elif isinstance(relation, ForEvery):
        low, high = (_typeset(end) for end in (relation.low, relation.high))
        limits = f"{_typeset(relation.index)} = {low}, \\dots, {high}"
        return f"{latex(relation.relation)} \\text{{ for }} {limits}"
    elif isinstance(relation, Iterates):
        return _latex_of_iteration([relation])
    elif isinstance(relation, Theorem):
        text = latex(relation.shows)
    else:
        return ""
    return text + (f" \\quad \\left({_latex_of_conditions(given)}\\right)" if given and text else "")


def _latex_of_conditions(given: Sequence[Any]) -> str:
    """Hypotheses with commas between; those on the expectations of one iteration name it once."""
    texts: list[str] = []
    told: set[tuple[Any, ...]] = set()
    for g in given:
        if not isinstance(g, Iterates):
            texts.append(latex(g) if isinstance(g, ForEvery) else _typeset(g))
        elif (moves := _moves(g)) not in told:
            told.add(moves)
            texts.append(
                _latex_of_iteration([h for h in given if isinstance(h, Iterates) and _moves(h) == moves])
            )
    return ", ".join(texts)


def _moves(process: Iterates) -> tuple[Any, ...]:
    """What makes two iterations the same, whatever number of the state is looked at."""
    return process.state, process.step, process.index, process.low, process.high


def _latex_of_iteration(processes: Sequence[Iterates]) -> str:
    """The expectations along one iteration, and the iteration."""
    first = processes[0]
    values = ", ".join(rf"{_typeset(p.name[p.index])} = \mathbb{{E}}[{_typeset(p.value)}]" for p in processes)
    moves = ", ".join(rf"{old.latex} \to {new.latex}" for old, new in zip(first.state, first.step))
    low, high = (_typeset(end) for end in (first.low, first.high))
    steps = rf"\text{{ before step }} {_typeset(first.index)} = {low}, \dots, {high} \text{{ of }}"
    return f"{values} {steps} {moves}"


def step_of(relation: Any, reason: str, result: Result) -> Step:
    """A step of a proof, typeset where that helps a reader.

    >>> x = sp.Symbol("x", positive=True)
    >>> from dpverify.verdicts import UNDECIDED
    >>> step_of(AtMost(x, x**2), "wrong", Result(UNDECIDED, "open")).result.latex
    'x \\\\le x^{2}'
    """
    shown = str(relation)
    if not result.latex and len(shown) < READABLE:
        result = result.with_(latex=latex(relation))
    return Step(shown, reason, result)


def _latex_of_order(relation: Order) -> str:
    """f = O(g), or the inequalities where the claim gives the constants."""
    value, scale = _typeset(relation.expression), _typeset(relation.scale)
    constants = {side: getattr(relation, side) for side in relation.sides}
    if all(c is not None for c in constants.values()) and not relation.hiding:
        low, high = (_typeset(constants[side]) if side in constants else None for side in ("lower", "upper"))
        left = f"{low} \\cdot {scale} \\le " if low is not None else ""
        right = f" \\le {high} \\cdot {scale}" if high is not None else ""
        return f"{left}{value}{right}"
    letter = {"O": "O", "Omega": "\\Omega", "Theta": "\\Theta"}[relation.kind]
    name = f"\\tilde{{{letter}}}" if relation.hiding else letter
    return f"{value} = {name}\\left({scale}\\right)"
