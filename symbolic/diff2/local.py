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
from dpverify.symbolic.diff2 import theorem_f_4 as f
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
    own = Function("f_p", smooth=L)
    others = Function("g", smooth=L)
    x, y = vectors("x y")
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
    "thm-5.3-printed",
    at="Theorem 5.3, with L/(sqrt K b) in c_1",
    kind="asymptotic",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="thm-5.3",
)
def some_step_size_reaches_the_floor_in_too_few_rounds():
    """For some eta and T, R = Theta(1) + c_1/eps_opt + c_2/eps_opt^2 rounds, c_1 = L/K + zeta + L/(sqrt K b)
    + L sqrt d/(sqrt K b sqrt eps), c_2 = L^2 d/(n^2 P eps^2), give E|grad f(x_out)|^2 = O(eps_opt) for every
    loss of the class: eta and T are made of the constants, as in Theorem F.4. (L/sqrt(K b) is meant, thm-f.4;
    this is how far the other reading goes wrong: no step size saves it.)

    The path: K = n = N = j^12, b = G = C_1 = j^6, zeta = j^-12, L = C_2 = C_3 = d = eps = P = 1, delta =
    e^(-1/2) (a = 2). eps_opt = j^-12, c_1/eps_opt = 4, c_2/eps_opt^2 = 1: R is any constant, or grows
    like a power of log j, j >= 2 10^6 R^3. By Proposition E.2 (u_1 = u_2 = 3), whatever T is, (sigma_1
    C_1)^2 <= s j^-12, sigma_2^2 <= s j^-24
    and sigma_3^2 <= s j^-12, s = 430 R. Let g^2 = j^-11/(216 R)^(3/2). Every eta fails on one of three
    losses, with x_0 = 0, where f has the slope -g up to 1/g, then turns with curvature 1 until its
    slope is g (corners rounded):

    1. eta <= 1/j. All records have this f. Before the turn E v^2 grows by exp(s/j^2) <= 2 at most in a
    round, and that of the server by 1 + 2 s/j^2 a round, 2 at most in all, from 2 g^2 at a restart: the way,
    eta times a sum of |v|, has a second moment of at most (eta K R)^2 8 g^2, and by Markov it reaches the
    turn with a chance of at most 1/2.

    2. 1/j <= eta <= 4. Half of the records have f + q, half f - q, where q has curvature 1 up to 1/g on both
    sides (one record has f if n is odd). Before the turn v_k = v_{k-1} (1 - z), z = eta (m + sigma_3 Z), m
    the mean of a batch of +-1 without replacement, so that z is symmetric with E z^2 >= eta^2/(2 b) and E
    z^4 <= 3 eta^4 (1/b + sigma_3^2)^2 (no convex function of the sum has a larger mean without replacement,
    Hoeffding), and E|1 - z|^(2/3) <= 1 - E z^2/9 + E z^4 <= 1 -
    eta^2/(36 b). So the way W of a round has E W^(2/3) <= 36 b eta^(-4/3) E|v_1|^(2/3) <= 36 j^(22/3)
    E|v_1|^(2/3), and the server's |v|^(2/3) grows in the mean by 1 + s^(1/3) j^-8 36 j^(22/3) a round, 2 at
    most in all, from (2 g^2)^(1/3): by Markov the turn is reached with a chance of at most 72 R j^(22/3) (2
    g^2)^(1/3) g^(2/3) <= 1/2.

    3. eta >= 4. All records have (x + 1)^2/2 up to |x + 1| = j^6/2 and a constant slope beyond. While inside,
    v_k = v_{k-1} (1 - eta (1 + sigma_3 Z)) at least doubles if |sigma_3 Z| <= 1/4, and x_k or x_{k-1} is
    farther than 2 |v_k| from -1. So with a chance of at least 1/2 one of the first j^6 + 1 of the K R points
    has the gradient j^6/2: E|grad f(x_out)|^2 >= 1/(8 R).

    In the first two E|grad f(x_out)|^2 >= g^2/2, which is of the order j^-11, as in the third.
    """
    late, half = [j >= 2 * 10**6 * R**3], sp.Rational(1, 2)
    noise = 430 * R  # s
    slope2 = 1 / (sp.sqrt(216 * R) ** 3 * j**11)
    best = sp.S.One / j**12
    w = sp.Symbol("w", real=True)  # the cube root of 1 + z
    z = w**3 - 1
    return Instance(
        BigO(slope2 / 2, best, of=[R]),
        let={
            "K, n, N, 1/zeta": "j^12",
            "b, G, C_1": "j^6",
            "L, C_2, C_3, d, eps, P": "1",
            "delta, a, eps_opt": "exp(-1/2), 2, j^-12",
            "R, T, eta": "any constant, any, any",
            "l(., z), eta <= 1/j": "slope -g, g^2 = j^-11/(216 R)^(3/2), up to 1/g, then turning up",
            "l(., z), 1/j <= eta <= 4": "the same, plus or minus x^2/2 for half of the records each",
            "l(., z), eta >= 4": "(x + 1)^2/2 up to |x + 1| = j^6/2",
        },
        meets=[
            Equal(floor(j**12, 1, 1, 1, j**6), best),
            Equal((1 / j**12 + 1 / j**12 + 2 / (sp.sqrt(j**12) * j**6)) / best, 4),
            Equal(second(j**12, 1, 1, 1) / best**2, 1),
            AtMost((j**6) ** 2, j**12),  # N = Omega(G^2 sqrt d/(L eps))
            AtMost(11 * j**6, j**12, given=late),  # b <= n/(2 e a)
            AtMost(2 * noise / j**12 * j**18, 4 * j**12, given=late),  # b^3 <= 4 n/(a sigma_3^2)
            AtMost(noise / j**12, slope2, given=late),
            AtMost(1 / slope2, (j**6) ** 2 / 4, given=late),
            AtMost(2 * R * noise / j**2, half, given=late),
            AtMost(8 * (j**11 * R) ** 2 * slope2**2, half),
            AtMost(w**2, 1 + 2 * z / 3 - z**2 / 9 + 4 * z**3 / 81 + z**4),
            AtMost(noise / j**12, 1 / j**6, given=late),
            AtMost(36 * 12 * 4**2 / j**6, 1, given=late),
            AtMost((36 * R) ** 3 * noise / j**2, half**3, given=late),
            AtMost((72 * R) ** 3 * 2 * j**22 * slope2**2, half**3),
            AtMost((4 + 16 * j**6) * noise / j**12, half, given=late),
        ],
        because="the mean over a batch varies by L/sqrt(b), which no step size makes up for",
    )


