"""What a report is made of: claims checked, algorithms run against their bounds, planted bugs audited."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dpverify import __version__
from dpverify.effort import QUICK, Effort
from dpverify.memory import Memory, versions
from dpverify.parallel import each
from dpverify.places import place_of
from dpverify.reporting.document import SCHEMA
from dpverify.reporting.runs import judged
from dpverify.verdicts import SUPPORTED, Result

if TYPE_CHECKING:
    from dpverify.checking import Checked

ALPHA = 1e-3  # of one audit in the zoo
BULKY = 2_000  # characters of a certificate beyond which only its summary is reported

Progress = Callable[[str, int, int], None]


def collect(
    *,
    paper: str | None = None,
    claims: list[str] | None = None,
    effort: Effort = QUICK,
    jobs: int = 2,
    seconds: float | None = None,
    memory: Memory | None = None,
    runs: bool = True,
    audits: bool = True,
    progress: Progress | None = None,
    watch: Callable[[dict[str, float]], None] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The document of a report, and, apart from it, the times that it took."""
    from dpverify.algorithms import names
    from dpverify.checking import check
    from dpverify.zoo import bugs

    tell = progress or (lambda what, done, total: None)
    started = time.perf_counter()
    checked = check(
        paper=paper,
        paths=claims or (),
        effort=effort,
        jobs=jobs,
        seconds=seconds,
        watch=watch,
        memory=memory,
        progress=lambda id, d, n: tell(f"claim {id}", d, n),
    )
    times: dict[str, Any] = {"claims": times_of(checked)}
    papers = papers_of(checked)
    keys = {paper["key"] for paper in papers}
    algorithms, zoo = [], []
    lost: dict[str, str] = {}

    def every(kind: str, names: list[str], one: Callable[..., dict[str, Any]]) -> list[dict[str, Any]]:
        """One record per name, in order, from memory or made anew; what could not be made is in `lost`."""
        known = {name: memory.recall_record(f"{kind} {name}", effort) for name in names} if memory else {}
        made = {name: record for name, record in known.items() if record is not None}
        todo = [name for name in names if name not in made]

        def instead(name: str, error: Exception) -> None:
            lost[f"{kind} {name}"] = f"{type(error).__name__}: {error}"

        for name, record in each(
            one, todo, shared=(effort,), workers=jobs, ordered=False, instead=instead, seconds=seconds
        ):
            if record is None:
                continue
            made[name] = record
            if memory:
                memory.keep_record(f"{kind} {name}", effort, record)
            tell(f"{kind} {name}", len(made), len(names))
        return [made[name] for name in names if name in made]

    if runs and not claims:
        records = {record["id"]: record for paper in papers for record in paper["claims"]}
        rows = [row for row in every("run", names(), _run) if row["paper"] in keys]
        algorithms = [judged(row, records) for row in rows]
    if audits and not claims and paper is None:
        zoo = every("audit", [bug.name for bug in bugs()], _audit)
    times["total"] = round(time.perf_counter() - started, 1)
    times["recalled"] = memory.hits if memory else 0
    return _document(effort, papers, algorithms, zoo, lost, claims or []), times


def bare_document(checked: Sequence[Checked], effort: Effort) -> dict[str, Any]:
    """The document of claims alone, without runs and audits."""
    return _document(effort, papers_of(checked), [], [], {}, [])


def document_of_audit(name: str, mechanism: Any, claim: Any, result: Result) -> dict[str, Any]:
    """The document of one audit, at the file and line of its mechanism; it is expected to be SUPPORTED."""
    place = place_of(mechanism)
    record = {
        "id": name,
        "paper": "audits",
        "at": str(claim),
        "file": place.file if place else name,
        "line": place.line if place else 1,
        "kind": "audit",
        "statement": f"{name} keeps {claim}.",
        "expect": SUPPORTED.value,
        "uses": [],
        "correction": None,
        "breaks": "privacy",
        "given": [],
        "tainted": [],
        **result.to_json(),
    }
    papers = [{"key": "audits", "citation": "", "claims": [_timeless(record)]}]
    return _document(QUICK, papers, [], [], {}, [])


def _document(
    effort: Effort,
    papers: list[dict[str, Any]],
    algorithms: list[dict[str, Any]],
    zoo: list[dict[str, Any]],
    lost: dict[str, str],
    sources: list[str],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "dpverify": __version__,
        "profile": effort.name,
        "seed": effort.seed,
        "versions": versions(),
        "sources": sources,
        "alphas": _spent(papers, len(zoo)),
        "papers": papers,
        "algorithms": algorithms,
        "zoo": zoo,
        "lost": dict(sorted(lost.items())),
    }


def _spent(papers: list[dict[str, Any]], bugs: int) -> dict[str, float]:
    """The sum of the alphas of all tests, by what they are for."""
    spent = {
        f"tests of claims of {paper['key']}": sum(a for c in paper["claims"] for a in _alphas(c))
        for paper in papers
    }
    spent |= {"audits of planted bugs": ALPHA * bugs, "audits of their correct twins": ALPHA * bugs}
    return {what: float(alpha) for what, alpha in spent.items() if alpha}


def papers_of(checked: Sequence[Checked]) -> list[dict[str, Any]]:
    """Checked claims as records, gathered by paper, without their times."""
    papers: dict[str, dict[str, Any]] = {}
    for c in checked:
        paper = c.claim.paper
        entry = papers.setdefault(paper.key, {"key": paper.key, "citation": paper.citation, "claims": []})
        entry["claims"].append(_timeless(c.to_json()))
    return list(papers.values())


def times_of(checked: Sequence[Checked]) -> dict[str, float]:
    """The seconds that each claim took."""
    return {c.claim.id: round(c.result.seconds, 3) for c in checked}


def _timeless(record: Any) -> Any:
    """The record without its times, and with certificates that are too long to read left out."""
    if isinstance(record, list):
        return [_timeless(part) for part in record]
    if not isinstance(record, dict):
        return record
    result = {key: _timeless(value) for key, value in record.items() if key != "seconds"}
    certificate = result.get("certificate")
    if isinstance(certificate, dict) and len(str(certificate)) > BULKY:
        result["certificate"] = {
            "summary": certificate.get("summary", ""),
            "left out": f"{len(str(certificate))} characters; see `dpverify check --json`",
        }
    return result


def _alphas(record: dict[str, Any]) -> list[float]:
    """The alphas of the tests in a claim: its own, or those of its steps."""
    inner = [a for step in record.get("steps", ()) for a in _alphas(step)]
    evidence = record.get("evidence") or {}
    return inner or ([evidence["alpha"]] if evidence.get("alpha") else [])


def _run(effort: Effort, name: str) -> dict[str, Any]:
    from dpverify.algorithms import example
    from dpverify.reporting.runs import along, summary

    case = example(name)
    result = case.simulate(min(effort.runs, 2_000), effort.seed, every_step=True)
    return summary(case, result, False) | along(case, result)


def _audit(effort: Effort, name: str) -> dict[str, Any]:
    from dpverify import zoo
    from dpverify.zoo.inspection import inspect

    bug = zoo.find(name)
    seen = inspect(bug, alpha=ALPHA, seed=effort.seed)
    rungs = {step.statement.split(":")[0]: step.result.verdict.value for step in seen.result.steps}
    return {key: value for key, value in seen.to_json().items() if key != "seconds"} | {
        "rungs": rungs,
        "seen_in": bug.seen_in,
    }
