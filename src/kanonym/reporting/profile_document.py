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
from kanonym.data.columns.rebuild import Frame
from kanonym.data.errors import DataError, ngettext
from kanonym.data.errors import gettext as _
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
        title=says.text(_("Profile of a table")),
        verdict=Banner(
            "warned",
            says.text(_("This page shows original data")),
            says.text(_("keep it where you keep the table, and do not publish it")),
        ),
        dated=says.text(_("kanonym {version}"), version=versions()["kanonym"]),
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
        contents=says.text(_("Contents")),
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
    return [Section("persons", says.text(_("Who the persons may be")), paragraphs)]


def _lead(profile: Profile, says: Translator) -> Paragraph:
    named = profile.names(Role.QUASI_IDENTIFIER)
    return Paragraph(
        says.text(
            _(
                "{records} in {columns}. {uniques} of the records are unique in the "
                "quasi-identifiers that are suggested below ({names}): anyone who knows these "
                "values of a person finds the record."
            )
            if named
            else _("{records} in {columns}. No column is suggested as a quasi-identifier."),
            records=says.plural(profile.rows, ngettext("record", "records")),
            columns=says.plural(len(profile.columns), ngettext("column", "columns")),
            uniques=says.percent(_unique_share(profile)),
            names=says.names(named),
        )
    )


def _unique_share(profile: Profile) -> float:
    return profile.together.uniques / max(profile.rows, 1)


def _tiles(profile: Profile, says: Translator) -> tuple[Tile, ...]:
    return (
        Tile(says.text(_("records")), says.count(profile.rows)),
        Tile(says.text(_("columns")), says.count(len(profile.columns))),
        Tile(
            says.text(_("of the records are unique in their quasi-identifiers")),
            says.percent(_unique_share(profile)),
        ),
        Tile(
            says.text(_("records in the smallest group of equal quasi-identifiers")),
            says.count(profile.together.smallest),
        ),
    )


def _distinguishing(profile: Profile, says: Translator) -> Section:
    shares = {column.name: column.content.counted.separation for column in profile.columns}
    blocks: list[Block] = [
        Paragraph(
            says.text(
                _(
                    "The share of all pairs of records in which the two differ in a column. A "
                    "column near 100 % nearly identifies records by itself."
                )
            )
        ),
        _shares(
            shares,
            says.text(_("distinguishable pairs of records")),
            _("Bar chart of distinguishable pairs: most by {most}, {much}."),
            says,
        ),
        Heading(says.text(_("Sets of columns without two equal records, or with few"))),
    ]
    sets = [*profile.unique_sets.sets, *profile.near_unique_sets.sets][:MOST_SETS]
    if not sets:
        blocks.append(
            Paragraph(says.text(_("No set of columns distinguishes nearly all records.")))
        )
        return Section("distinguish", says.text(_("What distinguishes people")), tuple(blocks))
    header = tuple(says.text(key) for key in (_("columns"), _("combinations"), _("unique records")))
    rows = tuple(
        (says.names(names), says.count(separation.distinct), says.count(separation.uniques))
        for names, separation in sets
    )
    blocks.append(Table(header, rows, frozenset({1, 2})))
    return Section("distinguish", says.text(_("What distinguishes people")), tuple(blocks))


def _shares(shares: Mapping[str, float], title: str, told: str, says: Translator) -> Figure:
    most = max(shares, key=lambda name: shares[name])

    def draw() -> str:
        from kanonym.reporting.charts.bars import shares_chart  # noqa: PLC0415 - half a second

        return shares_chart(shares, title, says).to_svg()

    return Figure("", says.text(told, most=most, much=says.percent(shares[most])), draw)


def _roles(profile: Profile, says: Translator) -> Section:
    header = tuple(says.text(key) for key in (_("attribute"), _("role"), _("content"), _("why")))
    rows = tuple(
        (
            column.name,
            role_of(str(column.role), says),
            _content(column, says),
            Cell(
                "; ".join(reason.to_text(says) for reason in column.reasons) or "–",
                note="; ".join(map(says.translate, column.remarks)),
            ),
        )
        for column in profile.columns
    )
    return Section(
        "roles", says.text(_("Suggested roles, and why")), (Table(header, rows, style="reasons"),)
    )


def _content(one: ColumnProfile, says: Translator) -> str:
    distinct, nulls = one.content.counted.distinct, one.content.nulls
    held = says.text(
        ngettext("{values} value", "{values} values"), distinct, values=says.count(distinct)
    )
    return ", ".join(
        [held, *([says.text(_("{nulls} missing"), nulls=says.count(nulls))] if nulls else [])]
    )


def _missing_section(shares: Mapping[str, float], says: Translator) -> Section:
    title = says.text(_("Missing values"))
    if not shares:
        return Section("missing", title, (Paragraph(says.text(_("No value is missing."))),))
    chart = _shares(
        shares,
        says.text(_("share of the records without a value")),
        _("Bar chart of missing values: most in {most}, {much}."),
        says,
    )
    return Section("missing", title, (chart,))


def _histogram_section(
    histograms: Mapping[str, _Histogram], profile: Profile, says: Translator
) -> Section:
    blocks: list[Block] = [
        Paragraph(
            says.text(
                _(
                    "How many records have which values; long tails and rare values are joined. "
                    "Columns of identifiers and of running text are left out."
                )
            )
        )
    ]
    if len(histograms) == MOST_HISTOGRAMS < len(profile.columns):
        some = says.text(
            _("The {shown} of {all} columns that distinguish most records are drawn."),
            shown=len(histograms),
            all=says.count(len(profile.columns)),
        )
        blocks.append(Paragraph(some, "note"))
    if histograms:
        figures = [_histogram_figure(name, one, says) for name, one in histograms.items()]
        blocks.append(Gallery(tuple(figures)))
    return Section("histograms", says.text(_("Histograms")), tuple(blocks))


def _histogram_figure(name: str, one: _Histogram, says: Translator) -> Figure:
    def draw() -> str:
        from kanonym.reporting.charts.bars import histogram_chart  # noqa: PLC0415 - as above

        return histogram_chart(one.labels, one.counts, says, ordered=one.ordered).to_svg()

    fullest = int(np.argmax(one.counts))
    alternative = says.text(
        _("Histogram of “{name}”: {bars}; most records, {number}, at “{label}”."),
        name=name,
        bars=says.plural(len(one.labels), ngettext("bar", "bars")),
        number=says.count(one.counts[fullest]),
        label=one.labels[fullest],
    )
    return Figure(name, alternative, draw)


def _pair_sections(histograms: Mapping[str, _Histogram], says: Translator) -> tuple[Section, ...]:
    associations = _strongest_pairs(histograms)
    if associations is None:
        return ()

    def draw() -> str:
        from kanonym.reporting.charts.bars import associations_chart  # noqa: PLC0415

        return associations_chart(associations, says).to_svg()

    a, b, much = max(associations.pairs, key=lambda pair: pair[2])
    alternative = says.text(
        _("Heat map of associations: strongest between {most}, {much}."),
        most=says.names([a, b]),
        much=says.value(round(much, 3)),
    )
    blocks = (
        Paragraph(
            says.text(
                _(
                    "How strongly two columns go together (Cramér's V of the bars above, 0 not at "
                    "all to 1): who knows one of them may infer the other."
                )
            )
        ),
        Figure("", alternative, draw),
    )
    return (Section("pairs", says.text(_("Pairs of columns")), blocks),)


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
