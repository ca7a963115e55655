"""The page on an original table: what its profile found, histograms and pairs of columns.

It shows the table's values, for the person who holds it, and says so on top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.columns.frame_types import Frame
from kanonym.data.errors import DataError
from kanonym.data.schema import Role
from kanonym.data.table import encode_column
from kanonym.language import Translator
from kanonym.profiling.profile import ColumnProfile, Profile
from kanonym.release import versions
from kanonym.reporting.distributions.bars import bars_of
from kanonym.reporting.document import (
    Banner,
    Block,
    Cell,
    Document,
    Figure,
    Gallery,
    Heading,
    Paragraph,
    Section,
    Table,
    Tile,
)
from kanonym.reporting.known.assessment import Associations
from kanonym.reporting.parts.attributes import role_of

MOST_HISTOGRAMS = 40
MOST_BARS = 16
MOST_PAIRED = 14
MOST_SETS = 10


@dataclass(frozen=True, slots=True)
class _Histogram:
    """The bars of one column: labels, records of each, and the bar of each record."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    bar_of_record: NDArray[np.int64]
    ordered: bool


def profile_document(frame: Frame, profile: Profile, says: Translator) -> Document:
    """Put the page on an original table together."""
    table = frames.to_polars(frames.to_eager(frame))
    names = [column.name for column in profile.columns]
    if table.columns != names or table.height != profile.rows:
        raise DataError("the profile is of another table: profile this one")
    histograms = {
        column.name: _histogram(table[column.name], says) for column in _drawn_columns(profile)
    }
    missing = {
        column.name: column.content.nulls / profile.rows
        for column in profile.columns
        if column.content.nulls
    }
    return Document(
        language=says.code,
        title=says.text("profile.title"),
        verdict=Banner("warned", says.text("profile.original"), says.text("profile.keep")),
        dated=says.text("profile.made", version=versions()["kanonym"]),
        signed=(),
        tiles=_tiles(profile, says),
        lead=(_lead(profile, says),),
        first=(),
        foot=(),
        details=(
            _distinguishing(profile, says),
            *_persons(profile, says),
            _roles(profile, says),
            _histogram_section(histograms, profile, says),
            *_pair_sections(histograms, says),
            _missing_section(missing, says),
        ),
        contents=says.text("contents"),
    )


def _drawn_columns(profile: Profile) -> list[ColumnProfile]:
    """Return the columns to draw: no identifiers, and those that distinguish most."""
    drawable = [
        column
        for column in profile.columns
        if column.role is not Role.IDENTIFIER and not column.content.trouble
    ]
    ranked = sorted(drawable, key=lambda one: -one.content.counted.separation)[:MOST_HISTOGRAMS]
    return [one for one in drawable if one in ranked]


def _histogram(column: pl.Series, says: Translator) -> _Histogram:
    domain, codes = encode_column(column, by_value=True)
    counts = np.bincount(codes, minlength=domain.size)
    bars = bars_of(domain, counts, 1, MOST_BARS, says)
    records = np.bincount(bars.bar_of_code, counts, minlength=len(bars.labels))
    return _Histogram(
        bars.labels,
        tuple(int(record) for record in records),
        bars.bar_of_code[codes],
        domain.kind in ("number", "temporal"),
    )


def _persons(profile: Profile, says: Translator) -> list[Section]:
    """Return what the structure of the table says about its persons."""
    if not profile.persons:
        return []
    paragraphs = tuple(Paragraph(says.translate(person)) for person in profile.persons)
    return [Section("persons", says.text("section.persons"), paragraphs)]


def _lead(profile: Profile, says: Translator) -> Paragraph:
    named = profile.names(Role.QUASI_IDENTIFIER)
    return Paragraph(
        says.text(
            "profile.lead" if named else "profile.lead.none",
            records=says.plural(profile.rows, "record"),
            columns=says.plural(len(profile.columns), "column"),
            uniques=says.percent(_unique_share(profile)),
            names=says.names(named),
        )
    )


def _unique_share(profile: Profile) -> float:
    return profile.together.uniques / max(profile.rows, 1)


def _tiles(profile: Profile, says: Translator) -> tuple[Tile, ...]:
    return (
        Tile(says.text("tile.records"), says.count(profile.rows)),
        Tile(says.text("tile.columns"), says.count(len(profile.columns))),
        Tile(says.text("tile.unique"), says.percent(_unique_share(profile))),
        Tile(says.text("tile.smallest"), says.count(profile.together.smallest)),
    )


def _distinguishing(profile: Profile, says: Translator) -> Section:
    shares = {column.name: column.content.counted.separation for column in profile.columns}
    blocks: list[Block] = [
        Paragraph(says.text("distinguish.text")),
        _shares(shares, says.text("axis.separation"), "alt.distinguish", says),
        Heading(says.text("distinguish.sets")),
    ]
    sets = [*profile.unique_sets.sets, *profile.near_unique_sets.sets][:MOST_SETS]
    if not sets:
        blocks.append(Paragraph(says.text("distinguish.none")))
        return Section("distinguish", says.text("section.distinguish"), tuple(blocks))
    header = tuple(says.text(f"head.{key}") for key in ("columns", "combinations", "uniques"))
    rows = tuple(
        (says.names(names), says.count(separation.distinct), says.count(separation.uniques))
        for names, separation in sets
    )
    blocks.append(Table(header, rows, frozenset({1, 2})))
    return Section("distinguish", says.text("section.distinguish"), tuple(blocks))


