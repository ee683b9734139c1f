"""Section 4.2: momentum. Its step, Eq (10), and the exact influence of the noise of each step.

m_{t+1} = v_{t+1}/(1-beta^t),  v_{t+1} = beta v_t + (1-beta) g_t = (1-beta) sum_{i<=t} beta^(t-i) g_i   (10)
Q_i = sum_{t=i..T} gamma^(T-t) w_t^2 beta^(2(t-i)),  w_t = (1-beta)/(1-beta^t),  U_3 = sum_t Q_t sigma_t^2
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.relations import AtMost, Equal, Induction, Instance
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import AllOf, ForEvery, Theorem
from dpverify.verdicts import REFUTED

t = step()
i, j, T, Th = sp.symbols("i j T T_hat", integer=True, positive=True)
beta, gamma, eta0, kappa, alpha, M, mu, R, eta = sp.symbols(
    "beta gamma eta_0 kappa alpha M mu R eta", positive=True
)
s2 = sp.IndexedBase("s2", positive=True)  # sigma_t^2
INSIDE = [beta < 1, gamma < 1]
C = beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)
ETA0_LIMIT = 8 / (sp.sqrt(1 + 64 * C) + 1)


def weight(x):
    """w_x = (1-beta)/(1-beta^x)."""
    return (1 - beta) / (1 - beta**x)


W, A = (
    sp.IndexedBase("W", positive=True),
    sp.IndexedBase("A", positive=True),
)  # w_t^2, and sum_{i<=t} beta^(2(t-i)) sigma_i^2


def influence(length):
    """Q_1..Q_length by Q_t = gamma^(T-t) w_t^2 + beta^2 Q_{t+1}, written out."""
    values = [sp.Integer(0)]
    for s in range(length, 0, -1):
        values.insert(0, gamma ** (length - s) * sp.cancel(weight(sp.Integer(s))) ** 2 + beta**2 * values[0])
    return values[:-1]


@claim(PAPER, "eq-10", at="Eq (10)", kind="identity")
def momentum_is_the_corrected_average():
    """For 0 < beta < 1: phi(m_t, g_t) = v_{t+1}/(1-beta^t) with m_t = v_t/(1-beta^(t-1)), t >= 2, and v_{t+1}
    = beta v_t + (1-beta) g_t, v_1 = 0, is (1-beta) sum_i beta^(t-i) g_i, for each coordinate.

    At beta = 1, which the paper admits, both sides are 0/0.
    """
    g, (v, m, x) = sp.IndexedBase("g", real=True), sp.symbols("v m x", real=True)  # x is g_t, or the average
    average = (1 - beta) * sp.Sum(beta ** (T - i) * g[i], (i, 1, T))
    phi = (beta * (1 - beta ** (t - 1)) * m + (1 - beta) * x) / (1 - beta**t)
    corrected = sp.Eq(m, v / (1 - beta ** (t - 1)))
    return AllOf(
        Equal(phi, (beta * v + (1 - beta) * x) / (1 - beta**t), given=[beta < 1, t >= 2, corrected]),
        Induction(
            Equal(x, average),
            value=x,
            over=T,
            start=1,
            first=(1 - beta) * g[1],
            next=beta * x + (1 - beta) * g[T + 1],
        ),
    )


@claim(PAPER, "text-m-unbiased", at="Below Eq (10)", kind="identity")
def momentum_is_unbiased():
    """Where all gradients so far have one expectation g, v_{t+1} is a biased estimate of it, E v_{t+1} = (1 -
    beta^t) g, and m_{t+1} an unbiased one, E m_{t+1} = g.
    """
    g = sp.Symbol("g", real=True)
    average = (1 - beta) * sp.Sum(beta ** (t - i) * g, (i, 1, t))
    return AllOf(
        Equal(average, (1 - beta**t) * g, given=[beta < 1]),
        Equal(average / (1 - beta**t), g, given=[beta < 1]),
    )


@claim(
    PAPER,
    "text-m-unbiased-moving",
    at="Below Eq (10), of the gradient at theta_t",
    kind="identity",
    expect=REFUTED,
    correction="text-m-unbiased",
    standing="ours",
)
def momentum_is_unbiased_for_the_last_gradient():
    """m_{t+1} is an unbiased estimate of the gradient at theta_t, where the iterates move."""
    g1 = sp.Symbol("grad_1", real=True)
    mean_of_g2 = (1 - eta) * g1  # f = theta^2/2: theta_2 = theta_1 - eta (grad_1 + noise)
    mean_of_m3 = (beta * (1 - beta) * g1 + (1 - beta) * mean_of_g2) / (1 - beta**2)
    case = {"f": "theta^2/2", "t": "2", "gradients": "grad_1 = theta_1, E grad_2 = (1 - eta) theta_1"}
    return Instance(
        Equal(mean_of_m3, mean_of_g2, given=[beta < 1, eta < 1]),
        let=case,
        because="an average of old gradients, which have moved",
    )


def _influence(n, start):
    """Q at `start`, n steps before the end: sum_{m<=n} gamma^(n-m) w_{start+m}^2 beta^(2m)."""
    m = sp.Symbol("m", integer=True)
    return sp.Sum(gamma ** (n - m) * W[start + m] * beta ** (2 * m), (m, 0, n))


@claim(PAPER, "influence", at="Section 4.2, from Eq (13)", kind="identity", standing="ours")
def exact_influence_of_momentum():
    """U_3 = sum_t Q_t sigma_t^2 with Q_i = sum_{t=i..T} gamma^(T-t) w_t^2 beta^(2(t-i)), whatever the weights
    w_t^2: the order of summation.

    Lemma 4.1 with q = Q gives the best schedule for the bound of Eq (11).
    """
    by_step = sp.Sum(gamma ** (T - t) * W[t] * sp.Sum(beta ** (2 * (t - i)) * s2[i], (i, 1, t)), (t, 1, T))
    by_noise = sp.Sum(s2[i] * sp.Sum(gamma ** (T - t) * W[t] * beta ** (2 * (t - i)), (t, i, T)), (i, 1, T))
    last = W[T + 1] * sp.Sum(beta ** (2 * (T + 1 - i)) * s2[i], (i, 1, T + 1))
    return (
        Theorem(shows=Equal(by_step, by_noise))
        .have(Equal(by_step.subs(T, T + 1), gamma * by_step + last), "one more step")
        .have(Equal(by_noise.subs(T, T + 1), gamma * by_noise + last), "one more term in every influence")
        .induct(T, 1)
    )


@claim(PAPER, "influence-recursion", at="Section 4.2, from Eq (13)", kind="identity", standing="ours")
def influence_by_recursion():
    """n = T - t steps before the end, Q_t = gamma^n w_t^2 + beta^2 Q_{t+1}; and the influence that the
    algorithms use is this one (T = 3).
    """
    n, m = sp.Symbol("n", integer=True, positive=True), sp.Symbol("m", integer=True)
    later = sp.Sum(gamma ** (n - m) * W[t + m] * beta ** (2 * (m - 1)), (m, 1, n))
    run = schedules.momentum_influence(beta, gamma, 3).formula
    return AllOf(
        Equal(_influence(n, t), gamma**n * W[t] + beta**2 * later),
        Equal(sum(run.subs(t, s).doit() for s in (1, 2, 3)), sum(influence(3)), given=INSIDE),
    )


@claim(
    PAPER,
    "sec4.2-flatten",
    at="Section 4.2, second paragraph",
    kind="monotonicity",
    uses=["influence"],
    expect=REFUTED,
    breaks="text",
    correction="sec4.2-flatten-corrected",
)
def influence_of_momentum_is_flatter():
    """Momentum flattens the influence: from one step to the next it changes by no larger a factor than that
    of GD, 1/gamma, so that Q_1 <= Q_2/gamma (at T = 2).
    """
    exact = influence(2)
    given = [beta < gamma, gamma < 1, 1 - gamma <= ETA0_LIMIT, (1 - gamma) + 4 * C * (1 - gamma) ** 2 <= 1]
    return Instance(
        AtMost(exact[0], exact[1] / gamma, given=given),
        let={"kappa": "1", "eta_0": "1 - gamma", "T": "2"},
        because="the correction of the bias weighs the first step by 1 and the second by 1/(1+beta)^2",
    )


@claim(
    PAPER,
    "sec4.2-flatten-corrected",
    at="Section 4.2, second paragraph, upwards",
    kind="monotonicity",
    uses=["influence", "proof-b.7-monotone-corrected"],
    standing="ours",
)
def influence_of_momentum_grows_more_slowly():
    """The influence never grows faster than that of GD: gamma Q_{t+1} <= Q_t, n = T - t >= 1, for weights
    that decrease with t, as (1-beta)/(1-beta^t) does.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    m = sp.Symbol("m", integer=True, nonnegative=True)
    falls = ForEvery(AtMost(W[t + 1 + m], W[t + m]), m, 0, n - 1)
    here = gamma ** (n - m) * W[t + m] * beta ** (2 * m)
    next_one = gamma ** (n - 1 - m) * W[t + 1 + m] * beta ** (2 * m)
    most = sp.Sum(here, (m, 0, n - 1))
    return (
        Theorem(
            given=[falls],
            shows=AtMost(gamma * sp.Sum(next_one, (m, 0, n - 1)), most + W[t + n] * beta ** (2 * n)),
        )
        .sum(AtMost(gamma * next_one, here), (m, 0, n - 1), "term by term")
        .have(AtMost(gamma * sp.Sum(next_one, (m, 0, n - 1)), most), "the factor outside")
        .have(AtMost(0, W[t + n] * beta ** (2 * n)), "the last term of Q_t")
    )


