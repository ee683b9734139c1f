"""Section 5: similar clients, Theorem 5.3 and Remark 5.4.

R = 1 + c_1/eps_opt + c_2/eps_opt^2,   c_2 = L^2 d/(n^2 P eps^2) = P L^2 d/(N eps)^2,   N = n P
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.functions import Function
from dpverify.language.vectors import norm2, vectors
from dpverify.relations import AtMost, BigO, Equal, Instance, Quoted
from dpverify.symbolic.diff2 import PAPER
from dpverify.symbolic.diff2.utility import floor
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED, UNDECIDED

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
    PAPER, "assumption-5.2-note-corrected", at="Section 5, above Assumption 5.2, corrected", kind="inequality"
)
def clients_are_always_similar_within_twice_the_smoothness():
    """It always holds with zeta = 2 (1 - 1/P) L."""
    relation, change, moved = heterogeneity(2 * (1 - sp.S.One / P) * L)
    return Theorem(shows=relation).have(AtMost(norm2(change), 4 * L**2 * moved), "both are L-smooth")


def second(N, eps, d, P, L=1):
    """c_2 of Theorem 5.3."""
    return P * L**2 * d / (N * eps) ** 2


@claim(PAPER, "thm-5.3", at="Theorem 5.3", kind="asymptotic", uses=["thm-5.3-rounds"], expect=UNDECIDED)
def utility_for_some_step_size():
    """For some eta and T, R = Theta(1) + c_1/eps_opt + c_2/eps_opt^2 rounds with c_1 = Theta(L/K + zeta +
    L/(sqrt K b)) + ... give E|grad f(x_out)|^2 <= eps_opt.
    """
    return Quoted(
        "the theorem leaves eta open, and its printed proof has L/sqrt(K b) for L/(sqrt K b): "
        "with the eta of "
        "Theorem F.4 it fails (thm-f.4, thm-5.3-rounds), with L/sqrt(K b) it holds (thm-5.3-corrected)"
    )


@claim(
    PAPER,
    "thm-5.3-rounds",
    at="Theorem 5.3, the rounds by its proof",
    kind="asymptotic",
    uses=["thm-f.4-c1"],
    expect=REFUTED,
    breaks="proof",
    correction="thm-5.3-corrected",
)
def rounds_of_diff2_bvr_l_sgd_as_printed():
    """With R = 1 + c_1/eps_opt + c_2/eps_opt^2, c_1 = L/K + zeta + L/(sqrt K b) + L sqrt d/(sqrt K b sqrt
    eps), the bound of Theorem F.4's proof, of which L/(sqrt(K b) R) is a term, is O(eps_opt). (Theorem 5.3
    leaves eta open: another proof may give it.)

    The path: K = j^4, b = j^2, zeta = j^-4, N = j^12, L = G = d = eps = P = 1: eps_opt = j^-16, R ~ 4 j^12,
    and j^-3/R is of the order j^-15.
    """
    best = sp.S.One / j**16
    rounds = 1 + (4 / j**4) / best + second(j**12, 1, 1, 1) / best**2
    return Instance(
        BigO(sp.simplify(1 / (j**3 * rounds)), best),
        let={"K, b, zeta": "j^4, j^2, j^-4", "N": "j^12", "L, G, d, eps, P": "1", "eps_opt": "j^-16"},
        meets=[Equal(floor(j**12, 1, 1, 1, 1), best)],
        because="c_1 of the proof is larger than that of the theorem by the root of b",
    )


@claim(
    PAPER,
    "thm-5.3-corrected",
    at="Theorem 5.3, with L/sqrt(K b) in c_1",
    kind="asymptotic",
    uses=["thm-f.4-corrected"],
)
def rounds_of_diff2_bvr_l_sgd():
    """If R >= 1 + c_1/eps_opt + c_2/eps_opt^2, the bound a c_1/R + b sqrt(c_2/R) + c eps_opt is at most (a +
    b + c) eps_opt, whatever the constants are. c_1 is any number at least the first factor of
    thm-f.4-corrected, L/K + zeta + L/sqrt(K b) + L sqrt d/(sqrt K b sqrt eps), and sqrt(c_2/R) its second
    term L sqrt d/(n sqrt P eps sqrt R).
    """
    best, c_2, a, b, c = sp.symbols("epsilon_opt c_2 a b c", positive=True)
    return (
        Theorem(
            given=[R >= 1 + c_1 / best + c_2 / best**2],
            shows=AtMost(a * c_1 / R + b * sp.sqrt(c_2 / R) + c * best, (a + b + c) * best),
        )
        .have(AtMost(c_1 / R, best), "R >= c_1/eps_opt")
        .have(AtMost(c_2 / R, best**2), "R >= c_2/eps_opt^2")
        .have(AtMost(sp.sqrt(c_2 / R), best), "the root")
        .have(AtMost(a * c_1 / R, a * best), "times a")
        .have(AtMost(b * sp.sqrt(c_2 / R), b * best), "times b")
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
    PAPER, "remark-5.4-corrected", at="Remark 5.4, corrected", kind="asymptotic", uses=["thm-5.3-corrected"]
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
