"""A model of a table's columns from which further records are drawn: one tree per column."""

from __future__ import annotations

from kanonym.synthesis.trees.sequential import LEAF, LearnedByTrees, SequentialTrees

__all__ = ["LEAF", "LearnedByTrees", "SequentialTrees"]
