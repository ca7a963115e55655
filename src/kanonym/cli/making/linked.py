"""`kanonym anonymize --from --to`: several tables about the same persons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanonym.cli.making.papers import Papers
from kanonym.cli.options import LINKED
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.cli.policy_options import PolicyOptions
    from kanonym.linked import LinkedRelease
    from kanonym.linked.given_tables import Place


@dataclass(frozen=True, kw_only=True)
class LinkedPlaces:
    """Where linked tables are, and where they go."""

    several: Annotated[
        str | None,
        Option(
            "Linked tables to read: folder, SQLite or DuckDB file, or postgresql://….",
            "PLACE",
            "--from",
            group=LINKED,
        ),
    ] = None
    to: Annotated[
        str | None,
        Option(
            "Where the released tables go: a place as of --from that does not exist.",
            "PLACE",
            group=LINKED,
        ),
    ] = None
    to_schema: Annotated[
        str | None, Option("Schema of the released tables in PostgreSQL.", "NAME", group=LINKED)
    ] = None

    @property
    def is_given(self) -> bool:
        """Whether there are several tables."""
        return self.several is not None or self.to is not None


def anonymize_linked(
    file: Path | None,
    places: LinkedPlaces,
    papers: Papers,
    *,
    dry_run: bool = False,
    json: bool = False,
    format: str | None = None,
    schema: str | None = None,
) -> None:
    """Anonymize linked tables, verify them as they are read back, and give them their name."""
    if file is None:
        raise typer.BadParameter("missing policy: give --policy FILE", param_hint="--policy")
    if places.several is None or (places.to is None and not dry_run):
        raise typer.BadParameter("give both --from and --to", param_hint="--from, --to")
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show_result
    from kanonym.data.files import check_output
    from kanonym.linked import LinkedPolicy, anonymize
    from kanonym.linked.given_tables import Place, extension_of, require_free
    from kanonym.reporting import report_linked

    place = Place.of(places.several, schema)
    released = None
    if places.to is not None and not dry_run:
        released = Place.of(places.to, places.to_schema)
        require_free(released)
    beside = [one for _, one in papers.options if one]
    for one in beside:
        check_output(one)
    policy = LinkedPolicy.from_file(file)
    with show_progress() as step:
        step("read")
        tables, before = _read(place, list(policy.tables))
        release = anonymize(tables, policy, progress=step)
        facts: dict[str, Any] = {"input": {"place": place.name, "sha256": before}}
        written = []
        if released is not None:
            step("write")
            extension = f".{format}" if format else extension_of(place, list(policy.tables))
            hashes = _write(release, released, tables[policy.person], extension)
            facts["output"] = {"place": released.name, "sha256": hashes}
            for report in papers.report:
                report_linked(release, report, facts=facts, **papers.about)
            if papers.manifest is not None:
                release.manifest(papers.manifest, facts)
            written = [released.display_name, *map(str, beside)]
    total = sum(release.seconds.values())
    show_result(release.to_dict(), release.tables, json=json, seconds=total, written=written)


def refuse_options(options: Mapping[str, object], asked: PolicyOptions) -> None:
    """Refuse options that linked tables have not."""
    given = [name for name, value in options.items() if value not in (None, False)]
    for name in [
        *given,
        *(f"--{one.replace('_', '-')}" for one in {**asked.given, **asked.parameters}),
    ]:
        raise typer.BadParameter("not for linked tables (--from, --to)", param_hint=name)


def _read(place: Place, names: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return tables, and the SHA-256 of the files that hold them."""
    from kanonym.data.errors import DataError
    from kanonym.linked.given_tables import hashes_of, read_tables

    before = hashes_of(place, names)
    tables = read_tables(place, names)
    if hashes_of(place, names) != before:
        raise DataError(f"{place.display_name} changed while it was read: try again")
    return tables, before


def _write(release: LinkedRelease, place: Place, original: Any, extension: str) -> dict[str, str]:
    """Write the released tables once they are verified as they were read back."""
    from kanonym.data.errors import InfeasibleError
    from kanonym.linked import verify
    from kanonym.linked.given_tables import write_tables

    def check(written: Mapping[str, Any]) -> None:
        if not verify(written, release.policy, original=original).satisfied:
            raise InfeasibleError(
                "the written tables fail the policy; nothing was written. This is a defect of "
                "kanonym: please report it"
            )

    return write_tables(release.frames, place, check, extension)
