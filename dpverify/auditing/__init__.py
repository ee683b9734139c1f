"""Audits: empirical privacy-loss tests that are valid in finite samples, and end in a witness."""

from dpverify.auditing.ladder import audit
from dpverify.auditing.rungs import Audit, Rung
from dpverify.auditing.sampling import Budget, MechanismError
from dpverify.auditing.shuffling import shuffled
from dpverify.auditing.tape import Tape

__all__ = ["Audit", "Budget", "MechanismError", "Rung", "Tape", "audit", "shuffled"]
