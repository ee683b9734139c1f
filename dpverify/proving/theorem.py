"""Checking a proof: every inference of a `Theorem`, and that its conclusion follows from the facts they give.

A fact joins the hypotheses once it is proved from them and from the facts before it. What a rule adds on its
own (transitivity, adding up, unrolling, instantiation) is stated beside the function that applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.language.expectations import Draw, Expected, within
from dpverify.language.functions import Function, points
from dpverify.language.mechanisms import Private
from dpverify.language.vectors import Atom, Vector, norm2
from dpverify.proving.domain import fresh, placed, running
from dpverify.proving.runs import runs
from dpverify.relations import (
    ArgMin,
    AtMost,
    Equal,
    Increasing,
    Induction,
    Minimises,
    Order,
    PositiveSemidefinite,
    runs_freely,
)
from dpverify.theorems import (
    AllOf,
    At,
    Calc,
    Cases,
    Descend,
    Expect,
    ForEvery,
    ForSome,
    Have,
    Induct,
    Iterates,
    Jensen,
    SumOver,
    Theorem,
    Unroll,
    Use,
    step_of,
)
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED, Evidence, Result, Step

# What may be declared of a symbol beside its sign.
KINDS = ("rational", "integer", "noninteger", "even", "odd", "prime", "composite")
Conditional = Equal | AtMost | Minimises | Increasing | ArgMin | PositiveSemidefinite | Order | Private

# How the id of a claim becomes what it states: set while a claim is being checked, for `Theorem.use`.
statements: ContextVar[Callable[[str], tuple[str, Any]] | None] = ContextVar("statements", default=None)


class Stuck(Exception):
    """An inference that was not proved; the proof ends there."""


class Disproved(Exception):
    """A point that meets the hypotheses and the facts, which follow from them, and breaks the conclusion."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.because)
        self.result = result


@dataclass
class _Proof:
    """What is known so far: hypotheses, those for every index, facts, the steps taken and the claims used."""

    theorem: Theorem
    effort: Effort
    facts: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    depends: list[str] = field(default_factory=list)
    recursions: list[ForEvery] = field(default_factory=list)  # facts that hold for every index
    in_case: list[tuple[Any, Any]] = field(default_factory=list)  # a condition, and a fact where it holds
    objects: set[Any] = field(default_factory=set)  # functions and noises that are known to exist
    kept: tuple[Step, ...] | None = None  # the steps of a kept proof, to be checked again instead of proved

    def __post_init__(self) -> None:
        self.objects |= objects_of([self.theorem.shows, *self.theorem.given])

    @property
    def plain(self) -> list[Any]:
        """The hypotheses that are conditions on numbers."""
        return [h for h in self.theorem.given if not isinstance(h, ForEvery | Iterates)]

    @property
    def known(self) -> list[Any]:
        return [*self.plain, *self.facts]

    def establish(self, relation: Any, reason: str, more: Iterable[Any] = ()) -> None:
        """Prove a relation from what is known and `more`, or end the proof.

        What is known of sequences says nothing of vectors, and is left out where these are compared.
        """
        from dpverify.proving.vector_statements import mentions

        self.admit(relation, reason)
        known = self.known
        if mentions(relation):
            known = [fact for fact in known if not sp.sympify(fact).has(sp.Indexed)]
        result = self._shown(relation, [*known, *more])
        if result.verdict is UNDECIDED and (fewer := _of_numbers(relation, [*known, *more])) is not None:
            alone = self._shown(relation, fewer)
            result = alone if alone.verdict is PROVED else result
        self.steps.append(step_of(relation, reason, result))
        self.depends += result.depends
        if result.verdict is not PROVED:
            raise Stuck(f"step {len(self.steps)} ({reason}) is {result.verdict}: {result.because}")

    def admit(self, relation: Any, reason: str) -> None:
        """Show that there are functions and noises of which the proof speaks and the statement does not: else
        what their classes and moments say, mu <= L or variance >= 0, would be a hypothesis that nobody sees.
        """
        for thing in sorted(objects_of([relation]) - self.objects, key=str):
            self.objects.add(thing)
            if isinstance(thing, Function):
                if thing.strongly_convex is not None and thing.lipschitz is not None:
                    raise Stuck(f"no function is both strongly convex and Lipschitz, as {thing} of {reason}")
                needed = [as_relation(condition) for condition in thing.conditions]
            else:
                needed = [AtMost(0, thing.variance)]
            for condition in needed:
                if as_conditions(condition) != [sp.true]:
                    self.establish(condition, f"there is such a function or noise as {thing}")

    def _shown(self, relation: Any, given: list[Any]) -> Result:
        """The verdict on a step: proved, or found among the kept steps and accepted by its checker."""
        from dpverify.proving import prove_step
        from dpverify.proving.recheck import stands

        claimed = under(relation, given)
        if self.kept is None:
            return prove_step(claimed, self.effort)
        alike = [s.result for s in self.kept if s.statement == str(relation) and s.result.verdict is PROVED]
        accepted = (result for result in alike if stands(claimed, result, self.effort))
        return next(accepted, Result(UNDECIDED, "no kept step shows it"))

    def learn(self, *relations: Any) -> None:
        """Add what was proved to the facts."""
        for relation in relations:
            for fact in as_conditions(relation):
                if fact == sp.false:
                    raise Stuck(f"{relation} is false as it stands: the hypotheses contradict each other")
                if fact != sp.true and fact not in self.facts:
                    self.facts.append(fact)


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


def _of_numbers(relation: Any, known: list[Any]) -> list[Any] | None:
    """What is known of numbers alone, if the relation is about numbers alone; None if it is not, or if
    nothing else is known.
    """
    if not isinstance(relation, Equal | AtMost) or any(
        sp.sympify(e).has(sp.Indexed) for e in _both(relation)
    ):
        return None
    plain = [fact for fact in known if not sp.sympify(fact).has(sp.Indexed)]
    return plain if len(plain) < len(known) else None


