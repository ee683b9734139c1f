"""DIFF2: differential private optimization via gradient differences: its claims, in the order of the
paper.
"""

from dpverify.claims import Paper

PAPER = Paper(
    "diff2",
    "DIFF2: differential private optimization via gradient differences.",
    parts=(
        "overview",
        "setting",
        "framework",
        "guarantees",
        "utility",
        "subroutine",
        "local",
        "experiments",
        "appendix_b",
        "appendix_c",
        "appendix_d",
        "appendix_e",
        "appendix_f",
        "bounds",
        "audits",
    ),
)
