"""Tumult Core: measurements, each with what its own privacy function says.

    M(x) and M(x'),    claimed: M.privacy_function(d), d the distance of x and x'

Numbers are measured as they are, quantiles on a series of pandas; none of them needs Spark, which Tumult
Analytics is made for and which hands them the same measurements. Tumult draws its randomness from the
operating system and takes no seed: the law `seeds` says so, and replay compares nothing. `bits=True`
publishes only the place of an output's lowest bit (`dpverify.adapters.bits`).

tmlt.core 0.19.1 wants NumPy 1 and an older SymPy than dpverify: in an environment of its own, as
`tox -e tumult` makes it.

Shown on tmlt.core 0.19.1: Gaussian noise is drawn exactly, at mean 0, and added to the value in double
precision, so that the lowest bit of a sum tells the value; Laplace noise is drawn at the value. Nothing else
was refuted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.adapters.bits import lowest_bit
from dpverify.guarantees import ZCDP, Guarantee, PureDP
from dpverify.neighbours import REPLACE, Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED, Verdict

Array = np.ndarray[Any, Any]


def _subject(
    measurement: Any,
    read: Callable[[Array], Any],
    pair: Neighbours,
    claim: Callable[[float], Guarantee],
    bits: bool = False,
    runs: int = 20_000,
) -> Subject:
    """The measurement once a run, on what `read` makes of the data; the pair is at distance 1."""

    def run(data: Any, rng: np.random.Generator, runs: int) -> Array:
        value = read(np.asarray(data, dtype=float).ravel())
        outputs = np.array([[float(measurement(value))] for _ in range(runs)])
        return lowest_bit(outputs) if bits else outputs

    said_by = "the privacy function of the measurement"
    guarantee = claim(float(measurement.privacy_function(1).expr))
    return Subject(run, guarantee, pair, said_by, runs=runs, any_record=False)


def _only(kind: Callable[[float], Any]) -> Callable[[Array], Any]:
    """The only number of a data set, as this type."""

    def read(data: Array) -> Any:
        if data.size != 1 or not np.isfinite(data).all():
            raise ValueError(f"Expected one number, got {data.tolist()}.")
        return kind(data.item())

    return read


def _moved(value: float) -> Neighbours:
    return Neighbours(np.array([[value]]), np.array([[value + 1.0]]), REPLACE)


def laplace(scale: int = 1, value: float = 0.0, bits: bool = False) -> Subject:
    """AddLaplaceNoise on a double, moved by 1."""
    positive(scale=scale)
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.noise_mechanisms import AddLaplaceNoise

    measurement = AddLaplaceNoise(NumpyFloatDomain(), scale)
    return _subject(measurement, _only(np.float64), _moved(value), PureDP, bits)


def gaussian(variance: int = 1, value: float = 0.0, bits: bool = False) -> Subject:
    """AddGaussianNoise on a double, moved by 1."""
    positive(variance=variance)
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.noise_mechanisms import AddGaussianNoise

    measurement = AddGaussianNoise(NumpyFloatDomain(), variance)
    return _subject(measurement, _only(np.float64), _moved(value), ZCDP, bits)


def geometric(scale: int = 1, value: float = 0.0) -> Subject:
    """AddGeometricNoise on a whole number, moved by 1."""
    positive(scale=scale)
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

    return _subject(AddGeometricNoise(scale), _only(np.int64), _moved(value), PureDP)


def discrete_gaussian(variance: int = 1, value: float = 0.0) -> Subject:
    """AddDiscreteGaussianNoise on a whole number, moved by 1."""
    positive(variance=variance)
    from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise

    return _subject(AddDiscreteGaussianNoise(variance), _only(np.int64), _moved(value), ZCDP)


def quantile(epsilon: int = 1, share: float = 0.5) -> Subject:
    """NoisyQuantile of a series within (0, 1), from which one record near its upper end is removed."""
    positive(epsilon=epsilon)
    import pandas
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.domains.pandas_domains import PandasSeriesDomain
    from tmlt.core.measurements.pandas_measurements.series import NoisyQuantile
    from tmlt.core.measures import PureDP as Pure

    measurement = NoisyQuantile(PandasSeriesDomain(NumpyFloatDomain()), Pure(), share, 0.0, 1.0, epsilon)

    def read(data: Array) -> Any:
        if not np.isfinite(data).all():
            raise ValueError(f"Expected numbers, got {data.tolist()}.")
        return pandas.Series(data, dtype=float)

    pair = Neighbours.remove(np.array([[0.9], [0.5], [0.5], [0.5]]), 0)
    return _subject(measurement, read, pair, PureDP, runs=5_000)


INSTALL = "an environment of its own: tox -e tumult"
PACKAGES = ("tmlt.core",)
CLAIM = "what the privacy function of the measurement says at the distance of the pair"
ODD = {"seeds": REFUTED, "empty": UNDECIDED}  # it draws from the operating system; no records, no value


def _target(name: str, about: str, build: Callable[..., Subject], **known: Verdict) -> Target:
    return Target(f"tumult:{name}", about, CLAIM, build, PACKAGES, INSTALL, {**ODD, **known})


TARGETS = (
    _target("laplace", "Laplace noise on a double", laplace),
    _target("laplace-bits", "the lowest bit of Laplace noise on a double", partial(laplace, bits=True)),
    _target("gaussian", "Gaussian noise on a double", gaussian),
    _target(
        "gaussian-bits",
        "the lowest bit of Gaussian noise on a double: drawn at mean 0, and then added",
        partial(gaussian, bits=True),
        training=REFUTED,
    ),
    _target("geometric", "two-sided geometric noise on a whole number", geometric),
    _target("discrete-gaussian", "discrete Gaussian noise on a whole number", discrete_gaussian),
    _target(
        "quantile",
        "the median of four records, or three, within (0, 1): looser than claimed, half the claim stands",
        quantile,
        empty=SUPPORTED,
        half=SUPPORTED,
    ),
)