def under(relation: Any, given: Iterable[Any]) -> Any:
    """The relation with further hypotheses.

    >>> x = sp.Symbol("x", real=True)
    >>> print(under(AtMost(x, 2), [x < 1]))
    x <= 2   given x < 1
    """
    if isinstance(relation, Induction):
        return replace(relation, relation=under(relation.relation, given))
    if isinstance(relation, AllOf):
        return AllOf(*[under(part, given) for part in relation.parts])
    if isinstance(relation, ForSome):
        return replace(relation, relation=under(relation.relation, given))
    if isinstance(relation, Conditional | Theorem):
        own = list(relation.given)
        return replace(relation, given=(*own, *[g for g in given if g not in own]))
    return relation


def as_conditions(relation: Any) -> list[Any]:
    """A comparison as a SymPy condition, for use as a hypothesis; other relations give none.

    >>> x, y = sp.symbols("x y", real=True)
    >>> as_conditions(AllOf(AtMost(x, y), Equal(x, 2 * y)))
    [x <= y, Eq(x, 2*y)]
    """
    if isinstance(relation, AllOf):
        return [c for part in relation.parts for c in as_conditions(part)]
    if isinstance(relation, Theorem):
        return as_conditions(relation.shows)
    if isinstance(relation, AtMost):
        return [(sp.Lt if relation.strict else sp.Le)(relation.lhs, relation.rhs)]
    if isinstance(relation, Equal) and not isinstance(relation.derived, sp.MatrixBase):
        return [sp.Eq(relation.derived, relation.stated)]
    return []


def as_relation(condition: Any) -> AtMost | Equal:
    """A SymPy condition as a relation to be proved.

    >>> print(as_relation(sp.Symbol("x", real=True) > 1))
    1 < x
    """
    if isinstance(condition, sp.Le | sp.Lt):
        return AtMost(condition.lhs, condition.rhs, strict=isinstance(condition, sp.Lt))
    if isinstance(condition, sp.Ge | sp.Gt):
        return AtMost(condition.rhs, condition.lhs, strict=isinstance(condition, sp.Gt))
    if isinstance(condition, sp.Eq):
        return Equal(condition.lhs, condition.rhs)
    raise ValueError(f"Expected a comparison, got the condition {condition}.")


def decide(theorem: Theorem, effort: Effort) -> Result:
    """The verdict on the statement: refuted by a witness, or proved by its proof, or what the proof lacks."""
    from dpverify.proving import prove

    bare = under(theorem.shows, [h for h in theorem.given if not isinstance(h, ForEvery | Iterates)])
    sequences = _about_sequences(theorem)
    if not theorem.proof and not sequences and not isinstance(bare, AllOf | ForSome):
        return prove(bare, effort)
    point = _admission(theorem, bare, effort)
    if isinstance(point, Result):
        return point
    if not sequences and (refuted := _refuted(bare, effort)) is not None:
        return refuted
    proof = _Proof(theorem, effort)
    try:
        for inference in theorem.proof:
            _infer(inference, proof)
        _conclude(proof)
        refuted = _refuted_by_run(theorem, effort) if sequences else _refuted(bare, effort, hard=True)
        if refuted is not None:
            return refuted
    except Disproved as broken:
        return broken.result.with_(steps=tuple(proof.steps))
    except Stuck as why:
        return _short_of_proof(bare, str(why), proof, effort, sequences)
    count = len(proof.steps)
    return Result(
        PROVED,
        f"{count} inference{'s' if count > 1 else ''}, each checked, and the conclusion follows from them",
        Evidence("proof", {"inferences": count, "model": point}),
        steps=tuple(proof.steps),
        depends=tuple(dict.fromkeys(proof.depends)),
    )


def proof_stands(theorem: Theorem, kept: Result, effort: Effort) -> bool:
    """Whether a kept proof of the statement goes through again: the same inferences, each accepted by the
    checker of its certificate, from hypotheses that some point meets.
    """
    bare = under(theorem.shows, [h for h in theorem.given if not isinstance(h, ForEvery | Iterates)])
    if isinstance(_admission(theorem, bare, effort), Result):
        return False
    proof = _Proof(theorem, effort, kept=kept.steps)
    try:
        for inference in theorem.proof:
            _infer(inference, proof)
        _conclude(proof)
    except (Stuck, Disproved):
        return False
    return [step.statement for step in proof.steps] == [step.statement for step in kept.steps]


def _admission(theorem: Theorem, bare: Any, effort: Effort) -> dict[str, str] | Result:
    """A point that meets the hypotheses, if everything in the statement is modelled and there is one; else
    the result that says what is not.
    """
    from dpverify.proving import gate

    point: dict[str, str] = {}
    # Each part has to say something under its own hypotheses.
    for number, (part, chosen) in enumerate(_conjuncts(bare), 1):
        try:
            given = gate.hypotheses(gate.elaborate(part))
        except gate.Refused as why:
            return Result(UNDECIDED, f"not modelled: {why}")
        found = _model_of([*theorem.given, *(h for h in given if h not in theorem.given)], chosen, effort)
        if isinstance(found, Result):
            return found
        for name, value in found.items():
            point[name if point.get(name, value) == value else f"{name} in part {number}"] = value
    return point


def _conjuncts(relation: Any, chosen: frozenset[Any] = frozenset()) -> Iterator[tuple[Any, frozenset[Any]]]:
    """The relations that a statement consists of, each with the symbols for which values are shown."""
    if isinstance(relation, AllOf):
        for part in relation.parts:
            yield from _conjuncts(part, chosen)
    elif isinstance(relation, ForSome):
        yield from _conjuncts(relation.relation, chosen | set(relation.symbols))
    else:
        yield relation, chosen


