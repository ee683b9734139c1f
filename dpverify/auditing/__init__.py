"""Audits: empirical privacy-loss tests that are valid in finite samples, and end in a witness."""

from dpverify.auditing.ladder import audit
from dpverify.auditing.sampling import Budget, MechanismError
from dpverify.auditing.tape import Tape
from dpverify.auditing.witness import verify_event

__all__ = ["Budget", "MechanismError", "Tape", "audit", "verify_event"]
