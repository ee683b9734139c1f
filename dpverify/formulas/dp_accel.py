"""Noise scales, allocations, stages, choices of T and bounds of dp-accel ("Differentially private accelerated
optimization algorithms").

    loss(b) = ln(1 + (m/n)(exp(S1/(b m)) - 1)),   scale(e) = S1 / (m e0(e)),   e0(e) = ln(1 + (exp(e) - 1)
    n/m)      Eqs (3.3)-(3.5)
    E_T <= a_{T,0} E_0 + sum_t a_{T,t} (d b_t^2 + sigma_s^2/2)
    Eq (4.3)
    a_{T,t} = 2^(s_T-s_t) prod_{i=t+1..T} (1 - sqrt(mu alpha_i)) alpha_t (1 + alpha_t L)
    Eq (4.8)
    eps_t = eps a_{T,t}^(1/3) / sum_j a_{T,j}^(1/3)
    Proposition 4.2

S1 is what a replaced record moves a gradient by in the L1 norm: twice the L1 clip norm. b is the *scale* of
the Laplace noise (variance 2 b^2). Formulas take numbers or SymPy symbols: the claims reason about the same
objects that the algorithms run.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from dpverify.guarantees import PureDP
from dpverify.roots import bisect
from dpverify.schedules import Number, Schedule, step

Array = np.ndarray[Any, Any]

TARGET = PureDP(1.0)  # section 5: "we fixed eps = 1 throughout"
S1 = 2.0  # of the examples: records in the L1 unit ball


def mixed(e: Any, rate: float) -> Any:
    """ln(1 + rate (exp(e) - 1)), for any e >= 0 without overflow.

    >>> float(mixed(0.5, 1.0)), round(float(mixed(5000.0, 0.5)), 3)
    (0.5, 4999.307)
    """
    return e + np.log1p((1 - rate) * np.expm1(-e))


def step_loss(b: Number, S: Number, m: Number, n: Number) -> Number:
    """The privacy loss of one step, Eq (3.3).

    >>> step_loss(0.5, 2.0, 10, 10)
    0.4
    """
    if not _symbolic(b, S, m, n):
        return S / (b * m) if m == n else float(mixed(S / (b * m), m / n))
    import sympy

    return sympy.log(1 + (sympy.exp(sympy.sympify(S) / (b * m)) - 1) * m / n)


def inner_epsilon(e: Number, m: Number, n: Number) -> Number:
    """The epsilon that the batch may spend for the step to spend e, Eq (3.5).

    >>> inner_epsilon(0.1, 10, 10), inner_epsilon(0.1, 5, 10) > 0.1
    (0.1, True)
    """
    if not _symbolic(e, m, n):
        return e if m == n else float(mixed(e, n / m))
    import sympy

    return sympy.log(1 + (sympy.exp(sympy.sympify(e)) - 1) * n / m)


def noise_scale(e: Number, S: Number, m: Number, n: Number) -> Number:
    """The Laplace scale of a step that spends e, Eq (3.4): S1 / (m e0).

    >>> noise_scale(0.1, 2.0, 10, 10)
    2.0
    """
    return S / (m * inner_epsilon(e, m, n))


def printed_nag_scale(e: Number, S: Number, m: Number, n: Number) -> Number:
    """The Laplace scale that Eq (4.1) prints for DP-NAG: S1 / (n e0), too small by m/n.

    >>> printed_nag_scale(0.1, 2.0, 10, 10)
    2.0
    """
    return S / (n * inner_epsilon(e, m, n))


def _symbolic(*values: Any) -> bool:
    return any(hasattr(value, "free_symbols") for value in values)


def uniform_epsilons(eps: Number, T: Number) -> Schedule:
    """eps_t = eps / T (Proposition 3.1).

    >>> uniform_epsilons(1, 4)(1)
    0.25
    """
    import sympy

    return Schedule(sympy.sympify(eps, strict=True) / T)


def momentum_of(mu: Number, alpha: Number) -> Number:
    """beta = (1 - sqrt(mu alpha)) / (1 + sqrt(mu alpha)) (Theorem 4.1).

    >>> momentum_of(0.25, 1.0)
    0.3333333333333333
    """
    import sympy

    root = sympy.sqrt(mu * alpha) if _symbolic(mu, alpha) else math.sqrt(mu * alpha)
    return (1 - root) / (1 + root)


def nag_weights(mu: Number, L: Number, alpha: Number, T: Number) -> Schedule:
    """a_{T,t} = (1 - sqrt(mu alpha))^(T-t) alpha (1 + alpha L), t >= 1 (Eq 4.3).

    >>> nag_weights(0.25, 1.0, 1.0, 2).values(2).tolist()
    [1.0, 2.0]
    """
    import sympy

    root = sympy.sqrt(sympy.sympify(mu, strict=True) * alpha)
    return Schedule((1 - root) ** (T - step()) * alpha * (1 + alpha * L))


def stage_weights(alpha: Schedule, stage: Schedule, mu: Number, L: Number, T: Number) -> Schedule:
    """a_{T,t} = 2^(s_T-s_t) prod_{i=t+1..T} (1 - sqrt(mu alpha_i)) alpha_t (1 + alpha_t L), t >= 1 (Eq 4.8).

    >>> stage_weights(Schedule([1.0, 1.0]), Schedule([1.0, 1.0]), 0.25, 1.0, 2).values(2).tolist()
    [1.0, 2.0]
    """
    if alpha._array is not None and stage._array is not None:
        a, s = alpha.values(int(T)), stage.values(int(T))
        kept = np.append(np.cumprod((1 - np.sqrt(mu * a))[:0:-1])[::-1], 1.0)
        return Schedule(2.0 ** (s[-1] - s) * kept * a * (1 + a * L))
    import sympy

    t, i = step(), sympy.Symbol("i", integer=True, positive=True)
    a_t, s_t = alpha.formula, stage.formula
    kept = sympy.Product(1 - sympy.sqrt(sympy.sympify(mu) * a_t.subs(t, i)), (i, t + 1, T))
    return Schedule(2 ** (s_t.subs(t, T) - s_t) * kept * a_t * (1 + a_t * L))


def first_weight(alpha: Schedule, stage: Schedule, mu: float, T: int, *, as_printed: bool = False) -> float:
    """a_{T,0} = 2^(s_T) prod_i (1 - sqrt(mu alpha_i)); as printed, 2^(s_T - 1): a factor 2 is missing (the
    momentum's share of E_0).

    >>> first_weight(Schedule(1.0), Schedule(1.0), 0.25, 1), first_weight(Schedule(1.0), Schedule(1.0), 0.25,
    ...     1, as_printed=True)
    (1.0, 0.5)
    """
    last = stage(T) - (1 if as_printed else 0)
    return float(2.0**last * np.prod(1 - np.sqrt(mu * alpha.values(T))))


def optimal_epsilons(weights: Schedule, T: Number, eps: Number) -> Schedule:
    """eps_t = eps a_t^(1/3) / sum_j a_j^(1/3): the optimal split for m = n (Proposition 4.2, and the line
    after it).

    >>> optimal_epsilons(Schedule([1.0, 8.0]), 2, 3.0).values(2).tolist()
    [1.0, 2.0]
    """
    if weights._array is not None:
        root = np.cbrt(weights.values(int(T)))
        return Schedule(float(eps) * root / root.sum())
    import sympy

    t, j = step(), sympy.Symbol("j", integer=True, positive=True)
    root = weights.formula ** sympy.Rational(1, 3)
    return Schedule(eps * root / sympy.Sum(root.subs(t, j), (j, 1, T)))


def optimal_scales(weights: Schedule, T: Number, S: Number, n: Number, eps: Number) -> Schedule:
    """b_t = S1 sum_j a_j^(1/3) / (a_t^(1/3) n eps): Eq (4.5).

    >>> optimal_scales(Schedule([1.0, 8.0]), 2, 2.0, 1, 3.0).values(2).tolist()
    [2.0, 1.0]
    """
    split = optimal_epsilons(weights, T, eps)
    if split._array is not None:
        return Schedule(float(S) / (n * split._array))
    return Schedule(S / (n * split.formula))


def exact_epsilons(weights: Schedule, T: int, eps: float, m: int, n: int) -> Schedule:
    """The split that minimises sum_t a_t b_t^2 on sum_t eps_t = eps, for any m <= n: bisection on the
    multiplier of the budget.

        b_t ~ 1/h(eps_t),  h(e) = ln(1 + (n/m)(exp(e) - 1)),   2 a_t h'(e) / h(e)^3 = nu  at every t

    For m = n it is Proposition 4.2.

    >>> exact_epsilons(Schedule([1.0, 8.0]), 2, 3.0, 5, 5).values(2).round(9).tolist()
    [1.0, 2.0]
    """
    if not 1 <= m <= n:
        raise ValueError(f"Expected 1 <= m={m} <= n={n}.")
    if not eps > 0:
        raise ValueError(f"Expected eps={eps} > 0.")
    log_a = np.log(weights.values(T))
    q = n / m

    def log_slope(e: Array) -> Array:  # ln h'(e)/h(e)^3, which decreases in e
        spent = mixed(e, q)
        return math.log(q) + e - spent - 3 * np.log(spent)

    def split(log_nu: float) -> Array:
        low, high = np.full(T, math.log(1e-12 * eps)), np.full(T, math.log(eps))
        for _ in range(48):
            middle = 0.5 * (low + high)
            above = log_a + log_slope(np.exp(middle)) > log_nu
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.exp(0.5 * (low + high))

    near = log_a + log_slope(np.full(T, eps / T))
    # At the least every step spends at least eps/T, at the most at most that.
    least, most = float(near.min()), float(near.max())
    epsilons = split(bisect(lambda log_nu: bool(split(log_nu).sum() <= eps), least, most, relative=1e-15)[1])
    return Schedule(epsilons * (eps / epsilons.sum()))


class Stages(NamedTuple):
    """The step size and the stage number of every step."""

    alpha: Schedule
    stage: Schedule


def one_stage(alpha: float, T: int) -> Stages:
    """NAG as one stage of constant step size.

    >>> one_stage(0.5, 3).alpha.values(3).tolist()
    [0.5, 0.5, 0.5]
    """
    return Stages(Schedule(np.full(T, float(alpha))), Schedule(np.ones(T)))


def first_stage(mu: float, L: float) -> int:
    """n_1 = ceil(2 sqrt(kappa) ln sqrt(kappa)), at least 1: the authors' code; Eq (4.7) says n_1 >= 1.

    >>> first_stage(0.1, 1.0)
    8
    """
    root = math.sqrt(L / mu)
    return max(1, math.ceil(2 * root * math.log(root)))


def masg_stages(
    mu: float, L: float, T: int, *, c: float = 1.0, p: int = 1, first: int | None = None
) -> Stages:
    """Eq (4.7): c/L for n_1 steps, then c/(4^k L) for 2^k ceil(sqrt(kappa) ln 2^(p+2)) steps, k = 2, 3, ...,
    cut at T.

    >>> masg_stages(0.25, 1.0, 5, first=3).alpha.values(5).tolist()
    [1.0, 1.0, 1.0, 0.0625, 0.0625]
    """
    if not 0 < mu <= L:
        raise ValueError(f"Expected 0 < mu={mu} <= L={L}.")
    if not 0 < c <= 1:
        raise ValueError(f"Expected 0 < c={c} <= 1.")
    if p < 1 or T < 1:
        raise ValueError(f"Expected p={p} >= 1 and T={T} >= 1.")
    alphas = [c / L] * (first or first_stage(mu, L))
    numbers = [1] * (first or first_stage(mu, L))
    k = 2
    length = math.ceil(math.sqrt(L / mu) * math.log(2 ** (p + 2)))
    while len(alphas) < T:
        alphas += [c / (4**k * L)] * (2**k * length)
        numbers += [k] * (2**k * length)
        k += 1
    return Stages(Schedule(alphas[:T]), Schedule([float(s) for s in numbers[:T]]))


def choose_steps(
    stages: Stages,
    longest: int,
    mu: float,
    L: float,
    *,
    noise: float,
    gap: float,
    as_printed: bool = False,
) -> int:
    """The T' <= longest that minimises Eq (4.6), a_{T',0} gap + noise (sum_j a_{T',j}^(1/3))^3, in one pass;
    noise = d (S1/(n eps))^2; as printed, a_{T',0} is half as large.

    >>> choose_steps(one_stage(1.0, 50), 50, 0.25, 1.0, noise=0.0, gap=1.0)
    50
    """
    alpha, stage = stages.alpha.values(longest), stages.stage.values(longest)
    grown = 2.0 ** np.diff(stage, prepend=0.0) * (1 - np.sqrt(mu * alpha))
    added = np.cbrt(alpha * (1 + alpha * L))
    total = 0.0
    first = 0.5 if as_printed else 1.0
    bounds = []
    for factor, more in zip(grown, added):
        total, first = total * float(np.cbrt(factor)) + float(more), first * float(factor)
        bounds.append(first * gap + noise * total**3)
    return int(np.argmin(bounds)) + 1


def sampling_variance(S: Number, m: Number, n: Number) -> Number:
    """sigma_s^2 = (S1^2/4) (1/m) (n-m)/(n-1), Eq (3.13).

    >>> sampling_variance(2.0, 5, 5)
    0.0
    """
    return S**2 / 4 / m * (n - m) / (n - 1) if n != 1 else 0 * S


def nag_bound(
    stages: Stages,
    scales: Schedule,
    T: int,
    mu: float,
    L: float,
    *,
    dimension: int,
    gap: float,
    sampling: float,
    as_printed: bool = False,
) -> float:
    """a_{T,0} E_0 + sum_t a_{T,t} (d b_t^2 + sigma_s^2/2): Eq (4.3), and Eq (4.8) for stages.

    >>> nag_bound(one_stage(1.0, 1), Schedule([1.0]), 1, 0.25, 1.0, dimension=2, gap=1.0, sampling=0.0)
    5.0
    """
    weights = stage_weights(stages.alpha, stages.stage, mu, L, T).values(T)
    noise = dimension * scales.values(T) ** 2 + sampling / 2
    return first_weight(stages.alpha, stages.stage, mu, T, as_printed=as_printed) * gap + float(
        weights @ noise
    )


def printed_heavy_ball_bound(
    spectrum: Array, start: Array, alpha: float, beta: float, variance: float, T: int
) -> float:
    """Eq (3.17) on a quadratic: V C_T^2 rho^(2T) + L m(alpha, beta), with the exact |M^T|^2 for C_T^2
    rho^(2T); `start` is x_0 - x*.

    >>> round(printed_heavy_ball_bound(np.array([1.0]), np.array([1.0]), 0.5, 0.0, 0.0, 1), 6)
    2.5
    """
    power, rho = 0.0, 0.0
    for lam in spectrum:
        one = np.array([[1 + beta - alpha * lam, -beta], [1.0, 0.0]])
        rho = max(rho, float(np.abs(np.linalg.eigvals(one)).max()))
        power = max(power, float(np.linalg.norm(np.linalg.matrix_power(one, T), 2)))
    if not rho < 1:
        raise ValueError(
            f"Expected step_size={alpha} that converges, got rho={rho:.4g} with beta={beta:.4g}."
        )
    V = 2 * float(start @ start) + variance * alpha**2 / (1 - rho**2)
    m = (
        variance
        / 2
        * float(np.sum(2 * alpha * (1 + beta) / ((1 - beta) * spectrum * (2 + 2 * beta - alpha * spectrum))))
    )
    return V * power**2 + float(spectrum.max()) * m


def certified_scales(split: Schedule, steps: int, m: int, n: int) -> Schedule:
    """The scales that spend eps_t each, S1 = 2 as in the examples."""
    return Schedule([float(noise_scale(e, S1, m, n)) for e in split.values(steps).tolist()])
