"""Laws of privacy: the budget, post-processing, the noise itself, and the identities of the exact privacy
loss.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpverify.accounting import meets
from dpverify.accounting.gaussian import gaussian_mu, is_gaussian
from dpverify.accounting.pure import pure_epsilon
from dpverify.engine import Algorithm, Step, walk
from dpverify.losses import privacy_losses
from dpverify.neighbours import Neighbours, records
from dpverify.releases import Gaussian, Laplace, NotEnumerable, Subsampled, TreeNode

from .laws import NotApplicable, Subject, law, same
from .limits import louder

Array = np.ndarray[Any, Any]

ALPHA = 1e-9  # of a false alarm, per law and subject, in finite samples


@law()
def the_ledger_stays_within_the_budget(about: Subject) -> None:
    """The accountant certifies the claimed guarantee for the releases of the algorithm."""
    algorithm = about.needs_algorithm()
    if about.claimed is None:
        raise NotApplicable("nothing is claimed of it")
    assert meets(algorithm.ledger(), about.adjacency, about.claimed), (
        f"the releases of {about.name} spend more than {about.claimed} under {about.adjacency}"
    )


@law()
def update_sees_no_data(about: Subject) -> None:
    """What follows a release is a function of the state and of what was released: asking another data set in
    between changes nothing.
    """
    algorithm, pair = about.needs_algorithm(), loss_pair(about)
    other = algorithm.load(pair.other)
    twin = algorithm.memory(other, 2) if algorithm.memory is not None else None
    for step in walk(algorithm, pair.data, 2, np.random.default_rng(0)):
        if isinstance(step, Step):
            alone = algorithm.update(step.state, step.released)
            twin = algorithm.ask(other, step.state, step.release, batch=step.batch, memory=twin).memory
            after = algorithm.update(step.state, step.released)
            assert same(alone, after), (
                f"step {step.t} of {about.name}: the update depends on the data that were asked before it"
            )


def _residuals(algorithm: Algorithm, data: Any, runs: int, seed: int = 0) -> list[Array]:
    """The noise of every step in units of its scale, one row per run; steps without noise are left out."""
    found = []
    for step in walk(algorithm, data, runs, np.random.default_rng(seed)):
        if isinstance(step, Step):
            scale = np.reshape(
                np.asarray(step.release.scale, dtype=float), (1, -1, *(1,) * (step.released.ndim - 2))
            )
            if step.answer.unit is not None:
                scale = scale * step.answer.unit.reshape(-1, *(1,) * (step.released.ndim - 1))
            if np.all(scale > 0):
                found.append(((step.released - step.answer.value) / scale).reshape(runs, -1))
    if not found:
        raise NotApplicable("no step of it has noise")
    return found


@law()
def the_noise_has_its_declared_law(about: Subject) -> None:
    """The noise that is added, divided by its declared scale, is standard normal or standard Laplace."""
    algorithm = about.needs_algorithm()
    inner = {type(r.inner if isinstance(r, Subsampled) else r) for r in algorithm.ledger()}
    noise = np.sort(np.concatenate([part.ravel() for part in _residuals(algorithm, about.data, 50)]))
    if inner == {Laplace}:
        expected = np.where(
            noise < 0, 0.5 * np.exp(np.minimum(noise, 0)), 1 - 0.5 * np.exp(-np.maximum(noise, 0))
        )
    elif Laplace not in inner:
        from scipy.special import ndtr

        expected = ndtr(noise)
    else:
        raise NotApplicable("it mixes Laplace and Gaussian noise")
    n = len(noise)
    gap = float(np.max(np.abs(expected - (np.arange(n) + 0.5) / n))) - 0.5 / n
    allowed = math.sqrt(math.log(2 / ALPHA) / (2 * n))  # Dvoretzky, Kiefer, Wolfowitz, Massart
    assert gap <= allowed, (
        f"the noise of {about.name} is not what is declared: distribution functions {gap:.3f} "
        f"apart, {n} draws"
    )


@law()
def the_noise_is_independent(about: Subject) -> None:
    """Noise is fresh for every run, step and coordinate: neighbours in each direction agree in sign and in
    size half of the time.
    """
    parts = _residuals(about.needs_algorithm(), about.data, 64)
    median = math.log(2) if _is_laplace(about) else 0.6744897501960817
    directions: dict[str, list[tuple[Array, Array]]] = {
        "runs": [(part[0::2], part[1::2]) for part in parts],
        "coordinates": [(part[:, 0:-1:2], part[:, 1::2]) for part in parts],
        "steps": [
            (a[:, :k], b[:, :k])
            for a, b in zip(parts[0::2], parts[1::2])
            for k in [min(a.shape[1], b.shape[1])]
        ],
    }
    for direction, pairs in directions.items():
        for feature in (np.sign, lambda z: np.sign(np.abs(z) - median)):
            products = (
                np.concatenate([(feature(a) * feature(b)).ravel() for a, b in pairs])
                if pairs
                else np.zeros(0)
            )
            if len(products) < 50:
                continue
            allowed = math.sqrt(2 * math.log(12 / ALPHA) / len(products))  # Hoeffding, six tests
            agreement = float(products.mean())
            assert abs(agreement) <= allowed, (
                f"the noise of {about.name} is not fresh between {direction}: agreement {agreement:.3f}"
            )


def _is_laplace(about: Subject) -> bool:
    first = about.needs_algorithm().release(1)
    return isinstance(first.inner if isinstance(first, Subsampled) else first, Laplace)


def loss_pair(about: Subject) -> Neighbours:
    """All records equal, and one of them turned round: few distinct records, so that mixtures over secret
    batches can be listed.
    """
    parts = about.data if isinstance(about.data, tuple) else (about.data,)
    few = tuple(np.asarray(part)[np.zeros(records(about.data), dtype=int)] for part in parts)
    other = tuple(np.array(part) for part in few)
    other[0][0] = -other[0][0]
    if isinstance(about.data, tuple):
        return Neighbours(few, other, about.adjacency)
    return Neighbours(few[0], other[0], about.adjacency)


def shaken(about: Subject) -> Algorithm:
    """The algorithm with so little noise that a record shows: mu of about 2, or epsilon of about 4, if the
    ledger tells.
    """
    algorithm = about.needs_algorithm()
    ledger = algorithm.ledger()
    if is_gaussian(ledger):
        mu = gaussian_mu(ledger, about.adjacency)
        return louder(algorithm, mu / 2) if 0 < mu < math.inf else algorithm
    epsilon = pure_epsilon(ledger, about.adjacency)
    return louder(algorithm, epsilon / 4) if 0 < epsilon < math.inf else algorithm


@law()
def losses_are_likelihood_ratios(about: Subject) -> None:
    """exp(-loss) has mean 1 on D: cut where it exceeds 4, its mean on D is the chance on D' that it does not.

    The cut makes both sides means of bounded variables, for which the empirical Bernstein inequality decides
    in finite samples (Maurer and Pontil 2009); a false alarm has chance below 1e-6.
    """
    algorithm, pair, runs, cut = shaken(about), loss_pair(about), 2000, 4.0
    groups = np.arange(records(pair.data)) > 0
    for release in {repr(r): r for r in algorithm.ledger() if isinstance(r, Subsampled)}.values():
        components = len(release.batches(groups.astype(int))[1])
        if components > 50:
            raise NotApplicable(
                f"the exact mixture over its secret batches has {components} components, too many "
                "for a quick law"
            )
    try:
        here = privacy_losses(algorithm, pair, runs, seed=1)
        there = -privacy_losses(algorithm, pair.swapped(), runs, seed=2)
    except NotEnumerable as reason:
        raise NotApplicable(str(reason)) from None
    left, right = (
        np.where(here >= -math.log(cut), np.exp(-np.maximum(here, -math.log(cut))), 0.0),
        (there >= -math.log(cut)).astype(float),
    )
    log = math.log(4 / 1e-6)
    allowed = sum(
        math.sqrt(2 * v.var(ddof=1) * log / runs) + 7 * most * log / (3 * (runs - 1))
        for v, most in ((left, cut), (right, 1.0))
    )
    assert abs(left.mean() - right.mean()) <= allowed, (
        f"exp(-loss) of {about.name} has mean {left.mean():.3f} below {cut:g} on D; that has "
        f"chance {right.mean():.3f} on D'"
    )


@law()
def losses_of_constant_differences_are_normal(about: Subject) -> None:
    """If two data sets always differ by the same vectors, the loss of Gaussian releases is normal: mean
    mu^2/2, variance mu^2.
    """
    algorithm, pair, runs = shaken(about), loss_pair(about), 1000
    if not all(isinstance(release, Gaussian) for release in algorithm.ledger()):
        raise NotApplicable("not every release is Gaussian")
    other = algorithm.load(pair.other)
    squared = 0.0
    for step in walk(algorithm, pair.data, 3, np.random.default_rng(0)):
        if isinstance(step, Step):
            if step.answer.unit is not None:
                raise NotApplicable("the noise follows the iterates")
            gap = step.answer.value - algorithm.ask(other, step.state, step.release).value
            if not same(gap[:1], gap[1:2], 1e-9) or not same(gap[:1], gap[2:], 1e-9):
                raise NotApplicable("the difference of the queries depends on the iterates")
            squared += float(gap[0] @ gap[0]) / step.release.variance()
    if squared == 0:
        raise NotApplicable("the queries do not differ")
    from scipy.special import ndtr

    losses = np.sort(privacy_losses(algorithm, pair, runs, seed=3))
    expected = ndtr((losses - squared / 2) / math.sqrt(squared))
    gap_ = float(np.max(np.abs(expected - (np.arange(runs) + 0.5) / runs)))
    allowed = math.sqrt(math.log(2 / ALPHA) / (2 * runs)) + 0.5 / runs
    assert gap_ <= allowed, (
        f"the loss of {about.name} is not N({squared / 2:.3g}, {squared:.3g}): distribution "
        f"functions {gap_:.3f} apart"
    )


@law()
def twice_the_noise_costs_half(about: Subject) -> None:
    """Doubling every scale halves mu of a Gaussian ledger and epsilon of a Laplace one, and never costs more
    in any other.
    """
    algorithm = about.needs_algorithm()
    ledger, doubled = algorithm.ledger(), louder(algorithm, 2.0).ledger()
    if is_gaussian(ledger):
        once, twice = gaussian_mu(ledger, about.adjacency), gaussian_mu(doubled, about.adjacency)
        assert math.isclose(twice, once / 2, rel_tol=1e-9), (
            f"{about.name}: mu = {once:.6g}, with twice the noise {twice:.6g}"
        )
        return
    once, twice = pure_epsilon(ledger, about.adjacency), pure_epsilon(doubled, about.adjacency)
    if math.isinf(once):
        raise NotApplicable("no closed form for its ledger")
    exact = not any(isinstance(release, Subsampled | TreeNode) for release in ledger)
    ok = math.isclose(twice, once / 2, rel_tol=1e-9) if exact else twice <= once / 2 * (1 + 1e-9)
    assert ok, f"{about.name}: epsilon = {once:.6g}, with twice the noise {twice:.6g}"
