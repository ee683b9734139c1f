"""Records from files: what is read, and what is said of files that cannot be."""

import numpy as np
import pytest

from dpverify.datafiles import read
from dpverify.parts.cases import described, own_case


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
        ("a,b\n1,nan\n", None, "number in column 'b', line 2 .* got 'nan'"),
        ("a,y\n1,u\n2, \n", "y", "value in column 'y', line 3"),
        ("1,2\n3,4\n", None, "header of names in line 1 .* got 1, 2"),
        ("a;b\n3;4\n", None, "commas between the columns"),
    ],
)
def test_a_bad_table_is_refused_by_line_and_column(tmp_path, text, target, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read(path, target)


def test_a_table_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "t.csv").write_bytes("größe\n1\n".encode("latin-1"))
    with pytest.raises(ValueError, match="to be a table in UTF-8"):
        read(tmp_path / "t.csv")


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "t.txt").write_text("1")
    with pytest.raises(ValueError, match=r"to end in \.csv or \.npz"):
        read(tmp_path / "t.txt")


def test_targets_are_numbers_or_two_names():
    with pytest.raises(ValueError, match="two kinds of names, got 3: blue, green, red"):
        own_case(np.ones((3, 1)), ["red", "green", "blue"])


def test_what_is_made_of_the_records_is_said():
    long = described([[3.0, 0.0]], [2.0])
    assert long.startswith("least squares on 1 record of 2 columns, ridge 0.01; 1 of them was longer than 1")
    assert long.endswith("cut to that length: columns of large numbers hide the others")
    assert described(np.ones((2, 1))) == "the mean of 2 records of 1 column"
    assert own_case(np.ones((2, 1)), ["a", "b"], ridge=0)[0].pl is None


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((3, 2))}, "target='y' among the arrays X"),
        (
            {"X": np.ones((3, 2)), "y": np.array([1.0, np.nan, 2.0])},
            "finite .* target='y' .* nan in record 1",
        ),
        ({"X": np.float64(1.0), "y": np.ones(3)}, r"records in array 'X' .* shape \(\)"),
        ({"X": np.ones((0, 2)), "y": np.ones(0)}, r"records in array 'X' .* shape \(0, 2\)"),
        ({"X": np.array([["a"]] * 3), "y": np.ones(3)}, "numbers in array 'X' .* type <U1"),
        ({"X": np.ones((3, 2)) * 1j, "y": np.ones(3)}, "numbers in array 'X' .* type complex128"),
        ({"X": np.array([{}] * 3), "y": np.ones(3)}, "arrays of numbers, as np.savez writes them"),
        ({"A": np.ones((3, 2)), "B": np.ones((3, 2)), "y": np.ones(3)}, "one array of features"),
    ],
)
def test_bad_arrays_are_refused_by_name(tmp_path, arrays, message):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "t.npz", "y")


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    np.savez(tmp_path / "whole.npz", X=np.ones((3, 2)))
    np.save(tmp_path / "one.npy", np.ones((3, 2)))
    for name, content in {
        "broken.npz": b"PK nonsense",
        "half.npz": (tmp_path / "whole.npz").read_bytes()[:200],
        "one.npz": (tmp_path / "one.npy").read_bytes(),
        "none.npz": b"",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="to hold arrays of numbers"):
            read(tmp_path / name)


def test_booleans_whole_numbers_and_pictures_are_read(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.ones((3, 2, 2), dtype=np.int16), y=np.array([True, False, True]))
    features, values = read(tmp_path / "t.npz", "y")
    assert features.shape == (3, 4) and features.dtype == float and len(values) == 3
