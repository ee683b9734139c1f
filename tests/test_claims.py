"""Claims are found by path; mistakes in a collection are errors that name the file."""

import subprocess
import sys

import pytest

from dpverify.checking import check
from dpverify.claims import ClaimError, find, select

HEAD = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost, Equal, Quoted, Tested
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED
PAPER = Paper("p", "P (2020)")
x = sp.Symbol("x", real=True)
"""
TRUE = '@claim(PAPER, "true")\n'
GOOD = """
@claim(PAPER, "square", at="Eq (1)")
def square():
    "a square is not negative"
    return AtMost(0, x**2)

@claim(PAPER, "wrong", at="Eq (2)", expect=REFUTED, correction="square", breaks="proof")
def wrong():
    "a square is positive"
    return AtMost(0, x**2, strict=True)

@claim(PAPER, "open", at="Eq (3)", expect=UNDECIDED)
def open_():
    "quoted"
    return Quoted("stated elsewhere")

@claim(PAPER, "leans", at="Eq (4)", uses=["square", "open"])
def leans():
    "leans on an open claim"
    return Equal((x + 1) ** 2, x**2 + 2 * x + 1)

@claim(PAPER, "tainted", at="Eq (5)", uses=["wrong"])
def tainted():
    "leans on a refuted claim"
    return Equal((x + 1) ** 2, x**2 + 2 * x + 1)

@claim(PAPER, "mended", at="Eq (6)", uses=["wrong", "square"])
def mended():
    "leans on the correction of a refuted claim"
    return Equal((x + 1) ** 2, x**2 + 2 * x + 1)

@claim(PAPER, "above", at="Eq (7)", uses=["tainted", "leans"])
def above():
    "leans on what leans"
    return Equal((x + 1) ** 2, x**2 + 2 * x + 1)
"""


@pytest.fixture
def write(tmp_path):
    def make(body, name="paper.py"):
        path = tmp_path / name
        path.write_text(HEAD + body)
        return path

    return make


def test_claims_are_found_in_the_order_of_the_file(write):
    assert list(find(write(GOOD))) == [
        "p/square",
        "p/wrong",
        "p/open",
        "p/leans",
        "p/tainted",
        "p/mended",
        "p/above",
    ]


def test_what_a_verdict_leans_on_is_said(write):
    by_id = {c.claim.id: c for c in check(paths=[write(GOOD)])}
    assert all(c.as_expected for c in by_id.values())
    assert by_id["p/leans"].given == ("p/open",)
    assert "proved, given p/open" in by_id["p/leans"].summary
    assert by_id["p/tainted"].tainted == ("p/wrong",)
    assert "tainted" in by_id["p/tainted"].summary
    assert by_id["p/mended"].tainted == () and by_id["p/mended"].given == ()
    assert by_id["p/above"].tainted == ("p/wrong",) and by_id["p/above"].given == ("p/open",)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            '@claim(PAPER, "a", at="1")\ndef a():\n    "s"\n@claim(PAPER, "a", at="2")\ndef b():\n    "s"\n',
            "Duplicate claim id 'p/a'",
        ),
        ('@claim(PAPER, "a", at="1", uses=["nowhere"])\ndef a():\n    "s"\n', "Unknown claim id 'p/nowhere'"),
        (
            '@claim(PAPER, "a", at="1", correction="nowhere")\ndef a():\n    "s"\n',
            "Unknown claim id 'p/nowhere'",
        ),
        (
            '@claim(PAPER, "a", at="1", uses=["b"])\ndef a():\n    "s"\n@claim(PAPER, "b", '
            'at="2", uses=["a"])\ndef b():\n    "s"\n',
            "Cycle of claims p/a -> p/b -> p/a",
        ),
        ('@claim(PAPER, "a", at="1")\ndef a():\n    pass\n', "Expected a docstring"),
        ('@claim(PAPER, "a", at="1", breaks="hearts")\ndef a():\n    "s"\n', "Expected breaks='hearts'"),
    ],
)
def test_a_mistake_names_the_file(write, body, message):
    path = write(body)
    with pytest.raises(ClaimError) as error:
        find(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_a_package_of_claims_follows_its_parts(tmp_path):
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text(
        'from dpverify.claims import Paper\nPAPER = Paper("mine", "M", parts=("b", "a"))\n'
    )
    for part in "ab":
        (package / f"{part}.py").write_text(
            "from dpverify.claims import claim\nfrom dpverify.relations import Quoted\nfrom . import PAPER\n"
            f'@claim(PAPER, "{part}", at="{part}")\ndef f():\n    "s"\n    return Quoted("w")\n'
        )
    assert list(find(package)) == ["mine/b", "mine/a"]


def test_an_unknown_pattern_suggests_what_may_be_meant(write):
    with pytest.raises(ClaimError, match=r"No claim matches 'p/squore'\. Did you mean p/square"):
        select(find(write(GOOD)), ["p/squore"])


def test_a_crash_is_the_result_of_its_claim_alone(write):
    body = (
        GOOD + '@claim(PAPER, "crash", at="x", expect=UNDECIDED)\ndef crash():\n    "s"\n    return 1 / 0\n'
    )
    (c,) = check("p/crash", paths=[write(body)])
    assert c.result.crashed and not c.as_expected
    assert "crashed: ZeroDivisionError" in c.result.because
    assert "Traceback" in c.result.evidence.details


def test_a_conclusion_with_the_same_expression_on_both_sides_is_refused(write):
    """SymPy makes 2*x of x + x before the statement is made; the twin has it among the hypotheses."""
    body = """
y = sp.Symbol("y", real=True)

@claim(PAPER, "empty", at="Eq (1)", expect=UNDECIDED)
def empty():
    "two parts, one of which says nothing"
    return AllOf(AtMost(0, x**2), Equal(x + x, 2 * x))

@claim(PAPER, "twin", at="Eq (2)")
def twin():
    "the same with what is put in"
    return Theorem(given=[sp.Eq(y, x + x)], shows=AllOf(AtMost(0, x**2), Equal(y, 2 * x)))
"""
    path = write("from dpverify.theorems import AllOf, Theorem\n" + body)
    empty, twin = check(paths=[path])
    assert empty.as_expected and twin.as_expected
    assert "2*x = 2*x" in empty.result.because and "among the hypotheses" in empty.result.because


def test_a_run_may_not_prove(write):
    body = (
        '@claim(PAPER, "run", at="x", expect=UNDECIDED)\ndef run():\n    "s"\n'
        '    from dpverify.verdicts import Evidence, Result\n    return Tested("s", lambda '
        'effort: Result(PROVED, "I ran", Evidence("run")))\n'
    )
    (c,) = check(paths=[write(body)])
    assert "Expected a run to end in SUPPORTED, REFUTED or UNDECIDED" in c.result.because


def test_the_verdicts_do_not_depend_on_the_number_of_jobs(write):
    path = write(GOOD)
    one, two = (
        [(c.claim.id, c.result.verdict, c.result.because) for c in check(paths=[path], jobs=jobs)]
        for jobs in (1, 2)
    )
    assert one == two


def test_import_is_light():
    """Neither sympy nor scipy.stats nor matplotlib is loaded by `import dpverify` or the pytest plugin."""
    code = (
        "import sys, dpverify, dpverify.pytest_plugin; print([m for m in ('sympy', 'scipy.stats', "
        "'matplotlib', 'z3') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


def test_dir_lists_about_twenty_names_that_all_load():
    import dpverify

    assert 15 <= len(dir(dpverify)) <= 30
    for name in dir(dpverify):
        assert getattr(dpverify, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        dpverify.nonsense  # noqa: B018
