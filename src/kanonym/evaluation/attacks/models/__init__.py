"""Attacks on models: telling who was in the data that a model learned from."""
