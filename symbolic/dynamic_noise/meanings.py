"""What a refuted claim of the paper means for whoever uses the algorithm, in a sentence or two.

`{id}` stands for the verdict of another claim, as it was computed for the report.
"""

MEANINGS = {
    "thm-4.6-bound-short": (
        "With the printed number of steps the bound of momentum grows with the condition number even where "
        "T <= T_hat: take the factor kappa of the corrected form."
    ),
    "appa-ter-eer": ("Add twice the printed term when you carry a bound from the data at hand to new data."),
    "thm-3.1-replace": (
        "If a record may be changed, and not only zeroed, the cost is four times what the theorem says: a "
        "user who wants its guarantee has to double the noise."
    ),
    "thm-3.1-add-remove": (
        "Divide by a public number, not by the number of records present: that number tells who is there, "
        "and moves the average further than the noise hides."
    ),
    "thm-3.1-replace-audit": (
        "The violation is not one of constants on paper: it shows in the exact losses of three steps on "
        "two records."
    ),
    "thm-3.1-private-schedule": (
        "The T of Eq (7) is computed from the private loss: fix it, and the sigma_t, without the "
        "data, or pay for "
        "what they tell."
    ),
    "sec4.1.3-r": (
        "Whoever computes R from (eps, delta) by this line spends far more than eps; use the minus sign."
    ),
    "sec4.3-amplification": (
        "Secret batches do not divide the zCDP cost by the square of the rate, whatever the constant: a "
        "user who relies on it spends more than accounted."
    ),
    "sec4.3-target": (
        "Batches with the noise of this constraint are not (4, 1e-8)-DP at the budget of the experiments: "
        "account for them with a privacy loss distribution instead."
    ),
    "sec4.3-with-replacement": (
        "Drawing with replacement can pick the same record twice: the sensitivity is larger than G/n, and "
        "the noise has to be too."
    ),
    "inv-b.3": (
        "Used as printed, the conversion from (eps, delta) to rho returns a budget that is far too large; "
        "the right root has a minus."
    ),
    "thm-4.2-bound-least": (
        "Eq (5) is the bound at the T of Eq (4); the least one has kappa^2 alpha for kappa alpha: for badly "
        "conditioned problems, with its best T, the uniform schedule never does worse than no step at all."
    ),
    "thm-4.3-t": (
        "The printed T is not the minimiser; rounding up T* of Eq (26) costs at most a factor 1 + alpha."
    ),
    "thm-4.3-bound-at-eq-7": ("The bound of Eq (8) is reached at the T of Eq (26), not at that of Eq (7)."),
    "thm-4.4": ("Take steps of eta_0/M, not eta_0/(2M), for this bound, and beta below gamma."),
    "eq-12-zeta-ge-0": (
        "The step must be smaller than printed for the last term to help; use the repaired condition."
    ),
    "thm-4.6-bound": (
        "There is a factor kappa more than printed: under momentum the promised gain for badly "
        "conditioned problems is not shown."
    ),
    "thm-4.8": (
        "There is a factor 1/eta_0 more noise from sampling than printed: small steps need larger batches."
    ),
    "tab1-mom-dyn-sched": (
        "Do not set the noise by the formula of the table: it has the two regimes added up where the "
        "schedule has one of them."
    ),
    "thm-4.8-bound": ("As for Theorem 4.4: take steps of eta_0/M, and twice the sampling term."),
    "eq-17-18": (
        "The true risk that the table promises is too small by the root of the number of records: plan with "
        "the corrected bound."
    ),
    "thm-a.1": ("The true risk does not fall with N as fast as printed: the first term has no N."),
    "thm-a.3": ("The stability constant is twice as large, and needs convex losses."),
    "lemma-b.4-ineq": (
        "Clip gradients instead of relying on this sensitivity: the printed one is too small for two records."
    ),
    "lemma-b.5": ("Use it with beta below gamma only."),
    "lemma-b.6": ("Use it with beta below gamma only."),
    "thm-4.4-beta-above-gamma": ("Keep the momentum beta below gamma: above it the bound does not hold."),
    # steps of proofs,
    "eq-23-t-to-0": (
        "For a badly conditioned problem the T of Eq (23) tends to 1/alpha: do not take fewer and fewer "
        "steps because of this sentence."
    ),
    "proof-4.6-constants": (
        "Compute the momentum schedule with the cases t <= T_hat and t > T_hat; the printed cases, of T, "
        "give other weights. With the right ones the influence is {thm-4.6-q-corrected}."
    ),
    "appa-markov": (
        "Of k repeated runs one is within 2 F(R/k), not within F, with that probability: plan with the "
        "factor 2 and with the smaller budget of each run."
    ),
    "proof-b.5-gradlip": (
        "The lemma needs smoothness from both sides, of f and of -f: check that, Definition 3.3 alone "
        "does not give it."
    ),
    "proof-b.6-u1": (
        "Lemma B.6 follows from the right sum for beta below gamma, and is then {lemma-b.6-corrected}."
    ),
    "proof-b.6-ja": (
        "Keep the momentum beta below gamma: above it the sum has no such bound, and neither have the "
        "results that use it."
    ),
    "proof-b.7-concave": (
        "Nothing changes for a user: the logarithm of h is concave, which is as good, and Lemma B.7 is "
        "{lemma-b.7}."
    ),
    "proof-4.2-convex": (
        "Nothing changes for a user: the bound falls and then rises all the same, so that a search for "
        "the best T is safe."
    ),
    "proof-4.2-upper": (
        "The order of T in Theorem 4.2 stays: with c_2 = 1/c the step holds for all alpha and kappa, and "
        "Eq (4) is {thm-4.2-t}."
    ),
    "eq-27": (
        "A step descends half as much as printed; that is why Theorem 4.4 needs steps of eta_0/M. With "
        "them it is {thm-4.4-corrected}."
    ),
    "proof-4.5-dropthat": (
        "Theorem 4.5 follows with a larger constant, which depends on beta alone, and is {thm-4.5}."
    ),
    "proof-4.6-sumsqrt": (
        "Do not compute the bound by this formula; the bound that follows from the right sum is "
        "{thm-4.6-bound-corrected}, and has a factor kappa more."
    ),
    "proof-4.6-ostep": (
        "The part that is dropped here is not small: the bound that keeps it is "
        "{thm-4.6-bound-corrected}, and has a factor kappa more."
    ),
    "proof-4.6-x-subst": ("The simplification is for eta_0 = 1 alone: for other steps put eta_0 in."),
    "proof-4.6-c3-constant": (
        "What is called a constant grows with kappa: here the promised gain of momentum for badly "
        "conditioned problems is lost."
    ),
    "proof-4.6-last-eq": (
        "Nothing changes for a user: it holds as an inequality, in the direction that the proof needs."
    ),
    "proof-4.6-o1": ("A factor kappa is lost in this step, and is missing in the bound of Theorem 4.6."),
    "proof-4.8-kappa": (
        "The factor 1/eta_0 that is lost here is missing in Theorem 4.8 too: small steps need larger batches."
    ),
    "sec1-stricter-privacy": (
        "Under very strict privacy no step at all is best, and a dynamic schedule gains nothing."
    ),
    "appa-t-hat-row": (
        "With T below T_hat the error does not fall with N: the row of the tables is not a rate."
    ),
    "alg-1-guard": ("As printed the last step is not taken: use <= in the guard."),
    "thm-4.2-t-exact": (
        "Take the formula as an order of T, not as the best T: search near it, T = 0 included."
    ),
    "thm-4.2-t-eq-23": ("Take the formula as a start: the best whole T may be another one."),
    "sketch-4.2-wang": (
        "The comparison with earlier work depends on kappa: for badly conditioned problems the quoted "
        "bound is not what that T gives."
    ),
    "sec4.1.3-rzcdp-gt-rma": (
        "The budget by zCDP is the smaller one, by a factor between 2 and 4 for eps <= 2 L: the "
        "comparison goes the other way."
    ),
    "sec4.1.3-robust-uniform-least": (
        "Where kappa alpha >= 1 the best is not to train: the bound stays at 1 whatever kappa is."
    ),
    "sec4.1.3-dynamic-more-robust": (
        "Where kappa alpha >= 1 both schedules are best with no step at all: there is nothing to gain."
    ),
    "text-m-unbiased-moving": (
        "The momentum lags behind where the iterates move: do not treat it as an unbiased gradient."
    ),
    "sec4.2-flatten": (
        "Momentum does not always flatten the influence: compute the schedule from the influence itself."
    ),
    "text-4.4-factor": (
        "At the first step the factor is 1, and the weight gamma^(T-1): a little more than the text says."
    ),
    "num-0.98": (
        "At these settings the theorem allows eta_0 of about 0.003, not 0.98: take the limit from its "
        "formula."
    ),
    "disc-4.6-increasing-schedule": (
        "The schedule increases up to T_hat if its cases are those of t; with the printed cases, of T, it "
        "does not."
    ),
    "disc-4.6-increasing-exact": (
        "The schedule of the exact influence need not increase up to T_hat: compute it."
    ),
    "disc-4.6-more-influential": (
        "A dynamic schedule may gain more with momentum than without: compare both."
    ),
    "thm-4.6-beats-uniform": (
        "The schedule of Theorem 4.6 may be worse than no schedule at all: use the exact influence, or "
        "the uniform one."
    ),
    "sec4.3-xi-model": (
        "The variance of a batch falls as 1/n, not as 1/n^2: large batches help less than the model says."
    ),
    "thm-4.7-n": ("For budgets R > 1 the batch would be larger than the data: take the full gradient there."),
    "sec4.3-order": (
        "Batches add an error of the order 1/N, which outweighs the noise for privacy once N is large."
    ),
    "appa-red-lt-r": (
        "The budget by zCDP is the smaller one, by a factor between 2 and 4 for eps <= 2 L: the "
        "comparison goes the other way."
    ),
    "appa-nonpriv-limit": ("The row is no limit: without privacy more steps go below it."),
    "appa-advantage": (
        "On the true risk the dynamic schedule may be worse, because it takes more steps: choose T for "
        "the whole bound."
    ),
    "appa-ter-le-eer": (
        "The error on new data may exceed the error on the records, whatever the noise: do not drop the "
        "additive term."
    ),
    "tab3-second-block": (
        "On new data the error may fall no faster than 1/N, where the table has 1/N^2: plan the number of "
        "records with that."
    ),
    "appa-best-of-k": (
        "Choosing the best run on the private data is a release of its own: publish all runs, or pay for "
        "the choice."
    ),
    "num-0.1963-equal": (
        "The budget is enough for (4, 1e-8)-DP, and not the largest that is: the exact Gaussian formula "
        "allows less noise."
    ),
    "appd-tuning": (
        "A T chosen by its result on the private data costs privacy: fix it beforehand, or pay for the "
        "choice."
    ),
    "appd-var": ("Judge a schedule by T sum q - (sum sqrt q)^2, not by the variance of q."),
}

# Claims that the paper does not make in so many words, but that a reader may take from it.
READINGS = {
    "appa-nonpriv-limit",
    "appa-t-hat-row",
    "appd-tuning",
    "lemma-b.1-one-order",
    "num-0.1963-equal",
    "sec4.3-target",
    "thm-4.2-t-eq-23",
    "thm-4.2-t-exact",
}
