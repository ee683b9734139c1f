"""Section 4.2: the multistage method, Theorem 4.3, and its weights.

stage k = 1: alpha = 1/L for n_1 >= 1 steps;  k >= 2: alpha = 1/(4^k L) for 2^k ceil(sqrt(kappa) ln 2^(p+2))
steps             Eq (4.7)
E_T <= 2^(s_T) prod_i (1 - sqrt(mu alpha_i)) E_0 + sum_t a_{T,t} (d b_t^2 + tau/2),  momentum restarted at
every new stage
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import masg_stages, momentum_of
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, Equal, Instance, Minimises, Quoted, Tested
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.budget_split import a, root
from dpverify.symbolic.dp_accel.nesterov import S, alpha, eps, j, mu, n, t
from dpverify.symbolic.dp_accel.theorem_4_1 import FLAT, expected_error, quarter
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Result

T = sp.Symbol("T", integer=True, positive=True)
kappa, L, x = sp.symbols("kappa L x", positive=True)
R = sp.Rational


@claim(PAPER, "stage-power", at="Eq (4.7), the steps of a stage", kind="inequality", standing="ours")
def power_is_at_most_an_exponential():
    """r^N <= e^-w for 0 < r < 1, whole N and w <= (1 - r) N."""
    r, w = sp.symbols("r w", positive=True)
    steps = sp.Symbol("N", integer=True, positive=True)
    return (
        Theorem(given=[r < 1, w <= (1 - r) * steps], shows=AtMost(r**steps, sp.exp(-w)))
        .have(AtMost(sp.log(r), r - 1), "the tangent at 1")
        .have(AtMost(steps * sp.log(r), steps * (r - 1)), "N times")
        .have(AtMost(r**steps, sp.exp(-(1 - r) * steps)), "the power")
        .have(AtMost(sp.exp(-(1 - r) * steps), sp.exp(-w)), "w <= (1 - r) N")
    )


@claim(PAPER, "eq-4.7", at="Eq (4.7)", kind="definition", uses=["stage-power"])
def every_stage_contracts_the_lyapunov_function_by_two_to_minus_p_minus_2():
    """n_k = 2^k ceil(sqrt(kappa) ln 2^(p+2)), alpha^(k) = 1/(4^k L), mu = L/kappa, q = sqrt(kappa) >= 1: then
    alpha^(k) <= 1/L, sqrt(mu alpha^(k)) = 1/(2^k q), and the n_k steps of a stage contract the Lyapunov
    function of Theorem 4.1, without noise, by at most 2^-(p+2): (1 - 1/(2^k q))^(n_k) <= 2^-(p+2). If V does
    so and V <= 2 E at the restart, the error itself is multiplied by at most 2^-(p+1).
    """
    k, steps = (sp.Symbol(name, integer=True, positive=True) for name in ("k", "n_k"))
    p = sp.Symbol("p", positive=True)
    E, V, E_before, V_before = sp.symbols("E V E_before V_before", nonnegative=True)
    q = sp.Symbol("q", positive=True)
    size = 1 / (4**k * L)
    smallest = L / q**2
    enough = (p + 2) * sp.log(2)
    root = 1 / (2**k * q)
    stage = [q >= 1, sp.Eq(steps, 2**k * sp.ceiling(q * enough))]
    contracts = AtMost((1 - root) ** steps, 2 ** -(p + 2))
    return AllOf(
        AtMost(size, 1 / L),
        Equal(sp.sqrt(smallest * size), root),
        Theorem(given=stage, shows=contracts)
        .have(AtMost(2, 2**k), "k >= 1")
        .have(AtMost(2, 2**k * q), "kappa >= 1")
        .have(AtMost(root, sp.Rational(1, 2)), "the inverse")
        .have(AtMost(q * enough, sp.ceiling(q * enough)), "rounded up")
        .have(AtMost(2**k * (q * enough), steps), "times 2^k")
        .have(AtMost(enough, root * steps), "over 2^k q")
        .use("stage-power", "the steps of a stage", r=1 - root, N=steps, w=enough)
        .have(Equal(sp.exp(-enough), 2 ** -(p + 2)), "a power of 2"),
        AtMost(
            E,
            E_before / 2 ** (p + 1),
            given=[E <= V, V <= V_before / 2 ** (p + 2), V_before <= 2 * E_before],
        ),
    )


@claim(
    PAPER,
    "masg-opt-rate",
    at="Section 4.2, first paragraph",
    kind="asymptotic",
    expect=UNDECIDED,
    standing="remark",
)
def masg_attains_the_optimal_rates():
    """The authors of [2] prove that MASG attains the optimal rate in both deterministic and stochastic
    versions.
    """
    return Quoted(
        "a theorem of [2] with its own oracle model and lower bounds, which are not restated "
        "here; what (4.7) gives per stage is eq-4.7"
    )


@claim(
    PAPER,
    "thm-4.3-equality",
    at="Theorem 4.3, Eq (4.8), the sign =",
    kind="identity",
    expect=REFUTED,
    correction="thm-4.3-corrected",
    breaks="misprint",
    standing="misprint",
)
def error_of_masg_equals_the_right_side():
    """E_T = [2^(s_T - s_0) prod (1 - sqrt(mu alpha^(s_i)))] E_0 + sum_t a_{T,t} (b_t^2 d + sigma_s^2/2).

    The paper does not define s_0; with s_0 = 1 or 0 the first factor is 1 or 2 in the case T = n_1 = 1, and
    neither will do: the product of both differences is not 0.
    """
    scale = R(1, 10)
    error = expected_error(1, quarter, 1, [scale])
    once, twice = (
        c * R(1, 2) * R(1, 2) + quarter * 2 * scale**2 for c in (1, 2)
    )  # 2^(s_1 - s_0) for s_0 = 1 and s_0 = 0
    let = FLAT | {
        "n_1 = T": "1",
        "m = n": "20",
        "eps": "1",
        "b_1": "1/10",
        "2^(s_1 - s_0)": "1 or 2",
    }
    return Instance(Equal((error - once) * (error - twice), 0), let=let)


@claim(
    PAPER,
    "thm-4.3-s0",
    at="Theorem 4.3, Eq (4.8) as a bound, s_0 = s_1",
    kind="inequality",
    expect=REFUTED,
    correction="thm-4.3-corrected",
    breaks="theorem",
)
def error_of_masg_is_at_most_the_right_side_with_s0_equal_to_s1():
    """E_T <= [2^(s_T - s_0) prod (1 - sqrt(mu alpha^(s_i)))] E_0 + sum_t a_{T,t} (b_t^2 d + sigma_s^2/2),
    which is (4.8) with <= for =, where s_0 is the stage of the first steps, s_0 = s_1.
    """
    scale = R(1, 10)
    right = R(1, 2) * R(1, 2) + quarter * 2 * scale**2
    let = FLAT | {"n_1 = T": "1", "m = n": "20", "eps": "1", "b_1": "1/10"}
    return Instance(AtMost(expected_error(1, quarter, 1, [scale]), right), let=let)


def without_restart(curvature: Any, first: int, second: int) -> Any:
    """x_T of NAG along the stages (4.7) for mu = 1, L = 4 without noise, the momentum carried over from stage
    1 to stage 2; x_0 = x_{-1} = 1.
    """
    now, before = sp.Integer(1), sp.Integer(1)
    for size in [R(1, 4)] * first + [R(1, 64)] * second:
        beta = momentum_of(sp.Integer(1), size)
        z = (1 + beta) * now - beta * before
        now, before = z - size * curvature * z, now
    return now


@claim(
    PAPER,
    "thm-4.3-restart",
    at="Section 4.2, Theorem 4.3, no restart being mentioned",
    kind="inequality",
    expect=REFUTED,
    correction="thm-4.3-corrected",
    standing="ours",
)
def momentum_may_be_carried_from_stage_to_stage():
    """(4.8), even with <= and 2^(s_T), holds when the momentum is carried over from one stage to the next, as
    Section 4.2 describes the method.
    """
    sizes = [R(1, 4)] + [R(1, 64)] * 5
    weights = [
        2 ** (2 - (1 if i == 0 else 2)) * R(7, 8) ** (5 - i) * size * (1 + 4 * size)
        for i, size in enumerate(sizes)
    ]
    bound = 4 * R(1, 2) * R(7, 8) ** 5 * 2 + sum(weights) * R(1, 100) ** 2
    stages = masg_stages(1.0, 4.0, 6, first=1).alpha.values(6).tolist()
    let = {
        "F": "2 x^2",
        "mu, L": "1, 4",
        "n_1": "1",
        "T": "6 (five steps of stage 2)",
        "x_0": "1",
        "b_t": "1/100",
        "d": "1",
        "m": "n",
    }
    return Instance(
        AtMost(2 * without_restart(4, 1, 5) ** 2, bound),
        let=let,
        meets=[Equal(sp.Rational(v), w) for v, w in zip(stages, sizes)],
        because="E F(x_6) >= F(E x_6); the old momentum is large for the small new steps: F overshoots "
        "to more than twice the bound",
    )


@claim(
    PAPER,
    "thm-4.3-corrected",
    at="Theorem 4.3, as a bound with restarts and s_0 = 0",
    kind="inequality",
    uses=["eq-4.2-corrected"],
    standing="ours",
)
def error_of_masg_with_restarts_is_bounded():
    """With x_{t-1} := x_t at the start of every stage, E_T <= 2^(s_T) prod_i (1 - sqrt(mu alpha_i)) E_0 +
    sum_t a_{T,t} (b_t^2 d + tau/2), tau >= tr Cov(v_t). A restart sets v = x, and then V = F - F* + (mu/2)|x
    - x*|^2
    <= 2 (F - F*). With K_1 = 1 and K_{t+1} = K_t (1 - sqrt(mu alpha_t)), doubled at a restart, U_t = V_t/K_t
    has
    U_{t+1} <= U_t + c_t/K_{t+1}, c_t the noise of step t; so E_T <= 2 K_{T+1} E_0 + sum_t (K_{T+1}/K_{t+1})
    c_t,
    where 2 K_{T+1} = 2^(s_T) prod_i (1 - sqrt(mu alpha_i)).
    """
    F, x = Function("F", smooth=L, strongly_convex=mu), Vector("x")
    error = F(x) - F.minimum
    U, c = (sp.IndexedBase(name, nonnegative=True) for name in ("U", "c"))
    K = sp.IndexedBase("K", positive=True)
    E_0, E_T, V_1, k, V = sp.symbols("E_0 E_T V_1 k V", nonnegative=True)
    ratio = sp.Symbol("K_now", positive=True)
    kept = sp.Symbol("q", positive=True)  # K_{t+1}/K_t
    recursion = ForEvery(AtMost(U[t + 1], U[t] + c[t] / K[t + 1]), t, 1, T)
    added = sp.Sum(c[t] / K[t + 1], (t, 1, T))
    return AllOf(
        AtMost(error + mu / 2 * norm2(x - F.minimiser), 2 * error),
        AtMost(V_1 / (kept * ratio), V / ratio + k / (kept * ratio), given=[V_1 <= kept * V + k]),
        Theorem(
            given=[recursion, U[1] <= 2 * E_0, E_T <= K[T + 1] * U[T + 1]],
            shows=AtMost(E_T, 2 * K[T + 1] * E_0 + K[T + 1] * added),
        )
        .unroll(U[t], sp.Integer(1), c[t] / K[t + 1], (t, 1, T), "added up")
        .have(AtMost(K[T + 1] * U[T + 1], K[T + 1] * (2 * E_0 + added)), "times K"),
    )


@claim(
    PAPER,
    "thm-4.3-run",
    at="Theorem 4.3, as run",
    kind="inequality",
    expect=SUPPORTED,
    uses=["thm-4.3-corrected"],
    standing="ours",
)
def exact_error_of_dp_masg_stays_below_the_corrected_bound():
    """On a quadratic with kappa = 10 the exact E F(x_T) - F* of DP-MASG (with restarts) is below the
    corrected bound, through three stages.
    """

    def run(effort: Effort) -> Result:
        from dpverify.symbolic.dp_accel.runs import exact_error_below

        return exact_error_below("dp-masg", (5, 8, 9, 20, 40, 80), lambda case: case.bound.value)

    return Tested("E F(x_T) - F* <= bound at T = 5, 8, 9, 20, 40, 80", run)


@claim(PAPER, "thm-4.3-2fac", at="Eq (4.8), 2^(s_T - s_t)", kind="identity", expect=SUPPORTED)
def noise_of_step_t_is_doubled_once_per_later_stage():
    """The noise of step t carries the factor 2^(s_T - s_t) prod_{i>t} (1 - sqrt(mu alpha_i)): one doubling
    per change of stage after t. (Here for six steps in stages 1, 1, 2, 2, 2, 3, whatever the contractions.)
    """
    stages = [1, 1, 2, 2, 2, 3]
    kept = sp.symbols("k1:7", positive=True)  # 1 - sqrt(mu alpha_i)
    noise = sp.symbols("c1:7", positive=True)
    value = sp.symbols("V_0:7", positive=True)
    steps = [
        sp.Eq(value[i + 1], (2 if i and stages[i] != stages[i - 1] else 1) * kept[i] * value[i] + noise[i])
        for i in range(6)
    ]
    shares = [2 ** (stages[-1] - stage) * sp.prod(kept[i + 1 :]) for i, stage in enumerate(stages)]
    stated = 2 ** (stages[-1] - stages[0]) * sp.prod(kept) * value[0]
    stated += sum(share * one for share, one in zip(shares, noise))
    return Instance(
        Theorem(given=steps, shows=Equal(value[6], stated)),
        let={"T": "6", "stages": "1, 1, 2, 2, 2, 3"},
    )


@claim(
    PAPER,
    "thm-4.3-grad",
    at="Theorem 4.3, noisy gradients at x_t",
    kind="algorithm property",
    expect=REFUTED,
    correction="thm-4.3-grad-corrected",
    breaks="misprint",
    standing="misprint",
)
def masg_takes_the_gradient_at_x_t():
    """DP-MASG uses noisy gradients grad f(x_t) + eta_t (with sigma_s in the bound though no batch is drawn):
    that is the NAG step (4.1).
    """
    v, before, beta = sp.symbols("x x_before beta", real=True)
    z = (1 + beta) * v - beta * before
    relation = Equal(z - alpha * z, z - alpha * v, given=[beta > 0, beta < 1])
    return Instance(relation, let={"F": "x^2/2"}, because="NAG takes it at z_t; at x_t it is the heavy ball")


@claim(
    PAPER,
    "thm-4.3-grad-corrected",
    at="Theorem 4.3, noisy gradients at z_t",
    kind="algorithm property",
    standing="ours",
)
def gradient_at_x_t_would_be_the_heavy_ball():
    """The noisy gradient is grad F_B(z_t) + eta_t, as in (4.1) and Theorem 4.1; at x_t the step would be
    (3.1).
    """
    v, before, beta, g = sp.symbols("x x_before beta g", real=True)
    z = (1 + beta) * v - beta * before
    return Equal(z - alpha * g, v - alpha * g + beta * (v - before))


@claim(PAPER, "eq-4.8-a", at="after Theorem 4.3", kind="optimality", uses=["prop-4.2"])
def prop_4_2_holds_for_the_weights_of_masg():
    """With a_{T,t} of (4.8), the optimal b_t for m = n are (4.5) again: for kappa > 1 every 1 - sqrt(mu
    alpha) is positive, so every weight is, and (4.5) is the only minimiser for positive weights.
    """
    b, k, size, change = sp.symbols(
        "b k alpha_t c", positive=True
    )  # product of later contractions, step size, 2^(s_T - s_t)
    return AllOf(
        AtMost(0, 1 - 1 / sp.sqrt(kappa), given=[kappa > 1], strict=True),
        AtMost(0, change * k * size * (1 + size * L), strict=True),
        Minimises(
            a[t] * b**2,
            over=b,
            spent=S / (n * b),
            total=eps,
            at=sp.Sum(a[j] ** root, (j, 1, T)) * S / (a[t] ** root * n * eps),
            index=t,
            length=T,
            unique=True,
        ),
    )


@claim(PAPER, "fig2-param", at="Figure 2", kind="numeric constant", uses=["eq-4.7"])
def stages_of_figure_2_have_40_80_160_and_320_steps():
    """mu = 1, L = 20, kappa = 20, p = 1: the stages k >= 2 of (4.7) have n_k = 2^k ceil(sqrt 20 ln 8) = 10
    2^k steps, so 40, 80, 160 and 320 for k = 2..5.
    """
    k, p = (sp.Symbol(name, integer=True, positive=True) for name in "kp")
    length = 2**k * sp.ceiling(sp.sqrt(kappa) * sp.log(2 ** (p + 2)))
    figure = [sp.Eq(kappa, 20), sp.Eq(p, 1)]
    lengths = [
        Equal(length, steps, given=[*figure, sp.Eq(k, i)]) for i, steps in enumerate((40, 80, 160, 320), 2)
    ]
    return AllOf(Equal(length, 10 * 2**k, given=figure), *lengths)


@claim(
    PAPER,
    "fig2-jump",
    at="Figure 2, Section 4.1's reading carried over",
    kind="monotonicity",
    expect=REFUTED,
    correction="fig2-jump-corrected",
    standing="ours",
)
def optimal_noise_of_masg_decreases_throughout():
    """What Section 4.1 says of NAG, said of DP-MASG (the paper does not): the optimal noise decreases over
    all iterations (at mu = 1, L = 20, across the end of stage 1).
    """
    old, new = R(1, 20), R(1, 320)
    kept = 1 - sp.sqrt(new)
    last, first = (
        2 * kept * old * (1 + 20 * old),
        new * (1 + 20 * new),
    )  # a_{T,t} at the end of stage 1 and the start of stage 2, T there
    return Instance(
        AtMost(1 / first, 1 / last),
        let={
            "mu, L": "1, 20",
            "b_t^3": "proportional to 1/a_{T,t}",
            "t": "the last step of stage 1, and the next",
        },
    )


@claim(PAPER, "fig2-jump-corrected", at="Figure 2", kind="monotonicity", standing="ours")
def optimal_noise_of_masg_falls_within_stages_and_jumps_up_between():
    """Within a stage the weights a_{T,t} grow by 1/(1 - sqrt(mu alpha)) > 1; from the last step of stage k to
    the first of stage k+1 they fall, for every k >= 2 and kappa >= 1 (q = alpha^(k) L <= 1/16, s = sqrt(mu
    alpha^(k+1)) <= 1/8): the noise jumps up.
    """
    s, q, old, new, rest = sp.symbols("s q a_old a_new r", positive=True)
    weights = [
        sp.Eq(old, 2 * (1 - s) * rest * q * (1 + q)),  # 2^(s_T - s_t), one more contraction
        sp.Eq(new, rest * (q / 4) * (1 + q / 4)),
    ]
    return AllOf(
        AtMost(1, 1 / (1 - s), given=[s < 1], strict=True),
        AtMost(new, old, given=[q <= R(1, 16), s <= R(1, 8), *weights], strict=True),
    )
