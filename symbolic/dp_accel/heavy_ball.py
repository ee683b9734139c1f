"""Sections 3 and 3.1: the private heavy ball, its noise, its state space, and the matrix inequality.

x_{t+1} = x_t - alpha (grad F_B(x_t) + eta_t) + beta (x_t - x_{t-1}),  eta ~ Lap(b)^d
Eq (3.1)
eps(S, b, n, m) = ln(1 + (m/n)(e^(S/(bm)) - 1))
Eq (3.3)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import inner_epsilon, noise_scale, sampling_variance, step_loss
from dpverify.guarantees import PureDP
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import Vector, inner, norm, norm2, vectors
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Increasing, Instance, PositiveSemidefinite, Tested
from dpverify.releases import Laplace, Subsampled
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

n, m, T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T", "d"))
t = sp.Symbol("t", integer=True, positive=True)
eps, S, b, alpha, beta, mu, L = sp.symbols("epsilon S b alpha beta mu L", positive=True)
x, y, g, w = sp.symbols(
    "x y g w", real=True
)  # x_t - x*, x_{t-1} - x*, grad F(x_t), noise; products stand for inner products
R = sp.Rational
X1 = (
    sp.Matrix(
        [
            [-L * beta**2, L * beta**2, -(1 - L * alpha) * beta],
            [L * beta**2, -L * beta**2, (1 - L * alpha) * beta],
            [-(1 - L * alpha) * beta, (1 - L * alpha) * beta, alpha * (2 - L * alpha)],
        ]
    )
    / 2
)
X2 = sp.Matrix([[mu, 0, -1], [0, 0, 0], [-1, 0, 0]]) / 2
X0 = sp.Matrix([[2 * mu * L, 0, -(mu + L)], [0, 0, 0], [-(mu + L), 0, 2]])  # with 2 in the corner, d = 1
A = sp.Matrix([[1 + beta, -beta], [1, 0]])
moved = (1 + beta) * x - beta * y - alpha * (g + w)  # x_{t+1} - x*, Eq (B.5)


def form(matrix: Any, vector: Any) -> Any:
    """v' M v."""
    v = sp.Matrix(vector)
    return (v.T * matrix * v)[0, 0]


def quadratic_form(matrix: Any, state: Any) -> Any:
    """sum_ij M_ij <v_i, v_j> of vectors v_i of any dimension."""
    cells = [(i, k) for i in range(len(state)) for k in range(len(state))]
    return sum(matrix[i, k] * inner(state[i], state[k]) for i, k in cells)


def heavy_ball_step(variance: Any) -> tuple[Any, Any, Any, Any]:
    """(x_t - x*, x_{t-1} - x*, grad F(x_t)), x_{t+1}, F in S_{mu,L} and the noise of a step of (3.8)."""
    F, now, before = Function("F", smooth=L, strongly_convex=mu), *vectors("x_t x_before")
    noise = Noise("w", variance=variance)
    after = now - alpha * (F.gradient(now) + noise) + beta * (now - before)
    return (now - F.minimiser, before - F.minimiser, F.gradient(now)), after, F, noise


def phi(P: Any, B: Any, r: Any) -> Any:
    """Phi(A, B, P, rho) of (3.14), r = rho^2."""
    return sp.Matrix(sp.BlockMatrix([[A.T * P * A - r * P, A.T * P * B], [B.T * P * A, B.T * P * B]]))


@claim(PAPER, "eq-3.1-var", at="after Eq (3.1)", kind="numeric constant")
def laplace_of_scale_b_has_variance_two_b_squared():
    """Laplace(b), of density e^(-|u|/b)/(2b), has mean zero and variance 2 b^2."""
    u = sp.Symbol("u", real=True)

    def mean(value: Any) -> Any:
        left, right = (value * sp.exp(sign * u / b) / (2 * b) for sign in (1, -1))
        return sp.Integral(left, (u, -sp.oo, 0)) + sp.Integral(right, (u, 0, sp.oo))

    return AllOf(Equal(mean(sp.Integer(1)), 1), Equal(mean(u), 0), Equal(mean(u**2), 2 * b**2))


@claim(PAPER, "eq-3.2", at="Eq (3.2)", kind="definition", uses=["thm-a.1"])
def l1_norm_of_the_gradient_difference_is_what_laplace_noise_needs():
    """S_1(x) = sup |grad f(x; y) - grad f(x; y')|, |.| being the L1 norm (it is called the L1 sensitivity):
    then the loss is at most S_1/b.
    """
    o1, o2, d1, d2 = sp.symbols("o_1 o_2 d_1 d_2", real=True)
    loss = (sp.Abs(o1) - sp.Abs(o1 - d1) + sp.Abs(o2) - sp.Abs(o2 - d2)) / b
    return AtMost(loss, S / b, given=[sp.Abs(d1) + sp.Abs(d2) <= S])


@claim(
    PAPER,
    "eq-3.2-euclid",
    at="Eq (3.2), |.| read as the Euclidean norm",
    kind="definition",
    expect=REFUTED,
    correction="eq-3.2",
    standing="ours",
)
def euclidean_norm_of_the_gradient_difference_would_do():
    """With |.| the Euclidean norm, as the sign alone would suggest (the same sentence says L1),
    Laplace(S/eps) would be eps-DP.
    """
    loss = (sp.Integer(1) + sp.Integer(1)) / b
    let = {
        "d": "2",
        "gradient difference": "(1, 1)",
        "output": "at or beyond the larger gradient in both coordinates",
        "S_1": "sqrt(2)",
        "b": "S_1/eps",
    }
    return Instance(AtMost(loss, eps, given=[sp.Eq(b, sp.sqrt(2) / eps)]), let=let)


@claim(
    PAPER,
    "sec3-df",
    at="after Eq (3.2)",
    kind="inequality",
    expect=REFUTED,
    correction="sec3-df-corrected",
    breaks="misprint",
    standing="misprint",
)
def function_value_moves_by_at_most_s1_over_n():
    """Changing one record changes F(x) by at most S_1(x)/n."""
    v = sp.Symbol("v", real=True)
    f = v**2 / 2 + sp.Symbol("y")
    one, other = f.subs("y", 0), f.subs("y", 1)
    sensitivity = sp.Abs(sp.diff(one, v) - sp.diff(other, v))
    return Instance(
        AtMost(sp.Abs(one - other) / n, sensitivity / n),
        let={"f(x; y)": "x^2/2 + y", "y, y'": "0, 1"},
        because="the gradients do not depend on y, so S_1 = 0",
    )


