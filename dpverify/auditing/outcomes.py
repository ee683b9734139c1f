"""Outcomes: whatever a mechanism returns, raises, or never returns, as one row of finite numbers.

Each run is first made plain, by itself and at once, for a later call may write into the same array: the
numbers in its output in order (a text counts as its hash and the numbers written in it, long words and long
texts without numbers also as their letters, bytes as theirs; of a dict, the numbers in its keys, too; of an
object, its attributes; of an exception, what caused it), the structure around them (types, precisions and
lengths; of a text, where its digits are; of a dict, the order of its keys), and what is left of numbers that
no float64 holds. The columns are then

    numbers      as many as the longest output of the first chunk has; not finite or missing: 0
    structure    0 if it is that of the first output, else its hash (lengths, keys, an exception, a time-out)
    size         how many numbers more or fewer than the first output has
    beyond       the sum of the numbers for which there is no column
    not finite   1 for NaN, 2 for inf, 3 for -inf, 4 and more for a NaN that holds other bits than the usual
    one, one column for each number that ever was one
    low bits     of a whole number beyond 2^53 the lowest 32 bits, and how far it is from its float64, two
    columns for each number that ever was one
    keyed        of dicts whose keys vary, sums of the numbers at keys that share a slot (by their hash), and
    of their places

where all but the numbers come into being, on the right, when one of them is first other than 0. Every column
is a function of one output that was fixed before it was drawn (those of the first chunk, which nobody bets
on, fix the width), so that what is learned on them is as valid as on the outputs themselves.
"""

from __future__ import annotations

import datetime
import math
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice
from os import PathLike, fspath
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

EXACT = 2**53  # whole numbers up to here are float64s
FAR = 1e75  # beyond, numbers grow as their logarithm: fourth powers stay finite, and the order stays
MOST = 64  # columns for numbers that were not finite, and for low bits
SLOTS = 32  # columns for the numbers of dicts whose keys vary, and as many for the places of the keys


class Raised(NamedTuple):
    """The outcome of a run that raised, with what the exception holds beside its message."""

    kind: str
    message: str
    held: Any = None


def raised(error: BaseException) -> Raised:
    """The outcome of a run that raised this, because of another perhaps.

    >>> raised(KeyError("age")), raised(ValueError(3)).held
    (Raised(kind='KeyError', message="'age'", held=None), {'args': [3]})
    """
    rest = [part for part in error.args if not isinstance(part, str)]  # texts stand in the message
    held = {"args": rest, **vars(error)} if rest or vars(error) else {}
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        held["because of"] = cause
    return Raised(type(error).__name__, str(error), held or None)


LATE = Raised("out of time", "")  # the outcome of a run that took longer than its budget


class Plain(NamedTuple):
    """Outcomes made plain: (runs, width) numbers, padded with 0; how many there are; the structure, below 0
    for a run that raised; low bits; numbers by the slots of their keys, and which slots these are.
    """

    numbers: np.ndarray
    sizes: np.ndarray
    shapes: np.ndarray
    low_bits: np.ndarray
    keyed: np.ndarray
    slots: np.ndarray

    def first(self, runs: int) -> Plain:
        """The first runs of them."""
        rows = {name: part[:runs] for name, part in zip(self._fields, self) if name != "slots"}
        return self._replace(**rows)

    def at_slots(self, slots: np.ndarray) -> np.ndarray:
        """The numbers at those slots: 0 where no key has one of them."""
        if np.array_equal(slots, self.slots):
            return self.keyed
        keyed = np.zeros((self.runs, len(slots)))
        there = np.isin(slots, self.slots)
        keyed[:, there] = self.keyed[:, np.searchsorted(self.slots, slots[there])]
        return keyed

    @property
    def runs(self) -> int:
        return len(self.sizes)

    @property
    def raised(self) -> int:
        """How many runs raised, or were out of time."""
        return int((self.shapes < 0).sum())


def code(text: str | bytes) -> int:
    """A whole number in [1, 2^32] that stands for a text, the same in every process.

    >>> code("yes") == code("yes") != code("no")
    True
    """
    return 1 + zlib.crc32(_bytes(text) if isinstance(text, str) else text)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


_structure_code = lru_cache(maxsize=1024)(code)


class NotAnOutcome(TypeError):
    """The mechanism returned something that cannot be scored."""


