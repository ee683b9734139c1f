"""Section 3.2: the heavy ball on quadratics: the best parameters without noise, and Theorem 3.5.

M = [[(1+beta) I - alpha Q, -beta I], [I, 0]],   rho = spectral radius,   stationary variance per eigenvalue
lambda:
v(lambda) = alpha (1+beta) sigma^2 / ((1-beta) lambda (2 + 2 beta - alpha lambda)),   m(alpha, beta) = sum_i
v(lambda_i)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.language.vectors import inner, norm2, vectors
from dpverify.relations import AtMost, BigO, Equal, Increasing, Instance, Tested
from dpverify.symbolic.dp_accel import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, Result

alpha, beta, lam, mu, L, sigma, r = sp.symbols("alpha beta lambda mu L sigma r", positive=True)
R = sp.Rational


def variance(size: Any, momentum: Any, curvature: Any, noise: Any) -> Any:
    """The term of m(alpha, beta) for one eigenvalue, noise = sigma_T^2, as printed."""
    return (
        noise
        * 2
        * size
        * (1 + momentum)
        / (2 * (1 - momentum) * curvature * (2 + 2 * momentum - size * curvature))
    )


def stationary() -> tuple[Any, Any, list[Any]]:
    """The stationary variance v of one eigenvalue, sigma_T^2, and the equations that they meet: c, the
    covariance of two iterates, is a v - beta c, and v = E(a x_t - beta x_{t-1} - alpha w_t)^2.
    """
    v, noise, c = *sp.symbols("v sigma_T2", positive=True), sp.Symbol("c", real=True)
    a = 1 + beta - alpha * lam
    moves = sp.Eq(v, a**2 * v - 2 * a * beta * c + beta**2 * v + alpha**2 * noise)
    return v, noise, [beta < 1, alpha * lam < 2 + 2 * beta, sp.Eq(c, a * v / (1 + beta)), moves]


def block(size: Any, momentum: Any, curvature: Any) -> Any:
    """T_i: one eigenvalue's block of M(alpha, beta)."""
    return sp.Matrix([[1 + momentum - size * curvature, -momentum], [1, 0]])


def rate(size: Any, momentum: Any, curvatures: Sequence[Any]) -> Any:
    """rho of (3.18), exactly, at rational parameters."""
    return sp.Max(
        *[sp.Abs(z) for curvature in curvatures for z in block(size, momentum, curvature).eigenvals()]
    )


@claim(PAPER, "polyak-opt", at="Section 3.2, third paragraph", kind="optimality")
def polyaks_parameters_minimise_the_rate():
    """Without noise, alpha = 4/(sqrt mu + sqrt L)^2 and beta = ((sqrt kappa - 1)/(sqrt kappa + 1))^2 minimise
    rho over alpha, beta: whenever the roots at lambda = mu and at lambda = L lie in |z| <= r < 1 (so that
    beta <= r^2, and the characteristic polynomials are not negative at r and at -r), r >= (sqrt kappa -
    1)/(sqrt kappa + 1); at these parameters both have a double root, of modulus sqrt beta, which is this
    number.
    """
    q, step_ = sp.symbols("q alpha_mu", positive=True)  # sqrt kappa, alpha mu
    low, high = sp.symbols("p_mu p_L", positive=True)  # sqrt mu, sqrt L
    size, momentum = 4 / (low + high) ** 2, ((high / low - 1) / (high / low + 1)) ** 2
    lower, upper = r**2 - (1 + beta - step_) * r + beta, r**2 + (1 + beta - q**2 * step_) * r + beta
    least = Theorem(
        given=[r < 1, beta <= r**2, lower >= 0, upper >= 0, q >= 1], shows=AtMost((q - 1) / (q + 1), r)
    )
    return AllOf(
        least.have(AtMost(q**2 * (1 - r) ** 2, (1 + r) ** 2), "both polynomials").have(
            AtMost(q * (1 - r), 1 + r), "the roots of both sides"
        ),
        Equal((1 + momentum - size * low**2) ** 2, 4 * momentum, given=[low <= high]),
        Equal((1 + momentum - size * high**2) ** 2, 4 * momentum, given=[low <= high]),
    )


@claim(
    PAPER,
    "sec3.2-exact",
    at="Section 3.2, first paragraph",
    kind="identity",
    expect=REFUTED,
    correction="sec3.2-exact-corrected",
    standing="ours",
)
def bound_for_quadratics_is_exact():
    """For a quadratic "an exact bound for the objective error can be presented": the additive term L m of
    (3.17) is the limit of E F(x_t) - F*.
    """
    limit = lam / 2 * variance(alpha, beta, lam, sigma**2)
    let = {"d": "1", "mu = L": "lambda"}
    return Instance(
        Equal(
            limit, lam * variance(alpha, beta, lam, sigma**2), given=[beta < 1, alpha * lam < 2 + 2 * beta]
        ),
        let=let,
    )


