"""Formulas and numbers for a page: LaTeX as MathML, which a browser lays out; long numbers made short."""

from __future__ import annotations

import re
from functools import lru_cache
from xml.etree import ElementTree

LONGEST = 6_000  # characters of LaTeX beyond which a formula is no help to a reader
MOST_DIGITS = 24
# What SymPy writes and the converter does not know; it would print the bare command.
REPAIRS = (
    (re.compile(r"\\(arg|argmin|argmax|sgn|sign|diag|tr|rank)(?![A-Za-z])"), r"\\operatorname{\1}"),
    (re.compile(r"\\(?:bigl|bigr|Bigl|Bigr|biggl|biggr|big|Big)(?![A-Za-z])"), ""),
    (re.compile(r"\\middle(?![A-Za-z])"), ""),
    (re.compile(r"\\tag\{([^}]*)\}"), r"\\quad (\1)"),
    (re.compile(r"\\mathbin\{([^}]*)\}"), r"\1"),
)

LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}


@lru_cache(maxsize=20_000)
def mathml(latex: str) -> str:
    r"""LaTeX as MathML; empty if it cannot be converted without leaving a bare command behind.

    >>> mathml("x^2")[:5]
    '<math'
    >>> "arg" in mathml(r"\arg x"), "\\" in mathml(r"\arg x")
    (True, False)
    """
    if not latex or len(latex) > LONGEST:
        return ""
    from latex2mathml.converter import convert
    from latex2mathml.exceptions import ExtraLeftOrMissingRightError, NumeratorNotFoundError

    for pattern, instead in REPAIRS:
        latex = pattern.sub(instead, latex)
    try:
        text = convert(latex, display="block").replace('xmlns="http://www.w3.org/1998/Math/MathML" ', "")
    except (ExtraLeftOrMissingRightError, NumeratorNotFoundError, IndexError, ValueError, KeyError):
        return ""
    return "" if "\\" in text else _limits_above(text)


def _limits_above(text: str) -> str:
    """Sums with their limits above and below, and minima with what they are over below, as in print."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        first = next(iter(element), None)
        if first is not None and first.tag == "mo" and first.text in ("∑", "∏", "min", "max", "sup", "inf"):
            element.tag = LIMITS.get(element.tag, element.tag)
    return ElementTree.tostring(root, encoding="unicode")


def shortened(text: str, most: int = 900) -> str:
    """A text of bearable length: numbers of many digits keep their ends, and no number is cut in two.

    >>> shortened("x = 1234567890123456789012345678901234567890")
    'x = 12345678…7890 (40 digits)'
    >>> shortened("at most 1234", most=10)
    'at most…'
    """

    def ends(match: re.Match[str]) -> str:
        digits = match.group()
        return f"{digits[:8]}…{digits[-4:]} ({len(digits)} digits)"

    text = re.sub(rf"\d{{{MOST_DIGITS + 1},}}", ends, text)
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0] + "…"