def _model_of(given: list[Any], chosen: frozenset[Any], effort: Effort) -> dict[str, str] | Result:
    """A point that meets these hypotheses, those for every index along a short run; what is asked of the
    chosen values is shown, not supposed.
    """
    from dpverify.proving import model

    plain = [h for h in given if not isinstance(h, ForEvery | Iterates)]
    plain = [h for h in plain if not sp.sympify(h).free_symbols & chosen]
    every = [h for h in given if isinstance(h, ForEvery)]
    moving = _spoken_of_later(given)
    if not every and not moving:
        return model(plain, effort)
    # Where no run is short enough to be written out, expectations are numbers like any others.
    for hypotheses in [[*plain, *every, *moving], *([[*plain, *every]] if moving else [])]:
        if (found := _model_of_a_run(hypotheses, effort)) is not None:
            return found
    for hypothesis in every:
        index = sp.Dummy(hypothesis.index.name, integer=True)
        low, high = sp.sympify(hypothesis.low), sp.sympify(hypothesis.high)
        plain += [*as_conditions(_moved(hypothesis, index)), sp.Ge(index, low), sp.Le(index, high)]
    return model(plain, effort)


def _model_of_a_run(given: list[Any], effort: Effort) -> dict[str, str] | Result | None:
    """A point that meets the hypotheses along a short run, or that none was found; None if none is short."""
    from dpverify.proving import model

    found: dict[str, str] | Result | None = None
    for run in runs(given):
        if sp.false not in run.given:
            found = model(run.given, effort)
            if isinstance(found, dict):
                return run.lengths | found
        elif found is None:
            found = Result(UNDECIDED, "the hypotheses contradict each other along every short run")
    return found


def _spoken_of_later(given: list[Any]) -> list[Iterates]:
    """The iterations whose expectations after the start the hypotheses restrict. What it starts from is free,
    and a restriction of that contradicts nothing that the iteration says.
    """
    sides = [e for h in given if isinstance(h, ForEvery) for e in (*_both(h.relation), h.low, h.high)]
    plain = [h for h in given if not isinstance(h, ForEvery | Iterates)]
    entries = {entry for e in (*sides, *plain) for entry in sp.sympify(e).atoms(sp.Indexed)}
    return [
        h
        for h in given
        if isinstance(h, Iterates)
        and any(e.base == h.name and e.indices[0] != sp.sympify(h.low) for e in entries)
    ]


def _refuted(relation: Any, effort: Effort, hard: bool = False) -> Result | None:
    """A refutation of the statement itself: a short search before the proof is looked at, a hard one before
    it is believed.
    """
    from dpverify.proving import gate, refutation_of
    from dpverify.proving.refutation import AIMED, EASY

    for part in relation.parts if isinstance(relation, AllOf) else (relation,):
        if isinstance(part, Equal | AtMost):
            result = refutation_of(gate.elaborate(part), effort, AIMED if hard else EASY)
            if result is not None:
                return result
    return None


def _refuted_by_run(theorem: Theorem, effort: Effort, hard: bool = False) -> Result | None:
    """A refutation of a statement about sequences by a short run: a case of the statement with numbers for
    its lengths.
    """
    from dpverify.proving import gate, refutation_of
    from dpverify.proving.refutation import AIMED, EASY, HARD

    for part in theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,):
        if not isinstance(part, Equal | AtMost):
            continue
        for run in runs([*theorem.given, *part.given], part):
            assert run.shows is not None
            try:
                case = gate.elaborate(run.shows)
            except gate.Refused:
                continue
            about_vectors = gate.mentions(case)
            result = refutation_of(case, effort, HARD if hard else EASY if about_vectors else AIMED)
            if result is not None and (found := result.witness) is not None:
                at = ", ".join(f"{k} = {v}" for k, v in run.lengths.items())
                witness = replace(found, let=run.lengths | found.let)
                return result.with_(
                    because=f"at {at} it {result.because}" if at else result.because, witness=witness
                )
            if about_vectors and not hard:  # a longer run takes long
                break
    return None


def _short_of_proof(bare: Any, why: str, proof: _Proof, effort: Effort, sequences: bool) -> Result:
    """What can be said without the proof: a direct proof, a refutation, or nothing."""
    from dpverify.proving import prove

    broken = Result(UNDECIDED, f"the proof does not go through: {why}", steps=tuple(proof.steps))
    if sequences:
        refuted = _refuted_by_run(proof.theorem, effort, hard=True)
        if refuted is None:
            return broken
        return refuted.with_(because=f"{refuted.because} ({broken.because})", steps=broken.steps)
    if not isinstance(bare, Equal | AtMost):
        return broken
    direct = prove(bare, effort)
    if direct.verdict in (REFUTED, PROVED):
        return direct
    return broken


def _infer(inference: Any, proof: _Proof) -> None:
    rules: dict[type, Callable[[Any, _Proof], None]] = {
        Descend: _descend,
        Have: _have,
        Calc: _calc,
        Use: _use,
        SumOver: _sum,
        Unroll: _unroll,
        At: _at,
        Expect: _expect,
        Jensen: _jensen,
        Cases: lambda inference, proof: None,  # these two say how to conclude
        Induct: lambda inference, proof: None,
    }
    rules[type(inference)](inference, proof)


def _have(inference: Have, proof: _Proof) -> None:
    """A fact under conditions of its own is a fact once these are proved; until then it is a remark.

    A fact for every index is shown at an arbitrary one, and used as a hypothesis for every index is.
    """
    if isinstance(every := inference.relation, ForEvery):
        limits = SumOver(every.relation, every.index, every.low, every.high, inference.reason)
        _for_every(every.relation, limits, proof)
        proof.recursions.append(every)
        return
    if isinstance(inference.relation, AllOf):
        for part in inference.relation.parts:
            _have(Have(part, inference.reason), proof)
        return
    proof.establish(inference.relation, inference.reason)
    own = [c for c in _conditions_of(inference.relation) if c not in proof.known]
    if own:
        taken = len(proof.steps)
        try:
            for condition in own:
                _holds(condition, f"a condition of: {inference.reason}", proof)
        except Stuck:
            del proof.steps[taken:]
            return
    proof.learn(inference.relation)


