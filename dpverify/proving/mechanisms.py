"""Privacy statements by rules: what a mechanism costs in a currency, and what a cost is worth as a guarantee.

Each mechanism answers for its own cost (`formula`, by the rules of `dpverify.releases.rules`, and one after
the other, adaptively, by `dpverify.language.mechanisms`). What a cost is worth:

    rho-zCDP                             renyi(a) = a rho;  (rho + 2 sqrt(rho ln(1/delta)), delta)-DP
    renyi(a) = e                         (e + ln(1/delta)/(a-1), delta)-DP
    (epsilon_i, delta_i)-DP one after the other, adaptively, S = sum_i epsilon_i^2
                                         (sqrt(2 S ln(1/slack)) + S/2, sum_i delta_i + slack)-DP
    mu-GDP                               delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), attained

What is attained by some mechanism of the form is necessary too, and a point that breaks it refutes the
statement. References: Bun and Steinke 2016; Mironov 2017; Dong, Roth and Su 2019; Kairouz, Oh and Viswanath
2017, whose mean loss epsilon tanh(epsilon/2) is at most epsilon^2/2. Each rule is compared with
numerical integration in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from dpverify.effort import Effort
from dpverify.guarantees import GDP, RDP, ZCDP, ApproxDP, PureDP
from dpverify.language.mechanisms import Private
from dpverify.neighbours import Adjacency
from dpverify.proving import gate
from dpverify.proving.forms import Refused
from dpverify.proving.reduction import GaveUp, Outcome, Reduction, Ways
from dpverify.relations import AtMost
from dpverify.releases.rules import DELTAS, EXCESS, MU, PURE, RHO, SQUARES, Currency, NoRule, epsilon_of

HANDLES = (Private,)


def gaussian_delta(mu: Any, epsilon: Any) -> Any:
    """delta of mu-Gaussian DP at epsilon, exactly.

    >>> float(gaussian_delta(sp.Integer(1), sp.Integer(1)).evalf()) - GDP(1.0).delta_at(1.0) < 1e-12
    True
    """

    def below(z: Any) -> Any:  # the normal distribution function
        return sp.erfc(-z / sp.sqrt(2)) / 2

    return below(mu / 2 - epsilon / mu) - sp.exp(epsilon) * below(-mu / 2 - epsilon / mu)


def as_condition(relation: AtMost) -> Any:
    """The comparison without its hypotheses, as a SymPy condition.

    >>> as_condition(AtMost(sp.Symbol("x", real=True), 1))
    x <= 1
    """
    return (sp.Lt if relation.strict else sp.Le)(relation.lhs, relation.rhs)


def _valid(statement: Private) -> list[tuple[AtMost, str]]:
    """The requirements as steps; those that are true of numbers at sight are left out."""
    steps = []
    elsewhere = [sp.sympify(e) for e in (*statement.given, *vars(statement.guarantee).values())]
    for condition in statement.mechanism.conditions(statement.adjacency):
        if outside := [i for i in condition.indices if any(i in e.free_symbols for e in elsewhere)]:
            raise NoRule(f"the index {outside[0]} of the releases stands outside of them")
        needed = AtMost(condition.smaller, condition.larger, statement.given, condition.strict)
        try:
            gate.elaborate(needed)
        except Refused as why:
            raise NoRule(str(why)) from None
        if not condition.attained and as_condition(needed) is not sp.true:
            within = replace(needed, given=(*statement.given, *condition.within))
            steps.append((within, "the mechanism is one"))
    return list(dict.fromkeys(steps))


def _routes(statement: Private) -> Iterator[tuple[list[tuple[AtMost, str]], str]]:
    """Comparisons that imply the guarantee, with the rules behind them, the sharpest first."""
    mechanism = statement.mechanism
    guarantee = statement.guarantee
    adjacency = statement.adjacency
    given = tuple(statement.given)

    def price(currency: Currency) -> Any:
        return mechanism.formula(currency, adjacency)

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
    epsilon = statement.guarantee.epsilon
    delta = statement.guarantee.delta
    given = tuple(statement.given)
    if statement.mechanism.attains(PURE):
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
    if statement.slack is not None:
        yield _advanced(statement, price), "advanced composition"
        return
    if sp.sympify(delta).is_Rational and statement.mechanism.attains(MU):
        yield (
            [(AtMost(gaussian_delta(price(MU), epsilon), delta, given), "delta of Gaussian DP")],
            "the exact profile",
        )
    try:
        rho = price(RHO)
    except NoRule:
        if statement.order is None and not statement.mechanism.attains(PURE):
            raise
        return
    bound = epsilon_of(rho, delta)
    yield [positive, at_most_one, (AtMost(bound, epsilon, given), "from zCDP")], "zCDP implies it"


def _advanced(statement: Private, price: Any) -> list[tuple[AtMost, str]]:
    """What advanced composition asks for: shares of delta, and both sums."""
    each = sp.sympify(statement.each)
    slack = sp.sympify(statement.slack)
    given = tuple(statement.given)
    steps = []
    for share in dict.fromkeys((each, slack)):
        steps.append((AtMost(0, share, given, strict=True), "a share of delta is positive"))
        steps.append((AtMost(share, 1, given), "a share of delta is at most 1"))
    squares, deltas, excess = (price((kind, each)) for kind in (SQUARES, DELTAS, EXCESS))
    worth = sp.sqrt(2 * squares * sp.log(1 / slack)) + squares / 2
    guarantee = statement.guarantee
    if excess != 0:
        steps.append((AtMost(excess, 0, given), "every epsilon is at most 5/4 before sampling"))
    steps.append((AtMost(deltas + slack, guarantee.delta, given), "the deltas add up"))
    steps.append((AtMost(worth, guarantee.epsilon, given), "the mean loss and its spread"))
    return steps


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
    mechanism = statement.mechanism
    guarantee = statement.guarantee
    adjacency = statement.adjacency
    try:
        valid = [step for step, _ in _valid(statement)]
        if any(len(step.given) > len(statement.given) for step in valid):
            return []  # what must hold for every index cannot be asked of a point
        conditions = mechanism.conditions(adjacency)
        attained = [AtMost(c.smaller, c.larger, (), c.strict) for c in conditions if c.attained]
        given = (*statement.given, *map(as_condition, (*valid, *attained)))
        return [AtMost(needed, most, given) for needed, most in _necessary(mechanism, guarantee, adjacency)]
    except NoRule:  # what it costs is not known, so that nothing can be asked
        return []


def _necessary(mechanism: Any, guarantee: Any, adjacency: Adjacency) -> Iterator[tuple[Any, Any]]:
    """What some mechanism of the form costs, and the most that the guarantee lets it cost."""
    asked: list[tuple[Currency, Any]] = []
    if isinstance(guarantee, PureDP):
        asked = [(PURE, guarantee.epsilon)]
    elif isinstance(guarantee, ZCDP):
        asked = [(RHO, guarantee.rho)]
    elif isinstance(guarantee, GDP):
        asked = [(MU, guarantee.mu)]
    elif isinstance(guarantee, RDP):
        asked = [(("renyi", guarantee.order), guarantee.epsilon)]
    for currency, most in asked:
        if mechanism.attains(currency):
            yield mechanism.formula(currency, adjacency), most
    if isinstance(guarantee, ApproxDP) and mechanism.attains(MU):
        yield gaussian_delta(mechanism.formula(MU, adjacency), guarantee.epsilon), guarantee.delta
