"""What refuted claims about privacy and refuted theorems mean for whoever uses them, in a sentence each."""

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
    "dp-accel/rem-4.2-budget": (
        "The optimal scales are for full gradients; a user who puts in batches of m < n spends more than eps."
    ),
    "dp-accel/sec5-l-private": (
        "A step size computed from the data is a release of its own: choose L by a public bound, or pay "
        "for it."
    ),
    "dynamic-noise/alg-1-batch": (
        "With batches of n < N the printed noise is too small by the factor n/N: scale it by G/n, or the "
        "cost grows by (N/n)^2."
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
        "At the printed sigma some (eps, delta) that the theorem allows are not met: calibrate the noise "
        "by the exact Gaussian formula."
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
    "dp-accel/sec5-subsampling-noise": (
        "Batches do not lower the noise that a step needs: the least scale is that of the full batch."
    ),
    "dp-accel/eq-b-rec": (
        "It takes noise uncorrelated with both last iterates: the last one alone is not enough."
    ),
    "dynamic-noise/thm-4.2-bound": (
        "The order has kappa^2 alpha where kappa alpha is printed: for badly conditioned problems the "
        "uniform schedule is worse than Eq (5) says, until the trivial bound 1."
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
    "diff2/thm-5.3": (
        "With the step size of Theorem F.4 more rounds are needed: take L/sqrt(K b) for L/(sqrt K b) in c_1."
    ),
    "diff2/thm-f.4": (
        "Plan the rounds of DIFF2-BVR-L-SGD with L/sqrt(K b): a batch helps by the root of its size, not by "
        "its size."
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
    "momentum-agg/lemma-11": (
        "The average starts at 0 and is biased in the first steps: add (1-alpha)^t G to the error, or "
        "start it at a gradient."
    ),
    "momentum-agg/lemma-12": (
        "The noise is that of up to 1 + log2 T nodes, not of log2 T: a little more than printed."
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
        "The conversion needs delta <= exp(-epsilon) or so, and N >= 2: for large epsilon at moderate "
        "delta compute sigma with an accountant."
    ),
    "momentum-agg/thm-9": (
        "The printed constants hold for delta <= 1/e and epsilon <= sqrt(d N); only a delta next to 1 breaks "
        "them."
    ),
    "momentum-agg/lemma-7": (
        "With a fresh order in every epoch the rebuilt vector is not the momentum, whatever the noise: "
        "keep one order for all epochs, or count the difference as an error."
    ),
    "dynamic-noise/thm-4.4-beta-above-gamma": (
        "Keep the momentum beta below gamma: above it the bound does not hold."
    ),
}
