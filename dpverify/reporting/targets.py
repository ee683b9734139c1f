"""The page of other people's software: targets x laws x verdicts, with versions, budgets and witnesses, from
results kept in a folder.

One JSON file per target, written where its library is installed; the page is drawn from all of them, so that
libraries that cannot be installed together still share it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpverify.reporting.formats import _cell
from dpverify.reporting.writing import template

if TYPE_CHECKING:
    from dpverify.properties.examination import Examination

SCHEMA = "dpverify-target/1"
RESULTS = "results"  # the folder of the kept results, beside the page


def keep(examination: Examination, folder: str | Path) -> Path:
    """Write what came of one target to its file among the results of the folder."""
    from dpverify import __version__

    out = Path(folder) / RESULTS
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{examination.target.name.replace(':', '-').replace('/', '-')}.json"
    record = {"schema": SCHEMA, "dpverify": __version__, **examination.to_json()}
    record["laws"] = {law: _brief(law, result) for law, result in record["laws"].items()}
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in record.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return path


def _brief(law: str, result: dict[str, Any]) -> dict[str, Any]:
    """A result with its witness once, and without the times: the rungs repeat it, and a halved claim is
    nobody's.
    """
    kept = {key: value for key, value in result.items() if key not in ("seconds", "latex", "steps")}
    if result.get("steps"):
        kept["steps"] = [
            {key: step[key] for key in ("statement", "reason", "verdict", "because", "latex")}
            | {"steps": [], "evidence": None}
            for step in result["steps"]
        ]
    if law == "half" and result.get("witness"):
        kept["witness"] = {**result["witness"], "exact": {}}
    return kept


def read(folder: str | Path) -> list[dict[str, Any]]:
    """The kept results of a folder, by name of target; a file that is not one of them is an error that names
    it.
    """
    from dpverify.reporting.document import ReportError

    records = []
    for path in sorted((Path(folder) / RESULTS).glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ReportError(f"Expected JSON in {path}: {error}.") from None
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            raise ReportError(f"Expected results of schema {SCHEMA} in {path}.")
        records.append(record)
    return records


def findings(records: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """The targets with laws that were refuted, and those laws.

    Not among them: half the claim, which is refuted to show the reach of the audits, and records that are not
    numbers (`not_numbers`).
    """
    found = [
        (
            record,
            {
                law: result
                for law, result in record["laws"].items()
                if law not in ("half", "nan") and result.get("verdict") == "REFUTED"
            },
        )
        for record in records
    ]
    return [(record, laws) for record, laws in found if laws]


def not_numbers(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The targets whose output shows a record that is not a number."""
    return [record for record in records if record["laws"].get("nan", {}).get("verdict") == "REFUTED"]


def _groups(records: list[dict[str, Any]]) -> list[tuple[list[str], list[dict[str, Any]]]]:
    """Targets that are put through the same laws stand in one table."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(tuple(record["laws"]), []).append(record)
    return [(list(laws), rows) for laws, rows in groups.items()]


def write_page(folder: str | Path) -> Path:
    """Draw index.html and README.md of a folder from the results kept in it; returns the path of the page."""
    out, records = Path(folder), read(folder)
    page = template(
        "targets.html",
        records=records,
        groups=_groups(records),
        findings=findings(records),
        not_numbers=not_numbers(records),
        introduction=INTRODUCTION,
        nan=NAN,
    )
    (out / "index.html").write_text(page, encoding="utf-8")
    (out / "README.md").write_text(_markdown(records), encoding="utf-8")
    return out / "index.html"


def _markdown(records: list[dict[str, Any]]) -> str:
    lines = ["# Other people's software under audit", "", *INTRODUCTION, ""]
    for laws, rows in _groups(records):
        lines += ["| target | version | " + " | ".join(laws) + " |", "|---|---|" + "---|" * len(laws)]
        for record in rows:
            cells = [record["laws"][law].get("verdict", "-") for law in laws]
            lines.append(f"| {record['target']} | {_cell(versions(record))} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += ["## What was refuted", ""]
    for record, refuted in findings(records):
        lines.append(f"- **{record['target']}** ({_cell(versions(record))}; {_cell(record['about'])})")
        lines += [f"  - {law}: {_cell(result['because'])}" for law, result in refuted.items()]
    lines += ["", NAN, "", ", ".join(record["target"] for record in not_numbers(records)) or "None."]
    lines += [
        "",
        "Settings, claims, notes, witnesses and the command that repeats each stand on the page, "
        "`index.html`.",
    ]
    return "\n".join(lines) + "\n"


INTRODUCTION = (
    "Each target was put through the same laws at the settings shown. SUPPORTED: a test that "
    "could have failed did not; its ceiling says what it",
    "could have shown. REFUTED: a witness breaks what the law says at that version and "
    "configuration, and nothing more; whether the library claims",
    "it is in the notes of the target. The law half audits half of the claimed epsilon and "
    "should be REFUTED: it shows the reach of these audits.",
    "A dash: the law does not apply, for the reason given.",
)
NAN = (
    "Records that are not numbers are in hardly anybody's claim. Their output shows such a record (law nan):"
)


def versions(record: dict[str, Any]) -> str:
    """The versions of the packages of a target, on one line.

    >>> versions({"versions": {"opacus": "1.6.0"}})
    'opacus 1.6.0'
    """
    return ", ".join(f"{name} {version}" for name, version in record["versions"].items()) or "restated here"
