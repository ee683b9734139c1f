"""Records from files: what is read, and what is said of files that cannot be."""

import numpy as np
import pytest

from dpverify.datafiles import read
from dpverify.parts.cases import own_case


def test_a_table_with_a_target(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y,b\n1,2,3\n4,5,6\n")
    features, values = read(path, "y")
    assert features.tolist() == [[1, 3], [4, 6]] and values.tolist() == [2, 5]
    assert read(path)[0].shape == (2, 3) and read(path)[1] is None


def test_arrays(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.ones((3, 2)), y=np.arange(3), extra=np.zeros(1))
    features, values = read(tmp_path / "t.npz", "y")
    assert features.shape == (3, 2) and values.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("a,b\n1,2\n", "z", "target='z' among the columns a, b"),
        ("a,b\n1,x\n", None, "number in column 'b', line 2"),
        ("a,b\n1\n", None, "Expected 2 fields in line 2"),
        ("a,b\n", None, "at least one record"),
        ("a,b,a\n1,2,3\n", "b", "different names in .*, got 'a' twice"),
        ("y\n1\n", "y", "a column besides target='y'"),
    ],
)
def test_a_bad_table_is_refused_by_line_and_column(tmp_path, text, target, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read(path, target)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "t.txt").write_text("1")
    with pytest.raises(ValueError, match=r"to end in \.csv or \.npz"):
        read(tmp_path / "t.txt")


def test_targets_are_numbers_or_two_names():
    with pytest.raises(ValueError, match="two kinds of names, got 3: blue, green, red"):
        own_case(np.ones((3, 1)), ["red", "green", "blue"])
