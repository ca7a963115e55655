"""Reports and manifests beside a release: for its holder, and for the public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from kanonym.cli.options import OUTPUT, Language
from kanonym.data.option import Option

if TYPE_CHECKING:
    from kanonym.cli.locations import Place
    from kanonym.cli.making.draw import Drawing
    from kanonym.data.files import Content
    from kanonym.policy import Policy
    from kanonym.release import Release
    from kanonym.synthesis import PrivateSynthesis

PRIVATE = "Differential privacy"
REPORT = "Report"
REPORTS = (".html", ".pdf", ".md", ".json")

Files = list[tuple[str, Path | None]]
"""Files with the options that name them."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The manifest of a release, for its holder."""

    manifest: Annotated[
        Path | None,
        Option(
            "How to reproduce and check the release, as JSON; default: OUTPUT.manifest.json, where "
            "verify looks for it.",
            "FILE",
            group=OUTPUT,
            rare=True,
        ),
    ] = None
    no_manifest: Annotated[bool, Option("No manifest.", group=OUTPUT, rare=True)] = False
    no_input_hash: Annotated[
        bool,
        Option(
            "No hash of the input in manifest and reports: whoever has a candidate for the input "
            "recognizes it by the hash.",
            group=OUTPUT,
            rare=True,
        ),
    ] = False

    @property
    def options(self) -> Files:
        """Every file with the option that names it."""
        return [("--manifest", self.manifest)]

    def with_manifest(self, place: Place, policy: Policy, engine: str | None = None) -> Self:
        """Return these with a manifest beside the release, where that is a file.

        Not under differential privacy, of which a manifest tells what the release does not.
        """
        from kanonym.models.differential import sampling_model

        if self.no_manifest and self.manifest is not None:
            raise typer.BadParameter("not with --manifest", param_hint="--no-manifest")
        file = Path(place.given)
        is_device = file.exists() and not file.is_file()
        if self.no_manifest or self.manifest or place.file in (None, "-") or is_device:
            return self
        if engine == "spark" or sampling_model(policy.models):  # Spark writes a folder
            return self
        return replace(self, manifest=_manifest_of(file))

    def write_manifest(self, release: Release, source: Any, output: Any, **notes: Any) -> None:
        """Write the manifest; source, output: the files that were read and written."""
        if self.manifest:
            source = None if self.no_input_hash else source
            release.manifest(self.manifest, input=source, output=output, **notes)


@dataclass(frozen=True, kw_only=True)
class PublicPapers:
    """What may go along with a release or a synthetic table under differential privacy."""

    public_report: Annotated[
        Sequence[Path],
        Option(
            "Report that may go along with the table, as .html, .pdf, .md or .json; may be "
            "repeated.",
            "FILE",
            group=PRIVATE,
        ),
    ] = ()
    public_manifest: Annotated[
        Path | None,
        Option("Manifest that may go along with the table, as JSON.", "FILE", group=PRIVATE),
    ] = None

    @property
    def options(self) -> Files:
        """Every file with the option that names it."""
        reports = [("--public-report", report) for report in self.public_report]
        return check_reports([*reports, ("--public-manifest", self.public_manifest)])

    @property
    def public(self) -> bool:
        """Whether there is one for the public."""
        return bool(self.public_report or self.public_manifest)

    def write_public(self, release: Release | PrivateSynthesis, output: Any, **told: Any) -> None:
        """Write what may go along with a release or a synthetic table; output: its file."""
        for report in self.public_report:
            release.public_report(report, **told, output=output)
        if self.public_manifest:
            release.public_manifest(self.public_manifest, output=output)


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What a report says of a release beside its figures, and whether it is attacked."""

    title: Annotated[str | None, Option("Title of the report.", "TEXT", group=REPORT)] = None
    purpose: Annotated[str, Option("Purpose of the release.", "TEXT", group=REPORT)] = ""
    author: Annotated[str, Option("Author of the release.", "TEXT", group=REPORT)] = ""
    language: Language = "en"
    attack: Annotated[
        bool | None,
        Option(
            "Attack and assess the release for the report; default: yes, up to 200,000 records.",
            flag="--attack/--no-attack",
            group=REPORT,
        ),
    ] = None

    @property
    def about(self) -> dict[str, Any]:
        """What a report says of the release."""
        return {name: getattr(self, name) for name in ("title", "purpose", "author", "language")}


@dataclass(frozen=True, kw_only=True)
class Papers(ReportOptions, PublicPapers, Manifest):
    """What is written beside a release: for its holder, and for the public."""

    report: Annotated[
        Sequence[Path],
        Option("Report, .html, .pdf, .md or .json; may be repeated.", "FILE", group=OUTPUT),
    ] = ()

    @property
    def options(self) -> Files:
        """Every file with the option that names it."""
        reports = [("--report", report) for report in self.report]
        return check_reports([*reports, ("--manifest", self.manifest), *super().options])

    def write(
        self, release: Release, about: dict[str, Any], source: Any, output: Content | None
    ) -> None:
        """Write the reports, and what is for the public; about: further facts of the report."""
        for report in self.report:
            source = None if self.no_input_hash else source
            release.report(report, **self.about, **about, input=source, output=output)
        self.write_public(release, output, title=self.title, language=self.language)


def check_reports(files: Files) -> Files:
    """Return files beside a release; refuse a report whose form there is not."""
    for option, file in files:
        if file and option.endswith("report") and file.suffix.lower() not in REPORTS:
            reason = f"{file} must end in {', '.join(REPORTS)}"
            raise typer.BadParameter(reason, param_hint=option)
    return files


def _manifest_of(released: Path) -> Path:
    """Return the place of a release's manifest; refuse one where another file is."""
    from kanonym.data.errors import DataError
    from kanonym.release.promise import is_manifest, manifest_path

    manifest = manifest_path(released)
    if manifest.exists() and not is_manifest(manifest):
        raise DataError(
            f"{manifest} exists and is no manifest: name another file for the manifest of the "
            "release (--manifest), or leave it out (--no-manifest)"
        )
    return manifest


def check_private(
    policy: Policy, ledger: Path | None, papers: Papers, drawing: Drawing, *, dry_run: bool
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
    if drawing.drawn is not None and drawing.drawn_by == "class":
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
