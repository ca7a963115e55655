"""Whose records give a class its released value."""

from __future__ import annotations

import numpy as np

from kanonym.data.partition import Partition


def test_without_groups_every_class_gives_its_own_values():
    """The labels of whoever gives a value are those of the classes."""
    partition = Partition(np.array([0, 1, -1, 1], np.int32), 2)
    labels, n_labels = partition.value_groups(0)
    assert (labels.tolist(), n_labels) == ([0, 1, -1, 1], 2)


def test_with_groups_a_record_belongs_to_the_group_of_its_class():
    """Every attribute has its own groups; suppressed records are in none."""
    groups = np.array([[0, 1], [0, 0], [1, 0]], np.int32)
    partition = Partition(np.array([0, 1, 2, -1, 0], np.int32), 3, groups=groups)
    assert [
        (labels.tolist(), n) for labels, n in (partition.value_groups(0), partition.value_groups(1))
    ] == [([0, 0, 1, -1, 0], 2), ([1, 0, 0, -1, 1], 2)]


def test_groups_of_a_partition_without_classes():
    """Where everything is suppressed there is no group."""
    partition = Partition(np.array([-1, -1], np.int32), 0, groups=np.empty((0, 1), np.int32))
    labels, n_labels = partition.value_groups(0)
    assert (labels.tolist(), n_labels) == ([-1, -1], 0)