@claim(PAPER, "sec3-df-corrected", at="after Eq (3.2), for the gradient", kind="inequality", standing="ours")
def gradient_moves_by_at_most_s1_over_n():
    """Changing one record changes grad F(x) by at most S_1(x)/n, and a minibatch gradient by at most
    S_1(x)/m, in the L1 norm.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    one, other, rest = (sp.IndexedBase(name, real=True) for name in ("g", "h", "r"))
    apart = sp.Sum(sp.Abs(one[k] - other[k]), (k, 1, d))

    count = sp.Symbol("N", integer=True, positive=True)  # n, or m of a batch
    change = sp.Sum(sp.Abs((one[k] + rest[k]) / count - (other[k] + rest[k]) / count), (k, 1, d))
    return Theorem(given=[apart <= S], shows=AtMost(change, S / count)).calc(
        change, ("<=", apart / count, "only one term differs"), ("<=", S / count, "Eq (3.2)")
    )


@claim(PAPER, "eq-3.3", at="Eq (3.3)", kind="privacy guarantee", uses=["thm-a.1", "thm-a.3", "def-a.3"])
def one_step_loses_ln_1_plus_q_times_exp_minus_1():
    """One noisy minibatch gradient loses eps(S, b, n, m) = ln((e^(S/(bm)) - 1) m/n + 1), for a replaced
    record; no smaller number will do.
    """
    smaller = sp.Symbol("s", positive=True)
    step = Subsampled(Laplace(b, {REPLACE: S / m}), size=m, of=n)
    loss = step_loss(b, S, m, n)
    o = sp.Symbol("o", positive=True)
    # tight: all other records have gradient 0, the record's is S or 0; batch mean S/m with probability m/n,
    # else 0; far out at o
    with_it, without = sp.exp(-(o - S / m) / b) / (2 * b), sp.exp(-o / b) / (2 * b)
    ratio = (m / n * with_it + (1 - m / n) * without) / without
    attained = AtMost(
        sp.exp(smaller), sp.expand(sp.simplify(ratio)), given=[smaller < loss, m <= n], strict=True
    )
    return AllOf(Private(step, PureDP(loss), REPLACE, given=[m <= n]), attained)


@claim(
    PAPER,
    "eq-3.3-exact",
    at="Eq (3.3), by enumeration",
    kind="privacy guarantee",
    expect=SUPPORTED,
    uses=["eq-3.3"],
    standing="ours",
)
def exact_losses_of_small_cases_stay_below_3_3_and_reach_it():
    """Over all pairs of data sets with gradients in {0, 1/2, 1}, n = 4, m = 1, 2, 3, the exact loss is at
    most (3.3), and some pair reaches it.
    """
    import numpy as np

    def run(effort: Effort) -> Result:
        from itertools import combinations, product

        outputs = np.linspace(-3, 4, 281)
        records, scale, gaps, cases = 4, 0.7, [], 0
        for size in (1, 2, 3):
            limit = float(step_loss(scale, 1.0, size, records))
            batches = np.array(list(combinations(range(records), size)))

            def density(data: Any, batches: Any = batches) -> Any:
                means = np.asarray(data)[batches].mean(axis=1)
                return np.exp(-np.abs(outputs[:, None] - means) / scale).mean(axis=1) / (2 * scale)

            known = {data: density(data) for data in product((0.0, 0.5, 1.0), repeat=records)}
            worst = max(
                float(np.max(np.log(known[data] / known[(other, *data[1:])])))
                for data in known
                for other in (0.0, 0.5, 1.0)
                if other != data[0]
            )
            cases += 2 * len(known)
            gaps.append(worst / limit)
        if max(gaps) > 1 + 1e-9:
            return Result(UNDECIDED, f"a loss is {max(gaps):.6f} times (3.3)")
        evidence = Evidence(
            "enumeration",
            samples=cases,
            ceiling="281 outputs, one scale, one coordinate; a loss above (3.3) there would have shown",
        )
        return Result(
            SUPPORTED, f"the largest loss is {min(gaps):.6f} to {max(gaps):.6f} times (3.3)", evidence
        )

    return Tested("max over data sets and outputs of the loss <= eps(S, b, n, m)", run)


@claim(PAPER, "eq-3.3-full", at="after Eq (3.3)", kind="identity")
def without_subsampling_the_loss_is_s_over_bn():
    """For m = n, eps(S, b, n, m) = S/(bn)."""
    return Equal(step_loss(b, S, m, n), S / (b * n), given=[sp.Eq(m, n)])


epsilon_0 = sp.Symbol("epsilon_0", positive=True)
EQ_3_5 = sp.Eq(epsilon_0, inner_epsilon(eps / T, m, n))
EQ_3_4 = sp.Eq(b, S / (m * epsilon_0))


def dp_shb() -> Private:
    """T noisy minibatch gradients with the scale (3.4) are eps-DP, whatever is done with them."""
    step = Subsampled(Laplace(S / (m * epsilon_0), {REPLACE: S / m}), size=m, of=n)
    return Private(Repeated(step, t, 1, T), PureDP(eps), REPLACE, given=[m <= n, EQ_3_5])


@claim(
    PAPER,
    "prop-3.1",
    at="Proposition 3.1, Eqs (3.4) and (3.5)",
    kind="privacy guarantee",
    uses=["eq-3.3", "thm-a.2"],
)
def scale_s_over_m_eps0_spends_eps_over_t_per_step():
    """b_t = S_1(x_t)/(m eps_0), eps_0 = ln(1 + (e^(eps/T) - 1) n/m) makes DP-SHB eps-DP (one record replaced;
    S_1(x) is a sup over all records, so public); the loss (3.3) of one iteration is then eps/T.
    """
    return AllOf(
        dp_shb(),
        Equal(step_loss(b, S, m, n), eps / T, given=[EQ_3_5, EQ_3_4]),
    )


def small_pair() -> tuple[Any, Any]:
    """A quadratic on four records of L1 norm 1, and the pair of data sets in which the first record is
    replaced by its opposite.
    """
    import numpy as np

    from dpverify.neighbours import Neighbours
    from dpverify.problems import quadratic

    data = np.array([[1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]])
    return quadratic([0.5, 1.0], count=4, start=np.zeros(2), radius=1.0), Neighbours.replace(
        data, 0, [-1.0, 0.0]
    )


@claim(
    PAPER,
    "prop-3.1-exact",
    at="Proposition 3.1, as run",
    kind="privacy guarantee",
    expect=SUPPORTED,
    uses=["prop-3.1"],
    standing="ours",
)
def exact_losses_of_dp_shb_stay_below_eps():
    """The exact privacy loss of whole transcripts of DP-SHB (T = 3, m = 2 of n = 4, all batches enumerated)
    never exceeds eps = 1.
    """
    import numpy as np

    def run(effort: Effort) -> Result:
        from dpverify.algorithms.dp_shb import dp_shb
        from dpverify.formulas.dp_accel import certified_scales, uniform_epsilons
        from dpverify.losses import privacy_losses
        from dpverify.neighbours import Neighbours

        problem, pair = small_pair()
        scales = certified_scales(uniform_epsilons(1.0, 3), 3, 2, 4)
        algorithm = dp_shb(problem, clip=1.0, scales=scales, steps=3, step_size=0.5, beta=0.5, batch=2)
        losses = np.concatenate(
            [
                privacy_losses(algorithm, pair, effort.runs, effort.seed),
                privacy_losses(
                    algorithm, Neighbours(pair.other, pair.data, pair.adjacency), effort.runs, effort.seed
                ),
            ]
        )
        worst = float(np.abs(losses).max())
        if worst > 1 + 1e-9:
            return Result(UNDECIDED, f"a transcript has loss {worst:.6f} > 1")
        evidence = Evidence(
            "exact losses",
            samples=2 * effort.runs,
            seed=effort.seed,
            ceiling="one pair of data sets, the extreme one; T = 3",
        )
        return Result(SUPPORTED, f"the largest of {2 * effort.runs} exact losses is {worst:.4f}", evidence)

    return Tested("|loss of a transcript| <= 1", run)


@claim(
    PAPER,
    "prop-3.1-audit",
    at="Proposition 3.1, audited",
    kind="privacy guarantee",
    expect=SUPPORTED,
    uses=["prop-3.1"],
    standing="ours",
)
def audit_does_not_refute_dp_shb():
    """An audit of DP-SHB (T = 3, m = 2 of n = 4, the extreme pair of data sets) does not refute 1-DP."""

    def run(effort: Effort) -> Result:
        from dpverify import Budget, PureDP, audit
        from dpverify.algorithms.dp_shb import dp_shb
        from dpverify.schedules import Schedule

        problem, pair = small_pair()
        scales = Schedule(float(noise_scale(1 / 3, 2.0, 2, 4)))
        algorithm = dp_shb(problem, clip=1.0, scales=scales, steps=3, step_size=0.5, beta=0.5, batch=2)
        budget = Budget(runs=effort.runs, alpha=1e-6, seed=effort.seed)
        return audit(algorithm, pair, PureDP(1.0), budget=budget, rungs=("statistics",), smaller=False)

    return Tested("P(E) <= e P'(E) for the events that an audit finds", run)


@claim(
    PAPER,
    "prop-3.1-tight",
    at='Section 3, "the minimum value, required"',
    kind="privacy guarantee",
    uses=["eq-3.3"],
)
def no_smaller_scale_is_enough():
    """b_t = S_1/(m eps_0) is the minimum: the worst transcript (gradients that do not depend on x) loses T
    eps(S, b, n, m) exactly, which is eps at this scale and more at any smaller one.
    """
    return AllOf(
        Equal(T * step_loss(b, S, m, n), eps, given=[EQ_3_5, EQ_3_4]),
        Increasing(step_loss(b, S, m, n), b, down=True, strict=True, given=[m <= n]),
    )


@claim(PAPER, "eq-3.5-mono", at="Section 3.1", kind="monotonicity", uses=["eq-3.1-var"])
def noise_grows_with_the_number_of_steps():
    """As T increases eps_0 decreases, so the scale b and E_T = sigma_s^2 + 2 d S_1^2/(m eps_0)^2 increase."""
    length = sp.Symbol("T", positive=True)
    level, e0 = sp.symbols("c epsilon_0", positive=True)  # sigma_s^2, which does not hold T
    inner_epsilon = sp.log(1 + (sp.exp(eps / length) - 1) * n / m)
    return AllOf(
        Increasing(inner_epsilon, length, down=True, strict=True, given=[m <= n]),
        Increasing(S / (m * e0), e0, down=True, strict=True),
        Increasing(level + 2 * d * S**2 / (m * e0) ** 2, e0, down=True, strict=True),
    )


@claim(
    PAPER,
    "sec3-smoothing",
    at="Sections 1 and 3",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="sec3-smoothing-corrected",
    breaks="text",
)
def smoothing_reduces_the_noise_that_privacy_requires():
    """Using a smoothed noisy gradient reduces the required noise / improves the privacy level: the b with
    which DP-SHB loses eps is below the b = T S_1/(n eps) of DP-GD.

    The case n = d = 1, T = 2, gradients S at both steps, or 0 on the other data set; the transcript x_1, x_2
    is that of no noise, and the adversary reads the noisy gradients off it.
    """
    x0, x1, x2 = sp.symbols("x_0 x_1 x_2", real=True)
    noisy = [(x0 - x1) / alpha, (x1 + beta * (x1 - x0) - x2) / alpha]
    loss = sum((sp.Abs(v) - sp.Abs(v - S)) / b for v in noisy)
    steps = [sp.Eq(x1, x0 - alpha * S), sp.Eq(x2, x1 - alpha * S + beta * (x1 - x0))]
    return Instance(
        AtMost(b, 2 * S / eps, given=[beta < 1, *steps, sp.Eq(loss, eps)], strict=True),
        let={"n, d, T": "1, 1, 2", "gradients": "S at both steps, or 0 on the other data set"},
        because="the iterates reveal every noisy gradient whatever beta is (Section 2.2), so the loss "
        "does not depend on beta",
    )


@claim(
    PAPER,
    "sec3-smoothing-corrected",
    at="Sections 1 and 3",
    kind="privacy guarantee",
    uses=["prop-3.1"],
    standing="ours",
)
def privacy_does_not_depend_on_the_momentum():
    """At every beta DP-SHB with b = S_1/(m eps_0) is eps-DP and loses T eps(S, b, n, m) = eps in the worst
    case: smoothing does not change the noise that privacy requires. It reduces the variance of the noise in
    u_t = beta u_{t-1} + (1-beta) g_t, which is at most (1-beta)/(1+beta) times that of one gradient.
    """
    k = sp.Symbol("k", integer=True, nonnegative=True)
    weights = sp.Sum(((1 - beta) * beta ** (t - k)) ** 2, (k, 0, t))
    closed = (1 - beta) ** 2 * (1 - beta ** (2 * t + 2)) / (1 - beta**2)
    return AllOf(
        dp_shb(),
        Equal(T * step_loss(b, S, m, n), eps, given=[EQ_3_5, EQ_3_4]),
        Theorem(given=[beta < 1], shows=AtMost(weights, (1 - beta) / (1 + beta))).calc(
            weights,
            ("=", closed, "the squared weights of independent noises, added up"),
            ("<=", (1 - beta) ** 2 / (1 - beta**2), "a power of beta is not negative"),
            ("=", (1 - beta) / (1 + beta), "divided"),
        ),
    )


@claim(PAPER, "eq-3.6-3.7", at="Eqs (3.6) and (3.7)", kind="identity")
def heavy_ball_steps_along_the_smoothed_gradient():
    """(3.1) is x_{t+1} = x_t - (alpha/(1-beta)) u_t, u_t = beta u_{t-1} + (1-beta) g_t, u_0 = (1-beta) g_0,
    in every coordinate: at t = 0, where x_{-1} = x_0; and at t, if (3.6) at t - 1 says x_t = x_{t-1} -
    (alpha/(1-beta)) u_{t-1}.
    """
    now, before, gradient, smooth = sp.symbols("x_t x_before g u_before", real=True)
    heavy = now - alpha * gradient + beta * (now - before)
    along = now - alpha / (1 - beta) * (beta * smooth + (1 - beta) * gradient)
    return AllOf(
        Equal(
            heavy, now - alpha / (1 - beta) * ((1 - beta) * gradient), given=[beta < 1, sp.Eq(before, now)]
        ),
        Equal(heavy, along, given=[beta < 1, sp.Eq(now, before - alpha / (1 - beta) * smooth)]),
    )


@claim(
    PAPER,
    "eq-3.7-avg",
    at="Eq (3.7)",
    kind="identity",
    expect=REFUTED,
    correction="eq-3.7-avg-corrected",
    breaks="text",
)
def smoothed_gradient_is_an_average():
    """u_t is a geometrically weighted average of the gradients g_0..g_t: its weights add up to 1."""
    weight = (1 - beta) * sp.Integer(1)  # of g_0, by u_0 = (1-beta) g_0
    for _ in range(2):
        weight = beta * weight + (1 - beta)
    return Instance(Equal(weight, 1, given=[beta < 1]), let={"t": "2", "u_0": "(1-beta) g_0"})


@claim(
    PAPER,
    "eq-3.7-avg-corrected",
    at="Eq (3.7)",
    kind="identity",
    standing="ours",
)
def weights_of_the_smoothed_gradient_add_up_to_1_minus_beta_to_t_plus_1():
    """The weights of u_t add up to 1 - beta^(t+1); with u_0 = g_0 instead they would add up to 1."""
    k = sp.Symbol("k", integer=True, positive=True)
    printed = (1 - beta) * sp.Sum(beta ** (k - 1), (k, 1, t + 1))
    other = beta**t + (1 - beta) * sp.Sum(beta ** (k - 1), (k, 1, t))
    return AllOf(
        Equal(printed, 1 - beta ** (t + 1), given=[beta < 1]),
        Equal(other, 1, given=[beta < 1]),
    )


@claim(
    PAPER,
    "eq-3.8",
    at="Eq (3.8) and the line before",
    kind="identity",
    expect=REFUTED,
    correction="eq-3.8-corrected",
    breaks="misprint",
    standing="misprint",
)
def update_with_plus_v_is_the_minibatch_update():
    """With v_t = grad F(x_t) - grad F_B(x_t), (3.1) is x_t - alpha (grad F(x_t) + eta_t + v_t) + beta (x_t -
    x_{t-1}).
    """
    batch, noise, error = sp.symbols("g_B eta v", real=True)
    return Equal(
        x - alpha * (batch + noise) + beta * (x - y),
        x - alpha * (g + noise + error) + beta * (x - y),
        given=[beta < 1, sp.Eq(error, g - batch)],
    )


@claim(PAPER, "eq-3.8-corrected", at="Eq (3.8), v_t = grad F_B - grad F", kind="identity", standing="ours")
def update_with_plus_v_is_the_minibatch_update_for_the_other_sign_of_v():
    """With v_t = grad F_B(x_t) - grad F(x_t) the update is (3.8); means and covariances do not see the
    sign.
    """
    batch, noise, error = sp.symbols("g_B eta v", real=True)
    return Equal(
        x - alpha * (batch + noise) + beta * (x - y),
        x - alpha * (g + noise + error) + beta * (x - y),
        given=[sp.Eq(error, batch - g)],
    )


@claim(
    PAPER,
    "eq-3.10",
    at="Eqs (3.9) and (3.10)",
    kind="identity",
    expect=REFUTED,
    correction="eq-3.10-corrected",
    breaks="proof",
)
def state_space_with_plus_alpha_is_the_heavy_ball():
    """xi_{t+1} = A xi_t + B (grad F + w) with B = [alpha; 0] is (3.8)."""
    state = A * sp.Matrix([x, y]) + sp.Matrix([alpha, 0]) * (g + w)
    return Equal(moved, state[0], given=[beta < 1])


@claim(
    PAPER,
    "eq-3.10-corrected",
    at="Eqs (3.9) and (3.10), B = [-alpha; 0]",
    kind="identity",
    standing="ours",
)
def state_space_with_minus_alpha_is_the_heavy_ball():
    """If x_{t+1} is that of (3.8), then (x_{t+1}, x_t) = A xi_t + B (grad F + w) with B = [-alpha; 0], in
    every coordinate.
    """
    after = sp.Symbol("x_next", real=True)
    state = A * sp.Matrix([x, y]) + sp.Matrix([-alpha, 0]) * (g + w)
    step = sp.Eq(after, x - alpha * (g + w) + beta * (x - y))
    return Equal(sp.Matrix([after, x]), state, given=[step])


@claim(PAPER, "eq-cov-split", at="Section 3.1", kind="identity")
def covariances_of_independent_noises_add_up():
    """Cov(w_t | x_t) = Cov(eta_t | x_t) + Cov(v_t | x_t), eta_t and v_t being independent given x_t: at every
    entry (i, j) of the matrices, E eta_i v_j = E eta_i E v_j and E v_i eta_j = E v_i E eta_j.
    """
    eta_i, eta_j, v_i, v_j = sp.symbols("Eeta_i Eeta_j Ev_i Ev_j", real=True)  # means
    eta_2, v_2, mixed, mixed_too = sp.symbols("Eeta_ieta_j Ev_iv_j Eeta_iv_j Ev_ieta_j", real=True)
    independent = [sp.Eq(mixed, eta_i * v_j), sp.Eq(mixed_too, v_i * eta_j)]
    return Equal(
        eta_2 + mixed + mixed_too + v_2 - (eta_i + v_i) * (eta_j + v_j),
        (eta_2 - eta_i * eta_j) + (v_2 - v_i * v_j),
        given=independent,
    )


@claim(PAPER, "asm-3.2-logit", at="after Assumption 3.2", kind="inequality", uses=["eq-5.2-corrected"])
def logistic_loss_has_bounded_sensitivity():
    """The logistic loss admits S_1 <= 2 sup |u|_1 (for bounded covariates, as in Section 5): two gradients p
    z u and p' z' u' with 0 <= p, p' <= 1 are at L1 distance at most |u|_1 + |u'|_1 <= 2 sup |u|_1.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    one, other = (sp.IndexedBase(name, real=True) for name in ("u", "v"))  # z u and z' u'
    p, q = sp.symbols("p q", nonnegative=True)
    bound = sp.Symbol("U", positive=True)
    apart = sp.Sum(sp.Abs(p * one[k] - q * other[k]), (k, 1, d))
    sizes = [sp.Sum(sp.Abs(v[k]), (k, 1, d)) for v in (one, other)]
    within = [size <= bound for size in sizes]
    return Theorem(given=[p <= 1, q <= 1, *within], shows=AtMost(apart, 2 * bound)).calc(
        apart,
        ("<=", sp.Sum(sp.Abs(one[k]) + sp.Abs(other[k]), (k, 1, d)), "coordinate by coordinate"),
        ("=", sizes[0] + sizes[1], "a sum of two sums"),
        ("<=", 2 * bound, "both are at most the sup"),
    )


