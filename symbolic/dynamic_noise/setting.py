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
from dpverify.language.mechanisms import Private, Repeated
from dpverify.neighbours import ADD_REMOVE, REPLACE, ZERO_OUT, Neighbours
from dpverify.relations import AtMost, Derivation, Equal, Instance, Tested
from dpverify.releases import Gaussian
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
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
    breaks="proof",
)
def linear_loss_is_lipschitz():
    """G-Lipschitz continuity: |f(y) - f(x)| <= G |y - x|^2 (as printed); it should hold of f(x) = G x, which
    has slope G everywhere.

    As printed only constants qualify (def-3.1-vacuous); a misprint, of the paper or of the scan.
    """
    h = sp.Symbol("h", positive=True)  # |y - x|
    return Instance(AtMost(G * h, G * h**2), let={"f(x)": "G x", "y - x": "h"}, because="|f(y) - f(x)| = G h")


@claim(PAPER, "def-3.1-vacuous", at="Definition 3.1", kind="definition", expect=SUPPORTED)
def squared_condition_forces_constants():
    """|f(y) - f(x)| <= G |y - x|^2 forces f to be constant: cut h = |y - x| into n parts, n G (h/n)^2 = G
    h^2/n, for every n.
    """
    h, n, k = (
        sp.Symbol("h", positive=True),
        sp.Symbol("n", integer=True, positive=True),
        sp.Symbol("k", integer=True, positive=True),
    )
    return (
        Derivation()
        .step(
            Equal(sp.Sum(G * (h / n) ** 2, (k, 1, n)), G * h**2 / n),
            "the condition on each of n parts of the segment",
        )
        .step(Equal(sp.limit(G * h**2 / n, n, sp.oo), 0), "the bound on |f(y) - f(x)| tends to 0")
    )


@claim(PAPER, "def-3.1-corrected", at="Definition 3.1, corrected", kind="definition", expect=SUPPORTED)
def lipschitz_bounds_the_gradient():
    """|f(y) - f(x)| <= G |y - x|: then |grad f| <= G, what the sensitivity uses; at y = x + h u, f(y) - f(x)
    = g h + o(h).
    """
    g, h, r = sp.symbols("g h r", positive=True)  # slope along u, step, remainder per step
    return (
        Derivation()
        .step(AtMost(g, G + r, given=[g * h - r * h <= G * h]), "(f(x + h u) - f(x))/h >= g - r with r -> 0")
        .step(Equal(sp.limit(G + r, r, 0), G), "r -> 0")
    )


@claim(PAPER, "def-3.2", at="Definition 3.2", kind="definition")
def quadratics_are_strongly_convex():
    """m-strong convexity: f(y) >= f(x) + f'(x)(y - x) + (m/2)(y - x)^2; a quadratic with curvature lam >= m
    has it.
    """
    x, y = sp.symbols("x y", real=True)
    lam, m = sp.symbols("lam m", positive=True)
    f = lam * x**2 / 2
    return AtMost(f + sp.diff(f, x) * (y - x) + m * (y - x) ** 2 / 2, f.subs(x, y), given=[lam >= m])


@claim(PAPER, "def-3.3", at="Definition 3.3", kind="definition", expect=SUPPORTED)
def smoothness_is_the_descent_lemma():
    """M-smoothness: f(y) <= f(x) + f'(x)(y - x) + (M/2)(y - x)^2; quadratics of curvature at most M have it,
    and at y = x - g/M it gives descent g^2/(2M).

    It is one-sided: -x^2 has it for every M, so it does not bound the change of the gradient.
    """
    x, y, lam, g = sp.symbols("x y lam g", real=True)
    f = lam * x**2 / 2
    return (
        Derivation()
        .step(
            AtMost(f.subs(x, y), f + sp.diff(f, x) * (y - x) + M * (y - x) ** 2 / 2, given=[lam <= M]),
            "a quadratic of any curvature lam <= M, negative too",
        )
        .step(
            Equal(g * (-g / M) + (M / 2) * (g / M) ** 2, -(g**2) / (2 * M)),
            "at y = x - g/M: the descent that Theorem 4.1 uses",
        )
    )


