"""A small paper, its document, and a browser if there is one."""

import os
import shutil
import subprocess

import pytest

PAPER = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost, Equal, Quoted
from dpverify.theorems import ForEvery, Theorem
from dpverify.verdicts import REFUTED, UNDECIDED
PAPER = Paper("small", "A & B (2020). <b>Bold</b> claims.")
x = sp.Symbol("x", positive=True)
t = sp.Symbol("t", integer=True)
T = sp.Symbol("T", integer=True, positive=True)
a = sp.IndexedBase("a", positive=True)

@claim(PAPER, "square", at="Eq (1)", kind="inequality")
def square():
    "a square is not <script>negative</script>"
    return Theorem(AtMost(2 * x, x**2 + 1)).have(Equal(x * x, x**2), "by definition")

@claim(PAPER, "wrong", at="Eq (2)", expect=REFUTED, correction="square", breaks="privacy", uses=["square"])
def wrong():
    "x is at most its square"
    return AtMost(x, x**2)

@claim(PAPER, "step", at="Eq (3)", expect=REFUTED, breaks="proof")
def step():
    "twice x is three x"
    return Equal(x + x, 3 * x)

@claim(PAPER, "unfinished", at="Eq (3), the proof", expect=UNDECIDED)
def unfinished():
    "a proof with a broken step"
    statement = Theorem(given=[ForEvery(AtMost(a[t], x), t, 1, T)], shows=AtMost(a[T], 2 * x))
    return statement.have(Equal(x + x, 2 * x), "collect").have(Equal(x + x, 3 * x), "miscount")

@claim(PAPER, "tainted", at="Eq (4)", uses=["wrong"])
def tainted():
    "leans on a refuted claim"
    return Equal((x + 1) ** 2, x**2 + 2 * x + 1)

@claim(PAPER, "quoted", at="Eq (5)", expect=UNDECIDED)
def quoted():
    "stated elsewhere, for eps_0^2 <= 1"
    return Quoted("a rate of prior work")

@claim(PAPER, "crash", at="Eq (6)", expect=UNDECIDED)
def crash():
    "crashes"
    return 1 / 0
"""


@pytest.fixture(scope="session")
def paper_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "small.py"
    path.write_text(PAPER)
    return path


@pytest.fixture(scope="session")
def document(paper_file):
    from dpverify.reporting import collect

    return collect(claims=[str(paper_file)], jobs=1)[0]


@pytest.fixture(scope="session")
def chromium():
    """Debian's chromium; installed here if this is a machine where that can be done, else the test is
    skipped.
    """
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=False, capture_output=True)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"],
            check=False,
            capture_output=True,
        )
        browser = shutil.which("chromium")
    if not browser:
        pytest.skip("no chromium, and it cannot be installed here")
    return browser
