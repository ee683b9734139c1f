"""Appendix D.2: Lemma 11, the error of the momentum without its noise, and its proof line by line.

E|m_t - grad F(w_t)| <= 2 G sqrt(alpha) + 2 eta N L + eta L/alpha, as printed; + (1-alpha)^t G, as m_0 = 0
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, inner, norm, norm2, total, vectors
from dpverify.relations import AtMost, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.symbolic.momentum_agg.lemma_5 import G, L, N, T, alpha, eta, i, t
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED


@claim(PAPER, "l11-cross-same", at="Lemma 11, proof, cross terms of one epoch", kind="inequality")
def cross_terms_of_one_epoch_are_not_positive():
    """For two places of one permutation of N >= 2 records and A_k = grad f(w, x_k) - grad F(w), which sum to
    0: E c_i c_j <A_{pi_i}, A_{pi_j}> = -c_i c_j E|A|^2/(N-1) <= 0. ("< 0" fails if all A_k are 0.)

    The mean of <A_k, A_l> over k != l is (|sum A|^2 - sum |A|^2)/(N (N-1)).
    """
    k, A = sp.Symbol("k", integer=True, positive=True), VectorSequence("A")
    c = sp.Symbol("c", nonnegative=True)  # c_i c_j
    whole, squares = norm2(total(A[k], (k, 1, N))), sp.Sum(norm2(A[k]), (k, 1, N))
    centred = [sp.Eq(whole, 0), N >= 2]
    mean = c * (whole - squares) / (N * (N - 1))
    return AllOf(Equal(mean, -c * squares / N / (N - 1), given=centred), AtMost(mean, 0, given=centred))


@claim(PAPER, "l11-cross-diff", at="Lemma 11, proof, cross terms of two epochs", kind="identity")
def cross_terms_of_two_epochs_vanish():
    """E c_i c_j <A_i, A_j> = 0 for i in an earlier epoch: given the past, A_i is a fixed vector and pi_j
    uniform on the records, over which A_k sums to 0.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    X = Vector("A_i")
    A = VectorSequence("A")
    c = sp.Symbol("c", nonnegative=True)
    whole = norm2(total(A[k], (k, 1, N)))
    return Equal(c * sp.Sum(inner(X, A[k]), (k, 1, N)) / N, 0, given=[sp.Eq(whole, 0)])


@claim(PAPER, "l11-4ag2", at="Lemma 11, proof, last display", kind="inequality")
def squared_weights_are_at_most_alpha():
    """4 G^2 alpha^2 sum_{i<=t} (1-alpha)^(2(t-i)) <= 4 alpha G^2 for alpha < 1 (at alpha = 1 both are 4
    G^2).
    """
    return AtMost(
        4 * G**2 * alpha**2 * sp.Sum((1 - alpha) ** (2 * (t - i)), (i, 1, t)),
        4 * alpha * G**2,
        given=[alpha < 1],
    )


entry = sp.IndexedBase("v", real=True)  # one coordinate of grad F(w_i), any sequence of numbers
AVERAGE = alpha * sp.Sum((1 - alpha) ** (t - i) * entry[i], (i, 1, t))
CENTRED = alpha * sp.Sum((1 - alpha) ** (t - i) * (entry[i] - entry[t]), (i, 1, t))


@claim(
    PAPER,
    "l11-split",
    at="Lemma 11, proof, last term of Eq (5)",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="l11-split-corrected",
)
def weights_sum_to_one():
    """alpha sum_i (1-alpha)^(t-i) grad F(w_i) - grad F(w_t) = alpha sum_i (1-alpha)^(t-i) (grad F(w_i) - grad
    F(w_t)), in every coordinate: as if the weights summed to 1.
    """
    return Equal(AVERAGE - entry[t], CENTRED, given=[alpha < 1])


@claim(
    PAPER,
    "l11-split-corrected",
    at="Lemma 11, proof, last term of Eq (5), corrected",
    kind="identity",
    standing="ours",
)
def weights_sum_to_one_less_a_power():
    """The weights sum to 1 - (1-alpha)^t: alpha sum_i (1-alpha)^(t-i) v_i - v_t = alpha sum_i
    (1-alpha)^(t-i) (v_i - v_t) - (1-alpha)^t v_t.
    """
    return Equal(AVERAGE - entry[t], CENTRED - (1 - alpha) ** t * entry[t], given=[alpha < 1])


@claim(
    PAPER,
    "l11-g1",
    at="Lemma 11, proof, g_1",
    kind="identity",
    expect=REFUTED,
    breaks="proof",
    correction="l11-g1-corrected",
)
def average_started_at_the_first_gradient():
    """If g_1 = grad F(w_1) and g_t = (1-alpha) g_{t-1} + alpha grad F(w_t), then g_t = alpha sum_{i<=t}
    (1-alpha)^(t-i) grad F(w_i).
    """
    first = entry[1]
    return Instance(
        Equal(first, alpha * first, given=[alpha < 1]),
        let={"t": "1", "v[1]": "a coordinate of grad F(w_1)"},
        because="at t = 1 the left side is grad F(w_1), the right side alpha grad F(w_1)",
    )


