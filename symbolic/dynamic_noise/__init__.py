"""On dynamic noise influence in differential private learning (anonymous, under review): its claims, in the
order of the paper.
"""

from dpverify.claims import Paper

PAPER = Paper(
    "dynamic-noise",
    "On dynamic noise influence in differential private learning. Anonymous authors, under "
    "double-blind review.",
    parts=(
        "tables",
        "setting",
        "gd",
        "momentum",
        "sgd",
        "generalisation",
        "privacy",
        "proofs_momentum_lemmas",
        "proofs_gd",
        "proofs_momentum",
        "proofs_sgd",
        "experiments",
        "bounds",
    ),
)
