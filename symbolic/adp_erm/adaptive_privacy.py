"""Theorem 4.1 for adaptive b, and what is said below it.

b_{t+1} from the gradients of line 4 of Algorithm 1, or from what was released;   sigma^2 of Eq (6)
"""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from dpverify.claims import claim
from dpverify.effort import Effort
from dpverify.formulas.adp_erm import norm_alpha, printed_sigma
from dpverify.guarantees import ZCDP, ApproxDP
from dpverify.language.expectations import E, Noise
from dpverify.language.mechanisms import Private, Repeated
from dpverify.language.vectors import norm2
from dpverify.neighbours import REPLACE
from dpverify.relations import AtMost, Equal, Instance, Tested
from dpverify.releases import Gaussian
from dpverify.symbolic.adp_erm import PAPER
from dpverify.symbolic.adp_erm.mechanisms import G, sigma
from dpverify.symbolic.adp_erm.theorem_4_1 import T, alpha, t, total
from dpverify.theorems import AllOf, Theorem
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result


@claim(
    PAPER,
    "thm-4.1-adaptive",
    at="Theorem 4.1 with line 4 of Algorithm 1, b from the gradients",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="privacy",
    correction="thm-4.1-adaptive-corrected",
)
def printed_noise_keeps_epsilon_and_delta_with_adaptive_steps():
    """Theorem 4.1 asks that alpha is known in advance, and nothing of b: with b_1^2 = b_0^2 + max(|g|^2, nu)
    from the raw gradient (section 5.2), alpha_t = (b_0^2 + t C)^(1/4) and Eq (6), Algorithm 1 is (eps,
    delta)-DP.

    The case: T = n = d = 1, b_0^2 = nu = 1, G = 7, C = 15, eps = 1, delta = 1e-5; the record of D has
    gradient 0, that of D' has 7. The released noise has scale 2 sigma/sqrt 2 on D and 2 sigma/sqrt 50 on D',
    whatever sigma is; the event is {|g^b| > 4 sigma/sqrt 50}.
    """
    level = sp.Rational(1, 10**5)
    spread = 16 * 7 * sp.sqrt(sp.log(16 / level) * sp.log(sp.Rational(5, 4) / level)) / 2  # alpha_1 = 2
    shift = 7 / (2 * spread)  # the mean on D' in units of the noise on D'

    def tail(edge):
        return sp.erfc(edge / sp.sqrt(2)) / 2

    on_first = 2 * tail(sp.Rational(2, 5))
    on_second = tail(2 - shift) + tail(2 + shift)
    return Instance(
        AtMost(on_first, sp.E * on_second + level),
        let={
            "gradient": "0 on D, 7 on D'",
            "T, n, d, eta, b_0^2, nu": "1",
            "G, C, alpha_1": "7, 15, 2",
            "eps, delta": "1, 1/100000",
            "S": "{|g^b| > 4 sigma/sqrt 50}",
        },
        because="b divides the noise too: its size tells the gradient, and no sigma hides it",
    )


@claim(
    PAPER,
    "thm-4.1-adaptive-corrected",
    at="Theorem 4.1, b from what was released",
    kind="privacy guarantee",
    standing="ours",
)
def steps_from_released_gradients_are_post_processing():
    """Releasing g_t + alpha_t c_t and taking b_{t+1} from the released gradients, Algorithm 1 is rho-zCDP
    with sigma^2 = (2 G^2/rho) sum_t 1/alpha_t^2, without any help of sampling, whatever b is computed from
    what was published.
    """
    rho = sp.Symbol("rho", positive=True)
    spread = sp.sqrt(2 * G**2 / rho * total(1 / alpha[t] ** 2))
    release = Gaussian(alpha[t] * spread, {REPLACE: 2 * G})
    return Private(Repeated(release, t, 1, T), ZCDP(rho), REPLACE)


