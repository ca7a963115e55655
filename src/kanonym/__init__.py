"""Anonymize tabular microdata and prove what was done.

The public names load on first use: `import kanonym` stays fast, and a program that
only verifies a table never loads the report's chart library.
"""

from __future__ import annotations

import logging
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
    from kanonym.assessment import assess, attack, model_membership, risk, utility
    from kanonym.attacks.similarity import similarity_attack
    from kanonym.comparison import compare, recommend
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
    from kanonym.engines.database import Database
    from kanonym.engines.duckdb import DuckDB
    from kanonym.engines.spark import Spark
    from kanonym.exploration import lattice
    from kanonym.fitting import BatchRelease, Fitted, fit
    from kanonym.minimization import Minimizer
    from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
    from kanonym.models.closeness import TCloseness
    from kanonym.models.diversity import LDiversity
    from kanonym.models.likeness import BetaLikeness, DeltaDisclosure
    from kanonym.models.population import DeltaPresence, KMap
    from kanonym.models.risk import AverageRisk, PopulationUniqueness, SampleUniqueness
    from kanonym.pipeline import anonymize, measure, verify
    from kanonym.policy import Policy
    from kanonym.profiling import profile
    from kanonym.release import Release
    from kanonym.reporting import report
    from kanonym.synthesis import inject, injected_rows, synthesize
    from kanonym.synthesis.external import SDV, SmartNoise
    from kanonym.transformation import transform
    from kanonym.transforms.action import After
    from kanonym.transforms.masking.bins import Bin
    from kanonym.transforms.masking.keep import Keep
    from kanonym.transforms.masking.mask_email import MaskEmail
    from kanonym.transforms.masking.mask_iban import MaskIban
    from kanonym.transforms.masking.mask_phone import MaskPhone
    from kanonym.transforms.masking.redact import Redact
    from kanonym.transforms.masking.rounding import Round
    from kanonym.transforms.masking.shift_date import ShiftDate
    from kanonym.transforms.masking.suppress import Suppress
    from kanonym.transforms.masking.top_bottom import TopBottom
    from kanonym.transforms.masking.truncate_date import TruncateDate
    from kanonym.transforms.perturbation.correlated_noise import CorrelatedNoise
    from kanonym.transforms.perturbation.noise import GaussianNoise, LaplaceNoise
    from kanonym.transforms.perturbation.pram import Pram
    from kanonym.transforms.perturbation.randomized_response import (
        RandomizedResponse,
        estimated_shares,
    )
    from kanonym.transforms.perturbation.rank_swap import RankSwap
    from kanonym.transforms.perturbation.shuffle import Shuffle
    from kanonym.transforms.perturbation.swap import Swap
    from kanonym.transforms.pseudonymization.fake import Fake
    from kanonym.transforms.pseudonymization.ff1 import FF1
    from kanonym.transforms.pseudonymization.keyed_hash import KeyedHash
    from kanonym.transforms.pseudonymization.surrogate import Surrogate
    from kanonym.verification import Verification

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())

__all__ = [
    "FF1",
    "MDAV",
    "MONA",
    "ONA",
    "SDV",
    "VMDAV",
    "After",
    "AlphaKAnonymity",
    "Auto",
    "AverageRisk",
    "BatchRelease",
    "BetaLikeness",
    "Bin",
    "CellSuppression",
    "CorrelatedNoise",
    "DataError",
    "Database",
    "DeltaDisclosure",
    "DeltaPresence",
    "DuckDB",
    "Fake",
    "Fitted",
    "FullDomain",
    "GaussianNoise",
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
    "Keep",
    "KeyedHash",
    "LDiversity",
    "LaplaceNoise",
    "LocalRecoding",
    "MaskEmail",
    "MaskIban",
    "MaskPhone",
    "Minimizer",
    "Mondrian",
    "Policy",
    "PolicyError",
    "PopulationUniqueness",
    "Pram",
    "QuasiIdentifier",
    "RandomizedResponse",
    "RankSwap",
    "Redact",
    "Release",
    "Role",
    "Round",
    "SampleUniqueness",
    "SchemaError",
    "Segmentation",
    "Sensitive",
    "ShiftDate",
    "Shuffle",
    "SmartNoise",
    "Spark",
    "Suppress",
    "Surrogate",
    "Swap",
    "TCloseness",
    "TClosenessFirst",
    "TopBottom",
    "TruncateDate",
    "Univariate",
    "Verification",
    "anonymize",
    "assess",
    "attack",
    "compare",
    "estimated_shares",
    "fit",
    "hierarchy",
    "inject",
    "injected_rows",
    "lattice",
    "measure",
    "model_membership",
    "profile",
    "read_table",
    "recommend",
    "report",
    "risk",
    "similarity_attack",
    "synthesize",
    "transform",
    "utility",
    "verify",
    "write_table",
]

