"""Section 4.2: bias and variance of the estimate, Theorem 4.3 and Remark 4.4.

tau = (G^2 sqrt d/(L N eps))^(2/3),   eps_opt = (L G d)^(2/3)/(N eps)^(4/3),   N = n_min P

A is the factor that the tildes hide: sigma_1^2 <= A R/(T N^2 eps^2) and sigma_2^2 <= A R/(N^2 eps^2)
(Proposition 4.1; thm-4.3-logarithm says what A is). Delta = f(x_0) - f(x_*), C_1 = k_1 G, C_2 = k_2 L.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import inner, norm2, vectors
from dpverify.relations import ArgMin, AtMost, BigO, Equal, Instance
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.bounds import e, g2, r
from dpverify.theorems import AllOf, ForSome, Iterates, Theorem
from dpverify.verdicts import REFUTED

N, R, T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "R", "T", "d"))
L, G, eps, A, k_1, k_2, eta, Delta = sp.symbols("L G epsilon A k_1 k_2 eta Delta", positive=True)
sigma_1, sigma_2 = sp.symbols("sigma_1 sigma_2", nonnegative=True)
tau = sp.Symbol("tau", positive=True)

THIRD = sp.Rational(1, 3)


def interval_share(N, eps, d, L=L, G=G):
    """tau of Theorem 4.3."""
    return (G**2 * sp.sqrt(d) / (L * N * eps)) ** (2 * THIRD)


def floor(N, eps, d, L=L, G=G):
    """eps_opt of Theorem 4.3 without its constant and logarithm."""
    return (L * G * d) ** (2 * THIRD) / (N * eps) ** (4 * THIRD)


def slow(N, eps, d, L=L, G=G):
    """The utility of DP-GD in Remark 4.4."""
    return sp.sqrt(L) * G * sp.sqrt(d) / (N * eps)


def travelled(N, eps, d, R, L=L):
    """The second term of the bound: L sqrt d/(N eps sqrt R)."""
    return L * sp.sqrt(d) / (N * eps * sp.sqrt(R))


TAU = interval_share(N, eps, d)
FLOOR = floor(N, eps, d)
TRAVELLED = travelled(N, eps, d, R)


@claim(PAPER, "sec4.2-bias", at="Section 4.2, second paragraph", kind="monotonicity")
def longer_intervals_have_less_variance_and_more_bias():
    """The mean error of v_r in any direction w is that of the estimate k rounds before, given what was known
    then: without a restart no round takes it away, and v_r is biased given the past. Restarts at the noise of
    Proposition 4.1 have a variance ~ ceil(R/T) that does not grow with T; the
    differences of an interval leave at its end a bias ~ (T - 1)(R - ceil(R/T)) for equal moves, which does
    not fall with T <= R.

    Averaged over the past as well the mean error is 0: the bias is the one given the past.
    """
    f, x, v, way = Function("f", smooth=L), *vectors("x v w")
    noise = Noise("xi", variance=d * sigma_2**2 * eta**2 * norm2(v))  # C_2 = 1, x_{r-1} - x_{r-2} = -eta v
    index, k = (sp.Symbol(name, integer=True, positive=True) for name in ("t", "k"))
    bias, after = sp.IndexedBase("B", real=True), x - eta * v
    rounds = Iterates(
        bias,
        inner(v - f.gradient(x), way),
        [x, v],
        [after, f.gradient(after) - f.gradient(x) + v + noise],
        [noise],
        index,
        1,
        k,
    )
    short, long = (sp.Symbol(name, integer=True, positive=True) for name in ("T_1", "T_2"))

    def left(interval):
        return (interval - 1) * (R - sp.ceiling(R / interval))

    return AllOf(
        Theorem(given=[rounds], shows=Equal(bias[k + 1], bias[1]))
        .descend(rounds, 1, 0, "one round", exact=True)
        .sum(Equal(bias[index + 1] - bias[index], 0), (index, 1, k), "k rounds"),
        AtMost(sp.ceiling(R / long), sp.ceiling(R / short), given=[short <= long]),
        Theorem(given=[short <= long, long <= R], shows=AtMost(left(short), left(long)))
        .have(AtMost(sp.ceiling(R / long), sp.ceiling(R / short)), "fewer restarts")
        .have(AtMost(sp.ceiling(R / long), R), "T >= 1"),
    )


@claim(
    PAPER,
    "sec4.2-optimal",
    at="Section 4.2, `the optimal choice of T`",
    kind="optimality",
    standing="ours",
)
def interval_of_the_theorem_is_optimal_but_for_a_constant():
    """Among real T > 0, sqrt(T) L sqrt d/(N eps sqrt R) + R G^2 d/(T (N eps)^2), the two noise terms of the
    proof of Theorem 4.3, is least at T = 2^(2/3) tau R.
    """
    way, restarts, length = sp.symbols("a b T", positive=True)  # the two factors of the noise terms
    best = (2 * restarts / way) ** (2 * THIRD)
    factors = [sp.Eq(way, TRAVELLED), sp.Eq(restarts, R * G**2 * d / (N * eps) ** 2), sp.Eq(tau, TAU)]
    return AllOf(
        ArgMin(way * sp.sqrt(length) + restarts / length, length, best, unique=True),
        Equal(best, 2 ** (2 * THIRD) * tau * R, given=factors),
    )


@claim(
    PAPER,
    "thm-4.3-tau",
    at="Theorem 4.3, T = Theta(max{1, tau R}), and `with 1 <= T <= R` in its proof",
    kind="inequality",
)
def interval_fits_into_the_rounds():
    """If N >= c G^2 sqrt d/(L eps), whatever the constant c of the Omega is, there is a constant k of the
    Theta, made of c alone, with max(1, k tau R) <= R. (k = 1 needs c >= 1.)
    """
    c, k = sp.symbols("c k", positive=True)
    enough = [N >= c * G**2 * sp.sqrt(d) / (L * eps)]
    fits = AtMost(sp.Max(1, k * TAU * R), R, given=enough)
    return Theorem(shows=ForSome([k], fits, at={k: c ** (2 * THIRD)}, of=[c]), given=enough).have(
        AtMost(c ** (2 * THIRD) * TAU, 1), "the power 2/3 of c G^2 sqrt d/(L N eps) <= 1"
    )


@claim(PAPER, "thm-4.3-exponents", at="Theorem 4.3, epsilon_opt", kind="identity")
def both_noise_terms_balance_at_the_stated_floor():
    """At T = tau R both noise terms of the proof, sqrt(T) L sqrt d/(N eps sqrt R) and R G^2 d/(T (N eps)^2),
    are (L G d)^(2/3)/(N eps)^(4/3).
    """
    length = sp.Symbol("T", positive=True)
    return Theorem(
        given=[sp.Eq(length, tau * R), sp.Eq(tau, TAU)],
        shows=AllOf(
            Equal(sp.sqrt(length) * TRAVELLED, FLOOR),
            Equal(R * G**2 * d / (length * (N * eps) ** 2), FLOOR),
        ),
    )


def step_size():
    """1/eta, with eta of prop-d.2-eta."""
    return 2 * L + 2 * sp.sqrt(T * d) * sigma_2 * k_2 * L


NOISY = 4 * Delta * k_2 * L * sp.sqrt(T * d) * sigma_2 / R
SECOND = 4 * Delta * k_2 * sp.sqrt(A) * (TRAVELLED + FLOOR)
LAST = sigma_1**2 * (k_1 * G) ** 2 * d


@claim(
    PAPER,
    "thm-4.3-differences",
    at="Theorem 4.3, its proof: sqrt(T) L sigma_2 sqrt d/R",
    kind="inequality",
    uses=["thm-4.3-exponents"],
)
def noise_of_the_differences():
    """If sigma_2^2 <= A R/(N eps)^2 and T <= 1 + tau R: 4 Delta C_2 sqrt(T d) sigma_2/R <= 4 Delta k_2
    sqrt(A) (L sqrt d/(N eps sqrt R) + eps_opt).
    """
    theta = sp.sqrt(TAU)
    return (
        Theorem(given=[sigma_2**2 <= A * R / (N * eps) ** 2, T <= 1 + TAU * R], shows=AtMost(NOISY, SECOND))
        .have(AtMost(sigma_2, sp.sqrt(A * R) / (N * eps)), "the root of sigma_2^2")
        .have(AtMost(sp.sqrt(T), 1 + theta * sp.sqrt(R)), "the root of T")
        .calc(
            NOISY,
            ("<=", 4 * Delta * k_2 * L * sp.sqrt(T * d) * sp.sqrt(A * R) / (N * eps * R), "sigma_2"),
            ("<=", 4 * Delta * k_2 * sp.sqrt(A) * TRAVELLED * (1 + theta * sp.sqrt(R)), "T"),
            ("=", SECOND, "the first balance of thm-4.3-exponents"),
        )
    )


@claim(
    PAPER,
    "thm-4.3-restarts",
    at="Theorem 4.3, its proof: R G^2 d/(T (N eps)^2)",
    kind="inequality",
    uses=["thm-4.3-exponents"],
)
def noise_of_the_restarts():
    """If sigma_1^2 <= A R/(T (N eps)^2) and T >= tau R: sigma_1^2 C_1^2 d <= A k_1^2 eps_opt."""
    return Theorem(
        given=[sigma_1**2 <= A * R / (T * (N * eps) ** 2), TAU * R <= T],
        shows=AtMost(LAST, A * k_1**2 * FLOOR),
    ).calc(
        LAST,
        ("<=", A * R * (k_1 * G) ** 2 * d / (T * (N * eps) ** 2), "sigma_1"),
        ("<=", A * R * (k_1 * G) ** 2 * d / (TAU * R * (N * eps) ** 2), "T >= tau R"),
        ("=", A * k_1**2 * FLOOR, "the second balance"),
    )


def setting_of_theorem_4_3():
    """DIFF2-GD with C_1 = k_1 G, C_2 = k_2 L, eta = 1/(2L + 2 sqrt(T d) sigma_2 C_2), noise of the orders of
    Proposition 4.1, tau R <= T <= 1 + tau R and f(x_0) - f(x_*) <= Delta.
    """
    from dpverify.symbolic.diff2.appendix_d import rounds_of_diff2_gd

    rounds = rounds_of_diff2_gd(sigma_1 * k_1 * G, sigma_2 * k_2 * L)
    return [
        *[h for h in rounds if not isinstance(h, sp.Le)],  # the two conditions on eta are shown
        sp.Eq(eta, 1 / step_size()),
        sigma_1**2 <= A * R / (T * (N * eps) ** 2),
        sigma_2**2 <= A * R / (N * eps) ** 2,
        TAU * R <= T,
        T <= 1 + TAU * R,
        e[1] <= Delta,
    ]


MEAN = sp.Sum(g2[r], (r, 1, R)) / R  # E|grad f(x_out)|^2
ENOUGH = R >= 1 + L / FLOOR + (L * sp.sqrt(d) / (N * eps)) ** 2 / FLOOR**2
CONSTANT = 4 * Delta + 8 * Delta * k_2 * sp.sqrt(A) + A * k_1**2


@claim(
    PAPER,
    "thm-4.3",
    at="Theorem 4.3",
    kind="asymptotic",
    uses=["prop-d.2", "prop-d.2-eta", "prop-4.1", "thm-4.3-differences", "thm-4.3-restarts"],
)
def utility_of_diff2_gd():
    """For the R rounds of DIFF2-GD with C_1 = k_1 G, C_2 = k_2 L, eta = 1/(2L + 2 sqrt(T d) sigma_2 C_2),
    sigma_1^2 <= A R/(T (N eps)^2), sigma_2^2 <= A R/(N eps)^2, tau R <= T <= 1 + tau R and f(x_0) - f(x_*) <=
    Delta: E|grad f(x_out)|^2 <= 4 Delta L/R + 4 Delta k_2 sqrt(A) (L sqrt d/(N eps sqrt R) + eps_opt) + A
    k_1^2 eps_opt: the constants of the O and of the two tildes.

    The noise is that of Proposition 4.1 (thm-4.3-logarithm); T <= R is thm-4.3-tau; with k_1, k_2 >= 1
    nothing is clipped (prop-d.2-unclipped).
    """
    return (
        Theorem(
            given=setting_of_theorem_4_3(),
            shows=AtMost(MEAN, 4 * Delta * L / R + SECOND + A * k_1**2 * FLOOR),
        )
        .have(Equal(1 / eta, step_size()), "the step size")
        .have(AtMost(2 * L, 1 / eta), "no term is negative")
        .have(AtMost(2 * sp.sqrt(T * d) * sigma_2 * k_2 * L, 1 / eta), "no term is negative")
        .have(AtMost(2 * eta * L, 1), "times eta")
        .have(AtMost(2 * eta * sp.sqrt(T * d) * sigma_2 * k_2 * L, 1), "times eta")
        .have(AtMost(4 * eta**2 * T * d * sigma_2**2 * k_2**2 * L**2, 1), "squared")
        .use("prop-d.2", "Proposition D.2", C_1=k_1 * G, C_2=k_2 * L)
        .use("thm-4.3-differences", "the noise of the differences")
        .use("thm-4.3-restarts", "the noise of the restarts")
        .have(AtMost(2 * e[1] / (eta * R), 2 * Delta / (eta * R)), "f(x_0) - f(x_*) <= Delta")
        .have(Equal(2 * Delta / (eta * R), 4 * Delta * L / R + NOISY), "multiplied out")
    )


@claim(
    PAPER,
    "thm-4.3-logarithm",
    at="Theorem 4.3, what the tildes hide",
    kind="inequality",
    standing="ours",
)
def tildes_hide_the_logarithm_of_delta():
    """With order a = 1 + ceil(2 l/eps), l = log(1/delta) >= eps, T <= R and the noise of Proposition 4.1 at u
    = 2: sigma_1^2 = 8 a ceil(R/T)/(N^2 eps) and sigma_2^2 = 8 a (R - ceil(R/T))/(N^2 eps) are within the
    forms of Theorem 4.3 at A = 64 l.
    """
    logarithm = sp.Symbol("l", positive=True)
    order = 1 + sp.ceiling(2 * logarithm / eps)
    restarts = sp.ceiling(R / T)
    return (
        Theorem(
            given=[eps <= logarithm, T <= R],
            shows=AllOf(
                AtMost(8 * order * restarts / (N**2 * eps), 64 * logarithm * R / (T * (N * eps) ** 2)),
                AtMost(8 * order * (R - restarts) / (N**2 * eps), 64 * logarithm * R / (N * eps) ** 2),
            ),
        )
        .have(AtMost(order, 4 * logarithm / eps), "1 + ceil(x) <= 2 + x <= 2 x for x >= 2")
        .have(AtMost(restarts, 2 * R / T), "T <= R")
        .have(AtMost(order * restarts, 8 * logarithm * R / (eps * T)), "both")
        .have(AtMost(order * (R - restarts), 4 * logarithm * R / eps), "no restart is negative")
    )


@claim(PAPER, "rounds", at="Theorems 4.3 and 5.3, the choice of R", kind="inequality", standing="ours")
def both_parts_of_the_rounds_reach_the_floor():
    """If R >= 1 + s/B + q^2/B^2, then k s/R <= k B and q/sqrt(R) <= B, for positive numbers s, q, B and k."""
    s, q, B, k = sp.symbols("s q B k", positive=True)
    return (
        Theorem(
            given=[R >= 1 + s / B + q**2 / B**2],
            shows=AllOf(AtMost(k * s / R, k * B), AtMost(q / sp.sqrt(R), B)),
        )
        .have(AtMost(s / B, R), "the first part of R")
        .have(AtMost(s, B * R), "times B")
        .have(AtMost(k * s, k * B * R), "times k")
        .have(AtMost(q**2 / B**2, R), "the second part of R")
        .have(AtMost(q**2, B**2 * R), "times B^2")
        .have(AtMost(q, B * sp.sqrt(R)), "the root")
    )


@claim(PAPER, "thm-4.3-r", at="Theorem 4.3, the choice of R", kind="asymptotic", uses=["thm-4.3", "rounds"])
def stated_rounds_reach_the_floor():
    """If moreover R >= 1 + L/eps_opt + L^2 d/(N eps eps_opt)^2, eps_opt = (L G d)^(2/3)/(N eps)^(4/3):
    E|grad f(x_out)|^2 <= (4 Delta + 8 Delta k_2 sqrt(A) + A k_1^2) eps_opt.
    """
    way = L * sp.sqrt(d) / (N * eps)
    return (
        Theorem(given=[*setting_of_theorem_4_3(), ENOUGH], shows=AtMost(MEAN, CONSTANT * FLOOR))
        .use("thm-4.3", "Theorem 4.3")
        .use("rounds", "the choice of R", R=R, s=L, q=way, B=FLOOR, k=4 * Delta)
        .have(AtMost(SECOND, 8 * Delta * k_2 * sp.sqrt(A) * FLOOR), "times 4 Delta k_2 sqrt(A)")
    )


@claim(
    PAPER, "thm-4.3-limits", at="Theorem 4.3 at the ends of its parameters", kind="identity", standing="ours"
)
def bound_at_the_ends_of_its_parameters():
    """The proof's bound 4 Delta L/R + 4 Delta k_2 sqrt(A T) L sqrt d/(N eps sqrt R) + A k_1^2 R G^2 d/(T (N
    eps)^2) is: without noise (A = 0) that of gradient descent; with a single interval (T = R) free of R in
    its last term; at T = 1 with no noise of differences, that of DP-GD.
    """
    noise, length = sp.symbols("A T", nonnegative=True)
    way = 4 * Delta * k_2 * sp.sqrt(noise * length) * TRAVELLED
    last = noise * k_1**2 * R * G**2 * d / (length * (N * eps) ** 2)
    bound = 4 * Delta * L / R + way + last
    return AllOf(
        Equal(bound, 4 * Delta * L / R, given=[length > 0, sp.Eq(noise, 0)]),
        Equal(last, noise * k_1**2 * G**2 * d / (N * eps) ** 2, given=[sp.Eq(length, R)]),
        Equal(
            bound - way,
            4 * Delta * L / R + noise * R * (k_1 * G) ** 2 * d / (N * eps) ** 2,
            given=[sp.Eq(length, 1)],
        ),
    )


@claim(
    PAPER, "remark-4.4-better", at="Remark 4.4, first sentence", kind="asymptotic", uses=["thm-4.3-exponents"]
)
def floor_is_below_that_of_dp_gd():
    """The ratio of (L G d)^(2/3)/(N eps)^(4/3) to sqrt(L) G sqrt d/(N eps) is the cube root of sqrt(L d)/(G N
    eps): below 1 exactly if N > sqrt(L d)/(G eps), and below any r > 0 once N >= sqrt(L d)/(r^3 G eps).
    """
    share, edge = sp.symbols("r c", positive=True)
    other, border = slow(N, eps, d), sp.sqrt(L * d) / (G * eps)
    return AllOf(
        Equal(FLOOR / other, (edge / N) ** THIRD, given=[sp.Eq(edge, border)]),
        AtMost(FLOOR, other, given=[N > border], strict=True),
        AtMost(other, FLOOR, given=[N <= border]),
        Theorem(given=[N >= border / share**3], shows=AtMost(FLOOR, share * other))
        .have(AtMost((border / N) ** THIRD, share), "the cube root")
        .have(Equal(FLOOR, (border / N) ** THIRD * other), "the ratio"),
    )


@claim(
    PAPER,
    "remark-4.4-constants",
    at="Remark 4.4, first sentence, with the constants of both bounds",
    kind="inequality",
    uses=["thm-4.3", "table-1-dpgd"],
    standing="ours",
)
def floor_with_its_constant_is_below_that_of_dp_gd():
    """With constants: (4 Delta k_2 sqrt(A) + A k_1^2) eps_opt, the floor of thm-4.3, is at most 4 sqrt(A
    Delta) k_1 sqrt(L) G sqrt d/(N eps), the least bound of DP-GD, exactly if N eps >= q^3 sqrt(L d)/G, q =
    (4 Delta k_2 + sqrt(A) k_1^2)/(4 sqrt(Delta) k_1): DP-GD has the better guarantee below. (At most on
    either side of the border, so that they are equal on it.)
    """
    q = (4 * Delta * k_2 + sp.sqrt(A) * k_1**2) / (4 * sp.sqrt(Delta) * k_1)
    theirs = 4 * sp.sqrt(A * Delta) * k_1 * slow(N, eps, d)
    ours = (4 * Delta * k_2 * sp.sqrt(A) + A * k_1**2) * FLOOR
    share, border = sp.Symbol("y", positive=True), sp.sqrt(L * d) / (G * eps)
    equal = [sp.Eq(share, (border / N) ** THIRD)]

    def ratio(theorem):
        return theorem.have(Equal(FLOOR, share * slow(N, eps, d)), "eps_opt over the utility of DP-GD").have(
            Equal(ours, q * share * theirs), "the constants"
        )

    below = Theorem(given=[*equal, N >= q**3 * border], shows=AtMost(ours, theirs)).have(
        AtMost(q * share, 1), "the cube root"
    )
    above = Theorem(given=[*equal, N <= q**3 * border], shows=AtMost(theirs, ours)).have(
        AtMost(1, q * share), "the cube root"
    )
    return AllOf(ratio(below), ratio(above))


def second_rounds(N, eps, d, L, G):
    """The second part of R: L^2 d/(N eps eps_opt)^2."""
    return L**2 * d / (N * eps * floor(N, eps, d, L, G)) ** 2


@claim(
    PAPER,
    "remark-4.4-rounds",
    at="Remark 4.4, second sentence",
    kind="asymptotic",
    expect=REFUTED,
    breaks="text",
    correction="remark-4.4-rounds-corrected",
)
def printed_condition_makes_few_rounds_enough():
    """If N = Omega((L d)^2/(G eps_opt)), the second part L^2 d/(N eps eps_opt)^2 of R is O(1 + L/eps_opt).

    As eps_opt falls with N, the printed condition bounds N from above: N <= G^5/((L d)^4 eps^4). The path: L
    = d = 1, G = j^-3, N = j^5, eps = j^-5, on which eps_opt = j^-2, the condition holds with the constant 1,
    N >= G^2 sqrt d/(L eps) as Theorem 4.3 asks, and the second part is j^4 against 1 + j^2.
    """
    j = sp.Symbol("j", integer=True, positive=True)
    case = {"N": j**5, "eps": j**-5, "d": sp.Integer(1), "L": sp.Integer(1), "G": j**-3}
    best = sp.powdenest(floor(**case), force=True)
    return Instance(
        BigO(sp.simplify(second_rounds(**case)), 1 + 1 / best),
        let={"L, d": "1", "G": "j^-3", "N": "j^5", "eps_DP": "j^-5", "eps_opt": "j^-2"},
        meets=[
            AtMost(1 / (case["G"] * best), case["N"]),
            AtMost(case["G"] ** 2 / case["eps"], case["N"]),
        ],
        because="the second part grows like j^4, the first like j^2",
    )


@claim(
    PAPER,
    "remark-4.4-rounds-corrected",
    at="Remark 4.4, second sentence, corrected",
    kind="asymptotic",
    uses=["thm-4.3-r"],
    standing="ours",
)
def few_rounds_are_enough_beyond_the_border():
    """The second part L^2 d/(N eps eps_opt)^2 of R is at most L/eps_opt exactly if N >= sqrt(L d)/(G eps):
    where DIFF2-GD has the better floor, R = O(1 + L/eps_opt) rounds do.
    """
    border, edge = sp.sqrt(L * d) / (G * eps), sp.Symbol("c", positive=True)
    second, first = second_rounds(N, eps, d, L, G), L / FLOOR
    return AllOf(
        Equal(second / first, (edge / N) ** (2 * THIRD), given=[sp.Eq(edge, border)]),
        Theorem(given=[N >= border], shows=AtMost(second, first))
        .have(AtMost((border / N) ** (2 * THIRD), 1), "the power 2/3")
        .have(Equal(second, (border / N) ** (2 * THIRD) * first), "the ratio"),
        Theorem(given=[N < border], shows=AtMost(first, second))
        .have(AtMost(1, (border / N) ** (2 * THIRD)), "the power 2/3")
        .have(Equal(second, (border / N) ** (2 * THIRD) * first), "the ratio"),
    )
