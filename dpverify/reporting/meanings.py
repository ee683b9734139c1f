"""What a refuted claim means for whoever uses the algorithm, in a sentence or two: all that break privacy, a
theorem, a proof or the text; misprints are told by rule.

`{id}` stands for the verdict of another claim of the same paper, as it was computed for this report.
"""

MEANINGS = {
    "adp-erm/thm-4.1-audit": (
        "The leak of the printed noise shows in the outputs themselves, on two hundred records and one step."
    ),
    "adp-erm/thm-4.1-adaptive-audit": (
        "With step sizes from raw gradients the leak shows in the outputs of a single step."
    ),
    "adp-erm/thm-4.1": (
        "For small budgets and few steps the printed noise is too small: check the sigma that you use "
        "with an accountant for batches before you rely on it."
    ),
    "adp-erm/thm-4.1-adaptive": (
        "A step size that is computed from raw gradients scales the noise by the data, and shows them: "
        "compute it from what was released, or from a bound."
    ),
    "dp-accel/sec3.2-sigma": (
        "A user who sets the variance by this remark adds half the variance that eps-DP needs."
    ),
    "dp-accel/eq-4.1-b": (
        "With batches the printed scale is too small by the factor m/n: a user of DP-NAG on batches "
        "spends more than eps; divide by m instead of n."
    ),
    "dp-accel/eq-4.1-b-audit": (
        "The leak of the printed scale shows in the outputs themselves: an attacker with three steps can "
        "tell the two data sets apart better than 1-DP allows."
    ),
    "dp-accel/fig3-accel-vs-gd-same-t": (
        "Run the accelerated algorithms for few steps: at T = 500 plain gradient descent ends below them."
    ),
    "dp-accel/rem-4.2-budget": (
        "The optimal scales are for full gradients; a user who puts in batches of m < n spends more than eps."
    ),
    "dp-accel/sec5-l-private": (
        "A step size computed from the data is a release of its own: choose L by a public bound, or pay "
        "for it."
    ),
    "dynamic-noise/thm-4.6-bound-short": (
        "With the printed number of steps the bound of momentum grows with the condition number even where "
        "T <= T_hat: take the factor kappa of the corrected form."
    ),
    "dynamic-noise/appa-ter-eer": (
        "Add twice the printed term when you carry a bound from the data at hand to new data."
    ),
    "dynamic-noise/thm-3.1-replace": (
        "If a record may be changed, and not only zeroed, the cost is four times what the theorem says: a "
        "user who wants its guarantee has to double the noise."
    ),
    "dynamic-noise/thm-3.1-add-remove": (
        "Divide by a public number, not by the number of records present: that number tells who is there, "
        "and moves the average further than the noise hides."
    ),
    "dynamic-noise/thm-3.1-replace-audit": (
        "The violation is not one of constants on paper: it shows in the exact losses of three steps on "
        "two records."
    ),
    "dynamic-noise/thm-3.1-private-schedule": (
        "The T of Eq (7) is computed from the private loss: fix it, and the sigma_t, without the "
        "data, or pay for "
        "what they tell."
    ),
    "dynamic-noise/sec4.1.3-r": (
        "Whoever computes R from (eps, delta) by this line spends far more than eps; use the minus sign."
    ),
    "dynamic-noise/sec4.3-amplification": (
        "Secret batches do not divide the zCDP cost by the square of the rate, whatever the constant: a "
        "user who relies on it spends more than accounted."
    ),
    "dynamic-noise/sec4.3-target": (
        "Batches with the noise of this constraint are not (4, 1e-8)-DP at the budget of the experiments: "
        "account for them with a privacy loss distribution instead."
    ),
    "dynamic-noise/sec4.3-with-replacement": (
        "Drawing with replacement can pick the same record twice: the sensitivity is larger than G/n, and "
        "the noise has to be too."
    ),
    "dynamic-noise/inv-b.3": (
        "Used as printed, the conversion from (eps, delta) to rho returns a budget that is far too large; "
        "the right root has a minus."
    ),
    "momentum-agg/thm-4-dp": (
        "Run at least one epoch: below that the printed noise does not give (12, 1e-5) to 65,536 records. "
        "From one epoch on sigma = 2 sqrt(log(1/delta))/eps is safe for eps <= 2.34 log(1/delta), not beyond."
    ),
    "adp-erm/lemma-2.1": (
        "The classical noise is only for eps <= 1: whoever asks for a larger eps by this formula gets "
        "less privacy than that; compute sigma from the exact Gaussian mechanism."
    ),
    "adp-erm/thm-4.2-eq7": (
        "The bound is too small by the factor eta L in its noise term: with steps above 1/L a run can be "
        "worse than what it promises."
    ),
    "adp-erm/remark-4.1-alt": (
        "Only alpha_t^2 proportional to b_t gives the least M: the other choice, which exists only if b is "
        "its own mirror image, costs utility even there."
    ),
    "adp-erm/prop-5.1-eq9": (
        "Count on twice the noise term that is printed; the rate in T, n and eps stays."
    ),
    "adp-erm/prop-5.2-eq11": (
        "Count on four times the noise term that is printed for steps from the gradients, and on B_sgd as "
        "the corrected bound has it."
    ),
    "adp-erm/prop-5.2-eq12": (
        "Count on four times the noise term that is printed for DP-SGD with steps from the gradients too."
    ),
    "adp-erm/prop-5.2-significant": (
        "A high dimension alone is no reason to prefer ADP-SGD with steps from the gradients: look at T "
        "nu/b_0^2 first; below 53, as in the paper's own settings, DP-SGD has the smaller noise term."
    ),
    "dp-accel/prop-3.4": (
        "A certificate found with the printed B says nothing of the method: solve (3.14) with B = "
        "[-alpha; 0]."
    ),
    "dp-accel/thm-3.5": (
        "The bound holds if the noise is uncorrelated with both last iterates and has the factor L/2 "
        "before the transient: check both before you use it."
    ),
    "dp-accel/eq-4.2": (
        "The error itself need not contract at every step; a Lyapunov function does, and that is enough "
        "for the rate."
    ),
    "dp-accel/eq-4.3": ("Count on twice the initial error: the rate stays."),
    "dp-accel/eq-4.6": ("Count on twice the initial error; the optimal noise scales stay what they are."),
    "dp-accel/thm-4.3-s0": ("Every stage, the first one too, costs a factor 2: count them all."),
    "dp-accel/sec5-subsampling-noise-full": (
        "Batches do not lower the noise that a step needs: the least scale is that of the full batch."
    ),
    "dp-accel/eq-b-rec": (
        "It takes noise uncorrelated with both last iterates: the last one alone is not enough."
    ),
    "dynamic-noise/thm-4.2-bound-least": (
        "Eq (5) is the bound at the T of Eq (4); the least one has kappa^2 alpha for kappa alpha: for badly "
        "conditioned problems, with its best T, the uniform schedule never does worse than no step at all."
    ),
    "dynamic-noise/thm-4.3-t": (
        "The printed T is not the minimiser; rounding up T* of Eq (26) costs at most a factor 1 + alpha."
    ),
    "dynamic-noise/thm-4.3-bound-at-eq-7": (
        "The bound of Eq (8) is reached at the T of Eq (26), not at that of Eq (7)."
    ),
    "dynamic-noise/thm-4.4": ("Take steps of eta_0/M, not eta_0/(2M), for this bound, and beta below gamma."),
    "dynamic-noise/eq-12-zeta-ge-0": (
        "The step must be smaller than printed for the last term to help; use the repaired condition."
    ),
    "dynamic-noise/thm-4.6-bound": (
        "There is a factor kappa more than printed: under momentum the promised gain for badly "
        "conditioned problems is not shown."
    ),
    "dynamic-noise/thm-4.8": (
        "There is a factor 1/eta_0 more noise from sampling than printed: small steps need larger batches."
    ),
    "dynamic-noise/tab1-mom-dyn-sched": (
        "Do not set the noise by the formula of the table: it has the two regimes added up where the "
        "schedule has one of them."
    ),
    "dynamic-noise/thm-4.8-bound": (
        "As for Theorem 4.4: take steps of eta_0/M, and twice the sampling term."
    ),
    "dynamic-noise/eq-17-18": (
        "The true risk that the table promises is too small by the root of the number of records: plan with "
        "the corrected bound."
    ),
    "dynamic-noise/thm-a.1": (
        "The true risk does not fall with N as fast as printed: the first term has no N."
    ),
    "dynamic-noise/thm-a.3": ("The stability constant is twice as large, and needs convex losses."),
    "dynamic-noise/lemma-b.4-ineq": (
        "Clip gradients instead of relying on this sensitivity: the printed one is too small for two records."
    ),
    "dynamic-noise/lemma-b.5": ("Use it with beta below gamma only."),
    "dynamic-noise/lemma-b.6": ("Use it with beta below gamma only."),
    "momentum-agg/lemma-17": (
        "The rewriting of the momentum needs the same order of records in every epoch; with fresh orders "
        "it is another vector."
    ),
    "diff2/prop-5.1": (
        "With fewer rounds than clients a visited client still takes part once: compute its noise from "
        "ceil(R/P), not from R/P, or the local steps of that one visit are not hidden."
    ),
    "diff2/prop-e.2-theta": (
        "With fewer rounds than clients the noise must be of the order of K/n^2, whatever P is: compute "
        "it from ceil(R/P)."
    ),
    "momentum-agg/thm-4-rdp": (
        "With less than one epoch (T < N) the printed noise hides next to nothing: run at least one "
        "epoch, or count the one occurrence of a record whole."
    ),
    "momentum-agg/thm-4-dp-passes": (
        "Take delta <= exp(-eps), not >=: then the printed sigma is enough from one epoch on."
    ),
    "momentum-agg/lemma-11": (
        "The average starts at 0 and is biased in the first steps: add (1-alpha)^t G to the error, or "
        "start it at a gradient."
    ),
    "momentum-agg/lemma-12": (
        "With less than one epoch the noise is that of up to 1 + log2 T nodes, not of log2 T; from one epoch "
        "on the printed bound holds."
    ),
    "momentum-agg/thm-6": (
        "Take the constants of the corrected bound; its rate in N, d and epsilon is the printed one up to "
        "logarithms."
    ),
    "momentum-agg/thm-8-rdp": (
        "A data set of one record gets no noise at all; for N >= 2 the guarantee is proved, with the L "
        "that the box leaves out."
    ),
    "momentum-agg/thm-8-dp": (
        "The printed sigma is safe for epsilon <= 4.13 log(1/delta) and N >= 2, that is up to 47 at delta = "
        "1e-5; beyond compute it with an accountant."
    ),
    "momentum-agg/thm-9": (
        "The printed constants hold for delta <= 1/2 and epsilon <= 27000 (log2 T)^3 sqrt(d N); a delta next "
        "to 1 breaks them."
    ),
    "momentum-agg/lemma-7": (
        "With a fresh order in every epoch the rebuilt vector is not the momentum, whatever the noise: "
        "keep one order for all epochs, or count the difference as an error."
    ),
    "dynamic-noise/thm-4.4-beta-above-gamma": (
        "Keep the momentum beta below gamma: above it the bound does not hold."
    ),
    # steps of proofs
    "diff2/prop-f.2-variance": (
        "Nothing changes for a user: the line ends in a bound that holds without replacement too."
    ),
    "diff2/prop-f.2-unroll": (
        "Nothing changes for a user: the last line of the display holds with every term in it, and "
        "Proposition F.2 is {prop-f.2}."
    ),
    "dp-accel/eq-3.10": (
        "Whoever builds the state space model for a certificate needs B = [-alpha; 0]; with the printed "
        "sign the certificate is about another method."
    ),
    "dp-accel/thm-3.5-ct": (
        "Put the factor L/2 before the transient: the first steps may be worse than printed, the rate stays."
    ),
    "dp-accel/eq-b.1": (
        "Nothing changes for a user: the bound (3.12) on the noise has room for the factor that is wrong "
        "here."
    ),
    "dp-accel/eq-b.4-last": (
        "Eq (3.13), which the step is to show, follows another way and is {eq-3.13}: its formula may be used."
    ),
    "dp-accel/eq-b.9": ("Nothing changes for a user: the next display of the proof has the right form."),
    "dp-accel/eq-b-perm": (
        "It takes a rotation besides the permutation; a rotation has norm 1 too, so that the norms that "
        "follow stay."
    ),
    "dp-accel/eq-b-trace": (
        "Theorem 3.5, corrected, does not lean on this display and is {thm-3.5-corrected}: use that bound."
    ),
    "dp-accel/eq-b-tail": (
        "Theorem 3.5, corrected, does not lean on this tail and is {thm-3.5-corrected}: use that bound."
    ),
    "dp-accel/prop-4.2-bordered": (
        "The scales of Proposition 4.2 are optimal by another argument: it is {prop-4.2}, and may be used."
    ),
    "dynamic-noise/eq-23-t-to-0": (
        "For a badly conditioned problem the T of Eq (23) tends to 1/alpha: do not take fewer and fewer "
        "steps because of this sentence."
    ),
    "dynamic-noise/proof-4.6-constants": (
        "Compute the momentum schedule with the cases t <= T_hat and t > T_hat; the printed cases, of T, "
        "give other weights. With the right ones the influence is {thm-4.6-q-corrected}."
    ),
    "dynamic-noise/appa-markov": (
        "Of k repeated runs one is within 2 F(R/k), not within F, with that probability: plan with the "
        "factor 2 and with the smaller budget of each run."
    ),
    "dynamic-noise/proof-b.5-gradlip": (
        "The lemma needs smoothness from both sides, of f and of -f: check that, Definition 3.3 alone "
        "does not give it."
    ),
    "dynamic-noise/proof-b.6-u1": (
        "Lemma B.6 follows from the right sum for beta below gamma, and is then {lemma-b.6-corrected}."
    ),
    "dynamic-noise/proof-b.6-ja": (
        "Keep the momentum beta below gamma: above it the sum has no such bound, and neither have the "
        "results that use it."
    ),
    "dynamic-noise/proof-b.7-concave": (
        "Nothing changes for a user: the logarithm of h is concave, which is as good, and Lemma B.7 is "
        "{lemma-b.7}."
    ),
    "dynamic-noise/proof-4.2-convex": (
        "Nothing changes for a user: the bound falls and then rises all the same, so that a search for "
        "the best T is safe."
    ),
    "dynamic-noise/proof-4.2-upper": (
        "The order of T in Theorem 4.2 stays: with c_2 = 1/c the step holds for all alpha and kappa, and "
        "Eq (4) is {thm-4.2-t}."
    ),
    "dynamic-noise/eq-27": (
        "A step descends half as much as printed; that is why Theorem 4.4 needs steps of eta_0/M. With "
        "them it is {thm-4.4-corrected}."
    ),
    "dynamic-noise/proof-4.5-dropthat": (
        "Theorem 4.5 follows with a larger constant, which depends on beta alone, and is {thm-4.5}."
    ),
    "dynamic-noise/proof-4.6-sumsqrt": (
        "Do not compute the bound by this formula; the bound that follows from the right sum is "
        "{thm-4.6-bound-corrected}, and has a factor kappa more."
    ),
    "dynamic-noise/proof-4.6-ostep": (
        "The part that is dropped here is not small: the bound that keeps it is "
        "{thm-4.6-bound-corrected}, and has a factor kappa more."
    ),
    "dynamic-noise/proof-4.6-x-subst": (
        "The simplification is for eta_0 = 1 alone: for other steps put eta_0 in."
    ),
    "dynamic-noise/proof-4.6-c3-constant": (
        "What is called a constant grows with kappa: here the promised gain of momentum for badly "
        "conditioned problems is lost."
    ),
    "dynamic-noise/proof-4.6-last-eq": (
        "Nothing changes for a user: it holds as an inequality, in the direction that the proof needs."
    ),
    "dynamic-noise/proof-4.6-o1": (
        "A factor kappa is lost in this step, and is missing in the bound of Theorem 4.6."
    ),
    "dynamic-noise/proof-4.8-kappa": (
        "The factor 1/eta_0 that is lost here is missing in Theorem 4.8 too: small steps need larger batches."
    ),
    "momentum-agg/sens-count": (
        "A node may hold a record once more than is counted. Theorem 4 has room for it where T >= N and "
        "alpha >= 1/N: there it is {thm-4-rdp-corrected}."
    ),
    "momentum-agg/sens-scale": (
        "Two uses of a record may follow one another directly: whoever computes sensitivities has to "
        "allow for steps (j-1) N + 1 apart, not j N."
    ),
    "momentum-agg/sens-4ag": (
        "Whoever makes noise for single nodes needs 5.17 alpha G. The tree as a whole has room for it "
        "where T >= N: Theorem 4 is then {thm-4-rdp-corrected}."
    ),
    "momentum-agg/v-t-over-n": (
        "Count ceil(T/N) nodes on a level: with fewer steps than records T/N is below one, and the noise "
        "next to nothing."
    ),
    "momentum-agg/v-s-full": (
        "Nothing changes for a user: the count of nodes needs an upper bound only, and that holds."
    ),
    "momentum-agg/thm-4-conv-last": (
        "The short formula for sigma is for delta <= exp(-eps): for larger delta compute sigma from the "
        "longer one, or with an accountant."
    ),
    "momentum-agg/lemma-5-case2": (
        "Nothing changes for a user: both cases together give the inequality that is used, and Lemma 5 is "
        "{lemma-5}."
    ),
    "momentum-agg/l11-split": (
        "The average starts at 0, so that its weights do not sum to 1: the first steps are biased by up "
        "to (1-alpha)^t G."
    ),
    "momentum-agg/l11-g1": (
        "Algorithm 1 starts its average at alpha times the first gradient: the first steps are biased by "
        "up to (1-alpha)^t G."
    ),
    "momentum-agg/l11-unroll": (
        "The error of the first steps is left out: with (1-alpha)^t G added, Lemma 11 is "
        "{lemma-11-corrected}."
    ),
    "momentum-agg/l12-count": (
        "A sum may need one node more than counted: with 1 + log2 T of them Lemma 12 is {lemma-12-corrected}."
    ),
    "momentum-agg/t6-12": (
        "The noise term of Theorem 6 is four times the printed one, or a little more: use the constants "
        "of the corrected bound."
    ),
    "momentum-agg/t6-t": (
        "The logarithm stands with all three terms, and L has the constant 12: use the corrected bound; "
        "its rate stays but for logarithms."
    ),
    "momentum-agg/t8-sens-g": (
        "Whoever makes noise for single nodes needs 5.17 G. All nodes together have room for it: Theorem "
        "8 is {thm-8-rdp-corrected} for N >= 2, with its printed constant."
    ),
    "momentum-agg/t8-sens-delta": (
        "Whoever makes noise for single nodes needs 5.17 eta N L. All nodes together have room for it: "
        "Theorem 8 is {thm-8-rdp-corrected} for N >= 2, with its printed constant."
    ),
    "momentum-agg/t8-count2n": (
        "A record may be in twice as many nodes as counted. All nodes together have room for it: Theorem "
        "8 is {thm-8-rdp-corrected} for N >= 2."
    ),
    "momentum-agg/t8-countgt": (
        "It fails for a single record only: for N >= 2 the count is {t8-countgt-corrected}."
    ),
    "momentum-agg/t8-two-streams": (
        "Each of the two trees costs as much as is counted for both. Theorem 8 has room for it: it is "
        "{thm-8-rdp-corrected} for N >= 2."
    ),
    "momentum-agg/thm-8-dp-proof": (
        "The sentence covers the wrong side: the short formula for sigma is for delta <= exp(-eps); for "
        "larger delta use an accountant."
    ),
    "momentum-agg/l7-var2a": (
        "Nothing changes for a user: the end of the line is reached another way and is {l7-var2}."
    ),
    "momentum-agg/thm-9-k": ("This step holds for delta <= 1/e, which covers every delta in use."),
    "momentum-agg/thm-9-hyp": (
        "Theorem 9 by way of Lemma 7 is for T >= 4 N only; the corrected Theorem 9 needs no such "
        "condition and is {thm-9-corrected}."
    ),
    "momentum-agg/t10-out": (
        "Nothing changes for a user: integrated from the last output to the first the step is right, and "
        "Theorem 10 is {thm-10}."
    ),
    "momentum-agg/thm-10-conv-mid": (
        "Nothing changes for a user: the (2 rho sqrt(V l), delta)-DP that is concluded is {thm-10-conv}."
    ),
    "momentum-agg/prop-14-in-lemma-7": (
        "Nothing changes for a user: the bounds that Lemma 7 takes from there hold another way, and are "
        "{l7-coefficients}."
    ),
    "momentum-agg/eq-3": (
        "What Algorithm 2 rebuilds is the momentum only if every epoch has the same order; with fresh "
        "orders count the difference as an error."
    ),
    "momentum-agg/l17-step": (
        "The step needs the same record at a place in every epoch: keep one order for all epochs, or "
        "count the difference as an error."
    ),
    # the text
    "adp-erm/remark-4.1-dominating-always": (
        "Do not tune for the privacy term alone: with many records it may be the smallest of the three."
    ),
    "adp-erm/sec6.1-text": ("Read the numbers from Table 1; the text misquotes one of them."),
    "diff2/table-1-bvr": ("Count on more gradients than the table says: every round computes all N of them."),
    "diff2/footnote-3": (
        "If clients differ (zeta_2 of order 1), DIFF2-BVR-L-SGD needs more rounds than DP-GD once N is "
        "large; with zeta_2 <= 1/sqrt(N) it needs fewer."
    ),
    "diff2/sec2-secure-after": (
        "Put the noise inside of the aggregation, a share from every client: a server that draws it "
        "afterwards has seen the mean without."
    ),
    "diff2/sec3-sens-diff": (
        "Compute the noise from 2 L/(n_p P) times the last move, not from this sentence: for a single "
        "record in all it is too small by a factor of two."
    ),
    "diff2/sec4.1-sens-g": (
        "A replaced record moves a gradient by up to 2 G, not G: whoever makes noise by this sentence "
        "adds half of what is needed."
    ),
    "diff2/prop-4.1-minimum": (
        "The noise levels are enough for privacy but not the least: an accountant finds smaller ones for "
        "the same guarantee."
    ),
    "diff2/prop-4.1-theta-large": (
        "For large eps, or T > R, compute sigma from the formula of the proposition: its order misleads "
        "there."
    ),
    "diff2/remark-4.4-rounds": (
        "The printed condition bounds N from above: more records do not meet it; use the condition of the "
        "nearest true form."
    ),
    "diff2/assumption-5.2-note": (
        "With three clients or more and losses that are not convex, zeta may be larger than L: measure or "
        "bound it, do not take L."
    ),
    "diff2/remark-5.4": (
        "The term grows with N; under the corrected condition it may be left out beside c_1/eps_opt, and "
        "not beside 1."
    ),
    "diff2/sec6-better-eps": (
        "What decides is N eps >= sqrt(d): for small eps, N >= d alone does not make the new rate the "
        "better one."
    ),
    "diff2/sec6-tuning": (
        "Choosing the best of several private runs costs privacy too: account for the tuning, or tune on "
        "public data."
    ),
    "dp-accel/sec1-uncorr": (
        "Outside of quadratics noise that is merely uncorrelated is not enough: make sure that yours has "
        "mean 0 given the iterates, as independent noise has."
    ),
    "dp-accel/sec1-nbr": (
        "The guarantee is for a record that is replaced: if records may come and go, it has to be "
        "computed anew."
    ),
    "dp-accel/sec2.2-public": (
        "Fix step sizes, momentum and noise by public bounds: computed from the data, they are releases "
        "of their own."
    ),
    "dp-accel/sec3-smoothing": ("Momentum does not lower the noise that privacy needs: use the whole scale."),
    "dp-accel/eq-3.7-avg": ("The weights do not add up to 1: the first steps use a shrunken gradient."),
    "dp-accel/asm-3.2-quad": (
        "A quadratic whose curvature depends on the record has no finite S_1 on the whole space: bound "
        "the domain, or clip."
    ),
    "dp-accel/sec3.2-exact": ("The additive term is an upper bound: measured errors may be smaller."),
    "dp-accel/sec3.2-tradeoff": (
        "There are choices of (alpha, beta) that improve the rate and do not increase the error: look for "
        "them."
    ),
    "dp-accel/fn-1-one": (
        "Figure 1 is drawn with a constant that is too small: its curves are not the bound of the theorem."
    ),
    "dp-accel/fn-1-shift": (
        "Only a part of the bound is multiplied by the constant: the curves of Figure 1 change their "
        "shape with it."
    ),
    "dp-accel/eq-3.2-euclid": (
        "Laplace noise wants the L1 norm, as the sentence says: with the Euclidean one more than eps is lost."
    ),
    "dp-accel/eq-4.1-b-full": (
        "With the full gradient take m = n: with the eps_0 of an m < n a step spends eps_0, which is more "
        "than its share."
    ),
    "dp-accel/eq-4.2-note": (
        "The variance of Laplace noise of scale b_t is 2 b_t^2: use the corrected covariance."
    ),
    "dp-accel/sec4.1-a-mono": (
        "Later noise weighs more, not less: that is why the optimal scales fall over time."
    ),
    "dp-accel/rem-4.2-sec5": (
        "The experiments are outside of the regime of the remark: do not carry its approximation over to "
        "them."
    ),
    "dp-accel/thm-4.3-restart": (
        "Set the momentum back at the beginning of every stage: the bound is for that method."
    ),
    "dp-accel/fig2-jump": (
        "For DP-MASG the optimal noise may jump up between stages: compute it, do not extrapolate from NAG."
    ),
    "dp-accel/eq-5.2-exact": (
        "The sensitivity is at most this, and smaller at most points: as a bound it may be used."
    ),
    "dp-accel/fig3-two-best-c01": (
        "For c = 0.1 the order of the methods is another one: choose the method for your own budget."
    ),
    "dp-accel/fig3-gd-bestt": ("The best T of DP-GD depends on the data: search for it on public data."),
    "dp-accel/fig4-opt-improves": (
        "The gain is there at some settings (c = 1; DP-NAG at T = 200, DP-MASG at T = 500) and not at all "
        "of them: measure it at yours."
    ),
    "dynamic-noise/sec1-stricter-privacy": (
        "Under very strict privacy no step at all is best, and a dynamic schedule gains nothing."
    ),
    "dynamic-noise/appa-t-hat-row": (
        "With T below T_hat the error does not fall with N: the row of the tables is not a rate."
    ),
    "dynamic-noise/alg-1-guard": ("As printed the last step is not taken: use <= in the guard."),
    "dynamic-noise/thm-4.2-t-exact": (
        "Take the formula as an order of T, not as the best T: search near it, T = 0 included."
    ),
    "dynamic-noise/thm-4.2-t-eq-23": ("Take the formula as a start: the best whole T may be another one."),
    "dynamic-noise/sketch-4.2-wang": (
        "The comparison with earlier work depends on kappa: for badly conditioned problems the quoted "
        "bound is not what that T gives."
    ),
    "dynamic-noise/sec4.1.3-rzcdp-gt-rma": (
        "The budget by zCDP is the smaller one, by a factor between 2 and 4 for eps <= 2 L: the "
        "comparison goes the other way."
    ),
    "dynamic-noise/sec4.1.3-robust-uniform-least": (
        "Where kappa alpha >= 1 the best is not to train: the bound stays at 1 whatever kappa is."
    ),
    "dynamic-noise/sec4.1.3-dynamic-more-robust": (
        "Where kappa alpha >= 1 both schedules are best with no step at all: there is nothing to gain."
    ),
    "dynamic-noise/text-m-unbiased-moving": (
        "The momentum lags behind where the iterates move: do not treat it as an unbiased gradient."
    ),
    "dynamic-noise/sec4.2-flatten": (
        "Momentum does not always flatten the influence: compute the schedule from the influence itself."
    ),
    "dynamic-noise/text-4.4-factor": (
        "At the first step the factor is 1, and the weight gamma^(T-1): a little more than the text says."
    ),
    "dynamic-noise/num-0.98": (
        "At these settings the theorem allows eta_0 of about 0.003, not 0.98: take the limit from its "
        "formula."
    ),
    "dynamic-noise/disc-4.6-increasing-schedule": (
        "The schedule increases up to T_hat if its cases are those of t; with the printed cases, of T, it "
        "does not."
    ),
    "dynamic-noise/disc-4.6-increasing-exact": (
        "The schedule of the exact influence need not increase up to T_hat: compute it."
    ),
    "dynamic-noise/disc-4.6-more-influential": (
        "A dynamic schedule may gain more with momentum than without: compare both."
    ),
    "dynamic-noise/thm-4.6-beats-uniform": (
        "The schedule of Theorem 4.6 may be worse than no schedule at all: use the exact influence, or "
        "the uniform one."
    ),
    "dynamic-noise/sec4.3-xi-model": (
        "The variance of a batch falls as 1/n, not as 1/n^2: large batches help less than the model says."
    ),
    "dynamic-noise/thm-4.7-n": (
        "For budgets R > 1 the batch would be larger than the data: take the full gradient there."
    ),
    "dynamic-noise/sec4.3-order": (
        "Batches add an error of the order 1/N, which outweighs the noise for privacy once N is large."
    ),
    "dynamic-noise/appa-red-lt-r": (
        "The budget by zCDP is the smaller one, by a factor between 2 and 4 for eps <= 2 L: the "
        "comparison goes the other way."
    ),
    "dynamic-noise/appa-nonpriv-limit": ("The row is no limit: without privacy more steps go below it."),
    "dynamic-noise/appa-advantage": (
        "On the true risk the dynamic schedule may be worse, because it takes more steps: choose T for "
        "the whole bound."
    ),
    "dynamic-noise/appa-ter-le-eer": (
        "The error on new data may exceed the error on the records, whatever the noise: do not drop the "
        "additive term."
    ),
    "dynamic-noise/tab3-second-block": (
        "On new data the error may fall no faster than 1/N, where the table has 1/N^2: plan the number of "
        "records with that."
    ),
    "dynamic-noise/appa-best-of-k": (
        "Choosing the best run on the private data is a release of its own: publish all runs, or pay for "
        "the choice."
    ),
    "dynamic-noise/num-0.1963-equal": (
        "The budget is enough for (4, 1e-8)-DP, and not the largest that is: the exact Gaussian formula "
        "allows less noise."
    ),
    "dynamic-noise/appd-tuning": (
        "A T chosen by its result on the private data costs privacy: fix it beforehand, or pay for the "
        "choice."
    ),
    "dynamic-noise/appd-var": ("Judge a schedule by T sum q - (sum sqrt q)^2, not by the variance of q."),
    "momentum-agg/prior-rates-factor": (
        "The improvement is the fourth root of the logarithm, not the logarithm."
    ),
    "momentum-agg/tree-logt-nodes": (
        "Count on one node more: a sum of t terms has the noise of up to 1 + log2 t nodes."
    ),
    "momentum-agg/err-disc": (
        "In the first steps the error is of order one, because the average starts at 0: leave them out, "
        "or start at a gradient."
    ),
    "momentum-agg/sec4-one-epoch": (
        "With a fresh order in every epoch differences of momenta are not small: keep one order, or pay "
        "for the whole gradient."
    ),
    "momentum-agg/sec4-iter-dist": (
        "With fresh orders the same sample may be up to 2N - 1 steps apart: the motivation holds up to a "
        "factor of two."
    ),
    "momentum-agg/abs-rate": (
        "The term 1/sqrt(N) is there too, and is the larger one when eps is large against sqrt(d) "
        "N^(-1/4): plan with both."
    ),
}

# Claims that the paper does not make in so many words, but that a reader may take from it.
READINGS = {
    "adp-erm/remark-4.1-dominating-always",
    "diff2/prop-4.1-theta-large",
    "diff2/sec2-secure-after",
    "diff2/sec6-better-eps",
    "dp-accel/asm-3.2-quad",
    "dp-accel/eq-3.2-euclid",
    "dp-accel/eq-4.1-b-full",
    "dp-accel/fig2-jump",
    "dp-accel/rem-4.2-sec5",
    "dp-accel/sec1-nbr",
    "dp-accel/sec2.2-public",
    "dp-accel/sec5-l-private",
    "dynamic-noise/appa-nonpriv-limit",
    "dynamic-noise/appa-t-hat-row",
    "dynamic-noise/appd-tuning",
    "dynamic-noise/lemma-b.1-one-order",
    "dynamic-noise/num-0.1963-equal",
    "dynamic-noise/sec4.3-target",
    "dynamic-noise/thm-4.2-t-eq-23",
    "dynamic-noise/thm-4.2-t-exact",
}
