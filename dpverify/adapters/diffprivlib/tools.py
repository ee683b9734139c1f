"""Every function of diffprivlib.tools: statistics of an array whose entries (rows, where there are columns)
are the records.

    mean    truncated Laplace noise of scale (upper - lower) / (n epsilon)
    replace: n is public
    var     bounded Laplace noise, sensitivity (upper - lower)^2 (n - 1) / n^2; std is its root
    replace
    sum     truncated Laplace or geometric noise of scale (upper - lower) / epsilon
    replace
    histogram    geometric noise of scale 1 / epsilon on every count
    add/remove
    quantile     exponential mechanism on the intervals between records, rank utility of sensitivity 1
    replace

The library does not say which relation it means; these are the ones that its sensitivities are right for. A
record that is not a number makes mean, var, std, sum and quantile return NaN, so that it is seen with
certainty (law `nan`); their documentation does not exclude it. The nan variants ignore such records, with the
sensitivity of a full array (the targets `-missing`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.adapters import positive
from dpverify.adapters.diffprivlib.common import calls, guarantee, repeated, slow, target
from dpverify.neighbours import Neighbours
from dpverify.subjects import Subject
from dpverify.verdicts import REFUTED, UNDECIDED


def shipped() -> list[str]:
    """The names of all tools in the library that is installed."""
    from diffprivlib import tools

    return [name for name, part in vars(tools).items() if callable(part) and not name.startswith("_")]


def _tool(name: str, pair: Neighbours, epsilon: float, runs: int, **settings: Any) -> Subject:
    """A tool by name on these neighbours; a first output that is an array comes with its edges, which are
    left out where they are public.
    """
    positive(epsilon=epsilon)
    edges = settings.get("bins") == "auto"

    def one(data: Any, state: np.random.RandomState) -> Any:
        from diffprivlib import tools

        arguments = (*data.T,) if name == "histogram2d" else (data,)
        out = getattr(tools, name)(*arguments, epsilon=epsilon, random_state=state, **settings)
        if isinstance(out, tuple):
            return np.concatenate([out[0], out[1]]) if edges else out[0]
        return out

    return Subject(
        repeated(one, name),
        guarantee(epsilon),
        pair,
        f"the docstring of diffprivlib.tools.{name}",
        calls=None if name.startswith("histogram") else calls(one),  # a bin sees its own records
        runs=runs,
        any_number=True,
    )


def _array(records: int, columns: int, value: float = 0.0, first: float | None = None) -> Any:
    """That many records of one value; the first of another, if one is given."""
    data = np.full((records, columns), value)
    if first is not None and records:
        data[0] = first
    return data


def _moment(name: str) -> Callable[..., Subject]:
    def build(
        epsilon: float = 1.0, lower: float = 0.0, upper: float = 1.0, records: int = 3, columns: int = 1
    ) -> Subject:
        """All records at the lower bound, and one of them moved to the upper; several columns along axis
        0.
        """
        positive(records=records, columns=columns)
        data = _array(records, columns, lower)
        axis = {"axis": 0} if columns > 1 else {}
        return _tool(
            name,
            Neighbours.replace(data, 0, np.full(columns, upper)),
            epsilon,
            3_000,
            bounds=(lower, upper),
            **axis,
        )

    return build


def from_data(epsilon: float = 1.0) -> Subject:
    """No bounds given: the library takes them from the data, and warns."""
    return _tool("mean", Neighbours.replace(_array(3, 1), 0, [1.0]), epsilon, 2_000)


def count(epsilon: float = 1.0, records: int = 3) -> Subject:
    """All records 0, and one of them moved to 1."""
    return _tool("count_nonzero", Neighbours.replace(_array(records, 1), 0, [1.0]), epsilon, 2_000)


def missing_mean(epsilon: float = 1.0, records: int = 10) -> Subject:
    """All records but one are missing."""
    return _tool(
        "nanmean",
        Neighbours.replace(_array(records, 1, np.nan, 0.0), 0, [1.0]),
        epsilon,
        4_000,
        bounds=(0.0, 1.0),
    )


def _missing_spread(name: str) -> Callable[..., Subject]:
    def build(epsilon: float = 1.0, records: int = 20) -> Subject:
        """All records but two are missing."""
        data = _array(records, 1, np.nan)
        data[:2] = 0.0
        return _tool(name, Neighbours.replace(data, 0, [1.0]), epsilon, 4_000, bounds=(0.0, 1.0))

    return build


def missing_sum(epsilon: float = 1.0) -> Subject:
    """A missing record counts as 0, outside of the bounds."""
    return _tool(
        "nansum", Neighbours.replace(_array(2, 1, 9.0, np.nan), 0, [10.0]), epsilon, 4_000, bounds=(9.0, 10.0)
    )


def whole_numbers(epsilon: float = 1.0, records: int = 20) -> Subject:
    """`dtype=int`: mean and squares are rounded, so that the variance of twenty 2s is 0, and of nineteen 2s
    and a 0 it is 1.
    """
    return _tool(
        "var",
        Neighbours.replace(_array(records, 1, 2.0), 0, [0.0]),
        epsilon,
        2_000,
        bounds=(0.0, 2.0),
        dtype=int,
    )


def histogram(epsilon: float = 1.0, records: int = 2, bins: int = 2) -> Subject:
    """All records in the first bin, and one of them removed."""
    return _tool(
        "histogram", Neighbours.remove(_array(records, 1), 0), epsilon, 2_000, bins=bins, range=(0.0, 1.0)
    )


def histogram_replace(epsilon: float = 1.0, bins: int = 2) -> Subject:
    """One record goes from the first bin to the last: two counts change."""
    return _tool(
        "histogram", Neighbours.replace(_array(2, 1), 0, [1.0]), epsilon, 2_000, bins=bins, range=(0.0, 1.0)
    )


def histogram_weights(epsilon: float = 1.0, weight: float = 5.0) -> Subject:
    """One record that counts five times, in the first bin or out of the range."""
    return _tool(
        "histogram",
        Neighbours.replace(_array(2, 1), 0, [2.0]),
        epsilon,
        2_000,
        bins=2,
        range=(0.0, 1.0),
        weights=[[weight], [1.0]],
    )


def histogram_auto(epsilon: float = 1.0, records: int = 100) -> Subject:
    """The number of bins from the data; the range is given. One record out of a hundred changes it."""
    data = np.linspace(0.4, 0.6, records)[:, None]
    return _tool(
        "histogram", Neighbours.replace(data, 0, [0.9]), epsilon, 2_000, bins="auto", range=(0.0, 1.0)
    )


def histogram2d(epsilon: float = 1.0) -> Subject:
    """All records in the first of four bins, and one of them removed."""
    return _tool(
        "histogram2d",
        Neighbours.remove(_array(2, 2), 0),
        epsilon,
        2_000,
        bins=2,
        range=[[0.0, 1.0], [0.0, 1.0]],
    )


def histogramdd(epsilon: float = 1.0, columns: int = 2) -> Subject:
    """All records in the first bin of two along every column, and one of them removed."""
    return _tool(
        "histogramdd",
        Neighbours.remove(_array(2, columns), 0),
        epsilon,
        2_000,
        bins=2,
        range=[(0.0, 1.0)] * columns,
    )


def _rank(name: str, **middle: Any) -> Callable[..., Subject]:
    def build(epsilon: float = 2.0, lower: float = 0.0, upper: float = 1.0, near: float = 0.1) -> Subject:
        """Two records, one near the lower bound, the other at one bound and then at the other: few outputs
        are below both medians.
        """
        data = np.array([[lower], [lower + near * (upper - lower)]])
        return _tool(
            name, Neighbours.replace(data, 0, [upper]), epsilon, 3_000, bounds=(lower, upper), **middle
        )

    return build


def median_constant(epsilon: float = 4.0, records: int = 746) -> Subject:
    """All records are equal, and one of them is moved. What is published is whether there is an output, and
    the output.
    """
    positive(epsilon=epsilon, records=records)

    def one(data: Any, state: np.random.RandomState) -> Any:
        from diffprivlib import tools

        try:
            return 1.0, tools.median(data, epsilon=epsilon, bounds=(0.0, 1.0), random_state=state)
        except RuntimeError:  # "Can't find a candidate to return."
            return 0.0, 0.0

    pair = Neighbours.replace(_array(records, 1, 0.9), 0, [0.0])
    return Subject(
        repeated(one, "median"),
        guarantee(epsilon),
        pair,
        "the docstring of diffprivlib.tools.median",
        runs=1_000,
        any_number=True,
    )


REPLACE, ADD = "epsilon-DP, replace", "epsilon-DP, add/remove"
NAN = {"empty": UNDECIDED, "nan": REFUTED}

NANS = "Records that are NaN are ignored, but the sensitivity is divided by the size of the whole array. "

TARGETS = (
    target("mean", "the mean", REPLACE, _moment("mean"), **NAN),
    target(
        "mean-bounds",
        "the mean, bounds taken from the data; the library warns of it",
        REPLACE,
        from_data,
        **NAN,
        single=REFUTED,
        training=REFUTED,
        huge=REFUTED,
        fresh=REFUTED,
    ),
    target("var", "the variance", REPLACE, _moment("var"), **NAN),
    target("std", "the standard deviation", REPLACE, _moment("std"), **NAN),
    target("sum", "the sum", REPLACE, _moment("sum"), nan=REFUTED),
    target("nanmean", "the mean, nothing missing", REPLACE, _moment("nanmean"), empty=UNDECIDED),
    target("nanvar", "the variance, nothing missing", REPLACE, _moment("nanvar"), empty=UNDECIDED),
    target("nanstd", "the standard deviation, nothing missing", REPLACE, _moment("nanstd"), empty=UNDECIDED),
    target("nansum", "the sum, nothing missing", REPLACE, _moment("nansum")),
    target("count_nonzero", "how many are not 0", REPLACE, count),
    target("histogram", "the counts of two bins", ADD, histogram),
    target("histogram2d", "the counts of four bins", ADD, histogram2d),
    target("histogramdd", "the counts of four bins", ADD, histogramdd),
    target("quantile", "the median by `quantile`", REPLACE, _rank("quantile", quant=0.5), nan=REFUTED),
    target("percentile", "the median by `percentile`", REPLACE, _rank("percentile", percent=50), nan=REFUTED),
    target("median", "the median", REPLACE, _rank("median"), nan=REFUTED),
    target(
        "nanmean-missing",
        NANS + "With one record of ten left the mean moves ten times as far; with none left it is NaN",
        REPLACE,
        missing_mean,
        **NAN,
        training=REFUTED,
        huge=REFUTED,
    ),
    target(
        "nanvar-missing",
        NANS + "With two records of twenty left the variance moves five times as far",
        REPLACE,
        _missing_spread("nanvar"),
        empty=UNDECIDED,
        training=REFUTED,
        huge=REFUTED,
    ),
    target(
        "nanstd-missing",
        NANS + "With two records of twenty left the variance moves five times as far",
        REPLACE,
        _missing_spread("nanstd"),
        empty=UNDECIDED,
        training=REFUTED,
        huge=REFUTED,
    ),
    target(
        "nansum-missing",
        "A record that is NaN counts as 0, which bounds (9, 10) do not contain: the sum moves by "
        "10, the sensitivity is 1",
        REPLACE,
        missing_sum,
        single=REFUTED,
        training=REFUTED,
        huge=REFUTED,
        fresh=REFUTED,
    ),
    slow(
        "var-int",
        "With dtype=int the variance is computed in whole numbers and jumps from 0 to 1 where "
        "the exact one moves by 0.19, the sensitivity",
        REPLACE,
        whole_numbers,
        empty=UNDECIDED,
        training=REFUTED,
    ),
    target(
        "histogram-replace",
        "Two counts change when a record is replaced, and each has noise for one: 2 epsilon "
        "under the relation that the other tools "
        "are right for. The documentation names none",
        REPLACE,
        histogram_replace,
        training=REFUTED,
    ),
    target(
        "histogram-weights",
        "`weights` is accepted, and the sensitivity stays 1: a record of weight 5 moves a count by 5",
        REPLACE,
        histogram_weights,
        empty=UNDECIDED,
        single=UNDECIDED,
        training=REFUTED,
        huge=REFUTED,
    ),
    slow(
        "histogram-auto",
        "`bins` as a string takes the number of bins from the data, also where the range is "
        "given; no warning. The documentation says "
        "that the width is computed from the data",
        REPLACE,
        histogram_auto,
        training=REFUTED,
    ),
    slow(
        "median-constant",
        "746 equal records at epsilon = 4, or 2982 at epsilon = 1: all probabilities underflow "
        "to 0 and a RuntimeError is "
        "raised; with one record moved there is always an output",
        REPLACE,
        median_constant,
        nan=REFUTED,
        training=REFUTED,
        fresh=REFUTED,
        huge=UNDECIDED,
    ),
)
