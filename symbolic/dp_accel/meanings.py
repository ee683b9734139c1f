"""What a refuted claim of the paper means for whoever uses the algorithm, in a sentence or two.

`{id}` stands for the verdict of another claim, as it was computed for the report.
"""

MEANINGS = {
    "sec3.2-sigma": ("A user who sets the variance by this remark adds half the variance that eps-DP needs."),
    "eq-4.1-b": (
        "With batches the printed scale is too small by the factor m/n: a user of DP-NAG on batches "
        "spends more than eps; divide by m instead of n."
    ),
    "eq-4.1-b-audit": (
        "The leak of the printed scale shows in the outputs themselves: an attacker with three steps can "
        "tell the two data sets apart better than 1-DP allows."
    ),
    "fig3-accel-vs-gd-same-t": (
        "Run the accelerated algorithms for few steps: at T = 500 plain gradient descent ends below them."
    ),
    "rem-4.2-budget": (
        "The optimal scales are for full gradients; a user who puts in batches of m < n spends more than eps."
    ),
    "sec5-l-private": (
        "A step size computed from the data is a release of its own: choose L by a public bound, or pay "
        "for it."
    ),
    "prop-3.4": (
        "A certificate found with the printed B says nothing of the method: solve (3.14) with B = "
        "[-alpha; 0]."
    ),
    "thm-3.5": (
        "The bound holds if the noise is uncorrelated with both last iterates and has the factor L/2 "
        "before the transient: check both before you use it."
    ),
    "eq-4.2": (
        "The error itself need not contract at every step; a Lyapunov function does, and that is enough "
        "for the rate."
    ),
    "eq-4.3": ("Count on twice the initial error: the rate stays."),
    "eq-4.6": ("Count on twice the initial error; the optimal noise scales stay what they are."),
    "thm-4.3-s0": ("Every stage, the first one too, costs a factor 2: count them all."),
    "sec5-subsampling-noise-full": (
        "Batches do not lower the noise that a step needs: the least scale is that of the full batch."
    ),
    "eq-b-rec": ("It takes noise uncorrelated with both last iterates: the last one alone is not enough."),
    "eq-3.10": (
        "Whoever builds the state space model for a certificate needs B = [-alpha; 0]; with the printed "
        "sign the certificate is about another method."
    ),
    "thm-3.5-ct": (
        "Put the factor L/2 before the transient: the first steps may be worse than printed, the rate stays."
    ),
    "eq-b.1": (
        "Nothing changes for a user: the bound (3.12) on the noise has room for the factor that is wrong "
        "here."
    ),
    "eq-b.4-last": (
        "Eq (3.13), which the step is to show, follows another way and is {eq-3.13}: its formula may be used."
    ),
    "eq-b.9": ("Nothing changes for a user: the next display of the proof has the right form."),
    "eq-b-perm": (
        "It takes a rotation besides the permutation; a rotation has norm 1 too, so that the norms that "
        "follow stay."
    ),
    "eq-b-trace": (
        "Theorem 3.5, corrected, does not lean on this display and is {thm-3.5-corrected}: use that bound."
    ),
    "eq-b-tail": (
        "Theorem 3.5, corrected, does not lean on this tail and is {thm-3.5-corrected}: use that bound."
    ),
    "prop-4.2-bordered": (
        "The scales of Proposition 4.2 are optimal by another argument: it is {prop-4.2}, and may be used."
    ),
    "sec1-uncorr": (
        "Outside of quadratics noise that is merely uncorrelated is not enough: make sure that yours has "
        "mean 0 given the iterates, as independent noise has."
    ),
    "sec1-nbr": (
        "The guarantee is for a record that is replaced: if records may come and go, it has to be "
        "computed anew."
    ),
    "sec2.2-public": (
        "Fix step sizes, momentum and noise by public bounds: computed from the data, they are releases "
        "of their own."
    ),
    "sec3-smoothing": ("Momentum does not lower the noise that privacy needs: use the whole scale."),
    "eq-3.7-avg": ("The weights do not add up to 1: the first steps use a shrunken gradient."),
    "asm-3.2-quad": (
        "A quadratic whose curvature depends on the record has no finite S_1 on the whole space: bound "
        "the domain, or clip."
    ),
    "sec3.2-exact": ("The additive term is an upper bound: measured errors may be smaller."),
    "sec3.2-tradeoff": (
        "There are choices of (alpha, beta) that improve the rate and do not increase the error: look for "
        "them."
    ),
    "fn-1-one": (
        "Figure 1 is drawn with a constant that is too small: its curves are not the bound of the theorem."
    ),
    "fn-1-shift": (
        "Only a part of the bound is multiplied by the constant: the curves of Figure 1 change their "
        "shape with it."
    ),
    "eq-3.2-euclid": (
        "Laplace noise wants the L1 norm, as the sentence says: with the Euclidean one more than eps is lost."
    ),
    "eq-4.1-b-full": (
        "With the full gradient take m = n: with the eps_0 of an m < n a step spends eps_0, which is more "
        "than its share."
    ),
    "eq-4.2-note": ("The variance of Laplace noise of scale b_t is 2 b_t^2: use the corrected covariance."),
    "sec4.1-a-mono": ("Later noise weighs more, not less: that is why the optimal scales fall over time."),
    "rem-4.2-sec5": (
        "The experiments are outside of the regime of the remark: do not carry its approximation over to "
        "them."
    ),
    "thm-4.3-restart": (
        "Set the momentum back at the beginning of every stage: the bound is for that method."
    ),
    "fig2-jump": (
        "For DP-MASG the optimal noise may jump up between stages: compute it, do not extrapolate from NAG."
    ),
    "eq-5.2-exact": (
        "The sensitivity is at most this, and smaller at most points: as a bound it may be used."
    ),
    "fig3-two-best-c01": (
        "For c = 0.1 the order of the methods is another one: choose the method for your own budget."
    ),
    "fig3-gd-bestt": ("The best T of DP-GD depends on the data: search for it on public data."),
    "fig4-opt-improves": (
        "The gain is there at some settings (c = 1; DP-NAG at T = 200, DP-MASG at T = 500) and not at all "
        "of them: measure it at yours."
    ),
}

# Claims that the paper does not make in so many words, but that a reader may take from it.
READINGS = {
    "asm-3.2-quad",
    "eq-3.2-euclid",
    "eq-4.1-b-full",
    "fig2-jump",
    "rem-4.2-sec5",
    "sec1-nbr",
    "sec2.2-public",
    "sec5-l-private",
}
