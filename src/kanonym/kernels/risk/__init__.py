"""Estimates of risk: uniqueness in a population, minimal sample uniques, matches."""
