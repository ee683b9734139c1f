"""Section 5: DIFF2-BVR-L-SGD: Proposition 5.1 in brief, and what a client computes."""

from __future__ import annotations

import sympy as sp

from dpverify.claims import claim
from dpverify.relations import AtMost, Instance
from dpverify.symbolic.diff2 import PAPER
from dpverify.theorems import Theorem
from dpverify.verdicts import REFUTED

K, R, P, T, b, n = (sp.Symbol(name, integer=True, positive=True) for name in ("K", "R", "P", "T", "b", "n_p"))


@claim(
    PAPER,
    "prop-5.1",
    at="Proposition 5.1",
    kind="privacy guarantee",
    expect=REFUTED,
    breaks="theorem",
    correction="prop-5.1-corrected",
)
def noise_of_the_stated_order_is_private():
    """Some sigma_3^2 of the order KR/(n_min^2 P eps^2) + 1/(b^2 eps) (with sigma_1, sigma_2 as stated) makes
    DIFF2-BVR-L-SGD (eps, delta)-DP under the condition on b, for all K, R, P.

    The case: R = 1, b = 1, eps = 1, delta = e^(-1/2), so that a = 2; P >= K: the stated order is 1; let
    sigma_3^2 = s, any number, n >= max(11, s/2), m = K - 1 = 200 n^2 (s + 1). l(x, z) = z L x^2/2, all
    records z = 0 but one of the client who takes the local steps, z = 1 in D and -1 in D'. In units of C each
    local release is +-1 or 0 and noise of variance s. Of these v_1, x_0 and x_1 = x_{K,0} are published: for
    a short step eta, (x_0 - x_1 - eta K v_1)/(eta^2 C_3 |v_1|) is S = the sum of the m releases with the
    weights m..1, but for a term of order eta. S has the mean +-m (m + 1)/(2 n) and a variance of at most (s +
    1) m (m + 1)(2 m + 1)/6, so that by Chebyshev Pr[S <= 0 | D] and Pr[S > 0 | D'] are at most 1/150, and
    below 1/100 for eta small enough. The inequality is (eps, delta)-DP for {S > 0}.
    """
    most = sp.Rational(1, 100)
    m, s = sp.Symbol("m", integer=True, positive=True), sp.Symbol("s", positive=True)
    variance, mean = (s + 1) * m * (m + 1) * (2 * m + 1) / 6, m * (m + 1) / (2 * n)
    return Instance(
        AtMost(1 - most, sp.E * most + sp.exp(-sp.Rational(1, 2))),
        let={
            "R, b, eps, delta, a": "1, 1, 1, exp(-1/2), 2",
            "n_p": "n >= max(11, s/2), s = sigma_3^2 any number",
            "K - 1, P, eta": "200 n^2 (s + 1), P >= K, small",
            "l(x, z)": "z L x^2/2, z = 0 but for one record, 1 or -1; C_2 = C_3 = L",
            "S": "{(x_0 - x_1 - eta K v_1)/(eta^2 C_3 |v_1|) > 0, up to a sign that v_1 tells}",
        },
        meets=[AtMost(variance, mean**2 / 150, given=[m >= 200 * n**2 * (s + 1)])],
        because="with fewer rounds than clients one client takes K local steps, not K R/P",
    )


@claim(
    PAPER,
    "prop-5.1-corrected",
    at="Proposition 5.1, corrected",
    kind="privacy guarantee",
    uses=["prop-e.2", "prop-e.2-levels", "prop-e.2-b", "prop-e.2-sigma", "lemma-b.8"],
    standing="ours",
)
def noise_of_the_order_with_whole_visits():
    """With ceil(R/P) for R/P: u_1 = u_2 = 3 and sigma_3^2 >= max(16 (4 + e) (a^2/(a - 1)) K
    ceil(R/P)/(n_min^2 eps), 6 a/b^2), under the condition on b (prop-e.2-b), make the cost of Proposition E.2
    at most eps: the server's releases, the local ones and the conversion cost at most eps/3 + eps/6 + eps/2.

    In the statement x = eps'(a), which Lemma B.8 bounds, v = ceil(R/P), k = a - 1 = ceil(2 log(1/delta)/eps),
    l = log(1/delta), s = sigma_3^2.
    """
    v, whole, least = (sp.Symbol(name, integer=True, positive=True) for name in ("v", "k", "n_min"))
    eps, x, ell, s, m_1, m_2 = sp.symbols("epsilon x l s m_1 m_2", positive=True)
    a = 1 + whole
    factor = sp.Rational(8, 3) * (4 + sp.E) * a**2 / whole
    first, second = 12 * a * m_1 / (least**2 * P**2 * eps), 12 * a * m_2 / (least**2 * P**2 * eps)
    server = 2 * a * m_1 / (n**2 * P**2 * first) + 2 * a * m_2 / (n**2 * P**2 * second)
    bound = factor / (n**2 * s)
    return (
        Theorem(
            given=[least <= n, 2 * ell <= whole * eps, x <= bound, factor * 6 * K * v <= s * least**2 * eps],
            shows=AtMost(server + K * v * x + ell / whole, eps),
        )
        .have(AtMost(least**2, n**2), "the smallest client")
        .have(AtMost(server, eps / 3), "the server's releases")
        .have(AtMost(ell / whole, eps / 2), "the conversion")
        .use("prop-e.2-sigma", "the local releases", K=K, v=v, n_min=least, n_p=n, alpha=a, s=s, x=x)
    )


@claim(PAPER, "remark-5.5", at="Remark 5.5, first sentence", kind="algorithm property")
def gradients_that_a_client_evaluates():
    """Client p evaluates at most 2 (n_p + K b) R single gradients: n_p at each of ceil(R/T) restarts, 2 n_p
    in each other round, and 2 b in each of K - 1 local steps of at most ceil(R/P) rounds.
    """
    restarts, visits = sp.ceiling(R / T), sp.ceiling(R / P)
    evaluated = n * restarts + 2 * n * (R - restarts) + 2 * b * (K - 1) * visits
    return (
        Theorem(shows=AtMost(evaluated, 2 * (n + K * b) * R))
        .have(AtMost(visits, R), "no more visits than rounds")
        .have(AtMost((K - 1) * visits, K * R), "no more local steps than K a round")
    )
