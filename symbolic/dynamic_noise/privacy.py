"""Appendix B.1 and B.2 (Lemma B.4): composition, sensitivity, the Gaussian mechanism, from zCDP to (eps,
delta)-DP.

D_a(N(0, s^2), N(d, s^2)) = a d^2/(2 s^2)        rho-zCDP: D_a <= rho a for every a > 1
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.guarantees import ZCDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Derivation, Equal, Instance
from dpverify.releases import Gaussian
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

eps, L, rho = sp.symbols("epsilon L rho", positive=True)  # L = ln(1/delta)


@claim(
    PAPER,
    "lemma-b.1",
    at="Lemma B.1",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="lemma-b.1-corrected",
    breaks="proof",
)
def composition_at_one_order_gives_every_order():
    """If M is (rho_1, a)-zCDP and M' is (rho_2, a)-zCDP (D_a <= rho a at that a), the composition is (rho_1 +
    rho_2)-zCDP (at every order).

    The case: M is randomised response with 9/10, rho_1 = D_2/2 at a = 2, and M' ignores the data (rho_2 = 0);
    D at order 5/4. The notation (rho, a)-zCDP is not defined in the paper; read as rho-zCDP at every order,
    the lemma is lemma-b.1-corrected.
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


@claim(PAPER, "lemma-b.1-corrected", at="Lemma B.1, corrected", kind="privacy guarantee", expect=SUPPORTED)
def divergences_of_adaptive_steps_add_up():
    """If D_a(M) <= rho_1 a, and D_a(M'(., y)) <= rho_2 a for every y, at every order a > 1, then D_a of both
    is at most (rho_1 + rho_2) a.

    Over an output space of n points: exp((a-1) D_a) is sum_y w_y c_y, w_y = P(y)^a Q(y)^(1-a), c_y the same
    for M' at y, c_y = C - slack_y.
    """
    a, r1, r2, C = sp.symbols("a rho_1 rho_2 C", positive=True)
    c, w0 = sp.symbols("c w0", real=True)
    y, n = sp.Symbol("y", integer=True, positive=True), sp.Symbol("n", integer=True, positive=True)
    w, slack = sp.IndexedBase("w", positive=True), sp.IndexedBase("slack", nonnegative=True)
    both = sp.Sum(w[y] * (C - slack[y]), (y, 1, n))
    return (
        Derivation()
        .step(
            Equal(C * sp.Sum(w[y], (y, 1, n)) - both, sp.Sum(w[y] * slack[y], (y, 1, n))),
            "every c_y is C less a nonnegative slack",
        )
        .step(AtMost(0, sp.Sum(w[y] * slack[y], (y, 1, n))), "so the joint sum is at most C sum_y w_y")
        .step(
            AtMost(
                (c + w0) / (a - 1),
                (r1 + r2) * a,
                given=[a > 1, c <= (a - 1) * r2 * a, w0 <= (a - 1) * r1 * a],
            ),
            "ln(C W)/(a - 1) with c = ln C and w0 = ln W, W = sum_y w_y, at their bounds",
        )
    )


@claim(PAPER, "def-b.1", at="Definition B.1, Eq (19)", kind="identity")
def leaving_out_one_gradient_moves_the_sum_by_it():
    """(1/N) sum_{j != n} grad_j - (1/N) sum_j grad_j = -grad_n/N: the sensitivity is (1/N) max_n |grad_n|,
    for a record that contributes nothing, 1/N fixed.
    """
    g, j = sp.IndexedBase("g", real=True), sp.Symbol("j", integer=True, positive=True)
    n, N = sp.Symbol("n", integer=True, positive=True), sp.Symbol("N", integer=True, positive=True)
    total = sp.Sum(g[j], (j, 1, N))
    return Equal((total - g[n]) / N - total / N, -g[n] / N, given=[n <= N])


@claim(PAPER, "lemma-b.2", at="Lemma B.2", kind="privacy guarantee", uses=["def-3.4"])
def gaussian_mechanism_costs_one_over_two_sigma_squared():
    """f + N(0, Delta^2 sigma^2 I) is 1/(2 sigma^2)-zCDP for f of sensitivity Delta."""
    Delta, sigma = sp.symbols("Delta sigma", positive=True)
    return Private(Gaussian(Delta * sigma, {REPLACE: Delta}), ZCDP(1 / (2 * sigma**2)), REPLACE)


@claim(PAPER, "lemma-b.3", at="Lemma B.3", kind="privacy guarantee", uses=["def-3.4"], expect=SUPPORTED)
def zcdp_implies_approximate_dp():
    """rho-zCDP implies (rho + 2 sqrt(rho L), delta)-DP, L = ln(1/delta), delta in (0, 1): Markov on the
    privacy loss at order a = 1 + sqrt(L/rho).

    Z is the loss ln P/Q under P. E exp((a-1) Z) = exp((a-1) D_a), so P(Z > eps) <= exp((a-1)(rho a - eps));
    and P(S) <= e^eps Q(S) + P(Z > eps).
    """
    a = 1 + sp.sqrt(L / rho)
    epsilon = rho + 2 * sp.sqrt(rho * L)
    u = sp.Symbol("u", nonnegative=True)
    return (
        Derivation()
        .step(
            AtMost(1, sp.exp(u)), "exp((a-1)(Z - eps)) >= 1 on the event Z > eps, u = (a-1)(Z - eps): Markov"
        )
        .step(Equal((a - 1) * (rho * a - epsilon), -L), "the exponent at that order is -L = ln delta")
    )


