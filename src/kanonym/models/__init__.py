"""Privacy models: what is required of every equivalence class, or of all together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import LazyRegistry, lazy_names

if TYPE_CHECKING:
    from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
    from kanonym.models.base import (
        MEASURES,
        Criterion,
        Guarantee,
        PerClass,
        PrivacyModel,
        WholeTable,
    )
    from kanonym.models.differential import DifferentialPrivacy
    from kanonym.models.diversity import BetaLikeness, DeltaDisclosure, LDiversity, TCloseness
    from kanonym.models.itemsets import KKmAnonymity, KmAnonymity
    from kanonym.models.population import DeltaPresence, KMap, PopulationModel
    from kanonym.models.risk import AverageRisk, PopulationUniqueness, SampleUniqueness

MODELS: LazyRegistry[type[PrivacyModel]] = LazyRegistry(
    "kanonym.models",
    {
        "k-anonymity": "anonymity:KAnonymity",
        "alpha-k-anonymity": "anonymity:AlphaKAnonymity",
        "l-diversity": "diversity:LDiversity",
        "t-closeness": "diversity:TCloseness",
        "beta-likeness": "diversity:BetaLikeness",
        "delta-disclosure": "diversity:DeltaDisclosure",
        "average-risk": "risk:AverageRisk",
        "sample-uniqueness": "risk:SampleUniqueness",
        "population-uniqueness": "risk:PopulationUniqueness",
        "k-map": "population:KMap",
        "delta-presence": "population:DeltaPresence",
        "km-anonymity": "itemsets:KmAnonymity",
        "k-km-anonymity": "itemsets:KKmAnonymity",
        "differential-privacy": "differential:DifferentialPrivacy",
    },
    "kanonym.models",
)
"""Every model by the name that a policy gives it."""

__all__ = [
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.models.anonymity": "AlphaKAnonymity KAnonymity",
        "kanonym.models.risk": "AverageRisk PopulationUniqueness SampleUniqueness",
        "kanonym.models.diversity": "BetaLikeness DeltaDisclosure LDiversity TCloseness",
        "kanonym.models.base": "Criterion Guarantee MEASURES PerClass PrivacyModel WholeTable",
        "kanonym.models.population": "DeltaPresence KMap PopulationModel",
        "kanonym.models.differential": "DifferentialPrivacy",
        "kanonym.models.itemsets": "KKmAnonymity KmAnonymity",
    },
)
