"""The second table of `kanonym anonymize`: one value per cell, drawn from the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import typer

from kanonym.cli import options

if TYPE_CHECKING:
    from kanonym.release import Release
    from kanonym.synthesis import DrawnTable


class Drawing(NamedTuple):
    """What --drawn, --drawn-by, --constraint and --format said."""

    file: str | None
    by: str
    constraints: list[str]
    format: str | None

    def check(self, *, stays: bool) -> None:
        """Refuse options of a second table without one, and a place where it cannot be written."""
        from kanonym.data.files import check_table_output

        if self.file is None:
            if self.constraints or self.by != "label":
                raise typer.BadParameter("needs --drawn", param_hint="--drawn-by and --constraint")
            return
        _parse_by(self.by)
        if self.file == "-":
            raise typer.BadParameter("needs a file of its own", param_hint="--drawn")
        if stays:
            raise typer.BadParameter("only for tables in memory", param_hint="--drawn")
        check_table_output(self.file, options.format_of(self.file, self.format))

    def draw(self, release: Release, step: Callable[[str], None]) -> DrawnTable | None:
        """Return a release with one value per cell, before anything is written."""
        if self.file is None:
            return None
        from kanonym.synthesis import draw_values

        step("draw")
        return draw_values(release, by=_parse_by(self.by), constraints=self.constraints)

    def write(self, values: DrawnTable | None, like: str | None) -> dict[str, Any]:
        """Write drawn values, and return what is told of them and of their file; {} of none."""
        from kanonym.cli.tables import write_table

        if values is None or self.file is None:
            return {}
        content = write_table(values.frame, self.file, self.format, like)
        return {**values.to_dict(), "file": content.name, "sha256": content.sha256}


def _parse_by(by: str) -> Literal["label", "class"]:
    """Return what values are drawn by; refuse other words."""
    if by == "label":
        return "label"
    if by == "class":
        return "class"
    raise typer.BadParameter(f"{by!r} is neither label nor class", param_hint="--drawn-by")
