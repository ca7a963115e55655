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
        "MDAV": "kanonym.algorithms.microaggregation.mdav",
        "AttackResult": "kanonym.evaluation.attacks.result",
        "Comparison": "kanonym.comparison",
        "DataError": "kanonym.data.errors",
        "Domain": "kanonym.data.domain",
        "FullDomain": "kanonym.algorithms.full_domain",
        "HierarchyError": "kanonym.data.errors",
        "Identifier": "kanonym.data.schema",
        "InfeasibleError": "kanonym.data.errors",
        "Insensitive": "kanonym.data.schema",
        "ItemSet": "kanonym.data.schema",
        "KAnonymity": "kanonym.models.anonymity",
        "KanonymError": "kanonym.data.errors",
        "LDiversity": "kanonym.models.diversity",
        "LocalRecoding": "kanonym.algorithms.local_recoding",
        "Minimizer": "kanonym.minimization",
        "Mondrian": "kanonym.algorithms.mondrian",
        "Policy": "kanonym.policy",
        "PolicyError": "kanonym.data.errors",
        "Profile": "kanonym.profiling",
        "QuasiIdentifier": "kanonym.data.schema",
        "Release": "kanonym.release",
        "Risk": "kanonym.evaluation.risk.table_risk",
        "SchemaError": "kanonym.data.errors",
        "Segmentation": "kanonym.algorithms.segmentation",
        "Sensitive": "kanonym.data.schema",
        "TCloseness": "kanonym.models.diversity",
        "Utility": "kanonym.evaluation.utility.table_utility",
        "Verification": "kanonym.verification.verdict",
        "actions": "kanonym.actions",
        "algorithms": "kanonym.algorithms",
        "anonymize": "kanonym.pipeline",
        "assess": "kanonym.evaluation.assessment",
        "attack": "kanonym.evaluation.attacks.table_attacks",
        "attacks": "kanonym.evaluation.attacks",
        "audit": "kanonym.audit",
        "compare": "kanonym.comparison",
        "engines": "kanonym.engines",
        "fit": "kanonym.series",
        "hierarchy": "kanonym.data.hierarchy",
        "inject": "kanonym.synthesis",
        "lattice": "kanonym.comparison.lattice_nodes",
        "linked": "kanonym.linked",
        "measure": "kanonym.pipeline",
        "metrics": "kanonym.metrics",
        "models": "kanonym.models",
        "profile": "kanonym.profiling",
        "read_table": "kanonym.data.files",
        "recommend": "kanonym.comparison",
        "report": "kanonym.reporting",
        "risk": "kanonym.evaluation.risk.table_risk",
        "series": "kanonym.series",
        "sets": "kanonym.data.sets",
        "synthesis": "kanonym.synthesis",
        "show_progress": "kanonym.cli.progress",
        "synthesize": "kanonym.synthesis",
        "transform": "kanonym.pipeline.transformation",
        "utility": "kanonym.evaluation.utility.table_utility",
        "verify": "kanonym.pipeline",
        "write_table": "kanonym.data.files",
    },
)
