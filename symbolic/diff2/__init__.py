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
        "lemma_f_1",
        "proposition_f_2",
        "proposition_f_3",
        "theorem_f_4",
        "bounds",
        "audits",
    ),
)
