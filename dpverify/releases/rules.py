"""What a release costs as a formula: the rules by which privacy statements are decided.

Currencies: pure epsilon, rho of zCDP, mu of Gaussian DP, epsilon of Renyi DP at one order. The rules:

    Gaussian, sensitivity D, scale s     rho = D^2/(2 s^2), mu = D/s, renyi(a) = a D^2/(2 s^2); all attained
    Laplace, sensitivity D, scale b      epsilon = D/b, attained
    epsilon-DP                           rho = epsilon^2/2, renyi(a) = min(epsilon, a epsilon^2/2)
    a batch that has the record with chance q (Poisson under add/remove, without replacement under replace)
        epsilon' = ln(1 + q(e^epsilon - 1))
    Gaussian noise on Poisson batches, add/remove, whole order a
        renyi(a) = ln(sum_k C(a, k) (1-q)^(a-k) q^k e^((k^2-k) D^2/(2 s^2)))/(a-1)
    Gaussian noise on batches without replacement, replace, whole order a, e(j) = j D^2/(2 s^2)
        renyi(a) = ln(1 + q^2 C(a, 2) min(4 (e^e(2) - 1), 2 e^e(2)) + sum_(j=3..a) 2 q^j C(a, j) e^((j-1)
        e(j)))/(a-1)
    rho-zCDP                             (rho + 2 sqrt(rho ln(1/delta)), delta)-DP
    (epsilon, delta)-DP on a batch       (2 q epsilon, q delta)-DP if epsilon <= 5/4: e^epsilon <= 1 + 2
    epsilon

Each release answers for itself (`Release.formula`, `attains`, `conditions`); what several of them share is
here. References: Bun and Steinke 2016; Mironov 2017; Balle, Barthe and Gaboardi 2018; Mironov, Talwar and
Zhang 2019; Wang, Balle and Kasiviswanathan 2019. Each rule is compared with numerical integration in the
tests.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency

# The currencies; a Renyi order is written ("renyi", order).
PURE = "epsilon"
RHO = "rho"
MU = "mu"
# What advanced composition adds up, written ("squares", delta) and so on: epsilon^2 and delta of each
# release,
# where Gaussian noise spends that delta before sampling, and by how much epsilon is then too large for a
# batch.
SQUARES = "squares"
DELTAS = "deltas"
EXCESS = "excess"
Currency = Any


class NoRule(ValueError):
    """No rule gives the cost; the message names what is missing."""


class Condition(NamedTuple):
    """What the numbers of a mechanism must meet for it to be one, for all `indices` in the range `within`;
    or, if it is `attained`, for the cost to be that of some mechanism of the form.
    """

    smaller: Any
    larger: Any
    strict: bool = False
    within: tuple[Any, ...] = ()
    indices: tuple[Any, ...] = ()
    attained: bool = False


def epsilon_of(rho: Any, delta: Any) -> Any:
    """The epsilon of rho-zCDP at that delta.

    >>> epsilon_of(sp.Rational(1, 2), sp.exp(-2))
    5/2
    """
    return rho + 2 * sp.sqrt(rho * sp.log(1 / sp.sympify(delta)))


def _composed(epsilon: Any, delta: Any, kind: str, excess: Any = 0) -> Any:
    """What a release of (epsilon, delta)-DP adds to one of the sums of advanced composition."""
    return {SQUARES: sp.sympify(epsilon) ** 2, DELTAS: sp.sympify(delta), EXCESS: sp.sympify(excess)}[kind]


def _in_sums(currency: Currency) -> bool:
    """Whether the currency is one of the sums of advanced composition."""
    return isinstance(currency, tuple) and currency[0] in (SQUARES, DELTAS, EXCESS)


def order_of(currency: Currency) -> Any:
    """The order of a Renyi currency; 1 for the others.

    >>> order_of(("renyi", 4)), order_of(RHO)
    (4, 1)
    """
    return sp.sympify(currency[1]) if isinstance(currency, tuple) else sp.Integer(1)


def gaussian_formula(ratio: Any, currency: Currency) -> Any:
    """What Gaussian noise costs that is 1/ratio times the sensitivity.

    >>> gaussian_formula(sp.Rational(1, 2), RHO)
    1/8
    """
    if currency == PURE:
        raise NoRule("Gaussian noise has no epsilon of pure DP")
    if _in_sums(currency):
        kind, delta = currency
        return _composed(epsilon_of(ratio**2 / 2, delta), delta, kind)
    return ratio if currency == MU else order_of(currency) * ratio**2 / 2


def pure_formula(epsilon: Any, currency: Currency) -> Any:
    """What pure DP of that epsilon costs.

    >>> pure_formula(sp.Integer(2), RHO)
    2
    """
    if currency == PURE:
        return epsilon
    if currency == RHO:
        return epsilon**2 / 2
    if currency == MU:
        raise NoRule("pure DP has no simple mu of Gaussian DP")
    if _in_sums(currency):
        return _composed(epsilon, 0, currency[0])
    return sp.Min(epsilon, order_of(currency) * epsilon**2 / 2)


def pure_on_batches(epsilon: Any, chance: Any, currency: Currency) -> Any:
    """What pure DP costs on a secret batch that has the record with that chance.

    >>> pure_on_batches(sp.log(3), sp.Rational(1, 2), PURE)
    log(2)
    """
    return pure_formula(sp.log(1 + chance * (sp.exp(epsilon) - 1)), currency)


def gaussian_on_batches(ratio: Any, chance: Any, how: str, currency: Currency) -> Any:
    """What Gaussian noise costs on a secret batch, at whole orders of Renyi DP.

    >>> gaussian_on_batches(sp.Integer(1), sp.Rational(1, 2), "poisson", ("renyi", 2))
    log(E/4 + 3/4)
    """
    if _in_sums(currency):
        kind, delta = currency
        before = epsilon_of(ratio**2 / 2, delta)
        excess = sp.Max(0, before - sp.Rational(5, 4))
        return _composed(2 * chance * before, chance * delta, kind, excess)
    order = order_of(currency)
    if not isinstance(currency, tuple) or not order.is_integer:
        raise NoRule("Gaussian noise on batches has rules at whole orders of Renyi DP only")
    if how != "poisson":
        return _replaced_in_batch(chance, ratio**2, order)
    if not (order.is_Integer and order >= 2):
        raise NoRule(
            f"Gaussian noise on Poisson batches has a rule at numbers only, not at the order {order}"
        )
    terms = [
        sp.binomial(order, k) * (1 - chance) ** (order - k) * chance**k * sp.exp((k**2 - k) * ratio**2 / 2)
        for k in range(int(order) + 1)
    ]
    return sp.log(sum(terms)) / (order - 1)


def _replaced_in_batch(chance: Any, square: Any, order: Any) -> Any:
    """Theorem 9 of Wang, Balle and Kasiviswanathan (2019), for e(j) = j square/2 and e(infinity) = infinity.

    The order is whole and above 1, which every route shows.
    """
    j = sp.Symbol("j", integer=True, positive=True)
    second = chance**2 * order * (order - 1) / 2 * sp.Min(4 * (sp.exp(square) - 1), 2 * sp.exp(square))
    term = 2 * chance**j * sp.binomial(order, j) * sp.exp((j - 1) * j * square / 2)
    later = sp.Sum(term, (j, 3, order))
    return sp.log(1 + second + (later.doit() if order.is_Integer else later)) / (order - 1)


def chance_in_batch(size: Any, records: Any, how: str, adjacency: Adjacency) -> Any:
    """The chance that a record is in the batch, where there is a rule for batches drawn that way.

    >>> chance_in_batch(2, 50, "poisson", ADD_REMOVE)
    1/25
    """
    if (how, adjacency) not in {("poisson", ADD_REMOVE), ("without replacement", REPLACE)}:
        raise NoRule(f"there is no rule for batches drawn {how} under {adjacency}")
    return sp.sympify(size) / records
