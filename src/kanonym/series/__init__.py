"""Releases in series: a recoding is fitted once, kept, and applied to batch after batch."""

from __future__ import annotations

from kanonym.series.batch_release import BatchRelease
from kanonym.series.fitted import Fitted, fit
from kanonym.series.persons import PersonColumn, RepeatedPersons

__all__ = ["BatchRelease", "Fitted", "PersonColumn", "RepeatedPersons", "fit"]
