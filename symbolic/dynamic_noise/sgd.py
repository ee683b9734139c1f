"""Section 4.3: private stochastic gradient descent, Theorems 4.7 and 4.8.

ERUB = gamma^T + alpha_g sigma_g^2 + R' sum_t gamma^(T-t) alpha sigma_t^2       Eq (14)
"""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.formulas import dynamic_noise as schedules
from dpverify.language.expectations import E, Noise, sample_mean
from dpverify.language.functions import Function
from dpverify.language.vectors import Vector, norm2
from dpverify.relations import AtMost, BigO, Equal, Instance, Minimises
from dpverify.symbolic.dynamic_noise import PAPER
from dpverify.symbolic.dynamic_noise.secret_batches import D, G, M, N, R, T, V, gap, i, mu, n, s2, t
from dpverify.theorems import AllOf, ForSome, Iterates, Theorem
from dpverify.verdicts import REFUTED

sigma_g = sp.Symbol("sigma_g", positive=True)


def _batch():
    """The mean of n gradients drawn with replacement, of mean grad and spread V, and grad."""
    whole = Vector("grad")
    return sample_mean("g", mean=whole, spread=V, size=n), whole


@claim(
    PAPER,
    "sec4.3-xi-model",
    at="Section 4.3, sigma_g constant in n",
    kind="inequality",
    expect=REFUTED,
    correction="sec4.3-xi-model-corrected",
    breaks="text",
)
def batch_gradient_deviates_like_one_over_n():
    """There is a positive constant sigma_g, whatever n is, such that the mean gradient of a batch is grad +
    sigma_g xi/n with E|xi|^2 <= D: E|batch - grad|^2 <= sigma_g^2 D/n^2 for every n. (The order of alpha_g
    below Theorem 4.8 needs it.)

    The path n -> oo, gradients of any spread V > 0 drawn with replacement: E|batch - grad|^2 = V/n, so that
    every constant fails once n > sigma_g^2 D/V.
    """
    batch, whole = _batch()
    return BigO(E(norm2(batch - whole)), D / n**2, of=[D, V])


@claim(
    PAPER,
    "sec4.3-xi-model-given-n",
    at="Section 4.3, sigma_g of a given n",
    kind="inequality",
)
def batch_gradient_deviates_as_modelled_at_each_n():
    """For each n and data set there is a positive sigma_g with E|batch - grad|^2 <= sigma_g^2 D/n^2:
    sigma_g^2 = n V/D, V the spread of the gradients. It grows with n.
    """
    batch, whole = _batch()
    return ForSome(
        [sigma_g],
        AtMost(E(norm2(batch - whole)), sigma_g**2 * D / n**2),
        at={sigma_g: sp.sqrt(n * V / D)},
        of=[n, V, D],
    )


@claim(
    PAPER,
    "sec4.3-xi-model-corrected",
    at="Section 4.3, corrected",
    kind="inequality",
    uses=["thm-4.7", "sec4.3-xi-model-given-n"],
    standing="ours",
)
def batch_gradient_deviates_like_one_over_root_n():
    """With the least sigma_g of a batch of n, sigma_g^2 = n V/D (sec4.3-xi-model-given-n), the term alpha_g
    sigma_g^2 of Theorem 4.7, alpha_g = D/(2 mu N^2 R (f_1 - f*)), is V/(2 mu N sqrt(R) (f_1 - f*)) at n = N
    sqrt R.
    """
    alpha_g, size = sp.symbols("alpha_g n", positive=True)
    named = [
        sp.Eq(alpha_g, D / (2 * mu * N**2 * R * gap)),
        sp.Eq(size, N * sp.sqrt(R)),
        sp.Eq(sigma_g, sp.sqrt(size * V / D)),
    ]
    return Equal(alpha_g * sigma_g**2, V / (2 * mu * N * sp.sqrt(R) * gap), given=named)