def _conditions_of(relation: Any) -> list[Any]:
    """The hypotheses under which a relation, or the relations that a theorem shows, are claimed."""
    inner = [c for part in getattr(relation, "parts", ()) for c in _conditions_of(part)]
    if isinstance(relation, Theorem):
        inner += _conditions_of(relation.shows)
    return [*getattr(relation, "given", ()), *inner]


def _conditions_hold(relation: Any, reason: str, proof: _Proof, more: Iterable[Any] = ()) -> None:
    """Show the hypotheses of a relation's own, which what is learned from it will no longer name."""
    for condition in relation.given:
        _holds(condition, f"a condition of: {reason}", proof, more)


def _calc(inference: Calc, proof: _Proof) -> None:
    """a op b and b op c give a op c: equal if both are, strict if one is."""
    left = inference.start
    for op, term, reason in inference.links:
        term = sp.sympify(term)
        link = Equal(left, term) if op == "=" else AtMost(left, term, strict=op == "<")
        proof.establish(link, reason)
        proof.learn(link)
        left = term
    ops = {op for op, _, _ in inference.links}
    whole = Equal(inference.start, left) if ops == {"="} else AtMost(inference.start, left, strict="<" in ops)
    proof.learn(whole)


def _use(inference: Use, proof: _Proof) -> None:
    """What holds for all values of symbols holds for terms that meet the symbols' assumptions and the
    hypotheses: at every index of a range if these are shown at an arbitrary one, and in a case if they are
    shown there.
    """
    if inference.over is not None:
        index, low, high = inference.over
        _any_index(index, low, proof)
        shown = _instances(inference, proof, [sp.Ge(index, low), sp.Le(index, high)])
        proof.recursions += [ForEvery(relation, index, low, high) for relation in shown]
    elif inference.when is not None:
        shown = _instances(inference, proof, [inference.when])
        proof.in_case += [(inference.when, fact) for relation in shown for fact in as_conditions(relation)]
    else:
        proof.learn(*_instances(inference, proof, []))


def _instances(inference: Use, proof: _Proof, supposed: list[Any]) -> list[AtMost | Equal]:
    """What an earlier claim says of the terms, its assumptions and hypotheses being shown where `supposed`
    holds as well; this is forgotten again.
    """
    facts, objects = list(proof.facts), set(proof.objects)
    proof.facts = [*facts, *[condition for condition in supposed if condition not in (sp.true, True)]]
    try:
        return _instantiated(inference, proof)
    finally:
        proof.facts = facts
        if supposed:  # a function or a noise that exists there need not exist elsewhere
            proof.objects = objects


def _instantiated(inference: Use, proof: _Proof) -> list[AtMost | Equal]:
    """What an earlier claim says of the terms, once they are shown to be of its kind and to meet its
    hypotheses.
    """
    lookup = statements.get()
    if lookup is None:
        raise Stuck(f"{inference.id} can be used only while claims are being checked")
    id, statement = lookup(inference.id)
    theorem = statement if isinstance(statement, Theorem) else Theorem(statement)
    theorem = _with_closed_forms(theorem, proof)
    _at_one_index(theorem, id)
    symbols = {s.name: s for s in _free(theorem) if not isinstance(s, Atom)}
    unknown = sorted(set(inference.terms) - set(symbols))
    if unknown:
        raise Stuck(f"{id} has no symbol {unknown[0]!r}; it has {', '.join(sorted(symbols))}")
    chosen = {symbols[name]: sp.sympify(term) for name, term in inference.terms.items()}
    for symbol, term in chosen.items():
        _fits(symbol, term, f"{symbol} of {id}", proof)
    for condition in theorem.given:
        if isinstance(condition, ForEvery | Iterates):
            _discharge(condition, chosen, id, proof)
        else:
            _holds(placed(condition, chosen), f"a hypothesis of {id}", proof)
    shown = []
    for part in theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,):
        if not isinstance(part, Equal | AtMost):
            raise Stuck(f"{id} shows {part}, which is not a comparison of numbers")
        for condition in part.given:
            _holds(placed(condition, chosen), f"a hypothesis of {id}", proof)
        proof.admit(_substituted(part, chosen), f"what {id} says")
        shown.append(_substituted(part, chosen))
    proof.depends.append(id)
    return shown


def _at_one_index(theorem: Theorem, id: str) -> None:
    """A hypothesis on q[t], where the conclusion does not speak of t, is meant at every t: to show it at one
    is not enough.
    """
    parts = theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,)
    plain = [h for h in theorem.given if not isinstance(h, ForEvery | Iterates)]
    for part in parts:
        if isinstance(part, Equal | AtMost):
            held = [sp.sympify(c) for c in (*plain, *part.given)]
            if every := running([sp.sympify(side) for side in _both(part)], held):
                name = sorted(map(str, every))[0]
                raise Stuck(f"{id} has a hypothesis for every {name}: write it as a ForEvery")


def _with_closed_forms(theorem: Theorem, proof: _Proof) -> Theorem:
    """A statement that is used, with the closed forms that are checked for its integrals and the like."""
    from dpverify.proving import calculus

    bare = replace(theorem, proof=())
    if not calculus.mentions(bare):
        return bare
    closing = calculus.Closing(bare, proof.effort)
    try:
        closed: Theorem = closing.statement(bare)
    except calculus.NotClosed as why:
        raise Stuck(str(why)) from None
    proof.steps += closing.steps
    return closed


