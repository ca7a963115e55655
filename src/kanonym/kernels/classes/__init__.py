"""Equivalence classes: grouping, histograms, what a class gives away and what it costs."""
