"""Section 6 and Appendix A: noise levels, the test, tuning, and the comparison of DIFF2-GD with DP-GD.

The data of the paper are not shipped. The stand-ins are synthetic regressions of the shape of California
Housing: 8 attributes of mean 0 and deviation 1, a smooth target divided by its largest size; 16000 records on
10 workers, which are 80 copies of 200 distinct ones (the objective then costs as much as the distinct ones,
and the noise is that of 16000); a network with 10 softplus units and squared loss, without offsets.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.diff2 import TARGET, printed_variances, renyi_order
from dpverify.guarantees import ApproxDP
from dpverify.language.expectations import E, Noise
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import norm2
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance, Quoted, Tested
from dpverify.releases import Gaussian
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.guarantees import C_1, P, R, delta, eps, n_min, n_p, order, r
from dpverify.theorems import AllOf
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

LEVEL = sp.Rational(1, 10**5)
N, d = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "d"))


@claim(PAPER, "sec6-better", at="Section 6, first paragraph", kind="asymptotic")
def low_dimensional_problems_favour_diff2():
    """d^(2/3)/(N eps)^(4/3) is at most (d/N)^(1/6) times sqrt(d)/(N eps), for eps >= 1 (section 6 has 3 and
    5): smaller for N > d, by as much as one likes for N >> d; constants and logarithms left out on both
    sides.
    """
    ours = d ** sp.Rational(2, 3) / (N * eps) ** sp.Rational(4, 3)
    return AtMost(ours, (d / N) ** sp.Rational(1, 6) * sp.sqrt(d) / (N * eps), given=[eps >= 1])


@claim(
    PAPER,
    "sec6-better-eps",
    at="Section 6, first paragraph, for every eps",
    kind="asymptotic",
    standing="ours",
    expect=REFUTED,
    correction="sec6-better",
)
def low_dimension_alone_is_enough():
    """N >= d alone gives d^(2/3)/(N eps)^(4/3) <= sqrt(d)/(N eps), for every eps > 0. What counts is N eps >=
    sqrt(d).
    """
    ours = d ** sp.Rational(2, 3) / (N * eps) ** sp.Rational(4, 3)
    return AtMost(ours, sp.sqrt(d) / (N * eps), given=[N >= d])


@claim(PAPER, "sec6-anchors", at="Section 6, implemented algorithms", kind="numeric")
def noise_levels_of_the_experiments():
    """With delta = 10^-5: a = 9 at eps = 3 and 6 at eps = 5; of R = 2000 rounds 334, 100, 34, 10 are restarts
    at T = 6, 20, 60, 200; at eps = 3, (N sigma)^2 = 24000 for DP-GD (u -> 1), and for u = 1.25, T = 20
    (N sigma_1)^2 = 1500 and (N sigma_2)^2 = 114000. So a difference has less noise than DP-GD if C_{2,r} <=
    .458 C_1: 24000/114000 > .458^2.
    """
    R, T, order = (sp.Symbol(name, integer=True, positive=True) for name in ("R", "T", "a"))
    eps, delta, u = sp.symbols("epsilon delta u", positive=True)
    first, second = printed_variances(R, T, sp.Integer(1), eps, order, u)
    plain = printed_variances(R, sp.Integer(1), sp.Integer(1), eps, order, 1)[0]
    setting = [sp.Eq(R, 2000), sp.Eq(T, 20), sp.Eq(eps, 3), sp.Eq(order, 9), sp.Eq(u, sp.Rational(5, 4))]
    orders = [
        Equal(renyi_order(eps, delta), value, given=[sp.Eq(eps, budget), sp.Eq(delta, LEVEL)])
        for budget, value in ((3, 9), (5, 6))
    ]
    restarts = [
        Equal(sp.ceiling(R / T), count, given=[sp.Eq(R, 2000), sp.Eq(T, interval)])
        for interval, count in ((6, 334), (20, 100), (60, 34), (200, 10))
    ]
    return AllOf(
        *orders,
        *restarts,
        Equal(plain, 24000, given=setting),
        Equal(first, 1500, given=setting),
        Equal(second, 114000, given=setting),
        AtMost(sp.Rational("0.458") ** 2, plain / second, given=setting),
    )


@claim(PAPER, "sec6-ttest", at="Section 6, results", kind="numeric")
def five_seeds_have_four_degrees_of_freedom():
    """With one difference for each of 5 seeds the t-distribution has 4 degrees of freedom: the squared
    deviations of 5 independent differences of variance s^2 from their mean add up to 4 s^2 on average.
    """
    s, *own = sp.symbols("s s_1:6", positive=True)
    noises = [Noise(f"x_{i}", variance=each**2) for i, each in enumerate(own, 1)]
    mean = (noises[0] + noises[1] + noises[2] + noises[3] + noises[4]) / 5
    return Equal(
        E(sum(norm2(x - mean) for x in noises), *noises), 4 * s**2, given=[sp.Eq(each, s) for each in own]
    )


@claim(
    PAPER,
    "sec6-tuning",
    at="Section 6, implemented algorithms, and Appendix A",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="text",
    correction="sec6-tuning-corrected",
)
def tuned_runs_keep_the_budget():
    """The reported runs, of which the one with the best train loss is chosen, keep (3, 10^-5)-DP.

    The case: a part of the grid of DIFF2-GD, C_1 = 1 and eta = 1, with its 5 values of C_2 and 4 of T: at R =
    1 these 20 runs are alike. l(x, z) = (x - z)^2/2, |z| <= 1, x_0 = 0: every run gives x = m + noise, m the
    mean of the records and the minimiser; a record that goes from 1 to -1 moves m by 2/N, which is 2/sqrt(15)
    of the deviation of the noise (a = 9, u = 1.25). S = {the chosen x is within .2 deviations of m}: it
    happens on D unless all 20 runs are farther off, and on D', where the run closest to m' is chosen, only if
    all 20 are farther from m' than 2/sqrt(15) - .2 deviations. (That tuning is not accounted for is usual,
    and not said here.)
    """
    near, moved = sp.Rational(1, 5), 2 / sp.sqrt(15)

    def farther(distance):
        return sp.erfc(distance / sp.sqrt(2)) ** 20

    return Instance(
        AtMost(1 - farther(near), sp.exp(3) * farther(moved - near) + LEVEL),
        let={
            "l(x, z)": "(x - z)^2/2, x_0 = 0, |z| <= 1, eta = C_1 = R = 1",
            "runs": "20, of which the one with the least train loss is shown",
            "S": "{|x - m| <= .2 deviations of the noise}",
        },
        meets=[Equal((2 / moved) ** 2, printed_variances(1, 1, 1, 3, 9, sp.Rational(5, 4))[0])],
        because="the choice looks at the data once more, without noise",
    )


@claim(
    PAPER,
    "sec6-tuning-corrected",
    at="Section 6, runs for tuning accounted for",
    kind="privacy guarantee",
    standing="ours",
)
def runs_for_tuning_are_composed():
    """k runs of DP-GD with k times the variance of Proposition 4.1 each, sigma^2 = 4 a k R/(N^2 eps), are
    (eps, delta)-DP together, all that they release being shown; a choice among them that looks at the
    releases alone is post-processing.
    """
    k, i = (sp.Symbol(name, integer=True, positive=True) for name in "ki")
    sigma = sp.sqrt(4 * order * k * R / (n_min**2 * P**2 * eps))
    step = Gaussian(sigma * C_1, {REPLACE: 2 * C_1 / (n_p * P)})
    return Private(
        Repeated(Repeated(step, r, 1, R), i, 1, k),
        ApproxDP(eps, delta),
        REPLACE,
        given=[delta < 1, n_min <= n_p],
        order=order,
    )


@claim(PAPER, "sec6-init", at="Section 6, models", kind="definition")
def printed_initialisation():
    """Weights are drawn uniformly from [-sqrt(w_in), sqrt(w_in)], w_in the number of inputs; [-1/sqrt(w_in),
    1/sqrt(w_in)], the default of the framework used, is probably meant.

    A weight uniform on [-h, h] has variance h^2/3: for w_in attributes of variance 1, a unit before its
    activation has variance w_in^2/3 as printed (21 at 8 attributes), and 1/3 with the inverse.
    """
    w = sp.Symbol("w", real=True)
    width, half = sp.Symbol("w_in", integer=True, positive=True), sp.Symbol("h", positive=True)
    variance = sp.Integral(w**2 / (2 * half), (w, -half, half))
    return AllOf(
        Equal(width * variance, width**2 / 3, given=[sp.Eq(half, sp.sqrt(width))]),
        Equal(width * variance, sp.Rational(1, 3), given=[sp.Eq(half, 1 / sp.sqrt(width))]),
    )


@claim(PAPER, "table-2", at="Appendix A, Table 2", kind="numeric", expect=UNDECIDED)
def sizes_of_the_data():
    """Table 2: California Housing 20640 x 8, Gas Turbine 36733 x 9, BlogFeedback 60021 x 280, Cover Type
    58,1012 x 54, KDDCup99 4898431 x 41.
    """
    return Quoted(
        "sizes of data that are not shipped; 58,1012 is a misprint of 581,012, and the table has five data "
        "sets where the text above it says three"
    )


DISTINCT, RECORDS, WORKERS, ATTRIBUTES, UNITS = 200, 16_000, 10, 8, 10


def stand_in(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attributes, targets and initial weights of one synthetic regression."""
    rng = np.random.default_rng((3, seed))
    rows = rng.standard_normal((DISTINCT, ATTRIBUTES))
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    hidden = np.tanh(rows @ rng.standard_normal((ATTRIBUTES, 3)) / math.sqrt(ATTRIBUTES))
    targets = hidden.sum(axis=1) + 0.3 * rng.standard_normal(DISTINCT)
    start = rng.uniform(-1, 1, UNITS * (ATTRIBUTES + 1)) / math.sqrt(ATTRIBUTES)
    return rows, targets / np.abs(targets).max(), start


