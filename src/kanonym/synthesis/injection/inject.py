"""Added records: classes reach a wanted size and diversity with records that look real."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanonym.data import frame_rows, frames
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.files import table_of
from kanonym.data.results import Result, ResultTable, format_number
from kanonym.evaluation.columns import name_list, select_columns
from kanonym.evaluation.utility.models.detection import DETECTION
from kanonym.kernels.arrays import Ints
from kanonym.metrics.disclosure import Measurement
from kanonym.metrics.measured_value import MeasuredValue
from kanonym.models.base import check_integer
from kanonym.pipeline import measure
from kanonym.policy.faults import raise_together
from kanonym.synthesis.columns import Constraint
from kanonym.synthesis.injection import targets
from kanonym.synthesis.injection.classes import Classes, classes_of, domain_of, named_classes
from kanonym.synthesis.injection.marks import Key, Marks, key_of, marks_of
from kanonym.synthesis.injection.records import new_records, refuse_numbering
from kanonym.synthesis.tables import column_checks, constraint_checks, kept_columns
from kanonym.synthesis.trees import SequentialTrees

ROOT = 0x696E6A
"""Keeps what is drawn here apart from other draws of the same seed."""

NOTHING = "nothing was added"


@dataclass(frozen=True, slots=True, repr=False)
class Injection(Result):
    """A table with added records, and what they changed.

    Attributes
    ----------
    frame
        The table, of the type of the one that came in, real and added records shuffled.
    rows_in, added
        Records of the input, and those added to them.
    classes_changed
        Classes that were given records.
    wanted
        The targets.
    before, after
        The classes measured as `ka.measure` does: `anonymity_set` (smallest, mean and largest
        size), and by sensitive attribute `diversity_percent` (the same of the extended
        l-diversity), `l_distinct` and the values of all other models.
    distance
        How far the joint distribution moved: mean total variation of two-way tables.
    detection
        Area under the ROC curve of a classifier that tells added records from real ones of the
        same classes: 0.5 is chance.
    gives_away
        What else tells them apart, in sentences with the numbers of this table.
    seed
        Of all that was drawn. Who has it can find out which records were added.
    marks
        Keyed hashes of the added records, where a key was given.
    """

    _shown: ClassVar[tuple[str, ...]] = ("rows_in", "added", "classes_changed")

    frame: Any
    rows_in: int
    added: int
    classes_changed: int
    wanted: targets.ClassTargets
    before: Measurement
    after: Measurement
    distance: MeasuredValue
    detection: MeasuredValue
    gives_away: tuple[str, ...]
    seed: int
    marks: Marks | None = None

    def write_marks(self, path: str | Path) -> None:
        """Write the marks to a file of their own, whole or not at all; `-` is standard output.

        Raises
        ------
        PolicyError
            No key was given, so there are none.
        DataError
            The file cannot be written.
        """
        if self.marks is None:
            raise PolicyError("inject: marks need a key; give one when records are injected")
        self.marks.write(path)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; the seed and the marks, which tell who is real, are not in it."""
        return {
            "rows_in": self.rows_in,
            "added": self.added,
            "rows_out": self.rows_in + self.added,
            "classes": self.before.classes,
            "classes_changed": self.classes_changed,
            "wanted": self.wanted.to_dict(),
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "distance": self.distance.to_dict(),
            "detection": self.detection.to_dict(),
            "gives_away": list(self.gives_away),
        }

    def tables(self) -> list[ResultTable]:
        """Return what was added, what it changed, and what gives it away."""
        before, after = self.before, self.after
        classes = f"{self.classes_changed:,} of {before.classes:,} classes"
        facts = ResultTable.of_facts(
            ("records", f"{self.rows_in:,} in, {self.rows_in + self.added:,} written"),
            ("added", f"{self.added:,} to {classes}"),
            ("change of the joint distribution", self.distance.to_text()),
            ("distinguishable, AUC (0.5: chance)", self.detection.to_text()),
        )
        sizes = before.anonymity_set.to_text(), after.anonymity_set.to_text()
        rows: list[tuple[str, ...]] = [("records (anonymity set size)", *sizes)]
        for name, one in before.attributes.items():
            both = one, after.attributes[name]
            shares = (each.diversity_percent.to_text() for each in both)
            fewest = (format_number(each.l_distinct) for each in both)
            rows.append((f"distinct values of {name}, %", *shares))
            rows.append((f"distinct values of {name}, minimum", *fewest))
        header = ("of each class", "before", "after")
        return [facts, ResultTable(header, rows, frozenset({1, 2}), notes=self.gives_away)]


