"""A finding in three plain sentences: what the paper says, what is true, what that means for a user.

The statement of a claim opens with what the paper says, in one sentence; what follows it, and what stands in
brackets at its end, are our own words on it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from dpverify.reporting.meanings import is_reading, meaning_of
from dpverify.reporting.typesetting import shortened

Record = dict[str, Any]
ENDS = re.compile(r"(?<=[^.][.!?])\s+(?=[A-Z(\"])")
BRACKETS = re.compile(r" \(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\.?$")
WORD = re.compile(r"[A-Za-z]{2,}")
PART = re.compile(
    r"\"|(?:and|as|at|for|here|on|which|with)\b|\w+ = [^:]*[;,]"
)  # what goes on with the sentence
# Remarks that say themselves where a statement fails.
TOLD = re.compile(r"\b(?:The case|The path|The same|[Aa]long|[Aa]t \w+ = )\b")
COMPARED = re.compile(r"(\S{1,24}) (<=|<|=) (\S{1,24})")
GROWS = re.compile(r" (is \S+ at \S+ = .* and tends to \S+ as \S+ -> oo)")
BEYOND = re.compile(r", (?:inf|0) at \S+ = 10\^\d+")  # figures that are too large or too small to be written
LIST = re.compile(r": 1\. ")  # it is told whole or not at all
DIMENSION = re.compile(r"^in dimension \d+, ")


class Plain(NamedTuple):
    """The three sentences, the nearest true form, and whose words the first sentence is."""

    says: str
    true: str
    means: str
    nearest: str = ""
    whose: str = "The paper says"


def plainly(c: Record, by_id: dict[str, Record], used_by: dict[str, list[str]]) -> Plain:
    """The three sentences of a refuted claim, from its own words, its correction and what leans on it."""
    corrected = by_id.get(c["correction"] or "")
    says, aside, remark = parts(c["statement"])
    true = f"That is false ({aside})." if aside else "That is false."
    case = "at" in ((c["evidence"] or {}).get("certificate") or {})  # chosen by who restated it
    placed = bool(TOLD.search(remark))
    for told in (remark, _at_witness(c, placed) if case or not placed else ""):
        true += f" {sentences(told, 700)}" if told else ""
    nearest = sentences(corrected["statement"], 600) if corrected else ""
    return Plain(sentences(says), true, _means(c, by_id, used_by, corrected), nearest, _whose(c))


def _whose(c: Record) -> str:
    """Who says what is refuted: the paper, a reader of it, or nobody but us who ask."""
    if is_reading(c["id"]):
        return "One may read"
    return "We ask whether this is so" if c["standing"] == "ours" else "The paper says"


def parts(statement: str) -> tuple[str, str, str]:
    """What the paper says, what is said in brackets about it, and the rest.

    >>> parts("A step spends eps (true for full batches only). The case: m = 1.")
    ('A step spends eps.', 'true for full batches only', 'The case: m = 1.')
    >>> parts("The error is at most f (x - y).")
    ('The error is at most f (x - y).', '', '')
    """
    says, *rest = ENDS.split(statement.strip(), maxsplit=1)
    remark = rest[0] if rest else ""
    if remark.startswith("(") and remark.endswith(")") and remark.count("(") == 1:
        remark = remark[1:-1]
    brackets = BRACKETS.search(says)
    if brackets is None or not _is_prose(brackets.group(1)):
        return says, "", remark
    return sentence(says[: brackets.start()]), brackets.group(1), remark


def _is_prose(words: str) -> bool:
    """Whether words in brackets are a remark, and not a formula, a quotation or a part of the sentence."""
    return len(WORD.findall(words)) >= 3 and PART.match(words) is None


def _at_witness(c: Record, placed: bool) -> str:
    """What the statement comes down to at the witness, or what the witness shows, if that is short; where
    that is need not be said again if a remark on the case has placed it.
    """
    witness = c["witness"]
    if not witness:
        return ""
    let = ", ".join(binding(name, value) for name, value in witness["let"].items())
    if grows := ratio(witness):
        return f"{'There' if placed else f'Along {let}'} the ratio of its sides {grows}"
    if COMPARED.fullmatch(witness["contradicts"].strip()) and (placed or len(let) < 260):
        where = "There it" if placed else f"At {let} it" if let else "It"
        return f"{where} comes down to {witness['contradicts']}{'' if placed else _why(witness)}."
    then = capital(witness["then"])
    return then if len(then) < 300 else then.split("; ")[0]


def ratio(witness: Record) -> str:
    """How the ratio of the two sides goes along a path on which every constant fails; empty of others.

    >>> then = "(N)/(1) is 9 at t = 10^1, inf at t = 10^9, and tends to oo as t -> oo"
    >>> ratio({"then": then, "exact": {"kind": "order"}}), ratio({"then": then, "exact": {"kind": "point"}})
    ('is 9 at t = 10^1, and tends to oo as t -> oo', '')
    """
    grows = GROWS.search(witness["then"]) if witness["exact"].get("kind") == "order" else None
    return BEYOND.sub("", grows.group(1)) if grows else ""


def _why(witness: Record) -> str:
    """Why a witness breaks a statement, where more is known than that it was computed."""
    return "" if not witness["because"] or witness["computed"] else f": {witness['because']}"


def binding(name: str, value: str) -> str:
    """What a witness says of one name; some names say it themselves.

    >>> binding("x", "2"), binding("S = 1", "1")
    ('x = 2', 'S = 1')
    """
    return name if name.endswith(f" = {value}") else f"{name} = {value}"


def sides(witness: Record, formal: str) -> tuple[str, str] | None:
    """The values of the left and of the right side of a formal statement, if a witness has them.

    >>> sides({"then": "x**2 = 4 and 3*x = 6", "contradicts": "4 = 6"}, "for all x > 0: x**2 = 3*x")
    ('4', '6')
    >>> sides({"then": "in dimension 1, |x| = 4 and 2 = 2", "contradicts": "4 <= 2"}, "vector x: |x| <= 2")
    ('4', '2')
    >>> sides({"then": "x**2 - 3*x = -2 and 0 = 0", "contradicts": "-2 = 0"}, "for all x > 0: x**2 = 3*x")
    """
    compared = COMPARED.fullmatch(witness["contradicts"].strip())
    if compared is None:
        return None
    left, sign, right = compared.groups()
    then = DIMENSION.sub("", witness["then"])
    first, between, second = then.partition(f" = {left} and ")
    if not between or not second.endswith(f" = {right}"):
        return None
    said = f"{first} {sign} {second.removesuffix(f' = {right}')}"
    return (left, right) if said in formal else None


def capital(text: str) -> str:
    """The text with a capital, unless it begins with a name, a number or an address.

    >>> capital("the norm is 0"), capital("tools.mean without bounds"), capital("x is 1")
    ('The norm is 0', 'tools.mean without bounds', 'x is 1')
    """
    first = (text.split() or [""])[0].rstrip(",:;")
    word = first.replace("-", "").isalpha() and (len(first) > 1 or first == "a")
    return text[0].upper() + text[1:] if word else text


def sentence(text: str) -> str:
    """The text with a full stop.

    >>> sentence("closed by signs")
    'closed by signs.'
    """
    text = text.strip()
    return text if text.endswith((".", "…", "!", "?", ".)")) else text + "."


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
    listed = LIST.search(text)
    most = min(most, listed.start()) if listed else most
    ends = [match.end() for match in re.finditer(r"[.!?](?= [A-Z(])", text[: most + 1])]
    return text[: ends[-1]] if ends else sentence(shortened(text, most))


def _means(
    c: Record, by_id: dict[str, Record], used_by: dict[str, list[str]], corrected: Record | None
) -> str:
    """What follows for whoever runs the algorithm, or builds on the theorem."""
    if (meaning := meaning_of(c["id"])) is not None:
        return _with_verdicts(meaning, c["id"].split("/")[0], by_id)
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
    elif c["breaks"] == "misprint":
        advice = "A misprint: " + ("read the nearest true form instead." if corrected else "do not copy it.")
    elif c["standing"] == "ours":
        advice = "The paper does not say it: it answers a question of our own."
    else:
        advice = "It is a matter of the text: neither privacy nor a theorem hangs on it."
    if leaning:
        more = " …" if len(leaning) > 6 else ""
        advice += f" What leans on it and is tainted by it: {', '.join(leaning[:6])}{more}."
    return advice


def _with_verdicts(meaning: str, paper: str, by_id: dict[str, Record]) -> str:
    """The sentence with the verdicts of the claims that it names.

    >>> _with_verdicts("Lemma 5 is {lemma-5}.", "p", {"p/lemma-5": {"verdict": "PROVED"}})
    'Lemma 5 is PROVED.'
    """

    def verdict(match: re.Match[str]) -> str:
        record = by_id.get(f"{paper}/{match.group(1)}")
        return record["verdict"] if record else "not checked here"

    return re.sub(r"\{([^}]+)\}", verdict, meaning)
