"""The checks that make a closed form of an integral, a limit or an infinite sum: proved, replayed by numbers,
and kept as the steps of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.proving.convergence import Open
from dpverify.proving.limits import TimeLimit, within
from dpverify.proving.replays import Replay, replayed
from dpverify.proving.symbols import fresh
from dpverify.relations import AtMost
from dpverify.theorems import (
    step_of,
)
from dpverify.verdicts import PROVED, Result, Step

Hypotheses = tuple[Any, ...]


class NotClosed(Exception):
    """A part of a statement for which no closed form was shown; the message names it and says why."""

    def __init__(self, part: Any, why: str, cut_short: bool = False):
        super().__init__(f"{sp.sstr(part)} is not known to be defined: {why}")
        self.cut_short = cut_short


class Checks:
    """What is proved on the way to closed forms, each check a step; `expression` closes a part that lies
    inside another.
    """

    def __init__(self, effort: Effort):
        self.effort = effort
        self.steps: list[Step] = []
        self.known: dict[tuple[Any, Hypotheses], Any] = {}
        self.shown: dict[AtMost, Result] = {}

    def expression(self, e: Any, given: Hypotheses) -> Any:
        """The expression with closed forms for what is not evaluated, the inner parts first."""
        raise NotImplementedError

    def show(self, relation: Any, reason: str, part: Any) -> None:
        """Prove a relation, as a step, or say that the part is not closed."""
        from dpverify.proving.deciding import prove_step

        result = prove_step(relation, self.effort)
        if result.verdict is not PROVED:
            why = f"{reason} ({relation}) is {result.verdict}: {result.because}"
            raise NotClosed(part, why, result.cut_short)
        self.steps.append(step_of(relation, f"{sp.sstr(part)}: {reason}", result))

    def holds(self, relation: AtMost) -> bool:
        """Whether a comparison is proved, which is then a step, once."""
        from dpverify.proving.deciding import prove_step

        if relation not in self.shown:
            self.shown[relation] = prove_step(relation, self.effort)
        result = self.shown[relation]
        step = step_of(relation, "a sign or an order that was asked for", result)
        if result.verdict is PROVED and step not in self.steps:
            self.steps.append(step)
        return result.verdict is PROVED

    def defined(self, e: Any, given: Hypotheses, part: Any, inside: bool = False) -> None:
        """Show that an expression is defined; `inside` also at every point nearby."""
        from dpverify.proving.deciding import defined
        from dpverify.proving.definedness import Undefined, needs

        try:
            for need in needs(e, given):
                ways = need.ways
                if inside:
                    ways = tuple(tuple((x, ">" if op == ">=" else op) for x, op in way) for way in ways)
                defined.meet(need._replace(ways=ways), self.effort)
        except Undefined as why:
            raise NotClosed(part, str(why), why.cut_short) from None

    def sign(self, e: Any, given: Hypotheses) -> int:
        """The sign of an expression that is proved to have one; 0 if it is 0 as it stands."""
        from dpverify.proving.derivatives import guess_sign

        e = sp.sympify(e)
        if e.is_zero or e.is_positive or e.is_negative:
            return 0 if e.is_zero else 1 if e.is_positive else -1
        likely = guess_sign(e, list(given))
        if self.holds(AtMost(0, likely * e, given, strict=True)):
            return likely
        raise Open(f"the sign of {sp.sstr(e)} is not known")

    def replay(self, replays: Sequence[Replay], part: Any) -> int:
        """At how many points numbers agree with what calculus gave."""
        agreed, against = replayed(replays, self.effort.seed)
        if against:
            raise NotClosed(part, f"numbers disagree about {against}")
        return agreed

    def suggestions(self, part: Any, suggest: Any) -> list[Any]:
        """What SymPy answers in the time allowed, the branches of a Piecewise one by one."""
        try:
            with within(self.effort.tactic_seconds):
                answer = suggest()
        except TimeLimit as late:
            raise NotClosed(part, f"SymPy gave {late}", cut_short=True) from None
        except Exception as error:  # whatever a search for a formula runs into, there is none
            raise NotClosed(part, f"SymPy found no formula ({type(error).__name__})") from None
        choices = [answer]
        for choice in choices:  # grows: a Piecewise may stand in another
            if branches := sorted(choice.atoms(sp.Piecewise), key=sp.default_sort_key):
                generic_first = sorted(branches[0].args, key=lambda branch: isinstance(branch[1], sp.Eq))
                choices += [choice.xreplace({branches[0]: value}) for value, _ in generic_first]
        alien = (sp.Integral, sp.Sum, sp.Piecewise, sp.Limit, sp.nan, sp.zoo, sp.oo, sp.I)
        return [c for c in choices if not c.has(*alien)]


def bound(x: Any, e: Any, given: Hypotheses, **assumptions: bool) -> sp.Symbol:
    """The variable that an expression binds, with these assumptions alone, under a name that nothing free
    has.

    >>> x, c = sp.symbols("x c")
    >>> bound(x, sp.Integral(c * x, (x, 0, 1)), (c > 0,), real=True).is_real
    True
    """
    return fresh(x.name, [*e.free_symbols, *given], **assumptions)


def whole_range(t: Any, low: Any, high: Any) -> Hypotheses:
    """What the range of a sum says of its index.

    >>> t = sp.Symbol("t", integer=True)
    >>> whole_range(t, sp.Integer(1), sp.oo)
    (t >= 1,)
    """
    ends = (sp.Ge(t, low), sp.Le(t, high))
    return tuple(c for c in ends if c not in (sp.true, sp.false))
