"""Appendix B: the printed proofs, line by line.

B.1 Proposition 3.3;   B.2 Proposition 3.4 (through Lemma B.1);   B.3 Theorem 3.5;   B.4 Proposition 4.2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, inner, norm2
from dpverify.relations import AtMost, Equal, Instance, PositiveSemidefinite
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import L, alpha, beta, mu
from dpverify.symbolic.dp_accel.matrix_inequality import X1, X2, form, heavy_ball_step, quadratic_form
from dpverify.symbolic.dp_accel.quadratic import block, lam, stationary, variance
from dpverify.symbolic.dp_accel.state_space import g, moved, w, x, y
from dpverify.theorems import AllOf, ForEvery, Theorem
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


@claim(
    PAPER,
    "eq-b.1-corrected",
    at="Eq (B.1)",
    kind="identity",
    uses=["eq-3.1-var"],
    standing="ours",
)
def norm_of_the_laplace_covariance_is_two_b_squared():
    """Cov(eta_t | x) = 2 b^2 I_d, b = S_1(x)/(m eps_0), has the norm 2 S_1(x)^2/(m eps_0)^2 <= 2 d S_1^2/(m
    eps_0)^2, which is what (3.12) has.
    """
    e0, at, b = sp.symbols("epsilon_0 S_x b", positive=True)
    scale = sp.Eq(b, at / (m * e0))
    return AllOf(
        Equal(2 * b**2, 2 * at**2 / (m * e0) ** 2, given=[scale]),
        AtMost(2 * b**2, 2 * d * S**2 / (m * e0) ** 2, given=[scale, at <= S]),
    )


@claim(PAPER, "eq-b.2", at="Eqs (B.2) and (B.3)", kind="identity")
def mean_of_a_sample_without_replacement_has_variance_sigma2_over_m_times_the_correction():
    """The minibatch gradient has variance r_kk = sigma_{y,k}^2 (1/m)(n-m)/(n-1), sigma_{y,k}^2 the population
    variance (B.3) of the entries g_i: a record is drawn with chance m/n and two of them with m (m-1)/(n
    (n-1)), so that m^2 r_kk is the variance of one indicator times sum_i g_i^2 plus the covariance of two
    times (sum_i g_i)^2 - sum_i g_i^2.
    """
    g, i = sp.IndexedBase("g", real=True), sp.Symbol("i", integer=True, positive=True)
    squares, total = sp.Sum(g[i] ** 2, (i, 1, n)), sp.Sum(g[i], (i, 1, n))
    own, pair = (
        m / n * (1 - m / n),
        m * (m - 1) / (n * (n - 1)) - (m / n) ** 2,
    )  # covariances of the inclusion indicators
    derived = (own * squares + pair * (total**2 - squares)) / m**2
    population = squares / n - (total / n) ** 2
    return Equal(derived, population / m * (n - m) / (n - 1), given=[n >= 2])


@claim(PAPER, "eq-b.3-pop", at="after Eq (B.3)", kind="inequality")
def population_variance_is_at_most_a_quarter_of_the_squared_range():
    """sigma_{y,k}^2 <= S_{1,k}(x)^2/4: n numbers between l and h have variance at most (h - l)^2/4."""
    low, high = sp.symbols("l h", real=True)
    v, i = sp.IndexedBase("v", real=True), sp.Symbol("i", integer=True, positive=True)
    squares, total = sp.Sum(v[i] ** 2, (i, 1, n)), sp.Sum(v[i], (i, 1, n))
    inside = [ForEvery(AtMost(low, v[i]), i, 1, n), ForEvery(AtMost(v[i], high), i, 1, n)]
    mean = sp.Symbol("M", real=True)
    return (
        Theorem(
            given=[*inside, sp.Eq(mean, total / n)],
            shows=AtMost(squares / n - mean**2, (high - low) ** 2 / 4),
        )
        .sum(AtMost(v[i] ** 2, (low + high) * v[i] - low * high), (i, 1, n), "(h - v)(v - l) >= 0, added up")
        .have(AtMost(squares, (low + high) * n * mean - n * low * high), "in the mean")
        .have(AtMost(squares / n, (low + high) * mean - low * high), "over n")
        .have(AtMost((low + high) * mean - low * high - mean**2, (high - low) ** 2 / 4), "a square")
    )


@claim(PAPER, "eq-b.4-a", at="Eq (B.4), steps 1 and 2", kind="inequality", uses=["eq-b.2", "eq-b.3-pop"])
def norm_is_at_most_trace_and_squares_at_most_the_square():
    """|R| <= tr R <= (1/4) [sum_k S_{1,k}^2] (1/m)(n-m)/(n-1), and sum_k S_{1,k}^2 <= (sum_k S_{1,k})^2: r[k]
    being the variances on the diagonal of R, of which the norm, its largest eigenvalue, is at most the sum (a
    range of 0 adds nothing).
    """
    ranges, diagonal = sp.IndexedBase("S_1", positive=True), sp.IndexedBase("r", nonnegative=True)
    share = (n - m) / (m * (n - 1))
    each = AtMost(diagonal[k], share / 4 * ranges[k] ** 2)
    trace, bound = sp.Sum(diagonal[k], (k, 1, d)), sp.Sum(ranges[k] ** 2, (k, 1, d))
    norm_ = sp.Symbol("N", nonnegative=True)
    return AllOf(
        Theorem(
            given=[m <= n, n >= 2, norm_ <= trace, ForEvery(each, k, 1, d)],
            shows=AtMost(norm_, share / 4 * bound),
        )
        .sum(each, (k, 1, d), "(B.2) with (B.3), over the coordinates")
        .have(Equal(sp.Sum(share / 4 * ranges[k] ** 2, (k, 1, d)), share / 4 * bound), "the common factor"),
        AtMost(bound, sp.Sum(ranges[k], (k, 1, d)) ** 2),
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
    (w_t of mean 0 given x_t, x_{t-1}): from any state, for F in S_{mu,L} and every dimension.
    """
    r, W = sp.symbols("r W", positive=True)  # rho^2, E|w_t|^2
    state, after, F, noise = heavy_ball_step(W)
    place = state[0] + F.minimiser
    fall = F.descent(place, after)
    return (
        Theorem(
            given=[r <= 1, mu < L],
            shows=AtMost(
                quadratic_form(X1 + (1 - r) * X2, state),
                r * (F(place) - F.minimum) - (E(F(after), noise) - F.minimum) + L * alpha**2 / 2 * W,
            ),
        )
        .expect(AtMost(fall.lhs, fall.rhs), [noise], "the descent lemma")
        .have(AtMost(quadratic_form(X2, state), F.minimum - F(place)), "strong convexity at x_t and x*")
    )


