"""Hierarchies from files."""

from __future__ import annotations

import polars as pl
import pytest

from kanonym.data import hierarchy
from kanonym.data.errors import HierarchyError


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a hierarchy from the text of a file."""

    def read(text, **options):
        path = tmp_path / "age.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return hierarchy.from_file(path, **options)

    return read


@pytest.mark.parametrize(
    "text",
    [
        "7;0-9;*\n12;10-19;*\n",
        "7,0-9,*\n12,10-19,*\n",
        "7;0-9;*\r\n12;10-19;*",
        "\ufeff7;0-9;*\n\n12;10-19;*\n\n",
        '"7";"0-9";"*"\n"12";"10-19";"*"\n',
    ],
    ids=["semicolons", "commas", "windows", "byte-order-mark-and-blank-lines", "quoted"],
)
def test_the_usual_forms_read_alike(read, text):
    """Separator, line ends, byte order mark, blank lines and quotes do not matter."""
    bound = read(text).bind(pl.Series("age", [12, 7]))
    assert bound.to_rows() == [["7", "0-9", "*"], ["12", "10-19", "*"]]


def test_labels_may_hold_the_other_separator(read):
    """The separator is the one that cuts the first row into more cells."""
    bound = read("20;[20, 30);[0, 50);*\n31;[30, 40);[0, 50);*\n").bind(pl.Series("age", [20]))
    assert bound.generalize(1) == ["[20, 30)", "[30, 40)"]
    quoted = read('a,"x;y;z",*\nb,"x;y;z",*\n').bind(pl.Series("x", ["a"]))
    assert quoted.generalize(1) == ["x;y;z"] * 2


def test_a_separator_can_be_given(read):
    """Any one character separates where it is given."""
    assert read("a|x|*\nb|y|*\n", separator="|").bind(pl.Series(["a"])).generalize(1) == ["x", "y"]


def test_numbers_stand_by_value_where_the_tree_allows(read):
    """Leaves of numbers are ordered by value when that keeps each label's leaves together."""
    bound = read("12;10-19;*\n7;0-9;*\n10;10-19;*\n").bind(pl.Series("age", [7]))
    assert bound.values.to_list() == [7, 10, 12]
    assert bound.codes.tolist() == [[0, 1, 2], [0, 1, 1], [0, 0, 0]]


def test_numbers_stand_depth_first_where_it_does_not(read):
    """Leaves are in order of first appearance when labels are scattered over the numbers."""
    bound = read("3;odd;*\n1;odd;*\n2;even;*\n5;odd;*\n4;even;*\n").bind(pl.Series("n", [1]))
    assert bound.values.to_list() == [3, 1, 5, 2, 4]
    assert bound.generalize(1) == ["odd", "odd", "odd", "even", "even"]


def test_text_stands_depth_first(read):
    """Text is in the order of the file, subtree by subtree."""
    bound = read("b;x;*\na;y;*\nc;x;*\n").bind(pl.Series("n", ["a"]))
    assert bound.values.to_list() == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("leaves", "column"),
    [
        (["39", "40.0"], pl.Series("x", [39, 40])),
        (["39", "300"], pl.Series("x", [39], dtype=pl.Int8)),
        (["39", "-1"], pl.Series("x", [39], dtype=pl.UInt64)),
        (["39", "40.0"], pl.Series("x", [39.0, 40.0])),
        (["0.1", "0.2"], pl.Series("x", [0.1, 0.2], dtype=pl.Float32)),
        (["1.5", "2"], pl.Series("x", ["1.50", "2.00"]).cast(pl.Decimal(10, 2))),
        (["true", "FALSE"], pl.Series("x", [True, False])),
        (["2020-05-17", "1999-12-31"], pl.Series("x", ["2020-05-17"]).str.to_date()),
        (["2020-05-17", "1999-12-31T10:30"], pl.Series("x", ["2020-05-17"]).str.to_datetime("%F")),
        (["10:30:00", "11:30:00.5"], pl.Series("x", ["10:30:00"]).str.to_time()),
        (["lo", "hi", "top"], pl.Series("x", ["hi", "lo"], dtype=pl.Enum(["lo", "hi"]))),
        (["lo", "hi", "top"], pl.Series("x", ["hi", "lo"], dtype=pl.Categorical)),
        (["01", "1"], pl.Series("x", ["01", "1"])),
        (["a"], pl.Series("x", [None])),
    ],
    ids=lambda given: str(given.dtype) if isinstance(given, pl.Series) else "",
)
def test_leaves_match_in_the_type_of_the_column(read, leaves, column):
    """Every value of the column finds its leaf, and leaves beyond the data stay in the tree."""
    bound = read("".join(f"{leaf};*\n" for leaf in leaves)).bind(column)
    assert bound.size == len(leaves) + bound.has_null
    assert (bound.leaf_of(column) >= 0).all()


def test_leaves_match_in_a_time_zone(read):
    """Times without an offset are the column's local ones, times with one are absolute."""
    local = pl.Series("x", ["2020-01-01 10:30"]).str.to_datetime(time_zone="Europe/Berlin")
    bound = read("2020-01-01 10:30;*\n2020-01-01 10:30:00+00:00;*\n").bind(local)
    assert bound.leaf_of(local).tolist() == [0]
    assert bound.values.dt.hour().to_list() == [10, 11]


