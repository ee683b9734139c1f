"""Privacy statements by rules: what a mechanism costs in a currency, and what a cost is worth as a guarantee.

Currencies: pure epsilon, rho of zCDP, mu of Gaussian DP, epsilon of Renyi DP at one order. The rules:

    Gaussian, sensitivity D, scale s     rho = D^2/(2 s^2), mu = D/s, renyi(a) = a D^2/(2 s^2); all attained
    Laplace, sensitivity D, scale b      epsilon = D/b, attained
    epsilon-DP                           rho = epsilon^2/2, renyi(a) = min(epsilon, a epsilon^2/2)
    one after the other, adaptively      epsilon, rho and renyi add; mu^2 adds
    a record in k of T equal releases    k times the cost of one
    a batch that has the record with chance q (Poisson under add/remove, without replacement under replace)
        epsilon' = ln(1 + q(e^epsilon - 1))
    Gaussian noise on Poisson batches, add/remove, whole order a
        renyi(a) = ln(sum_k C(a, k) (1-q)^(a-k) q^k e^((k^2-k) D^2/(2 s^2)))/(a-1)
    Gaussian noise on batches without replacement, replace, whole order a, e(j) = j D^2/(2 s^2)
        renyi(a) = ln(1 + q^2 C(a, 2) min(4 (e^e(2) - 1), 2 e^e(2)) + sum_(j=3..a) 2 q^j C(a, j) e^((j-1)
        e(j)))/(a-1)
    rho-zCDP                             renyi(a) = a rho;  (rho + 2 sqrt(rho ln(1/delta)), delta)-DP
    renyi(a) = e                         (e + ln(1/delta)/(a-1), delta)-DP
    mu-GDP                               delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), attained

What is attained by some mechanism of the form is necessary too, and a point that breaks it refutes the
statement. References: Bun and Steinke 2016; Mironov 2017; Dong, Roth and Su 2019; Balle, Barthe and Gaboardi
2018; Mironov, Talwar and Zhang 2019; Wang, Balle and Kasiviswanathan 2019. Each rule is compared with
numerical integration in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.guarantees import GDP, RDP, ZCDP, ApproxDP, PureDP
from dpverify.language.mechanisms import Composed, Private, Repeated
from dpverify.neighbours import ADD_REMOVE, REPLACE, Adjacency
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.relations import AtMost
from dpverify.releases import Gaussian, Laplace, Subsampled

HANDLES = (Private,)
PURE, RHO, MU = "epsilon", "rho", "mu"  # currencies; a Renyi order is written ("renyi", order)
Currency = Any


class NoRule(ValueError):
    """No rule gives the cost; the message names what is missing."""


def cost(mechanism: Any, currency: Currency, adjacency: Adjacency) -> Any:
    """An upper bound on the cost of the mechanism in that currency, by the rules.

    >>> from dpverify.neighbours import REPLACE
    >>> C, s = sp.symbols("C sigma", positive=True)
    >>> cost(Gaussian(s, {REPLACE: C}), RHO, REPLACE)
    C**2/(2*sigma**2)
    """
    if isinstance(mechanism, Composed):
        return _total(currency, [cost(part, currency, adjacency) for part in mechanism.parts])
    if isinstance(mechanism, Repeated):
        return _repeated(mechanism, currency, adjacency)
    if isinstance(mechanism, Gaussian):
        ratio = sp.sympify(mechanism.sensitivity[adjacency]) / mechanism.scale
        if currency == PURE:
            raise NoRule("Gaussian noise has no epsilon of pure DP")
        return {RHO: ratio**2 / 2, MU: ratio}.get(currency, _order(currency) * ratio**2 / 2)
    if isinstance(mechanism, Laplace):
        return _of_pure(sp.sympify(mechanism.sensitivity[adjacency]) / mechanism.scale, currency)
    if isinstance(mechanism, Subsampled):
        return _subsampled(mechanism, currency, adjacency)
    raise NoRule(f"there is no rule for {type(mechanism).__name__}")


def _order(currency: Currency) -> Any:
    return sp.sympify(currency[1]) if isinstance(currency, tuple) else sp.Integer(1)


def _of_pure(epsilon: Any, currency: Currency) -> Any:
    if currency == PURE:
        return epsilon
    if currency == RHO:
        return epsilon**2 / 2
    if currency == MU:
        raise NoRule("pure DP has no simple mu of Gaussian DP")
    return sp.Min(epsilon, _order(currency) * epsilon**2 / 2)


def _total(currency: Currency, costs: list[Any]) -> Any:
    return sp.sqrt(sum(c**2 for c in costs)) if currency == MU else sum(costs)


def _repeated(mechanism: Repeated, currency: Currency, adjacency: Adjacency) -> Any:
    one = cost(mechanism.part, currency, adjacency)
    if mechanism.participations is not None:
        if one.has(mechanism.index):
            raise NoRule(
                f"the cost {one} depends on {mechanism.index}, and records take part in a few releases only"
            )
        times = sp.sympify(mechanism.participations)
        return one * sp.sqrt(times) if currency == MU else one * times
    limits = (mechanism.index, mechanism.low, mechanism.high)
    if not one.has(mechanism.index):
        times = sp.sympify(mechanism.high) - mechanism.low + 1
        return one * sp.sqrt(times) if currency == MU else one * times
    return sp.sqrt(sp.Sum(one**2, limits)) if currency == MU else sp.Sum(one, limits)


def _subsampled(mechanism: Subsampled, currency: Currency, adjacency: Adjacency) -> Any:
    rate = sp.sympify(mechanism.size) / mechanism.of
    fits = {("poisson", ADD_REMOVE), ("without replacement", REPLACE)}
    if (mechanism.how, adjacency) not in fits:
        raise NoRule(f"there is no rule for batches drawn {mechanism.how} under {adjacency}")
    if isinstance(mechanism.inner, Gaussian):
        return _sampled_gaussian(mechanism, rate, currency, adjacency)
    inner = cost(mechanism.inner, PURE, adjacency)
    return _of_pure(sp.log(1 + rate * (sp.exp(inner) - 1)), currency)


def _sampled_gaussian(mechanism: Subsampled, rate: Any, currency: Currency, adjacency: Adjacency) -> Any:
    order = _order(currency)
    if not isinstance(currency, tuple) or not order.is_integer:
        raise NoRule("Gaussian noise on batches has rules at whole orders of Renyi DP only")
    square = (sp.sympify(mechanism.inner.sensitivity[adjacency]) / mechanism.inner.scale) ** 2
    if mechanism.how != "poisson":
        return _replaced_in_batch(rate, square, order)
    if not (order.is_Integer and order >= 2):
        raise NoRule(
            f"Gaussian noise on Poisson batches has a rule at numbers only, not at the order {order}"
        )
    terms = [
        sp.binomial(order, k) * (1 - rate) ** (order - k) * rate**k * sp.exp((k**2 - k) * square / 2)
        for k in range(int(order) + 1)
    ]
    return sp.log(sum(terms)) / (order - 1)


def _replaced_in_batch(rate: Any, square: Any, order: Any) -> Any:
    """Theorem 9 of Wang, Balle and Kasiviswanathan (2019), for e(j) = j square/2 and e(infinity) = infinity.

    The order is whole and above 1, which every route shows.
    """
    j = sp.Symbol("j", integer=True, positive=True)
    second = rate**2 * order * (order - 1) / 2 * sp.Min(4 * (sp.exp(square) - 1), 2 * sp.exp(square))
    term = 2 * rate**j * sp.binomial(order, j) * sp.exp((j - 1) * j * square / 2)
    later = sp.Sum(term, (j, 3, order))
    return sp.log(1 + second + (later.doit() if order.is_Integer else later)) / (order - 1)


def gaussian_delta(mu: Any, epsilon: Any) -> Any:
    """delta of mu-Gaussian DP at epsilon, exactly.

    >>> float(gaussian_delta(sp.Integer(1), sp.Integer(1)).evalf()) - GDP(1.0).delta_at(1.0) < 1e-12
    True
    """

    def below(z: Any) -> Any:  # the normal distribution function
        return sp.erfc(-z / sp.sqrt(2)) / 2

    return below(mu / 2 - epsilon / mu) - sp.exp(epsilon) * below(-mu / 2 - epsilon / mu)


def attained(mechanism: Any, currency: Currency) -> bool:
    """Whether some mechanism of the form costs as much as the rules say, so that the cost is necessary
    too.
    """
    if isinstance(mechanism, Composed):
        return all(attained(part, currency) for part in mechanism.parts)
    if isinstance(mechanism, Repeated):
        return attained(mechanism.part, currency)
    if isinstance(mechanism, Gaussian):
        return currency != PURE
    if isinstance(mechanism, Laplace):
        return currency == PURE
    return isinstance(mechanism, Subsampled) and isinstance(mechanism.inner, Laplace) and currency == PURE


def requirements(mechanism: Any, adjacency: Adjacency) -> Iterator[tuple[AtMost, tuple[Any, ...]]]:
    """What the numbers of a mechanism must meet for it to be one, each with the range of the index it is in.

    >>> s = sp.Symbol("s", real=True)
    >>> [str(needed) for needed, _ in requirements(Gaussian(s, {REPLACE: 1}), REPLACE)]
    ['0 < s', '0 <= 1']
    """
    if isinstance(mechanism, Composed):
        for part in mechanism.parts:
            yield from requirements(part, adjacency)
    elif isinstance(mechanism, Repeated):
        ends = (sp.Ge(mechanism.index, mechanism.low), sp.Le(mechanism.index, mechanism.high))
        inside = tuple(end for end in ends if end not in (sp.true, sp.false))
        for needed, within in requirements(mechanism.part, adjacency):
            yield needed, (*within, *inside)
        yield AtMost(sp.sympify(mechanism.low) - 1, mechanism.high), ()
        if mechanism.participations is not None:
            yield AtMost(0, mechanism.participations), ()
    elif isinstance(mechanism, Subsampled):
        yield from requirements(mechanism.inner, adjacency)
        yield AtMost(0, mechanism.size, strict=True), ()
        yield AtMost(mechanism.size, mechanism.of), ()
    else:
        yield AtMost(0, sp.sympify(mechanism.scale), strict=True), ()
        yield AtMost(0, sp.sympify(mechanism.sensitivity[adjacency])), ()


def _valid(statement: Private) -> list[tuple[AtMost, str]]:
    """The requirements as steps; those that are true of numbers at sight are left out."""
    found = []
    for needed, within in requirements(statement.mechanism, statement.adjacency):
        sure = sp.Lt(needed.lhs, needed.rhs) if needed.strict else sp.Le(needed.lhs, needed.rhs)
        if sure is not sp.true:
            inside = (*statement.given, *within)
            found.append((AtMost(needed.lhs, needed.rhs, inside, needed.strict), "the mechanism is one"))
    return list(dict.fromkeys(found))


def _routes(statement: Private) -> Iterator[tuple[list[tuple[AtMost, str]], str]]:
    """Comparisons that imply the guarantee, with the rules behind them, the sharpest first."""
    mechanism, guarantee, adjacency = statement.mechanism, statement.guarantee, statement.adjacency
    given = tuple(statement.given)

    def price(currency: Currency) -> Any:
        return cost(mechanism, currency, adjacency)

    if isinstance(guarantee, PureDP):
        yield [(AtMost(price(PURE), guarantee.epsilon, given), "the epsilons add up")], "pure DP"
    elif isinstance(guarantee, ZCDP):
        yield [(AtMost(price(RHO), guarantee.rho, given), "the rhos add up")], "zCDP"
    elif isinstance(guarantee, GDP):
        yield [(AtMost(price(MU), guarantee.mu, given), "the squares of mu add up")], "Gaussian DP"
    elif isinstance(guarantee, RDP):
        order = sp.sympify(guarantee.order)
        above = AtMost(1, order, given, strict=True)
        steps = [
            (above, "an order of Renyi DP"),
            (AtMost(price(("renyi", order)), guarantee.epsilon, given), "added"),
        ]
        yield steps, "Renyi DP"
    elif isinstance(guarantee, ApproxDP):
        yield from _approximate(statement, price)
    else:
        raise NoRule(f"there is no rule for {type(guarantee).__name__}")


def _approximate(statement: Private, price: Any) -> Iterator[tuple[list[tuple[AtMost, str]], str]]:
    epsilon, delta, given = statement.guarantee.epsilon, statement.guarantee.delta, tuple(statement.given)
    if attained(statement.mechanism, PURE):
        steps = [
            (AtMost(0, delta, given), "delta"),
            (AtMost(price(PURE), epsilon, given), "the epsilons add up"),
        ]
        yield steps, "pure DP implies it"
    positive = (AtMost(0, delta, given, strict=True), "delta is positive")
    at_most_one = (AtMost(delta, 1, given), "delta is at most 1")
    if statement.order is not None:
        order = sp.sympify(statement.order)
        above = (AtMost(1, order, given, strict=True), "an order of Renyi DP")
        worth = price(("renyi", order)) + sp.log(1 / sp.sympify(delta)) / (order - 1)
        yield [positive, above, (AtMost(worth, epsilon, given), "from Renyi DP")], "Renyi DP implies it"
    if sp.sympify(delta).is_Rational and attained(statement.mechanism, MU):
        yield (
            [(AtMost(gaussian_delta(price(MU), epsilon), delta, given), "delta of Gaussian DP")],
            "the exact profile",
        )
    try:
        rho = price(RHO)
    except NoRule:
        if statement.order is None and not attained(statement.mechanism, PURE):
            raise
        return
    bound = rho + 2 * sp.sqrt(rho * sp.log(1 / sp.sympify(delta)))
    yield [positive, at_most_one, (AtMost(bound, epsilon, given), "from zCDP")], "zCDP implies it"


def attempt(statement: Private, effort: Effort) -> Outcome:
    """The comparisons that the rules ask for."""
    try:
        return Ways(
            [
                Reduction((*_valid(statement), *steps), because, as_written=True)
                for steps, because in _routes(statement)
            ]
        )
    except NoRule as why:
        return GaveUp(str(why))


def consequences(statement: Private) -> list[AtMost]:
    """What must hold if the guarantee does: comparisons with costs that some mechanism of the form
    attains.
    """
    mechanism, guarantee, adjacency = statement.mechanism, statement.guarantee, statement.adjacency
    valid = [step for step, _ in _valid(statement)]
    if any(len(step.given) > len(statement.given) for step in valid):
        return []  # what must hold for every index cannot be asked of a point
    met = tuple((sp.Lt if step.strict else sp.Le)(step.lhs, step.rhs) for step in valid)
    given = (*statement.given, *met)
    wanted: list[tuple[Currency, Any]] = []
    if isinstance(guarantee, PureDP):
        wanted = [(PURE, guarantee.epsilon)]
    elif isinstance(guarantee, ZCDP):
        wanted = [(RHO, guarantee.rho)]
    elif isinstance(guarantee, GDP):
        wanted = [(MU, guarantee.mu)]
    elif isinstance(guarantee, RDP):
        wanted = [(("renyi", guarantee.order), guarantee.epsilon)]
    necessary = [
        AtMost(cost(mechanism, currency, adjacency), most, given)
        for currency, most in wanted
        if attained(mechanism, currency)
    ]
    if isinstance(guarantee, ApproxDP) and attained(mechanism, MU):
        necessary.append(
            AtMost(gaussian_delta(cost(mechanism, MU, adjacency), guarantee.epsilon), guarantee.delta, given)
        )
    return necessary
