"""SmartNoise's synthesizers from marginals: MWEM, MST, AIM and the aggregates of pac-synth.

    MWEM       epsilon/2 for choices of queries, epsilon/2 for Laplace noise on them
    MST, AIM   rho of zCDP, from epsilon and delta: Gaussian noise on marginals, and choices of marginals
    pac-synth  counts of combinations of categories with noise, and the number of records with noise

Categories are given from outside, by a transformer that was fitted without the records. The libraries draw
from the generators of Python, of NumPy, of the operating system and of Rust, so that no seed repeats a run.
The relation is one record more or less: a record moves one cell of each marginal by 1.

Of MST and AIM the estimate of a model from what was measured, which takes seconds and sees no record, is
replaced by a uniform one (`_Uniform`). What they spend is seen by the law *budget*, which adds up
1/(2 sigma^2) of each measurement and epsilon^2/8 of each choice.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any
from unittest import mock

import numpy as np

from dpverify.adapters import Target, positive
from dpverify.guarantees import ZCDP, ApproxDP, PureDP
from dpverify.neighbours import Neighbours
from dpverify.subjects import Spent, Subject
from dpverify.verdicts import REFUTED, SUPPORTED, UNDECIDED

CATEGORIES = ("a", "b", "c")
SAMPLES = 100
DELTA = 1e-9  # the default of MST and AIM


def _transformer(columns: int) -> Any:
    """That of columns of these categories, whatever the records hold."""
    from snsynth.transform import LabelTransformer, TableTransformer

    transformer = TableTransformer([LabelTransformer(nullable=False) for _ in range(columns)])
    transformer.fit([(category,) * columns for category in CATEGORIES])
    return transformer


def _pair(columns: int) -> Neighbours:
    """Twenty records, of which the only one of the last category is removed."""
    values = np.array([2.0, *[0.0] * 10, *[1.0] * 9])
    return Neighbours.remove(np.tile(values[:, None], (1, columns)), 0)


def _rows(data: Any) -> list[tuple[str, ...]]:
    """The records as categories: numbers are rounded and clipped to one of them."""
    numbers = np.nan_to_num(np.asarray(data, dtype=float), posinf=2.0, neginf=0.0)
    return [tuple(CATEGORIES[int(np.clip(value, 0, 2))] for value in row) for row in numbers]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without what the libraries print, and without their warnings."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def mwem(epsilon: float = 1.0, iterations: int = 1, given: bool = True) -> Subject:
    """Twenty records, of which the only one of a category is removed: of the last where the categories are
    `given`, of the middle one where they are inferred from the records.
    """
    positive(epsilon=epsilon, iterations=iterations)

    def fitted(data: Any) -> Any:
        from snsynth.mwem import MWEMSynthesizer

        synthesizer = MWEMSynthesizer(epsilon=epsilon, iterations=iterations)
        known = {"transformer": _transformer(1)} if given else {"categorical_columns": [0]}
        with quiet():
            synthesizer.fit(_rows(data), **known)
        return synthesizer

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        samples = [{row[0] for row in fitted(data).sample(SAMPLES)} for _ in range(runs)]
        return np.array([[float(category in drawn) for category in CATEGORIES] for drawn in samples])

    def spent(data: Any) -> Spent:
        return [("MWEM", each) for each in fitted(data).accountant]

    alone, others = (2.0, 1.0) if given else (1.0, 2.0)
    pair = Neighbours.remove(np.array([[alone], *[[0.0]] * 10, *[[others]] * 9]), 0)
    said_by = "the parameter epsilon of snsynth.mwem.MWEMSynthesizer"
    return Subject(
        run, PureDP(epsilon), pair, said_by, calls=spent, runs=150, any_number=True, any_record=False
    )


class _Uniform:
    """A model that holds every combination of categories equally often; what MST and AIM ask of theirs."""

    def __init__(self, domain: Any, measurements: Any, known_total: float = 1.0, **_: Any) -> None:
        self.domain, self.total = domain, known_total
        self.cliques = [each.clique for each in measurements]

    def project(self, attributes: Any) -> _Uniform:
        return _Uniform(self.domain.project(attributes), [], self.total)

    def datavector(self) -> Any:
        return np.full(self.domain.size(), self.total / self.domain.size())


@cache
def _rho(epsilon: float) -> float:
    """What MST and AIM spend, by their own search, which takes a third of a second."""
    from snsynth.utils import cdp_rho

    return float(cdp_rho(epsilon, DELTA))


def _fitted(name: str, rows: Any, epsilon: float) -> tuple[Any, list[float], list[float]]:
    """A synthesizer that has seen these rows, the sigma of each marginal that it measured, and the epsilon of
    each choice.
    """
    from snsynth import aim, mst

    module, kind = {"mst": (mst.mst, mst.MSTSynthesizer), "aim": (aim.aim, aim.AIMSynthesizer)}[name]
    sigmas: list[float] = []
    chosen: list[float] = []
    synthesizer = kind(epsilon=epsilon, delta=DELTA)
    choosing = (synthesizer if name == "mst" else module, "exponential_mechanism")
    choose, add = getattr(*choosing), module.gaussian_noise

    def noise(sigma: float, size: int | None = None) -> Any:
        sigmas.append(float(sigma))
        return add(sigma, size)

    def choice(qualities: Any, budget: float, *rest: Any, **options: Any) -> Any:
        chosen.append(float(budget))
        return choose(qualities, budget, *rest, **options)

    with (
        quiet(),
        mock.patch.object(module, "gaussian_noise", noise),
        mock.patch.object(*choosing, choice),
        mock.patch.object(module.estimation, "mirror_descent", _Uniform),
        mock.patch.object(module, "cdp_rho", return_value=_rho(epsilon)),
    ):
        synthesizer.fit(rows, transformer=_transformer(len(rows[0])))
    return synthesizer, sigmas, chosen


def _spent(name: str, epsilon: float) -> Callable[[Any], Spent]:
    """The rho of every measurement and of every choice that a synthesizer makes on some data."""

    def spent(data: Any) -> Spent:
        _, sigmas, chosen = _fitted(name, _rows(data), epsilon)
        measured = [("Gaussian measurement", 1 / (2 * sigma**2)) for sigma in sigmas]
        return [*measured, *(("choice", budget**2 / 8) for budget in chosen)]

    return spent


def mst(epsilon: float = 1.0) -> Subject:
    """MST as it comes: published is the number of rows that sample() gives, of two columns."""
    positive(epsilon=epsilon)

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        return np.array([[float(_fitted("mst", _rows(data), epsilon)[0].num_rows)] for _ in range(runs)])

    said_by = "snsynth.utils.cdp_rho at the parameters epsilon and delta of MSTSynthesizer"
    return Subject(
        run,
        ZCDP(_rho(epsilon)),
        _pair(2),
        said_by,
        calls=_spent("mst", epsilon),
        runs=150,
        any_record=False,
        shrinks=False,
    )


def aim(epsilon: float = 1.0) -> Subject:
    """AIM as it comes, two columns: what it spends, whatever it chooses."""
    positive(epsilon=epsilon)
    said_by = "snsynth.utils.cdp_rho at the parameters epsilon and delta of AIMSynthesizer"
    spent = _spent("aim", epsilon)
    return Subject(claim=ZCDP(_rho(epsilon)), neighbours=_pair(2), said_by=said_by, calls=spent)


def pac(epsilon: float = 2.0) -> Subject:
    """Published are the noisy counts of the categories of one column, and of all records, of which one is
    removed.

    Delta is 1e-5 and half of epsilon is for the number of records. At the defaults delta follows the number
    of records, and with few of them fit() ends in a panic of Rust when their noisy number is negative.
    """
    positive(epsilon=epsilon)
    delta = 1e-5

    def run(data: Any, rng: np.random.Generator, runs: int) -> Any:
        from snsynth.aggregate_seeded import AggregateSeededSynthesizer

        rows = _rows(data)
        seen = []
        for _ in range(runs):
            synthesizer = AggregateSeededSynthesizer(
                reporting_length=1,
                epsilon=epsilon,
                delta=delta,
                number_of_records_epsilon_proportion=0.5,
            )
            with quiet():
                synthesizer.fit(rows, transformer=_transformer(1))
            counts = synthesizer.get_dp_aggregates()
            known = [float(counts.get(f"column_0:{index}", 0)) for index in range(3)]
            seen.append([*known, float(synthesizer.get_dp_number_of_records())])
        return np.array(seen)

    pair = Neighbours.remove(np.array([*[[0.0]] * 40, *[[1.0]] * 40]), 0)
    said_by = "the parameters epsilon and delta of snsynth.aggregate_seeded.AggregateSeededSynthesizer"
    return Subject(
        run, ApproxDP(epsilon, delta), pair, said_by, runs=2000, any_number=False, any_record=False
    )


PACKAGES = ("smartnoise-synth", "torch")
INSTALL = 'pip install ".[synth]"'
TARGETS = (
    Target(
        "smartnoise:mwem",
        "MWEM on a column of three public categories: its bins are those from the least to the largest that "
        "occurs",
        "epsilon-DP",
        mwem,
        PACKAGES,
        INSTALL,
        {"training": REFUTED, "empty": UNDECIDED, "single": REFUTED, "seeds": REFUTED},
    ),
    Target(
        "smartnoise:categories",
        "MWEM on a column whose categories it infers from the records",
        "epsilon-DP",
        partial(mwem, given=False),
        PACKAGES,
        INSTALL,
        {"training": REFUTED, "empty": UNDECIDED, "single": REFUTED, "seeds": REFUTED},
    ),
    Target(
        "smartnoise:mst",
        "MST on two columns of three public categories: the number of rows that it gives, and its budget",
        "rho-zCDP of its epsilon and delta",
        mst,
        PACKAGES,
        INSTALL,
        {"training": REFUTED, "empty": UNDECIDED, "single": UNDECIDED, "fresh": REFUTED},
    ),
    Target(
        "smartnoise:aim",
        "AIM on two columns of three public categories: its budget, with a uniform model in place of its own",
        "rho-zCDP of its epsilon and delta",
        aim,
        PACKAGES,
        INSTALL,
    ),
    Target(
        "smartnoise:pacsynth",
        "aggregates of pac-synth on a column of public categories: half the claim stands in so few runs",
        "(epsilon, delta)-DP",
        pac,
        (*PACKAGES, "pac-synth"),
        INSTALL,
        {"half": SUPPORTED, "empty": UNDECIDED, "single": UNDECIDED, "seeds": REFUTED},
    ),
)
