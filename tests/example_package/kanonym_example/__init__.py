"""A package that adds a model, an action and a command to kanonym by entry points."""
