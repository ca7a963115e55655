"""How classes are found, and how items of sets are recoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanonym.data.loading.lazy_names import lazy_names

if TYPE_CHECKING:
    from kanonym.algorithms.auto import Auto
    from kanonym.algorithms.cell_suppression import CellSuppression
    from kanonym.algorithms.clustering.k_member import KMember
    from kanonym.algorithms.clustering.kdtree import KDTree
    from kanonym.algorithms.clustering.kmeans import KMeans
    from kanonym.algorithms.full_domain import FullDomain
    from kanonym.algorithms.itemsets.apriori import Apriori
    from kanonym.algorithms.itemsets.lra import LRA
    from kanonym.algorithms.itemsets.optimal_cut import OptimalCut
    from kanonym.algorithms.itemsets.vpa import VPA
    from kanonym.algorithms.local_recoding import LocalRecoding
    from kanonym.algorithms.microaggregation.individual_ranking import IndividualRanking
    from kanonym.algorithms.microaggregation.mdav import MDAV
    from kanonym.algorithms.microaggregation.mona import MONA
    from kanonym.algorithms.microaggregation.ona import ONA
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
        "MDAV": "kanonym.algorithms.microaggregation.mdav",
        "MONA": "kanonym.algorithms.microaggregation.mona",
        "ONA": "kanonym.algorithms.microaggregation.ona",
        "Auto": "kanonym.algorithms.auto",
        "CellSuppression": "kanonym.algorithms.cell_suppression",
        "FullDomain": "kanonym.algorithms.full_domain",
        "IndividualRanking": "kanonym.algorithms.microaggregation.individual_ranking",
        "KDTree": "kanonym.algorithms.clustering.kdtree",
        "KMeans": "kanonym.algorithms.clustering.kmeans",
        "KMember": "kanonym.algorithms.clustering.k_member",
        "Apriori": "kanonym.algorithms.itemsets.apriori",
        "LRA": "kanonym.algorithms.itemsets.lra",
        "OptimalCut": "kanonym.algorithms.itemsets.optimal_cut",
        "VPA": "kanonym.algorithms.itemsets.vpa",
        "LocalRecoding": "kanonym.algorithms.local_recoding",
        "Mondrian": "kanonym.algorithms.mondrian",
        "Segmentation": "kanonym.algorithms.segmentation",
    },
)
