"""What a refuted claim of the paper means for whoever uses the algorithm, in a sentence or two.

`{id}` stands for the verdict of another claim, as it was computed for the report.
"""

MEANINGS = {
    "thm-4-dp": (
        "Run at least one epoch: below that the printed noise does not give (12, 1e-5) to 65,536 records. "
        "From one epoch on sigma = 2 sqrt(log(1/delta))/eps is safe for eps <= 2.34 log(1/delta), not beyond."
    ),
    "lemma-17": (
        "The rewriting of the momentum needs the same order of records in every epoch; with fresh orders "
        "it is another vector."
    ),
    "thm-4-rdp": (
        "With less than one epoch (T < N) the printed noise hides next to nothing: run at least one "
        "epoch, or count the one occurrence of a record whole."
    ),
    "thm-4-dp-passes": (
        "Take delta <= exp(-eps), not >=: then the printed sigma is enough from one epoch on."
    ),
    "lemma-11": (
        "The average starts at 0 and is biased in the first steps: add (1-alpha)^t G to the error, or "
        "start it at a gradient."
    ),
    "lemma-12": (
        "With less than one epoch the noise is that of up to 1 + log2 T nodes, not of log2 T; from one epoch "
        "on the printed bound holds."
    ),
    "thm-6": (
        "Take the constants of the corrected bound; its rate in N, d and epsilon is the printed one up to "
        "logarithms."
    ),
    "thm-8-rdp": (
        "A data set of one record gets no noise at all; for N >= 2 the guarantee is proved, with the L "
        "that the box leaves out."
    ),
    "thm-8-dp": (
        "The printed sigma is safe for epsilon <= 4.13 log(1/delta) and N >= 2, that is up to 47 at delta = "
        "1e-5; beyond compute it with an accountant."
    ),
    "thm-9": (
        "The printed constants hold for delta <= 1/2 and epsilon <= 27000 (log2 T)^3 sqrt(d N); a delta next "
        "to 1 breaks them."
    ),
    "lemma-7": (
        "With a fresh order in every epoch the rebuilt vector is not the momentum, whatever the noise: "
        "keep one order for all epochs, or count the difference as an error."
    ),
    "sens-count": (
        "A node may hold a record once more than is counted. Theorem 4 has room for it where T >= N and "
        "alpha >= 1/N: there it is {thm-4-rdp-corrected}."
    ),
    "sens-scale": (
        "Two uses of a record may follow one another directly: whoever computes sensitivities has to "
        "allow for steps (j-1) N + 1 apart, not j N."
    ),
    "sens-4ag": (
        "Whoever makes noise for single nodes needs 5.17 alpha G. The tree as a whole has room for it "
        "where T >= N: Theorem 4 is then {thm-4-rdp-corrected}."
    ),
    "v-t-over-n": (
        "Count ceil(T/N) nodes on a level: with fewer steps than records T/N is below one, and the noise "
        "next to nothing."
    ),
    "v-s-full": ("Nothing changes for a user: the count of nodes needs an upper bound only, and that holds."),
    "thm-4-conv-last": (
        "The short formula for sigma is for delta <= exp(-eps): for larger delta compute sigma from the "
        "longer one, or with an accountant."
    ),
    "lemma-5-case2": (
        "Nothing changes for a user: both cases together give the inequality that is used, and Lemma 5 is "
        "{lemma-5}."
    ),
    "l11-split": (
        "The average starts at 0, so that its weights do not sum to 1: the first steps are biased by up "
        "to (1-alpha)^t G."
    ),
    "l11-g1": (
        "Algorithm 1 starts its average at alpha times the first gradient: the first steps are biased by "
        "up to (1-alpha)^t G."
    ),
    "l11-unroll": (
        "The error of the first steps is left out: with (1-alpha)^t G added, Lemma 11 is "
        "{lemma-11-corrected}."
    ),
    "l12-count": (
        "A sum may need one node more than counted: with 1 + log2 T of them Lemma 12 is {lemma-12-corrected}."
    ),
    "t6-12": (
        "The noise term of Theorem 6 is four times the printed one, or a little more: use the constants "
        "of the corrected bound."
    ),
    "t6-t": (
        "The logarithm stands with all three terms, and L has the constant 12: use the corrected bound; "
        "its rate stays but for logarithms."
    ),
    "t8-sens-g": (
        "Whoever makes noise for single nodes needs 5.17 G. All nodes together have room for it: Theorem "
        "8 is {thm-8-rdp-corrected} for N >= 2, with its printed constant."
    ),
    "t8-sens-delta": (
        "Whoever makes noise for single nodes needs 5.17 eta N L. All nodes together have room for it: "
        "Theorem 8 is {thm-8-rdp-corrected} for N >= 2, with its printed constant."
    ),
    "t8-count2n": (
        "A record may be in twice as many nodes as counted. All nodes together have room for it: Theorem "
        "8 is {thm-8-rdp-corrected} for N >= 2."
    ),
    "t8-countgt": ("It fails for a single record only: for N >= 2 the count is {t8-countgt-corrected}."),
    "t8-two-streams": (
        "Each of the two trees costs as much as is counted for both. Theorem 8 has room for it: it is "
        "{thm-8-rdp-corrected} for N >= 2."
    ),
    "thm-8-dp-proof": (
        "The sentence covers the wrong side: the short formula for sigma is for delta <= exp(-eps); for "
        "larger delta use an accountant."
    ),
    "l7-var2a": ("Nothing changes for a user: the end of the line is reached another way and is {l7-var2}."),
    "thm-9-k": ("This step holds for delta <= 1/e, which covers every delta in use."),
    "thm-9-hyp": (
        "Theorem 9 by way of Lemma 7 is for T >= 4 N only; the corrected Theorem 9 needs no such "
        "condition and is {thm-9-corrected}."
    ),
    "t10-out": (
        "Nothing changes for a user: integrated from the last output to the first the step is right, and "
        "Theorem 10 is {thm-10}."
    ),
    "thm-10-conv-mid": (
        "Nothing changes for a user: the (2 rho sqrt(V l), delta)-DP that is concluded is {thm-10-conv}."
    ),
    "prop-14-in-lemma-7": (
        "Nothing changes for a user: the bounds that Lemma 7 takes from there hold another way, and are "
        "{l7-coefficients}."
    ),
    "eq-3": (
        "What Algorithm 2 rebuilds is the momentum only if every epoch has the same order; with fresh "
        "orders count the difference as an error."
    ),
    "l17-step": (
        "The step needs the same record at a place in every epoch: keep one order for all epochs, or "
        "count the difference as an error."
    ),
    # the text,
    "prior-rates-factor": ("The improvement is the fourth root of the logarithm, not the logarithm."),
    "tree-logt-nodes": ("Count on one node more: a sum of t terms has the noise of up to 1 + log2 t nodes."),
    "err-disc": (
        "In the first steps the error is of order one, because the average starts at 0: leave them out, "
        "or start at a gradient."
    ),
    "sec4-one-epoch": (
        "With a fresh order in every epoch differences of momenta are not small: keep one order, or pay "
        "for the whole gradient."
    ),
    "sec4-iter-dist": (
        "With fresh orders the same sample may be up to 2N - 1 steps apart: the motivation holds up to a "
        "factor of two."
    ),
    "abs-rate": (
        "The term 1/sqrt(N) is there too, and is the larger one when eps is large against sqrt(d) "
        "N^(-1/4): plan with both."
    ),
}

READINGS: set[str] = set()
