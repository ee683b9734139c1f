"""Formulas and numbers for a page: LaTeX as MathML, which a browser lays out; long numbers made short."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree

LONGEST = 6_000  # characters of LaTeX beyond which a formula is no help to a reader
MOST_DIGITS = 24
LONG = re.compile(rf"\d{{{MOST_DIGITS + 1},}}")
# What SymPy writes and the converter does not know; it would print the bare command.
REPAIRS = (
    (re.compile(r"\\(arg|argmin|argmax|sgn|sign|diag|tr|rank)(?![A-Za-z])"), r"\\operatorname{\1}"),
    (re.compile(r"\\(?:bigl|bigr|Bigl|Bigr|biggl|biggr|big|Big)(?![A-Za-z])"), ""),
    (re.compile(r"\\middle(?![A-Za-z])"), ""),
    (re.compile(r"\\tag\{([^}]*)\}"), r"\\quad (\1)"),
    (re.compile(r"\\mathbin\{([^}]*)\}"), r"\1"),
    (re.compile(r"\\lVert(?![A-Za-z])"), r"\\left\|"),
    (re.compile(r"\\rVert(?![A-Za-z])"), r"\\right\|"),
)

COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)")
FRACTION = re.compile(r"\\frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
OPENING = (r"\left", r"\begin", r"\langle", r"\lVert")
CLOSING = (r"\right", r"\end", r"\rangle", r"\rVert")
DEEPER = dict.fromkeys(OPENING, 1) | dict.fromkeys(CLOSING, -1)
LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
AND, GIVEN = r" \quad\text{and}\quad ", r" \quad \left("
SIMPLE = re.compile(r"(sequence |vector )?(whole |real )?([A-Za-z]\w*) ?((?:>=|<=|!=|>|<) 0)?")
# Where a line may be broken: before a sign that stands in no brackets.
BREAKS = tuple(f" {sign} " for sign in (r"\le", r"\leq", r"\ge", r"\geq", "<", ">", "=", r"\to", "+", "-"))
NARROW = 34  # about as many letters of a formula as a phone has room for
WIDEST = 50  # ... once they are made as small as can be read
# What may be written so that a line can end in it: a bracket, a root, a fraction.
GROUPS = (r"\left(", r"\left[", r"\sqrt{", r"\frac{")
TOGETHER = 6  # names between which a line does not end
SIGNS = {">=": r"\ge", "<=": r"\le", "!=": r"\ne"}


@lru_cache(maxsize=20_000)
def mathml(latex: str, display: str = "block") -> str:
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
    latex = LONG.sub(lambda m: rf"{m.group()[:8]}\cdots {m.group()[-4:]}", latex)
    try:
        text = convert(latex, display=display).replace('xmlns="http://www.w3.org/1998/Math/MathML" ', "")
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


class Line(NamedTuple):
    """One formula of a statement and the conditions under which it holds, each as pieces of MathML between
    which a line may end.
    """

    formula: list[str]
    given: list[list[str]]


def lines(latex: str) -> list[Line]:
    r"""A statement as lines for a narrow page: its parts one below the other, each with its conditions; none
    if a part of it cannot be typeset.

    >>> [(len(line.given), line.formula[0][:5]) for line in lines(r"x \le 1 \quad \left(x > 0, x < 1\right)")]
    [(2, '<math')]
    >>> lines(r"\nonsense x")
    []
    """
    if not latex or len(latex) > LONGEST:
        return []
    result = []
    for part in _apart(latex, AND):
        formula, *rest = _apart(part, GIVEN)
        held = rest[0] if len(rest) == 1 and rest[0].endswith(r"\right)") else ""
        if rest and not held:
            formula = part
        held = held.replace(rf"\right){GIVEN}", ", ").removesuffix(r"\right)")  # of a statement in another
        conditions = _apart(held, ", ") if held else []
        line = Line(
            [
                mathml(piece, "inline").replace("<math", '<math displaystyle="true"', 1)
                for piece in pieces(formula)
            ],
            [[mathml(piece, "inline") for piece in pieces(c)] for c in _dots_joined(conditions)],
        )
        if not all(line.formula) or not all(all(condition) for condition in line.given):
            return []
        result.append(line)
    return result


def pieces(latex: str) -> list[str]:
    r"""A formula as pieces for a narrow page: they end before a relation or a sign that stands in no
    brackets, and short ones stay together. An empty group before a sign keeps its space. What is too wide
    for a phone all the same is written with brackets in which a line may end.

    >>> pieces(r"x \le 1")
    ['x \\le 1']
    >>> pieces(r"e_{T + 1} \le a_1 x_1 + a_2 x_2 + a_3 x_3 + a_4 x_4 + a_5 x_5 + a_6 x_6 - b")
    ['e_{T + 1} \\le a_1 x_1 + a_2 x_2 + a_3 x_3 + a_4 x_4 + a_5 x_5 + a_6 x_6', '{} - b']
    """
    result = []
    for piece in _pieces(latex):
        opened = _opened(piece) if _width(piece) > WIDEST else piece
        result += [piece] if opened == piece else pieces(opened)
    return result


def _pieces(latex: str) -> list[str]:
    ends = [0, *_places(latex, BREAKS), len(latex)]
    result: list[str] = []
    for start, end in pairwise(ends):
        part = latex[start:end]
        if result and _width(result[-1] + part) <= NARROW:
            result[-1] += part
        else:
            result.append(f"{{}}{part}" if start else part)
    return result


def _opened(latex: str) -> str:
    r"""The formula with the widest of its outer groups in plain brackets, if it is wide and a line could end
    inside; a root as the power 1/2, a fraction as its denominator's inverse before it.

    >>> long = " + ".join(f"a_{{{k}}} x_{{{k}}}" for k in range(9))
    >>> _opened(rf"2 \sqrt{{{long}}} + b") == f"2 ({long})^{{1/2}} + b"
    True
    >>> _opened(rf"\frac{{{long}}}{{c}} x") == rf"\frac{{1}}{{c}} ({long}) x"
    True
    >>> _opened(rf"\frac{{b \left({long}\right)}}{{c}}") == rf"\frac{{1}}{{c}} b \left({long}\right)"
    True
    >>> _opened(r"\sqrt{a + b}")
    '\\sqrt{a + b}'
    """
    groups = _groups(latex)
    for group in sorted(groups, key=lambda group: -_width(group.inside)):
        if _places(group.inside, BREAKS) and _width(group.inside) > NARROW:
            return latex[: group.start] + group.instead + latex[group.end :]
        if group.product and _opened(group.inside) != group.inside:
            return latex[: group.start] + group.product + latex[group.end :]
    return latex


class _Group(NamedTuple):
    """A part of a formula, what stands inside, and how it is written in plain brackets; of a fraction whose
    numerator is a product, without them.
    """

    start: int
    end: int
    inside: str
    instead: str
    product: str = ""


def _groups(latex: str) -> list[_Group]:
    """The outer brackets, roots and fractions of a formula."""
    groups: list[_Group] = []
    depth = at = 0
    while at < len(latex):
        opening = next((sign for sign in GROUPS if depth == 0 and latex.startswith(sign, at)), None)
        if opening is None:
            depth, at = _past(latex, depth, at)
            continue
        end = _closed(latex, at + len(opening))
        inside = latex[at + len(opening) : end]
        start, product = at, ""
        if opening.endswith("{"):
            at = end + 1
            instead = f"({inside})^{{1/2}}"
        else:
            at = end + len(r"\right)")
            instead = f"{opening[-1]}{inside}{latex[at - 1]}"
        if opening == r"\frac{":
            at = _closed(latex, at + 1) + 1
            inverse = rf"\frac{{1}}{{{latex[end + 2 : at - 1]}}}"
            instead, product = f"{inverse} ({inside})", f"{inverse} {inside}"
        groups.append(_Group(start, at, inside, instead, product))
    return groups


def _closed(latex: str, at: int) -> int:
    """Where the bracket ends that was opened before this place."""
    depth = 0
    while at < len(latex):
        deeper, after = _past(latex, depth, at)
        if deeper < 0:
            return at
        depth, at = deeper, after
    return at


def _width(latex: str) -> int:
    r"""About how many letters wide a formula is: a fraction is as wide as its longer half.

    >>> _width(r"\frac{a + b}{c} x_{1}")
    5
    """
    while (narrower := FRACTION.sub(lambda m: max(m.groups(), key=_width), latex)) != latex:
        latex = narrower
    shown = COMMAND.sub("x", re.sub(r"\\(?:left|right|quad|text|operatorname|mathbb)(?![A-Za-z])", "", latex))
    return len(re.sub(r"[{}\s_^]", "", shown))


def _places(latex: str, signs: tuple[str, ...]) -> list[int]:
    """Where a formula has one of these signs in no brackets."""
    places: list[int] = []
    depth = at = 0
    while at < len(latex):
        if depth == 0 and latex.startswith(signs, at):
            places.append(at)
        depth, at = _past(latex, depth, at)
    return places


def _past(latex: str, depth: int, at: int) -> tuple[int, int]:
    """How deep in brackets, and where, the next command or letter of a formula ends."""
    if command := COMMAND.match(latex, at):
        return depth + DEEPER.get(command.group(), 0), command.end()
    return depth + {"{": 1, "}": -1}.get(latex[at], 0), at + 1


def _apart(latex: str, separator: str) -> list[str]:
    r"""The parts between separators that stand in no brackets.

    >>> _apart(r"a, \left(b, c\right), {d, e}", ", ")
    ['a', '\\left(b, c\\right)', '{d, e}']
    """
    parts = []
    depth = 0
    start = 0
    at = 0
    while at < len(latex):
        if depth == 0 and latex.startswith(separator, at):
            parts.append(latex[start:at])
            at = start = at + len(separator)
            if separator == GIVEN:
                return [*parts, latex[start:]]
        else:
            depth, at = _past(latex, depth, at)
    return [*parts, latex[start:]]


def _dots_joined(conditions: list[str]) -> list[str]:
    r"""Conditions with those put together again that a range, 1, \dots, T, fell into.

    >>> _dots_joined(["x < 1", "k = 1", r"\dots", "n"])
    ['x < 1', 'k = 1, \\dots, n']
    """
    joined: list[str] = []
    for condition in conditions:
        if joined and (condition == r"\dots" or joined[-1].endswith(r"\dots")):
            joined[-1] += f", {condition}"
        else:
            joined.append(condition)
    return joined


def symbol(name: str) -> str:
    r"""The LaTeX of the name of a number; empty if it is a word, or more than one name.

    >>> symbol("eta_0"), symbol("seed"), symbol("G, d")
    ('\\eta_{0}', '', '')
    """
    import sympy as sp

    letters = re.fullmatch(r"([A-Za-z]+)\d*(?:_\w+)?", name)
    if letters is None:
        return ""
    latex = str(sp.latex(sp.Symbol(name)))
    return latex if len(letters.group(1)) <= 2 or latex.startswith("\\") else ""


def value(text: str) -> str:
    r"""A number or a name as inline MathML; empty if it is anything else.

    >>> value("785/128").count("mfrac"), value("train(data)")
    (2, '')
    """
    if fraction := re.fullmatch(r"(-?)(\d{1,12})/(\d{1,12})", text):
        return mathml(rf"{fraction.group(1)}\frac{{{fraction.group(2)}}}{{{fraction.group(3)}}}", "inline")
    if re.fullmatch(r"\d+(, \d+)*, \.\.\.", text):
        return mathml(text.replace("...", r"\dots"), "inline")
    if power := re.fullmatch(r"(\d*)([a-z])(?:\^(-?\d+))?", text):
        return mathml("{}{}^{{{}}}".format(*power.groups("1")) if power.group(3) else text, "inline")
    return mathml(text, "inline") if re.fullmatch(r"-?\d{1,12}(\.\d{1,12})?", text) else ""


def arbitrary(formal: str) -> tuple[list[tuple[str, str]], str]:
    """What a formal statement is for all of, as words and MathML to show one after the other, those of one
    domain together; and the rest of the statement. A constant that it names before them is left out.

    >>> shown, rest = arbitrary("for all whole T > 0, x > 0, y > 0, vector u: x <= T")
    >>> [words for words, _ in shown], rest
    (['whole', '', 'vector'], 'x <= T')
    """
    split = re.match(r"(?:there is c > 0 such that )?for all (.*?)(?<!a function): ", formal)
    if split is None:
        return [], formal
    domains: dict[tuple[str, str], list[str]] = {}
    for item in split.group(1).split(", "):
        plain = SIMPLE.fullmatch(item)
        if plain and item not in ("vector", "noise"):
            sequence, kind, name, sign = plain.groups()
            domains.setdefault(((sequence or "") + (kind or ""), sign or ""), []).append(name)
        else:
            domains[(item, "")] = []
    shown = []
    for (words, sign), names in domains.items():
        relation, _, zero = sign.partition(" ")
        several = re.sub(r"^(sequence|vector) ", r"\1s ", words) if len(names) > 1 else words
        indexed = re.sub(r"(\w)\[([^\[\]]*)\]", r"\1_{\2}", several).strip()
        rows = [names[k : k + TOGETHER] for k in range(0, len(names), TOGETHER)]
        for row in rows:
            last = row is rows[-1] and bool(sign)
            latex = ", ".join(symbol(name) or rf"\text{{{name}}}" for name in row) + (
                f" {SIGNS.get(relation, relation)} {zero}" if last else ""
            )
            shown.append((indexed if row is rows[0] else "", mathml(latex, "inline")))
        if not rows:
            shown.append((indexed, ""))
    return shown, formal[split.end() :]


NAMES = (
    "alpha α beta β gamma γ delta δ epsilon ε eps ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ "
    "pi π rho ρ sigma σ tau τ phi φ chi χ psi ψ omega ω "
    "Gamma Γ Delta Δ Theta Θ Lambda Λ Sigma Σ Phi Φ Psi Ψ Omega Ω"
)
GREEK = dict(re.findall(r"(\w+) (\w)", NAMES))
IN_BRACKETS = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
LETTER = r"[A-Za-zα-ωΓ-Ω∇]"
JOINED = re.compile(r"([A-Za-z]{2,})[\w.]*(?:-[\w.]+)*-$")


def _greek(match: re.Match[str]) -> str:
    """The letter of a name, unless the name is the end of an identifier, as in thm-9-small-delta."""
    before = JOINED.search(match.string, max(0, match.start() - 60), match.start())
    return match.group() if before and before.group(1) not in GREEK else GREEK[match.group()]


# In this order; what is matched has been escaped for HTML.
PROSE: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?<![A-Za-z])({'|'.join(GREEK)})(?![A-Za-z])"), _greek),
    (re.compile(r"(?<![A-Za-z])grad (?=[A-Za-zα-ω](?![A-Za-z]))"), "∇"),
    (re.compile(r"(?<![A-Za-z])sqrt(?: (?=[\wα-ω])|(?=\())"), "√"),
    (re.compile(r"√\((\w+)\)"), r"√\1"),
    (re.compile(r"(?<![A-Za-z])log2(?!\w)"), "log<sub>2</sub>"),
    (re.compile(rf"(?<![A-Za-z])({LETTER})\^(?=[_\s),;:.|/=']|$)"), "\\1\u0302"),  # a hat
    (re.compile(r"(?<![A-Za-z])oo(?![A-Za-z])"), "∞"),
    (re.compile(r"(?<![A-Za-z])(?:sum|prod)(?=_)"), lambda m: {"sum": "Σ", "prod": "Π"}[m.group()]),
    (
        re.compile(
            rf"(?<![A-Za-z])({LETTER}[\u0302']?|max|min|sup|inf|log|lim|Pr|argmin)"
            r"_(?:\{([^{}]*)\}|([A-Za-zα-ω0-9]+|\*)(?![A-Za-z_]))"
        ),
        lambda m: f"{m.group(1)}<sub>{m.group(2) or m.group(3)}</sub>",
    ),
    (
        re.compile(
            rf"(?:\^|\*\*)(?:\(({IN_BRACKETS})\)|\{{([^{{}}]*)\}}|(-?(?:\d+(?:\.\d+)?|{LETTER}(?![A-Za-z])|\*|out)))"
        ),
        lambda m: f"<sup>{(m.group(1) or m.group(2) or m.group(3)).replace('-', '−')}</sup>",
    ),
    (re.compile(r"(?<=[\w)>])\*(?=[\w(√])"), "·"),
    (re.compile(r"&lt;="), "≤"),
    (re.compile(r"&gt;="), "≥"),
    (re.compile(r"!="), "≠"),
    (re.compile(r"\+-(?=\d)"), "±"),
    (re.compile(r"-&gt;"), "→"),
    (re.compile(r"`([^`]*)`"), r"“\1”"),
    (re.compile(r"\d[\d.]*e[+-]\d+"), r'<span class="number">\g<0></span>'),
)


def prose(text: str) -> str:
    """A text with its formulas as in print, escaped for HTML: Greek letters, indices, powers; no number is
    split between lines.

    >>> prose("sigma_1^2 <= eps^(1/2) sqrt(d)")
    'σ<sub>1</sub><sup>2</sup> ≤ ε<sup>1/2</sup> √d'
    >>> prose("(gamma-beta)^2, rho-zCDP: alg-2-delta")
    '(γ-β)<sup>2</sup>, ρ-zCDP: alg-2-delta'
    >>> prose("noise_multiplier & the sum of eta, log2 T")
    'noise_multiplier &amp; the sum of η, log<sub>2</sub> T'
    """
    text = escape(text, quote=False)
    for pattern, instead in PROSE:
        text = pattern.sub(instead, text)
    return text


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

    text = LONG.sub(ends, text)
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0] + "…"