@claim(
    PAPER,
    "asm-3.2-quad",
    at="Section 3.2, second paragraph",
    kind="algorithm property",
    expect=REFUTED,
    correction="asm-3.2-quad-corrected",
    standing="ours",
)
def quadratic_losses_with_data_dependent_coefficients_have_bounded_sensitivity():
    """Every quadratic f(.; y_i), also one whose curvature depends on y_i, meets Assumption 3.2 (which the
    paper supposes, and does not say of all of them).
    """
    v = sp.Symbol("x", real=True)
    one, other = v**2 / 2, v**2
    sensitivity = sp.Abs(sp.diff(one, v) - sp.diff(other, v))
    return Instance(
        AtMost(sensitivity, S),
        let={"f(x; y)": "y x^2/2", "y, y'": "1, 2"},
        because="S_1(x) = |x|: whatever S_1, some x exceeds it",
    )


@claim(
    PAPER,
    "asm-3.2-quad-corrected",
    at="Section 3.2, second paragraph",
    kind="algorithm property",
    standing="ours",
)
def quadratic_losses_have_bounded_sensitivity_iff_the_data_enter_linearly():
    """On the line f(x; y) = q(y) x^2/2 + a(y) x has S_1(x) = |(q - q') x + a - a'|: constant in x if q = q',
    and else beyond every S, at x = (|a - a'| + S + 1)/(q - q').
    """
    v, q1, q2, a1, a2 = sp.symbols("x q_1 q_2 a_1 a_2", real=True)
    difference = sp.Derivative(q1 * v**2 / 2 + a1 * v, v) - sp.Derivative(q2 * v**2 / 2 + a2 * v, v)
    far = (sp.Abs(a1 - a2) + S + 1) / (q1 - q2)
    return AllOf(
        Equal(difference, (q1 - q2) * v + a1 - a2),
        Equal(difference, a1 - a2, given=[sp.Eq(q1, q2)]),
        AtMost(S, difference.subs(v, far), given=[q1 > q2], strict=True),
    )


