"""A division in the form that releases and reports read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kanonym.data.partition import Partition
from kanonym.engines.sql.large.coding import coupled
from kanonym.engines.sql.large.dividing import Divided
from kanonym.engines.task import Outcome


def outcome_of(found: Divided) -> Outcome:
    """Return a division as an outcome of a table that has its counts.

    The classes, their sizes and what they release are those of the division, and every single
    column has its records by value. Which values stand beside each other, and which of them are
    in which class, is not told: what measures that from the outcome finds nothing that is true.
    `Divided.classes` has the utility.
    """
    table, classes = found.coding.ready.table, found.classes
    places, weights = coupled([table.weights, classes.sizes])
    known = replace(
        table,
        codes=table.codes[places[:, 0]],
        sensitive_codes=table.sensitive_codes[places[:, 0]],
        weights=weights,
        tuple_of_row=np.arange(len(weights), dtype=np.int32),
    )
    labels = places[:, 1].astype(np.int32)
    partition = Partition(labels, len(classes.sizes), account=found.account)
    return Outcome(known, partition, classes.recoded, found.coding.ready.built)
