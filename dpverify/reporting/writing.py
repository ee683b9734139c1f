"""Render the document of a report into a folder: pages, pictures, and the same results for programs.

Same document, same bytes; the times that a run took stand in `times.json`, in `junit.xml` and in the last
line of the index. A page is kept below `LARGEST` bytes: the claims of a long paper stand on several.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from dpverify.parallel import each
from dpverify.reporting import figures, formats, graph
from dpverify.reporting.document import JSON_SCHEMA, SEVERITIES, VERDICTS, as_expected, findings, foundations
from dpverify.reporting.plain import binding, capital, plainly, ratio, sentence, sides
from dpverify.reporting.typesetting import GREEK, arbitrary, lines, mathml, prose, shortened, symbol, value

LARGEST = 400_000  # bytes of a page
Record = dict[str, Any]
MARKED = re.compile("\ue000([^\ue001]*)\ue001")  # by letters for private use, which no text has
# What may be the name of a claim in a text: parts with hyphens between, or that of its paper before it.
NAMED = re.compile(r"(?<![\w#/.-])(?:[a-z0-9-]+/)?[a-z0-9]+(?:[.-][a-z0-9]+)*(?![\w/-])")
# The names of methods that say little to a reader, in words.
JUDGES = {
    "refutation": "exact or ball arithmetic at the witness",
    "sequential": "a sequential test of the outputs",
    "sequential, exact event": "a sequential test of the outputs, and events tested exactly",
}


def _counts(claims: list[Record]) -> dict[str, int]:
    """How many of the statements of a paper ended in each verdict; definitions and the like are not
    counted.
    """
    counted = Counter(c["verdict"] for c in claims if c["standing"] == "statement")
    return {verdict: counted[verdict] for verdict in VERDICTS}


@lru_cache(maxsize=1)
def _environment() -> Any:
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("dpverify.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    names = {sign: name for name, sign in GREEK.items()} | {"∇": "grad", "√": "sqrt", "≤": "<=", "≥": ">="}
    script = environment.get_template("search.js").render(names=Markup(json.dumps(names)))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.filters |= {"lines": lines, "arbitrary": arbitrary, "value": value}
    environment.filters |= {"sentence": sentence, "capital": capital}
    environment.filters["prose"] = lambda text: Markup(prose(text))
    environment.filters["symbol"] = lambda name: mathml(symbol(name), "inline")
    environment.globals.update(
        anchor=graph.anchor,
        mark=graph.MARK,
        short=shortened,
        sides=sides,
        ratio=ratio,
        binding=binding,
        judges=JUDGES,
        as_expected=as_expected,
        severities=SEVERITIES,
        script=Markup(script),
        script_digest=Markup(digest),
    )
    return environment


def template(name: str, **values: Any) -> str:
    """A template of this package, filled in; every text from outside is escaped."""
    return str(_environment().get_template(name).render(**values))


def _fitting(name: str, **values: Any) -> str:
    """A page with findings: its corrections have their formulas as far as there is room for them."""
    for formulas in (2_000, 500, 200, 0):
        page = template(name, formulas=formulas, **values)
        if len(page.encode()) < LARGEST:
            break
    return page


class _Site:
    """What every page of a report needs to know: all claims, what leans on them, and their places."""

    def __init__(self, document: Record) -> None:
        self.document = document
        self.by_id: dict[str, Record] = {c["id"]: c for p in document["papers"] for c in p["claims"]}
        self.used_by: dict[str, list[str]] = {}
        for c in self.by_id.values():
            for used in c["uses"]:
                self.used_by.setdefault(used, []).append(c["id"])
        self.page_of = {id: page_name(id.split("/")[0]) for id in self.by_id}

    def link(self, id: str) -> str:
        """A mark for where a claim stands, which is known once the pages are filled: see `linked`."""
        return f"\ue000{id}\ue001"

    def linked(self, page: str) -> str:
        """The page with links for the marks."""

        def place(match: re.Match[str]) -> str:
            id = match.group(1)
            return f"{self.page_of.get(id, page_name(id.split('/')[0]))}#{graph.anchor(id)}"

        return MARKED.sub(place, page)

    def refer(self, text: Any, about: str) -> Any:
        """A text on one claim, escaped, with the other claims of the report that it names as links."""
        from markupsafe import Markup, escape

        def linked(match: re.Match[str]) -> str:
            name = match.group()
            id = name if "/" in name else f"{about.split('/')[0]}/{name}"
            known = id in self.by_id and id != about and ("-" in name or "/" in name)
            return f'<a href="{escape(self.link(id))}">{name}</a>' if known else name

        return Markup(NAMED.sub(linked, str(escape(text))))

    def card(self, c: Record) -> str:
        """One claim, whole."""
        from markupsafe import Markup

        sources = " ".join(f"--claims {path}" for path in self.document.get("sources", ()))
        return template(
            "claim.html",
            c=c,
            told=plainly(c, self.by_id, self.used_by) if c["verdict"] == "REFUTED" else None,
            link_to=self.link,
            refer=self.refer,
            corrected=self.by_id.get(c["correction"] or ""),
            graph=Markup(graph.draw(c["id"], self.by_id, self.link)),
            used_by=self.used_by.get(c["id"], []),
            by_id=self.by_id,
            rerun=f"dpverify check {c['id']} {sources}".strip(),
        )

    def findings(self, claims: list[Record]) -> list[tuple[str | None, list[Any]]]:
        """The refuted claims by what they break, each with its three sentences and its correction."""
        wrong = findings({"papers": [{"claims": claims}]})
        explained = [
            (c, plainly(c, self.by_id, self.used_by), self.by_id.get(c["correction"] or "")) for c in wrong
        ]
        groups = [(kind, [row for row in explained if row[0]["breaks"] == kind]) for kind in SEVERITIES]
        return [(kind, rows) for kind, rows in groups if rows]

    def pages(self, paper: Record, cards: dict[str, str], pictures: dict[str, str]) -> dict[str, str]:
        """The pages of one paper: contents and findings, then its claims, on the same page if they fit."""
        claims, key = paper["claims"], paper["key"]
        parts = _packed({id: len(card.encode()) for id, card in cards.items()})
        if len(parts) > 1:
            for number, ids in enumerate(parts, 1):
                self.page_of |= {id: page_name(key, number) for id in ids}
        shared = {
            "paper": paper,
            "link_to": self.link,
            "refer": self.refer,
            "counts": _counts(claims),
            "foundations": foundations(claims),
            "pictures": pictures,
            "parts": parts,
            "page_of": self.page_of,
        }
        contents = {"findings": self.findings(claims), **shared}
        inside = [cards[id] for id in parts[0]] if len(parts) == 1 else []
        files = {page_name(key): _fitting("paper.html", cards=_safe(inside), **contents)}
        if len(parts) > 1:
            for number, ids in enumerate(parts, 1):
                files[page_name(key, number)] = template(
                    "part.html",
                    number=number,
                    of=len(parts),
                    cards=_safe([cards[id] for id in ids]),
                    **shared,
                )
        return files


def _safe(cards: list[str]) -> Any:
    from markupsafe import Markup

    return Markup("\n").join(Markup(card) for card in cards)


def _packed(sizes: dict[str, int]) -> list[list[str]]:
    """The claims in their order, on as many pages as their sizes ask for.

    >>> _packed({"p/a": 200_000, "p/b": 150_000, "p/c": 1_000})
    [['p/a'], ['p/b', 'p/c']]
    """
    parts: list[list[str]] = [[]]
    room = LARGEST - 100_000  # for the frame, the contents and the findings
    for id, size in sizes.items():
        if parts[-1] and size > room:
            parts.append([])
            room = LARGEST - 100_000
        parts[-1].append(id)
        room -= size
    return parts


PICTURES = "pictures"


def _made(document: Record, piece: str) -> dict[str, Any]:
    """A piece of the report that stands for itself: its pictures, or the cards of the claims of one paper."""
    if piece == PICTURES:
        return figures.of_report(document)
    site = _Site(document)
    return {c["id"]: site.card(c) for p in document["papers"] if p["key"] == piece for c in p["claims"]}


def write(
    document: Record,
    folder: str | Path,
    times: Record | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    jobs: int = 1,
) -> Path:
    """Write the report; returns the path of its index."""
    tell = progress or (lambda what, done, total: None)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    pieces = [PICTURES, *sorted(p["key"] for p in document["papers"])]
    pieces.sort(key=lambda piece: -sum(len(p["claims"]) for p in document["papers"] if p["key"] == piece))
    made: dict[str, dict[str, Any]] = {}
    for piece, result in each(_made, pieces, shared=(document,), workers=jobs, ordered=False):
        made[piece] = result
        tell(f"pages: {piece}", len(made), len(pieces))
    pictures = made[PICTURES]
    files = {
        "results.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
        "results.schema.json": json.dumps(JSON_SCHEMA, indent=1) + "\n",
        "results.md": formats.markdown(document),
        "junit.xml": formats.junit(document, (times or {}).get("claims", {})),
        "results.sarif": formats.sarif(document),
        "times.json": json.dumps(times or {}, indent=1) + "\n",
        **{file_name(name): picture.svg for name, picture in pictures.items()},
    }
    site = _Site(document)
    for paper in document["papers"]:
        own = {file_name(n): p.alt for n, p in pictures.items() if n.startswith(f"{paper['key']}:")}
        files |= site.pages(paper, made[paper["key"]], own)
    files["claims.html"] = template("claims.html", doc=document, link_to=site.link)
    files["index.html"] = _fitting(
        "index.html",
        doc=document,
        counts={p["key"]: _counts(p["claims"]) for p in document["papers"]},
        foundations=foundations(list(site.by_id.values())),
        verdicts=VERDICTS,
        findings=site.findings(list(site.by_id.values())),
        undecided=[c for c in site.by_id.values() if c["verdict"] == "UNDECIDED"],
        pictures={file_name(name): p.alt for name, p in pictures.items() if ":" not in name},
        times=times or {},
        link_to=site.link,
        refer=site.refer,
        page=page_name,
    )
    for name, text in files.items():
        (out / name).write_text(site.linked(text) if name.endswith(".html") else text, encoding="utf-8")
    return out / "index.html"


def page_name(key: str, number: int | None = None) -> str:
    """The file of a paper, or of one part of its claims.

    >>> page_name("dp-accel"), page_name("dp-accel", 2)
    ('dp-accel.html', 'dp-accel.2.html')
    """
    return re.sub(r"[^A-Za-z0-9._-]", "_", key) + (f".{number}" if number else "") + ".html"


def file_name(picture: str) -> str:
    """The file of a picture.

    >>> file_name("dynamic-noise:schedules")
    'dynamic-noise-schedules.svg'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "-", picture) + ".svg"