ROOT = sp.sqrt(f.A)
START = L / f.K + f.zeta + L / sp.sqrt(f.K * f.b) + f.LOCAL  # c_1
WAY = L * sp.sqrt(d) / (f.n * sp.sqrt(P) * eps)  # the square root of c_2
ENOUGH = R >= 1 + START / f.BEST + WAY**2 / f.BEST**2


def reached(k):
    """What R rounds reach if the noise of the local steps is at most k eps_opt."""
    local, moves = 10 * f.gap * f.k_3 * ROOT, 20 * f.gap * f.k_2 * ROOT
    return (14 * f.gap * (1 + f.k_3 * ROOT) + k * local + moves + 2 * sp.E * f.A * f.k_1**2) * f.BEST


@claim(
    PAPER,
    "thm-5.3-rounds",
    at="Theorem 5.3, the choice of R",
    kind="inequality",
    uses=["rounds"],
    standing="ours",
)
def stated_rounds_make_every_term_as_small_as_the_floor():
    """If R >= 1 + c_1/eps_opt + c_2/eps_opt^2, c_1 = L/K + zeta + L/sqrt(K b) + L sqrt d/(sqrt K b sqrt eps),
    c_2 = L^2 d/(n^2 P eps^2), eps_opt = (L G d)^(2/3)/(n P eps)^(4/3), and the noise V of the local steps is
    at most k eps_opt, the right side of Theorem F.4 is at most (14 Delta (1 + k_3 sqrt A) + 10 k Delta k_3
    sqrt A + 20 Delta k_2 sqrt A + 2e A k_1^2) eps_opt.
    """
    noise, k = sp.symbols("V k", positive=True)
    rate, moves = 14 * f.gap * (1 + f.k_3 * ROOT), 20 * f.gap * f.k_2 * ROOT
    ten = 10 * f.gap * f.k_3 * ROOT
    return (
        Theorem(
            given=[ENOUGH, noise <= k * f.BEST],
            shows=AtMost(f.FLOORED.subs(f.VISITS, noise).subs(f.a, 5), reached(k)),
        )
        .use("rounds", "the choice of R", R=R, s=START, q=WAY, B=f.BEST, k=rate)
        .have(AtMost(2 * f.gap * f.FIRST.subs(f.a, 5) / R, rate * START / R), "each term of c_1")
        .have(AtMost(f.TRAVELLED, WAY / sp.sqrt(R)), "P >= 1")
        .have(AtMost(sp.Rational(5, 2) * f.QUIET, moves * f.BEST), "R >= c_2/eps_opt^2")
        .have(AtMost(ten * noise, ten * k * f.BEST), "the noise of the local steps")
    )


