"""Checking a proof: every inference of a `Theorem`, and that its conclusion follows from the facts they give.

A fact joins the hypotheses once it is proved from them and from the facts before it. What a rule adds on its
own (transitivity, adding up, unrolling, instantiation) is stated beside the function that applies it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpverify.effort import Effort
from dpverify.proving import kept
from dpverify.proving.admission import admission
from dpverify.proving.conclusions import conclude
from dpverify.proving.existence import existence
from dpverify.proving.forms import Refused
from dpverify.proving.inferences import infer
from dpverify.proving.proof import Disproved, Proof, Stuck, about_sequences, under
from dpverify.proving.runs import runs
from dpverify.proving.vector_statements import mentions
from dpverify.relations import AtMost, Equal
from dpverify.theorems import AllOf, ForEvery, ForSome, Iterates, Theorem
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED, Evidence, Result


def decide(theorem: Theorem, effort: Effort) -> Result:
    """The verdict on the statement: refuted by a witness, or proved by its proof, or what the proof lacks."""
    from dpverify.proving import prove

    bare = under(theorem.shows, [h for h in theorem.given if not isinstance(h, ForEvery | Iterates)])
    sequences = about_sequences(theorem)
    if not theorem.proof and not sequences and not isinstance(bare, AllOf | ForSome):
        return prove(bare, effort)
    supposed = existence([theorem.shows, *theorem.given])
    point = admission(theorem, bare, supposed, effort)
    if isinstance(point, Result):
        return point
    stated = under(bare, [h for h in supposed if not isinstance(h, ForEvery)])
    # A kept proof most likely goes through, and a search that follows it looks harder than this one.
    doubted = not sequences and not (theorem.proof and kept.some_known())
    if doubted and (refuted := _refuted(stated, effort)) is not None:
        return refuted
    proof = Proof(theorem, effort)
    try:
        for inference in theorem.proof:
            infer(inference, proof)
        conclude(proof)
        refuted = _refuted_by_run(theorem, effort) if sequences else _refuted(stated, effort, hard=True)
        if refuted is not None:
            return refuted
    except (Disproved, Stuck) as why:
        if not (sequences or doubted) and (refuted := _refuted(stated, effort)) is not None:
            return refuted
        if isinstance(why, Disproved):
            return why.result.with_(steps=tuple(proof.steps))
        return _short_of_proof(bare, str(why), proof, effort, sequences)
    count = len(proof.steps)
    return Result(
        PROVED,
        f"{count} inference{'s' if count > 1 else ''}, each checked, and the conclusion follows from them",
        Evidence("proof", {"inferences": count, "model": point}),
        steps=tuple(proof.steps),
        depends=tuple(dict.fromkeys(proof.depends)),
    )


def proof_stands(theorem: Theorem, known: Result, effort: Effort) -> bool:
    """Whether a kept proof of the statement goes through again: the same inferences, each accepted by the
    checker of its certificate, from hypotheses that some point meets.
    """
    bare = under(theorem.shows, [h for h in theorem.given if not isinstance(h, ForEvery | Iterates)])
    supposed = existence([theorem.shows, *theorem.given])
    if isinstance(admission(theorem, bare, supposed, effort), Result):
        return False
    proof = Proof(theorem, effort, kept=known.steps)
    try:
        for inference in theorem.proof:
            infer(inference, proof)
        conclude(proof)
    except (Stuck, Disproved):
        return False
    return [step.statement for step in proof.steps] == [step.statement for step in known.steps]


def _refuted(relation: Any, effort: Effort, hard: bool = False) -> Result | None:
    """A refutation of the statement itself: a short search before the proof is looked at, a hard one before
    it is believed.
    """
    from dpverify.proving import gate
    from dpverify.proving.counterexamples import refutation_of
    from dpverify.proving.search import AIMED, EASY

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
    from dpverify.proving import gate
    from dpverify.proving.counterexamples import refutation_of
    from dpverify.proving.search import AIMED, EASY, HARD

    supposed = existence([theorem.shows, *theorem.given])
    for part in theorem.shows.parts if isinstance(theorem.shows, AllOf) else (theorem.shows,):
        if not isinstance(part, Equal | AtMost):
            continue
        for run in runs([*theorem.given, *supposed, *part.given], part):
            assert run.shows is not None
            try:
                case = gate.elaborate(run.shows)
            except Refused:
                continue
            about_vectors = mentions(case)
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


def _short_of_proof(bare: Any, why: str, proof: Proof, effort: Effort, sequences: bool) -> Result:
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
