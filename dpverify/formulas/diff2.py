"""Clients, noise levels and the bound of diff2 ("DIFF2: differential private optimization via gradient
differences for nonconvex ...").

    sigma_1^2 = 4 u a ceil(R/T) / (n_min^2 P^2 eps),   sigma_2^2 = 4 u/(u-1) a (R - ceil(R/T)) / (n_min^2 P^2
    eps)
    a = 1 + ceil(2 ln(1/delta)/eps)
    E|F'(x_out)|^2 <= 2 (F(x_0) - F*)/(eta R) + 2 sigma_1^2 C_1^2 d   if eta <= min(1/(2L), 1/(2 sqrt(T d)
    sigma_2 C_2))

Citation: Proposition 4.1 (noise), the proof of Proposition D.2 (bound), Lemma B.7 and Proposition E.2 (secret
batches). The records come client by client: client p has `sizes[p]` of them, and F is the mean over the
clients of their means. Formulas take numbers or SymPy symbols.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.guarantees import ApproxDP
from dpverify.roots import bisect
from dpverify.schedules import Number, Schedule, step

Array = np.ndarray[Any, Any]

TARGET = ApproxDP(3.0, 1e-5)  # section 6


def renyi_order(epsilon: Number, delta: Number) -> Number:
    """a = 1 + ceil(2 ln(1/delta)/eps) (Proposition 4.1).

    >>> renyi_order(3.0, 1e-5)
    9
    """
    if hasattr(epsilon, "free_symbols") or hasattr(delta, "free_symbols"):
        import sympy

        return 1 + sympy.ceiling(2 * sympy.log(1 / delta) / epsilon)
    return 1 + math.ceil(2 * math.log(1 / delta) / epsilon)


def printed_variances(
    rounds: Number, T: Number, total: Number, epsilon: Number, order: Number, u: Number
) -> tuple[Number, Number]:
    """sigma_1^2 and sigma_2^2 of Proposition 4.1; `total` is n_min P. For T = 1 there are no differences: u =
    1 and sigma_2 = 0.

    >>> printed_variances(4, 2, 10, 1.0, 5, 2)
    (0.8, 0.8)
    """
    if hasattr(rounds, "free_symbols") or hasattr(T, "free_symbols"):
        import sympy

        restarts = sympy.ceiling(rounds / T)
    else:
        restarts = -(-rounds // T)
    first = 4 * u * order * restarts / (total**2 * epsilon)
    return first, (
        4 * u * order * (rounds - restarts) / ((u - 1) * total**2 * epsilon) if u != 1 else 0 * first
    )


def round_variances(first: Number, second: Number, T: Number) -> Schedule:
    """sigma_1^2 in rounds 1, T+1, 2T+1, ..., sigma_2^2 in the others.

    >>> round_variances(4.0, 1.0, 2).values(3).tolist()
    [4.0, 1.0, 4.0]
    """
    import sympy

    return Schedule(sympy.Piecewise((first, sympy.Eq(sympy.Mod(step() - 1, T), 0)), (second, True)))


def largest_step(L: float, T: int, sigma_2: float, C_2: float, d: int) -> float:
    """eta = min(1/(2L), 1/(2 sqrt(T d) sigma_2 C_2)), for which the proof of Proposition D.2 goes through.

    >>> largest_step(1.0, 1, 0.0, 1.0, 3)
    0.5
    """
    noisy = 2 * math.sqrt(T * d) * sigma_2 * C_2
    return min(1 / (2 * L), 1 / noisy if noisy > 0 else math.inf)


def gradient_bound(
    gap: Number, eta: Number, rounds: Number, sigma_1: Number, C_1: Number, d: Number
) -> Number:
    """2 gap/(eta R) + 2 sigma_1^2 C_1^2 d: Proposition D.2 with the constants of its proof.

    >>> gradient_bound(1.0, 0.5, 4, 0.0, 1.0, 3)
    1.0
    """
    return 2 * gap / (eta * rounds) + 2 * sigma_1**2 * C_1**2 * d


def sampled_renyi(order: int, rate: float, epsilon: Callable[[Any], Any]) -> float:
    """Lemma B.7 for Gaussian noise (epsilon(inf) = inf): what a secret batch costs at that order, its release
    costing epsilon(j), for one j or an array of them.

    >>> 0 < sampled_renyi(8, 0.01, lambda j: 0.01 * j) < 0.08
    True
    """
    from scipy.special import gammaln

    twice = float(epsilon(2))  # ln of min(4 (e^twice - 1), 2 e^twice), without overflow
    least = math.log(4 * math.expm1(twice)) if twice < math.log(2) else math.log(2) + twice
    first = 2 * math.log(rate) + math.log(math.comb(order, 2)) + least
    j = np.arange(3, order + 1)
    choices = gammaln(order + 1) - gammaln(j + 1) - gammaln(order - j + 1)
    later = j * math.log(rate) + choices + (j - 1) * epsilon(j) + math.log(2)
    return float(np.logaddexp.reduce([0.0, first, *later])) / (order - 1)


def printed_local_sigma(
    *, rounds: int, local: int, clients: int, batch: int, size: int, order: int, allowed: float
) -> float:
    """The smallest sigma_3 with 2 K ceil(R/P) eps'(a) <= allowed, eps(j) = 2 j/(b^2 sigma_3^2) (Proposition
    E.2), by bisection.

    >>> 0 < printed_local_sigma(rounds=6, local=4, clients=4, batch=5, size=50, order=9, allowed=1.0) < 10
    True
    """
    budget = allowed / (2 * local * -(-rounds // clients))

    def cost(log_sigma: float) -> float:
        return sampled_renyi(order, batch / size, lambda j: 2 * j / (batch * math.exp(log_sigma)) ** 2)

    if cost(12.0) > budget:
        raise ValueError(
            f"Expected a batch={batch} of {size} records small enough for Lemma B.7: no sigma_3 "
            "meets the budget."
        )
    return math.exp(bisect(lambda log_sigma: cost(log_sigma) <= budget, -3.0, 12.0)[1])
