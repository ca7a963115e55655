"""Records, readings and histograms of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.columns.values import text_of
from kanonym.data.errors import DataError, SchemaError
from kanonym.data.readings import Reading, detect_readings, settle_readings
from kanonym.data.schema import Role
from kanonym.data.schema import readings_of as declared_readings
from kanonym.data.table import EncodedTable, encode_column
from kanonym.kernels.classes.grouping import group_rows
from kanonym.language import LANGUAGES
from kanonym.metrics.record_risk import person_risk
from kanonym.pipeline.checks import released_columns
from kanonym.pipeline.planning import persons_of_tuples
from kanonym.pipeline.reasons import Reason, reasons_of_records
from kanonym.policy import Policy
from kanonym.release import Release
from kanonym.reporting.distributions.bars import bars_of
from kanonym.workbench.work.facts import Histogram, ReadCell, RecordRisk, RecordRisks

MOST_BARS = 16


def histogram_of(column: Any) -> dict[str, Histogram]:
    """Return the bars of a column, by language; at most 16, and one of missing values."""
    domain, codes = encode_column(column, by_value=True)
    counts = np.bincount(codes, minlength=domain.size)
    found = {}
    for code, speech in LANGUAGES.items():
        bars = bars_of(domain, counts, 1, MOST_BARS, speech)
        summed = np.bincount(bars.bar_of_code, counts, minlength=len(bars.labels))
        found[code] = Histogram(bars.labels, tuple(int(number) for number in summed))
    return found


SHOWN = 2
"""Texts of a column that are shown with their values."""


def readings_of(frame: Any, policy: Policy) -> dict[str, tuple[ReadCell, ...]]:
    """Return by column some of its cells and what each is read as, exceptions among them."""
    native = frames.to_eager(frame)
    declared = declared_readings(policy.attributes)
    found: dict[str, tuple[ReadCell, ...]] = {}
    for name in frames.column_names(native):
        typed = getattr(policy.attributes.get(name), "type", None)
        try:
            texts = frames.column(native, name)
            if texts.dtype != pl.String or typed == "text":
                continue
            if name in declared and declared[name].style is not None:
                reading = settle_readings(native, {name: declared[name]})[name]
            else:
                words = {name: declared[name].missing} if name in declared else None
                detected = detect_readings(native, [name], missing=words).readings
                if name not in detected:
                    continue
                reading = detected[name]
        except DataError as error:
            found[name] = (ReadCell("fault", "", str(error)),)
            continue
        found[name] = tuple(_cells(texts, reading))
    return found


def _cells(texts: pl.Series, reading: Reading) -> list[ReadCell]:
    """Return some cells of a column and what each is read as."""
    values = reading.read(texts)
    exceptions = texts.str.strip_chars().is_in(list(reading.exceptions or ()))
    written = texts.is_not_null() & (texts.str.strip_chars() != "")
    both = pl.DataFrame({"text": texts, "value": text_of(values)})
    bounds = pl.Series([text for _, text in getattr(reading.style, "bounds", ())], dtype=pl.String)
    is_bound = texts.str.strip_chars().is_in(bounds.implode())
    shown = both.filter(values.is_not_null() & ~is_bound).unique("text", maintain_order=True)
    cells = [ReadCell("value", *row) for row in shown.head(SHOWN).iter_rows()]
    cells += [ReadCell("bound", text) for text in bounds.head(SHOWN)]
    others: tuple[tuple[Literal["missing", "exception"], pl.Series], ...] = (
        ("missing", written & values.is_null() & ~exceptions),
        ("exception", exceptions),
    )
    for kind, among in others:
        column = among.fill_null(value=False)
        if column.any():
            row = int(column.arg_max() or 0)
            cells.append(ReadCell(kind, str(texts[row]), "", row + 1, int(column.sum())))
    return cells


MOST_COMPARED = 2_000_000
"""Of tables of more distinct records it is not said what tells a record apart: it takes long."""


class RankedRecords:
    """The records of a table and its release, those with the fewest others alike first.

    Where the policy counts persons by an entity, these are the persons with records alike.
    """

    def __init__(self, frame: Any, release: Release) -> None:
        self._frame, self._release = frame, release
        table, labels = release.decision.encoded().table, release.decision.encoded().labels
        self._columns = [
            table.codes[:, a].astype(np.min_scalar_type(domain.size))
            for a, domain in enumerate(table.domains)
        ]
        groups = group_rows(
            [table.codes[:, a] for a in range(table.codes.shape[1])],
            [domain.size for domain in table.domains],
        )
        held = np.bincount(groups.labels, table.weights, len(groups.sizes)).astype(np.int64)
        sizes = np.asarray(release.decision.class_sizes)
        self._total, self._uniques = int(held.sum()), int((held == 1).sum())
        self._persons = persons_of_tuples(table, release.policy.entities)
        if self._persons is not None:
            rows = table.tuple_of_row
            risk = person_risk(groups.labels[rows], len(groups.sizes), self._persons[rows])
            held, self._total, self._uniques = risk.by_class, risk.persons, risk.uniques
            sizes = person_risk(labels, len(sizes), self._persons[rows]).by_class
        self._before = held[groups.labels][table.tuple_of_row]
        self._after = np.where(labels < 0, 0, sizes[np.maximum(labels, 0)] if len(sizes) else 0)
        self._order = np.lexsort((self._after, self._before))
        self._labels = labels
        self._place = _released_places(release, len(labels))

    def page(
        self,
        sought: Mapping[str, str],
        start: int,
        count: int,
        *,
        suppressed: bool,
        by_class: bool = False,
    ) -> RecordRisks:
        """Return some records, the riskiest first; by_class: class by class, without reasons."""
        release, table = self._release, self._release.decision.encoded().table
        names = release.schema.names(Role.QUASI_IDENTIFIER)
        wrong = [name for name in sought if name not in names]
        if wrong:
            raise SchemaError(f"{wrong[0]!r} is no quasi-identifier")
        labels = self._labels
        order = np.lexsort((labels, labels < 0)) if by_class else self._order
        if suppressed:
            order = order[labels[order] < 0]
        for name, text in sought.items():
            order = order[_has_text(frames.column(self._frame, name), text)[order]]
        rows = order[start : start + count]
        reasons: Sequence[tuple[Reason, ...]] = [()] * len(rows)
        if not by_class:
            reasons = reasons_of_records(
                release.decision.encoded(), release.policy.models, rows.tolist()
            )
        cells = _record_cells(self._frame, release, names, rows, self._place[rows])
        before, after = self._before, self._after
        shown = [
            RecordRisk(
                int(row) + 1,
                int(before[row]),
                int(after[row]),
                values,
                {}
                if by_class
                else _telling(table, self._columns, self._persons, int(row), int(before[row])),
                why,
                int(labels[row]),
            )
            for row, values, why in zip(rows, cells, reasons, strict=True)
        ]
        return RecordRisks(
            tuple(names),
            tuple(shown),
            start,
            len(order),
            int((labels < 0).sum()),
            self._uniques,
            self._total,
            None if self._persons is None else release.policy.entities[0],
        )


def _has_text(values: pl.Series, text: str) -> NDArray[np.bool_]:
    """Return (n_rows,) bool: which values are written so."""
    distinct = values.unique()
    same = distinct.filter([one is not None and str(one) == text for one in distinct])
    return values.is_in(same.implode()).fill_null(value=False).to_numpy()


def _released_places(release: Release, n_rows: int) -> NDArray[np.int64]:
    """Return (n_rows,) int64: where each record is in the release; -1 for a suppressed one."""
    place = np.full(n_rows, -1, np.int64)
    if release.rows is not None:
        place[release.rows] = np.arange(len(release.rows))
    return place


def _record_cells(
    frame: Any,
    release: Release,
    names: list[str],
    rows: NDArray[np.int64],
    places: NDArray[np.int64],
) -> list[tuple[tuple[str | None, str | None], ...]]:
    """Return by record the original and the released value of each quasi-identifier.

    places: (n,) where the records are in the release; -1 for suppressed ones.
    """
    given = np.flatnonzero(places >= 0)
    columns = []
    for name in names:
        was = list(map(_text, frames.column(frame, name).gather(rows)))
        parts = [
            list(map(_text, frames.column(release.frame, column).gather(places[given])))
            for column in released_columns([name], release.columns)
        ]
        now: list[str | None] = [None] * len(rows)
        for place, each in zip(given, zip(*parts, strict=True), strict=True):
            now[place] = each[0] if len(each) == 1 else " – ".join(one or "" for one in each)
        columns.append(list(zip(was, now, strict=True)))
    return list(zip(*columns, strict=True)) if columns else [() for _ in rows]


def _telling(
    table: EncodedTable,
    columns: Sequence[NDArray[np.unsignedinteger]],
    persons: NDArray[np.int32] | None,
    row: int,
    before: int,
) -> dict[str, int]:
    """Return by quasi-identifier how many would be the same without it, the most first.

    columns: (n_tuples,) codes by quasi-identifier, each of the smallest type that holds them.
    persons: (n_tuples,) whose records they are, where persons are counted; or None.
    """
    if len(table.codes) > MOST_COMPARED or len(columns) < 2:
        return {}
    own = table.codes[int(table.tuple_of_row[row])]
    kind = np.uint8 if len(columns) < 256 else np.uint16
    differing: NDArray[Any] = np.zeros(len(table.codes), kind)
    for column, code in zip(columns, own.astype(np.uint32), strict=True):
        differing += (column != column.dtype.type(code)).view(np.uint8)
    near = np.flatnonzero(differing <= 1)
    equal, weights = differing[near] == 0, table.weights[near]
    whose = None if persons is None else persons[near]
    found = {}
    for domain, column, code in zip(table.domains, columns, own, strict=True):
        same = equal | (column[near] != code)
        number = int(weights[same].sum())
        if whose is not None:
            number = len(np.unique(whose[same & (weights > 0)]))
        if number > before:
            found[domain.name] = number
    return dict(sorted(found.items(), key=lambda one: -one[1])[:3])


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