@claim(PAPER, "eq-b.5-7", at="Eqs (B.5)-(B.7)", kind="identity", uses=["def-a.1"])
def update_difference_and_descent_lemma():
    """If (B.5) x_{t+1} = (1 + beta) x_t - beta x_{t-1} - alpha (grad F + w), then (B.6) x_t - x_{t+1} = -beta
    (x_t - x_{t-1}) + alpha (grad F + w), in every coordinate; (B.7) F(x_t) - F(x_{t+1}) >= grad F'(x_t -
    x_{t+1}) - (L/2)|x_t - x_{t+1}|^2 for every x_{t+1}.
    """
    now, before, after, slope, noise = sp.symbols("x_t x_before x_next g w", real=True)
    update = sp.Eq(after, (1 + beta) * now - beta * before - alpha * (slope + noise))
    F, at, other = Function("F", smooth=L, strongly_convex=mu), Vector("x"), Vector("y")
    lower = inner(F.gradient(at), at - other) - L / 2 * norm2(at - other)
    return AllOf(
        Equal(now - after, -beta * (now - before) + alpha * (slope + noise), given=[update]),
        AtMost(lower, F(at) - F(other), given=[mu < L]),
    )


@claim(PAPER, "eq-b-d", at="Appendix B.2, D and X_1", kind="identity")
def d_is_congruent_to_x1():
    """D = [[-L beta^2, L alpha beta - beta], [., 2 alpha - alpha^2 L]], and (1/2) E' D E = X_1 for E = [[1,
    -1, 0], [0, 0, 1]]; half the form of D in (x_t - x_{t-1}, grad F) is the right side of (B.7) without
    noise.
    """
    D = sp.Matrix(
        [[-L * beta**2, L * alpha * beta - beta], [L * alpha * beta - beta, -(alpha**2) * L + 2 * alpha]]
    )
    selects = sp.Matrix([[1, -1, 0], [0, 0, 1]])
    (now, before, gradient), *_ = heavy_ball_step(sp.Symbol("W", positive=True))
    back = alpha * gradient - beta * (now - before)  # x_t - x_{t+1} without noise
    still = inner(gradient, back) - L / 2 * norm2(back)
    return AllOf(
        Equal(still, quadratic_form(D, [now - before, gradient]) / 2), Equal(selects.T * D * selects / 2, X1)
    )


