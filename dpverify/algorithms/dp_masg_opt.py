"""DP-MASG-opt: DP-MASG with T chosen by its bound and the budget split to minimise that bound.

    T' and eps_t as for DP-NAG-opt, with a_{T,t} = 2^(s_T-s_t) prod_{i=t+1..T} (1 - sqrt(mu alpha_i)) alpha_t
    (1 + alpha_t L)
    the release and the update of DP-MASG, for T' steps, with b_t = S1 / (m e0(eps_t))

Citation: dp-accel, section 4.2 and Proposition 4.2; bound: Theorem 4.3, Eq (4.8). E_0 must be a public guess.

Calibration. As for DP-NAG-opt: Eq (4.5) is certified for m = n, and overspends if taken literally for batches
of m < n.
"""

from __future__ import annotations

from dpverify.algorithms import Example
from dpverify.algorithms.dp_masg import dp_masg, staged_limit
from dpverify.algorithms.dp_nag import constants
from dpverify.algorithms.dp_nag_opt import optimised_example
from dpverify.formulas.dp_accel import S1, TARGET, Stages, masg_stages
from dpverify.guarantees import Guarantee
from dpverify.neighbours import REPLACE, Adjacency, Data
from dpverify.problems import Problem


def example(
    *,
    as_printed: bool = False,
    case: tuple[Problem, Data] | None = None,
    target: Guarantee = TARGET,
    adjacency: Adjacency = REPLACE,
    steps: int = 50,
    clip: float = S1 / 2,
    c: float = 1.0,
    guess: float = 2.0,
    batch: int | None = None,
) -> Example:
    """A quadratic with kappa = 10, n = 200, d = 5, eps = 1, at most 50 steps, the guess E_0 = 2.

    >>> example().algorithm.name
    'dp-masg-opt'
    """

    def stages_of(mu: float, L: float, T: int) -> Stages:
        return masg_stages(mu, L, T, c=c)

    return optimised_example(
        "dp-masg-opt",
        stages_of,
        case=case,
        target=target,
        adjacency=adjacency,
        steps=steps,
        clip=clip,
        batch=batch,
        guess=guess,
        as_printed=as_printed,
        limit=staged_limit,
        claim="dp-accel/thm-4.3-s0",
        at="Eq (4.8)",
        forms=lambda algorithm, problem, common: {
            "it is DP-MASG with other scales": (
                algorithm,
                dp_masg(problem, stages=stages_of(*constants(problem), common["steps"]), **common),
            )
        },
    )
