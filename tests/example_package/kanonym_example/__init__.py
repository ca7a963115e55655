"""A package that adds one kind of each sort to kanonym by entry points."""
