"""Anonymize tabular microdata and prove what was done.

The public names load on first use: `import kanonym` stays fast, and a program that
only verifies a table never loads the report's chart library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanonym.algorithms.auto import Auto
    from kanonym.algorithms.cell_suppression import CellSuppression
    from kanonym.algorithms.clustering.k_member import KMember
    from kanonym.algorithms.clustering.kdtree import KDTree
    from kanonym.algorithms.clustering.kmeans import KMeans
    from kanonym.algorithms.full_domain import FullDomain
    from kanonym.algorithms.local_recoding import LocalRecoding
    from kanonym.algorithms.microaggregation.individual_ranking import IndividualRanking
    from kanonym.algorithms.microaggregation.mdav import MDAV
    from kanonym.algorithms.microaggregation.mona import MONA
    from kanonym.algorithms.microaggregation.ona import ONA
    from kanonym.algorithms.microaggregation.t_closeness_first import TClosenessFirst
    from kanonym.algorithms.microaggregation.univariate import Univariate
    from kanonym.algorithms.microaggregation.v_mdav import VMDAV
    from kanonym.algorithms.mondrian import Mondrian
    from kanonym.algorithms.segmentation import Segmentation
    from kanonym.data import hierarchy
    from kanonym.data.errors import (
        DataError,
        HierarchyError,
        InfeasibleError,
        KanonymError,
        PolicyError,
        SchemaError,
    )
    from kanonym.data.files import read_table, write_table
    from kanonym.data.schema import Identifier, Insensitive, QuasiIdentifier, Role, Sensitive
    from kanonym.exploration import lattice
    from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
    from kanonym.models.closeness import TCloseness
    from kanonym.models.diversity import LDiversity
    from kanonym.models.likeness import BetaLikeness, DeltaDisclosure
    from kanonym.models.population import DeltaPresence, KMap
    from kanonym.models.risk import AverageRisk, PopulationUniqueness, SampleUniqueness
    from kanonym.pipeline import anonymize, measure, verify
    from kanonym.policy import Policy
    from kanonym.release import Release
    from kanonym.verification import Verification

__version__ = "0.1.0"

__all__ = [
    "MDAV",
    "MONA",
    "ONA",
    "VMDAV",
    "AlphaKAnonymity",
    "Auto",
    "AverageRisk",
    "BetaLikeness",
    "CellSuppression",
    "DataError",
    "DeltaDisclosure",
    "DeltaPresence",
    "FullDomain",
    "HierarchyError",
    "Identifier",
    "IndividualRanking",
    "InfeasibleError",
    "Insensitive",
    "KAnonymity",
    "KDTree",
    "KMap",
    "KMeans",
    "KMember",
    "KanonymError",
    "LDiversity",
    "LocalRecoding",
    "Mondrian",
    "Policy",
    "PolicyError",
    "PopulationUniqueness",
    "QuasiIdentifier",
    "Release",
    "Role",
    "SampleUniqueness",
    "SchemaError",
    "Segmentation",
    "Sensitive",
    "TCloseness",
    "TClosenessFirst",
    "Univariate",
    "Verification",
    "anonymize",
    "hierarchy",
    "lattice",
    "measure",
    "read_table",
    "verify",
    "write_table",
]

_HOMES = {
    "MDAV": "kanonym.algorithms.microaggregation.mdav",
    "MONA": "kanonym.algorithms.microaggregation.mona",
    "ONA": "kanonym.algorithms.microaggregation.ona",
    "AlphaKAnonymity": "kanonym.models.anonymity",
    "Auto": "kanonym.algorithms.auto",
    "AverageRisk": "kanonym.models.risk",
    "BetaLikeness": "kanonym.models.likeness",
    "CellSuppression": "kanonym.algorithms.cell_suppression",
    "DataError": "kanonym.data.errors",
    "DeltaDisclosure": "kanonym.models.likeness",
    "DeltaPresence": "kanonym.models.population",
    "FullDomain": "kanonym.algorithms.full_domain",
    "HierarchyError": "kanonym.data.errors",
    "Identifier": "kanonym.data.schema",
    "IndividualRanking": "kanonym.algorithms.microaggregation.individual_ranking",
    "InfeasibleError": "kanonym.data.errors",
    "Insensitive": "kanonym.data.schema",
    "KAnonymity": "kanonym.models.anonymity",
    "KDTree": "kanonym.algorithms.clustering.kdtree",
    "KMap": "kanonym.models.population",
    "KMember": "kanonym.algorithms.clustering.k_member",
    "KMeans": "kanonym.algorithms.clustering.kmeans",
    "KanonymError": "kanonym.data.errors",
    "LDiversity": "kanonym.models.diversity",
    "LocalRecoding": "kanonym.algorithms.local_recoding",
    "Mondrian": "kanonym.algorithms.mondrian",
    "Policy": "kanonym.policy",
    "PolicyError": "kanonym.data.errors",
    "PopulationUniqueness": "kanonym.models.risk",
    "QuasiIdentifier": "kanonym.data.schema",
    "Release": "kanonym.release",
    "Role": "kanonym.data.schema",
    "SampleUniqueness": "kanonym.models.risk",
    "SchemaError": "kanonym.data.errors",
    "Segmentation": "kanonym.algorithms.segmentation",
    "Sensitive": "kanonym.data.schema",
    "TCloseness": "kanonym.models.closeness",
    "TClosenessFirst": "kanonym.algorithms.microaggregation.t_closeness_first",
    "VMDAV": "kanonym.algorithms.microaggregation.v_mdav",
    "Univariate": "kanonym.algorithms.microaggregation.univariate",
    "Verification": "kanonym.verification",
    "anonymize": "kanonym.pipeline",
    "hierarchy": "kanonym.data.hierarchy",
    "lattice": "kanonym.exploration",
    "measure": "kanonym.pipeline",
    "read_table": "kanonym.data.files",
    "verify": "kanonym.pipeline",
    "write_table": "kanonym.data.files",
}


def __getattr__(name: str) -> object:
    """Load a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kanonym' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = home if home.__name__.endswith(f".{name}") else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted([*__all__, "__version__"])
