"""Appendix F: Proposition F.3, the rounds added up, and runs of it.

E|grad f(x_out)|^2 <= 2 (f(x_0) - f_*)/(eta K R) + 2e d (sigma_1 C_1)^2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.language.vectors import VectorSequence, norm2, total
from dpverify.relations import AtMost, Equal, Tested
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.audits import below_their_bounds
from dpverify.symbolic.diff2.lemma_f_1 import C_1, C_2, eta
from dpverify.symbolic.diff2.proposition_f_2 import K, R, T, d, e, g2, k, s2, sigma_1, sigma_2, w2
from dpverify.theorems import ForEvery, Theorem
from dpverify.verdicts import SUPPORTED, Result

Delta = sp.Symbol("Delta", nonnegative=True)


@claim(PAPER, "prop-f.3-sum", at="Proposition F.3, `Moreover`", kind="inequality")
def move_of_a_round_is_the_sum_of_its_steps():
    """|x_r - x_{r-1}|^2 <= K sum_k |x_k - x_{k-1}|^2: the round's move is the sum of its K steps."""
    v = VectorSequence("v")
    return AtMost(norm2(total(v[k], (k, 1, K))), K * sp.Sum(norm2(v[k]), (k, 1, K)))


r = sp.Symbol("r", integer=True, positive=True)
x2, left = (sp.IndexedBase(name, nonnegative=True) for name in ("x2", "left"))


def all_rounds(first, second):
    """What the R rounds of DIFF2-BVR-L-SGD say, with noise of standard deviation `first` at a restart and
    `second` over a unit move of the server: Proposition F.2 in each, and how the server's error grows.

    In round r: g2 is the mean of E|grad f|^2 over its local steps, x2 the sum of their squared moves over 4
    eta^2 K, s2 the squared move of the round over (2 eta K)^2, w2 the squared error of the server's estimate
    and e that of f - f_* before it, all in expectation.
    """
    a, c = d * first**2, d * (2 * eta * K * second) ** 2
    relations = (
        AtMost(g2[r], round_descends()),
        AtMost(s2[r], x2[r]),
        AtMost(left[r + 1] * (w2[r + 1] - a), (left[r] - 1) * (w2[r] - a + c * s2[r])),
        AtMost(left[r], T),
    )
    ends = [sp.Eq(w2[1], a), sp.Eq(left[R + 1], 0)]  # the first round is a restart, nothing is left at last
    return [*[ForEvery(relation, r, 1, R) for relation in relations], *ends]


def round_descends():
    """The right side of Proposition F.2 in round r."""
    return 2 * (e[r] - e[r + 1]) / (eta * K) - x2[r] + 2 * sp.E * w2[r]


@claim(
    PAPER,
    "prop-f.3",
    at="Proposition F.3, from Proposition F.2 in each round",
    kind="inequality",
    uses=["prop-f.2", "prop-f.3-sum", "prop-d.2-sum"],
)
def gradient_of_a_random_step_of_a_random_round():
    """If 8e eta^2 K^2 T d (sigma_2 C_2)^2 <= 1, Proposition F.2 and prop-f.3-sum hold in each of R rounds,
    and the error of the server's estimate grows as in Proposition D.2 (prop-d.2-sum): (1/R) sum_r of the
    rounds' mean E|grad f|^2, which is E|grad f(x_out)|^2, is at most 2 (f(x_0) - f(x_*))/(eta K R) + 2e d
    (sigma_1 C_1)^2. (f(x_0 - f(x_*)) is printed for f(x_0) - f(x_*).)
    """
    a, c = d * sigma_1**2 * C_1**2, d * (2 * eta * K * sigma_2 * C_2) ** 2
    S_g, S_x, S_w, S_r = (sp.Sum(name[r], (r, 1, R)) for name in (g2, x2, w2, s2))
    ends = 2 * (e[1] - e[R + 1]) / (eta * K)
    return (
        Theorem(
            given=[*all_rounds(sigma_1 * C_1, sigma_2 * C_2), 2 * sp.E * T * c <= 1],
            shows=AtMost(S_g / R, 2 * e[1] / (eta * K * R) + 2 * sp.E * a),
        )
        .use("prop-d.2-sum", "the errors of the rounds", R=R, T=T, a=a, c=c)
        .sum(AtMost(g2[r], round_descends()), (r, 1, R), "Proposition F.2")
        .have(Equal(sp.Sum(round_descends(), (r, 1, R)), ends - S_x + 2 * sp.E * S_w), "it telescopes")
        .sum(AtMost(s2[r], x2[r]), (r, 1, R), "the move of a round")
        .have(AtMost(2 * sp.E * T * c * S_r, S_r), "the condition on eta")
        .have(AtMost(2 * sp.E * S_w, 2 * sp.E * R * a + S_r), "the errors of the rounds")
        .have(AtMost(S_g, 2 * e[1] / (eta * K) + 2 * sp.E * R * a), "added up")
    )