@claim(PAPER, "l11-g1-corrected", at="Lemma 11, proof, g_0 = 0", kind="identity", standing="ours")
def average_started_at_zero():
    """With g_1 = alpha grad F(w_1), that is g_0 = 0: g_t = alpha sum_{i<=t} (1-alpha)^(t-i) grad F(w_i) obeys
    g_{t+1} = (1-alpha) g_t + alpha grad F(w_{t+1}), in every coordinate.
    """
    beta = sp.Symbol("beta", positive=True)  # 1 - alpha
    average = (1 - beta) * sp.Sum(beta ** (t - i) * entry[i], (i, 1, t))
    return Equal(average.subs(t, t + 1), beta * average + (1 - beta) * entry[t + 1], given=[beta < 1])


@claim(
    PAPER,
    "l11-unroll",
    at="Lemma 11, proof, unrolled",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="l11-unroll-corrected",
)
def unrolled_drift():
    """g_t - grad F(w_t) = sum_{i=1..t} (1-alpha)^(t-i) (grad F(w_{i-1}) - grad F(w_i)) with g_1 = grad F(w_1)
    and any w_0.
    """
    v = [sp.Symbol(f"v_{k}", real=True) for k in range(3)]
    g_2 = (1 - alpha) * v[1] + alpha * v[2]
    return Instance(
        Equal(g_2 - v[2], (1 - alpha) * (v[0] - v[1]) + v[1] - v[2], given=[alpha < 1]),
        let={"t": "2", "v_k": "a coordinate of grad F(w_k)"},
        because="every power of 1-alpha is one too low, and w_0 is no iterate",
    )


drift = sp.IndexedBase("r", nonnegative=True)


@claim(PAPER, "l11-recursion", at="Lemma 11, proof, unrolling", kind="inequality", standing="ours")
def averages_forget_their_start():
    """If x_{i+1} <= beta x_i + (1-beta) u for i = 1..t, beta = 1-alpha < 1, and x_1 <= b, then x_{t+1} <=
    beta^t b + u (x_1 is the value at time 0, x_{t+1} that at time t), in expectation as for every outcome.
    """
    x, u, b = sp.IndexedBase("x", nonnegative=True), *sp.symbols("u b", nonnegative=True)
    beta = sp.Symbol("beta", positive=True)
    added = sp.Sum(beta ** (t - i) * (1 - beta) * u, (i, 1, t))
    return (
        Theorem(
            given=[
                ForEvery(AtMost(x[i + 1], beta * x[i] + (1 - beta) * u), i, 1, t),
                x[1] <= b,
                beta < 1,
            ],
            shows=AtMost(x[t + 1], beta**t * b + u),
        )
        .unroll(x[i], beta, (1 - beta) * u, (i, 1, t), "t steps")
        .have(Equal(added, u * (1 - beta**t)), "a geometric sum")
        .have(AtMost(beta**t * x[1], beta**t * b), "the start, times its power")
    )


@claim(PAPER, "l11-drift-step", at="Lemma 11, proof, r_t, one step", kind="inequality", standing="ours")
def one_step_of_the_average_of_gradients():
    """For L-smooth F and |w' - w| <= eta: |(1-alpha) g + alpha grad F(w') - grad F(w')| <= (1-alpha)(|g -
    grad F(w)| + eta L).
    """
    F, (w, after, g) = Function("F", smooth=L), vectors("w w1 g")
    moved = (1 - alpha) * g + alpha * F.gradient(after) - F.gradient(after)
    bound = (1 - alpha) * (norm(g - F.gradient(w)) + eta * L)
    return AtMost(norm(moved), bound, given=[alpha <= 1, norm(after - w) <= eta])


@claim(
    PAPER,
    "l11-unroll-corrected",
    at="Lemma 11, proof, unrolled, corrected",
    kind="inequality",
    uses=["l11-drift-step"],
    standing="ours",
)
def unrolled_drift_corrected():
    """If r_{i+1} <= (1-alpha)(r_i + eta L) at every step, which is l11-drift-step, and it starts at |0 - grad
    F(w_1)| <= G, then after t steps it is at most (1-alpha)^t G + eta L/alpha; beta = 1-alpha, and r_1 is the
    start.
    """
    beta = sp.Symbol("beta", positive=True)
    step = ForEvery(AtMost(drift[i + 1], beta * (drift[i] + eta * L)), i, 1, t)
    added = sp.Sum(beta ** (t - i) * beta * eta * L, (i, 1, t))
    return (
        Theorem(
            given=[step, drift[1] <= G, beta < 1],
            shows=AtMost(drift[t + 1], beta**t * G + eta * L / (1 - beta)),
        )
        .unroll(drift[i], beta, beta * eta * L, (i, 1, t), "t steps")
        .have(Equal(added, beta * eta * L * (1 - beta**t) / (1 - beta)), "a geometric sum")
        .have(
            AtMost(beta * eta * L * (1 - beta**t) / (1 - beta), eta * L / (1 - beta)), "two factors below 1"
        )
        .have(AtMost(beta**t * drift[1], beta**t * G), "the start, times its power")
    )


