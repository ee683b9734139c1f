"""Keep the proofs of claims beside the claims: found once by a search, checked whenever the claims are.

What is kept is in `dpverify.proving.kept`: certificates, relation by relation. What a solver found
unsatisfiable is cut down to the assertions that it needs, which both solvers then go through in less time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpverify.checking import claims_in, decide_and_note, load_prover
from dpverify.claims import select
from dpverify.effort import QUICK, Effort
from dpverify.parallel import each
from dpverify.second_solver import cvc5_agrees

if TYPE_CHECKING:
    from dpverify.proving.kept import Suggestion

AT_ONCE = 1  # second


def keep_proofs(
    *patterns: str,
    paths: Sequence[str | Path] = (),
    effort: Effort = QUICK,
    jobs: int = 1,
    seconds: float | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[Path, int]:
    """Search for the proofs that are not kept yet, of the claims that match, and keep them: how many
    relations each file holds now. A claim that takes more than so many `seconds` is passed over. With
    `effort.search` all of them are searched for again, and without a pattern nothing else stays in the file.

    >>> keep_proofs("dynamic-noise/no-such-claim")
    Traceback (most recent call last):
    dpverify.claims.ClaimError: No claim matches 'dynamic-noise/no-such-claim'. ...
    """
    from dpverify.proving import kept

    where = tuple(str(path) for path in paths)
    claims = claims_in(where)
    chosen = [item.id for item in select(claims, patterns)]
    found: dict[str, dict[str, Suggestion]] = {}
    for id, proofs in each(
        _suggestions_of_claim,
        chosen,
        shared=(where, effort),
        workers=jobs,
        ordered=False,
        instead=lambda id, error: {},  # nothing is kept of a claim that takes too long
        seconds=seconds,
        ready=load_prover,
    ):
        found[id] = proofs
        if progress:
            progress(id, len(found), len(chosen))
    folders: dict[Path, dict[str, Suggestion]] = {}
    for id in chosen:
        folder = Path(claims[id].file).parent
        known = {} if effort.search and not patterns else dict(kept.read(folder))
        folders.setdefault(folder, known).update(found[id])
    return {kept.write(folder, proofs): len(proofs) for folder, proofs in folders.items() if proofs}


def _suggestions_of_claim(paths: tuple[str, ...], effort: Effort, id: str) -> dict[str, Suggestion]:
    """What closed each relation on the way to the result of a claim, but for what is kept already."""
    claims = claims_in(paths)
    _, book = decide_and_note(claims[id], effort, claims)
    return {name: _cut_down(proof) for name, proof in book.found.items()}


def _cut_down(proof: Suggestion) -> Suggestion:
    """A proof by a solver with the assertions that it needs alone, if the second solver agrees at once."""
    from dpverify.proving.solvers import core

    certificate: dict[str, Any] = dict(proof.certificate)
    if proof.tactic != "polynomials" or "smt2" not in certificate:
        return proof
    part = core(certificate["smt2"], certificate["solver"])
    return replace(proof, certificate=certificate | {"smt2": part}) if cvc5_agrees(part, AT_ONCE) else proof
