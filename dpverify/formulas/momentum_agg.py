"""Trees, weights, noise levels and bounds of momentum-agg ("Momentum aggregation for private non-convex
ERM").

    COMPOSE(a, b)    the maximal dyadic intervals [a 2^k + 1, (a+1) 2^k] inside [a, b], from the left
    Algorithm 3
    m_t = alpha sum_i (1-alpha)^(t-i) g_i = sum_{[y,z] in COMPOSE(1,t)} (1-alpha)^(t-z) f_[y,z]
    Eq (4)
    c_1 = 1,  c_{i+1} = (1-gamma)^i + rho c_i,  rho = (1-alpha)^N
    Lemma 17

Steps are t = 1..T, epochs are steps qN+1..(q+1)N, and every epoch takes the records in a fresh public order.
A node is summed from its left sibling and the newer half, so that a step costs as many additions as nodes end
with it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.guarantees import ApproxDP
from dpverify.schedules import Number, Schedule, step

Array = np.ndarray[Any, Any]

TARGET = ApproxDP(2.0, 1e-3)


def compose(a: int, b: int) -> list[tuple[int, int]]:
    """COMPOSE(a, b), Algorithm 3: disjoint dyadic intervals that make up [a, b], none if b < a.

    >>> compose(1, 6), compose(2, 5)
    ([(1, 4), (5, 6)], [(2, 2), (3, 4), (5, 5)])
    """
    if a < 1:
        raise ValueError(f"Expected a={a} >= 1.")
    parts = []
    while a <= b:
        k = 0
        while (a - 1) % 2 ** (k + 1) == 0 and a + 2 ** (k + 1) - 1 <= b:
            k += 1
        parts.append((a, a + 2**k - 1))
        a += 2**k
    return parts


def level(t: int) -> int:
    """The largest k with 2^k | t: the nodes of lengths 1, 2, ..., 2^k end at step t, the last of them alone
    serves prefix sums.

    >>> level(1), level(12)
    (0, 2)
    """
    return (t & -t).bit_length() - 1


def ending_at(t: int) -> list[tuple[int, int]]:
    """All nodes that end at step t, the shortest first.

    >>> ending_at(4)
    [(4, 4), (3, 4), (1, 4)]
    """
    return [(t - 2**k + 1, t) for k in range(level(t) + 1)]


def momentum_weights(alpha: Number, T: Number) -> Schedule:
    """alpha (1-alpha)^(T-i): the weight of the gradient of step i in m_T.

    >>> momentum_weights(0.5, 2).values(2).tolist()
    [0.25, 0.5]
    """
    import sympy

    return Schedule(sympy.sympify(alpha, strict=True) * (1 - alpha) ** (T - step()))


def block_coefficients(gamma: Number, rho: Number) -> Schedule:
    """c_i = sum_{j=0..i-1} (1-gamma)^j rho^(i-1-j) of Lemma 17.

    >>> block_coefficients(0.5, 0.25).values(3).tolist()
    [1.0, 0.75, 0.4375]
    """
    import sympy

    j = sympy.Symbol("j", integer=True, nonnegative=True)
    kept, old = 1 - sympy.sympify(gamma, strict=True), sympy.sympify(rho, strict=True)
    return Schedule(sympy.Sum(kept**j * old ** (step() - 1 - j), (j, 0, step() - 1)))


def printed_v(T: Number, N: Number) -> Number:
    """V = (floor(log2 N) + 1) T/N + sum_{j = floor(log2 N)+1}^{floor(log2 T)} floor(T/2^j) (Algorithm 1).

    >>> printed_v(8, 4)
    7.0
    """
    if hasattr(T, "free_symbols") or hasattr(N, "free_symbols"):
        import sympy

        j, low = sympy.Symbol("j", integer=True), sympy.floor(sympy.log(N, 2))
        return (low + 1) * T / N + sympy.Sum(
            sympy.floor(T / 2**j), (j, low + 1, sympy.floor(sympy.log(T, 2)))
        )
    low = N.bit_length() - 1
    return (low + 1) * T / N + sum(T // 2**j for j in range(low + 1, T.bit_length()))


def printed_v_reduced(T: Number, N: Number) -> tuple[Number, Number]:
    """V_{<=2N} = 3 log2 N and V_{>2N} = 4 (T/N) log2 N (Algorithm 2).

    >>> printed_v_reduced(32, 4)
    (6.0, 64.0)
    """
    if hasattr(T, "free_symbols") or hasattr(N, "free_symbols"):
        import sympy

        log = sympy.log(N, 2)
    else:
        log = math.log2(N)
    return 3 * log, 4 * T / N * log


def printed_sigma(epsilon: float, delta: float, factor: float = 2.0) -> float:
    """sigma = factor sqrt(ln(1/delta)) / epsilon: factor 2 in Theorem 4, 4 in Theorem 8.

    >>> round(printed_sigma(2.0, 1e-3), 3)
    2.628
    """
    return factor * math.sqrt(math.log(1 / delta)) / epsilon


def prefix_deviation(alpha: float, scale: float, T: int) -> Array:
    """The standard deviation of a coordinate of the noise in m_t, t = 1..T, from nodes of that scale (the
    exact form of Lemma 12).

    >>> prefix_deviation(1.0, 2.0, 3).tolist()
    [2.0, 2.0, 2.0]
    """
    return scale * np.sqrt(
        [sum((1 - alpha) ** (2 * (t - z)) for _, z in compose(1, t)) for t in range(1, T + 1)]
    )


def reduced_deviation(
    alpha: float, gamma: float, N: int, T: int, early: float, late: float, difference: float
) -> Array:
    """The same for Algorithm 4, from nodes of scale `early` (G, up to step 2N), `late` (G, later) and
    `difference` (r and Delta).

    >>> reduced_deviation(1.0, 0.5, 2, 1, 3.0, 1.0, 4.0).tolist()
    [5.0]
    """

    def variance(a: int, b: int, of_g: bool) -> float:
        scales = ((early if z <= 2 * N else late) if of_g else difference for _, z in compose(a, b))
        return sum((1 - alpha) ** (2 * (b - z)) * s**2 for (_, z), s in zip(compose(a, b), scales))

    rho, deviations = (1 - alpha) ** N, []
    c = [0.0, 1.0]
    while len(c) <= T // N + 1:
        c.append((1 - gamma) ** (len(c) - 1) + rho * c[-1])
    for t in range(1, T + 1):
        q, r = divmod(t, N)
        total = rho ** (2 * q) * variance(1, r, True) + (
            c[q] ** 2 * variance(r + 1, r + N, True) if q else 0.0
        )
        for i in range(1, q):
            block = t - i * N + 1, t - (i - 1) * N
            total += c[i] ** 2 * (
                (1 - gamma) ** 2 * variance(*block, False) + gamma**2 * variance(*block, True)
            )
        deviations.append(alpha * math.sqrt(total + variance(1, t, False)))
    return np.array(deviations)
