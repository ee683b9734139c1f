"""The page of other people's software: findings by their cause, what was examined and held, and the results
kept in a folder.

One JSON file per target, written where its library is installed; the page is drawn from all of them, so that
libraries that cannot be installed together still share it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpverify.reporting.causes import MEANING, PAGES, SCRIPTS, SEVERITIES, Cause, causes, page
from dpverify.reporting.formats import _cell
from dpverify.reporting.writing import template
from dpverify.subjects import SHOWN

if TYPE_CHECKING:
    from dpverify.properties.examination import Examination

SCHEMA = "dpverify-target/1"
RESULTS = "results"  # the folder of the kept results, beside the page
CELLS = ("met by", "claim", "shown", "severity", "upstream")  # the fields of a finding on its line


def keep(examination: Examination, folder: str | Path) -> Path:
    """Write what came of one target to its file among the results of the folder, without the times: the file
    changes where the result does.
    """
    from dpverify import __version__

    out = Path(folder) / RESULTS
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{examination.target.name.replace(':', '-').replace('/', '-')}.json"
    record = {"schema": SCHEMA, "dpverify": __version__, **examination.to_json()}
    del record["seconds"]
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


def refuted(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The laws that a target breaks. Not among them: half the claim, which shows the reach of the audits;
    records that are not numbers, and seeds, which show a behaviour.

    >>> refuted({"laws": {"half": {"verdict": "REFUTED"}, "noise": {"verdict": "REFUTED"}}})
    {'noise': {'verdict': 'REFUTED'}}
    """
    return {
        law: result
        for law, result in record["laws"].items()
        if law not in (*SHOWN, "seeds") and result.get("verdict") == "REFUTED"
    }


