"""Section 3 and the start of section 4: definitions, Algorithm 1, Theorem 3.1, the excess risk and its
constants.

theta_{t+1} = theta_t - eta_t (grad_t + sigma_t G nu_t/N),  cost rho_t = 1/sigma_t^2,  R_{t+1} = R_t - rho_t
Eq (1), Algorithm 1
kappa = M/mu,  gamma = 1 - 1/kappa,  1/alpha = 2 R M N^2 (f(theta_1) - f*)/(D G^2)
Eq (2)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas import dynamic_noise as schedules
from dpverify.guarantees import ZCDP
from dpverify.language.expectations import E, gaussian
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import Vector, VectorSequence, inner, norm, norm2, total, vectors
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.relations import AtMost, Equal, Increasing, Instance, Tested
from dpverify.releases import Gaussian
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Result

t, i = step(), sp.Symbol("i", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
R, M, mu, alpha, kappa, gamma = sp.symbols("R M mu alpha kappa gamma", positive=True)
G, D, N = (
    sp.Symbol("G", positive=True),
    sp.Symbol("D", integer=True, positive=True),
    sp.Symbol("N", integer=True, positive=True),
)
order, sigma, shift = sp.symbols(
    "a sigma delta", positive=True
)  # Renyi order, noise multiplier, what one record moves
q = sp.IndexedBase("q", positive=True)


@claim(
    PAPER,
    "def-3.1",
    at="Definition 3.1",
    kind="definition",
    expect=REFUTED,
    correction="def-3.1-corrected",
    breaks="misprint",
    standing="misprint",
)
def linear_loss_is_lipschitz():
    """G-Lipschitz continuity: |f(y) - f(x)| <= G |y - x|^2 (as printed); it should hold of f(x) = G x, which
    has slope G everywhere.

    As printed only constants qualify (def-3.1-vacuous); a misprint, of the paper or of the scan.
    """
    h = sp.Symbol("h", positive=True)  # |y - x|
    return Instance(AtMost(G * h, G * h**2), let={"f(x)": "G x", "y - x": "h"}, because="|f(y) - f(x)| = G h")


@claim(PAPER, "def-3.1-vacuous", at="Definition 3.1, as printed", kind="inequality", standing="ours")
def squared_condition_forces_constants():
    """If |f(y) - f(x)| <= G |y - x|^2 for all x and y, then f(y) - f(x) <= G h^2/n for every whole n, h = |y
    -
    x|, by n equal parts of the segment: f is constant.

    F_k is f at x + (k-1)(y - x)/n, k = 1..n+1.
    """
    h = sp.Symbol("h", positive=True)
    n, k = (sp.Symbol(name, integer=True, positive=True) for name in "nk")
    F = sp.IndexedBase("F", real=True)
    each = AtMost(F[k + 1] - F[k], G * (h / n) ** 2)
    return (
        Theorem(given=[ForEvery(each, k, 1, n)], shows=AtMost(F[n + 1] - F[1], G * h**2 / n))
        .sum(each, (k, 1, n), "the condition on each of n parts of the segment")
        .have(Equal(sp.Sum(F[k + 1] - F[k], (k, 1, n)), F[n + 1] - F[1]), "it telescopes")
    )


@claim(PAPER, "def-3.1-corrected", at="Definition 3.1, corrected", kind="definition", standing="ours")
def lipschitz_bounds_the_gradient():
    """|f(y) - f(x)| <= G |y - x|: along the gradient g of an M-smooth f, at y = x + s g for any s > 0, this
    gives |g|^2 (1 - M s/2) <= G |g|, and so |g| <= G as s tends to 0, which is what the sensitivity uses.
    """
    s, f, x = sp.Symbol("s", positive=True), Function("f", smooth=M), Vector("x")
    g = f.gradient(x)
    return AtMost(norm2(g) * (1 - M * s / 2), G * norm(g), given=[f(x + s * g) - f(x) <= G * s * norm(g)])


@claim(PAPER, "def-3.2", at="Definition 3.2", kind="definition")
def quadratics_are_strongly_convex():
    """m-strong convexity: f(y) >= f(x) + grad f(x)'(y - x) + (m/2)|y - x|^2; f(x) = lam |x|^2/2 on R^D with
    curvature lam >= m has it.
    """
    x, y = vectors("x y")
    lam, m = sp.symbols("lam m", positive=True)
    return AtMost(
        lam / 2 * norm2(x) + lam * inner(x, y - x) + m / 2 * norm2(y - x),
        lam / 2 * norm2(y),
        given=[lam >= m],
    )


@claim(PAPER, "def-3.3", at="Definition 3.3", kind="definition")
def smoothness_is_the_descent_lemma():
    """M-smoothness: f(y) <= f(x) + grad f(x)'(y - x) + (M/2)|y - x|^2; f(x) = lam |x|^2/2 on R^D has it for
    every lam <= M, negative ones too. Of any M-smooth f, f(x - grad f(x)/M) <= f(x) - |grad f(x)|^2/(2M).

    As printed it is one-sided and does not bound the change of the gradient; Lemma B.5 uses that bound "by
    smoothness", and an M-smooth f is here one with an M-Lipschitz gradient.
    """
    x, y = vectors("x y")
    lam, f = sp.Symbol("lam", real=True), Function("f", smooth=M)
    g = f.gradient(x)
    return AllOf(
        AtMost(
            lam / 2 * norm2(y), lam / 2 * norm2(x) + lam * inner(x, y - x) + M / 2 * norm2(y - x), [lam <= M]
        ),
        AtMost(f(x - g / M), f(x) - norm2(g) / (2 * M)),
    )


@claim(PAPER, "def-3.4", at="Definition 3.4", kind="definition")
def gaussian_noise_meets_the_definition():
    """rho-zCDP: D_a(M(d), M(d')) <= rho a for all a > 1; Gaussian noise of sigma times the sensitivity meets
    it with rho = 1/(2 sigma^2), and no smaller rho will do at any order: D_a = a delta^2/(2 (delta sigma)^2).
    """
    rho = sp.Symbol("rho", positive=True)
    value = order * shift**2 / (2 * (shift * sigma) ** 2)
    return AllOf(
        Private(Gaussian(shift * sigma, {REPLACE: shift}), ZCDP(1 / (2 * sigma**2)), REPLACE),
        AtMost(1 / (2 * sigma**2), rho, given=[value <= rho * order]),
    )


@claim(PAPER, "sec3-ma-less-tight", at="Section 3", kind="inequality")
def moments_accountant_is_never_tighter_than_zcdp():
    """The moments accountant ("less tight for a smaller privacy budget"), with log moments lam (lam + 1) rho
    at orders lam and so epsilon = (lam + 1) rho + L/lam, L = ln(1/delta), is never below rho + 2 sqrt(rho L),
    the zCDP conversion; with the orders capped at 32, as usual, it is at least L/128 above once rho <=
    L/4096.

    The comparison is for Gaussian steps on the full batch.
    """
    lam, rho, L = sp.symbols("lambda rho L", positive=True)
    counted, best = (lam * (lam + 1) * rho + L) / lam, rho + 2 * sp.sqrt(rho * L)
    return AllOf(AtMost(best, counted), AtMost(L / 128, counted - best, given=[4096 * rho <= L, lam <= 32]))


@claim(PAPER, "sec3-step-cost", at="Section 3", kind="privacy guarantee", uses=["lemma-b.1", "lemma-b.2"])
def step_cost_is_half_of_one_over_sigma_squared():
    """T releases of queries of sensitivity 1, each chosen after the earlier ones, with noise N(0, sigma_t^2
    I), are rho-zCDP with rho = (1/2) sum_t 1/sigma_t^2: proportional to sum_t rho_t, rho_t = 1/sigma_t^2.
    """
    noise = sp.IndexedBase("sigma", positive=True)
    spent = sp.Sum(1 / noise[t] ** 2, (t, 1, T)) / 2
    return Private(Repeated(Gaussian(noise[t], {REPLACE: 1}), t, 1, T), ZCDP(spent), REPLACE)


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


@claim(PAPER, "def-eer", at="Section 4", kind="definition", uses=["thm-4.1"])
def eer_of_a_quadratic_is_within_erub():
    """EER = E f(theta_{T+1}) - f*, ERUB = its bound over f(theta_1) - f*. A step on f = lam |theta|^2/2 in
    R^D, mu <= lam <= M, keeps EER <= ERUB (f(theta_1) - f*): e = EER and bound = ERUB (f(theta_1) - f*)
    before it, and the exact EER after it is (1 - lam/M)^2 e + (lam/2) D (G/(MN))^2 sigma^2.
    """
    lam, first, s2 = sp.symbols("lam e_1 s2", positive=True)
    e, bound = sp.symbols("e bound", nonnegative=True)
    exact = (1 - lam / M) ** 2 * e + (lam / 2) * D * (G / (M * N)) ** 2 * s2
    a = schedules.alpha_of(D, G, R, M, N, first)
    after = (1 - mu / M) * bound + R * a * first * s2
    return AtMost(exact, after, given=[lam >= mu, lam <= M, e <= bound])


@claim(PAPER, "sc-implies-pl", at="Section 4", kind="inequality")
def strong_convexity_implies_pl():
    """If f is M-smooth, m-strong convexity implies the PL condition with mu = m: |grad f|^2 >= 2 m (f - f*),
    in R^D.
    """
    m, x = sp.Symbol("m", positive=True), Vector("x")
    f = Function("f", smooth=M, strongly_convex=m)
    return AtMost(2 * m * (f(x) - f.minimum), norm2(f.gradient(x)))


@claim(PAPER, "def-4.1", at="Definition 4.1", kind="definition")
def quadratics_meet_the_pl_condition():
    """PL: |grad f|^2 >= 2 mu (f - f*); f = lam |x|^2/2 with lam >= mu has it, where x may be a part of
    theta: in the other directions f is flat, and not strongly convex.
    """
    x, lam = Vector("x"), sp.Symbol("lam", positive=True)
    return AtMost(2 * mu * (lam * norm2(x) / 2), norm2(lam * x), given=[lam >= mu])


@claim(PAPER, "bernoulli", at="Theorem 4.1, hypotheses", kind="inequality", standing="ours")
def bernoulli_inequality():
    """1 + T x <= (1 + x)^T for whole T and x > 0."""
    x = sp.Symbol("x", positive=True)
    return AtMost(1 + T * x, (1 + x) ** T)


@claim(PAPER, "thm-4.1-growth", at="Theorem 4.1, hypotheses", kind="inequality", standing="ours")
def excess_grows_along_ascent():
    """An M-smooth f on R^D that meets the PL condition grows at least by the factor 1 + mu/M along theta +
    grad f(theta)/M, and f - f* <= G^2/(2 mu) wherever |grad f| <= G. After T steps of ascent f - f* is at
    least (1 + mu/M)^T times what it was: h_t = K - (f(theta_t) - f*), h_{T+1} <= K - (1 + mu/M)^T (K - h_1),
    for any K.
    """
    f, theta = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("theta")
    h, K, rate = sp.IndexedBase("h", real=True), sp.Symbol("K", positive=True), 1 + mu / M
    excess = f(theta) - f.minimum
    run = Iterates(h, K - excess, [theta], [theta + f.gradient(theta) / M], [], t, 1, T)
    return AllOf(
        AtMost(excess, G**2 / (2 * mu), given=[norm(f.gradient(theta)) <= G]),
        Theorem(given=[run, mu <= M], shows=AtMost(h[T + 1], K - rate**T * (K - h[1])))
        .descend(run, rate, -K * mu / M, "PL, and the lemma of ascent")
        .unroll(h[t], rate, -K * mu / M, (t, 1, T), "T steps")
        .have(
            Equal(sp.Sum(rate ** (T - t) * (-K * mu / M), (t, 1, T)), -K * (rate**T - 1)), "a geometric sum"
        ),
    )


@claim(
    PAPER,
    "thm-4.1-satisfiable",
    at="Theorem 4.1, hypotheses",
    kind="inequality",
    uses=["thm-4.1-growth", "bernoulli"],
    standing="ours",
)
def no_loss_on_all_of_space_is_lipschitz_and_pl():
    """For every e > 0 and every whole T with T >= G^2 M/(2 mu^2 e), (1 + mu/M)^T e > G^2/(2 mu). So, by
    thm-4.1-growth, an f on all of R^D that is smooth, G-Lipschitz and meets the PL condition is nowhere above
    f*: it is constant, and Theorem 4.1 as printed is about no other.

    Its proof does not need G to bound the gradients: G is there the scale of the noise, and clipping bounds
    the sensitivity (thm-4.1 is proved without it).
    """
    e = sp.Symbol("e", positive=True)
    return Theorem(
        given=[2 * mu**2 * e * T >= G**2 * M],
        shows=AtMost(G**2 / (2 * mu), (1 + mu / M) ** T * e, strict=True),
    ).use("bernoulli", "with x = mu/M", x=mu / M)


@claim(PAPER, "eq-2-alpha", at="Eq (2)", kind="identity", standing="definition")
def alpha_times_the_first_gap():
    """alpha = D G^2/(2 R M N^2 (f(theta_1) - f*)): then alpha (f(theta_1) - f*) is the noise of one step at
    sigma^2 = 1/R, (M/2) E|G sigma nu/(M N)|^2, nu being standard normal in R^D.
    """
    gap, alpha, sigma = sp.symbols("gap alpha sigma", positive=True)
    noise = G / (M * N) * gaussian("nu", sigma, D)
    named = [sp.Eq(alpha, schedules.alpha_of(D, G, R, M, N, gap)), sp.Eq(sigma, 1 / sp.sqrt(R))]
    return Equal(M / 2 * E(norm2(noise)), alpha * gap, given=named)


@claim(PAPER, "eq-2-range", at="Below Eq (2)", kind="inequality", uses=["def-3.3", "def-4.1"])
def kappa_is_at_least_one():
    """kappa = M/mu >= 1 and gamma = 1 - 1/kappa in [0, 1), where f is somewhere above f*: M-smoothness gives
    |grad|^2 <= 2 M (f - f*), PL gives >= 2 mu (f - f*).
    """
    f, x = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("x")
    excess, square = f(x) - f.minimum, norm2(f.gradient(x))
    return AllOf(
        Theorem(given=[excess > 0], shows=AtMost(mu, M))
        .have(AtMost(2 * mu * excess, square), "PL")
        .have(AtMost(square, 2 * M * excess), "f* <= f(x - grad/M) <= f(x) - |grad|^2/(2M)"),
        AtMost(0, 1 - mu / M, given=[mu <= M]),
        AtMost(1 - mu / M, 1, strict=True),
    )


@claim(PAPER, "eq-2-trends", at="Below Eq (2)", kind="monotonicity", uses=["eq-2-alpha"])
def one_over_alpha_grows_with_samples_and_budget():
    """1/alpha = 2 R M N^2 (f(theta_1) - f*)/(D G^2) grows with the number of samples N and with the budget
    R.
    """
    gap = sp.Symbol("gap", positive=True)
    inverse = 2 * R * M * N**2 * gap / (D * G**2)
    return AllOf(Increasing(inverse, N, strict=True), Increasing(inverse, R, strict=True))
