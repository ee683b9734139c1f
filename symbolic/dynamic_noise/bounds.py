"""The bounds that runs are set against: Theorems 4.1 and 4.4, corrected, for any noise of known second
moment.

e_t = E f(theta_t) - f*,   c_t = E|noise of step t|^2: D (G sigma_t/N)^2 for the whole data set, the variance
of the batch added to it for a batch of n (Theorems 4.7 and 4.8, without the paper's sigma_g).
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.language.expectations import Noise
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2, vectors
from dpverify.relations import AtMost, Equal
from dpverify.schedules import step
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.theorems import ForEvery, Iterates, Theorem

t = step()
T = sp.Symbol("T", integer=True, positive=True)
M, mu, eta_0 = sp.symbols("M mu eta_0", positive=True)
beta = sp.Symbol("beta", positive=True)
e, s2, r2, u, a, c = (sp.IndexedBase(name, nonnegative=True) for name in ("e", "s2", "r2", "u", "a", "c"))


@claim(PAPER, "bound-gd", at="Theorem 4.1, any noise and step", kind="inequality", standing="ours")
def excess_of_noisy_gradient_descent():
    """For f that is M-smooth and meets the PL condition with mu, and steps theta - eta (grad f + nu_t), eta M
    <= 1, with noise of mean 0 and second moment c_t given the past: e_{T+1} <= gamma^T e_1 + (M eta^2/2)
    sum_t gamma^(T-t) c_t, gamma = 1 - eta mu (2 - eta M), which is 1 - mu/M for eta = 1/M.
    """
    eta = sp.Symbol("eta", positive=True)
    f, theta = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("theta")
    nu = Noise("nu", variance=c[t])
    after = theta - eta * (f.gradient(theta) + nu)
    run = Iterates(e, f(theta) - f.minimum, [theta], [after], [nu], t, 1, T)
    gamma, noise = 1 - eta * mu * (2 - eta * M), M * eta**2 * c[t] / 2
    bound = gamma**T * e[1] + sp.Sum(gamma ** (T - t) * noise, (t, 1, T))
    return (
        Theorem(given=[run, mu <= M, eta * M <= 1], shows=AtMost(e[T + 1], bound))
        .descend(run, gamma, noise, "the descent lemma, and PL", by=[f.descent(theta, after)])
        .have(AtMost(0, gamma), "(1 - eta mu)^2 <= gamma")
        .unroll(e[t], gamma, noise, (t, 1, T), "T steps")
    )


def _momentum():
    """The iteration of momentum: f, the point, the next one, what is left of old gradients, the noise of the
    average, and the four expectations e, s2, r2 and u.
    """
    f, (x, y, r, n) = Function("f", smooth=M, polyak_lojasiewicz=mu), vectors("theta theta_0 r n")
    nu, eta = Noise("nu", variance=c[t]), eta_0 / M
    old = a[t] * (r + f.gradient(y) - f.gradient(x))
    noise = a[t] * n + (1 - a[t]) * nu
    after = x - eta * (f.gradient(x) + old + noise)
    values = {e: f(x) - f.minimum, s2: norm2(x - y), r2: norm2(r), u: norm2(n)}
    steps = [after, x, old, noise]
    return (
        *(f, x, after, old, noise),
        [Iterates(name, value, [x, y, r, n], steps, [nu], t, 1, T) for name, value in values.items()],
    )


@claim(
    PAPER,
    "bound-momentum",
    at="Theorem 4.4, with step eta_0/M, any noise",
    kind="inequality",
    standing="ours",
)
def excess_of_noisy_momentum():
    """For f that is M-smooth and meets the PL condition with mu, steps theta - eta m_t, eta = eta_0/M, along
    m_t = a_t m_{t-1} + (1 - a_t)(grad f + nu_t), a_t <= beta (which is (beta - beta^t)/(1 - beta^t) for the
    average with its bias corrected), and 2 beta^2 eta_0^2 <= (1 - eta_0)(gamma - beta)(1 - beta), gamma = 1 -
    eta mu > beta: e_{T+1} <= gamma^T e_1 + eta sum_t gamma^(T-t) u_{t+1}, where u_{t+1} is the second moment
    of the noise in m_t; s2_1 and r2_1, the other terms of the bound, are 0.

    m_t = grad f(theta_t) + r_t + n_t: n_t = a_t n_{t-1} + (1 - a_t) nu_t is the noise, and r_t = a_t (r_{t-1}
    + grad f(theta_{t-1}) - grad f(theta_t)) what is left of old gradients. Before step t: e is E f - f*, s2
    is E|theta_t - theta_{t-1}|^2, r2 is E|r_{t-1}|^2 and u is E|n_{t-1}|^2.
    """
    f, x, after, old, noise, (gap, moves, stale, noises) = _momentum()
    eta, gamma = eta_0 / M, 1 - eta_0 * mu / M

    def every(smaller: sp.Expr, larger: sp.Expr) -> ForEvery:
        return ForEvery(AtMost(smaller, larger), t, 1, T)

    way, owed = (1 - eta_0) / (2 * eta), beta * eta / (gamma - beta)
    fall = f(x) - eta / 2 * norm2(f.gradient(x)) - way * norm2(after - x) + eta * (norm2(old) + norm2(noise))
    price = gamma * eta / (gamma - beta)  # owed + eta
    total = e[t] + way * s2[t] + owed * r2[t]
    return (
        Theorem(
            given=[
                *[gap, moves, stale, noises],
                beta < gamma,
                *[beta < 1, eta_0 < 1, mu <= M],
                2 * beta**2 * eta_0**2 <= (1 - eta_0) * (gamma - beta) * (1 - beta),
                every(a[t], beta),
            ],
            shows=AtMost(
                e[T + 1],
                gamma**T * total.subs(t, 1) + sp.Sum(gamma ** (T - t) * eta * u[t + 1], (t, 1, T)),
            ),
        )
        .descend(
            gap,
            gamma,
            0,
            "the descent lemma, and PL",
            by=[sp.Le(f(after), fall, evaluate=False), f.gradient_dominates(x)],
            later=[(moves, -way), (stale, eta), (noises, eta)],
        )
        .descend(
            stale,
            a[t] ** 2 / beta,
            0,
            "Young's inequality",
            beside=[(moves, a[t] ** 2 * M**2 / (1 - beta))],
        )
        .have(every(a[t] ** 2 * r2[t], beta**2 * r2[t]), "a_t <= beta")
        .have(every(a[t] ** 2 * s2[t], beta**2 * s2[t]), "a_t <= beta")
        .have(every(r2[t + 1], beta * r2[t] + beta**2 * M**2 / (1 - beta) * s2[t]), "both")
        .have(AtMost(eta * beta**2 * M**2 / ((1 - beta) * (gamma - beta)), way), "eta_0 is small enough")
        .have(AtMost(0, price, strict=True), "beta < gamma")
        .have(AtMost(price * beta**2 * M**2 / (1 - beta), gamma * way), "gamma times that")
        .have(
            every(price * r2[t + 1], price * (beta * r2[t] + beta**2 * M**2 / (1 - beta) * s2[t])),
            "times the price",
        )
        .have(every(price * beta**2 * M**2 / (1 - beta) * s2[t], gamma * way * s2[t]), "times the way")
        .have(
            every(price * r2[t + 1], gamma * owed * r2[t] + gamma * way * s2[t]),
            "what is left of old gradients is paid for by the way travelled",
        )
        .have(
            every(owed * r2[t + 1] + eta * r2[t + 1], gamma * owed * r2[t] + gamma * way * s2[t]),
            "the price is owed + eta",
        )
        .unroll(total, gamma, eta * u[t + 1], (t, 1, T), "T steps")
        .have(AtMost(0, way * s2[T + 1] + owed * r2[T + 1]), "not negative")
    )


def _share(step):
    """What is kept of the average at a step: beta (1 - beta^(t-1))/(1 - beta^t)."""
    return beta * (1 - beta ** (step - 1)) / (1 - beta**step)


def _average(last, index):
    """((1-beta)/(1-beta^t))^2 sum_{i<=t} beta^(2(t-i)) c_i."""
    return ((1 - beta) / (1 - beta**last)) ** 2 * sp.Sum(
        beta ** (2 * (last - index)) * c[index], (index, 1, last)
    )


@claim(PAPER, "momentum-share", at="Theorem 4.4, the average", kind="inequality", standing="ours")
def share_of_the_average_is_at_most_beta():
    """beta (1 - beta^(t-1))/(1 - beta^t) <= beta for t >= 1."""
    return (
        Theorem(given=[beta < 1], shows=AtMost(_share(t), beta))
        .have(AtMost(beta**t, beta ** (t - 1)), "beta < 1")
        .have(AtMost(0, 1 - beta**t, strict=True), "beta < 1")
    )


@claim(
    PAPER,
    "momentum-noise",
    at="Theorem 4.4, the noise of the average",
    kind="inequality",
    standing="ours",
)
def noise_of_the_average():
    """If u_{t+1} <= a_t^2 u_t + (1 - a_t)^2 c_t for t = 1..T, a_t = beta (1 - beta^(t-1))/(1 - beta^t), and
    u_1 = 0: u_{T+1} <= ((1-beta)/(1-beta^T))^2 sum_{i<=T} beta^(2(T-i)) c_i, times any g^n h.
    """
    (g, h), n = sp.symbols("g h", positive=True), sp.Symbol("n", integer=True, nonnegative=True)
    i = sp.Symbol("i", integer=True, positive=True)
    whole = sp.Sum(beta ** (2 * (T - t)) * c[t], (t, 1, T))
    return (
        Theorem(
            given=[
                beta < 1,
                ForEvery(Equal(a[t], _share(t)), t, 1, T),
                ForEvery(AtMost(u[t + 1], a[t] ** 2 * u[t] + (1 - a[t]) ** 2 * c[t]), t, 1, T),
                sp.Eq(u[1], 0),
            ],
            shows=AtMost(g**n * h * u[T + 1], g**n * h * _average(T, i)),
        )
        .have(ForEvery(Equal((1 - beta**t) * a[t], beta * (1 - beta ** (t - 1))), t, 1, T), "a_t")
        .have(ForEvery(Equal((1 - beta**t) * (1 - a[t]), 1 - beta), t, 1, T), "1 - a_t")
        .unroll(
            (1 - beta ** (t - 1)) ** 2 * u[t], beta**2, (1 - beta) ** 2 * c[t], (t, 1, T), "without the bias"
        )
        .have(AtMost((1 - beta**T) ** 2 * u[T + 1], (1 - beta) ** 2 * whole), "it starts at 0")
        .have(AtMost(0, 1 - beta**T, strict=True), "beta < 1")
        .have(AtMost(u[T + 1], _average(T, t)), "divided")
        .have(AtMost(u[T + 1], _average(T, i)), "another name for the index")
    )


@claim(
    PAPER,
    "thm-4.4-corrected",
    at="Theorem 4.4, with step eta_0/M, without the momentum effect",
    kind="inequality",
    uses=["bound-momentum", "momentum-share", "momentum-noise"],
    standing="ours",
)
def excess_risk_of_momentum():
    """For f that is M-smooth and meets the PL condition with mu, steps theta - (eta_0/M) m_{t+1} along the
    average m_{t+1} = a_t m_t + (1 - a_t) g_t of Eq (10), a_t = beta (1 - beta^(t-1))/(1 - beta^t), g_t =
    grad f(theta_t) + nu_t with E nu_t = 0 and E|nu_t|^2 = c_t given the past, gamma = 1 - eta_0 mu/M > beta
    and 2 beta^2 eta_0^2 <= (1 - eta_0)(gamma - beta)(1 - beta): E f(theta_{T+1}) - f* <= gamma^T (f(theta_1)
    - f*) + (eta_0/M) sum_t gamma^(T-t) ((1-beta)/(1-beta^t))^2 sum_{i<=t} beta^(2(t-i)) c_i.

    With c_i = D G^2 sigma_i^2/N^2 the noise is 2 R eta_0 alpha U_3 (f(theta_1) - f*): Eq (11) without its
    last term, with twice the step and another condition on eta_0 (thm-4.4-effect is about the last term).
    The state is that of bound-momentum: m_t = grad f(theta_{t-1}) + r + n, and theta_0 is theta_{t-1}; it
    starts with theta_0 = theta_1 and r = n = 0.
    """
    _, _, _, _, _, run = _momentum()
    eta, gamma = eta_0 / M, 1 - eta_0 * mu / M
    i = sp.Symbol("i", integer=True, positive=True)
    start = [sp.Eq(s2[1], 0), sp.Eq(r2[1], 0), sp.Eq(u[1], 0)]
    small = 2 * beta**2 * eta_0**2 <= (1 - eta_0) * (gamma - beta) * (1 - beta)
    noise = sp.Sum(gamma ** (T - t) * eta * _average(t, i), (t, 1, T))
    return (
        Theorem(
            given=[
                *run,
                *[beta < gamma, beta < 1, eta_0 < 1, mu <= M, small],
                ForEvery(Equal(a[t], _share(t)), t, 1, T),
                *start,
            ],
            shows=AtMost(e[T + 1], gamma**T * e[1] + noise),
        )
        .descend(run[3], a[t] ** 2, (1 - a[t]) ** 2 * c[t], "the fresh noise is centred")
        .have(AtMost(0, gamma, strict=True), "beta < gamma")
        .use("momentum-share", "the average keeps at most beta", over=(t, 1, T), t=t)
        .use("momentum-noise", "the noise of the average", over=(t, 1, T), T=t, g=gamma, h=eta, n=T - t)
        .sum(
            AtMost(gamma ** (T - t) * eta * u[t + 1], gamma ** (T - t) * eta * _average(t, i)),
            (t, 1, T),
            "added up",
        )
        .have(ForEvery(AtMost(a[t], beta), t, 1, T), "the average keeps at most beta")
        .use("bound-momentum", "the bound for any weights")
    )
