"""The laws that every accountant is put through: its epsilons against exact values, certified bounds, itself,
and what was really run.

    exact         no epsilon below the exact one, where a closed form gives it: Gaussians, one subsampled
    step, Laplace, randomised response
    bounds        no epsilon of composed subsampled steps below a certified lower bound
    (`dpverify.accounting.bounds`)
    monotone      less with more noise or delta, more with a higher rate or more steps; one call as many
    calls; in any order
    relation      it says which neighbours it speaks of, and that is right; replacing a record costs twice the
    sensitivity
    accumulation  rate and steps that its training hooks record are not below those of the Poisson batches
    drawn, and no record is in a step twice
    shuffled      the same where batches are shuffled instead
    epochs        the noise chosen for some epochs keeps the target after them
    calibration   the noise chosen for a target meets it, by the certified bounds, and how much of the target
    is left unused
    agreement     it is within a factor of AGREE of the other accountants that are installed (but those known
    to be too small)

An epsilon that is too large is no violation; by how much is a figure.
"""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from dpverify.accounting.bounds import Steps, epsilon_bounds
from dpverify.adapters import Law, Target
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Evidence, Result, Witness

ALPHA = 1e-6  # of the test of the rate
AGREE = 2.0
ROUNDING = 1e-6  # relative; an epsilon that is smaller by less is not held against anybody
GAP = 0.01  # of the bounds aimed at, relative
DELTAS = (1e-8, 1e-5, 1e-3)

Ledger = tuple[Steps, ...]
Epsilon = Callable[[Ledger, float], float]


class Training(NamedTuple):
    """How a training is set up: records, batch, epochs, batches in memory at once, backward passes a step,
    Poisson batches or shuffled ones.
    """

    records: int
    batch: int
    epochs: int
    physical: int | None = None
    passes: int = 1
    poisson: bool = True
    drop_last: bool = False

    def __str__(self) -> str:
        extras = [f"at most {self.physical} in memory"] * (self.physical is not None) + [
            f"{self.passes} passes a step"
        ] * (self.passes > 1)
        kind = ["Poisson" if self.poisson else "shuffled"] + ["last dropped"] * self.drop_last
        return ", ".join(
            [f"{self.records} records", f"batch size {self.batch}", f"{self.epochs} epochs", *kind, *extras]
        )


class Recorded(NamedTuple):
    """What the hooks recorded, and the records that went into each noisy step."""

    history: list[Steps]
    batches: Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class Accountant:
    """An accountant as functions: epsilon of steps at a delta, and whatever else it offers; None where it
    does not.

    `epsilon` takes the steps in one call (equal ones together) and `singly` one by one; `mixed` says whether
    they may differ. `laplace` and
    `response` are (scale or chance of the truth, times, delta) -> epsilon. `replaced` is `epsilon` when a
    record is replaced, `exchange`
    its exact profile (epsilon, rate, noise) -> delta for one step. `noise` is (epsilon, delta, rate, times)
    -> noise multiplier. `recorded`
    trains and says what was recorded; `epochs` is (epsilon, delta, batches, epochs) -> what was recorded
    after training at the noise that
    was chosen for them.
    """

    epsilon: Epsilon
    said_by: str
    relation: str = "add/remove"
    mixed: bool = True
    singly: Epsilon | None = None
    laplace: Callable[[float, int, float], float] | None = None
    response: Callable[[float, int, float], float] | None = None
    replaced: Epsilon | None = None
    exchange: Callable[[float, float, float], float] | None = None
    noise: Callable[[float, float, float, int], float] | None = None
    recorded: Callable[[Training, int], Recorded] | None = None
    epochs: Callable[[float, float, int, int], list[Steps]] | None = None
    full: bool = False  # the large grid