@claim(
    PAPER,
    "inv-b.3",
    at="Below Lemma B.3",
    kind="identity",
    expect=REFUTED,
    correction="inv-b.3-corrected",
    breaks="privacy",
)
def printed_rho_solves_the_conversion():
    """rho = eps + 2 L + 2 sqrt(L (eps + L)), L = ln(1/delta), solves rho + 2 sqrt(rho L) = eps (used as
    printed it spends far too much).
    """
    stated = schedules.printed_budget(eps, L) / 2
    return Equal(stated + 2 * sp.sqrt(stated * L), eps)


@claim(PAPER, "inv-b.3-corrected", at="Below Lemma B.3, corrected", kind="identity", expect=SUPPORTED)
def smaller_root_solves_the_conversion():
    """rho = eps + 2 L - 2 sqrt(L (eps + L)) = (sqrt(eps + L) - sqrt L)^2 is the only solution of rho + 2
    sqrt(rho L) = eps.
    """
    root = sp.sqrt(eps + L) - sp.sqrt(L)
    s = sp.Symbol("s", positive=True)  # sqrt rho
    return (
        Derivation()
        .step(Equal(root**2, eps + 2 * L - 2 * sp.sqrt(L * (eps + L))), "the smaller root")
        .step(
            Equal(root**2 + 2 * root * sp.sqrt(L), eps),
            "sqrt rho = sqrt(eps + L) - sqrt L > 0 solves s^2 + 2 s sqrt L = eps",
        )
        .step(
            Equal(s**2 + 2 * s * sp.sqrt(L) + L, (s + sp.sqrt(L)) ** 2),
            "(s + sqrt L)^2 = eps + L has one positive solution",
        )
    )


@claim(PAPER, "lemma-b.4-ident", at="Lemma B.4", kind="identity", uses=["def-b.1"], expect=SUPPORTED)
def sensitivity_of_the_squared_loss():
    """Squared loss (x'theta - 1)^2/2: one record moves the averaged gradient by (1/N) sqrt(2 f(theta; x))
    |x|.
    """
    N = sp.Symbol("N", integer=True, positive=True)
    x, i, D = (
        sp.IndexedBase("x", real=True),
        sp.Symbol("i", integer=True, positive=True),
        sp.Symbol("D", integer=True, positive=True),
    )
    u = sp.Symbol("u", real=True)  # x'theta, whose derivative in theta_i is x_i
    loss = (u - 1) ** 2 / 2
    gradient2 = sp.Sum((sp.diff(loss, u) * x[i]) ** 2, (i, 1, D))
    size, norm = sp.symbols("size norm", nonnegative=True)  # |x'theta - 1|, |x|
    return (
        Derivation()
        .step(
            Equal(gradient2, 2 * loss * sp.Sum(x[i] ** 2, (i, 1, D))),
            "|grad|^2 = 2 f |x|^2: the gradient is x (x'theta - 1)",
        )
        .step(Equal(size * norm / N, sp.sqrt(2 * (size**2 / 2)) * norm / N), "its root over N")
    )


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
    """... <= (D M |theta|^2 + 1)/2 when max |x_n| = 1 and the mean of x_n is 0.

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


@claim(PAPER, "lemma-b.4-corrected", at="Lemma B.4, corrected", kind="inequality", uses=["lemma-b.4-ident"])
def sensitivity_of_the_squared_loss_is_at_most_linear():
    """The sensitivity of the squared loss is at most (|theta| + 1)/N when |x_n| <= 1."""
    N, norm, size = (
        sp.Symbol("N", integer=True, positive=True),
        sp.Symbol("norm", nonnegative=True),
        sp.Symbol("size", nonnegative=True),
    )
    dot = sp.Symbol("dot", real=True)  # x'theta
    return AtMost(
        sp.Abs(dot - 1) * norm / N, (size + 1) / N, given=[dot <= norm * size, -dot <= norm * size, norm <= 1]
    )  # Cauchy-Schwarz: |x'theta| <= |x||theta|


@claim(PAPER, "lemma-b.4-floss", at="Proof of Lemma B.4", kind="inequality", expect=SUPPORTED)
def squared_loss_is_at_most_quadratic():
    """f(theta) <= (D M |theta|^2 + 1)/2 when the mean of x_n is 0 and f is M-smooth: the mean of |x_n|^2 is
    the trace of the Hessian, at most D M.
    """
    N, n = sp.Symbol("N", integer=True, positive=True), sp.Symbol("n", integer=True, positive=True)
    d = sp.IndexedBase("d", real=True)  # x_n'theta, which averages to 0
    M, D, s2, size2, square = (
        sp.Symbol("M", positive=True),
        sp.Symbol("D", integer=True, positive=True),
        *sp.symbols("s2 size2 square", nonnegative=True),
    )
    loss = sp.Sum((d[n] - 1) ** 2 / 2, (n, 1, N)) / N
    centred = sp.Sum(d[n] ** 2, (n, 1, N)) / (2 * N) - sp.Sum(d[n], (n, 1, N)) / N + sp.Rational(1, 2)
    return (
        Derivation()
        .step(Equal(loss, centred), "expand; the middle term vanishes as the records average to 0")
        .step(
            AtMost(
                square / 2 + sp.Rational(1, 2),
                (D * M * size2 + 1) / 2,
                given=[square <= s2 * size2, s2 <= D * M],
            ),
            "the mean of (x_n'theta)^2 is at most the mean of |x_n|^2 times |theta|^2, and that "
            "mean is a trace of D eigenvalues, each <= M",
        )
    )
