"""The report: every text escaped, the same bytes for the same document, a crash is one claim's result, bad
files get clear errors.
"""

import base64
import hashlib
import importlib
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from dpverify.checking import check
from dpverify.cli import application
from dpverify.memory import Memory
from dpverify.reporting import ReportError, findings, load, write
from dpverify.reporting.document import JSON_SCHEMA, validate
from dpverify.reporting.graph import draw, layers, leaned_on

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"


@pytest.fixture(scope="module")
def folder(document, tmp_path_factory):
    out = tmp_path_factory.mktemp("report")
    write(document, out, {"total": 1.0, "recalled": 0})
    return out


def without_versions(text):
    return re.sub(r"\d+\.\d+\.\d+(\.\d+)?", "N", text)


@pytest.mark.parametrize("name", ["results.md", "junit.xml"])
def test_the_text_forms_are_as_before(folder, name, paper_file):
    """Delete a snapshot and run again to accept a new one."""
    text = without_versions((folder / name).read_text()).replace(f"{paper_file.parent}/", "")
    kept = SNAPSHOTS / f"report-{name}"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text)
    assert text == kept.read_text()


def test_every_text_from_outside_is_escaped_and_only_our_script_may_run(folder):
    for page in folder.glob("*.html"):
        text = page.read_text()
        (script,) = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert (
            "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; script-src " in text
        )
        assert f"'sha256-{digest}'" in text
        assert "<b>Bold</b>" not in text
    assert "&lt;b&gt;Bold&lt;/b&gt;" in (folder / "index.html").read_text()


def test_nothing_is_loaded_from_the_network(folder):
    for page in folder.glob("*.html"):
        for url in re.findall(r'(?:src|href)="([^"]*)"', page.read_text()):
            assert not url.startswith(("http:", "https:", "//")), url


def test_links_resolve(folder):
    for page in folder.glob("*.html"):
        for url in re.findall(r'<a [^>]*href="([^"]+)"', page.read_text()):
            file, _, anchor = url.partition("#")
            target = folder / file if file else page
            assert target.exists(), url
            if anchor:
                assert f'id="{anchor}"' in target.read_text(), url


def test_a_refuted_claim_is_told_as_let_then_contradiction_with_its_correction(folder, paper_file):
    text = (folder / "small.html").read_text()
    card = text[text.index('id="wrong"') :]
    card = card[: card.index("</article>")]
    for part in (
        "Let",
        "Then",
        "But the claim says",
        "a contradiction",
        "Nearest true form",
        "a square is not &lt;script&gt;negative&lt;/script&gt;",  # the correction is quoted
        f"dpverify check small/wrong --claims {paper_file}",
        "small.py:",
        "the privacy guarantee",
    ):
        assert part in card
    witness = card[card.index('class="witness"') :]
    assert witness.index("<math") < witness.index("Then"), "the formula that the witness is put into"


def test_the_broken_step_is_marked(folder):
    text = (folder / "small.html").read_text()
    card = text[text.index('id="unfinished"') :]
    card = card[card.index('<ol class="steps">') :]
    assert card.index("collect") < card.index('class="broken"') < card.index("miscount")


def test_the_graph_of_a_claim_shows_what_it_leans_on_and_taint_also_in_words(folder, document):
    text = (folder / "small.html").read_text()
    assert 'class="node proved tainted"' in text
    assert "Tainted" in text
    by_id = {c["id"]: c for c in document["papers"][0]["claims"]}
    ids = leaned_on("small/tainted", by_id)
    assert layers(ids, by_id) == [["small/square"], ["small/wrong"], ["small/tainted"]]
    assert draw("small/square", by_id, str) == ""
    crowd = {f"p/{k}": {"uses": [f"p/{k - 1}"] if k else []} for k in range(60)}
    assert leaned_on("p/59", crowd) == ["p/58", "p/59"], "a crowd is cut to what is leaned on directly"


