"""SPSS, Stata and SAS files from the command line."""

from __future__ import annotations

import polars as pl
import pytest

pyreadstat = pytest.importorskip("pyreadstat")


@pytest.mark.parametrize("output", ["out.sav", "out.dta", "out.xpt"])
def test_a_survey_is_anonymized_and_verified(kanonym, folder, output):
    """A survey in SPSS's format is released in each of the three, with its labels."""
    pyreadstat.write_sav(
        pl.DataFrame({"age": [20, 21, 40, 41], "sex": [1, 1, 2, 2], "job": [1, 2, 1, 2]}),
        str(folder / "in.sav"),
        column_labels={"job": "Occupation"},
        variable_value_labels={"job": {1: "nurse", 2: "clerk"}},
    )
    options = "-q age,sex -s job -k 2 --others insensitive"
    assert kanonym(f"anonymize in.sav {options} -o {output}").code == 0
    assert kanonym(f"measure {output} -q age,sex --json").json["k"] == 2
    read = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta, "xpt": pyreadstat.read_xport}
    described = read[output[-3:]](str(folder / output))[1]
    assert described.column_names_to_labels["job"] == "Occupation"
    if output != "out.xpt":
        assert described.variable_value_labels == {"job": {1.0: "nurse", 2.0: "clerk"}}
