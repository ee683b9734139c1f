"""Section 3 and Appendix D.2, Lemmas 5, 11 and 12: normalised steps with a momentum, and its error.

w_{t+1} = w_t - eta m^_t/|m^_t|,  m^_t = m_t + NOISE_t,  m_t = (1-alpha) m_{t-1} + alpha grad f(w_t, x_t), m_0
= 0

In theorems about a whole run the sequences are expectations: h_t = E F(w_t), g_t = E|grad F(w_t)|, e_t =
E|m^_t - grad F(w_t)|; what one step does to them holds for every outcome (lemma-5-step), so it holds in
expectation.
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import E, Noise, gaussian, gaussian_norm
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, VectorSequence, inner, norm, norm2, total, vectors
from dpverify.relations import AtMost, BigO, Equal, Instance
from dpverify.symbolic.momentum_agg import PAPER
from dpverify.theorems import AllOf, ForEvery, Iterates, Theorem
from dpverify.verdicts import REFUTED

alpha, eta, L, G, R, ell, eps = sp.symbols("alpha eta L G R l epsilon", positive=True)  # l = log(1/delta)
N, T, d, t, i = (sp.Symbol(name, integer=True, positive=True) for name in ("N", "T", "d", "t", "i"))
sigma, V = sp.symbols("sigma V", positive=True)
THIRD = sp.Rational(1, 3)
BITS = sp.log(T) / sp.log(2)  # log2 T
value, slope, error = (sp.IndexedBase(name, real=True) for name in ("h", "g", "e"))


@claim(
    PAPER,
    "lemma-5-sign",
    at="Lemma 5, proof, first display",
    kind="inequality",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="lemma-5-sign-corrected",
)
def normalised_step_ascends():
    """F(w_{t+1}) <= F(w_t) + eta <grad F(w_t), m^_t/|m^_t|> + L eta^2/2 (the rest of the proof has -eta)."""
    F, (w, m) = Function("F", smooth=L), vectors("w m")
    bound = F(w) + eta * inner(F.gradient(w), m) / norm(m) + L * eta**2 / 2
    return AtMost(F(w - eta / norm(m) * m), bound, given=[norm(m) > 0])


@claim(
    PAPER,
    "lemma-5-sign-corrected",
    at="Lemma 5, proof, first display, with -eta",
    kind="inequality",
    standing="ours",
)
def normalised_step_descends_along_the_momentum():
    """F(w_{t+1}) <= F(w_t) - eta <grad F(w_t), m^_t/|m^_t|> + L eta^2/2 for every L-smooth F."""
    F, (w, m) = Function("F", smooth=L), vectors("w m")
    bound = F(w) - eta * inner(F.gradient(w), m) / norm(m) + L * eta**2 / 2
    return AtMost(F(w - eta / norm(m) * m), bound, given=[norm(m) > 0])


def _against_gradient(bound, given):
    """-<g, m/|m|> <= bound for any two vectors g = grad F(w_t) and m = m^_t."""
    g, m = vectors("g m")
    away = norm(m - g)
    return AtMost(-inner(g, m) / norm(m), bound(norm(g), away), given=[norm(m) > 0, *given(norm(g), away)])


@claim(PAPER, "lemma-5-case1", at="Lemma 5, proof, first case", kind="inequality")
def small_error_leaves_the_direction():
    """If |e| <= |g|/2: -<g, m/|m|> <= -(2/3)|g| + 2|e|, e = m - g."""
    return _against_gradient(lambda g, e: -2 * THIRD * g + 2 * e, lambda g, e: [e <= g / 2])


@claim(
    PAPER,
    "lemma-5-case2",
    at="Lemma 5, proof, second case",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="lemma-5-comb",
)
def large_error_leaves_an_acute_angle():
    """If |e| > |g|/2: -<g, m/|m|> <= 0. (It is |g| if m points against g; the next lines, -(2/3)|g| +
    (4/3)|e|, fail too: g = 5, m = -1.)
    """
    return _against_gradient(lambda g, e: 0, lambda g, e: [e > g / 2])


@claim(PAPER, "lemma-5-comb", at="Lemma 5, proof, either way", kind="inequality")
def either_way_the_step_goes_down():
    """-<g, m/|m|> <= -(2/3)|g| + 2|e|, e = m - g, for all g and m != 0, in both cases."""
    return _against_gradient(lambda g, e: -2 * THIRD * g + 2 * e, lambda g, e: [])


@claim(
    PAPER,
    "lemma-5-step",
    at="Lemma 5, one step",
    kind="inequality",
    uses=["lemma-5-sign-corrected", "lemma-5-comb"],
    standing="ours",
)
def gradient_is_paid_for_by_one_step():
    """For L-smooth F, any w and any m^ != 0: |grad F(w)| <= 3 (F(w) - F(w - eta m^/|m^|))/(2 eta) + 3 L eta/4
    + 3 |m^ - grad F(w)|.
    """
    F, (w, m) = Function("F", smooth=L), vectors("w m")
    after, g = F(w - eta / norm(m) * m), F.gradient(w)
    bound = 3 * (F(w) - after) / (2 * eta) + 3 * L * eta / 4 + 3 * norm(m - g)
    return AtMost(norm(g), bound, given=[norm(m) > 0])


def normalised_steps(length=eta):
    """w_{t+1} = w_t - length m^_t/|m^_t| on an L-smooth F, for any m^_1, ..., m^_T that are not 0, random and
    dependent on the past: h_t = E F(w_t), g_t = E|grad F(w_t)| and e_t = E|m^_t - grad F(w_t)|. Before step t
    w is w_t and u is m^_t; after it u is m[t + 1] = m^_{t+1}.
    """
    F, (w, u), later = Function("F", smooth=L), vectors("w u"), VectorSequence("m")
    step = [w - length / norm(u) * u, later[t + 1]]
    slopes, errors = norm(F.gradient(w)), norm(u - F.gradient(w))
    return [
        Iterates(name, number, [w, u], step, [], t, 1, T, where=[norm(u) > 0])
        for name, number in ((value, F(w)), (slope, slopes), (error, errors))
    ]


@claim(PAPER, "lemma-5", at="Lemma 5", kind="inequality", uses=["lemma-5-step"])
def mean_gradient_of_normalised_steps():
    """For an L-smooth F, any m^_1, ..., m^_T other than 0, random or not, w_{t+1} = w_t - eta m^_t/|m^_t| and
    w^ uniform on w_1..w_T: E|grad F(w^)| <= 3 E[F(w_1) - F(w_{T+1})]/(2 eta T) + 3 L eta/4 + (3/T) sum_t
    E|e^_t|, e^_t = m^_t - grad F(w_t).

    One step, from any w_t and m^_t, is lemma-5-step; then expectations, and the sum over t.
    """
    slopes, errors = (sp.Sum(entry[t], (t, 1, T)) for entry in (slope, error))
    stated = 3 * (value[1] - value[T + 1]) / (2 * eta * T) + 3 * L * eta / 4 + 3 * errors / T
    growth = 3 * (value[t] - value[t + 1]) / (2 * eta) + 3 * L * eta / 4 + 3 * error[t]
    whole = 3 * (value[1] - value[T + 1]) / (2 * eta) + 3 * L * eta * T / 4 + 3 * errors
    values, gradients, apart = run = normalised_steps()
    return (
        Theorem(given=run, shows=AtMost(slopes / T, stated))
        .descend(
            values,
            1,
            L * eta**2 / 2,
            "one step",
            beside=[(gradients, -2 * eta / 3), (apart, 2 * eta)],
        )
        .sum(AtMost(slope[t], growth), (t, 1, T), "every step")
        .have(Equal(sp.Sum(growth, (t, 1, T)), whole), "it telescopes")
        .have(AtMost(slopes, whole), "added up")
    )


@claim(PAPER, "rr-bias", at="Section 3, on random reshuffling, one case", kind="inequality")
def reshuffled_gradient_is_biased():
    """E grad f(w_i, x_i) given w_i is not grad F(w_i): with f(w, x) = (w - x)^2/2, two records x_1 and x_2
    that differ, no noise, and x_1 drawn first, as w_2 shows, the second step takes g = w_2 - x_2, and F has m
    = w_2 - (x_1 + x_2)/2 there.
    """
    w, first, second, g, m = sp.symbols("w_2 x_1 x_2 g m", real=True)
    gradients = [sp.Eq(g, w - second), sp.Eq(m, w - (first + second) / 2)]
    return Theorem(given=[*gradients, sp.Ne(first, second)], shows=AtMost(0, (g - m) ** 2, strict=True))


@claim(PAPER, "rr-anchor", at="Section 3, on random reshuffling", kind="identity")
def gradient_at_the_anchor_is_unbiased():
    """E grad f(w, x_{pi_r}) = grad F(w) for the anchor w of the epoch, which is fixed before pi is drawn:
    pi_r
    is uniform on the records, so against every vector v the mean of <v, grad f(w, x_k) - grad F(w)> over k is
    0.
    """
    k, v, A = sp.Symbol("k", integer=True, positive=True), Vector("v"), VectorSequence("A")
    centre = total(A[k], (k, 1, N)) / N
    return Equal(sp.Sum(inner(v, A[k]), (k, 1, N)) / N, inner(v, centre))


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
    k, X, A = sp.Symbol("k", integer=True, positive=True), Vector("A_i"), VectorSequence("A")
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


@claim(
    PAPER,
    "lemma-12",
    at="Lemma 12",
    kind="inequality",
    expect=REFUTED,
    breaks="theorem",
    correction="lemma-12-corrected",
)
def noise_of_the_momentum():
    """If alpha >= 1/N: E|m^_t - m_t| <= 4 alpha G sigma sqrt(d V log2 T).

    The case: t = T = 3, so COMPOSE(1, 3) is [1, 2], [3, 3], N = 100, alpha = 1/100, d = 3. Both sides are
    divided by 4 alpha G sigma sqrt(V). (At T = 1 the right side is 0. For 2 <= N <= T it holds as printed:
    lemma-12-passes.)
    """
    spread = sp.sqrt(1 + sp.Rational(99, 100) ** 2)
    return Instance(
        AtMost(gaussian_norm(spread, 3), sp.sqrt(3 * sp.log(3) / sp.log(2))),
        let={"t, T": "3", "N": "100", "alpha": "1/100", "d": "3", "G, sigma, R": "any"},
        because="two nodes with weights 1 and 99/100, and log2 3 < 1.59",
    )


@claim(
    PAPER,
    "l12-noise",
    at="Lemma 12, proof, first lines",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="lemma-12-corrected",
)
def noise_without_weights():
    """NOISE_t = sum over COMPOSE(1, t) of zeta, without the weights (1-alpha)^(t-z) of Algorithm 1: the
    variances agree.
    """
    return Instance(
        Equal(1 + (1 - alpha) ** 2, 2, given=[alpha < 1]),
        let={"t": "3", "COMPOSE(1, t)": "[1, 2], [3, 3]"},
        because="both sides are in units of the variance of a node",
    )


@claim(
    PAPER,
    "l12-count",
    at="Lemma 12, proof, Eq (6)",
    kind="inequality",
    expect=REFUTED,
    breaks="proof",
    correction="prop-18",
)
def prefix_has_at_most_log_intervals():
    """COMPOSE(1, t) has at most log2 T intervals for t <= T."""
    return Instance(
        AtMost(2, sp.log(3) / sp.log(2)),
        let={"t, T": "3", "COMPOSE(1, 3)": "[1, 2], [3, 3]"},
        because="the number of set bits of t, which is at most 1 + floor(log2 t)",
    )


@claim(
    PAPER,
    "lemma-12-corrected",
    at="Lemma 12, corrected",
    kind="inequality",
    uses=["prop-18"],
    standing="ours",
)
def noise_of_the_momentum_with_one_more_node():
    """E|m^_t - m_t| <= 4 alpha G sigma sqrt(d V (1 + log2 T)): n is E|NOISE_t|, NOISE_t the sum of c_j zeta_j
    over the J <= 1 + log2 T nodes of COMPOSE(1, t) (Proposition 18), zeta_j ~ N(0, 16 alpha^2 G^2 sigma^2 V
    I), independent, with weights c_j <= 1.
    """
    j, J = (sp.Symbol(name, integer=True, positive=True) for name in ("j", "J"))
    X, c = Vector("X"), sp.IndexedBase("c", nonnegative=True)
    square, n = sp.IndexedBase("s", nonnegative=True), sp.Symbol("n", positive=True)
    node = 16 * alpha**2 * G**2 * sigma**2 * V * d
    zeta = gaussian("zeta", 4 * alpha * G * sigma * sp.sqrt(V), d)
    run = Iterates(square, norm2(X), [X], [X + c[j] * zeta], [zeta], j, 1, J)
    few = 1 + BITS
    return (
        Theorem(
            given=[
                run,
                sp.Eq(square[1], 0),
                ForEvery(AtMost(c[j] ** 2, 1), j, 1, J),
                few >= J,
                n <= sp.sqrt(square[J + 1]),
            ],
            shows=AtMost(n, 4 * alpha * G * sigma * sp.sqrt(d * V * few)),
        )
        .descend(run, 1, c[j] ** 2 * node, "independent noises")
        .unroll(square[j], sp.Integer(1), c[j] ** 2 * node, (j, 1, J), "all nodes")
        .sum(AtMost(c[j] ** 2 * node, node), (j, 1, J), "weights at most 1")
        .have(AtMost(square[J + 1], J * node), "J nodes")
        .have(AtMost(square[J + 1], few * node), "J <= 1 + log2 T")
        .calc(
            n,
            ("<=", sp.sqrt(square[J + 1]), "Jensen"),
            ("<=", 4 * alpha * G * sigma * sp.sqrt(d * V * few), "the root of the second moment"),
        )
    )


@claim(PAPER, "lemma-12-bits", at="Lemma 12, the two highest bits", kind="inequality", standing="ours")
def two_highest_bits_weigh_less_than_one_more():
    """exp(-theta) + exp(-theta/2) + log2 theta <= 1 for theta <= 1."""
    theta = sp.Symbol("theta", positive=True)
    return AtMost(sp.exp(-theta) + sp.exp(-theta / 2) + sp.log(theta) / sp.log(2), 1, given=[theta <= 1])


@claim(
    PAPER,
    "lemma-12-passes",
    at="Lemma 12, for 2 <= N <= T",
    kind="inequality",
    uses=["lemma-12-bits", "prop-13-power", "prop-16", "prop-18"],
    standing="ours",
)
def noise_of_the_momentum_in_whole_passes():
    """For 2 <= N <= T, at least one pass over the data, Lemma 12 holds as it is printed: n = E|NOISE_t| is
    at most 4 alpha G sigma sqrt(d V W), W the sum of the squared weights (1-alpha)^(2 (t mod 2^i)) over the
    bits i of t that are 1, and W <= log2 T.

    If t has m + 1 bits and 2^(m+1) <= T, W is at most their number. Otherwise t has as many bits as T; if
    these are k + 2, k >= 1, Proposition 16 gives W <= k + (1-alpha)^(2^k) + (1-alpha)^(2^(k+1)), which is at
    most log2 T as alpha >= 1/T. For T = 3, t = 3: 1 + (1-alpha)^2 <= log2 3 as alpha >= 1/3. (W is 1 for t =
    2 and for alpha = 1.)
    """
    k, m = sp.Symbol("k", integer=True, positive=True), sp.Symbol("m", integer=True, nonnegative=True)
    n, W = sp.symbols("n W", positive=True)
    low, high, scale = 2**k, 2 ** (k + 1), 4 * alpha * G * sigma
    beta = 1 - alpha
    return AllOf(
        Theorem(given=[2 ** (m + 1) <= T], shows=AtMost(m + 1, BITS)),
        Theorem(
            given=[
                alpha < 1,
                alpha * N >= 1,
                N <= T,
                high <= T,
                W <= k + beta**low + beta**high,
                n <= scale * sp.sqrt(d * V * W),
            ],
            shows=AtMost(n, scale * sp.sqrt(d * V * BITS)),
        )
        .have(AtMost(1 / T, alpha), "N <= T")
        .have(AtMost(low / T, alpha * low), "times 2^k")
        .have(AtMost(high / T, alpha * high), "times 2^(k+1)")
        .have(AtMost(sp.exp(-alpha * low), sp.exp(-low / T)), "exponentials")
        .have(AtMost(sp.exp(-alpha * high), sp.exp(-high / T)), "exponentials")
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=low)
        .use("prop-13-power", "1 - x <= exp(-x)", alpha=alpha, N=high)
        .use("lemma-12-bits", "the two highest bits", theta=high / T)
        .have(Equal(sp.log(high / T) / sp.log(2), k + 1 - BITS), "logarithms")
        .have(AtMost(W, BITS), "added up")
        .have(AtMost(sp.sqrt(d * V * W), sp.sqrt(d * V * BITS)), "the root"),
        AtMost(1 + beta**2, sp.log(3) / sp.log(2), given=[alpha < 1, 3 * alpha >= 1]),
    )


@claim(
    PAPER,
    "err-disc",
    at="Section 3, below Theorem 6",
    kind="asymptotic",
    expect=REFUTED,
    breaks="text",
    correction="lemma-11-corrected",
)
def error_of_the_noisy_momentum():
    """E|m^_t - grad F(w_t)| is O~(sqrt(alpha) + eta N + eta/alpha + alpha sqrt(d T)/(epsilon sqrt N)) at
    every t.

    The path: f(w, x) = w, t = 1, d = epsilon = 1, T = N^2, alpha = 1/N, eta = 1/sqrt(N T): every term of the
    bound is N^(-1/2), and |E m^_1 - grad F| = 1 - 1/N. No power of log N mends it.
    """
    return BigO(1 - 1 / N, 1 / sp.sqrt(N), [N >= 2], hiding=[N])
