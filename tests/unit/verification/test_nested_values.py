"""Lists, structs and bytes that single out their owners are found, whatever holds the table."""

from __future__ import annotations

import polars as pl
import pytest

import kanonym as ka

N = 40
OWN = {
    "lists": [[i, i + 1, 7] for i in range(N)],
    "structs": [{"a": i, "b": "x"} for i in range(N)],
    "bytes": [bytes([i]) for i in range(N)],
}


def kinds(values, library):
    """Return the findings of a release with a column of such values, and of its verification."""
    table = pl.DataFrame({"town": ["a", "b"] * (N // 2), "kept": values})
    table = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow()}[library]
    policy = ka.Policy(
        attributes={"town": ka.QuasiIdentifier(), "kept": ka.Insensitive()},
        models=[ka.KAnonymity(5)],
        rows="persons",
    )
    release = ka.anonymize(table, policy)
    both = release.verification, ka.verify(release.frame, policy)
    return [[one.kind for one in found.findings] for found in both]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("values", OWN.values(), ids=OWN)
def test_values_of_single_owners_are_found(values, library):
    """Whoever knows such a value knows whose record it is."""
    assert kinds(values, library) == [["identifying-amount"]] * 2


@pytest.mark.parametrize("values", OWN.values(), ids=OWN)
def test_values_that_many_have_are_not_found(values):
    """Each value here has two owners."""
    assert kinds(values[: N // 2] * 2, "polars") == [[], []]
