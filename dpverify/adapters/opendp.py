"""OpenDP: measurements of its core library, each with what its own privacy map says.

    M(x) and M(x'),    claimed: M.map(d), d the distance of x and x'

Numbers are measured as they are, data sets through a clamped sum. OpenDP draws its randomness from the
operating system and takes no seed: the law `seeds` says so, results are not repeated bit by bit, and replay
compares nothing. `bits=True` publishes only the place of an output's lowest bit (`dpverify.adapters.bits`).

Shown on opendp 0.16.0: the private eigenvectors are not of the law that is meant, and exceed their map; else
nothing was refuted but what its documentation says of seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.bits import lowest_bit
from dpverify.guarantees import ZCDP, Guarantee, PureDP
from dpverify.neighbours import REPLACE, Adjacency, Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Verdict

Array = np.ndarray[Any, Any]


def _library(*features: str) -> Any:
    """The library, with what its constructors ask to be enabled."""
    import opendp.prelude as dp

    dp.enable_features("contrib", *features)
    return dp


def _repeated(measurement: Any, read: Callable[[Array], Any], bits: bool = False) -> Callable[..., Array]:
    """The measurement once a run, on what `read` makes of the data."""

    def run(data: Any, rng: np.random.Generator, runs: int) -> Array:
        value = read(np.asarray(data))
        outputs = np.array([np.ravel(measurement(value)) for _ in range(runs)], dtype=float)
        return lowest_bit(outputs) if bits else outputs

    return run


def _only_number(kind: type) -> Callable[[Array], Any]:
    """The only number of a data set, as this type."""

    def read(data: Array) -> Any:
        if data.size != 1:
            raise ValueError(f"Expected one value, got {data.size}.")
        return kind(data.item())

    return read


def _rows(kind: type) -> Callable[[Array], Any]:
    return lambda data: [kind(value) for value in data.ravel()]


def _subject(
    measurement: Any,
    read: Callable[[Array], Any],
    pair: Neighbours,
    claim: Guarantee,
    bits: bool = False,
    runs: int = 20_000,
) -> Subject:
    return Subject(
        _repeated(measurement, read, bits),
        claim,
        pair,
        "the privacy map of the measurement",
        runs=runs,
        any_record=False,
    )


def _pair(first: Any, second: Any, adjacency: Adjacency = REPLACE) -> Neighbours:
    return Neighbours(np.array([first]).T, np.array([second]).T, adjacency)


def laplace(scale: float = 1.0, value: float = 0.0, whole: bool = False, bits: bool = False) -> Subject:
    """make_laplace on one number, a double or a whole number, moved by 1."""
    positive(scale=scale)
    dp = _library()
    kind = int if whole else float
    domain = dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False)
    measurement = dp.m.make_laplace(domain, dp.absolute_distance(T=kind), scale=scale)
    pair = _pair([value], [value + 1.0])
    return _subject(measurement, _only_number(kind), pair, PureDP(measurement.map(kind(1))), bits)


def gaussian(scale: float = 1.0, width: int = 4) -> Subject:
    """make_gaussian on a vector that moves by 1 along its diagonal."""
    positive(scale=scale, width=width)
    dp = _library()
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=width)
    measurement = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)
    zero = np.zeros(width)
    pair = Neighbours(zero[None], (zero + width**-0.5)[None], REPLACE)
    return _subject(measurement, _rows(float), pair, ZCDP(measurement.map(1.0)))


def randomized_response(truth: float = 0.75) -> Subject:
    """make_randomized_response_bool."""
    if not 0.5 < truth < 1:
        raise ValueError(f"Expected 0.5 < truth={truth} < 1.")
    dp = _library()
    measurement = dp.m.make_randomized_response_bool(prob=truth)
    return _subject(measurement, _only_number(bool), _pair([0.0], [1.0]), PureDP(measurement.map(1)))


def total(scale: float = 1.0, records: int = 8) -> Subject:
    """Doubles clamped to [0, 1], summed and given Laplace noise; one of `records` is replaced."""
    positive(scale=scale, records=records)
    dp = _library()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=records), dp.symmetric_distance()
    measurement = space >> dp.t.then_clamp((0.0, 1.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale)
    rest = [0.3] * (records - 1)
    claim = PureDP(measurement.map(2))  # replacing is removing and adding
    return _subject(measurement, _rows(float), _pair([0.0, *rest], [1.0, *rest]), claim)


def noisy_max(scale: float = 1.0, candidates: int = 4) -> Subject:
    """make_noisy_max over scores that each move by at most 1."""
    positive(scale=scale, candidates=candidates)
    dp = _library()
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    measurement = dp.m.make_noisy_max(domain, dp.linf_distance(T=float), dp.max_divergence(), scale)
    first = np.zeros(candidates)
    second = np.array([1.0, *[-1.0] * (candidates - 1)])
    pair = Neighbours(first[None], second[None], REPLACE)
    return _subject(measurement, _rows(float), pair, PureDP(measurement.map(1.0)))


def eigenvector(epsilon: float = 4.0, features: int = 2) -> Subject:
    """make_private_eigenvector, by which private PCA draws every component: the only record goes from one
    axis to another.
    """
    positive(epsilon=epsilon, features=features)
    dp = _library("idealized-numerics")
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector

    domain = _sscp_domain(norm=1.0, p=2, size=1, num_features=features, T=float)
    measurement = make_private_eigenvector(domain, dp.symmetric_distance(), epsilon)
    axes = np.eye(features)
    above = np.triu_indices(features)

    def drawn(matrix: Array) -> Array:
        vector = measurement(matrix)
        return np.outer(vector, vector)[above]  # a vector and its opposite are the same answer

    def product(rows: Array) -> Array:
        # Refused by itself, since the library's own refusal quotes its source.
        if len(rows) != 1 or not np.isfinite(rows).all():
            raise ValueError(f"Expected one record of numbers, got {rows.tolist()}.")
        return rows.T @ rows

    return _subject(
        drawn,
        product,
        Neighbours.replace(axes[:1], 0, axes[1]),
        PureDP(measurement.map(2)),  # replacing is removing and adding
        runs=2_000,
    )


INSTALL = 'pip install ".[opendp]"'
PACKAGES = ("opendp",)
CLAIM = "what the privacy map of the measurement says at the distance of the pair"
ODD = {"seeds": REFUTED, "empty": UNDECIDED}  # it draws from the operating system; no records, no value


def _target(name: str, about: str, build: Callable[..., Subject], **known: Verdict) -> Target:
    return Target(f"opendp:{name}", about, CLAIM, build, PACKAGES, INSTALL, {**ODD, **known})


TARGETS = (
    _target("laplace", "Laplace noise on a double", laplace),
    _target("laplace-bits", "the lowest bit of Laplace noise on a double", partial(laplace, bits=True)),
    _target("laplace-integers", "discrete Laplace noise on a whole number", partial(laplace, whole=True)),
    _target("gaussian", "Gaussian noise on a vector", gaussian),
    _target("randomized-response", "randomised response of one bit", randomized_response),
    _target("sum", "a clamped sum of doubles with Laplace noise", total, empty=SUPPORTED),
    _target("noisy-max", "the largest of four noisy scores", noisy_max),
    _target(
        "eigenvector",
        "the first eigenvector of X'X in two dimensions. Its rejection step divides by what it should "
        "multiply with, so that half the claim falls, which the Bingham law keeps; from four dimensions on "
        "the claim falls as well, by its exact law",
        eigenvector,
    ),
)