@claim(
    PAPER,
    "sec3.2-exact-corrected",
    at="Section 3.2, first paragraph",
    kind="identity",
    uses=["thm-3.5-m"],
    standing="ours",
)
def exact_error_of_a_quadratic_is_half_the_weighted_variances():
    """For noise of covariance sigma^2 I the stationary error (lambda/2) v of one eigenvalue, v being the
    stationary variance, is exactly alpha (1+beta) sigma^2/(2 (1-beta)(2 + 2 beta - alpha lambda)); it is at
    most (L/2) v, half of what (3.17) adds.
    """
    v, noise, still = stationary()
    exact = alpha * (1 + beta) * noise / (2 * (1 - beta) * (2 + 2 * beta - alpha * lam))
    return Theorem(
        given=[*still, lam <= L], shows=AllOf(Equal(lam / 2 * v, exact), AtMost(lam / 2 * v, L / 2 * v))
    ).use("thm-3.5-m", "the stationary variance", **{"lambda": lam})


@claim(
    PAPER,
    "sec3.2-tradeoff",
    at="Section 3.2, third paragraph",
    kind="monotonicity",
    expect=REFUTED,
    correction="sec3.2-tradeoff-corrected",
    breaks="text",
)
def better_rate_costs_a_larger_additive_error():
    """A selection of (alpha, beta) that improves the rate also increases the additive error term."""
    spectrum = (R(1, 2), sp.Integer(1))
    old, new = (sp.Integer(1), R(1, 2)), (sp.Integer(1), R(1, 4))
    error_old, error_new = (
        sum(variance(size, momentum, c, 1) for c in spectrum) for size, momentum in (old, new)
    )
    let = {"Q": "diag(1/2, 1), as in Figure 1", "alpha": "1", "beta": "1/2, then 1/4", "sigma_T^2": "1"}
    return Instance(
        AtMost(error_old, error_new),
        let=let,
        meets=[AtMost(rate(*new, spectrum), rate(*old, spectrum), strict=True)],
        because="too much momentum is bad for both: rho = sqrt(beta) here, and m grows with beta",
    )


@claim(
    PAPER,
    "sec3.2-tradeoff-corrected",
    at="Section 3.2, third paragraph",
    kind="monotonicity",
    standing="ours",
)
def larger_steps_trade_rate_for_noise_at_fixed_momentum():
    """At fixed beta, while the larger root z at lambda = mu is real (sqrt beta <= z < 1) and alpha (mu + L)
    <= 2 + 2 beta, rho = z: the polynomial of no lambda in [mu, L] is negative at z or at -z. A smaller z
    comes with a larger alpha, alpha mu = (z - beta)(1 - z)/z, and a larger alpha with a larger m(alpha,
    beta), eigenvalue by eigenvalue.
    """
    z, z2 = sp.symbols("z z_2", positive=True)  # two values of the root at mu
    step_at = (z - beta) * (1 - z) / z
    real = [z < 1, z**2 >= beta]
    at, back = z**2 - (1 + beta - alpha * lam) * z + beta, z**2 + (1 + beta - alpha * lam) * z + beta
    at_mu = sp.Eq(z**2 - (1 + beta - alpha * mu) * z + beta, 0)
    inside = [*real, at_mu, mu <= lam, lam <= L, alpha * (mu + L) <= 2 + 2 * beta]
    stable = [beta < 1, alpha * lam < 2 + 2 * beta]
    return AllOf(
        AtMost(0, at, given=inside),
        AtMost(0, back, given=inside),
        Equal(alpha * mu, step_at, given=[*real, at_mu]),
        AtMost(step_at.subs(z, z2), step_at, given=[z < z2, z2 < 1, z**2 >= beta], strict=True),
        Increasing(variance(alpha, beta, lam, sigma**2), alpha, strict=True, given=stable),
    )


