"""Kinds: outside its own file, its registry and its translation no source names one by its type."""

from __future__ import annotations

import ast
from pathlib import Path

import kanonym
from kanonym.actions.registry import ACTIONS
from kanonym.metrics.information_loss import METRICS
from kanonym.models import MODELS
from kanonym.policy.algorithms import ALGORITHMS
from kanonym.policy.attacks import ATTACKS
from kanonym.verification.findings import KINDS

SOURCE = Path(kanonym.__file__).parent
REGISTRIES = {
    "actions/registry.py",
    "metrics/information_loss/base.py",
    "models/__init__.py",
    "policy/algorithms.py",
    "policy/attacks.py",
    "verification/findings/__init__.py",
}
OTHER_THINGS = {
    # Words that are no kinds there: an aim of data protection, an answer, a guarantee, SIGO's own.
    ("scrub-text", "actions/free_text/__init__.py"),
    ("singling-out", "evaluation/attacks/base.py"),
    ("singling-out", "evaluation/attacks/downcoding.py"),
    ("singling-out", "evaluation/attacks/linking/exact_matches.py"),
    ("singling-out", "reporting/parts/protection.py"),
    ("not-private", "reporting/wording.py"),
    ("not-private", "reporting/parts/first_page.py"),
    ("average-risk", "cli/judging/compare.py"),
    ("differential-privacy", "synthesis/private.py"),
    ("k-anonymity", "sigo/__init__.py"),
    ("l-diversity", "sigo/__init__.py"),
    ("k-anonymity", "cli/making/sigo.py"),
    ("l-diversity", "cli/making/sigo.py"),
    ("free-text", "profiling/reasons.py"),
    ("free-text", "profiling/identifiers/free_text.py"),
}
CHOICES = {
    # What is tried, recommended or compiled first is a choice of kinds.
    "cli/making/compile.py",
    "comparison/column_costs.py",
    "comparison/recommendation.py",
    "comparison/sweep.py",
    "profiling/columns.py",
    "profiling/first_policy.py",
    "synthesis/result.py",
    "workbench/screens/run.py",
    "workbench/work/exploration.py",
}
LEFT = {
    # Still to be said by a trait.
    ("average-class-size", "algorithms/full_domain/private.py"),
    ("non-uniform-entropy", "algorithms/full_domain/private.py"),
    ("loss-arithmetic", "algorithms/local_recoding.py"),
    ("alpha-k-anonymity", "linked/linked_policy.py"),
    ("full-domain", "linked/person_classes.py"),
    ("full-domain", "policy/definition.py"),
    ("dominant-value", "reporting/linked_document.py"),
    ("unprotected-sensitive", "reporting/linked_document.py"),
    ("alpha-k-anonymity", "workbench/project/history.py"),
    ("full-domain", "workbench/project/history.py"),
}


def types():
    """Return the types of all kinds that are no word of the language."""
    every = {*MODELS, *METRICS, *ATTACKS, *ACTIONS, *ALGORITHMS, *KINDS}
    return {name for name in every if "-" in name}


def own_types(tree):
    """Return the types that the classes and findings of a module declare, and its docstrings."""
    declared, texts = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "type":
            declared.add(getattr(node.value, "value", None))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "finding_kind":
            declared.add(node.args[0].value)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts.add(id(node.value))
    return declared, texts


def named_kinds():
    """Return each type with the module that names it, but for its own and for registries."""
    known = types()
    for path in SOURCE.rglob("*.py"):
        module = path.relative_to(SOURCE).as_posix()
        if module in REGISTRIES | CHOICES:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        declared, texts = own_types(tree)
        for node in ast.walk(tree):
            named = isinstance(node, ast.Constant) and node.value in known - declared
            if named and id(node) not in texts:
                yield node.value, module


def test_no_source_names_a_kind():
    """What is left to be said by a trait is listed; the list may only become shorter."""
    assert set(named_kinds()) - OTHER_THINGS == LEFT
