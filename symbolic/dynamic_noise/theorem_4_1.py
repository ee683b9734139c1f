"""Section 4.1: gradient descent. Theorem 4.1, the bound whose influences the schedules are made from.

ERUB = gamma^T + R sum_t q_t sigma_t^2,  q_t = gamma^(T-t) alpha,  gamma = 1 - 1/kappa       Eq (3)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.language.expectations import Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector
from dpverify.relations import AtMost, Equal, Tested
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, Iterates, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result, Witness

t, i = step(), sp.Symbol("i", integer=True, positive=True)
T = sp.Symbol("T", integer=True, positive=True)
R, M, mu, alpha, kappa = sp.symbols("R M mu alpha kappa", positive=True)
gamma = sp.Symbol("gamma", positive=True)


@claim(PAPER, "thm-4.1", at="Theorem 4.1, Eq (3)", kind="inequality")
def excess_risk_is_at_most_erub():
    """For f that is M-smooth and meets the PL condition with mu, steps theta - (grad f + G sigma_t nu_t/N)/M
    with E nu_t = 0 and E|nu_t|^2 = D given the past: E f(theta_{T+1}) - f* <= (gamma^T + R sum_t gamma^(T-t)
    alpha sigma_t^2)(f(theta_1) - f*), gamma = 1 - mu/M, alpha = D G^2/(2 R M N^2 (f(theta_1) - f*)), whatever
    D.

    e[t] is E f(theta_t) - f*, and e[1] is positive so that alpha is defined.
    """
    D, N = (sp.Symbol(name, integer=True, positive=True) for name in ("D", "N"))
    G = sp.Symbol("G", positive=True)
    f, theta = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("theta")
    error, variance = sp.IndexedBase("e", nonnegative=True), sp.IndexedBase("s2", positive=True)
    noise = Noise("nu", variance=D * G**2 * variance[t] / N**2)
    after = theta - (f.gradient(theta) + noise) / M
    run = Iterates(error, f(theta) - f.minimum, [theta], [after], [noise], t, 1, T)
    alpha, rate = D * G**2 / (2 * R * M * N**2 * error[1]), 1 - mu / M
    influence = sp.Sum(rate ** (T - t) * alpha * variance[t], (t, 1, T))
    added = D * G**2 / (2 * M * N**2)
    return (
        Theorem(
            given=[run, mu <= M, error[1] > 0],
            shows=AtMost(error[T + 1], (rate**T + R * influence) * error[1]),
        )
        .descend(run, rate, added * variance[t], "the descent lemma, and PL", by=[f.descent(theta, after)])
        .unroll(error[t], rate, added * variance[t], (t, 1, T), "T steps")
        .have(
            Equal(R * influence * error[1], added * sp.Sum(rate ** (T - t) * variance[t], (t, 1, T))),
            "alpha of Eq (2)",
        )
    )


@claim(
    PAPER,
    "thm-4.1-run",
    at="Theorem 4.1, Eq (3), runs",
    kind="inequality",
    uses=["thm-4.1"],
    expect=SUPPORTED,
    standing="ours",
)
def runs_stay_within_erub():
    """On a quadratic with kappa = 10, N = 200, d = 5, T = 20 the expected excess risk, exact and of runs, is
    within Eq (3), dynamic and uniform.
    """

    def run(effort: Effort) -> Result:
        from dpverify.algorithms.private_gd import example
        from dpverify.moments import exact_moments
        from dpverify.montecarlo import mean_at_least
        from dpverify.montecarlo import run as simulate

        alpha, figures = 1e-6, []
        for schedule in ("dynamic", "uniform"):
            case = example(as_printed=True, schedule=schedule)
            assert case.bound is not None
            bound = case.bound.value
            exact = float(
                exact_moments(case.algorithm, case.data).expected_value(case.problem, case.data)[-1]
                - case.problem.optimum(case.data)[1]
            )
            runs = simulate(
                case.algorithm,
                case.data,
                effort.runs,
                effort.seed,
                measure={"excess": case.measured},
                keep=(),
            )
            low = mean_at_least(runs.values["excess"], alpha / 2)
            figures.append(f"{schedule}: exact {exact:.4g}, runs at least {low:.4g}, bound {bound:.4g}")
            if max(exact, low) > bound:
                let = {"schedule": schedule, "T": "20", "N": "200", "kappa": "10", "seed": str(effort.seed)}
                witness = Witness(
                    let, f"the excess risk is {max(exact, low):.6g}", f"it is at most {bound:.6g}"
                )
                return Result(
                    REFUTED,
                    figures[-1],
                    Evidence("exact moments and Monte Carlo", alpha=alpha, samples=effort.runs),
                    witness,
                )
        ceiling = "an expected excess risk above the bound on this quadratic would have been seen, exactly"
        evidence = Evidence(
            "exact moments and Monte Carlo",
            alpha=alpha,
            samples=effort.runs,
            ceiling=ceiling,
            seed=effort.seed,
        )
        return Result(SUPPORTED, "; ".join(figures), evidence)

    return Tested("the expected excess risk on a quadratic is within Eq (3)", run)


@claim(PAPER, "text-q-static-1", at="Below Theorem 4.1", kind="inequality")
def influence_is_at_most_alpha():
    """ "Relaxing q_t to a static 1": gamma^(T-t) is relaxed to 1, so q_t = gamma^(T-t) alpha <= alpha for t =
    1..T,
    and q_t <= 1 if alpha <= 1. (age = T - t)
    """
    age = sp.Symbol("age", integer=True, nonnegative=True)
    return AllOf(
        AtMost(gamma**age * alpha, alpha, given=[gamma < 1]),
        AtMost(gamma**age * alpha, 1, given=[gamma < 1, alpha <= 1]),
    )