@claim(
    PAPER,
    "prop-3.3",
    at="Proposition 3.3, Eq (3.12)",
    kind="inequality",
    uses=["eq-cov-split", "eq-3.13", "eq-3.1-var"],
)
def covariance_of_the_noise_is_at_most_e_t():
    """|Cov(w_t | x_t)| <= E_T = sigma_s^2(m, n) + 2 d S_1^2/(m eps_0)^2, in the spectral norm (for the
    Laplace part 2 S_1^2/(m eps_0)^2 is enough): in a unit direction u the variance of w_t is that of the
    batch, v (1/m)(n-m)/(n-1) with the variance v over the records, plus the 2 b^2 of Laplace noise of scale b
    = S_1(x)/(m eps_0). As in (3.13) two gradients are at distance |g| <= S_1, their range in direction u is r
    <= |u'g|, and v <= r^2/4.
    """
    e0, at_x, scale = sp.symbols("epsilon_0 S_x b", positive=True)
    direction, apart = vectors("u g")
    spread, variance = sp.symbols("r v", nonnegative=True)
    batch = variance / m * (n - m) / (n - 1)
    laplace = 2 * d * S**2 / (m**2 * e0**2)
    return (
        Theorem(
            given=[
                *of_two_gradients(direction, apart, spread, variance),
                at_x <= S,
                sp.Eq(scale, at_x / (m * e0)),
            ],
            shows=AtMost(batch + 2 * scale**2, sampling_variance(S, m, n) + laplace),
        )
        .use("eq-3.13", "the batch", u=direction, g=apart, r=spread, v=variance)
        .have(AtMost(2 * scale**2, laplace), "d >= 1 and S_1(x) <= S_1")
    )


