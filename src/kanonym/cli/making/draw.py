"""`kanonym draw`: one value per cell, drawn from the labels of a released table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kanonym.cli import inputs, options
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


def draw(
    released: options.Released,
    policy: options.Policy,
    output: options.Output,
    constraints: options.Constraints = (),
    seed: options.DrawnSeed = None,
    manifest: Annotated[
        Path | None, Option("How the values were drawn and what was verified, as JSON.", "FILE")
    ] = None,
    *,
    writing: options.Writing,
    reading: options.ReadingOptions,
    json: options.Json = False,
) -> None:
    """Draw one value per cell from the labels of a released table.

    For programs that cannot read labels. The labels are verified first; the drawn values are not
    k-anonymous, and their protection is that of the labels. To draw by the values of each class,
    use anonymize --drawn FILE --drawn-by class.

    Example: kanonym draw released.csv --policy policy.yaml -o drawn.csv
    """
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_written
    from kanonym.data.files import check_output, check_table_output
    from kanonym.policy import Policy
    from kanonym.synthesis import draw_values

    asked = Policy.from_file(policy)
    inputs.check_places(
        {"RELEASED": released, "--policy": policy},
        [("-o", output), ("--manifest", manifest)],
        asked,
        json=json,
    )
    check_table_output(output, reading.format_of(output))
    if manifest is not None:
        check_output(str(manifest))
    start = perf_counter()
    with show_progress() as step:
        step("read")
        frame, source = reading.table_with_content(released)
        step("draw")
        drawn = draw_values(frame, asked, constraints=constraints, seed=seed)
        step("write")
        result = writing.write(drawn.frame, output, reading.format, released)
        if manifest is not None:
            drawn.manifest(manifest, released=source, drawn=result)
    seconds = perf_counter() - start
    show_written(drawn.to_dict(), drawn.tables, seconds, output, manifest, json=json)
