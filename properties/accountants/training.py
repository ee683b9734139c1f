"""What the hooks of a training record, against the batches that were really drawn."""

from __future__ import annotations

from typing import Any

from dpverify.accountant import Training
from dpverify.accounting.bounds import epsilon_bounds
from dpverify.verdicts import UNDECIDED
from dpverify.witnesses import comparison

from ..laws import NotApplicable, Outcome, Result, Subject, broken, held, law
from .questions import GAP, ROUNDING, Refused, answered, ask_number

ALPHA = 1e-6  # of the test of the rate
RECORDS_NOTHING = NotApplicable("it records nothing by itself: rate and steps are given to it")

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


@law("accountant")
def accumulation(subject: Subject, seed: int) -> Outcome:
    """Rate and steps that its training hooks record are not below those of the Poisson batches drawn, and no
    record is in a step twice.
    """
    accountant: Any = subject.accountant
    if accountant.recorded is None:
        return RECORDS_NOTHING
    from scipy.stats import binom

    figures: dict[str, Any] = {}
    for setup in POISSON:
        try:
            history, batches = answered(accountant.recorded, setup, seed)
        except Refused as refusal:
            figures[str(setup)] = f"refused: {refusal}"
            continue
        steps = sum(step.times for step in history)
        true = len(batches)
        rate = max(step.rate for step in history)
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
            exact = comparison(len(twice[0]), "==", len(set(twice[0])), **figures)
            return broken(then, let, exact, "that a record is in a step at most once")
        if steps < true:
            then = f"{steps} steps are recorded; {true} noisy steps were made"
            exact = comparison(steps, ">=", true, **figures)
            return broken(then, let, exact, "the steps recorded")
        if chance < ALPHA / len(POISSON):
            then = (
                f"rate {rate:.6g} is recorded; {drawn} of {setup.records * true} draws were made, "
                f"which has a chance of {chance:.2g} at that rate"
            )
            exact = comparison(chance, ">=", ALPHA / len(POISSON), **figures)
            return broken(then, let, exact, "the rate recorded")
    refused = [setup for setup, answer in figures.items() if isinstance(answer, str)]
    if len(refused) == len(POISSON):
        return Result(
            UNDECIDED, f"It trained in none of {len(POISSON)} ways; the first: {figures[refused[0]]}"
        )
    also = f" Refused: {'; '.join(refused)}." if refused else ""
    return held(
        f"{len(POISSON) - len(refused)} trainings: steps and rates recorded are not below those "
        f"that were run.{also}",
        "a step that is missing; a rate that is 10% too low",
        samples=len(POISSON),
        alpha=ALPHA,
        trainings=figures,
    )


@law("accountant")
def shuffled(subject: Subject, seed: int) -> Outcome:
    """Rate and steps that its training hooks record are not below those of shuffled batches."""
    accountant: Any = subject.accountant
    if accountant.recorded is None:
        return RECORDS_NOTHING
    figures: dict[str, Any] = {}
    for setup in SHUFFLED:
        try:
            history, batches = answered(accountant.recorded, setup, seed)
        except Refused as refusal:
            return Result(UNDECIDED, f"It does not train with {setup}: {refusal}")
        steps = sum(step.times for step in history)
        true = len(batches)
        rate = min(step.rate for step in history)
        share = max(len(batch) for batch in batches) / setup.records
        figures[str(setup)] = {"steps": [steps, true], "rate": [rate, share]}
        if steps < true or rate < share * (1 - ROUNDING):
            then = (
                f"{steps} steps at rate {rate:.6g} are recorded; of {true} noisy steps the largest "
                f"held {share:.6g} of all records"
            )
            pair = (steps, true) if steps < true else (rate, share)
            exact = comparison(pair[0], ">=", pair[1], **figures)
            return broken(then, {"training": str(setup)}, exact, "the rate and the steps recorded")
    return held(
        f"{len(SHUFFLED)} trainings: steps and rates recorded are not below those that were run.",
        "a step that is missing; a batch that is larger than the rate recorded",
        samples=len(SHUFFLED),
        trainings=figures,
    )


# (epsilon asked for, batches of an epoch, epochs): numbers of batches whose inverse is rounded.
EPOCHS = ((8.0, 20, 2), (8.0, 75, 3), (8.0, 93, 1), (50.0, 93, 1))


@law("accountant")
def epochs(subject: Subject, seed: int) -> Outcome:
    """The noise chosen for some epochs keeps the target after them, up to the documented tolerance."""
    accountant: Any = subject.accountant
    if accountant.epochs is None:
        return NotApplicable("it does not choose noise for epochs")
    delta, figures = 1e-5, {}
    for wanted, batches, rounds in EPOCHS:
        try:
            history = answered(accountant.epochs, wanted, delta, batches, rounds)
            spent = ask_number(accountant.epsilon, tuple(history), delta)
        except Refused as refusal:
            return Result(
                UNDECIDED,
                f"It chose no noise for ({wanted:g}, {delta:g}) and {rounds} epochs of {batches} "
                f"batches: {refusal}",
            )
        steps = sum(step.times for step in history)
        certain = epsilon_bounds(tuple(history), delta, GAP)
        answers = {
            "wanted": wanted,
            "spent": spent,
            "noise": history[0].noise,
            "lower": certain.lower,
            "upper": certain.upper,
        }
        figures[f"{rounds} epochs of {batches} batches"] = answers
        if spent > wanted + accountant.tolerance + ROUNDING * wanted:
            let = {
                "target": f"({wanted:g}, {delta:g})",
                "training": f"{rounds} epochs of {batches} batches",
                "noise chosen": f"{history[0].noise:.9g}",
            }
            then = (
                f"after {steps} steps the same accountant reports epsilon = {spent:.6g} (the truth is "
                f"between {certain.lower:.6g} and {certain.upper:.6g})"
            )
            said = f"epsilon at most {wanted:g}, give or take {accountant.tolerance:g}, after these epochs"
            exact = comparison(spent, "<=", wanted, **figures)
            return broken(then, let, exact, said)
    return held(
        f"{len(figures)} trainings end within the epsilon that was asked for.",
        "a training after which the accountant itself reports more than was asked for",
        samples=len(figures),
        trainings=figures,
    )