def gaussian_divergence() -> Derivation:
    """D_a(N(d, s^2), N(0, s^2)) = a d^2/(2 s^2), by completing the square."""
    u = sp.Symbol("u", real=True)
    s = sp.Symbol("s", positive=True)
    exponent = (-order * (u - shift) ** 2 - (1 - order) * u**2) / (2 * s**2)
    square = -((u - order * shift) ** 2) / (2 * s**2)
    return (
        Derivation()
        .step(
            Equal(exponent, square + order * (order - 1) * shift**2 / (2 * s**2)),
            "p^a q^(1-a) is a Gaussian density times a constant",
        )
        .step(
            Equal(
                order * (order - 1) * shift**2 / (2 * s**2) / (order - 1),
                order * shift**2 / (2 * s**2),
                given=[order > 1],
            ),
            "D_a = ln(that constant)/(a - 1)",
        )
    )


@claim(PAPER, "def-3.4", at="Definition 3.4", kind="definition", expect=SUPPORTED)
def gaussian_noise_meets_the_definition():
    """rho-zCDP: D_a(M(d), M(d')) <= rho a for all a > 1; Gaussian noise of multiplier sigma meets it with rho
    = 1/(2 sigma^2) and no less.
    """
    rho = sp.Symbol("rho", positive=True)
    value = order * shift**2 / (2 * (shift * sigma) ** 2)
    chain = gaussian_divergence()
    return chain.step(
        AtMost(value, rho * order, given=[rho >= 1 / (2 * sigma**2)]), "with s = sigma times the sensitivity"
    ).step(AtMost(1 / (2 * sigma**2), rho, given=[value <= rho * order]), "and no smaller rho will do")


@claim(PAPER, "sec3-ma-less-tight", at="Section 3", kind="inequality", expect=SUPPORTED)
def moments_accountant_is_never_tighter_than_zcdp():
    """The moments accountant (log moments lam (lam + 1) rho at whole orders lam) gives (lam + 1) rho + L/lam
    >= rho + 2 sqrt(rho L), the zCDP conversion.

    The comparison is for Gaussian steps on the full batch; a cap on the orders (32 is usual) costs more the
    smaller rho is.
    """
    lam, rho, L = sp.symbols("lambda rho L", positive=True)
    moment = lam * (lam + 1) * rho
    cap = sp.Integer(32)
    best = rho + 2 * sp.sqrt(rho * L)
    return (
        Derivation()
        .step(Equal((moment + L) / lam, (lam + 1) * rho + L / lam), "epsilon from a log moment at tail delta")
        .step(AtMost(best, (lam + 1) * rho + L / lam), "arithmetic and geometric mean of lam rho and L/lam")
        .step(
            AtMost(L / 128, (cap + 1) * rho + L / cap - best, given=[4 * cap**2 * rho <= L]),
            "with the orders capped at 32, at least L/128 is lost once rho <= L/4096: the "
            "smaller the budget, the larger the share",
        )
    )


@claim(
    PAPER,
    "sec3-step-cost",
    at="Section 3",
    kind="identity",
    uses=["lemma-b.1", "lemma-b.1-corrected", "lemma-b.2"],
    expect=SUPPORTED,
)
def step_cost_is_half_of_one_over_sigma_squared():
    """Noise N(0, sigma_t^2) on a query of sensitivity 1 costs 1/(2 sigma_t^2), so T steps cost half of sum_t
    1/sigma_t^2: R = 2 rho.
    """
    s2 = sp.IndexedBase("s2", positive=True)
    divergences = sp.Sum(order / (2 * s2[t]), (t, 1, T))
    rho = sp.Sum(1 / s2[t], (t, 1, T)) / 2
    return gaussian_divergence().step(
        Equal(divergences, rho * order),
        "the divergences of T Gaussian steps add up to a rho, rho = (1/2) sum_t 1/sigma_t^2",
    )


@claim(PAPER, "eq-1", at="Eq (1)", kind="algorithm property")
def eq_1_is_algorithm_1_with_the_full_batch():
    """theta_{t+1} = theta_t - eta_t (grad_t + sigma_t G nu_t/N): Algorithm 1 with phi = g and n = N, the
    noise being sigma_t times the sensitivity G/N.
    """
    theta, eta, nu, s = (
        sp.Symbol("theta", real=True),
        sp.Symbol("eta", positive=True),
        sp.Symbol("nu", real=True),
        sp.Symbol("sigma_t", positive=True),
    )
    g, n = sp.IndexedBase("g", real=True), sp.Symbol("n", integer=True, positive=True)
    average = sp.Sum(g[i], (i, 1, n)) / n
    algorithm = theta - eta * (average + G * s * nu / N)
    printed = theta - eta * (sp.Sum(g[i], (i, 1, N)) / N + s * G * nu / N)
    return Equal(algorithm.subs(n, N), printed)


