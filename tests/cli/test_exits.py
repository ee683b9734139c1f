"""The command line as people expect it: exit codes, misuse, pipes, ASCII terminals, claims that hang."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dpverify
from dpverify.cli import application

HEAD = """
import sympy as sp
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost, Equal, Quoted
from dpverify.verdicts import PROVED, REFUTED, SUPPORTED, UNDECIDED
PAPER = Paper("p", "P (2020)")
x = sp.Symbol("x", real=True)
"""


def body(name, code, expect="PROVED", statement="a statement"):
    lines = "\n".join(f"    {line}" for line in code.splitlines())
    return f'''
@claim(PAPER, "{name}", at="Eq (1)", expect={expect})
def {name.replace("-", "_")}():
    """{statement}"""
{lines}
'''


TRUE = body("true", "return AtMost(0, x**2)")
FALSE = body("false", "return AtMost(x, x**2)")
OPEN = body("open", 'return Quoted("stated elsewhere")')


@pytest.fixture
def check(tmp_path):
    """Check a file of claims; the arguments are those of the command line."""

    def call(text, *arguments, command="check"):
        path = tmp_path / "paper.py"
        path.write_text(HEAD + text)
        return CliRunner().invoke(application(), [command, *arguments, "--claims", str(path)])

    return call


def script(*arguments, **options):
    """The script itself, in a process of its own."""
    command = [sys.executable, "-m", "dpverify", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def record(verdict, expect, method="x"):
    return {"verdict": verdict, "expect": expect, "evidence": {"method": method}}


FINE = record("PROVED", "PROVED")
REFUTED = record("REFUTED", "PROVED")
WEAKER = record("SUPPORTED", "PROVED")
CRASHED = record("UNDECIDED", "PROVED", "crash")


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([FINE], 0),
        ([REFUTED], 1),
        ([WEAKER], 3),
        ([record("UNDECIDED", "PROVED")], 3),
        ([CRASHED], 70),
        ([WEAKER, CRASHED], 70),
        ([FINE, REFUTED, WEAKER, CRASHED], 1),
        ([record("PROVED", "REFUTED")], 1),
        ([record("UNDECIDED", "UNDECIDED", "crash")], 70),
        ([record("UNDECIDED", "UNDECIDED")], 0),
        ([record("PROVED", "SUPPORTED")], 3),
    ],
)
def test_exit_codes(records, code):
    from dpverify.cli.terminal import exit_code_of

    assert exit_code_of(records) == code


@pytest.mark.parametrize(("text", "code"), [(TRUE, 0), (FALSE, 1), (OPEN, 3)])
def test_a_check_ends_in_its_exit_code(check, text, code):
    assert check(text).exit_code == code


WRONG = {
    "leaves": ("import sys\nsys.exit(0)", "SystemExit: 0"),
    "bool": ("return True", "it returned True of type bool"),
    "none": ("return None", "it returned None of type NoneType"),
    "relation": ("return x <= x**2", "of type LessThan"),
    "list": ("return [AtMost(0, x**2)]", "of type list"),
    "verdict": ("return PROVED", "of type Verdict"),
    "generator": ("yield AtMost(0, x**2)", "of type generator"),
    "exits": ("import os\nos._exit(0)", "its worker ended with exit code 0"),
    "killed": ("import os\nos.kill(os.getpid(), 9)", "its worker was ended by SIGKILL"),
    "divides": ("return 1 / 0", "ZeroDivisionError"),
}


def test_a_claim_that_ends_wrongly_is_a_crash_of_its_own(check, tmp_path):
    text = "".join(body(f"wrong-{name}", code) for name, (code, _) in WRONG.items())
    result = check(text + TRUE, "--json")
    assert result.exit_code == 70
    *bad, true = json.loads(result.stdout)
    for row, (_, said) in zip(bad, WRONG.values(), strict=True):
        assert said in row["because"] and row["evidence"]["method"] == "crash"
    assert true["verdict"] == "PROVED"
    assert f"{tmp_path / 'paper.py'}:{bad[1]['line']}" in bad[1]["because"]


def test_a_claim_that_hangs_in_c_is_stopped_and_named_and_the_rest_goes_on(check):
    hang = body("hang", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')")
    loud = body("loud", "print('hello')\nreturn AtMost(0, x**2)")
    result = check(hang + loud, "--json", "--timeout", "5")
    assert result.exit_code == 3
    stopped, rest = json.loads(result.stdout)  # what a claim prints stays out of it
    assert stopped["id"] == "p/hang" and "no answer in 5 s: it was stopped" in stopped["because"]
    assert rest["verdict"] == "PROVED"


def test_ids_are_never_cut_and_a_pipe_gets_one_line_per_claim(check):
    name = (
        "a-very-long-name-of-a-claim-that-no-table-of-eighty-columns-could-ever-hold-in-one-line-of-its-own"
    )
    text = body(name, "return AtMost(0, x**2)", statement="of [bold]many[/bold] words [/x] [x]")
    (line,) = check(text, command="list").stdout.splitlines()
    assert line.split("\t") == [
        f"p/{name}",
        "PROVED",
        "Eq (1)",
        "identity",
        "of [bold]many[/bold] words [/x] [x]",
    ]
    first, _ = check(text).stdout.splitlines()
    assert first.startswith(f"p/{name}\t✓ PROVED\tEq (1)\t")
    assert "of [bold]many[/bold] words [/x] [x]" in check(text, f"p/{name}", command="explain").stdout


def test_on_a_terminal_markup_is_text_and_nothing_is_cut(monkeypatch, capsys):
    from dpverify.cli import terminal

    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal.say_rows([("p/" + "a" * 50, "[/x]", "[bold]words[/bold] " * 9)], ["red"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"p/{'a' * 50}  [/x]"
    assert " ".join(" ".join(lines[1:]).split()) == " ".join(["[bold]words[/bold]"] * 9)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_can_show_every_text(tmp_path, encoding):
    path = tmp_path / "paper.py"
    path.write_text(HEAD + body("greek", "return AtMost(0, x**2)", statement="ε ≤ 1"), encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    ask = f"check --claims {path}" if encoding == "ascii" else f"list --json --claims {path}"
    done = script(*ask.split(), env=environment, encoding=encoding)
    assert done.returncode == 0, done.stderr
    if encoding == "ascii":
        assert "\t+ PROVED\t" in done.stdout
    else:
        assert json.loads(done.stdout)[0]["statement"] == "ε ≤ 1"


def test_version_help_and_completion():
    assert script("--version").stdout.strip() == f"dpverify {dpverify.__version__}"
    for flag in ("-h", "--help"):
        text = " ".join(CliRunner().invoke(application(), [flag]).stdout.split())
        assert "70 a claim, a mechanism or dpverify itself crashed" in text
        assert CliRunner().invoke(application(), ["check", flag]).exit_code == 0
    environment = os.environ | {
        "_DPVERIFY_COMPLETE": "complete_bash",
        "COMP_WORDS": "dpverify ch",
        "COMP_CWORD": "1",
    }
    assert "check" in script(env=environment).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], "Did you mean 'check'"),
        (["check", "--papr", "p"], "Possible options: --paper"),
        (["check", "--paper", "dp-acel"], "Did you mean dp-accel"),
        (["check", "dp-accel/eq-4.33"], "Did you mean dp-accel/eq-4.3"),
        (["list", "dp-accel/eq-4.33"], "Did you mean dp-accel/eq-4.3"),
        (["explain", "dp-accel/eq-4.33"], "Did you mean dp-accel/eq-4.3"),
        (["explain", "dp-accel/*"], "Expected one claim id, got the pattern 'dp-accel/*'"),
        (["run", "private-dg"], "Did you mean private-gd"),
        (["zoo", "forgoten_clip"], "Did you mean forgotten_clip"),
        (["targets", "opacus:dpsdg"], "Did you mean opacus:dpsgd"),
        (["audit", "json:dumpz", "--neighbours", "json:loads", "--epsilon", "1"], "Did you mean dump"),
        (["audit", "nowhere:train", "--neighbours", "x:y", "--epsilon", "1"], "No module named 'nowhere'"),
        (
            ["audit", "json:loads", "--neighbours", "json:loads", "--mu", "1"],
            "Cannot call json:loads: TypeError",
        ),
        (["audit", "json:loads", "--neighbours", "json:__all__", "--mu", "1"], "to be a Neighbours"),
        (
            ["audit", "json:__all__", "--neighbours", "json:loads", "--mu", "1"],
            "to be a function (data, rng)",
        ),
        (["zoo", "--alpha", "2"], "Expected --alpha 2 in (0, 1)"),
        (["verify", "nowhere.json"], "No such file"),
        (["report", "--from", "nowhere.json"], "No such file"),
        (["report", "-o", "/proc/nowhere"], "to be a folder to write to"),
        (["check", "--timeout", "0"], "--timeout"),
        (
            ["check", "--format", "yaml"],
            "is not one of 'text', 'json', 'github', 'junit', 'sarif', 'markdown'",
        ),
    ],
)
def test_misuse_is_always_an_error_line_on_stderr_and_exit_code_2(arguments, said):
    result = CliRunner().invoke(application(), arguments)
    assert result.exit_code == 2, result.output
    assert "Error: " in result.stderr and said in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_a_crash_of_dpverify_itself_exits_with_70_and_its_traceback(tmp_path):
    code = "import dpverify.cli.check as c, dpverify.cli; c.selected = None; dpverify.cli.main()"
    done = subprocess.run([sys.executable, "-c", code, "list"], capture_output=True, text=True)
    assert done.returncode == 70
    assert "Traceback" in done.stderr and "dpverify crashed" in done.stderr


@pytest.mark.parametrize(("how", "code"), [(signal.SIG_IGN, 0), (signal.default_int_handler, 130)])
def test_an_interrupt_that_the_caller_ignores_ends_nothing(tmp_path, how, code):
    path = tmp_path / "paper.py"
    path.write_text("import os, signal; os.kill(os.getppid(), signal.SIGINT)\n" + HEAD + TRUE)
    result = script(
        "check", "--jobs", "1", "--claims", str(path), preexec_fn=lambda: signal.signal(signal.SIGINT, how)
    )
    assert result.returncode == code, result.stderr


def test_list_takes_patterns():
    ids = CliRunner().invoke(application(), ["list", "dynamic-noise/lemma-*"]).stdout.splitlines()
    assert ids and all(line.startswith("dynamic-noise/lemma-") for line in ids)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            TRUE + TRUE.replace('"true"', '"also-true"'),
            "p/true at PAPER:9 is lost: line 14 gives its name to p/also-true",
        ),
        ("", "Expected claims in PAPER:1, there are none"),
        ("raise SystemExit(0)", "Cannot load PAPER:8: SystemExit: 0"),
        ("nonsense", "Cannot load PAPER:8: NameError"),
        ("import no_such_helper", "Cannot load PAPER:8: ModuleNotFoundError"),
        ("def f(:", "Cannot load PAPER:8: SyntaxError"),
        ("CLAIMS = [claim(PAPER, 'a', at='1')(lambda: None)]", "Expected a docstring"),
        (TRUE + "HIDDEN = [true]\ndel true\n", "p/true at PAPER:9 is lost: it has no name"),
        (TRUE.replace("expect=PROVED", "expect='MAYBE'"), "Cannot load PAPER:9: ValueError: 'MAYBE'"),
        (TRUE.replace("expect=PROVED", "uses='eq-1'"), "Expected uses='eq-1' to be a list of claim ids"),
    ],
)
def test_mistakes_in_a_file_of_claims_are_misuse_with_file_and_line(check, tmp_path, text, said):
    result = check(text)
    assert result.exit_code == 2
    assert said.replace("PAPER", str(tmp_path / "paper.py")) in result.stderr


def test_a_helper_beside_a_file_of_claims_is_found(check, tmp_path):
    (tmp_path / "helper_of_a_paper.py").write_text("BOUND = 3\n")
    result = check("import helper_of_a_paper\n" + TRUE)
    assert result.exit_code == 0, result.output


def test_without_an_engine_the_check_is_incomplete_and_says_how_many_need_which(check, monkeypatch, tmp_path):
    (tmp_path / "z3.py").write_text("raise ImportError('not here')\n")
    need = "from dpverify.proving.reduction import engine\nengine('z3', 'smt')\n"
    monkeypatch.syspath_prepend(str(tmp_path))
    words = body("words", """return Quoted("it needs scipy, not installed here, says the paper")""")
    result = check(body("one", need) + body("two", need) + TRUE + words)
    assert result.exit_code == 3
    assert "INCOMPLETE: of 4 claims, 2 need z3, not installed." in result.stderr
    assert 'pip install ".[papers]"' in result.stderr


WITNESS = {
    "let": {"x": "4"},
    "then": "x = 4",
    "because": "",
    "contradicts": "x <= 3",
    "exact": {
        "kind": "point",
        "relation": "AtMost",
        "left": ["Symbol", "x", {"real": True}],
        "right": ["Rational", 3, 1],
        "given": [],
        "at": [[["Symbol", "x", {"real": True}], ["Rational", 4, 1]]],
    },
}


@pytest.mark.parametrize("wrap", [lambda w: w, lambda w: w["exact"], lambda w: [{"id": "p/x", "witness": w}]])
@pytest.mark.parametrize(("value", "code"), [(4, 0), (2, 1)])
def test_verify_a_witness_from_its_record_alone(tmp_path, wrap, value, code):
    witness = json.loads(json.dumps(WITNESS).replace('["Rational", 4, 1]', f'["Rational", {value}, 1]'))
    path = tmp_path / "witness.json"
    path.write_text(json.dumps(wrap(witness)))
    result = CliRunner().invoke(application(), ["verify", str(path)])
    assert result.exit_code == code
    assert ("DOES NOT STAND" in result.stdout) == (code == 1)
    assert f"not x <= 3 at x = {value}" in result.stdout


def test_verify_a_witness_against_a_strict_inequality(tmp_path):
    path = tmp_path / "witness.json"
    text = (
        json.dumps(WITNESS).replace('"AtMost"', '"Less"').replace('["Rational", 4, 1]', '["Rational", 3, 1]')
    )
    path.write_text(text)
    result = CliRunner().invoke(application(), ["verify", str(path)])
    assert result.exit_code == 0 and "stands: not x < 3 at x = 3" in result.stdout


@pytest.mark.parametrize(
    ("text", "code"), [("[]", 2), ("{}", 2), ("nonsense", 2), ('{"kind": "unknown"}', 1)]
)
def test_what_holds_no_witness_is_misuse_and_what_cannot_be_checked_does_not_stand(tmp_path, text, code):
    path = tmp_path / "witness.json"
    path.write_text(text)
    assert CliRunner().invoke(application(), ["verify", str(path)]).exit_code == code


AUDITED = """
import numpy as np
from dpverify.neighbours import Neighbours

