"""Clustering: classes of records that are alike, whatever the kind of their attributes."""
