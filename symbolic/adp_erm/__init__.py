"""Adaptive differentially private empirical risk minimization: its claims, in the order of the paper."""

from dpverify.claims import Paper

PAPER = Paper(
    "adp-erm",
    "Adaptive differentially private empirical risk minimization.",
    parts=(
        "setting",
        "mechanisms",
        "theorem_4_1",
        "adaptive_privacy",
        "utility",
        "polynomial",
        "adaptive",
        "proposition_5_2",
        "comparison",
        "experiments",
        "runs",
        "bounds",
    ),
)
