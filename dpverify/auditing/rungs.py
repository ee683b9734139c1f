"""The two nouns of an audit: what is asked (`Audit`), and one way to test it (`Rung`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dpverify.auditing.sampling import Budget, Mechanism
from dpverify.guarantees import Guarantee
from dpverify.neighbours import Neighbours
from dpverify.verdicts import Result


@dataclass(frozen=True, eq=False)
class Audit:
    """Can this mechanism keep the guarantee it claims on this pair of neighbours?

    `declared` is the release that the whole output is charged as, if there is only that one.

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
    progress: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, Neighbours):
            raise TypeError(f"Expected neighbours={self.neighbours!r} to be a Neighbours pair.")

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