def changes(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[str]:
    """What is different between two sets of kept results, in one line each: targets, versions, verdicts.

    >>> changes([{"target": "a:b", "versions": {"a": "1"}, "laws": {"noise": {"verdict": "REFUTED"}}}],
    ...     [{"target": "a:b", "versions": {"a": "2"}, "laws": {"noise": {"verdict": "SUPPORTED"}}}])
    ['a:b: a 1 is now a 2', 'a:b, noise: REFUTED is now SUPPORTED']
    """
    old, new = ({record["target"]: record for record in records} for records in (before, after))
    lines = [f"{name}: gone" for name in old if name not in new]
    for name, record in new.items():
        if name not in old:
            lines.append(f"{name}: new")
            continue
        if versions(old[name]) != versions(record):
            lines.append(f"{name}: {versions(old[name])} is now {versions(record)}")
        for law in dict.fromkeys([*old[name]["laws"], *record["laws"]]):
            was, now = (
                each["laws"].get(law, {}).get("verdict", "not applicable") for each in (old[name], record)
            )
            if was != now:
                lines.append(f"{name}, {law}: {was} is now {now}")
    return lines


def write_page(folder: str | Path) -> Path:
    """Draw index.html, README.md and a page for each finding from the scripts and the results kept in a
    folder; returns the path of the first.
    """
    out = Path(folder)
    records = read(folder)
    known = causes(folder)
    html = template(
        "targets.html",
        records=records,
        causes=known,
        sections=sections(known),
        others=others(unexplained(records, known)),
        held=[record for record in records if not refuted(record)],
        refuted=refuted,
        reach=reach,
        introduction=INTRODUCTION,
        meanings=MEANING,
        what_held=HELD,
        not_examined=NOT_EXAMINED,
    )
    (out / "index.html").write_text(html, encoding="utf-8")
    (out / "README.md").write_text(_markdown(records, known), encoding="utf-8")
    _write_pages(out, known)
    return out / "index.html"


def _write_pages(out: Path, known: list[Cause]) -> None:
    """One page a finding, and none of findings that are gone."""
    (out / PAGES).mkdir(exist_ok=True)
    for path in (out / PAGES).glob("*.md"):
        if path.stem not in {one.name for one in known}:
            path.unlink()
    for one in known:
        script = (out / SCRIPTS / f"{one.name}.py").read_text(encoding="utf-8")
        (out / PAGES / f"{one.name}.md").write_text(page(one, script), encoding="utf-8")


def sections(known: list[Cause]) -> dict[str, list[Cause]]:
    """The findings under the headings of the page."""
    mended = [one for one in known if one["mended"]]
    open_ = [one for one in known if not one["mended"]]
    return {
        "What breaks privacy": [one for one in open_ if one["severity"] in SEVERITIES[:3]],
        "What the library documents itself": [one for one in open_ if one["severity"] == SEVERITIES[3]],
        "Accuracy only": [one for one in open_ if one["severity"] == SEVERITIES[4]],
        "Mended": mended,
    }


def unexplained(records: list[dict[str, Any]], known: list[Cause]) -> list[dict[str, Any]]:
    """Targets that break a law, and that no script is about."""
    return [
        record
        for record in records
        if refuted(record) and not any(one.about(record["target"]) for one in known)
    ]


def others(records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Targets under the headings that follow those of the findings: libraries, then what is no library.

    >>> others([{"target": "published:diff2", "versions": {}}])
    {'Programs of papers, restated here': [{'target': 'published:diff2', 'versions': {}}]}
    """
    titles = {
        "Other laws that were refuted": [record for record in records if record["versions"]],
        "Programs of papers, restated here": [record for record in records if not record["versions"]],
    }
    return {title: chosen for title, chosen in titles.items() if chosen}


def reach(record: dict[str, Any]) -> str:
    """What the audits of a target could have seen.

    >>> reach({"laws": {"half": {"verdict": "REFUTED"}}})
    'half the claim is refuted'
    """
    half = record["laws"].get("half", {}).get("verdict")
    if half == "REFUTED":
        return "half the claim is refuted"
    for law in ("training", "sensitivity", "bounds", "gradients", "budget"):
        evidence = record["laws"].get(law, {}).get("evidence") or {}
        if evidence.get("ceiling"):
            return str(evidence["ceiling"]).split("; ")[0]  # the rest stands with the result
    return "nothing was audited"


def _markdown(records: list[dict[str, Any]], known: list[Cause]) -> str:
    lines = ["# Other people's software under audit", "", *INTRODUCTION, ""]
    lines += [*(f"- **{severity}**: {meaning}" for severity, meaning in MEANING.items()), ""]
    for title, chosen in sections(known).items():
        if not chosen:
            continue
        lines += [
            f"## {title}",
            "",
            "| what, in which library | what a user does to meet it | what is claimed, and where | "
            "what was shown | severity | upstream |",
            "|---|---|---|---|---|---|",
        ]
        for one in chosen:
            where = f"**{_cell(one['library'])}**: [{_cell(one.title.rstrip('.'))}]({PAGES}/{one.name}.md)"
            cells = [where, *(_cell(one[field]) for field in CELLS)]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    for title, broken in others(unexplained(records, known)).items():
        lines += [f"## {title}", ""]
        for record in broken:
            lines.append(f"- **{record['target']}** ({_cell(versions(record))}): {_cell(record['about'])}")
            for law, result in refuted(record).items():
                lines.append(f"  - {law}: {_cell(result['because'][:300])}")
        lines.append("")
    lines += ["## What was examined and held", "", *HELD, ""]
    lines += ["| target | what was run | version | what the audits could have seen |"]
    lines += ["|---|---|---|---|"]
    for record in records:
        if not refuted(record):
            cells = [record["target"], record["about"], versions(record), reach(record)]
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    shows = [r["target"] for r in records if r["laws"].get("nan", {}).get("verdict") == "REFUTED"]
    unseeded = [r["target"] for r in records if r["laws"].get("seeds", {}).get("verdict") == "REFUTED"]
    lines += [
        "",
        "Records that are not numbers are in hardly anybody's claim. These show one in their output, which",
        f"is a behaviour and no verdict: {', '.join(shows) or 'none'}.",
        "",
        "These draw noise that no seed repeats, as they may: their runs are not the same again, bit by bit:",
        f"{', '.join(unseeded) or 'none'}.",
        "",
        "## What was not examined",
        "",
        *(f"- **{name}**: {why}" for name, why in NOT_EXAMINED.items()),
        "",
        "Settings, claims, witnesses and what each law said stand in `results/`, and on the page that",
        "`dpverify targets --test -o findings` draws, `index.html`.",
    ]
    return "\n".join(lines) + "\n"


INTRODUCTION = (
    "One line is one cause, with a page of its own: where the claim stands, what in the source causes it as",
    "far as known, what may mend it, and a script that uses the library alone and prints the violation in",
    "seconds. The scripts are tests of the environments `tox -e torch`, `jax`, `sklearn`, `legacy`, `pfl`,",
    "`tf`, `others`, `synth`, `tumult`: where an upgrade mends a finding, the test says so.",
    "`make findings` runs everything again and says what changed. A finding is about that version and that",
    "configuration, and nothing more.",
)
HELD = (
    "These broke no law that applies to them. That is no proof: the last column says what would have been",
    "seen. Where half the claim is refuted, the audit that does not refute the claim refutes half its",
    "epsilon on the same data, so that a guarantee that is wrong by a factor of two would have shown.",
)

NOT_EXAMINED = {
    "dp-transformers 1.0.0": "pip finds no torch for it: it asks for 1.12.1 at most, and the first for "
    "Python 3.11 is 1.13.0. By their sources, without its dependencies it does not go with opacus 1.6.0 and "
    "transformers 5.23.0 either: Conv1D is no longer in transformers.modeling_utils, its sampler for tied "
    "embeddings passes create_or_accumulate_grad_sample arguments by place that are by name now, and its "
    "training_step reads use_cuda_amp, which the Trainer has no more. Read and not run: a batch of its "
    "Trainer holds a fixed number of shuffled authors, which its accountants charge like a Poisson sample.",
    "private-transformers, fastDP": "neither is on the registry.",
    "DPLinearRegression of smartnoise-synth 1.0.8": "it ends in an error on all data, since amsweep asks an "
    "array whether it `is False`; what it draws before that is smartnoise:covariance.",
    "secure_mode of opacus 1.6.0": "it needs torchcsprng, of which no release is for Python 3.11.",
}


def versions(record: dict[str, Any]) -> str:
    """The versions of the packages of a target, on one line.

    >>> versions({"versions": {"opacus": "1.6.0"}})
    'opacus 1.6.0'
    """
    return ", ".join(f"{name} {version}" for name, version in record["versions"].items()) or "restated here"
