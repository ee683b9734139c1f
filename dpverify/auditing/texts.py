"""Texts, taken apart: a hash, the numbers that are written, the letters of long words, where digits are."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")  # of an object in memory: it says nothing of the data
WRITTEN = 1024  # numbers in a text, or its letters, at most
LONG = 8  # letters of which a text is taken apart: what is shorter has few values
DIGITS = 15  # of a number that float64 holds, however it is written
WORD = re.compile(rf"\w{{{LONG},}}")
DIGIT = re.compile(r"\d")
ZEROS = bytes.maketrans(b"123456789", b"000000000")
NAME = re.compile(r"[^\W\d_]{2,}")  # a word, of letters alone
FEW = 3  # words that a text may have and not be looked at as many
SLOTS = 32  # columns for the numbers of dicts whose keys vary, and as many for the places of the keys
WORDS = 256  # slots, beyond those, for words
SHORT = 256  # bytes of a text whose pattern is kept for the next one
SEPARATOR = "\0"  # of texts that are looked at together


def code(text: str | bytes) -> int:
    """A whole number in [1, 2^32] that stands for a text, the same in every process.

    >>> code("yes") == code("yes") != code("no")
    True
    """
    return 1 + zlib.crc32(_bytes(text) if isinstance(text, str) else text)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def without_addresses(text: str) -> str:
    return ADDRESS.sub("at 0x", text) if " at 0x" in text else text


def text_leaves(text: str, numbers: list[float], beside: Any = None) -> str:
    """Append the hash of a text and the numbers written in it, or, of a long one without numbers (or with one
    that no float64 holds, or of one word of letters and digits, as keys are), its letters; of one with
    numbers, the letters of its long words. How often each word is there is noted beside, by slot. Its
    structure is where its digits are.

    >>> numbers = []
    >>> text_leaves("mean=3.25 of 10", numbers), numbers[1:]
    ('text mean=0.00 of 00', [3.25, 10.0])
    >>> text_leaves("9f3e41c2", [])
    'text of 8 letters'
    """
    text = without_addresses(text)
    content = _bytes(text)
    zeros = content.translate(ZEROS) if text.isascii() else _bytes(DIGIT.sub("0", text))
    pattern = _pattern_of(zeros)
    for slot in pattern.slots if beside is not None else ():
        beside.keyed[slot] = beside.keyed.get(slot, 0.0) + 1.0
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
    whether it is taken apart into letters, whether a number may be too long for a float64, and the slots of
    its words, if they are more than a few.
    """

    structure: str
    numbers: list[tuple[int, int]]
    words: list[tuple[int, int]]
    letters: bool
    long: bool
    slots: list[int]


def _pattern(zeros: bytes) -> Pattern:
    text = zeros.decode(errors="surrogatepass")
    numbers = [number.span() for number in NUMBER.finditer(text)]
    if len(text) < LONG:
        return Pattern(f"text {text}", numbers, [], False, False, [])
    key = text.isalnum() and not text.isdigit()
    words = [word.span() for word in WORD.finditer(text[:WRITTEN])]  # a name that was drawn, perhaps
    long = any(end - start > DIGITS for start, end in numbers)
    names = NAME.findall(text[: SLOTS * WRITTEN])
    slots = [2 * SLOTS + code(name) % WORDS for name in names] if len(names) > FEW else []
    return Pattern(f"text {text}", numbers[:WRITTEN], words, key or not numbers, long, slots)


_short_pattern = lru_cache(maxsize=4096)(_pattern)


def _pattern_of(zeros: bytes) -> Pattern:
    return (_short_pattern if len(zeros) <= SHORT else _pattern)(zeros)


def zeros_of(texts: Sequence[str]) -> list[bytes] | None:
    """The texts with every digit 0; None if one of them is no plain ASCII, or holds an address.

    >>> zeros_of(["n=12", "n=7"]), zeros_of(["½"])
    ([b'n=00', b'n=0'], None)
    """
    joined = SEPARATOR.join(texts)
    if not joined.isascii() or " at 0x" in joined:
        return None
    zeros = joined.encode().translate(ZEROS).split(SEPARATOR.encode())
    return zeros if len(zeros) == len(texts) else None


def text_columns(texts: Sequence[str]) -> np.ndarray | None:
    """The numbers that `text_leaves` appends for each of these texts, which are plain ASCII and have one
    pattern; None where it depends on the text how many they are.

    >>> text_columns(["mean=3.25 of 10", "mean=4.75 of 10"])[:, 1:].tolist()
    [[3.25, 10.0], [4.75, 10.0]]
    """
    contents = [text.encode() for text in texts]
    pattern = _pattern_of(contents[0].translate(ZEROS))
    if pattern.letters:
        return bytes_columns(contents)
    columns = [[float(code(content)) for content in contents]]
    for start, end in pattern.numbers:
        written = [text[start:end] for text in texts]
        if end - start > DIGITS and not all(map(_held_by_float, written)):
            return None
        columns.append(list(map(float, written)))
    letters = _octets(contents)
    return np.column_stack([np.array(columns).T, *(letters[:, start:end] for start, end in pattern.words)])


def bytes_columns(contents: Sequence[bytes]) -> np.ndarray:
    """The hash of each of these bytes of one length, and the first of them.

    >>> bytes_columns([b"ab", b"cd"])[:, 1:].tolist()
    [[97.0, 98.0], [99.0, 100.0]]
    """
    return np.column_stack([[float(code(content)) for content in contents], _octets(contents)[:, :WRITTEN]])


def _octets(contents: Sequence[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(contents), dtype=np.uint8).reshape(len(contents), -1)


def _held_by_float(number: str) -> bool:
    """Whether a float64 holds the number that is written.

    >>> [_held_by_float(number) for number in ("3.25", "0.30000000000000004", "0.300000000000000041")]
    [True, True, False]
    """
    return len(number) <= DIGITS or repr(float(number)) == number
