"""The ledgers, exact losses and audits of DIFF2-GD and DIFF2-BVR-L-SGD against the theorems, and runs against
Proposition D.2.

The records of the audits have the loss r^2 + 3 sin(r)^2, r = x - y, on a line: its curvature 2 + 6 cos(2 r)
is 8 at r = 0 and -4 at r = pi/2. A record with y = -.3 has gradient and curvature above C_1 = 2 and C_2 = 4
at x = 0, one with y = pi/2 has both below -2 and -4: replaced by each other they move a restart by 2 C_1/(n_p
P) and, for short steps, every difference by 2 C_{2,r}/(n_p P), which is all that Lemma C.1 allows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.accounting import account, epsilon
from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.diff2 import printed_variances, renyi_order, round_variances, sampled_renyi
from dpverify.guarantees import GDP, ApproxDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.relations import Tested
from dpverify.symbolic.diff2 import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

CLIP, DIFFERENCE_CLIP = 2.0, 4.0


def sensitive_pair(count: int) -> Neighbours:
    """Records at 0 on a line, of which the first is replaced by one that bends the other way."""
    features, targets = np.ones((count, 1)), np.zeros(count)
    targets[0] = -0.3
    return Neighbours.replace((features, targets), 0, (np.ones(1), math.pi / 2))


def noise_levels(rounds: int, restart: int, count: int, target: ApproxDP, u: float = 1.25) -> Any:
    """sigma_1^2 and sigma_2^2 of Proposition 4.1 for every round, as a schedule."""
    order = renyi_order(target.epsilon, target.delta)
    first, second = printed_variances(
        rounds, restart, count, target.epsilon, order, 1.0 if restart == 1 else u
    )
    return round_variances(first, second, restart)


def audited_diff2_gd(target: ApproxDP, rounds: int = 12, restart: int = 4, count: int = 8) -> Any:
    """DIFF2-GD of 2 clients on such records, with the noise of Proposition 4.1 and short steps."""
    from dpverify.algorithms.diff2_gd import diff2_gd
    from dpverify.problems import Linear

    problem = Linear(dimension=1, count=count, start=np.zeros(1), kind="wavy")
    return diff2_gd(
        problem,
        clip=CLIP,
        difference_clip=DIFFERENCE_CLIP,
        variances=noise_levels(rounds, restart, count, target),
        restart=restart,
        rounds=rounds,
        step_size=1e-4,
        clients=2,
    )


@claim(
    PAPER,
    "prop-4.1-ledger",
    at="Proposition 4.1, as the accountant reads the algorithm",
    kind="privacy guarantee",
    standing="ours",
    uses=["prop-4.1-renyi"],
    expect=SUPPORTED,
)
def ledger_says_what_the_theorem_says():
    """The exact composition of the releases of DIFF2-GD has mu^2 = 4 m_1/(N sigma_1)^2 + 4 m_2/(N sigma_2)^2,
    twice the Renyi cost of Proposition 4.1 over a; and the printed noise is certified for (eps, delta), for R
    = 1..40, T = 1..50, P = 1..4, several eps and delta.
    """

    def run(effort: Effort) -> Result:
        from dpverify.algorithms.diff2_gd import server_releases

        rng = np.random.default_rng(effort.seed)
        cases = 40
        apart = 0.0
        above = 0
        for _ in range(cases):
            rounds, restart, clients = (int(rng.integers(1, top)) for top in (41, 51, 5))
            count = clients * int(rng.integers(1, 30))
            target = ApproxDP(float(rng.choice([0.1, 1.0, 3.0, 20.0])), float(rng.choice([1e-9, 1e-5, 0.3])))
            variances = noise_levels(rounds, restart, count, target)
            ledger = server_releases((count // clients,) * clients, variances, rounds, restart, 1.7)
            spent = account(ledger, REPLACE)
            stated = math.sqrt(float(np.sum(4 / (count**2 * variances.values(rounds)))))
            apart = max(apart, abs(getattr(spent, "mu", math.nan) / stated - 1))
            above += spent.delta_at(target.epsilon) > target.delta
        said = f"mu differs by at most {apart:.1g} in {cases} cases; {above} are above their delta"
        evidence = Evidence(
            "accountant", samples=cases, seed=effort.seed, ceiling="a relative difference of 1e-9"
        )
        return Result(SUPPORTED if apart <= 1e-9 and not above else UNDECIDED, said, evidence)

    return Tested("the ledger of DIFF2-GD costs what Proposition 4.1 says", run)


@claim(
    PAPER,
    "prop-4.1-audit",
    at="Proposition 4.1, audited",
    kind="privacy guarantee",
    standing="ours",
    uses=["prop-4.1", "lemma-c.1-tight"],
    expect=SUPPORTED,
)
def exact_losses_attain_the_theorem():
    """The transcript of DIFF2-GD with the noise of Proposition 4.1 for (3, 1e-5), R = 12, T = 4, two clients
    of 4 records, on neighbours that bend in opposite directions: mu = sqrt(eps/a) = .577 of Gaussian DP is
    not refuted by an audit of its exact losses, and .8 of it is, by the same audit.
    """

    def run(effort: Effort) -> Result:
        from dpverify import Budget, audit
        from dpverify.auditing.algorithm import loss_mechanism

        target = ApproxDP(3.0, 1e-5)
        algorithm, pair = audited_diff2_gd(target), sensitive_pair(8)
        mu = math.sqrt(target.epsilon / renyi_order(target.epsilon, target.delta))
        budget = Budget(runs=8 * effort.runs, seed=effort.seed)
        mechanism = loss_mechanism(algorithm, pair)
        verdicts = [
            audit(mechanism, pair, GDP(claimed), budget=budget, rungs=["statistics"], smaller=False).verdict
            for claimed in (mu, 0.8 * mu)
        ]
        evidence = Evidence(
            "audit of exact losses",
            samples=2 * budget.runs,
            seed=effort.seed,
            ceiling="a refutation of mu; one of .8 mu was found",
        )
        said = f"mu = {mu:.3f} is {verdicts[0]}, .8 mu is {verdicts[1]}"
        right = verdicts[0] is not REFUTED and verdicts[1] is REFUTED
        return Result(SUPPORTED if right else UNDECIDED, said, evidence)

    return Tested("an audit refutes .8 of the cost of Proposition 4.1 and not the cost itself", run)


@claim(
    PAPER,
    "prop-e.2-ledger",
    at="Proposition E.2, as the accountant reads the algorithm",
    kind="privacy guarantee",
    standing="ours",
    uses=["prop-e.2"],
    expect=SUPPORTED,
)
def ledger_of_local_steps_is_below_the_proposition():
    """For DIFF2-BVR-L-SGD the accountant's epsilon at delta = 1e-5 is at most that of Proposition E.2 at
    every whole order 2..12, in settings of R, T, K, P, n_p and b in which the proposition is below 50; the
    client whose turn comes most often pays most.
    """

    def run(effort: Effort) -> Result:
        from dpverify.algorithms.diff2_bvr_l_sgd import all_releases

        level = 1e-5
        worst = 0.0
        cases = 0
        settings = [(4, 2, 2, 2, 60, 2), (6, 3, 4, 4, 100, 5), (3, 5, 3, 4, 80, 1)]
        for rounds, restart, local, clients, size, batch in settings:
            total, third = size * clients, 2.0 / batch * 4
            variances = noise_levels(rounds, restart, total, ApproxDP(3.0, level))
            ledger = all_releases((size,) * clients, variances, third, rounds, restart, 1.0, local, batch)
            needed = epsilon(account(ledger, REPLACE), level)
            server = 2 * float(np.sum(1 / variances.values(rounds))) / total**2
            stated = min(
                order * server
                + local
                * -(-rounds // clients)
                * sampled_renyi(order, batch / size, lambda j, b=batch, s=third: 2 * j / (b * s) ** 2)
                + math.log(1 / level) / (order - 1)
                for order in range(2, 13)
            )
            worst, cases = max(worst, needed / stated), cases + (stated < 50)
        said = f"the accountant needs at most {worst:.3g} of the epsilon of Proposition E.2"
        evidence = Evidence("accountant", samples=cases, ceiling="an epsilon above that of the proposition")
        right = worst <= 1 and cases == len(settings)
        return Result(SUPPORTED if right else UNDECIDED, said, evidence)

    return Tested("the ledger of DIFF2-BVR-L-SGD costs no more than Proposition E.2 says", run)


def below_their_bounds(shares: dict[str, float], effort: Effort) -> Result:
    """What lower confidence bounds on means, as shares of what they should stay below, say together at level
    1e-3: each has its share of that level.
    """
    evidence = Evidence(
        "runs",
        samples=len(shares) * effort.runs,
        alpha=1e-3,
        seed=effort.seed,
        ceiling="a lower confidence bound above the bound",
    )
    most, least = (choose(shares, key=lambda name: shares[name]) for choose in (max, min))
    said = f"the means reach at least {shares[least]:.2g} ({least}) to {shares[most]:.2g} ({most})"
    return Result(SUPPORTED if shares[most] <= 1 else REFUTED, f"{said} of the bound", evidence)


@claim(
    PAPER,
    "bound-gradient-runs",
    at="Proposition D.2, run",
    kind="inequality",
    standing="ours",
    uses=["bound-gradient"],
    expect=SUPPORTED,
)
def runs_stay_below_the_bound():
    """On logistic regression (80 records, d = 3, 4 clients, 20 rounds, (3, 1e-5)-DP), three data seeds, the
    mean squared gradient at the output of DIFF2-GD, for T = 2, 5 and 20, and of DP-GD is not above 2 e_1/(eta
    R) + d (sigma_1 C_1)^2: no lower confidence bound on it is, at level 1e-3 for all twelve together.
    """

    def run(effort: Effort) -> Result:
        from dpverify.algorithms import diff2_dp_gd, diff2_gd
        from dpverify.montecarlo import mean_at_least
        from dpverify.parts.cases import logistic_case

        cases: dict[str, Any] = {}
        for seed in (0, 1, 2):
            own: dict[str, Any] = {"case": logistic_case(80, seed=seed), "clients": 4, "as_printed": True}
            cases[f"DP-GD, data {seed}"] = diff2_dp_gd.example(**own)
            for T in (2, 5, 20):
                cases[f"T = {T}, data {seed}"] = diff2_gd.example(restart=T, **own)
        shares = {}
        for name, case in cases.items():
            if case.bound is None:
                return Result(UNDECIDED, f"the bound does not apply to {name}", Evidence("runs"))
            values = case.simulate(effort.runs, effort.seed).values[case.quantity]
            shares[name] = mean_at_least(values, 1e-3 / len(cases)) / case.bound.value
        return below_their_bounds(shares, effort)

    return Tested("the mean squared gradient of runs is below the bound of Proposition D.2", run)


def audited_local_steps(batch: int) -> Any:
    """DIFF2-BVR-L-SGD of 2 clients of 4 such records, 6 rounds of 3 steps with batches of that size."""
    from dpverify.algorithms.diff2_bvr_l_sgd import diff2_bvr_l_sgd
    from dpverify.problems import Linear

    return diff2_bvr_l_sgd(
        Linear(dimension=1, count=8, start=np.zeros(1), kind="wavy"),
        clip=CLIP,
        difference_clip=DIFFERENCE_CLIP,
        variances=noise_levels(6, 3, 8, ApproxDP(3.0, 1e-5)),
        local_sigma=1.5,
        restart=3,
        rounds=6,
        local=3,
        batch=batch,
        step_size=1e-4,
        clients=2,
    )


@claim(
    PAPER,
    "prop-e.2-audit",
    at="Proposition E.2, audited",
    kind="privacy guarantee",
    standing="ours",
    uses=["prop-e.2", "prop-e.2-ledger"],
    expect=SUPPORTED,
)
def audits_of_the_local_steps():
    """The transcript of DIFF2-BVR-L-SGD, R = 6, T = 3, K = 3, two clients of 4 records, secret batches of 2
    records and batches of all 4, on neighbours that bend in opposite directions: the epsilon that the ledger
    says at delta = .05 is not refuted by an audit of the exact losses, and .6 of it is.
    """

    def run(effort: Effort) -> Result:
        from dpverify import Budget, audit
        from dpverify.auditing.algorithm import loss_mechanism

        pair = sensitive_pair(8)
        level = 0.05
        verdicts = {}
        budget = Budget(runs=4 * effort.runs, seed=effort.seed)
        for batch in (2, 4):
            algorithm = audited_local_steps(batch)
            stated = epsilon(account(algorithm.ledger(), REPLACE), level)
            losses = loss_mechanism(algorithm, pair)
            for share in (1.0, 0.6):
                claimed = ApproxDP(share * stated, level)
                name = f"{share:g} of epsilon = {stated:.2f} at b = {batch}"
                verdicts[name, share] = audit(
                    losses, pair, claimed, budget=budget, rungs=["statistics"], smaller=False
                ).verdict
        said = ", ".join(f"{name}: {verdict}" for (name, _), verdict in verdicts.items())
        evidence = Evidence(
            "audit of exact losses",
            samples=8 * budget.runs,
            seed=effort.seed,
            ceiling="a refutation of the ledger's epsilon; one of .6 of it was found",
        )
        right = all((verdict is REFUTED) == (share < 1) for (_, share), verdict in verdicts.items())
        return Result(SUPPORTED if right else UNDECIDED, said, evidence)

    return Tested("audits refute .6 of what the ledger of DIFF2-BVR-L-SGD says, and not what it says", run)
