"""The local engine: what the steps of the flow hand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.actions.registry import ColumnActions
from kanonym.data import hierarchy
from kanonym.data.columns.values import RepeatedColumn
from kanonym.data.partition import BLANK, Partition
from kanonym.data.schema import Schema
from kanonym.data.table import encode
from kanonym.engines.decision import _repair_partition, run_task
from kanonym.engines.local import released_values
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task, sensitive_names
from kanonym.metrics.certainty import certainty_costs

TABLE = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "age": [4, 3, 2, 1],
        "town": ["Rome", "Rome", "Pisa", "Pisa"],
        "note": ["x", "y", "z", "w"],
        "s": ["u", "v", "u", "v"],
    }
)
SCHEMA = Schema(
    {
        "id": ka.Identifier(),
        "age": ka.QuasiIdentifier(),
        "town": ka.QuasiIdentifier(hierarchy.flat()),
        "note": ka.Insensitive(),
        "s": ka.Sensitive(),
    }
)


@dataclass(frozen=True)
class Everything:
    """An algorithm that releases one class of all records, at given levels."""

    level: int
    recodes: Literal["levels", "cells"] = "levels"

    type: ClassVar[str] = "everything"

    def partition(self, problem):
        """Put all records into one class, and say so."""
        table, listen = problem.table, problem.listen
        listen("one class")
        levels = np.full((1, len(table.domains)), self.level, np.int32)
        labels = np.zeros(len(table.weights), np.int32)
        return Partition(labels, 1, levels=levels, account={"score": 1.0})


def decided(*models, recoding=None, schema=SCHEMA, limit=0.0, algorithm=None, tell=None):
    """Run a task on the table."""
    task = Task(schema, models or [ka.KAnonymity(2)], algorithm or ka.Mondrian(), recoding, limit)
    return run_task(task, TABLE.get_column, len(TABLE), Stopwatch(tell))


def test_the_decision_labels_every_record():
    """Each record of the input has a class, in the order of the input."""
    found = decided()
    assert found.labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    assert found.partition.n_classes == 2


def test_the_decision_names_the_columns_of_the_release():
    """Identifiers are left out, recoded columns are values in the new order, others names."""
    rows = np.array([3, 0], np.int64)
    untouched = ColumnActions(TABLE.get_column, {}, 0)
    columns = released_values(decided(recoding="range"), SCHEMA, rows, untouched, {})
    whole = [one.to_series() if isinstance(one, RepeatedColumn) else one for one in columns]
    shown = [one if isinstance(one, str) else (one.name, one.to_list()) for one in whole]
    assert shown == [
        ("age_min", [1, 3]),
        ("age_max", [2, 4]),
        ("town", ["Pisa", "Rome"]),
        "note",
        "s",
    ]


def test_only_the_sensitive_attributes_of_models_are_encoded():
    """A sensitive attribute that no model looks at does not part equal records."""
    assert [domain.name for domain in decided().table.sensitive] == []
    assert [domain.name for domain in decided(ka.LDiversity("s", 2)).table.sensitive] == ["s"]
    assert sensitive_names(SCHEMA, [ka.LDiversity("s", 2)]) == ["s"]


@pytest.mark.parametrize(
    ("recoding", "in_use"), [(None, True), ("set", True), ("mode", False), ("hierarchy", True)]
)
def test_a_hierarchy_is_bound_where_the_recoding_reads_it(recoding, in_use):
    """Labels and sets of words follow the tree; a mode does not, nor need the tree know all."""
    roles = {**SCHEMA.attributes, "town": ka.QuasiIdentifier(hierarchy.flat(), recoding)}
    town = decided(schema=Schema(roles)).table.domains[1]
    assert (town.hierarchy is not None) == in_use


@pytest.mark.parametrize("recoding", [None, "interval"])
def test_microaggregation_releases_the_centroid_of_each_kind(recoding):
    """Means, medians and modes, where neither the attribute nor the policy names a recoding."""
    columns = {
        "number": pl.Series([1, 2]),
        "time": pl.Series([1, 2]).cast(pl.Date),
        "rank": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])),
        "name": pl.Series(["a", "b"]),
        "own": pl.Series(["a", "b"]),
    }
    roles = dict.fromkeys(columns, ka.QuasiIdentifier()) | {"own": ka.QuasiIdentifier(None, "set")}
    task = Task(Schema(roles), [ka.KAnonymity(2)], ka.MDAV(), recoding, 0.0)
    found = run_task(task, columns.__getitem__, 2, Stopwatch())
    given = ["mean", "median", "median", "mode"] if recoding is None else ["interval"] * 3 + ["set"]
    assert [one.recoding for one in found.recoded] == [*given, "set"]


def test_classes_that_become_equal_by_rounding_are_joined():
    """Classes of means 1.5 and 2 both release 2 where integers are kept, and are one class."""
    columns = {"a": pl.Series([1, 2, 2, 2], dtype=pl.Int8), "b": pl.Series([1, 1, 1, 1])}
    schema = Schema(dict.fromkeys(columns, ka.QuasiIdentifier()))
    for keep, n_classes in ((False, 2), (True, 1)):
        task = Task(schema, [ka.KAnonymity(2)], ka.MDAV(), None, 0.0, keep_integers=keep)
        found = run_task(task, columns.__getitem__, 4, Stopwatch())
        assert found.partition.n_classes == n_classes
        assert found.recoded[0].columns[0].dtype == (pl.Int8 if keep else pl.Float64)


def test_a_recoding_that_does_not_fit_is_refused_before_the_work():
    """The column's type decides; the message says what there is."""
    roles = {**SCHEMA.attributes, "town": ka.QuasiIdentifier(recoding="mean")}
    with pytest.raises(ka.SchemaError, match="attribute 'town' is nominal: recoding 'mean'"):
        decided(schema=Schema(roles))


