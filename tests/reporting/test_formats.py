"""Forms for other programs: SARIF as its schema asks, annotations of GitHub, properties in JUnit."""

import json
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from dpverify.cli import application
from dpverify.reporting import formats
from dpverify.reporting.collecting import bare_document, papers_of
from dpverify.reporting.document import validate

# The part of the schema of SARIF 2.1.0 (OASIS) that these files can touch, restated: what an object must
# have, and that it may have nothing that the schema does not name.
TEXT = {"type": "string"}
MESSAGE = {"type": "object", "required": ["text"], "only": ["text"], "properties": {"text": TEXT}}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "only": ["$schema", "version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "only": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "only": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "only": ["name", "version", "rules"],
                                "properties": {
                                    "name": TEXT,
                                    "version": TEXT,
                                    "rules": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "only": ["id", "shortDescription"],
                                            "properties": {"id": TEXT, "shortDescription": MESSAGE},
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "only": ["ruleId", "ruleIndex", "level", "message", "locations"],
                            "properties": {
                                "ruleId": TEXT,
                                "ruleIndex": {"type": "integer"},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": MESSAGE,
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["physicalLocation"],
                                        "only": ["physicalLocation", "logicalLocations"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation"],
                                                "only": ["artifactLocation", "region"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "type": "object",
                                                        "required": ["uri"],
                                                        "only": ["uri"],
                                                        "properties": {"uri": TEXT},
                                                    },
                                                    "region": {
                                                        "type": "object",
                                                        "required": ["startLine"],
                                                        "only": ["startLine"],
                                                        "properties": {"startLine": {"type": "integer"}},
                                                    },
                                                },
                                            },
                                            "logicalLocations": {
                                                "type": "array",
                                                "items": {
                                                    "type": "object",
                                                    "only": ["fullyQualifiedName", "kind"],
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


def strangers(value, schema):
    """The names that a value has and its schema does not know, at any depth."""
    if isinstance(value, dict):
        yield from set(value) - set(schema.get("only", value))
        for name, part in schema.get("properties", {}).items():
            if name in value:
                yield from strangers(value[name], part)
    elif isinstance(value, list):
        for part in value:
            yield from strangers(part, schema.get("items", {}))


def expect_sarif(text):
    log = json.loads(text)
    assert validate(log, SARIF, "") is None
    assert list(strangers(log, SARIF)) == []
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert " " not in place["artifactLocation"]["uri"]
    return run["results"]


def test_the_check_of_the_schema_can_fail(document):
    log = json.loads(formats.sarif(document))
    log["runs"][0]["results"][0]["colour"] = "red"
    with pytest.raises(AssertionError):
        expect_sarif(json.dumps(log))
    del log["runs"][0]["tool"]
    with pytest.raises(AssertionError, match="'tool' is missing"):
        expect_sarif(json.dumps(log))


def test_sarif_fits_its_schema_and_points_to_the_line_of_each_claim(document, paper_file):
    results = expect_sarif(formats.sarif(document))
    assert {r["ruleId"]: r["level"] for r in results} == {
        "small/wrong": "note",
        "small/step": "note",
        "small/crash": "error",
    }
    lines = paper_file.read_text().splitlines()
    for result in results:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == paper_file.as_uri()
        assert result["ruleId"].split("/")[1] in lines[place["region"]["startLine"] - 1]


def test_a_claim_in_the_current_folder_has_a_relative_address(paper_file, monkeypatch):
    from dpverify.checking import check
    from dpverify.effort import QUICK

    folder = paper_file.parent / "with space"
    folder.mkdir(exist_ok=True)
    (folder / "small.py").write_text(paper_file.read_text())
    monkeypatch.chdir(paper_file.parent)
    done = check("small/wrong", paths=[folder / "small.py"])
    (result,) = expect_sarif(formats.sarif(bare_document(done, QUICK)))
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "with%20space/small.py"
    assert papers_of(done)[0]["claims"][0]["file"] == "with space/small.py"


def test_github_gets_an_error_for_what_is_not_expected_alone(document):
    *lines, last = formats.github(document).splitlines()
    (line,) = lines
    assert line.startswith("::error file=") and "title=small/crash%3A UNDECIDED%2C expected UNDECIDED" in line
    assert last.startswith("::notice title=dpverify::2 REFUTED, 3 UNDECIDED")
    assert last.endswith("1 not as expected")


def test_an_annotation_is_one_line_whatever_it_says():
    line = formats.github_line("error", "a,b:c", "100%\r\nof::it", "a,b.py", 3)
    assert line == "::error file=a%2Cb.py,line=3,title=a%2Cb%3Ac::100%25%0D%0Aof::it"


def test_junit_has_the_figures_as_properties(document):
    text = formats.junit(document, {"small/square": 1.25})
    cases = {
        case.get("name"): case for case in ElementTree.fromstring(text.split("\n", 1)[1]).iter("testcase")
    }
    values = {p.get("name"): p.get("value") for p in cases["small/square"].iter("property")}
    assert values == {"verdict": "PROVED", "expected": "PROVED", "seconds": "1.25"}
    assert cases["small/square"].get("time") == "1.250"
    assert cases["small/crash"].find("error") is not None
    assert cases["small/wrong"].find("failure") is None


def test_what_a_test_showed_and_its_ceiling_are_properties_too():
    from dpverify import GDP, Budget, Neighbours, audit
    from dpverify.reporting.collecting import document_of_audit

    def noisy(data, rng, runs):
        return sum(data) + rng.normal(size=(runs, 1))

    pair = Neighbours.replace([0.0, 0.0], 0, 1.0)
    result = audit(noisy, pair, GDP(1.0), budget=Budget(runs=1000))
    text = formats.junit(document_of_audit("noisy", noisy, GDP(1.0), result), {"noisy": result.seconds})
    properties = ElementTree.fromstring(text.split("\n", 1)[1]).iter("property")
    values = {p.get("name"): p.get("value") for p in properties}
    assert values["verdict"] == "SUPPORTED" and float(values["shown"]) > 0 and "power" in values["ceiling"]


@pytest.mark.parametrize("form", ["github", "junit", "sarif", "markdown"])
def test_check_prints_every_form(paper_file, form):
    result = CliRunner().invoke(
        application(), ["check", "small/wrong", "--format", form, "--jobs", "1", "--claims", str(paper_file)]
    )
    assert result.exit_code == 0, result.output
    if form == "sarif":
        assert [r["level"] for r in expect_sarif(result.stdout)] == ["note"]
    if form == "junit":
        ElementTree.fromstring(result.stdout.split("\n", 1)[1])
    assert "small" in result.stdout or form == "github"
