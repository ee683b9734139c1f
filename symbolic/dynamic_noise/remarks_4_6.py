"""The discussion of Theorem 4.6: increasing schedules, what averaging does to them, and schedules compared.

Q_i = sum_{t=i..T} gamma^(T-t) w_t^2 beta^(2(t-i)), the exact influence of Eq (13), against q_t of the theorem
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from dpverify.algorithms.private_gd_momentum import momentum_schedule
from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, Equal, Instance, Tested
from dpverify.schedules import Schedule
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.momentum import ETA0_LIMIT, C, R, T, Th, beta, gamma, influence, j, t
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Evidence, Result, Witness


@claim(
    PAPER,
    "disc-4.6-increasing-schedule",
    at="Discussion of Theorem 4.6",
    kind="monotonicity",
    expect=REFUTED,
    breaks="text",
    correction="disc-4.6-increasing-schedule-corrected",
)
def printed_influence_decreases_before_t_hat():
    """q_t of Theorem 4.6 decreases when t <= T_hat, so that the preferred schedule increases: for T > T_hat
    too, where the printed q_t is gamma^(T_hat-1) c2 gamma^(T-t).
    """
    c2 = sp.Symbol("c_2", positive=True)

    def q(s):
        return gamma ** (Th - 1) * c2 * gamma ** (T - s)

    return AtMost(q(t + 1), q(t), given=[gamma < 1, t + 1 <= Th, Th < T])


@claim(
    PAPER,
    "disc-4.6-increasing-schedule-corrected",
    at="Discussion of Theorem 4.6, with indicators of t",
    kind="monotonicity",
    uses=["thm-4.6-q-corrected"],
    standing="ours",
)
def corrected_schedule_increases_before_t_hat():
    """With q_t = c1 gamma^(T+t) for t <= T_hat (thm-4.6-q-corrected), q_{t+1} < q_t and the schedule
    sigma_t^2 = S/(R sqrt q_t), S = sum_i sqrt q_i, increases from t to t + 1, for t + 1 <= T_hat; g = sqrt
    gamma.
    """
    c1, S, g = sp.symbols("c_1 S g", positive=True)  # c1 is the square root of the printed one
    root, later = c1 * g ** (T + t), c1 * g ** (T + t + 1)
    return (
        Theorem(
            given=[g < 1],
            shows=AllOf(
                AtMost(later**2, root**2, strict=True), AtMost(S / (R * root), S / (R * later), strict=True)
            ),
        )
        .have(Equal(later, g * root), "one power more")
        .have(AtMost(later, root, strict=True), "g < 1")
    )


@claim(
    PAPER,
    "disc-4.6-increasing-exact",
    at="Discussion of Theorem 4.6, of the exact influence",
    kind="monotonicity",
    uses=["influence"],
    expect=REFUTED,
    correction="disc-4.6-increasing-schedule-corrected",
    standing="ours",
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
    breaks="text",
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
    at="Discussion of Theorem 4.6, the bias correction settled",
    kind="inequality",
    uses=["influence"],
    standing="ours",
)
def averaging_evens_out_the_roots_of_the_influence():
    """Where the bias correction has settled, k steps before the end the influence is, up to a factor, q_k =
    sum_{j<=k} h_j r_j^2 with r_j^2 = gamma^(k-j) that of GD and h_j = (1-x) x^j, x = beta^2: its root is at
    least the average of the roots of GD, (sum_j h_j r_j)^2 <= q_k. (That the gain of the dynamic schedule is
    then smaller is not shown here.)
    """
    r, x = sp.IndexedBase("r", positive=True), sp.Symbol("x", positive=True)
    n = sp.Symbol("n", integer=True, positive=True)
    weights = sp.Sum((1 - x) * x**j, (j, 0, n))
    roots = sp.Sum((1 - x) * x**j * r[j], (j, 0, n))
    squares = sp.Sum((1 - x) * x**j * r[j] ** 2, (j, 0, n))
    return (
        Theorem(given=[x < 1], shows=AtMost(roots**2, squares))
        .have(Equal(weights, 1 - x ** (n + 1)), "a geometric sum")
        .have(AtMost(roots**2, weights * squares), "Cauchy-Schwarz")
        .have(AtMost(0, squares), "squares")
        .have(AtMost(0, x ** (n + 1) * squares), "what is missing")
    )


@claim(
    PAPER,
    "thm-4.6-beats-uniform",
    at="Theorem 4.6, its schedule against the uniform one",
    kind="inequality",
    uses=["influence"],
    expect=REFUTED,
    correction="thm-4.6-beats-uniform-corrected",
    standing="ours",
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
    standing="ours",
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
    standing="ours",
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
