"""Schedules, choices of T, bounds and influences of dynamic-noise ("On dynamic noise influence in
differential private learning").

    sigma_t^2 = (1/R) (sum_i sqrt(q_i)) / sqrt(q_t)          Lemma 4.1: the squared noise multipliers on the
    budget sum 1/sigma_t^2 = R
    kappa = M/mu,  gamma = 1 - 1/kappa,  alpha = D G^2 / (2 R M N^2 (f(theta_1) - f*))
    Eq (2)
    ERUB = gamma^T + R alpha sum_t gamma^(T-t) sigma_t^2
    Eq (3)

Every formula takes numbers or SymPy symbols: the claims reason about the same objects that the algorithms
run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from dpverify.guarantees import ApproxDP
from dpverify.roots import bisect
from dpverify.schedules import Number, Schedule, from_influence, step

Array = np.ndarray[Any, Any]


def uniform(T: Number, R: Number) -> Schedule:
    """sigma_t^2 = T / R (Theorem 4.2).

    >>> uniform(4, 2.0).values(2).tolist()
    [2.0, 2.0]
    """
    import sympy

    return Schedule(sympy.sympify(T, strict=True) / R)


def dynamic(gamma: Number, T: Number, R: Number) -> Schedule:
    """sigma_t^2 = (1/R) (gamma^((t-T)/2) - gamma^(t/2)) / (1 - sqrt(gamma)): Eq (7), in a form without
    overflow.

    >>> bool(np.isclose((1 / dynamic(0.9, 10, 2.0).values(10)).sum(), 2.0))
    True
    """
    import sympy

    t, root = step(), sympy.sqrt(gamma)
    return Schedule((root ** (t - T) - root**t) / (1 - root) / R)


def gd_influence(gamma: Number, T: Number) -> Schedule:
    """q_t = gamma^(T-t), the influence of Eq (3) up to the factor alpha.

    >>> gd_influence(0.5, 3).values(3).tolist()
    [0.25, 0.5, 1.0]
    """
    import sympy

    return Schedule(sympy.sympify(gamma, strict=True) ** (T - step()))


def momentum_influence(beta: Number, gamma: Number, T: Number) -> Schedule:
    """Exact influence of sigma_t^2 on U_3, Eq (13): q_t = sum_{j=t..T} gamma^(T-j) ((1-beta)/(1-beta^j))^2
    beta^(2(j-t)).

    >>> momentum_influence(0.0, 0.5, 3).values(3).tolist()
    [0.25, 0.5, 1.0]
    """
    import sympy

    t, j = step(), sympy.Symbol("j", integer=True, positive=True)
    b, g = sympy.sympify(beta, strict=True), sympy.sympify(gamma, strict=True)
    return Schedule(sympy.Sum(g ** (T - j) * ((1 - b) / (1 - b**j)) ** 2 * b ** (2 * (j - t)), (j, t, T)))


def piecewise_influence(beta: Number, gamma: Number, T: Number, T_hat: Number) -> Schedule:
    """Influence of Theorem 4.6: c1 gamma^(T+t) if T <= T_hat, else gamma^(T_hat-1) c2 gamma^(T-t), with the
    proof's c1 and c2.

    >>> piecewise_influence(0.5, 0.9, 2, 5).values(2).round(4).tolist()
    [2.4923, 2.2431]
    """
    import sympy

    t = step()
    b, g = sympy.sympify(beta, strict=True), sympy.sympify(gamma, strict=True)
    c1, c2 = 2 / (g * (g - b**2)), g ** (2 * T_hat) / (g - b**2)
    return Schedule(
        sympy.Piecewise((c1 * g ** (T + t), sympy.Le(T, T_hat)), (g ** (T_hat - 1) * c2 * g ** (T - t), True))
    )


def exponential(k: Number, T: Number, R: Number) -> Schedule:
    """sigma_t = sigma_0 exp(-k t), rescaled to spend exactly R: sigma_0^2 = (1/R) sum_i exp(2 k i) (the paper
    does not say it rescales).

    >>> bool(np.isclose((1 / exponential(0.1, 5, 2.0).values(5)).sum(), 2.0))
    True
    """
    import sympy

    t, i = step(), sympy.Symbol("i", integer=True, positive=True)
    return Schedule(sympy.Sum(sympy.exp(2 * k * (i - t)), (i, 1, T)) / R)


def fitted_exponential(target: Schedule, T: int, R: float, *, log_scale: bool = False) -> Schedule:
    """The exponential schedule whose sigma_0 exp(-k t) is closest to the target's sigma_t in least squares,
    rescaled to R.

    >>> fitted_exponential(dynamic(0.81, 8, 1.0), 8, 1.0).values(8).round(6).tolist() == dynamic(0.81, 8,
    ...     1.0).values(8).round(6).tolist()
    True
    """
    t = np.arange(1, T + 1)
    sigma = np.sqrt(target.values(T))
    slope, intercept = np.polyfit(t, np.log(sigma), 1) if T > 1 else (0.0, math.log(sigma[0]))
    if log_scale or T <= 2:
        return exponential(-float(slope), T, R)
    from scipy.optimize import least_squares

    fit = least_squares(
        lambda p: np.exp(p[0] + p[1] * t) - sigma, [intercept, slope], xtol=1e-12, ftol=1e-12, gtol=1e-12
    )
    return exponential(-float(fit.x[1]), T, R)


def expinfl(a: Number, T: Number, R: Number) -> Schedule:
    """Lemma 4.1 on the influence q_t = exp(a t) (section 5).

    >>> expinfl(0.0, 4, 2.0).values(2).tolist()
    [2.0, 2.0]
    """
    import sympy

    return from_influence(Schedule(sympy.exp(a * step())), T, R)


def momexpinfl(c1: Number, a1: Number, c2: Number, a2: Number, T: Number, R: Number) -> Schedule:
    """Lemma 4.1 on the influence q_t = c1 exp(-a1 t) + c2 exp(a2 t) (section 5).

    >>> momexpinfl(1, 0.0, 1, 0.0, 4, 2.0).values(2).round(9).tolist()
    [2.0, 2.0]
    """
    import sympy

    return from_influence(Schedule(c1 * sympy.exp(-a1 * step()) + c2 * sympy.exp(a2 * step())), T, R)


def alpha_of(D: Number, G: Number, R: Number, M: Number, N: Number, gap: Number) -> Number:
    """alpha = D G^2 / (2 R M N^2 gap), gap = f(theta_1) - f* (Eq 2).

    >>> alpha_of(2, 1.0, 1.0, 1.0, 10, 1.0)
    0.01
    """
    return D * G**2 / (2 * R * M * N**2 * gap)


def erub(variances: Array, influence: Array, gamma: float, R: float, alpha: float) -> float:
    """ERUB = gamma^T + R alpha sum_t q_t sigma_t^2 (Eq 3, and Eq 11 with alpha := 2 eta_0 alpha): the bound
    relative to the first gap.

    >>> erub(np.array([1.0]), np.array([1.0]), 0.5, 1.0, 0.25)
    0.75
    """
    return float(gamma ** len(variances) + R * alpha * np.dot(influence, variances))


def uniform_erub(gamma: Number, alpha: Number, T: Number) -> Number:
    """gamma^T + alpha T (1 - gamma^T)/(1 - gamma): the bound with sigma_t^2 = T/R (sketch of Theorem 4.2).

    >>> uniform_erub(0.5, 0.1, 1)
    0.6
    """
    return gamma**T + alpha * T * (1 - gamma**T) / (1 - gamma)


def dynamic_erub(gamma: Number, alpha: Number, T: Number) -> Number:
    """gamma^T + alpha ((1 - gamma^(T/2))/(1 - gamma^(1/2)))^2: the bound with Eq (7).

    >>> round(dynamic_erub(0.25, 0.1, 1), 6)
    0.35
    """
    half = _functions(gamma).sqrt(gamma)
    return gamma**T + alpha * ((1 - half**T) / (1 - half)) ** 2


def _functions(*values: Number) -> Any:
    """log, sqrt, ceiling, and a value or 0: SymPy's if one of the values is symbolic, else those of
    floats.
    """
    if any(hasattr(value, "free_symbols") for value in values):
        import sympy

        def choose(value: Number, holds: Any) -> Number:
            return sympy.Piecewise((value, holds), (0, True))

        return SimpleNamespace(log=sympy.log, sqrt=sympy.sqrt, ceiling=sympy.ceiling, choose=choose)
    return SimpleNamespace(
        log=math.log, sqrt=math.sqrt, ceiling=math.ceil, choose=lambda value, holds: value if holds else 0.0
    )


def eq_4(kappa: Number, alpha: Number) -> Number:
    """T = ceil(kappa ln(1 + 1/(kappa alpha))): Eq (4) with the constant 1.

    >>> eq_4(10.0, 0.01)
    24
    """
    f = _functions(kappa, alpha)
    return f.ceiling(kappa * f.log(1 + 1 / (kappa * alpha)))


def eq_7(kappa: Number, alpha: Number) -> Number:
    """T = ceil(2 kappa ln(1 + 1/(kappa alpha))): Eq (7).

    >>> eq_7(10.0, 0.01)
    48
    """
    f = _functions(kappa, alpha)
    return f.ceiling(2 * kappa * f.log(1 + 1 / (kappa * alpha)))


def eq_22(kappa: Number, alpha: Number) -> Number:
    """T = (1/l) ln(l/(kappa alpha)) if kappa alpha < l = ln(1/gamma), else 0: the minimiser of gamma^T +
    alpha kappa T.

    >>> eq_22(2.0, 1.0)
    0.0
    """
    f = _functions(kappa, alpha)
    l = -f.log(1 - 1 / kappa)
    return f.choose(f.log(l / (kappa * alpha)) / l, kappa * alpha < l)


def eq_23(kappa: Number, alpha: Number) -> Number:
    """T = (1/l) ln(1 + l/alpha), l = ln(1/gamma).

    >>> round(eq_23(2.0, 1.0), 3)
    0.76
    """
    f = _functions(kappa, alpha)
    l = -f.log(1 - 1 / kappa)
    return f.log(1 + l / alpha) / l


def eq_26(gamma: Number, alpha: Number) -> Number:
    """T = 2 log_gamma(alpha/(alpha + (1 - sqrt(gamma))^2)): the real minimiser of `dynamic_erub`.

    With momentum it is the minimiser for the corrected bound, alpha being the factor of its sum of roots.

    >>> round(eq_26(0.25, 0.25), 3)
    1.0
    """
    f = _functions(gamma, alpha)
    return 2 * f.log(alpha / (alpha + (1 - f.sqrt(gamma)) ** 2)) / f.log(gamma)


def momentum_uniform_steps(kappa: Number, alpha: Number, eta0: Number) -> Number:
    """T = (1/l) ln(1 + eta0/(kappa alpha)), l = ln(1/gamma), gamma = 1 - eta0/kappa: before rounding, as in
    Theorem 4.5's proof.

    >>> round(momentum_uniform_steps(10.0, 0.1, 1.0), 3)
    6.579
    """
    f = _functions(kappa, alpha, eta0)
    return f.log(1 + eta0 / (kappa * alpha)) / -f.log(1 - eta0 / kappa)


def momentum_dynamic_steps(kappa: Number, alpha: Number, eta0: Number) -> Number:
    """T = (2/l) ln(1 + eta0/(kappa alpha)): before rounding, as in Theorem 4.6's proof.

    >>> momentum_dynamic_steps(10.0, 0.1, 1.0) == 2 * momentum_uniform_steps(10.0, 0.1, 1.0)
    True
    """
    return 2 * momentum_uniform_steps(kappa, alpha, eta0)


def exact_steps(bound: Callable[[int], float], longest: int) -> int:
    """The whole T in 0..longest that minimises a bound (the smallest one if several do); T = 0 has bound 1.

    >>> exact_steps(lambda T: uniform_erub(0.5, 0.01, T), 100)
    5
    """
    values = [1.0, *(bound(T) for T in range(1, longest + 1))]
    return int(np.argmin(values))


def t_hat(beta: float, gamma: float) -> int:
    """The largest t with gamma^(t-1) >= (1 - beta)/(1 - beta^t) (Lemma B.7); t = 1 always qualifies.

    >>> t_hat(0.9, 0.99)
    230
    """
    if not 0 <= beta < 1 or not 0 < gamma < 1:
        raise ValueError(f"Expected 0 <= beta={beta} < 1 and 0 < gamma={gamma} < 1.")
    last = math.ceil(1 - math.log1p(-beta) / -math.log(gamma)) + 1
    return next(
        t for t in range(max(last, 1), 0, -1) if t == 1 or gamma ** (t - 1) * (1 - beta**t) >= 1 - beta
    )


def largest_eta0(beta: float, kappa: float, *, as_printed: bool = False) -> float:
    """The largest eta_0 with gamma = 1 - eta_0/kappa > beta and 1 - eta_0 - 4 c eta_0^2 >= 0, c = beta
    gamma/((gamma-beta)^2 (1-beta)^3).

    As printed (Theorem 4.4) the condition is 1 - eta_0/4 - c eta_0^2 >= 0.

    >>> largest_eta0(0.5, 10.0) < largest_eta0(0.5, 10.0, as_printed=True)
    True
    """

    def room(eta0: float) -> float:
        gamma = 1 - eta0 / kappa
        if gamma <= beta:
            return -math.inf
        c = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
        return 1 - eta0 / 4 - c * eta0**2 if as_printed else 1 - eta0 - 4 * c * eta0**2

    return bisect(lambda eta0: room(eta0) < 0, 0.0, min(4.0, kappa))[0]


def zcdp_budget(epsilon: float, delta: float) -> float:
    """R = 2 rho with rho + 2 sqrt(rho ln(1/delta)) = epsilon: the smaller root, which the experiments use.

    >>> round(zcdp_budget(4.0, 1e-8), 4)
    0.3927
    """
    L = math.log(1 / delta)
    return 2 * epsilon**2 / (math.sqrt(epsilon + L) + math.sqrt(L)) ** 2


def printed_budget(epsilon: Number, L: Number) -> Number:
    """R = 2 rho as printed below Lemma B.3, rho = epsilon + 2 L + 2 sqrt(L (epsilon + L)), L = ln(1/delta):
    the root that is no solution.

    >>> round(printed_budget(4.0, math.log(1e8)), 1)
    163.0
    """
    return 2 * (epsilon + 2 * L + 2 * _functions(L, epsilon).sqrt(L * (epsilon + L)))


def noise_multipliers(variances: Schedule, steps: int) -> list[float]:
    """sigma_1, ..., sigma_T of a schedule of sigma_t^2.

    >>> noise_multipliers(Schedule(4.0), 2)
    [2.0, 2.0]
    """
    values = variances.values(steps)
    if not np.all(values >= 0):
        raise ValueError(f"Expected variances >= 0 at every step, got {values[~(values >= 0)][0]}.")
    return np.sqrt(values).tolist()


def affordable_steps(costs: Array, budget: float, *, strict: bool = False) -> int:
    """The guard of Algorithm 1: the number of steps before the first whose cost exceeds what is left
    (`strict`: reaches it).

    The schedules of Lemma 4.1 spend the budget exactly, so the paper's strict guard always drops their last
    step.

    >>> affordable_steps(np.full(10, 0.25), 1.0), affordable_steps(np.full(10, 0.25), 1.0, strict=True)
    (4, 3)
    """
    if not budget > 0:
        raise ValueError(f"Expected budget={budget} > 0.")
    spent = np.cumsum(costs)
    allowed = spent < budget * (1 - 1e-12) if strict else spent <= budget * (1 + 1e-9)
    return int(np.argmin(allowed)) if not allowed.all() else len(costs)


def hessian_influence(spectrum: Any, *, steps: int, step_size: float, clip: float, count: int) -> Schedule:
    """q_t = (eta G/N)^2 / 2 sum_j lambda_j (1 - eta lambda_j)^(2(T-t)): what sigma_t^2 adds to the final loss
    of a quadratic.

    >>> hessian_influence([1.0], steps=2, step_size=0.5, clip=1.0, count=1).values(2).tolist()
    [0.03125, 0.125]
    """
    lam = np.atleast_1d(np.asarray(spectrum, dtype=float))
    age = np.arange(steps - 1, -1, -1)
    return Schedule(
        (step_size * clip / count) ** 2 / 2 * (lam * (1 - step_size * lam) ** (2 * age[:, None])).sum(axis=1)
    )


TARGET = ApproxDP(4.0, 1e-8)  # App D: "0.1963-zCDP (equal to (4, 1e-8)-DP)"
PRINTED_R = 0.3927  # App D
