"""Every attack by name, for policies that limit some: `evaluation.attacks` carries them out."""

from __future__ import annotations

from typing import Any

from kanonym.data.loading import LazyRegistry

ATTACKS: LazyRegistry[Any] = LazyRegistry(
    "kanonym.evaluation.attacks",
    {
        "singling-out": "singling_out:SinglingOut",
        "unique-exact-matches": "linking.exact_matches:UniqueExactMatches",
        "apparent-matches": "linking.exact_matches:ApparentMatches",
        "linkage": "linking.linkage:Linkage",
        "similarity-reidentification": "linking.similarity:SimilarRecords",
        "linkability": "linking.linkage:Linkability",
        "known-items": "linking.known_records:KnownItems",
        "known-records": "linking.known_records:KnownRecords",
        "inference": "inference:Inference",
        "homogeneity": "classes.homogeneity:Homogeneity",
        "disco": "classes.homogeneity:Disco",
        "background-knowledge": "classes.homogeneity:BackgroundKnowledge",
        "skewness": "classes.skewness:Skewness",
        "similarity": "classes.skewness:SimilarityOfValues",
        "definetti": "classes.definetti:DeFinetti",
        "minimality": "classes.minimality:Minimality",
        "membership": "membership:Membership",
        "intersection": "linking.intersection:Intersection",
        "downcoding": "downcoding:Downcoding",
    },
    "kanonym.attacks",
)
"""Every attack by name, in the order in which they are carried out and told."""
