"""On dynamic noise influence in differential private learning (anonymous, under review)."""

from dpverify.claims import Paper

PAPER = Paper("dynamic-noise", "On dynamic noise influence in differential private learning (anonymous, under review).", parts=("schedules",))
