"""`kanonym anonymize --from --to`: several tables about the same persons."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from kanonym.cli.policy_options import PolicyOptions
    from kanonym.linked import LinkedRelease
    from kanonym.linked.given_tables import Place

Named = tuple[str | None, str | None]
"""A place and its schema."""


def anonymize_linked(
    asked: PolicyOptions,
    source: Named,
    target: Named,
    *,
    refused: Mapping[str, object],
    reports: list[Path],
    about: dict[str, Any],
    manifest: Path | None,
    dry_run: bool,
    json: bool,
    format: str | None,
) -> None:
    """Anonymize linked tables, verify them as they are read back, and give them their name."""
    _refuse(refused, asked)
    if asked.file is None:
        raise typer.BadParameter("missing policy: give --policy FILE", param_hint="--policy")
    if source[0] is None or (target[0] is None and not dry_run):
        raise typer.BadParameter("give both --from and --to", param_hint="--from, --to")
    anonymize_file(
        asked.file,
        source[0],
        None if dry_run else target[0],
        reports,
        manifest,
        schemas=(source[1], target[1]),
        about=about,
        json=json,
        format=format,
    )


def anonymize_file(
    file: Path,
    source: str,
    target: str | None,
    reports: list[Path],
    manifest: Path | None,
    *,
    schemas: Named = (None, None),
    about: Mapping[str, Any] | None = None,
    json: bool = False,
    format: str | None = None,
) -> None:
    """Anonymize the linked tables of a policy file, and print what was done; target: None, dry."""
    from kanonym.cli.printing.linked import linked_release_tables
    from kanonym.cli.progress import show_progress
    from kanonym.cli.terminal import show, show_json
    from kanonym.linked import LinkedPolicy, anonymize
    from kanonym.linked.given_tables import Place, extension_of, require_free

    place = Place.of(source, schemas[0])
    released = None if target is None else Place.of(target, schemas[1])
    if released is not None:
        require_free(released)
    _check_files(reports, manifest)
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
            _write_beside(release, reports, manifest, facts, about or {})
            written = [released.display_name, *map(str, reports)]
            written += [str(manifest)] if manifest else []
    told = release.to_dict()
    if json:
        show_json(told)
    else:
        show(*linked_release_tables(told, written))


def _refuse(options: Mapping[str, object], asked: PolicyOptions) -> None:
    """Refuse options that linked tables have not."""
    given = [name for name, value in options.items() if value not in (None, False)]
    for name in [
        *given,
        *(f"--{one.replace('_', '-')}" for one in {**asked.given, **asked.parameters}),
    ]:
        raise typer.BadParameter("not for linked tables (--from, --to)", param_hint=name)


def _check_files(reports: list[Path], manifest: Path | None) -> None:
    """Refuse reports and a manifest that could not be written, before the work."""
    from kanonym.data.files import check_output
    from kanonym.reporting import format_of

    for file in reports:
        format_of(file)
    for file in [*reports, *([manifest] if manifest else [])]:
        check_output(file)


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


def _write_beside(
    release: LinkedRelease,
    reports: list[Path],
    manifest: Path | None,
    facts: dict[str, Any],
    about: Mapping[str, Any],
) -> None:
    """Write reports and the manifest."""
    from kanonym.reporting import report_linked

    for file in reports:
        report_linked(release, file, facts=facts, **about)
    if manifest is not None:
        release.manifest(manifest, facts)
