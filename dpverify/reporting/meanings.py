"""What the refuted privacy claims of the papers mean for whoever runs the algorithm, in one sentence each."""

MEANINGS = {
    "adp-erm/thm-4.1-audit": (
        "The leak of the printed noise shows in the outputs themselves, on two hundred records and two steps."
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
    "dynamic-noise/sec4.1.3-r": (
        "Whoever computes R from (eps, delta) by this line spends far more than eps; use the minus sign."
    ),
    "dynamic-noise/sec4.1.3-r-root": (
        "Reading the root the other way does not save the line: the sign is wrong, and the budget it "
        "gives is far too large."
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
    "dynamic-noise/appd-tuning": (
        "Choosing T by its result on the private data costs privacy that nobody paid for: tune on public "
        "data, or account for the choice."
    ),
    "momentum-agg/thm-4-dp": (
        "At the printed sigma some (eps, delta) that the theorem allows are not met: calibrate the noise "
        "by the exact Gaussian formula."
    ),
}
