"""Appendix D: the descent lemma, what the noise of a restart interval adds up to, and Proposition D.2.

x_r = x_{r-1} - eta v_r,   v_r = grad f(x_{r-1}) + xi_r                  in a restart round,
v_r = v_{r-1} + grad f(x_{r-1}) - grad f(x_{r-2}) + xi_r                 in the others,
E|xi_r|^2 = d (sigma_1 C_1)^2 and d (sigma_2 C_2 |x_{r-1} - x_{r-2}|)^2

The sequences are expectations: F[r] of f(x_{r-1}), g2[r] of |grad f(x_{r-1})|^2, s2[r] of |x_r - x_{r-1}|^2
and w2[r] of |v_r - grad f(x_{r-1})|^2. The printed sums write C_{2,r} for C_{2,r'} and leave out the
expectation of |x_{r'-1} - x_{r'-2}|^2, which is random; here both are put right.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise, gaussian
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.symbolic.diff2 import PAPER, bounds
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem

r, R, T, d = (sp.Symbol(name, integer=True, positive=True) for name in ("r", "R", "T", "d"))
eta, L, G, C_1, C_2 = sp.symbols("eta L G C_1 C_2", positive=True)
sigma_1, sigma_2 = sp.symbols("sigma_1 sigma_2", nonnegative=True)
F = sp.IndexedBase("F", real=True)
g2, s2, w2, left = (sp.IndexedBase(name, nonnegative=True) for name in ("g2", "s2", "w2", "left"))
least = sp.Symbol("f_star", real=True)


def rounds(term):
    """The sum over all rounds."""
    return sp.Sum(term, (r, 1, R))


def descent_lemma(weight):
    """The descent of one step from x to any random point, with this weight on the error of the step."""
    f = Function("f", smooth=L)
    x = Vector("x")
    mean = Vector("m")
    noise = Noise("nu", variance=sp.Symbol("v", nonnegative=True))
    after = mean + noise
    slope = f.gradient(x)
    error = E(norm2((x - after) / eta - slope), noise)
    bound = f(x) - eta / 2 * norm2(slope) - E(norm2(after - x), noise) / (4 * eta) + weight * error
    lemma = f.descent(x, after)
    return Theorem(given=[2 * eta * L <= 1], shows=AtMost(E(f(after), noise), bound)).expect(
        AtMost(lemma.lhs, lemma.rhs), [noise], "the descent lemma"
    )


@claim(PAPER, "lemma-d.1", at="Lemma D.1", kind="inequality")
def descent_with_the_error_of_the_estimate():
    """For an L-smooth f and eta <= 1/(2L), given the past: E f(x_r) <= f(x_{r-1}) - (eta/2)|grad
    f(x_{r-1})|^2 - E|x_r - x_{r-1}|^2/(4 eta) + eta E|(x_{r-1} - x_r)/eta - grad f(x_{r-1})|^2, whatever the
    law of x_r = m + nu is (m its mean given the past). Averaged over the past it is the printed sentence.
    """
    return descent_lemma(eta)


@claim(PAPER, "lemma-d.1-half", at="Lemma D.1, last display of its proof", kind="inequality")
def descent_with_half_the_error_of_the_estimate():
    """The same with eta/2 on the last term, as the proof has it: the lemma gives away half of it."""
    return descent_lemma(eta / 2)


@claim(
    PAPER,
    "prop-d.2-eq1",
    at="Proposition D.2, Eq (1)",
    kind="inequality",
    uses=["lemma-d.1"],
)
def averaged_descent():
    """If every round descends as in Lemma D.1 and f_* <= E f(x_R): (1/R) sum_r g2[r] <= 2 (F[1] - f_*)/(eta
    R) - (1/(2 eta^2 R)) sum_r s2[r] + (2/R) sum_r w2[r]. (The left side is E|grad f(x_out)|^2, x_out one of
    x_0..x_{R-1} at random.)
    """
    step = F[r] - eta / 2 * g2[r] - s2[r] / (4 * eta) + eta * w2[r]
    descent = ForEvery(AtMost(F[r + 1], step), r, 1, R)
    stated = (
        2 * (F[1] - least) / (eta * R) - rounds(s2[r]) / (2 * eta**2 * R) + sp.Integer(2) / R * rounds(w2[r])
    )
    term = 2 * (F[r] - F[r + 1]) / eta - s2[r] / (2 * eta**2) + 2 * w2[r]
    whole = 2 * (F[1] - least) / eta - rounds(s2[r]) / (2 * eta**2) + 2 * rounds(w2[r])
    return (
        Theorem(given=[descent, least <= F[R + 1]], shows=AtMost(rounds(g2[r]) / R, stated))
        .sum(AtMost(g2[r], term), (r, 1, R), "Lemma D.1, times 2/eta")
        .have(AtMost(rounds(g2[r]), whole), "it telescopes")
    )


@claim(
    PAPER,
    "prop-d.2-unclipped",
    at="Proposition D.2, `Since C_1 >= G is assumed` and `Since C_2 >= L is assumed`",
    kind="inequality",
)
def nothing_is_clipped():
    """For an L-smooth loss with |grad l(x)| < G: no gradient is longer than C_1 >= G, and no difference grad
    l(x) - grad l(y) longer than C_2 |x - y|, C_2 >= L, so that the clip leaves both as they are.
    """
    loss, x, y = Function("l", smooth=L), *vectors("x y")
    slope, change = norm(loss.gradient(x)), norm2(loss.gradient(x) - loss.gradient(y))
    return AllOf(
        AtMost(slope, C_1, given=[slope < G, G <= C_1]),
        Theorem(given=[L <= C_2], shows=AtMost(change, C_2**2 * norm2(x - y)))
        .have(AtMost(change, L**2 * norm2(x - y)), "the loss is smooth")
        .have(AtMost(L**2 * norm2(x - y), C_2**2 * norm2(x - y)), "C_2 >= L"),
    )


@claim(
    PAPER, "prop-d.2-noise", at="Proposition D.2, errors of a restart round and of another", kind="identity"
)
def noise_adds_up_since_the_restart():
    """In a restart round, with noise of standard deviation s = sigma_1 C_1, E|v_r - grad f(x_{r-1})|^2 =
    sigma_1^2 C_1^2 d; k rounds later it is that plus sigma_2^2 C_2^2 d times the sum of the E|x_{r'-1} -
    x_{r'-2}|^2 of these rounds: nothing else is in the error. (w2_r is the first expectation, s2_r that of
    the squared move; x_{r-1} = x_{r-2} - eta v_{r-1}.)
    """
    f = Function("f", smooth=L)
    x, v = vectors("x v")
    s = sp.Symbol("s", nonnegative=True)
    first, after = gaussian("xi", s, d), x - eta * v
    restarted = f.gradient(x) + first
    later = Noise("zeta", variance=d * sigma_2**2 * C_2**2 * norm2(after - x), law="Gaussian")
    step = [after, f.gradient(after) - f.gradient(x) + v + later]
    r, k = (sp.Symbol(name, integer=True, positive=True) for name in ("r", "k"))
    error, moved = (sp.IndexedBase(name, nonnegative=True) for name in ("w2", "s2"))
    errors = Iterates(error, norm2(v - f.gradient(x)), [x, v], step, [later], r, 1, k)
    moves = Iterates(moved, norm2(after - x), [x, v], step, [later], r, 1, k)
    each = sigma_2**2 * C_2**2 * d
    return AllOf(
        Equal(
            E(norm2(restarted - f.gradient(x)), first),
            sigma_1**2 * C_1**2 * d,
            given=[sp.Eq(s, sigma_1 * C_1)],
        ),
        Theorem(
            given=[errors, moves, sp.Eq(error[1], sigma_1**2 * C_1**2 * d)],
            shows=Equal(error[k + 1], sigma_1**2 * C_1**2 * d + each * sp.Sum(moved[r], (r, 1, k))),
        )
        .descend(errors, 1, 0, "one round", beside=[(moves, each)], exact=True)
        .sum(Equal(error[r + 1] - error[r], each * moved[r]), (r, 1, k), "k rounds"),
    )


restart, difference = sp.symbols("a c", nonnegative=True)


@claim(
    PAPER,
    "prop-d.2-sum",
    at="Proposition D.2, the double sum",
    kind="inequality",
    uses=["prop-d.2-noise"],
)
def noise_of_all_rounds():
    """sum_r w2[r] <= R a + T c sum_r s2[r], a = d (sigma_1 C_1)^2 the noise of a restart, c = d (sigma_2
    C_2)^2 that of a difference over a unit move, restarts at least every T rounds, R any.

    left[r] <= T counts the rounds from r to the end of its interval. If r + 1 is in the same interval, left
    falls by 1 and w2 rises by c s2[r]; if it starts the next one, left[r] = 1 and w2[r + 1] = a: both times
    left[r+1] (w2[r+1] - a) = (left[r] - 1)(w2[r] - a + c s2[r]). The first round is a restart (w2[1] <= a),
    and nothing is left after the last. The printed middle term reaches beyond round R if T does not divide
    R; the ends of the chain are right.
    """
    owed = left[r] * (w2[r] - restart)
    after = owed.xreplace({r: r + 1})
    grows = ForEvery(AtMost(after, (left[r] - 1) * (w2[r] - restart + difference * s2[r])), r, 1, R)
    short = ForEvery(AtMost(left[r], T), r, 1, R)
    return (
        Theorem(
            given=[grows, short, w2[1] <= restart, sp.Eq(left[R + 1], 0)],
            shows=AtMost(rounds(w2[r]), R * restart + T * difference * rounds(s2[r])),
        )
        .sum(
            AtMost(w2[r] - restart, owed - after + T * difference * s2[r]),
            (r, 1, R),
            "what is left to pay falls by this round's excess",
        )
        .have(AtMost(rounds(owed - after), 0), "it telescopes")
    )


def rounds_of_diff2_gd(first, second):
    """The R rounds of DIFF2-GD with noise of standard deviation `first` at a restart and `second` over a unit
    move, in each of d coordinates: the first round is a restart, nothing was travelled before it, and nothing
    is left after the last.
    """
    return [
        *bounds.rounds_of_diff2(d * first**2, d * second**2),
        *[sp.Eq(entry, 0) for entry in (bounds.left[1], bounds.s2[1], bounds.left[R + 1])],
    ]


@claim(
    PAPER,
    "prop-d.2",
    at="Proposition D.2",
    kind="inequality",
    uses=["bound-gradient", "prop-d.2-unclipped"],
)
def gradient_of_a_random_round():
    """For the R rounds of DIFF2-GD (x_r = x_{r-1} - eta v_r, v_r = grad f(x_{r-1}) + u_r, u_r made of the
    noise since the last restart, restarts at least every T rounds), 2 eta L <= 1 and 4 eta^2 T d (sigma_2
    C_2)^2 <= 1: the mean over the rounds of E|grad f(x_{r-1})|^2, which is E|grad f(x_out)|^2, is at most 2
    (f(x_0) - f(x_*))/(eta R) + d (sigma_1 C_1)^2. The constants of the O are 2 and 1.
    """
    stated = 2 * bounds.e[1] / (eta * R) + d * sigma_1**2 * C_1**2
    return Theorem(
        given=rounds_of_diff2_gd(sigma_1 * C_1, sigma_2 * C_2),
        shows=AtMost(rounds(g2[r]) / R, stated),
    ).use("bound-gradient", "the rounds", a=d * sigma_1**2 * C_1**2, c=d * sigma_2**2 * C_2**2)


@claim(PAPER, "prop-d.2-eta", at="Proposition D.2, the choice of eta", kind="asymptotic", uses=["prop-d.2"])
def one_step_size_meets_both_conditions():
    """eta = 1/(2L + 2 q), q = sqrt(T d) sigma_2 C_2, meets both conditions of the proof, and is
    Theta(min{1/L, 1/sqrt(T sigma_2^2 C_2^2 d)}): at most a half and at least a quarter of it.
    """
    noise = sp.Symbol("q", positive=True)
    best = sp.Min(1 / L, 1 / noise)
    return Theorem(
        given=[sp.Eq(noise, sp.sqrt(T * d) * sigma_2 * C_2), sp.Eq(eta, 1 / (2 * L + 2 * noise))],
        shows=AllOf(
            AtMost(2 * eta * L, 1),
            AtMost(4 * eta**2 * T * d * sigma_2**2 * C_2**2, 1),
            AtMost(eta, best / 2),
            AtMost(best / 4, eta),
        ),
    ).have(Equal(T * d * sigma_2**2 * C_2**2, noise**2), "squared")