def test_the_contents_and_the_strip_follow_the_paper(folder, document):
    text = (folder / "small.html").read_text()
    ids = [c["id"].split("/")[1] for c in document["papers"][0]["claims"]]
    for start, pattern in (
        ('class="strip"', r'<a class="[a-z]+" href="[^#]*#([^"]+)"'),
        ('class="contents"', r'<li data-verdict=.*?#([^"]+)"'),
    ):
        part = text[text.index(start) :]
        assert re.findall(pattern, part)[: len(ids)] == ids


def test_a_finding_is_told_in_three_sentences_by_what_it_breaks(folder):
    text = (folder / "small.html").read_text()
    part = text[text.index('id="findings"') : text.index('id="contents"')]
    places = [
        part.index(words)
        for words in (
            "What breaks privacy (1)",
            "<strong>The paper says:</strong> x is at most its square",
            "<strong>What is true:</strong> That is false.",
            "At x = 1/2 it comes down to 1/2 ≤ 1/4.",
            "Nearest true form:",
            "a square is not",
            "<strong>What it means:</strong> Whoever runs it as printed promises more privacy than there is",
            "What breaks a printed proof",
        )
    ]
    assert places == sorted(places)
    assert 'tainted by it: <a href="small.html#tainted">small/tainted</a>' in part


def test_whatever_is_refuted_has_a_meaning_but_for_misprints():
    from dpverify.claims import find
    from dpverify.verdicts import REFUTED

    claims = find()
    refuted = {c.id: c.breaks for c in claims.values() if c.expect is REFUTED}
    meanings, readings = {}, set()
    for paper in {c.paper.key for c in claims.values()}:
        kept = importlib.import_module(f"dpverify.symbolic.{paper.replace('-', '_')}.meanings")
        meanings |= {f"{paper}/{name}": text for name, text in kept.MEANINGS.items()}
        readings |= {f"{paper}/{name}" for name in kept.READINGS}
    assert (set(meanings) | readings) - set(refuted) == set()
    assert {id for id, breaks in refuted.items() if breaks != "misprint"} - set(meanings) == set()
    for id, meaning in meanings.items():
        for named in re.findall(r"\{([^}]+)\}", meaning):
            assert f"{id.split('/')[0]}/{named}" in claims, f"{id} names {named}"


def test_a_paper_of_one_s_own_has_no_meanings_and_needs_none():
    from dpverify.reporting.meanings import is_reading, meaning_of

    assert meaning_of("my-paper/lemma-1") is None and not is_reading("my-paper/lemma-1")
    assert meaning_of("adp-erm/no-such-claim") is None and not is_reading("adp-erm/no-such-claim")


def test_remarks_are_not_put_into_the_mouth_of_the_paper():
    from dpverify.reporting.plain import parts

    assert parts("P is 2 (a remark on three things). The case: x = 1.") == (
        "P is 2.",
        "a remark on three things",
        "The case: x = 1.",
    )
    assert parts('It is bounded ("a very large number of things").')[1] == "", "a quotation is the paper's"
    assert parts("x = 1, 2, 3, ... (n = 1).") == ("x = 1, 2, 3, ... (n = 1).", "", "")