@claim(
    PAPER,
    "thm-4.7",
    at="Theorem 4.7, Eq (14)",
    kind="inequality",
    uses=["proof-4.7-lines"],
)
def bound_of_private_sgd_under_its_noise_model():
    """For f that is M-smooth and meets the PL condition with mu, steps theta - (grad f + (sigma_g xi_t + G
    sigma_t nu_t)/n)/M with noises of mean 0 given the past, E|xi_t|^2 = w <= D, E|nu_t|^2 = D, and n >= N
    sqrt R (as max(N sqrt R, 1) is): E f(theta_{T+1}) - f* <= (gamma^T + alpha_g sigma_g^2 + R' sum_t
    gamma^(T-t) alpha sigma_t^2)(f(theta_1) - f*), gamma = 1 - mu/M, alpha_g = D/(2 mu N^2 R (f(theta_1) -
    f*)), R' = N^2 R/n^2.

    e[t] is E f(theta_t) - f*, and e[1] is positive so that alpha is defined. That the gradients of batches
    are of this kind is supposed: sec4.3-xi-model.
    """
    dimension, size = sp.Symbol("D", integer=True, positive=True), sp.Symbol("n", positive=True)
    w = sp.Symbol("w", nonnegative=True)
    f, theta = Function("f", smooth=M, polyak_lojasiewicz=mu), Vector("theta")
    error = sp.IndexedBase("e", nonnegative=True)
    xi, nu = Noise("xi", variance=w), Noise("nu", variance=dimension * s2[t])
    after = theta - (f.gradient(theta) + sigma_g / size * xi + G / size * nu) / M
    run = Iterates(error, f(theta) - f.minimum, [theta], [after], [xi, nu], t, 1, T)
    larger, rate = R * N**2 / size**2, 1 - mu / M
    alpha = dimension * G**2 / (2 * R * M * N**2 * error[1])
    alpha_g = dimension / (2 * mu * N**2 * R * error[1])
    influence = sp.Sum(rate ** (T - t) * alpha * s2[t], (t, 1, T))
    privacy = dimension * G**2 / (2 * M * size**2)  # what one step adds, for sigma_t^2 = 1
    batch = dimension * sigma_g**2 / (2 * M * size**2)
    extra = privacy * s2[t] + batch
    return (
        Theorem(
            given=[run, mu <= M, w <= dimension, error[1] > 0, size >= N * sp.sqrt(R)],
            shows=AtMost(error[T + 1], (rate**T + alpha_g * sigma_g**2 + larger * influence) * error[1]),
        )
        .descend(run, rate, extra, "the descent lemma, and PL", by=[f.descent(theta, after)])
        .unroll(error[t], rate, extra, (t, 1, T), "T steps")
        .use("proof-4.7-lines", "what the batches add is a geometric sum", c=privacy, b=batch)
        .have(
            Equal(larger * influence * error[1], privacy * sp.Sum(rate ** (T - t) * s2[t], (t, 1, T))),
            "alpha and R'",
        )
        .have(AtMost(batch * M / mu, alpha_g * sigma_g**2 * error[1]), "n >= N sqrt R")
    )


@claim(
    PAPER,
    "thm-4.7-n",
    at="Theorems 4.7, 4.8",
    kind="algorithm property",
    expect=REFUTED,
    correction="thm-4.7-n-corrected",
    standing="ours",
)
def printed_batch_size_is_at_most_the_number_of_records():
    """n = max(N sqrt R, 1), which the theorems ask for, is a batch size, at most N (p = n/N <= 1), for every
    budget R > 0. (It need not be whole either.)
    """
    return AtMost(sp.Max(N * sp.sqrt(R), 1), N)


@claim(
    PAPER,
    "thm-4.7-n-corrected",
    at="Theorems 4.7, 4.8, corrected",
    kind="algorithm property",
    standing="ours",
)
def rounded_batch_size_is_admissible():
    """For R <= 1 the whole n with N sqrt R <= n < N sqrt R + 1, that is ceil(N sqrt R), is between 1 and N,
    and at least N sqrt R, which is what the proof uses.
    """
    size, least = sp.Symbol("n", integer=True), N * sp.sqrt(R)
    return (
        Theorem(
            given=[R <= 1, size >= least, size < least + 1],
            shows=AllOf(AtMost(1, size), AtMost(size, N)),
        )
        .have(AtMost(least, N), "R <= 1")
        .have(AtMost(size, N + 1, strict=True), "so n < N + 1, both being whole")
        .have(AtMost(0, size, strict=True), "and n is positive")
        .have(AtMost(1, size), "so at least 1")
        .have(AtMost(size, N), "and at most N")
    )


@claim(
    PAPER,
    "thm-4.8-bound",
    at="Theorem 4.8, Eq (11) with U_3 + U_3^g",
    kind="inequality",
    uses=["thm-4.4"],
    expect=REFUTED,
    correction="thm-4.8-bound-corrected",
    breaks="theorem",
)
def excess_risk_of_momentum_with_batches_as_printed():
    """With batches of n = max(N sqrt R, 1) and steps eta_0/(2M): EER <= (gamma^T + 2 R' eta_0 alpha (U_3 +
    U_3^g))(f(theta_1) - f*) - zeta (eta_0/(2M)) sum_t gamma^(T-t) E|v_{t+1}|^2.

    The case of Theorem 4.4: every record has the loss theta^2/2, so that a batch has the gradient of all and
    the model holds with xi = 0 and any sigma_g; R = 1, n = N, T = 1, M = mu = 1. The step contracts f by (1 -
    eta_0/2)^2 > 1 - eta_0 = gamma.
    """
    theta, noise, batch = sp.symbols("theta_1 s b", positive=True)
    eta_0, beta = sp.symbols("eta_0 beta", positive=True)
    gamma, rate = 1 - eta_0, eta_0 / 2
    excess = ((1 - rate) ** 2 * theta**2 + rate**2 * noise) / 2
    zeta = 1 - eta_0**2 / (beta * (1 - beta) ** 3) - eta_0 / 4
    moment = (1 - beta) ** 2 * (theta**2 + noise)  # E|v_2|^2, v_2 = (1-beta) g_1
    bound = gamma * theta**2 / 2 + eta_0 * (noise + batch) - zeta * eta_0 / 2 * moment
    limit = 8 / (sp.sqrt(1 + 64 * beta * gamma / ((gamma - beta) ** 2 * (1 - beta) ** 3)) + 1)
    return Instance(
        AtMost(
            excess,
            bound,
            given=[beta < 1, eta_0 < 1, sp.Ne(beta, gamma), eta_0 <= limit, zeta >= 0],
        ),
        let={
            "f(theta; x)": "theta^2/2, for every x",
            "T, M, mu, R": "1",
            "n": "N",
            "G": "theta_1, the norm of the only gradient",
            "s, b": "D G^2 sigma_1^2/N^2, D sigma_g^2/N^2",
        },
        because="2 R' eta_0 alpha (f_1 - f*) is eta_0 D G^2/N^2, U_3 = sigma_1^2 and U_3^g = "
        "sigma_g^2/G^2 at "
        "T = 1",
    )


