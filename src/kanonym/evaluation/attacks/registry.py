"""Every attack by its name."""

from __future__ import annotations

from kanonym.data.loading.lazy_registry import LazyRegistry
from kanonym.evaluation.attacks.base import Attack

ATTACKS: LazyRegistry[type[Attack]] = LazyRegistry(
    "kanonym.evaluation.attacks",
    {
        "singling-out": "singling_out:SinglingOut",
        "unique-exact-matches": "linking.unique_exact_matches:UniqueExactMatches",
        "apparent-matches": "linking.apparent_matches:ApparentMatches",
        "linkage": "linking.linkage:Linkage",
        "similarity-reidentification": "linking.similar_records:SimilarRecords",
        "linkability": "linking.linkability:Linkability",
        "known-items": "known_items:KnownItems",
        "known-records": "linking.known_records:KnownRecords",
        "inference": "inference:Inference",
        "homogeneity": "classes.homogeneity:Homogeneity",
        "disco": "classes.disco:Disco",
        "background-knowledge": "classes.background:BackgroundKnowledge",
        "skewness": "classes.skewness:Skewness",
        "similarity": "classes.similarity_of_values:SimilarityOfValues",
        "definetti": "classes.definetti:DeFinetti",
        "minimality": "classes.minimality:Minimality",
        "membership": "membership:Membership",
        "intersection": "linking.intersection:Intersection",
        "downcoding": "downcoding:Downcoding",
    },
    "kanonym.attacks",
)
"""Every attack by name, in the order in which they are carried out and told."""