def final(seed: int, rounds: int, restart: int, step: float) -> dict[str, float]:
    """Train loss and squared train gradient after the last round: means of two runs."""
    from dpverify.algorithms.diff2_gd import diff2_gd
    from dpverify.montecarlo import run
    from dpverify.problems.network import network
    from dpverify.symbolic.diff2.audits import noise_levels

    rows, targets, start = stand_in(seed)
    problem = network(ATTRIBUTES, hidden=UNITS, count=DISTINCT, start=start)
    data = problem.load((rows, targets))

    def squared_gradient(x: Any) -> Any:
        return np.sum(problem.gradient(x, data) ** 2, axis=1)

    measure = {"loss": lambda x: problem.value(x, data), "gradient": squared_gradient}
    algorithm = diff2_gd(
        problem,
        clip=1.0,
        difference_clip=3.0,
        variances=noise_levels(rounds, restart, RECORDS, TARGET),
        restart=restart,
        rounds=rounds,
        step_size=step,
        clients=WORKERS,
    )
    found = run(algorithm, (rows, targets), 2, seed, measure=measure, keep=()).values
    return {name: float(values.mean()) for name, values in found.items()}


@claim(PAPER, "fig-1", at="Figure 1, on synthetic stand-ins", kind="numeric", expect=UNDECIDED)
def diff2_gd_ends_ahead_of_dp_gd():
    """DIFF2-GD consistently outperforms DP-GD at the final rounds: at eps = 3, delta = 1e-5, u = 1.25, T =
    .01 R, C_1 = 1, C_2 = 3, each algorithm with its best step of 1/2, 1/4 (and 1/8 in full) for every seed
    and criterion, as Appendix A tunes it, DIFF2-GD ends with the lower train loss and the smaller squared
    train gradient in every data seed, R = 2000.

    The paper's data are California Housing, Gas Turbine and BlogFeedback, which are not shipped; here 200
    records of 8 attributes with targets from three hidden units and noise stand for 16000 of 10 workers, in
    the paper's network of 10 softplus units, so that other shares than the paper's refute nothing. On them
    the lead depends on R: 5 of 5 seeds at R = 600 (quick runs the first 2); of the first 9 seeds at R = 2000
    (full), 3 in the loss and 5 clearly in the gradient.
    """

    def run(effort: Effort) -> Result:
        full = effort.name == "full"
        rounds, seeds, steps = (2000, 10, (0.5, 0.25, 0.125)) if full else (600, 2, (0.5, 0.25))
        wins = {"loss": 0, "gradient": 0}
        for seed in range(seeds):
            best = {}
            for restart in (rounds // 100, 1):
                ends = [final(seed, rounds, restart, step) for step in steps]
                best[restart] = {name: min(end[name] for end in ends) for name in wins}
            ours, plain = best[rounds // 100], best[1]
            wins = {name: wins[name] + (ours[name] < plain[name]) for name in wins}
        said = (
            f"DIFF2-GD has the lower train loss in {wins['loss']} and the smaller gradient in "
            f"{wins['gradient']} of {seeds} synthetic data seeds, R = {rounds}"
        )
        evidence = Evidence(
            "runs", samples=4 * len(steps) * seeds, seed=0, ceiling="DP-GD ahead in a data seed"
        )
        # 600 rounds decide nothing about the 2000 of the paper.
        ahead = full and wins["loss"] == wins["gradient"] == seeds
        return Result(SUPPORTED if ahead else UNDECIDED, said, evidence)

    return Tested("DIFF2-GD ends ahead of DP-GD in every synthetic regression", run)
