"""Render the document of a report into a folder: pages, pictures, and the same results for programs.

Same document, same bytes; the times that a run took stand in `times.json`, in `junit.xml` and in the last
line of the index.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpverify.reporting import figures, formats, graph
from dpverify.reporting.document import JSON_SCHEMA, VERDICTS, as_expected, findings


def mathml(latex: str) -> str:
    """LaTeX as MathML that a browser renders by itself; empty if it cannot be converted.

    >>> mathml("x^2")[:5]
    '<math'
    """
    if not latex or len(latex) > 6_000:
        return ""
    from latex2mathml.converter import convert
    from latex2mathml.exceptions import ExtraLeftOrMissingRightError, NumeratorNotFoundError

    try:
        return convert(latex, display="block").replace('xmlns="http://www.w3.org/1998/Math/MathML" ', "")
    except (ExtraLeftOrMissingRightError, NumeratorNotFoundError, IndexError, ValueError, KeyError):
        return ""


def _counts(claims: list[dict[str, Any]]) -> dict[str, int]:
    counted = Counter(c["verdict"] for c in claims)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def template(name: str, **values: Any) -> str:
    """A template of this package, filled in; every text from outside is escaped."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("dpverify.reporting"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["math"] = lambda latex: Markup(mathml(latex))
    environment.globals.update(anchor=graph.anchor, mark=graph.MARK, short=_short, page=_page)
    environment.globals.update(as_expected=as_expected)
    return environment.get_template(name).render(**values)


def write(
    document: dict[str, Any],
    folder: str | Path,
    times: dict[str, Any] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Path:
    """Write the report; returns the path of its index."""
    from markupsafe import Markup

    tell = progress or (lambda what, done, total: None)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    tell("pictures", 0, 2)
    pictures = _pictures(document)
    files = {
        "results.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
        "results.schema.json": json.dumps(JSON_SCHEMA, indent=1) + "\n",
        "results.md": formats.markdown(document),
        "junit.xml": formats.junit(document, (times or {}).get("claims", {})),
        "results.sarif": formats.sarif(document),
        "times.json": json.dumps(times or {}, indent=1) + "\n",
    }
    tell("pages", 1, 2)
    used_by: dict[str, list[str]] = {}
    for paper in document["papers"]:
        for c in paper["claims"]:
            for used in c["uses"]:
                used_by.setdefault(used, []).append(c["id"])
    for paper in document["papers"]:
        svg = Markup(graph.draw(paper["claims"]))
        own = {name: Markup(svg) for name, svg in pictures.items() if name.startswith(f"{paper['key']}:")}
        files[_page(paper["key"])] = template(
            "paper.html",
            paper=paper,
            counts=_counts(paper["claims"]),
            graph=svg,
            used_by=used_by,
            pictures=own,
        )
    undecided = [c for paper in document["papers"] for c in paper["claims"] if c["verdict"] == "UNDECIDED"]
    general = {name: Markup(svg) for name, svg in pictures.items() if ":" not in name}
    files["index.html"] = template(
        "index.html",
        doc=document,
        counts={p["key"]: _counts(p["claims"]) for p in document["papers"]},
        verdicts=VERDICTS,
        findings=findings(document),
        undecided=undecided,
        pictures=general,
        times=times or {},
    )
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")
    tell("pages", 2, 2)
    return out / "index.html"


def _page(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", key) + ".html"


def _short(text: str, most: int = 300) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _pictures(document: dict[str, Any]) -> dict[str, str]:
    """The pictures by name; `paper:name` stands on the page of that paper."""
    keys = {paper["key"] for paper in document["papers"]}
    result = {}
    if "dynamic-noise" in keys:
        result["dynamic-noise:schedules"] = figures.schedules()
        result["dynamic-noise:bound"] = figures.bound_over_T()
        result["dynamic-noise:profile"] = figures.profile_curve()
    for row in document["algorithms"]:
        result[f"{row['paper']}:{row['algorithm']}"] = figures.algorithm(row)
    if document["zoo"]:
        result["zoo"] = figures.zoo(document["zoo"])
        result["audit"] = figures.audit_curve()
    return result
