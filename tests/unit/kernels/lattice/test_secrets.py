"""Histograms of a branch's classes, against those of tuples in any order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanonym.kernels.classes.histograms import class_histograms
from kanonym.kernels.lattice.secrets import secret_histograms

TUPLES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7), st.integers(0, 9)), max_size=60)


@given(tuples=TUPLES, values=st.permutations(range(-1, 7)), shift=st.sampled_from([0, 5, 61]))
def test_tuples_that_stand_by_class_have_the_histograms_of_their_classes(tuples, values, shift):
    """Whatever bits stand beside the field; negative values and tuples of no record are skipped."""
    labels, field, records = np.array(sorted(tuples), np.int64).reshape(-1, 3).T
    keys = (field.astype(np.uint64) << np.uint64(shift)) | np.uint64((1 << shift) - 1)
    value_of = np.array(values, np.int32)
    label_of = labels.astype(np.int32)
    found = secret_histograms(label_of, keys, shift, 3, value_of, records.astype(np.int32), 6, 7)
    expected = class_histograms(label_of, value_of[field], records.copy(), 6, 7)
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]
    assert [one.dtype for one in found] == [one.dtype for one in expected]
