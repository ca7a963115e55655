"""No error tells more of a table than the one cell at fault, whatever goes wrong."""

from __future__ import annotations

import re

import polars as pl
import pytest

import kanonym as ka

N = 12
CANARY = re.compile(r"canary\d\d[a-z]|9876\d{3}|19[0-9]{2}-07-1\d")


def people():
    """Return records of which every cell stands in one place alone."""
    return pl.DataFrame(
        {
            "name": [f"canary{i:02}n" for i in range(N)],
            "zip": [f"canary{i:02}z" for i in range(N)],
            "age": [9876000 + i for i in range(N)],
            "born": [f"{1950 + i}-07-1{i % 10}" for i in range(N)],
            "job": [f"canary{i:02}j" for i in range(N)],
        }
    )


def file_of(folder, text, name="h.csv"):
    """Write a file, and return its path."""
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def rows_of(column, *labels):
    """Return a hierarchy file with the values of a column, and labels of each."""
    values = people()[column].cast(pl.String)
    return "".join(f"{','.join([value, *labels])}\n" for value in values)


def anonymize(table=None, **parts):
    """Anonymize by zip code."""
    asked = {"quasi_identifiers": ["zip"], "k": 2, "others": "insensitive", **parts}
    return ka.anonymize(people() if table is None else table, **asked)


def with_tree(column, source):
    """Anonymize by one column and its hierarchy."""
    return anonymize(quasi_identifiers=[column], hierarchies={column: source})


def release():
    """Return a release whose zip codes are canaries of other people."""
    return people().with_columns(zip=pl.col("zip").str.replace("z", "y"))