@claim(
    PAPER,
    "thm-4.8-bound-corrected",
    at="Theorem 4.8, Eq (11) with U_3 + U_3^g, corrected, the noise term of thm-4.4-corrected",
    kind="identity",
    uses=["thm-4.4-corrected"],
    standing="ours",
)
def noise_of_momentum_with_batches_is_a_sum_of_two():
    """The noise term of Theorem 4.4 corrected (steps eta_0/M), (eta_0/M) sum_t gamma^(T-t) w_t sum_{i<=t}
    beta^(2(t-i)) c_i, at the second moments c_i = D (sigma_g^2 + G^2 sigma_i^2)/n^2 of batches, is 2 R' eta_0
    alpha (U_3 + U_3^g)(f(theta_1) - f*), R' = N^2 R/n^2; w_t = ((1-beta)/(1-beta^t))^2.
    """
    gamma, beta, eta_0 = sp.symbols("gamma beta eta_0", positive=True)
    weight = sp.IndexedBase("w", positive=True)
    larger, alpha = sp.symbols("R_prime alpha", positive=True)
    named = [sp.Eq(larger, R * N**2 / n**2), sp.Eq(alpha, schedules.alpha_of(D, G, R, M, N, gap))]

    def averaged(c):
        return sp.Sum(gamma ** (T - t) * weight[t] * sp.Sum(beta ** (2 * (t - i)) * c, (i, 1, t)), (t, 1, T))

    moments = D * (sigma_g**2 + G**2 * s2[i]) / n**2
    both = averaged(s2[i]) + averaged(sigma_g**2 / G**2)
    return Equal(eta_0 / M * averaged(moments), 2 * larger * eta_0 * alpha * both * gap, given=named)


@claim(
    PAPER,
    "sec4.3-order",
    at="Below Theorem 4.8",
    kind="asymptotic",
    uses=["sec4.3-xi-model-corrected", "thm-4.7"],
    expect=REFUTED,
    correction="sec4.3-xi-model-corrected",
    breaks="text",
)
def batches_add_no_more_than_the_order_of_dynamic_schedules():
    """The utility bound of PSGD differs from that of PGD merely by alpha_g sigma_g^2, of the order D/(N^2 R).

    The path N -> oo with gradients of spread V > 0: with the least sigma_g that the model allows at n = N
    sqrt R the term is V/(2 mu N sqrt(R) (f_1 - f*)) (sec4.3-xi-model-corrected), of the order 1/N.
    """
    added = V / (2 * mu * N * sp.sqrt(R) * gap)
    return BigO(added, D / (N**2 * R), of=[D, R, V, mu, gap])


@claim(PAPER, "sec4.3-schedules", at="Below Theorem 4.8", kind="optimality", uses=["thm-4.7"])
def batches_do_not_change_the_best_schedule():
    """ "The conclusions w.r.t. the dynamic/uniform schedules maintain the same": on sum_t 1/sigma_t^2 = R'
    the minimum of R' sum_t q_t sigma_t^2 is (sum_t sqrt q_t)^2, whatever R' is, attained by sigma_t^2 =
    (1/R') sum_i sqrt q_i/sqrt q_t alone: Eq (6) with R' for R. The term alpha_g sigma_g^2 does not depend on
    the schedule.
    """
    q, v = sp.IndexedBase("q", positive=True), sp.Symbol("v", positive=True)
    larger = R * N**2 / n**2
    roots = sp.Sum(sp.sqrt(q[t]), (t, 1, T))
    return Minimises(
        larger * q[t] * v,
        over=v,
        spent=1 / v,
        total=larger,
        at=roots / (larger * sp.sqrt(q[t])),
        index=t,
        length=T,
        unique=True,
        value=roots**2,
    )
