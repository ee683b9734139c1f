"""The results that a search for counterexamples ends in: refuted by a verified witness, or scanned without
one.
"""

from __future__ import annotations

from typing import Any

from dpverify.effort import Effort
from dpverify.proving.limits import StillOpen, limited
from dpverify.proving.refutation import admissible, refute
from dpverify.proving.search import EASY, HARD, Search
from dpverify.relations import AtMost, Equal
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness
from dpverify.witnesses import verify_witness


def refuted_by(relation: Any, witness: Witness, consequence: str = "") -> Result:
    """The refutation of a relation, or of a consequence of it, by a witness that its record verifies.

    >>> import sympy as sp
    >>> from dpverify.effort import QUICK
    >>> relation = AtMost(sp.Symbol("x", real=True), 3)
    >>> refuted_by(relation, refute(relation, QUICK)).because
    'fails at x = 4'
    """
    if not verify_witness(witness.exact):
        return Result(UNDECIDED, f"a witness was found but not verified from its record: {witness.let}")
    at = ", ".join(f"{k} = {v}" if "=" not in k else k for k, v in witness.let.items())
    because = f"fails at {at}" if at else "fails as it stands"
    certificate = {"verified": "exact"}
    if consequence:
        because = f"it would follow that {consequence}, which {because}"
        certificate["consequence"] = consequence
    return Result(REFUTED, because, Evidence("refutation", certificate), witness)


def refutation_of(relation: Equal | AtMost, effort: Effort, search: Search = EASY) -> Result | None:
    """The refutation of a comparison by a verified point, if the search finds one.

    >>> import sympy as sp
    >>> from dpverify.effort import QUICK
    >>> refutation_of(AtMost(sp.Symbol("x", real=True), 3), QUICK).verdict
    <Verdict.REFUTED: 'REFUTED'>
    """
    witness = limited(lambda: refute(relation, effort, search), effort.tactic_seconds)
    return refuted_by(relation, witness) if isinstance(witness, Witness) else None


def broken_consequence(tactic: Any, relation: Any, effort: Effort, how: Search) -> Result | StillOpen | None:
    """The refutation of a consequence of the relation, or by the tactic's own kind of witness, if one is
    found.

    >>> import sympy as sp
    >>> from dpverify.effort import QUICK
    >>> from dpverify.proving.tactics import tactic_named
    >>> from dpverify.relations import Increasing
    >>> x = sp.Symbol("x", real=True)
    >>> broken_consequence(tactic_named("shape"), Increasing(-x, x), QUICK, EASY).verdict
    <Verdict.REFUTED: 'REFUTED'>
    """

    def search() -> Result | None:
        for consequence in getattr(tactic, "consequences", lambda r: ())(relation):
            if witness := refute(consequence, effort, how):
                return refuted_by(relation, witness, str(consequence))
        if how is not EASY and hasattr(tactic, "refute") and (witness := tactic.refute(relation, effort)):
            return refuted_by(relation, witness)
        return None

    return limited(search, effort.tactic_seconds)


def scanned(relation: Equal | AtMost, effort: Effort, tried: list[str], cut_short: bool) -> Result:
    """The result of a last hard search where no tactic closed the relation.

    >>> import sympy as sp
    >>> from dpverify.effort import QUICK
    >>> scanned(AtMost(0, sp.Symbol("x", positive=True)), QUICK, [], cut_short=False).verdict
    <Verdict.SUPPORTED: 'SUPPORTED'>
    """

    def search() -> Witness | int:
        return refute(relation, effort, HARD) or admissible(relation, effort)

    outcome = limited(search, effort.tactic_seconds)
    if isinstance(outcome, Witness):
        return refuted_by(relation, outcome)
    why = "; ".join(tried) or "no tactic applies"
    if isinstance(outcome, StillOpen):
        return Result(UNDECIDED, f"no proof closed it ({why}), and a scan gave {outcome.why}", cut_short=True)
    if outcome >= 100:
        evidence = Evidence(
            "scan",
            {"tried": tried},
            samples=outcome,
            seed=effort.seed,
            ceiling="a violation at one of the scanned points, or uphill from the best of them, would "
            "have been found",
        )
        because = f"no violation at {outcome} admissible points; no proof closed it ({why})"
        return Result(SUPPORTED, because, evidence, cut_short=cut_short)
    because = f"no proof closed it ({why}) and only {outcome} admissible points were found"
    return Result(UNDECIDED, because, cut_short=cut_short)
