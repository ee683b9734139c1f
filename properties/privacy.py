"""Laws of privacy: the budget, post-processing, and the identities of the exact privacy loss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.accounting import meets
from dpverify.accounting.gaussian import gaussian_mu
from dpverify.accounting.pure import pure_epsilon
from dpverify.engine import Algorithm, Step, walk
from dpverify.guarantees import ZCDP, ApproxDP, PureDP
from dpverify.losses import privacy_losses
from dpverify.neighbours import records
from dpverify.releases import NotEnumerable
from dpverify.subjects import turned

from .audits import audited
from .laws import NotApplicable, Outcome, Subject, broken, held, law, same
from .limits import louder

RARE = 1e-9  # the chance of a false alarm, per law and subject, in finite samples


@law("claim", "neighbours", "spending")
def budget(subject: Subject, seed: int) -> Outcome:
    """What is spent adds up to no more than what is claimed: the releases of an algorithm or of a tape, or
    the epsilons (or rho of zCDP) with which a library's own mechanisms were really called.
    """
    if subject.calls is not None:
        return _called(subject)
    if subject.algorithm is None:
        assert subject.claim is not None
        return audited(subject, subject.claim, seed, rungs=("accountant",))
    if not meets(subject.algorithm.ledger(), subject.adjacency, subject.claim):
        then = f"its releases spend more than {subject.claim} under {subject.adjacency}"
        return broken(then, {"algorithm": subject.name})
    return held(
        f"The accountant certifies {subject.claim} for its {subject.algorithm.steps} releases.",
        "any claim below what the releases cost",
    )


def _called(subject: Subject) -> Outcome:
    """What the mechanisms that were called spend, one after the other on the same records: epsilons, or rho
    where zCDP is claimed.
    """
    pair = subject.neighbours
    claim = subject.claim
    calls = subject.calls
    if isinstance(claim, ZCDP):
        unit, claimed = "rho", claim.rho
    elif isinstance(claim, PureDP | ApproxDP):
        unit, claimed = "epsilons", claim.epsilon
    else:
        return NotApplicable(f"epsilons of single calls cannot be compared with {claim}")
    assert pair is not None and calls is not None
    seen = {}
    for which, data in (("D", pair.data), ("D'", pair.other)):
        spent = calls(data)
        total = math.fsum(epsilon for _, epsilon in spent)
        seen[which] = {"calls": len(spent), "total": total}
        if total > claimed * (1 + 1e-9):
            kinds = ", ".join(
                f"{sum(name == kind for name, _ in spent)} of {kind}"
                for kind in sorted({n for n, _ in spent})
            )
            then = (
                f"its own mechanisms are called with {unit} that add up to {total:.4g} ({kinds}); "
                f"{claimed:.4g} is claimed"
            )
            return broken(
                then, {"target": subject.name}, {"calls": [list(call) for call in spent[:50]], **seen}
            )
    if not any(entry["calls"] for entry in seen.values()):
        return NotApplicable("none of its own mechanisms was called")
    total = max(entry["total"] for entry in seen.values())
    return held(
        f"The {unit} of its own mechanisms add up to {total:.4g} of {claimed:.4g}.",
        "calls that add up to more than is claimed",
        **seen,
    )


@law("algorithm", "neighbours")
def postprocessing(subject: Subject, seed: int) -> Outcome:
    """What follows a release is a function of the state and of what was released: asking another data set in
    between changes nothing.
    """
    algorithm: Any = subject.algorithm
    pair: Any = subject.neighbours
    other = algorithm.load(pair.other)
    twin = algorithm.memory(other, 2) if algorithm.memory is not None else None
    for step in walk(algorithm, pair.data, 2, np.random.default_rng(seed)):
        if isinstance(step, Step):
            alone = algorithm.update(step.state, step.released)
            twin = algorithm.ask(other, step.state, step.release, batch=step.batch, memory=twin).memory
            after = algorithm.update(step.state, step.released)
            if not same(alone, after):
                then = f"at step {step.t} the update depends on the data that were asked before it"
                return broken(then, {"algorithm": subject.name, "step": str(step.t)})
    return held(f"{algorithm.steps} updates see no data.", "an update that another query changes", samples=2)


def shaken(subject: Subject) -> Algorithm:
    """The algorithm with so little noise that a record shows: mu of about 2, or epsilon of about 4, if the
    ledger tells.
    """
    algorithm: Any = subject.algorithm
    ledger = algorithm.ledger()
    if all(release.gaussian for release in ledger):
        mu = gaussian_mu(ledger, subject.adjacency)
        return louder(algorithm, mu / 2) if 0 < mu < math.inf else algorithm
    epsilon = pure_epsilon(ledger, subject.adjacency)
    return louder(algorithm, epsilon / 4) if 0 < epsilon < math.inf else algorithm


@law("algorithm", "data")
def likelihood(subject: Subject, seed: int) -> Outcome:
    """Exact losses are log-likelihood ratios: cut where it exceeds 4, the mean of exp(-loss) on D is the
    chance on D' that it does not.

    The cut makes both sides means of bounded variables, for which the empirical Bernstein inequality decides
    in finite samples (Maurer and Pontil 2009); a false alarm has chance below 1e-6.
    """
    algorithm = shaken(subject)
    pair = turned(subject.data, subject.adjacency)
    runs = 2000
    cut = 4.0
    groups = np.arange(records(pair.data)) > 0
    for release in {repr(r): r for r in algorithm.ledger() if r.sampled}.values():
        components = len(release.batches(groups.astype(int))[1])
        if components > 50:
            return NotApplicable(
                f"the exact mixture over its secret batches has {components} components, too many for a "
                "quick law"
            )
    try:
        here = privacy_losses(algorithm, pair, runs, seed=2 * seed + 1)
        there = -privacy_losses(algorithm, pair.swapped(), runs, seed=2 * seed + 2)
    except NotEnumerable as reason:
        return NotApplicable(str(reason))
    left, right = (
        np.where(here >= -math.log(cut), np.exp(-np.maximum(here, -math.log(cut))), 0.0),
        (there >= -math.log(cut)).astype(float),
    )
    log = math.log(4 / 1e-6)
    allowed = sum(
        math.sqrt(2 * v.var(ddof=1) * log / runs) + 7 * most * log / (3 * (runs - 1))
        for v, most in ((left, cut), (right, 1.0))
    )
    gap = float(abs(left.mean() - right.mean()))
    if gap > allowed:
        chance = f"that has chance {right.mean():.3f} on D'"
        then = f"exp(-loss) has mean {left.mean():.3f} below {cut:g} on D; {chance}"
        return broken(then, {"algorithm": subject.name, "runs": str(runs)})
    return held(f"Both sides agree to {gap:.2g}.", f"a gap of {allowed:.2g}", samples=2 * runs, alpha=1e-6)


@law("algorithm", "data")
def normal(subject: Subject, seed: int) -> Outcome:
    """If two data sets always differ by the same vectors, the loss of Gaussian releases is normal: mean
    mu^2/2, variance mu^2.
    """
    algorithm = shaken(subject)
    pair = turned(subject.data, subject.adjacency)
    runs = 1000
    costs = [r.costs(subject.adjacency) for r in algorithm.ledger() if r.gaussian and not r.sampled]
    if len(costs) < algorithm.steps or any(cost.steps for release in costs for cost in release):
        return NotApplicable("not every release is one Gaussian vector")
    other = algorithm.load(pair.other)
    squared = 0.0
    for step in walk(algorithm, pair.data, 3, np.random.default_rng(seed)):
        if isinstance(step, Step):
            if step.answer.unit is not None:
                return NotApplicable("the noise follows the iterates")
            gap = step.answer.value - algorithm.ask(other, step.state, step.release).value
            if not same(gap[:1], gap[1:2], 1e-9) or not same(gap[:1], gap[2:], 1e-9):
                return NotApplicable("the difference of the queries depends on the iterates")
            squared += float(gap[0] @ gap[0]) / step.release.variance()
    if squared == 0:
        return NotApplicable("the queries do not differ")
    from scipy.special import ndtr

    losses = np.sort(privacy_losses(algorithm, pair, runs, seed=seed + 3))
    expected = ndtr((losses - squared / 2) / math.sqrt(squared))
    apart = float(np.max(np.abs(expected - (np.arange(runs) + 0.5) / runs)))
    allowed = math.sqrt(math.log(2 / RARE) / (2 * runs)) + 0.5 / runs  # Dvoretzky, Kiefer, Wolfowitz, Massart
    if apart > allowed:
        then = (
            f"the loss is not N({squared / 2:.3g}, {squared:.3g}): distribution functions {apart:.3f} apart"
        )
        return broken(then, {"algorithm": subject.name, "runs": str(runs)})
    return held(
        f"The loss is N({squared / 2:.3g}, {squared:.3g}): distribution functions {apart:.2g} apart.",
        f"distribution functions {allowed:.2g} apart",
        samples=runs,
        alpha=RARE,
    )


@law("algorithm")
def doubling(subject: Subject, seed: int) -> Outcome:
    """Doubling every scale halves mu of a Gaussian ledger and epsilon of a Laplace one, and never costs more
    in any other.
    """
    algorithm: Any = subject.algorithm
    ledger, doubled = algorithm.ledger(), louder(algorithm, 2.0).ledger()
    gaussian = all(release.gaussian for release in ledger)
    cost = gaussian_mu if gaussian else pure_epsilon
    once, twice = cost(ledger, subject.adjacency), cost(doubled, subject.adjacency)
    if math.isinf(once):
        return NotApplicable("no closed form for its ledger")
    exact = gaussian or all(release.full_batch for release in ledger)
    right = math.isclose(twice, once / 2, rel_tol=1e-9) if exact else twice <= once / 2 * (1 + 1e-9)
    if not right:
        then = f"it costs {once:.6g}, and {twice:.6g} with twice the noise"
        return broken(then, {"algorithm": subject.name})
    return held(f"It costs {once:.4g}, and {twice:.4g} with twice the noise.", "a cost that is off by 1e-9")
