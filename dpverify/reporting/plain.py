"""A finding in three plain sentences: what the paper says, what is true, what that means for a user."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dpverify.reporting.meanings import MEANINGS
from dpverify.reporting.typesetting import shortened

Record = dict[str, Any]


class Plain(NamedTuple):
    """The three sentences."""

    says: str
    true: str
    means: str


def plainly(c: Record, by_id: dict[str, Record], used_by: dict[str, list[str]]) -> Plain:
    """The three sentences of a refuted claim, from its own words, its correction and what leans on it."""
    corrected = by_id.get(c["correction"] or "")
    asserted, _, case = c["statement"].partition(" The case: ")
    says = f"{c['at']} says: {sentences(asserted)}"
    true = f"That is false: {sentences(case or _case(c))}" if case or corrected is None else "That is false."
    if corrected is not None:
        held = {"PROVED": "is proved", "SUPPORTED": "has stood its tests", "REFUTED": "is refuted as well"}
        state = held.get(corrected["verdict"], "is not decided")
        true += f" Its nearest true form {state}: {sentences(corrected['statement'])}"
    return Plain(says, true, _means(c, by_id, used_by, corrected))


def _case(c: Record) -> str:
    witness = c["witness"]
    let = ", ".join(f"{name} = {value}" for name, value in witness["let"].items())
    return f"for {let}, {witness['then']}" if len(let) < 160 else witness["then"]


def sentence(text: str) -> str:
    """The text with a full stop.

    >>> sentence("closed by signs")
    'closed by signs.'
    """
    text = text.strip()
    return text if text.endswith((".", "…", "!", "?")) else text + "."


def sentences(text: str, most: int = 420) -> str:
    """As many whole sentences of a text as fit, and at least the beginning of the first.

    >>> sentences("Noise is added. It is too small. It is Laplace noise", most=34)
    'Noise is added. It is too small.'
    >>> sentences("closed by signs")
    'closed by signs.'
    """
    text = sentence(text)
    if len(text) <= most:
        return text
    ends = [match.end() for match in re.finditer(r"[.!?](?= [A-Z(])", text[: most + 1])]
    return text[: ends[-1]] if ends else sentence(shortened(text, most))


def _means(
    c: Record, by_id: dict[str, Record], used_by: dict[str, list[str]], corrected: Record | None
) -> str:
    """What follows for whoever runs the algorithm, or builds on the theorem."""
    if c["id"] in MEANINGS:
        return MEANINGS[c["id"]]
    leaning = [id for id in used_by.get(c["id"], ()) if c["id"] in by_id[id]["tainted"]]
    if c["breaks"] == "privacy":
        advice = "Whoever runs it as printed promises more privacy than there is" + (
            "; take the constants of the nearest true form." if corrected else ": do not use it as printed."
        )
    elif c["breaks"] == "theorem":
        advice = "Do not rely on it as stated" + (
            "; its nearest true form is what can be used." if corrected else "."
        )
    elif c["breaks"] == "proof":
        advice = (
            "It breaks this step of the printed proof; the privacy and the result it serves may still stand."
        )
    else:
        advice = "It is a matter of the text: neither privacy nor a theorem hangs on it."
    if leaning:
        more = " …" if len(leaning) > 6 else ""
        advice += f" What leans on it and is tainted by it: {', '.join(leaning[:6])}{more}."
    return advice
