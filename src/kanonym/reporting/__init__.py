"""The report on a release, and the chart of a lattice: plain data first, then its forms.

Results come in as they are; nothing here reads their JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kanonym.comparison import Comparison
from kanonym.data import files
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.evaluation.risk.table_risk import Risk
from kanonym.evaluation.utility.table_utility import Utility
from kanonym.language import translator
from kanonym.pipeline import uncounted_entities
from kanonym.profiling import Profile
from kanonym.release.promise import require_promise
from kanonym.reporting.known import KnownResults
from kanonym.reporting.known.choice import Frontier, frontier_of
from kanonym.reporting.known.provenance import Provenance, hash_as_csv
from kanonym.reporting.rendering.markdown import (
    render_json,
    render_markdown,
    render_markdown_document,
)
from kanonym.reporting.summary import Cover, Summary
from kanonym.reporting.summary_builder import summarize

if TYPE_CHECKING:
    from kanonym.linked import LinkedRelease
    from kanonym.release import Release
    from kanonym.synthesis import PrivateSynthesis

__all__ = [
    "ChartFormat",
    "Cover",
    "Format",
    "Frontier",
    "KnownResults",
    "Provenance",
    "Summary",
    "TextFormat",
    "chart_format",
    "encode",
    "format_of",
    "frontier_of",
    "public_report",
    "render",
    "render_comparison",
    "render_frontier",
    "report",
    "report_linked",
    "report_profile",
    "summarize",
]

TextFormat = Literal["html", "markdown", "json"]
Format = TextFormat | Literal["pdf"]
ChartFormat = Literal["html", "svg", "png"]

_EXTENSIONS: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".pdf": "pdf",
}
_CHARTS: dict[str, ChartFormat] = {".html": "html", ".htm": "html", ".svg": "svg", ".png": "png"}


def report(
    release: Release,
    path: str | Path,
    *,
    title: str | None = None,
    purpose: str = "",
    author: str = "",
    language: str = "en",
    rectangles: tuple[str, str] | None = None,
    attacks: Iterable[AttackResult] = (),
    risk: Risk | None = None,
    utility: Utility | None = None,
    comparison: Comparison | None = None,
    profile: Profile | None = None,
    input: str | Path | files.Content | None = None,  # noqa: A002 - as of the manifest
    output: str | Path | files.Content | None = None,
    command: str | Sequence[str] = "",
    policy_file: str | Path | None = None,
) -> None:
    """Write the report on a release; the extension says the form: .html, .pdf, .md or .json.

    Parameters
    ----------
    release
        From `ka.anonymize`.
    path
        Where to. A .pdf needs Chromium, Google Chrome or Microsoft Edge.
    title
        Title of the report.
    purpose, author
        What the release is for, and who made it: printed on the first page.
    language
        `en` or `es`.
    rectangles
        Two quasi-identifiers over which the classes are drawn; None chooses.
    attacks
        What `ka.attack` found, or outcomes of attacks on this release: with `released_only` where
        the report is published, else suppressed persons are among those attacked.
    risk, utility
        What `ka.risk` and `ka.utility` found, or the two parts of `ka.assess`.
    comparison, profile
        What `ka.compare` and `ka.profile` found. Where records are suppressed, a profile of the
        whole table is left out; give one of the records `release.rows`.
    input, output
        The files that were read and written, as of `Release.manifest`; names and SHA-256 go in.
    command
        What makes the release again; without it, `kanonym anonymize` with a policy file. Of
        several commands, the others check the release.
    policy_file
        The file that holds the policy; without it, the report says to save the policy that
        it prints.

    Raises
    ------
    SchemaError
        `rectangles` are no two quasi-identifiers.
    DataError
        There is no such form or language; a result is of another type, or the utility is that of
        suppressed records, too; a file cannot be read
        or written; or no browser prints the .pdf.

    """
    form = format_of(path)
    results = KnownResults(_outcomes(attacks), risk, utility, comparison, profile)
    for name, (kind, maker) in _RESULTS.items():
        given = getattr(results, name)
        if given is not None and not isinstance(given, kind):
            raise DataError(
                f"{name} must be what ka.{maker} returned, a {kind.__name__}, and this is "
                f"{type(given).__name__}"
            )
    if utility is not None and utility.all_records and release.suppressed:
        raise DataError(
            "utility compares suppressed records, too, and is for the custodian: give the report "
            "what ka.utility(original, release) or ka.assess(original, release) found"
        )
    provenance = Provenance.of(
        release.policy.to_dict(),
        source=input,
        output=output,
        release_hash=hash_as_csv(release),
        command=command,
        policy_file=policy_file,
        recorded=bool(uncounted_entities(release.policy, release.columns)),
    )
    cover = Cover.of(title, purpose, author, language)
    summary = summarize(release, cover, results, rectangles=rectangles, provenance=provenance)
    files.write_bytes(path, encode(summary, form))


def public_report(
    release: Release | PrivateSynthesis,
    path: str | Path,
    *,
    title: str | None = None,
    language: str = "en",
    output: str | Path | files.Content | None = None,
) -> None:
    """Write the report that may go along with a release, or a table, under differential privacy.

    It has the promise in plain words and public parameters: nothing that depends on the records.
    """
    from kanonym.reporting.public_document import public_document  # noqa: PLC0415 - templates
    from kanonym.reporting.rendering.html import render_document  # noqa: PLC0415 - as above
    from kanonym.reporting.synthetic_document import synthetic_document  # noqa: PLC0415 - as above
    from kanonym.synthesis import PrivateSynthesis  # noqa: PLC0415 - as above

    form = format_of(path)
    says = translator(language)
    written = None if output is None else files.Content.of(output)
    if isinstance(release, PrivateSynthesis):
        document = synthetic_document(release, says, title, written)
    else:
        promise = require_promise(release.promise)
        document = public_document(promise, release.columns, says, title, written)
    if form == "json":
        release.public_manifest(path, output=output)
        return
    if form == "markdown":
        files.write_text(path, render_markdown_document(document))
        return
    page = render_document(document)
    if form == "pdf":
        from kanonym.reporting.rendering.pdf import print_pdf  # noqa: PLC0415

        files.write_bytes(path, print_pdf(page))
    else:
        files.write_bytes(path, page.encode())


def report_profile(
    frame: Frame, profile: Profile, path: str | Path, *, language: str = "en"
) -> None:
    """Write a page on an original table: histograms, pairs, and what distinguishes people.

    The page shows original data, and says so.
    """
    from kanonym.reporting.profile_document import profile_document  # noqa: PLC0415 - charts
    from kanonym.reporting.rendering.html import render_document  # noqa: PLC0415 - as above

    form = format_of(path)
    if form not in ("html", "pdf"):
        raise DataError(f"{path}: the page on a table is written as .html or .pdf")
    if not isinstance(profile, Profile):
        raise DataError(
            f"profile must be what ka.profile returned, a Profile, and this is "
            f"{type(profile).__name__}"
        )
    page = render_document(profile_document(frame, profile, translator(language)))
    if form == "pdf":
        from kanonym.reporting.rendering.pdf import print_pdf  # noqa: PLC0415

        files.write_bytes(path, print_pdf(page))
    else:
        files.write_bytes(path, page.encode())


def report_linked(
    release: LinkedRelease,
    path: str | Path,
    *,
    facts: Mapping[str, Any] | None = None,
    title: str | None = None,
    purpose: str = "",
    author: str = "",
    language: str = "en",
) -> None:
    """Write the report on a release of linked tables: .html, .pdf, .md or .json."""
    form = format_of(path)
    if form == "json":
        told = {**(facts or {}), **release.to_dict()}
        files.write_text(path, json.dumps(told, indent=2, ensure_ascii=False, default=str) + "\n")
        return
    from kanonym.reporting.linked_document import linked_document  # noqa: PLC0415 - charts
    from kanonym.reporting.rendering.html import render_document  # noqa: PLC0415 - as above
    from kanonym.reporting.rendering.markdown import render_markdown_document  # noqa: PLC0415 - as above

    document = linked_document(
        release,
        translator(language),
        facts=facts or {},
        title=title,
        purpose=purpose,
        author=author,
    )
    if form == "pdf":
        from kanonym.reporting.rendering.pdf import print_pdf  # noqa: PLC0415

        files.write_bytes(path, print_pdf(render_document(document)))
        return
    render_form = render_document if form == "html" else render_markdown_document
    files.write_text(path, render_form(document))


_RESULTS: dict[str, tuple[type, str]] = {
    "risk": (Risk, "risk"),
    "utility": (Utility, "utility"),
    "comparison": (Comparison, "compare"),
    "profile": (Profile, "profile"),
}


def _outcomes(attacks: Iterable[AttackResult]) -> tuple[AttackResult, ...]:
    results = tuple(attacks)
    for result in results:
        if not isinstance(result, AttackResult):
            raise DataError(
                "attacks must be what ka.attack returned, or outcomes of attacks, and one is "
                f"{type(result).__name__}"
            )
    return results


def format_of(path: str | Path) -> Format:
    """Return the format that a file's extension names.

    Examples
    --------
    >>> format_of("report.html"), format_of("REPORT.MD")
    ('html', 'markdown')

    """
    extension = Path(path).suffix.lower()
    if extension not in _EXTENSIONS:
        raise DataError(
            f"{path}: a report is written as .html, .pdf, .md or .json, "
            f"not as {extension or 'no type'!r}"
        )
    return _EXTENSIONS[extension]


def render(summary: Summary, format: TextFormat = "html") -> str:  # noqa: A002
    """Write a report as text.

    Notes
    -----
    Charts are drawn for HTML only: about 40 ms each, after a second for the chart library.

    """
    if format == "html":
        # The chart library takes half a second to load; anonymize alone does without it.
        from kanonym.reporting.rendering.html import render_html  # noqa: PLC0415

        return render_html(summary)
    return render_markdown(summary) if format == "markdown" else render_json(summary)


def encode(summary: Summary, format: Format = "html") -> bytes:  # noqa: A002
    """Write a report as the bytes of a file; text is UTF-8."""
    if format == "pdf":
        from kanonym.reporting.rendering.pdf import browser, print_pdf  # noqa: PLC0415

        browser()  # before charts are drawn, not after
        return print_pdf(render(summary))
    return render(summary, format).encode()


def chart_format(path: str | Path) -> ChartFormat:
    """Return the format of a chart that a file's extension names."""
    extension = Path(path).suffix.lower()
    if extension not in _CHARTS:
        raise DataError(
            f"{path}: a chart is written as .html, .svg or .png, not as {extension or 'no type'!r}"
        )
    return _CHARTS[extension]


def render_comparison(
    comparison: Comparison,
    format: ChartFormat = "html",  # noqa: A002
    language: str = "en",
) -> bytes:
    """Draw compared releases by privacy and loss, as `render_frontier` draws nodes."""
    from kanonym.reporting.charts.comparison import comparison_data, draw  # noqa: PLC0415 - as above

    says = translator(language)
    return draw(comparison_data(comparison, says), format, says)


def render_frontier(
    frontier: Frontier,
    format: ChartFormat = "html",  # noqa: A002
    language: str = "en",
) -> bytes:
    """Draw the nodes of a lattice by privacy and loss."""
    from kanonym.reporting.charts.frontier import draw  # noqa: PLC0415 - as above

    return draw(frontier, format, translator(language))
