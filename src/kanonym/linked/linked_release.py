"""Several tables of the same persons in, a verified release of all of them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl
from polars import selectors

from kanonym.actions.masking.shift_date import ShiftDate
from kanonym.actions.registry import ColumnActions
from kanonym.data.errors import DataError, InfeasibleError, PolicyError, SchemaError
from kanonym.data.results.result import Result, ResultTable
from kanonym.data.schema import Identifier, Schema
from kanonym.engines.local import resolve_seed
from kanonym.engines.stopwatch import Stopwatch
from kanonym.linked.given_tables import like_given, polars_tables
from kanonym.linked.keys.copied_columns import copied_columns
from kanonym.linked.keys.integrity import Tables, check_columns, check_keys
from kanonym.linked.keys.kept_rows import KeptRows
from kanonym.linked.keys.key_parts import unnumbered_parts
from kanonym.linked.keys.key_pseudonyms import (
    KeySpace,
    key_spaces,
    numbered_anew,
    refuse_actions_of_references,
    table_seed,
)
from kanonym.linked.keys.merged_rows import (
    MergedRows,
    compared_columns,
    count_merged,
    further_codes,
)
from kanonym.linked.level_search import Found, Levels, find_levels
from kanonym.linked.linked_verification import LinkedVerification, verify_tables
from kanonym.linked.person_decision import PersonDecision
from kanonym.linked.persons.dates import check_one_shift, order_notes
from kanonym.linked.persons.known_columns import Column, KnownColumn, known_columns
from kanonym.linked.persons.linked_rows import LinkedRows, codes_of_values
from kanonym.linked.persons.person_models import PersonModels
from kanonym.linked.persons.person_trees import Codes
from kanonym.linked.persons.row_limits import banded_policy, limit_rows
from kanonym.linked.policies.column_roles import with_column_roles
from kanonym.linked.policies.linked_policy import LinkedPolicy, LinkedPolicySource
from kanonym.linked.policies.released_policy import released_policy
from kanonym.policy.document import read_or_given

PERSON = "\0person"
"""The person of each row, for actions that treat all rows of a person alike."""


LEAST_SUPPRESSED = 5
"""Of fewer suppressed persons, or fewer than k, no numbers of rows are told."""


@dataclass(frozen=True, repr=False)
class LinkedRelease(Result):
    """Released tables that satisfy their policy together.

    Attributes
    ----------
    frames
        The released tables by name, each of the type of the table that came in.
    policy
        What was asked.
    verification
        What was found in the released values.
    rows_in, rows_out
        Rows by table, before and after.
    suppressed
        Persons who were suppressed with all their rows.
    merged
        By table that merges rows, how many an equal row stands for, and what that lost: nothing.
    levels
        By `table.column` the level at which each quasi-identifier is released.
    highest
        The level of the root of each.
    search
        How the levels were found.
    keys
        How each key space was replaced.
    built
        Hierarchies that were built because none was given: a sentence by `table.column`.
    seconds
        Seconds by stage.

    """

    _shown: ClassVar[tuple[str, ...]] = (
        "rows_in",
        "rows_out",
        "suppressed",
        "verification.persons.k",
    )

    frames: Mapping[str, Any]
    policy: LinkedPolicy
    verification: LinkedVerification
    rows_in: Mapping[str, int]
    rows_out: Mapping[str, int]
    suppressed: int
    merged: Mapping[str, MergedRows]
    levels: Mapping[str, int]
    highest: Mapping[str, int]
    search: Found
    keys: list[dict[str, Any]]
    built: Mapping[str, str]
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def told_rows_in(self) -> dict[str, int | None]:
        """`rows_in` as manifests and reports tell it, beside the release.

        None where the difference to `rows_out` counts the rows of fewer suppressed persons than
        a class has.
        """
        k = max((getattr(one, "k", 1) for one in self.policy.models), default=1)
        few = 0 < self.suppressed < max(k, LEAST_SUPPRESSED)
        person = self.policy.person
        below = {*self.policy.order} - {person} if few else set()
        return {name: None if name in below else n for name, n in self.rows_in.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "tables": {
                name: {
                    "rows_in": count,
                    "rows_out": self.rows_out.get(name, 0),
                    **({"merged": self.merged[name]._asdict()} if name in self.merged else {}),
                }
                for name, count in self.told_rows_in.items()
            },
            "suppressed_persons": self.suppressed,
            "algorithm": {
                "type": "full-domain",
                "levels": dict(self.levels),
                "highest_levels": dict(self.highest),
                "metric": "span-loss",
                "score": self.search.loss,
                "optimal": self.search.optimal,
                "lattice_size": self.search.size,
                "nodes_checked": self.search.checked,
                **({"built_hierarchies": dict(self.built)} if self.built else {}),
            },
            "keys": self.keys,
            "verification": {
                name: part
                for name, part in self.verification.to_dict().items()
                if name != "violating"
            },
            "seconds": {**self.seconds, "total": sum(self.seconds.values())},
        }

    def tables(self) -> list[ResultTable]:
        """Return rows by table, levels, and the verdict."""
        rows = [
            (
                name,
                "–" if count is None else f"{count:,}",
                f"{self.rows_out[name]:,}" if name in self.rows_out else "–",
                f"{self.merged[name].rows:,}" if name in self.merged else "–",
            )
            for name, count in self.told_rows_in.items()
        ]
        levels = [(name, f"{level} of {self.highest[name]}") for name, level in self.levels.items()]
        proof = "minimal" if self.search.optimal else "not proven minimal"
        lead = (
            f"suppressed persons {self.suppressed:,} · mean span loss "
            f"{100 * self.search.loss:.1f} % ({proof})"
        )
        return [
            ResultTable(
                ("table", "rows in", "rows out", "merged"), rows, frozenset({1, 2, 3}), lead
            ),
            ResultTable(("quasi-identifier", "level"), levels),
            *self.verification.tables(),
        ]


def anonymize(
    tables: Mapping[str, Any],
    policy: LinkedPolicySource,
    *,
    progress: Callable[[str], None] | None = None,
) -> LinkedRelease:
    """Release several tables in which persons are alike with all their rows.

    Parameters
    ----------
    tables
        pandas, polars or pyarrow tables by name.
    policy
        A `LinkedPolicy`, or the path of a policy file with `tables`.
    progress
        Called with the name of each stage as it begins.

    Raises
    ------
    PolicyError, SchemaError, HierarchyError, DataError
        Something that was given is wrong; the message says which table and column.
    InfeasibleError
        No levels satisfy the policy with so few persons suppressed; nothing is released.

    """
    policy = read_or_given(policy, LinkedPolicy)
    watch = Stopwatch(progress)
    with watch.stage("read"):
        refuse_actions_of_references(policy)
        given = polars_tables(tables, policy)
        check_columns(given, policy)
        check_keys(given, policy)
        seed = resolve_seed(policy.seed)
        random = np.random.default_rng(np.random.SeedSequence([seed, *b"linked"]))
        limited = limit_rows(given, policy, random)
        asked = with_column_roles(banded_policy(policy), limited)
        rows = LinkedRows.of(limited, asked)
        schemas = {name: _schema(limited[name], asked, name) for name in asked.tables}
        spaces = key_spaces(limited, asked, seed)
        columns = _acted_columns(limited, asked, schemas, spaces, rows, seed)
        check_one_shift(limited, columns, rows, asked)
        for column, other in copied_columns(limited, asked):
            watch.tell(f"{'.'.join(column)} repeats {'.'.join(other)}")
    with watch.stage("encode"):
        built: dict[str, str] = {}
        known = known_columns(columns, asked, built)
        for sentence in built.values():
            watch.tell(f"no hierarchy given; built {sentence}")
    with watch.stage("algorithm"):
        acted = {
            name: pl.DataFrame([column for (table, _), column in columns.items() if table == name])
            for name in asked.tables
        }
        asked = released_policy(asked, acted)
        parts = _part_codes(acted, asked, watch)
        rows = replace(rows, policy=asked)
        compared = compared_columns(acted, rows, spaces)
        further = further_codes(acted, rows, compared)
        decide = PersonDecision(
            asked, rows, known, PersonModels.of(acted, rows, asked), further, parts
        )
        found = find_levels([one.losses for one in known], decide.satisfies)
        if found is None:
            raise _infeasible_error(decide, acted)
    with watch.stage("recode"):
        stands, suppressed = decide.at(found.levels)
        kept = {
            name: (row == np.arange(len(row))) & ~suppressed[rows.persons[name]]
            for name, row in stands.items()
        }
        released = _recoded(columns, known, found.levels)
        merged = count_merged(released, rows, compared, kept, suppressed)
        disordered = order_notes(limited, released, rows, asked, kept)
        whole = {name: pl.DataFrame(several) for name, several in released.items()}
        final, keys = numbered_anew(KeptRows(whole, rows, kept, stands, random).frames(), spaces)
        final = {
            # Categories would name values that only suppressed rows had.
            name: frame.with_columns(selectors.by_dtype(pl.Categorical, pl.Enum).cast(pl.String))[
                random.permutation(frame.height)
            ]
            for name, frame in final.items()
        }
    with watch.stage("verify"):
        released_tables = like_given(final, tables)
        verified = verify_tables(
            polars_tables(released_tables, asked),
            banded_policy(policy),
            limited,
            acted[asked.person] if asked.models else None,
        )
        if not verified.satisfied or any(one.lost for one in merged.values()):
            raise InfeasibleError(
                f"the recoded tables fail their policy in {verified.persons.n_violating} classes, "
                "or lack values of merged rows; nothing is released. This is a defect of kanonym: "
                "please report it"
            )
        verified = replace(verified, notes=(*verified.notes, *disordered))
    return LinkedRelease(
        frames=released_tables,
        policy=policy,
        verification=verified,
        rows_in={name: frame.height for name, frame in given.items()},
        rows_out={name: frame.height for name, frame in final.items()},
        suppressed=int(suppressed.sum()),
        merged=merged,
        levels=_by_name(known, found.levels),
        highest=_by_name(known, [one.highest for one in known]),
        search=found,
        keys=keys,
        built=built,
        seconds=watch.seconds,
    )


def _part_codes(tables: Tables, policy: LinkedPolicy, watch: Stopwatch) -> dict[str, list[Codes]]:
    """Return by table the codes of the columns of its key that count, which are told."""
    found = {}
    for name in policy.order:
        parts = unnumbered_parts(tables, policy, name)
        for one in parts:
            watch.tell(f"{name}.{one} is in a key and repeats: it counts, and is not generalized")
        found[name] = [codes_of_values(tables[name], [one]) for one in parts]
    return found


def _infeasible_error(decide: PersonDecision, tables: Tables) -> InfeasibleError:
    return InfeasibleError(
        f"no levels satisfy the policy with at most {100 * decide.policy.suppression_limit:g} % of "
        f"the persons suppressed: even with every quasi-identifier at its root, "
        f"{decide.suppressed_at_roots():,} of {decide.rows.n_persons:,} persons have rows that "
        "too few others have. Nothing is released. Bound the rows of tables (cap, merge, "
        f"band), raise suppression_limit, or lower k{_without_parts(tables, decide.policy)}"
    )


def _without_parts(tables: Tables, policy: LinkedPolicy) -> str:
    """Return what else makes a policy feasible where columns of keys count."""
    parts = [f"{name}.{one}" for name in policy.order for one in policy.tables[name].key]
    counted = {
        f"{name}.{one}" for name in policy.order for one in unnumbered_parts(tables, policy, name)
    } | {f"{name}.{one}" for name in policy.order for one in policy.tables[name].quasi_identifiers}
    named = [one for one in parts if one in counted]
    if not named:
        return ""
    return (
        f"; {', '.join(named)} count as they are, since keys cannot be generalized: a column of a "
        "key without a role, that nothing else refers to, is numbered anew and does not count"
    )


def _schema(frame: pl.DataFrame, policy: LinkedPolicy, name: str) -> Schema:
    """Return the role of each column of a table that is in no key and no reference."""
    table = policy.tables[name]
    free = [one for one in frame.columns if one not in table.linking]
    named = {one: role for one, role in table.attributes.items() if one not in table.linking}
    try:
        return Schema.resolve(free, named, policy.others)
    except DataError:
        raise
    except ValueError as error:
        raise type(error)(f"{name}: {error}") from None


def _acted_columns(
    tables: Mapping[str, pl.DataFrame],
    policy: LinkedPolicy,
    schemas: Mapping[str, Schema],
    spaces: Mapping[Column, KeySpace],
    rows: LinkedRows,
    seed: int,
) -> dict[Column, pl.Series]:
    """Return every column that is released, as actions leave it: keys as pseudonyms."""
    found: dict[Column, pl.Series] = {}
    for name in policy.tables:
        frame, attributes = tables[name], schemas[name].attributes
        persons = None
        if name in rows.persons:
            key = tables[policy.person].select(policy.tables[policy.person].key)
            persons = _subjects(key).gather(rows.persons[name])
        subject = None if persons is None else PERSON
        actions = {
            column: tuple(_bound(one, f"{name}.{column}", subject) for one in attribute.action)
            for column, attribute in attributes.items()
            if attribute.action
        }
        acting = ColumnActions(partial(_column, frame, persons), actions, table_seed(seed, name))
        for column in frame.columns:
            if (name, column) in spaces:
                found[name, column] = spaces[name, column].apply(frame[column])
            elif column in attributes:
                attribute = attributes[column]
                if not isinstance(attribute, Identifier) or attribute.action:
                    found[name, column] = acting.before(column)
    return found


def _subjects(key: pl.DataFrame) -> pl.Series:
    """Return the text of each person's key: that of a single column as it is."""
    if key.width == 1:
        return key.to_series().alias(PERSON)
    texts = pl.concat_str(pl.all().cast(pl.String), separator="\0")
    return key.select(texts.alias(PERSON)).to_series()


