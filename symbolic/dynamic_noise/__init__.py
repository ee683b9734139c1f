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
        "definitions",
        "algorithm_1",
        "excess_risk",
        "theorem_4_1",
        "powers",
        "theorem_4_2",
        "theorem_4_2_sketch",
        "theorem_4_3",
        "sample_efficiency",
        "robustness",
        "momentum",
        "theorem_4_4",
        "remarks_4_4",
        "theorem_4_5",
        "theorem_4_6_influence",
        "theorem_4_6_lower",
        "theorem_4_6_upper",
        "remarks_4_6",
        "theorem_4_8",
        "momentum_tables",
        "secret_batches",
        "sgd",
        "generalisation",
        "stability",
        "privacy",
        "lemma_b_5",
        "lemma_b_6",
        "lemma_b_7",
        "proofs_gd",
        "momentum_family",
        "proof_4_4",
        "proof_4_5",
        "proof_4_6_influence",
        "proof_4_6_bound",
        "proof_4_8",
        "proofs_sgd",
        "experiments",
        "figure_3",
        "bounds",
    ),
)
