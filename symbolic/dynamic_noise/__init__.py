"""On dynamic noise influence in differential private learning (anonymous, under review): its claims, in the order of the paper."""

from dpverify.claims import Paper

PAPER = Paper(
    "dynamic-noise",
    "On dynamic noise influence in differential private learning. Anonymous authors, under double-blind review.",
    parts=("setting", "gd", "privacy", "proofs_gd"),
)
