"""What is told where an engine's libraries are not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

ENGINES = {
    "duckdb": ("ka.DuckDB('visits.parquet')", "duckdb"),
    "spark": ("ka.Spark('visits.parquet')", "pyspark"),
    "sql": ("ka.Database('sqlite:///clinic.db', 'visits')", "adbc_driver_manager"),
}


@pytest.mark.parametrize("extra", ENGINES)
@pytest.mark.parametrize("all_of_them", [False, True])
def test_a_missing_extra_is_named(extra, all_of_them):
    """Whichever library of an extra is missing, the message names the extra to install."""
    call, own = ENGINES[extra]
    missing = [own, "sqlglot"] if all_of_them else [own]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({missing}))\n"
        f"import kanonym as ka\n"
        f"try:\n    {call}\n"
        f"except ka.DataError as error:\n    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert f"is not installed; pip install 'kanonym[{extra}]'" in ran.stdout