def of_two_gradients(direction: Any, apart: Any, spread: Any, variance: Any) -> list[Any]:
    """In a unit direction u: two gradients differ by g, |g| <= S_1, the gradients of the records have the
    range r <= |u'g|, and a variance of at most r^2/4.
    """
    return [
        norm(direction) <= 1,
        norm(apart) <= S,
        spread <= sp.Abs(inner(direction, apart)),
        variance <= spread**2 / 4,
        m <= n,
        n >= 2,
    ]


@claim(PAPER, "eq-3.13", at="Eq (3.13)", kind="inequality", uses=["eq-b.2", "eq-b.3-pop"])
def sampling_covariance_is_at_most_sigma_s_in_norm():
    """sigma_s^2(m, n) = (S_1^2/4)(1/m)(n-m)/(n-1) bounds the norm of the covariance of the minibatch gradient
    (n >= 2): in a unit direction u two gradients differ by |u'g| <= |g|_2 <= S_1, the variance over the
    records is at most a quarter of the square of their range (B.3), and (B.2) is that of the batch.
    """
    u, apart = vectors("u g")
    spread, variance = sp.symbols("r v", nonnegative=True)
    return (
        Theorem(
            given=of_two_gradients(u, apart, spread, variance),
            shows=AtMost(variance / m * (n - m) / (n - 1), sampling_variance(S, m, n)),
        )
        .have(AtMost(sp.Abs(inner(u, apart)), S), "Cauchy-Schwarz; |g|_2 <= |g|_1 <= S_1")
        .have(AtMost(spread, S), "the range in direction u")
        .have(AtMost(variance, S**2 / 4), "a quarter of its square")
    )


