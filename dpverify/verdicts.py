"""What a check ends in: one of four verdicts, with its reason, its evidence and, if refuted, a witness.

PROVED     a general proof closed it, and a replay at random admissible points agrees
REFUTED    a witness that meets every hypothesis breaks it, and the witness was verified
SUPPORTED  a test that could have failed did not
UNDECIDED  nothing closed it, or the budget could not have refuted it
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """One of PROVED, SUPPORTED, UNDECIDED, REFUTED; `strength` orders them, the weakest first.

    >>> min([Verdict.PROVED, Verdict.UNDECIDED], key=lambda v: v.strength)
    <Verdict.UNDECIDED: 'UNDECIDED'>
    """

    PROVED = "PROVED"
    SUPPORTED = "SUPPORTED"
    UNDECIDED = "UNDECIDED"
    REFUTED = "REFUTED"

    @property
    def strength(self) -> int:
        return ("REFUTED", "UNDECIDED", "SUPPORTED", "PROVED").index(self.value)


PROVED = Verdict.PROVED
SUPPORTED = Verdict.SUPPORTED
UNDECIDED = Verdict.UNDECIDED
REFUTED = Verdict.REFUTED


@dataclass(frozen=True)
class Evidence:
    """What stands behind a verdict: the method, a certificate that can be re-checked, and the figures of a
    test.

    `ceiling` says the most that the test could have shown; `alpha` is the probability of a false refutation.

    >>> Evidence("identity", {"replayed": 12}).method
    'identity'
    """

    method: str
    certificate: dict[str, Any] = field(default_factory=dict)
    alpha: float | None = None
    samples: int | None = None
    ceiling: str | None = None
    seed: int | None = None
    details: str = ""

    def to_json(self) -> dict[str, Any]:
        full = {
            name: getattr(self, name)
            for name in ("method", "certificate", "alpha", "samples", "ceiling", "seed", "details")
        }
        return {name: value for name, value in full.items() if value not in (None, "", {})}


@dataclass(frozen=True)
class Witness:
    """A case that a stranger can check: Let (the case) / Then (what follows) / because / a contradiction.

    `exact` is the machine-readable half, re-verified from its JSON alone by
    `dpverify.witnesses.verify_witness`. A witness that is `computed` has no reason but the computation, and
    `because` says how that was made.

    >>> print(Witness({"x": "1"}, "x^2 = 1, which is not < 1", "1 < 1"))
    Let   x = 1
    Then  x^2 = 1, which is not < 1
    But the claim says 1 < 1: a contradiction.
    """

    let: dict[str, str]
    then: str
    contradicts: str
    exact: dict[str, Any] = field(default_factory=dict)
    because: str = ""
    computed: bool = False

    def __str__(self) -> str:
        lines = [
            f"{'Let' if i == 0 else '':5} {name} = {value}"
            for i, (name, value) in enumerate(self.let.items())
        ]
        lines.append(f"Then  {self.then}")
        if self.because:
            lines.append(f"because {self.because}")
        lines.append(f"But the claim says {self.contradicts}: a contradiction.")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "let": self.let,
            "then": self.then,
            "because": self.because,
            "contradicts": self.contradicts,
            "exact": self.exact,
            "computed": self.computed,
        }


@dataclass(frozen=True)
class Step:
    """One step of a derivation: what it asserts, why, and how its own check ended."""

    statement: str
    reason: str
    result: Result

    def to_json(self) -> dict[str, Any]:
        return {"statement": self.statement, "reason": self.reason, **self.result.to_json()}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Step:
        """The step that `to_json` wrote."""
        return cls(record["statement"], record["reason"], Result.from_json(record))


def shown_in(certificate: dict[str, Any]) -> float | str | None:
    """What the certificate of a test says was shown.

    >>> shown_in({"epsilon_lower_bound": 0.5})
    0.5
    """
    names = ("shown", "epsilon_lower_bound", "mu_lower_bound")
    return next((certificate[name] for name in names if name in certificate), None)


@dataclass(frozen=True)
class Result:
    """A verdict, why, on what evidence, and the witness if there is one. It has no truth value: ask for
    `.verdict`.

    >>> Result(Verdict.UNDECIDED, "nothing closed it").verdict
    <Verdict.UNDECIDED: 'UNDECIDED'>
    """

    verdict: Verdict
    because: str
    evidence: Evidence | None = None
    witness: Witness | None = None
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    latex: str = ""  # what was decided, for a typeset page
    formal: str = ""  # what was decided, in words: the domains of its symbols, its hypotheses, its conclusion
    depends: tuple[str, ...] = ()  # the claims whose statements the proof uses, their hypotheses discharged
    judges: tuple[str, ...] = ()  # who confirmed a proof that was not reduced further
    cut_short: bool = False  # a time limit or a crash ended something that might have decided more
    missing: tuple[str, ...] = ()  # optional packages that were asked for on the way and are not installed

    def __post_init__(self) -> None:
        if self.verdict is REFUTED and self.witness is None:
            raise ValueError(f"Expected a witness with verdict=REFUTED (because={self.because!r}).")
        if self.verdict in (PROVED, SUPPORTED) and self.evidence is None:
            raise ValueError(f"Expected evidence with verdict={self.verdict} (because={self.because!r}).")

    def __bool__(self) -> bool:
        raise TypeError(
            "A Result has no truth value; compare result.verdict with PROVED, SUPPORTED, "
            "UNDECIDED or REFUTED."
        )

    def __str__(self) -> str:
        tail = f"\n{self.witness}" if self.witness else ""
        return f"{self.verdict}: {self.because}{tail}"

    @property
    def shown(self) -> float | str | None:
        """What a test showed (the epsilon or the mu that it can rule out), if it says so."""
        return shown_in(self.evidence.certificate) if self.evidence else None

    @property
    def crashed(self) -> bool:
        """Whether there is no verdict because a claim, a mechanism or the process they ran in crashed."""
        return self.evidence is not None and self.evidence.method == "crash"

    def with_(self, **changes: Any) -> Result:
        """The same result with some fields changed."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict.value,
            "because": self.because,
            "evidence": self.evidence.to_json() if self.evidence else None,
            "witness": self.witness.to_json() if self.witness else None,
            "steps": [step.to_json() for step in self.steps],
            "seconds": self.seconds,
            "latex": self.latex,
            "formal": self.formal,
            "depends": list(self.depends),
            "judges": list(self.judges),
            "cut_short": self.cut_short,
            "missing": list(self.missing),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Result:
        """The result that `to_json` wrote.

        >>> r = Result(Verdict.UNDECIDED, "nothing closed it")
        >>> Result.from_json(r.to_json()) == r
        True
        """
        evidence, witness = record["evidence"], record["witness"]
        return cls(
            Verdict(record["verdict"]),
            record["because"],
            Evidence(**evidence) if evidence else None,
            Witness(**witness) if witness else None,
            tuple(Step.from_json(step) for step in record["steps"]),
            record["seconds"],
            record["latex"],
            record["formal"],
            tuple(record["depends"]),
            tuple(record["judges"]),
            record["cut_short"],
            tuple(record["missing"]),
        )


def crash(why: str, details: str = "") -> Result:
    """The result of what did not come to its end; `details` holds the traceback.

    >>> crash("ZeroDivisionError: division by zero").crashed
    True
    """
    return Result(UNDECIDED, f"crashed: {why}", Evidence("crash", details=details), cut_short=True)
