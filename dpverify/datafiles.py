"""Records from a file: a CSV table with a header, or arrays of NumPy (.npz); one column, or array, may be
the target.
"""

from __future__ import annotations

import csv
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def read(path: str | Path, target: str | None = None) -> tuple[Array, Array | None]:
    """The features (records, columns) and, if a target is named, its values.

    An .npz file holds the features as its only other array, or as `X`, `features` or `data`.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"Expected data={str(path)!r} to be a file that exists.")
    kinds = {".npz": _arrays, ".csv": _table}
    if path.suffix.lower() not in kinds:
        raise ValueError(f"Expected data={str(path)!r} to end in .csv or .npz.")
    features, values = kinds[path.suffix.lower()](path, target)
    if values is not None and values.dtype.kind == "f" and not np.all(np.isfinite(values)):
        record = int(np.flatnonzero(~np.isfinite(values))[0])
        bad = values.flat[record]
        raise ValueError(
            f"Expected finite numbers in target={target!r} of {path}, got {bad} in record {record}."
        )
    return features, values


def _table(path: Path, target: str | None) -> tuple[Array, Array | None]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            header, *rows = [row for row in csv.reader(lines) if row] or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"Expected data={str(path)!r} to be a table in UTF-8: {error}.") from None
    if not rows:
        raise ValueError(f"Expected data={str(path)!r} with a header and at least one record.")
    if all(_is_number(name) for name in header):
        raise ValueError(f"Expected a header of names in line 1 of {path}, got {', '.join(header)}.")
    if len(header) == 1 and any(sign in header[0] for sign in ";\t"):
        raise ValueError(f"Expected commas between the columns of {path}, got {header[0]!r}.")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise ValueError(f"Expected {len(header)} fields in line {number} of {path}, got {len(row)}.")
    twice = [name for k, name in enumerate(header) if name in header[:k]]
    if twice:
        raise ValueError(f"Expected columns of different names in {path}, got {twice[0]!r} twice.")
    if target is not None and target not in header:
        raise ValueError(f"Expected target={target!r} among the columns {', '.join(header)} of {path}.")
    features = [
        [_number(row[k], header[k], number, path) for k in range(len(header)) if header[k] != target]
        for number, row in enumerate(rows, start=2)
    ]
    if not features[0]:
        raise ValueError(f"Expected data={str(path)!r} with a column besides target={target!r}.")
    if target is None:
        return np.array(features), None
    values = [row[header.index(target)] for row in rows]
    if not all(value.strip() for value in values):
        line = 2 + next(k for k, value in enumerate(values) if not value.strip())
        raise ValueError(f"Expected a value in column {target!r}, line {line} of {path}, got ''.")
    try:
        return np.array(features), np.array([float(value) for value in values])
    except ValueError:  # names of two classes
        return np.array(features), np.array(values)


def _number(text: str, column: str, line: int, path: Path) -> float:
    if not _is_number(text):
        raise ValueError(f"Expected a number in column {column!r}, line {line} of {path}, got {text!r}.")
    return float(text)


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _arrays(path: Path, target: str | None) -> tuple[Array, Array | None]:
    arrays = _loaded(path)
    if target is not None and target not in arrays:
        raise ValueError(
            f"Expected target={target!r} among the arrays {', '.join(sorted(arrays)) or '(none)'} of {path}."
        )
    values = arrays.pop(target) if target is not None else None
    named: list[str] = [name for name in ("X", "features", "data") if name in arrays] or sorted(arrays)
    if len(named) != 1:
        raise ValueError(
            f"Expected one array of features in {path} (X, features or data), got {sorted(arrays)}."
        )
    features = arrays[named[0]]
    if features.ndim == 0 or features.size == 0:
        raise ValueError(f"Expected records in array {named[0]!r} of {path}, got shape {features.shape}.")
    features = features.reshape(len(features), -1)
    try:
        return features.astype(float, casting="safe"), values
    except TypeError:
        raise ValueError(
            f"Expected numbers in array {named[0]!r} of {path}, got its type {features.dtype}."
        ) from None


def _loaded(path: Path) -> dict[str, Array]:
    """The arrays of an .npz file; pickled objects, which would run as programs, are refused."""
    try:
        archive = np.load(path, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise ValueError("it is one array, saved by np.save")
        with archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"Expected data={str(path)!r} to hold arrays of numbers, as np.savez writes them: {error}."
        ) from None
