"""Section 3: Algorithm 1 and Theorem 3.1, its privacy, for each relation of neighbours.

theta_{t+1} = theta_t - eta_t (grad_t + sigma_t G nu_t/N),  cost rho_t = 1/sigma_t^2,  R_{t+1} = R_t - rho_t
Eq (1), Algorithm 1
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas import dynamic_noise as schedules
from dpverify.guarantees import ZCDP
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import VectorSequence, norm2, total, vectors
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.relations import AtMost, Equal, Instance, Tested
from dpverify.releases import Gaussian
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.definitions import G, N, R, T, alpha, gamma, i, order, sigma, t
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Result

q = sp.IndexedBase("q", positive=True)


@claim(PAPER, "eq-1", at="Eq (1)", kind="algorithm property", standing="definition")
def eq_1_is_algorithm_1_with_the_full_batch():
    """theta_{t+1} = theta_t - eta_t (grad_t + sigma_t G nu_t/N) in R^D: Algorithm 1 with phi = g and n = N,
    the noise being sigma_t times the sensitivity G/N.
    """
    theta, nu = vectors("theta nu")
    eta, s = sp.symbols("eta sigma_t", positive=True)
    g, n = VectorSequence("g"), sp.Symbol("n", integer=True, positive=True)
    algorithm = theta - eta * (total(g[i], (i, 1, n)) / n + G * s * nu / N)
    printed = theta - eta * (total(g[i], (i, 1, N)) / N + s * (G / N) * nu)
    return Equal(norm2(algorithm - printed), 0, given=[sp.Eq(n, N)])


@claim(PAPER, "eq-phi", at="Section 3, below Eq (1)", kind="identity")
def phi_of_momentum_is_the_corrected_average():
    """phi = [beta (1 - beta^(t-1)) m_t + (1 - beta) g_t]/(1 - beta^t) is v_{t+1}/(1 - beta^t), v_{t+1} = beta
    v_t + (1 - beta) g_t, and m_t likewise, for t >= 2 (in each coordinate).
    """
    beta, s = sp.Symbol("beta", positive=True), sp.Symbol("s", integer=True, positive=True)
    m, v, g = sp.symbols("m v g", real=True)
    phi = (beta * (1 - beta ** (s - 1)) * m + (1 - beta) * g) / (1 - beta**s)
    average = sp.Eq(v, (1 - beta ** (s - 1)) * m)
    return Equal(phi, (beta * v + (1 - beta) * g) / (1 - beta**s), given=[beta < 1, s >= 2, average])


@claim(
    PAPER,
    "alg-1-guard",
    at="Algorithm 1, line 2",
    kind="algorithm property",
    uses=["lemma-4.1"],
    expect=REFUTED,
    correction="alg-1-guard-corrected",
    standing="ours",
)
def strict_guard_lets_the_schedule_of_lemma_4_1_through():
    """With the guard rho_t < R_t all T steps of the schedule of Lemma 4.1 are taken (it spends the budget
    exactly: at the last step rho_T = R_T).
    """
    roots = sp.Sum(sp.sqrt(q[i]), (i, 1, T))
    cost = R * sp.sqrt(q[T]) / roots  # 1/sigma_T^2
    rest = R - R * (roots - sp.sqrt(q[T])) / roots  # R_T
    return AtMost(cost, rest, strict=True)


@claim(
    PAPER,
    "alg-1-guard-corrected",
    at="Algorithm 1, line 2, corrected",
    kind="algorithm property",
    uses=["lemma-4.1"],
    standing="ours",
)
def guard_lets_the_schedule_of_lemma_4_1_through():
    """With the guard rho_t <= R_t every step t <= T of the schedule of Lemma 4.1 is taken, rho_t = R sqrt q_t
    / sum_{i<=T} sqrt q_i being at most R_t, which is R less the costs of the steps before. (T = t + u.)
    """
    u = sp.Symbol("u", integer=True, nonnegative=True)

    def roots(last):
        return sp.Sum(sp.sqrt(q[i]), (i, 1, last))

    return (
        Theorem(shows=AtMost(R * sp.sqrt(q[t]) / roots(t + u), R - R * roots(t - 1) / roots(t + u)))
        .have(AtMost(roots(t), roots(t + u)), "the later steps add to the sum")
        .have(Equal(roots(t), roots(t - 1) + sp.sqrt(q[t])), "the last of t terms")
    )


@claim(PAPER, "alg-1-t1", at="Algorithm 1, line 5", kind="identity")
def first_momentum_is_the_first_gradient():
    """m_2 = g_1: phi at t = 1 gives it whatever m_1 is, in every coordinate."""
    beta, k = sp.Symbol("beta", positive=True), sp.Symbol("t", integer=True, positive=True)
    m, g = sp.symbols("m_1 g_1", real=True)
    phi = (beta * (1 - beta ** (k - 1)) * m + (1 - beta) * g) / (1 - beta**k)
    return Equal(phi, g, given=[beta < 1, sp.Eq(k, 1)])


@claim(
    PAPER,
    "alg-1-batch",
    at="Algorithm 1, lines 1 and 4, n < N",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="alg-1-batch-corrected",
    breaks="misprint",
    standing="misprint",
)
def noise_over_n_records_covers_a_batch_mean():
    """A step on n < N gradients averages over n but adds noise G sigma_t/N (line 4): it is still 1/(2
    sigma_t^2)-zCDP when a record of the batch is zeroed, which moves the mean by up to G/n.

    A misprint that the paper puts right: Theorem 3.1 is about n = N, and where batches are drawn (Section
    4.3, "we replace N ... by n", and Appendix C.3) the noise is G sigma_t/n. Who codes line 4 as it stands
    adds N/n times too little.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    return Private(
        Gaussian(G * sigma / N, {ZERO_OUT: G / n}), ZCDP(1 / (2 * sigma**2)), ZERO_OUT, given=[n < N]
    )


