"""What a privacy model sees, built from plain lists without any kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from kanonym.data.partition import Classes, Distribution


def distribution(
    labels: Sequence[Hashable],
    values: Sequence[Hashable],
    paths: Mapping[Hashable, Sequence[Hashable]] | None = None,
) -> Distribution:
    """Return the distribution of one attribute, classes in the order of their first record.

    Codes follow the order of the values, null last; with `paths` (the labels of each
    value from level 1 up to the root) they follow the tree.
    """
    order = list(dict.fromkeys(labels))
    if paths is None:
        domain = sorted(set(values), key=lambda value: (value is None, value))
    else:
        domain = sorted(paths, key=lambda value: (*map(str, reversed(paths[value])), str(value)))
    code = {value: i for i, value in enumerate(domain)}
    counted = Counter((order.index(a), code[b]) for a, b in zip(labels, values, strict=True))
    entries = sorted(counted.items())
    owners = Counter(label for (label, _), _ in entries)
    table = Counter(values)
    levels = [] if paths is None else [domain, *zip(*(paths[v] for v in domain), strict=True)]
    ancestors = [[list(dict.fromkeys(level)).index(one) for one in level] for level in levels]
    return Distribution(
        offsets=np.cumsum([0, *(owners[i] for i in range(len(order)))], dtype=np.int64),
        values=np.array([value for (_, value), _ in entries], np.int32),
        counts=np.array([count for _, count in entries], np.int64),
        table=np.array([table[value] for value in domain], np.int64),
        ancestors=np.array(ancestors, np.int32).reshape(len(levels), len(domain) if levels else 0),
    )


def classes(
    labels: Sequence[Hashable],
    hierarchies: Mapping[str, Mapping[Hashable, Sequence[Hashable]]] | None = None,
    **attributes: Sequence[Hashable],
) -> Classes:
    """Return the classes of records: a label and a value of each attribute for each record."""
    sizes = Counter(labels)
    return Classes(
        sizes=np.array([sizes[label] for label in dict.fromkeys(labels)], np.int64),
        distributions={
            name: distribution(labels, values, (hierarchies or {}).get(name))
            for name, values in attributes.items()
        },
    )
