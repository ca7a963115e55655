"""How a release is repeated and checked: command, policy, seed, versions, SHA-256."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.option import command_line, file_word
from kanonym.models import MODELS
from kanonym.policy.faults import policy_hash
from kanonym.release.promise import manifest_path

if TYPE_CHECKING:
    from kanonym.release import Release

PRINTED = "policy.json"
"""The file in which somebody saves the policy that a report prints."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What somebody needs who wants the same release again."""

    source: str | None = None
    output: str | None = None
    command: str = ""
    checks: tuple[str, ...] = ()
    policy_printed: bool = True
    policy_hash: str = ""
    release_hash: str | None = None
    input_hash: str | None = None
    output_hash: str | None = None

    @classmethod
    def of(
        cls,
        policy: Mapping[str, Any],
        *,
        source: str | Path | files.Content | None = None,
        output: str | Path | files.Content | None = None,
        release_hash: str | None = None,
        command: str | Sequence[str] = "",
        policy_file: str | Path | None = None,
        recorded: bool = False,
    ) -> Provenance:
        """Gather it: files of which only the path is known are read for their SHA-256.

        Without a `command`, that of the policy file is told; of several, the others check the
        release. Without a `policy_file`, it is `PRINTED`, which holds the policy that the report
        prints. recorded: whether only a manifest has what the policy counts.
        """
        read, written = (
            None if file is None else files.Content.of(file) for file in (source, output)
        )
        names = [None if file is None else file.name for file in (read, written)]
        before, after = (
            name or otherwise
            for name, otherwise in zip(names, ("TABLE.csv", "RELEASED.csv"), strict=True)
        )
        file = PRINTED if policy_file is None else Path(policy_file).name
        lies_beside = isinstance(output, str | Path) and manifest_path(output).is_file()
        manifest = "MANIFEST.json" if recorded and not lies_beside else None
        made, *checks = commands_of(policy, file, [before], after, manifest=manifest)
        if isinstance(command, str):
            made = command or made
        else:
            made, *checks = command
        return cls(
            source=names[0],
            output=names[1],
            command=made,
            checks=tuple(checks),
            policy_printed=policy_file is None,
            policy_hash=policy_hash(policy),
            release_hash=release_hash,
            input_hash=None if read is None else read.sha256,
            output_hash=None if written is None else written.sha256,
        )


def commands_of(
    policy: Mapping[str, Any],
    policy_file: str,
    table: Sequence[str],
    released: str,
    *,
    manifest: str | None = None,
    ledger: str = "LEDGER.json",
) -> tuple[str, str, str]:
    """Return the commands that make a release again, verify it and attack it.

    table: its file, and the options by which it is read. manifest: of the release, where `verify`
    needs it and does not find it. ledger: under differential privacy.
    """
    before, after = file_word(table[0]), file_word(released)
    read, asked = table[1:], ["--policy", file_word(policy_file)]
    types = [form.get("type") for form in policy.get("models", ())]
    models = [MODELS[name] for name in types if name in MODELS]
    private = any(model.guarantee == "mechanism" for model in models)
    spent = ["--ledger", file_word(ledger)] if private else []
    # Of a workbook, `verify` reads the first sheet.
    compared = any(model.compares_with_table for model in models)
    compared = compared and not {"--sheet", "--header-row"} & {*read}
    checked = ["--original", before, *read] if compared else []
    checked += [] if manifest is None else ["--manifest", manifest]
    return (
        command_line("kanonym", "anonymize", before, *read, *asked, *spent, "-o", after),
        command_line("kanonym", "verify", after, *asked, *checked),
        command_line("kanonym", "attack", before, after, *read, *asked),
    )


def hash_as_csv(release: Release) -> str | None:
    """Return the SHA-256 of a release as `write` has it in CSV; None where CSV cannot hold it.

    Of a release on an engine there is none: it would be fetched for it.
    """
    if release.writer is not None:
        return None
    with TemporaryDirectory(prefix="kanonym-") as folder:
        file = Path(folder) / "released.csv"
        try:
            content = release.write(file, read_back=False)
        except DataError:
            return None
        return None if content is None else content.sha256