@claim(PAPER, "sec3.1-form", at="Section 3.1, the sketch", kind="inequality", uses=["prop-3.4-corrected"])
def bound_has_the_form_rho_2t_psi_plus_e_t_r():
    """E F(x_t) - F* <= rho^(2t) psi_0 + E_T R, with psi_0 = V_{P,c}(xi_0)/c and R = (L d alpha^2/2)(1 + 2
    P_12^2/(P_22 c L + 2 |P|))/(1 - rho^2).
    """
    r, noise, start = sp.symbols("r N psi_0", positive=True)  # rho^2; the noise of one step
    t = sp.Symbol("t", integer=True, nonnegative=True)
    bound = r**t * start + (1 - r**t) / (1 - r) * noise
    return AtMost(bound, r**t * start + noise / (1 - r), given=[r < 1])


@claim(
    PAPER, "sec1-monotone", at="Section 1, Contributions", kind="monotonicity", uses=["prop-3.4-corrected"]
)
def bound_improves_with_every_step_if_the_noise_does_not_grow():
    """With noise that does not depend on the number of iterations the bound "can improve monotonically":
    (3.15) with a fixed noise N per step, rho^(2t) psi_0 + (1 - rho^(2t))/(1 - rho^2) N, falls with every t if
    it starts above its limit, psi_0 >= N/(1 - rho^2), and only then.
    """
    r, noise, start = sp.symbols("r N psi_0", positive=True)
    t = sp.Symbol("t", integer=True, nonnegative=True)
    now, later = (r**k * start + (1 - r**k) / (1 - r) * noise for k in (t, t + 1))
    return AllOf(
        AtMost(later, now, given=[r < 1, start >= noise / (1 - r)]),
        AtMost(now, later, given=[r < 1, start < noise / (1 - r)], strict=True),
    )


@claim(
    PAPER,
    "prop-3.4",
    at="Proposition 3.4, Eqs (3.14) and (3.15), with B of (3.10) as printed",
    kind="inequality",
    expect=REFUTED,
    correction="prop-3.4-corrected",
    breaks="theorem",
)
def matrix_inequality_as_printed_implies_the_bound():
    """If (3.14) holds for some rho, P >= 0, c_0, c >= 0 (B = [alpha; 0]) then E F(x_t) - F* <= rho^(2t)
    V_{P,c}(xi_0)/c + noise, (3.15).
    """
    P = sp.Matrix([[23, -51], [-51, 114]]) / 50
    c0, r, noise = R(2, 25), R(3, 5), R(1, 1000)
    at = {mu: 1, L: 2, alpha: R(4, 5), beta: R(7, 10)}
    gap = (c0 * X0 + X1 + (1 - r) * X2 - phi(P, sp.Matrix([alpha, 0]), r)).subs(at)
    now, before = sp.Integer(1), sp.Integer(1)
    for _ in range(4):
        now, before = (
            ((1 + beta) * now - beta * before - alpha * 2 * now).subs(at),
            now,
        )  # the mean of x_t, F = x^2
    energy = (sp.ones(1, 2) * P * sp.ones(2, 1))[0] + 1
    factor = 1 + 2 * P[0, 1] ** 2 / (P[1, 1] * 2 + 2 * P.det())
    bound = r**4 * energy + (1 - r**4) / (1 - r) * (L * alpha**2 / 2).subs(at) * noise * factor
    minors = [AtMost(0, sp.Matrix(gap[:k, :k]).det(), strict=True) for k in (1, 2, 3)]
    let = {
        "F": "x^2, f(x; y) = x^2 - y x",
        "mu, L": "1, 2",
        "alpha, beta": "4/5, 7/10",
        "x_0 = x_{-1}": "1",
        "rho^2": "3/5",
        "c, c_0": "1, 2/25",
        "P": "[[23, -51], [-51, 114]]/50",
        "E_T": "1/1000",
        "t": "4",
    }
    return Instance(
        AtMost(now**2, bound),
        let=let,
        meets=[*minors, AtMost(0, P[0, 0], strict=True), AtMost(0, P.det(), strict=True)],
        because="E F(x_4) >= F(E x_4); the printed sign of B makes (3.14) the inequality of another system",
    )


