"""A privacy model: the number of records of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanonym.kernels.classes import disclosure
from kanonym.models import Criterion, PerClass


@dataclass(frozen=True, slots=True)
class LeastRecords(PerClass):
    """Every class has at least so many records.

    Parameters
    ----------
    records
        Integer of at least 1.

    """

    records: int

    type: ClassVar[str] = "least-records"
    monotone: ClassVar[str] = "suppression"

    attribute: ClassVar[str | None] = None

    @property
    def required(self) -> float:
        """The number that is required."""
        return self.records

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: size >= records."""
        return (Criterion(disclosure.SIZE, None, self.records, ">="),)
