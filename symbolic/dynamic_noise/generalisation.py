"""Appendix A: from the empirical to the true excess risk (TER), as printed.

TER(theta) = E_x f(theta; x) - min E_x f(.; x)        EER = E f(theta) - f*, f the average over the N records
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO, Derivation, Equal, Induction, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.verdicts import REFUTED, SUPPORTED

T = sp.Symbol("T", integer=True, positive=True)
N, n = sp.Symbol("N", integer=True, positive=True), sp.Symbol("n", integer=True, positive=True)
R, M, mu, G, D, p, eta, gap = sp.symbols("R M mu G D p eta gap", positive=True)
eps, L = sp.symbols("epsilon L", positive=True)


@claim(
    PAPER,
    "appa-red-lt-r",
    at="Appendix A",
    kind="inequality",
    uses=["sec4.1.3-r", "sec4.1.3-r-corrected"],
    expect=REFUTED,
    correction="sec4.1.3-rzcdp-gt-rma-corrected",
    breaks="theorem",
)
def budget_of_the_moments_accountant_is_smaller():
    """R_ed = eps^2/ln(1/delta) < R when eps <= 2 ln(1/delta), R = 2 rho with rho + 2 sqrt(rho L) = eps."""
    return AtMost(
        eps**2 / L, 2 * eps**2 / (sp.sqrt(eps + L) + sp.sqrt(L)) ** 2, given=[eps <= 2 * L], strict=True
    )


@claim(
    PAPER,
    "appa-nonpriv-optimal",
    at="Appendix A, GD, Non-Private",
    kind="optimality",
    uses=["tab1-gd-nonpriv"],
    expect=REFUTED,
    correction="appa-nonpriv-not-a-limit",
    breaks="theorem",
)
def nonprivate_row_is_a_lower_bound():
    """ "With the bound, we can see that our utility bounds are optimal": the non-private bound gamma^T is
    never below the alpha of its row, whatever T.
    """
    gamma, alpha = sp.symbols("gamma alpha", positive=True)
    return AtMost(alpha, gamma**T, given=[gamma < 1, alpha < 1])


@claim(
    PAPER,
    "appa-nonpriv-not-a-limit",
    at="Appendix A, GD, Non-Private, corrected",
    kind="optimality",
    uses=["tab1-gd-nonpriv"],
    expect=SUPPORTED,
)
def twice_the_steps_square_the_nonprivate_bound():
    """The row is the bound at one T that was chosen to give it: with twice as many steps it is alpha^2 <
    alpha, so it limits nothing.
    """
    alpha, l = sp.symbols("alpha l", positive=True)
    steps = sp.log(1 / alpha) / l
    return (
        Derivation()
        .step(Equal(sp.exp(-l * 2 * steps), alpha**2), "gamma^(2T) = alpha^2")
        .step(AtMost(alpha**2, alpha, given=[alpha < 1], strict=True), "alpha < 1")
    )


@claim(
    PAPER,
    "thm-a.1",
    at="Theorem A.1, Eq (16)",
    kind="inequality",
    expect=REFUTED,
    correction="thm-a.1-corrected",
    breaks="theorem",
)
def true_risk_from_empirical_risk_as_printed():
    """With probability 1 - p: TER(theta) <= sqrt(2 G^2/(mu N)) sqrt(f(theta) - f*) + 4 G^2/(p mu N), for
    every theta.

    The case f(theta; x) = mu theta^2/2 on |theta| <= G/mu, whatever x is (G-Lipschitz, mu-strongly convex):
    TER = f - f* = G^2/(2 mu) at theta = G/mu. The theorem that is restated has sqrt(2 G^2/mu), without N.
    """
    theta = sp.Symbol("theta", positive=True)
    loss = mu * theta**2 / 2
    risk = loss.subs(theta, G / mu)
    return Instance(
        AtMost(risk, sp.sqrt(2 * G**2 / (mu * N)) * sp.sqrt(risk) + 4 * G**2 / (p * mu * N), given=[p < 1]),
        let={"f(theta; x)": "mu theta^2/2 on |theta| <= G/mu", "theta": "G/mu"},
        meets=[AtMost(sp.diff(loss, theta), G, given=[theta <= G / mu]), Equal(sp.diff(loss, theta, 2), mu)],
        because="the loss does not depend on the data, so the inequality would have to hold with "
        "probability 1",
    )


@claim(PAPER, "thm-a.1-corrected", at="Theorem A.1, corrected", kind="inequality", expect=SUPPORTED)
def true_risk_from_empirical_risk():
    """With probability 1 - p: TER(theta) <= sqrt(2 G^2/mu) sqrt(f(theta) - f*) + 2 G^2/(p mu N) (so with 4 as
    well), f(.; x) convex, f mu-strongly convex.

    e is f(theta) - f*, d the distance of theta from the empirical minimiser; h that of the minimisers of two
    data sets that differ in one record.
    """
    e, d, h, x = sp.symbols("e d h x", positive=True)
    return (
        Derivation()
        .step(
            AtMost(G * d, sp.sqrt(2 * G**2 / mu) * sp.sqrt(e), given=[e >= mu * d**2 / 2]),
            "TER(theta) - TER(minimiser) <= G d, and f - f* >= mu d^2/2",
        )
        .step(
            AtMost(h, 2 * G / (mu * N), given=[mu * h**2 <= 2 * G * h / N]),
            "strong convexity of both averages: mu h^2 <= 2 G h/N",
        )
        .step(
            AtMost(G * h, 2 * G**2 / (mu * N), given=[h <= 2 * G / (mu * N)]),
            "the minimiser is 2 G^2/(mu N)-stable, so its expected TER is at most that",
        )
        .step(AtMost(x / (x / p), p), "Markov: TER, not negative, exceeds E TER/p with probability at most p")
    )


@claim(
    PAPER,
    "appa-markov",
    at="Appendix A.1",
    kind="inequality",
    expect=REFUTED,
    correction="appa-markov-corrected",
    breaks="proof",
)
def some_repetition_is_as_good_as_the_mean():
    """With k = log2(1/p) runs, some run has excess risk <= F (its mean) with probability at least 1 - 2^-k =
    1 - p, "by Markov's inequality".

    The case: the excess of a run is 0 with probability w and F/(1-w) otherwise, of mean F; a run is as good
    as F only if it is 0.
    """
    k, w = sp.Symbol("k", integer=True, positive=True), sp.Symbol("w", positive=True)
    return Instance(
        AtMost(1 - sp.Integer(2) ** (-k), 1 - (1 - w) ** k, given=[w < 1]),
        let={"excess of a run": "0 with probability w, else F/(1-w)"},
        because="Markov bounds the chance of exceeding 2 F by 1/2; that of exceeding F can be anything "
        "below 1",
    )


@claim(PAPER, "appa-markov-corrected", at="Appendix A.1, corrected", kind="inequality", expect=SUPPORTED)
def some_repetition_is_within_twice_the_mean():
    """Some of k = log2(1/p) independent runs has excess <= 2 F(R/k) with probability at least 1 - p. (Which
    one it is has to be found privately as well.)
    """
    F, chance = sp.Symbol("F", positive=True), sp.Symbol("x", nonnegative=True)
    return (
        Derivation()
        .step(
            AtMost(chance, sp.Rational(1, 2), given=[chance * 2 * F <= F]), "Markov: P(excess > 2 F) 2 F <= F"
        )
        .step(
            Equal(sp.exp(-sp.log(2) * (sp.log(1 / p) / sp.log(2))), p),
            "all k runs exceed it with probability at most 2^-k = p",
        )
    )


def _ter(noise, root):
    """The first term of Eq (16) at an empirical excess `noise`, `root` being the factor under the first
    root.
    """
    return sp.sqrt(root) * sp.sqrt(noise)


@claim(
    PAPER,
    "eq-17-18",
    at="Eqs (17), (18), Table 3 first block",
    kind="asymptotic",
    uses=["thm-a.1", "appa-markov", "eq-9-corrected", "sec4.1.3-dyn-oalpha"],
)
def true_risk_of_the_schedules_as_printed():
    """TER <= O~((G^2/(mu N)) (sqrt(D ln N ln(1/p)/(N R)) + 4/p)), and without ln N: Eq (16) as printed at f -
    f* = C D G^2 B/(M N^2 R), B = ln(1/p) (ln N).
    """
    B, C = sp.symbols("B C", positive=True)
    first = _ter(C * D * G**2 * B / (M * N**2 * R), 2 * G**2 / (mu * N))
    return AtMost(first, sp.sqrt(2 * C) * G**2 / (mu * N) * sp.sqrt(D * B / (N * R)), given=[mu <= M])


@claim(
    PAPER,
    "eq-17-18-corrected",
    at="Eqs (17), (18), corrected",
    kind="asymptotic",
    uses=["thm-a.1-corrected", "appa-markov-corrected", "eq-9-corrected", "sec4.1.3-dyn-oalpha"],
)
def true_risk_of_the_schedules():
    """With Theorem A.1 corrected: TER <= O~((G^2/(mu N)) (sqrt(D ln N ln(1/p)/R) + 4/p)), and without ln N: a
    factor sqrt N more in the first term.
    """
    B, C = sp.symbols("B C", positive=True)
    first = _ter(C * D * G**2 * B / (M * N**2 * R), 2 * G**2 / mu)
    return AtMost(first, sp.sqrt(2 * C) * G**2 / (mu * N) * sp.sqrt(D * B / R), given=[mu <= M])


@claim(PAPER, "def-a.1", at="Definition A.1", kind="definition")
def stability_is_symmetric():
    """s-uniform stability, E[f(M(d); x) - f(M(d'); x)] <= s for all neighbours and x: as neighbours are a
    symmetric relation it bounds the absolute value.
    """
    u, s = sp.Symbol("u", real=True), sp.Symbol("s", positive=True)
    return AtMost(sp.Abs(u), s, given=[u <= s, -u <= s])


@claim(PAPER, "thm-a.2", at="Theorem A.2", kind="inequality", uses=["def-a.1"], expect=SUPPORTED)
def stable_algorithms_generalise():
    """E[true loss - empirical loss] <= s for an s-uniformly stable algorithm (neighbours by replacement).

    h_zw is the expected loss at record w of the model trained with z in place i, the other records averaged
    out. Two independent records z and w of the same law come as often in either order, and over the two
    orders the gap is (h_zw - h_zz) + (h_wz - h_ww). Over n pairs of weights `weight`:
    """
    zw, wz, zz, ww = sp.symbols("h_zw h_wz h_zz h_ww", real=True)
    weight, slack, k = (
        sp.IndexedBase("weight", positive=True),
        sp.IndexedBase("slack", nonnegative=True),
        sp.Symbol("k", integer=True, positive=True),
    )
    s = sp.Symbol("s", positive=True)
    gap = (zw - zz) + (wz - ww)
    below = sp.Sum(weight[k] * (s - slack[k]), (k, 1, n))
    return (
        Derivation()
        .step(
            Equal(gap, (zw - ww) + (wz - zz)),
            "the two orders together compare two models at the same record, twice",
        )
        .step(
            AtMost(gap / 2, s, given=[zw - ww <= s, wz - zz <= s]),
            "each by stability, the models being trained on neighbours",
        )
        .step(
            Equal(s * sp.Sum(weight[k], (k, 1, n)) - below, sp.Sum(weight[k] * slack[k], (k, 1, n))),
            "over all pairs: half the gap of each is s less a nonnegative slack",
        )
        .step(
            AtMost(0, sp.Sum(weight[k] * slack[k], (k, 1, n))),
            "so the mean gap is at most s; the average over the places i is too",
        )
    )


@claim(
    PAPER,
    "thm-a.3",
    at="Theorem A.3",
    kind="inequality",
    expect=REFUTED,
    correction="thm-a.3-corrected",
    breaks="theorem",
)
def gradient_descent_is_stable_as_printed():
    """PGD with eta < 2/M is s-uniformly stable with s = G^2 T eta/N, for M-smooth, G-Lipschitz losses and
    neighbours that differ in one sample.

    The case f(theta; x) = x theta, |x| <= G (convex, smooth for every M): x_1 = G replaced by -G moves
    theta_{T+1} by 2 G T eta/N; the loss is at x = -G.
    """
    x, y = G, -G
    moved = -eta * T * (x - y) / N  # theta_{T+1} on d less that on d', the noise being the same
    return Instance(
        AtMost(sp.Abs(y * moved), G**2 * T * eta / N),
        let={"f(theta; x)": "x theta, |x| <= G", "records": "x_1 = G against x_1 = -G"},
        because="the gradients are x whatever theta is, so that theta_{T+1} = theta_1 - eta T mean(x) + "
        "noise",
    )


@claim(PAPER, "thm-a.3-corrected", at="Theorem A.3, corrected", kind="inequality", expect=SUPPORTED)
def gradient_descent_is_stable():
    """For convex M-smooth G-Lipschitz losses and eta <= 2/M, PGD is s-uniformly stable with s = 2 G^2 T eta/N
    under replacement.

    The step is the average of theta - eta grad f(theta; x_i); each is nonexpansive for convex smooth f, and
    the replaced one adds at most 2 eta G.
    """
    d, dot, g2, x = (
        sp.Symbol("d", nonnegative=True),
        sp.Symbol("dot", nonnegative=True),
        sp.Symbol("g2", nonnegative=True),
        sp.Symbol("x", real=True),
    )
    return (
        Derivation()
        .step(
            AtMost(d**2 - 2 * eta * dot + eta**2 * g2, d**2, given=[M * dot >= g2, eta * M <= 2]),
            "a gradient step on a convex M-smooth loss is nonexpansive: dot = (grad - "
            "grad')'(theta - theta') >= |grad - grad'|^2/M",
        )
        .step(
            Equal(((N - 1) * d + d + 2 * eta * G) / N, d + 2 * eta * G / N),
            "N - 1 nonexpansive maps and one that adds 2 eta G",
        )
        .step(
            Induction(
                AtMost(x, 2 * eta * G * T / N),
                value=x,
                over=T,
                start=1,
                first=2 * eta * G / N,
                next=x + 2 * eta * G / N,
            ),
            "T steps from the same start",
        )
        .step(
            AtMost(G * d, 2 * G**2 * T * eta / N, given=[d <= 2 * eta * G * T / N]),
            "the loss moves by at most G times that",
        )
    )


@claim(PAPER, "appa-ter-eer", at="Appendix A.1", kind="inequality", uses=["thm-a.2", "thm-a.3"])
def true_risk_is_empirical_risk_plus_stability():
    """TER <= EER + G^2 eta T/N, from Theorems A.2 and A.3 as printed."""
    return _sum_of_risks(G**2 * eta * T / N)


@claim(
    PAPER,
    "appa-ter-eer-corrected",
    at="Appendix A.1, corrected",
    kind="inequality",
    uses=["thm-a.2", "thm-a.3-corrected"],
)
def true_risk_is_empirical_risk_plus_twice_the_stability():
    """TER <= EER + 2 G^2 eta T/N for convex losses, from Theorem A.3 corrected."""
    return _sum_of_risks(2 * G**2 * eta * T / N)


def _sum_of_risks(s):
    true, empirical, least, best, eer = sp.symbols("true empirical least best eer", real=True)
    given = [true - empirical <= s, empirical - least <= eer, least <= best]
    return AtMost(
        true - best, eer + s, given=given
    )  # E of the least empirical loss is at most the least true loss


@claim(PAPER, "appa-getat", at="Appendix A.1", kind="asymptotic", uses=["tab1-t-eq-oln"], expect=SUPPORTED)
def stability_term_is_bounded():
    """G^2 eta T/N <= C (G^2/(M N)) ln(N^2 R/D) <= 2 C G^2/M, with T <= C ln(N^2 R/D), eta = 1/M, and R <= D
    (which the paper does not state).
    """
    C, k, x = sp.symbols("C k N", positive=True)
    return (
        Derivation()
        .step(
            AtMost(G**2 * k / (M * N), C * G**2 / (M * N) * L, given=[k <= C * L]), "T = k, L = ln(N^2 R/D)"
        )
        .step(AtMost(x**2 * R / D, x**2, given=[R <= D]), "ln(N^2 R/D) <= 2 ln N if R <= D")
        .step(AtMost(2 * sp.log(x), 2 * x), "ln N <= N")
    )


@claim(
    PAPER,
    "appa-ter-le-eer",
    at="Appendix A.1",
    kind="inequality",
    expect=REFUTED,
    correction="appa-ter-eer-corrected",
    breaks="theorem",
)
def true_risk_is_at_most_empirical_risk():
    """After "dropping the additive term", TER <= EER.

    The case f(theta; x) = (theta - x)^2/2, x = +1 or -1 evenly, N records, eta = 1, T = 1 from theta_1 = 0:
    theta_2 is the mean of the records plus noise.
    """
    return Instance(
        AtMost(_mean_estimation()[0], _mean_estimation()[1]),
        let={"f(theta; x)": "(theta - x)^2/2", "x": "+1 or -1, evenly", "T": "1", "theta_1": "0"},
        because="the true excess is E theta_2^2/2, the empirical one E(theta_2 - mean)^2/2; the "
        "gradients at the start have norm 1 = G",
    )


def _mean_estimation():
    """TER and EER of one full step on (theta - x)^2/2 with noise of variance v = sigma^2/N^2, sigma^2 = 1/R:
    the mean has variance 1/N.
    """
    v = 1 / (R * N**2)
    return (1 / N + v) / 2, v / 2


@claim(
    PAPER,
    "tab3-second-block",
    at="Table 3, last five rows",
    kind="asymptotic",
    uses=["appa-ter-le-eer"],
    expect=REFUTED,
    correction="appa-ter-eer-corrected",
    breaks="theorem",
)
def true_risk_is_of_the_order_of_the_empirical_rate():
    """TER = O(D/(N^2 R)): the case of appa-ter-le-eer with R = 1, D = 1 (dynamic and static schedules agree
    at T = 1): TER is at least 1/(2N).
    """
    return BigO(_mean_estimation()[0].subs(R, 1), 1 / N**2)


@claim(
    PAPER,
    "appa-t-efficiency",
    at="Appendix A, Discussion",
    kind="asymptotic",
    uses=["tab1-t-eq-oln"],
    expect=SUPPORTED,
)
def number_of_steps_falls_to_a_logarithm():
    """T falls from N or N^2 to O(ln N), R <= D: ln(N^2 R/D)/N <= 4/sqrt(N), which tends to 0. (That the true
    risk is the same is another claim.)
    """
    x = sp.Symbol("N", positive=True)
    return (
        Derivation()
        .step(AtMost(x**2 * R / D, x**2, given=[R <= D]), "ln(N^2 R/D) <= 2 ln N")
        .step(AtMost(2 * sp.log(x) / x, 4 / sp.sqrt(x)), "ln N <= 2 sqrt N")
        .step(Equal(sp.limit(4 / sp.sqrt(x), x, sp.oo), 0), "the ratio tends to 0")
    )
