"""Appendix B.3: the printed proof of Theorem 3.5, line by line.

M = [[(1+beta) I - alpha Q, -beta I], [I, 0]],   P M P' = diag(T_1, ..., T_d),   E_t = M E_{t-1} M' + noise
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Equal, Instance, PositiveSemidefinite
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import alpha, beta
from dpverify.symbolic.dp_accel.proof_3_3 import T, k, t
from dpverify.symbolic.dp_accel.quadratic import block, lam, stationary, variance
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

R = sp.Rational


@claim(PAPER, "eq-b.10", at="Eq (B.10), d = 2", kind="identity")
def error_recursion_of_a_quadratic():
    """(x_t, x_{t-1}) - xi* = M (x_{t-1}, x_{t-2}) + (-alpha w, 0) for F = x'Qx/2 (w is the noise of that
    step: w_{t-1} in the numbering of (3.1)).
    """
    q11, q12, q22 = sp.symbols("q_11 q_12 q_22", real=True)
    x1, x2, p1, p2, w1, w2 = sp.symbols("x_1 x_2 p_1 p_2 w_1 w_2", real=True)
    Q = sp.Matrix([[q11, q12], [q12, q22]])
    now = sp.Matrix([x1, x2])
    before = sp.Matrix([p1, p2])
    noise = sp.Matrix([w1, w2])
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
    lam = sp.Symbol("lambda", positive=True)
    z = sp.Symbol("z", real=True)
    root = sp.Symbol("root", real=True)
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
    size = R(3, 2)
    momentum = R(1, 2)
    steps = 20
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
