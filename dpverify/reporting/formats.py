"""The same results for programs: Markdown, JUnit XML, SARIF for code hosts, annotations of GitHub Actions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from dpverify import __version__
from dpverify.reporting.document import VERDICTS, as_expected, broken, crashed, findings, foundations
from dpverify.verdicts import shown_in


def _cell(text: str) -> str:
    """A text from outside, on one line, that neither breaks a table nor smuggles in HTML."""
    return escape(" ".join(text.split()), quote=False).replace("|", "\\|")


def markdown(document: dict[str, Any], times: dict[str, float] | None = None) -> str:
    """The findings and every verdict as Markdown."""
    lines = [
        f"# Proof-check report (dpverify {document['dpverify']}, profile {document['profile']}, "
        f"seed {document['seed']})",
        "",
    ]
    lines += ["| paper | " + " | ".join(VERDICTS) + " |", "|---|" + "---|" * len(VERDICTS)]
    for paper in document["papers"]:
        counts = Counter(c["verdict"] for c in paper["claims"] if c["standing"] == "statement")
        lines.append(f"| {paper['key']} | " + " | ".join(str(counts[v]) for v in VERDICTS) + " |")
    lines += ["", foundations([c for paper in document["papers"] for c in paper["claims"]])]
    lines += ["", "## Findings", ""]
    for c in findings(document):
        lines.append(
            f"- **{c['id']}** ({c['at']}; breaks {broken(c)}): "
            f"{_cell(c['statement'])} — {_cell(c['because'])}"
        )
        if c["correction"]:
            lines.append(f"  Nearest true form: {c['correction']}.")
    for paper in document["papers"]:
        lines += [
            "",
            f"## {paper['key']}",
            "",
            _cell(paper["citation"]),
            "",
            "| claim | at | verdict | statement | because |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {c['id']} | {_cell(c['at'])} | {c['verdict']} | {_cell(c['statement'])} | "
            f"{_cell(c['because'])} |"
            for c in paper["claims"]
        ]
    if document["zoo"]:
        lines += ["", "## Planted bugs", "", "| bug | found | by | samples |", "|---|---|---|---|"]
        lines += [
            f"| {b['bug']} | {'yes' if b['found'] else 'no'} | {b['rung']} | {b['samples'] or ''} |"
            for b in document["zoo"]
        ]
    return "\n".join(lines) + "\n"


def _legal(text: str) -> str:
    """The text without characters that XML 1.0 cannot hold."""
    return "".join(
        ch
        for ch in text
        if ch in "\t\n\r" or " " <= ch <= "\ud7ff" or "\ue000" <= ch <= "\ufffd" or ch > "\uffff"
    )


def junit(document: dict[str, Any], times: dict[str, float] | None = None) -> str:
    """JUnit XML: a refutation that was not expected is a failure, a crash an error; verdict, what was shown,
    the ceiling and the seconds are properties.
    """
    root = ElementTree.Element("testsuites", name="dpverify")
    for paper in document["papers"]:
        kinds = Counter(_outcome(c) for c in paper["claims"])
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=paper["key"],
            tests=str(len(paper["claims"])),
            failures=str(kinds["failure"]),
            errors=str(kinds["error"]),
        )
        for c in paper["claims"]:
            seconds = (times or {}).get(c["id"])
            case = ElementTree.SubElement(suite, "testcase", classname=paper["key"], name=c["id"])
            case.attrib |= {"file": c["file"], "line": str(c["line"])}
            if seconds is not None:
                case.set("time", f"{seconds:.3f}")
            properties = ElementTree.SubElement(case, "properties")
            values = {
                "verdict": c["verdict"],
                "expected": c["expect"],
                "shown": shown_in((c["evidence"] or {}).get("certificate") or {}),
                "ceiling": (c["evidence"] or {}).get("ceiling"),
                "seconds": seconds,
            }
            for name, value in values.items():
                if value is not None:
                    ElementTree.SubElement(properties, "property", name=name, value=_legal(str(value)))
            if kind := _outcome(c):
                bad = ElementTree.SubElement(case, kind, message=f"{c['verdict']}, expected {c['expect']}")
                bad.text = _legal(c["because"])
            out = ElementTree.SubElement(case, "system-out")
            out.text = _legal(f"{c['verdict']}: {c['statement']}\n{c['because']}")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _outcome(record: dict[str, Any]) -> str:
    """The name of JUnit for a claim: empty if it is as expected."""
    return "" if as_expected(record) else "error" if crashed(record) else "failure"


def sarif(document: dict[str, Any], times: dict[str, float] | None = None) -> str:
    """SARIF 2.1.0: a verdict other than expected is an error at the file and line of its claim, an expected
    refutation a note.
    """
    chosen = [
        c
        for paper in document["papers"]
        for c in paper["claims"]
        if c["verdict"] == "REFUTED" or not as_expected(c)
    ]
    results = [
        sarif_result(
            c["id"],
            i,
            "note" if as_expected(c) else "error",
            f"{c['at']}: {c['statement']} {c['verdict']}, expected {c['expect']}: {c['because']}",
            c["file"],
            c["line"],
        )
        for i, c in enumerate(chosen)
    ]
    return sarif_log(results, [(c["id"], c["statement"]) for c in chosen])


def sarif_result(rule: str, index: int, level: str, text: str, file: str, line: int) -> dict[str, Any]:
    """One result at a physical place and at a logical one."""
    return {
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": Path(file).as_uri() if file.startswith("/") else quote(file)},
                    "region": {"startLine": line},
                },
                "logicalLocations": [{"fullyQualifiedName": rule, "kind": "member"}],
            }
        ],
    }


def sarif_log(results: list[dict[str, Any]], rules: list[tuple[str, str]]) -> str:
    """A whole SARIF file; each rule is a name and a sentence."""
    driver = {
        "name": "dpverify",
        "version": __version__,
        "rules": [{"id": id, "shortDescription": {"text": text}} for id, text in rules],
    }
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def github(document: dict[str, Any], times: dict[str, float] | None = None) -> str:
    """Workflow commands of GitHub Actions: an error at the line of each claim that is not as expected (a
    warning if it is only open), and a notice with the counts.
    """
    claims = [c for paper in document["papers"] for c in paper["claims"]]
    lines = [
        github_line(
            "warning" if c["verdict"] == "UNDECIDED" and not crashed(c) else "error",
            f"{c['id']}: {c['verdict']}, expected {c['expect']}",
            f"{c['statement']} {c['because']}",
            c["file"],
            c["line"],
        )
        for c in claims
        if not as_expected(c)
    ]
    counts = Counter(c["verdict"] for c in claims)
    words = ", ".join(f"{counts[v]} {v}" for v in VERDICTS if counts[v])
    odd = sum(not as_expected(c) for c in claims)
    lines.append(github_line("notice", "dpverify", f"{words}; {odd} not as expected"))
    return "\n".join(lines) + "\n"


def github_line(kind: str, title: str, text: str, file: str | None = None, line: int | None = None) -> str:
    """One workflow command, its texts escaped as GitHub asks.

    >>> github_line("error", "a: b", "50% of\\nit", "f.py", 3)
    '::error file=f.py,line=3,title=a%3A b::50%25 of%0Ait'
    """

    def plain(value: str) -> str:
        return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    def inside(value: str) -> str:
        return plain(value).replace(":", "%3A").replace(",", "%2C")

    place = {"file": file, "line": str(line) if line else None, "title": title}
    options = ",".join(f"{name}={inside(value)}" for name, value in place.items() if value)
    return f"::{kind} {options}::{plain(text)}"


WRITERS: dict[str, Callable[..., str]] = {
    "markdown": markdown,
    "junit": junit,
    "sarif": sarif,
    "github": github,
}
