"""Reports and manifests beside a release: for its holder, and for the public."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from kanonym.cli.locations import Place
    from kanonym.data.files import Content
    from kanonym.policy import Policy
    from kanonym.release import Release
    from kanonym.synthesis import PrivateSynthesis

REPORTS = (".html", ".pdf", ".md", ".json")


class Papers(NamedTuple):
    """What is written beside a release: for its holder, and for the public."""

    reports: list[Path]
    manifest: Path | None
    public_reports: list[Path]
    public_manifest: Path | None
    input_hash: bool = True

    @property
    def options(self) -> list[tuple[str, Path | None]]:
        """Every file with the option that names it."""
        return [
            *(("--report", report) for report in self.reports),
            *(("--public-report", report) for report in self.public_reports),
            ("--manifest", self.manifest),
            ("--public-manifest", self.public_manifest),
        ]

    @property
    def public(self) -> bool:
        """Whether there is one for the public."""
        return bool(self.public_reports or self.public_manifest)

    def checked(self) -> Papers:
        """Return these; refuse a report whose form there is not."""
        for option, one in self.options:
            if one and option.endswith("report") and one.suffix.lower() not in REPORTS:
                reason = f"{one} must end in {', '.join(REPORTS)}"
                raise typer.BadParameter(reason, param_hint=option)
        return self

    def with_manifest(
        self, place: Place, policy: Policy, engine: str | None, *, left_out: bool
    ) -> Papers:
        """Return these with a manifest beside the release, where that is a file.

        Not under differential privacy, of which a manifest tells what the release does not.
        left_out: what --no-manifest says.
        """
        from kanonym.models.differential import sampling_model

        if left_out and self.manifest is not None:
            raise typer.BadParameter("not with --manifest", param_hint="--no-manifest")
        file = Path(place.given)
        is_device = file.exists() and not file.is_file()
        if left_out or self.manifest or place.file in (None, "-") or is_device:
            return self
        if engine == "spark" or sampling_model(policy.models):  # Spark writes a folder
            return self
        return self._replace(manifest=_manifest_of(file))

    def write_manifest(self, release: Release, source: Any, output: Any, **notes: Any) -> None:
        """Write the manifest; source, output: the files that were read and written."""
        if self.manifest:
            source = source if self.input_hash else None
            release.manifest(self.manifest, input=source, output=output, **notes)

    def write(
        self, release: Release, about: dict[str, Any], source: Any, output: Content | None
    ) -> None:
        """Write the reports, and what is for the public; about: of the report."""
        for report in self.reports:
            source = source if self.input_hash else None
            release.report(report, **about, input=source, output=output)
        told = {name: about[name] for name in ("title", "language")}
        self.write_public(release, output, **told)

    def write_public(self, release: Release | PrivateSynthesis, output: Any, **told: Any) -> None:
        """Write what may go along with a release or a synthetic table; output: its file."""
        for report in self.public_reports:
            release.public_report(report, **told, output=output)
        if self.public_manifest:
            release.public_manifest(self.public_manifest, output=output)


def _manifest_of(released: Path) -> Path:
    """Return the place of a release's manifest; refuse one where another file is."""
    from kanonym.data.errors import DataError
    from kanonym.release.manifest import is_manifest, manifest_path

    manifest = manifest_path(released)
    if manifest.exists() and not is_manifest(manifest):
        raise DataError(
            f"{manifest} exists and is no manifest: name another file for the manifest of the "
            "release (--manifest), or leave it out (--no-manifest)"
        )
    return manifest


def check_private(
    policy: Policy,
    ledger: Path | None,
    papers: Papers,
    drawn: str | None,
    drawn_by: str,
    *,
    dry_run: bool,
) -> bool:
    """Say whether a policy asks for differential privacy, and refuse what does not go with it."""
    from kanonym.models.differential import sampling_model

    if sampling_model(policy.models) is None:
        for given, option in (
            (ledger is not None, "--ledger"),
            (papers.public, "--public-report and --public-manifest"),
        ):
            if given:
                reason = "for differential privacy alone, and the policy does not ask for it"
                raise typer.BadParameter(reason, param_hint=option)
        return False
    if ledger is None and not dry_run:
        raise typer.BadParameter(
            "missing option: each release of a table spends more of its privacy. Give a file that "
            "adds it up, the same for every release of this table",
            param_hint="--ledger",
        )
    if drawn is not None and drawn_by == "class":
        raise typer.BadParameter(
            "draws by the values of the original records, which no epsilon pays for; use "
            "--drawn-by label",
            param_hint="--drawn-by",
        )
    return True


def tell_of_manifest(
    release: Release, manifest: Path | None, named: Path | None, output: Content | None
) -> bool:
    """Tell of a manifest that no option named; return whether the release can be verified again."""
    from kanonym.cli.progress import print_note
    from kanonym.pipeline import uncounted_entities

    if manifest != named:
        print_note(
            f"{manifest} says how the release was made; verify reads it. Keep it, and do not "
            "publish it"
        )
    lacking = uncounted_entities(release.policy, release.columns)
    verifiable = not lacking or (manifest is not None and output is not None)
    if not verifiable:
        print_note(
            f"persons are counted by {', '.join(lacking)}, which the release no longer has, and no "
            "manifest of a file has their number: verify cannot check it"
        )
    return verifiable
