"""DIFF2: differential private optimization via gradient differences: its claims, in the order of the
paper.
"""

from dpverify.claims import Paper

PAPER = Paper(
    "diff2",
    "DIFF2: differential private optimization via gradient differences.",
    parts=("overview", "guarantees", "utility", "appendix_d", "bounds"),
)