@claim(PAPER, "eq-phi", at="Section 3, below Eq (1)", kind="identity")
def phi_of_momentum_is_the_corrected_average():
    """phi = [beta (1 - beta^(t-1)) m_t + (1 - beta) g_t]/(1 - beta^t) is v_{t+1}/(1 - beta^t), v_{t+1} = beta
    v_t + (1 - beta) g_t, and m_t likewise.
    """
    beta, s = sp.Symbol("beta", positive=True), sp.Symbol("s", integer=True, positive=True)
    v, g = sp.symbols("v g", real=True)
    m = v / (1 - beta ** (s - 1))
    phi = (beta * (1 - beta ** (s - 1)) * m + (1 - beta) * g) / (1 - beta**s)
    return Equal((beta * v + (1 - beta) * g) / (1 - beta**s), phi, given=[beta < 1, s >= 2])


@claim(
    PAPER,
    "alg-1-guard",
    at="Algorithm 1, line 2",
    kind="algorithm property",
    uses=["lemma-4.1"],
    expect=REFUTED,
    correction="alg-1-guard-corrected",
    breaks="theorem",
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
    expect=SUPPORTED,
)
def guard_lets_the_schedule_of_lemma_4_1_through():
    """With the guard rho_t <= R_t all T steps of the schedule of Lemma 4.1 are taken, and the budget is spent
    exactly.
    """
    s = sp.Symbol("s", positive=True)
    roots = sp.Sum(sp.sqrt(q[i]), (i, 1, T))
    total = sp.Sum(R * sp.sqrt(q[t]) / roots, (t, 1, T))
    later = sp.Symbol("later", nonnegative=True)  # the share of the steps after this one
    return (
        Derivation()
        .step(Equal(total, R), "the costs 1/sigma_t^2 = R sqrt q_t / sum_i sqrt q_i add up to R")
        .step(AtMost(s, s + later), "what is left before a step is its own cost and that of the later steps")
    )


@claim(PAPER, "alg-1-t1", at="Algorithm 1, line 5", kind="identity")
def first_momentum_is_the_first_gradient():
    """m_2 = g_1: phi at t = 1 gives it whatever m_1 is."""
    beta, m, g = sp.Symbol("beta", positive=True), sp.Symbol("m_1", real=True), sp.Symbol("g_1", real=True)
    first = sp.Integer(1)
    return Equal(
        (beta * (1 - beta ** (first - 1)) * m + (1 - beta) * g) / (1 - beta**first), g, given=[beta < 1]
    )


@claim(
    PAPER,
    "alg-1-batch",
    at="Algorithm 1, lines 1 and 4, n < N",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="alg-1-batch-corrected",
    breaks="privacy",
)
def noise_over_n_records_covers_a_batch_mean():
    """A step on n gradients averages over n but adds noise G sigma_t/N (line 4): its cost at order a is still
    at most a/(2 sigma_t^2).
    """
    n = sp.Symbol("n", integer=True, positive=True)
    moved, scale = G / n, G * sigma / N
    return Instance(
        AtMost(order * moved**2 / (2 * scale**2), order / (2 * sigma**2), given=[order > 1, n <= N]),
        let={"batch": "n of N records, the same n for both data sets", "D": "1"},
        because="zeroing one record of the batch moves its mean by G/n, and the divergence of two "
        "shifted Gaussians is a d^2/(2 s^2)",
    )


