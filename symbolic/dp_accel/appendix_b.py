"""Appendix B: the printed proofs, line by line.

B.1 Proposition 3.3;   B.2 Proposition 3.4 (through Lemma B.1);   B.3 Theorem 3.5;   B.4 Proposition 4.2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Derivation, Equal, Instance
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import X1, X2, L, alpha, beta, form, g, moved, mu, w, x, y
from dpverify.symbolic.dp_accel.quadratic import block, variance
from dpverify.verdicts import REFUTED

R = sp.Rational
n, m, d, T = (sp.Symbol(name, integer=True, positive=True) for name in ("n", "m", "d", "T"))
t, k = (sp.Symbol(name, integer=True, positive=True) for name in "tk")
S, eps = sp.symbols("S epsilon", positive=True)


@claim(
    PAPER,
    "eq-b.1",
    at="Eq (B.1)",
    kind="identity",
    expect=REFUTED,
    correction="eq-b.1-corrected",
    breaks="proof",
)
def norm_of_the_laplace_covariance_is_d_b_squared():
    """|Cov(eta_t | x)| = S_1(x)^2 d/(m eps_0)^2, where Cov(eta_t | x) = 2 b^2 I_d, b = S_1(x)/(m eps_0)."""
    e0 = sp.Symbol("epsilon_0", positive=True)
    b = S / (m * e0)
    return Equal(2 * b**2, S**2 * d / (m**2 * e0**2))


@claim(PAPER, "eq-b.1-corrected", at="Eq (B.1)", kind="identity", uses=["eq-3.1-var"])
def norm_of_the_laplace_covariance_is_two_b_squared():
    """|Cov(eta_t | x)| = 2 S_1(x)^2/(m eps_0)^2 <= 2 d S_1^2/(m eps_0)^2, which is what (3.12) has; its trace
    is 2 d b^2.
    """
    e0, at = sp.symbols("epsilon_0 S_x", positive=True)
    b = at / (m * e0)
    return (
        Derivation()
        .step(Equal((2 * b**2 * sp.eye(3)).trace() / 3, 2 * b**2), "2 b^2 I has one eigenvalue")
        .step(AtMost(2 * b**2, 2 * d * S**2 / (m * e0) ** 2, given=[at <= S]), "Assumption 3.2")
    )


@claim(PAPER, "eq-b.2", at="Eqs (B.2) and (B.3)", kind="identity")
def mean_of_a_sample_without_replacement_has_variance_sigma2_over_m_times_the_correction():
    """The minibatch gradient has variance r_kk = sigma_{y,k}^2 (1/m)(n-m)/(n-1), sigma_{y,k}^2 the population
    variance.
    """
    squares, total = sp.symbols("A B", real=True)  # sum_i g_i^2, sum_i g_i
    own, pair = (
        m / n * (1 - m / n),
        m * (m - 1) / (n * (n - 1)) - (m / n) ** 2,
    )  # covariances of the inclusion indicators
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
        .step(
            AtMost(v**2 - (low + high) * v + low * high, 0, given=[v >= low, v <= high]),
            "(h - v)(v - l) >= 0 for every value",
        )
        .step(
            AtMost(
                square - mean**2,
                (high - low) ** 2 / 4,
                given=[square - (low + high) * mean + low * high <= 0],
            ),
            "its mean, and a square",
        )
    )


@claim(PAPER, "eq-b.4-a", at="Eq (B.4), steps 1 and 2", kind="inequality", uses=["eq-b.2", "eq-b.3-pop"])
def norm_is_at_most_trace_and_squares_at_most_the_square():
    """|R| <= tr R <= (1/4) [sum_k S_{1,k}^2] (1/m)(n-m)/(n-1), and sum_k S_{1,k}^2 <= (sum_k S_{1,k})^2."""
    p, q = sp.symbols("p q", nonnegative=True)
    ranges = sp.IndexedBase("S_1", positive=True)
    v = sp.Symbol("v", nonnegative=True)
    return (
        Derivation()
        .step(AtMost(sp.Max(p, q), p + q), "eigenvalues of a covariance are not negative")
        .step(
            AtMost(
                v / m * (n - m) / (n - 1),
                S**2 / 4 / m * (n - m) / (n - 1),
                given=[v <= S**2 / 4, m <= n, n >= 2],
            ),
            "(B.2) with (B.3), per coordinate",
        )
        .step(
            AtMost(sp.Sum(ranges[k] ** 2, (k, 1, d)), sp.Sum(ranges[k], (k, 1, d)) ** 2), "the order of norms"
        )
    )


@claim(
    PAPER,
    "eq-b.4-last",
    at="Eq (B.4), last step",
    kind="inequality",
    expect=REFUTED,
    correction="eq-3.13",
    breaks="proof",
)
def coordinate_ranges_add_up_to_at_most_s1():
    """sum_k S_{1,k}(x) <= S_1 (Assumption 3.2 bounds the sup of the sum, not the sum of the sups)."""
    gradients = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    ranges = [max(v[i] for v in gradients) - min(v[i] for v in gradients) for i in range(2)]
    spread = max(abs(u[0] - v[0]) + abs(u[1] - v[1]) for u in gradients for v in gradients)
    let = {"f(x; y)": "|x|^2/2 - y'x", "y": "one of (1,0), (-1,0), (0,1), (0,-1)", "d": "2"}
    return Instance(AtMost(sp.Integer(sum(ranges)), sp.Integer(spread)), let=let)


@claim(PAPER, "lem-b.1", at="Lemma B.1", kind="inequality")
def heavy_ball_dissipates():
    """E[xi' (X_1 + (1 - rho^2) X_2) xi] <= rho^2 E[F(x_t) - F*] - E[F(x_{t+1}) - F*] + (L alpha^2/2) E|w_t|^2
    (w_t of mean 0 given x_t, x_{t-1}).
    """
    F, after, f1, f2, rest, noise = sp.symbols("F F_next f_1 f_2 rest noise", real=True)
    r = sp.Symbol("r", positive=True)  # rho^2
    cross = (L * alpha * (beta * (x - y) - alpha * g) + alpha * g) * w
    smooth = g * (x - moved) - L / 2 * (moved - x) ** 2
    return (
        Derivation()
        .step(
            Equal(smooth, form(X1, [x, y, g]) - L * alpha**2 / 2 * w**2 + cross),
            "the lower bound of F(x_t) - F(x_{t+1}) by smoothness",
        )
        .step(
            Equal(mu / 2 * x**2 - g * x, form(X2, [x, y, g])),
            "the lower bound of F* - F(x_t) by strong convexity",
        )
        .step(
            AtMost(
                f1 + (1 - r) * f2,
                r * F - after + noise - rest,
                given=[F - after >= f1 - noise + rest, -F >= f2, r < 1],
            ),
            "(1 - rho^2) times the second, added to the first; rest is the cross term",
        )
        .step(Equal(sp.diff(cross, w, 2), 0), "the cross term is linear in w")
        .step(
            Equal(cross.subs(w, 0), 0),
            "so its mean is 0 where E(w_t | x_t, x_{t-1}) = 0, as fresh noise and a fresh batch give",
        )
    )


@claim(PAPER, "eq-b.5-7", at="Eqs (B.5)-(B.7)", kind="identity", uses=["def-a.1"])
def update_difference_and_descent_lemma():
    """(B.5) the update, (B.6) x_t - x_{t+1} = -beta (x_t - x_{t-1}) + alpha (grad F + w), (B.7) F(x_t) -
    F(x_{t+1}) >= grad F'(x_t - x_{t+1}) - (L/2)|.|^2.
    """
    F, after, gap = sp.symbols("F F_next gap", real=True)
    return (
        Derivation()
        .step(Equal(x - alpha * (g + w) + beta * (x - y), moved), "(B.5) from (3.8)")
        .step(Equal(x - moved, beta * (-x + y) + alpha * (g + w)), "(B.6)")
        .step(
            AtMost(g * (-gap) - L / 2 * gap**2, F - after, given=[after - F - g * gap <= L / 2 * gap**2]),
            "(B.7) from smoothness, gap = x_{t+1} - x_t",
        )
    )


@claim(PAPER, "eq-b-d", at="Appendix B.2, D and X_1", kind="identity")
def d_is_congruent_to_x1():
    """D = [[-L beta^2, L alpha beta - beta], [., 2 alpha - alpha^2 L]], and (1/2) E' D E = X_1 for E = [[1,
    -1, 0], [0, 0, 1]].
    """
    D = sp.Matrix(
        [[-L * beta**2, L * alpha * beta - beta], [L * alpha * beta - beta, -(alpha**2) * L + 2 * alpha]]
    )
    E = sp.Matrix([[1, -1, 0], [0, 0, 1]])
    still = (g * (x - moved) - L / 2 * (x - moved) ** 2).subs(w, 0)
    return (
        Derivation()
        .step(Equal(still, form(D, [x - y, g]) / 2), "the part of the descent lemma without noise")
        .step(Equal(E.T * D * E / 2, X1), "the congruence")
    )


@claim(
    PAPER,
    "eq-b.8",
    at="Eq (B.8), cross terms",
    kind="identity",
    expect=REFUTED,
    correction="eq-b.8-corrected",
    breaks="proof",
)
def cross_terms_of_b_8_are_as_printed():
    """The cross terms in (B.8) are L alpha [beta (x_t - x_{t-1}) w - alpha grad F'w - alpha grad F'w]."""
    exact = g * (x - moved) - L / 2 * (x - moved) ** 2 - form(X1, [x, y, g]) + L * alpha**2 / 2 * w**2
    return Equal(exact, L * alpha * (beta * (x - y) * w - alpha * g * w - alpha * g * w), given=[beta < 1])


@claim(PAPER, "eq-b.8-corrected", at="Eq (B.8), cross terms", kind="identity")
def cross_terms_of_b_8():
    """The cross terms are L alpha [beta (x_t - x_{t-1}) - alpha grad F]'w + alpha grad F'w; they vanish in
    the mean either way.
    """
    exact = g * (x - moved) - L / 2 * (x - moved) ** 2 - form(X1, [x, y, g]) + L * alpha**2 / 2 * w**2
    return Equal(exact, L * alpha * (beta * (x - y) - alpha * g) * w + alpha * g * w)


@claim(
    PAPER,
    "eq-b.9",
    at="Eq (B.9)",
    kind="inequality",
    expect=REFUTED,
    correction="eq-b.9-corrected",
    breaks="proof",
)
def b_9_holds_with_the_factor_one_half():
    """F* - F(x_t) >= (1/2) (xi, grad F)' X_2 (xi, grad F), X_2 of Proposition 3.4 (which has its own factor
    1/2).
    """
    half_form = form(X2, [x, y, x]).subs(mu, 1) / 2
    return Instance(AtMost(half_form, -(x**2) / 2), let={"F": "x^2/2", "mu": "1"})


@claim(PAPER, "eq-b.9-corrected", at="Eq (B.9)", kind="inequality", uses=["def-a.1"])
def b_9_holds_without_the_factor():
    """F* - F(x_t) >= (xi, grad F)' X_2 (xi, grad F), which is what the next display uses."""
    F = sp.Symbol("F", real=True)
    return AtMost(form(X2, [x, y, g]), -F, given=[-F - g * (-x) >= mu / 2 * x**2])


