"""Privacy models: what is required of every equivalence class."""

from __future__ import annotations

from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
from kanonym.models.base import Criterion, PrivacyModel
from kanonym.models.closeness import TCloseness
from kanonym.models.diversity import LDiversity
from kanonym.models.likeness import BetaLikeness, DeltaDisclosure

ALL: tuple[type[PrivacyModel], ...] = (
    KAnonymity,
    AlphaKAnonymity,
    LDiversity,
    TCloseness,
    BetaLikeness,
    DeltaDisclosure,
)
"""Every model; tests of laws run over it."""

MODELS: dict[str, type[PrivacyModel]] = {model.type: model for model in ALL}
"""Every model by the name that a policy gives it."""

__all__ = [
    "ALL",
    "MODELS",
    "AlphaKAnonymity",
    "BetaLikeness",
    "Criterion",
    "DeltaDisclosure",
    "KAnonymity",
    "LDiversity",
    "PrivacyModel",
    "TCloseness",
]
