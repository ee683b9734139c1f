"""Privacy statements about what is no mechanism, or is counted wrongly, by cause, beside twins that are
right.

A question is (kind, function that builds the statement).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from dpverify.exam.kinds import EMPTY, FALSE, OPEN, TRUE, UNDEFINED
from dpverify.guarantees import RDP, ZCDP, ApproxDP, PureDP
from dpverify.language.mechanisms import Private, Repeated
from dpverify.neighbours import REPLACE
from dpverify.releases import Gaussian, Laplace, Subsampled
from dpverify.theorems import Theorem

C, b, s = sp.symbols("C b s", positive=True)
T, k = (sp.Symbol(name, integer=True, positive=True) for name in ("T", "k"))
whole, positive = sp.Symbol("t", integer=True), sp.Symbol("t", integer=True, positive=True)
q, X = sp.Symbol("q", positive=True), sp.Symbol("X", real=True)
scales = sp.IndexedBase("r", positive=True)
one = C**2 / (2 * s**2)
half = sp.Rational(1, 2)


def noise(scale: Any = s, size: Any = C) -> Gaussian:
    """Gaussian noise, its sensitivity known under replacement alone."""
    return Gaussian(scale, {REPLACE: size})


def times(
    rho: Any,
    low: Any = 1,
    high: Any = T,
    index: Any = whole,
    part: Any = None,
    participations: Any = None,
    given: Any = (),
) -> Private:
    """So many releases, each one after the others were seen, are rho-zCDP."""
    releases = Repeated(noise() if part is None else part, index, low, high, participations)
    return Private(releases, ZCDP(rho), REPLACE, given)


def batch(inner: Any, size: Any, of: Any) -> Subsampled:
    """The release on so many of so many records."""
    return Subsampled(inner, size, of, "without replacement")


CAUSES = {
    "numbers of a mechanism that are none": [
        (UNDEFINED, lambda: Private(noise(sp.oo), ZCDP(0), REPLACE)),
        (UNDEFINED, lambda: Private(noise(s, sp.I * C), ZCDP(0), REPLACE)),
        (UNDEFINED, lambda: Private(noise(s, sp.sqrt(-C)), ZCDP(C / s**2), REPLACE)),
        (UNDEFINED, lambda: Private(noise(X), ZCDP(C**2 / (2 * X**2)), REPLACE)),
        (UNDEFINED, lambda: Private(noise(s, X), ZCDP(X**2 / (2 * s**2)), REPLACE)),
        (UNDEFINED, lambda: Private(noise(s, sp.Float(0.5)), ZCDP(1 / (8 * s**2)), REPLACE)),
        (UNDEFINED, lambda: Private(Laplace(b, {REPLACE: C}), ApproxDP(C / b, X), REPLACE)),
        (EMPTY, lambda: Theorem(Private(noise(), ZCDP(one), REPLACE), given=[X > 1, X < 0])),
        (EMPTY, lambda: Private(noise(), ZCDP(one), REPLACE, given=[X > 1, X < 0])),
        (TRUE, lambda: Theorem(Private(noise(), ZCDP(half), REPLACE), given=[C <= s])),
        (FALSE, lambda: Theorem(Private(noise(), ZCDP(half), REPLACE), given=[C <= 2 * s])),
    ],
    "repetitions that are not counted in whole numbers": [
        (UNDEFINED, lambda: times(q * one, high=q)),
        (UNDEFINED, lambda: times(2 * one, high=sp.Rational(5, 2))),
        (UNDEFINED, lambda: times((T + half) * one, low=half)),
        (FALSE, lambda: times(q * one, participations=q, given=[q < 1])),
        (UNDEFINED, lambda: times(one / 2, participations=half)),
        (UNDEFINED, lambda: times((k - 5) * one, high=k - 5)),
        (UNDEFINED, lambda: times(sp.Sum(C**2 / (2 * X**2), (X, 1, T)), index=X, part=noise(X))),
        (UNDEFINED, lambda: times(100 * C**2 * T, -3, index=positive, part=noise(positive + half))),
        (UNDEFINED, lambda: times(T * C**2 / 200, part=noise(whole), given=[whole >= 10])),
        (FALSE, lambda: times(T * C**2 / 200, part=noise(whole))),
        (TRUE, lambda: times(T * C**2 / 2, part=noise(whole))),
    ],
    "records in a few of the releases": [
        (OPEN, lambda: times(3 * one, high=3, participations=10)),
        (OPEN, lambda: times(T * one, participations=k)),
        (TRUE, lambda: times(k * one, participations=k)),
        (FALSE, lambda: times(one, participations=k)),
        (FALSE, lambda: times(C**2 / (2 * scales[1] ** 2), part=noise(scales[whole]), participations=1)),
    ],
    "batches that cannot be drawn": [
        (UNDEFINED, lambda: Private(batch(batch(noise(), 10, 100), 10, 100), RDP(2, C**2 / s**2), REPLACE)),
        (
            UNDEFINED,
            lambda: Private(batch(batch(Laplace(b, {REPLACE: C}), 1, 9), 3, 9), PureDP(C / b), REPLACE),
        ),
        (UNDEFINED, lambda: Private(batch(Laplace(b, {REPLACE: C}), k, T), PureDP(C / b), REPLACE)),
        (TRUE, lambda: Private(batch(batch(Laplace(b, {REPLACE: C}), 1, 3), 3, 9), PureDP(C / b), REPLACE)),
        (
            FALSE,
            lambda: Private(Subsampled(noise(), 1, 2, "poisson"), RDP(2, C**2 / (99 * s**2)), REPLACE),
        ),
    ],
}
