"""`kanonym check`: the faults of a policy, without running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import inputs, options
from kanonym.data.person_key import columns_of
from kanonym.data.results import ResultTable, shortened_names

if TYPE_CHECKING:
    from kanonym.pipeline.planning import PolicyCheck
    from kanonym.policy import Policy
    from kanonym.profiling.persons import ProposedPersons

MOST_COLUMNS = 40
"""Of wider tables, what is told fits on a screen."""


def check(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="Policy, YAML or JSON.")],
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]", help="Table that the policy is for; - for standard input."
        ),
    ] = None,
    *,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Check a policy, and whether it fits a table, without anonymizing.

    All faults of the policy are listed at once, with the nearest valid names. Its SHA-256 is that
    of the manifest and the report of a release; give the table where the policy leaves it open how
    dates and numbers are written. With a table: its columns and their roles, whether hierarchies
    cover its values, and whether a release can satisfy the models at all. With a policy about
    several tables, TABLE is the place of all of them: keys, references and roles are checked, and
    columns that repeat others are listed.

    Example: kanonym check policy.yaml patients.csv
    """
    from kanonym.cli.terminal import show_result
    from kanonym.policy import Policy
    from kanonym.policy.document import is_linked
    from kanonym.policy.faults import policy_hash

    if is_linked(policy):
        _check_linked(policy, table, reading.schema, json=json)
        return
    asked = Policy.from_file(policy)
    found: dict[str, Any] = {}
    checked: PolicyCheck | None = None
    beyond: Mapping[str, int] = {}
    if table is not None:
        from kanonym.cli.progress import show_progress
        from kanonym.data.frames import to_eager
        from kanonym.engines import engine_of, is_local
        from kanonym.models.differential import sampling_model
        from kanonym.pipeline import with_readings
        from kanonym.pipeline.planning import check_policy

        with show_progress() as step:
            step("read")
            decimals: dict[str, int] = {}
            given = reading.table(
                table,
                declared=asked.attributes if sampling_model(asked.models) else None,
                decimals=decimals,
            )
            engine = None if is_local(given) else engine_of(given)
            frame = inputs.group_long(to_eager(given), inputs.long_columns(None, asked))
            step("check")
            if sampling_model(asked.models) is None:  # else only what is declared may decide
                read = frame if engine is None else given
                tell = inputs.sentence_printer(step)
                asked, _ = with_readings(asked, read, tell, decimals=decimals)
            checked = check_policy(frame, asked, engine)
            if any(getattr(one, "domain", None) for one in asked.attributes.values()):
                from kanonym.synthesis.marginals.domains import count_beyond  # loads much

                beyond = count_beyond(frame, asked.attributes)
            found["table"] = {**checked.to_dict(), "beyond_domains": beyond}
    sha256 = policy_hash(asked.to_dict())
    found.update(policy=asked.to_dict(), sha256=sha256)
    show_result(found, lambda: _tables(asked, sha256, checked, beyond), json=json)


def _tables(
    policy: Policy, sha256: str, checked: PolicyCheck | None, beyond: Mapping[str, int]
) -> list[ResultTable]:
    """Return what a policy requires, and of a table the roles of its columns."""
    required = []
    for model in policy.models:
        given = ", ".join(f"{name} {value}" for name, value in model.to_dict().items())
        required.append((f"{model.type}: {given}" if given else model.type,))
    facts: list[tuple[str, object]] = [
        ("policy", "no faults"),
        ("algorithm", policy.algorithm.type),
        ("suppression limit", f"{100 * policy.suppression_limit:g} % of the records"),
    ]
    if checked is not None:
        facts += [
            ("table", "the policy fits it"),
            ("records", checked.rows),
            ("distinct combinations of quasi-identifiers", checked.distinct),
            *_persons_rows(policy, checked.persons),
        ]
        facts += [
            (f"beyond the domain of {name}", f"{count:,} records")
            for name, count in beyond.items()
            if count
        ]
    return [
        ResultTable.of_facts(*facts),
        ResultTable.of_facts(("SHA-256", sha256)),
        *([ResultTable(("required",), required).first()] if required else []),
        *([] if checked is None else [_roles(policy, checked)]),
    ]


