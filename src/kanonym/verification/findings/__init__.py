"""Findings: why a release that satisfies its models may still not protect the people in it."""

from __future__ import annotations

from kanonym.verification.finding import Finding, FindingKind, column_names_text
from kanonym.verification.findings.batches_together import BatchesTogether
from kanonym.verification.findings.dependent_column import DependentColumn
from kanonym.verification.findings.dominant_value import DominantValue
from kanonym.verification.findings.drawn_values import DrawnValues
from kanonym.verification.findings.free_text import FreeText
from kanonym.verification.findings.identifying_amount import IdentifyingAmount
from kanonym.verification.findings.items_apart import ItemsApart
from kanonym.verification.findings.knowable_column import KnowableColumn
from kanonym.verification.findings.linked_tables import CopiedColumn, DateIntervals, UnshiftedDates
from kanonym.verification.findings.long_list import LongList
from kanonym.verification.findings.mechanism import (
    ForeignLabels,
    LargeDelta,
    NotPrivate,
    Unrecorded,
)
from kanonym.verification.findings.near_values import NearValues
from kanonym.verification.findings.no_records import NoRecords
from kanonym.verification.findings.repeated_identifier import RepeatedIdentifier
from kanonym.verification.findings.repeated_persons import PersonColumn, RepeatedPersons
from kanonym.verification.findings.shifted_distribution import ShiftedDistribution
from kanonym.verification.findings.similar_values import SimilarValues
from kanonym.verification.findings.spellings import Spellings
from kanonym.verification.findings.trivial_model import TrivialModel
from kanonym.verification.findings.unprotected_sensitive import UnprotectedSensitive
from kanonym.verification.findings.unread_parts import UnreadParts

__all__ = ["FINDINGS", "Finding", "FindingKind", "column_names_text"]

FINDINGS: tuple[FindingKind, ...] = (
    RepeatedIdentifier(),
    PersonColumn(),
    RepeatedPersons(),
    BatchesTogether(),
    UnprotectedSensitive(),
    DominantValue(),
    NearValues(),
    SimilarValues(),
    Spellings(),
    ShiftedDistribution(),
    IdentifyingAmount(),
    FreeText(),
    DependentColumn(),
    KnowableColumn(),
    CopiedColumn(),
    DateIntervals(),
    UnshiftedDates(),
    LongList(),
    ItemsApart(),
    DrawnValues(),
    TrivialModel(),
    NotPrivate(),
    Unrecorded(),
    ForeignLabels(),
    LargeDelta(),
    UnreadParts(),
    NoRecords(),
)
"""Every kind that is looked for in a release, in the order in which findings are told."""
