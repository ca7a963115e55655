"""`kanonym assess`: what a table gives away, and what a release of it is still good for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kanonym.cli import locations, options
from kanonym.cli.policy_options import COLUMNS, PolicyOptions, takes_policy

ASSESSED = "Assessment"
COMPARED = (
    "all records of both tables, suppressed ones included: for the custodian, not for release"
)


@takes_policy(*COLUMNS)
def assess(
    original: Annotated[
        str, typer.Argument(metavar="TABLE", help="Table to assess; - for standard input.")
    ],
    released: Annotated[
        str | None,
        typer.Argument(
            metavar="[RELEASED]",
            help="A release of TABLE: report its risk, and its utility compared with TABLE.",
        ),
    ] = None,
    *,
    asked: PolicyOptions,
    population: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE",
            help=(
                "Population that the table is a sample of: its size, or a table of everybody in it."
            ),
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help=(
                "Column that identifies people, if one person has several records, or columns "
                "that do so together."
            ),
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Sampling weights.", rich_help_panel=ASSESSED),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Households.", rich_help_panel=ASSESSED),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="RISK",
            help="Records above this risk are at risk; default: 0.05.",
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    aligned: Annotated[
        bool | None,
        typer.Option(
            "--aligned/--shuffled",
            help="Whether row i of both tables is the same record; default: detected.",
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column to predict: train models on both tables and compare them.",
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Measures of utility, such as gcp,sse-sst; default: all.",
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    largest: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help=(
                "Largest minimal sample unique that SUDA searches for, in attributes; 0 for none. "
                "Default: as many as take seconds."
            ),
            rich_help_panel=ASSESSED,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Random seed.", rich_help_panel=ASSESSED)
    ] = 0,
    records: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for the risk of each record, without its values.",
            rich_help_panel=options.WRITTEN,
        ),
    ] = None,
    table_name: locations.TableName = None,
    released_table: locations.ReleasedTable = None,
    format: options.Format = None,
    sheet: options.Sheet = None,
    header_row: options.HeaderRow = None,
    user_missing: options.UserMissing = None,
    long: options.LongTable = None,
    json: options.Json = False,
) -> None:
    """Measure the risk of a table, or the risk and utility of a release.

    Everything is measured on the values of the tables, whatever tool made them. Utility compares
    all records, suppressed ones included: it is for the custodian. A report compares the released
    records with their originals.
    """
    import kanonym as ka
    from kanonym.cli.printing.assessment import assessment_tables
    from kanonym.cli.progress import print_note, show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.data.files import check_table_output, write_table

    chosen = options.parse_names(measures) or None
    if released is None and (aligned is not None or target is not None or chosen):
        raise typer.BadParameter(
            "--aligned, --shuffled, --target and --measures compare two tables",
            param_hint="RELEASED",
        )
    if json and str(records) == "-":
        raise typer.BadParameter(
            "standard output cannot hold both", param_hint="--json and --records -"
        )
    persons = _parse_population(population)
    everybody = None if isinstance(persons, int) else persons
    places = {
        "TABLE": original,
        "RELEASED": released,
        "--population": everybody,
        **asked.files,
    }
    if list(places.values()).count("-") > 1:
        raise typer.BadParameter("standard input can be read once", param_hint="-")
    options.check_places(places, [("--records", records)])  # before any of them is read
    columns = asked.columns()
    grouped = options.long_columns(long, columns.get("policy"))
    options.check_places(places, [("--records", records)], columns)
    if records is not None:
        check_table_output(records, options.format_of(str(records), format))
    further: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    missing = locations.user_missing_of(user_missing, original, released)
    with show_progress() as step:
        step("read")
        before = locations.rows_at(
            original,
            options.format_of(original, format),
            name=table_name,
            sheet=sheet,
            header_row=header_row,
            columns=options.COLUMNS.get(),
            user_missing=missing[original],
        )
        after = None
        if released is not None:
            after = locations.rows_at(
                released,
                options.format_of(released, format),
                name=released_table,
                option="--released-table",
                user_missing=missing[released],
            )
        before, after = (options.group_long(one, grouped) for one in (before, after))
        columns, (before, after), people = options.read_like_first_table(
            columns, (before, after), step, persons
        )
        step("risk")
        risk = ka.risk(
            before if after is None else after,
            **columns,
            population=people,
            entity=options.parse_names(entity) or None,
            weight=weight,
            household=household,
            largest=largest,
            **further,
        )
        parts: dict[str, Any] = {"risk": risk.to_dict()}
        if after is not None:
            step("utility")
            useful = ka.utility(
                before,
                after,
                **_without_sensitive(columns),
                aligned=aligned,
                target=target,
                measures=chosen,
                seed=seed,
            )
            parts["utility"] = useful.to_dict()
        if records is not None:
            step("write")
            write_table(risk.records, records, options.format_of(str(records), format))
    if released is not None:
        print_note(f"utility compares {COMPARED}")
    if json:
        show_json(parts)
    else:
        written = [] if records is None else [str(records)]
        show(*assessment_tables(parts, written), to_stderr=str(records) == "-")


def _without_sensitive(columns: dict[str, Any]) -> dict[str, Any]:
    """Return what is columns without the sensitive attributes, which utility does not know."""
    if "policy" in columns:
        return columns
    trees = columns["hierarchies"]
    return {
        "quasi_identifiers": columns["quasi_identifiers"],
        "hierarchies": {name: trees[name] for name in trees if name not in columns["sensitive"]},
    }


def _parse_population(population: str | None) -> int | str | None:
    """Return a number of persons as such; anything else is a file."""
    return int(population) if population is not None and population.isdecimal() else population
