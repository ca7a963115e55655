"""Risk in figures: what an assessment measured, thresholds of authorities, special uniques."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.reporting.document import (
    Block,
    Cell,
    Collapsible,
    Figure,
    Heading,
    Paragraph,
    Section,
    Table,
    Text,
)
from kanonym.reporting.known.assessment import is_share

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.metrics.measured_value import MeasuredValue
    from kanonym.reporting.known.assessment import AssessmentFigures
    from kanonym.reporting.summary import Summary


VARIANTS = {
    "k_wildcard": "k",
    "k_unsuppressed": "k",
    "t_ordered": "t_equal",
    "t_hierarchical": "t_equal",
    "marketer": "prosecutor_average",
    "gcp": "span_loss",
    "loss_arithmetic": "span_loss",
}
"""Measures that often say the same as another one."""


BETTER = {"lower": _("lower is better"), "higher": _("higher is better")}


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the section on risk."""
    title, figures = says.text(_("Risk in figures")), summary.assessed
    if figures is None:
        return ()
    return (
        Section(
            "risk",
            title,
            (*measure_blocks(figures.risk, says), *_presets(figures, says), *_suda(figures, says)),
        ),
    )


def measure_blocks(figures: Mapping[str, MeasuredValue], says: Translator) -> tuple[Block, ...]:
    """Return a table of measures, and which of them were not measured."""
    header = tuple(says.text(key) for key in (_("measure"), _("value"), _("unit"), _("better")))
    rows = tuple(
        (
            _explain_figure(value, [figures[other] for other in repeated], says),
            says.tenths(value.value) if is_share(value) else says.value(value.value),
            _unit(value, says),
            says.text(BETTER[value.meaning.better]),
        )
        for name, repeated in _group_repeats(figures).items()
        if (value := figures[name]).value is not None
    )
    missing = [value for value in figures.values() if value.value is None]
    blocks: tuple[Block, ...] = (Table(header, rows, frozenset({1}), "measures"),)
    if missing:
        reasons = Table(
            (says.text(_("measure")), says.text(_("why"))),
            tuple((_name(value, says), says.translate(value.reason or "–")) for value in missing),
        )
        names = "; ".join(_name(value, says) for value in missing)
        blocks += (
            Collapsible(says.text(_("Not measured: {reasons}."), reasons=names), (reasons,)),
        )
    return blocks


def _group_repeats(figures: Mapping[str, MeasuredValue]) -> dict[str, list[str]]:
    """Return each figure with those that repeat it: variants of one measure with one value."""
    kept: dict[str, list[str]] = {}
    for name, one in figures.items():
        first = _first_of(name)
        value = figures[first].value if first in kept else None
        if value is not None and one.value is not None and isclose(one.value, value, rel_tol=1e-9):
            kept[first].append(name)
        else:
            kept[name] = []
    return kept


def _first_of(name: str) -> str:
    """Return the measure that another is a variant of."""
    who, _, what = name.partition("_")
    return f"prosecutor_{what}" if who == "journalist" else VARIANTS.get(name, "")


def _explain_figure(
    one: MeasuredValue, repeated: Sequence[MeasuredValue], says: Translator
) -> Cell:
    """Name a measure, with its threshold where it has one, and the measures that repeat it."""
    threshold = one.parts.get("threshold")
    notes = (
        []
        if threshold is None
        else [says.text(_("threshold: {share}"), share=says.percent(threshold))]
    )
    if repeated:
        names = "; ".join(_name(other, says) for other in repeated)
        notes.append(says.text(_("also: {names}"), names=names))
    return Cell(_name(one, says), note=". ".join(notes))


def _name(one: MeasuredValue, says: Translator) -> str:
    """Name a measure."""
    return says.translate(one.meaning.title or one.meaning.label)


def _unit(one: MeasuredValue, says: Translator) -> Text:
    """Return in what a figure is counted; a measure without a short unit says it in English."""
    counted = one.meaning.counted
    return says.text(counted) if counted else _foreign(one.meaning.unit, says)


def _foreign(text: str, says: Translator) -> Cell:
    """Return an English sentence of an assessment in a report of any language."""
    return Cell(text, language="" if says.code == "en" else "en")


def _presets(found: AssessmentFigures, says: Translator) -> tuple[Block, ...]:
    if not found.presets:
        return ()
    header = tuple(says.text(key) for key in (_("threshold"), _("met"), _("why")))
    words = {True: _("met"), False: _("not met"), None: _("unknown")}
    rows = tuple(
        (
            says.translate(preset.title),
            Cell(
                says.text(words[preset.met]),
                {True: "met", False: "unmet", None: ""}[preset.met],  # type: ignore[arg-type]
            ),
            says.translate(preset.reason),
        )
        for preset in found.presets
    )
    table = Table(header, rows, style="presets")
    note = _("“Sign a release” in the documentation (docs/sign.md) says what each is for.")
    return Heading(says.text(_("Regulatory thresholds"))), table, Paragraph(says.text(note), "note")


def _suda(found: AssessmentFigures, says: Translator) -> tuple[Block, ...]:
    if not found.suda:
        return ()
    heading = Heading(says.text(_("Special uniques")))
    total = sum(share for _, share in found.suda)
    if not total > 0:
        return heading, Paragraph(
            says.text(
                _("No record of the release is a special unique, so there are no contributions.")
            )
        )
    shares = {name: share / total for name, share in found.suda}
    most = max(shares, key=shares.__getitem__)

    def draw() -> str:
        from kanonym.reporting.charts.bars import shares_chart  # noqa: PLC0415 - half a second

        return shares_chart(
            shares, says.text(_("share of all contributions to the scores")), says
        ).to_svg()

    numbers = Table(
        (says.text(_("attribute")), says.text(_("value"))),
        tuple((name, says.tenths(share)) for name, share in shares.items()),
        frozenset({1}),
    )
    alternative = says.text(
        _("Bar chart of contributions to special uniques: highest for {most}, {much}."),
        most=most,
        much=says.percent(shares[most]),
    )
    return (
        heading,
        Paragraph(
            says.text(
                _(
                    "A special unique is alone with its values of very few attributes. The "
                    "contribution of each quasi-identifier to the scores of those that remain in "
                    "the release:"
                )
            )
        ),
        Figure("", alternative, draw, numbers=numbers),
    )
