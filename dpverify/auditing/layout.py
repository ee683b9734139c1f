"""The columns of outcomes: one row of finite numbers for each run.

    numbers      as many as the longest output of the first chunk has; not finite or missing: 0
    structure    0 if it is that of the first output, else its hash (lengths, keys, an exception, a time-out)
    size         how many numbers more or fewer than the first output has
    beyond       the sum of the numbers for which there is no column
    not finite   1 for NaN, 2 for inf, 3 for -inf, 4 and more for a NaN that holds other bits than the usual
    one, one column for each number that ever was one
    low bits     of a whole number beyond 2^53 its pieces of 32 bits, up to the 512th bit, and how far it is
    from its float64, columns for each number that ever was one
    keyed        of dicts whose keys vary, sums of the numbers at keys that share a slot (by their hash), and
    of their places
    words        of texts of more than a few words, how many share a slot, where they are seen more often on
    one side than chance explains: from then on, 0 before

where all but the numbers come into being, on the right, when one of them is first other than 0. Every column
is a function of one output that was fixed before it was drawn (those of the first chunk, which nobody bets
on, fix the width), so that what is learned on them is as valid as on the outputs themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpverify.auditing.floats import nan_codes, near, tame
from dpverify.auditing.leaves import NOTED
from dpverify.auditing.outcomes import Plain
from dpverify.auditing.texts import SLOTS

MOST = 64  # columns for numbers that were not finite, for low bits, and for words
SURPRISE = 10.0  # (a - b)^2 / (a + b) of counts on the two sides, above which a word has a column


@dataclass
class Layout:
    """The columns so far: `matrices` turns the next chunk of both sides into numbers, and may add columns.

    >>> from dpverify.auditing.outcomes import plain
    >>> layout = Layout()
    >>> x, y = layout.matrices(plain([1.0, 2.0]), plain([3.0, float("nan")]))
    >>> x.tolist(), y.tolist()
    ([[1.0, 0.0], [2.0, 0.0]], [[3.0, 0.0], [0.0, 1.0]])
    """

    width: int | None = None
    size: int = 0
    shape: int = 0
    columns: list[tuple[str, int]] = field(default_factory=list)

    def matrices(self, x: Plain, y: Plain) -> tuple[np.ndarray, np.ndarray]:
        if self.width is None:
            self.width = max(x.numbers.shape[1], y.numbers.shape[1], 1)  # a column of 0 of what has no number
            self.size, self.shape = int(x.sizes[0]), int(x.shapes[0])
        self.columns.extend(self._words(x, y))
        if not self.columns and self._regular(x) and self._regular(y):
            return x.numbers, y.numbers
        for side in (x, y):
            self.columns.extend(self._new(side))
        return self.rows(x), self.rows(y)

    def _regular(self, side: Plain) -> bool:
        return bool(
            side.numbers.shape[1] == self.width
            and side.low_bits.shape[1] == 0
            and (side.sizes == self.size).all()
            and (side.shapes == self.shape).all()
            and near(side.numbers)
        )

    def _words(self, x: Plain, y: Plain) -> list[tuple[str, int]]:
        """Columns for words that are seen more often on one side than chance explains."""
        slots = np.union1d(x.slots, y.slots)
        slots = slots[slots >= 2 * SLOTS]
        a, b = (side.at_slots(slots).sum(axis=0) for side in (x, y))
        surprise = (a - b) ** 2 / np.maximum(a + b, 1)
        found = [("words", int(slots[i])) for i in np.argsort(-surprise) if surprise[i] > SURPRISE]
        room = MOST - sum(kind == "words" for kind, _ in self.columns)
        return [key for key in found if key not in self.columns][:room]

    def _new(self, side: Plain) -> list[tuple[str, int]]:
        """The columns that this side needs and that are not there yet."""
        assert self.width is not None
        there = set(self.columns)
        wanted = [(kind, -1) for kind in ("structure", "size", "beyond")]
        broken = np.flatnonzero((~np.isfinite(side.numbers[:, : self.width])).any(axis=0)).tolist()
        long = np.flatnonzero(side.low_bits[:, : NOTED * self.width].any(axis=0)).tolist()
        varies = ("structure", -1) in there or (side.shapes != self.shape).any()
        slots = side.slots[side.keyed.any(axis=0) & (side.slots < 2 * SLOTS)].tolist() if varies else []
        for kind, at in (("not finite", broken), ("low bits", long), ("keyed", slots)):
            room = MOST - sum(known == kind and column >= 0 for known, column in there)
            fresh = [column for column in at if (kind, column) not in there]
            wanted += [(kind, column) for column in fresh[:room]]
            wanted += [(kind, -1)] if len(fresh) > room else []
        return [key for key in wanted if key not in there and self._column(key, side).any()]

    def _column(self, key: tuple[str, int], side: Plain) -> np.ndarray:
        assert self.width is not None
        kind, column = key
        if kind == "structure":
            return np.where(side.shapes == self.shape, 0, side.shapes).astype(float)
        if kind == "size":
            return (side.sizes - self.size).astype(float)
        if kind == "words":
            return side.at_slots(np.array([column]))[:, 0]
        if kind == "beyond":
            rest = side.numbers[:, self.width :]
            return tame(np.where(np.isfinite(rest), rest, 0.0).sum(axis=1))
        known = [at for other, at in self.columns if other == kind and at >= 0]
        if kind == "not finite":
            codes = np.select(
                [np.isnan(side.numbers), side.numbers == np.inf, side.numbers == -np.inf],
                [nan_codes(side.numbers), 2.0, 3.0],
                0.0,
            )
        else:
            codes = side.low_bits if kind == "low bits" else tame(side.at_slots(np.arange(2 * SLOTS)))
        if column >= 0:
            return codes[:, column] if column < codes.shape[1] else np.zeros(side.runs)
        return np.delete(codes, [at for at in known if at < codes.shape[1]], axis=1).sum(axis=1)

    def rows(self, side: Plain) -> np.ndarray:
        """These outcomes as rows of the columns that there are."""
        assert self.width is not None
        numbers = np.zeros((side.runs, self.width))
        there = side.numbers[:, : self.width]
        numbers[:, : there.shape[1]] = np.where(np.isfinite(there), there, 0.0)
        extra = [self._column(key, side) for key in self.columns]
        return np.column_stack([tame(numbers), *extra]) if extra else tame(numbers)
