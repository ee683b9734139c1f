"""Appendix A.1 (repeated runs), B.1 and B.2 (Lemma B.4): composition, sensitivity, the Gaussian mechanism,
from zCDP to (eps, delta)-DP.

D_a(N(0, s^2), N(d, s^2)) = a d^2/(2 s^2)        rho-zCDP: D_a <= rho a for every a > 1
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.guarantees import ZCDP
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import inner, norm, norm2, vectors
from dpverify.neighbours import REPLACE, ZERO_OUT
from dpverify.relations import AtMost, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

eps, L, rho, R, G, M = sp.symbols("epsilon L rho R G M", positive=True)  # L = ln(1/delta)
t, T = step(), sp.Symbol("T", integer=True, positive=True)
N, D, k, n, j = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "D", "k", "n", "j"))


@claim(
    PAPER,
    "appa-k-runs",
    at='Appendix A.1, "still of R budget"',
    kind="privacy guarantee",
    uses=["lemma-b.2"],
    standing="ours",
)
def all_of_k_runs_cost_the_whole_budget():
    """k runs of Algorithm 1 with the budget R/k each (sum_t 1/sigma_t^2 <= R/k), all published, are together
    R/2-zCDP when a record is zeroed: "the output of all repetitions is still of R budget".
    """
    sigma = sp.IndexedBase("sigma", positive=True)
    one = Repeated(Gaussian(G * sigma[t] / N, {ZERO_OUT: G / N}), t, 1, T)
    guard = sp.Le(sp.Sum(sigma[t] ** -2, (t, 1, T)), R / k)
    return Private(Repeated(one, j, 1, k), ZCDP(R / 2), ZERO_OUT, given=[guard])


@claim(
    PAPER,
    "appa-best-of-k",
    at="Appendix A.1, the repetition that is taken",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="appa-k-runs",
    standing="ours",
)
def the_best_of_k_runs_costs_no_more():
    """Publishing only the run with the least loss on the data is within the same budget, 2 R-zCDP if a record
    is replaced (four times R/2).

    The case k = 2, T = 1, f(theta; x) = x theta, theta_1 = 0, N records of which the first is G against -G,
    the others 0: each run is normal about -eta G/N against eta G/N, and the least loss is at the smaller of
    the two against the larger. With p >= 1/2 the chance that one run is negative on the first data set, what
    is published is negative with chance 1 - (1-p)^2 >= 3/4 against (1-p)^2 <= 1/4, however small R is; so D_2
    is at least ln(7/3), and 2 R-zCDP allows 4 R.
    """
    p, q, chance = sp.symbols("p q chance", positive=True)
    two_points = p**2 / q + (1 - p) ** 2 / (1 - q)
    return Instance(
        AtMost(sp.log(sp.Rational(7, 3)), 4 * R, given=[R <= sp.Rational(1, 5)]),
        let={
            "f(theta; x)": "x theta, |x| <= G",
            "k, T": "2, 1",
            "records": "(G, 0, ..., 0) against (-G, 0, ..., 0)",
            "R": "at most 1/5",
        },
        meets=[
            AtMost(
                sp.Rational(3, 4), 1 - (1 - chance) ** 2, given=[chance >= sp.Rational(1, 2), chance <= 1]
            ),
            AtMost((1 - chance) ** 2, sp.Rational(1, 4), given=[chance >= sp.Rational(1, 2), chance <= 1]),
            AtMost(
                sp.Rational(7, 3),
                two_points,
                given=[p >= sp.Rational(3, 4), p <= 1, q <= sp.Rational(1, 4)],
            ),
        ],
        because="the choice looks at the data once more; a coarser view of the output, its sign, has a "
        "divergence at most that of the output",
    )


@claim(PAPER, "lemma-b.1", at="Lemma B.1, for outputs y of finitely many values", kind="privacy guarantee")
def divergences_of_adaptive_steps_add_up():
    """If D_a(M) <= rho_1 a, and D_a(M'(., y)) <= rho_2 a for every y, at an order a > 1, then D_a of the pair
    (y, z) is at most (rho_1 + rho_2) a; z alone is post-processing of it. So (rho_1, a)- and (rho_2, a)-zCDP
    at every a make (rho_1 + rho_2)-zCDP.

    exp((a-1) D_a(M)) = sum_y w_y with w_y = P(y)^a Q(y)^(1-a); c_y is the same of M' at y, and sum_y w_y c_y
    that of both.
    """
    a, first, second = sp.symbols("a rho_1 rho_2", positive=True)
    y = sp.Symbol("y", integer=True, positive=True)
    w, c = sp.IndexedBase("w", positive=True), sp.IndexedBase("c", positive=True)
    most, weights = sp.exp((a - 1) * a * second), sp.Sum(w[y], (y, 1, n))
    return (
        Theorem(
            given=[a > 1, weights <= sp.exp((a - 1) * a * first), ForEvery(AtMost(c[y], most), y, 1, n)],
            shows=AtMost(sp.Sum(w[y] * c[y], (y, 1, n)), sp.exp((a - 1) * a * (first + second))),
        )
        .sum(AtMost(w[y] * c[y], most * w[y]), (y, 1, n), "M' at every y")
        .have(Equal(sp.Sum(most * w[y], (y, 1, n)), most * weights), "the common factor")
        .have(AtMost(most * weights, most * sp.exp((a - 1) * a * first)), "M")
        .have(Equal(most * sp.exp((a - 1) * a * first), sp.exp((a - 1) * a * (first + second))), "powers")
    )


@claim(
    PAPER,
    "lemma-b.1-one-order",
    at="Lemma B.1, read at one order",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="lemma-b.1",
    breaks="misprint",
    standing="misprint",
)
def composition_at_one_order_gives_every_order():
    """If M is (rho_1, a)-zCDP and M' is (rho_2, a)-zCDP, read as D_a <= rho a at that a alone, the
    composition is (rho_1 + rho_2)-zCDP, at every order. The notation (rho, a)-zCDP is not defined in the
    paper; read at every order, the lemma is lemma-b.1.

    The case: M is randomised response with 9/10, rho_1 = D_2/2 at a = 2, and M' ignores the data (rho_2 = 0);
    D at order 5/4.
    """
    p = sp.Rational(9, 10)

    def divergence(a):
        return sp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)

    low = sp.Rational(5, 4)
    return Instance(
        AtMost(divergence(low), low * divergence(sp.Integer(2)) / 2),
        let={"M": "randomised response, 9/10 against 1/10", "M'": "constant", "a": "2"},
        because="a bound at order 2 says nothing of the rho a wanted at order 5/4",
    )


@claim(PAPER, "def-b.1", at="Definition B.1, Eq (19)", kind="identity")
def leaving_out_one_gradient_moves_the_sum_by_it():
    """|(1/N) sum_{j != n} grad_j - (1/N) sum_j grad_j| = |grad_n|/N for every n, so that the largest of them
    is (1/N) max_n |grad_n|: the record contributes nothing, and 1/N is fixed. Both sides squared, over the
    coordinates k; r is the sum of the other gradients.
    """
    k, D = (sp.Symbol(name, integer=True, positive=True) for name in "kD")
    g, rest = (sp.IndexedBase(name, real=True) for name in "gr")
    change = sp.Sum((rest[k] / N - (rest[k] + g[k]) / N) ** 2, (k, 1, D))
    return Equal(change, sp.Sum(g[k] ** 2, (k, 1, D)) / N**2)


@claim(PAPER, "lemma-b.2", at="Lemma B.2", kind="privacy guarantee", uses=["def-3.4"])
def gaussian_mechanism_costs_one_over_two_sigma_squared():
    """f + N(0, Delta^2 sigma^2 I) is 1/(2 sigma^2)-zCDP for f of sensitivity Delta."""
    Delta, sigma = sp.symbols("Delta sigma", positive=True)
    return Private(Gaussian(Delta * sigma, {REPLACE: Delta}), ZCDP(1 / (2 * sigma**2)), REPLACE)


def _outputs():
    """Outputs of finitely many values: P = e^eps Q/(1 + u_y) on m of them, of chance p_y under P, and P =
    e^eps Q (1 + v_y) on the n others, of chance r_y.
    """
    y, m = (sp.Symbol(name, integer=True, positive=True) for name in "ym")
    p, r = (sp.IndexedBase(name, positive=True) for name in "pr")
    u, v = (sp.IndexedBase(name, nonnegative=True) for name in "uv")
    return y, m, p, r, u, v


@claim(
    PAPER,
    "lemma-b.3-tail",
    at="Lemma B.3, the tail of the loss",
    kind="inequality",
    standing="ours",
)
def tail_of_the_loss_by_markov():
    """P(P > e^eps Q) <= e^(-b eps) E_P exp(b ln P/Q) for every b > 0, for outputs of finitely many values:
    P/(e^eps Q) is 1/(1 + u_y) on m of them and 1 + v_y on n.
    """
    y, m, p, r, u, v = _outputs()
    b = sp.Symbol("b", positive=True)
    low, high = p[y] * (1 + u[y]) ** (-b), r[y] * (1 + v[y]) ** b
    above, rest = sp.Sum(r[y], (y, 1, n)), sp.Sum(low, (y, 1, m))
    return (
        Theorem(shows=AtMost(above, rest + sp.Sum(high, (y, 1, n))))
        .have(ForEvery(AtMost(1, (1 + v[y]) ** b), y, 1, n), "a power of what is at least 1")
        .sum(AtMost(r[y], high), (y, 1, n), "the power is at least 1 where P > e^eps Q")
        .have(AtMost(0, rest), "and positive elsewhere")
    )


@claim(
    PAPER,
    "lemma-b.3",
    at="Lemma B.3, for outputs of finitely many values",
    kind="privacy guarantee",
    uses=["def-3.4", "lemma-b.3-tail"],
)
def zcdp_implies_approximate_dp():
    """rho-zCDP implies (eps, delta)-DP with eps = rho + 2 sqrt(rho L), L = ln(1/delta): for every test with
    values in [0, 1], E_P - e^eps E_Q <= delta. P has the chances p_y on m outputs, where e^eps Q = p_y (1 +
    u_y), and r_y on n others, where e^eps Q = r_y/(1 + v_y); the test is phi_y and psi_y there. Of zCDP it
    takes the order 1 + b, b = sqrt(L/rho): E_P exp(b ln P/Q) <= exp(b (1 + b) rho).

    delta < 1, so that the root is defined; "for any delta > 0" says nothing beyond.
    """
    y, m, p, r, u, v = _outputs()
    phi, psi = (sp.IndexedBase(name, nonnegative=True) for name in ("phi", "psi"))
    b, spent = sp.sqrt(L / rho), rho + 2 * sp.sqrt(rho * L)
    small, large = phi[y] * p[y] * u[y], psi[y] * r[y] * v[y] / (1 + v[y])  # the test times |P - e^eps Q|
    below = sp.Sum(p[y] * (1 + u[y]) ** (-b), (y, 1, m))
    above = sp.Sum(r[y] * (1 + v[y]) ** b, (y, 1, n))
    order = sp.exp(b * (1 + b) * rho)
    return (
        Theorem(
            given=[ForEvery(AtMost(psi[y], 1), y, 1, n), sp.exp(b * spent) * (below + above) <= order],
            shows=AtMost(sp.Sum(large, (y, 1, n)) - sp.Sum(small, (y, 1, m)), sp.exp(-L)),
        )
        .sum(AtMost(large, r[y]), (y, 1, n), "elsewhere the difference is at most P")
        .use("lemma-b.3-tail", "the chance of that", b=b)
        .have(Equal(order, sp.exp(b * spent) * sp.exp(-L)), "the exponent at that order")
        .have(AtMost(below + above, sp.exp(-L)), "zCDP at the order 1 + b")
        .have(AtMost(sp.Sum(r[y], (y, 1, n)), sp.exp(-L)), "the chance is at most delta")
        .have(AtMost(sp.Sum(large, (y, 1, n)), sp.exp(-L)), "and so is the difference there")
    )


@claim(
    PAPER,
    "inv-b.3",
    at="Below Lemma B.3",
    kind="identity",
    expect=REFUTED,
    correction="inv-b.3-corrected",
    breaks="proof",
)
def printed_rho_solves_the_conversion():
    """rho = eps + 2 L + 2 sqrt(L (eps + L)), L = ln(1/delta), solves rho + 2 sqrt(rho L) = eps. (What comes
    of using it: sec4.1.3-r.)
    """
    stated = schedules.printed_budget(eps, L) / 2
    return Equal(stated + 2 * sp.sqrt(stated * L), eps)


@claim(
    PAPER,
    "inv-b.3-corrected",
    at="Below Lemma B.3, corrected",
    kind="identity",
    standing="ours",
)
def smaller_root_solves_the_conversion():
    """rho = eps + 2 L - 2 sqrt(L (eps + L)) solves rho + 2 sqrt(rho L) = eps, and every rho > 0 that solves
    it is this one.
    """
    root = sp.sqrt(eps + L) - sp.sqrt(L)
    return AllOf(
        Theorem(
            given=[sp.Eq(rho + 2 * sp.sqrt(rho * L), eps)],
            shows=Equal(rho, eps + 2 * L - 2 * sp.sqrt(L * (eps + L))),
        )
        .have(Equal((sp.sqrt(rho) + sp.sqrt(L)) ** 2, eps + L), "complete the square")
        .have(Equal(sp.sqrt(rho) + sp.sqrt(L), sp.sqrt(eps + L)), "both are positive"),
        Equal(eps + 2 * L - 2 * sp.sqrt(L * (eps + L)), root**2),
        Equal(root**2 + 2 * root * sp.sqrt(L), eps),
    )


@claim(PAPER, "lemma-b.4-ident", at="Lemma B.4", kind="identity", uses=["def-b.1"])
def sensitivity_of_the_squared_loss():
    """Squared loss f = f(theta; x) = (x'theta - 1)^2/2, whose gradient is (x'theta - 1) x: one record moves
    the averaged gradient by (1/N) sqrt(2 f) |x|, in R^D. Both sides squared.
    """
    x, theta = vectors("x theta")
    residual, loss = inner(x, theta) - 1, sp.Symbol("f", nonnegative=True)
    given = [sp.Eq(loss, residual**2 / 2)]
    return Equal(norm2(residual * x) / N**2, 2 * loss * norm2(x) / N**2, given=given)


@claim(
    PAPER,
    "lemma-b.4-ineq",
    at="Lemma B.4",
    kind="inequality",
    expect=REFUTED,
    correction="lemma-b.4-corrected",
    breaks="theorem",
)
def sensitivity_of_the_squared_loss_is_at_most_a_quadratic():
    """The gradient sensitivity of the squared loss, max_i sqrt(2 f(theta; x_i)) |x_i|/N, is at most (D M
    |theta|^2 + 1)/2 when max |x_n| = 1 and the mean of x_n is 0.

    The case N = 2, D = 1, x = (1, -1): f(theta) = (theta^2 + 1)/2, so M = 1; the record -1 moves the gradient
    by (theta + 1)/2.
    """
    theta = sp.Symbol("theta", positive=True)
    records = (sp.Integer(1), sp.Integer(-1))
    loss = sum((x * theta - 1) ** 2 / 2 for x in records) / 2
    curvature = sp.diff(loss, theta, 2)
    moved = sp.Max(*[sp.Abs(x * (x * theta - 1)) / 2 for x in records])
    return Instance(
        AtMost(moved, (curvature * theta**2 + 1) / 2),
        let={"N": "2", "D": "1", "x": "(1, -1)", "M": "1"},
        meets=[Equal(sum(records), 0), Equal(curvature, 1)],
        because="the bound is on the loss f, not on the gradient of one record",
    )


@claim(
    PAPER,
    "lemma-b.4-corrected",
    at="Lemma B.4, corrected",
    kind="inequality",
    uses=["lemma-b.4-ident"],
    standing="ours",
)
def sensitivity_of_the_squared_loss_is_at_most_linear():
    """A record with |x| <= 1 moves the averaged gradient of the squared loss by |(x'theta - 1) x|/N <=
    (|theta| + 1)/N.
    """
    x, theta = vectors("x theta")
    return AtMost(norm((inner(x, theta) - 1) * x) / N, (norm(theta) + 1) / N, given=[norm(x) <= 1])


@claim(PAPER, "lemma-b.4-floss", at="Proof of Lemma B.4", kind="inequality")
def squared_loss_is_at_most_quadratic():
    """f(theta) = (1/2N) sum_n (x_n'theta - 1)^2 <= (1/2N) sum_n (|x_n|^2 |theta|^2 + 1) when the x_n average
    to 0; and this is at most (D M |theta|^2 + 1)/2 when f is M-smooth.

    d_n = x_n'theta, x2_n = |x_n|^2 and t2 = |theta|^2, so d_n^2 <= x2_n t2; h_j = (1/N) sum_n (x_n'e_j)^2,
    the curvature of f along the axis j, is at most M, and these add up to the mean of |x_n|^2.
    """
    d, x2 = sp.IndexedBase("d", real=True), sp.IndexedBase("x2", nonnegative=True)
    h, t2 = sp.IndexedBase("h", nonnegative=True), sp.Symbol("t2", nonnegative=True)
    mixed, axes = sp.Sum(d[n], (n, 1, N)), sp.Sum(h[j], (j, 1, D))
    loss, middle = sp.Sum((d[n] - 1) ** 2, (n, 1, N)), sp.Sum(x2[n] * t2 + 1, (n, 1, N))
    expand = AtMost((d[n] - 1) ** 2, x2[n] * t2 + 1 - 2 * d[n])
    return AllOf(
        Theorem(
            given=[ForEvery(AtMost(d[n] ** 2, x2[n] * t2), n, 1, N), sp.Eq(mixed, 0)],
            shows=AtMost(loss / (2 * N), middle / (2 * N)),
        )
        .sum(expand, (n, 1, N), "Cauchy-Schwarz")
        .have(Equal(sp.Sum(expand.rhs, (n, 1, N)), middle - 2 * mixed), "the middle term vanishes"),
        Theorem(
            given=[ForEvery(AtMost(h[j], M), j, 1, D)],
            shows=AtMost((t2 * axes + 1) / 2, (D * M * t2 + 1) / 2),
        ).sum(AtMost(h[j], M), (j, 1, D), "smoothness along each axis"),
    )