def inject(
    frame: Any,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    size: int | None = None,
    diversity: float | None = None,
    l: int | None = None,
    classes: Any = None,
    drop: Sequence[str] = (),
    constraints: Sequence[str | Constraint] = (),
    key: Key | None = None,
    seed: int | None = None,
) -> Injection:
    """Add records that look real, until classes reach a target size and diversity.

    Parameters
    ----------
    frame
        Any table, released or not: a pandas or polars DataFrame, a polars LazyFrame, a pyarrow
        Table or the path of a file. Columns that are not named are imitated too.
    quasi_identifiers
        Columns whose equal values make a class. Added records hold the values of theirs exactly.
    sensitive
        Columns whose values in a class are to become more diverse.
    size
        Records that every class is to have (anonymity set size).
    diversity
        Extended l-diversity that every class is to have in every sensitive attribute, in percent:
        100 · different values / records.
    l
        Different values that every class is to have of every sensitive attribute.
    classes
        The classes that are to reach this: a list of mappings from each quasi-identifier to its
        value (or the text of it; None for null), or a table of these columns. None: all classes.
    drop
        Columns to leave out of the result, such as names and numbers of persons.
    constraints
        Conditions that every record meets, such as `["discharge >= admission"]`; added ones meet
        them, too.
    key
        At least 16 bytes, or the file (`{env: NAME}`) that holds them: the injection then has
        `marks`, by which `injected_rows` finds the added records again.
    seed
        Of all that is drawn, at least 0: the same one gives the same table on every frame
        library. Who has it can find out which records were added: keep it as you keep the key.
        None draws anew each time.

    Returns
    -------
    Injection
        The table, and what the records changed. The fewest that reach all targets are added.
        Of each class that needs it, values are drawn that it does not have; what else a record
        holds is drawn conditional on its class and on these values.

    Raises
    ------
    PolicyError
        No target is given or one is out of range, a constraint is none, a named class is not in
        the table, or the key cannot be used.
    SchemaError
        A column is missing or in two roles; or it is free text, or numbers the records, which
        cannot be imitated.
    DataError
        The table has no records, or a record breaks a constraint.
    InfeasibleError
        A class cannot reach a target, whatever is added: which one, and the best it can have.

    Notes
    -----
    An injected table is for those who publish or store it: a count or a mean of it is one of
    people who do not exist, too. Added records hide real ones among records that nobody can tell
    from them, but what a class of real records says of its members is still there.

    Cost: as fitting the model (`synthesis.SequentialTrees`) and drawing from it, and a classifier
    on at most 5,000 records of each kind; 10,000 records into 100,000 × 10 take some seconds.

    References
    ----------
    Anonymity set size and extended l-diversity, and records added to raise them: the data
    injector after Goldsteen et al. (2023), AI privacy toolkit. There, values are drawn column by
    column; here from sequential trees, conditional on the class.

    Examples
    --------
    >>> table = pl.DataFrame({"age": [23, 23, 41], "disease": ["flu", "cold", "flu"]})
    >>> done = inject(table, quasi_identifiers=["age"], sensitive=["disease"], size=2, l=2, seed=1)
    >>> done.added, done.after.k, done.after.attributes["disease"].l_distinct
    (1, 2, 2)
    >>> done.frame.filter(pl.col("age") == 41)["disease"].sort().to_list()
    ['cold', 'flu']
    """
    seed = secrets.randbits(128) if seed is None else seed
    frame = table_of(frame)
    native = frames.to_eager(frame)
    every = frames.column_names(native)
    dropped, known_names, hidden_names = (
        name_list(given, "columns") for given in (drop, quasi_identifiers, sensitive)
    )
    raise_together(
        [
            partial(targets.ClassTargets, size, diversity, l),
            partial(check_integer, "inject", "seed", seed, 0),
            *([] if key is None else [partial(key_of, key)]),
            *column_checks(every, dropped, (*known_names, *hidden_names)),
            *constraint_checks(constraints, every, dropped),
        ]
    )
    wanted = targets.ClassTargets(size, diversity, l)
    secret = None if key is None else key_of(key)
    kept = kept_columns(every, dropped, [], [])
    native = native if kept == every else frames.select(native, kept)
    names = frames.column_names(native)
    asked = select_columns(None, quasi_identifiers, sensitive, {}, names)
    _check(asked.columns, asked.sensitive, wanted)
    n_rows = frames.n_rows(native)
    if not n_rows:
        raise DataError("inject: the table has no records: there is nothing to imitate")
    rules = _constraints(constraints)
    columns = {name: frames.column(native, name) for name in names}
    known = {name: columns[name] for name in asked.columns}
    held = classes_of(
        list(known.values()), {name: columns[name] for name in asked.sensitive}, n_rows
    )
    chosen = np.arange(len(held))
    if classes is not None:
        chosen = named_classes(classes, list(known.values()), held)
    drawing, order, judging, learning = (
        np.random.default_rng(own) for own in np.random.SeedSequence([seed, ROOT]).spawn(4)
    )
    trees = SequentialTrees(order=[*known, *asked.sensitive])
    model = trees.fit(list(columns.values()), rules, learning)
    refuse_numbering(column for name, column in columns.items() if name not in known)
    domains = {
        name: domain_of(model, columns[name], list(known.values()), held.first)
        for name in asked.sensitive
    }
    lacking = targets.compute_needs(
        wanted, held, {name: domain.reach for name, domain in domains.items()}, chosen
    )
    added = [column.clear() for column in columns.values()]
    if lacking.records.any():
        added = new_records(model, list(known.values()), domains, held, lacking, drawing)
    _require(wanted, columns, added, known, held, chosen)
    n_added = int(lacking.records.sum())
    rows = order.permutation(n_rows + n_added)
    result = frame_rows.append_records(native, added, rows, frame)
    marks = None
    if secret is not None:
        whole = [pl.concat(both) for both in zip(columns.values(), added, strict=True)]
        marks = marks_of(whole, np.arange(n_rows + n_added) >= n_rows, secret)
    before, after = (
        measure(table, quasi_identifiers=asked.columns, sensitive=asked.sensitive)
        for table in (native, frames.to_eager(result))
    )
    owners = np.repeat(np.arange(len(held)), lacking.records)
    distance = MeasuredValue(targets.DISTANCE, 0.0)
    detection = MeasuredValue(DETECTION, None, reason=NOTHING)
    if n_added:
        distance = targets.joint_distance(
            columns, dict(zip(names, added, strict=True)), list(known)
        )
        detection = targets.measure_distinguishability(
            list(columns.values()), added, held, owners, judging
        )
    return Injection(
        frame=result,
        rows_in=n_rows,
        added=n_added,
        classes_changed=int(np.count_nonzero(lacking.records)),
        wanted=wanted,
        before=before,
        after=after,
        distance=distance,
        detection=detection,
        gives_away=_gives_away(held, lacking) if n_added else (),
        seed=int(seed),
        marks=marks,
    )