@claim(
    PAPER,
    "eq-b.8",
    at="Eq (B.8), cross terms",
    kind="identity",
    expect=REFUTED,
    correction="eq-b.8-corrected",
    breaks="misprint",
    standing="misprint",
)
def cross_terms_of_b_8_are_as_printed():
    """The cross terms in (B.8) are L alpha [beta (x_t - x_{t-1}) w - alpha grad F'w - alpha grad F'w]."""
    exact = g * (x - moved) - L / 2 * (x - moved) ** 2 - form(X1, [x, y, g]) + L * alpha**2 / 2 * w**2
    return Equal(exact, L * alpha * (beta * (x - y) * w - alpha * g * w - alpha * g * w), given=[beta < 1])


@claim(PAPER, "eq-b.8-corrected", at="Eq (B.8), cross terms", kind="identity", standing="ours")
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


@claim(
    PAPER,
    "eq-b.9-corrected",
    at="Eq (B.9)",
    kind="inequality",
    uses=["def-a.1"],
    standing="ours",
)
def b_9_holds_without_the_factor():
    """F* - F(x_t) >= (xi, grad F)' X_2 (xi, grad F), which is what the next display uses: for F in S_{mu,L}
    and every dimension.
    """
    F, place, before = Function("F", smooth=L, strongly_convex=mu), Vector("x_t"), Vector("x_before")
    form_of_x2 = quadratic_form(X2, [place - F.minimiser, before, F.gradient(place)])
    return AtMost(form_of_x2, F.minimum - F(place), given=[mu < L])


@claim(PAPER, "eq-b.10", at="Eq (B.10), d = 2", kind="identity")
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
    after = now - alpha * (Q * now + noise) + beta * (now - before)
    stated = full(Q) * sp.Matrix([x1, x2, p1, p2]) + sp.Matrix([-alpha * w1, -alpha * w2, 0, 0])
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