@claim(
    PAPER,
    "prop-3.4-corrected",
    at="Proposition 3.4, with B = [-alpha; 0] and c > 0",
    kind="inequality",
    uses=["lem-b.1", "prop-3.3", "eq-3.10-corrected", "prop-3.4-x0-corrected", "eq-3.15-factor"],
    standing="ours",
)
def matrix_inequality_with_the_right_sign_implies_the_bound():
    """If (3.14) holds with B = [-alpha; 0] and c > 0 then (3.15) holds; the noise term may have E|w_t|^2 in
    place of d E_T. One step: where the form of (3.14) is not negative at the state, E V_{P,c} after the step
    is at most rho^2 V_{P,c} + alpha^2 (P_11 + c L/2) E|w_t|^2. All steps: a sequence that does so is at most
    rho^(2t) V_0 + (1 - rho^(2t))/(1 - rho^2) times the noise.
    """
    p11, p12, p22 = sp.symbols("P_11 P_12 P_22", real=True)
    r, c, W = sp.symbols("r c W", positive=True)  # rho^2; E|w_t|^2
    c0 = sp.Symbol("c_0", nonnegative=True)
    P = sp.Matrix([[p11, p12], [p12, p22]])
    state, after, F, noise = heavy_ball_step(W)
    gap = c0 * X0 + c * X1 + c * (1 - r) * X2 - phi(P, sp.Matrix([-alpha, 0]), r)
    now, before, _ = state
    place, least = now + F.minimiser, F.minimum
    energy = quadratic_form(P, [now, before]) + c * (F(place) - least)
    moved_energy = E(quadratic_form(P, [after - F.minimiser, now]), noise) + c * (E(F(after), noise) - least)
    added = alpha**2 * (p11 + c * L / 2) * W
    fall = F.descent(place, after)
    one = (
        Theorem(
            given=[mu < L, r < 1, quadratic_form(gap, state) >= 0],
            shows=AtMost(moved_energy, r * energy + added),
        )
        .expect(AtMost(fall.lhs, fall.rhs), [noise], "the descent lemma")
        .have(AtMost(quadratic_form(X0, state), 0), "the sector of the gradient")
        .have(AtMost(quadratic_form(X2, state), least - F(place)), "strong convexity at x_t and x*")
    )
    V, added_, index = sp.IndexedBase("V", nonnegative=True), sp.Symbol("N", positive=True), t
    recursion = ForEvery(AtMost(V[index + 1], r * V[index] + added_), index, 1, T)
    every = (
        Theorem(
            given=[r < 1, recursion],
            shows=AtMost(V[T + 1], r**T * V[1] + (1 - r**T) / (1 - r) * added_),
        )
        .unroll(V[index], r, added_, (index, 1, T), "T steps")
        .have(
            Equal(sp.Sum(r ** (T - index) * added_, (index, 1, T)), (1 - r**T) / (1 - r) * added_),
            "geometric",
        )
    )
    return AllOf(one, every)


@claim(
    PAPER,
    "prop-3.4-feasible",
    at="Eq (3.14), B = [-alpha; 0]",
    kind="inequality",
    expect=SUPPORTED,
    uses=["prop-3.4-corrected"],
    standing="ours",
)
def corrected_matrix_inequality_can_be_met():
    """The corrected (3.14) is not empty: mu = 1, L = 2, alpha = 1/4, beta = 1/5 has rho^2 = 4/5 (an exact
    certificate).
    """
    P = sp.Matrix([[203, -48], [-48, 39]]) / 10
    at = {mu: 1, L: 2, alpha: R(1, 4), beta: R(1, 5)}
    gap = (R(9, 5) * X0 + X1 + (1 - R(4, 5)) * X2 - phi(P, sp.Matrix([-alpha, 0]), R(4, 5))).subs(at)
    minors = [AtMost(0, sp.Matrix(gap[:k, :k]).det(), strict=True) for k in (1, 2, 3)]
    let = {
        "mu, L": "1, 2",
        "alpha, beta": "1/4, 1/5",
        "rho^2": "4/5",
        "c, c_0": "1, 9/5",
        "P": "[[203, -48], [-48, 39]]/10",
    }
    return Instance(AtMost(0, P.det(), strict=True), let=let, meets=minors)


@claim(
    PAPER,
    "sec5-hb-matrix",
    at="Eq (3.14) at the parameters of DP-HB in Section 5",
    kind="inequality",
    uses=["prop-3.4-corrected"],
    standing="ours",
)
def no_rate_below_one_for_dp_hb_as_run():
    """At alpha = 1/L and beta = (1 - sqrt(alpha mu))/(1 + sqrt(alpha mu)), the parameters of DP-HB for c = 1,
    and kappa = 25 (mu = 1, L = 25, beta = 2/3), no rho < 1, P >= 0, c_0 >= 0, c > 0 meet (3.14) with the sign
    of B corrected: against the positive definite Z = [[50, 48, 77], [48, 49, 116], [77, 116, 747]] its gap is
    negative. Proposition 3.4 says nothing of that run.
    """
    p11, p12, p22 = sp.symbols("P_11 P_12 P_22", real=True)
    r, c, c0 = (
        sp.Symbol("r", positive=True),
        sp.Symbol("c", positive=True),
        sp.Symbol("c_0", nonnegative=True),
    )
    run = {mu: 1, L: 25, alpha: sp.Rational(1, 25), beta: sp.Rational(2, 3)}
    P = sp.Matrix([[p11, p12], [p12, p22]])
    gap = (c0 * X0 + c * X1 + c * (1 - r) * X2 - phi(P, sp.Matrix([-alpha, 0]), r)).subs(run)
    Z = sp.Matrix([[50, 48, 77], [48, 49, 116], [77, 116, 747]])
    return AllOf(
        PositiveSemidefinite(Z),
        AtMost(
            sp.expand((Z * gap).trace()),
            0,
            given=[p11 >= 0, p22 >= 0, p12**2 <= p11 * p22, r < 1],
            strict=True,
        ),
    )