def test_stages_are_timed_and_told():
    """A stage that is entered twice adds up, and is told each time."""
    told = []
    watch = Stopwatch(told.append)
    for name in ("read", "verify", "read"):
        with watch.stage(name):
            pass
    assert told == ["read", "verify", "read"]
    assert list(watch.seconds) == ["read", "verify"]
    assert all(seconds >= 0 for seconds in watch.seconds.values())


def test_where_suppression_breaks_a_model_nothing_is_suppressed():
    """What is left after suppression may be too far from the whole table: then all is released."""
    series = pl.Series("age", [1, 2, 3, 4]), pl.Series("s", ["u", "u", "v", "v"])
    table = encode([(series[0], None)], [(series[1], None, False)], 4)
    schema = Schema({"age": ka.QuasiIdentifier(), "s": ka.Sensitive()})
    task = Task(schema, [ka.models.DeltaDisclosure("s", 0.5)], ka.Mondrian(), None, 0.5)
    left = Partition(np.array([0, 0, 0, -1], np.int32), 1)
    problem = task.problem(table, certainty_costs(table.domains, ["interval"]))
    mended = _repair_partition(task, problem, left, task.algorithm.partition)
    assert mended.labels.tolist() == [0, 0, 0, 0]


def test_an_algorithm_of_levels_gets_a_hierarchy_of_every_attribute():
    """Where none was given, one is built from the data, described, and told."""
    told = []
    found = decided(algorithm=Everything(1), tell=told.append)
    assert [domain.hierarchy.n_levels for domain in found.table.domains] == [2, 2]
    assert [one.columns[0].to_list() for one in found.recoded] == [["*"], ["*"]]
    assert found.built == {"age": "flat"}
    assert "encode: age: no hierarchy given; built flat" in "\n".join(told)
    assert "algorithm: one class" in told


def test_an_algorithm_of_cells_gets_no_hierarchy():
    """Values are released or suppressed, whatever hierarchy the policy has for others."""
    found = decided(algorithm=Everything(BLANK, "cells"))
    assert [domain.hierarchy for domain in found.table.domains] == [None, None]
    assert [one.columns[0].to_list() for one in found.recoded] == [[None], [None]]
    assert [one.columns[0].dtype for one in found.recoded] == [pl.Int64, pl.String]
    assert {one.recoding for one in found.recoded} == {"value"}
    assert found.built == {}