@claim(
    PAPER,
    "eq-b-perm-corrected",
    at="Appendix B.3, P M P' = T, d = 2",
    kind="identity",
    standing="ours",
)
def orthogonal_matrix_block_diagonalises_m():
    """diag(U, U)' M diag(U, U), followed by a permutation, is diag(T_1, ..., T_d), for Q = U diag(lambda) U'
    with any rotation U = [[c, -s], [s, c]], c^2 + s^2 = 1; the norm of diag(U, U) is 1 too (d = 2).
    """
    l1, l2 = sp.symbols("lambda_1 lambda_2", positive=True)
    c, s = sp.symbols("c s", real=True)
    U = sp.Matrix([[c, -s], [s, c]])
    big = sp.Matrix(sp.BlockMatrix([[U, sp.zeros(2)], [sp.zeros(2), U]]))
    order = sp.Matrix([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    turned = order * big.T * full(U * sp.diag(l1, l2) * U.T) * big * order.T
    blocks = sp.diag(block(alpha, beta, l1), block(alpha, beta, l2))
    return Equal(turned, blocks, given=[sp.Eq(c**2 + s**2, 1)])


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
    """|T_i^t| <= C_t rho^t with C_t = O(t): C_t = (1 + |T_i|/rho) t will do. T_i^t = U_t T_i - beta U_{t-1} I
    for the sequence U_{t+1} = a U_t - beta U_{t-1}, U_0 = 0, U_1 = 1: T_i times this is the same at t + 1.
    Its roots have moduli of at most rho and U_{t+1} = z_1 U_t + z_2^t, so that |U_{t+1}| <= rho |U_t| +
    rho^t, and |U_t| <= t rho^(t-1). With this and beta <= rho^2 the norm N_t <= |U_t||T_i| + beta |U_{t-1}|
    is at most C_t rho^t.
    """
    a, z1, z2, size, r = sp.symbols("a z_1 z_2 N r", positive=True)
    before, now, power = sp.symbols("u_before u N_t", nonnegative=True)  # |U_{t-1}|, |U_t|, |T_i^t|
    companion = sp.Matrix([[a, -beta], [1, 0]])
    U_before, U_t, U_next = sp.symbols("U_before U_t U_next", real=True)

    def divided(exponent: sp.Expr) -> sp.Expr:
        return (z1**exponent - z2**exponent) / (z1 - z2)

    sizes = sp.IndexedBase("u", nonnegative=True)
    grows = ForEvery(AtMost(sizes[k + 1], r * sizes[k] + r**k), k, 1, T)
    bounds = [now <= t * r ** (t - 1), before <= (t - 1) * r ** (t - 2), beta <= r**2]
    return AllOf(
        Equal(
            companion * (U_t * companion - beta * U_before * sp.eye(2)),
            U_next * companion - beta * U_t * sp.eye(2),
            given=[sp.Eq(U_next, a * U_t - beta * U_before)],
        ),
        Equal(divided(t + 1), (z1 + z2) * divided(t) - z1 * z2 * divided(t - 1), given=[z1 > z2]),
        Theorem(given=[grows, sizes[1] <= 1], shows=AtMost(sizes[T + 1], (T + 1) * r**T))
        .unroll(sizes[k], r, r**k, (k, 1, T), "T steps")
        .have(Equal(sp.Sum(r ** (T - k) * r**k, (k, 1, T)), T * r**T), "T equal terms"),
        Theorem(
            given=[*bounds, power <= now * size + beta * before],
            shows=AtMost(power, (1 + size / r) * t * r**t),
        ).calc(
            power,
            ("<=", now * size + beta * before, "the triangle inequality"),
            ("<=", t * r ** (t - 1) * size + r**2 * (t - 1) * r ** (t - 2), "the bounds on U"),
            ("<=", (1 + size / r) * t * r**t, "(t-1) <= t"),
        ),
    )


@claim(PAPER, "eq-b-quasi", at="Appendix B.3", kind="monotonicity")
def rate_is_quasi_convex_in_the_eigenvalue():
    """rho_lambda is a quasi-convex function of lambda: where it is at most r is an interval. (Both roots of
    z^2 - (1 + beta - alpha lambda) z + beta lie in |z| <= r iff beta <= r^2 and it is not negative at r and
    at -r; this holds between two lambda at which it holds.)
    """
    r, lam, low, high = sp.symbols("r lambda l h", positive=True)
    at, back = r**2 - (1 + beta - alpha * lam) * r + beta, r**2 + (1 + beta - alpha * lam) * r + beta
    ends = [
        at.subs(lam, low) >= 0,
        back.subs(lam, low) >= 0,
        at.subs(lam, high) >= 0,
        back.subs(lam, high) >= 0,
    ]
    between = [low <= lam, lam <= high, *ends]
    return AllOf(AtMost(0, at, given=between), AtMost(0, back, given=between))


@claim(
    PAPER,
    "eq-b-rec",
    at="Appendix B.3, recursion of E_t",
    kind="inequality",
    expect=REFUTED,
    correction="eq-b-rec-corrected",
    breaks="proof",
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
    standing="ours",
)
def covariance_recursion_for_noise_uncorrelated_with_the_state():
    """If E[w_t x_t'] = E[w_t x_{t-1}'] = 0 and E w_t w_t' <= sigma^2 I, then E_{t+1} <= M E_t M' +
    diag(alpha^2 sigma^2, 0), in the direction of each eigenvector of Q: what is left is positive
    semidefinite.
    """
    lam, sigma, W = sp.symbols("lambda sigma W", positive=True)
    e11, e12, e22 = sp.symbols("e_11 e_12 e_22", real=True)
    moments = sp.Matrix([[e11, e12], [e12, e22]])
    M = block(alpha, beta, lam)
    state = sp.Matrix(3, 3, [e11, e12, 0, e12, e22, 0, 0, 0, W])  # second moments of (x, x', w)
    step = sp.Matrix([[1 + beta - alpha * lam, -beta, -alpha], [1, 0, 0]])
    bound = M * moments * M.T + sp.diag(alpha**2 * sigma**2, 0)
    return PositiveSemidefinite((bound - step * state * step.T).applyfunc(sp.expand), given=[W <= sigma**2])


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
    standing="ours",
)
def trace_of_the_state_covariance_is_at_most_two_m_plus_a_transient():
    """For one eigenvalue X = [[v, c], [c, v]] with the stationary v and c of Theorem 3.5 is M X M' +
    diag(alpha^2 sigma^2, 0), and has the trace 2 v(lambda), so that sum_i tr X_i = 2 m(alpha, beta); and tr
    (E_t - X) follows E_{t+1} - X = M (E_t - X) M'.
    """
    v, noise, still = stationary()
    c, (e11, e12, e22) = sp.Symbol("c", real=True), sp.symbols("e_11 e_12 e_22", real=True)
    X, moments = sp.Matrix([[v, c], [c, v]]), sp.Matrix([[e11, e12], [e12, e22]])
    M, added = block(alpha, beta, lam), sp.diag(alpha**2 * noise, 0)
    return AllOf(
        Equal(M * X * M.T + added, X, given=still),
        Theorem(given=still, shows=Equal(X.trace(), 2 * variance(alpha, beta, lam, noise))).use(
            "thm-3.5-m", "the stationary variance"
        ),
        Equal((M * moments * M.T + added - X).trace(), (M * (moments - X) * M.T).trace(), given=still),
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


@claim(
    PAPER,
    "eq-b-tail-corrected",
    at="Appendix B.3, last display, the tail",
    kind="inequality",
    standing="ours",
)
def tail_of_squared_powers_with_c_j_equal_to_c_j():
    """With C_j = c j, q = rho^2: sum_{j>=t} C_j^2 q^j = c^2 q^t [t^2/(1-q) + 2 t q/(1-q)^2 + q(1+q)/(1-q)^3],
    which exceeds the printed C_t^2 q^t/(1-q).
    """
    j = sp.Symbol("j", integer=True, positive=True)
    q, c = sp.symbols("q c", positive=True)
    closed = c**2 * q**t * (t**2 / (1 - q) + 2 * t * q / (1 - q) ** 2 + q * (1 + q) / (1 - q) ** 3)
    return AllOf(
        Equal(sp.Sum((c * j) ** 2 * q**j, (j, t, sp.oo)), closed, given=[q < 1]),
        AtMost((c * t) ** 2 * q**t / (1 - q), closed, given=[q < 1], strict=True),
    )


@claim(PAPER, "eq-b.4-lagr", at="Appendix B.4, the Lagrangian", kind="identity")
def lagrange_equations_have_the_stated_solution():
    """2 a_t b_t = lambda S_1/(n b_t^2) and sum_t S_1/(n b_t) = eps have b_t = (lambda S_1/(2 n a_t))^(1/3),
    lambda = (S_1/n)^2 [sum (2 a_t)^(1/3)]^3/eps^3.
    """
    a = sp.IndexedBase("a", positive=True)
    weight, multiplier, b = sp.symbols("a_t lambda b", positive=True)
    third = R(1, 3)
    lagrangian = weight * b**2 + multiplier * (S / (n * b) - eps)
    slope = 2 * weight * b - multiplier * S / (n * b**2)
    lam = sp.Eq(multiplier, (S / n) ** 2 * sp.Sum((2 * a[t]) ** third, (t, 1, T)) ** 3 / eps**3)
    final = sp.Sum(a[t] ** third, (t, 1, T)) * S / (a[k] ** third * n * eps)
    return AllOf(
        Equal(sp.Derivative(lagrangian, b), slope),
        Equal(slope, 0, given=[sp.Eq(b, (multiplier * S / n / (2 * weight)) ** third)]),
        Equal((multiplier * S / n / (2 * a[k])) ** third, final, given=[lam]),  # lambda put in gives (4.5)
        Equal(sp.Sum(S / (n * final), (k, 1, T)), eps),
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


@claim(
    PAPER,
    "prop-4.2-bordered-corrected",
    at="Appendix B.4, last sentence",
    kind="identity",
    standing="ours",
)
def lagrangian_hessian_is_positive_and_its_border_is_not_zero():
    """At the solution the Hessian of the Lagrangian in b_t is 6 a_t > 0, bordered by -S_1/(n b_t^2), with 0
    in the corner; for T = 1 its determinant is negative, as a strict minimum on one constraint asks.
    """
    b, a, multiplier = sp.symbols("b a lambda", positive=True)
    lagrangian = a * b**2 + multiplier * (S / (n * b) - eps)
    bend, border = 2 * a + 2 * multiplier * S / (n * b**3), -S / (n * b**2)
    solution = sp.Eq(multiplier, 2 * a * b**3 * n / S)
    return AllOf(
        Equal(sp.Derivative(lagrangian, (b, 2)), bend),
        Equal(bend, 6 * a, given=[solution]),
        Equal(sp.Derivative(lagrangian, b, multiplier), border),
        Equal(sp.Derivative(lagrangian, (multiplier, 2)), 0),
        AtMost(sp.Matrix([[0, border], [border, bend]]).det(), 0, given=[solution], strict=True),
    )