def _fits(symbol: sp.Symbol, term: Any, reason: str, proof: _Proof) -> None:
    """A term takes the place of a symbol if it is a number wherever the hypotheses hold, and of the kind that
    the symbol is declared to be.
    """
    from dpverify.proving import gate

    try:
        gate.elaborate(AtMost(term, term))
    except gate.Refused as why:
        raise Stuck(f"{term} is no value for {symbol}: {why}") from None
    if any(True for _ in gate.needs(term, ())):
        proof.establish(AtMost(term, term), f"{reason} is defined")
    for condition in assumed(symbol, term):
        proof.establish(condition, reason)
    for name in KINDS:
        declared = symbol.assumptions0.get(name)
        if declared is not None and getattr(term, f"is_{name}") is not declared:
            raise Stuck(f"{term} is not known to be {'' if declared else 'not '}{name}, as {symbol} is")


def _holds(condition: Any, reason: str, proof: _Proof, more: Iterable[Any] = ()) -> None:
    """Show a condition: of several that are joined by `and` each, of several joined by `or` the last,
    supposing that none of the others holds.
    """
    if condition in (sp.true, True) or condition in proof.known:
        return
    if isinstance(condition, sp.And):
        for part in condition.args:
            _holds(part, reason, proof, more)
    elif isinstance(condition, sp.Or):
        *others, last = sorted(condition.args, key=sp.default_sort_key)
        _holds(last, reason, proof, [*more, *[sp.Not(other) for other in others]])
    elif condition in (sp.false, False):
        raise Stuck(f"{reason} does not hold")
    else:
        try:
            wanted = as_relation(condition)
        except ValueError as why:
            raise Stuck(f"{reason} is not one that can be shown: {why}") from None
        proof.establish(wanted, reason, more)


def _discharge(hypothesis: ForEvery | Iterates, chosen: dict[Any, Any], id: str, proof: _Proof) -> None:
    """A hypothesis for every index, at these terms, is shown at an arbitrary one; an iteration has to be one
    of this theorem.
    """
    if isinstance(hypothesis, Iterates):
        process = _iterates_at(hypothesis, chosen)
        named = {hypothesis.index, hypothesis.name.label}  # the sequence is that iteration's alone
        if named & set(chosen) or process not in proof.theorem.given:
            raise Stuck(f"{id} is about an iteration that is not among the hypotheses: {process}")
        return
    low, high = (placed(end, chosen) for end in (hypothesis.low, hypothesis.high))
    taken = [*proof.known, *chosen, *chosen.values(), low, high, *_both(hypothesis.relation)]
    index = fresh(hypothesis.index.name, taken, integer=True)
    relation = _substituted(_moved(hypothesis, index), chosen)
    _for_every(relation, SumOver(relation, index, low, high, f"a hypothesis of {id}"), proof)


def _iterates_at(process: Iterates, chosen: dict[Any, Any]) -> Iterates:
    """The iteration with terms for the symbols in it; the names of its state and of its sequence stay."""
    return replace(
        process,
        value=process.value.xreplace(chosen),
        step=tuple(vector.replaced(chosen) for vector in process.step),
        noises=tuple(noise.replaced(chosen) for noise in process.noises),
        low=placed(process.low, chosen),
        high=placed(process.high, chosen),
    )


def _substituted(relation: AtMost | Equal, chosen: dict[Any, Any]) -> AtMost | Equal:
    if isinstance(relation, Equal):
        return Equal(placed(relation.derived, chosen), placed(relation.stated, chosen))
    return AtMost(placed(relation.lhs, chosen), placed(relation.rhs, chosen), strict=relation.strict)


def assumed(symbol: sp.Symbol, term: Any) -> list[AtMost]:
    """What the assumptions on a symbol ask of the term that takes its place."""
    if symbol.is_positive:
        return [] if term.is_positive else [AtMost(0, term, strict=True)]
    if symbol.is_nonnegative:
        return [] if term.is_nonnegative else [AtMost(0, term)]
    if symbol.is_negative:
        return [] if term.is_negative else [AtMost(term, 0, strict=True)]
    if symbol.is_nonpositive:
        return [] if term.is_nonpositive else [AtMost(term, 0)]
    if symbol.is_nonzero:
        return [] if term.is_nonzero else [AtMost(0, term**2, strict=True)]
    return []


def _free(theorem: Theorem) -> set[Any]:
    found: set[Any] = set()
    for part in theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,):
        for name in ("lhs", "rhs", "derived", "stated"):
            if hasattr(part, name):
                found |= sp.sympify(getattr(part, name)).free_symbols
        for condition in getattr(part, "given", ()):
            found |= condition.free_symbols
    for condition in theorem.given:
        if not isinstance(condition, ForEvery | Iterates):
            found |= condition.free_symbols
    return {s for s in found if isinstance(s, sp.Symbol)}


def _range(inference: SumOver | Unroll) -> list[Any]:
    return [sp.Ge(inference.index, inference.low), sp.Le(inference.index, inference.high)]


def _sum(inference: SumOver, proof: _Proof) -> None:
    """If a(t) <= b(t) for every t of the range, then sum a <= sum b; the same for =. An empty sum is 0."""
    _for_every(inference.relation, inference, proof)
    limits = (inference.index, inference.low, inference.high)
    relation = inference.relation
    if isinstance(relation, Equal):
        proof.learn(Equal(sp.Sum(relation.derived, limits), sp.Sum(relation.stated, limits)))
    else:  # a strict comparison of the terms is not one of the sums: they may be empty
        proof.learn(AtMost(sp.Sum(relation.lhs, limits), sp.Sum(relation.rhs, limits)))


