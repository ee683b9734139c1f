"""The two nouns of an audit: what is asked (`Audit`), and one way to test it (`Rung`)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dpverify.auditing.fingerprints import fingerprint
from dpverify.auditing.sampling import Budget, Mechanism, check_signature
from dpverify.guarantees import Guarantee
from dpverify.neighbours import ADD_REMOVE, Neighbours, check_neighbours, equal
from dpverify.verdicts import Result

PUBLIC = ("records", "dimensions", "steps", "domain")
LARGEST = 700.0  # e^epsilon beyond is no float64, and no number of runs could refute it


def check_claim(claim: Any) -> None:
    """Refuses what is no guarantee, or none that an audit can test.

    >>> check_claim(1.0)
    Traceback (most recent call last):
    TypeError: Expected claim=1.0 to be a guarantee, as PureDP(1.0) is.
    """
    if isinstance(claim, type) or not callable(getattr(claim, "delta_at", None)):
        raise TypeError(f"Expected claim={claim!r} to be a guarantee, as PureDP(1.0) is.")
    for name in ("epsilon", "mu", "rho"):
        value = getattr(claim, name, 0.0)
        if isinstance(value, int | float) and not value <= LARGEST:
            raise ValueError(f"Expected {name}={value} <= {LARGEST:g} in claim={claim}.")


def check_pair(neighbours: Neighbours) -> None:
    """Refuses data sets that are equal, or no neighbours under their relation, where records can be told."""
    try:
        same = equal(neighbours)
    except TypeError:  # data of a kind of its own
        content = fingerprint(neighbours.data)
        if content is not None and content == fingerprint(neighbours.other):
            raise ValueError("Expected neighbours that differ, got two data sets that are equal.") from None
        return
    if same:
        raise ValueError("Expected neighbours that differ, got two data sets of the same records.")
    check_neighbours(neighbours)


@dataclass(frozen=True, eq=False)
class Audit:
    """Can this mechanism keep the guarantee it claims on this pair of neighbours?

    `declared` is the release that the whole output is charged as, if there is only that one. `public` is what
    the claim was made for, and what therefore stays when a violation is made smaller: the number of "records"
    (unless that is private), the "dimensions", the "steps", the "domain" of the records.

    >>> import numpy as np
    >>> from dpverify.guarantees import PureDP
    >>> pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])
    >>> Audit(lambda data, rng: data.sum() + rng.laplace(), pair, PureDP(1.0)).alpha
    0.001
    """

    mechanism: Any  # a Mechanism, or an Algorithm of ours
    neighbours: Neighbours
    claim: Guarantee
    budget: Budget = field(default_factory=Budget)
    declared: Any = None
    public: Collection[str] | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, Neighbours):
            raise TypeError(f"Expected neighbours={self.neighbours!r} to be a Neighbours pair.")
        if not callable(self.mechanism) and not hasattr(self.mechanism, "ledger"):
            raise TypeError(f"Expected mechanism={self.mechanism!r} to be callable, or an algorithm.")
        if callable(self.mechanism):
            check_signature(self.mechanism)
        check_claim(self.claim)
        if not isinstance(self.budget, Budget):
            raise TypeError(f"Expected budget={self.budget!r} to be a Budget, as Budget(runs=1000) is.")
        if self.declared is not None and not hasattr(self.declared, "sensitivity"):
            raise TypeError(f"Expected declared={self.declared!r} to be a release, as Gaussian is.")
        if isinstance(self.public, str):
            raise TypeError(f"Expected public={self.public!r} to be a collection, as [{self.public!r}] is.")
        unknown = set(self.public or ()) - set(PUBLIC)
        if unknown:
            raise ValueError(f"Expected public={sorted(self.public or ())} among {', '.join(PUBLIC)}.")
        if self.public is None:
            private = {"records"} if self.neighbours.adjacency is ADD_REMOVE else set()
            object.__setattr__(self, "public", frozenset(PUBLIC) - private)

    @property
    def alpha(self) -> float:
        """The probability of a false refutation that may be spent."""
        return self.budget.alpha

    def with_(self, *, alpha: float | None = None, **changes: Any) -> Audit:
        """The same audit with some fields changed; `alpha` changes its budget."""
        if alpha is not None:
            changes["budget"] = replace(changes.get("budget", self.budget), alpha=alpha)
        return replace(self, **changes)

    @cached_property
    def replayed(self) -> Mechanism:
        """What is replayed: the mechanism, or the transcript of an algorithm of ours."""
        if not hasattr(self.mechanism, "ledger"):
            return self.mechanism
        from dpverify.auditing.algorithm import as_mechanism

        return as_mechanism(self.mechanism, "transcript")

    @cached_property
    def drawn(self) -> Mechanism:
        """What is drawn from: the mechanism, or the exact loss of an algorithm's transcript, if it can be
        computed.
        """
        if not hasattr(self.mechanism, "ledger"):
            return self.mechanism
        import numpy as np

        from dpverify.auditing.algorithm import loss_mechanism
        from dpverify.releases import NotEnumerable

        losses = loss_mechanism(self.mechanism, self.neighbours)
        try:
            losses(self.neighbours.data, np.random.default_rng(0), 1)
            losses(self.neighbours.other, np.random.default_rng(0), 1)
        except NotEnumerable:
            return self.replayed
        return losses


@dataclass(frozen=True)
class Rung:
    """One way to test an audit: what it shows if it finds nothing, what it needs, and the test.

    `share` is the part of alpha that it takes, if it makes a test that can fail by chance; the last rung
    takes what is left.
    """

    name: str
    shows: str
    needs: str
    climb: Callable[[Audit], Result]
    share: float = 0.0
