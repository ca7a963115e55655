"""Persons who are in several batches, and what these batches give away together."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.actions.cells import cell_texts
from kanonym.actions.pseudonymization.key import check_source, read_key
from kanonym.data import frames
from kanonym.data.errors import PolicyError, SchemaError
from kanonym.data.schema import Role
from kanonym.engines.local import LocalRelease
from kanonym.models.base import PrivacyModel, check_integer
from kanonym.verification import group_released

_DIGITS = 32


@dataclass(frozen=True, slots=True)
class PersonColumn:
    """How persons are recognized in every batch.

    Parameters
    ----------
    column
        The identifier of persons, the same in all batches.
    key
        `{env: NAME}` or `{file: path}`, at least 16 bytes, the same for all batches. The file of
        the recoding keeps hashes under this key, and no identifier.
    least_values
        Suppress the records of a person for whom all batches together would leave fewer than so
        many sensitive values open; 1 suppresses none.

    Raises
    ------
    PolicyError
        `key` has another form, or `least_values` is no integer of at least 1.

    """

    column: str
    key: Any
    least_values: int = 1

    def __post_init__(self) -> None:
        check_source("person", self.key)
        check_integer("person", "least_values", self.least_values, 1)


@dataclass(frozen=True, slots=True)
class RepeatedPersons:
    """What a batch gives away of persons who were in earlier ones, together with these.

    Attributes
    ----------
    persons
        Persons of the released batch who were in an earlier one.
    fewer
        By sensitive attribute, those of them for whom all batches together leave fewer values
        open than any single one.
    known
        Those for whom one value is left, though every single batch leaves several.
    least
        Values that are left open of the person with fewest; None without a repeated person.
    suppressed
        Records that were suppressed because too few values would have been left.

    """

    persons: int
    fewer: Mapping[str, int]
    known: Mapping[str, int]
    least: Mapping[str, int | None]
    suppressed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "persons": self.persons,
            "fewer": dict(self.fewer),
            "known": dict(self.known),
            "least": dict(self.least),
            "suppressed": self.suppressed,
        }

    def given_away(self, models: Iterable[PrivacyModel]) -> dict[str, tuple[int, int]]:
        """Return the attributes of which too few values stay open: persons known, and values.

        That is one value where a single batch leaves several, or fewer than l-diversity asks.
        """
        asked = {one.attribute: getattr(one, "l", 1) for one in models}
        return {
            name: (self.known[name], least)
            for name, least in self.least.items()
            if least is not None and (self.known[name] or least < asked.get(name, 1))
        }


@dataclass
class KnownPersons:
    """The persons of all batches so far, by a hash, and the values that these leave open.

    Attributes
    ----------
    open_values
        By sensitive attribute and person, hashes of the values that all batches leave open.
    fewest
        By sensitive attribute and person, the fewest values that one batch left open.

    """

    open_values: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    fewest: dict[str, dict[str, int]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"open_values": self.open_values, "fewest": self.fewest}

    def __contains__(self, person: str) -> bool:
        return any(person in one for one in self.open_values.values())

    def with_batch(
        self, released: LocalRelease, labels: Sequence[str], hashes: pl.Series, key: bytes
    ) -> tuple[KnownPersons, RepeatedPersons, dict[str, int]]:
        """Return the persons with those of a release, what it gives away, and who has few left.

        labels: the columns of quasi-identifiers. hashes: (n_rows,) of the batch. The last part
        has, by person of an earlier batch, the fewest values that are left open of any attribute.
        """
        persons = hashes.gather(released.rows).to_list()
        repeated = {one for one in persons if one is not None and one in self}
        after = KnownPersons(dict(self.open_values), dict(self.fewest))
        fewer, known, least = {}, {}, {}
        left: dict[str, int] = {}
        for name in released.source.run.schema.names(Role.SENSITIVE):
            batch = _open_values(released, labels, name, persons, key)
            before, single = self.open_values.get(name, {}), self.fewest.get(name, {})
            # A value that changed from batch to batch leaves nothing: what is open starts anew.
            merged = {
                one: values & set(before.get(one, values)) or values
                for one, values in batch.items()
            }
            alone = {
                one: min(len(values), single.get(one, len(values))) for one, values in batch.items()
            }
            shrunk = [one for one in repeated if one in batch and len(merged[one]) < alone[one]]
            fewer[name] = len(shrunk)
            known[name] = sum(len(merged[one]) == 1 for one in shrunk)
            of_repeated = [len(merged[one]) for one in repeated if one in batch]
            least[name] = min(of_repeated, default=None)
            for one in repeated & batch.keys():
                left[one] = min(left.get(one, len(merged[one])), len(merged[one]))
            after.open_values[name] = {**before, **{p: sorted(v) for p, v in merged.items()}}
            after.fewest[name] = {**single, **alone}
        return after, RepeatedPersons(len(repeated), fewer, known, least), left


def person_hashes(batch: Any, asked: PersonColumn) -> tuple[pl.Series, bytes]:
    """Return the hash of each record's person, and the key; null has none.

    Raises
    ------
    SchemaError
        The batch has no such column.

    """
    frame = frames.to_eager(batch)
    if asked.column not in frames.column_names(frame):
        raise SchemaError(
            f"the batch has no column {asked.column!r}, by which persons are recognized. It has: "
            f"{', '.join(frames.column_names(frame))}"
        )
    key = read_key("person", asked.key)
    texts = cell_texts(frames.column(frame, asked.column), "person")
    distinct = texts.drop_nulls().unique()
    hashed = pl.Series([_hash(key, "person", one) for one in distinct], dtype=pl.String)
    return texts.replace_strict(distinct, hashed, default=None, return_dtype=pl.String), key


def source_of_text(text: str) -> dict[str, str]:
    """Return where a key is, of `env:NAME` or the path of a file."""
    kind, mark, name = text.partition(":")
    return {"env": name} if mark and kind == "env" else {"file": str(Path(text))}


def refuse_forgotten(known: KnownPersons | None, asked: PersonColumn | None, batches: int) -> None:
    """Refuse a batch whose persons are not looked for although those of others are, or the reverse.

    Raises
    ------
    PolicyError
        Says what to give.

    """
    if known is not None and asked is None:
        raise PolicyError(
            "earlier batches of this series were compared by persons: name the column and the key "
            "of persons again"
        )
    if known is None and asked is not None and batches:
        raise PolicyError(
            "the persons of earlier batches were not recorded: fit again, and name the column of "
            "persons from the first batch on"
        )


def without_persons(hashes: pl.Series, persons: set[str]) -> NDArray[np.int64]:
    """Return the rows of a batch without those of some persons."""
    gone = hashes.is_in(list(persons)).fill_null(value=False)
    return np.flatnonzero(~gone.to_numpy())


@dataclass
class BatchComparison:
    """A batch beside the persons of all earlier ones.

    Attributes
    ----------
    before
        The persons of earlier batches.
    hashes, key
        The person of each record of the batch, and what they were hashed by.
    after, repeated, left
        Once the batch is staged: what `KnownPersons.with_batch` returned.

    """

    before: KnownPersons
    hashes: pl.Series
    key: bytes
    after: KnownPersons = field(init=False)
    repeated: RepeatedPersons = field(init=False)
    left: dict[str, int] = field(init=False)

    def compare(self, released: LocalRelease, labels: Sequence[str]) -> RepeatedPersons:
        """Return what a staged release gives away beside earlier ones."""
        self.after, self.repeated, self.left = self.before.with_batch(
            released, labels, self.hashes, self.key
        )
        return self.repeated


def _open_values(
    released: LocalRelease,
    labels: Sequence[str],
    name: str,
    persons: list[str | None],
    key: bytes,
) -> dict[str, set[str]]:
    """Return by person the hashed values of a sensitive attribute in the person's class."""
    frame = released.written
    groups = group_released([frames.column(frame, one) for one in labels], len(released.rows))
    texts = cell_texts(frames.column(frame, name), "person")
    hashed = {one: _hash(key, name, "" if one is None else f"={one}") for one in texts.unique()}
    classes: dict[int, set[str]] = {}
    for label, text in zip(groups.labels.tolist(), texts.to_list(), strict=True):
        classes.setdefault(label, set()).add(hashed[text])
    found: dict[str, set[str]] = {}
    for person, label in zip(persons, groups.labels.tolist(), strict=True):
        if person is not None:
            values = classes[label]
            found[person] = (found[person] & values or values) if person in found else values
    return found


def _hash(key: bytes, kind: str, text: str) -> str:
    return hmac.digest(key, f"series\0{kind}\0{text}".encode(), "sha256").hex()[:_DIGITS]
