"""Single records before and after: how many others are the same, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanonym.data import frames
from kanonym.data.errors import SchemaError
from kanonym.data.schema import Role
from kanonym.kernels.classes.grouping import group_rows
from kanonym.pipeline import released_columns
from kanonym.pipeline.reasons import reasons_of_records
from kanonym.release import Release
from kanonym.workbench.work.facts import RecordRisk, RecordRisks

MOST_COMPARED = 200_000
"""Of tables of more distinct records it is not said what tells a record apart: it takes long."""


def riskiest_records(
    frame: Any,
    release: Release,
    sought: Mapping[str, str],
    page: tuple[int, int],
    *,
    suppressed: bool,
) -> RecordRisks:
    """Return records, those with the fewest others of the same quasi-identifiers first.

    Parameters
    ----------
    frame, release
        The table, and what was made of it.
    sought
        Texts of values by quasi-identifier: records that have them all.
    page
        The first record, from 0, and how many.
    suppressed
        Whether only records that are not released are meant.

    Raises
    ------
    SchemaError
        A column that is sought is no quasi-identifier.

    """
    names = release.schema.names(Role.QUASI_IDENTIFIER)
    wrong = [name for name in sought if name not in names]
    if wrong:
        raise SchemaError(f"{wrong[0]!r} is no quasi-identifier")
    table, labels = release.decision.table, release.decision.labels
    groups = group_rows(
        [table.codes[:, a] for a in range(table.codes.shape[1])],
        [domain.size for domain in table.domains],
    )
    held = np.bincount(groups.labels, table.weights, len(groups.sizes)).astype(np.int64)
    before = held[groups.labels][table.tuple_of_row]
    sizes = np.asarray(release.decision.class_sizes)
    after = np.where(labels < 0, 0, sizes[np.maximum(labels, 0)] if len(sizes) else 0)
    wanted = labels < 0 if suppressed else np.ones(len(labels), np.bool_)
    for name, text in sought.items():
        values = frames.column(frame, name)
        wanted &= np.array([str(value) == text for value in values], np.bool_)
    meant = np.flatnonzero(wanted)
    order = meant[np.lexsort((meant, after[meant], before[meant]))]
    start, count = page
    place = _released_places(release, len(labels))
    on_page = order[start : start + count]
    reasons = reasons_of_records(release.decision, release.policy.models, on_page.tolist())
    shown = [
        RecordRisk(
            int(row) + 1,
            int(before[row]),
            int(after[row]),
            _cells(frame, release, names, int(row), int(place[row])),
            _telling(table, int(row), int(before[row])),
            why,
        )
        for row, why in zip(on_page, reasons, strict=True)
    ]
    return RecordRisks(
        tuple(names),
        tuple(shown),
        start,
        len(order),
        int((labels < 0).sum()),
        int((before == 1).sum()),
    )


def _released_places(release: Release, n_rows: int) -> NDArray[np.int64]:
    """Return (n_rows,) int64: where each record is in the release; -1 for a suppressed one."""
    place = np.full(n_rows, -1, np.int64)
    if release.rows is not None:
        place[release.rows] = np.arange(len(release.rows))
    return place


def _cells(
    frame: Any, release: Release, names: list[str], row: int, place: int
) -> tuple[tuple[str | None, str | None], ...]:
    """Return original and released values of a record."""
    found: list[tuple[str | None, str | None]] = []
    for name in names:
        was = _text(frames.column(frame, name)[row])
        if place < 0:
            found.append((was, None))
            continue
        columns = released_columns([name], release.columns)
        parts = [_text(frames.column(release.frame, one)[place]) for one in columns]
        found.append(
            (was, " – ".join(part or "" for part in parts) if len(parts) > 1 else parts[0])
        )
    return tuple(found)


def _telling(table: Any, row: int, before: int) -> dict[str, int]:
    """Return by quasi-identifier how many records would be the same without it, the most first."""
    codes = table.codes
    if len(codes) > MOST_COMPARED or codes.shape[1] < 2:
        return {}
    same = codes == codes[int(table.tuple_of_row[row])]
    differing = codes.shape[1] - same.sum(1)
    near = differing <= 1
    found = {}
    for a, domain in enumerate(table.domains):
        number = int(table.weights[near & ((differing == 0) | ~same[:, a])].sum())
        if number > before:
            found[domain.name] = number
    return dict(sorted(found.items(), key=lambda one: -one[1])[:3])


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
