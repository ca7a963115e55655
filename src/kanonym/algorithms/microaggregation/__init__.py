"""Microaggregation: classes of records that are near each other, released as their centroid."""