def test_a_finding_says_where_the_statement_fails_and_what_it_comes_down_to():
    from dpverify.reporting.plain import plainly

    def told(statement, case=False, **witness):
        claim = {"id": "p/c", "statement": statement, "correction": None, "breaks": "text", "witness": None}
        silent = {"because": "", "contradicts": "", "exact": {}, "computed": False}
        claim |= {"witness": silent | witness, "standing": "statement"}
        claim |= {"evidence": {"method": "refutation", "certificate": {"at": "x = 2"} if case else {}}}
        return plainly(claim, {}, {}).true

    point = {"let": {"x": "2"}, "then": "x = 2 and 1 = 1", "contradicts": "2 <= 1", "because": "x is large"}
    assert told("x is small.", **point) == "That is false. At x = 2 it comes down to 2 <= 1: x is large."
    every = point | {"because": "every power is one too low"}
    assert told("x is small.", **every).endswith("2 <= 1: every power is one too low.")
    assert told("x is small.", **every, computed=True).endswith("At x = 2 it comes down to 2 <= 1.")
    assert told("x is small. The case: x = 2.", True, **point) == (
        "That is false. The case: x = 2. There it comes down to 2 <= 1."
    )
    finding = told("x is small. The case: x = 7.", **point)
    assert finding == "That is false. The case: x = 7.", (
        "a witness that was found is not of the case that is told"
    )
    path = {"let": {"N": "t", "t": "2, 3, ..."}, "then": "(N)/(1) is 9 at t = 9, and tends to oo as t -> oo"}
    path |= {"exact": {"kind": "order"}}
    along = "Along N = t, t = 2, 3, ... the ratio of its sides is 9 at t = 9, and tends to oo as t -> oo."
    assert told("N is bounded.", **path) == f"That is false. {along}"
    run = {"let": {"runs": "30"}, "then": "the first ends at 2, the second at 1; " + "so it is " * 50}
    assert told("The first is better.", **run) == "That is false. The first ends at 2, the second at 1."


def test_a_list_is_told_whole_or_not_at_all():
    from dpverify.reporting.plain import sentences

    text = (
        "It fails. Every step fails on one of two losses: 1. A short one. It moves. 2. A long one. It stays."
    )
    assert sentences(text, 80) == "It fails."
    assert sentences(text, 500) == text


def test_a_claim_that_a_text_names_is_a_link(folder, document):
    from dpverify.reporting.writing import _Site

    site = _Site(document)
    assert site.linked(site.refer("see wrong, small/step and eq-3", "small/square")) == (
        'see wrong, <a href="small.html#step">small/step</a> and eq-3'
    )
    assert site.refer("small/step <b>", "small/step") == "small/step &lt;b&gt;"


def test_where_a_statement_fails_is_told_by_its_witness_or_by_its_step(folder):
    text = (folder / "small.html").read_text()
    refuted = text[text.index('<article class="claim refuted" id="wrong"') :].split("</article>")[0]
    assert "ails at x = 1/2" not in refuted, "the witness says it"
    undecided = text[text.index('id="unfinished"') :].split("</article>")[0]
    steps = undecided[undecided.index('<ol class="steps">') :]
    assert "ails at x = 1" in steps, "a step has no box for its witness"


def test_a_wide_root_or_bracket_can_be_broken_and_says_the_same():
    from dpverify.reporting.typesetting import lines, pieces

    long = " + ".join(f"a_{{{k}}} b_{{{k}}} c_{{{k}}}" for k in range(12))
    for wide in (rf"\sqrt{{{long}}}", rf"\left({long}\right)^{{2}}", rf"\frac{{{long}}}{{d}}"):
        parts = pieces(rf"{wide} \le 1")
        assert len(parts) > 3
        assert "".join(parts).replace("{} ", " ").count("a_") == 12
        assert lines(rf"{wide} \le 1")
    assert pieces(r"\sqrt{a + b} \le 1") == [r"\sqrt{a + b} \le 1"], "a short root stays a root"
    twice = r"x \le 1 \quad \left(x < 2\right) \quad \left(x < 3, x < 4\right)"
    assert [len(line.given) for line in lines(twice)] == [3], "conditions of a statement in another"


def test_the_sides_at_a_witness_are_those_of_the_formula_that_is_shown(folder):
    text = (folder / "small.html").read_text()
    card = text[text.index('id="wrong"') :]
    witness = card[card.index('class="witness"') : card.index("</article>")]
    assert "the left side is <code>1/2</code>, the right side <code>1/4</code>" in witness


