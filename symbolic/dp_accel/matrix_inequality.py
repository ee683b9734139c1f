"""Section 3.1: Proposition 3.3, the covariance of the noise, and Proposition 3.4, the matrix inequality.

E F(x_t) - F* <= rho^(2t) V_{P,c}(xi_0)/c + noise  where  c_0 X_0 + c X_1 + c (1 - rho^2) X_2 dominates the
change of the form P over a step
Eqs (3.14) and (3.15)
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.dp_accel import sampling_variance
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, inner, norm, norm2, vectors
from dpverify.relations import AtMost, Equal, Instance, PositiveSemidefinite, Tested
from dpverify.symbolic.dp_accel import PAPER
from dpverify.symbolic.dp_accel.heavy_ball import L, S, T, alpha, beta, d, m, mu, n, t
from dpverify.symbolic.dp_accel.state_space import A
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

R = sp.Rational
X1 = (
    sp.Matrix(
        [
            [-L * beta**2, L * beta**2, -(1 - L * alpha) * beta],
            [L * beta**2, -L * beta**2, (1 - L * alpha) * beta],
            [-(1 - L * alpha) * beta, (1 - L * alpha) * beta, alpha * (2 - L * alpha)],
        ]
    )
    / 2
)
X2 = sp.Matrix([[mu, 0, -1], [0, 0, 0], [-1, 0, 0]]) / 2
X0 = sp.Matrix([[2 * mu * L, 0, -(mu + L)], [0, 0, 0], [-(mu + L), 0, 2]])  # with 2 in the corner, d = 1


def form(matrix: Any, vector: Any) -> Any:
    """v' M v."""
    v = sp.Matrix(vector)
    return (v.T * matrix * v)[0, 0]


def quadratic_form(matrix: Any, state: Any) -> Any:
    """sum_ij M_ij <v_i, v_j> of vectors v_i of any dimension."""
    cells = [(i, k) for i in range(len(state)) for k in range(len(state))]
    return sum(matrix[i, k] * inner(state[i], state[k]) for i, k in cells)


def heavy_ball_step(variance: Any) -> tuple[Any, Any, Any, Any]:
    """(x_t - x*, x_{t-1} - x*, grad F(x_t)), x_{t+1}, F in S_{mu,L} and the noise of a step of (3.8)."""
    F, now, before = Function("F", smooth=L, strongly_convex=mu), *vectors("x_t x_before")
    noise = Noise("w", variance=variance)
    after = now - alpha * (F.gradient(now) + noise) + beta * (now - before)
    return (now - F.minimiser, before - F.minimiser, F.gradient(now)), after, F, noise


def phi(P: Any, B: Any, r: Any) -> Any:
    """Phi(A, B, P, rho) of (3.14), r = rho^2."""
    return sp.Matrix(sp.BlockMatrix([[A.T * P * A - r * P, A.T * P * B], [B.T * P * A, B.T * P * B]]))


@claim(
    PAPER,
    "prop-3.3",
    at="Proposition 3.3, Eq (3.12)",
    kind="inequality",
    uses=["eq-cov-split", "eq-3.13", "eq-3.1-var"],
)
def covariance_of_the_noise_is_at_most_e_t():
    """|Cov(w_t | x_t)| <= E_T = sigma_s^2(m, n) + 2 d S_1^2/(m eps_0)^2, in the spectral norm (for the
    Laplace part 2 S_1^2/(m eps_0)^2 is enough): in a unit direction u the variance of w_t is that of the
    batch, v (1/m)(n-m)/(n-1) with the variance v over the records, plus the 2 b^2 of Laplace noise of scale b
    = S_1(x)/(m eps_0). As in (3.13) two gradients are at distance |g| <= S_1, their range in direction u is r
    <= |u'g|, and v <= r^2/4.
    """
    e0, at_x, scale = sp.symbols("epsilon_0 S_x b", positive=True)
    direction, apart = vectors("u g")
    spread, variance = sp.symbols("r v", nonnegative=True)
    batch = variance / m * (n - m) / (n - 1)
    laplace = 2 * d * S**2 / (m**2 * e0**2)
    return (
        Theorem(
            given=[
                *of_two_gradients(direction, apart, spread, variance),
                at_x <= S,
                sp.Eq(scale, at_x / (m * e0)),
            ],
            shows=AtMost(batch + 2 * scale**2, sampling_variance(S, m, n) + laplace),
        )
        .use("eq-3.13", "the batch", u=direction, g=apart, r=spread, v=variance)
        .have(AtMost(2 * scale**2, laplace), "d >= 1 and S_1(x) <= S_1")
    )