def _for_every(relation: AtMost | Equal, inference: SumOver | Unroll, proof: _Proof) -> None:
    """A relation at an arbitrary index of the range: by a hypothesis for every index, or proved there."""
    _any_index(inference.index, inference.low, proof)
    instances = []
    for hypothesis in (*proof.theorem.given, *proof.recursions):
        if isinstance(hypothesis, ForEvery) and _covers(hypothesis, inference, proof):
            moved = _moved(hypothesis, inference.index)
            if moved == relation:
                proof.steps.append(
                    step_of(
                        relation,
                        inference.reason,
                        Result(PROVED, "known for every index", Evidence("hypothesis")),
                    )
                )
                return
            instances += as_conditions(moved)
    _conditions_hold(relation, inference.reason, proof, [*_range(inference), *instances])
    proof.establish(relation, inference.reason, [*_range(inference), *instances])


def _any_index(index: sp.Symbol, low: Any, proof: _Proof) -> None:
    """An index stands for every whole number from `low` if nothing else is known of it."""
    if not runs_freely(index, low):
        raise Stuck(f"the index {index} does not stand for every whole number from {low}")
    if any(index in sp.sympify(fact).free_symbols for fact in proof.known):
        raise Stuck(f"the index {index} stands in a hypothesis or an earlier fact")
    for every in (*proof.theorem.given, *proof.recursions):
        if isinstance(every, ForEvery | Iterates) and index in _spoken_of(every):
            raise Stuck(f"the index {index} stands for something else in: {every}")


def _spoken_of(every: ForEvery | Iterates) -> set[Any]:
    """The symbols that stand free in a hypothesis for every index."""
    if isinstance(every, ForEvery):
        inside = {s for side in _both(every.relation) for s in sp.sympify(side).free_symbols}
    else:
        inside = {s for v in (*every.state, *every.step, *every.noises) for s in v.scalars}
        inside |= sp.sympify(every.value).free_symbols
    ends = {s for end in (every.low, every.high) for s in sp.sympify(end).free_symbols}
    return (inside - {every.index}) | ends


def _covers(hypothesis: ForEvery, inference: SumOver | Unroll, proof: _Proof) -> bool:
    """Whether the hypothesis speaks of every index of the range."""
    try:
        for low, high in ((hypothesis.low, inference.low), (inference.high, hypothesis.high)):
            gap = sp.sympify(high) - sp.sympify(low)
            if not gap.is_nonnegative:
                proof.establish(AtMost(low, high), "the range of the hypothesis")
    except Stuck:
        proof.steps.pop()
        return False
    return True


def _moved(hypothesis: ForEvery, value: Any) -> AtMost | Equal:
    return _substituted(hypothesis.relation, {hypothesis.index: sp.sympify(value)})


def _at(inference: At, proof: _Proof) -> None:
    """What holds for every index of a range holds at one of them."""
    hypothesis, value = inference.hypothesis, sp.sympify(inference.value)
    if hypothesis not in (*proof.theorem.given, *proof.recursions):
        raise Stuck(f"{hypothesis} is not among the hypotheses and recursions")
    if not value.is_integer:
        raise Stuck(f"the index {value} is not known to be whole")
    proof.establish(AtMost(hypothesis.low, value), "the index is within its range")
    proof.establish(AtMost(value, hypothesis.high), "the index is within its range")
    proof.learn(_moved(hypothesis, value))


def _noise_is_free(noises: Iterable[Any], proof: _Proof) -> None:
    """A hypothesis about every outcome of a noise could contradict the moments that it is declared to
    have.
    """
    from dpverify.language.expectations import holds_noise

    for fact in proof.known:
        if holds_noise(fact, list(noises)):
            raise Stuck(
                f"{fact} restricts the outcomes of a noise, whose law is declared by its moments alone"
            )


def _state_is_free(process: Iterates, proof: _Proof) -> None:
    """A step is shown from any state: what is known of one state need not hold after the step."""
    from dpverify.language.expectations import holds_noise, within

    states = {vector.basis for vector in process.state}
    for fact in proof.known:
        if states & within(fact):
            raise Stuck(f"{fact} restricts the state, which moves with every step")
    if holds_noise(process.value, process.noises):
        raise Stuck(
            f"{process.name} is the expectation of {process.value}, which is not made of the state alone"
        )


def _expect(inference: Expect, proof: _Proof) -> None:
    """What holds for every outcome holds in expectation, where expectations exist; a strict sign becomes
    <=.
    """
    from dpverify.language.expectations import E

    relation = inference.relation
    _noise_is_free(inference.noises, proof)
    _conditions_hold(relation, inference.reason, proof)
    proof.establish(relation, inference.reason)
    if isinstance(relation, Equal):
        proof.learn(Equal(E(relation.derived, *inference.noises), E(relation.stated, *inference.noises)))
    else:
        proof.learn(AtMost(E(relation.lhs, *inference.noises), E(relation.rhs, *inference.noises)))


