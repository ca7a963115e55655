"""Every public function that takes a table takes the path of its file, and no other place."""

from __future__ import annotations

import inspect

import polars as pl
import pytest

import kanonym as ka

KNOWN = {"quasi_identifiers": ["age", "sex"]}
REQUIRED = {**KNOWN, "sensitive": ["ill"], "k": 2}
CALLS = {
    "anonymize": lambda table: ka.anonymize(table, **REQUIRED).verification,
    "assess": lambda table: ka.assess(table, table, **KNOWN, measures=["gcp"]),
    "attack": lambda table: ka.attack(table, table, **KNOWN, attacks=["linkage"], attempts=4),
    "compare": lambda table: (
        ka.compare(table, **REQUIRED, sweep={"algorithm": ["mondrian"]}, workers=1)
        .frontier[0]
        .utility
    ),
    "fit": lambda table: ka.fit(table, **REQUIRED).account["rows"],
    "inject": lambda table: ka.inject(table, **KNOWN, size=6, seed=1).frame,
    "lattice": lambda table: ka.lattice(table, **REQUIRED),
    "measure": lambda table: ka.measure(table, **KNOWN),
    "profile": ka.profile,
    "recommend": lambda table: ka.recommend(table, k=2).text,
    "risk": lambda table: ka.risk(table, **KNOWN),
    "synthesize": lambda table: ka.synthesize(table, rows=4).frame,
    "transform": lambda table: ka.transform(table, {"age": {"type": "round", "to": 10}}),
    "utility": lambda table: ka.utility(table, table, **KNOWN, measures=["gcp"]),
    "verify": lambda table: ka.verify(table, ka.Policy(**REQUIRED_FORM)),
}
REQUIRED_FORM = {
    "attributes": {"age": ka.QuasiIdentifier(), "ill": ka.Sensitive()},
    "others": "insensitive",
    "models": [ka.KAnonymity(2)],
}


@pytest.fixture
def table():
    """Return a small table."""
    return pl.DataFrame(
        {
            "age": [23, 25, 41, 42] * 10,
            "sex": ["f", "f", "m", "m"] * 10,
            "ill": ["flu", "cold", "flu", "gout"] * 10,
        }
    )


def plain(result):
    """Return what can be compared of a result."""
    if isinstance(result, pl.DataFrame):
        return result.to_dict(as_series=False)
    return result.to_dict() if hasattr(result, "to_dict") else result


def test_every_function_of_tables_is_here():
    """The calls above are those of all public functions whose first argument is a table."""
    doors = {
        name
        for name in ka.__all__
        if inspect.isfunction(one := getattr(ka, name))
        and next(iter(inspect.signature(one).parameters), "") in {"frame", "original"}
    }
    assert doors - {"write_table"} == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_path_stands_for_its_table(name, table, tmp_path):
    """A path gives the result of the table in its file."""
    place = tmp_path / "table.parquet"
    table.write_parquet(place)
    assert plain(CALLS[name](place)) == plain(CALLS[name](str(place))) == plain(CALLS[name](table))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("place", "call"),
    [
        ("hr.duckdb", "ka.engines.scan_duckdb('hr.duckdb', name='TABLE')"),
        ("hr.sqlite", "ka.engines.scan_database('hr.sqlite', 'TABLE')"),
        (
            "postgresql://ann:secret@host/hr",
            "ka.engines.scan_database('postgresql://***/hr', 'TABLE')",
        ),
    ],
)
def test_database_names_its_table(name, place, call):
    """A database has several tables: the error says how one of them is named."""
    with pytest.raises(ka.DataError, match="is a database") as error:
        CALLS[name](place)
    assert call in str(error.value)
    assert "secret" not in str(error.value)