@claim(
    PAPER,
    "thm-5.3",
    at="Theorem 5.3, with L/sqrt(K b) in c_1, from Proposition F.2 in each round",
    kind="asymptotic",
    uses=["thm-f.4", "thm-5.3-rounds", "rounds"],
)
def rounds_of_diff2_bvr_l_sgd():
    """With eta, T and the noise as in thm-f.4, R >= 1 + c_1/eps_opt + c_2/eps_opt^2 rounds, c_1 = L/K + zeta
    + L/sqrt(K b) + L sqrt d/(sqrt K b sqrt eps), c_2 = L^2 d/(n^2 P eps^2), eps_opt = (L G d)^(2/3)/(n P
    eps)^(4/3), give E|grad f(x_out)|^2 <= (14 Delta (1 + k_3 sqrt A) + 10 Delta k_3 sqrt A + 20 Delta k_2
    sqrt A + 2e A k_1^2) eps_opt: a constant of the problem and the logarithm A.

    The text has L/(sqrt K b) for L/sqrt(K b); the proof of Theorem F.4 settles which is meant (thm-f.4). The
    noise is of the orders that Proposition 5.1 prints; with fewer rounds than clients it does not hide a
    record (prop-5.1), and thm-5.3-visits is the theorem with noise that does.
    """
    return (
        Theorem(given=[*f.chosen(R / P), ENOUGH], shows=AtMost(f.MEAN, reached(1)))
        .use("thm-f.4", "Theorem F.4")
        .use("rounds", "the choice of R", R=R, s=START, q=WAY, B=f.BEST, k=1)
        .have(AtMost(f.PRINTED, f.BEST), "R >= c_2/eps_opt^2")
        .use("thm-5.3-rounds", "the other terms", V=f.PRINTED, k=1)
    )


ONCE = R >= L * sp.sqrt(d) / (f.n * eps * f.BEST)


@claim(
    PAPER,
    "thm-5.3-local",
    at="Theorem 5.3, the noise of the local steps with v <= 1 + R/P visits",
    kind="inequality",
    uses=["rounds"],
    standing="ours",
)
def noise_of_the_local_steps_is_twice_the_floor():
    """If R >= 1 + c_1/eps_opt + c_2/eps_opt^2, R >= L sqrt d/(n eps eps_opt) and v <= 1 + R/P: L sqrt d sqrt
    v/(n eps R) <= 2 eps_opt.

    The second condition is needed where R < P: at P = G = 1000, n = d = L = eps = v = 1, K = b = 10^12, zeta
    = 10^-9 and R = 12 the first holds, and the term is 1/12, where 2 eps_opt is .02.
    """
    once, share = L * sp.sqrt(d) / (f.n * eps * R), sp.sqrt(R) / sp.sqrt(P)
    return (
        Theorem(given=[ENOUGH, ONCE, f.visits <= 1 + R / P], shows=AtMost(f.VISITS, 2 * f.BEST))
        .use("rounds", "the choice of R", R=R, s=START, q=WAY, B=f.BEST, k=1)
        .have(AtMost(sp.sqrt(f.visits), 1 + share), "the root")
        .have(AtMost(f.VISITS, once * (1 + share)), "times L sqrt d/(n eps R)")
        .have(Equal(once * (1 + share), once + WAY / sp.sqrt(R)), "multiplied out")
        .have(AtMost(once, f.BEST), "R >= L sqrt d/(n eps eps_opt)")
    )


@claim(
    PAPER,
    "thm-5.3-visits",
    at="Theorem 5.3, with the number of visits, up to ceil(R/P), in the noise, from Proposition F.2 in each "
    "round",
    kind="asymptotic",
    uses=["thm-f.4-visits", "thm-5.3-rounds", "thm-5.3-local"],
    standing="ours",
)
def rounds_of_diff2_bvr_l_sgd_with_few_visits():
    """The same with the noise that prop-5.1-corrected asks for, sigma_3^2 <= A (K v/(n^2 eps^2) + 1/(b^2
    eps)), v = ceil(R/P) or any other v <= 1 + R/P, for fewer rounds than clients too, if R >= L sqrt d/(n eps
    eps_opt) as well: the noise of the local steps counts twice. (From P rounds on this follows from R >=
    c_2/eps_opt^2.)
    """
    return (
        Theorem(
            given=[*f.chosen(f.visits), ENOUGH, ONCE, f.visits <= 1 + R / P],
            shows=AtMost(f.MEAN, reached(2)),
        )
        .use("thm-f.4-visits", "Theorem F.4")
        .use("thm-5.3-local", "the noise of the local steps")
        .use("thm-5.3-rounds", "the other terms", V=f.VISITS, k=2)
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

    It is P L^(2/3) (N eps)^(2/3)/(d^(1/3) G^(4/3)), and grows with N. The path: L = G = d = eps = P = 1, N =
    j^3, on which it is j^2.
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
    uses=["thm-5.3"],
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
