"""Kept results are believed only if what they depend on is as it was, their key is ours, and they stand."""

import io
import json
import os
import stat

import numpy as np
import pytest

from dpverify import checking, signing
from dpverify import memory as remembering
from dpverify.checking import check
from dpverify.memory import Memory
from dpverify.signing import cache_folder, read_signed, write_signed
from dpverify.verdicts import PROVED, REFUTED, UNDECIDED

PAPER = """
import json
import sympy as sp
from pathlib import Path
from dpverify.claims import Paper, claim
from dpverify.relations import AtMost, Equal
import helper_at_the_top_{tag}
PAPER = Paper("p", "P (2020)")
x = sp.Symbol("x", real=True)

@claim(PAPER, "top", at="Eq (1)")
def top():
    "with a helper that is imported at the top"
    return AtMost(0, helper_at_the_top_{tag}.square(x))

@claim(PAPER, "inside", at="Eq (2)")
def inside():
    "with a helper that is imported inside, by its name"
    import importlib
    return AtMost(0, importlib.import_module("helper_inside_{tag}").square(x))

@claim(PAPER, "table", at="Eq (3)")
def table():
    "with a number that is read from a file"
    return AtMost(json.loads((Path(__file__).parent / "table.json").read_text()), x**2)
"""
HELPER = "import helper_of_helper_{tag}\ndef square(x):\n    return helper_of_helper_{tag}.square(x)\n"
SQUARE = "def square(x):\n    return x**2\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


@pytest.fixture
def folder(tmp_path, request):
    """A paper with helpers beside it, whose names are those of this test alone."""
    tag = f"{os.getpid()}_{abs(hash(request.node.name))}"
    here = tmp_path / "work"
    here.mkdir()
    (here / "paper.py").write_text(PAPER.format(tag=tag))
    (here / f"helper_at_the_top_{tag}.py").write_text(HELPER.format(tag=tag))
    (here / f"helper_of_helper_{tag}.py").write_text(SQUARE)
    (here / f"helper_inside_{tag}.py").write_text(SQUARE)
    (here / "table.json").write_text("0")
    return here


def verdicts(folder, memory, **options):
    """The verdicts in processes of their own, as the command line has them, and how many were recalled."""
    checking.claims_in.cache_clear()
    remembering.forget()
    memory.hits = 0
    done = check(paths=[folder / "paper.py"], memory=memory, seconds=120, **options)
    return {c.claim.id: c.result.verdict for c in done}, memory.hits


def edit(folder, glob, old, new):
    (path,) = folder.glob(glob)
    path.write_text(path.read_text().replace(old, new))


def test_an_edit_of_anything_that_is_imported_or_read_is_seen(folder):
    memory = Memory()
    assert verdicts(folder, memory)[1] == 0
    assert verdicts(folder, memory)[1] == 3
    edit(folder, "helper_of_helper_*.py", "x**2", "x**2 - 1")
    changed, _ = verdicts(folder, memory)
    assert changed["p/top"] is REFUTED
    edit(folder, "helper_inside_*.py", "x**2", "x**2 - 1")
    changed, _ = verdicts(folder, memory)
    assert changed["p/inside"] is REFUTED
    edit(folder, "table.json", "0", "1")
    changed, _ = verdicts(folder, memory)
    assert changed["p/table"] is REFUTED


def test_the_cache_is_the_users_and_what_a_work_under_review_brings_is_not_looked_at(folder, monkeypatch):
    monkeypatch.chdir(folder)
    memory = Memory()
    verdicts(folder, memory)
    assert not (folder / ".dpverify").exists()
    assert memory.folder.is_relative_to(cache_folder())
    assert stat.S_IMODE((cache_folder() / "key").stat().st_mode) == 0o600


def forged(file):
    """The signature, and the record with a proof where there was a refutation."""
    signature, _, body = file.read_bytes().partition(b"\n")
    kept = json.loads(body)
    kept["record"] |= {"verdict": "PROVED", "witness": None, "evidence": {"method": "z3"}}
    return signature, json.dumps(kept).encode()