HALF = {f"canary{i:02}z": ["a", "*"] for i in range(N // 2)}
FAULTS = {
    "values that no hierarchy has": lambda _: with_tree("zip", ka.hierarchy.from_mapping(HALF)),
    "values that no file has": lambda folder: with_tree(
        "zip", ka.hierarchy.from_file(file_of(folder, "canary00z,*\n"))
    ),
    "a label of two parents": lambda folder: with_tree(
        "zip", file_of(folder, "canary00z,canary00j,canary01j,*\ncanary01z,canary00j,x,*\n")
    ),
    "two roots": lambda folder: with_tree(
        "zip", file_of(folder, "canary00z,canary00j\ncanary01z,canary01j\n")
    ),
    "a value twice": lambda folder: with_tree(
        "zip", file_of(folder, rows_of("zip", "a", "*") + rows_of("zip", "b", "*"))
    ),
    "one number twice": lambda folder: with_tree(
        "age", file_of(folder, "9876000,*\n9876000.0,*\n")
    ),
    "rows of different length": lambda folder: with_tree(
        "zip", file_of(folder, rows_of("zip", "a", "*") + "canary11n,*\n")
    ),
    "dates that are none": lambda _: with_tree("job", ka.hierarchy.dates()),
    "groups that lack values": lambda _: with_tree("zip", ka.hierarchy.groups(["canary00z"])),
    "no release": lambda _: anonymize(k=N + 1),
    "numbers that are infinite": lambda _: anonymize(
        people().with_columns(age=pl.lit(float("inf"))), quasi_identifiers=["age"]
    ),
    "cells of another format": lambda _: anonymize(
        quasi_identifiers=["born"], hierarchies={"born": ka.hierarchy.intervals(width=[5])}
    ),
    "unknown columns": lambda _: anonymize(quasi_identifiers=["Zip"]),
    "labels that nobody can read": lambda _: ka.utility(
        people(), release(), quasi_identifiers=["zip"]
    ),
    "an attack on them": lambda _: ka.attack(
        people(), release(), quasi_identifiers=["zip"], sensitive=["job"]
    ),
    "text where numbers are due": lambda _: ka.transform(
        people(), {"zip": {"type": "round", "to": 5}}
    ),
    "dates where none are": lambda _: ka.transform(
        people(), {"zip": {"type": "truncate-date", "to": "year"}}
    ),
    "categories that are not named": lambda _: ka.transform(
        people(), {"zip": {"type": "randomized-response", "epsilon": 1, "values": ["a", "b"]}}
    ),
    "free text": lambda _: ka.synthesize(
        pl.DataFrame({"note": [f"canary{i:02}n {i}" for i in range(200)]})
    ),
    "a broken constraint": lambda _: ka.synthesize(
        people().select("age", low=pl.col("age") - 5), constraints=["age < low"]
    ),
    "a class that is not there": lambda _: ka.inject(
        people(), quasi_identifiers=["zip"], size=2, classes=[{"zip": "canary99z"}]
    ),
    "values that cannot be imitated": lambda _: ka.inject(
        people(), quasi_identifiers=["zip"], sensitive=["job"], l=N + 5
    ),
    "a value that the fit has not seen": lambda _: ka.fit(
        people(), quasi_identifiers=["zip"], k=2, others="insensitive", unseen="error"
    ).apply(release()),
    "too few records of a batch": lambda _: ka.fit(
        people(), quasi_identifiers=["age"], k=2, others="insensitive"
    ).apply(people()[:1]),
    "a file without header": lambda folder: ka.read_table(
        file_of(folder, people().write_csv(include_header=False) * 2, "people.csv")
    ),
    "a row that is too long": lambda folder: ka.read_table(
        file_of(folder, people().write_csv() + "canary11z,canary10z,canary09z,1,2,3,4\n", "p.csv")
    ),
    "JSON that is none": lambda folder: ka.read_table(
        file_of(folder, people().write_ndjson() + '{"name": "canary11n", "zip"\n', "p.jsonl")
    ),
    "a hierarchy without its name": lambda _: anonymize(hierarchies={"zip": HALF}),
    "values for a hierarchy": lambda _: anonymize(hierarchies={"zip": list(HALF)}),
    "values for parameters of a hierarchy": lambda _: ka.Policy(
        attributes={"zip": {"role": "quasi-identifier", "hierarchy": {"groups": list(HALF)}}},
        models=[ka.KAnonymity(2)],
        others="insensitive",
    ),
    "values for numbers of groups": lambda _: anonymize(
        hierarchies={"zip": ka.hierarchy.groups([list(HALF)])}
    ),
    "a tree that ends in a value": lambda _: anonymize(
        hierarchies={"zip": ka.hierarchy.from_mapping({"*": {"canary00z": "canary01z"}})}
    ),
    "values as one text": lambda _: ka.transform(
        people(), {"zip": {"type": "suppress", "values": ",".join(HALF)}}
    ),
    "values that are named twice": lambda _: ka.transform(
        people(),
        {"zip": {"type": "randomized-response", "probability": 0.8, "values": [*HALF, *HALF]}},
    ),
    "values for a matrix": lambda _: ka.transform(
        people(), {"zip": {"type": "pram", "matrix": list(HALF)}}
    ),
    "a matrix without a row": lambda _: ka.transform(
        people(), {"zip": {"type": "pram", "matrix": {"canary00z": {"canary01z": 1.0}}}}
    ),
    "records for a population": lambda _: anonymize(
        k=None, models=[ka.models.KMap(2, population=people().rows())]
    ),
    "a table for an attack": lambda _: ka.attack(
        people(), release(), quasi_identifiers=["zip"], attacks=[people()]
    ),
    "values for names of columns": lambda _: anonymize(quasi_identifiers=people()["zip"]),
    "values for a role": lambda _: anonymize(others=list(HALF)),
    "values for an entity": lambda _: anonymize(entity=list(HALF)),
    "values for a file": lambda _: ka.transform(
        people(), {"zip": {"type": "surrogate", "mapping": dict.fromkeys(HALF, 1)}}
    ),
    "a weight below zero": lambda _: ka.risk(
        people().with_columns(w=-pl.col("age")), quasi_identifiers=["zip"], weight="w"
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_names_at_most_one_cell(tmp_path, fault):
    """However many cells are at fault, the message has the text of one of them at most."""
    with pytest.raises(ka.KanonymError) as error:
        FAULTS[fault](tmp_path)
    told = [str(error.value), *getattr(error.value, "__notes__", ())]
    found = set(CANARY.findall(" ".join(told)))
    assert len(found) <= 1, sorted(found)
