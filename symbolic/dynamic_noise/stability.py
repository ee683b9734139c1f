"""Appendix A.1: uniform stability, Definition A.1, Theorems A.2 and A.3, and what TER adds to the bounds.

TER <= EER + s for an s-uniformly stable algorithm,   s = 2 G^2 eta T/N for T steps on N records
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.generalisation import DataSets, G, M, N, R, T, eta, t
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED


@claim(PAPER, "def-a.1", at="Definition A.1", kind="definition")
def stability_is_symmetric():
    """s-uniform stability, E[f(M(d); x) - f(M(d'); x)] <= s for all neighbours and x: as neighbours are a
    symmetric relation it bounds the absolute value.
    """
    u, s = sp.Symbol("u", real=True), sp.Symbol("s", positive=True)
    return AtMost(sp.Abs(u), s, given=[u <= s, -u <= s])


@claim(PAPER, "thm-a.2", at="Theorem A.2, data of finitely many values", kind="inequality", uses=["def-a.1"])
def stable_algorithms_generalise():
    """E[true loss - empirical loss] <= s for an s-uniformly stable algorithm (neighbours by replacement).

    P_x is the chance of the record x, and A_{i,x,z} the expected loss at the record z of the model whose data
    have x in place i, over the other N - 1 records and the randomness of the algorithm. The data of A_{i,x,z}
    and A_{i,z,z} are neighbours: A_{i,x,z} - A_{i,z,z} <= s. So, in this order: at every z the mean over x of
    A_{i,x,z} exceeds A_{i,z,z} by at most s; so does the true loss, sum_x sum_z P_x P_z A_{i,x,z}, the loss
    at place i, sum_z P_z A_{i,z,z}; and the true loss the empirical one, the mean over the places.
    """
    i, w = (sp.Symbol(name, integer=True, positive=True) for name in "iW")
    x, z = (sp.Symbol(name, integer=True, positive=True) for name in "xz")
    P, A = sp.IndexedBase("P", nonnegative=True), sp.IndexedBase("A", real=True)
    s = sp.Symbol("s", positive=True)
    one = sp.Eq(sp.Sum(P[x], (x, 1, w)), 1)
    drawn, own = sp.Sum(P[x] * A[i, x, z], (x, 1, w)), A[i, z, z]
    true, place = sp.Sum(P[z] * drawn, (z, 1, w)), sp.Sum(P[z] * own, (z, 1, w))
    everywhere = sp.Eq(sp.Sum(P[z], (z, 1, w)), 1)
    return AllOf(
        Theorem(given=[one, ForEvery(AtMost(A[i, x, z] - own, s), x, 1, w)], shows=AtMost(drawn - own, s))
        .sum(AtMost(P[x] * (A[i, x, z] - own), P[x] * s), (x, 1, w), "stability")
        .have(
            Equal(sp.Sum(P[x] * (A[i, x, z] - own), (x, 1, w)), drawn - own * sp.Sum(P[x], (x, 1, w))),
            "the loss at z comes out",
        )
        .have(Equal(sp.Sum(P[x] * s, (x, 1, w)), s * sp.Sum(P[x], (x, 1, w))), "s comes out"),
        Theorem(given=[everywhere, ForEvery(AtMost(drawn - own, s), z, 1, w)], shows=AtMost(true - place, s))
        .sum(AtMost(P[z] * (drawn - own), P[z] * s), (z, 1, w), "the mean over z")
        .have(Equal(sp.Sum(P[z] * (drawn - own), (z, 1, w)), true - place), "two sums")
        .have(Equal(sp.Sum(P[z] * s, (z, 1, w)), s * sp.Sum(P[z], (z, 1, w))), "s comes out"),
        Theorem(
            given=[ForEvery(AtMost(true - place, s), i, 1, N)],
            shows=AtMost(sp.Sum(true, (i, 1, N)) / N - sp.Sum(place, (i, 1, N)) / N, s),
        )
        .sum(AtMost(true - place, s), (i, 1, N), "every place")
        .have(
            Equal(sp.Sum(true - place, (i, 1, N)), sp.Sum(true, (i, 1, N)) - sp.Sum(place, (i, 1, N))),
            "two sums",
        ),
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


@claim(PAPER, "thm-a.3-step", at="Theorem A.3, one step", kind="inequality", standing="ours")
def a_step_moves_two_runs_apart_by_little():
    """For a convex M-smooth h, b <= 2/M, and any z and |g|, |k| <= G: |theta - phi - b (grad h(theta) - grad
    h(phi))| <= |theta - phi|, and |z - (eta/N)(g - k)| <= |z| + 2 eta G/N.

    With h the mean of the losses that two data sets share, b = eta (N-1)/N, and g, k the gradients of the
    replaced record, these are one step of PGD from theta and phi, the noise being the same.
    """
    h = Function("h", smooth=M, convex=True)
    theta, phi, z, g, other = (Vector(name) for name in ("theta", "phi", "z", "g", "k"))
    b = sp.Symbol("b", nonnegative=True)
    shared = theta - phi - b * (h.gradient(theta) - h.gradient(phi))
    return AllOf(
        AtMost(norm(shared), norm(theta - phi), given=[b * M <= 2]),
        AtMost(
            norm(z - eta / N * (g - other)), norm(z) + 2 * eta * G / N, given=[norm(g) <= G, norm(other) <= G]
        ),
    )


@claim(
    PAPER,
    "thm-a.3-corrected",
    at="Theorem A.3, corrected, T steps of thm-a.3-step",
    kind="inequality",
    uses=["thm-a.3-step"],
    standing="ours",
)
def gradient_descent_is_stable():
    """For convex M-smooth G-Lipschitz losses and eta <= 2/M, PGD is s-uniformly stable with s = 2 G^2 T eta/N
    under replacement: the distances d_t of the runs on two neighbours, with the same noise and the same
    start, have d_{t+1} <= d_t + 2 eta G/N at each step, which the two halves of thm-a.3-step say together;
    then a G-Lipschitz loss differs by at most G d_{T+1} <= 2 G^2 T eta/N.
    """
    d = sp.IndexedBase("d", nonnegative=True)
    apart = ForEvery(AtMost(d[t + 1], d[t] + 2 * eta * G / N), t, 1, T)
    return Theorem(given=[apart, sp.Eq(d[1], 0)], shows=AtMost(G * d[T + 1], 2 * G**2 * T * eta / N)).unroll(
        d[t], 1, 2 * eta * G / N, (t, 1, T), "T steps"
    )


@claim(
    PAPER,
    "appa-ter-eer",
    at="Appendix A.1, below Theorem A.3",
    kind="inequality",
    uses=["thm-a.2", "thm-a.3"],
    expect=REFUTED,
    correction="appa-ter-eer-corrected",
    breaks="text",
)
def true_risk_is_empirical_risk_plus_stability():
    """TER <= EER + G^2 eta T/N in the mean over data sets, for M-smooth G-Lipschitz losses and eta < 2/M, as
    Theorems A.2 and A.3 have it.

    The case N = T = 1 with nine equally likely records. The vertices p_x of a regular simplex in R^8 have
    |p_x| = eta g, so that two of them are (3/2) eta g apart. With r = |theta - p_x| let phi(r) =
    3 r^2/(4 eta) up to r = (2/3) eta g and g r - eta g^2/3 beyond, w = 3 eta G^2, s(u) = 0 for u <= 0,
    u^2/(2w) up to u = w and u - w/2 beyond, and f(theta, y; x) = s(phi(r) - (g/10) y + 4 eta G^2). It is
    convex, G-Lipschitz with G^2 = (101/100) g^2, and M-smooth with M = 3/(2 eta) + G^2/w = 11/(6 eta). From
    theta = 0, y = 0 a step leads to p_x and y = eta g/10, and noise. All nine losses are 0, their least
    value, at theta = 0 and one large y: so TER - EER is the mean of f(theta_2; z) - f(theta_2; x) over two
    records, and z differs from x in 8 of 9 cases. There it is phi((3/2) eta g) - phi(0) = (7/6) eta g^2
    without noise; noise does not lower the first term, which is convex, and raises the second by at most
    (M/2) E|noise|^2 <= 9 eta G^2/R (9 coordinates, M <= 2/eta). R = 1000.

    A.1 opens with strongly convex functions; Theorem A.3 asks for no more than convex, and no G-Lipschitz f
    is strongly convex on all of R^D.
    """
    slope2, R_ = sp.Rational(100, 101) * G**2, 1000  # g^2
    gap = sp.Rational(8, 9) * (sp.Rational(7, 6) * slope2 - 9 * G**2 / R_) * eta
    edge2 = 2 * (1 + sp.Rational(1, 8))  # of the simplex, in units of (eta g)^2
    far, flat = sp.Rational(3, 2), sp.Rational(1, 3)
    return Instance(
        AtMost(gap, G**2 * eta * 1 / 1),
        let={"N, T, R": "1, 1, 1000", "records": "9, equally likely", "M": "11/(6 eta)"},
        meets=[
            Equal(edge2, far**2),
            Equal(far - flat, sp.Rational(7, 6)),
            AtMost(sp.Rational(3, 2) + flat, 2, strict=True),
        ],
        because="a model fits its own record better than another one by more than G^2 eta T/N, and all "
        "records share a minimiser",
    )


@claim(
    PAPER,
    "appa-ter-eer-given",
    at="Appendix A.1, below Theorem A.3, given Theorems A.2 and A.3",
    kind="inequality",
    uses=["thm-a.2", "thm-a.3", "thm-a.1-mean"],
    standing="ours",
)
def true_risk_is_empirical_risk_plus_stability_if_theorem_a_3_holds():
    """TER <= EER + G^2 eta T/N follows from Theorems A.2 and A.3 as printed: if the mean over data sets j, of
    chance w_j, of the true loss F_j exceeds that of the empirical loss f_j by at most G^2 eta T/N, which is
    what Theorem A.2 says of an algorithm as stable as Theorem A.3 says, then the mean of F_j - min_F is at
    most that of f_j - m_j plus G^2 eta T/N; m_j is the least empirical loss, and b_j that of a model of least
    true loss min_F. (Theorem A.3 is refuted, and so is this inequality: appa-ter-eer.)
    """
    return _sum_of_risks(G**2 * eta * T / N)


@claim(
    PAPER,
    "appa-ter-eer-corrected",
    at="Appendix A.1, corrected, given Theorem A.2 and thm-a.3-corrected",
    kind="inequality",
    uses=["thm-a.2", "thm-a.3-corrected", "thm-a.1-mean"],
    standing="ours",
)
def true_risk_is_empirical_risk_plus_twice_the_stability():
    """TER <= EER + 2 G^2 eta T/N for convex losses, as in appa-ter-eer-given with what Theorem A.2 says of an
    algorithm that is as stable as Theorem A.3 corrected says.
    """
    return _sum_of_risks(2 * G**2 * eta * T / N)


def _sum_of_risks(s):
    """TER <= EER + s over data sets, from a mean difference of true and empirical loss of at most s."""
    sets = DataSets()
    F, f, m, b = (sets.sequence(name) for name in ("F", "f", "m", "b"))
    return Theorem(
        given=[*[sets.chances(), sets.every(m, b), sp.Eq(sets.mean(b), sets.best)], sets.mean(F - f) <= s],
        shows=AtMost(sets.mean(F - sets.best), sets.mean(f - m) + s),
    ).use("thm-a.1-mean", "the least empirical loss is below the least true loss in the mean", s=s)


def _log():
    """ln(N^2 R/D), D a whole dimension."""
    return sp.log(N**2 * R / sp.Symbol("D", integer=True, positive=True))


@claim(PAPER, "appa-log", at="Appendix A.1, ln N <= N", kind="inequality", standing="ours")
def logarithm_of_the_records_is_below_their_number():
    """For whole N and D: ln(N^2 R/D) <= (2 + ln(1 + R)) N."""
    more = sp.log(1 + R)
    return (
        Theorem(shows=AtMost(_log(), (2 + more) * N))
        .have(AtMost(0, more), "1 + R >= 1")
        .have(AtMost(sp.log(N), N), "ln N <= N")
        .have(AtMost(_log(), 2 * sp.log(N) + more), "D >= 1")
        .have(AtMost(more, N * more), "N >= 1")
    )


@claim(PAPER, "appa-getat", at="Appendix A.1", kind="asymptotic", uses=["tab1-t-eq-oln", "appa-log"])
def stability_term_is_bounded():
    """G^2 eta T/N <= C (G^2/(M N)) ln(N^2 R/D) <= C (2 + ln(1 + R)) G^2/M, with T <= C ln(N^2 R/D) and eta =
    1/M: of the order G^2/M, the constants depending on R alone.
    """
    C, log = sp.Symbol("C", positive=True), _log()
    middle = C * G**2 / (M * N) * log
    return Theorem(
        given=[T <= C * log],
        shows=AllOf(
            AtMost(G**2 / M * T / N, middle),
            AtMost(middle, C * (2 + sp.log(1 + R)) * G**2 / M),
        ),
    ).use("appa-log", "ln N <= N")


@claim(
    PAPER,
    "appa-advantage",
    at="Appendix A.1, and Discussion, first sentence",
    kind="inequality",
    uses=["appa-ter-eer", "thm-4.2-t", "thm-4.3-t"],
    expect=REFUTED,
    correction="appa-ter-eer-corrected",
    breaks="text",
)
def dynamic_schedule_keeps_its_advantage_in_the_true_risk():
    """ "The advantage of dynamic schedules still maintains": the bound ERUB + G^2 eta T/N on the true risk
    (in units of f_1 - f*, eta = 1/M) is smaller for the dynamic schedule than for the uniform one, each with
    the T of its theorem. (It is after the last term is dropped that the paper says so.)

    The case kappa = 2, alpha = 1/N^2, N = 100, G^2/(M (f_1 - f*)) = 1: T = 18 for the uniform schedule and 35
    for the dynamic one, whose empirical bound is smaller by .003 and whose last term is larger by .17.
    """
    size = sp.Rational(1, 10**4)
    count = 100
    condition = sp.Integer(2)
    rate = 1 - 1 / condition
    few, many = schedules.eq_4(condition, size), schedules.eq_7(condition, size)
    uniform = schedules.uniform_erub(rate, size, few) + few / count
    dynamic = schedules.dynamic_erub(rate, size, many) + many / count
    return Instance(
        AtMost(dynamic, uniform),
        let={"kappa": "2", "alpha": "1/10000", "N": "100", "G^2/(M (f_1 - f*))": "1"},
        because="the dynamic schedule asks for twice as many steps",
    )


@claim(
    PAPER,
    "appa-ter-le-eer",
    at="Appendix A.1",
    kind="inequality",
    expect=REFUTED,
    correction="appa-ter-eer-corrected",
    breaks="text",
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
    breaks="text",
)
def true_risk_is_of_the_order_of_the_empirical_rate():
    """TER = O(D/(N^2 R)). In the case of appa-ter-le-eer, with R = D = T = 1, where dynamic and static
    schedules agree, TER is at least 1/(2N).
    """
    return BigO(_mean_estimation()[0].subs(R, 1), 1 / N**2)


@claim(PAPER, "appa-t-efficiency", at="Appendix A, Discussion", kind="asymptotic", uses=["tab1-t-eq-oln"])
def number_of_steps_falls_to_a_logarithm():
    """T falls from N or N^2 to O(ln(N^2 R/D)): ln(N^2 R/D)/N <= (4 + ln(1 + R))/sqrt(N), which tends to 0 for
    every R. (That the true risk is the same is another claim: tab3-second-block.)
    """
    more, root = sp.log(1 + R), sp.sqrt(N)
    return (
        Theorem(shows=AtMost(_log() / N, (4 + more) / root))
        .have(AtMost(0, more), "1 + R >= 1")
        .have(AtMost(sp.log(N), 2 * root), "ln N <= 2 sqrt N")
        .have(AtMost(_log(), 2 * sp.log(N) + more), "D >= 1")
    )