def _array(value: Any) -> Any:
    """A numpy array of what looks like one (torch, JAX, pandas, sparse matrices), or the value itself."""
    for convert in ("detach", "cpu", "to_dense", "toarray"):  # torch: out of the graph, off the device; scipy
        if hasattr(value, convert) and not isinstance(value, np.ndarray):
            value = getattr(value, convert)()
    if not (hasattr(value, "__array__") or hasattr(value, "__array_interface__")):
        return value
    try:
        return np.asarray(value)
    except TypeError:  # torch's bfloat16, which numpy lacks
        return np.asarray(value.float())


NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")  # of an object in memory: it says nothing of the data
WRITTEN = 1024  # numbers in a text, or its letters, at most
LONG = 8  # letters of which a text is taken apart: what is shorter has few values
DIGITS = 15  # of a number that float64 holds, however it is written
WORD = re.compile(rf"\w{{{LONG},}}")
DIGIT = re.compile(r"\d")
ZEROS = bytes.maketrans(b"123456789", b"000000000")
SHORT = 256  # bytes of a text whose pattern is kept for the next one
ENDLESS = 100_000  # parts of an iterator that are looked at, at most


def _without_addresses(text: str) -> str:
    return ADDRESS.sub("at 0x", text) if " at 0x" in text else text


def _text(text: str, numbers: list[float], beside: Any = None) -> str:
    """Append the hash of a text and the numbers written in it, or, of a long one without numbers (or with one
    that no float64 holds, or of one word of letters and digits, as keys are), its letters; of one with
    numbers, the letters of its long words. Its structure is where its digits are.

    >>> numbers = []
    >>> _text("mean=3.25 of 10", numbers), numbers[1:]
    ('text mean=0.00 of 00', [3.25, 10.0])
    >>> _text("9f3e41c2", [])
    'text of 8 letters'
    """
    text = _without_addresses(text)
    content = _bytes(text)
    zeros = content.translate(ZEROS) if text.isascii() else _bytes(DIGIT.sub("0", text))
    pattern = (_short_pattern if len(zeros) <= SHORT else _pattern)(zeros)
    numbers.append(float(code(content)))
    if pattern.letters or (
        pattern.long and not all(_held_by_float(text[start:end]) for start, end in pattern.numbers)
    ):
        numbers.extend(map(float, map(ord, text[:WRITTEN])))
        return f"text of {len(text)} letters"
    for start, end in pattern.numbers:
        numbers.append(float(text[start:end]))
    for start, end in pattern.words:
        numbers.extend(map(float, map(ord, text[start:end])))
    return pattern.structure


class Pattern(NamedTuple):
    """What a text tells by where its digits are: its structure, where its numbers and its long words are,
    whether it is taken apart into letters, and whether a number may be too long for a float64.
    """

    structure: str
    numbers: list[tuple[int, int]]
    words: list[tuple[int, int]]
    letters: bool
    long: bool


def _pattern(zeros: bytes) -> Pattern:
    text = zeros.decode(errors="surrogatepass")
    numbers = [number.span() for number in NUMBER.finditer(text)]
    if len(text) < LONG:
        return Pattern(f"text {text}", numbers, [], False, False)
    key = text.isalnum() and not text.isdigit()
    words = [word.span() for word in WORD.finditer(text[:WRITTEN])]  # a name that was drawn, perhaps
    long = any(end - start > DIGITS for start, end in numbers)
    return Pattern(f"text {text}", numbers[:WRITTEN], words, key or not numbers, long)


_short_pattern = lru_cache(maxsize=4096)(_pattern)


def _held_by_float(number: str) -> bool:
    """Whether a float64 holds the number that is written.

    >>> [_held_by_float(number) for number in ("3.25", "0.30000000000000004", "0.300000000000000041")]
    [True, True, False]
    """
    return len(number) <= DIGITS or repr(float(number)) == number


@lru_cache(maxsize=256)
def _kind(dtype: np.dtype) -> str:
    """The name of a type of numbers, with its order of bytes if that is unusual; none for float64."""
    name = {"float64": "", "int64": "int"}.get(dtype.name, dtype.name)
    return name if dtype.isnative else f"{name}{dtype.byteorder}"


