"""Hierarchies built from the values of a column."""
