"""How classes are found, and how items of sets are recoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading import lazy_names

if TYPE_CHECKING:
    from kanonym.algorithms.auto import Auto
    from kanonym.algorithms.cell_suppression import CellSuppression
    from kanonym.algorithms.clustering import KDTree, KMeans, KMember
    from kanonym.algorithms.full_domain import FullDomain
    from kanonym.algorithms.itemsets.apriori import LRA, VPA, Apriori, OptimalCut
    from kanonym.algorithms.local_recoding import LocalRecoding
    from kanonym.algorithms.microaggregation.mdav import MDAV, MONA, ONA, IndividualRanking
    from kanonym.algorithms.mondrian import Mondrian
    from kanonym.algorithms.segmentation import Segmentation

__all__ = [
    "LRA",
    "MDAV",
    "MONA",
    "ONA",
    "VPA",
    "Apriori",
    "Auto",
    "CellSuppression",
    "FullDomain",
    "IndividualRanking",
    "KDTree",
    "KMeans",
    "KMember",
    "LocalRecoding",
    "Mondrian",
    "OptimalCut",
    "Segmentation",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kanonym.algorithms.microaggregation.mdav": "MDAV MONA ONA IndividualRanking",
        "kanonym.algorithms.auto": "Auto",
        "kanonym.algorithms.cell_suppression": "CellSuppression",
        "kanonym.algorithms.full_domain": "FullDomain",
        "kanonym.algorithms.clustering": "KDTree KMeans KMember",
        "kanonym.algorithms.itemsets.apriori": "Apriori LRA OptimalCut VPA",
        "kanonym.algorithms.local_recoding": "LocalRecoding",
        "kanonym.algorithms.mondrian": "Mondrian",
        "kanonym.algorithms.segmentation": "Segmentation",
    },
)
