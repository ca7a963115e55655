"""A decision about the released records alone: what may be published follows from them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kanonym.data.frames import values_of, with_exceptions
from kanonym.data.hierarchy import Hierarchy
from kanonym.data.readings import MARK
from kanonym.data.schema import Recoding
from kanonym.data.table import Domain, encode
from kanonym.kernels.arrays import Int32s
from kanonym.metrics.certainty import certainty_costs
from kanonym.recoding.recode import recode

if TYPE_CHECKING:
    from kanonym.engines.decision import EncodedDecision


def released_part(decision: EncodedDecision, fixed: Collection[str]) -> EncodedDecision:
    """Return a decision about the released records alone.

    fixed: attributes whose hierarchy does not come from their values: it keeps all leaves. The
    released labels, and the numbers of classes, are those of the decision. Levels are counted as
    in hierarchies of the released values.
    """
    table, partition = decision.table, decision.partition
    kept = np.flatnonzero(partition.labels >= 0)
    rows = table.tuple_of_row[kept] if partition.by_row else kept
    weights = None if partition.by_row else table.weights[kept]
    levels, account = partition.levels, dict(decision.account)
    levels = levels if levels is None else levels.copy()
    known = []
    for a, domain in enumerate(table.domains):
        codes, whole = table.codes[rows, a], domain.name in fixed
        tree = _released_hierarchy(domain, codes, whole=whole)
        if tree is not None and levels is not None and not (whole or "premerged" in account):
            tree, places = tree.without_repeated_levels(np.unique(levels[:, a]).tolist())
            levels[:, a] = places[levels[:, a]]
            if "levels" in account:
                level = int(places[account["levels"][domain.name]])
                account["levels"] = {**account["levels"], domain.name: level}
        known.append((_decoded(domain, codes), tree))
    hidden = [
        (_decoded(domain, table.sensitive_codes[rows, j]), domain.hierarchy, not domain.has_null)
        for j, domain in enumerate(table.sensitive)
    ]
    target = None
    if table.target is not None and table.target_codes is not None:
        target = _decoded(table.target, table.target_codes[rows])
    part = encode(known, hidden, len(rows), target=target, counts=weights)
    labels = partition.labels[kept]
    if not partition.by_row:
        labels = np.zeros(len(part.weights), np.int32)
        labels[part.tuple_of_row] = partition.labels[kept]
        place = np.full(len(table.weights), -1, np.int32)
        place[kept] = part.tuple_of_row
        of_row = place[table.tuple_of_row]
        part = replace(part, tuple_of_row=of_row[of_row >= 0])
    chosen = partition.chosen
    if chosen is not None:
        chosen = np.column_stack(
            [
                _new_codes(before, after, chosen[:, a])
                for a, (before, after) in enumerate(zip(table.domains, part.domains, strict=True))
            ]
        )
    own_partition = replace(partition, labels=labels, levels=levels, chosen=chosen, account=account)
    recodings: list[Recoding] = [
        "interval" if one.recoding == "value" else one.recoding for one in decision.recoded
    ]
    measured = recode(part, own_partition, recodings, certainty_costs(part.domains, recodings))
    recoded = tuple(
        replace(attribute, low=own.low, high=own.high, loss=own.loss)
        for attribute, own in zip(decision.recoded, measured, strict=True)
    )
    return replace(
        decision,
        table=part,
        partition=own_partition,
        recoded=recoded,
        account=account,
        refinement=None,
        fixed=None,
    )


def _decoded(domain: Domain, codes: Int32s) -> pl.Series:
    """Return the values and exceptions behind codes; no code, and that of null, is null."""
    last = len(domain.values)
    places = np.where((codes >= 0) & (codes < last), codes, last)
    values = domain.values.extend_constant(None, 1).gather(places).alias(domain.name)
    if not domain.exceptions:
        return values
    texts = [text.removeprefix(MARK) for text in domain.exceptions]
    named = pl.Series([*([None] * domain.apart), *texts, None], dtype=pl.String)
    return with_exceptions(values, named.gather(places))


def _released_hierarchy(domain: Domain, codes: Int32s, *, whole: bool) -> Hierarchy | None:
    """Return a hierarchy without the values, and the null, that only suppressed records have."""
    if domain.hierarchy is None:
        return None
    kept = np.zeros(domain.size, np.bool_)
    kept[codes] = True
    if whole:
        kept[: len(domain.values)] = True
    kept[domain.apart : len(domain.values)] = False  # exceptions are put behind its leaves anew
    return domain.hierarchy.restrict(kept)


def _new_codes(before: Domain, after: Domain, codes: Int32s) -> Int32s:
    """Return the codes that values have in another domain of theirs; -1 stays."""
    mask = codes >= 0
    values = values_of(_decoded(before, codes[mask]))
    order = pl.DataFrame({"value": after.values.head(after.apart), "code": np.arange(after.apart)})
    frame = pl.DataFrame({"value": values}).join(
        order, on="value", how="left", maintain_order="left"
    )
    result = codes.copy()
    result[mask] = frame["code"].fill_null(after.null_code).to_numpy()
    for place, text in enumerate(before.exceptions):
        if text in after.exceptions:
            result[codes == before.apart + place] = after.apart + after.exceptions.index(text)
    return result