def test_a_statement_is_typeset_with_its_domains_and_conditions_line_by_line(folder):
    from dpverify.reporting.typesetting import lines

    one = r"x \le 1 \quad \left(a < b, {q}_{k} \le 1 \text{ for } k = 1, \dots, n\right)"
    assert [len(line.given) for line in lines(rf"{one} \quad\text{{and}}\quad y = 1")] == [2, 0]
    text = (folder / "small.html").read_text()
    card = text[text.index('id="wrong"') : text.index('id="step"')]
    assert card.index("For all") < card.index("<mi>x</mi><mo>&gt;</mo>") < card.index('<div class="formula">')


def test_alphas_are_told_by_what_they_are_for():
    from dpverify.reporting.collecting import _spent

    test = {"steps": [], "evidence": {"alpha": 1e-3}}
    papers = [{"key": "p", "claims": [test, test, {"steps": [test], "evidence": {"alpha": 0.5}}]}]
    spent = _spent(papers, bugs=2)
    assert spent == {
        "tests of claims of p": pytest.approx(3e-3),
        "audits of planted bugs": 2e-3,
        "audits of their correct twins": 2e-3,
    }


def test_a_long_paper_goes_on_several_pages_and_every_link_still_resolves(document, tmp_path, monkeypatch):
    from dpverify.reporting import writing

    monkeypatch.setattr(writing, "LARGEST", 104_000)
    write(document, tmp_path)
    assert (tmp_path / "small.2.html").exists()
    test_links_resolve(tmp_path)


def test_a_line_ends_before_a_sign_and_in_no_brackets():
    from dpverify.reporting.typesetting import pieces

    long = r"\left(abcdefgh + ijklmnop\right) + \langle uvwxyz, uvwxyz - abcdef \rangle - \frac{a + b}{c + d}"
    assert "".join(pieces(long)).replace("{} ", " ") == long
    assert [piece[:10] for piece in pieces(long)] == [r"\left(abcd", r"{} + \lang"]


def test_no_formula_keeps_a_bare_command():
    from dpverify.reporting.typesetting import mathml

    for latex in (r"\arg\min_x f", r"\sgn x", r"\bigl( x \bigr)", r"\unknowncommand x"):
        assert "\\" not in mathml(latex)
    assert "min" in mathml(r"\arg\min_x f")
    assert "<munderover><mo>∑</mo>" in mathml(r"\left(\sum_{t=1}^{T} x_t\right)"), "limits above and below"


def test_the_steps_of_a_theorem_are_typeset(document):
    square = document["papers"][0]["claims"][0]
    assert square["steps"]
    assert all(step["latex"] for step in square["steps"])


def test_the_steps_of_a_tactic_are_typeset_too():
    from dpverify import check

    (lemma,) = check("dynamic-noise/lemma-4.1")
    assert lemma.result.steps
    assert all(step.result.latex for step in lemma.result.steps)


def test_a_crash_is_one_claims_result_with_its_traceback_folded_in(folder):
    text = (folder / "small.html").read_text()
    assert "Crashed: ZeroDivisionError" in text
    assert "<details><summary>details</summary><pre>Traceback" in text


def test_findings_come_privacy_first(document):
    assert [c["id"] for c in findings(document)] == ["small/wrong", "small/step"]


def test_same_document_same_bytes_but_for_the_times(document, folder, tmp_path):
    write(document, tmp_path, {"total": 99.0, "recalled": 3})
    for path in sorted(folder.iterdir()):
        one, two = path.read_text(), (tmp_path / path.name).read_text()
        if path.name == "times.json":
            continue
        if path.name == "index.html":
            one, two = (
                re.sub(r'<p class="small" id="times">.*?</p>', "", text, flags=re.DOTALL)
                for text in (one, two)
            )
        assert one == two, path.name


