"""Utility: loss, distributions before and after, associations, measures, and maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
        rounded = says.text("measures.rounded", step=says.percent(summary.loss.step))
        blocks += [
            Heading(says.text("part.measures")),
            *measure_blocks(figures.utility, says),
            Paragraph(rounded, "note"),
        ]
    utility = Section("utility", says.text("section.utility"), tuple(blocks))
    return (utility, *_maps(summary, says))


def _losses(found: Sequence[AttributeLoss], says: Translator) -> tuple[Block, ...]:
    if not found:
        return ()
    heads = (
        "attribute",
        "recoding",
        "lost",
        "listed",
        "named",
        "rmse",
        "values",
        "released-values",
    )
    numbers = Table(
        tuple(says.text(f"head.{key}") for key in heads),
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
    caption = says.text("losses.caption")
    if len(found) > MOST_LOSSES:
        most = says.text("losses.most", shown=MOST_LOSSES, all=len(found))
        caption = f"{caption} {most}"

    def draw() -> str:
        from kanonym.reporting.charts.bars import losses_chart  # noqa: PLC0415 - half a second

        return losses_chart(found, says).to_svg()

    highest, lowest = max(found, key=lambda one: one.lost), min(found, key=lambda one: one.lost)
    alternative = says.text(
        "alt.losses",
        most=highest.name,
        much=says.percent(highest.lost),
        least=lowest.name,
        little=says.percent(lowest.lost),
    )
    return (
        Heading(says.text("part.losses")),
        Paragraph(says.text("losses.text")),
        Figure("", alternative, draw, caption, numbers),
        Paragraph(says.text("losses.rmse"), "note"),
    )


def _marginals(loss: Loss, says: Translator) -> tuple[Block, ...]:
    if not loss.marginals:
        return ()
    blocks: list[Block] = [
        Heading(says.text("part.marginals")),
        Paragraph(says.text("marginals.note", floor=says.count(loss.floor))),
    ]
    if len(loss.attributes) > len(loss.marginals):
        most = says.text("losses.most", shown=len(loss.marginals), all=len(loss.attributes))
        blocks.append(Paragraph(most, "note"))
    key = (("before", says.text("head.before")), ("after", says.text("head.after")))
    blocks.append(Gallery(tuple(_marginal(marginal, says) for marginal in loss.marginals), key))
    return tuple(blocks)


def _marginal(one: Marginal, says: Translator) -> Figure:
    bars = list(zip(one.labels, one.before, one.after, strict=True))
    label, before, after = max(bars, key=lambda bar: abs(bar[1] - bar[2]))

    def draw() -> str:
        from kanonym.reporting.charts.bars import marginal_chart  # noqa: PLC0415 - half a second

        return marginal_chart(one, says).to_svg()

    alternative = says.text(
        "alt.marginal" if before != after else "alt.marginal.same",
        name=one.name,
        bars=says.plural(len(bars), "bar"),
        label=label,
        before=says.count(before),
        after=says.count(after),
    )
    numbers = Table(
        tuple(says.text(f"head.{key}") for key in ("bar", "before", "after")),
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
    return says.text("marginals.undrawn", label=one.labels[rest], before=before, after=after)


def _associations(found: Associations, says: Translator) -> tuple[Block, ...]:
    a, b, change = max(found.pairs, key=lambda pair: pair[2])

    def draw() -> str:
        from kanonym.reporting.charts.associations import associations_chart  # noqa: PLC0415

        return associations_chart(found, says).to_svg()

    between = says.names([a, b])
    alternative = says.text(
        "alt.associations",
        columns=says.plural(len(found.columns), "column"),
        most=between,
        much=says.value(change),
    )
    numbers = Table(
        (says.text("head.columns"), says.text("head.difference")),
        tuple((says.names([x, y]), says.value(moved)) for x, y, moved in found.pairs),
        frozenset({1}),
    )
    caption = ""
    if found.all_columns > len(found.columns):
        caption = says.text("associations.most", shown=len(found.columns), all=found.all_columns)
    return (
        Heading(says.text("part.associations")),
        Paragraph(says.text("associations.note")),
        Figure("", alternative, draw, caption, numbers),
    )


def _maps(summary: Summary, says: Translator) -> tuple[Section, ...]:
    loss = summary.loss
    if not loss.maps or not summary.size.rows_out:
        return ()
    blocks: list[Block] = [
        Paragraph(says.text("maps.note")),
        Gallery(tuple(_map(one, says) for one in loss.maps)),
    ]
    if loss.further_maps:
        n = len(loss.further_maps)
        title = says.text("maps.further", pairs=says.plural(n, "pair"))
        small = tuple(_map(one, says, SMALL_MAP) for one in loss.further_maps)
        blocks.append(Collapsible(title, (Gallery(small),)))
    return (Section("maps", says.text("section.maps"), tuple(blocks)),)


def _map(one: ClassMap, says: Translator, height: int = 420) -> Figure:
    n = one.n_rectangles
    rectangles = says.plural(n, "rectangle")
    told = [says.text("maps.count", rectangles=rectangles)]
    if len(one.rectangles) < n:
        shown = says.count(len(one.rectangles))
        told.append(says.text("maps.drawn", shown=shown, share=says.percent(one.share)))
    if one.undrawn_missing:
        records = says.plural(one.undrawn_missing, "record")
        told.append(says.text("maps.missing", records=records))

    def draw() -> str:
        from kanonym.reporting.charts.class_map import class_map_chart  # noqa: PLC0415 - half a second

        return class_map_chart(one, height, says).to_svg()

    return Figure(
        says.text("maps.title", x=one.x.name, y=one.y.name),
        says.text("alt.map", x=one.x.name, y=one.y.name, rectangles=rectangles),
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
    header = (says.text("head.attribute"), says.text("head.bar"))
    return Table(header, rows) if rows else None
