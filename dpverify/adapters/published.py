"""The code that the authors of the five papers published, and where there is none, their algorithm as it is
printed.

Nothing of that code is here: what its noise call does (query, clip, scale, sampling, charge) is restated in a
few lines of NumPy, on the linear loss <w, record>. Data sets are arrays with one record a row; n is the
number of records, which replacing and zeroing leave as it is.

    dp-accel        github.com/sibirbil/DPAccGradMethods, named in section 5 of the paper; read at commit
    1c3399e
    dynamic-noise   the paper names none. The first author's fork of pytorch-dp has the paper's zCDP budget
    and its decaying schedules:
                    github.com/jyhong836/pytorch-dp, branch dynamic_dp, read at commit cb805eb
    adp-erm         none found: Algorithm 1 with the noise of Eq (6)
    momentum-agg    none found: Algorithm 1 with the noise of Theorem 4
    diff2           none found: Algorithms 1 and 3 with the noise of Proposition 4.1

Records that are not numbers are in nobody's claim; what each does with them is shown all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.auditing.tape import Tape
from dpverify.guarantees import ZCDP, ApproxDP, PureDP
from dpverify.neighbours import REPLACE, ZERO_OUT, Neighbours, records
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

Array = np.ndarray[Any, Any]


def _nonempty(data: Any) -> Array:
    """The records, of which there must be one: without any, each of these divides by zero or refuses."""
    rows = np.asarray(data, dtype=float)
    if len(rows) == 0:
        raise ValueError("Expected at least one record, got none.")
    return rows


def _batches(rng: np.random.Generator, runs: int, size: int, of: int) -> Array:
    """A batch of that size without replacement for every run, as record numbers."""
    return (
        np.argsort(rng.random((runs, of)), axis=1)[:, :size] if size > 1 else rng.integers(of, size=(runs, 1))
    )


def dp_accel(
    steps: int = 2, epsilon: float = 2.0, bound: float = 1.0, batch: int = 0, smoothness: float = 1.0
) -> Subject:
    """The heavy ball of DPAccGradMethods: DP_HB_LR.m sets the noise, HB_LR.m runs, laprnd.m draws; NAG_LR.m
    draws in the same way.

        query     mean over the batch (randsample: without replacement; `batch` = 0 is everybody) of gradients
        of L1 norm <= bound
        charged   Laplace of scale b = S_1/(m ln(1 + (e^(epsilon/T) - 1) n/m)), S_1 = 2 bound
        drawn     Laplace of *standard deviation* b: laprnd takes a standard deviation and divides it by sqrt
        2

    So the noise is 0.71 of what Proposition 3.1 asks for, and the privacy loss of a full batch up to 1.41
    epsilon. `smoothness` = 0 takes the L of the step size 1/L from the records, as main_compare_methods.m
    does (L = svds(X'X/n + 2 lambda I)).
    """
    positive(steps=steps, epsilon=epsilon, bound=bound)
    if batch < 0 or smoothness < 0:
        raise ValueError(f"Expected batch={batch} >= 0 and smoothness={smoothness} >= 0.")

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        rows = _nonempty(data)
        n, d = rows.shape
        norms = np.abs(rows).sum(axis=1)
        with np.errstate(invalid="ignore"):  # infinite records
            rows = np.where(norms > bound, bound / np.maximum(norms, bound), 1.0)[:, None] * rows
        m = min(batch, n) or n
        b = 2 * bound / (m * math.log1p(math.expm1(epsilon / steps) * n / m))
        whole = Laplace(b, {REPLACE: 2 * bound / m, ZERO_OUT: bound / m})
        declared = Subsampled(whole, m, n) if m < n else whole
        alpha = 1 / (smoothness or np.linalg.norm(rows.T @ rows / n + 0.02 * np.eye(d), 2))
        beta = (1 - math.sqrt(0.02 * alpha)) / (1 + math.sqrt(0.02 * alpha))
        theta = before = np.zeros((runs, d))
        iterates = []
        for _ in range(steps):
            query = (
                rows[_batches(rng, runs, m, n)].mean(axis=1)
                if m < n
                else np.tile(rows.mean(axis=0), (runs, 1))
            )
            noisy = tape.record(query, query + rng.laplace(scale=b / math.sqrt(2), size=(runs, d)), declared)
            theta, before = theta - alpha * noisy + beta * (theta - before), theta
            iterates.append(theta)
        return np.concatenate(iterates, axis=1)

    pair = Neighbours.replace(np.array([[bound, 0.0], [0.0, 0.0]]), 0, [-bound, 0.0])
    return Subject(
        train,
        PureDP(epsilon),
        pair,
        "Proposition 3.1, which DP_HB_LR.m computes b by; replaced records",
        any_number=True,
    )


def dp_accel_script(steps: int = 2, epsilon: float = 2.0) -> Subject:
    """The same as main_compare_methods.m calls it: the step size c/L with L from the records."""
    return dp_accel(steps, epsilon, smoothness=0.0)


def _fork(
    steps: int, sigmas: Callable[[int], float], clip: float, batch: int, how: str
) -> Callable[..., Array]:
    """What PrivacyEngine.step of the fork publishes: mean over the batch of clip(g_i, clip) + N(0, (sigma_t
    clip)^2)/batch size.

    `how` the batches come: "full", "shuffle" (a step is an epoch, whose noise is constant), or "random" (a
    fresh batch each step).
    """

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        rows = _nonempty(data)
        n, d = rows.shape
        with np.errstate(over="ignore", invalid="ignore"):
            factor = clip / (np.linalg.norm(rows, axis=1) + 1e-6)
        with np.errstate(invalid="ignore"):  # infinite records
            rows = np.minimum(factor, 1.0)[:, None] * rows
        m = n if how == "full" else min(batch, n)
        published = []
        for t in range(steps):
            whole = Gaussian(sigmas(t) * clip / m, {ZERO_OUT: clip / m, REPLACE: 2 * clip / m})
            if how == "full":
                query = np.tile(rows.mean(axis=0), (runs, 1))
            elif how == "shuffle":
                order = np.argsort(rng.random((runs, n)), axis=1)[:, : n // m * m]
                query = rows[order].reshape(runs, n // m, m, d).mean(axis=2).reshape(runs, -1)
            else:
                query = rows[_batches(rng, runs, m, n)].mean(axis=1)
            declared = Subsampled(whole, m, n) if how == "random" and m < n else whole
            published.append(tape.record(query, query + whole.noise(rng, query.shape), declared))
        return np.concatenate(published, axis=1)

    return train


FORK = "the zCDP budget of the fork (privacy_metric/CDP.py), neighbours as in Definition B.1 of the paper"


def dynamic_noise(steps: int = 4, noise: float = 2.0, decay: float = 0.1, clip: float = 1.0) -> Subject:
    """DynamicPrivacyEngine, full batch, sigma_t = noise e^(-decay t) (ExpDecaySch); charged 1/(2
    sigma_t^2)-zCDP a step.

    It divides sum and noise by the size of the batch it is given, so that added and removed records are in no
    claim.
    """
    positive(steps=steps, noise=noise, clip=clip)

    def sigma(t: int) -> float:
        return noise * math.exp(-decay * t)

    rho = sum(0.5 / sigma(t) ** 2 for t in range(steps))
    pair = Neighbours.zero_out(np.array([[3 * clip, 0.0], [0.0, 0.5 * clip]]), 0)
    return Subject(_fork(steps, sigma, clip, 0, "full"), ZCDP(rho), pair, FORK, runs=10_000, any_number=True)


def dynamic_noise_shuffled(steps: int = 2, noise: float = 0.5, clip: float = 1.0, batch: int = 1) -> Subject:
    """The same in shuffled batches: a step of rate q is charged q/(2 sigma^2) (zCDP.amp_by_sampling), an
    epoch 1/(2 sigma^2).

    `steps` are epochs; a record is in one batch of each, and the schedules keep the noise constant within
    one.
    """
    positive(steps=steps, noise=noise, clip=clip, batch=batch)
    pair = Neighbours.zero_out(np.array([[3 * clip, 0.0], [0.0, 3 * clip]]), 0)
    return Subject(
        _fork(steps, lambda t: noise, clip, batch, "shuffle"),
        ZCDP(steps * 0.5 / noise**2),
        pair,
        FORK,
        runs=10_000,
        any_number=True,
    )


def dynamic_noise_sampled(
    steps: int = 2,
    noise: float = 0.5,
    clip: float = 1.0,
    count: int = 10,
    batch: int = 1,
    delta: float = 1e-3,
) -> Subject:
    """The same in random batches: a step of rate q < 1 is charged 2 q^2/(2 sigma^2) (ctCDP.amp_by_sampling),
    whatever q and sigma.

    The charge then counts as zCDP: epsilon = rho + 2 sqrt(rho ln(1/delta)). Its source says that the factor 2
    is to be calibrated by a moments accountant and that a condition on rho may fail; the engine does not
    check it. At sigma = 8 and q = 0.01, the setting of its own test, the charge is enough for many steps; at
    sigma = 0.5 and q = 0.1 it is not: a record is in a batch with probability q, and then sigma hides it
    badly.
    """
    positive(steps=steps, noise=noise, clip=clip, count=count, batch=batch)
    rho = steps * 2 * (batch / count) ** 2 * 0.5 / noise**2
    claim = ApproxDP(rho + 2 * math.sqrt(rho * math.log(1 / delta)), delta)
    data = np.zeros((count, 2))
    data[0, 0] = 3 * clip
    return Subject(
        _fork(steps, lambda t: noise, clip, batch, "random"),
        claim,
        Neighbours.zero_out(data, 0),
        FORK.replace("zCDP", "ctCDP"),
        runs=10_000,
    )


def _as_printed(build: Callable[[int], Any]) -> Callable[..., Array]:
    """The algorithm that `build` gives for the number of records at hand, every release of it published."""
    from dpverify.auditing.algorithm import as_mechanism

    built = lru_cache(maxsize=16)(lambda count: as_mechanism(build(count), "transcript"))

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        if records(data) == 0:
            raise ValueError("Expected at least one record, got none.")
        return built(records(data))(data, rng, runs=runs, tape=tape)

    return train


def _adp(
    alpha: Array, roots: Array | None, clip: float, epsilon: float, delta: float
) -> Callable[..., Array]:
    """Algorithm 1 of adp-erm on one random record a step: (g_t + alpha_t c_t)/b_t with public b_t, or with
    b_t from the raw gradients.
    """
    from dpverify.formulas.adp_erm import printed_sigma

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        rows = _nonempty(data)
        n = len(rows)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            shorter = np.minimum(clip / np.linalg.norm(rows, axis=1), 1.0)
        with np.errstate(invalid="ignore"):  # infinite records
            rows = np.where(rows.any(axis=1), shorter, 1.0)[:, None] * rows
        sigma = printed_sigma(alpha, G=clip, n=n, epsilon=epsilon, delta=delta)
        b_squared = np.full((runs, 1), 20.0)
        published = []
        for t, a in enumerate(alpha.tolist()):
            whole = Gaussian(a * sigma, {REPLACE: 2 * clip})
            g = rows[rng.integers(n, size=runs)]
            noisy = tape.record(g, g + whole.noise(rng, g.shape), Subsampled(whole, 1, n) if n > 1 else whole)
            b_squared = b_squared + np.maximum((g**2).sum(axis=1, keepdims=True), 1e-5)
            published.append(noisy / (np.sqrt(b_squared) if roots is None else roots[t]))
        return np.concatenate(published, axis=1)

    return train


def adp_erm(steps: int = 4, epsilon: float = 2.0, delta: float = 0.01, count: int = 2) -> Subject:
    """Algorithm 1 with b_t = sqrt(1 + t) and alpha_t^2 = b_t: the gradient of one random record, noise
    alpha_t sigma, sigma by Eq (6).

    Theorem 4.1 has no condition on n, T and epsilon. At n = 2 the noise is 18 times what our accountant
    certifies, so that half the claim holds too and an audit has nothing to see. Of what is released, this
    shows one number: the largest first coordinate of the noisy gradients, in whole multiples of G.
    """
    positive(steps=steps, epsilon=epsilon, delta=delta, count=count)
    from dpverify.formulas.adp_erm import adaptive_alpha, polynomial_b

    b = polynomial_b(1, 1).values(steps)
    release = _adp(adaptive_alpha(polynomial_b(1, 1)).values(steps), b, 1.0, epsilon, delta)

    def train(data: Any, rng: np.random.Generator, runs: int, tape: Tape) -> Array:
        released = release(data, rng, runs, tape).reshape(runs, steps, -1) * b[:, None]
        return np.rint(released[:, :, 0].max(axis=1, keepdims=True))

    data = np.tile([-1.0, 0.0], (count, 1))
    return Subject(
        train,
        ApproxDP(epsilon, delta),
        Neighbours.replace(data, 0, [1.0, 0.0]),
        "Theorem 4.1, Eq (6)",
        runs=4_000,
        any_number=True,
    )


def adp_erm_large(epsilon: float = 2.0, delta: float = 1e-3, count: int = 200) -> Subject:
    """The same with more records and T = 2: sigma shrinks like 1/n, while a record is still drawn with
    probability 1/n a step.

    At n = 200, G = 1, epsilon = 2 the noise is about 0.3 where a replaced record moves the gradient by 2, and
    with probability T/n = 0.01 > delta = 0.001 the record shows. The noise of Eq (6) is enough where T is
    large against n: the proof of Theorem 4.1 needs that the epsilon of each step is small before sampling,
    which the theorem does not ask for.
    """
    return replace(adp_erm(2, epsilon, delta, count), runs=30_000)


def adp_erm_norm(
    steps: int = 1, epsilon: float = 1.0, delta: float = 1e-3, clip: float = 5.0, width: int = 64
) -> Subject:
    """Algorithm 1 with the AdaGrad-norm of section 5.2: line 4 takes b_(t+1) from the raw gradient, and line
    6 divides by it.

        released   (g_t + alpha_t c_t)/b_t,   b_t^2 = b_(t-1)^2 + max(|g_t|^2, nu),   b_0^2 = 20, nu = 1e-5,
        alpha_t^4 = 20 + t G^2

    Theorem 4.1 charges g_t + alpha_t c_t alone. The noise that is published has the scale alpha_t sigma/b_t,
    which moves with the record: at G = 5 by a factor 1.5, which 64 coordinates of noise show, however large
    sigma is.
    """
    positive(steps=steps, epsilon=epsilon, delta=delta, clip=clip, width=width)
    from dpverify.formulas.adp_erm import norm_alpha

    data = np.zeros((1, width))
    data[0, 0] = clip
    train = _adp(norm_alpha(20, clip**2).values(steps), None, clip, epsilon, delta)
    return Subject(
        train,
        ApproxDP(epsilon, delta),
        Neighbours.replace(data, 0, np.zeros(width)),
        "Theorem 4.1, Eq (6)",
        runs=4_000,
        any_number=True,
    )


def momentum_agg(epochs: int = 2, epsilon: float = 4.0, delta: float = 0.02, count: int = 2) -> Subject:
    """Algorithm 1: momentum of clipped gradients in a public order, by a tree whose nodes have noise N(0, (4
    alpha G sigma)^2 V).

    sigma = 2 sqrt(ln(1/delta))/epsilon, V as printed, delta >= e^(-epsilon), alpha = 1/N (Theorem 4). The
    noise is 3.4 times what our accountant certifies, so that half the claim holds too.
    """
    positive(epochs=epochs, epsilon=epsilon, delta=delta, count=count)
    if delta < math.exp(-epsilon):
        raise ValueError(f"Expected delta={delta} >= exp(-epsilon) = {math.exp(-epsilon):.4g}.")
    from dpverify.algorithms.dp_nsgd import dp_nsgd
    from dpverify.formulas.momentum_agg import printed_sigma, printed_v
    from dpverify.problems import quadratic

    def build(n: int) -> Any:
        scale = 4 / n * printed_sigma(epsilon, delta) * math.sqrt(printed_v(epochs * n, n))
        return dp_nsgd(
            quadratic([1.0, 1.0], count=n),
            clip=1.0,
            alpha=1 / n,
            scale=scale,
            steps=epochs * n,
            step_size=0.1,
        )

    data = np.zeros((count, 2))
    data[0, 0] = 1.0
    return Subject(
        _as_printed(build),
        ApproxDP(epsilon, delta),
        Neighbours.replace(data, 0, [-1.0, 0.0]),
        "Theorem 4",
        runs=10_000,
        any_number=True,
    )


def diff2(
    steps: int = 2, restart: int = 2, epsilon: float = 4.7, delta: float = 0.01, count: int = 2
) -> Subject:
    """Algorithms 1 and 3 (gradient descent), one client: noise by Proposition 4.1 with u = 1.25, on logistic
    regression.

    `steps` are rounds, every `restart`-th releases a gradient clipped to C_1 = 1, the others a difference of
    gradients clipped to C_2 |x_r - x_(r-1)|, C_2 = 1.
    """
    positive(steps=steps, restart=restart, epsilon=epsilon, delta=delta, count=count)
    from dpverify.algorithms.diff2_gd import diff2_gd
    from dpverify.formulas.diff2 import printed_variances, renyi_order, round_variances
    from dpverify.problems import logistic

    def build(n: int) -> Any:
        u = 1.25 if min(restart, steps) > 1 else 1
        first, second = printed_variances(steps, restart, n, epsilon, renyi_order(epsilon, delta), u)
        problem = logistic(np.eye(2), count=n)
        variances = round_variances(first, second, restart)
        return diff2_gd(
            problem,
            clip=1.0,
            difference_clip=1.0,
            variances=variances,
            restart=restart,
            rounds=steps,
            step_size=0.1,
            clients=1,
        )

    rows = np.zeros((count, 2))
    rows[0, 0] = 10.0
    pair = Neighbours.replace((rows, np.ones(count)), 0, (np.array([10.0, 0.0]), -1.0))
    return Subject(
        _as_printed(build), ApproxDP(epsilon, delta), pair, "Proposition 4.1", runs=75_000, any_number=True
    )


def _target(name: str, about: str, claims: str, build: Callable[..., Subject], **expect: Any) -> Target:
    return Target(f"published:{name}", about, claims, build, expect={"empty": UNDECIDED, **expect})


SHORT = {"noise": REFUTED, "single": REFUTED, "step": REFUTED, "training": REFUTED}
RAW = {"sensitivity": REFUTED, "huge": REFUTED, "step": REFUTED, "training": REFUTED}

TARGETS = (
    _target(
        "adp-erm",
        "Algorithm 1 of adp-erm, public step sizes",
        "Theorem 4.1, replaced records",
        adp_erm,
        nan=REFUTED,
        half=SUPPORTED,
    ),
    _target(
        "adp-erm-large",
        "Algorithm 1 of adp-erm, public step sizes, many records, two steps",
        "Theorem 4.1, replaced records",
        adp_erm_large,
        budget=UNDECIDED,
        training=REFUTED,
    ),
    _target(
        "adp-erm-norm",
        "Algorithm 1 of adp-erm, AdaGrad-norm",
        "Theorem 4.1, replaced records",
        adp_erm_norm,
        nan=REFUTED,
        **RAW,
    ),
    _target("diff2", "DIFF2-GD as printed", "Proposition 4.1, replaced records", diff2),
    _target(
        "dp-accel",
        "DPAccGradMethods, heavy ball",
        "Proposition 3.1, replaced records",
        dp_accel,
        nan=REFUTED,
        **SHORT,
    ),
    _target(
        "dp-accel-script",
        "DPAccGradMethods, L from the records",
        "Proposition 3.1, replaced records",
        dp_accel_script,
        **{**SHORT, **RAW},
    ),
    _target(
        "dynamic-noise",
        "the first author's fork of pytorch-dp, full batch",
        "its zCDP budget, zeroed records",
        dynamic_noise,
        nan=REFUTED,
    ),
    _target(
        "dynamic-noise-sampled",
        "the fork, random batches",
        "its ctCDP budget, zeroed records",
        dynamic_noise_sampled,
        budget=UNDECIDED,
        step=REFUTED,
        training=REFUTED,
    ),
    _target(
        "dynamic-noise-shuffled",
        "the fork, shuffled batches",
        "its zCDP budget, zeroed records",
        dynamic_noise_shuffled,
        nan=REFUTED,
    ),
    _target(
        "momentum-agg", "DP-NSGD as printed", "Theorem 4, replaced records", momentum_agg, half=SUPPORTED
    ),
)
