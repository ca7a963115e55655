"""Persons who are in several batches, and what these batches give away together."""

from __future__ import annotations

import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import polars as pl

from kanonym.actions.base import cell_texts
from kanonym.actions.pseudonymization.keyed_pseudonyms import check_source, read_key
from kanonym.data import frames
from kanonym.data.errors import DataError, PolicyError, SchemaError
from kanonym.data.person_key import EntityColumns, columns_of, entity_of
from kanonym.data.results import format_number
from kanonym.data.schema import Role
from kanonym.engines.local import LocalRelease
from kanonym.kernels.arrays import Bools
from kanonym.models.base import PrivacyModel, check_integer
from kanonym.verification.linked_rows import LINKED
from kanonym.verification.released_classes import group_released

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class PersonColumn:
    """How persons are recognized in every batch.

    Parameters
    ----------
    column
        The identifier of persons, or a list of several that identify them together, the same in
        all batches; the `entity` of k-anonymity, where the policy has one.
    key
        `{env: NAME}` or `{file: path}`, at least 16 bytes, the same for all batches. The file of
        the recoding keeps hashes under this key, and no identifier.
    least_values
        Suppress the records of a person for whom all batches together would leave fewer than so
        many sensitive values open; 1 suppresses none.

    Raises
    ------
    PolicyError
        A part has another form, or `least_values` is no integer of at least 1.

    """

    column: str
    key: Any
    least_values: int = 1

    def __init__(self, column: EntityColumns, key: Any, least_values: int = 1) -> None:
        check_source("person", key)
        check_integer("person", "least_values", least_values, 1)
        object.__setattr__(self, "column", entity_of("person", column))
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "least_values", least_values)


@dataclass(frozen=True, slots=True)
class RepeatedPersons:
    """What a batch gives away of persons who were in earlier ones, together with these.

    Attributes
    ----------
    persons
        Persons of the released batch who were in an earlier one.
    in_several, in_series
        Persons of the whole series who are in several of its batches, and all of its persons.
    fewer
        By sensitive attribute, those of this batch for whom all batches together leave fewer
        values open than any single one.
    known
        Those for whom one value is left, though every single batch leaves several.
    least
        Values that are left open of the person with fewest; None without a repeated person.
    suppressed
        Records that were suppressed because too few values would have been left.

    """

    persons: int
    in_several: int
    in_series: int
    fewer: Mapping[str, int]
    known: Mapping[str, int]
    least: Mapping[str, int | None]
    suppressed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)

    def rows(self) -> list[tuple[str, object]]:
        """Return the same in words, a name and a figure or text each."""
        lines: list[tuple[str, object]] = [
            ("persons of earlier batches", self.persons),
            ("persons in several batches", f"{self.in_several:,} of {self.in_series:,}"),
            ("suppressed for them", self.suppressed),
        ]
        for name, known in self.known.items():
            told = f"all batches together leave fewer values open of {self.fewer[name]:,} persons, "
            least = format_number(self.least[name])
            lines.append((name, f"{told}one of {known:,}; at least {least}"))
        return lines

    def given_away(self, models: Iterable[PrivacyModel]) -> dict[str, tuple[int, int]]:
        """Return the attributes of which too few values stay open: persons known, and values."""
        asked = {model.attribute: getattr(model, "l", 1) for model in models}
        return {
            name: (self.known[name], least)
            for name, least in self.least.items()
            if least is not None and (self.known[name] or least < asked.get(name, 1))
        }


@dataclass(frozen=True)
class KnownPersons:
    """The persons of all batches so far, by a hash. Records without a person are of one, ""."""

    check: str  # a hash of the column: other columns and keys recognize nobody
    # By person a text for each record: the number of its batch, and a hash of its class.
    classes: dict[str, list[str]] = field(default_factory=dict)
    # By sensitive attribute and person, hashes of the values that all batches leave open, and the
    # fewest values that one batch left open.
    open_values: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    fewest_values: dict[str, dict[str, int]] = field(default_factory=dict)
    # By released column whose values each are of one person, the person of each value; and those
    # of these columns that tell which rows of several batches are of one person.
    owners: dict[str, dict[str, str]] = field(default_factory=dict)
    linking: list[str] = field(default_factory=list)

    def fewest(self, *, alike: bool) -> int:
        """Return the fewest persons of a class of all batches, or who are alike in all records."""
        counted: Counter[Any] = Counter()
        for person, records in self.classes.items():
            if not alike:
                counted.update({record.split()[1] for record in records})
            elif person:  # nobody tells which records without a person are of one
                counted[tuple(sorted(records))] += 1
        return min(counted.values(), default=0)

    @property
    def in_several(self) -> int:
        """Persons who are in several batches."""
        batches = ({one.split()[0] for one in self.classes[name]} for name in self.classes if name)
        return sum(len(batch) > 1 for batch in batches)


