"""Differentially private accelerated optimization algorithms (Kuru, Birbil, Gürbüzbalaban, Yıldırım, 2022):
its claims, in the order of the paper.
"""

from dpverify.claims import Paper

PAPER = Paper(
    "dp-accel",
    "Kuru, Birbil, Gürbüzbalaban and Yıldırım (2022). Differentially private accelerated "
    "optimization algorithms. "
    "SIAM Journal on Optimization. doi:10.1137/20M1355847",
    parts=(
        "setting",
        "heavy_ball",
        "state_space",
        "matrix_inequality",
        "quadratic",
        "figure_1",
        "nesterov",
        "theorem_4_1",
        "budget_split",
        "multistage",
        "logistic_regression",
        "figures",
        "appendix_a",
        "proof_3_3",
        "proof_3_4",
        "proof_3_5",
        "proof_4_2",
        "bounds",
    ),
)
