"""Anonymize tabular microdata and verify the result.

The public names load on first use: `import kanonym` stays fast, and a program that
only verifies a table never loads the report's chart library.
"""

import typing as _typing

from kanonym.data.loading import lazy_names as _lazy_names

if _typing.TYPE_CHECKING:
    from kanonym import (
        actions,
        algorithms,
        audit,
        engines,
        linked,
        metrics,
        models,
        series,
        synthesis,
    )
    from kanonym.algorithms.full_domain import FullDomain
    from kanonym.algorithms.local_recoding import LocalRecoding
    from kanonym.algorithms.microaggregation.mdav import MDAV
    from kanonym.algorithms.mondrian import Mondrian
    from kanonym.algorithms.segmentation import Segmentation
    from kanonym.cli.progress import show_progress
    from kanonym.comparison import Comparison, compare, recommend
    from kanonym.comparison.lattice_nodes import lattice
    from kanonym.data import hierarchy, sets
    from kanonym.data.domain import Domain
    from kanonym.data.errors import (
        DataError,
        HierarchyError,
        InfeasibleError,
        KanonymError,
        PolicyError,
        SchemaError,
    )
    from kanonym.data.files import read_table, write_table
    from kanonym.data.schema import Identifier, Insensitive, ItemSet, QuasiIdentifier, Sensitive
    from kanonym.evaluation import attacks
    from kanonym.evaluation.assessment import assess
    from kanonym.evaluation.attacks.result import AttackResult
    from kanonym.evaluation.attacks.table_attacks import attack
    from kanonym.evaluation.risk.table_risk import Risk, risk
    from kanonym.evaluation.utility.table_utility import Utility, utility
    from kanonym.minimization import Minimizer
    from kanonym.models.anonymity import KAnonymity
    from kanonym.models.diversity import LDiversity, TCloseness
    from kanonym.pipeline import anonymize, measure, verify
    from kanonym.pipeline.transformation import transform
    from kanonym.policy import Policy
    from kanonym.profiling import profile  # type: ignore[no-redef] # mypy, in an import cycle
    from kanonym.profiling.profile import Profile
    from kanonym.release import Release
    from kanonym.reporting import report
    from kanonym.series import fit
    from kanonym.synthesis import inject, synthesize
    from kanonym.verification.verdict import Verification

__version__ = "0.1.0"

__all__ = [
    "MDAV",
    "AttackResult",
    "Comparison",
    "DataError",
    "Domain",
    "FullDomain",
    "HierarchyError",
    "Identifier",
    "InfeasibleError",
    "Insensitive",
    "ItemSet",
    "KAnonymity",
    "KanonymError",
    "LDiversity",
    "LocalRecoding",
    "Minimizer",
    "Mondrian",
    "Policy",
    "PolicyError",
    "Profile",
    "QuasiIdentifier",
    "Release",
    "Risk",
    "SchemaError",
    "Segmentation",
    "Sensitive",
    "TCloseness",
    "Utility",
    "Verification",
    "actions",
    "algorithms",
    "anonymize",
    "assess",
    "attack",
    "attacks",
    "audit",
    "compare",
    "engines",
    "fit",
    "hierarchy",
    "inject",
    "lattice",
    "linked",
    "measure",
    "metrics",
    "models",
    "profile",
    "read_table",
    "recommend",
    "report",
    "risk",
    "series",
    "sets",
    "show_progress",
    "synthesis",
    "synthesize",
    "transform",
    "utility",
    "verify",
    "write_table",
]

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "kanonym.algorithms.microaggregation.mdav": "MDAV",
        "kanonym.evaluation.attacks.result": "AttackResult",
        "kanonym.comparison": "Comparison compare recommend",
        "kanonym.data.errors": (
            "DataError HierarchyError InfeasibleError KanonymError PolicyError SchemaError"
        ),
        "kanonym.data.domain": "Domain",
        "kanonym.algorithms.full_domain": "FullDomain",
        "kanonym.data.schema": "Identifier Insensitive ItemSet QuasiIdentifier Sensitive",
        "kanonym.models.anonymity": "KAnonymity",
        "kanonym.models.diversity": "LDiversity TCloseness",
        "kanonym.algorithms.local_recoding": "LocalRecoding",
        "kanonym.minimization": "Minimizer",
        "kanonym.algorithms.mondrian": "Mondrian",
        "kanonym.policy": "Policy",
        "kanonym.profiling": "Profile profile",
        "kanonym.release": "Release",
        "kanonym.evaluation.risk.table_risk": "Risk risk",
        "kanonym.algorithms.segmentation": "Segmentation",
        "kanonym.evaluation.utility.table_utility": "Utility utility",
        "kanonym.verification.verdict": "Verification",
        "kanonym.actions": "actions",
        "kanonym.algorithms": "algorithms",
        "kanonym.pipeline": "anonymize measure verify",
        "kanonym.evaluation.assessment": "assess",
        "kanonym.evaluation.attacks.table_attacks": "attack",
        "kanonym.evaluation.attacks": "attacks",
        "kanonym.audit": "audit",
        "kanonym.engines": "engines",
        "kanonym.series": "fit series",
        "kanonym.data.hierarchy": "hierarchy",
        "kanonym.synthesis": "inject synthesis synthesize",
        "kanonym.comparison.lattice_nodes": "lattice",
        "kanonym.linked": "linked",
        "kanonym.metrics": "metrics",
        "kanonym.models": "models",
        "kanonym.data.files": "read_table write_table",
        "kanonym.reporting": "report",
        "kanonym.data.sets": "sets",
        "kanonym.cli.progress": "show_progress",
        "kanonym.pipeline.transformation": "transform",
    },
)
