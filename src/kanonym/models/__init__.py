"""Privacy models: what is required of every equivalence class, or of all together."""

from __future__ import annotations

from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
from kanonym.models.base import Guarantee, PerClass, PrivacyModel, WholeTable
from kanonym.models.closeness import TCloseness
from kanonym.models.criteria import MEASURES, Criterion
from kanonym.models.differential import DifferentialPrivacy
from kanonym.models.diversity import LDiversity
from kanonym.models.itemsets import KKmAnonymity, KmAnonymity
from kanonym.models.likeness import BetaLikeness, DeltaDisclosure
from kanonym.models.population import DeltaPresence, KMap, PopulationModel
from kanonym.models.risk import AverageRisk, PopulationUniqueness, SampleUniqueness

ALL: tuple[type[PrivacyModel], ...] = (
    KAnonymity,
    AlphaKAnonymity,
    LDiversity,
    TCloseness,
    BetaLikeness,
    DeltaDisclosure,
    AverageRisk,
    SampleUniqueness,
    PopulationUniqueness,
    KMap,
    DeltaPresence,
    KmAnonymity,
    KKmAnonymity,
    DifferentialPrivacy,
)
"""Every model; tests of laws run over it."""

MODELS: dict[str, type[PrivacyModel]] = {model.type: model for model in ALL}
"""Every model by the name that a policy gives it."""

__all__ = [
    "ALL",
    "MEASURES",
    "MODELS",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "Criterion",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "Guarantee",
    "KAnonymity",
    "KKmAnonymity",
    "KMap",
    "KmAnonymity",
    "LDiversity",
    "PerClass",
    "PopulationModel",
    "PopulationUniqueness",
    "PrivacyModel",
    "SampleUniqueness",
    "TCloseness",
    "WholeTable",
]