@claim(PAPER, "eq-b.10", at="Eq (B.10)", kind="identity")
def error_recursion_of_a_quadratic():
    """(x_t, x_{t-1}) - xi* = M (x_{t-1}, x_{t-2}) + (-alpha w, 0) for F = x'Qx/2 (w is the noise of that
    step: w_{t-1} in the numbering of (3.1)).
    """
    q11, q12, q22 = sp.symbols("q_11 q_12 q_22", real=True)
    x1, x2, p1, p2, w1, w2 = sp.symbols("x_1 x_2 p_1 p_2 w_1 w_2", real=True)
    Q, now, before, noise = (
        sp.Matrix([[q11, q12], [q12, q22]]),
        sp.Matrix([x1, x2]),
        sp.Matrix([p1, p2]),
        sp.Matrix([w1, w2]),
    )
    M = sp.Matrix(
        sp.BlockMatrix([[(1 + beta) * sp.eye(2) - alpha * Q, -beta * sp.eye(2)], [sp.eye(2), sp.zeros(2)]])
    )
    after = now - alpha * (Q * now + noise) + beta * (now - before)
    stated = M * sp.Matrix([x1, x2, p1, p2]) + sp.Matrix([-alpha * w1, -alpha * w2, 0, 0])
    return Equal(sp.Matrix([*after, *now]), stated)


