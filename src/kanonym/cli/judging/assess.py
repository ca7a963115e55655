"""`kanonym assess`: what a table gives away, and what a release of it is still good for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli import inputs, options
from kanonym.cli.policy_options import COLUMNS, PolicyOptions, takes_policy
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.data.results import Result

COMPARED = (
    "all records of both tables, suppressed ones included: for the custodian, not for release"
)


@dataclass(frozen=True, kw_only=True)
class PersonOptions:
    """Who is in a table, and from which risk on a record is at risk."""

    population: Annotated[
        str | None,
        Option(
            "Population that the table is a sample of: its size, or a table of everybody in it.",
            "N|FILE",
        ),
    ] = None
    entity: Annotated[
        Sequence[str],
        Option(
            "Column that identifies people, if one person has several records, or columns that do "
            "so together.",
            "A,B",
        ),
    ] = ()
    weight: Annotated[str | None, Option("Sampling weights.", "COLUMN")] = None
    household: Annotated[str | None, Option("Households.", "COLUMN")] = None
    threshold: Annotated[
        float, Option("Records above this risk are at risk", "RISK", least=0, most=1)
    ] = 0.05
    largest: Annotated[
        int | None,
        Option(
            "Largest minimal sample unique that SUDA searches for, in attributes; 0 for none. "
            "Default: as many as take seconds.",
            "N",
            least=0,
        ),
    ] = None

    @property
    def size_or_file(self) -> int | str | None:
        """The population: a number of persons as such; anything else is a file."""
        given = self.population
        return int(given) if given is not None and given.isdecimal() else given

    @property
    def arguments(self) -> dict[str, Any]:
        """What `risk` takes of this, but for the population."""
        names = ("weight", "household", "largest", "threshold")
        return {name: getattr(self, name) for name in names} | {"entity": self.entity or None}


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
    persons: PersonOptions,
    aligned: options.Aligned = None,
    target: Annotated[
        str | None,
        Option("Column to predict: train models on both tables and compare them.", "COLUMN"),
    ] = None,
    measures: Annotated[
        Sequence[str], Option("Measures of utility, such as gcp,sse-sst; default: all.", "A,B")
    ] = (),
    seed: options.Seed = 0,
    records: Annotated[
        Path | None, Option("File for the risk of each record, without its values.", "FILE")
    ] = None,
    reading: options.ReadingOptions,
    released_table: options.ReleasedTable = None,
    long: options.LongTable = None,
    json: options.Json = False,
) -> None:
    """Measure the risk of a table, or the risk and utility of a release.

    Everything is measured on the values of the tables, whatever tool made them. Utility compares
    all records, suppressed ones included: it is for the custodian. A report compares the released
    records with their originals.

    Example: kanonym assess patients.csv released.csv -q age,zip -s disease
    """
    import kanonym as ka
    from kanonym.cli.progress import print_note, show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.files import check_table_output, write_table

    if released is None and (aligned is not None or target is not None or measures):
        raise typer.BadParameter(
            "--aligned, --shuffled, --target and --measures compare two tables",
            param_hint="RELEASED",
        )
    population = persons.size_or_file
    everybody = None if isinstance(population, int) else population
    places = {"TABLE": original, "RELEASED": released, "--population": everybody, **asked.files}
    # before any of them is read
    inputs.check_places(places, [("--records", records)], json=json)
    columns = asked.columns()
    grouped = inputs.long_columns(long, columns.get("policy"))
    inputs.check_places(places, [("--records", records)], columns)
    if records is not None:
        check_table_output(records, reading.format_of(str(records)))
    with show_progress() as step:
        step("read")
        before, after = reading.with_release(original, released, released_table)
        before, after = (inputs.group_long(one, grouped) for one in (before, after))
        columns, (before, after), people = inputs.read_like_first_table(
            columns, (before, after), step, population
        )
        step("risk")
        risk = ka.risk(
            before if after is None else after, **columns, population=people, **persons.arguments
        )
        found: list[Result] = [risk]
        if after is not None:
            step("utility")
            useful = ka.utility(
                before,
                after,
                **_without_sensitive(columns),
                aligned=aligned,
                target=target,
                measures=measures or None,
                seed=seed,
            )
            found.append(useful)
        if records is not None:
            step("write")
            write_table(risk.records, records, reading.format_of(str(records)))
    if released is not None:
        print_note(f"utility compares {COMPARED}")
    show_result(
        dict(zip(("risk", "utility"), (one.to_dict() for one in found), strict=False)),
        lambda: [table for one in found for table in one.tables()],
        json=json,
        to_stderr=str(records) == "-",
        written=None if records is None else [str(records)],
    )


def _without_sensitive(columns: dict[str, Any]) -> dict[str, Any]:
    """Return what is columns without the sensitive attributes, which utility does not know."""
    if "policy" in columns:
        return columns
    trees = columns["hierarchies"]
    return {
        "quasi_identifiers": columns["quasi_identifiers"],
        "hierarchies": {name: trees[name] for name in trees if name not in columns["sensitive"]},
    }
