"""A recoding that was fitted to one table and is applied to others, release after release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from polars.exceptions import PolarsError

from kanonym.data import frames
from kanonym.data.errors import DataError, InfeasibleError, KanonymError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.policy import Policy
from kanonym.release import versions
from kanonym.series import document
from kanonym.series.batch_release import BatchRelease, release_batch
from kanonym.series.batches import Series
from kanonym.series.boxes import Boxes
from kanonym.series.learning import Recoding
from kanonym.series.levels import Levels
from kanonym.series.repeated_persons import (
    BatchComparison,
    KnownPersons,
    PersonColumn,
    person_hashes,
    refuse_forgotten,
    without_persons,
)
from kanonym.series.tally import Tally
from kanonym.series.values import type_form, type_of

_FORMS: dict[str, type[Recoding]] = {one.form: one for one in (Levels, Boxes)}


@dataclass(repr=False)
class Fitted(ShortRepr):
    """A recoding with its policy, and the counts of what it has released.

    Made by `ka.fit`, or read by `Fitted.load`. It holds no record: of the table that it was fitted
    to it has the hierarchies, or the bounds of classes and what they release; of batches that were
    applied, the number of records of each released class and sensitive value. Protect the file like
    the tables: bounds of classes reveal more than a release by means or hierarchies.

    Attributes
    ----------
    series
        The policy, the recoding, and what becomes of the unseen.
    account
        What the release of the fitted table was like: `rows`, `suppressed`, `classes`,
        `span_loss`, `gcp`, `models`.
    batches
        Number of batches released.
    rows_in
        Records that came in with them.
    tally
        What was released of them, counted; None before the first.
    persons
        Hashes of the persons in them, where `apply` is asked to look for persons.
    fewest_persons
        The fewest persons of a class in any batch, where the policy counts persons.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "batches",
        "rows_in",
    )

    series: Series
    account: dict[str, Any] = field(default_factory=dict)
    batches: int = 0
    rows_in: int = 0
    tally: Tally | None = None
    persons: KnownPersons | None = None
    fewest_persons: float | None = None

    @property
    def policy(self) -> Policy:
        """What every release satisfies."""
        return self.series.policy

    @property
    def recoding(self) -> Recoding:
        """How values are recoded: by levels or by boxes."""
        return self.series.recoding

    def apply(
        self,
        batch: Any,
        *,
        person: PersonColumn | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> BatchRelease:
        """Release a batch by the recoding, and count it.

        Each record gets the labels of its class. The released batch is verified, by itself
        (unless the fit says otherwise) and together with all that was released before; classes
        that fail are suppressed as far as the policy's limit goes. After an error nothing
        has changed.

        Parameters
        ----------
        batch
            A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table, with the
            columns of the table that was fitted.
        person
            How persons are recognized in several batches. The release then says in `repeated` what
            all batches together give away of them; the same column and key are needed for every
            batch. None does not look for them.
        progress
            Called with the name of each stage as it begins.

        Returns
        -------
        BatchRelease
            A `Release`, with `union`, `unseen`, `outside`, `batch` and `repeated`.

        Raises
        ------
        SchemaError, DataError
            Columns or cells are not as in the fit; or a value is unseen, and that is an error.
        InfeasibleError
            Classes fail, and more records would have to be suppressed than allowed: the
            message names some of them.

        Notes
        -----
        Cost O(n_rows) a column for the encoding, O(log n_classes) a distinct tuple where
        classes do not overlap, and O(distinct rows of all releases) for the union.

        The union counts each record as a person: who is in several batches may be found
        by comparing them, which no model here looks at. With `person` this is measured, and
        `least_values` bounds it.

        """
        refuse_forgotten(self.persons, person, self.batches)
        if person is None:
            release, tally = self._release(batch, None, progress)
        else:
            release, tally = self._release_persons(batch, person, progress)
        self.tally = tally
        self.batches += 1
        self.rows_in += release.rows_in
        if self.policy.entities:
            checks = release.verification.checks
            fewest = [one.achieved for one in checks if one.attribute in self.policy.entities]
            self.fewest_persons = min([*fewest, self.fewest_persons or fewest[0]])
        return release

    def _release(
        self,
        batch: Any,
        comparison: BatchComparison | None,
        progress: Callable[[str], None] | None,
    ) -> tuple[BatchRelease, Tally]:
        return release_batch(
            self.series,
            self.tally,
            self.batches + 1,
            batch,
            progress,
            self.fewest_persons,
            comparison,
        )

    def _release_persons(
        self, batch: Any, person: PersonColumn, progress: Callable[[str], None] | None
    ) -> tuple[BatchRelease, Tally]:
        """Release a batch, without records of persons of whom too few values would stay open."""
        hashes, key = person_hashes(batch, person)
        before = self.persons or KnownPersons()
        given = native = frames.to_eager(batch)
        rows, gone = np.arange(len(hashes)), 0
        limit = int(self.policy.suppression_limit * len(hashes) + 1e-9)
        while True:
            comparison = BatchComparison(before, hashes, key)
            release, tally = self._release(given, comparison, progress)
            left = comparison.left.items()
            exposed = {one for one, values in left if values < person.least_values}
            if not exposed:
                break
            stay = without_persons(hashes, exposed)
            gone += len(hashes) - len(stay)
            rows, hashes = rows[stay], hashes.gather(stay)
            given = frames.assemble(native, rows, frames.column_names(native), batch)
        suppressed = release.suppressed + gone
        if suppressed > limit:
            raise InfeasibleError(
                f"{gone} records are of persons of whom all batches together would leave fewer "
                f"than {person.least_values} sensitive values open: {suppressed} of "
                f"{release.rows_in + gone} records would be suppressed, and suppression_limit "
                f"{self.policy.suppression_limit:g} allows {limit}. Allow more, or leave these "
                "persons out of the batch"
            )
        self.persons = comparison.after
        changed = replace(
            release,
            repeated=replace(comparison.repeated, suppressed=gone),
            rows_in=release.rows_in + gone,
            suppressed=suppressed,
            rows=rows[release.rows],
        )
        return changed, tally

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without its checksum: what `save` writes."""
        return {
            "versions": versions(),
            "fitted": self.account,
            "unseen": self.series.unseen,
            "each_batch": self.series.each_batch,
            "policy": self.policy.to_dict(),
            "sensitive": {name: type_form(one) for name, one in self.series.sensitive.items()},
            "recoding": {"form": self.recoding.form, **self.recoding.to_dict()},
            "released": {
                "batches": self.batches,
                "rows_in": self.rows_in,
                "tally": None if self.tally is None else self.tally.to_dict(),
                **({} if self.persons is None else {"persons": self.persons.to_dict()}),
                **({"fewest_persons": self.fewest_persons} if self.policy.entities else {}),
            },
        }

    def describe(self) -> dict[str, Any]:
        """Return what the recoding is, without a value of the table."""
        return {
            "fitted": self.account,
            **self.recoding.describe(),
            "unseen": self.series.unseen,
            "each_batch": self.series.each_batch,
            "released": {"batches": self.batches, "rows_in": self.rows_in},
        }

    def save(self, path: str | Path) -> None:
        """Write the recoding and the count of what it released as JSON, whole or not at all.

        Raises
        ------
        DataError
            It cannot be written.

        """
        content = self.to_dict()
        document.save(path, {**content, "policy": document.rebase_form(content["policy"], path)})

    @classmethod
    def load(cls, path: str | Path) -> Fitted:
        """Read what `save` wrote.

        Files that the policy names (keys of pseudonyms) are relative to its folder.

        Raises
        ------
        DataError
            The file cannot be read, is no fitted recoding, of a later version, or was changed.

        """
        content = document.load(path)
        try:
            series = Series(
                policy=document.policy_of(content["policy"], path),
                recoding=_FORMS[content["recoding"]["form"]].from_dict(content["recoding"]),
                unseen=content["unseen"],
                each_batch=content["each_batch"],
                sensitive={name: type_of(one) for name, one in content["sensitive"].items()},
            )
            past = content["released"]
            tally = past["tally"] and Tally.from_dict(past["tally"])
            persons = KnownPersons(**past["persons"]) if "persons" in past else None
            return cls(
                series,
                content["fitted"],
                past["batches"],
                past["rows_in"],
                tally,
                persons,
                past.get("fewest_persons"),
            )
        except KanonymError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, PolarsError) as error:
            raise DataError(f"{path} is damaged: {type(error).__name__}; fit again") from None