def _descend(inference: Descend, proof: _Proof) -> None:
    """E V(next(x)) <= r V(x) + k E W(next(x)) + e for every x gives E V(x_{t+1}) <= r E V(x_t) +
    k E W(x_{t+1}) + e, the noise being drawn afresh: take the expectation over x_t.
    """
    from dpverify.language.expectations import E

    process, ratio, extra = inference.iterates, inference.ratio, inference.extra
    parts, later = [(process, ratio), *inference.beside], inference.later
    names = [h.name for h in proof.theorem.given if isinstance(h, Iterates)]
    if len(set(names)) < len(names):
        raise Stuck("two expectations are called by one name")
    for other, factor in (*parts, *later):
        if other not in proof.theorem.given:
            raise Stuck(f"{other} is not among the hypotheses")
        if replace(other, name=process.name, value=process.value) != process:
            raise Stuck(f"{other.name} and {process.name} are not expectations of one iteration")
        if factor.atoms(Atom) or extra.atoms(Atom):
            raise Stuck(f"the ratio {factor} and the rest {extra} must not depend on the state")
    _any_index(process.index, process.low, proof)
    entry = process.name[process.index]
    for word in ("positive", "negative", "nonpositive", "nonzero", "integer"):
        if getattr(entry, f"is_{word}"):
            raise Stuck(f"{process.name} is an expectation: that it is {word} would be a hypothesis on it")
    _state_is_free(process, proof)
    _noise_is_free(process.noises, proof)
    named = [e for other, c in (*parts, *later) for e in (other.value, c)]
    swap = _numbers_for_entries(process, proof, extra, *named)
    noises = [noise.replaced(swap) for noise in process.noises]
    before = set(proof.objects)
    proof.objects |= objects_of([*noises, process.after.xreplace(swap)])  # those of the statement, at a step
    known: list[Any] = []
    if entry.is_nonnegative:
        proof.establish(AtMost(0, process.value), f"{process.name} is not negative")
    for condition in inference.by:
        lemma = as_relation(condition.xreplace(swap))
        proof.establish(lemma, f"{inference.reason}: for every outcome")
        left, right = (E(side, *noises) for side in _both(lemma))
        known += as_conditions(Equal(left, right) if isinstance(lemma, Equal) else AtMost(left, right))
    compared = Equal if inference.exact else AtMost
    bound = (sum(factor * other.value for other, factor in parts) + extra).xreplace(swap)
    moved = [c.xreplace(swap) * E(other.after.xreplace(swap), *noises) for other, c in later]
    proof.establish(
        compared(E(process.after.xreplace(swap), *noises), bound + sum(moved)), inference.reason, known
    )
    proof.objects = before  # the numbers of an arbitrary step are no numbers of the theorem
    now, then = process.index, process.index + 1
    right = sum(c * other.name[now] for other, c in parts) + sum(c * other.name[then] for other, c in later)
    recursion = compared(process.name[then], right + extra)
    proof.recursions.append(ForEvery(recursion, process.index, process.low, process.high))


def _numbers_for_entries(process: Iterates, proof: _Proof, *terms: Any) -> dict[Any, Any]:
    """An arbitrary number of the same sign for every entry of a sequence at the index of a step, of which
    nothing is known.
    """
    spelt = [process.after, *terms, *[s for v in (*process.step, *process.noises) for s in _coefficients(v)]]
    swap: dict[Any, Any] = {}
    for entry in sorted({e for term in spelt for e in term.atoms(sp.Indexed)}, key=sp.default_sort_key):
        sign = (
            {"positive": True} if entry.is_positive else {"nonnegative": True} if entry.is_nonnegative else {}
        )
        swap[entry] = fresh(
            f"{entry.base.label}_now", [*spelt, *swap.values(), *proof.known], real=True, **sign
        )
    return swap


def _coefficients(vector: Any) -> list[Any]:
    """The scalars of a combination of vectors, and the variance of a noise."""
    return [c for _, c in vector.parts] + [b.variance for b, _ in vector.parts if hasattr(b, "variance")]


def _both(relation: AtMost | Equal) -> tuple[Any, Any]:
    if isinstance(relation, Equal):
        return relation.derived, relation.stated
    return relation.lhs, relation.rhs


def _jensen(inference: Jensen, proof: _Proof) -> None:
    """A concave function of an expectation is at least the expectation of the function; the root is
    concave.
    """
    from dpverify.language.expectations import jensen, jensen_root

    _noise_is_free(inference.noises, proof)
    if inference.point is None:
        proof.establish(AtMost(0, inference.square), f"{inference.reason}: the root is defined")
        condition = jensen_root(inference.square, *inference.noises)
    else:
        try:
            condition = jensen(inference.square, inference.point, *inference.noises)
        except ValueError as why:
            raise Stuck(f"{inference.reason} does not apply: {why}") from None
    relation = as_relation(condition)
    proof.admit(relation, inference.reason)
    proof.steps.append(
        step_of(relation, inference.reason, Result(PROVED, "Jensen's inequality", Evidence("rule")))
    )
    proof.learn(relation)


def _unroll(inference: Unroll, proof: _Proof) -> None:
    """x[t+1] <= r x[t] + e(t) for t = low..high and r >= 0 give x[h+1] <= r^(h+1-low) x[low] + sum
    r^(h-t) e(t).
    """
    index, low, high = inference.index, sp.sympify(inference.low), sp.sympify(inference.high)
    entry, ratio, extra = inference.entry, sp.sympify(inference.ratio), sp.sympify(inference.extra)
    if ratio.has(index):
        raise Stuck(f"the ratio {ratio} depends on {index}")
    if not (low.is_integer and high.is_integer):
        raise Stuck(f"the range {low}..{high} does not have whole ends")
    proof.establish(AtMost(0, ratio), "the ratio is not negative")
    proof.establish(AtMost(low - 1, high), "the range is not shorter than empty")
    after = placed(entry, {index: index + 1})
    _for_every(AtMost(after, ratio * entry + extra), inference, proof)
    last, first = placed(entry, {index: high + 1}), placed(entry, {index: low})
    powers = sp.Sum(ratio ** (high - index) * extra, (index, low, high))
    proof.learn(AtMost(last, ratio ** (high + 1 - low) * first + powers))


def _conclude(proof: _Proof) -> None:
    """The conclusion from the facts: at once, in each case, or by induction."""
    theorem = proof.theorem
    shows = theorem.shows
    cases = [step for step in theorem.proof if isinstance(step, Cases)]
    inductions = [step for step in theorem.proof if isinstance(step, Induct)]
    if len(cases) + len(inductions) > 1:
        raise Stuck("a proof has one split into cases or one induction")
    if cases:
        _exhaustive(cases[0], proof)
        for condition in cases[0].conditions:
            there = [fact for case, fact in proof.in_case if case == condition]
            _close(shows, f"the conclusion, if {condition}", proof, [condition, *there])
    elif inductions:
        _by_induction(inductions[0], proof)
    else:
        _close(shows, "the conclusion", proof)


