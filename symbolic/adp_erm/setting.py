"""Sections 1 and 3: the problem, the two updates, what the introduction says of them, Algorithm 1."""

from __future__ import annotations

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.language.vectors import norm2, vectors
from dpverify.relations import AtMost, Equal, Increasing, Quoted, Tested
from dpverify.schedules import step
from dpverify.symbolic.adp_erm import PAPER
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result

t, T = step(), sp.Symbol("T", integer=True, positive=True)
rate, later, factor, a, c, eta = sp.symbols("eta_t eta_s alpha_t a c eta", positive=True)
theta, g, Z, released = vectors("theta g Z r")


def same(first, second):
    """Two vectors are equal: their difference has norm 0."""
    return Equal(norm2(first - second), 0)


def step_along(direction, shown, *given):
    """If the released gradient r is `direction`, then theta - eta_t r is `shown`."""
    is_direction = sp.Eq(norm2(released - direction), 0)
    return Theorem(given=[is_direction, *given], shows=same(theta - rate * released, shown))


@claim(PAPER, "eq-1", at="Eq (1)", kind="definition", standing="definition", expect=UNDECIDED)
def empirical_risk():
    """F(theta) = (1/n) sum_i f(theta; x_i)."""
    return Quoted("a definition of the objective, the mean of the losses; it asserts nothing to be checked")


@claim(PAPER, "eq-2", at="Eq (2)", kind="identity")
def noise_in_the_gradient_is_noise_in_the_parameter():
    """With the released gradient r = grad f + Z, theta - eta_t r = theta - eta_t grad f - eta_t Z."""
    return step_along(g + Z, theta - rate * g - rate * Z)


@claim(
    PAPER,
    "eq-3",
    at="Eq (3) against Algorithm 1, line 6",
    kind="identity",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="eq-3-corrected",
)
def noise_of_eq_3_is_that_of_algorithm_1():
    """With g_t = grad f + eta_t alpha_t Z, theta - eta_t g_t is the update of Algorithm 1, theta - eta_t
    (grad f + alpha_t Z), which Figure 1 and the rest of the paper use.
    """
    return same(theta - rate * (g + rate * factor * Z), theta - rate * (g + factor * Z))


@claim(PAPER, "eq-3-corrected", at="Eq (3), corrected", kind="identity", standing="ours")
def noise_on_the_parameter():
    """With the released gradient r = grad f + alpha_t Z the noise on the parameter is eta_t alpha_t Z."""
    return step_along(g + factor * Z, theta - rate * g - rate * factor * Z)


@claim(
    PAPER, "intro-sqrt-eta", at="Section 1, alpha_t = 1/sqrt(eta_t)", kind="identity", uses=["eq-3-corrected"]
)
def square_root_of_the_step_on_the_parameter():
    """With r = grad f + alpha_t Z, alpha_t = 1/sqrt(eta_t) gives theta - eta_t r = theta - eta_t grad f -
    sqrt(eta_t) Z (from Algorithm 1; Eq (3) as printed has eta_t^(3/2) Z).
    """
    return step_along(g + factor * Z, theta - rate * g - sp.sqrt(rate) * Z, sp.Eq(factor, 1 / sp.sqrt(rate)))


@claim(PAPER, "intro-slower", at="Section 1, more slowly", kind="monotonicity")
def square_root_falls_by_a_smaller_share():
    """From a step eta_t to a smaller eta_s, sqrt(eta) falls by a smaller factor than eta."""
    return AtMost(later / rate, sp.sqrt(later) / sp.sqrt(rate), given=[later <= rate])


@claim(PAPER, "fig-1", at="Figure 1", kind="monotonicity", uses=["intro-slower"])
def variance_on_the_parameter_falls_more_slowly():
    """With eta_t = 1/sqrt(1 + t) and the sigmas of Eq (6) at one budget, sigma^2 = S sum_t 1/alpha_t^2, the
    variance eta_t sigma_adp^2 over eta_t^2 sigma_dp^2 grows with t: it starts at most at 1 and ends at least
    there.
    """
    S, adaptive, plain = sp.symbols("S sigma_adp2 sigma_dp2", positive=True)
    now = sp.Symbol("k", integer=True, positive=True)
    steps = 1 / sp.sqrt(1 + t)
    total = sp.Sum(steps, (t, 1, T))
    budget = [sp.Eq(adaptive, S * total), sp.Eq(plain, S * T)]  # alpha_t^2 = 1/eta_t, and alpha_t = 1

    def ratio(k):
        size = 1 / sp.sqrt(1 + k)
        return size * adaptive / (size**2 * plain)

    return AllOf(
        Increasing(ratio(now), now, strict=True),
        Theorem(given=budget, shows=AtMost(ratio(1), 1))
        .sum(AtMost(steps, 1 / sp.sqrt(2)), (t, 1, T), "no step is longer than the first")
        .have(AtMost(adaptive, S * T / sp.sqrt(2)), "times S"),
        Theorem(given=budget, shows=AtMost(1, ratio(T)))
        .sum(AtMost(1 / sp.sqrt(1 + T), steps), (t, 1, T), "every step is at least the last")
        .have(AtMost(S * T / sp.sqrt(1 + T), adaptive), "times S"),
    )


