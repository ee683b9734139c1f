"""The same results for programs: Markdown, JUnit XML, and SARIF for code hosts."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from typing import Any
from xml.etree import ElementTree

from dpverify.reporting.document import VERDICTS, findings


def _cell(text: str) -> str:
    """A text from outside, on one line, that neither breaks a table nor smuggles in HTML."""
    return escape(" ".join(text.split()), quote=False).replace("|", "\\|")


def markdown(document: dict[str, Any]) -> str:
    """The findings and every verdict as Markdown."""
    lines = [
        f"# Proof-check report (dpverify {document['dpverify']}, profile {document['profile']}, "
        f"seed {document['seed']})",
        "",
    ]
    lines += ["| paper | " + " | ".join(VERDICTS) + " |", "|---|" + "---|" * len(VERDICTS)]
    for paper in document["papers"]:
        counts = Counter(c["verdict"] for c in paper["claims"])
        lines.append(f"| {paper['key']} | " + " | ".join(str(counts[v]) for v in VERDICTS) + " |")
    lines += ["", "## Findings", ""]
    for c in findings(document):
        lines.append(
            f"- **{c['id']}** ({c['at']}; breaks {c['breaks'] or 'a statement'}): "
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


def junit(document: dict[str, Any]) -> str:
    """JUnit XML: a verdict other than the expected one is a failure."""
    root = ElementTree.Element("testsuites", name="dpverify")
    for paper in document["papers"]:
        odd = [c for c in paper["claims"] if c["verdict"] != c["expect"]]
        suite = ElementTree.SubElement(
            root, "testsuite", name=paper["key"], tests=str(len(paper["claims"])), failures=str(len(odd))
        )
        for c in paper["claims"]:
            case = ElementTree.SubElement(suite, "testcase", classname=paper["key"], name=c["id"])
            if c in odd:
                fail = ElementTree.SubElement(
                    case, "failure", message=f"{c['verdict']}, expected {c['expect']}"
                )
                fail.text = _legal(c["because"])
            out = ElementTree.SubElement(case, "system-out")
            out.text = _legal(f"{c['verdict']}: {c['statement']}\n{c['because']}")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def sarif(document: dict[str, Any]) -> str:
    """SARIF 2.1.0: refuted claims as errors (privacy, theorems) and warnings (proofs), verdicts that differ
    as errors.
    """
    levels = {"privacy": "error", "theorem": "error", "proof": "warning", None: "note"}
    results = [
        {
            "ruleId": c["id"],
            "level": "error" if c["verdict"] != c["expect"] else levels[c["breaks"]],
            "message": {"text": f"{c['at']}: {c['statement']} {c['verdict']}: {c['because']}"},
            "locations": [{"logicalLocations": [{"fullyQualifiedName": c["id"], "kind": "member"}]}],
        }
        for paper in document["papers"]
        for c in paper["claims"]
        if c["verdict"] == "REFUTED" or c["verdict"] != c["expect"]
    ]
    rules = [{"id": r["ruleId"], "shortDescription": {"text": r["message"]["text"][:120]}} for r in results]
    run = {
        "tool": {"driver": {"name": "dpverify", "version": document["dpverify"], "rules": rules}},
        "results": results,
    }
    return json.dumps({"version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"
