"""Compiled code: arrays in, arrays out, none of our classes."""