def _close(shows: Any, reason: str, proof: _Proof, more: Iterable[Any] = ()) -> None:
    if isinstance(shows, AllOf):
        for part in shows.parts:
            _close(part, reason, proof, more)
        return
    chosen_by_us = isinstance(shows, ForSome)  # if our choice fails, another one may do
    if isinstance(shows, ForSome):
        _choice_is_fair(shows, proof.theorem)
        chosen = {s: sp.sympify(v) for s, v in shows.at.items()}
        for symbol, term in chosen.items():
            _fits(symbol, term, f"the value of {symbol}", proof)
        for part, _ in _conjuncts(shows.relation):
            for condition in getattr(part, "given", ()):
                if condition.free_symbols & set(chosen):
                    wanted = placed(condition, chosen)
                    if wanted in (sp.false, False):
                        raise Stuck(f"{condition} does not hold for the values that are shown")
                    _holds(wanted, f"{condition}, which is asked of the values", proof, more)
        shows = _put(shows.relation, chosen)
    for part in shows.parts if isinstance(shows, AllOf) else (shows,):
        wanted = as_conditions(part)
        if wanted and all(c in proof.facts for c in wanted) and not getattr(part, "given", ()):
            done = Result(PROVED, "one of the facts", Evidence("fact"))
            proof.steps.append(step_of(part, reason, done))
            continue
        try:
            proof.establish(part, reason, more)
        except Stuck:
            last = proof.steps[-1].result
            if last.verdict is REFUTED and not chosen_by_us and not _about_sequences(proof.theorem):
                raise Disproved(last) from None
            raise


def _about_sequences(theorem: Theorem) -> bool:
    """Whether hypotheses for every index, which no search for a point respects, are among the hypotheses."""
    return any(isinstance(h, ForEvery | Iterates) for h in theorem.given)


def _choice_is_fair(shows: ForSome, theorem: Theorem) -> None:
    """The values are made of what comes before them, and nothing else speaks of the symbols."""
    for symbol in shows.symbols:
        if symbol not in shows.at:
            raise Stuck(f"no value of {symbol} is shown")
        if symbol in shows.of:
            raise Stuck(f"the value of {symbol} is not defined: it would be made of {symbol} itself")
        every = [h for h in theorem.given if isinstance(h, ForEvery | Iterates)]
        plain = [sp.sympify(h) for h in theorem.given if h not in every]
        if any(symbol in _spoken_of(h) for h in every) or any(symbol in h.free_symbols for h in plain):
            raise Stuck(f"a hypothesis speaks of {symbol}, whose value is to be shown")
        alien = sp.sympify(shows.at[symbol]).free_symbols - set(shows.of)
        if alien:
            raise Stuck(
                f"the value of {symbol} depends on {sorted(map(str, alien))[0]}, which comes after it"
            )


def _put(relation: Any, chosen: dict[Any, Any]) -> Any:
    """The relation at the values that are shown; what it asks of them is no hypothesis."""
    if isinstance(relation, AllOf):
        return AllOf(*[_put(part, chosen) for part in relation.parts])
    if not isinstance(relation, Equal | AtMost):
        raise Stuck(f"{relation} is not a comparison of numbers")
    given = tuple(c for c in relation.given if not c.free_symbols & set(chosen))
    return replace(_substituted(relation, chosen), given=given)


def _exhaustive(cases: Cases, proof: _Proof) -> None:
    """Whatever is in none of the first cases is in the last."""
    *others, last = cases.conditions
    _holds(last, cases.reason, proof, [sp.Not(condition) for condition in others])


def _grows(hypothesis: ForEvery | Iterates, over: sp.Symbol) -> bool:
    """Whether a hypothesis for every index says at over + 1 what it says at over, and perhaps more."""
    low, high = sp.sympify(hypothesis.low), sp.sympify(hypothesis.high)
    if isinstance(hypothesis, ForEvery):
        inside = [sp.sympify(side) for side in _both(hypothesis.relation)]
    else:
        inside = [hypothesis.after, hypothesis.value, *[c for v in hypothesis.step for c in _coefficients(v)]]
    if over in low.free_symbols or any(over in e.free_symbols for e in inside):
        return False
    return bool((high.xreplace({over: over + 1}) - high).is_nonnegative)


def _by_induction(rule: Induct, proof: _Proof) -> None:
    """A relation that holds at the start, and at T + 1 if at T, for every whole T >= start, holds for all
    of them.
    """
    over, start, shows = rule.over, sp.sympify(rule.start), proof.theorem.shows
    if not over.is_integer or not start.is_Integer:
        raise Stuck(f"induction needs a whole symbol and a whole start, got {over} from {start}")
    if not isinstance(shows, Equal | AtMost):
        raise Stuck("induction is for one comparison of numbers")
    if any(over in sp.sympify(h).free_symbols for h in (*proof.plain, *shows.given)):
        raise Stuck(f"a hypothesis restricts {over}: induction is over every whole {over} >= {start}")
    for h in proof.theorem.given:
        if isinstance(h, ForEvery | Iterates) and not _grows(h, over):
            raise Stuck(f"{h} at {over} + 1 is not more than at {over}, as induction over {over} needs")
    if start != (1 if over.is_positive else 0 if over.is_nonnegative else None):
        raise Stuck(f"the least value that {over} takes is not {start}")
    proof.establish(_substituted(shows, {over: start}), f"{rule.reason}: at {over} = {start}")
    here = as_conditions(shows)
    later = [placed(fact, {over: over + 1}) for fact in proof.facts if over in fact.free_symbols]
    proof.establish(
        _substituted(shows, {over: over + 1}), f"{rule.reason}: from {over} to {over} + 1", [*here, *later]
    )
