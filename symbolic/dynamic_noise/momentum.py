"""Section 4.2: momentum. Theorem 4.4 and its repair, the exact influence, Theorems 4.5 and 4.6, Theorem 4.8,
the rows of the tables.

    EER <= (gamma^T + 2 R eta_0 alpha U_3)(f(theta_1) - f*),  gamma = 1 - eta_0/kappa
    Eq (11)
    U_3 = sum_t gamma^(T-t) w_t^2 sum_{i<=t} beta^(2(t-i)) sigma_i^2 = sum_t Q_t sigma_t^2,  w_t =
    (1-beta)/(1-beta^t)   Eq (13)

As printed the step is eta_0/(2M); the repair has the step eta_0/M and the condition 1 - eta_0 - 4 c eta_0^2
>= 0, c = beta gamma/((gamma-beta)^2 (1-beta)^3), gamma > beta. G is the scale of the noise; at the points
used it bounds the gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from dpverify import montecarlo
from dpverify.algorithms.private_gd_momentum import momentum_schedule, private_gd_momentum
from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.engine import Algorithm
from dpverify.formulas import dynamic_noise as schedules
from dpverify.moments import exact_moments
from dpverify.parts.cases import quadratic_case
from dpverify.problems import Problem, Quadratic
from dpverify.relations import (
    AtMost,
    BigO,
    Derivation,
    Equal,
    Increasing,
    Induction,
    Instance,
    Quoted,
    Tested,
)
from dpverify.schedules import Schedule, step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

t = step()
i, j, T, Th = sp.symbols("i j T T_hat", integer=True, positive=True)
beta, gamma, eta0, kappa, alpha, M, mu, R, eta = sp.symbols(
    "beta gamma eta_0 kappa alpha M mu R eta", positive=True
)
s2 = sp.IndexedBase("s2", positive=True)  # sigma_t^2
INSIDE = [beta < 1, gamma < 1]
C = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
ETA0_LIMIT = 8 / (sp.sqrt(1 + 64 * C) + 1)


def weight(x):
    """w_x = (1-beta)/(1-beta^x)."""
    return (1 - beta) / (1 - beta**x)


W, A = (
    sp.IndexedBase("W", positive=True),
    sp.IndexedBase("A", positive=True),
)  # w_t^2, and sum_{i<=t} beta^(2(t-i)) sigma_i^2
U3 = sp.Sum(gamma ** (T - t) * W[t] * A[t], (t, 1, T))


def influence(length):
    """Q_1..Q_length by Q_t = gamma^(T-t) w_t^2 + beta^2 Q_{t+1}, written out."""
    values = [sp.Integer(0)]
    for s in range(length, 0, -1):
        values.insert(0, gamma ** (length - s) * sp.cancel(weight(sp.Integer(s))) ** 2 + beta**2 * values[0])
    return values[:-1]


@claim(PAPER, "eq-10", at="Eq (10)", kind="identity", expect=SUPPORTED)
def momentum_is_the_corrected_average():
    """phi(m_t, g_t) = v_{t+1}/(1-beta^t), v_{t+1} = beta v_t + (1-beta) g_t = (1-beta) sum_i beta^(t-i) g_i,
    v_1 = 0, 0 < beta < 1.

    At beta = 1, which the paper admits, both sides are 0/0.
    """
    g, v, x = sp.IndexedBase("g", real=True), sp.Symbol("v", real=True), sp.Symbol("x", real=True)
    average = (1 - beta) * sp.Sum(beta ** (T - i) * g[i], (i, 1, T))
    phi = (beta * (1 - beta ** (t - 1)) * (v / (1 - beta ** (t - 1))) + (1 - beta) * x) / (1 - beta**t)
    return (
        Derivation()
        .step(
            Equal(phi, (beta * v + (1 - beta) * x) / (1 - beta**t), given=[beta < 1, t >= 2]),
            "phi of m_t = v_t/(1-beta^(t-1)); at t = 1 it is g_1",
        )
        .step(
            Equal(average.subs(T, T + 1), beta * average + (1 - beta) * g[T + 1]),
            "the sum obeys the recursion",
        )
        .step(
            Equal(average.subs(T, 1).doit(), beta * 0 + (1 - beta) * g[1]), "and starts at v_2 = (1-beta) g_1"
        )
    )


@claim(
    PAPER,
    "text-m-unbiased",
    at="Below Eq (10)",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="text-m-unbiased-corrected",
)
def momentum_is_unbiased():
    """m_{t+1} is an unbiased estimate of the gradient at theta_t."""
    g1 = sp.Symbol("grad_1", real=True)
    mean_of_g2 = (1 - eta) * g1  # f = theta^2/2: theta_2 = theta_1 - eta (grad_1 + noise)
    mean_of_m3 = (beta * (1 - beta) * g1 + (1 - beta) * mean_of_g2) / (1 - beta**2)
    case = {"f": "theta^2/2", "t": "2", "gradients": "grad_1 = theta_1, E grad_2 = (1 - eta) theta_1"}
    return Instance(
        Equal(mean_of_m3, mean_of_g2, given=[beta < 1, eta < 1]),
        let=case,
        because="an average of old gradients, which have moved",
    )


@claim(PAPER, "text-m-unbiased-corrected", at="Below Eq (10), corrected", kind="identity")
def weights_of_momentum_sum_to_one():
    """E m_{t+1} is a weighted mean of the gradients so far: its weights (1-beta) beta^(t-i)/(1-beta^t) sum to
    1 (those of v_{t+1} to 1 - beta^t).
    """
    return Equal((1 - beta) * sp.Sum(beta ** (t - i), (i, 1, t)), 1 - beta**t, given=[beta < 1])


@claim(PAPER, "influence", at="Section 4.2, from Eq (13)", kind="identity", uses=["eq-13"], expect=SUPPORTED)
def exact_influence_of_momentum():
    """U_3 = sum_t Q_t sigma_t^2 with Q_t = gamma^(T-t) w_t^2 + beta^2 Q_{t+1}, Q_{T+1} = 0: from T to T + 1,
    both gain alike.

    Lemma 4.1 with q = Q gives the best schedule for the bound of Eq (11).
    """
    m = sp.Symbol("m", integer=True)
    n = sp.Symbol("n", integer=True, nonnegative=True)  # T - t
    of_t = sp.Sum(gamma ** (n - m) * W[t + m] * beta ** (2 * m), (m, 0, n))
    next_of_t = sp.Sum(gamma ** (n - m) * W[t + m] * beta ** (2 * (m - 1)), (m, 1, n))
    run = schedules.momentum_influence(beta, gamma, 3).formula
    return (
        Derivation()
        .step(
            Equal(U3.subs(T, T + 1), gamma * U3 + W[T + 1] * A[T + 1]),
            "U_3 from T to T + 1: sigma_t^2 gains W_(T+1) beta^(2(T+1-t))",
        )
        .step(
            Equal(of_t.subs(n, n + 1), gamma * of_t + W[t + n + 1] * beta ** (2 * (n + 1))),
            "Q_t = sum_{j>=t} gamma^(T-j) w_j^2 beta^(2(j-t)) gains the same",
        )
        .step(Equal(of_t, gamma**n * W[t] + beta**2 * next_of_t), "and obeys the recursion in t")
        .step(
            Equal(sum(run.subs(t, s).doit() for s in (1, 2, 3)), sum(influence(3)), given=INSIDE),
            "the influence that the algorithms use is this one (T = 3)",
        )
    )


@claim(
    PAPER,
    "sec4.2-flatten",
    at="Section 4.2, second paragraph",
    kind="monotonicity",
    uses=["influence", "proof-b.7-monotone-corrected"],
    expect=SUPPORTED,
)
def influence_of_momentum_grows_more_slowly():
    """Momentum flattens the influence, which is less steep than that of GD: Q_{t+1}/Q_t <= 1/gamma, the
    growth of gamma^(T-t), for every t.
    """
    # P_t = Q_t gamma^(t-T): P_t = w_t^2 + (beta^2/gamma) P_{t+1}; P_t >= P_{t+1} by induction from the end,
    # where P_{T+1} = 0
    w, w1, p1, p2 = sp.symbols("w w_1 P_1 P_2", nonnegative=True)  # w_t, w_{t+1}, P_{t+1}, P_{t+2}
    r = beta**2 / gamma
    first = sp.Symbol("P", positive=True)
    return (
        Derivation()
        .step(Increasing(weight(t), t, given=[beta < 1], down=True), "the weights decrease")
        .step(
            AtMost(w1**2 + r * p2, w**2 + r * p1, given=[w1 <= w, p2 <= p1]),
            "so P_{t+1} <= P_t follows from P_{t+2} <= P_{t+1}",
        )
        .step(
            AtMost(p1 / (gamma * first), 1 / gamma, given=[p1 <= first]),
            "and Q_{t+1}/Q_t = P_{t+1}/(gamma P_t)",
        )
    )


def _one_step():
    """Both sides of Eq (11) at T = 1, f = theta^2/2, kappa = M = 1: E f(theta_2) by running the algorithm,
    the bound as printed.
    """
    theta, noise = sp.symbols("theta_1 s", positive=True)  # noise = D G^2 sigma_1^2/N^2
    g, rate = 1 - eta0, eta0 / 2
    excess = ((1 - rate) ** 2 * theta**2 + rate**2 * noise) / 2
    zeta = 1 - eta0**2 / (beta * (1 - beta) ** 3) - eta0 / 4
    second_moment = (1 - beta) ** 2 * (theta**2 + noise)  # of v_2 = (1-beta) g_1
    bound = (
        g * theta**2 / 2 + eta0 * noise - zeta * eta0 / 2 * second_moment
    )  # 2 R eta_0 alpha sigma_1^2 (f_1 - f*) = eta_0 noise
    given = [beta < 1, eta0 < 1, sp.Ne(beta, g), eta0 <= ETA0_LIMIT.subs(gamma, g), zeta >= 0]
    return excess, bound, given


@claim(
    PAPER,
    "thm-4.4",
    at="Theorem 4.4, Eq (11)",
    kind="inequality",
    uses=["eq-27", "eq-13", "eq-12-zeta-ge-0"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.4-corrected",
)
def excess_risk_of_momentum_as_printed():
    """With eta = eta_0/(2M): EER <= (gamma^T + 2 R eta_0 alpha U_3)(f(theta_1) - f*) - zeta (eta_0/(2M))
    sum_t gamma^(T-t) E|v_{t+1}|^2.
    """
    excess, bound, given = _one_step()
    case = {
        "f": "theta^2/2",
        "M = mu = kappa": "1",
        "T": "1",
        "G": "theta_1, the norm of the only gradient",
        "s": "D G^2 sigma_1^2/N^2",
    }
    because = (
        "a step of eta_0/(2M) contracts theta by 1 - eta_0/2, and f by (1 - eta_0/2)^2 > 1 - eta_0 = gamma"
    )
    return Instance(AtMost(excess, bound, given=given), let=case, because=because)


@claim(
    PAPER,
    "thm-4.4-corrected",
    at="Theorem 4.4, with step eta_0/M",
    kind="inequality",
    uses=[
        "eq-27-corrected",
        "proof-4.4-u1",
        "proof-4.4-noise-index-corrected",
        "lemma-b.5-corrected",
        "eq-13",
    ],
    expect=SUPPORTED,
)
def excess_risk_of_momentum():
    """With eta = eta_0/M, gamma = 1 - eta_0/kappa > beta, zeta = 1 - eta_0 - 4 c eta_0^2 >= 0 and M-Lipschitz
    gradients: EER <= (gamma^T + 2 R eta_0 alpha U_3)(f(theta_1) - f*) - zeta (eta_0/(2M)) sum_t gamma^(T-t)
    E|v_{t+1}|^2.
    """
    e, g2, v2, U1, U2, V = sp.symbols(
        "e g2 v2 U1 U2 V", nonnegative=True
    )  # f - f*, |grad|^2, |v|^2, U_1, U_2, |sum beta^(t-i) nu_i|^2
    b, c, last, D, G, N, e1 = sp.symbols("b c last D G N e_1", positive=True)
    S, x = sp.Symbol("S", positive=True), sp.Symbol("x", real=True)  # sum_t gamma^(T-t) |v_{t+1}|^2
    r = sp.IndexedBase("r", real=True)
    one = eta / (2 * b**2)
    after = e + one * U1 - eta / 2 * g2 - one * (1 - M * eta) * v2
    stated = (
        (1 - mu * eta) * e
        + eta * (1 - beta) / b * U2
        + eta * (1 - beta) ** 2 / b**2 * V
        - one * (1 - M * eta) * v2
    )
    unrolled = gamma**T * e1 + sp.Sum(gamma ** (T - t) * r[t], (t, 1, T))
    alpha_ = D * G**2 / (2 * R * M * N**2 * e1)
    noise = sp.Sum(gamma ** (T - t) * (eta0 / M) * W[t] * D * G**2 / N**2 * A[t], (t, 1, T))
    return (
        Derivation()
        .step(
            AtMost(
                after,
                stated,
                given=[g2 >= 2 * mu * e, U1 <= 2 * (1 - beta) * (b * U2 + (1 - beta) * V), beta < 1],
            ),
            "Eq (27) corrected, the split of U_1, the PL condition",
        )
        .step(
            Equal(1 - mu * (eta0 / M), 1 - eta0 / (M / mu)),
            "gamma = 1 - mu eta = 1 - eta_0/kappa with the step eta_0/M",
        )
        .step(
            AtMost(
                eta0 / (2 * M) * (1 - eta0) * v2,
                eta0 / M / (2 * b**2) * (1 - M * (eta0 / M)) * v2,
                given=[b <= 1, eta0 <= 1],
            ),
            "b_t <= 1, so that |v|^2 enters with -(eta_0/(2M))(1 - eta_0) at most",
        )
        .step(
            Induction(
                AtMost(x, unrolled, given=[gamma < 1]),
                value=x,
                over=T,
                start=1,
                first=gamma * e1 + r[1],
                next=gamma * x + r[T + 1],
            ),
            "unrolled over T steps, r_t the rest of the right side",
        )
        .step(
            AtMost(
                2 * c * eta0**3 / M * (S - last) - eta0 / (2 * M) * (1 - eta0) * S,
                -eta0 / (2 * M) * (1 - eta0 - 4 * c * eta0**2) * S,
            ),
            "Lemma B.5 corrected for the gradient variance",
        )
        .step(Equal(noise, 2 * R * eta0 * alpha_ * e1 * U3), "the noise, with alpha of Eq (2)")
    )


def _cases() -> tuple[Problem, Any, list[tuple[str, Algorithm, float]]]:
    """A quadratic of condition number 10, its data, and runs of momentum on it: name, algorithm, the bound of
    thm-4.4-corrected.
    """
    problem, data = quadratic_case()
    assert isinstance(problem, Quadratic)
    smooth, budget = float(problem.spectrum.max()), 0.3927
    condition = smooth / float(problem.spectrum.min())
    gap = float(problem.excess(problem.start[None], data)[0])
    cases = []
    for b in (0.1, 0.5, 0.9):
        first = schedules.largest_eta0(b, condition)
        g = 1 - first / condition
        factor = 2 * first * schedules.alpha_of(problem.dimension, 1.0, budget, smooth, problem.count, gap)
        for name in ("uniform", "exact", "piecewise"):
            for steps in (1, 4, 30):
                variances = momentum_schedule(name, b, g, steps, budget)
                algorithm = private_gd_momentum(
                    problem, clip=1.0, variances=variances, steps=steps, beta=b, step_size=first / smooth
                )
                weights = schedules.momentum_influence(b, g, steps).values(steps)
                bound = gap * schedules.erub(variances.values(steps), weights, g, budget, factor)
                cases.append((f"beta = {b}, {name} schedule, T = {steps}", algorithm, bound))
    return problem, data, cases


@claim(
    PAPER,
    "thm-4.4-exact",
    at="Theorem 4.4, corrected, on quadratics",
    kind="inequality",
    uses=["thm-4.4-corrected"],
    expect=SUPPORTED,
)
def bound_of_momentum_holds_for_exact_moments():
    """The exact E f(theta_{T+1}) - f* of momentum on a quadratic (kappa = 10, d = 5, N = 200) is at most the
    corrected bound.
    """

    def run(effort: Effort) -> Result:
        problem, data, cases = _cases()
        tightest = 0.0
        for name, algorithm, bound in cases:
            value = (
                float(exact_moments(algorithm, data).expected_value(problem, data)[-1])
                - problem.optimum(data)[1]
            )
            if value > bound * (1 + 1e-9):
                return Result(
                    REFUTED,
                    f"it fails at {name}",
                    witness=Witness({"case": name}, f"E f - f* = {value:.6g}", f"at most {bound:.6g}"),
                )
            tightest = max(tightest, value / bound)
        ceiling = (
            "an excess above the bound by more than 1e-9 of it, in one of the cases, would have been found"
        )
        evidence = Evidence(
            "exact moments",
            {"largest ratio to the bound": round(tightest, 4)},
            samples=len(cases),
            ceiling=ceiling,
        )
        return Result(
            SUPPORTED,
            f"in {len(cases)} cases the exact excess is at most {tightest:.3f} times the bound",
            evidence,
        )

    return Tested("the exact excess of momentum on quadratics is at most the corrected bound", run)


@claim(
    PAPER,
    "thm-4.4-run",
    at="Theorem 4.4, corrected, by Monte Carlo",
    kind="inequality",
    uses=["thm-4.4-corrected"],
    expect=SUPPORTED,
)
def bound_of_momentum_holds_in_runs():
    """The mean excess of independent runs of momentum is not above the corrected bound (lower confidence
    bounds, alpha = 1e-6 in all).
    """

    def run(effort: Effort) -> Result:
        problem, data, cases = _cases()
        loaded = problem.load(data)
        cases = [case for case in cases if "T = 30" in case[0]]
        level, closest = 1e-6 / len(cases), 0.0
        for name, algorithm, bound in cases:
            runs = montecarlo.run(
                algorithm,
                data,
                effort.runs,
                effort.seed,
                measure={"excess": lambda x: problem.excess(x, loaded)},
                keep=(),
            )
            low = montecarlo.mean_at_least(runs.values["excess"], level)
            if low > bound:
                witness = Witness(
                    {"case": name, "seed": str(effort.seed)}, f"E f - f* >= {low:.6g}", f"at most {bound:.6g}"
                )
                return Result(
                    REFUTED,
                    f"it fails at {name}",
                    Evidence("Monte Carlo", alpha=level, samples=effort.runs, seed=effort.seed),
                    witness,
                )
            closest = max(closest, low / bound)
        evidence = Evidence(
            "Monte Carlo",
            {"cases": len(cases)},
            alpha=1e-6,
            samples=effort.runs,
            seed=effort.seed,
            ceiling=f"the largest lower confidence bound is {closest:.3f} of the bound: a bound smaller "
            "than that would have been refuted",
        )
        return Result(SUPPORTED, f"in {len(cases)} cases no mean excess is above the bound", evidence)

    return Tested("the mean excess of runs of momentum is at most the corrected bound", run)


@claim(PAPER, "thm-4.4-eta0-alg", at="Theorem 4.4 and Appendix C.2", kind="identity", expect=SUPPORTED)
def largest_eta0_solves_the_quadratic():
    """The positive root of 1 - eta/4 - c eta^2 is (sqrt(1 + 64c) - 1)/(8c) = 8/(sqrt(1 + 64c) + 1); c itself
    depends on eta_0 through gamma.
    """
    c = sp.Symbol("c", positive=True)
    root = (sp.sqrt(1 + 64 * c) - 1) / (8 * c)
    return (
        Derivation()
        .step(Equal(1 - root / 4 - c * root**2, 0), "it is a root")
        .step(Equal(root, 8 / (sp.sqrt(1 + 64 * c) + 1)), "rationalised")
        .step(
            Increasing(1 - eta / 4 - c * eta**2, eta, down=True, strict=True),
            "and the polynomial decreases, so that it is >= 0 up to the root",
        )
    )


@claim(
    PAPER,
    "eq-12-zeta-ge-0",
    at="Eq (12)",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="eq-12-zeta-ge-0-corrected",
)
def zeta_as_printed_is_nonnegative():
    """Under the condition on eta_0: zeta = 1 - eta_0^2/(beta (1-beta)^3) - eta_0/4 >= 0 (at kappa = 1, eta_0
    = 1 - gamma).
    """
    e0 = 1 - gamma
    zeta = 1 - e0**2 / (beta * (1 - beta) ** 3) - e0 / 4
    relation = AtMost(0, zeta, given=[sp.Ne(beta, gamma), *INSIDE, e0 <= ETA0_LIMIT])
    return Instance(
        relation,
        let={"kappa": "1", "eta_0": "1 - gamma"},
        because="Eq (12) has 1/beta where the proof has beta gamma/(gamma-beta)^2",
    )


@claim(
    PAPER,
    "eq-12-zeta-ge-0-corrected",
    at="Eq (12), as in Appendix C.2",
    kind="inequality",
    uses=["thm-4.4-eta0-alg"],
    expect=SUPPORTED,
)
def zeta_of_the_proof_is_nonnegative():
    """zeta = 1 - eta_0/4 - c eta_0^2 >= 0 for eta_0 <= 8/(sqrt(1 + 64c) + 1); the repaired 1 - eta_0 - 4 c
    eta_0^2 for eta_0 <= 2/(sqrt(1 + 16c) + 1).
    """
    c = sp.Symbol("c", positive=True)
    return (
        Derivation()
        .step(
            AtMost(0, 1 - eta0 / 4 - c * eta0**2, given=[eta0 <= 8 / (sp.sqrt(1 + 64 * c) + 1)]),
            "up to the root",
        )
        .step(
            AtMost(0, 1 - eta0 - 4 * c * eta0**2, given=[eta0 <= 2 / (sp.sqrt(1 + 16 * c) + 1)]),
            "the same for the repair",
        )
    )


@claim(
    PAPER, "eq-13", at="Eq (13)", kind="identity", uses=["proof-4.4-noise-index-corrected"], expect=SUPPORTED
)
def u3_is_the_noise_of_the_averages():
    """The noise terms sum to 2 R eta_0 alpha U_3 (f(theta_1) - f*), U_3 = sum_t gamma^(T-t) w_t^2 sum_i
    beta^(2(t-i)) sigma_i^2.
    """
    D, G, N, e1 = sp.symbols("D G N e_1", positive=True)
    variance = D * G**2 / N**2 * A[t]  # E|sum_i beta^(t-i) nu_i|^2, by proof-4.4-noise-index-corrected
    alpha_ = D * G**2 / (2 * R * M * N**2 * e1)
    terms = sp.Sum(gamma ** (T - t) * 2 * (eta0 / (2 * M)) * W[t] * variance, (t, 1, T))
    return (
        Derivation()
        .step(
            Equal((1 - beta) ** 2 / (1 - beta**t) ** 2, weight(t) ** 2, given=[beta < 1]),
            "the factor (1-beta)^2/b_t^2 is w_t^2",
        )
        .step(
            Equal(terms, 2 * R * eta0 * alpha_ * e1 * U3),
            "sum_t gamma^(T-t) (2 (1-beta)^2 eta/b_t^2) E|sum_i beta^(t-i) nu_i|^2, eta = eta_0/(2M)",
        )
    )


@claim(PAPER, "text-4.4-conv", at="Section 4.2, (1) Convergence", kind="inequality", expect=SUPPORTED)
def gamma_is_a_fraction_exactly_for_eta0_below_kappa():
    """eta_0 should be in (0, kappa): exactly then gamma = 1 - eta_0/kappa is in (0, 1), which Lemmas B.6 and
    B.7 need.
    """
    x, g = sp.Symbol("x", real=True), sp.Symbol("g", real=True)
    return (
        Derivation()
        .step(AtMost(0, 1 - x / kappa, given=[x > 0, x < kappa], strict=True), "gamma > 0")
        .step(AtMost(1 - x / kappa, 1, given=[x > 0, x < kappa], strict=True), "gamma < 1")
        .step(
            AtMost(kappa * (1 - g), kappa, given=[g > 0, g < 1], strict=True),
            "conversely eta_0 = kappa (1-gamma) < kappa",
        )
        .step(AtMost(0, kappa * (1 - g), given=[g > 0, g < 1], strict=True), "and eta_0 > 0")
    )


@claim(
    PAPER,
    "text-4.4-factor",
    at="Section 4.2, (2) Noise variance",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="text-4.4-factor-corrected",
)
def weights_start_below_gamma_to_the_t():
    """(1-beta)/(1-beta^t) is less than gamma^t at the beginning, so that gamma^(T-t) (1-beta)/(1-beta^t) <
    gamma^T meanwhile (at t = 1).
    """
    return Instance(
        AtMost(sp.cancel(weight(sp.Integer(1))), gamma, given=[gamma < 1], strict=True),
        let={"t": "1"},
        because="at t = 1 the factor is 1",
    )


@claim(
    PAPER,
    "text-4.4-factor-corrected",
    at="Section 4.2, (2) Noise variance, corrected",
    kind="inequality",
    uses=["lemma-b.7"],
    expect=SUPPORTED,
)
def weights_start_at_gamma_to_the_t_minus_one():
    """(1-beta)/(1-beta^t) <= gamma^(t-1) up to T_hat, so that gamma^(T-t) (1-beta)/(1-beta^t) <= gamma^(T-1)
    there; its limit is 1 - beta.
    """
    w = sp.Symbol("w", positive=True)
    y = sp.Symbol("y", positive=True)  # gamma^(T-t)
    z = sp.Symbol("z", positive=True)  # gamma^(t-1)
    return (
        Derivation()
        .step(AtMost(y * w, y * z, given=[w <= z]), "times gamma^(T-t)")
        .step(Equal(gamma ** (T - t) * gamma ** (t - 1), gamma ** (T - 1)), "which is gamma^(T-1)")
        .step(AtMost(0, weight(t) - (1 - beta), given=[beta < 1]), "the factor stays above 1 - beta")
    )


@claim(
    PAPER,
    "num-0.98",
    at="Section 4.2, (3) Momentum effect",
    kind="numeric constant",
    expect=REFUTED,
    breaks="proof",
    correction="num-0.98-corrected",
)
def eta0_may_be_0_98():
    """For beta = 0.9 and gamma = 0.99 the condition on eta_0 is eta_0 <= 0.98 (in units of 1/M): the limit of
    Theorem 4.4 rounds to 0.98.
    """
    limit = ETA0_LIMIT.subs({beta: sp.Rational(9, 10), gamma: sp.Rational(99, 100)})
    return AtMost(sp.Rational(975, 1000), limit)


@claim(
    PAPER,
    "num-0.98-corrected",
    at="Section 4.2, (3) Momentum effect, corrected",
    kind="numeric constant",
    expect=SUPPORTED,
)
def eta0_may_be_0_003():
    """The limit of Theorem 4.4 at beta = 0.9, gamma = 0.99 is 0.0030 (by Eq (12) as printed it would be
    0.0299).
    """
    limit = ETA0_LIMIT.subs({beta: sp.Rational(9, 10), gamma: sp.Rational(99, 100)})
    c12 = 1 / (sp.Rational(9, 10) * sp.Rational(1, 1000))
    return (
        Derivation()
        .step(AtMost(sp.Rational(301, 100_000), limit), "at least 0.00301")
        .step(AtMost(limit, sp.Rational(302, 100_000)), "at most 0.00302")
        .step(AtMost(sp.Rational(298, 10_000), 8 / (sp.sqrt(1 + 64 * c12) + 1)), "Eq (12): at least 0.0298")
        .step(AtMost(8 / (sp.sqrt(1 + 64 * c12) + 1), sp.Rational(299, 10_000)), "and at most 0.0299")
    )


@claim(PAPER, "text-4.4-appd", at="Section 4.2, (2), last sentence", kind="-", expect=UNDECIDED)
def appendix_d_shows_a_less_steep_influence():
    """In Appendix D we will see that the influence dynamics is less steep than that of GD."""
    return Quoted(
        "Appendix D as given has no figure or number on the influence under momentum (its "
        "influences are of GD on squared and logistic loss), "
        "so there is nothing to compare; that the exact influence is less steep is sec4.2-flatten"
    )


@claim(
    PAPER,
    "thm-4.5",
    at="Theorem 4.5",
    kind="asymptotic",
    uses=["thm-4.4", "thm-4.4-corrected", "proof-4.5-split", "proof-4.5-dropthat-corrected", "lemma-b.7"],
    expect=SUPPORTED,
)
def uniform_bound_of_momentum():
    """With sigma_t^2 = T/R, T = ceil((1/l) ln(1 + 1/y)), y = kappa alpha/eta_0, x = y/(1+y): ERUB <= C1 kappa
    x if T <= T_hat, and <= C2 kappa x gamma^(T_hat-1) ln(1 + 1/y) if T > T_hat, for kappa >= 1 (kappa x =
    kappa^2/(kappa + eta_0/alpha)).

    C1 = 9 + 2 alpha, C2 = 1/((1-beta) ln(1+beta)) + 4 (1 + 1/beta)(2 + ln(1/(1-beta))): constants of beta and
    alpha_0 alone.
    """
    y, u, w, z, l, L, B, tau = sp.symbols("y u w z l L B tau", positive=True)
    x = y / (1 + y)
    m = sp.Symbol("m", integer=True, positive=True)  # T - 1
    room = (1 - gamma) * (1 + m)
    return (
        Derivation()
        .step(
            Equal(
                2 * eta0 * alpha,
                2 * kappa * x * (1 - gamma) ** 2 * (1 + y),
                given=[sp.Eq(eta0, kappa * (1 - gamma)), sp.Eq(alpha, y * (1 - gamma))],
            ),
            "the factor of the noise, eta_0 = kappa (1-gamma)",
        )
        .step(
            AtMost((1 - gamma) ** 2 * (1 + y), 1 + alpha, given=[sp.Eq(y, alpha / (1 - gamma)), gamma < 1]),
            "T = 1: noise <= 2 (1+alpha) kappa x",
        )
        .step(
            AtMost(1 + y, 1 / (1 - w), given=[sp.Eq(y, z / (1 - z)), z < w, w < 1]),
            "T = m + 1 >= 2: 1 + y = 1/(1 - gamma^tau) <= 1/(1 - gamma^m)",
        )
        .step(
            AtMost(room**2, 4 * u**2, given=[sp.Eq(u, m * l), 1 - gamma <= l, gamma < 1]),
            "(1-gamma)(m+1) <= 2 m l, l = ln(1/gamma) >= 1-gamma",
        )
        .step(
            AtMost(u**2, sp.exp(u) - 1),
            "(1-gamma)^2 T^2 gamma^m/(1 - gamma^m) <= 4 u^2/(e^u - 1) <= 4: noise 2 eta_0 alpha "
            "T^2 gamma^m <= 8 kappa x",
        )
        .step(
            AtMost(
                x + sp.Max(8, 2 * (1 + alpha)) * kappa * x, (9 + 2 * alpha) * kappa * x, given=[kappa >= 1]
            ),
            "with gamma^T <= gamma^tau = x: C1",
        )
        .step(AtMost(tau + 1, 2 * tau, given=[tau >= 1]), "T > T_hat >= 1: T <= 2 tau")
        .step(
            AtMost(alpha * L / l, y * L, given=[sp.Eq(y, alpha / (1 - gamma)), l >= 1 - gamma, gamma < 1]),
            "alpha tau <= y ln(1 + 1/y)",
        )
        .step(
            AtMost((1 - beta) / (1 - beta * w), 1 / (1 + beta), given=[w <= beta, beta < 1]),
            "gamma^T_hat < w_(T_hat+1) <= 1/(1+beta), w = beta^T_hat",
        )
        .step(
            AtMost(1 + y, 1 + 1 / beta, given=[1 + 1 / y > 1 + beta]),
            "so ln(1 + 1/y) > T_hat l > ln(1+beta): y < 1/beta",
        )
        .step(
            AtMost(4 * y * L * (2 + B), 4 * (1 + 1 / beta) * (2 + B) * x * L, given=[1 + y <= 1 + 1 / beta]),
            "noise <= 4 kappa y L gamma^(T_hat-1) (2 + ln(1/(1-beta))), L = ln(1 + 1/y) "
            "(proof-4.5-dropthat-corrected), B = ln(1/(1-beta))",
        )
        .step(
            AtMost(
                x, x / ((1 - beta) * u) * kappa * w * L, given=[w >= 1 - beta, L >= u, kappa >= 1, beta < 1]
            ),
            "w = gamma^(T_hat-1), u = ln(1+beta)",
        )
    )


@claim(PAPER, "thm-4.6-schedule-budget", at="Theorem 4.6, the schedule", kind="identity")
def schedule_of_theorem_4_6_spends_the_budget():
    """sigma_t^2 = (1/R) sum_i sqrt(q_i/q_t) spends sum_t 1/sigma_t^2 = R, whatever q."""
    q = sp.IndexedBase("q", positive=True)
    return Equal(sp.Sum(R * sp.sqrt(q[t]) / sp.Sum(sp.sqrt(q[i]), (i, 1, T)), (t, 1, T)), R)


@claim(
    PAPER,
    "thm-4.6-q",
    at="Theorem 4.6 and its proof, q_t",
    kind="inequality",
    uses=["influence"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.6-q-corrected",
)
def influence_is_at_most_that_of_theorem_4_6():
    """U_3 <= sum_t q_t sigma_t^2 with q_t = c1 gamma^(T+t) I[T <= T_hat] + gamma^(T_hat-1) c2 gamma^(T-t) I[T
    > T_hat], c1 = 2/(gamma (gamma-beta^2)), c2 = gamma^(2 T_hat)/(gamma-beta^2).
    """
    exact = influence(2)
    printed = [schedules.piecewise_influence(beta, gamma, 2, 1).formula.subs(t, s) for s in (1, 2)]
    left, right = (sum(q * s2[s + 1] for s, q in enumerate(values)) for values in (exact, printed))
    given = [beta < gamma, gamma * (1 + beta) < 1, 1 - gamma <= ETA0_LIMIT]
    case = {"kappa": "1", "eta_0": "1 - gamma", "T": "2", "T_hat": "1, as gamma (1+beta) < 1"}
    return Instance(
        AtMost(left, right, given=given),
        let=case,
        because="c2 has gamma^(2 T_hat) where the derivation before it gives gamma^T_hat",
    )


@claim(
    PAPER,
    "thm-4.6-q-corrected",
    at="Theorem 4.6, q_t, corrected",
    kind="inequality",
    uses=["proof-4.6-combine"],
    expect=SUPPORTED,
)
def influence_is_at_most_a_piecewise_geometric_one():
    """For beta < gamma, U_3 <= sum_t q_t sigma_t^2 with q_t = 2 gamma^(T+t)/(gamma (gamma-beta^2)) for t <=
    T_hat, q_t = gamma^(2 T_hat-1) gamma^(T-t)/(gamma-beta^2) for t > T_hat: the indicators are of t, not of
    T.
    """
    x, p = sp.symbols("x p", positive=True)
    return (
        Derivation()
        .step(AtMost(beta**2, gamma, given=[beta < gamma, gamma < 1], strict=True), "beta^2 < gamma")
        .step(
            AtMost((gamma - x) / p, gamma / p),
            "the second factor without beta^(2(T+1-t)), in units of gamma^(T-t)",
        )
        .step(
            Equal(gamma ** (2 * Th - 2) * gamma ** (T + 1 - t), gamma ** (2 * Th - 1) * gamma ** (T - t)),
            "the exponents",
        )
    )


@claim(
    PAPER,
    "thm-4.6-bound",
    at="Theorem 4.6, ERUB_min",
    kind="asymptotic",
    uses=["influence", "momentum-family", "proof-4.6-c3-constant"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.6-bound-corrected",
)
def dynamic_bound_of_momentum_as_printed():
    """With T = ceil((2/l) ln(1 + eta_0/(kappa alpha))), ERUB <= O(x (x I[T <= T_hat] + I[T > T_hat])), x =
    kappa alpha/(kappa alpha + eta_0).

    Refuted for every schedule on the budget, along beta = 1/2, gamma = 2^(-1/n), eta_0 = 1/100, alpha =
    (1-gamma)/3: T_hat = n, T = 4n, x = 1/4.
    """
    q, n = sp.IndexedBase("q", positive=True), sp.Symbol("n", integer=True, positive=True)
    w, rest = sp.symbols("w rest", nonnegative=True)
    g, e0 = 2 ** (-1 / n), sp.Rational(1, 100)
    half = g ** sp.Rational(1, 2)
    a = (1 - g) / 3
    y = a / (1 - g)  # kappa alpha/eta_0
    lower = g ** (4 * n) + 2 * e0 * a * sp.Rational(1, 4) * ((1 - half ** (4 * n)) / (1 - half)) ** 2
    return (
        Derivation()
        .step(
            AtMost(
                sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2,
                sp.Sum(q[t] * s2[t], (t, 1, T)) * sp.Sum(1 / s2[t], (t, 1, T)),
            ),
            "Lemma 4.1: R U_3 >= (sum_t sqrt Q_t)^2",
        )
        .step(
            AtMost(gamma * (1 - beta) ** 2, gamma * w**2 + rest, given=[w >= 1 - beta, beta < 1]),
            "Q_t >= gamma^(T-t) (1-beta)^2 (here at T - t = 1)",
        )
        .step(Equal(2 * sp.log(1 + 1 / y) / (sp.log(2) / n), 4 * n), "T = 4n")
        .step(
            BigO(sp.simplify(lower), y / (1 + y), [n >= 100]),
            "the bound against x = 1/4",
        )
    )


@claim(
    PAPER,
    "thm-4.6-bound-corrected",
    at="Theorem 4.6, ERUB_min, corrected",
    kind="asymptotic",
    uses=["thm-4.4-corrected", "thm-4.6-q-corrected", "proof-4.6-ostep-corrected", "lemma-4.1"],
    expect=SUPPORTED,
)
def dynamic_bound_of_momentum():
    """With the corrected q_t and T = ceil((2/l) ln(1 + 1/y)), y = kappa alpha/eta_0, x = y/(1+y), kappa >= 1,
    beta < gamma: ERUB <= C1 kappa x^2 if T <= T_hat, and ERUB <= C2 kappa x if T > T_hat: a factor kappa more
    than printed.

    C1 = 1 + (4 + 4 alpha)/(beta (1-beta^2)), C2 = 1 + 48 (1 + 1/(sqrt(1+beta) - 1))/(beta (1-beta)):
    constants of beta and alpha_0 alone.
    """
    y, g, r, p, w, z = sp.symbols("y g r p w z", positive=True)  # g = sqrt(gamma)
    x = y / (1 + y)
    near = [sp.Eq(alpha, y * eta0 / kappa), eta0 <= kappa]
    return (
        Derivation()
        .step(
            AtMost(1 / (1 - g), 2 * kappa / eta0, given=[sp.Eq(kappa, eta0 / (1 - g**2)), g < 1]),
            "1/(1 - sqrt gamma) = (1 + sqrt gamma) kappa/eta_0",
        )
        .step(
            AtMost((1 - z) / (1 - g), (1 - w) / (1 - g) + w, given=[z >= g * w, g < 1, w < 1]),
            "gamma^(T/2) >= sqrt(gamma) x as T <= tau + 1, here w = x",
        )
        .step(
            AtMost(
                2 * eta0 * alpha * r**2,
                4 * kappa + 4 * kappa * alpha,
                given=[*near, r <= 2 * kappa / (eta0 * (1 + y)) + x],
            ),
            "2 eta_0 alpha ((1-x) 2 kappa/eta_0 + x)^2 <= 16 kappa x (1-x) + 4 eta_0 alpha",
        )
        .step(
            AtMost(
                1 / (gamma * (1 - gamma * beta**2)),
                1 / (beta * (1 - beta**2)),
                given=[beta < gamma, gamma < 1],
            ),
            "gamma > beta",
        )
        .step(
            AtMost(
                1 + (4 * kappa + 4 * kappa * alpha) * w, kappa * (1 + (4 + 4 * alpha) * w), given=[kappa >= 1]
            ),
            "T <= T_hat: gamma^T <= x^2 times this, w = 1/(beta (1-beta^2)) (proof-4.6-small-sum)",
        )
        .step(
            AtMost(2 * x**2 + w, 3, given=[w <= 1]),
            "T > T_hat: (sum_t sqrt q_t)^2 <= (4 kappa^2/eta_0^2) (2/p) (2 x^2 + gamma^(2 "
            "T_hat-1)), p = gamma - beta^2",
        )
        .step(
            Equal(2 * eta0 * (y * eta0 / kappa) * 4 * kappa**2 / eta0**2 * (2 / p) * 3, 48 * kappa * y / p),
            "noise <= 48 kappa y/p",
        )
        .step(AtMost(beta * (1 - beta), gamma - beta**2, given=[beta < gamma]), "p >= beta (1-beta)")
        .step(
            AtMost(y, x * (1 + 1 / (r - 1)), given=[1 + 1 / y >= r, r > 1]),
            "2 ln(1 + 1/y) > T_hat l > ln(1+beta): 1 + 1/y > r = sqrt(1+beta)",
        )
        .step(AtMost(x**2, kappa * x, given=[kappa >= 1]), "and gamma^T <= x^2 <= kappa x")
    )


@claim(
    PAPER,
    "thm-4.6-alpha-prime",
    at="Theorem 4.6 and its proof, alpha'",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="thm-4.6-alpha-prime-corrected",
)
def alpha_prime_of_statement_and_proof_agree():
    """alpha' = 2 eta_0 alpha/(gamma (1 - gamma beta^2)) in the statement is alpha' = 2 eta_0 c2 alpha, c2 =
    gamma^(2 T_hat)/(gamma-beta^2), of the proof.
    """
    c2 = gamma ** (2 * Th) / (gamma - beta**2)
    return Equal(
        2 * eta0 * alpha / (gamma * (1 - gamma * beta**2)),
        2 * eta0 * c2 * alpha,
        given=[beta < gamma, gamma < 1, eta0 < 1],
    )


@claim(
    PAPER,
    "thm-4.6-alpha-prime-corrected",
    at="Theorem 4.6, alpha', corrected",
    kind="identity",
    uses=["proof-4.6-small-sum"],
)
def alpha_prime_is_the_factor_before_t_hat():
    """The statement's alpha' is the factor in ERUB <= gamma^T (1 + alpha' ((1 - gamma^(T/2))/(1 - sqrt
    gamma))^2) for T <= T_hat; it has no other use.
    """
    x = sp.Symbol("x", positive=True)
    prime = 2 * eta0 * alpha / (gamma * (1 - gamma * beta**2))
    return Equal(
        gamma**T + 2 * eta0 * alpha * gamma**-2 / (1 - gamma * beta**2) * gamma ** (T + 1) * x,
        gamma**T * (1 + prime * x),
        given=[beta < gamma, gamma < 1],
    )


@claim(
    PAPER,
    "disc-4.6-increasing-schedule",
    at="Discussion of Theorem 4.6",
    kind="monotonicity",
    uses=["lemma-4.1"],
    expect=SUPPORTED,
)
def printed_schedule_increases_before_t_hat():
    """q_t = c1 gamma^(T+t) decreases in t for T <= T_hat, so that the schedule sigma_t^2 = (1/R) sum_i
    sqrt(q_i/q_t) of it increases.
    """
    c1 = sp.Symbol("c_1", positive=True)
    q = c1 * gamma ** (T + t)
    roots, x = sp.Symbol("S", positive=True), sp.Symbol("x", positive=True)  # sum_i sqrt(q_i)
    return (
        Derivation()
        .step(Increasing(q, t, given=[gamma < 1], down=True, strict=True), "q_t decreases")
        .step(Increasing(roots / (R * sp.sqrt(x)), x, down=True, strict=True), "sigma_t^2 decreases in q_t")
    )


@claim(
    PAPER,
    "disc-4.6-increasing-exact",
    at="Discussion of Theorem 4.6, of the exact influence",
    kind="monotonicity",
    uses=["influence"],
    expect=REFUTED,
    breaks="theorem",
    correction="disc-4.6-increasing-schedule",
)
def preferred_schedule_increases_before_t_hat():
    """The preferred schedule, that of the exact influence, increases up to T_hat: Q_t decreases for t <=
    T_hat (at T = T_hat = 3, from t = 2 to 3).
    """
    at = {beta: sp.Rational(1, 10), gamma: sp.Rational(19, 20)}

    def h(s):  # T_hat = 3 as h(3) >= 1 - beta > h(4)
        return (gamma ** (s - 1) * (1 - beta**s)).subs(at)

    meets = [
        AtMost(1 - at[beta], h(3)),
        AtMost(h(4), 1 - at[beta], strict=True),
        AtMost(1 - at[gamma], ETA0_LIMIT.subs(at)),
    ]
    exact = [q.subs(at) for q in influence(3)]
    case = {"beta": "1/10", "gamma": "19/20", "kappa": "1", "eta_0": "1/20", "T": "3 = T_hat"}
    return Instance(
        AtMost(exact[2], exact[1]),
        let=case,
        meets=meets,
        because="Q_3 = w_3^2 and Q_2 = gamma w_2^2 + beta^2 Q_3",
    )


def gain(values):
    """How much worse the uniform schedule is than the best one: T sum_t q_t/(sum_t sqrt q_t)^2, which is 1 +
    Var(sqrt q)/mean(sqrt q)^2.
    """
    return len(values) * sum(values) / sum(map(sp.sqrt, values)) ** 2


@claim(
    PAPER,
    "disc-4.6-more-influential",
    at="Discussion of Theorem 4.6",
    kind="inequality",
    uses=["influence", "lemma-4.1-var"],
    expect=REFUTED,
    breaks="theorem",
    correction="disc-4.6-more-influential-corrected",
)
def dynamic_schedule_gains_more_without_momentum():
    """The dynamic schedule is more influential in GD than in the momentum variant: at equal gamma and T the
    uniform schedule loses more in GD (at T = 2).
    """
    given = [beta < gamma, gamma < 1, 1 - gamma <= ETA0_LIMIT, (1 - gamma) + 4 * C * (1 - gamma) ** 2 <= 1]
    relation = AtMost(gain(influence(2)), gain([gamma, sp.Integer(1)]), given=given)
    case = {"kappa": "1", "eta_0": "1 - gamma", "T": "2"}
    return Instance(
        relation,
        let=case,
        because="the correction of the bias makes the first step weigh much more than the second",
    )


@claim(
    PAPER,
    "disc-4.6-more-influential-corrected",
    at="Discussion of Theorem 4.6, for long runs",
    kind="inequality",
    uses=["influence"],
    expect=SUPPORTED,
)
def dynamic_schedule_gains_more_without_momentum_in_long_runs():
    """As T grows, with the bias correction settled (w_t -> 1-beta): sum q/(sum sqrt q)^2 under momentum is at
    most that of GD.

    k steps before the end q_k = sum_{j<=k} h_j g_(k-j), up to a factor, g_k = gamma^k, h_j = (1-beta^2)
    beta^(2j).
    """
    h, r = sp.IndexedBase("h", positive=True), sp.IndexedBase("r", positive=True)  # r_j = sqrt(g_(k-j))
    x, y, S, V = sp.symbols("x y S V", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    tail = y / (1 - y) - x / (1 - x)
    return (
        Derivation()
        .step(
            AtMost(
                sp.Sum(h[j] * r[j], (j, 1, n)) ** 2,
                sp.Sum(h[j], (j, 1, n)) * sp.Sum(h[j] * r[j] ** 2, (j, 1, n)),
            ),
            "Cauchy-Schwarz: (sum_j h_j sqrt(g_(k-j)))^2 <= (sum_j h_j) q_k",
        )
        .step(
            Equal((1 - x) * sp.Sum(x**j, (j, 0, n)), 1 - x ** (n + 1), given=[x < 1]),
            "sum_{j<=k} h_j = 1 - beta^(2(k+1)) <= 1, so sqrt(q_k) is at least the sum",
        )
        .step(
            Equal(
                sp.Sum((x / y) ** j, (j, 0, n)) * y**n,
                (y ** (n + 1) - x ** (n + 1)) / (y - x),
                given=[x < y, y < 1],
            ),
            "sum_{j<=k} x^j y^(k-j), for (x, y) = (beta^2, sqrt gamma) and (beta^2, gamma)",
        )
        .step(
            Equal(tail / (y - x), 1 / ((1 - x) * (1 - y)), given=[x < y, y < 1]),
            "summed over k: sum q = 1/(1-gamma) = sum g, and sum sqrt q >= 1/(1 - sqrt gamma) = sum sqrt g",
        )
        .step(AtMost(V / x**2, V / S**2, given=[x >= S]), "so the quotient is at most that of GD")
    )


@claim(
    PAPER,
    "thm-4.6-beats-uniform",
    at="Theorem 4.6, its schedule against the uniform one",
    kind="inequality",
    uses=["influence"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.6-beats-uniform-corrected",
)
def schedule_of_theorem_4_6_is_no_worse_than_uniform():
    """On the bound of Eq (11), the schedule of Theorem 4.6 with its q_t is no worse than the uniform one:
    sum_t Q_t sigma_t^2 <= (T/R) sum_t Q_t.
    """
    exact = influence(2)
    printed = [schedules.piecewise_influence(beta, gamma, 2, 1).formula.subs(t, s) for s in (1, 2)]
    dynamic = sum(q * sum(sp.sqrt(r / p) for r in printed) for q, p in zip(exact, printed))
    given = [beta < gamma, gamma * (1 + beta) < 1, 1 - gamma <= ETA0_LIMIT]
    case = {"kappa": "1", "eta_0": "1 - gamma", "T": "2", "T_hat": "1, as gamma (1+beta) < 1", "R": "1"}
    return Instance(
        AtMost(dynamic, 2 * sum(exact), given=given),
        let=case,
        because="the exact influence is larger at t = 1, the printed one at t = 2",
    )


@claim(
    PAPER,
    "thm-4.6-beats-uniform-corrected",
    at="Theorem 4.6, with the exact influence",
    kind="inequality",
    uses=["influence", "lemma-4.1"],
)
def schedule_of_the_exact_influence_is_no_worse_than_uniform():
    """With the exact influence in its place, (sum_t sqrt Q_t)^2 <= T sum_t Q_t: the schedule is never worse
    than the uniform one.
    """
    q = sp.IndexedBase("Q", positive=True)
    return AtMost(sp.Sum(sp.sqrt(q[t]), (t, 1, T)) ** 2, T * sp.Sum(q[t], (t, 1, T)))


@claim(
    PAPER,
    "momentum-schedules-compared",
    at="Section 4.2, schedules by their bound",
    kind="inequality",
    uses=["influence", "lemma-4.1"],
    expect=SUPPORTED,
)
def exact_schedule_is_best_of_all_compared():
    """On the bound of Eq (11) the schedule of the exact influence is the best of uniform, printed (Theorem
    4.6), GD's dynamic, and fitted exponential.
    """

    def run(effort: Effort) -> Result:
        worst: dict[str, tuple[float, str]] = {}
        cases = [(b, g, steps) for b in (0.1, 0.5, 0.9) for g in (0.91, 0.99) for steps in (2, 10, 50, 150)]
        for b, g, steps in cases:
            q = schedules.momentum_influence(b, g, steps).values(steps)
            best = momentum_schedule("exact", b, g, steps, 1.0)
            rivals: dict[str, Schedule] = {
                "uniform": schedules.uniform(steps, 1.0),
                "printed": momentum_schedule("piecewise", b, g, steps, 1.0),
                "GD's dynamic": schedules.dynamic(g, steps, 1.0),
                "exponential": schedules.fitted_exponential(best, steps, 1.0),
            }
            least = float(np.dot(q, best.values(steps)))
            for name, rival in rivals.items():
                ratio = float(np.dot(q, rival.values(steps))) / least
                place = f"beta = {b}, gamma = {g}, T = {steps}, T_hat = {schedules.t_hat(b, g)}"
                if ratio < 1 - 1e-9:
                    return Result(
                        REFUTED,
                        f"{name} is better at {place}",
                        witness=Witness(
                            {"case": place}, f"{name} is {ratio:.6g} times the exact one", "at least 1"
                        ),
                    )
                worst[name] = max(worst.get(name, (0.0, "")), (ratio, place))
        figures: dict[str, Any] = {name: f"{ratio:.3f} at {place}" for name, (ratio, place) in worst.items()}
        said = "; ".join(f"{name} up to {ratio:.2f} times" for name, (ratio, _) in worst.items())
        ceiling = (
            "a schedule better than the exact one by more than 1e-9, in one of the cases, would have "
            "been found"
        )
        return Result(
            SUPPORTED,
            f"noise term relative to the exact schedule: {said}",
            Evidence("enumeration", figures, samples=len(cases), ceiling=ceiling),
        )

    return Tested("the schedule of the exact influence is the best of those compared", run)


def _batch_sum(length):
    """sum_t gamma^(T-t) w_t (1+beta^t)/(1+beta), which U_3^g is in units of sigma_g^2/G^2."""
    return sum(
        gamma ** (length - s) * sp.cancel(weight(sp.Integer(s)) * (1 + beta**s) / (1 + beta))
        for s in range(1, length + 1)
    )


@claim(
    PAPER,
    "thm-4.8",
    at="Theorem 4.8, Eq (15)",
    kind="inequality",
    uses=["proof-4.8-kappa"],
    expect=REFUTED,
    breaks="theorem",
    correction="thm-4.8-corrected",
)
def batch_term_of_momentum_as_printed():
    """alpha R' U_3^g <= alpha_g sigma_g^2, that is sum_t gamma^(T-t) w_t (1+beta^t)/(1+beta) <= kappa, since
    alpha R' = alpha_g G^2/kappa at n = N sqrt R.
    """
    given = [
        kappa >= 1,
        beta < gamma,
        sp.Eq(gamma, 1 - eta0 / kappa),
        eta0 <= ETA0_LIMIT.subs(gamma, 1 - eta0 / kappa),
        eta0 < kappa,
    ]
    return Instance(
        AtMost(_batch_sum(3), kappa, given=given),
        let={"T": "3", "n": "N sqrt(R)"},
        because="1/(1-gamma) is kappa/eta_0, not kappa",
    )


@claim(
    PAPER,
    "thm-4.8-corrected",
    at="Theorem 4.8, Eq (15), corrected",
    kind="inequality",
    uses=["proof-4.5-u3", "proof-4.8-kappa-corrected", "proof-4.8-index-corrected"],
    expect=SUPPORTED,
)
def batch_term_of_momentum():
    """alpha R' U_3^g <= alpha_g sigma_g^2/eta_0; with the factor 2 eta_0 that U_3 has in Eq (11), 2 eta_0
    alpha R' U_3^g <= 2 alpha_g sigma_g^2.
    """
    D, G, N, n, e1, x = sp.symbols("D G N n e_1 x", positive=True)
    budget = R * N**2 / n**2  # R'
    alpha_ = D * G**2 / (2 * R * M * N**2 * e1)
    alpha_g = D / (2 * mu * N**2 * R * e1)
    m = sp.Symbol("m", integer=True, positive=True)
    return (
        Derivation()
        .step(
            Equal(sp.Sum(gamma ** (m - t), (t, 1, m)), (1 - gamma**m) / (1 - gamma), given=[gamma < 1]),
            "weights at most 1, and a geometric sum",
        )
        .step(
            AtMost(
                (1 - x) / (1 - gamma),
                kappa / eta0,
                given=[sp.Eq(gamma, 1 - eta0 / kappa), x < 1, eta0 < kappa],
            ),
            "at most 1/(1-gamma) = kappa/eta_0",
        )
        .step(Equal(alpha_ * budget * (M / mu) / G**2, D / (2 * mu * n**2 * e1)), "alpha R' kappa/G^2")
        .step(
            AtMost(D / (2 * mu * n**2 * e1), alpha_g, given=[n >= N * sp.sqrt(R)]),
            "n = max(N sqrt R, 1) >= N sqrt R",
        )
    )


@claim(
    PAPER,
    "tab1-mom-static",
    at="Tables 1 and 2, momentum, static",
    kind="asymptotic",
    uses=["thm-4.5"],
    expect=SUPPORTED,
)
def static_momentum_row_follows_from_theorem_4_5():
    """For fixed kappa and eta_0, alpha = a D/(N^2 R), the bound of Theorem 4.5 is O(D/(N^2 R)(c + ln N I[T >
    T_hat])).
    """
    D, N, a, w, s = sp.symbols("D N a w s", positive=True)
    u = D / (N**2 * R)
    unit = kappa**2 / (kappa + eta0 / alpha)
    return (
        Derivation()
        .step(AtMost(unit, kappa**2 * a / eta0 * u, given=[sp.Eq(alpha, a * u)]), "T <= T_hat")
        .step(
            AtMost(sp.log(1 + s * N**2), 2 * sp.log(N) + sp.log(1 + s), given=[N >= 1]),
            "ln(1 + eta_0/(kappa alpha)) = ln(1 + s N^2), s = eta_0 R/(kappa a D)",
        )
        .step(
            AtMost(w * (2 * sp.log(N) + s), 2 * sp.log(N) + s, given=[w <= 1, N >= 1]), "gamma^(T_hat-1) <= 1"
        )
    )


@claim(
    PAPER,
    "tab1-mom-dyn-sched",
    at="Tables 1 and 2, momentum, dynamic: the schedule",
    kind="identity",
    uses=["thm-4.6-schedule-budget"],
    expect=REFUTED,
    breaks="theorem",
    correction="tab1-mom-dyn-sched-corrected",
)
def dynamic_momentum_schedule_of_the_table():
    """sigma_t^2 = O((c1 gamma^(T+t) + c2 gamma^((T-t)/2))/R).

    Refuted at t = 1 as T grows, at gamma = 1/100, beta = 1/1000 (kappa = 1, T_hat = 1 < T), in the variable z
    = gamma^(-(T-1)/2) = 10^(T-1).
    """
    c1, c2, z = sp.symbols("c_1 c_2 z", positive=True)
    root = sp.Rational(1, 10)  # sqrt(gamma)
    first = (z - root) / (1 - root)  # R sigma_1^2 = sum_{i<=T} gamma^((1-i)/2)
    table = c1 * root**4 / z**2 + c2 / z  # gamma^(T+1) = gamma^2/z^2
    at = {beta: sp.Rational(1, 1000), gamma: root**2}
    return (
        Derivation()
        .step(AtMost((gamma * (1 + beta)).subs(at), 1, strict=True), "T_hat = 1")
        .step(AtMost((1 - gamma).subs(at), ETA0_LIMIT.subs(at)), "eta_0 = 1 - gamma meets Theorem 4.4")
        .step(
            BigO(first, table, [z >= 10], of=[c1, c2]),
            "the schedule of q_t = c gamma^(T-t) against the table",
        )
    )


@claim(
    PAPER,
    "tab1-mom-dyn-sched-corrected",
    at="Tables 1 and 2, momentum, dynamic: the schedule, corrected",
    kind="identity",
    uses=["thm-4.6-schedule-budget"],
    expect=SUPPORTED,
)
def dynamic_momentum_schedules_in_closed_form():
    """Of q_t = c1 gamma^(T+t): R sigma_t^2 = sqrt(gamma) (1-gamma^(T/2))/(1-sqrt gamma) gamma^(-t/2); of q_t
    = c gamma^(T-t): O(gamma^((t-T)/2)), as for GD.
    """
    g = sp.Symbol("g", positive=True)  # sqrt(gamma)
    x = sp.Symbol("x", nonnegative=True)
    return (
        Derivation()
        .step(
            Equal(sp.Sum(g ** (i - t), (i, 1, T)), g * (1 - g**T) / (1 - g) * g**-t, given=[g < 1]),
            "T <= T_hat: increasing in t",
        )
        .step(
            Equal(sp.Sum(g ** (t - i), (i, 1, T)), (g**-T - 1) / (1 - g) * g**t, given=[g < 1]),
            "T > T_hat: decreasing in t",
        )
        .step(AtMost((1 - x) / (1 - g), 1 / (1 - g), given=[g < 1]), "the second in units of gamma^((t-T)/2)")
    )


@claim(
    PAPER,
    "tab1-mom-dyn-bound",
    at="Tables 1 to 3, momentum, dynamic: the bound",
    kind="asymptotic",
    uses=["thm-4.6-bound", "thm-4.6-bound-corrected"],
    expect=SUPPORTED,
)
def dynamic_momentum_row_follows_for_fixed_kappa():
    """For fixed kappa and eta_0, u = D/(N^2 R), alpha = a u, the bounds kappa x^2 (T <= T_hat) and kappa x (T
    > T_hat) are O(u (1 + c u I[T > T_hat])).
    """
    D, N, a, c = sp.symbols("D N a c", positive=True)
    u = D / (N**2 * R)
    x = kappa * alpha / (kappa * alpha + eta0)
    return (
        Derivation()
        .step(
            AtMost(kappa * x, kappa**2 * a / eta0 * u, given=[sp.Eq(alpha, a * u)]), "x <= kappa alpha/eta_0"
        )
        .step(AtMost(x**2, x), "T <= T_hat: x^2 <= x")
        .step(AtMost(u, u * (1 + c * u)), "T > T_hat: the table adds c u^2")
    )