def full(Q: sp.Matrix) -> sp.Matrix:
    """M(alpha, beta) for a 2 x 2 matrix Q."""
    return sp.Matrix(
        sp.BlockMatrix([[(1 + beta) * sp.eye(2) - alpha * Q, -beta * sp.eye(2)], [sp.eye(2), sp.zeros(2)]])
    )


@claim(
    PAPER,
    "eq-b-perm",
    at="Appendix B.3, P M P' = T",
    kind="identity",
    expect=REFUTED,
    correction="eq-b-perm-corrected",
    breaks="proof",
)
def permutation_block_diagonalises_m():
    """There is a permutation matrix P with P M P' = diag(T_1, ..., T_d) (a permutation keeps the sum of all
    entries).
    """
    Q = sp.Matrix([[2, 1], [1, 2]])
    blocks = sum(sum(block(alpha, beta, lam)) for lam in (1, 3))
    return Instance(
        Equal(sum(full(Q)), blocks, given=[beta < 1]), let={"Q": "[[2, 1], [1, 2]], eigenvalues 1 and 3"}
    )


@claim(PAPER, "eq-b-perm-corrected", at="Appendix B.3, P M P' = T", kind="identity")
def orthogonal_matrix_block_diagonalises_m():
    """diag(U, U)' M diag(U, U), U the eigenvectors of Q, followed by a permutation, is diag(T_1, ..., T_d);
    its norm is 1 too (d = 2, every Q).
    """
    l1, l2 = sp.symbols("lambda_1 lambda_2", positive=True)
    c, s = sp.symbols("c s", real=True)
    U = sp.Matrix([[c, -s], [s, c]])
    big = sp.Matrix(sp.BlockMatrix([[U, sp.zeros(2)], [sp.zeros(2), U]]))
    order = sp.Matrix([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    turned = order * big.T * full(U * sp.diag(l1, l2) * U.T) * big * order.T
    half = sp.Symbol("h", real=True)  # c = (1-h^2)/(1+h^2), s = 2h/(1+h^2): every rotation but one
    at = {c: (1 - half**2) / (1 + half**2), s: 2 * half / (1 + half**2)}
    return Equal(
        turned.subs(at).applyfunc(sp.cancel), sp.diag(block(alpha, beta, l1), block(alpha, beta, l2))
    )


@claim(PAPER, "eq-b-eig", at="Appendix B.3, eigenvalues of T_i", kind="identity")
def eigenvalues_of_the_blocks():
    """T_i has the eigenvalues a_{lambda,+-} = (1 + beta - alpha lambda +- sqrt((1 + beta - alpha lambda)^2 -
    4 beta))/2.
    """
    lam, z, root = sp.Symbol("lambda", positive=True), sp.Symbol("z", real=True), sp.Symbol("root", real=True)
    trace = 1 + beta - alpha * lam
    characteristic = (block(alpha, beta, lam) - z * sp.eye(2)).det()
    product = (z - (trace + root) / 2) * (z - (trace - root) / 2)
    return Equal(characteristic - product, (root**2 - (trace**2 - 4 * beta)) / 4)


@claim(PAPER, "eq-b-norm", at="Appendix B.3", kind="asymptotic")
def powers_of_m_are_at_most_c_t_rho_to_the_t():
    """|M^t| <= max_i |T_i^t| <= C_t rho^t with C_t = O(t): C_t = (1 + max_i |T_i|/rho) t will do."""
    a, z1, z2, size, r = sp.symbols("a z_1 z_2 N r", positive=True)
    companion = sp.Matrix([[a, -beta], [1, 0]])

    def divided(power: sp.Expr) -> sp.Expr:
        return (z1**power - z2**power) / (z1 - z2)

    return (
        Derivation()
        .step(Equal(companion**2, a * companion - beta * sp.eye(2)), "Cayley and Hamilton")
        .step(
            Equal(divided(t + 1), (z1 + z2) * divided(t) - z1 * z2 * divided(t - 1), given=[z1 > z2]),
            "so T^t = U_t T - beta U_{t-1} I, U_t = sum_j z_1^j z_2^(t-1-j)",
        )
        .step(
            Equal(sp.Sum(r ** (t - 1), (k, 1, t)), t * r ** (t - 1)),
            "|U_t| <= t rho^(t-1): t terms of modulus at most rho^(t-1)",
        )
        .step(
            AtMost(t * r * size + beta * (t - 1), (1 + size / r) * t * r**2, given=[beta <= r**2]),
            "|T^t| <= |U_t||T| + beta |U_{t-1}|, over rho^(t-2)",
        )
    )


@claim(PAPER, "eq-b-quasi", at="Appendix B.3", kind="monotonicity")
def rate_is_quasi_convex_in_the_eigenvalue():
    """rho_lambda is a quasi-convex function of lambda: where it is at most r is an interval."""
    r, lam, low, high = sp.symbols("r lambda l h", positive=True)
    at, back = r**2 - (1 + beta - alpha * lam) * r + beta, r**2 + (1 + beta - alpha * lam) * r + beta
    ends = [
        at.subs(lam, low) >= 0,
        back.subs(lam, low) >= 0,
        at.subs(lam, high) >= 0,
        back.subs(lam, high) >= 0,
    ]
    return (
        Derivation()
        .step(
            AtMost(0, at, given=[low <= lam, lam <= high, *ends]),
            "roots in |z| <= r iff the polynomial is >= 0 at r and -r, beta <= r^2: linear in lambda",
        )
        .step(
            AtMost(0, back, given=[low <= lam, lam <= high, *ends]),
            "so it holds between two lambda at which it holds",
        )
    )


@claim(
    PAPER,
    "eq-b-rec",
    at="Appendix B.3, recursion of E_t",
    kind="inequality",
    expect=REFUTED,
    correction="eq-b-rec-corrected",
    breaks="theorem",
)
def covariance_recursion_needs_only_noise_centred_given_x_t():
    """E(w_t | x_t) = 0 and E(w_t w_t' | x_t) <= sigma^2 I give E_{t+1} <= M E_t M' + diag(alpha^2 sigma^2,
    0).
    """
    size, momentum = R(3, 2), R(1, 2)
    sigma2 = ((1 - momentum) / size) ** 2
    bound = (block(size, momentum, 1) * sp.eye(2) * block(size, momentum, 1).T)[0, 0] + size**2 * sigma2
    factor = -momentum - size * (1 - momentum) / size  # x_{t+1} = factor x_{t-1}
    let = {
        "F": "x^2/2",
        "alpha, beta": "3/2, 1/2",
        "x_t, x_{t-1}": "independent signs",
        "w_t": "x_{t-1}/3",
        "sigma^2": "1/9",
    }
    return Instance(
        AtMost(factor**2, bound), let=let, because="the cross term E x_{t-1} w_t = 1/3 was left out"
    )


@claim(
    PAPER,
    "eq-b-rec-corrected",
    at="Appendix B.3, recursion of E_t",
    kind="inequality",
    uses=["sec1-uncorr-corrected"],
)
def covariance_recursion_for_noise_uncorrelated_with_the_state():
    """If E[w_t x_t'] = E[w_t x_{t-1}'] = 0 and E w_t w_t' <= sigma^2 I, then E_{t+1} <= M E_t M' +
    diag(alpha^2 sigma^2, 0).
    """
    lam, sigma, W = sp.symbols("lambda sigma W", positive=True)
    e11, e12, e22 = sp.symbols("e_11 e_12 e_22", real=True)
    E = sp.Matrix([[e11, e12], [e12, e22]])
    M = block(alpha, beta, lam)
    state = sp.Matrix(3, 3, [e11, e12, 0, e12, e22, 0, 0, 0, W])  # second moments of (x, x', w)
    step = sp.Matrix([[1 + beta - alpha * lam, -beta, -alpha], [1, 0, 0]])
    return (
        Derivation()
        .step(
            Equal(step * state * step.T, M * E * M.T + sp.diag(alpha**2 * W, 0)),
            "second moments after one step",
        )
        .step(AtMost(alpha**2 * W, alpha**2 * sigma**2, given=[W <= sigma**2]), "and E w^2 <= sigma^2")
    )


@claim(
    PAPER,
    "eq-b-trace",
    at="Appendix B.3, last display",
    kind="inequality",
    expect=REFUTED,
    correction="eq-b-trace-corrected",
    breaks="proof",
)
def trace_of_the_state_covariance_is_at_most_m_plus_transients():
    """tr E_t <= m(alpha, beta) + C_t^2 rho^(2t) tr E_0 + alpha^2 sigma^2 C_t^2 rho^(2t)/(1-rho^2) (E_t holds
    x_t and x_{t-1}: the limit is 2 m).
    """
    size, momentum, steps = R(3, 2), R(1, 2), 20
    M, E = block(size, momentum, 1), sp.zeros(2)
    for _ in range(steps):
        E = M * E * M.T + sp.diag(size**2, 0)
    bound = variance(size, momentum, 1, 1) + size**2 * (2 * steps) ** 2 * momentum**steps / (1 - momentum)
    let = {
        "F": "x^2/2",
        "alpha, beta": "3/2, 1/2",
        "rho^2": "1/2",
        "x_0 = x_{-1}": "x* = 0",
        "w_t": "independent, variance 1",
        "t": str(steps),
        "C_t": "2 t",
    }
    return Instance(AtMost(E.trace(), bound), let=let, meets=[Equal(M**2, -momentum * sp.eye(2))])


@claim(
    PAPER,
    "eq-b-trace-corrected",
    at="Appendix B.3, last display",
    kind="inequality",
    uses=["eq-b-rec-corrected", "thm-3.5-m", "eq-b-norm"],
)
def trace_of_the_state_covariance_is_at_most_two_m_plus_a_transient():
    """tr E_t <= 2 m(alpha, beta) + C_t^2 rho^(2t) tr E_0; the tail that is subtracted is a sum of positive
    semidefinite matrices and may be dropped.
    """
    lam, sigma = sp.symbols("lambda sigma", positive=True)
    v = variance(alpha, beta, lam, sigma**2)
    c = v * (1 + beta - alpha * lam) / (1 + beta)
    X = sp.Matrix([[v, c], [c, v]])
    p, q, u = sp.symbols("p q u", real=True)
    return (
        Derivation()
        .step(
            Equal(
                block(alpha, beta, lam) * X * block(alpha, beta, lam).T + sp.diag(alpha**2 * sigma**2, 0),
                X,
                given=[beta < 1, alpha * lam < 2 + 2 * beta],
            ),
            "X = sum_j M^j N M'^j, one eigenvalue",
        )
        .step(
            Equal(X.trace(), 2 * v, given=[beta < 1, alpha * lam < 2 + 2 * beta]),
            "its trace is 2 v(lambda): 2 m in all",
        )
        .step(
            AtMost(0, (sp.Matrix([p, q]) * u**2 * sp.Matrix([[p, q]])).trace()),
            "every M^j N M'^j has a trace >= 0",
        )
    )


@claim(
    PAPER,
    "eq-b-tail",
    at="Appendix B.3, last display, the tail",
    kind="inequality",
    expect=REFUTED,
    correction="eq-b-tail-corrected",
    breaks="proof",
)
def tail_of_squared_powers_is_geometric_with_c_t():
    """sum_{j>=t} |M^j|^2 <= C_t^2 rho^(2t)/(1 - rho^2), where |M^t| = C_t rho^t (as if C_j did not grow with
    j).
    """
    M = block(R(1, 4), R(1, 4), 1)  # alpha lambda = beta = 1/4: the double root 1/2
    first = [sp.Matrix((M**j)[:, 0]) for j in (1, 2, 3)]
    lower = sum((v.T * v)[0, 0] for v in first)  # |M^j| is at least the length of the first column of M^j
    upper = sum(v**2 for v in M) / (1 - R(1, 4))  # |M| is at most its Frobenius norm
    let = {"alpha lambda": "1/4", "beta": "1/4", "rho": "1/2 (a double root)", "t": "1", "C_1": "|M|/rho"}
    return Instance(
        AtMost(lower, upper),
        let=let,
        meets=[Equal(sp.discriminant((M - sp.Symbol("z") * sp.eye(2)).det(), sp.Symbol("z")), 0)],
    )


@claim(PAPER, "eq-b-tail-corrected", at="Appendix B.3, last display, the tail", kind="inequality")
def tail_of_squared_powers_with_c_j_equal_to_c_j():
    """With C_j = c j: sum_{j>=t} C_j^2 rho^(2j) = c^2 rho^(2t) [t^2/(1-q) + 2 t q/(1-q)^2 + q(1+q)/(1-q)^3],
    q = rho^2.
    """
    q, c = sp.symbols("q c", positive=True)
    closed = c**2 * q**t * (t**2 / (1 - q) + 2 * t * q / (1 - q) ** 2 + q * (1 + q) / (1 - q) ** 3)
    return (
        Derivation()
        .step(
            Equal(closed - closed.subs(t, t + 1), (c * t) ** 2 * q**t, given=[q < 1]),
            "consecutive tails differ by the term at t",
        )
        .step(
            Equal(sp.limit(closed.subs({q: R(1, 2), c: 1}), t, sp.oo), 0),
            "and the tail tends to 0 (here at q = 1/2)",
        )
        .step(
            AtMost(
                t**2 / (1 - q),
                t**2 / (1 - q) + 2 * t * q / (1 - q) ** 2 + q * (1 + q) / (1 - q) ** 3,
                given=[q < 1],
                strict=True,
            ),
            "so it exceeds the printed bound",
        )
    )


@claim(PAPER, "eq-b.4-lagr", at="Appendix B.4, the Lagrangian", kind="identity")
def lagrange_equations_have_the_stated_solution():
    """2 a_t b_t = lambda S_1/(n b_t^2) and sum_t S_1/(n b_t) = eps have b_t = (lambda S_1/(2 n a_t))^(1/3),
    lambda = (S_1/n)^2 [sum (2 a_t)^(1/3)]^3/eps^3.
    """
    a = sp.IndexedBase("a", positive=True)
    weight, multiplier, b = sp.symbols("a lambda b", positive=True)
    third = R(1, 3)
    lagrangian = weight * b**2 + multiplier * (S / (n * b) - eps)
    stated = (multiplier * S / n / (2 * weight)) ** third
    lam = (S / n) ** 2 * sp.Sum((2 * a[t]) ** third, (t, 1, T)) ** 3 / eps**3
    each = (lam * S / n / (2 * a[k])) ** third
    final = sp.Sum(a[t] ** third, (t, 1, T)) * S / (a[k] ** third * n * eps)
    return (
        Derivation()
        .step(
            Equal(sp.diff(lagrangian, b), 2 * weight * b - multiplier * S / (n * b**2)), "the equation of b_t"
        )
        .step(Equal(sp.diff(lagrangian, b).subs(b, stated), 0), "its solution")
        .step(Equal(each, final), "lambda put in gives (4.5)")
        .step(Equal(sp.Sum(S / (n * final), (k, 1, T)), eps), "which spends eps")
    )


@claim(
    PAPER,
    "prop-4.2-bordered",
    at="Appendix B.4, last sentence",
    kind="identity",
    expect=REFUTED,
    correction="prop-4.2-bordered-corrected",
    breaks="proof",
)
def bordered_hessian_is_diagonal_with_negative_entries():
    """The bordered Hessian at the solution is diagonal, with T negative values and a single 0 (T = 1: its
    second entry is negative).
    """
    b, a, multiplier = sp.symbols("b a lambda", positive=True)
    lagrangian = a * b**2 + multiplier * (S / (n * b) - eps)
    hessian = sp.hessian(lagrangian, [multiplier, b]).subs(multiplier, 2 * a * b**3 * n / S)
    return Instance(
        AtMost(sp.simplify(hessian[1, 1]), 0, strict=True),
        let={"T": "1"},
        because="it is 6 a_t > 0; and the border -S_1/(n b_t^2) is not 0",
    )


@claim(PAPER, "prop-4.2-bordered-corrected", at="Appendix B.4, last sentence", kind="identity")
def lagrangian_hessian_is_positive_and_its_border_is_not_zero():
    """At the solution the Hessian of the Lagrangian in b is diag(6 a_t) > 0, bordered by -S_1/(n b_t^2): a
    strict minimum (a global one by Proposition 4.2).
    """
    b, a, multiplier = sp.symbols("b a lambda", positive=True)
    lagrangian = a * b**2 + multiplier * (S / (n * b) - eps)
    hessian = sp.hessian(lagrangian, [multiplier, b])
    at = {multiplier: 2 * a * b**3 * n / S}
    return (
        Derivation()
        .step(Equal(hessian[1, 1].subs(at), 6 * a), "the diagonal")
        .step(Equal(hessian[0, 1], -S / (n * b**2)), "the border")
        .step(Equal(hessian[0, 0], 0), "the corner")
        .step(
            AtMost(hessian.subs(at).det(), 0, strict=True),
            "T = 1: a negative determinant is what a minimum on one constraint asks for",
        )
    )