@claim(PAPER, "assumption-2.1", at="Eq (4)", kind="definition", standing="definition", expect=UNDECIDED)
def lipschitz_gradients():
    """Each component has an L-Lipschitz gradient."""
    return Quoted(
        "a hypothesis, declared as Function(smooth=L) where it is used; it asserts nothing by itself"
    )


@claim(PAPER, "assumption-2.2", at="Eq (5)", kind="definition", standing="definition", expect=UNDECIDED)
def bounded_gradients():
    """Each component has gradients of norm at most G."""
    return Quoted("a hypothesis, |grad f| <= G where it is used; with clipping it holds by construction")


@claim(PAPER, "alg-1", at="Algorithm 1", kind="algorithm property", expect=SUPPORTED)
def algorithm_1_reduces_to_dp_sgd_and_sgd():
    """With alpha_t = 1 Algorithm 1 is DP-SGD, and with alpha_t = 0 it is SGD: the iterates of our ADP-SGD are
    those of a plain loop, to the last bits, on logistic regression.
    """

    def run(effort: Effort) -> Result:
        from dpverify.algorithms.adp_sgd import adp_sgd
        from dpverify.engine import walk
        from dpverify.montecarlo import generator
        from dpverify.parts.cases import logistic_case
        from dpverify.schedules import Schedule

        problem, data = logistic_case(40, 4, start=-2.0, sphere=True)
        worst = 0.0
        for spread in (0.3, 0.0):
            algorithm = adp_sgd(
                problem, G=0.5, sigma=spread, alpha=Schedule(1.0), b=Schedule(2.0), steps=6, eta=0.8
            )
            *steps, last = walk(algorithm, data, 20, generator(effort.seed, 0))
            x = np.tile(problem.start, (20, 1))
            for step_ in steps:
                noise = step_.released - step_.answer.value
                if spread == 0.0 and np.any(noise):
                    return Result(UNDECIDED, "noise without a scale", Evidence("runs", samples=20))
                x = x - 0.8 / 2.0 * (step_.answer.value + noise)
            worst = max(worst, float(np.abs(x - last.x).max()))
        evidence = Evidence("runs", samples=40, seed=effort.seed, ceiling="any difference above 1e-12")
        return Result(SUPPORTED if worst < 1e-12 else UNDECIDED, f"they differ by {worst:.1g}", evidence)

    return Tested("Algorithm 1 at alpha = 1 is DP-SGD, and at alpha = 0 SGD", run)


@claim(
    PAPER,
    "alg-1-phi1-example",
    at="Section 3, phi_1 = 1/sqrt(a + c t)",
    kind="algorithm property",
    expect=REFUTED,
    breaks="misprint",
    standing="misprint",
    correction="alg-1-phi1-example-corrected",
)
def printed_phi_1_gives_decaying_steps():
    """With b_t = phi_1 = 1/sqrt(a + c t) the step size eta/b_t decays."""
    return Increasing(eta * sp.sqrt(a + c * t), t, strict=True, down=True)


@claim(
    PAPER,
    "alg-1-phi1-example-corrected",
    at="Section 3, corrected as in section 5.1",
    kind="algorithm property",
    standing="ours",
)
def square_root_gives_decaying_steps():
    """With b_t = sqrt(a + c t) the step size eta/b_t decays."""
    return Increasing(eta / sp.sqrt(a + c * t), t, strict=True, down=True)


@claim(
    PAPER,
    "alg-1-phi-domain",
    at="Section 3, phi_1: R^2 -> R",
    kind="definition",
    standing="definition",
    expect=UNDECIDED,
)
def domain_of_the_update_rules():
    """phi_1 maps (b_t, gradient) to b_{t+1} from R^2 (the gradient is in R^d: its norm is meant)."""
    return Quoted(
        "the type of a function; with the gradient's norm for the gradient, as in section 5.2, it is right"
    )


@claim(
    PAPER, "assumption-3.1", at="Assumption 3.1", kind="definition", standing="definition", expect=UNDECIDED
)
def unbiased_gradients():
    """grad f(theta_t; x_xi) is unbiased for grad F(theta_t) (printed theta_k), the indices are
    independent.
    """
    return Quoted(
        "a hypothesis; it is declared as fresh noise of mean 0 in thm-4.2-step, and asserts nothing itself"
    )


@claim(PAPER, "def-3.1", at="Definition 3.1", kind="definition", standing="definition", expect=UNDECIDED)
def adaptive_mechanism():
    """The adaptive privacy mechanism."""
    return Quoted(
        "the definition is announced and does not stand in the text that we have; nothing can be checked"
    )
