"""Appendix B: the printed proofs, line by line."""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import X1, X2, L, alpha, beta, form, g, moved, mu, w, x, y


@claim(PAPER, "lem-b.1", at="Lemma B.1", kind="inequality")
def heavy_ball_dissipates():
    """E[xi' (X_1 + (1 - rho^2) X_2) xi] <= rho^2 E[F(x_t) - F*] - E[F(x_{t+1}) - F*] + (L alpha^2/2) E|w_t|^2 (w_t of mean 0 given x_t, x_{t-1})."""
    F, after, f1, f2, rest, noise = sp.symbols("F F_next f_1 f_2 rest noise", real=True)
    r = sp.Symbol("r", positive=True)  # rho^2
    cross = (L * alpha * (beta * (x - y) - alpha * g) + alpha * g) * w
    smooth = g * (x - moved) - L / 2 * (moved - x) ** 2
    return (
        Derivation()
        .step(Equal(smooth, form(X1, [x, y, g]) - L * alpha**2 / 2 * w**2 + cross), "the lower bound of F(x_t) - F(x_{t+1}) by smoothness")
        .step(Equal(mu / 2 * x**2 - g * x, form(X2, [x, y, g])), "the lower bound of F* - F(x_t) by strong convexity")
        .step(
            AtMost(f1 + (1 - r) * f2, r * F - after + noise - rest, given=[F - after >= f1 - noise + rest, -F >= f2, r < 1]),
            "(1 - rho^2) times the second, added to the first; rest is the cross term",
        )
        .step(Equal(sp.diff(cross, w, 2), 0), "the cross term is linear in w")
        .step(Equal(cross.subs(w, 0), 0), "so its mean is 0 where E(w_t | x_t, x_{t-1}) = 0, as fresh noise and a fresh batch give")
    )


@claim(PAPER, "eq-b.2", at="Eqs (B.2) and (B.3)", kind="identity")
def mean_of_a_sample_without_replacement_has_variance_sigma2_over_m_times_the_correction():
    """The minibatch gradient has variance r_kk = sigma_{y,k}^2 (1/m)(n-m)/(n-1), sigma_{y,k}^2 the population variance."""
    n, m = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m"))
    squares, total = sp.symbols("A B", real=True)  # sum_i g_i^2, sum_i g_i
    own, pair = m / n * (1 - m / n), m * (m - 1) / (n * (n - 1)) - (m / n) ** 2  # covariances of the inclusion indicators
    derived = (own * squares + pair * (total**2 - squares)) / m**2
    population = squares / n - (total / n) ** 2
    return Equal(derived, population / m * (n - m) / (n - 1), given=[n >= 2])


@claim(PAPER, "eq-b.3-pop", at="after Eq (B.3)", kind="inequality")
def population_variance_is_at_most_a_quarter_of_the_squared_range():
    """sigma_{y,k}^2 <= S_{1,k}(x)^2/4."""
    low, high, mean, square = sp.symbols("l h mean square", real=True)
    v = sp.Symbol("v", real=True)
    return (
        Derivation()
        .step(AtMost(v**2 - (low + high) * v + low * high, 0, given=[v >= low, v <= high]), "(h - v)(v - l) >= 0 for every value")
        .step(AtMost(square - mean**2, (high - low) ** 2 / 4, given=[square - (low + high) * mean + low * high <= 0]), "its mean, and a square")
    )


@claim(PAPER, "eq-b-norm", at="Appendix B.3", kind="asymptotic")
def powers_of_m_are_at_most_c_t_rho_to_the_t():
    """|M^t| <= max_i |T_i^t| <= C_t rho^t with C_t = O(t): C_t = (1 + max_i |T_i|/rho) t will do."""
    a, z1, z2, size, r = sp.symbols("a z_1 z_2 N r", positive=True)
    t, k = (sp.Symbol(name, integer=True, positive=True) for name in "tk")
    block = sp.Matrix([[a, -beta], [1, 0]])

    def divided(power: sp.Expr) -> sp.Expr:
        return (z1**power - z2**power) / (z1 - z2)

    return (
        Derivation()
        .step(Equal(block**2, a * block - beta * sp.eye(2)), "Cayley and Hamilton")
        .step(Equal(divided(t + 1), (z1 + z2) * divided(t) - z1 * z2 * divided(t - 1), given=[z1 > z2]), "so T^t = U_t T - beta U_{t-1} I, U_t = sum_j z_1^j z_2^(t-1-j)")
        .step(Equal(sp.Sum(r ** (t - 1), (k, 1, t)), t * r ** (t - 1)), "|U_t| <= t rho^(t-1): t terms of modulus at most rho^(t-1)")
        .step(AtMost(t * r * size + beta * (t - 1), (1 + size / r) * t * r**2, given=[beta <= r**2]), "|T^t| <= |U_t||T| + beta |U_{t-1}|, over rho^(t-2)")
    )


@claim(PAPER, "eq-b-quasi", at="Appendix B.3", kind="monotonicity")
def rate_is_quasi_convex_in_the_eigenvalue():
    """rho_lambda is a quasi-convex function of lambda: where it is at most r is an interval."""
    r, lam, low, high = sp.symbols("r lambda l h", positive=True)
    at, back = r**2 - (1 + beta - alpha * lam) * r + beta, r**2 + (1 + beta - alpha * lam) * r + beta
    ends = [at.subs(lam, low) >= 0, back.subs(lam, low) >= 0, at.subs(lam, high) >= 0, back.subs(lam, high) >= 0]
    return (
        Derivation()
        .step(AtMost(0, at, given=[low <= lam, lam <= high, *ends]), "roots in |z| <= r iff the polynomial is >= 0 at r and -r, beta <= r^2: linear in lambda")
        .step(AtMost(0, back, given=[low <= lam, lam <= high, *ends]), "so it holds between two lambda at which it holds")
    )