def adaptive_audit(noisy: bool, said: str) -> Tested:
    """One step of Algorithm 1 with AdaGrad-norm on one record, d = 32, b from the raw or the noisy
    gradient.
    """

    def run(effort: Effort) -> Result:
        from dpverify import Budget, Neighbours, audit

        clip, width = 5.0, 32
        values = norm_alpha(20, clip**2).values(1)
        spread = float(values[0]) * printed_sigma(values, G=clip, n=1, epsilon=1.0, delta=1e-3)

        def train(data: np.ndarray, rng: np.random.Generator, runs: int) -> np.ndarray:
            raw = np.tile(data[0], (runs, 1))
            released = raw + spread * rng.standard_normal(raw.shape)
            seen = released if noisy else raw
            grown = 20 + np.maximum((seen**2).sum(axis=1, keepdims=True), 1e-5)
            return released / np.sqrt(grown)

        first = np.zeros((1, width))
        first[0, 0] = clip
        pair = Neighbours.replace(first, 0, np.zeros(width))
        budget = Budget(runs=effort.runs // 2, seed=effort.seed)
        return audit(train, pair, ApproxDP(1.0, 1e-3), budget=budget, rungs=["statistics"], smaller=False)

    return Tested(said, run)


@claim(
    PAPER,
    "thm-4.1-adaptive-audit",
    at="Theorem 4.1 with b from the raw gradients, audited",
    kind="privacy guarantee",
    expect=REFUTED,
    correction="thm-4.1-adaptive-corrected-audit",
    standing="ours",
)
def audit_finds_the_scale_of_the_noise():
    """The outputs of one step with b_0^2 = 20, nu = 1e-5, G = 5, d = 32, b from the raw gradient and the
    noise of Eq (6) keep (1, .001)-DP.
    """
    return adaptive_audit(False, "AdaGrad-norm from the raw gradient keeps (1, 0.001)-DP at n = 1, d = 32")


@claim(
    PAPER,
    "thm-4.1-adaptive-corrected-audit",
    at="Theorem 4.1 with b from the released gradients, audited",
    kind="privacy guarantee",
    uses=["thm-4.1-adaptive-corrected"],
    expect=SUPPORTED,
    standing="ours",
)
def audit_acquits_steps_from_released_gradients():
    """The same step with b from the released gradient keeps (1, .001)-DP in the audit that refutes the
    other.
    """
    return adaptive_audit(
        True, "AdaGrad-norm from the released gradient keeps (1, 0.001)-DP at n = 1, d = 32"
    )


@claim(PAPER, "thm-4.1-mam", at="Below Theorem 4.1", kind="asymptotic", expect=SUPPORTED)
def moments_accountant_drops_the_factor_of_t():
    """The moments accountant improves B_delta to O(ln(1.25/delta)), whatever T, under further conditions.

    On Poisson samples of one of n = 1000 records in expectation, eps = .5, delta = 1e-5 and alpha = 1: the
    variance that a Renyi accountant asks for, over G^2 ln(1.25/delta) T/(n eps)^2, for T = n^2/10, n^2 and
    10 n^2. It stays bounded where T >= n^2/10 (one of the conditions); B_delta grows with ln T.
    """

    def run(effort: Effort) -> Result:
        from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
        from dp_accounting.rdp import RdpAccountant

        count = 1000
        epsilon = 0.5
        level = 1e-5
        orders = [1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]

        def spent(multiplier: float, steps: int) -> float:
            event = PoissonSampledDpEvent(1 / count, GaussianDpEvent(multiplier))
            accountant = RdpAccountant(orders)
            return float(accountant.compose(SelfComposedDpEvent(event, steps)).get_epsilon(level))

        shares = []
        for steps in (count**2 // 10, count**2, 10 * count**2):
            low, high = 0.3, 100.0
            for _ in range(14):
                middle = math.sqrt(low * high)
                low, high = (low, middle) if spent(middle, steps) <= epsilon else (middle, high)
            shares.append(high**2 * (count * epsilon) ** 2 / (math.log(1.25 / level) * steps))
        evidence = Evidence(
            "Renyi accountant", samples=3, ceiling="a variance that grows faster than T by a factor of two"
        )
        said = "variance over G^2 ln(1.25/delta) T/(n eps)^2: " + ", ".join(
            f"{share:.3g}" for share in shares
        )
        return Result(SUPPORTED if max(shares) <= 2 * min(shares) else UNDECIDED, said, evidence)

    return Tested(
        "the variance that a Renyi accountant asks for is of the order T ln(1/delta)/(n eps)^2", run
    )


@claim(PAPER, "thm-4.1-scaling", at="Below Theorem 4.1", kind="asymptotic")
def sum_of_inverse_powers():
    """With alpha_t^2 = t^p, sum_t 1/alpha_t^2 is between T^(1-p) and T^(1-p)/(1-p) for 0 < p < 1; between
    ln(1 + T) and 1 + ln T for p = 1; and T for p = 0. So grows sigma^2 of Eq (6), but for B_delta, which
    grows with ln T as well.
    """
    p = sp.Symbol("p", positive=True)
    powers, harmonic = total(t**-p), total(1 / t)
    q = 1 - p
    share = T / (T + 1)
    last = (T + 1) ** -p
    return AllOf(
        Theorem(given=[p < 1], shows=AtMost(T * T**-p, powers)).sum(
            AtMost(T**-p, t**-p), (t, 1, T), "every term is at least the last"
        ),
        Theorem(given=[p < 1], shows=AtMost(powers, T**q / q))
        .have(AtMost(share**q, 1 + q * (share - 1)), "Bernoulli")
        .have(Equal(T**q, share**q * (T + 1) ** q), "one power")
        .have(Equal(last * (T + 1), (T + 1) ** q), "one power")
        .have(AtMost(T**q + q * last, (T + 1) ** q), "times (T + 1)^(1-p)")
        .have(AtMost(T**q / q + last, (T + 1) ** q / q), "over 1 - p")
        .induct(T, 1),
        Theorem(shows=AtMost(sp.log(1 + T), harmonic)).induct(T, 1),
        Theorem(shows=AtMost(harmonic, 1 + sp.log(T))).induct(T, 1),
        Equal(total(sp.Integer(1)), T),
    )


@claim(PAPER, "thm-4.1-noisevar", at="Below Theorem 4.1", kind="identity")
def variance_of_the_noise_on_the_parameter():
    """If Z has mean 0 and E|Z|^2 = d sigma^2, the noise eta_t alpha_t Z on the parameter has E|.|^2 = d
    eta_t^2 alpha_t^2 sigma^2: a variance of eta_t^2 alpha_t^2 sigma^2 in each coordinate.
    """
    d = sp.Symbol("d", integer=True, positive=True)
    rate, factor, spread = sp.symbols("eta_t alpha_t v", positive=True)
    noise = Noise("Z", variance=spread)
    return Theorem(
        given=[sp.Eq(spread, d * sigma**2)],
        shows=Equal(E(norm2(rate * factor * noise)), d * rate**2 * factor**2 * sigma**2),
    )
