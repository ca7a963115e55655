"""Utility: loss, distributions before and after, associations, measures, and maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanonym.data.errors import gettext as _
from kanonym.data.errors import ngettext
from kanonym.reporting.charts.labels import is_cut
from kanonym.reporting.document import (
    Block,
    Collapsible,
    Figure,
    Gallery,
    Heading,
    Paragraph,
    Section,
    Table,
)
from kanonym.reporting.parts.risk import measure_blocks

if TYPE_CHECKING:
    from kanonym.language import Translator
    from kanonym.reporting.distributions.marginals import Marginal
    from kanonym.reporting.distributions.rectangles import ClassMap
    from kanonym.reporting.known.assessment import Associations
    from kanonym.reporting.summary import AttributeLoss, Loss, Summary

MOST_LOSSES = 40
SMALL_MAP = 320


def sections(summary: Summary, says: Translator) -> tuple[Section, ...]:
    """Return the sections on utility and on the maps of classes."""
    blocks: list[Block] = [*_losses(summary.loss.attributes, says), *_marginals(summary.loss, says)]
    figures = summary.assessed
    if figures is not None:
        if figures.associations is not None:
            blocks += _associations(figures.associations, says)
        rounded = says.text(
            _(
                "Measures that compare the release with the original table are rounded (shares to "
                "{step}), so that they cannot distinguish fewer records than a class must have."
            ),
            step=says.percent(summary.loss.step),
        )
        blocks += [
            Heading(says.text(_("Measures of utility"))),
            *measure_blocks(figures.utility, says),
            Paragraph(rounded, "note"),
        ]
    utility = Section("utility", says.text(_("Utility: what is left")), tuple(blocks))
    return (utility, *_maps(summary, says))


def _losses(found: Sequence[AttributeLoss], says: Translator) -> tuple[Block, ...]:
    if not found:
        return ()
    heads = (
        _("attribute"),
        _("recoding"),
        _("span loss"),
        _("listed exactly"),
        _("values per label"),
        _("RMSE"),
        _("values before"),
        _("values released"),
    )
    numbers = Table(
        tuple(map(says.text, heads)),
        tuple(
            (
                loss.name,
                loss.recoding,
                says.tenths(loss.lost),
                says.tenths(loss.listed),
                says.value(loss.named),
                "" if loss.rmse is None else says.value(loss.rmse),
                says.count(loss.values),
                says.count(loss.released_values),
            )
            for loss in found
        ),
        frozenset({2, 3, 4, 5, 6, 7}),
    )
    caption = says.text(_("Span loss. 0 % means released unchanged."))
    if len(found) > MOST_LOSSES:
        most = says.text(
            _("The {shown} attributes with the highest loss, of {all}."),
            shown=MOST_LOSSES,
            all=len(found),
        )
        caption = f"{caption} {most}"

    def draw() -> str:
        from kanonym.reporting.charts.bars import losses_chart  # noqa: PLC0415 - half a second

        return losses_chart(found, says).to_svg()

    highest, lowest = max(found, key=lambda one: one.lost), min(found, key=lambda one: one.lost)
    alternative = says.text(
        _(
            "Bar chart of the loss per attribute: highest for {most}, {much}; lowest for {least}, "
            "{little}."
        ),
        most=highest.name,
        much=says.percent(highest.lost),
        least=lowest.name,
        little=says.percent(lowest.lost),
    )
    return (
        Heading(says.text(_("Loss per attribute"))),
        Paragraph(
            says.text(
                _(
                    "Span loss is the share of an attribute’s whole range that a released value "
                    "covers, averaged over the records of the original table; a suppressed record "
                    "counts as 100 %. A list of ordered values covers the range from its first to "
                    "its last value; a label of a hierarchy covers its share of the values. "
                    "“Listed exactly”: released records whose value is released unchanged or in a "
                    "list."
                )
            )
        ),
        Figure("", alternative, draw, caption, numbers),
        Paragraph(
            says.text(
                _(
                    "RMSE (root mean squared error): the distance of the middle of a released "
                    "value from the original value, in the attribute’s own unit; for numbers only."
                )
            ),
            "note",
        ),
    )


def _marginals(loss: Loss, says: Translator) -> tuple[Block, ...]:
    if not loss.marginals:
        return ()
    blocks: list[Block] = [
        Heading(says.text(_("Distributions before and after"))),
        Paragraph(
            says.text(
                _(
                    "Both bars count the released records: before, by their original values; "
                    "after, by their released values, with each class spread evenly over its "
                    "released value. Suppressed records are not counted. Values that fewer than "
                    "{floor} records have, or that the release does not distinguish, share a bar; "
                    "counts are rounded to multiples of {floor}."
                ),
                floor=says.count(loss.floor),
            )
        ),
    ]
    if len(loss.attributes) > len(loss.marginals):
        most = says.text(
            _("The {shown} attributes with the highest loss, of {all}."),
            shown=len(loss.marginals),
            all=len(loss.attributes),
        )
        blocks.append(Paragraph(most, "note"))
    key = (("before", says.text(_("before"))), ("after", says.text(_("after"))))
    blocks.append(Gallery(tuple(_marginal(marginal, says) for marginal in loss.marginals), key))
    return tuple(blocks)


def _marginal(one: Marginal, says: Translator) -> Figure:
    bars = list(zip(one.labels, one.before, one.after, strict=True))
    label, before, after = max(bars, key=lambda bar: abs(bar[1] - bar[2]))

    def draw() -> str:
        from kanonym.reporting.charts.bars import marginal_chart  # noqa: PLC0415 - half a second

        return marginal_chart(one, says).to_svg()

    alternative = says.text(
        _(
            "Bar chart of “{name}” before and after: {bars}; the largest difference is at "
            "“{label}”, {before} before and {after} after."
        )
        if before != after
        else _("Bar chart of “{name}”: {bars}, the same before and after."),
        name=one.name,
        bars=says.plural(len(bars), ngettext("bar", "bars")),
        label=label,
        before=says.count(before),
        after=says.count(after),
    )
    numbers = Table(
        tuple(says.text(key) for key in (_("value"), _("before"), _("after"))),
        tuple((label, says.count(a), says.count(b)) for label, a, b in bars),
        frozenset({1, 2}),
    )
    return Figure(one.name, alternative, draw, _clipped_note(one, says), numbers)


def _clipped_note(one: Marginal, says: Translator) -> str:
    """Say how many records have the values that the chart leaves out; empty where it has all."""
    rest = one.clipped_bar
    if rest is None:
        return ""
    before, after = (
        says.tenths(counts[rest] / (sum(counts) or 1)) for counts in (one.before, one.after)
    )
    return says.text(
        _("Not shown: {label}, {before} of the records before and {after} after."),
        label=one.labels[rest],
        before=before,
        after=after,
    )


def _associations(found: Associations, says: Translator) -> tuple[Block, ...]:
    a, b, change = max(found.pairs, key=lambda pair: pair[2])

    def draw() -> str:
        from kanonym.reporting.charts.bars import associations_chart  # noqa: PLC0415

        return associations_chart(found, says).to_svg()

    between = says.names([a, b])
    alternative = says.text(
        _(
            "Heat map of the change of associations between {columns}: largest between {most}, "
            "{much}."
        ),
        columns=says.plural(len(found.columns), ngettext("column", "columns")),
        most=between,
        much=says.value(change),
    )
    numbers = Table(
        (says.text(_("columns")), says.text(_("change"))),
        tuple((says.names([x, y]), says.value(moved)) for x, y, moved in found.pairs),
        frozenset({1}),
    )
    caption = ""
    if found.all_columns > len(found.columns):
        caption = says.text(
            _("The {shown} columns whose associations changed most, of {all}."),
            shown=len(found.columns),
            all=found.all_columns,
        )
    return (
        Heading(says.text(_("Associations between columns"))),
        Paragraph(
            says.text(
                _(
                    "Change in the association of two columns, from 0 (none) to 1: the difference "
                    "of correlations for two numbers, of Cramér’s V for two categories, of "
                    "correlation ratios for one of each."
                )
            )
        ),
        Figure("", alternative, draw, caption, numbers),
    )


def _maps(summary: Summary, says: Translator) -> tuple[Section, ...]:
    loss = summary.loss
    if not loss.maps or not summary.size.rows_out:
        return ()
    blocks: list[Block] = [
        Paragraph(
            says.text(
                _(
                    "Each rectangle shows what the release says about the two attributes for one "
                    "or more classes: their records are somewhere inside it. Classes that differ "
                    "only in other attributes overlap. Small rectangles mean precise values; "
                    "darker ones have more records per class. The axes end where the released "
                    "labels end; the rectangle of an open-ended label, such as “60 or more”, "
                    "reaches the edge."
                )
            )
        ),
        Gallery(tuple(_map(one, says) for one in loss.maps)),
    ]
    if loss.further_maps:
        n = len(loss.further_maps)
        title = says.text(_("{pairs} more"), pairs=says.plural(n, ngettext("pair", "pairs")))
        small = tuple(_map(one, says, SMALL_MAP) for one in loss.further_maps)
        blocks.append(Collapsible(title, (Gallery(small),)))
    return (Section("maps", says.text(_("Classes over two quasi-identifiers")), tuple(blocks)),)


def _map(one: ClassMap, says: Translator, height: int = 420) -> Figure:
    n = one.n_rectangles
    rectangles = says.plural(n, ngettext("rectangle", "rectangles"))
    told = [says.text(_("{rectangles}; identical ones are counted once."), rectangles=rectangles)]
    if len(one.rectangles) < n:
        shown = says.count(len(one.rectangles))
        told.append(
            says.text(
                _("Shown: the {shown} with the most records, {share} of the released ones."),
                shown=shown,
                share=says.percent(one.share),
            )
        )
    if one.undrawn_missing:
        records = says.plural(one.undrawn_missing, ngettext("record", "records"))
        told.append(
            says.text(
                _("Not shown: {records} whose released value includes a missing one."),
                records=records,
            )
        )

    def draw() -> str:
        from kanonym.reporting.charts.class_map import class_map_chart  # noqa: PLC0415 - half a second

        return class_map_chart(one, height, says).to_svg()

    return Figure(
        says.text(_("{x} and {y}"), x=one.x.name, y=one.y.name),
        says.text(
            _(
                "Map of the classes over “{x}” and “{y}”: {rectangles}, darker where a class has "
                "more records."
            ),
            x=one.x.name,
            y=one.y.name,
            rectangles=rectangles,
        ),
        draw,
        " ".join(told),
        long_labels(one, says),
    )


def long_labels(one: ClassMap, says: Translator) -> Table | None:
    """Return the labels of which the axes of a map show only the beginning."""
    rows = tuple(
        (axis.name, label)
        for axis, slanted in ((one.x, True), (one.y, False))
        for label in axis.labels
        if is_cut(label, slanted=slanted)
    )
    header = (says.text(_("attribute")), says.text(_("value")))
    return Table(header, rows) if rows else None
