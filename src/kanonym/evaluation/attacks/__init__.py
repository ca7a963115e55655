"""What an intruder gets from a released table, tried on pairs of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names
from kanonym.policy.attacks import ATTACKS

if TYPE_CHECKING:
    from kanonym.evaluation.attacks.classes.definetti import DeFinetti
    from kanonym.evaluation.attacks.classes.homogeneity import (
        BackgroundKnowledge,
        Disco,
        Homogeneity,
    )
    from kanonym.evaluation.attacks.classes.skewness import SimilarityOfValues, Skewness
    from kanonym.evaluation.attacks.downcoding import Downcoding
    from kanonym.evaluation.attacks.inference import Inference
    from kanonym.evaluation.attacks.linking.exact_matches import ApparentMatches, UniqueExactMatches
    from kanonym.evaluation.attacks.linking.intersection import Intersection
    from kanonym.evaluation.attacks.linking.known_records import KnownRecords
    from kanonym.evaluation.attacks.linking.linkage import Linkability, Linkage
    from kanonym.evaluation.attacks.linking.similarity import SimilarRecords, similarity_attack
    from kanonym.evaluation.attacks.membership import Membership
    from kanonym.evaluation.attacks.models.table_membership import model_membership
    from kanonym.evaluation.attacks.result import AttackResult, AttackResults
    from kanonym.evaluation.attacks.singling_out import SinglingOut

__all__ = [
    "ATTACKS",
    "ApparentMatches",
    "AttackResult",
    "AttackResults",
    "BackgroundKnowledge",
    "DeFinetti",
    "Disco",
    "Downcoding",
    "Homogeneity",
    "Inference",
    "Intersection",
    "KnownRecords",
    "Linkability",
    "Linkage",
    "Membership",
    "SimilarRecords",
    "SimilarityOfValues",
    "SinglingOut",
    "Skewness",
    "UniqueExactMatches",
    "model_membership",
    "similarity_attack",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.evaluation.attacks.result": "AttackResult AttackResults",
        "kanonym.evaluation.attacks.linking.exact_matches": "UniqueExactMatches ApparentMatches",
        "kanonym.evaluation.attacks.classes.homogeneity": "Disco BackgroundKnowledge Homogeneity",
        "kanonym.evaluation.attacks.classes.definetti": "DeFinetti",
        "kanonym.evaluation.attacks.downcoding": "Downcoding",
        "kanonym.evaluation.attacks.inference": "Inference",
        "kanonym.evaluation.attacks.linking.intersection": "Intersection",
        "kanonym.evaluation.attacks.linking.known_records": "KnownRecords",
        "kanonym.evaluation.attacks.linking.linkage": "Linkability Linkage",
        "kanonym.evaluation.attacks.membership": "Membership",
        "kanonym.evaluation.attacks.linking.similarity": "SimilarRecords similarity_attack",
        "kanonym.evaluation.attacks.classes.skewness": "SimilarityOfValues Skewness",
        "kanonym.evaluation.attacks.singling_out": "SinglingOut",
        "kanonym.evaluation.attacks.models.table_membership": "model_membership",
    },
)