def of_two_gradients(direction: Any, apart: Any, spread: Any, variance: Any) -> list[Any]:
    """In a unit direction u: two gradients differ by g, |g| <= S_1, the gradients of the records have the
    range r <= |u'g|, and a variance of at most r^2/4.
    """
    return [
        norm(direction) <= 1,
        norm(apart) <= S,
        spread <= sp.Abs(inner(direction, apart)),
        variance <= spread**2 / 4,
        m <= n,
        n >= 2,
    ]


@claim(PAPER, "eq-3.13", at="Eq (3.13)", kind="inequality", uses=["eq-b.2", "eq-b.3-pop"])
def sampling_covariance_is_at_most_sigma_s_in_norm():
    """sigma_s^2(m, n) = (S_1^2/4)(1/m)(n-m)/(n-1) bounds the norm of the covariance of the minibatch gradient
    (n >= 2): in a unit direction u two gradients differ by |u'g| <= |g|_2 <= S_1, the variance over the
    records is at most a quarter of the square of their range (B.3), and (B.2) is that of the batch.
    """
    u, apart = vectors("u g")
    spread, variance = sp.symbols("r v", nonnegative=True)
    return (
        Theorem(
            given=of_two_gradients(u, apart, spread, variance),
            shows=AtMost(variance / m * (n - m) / (n - 1), sampling_variance(S, m, n)),
        )
        .have(AtMost(sp.Abs(inner(u, apart)), S), "Cauchy-Schwarz; |g|_2 <= |g|_1 <= S_1")
        .have(AtMost(spread, S), "the range in direction u")
        .have(AtMost(variance, S**2 / 4), "a quarter of its square")
    )


@claim(PAPER, "sec3.1-form", at="Section 3.1, the sketch", kind="inequality", uses=["prop-3.4-corrected"])
def bound_has_the_form_rho_2t_psi_plus_e_t_r():
    """E F(x_t) - F* <= rho^(2t) psi_0 + E_T R, with psi_0 = V_{P,c}(xi_0)/c and R = (L d alpha^2/2)(1 + 2
    P_12^2/(P_22 c L + 2 |P|))/(1 - rho^2).
    """
    r, noise, start = sp.symbols("r N psi_0", positive=True)  # rho^2; the noise of one step
    t = sp.Symbol("t", integer=True, nonnegative=True)
    bound = r**t * start + (1 - r**t) / (1 - r) * noise
    return AtMost(bound, r**t * start + noise / (1 - r), given=[r < 1])


@claim(
    PAPER, "sec1-monotone", at="Section 1, Contributions", kind="monotonicity", uses=["prop-3.4-corrected"]
)
def bound_improves_with_every_step_if_the_noise_does_not_grow():
    """With noise that does not depend on the number of iterations the bound "can improve monotonically":
    (3.15) with a fixed noise N per step, rho^(2t) psi_0 + (1 - rho^(2t))/(1 - rho^2) N, falls with every t if
    it starts above its limit, psi_0 >= N/(1 - rho^2), and only then.
    """
    r, noise, start = sp.symbols("r N psi_0", positive=True)
    t = sp.Symbol("t", integer=True, nonnegative=True)
    now, later = (r**k * start + (1 - r**k) / (1 - r) * noise for k in (t, t + 1))
    return AllOf(
        AtMost(later, now, given=[r < 1, start >= noise / (1 - r)]),
        AtMost(now, later, given=[r < 1, start < noise / (1 - r)], strict=True),
    )


