"""Which of equal records is in which class."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from kanonym.data.partition import Partition
from kanonym.data.table import encode
from kanonym.recoding.recode import mix_equal_records

RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(-1, 2)), min_size=1, max_size=30
)


@given(records=RECORDS, seed=st.integers(0, 2**32))
def test_as_many_records_of_a_tuple_stay_in_each_class(records, seed):
    """Only records that are equal to the algorithm change places; the suppressed are a class."""
    ages, notes, labels = zip(*records, strict=True)
    table = encode([(pl.Series("age", ages), None)], [], len(ages))
    partition = Partition(np.array(labels, np.int32), max(labels) + 1, by_row=True)
    column = {"note": pl.Series(notes)}.__getitem__
    mixed = mix_equal_records(table, partition, ["note"], column, seed)
    assert Counter(zip(ages, mixed.labels, strict=True)) == Counter(zip(ages, labels, strict=True))
    assert partition.labels.tolist() == list(labels)