class BatchPersons:
    """The persons of a batch beside those of all earlier ones, recognized as these were."""

    # Once the batch is staged: the persons of all batches, and what this one gives away.
    after: KnownPersons
    repeated: RepeatedPersons

    def __init__(
        self,
        frame: Any,
        asked: PersonColumn,
        before: KnownPersons | None,
        number: int,
        entities: Sequence[str],
    ) -> None:
        names = frames.column_names(frame)
        missing = [one for one in columns_of([asked.column]) if one not in names]
        if missing:
            raise SchemaError(
                f"the batch has no column {missing[0]!r}, by which persons are recognized. It has: "
                f"{', '.join(names)}"
            )
        if entities and asked.column not in entities:
            raise PolicyError(
                f"k-anonymity counts the persons of {entities[0]!r}: recognize them by this column "
                f"in all batches, not by {asked.column!r}"
            )
        key = read_key("person", asked.key)
        persons = before or KnownPersons(_hash(key, "column", asked.column))
        if before is None and number > 1:
            raise PolicyError(
                "the persons of earlier batches were not recorded: fit again, and name the column "
                "of persons from the first batch on"
            )
        if persons.check != _hash(key, "column", asked.column):
            raise PolicyError(
                "the persons of earlier batches were recognized by another column or under another "
                "key: name the same ones for every batch"
            )
        texts = cell_texts(frames.column(frame, asked.column), "person")
        self.asked, self.key, self.before, self.number = asked, key, persons, number
        self.hashes = _hash_texts(texts, key, "person")  # (n_rows,) null without a person
        # By person of an earlier batch the fewest values that are left open of any attribute.
        self.left: dict[str, int] = {}

    def compare(self, released: LocalRelease, labels: Sequence[str]) -> RepeatedPersons:
        """Return what a staged release gives away beside earlier ones, by the columns of labels."""
        frame, before = released.written, self.before
        persons = self.hashes.gather(released.rows).fill_null("")
        columns = [frames.column(frame, one) for one in labels]
        groups = group_released(columns, len(persons))
        first = (cell_texts(column.gather(groups.first), "person") for column in columns)
        names = [_hash(self.key, "class", json.dumps(one)) for one in zip(*first, strict=True)]
        classes = groups.labels.tolist()
        records = {one: list(known) for one, known in before.classes.items()}
        for one, label in zip(persons.to_list(), classes, strict=True):
            records.setdefault(one, []).append(f"{self.number} {names[label]}")
        repeated = (before.classes.keys() & set(persons)) - {""}
        owners, linking = self._owners(frame, labels, persons, len(repeated))
        after = KnownPersons(before.check, records, {}, {}, owners, linking)
        fewer, known, least = {}, {}, {}
        self.left = {}
        for name in released.source.run.schema.names(Role.SENSITIVE):
            opened = dict(before.open_values.get(name, {}))
            single = dict(before.fewest_values.get(name, {}))
            left, alone = {}, {}
            for one, values in self._open_values(frame, name, persons, classes).items():
                # A value that changed from batch to batch leaves nothing: it starts anew.
                both = values & set(opened.get(one, values)) or values
                single[one] = min(len(values), single.get(one, len(values)))
                if one in repeated:
                    left[one], alone[one] = len(both), single[one]
                opened[one] = sorted(both)
            fewer[name] = sum(left[one] < alone[one] for one in left)
            known[name] = sum(left[one] == 1 < alone[one] for one in left)
            least[name] = min(left.values(), default=None)
            self.left = {one: min(n, self.left.get(one, n)) for one, n in left.items()}
            after.open_values[name], after.fewest_values[name] = opened, single
        self.after = after
        self.repeated = RepeatedPersons(
            len(repeated), after.in_several, len(records.keys() - {""}), fewer, known, least
        )
        return self.repeated

    def exposed(self) -> Bools:
        """Return (n_rows,) bool: the records of persons of whom too few values stay open."""
        few = [one for one, values in self.left.items() if values < self.asked.least_values]
        return self.hashes.is_in(few).fill_null(value=False).to_numpy()

    def _owners(
        self, frame: Any, labels: Sequence[str], persons: pl.Series, repeated: int
    ) -> tuple[dict[str, dict[str, str]], list[str]]:
        """Return the columns whose values each are of one person, and those that link batches."""
        owners, linking = {}, list(self.before.linking)
        first = not self.before.classes
        for name in frames.column_names(frame):
            if name in labels or not (first or name in self.before.owners):
                continue
            try:
                texts = cell_texts(frames.column(frame, name), "person")
            except (DataError, SchemaError):  # lists and the like are not compared
                continue
            pairs = pl.DataFrame([texts.alias("value"), persons.alias("person")]).unique()
            values = pairs["value"].drop_nulls()
            if not values.n_unique() == len(values) >= pairs["person"].n_unique() - 1:
                continue
            pairs = pairs.drop_nulls()
            hashed = _hash_texts(pairs["value"], self.key, name)
            own = dict(zip(hashed, pairs["person"], strict=True))
            known = self.before.owners.get(name, {})
            shared = [value for value in own if value in known]
            if any(known[value] != own[value] for value in shared):
                continue
            owners[name] = known | own
            if name not in linking and shared and len(shared) >= LINKED * repeated:
                linking.append(name)
        return owners, linking

    def _open_values(
        self, frame: Any, name: str, persons: pl.Series, classes: Sequence[int]
    ) -> dict[str, set[str]]:
        """Return by person the hashed values of a sensitive attribute in the person's class."""
        texts = cell_texts(frames.column(frame, name), "person")
        hashed = _hash_texts("=" + texts, self.key, name).fill_null(_hash(self.key, name, ""))
        held: dict[int, set[str]] = defaultdict(set)
        for label, value in zip(classes, hashed.to_list(), strict=True):
            held[label].add(value)
        found: dict[str, set[str]] = {}
        for person, label in zip(persons.to_list(), classes, strict=True):
            if person:
                values = held[label]
                found[person] = (found[person] & values or values) if person in found else values
        return found


def _hash_texts(texts: pl.Series, key: bytes, kind: str) -> pl.Series:
    """Return the hash of each text; null has none."""
    distinct = texts.drop_nulls().unique()
    hashed = pl.Series([_hash(key, kind, one) for one in distinct], dtype=pl.String)
    return texts.replace_strict(distinct, hashed, default=None, return_dtype=pl.String)


def _hash(key: bytes, kind: str, text: str) -> str:
    return hmac.digest(key, f"series\0{kind}\0{text}".encode(), "sha256").hex()[:_DIGITS]