@claim(
    PAPER,
    "prop-3.4",
    at="Proposition 3.4, Eqs (3.14) and (3.15), with B of (3.10) as printed",
    kind="inequality",
    expect=REFUTED,
    correction="prop-3.4-corrected",
    breaks="theorem",
)
def matrix_inequality_as_printed_implies_the_bound():
    """If (3.14) holds for some rho, P >= 0, c_0, c >= 0 (B = [alpha; 0]) then E F(x_t) - F* <= rho^(2t)
    V_{P,c}(xi_0)/c + noise, (3.15).
    """
    P = sp.Matrix([[23, -51], [-51, 114]]) / 50
    c0 = R(2, 25)
    r = R(3, 5)
    noise = R(1, 1000)
    at = {mu: 1, L: 2, alpha: R(4, 5), beta: R(7, 10)}
    gap = (c0 * X0 + X1 + (1 - r) * X2 - phi(P, sp.Matrix([alpha, 0]), r)).subs(at)
    now, before = sp.Integer(1), sp.Integer(1)
    for _ in range(4):
        now, before = (
            ((1 + beta) * now - beta * before - alpha * 2 * now).subs(at),
            now,
        )  # the mean of x_t, F = x^2
    energy = (sp.ones(1, 2) * P * sp.ones(2, 1))[0] + 1
    factor = 1 + 2 * P[0, 1] ** 2 / (P[1, 1] * 2 + 2 * P.det())
    bound = r**4 * energy + (1 - r**4) / (1 - r) * (L * alpha**2 / 2).subs(at) * noise * factor
    minors = [AtMost(0, sp.Matrix(gap[:k, :k]).det(), strict=True) for k in (1, 2, 3)]
    let = {
        "F": "x^2, f(x; y) = x^2 - y x",
        "mu, L": "1, 2",
        "alpha, beta": "4/5, 7/10",
        "x_0 = x_{-1}": "1",
        "rho^2": "3/5",
        "c, c_0": "1, 2/25",
        "P": "[[23, -51], [-51, 114]]/50",
        "E_T": "1/1000",
        "t": "4",
    }
    return Instance(
        AtMost(now**2, bound),
        let=let,
        meets=[*minors, AtMost(0, P[0, 0], strict=True), AtMost(0, P.det(), strict=True)],
        because="E F(x_4) >= F(E x_4); the printed sign of B makes (3.14) the inequality of another system",
    )


@claim(
    PAPER,
    "prop-3.4-corrected",
    at="Proposition 3.4, with B = [-alpha; 0] and c > 0",
    kind="inequality",
    uses=["lem-b.1", "prop-3.3", "eq-3.10-corrected", "prop-3.4-x0-corrected", "eq-3.15-factor"],
    standing="ours",
)
def matrix_inequality_with_the_right_sign_implies_the_bound():
    """If (3.14) holds with B = [-alpha; 0] and c > 0 then (3.15) holds; the noise term may have E|w_t|^2 in
    place of d E_T. One step: where the form of (3.14) is not negative at the state, E V_{P,c} after the step
    is at most rho^2 V_{P,c} + alpha^2 (P_11 + c L/2) E|w_t|^2. All steps: a sequence that does so is at most
    rho^(2t) V_0 + (1 - rho^(2t))/(1 - rho^2) times the noise.
    """
    p11, p12, p22 = sp.symbols("P_11 P_12 P_22", real=True)
    r, c, W = sp.symbols("r c W", positive=True)  # rho^2; E|w_t|^2
    c0 = sp.Symbol("c_0", nonnegative=True)
    P = sp.Matrix([[p11, p12], [p12, p22]])
    state, after, F, noise = heavy_ball_step(W)
    gap = c0 * X0 + c * X1 + c * (1 - r) * X2 - phi(P, sp.Matrix([-alpha, 0]), r)
    now, before, _ = state
    place, least = now + F.minimiser, F.minimum
    energy = quadratic_form(P, [now, before]) + c * (F(place) - least)
    moved_energy = E(quadratic_form(P, [after - F.minimiser, now]), noise) + c * (E(F(after), noise) - least)
    added = alpha**2 * (p11 + c * L / 2) * W
    fall = F.descent(place, after)
    one = (
        Theorem(
            given=[mu < L, r < 1, quadratic_form(gap, state) >= 0],
            shows=AtMost(moved_energy, r * energy + added),
        )
        .expect(AtMost(fall.lhs, fall.rhs), [noise], "the descent lemma")
        .have(AtMost(quadratic_form(X0, state), 0), "the sector of the gradient")
        .have(AtMost(quadratic_form(X2, state), least - F(place)), "strong convexity at x_t and x*")
    )
    V = sp.IndexedBase("V", nonnegative=True)
    added_ = sp.Symbol("N", positive=True)
    index = t
    recursion = ForEvery(AtMost(V[index + 1], r * V[index] + added_), index, 1, T)
    every = (
        Theorem(
            given=[r < 1, recursion],
            shows=AtMost(V[T + 1], r**T * V[1] + (1 - r**T) / (1 - r) * added_),
        )
        .unroll(V[index], r, added_, (index, 1, T), "T steps")
        .have(
            Equal(sp.Sum(r ** (T - index) * added_, (index, 1, T)), (1 - r**T) / (1 - r) * added_),
            "geometric",
        )
    )
    return AllOf(one, every)