_HOMES = {
    "FF1": "kanonym.transforms.pseudonymization.ff1",
    "MDAV": "kanonym.algorithms.microaggregation.mdav",
    "MONA": "kanonym.algorithms.microaggregation.mona",
    "ONA": "kanonym.algorithms.microaggregation.ona",
    "SDV": "kanonym.synthesis.external",
    "VMDAV": "kanonym.algorithms.microaggregation.v_mdav",
    "After": "kanonym.transforms.action",
    "AlphaKAnonymity": "kanonym.models.anonymity",
    "Auto": "kanonym.algorithms.auto",
    "AverageRisk": "kanonym.models.risk",
    "BatchRelease": "kanonym.fitting",
    "BetaLikeness": "kanonym.models.likeness",
    "Bin": "kanonym.transforms.masking.bins",
    "CellSuppression": "kanonym.algorithms.cell_suppression",
    "CorrelatedNoise": "kanonym.transforms.perturbation.correlated_noise",
    "DataError": "kanonym.data.errors",
    "Database": "kanonym.engines.database",
    "DeltaDisclosure": "kanonym.models.likeness",
    "DeltaPresence": "kanonym.models.population",
    "DuckDB": "kanonym.engines.duckdb",
    "Fake": "kanonym.transforms.pseudonymization.fake",
    "Fitted": "kanonym.fitting",
    "FullDomain": "kanonym.algorithms.full_domain",
    "GaussianNoise": "kanonym.transforms.perturbation.noise",
    "HierarchyError": "kanonym.data.errors",
    "Identifier": "kanonym.data.schema",
    "IndividualRanking": "kanonym.algorithms.microaggregation.individual_ranking",
    "InfeasibleError": "kanonym.data.errors",
    "Insensitive": "kanonym.data.schema",
    "KAnonymity": "kanonym.models.anonymity",
    "KDTree": "kanonym.algorithms.clustering.kdtree",
    "KMap": "kanonym.models.population",
    "KMeans": "kanonym.algorithms.clustering.kmeans",
    "KMember": "kanonym.algorithms.clustering.k_member",
    "KanonymError": "kanonym.data.errors",
    "Keep": "kanonym.transforms.masking.keep",
    "KeyedHash": "kanonym.transforms.pseudonymization.keyed_hash",
    "LDiversity": "kanonym.models.diversity",
    "LaplaceNoise": "kanonym.transforms.perturbation.noise",
    "LocalRecoding": "kanonym.algorithms.local_recoding",
    "MaskEmail": "kanonym.transforms.masking.mask_email",
    "MaskIban": "kanonym.transforms.masking.mask_iban",
    "MaskPhone": "kanonym.transforms.masking.mask_phone",
    "Minimizer": "kanonym.minimization",
    "Mondrian": "kanonym.algorithms.mondrian",
    "Policy": "kanonym.policy",
    "PolicyError": "kanonym.data.errors",
    "PopulationUniqueness": "kanonym.models.risk",
    "Pram": "kanonym.transforms.perturbation.pram",
    "QuasiIdentifier": "kanonym.data.schema",
    "RandomizedResponse": "kanonym.transforms.perturbation.randomized_response",
    "RankSwap": "kanonym.transforms.perturbation.rank_swap",
    "Redact": "kanonym.transforms.masking.redact",
    "Release": "kanonym.release",
    "Role": "kanonym.data.schema",
    "Round": "kanonym.transforms.masking.rounding",
    "SampleUniqueness": "kanonym.models.risk",
    "SchemaError": "kanonym.data.errors",
    "Segmentation": "kanonym.algorithms.segmentation",
    "Sensitive": "kanonym.data.schema",
    "ShiftDate": "kanonym.transforms.masking.shift_date",
    "Shuffle": "kanonym.transforms.perturbation.shuffle",
    "SmartNoise": "kanonym.synthesis.external",
    "Spark": "kanonym.engines.spark",
    "Suppress": "kanonym.transforms.masking.suppress",
    "Surrogate": "kanonym.transforms.pseudonymization.surrogate",
    "Swap": "kanonym.transforms.perturbation.swap",
    "TCloseness": "kanonym.models.closeness",
    "TClosenessFirst": "kanonym.algorithms.microaggregation.t_closeness_first",
    "TopBottom": "kanonym.transforms.masking.top_bottom",
    "TruncateDate": "kanonym.transforms.masking.truncate_date",
    "Univariate": "kanonym.algorithms.microaggregation.univariate",
    "Verification": "kanonym.verification",
    "anonymize": "kanonym.pipeline",
    "assess": "kanonym.assessment",
    "attack": "kanonym.assessment",
    "compare": "kanonym.comparison",
    "estimated_shares": "kanonym.transforms.perturbation.randomized_response",
    "fit": "kanonym.fitting",
    "hierarchy": "kanonym.data.hierarchy",
    "inject": "kanonym.synthesis",
    "injected_rows": "kanonym.synthesis",
    "lattice": "kanonym.exploration",
    "measure": "kanonym.pipeline",
    "model_membership": "kanonym.assessment",
    "profile": "kanonym.profiling",
    "read_table": "kanonym.data.files",
    "recommend": "kanonym.comparison",
    "report": "kanonym.reporting",
    "risk": "kanonym.assessment",
    "similarity_attack": "kanonym.attacks.similarity",
    "synthesize": "kanonym.synthesis",
    "transform": "kanonym.transformation",
    "utility": "kanonym.assessment",
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