def _column(frame: pl.DataFrame, persons: pl.Series | None, name: str) -> pl.Series:
    """Return a column of a table, or the person of each row."""
    if name == PERSON and persons is not None:
        return persons
    if name not in frame.columns:
        raise SchemaError(
            f"an action reads the column {name!r}, which its table lacks: actions of linked tables "
            f"read columns of their own table. It has: {', '.join(frame.columns)}"
        )
    return frame[name]


def _bound(action: Any, where: str, subject: str | None) -> Any:
    """Return an action that treats all rows of a person alike, where it is one of these.

    subject: the column that names the person of each row; None where rows are of nobody.

    Raises
    ------
    PolicyError
        Dates of a person would shift differently in each table.

    """
    if not isinstance(action, ShiftDate) or subject is None or action.subject is not None:
        return action
    if action.key is None:
        raise PolicyError(
            f"{where}: shift-date needs key: {{env: NAME}} in linked tables, so that all dates of "
            "a person shift by one amount, in all tables and runs"
        )
    return replace(action, subject=subject)


def _recoded(
    columns: Mapping[Column, pl.Series],
    known: list[KnownColumn],
    levels: Levels,
) -> dict[str, list[pl.Series]]:
    """Return by table the released columns."""
    labels = {
        (one.table, one.name): one.released(level) for one, level in zip(known, levels, strict=True)
    }
    found: dict[str, list[pl.Series]] = {}
    for (table, name), column in columns.items():
        found.setdefault(table, []).append(labels.get((table, name), column).alias(name))
    return found


def _by_name(known: list[KnownColumn], numbers: Any) -> dict[str, int]:
    return {f"{one.table}.{one.name}": n for one, n in zip(known, numbers, strict=True)}


__all__ = ["LinkedRelease", "anonymize"]
