"""Outputs of one form, taken apart together, column by column: the same as one by one, and sooner.

A call costs little if its output is only cut into its parts when it returns: numbers, texts, arrays, and
lists, tuples and dicts of them, whose form (types, lengths, keys, shapes) is noted. What the parts of a form
are made into is learned once, by taking apart an output whose numbers are marks; then whole columns go where
their marks went.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dpverify.auditing.floats import EXACT, holds
from dpverify.auditing.leaves import COMMON, Beside, leaves, nothing_beside
from dpverify.auditing.texts import bytes_columns, text_columns, zeros_of

NUMBERS = frozenset({float, np.float64, bool, np.bool_, int, np.int64})
WHOLE = frozenset({int, np.int64})
SIMPLE = NUMBERS | {str, bytes, type(None)}  # parts that nobody can change
TEXTS = frozenset({str})
FEW = 8  # outputs of a form that are as soon taken apart one by one


class Cut(NamedTuple):
    """An output cut into its parts, and its form."""

    form: Any
    parts: Sequence[Any]


def cut(output: Any) -> Cut | None:
    """The form and the parts of an output, as they are now; None if it is to be taken apart at once.

    >>> cut({"mean": 1.5, "of": [1, 2]}).parts
    [1.5, 1, 2]
    >>> cut({"of": {1, 2}})
    """
    parts: list[Any] = []
    form = _form(output, parts)
    return None if form is None else Cut(form, parts)


def _form(value: Any, parts: list[Any]) -> Any:
    kind = type(value)
    if kind is dict:
        if not TEXTS.issuperset(map(type, value)):
            return None
        values, names = value.values(), tuple(value)
    elif kind is list or kind is tuple:
        values, names = value, ()
    elif kind in SIMPLE:
        parts.append(value)
        return kind
    elif kind is np.ndarray and value.dtype.kind in "fbiu" and value.dtype.itemsize <= 8:
        parts.append(value.copy())
        return kind, value.shape, value.dtype
    else:
        return None
    forms = tuple(map(type, values))
    if SIMPLE.issuperset(forms):
        parts.extend(values)
    else:
        forms = tuple([_form(part, parts) for part in values])
        if None in forms:
            return None
    return kind, forms, names


def whole(form: Any, parts: Iterator[Any]) -> Any:
    """The output of that form with these parts.

    >>> form, parts = cut(([1.0, "a"], {"b": None}))
    >>> whole(form, iter(parts))
    ([1.0, 'a'], {'b': None})
    """
    if not isinstance(form, tuple) or form[0] is np.ndarray:
        return next(parts)
    kind, forms, names = form
    inner = [whole(part, parts) for part in forms]
    return dict(zip(names, inner)) if kind is dict else kind(inner)


class Mark:
    """Stands for a number of the parts, by its place, or for a sum of such and other numbers, in the order in
    which they were added, for sums in another order are rounded otherwise.

    >>> (1.0 + Mark([3]) + 0.5 + Mark([4])).of(np.arange(10.0)[None]).tolist()
    [8.5]
    """

    __slots__ = ("terms",)

    def __init__(self, terms: list[int | float]) -> None:
        self.terms = terms  # places are whole numbers, others are floats

    def __float__(self) -> float:
        return 0.0  # as finite as any

    def __add__(self, other: Mark | float) -> Mark:
        return Mark(self.terms + (other.terms if isinstance(other, Mark) else [float(other)]))

    def __radd__(self, other: float) -> Mark:
        return Mark([float(other), *self.terms])

    def of(self, numbers: np.ndarray) -> np.ndarray:
        """The sum, of rows in which the numbers stand at their places."""
        total = np.zeros(len(numbers))
        for term in self.terms:
            total += numbers[:, term] if isinstance(term, int) else term
        return total


class Probe(NamedTuple):
    """A part whose numbers are marks, with its words by slot."""

    structure: str
    marks: list[Mark]
    words: dict[int, float]


def _probe_leaves(value: Probe, numbers: list[Any], beside: Beside) -> str:
    numbers.extend(value.marks)
    for slot, times in value.words.items():
        beside.keyed[slot] = beside.keyed.get(slot, 0.0) + times
    return value.structure


COMMON[Probe] = _probe_leaves


class Columns(NamedTuple):
    """Outputs of one form: their numbers, the structure that they share, and sums by slots."""

    numbers: np.ndarray
    structure: str
    keyed: dict[int, np.ndarray | float]


def together(form: Any, rows: Sequence[Sequence[Any]]) -> Columns | None:
    """The outputs of one form, whose texts have one pattern, by their parts; None where they are to be taken
    apart one by one.

    >>> together((list, (float, bool), ()), [[0.5, True], [1.5, False]])[:2]
    (array([[0.5, 1. ],
           [1.5, 0. ]]), 'list[,bool]')
    """
    columns = [_column(values) for values in zip(*rows)]
    if any(column is None for column in columns):
        return None
    parts: list[Any] = []
    width = 0
    for part in rows[0]:
        numbers: list[float] = []
        beside = nothing_beside()
        structure = leaves(part, numbers, beside)
        parts.append(Probe(structure, [Mark([width + i]) for i in range(len(numbers))], beside.keyed))
        width += len(numbers)
    marked: list[Any] = []
    beside = nothing_beside()
    structure = leaves(whole(form, iter(parts)), marked, beside)
    own = np.concatenate([np.zeros((len(rows), 0)), *columns], axis=1)
    made = np.zeros((len(rows), len(marked)))
    for at, number in enumerate(marked):
        made[:, at] = own[:, int(number.terms[0])] if isinstance(number, Mark) else number
    finite = np.where(np.isfinite(own), own, 0.0) if beside.keyed else own
    keyed: dict[int, Any] = {
        slot: number.of(finite) if isinstance(number, Mark) else number
        for slot, number in beside.keyed.items()
    }
    return Columns(made, structure, keyed)


def _column(values: tuple[Any, ...]) -> np.ndarray | None:
    """The numbers of a part of every output, one row an output; None where float64 does not hold them."""
    kind = type(values[0])
    if kind is str:
        return text_columns(values)
    if kind is bytes:
        return bytes_columns(values)
    if kind is np.ndarray:
        array = np.array(values)
        return array.reshape(len(values), -1).astype(float) if holds(array) else None
    if kind not in NUMBERS:
        return np.zeros((len(values), 0))
    if kind in WHOLE and not -EXACT <= min(values) <= max(values) <= EXACT:
        return None
    return np.array(values, dtype=float)[:, None]


class Alike(NamedTuple):
    """Outputs of one form: which they are, and their parts."""

    form: Any
    places: list[int]
    rows: list[Sequence[Any]]


def alike(outputs: Sequence[Any]) -> Iterator[Alike]:
    """Outputs (cut, or of parts that nobody can change, or arrays) that have one form, where they are many
    enough; those whose texts have different patterns apart.

    >>> [same] = alike([f"n={i}" for i in (1, 2, 3, 4, 5, 6, 7, 8, 10)])
    >>> same.form, same.places, same.rows[7]
    (<class 'str'>, [0, 1, 2, 3, 4, 5, 6, 7], ['n=8'])
    """
    forms: dict[Any, Alike] = {}
    for i, output in enumerate(outputs):
        form = type(output)
        if form is Cut:
            form, parts = output
        elif form in SIMPLE:
            parts = [output]
        elif form is np.ndarray and (found := cut(output)) is not None:
            form, parts = found
        else:
            continue
        group = forms.get(form)
        if group is None:
            group = forms[form] = Alike(form, [], [])
        group.places.append(i)
        group.rows.append(parts)
    for group in forms.values():
        yield from (same for same in _by_pattern(group) if len(same.places) >= FEW)


def _by_pattern(group: Alike) -> Sequence[Alike]:
    """The rows whose texts have the same patterns, and bytes the same lengths; none where a text is no plain
    one.
    """
    patterns: list[list[Any] | None] = []
    for at, part in enumerate(group.rows[0]):
        if type(part) is str:
            patterns.append(zeros_of([row[at] for row in group.rows]))
        elif type(part) is bytes:
            patterns.append([len(row[at]) for row in group.rows])
    if any(pattern is None for pattern in patterns):
        return ()
    if not patterns:
        return (group,)
    groups: dict[Any, Alike] = {}
    for key, place, row in zip(zip(*patterns), group.places, group.rows):
        same = groups.get(key)
        if same is None:
            same = groups[key] = Alike(group.form, [], [])
        same.places.append(place)
        same.rows.append(row)
    return tuple(groups.values())
