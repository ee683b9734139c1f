"""Epsilons against each other: less with more noise, more with more steps; one call as many calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from dpverify.accountant import Accountant, Ledger
from dpverify.accounting.bounds import Steps
from dpverify.verdicts import UNDECIDED
from dpverify.witnesses import comparison

from ..laws import Outcome, Result, Subject, broken, held, law
from .questions import Refused, ask_number, say


def _in_order(accountant: Accountant) -> Iterator[tuple[str, list[tuple[str, Callable[[], float]]]]]:
    """Questions whose answers have to rise strictly, with what each law is called."""
    base, delta = Steps(1.5, 0.1, 20), 1e-5

    def ask(ledger: Ledger, delta: float) -> tuple[str, Callable[[], float]]:
        return f"{say(ledger)}, delta {delta:g}", partial(accountant.epsilon, ledger, delta)

    yield (
        "more noise, less epsilon",
        [ask((base._replace(noise=noise),), delta) for noise in (4.0, 2.0, 1.5, 1.0, 0.8)],
    )
    yield (
        "a higher rate, more epsilon",
        [ask((base._replace(rate=rate),), delta) for rate in (0.01, 0.05, 0.1, 0.3, 1.0)],
    )
    yield (
        "more steps, more epsilon",
        [ask((base._replace(times=times),), delta) for times in (1, 2, 10, 20, 21, 200)],
    )
    yield "a larger delta, less epsilon", [ask((base,), at) for at in (1e-2, 1e-4, 1e-5, 1e-6, 1e-8)]
    if accountant.response is not None:
        respond = partial(accountant.response, 0.75)
        yield (
            "more answers, more epsilon",
            [
                (f"{times} answers, each true with probability 0.75", partial(respond, times, delta))
                for times in (1, 2, 5)
            ],
        )


def _equal(accountant: Accountant) -> Iterator[tuple[str, list[tuple[str, Callable[[], float]]]]]:
    """Pairs of questions whose answers have to be equal."""
    delta, base = 1e-5, (Steps(1.5, 0.1, 20),)
    if accountant.singly is not None:
        pair: list[tuple[str, Callable[[], float]]] = [
            (f"{say(base)}, in one call", partial(accountant.epsilon, base, delta)),
            (f"{say(base)}, one by one", partial(accountant.singly, base, delta)),
        ]
        yield "one call for all steps is as one call for each", pair
    if accountant.mixed:
        unequal: Ledger = (Steps(1.0, 0.1, 5), Steps(2.0, 0.1, 10), Steps(4.0, 0.1, 3))
        yield (
            "the order of unequal steps does not matter",
            [
                (say(ledger), partial(accountant.epsilon, ledger, delta))
                for ledger in (unequal, unequal[::-1])
            ],
        )


@law("accountant")
def monotone(subject: Subject, seed: int) -> Outcome:
    """Less with more noise or delta, more with a higher rate or more steps; one call as many calls; in any
    order.
    """
    accountant: Any = subject.accountant
    asked = 0
    compared = 0
    refusals = 0
    largest = 0.0
    for strict, rows in [(True, _in_order(accountant)), (False, _equal(accountant))]:
        for name, questions in rows:
            before: tuple[str, float] | None = None
            for setting, question in questions:
                try:
                    answer = ask_number(question)
                except Refused:
                    refusals += 1
                    continue
                asked += 1
                if before is not None:
                    compared += 1
                    difference = answer - before[1] if answer != before[1] else 0.0
                    wrong = (
                        not (difference > 0 or answer == math.inf)
                        if strict
                        else abs(difference) > 1e-3 * max(answer, before[1])
                    )
                    if wrong:
                        then = f"epsilon is {before[1]:.9g} and {answer:.9g}"
                        let = {"one": before[0], "other": setting}
                        exact = comparison(before[1], "<" if strict else "==", answer)
                        return broken(f"{name}: {then}", let, exact, name)
                    largest = largest if strict else max(largest, abs(difference))
                before = (setting, answer)
    if not compared:
        return Result(UNDECIDED, f"It gave {asked} numbers and refused {refusals}: no two can be compared.")
    figures = {
        "settings": asked,
        "compared": compared,
        "refused": refusals,
        "largest difference of what is equal": largest,
    }
    return held(
        f"{asked} settings are in order; what is equal differs by at most {largest:.2g}.",
        "two neighbouring settings in the wrong order; a difference of 0.1% of what is equal",
        samples=asked,
        **figures,
    )
