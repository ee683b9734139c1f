"""The document of a report: plain data, versioned, validated when it is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA = "dpverify-report/3"
VERDICTS = ("REFUTED", "UNDECIDED", "SUPPORTED", "PROVED")
SEVERITIES: dict[str | None, str] = {
    "privacy": "What breaks privacy",
    "theorem": "What breaks a stated theorem",
    "proof": "What breaks a printed proof, and by itself no theorem",
    "text": "What is wrong in the text",
    "misprint": "Misprints",
    None: "Other statements, and questions of our own",
}

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_FIGURES = (
    "algorithm",
    "paper",
    "runs",
    "quantity",
    "mean",
    "exact",
    "bound",
    "bound_claim",
    "bound_verdict",
    "exceeds_bound",
    "claimed",
    "adjacency",
    "accountant_epsilon",
    "accountant_delta",
    "certified",
    "path",
    "spread",
    "noise",
    "influence",
    "optimum",
)
JSON_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Results of a dpverify report",
    "type": "object",
    "required": [
        "schema",
        "dpverify",
        "profile",
        "seed",
        "versions",
        "papers",
        "algorithms",
        "zoo",
        "lost",
        "sources",
        "alphas",
    ],
    "properties": {
        "schema": {"const": SCHEMA},
        "dpverify": _TEXT,
        "profile": _TEXT,
        "seed": {"type": "integer"},
        "versions": {"type": "object", "additionalProperties": _TEXT},
        "sources": {
            **_TEXTS,
            "description": "files of claims that were given instead of the installed papers",
        },
        "alphas": {
            "type": "object",
            "description": "by what they are for, the sum of the alphas of the tests: the probability that "
            "any of them refutes falsely is at most this",
        },
        "papers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["key", "citation", "claims"],
                "properties": {
                    "key": _TEXT,
                    "citation": _TEXT,
                    "claims": {"type": "array", "items": {"$ref": "#/$defs/claim"}},
                },
            },
        },
        "algorithms": {
            "type": "array",
            "items": {"type": "object", "required": list(_FIGURES)},
        },
        "zoo": {"type": "array", "items": {"type": "object", "required": ["bug", "found", "rungs"]}},
        "lost": {"type": "object", "description": "runs and audits that ended without an answer, and why"},
    },
    "$defs": {
        "claim": {
            "type": "object",
            "required": [
                "id",
                "at",
                "file",
                "line",
                "kind",
                "statement",
                "verdict",
                "expect",
                "because",
                "witness",
                "uses",
                "correction",
                "breaks",
                "standing",
                "given",
                "tainted",
                "evidence",
                "steps",
                "latex",
                "missing",
            ],
            "properties": {
                "id": _TEXT,
                "at": _TEXT,
                "file": _TEXT,
                "line": {"type": "integer"},
                "kind": _TEXT,
                "standing": _TEXT,
                "statement": _TEXT,
                "verdict": {"enum": list(VERDICTS)},
                "expect": {"enum": list(VERDICTS)},
                "because": _TEXT,
                "uses": _TEXTS,
                "given": _TEXTS,
                "tainted": _TEXTS,
                "latex": _TEXT,
                "missing": {
                    **_TEXTS,
                    "description": "optional packages that were asked for on the way and are not installed",
                },
                "correction": {"type": ["string", "null"]},
                "breaks": {"enum": ["privacy", "theorem", "proof", "text", "misprint", None]},
                "witness": {"type": ["object", "null"]},
                "evidence": {"type": ["object", "null"]},
                "steps": {"type": "array"},
            },
        }
    },
}


def rests_on_one_solver(claim: dict[str, Any]) -> bool:
    """Whether a part of a proof is the word of one solver, that nobody else confirmed.

    >>> leaf = {"steps": [], "judges": ["Z3"]}
    >>> rests_on_one_solver({"steps": [leaf], "judges": []})
    True
    """
    if claim["steps"]:
        return any(rests_on_one_solver(step) for step in claim["steps"])
    return claim.get("judges") == ["Z3"]


def foundations(claims: list[dict[str, Any]]) -> str:
    """How many proofs have two judges, in words.

    >>> foundations([{"verdict": "PROVED", "steps": [], "judges": ["Z3", "cvc5"], "evidence": None}])
    '1 of 1 proofs (100.0 %) have two judges or an exact certificate in every part.'
    """
    proofs = [c for c in claims if c["verdict"] == "PROVED"]
    if not proofs:
        return ""
    two = sum(not rests_on_one_solver(c) for c in proofs)
    counted = f"{two} of {len(proofs)} proofs ({100 * two / len(proofs):.1f} %)"
    return f"{counted} have two judges or an exact certificate in every part."


class ReportError(ValueError):
    """A results file that cannot be used; the message says where and why."""


def load(path: str | Path) -> dict[str, Any]:
    """A document written earlier; a bad or half-written file is an error that says what is wrong with it."""
    try:
        document = json.loads(Path(path).read_text())
    except OSError as error:
        raise ReportError(f"Expected a results file at {path}: {error.strerror}.") from None
    except ValueError as error:
        raise ReportError(f"Expected JSON in {path}: {error}. The file may be half-written.") from None
    problem = validate(document, JSON_SCHEMA, "")
    if problem:
        raise ReportError(f"Expected results of schema {SCHEMA} in {path}: {problem}.")
    return document


def validate(value: Any, schema: dict[str, Any], where: str) -> str | None:
    """The first way in which a value does not fit the part of JSON Schema used here, or None.

    >>> validate({"schema": "other"}, {"type": "object", "properties": {"schema": {"const": "x"}}}, "")
    "at /schema: 'other' is not 'x'"
    """
    if "$ref" in schema:
        schema = JSON_SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "const" in schema and value != schema["const"]:
        return f"at {where or '/'}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"at {where or '/'}: {value!r} is not one of {schema['enum']}"
    kinds = schema.get("type", [])
    python = {
        "object": dict,
        "array": list,
        "string": str,
        "number": (int, float),
        "integer": int,
        "null": type(None),
    }
    names = [kinds] if isinstance(kinds, str) else kinds
    if names and not any(isinstance(value, python[name]) for name in names):  # type: ignore[arg-type]
        return f"at {where or '/'}: {type(value).__name__} is not {' or '.join(names)}"
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                return f"at {where or '/'}: {name!r} is missing"
        for name, part in schema.get("properties", {}).items():
            if name in value and (problem := validate(value[name], part, f"{where}/{name}")):
                return problem
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            if problem := validate(item, schema["items"], f"{where}/{i}"):
                return problem
    return None


def crashed(record: dict[str, Any]) -> bool:
    """Whether a claim has no verdict because it crashed."""
    return (record["evidence"] or {}).get("method") == "crash"


def as_expected(record: dict[str, Any]) -> bool:
    """Whether the verdict of a claim is the one it expects; a crash never is.

    >>> as_expected({"verdict": "UNDECIDED", "expect": "UNDECIDED", "evidence": {"method": "crash"}})
    False
    """
    return record["verdict"] == record["expect"] and not crashed(record)


def broken(record: dict[str, Any]) -> str:
    """What a refuted claim breaks, in words.

    >>> broken({"breaks": None, "standing": "ours"})
    'a question of our own'
    """
    return record["breaks"] or ("a question of our own" if record["standing"] == "ours" else "a statement")


def findings(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The refuted claims, those that matter most first: privacy, theorems, proofs."""
    refuted = [c for paper in document["papers"] for c in paper["claims"] if c["verdict"] == "REFUTED"]
    return sorted(refuted, key=lambda c: (list(SEVERITIES).index(c["breaks"]), c["id"].split("/")[0]))
