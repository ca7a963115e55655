"""Keys and references: whether they are in order, and what a release has in their place."""