@claim(
    PAPER,
    "prop-f.3-runs",
    at="Proposition F.3, run",
    kind="inequality",
    uses=["prop-f.3"],
    standing="ours",
    expect=SUPPORTED,
)
def runs_stay_below_the_bound_of_local_steps():
    """On logistic regression (200 records, d = 3, three data seeds, 4 clients, 8 rounds of K = 1, 2 and 4
    steps, batches of 5, T = 4, the noise of Proposition E.2 for (3, 1e-5)) with the largest eta that
    Propositions F.2 and F.3 allow (L = 1/4, zeta = 2 L (1 - 1/P)), the mean squared gradient at the output of
    DIFF2-BVR-L-SGD is not above 2 Delta/(eta K R) + 2e d (sigma_1 C_1)^2: no lower confidence bound on it is,
    at level 1e-3 for all nine together.
    """

    def run(effort: Effort) -> Result:
        import itertools
        import math

        from dpverify.algorithms import diff2_bvr_l_sgd
        from dpverify.formulas.diff2 import TARGET, printed_local_sigma, printed_variances, renyi_order
        from dpverify.montecarlo import mean_at_least
        from dpverify.parts.bounding import first_gap
        from dpverify.parts.cases import logistic_case

        rounds = 8
        restart = 4
        batch = 5
        clients = 4
        smooth = 0.25
        order, restarts = int(renyi_order(TARGET.epsilon, TARGET.delta)), -(-rounds // restart)
        similar = 2 * smooth * (1 - 1 / clients)
        shares = {}
        for seed, local in itertools.product((0, 1, 2), (1, 2, 4)):
            first = printed_variances(rounds, restart, 200, TARGET.epsilon, order, 3.0)[0]
            second = first * (rounds - restarts) / restarts
            third = printed_local_sigma(
                rounds=rounds,
                local=local,
                clients=clients,
                batch=batch,
                size=50,
                order=order,
                allowed=TARGET.epsilon / 3,
            )
            d = 3
            steps = local**2 * similar**2 + local * smooth**2 / batch + local * (third * smooth) ** 2 * d
            far = local**2 * restart * second * smooth**2 * d
            step = min(1 / (2 * smooth), 1 / math.sqrt(8 * math.e * steps), 1 / math.sqrt(8 * math.e * far))
            case = diff2_bvr_l_sgd.example(
                as_printed=True,
                local=local,
                step_size=step,
                case=logistic_case(200, seed=seed),
                clients=clients,
            )
            gap = first_gap(case.problem, case.data)
            bound = 2 * gap / (step * local * rounds) + 2 * math.e * d * first
            values = case.simulate(effort.runs, effort.seed).values[case.quantity]
            shares[f"K = {local}, data {seed}"] = mean_at_least(values, 1e-3 / 9) / bound
        return below_their_bounds(shares, effort)

    return Tested(
        "the mean squared gradient of runs with local steps is below the bound of Proposition F.3", run
    )


@claim(PAPER, "prop-f.3-single", at="Proposition F.3 at K = 1", kind="identity", standing="ours")
def one_local_step_is_diff2_gd():
    """At K = 1 the conclusion of Proposition F.3 is 2 Delta/(eta R) + 2e d (sigma_1 C_1)^2: that of
    Proposition D.2 but for a factor e in the noise.
    """
    bound = 2 * Delta / (eta * K * R) + 2 * sp.E * sigma_1**2 * C_1**2 * d
    stated = 2 * Delta / (eta * R) + 2 * sigma_1**2 * C_1**2 * d
    return Equal(bound.subs(K, 1) - stated, 2 * (sp.E - 1) * sigma_1**2 * C_1**2 * d)
