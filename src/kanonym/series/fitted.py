"""A recoding that is fitted to one table and applied to others, release after release."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Unpack

import polars as pl
from polars.exceptions import PolarsError

from kanonym.actions.registry import has_late_actions
from kanonym.data import frames
from kanonym.data.errors import DataError, KanonymError, PolicyError
from kanonym.data.files import table_of
from kanonym.data.hierarchy import FromFile, FromMapping, Hierarchy, from_mapping
from kanonym.data.loading import require_extra
from kanonym.data.results import ResultTable, ShortRepr, format_number
from kanonym.data.schema import QuasiIdentifier, Role, Sensitive
from kanonym.engines.local import bind_actions, encoded_columns
from kanonym.engines.stopwatch import Stopwatch
from kanonym.engines.task import Task
from kanonym.pipeline import anonymize, resolve_policy
from kanonym.pipeline.planning import parse_with_policy, task_of
from kanonym.policy import Policy, PolicySource
from kanonym.policy.keywords import Keywords, takes_keywords
from kanonym.policy.writing import form_beside
from kanonym.release import Release, versions
from kanonym.release.tables import lost_row
from kanonym.series import document
from kanonym.series.batch_release import BatchRelease, release_batch
from kanonym.series.persons import PersonColumn
from kanonym.series.recodings import FORMS, learn_recoding
from kanonym.series.tally import Released, Series
from kanonym.verification.release_view import sensitive_names


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

    def to_sql(
        self,
        table: str,
        dialect: str,
        name: str | None = None,
        kind: Literal["view", "table"] = "view",
    ) -> str:
        """Return one SQL statement that recodes a table in its database, as `apply` does here.

        It recodes each record by itself: it suppresses no class that fails, verifies and counts
        nothing. Run `kanonym verify --sql` on what it makes.

        Parameters
        ----------
        table
            Name of the table to recode.
        dialect
            That of the database: duckdb, postgres, spark, sqlite, bigquery, databricks,
            snowflake, trino or tsql.
        name, kind
            Of the view or table that it makes; without a name, the SELECT alone.

        Raises
        ------
        PolicyError
            SQL cannot say the recoding.

        """
        with require_extra("sql"):
            from kanonym.series.database_statement import statement_of  # noqa: PLC0415 - of sqlglot

        return statement_of(self.series, table, dialect, None if name is None else (kind, name))

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
            "recoding": self.series.recoding.to_dict(),
            "released": self.released.to_dict(),
        }

    def describe(self) -> dict[str, Any]:
        """Return what the recoding is, without a value of the table."""
        return {
            "fitted": self.account,
            **self.series.recoding.describe(),
            "unseen": self.series.unseen,
            "each_batch": self.series.each_batch,
            "released": {"batches": self.batches, "rows_in": self.rows_in},
        }

    def tables(self) -> list[ResultTable]:
        """Return what was fitted, and how each attribute is recoded."""
        own, recoding, how = self.account, self.series.recoding, self.series.recoding.describe()
        boxes = f"{how['boxes']:,} boxes, " if "boxes" in how else ""
        unseen = "released as the root" if self.series.unseen == "root" else "an error"
        facts = ResultTable.of_facts(
            ("fitted to", f"{own['rows']:,} records"),
            ("recoding", f"by {recoding.form}: {boxes}{own['classes']:,} classes"),
            ("suppressed in the fit", own["suppressed"]),
            lost_row(own["span_loss"], " in the fit"),
            ("unseen values", unseen),
            (
                "must satisfy",
                "each batch, and the union" if self.series.each_batch else "the union",
            ),
        )
        rows = [
            (name, one["type"], one.get("recoding") or f"{one['level']} of {one['highest']}")
            for name, one in how["attributes"].items()
        ]
        models = [
            (
                f"{one['type']} of {one['attribute']}" if "attribute" in one else one["type"],
                f"{'< ' if one.get('strict') else ''}{format_number(one['required'])}",
                format_number(one["achieved"]),
            )
            for one in own["models"]
        ]
        header = ("model", "required", "achieved in the fit")
        attributes = ("attribute", "type", "recoding" if boxes else "level")
        return [
            facts,
            *([ResultTable(header, models, frozenset({1, 2}))] if models else []),
            ResultTable(attributes, rows, frozenset({2})),
        ]

    def save(self, path: str | Path) -> None:
        """Write the recoding and the count of what it released as JSON, whole or not at all."""
        content = {**self.to_dict(), "policy": form_beside(self.policy, Path(path))}
        document.save(path, content)

    @classmethod
    def load(cls, path: str | Path) -> Fitted:
        """Read what `save` wrote, with files beside it; `DataError` if it was changed."""
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


@takes_keywords
def fit(
    frame: Any,
    policy: PolicySource | None = None,
    *,
    unseen: Literal["root", "error"] = "root",
    each_batch: bool = True,
    progress: Callable[[str], None] | None = None,
    **short: Unpack[Keywords],
) -> Fitted:
    """Fit a recoding to a table, to apply it to further tables.

    Nothing is released by this: to release the table itself, apply the recoding to it. By
    levels and, where no record is suppressed, by boxes, that gives what `anonymize` does.

    Leave room for the next batch: a class that has just k records here may have fewer there, and
    those are suppressed, as far as `suppression_limit` allows. Coarser hierarchies and full-domain
    make larger classes, at the cost of detail.

    Parameters
    ----------
    frame
        As of `anonymize`.
    policy
        What every batch and the union of all must satisfy; or leave it out and use the
        short forms of `anonymize`.
    unseen
        What becomes of a value of a quasi-identifier that the recoding does not know, and with
        boxes of a record in no class. `root`: the root of its attribute, null where values keep
        a type of their own. `error`: the batch is refused. Numbers and dates within an interval
        or the bounds of a class are known, and codes that masking can mask. A sensitive value
        never seen counts as one more value.
    each_batch
        Whether a batch must satisfy the policy by itself; else in the union alone.
    progress
        As of `anonymize`.
    short
        As of `anonymize`.

    Returns
    -------
    Fitted
        By levels after full-domain search; by boxes, the bounds of each class, after
        algorithms whose classes do not overlap.

    Raises
    ------
    PolicyError
        The policy counts persons in the union alone, samples records, changes released values,
        suppresses cells, or its algorithm makes classes that overlap.
    SchemaError, HierarchyError, DataError, InfeasibleError
        As of `anonymize`.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 44], "disease": ["flu", "flu", "cold", "flu"]})
    >>> fitted = fit(table, quasi_identifiers=["age"], sensitive=["disease"], k=2)
    >>> batch = pl.DataFrame({"age": [24, 23, 99, 98], "disease": ["flu", "cold", "flu", "flu"]})
    >>> release = fitted.apply(batch)
    >>> sorted(release.frame["age"]), release.outside
    (['*', '*', '[23, 25]', '[23, 25]'], 2)
    >>> release.union.k
    2

    """
    policy = resolve_policy(policy, **short)
    if unseen not in ("root", "error"):
        raise PolicyError(f"unseen is {unseen!r}; it must be 'root' or 'error'")
    warn = Stopwatch(progress).warn
    native, task = _suitable_table(table_of(frame), policy, warn, each_batch=each_batch)
    if not frames.n_rows(native):
        raise DataError("the table has no record to fit a recoding to")
    # What is learned is learned of the values that were drawn for this very release.
    acting = bind_actions(native, task.schema, policy.seed)
    release = anonymize(native, policy.with_seed(acting.seed), progress=progress)
    column = encoded_columns(native, policy, acting)
    hidden = sensitive_names(task.schema, policy.models)
    series = Series(
        policy=_embed_hierarchies(policy),
        recoding=learn_recoding(task, release.decision.encoded(), column),
        unseen=unseen,
        each_batch=bool(each_batch),
        sensitive={name: column(name).dtype for name in hidden if name not in policy.entities},
    )
    found = release.to_dict()
    account = {"rows": release.rows_in, "suppressed": release.suppressed}
    account |= {name: found["verification"][name] for name in ("classes", "models")}
    account |= {name: found["utility"][name] for name in ("span_loss", "gcp")}
    return Fitted(series, account)


def check_recoding(frame: Any, release: Release) -> None:
    """Refuse a release whose recoding, applied to its own table, would not give it again."""
    policy = release.policy
    native, task = _suitable_table(frame, policy, each_batch=True)
    decision = release.decision.encoded()
    if decision.account.get("levels") is None:
        if release.suppressed:
            raise PolicyError(
                "there is no recoding to keep: classes have bounds, within which records lie that "
                f"were suppressed ({release.suppressed:,}). Allow none, or choose full-domain"
            )
        acting = bind_actions(native, task.schema, policy.seed)
        learn_recoding(task, decision, encoded_columns(native, policy, acting))


def _suitable_table(
    frame: Any, policy: Policy, told: Callable[[str], None] | None = None, *, each_batch: bool
) -> tuple[Any, Task]:
    """Return a table and its task; refuse what has no meaning for a batch, or for several."""
    native = frames.without_exceptions(parse_with_policy(frame, policy, told))
    task = task_of(policy, native)
    attributes = task.schema.attributes
    kinds = {model.guarantee: model.type for model in policy.models}
    sets = [name for name, one in attributes.items() if one.role is Role.SET]
    after = [name for name, one in attributes.items() if has_late_actions(one.action)]
    reason = ""
    if "mechanism" in kinds:
        reason = (
            f"{kinds['mechanism']} samples the records of each release, and a recoding would "
            "release all of them: anonymize each batch"
        )
    elif policy.entities and not each_batch:
        reason = (
            f"k-anonymity counts persons by {policy.entities[0]!r}: those of several batches "
            "cannot be counted without keeping who they are. Let each batch satisfy the policy"
        )
    elif "population" in kinds:
        reason = f"{kinds['population']} counts persons of a population table"
    elif policy.algorithm.recodes == "cells":
        reason = f"{policy.algorithm.type} decides cell by cell"
    elif sets:
        reason = f"the items of {sets[0]!r} are recoded with all records of a table"
    elif after:
        reason = f"an action changes the released values of {after[0]!r}: let it come before"
    if reason:
        raise PolicyError(f"there is no recoding to keep: {reason}")
    return native, task


def _embed_hierarchies(policy: Policy) -> Policy:
    """Return the policy with its hierarchies as mappings: a recoding needs no file beside it."""
    attributes = dict(policy.attributes)
    for name, attribute in policy.attributes.items():
        if not isinstance(attribute, QuasiIdentifier | Sensitive):
            continue
        if isinstance(attribute.hierarchy, FromFile | FromMapping | Hierarchy):
            rows = attribute.hierarchy.bind(pl.Series(name, [], dtype=pl.String)).rows()
            # JSON has no key for null, which gets its own branch.
            known = {leaf: list(above) for leaf, *above in rows if leaf is not None}
            attributes[name] = replace(attribute, hierarchy=from_mapping(known))
    return policy.model_copy(update={"attributes": attributes})