@claim(
    PAPER,
    "prop-3.4-feasible",
    at="Eq (3.14), B = [-alpha; 0]",
    kind="inequality",
    expect=SUPPORTED,
    uses=["prop-3.4-corrected"],
    standing="ours",
)
def corrected_matrix_inequality_can_be_met():
    """The corrected (3.14) is not empty: mu = 1, L = 2, alpha = 1/4, beta = 1/5 has rho^2 = 4/5 (an exact
    certificate).
    """
    P = sp.Matrix([[203, -48], [-48, 39]]) / 10
    at = {mu: 1, L: 2, alpha: R(1, 4), beta: R(1, 5)}
    gap = (R(9, 5) * X0 + X1 + (1 - R(4, 5)) * X2 - phi(P, sp.Matrix([-alpha, 0]), R(4, 5))).subs(at)
    minors = [AtMost(0, sp.Matrix(gap[:k, :k]).det(), strict=True) for k in (1, 2, 3)]
    let = {
        "mu, L": "1, 2",
        "alpha, beta": "1/4, 1/5",
        "rho^2": "4/5",
        "c, c_0": "1, 9/5",
        "P": "[[203, -48], [-48, 39]]/10",
    }
    return Instance(AtMost(0, P.det(), strict=True), let=let, meets=minors)


@claim(
    PAPER,
    "sec5-hb-matrix",
    at="Eq (3.14) at the parameters of DP-HB in Section 5",
    kind="inequality",
    uses=["prop-3.4-corrected"],
    standing="ours",
)
def no_rate_below_one_for_dp_hb_as_run():
    """At alpha = 1/L and beta = (1 - sqrt(alpha mu))/(1 + sqrt(alpha mu)), the parameters of DP-HB for c = 1,
    and kappa = 25 (mu = 1, L = 25, beta = 2/3), no rho < 1, P >= 0, c_0 >= 0, c > 0 meet (3.14) with the sign
    of B corrected: against the positive definite Z = [[50, 48, 77], [48, 49, 116], [77, 116, 747]] its gap is
    negative. Proposition 3.4 says nothing of that run.
    """
    p11, p12, p22 = sp.symbols("P_11 P_12 P_22", real=True)
    r = sp.Symbol("r", positive=True)
    c = sp.Symbol("c", positive=True)
    c0 = sp.Symbol("c_0", nonnegative=True)
    run = {mu: 1, L: 25, alpha: sp.Rational(1, 25), beta: sp.Rational(2, 3)}
    P = sp.Matrix([[p11, p12], [p12, p22]])
    gap = (c0 * X0 + c * X1 + c * (1 - r) * X2 - phi(P, sp.Matrix([-alpha, 0]), r)).subs(run)
    Z = sp.Matrix([[50, 48, 77], [48, 49, 116], [77, 116, 747]])
    return AllOf(
        PositiveSemidefinite(Z),
        AtMost(
            sp.expand((Z * gap).trace()),
            0,
            given=[p11 >= 0, p22 >= 0, p12**2 <= p11 * p22, r < 1],
            strict=True,
        ),
    )


@claim(
    PAPER,
    "prop-3.4-x0",
    at="Proposition 3.4, X_0",
    kind="identity",
    expect=REFUTED,
    correction="prop-3.4-x0-corrected",
    breaks="misprint",
    standing="misprint",
)
def block_2_i_d_fits_the_three_by_three_inequality():
    """X_0, with 2 I_d as its last block, is of the size of the others in (3.14), which are 3 x 3. It has 2 +
    d rows.
    """
    rows = 2 + d
    return Equal(rows, X1.shape[0])


@claim(
    PAPER,
    "prop-3.4-x0-corrected",
    at="Proposition 3.4, X_0 with 2",
    kind="identity",
    uses=["def-a.1"],
    standing="ours",
)
def x0_with_2_is_the_sector_of_the_gradient():
    """With 2 in the corner, (xi, grad F)' X_0 (xi, grad F) = 2 (grad F - mu x)'(grad F - L x), x being x_t -
    x*, which is at most 0 on S_{mu,L}, in every dimension.
    """
    F = Function("F", smooth=L, strongly_convex=mu)
    place = Vector("x_t")
    before = Vector("x_before")
    now, slope = place - F.minimiser, F.gradient(place)
    stated = 2 * inner(slope - mu * now, slope - L * now)
    return AllOf(
        Equal(quadratic_form(X0, [now, before, slope]), stated),
        AtMost(stated, 0, given=[mu < L]),
    )


