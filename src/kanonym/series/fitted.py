"""A recoding that was fitted to one table and is applied to others, release after release."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from polars.exceptions import PolarsError

from kanonym.data.errors import DataError, KanonymError
from kanonym.data.results.short_repr import ShortRepr
from kanonym.policy import Policy
from kanonym.release import versions
from kanonym.series import document
from kanonym.series.batch_release import BatchRelease, release_batch
from kanonym.series.persons import PersonColumn
from kanonym.series.recodings import FORMS, Recoding
from kanonym.series.tally import Released, Series


@dataclass(repr=False)
class Fitted(ShortRepr):
    """A recoding with its policy, and the counts of what it has released.

    Made by `ka.fit`, or read by `Fitted.load`. It holds no record: of the fitted table the
    hierarchies, or the bounds of classes and what they release; of batches the number of records
    of each released class and sensitive value. Protect the file like the tables: bounds of classes
    reveal more than a release by means or hierarchies.

    Attributes
    ----------
    series
        The policy, the recoding, and what becomes of the unseen.
    account
        What the release of the fitted table was like: `rows`, `suppressed`, `classes`,
        `span_loss`, `gcp`, `models`.
    released
        What was released so far: `batches`, `rows_in`, `tally`, `findings`, `fewest_persons` and,
        where `apply` is asked to look for persons, `persons`.

    """

    _shown: ClassVar[tuple[str, ...]] = ("batches", "rows_in")

    series: Series
    account: dict[str, Any] = field(default_factory=dict)
    released: Released = field(default_factory=Released)

    @property
    def policy(self) -> Policy:
        """What every release satisfies."""
        return self.series.policy

    @property
    def recoding(self) -> Recoding:
        """How values are recoded: by levels or by boxes."""
        return self.series.recoding

    @property
    def batches(self) -> int:
        """Number of batches released."""
        return self.released.batches

    @property
    def rows_in(self) -> int:
        """Records that came in with them."""
        return self.released.rows_in

    def apply(
        self,
        batch: Any,
        *,
        person: PersonColumn | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> BatchRelease:
        """Release a batch by the recoding, and count it.

        Each record gets the labels of its class. The released batch is verified by itself
        (unless the fit says otherwise) and together with all that was released before; classes
        that fail are suppressed as far as the policy's limit goes. After an error nothing
        has changed.

        Parameters
        ----------
        batch
            A pandas or polars DataFrame, a polars LazyFrame or a pyarrow Table, with the
            columns of the table that was fitted.
        person
            How persons are recognized in several batches, the same for all of them; the release
            says in `repeated` what these give away together. None does not look for them: from the
            second batch on the part *persons* of the union's verdict is then not assessed.
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
        PolicyError
            Persons are recognized in some batches alone, or by another column or key.
        InfeasibleError
            Classes fail, and more records would have to be suppressed than allowed; or a released
            column tells whose rows are whose, and too few persons are alike in all rows.

        Notes
        -----
        Cost O(n_rows) a column for the encoding, O(log n_classes) a distinct tuple where
        classes do not overlap, and O(distinct rows of all releases) for the union.

        """
        release, self.released = release_batch(self.series, self.released, batch, person, progress)
        return release

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, without its checksum: what `save` writes."""
        return {
            "versions": versions(),
            "fitted": self.account,
            "unseen": self.series.unseen,
            "each_batch": self.series.each_batch,
            "policy": self.policy.to_dict(),
            "sensitive": {
                name: document.type_form(one) for name, one in self.series.sensitive.items()
            },
            "recoding": self.recoding.to_dict(),
            "released": self.released.to_dict(),
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

        `DataError` if the file cannot be written.
        """
        content = {**self.to_dict(), "policy": document.policy_form(self.policy, path)}
        document.save(path, content)

    @classmethod
    def load(cls, path: str | Path) -> Fitted:
        """Read what `save` wrote; files that the policy names are relative to its folder.

        `DataError` if the file cannot be read, is no fitted recoding of this version, or was
        changed.
        """
        content = document.load(path)
        try:
            recoding, sensitive = content["recoding"], content["sensitive"].items()
            series = Series(
                policy=Policy.from_text(
                    json.dumps(content["policy"]), Path(path).parent, source=str(path)
                ),
                recoding=FORMS[recoding["form"]].from_dict(recoding),
                unseen=content["unseen"],
                each_batch=content["each_batch"],
                sensitive={name: document.type_of(one) for name, one in sensitive},
            )
            return cls(series, content["fitted"], Released.from_dict(content["released"]))
        except KanonymError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, PolarsError) as error:
            raise DataError(f"{path} is damaged: {type(error).__name__}; fit again") from None
