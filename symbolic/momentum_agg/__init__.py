"""Momentum aggregation for private non-convex ERM: its claims, in the order of the paper."""

from dpverify.claims import Paper

PAPER = Paper(
    "momentum-agg",
    "Momentum aggregation for private non-convex ERM.",
    parts=(
        "setting",
        "algorithm_1",
        "theorem_4_rdp",
        "theorem_4_dp",
        "lemma_5",
        "lemma_11",
        "lemma_12",
        "theorem_6",
        "algorithm_2",
        "theorem_8_proof",
        "theorem_8",
        "full_batches",
        "lemma_7_proof",
        "lemma_7",
        "theorem_9_proof",
        "theorem_9_corrected",
        "theorem_9_small_delta",
        "theorem_9_rate",
        "compose",
        "proposition_16",
        "aggregation",
        "series",
        "reconstruction",
        "bounds",
        "runs",
        "audits",
    ),
)
