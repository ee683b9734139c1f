"""Section 4.1: Nesterov's method with noise, Eq (4.1), and its privacy.

z_t = (1 + beta) x_t - beta x_{t-1},   x_{t+1} = z_t - alpha (grad F_B(z_t) + eta_t),   eta ~ Lap(b)^d
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import printed_nag_scale, step_loss
from dpverify.guarantees import PureDP
from dpverify.language.mechanisms import Private, Repeated
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Tested
from dpverify.releases import Laplace
from dpverify.schedules import Schedule, step
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import EQ_3_4, EQ_3_5, dp_shb, epsilon_0, small_pair
from dpverify.theorems import AllOf
from dpverify.verdicts import REFUTED, Result

t, j = step(), sp.Symbol("j", integer=True, positive=True)
n, m, T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "T", "d"))
eps, S, alpha, mu, L = sp.symbols("epsilon S alpha mu L", positive=True)
b = sp.Symbol("b", positive=True)


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