def _roles(policy: Policy, checked: PolicyCheck) -> ResultTable:
    """Return a row for each column of a table; of a wide one, for each role."""
    roles, built = checked.roles, checked.built_hierarchies
    header = ("column", "role", "hierarchy")
    if len(roles) <= MOST_COLUMNS:
        rows = [
            (name, role, f"built: {built[name]}" if name in built else _hierarchy(policy, name))
            for name, role in roles.items()
        ]
        return ResultTable(header, rows)
    several = []
    for role in dict.fromkeys(roles.values()):
        names = [name for name, own in roles.items() if own == role]
        made = sum(name in built for name in names)
        told = f"built of {made:,}; --json has them" if made else ""
        several.append((f"{len(names):,}: {shortened_names(names)}", role, told))
    return ResultTable(header, several)


def _hierarchy(policy: Policy, name: str) -> str:
    """Return the kind of a hierarchy that a policy declares, with the path of a file."""
    source = getattr(policy.attributes.get(name), "hierarchy", None)
    form = None if source is None else source.to_dict()
    if isinstance(form, Mapping):
        kind = next(iter(form))
        return f"{kind} {form[kind]}" if isinstance(form[kind], str) else str(kind)
    return str(form or "")


def _persons_rows(
    policy: Policy, proposed: Sequence[ProposedPersons]
) -> Iterator[tuple[str, object]]:
    """Yield who the policy states the persons to be, and who they may be by their structure."""
    entities = [model.entity for model in policy.models if model.entity]
    if entities:
        yield "persons", f"told apart by {' + '.join(columns_of(entities[:1]))}"
        return
    yield "persons", "each row" if policy.rows else "not stated: rows: persons, or entity"
    for one in proposed[:3]:
        evidence = (
            f"{' and '.join(one.columns)}: {one.values:,} values in {one.records:,} records, each "
            f"with one value of {', '.join(one.constant[:5]) or 'no column'}"
        )
        kind = "groups of persons, or persons" if one.likely_groups else "persons"
        yield f"may be {kind}", evidence


def _check_linked(policy: Path, place: str | None, schema: str | None, *, json: bool) -> None:
    """Check a policy about several tables, and keys, references and roles of these."""
    from kanonym.cli.terminal import show_result
    from kanonym.linked import LinkedPolicy
    from kanonym.linked.given_tables import Place, check_tables, read_tables, with_column_roles
    from kanonym.linked.person_rows import LinkedRows, copied_columns
    from kanonym.linked.released_rows import numbered_parts, unnumbered_parts

    asked = LinkedPolicy.from_file(policy)
    found: dict[str, Any] = {"policy": dict(asked.form)}
    if place is not None:
        tables = read_tables(Place.of(place, schema), list(asked.tables))
        check_tables(tables, asked)
        asked = with_column_roles(asked, tables)
        rows = LinkedRows.of(tables, asked)
        found["tables"] = {name: frame.height for name, frame in tables.items()}
        found["copies"] = {
            ".".join(column): ".".join(other) for column, other in copied_columns(tables, rows)
        }
        found["numbered_key_columns"] = [
            f"{name}.{part}" for name in asked.order for part in numbered_parts(asked, name)
        ]
        found["counted_key_columns"] = [
            f"{name}.{part}"
            for name in asked.order
            for part in unnumbered_parts(tables, asked, name)
        ]
    checked = [(name, f"{rows:,} rows") for name, rows in found.get("tables", {}).items()]
    told = [
        *((name, f"repeats {other}") for name, other in found.get("copies", {}).items()),
        *((name, "in a key: numbered anew") for name in found.get("numbered_key_columns", ())),
        *((name, "in a key: it counts") for name in found.get("counted_key_columns", ())),
    ]
    facts = ("policy", "no faults"), ("persons", asked.person), *checked, *told
    show_result(found, lambda: [ResultTable.of_facts(*facts)], json=json)
