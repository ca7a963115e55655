"""Reports and manifests beside a release: for its holder, and for the public."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

if TYPE_CHECKING:
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

    @property
    def options(self) -> list[tuple[str, Path | None]]:
        """Every file with the option that names it."""
        return [
            *(("--report", one) for one in self.reports),
            *(("--public-report", one) for one in self.public_reports),
            ("--manifest", self.manifest),
            ("--public-manifest", self.public_manifest),
        ]

    @property
    def public(self) -> bool:
        """Whether there is one for the public."""
        return bool(self.public_reports or self.public_manifest)

    def check(self) -> None:
        """Refuse a report whose form there is not."""
        for option, one in self.options:
            if one and option.endswith("report") and one.suffix.lower() not in REPORTS:
                reason = f"{one} must end in {', '.join(REPORTS)}"
                raise typer.BadParameter(reason, param_hint=option)

    def write(
        self, release: Release, about: dict[str, Any], places: dict[str, Any], **notes: Any
    ) -> None:
        """Write them; about, places: of the report, of all; notes: of the manifest."""
        for one in self.reports:
            release.report(one, **about, **places)
        if self.manifest:
            release.manifest(self.manifest, **places, **notes)
        told = {name: about[name] for name in ("title", "language")}
        self.write_public(release, places["output"], **told)

    def write_public(self, release: Release | PrivateSynthesis, output: Any, **told: Any) -> None:
        """Write what may go along with a release or a synthetic table; output: its file."""
        for one in self.public_reports:
            release.public_report(one, **told, output=output)
        if self.public_manifest:
            release.public_manifest(self.public_manifest, output=output)


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