@claim(
    PAPER,
    "thm-3.5",
    at="Theorem 3.5, Eq (3.17), as hypothesised",
    kind="inequality",
    expect=REFUTED,
    correction="thm-3.5-corrected",
    breaks="theorem",
)
def noise_centred_given_x_t_gives_3_17():
    """E(w_t | x_t) = 0 and E(w_t w_t' | x_t) <= sigma_T^2 I imply E F(x_t) - F* <= V(xi_0) C_t^2 rho^(2t) + L
    m(alpha, beta) for some C_t = O(t): what E F(x_t) - F* has beyond L m is O(t^2 rho^(2t)).

    The case F = x^2/2, alpha = 3/2, beta = 1/2, so that x_{t+1} = -x_{t-1}/2 - 3 w_t/2 and rho^2 = 1/2; x_0 =
    x_{-1} = 0, w_0 and w_1 fair signs times 1/3, w_t = sign(x_{t-1})/3, sigma_T^2 = 1/9. Given x_t the noise
    has mean 0, since even and odd iterates have independent signs, but it follows x_{t-1}, the other half of
    the state: at t = 2k, |x_t| = 1 - 2^-k and E F = (1 - 2^-k)^2/2, while L m = 1/3. Every C_t = c t fails.
    """
    size = R(3, 2)
    momentum = R(1, 2)
    level = R(1, 3)
    k = sp.Symbol("k", integer=True, positive=True)
    beyond = (1 - momentum**k) ** 2 / 2 - variance(size, momentum, 1, level**2)
    return BigO(beyond, (2 * k) ** 2 * momentum ** (2 * k))


@claim(
    PAPER,
    "thm-3.5-corrected",
    at="Theorem 3.5, with the noise centred given (x_t, x_{t-1})",
    kind="inequality",
    uses=["thm-3.5-m", "eq-b-norm", "sec1-uncorr-corrected"],
    standing="ours",
)
def noise_centred_given_the_state_gives_the_bound_with_half_l():
    """If w_t is uncorrelated with (x_t, x_{t-1}) and E w_t w_t' <= sigma_T^2 I, then E F(x_t) - F* <=
    (L/2)(C_t^2 rho^(2t) E|xi_0 - xi*|^2 + m), where |M^t| <= C_t rho^t. Per eigenvalue, the second moments
    E_t have E_{t+1} - X = M (E_t - X) M' with the stationary X, of diagonal v(lambda); so the squares s_i are
    at most k_i + v(lambda_i), where the k_i, from M^t E_0 M'^t, add up to at most K = C_t^2 rho^(2t) E|xi_0 -
    xi*|^2; then (1/2) sum_i lambda_i s_i <= (L/2)(K + m).
    """
    M = block(alpha, beta, lam)
    e11, e12, e22 = sp.symbols("e_11 e_12 e_22", real=True)
    moments = sp.Matrix([[e11, e12], [e12, e22]])
    v = variance(alpha, beta, lam, sigma**2)
    c = v * (1 + beta - alpha * lam) / (1 + beta)
    still = sp.Matrix([[v, c], [c, v]])
    N = sp.Matrix([[alpha**2 * sigma**2, 0], [0, 0]])
    inside = [beta < 1, alpha * lam < 2 + 2 * beta]
    i, d = (sp.Symbol(name, integer=True, positive=True) for name in "id")
    curvature = sp.IndexedBase("lambda", positive=True)
    squares, left, noise = (sp.IndexedBase(name, nonnegative=True) for name in ("s", "k", "v"))
    K = sp.Symbol("K", nonnegative=True)
    one = AtMost(curvature[i] * squares[i], L * left[i] + L * noise[i])
    m = sp.Sum(noise[i], (i, 1, d))
    error = sp.Sum(curvature[i] * squares[i], (i, 1, d)) / 2
    each = [
        ForEvery(AtMost(curvature[i], L), i, 1, d),
        ForEvery(AtMost(squares[i], left[i] + noise[i]), i, 1, d),
    ]
    whole = Theorem(given=[*each, sp.Sum(left[i], (i, 1, d)) <= K], shows=AtMost(error, L / 2 * (K + m)))
    return AllOf(
        Equal(M * still * M.T + N, still, given=inside),
        Equal(M * moments * M.T + N - still, M * (moments - still) * M.T, given=inside),
        whole.sum(one, (i, 1, d), "added over the eigenvalues"),
    )


@claim(
    PAPER,
    "thm-3.5-run",
    at="Theorem 3.5, as run",
    kind="inequality",
    expect=SUPPORTED,
    uses=["thm-3.5-corrected"],
    standing="ours",
)
def exact_error_of_dp_shb_stays_below_the_corrected_bound():
    """On a quadratic with kappa = 10 the exact E F(x_T) - F* of DP-SHB is below (L/2)(|M^T|^2 2|x_0 - x*|^2 +
    m), for T = 1..40.
    """
    import numpy as np

    def bound(case: Any) -> float:
        from dpverify.formulas.dp_accel import momentum_of

        momentum, spectrum = float(momentum_of(0.1, 1.0)), np.linspace(0.1, 1.0, 5)
        start = case.problem.start - case.problem.optimum(case.data)[0]
        noise = case.algorithm.release(1).variance()
        m = sum(float(variance(1.0, momentum, one, noise)) for one in spectrum)
        blocks = [np.array(block(1.0, momentum, one), dtype=float) for one in spectrum]
        power = max(np.linalg.norm(np.linalg.matrix_power(one, case.algorithm.steps), 2) for one in blocks)
        return float(0.5 * (power**2 * 2 * float(start @ start) + m))

    def run(effort: Effort) -> Result:
        from dpverify.symbolic.dp_accel.runs import exact_error_below

        return exact_error_below("dp-shb", (1, 2, 5, 10, 20, 40), bound)

    return Tested("E F(x_T) - F* <= bound at T = 1, 2, 5, 10, 20, 40", run)


