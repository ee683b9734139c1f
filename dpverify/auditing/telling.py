"""Telling a witness: an output that belongs to an event, and whether what tells two data sets apart is the
rounding of numbers that are published as bytes or texts.

Noise added in floating point is rounded: what was added to it shows in the lowest bits of the sum (Mironov
2012, "On significance of the least significant bits for differential privacy"). Of outputs that are numbers,
audits do not look at those bits; of bytes and texts they look at every part.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from dpverify.auditing.layout import Layout
from dpverify.auditing.outcomes import plain, settled
from dpverify.auditing.sampling import Mechanism, ends_a_run, name_of
from dpverify.neighbours import Data

TRIED = 500  # runs in which an example is looked for
SHOWN = 100  # letters of an example


def example(
    mechanism: Mechanism, data: Data, layout: Layout, inside: Callable[[np.ndarray], int], seed: int
) -> str:
    """An output that is inside, and the numbers that it is taken apart into; nothing if none is met, or if
    outputs are numbers anyhow.

    >>> layout = Layout()
    >>> _ = layout.matrices(plain(["n=1"]), plain(["n=2"]))
    >>> draw = lambda data, rng: f"n={rng.integers(9)}"
    >>> example(draw, None, layout, lambda rows: int((rows[:, 1] > 6).sum()), seed=0)
    "'n=8' (output = [4.29e+09, 8])"
    """
    rng = np.random.default_rng([seed, 1])
    for _ in range(TRIED):
        try:
            output = mechanism(data, rng)
        except BaseException as error:
            if not ends_a_run(error):
                raise
            continue
        if isinstance(output, float | int | np.generic | np.ndarray):
            return ""
        written = repr(output)
        row = layout.rows(plain([settled(output)]))
        if inside(row):
            shown = ", ".join(f"{number:.3g}" for number in row[0, :8])
            more = ", ..." if row.shape[1] > 8 else ""
            return f"{written[:SHOWN]}{'...' * (len(written) > SHOWN)} (output = [{shown}{more}])"
    return ""


def as_numbers(output: Any) -> Any:
    """The same, with the float64s that bytes and texts (hexadecimal, base64) hold in their place.

    >>> as_numbers([(0.5).hex(), np.array([0.5, 2.0]).tobytes(), "half"])
    [0.5, [0.5, 2.0], 'half']
    """
    if isinstance(output, list | tuple):
        return [as_numbers(part) for part in output]
    if isinstance(output, dict):
        return {key: as_numbers(part) for key, part in output.items()}
    if isinstance(output, str) and re.fullmatch(r"[-+]?0x[01]\.[0-9a-f]+p[-+]?\d+", output):
        return float.fromhex(output)
    content = output
    if isinstance(output, str):
        try:
            hexadecimal = re.fullmatch(r"[0-9a-fA-F]+", output)
            content = bytes.fromhex(output) if hexadecimal else base64.b64decode(output, validate=True)
        except ValueError:
            return output
    if not isinstance(content, bytes | bytearray | memoryview) or not len(content) or len(content) % 8:
        return output
    for order in ("<f8", ">f8"):
        found = np.frombuffer(content, order)
        size = np.abs(found[found != 0])
        if np.isfinite(found).all() and (size > 1e-100).all() and (size < 1e100).all():
            return found.tolist()
    return output


def as_numbers_of(mechanism: Mechanism, data: Data, seed: int) -> Mechanism | None:
    """The mechanism with its outputs as numbers, if there are floats in their bytes or texts."""
    try:
        output = mechanism(data, np.random.default_rng(seed))
        if repr(as_numbers(output)) == repr(output) or isinstance(output, float | int | np.ndarray):
            return None
    except Exception:
        return None

    def numbers(data: Data, rng: np.random.Generator) -> Any:
        return as_numbers(mechanism(data, rng))

    numbers.__qualname__ = numbers.__name__ = name_of(mechanism)
    return numbers
