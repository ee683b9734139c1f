"""Appendix A: from the empirical to the true excess risk (TER), as printed.

TER(theta) = E_x f(theta; x) - min E_x f(.; x)        EER = E f(theta) - f*, f the average over the N records
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm, norm2
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

t, T = step(), sp.Symbol("T", integer=True, positive=True)
N, n = sp.Symbol("N", integer=True, positive=True), sp.Symbol("n", integer=True, positive=True)
R, M, mu, G, D, p, eta = sp.symbols("R M mu G D p eta", positive=True)
gamma, alpha, kappa = sp.symbols("gamma alpha kappa", positive=True)
eps, L = sp.symbols("epsilon L", positive=True)
k = sp.Symbol("k", integer=True, positive=True)


@claim(
    PAPER,
    "appa-red-lt-r",
    at="Appendix A",
    kind="inequality",
    uses=["sec4.1.3-r", "sec4.1.3-r-corrected"],
    expect=REFUTED,
    correction="sec4.1.3-rzcdp-gt-rma-corrected",
    breaks="text",
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
)
def dynamic_bound_is_of_the_order_of_the_nonprivate_one():
    """ "With the bound, we can see that our utility bound are optimal with dynamic schedule": at a number of
    steps T whose non-private bound gamma^T is not below alpha, as in its row, the dynamic bound gamma^T +
    alpha ((1 - gamma^(T/2))/(1 - sqrt gamma))^2 is at most 1 + 1/(1 - sqrt gamma)^2 times gamma^T.

    That no number of steps does better is another reading: appa-nonpriv-limit.
    """
    return AtMost(
        schedules.dynamic_erub(gamma, alpha, T),
        (1 + 1 / (1 - sp.sqrt(gamma)) ** 2) * gamma**T,
        given=[gamma < 1, alpha <= gamma**T],
    )


@claim(
    PAPER,
    "appa-nonpriv-limit",
    at="Appendix A, GD, Non-Private, read as a limit",
    kind="optimality",
    expect=REFUTED,
    correction="appa-nonpriv-not-a-limit",
    standing="ours",
)
def nonprivate_row_is_a_lower_bound():
    """The row limits what can be reached: the non-private bound gamma^T is never below the alpha of its row,
    whatever T.
    """
    return AtMost(alpha, gamma**T, given=[gamma < 1, alpha < 1])


@claim(
    PAPER,
    "appa-nonpriv-not-a-limit",
    at="Appendix A, GD, Non-Private, corrected",
    kind="optimality",
    standing="ours",
)
def twice_the_steps_square_the_nonprivate_bound():
    """The row is the bound at one T that was chosen to give it: if gamma^T = alpha < 1, then with twice as
    many steps it is gamma^(2T) = alpha^2 < alpha.
    """
    return AllOf(
        Equal(gamma ** (2 * T), alpha**2, given=[sp.Eq(gamma**T, alpha), alpha < 1]),
        AtMost(alpha**2, alpha, given=[alpha < 1], strict=True),
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


@claim(
    PAPER,
    "thm-a.1-empirical",
    at="Theorem A.1, from theta to the empirical minimiser",
    kind="inequality",
    standing="ours",
)
def true_risk_is_near_that_of_the_empirical_minimiser():
    """For f that is mu-strongly convex, with its minimiser theta*, and a G-Lipschitz F: F(theta) - F(theta*)
    <= sqrt(2 G^2/mu) sqrt(f(theta) - f*), for every theta. (F is the true risk; no data enter.)
    """
    F, f, theta = Function("F", lipschitz=G), Function("f", strongly_convex=mu), Vector("theta")
    apart = theta - f.minimiser
    return (
        Theorem(
            shows=AtMost(F(theta) - F(f.minimiser), sp.sqrt(2 * G**2 / mu) * sp.sqrt(f(theta) - f.minimum))
        )
        .have(AtMost(F(theta) - F(f.minimiser), G * norm(apart)), "F is G-Lipschitz")
        .have(AtMost(mu / 2 * norm2(apart), f(theta) - f.minimum), "f is strongly convex")
    )


@claim(
    PAPER,
    "thm-a.1-stable",
    at="Theorem A.1, stability of the empirical minimiser",
    kind="inequality",
    standing="ours",
)
def empirical_minimiser_is_stable():
    """If u and v are the minimisers of two mu-strongly convex averages over N records that differ in one
    record, whose losses l and k are G-Lipschitz, then |u - v| <= 2 G/(mu N).

    a_1 and a_2 are what the other records add at u and at v; each average exceeds its minimum by at least mu
    |u - v|^2/2 at the other minimiser.
    """
    first, second = Function("l", lipschitz=G), Function("k", lipschitz=G)
    u, v = Vector("u"), Vector("v")
    at_u, at_v = sp.symbols("a_1 a_2", real=True)
    apart = mu / 2 * norm2(u - v)
    return Theorem(
        given=[
            at_u + first(u) / N + apart <= at_v + first(v) / N,
            at_v + second(v) / N + apart <= at_u + second(u) / N,
        ],
        shows=AtMost(norm(u - v), 2 * G / (mu * N)),
    ).have(AtMost(mu * norm2(u - v), 2 * G * norm(u - v) / N), "the two added")


class _DataSets:
    """Finitely many data sets j = 1..J of chance w_j: for each the empirical loss f and its least value, the
    true loss F of the empirical minimiser, and the empirical loss at the model that is best for the law.
    """

    def __init__(self) -> None:
        self.j, self.J = (sp.Symbol(name, integer=True, positive=True) for name in "jJ")
        self.w = sp.IndexedBase("w", nonnegative=True)
        self.best = sp.Symbol("min_F", real=True)

    def sequence(self, name: str, **kind: bool) -> sp.Indexed:
        """A number of each data set."""
        return sp.IndexedBase(name, **(kind or {"real": True}))[self.j]

    def mean(self, term: sp.Expr) -> sp.Sum:
        """The mean over the data sets."""
        return sp.Sum(self.w[self.j] * term, (self.j, 1, self.J))

    def every(self, smaller: sp.Expr, larger: sp.Expr) -> ForEvery:
        """A comparison that holds for each data set."""
        return ForEvery(AtMost(smaller, larger), self.j, 1, self.J)

    def chances(self) -> sp.Eq:
        """The chances sum to 1."""
        return sp.Eq(sp.Sum(self.w[self.j], (self.j, 1, self.J)), 1)


@claim(
    PAPER,
    "thm-a.1-mean",
    at="Theorem A.1, the mean true risk of the empirical minimiser",
    kind="inequality",
    standing="ours",
)
def mean_true_risk_of_the_empirical_minimiser():
    """Over data sets j of chance w_j: let F_j be the true loss of a model, f_j its empirical loss, m_j the
    least empirical loss and b_j the empirical loss at a model of least true loss min_F, so that m_j <= b_j
    and the mean of b_j is min_F. If the mean of F_j - f_j is at most s, then the mean of F_j - min_F is at
    most s and the mean of f_j - m_j.
    """
    sets, s = _DataSets(), sp.Symbol("s", positive=True)
    F, f, m, b = (sets.sequence(name) for name in ("F", "f", "m", "b"))
    return (
        Theorem(
            given=[
                *[sets.chances(), sets.every(m, b), sp.Eq(sets.mean(b), sets.best)],
                sets.mean(F - f) <= s,
            ],
            shows=AtMost(sets.mean(F - sets.best), sets.mean(f - m) + s),
        )
        .sum(AtMost(sets.w[sets.j] * m, sets.w[sets.j] * b), (sets.j, 1, sets.J), "the least is the least")
        .have(Equal(sets.mean(F - f), sets.mean(F) - sets.mean(f)), "two means")
        .have(Equal(sets.mean(f - m), sets.mean(f) - sets.mean(m)), "two means")
        .have(
            Equal(
                sets.mean(F - sets.best),
                sets.mean(F) - sets.best * sp.Sum(sets.w[sets.j], (sets.j, 1, sets.J)),
            ),
            "min_F is a number",
        )
    )


@claim(
    PAPER,
    "thm-a.1-corrected",
    at="Theorem A.1, corrected, finitely many data sets",
    kind="inequality",
    uses=["thm-a.1-empirical", "thm-a.1-stable", "thm-a.2", "thm-a.1-mean"],
    standing="ours",
)
def true_risk_from_empirical_risk():
    """With probability at least 1 - p over the data set: TER(theta) <= sqrt(2 G^2/mu) sqrt(f(theta) - f*) + 2
    G^2/(p mu N), for G-Lipschitz losses and strongly convex f; for any model, which may depend on the data.

    First, for one data set: F(theta) - min F <= sqrt(2 G^2/mu) sqrt(f(theta) - min f) + F(argmin f) - min F.
    Second, over data sets j of chance w_j, TER_j = F(theta) - min F and e_j = f(theta) - min f being those of
    the model and F_j = F(argmin f), f_j = m_j = min f as in thm-a.1-mean: if the mean of F_j - f_j is at most
    2 G^2/(mu N), which Theorem A.2 says as the minimiser is G times 2 G/(mu N) stable (thm-a.1-stable), and
    failed_j in [0, 1] is 0 wherever the bound holds, then the mean of failed_j, the chance that the bound
    fails, is at most p.
    """
    sets, level = _DataSets(), 2 * G**2 / (mu * N)
    F, f, theta = Function("F", lipschitz=G), Function("f", strongly_convex=mu), Vector("theta")
    true, own, least, at_best = (sets.sequence(name) for name in ("F", "f", "m", "b"))
    risk, excess, fails = (sets.sequence(name, nonnegative=True) for name in ("TER", "e", "failed"))
    share = sp.sqrt(2 * G**2 / mu)
    term = sets.w[sets.j] * fails
    return AllOf(
        Theorem(
            shows=AtMost(
                F(theta) - F.minimum, share * sp.sqrt(f(theta) - f.minimum) + F(f.minimiser) - F.minimum
            )
        ).use("thm-a.1-empirical", "F(theta) against F at the empirical minimiser"),
        Theorem(
            given=[
                *[sets.chances(), sets.every(least, at_best), sp.Eq(sets.mean(at_best), sets.best)],
                ForEvery(Equal(own, least), sets.j, 1, sets.J),
                sets.mean(true - own) <= level,
                sets.every(sets.best, true),
                sets.every(risk, share * sp.sqrt(excess) + true - sets.best),
                sets.every(fails * (share * sp.sqrt(excess) + level / p), fails * risk),
                sets.every(fails, 1),
            ],
            shows=AtMost(sets.mean(fails), p),
        )
        .use("thm-a.1-mean", "the mean true risk of the empirical minimiser", s=level)
        .sum(Equal(sets.w[sets.j] * own, sets.w[sets.j] * least), (sets.j, 1, sets.J), "its own excess is 0")
        .have(Equal(sets.mean(own - least), sets.mean(own) - sets.mean(least)), "two means")
        .have(AtMost(sets.mean(true - sets.best), level), "so its mean true risk is at most that")
        .have(sets.every(level / p * term, term * (true - sets.best)), "where the bound fails")
        .have(sets.every(term * (true - sets.best), sets.w[sets.j] * (true - sets.best)), "failed <= 1")
        .sum(AtMost(level / p * term, sets.w[sets.j] * (true - sets.best)), (sets.j, 1, sets.J), "Markov")
        .have(
            Equal(sp.Sum(level / p * term, (sets.j, 1, sets.J)), level / p * sets.mean(fails)),
            "the level comes out",
        )
        .have(AtMost(level / p * sets.mean(fails), level), "together"),
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


@claim(
    PAPER,
    "appa-markov-half",
    at="Appendix A.1, Markov's inequality, finitely many outcomes",
    kind="inequality",
    standing="ours",
)
def one_repetition_is_within_twice_the_mean():
    """If the excess of a run is X_j >= 0 with the chance w_j, of mean at most F, then the chance that it
    exceeds 2 F is at most 1/2. (b_j is 1 if X_j exceeds 2 F, and 0 otherwise.)
    """
    j, J = sp.Symbol("j", integer=True, positive=True), sp.Symbol("J", integer=True, positive=True)
    w, X, b = (sp.IndexedBase(name, nonnegative=True) for name in ("w", "X", "b"))
    F = sp.Symbol("F", positive=True)

    def mean(term):
        return sp.Sum(w[j] * term, (j, 1, J))

    return (
        Theorem(
            given=[ForEvery(AtMost(2 * F * b[j], X[j]), j, 1, J), mean(X[j]) <= F],
            shows=AtMost(mean(b[j]), sp.Rational(1, 2)),
        )
        .sum(AtMost(2 * F * w[j] * b[j], w[j] * X[j]), (j, 1, J), "wherever it is exceeded")
        .have(Equal(sp.Sum(2 * F * w[j] * b[j], (j, 1, J)), 2 * F * mean(b[j])), "2 F comes out")
    )


@claim(
    PAPER,
    "appa-markov-corrected",
    at="Appendix A.1, corrected",
    kind="inequality",
    uses=["appa-markov-half"],
    standing="ours",
)
def some_repetition_is_within_twice_the_mean():
    """If one run exceeds 2 F(R/k) with a chance x <= 1/2 (appa-markov-half), all of k independent runs do
    with a chance of at most 2^-k: some run has an excess of at most 2 F(R/k) with probability at least 1 -
    2^-k.
    """
    x = sp.Symbol("x", nonnegative=True)
    return AtMost(x**k, sp.Integer(2) ** (-k), given=[x <= sp.Rational(1, 2)])


@claim(
    PAPER,
    "eq-17-18",
    at="Eqs (17), (18), Table 3 first block",
    kind="asymptotic",
    uses=["thm-a.1", "appa-markov", "eq-9-corrected", "sec4.1.3-dyn-oalpha"],
    expect=REFUTED,
    correction="eq-17-18-corrected",
    breaks="theorem",
)
def true_risk_of_the_schedules_as_printed():
    """TER <= O~((G^2/(mu N)) (sqrt(D ln N ln(1/p)/(N R)) + 4/p)) for the uniform schedule, and without ln N
    for the dynamic one.

    The path N = m^2, D = m^3, alpha = D/(N^2 R) -> 0: f(theta; x) = |theta|^2/2 whatever x is, |theta_1| = G
    = 1, R = M = mu = 1, p = 1/2 (one run), T = 1, where both schedules are sigma_1^2 = 1/R. Then theta_2 is
    the noise alone, and TER = D G^2/(2 N^2 R) = 1/(2m), against m^(-3/2) times logarithms. (The only gradient
    is taken at theta_1; |theta_2| > G has a vanishing chance.)
    """
    m = sp.Symbol("m", integer=True, positive=True)
    records, dimension, chance = m**2, m**3, sp.Rational(1, 2)
    risk = dimension / (2 * records**2)
    stated = (sp.sqrt(dimension * sp.log(1 / chance) / records) + 4 / chance) / records
    return BigO(risk, stated, hiding=[m])


@claim(
    PAPER,
    "eq-17-18-corrected",
    at="Eqs (17), (18), corrected",
    kind="asymptotic",
    uses=["thm-a.1-corrected", "appa-markov-corrected", "eq-9-corrected", "sec4.1.3-dyn-oalpha"],
    standing="ours",
)
def true_risk_of_the_schedules():
    """If the best of k runs has an empirical excess e <= 2 C D G^2 k B/(M N^2 R), B being ln N for the
    uniform schedule and 1 for the dynamic one, and TER <= sqrt(2 G^2/mu) sqrt e + 2 G^2/(p mu N) (Theorem A.1
    corrected), then TER <= (G^2/(mu N)) (2 sqrt(C D k B/R) + 2/p): a factor sqrt N more than printed in the
    first term.
    """
    B, C = sp.symbols("B C", positive=True)
    e, risk = sp.symbols("e TER", nonnegative=True)
    return Theorem(
        given=[
            mu <= M,
            e <= 2 * C * D * G**2 * k * B / (M * N**2 * R),
            risk <= sp.sqrt(2 * G**2 / mu) * sp.sqrt(e) + 2 * G**2 / (p * mu * N),
        ],
        shows=AtMost(risk, G**2 / (mu * N) * (2 * sp.sqrt(C * D * k * B / R) + 2 / p)),
    )


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
    sets = _DataSets()
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
    size, count, condition = sp.Rational(1, 10**4), 100, sp.Integer(2)
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