pair = Neighbours.replace(np.zeros((3, 1)), 0, [1.0])

def train(data, rng, runs):
    return data.sum() + rng.laplace(size=(runs, 1))

def broken(data, rng):
    return train(data, rng, 1) + [1, 2][5]

def leaves(data, rng):
    raise SystemExit(0)

def leaves_batched(data, rng, runs):
    raise SystemExit(0)

def loud(data, rng, runs):
    print("noise")
    return train(data, rng, runs)

def same():
    return Neighbours(np.zeros((2, 1)), np.zeros((2, 1)), "replace")

def hangs(data, rng):
    import re
    return float(bool(re.match("(a+)+$", "a" * 64 + "b")))
"""


@pytest.fixture
def audit(tmp_path, monkeypatch):
    (tmp_path / "audited_by_exits.py").write_text(AUDITED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "audited_by_exits", raising=False)

    def call(name, *arguments):
        module = "audited_by_exits"
        first = ["audit", f"{module}:{name}", "--neighbours", f"{module}:pair", "--runs", "2000"]
        return CliRunner().invoke(
            application(), [*first, *arguments]
        )  # of an option given twice the last counts

    return call


def test_an_audit_that_crashes_exits_with_70_and_shows_the_traceback_of_the_mechanism(audit):
    result = audit("broken", "--epsilon", "1")
    assert result.exit_code == 70
    assert "IndexError: list index out of range" in result.stderr
    assert "audited_by_exits.py" in result.stderr


@pytest.mark.parametrize("name", ["leaves", "leaves_batched"])
def test_a_mechanism_that_ends_the_process_does_not_end_the_audit_well(audit, name):
    result = audit(name, "--epsilon", "1")
    assert result.exit_code == 70, result.output
    assert "SystemExit" in result.stdout


def test_an_audit_that_is_interrupted_does_not_end_well(audit, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("dpverify.auditing.drawing.Sampler._late", interrupt)
    result = audit("train", "--epsilon", "1")
    assert result.exit_code == 130, result.output
    assert "interrupted" in result.stdout


def test_what_a_mechanism_prints_stays_out_of_the_result(audit):
    assert json.loads(audit("loud", "--epsilon", "1", "--json").stdout)["verdict"] == "SUPPORTED"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--epsilon", "1", "--neighbours", "audited_by_exits:same"], "Expected neighbours that differ"),
        (["--claim", "audited_by_exits:pair"], "to be a guarantee"),
        (["--epsilon", "1", "--declared", "audited_by_exits:pair"], "to be a release"),
        (["--epsilon", "1", "--plot", "curve.txt"], "to end in .svg"),
    ],
)
def test_misuse_of_an_audit(audit, arguments, said):
    result = audit("train", *arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


def test_an_audit_that_hangs_in_c_is_stopped(audit):
    result = audit("hangs", "--epsilon", "1", "--timeout", "3")
    assert result.exit_code == 3
    assert "no answer in 3 s" in result.stdout


def test_an_audit_within_its_limit_is_the_audit_without_one(audit):
    free, limited = (
        json.loads(audit("train", "--epsilon", "0.2", "--json", *more).stdout)
        for more in ([], ["--timeout", "60"])
    )
    assert free["verdict"] == "REFUTED"
    assert free["witness"] == limited["witness"]


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_an_audit_is_annotated_at_the_line_of_its_mechanism(audit, form):
    text = audit("train", "--epsilon", "0.2", "--format", form).stdout
    if form == "github":
        assert text.startswith("::error file=audited_by_exits.py,line=7,")
    else:
        place = json.loads(text)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place == {"artifactLocation": {"uri": "audited_by_exits.py"}, "region": {"startLine": 7}}


def test_the_witness_of_an_audit_stands_from_its_file_alone(audit, tmp_path):
    (tmp_path / "result.json").write_text(audit("train", "--epsilon", "0.2", "--json").stdout)
    done = CliRunner().invoke(application(), ["verify", str(Path("result.json"))])
    assert done.exit_code == 0, done.output


LEAVES = """
import os, signal
from dpverify import Neighbours
pair = Neighbours.replace([[0.0], [0.0]], 0, [1.0])
def leaves(data, rng): os._exit(0)
def dies(data, rng): os.kill(os.getpid(), signal.SIGSEGV)
"""


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [("leaves", "ended itself with exit code 0"), ("dies", "was ended by SIGSEGV")],
)
def test_a_mechanism_that_ends_the_process_is_a_crash(tmp_path, mechanism, said):
    (tmp_path / "ending.py").write_text(LEAVES)
    arguments = ["audit", f"ending:{mechanism}", "--neighbours", "ending:pair", "--epsilon", "1"]
    done = script(*arguments, cwd=tmp_path)
    assert done.returncode == 70
    assert f"{said} before there was a result" in done.stderr


def test_structured_outputs_crash_no_rung(audit, tmp_path):
    (tmp_path / "structured.py").write_text(
        "from audited_by_exits import pair\n"
        "def train(data, rng):\n"
        "    return {'w': [data.sum() + rng.normal(), [0.0, 1.0]], 'done': True}\n"
    )
    arguments = ["--neighbours", "structured:pair", "--mu", "1", "--runs", "300", "--json"]
    result = CliRunner().invoke(application(), ["audit", "structured:train", *arguments])
    assert all("crashed" not in step["because"] for step in json.loads(result.stdout)["steps"])