class Refused(Exception):
    """The accountant gives no number."""


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings, neither printed nor logged."""
    before = logging.root.manager.disable
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(before)


def _answered(question: Callable[..., Any], *given: Any) -> Any:
    with quiet():
        try:
            return question(*given)
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error


def _asked(question: Callable[..., float], *given: Any) -> float:
    answer = float(_answered(question, *given))
    if math.isnan(answer):
        raise Refused("not a number")
    return answer


def _say(ledger: Sequence[Steps]) -> str:
    return " and ".join(
        f"{times} {'step' if times == 1 else 'steps'} of noise {noise:g}"
        + (f" at rate {rate:g}" if rate < 1 else "")
        for noise, rate, times in ledger
    )


class Case(NamedTuple):
    """A question, and the least epsilon that can be true."""

    setting: str
    delta: float
    ask: Callable[[], float]
    least: Callable[[], float]
    why: str
    most: Callable[[], float] | None = None  # the largest that can be true, if that is another


def _not_below(cases: Iterator[Case], method: str, ceiling: str) -> Result:
    """Every answer against the least that can be true; the worst one is the witness."""
    asked, refusals, worst, largest = 0, [], None, (-math.inf, "")
    short: list[dict[str, Any]] = []
    for case in cases:
        try:
            answer = _asked(case.ask)
        except Refused as refusal:
            refusals.append(f"{case.setting}, delta {case.delta:g}: {refusal}")
            continue
        asked += 1
        least = case.least()
        over = answer / least if least > 0 else (1.0 if answer <= 1e-3 else math.inf)
        if answer < least * (1 - ROUNDING) - 1e-9:
            short.append(
                {
                    "setting": case.setting,
                    "delta": case.delta,
                    "reported": answer,
                    "least": least,
                    "share": over,
                    "why": case.why,
                }
            )
        most = case.most() if case.most is not None else least
        if most > 0.01 and answer / most > largest[0]:
            against = "exact" if case.most is None else "upper bound"
            largest = (
                answer / most,
                f"{case.setting}, delta {case.delta:g}: {answer:.6g}, {against} {most:.6g}",
            )
    if not asked:
        return Result(
            UNDECIDED, f"It gave no number for any of {len(refusals)} settings; the first: {refusals[0]}"
        )
    figures = {
        "settings": asked,
        "refused": len(refusals),
        "below": len(short),
        "largest over": largest[0] if largest[1] else None,
        "there": largest[1],
    }
    if short:
        worst = min(short, key=lambda found: found["share"])
        then = f"it reports epsilon = {worst['reported']:.6g}; {worst['why']} = {worst['least']:.6g}"
        contradicts = f"epsilon = {worst['reported']:.6g} is enough"
        witness = Witness(
            {"steps": worst["setting"], "delta": f"{worst['delta']:g}"},
            then,
            contradicts,
            {**figures, "worst": worst, "all": short[:20]},
        )
        return Result(
            REFUTED,
            f"{worst['setting']}, delta {worst['delta']:g}: {then}. {len(short)} of {asked} "
            "settings are too small.",
            witness=witness,
        )
    if refusals:
        figures["first refusal"] = refusals[0]
    over_text = (
        f"at most {largest[0]:.4g} times what it should be ({largest[1]})"
        if largest[1]
        else "no epsilon is positive"
    )
    tail = f"; {len(refusals)} more are refused" if refusals else ""
    return Result(
        SUPPORTED,
        f"{asked} settings, none too small{tail}; {over_text}.",
        Evidence(method, figures, samples=asked, ceiling=ceiling),
    )


def _gaussian(delta: float, mu: float) -> float:
    from dpverify.accounting import epsilon
    from dpverify.guarantees import GDP

    return epsilon(GDP(mu), delta)


def _inverse(profile: Callable[..., float], delta: float, *given: float) -> float:
    """Epsilon at delta of an exact profile (epsilon, *given) -> delta."""
    from dpverify.roots import first_at_most

    return first_at_most(lambda epsilon: profile(epsilon, *given), delta)


def _exact_cases(accountant: Accountant) -> Iterator[Case]:
    from dpverify.accounting import exact

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
                _say(ledger),
                delta,
                partial(accountant.epsilon, ledger, delta),
                partial(_gaussian, delta, mu),
                why,
            )
    settings = [(0.5, 1e-3), (0.5, 0.5), (1.0, 0.01), (2.0, 0.1), (5.0, 0.5)]
    if accountant.full:
        settings = [(noise, rate) for noise in (0.5, 0.7, 1.0, 2.0, 5.0) for rate in (1e-3, 0.01, 0.1, 0.5)]
    for noise, rate in settings:
        ledger = (Steps(noise, rate),)
        why = "the exact epsilon of (1-q) N(0, s^2) + q N(1, s^2) against N(0, s^2), in closed form,"
        for delta in DELTAS:
            least = partial(_inverse, exact.subsampled_gaussian, delta, rate, noise)
            yield Case(_say(ledger), delta, partial(accountant.epsilon, ledger, delta), least, why)
    if accountant.laplace is not None:
        for scale in (0.5, 1.0, 5.0):
            for delta in DELTAS:
                least = partial(_inverse, exact.laplace, delta, scale)
                yield Case(
                    f"Laplace noise of scale {scale:g}",
                    delta,
                    partial(accountant.laplace, scale, 1, delta),
                    least,
                    "1/scale + 2 ln(1 - delta)",
                )
    if accountant.response is not None:
        for truth, times in [(0.75, 1), (0.95, 1), (0.75, 10), (0.6, 50)]:
            setting = (
                f"{times} answers, each true with probability {truth:g}"
                if times > 1
                else f"an answer that is true with probability {truth:g}"
            )
            for delta in DELTAS:
                least = partial(_inverse, exact.randomised_response, delta, truth, times)
                yield Case(
                    setting,
                    delta,
                    partial(accountant.response, truth, times, delta),
                    least,
                    "the exact epsilon, by the binomial sum over the lies,",
                )


def _exact(target: Target, seed: int) -> Result | str:
    return _not_below(
        _exact_cases(target()),
        "closed forms",
        "any epsilon of these settings that is below the exact one by more than 1e-6 of it",
    )


QUICK = (
    Steps(0.5, 1e-3, 100),
    Steps(0.6, 1e-3, 1000),
    Steps(0.5, 0.5, 2),
    Steps(1.0, 0.01, 1000),
    Steps(1.0, 0.1, 30),
    Steps(2.0, 0.01, 10_000),
    Steps(5.0, 0.1, 3000),
)


def _full() -> tuple[Steps, ...]:
    """The large grid, but for settings with an epsilon so large that it means nothing (q sqrt(T (exp(1/s^2) -
    1)) > 8).
    """
    every = [
        Steps(s, q, t)
        for s in (0.5, 0.7, 1.0, 2.0, 5.0)
        for q in (1e-3, 0.01, 0.1, 0.5)
        for t in (1, 10, 100, 1000, 10_000)
    ]
    return tuple(step for step in every if step.rate * math.sqrt(step.times * math.expm1(step.noise**-2)) < 8)


def _bound(side: str, step: Steps, delta: float) -> float:
    return float(getattr(epsilon_bounds((step,), delta, GAP), side))


def _bounds(target: Target, seed: int) -> Result | str:
    accountant = target()

    def cases() -> Iterator[Case]:
        for step in _full() if accountant.full else QUICK:
            for delta in DELTAS:
                ask, lower, upper = (
                    partial(accountant.epsilon, (step,), delta),
                    partial(_bound, "lower", step, delta),
                    partial(_bound, "upper", step, delta),
                )
                yield Case(
                    _say([step]),
                    delta,
                    ask,
                    lower,
                    "a certified lower bound (losses on a grid, every error on the lower side)",
                    upper,
                )

    ceiling = f"an epsilon below the truth by more than about {GAP:.0%}"
    return _not_below(cases(), "certified bounds", ceiling)


def _broken(law: str, let: Mapping[str, str], then: str, contradicts: str, exact: dict[str, Any]) -> Result:
    return Result(REFUTED, f"{law}: {then}.", witness=Witness(dict(let), then, contradicts, exact))


def _in_order(accountant: Accountant) -> Iterator[tuple[str, list[tuple[str, Callable[[], float]]]]]:
    """Questions whose answers have to rise strictly, with what each law is called."""
    base, delta = Steps(1.5, 0.1, 20), 1e-5

    def ask(ledger: Ledger, delta: float) -> tuple[str, Callable[[], float]]:
        return f"{_say(ledger)}, delta {delta:g}", partial(accountant.epsilon, ledger, delta)

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
            (f"{_say(base)}, in one call", partial(accountant.epsilon, base, delta)),
            (f"{_say(base)}, one by one", partial(accountant.singly, base, delta)),
        ]
        yield "one call for all steps is as one call for each", pair
    if accountant.mixed:
        unequal: Ledger = (Steps(1.0, 0.1, 5), Steps(2.0, 0.1, 10), Steps(4.0, 0.1, 3))
        yield (
            "the order of unequal steps does not matter",
            [
                (_say(ledger), partial(accountant.epsilon, ledger, delta))
                for ledger in (unequal, unequal[::-1])
            ],
        )


def _monotone(target: Target, seed: int) -> Result | str:
    accountant = target()
    asked, compared, refusals, largest = 0, 0, 0, 0.0
    for strict, rows in [(True, _in_order(accountant)), (False, _equal(accountant))]:
        for name, questions in rows:
            before: tuple[str, float] | None = None
            for setting, question in questions:
                try:
                    answer = _asked(question)
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
                        return _broken(
                            name,
                            {"one": before[0], "other": setting},
                            then,
                            name,
                            {"epsilons": [before[1], answer]},
                        )
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
    evidence = Evidence(
        "order",
        figures,
        samples=asked,
        ceiling="two neighbouring settings in the wrong order; a difference of 0.1% of what is equal",
    )
    return Result(
        SUPPORTED, f"{asked} settings are in order; what is equal differs by at most {largest:.2g}.", evidence
    )


def _relation(target: Target, seed: int) -> Result | str:
    accountant = target()
    step = Steps(1.0)
    removed, replaced = (_gaussian(1e-5, mu) for mu in (1.0, 2.0))
    answer = _asked(accountant.epsilon, (step,), 1e-5)
    figures: dict[str, Any] = {
        "relation": accountant.relation,
        "reported": answer,
        "exact, add/remove": removed,
        "exact, replace": replaced,
    }
    short = {"add/remove": removed, "replace": replaced}[accountant.relation]
    if answer < short * (1 - ROUNDING):
        let = {"steps": _say([step]), "delta": "1e-05", "relation": accountant.relation}
        return _broken(
            "relation",
            let,
            f"epsilon is {answer:.6g}; the exact one is {short:.6g}",
            "that this is the relation it speaks of",
            figures,
        )
    speaks = (
        f"One step of noise 1 costs {answer:.4g} at delta 1e-05: that is {accountant.relation} "
        f"({removed:.4g}; replacing a record costs {replaced:.4g})"
    )
    if accountant.replaced is None:
        evidence = Evidence(
            "closed forms", figures, ceiling="an epsilon that is too small for the relation it speaks of"
        )
        return Result(SUPPORTED, f"{speaks}; no other relation is offered.", evidence)
    from dpverify.accounting.exact import replacement

    def cases(question: Epsilon) -> Iterator[Case]:
        for one in [Steps(1.0), Steps(5.0), Steps(2.0, 0.1)]:
            for delta in DELTAS:
                least = partial(_inverse, accountant.exchange or replacement, delta, one.rate, one.noise)
                why = "a record replaced by its opposite moves the sum by twice its bound; the exact epsilon"
                yield Case(
                    f"{_say([one])}, a record replaced", delta, partial(question, (one,), delta), least, why
                )

    result = _not_below(
        cases(accountant.replaced), "closed forms", "an epsilon that is too small for the relation asked for"
    )
    return result.with_(because=f"{speaks}. Replacing: {result.because}")


POISSON = (
    Training(60, 7, 40),
    Training(60, 7, 40, physical=2),
    Training(60, 7, 20, drop_last=True),
    Training(186, 2, 2),
    Training(5, 5, 20),
    Training(12, 4, 20, passes=2),
)
SHUFFLED = (
    Training(12, 4, 2, poisson=False),
    Training(12, 4, 2, physical=2, poisson=False),
    Training(10, 4, 2, poisson=False, drop_last=True),
    Training(12, 2, 2, passes=2, poisson=False),
    Training(10, 4, 2, poisson=False),
)


def _accumulation(target: Target, seed: int) -> Result | str:
    accountant = target()
    if accountant.recorded is None:
        return "it records nothing by itself: rate and steps are given to it"
    from scipy.stats import binom

    figures: dict[str, Any] = {}
    for setup in POISSON:
        try:
            history, batches = _answered(accountant.recorded, setup, seed)
        except Refused as refusal:
            figures[str(setup)] = f"refused: {refusal}"
            continue
        steps, true, rate = (
            sum(step.times for step in history),
            len(batches),
            max(step.rate for step in history),
        )
        drawn = sum(len(batch) for batch in batches)
        chance = float(binom.sf(drawn - 1, setup.records * true, min(rate, 1.0)))
        figures[str(setup)] = {
            "steps": [steps, true],
            "rate": [rate, drawn / (setup.records * true)],
            "chance": chance,
        }
        let = {"training": str(setup)}
        twice = [batch for batch in batches if len(set(batch)) < len(batch)]
        if twice:
            then = (
                f"a noisy step held the records {sorted(twice[0])}, one of them twice; it is recorded "
                f"as one draw at rate {rate:.6g}"
            )
            return _broken("accumulation", let, then, "that a record is in a step at most once", figures)
        if steps < true:
            return _broken(
                "accumulation",
                let,
                f"{steps} steps are recorded; {true} noisy steps were made",
                "the steps recorded",
                figures,
            )
        if chance < ALPHA / len(POISSON):
            then = (
                f"rate {rate:.6g} is recorded; {drawn} of {setup.records * true} draws were made, "
                f"which has a chance of {chance:.2g} at that rate"
            )
            return _broken("accumulation", let, then, "the rate recorded", figures)
    refused = [setup for setup, found in figures.items() if isinstance(found, str)]
    if len(refused) == len(POISSON):
        return Result(
            UNDECIDED, f"It trained in none of {len(POISSON)} ways; the first: {figures[refused[0]]}"
        )
    evidence = Evidence(
        "training",
        figures,
        alpha=ALPHA,
        samples=len(POISSON),
        seed=seed,
        ceiling="a step that is missing; a rate that is 10% too low",
    )
    also = f" Refused: {'; '.join(refused)}." if refused else ""
    return Result(
        SUPPORTED,
        f"{len(POISSON) - len(refused)} trainings: steps and rates recorded are not below those "
        f"that were run.{also}",
        evidence,
    )


def _shuffled(target: Target, seed: int) -> Result | str:
    accountant = target()
    if accountant.recorded is None:
        return "it records nothing by itself: rate and steps are given to it"
    figures: dict[str, Any] = {}
    for setup in SHUFFLED:
        try:
            history, batches = _answered(accountant.recorded, setup, seed)
        except Refused as refusal:
            return Result(UNDECIDED, f"It does not train with {setup}: {refusal}")
        steps, true, rate = (
            sum(step.times for step in history),
            len(batches),
            min(step.rate for step in history),
        )
        share = max(len(batch) for batch in batches) / setup.records
        figures[str(setup)] = {"steps": [steps, true], "rate": [rate, share]}
        if steps < true or rate < share * (1 - ROUNDING):
            then = (
                f"{steps} steps at rate {rate:.6g} are recorded; of {true} noisy steps the largest "
                f"held {share:.6g} of all records"
            )
            return _broken(
                "shuffled", {"training": str(setup)}, then, "the rate and the steps recorded", figures
            )
    evidence = Evidence(
        "training",
        figures,
        samples=len(SHUFFLED),
        seed=seed,
        ceiling="a step that is missing; a batch that is larger than the rate recorded",
    )
    return Result(
        SUPPORTED,
        f"{len(SHUFFLED)} trainings: steps and rates recorded are not below those that were run.",
        evidence,
    )


def _epochs(target: Target, seed: int) -> Result | str:
    accountant = target()
    if accountant.epochs is None:
        return "it does not choose noise for epochs"
    delta, figures = 1e-5, {}
    for wanted, batches, epochs in [(8.0, 20, 2), (8.0, 75, 3)]:
        try:
            history = _answered(accountant.epochs, wanted, delta, batches, epochs)
            spent = _asked(accountant.epsilon, tuple(history), delta)
        except Refused as refusal:
            return Result(
                UNDECIDED,
                f"It chose no noise for ({wanted:g}, {delta:g}) and {epochs} epochs of {batches} "
                f"batches: {refusal}",
            )
        steps = sum(step.times for step in history)
        certain = epsilon_bounds(tuple(history), delta, GAP)
        found = {
            "wanted": wanted,
            "spent": spent,
            "noise": history[0].noise,
            "lower": certain.lower,
            "upper": certain.upper,
        }
        figures[f"{epochs} epochs of {batches} batches"] = found
        if spent > wanted * (1 + ROUNDING):
            let = {
                "target": f"({wanted:g}, {delta:g})",
                "training": f"{epochs} epochs of {batches} batches",
                "noise chosen": f"{history[0].noise:.9g}",
            }
            then = (
                f"after {steps} steps the same accountant reports epsilon = {spent:.6g} (the truth is "
                f"between {certain.lower:.6g} and {certain.upper:.6g})"
            )
            return _broken("epochs", let, then, f"epsilon at most {wanted:g} after these epochs", figures)
    evidence = Evidence(
        "training",
        figures,
        samples=len(figures),
        ceiling="a training after which the accountant itself reports more than was asked for",
    )
    return Result(SUPPORTED, f"{len(figures)} trainings end within the epsilon that was asked for.", evidence)


def _calibration(target: Target, seed: int) -> Result | str:
    accountant = target()
    if accountant.noise is None:
        return "it chooses no noise"
    settings = [(1.0, 1e-5, 0.01, 1000), (8.0, 1e-5, 0.1, 100), (0.5, 1e-6, 1.0, 10)]
    if accountant.full:
        settings += [
            (e, d, q, t)
            for e in (0.3, 2.0, 10.0)
            for d in (1e-7, 1e-4)
            for q, t in ((1e-3, 10_000), (0.05, 300), (0.5, 5))
        ]
    rows: list[dict[str, Any]] = []
    refusals = []
    for wanted, delta, rate, times in settings:
        let = {"target": f"({wanted:g}, {delta:g})", "steps": f"{times} at rate {rate:g}"}
        try:
            noise = _asked(accountant.noise, wanted, delta, rate, times)
        except Refused as refusal:
            refusals.append(f"({wanted:g}, {delta:g}), {times} steps at rate {rate:g}: {refusal}")
            continue
        found = epsilon_bounds((Steps(noise, rate, times),), delta, 2e-3)
        rows.append(
            {
                "wanted": wanted,
                "delta": delta,
                "rate": rate,
                "times": times,
                "noise": noise,
                "lower": found.lower,
                "upper": found.upper,
            }
        )
        if found.lower > wanted * (1 + ROUNDING):
            then = (
                f"noise {noise:.9g} is chosen, whose epsilon is at least {found.lower:.6g} "
                f"(certified; at most {found.upper:.6g})"
            )
            return _broken("calibration", let, then, f"epsilon at most {wanted:g}", {"settings": rows})
    if not rows:
        return Result(UNDECIDED, f"It chose no noise for {len(refusals)} targets; the first: {refusals[0]}")
    above = max(row["upper"] / row["wanted"] for row in rows)
    unused = max(1 - row["upper"] / row["wanted"] for row in rows)
    if above > 1.005:
        return Result(
            UNDECIDED,
            f"The bounds on epsilon at the noise chosen are not tight enough: up to {above:.4g} "
            "of the target.",
            None,
        )
    figures = {
        "settings": rows,
        "refused": refusals,
        "largest upper bound over target": above,
        "largest share unused": unused,
    }
    evidence = Evidence(
        "certified bounds",
        figures,
        samples=len(rows),
        ceiling="noise whose epsilon exceeds the target by more than about 0.3%",
    )
    return Result(
        SUPPORTED,
        f"{len(rows)} targets are met (upper bound at most {above:.4f} of them); up to "
        f"{unused:.1%} of epsilon is left unused.",
        evidence,
    )


AGREEMENT = (
    (Steps(1.0, 0.01, 1000), 1e-5),
    (Steps(0.6, 1e-3, 1000), 1e-6),
    (Steps(2.0, 0.1, 100), 1e-8),
    (Steps(4.0, 1.0, 10), 1e-5),
)


@lru_cache(maxsize=4096)
def _answer(name: str, step: Steps, delta: float) -> float | str:
    """What the accountant of that name says, or why it does not."""
    from dpverify.adapters import select

    try:
        return _asked(select(name)[0]().epsilon, (step,), delta)
    except Refused as refusal:
        return str(refusal)


def _agreement(target: Target, seed: int) -> Result | str:
    from dpverify.adapters import select

    accountant = target()
    others = [peer for peer in select("accountant:*") if peer.installed and peer.name != target.name]
    peers = [
        peer for peer in others if peer.expect.get("bounds") is not REFUTED
    ]  # those known to be too small are left out
    if not peers:
        return "no other accountant is installed"
    ratios: dict[str, float] = {}
    worst = (1.0, "")
    for step, delta in AGREEMENT:
        try:
            mine = _asked(accountant.epsilon, (step,), delta)
        except Refused:
            continue
        for peer in peers:
            theirs = _answer(peer.name, step, delta)
            if isinstance(theirs, str) or not (mine > 0 and theirs > 0):
                continue
            ratio = mine / theirs
            if abs(math.log(ratio)) > abs(math.log(ratios.get(peer.name, 1.0))) or peer.name not in ratios:
                ratios[peer.name] = ratio
            if abs(math.log(ratio)) > abs(math.log(worst[0])) or not worst[1]:
                worst = (ratio, f"{_say([step])}, delta {delta:g}: {mine:.6g}, {peer.name} {theirs:.6g}")
    if not ratios:
        return Result(UNDECIDED, "No other accountant gave a number for the same steps.")
    low, high = min(ratios.values()), max(ratios.values())
    text = (
        f"Against {', '.join(ratios)}: epsilon is {low:.4g} to {high:.4g} times theirs where they "
        f"differ most ({worst[1]})"
    )
    if not 1 / AGREE <= worst[0] <= AGREE:
        return Result(UNDECIDED, f"{text}. They cannot tell which is right; the law `bounds` can.")
    evidence = Evidence(
        "comparison",
        {"ratios": ratios, "where": worst[1]},
        samples=len(AGREEMENT),
        ceiling=f"a factor of {AGREE:g}",
    )
    return Result(SUPPORTED, f"{text}.", evidence)


LAWS: Mapping[str, Law] = {
    "exact": _exact,
    "bounds": _bounds,
    "monotone": _monotone,
    "relation": _relation,
    "accumulation": _accumulation,
    "shuffled": _shuffled,
    "epochs": _epochs,
    "calibration": _calibration,
    "agreement": _agreement,
}
