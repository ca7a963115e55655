"""The second table of `kanonym anonymize`: one value per cell, drawn from the labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kanonym.cli import inputs
from kanonym.cli.options import Writing
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.release import Release
    from kanonym.synthesis import DrawnTable

DRAWN = "Second table with one value per cell"


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Whether a second table is written, and how its values are drawn."""

    drawn: Annotated[
        str | None,
        Option(
            "A second table with one value per cell, for programs that cannot read labels.",
            "FILE",
            group=DRAWN,
        ),
    ] = None
    drawn_by: Annotated[
        Literal["label", "class"],
        Option(
            "What --drawn draws by: any value that the label leaves open, or those of the class, "
            "as frequent as there, which tells more than the labels.",
            "label|class",
            group=DRAWN,
        ),
    ] = "label"
    constraint: Annotated[
        Sequence[str],
        Option(
            "Condition that every record of --drawn meets, such as 'discharge >= admission'; may "
            "be repeated.",
            "RULE",
            group=DRAWN,
        ),
    ] = ()

    def check(self, format: str | None, *, stays: bool) -> None:
        """Refuse options of a second table without one, and a place where it cannot be written."""
        from kanonym.data.files import check_table_output

        if self.drawn is None:
            if self.constraint or self.drawn_by != "label":
                raise typer.BadParameter("needs --drawn", param_hint="--drawn-by and --constraint")
            return
        if self.drawn == "-":
            raise typer.BadParameter("needs a file of its own", param_hint="--drawn")
        if stays:
            raise typer.BadParameter("only for tables in memory", param_hint="--drawn")
        check_table_output(self.drawn, inputs.format_of(self.drawn, format))

    def draw(self, release: Release, step: Callable[[str], None]) -> DrawnTable | None:
        """Return a release with one value per cell, before anything is written."""
        if self.drawn is None:
            return None
        from kanonym.synthesis import draw_values

        step("draw")
        return draw_values(release, by=self.drawn_by, constraints=self.constraint)

    def write(
        self, values: DrawnTable | None, format: str | None, like: str | None
    ) -> dict[str, Any]:
        """Write drawn values, and return what is told of them and of their file; {} of none."""
        if values is None or self.drawn is None:
            return {}
        content = Writing().write(values.frame, self.drawn, format, like)
        return {**values.to_dict(), "file": content.name, "sha256": content.sha256}
