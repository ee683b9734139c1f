"""Section 4.1: Nesterov's method with noise, the Lyapunov function that contracts, and the best split of the
budget.

    V_t = F(x_t) - F* + (mu/2) |v_t - x*|^2,   v_t = x_{t-1} + (x_t - x_{t-1})/s,   s = sqrt(mu alpha):   E
    V_{t+1} <= (1-s) E V_t + noise
    b_t = S1 sum_j a_j^(1/3) / (a_t^(1/3) n eps)
    Eq (4.5)

Products of vectors stand for inner products: every step is linear in the Gram matrix, so one coordinate shows
them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import (
    inner_epsilon,
    momentum_of,
    nag_weights,
    noise_scale,
    optimal_epsilons,
    optimal_scales,
    printed_nag_scale,
    sampling_variance,
    step_loss,
)
from dpverify.guarantees import PureDP
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import inner, norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Induction, Instance, Minimises, Tested
from dpverify.releases import Laplace, Subsampled
from dpverify.schedules import Schedule, step
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import EQ_3_4, EQ_3_5, dp_shb, epsilon_0, small_pair
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

t, j = step(), sp.Symbol("j", integer=True, positive=True)
n, m, T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T", "d"))
eps, S, alpha, mu, L = sp.symbols("epsilon S alpha mu L", positive=True)
s = sp.Symbol("s", positive=True)  # sqrt(mu alpha)
a = sp.IndexedBase("a", positive=True)
b = sp.Symbol("b", positive=True)
root = sp.Rational(1, 3)
half, quarter = sp.Rational(1, 2), sp.Rational(1, 4)


def expected_error(curvature: Any, size: Any, modulus: Any, scales: Sequence[Any]) -> Any:
    """E F(x_T) - F*, exactly, of (4.1) on F = curvature x^2/2 from x_0 = x_{-1} = 1, with Laplace scales
    b_1..b_T.
    """
    beta = momentum_of(sp.sympify(modulus), sp.sympify(size))
    kept = 1 - size * curvature
    matrix = sp.Matrix([[(1 + beta) * kept, -beta * kept], [1, 0]])
    moment = sp.ones(2, 2)
    for scale in scales:
        moment = matrix * moment * matrix.T + sp.Matrix([[2 * size**2 * scale**2, 0], [0, 0]])
    return sp.simplify(curvature * moment[0, 0] / 2)


FLAT = {
    "F": "x^2/2, f(x; y) = x^2/2 - y x, |y| <= 1",
    "mu, L": "1, 4",
    "alpha": "1/4",
    "x_0": "1",
    "d": "1",
}  # curvature mu, not L


@claim(
    PAPER,
    "eq-4.1-b",
    at="Eq (4.1), b = S_1/(n eps_0), with batches (Section 5)",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="eq-4.1-b-corrected",
    breaks="privacy",
)
def scale_of_dp_nag_spends_eps_over_t():
    """DP-NAG with b = S_1/(n eps_0), eps_0 from (3.5), on batches of any m <= n, as Section 5 runs it (m =
    1000), spends eps/T per step. (True for m = n only: eq-4.1-b-whole.)
    """
    printed = printed_nag_scale(eps / T, S, m, n)
    return AtMost(step_loss(printed, S, m, n), eps / T, given=[m <= n, T <= 2, n <= 10])


@claim(PAPER, "eq-4.1-b-whole", at="Eq (4.1), b = S_1/(n eps_0), m = n", kind="privacy guarantee")
def scale_of_dp_nag_on_the_whole_data_set():
    """DP-NAG as (4.1) shows it, with the full gradient, so m = n in (3.5): T steps with Laplace noise of
    scale b = S_1/(n eps_0) are eps-DP for a replaced record.
    """
    printed = S / (n * epsilon_0)
    return Private(
        Repeated(Laplace(printed, {REPLACE: S / n}), t, 1, T),
        PureDP(eps),
        REPLACE,
        given=[sp.Eq(m, n), EQ_3_5],
    )


@claim(
    PAPER,
    "eq-4.1-b-full",
    at="Eq (4.1), with the full gradient it prints",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="eq-4.1-b-corrected",
    standing="ours",
)
def full_gradient_with_the_printed_scale_spends_eps_over_t():
    """If (4.1) were run with the full gradient that it shows, and b = S_1/(n eps_0) with an m < n in (3.5), a
    step would spend eps/T (it spends eps_0 > eps/T).
    """
    printed = printed_nag_scale(eps / T, S, m, n)
    return AtMost(step_loss(printed, S, n, n), eps / T, given=[m <= n, T <= 2, n <= 10])


@claim(
    PAPER,
    "eq-4.1-b-audit",
    at="Eq (4.1), audited with batches",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="eq-4.1-b-corrected",
    standing="ours",
)
def audit_does_not_refute_dp_nag_as_printed():
    """DP-NAG with the printed scale on batches (T = 3, m = 2 of n = 4) is 1-DP: an audit finds no event
    against it.
    """

    def run(effort: Effort) -> Result:
        from dpverify import Budget, PureDP, audit
        from dpverify.algorithms.dp_nag import dp_nag

        problem, pair = small_pair()
        scales = Schedule(float(printed_nag_scale(1 / 3, 2.0, 2, 4)))
        algorithm = dp_nag(problem, clip=1.0, scales=scales, steps=3, step_size=0.5, mu=0.5, batch=2)
        budget = Budget(runs=3 * effort.runs, alpha=1e-6, seed=effort.seed)
        return audit(algorithm, pair, PureDP(1.0), budget=budget, rungs=("statistics",), smaller=False)

    return Tested("P(E) <= e P'(E) for the events that an audit finds", run)


@claim(
    PAPER,
    "eq-4.1-b-corrected",
    at="Eq (4.1), b = S_1/(m eps_0)",
    kind="privacy guarantee",
    uses=["eq-3.3", "thm-a.2"],
    standing="ours",
)
def scale_s_over_m_eps0_keeps_the_budget_of_dp_nag():
    """With b = S_1/(m eps_0) DP-NAG is eps-DP, and its worst step spends exactly eps/T, for every m <= n. The
    printed scale S_1/(n eps_0) is m/n times this one: the same for m = n, else too small.
    """
    printed = sp.Symbol("b_printed", positive=True)
    return AllOf(
        dp_shb(),  # the gradients of DP-NAG are released in the same way, at z_t for x_t
        Equal(step_loss(b, S, m, n), eps / T, given=[EQ_3_5, EQ_3_4]),
        Equal(printed, m / n * b, given=[EQ_3_5, EQ_3_4, sp.Eq(printed, S / (n * epsilon_0))]),
    )


@claim(
    PAPER,
    "eq-4.2",
    at="Theorem 4.1, Eq (4.2)",
    kind="inequality",
    expect=REFUTED,
    correction="eq-4.2-corrected",
    breaks="theorem",
)
def function_values_of_noisy_nag_contract_by_1_minus_s():
    """E_t <= (1 - sqrt(mu alpha)) E_{t-1} + alpha (1 + alpha L)(b_t^2 d + sigma_s^2/2), with E_t = E F(x_t) -
    F* itself.
    """
    scale = sp.Rational(1, 10)
    after = expected_error(1, quarter, 1, [scale])
    bound = half * half + quarter * 2 * scale**2
    let = FLAT | {"T": "1", "m = n": "20", "eps": "1", "b_1 = S_1/(n eps)": "1/10"}
    return Instance(
        AtMost(after, bound),
        let=let,
        meets=[AtMost(quarter, 1 / sp.Integer(4)), Equal(noise_scale(1, sp.Integer(2), 20, 20), scale)],
        because="one step multiplies x by 1 - alpha = 3/4, so F by 9/16; 1 - sqrt(mu alpha) = 1/2 is less",
    )


@claim(
    PAPER,
    "eq-4.2-index",
    at="Theorem 4.1, Eq (4.2), the index of b",
    kind="inequality",
    expect=REFUTED,
    correction="eq-4.2-corrected",
    breaks="misprint",
    standing="misprint",
)
def noise_of_step_t_enters_the_error_at_t():
    """(4.2) bounds E_t, t >= 1, with the noise b_t. By (4.1) x_t is made with eta_{t-1}, of scale b_{t-1}.
    (Counted from 1, as in (4.4), the steps have b_1..b_T.)

    The case F = x^2/2, mu = L = alpha = 1, so that beta = 0 and x_1 = -eta_0: E_1 = b_0^2; t = 1, m = n.
    """
    first, second = sp.symbols("b_0 b_1", positive=True)
    return Instance(
        AtMost(first**2, 2 * second**2),
        let={"F": "x^2/2", "mu, L, alpha": "1, 1, 1", "d": "1", "t": "1", "m": "n"},
        because="Laplace(b_0) has variance 2 b_0^2; the bound is (1 - 1) E_0 + 2 b_1^2",
    )


def nesterov_step(variance: Any) -> tuple[Any, Any, Any, Any, Any]:
    """(x, v), the next (x, v), F, where the gradient is taken, and the noise of a step of (4.1), mu =
    s^2/alpha.

    v = x_{t-1} + (x_t - x_{t-1})/s, so that z_t = (x_t + s v_t)/(1 + s).
    """
    F = Function("F", smooth=L, strongly_convex=s**2 / alpha)
    now, lead = vectors("x v")
    noise = Noise("nu", variance=variance)
    z = (now + s * lead) / (1 + s)
    after = z - alpha * (F.gradient(z) + noise)
    return [now, lead], [after, now + (after - now) / s], F, z, noise


def error_of_noisy_nag(second_moment: Any, added: Any) -> Theorem:
    """E F(x_T) - F* <= 2 (1-s)^T (F(x_0) - F*) + sum_t (1-s)^(T-t) added, for noise of this second moment at
    step t; added is (alpha/2)(1 + alpha L) times it.
    """
    V, e = (sp.IndexedBase(name, nonnegative=True) for name in "Ve")
    (now, lead), after, F, z, noise = nesterov_step(second_moment)
    value = F(now) - F.minimum + s**2 / alpha / 2 * norm2(lead - F.minimiser)
    run = Iterates(V, value, [now, lead], after, [noise], t, 1, T)
    error = Iterates(e, F(now) - F.minimum, [now, lead], after, [noise], t, 1, T)
    facts = [F.descent(z, after[0]), F.strong_convexity(z, now), F.strong_convexity(z, F.minimiser)]
    total = sp.Sum((1 - s) ** (T - t) * added, (t, 1, T))
    return (
        Theorem(
            given=[run, error, s <= 1, alpha * L <= 1, V[1] <= 2 * e[1]],
            shows=AtMost(e[T + 1], 2 * (1 - s) ** T * e[1] + total),
        )
        .descend(run, 1 - s, added, "the Lyapunov function contracts", by=facts)
        .descend(error, 0, 0, "the error is a part of it", later=[(run, 1)])
        .unroll(V[t], 1 - s, added, (t, 1, T), "T steps")
        .at(ForEvery(AtMost(e[t + 1], V[t + 1]), t, 1, T), T, "the last step")
        .use("bound-nag-ends", "the two ends", q=1 - s, V_0=V[1], E_0=e[1], V_T=V[T + 1], rest=total)
    )


@claim(
    PAPER,
    "eq-4.2-corrected",
    at="Theorem 4.1, in its Lyapunov form",
    kind="inequality",
    standing="ours",
)
def lyapunov_function_of_noisy_nag_contracts_by_1_minus_s():
    """V_t = F(x_t) - F* + (mu/2)|v_t - x*|^2, mu = s^2/alpha: E V_t <= (1 - s) V_{t-1} + (alpha/2)(1 + alpha
    L) E|w_t|^2 from any state, for F in S_{mu,L}, alpha <= 1/L, s <= 1. Here v = x_{t-1} + (x_t - x_{t-1})/s,
    and z_t of (4.1) is (x_t + s v_t)/(1 + s).
    """
    W = sp.Symbol("W_t", nonnegative=True)  # E|w_t|^2
    (now, lead), (after, next_lead), F, z, noise = nesterov_step(W)
    x, p = vectors("x_t x_before")
    beta, half_mu = (1 - s) / (1 + s), s**2 / alpha / 2
    mean = (x + s * (p + (x - p) / s)) / (1 + s)
    value = F(now) - F.minimum + half_mu * norm2(lead - F.minimiser)
    fall = F.descent(z, after)
    one, other = F.strong_convexity(z, now), F.strong_convexity(z, F.minimiser)
    below = F(now) * (1 - s) + s * F.minimum
    slopes = (1 - s) * inner(F.gradient(z), now - z) + s * inner(F.gradient(z), F.minimiser - z)
    bends = (1 - s) * half_mu * norm2(now - z) + s * half_mu * norm2(F.minimiser - z)
    step_of_v = (
        Theorem(
            given=[s <= 1, alpha * L <= 1],
            shows=AtMost(
                E(F(after), noise) - F.minimum + half_mu * E(norm2(next_lead - F.minimiser), noise),
                (1 - s) * value + alpha / 2 * (1 + alpha * L) * W,
            ),
        )
        .expect(AtMost(fall.lhs, fall.rhs), [noise], "the descent lemma at z_t")
        .have(
            AtMost(F(z) + slopes + bends, below, multipliers=[(one, 1 - s), (other, s)]),
            "strong convexity at x_t and at x*, weighted by 1 - s and s",
        )
    )
    return AllOf(Equal(norm2((1 + beta) * x - beta * p - mean), 0), step_of_v)


@claim(
    PAPER,
    "eq-4.2-note",
    at="after Eq (4.2)",
    kind="inequality",
    expect=REFUTED,
    correction="eq-4.2-note-corrected",
    breaks="text",
)
def covariance_of_the_estimator_is_at_most_b_squared_plus():
    """b_t^2 + (S_1^2/m)(n-m)/(n-1) bounds the norm of the covariance of the gradient estimator, and is b_t^2
    when m = n.
    """
    return AtMost(2 * b**2, b**2 + S**2 / m * (n - m) / (n - 1), given=[n >= 2, sp.Eq(m, n)])


@claim(
    PAPER,
    "eq-4.2-note-corrected",
    at="after Eq (4.2)",
    kind="inequality",
    uses=["eq-3.1-var", "eq-3.13"],
    standing="ours",
)
def covariance_of_the_estimator_is_at_most_two_b_squared_plus_sigma_s():
    """The covariance of the estimator, 2 b_t^2 I plus that of the batch, is at most 2 b_t^2 + sigma_s^2 in
    norm if that of the batch is at most sigma_s^2; for m = n this is 2 b_t^2.
    """
    c = sp.Symbol("c", nonnegative=True)
    level = sampling_variance(S, m, n)
    return AllOf(
        AtMost(2 * b**2 + c, 2 * b**2 + level, given=[c <= level, n >= 2]),
        Equal(2 * b**2 + level, 2 * b**2, given=[n >= 2, sp.Eq(m, n)]),
    )


@claim(
    PAPER,
    "eq-4.2-trace",
    at="Eq (4.2), the term sigma_s^2/2",
    kind="inequality",
    expect=SUPPORTED,
    uses=["eq-b.2"],
)
def trace_of_the_sampling_covariance_is_at_most_sigma_s():
    """(4.2) needs E|v_t|^2 = tr Cov(v_t) <= sigma_s^2, (3.13) is for the norm: the total variance of a set of
    L1 diameter S is at most S^2/4.
    """
    import numpy as np

    def run(effort: Effort) -> Result:
        worst, count = 0.0, 0
        for seed in np.random.SeedSequence(effort.seed).spawn(4):
            rng = np.random.default_rng(seed)
            for dimension in (2, 3, 5):
                points = rng.integers(-2, 3, (effort.runs, 6, dimension)) * rng.integers(
                    0, 2, (effort.runs, 6, dimension)
                )
                weights = rng.dirichlet(np.ones(6), effort.runs)
                spread = np.abs(points[:, :, None] - points[:, None]).sum(-1).max((1, 2))
                centred = points - np.einsum("rk,rkd->rd", weights, points)[:, None]
                variance = np.einsum("rk,rkd->r", weights, centred**2)
                worst = max(worst, float(np.max(variance / np.maximum(spread, 1) ** 2)))
                count += effort.runs
        if worst > 0.25 + 1e-9:
            return Result(UNDECIDED, f"six weighted points have total variance {worst:.4f} S^2 > S^2/4")
        ceiling = (
            "weighted sets of six points with small integer coordinates in d = 2, 3, 5; proved for d "
            "= 1, and up to a factor 2 for every d"
        )
        return Result(
            SUPPORTED,
            f"at most {worst:.4f} S^2",
            Evidence("random search", samples=count, seed=effort.seed, ceiling=ceiling),
        )

    return Tested("the total variance of a set of L1 diameter S is at most S^2/4", run)


@claim(
    PAPER,
    "eq-4.2-trace-corrected",
    at="Eq (4.2), the term sigma_s^2/2",
    kind="inequality",
    uses=["eq-b.2"],
    standing="ours",
)
def trace_of_the_sampling_covariance_is_at_most_twice_sigma_s():
    """tr Cov(v_t) <= 2 sigma_s^2 in every dimension: in each coordinate the variance over the records is half
    the mean squared distance of two of them; so, q being the mean squared Euclidean distance, at most S^2,
    the trace q/2 (1/m)(n-m)/(n-1) of (B.2) is at most 2 sigma_s^2.
    """
    g, total = sp.IndexedBase("g", real=True), sp.Symbol("q", nonnegative=True)
    i = sp.Symbol("i", integer=True, positive=True)
    variance = sp.Sum(g[i] ** 2, (i, 1, n)) / n - (sp.Sum(g[i], (i, 1, n)) / n) ** 2
    distances = sp.Sum(sp.Sum((g[i] - g[j]) ** 2, (i, 1, n)), (j, 1, n)) / n**2
    return AllOf(
        Equal(variance, distances / 2),
        AtMost(
            total / 2 / m * (n - m) / (n - 1),
            2 * sampling_variance(S, m, n),
            given=[total <= S**2, m <= n, n >= 2],
        ),
    )


@claim(PAPER, "eq-4.3-unroll", at="display before Eq (4.3)", kind="identity")
def recursion_4_2_unrolls_to_a_geometric_sum():
    """E_t <= (1-s) E_{t-1} + c_t for every t gives E_T <= (1-s)^T E_0 + sum_t (1-s)^(T-t) c_t (as an
    implication; its premise is eq-4.2).
    """
    error, c = (sp.IndexedBase(name, nonnegative=True) for name in "Ec")
    recursion = ForEvery(AtMost(error[t], (1 - s) * error[t - 1] + c[t]), t, 1, T)
    bound = (1 - s) ** T * error[0] + sp.Sum((1 - s) ** (T - t) * c[t], (t, 1, T))
    return Theorem(given=[s <= 1, recursion], shows=AtMost(error[T], bound)).unroll(
        error[t - 1], 1 - s, c[t], (t, 1, T), "from t = T back to t = 0"
    )


@claim(
    PAPER,
    "eq-4.3",
    at="Eq (4.3), a_{T,0} = (1-s)^T",
    kind="inequality",
    expect=REFUTED,
    correction="eq-4.3-corrected",
    breaks="theorem",
)
def error_of_nag_is_at_most_1_minus_s_to_the_t():
    """E_T <= a_{T,0} E_0 + sum_t a_{T,t} (b_t^2 d + sigma_s^2/2) with a_{T,0} = (1 - sqrt(mu alpha))^T."""
    scale, size = sp.Rational(1, 10), sp.Rational(1, 16)
    weights = nag_weights(1, 16, size, 2).formula
    bound = (3 * quarter) ** 2 * half + sum(weights.subs(t, k) * scale**2 for k in (1, 2))
    let = FLAT | {
        "mu, L": "1, 16",
        "alpha": "1/16",
        "T": "2",
        "m = n": "40",
        "eps": "1",
        "b_1 = b_2 = T S_1/(n eps)": "1/10",
    }
    return Instance(
        AtMost(expected_error(1, size, 1, [scale, scale]), bound),
        let=let,
        meets=[Equal(noise_scale(half, 2, 40, 40), scale)],
    )


@claim(
    PAPER,
    "eq-4.3-corrected",
    at="Eq (4.3), a_{T,0} = 2 (1-s)^T",
    kind="inequality",
    uses=["bound-nag-start", "bound-nag-ends"],
    standing="ours",
)
def error_of_nag_is_at_most_twice_1_minus_s_to_the_t():
    """E_T <= 2 (1-s)^T E_0 + sum_t (1-s)^(T-t) alpha (1 + alpha L)(b_t^2 d + tau_t/2), for x_{-1} = x_0 and
    tau_t = tr Cov(v_t): e[t] is E F(x) - F* before step t, and V[t] that of F(x) - F* + (mu/2)|v - x*|^2,
    which is at most 2 e[1] at the start, where v = x (bound-nag-start).
    """
    scales, traces = sp.IndexedBase("b", positive=True), sp.IndexedBase("tau", nonnegative=True)
    added = alpha * (1 + alpha * L) * (d * scales[t] ** 2 + traces[t] / 2)
    return error_of_noisy_nag(2 * d * scales[t] ** 2 + traces[t], added)


@claim(
    PAPER,
    "eq-4.3-run",
    at="Eq (4.3), with a_{T,0} doubled",
    kind="inequality",
    expect=SUPPORTED,
    uses=["eq-4.3-corrected"],
    standing="ours",
)
def exact_error_of_dp_nag_stays_below_the_corrected_bound():
    """On a quadratic with kappa = 10 the exact E F(x_T) - F* of DP-NAG is below the corrected bound, for T =
    1..40.
    """

    def run(effort: Effort) -> Result:
        from dpverify.symbolic.dp_accel.runs import exact_error_below

        return exact_error_below("dp-nag", (1, 2, 5, 10, 20, 40), lambda case: case.bound.value)

    return Tested("E F(x_T) - F* <= bound at T = 1, 2, 5, 10, 20, 40", run)


@claim(
    PAPER,
    "eq-4.3-logit",
    at="Eq (4.3), with a_{T,0} doubled, Monte Carlo",
    kind="inequality",
    expect=SUPPORTED,
    uses=["eq-4.3-corrected"],
    standing="ours",
)
def error_of_dp_nag_on_logistic_regression_stays_below_the_corrected_bound():
    """On the logistic regression of Section 5 (c = 1, m = n) the mean error of DP-NAG at T = 20, 50, 100 is
    below the corrected bound.
    """

    def run(effort: Effort) -> Result:
        from dpverify.formulas.dp_accel import nag_bound, one_stage
        from dpverify.montecarlo import mean_at_least
        from dpverify.symbolic.dp_accel import runs as section5

        place = section5.setting(250)
        L, told = place.smoothness, []
        gap = float(place.problem.excess(place.problem.start[None], place.problem.load(place.data))[0])
        for steps in (20, 50, 100):
            scales = section5.steps_and_scales("DP-NAG", steps, 1.0, section5.RECORDS, place)[1]
            bound = nag_bound(
                one_stage(1 / L, steps),
                scales,
                steps,
                section5.MU,
                L,
                dimension=section5.DIMENSION,
                gap=gap,
                sampling=0.0,
            )
            errors = section5.traces(
                "DP-NAG", steps, 1.0, runs=200, seed=effort.seed, distinct=250, every_step=False
            ).values["excess"]
            if mean_at_least(errors, 1e-6) > bound:
                return Result(
                    UNDECIDED,
                    f"at T = {steps} the mean error is at least "
                    f"{mean_at_least(errors, 1e-6):.3g}, above the bound {bound:.3g}",
                )
            told.append(f"T = {steps}: {errors.mean():.3g} against {bound:.3g}")
        ceiling = (
            "a mean error above the bound, by a lower confidence bound on the mean at 1e-6; one data set"
        )
        return Result(
            SUPPORTED,
            "; ".join(told),
            Evidence("Monte Carlo", alpha=3e-6, samples=200, seed=effort.seed, ceiling=ceiling),
        )

    return Tested("E F(x_T) - F* <= bound at T = 20, 50, 100", run)


@claim(PAPER, "eq-4.3-a", at="after Eq (4.3), t >= 1", kind="identity")
def weight_of_step_t_is_the_product_of_later_contractions():
    """The factor of (b_t^2 d + sigma_s^2/2) in (4.3) is a_{T,t} = (1 - sqrt(mu alpha))^(T-t) alpha (1 + alpha
    L): the noise of a step enters with alpha (1 + alpha L), and each of the k = T - t steps after it
    multiplies this by 1 - sqrt(mu alpha).
    """
    k, x = sp.Symbol("k", integer=True, nonnegative=True), sp.Symbol("x", real=True)
    weight = nag_weights(mu, L, alpha, T).formula.subs(T, t + k)
    first, kept = alpha * (1 + alpha * L), 1 - sp.sqrt(mu * alpha)
    after = Equal(x, weight, given=[mu * alpha < 1])
    return Induction(after, value=x, over=k, start=0, first=first, next=kept * x)


@claim(PAPER, "eq-4.4", at="Eq (4.4)", kind="optimality")
def minimising_the_bound_over_scales_is_minimising_the_weighted_squares():
    """Minimising (4.3) over b_1..b_T on the budget is minimising sum_t a_{T,t} b_t^2 on it."""
    first, E0, sampling = sp.symbols("a_0 E_0 sigma_s", positive=True)
    bs = sp.IndexedBase("b", positive=True)
    bound = first * E0 + sp.Sum(a[t] * (bs[t] ** 2 * d + sampling**2 / 2), (t, 1, T))
    rest = first * E0 + sampling**2 / 2 * sp.Sum(a[t], (t, 1, T))
    return Equal(bound - d * sp.Sum(a[t] * bs[t] ** 2, (t, 1, T)), rest)


@claim(PAPER, "eq-4.4-convex", at="after Eq (4.4)", kind="optimality", uses=["eq-3.3"])
def subsampled_split_is_a_strictly_convex_problem():
    """For m < n the problem "needs a numerical solution": b_t = S/(m h), h = ln(1 + (n/m)(e^e - 1)), is the
    scale that loses e = eps_t, and every term 1/h^2 of the objective is strictly convex in e (with q = n/m >=
    1), so that the solution is unique on sum eps_t = eps.
    """
    q, e, k, h1 = sp.symbols("q e k h", positive=True)  # n/m; k and h1 stand for e^e > 1 and h(e) > 0
    scale = [sp.Eq(h1, inner_epsilon(e, m, n)), sp.Eq(b, S / (m * h1))]
    h = sp.log(1 + q * (sp.exp(e) - 1))
    top = 1 + q * (k - 1)
    second = 6 * (q * k / top) ** 2 / h1**4 - 2 * (q * k * (1 - q) / top**2) / h1**3
    return AllOf(
        Equal(step_loss(b, S, m, n), e, given=scale),
        Equal(sp.Derivative(1 / h**2, (e, 2)), second.subs({k: sp.exp(e), h1: h}), given=[q >= 1]),
        AtMost(0, second, given=[q >= 1, k > 1], strict=True),
    )


@claim(
    PAPER,
    "eq-4.4-exact",
    at="after Eq (4.4), solved",
    kind="optimality",
    expect=SUPPORTED,
    uses=["eq-4.4-convex"],
    standing="ours",
)
def bisection_beats_the_full_data_split_when_subsampling():
    """The split that solves (4.4) for m < n by bisection does at least as well as the split of Proposition
    4.2, and as 200 random ones.
    """
    import numpy as np

    def run(effort: Effort) -> Result:
        from dpverify.formulas.dp_accel import exact_epsilons

        steps, size, records = 30, 10, 1000
        weights = nag_weights(0.02, 1.0, 1.0, steps)
        found = exact_epsilons(weights, steps, 1.0, size, records).values(steps)
        guide = optimal_epsilons(weights, steps, 1.0).values(steps)
        rows = np.vstack([guide, np.random.default_rng(effort.seed).dirichlet(np.ones(steps) * 5, 200)])

        def cost(split: Any) -> Any:
            return (weights.values(steps) / np.log1p(records / size * np.expm1(split)) ** 2).sum(-1)

        best, others = float(cost(found)), cost(rows)
        if abs(found.sum() - 1) > 1e-9 or best > float(others.min()) * (1 + 1e-9):
            return Result(UNDECIDED, f"the split costs {best:.6g}, another one {others.min():.6g}")
        gain = float(others[0]) / best
        evidence = Evidence(
            "numeric",
            samples=len(rows),
            seed=effort.seed,
            ceiling="one set of weights, m/n = 1/100; rival splits on the same budget",
        )
        return Result(SUPPORTED, f"the split of Proposition 4.2 costs {gain:.3f} times as much", evidence)

    return Tested("cost(bisection) <= cost(any other split)", run)


@claim(PAPER, "prop-4.2", at="Proposition 4.2, Eq (4.5)", kind="optimality")
def cube_root_scales_are_the_only_minimiser():
    """For m = n, b_t = sum_j a_j^(1/3) S_1 / (a_t^(1/3) n eps) minimises sum_t a_t b_t^2 on sum_t S_1/(n b_t)
    = eps (and nothing else does), for every T and positive weights; the algorithms run this schedule.
    """
    return Minimises(
        a[t] * b**2,
        over=b,
        spent=S / (n * b),
        total=eps,
        at=optimal_scales(Schedule(a[t]), T, S, n, eps).formula,
        index=t,
        length=T,
        unique=True,
        value=(S / (n * eps)) ** 2 * sp.Sum(a[j] ** root, (j, 1, T)) ** 3,
    )


@claim(PAPER, "eps-t", at="after Proposition 4.2", kind="identity", uses=["prop-4.2"])
def optimal_scales_spend_in_proportion_to_cube_roots():
    """For m = n the scale b_t of (4.5) has the loss eps(S_1, b_t, n, m) = eps a_t^(1/3) / sum_j a_j^(1/3) =
    eps_t at step t (the split that the algorithms run), and these add up to eps.
    """
    roots = sp.Sum(a[j] ** root, (j, 1, T))
    scale = sp.Eq(b, roots * S / (a[t] ** root * n * eps))
    split = optimal_epsilons(Schedule(a[t]), T, eps).formula
    return AllOf(
        Equal(step_loss(b, S, m, n), split, given=[sp.Eq(m, n), scale]),
        Equal(sp.Sum(split, (t, 1, T)), eps),
    )


@claim(
    PAPER,
    "sec4.1-a-mono",
    at="after Proposition 4.2",
    kind="monotonicity",
    expect=REFUTED,
    correction="sec4.1-a-mono-corrected",
    breaks="text",
)
def weights_decrease_in_t():
    """a_{T,t} is decreasing in t."""
    weights = alpha * (1 + alpha * L) * (1 - s) ** (T - t)
    return AtMost(weights.subs(t, t + 1), weights, given=[s < 1, t < T, alpha * L <= 1, T <= 5])


@claim(
    PAPER,
    "sec4.1-a-mono-corrected",
    at="after Proposition 4.2",
    kind="monotonicity",
    standing="ours",
)
def weights_increase_in_t():
    """a_{T,t} < a_{T,t+1} for t < T, age being T - t - 1: the noise of later steps is forgotten less (the
    conclusion drawn from it is unchanged).
    """
    age = sp.Symbol("age", integer=True, nonnegative=True)
    weight = alpha * (1 + alpha * L)
    return AtMost(weight * (1 - s) ** (age + 1), weight * (1 - s) ** age, given=[s < 1], strict=True)


@claim(
    PAPER,
    "sec4.1-later",
    at="after Proposition 4.2",
    kind="monotonicity",
    uses=["eps-t", "sec4.1-a-mono-corrected"],
)
def later_steps_get_less_noise_and_more_budget():
    """The optimal noise starts high and decreases; a larger part of the budget is spent on later steps: where
    a_{T,t} < a_{T,t+1}, b_{t+1} < b_t of (4.5), and eps_t < eps_{t+1}.
    """
    total = sp.Sum(a[j] ** root, (j, 1, T))
    grows = [a[t] < a[t + 1]]
    return AllOf(
        AtMost(total * S / (n * eps * a[t + 1] ** root), total * S / (n * eps * a[t] ** root), grows, True),
        AtMost(a[t] ** root / total * eps, a[t + 1] ** root / total * eps, grows, True),
    )


@claim(
    PAPER,
    "sec4.1-uneven",
    at="Section 4, Section 6",
    kind="optimality",
    uses=["prop-4.2", "sec4.1-a-mono-corrected"],
)
def equal_parts_are_never_optimal():
    """Splitting the budget evenly over T >= 2 steps is not optimal: it costs (S_1/(n eps))^2 T^2 sum_t a_t,
    never less than the optimum with (sum_t a_t^(1/3))^3, and the only minimiser (4.5) is not even, as a_1 =
    (1-s)^(T-1) a_T < a_T.
    """
    whole = sp.Sum(a[t], (t, 1, T))
    return AllOf(
        Equal(sp.Sum(a[t] * (T * S / (n * eps)) ** 2, (t, 1, T)), (S / (n * eps)) ** 2 * T**2 * whole),
        AtMost(sp.Sum(a[t] ** root, (t, 1, T)) ** 3, T**2 * whole),
        AtMost((1 - s) ** (T - 1), 1, given=[s < 1, T >= 2], strict=True),
    )


@claim(
    PAPER,
    "eq-4.6",
    at="Remark 4.1, Eq (4.6)",
    kind="inequality",
    expect=REFUTED,
    correction="eq-4.6-corrected",
    breaks="theorem",
)
def optimised_bound_holds_with_the_printed_first_weight():
    """E_T <= a_{T,0} E_0 + (d S_1^2/(n^2 eps^2)) (sum_j a_{T,j}^(1/3))^3 with a_{T,0} = (1 - sqrt(mu
    alpha))^T.
    """
    weights = nag_weights(1, 4, quarter, 1).formula.subs(t, 1)
    scale = S / (n * eps)
    bound = half * half + scale**2 * weights
    let = FLAT | {"T": "1", "S_1": "2", "m": "n", "b_1": "S_1/(n eps)"}
    return Instance(
        AtMost(expected_error(1, quarter, 1, [scale]), bound, given=[sp.Eq(S, 2), sp.Eq(eps, 1)]), let=let
    )


@claim(
    PAPER,
    "eq-4.6-corrected",
    at="Remark 4.1, Eq (4.6), a_{T,0} doubled",
    kind="inequality",
    uses=["eq-4.3-corrected", "prop-4.2"],
    standing="ours",
)
def optimised_bound_holds_with_twice_the_first_weight():
    """If E_T <= 2 (1-s)^T E_0 + sum_t a_{T,t} b_t^2 d, as in (4.3) corrected for m = n, then with the scales
    (4.5) E_T <= 2 (1-s)^T E_0 + d (S_1/(n eps))^2 (sum_j a_{T,j}^(1/3))^3.
    """
    scales = optimal_scales(Schedule(a[t]), T, S, n, eps).formula
    first, last = sp.symbols("E_0 E_T", nonnegative=True)
    noise = sp.Sum(a[t] * scales**2 * d, (t, 1, T))
    optimum = d * S**2 / (n**2 * eps**2) * sp.Sum(a[j] ** root, (j, 1, T)) ** 3
    start = 2 * (1 - s) ** T * first
    return Theorem(given=[s < 1, last <= start + noise], shows=AtMost(last, start + optimum)).have(
        Equal(noise, optimum), "the scales (4.5)"
    )


@claim(PAPER, "rem-4.1", at="Remark 4.1", kind="optimality", uses=["eq-4.6-corrected"])
def best_number_of_steps_has_a_closed_form():
    """With r^3 = 1-s, sum_j a_{T,j}^(1/3) = k (1 - r^T)/(1-r), k^3 = alpha (1 + alpha L): the bound is e^2
    y^3 + g^2 (1-y)^3 at y = r^T, e^2 = 2 E_0, g^2 = d (S_1/(n eps))^2 k^3/(1-r)^3. It is least at y =
    g/(e+g), where T* = ln(1 + e/g)/ln(1/r), falls before T* and grows beyond: more steps degrade it.
    """
    r, k, y, e, g = sp.symbols("r k y e g", positive=True)
    before, beyond = sp.symbols("y_before y_beyond", positive=True)  # r^T before and beyond T*
    bound = e**2 * y**3 + g**2 * (1 - y) ** 3
    least = e**2 * g**2 / (e + g) ** 2
    best = sp.log(1 + e / g) / sp.log(1 / r)
    thirds = sp.Sum((r**3) ** ((T - t) / sp.Integer(3)) * k, (t, 1, T))
    return AllOf(
        Equal(thirds, k * (1 - r**T) / (1 - r), given=[r < 1]),
        AtMost(least, bound, given=[y <= 1]),
        Equal(bound.subs(y, g / (e + g)), least),
        Equal(sp.exp(best * sp.log(r)), g / (e + g), given=[r < 1]),
        AtMost(sp.diff(bound, y).subs(y, beyond), 0, given=[beyond < g / (e + g)], strict=True),
        AtMost(0, sp.diff(bound, y).subs(y, before), given=[before > g / (e + g), before <= 1], strict=True),
    )


@claim(PAPER, "rem-4.2", at="Remark 4.2", kind="asymptotic", uses=["eq-3.3"])
def loss_is_s_over_bn_up_to_the_factor_1_plus_s_over_bm():
    """For S/(bm) << 1, eps(S, b, n, m) ~ S/(bn): with z = S/(bm) and q = m/n, eps(S, b, n, m) = ln(1 + q(e^z
    - 1)) and S/(bn) = q z; where z <= 1, the first lies between q z and (1 + z) q z.
    """
    q, z = sp.symbols("q z", positive=True)
    loss, named = sp.log(1 + q * (sp.exp(z) - 1)), [sp.Eq(z, S / (b * m)), sp.Eq(q, m / n)]
    above = Theorem(given=[z <= 1, q <= 1], shows=AtMost(loss, (1 + z) * q * z)).calc(
        loss,
        ("<=", q * (sp.exp(z) - 1), "ln(1 + u) <= u"),
        ("<=", (1 + z) * q * z, "e^z - 1 <= z + z^2 for z <= 1"),
    )
    return AllOf(
        Equal(step_loss(b, S, m, n), loss, given=named),
        Equal(S / (b * n), q * z, given=named),
        AtMost(q * z, loss, given=[q <= 1]),
        above,
    )


@claim(
    PAPER,
    "rem-4.2-budget",
    at="Remark 4.2, (4.5) used for m < n",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="rem-4.2-corrected",
    standing="ours",
)
def full_data_scales_keep_the_budget_when_subsampling():
    """The scales (4.5), used as they stand with m < n, spend at most eps (at T = 1, where b_1 = S_1/(n eps)).
    (The remark calls them a guide, and says that they spend eps approximately: rem-4.2.)
    """
    return AtMost(step_loss(S / (n * eps), S, m, n), eps, given=[m <= n, n <= 10])


@claim(
    PAPER,
    "rem-4.2-corrected",
    at="Remark 4.2, as a guide",
    kind="privacy guarantee",
    uses=["eq-3.3", "eps-t", "thm-a.2"],
    standing="ours",
)
def split_of_prop_4_2_with_scales_from_3_3_keeps_the_budget():
    """Splitting eps as eps_t of Proposition 4.2 and then taking b_t = S_1/(m h(eps_t)), h(e) = ln(1 +
    (n/m)(e^e - 1)), spends exactly eps: every step loses its part e at most, as a release, and (3.3) is e;
    the parts add up to eps.
    """
    e, h = sp.symbols("e h", positive=True)
    split = optimal_epsilons(Schedule(a[t]), T, eps).formula
    inside = sp.Eq(h, inner_epsilon(e, m, n))
    release = Subsampled(Laplace(S / (m * h), {REPLACE: S / m}), size=m, of=n)
    return AllOf(
        Private(release, PureDP(e), REPLACE, given=[m <= n, inside]),
        Equal(step_loss(b, S, m, n), e, given=[inside, sp.Eq(b, S / (m * h))]),
        Equal(sp.Sum(split, (t, 1, T)), eps),
    )


@claim(
    PAPER,
    "rem-4.2-sec5",
    at="Remark 4.2 against Section 5",
    kind="asymptotic",
    expect=REFUTED,
    correction="rem-4.2-corrected",
    standing="ours",
)
def experiments_are_in_the_regime_of_remark_4_2():
    """Section 5's m = 1000, n = 1e5, eps = 1, T = 100 lies in the regime of Remark 4.2: S/(bm) << 1, read as
    at most 1/10 (it is eps_0 = 0.7).
    """
    return Instance(
        AtMost(inner_epsilon(sp.Rational(1, 100), sp.Integer(1000), sp.Integer(100_000)), sp.Rational(1, 10)),
        let={"m": "1000", "n": "100000", "eps": "1", "T": "100", "S/(bm)": "eps_0 of (3.5)"},
    )
