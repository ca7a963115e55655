"""What models learn from a release: predictions, and telling it from the original."""
