"""The records and classes that are nearest to a person."""
