"""Groups of at least k records that are near each other."""
