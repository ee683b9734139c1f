"""Epsilons against exact ones, where a closed form gives them, and the relation that they speak of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from dpverify.accountant import Accountant, Epsilon, Ledger
from dpverify.accounting.bounds import Steps
from dpverify.witnesses import comparison

from ..laws import Outcome, Subject, broken, held, law
from .questions import DELTAS, ROUNDING, Case, ask_number, not_below, say


def gaussian_epsilon(delta: float, mu: float) -> float:
    from dpverify.accounting import epsilon
    from dpverify.guarantees import GDP

    return epsilon(GDP(mu), delta)


def epsilon_of_profile(profile: Callable[..., float], delta: float, *given: Any) -> float:
    """Epsilon at delta of an exact profile (epsilon, *given) -> delta."""
    from dpverify.roots import first_at_most

    return first_at_most(lambda epsilon: profile(epsilon, *given), delta)


def _exact_cases(accountant: Accountant) -> Iterator[Case]:
    from dpverify.accounting import exact as closed

    noises = (0.5, 1.0, 2.0, 5.0) if not accountant.full else tuple(np.geomspace(0.5, 20, 12))
    counts = (1, 20, 400) if not accountant.full else (1, 2, 5, 20, 100, 400, 10_000)
    ledgers: list[Ledger] = [
        (Steps(noise, 1.0, times),)
        for noise in noises
        for times in counts
        if 0.1 < math.sqrt(times) / noise < 5
    ]
    if accountant.mixed:
        ledgers += [(Steps(3.0), Steps(4.0), Steps(5.0)), (Steps(2.0, 1.0, 2), Steps(8.0, 1.0, 50))]
    for ledger in ledgers:
        mu = math.sqrt(sum(step.times / step.noise**2 for step in ledger))
        why = f"together they are N(0, 1) against N({mu:.6g}, 1), whose exact epsilon"
        for delta in DELTAS:
            yield Case(
                say(ledger),
                delta,
                partial(accountant.epsilon, ledger, delta),
                partial(gaussian_epsilon, delta, mu),
                why,
            )
    settings = [(0.5, 1e-3), (0.5, 0.5), (1.0, 0.01), (2.0, 0.1), (5.0, 0.5)]
    if accountant.full:
        settings = [(noise, rate) for noise in (0.5, 0.7, 1.0, 2.0, 5.0) for rate in (1e-3, 0.01, 0.1, 0.5)]
    for noise, rate in settings:
        ledger = (Steps(noise, rate),)
        why = "the exact epsilon of (1-q) N(0, s^2) + q N(1, s^2) against N(0, s^2), in closed form,"
        for delta in DELTAS:
            least = partial(epsilon_of_profile, closed.subsampled_gaussian, delta, rate, noise)
            yield Case(say(ledger), delta, partial(accountant.epsilon, ledger, delta), least, why)
    if accountant.laplace is not None:
        for scale in (0.5, 1.0, 5.0):
            for delta in DELTAS:
                least = partial(epsilon_of_profile, closed.laplace, delta, scale)
                yield Case(
                    f"Laplace noise of scale {scale:g}",
                    delta,
                    partial(accountant.laplace, scale, 1, delta),
                    least,
                    "1/scale + 2 ln(1 - delta)",
                )
    if accountant.users is not None:
        yield from _user_cases(accountant.users)
    if accountant.response is not None:
        for truth, times in [(0.75, 1), (0.95, 1), (0.75, 10), (0.6, 50)]:
            setting = (
                f"{times} answers, each true with probability {truth:g}"
                if times > 1
                else f"an answer that is true with probability {truth:g}"
            )
            for delta in DELTAS:
                least = partial(epsilon_of_profile, closed.randomised_response, delta, truth, times)
                yield Case(
                    setting,
                    delta,
                    partial(accountant.response, truth, times, delta),
                    least,
                    "the exact epsilon, by the binomial sum over the lies,",
                )


def _user_cases(users: Callable[[Ledger, int, float], float]) -> Iterator[Case]:
    """A user of several records: steps on all records, and one on a Poisson batch."""
    from scipy.stats import binom

    from dpverify.accounting.exact import participations

    for noise, rate, times, records in [
        (10.0, 1.0, 1, 4),
        (20.0, 1.0, 20, 3),
        (2.0, 0.01, 1, 4),
        (1.0, 0.1, 1, 3),
        (3.0, 0.5, 1, 8),
    ]:
        ledger = (Steps(noise, rate, times),)
        for delta in DELTAS:
            if rate == 1:
                mu = records * math.sqrt(times) / noise
                least = partial(gaussian_epsilon, delta, mu)
                why = f"together they are N(0, 1) against N({mu:.6g}, 1), whose exact epsilon"
            else:
                chances = binom.pmf(np.arange(records + 1), records, rate)
                least = partial(epsilon_of_profile, participations, delta, chances, noise)
                why = "the exact epsilon of the mixture over how many of the records are in the batch"
            ask = partial(users, ledger, records, delta)
            yield Case(f"{say(ledger)}, a user of {records} records", delta, ask, least, why)


@law("accountant")
def exact(subject: Subject, seed: int) -> Outcome:
    """No epsilon is below the exact one, where a closed form gives it: Gaussians, one subsampled step, users
    of several records, Laplace, randomised response.
    """
    accountant: Any = subject.accountant
    ceiling = "any epsilon of these settings that is below the exact one by more than 1e-6 of it"
    return not_below(_exact_cases(accountant), "closed forms", ceiling)


@law("accountant")
def relation(subject: Subject, seed: int) -> Outcome:
    """It says which neighbours it speaks of, and that is right; replacing a record costs twice the
    sensitivity.
    """
    accountant: Any = subject.accountant
    step = Steps(1.0)
    removed, replaced = (gaussian_epsilon(1e-5, mu) for mu in (1.0, 2.0))
    answer = ask_number(accountant.epsilon, (step,), 1e-5)
    figures: dict[str, Any] = {
        "relation": accountant.relation,
        "reported": answer,
        "exact, add/remove": removed,
        "exact, replace": replaced,
    }
    short = {"add/remove": removed, "replace": replaced}[accountant.relation]
    if answer < short * (1 - ROUNDING):
        let = {"steps": say([step]), "delta": "1e-05", "relation": accountant.relation}
        exact = comparison(answer, ">=", short, **figures)
        return broken(f"epsilon is {answer:.6g}; the exact one is {short:.6g}", let, exact)
    speaks = (
        f"One step of noise 1 costs {answer:.4g} at delta 1e-05: that is {accountant.relation} "
        f"({removed:.4g}; replacing a record costs {replaced:.4g})"
    )
    if accountant.replaced is None:
        ceiling = "an epsilon that is too small for the relation it speaks of"
        return held(f"{speaks}; no other relation is offered.", ceiling, **figures)
    from dpverify.accounting.exact import replacement

    def cases(question: Epsilon) -> Iterator[Case]:
        for one in [Steps(1.0), Steps(5.0), Steps(2.0, 0.1)]:
            for delta in DELTAS:
                least = partial(
                    epsilon_of_profile, accountant.exchange or replacement, delta, one.rate, one.noise
                )
                why = "a record replaced by its opposite moves the sum by twice its bound; the exact epsilon"
                yield Case(
                    f"{say([one])}, a record replaced", delta, partial(question, (one,), delta), least, why
                )

    result = not_below(
        cases(accountant.replaced), "closed forms", "an epsilon that is too small for the relation asked for"
    )
    return result.with_(because=f"{speaks}. Replacing: {result.because}")