def test_an_edited_record_and_one_of_another_key_are_not_believed(folder, monkeypatch):
    edit(folder, "helper_of_helper_*.py", "x**2", "x**2 - 1")
    memory = Memory()
    assert verdicts(folder, memory)[0]["p/top"] is REFUTED
    for file in memory.folder.glob("*.json"):
        signature, body = forged(file)
        file.write_bytes(signature + b"\n" + body)
    assert verdicts(folder, memory)[0]["p/top"] is REFUTED
    for file in memory.folder.glob("*.json"):
        write_signed(file, file.stem, forged(file)[1], b"the key of somebody else")
    assert verdicts(folder, memory) == ({"p/top": REFUTED, "p/inside": PROVED, "p/table": PROVED}, 0)


def test_a_record_moved_to_the_place_of_another_is_not_believed(folder):
    memory = Memory()
    verdicts(folder, memory)
    first, second, _ = sorted(memory.folder.glob("*.json"))
    first.write_text(second.read_text())
    assert verdicts(folder, memory)[1] == 2


def test_certificates_and_witnesses_are_checked_again_even_if_the_signature_is_right(folder):
    edit(folder, "helper_of_helper_*.py", "x**2", "x**2 - 1")
    memory = Memory()
    verdicts(folder, memory)
    for file in memory.folder.glob("*.json"):
        kept = json.loads(read_signed(file, file.stem))
        record = kept["record"]
        if record["verdict"] == "REFUTED":
            record["witness"]["exact"]["at"][0][1] = ["Rational", 1000, 1]
        else:
            record["evidence"] = {"method": "polynomials", "certificate": {"method": "z3"}}
        write_signed(file, file.stem, json.dumps(kept).encode())
    assert verdicts(folder, memory) == ({"p/top": REFUTED, "p/inside": PROVED, "p/table": PROVED}, 0)


@pytest.mark.parametrize("what", ["a file in its place", "a full disk"])
def test_a_cache_that_cannot_be_written_is_done_without(folder, tmp_path, monkeypatch, what):
    if what == "a full disk":
        memory = Memory("/dev/full/nowhere")
    else:
        (tmp_path / "file").write_text("")
        memory = Memory(tmp_path / "file")
    assert memory.problem()
    assert verdicts(folder, memory, jobs=1)[0] == dict.fromkeys(["p/top", "p/inside", "p/table"], PROVED)


def test_without_a_place_for_its_key_nothing_is_recalled(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    write_signed(tmp_path / "kept", "kept", b"content")
    signing._secret.cache_clear()  # as in another process
    assert read_signed(tmp_path / "kept", "kept") is None


def test_chunks_of_an_audit_that_somebody_edited_or_brought_along_are_drawn_again(tmp_path):
    from dpverify import GDP, Budget, Neighbours, audit

    def noisy(data, rng, runs):
        return data.sum() + rng.normal(size=(runs, 1))

    pair = Neighbours.replace(np.zeros((2, 1)), 0, [1.0])
    budget = Budget(runs=400, chunks=str(tmp_path / "chunks"))
    fresh = audit(noisy, pair, GDP(1.0), budget=budget).to_json()
    chunks = sorted((tmp_path / "chunks").rglob("*.npz"))

    def edit_all(sign):
        for chunk in chunks:
            signature, _, content = chunk.read_bytes().partition(b"\n")
            arrays = dict(np.load(io.BytesIO(content)))
            arrays["numbers0"] = arrays["numbers0"] + 100.0
            edited = io.BytesIO()
            np.savez(edited, **arrays)
            chunk.write_bytes(signature + b"\n" + edited.getvalue())
            if sign:
                write_signed(chunk, f"{chunk.parent.name}/{chunk.name}", edited.getvalue())

    edit_all(sign=False)
    again = audit(noisy, pair, GDP(1.0), budget=budget).to_json()
    assert (again["verdict"], again["because"]) == (fresh["verdict"], fresh["because"])
    edit_all(sign=True)
    signed = audit(noisy, pair, GDP(1.0), budget=budget)
    assert signed.verdict is UNDECIDED and "drifts" in signed.because, "kept chunks are used"


def test_the_statement_of_a_claim_that_is_used_is_part_of_the_key(folder):
    (folder / "paper.py").write_text(
        (folder / "paper.py").read_text().replace('at="Eq (2)"', 'at="Eq (2)", uses=["top"]')
    )
    memory = Memory()
    verdicts(folder, memory)
    edit(folder, "paper.py", "a helper that is imported at the top", "a helper")
    assert verdicts(folder, memory)[1] == 1