def test_null_gets_a_branch_of_its_own(read):
    """Null and NaN are one leaf, the last, without a label below the root."""
    bound = read("1;x;*\n2;y;*\n").bind(pl.Series("n", [1.0, None, float("nan")]))
    assert bound.to_rows()[-1] == ["", "", "*"]
    assert bound.generalize(1) == ["x", "y", None]
    assert bound.size == 3


def test_a_file_may_name_null(read):
    """An empty first cell is null, with the labels of its row, and last wherever it stands."""
    source = read(";unknown;*\n1;x;*\n2;y;*\n")
    for column in (pl.Series("n", [1, None]), pl.Series("n", [1])):
        bound = source.bind(column)
        assert bound.values.to_list() == [1, 2, None]
        assert bound.generalize(1) == ["x", "y", "unknown"]


def test_a_level_may_change_nothing(read):
    """Files keep a level that equals the one below."""
    bound = read("a;A;A1;*\nb;B;B1;*\n").bind(pl.Series("n", ["a"]))
    assert bound.n_levels == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty: it needs one row for each value"),
        ("\n\n", "is empty"),
        ("a\nb\n", "has one column: it needs the values and, in the last column, one root"),
        ("a;x;*\nb;*\n", "row 2: 2 columns, but row 1 has 3; every value needs one label"),
        ("a;x;*\n\nb;;*\n", "row 3: level 1 of 'b' is empty"),
        ("a;x;*\nb;x;*\na;y;*\n", "row 3: 'a' has a row already, row 1; every value must occur"),
        (";x;*\nb;y;*\n;z;*\n", "row 3: null has a row already, row 1"),
        (
            "a;x;X;*\nb;y;X;*\nc;x;Y;*\n",
            "row 3: 'x' of level 1 has two parents at level 2: the label in this row",
        ),
        (
            "Paris;other;France;*\nRome;other;Italy;*\n",
            "row 2: 'other' of level 1 has two parents at level 2: the label in this row",
        ),
        (
            "a;x;all\nb;y;every\n",
            "row 2: the last level must be one root, but it is 'every' here and another label",
        ),
        (
            "age;group;root\n7;0-9;*\n8;0-9;*\n",
            "another label in row 1; a hierarchy file has no header",
        ),
        (
            "a;x;*\n;x;*\n",
            "null is a branch of its own below the root, but it shares 'x' of level 1 with row 1",
        ),
        (";;\n", "row 1: the root of null is empty"),
        ('a;"x;*\nb;x;*\n', "row 2: unexpected end of data"),
        (b"a;x;*\nb;\xe4;*\n", "is not UTF-8: line 2, byte 9 of the file"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused(read, tmp_path, text, message):
    """The error names the file, the row, the values, and what is wrong with them."""
    with pytest.raises(HierarchyError) as error:
        read(text)
    assert str(error.value).startswith(f"hierarchy {tmp_path / 'age.csv'}")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("1;*\nx;*\n", pl.Series("n", [1]), "row 2: 'x' is no Int64, which column 'n' holds"),
        ("1;*\n2.5;*\n", pl.Series("n", [1]), "row 2: '2.5' is no Int64"),
        ("1;*\n1.0;*\n", pl.Series("n", [1]), "row 2: the value '1.0' occurs a second time"),
        ("1;*\n", pl.Series("n", [1, 2, None]), "column 'n': 1 value is not in hierarchy"),
        ("1;*\n", pl.Series("n", ["01"]), "column 'n': 1 value is not in hierarchy"),
        ("1;*\n", pl.Series("n", [[1]]), "over which there is no hierarchy"),
    ],
)
def test_a_file_that_does_not_fit_the_column_is_refused(read, text, column, message):
    """The error names the column, and the row or the missing value."""
    with pytest.raises(HierarchyError) as error:
        read(text).bind(column)
    assert message in str(error.value)


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n"])
def test_a_separator_is_one_character(read, separator):
    """Anything else, and what CSV needs for itself, is refused."""
    with pytest.raises(HierarchyError, match="separator must be one character"):
        read("a;*\n", separator=separator)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    """The error names the path and the system's reason."""
    with pytest.raises(HierarchyError, match=r"nowhere.csv cannot be read: No such file"):
        hierarchy.from_file(tmp_path / "nowhere.csv")


def test_its_policy_form_names_the_file(tmp_path):
    """The form holds the path as it was given, without the folder it is relative to."""
    (tmp_path / "age.csv").write_text("7|*\n", encoding="utf-8")
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    source = hierarchy.from_dict({"file": {"path": "age.csv", "separator": "|"}}, tmp_path)
    assert source.to_dict() == {"file": {"path": "age.csv", "separator": "|"}}
    assert hierarchy.from_dict({"file": "sex.csv"}, tmp_path).to_dict() == {"file": "sex.csv"}


def test_a_line_that_stands_twice_is_read_once(read):
    """Word for word the same, it says nothing new; with other labels it is refused."""
    bound = read("a;x;*\nb;x;*\na;x;*\n").bind(pl.Series("v", ["a", "b"]))
    assert bound.values.to_list() == ["a", "b"]


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_is_read_in_its_encoding(tmp_path, encoding):
    """UTF-16 is told by itself; another encoding is named, and stands in the policy."""
    path = tmp_path / "city.csv"
    path.write_bytes("Köln;NRW;*\nMünchen;Bayern;*\n".encode(encoding))
    given = {"encoding": encoding} if encoding == "windows-1252" else {}
    source = hierarchy.from_file(str(path), **given)
    assert set(source.bind(pl.Series("city", ["Köln"])).values) == {"Köln", "München"}
    assert hierarchy.from_dict(source.to_dict()) == source
