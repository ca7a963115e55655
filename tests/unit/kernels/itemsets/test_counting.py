"""Laws of counted itemsets, against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.itemsets import count_itemsets, pack, recode_sets
from twins.itemsets import arrays_of, rows_of

BITS = 4
SETS = st.lists(st.frozensets(st.integers(0, 9), max_size=6), max_size=12)


@given(rows=SETS, size=st.integers(1, 4), wanted=st.frozensets(st.integers(0, 9)))
def test_itemsets_with_a_wanted_item_are_counted(rows, size, wanted):
    """Each itemset of the size that has a wanted item has the number of records that hold it."""
    asked = np.isin(np.arange(10), list(wanted))
    keys, counts = count_itemsets(*arrays_of(rows), size, asked, BITS)
    found = {
        tuple(int(key) >> BITS * place & 15 for place in range(size - 1, -1, -1)): int(count)
        for key, count in zip(keys, counts, strict=True)
    }
    assert found == Counter(
        one for row in rows for one in combinations(sorted(row), size) if wanted & set(one)
    )


def test_a_table_of_keys_grows():
    """Thousands of distinct itemsets are all counted."""
    rows = [frozenset(range(i, i + 40)) for i in range(200)]
    keys, counts = count_itemsets(*arrays_of(rows), 2, np.ones(240, np.bool_), 8)
    assert dict(zip(keys.tolist(), counts.tolist(), strict=True)) == Counter(
        (a << 8) + b for row in rows for a, b in combinations(sorted(row), 2)
    )


@given(rows=SETS, labels=st.lists(st.integers(-1, 5), min_size=10, max_size=10), data=st.data())
def test_recoded_sets_are_sets(rows, labels, data):
    """Items with one label become one, and those of label -1 are dropped."""
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1))) if rows else []
    found = recode_sets(*arrays_of(rows), np.array(chosen, np.int64), np.array(labels, np.int32))
    assert rows_of(*found) == [frozenset(labels[item] for item in rows[i]) - {-1} for i in chosen]
    assert all(np.all(np.diff(found[1][a:b]) > 0) for a, b in pairwise(found[0]))


@given(
    pairs=st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=2, unique=True), max_size=8),
    costs=st.lists(st.integers(0, 9), min_size=6, max_size=6),
)
def test_no_hitting_set_costs_less_than_the_packing(pairs, costs):
    """Whatever items hit all pairs cost at least the weight of the packing."""
    bound = pack(np.array(pairs, np.int32).reshape(-1, 2), np.array(costs, np.float64))
    least = min(
        sum(costs[i] for i in chosen)
        for size in range(7)
        for chosen in combinations(range(6), size)
        if all(set(pair) & set(chosen) for pair in pairs)
    )
    assert bound <= least