@claim(PAPER, "eq-3.15-factor", at="Eq (3.15)", kind="identity")
def noise_factor_is_the_ratio_of_the_noise_to_the_least_energy():
    """V_{P,c} >= (c + 2 |P|/(L P_22)) (F - F*) for P >= 0 with P_22 > 0; alpha^2 (P_11 + c L/2) over this
    constant is the noise factor (L alpha^2/2)(1 + 2 P_12^2/(P_22 c L + 2 |P|)) of (3.15). The constant is at
    least c, so that the first term of (3.15) may have 1/c.
    """
    p11, p12 = sp.symbols("P_11 P_12", real=True)
    p22, c = sp.symbols("P_22 c", positive=True)
    gap = sp.Symbol("D", nonnegative=True)  # F - F*
    det = p11 * p22 - p12**2
    least = c + 2 * det / (L * p22)
    now, before = vectors("x y")
    energy = quadratic_form(sp.Matrix([[p11, p12], [p12, p22]]), [now, before])
    stated = L * alpha**2 / 2 * (1 + 2 * p12**2 / (p22 * c * L + 2 * det))
    return AllOf(
        Theorem(given=[det >= 0, gap <= L / 2 * norm2(now)], shows=AtMost(least * gap, energy + c * gap))
        .have(AtMost(det / p22 * norm2(now), energy), "least over x_{t-1}")
        .have(AtMost(2 * det / (L * p22) * gap, det / p22 * norm2(now)), "smoothness"),
        Equal(alpha**2 * (p11 + c * L / 2) / least, stated, given=[det >= 0]),
        AtMost(c, least, given=[det >= 0]),
    )


@claim(
    PAPER,
    "sec3.1-gridsearch",
    at="after Proposition 3.4",
    kind="algorithm property",
    expect=SUPPORTED,
    uses=["prop-3.4-corrected"],
)
def grid_search_solves_the_matrix_inequality():
    """(3.14) (with the sign of B corrected) can be solved by a simple grid search over rho and the entries of
    P, and the right side of (3.15) computed from what it finds: for mu = 1, L = 2 and four choices of alpha
    and beta (c = 1, t = 10, |x_0 - x*| = 1, F(x_0) - F* = 1, d E_T = 1).
    """
    import numpy as np

    p11, p12, p22, c0 = (
        v.ravel()
        for v in np.meshgrid(
            np.linspace(1, 25, 13), np.linspace(-10, 0, 11), np.linspace(0, 10, 11), np.linspace(0, 4, 9)
        )
    )
    P = np.stack([np.stack([p11, p12], -1), np.stack([p12, p22], -1)], -2)
    fits = np.linalg.eigvalsh(P)[:, 0] >= 0

    def solved(size: float, momentum: float) -> str | None:
        at = {mu: 1.0, L: 2.0, alpha: size, beta: momentum}
        base, drop, sector = (np.array(M.subs(at), dtype=float) for M in (X1, X2, X0))
        joined = np.array(A.subs(at).row_join(sp.Matrix([-size, 0])), dtype=float)  # [A B]
        moves = np.einsum("ij,kil,lm->kjm", joined, P, joined)
        corner = np.zeros_like(moves)
        corner[:, :2, :2] = P
        for r in np.linspace(0.40, 0.99, 60):
            gap = c0[:, None, None] * sector + base + (1 - r) * drop - moves + r * corner
            ok = (np.linalg.eigvalsh(gap)[:, 0] >= 0) & fits
            if ok.any():
                k = int(np.argmax(ok))
                det = p11[k] * p22[k] - p12[k] ** 2
                extra = 2 * p12[k] ** 2 / (2 * p22[k] + 2 * det) if p12[k] else 0.0
                noise = (1 - r**10) / (1 - r) * size**2 * (1 + extra)
                bound = r**10 * (P[k].sum() + 1) + noise
                certificate = f"P = {P[k].tolist()}, c_0 = {c0[k]:g}"
                return (
                    f"alpha = {size}, beta = {momentum}: rho^2 = {r:.2f}, {certificate}, (3.15) = {bound:.3g}"
                )
        return None

    def run(effort: Effort) -> Result:
        settings = [(0.25, 0.2), (0.25, 0.1), (0.2, 0.2), (0.2, 0.1)]
        told = [solved(*setting) for setting in settings]
        if None in told:
            return Result(
                UNDECIDED, f"the grid holds no solution for alpha, beta = {settings[told.index(None)]}"
            )
        evidence = Evidence(
            "grid search",
            samples=len(p11) * 60 * len(settings),
            ceiling="one kappa, four choices of alpha and beta; the search could have found nothing",
        )
        return Result(SUPPORTED, "; ".join(filter(None, told)), evidence)

    return Tested("a grid over rho, P, c_0 holds a solution", run)
