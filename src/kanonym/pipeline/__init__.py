"""The flow: a table and a policy in, a verified release out, whatever engine holds the table."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from kanonym.actions.registry import has_late_actions
from kanonym.data.errors import DataError, InfeasibleError, PolicyError
from kanonym.data.files import table_of
from kanonym.differential_privacy.ledger import spend
from kanonym.engines import engine_of
from kanonym.engines.base import Engine, Input, Run, require_abilities
from kanonym.engines.decision import Decision
from kanonym.engines.local import resolve_seed
from kanonym.engines.stopwatch import Stopwatch
from kanonym.models.differential import sampling_model
from kanonym.pipeline.checks import measure, verify
from kanonym.pipeline.planning import (
    required_abilities,
    resolve_policy,
    uncounted_entities,
    with_readings,
)
from kanonym.pipeline.published import publish_own_records, with_own_types
from kanonym.pipeline.record_check import record_check
from kanonym.policy import PolicySource
from kanonym.policy.keywords import Keywords, takes_keywords
from kanonym.release import FrameT, Release
from kanonym.release.promise import protected_unit
from kanonym.verification.findings import verify_release
from kanonym.verification.release_view import ReleaseView, recorded_release
from kanonym.verification.verdict import Verification

if TYPE_CHECKING:
    from kanonym.engines.sql.store import Source

__all__ = [
    "anonymize",
    "measure",
    "package_release",
    "publish",
    "publish_own_records",
    "record_check",
    "recorded_release",
    "require_satisfied",
    "resolve_policy",
    "uncounted_entities",
    "verify",
    "with_own_types",
    "with_readings",
]


@typing.overload
def anonymize(
    frame: Source | str | os.PathLike[str],
    policy: PolicySource | None = ...,
    *,
    output: str | Path | None = ...,
    ledger: str | Path | None = ...,
    progress: Callable[[str], None] | None = ...,
    **short: Unpack[Keywords],
) -> Release[Any]: ...
@typing.overload
def anonymize(
    frame: FrameT,
    policy: PolicySource | None = ...,
    *,
    output: str | Path | None = ...,
    ledger: str | Path | None = ...,
    progress: Callable[[str], None] | None = ...,
    **short: Unpack[Keywords],
) -> Release[FrameT]: ...
@takes_keywords
def anonymize(
    frame: Any,
    policy: PolicySource | None = None,
    *,
    output: str | Path | None = None,
    ledger: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
    **short: Unpack[Keywords],
) -> Release[Any]:
    """Release a table that satisfies a policy.

    Parameters
    ----------
    frame
        A pandas or polars DataFrame, a polars LazyFrame, a pyarrow Table or the path of a file; or
        what stays where it is: a table of DuckDB or Spark, or of `ka.engines.scan_database`.
    policy
        A `Policy`, a mapping as in YAML, or the path of a policy file. The keywords below state
        one, or change its values.
    output
        Where the release is written, if anywhere: a file; of a database another table.
    ledger
        Under differential privacy: the file that adds up what the table has spent, this release
        included.
    progress
        Called with the name of each stage as it begins, and with `stage: sentence`.
    short
        In the place of a policy; beside one they change its values.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        What is wrong with the policy or the table, and where.
    InfeasibleError
        No release satisfies the policy.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [23, 25, 41, 42], "disease": ["flu", "flu", "cold", "flu"]})
    >>> release = anonymize(table, quasi_identifiers=["age"], sensitive=["disease"], k=2)
    >>> sorted(release.frame["age"])
    ['[23, 25]', '[23, 25]', '[41, 42]', '[41, 42]']

    """
    policy = resolve_policy(policy, **short)
    watch = Stopwatch(progress)
    promised = sampling_model(policy.models)
    # Under differential privacy no record may change how columns are read.
    engine = engine_of(
        table_of(frame, declared=None if promised is None else list(policy.attributes))
    )
    place = None if output is None else os.fspath(output)
    if promised is None and ledger is not None:
        raise PolicyError("a ledger adds up epsilon: the policy asks for no differential privacy")
    with ExitStack() as stack:
        if place is not None:  # else the release is read from the engine later
            stack.callback(engine.close)
        with watch.stage("read"):
            schema = policy.schema_for(engine.columns)
            require_abilities(engine, required_abilities(policy, schema))
            engine.require_place(place)
            run = Run(policy, schema, resolve_seed(policy.seed), place, watch, ledger is not None)
            source = engine.read(run)
        known = None
        if promised is not None and ledger is not None and policy.seed is None:
            # Before the release exists: a run that then fails has spent too much, never too little.
            spending = replace(promised.spending, protects=protected_unit(policy))
            known = spend(ledger, spending)
        decision = source.decide()
        run = getattr(source, "run", run)  # a table of this process has settled its readings
        made = package_release(engine, run, decision, publish(source, decision))
        return made if known is None else replace(made, ledger=known)


def package_release(engine: Engine, run: Run, decision: Decision, published: Published) -> Release:
    """Return the release that was published."""
    staged = published.staged

    def write(place: str) -> None:
        with closing(engine):
            engine.require_place(place)
            # What the engine held of a decision may be gone: then the same is decided again.
            watch = run.watch if decision.lasting else Stopwatch()
            source = engine.read(replace(run, place=place, watch=watch))
            publish(source, decision if decision.lasting else source.decide())

    return Release(
        frame=published.frame,
        policy=run.policy,
        schema=run.schema,
        verification=published.verification,
        rows_in=decision.rows_in,
        rows_out=decision.rows_out,
        suppressed=decision.rows_in - decision.rows_out,
        decision=decision,
        seconds=run.watch.seconds,
        rows=staged.rows,
        engine=engine.name,
        columns=tuple(staged.columns),
        writer=None if staged.rows is not None else write,
    )


class Published(NamedTuple):
    """What came of an input."""

    frame: Any
    view: ReleaseView
    verification: Verification
    staged: Any


def publish(source: Input, decision: Any, *, required: bool = True) -> Published:
    """Stage what was decided, verify what was written, and publish it; required: if models hold."""
    staged = source.stage(decision)
    try:
        with source.watch.stage("verify"):
            view = source.view(decision, staged)
            verification = verify_release(view)
            _require_records(verification.rows, decision.rows_out)
            if required:
                require_satisfied(verification, advice=_reason_of_failure(view, verification))
        return Published(staged.publish(), view, verification, staged)
    except BaseException:
        staged.discard()
        raise


def _require_records(written: int, counted: int) -> None:
    if written != counted:
        raise DataError(
            f"{counted} records were counted for the release, and {written} were written. Nothing "
            "is released. If others write to the table, work on a copy; else a join or a view "
            "gives other rows each time"
        )


def _reason_of_failure(view: ReleaseView, verification: Verification) -> str:
    changed = [name for name, one in view.attributes.items() if has_late_actions(one.action)]
    if changed:
        return (
            f"Actions with `when: after` split equivalence classes ({', '.join(changed)}): "
            "remove them, or apply them before the algorithm"
        )
    failing = [check for check in verification.checks if not check.satisfied]
    if any(check.guarantee == "population" for check in failing):
        return (
            "A label that stands for different values at several levels of its hierarchy is "
            "read at the lowest: give each level labels of its own"
        )
    return "This is a defect of kanonym: please report it"


def require_satisfied(verification: Verification, what: str = "", advice: str = "") -> None:
    """Refuse what fails a model, or has a column that links rows of too few persons."""
    # A seed voids what a mechanism promises, and nothing else: the verdict says so.
    failing = [one for one in verification.checks if not (one.satisfied or one.repeatable)]
    linked = [check for check in failing if check.linked_by]
    columns = ", ".join(dict.fromkeys(name for check in linked for name in check.linked_by))
    if linked:
        raise InfeasibleError(
            f"{f'{what}: ' if what else ''}{columns} tells whose rows are whose, so k counts "
            "persons with all their rows, and the fewest persons who are alike in all rows are "
            f"{linked[0].achieved:g}, not {linked[0].required:g}. Nothing is released. Drop "
            f"{columns}; or release it as linked tables (docs: linked tables), which limit the "
            "rows of a person (cap, merge, band) and generalize until persons are alike in all rows"
        )
    if failing:
        n = verification.n_violating
        raise InfeasibleError(
            f"{what or 'the recoded table'} fails {', '.join(check.type for check in failing)}"
            f"{f' in {n} classes' if n else ''}; nothing is released. {advice}"
        )
