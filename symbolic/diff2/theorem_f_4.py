"""Appendix F: Theorem F.4, the rate with the parameters put in, as printed and with L/sqrt(K b).

1/eta = 2 L + a (K zeta + sqrt(K) L/sqrt(b) + what the noises sigma_2, sigma_3 add)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.diff2 import PAPER, utility
from dpverify.symbolic.diff2.lemma_f_1 import C_2, C_3, L, eta, zeta
from dpverify.symbolic.diff2.proposition_f_2 import (
    NOISE,
    K,
    P,
    R,
    T,
    b,
    d,
    e,
    j,
    n,
    sigma_1,
    sigma_2,
    sigma_3,
)
from dpverify.symbolic.diff2.proposition_f_3 import all_rounds, r
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED


def printed_rate(K, b, zeta, L=1):
    """The first factor of Theorem F.4 as printed."""
    return L / K + zeta + L / (sp.sqrt(K) * b)


def rate(K, b, zeta, L=1):
    """The first factor of Theorem F.4 as its proof has it."""
    return L / K + zeta + L / sp.sqrt(K * b)


@claim(
    PAPER,
    "thm-f.4-c1",
    at="Theorem F.4, the term L/(sqrt K b)",
    kind="asymptotic",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="thm-f.4",
)
def term_of_the_batch():
    """L/K + zeta + L/sqrt(K b), which the displays of the proof have, is O(L/K + zeta + L/(sqrt K b) + L sqrt
    d/(sqrt K b sqrt eps)), which the theorem has. (That L/sqrt(K b) is meant is said in thm-f.4.)

    At K = b^2, L = d = eps = 1, zeta = b^-2 it is b^(-3/2) against b^-2.
    """
    eps = sp.Symbol("epsilon", positive=True)
    other = L * sp.sqrt(d) / (sp.sqrt(K) * b * sp.sqrt(eps))
    return BigO(rate(K, b, zeta, L), printed_rate(K, b, zeta, L) + other)


SLOW = {"K": j**4, "b": j**2, "zeta": sp.S.One / j**4}


@claim(
    PAPER,
    "thm-f.4-printed",
    at="Theorem F.4, first display, with L/(sqrt K b)",
    kind="asymptotic",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="thm-f.4",
)
def utility_of_diff2_bvr_l_sgd_as_printed():
    """E|grad f(x_out)|^2 = O((L/K + zeta + L/(sqrt K b) + L sqrt d/(sqrt K b sqrt eps))/R + L sqrt d/(n sqrt
    P eps sqrt R) + eps_opt) for eta = Theta(min{1/L, 1/(K zeta), sqrt b/(sqrt K L), ...}).

    The path, j >= 4: K = j^4, b = j^2, zeta = j^-4, n = N = j^12, L = G = C_1 = C_2 = C_3 = d = eps = P = R =
    T = 1, delta = e^(-1/2) (a = 2), sigma_1^2 = 24/N^2 and sigma_3^2 = 12/b^2 of Proposition E.2, and eta =
    c/j, c the constant of the Theta. All records have the loss with slope -g on the way from x_0 to x_0 +
    1/g, g^2 = 1/(4 eta K) = j^-3/(4 c), which then turns up with curvature 1. Before the turn v_k = v_{k-1} +
    xi_k with the variance (sigma_3 eta v_{k-1})^2 <= v_{k-1}^2/K, so that E v_k^2 <= (1 + 1/K)^K (g^2 +
    sigma_1^2) <= 2e g^2, the way is at most eta sum_k |v_k|, and by Markov it reaches the turn with a chance
    of at most (eta K)^2 2e g^2 g^2 = e/8 < 1/2. So E|grad f(x_out)|^2 >= g^2/2 = j^-3/(8 c), against the
    order j^-4.
    """
    c = sp.Integer(1)
    slope2 = sp.S.One / (4 * c * j**3)
    stated = (
        printed_rate(**SLOW)
        + 1 / (sp.sqrt(SLOW["K"]) * SLOW["b"])
        + j**-12
        + utility.floor(j**12, 1, 1, 1, 1)
    )
    size = c / j
    return Instance(
        BigO(slope2 / 2, sp.powdenest(sp.simplify(stated), force=True)),
        let={
            "K, b, zeta": "j^4, j^2, j^-4",
            "n": "j^12",
            "L, G, C_i, d, eps, P, R, T": "1",
            "delta, a, sigma_1^2, sigma_3^2": "exp(-1/2), 2, 24/N^2, 12/b^2",
            "eta": "c/j (c = 1; another c changes the constant)",
            "l(., z)": "slope -g, g^2 = 1/(4 eta K), from x_0 to x_0 + 1/g, then turning up with curvature 1",
        },
        meets=[
            Equal(4 * size * j**4 * slope2, 1),
            AtMost((size * j**4) ** 2 * 2 * sp.E * slope2**2, sp.Rational(1, 2)),
            AtMost(slope2, 1),
            AtMost(24 / j**24, slope2, given=[j >= 4]),
            AtMost(12 / SLOW["b"] ** 2 * size**2, 1 / SLOW["K"], given=[j >= 4]),
            AtMost((1 + sp.S.One / K) ** K, sp.E),
        ],
        because="K steps of that length leave the slope g^2 ~ 1/(eta K), which the batch makes L/sqrt(K b)",
    )


eps = sp.Symbol("epsilon", positive=True)
A, k_3, gap = sp.symbols("A k_3 Delta", positive=True)
visits = sp.Symbol("v", positive=True)  # rounds in which a client takes the local steps
LOCAL = L * sp.sqrt(d) / (sp.sqrt(K) * b * sp.sqrt(eps))
VISITS = L * sp.sqrt(d) * sp.sqrt(visits) / (n * eps * R)


@claim(PAPER, "thm-f.4-eta", at="Theorem F.4, the choice of eta", kind="inequality", standing="ours")
def one_step_size_meets_all_conditions():
    """1/eta = 2L + e_0 (p + q + t + y), for e_0 = 2 sqrt(2e) and any other e_0 > 0, with p = K zeta, q =
    sqrt K L/sqrt b, t = sqrt K C_3 sigma_3 sqrt d, y = K sqrt T C_2 sigma_2 sqrt d: 2 eta L <= 1 (Lemma
    F.1), e_0^2 eta^2 (K^2 zeta^2 + K L^2/b + K C_3^2 sigma_3^2 d) <= 1 (Proposition F.2) and e_0^2 eta^2 K^2
    T d (sigma_2 C_2)^2 <= 1 (Proposition F.3).
    """
    e_0 = sp.Symbol("e_0", positive=True)
    p, q, t, y = sp.symbols("p q t y", nonnegative=True)
    own = K**2 * zeta**2 + K * L**2 / b + K * NOISE
    far = K**2 * T * d * sigma_2**2 * C_2**2
    return (
        Theorem(
            given=[
                sp.Eq(p, K * zeta),
                sp.Eq(q, sp.sqrt(K) * L / sp.sqrt(b)),
                sp.Eq(t, sp.sqrt(K) * C_3 * sigma_3 * sp.sqrt(d)),
                sp.Eq(y, K * sp.sqrt(T) * C_2 * sigma_2 * sp.sqrt(d)),
                sp.Eq(eta, 1 / (2 * L + e_0 * (p + q + t + y))),
            ],
            shows=AllOf(
                AtMost(2 * eta * L, 1), AtMost(e_0**2 * eta**2 * own, 1), AtMost(e_0**2 * eta**2 * far, 1)
            ),
        )
        .have(Equal(own, p**2 + q**2 + t**2), "put in")
        .have(Equal(far, y**2), "put in")
        .have(AtMost(e_0 * eta * (p + q + t + y), 1), "2 L > 0")
        .have(AtMost(e_0**2 * eta**2 * (p + q + t + y) ** 2, 1), "squared")
        .have(AtMost(p**2 + q**2 + t**2, (p + q + t + y) ** 2), "no term is negative")
        .have(AtMost(y**2, (p + q + t + y) ** 2), "no term is negative")
        .have(AtMost(e_0**2 * eta**2 * own, e_0**2 * eta**2 * (p + q + t + y) ** 2), "times e_0^2 eta^2")
        .have(AtMost(e_0**2 * eta**2 * far, e_0**2 * eta**2 * (p + q + t + y) ** 2), "times e_0^2 eta^2")
    )


@claim(PAPER, "thm-f.4-local", at="Theorem F.4, its proof: L sigma_3 sqrt d/(sqrt K R)", kind="inequality")
def noise_of_the_local_steps():
    """If sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2 eps)): L sigma_3 sqrt d/(sqrt K R) <= sqrt(A) (L sqrt d
    sqrt v/(n eps R) + L sqrt d/(sqrt K b sqrt eps R)). A client takes the local steps in v rounds; at v =
    R/P, as printed, the first term is L sqrt d/(n sqrt P eps sqrt R) (thm-f.4).
    """
    first, second = sp.sqrt(K * visits) / (n * eps), 1 / (b * sp.sqrt(eps))
    unit = L * sp.sqrt(d) / (sp.sqrt(K) * R)
    return (
        Theorem(
            given=[sigma_3**2 <= A * (K * visits / (n**2 * eps**2) + 1 / (b**2 * eps))],
            shows=AtMost(unit * sigma_3, sp.sqrt(A) * (VISITS + LOCAL / R)),
        )
        .have(AtMost(sigma_3, sp.sqrt(A) * (first + second)), "the root")
        .have(AtMost(unit * sigma_3, unit * sp.sqrt(A) * (first + second)), "times L sqrt d/(sqrt K R)")
    )


gradient = sp.Symbol("g2", nonnegative=True)
G, k_1, k_2, a = sp.symbols("G k_1 k_2 a", positive=True)
TAU, BEST = utility.interval_share(n * P, eps, d, L, G), utility.floor(n * P, eps, d, L, G)
TRAVELLED = utility.travelled(n * P, eps, d, R, L)
FIRST = 2 * L / K + a * (zeta + L / sp.sqrt(K * b)) + a * k_3 * sp.sqrt(A) * LOCAL
NOISES = sp.sqrt(K) * k_3 * L * sigma_3 * sp.sqrt(d) + K * sp.sqrt(T) * k_2 * L * sigma_2 * sp.sqrt(d)
INVERSE = 2 * L + a * (K * zeta + sp.sqrt(K) * L / sp.sqrt(b) + NOISES)  # 1/eta
RESTARTS = sigma_1**2 * (k_1 * G) ** 2 * d
QUIET = 4 * gap * k_2 * sp.sqrt(A) * (TRAVELLED + BEST)
SETTING = [
    gradient <= 2 * gap * INVERSE / (K * R) + 2 * sp.E * RESTARTS,
    sigma_1**2 <= A * R / (T * (n * P * eps) ** 2),
    sigma_2**2 <= A * R / (n * P * eps) ** 2,
    sigma_3**2 <= A * (K * visits / (n**2 * eps**2) + 1 / (b**2 * eps)),
    TAU * R <= T,
    T <= 1 + TAU * R,
]
FLOORED = (
    2 * gap * FIRST / R
    + 2 * gap * a * k_3 * sp.sqrt(A) * VISITS
    + a / 2 * QUIET
    + 2 * sp.E * A * k_1**2 * BEST
)


@claim(
    PAPER,
    "thm-f.4-terms",
    at="Theorem F.4, its proof, from Proposition F.3 on",
    kind="inequality",
    uses=["thm-f.4-local", "thm-4.3-differences", "thm-4.3-restarts"],
    standing="ours",
)
def bound_of_proposition_f_3_in_the_setting_of_the_theorem():
    """With 1/eta = 2L + a (K zeta + sqrt K L/sqrt b + sqrt K C_3 sigma_3 sqrt d + K sqrt T C_2 sigma_2 sqrt
    d), sigma_1^2 <= A R/(T (N eps)^2), sigma_2^2 <= A R/(N eps)^2, sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2
    eps)), N = n P, and tau R <= T <= 1 + tau R, whatever is at most 2 Delta/(eta K R) + 2e sigma_1^2 C_1^2 d,
    the bound of Proposition F.3, is at most 2 Delta (2 L/K + a (zeta + L/sqrt(K b)) + a k_3 sqrt(A) L sqrt
    d/(sqrt K b sqrt eps))/R + 2 Delta a k_3 sqrt(A) L sqrt d sqrt v/(n eps R) + 2 a Delta k_2 sqrt(A) (L sqrt
    d/(N eps sqrt R) + eps_opt) + 2 e A k_1^2 eps_opt. C_1 = k_1 G, C_2 = k_2 L, C_3 = k_3 L.
    """
    local = L * sigma_3 * sp.sqrt(d) / (sp.sqrt(K) * R)
    differences = 4 * gap * k_2 * L * sp.sqrt(T * d) * sigma_2 / R
    slow = 2 * L / K + a * (zeta + L / sp.sqrt(K * b))
    return (
        Theorem(given=SETTING, shows=AtMost(gradient, FLOORED))
        .use("thm-4.3-differences", "the noise of the differences", N=n * P, Delta=gap)
        .use("thm-4.3-restarts", "the noise of the restarts", N=n * P)
        .use("thm-f.4-local", "the noise of the local steps")
        .have(
            Equal(
                2 * gap * INVERSE / (K * R),
                2 * gap * slow / R + 2 * gap * a * k_3 * local + a / 2 * differences,
            ),
            "multiplied out",
        )
        .have(
            AtMost(2 * gap * a * k_3 * local, 2 * gap * a * k_3 * (sp.sqrt(A) * (VISITS + LOCAL / R))),
            "the noise of the local steps",
        )
        .have(AtMost(a / 2 * differences, a / 2 * QUIET), "the noise of the differences")
        .have(AtMost(2 * sp.E * RESTARTS, 2 * sp.E * A * k_1**2 * BEST), "the noise of the restarts")
    )


MEAN = sp.Sum(sp.IndexedBase("g2", nonnegative=True)[r], (r, 1, R)) / R  # E|grad f(x_out)|^2


def chosen(count):
    """The R rounds of DIFF2-BVR-L-SGD with the eta, the T and the noise of Theorem F.4, for clients who take
    the local steps in `count` rounds.
    """
    return [
        *all_rounds(sigma_1 * k_1 * G, sigma_2 * k_2 * L),
        sp.Eq(eta, 1 / INVERSE.subs(a, 5)),
        e[1] <= gap,
        *[condition.subs(visits, count) for condition in SETTING[1:]],
    ]


@claim(
    PAPER,
    "thm-f.4-visits",
    at="Theorem F.4, for clients who take the local steps in v rounds, from Proposition F.2 in each round",
    kind="inequality",
    uses=["prop-f.3", "thm-f.4-eta", "thm-f.4-terms"],
    standing="ours",
)
def utility_for_any_number_of_visits():
    """Theorem F.4 with sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2 eps)), whatever v > 0 is: E|grad f(x_out)|^2
    is at most the bound of thm-f.4-terms with a = 5.
    """
    inverse, moved = INVERSE.subs(a, 5), K * sp.sqrt(T) * k_2 * L * sigma_2 * sp.sqrt(d)
    return (
        Theorem(given=chosen(visits), shows=AtMost(MEAN, FLOORED.subs(a, 5)))
        .use(
            "thm-f.4-eta",
            "the step size",
            e_0=sp.Integer(5),
            C_2=k_2 * L,
            C_3=k_3 * L,
            p=K * zeta,
            q=sp.sqrt(K) * L / sp.sqrt(b),
            t=sp.sqrt(K) * k_3 * L * sigma_3 * sp.sqrt(d),
            y=moved,
        )
        .have(AtMost(8 * sp.E * eta**2 * moved**2, 1), "8 e <= 25")
        .use("prop-f.3", "Proposition F.3", C_1=k_1 * G, C_2=k_2 * L)
        .have(AtMost(2 * e[1] / (eta * K * R), 2 * gap / (eta * K * R)), "f(x_0) - f(x_*) <= Delta")
        .have(Equal(2 * gap / (eta * K * R), 2 * gap * inverse / (K * R)), "the step size")
        .have(AtMost(MEAN, 2 * gap * inverse / (K * R) + 2 * sp.E * RESTARTS), "Proposition F.3")
        .use("thm-f.4-terms", "the terms", a=5, g2=MEAN)
    )


PRINTED = L * sp.sqrt(d) / (n * sp.sqrt(P) * eps * sp.sqrt(R))  # VISITS at v = R/P


@claim(
    PAPER,
    "thm-f.4",
    at="Theorem F.4, first display, with L/sqrt(K b), from Proposition F.2 in each round",
    kind="asymptotic",
    uses=["thm-f.4-visits"],
)
def utility_of_diff2_bvr_l_sgd():
    """For the R rounds of DIFF2-BVR-L-SGD, in each of which Proposition F.2 holds, with C_1 = k_1 G, C_2 =
    k_2 L, C_3 = k_3 L, 1/eta = 2L + 5 (K zeta + sqrt K L/sqrt b + sqrt K C_3 sigma_3 sqrt d + K sqrt T C_2
    sigma_2 sqrt d) (thm-f.4-eta; 5 > 2 sqrt(2e)), sigma_1^2 <= A R/(T (N eps)^2), sigma_2^2 <= A R/(N
    eps)^2, sigma_3^2 <= A (K R/(n^2 P eps^2) + 1/(b^2 eps)), N = n P, tau R <= T <= 1 + tau R and f(x_0) -
    f(x_*) <= Delta: E|grad f(x_out)|^2 <= 2 Delta (2 L/K + 5 (zeta + L/sqrt(K b)) + 5 k_3 sqrt(A) L sqrt
    d/(sqrt K b sqrt eps))/R + 10 Delta k_3 sqrt(A) L sqrt d/(n sqrt P eps sqrt R) + 10 Delta k_2 sqrt(A) (L
    sqrt d/(N eps sqrt R) + eps_opt) + 2 e A k_1^2 eps_opt.

    The text has sqrt K b in the theorems and the last two displays of the proof, and sqrt(K b) in the three
    displays between; each is right for one of the two terms of c_1. Theorem F.4's own eta, of the order sqrt
    b/(sqrt K L), forces sqrt(K b) in the first: 1/(eta K R) is L/(sqrt(K b) R). sigma_3 ~ 1/(b sqrt eps)
    gives L sqrt d/(sqrt K b sqrt eps), the second. So a reader who follows the proof reads it; with L/(sqrt K
    b) the theorem is false (thm-f.4-printed). L sqrt d/(N eps sqrt R) is below the term with sqrt P, as
    printed.
    """
    bound = FLOORED.subs(a, 5)
    return (
        Theorem(given=chosen(R / P), shows=AtMost(MEAN, bound.subs(VISITS, PRINTED)))
        .use("thm-f.4-visits", "R/P visits", v=R / P)
        .have(Equal(VISITS.subs(visits, R / P), PRINTED), "v = R/P")
    )


@claim(
    PAPER,
    "thm-f.4-limits",
    at="Theorem F.4 at the ends of its parameters",
    kind="inequality",
    uses=["thm-f.4-terms"],
    standing="ours",
)
def bound_of_local_steps_at_the_ends_of_its_parameters():
    """The bound of thm-f.4-terms is: without noise (A = 0; this A is A_0) 2 Delta (2 L/K + a (zeta + L/sqrt(K
    b)))/R, that of local steps alone; at K = 1, and for clients as different as zeta = L, a >= 2, at least
    the 4 Delta L/R of gradient descent, so that local steps gain nothing there; with one client the two terms
    in 1/sqrt R are equal.
    """
    noise = sp.Symbol("A_0", nonnegative=True)  # A, which may be 0 here
    quiet = 2 * gap * (2 * L / K + a * (zeta + L / sp.sqrt(K * b))) / R
    return AllOf(
        Equal(FLOORED.subs(A, noise), quiet, given=[sp.Eq(noise, 0)]),
        AtMost(4 * gap * L / R, FLOORED, given=[sp.Eq(K, 1)]),
        AtMost(4 * gap * L / R, FLOORED, given=[sp.Eq(zeta, L), a >= 2]),
        Equal(PRINTED, TRAVELLED, given=[sp.Eq(P, 1)]),
    )
