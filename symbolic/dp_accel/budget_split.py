"""Proposition 4.2 and Remarks 4.1, 4.2: the best split of the budget over the steps.

b_t = S1 sum_j a_j^(1/3) / (a_t^(1/3) n eps)
Eq (4.5)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import inner_epsilon, nag_weights, optimal_epsilons, optimal_scales, step_loss
from dpverify.guarantees import PureDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance, Minimises, Tested
from dpverify.releases import Laplace, Subsampled
from dpverify.schedules import Schedule
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.nesterov import L, S, T, alpha, b, d, eps, j, m, n, t
from dpverify.symbolic.dp_accel.theorem_4_1 import FLAT, expected_error, half, quarter, s
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

a = sp.IndexedBase("a", positive=True)
root = sp.Rational(1, 3)


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

        steps = 30
        size = 10
        records = 1000
        weights = nag_weights(0.02, 1.0, 1.0, steps)
        solution = exact_epsilons(weights, steps, 1.0, size, records).values(steps)
        guide = optimal_epsilons(weights, steps, 1.0).values(steps)
        rows = np.vstack([guide, np.random.default_rng(effort.seed).dirichlet(np.ones(steps) * 5, 200)])

        def cost(split: Any) -> Any:
            return (weights.values(steps) / np.log1p(records / size * np.expm1(split)) ** 2).sum(-1)

        best, others = float(cost(solution)), cost(rows)
        if abs(solution.sum() - 1) > 1e-9 or best > float(others.min()) * (1 + 1e-9):
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