@claim(
    PAPER,
    "prop-3.4-x0",
    at="Proposition 3.4, X_0",
    kind="identity",
    expect=REFUTED,
    correction="prop-3.4-x0-corrected",
    breaks="misprint",
    standing="misprint",
)
def block_2_i_d_fits_the_three_by_three_inequality():
    """X_0, with 2 I_d as its last block, is of the size of the others in (3.14), which are 3 x 3. It has 2 +
    d rows.
    """
    rows = 2 + d
    return Equal(rows, X1.shape[0])


@claim(
    PAPER,
    "prop-3.4-x0-corrected",
    at="Proposition 3.4, X_0 with 2",
    kind="identity",
    uses=["def-a.1"],
    standing="ours",
)
def x0_with_2_is_the_sector_of_the_gradient():
    """With 2 in the corner, (xi, grad F)' X_0 (xi, grad F) = 2 (grad F - mu x)'(grad F - L x), x being x_t -
    x*, which is at most 0 on S_{mu,L}, in every dimension.
    """
    F, place, before = Function("F", smooth=L, strongly_convex=mu), Vector("x_t"), Vector("x_before")
    now, slope = place - F.minimiser, F.gradient(place)
    stated = 2 * inner(slope - mu * now, slope - L * now)
    return AllOf(
        Equal(quadratic_form(X0, [now, before, slope]), stated),
        AtMost(stated, 0, given=[mu < L]),
    )


@claim(PAPER, "eq-3.15-factor", at="Eq (3.15)", kind="identity")
def noise_factor_is_the_ratio_of_the_noise_to_the_least_energy():
    """V_{P,c} >= (c + 2 |P|/(L P_22)) (F - F*) for P >= 0 with P_22 > 0; alpha^2 (P_11 + c L/2) over this
    constant is the noise factor (L alpha^2/2)(1 + 2 P_12^2/(P_22 c L + 2 |P|)) of (3.15). The constant is at
    least c, so that the first term of (3.15) may have 1/c.
    """
    p11, p12 = sp.symbols("P_11 P_12", real=True)
    p22, c = sp.symbols("P_22 c", positive=True)
    gap = sp.Symbol("D", nonnegative=True)  # F - F*
    det = p11 * p22 - p12**2
    least = c + 2 * det / (L * p22)
    now, before = vectors("x y")
    energy = quadratic_form(sp.Matrix([[p11, p12], [p12, p22]]), [now, before])
    stated = L * alpha**2 / 2 * (1 + 2 * p12**2 / (p22 * c * L + 2 * det))
    return AllOf(
        Theorem(given=[det >= 0, gap <= L / 2 * norm2(now)], shows=AtMost(least * gap, energy + c * gap))
        .have(AtMost(det / p22 * norm2(now), energy), "least over x_{t-1}")
        .have(AtMost(2 * det / (L * p22) * gap, det / p22 * norm2(now)), "smoothness"),
        Equal(alpha**2 * (p11 + c * L / 2) / least, stated, given=[det >= 0]),
        AtMost(c, least, given=[det >= 0]),
    )


@claim(
    PAPER,
    "sec3.1-gridsearch",
    at="after Proposition 3.4",
    kind="algorithm property",
    expect=SUPPORTED,
    uses=["prop-3.4-corrected"],
)
def grid_search_solves_the_matrix_inequality():
    """(3.14) (with the sign of B corrected) can be solved by a simple grid search over rho and the entries of
    P, and the right side of (3.15) computed from what it finds: for mu = 1, L = 2 and four choices of alpha
    and beta (c = 1, t = 10, |x_0 - x*| = 1, F(x_0) - F* = 1, d E_T = 1).
    """
    import numpy as np

    p11, p12, p22, c0 = (
        v.ravel()
        for v in np.meshgrid(
            np.linspace(1, 25, 13), np.linspace(-10, 0, 11), np.linspace(0, 10, 11), np.linspace(0, 4, 9)
        )
    )
    P = np.stack([np.stack([p11, p12], -1), np.stack([p12, p22], -1)], -2)
    fits = np.linalg.eigvalsh(P)[:, 0] >= 0

    def solved(size: float, momentum: float) -> str | None:
        at = {mu: 1.0, L: 2.0, alpha: size, beta: momentum}
        base, drop, sector = (np.array(M.subs(at), dtype=float) for M in (X1, X2, X0))
        joined = np.array(A.subs(at).row_join(sp.Matrix([-size, 0])), dtype=float)  # [A B]
        moves = np.einsum("ij,kil,lm->kjm", joined, P, joined)
        corner = np.zeros_like(moves)
        corner[:, :2, :2] = P
        for r in np.linspace(0.40, 0.99, 60):
            gap = c0[:, None, None] * sector + base + (1 - r) * drop - moves + r * corner
            ok = (np.linalg.eigvalsh(gap)[:, 0] >= 0) & fits
            if ok.any():
                k = int(np.argmax(ok))
                det = p11[k] * p22[k] - p12[k] ** 2
                extra = 2 * p12[k] ** 2 / (2 * p22[k] + 2 * det) if p12[k] else 0.0
                noise = (1 - r**10) / (1 - r) * size**2 * (1 + extra)
                bound = r**10 * (P[k].sum() + 1) + noise
                found = f"P = {P[k].tolist()}, c_0 = {c0[k]:g}"
                return f"alpha = {size}, beta = {momentum}: rho^2 = {r:.2f}, {found}, (3.15) = {bound:.3g}"
        return None

    def run(effort: Effort) -> Result:
        settings = [(0.25, 0.2), (0.25, 0.1), (0.2, 0.2), (0.2, 0.1)]
        told = [solved(*setting) for setting in settings]
        if None in told:
            return Result(
                UNDECIDED, f"the grid holds no solution for alpha, beta = {settings[told.index(None)]}"
            )
        evidence = Evidence(
            "grid search",
            samples=len(p11) * 60 * len(settings),
            ceiling="one kappa, four choices of alpha and beta; the search could have found nothing",
        )
        return Result(SUPPORTED, "; ".join(filter(None, told)), evidence)

    return Tested("a grid over rho, P, c_0 holds a solution", run)
