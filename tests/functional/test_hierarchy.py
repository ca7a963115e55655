"""`kanonym hierarchy build | check | show`."""

from __future__ import annotations

import pytest


def test_built_hierarchy_is_one_that_check_accepts(kanonym, folder):
    """What `build` writes, `check` accepts, and it covers the column."""
    built = kanonym(
        "hierarchy build patients.csv age -o age.csv --as", "intervals: {width: [5, 10]}"
    )
    assert built.code == 0
    assert (folder / "age.csv").read_text("utf-8").splitlines()[0] == "23;[20, 25);[20, 30);*"
    checked = kanonym("hierarchy check age.csv --table patients.csv --column age --json")
    assert checked.code == 0
    assert checked.json == {"valid": True, "levels": [8, 4, 2, 1], "covers": "age"}


def test_suggestion_is_told_and_the_file_goes_to_standard_output(kanonym):
    """Without --as, the suggestion is told on standard error, the hierarchy on standard output."""
    ran = kanonym("hierarchy build patients.csv zip")
    assert ran.code == 0
    assert ran.text.splitlines()[0] == "01234;0123*;01***;0****;*"
    assert "zip: masking" in ran.error


def test_build_refuses_what_does_not_fit(refused):
    """A form that does not fit the column is an error that names the column."""
    assert "column 'disease'" in refused("hierarchy build patients.csv disease -o h.csv --as dates")


def test_build_refuses_an_unknown_form(refused):
    """An unknown form is refused with the nearest right one."""
    error = refused("hierarchy build patients.csv age --as", "interval: {width: 5}")
    assert "did you mean 'intervals'?" in error


def test_check_tells_the_levels(kanonym, folder):
    """`check` tells how many labels every level has, with a few of them."""
    (folder / "sex.csv").write_text("f;*\nm;*\n", "utf-8")
    ran = kanonym("hierarchy check sex.csv")
    assert ran.code == 0
    assert "sex.csv is a hierarchy." in ran.text
    assert "f, m" in ran.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("f;x;*\nf;y;*\n", "row 2"),
        ("f;*\nm;*;*\n", "row 2: 3 columns"),
        ("f;a\nm;b\n", "one root"),
    ],
)
def test_check_refuses_what_is_no_hierarchy(refused, folder, text, message):
    """A file that is no hierarchy is refused with its row."""
    (folder / "sex.csv").write_text(text, "utf-8")
    error = refused("hierarchy check sex.csv")
    assert "sex.csv" in error
    assert message in error


def test_check_refuses_a_hierarchy_that_does_not_cover(refused, folder):
    """Values of the column that the hierarchy lacks are named."""
    (folder / "sex.csv").write_text("f;*\nx;*\n", "utf-8")
    assert "'m'" in refused("hierarchy check sex.csv --table patients.csv --column sex")


def test_show_draws_the_tree(kanonym):
    """`show` draws the tree that a form makes of a column."""
    ran = kanonym("hierarchy show masking --table patients.csv --column zip")
    assert ran.code == 0
    assert "0123*" in ran.text
    assert "01234" in ran.text


def test_a_url_is_refused_by_its_scheme_alone(kanonym):
    """A hierarchy is in a file, and what a URL may hold of a password is not repeated."""
    for line in (
        "hierarchy show postgresql://ann:hidden@db/x",
        "hierarchy check postgresql://ann:hidden@db/x",
        "hierarchy build patients.csv zip --as postgresql://ann:hidden@db/x",
    ):
        ran = kanonym(line)
        assert ran.code == 3
        assert "postgresql:// is not supported here" in ran.error
        assert "hidden" not in ran.error


def test_brackets_are_shown_as_they_are(kanonym, folder):
    """A label in brackets is text, no markup of the terminal."""
    (folder / "sex.csv").write_text("f;[red];*\nm;[/];*\n", "utf-8")
    for line in (
        "hierarchy show sex.csv",
        "hierarchy show sex.csv --table patients.csv --column sex",
    ):
        ran = kanonym(line)
        assert ran.code == 0
        assert "[red]" in ran.text
        assert "[/]" in ran.text


def test_show_of_a_file_alone_tells_its_levels(kanonym, folder):
    """Of a file without a column, `show` tells the levels."""
    (folder / "sex.csv").write_text("f;*\nm;*\n", "utf-8")
    assert "f, m" in kanonym("hierarchy show sex.csv").text
