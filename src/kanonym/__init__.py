"""Anonymize tabular microdata and verify the result.

The public names load on first use: `import kanonym` stays fast, and a program that
only verifies a table never loads the report's chart library.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanonym.actions.base import After
    from kanonym.actions.masking.bins import Bin
    from kanonym.actions.masking.keep import Keep
    from kanonym.actions.masking.mask_email import MaskEmail
    from kanonym.actions.masking.mask_iban import MaskIban
    from kanonym.actions.masking.mask_phone import MaskPhone
    from kanonym.actions.masking.redact import Redact
    from kanonym.actions.masking.rounding import Round
    from kanonym.actions.masking.shift_date import ShiftDate
    from kanonym.actions.masking.suppress import Suppress
    from kanonym.actions.masking.top_bottom import TopBottom
    from kanonym.actions.masking.truncate_date import TruncateDate
    from kanonym.actions.perturbation.correlated_noise import CorrelatedNoise
    from kanonym.actions.perturbation.noise import GaussianNoise, LaplaceNoise
    from kanonym.actions.perturbation.pram import Pram
    from kanonym.actions.perturbation.randomized_response import (
        RandomizedResponse,
        estimated_shares,
    )
    from kanonym.actions.perturbation.rank_swap import RankSwap
    from kanonym.actions.perturbation.shuffle import Shuffle
    from kanonym.actions.perturbation.swap import Swap
    from kanonym.actions.pseudonymization.fake import Fake
    from kanonym.actions.pseudonymization.ff1 import FF1
    from kanonym.actions.pseudonymization.keyed_hash import KeyedHash
    from kanonym.actions.pseudonymization.surrogate import Surrogate
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
    from kanonym.comparison import Comparison, compare, recommend
    from kanonym.comparison.lattice_nodes import lattice
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
    from kanonym.evaluation.assessment import assess
    from kanonym.evaluation.attacks.linking.similarity import similarity_attack
    from kanonym.evaluation.attacks.models.table_membership import model_membership
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.attacks.table_attacks import attack
    from kanonym.evaluation.risk.table_risk import Risk, risk
    from kanonym.evaluation.utility.table_utility import Utility, utility
    from kanonym.minimization import Minimizer
    from kanonym.models.anonymity import AlphaKAnonymity, KAnonymity
    from kanonym.models.closeness import TCloseness
    from kanonym.models.diversity import LDiversity
    from kanonym.models.likeness import BetaLikeness, DeltaDisclosure
    from kanonym.models.population import DeltaPresence, KMap
    from kanonym.models.risk import AverageRisk, PopulationUniqueness, SampleUniqueness
    from kanonym.pipeline import anonymize, measure, verify
    from kanonym.pipeline.transformation import transform
    from kanonym.policy import Policy
    from kanonym.profiling import Profile, profile
    from kanonym.release import Release
    from kanonym.reporting import report
    from kanonym.series import BatchRelease, Fitted, fit
    from kanonym.synthesis import inject, injected_rows, synthesize
    from kanonym.synthesis.external import SDV, SmartNoise
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
    "AttackResult",
    "Auto",
    "AverageRisk",
    "BatchRelease",
    "BetaLikeness",
    "Bin",
    "CellSuppression",
    "Comparison",
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
    "Profile",
    "QuasiIdentifier",
    "RandomizedResponse",
    "RankSwap",
    "Redact",
    "Release",
    "Risk",
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
    "Utility",
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
    "FF1": "kanonym.actions.pseudonymization.ff1",
    "MDAV": "kanonym.algorithms.microaggregation.mdav",
    "MONA": "kanonym.algorithms.microaggregation.mona",
    "ONA": "kanonym.algorithms.microaggregation.ona",
    "SDV": "kanonym.synthesis.external",
    "VMDAV": "kanonym.algorithms.microaggregation.v_mdav",
    "After": "kanonym.actions.base",
    "AlphaKAnonymity": "kanonym.models.anonymity",
    "AttackResult": "kanonym.evaluation.attacks.result",
    "Auto": "kanonym.algorithms.auto",
    "AverageRisk": "kanonym.models.risk",
    "BatchRelease": "kanonym.series",
    "BetaLikeness": "kanonym.models.likeness",
    "Bin": "kanonym.actions.masking.bins",
    "CellSuppression": "kanonym.algorithms.cell_suppression",
    "Comparison": "kanonym.comparison",
    "CorrelatedNoise": "kanonym.actions.perturbation.correlated_noise",
    "DataError": "kanonym.data.errors",
    "Database": "kanonym.engines.database",
    "DeltaDisclosure": "kanonym.models.likeness",
    "DeltaPresence": "kanonym.models.population",
    "DuckDB": "kanonym.engines.duckdb",
    "Fake": "kanonym.actions.pseudonymization.fake",
    "Fitted": "kanonym.series",
    "FullDomain": "kanonym.algorithms.full_domain",
    "GaussianNoise": "kanonym.actions.perturbation.noise",
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
    "Keep": "kanonym.actions.masking.keep",
    "KeyedHash": "kanonym.actions.pseudonymization.keyed_hash",
    "LDiversity": "kanonym.models.diversity",
    "LaplaceNoise": "kanonym.actions.perturbation.noise",
    "LocalRecoding": "kanonym.algorithms.local_recoding",
    "MaskEmail": "kanonym.actions.masking.mask_email",
    "MaskIban": "kanonym.actions.masking.mask_iban",
    "MaskPhone": "kanonym.actions.masking.mask_phone",
    "Minimizer": "kanonym.minimization",
    "Mondrian": "kanonym.algorithms.mondrian",
    "Policy": "kanonym.policy",
    "PolicyError": "kanonym.data.errors",
    "PopulationUniqueness": "kanonym.models.risk",
    "Profile": "kanonym.profiling",
    "Pram": "kanonym.actions.perturbation.pram",
    "QuasiIdentifier": "kanonym.data.schema",
    "RandomizedResponse": "kanonym.actions.perturbation.randomized_response",
    "RankSwap": "kanonym.actions.perturbation.rank_swap",
    "Redact": "kanonym.actions.masking.redact",
    "Release": "kanonym.release",
    "Risk": "kanonym.evaluation.risk.table_risk",
    "Role": "kanonym.data.schema",
    "Round": "kanonym.actions.masking.rounding",
    "SampleUniqueness": "kanonym.models.risk",
    "SchemaError": "kanonym.data.errors",
    "Segmentation": "kanonym.algorithms.segmentation",
    "Sensitive": "kanonym.data.schema",
    "ShiftDate": "kanonym.actions.masking.shift_date",
    "Shuffle": "kanonym.actions.perturbation.shuffle",
    "SmartNoise": "kanonym.synthesis.external",
    "Spark": "kanonym.engines.spark",
    "Suppress": "kanonym.actions.masking.suppress",
    "Surrogate": "kanonym.actions.pseudonymization.surrogate",
    "Swap": "kanonym.actions.perturbation.swap",
    "TCloseness": "kanonym.models.closeness",
    "TClosenessFirst": "kanonym.algorithms.microaggregation.t_closeness_first",
    "TopBottom": "kanonym.actions.masking.top_bottom",
    "TruncateDate": "kanonym.actions.masking.truncate_date",
    "Univariate": "kanonym.algorithms.microaggregation.univariate",
    "Utility": "kanonym.evaluation.utility.table_utility",
    "Verification": "kanonym.verification",
    "anonymize": "kanonym.pipeline",
    "assess": "kanonym.evaluation.assessment",
    "attack": "kanonym.evaluation.attacks.table_attacks",
    "compare": "kanonym.comparison",
    "estimated_shares": "kanonym.actions.perturbation.randomized_response",
    "fit": "kanonym.series",
    "hierarchy": "kanonym.data.hierarchy",
    "inject": "kanonym.synthesis",
    "injected_rows": "kanonym.synthesis",
    "lattice": "kanonym.comparison.lattice_nodes",
    "measure": "kanonym.pipeline",
    "model_membership": "kanonym.evaluation.attacks.models.table_membership",
    "profile": "kanonym.profiling",
    "read_table": "kanonym.data.files",
    "recommend": "kanonym.comparison",
    "report": "kanonym.reporting",
    "risk": "kanonym.evaluation.risk.table_risk",
    "similarity_attack": "kanonym.evaluation.attacks.linking.similarity",
    "synthesize": "kanonym.synthesis",
    "transform": "kanonym.pipeline.transformation",
    "utility": "kanonym.evaluation.utility.table_utility",
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
