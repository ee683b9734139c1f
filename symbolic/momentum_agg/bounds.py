"""The bounds that runs are set against: of a prefix sum, read off at most 1 + log2 N noisy nodes, and of the
gradients of normalised steps with a momentum, whose noise is put in as it is.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.theorem_6 import mean_gradient_with
from dpverify.theorems import Theorem

N, k = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "k"))
d, s = sp.symbols("d s", positive=True)


@claim(
    PAPER,
    "bound-tree",
    at="Proposition 18, for the mean of N records",
    kind="inequality",
    uses=["prop-18"],
    standing="ours",
)
def error_of_the_mean_from_a_tree():
    """If the sum is read off k <= 1 + log2 N nodes of noise N(0, s^2 I), half the squared error of the mean
    is d k s^2/(2 N^2) <= d s^2 (1 + log2 N)/(2 N^2).
    """
    most = 1 + sp.log(N) / sp.log(2)
    return Theorem(given=[k <= most], shows=AtMost(d * k * s**2 / (2 * N**2), d * s**2 * most / (2 * N**2)))


T, t = (sp.Symbol(name, integer=True, positive=True) for name in ("T", "t"))
eta, L, G, R, beta = sp.symbols("eta L G R beta", positive=True)
noise = sp.IndexedBase("nu", nonnegative=True)  # E|NOISE_t|


def mean_gradient_with_noise(near, given):
    """Lemma 5 with E|m^_t - grad F(w_t)| <= near + nu_t + beta^t G at every step, beta = 1 - alpha."""
    noises = sp.Sum(noise[t], (t, 1, T))
    stated = 3 * R / (2 * eta * T) + 3 * L * eta / 4 + 3 * near + 3 * G / ((1 - beta) * T) + 3 * noises / T
    return mean_gradient_with(eta, beta, near, [beta < 1, *given], stated, noise[t])


@claim(
    PAPER,
    "bound-nsgd",
    at="Theorem 6, with the exact noise, given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="inequality",
    uses=["lemma-5", "lemma-11-corrected"],
    standing="ours",
)
def mean_gradient_of_dp_nsgd():
    """E|grad F(w^)| <= 3R/(2 eta T) + 3 L eta/4 + 3 (2 G sqrt(alpha) + 2 eta N L + eta L/alpha) + 3 G/(alpha
    T) + (3/T) sum_t nu_t for normalised steps on an L-smooth F (Lemma 5), w^ uniform on w_1..w_T, alpha = 1 -
    beta < 1, if E|m^_t - grad F(w_t)| is at most what lemma-11-corrected says and the mean norm nu_t of the
    noise of the tree; R bounds F(w_1) - F.
    """
    near = 2 * G * sp.sqrt(1 - beta) + 2 * eta * N * L + eta * L / (1 - beta)
    return mean_gradient_with_noise(near, [])


@claim(
    PAPER,
    "bound-reduced-nsgd",
    at="Theorem 9, with the exact noise, given the error of the momentum (Lemmas 11 and 12, corrected)",
    kind="inequality",
    uses=["lemma-5", "thm-9-sampling", "l11-unroll-corrected", "l11-anchor-step", "lemma-17-corrected"],
    standing="ours",
)
def mean_gradient_of_reduced_nsgd():
    """For Algorithm 2 with fresh orders, gamma = eta N <= 1 and alpha = 1 - beta: E|grad F(w^)| <= 3R/(2 eta
    T) + 3 L eta/4 + 3 (u sqrt(alpha (G^2 + gamma (G + L)^2)) + 2 eta N L + eta L/alpha) + 3 G/(alpha T) +
    (3/T) sum_t nu_t, u = 1/(1 - beta^N), nu_t the mean norm of the noise in the momentum: the sampling error
    is that of thm-9-sampling, the rest as in thm-9-corrected.
    """
    spread = G**2 + eta * N * (G + L) ** 2
    near = sp.sqrt((1 - beta) * spread) / (1 - beta**N) + 2 * eta * N * L + eta * L / (1 - beta)
    return mean_gradient_with_noise(near, [eta * N <= 1])
