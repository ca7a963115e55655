"""Every attack by its name."""

from __future__ import annotations

from kanonym.evaluation.attacks.base import Attack
from kanonym.evaluation.attacks.classes.background import BackgroundKnowledge
from kanonym.evaluation.attacks.classes.definetti import DeFinetti
from kanonym.evaluation.attacks.classes.disco import Disco
from kanonym.evaluation.attacks.classes.homogeneity import Homogeneity
from kanonym.evaluation.attacks.classes.minimality import Minimality
from kanonym.evaluation.attacks.classes.similarity_of_values import SimilarityOfValues
from kanonym.evaluation.attacks.classes.skewness import Skewness
from kanonym.evaluation.attacks.downcoding import Downcoding
from kanonym.evaluation.attacks.inference import Inference
from kanonym.evaluation.attacks.known_items import KnownItems
from kanonym.evaluation.attacks.linking.apparent_matches import ApparentMatches
from kanonym.evaluation.attacks.linking.intersection import Intersection
from kanonym.evaluation.attacks.linking.linkability import Linkability
from kanonym.evaluation.attacks.linking.linkage import Linkage
from kanonym.evaluation.attacks.linking.optimal_linkage import OptimalLinkage
from kanonym.evaluation.attacks.linking.similar_records import SimilarRecords
from kanonym.evaluation.attacks.linking.unique_exact_matches import UniqueExactMatches
from kanonym.evaluation.attacks.membership import Membership
from kanonym.evaluation.attacks.models.model_inference import ModelInference
from kanonym.evaluation.attacks.singling_out import SinglingOut

ALL: tuple[type[Attack], ...] = (
    SinglingOut,
    UniqueExactMatches,
    ApparentMatches,
    Linkage,
    OptimalLinkage,
    SimilarRecords,
    Linkability,
    KnownItems,
    Inference,
    ModelInference,
    Homogeneity,
    Disco,
    BackgroundKnowledge,
    Skewness,
    SimilarityOfValues,
    DeFinetti,
    Minimality,
    Membership,
    Intersection,
    Downcoding,
)
"""Every attack, in the order in which they are carried out and told."""

ATTACKS: dict[str, type[Attack]] = {attack.type: attack for attack in ALL}
"""Every attack by name."""