@claim(
    PAPER,
    "alg-1-batch-corrected",
    at="Algorithm 1, lines 1 and 4, corrected",
    kind="privacy guarantee",
    uses=["lemma-b.2"],
    expect=SUPPORTED,
)
def noise_over_the_batch_covers_a_batch_mean():
    """With noise G sigma_t/n on the mean of n gradients, a fixed batch costs a/(2 sigma_t^2) at every order
    a.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    return gaussian_divergence().step(
        Equal(order * (G / n) ** 2 / (2 * (G * sigma / n) ** 2), order / (2 * sigma**2)),
        "sensitivity and noise have the same denominator",
    )


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
    uses=[
        "def-b.1",
        "lemma-b.1",
        "lemma-b.1-corrected",
        "lemma-b.2",
        "proof-3.1-chain",
        "proof-3.1-chain-corrected",
    ],
)
def algorithm_1_is_half_r_zcdp_if_a_record_is_zeroed():
    """Algorithm 1 is rho-zCDP with rho <= R/2 when neighbours differ by one sample contributing nothing and
    1/N is fixed (Definition B.1).
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

    The case: T = 1, sigma_1^2 = 1/R, a record with gradient G replaced by one with gradient -G (f(theta; x) =
    x theta, |x| <= G, G-Lipschitz).
    """
    divergence = order * (2 * G / N) ** 2 / (2 * (G / N) ** 2 / R)
    return Instance(
        AtMost(divergence, order * R / 2, given=[order > 1]),
        let={
            "f(theta; x)": "x theta, |x| <= G",
            "T": "1",
            "sigma_1^2": "1/R",
            "records": "x_1 = G against x_1 = -G",
        },
        because="the averaged gradient moves by 2 G/N, and D_a of two Gaussians is a d^2/(2 s^2)",
    )


@claim(
    PAPER,
    "thm-3.1-replace-corrected",
    at="Theorem 3.1, by replacement, corrected",
    kind="privacy guarantee",
    uses=["lemma-b.1-corrected", "lemma-b.2"],
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
    breaks="privacy",
)
def algorithm_1_is_half_r_zcdp_if_a_record_is_removed():
    """Algorithm 1 is rho-zCDP with rho <= R/2 when a record is removed and the average is over the records
    present (1/N, then 1/(N-1)).

    The case: T = 1, sigma_1^2 = 1/R, gradients G and -G, N = 2; without the first the average is -G. The
    noise is that of N = 2.
    """
    moved = sp.Abs((G - G) / 2 - (-G))
    return Instance(
        AtMost(order * moved**2 / (2 * (G / 2) ** 2 / R), order * R / 2, given=[order > 1]),
        let={
            "f(theta; x)": "x theta, |x| <= G",
            "T": "1",
            "sigma_1^2": "1/R",
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
    breaks="privacy",
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
    "thm-3.1-output",
    at="Theorem 3.1 against EER",
    kind="algorithm property",
    uses=["thm-4.1"],
    expect=REFUTED,
    correction="thm-4.1",
    breaks="proof",
)
def bound_of_theorem_4_1_is_about_theta_t():
    """The output theta_T has the bound of Eq (3), E f(theta_T) - f* <= (gamma^T + R alpha sum_t gamma^(T-t)
    sigma_t^2)(f(theta_1) - f*).

    The case T = 1: theta_T = theta_1 is the start, of relative excess 1, and Eq (3) is gamma + alpha. It
    bounds theta_{T+1}, as EER has it.
    """
    return Instance(
        AtMost(sp.Integer(1), gamma + R * alpha * (1 / R), given=[gamma < 1]),
        let={"T": "1", "sigma_1^2": "1/R"},
        because="theta_T = theta_1: no step has been taken",
    )


@claim(PAPER, "def-eer", at="Section 4", kind="definition", uses=["thm-4.1"], expect=SUPPORTED)
def eer_of_a_quadratic_is_within_erub():
    """EER = E f(theta_{T+1}) - f*, ERUB = its bound over f(theta_1) - f*; on f = lam theta^2/2, mu <= lam <=
    M, the exact EER is within ERUB at every T.
    """
    lam, first, s2 = sp.symbols("lam e_1 s2", positive=True)
    e, bound = sp.symbols("e bound", nonnegative=True)
    exact = (1 - lam / M) ** 2 * e + (lam / 2) * (G / (M * N)) ** 2 * s2
    a = schedules.alpha_of(1, G, R, M, N, first)
    step_bound = (1 - mu / M) * bound + R * a * first * s2
    return (
        Derivation()
        .step(
            Equal((lam / 2) * ((1 - lam / M) ** 2 * 2 * e / lam + (G / (M * N)) ** 2 * s2), exact),
            "E lam theta^2/2 after one step, e = E f before it",
        )
        .step(
            AtMost(exact, step_bound, given=[lam >= mu, lam <= M, e <= bound]),
            "the step keeps EER below ERUB (f(theta_1) - f*); at T = 0 both are 1",
        )
    )


@claim(PAPER, "sc-implies-pl", at="Section 4", kind="inequality", expect=SUPPORTED)
def strong_convexity_implies_pl():
    """m-strong convexity implies the PL condition with mu = m: minimise both sides of Definition 3.2 over
    y.
    """
    g, m, h, gap = sp.symbols("g m h gap", nonnegative=True)  # |grad|, m, |y - x|, f(x) - f*
    return (
        Derivation()
        .step(
            AtMost(-(g**2) / (2 * m), -g * h + m * h**2 / 2, given=[m > 0]),
            "grad'(y - x) + (m/2)|y - x|^2 >= -|grad|^2/(2m) for every y",
        )
        .step(
            AtMost(2 * m * gap, g**2, given=[m > 0, -gap >= -(g**2) / (2 * m)]),
            "at y = the minimiser: f* - f(x) >= -|grad|^2/(2m)",
        )
    )


@claim(PAPER, "def-4.1", at="Definition 4.1", kind="definition")
def quadratics_meet_the_pl_condition():
    """PL: |grad f|^2 >= 2 mu (f - f*); quadratics with curvatures lam >= mu meet it, flat directions (lam =
    0) included, where f is not strongly convex.
    """
    x, y = sp.symbols("x y", real=True)
    lam = sp.Symbol("lam", positive=True)
    f = lam * x**2 / 2 + 0 * y**2
    return AtMost(2 * mu * f, sp.diff(f, x) ** 2 + sp.diff(f, y) ** 2, given=[lam >= mu])


@claim(
    PAPER,
    "thm-4.1-satisfiable",
    at="Theorem 4.1, hypotheses",
    kind="definition",
    expect=REFUTED,
    correction="thm-4.1",
    breaks="theorem",
)
def a_loss_on_all_of_space_is_lipschitz_and_pl():
    """Some f that is not constant on R^D is G-Lipschitz and meets the PL condition: along the ascent flow
    from e_0 = f - f* > 0, f - f* stays <= G^2/(2 mu).

    PL gives d(f - f*)/ds = |grad|^2 >= 2 mu (f - f*), so f - f* >= e_0 exp(2 mu s) for all s, and G >= |grad|
    bounds it by G^2/(2 mu): no such f exists. The proof of Theorem 4.1 does not need it: G is there the scale
    of the noise, and clipping bounds the sensitivity.
    """
    s, first, e = sp.symbols("s e_0 e", positive=True)
    return (
        Derivation()
        .step(AtMost(e, G**2 / (2 * mu), given=[2 * mu * e <= G**2]), "PL and |grad| <= G")
        .step(
            Equal(sp.diff(first * sp.exp(2 * mu * s), s), 2 * mu * first * sp.exp(2 * mu * s)),
            "the solution of e' = 2 mu e from e_0",
        )
        .step(
            AtMost(first * sp.exp(2 * mu * s), G**2 / (2 * mu), given=[first <= G**2 / (2 * mu)]),
            "so this would hold at every s > 0",
        )
    )


@claim(PAPER, "eq-2-alpha", at="Eq (2)", kind="identity")
def alpha_times_the_first_gap():
    """alpha (f(theta_1) - f*) = D G^2/(2 R M N^2): the noise of one step at sigma_1^2 = 1/R, (M/2) E|G sigma
    nu/(M N)|^2.
    """
    gap = sp.Symbol("gap", positive=True)
    derived = (M / 2) * D * (G / (M * N)) ** 2 / R
    return Equal(derived, gap / (2 * R * M * N**2 * gap / (D * G**2)))


@claim(
    PAPER, "eq-2-range", at="Below Eq (2)", kind="inequality", uses=["def-3.3", "def-4.1"], expect=SUPPORTED
)
def kappa_is_at_least_one():
    """kappa = M/mu >= 1 and gamma in [0, 1): M-smoothness gives |grad|^2 <= 2 M (f - f*), PL gives >= 2 mu (f
    - f*).
    """
    g2, gap = sp.symbols("g2 gap", positive=True)
    return (
        Derivation()
        .step(
            AtMost(g2, 2 * M * gap, given=[g2 / (2 * M) <= gap]),
            "Definition 3.3 at y = x - grad/M: f* <= f(x) - |grad|^2/(2M)",
        )
        .step(AtMost(mu, M, given=[2 * mu * gap <= g2, g2 <= 2 * M * gap]), "at a point where f > f*")
        .step(AtMost(0, 1 - 1 / kappa, given=[kappa >= 1]), "gamma >= 0")
        .step(AtMost(1 - 1 / kappa, 1, strict=True), "gamma < 1")
    )
