"""Whatever a mechanism returns or raises, taken apart: its numbers in order, the structure around them, and
what is beside them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from enum import Enum
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from os import PathLike, fspath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from dpverify.auditing.floats import EXACT, holds, kind_of, nearest, size_of
from dpverify.auditing.texts import NUMBER, SLOTS, WRITTEN, code, text_leaves, without_addresses

ENDLESS = 100_000  # parts of an iterator that are looked at, at most
LIMBS = 16  # pieces of 32 bits, of a whole number beyond 2^53, that are looked at
NOTED = LIMBS + 1  # numbers noted of such a one: its pieces, and how far it is from its float64


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


class NotAnOutcome(TypeError):
    """The mechanism returned something that cannot be scored."""


def part_of(value: Any, name: str) -> Any:
    """An attribute, or None where there is none, whatever its object raises then.

    >>> part_of(1j, "real"), part_of(1j, "absent")
    (0.0, None)
    """
    try:
        return getattr(value, name, None)
    except Exception:  # of a dict, say, that looks for attributes among its keys
        return None


def as_array(value: Any) -> Any:
    """A numpy array of what looks like one (torch, JAX, pandas, sparse matrices), or the value itself."""
    if callable(part_of(value, "toarray")):  # scipy
        value = value.toarray()
    if not (callable(part_of(value, "__array__")) or part_of(value, "__array_interface__") is not None):
        return value
    for convert in ("detach", "cpu", "to_dense"):  # torch: out of the graph, off the device
        if callable(part_of(value, convert)) and not isinstance(value, np.ndarray):
            value = getattr(value, convert)()
    try:
        return np.asarray(value)
    except TypeError:  # torch's bfloat16, which numpy lacks
        return np.asarray(value.float())


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
    """What is noted of an output beside its numbers: bits of large whole ones, by place; and, by slot, of
    dicts sums of the numbers at keys, and of the places of the keys, of texts how often words are there. And
    the objects that are being taken apart, which one inside may hold again.
    """

    low_bits: dict[int, float]
    keyed: dict[int, float]
    open: list[Any]


def nothing_beside() -> Beside:
    """Nothing is noted yet.

    >>> numbers = []
    >>> leaves({"mean": 2.5}, numbers, nothing_beside()), numbers
    ("{'mean'}", [2.5])
    """
    return Beside({}, {}, [])


@lru_cache(maxsize=4096)
def _slot(key: str, place: int) -> int:
    return code(f"{key} {place}") % SLOTS


def leaves(value: Any, numbers: list[float], beside: Beside) -> str:
    """Append the numbers of a value, note what is beside them, and return its structure."""
    quick = COMMON.get(type(value))
    if quick is not None:
        return quick(value, numbers, beside)
    if any(value is one for one in beside.open):
        return "itself"
    beside.open.append(value)
    try:
        return _leaves(value, numbers, beside)
    finally:
        beside.open.pop()


def _leaves(value: Any, numbers: list[float], beside: Beside) -> str:
    if isinstance(value, bool | np.bool_ | float | np.floating):
        numbers.append(float(value))
        if isinstance(value, np.longdouble) and value.itemsize > 8:
            with np.errstate(invalid="ignore"):
                numbers.append(float(value - np.longdouble(float(value))))
        if isinstance(value, np.generic):
            return kind_of(value.dtype)
        return type(value).__name__ + _attributes(value, numbers, beside)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return leaves(np.asarray(value), numbers, beside)
    if isinstance(value, int | np.integer) and not isinstance(value, Enum):
        kind = _whole_leaf(int(value), numbers, beside)
        if isinstance(value, np.integer):
            return kind_of(value.dtype)
        return kind + type(value).__name__ + _attributes(value, numbers, beside)
    if isinstance(value, Enum | str | PathLike | UUID):
        text = fspath(value) if isinstance(value, PathLike) else str(value)
        return type(value).__name__ + leaves(text, numbers, beside) + _attributes(value, numbers, beside)
    if isinstance(value, bytes | bytearray | memoryview):
        content = bytes(value)
        numbers.append(float(code(content)))
        numbers.extend(map(float, content[:WRITTEN]))
        return f"{len(content)} {type(value).__name__}" + _attributes(value, numbers, beside)
    if (moment := _moment(value)) is not None:
        leaves(moment, numbers, beside)
        return _name(value) + _attributes(value, numbers, beside)
    if isinstance(value, Decimal):
        numbers.append(math.nan if value.is_nan() else float(value))
        with localcontext(prec=60):
            finite = math.isfinite(numbers[-1])
            numbers.append(float(value - Decimal(numbers[-1])) if finite else 0.0)
        return f"decimal {value if value.is_nan() else value.as_tuple().exponent}"
    if isinstance(value, Fraction):
        leaves([value.numerator, value.denominator], numbers, beside)
        numbers.append(numbers[-2] / numbers[-1])
        return "fraction"
    if isinstance(value, BaseException):
        return leaves(raised(value), numbers, beside)
    if isinstance(value, Raised):
        text_leaves(value.message, numbers, beside)
        return f"raised {value.kind}" + _held(value.held, numbers, beside)
    if isinstance(value, complex | np.complexfloating):
        numbers.extend((float(value.real), float(value.imag)))
        return type(value).__name__ + _attributes(value, numbers, beside)
    if isinstance(value, Mapping):
        inner = _mapping_leaves(value, numbers, beside)
        return _name(value) + inner + _attributes(value, numbers, beside)
    if isinstance(value, set | frozenset):
        inner = leaves(sorted(value, key=repr), numbers, beside)
        return type(value).__name__ + inner + _attributes(value, numbers, beside)
    if isinstance(value, range | slice):
        return type(value).__name__ + leaves([value.start, value.stop, value.step], numbers, beside)
    if isinstance(value, list | tuple):
        inner = _sequence_leaves(value, numbers, beside)
        return _name(value) + inner + _attributes(value, numbers, beside)
    if isinstance(value, np.ma.MaskedArray):
        parts = [np.ma.getdata(value), np.ma.getmaskarray(value), value.fill_value]
        return "masked" + leaves(parts, numbers, beside)
    if callable(part_of(value, "getvalue")):  # a file in memory, wherever it stands
        return type(value).__name__ + leaves([value.getvalue(), value.tell()], numbers, beside)
    if isinstance(value, type | BuiltinFunctionType) or value is ... or value is NotImplemented:
        return without_addresses(repr(value))
    if isinstance(value, FunctionType | MethodType | partial):
        return _function_leaves(value, numbers, beside)
    if callable(part_of(value, "state_dict")):  # a torch module or optimizer: all that it holds
        return type(value).__name__ + leaves(value.state_dict(), numbers, beside)
    array = as_array(value)
    if isinstance(array, np.ndarray):
        return (
            _stored(value, numbers) + _array_leaves(array, numbers, beside) + _labels(value, numbers, beside)
        )
    if isinstance(part_of(value, "__dataclass_fields__"), dict):
        fields = {name: getattr(value, name) for name in value.__dataclass_fields__}
        return type(value).__name__ + leaves({**fields, **getattr(value, "__dict__", {})}, numbers, beside)
    if isinstance(value, Iterable):
        inner = leaves(_gone_through(value), numbers, beside)
        return _name(value) + inner + _attributes(value, numbers, beside)
    try:
        numbers.append(float(value))
    except (TypeError, ValueError):
        held = _fields(value)
        if held and not isinstance(value, ModuleType):
            return type(value).__name__ + leaves(held, numbers, beside)
        raise NotAnOutcome(
            f"returned an object of type {type(value).__name__}; expected numbers, texts, None, and tuples, "
            "lists, dicts or arrays of them"
        ) from None
    return type(value).__name__ + _attributes(value, numbers, beside)


def _whole_leaf(whole: int, numbers: list[float], beside: Beside) -> str:
    if -EXACT <= whole <= EXACT:
        numbers.append(float(whole))
    else:
        first, rest = NOTED * len(numbers), abs(whole)
        for limb in range(min(LIMBS, -(-rest.bit_length() // 32))):
            beside.low_bits[first + limb] = (rest >> 32 * limb) & 0xFFFFFFFF
        beside.low_bits[first + LIMBS] = size_of(whole - nearest(whole))
        numbers.append(size_of(whole))
    return "int"


def _function_leaves(value: Any, numbers: list[float], beside: Beside) -> str:
    """A function that is returned, by what it holds: the variables it was made with, its defaults, or whose
    method it is.
    """
    of = value.func if isinstance(value, partial) else getattr(value, "__func__", value)
    held = {
        "arguments": [value.args, value.keywords] if isinstance(value, partial) else None,
        "self": part_of(value, "__self__"),
        "defaults": [part_of(of, "__defaults__"), part_of(of, "__kwdefaults__")],
        **{f"variable {i}": _content(cell) for i, cell in enumerate(part_of(of, "__closure__") or ())},
        **_fields(of),
    }
    return f"function {part_of(of, '__qualname__')}" + _held(held, numbers, beside)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet set
        return None


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
    settings = [f"{setting}" for name in SETTINGS if (setting := part_of(value, name)) is not None]
    return without_addresses(" ".join([type(value).__name__, *settings]))


def _attributes(value: Any, numbers: list[float], beside: Beside) -> str:
    """The attributes of an object of a kind of its own, where they can be scored."""
    return "" if isinstance(value, Enum) else _held(_fields(value), numbers, beside)


def _fields(value: Any) -> dict[str, Any]:
    """What an object holds, in its dict or in slots."""
    held = dict(part_of(value, "__dict__") or {})
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            stored = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") else name
            if name != "__weakref__" and (part := part_of(value, stored)) is not None:
                held[name] = part
    return held


LABELS = ("index", "columns", "name", "attrs")  # what tables have beside their numbers
# whose arrays and tables hold nothing beside that, but what they are made of
MADE_OF = frozenset(
    {"torch", "jax", "jaxlib", "pandas", "scipy", "tensorflow", "polars", "pyarrow", "xarray"}
)


def _labels(value: Any, numbers: list[float], beside: Beside) -> str:
    """What stands beside an array: the labels of a table, the attributes of an array of a kind of its own."""
    if type(value) is np.ndarray:
        return ""
    if isinstance(value, np.ndarray):
        return type(value).__name__ + _attributes(value, numbers, beside)
    there = {name: part_of(value, name) for name in LABELS}
    labels = {name: part for name, part in there.items() if part is not None and not callable(part)}
    own = {} if type(value).__module__.split(".")[0] in MADE_OF else _fields(value)
    return _held({**labels, **own}, numbers, beside)


def _held(held: Mapping[str, Any] | None, numbers: list[float], beside: Beside) -> str:
    """What an exception or another object holds beside what it is, part by part, where that can be scored."""
    inner = []
    for name, part in (held or {}).items():
        there = len(numbers)
        try:
            inner.append(f"{name}:{leaves(part, numbers, beside)}")
        except NotAnOutcome:
            del numbers[there:]
            inner.append(f"{name}:{type(part).__name__}")
    return f"({','.join(inner)})" if inner else ""


def _stored(value: Any, numbers: list[float]) -> str:
    """Of a sparse matrix: how many zeros it stores, and where the first of them is."""
    if not callable(part_of(value, "tocoo")):
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
    return f"{type(value).__name__}[" + ",".join([leaves(part, numbers, beside) for part in value]) + "]"


class Keys(NamedTuple):
    """What the keys of a dict tell: their structure, in their order; for each, sorted, how it is written, the
    numbers in it (of a text) or what else is in it, and the slot of the first number at it; and where they
    stand, by their slots.
    """

    structure: str
    each: list[tuple[Any, str, list[float], Any, int]]
    places: dict[int, float]


def _keys_of(keys: Sequence[Any]) -> Keys:
    names = [without_addresses(repr(key)) for key in keys]
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
            leaves(telling, numbers, beside)
        first = len(numbers)
        part = value[key]
        inner.append(COMMON.get(type(part), leaves)(part, numbers, beside))
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
    str: text_leaves,
    type(None): _none_leaf,
    list: _sequence_leaves,
    tuple: _sequence_leaves,
    dict: _mapping_leaves,
}


def _array_leaves(array: np.ndarray, numbers: list[float], beside: Beside) -> str:
    if array.dtype.names:  # a structured array
        return leaves({name: array[name] for name in array.dtype.names}, numbers, beside)
    kind = kind_of(array.dtype)
    if array.dtype.kind in "mM":
        array = array.astype("int64")
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    if array.dtype.kind in "OSU":
        parts = [leaves(part, numbers, beside) for part in array.ravel().tolist()]
        width = "" if array.dtype.kind == "O" else array.dtype.str  # the longest text that it has room for
        return f"array{array.shape}{width}" + ("," + ",".join(parts) if any(parts) else "")
    if not holds(array):
        for part in array.ravel().tolist():
            leaves(part, numbers, beside)
    else:
        numbers.extend(array.ravel().astype(float).tolist())
    return f"array{array.shape}{kind}" if array.ndim else kind
