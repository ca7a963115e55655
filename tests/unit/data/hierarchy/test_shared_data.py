"""The hierarchies of real tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from kanonym.data import hierarchy

FOLDERS = {"adult": 9, "creditcard": 11, "mach2019": 16, "ihis": 9}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_binds_to_its_column(shared_data, folder):
    """Each published hierarchy covers its column, and no row of the file is lost."""
    paths = sorted((shared_data / folder).glob("hierarchy_*.csv"))
    assert len(paths) == FOLDERS[folder]
    table = shared_data / folder / f"{folder}.csv"
    columns = pl.read_csv(table, separator=";") if table.exists() else {}
    for path in paths:
        name = path.stem.removeprefix("hierarchy_")
        rows = [line.split(";") for line in path.read_text(encoding="utf-8").splitlines()]
        # The health survey's table is generated; its values are those of the files.
        column = columns[name] if table.exists() else pl.Series(name, [int(r[0]) for r in rows])
        found = hierarchy.from_file(path).bind(column.unique())
        assert sorted(found.to_rows()) == sorted(rows)
        assert found.values.dtype == column.dtype


def test_ages_stand_by_value_and_answers_in_trees(shared_data):
    """Adult's age groups are intervals of ages, the test takers' are not."""
    adult = hierarchy.from_file(shared_data / "adult" / "hierarchy_age.csv")
    assert adult.bind(pl.Series("age", [17])).values.to_list() == list(range(1, 101))
    takers = hierarchy.from_file(shared_data / "mach2019" / "hierarchy_age.csv")
    found = takers.bind(pl.Series("age", [17]))
    assert not found.values.is_sorted()
    assert (np.diff(found.codes, axis=1) >= 0).all()