def _shares(shares: Mapping[str, float], title: str, told: str, says: Translator) -> Figure:
    most = max(shares, key=lambda name: shares[name])

    def draw() -> str:
        from kanonym.reporting.charts.bars import shares_chart  # noqa: PLC0415 - half a second

        return shares_chart(shares, title, says).to_svg()

    return Figure("", says.text(told, most=most, much=says.percent(shares[most])), draw)


def _roles(profile: Profile, says: Translator) -> Section:
    header = tuple(says.text(f"head.{key}") for key in ("attribute", "role", "content", "why"))
    rows = tuple(
        (
            column.name,
            role_of(str(column.role), says),
            _content(column, says),
            Cell(
                "; ".join(reason.to_text(says) for reason in column.reasons) or "–",
                note="; ".join(column.remarks),
                note_language="" if says.code == "en" else "en",
            ),
        )
        for column in profile.columns
    )
    return Section("roles", says.text("section.suggested"), (Table(header, rows, style="reasons"),))


def _content(one: ColumnProfile, says: Translator) -> str:
    distinct, nulls = one.content.counted.distinct, one.content.nulls
    held = says.text("content.values", distinct, values=says.count(distinct))
    return ", ".join(
        [held, *([says.text("content.nulls", nulls=says.count(nulls))] if nulls else [])]
    )


def _missing_section(shares: Mapping[str, float], says: Translator) -> Section:
    title = says.text("section.missing")
    if not shares:
        return Section("missing", title, (Paragraph(says.text("missing.none")),))
    chart = _shares(shares, says.text("missing.axis"), "alt.missing", says)
    return Section("missing", title, (chart,))


def _histogram_section(
    histograms: Mapping[str, _Histogram], profile: Profile, says: Translator
) -> Section:
    blocks: list[Block] = [Paragraph(says.text("histograms.text"))]
    if len(histograms) == MOST_HISTOGRAMS < len(profile.columns):
        some = says.text(
            "histograms.some", shown=len(histograms), all=says.count(len(profile.columns))
        )
        blocks.append(Paragraph(some, "note"))
    if histograms:
        figures = [_histogram_figure(name, one, says) for name, one in histograms.items()]
        blocks.append(Gallery(tuple(figures)))
    return Section("histograms", says.text("section.histograms"), tuple(blocks))


def _histogram_figure(name: str, one: _Histogram, says: Translator) -> Figure:
    def draw() -> str:
        from kanonym.reporting.charts.bars import histogram_chart  # noqa: PLC0415 - as above

        return histogram_chart(one.labels, one.counts, says, ordered=one.ordered).to_svg()

    fullest = int(np.argmax(one.counts))
    alternative = says.text(
        "alt.histogram",
        name=name,
        bars=says.plural(len(one.labels), "bar"),
        number=says.count(one.counts[fullest]),
        label=one.labels[fullest],
    )
    return Figure(name, alternative, draw)


def _pair_sections(histograms: Mapping[str, _Histogram], says: Translator) -> tuple[Section, ...]:
    associations = _strongest_pairs(histograms)
    if associations is None:
        return ()

    def draw() -> str:
        from kanonym.reporting.charts.associations import associations_chart  # noqa: PLC0415

        return associations_chart(associations, says).to_svg()

    a, b, much = max(associations.pairs, key=lambda pair: pair[2])
    alternative = says.text("alt.pairs", most=says.names([a, b]), much=says.value(round(much, 3)))
    blocks = (Paragraph(says.text("pairs.text")), Figure("", alternative, draw))
    return (Section("pairs", says.text("section.pairs"), blocks),)


def _strongest_pairs(histograms: Mapping[str, _Histogram]) -> Associations | None:
    """Return the associations of at most 14 columns, those that go together most strongly."""
    held = {name: histogram for name, histogram in histograms.items() if len(histogram.labels) > 1}
    strength = {
        (a, b): cramers_v(held[a].bar_of_record, held[b].bar_of_record)
        for a, b in combinations(held, 2)
    }
    if not strength:
        return None
    strongest = {name: max(v for pair, v in strength.items() if name in pair) for name in held}
    chosen = sorted(held, key=lambda name: -strongest[name])[:MOST_PAIRED]
    columns = tuple(name for name in held if name in chosen)
    pairs = tuple((a, b, v) for (a, b), v in strength.items() if a in columns and b in columns)
    return Associations(columns, pairs, len(histograms))


def cramers_v(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    """Return how strongly two columns of codes go together, in [0, 1]; 0 where one is constant.

    Cramér (1946), Mathematical Methods of Statistics, 21.9, without correction for bias. a and b:
    (n,) codes from 0 on.

    >>> cramers_v(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    shape = int(a.max(initial=0)) + 1, int(b.max(initial=0)) + 1
    table = np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape)
    rows, columns, n = table.sum(1), table.sum(0), len(a)
    table = table[rows > 0][:, columns > 0]
    least = min(table.shape) - 1
    if least < 1:
        return 0.0
    expected = np.outer(table.sum(1), table.sum(0)) / n
    chi_squared = float(((table - expected) ** 2 / expected).sum())
    return float(min(np.sqrt(chi_squared / (n * least)), 1.0))