@claim(
    PAPER,
    "alg-1-batch-corrected",
    at="Algorithm 1, lines 1 and 4, corrected",
    kind="privacy guarantee",
    uses=["lemma-b.2"],
    standing="ours",
)
def noise_over_the_batch_covers_a_batch_mean():
    """With noise G sigma_t/n on the mean of n gradients, a fixed batch is 1/(2 sigma_t^2)-zCDP when one of
    its records is zeroed.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    return Private(Gaussian(G * sigma / n, {ZERO_OUT: G / n}), ZCDP(1 / (2 * sigma**2)), ZERO_OUT)


def _algorithm_1(adjacency, moved, rho):
    """T adaptive releases of averaged gradients that a record moves by at most `moved`, with noise G
    sigma_t/N and the guard sum_t 1/sigma_t^2 <= R, are rho-zCDP under the relation.
    """
    sigma = sp.IndexedBase("sigma", positive=True)
    step = Gaussian(G * sigma[t] / N, {adjacency: moved})
    guard = sp.Le(sp.Sum(sigma[t] ** -2, (t, 1, T)), R)
    return Private(Repeated(step, t, 1, T), ZCDP(rho), adjacency, given=[guard])


@claim(
    PAPER,
    "thm-3.1-zeroout",
    at="Theorem 3.1, neighbours by Definition B.1",
    kind="privacy guarantee",
    uses=["def-b.1", "lemma-b.1", "lemma-b.2", "proof-3.1-chain-corrected"],
)
def algorithm_1_is_half_r_zcdp_if_a_record_is_zeroed():
    """Algorithm 1 is rho-zCDP with rho <= R/2 when neighbours differ by one sample contributing nothing and
    1/N is fixed (Definition B.1), the sigma_t being chosen without the data.
    """
    return _algorithm_1(ZERO_OUT, G / N, R / 2)


@claim(
    PAPER,
    "thm-3.1-replace",
    at="Theorem 3.1, neighbours as in section 3",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-3.1-replace-corrected",
    breaks="privacy",
)
def algorithm_1_is_half_r_zcdp_if_a_record_is_replaced():
    """Algorithm 1 is rho-zCDP with rho <= R/2 when neighbours "only differ in one sample" (section 3), that
    is by replacement.

    The case: T = 1, sigma_1^2 = 2/R, so that the guard rho_1 = R/2 < R_1 = R lets the step pass; a record
    with gradient G replaced by one with gradient -G (f(theta; x) = x theta, |x| <= G, G-Lipschitz).
    """
    divergence = order * (2 * G / N) ** 2 / (2 * (G / N) ** 2 * (2 / R))
    return Instance(
        AtMost(divergence, order * R / 2, given=[order > 1]),
        let={
            "f(theta; x)": "x theta, |x| <= G",
            "T": "1",
            "sigma_1^2": "2/R",
            "records": "x_1 = G against x_1 = -G",
        },
        because="the averaged gradient moves by 2 G/N, and D_a of two Gaussians is a d^2/(2 s^2)",
    )


@claim(
    PAPER,
    "thm-3.1-replace-corrected",
    at="Theorem 3.1, by replacement, corrected",
    kind="privacy guarantee",
    uses=["lemma-b.1", "lemma-b.2"],
    standing="ours",
)
def algorithm_1_is_two_r_zcdp_if_a_record_is_replaced():
    """Under replacement Algorithm 1 is rho-zCDP with rho <= 2 R: the sensitivity is 2 G/N, and the cost four
    times as much.
    """
    return _algorithm_1(REPLACE, 2 * G / N, 2 * R)


@claim(
    PAPER,
    "thm-3.1-add-remove",
    at="Theorem 3.1, the average over the records present",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-3.1-add-remove-corrected",
    standing="ours",
)
def algorithm_1_is_half_r_zcdp_if_a_record_is_removed():
    """Algorithm 1 is rho-zCDP with rho <= R/2 when a record is removed and the average is over the records
    present (1/N, then 1/(N-1)).

    The case: T = 1, sigma_1^2 = 2/R (the guard has rho_1 = R/2 < R), gradients G and -G, N = 2; without the
    first the average is -G. The noise is that of N = 2.
    """
    moved = sp.Abs((G - G) / 2 - (-G))
    return Instance(
        AtMost(order * moved**2 / (2 * (G / 2) ** 2 * (2 / R)), order * R / 2, given=[order > 1]),
        let={
            "f(theta; x)": "x theta, |x| <= G",
            "T": "1",
            "sigma_1^2": "2/R",
            "records": "(G, -G) against (-G)",
        },
        because="the average moves by G = 2 G/N; the noise would also differ, G sigma/1 against G "
        "sigma/2, which only adds to the divergence",
    )


@claim(
    PAPER,
    "thm-3.1-add-remove-corrected",
    at="Theorem 3.1, add/remove, corrected",
    kind="privacy guarantee",
    uses=["thm-3.1-zeroout"],
    standing="ours",
)
def fixed_denominator_costs_half_r_under_add_remove():
    """With a public denominator N that does not follow the data, a record added or removed moves the query by
    at most G/N, and rho <= R/2.
    """
    return _algorithm_1(ADD_REMOVE, G / N, R / 2)


def _audit(pair_of):
    """An audit of Algorithm 1 with the schedule of Eq (7), T = 3, R = 0.3927, two records in [-1, 1], f =
    (theta - x)^2/2, against R/2-zCDP.
    """

    def run(effort: Effort) -> Result:
        import numpy as np

        from dpverify import Budget, audit
        from dpverify.algorithms.private_gd import private_gd
        from dpverify.problems import quadratic

        problem = quadratic([1.0], count=2, start=[0.0], radius=1.0)
        algorithm = private_gd(
            problem, clip=1.0, variances=schedules.dynamic(0.5, 3, schedules.PRINTED_R), steps=3
        )
        budget = Budget(runs=4 * effort.runs, alpha=1e-6, seed=effort.seed)
        return audit(
            algorithm, pair_of(np.array([[1.0], [0.0]])), ZCDP(schedules.PRINTED_R / 2), budget=budget
        )

    return run


@claim(
    PAPER,
    "thm-3.1-zeroout-audit",
    at="Theorem 3.1, an audit",
    kind="privacy guarantee",
    uses=["thm-3.1-zeroout"],
    expect=SUPPORTED,
    standing="ours",
)
def audit_of_algorithm_1_if_a_record_is_zeroed():
    """No event of the exact loss of its transcript breaks R/2-zCDP of Algorithm 1 (T = 3, R = 0.3927, N = 2)
    when one record is zeroed.
    """
    return Tested(
        "Algorithm 1 is R/2-zCDP for a zeroed record", _audit(lambda data: Neighbours.zero_out(data, 0))
    )


@claim(
    PAPER,
    "thm-3.1-replace-audit",
    at="Theorem 3.1, an audit",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-3.1-replace-corrected",
    standing="ours",
)
def audit_of_algorithm_1_if_a_record_is_replaced():
    """No event of the exact loss of its transcript breaks R/2-zCDP of Algorithm 1 (T = 3, R = 0.3927, N = 2)
    when the record 1 is replaced by -1.
    """
    return Tested(
        "Algorithm 1 is R/2-zCDP for a replaced record",
        _audit(lambda data: Neighbours.replace(data, 0, [-1.0])),
    )


@claim(
    PAPER,
    "thm-3.1-private-schedule",
    at="Theorem 3.1 with the T of Eq (7)",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-3.1-zeroout",
    standing="ours",
)
def schedule_computed_from_the_data_is_free():
    """Algorithm 1 with the T of Eq (7), which has f(theta_1) - f* of the private data in alpha, is (eps,
    delta)-DP for some eps and delta < 1, as R/2-zCDP would have it.

    The case f(theta; x) = |theta - x|^2/2 on the line, 2-smooth and PL with mu = 1, so kappa = 2; theta_1 =
    0, two records, G = R = 1. With x = (1, 1) the gap is 1/2 and Eq (7) says 7 steps; with x = (1, 0) it is
    1/8 and Eq (7) says 3. "T = 3", that three steps were taken, has the chance 1 against 0. (The guard of
    Algorithm 1 as printed would stop either run one step earlier: alg-1-guard.)
    """
    eps, delta = sp.symbols("epsilon delta", positive=True)
    here, there = sp.symbols("P_three P_other", nonnegative=True)  # chances of "three steps were taken"

    def steps(gap):
        return schedules.eq_7(sp.Integer(2), schedules.alpha_of(1, 1, 1, 2, 2, gap))

    return Instance(
        AtMost(here, sp.exp(eps) * there + delta, given=[delta < 1, sp.Eq(here, 1), sp.Eq(there, 0)]),
        let={
            "f(theta; x)": "(theta - x)^2/2, M = 2, mu = 1",
            "records": "(1, 0) against (1, 1)",
            "theta_1, G, R": "0, 1, 1",
        },
        meets=[Equal(steps(sp.Rational(1, 2)), 7), Equal(steps(sp.Rational(1, 8)), 3)],
        because="the number of steps is published, and differs between the neighbours",
    )


@claim(
    PAPER,
    "thm-3.1-output",
    at="Theorem 3.1 against EER",
    kind="algorithm property",
    uses=["thm-4.1"],
    expect=REFUTED,
    correction="thm-4.1",
    breaks="misprint",
    standing="misprint",
)
def bound_of_theorem_4_1_is_about_theta_t():
    """The output theta_T (a slip of the index) has the bound of Eq (3), E f(theta_T) - f* <= (gamma^T + R
    alpha sum_t gamma^(T-t) sigma_t^2)(f(theta_1) - f*).

    The case T = 1: theta_T = theta_1 is the start, of relative excess 1, and Eq (3) is gamma + alpha. It
    bounds theta_{T+1}, as EER has it.
    """
    return Instance(
        AtMost(sp.Integer(1), gamma + R * alpha * (1 / R), given=[gamma < 1]),
        let={"T": "1", "sigma_1^2": "1/R"},
        because="theta_T = theta_1: no step has been taken",
    )