def test_results_fit_their_published_schema_and_read_back(folder, document):
    assert validate(json.loads((folder / "results.json").read_text()), JSON_SCHEMA, "") is None
    assert load(folder / "results.json") == json.loads(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"schema": "dpverify-rep', "half-written"),
        ('{"schema": "other/9"}', "is missing"),
        ("[]", "list is not object"),
    ],
)
def test_a_bad_results_file_gets_a_clear_error(tmp_path, text, message):
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(ReportError, match=message):
        load(path)
    result = CliRunner().invoke(application(), ["report", "-o", str(tmp_path / "out"), "--from", str(path)])
    assert result.exit_code == 2
    assert message in result.output
    with pytest.raises(ReportError, match="No such file"):
        load(tmp_path / "nowhere.json")


def test_a_wrong_verdict_in_a_results_file_is_named(folder, tmp_path):
    record = json.loads((folder / "results.json").read_text())
    record["papers"][0]["claims"][1]["verdict"] = "MAYBE"
    path = tmp_path / "r.json"
    path.write_text(json.dumps(record))
    with pytest.raises(ReportError, match=r"/papers/0/claims/1/verdict: 'MAYBE' is not one of"):
        load(path)


def test_sarif_and_junit_are_what_they_say(folder):
    run = json.loads((folder / "results.sarif").read_text())["runs"][0]
    assert {r["ruleId"]: r["level"] for r in run["results"]} == {
        "small/wrong": "note",
        "small/step": "note",
        "small/crash": "error",
    }
    suite = ElementTree.parse(folder / "junit.xml").getroot()[0]
    assert suite.get("tests") == "7"
    assert (suite.get("failures"), suite.get("errors")) == ("0", "1")


def test_report_from_a_results_file_prints_where_it_is_and_the_findings(folder, tmp_path):
    result = CliRunner().invoke(
        application(), ["report", "-o", str(tmp_path), "--from", str(folder / "results.json")]
    )
    assert result.exit_code == 70, "a claim of this paper crashes"
    assert "small/wrong (breaks privacy)" in " ".join(result.output.split())
    assert (tmp_path / "index.html").exists()


def verdicts(path, memory=None):
    from dpverify import checking

    checking.claims_in.cache_clear()
    return {c.claim.id: (c.result.verdict, c.result.because) for c in check(paths=[path], memory=memory)}


def test_the_cache_agrees_with_checking_anew_and_an_edit_rechecks_only_what_changed(paper_file, tmp_path):
    from dpverify import memory as remembering

    path = tmp_path / "edited.py"
    path.write_text(paper_file.read_text())
    fresh = verdicts(path)
    kept = Memory(tmp_path / "cache")
    assert verdicts(path, kept) == fresh
    assert kept.hits == 0
    again = Memory(tmp_path / "cache")
    assert verdicts(path, again) == fresh
    assert again.hits == 6, "all but the crash, which is never kept"
    path.write_text(paper_file.read_text().replace("AtMost(x, x**2)", "AtMost(x, x**2 + 1)"))
    remembering.forget()
    edited = Memory(tmp_path / "cache")
    changed = verdicts(path, edited)
    assert edited.hits == 4, "neither the edited claim nor the one that uses it"
    assert changed["small/wrong"][0] != fresh["small/wrong"][0]
    path.write_text(
        paper_file.read_text().replace('sp.Symbol("x", positive=True)', 'sp.Symbol("x", real=True)')
    )
    remembering.forget()
    shared = Memory(tmp_path / "cache")
    verdicts(path, shared)
    assert shared.hits == 0, "what all claims share has changed"


def test_a_damaged_cache_entry_is_checked_again(paper_file, tmp_path):
    kept = Memory(tmp_path)
    fresh = verdicts(paper_file, kept)
    for file in tmp_path.glob("*.json"):
        file.write_text('{"verdict": "PRO')
    assert verdicts(paper_file, Memory(tmp_path)) == fresh


def test_formulas_in_sentences_read_as_in_print(folder):
    assert "stated elsewhere, for ε<sub>0</sub><sup>2</sup> ≤ 1" in (folder / "small.html").read_text()
