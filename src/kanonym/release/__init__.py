"""The release: a table that satisfies its policy, and everything measured about it."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import numpy as np
import polars as pl
from numpy.typing import NDArray
from typing_extensions import TypeVar  # its default is Python 3.13's

from kanonym import __version__
from kanonym.actions.registry import keeps_values, share_kept
from kanonym.data import files, frames
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.loading import metadata
from kanonym.data.readings import canonical_table, styled_columns
from kanonym.data.results import Result, ResultTable
from kanonym.data.schema import Role, Schema
from kanonym.differential_privacy.ledger import Ledger
from kanonym.engines.base import Request, unsupported_error
from kanonym.engines.decision import Decision, EncodedDecision
from kanonym.metrics.record_risk import PersonRisk, ProsecutorRisk
from kanonym.metrics.release_loss import InformationLoss
from kanonym.policy import Policy
from kanonym.policy.faults import policy_hash, without_values
from kanonym.release.account import (
    account_of,
    chance_text,
    highest_levels,
    order_text,
    published_account,
)
from kanonym.release.promise import Promise, holder_facts, public_manifest, require_promise
from kanonym.release.tables import release_tables
from kanonym.verification.released_classes import group_released
from kanonym.verification.verdict import Verification

if TYPE_CHECKING:
    from kanonym.comparison import Comparison
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.risk.table_risk import Risk
    from kanonym.evaluation.utility.table_utility import Utility
    from kanonym.profiling import Profile
    from kanonym.reporting.plots import ReleasePlots

FrameT = TypeVar("FrameT", default=Any)  # the type of a table

_FIGURES = ("utility", "risk", "algorithm", "values_kept", "_released_names", "promise")
"""What is measured before a release is pickled."""

_VERIFIED = ("satisfied", "verdict", "parts", "k", "classes", "models", "largest_shares")
"""What the JSON of a release has of its verification, beside the findings."""

_LEFT_OUT = ("decision", "writer", "examples")
"""What a pickle has not: all that is made of the encoded table of the input."""


@dataclass(frozen=True, repr=False)
class Release(Result, Generic[FrameT]):
    """A released table that satisfies its policy, and everything measured about it.

    Attributes
    ----------
    frame
        The released table, of the type of the table that came in.
    policy, schema
        What was asked, and the role of each column of the input.
    verification
        What was found in the released values.
    rows_in, rows_out, suppressed
        Records of the input, of the release, and suppressed.
    decision
        The encoded table, the partition and the recoding behind the release: values of the
        input. Neither `print` nor a pickle has it.
    seconds
        Seconds by stage.
    rows
        (rows_out,) int64, which record of the input each released one is, for measures
        that compare records. It undoes the shuffle: no file has it, nor `print`, nor a
        pickle. None where the table is on an engine.
    engine
        What holds the released table: `local`, `duckdb`, `spark`, `postgresql`, `sqlite`. There
        `frame` is the engine's own table (a DuckDB relation, a Spark DataFrame), or where it
        was written: a path, a table's name.
    columns
        The released columns, in order.
    writer
        On an engine: writes the release once more and verifies what was written.
    ledger
        Under differential privacy: what its table has spent, this release included; or None.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        *("engine", "rows_in", "rows_out", "suppressed"),
        *("verification.k", "verification.verdict"),
    )

    frame: FrameT
    policy: Policy
    schema: Schema
    verification: Verification
    rows_in: int
    rows_out: int
    suppressed: int
    decision: Decision
    seconds: dict[str, float]
    rows: NDArray[np.int64] | None
    engine: str = "local"
    columns: tuple[str, ...] = ()
    writer: Callable[[str], None] | None = field(default=None, repr=False)
    ledger: Ledger | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: the figures, and nothing that tells who is whose record."""
        figures = {name: getattr(self, name) for name in _FIGURES}
        state = {**self.__dict__, **figures, "rows": None, "writer": None}
        return {name: part for name, part in state.items() if name not in _LEFT_OUT}

    def __getattr__(self, name: str) -> Any:
        if name == "decision":
            raise DataError(
                "a release that was pickled or copied has no decision: the encoded table stays "
                "where the release was made. Make reports and assessments there"
            )
        raise AttributeError(f"a Release has no {name!r}; the released table is its frame")

    @property
    def persons(self) -> PersonRisk | None:
        """The risk of persons, where k-anonymity counts them; else None."""
        return self.decision.persons if "decision" in self.__dict__ else None

    @cached_property
    def promise(self) -> Promise | None:
        """What differential privacy promises, in public figures; None without such a model."""
        return Promise.of(self.policy, self.decision, self.ledger)

    @cached_property
    def utility(self) -> InformationLoss:
        """What the release lost."""
        return self.decision.loss(self._class_sizes)

    @cached_property
    def risk(self) -> ProsecutorRisk:
        """How likely a released record is re-identified, or a person where they are counted."""
        persons = self.persons
        if persons is None:
            found = ProsecutorRisk.from_sizes(self._class_sizes)
        else:
            found = ProsecutorRisk(persons.highest, persons.average, persons.uniques)
        # Whoever knows items, or all rows of a person, finds fewer candidates than the class has.
        known = [
            check.achieved
            for check in self.verification.checks
            if check.guarantee == "itemsets" or check.linked_by
        ]
        highest = max([found.highest, *(1 / one for one in known if one >= 1)])
        return replace(found, highest=highest)

    @cached_property
    def algorithm(self) -> dict[str, Any]:
        """The algorithm with its parameters, and what it tells of its search.

        Besides the number of classes: the hierarchies that were built because none was
        given, and what design §9 names (`levels`, `score`, `optimal`, …). Where records are
        suppressed, the score is that of the released ones and the number of the others; where the
        metric looks at the values of these, `score_of` says so, and no manifest or report has it.
        """
        account = account_of(self.decision, self.policy)
        built = self.decision.built
        sets = self.decision.sets if isinstance(self.decision, EncodedDecision) else None
        return {
            **self.policy.to_dict()["algorithm"],
            **account,
            **({"highest_levels": highest_levels(self.decision)} if "levels" in account else {}),
            **({"built_hierarchies": built} if built else {}),
            **({} if sets is None else {"items": dict(sets.account)}),
            "classes": self.verification.n_classes,
        }

    @cached_property
    def examples(self) -> dict[str, str | None]:
        """The released label that most records have, by quasi-identifier.

        Of two columns (recoding `range`) the first. None is null, or no record.
        """
        sizes = self.decision.class_sizes
        found: dict[str, str | None] = {}
        for one in self.decision.recoded:
            (labels,) = styled_columns(one.columns[:1], self.schema.readings)
            counts = np.bincount(one.label_of_class, sizes, len(labels))
            most = labels[int(counts.argmax())] if len(labels) else None
            found[one.name] = None if most is None else str(most)
        return found

    @cached_property
    def values_kept(self) -> dict[str, dict[str, Any]]:
        """By column, the action `pram` and the share of values that it leaves as they were.

        The share is that of its matrix, with the shares of the released values; None where a
        quasi-identifier is generalized, so that they are not released.
        """
        if self.writer is not None:  # an engine carries out no action of that kind
            return {}
        acting = {name: one.action for name, one in self.schema.attributes.items() if one.action}
        released = canonical_table(frames.to_eager(self.frame), self.schema.readings)
        recoded = {one.name for one in self.decision.recoded}
        told = {
            name: share_kept(several, None if name in recoded else frames.column(released, name))
            for name, several in acting.items()
        }
        return {name: one for name, one in told.items() if one}

    @property
    def coded_columns(self) -> list[str]:
        """The released columns that hold values of the input: `coded` of `write_table`.

        Not those that an action, a mean, a median or a hierarchy made anew.
        """
        anew = self.decision.made_anew
        return [
            name
            for name, attribute in self.schema.attributes.items()
            if name in self.columns and keeps_values(attribute.action) and name not in anew
        ]

    @property
    def _class_sizes(self) -> NDArray[np.int64]:
        sizes = self.verification.class_sizes
        numbers = np.fromiter(sizes.values(), np.int64, len(sizes))
        return np.repeat(np.fromiter(sizes, np.int64, len(sizes)), numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of design §9."""
        checked = self.verification.to_dict()
        return {
            "rows_in": self.rows_in,
            "rows_out": self.rows_out,
            "suppressed": self.suppressed,
            "algorithm": self.algorithm,
            "verification": {
                key: checked[key] for key in (*_VERIFIED, "findings") if key in checked
            },
            "utility": self.utility.to_dict(),
            "risk": self.risk.to_dict(),
            "seconds": {**self.seconds, "total": sum(self.seconds.values())},
            **({"values_kept": self.values_kept} if self.values_kept else {}),
            **({"differential_privacy": holder_facts(self.promise)} if self.promise else {}),
        }

    def tables(self, *, examples: bool = False) -> list[ResultTable]:
        """Return the figures, what verification found, and what each attribute lost.

        examples: whether a released label of each attribute is shown.
        """
        return release_tables(self, self.examples if examples else {})

    def write(
        self, path: str | Path, *, read_back: bool = True, safe_cells: bool = False
    ) -> files.Content | None:
        """Write the released table, whole or not at all; the extension says the format.

        Parameters
        ----------
        path
            The file.
        read_back
            False leaves out the comparison of the file with the table: see `write_table`.
        safe_cells
            Of CSV and TSV: put an apostrophe before texts that a spreadsheet would run.

        Returns
        -------
        Content
            Name and SHA-256 of the file, for `manifest` and `report`; None from an engine.

        Raises
        ------
        DataError
            The path cannot be written, or the format cannot hold a value.
        PolicyError
            An engine has no such options: it always counts what it wrote.

        """
        if self.writer is not None:
            if safe_cells or not read_back:
                raise unsupported_error(
                    self.engine, Request("file-options", "safe_cells and read_back")
                )
            self.writer(str(path))
            return None
        table = frames.to_polars(self.frame)
        return files.write_table(table, path, read_back=read_back, safe_cells=safe_cells)

    def aggregate(self) -> Any:
        """Return one row a class and combination of sensitive values, with a `count`.

        Raises
        ------
        SchemaError
            A released column is called `count` already.
        PolicyError
            The release is on an engine.

        """
        if self.writer is not None:
            raise unsupported_error(self.engine, Request("aggregate", "the aggregate form"))
        names = [*self._released_names, *self.schema.names(Role.SENSITIVE)]
        if "count" in names:
            raise SchemaError(
                "the aggregate form needs the column name 'count'; rename that column"
            )
        frame = frames.to_eager(self.frame)
        groups = group_released([frames.column(frame, name) for name in names], self.rows_out)
        order = np.argsort(groups.first)
        counts = pl.Series("count", groups.sizes[order])
        return frames.assemble(frame, groups.first[order], [*names, counts], self.frame)

    def manifest(
        self,
        path: str | Path,
        *,
        input: str | Path | files.Content | None = None,  # noqa: A002 - the manifest's word
        output: str | Path | files.Content | None = None,
        detected: Sequence[str] = (),
        drawn: Mapping[str, Any] | None = None,
    ) -> None:
        """Write how to repeat and check the release as JSON: no value of any record.

        Parameters
        ----------
        path
            Where to.
        input, output
            The files that were read and written; their SHA-256 goes in. A path is read now;
            a `Content` has the hash of the bytes that were read or written. Whoever has a
            candidate for the input recognizes it by its hash: leave `input` out of a manifest
            that goes along with the release.
        detected
            How columns of texts were read without the policy saying so: a sentence each.
        drawn
            What is told of a table with one value per cell that was drawn from the release, and
            the name and SHA-256 of its file.

        """
        known = {
            name: files.Content.of(file)
            for name, file in (("input", input), ("output", output))
            if file is not None
        }
        hashes = {name: {"file": one.name, "sha256": one.sha256} for name, one in known.items()}
        parts = {
            "versions": versions(),
            **self._engine_facts,
            "policy": without_values(self.policy.to_dict()),
            "policy_sha256": policy_hash(self.policy.to_dict()),
            "seed": self.policy.seed,
            "order": order_text(
                self.policy, on_engine=self.writer is not None, private=self.promise is not None
            ),
            **({"chance": chance} if (chance := chance_text(self.policy)) else {}),
            **({"detected": list(detected)} if detected else {}),
            **hashes,
            **({"drawn": dict(drawn)} if drawn else {}),
            **self.to_dict(),
            "algorithm": published_account(self),
        }
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")

    def public_manifest(
        self, path: str | Path, *, output: str | Path | files.Content | None = None
    ) -> None:
        """Write what may go along with a release under differential privacy, as JSON.

        It has the promise and public parameters: nothing that depends on the records but what
        the release itself shows.

        Parameters
        ----------
        path
            Where to.
        output
            The file of the release; its name and SHA-256 go in.

        Raises
        ------
        PolicyError
            The release is not one under differential privacy.

        """
        promise = require_promise(self.promise).to_dict()
        parts = public_manifest(promise, self.columns, output, __version__)
        files.write_text(path, json.dumps(parts, indent=2, ensure_ascii=False) + "\n")

    def public_report(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        language: str = "en",
        output: str | Path | files.Content | None = None,
    ) -> None:
        """Write the report that may go along with a release under differential privacy.

        path: `.html`, `.pdf`, `.md` or `.json`. output: as of `public_manifest`.
        """
        from kanonym.reporting import public_report  # noqa: PLC0415 - reports stand above releases

        public_report(self, path, title=title, language=language, output=output)

    @property
    def plot(self) -> ReleasePlots:
        """Its charts, as Altair objects: `release.plot.classes()`, `.partition("age", "zip")`."""
        from kanonym.reporting.plots import ReleasePlots  # noqa: PLC0415 - reports stand above

        return ReleasePlots(self)

    def report(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        purpose: str = "",
        author: str = "",
        language: str = "en",
        rectangles: tuple[str, str] | None = None,
        attacks: Iterable[AttackResult] = (),
        risk: Risk | None = None,
        utility: Utility | None = None,
        comparison: Comparison | None = None,
        profile: Profile | None = None,
        input: str | Path | files.Content | None = None,  # noqa: A002 - as manifest
        output: str | Path | files.Content | None = None,
        command: str | Sequence[str] = "",
        policy_file: str | Path | None = None,
    ) -> None:
        """Write the report: `ka.report` of this release, with the same parameters and errors."""
        from kanonym.reporting import report  # noqa: PLC0415 - reports stand above releases

        report(
            self,
            path,
            title=title,
            purpose=purpose,
            author=author,
            language=language,
            rectangles=rectangles,
            attacks=attacks,
            risk=risk,
            utility=utility,
            comparison=comparison,
            profile=profile,
            input=input,
            output=output,
            command=command,
            policy_file=policy_file,
        )

    @property
    def _engine_facts(self) -> dict[str, Any]:
        """What a manifest says of the engine, if it is not this process."""
        return {} if self.writer is None else {"engine": self.engine}

    @cached_property
    def _released_names(self) -> list[str]:
        return self.decision.columns


def versions() -> dict[str, str]:
    """Return the versions that a release depends on."""
    libraries = {name: metadata.version(name) for name in ("numpy", "numba", "polars")}
    return {"kanonym": __version__, "python": platform.python_version(), **libraries}
