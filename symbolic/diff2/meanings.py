"""What a refuted claim of the paper means for whoever uses the algorithm, in a sentence or two.

`{id}` stands for the verdict of another claim, as it was computed for the report.
"""

MEANINGS = {
    "prop-5.1": (
        "With fewer rounds than clients a visited client still takes part once: compute its noise from "
        "ceil(R/P), not from R/P, or the local steps of that one visit are not hidden."
    ),
    "prop-e.2-theta": (
        "With fewer rounds than clients the noise must be of the order of K/n^2, whatever P is: compute "
        "it from ceil(R/P)."
    ),
    "prop-f.2-variance": (
        "Nothing changes for a user: the line ends in a bound that holds without replacement too."
    ),
    "prop-f.2-unroll": (
        "Nothing changes for a user: the last line of the display holds with every term in it, and "
        "Proposition F.2 is {prop-f.2}."
    ),
    "table-1-bvr": ("Count on more gradients than the table says: every round computes all N of them."),
    "footnote-3": (
        "If clients differ (zeta_2 of order 1), DIFF2-BVR-L-SGD needs more rounds than DP-GD once N is "
        "large; with zeta_2 <= 1/sqrt(N) it needs fewer."
    ),
    "sec2-secure-after": (
        "Put the noise inside of the aggregation, a share from every client: a server that draws it "
        "afterwards has seen the mean without."
    ),
    "sec3-sens-diff": (
        "Compute the noise from 2 L/(n_p P) times the last move, not from this sentence: for a single "
        "record in all it is too small by a factor of two."
    ),
    "sec4.1-sens-g": (
        "A replaced record moves a gradient by up to 2 G, not G: whoever makes noise by this sentence "
        "adds half of what is needed."
    ),
    "prop-4.1-minimum": (
        "The noise levels are enough for privacy but not the least: an accountant finds smaller ones for "
        "the same guarantee."
    ),
    "prop-4.1-theta-large": (
        "For large eps, or T > R, compute sigma from the formula of the proposition: its order misleads "
        "there."
    ),
    "remark-4.4-rounds": (
        "The printed condition bounds N from above: more records do not meet it; use the condition of the "
        "nearest true form."
    ),
    "assumption-5.2-note": (
        "With three clients or more and losses that are not convex, zeta may be larger than L: measure or "
        "bound it, do not take L."
    ),
    "remark-5.4": (
        "The term grows with N; under the corrected condition it may be left out beside c_1/eps_opt, and "
        "not beside 1."
    ),
    "sec6-better-eps": (
        "What decides is N eps >= sqrt(d): for small eps, N >= d alone does not make the new rate the "
        "better one."
    ),
    "sec6-tuning": (
        "Choosing the best of several private runs costs privacy too: account for the tuning, or tune on "
        "public data."
    ),
}

# Claims that the paper does not make in so many words, but that a reader may take from it.
READINGS = {
    "prop-4.1-theta-large",
    "sec2-secure-after",
    "sec6-better-eps",
}