@claim(PAPER, "l11-anchor-step", at="Lemma 11, proof, anchors, one step", kind="inequality", standing="ours")
def one_step_of_the_average_of_differences():
    """For L-smooth f and |w' - w| <= eta N: |(1-alpha) X + alpha (grad f(w') - grad f(w))| <= (1-alpha)|X| +
    alpha eta N L.
    """
    f, (w, after, X) = Function("f", smooth=L), vectors("w w1 X")
    moved = (1 - alpha) * X + alpha * (f.gradient(after) - f.gradient(w))
    bound = (1 - alpha) * norm(X) + alpha * eta * N * L
    return AtMost(norm(moved), bound, given=[alpha <= 1, norm(after - w) <= eta * N])


@claim(
    PAPER,
    "l11-variance",
    at="Lemma 11, proof, last display, over epochs",
    kind="inequality",
    uses=["l11-cross-same", "l11-cross-diff", "l11-4ag2"],
    standing="ours",
)
def epochs_add_their_variances():
    """If the sum over epochs X -> X + nu_q has E nu_q = 0 and E|nu_q|^2 = v_q <= 4 G^2 alpha^2 u_q given the
    past, u_q the squared weights of epoch q, which sum to at most 1/alpha (l11-4ag2), then E|X|^2 <= 4 alpha
    G^2 after the last epoch.
    """
    square, weight = sp.IndexedBase("s", nonnegative=True), sp.IndexedBase("u", nonnegative=True)
    X, q = Vector("X"), sp.Symbol("q", integer=True, positive=True)
    most = 4 * G**2 * alpha**2 * weight[q]
    noise = Noise("nu", variance=most)
    run = Iterates(square, norm2(X), [X], [X + noise], [noise], q, 1, T)
    weights = sp.Sum(weight[q], (q, 1, T))
    return (
        Theorem(
            given=[run, sp.Eq(square[1], 0), alpha * weights <= 1],
            shows=AtMost(square[T + 1], 4 * alpha * G**2),
        )
        .descend(run, 1, most, "the cross terms vanish")
        .unroll(square[q], sp.Integer(1), most, (q, 1, T), "all epochs")
        .have(Equal(sp.Sum(most, (q, 1, T)), 4 * G**2 * alpha**2 * weights), "the factor comes out")
    )


@claim(
    PAPER,
    "lemma-11",
    at="Lemma 11",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-11-corrected",
)
def momentum_is_near_the_gradient():
    """E|m_t - grad F(w_t)| <= 2 G sqrt(alpha) + 2 eta N L + eta L/alpha for every t.

    The case: f(w, x) = G w for every record (L-smooth for every L > 0), t = 1: m_1 = alpha G from m_0 = 0,
    grad F = G.
    """
    stated = 2 * G * sp.sqrt(alpha) + 2 * eta * N * L + eta * L / alpha
    return Instance(
        AtMost((1 - alpha) * G, stated, given=[alpha < 1, alpha * N >= 1]),
        let={"f(w, x)": "G w", "d": "1", "t": "1"},
        because="the weights alpha (1-alpha)^(t-i) sum to 1 - (1-alpha)^t, which is alpha at t = 1",
    )


@claim(
    PAPER,
    "lemma-11-corrected",
    at="Lemma 11, corrected",
    kind="inequality",
    uses=["l11-variance", "l11-anchor-step", "l11-recursion", "l11-unroll-corrected"],
    standing="ours",
)
def momentum_is_near_the_gradient_after_a_while():
    """E|m_t - grad F(w_t)| <= 2 G sqrt(alpha) + 2 eta N L + eta L/alpha + (1-alpha)^t G for m_0 = 0.

    m_t - grad F(w_t) is X + A + B + D: the sampling error X at the anchors, whose second moment s is at most
    4 alpha G^2 (l11-variance); two averages A and B of differences from the anchors, at most eta N L long
    (l11-anchor-step for f and for F, l11-recursion); and the average of grad F less grad F(w_t), D, at most
    (1-alpha)^t G + eta L/alpha (l11-unroll-corrected). The lengths of A, B, D and the triangle, the first
    part, hold for every outcome; the second part is about the expectation.
    """
    s, (A, B, D, outcome) = sp.Symbol("s", positive=True), vectors("A B D x")
    X, start = Noise("X", variance=s), (1 - alpha) ** t * G
    rest = 2 * eta * N * L + eta * L / alpha + start
    sizes = [norm(A) <= eta * N * L, norm(B) <= eta * N * L, norm(D) <= start + eta * L / alpha, alpha < 1]

    def triangle(x):
        return AtMost(norm(x + A + B + D), norm(x) + norm(A) + norm(B) + norm(D))

    return AllOf(
        triangle(outcome),
        Theorem(
            given=[s <= 4 * alpha * G**2, *sizes],
            shows=AtMost(E(norm(X + A + B + D)), 2 * G * sp.sqrt(alpha) + rest),
        )
        .expect(triangle(X), [X], "the triangle")
        .jensen(norm2(X), [X])
        .have(AtMost(sp.sqrt(s), 2 * G * sp.sqrt(alpha)), "the root of the second moment"),
    )
