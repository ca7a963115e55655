"""How a release is repeated and checked: command, policy, seed, versions, SHA-256."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from kanonym.data import files
from kanonym.data.errors import DataError

if TYPE_CHECKING:
    from kanonym.release import Release

PRINTED = "policy.json"
"""The file in which somebody saves the policy that a report prints."""

COMPARED = ("t-closeness", "beta-likeness", "delta-disclosure")
"""Models that compare classes with the original table."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What somebody needs who wants the same release again.

    Attributes
    ----------
    source, output
        Names of the files that were read and written, without folders; None where not known.
    command
        What to run.
    checks
        What checks the released file by itself, and what attacks it.
    policy_printed
        Whether the policy file that the commands name is the policy that the report prints.
    policy_hash
        SHA-256 of the policy's JSON form with sorted keys.
    release_hash
        SHA-256 of the release as kanonym writes it to CSV; None where CSV cannot hold it.
    input_hash, output_hash
        Of the files; None where not known.

    """

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
        command: str = "",
        policy_file: str | Path | None = None,
    ) -> Provenance:
        """Gather it: files of which only the path is known are read for their SHA-256.

        Without a `command`, that of the policy file is told; without a `policy_file`, it is
        `PRINTED`, which holds the policy that the report prints.

        Raises
        ------
        DataError
            A file cannot be read.

        """
        read, written = (
            None if file is None else files.Content.of(file) for file in (source, output)
        )
        names = [None if file is None else file.name for file in (read, written)]
        before, after = (
            shlex.quote(name or otherwise)
            for name, otherwise in zip(names, ("TABLE.csv", "RELEASED.csv"), strict=True)
        )
        file = PRINTED if policy_file is None else shlex.quote(Path(policy_file).name)
        compared = any(model.get("type") in COMPARED for model in policy.get("models", ()))
        original = f" --original {before}" if compared else ""
        return cls(
            source=names[0],
            output=names[1],
            command=command or f"kanonym anonymize {before} --policy {file} -o {after}",
            checks=(
                f"kanonym verify {after} --policy {file}{original}",
                f"kanonym attack {before} {after} --policy {file}",
            ),
            policy_printed=policy_file is None,
            policy_hash=sha256(
                json.dumps(policy, sort_keys=True, ensure_ascii=False, default=str).encode()
            ).hexdigest(),
            release_hash=release_hash,
            input_hash=None if read is None else read.sha256,
            output_hash=None if written is None else written.sha256,
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
