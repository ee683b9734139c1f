"""What a refuted claim of the paper means for whoever uses the algorithm, in a sentence or two.

`{id}` stands for the verdict of another claim, as it was computed for the report.
"""

MEANINGS = {
    "thm-4.1-audit": (
        "The leak of the printed noise shows in the outputs themselves, on two hundred records and one step."
    ),
    "thm-4.1-adaptive-audit": (
        "With step sizes from raw gradients the leak shows in the outputs of a single step."
    ),
    "thm-4.1": (
        "For small budgets and few steps the printed noise is too small: check the sigma that you use "
        "with an accountant for batches before you rely on it."
    ),
    "thm-4.1-adaptive": (
        "A step size that is computed from raw gradients scales the noise by the data, and shows them: "
        "compute it from what was released, or from a bound."
    ),
    "lemma-2.1": (
        "The classical noise is only for eps <= 1: whoever asks for a larger eps by this formula gets "
        "less privacy than that; compute sigma from the exact Gaussian mechanism."
    ),
    "thm-4.2-eq7": (
        "The bound is too small by the factor eta L in its noise term: with steps above 1/L a run can be "
        "worse than what it promises."
    ),
    "remark-4.1-alt": (
        "Only alpha_t^2 proportional to b_t gives the least M: the other choice, which exists only if b is "
        "its own mirror image, costs utility even there."
    ),
    "prop-5.1-eq9": ("Count on twice the noise term that is printed; the rate in T, n and eps stays."),
    "prop-5.2-eq11": (
        "Count on four times the noise term that is printed for steps from the gradients, and on B_sgd as "
        "the corrected bound has it."
    ),
    "prop-5.2-eq12": (
        "Count on four times the noise term that is printed for DP-SGD with steps from the gradients too."
    ),
    "prop-5.2-significant": (
        "A high dimension alone is no reason to prefer ADP-SGD with steps from the gradients: look at T "
        "nu/b_0^2 first; below 53, as in the paper's own settings, DP-SGD has the smaller noise term."
    ),
    "remark-4.1-dominating-always": (
        "Do not tune for the privacy term alone: with many records it may be the smallest of the three."
    ),
    "sec6.1-text": ("Read the numbers from Table 1; the text misquotes one of them."),
}

# Claims that the paper does not make in so many words, but that a reader may take from it.
READINGS = {
    "remark-4.1-dominating-always",
}
