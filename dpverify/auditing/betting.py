"""Betting against a claimed guarantee: the growth-optimal e-value for binned outputs, valid for every
mechanism.

For weights A, B >= 0 on the bins and one draw X ~ M(D), Y ~ M(D'), let

    s(A, B) = sup over pairs (P, Q) admitted by the claim of E_P A + E_Q B = sum_i max_x (p_i A(x) + q_i B(x))

over the atoms (p_i, q_i) of the claim's worst pair. Then (2/s)^2 A(X) B(Y) has mean at most 1 under the
claim, because
(E_P A)(E_Q B) <= ((E_P A + E_Q B) / 2)^2. Products over pairs, with A and B chosen from earlier draws, are a
nonnegative supermartingale: the claim is refuted, at any time, once it exceeds 1/alpha (Ville). The best
weights are
p1/p0 and q1/q0 with (p0, q0) the projection of the learned (p1, q1) on the claim (Turner, Ly and Gruenwald
2024, for two
bins); here they are found among  A = 1 + u + sum_k l_k (1[E_k] - d_k/2),  B = 1 - u - sum_k l_k (g_k 1[E_k] +
d_k/2),
l_k >= 0, which the claim prices exactly: P(E_k) <= g_k Q(E_k) + d_k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpverify.auditing.claimed import WorstPair


class Bet(NamedTuple):
    """Log-weights per bin on the two sides, and the growth per pair expected if the learned frequencies are
    right.
    """

    log_a: np.ndarray
    log_b: np.ndarray
    growth: float


def capacity(a: np.ndarray, b: np.ndarray, pair: WorstPair) -> float:
    """The largest E_P a + E_Q b over all pairs that the claim admits.

    >>> from dpverify.auditing.claimed import worst_pair
    >>> from dpverify.guarantees import PureDP
    >>> capacity(np.ones(3), np.ones(3), worst_pair(PureDP(1.0)))
    2.0
    """
    finite = np.outer(a, pair.ratios[:-1])
    finite += b[:, None]
    return float(pair.q[:-1] @ finite.max(axis=0) + pair.p[-1] * a.max())


def _slopes(p1: np.ndarray, q1: np.ndarray, pair: WorstPair) -> tuple[np.ndarray, np.ndarray]:
    """For each event, the slope g of the claim's curve where it is nearest to it (in relative entropy), and
    the claimed d = H(g).
    """
    logs, slopes, heights = pair.sides
    nearest = (np.array([p1, 1 - p1, q1, 1 - q1]).T @ logs).argmax(axis=1)
    return slopes[nearest], heights[nearest]


def best_bet(p1: np.ndarray, q1: np.ndarray, pair: WorstPair) -> Bet:
    """The weights that grow fastest if the bins have probabilities p1 (on data) and q1 (on other), all
    positive.

    >>> from dpverify.auditing.claimed import worst_pair
    >>> from dpverify.guarantees import PureDP
    >>> fair, biased = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    >>> best_bet(biased, fair, worst_pair(PureDP(1.0))).growth > 0.01 > best_bet(biased, fair,
    ...     worst_pair(PureDP(3.0))).growth
    True
    """
    from scipy.optimize import nnls

    bins = len(p1)
    order = np.argsort(-(p1 / q1), kind="stable")
    p, q = p1[order], q1[order]
    tpr, fpr = p.cumsum()[:-1], q.cumsum()[:-1]
    if (tpr <= np.interp(fpr, *pair.curve)).all():
        return Bet(
            np.zeros(bins), np.zeros(bins), 0.0
        )  # the claim admits what was learned: nothing to bet on
    g, d = _slopes(tpr, fpr, pair)
    inside = (np.arange(bins)[:, None] <= np.arange(bins - 1)).astype(float)
    design = np.zeros((2 * bins, bins + 1))
    design[:bins, :-2], design[bins:, :-2] = inside - d / 2, -g * inside - d / 2
    design[:bins, -2], design[bins:, -2] = 1.0, -1.0
    design[:, -1] = -design[:, -2]
    mass = np.concatenate([p, q])
    root = np.sqrt(mass)
    z = np.zeros(bins + 1)
    value = np.ones(2 * bins)
    now = 0.0
    for _ in range(6):  # Newton on sum mass log(1 + design z), z >= 0
        scaled = (root / value)[:, None] * design
        step = nnls(scaled, root + scaled @ z)[0] - z
        move = design @ step
        least = 0.02 * min(1.0, value.min())
        t = 1.0
        while t > 1e-3:
            there = value + t * move
            grown = float(mass @ np.log(there)) if there.min() > least else -np.inf
            if grown >= now:
                break
            t /= 2
        if t <= 1e-3:
            break
        z = z + t * step
        value = there
        now = grown
        # the next step would change the growth by less than a part in a hundred
        if t * max(move.max(), -move.min()) < 0.1:
            break
    scale = 2 / capacity(value[:bins], value[bins:], pair)
    log_value = np.log(value) + np.log(scale)
    back = np.empty(bins, dtype=int)
    back[order] = np.arange(bins)
    return Bet(log_value[:bins][back], log_value[bins:][back], float(mass @ log_value))
