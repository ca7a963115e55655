"""What is told where an engine's libraries are not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

ENGINES = {
    "duckdb": ("ka.engines.scan_duckdb('visits.parquet')", "duckdb"),
    "spark": ("ka.engines.scan_spark('visits.parquet')", "pyspark"),
    "sql": ("ka.engines.scan_database('sqlite:///clinic.db', 'visits')", "adbc_driver_manager"),
}


TRY = """
try:
    {call}
except ka.DataError as error:
    print(error)
"""


@pytest.mark.parametrize("all_of_them", [False, True])
def test_a_missing_extra_is_named(all_of_them):
    """Whichever library of an extra is missing, the message names the extra to install."""
    missing = [own for _, own in ENGINES.values()] + ["sqlglot"] * all_of_them
    program = f"import sys; sys.modules.update(dict.fromkeys({missing}))\nimport kanonym as ka\n"
    program += "".join(TRY.format(call=call) for call, _ in ENGINES.values())
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    lines = ran.stdout.splitlines()
    assert len(lines) == len(ENGINES)
    for extra, line in zip(ENGINES, lines, strict=True):
        assert f"is not installed; pip install 'kanonym[{extra}]'" in line