def _moment(value: Any) -> int | None:
    """The microseconds of a time; None if it is none."""
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.datetime):
        naive = value.replace(tzinfo=None)
        return (naive - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    if isinstance(value, datetime.date):
        return value.toordinal()
    if isinstance(value, datetime.time):
        return 10**6 * (60 * (60 * value.hour + value.minute) + value.second) + value.microsecond
    return None


class Beside(NamedTuple):
    """What is noted of an output beside its numbers: low bits of large whole ones, by place; of dicts, sums
    of the numbers at the keys of each slot, and of the places of the keys.
    """

    low_bits: dict[int, float]
    keyed: dict[int, float]


@lru_cache(maxsize=4096)
def _slot(key: str, place: int) -> int:
    return code(f"{key} {place}") % SLOTS


def _leaves(value: Any, numbers: list[float], beside: Beside) -> str:
    """Append the numbers of a value, note what is beside them, and return its structure."""
    quick = COMMON.get(type(value))
    if quick is not None:
        return quick(value, numbers, beside)
    if isinstance(value, bool | np.bool_ | float | np.floating):
        numbers.append(float(value))
        if isinstance(value, np.longdouble) and value.itemsize > 8:
            with np.errstate(invalid="ignore"):
                numbers.append(float(value - np.longdouble(float(value))))
        if isinstance(value, np.generic):
            return _kind(value.dtype)
        return type(value).__name__ + _attributes(value, numbers, beside)
    if isinstance(value, int | np.integer) and not isinstance(value, Enum):
        kind = _whole_leaf(int(value), numbers, beside)
        if isinstance(value, np.integer):
            return _kind(value.dtype)
        return kind + type(value).__name__ + _attributes(value, numbers, beside)
    if isinstance(value, Enum | str | PathLike | UUID):
        text = fspath(value) if isinstance(value, PathLike) else str(value)
        return type(value).__name__ + _leaves(text, numbers, beside) + _attributes(value, numbers, beside)
    if isinstance(value, bytes | bytearray | memoryview):
        content = bytes(value)
        numbers.append(float(code(content)))
        numbers.extend(map(float, content[:WRITTEN]))
        return f"{len(content)} {type(value).__name__}"
    if (moment := _moment(value)) is not None:
        _leaves(moment, numbers, beside)
        return _name(value)
    if isinstance(value, Decimal):
        numbers.append(math.nan if value.is_nan() else float(value))
        with localcontext(prec=60):
            finite = math.isfinite(numbers[-1])
            numbers.append(float(value - Decimal(numbers[-1])) if finite else 0.0)
        return f"decimal {value if value.is_nan() else value.as_tuple().exponent}"
    if isinstance(value, Fraction):
        _leaves([value.numerator, value.denominator], numbers, beside)
        numbers.append(numbers[-2] / numbers[-1])
        return "fraction"
    if isinstance(value, BaseException):
        return _leaves(raised(value), numbers, beside)
    if isinstance(value, Raised):
        _text(value.message, numbers)
        return f"raised {value.kind}" + _held(value.held, numbers, beside)
    if isinstance(value, complex | np.complexfloating):
        numbers.extend((float(value.real), float(value.imag)))
        return type(value).__name__
    if isinstance(value, Mapping):
        inner = _mapping_leaves(value, numbers, beside)
        return _name(value) + inner + _attributes(value, numbers, beside)
    if isinstance(value, set | frozenset):
        return type(value).__name__ + _leaves(sorted(value, key=repr), numbers, beside)
    if isinstance(value, range | slice):
        return type(value).__name__ + _leaves([value.start, value.stop, value.step], numbers, beside)
    if isinstance(value, list | tuple):
        inner = _sequence_leaves(value, numbers, beside)
        return _name(value) + inner + _attributes(value, numbers, beside)
    if isinstance(value, np.ma.MaskedArray):
        parts = [np.ma.getdata(value), np.ma.getmaskarray(value), value.fill_value]
        return "masked" + _leaves(parts, numbers, beside)
    if callable(getattr(value, "state_dict", None)):  # a torch module or optimizer: all that it holds
        return type(value).__name__ + _leaves(value.state_dict(), numbers, beside)
    array = _array(value)
    if isinstance(array, np.ndarray):
        return (
            _stored(value, numbers) + _array_leaves(array, numbers, beside) + _labels(value, numbers, beside)
        )
    if hasattr(value, "__dataclass_fields__"):
        fields = {name: getattr(value, name) for name in value.__dataclass_fields__}
        return type(value).__name__ + _leaves({**fields, **getattr(value, "__dict__", {})}, numbers, beside)
    if isinstance(value, Iterable):
        return _name(value) + _leaves(_gone_through(value), numbers, beside)
    try:
        numbers.append(float(value))
    except (TypeError, ValueError):
        raise NotAnOutcome(
            f"returned an object of type {type(value).__name__}; expected numbers, texts, None, and tuples, "
            "lists, dicts or arrays of them"
        ) from None
    return type(value).__name__ + _attributes(value, numbers, beside)


def _whole_leaf(whole: int, numbers: list[float], beside: Beside) -> str:
    if -EXACT <= whole <= EXACT:
        numbers.append(float(whole))
    else:
        beside.low_bits[2 * len(numbers)] = whole & 0xFFFFFFFF
        beside.low_bits[2 * len(numbers) + 1] = _size(whole - _nearest(whole))
        numbers.append(_size(whole))
    return "int"


def _gone_through(parts: Iterable[Any]) -> list[Any]:
    """The parts of a generator and the like, evaluated now; if it breaks off, those before, and why."""
    found: list[Any] = []
    try:
        found.extend(islice(parts, ENDLESS))
    except Exception as error:
        found.append(error)
    return found


SETTINGS = ("_fields", "maxlen", "default_factory", "typecode", "tzinfo", "fold")  # of the usual containers


def _name(value: Any) -> str:
    """The name of a kind of container or time, and how it is set."""
    settings = [f"{getattr(value, name)}" for name in SETTINGS if hasattr(value, name)]
    return _without_addresses(" ".join([type(value).__name__, *settings]))


def _attributes(value: Any, numbers: list[float], beside: Beside) -> str:
    """The attributes of an object of a kind of its own, where they can be scored."""
    held = getattr(value, "__dict__", None)
    return "" if isinstance(value, Enum) else _held(held, numbers, beside)


LABELS = ("index", "columns", "name", "attrs")  # what tables have beside their numbers


def _labels(value: Any, numbers: list[float], beside: Beside) -> str:
    """What stands beside an array: the labels of a table, the attributes of an array of a kind of its own."""
    if type(value) is np.ndarray:
        return ""
    if isinstance(value, np.ndarray):
        return type(value).__name__ + _attributes(value, numbers, beside)
    there = {name: getattr(value, name, None) for name in LABELS}
    labels = {name: part for name, part in there.items() if part is not None and not callable(part)}
    return _held(labels, numbers, beside)


def _nearest(whole: int) -> int:
    """The nearest whole number of 53 bits and as many zeros as it takes."""
    zeros = max(whole.bit_length() - 53, 0)
    return (whole + (1 << zeros >> 1)) >> zeros << zeros


def _size(whole: int) -> float:
    """A whole number as a float64; one that is beyond them grows as its logarithm (see `_tame`).

    >>> _size(2**60), _size(-(2**2000)) == _size(-(2**2000) + 1) < _size(-(2**1999)) < 0
    (1.152921504606847e+18, True)
    """
    if abs(whole) < 2**1000:
        return float(whole)
    return math.copysign(FAR * (1 + math.log(abs(whole)) - math.log(FAR)), 1 if whole > 0 else -1)


def _held(held: Mapping[str, Any] | None, numbers: list[float], beside: Beside) -> str:
    """What an exception or another object holds beside what it is, part by part, where that can be scored."""
    inner = []
    for name, part in (held or {}).items():
        there = len(numbers)
        try:
            inner.append(f"{name}:{_leaves(part, numbers, beside)}")
        except NotAnOutcome:
            del numbers[there:]
    return f"({','.join(inner)})" if inner else ""


def _stored(value: Any, numbers: list[float]) -> str:
    """Of a sparse matrix: how many zeros it stores, and where the first of them is."""
    if not callable(getattr(value, "tocoo", None)):
        return ""
    entries = value.tocoo()
    zeros = np.flatnonzero(entries.data == 0)
    first = (
        float(np.ravel_multi_index([int(axis[zeros[0]]) for axis in entries.coords], value.shape))
        if len(zeros)
        else -1.0
    )
    numbers.extend((float(len(zeros)), first))
    return type(value).__name__


FLOATS = {float}


def _sequence_leaves(value: Sequence[Any], numbers: list[float], beside: Beside) -> str:
    if set(map(type, value)) == FLOATS:
        numbers.extend(value)
        return f"{type(value).__name__}[{',' * (len(value) - 1)}]"
    return f"{type(value).__name__}[" + ",".join([_leaves(part, numbers, beside) for part in value]) + "]"


class Keys(NamedTuple):
    """What the keys of a dict tell: their structure, in their order; for each, sorted, how it is written, the
    numbers in it (of a text) or what else is in it, and the slot of the first number at it; and where they
    stand, by their slots.
    """

    structure: str
    each: list[tuple[Any, str, list[float], Any, int]]
    places: dict[int, float]


def _keys_of(keys: Sequence[Any]) -> Keys:
    names = [_without_addresses(repr(key)) for key in keys]
    each = []
    for name, key in sorted(zip(names, keys), key=lambda pair: pair[0]):
        written = list(map(float, NUMBER.findall(key)[:WRITTEN])) if isinstance(key, str) else []
        telling = key if isinstance(key, int | float | tuple | np.generic) else None
        each.append((key, name, written, telling, _slot(name, 0)))
    places: dict[int, float] = {}
    for place, name in enumerate(names):
        slot = SLOTS + _slot(name, 0)
        places[slot] = places.get(slot, 0.0) + place
    return Keys("{" + ",".join(names) + "}", each, places)


_keys_of_texts = lru_cache(maxsize=1024)(_keys_of)  # equal texts are the same, which 1 and 1.0 are not
TEXTS = {str}


def _mapping_leaves(value: Mapping[Any, Any], numbers: list[float], beside: Beside) -> str:
    names = tuple(value)
    keys = (_keys_of_texts if set(map(type, names)) == TEXTS else _keys_of)(names)
    keyed: dict[int, float] = beside.keyed
    inner: list[str] = []
    if keyed:
        for slot, place in keys.places.items():
            keyed[slot] = keyed.get(slot, 0.0) + place
    else:
        keyed.update(keys.places)
    isfinite = math.isfinite
    for key, name, written, telling, slot in keys.each:
        if written:
            numbers.extend(written)
        if telling is not None:
            _leaves(telling, numbers, beside)
        first = len(numbers)
        part = value[key]
        inner.append(COMMON.get(type(part), _leaves)(part, numbers, beside))
        if len(numbers) > first:
            number = numbers[first]
            keyed[slot] = keyed.get(slot, 0.0) + (number if isfinite(number) else 0.0)
        for place in range(first + 1, len(numbers)):
            number, at = numbers[place], _slot(name, place - first)
            keyed[at] = keyed.get(at, 0.0) + (number if isfinite(number) else 0.0)
    return keys.structure + ",".join(inner)  # keys in their order, which is seen, too


def _float_leaf(value: float, numbers: list[float], beside: Beside) -> str:
    numbers.append(value)
    return ""


def _bool_leaf(value: bool, numbers: list[float], beside: Beside) -> str:
    numbers.append(float(value))
    return "bool"


def _none_leaf(value: None, numbers: list[float], beside: Beside) -> str:
    return "None"


# the types that most outputs are made of, which need not be looked for
COMMON: dict[type, Callable[[Any, list[float], Beside], str]] = {
    float: _float_leaf,
    int: _whole_leaf,
    bool: _bool_leaf,
    str: _text,
    type(None): _none_leaf,
    list: _sequence_leaves,
    tuple: _sequence_leaves,
    dict: _mapping_leaves,
}


def _array_leaves(array: np.ndarray, numbers: list[float], beside: Beside) -> str:
    if array.dtype.names:  # a structured array
        return _leaves({name: array[name] for name in array.dtype.names}, numbers, beside)
    kind = _kind(array.dtype)
    if array.dtype.kind in "mM":
        array = array.astype("int64")
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    if array.dtype.kind in "OSU":
        parts = [_leaves(part, numbers, beside) for part in array.ravel().tolist()]
        width = "" if array.dtype.kind == "O" else array.dtype.str  # the longest text that it has room for
        return f"array{array.shape}{width}" + ("," + ",".join(parts) if any(parts) else "")
    if not _holds(array):
        for part in array.ravel().tolist():
            _leaves(part, numbers, beside)
    else:
        numbers.extend(array.ravel().astype(float).tolist())
    return f"array{array.shape}{kind}" if array.ndim else kind


class Settled(NamedTuple):
    """An outcome that was taken apart: its numbers, its structure, and what is beside them."""

    numbers: list[float]
    shape: int
    beside: Beside


def _apart(output: Any) -> Settled:
    numbers: list[float] = []
    beside = Beside({}, {})
    try:
        shape = _structure_code(_leaves(output, numbers, beside))
    except RecursionError:
        raise NotAnOutcome("returned an object that contains itself, or is nested too deeply") from None
    return Settled(numbers, -shape if isinstance(output, Raised) else shape, beside)


def settled(output: Any) -> Any:
    """The outcome as it is now, whatever the mechanism does with it later: a number is itself, an array is
    copied, anything else is taken apart.

    >>> written = [1.0, 2.0]
    >>> kept = settled(written)
    >>> written[0] = 5.0
    >>> kept.numbers
    [1.0, 2.0]
    """
    kind = type(output)
    if kind in SCALARS:
        return output
    return output.copy() if kind is np.ndarray and output.dtype.kind != "O" else _apart(output)


def plain(outputs: Sequence[Any]) -> Plain:
    """The outputs of single runs, made plain.

    >>> plain([1.5, [1.0, 2.0]]).sizes.tolist()
    [1, 2]
    """
    quick = _numbers_alone(outputs)
    if quick is not None:
        return quick
    apart = [output if isinstance(output, Settled) else _apart(output) for output in outputs]
    rows, beside = [part.numbers for part in apart], [part.beside for part in apart]
    sizes = np.array([len(row) for row in rows])
    width = int(sizes.max(initial=0))
    if (sizes == width).all():
        matrix = np.array(rows, dtype=float).reshape(len(rows), width)
    else:
        matrix = np.zeros((len(rows), width))
        for i, numbers in enumerate(rows):
            matrix[i, : len(numbers)] = numbers
    shapes = np.array([part.shape for part in apart], dtype=int)
    low_bits = [noted.low_bits for noted in beside]
    keyed = [noted.keyed for noted in beside]
    slots = sorted(set().union(*keyed))
    at = {slot: column for column, slot in enumerate(slots)}
    return Plain(
        matrix,
        sizes,
        shapes,
        _scattered(low_bits, 2 * width if any(low_bits) else 0),
        _scattered([{at[slot]: number for slot, number in row.items()} for row in keyed], len(slots)),
        np.array(slots, dtype=int),
    )


def _scattered(rows: list[dict[int, float]], width: int) -> np.ndarray:
    """A matrix with these entries, and zeros elsewhere."""
    matrix = np.zeros((len(rows), width))
    if not width:
        return matrix
    places = list(rows[0])
    if all(map(places.__eq__, map(list, rows))):  # all have them at the same places
        matrix[:, places] = np.fromiter(chain.from_iterable(map(dict.values, rows)), float).reshape(
            -1, len(places)
        )
        return matrix
    for i, row in enumerate(rows):
        for column, number in row.items():
            matrix[i, column] = number
    return matrix


ALIKE = ({float, np.float64}, {int, np.int64}, {bool, np.bool_})  # types that mean the same
SCALARS = frozenset().union(*ALIKE)


def _numbers_alone(outputs: Sequence[Any]) -> Plain | None:
    """The plain form of outputs that are all numbers, or arrays of numbers of one shape: the fast way."""
    kinds = set(map(type, outputs))
    if any(kinds <= alike for alike in ALIKE) or (
        kinds == {np.ndarray} and len({(output.shape, output.dtype) for output in outputs}) == 1
    ):
        array = np.array(outputs)
    else:
        return None
    return _matrix(array) if _holds(array) else None


def _holds(array: np.ndarray) -> bool:
    """Whether float64 holds every number of the array."""
    if array.dtype.kind in "iu":
        return array.size == 0 or bool(array.max() <= EXACT and array.min() >= -EXACT)
    return array.dtype.kind in "fb" and array.dtype.itemsize <= 8


@lru_cache(maxsize=256)
def _shape_code(shape: tuple[int, ...], dtype: np.dtype) -> int:
    return code(f"array{shape}{_kind(dtype)}" if shape else _kind(dtype))


def _matrix(array: np.ndarray) -> Plain:
    """The plain form of an array of numbers with one row per run."""
    n = len(array)
    matrix = array.reshape(n, -1).astype(float)
    shape = _shape_code(array.shape[1:], array.dtype)
    nothing = np.zeros((n, 0))
    return Plain(
        matrix, np.full(n, matrix.shape[1]), np.full(n, shape), nothing, nothing, np.zeros(0, dtype=int)
    )


def plain_batch(output: Any, runs: int) -> Plain:
    """The output of one batched call: an array with one row per run, a list of outputs, or a tuple or dict of
    such.

    >>> plain_batch({"a": np.zeros((3, 2)), "b": np.ones(3)}, 3).numbers.tolist()[0]
    [0.0, 0.0, 1.0]
    """
    array = _array(output)
    regular = isinstance(array, np.ndarray) and array.ndim and len(array) == runs and _holds(array)
    if regular and not isinstance(output, np.ma.MaskedArray):
        return _matrix(array)
    if isinstance(output, Mapping):
        names = list(output)
        parts = [_rows(output[name], runs) for name in names]
        return plain([dict(zip(names, row)) for row in zip(*parts)])
    if isinstance(output, tuple):
        return plain(list(zip(*(_rows(part, runs) for part in output))))
    return plain(_rows(output, runs))


def _rows(part: Any, runs: int) -> list[Any]:
    array = _array(part)
    found = (
        np.shape(array) if isinstance(array, np.ndarray) else (len(part),) if hasattr(part, "__len__") else ()
    )
    if not found or found[0] != runs:
        raise NotAnOutcome(f"returned shape {found}; expected {runs} runs on the first axis")
    return list(part if isinstance(part, np.ma.MaskedArray) else array)


Column = Callable[[Plain], np.ndarray]


@dataclass
class Layout:
    """The columns so far: `matrices` turns the next chunk of both sides into numbers, and may add columns.

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
            self.width = max(x.numbers.shape[1], y.numbers.shape[1])
            self.size, self.shape = int(x.sizes[0]), int(x.shapes[0])
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
            and _near(side.numbers)
        )

    def _new(self, side: Plain) -> list[tuple[str, int]]:
        """The columns that this side needs and that are not there yet."""
        assert self.width is not None
        there = set(self.columns)
        wanted = [(kind, -1) for kind in ("structure", "size", "beyond")]
        broken = np.flatnonzero((~np.isfinite(side.numbers[:, : self.width])).any(axis=0)).tolist()
        long = np.flatnonzero(side.low_bits[:, : 2 * self.width].any(axis=0)).tolist()
        varies = ("structure", -1) in there or (side.shapes != self.shape).any()
        slots = side.slots[side.keyed.any(axis=0)].tolist() if varies else []
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
        if kind == "beyond":
            rest = side.numbers[:, self.width :]
            return _tame(np.where(np.isfinite(rest), rest, 0.0).sum(axis=1))
        known = [at for other, at in self.columns if other == kind and at >= 0]
        if kind == "not finite":
            codes = np.select(
                [np.isnan(side.numbers), side.numbers == np.inf, side.numbers == -np.inf],
                [_nan_codes(side.numbers), 2.0, 3.0],
                0.0,
            )
        else:
            codes = side.low_bits if kind == "low bits" else _tame(side.at_slots(np.arange(2 * SLOTS)))
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
        return np.column_stack([_tame(numbers), *extra]) if extra else _tame(numbers)


USUAL = int(np.array([math.nan]).view(np.int64)[0])


def _nan_codes(values: np.ndarray) -> np.ndarray:
    """1 for the usual NaN; for others, which look alike in print, 4 and the sign and the fraction they hold.

    >>> _nan_codes(np.array([USUAL, USUAL + 3]).view(float)).tolist()
    [1.0, 7.0]
    """
    bits = np.ascontiguousarray(values).view(np.int64)
    return np.where(bits == USUAL, 1.0, 4.0 + (bits & (2**51 - 1)) + 2.0**51 * (bits < 0))


def _near(values: np.ndarray) -> bool:
    """Whether no number is beyond FAR; NaN is not."""
    return bool(values.size == 0 or (values.max() <= FAR and values.min() >= -FAR))


def _tame(values: np.ndarray) -> np.ndarray:
    """The same numbers, but those beyond FAR grow as their logarithm."""
    if _near(values):
        return values
    size = np.abs(values)
    with np.errstate(divide="ignore"):
        return np.where(
            size <= FAR, values, np.sign(values) * FAR * (1 + np.log(np.maximum(size, FAR) / FAR))
        )