@claim(
    PAPER,
    "disc-4.6-averaging",
    at="Discussion of Theorem 4.6, the averaging",
    kind="inequality",
    uses=["influence", "sec4.2-flatten-corrected"],
)
def averaging_raises_the_first_and_lowers_the_last_influence():
    """The averaging increases the influence of the initial steps and decreases that of the last ones, against
    gamma^(T-t) of GD with the same gamma. Read relatively, at all steps: Q_s/gamma^(T-s) >= Q_t/gamma^(T-t)
    for s < t = s + k, n = T - s, so that the earlier step weighs no less against the later one than with GD:
    gamma Q_{t+1} <= Q_t (sec4.2-flatten-corrected), whose weights fall with t, as these do, k times.

    In absolute terms: Q_1 >= gamma^(T-1), as w_1 = 1; Q_T = ((1-beta)/(1-beta^T))^2 <= 1; and Q_t <= gamma^n,
    n = T - t, at every t from which on the weights w_t = ((1-beta)/(1-beta^t))^2 are at most 1 -
    beta^2/gamma, which their limit (1-beta)^2 is below if beta < gamma. Only the first step is sure to be
    raised absolutely: at beta = 1/2, gamma = 3/4, T = 3, Q_2 = .415 is below .75.
    """
    n, k, s = sp.symbols("n k s", integer=True, positive=True)
    m = sp.Symbol("m", integer=True, nonnegative=True)
    Q = sp.IndexedBase("Q", positive=True)
    term = beta ** (2 * m) * gamma ** (n - m) * W[m + 1]
    first, later = sp.Sum(term, (m, 0, n)), sp.Sum(term, (m, 1, n))
    last = weight(T)
    late = beta ** (2 * m) * gamma ** (n - m)
    left = 1 - beta**2 / gamma
    plain = sp.Sum(late, (m, 0, n))
    return AllOf(
        Theorem(given=[beta < 1], shows=AtMost(weight(t + k) ** 2, weight(t) ** 2))
        .have(AtMost(beta ** (t + k), beta**t), "the powers fall")
        .have(AtMost(weight(t + k), weight(t)), "so the weights do")
        .have(AtMost(0, weight(t + k)), "which are not negative"),
        Theorem(
            given=[ForEvery(AtMost(gamma * Q[t + 1], Q[t]), t, s, s + k - 1)],
            shows=AtMost(gamma**n * Q[s + k], gamma ** (n - k) * Q[s]),
        )
        .have(ForEvery(AtMost(Q[t + 1], Q[t] / gamma), t, s, s + k - 1), "one step")
        .unroll(Q[t], 1 / gamma, 0, (t, s, s + k - 1), "k steps")
        .have(AtMost(gamma**n * Q[s + k], gamma**n * (Q[s] / gamma**k)), "times gamma^(T-s)"),
        Theorem(given=[sp.Eq(W[1], 1)], shows=AtMost(gamma**n, first))
        .have(Equal(first, gamma**n * W[1] + later), "the noise of step 1 at step 1, and later")
        .have(AtMost(0, later), "which is positive"),
        Theorem(given=[beta < 1], shows=AtMost(last**2, 1))
        .have(AtMost(beta**T, beta), "T >= 1")
        .have(AtMost(last, 1), "so the weight is at most 1")
        .have(AtMost(0, last), "and not negative"),
        Theorem(
            given=[beta**2 < gamma, ForEvery(AtMost(W[t + m], left), m, 0, n)],
            shows=AtMost(sp.Sum(late * W[t + m], (m, 0, n)), gamma**n),
        )
        .sum(AtMost(late * W[t + m], late * left), (m, 0, n), "each later weight")
        .have(Equal(sp.Sum(late * left, (m, 0, n)), plain * left), "a factor")
        .have(Equal(plain * left, gamma**n - beta ** (2 * n + 2) / gamma), "a geometric sum")
        .have(AtMost(0, beta ** (2 * n + 2) / gamma), "what is missing"),
        AtMost((1 - beta) ** 2, left, given=[beta < gamma, gamma < 1], strict=True),
    )
