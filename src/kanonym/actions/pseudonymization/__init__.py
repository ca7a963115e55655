"""Replace each value by another that stands for it, the same one wherever it occurs."""
