"""Tables as commands write them: compared with what was written, and told of formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanonym.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kanonym.data.files import Content


def columns_of_known_values(frame: Any, made: Any) -> list[str]:
    """Return the columns of a polars table made from another one that have no other values."""
    return [
        one.name
        for one in made
        if one.name in frame.columns
        and not one.dtype.is_nested()
        and one.drop_nulls().is_in(frame[one.name].unique().implode()).all()
    ]


def write_table(
    frame: Any,
    output: str,
    format: str | None,
    like: str | None = None,
    *,
    coded: Collection[str] = (),
    catalog: str | None = None,
    no_read_back: bool = False,
    safe_cells: bool = False,
    beside: Callable[[Content], None] | None = None,
) -> Content:
    """Write a table, and tell which columns of a CSV file Excel would run as formulas.

    format: what --format says; like, coded, catalog, beside: as of `files.write_table`.
    """
    from kanonym.cli.progress import print_note
    from kanonym.data import files

    kind = options.format_of(output, format)
    content = files.write_table(
        frame,
        output,
        kind,
        read_back=not no_read_back,
        safe_cells=safe_cells,
        like=like,
        coded=coded,
        catalog=catalog,
        beside=beside,
    )
    if not safe_cells and files.check_table_output(output, kind) in ("csv", "tsv"):
        columns = files.formula_columns(frame)
        if columns:
            print_note(
                f"Excel and other spreadsheet programs run cells of {', '.join(columns)} as "
                "formulas (they start with = + - or @); --safe-cells puts an apostrophe before them"
            )
    return content


def seconds_with_files(stages: dict[str, Any], reading: float, writing: float) -> dict[str, float]:
    """Return the seconds of all stages, files included."""
    every = {name: value for name, value in stages.items() if name != "total"}
    every |= {"read": every.get("read", 0.0) + reading, "write": writing}
    return {**every, "total": sum(every.values())}