@claim(PAPER, "thm-3.5-m", at="Theorem 3.5, m(alpha, beta)", kind="identity")
def m_is_the_stationary_variance_of_the_iterate():
    """m(alpha, beta) = (sigma_T^2/2) sum_i 2 alpha (1+beta)/((1-beta) lambda_i (2 + 2 beta - alpha
    lambda_i)) is the total stationary variance of x_t: for each eigenvalue, if v = E x_t^2 = E x_{t-1}^2 and
    c = E x_t x_{t-1} stay what they are in a step x_{t+1} = a x_t - beta x_{t-1} - alpha w_t, a = 1 + beta -
    alpha lambda, then v is the term of this sum.
    """
    v, noise, still = stationary()
    return Equal(v, variance(alpha, beta, lam, noise), given=still)


@claim(PAPER, "thm-3.5-lm", at="Eq (3.17), L m", kind="inequality", uses=["thm-3.5-m"])
def additive_term_l_m_is_large_enough():
    """The additive term L m(alpha, beta), m = sum_i v_i, is at least the stationary error (1/2) sum_i
    lambda_i v_i, for eigenvalues lambda_i <= L and any v_i >= 0, as every v(lambda) of m is where rho < 1:
    even half of it is.
    """
    i, d = (sp.Symbol(name, integer=True, positive=True) for name in "id")
    at, v = sp.IndexedBase("lambda", positive=True), sp.IndexedBase("v", nonnegative=True)
    error, additive = sp.Sum(at[i] * v[i], (i, 1, d)) / 2, L * sp.Sum(v[i], (i, 1, d))
    return AllOf(
        AtMost(0, variance(alpha, beta, lam, sigma**2), given=[beta < 1, alpha * lam < 2 + 2 * beta]),
        Theorem(
            given=[ForEvery(AtMost(at[i], L), i, 1, d)],
            shows=AllOf(AtMost(error, additive / 2), AtMost(error, additive)),
        )
        .sum(AtMost(at[i] * v[i], L * v[i]), (i, 1, d), "eigenvalue by eigenvalue")
        .have(AtMost(sp.Sum(at[i] * v[i], (i, 1, d)), additive), "the factor L")
        .have(AtMost(0, sp.Sum(v[i], (i, 1, d))), "not negative")
        .have(AtMost(0, additive), "times L"),
    )


@claim(PAPER, "thm-3.5-rho", at="Eq (3.18)", kind="optimality", uses=["eq-b-quasi"])
def rate_is_attained_at_mu_or_l():
    """rho = max over the eigenvalues in [mu, L] is attained at lambda = mu or lambda = L: both roots lie in
    |z| <= r
    iff beta <= r^2 and the polynomial is not negative at r and at -r; the first holds for every lambda if it
    does
    at mu, the second if it does at L.
    """
    at, back = r**2 - (1 + beta - alpha * lam) * r + beta, r**2 + (1 + beta - alpha * lam) * r + beta
    inside = [mu <= lam, lam <= L]
    return AllOf(
        AtMost(0, at, given=[*inside, at.subs(lam, mu) >= 0]),
        AtMost(0, back, given=[*inside, back.subs(lam, L) >= 0]),
    )


@claim(PAPER, "thm-3.5-v", at="Theorem 3.5, V(xi_0)", kind="identity")
def norm_of_the_outer_product_is_the_squared_length():
    """V(xi_0) = E|(xi_0 - xi*)(xi_0 - xi*)'| + ...: the norm of the outer product is |xi_0 - xi*|^2, its
    trace: u'(xi xi')u = <u, xi>^2 is at most |xi|^2 |u|^2 for every u, in any dimension, and no smaller
    factor will do. On the plane the characteristic polynomial of the outer product has the roots 0 and
    |xi|^2.
    """
    a, b, z = sp.symbols("a b z", real=True)
    u, xi = vectors("u xi")
    outer = sp.Matrix([[a**2, a * b], [a * b, b**2]])
    return AllOf(
        AtMost(inner(u, xi) ** 2, norm2(u) * norm2(xi)),
        Equal((outer - z * sp.eye(2)).det(), z * (z - (a**2 + b**2))),
    )
