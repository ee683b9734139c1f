"""Who confirms a proof: a second solver, or a certificate that exact arithmetic checks.

A certificate of exact arithmetic (sums of squares, Farkas multipliers, an identity closed by algebra and
replayed in balls) is added up by a checker that trusts no search. An `unsat` of Z3 is one solver's word until
cvc5, which shares no code with it, says the same of the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dpverify.second_solver import cvc5_agrees
from dpverify.verdicts import PROVED, Result

SECOND_SOLVER = "cvc5"


def confirm(method: str, certificate: dict[str, Any], seconds: float) -> tuple[str, ...]:
    """The judges of a certificate that its own checker accepted."""
    if "smt2" not in certificate:
        return (EXACT.get(method, method),)
    return ("Z3", SECOND_SOLVER) if cvc5_agrees(certificate["smt2"], int(seconds)) else ("Z3",)


EXACT = {
    "squares": "exact arithmetic (sum of squares)",
    "linear": "exact arithmetic (Farkas)",
    "monomials": "exact arithmetic (means of products of powers)",
    "gram": "exact arithmetic (Gram matrix)",
    "identities": "algebra and balls",
    "signs": "signs of parts and balls",
    "balls": "balls",
    "matrices": "exact arithmetic (matrices)",
}


def judged(result: Result, seconds: float) -> Result:
    """A proof with the judges of each of its parts: asked once it is finished, as most of what is proved on
    the way to one does not stand in it.

    >>> from dpverify.verdicts import Evidence
    >>> judged(Result(PROVED, "a square", Evidence("squares", {"summary": ""})), 1.0).judges
    ('exact arithmetic (sum of squares)',)
    """
    if result.steps:
        steps = tuple(replace(step, result=judged(step.result, seconds)) for step in result.steps)
        return result.with_(steps=steps)
    certificate = result.evidence.certificate if result.evidence else {}
    if result.verdict is not PROVED or result.judges or "summary" not in certificate:
        return result  # a rule, or one of the facts
    assert result.evidence is not None
    return result.with_(judges=confirm(result.evidence.method, certificate, seconds))


def leaves(result: Result) -> Iterator[Result]:
    """The results below a proof that were not reduced further."""
    proved = [step.result for step in result.steps]
    if not proved:
        yield result
    for inner in proved:
        yield from leaves(inner)


def judges_of(result: Result) -> tuple[str, ...]:
    """Everybody who confirmed a part of the proof, by name."""
    return tuple(sorted({judge for leaf in leaves(result) for judge in leaf.judges}))


def one_solver(result: Result) -> bool:
    """Whether a part of a proof rests on the word of one solver.

    >>> from dpverify.verdicts import Evidence
    >>> one_solver(Result(PROVED, "unsat", Evidence("polynomials"), judges=("Z3",)))
    True
    """
    return result.verdict is PROVED and any(leaf.judges == ("Z3",) for leaf in leaves(result))


def would_be_wrong_if(result: Result) -> str:
    """What would have to be wrong for a proof to be wrong, in one line.

    >>> from dpverify.verdicts import Evidence
    >>> print(would_be_wrong_if(Result(PROVED, "unsat", Evidence("polynomials"), judges=("Z3", "cvc5"))))
    Wrong only if the formal statement is not the paper's, or Z3 and cvc5 are wrong about the same formula.
    """
    methods = {leaf.judges for leaf in leaves(result) if leaf.judges}
    faults = []
    if ("Z3", SECOND_SOLVER) in methods:
        faults.append(f"Z3 and {SECOND_SOLVER} are wrong about the same formula")
    if ("Z3",) in methods:
        faults.append("Z3 is wrong about a formula that nobody else confirmed")
    if methods - {("Z3", SECOND_SOLVER), ("Z3",)}:
        faults.append("a checker of exact or ball arithmetic, or SymPy's algebra, is wrong")
    if result.depends:
        faults.append(f"{', '.join(result.depends)} does not hold")
    others = ", or ".join(faults) or "a rule of inference is"
    return f"Wrong only if the formal statement is not the paper's, or {others}."