def _check(known: Sequence[str], sensitive: Sequence[str], wanted: targets.ClassTargets) -> None:
    if not known:
        raise SchemaError("inject: name the quasi-identifiers, whose equal values make a class")
    if wanted.concerns_values and not sensitive:
        asked = "diversity" if wanted.diversity is not None else "l"
        raise PolicyError(f"inject: {asked} is of sensitive attributes; name them in sensitive")


def _constraints(given: Sequence[str | Constraint]) -> list[Constraint]:
    if isinstance(given, str):
        raise PolicyError(f"inject: give a list of constraints, not the text {given!r}")
    return [one if isinstance(one, Constraint) else Constraint.parse(one) for one in given]


def _require(
    wanted: targets.ClassTargets,
    columns: Mapping[str, pl.Series],
    added: Sequence[pl.Series],
    known: Mapping[str, pl.Series],
    before: Classes,
    chosen: Ints,
) -> None:
    """Refuse records that miss a target or make another class, whatever has drawn them."""
    both = {column.name: pl.concat([columns[column.name], column]) for column in added}
    after = classes_of(
        [both[name] for name in known],
        {name: both[name] for name in before.distinct},
        len(both[next(iter(both))]),
    )
    sizes = after.sizes[chosen]
    met = len(after) == len(before) and bool((sizes >= (wanted.size or 0)).all())
    if wanted.concerns_values:
        for distinct in after.distinct.values():
            met &= bool((distinct[chosen] >= wanted.values(sizes)).all())
    if not met:
        raise InfeasibleError(
            "the added records miss a target; nothing is returned. This is a defect of kanonym: "
            "please report it"
        )


def _gives_away(classes: Classes, lacking: targets.Needs) -> tuple[str, ...]:
    """Say what tells real records from added ones, whatever the records look like."""
    sizes = classes.sizes + lacking.records
    changed = lacking.records > 0
    least = int(sizes[changed].min())
    here = sizes == least
    fresh = sum(int(counts.sum()) for counts in lacking.fresh.values())
    piled = int(np.count_nonzero(here))
    said = ["Place: records are shuffled and tell nothing by it. Who has the seed undoes that."]
    said.append(
        f"Class sizes: {np.count_nonzero(here & changed)} of the {piled} classes with {least} "
        "records have added ones. Who knows the target, or sees sizes pile up, looks there."
    )
    if fresh:
        said.append(
            f"Diversity: sensitive values that are new to their class, as was asked: {fresh}. A "
            "class with more distinct values than such people have is a sign of added records."
        )
    return tuple(said)
