"""Section 5: similar clients, Theorem 5.3 and Remark 5.4.

R = 1 + c_1/eps_opt + c_2/eps_opt^2,   c_2 = L^2 d/(n^2 P eps^2) = P L^2 d/(N eps)^2,   N = n P
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import norm2, vectors
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.utility import floor
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED

N, P, R, d, j = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "P", "R", "d", "j"))
L, G, eps, c_1 = sp.symbols("L G epsilon c_1", positive=True)
THIRD = sp.Rational(1, 3)
FLOOR = floor(N, eps, d, L, G)


def heterogeneity(bound, given=()):
    """|grad f_p(x) - grad f_p(y) - grad f(x) + grad f(y)| <= bound |x - y|, f_p one of P functions with the
    mean f, the mean g of the others being L-smooth as they are: the difference is (1 - 1/P) that of f_p and
    g.
    """
    own, others, x, y = Function("f_p", smooth=L), Function("g", smooth=L), *vectors("x y")
    change = own.gradient(x) - own.gradient(y) - others.gradient(x) + others.gradient(y)
    return (
        AtMost(norm2((1 - sp.S.One / P) * change), bound**2 * norm2(x - y), given=given),
        change,
        norm2(x - y),
    )


@claim(
    PAPER,
    "assumption-5.2-note",
    at="Section 5, above Assumption 5.2",
    kind="inequality",
    expect=REFUTED,
    breaks="text",
    correction="assumption-5.2-note-corrected",
)
def clients_are_always_similar_within_the_smoothness():
    """Assumption 5.2 always holds with zeta = L under Assumption 2.1: the gradient of f_p - f is L-Lipschitz
    if every loss is L-smooth. (True for convex losses, and for P <= 2.)

    With P = 3, f_1 = x^2/2 and f_2 = f_3 = -x^2/2, the Hessians 1 of f_1 and -1/3 of f differ by 4/3 > L = 1.
    """
    return heterogeneity(L)[0]


@claim(
    PAPER,
    "assumption-5.2-note-corrected",
    at="Section 5, above Assumption 5.2, corrected",
    kind="inequality",
    standing="ours",
)
def clients_are_always_similar_within_twice_the_smoothness():
    """It always holds with zeta = 2 (1 - 1/P) L."""
    relation, change, moved = heterogeneity(2 * (1 - sp.S.One / P) * L)
    return Theorem(shows=relation).have(AtMost(norm2(change), 4 * L**2 * moved), "both are L-smooth")


def second(N, eps, d, P, L=1):
    """c_2 of Theorem 5.3."""
    return P * L**2 * d / (N * eps) ** 2


@claim(
    PAPER,
    "thm-5.3",
    at="Theorem 5.3, with the eta and T of Theorem F.4",
    kind="asymptotic",
    expect=REFUTED,
    breaks="theorem",
    correction="thm-5.3-corrected",
)
def utility_for_the_stated_rounds():
    """With the eta and T of Theorem F.4, of which it is the simplified form, R = 1 + c_1/eps_opt +
    c_2/eps_opt^2 rounds, c_1 = L/K + zeta + L/(sqrt K b) + L sqrt d/(sqrt K b sqrt eps), c_2 = L^2 d/(n^2 P
    eps^2), give E|grad f(x_out)|^2 = O(eps_opt). (Theorem 5.3 says `appropriate eta`: of another eta than
    that of Theorem F.4 nothing is shown here.)

    The path, j >= 6000: K = j^4, b = j^2, zeta = j^-4, n = N = j^12, L = G = C_i = d = eps = P = 1, delta =
    e^(-1/2) (a = 2, u_1 = u_2 = 3): eps_opt = j^-16, R = 1 + 4 j^12 + j^8 <= 5 j^12, T = j^4, sigma_1^2 = 24
    ceil(R/T)/N^2 <= 144 j^-16, sigma_2^2 <= 120 j^-12, sigma_3^2 = 12/b^2, eta = c/j, c = 1 (another c
    changes the constant). All records have the loss with slope -g up to x_0 + 1/g, g^2 = 1/(8 eta K R), which
    then turns up with curvature 1. Before the turn no gradient changes: E v^2 grows by 1 + sigma_3^2 eta^2 a
    local step, that is by e at most in a round, and by 1 + e sigma_2^2 (eta K)^2 <= 1 + 330 j^-6 a round,
    that is by e at most in T rounds, from g^2 + sigma_1^2 <= 2 g^2 at a restart. The way is at most eta sum
    |v|, and by Markov it reaches the turn with a chance of at most (eta K R)^2 2 e^2 g^2 g^2 = e^2/32 < 1/4.
    So E|grad f(x_out)|^2 >= 3 g^2/4, of the order j^-15.
    """
    best, c = sp.S.One / j**16, sp.Integer(1)
    rounds = 1 + (4 / j**4) / best + second(j**12, 1, 1, 1) / best**2
    way = (c / j) * j**4 * rounds  # eta K R
    slope2 = 1 / (8 * way)
    late = [j >= 6000]
    return Instance(
        BigO(sp.simplify(3 * slope2 / 4), best),
        let={
            "K, b, zeta": "j^4, j^2, j^-4",
            "n, N": "j^12",
            "L, G, C_i, d, eps, P": "1",
            "delta, a, eps_opt": "exp(-1/2), 2, j^-16",
            "R, T, eta": "1 + 4 j^12 + j^8, j^4, c/j (c = 1)",
            "sigma_1^2, sigma_2^2, sigma_3^2": "24 ceil(R/T)/N^2, 24 (R - ceil(R/T))/N^2, 12/b^2",
            "l(., z)": "slope -g, g^2 = 1/(8 eta K R), up to x_0 + 1/g, then turning up with curvature 1",
        },
        meets=[
            Equal(floor(j**12, 1, 1, 1, 1), best),
            AtMost(rounds, 5 * j**12, given=late),
            AtMost(144 / j**16, slope2, given=late),
            AtMost(12 / j**4 * (c / j) ** 2 * j**4, 1, given=late),
            AtMost(sp.E * 120 / j**12 * (c * j**3) ** 2 * j**4, 1, given=late),
            AtMost(way**2 * 2 * sp.E**2 * slope2**2, sp.Rational(1, 4), given=late),
        ],
        because="the batch makes 1/eta sqrt(K/b) L, and so c_1 L/sqrt(K b), where c_1 has L/(sqrt K b)",
    )


@claim(
    PAPER,
    "thm-5.3-corrected",
    at="Theorem 5.3, with L/sqrt(K b) in c_1",
    kind="asymptotic",
    uses=["thm-f.4-corrected", "rounds"],
    standing="ours",
)
def rounds_of_diff2_bvr_l_sgd():
    """In the setting of thm-f.4-corrected, if R >= 1 + c_1/eps_opt + c_2/eps_opt^2, c_1 = L/K + zeta +
    L/sqrt(K b) + L sqrt d/(sqrt K b sqrt eps), c_2 = L^2 d/(n^2 P eps^2), eps_opt = (L G d)^(2/3)/(n P
    eps)^(4/3): E|grad f(x_out)|^2 <= (2 Delta ((2 + a)(1 + k_3 sqrt A) + a k_3 sqrt A) + 4 a Delta k_2 sqrt A
    + 2e A k_1^2) eps_opt: a constant of the problem and the logarithm A.
    """
    from dpverify.symbolic.diff2 import appendix_f as f

    best, last = f.BEST, f.LOCAL
    start = L / f.K + f.zeta + L / sp.sqrt(f.K * f.b) + last
    way, root = L * sp.sqrt(d) / (f.n * sp.sqrt(P) * eps), sp.sqrt(f.A)
    rate = 2 * f.gap * (2 + f.a) * (1 + f.k_3 * root)
    visits, moves = 2 * f.gap * f.a * f.k_3 * root, 4 * f.gap * f.a * f.k_2 * root
    return (
        Theorem(
            given=[*f.SETTING, R >= 1 + start / best + way**2 / best**2],
            shows=AtMost(f.gradient, (rate + visits + moves + 2 * sp.E * f.A * f.k_1**2) * best),
        )
        .use("thm-f.4-corrected", "Theorem F.4")
        .use("rounds", "the choice of R", R=R, s=start, q=way, B=best, k=rate)
        .have(AtMost(2 * f.gap * f.FIRST / R, rate * start / R), "each term of c_1")
        .have(AtMost(visits * f.VISITS, visits * best), "R >= c_2/eps_opt^2")
        .have(AtMost(f.TRAVELLED, f.VISITS), "P >= 1")
        .have(AtMost(f.a / 2 * f.QUIET, moves * best), "R >= c_2/eps_opt^2")
    )


@claim(
    PAPER,
    "remark-5.4",
    at="Remark 5.4",
    kind="asymptotic",
    expect=REFUTED,
    breaks="text",
    correction="remark-5.4-corrected",
)
def second_part_of_the_rounds_is_bounded():
    """If N = Omega(L^2 sqrt(P d)/(G eps)), c_2/eps_opt^2 = O(1).

    c_2/eps_opt^2 = P L^(2/3) (N eps)^(2/3)/(d^(1/3) G^(4/3)) grows with N. The path: L = G = d = eps = P = 1,
    N = j^3: j^2.
    """
    ratio = sp.powdenest(sp.simplify(second(j**3, 1, 1, 1) / floor(j**3, 1, 1, 1, 1) ** 2), force=True)
    return Instance(
        BigO(ratio, 1),
        let={"L, G, d, eps, P": "1", "N": "j^3"},
        meets=[AtMost(1, j**3)],
        because="c_2 falls like N^-2, and eps_opt^2 like N^(-8/3)",
    )


@claim(
    PAPER,
    "remark-5.4-corrected",
    at="Remark 5.4, corrected",
    kind="asymptotic",
    uses=["thm-5.3-corrected"],
    standing="ours",
)
def second_part_of_the_rounds_is_below_the_first():
    """c_2/eps_opt^2 <= c_1/eps_opt, so that R = O(1 + c_1/eps_opt), if N >= P^(3/2) L^2 sqrt d/(c_1^(3/2) G
    eps); for c_1 of order 1 that is n = Omega(L^2 sqrt(P d)/(G eps)), which bounds c_2/eps_opt, not
    c_2/eps_opt^2.
    """
    border = P ** sp.Rational(3, 2) * L**2 * sp.sqrt(d) / (c_1 ** sp.Rational(3, 2) * G * eps)
    ratio = (border / N) ** (2 * THIRD)
    return (
        Theorem(given=[N >= border], shows=AtMost(second(N, eps, d, P, L) / FLOOR**2, c_1 / FLOOR))
        .have(AtMost(ratio, 1), "the power 2/3")
        .have(Equal(second(N, eps, d, P, L) / FLOOR**2, ratio * c_1 / FLOOR), "the ratio of the two parts")
        .have(AtMost(ratio * c_1 / FLOOR, c_1 / FLOOR), "at most 1")
    )
