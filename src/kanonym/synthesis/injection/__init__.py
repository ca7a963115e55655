"""Records added to a table until its classes reach a wanted size and diversity."""
