"""Appendix A: from the empirical to the true excess risk (TER), as printed: Theorem A.1, Markov's inequality.

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
    F = Function("F", lipschitz=G)
    f = Function("f", strongly_convex=mu)
    theta = Vector("theta")
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


class DataSets:
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
    sets, s = DataSets(), sp.Symbol("s", positive=True)
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
    sets, level = DataSets(), 2 * G**2 / (mu * N)
    F = Function("F", lipschitz=G)
    f = Function("f", strongly_convex=mu)
    theta = Vector("theta")
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
    records = m**2
    dimension = m**3
    chance = sp.Rational(1, 2)
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
