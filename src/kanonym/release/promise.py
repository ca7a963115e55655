"""The promise of a release, and its manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanonym.data import files
from kanonym.data.errors import PolicyError
from kanonym.data.schema import QuasiIdentifier
from kanonym.differential_privacy.ledger import Ledger, Unit
from kanonym.engines.decision import Decision
from kanonym.models.differential import sampling_model
from kanonym.policy import Policy


def manifest_path(released: str | Path) -> Path:
    """Return the place of the manifest of a released file.

    >>> manifest_path("out/released.csv").name
    'released.csv.manifest.json'
    """
    return Path(f"{released}.manifest.json")


def is_manifest(path: str | Path) -> bool:
    """Whether a file is a manifest."""
    try:
        form = json.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        return False
    made = form.get("versions") if isinstance(form, dict) else None
    return isinstance(made, dict) and "kanonym" in made


CHECKED = (
    "every class has at least k records",
    "each column has the labels of one level of its hierarchy",
    "there is no other column",
)
"""What verification finds in released values."""

NOT_CHECKED = (
    "that records were sampled with probability beta, from a source that nobody can repeat",
    "that hierarchies, levels and parameters were chosen without looking at the table",
    "that no other release of the same table was made than those in the ledger",
)
"""What no value of a release shows."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What a mechanism promises, in words and numbers that do not depend on the records."""

    epsilon: float
    delta: float
    beta: float
    k: int
    search_epsilon: float | None
    levels: Mapping[str, int]
    highest: Mapping[str, int]
    hierarchies: Mapping[str, Any]
    protects: Unit
    private: bool
    rests_on: str
    spent: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, policy: Policy, decision: Decision, ledger: Ledger | None) -> Promise | None:
        """Return what a release promises; None where no record is sampled."""
        model = sampling_model(policy.models)
        if model is None:
            return None
        known = {
            name: _without_folder(one.hierarchy.to_dict())
            for name, one in policy.attributes.items()
            if isinstance(one, QuasiIdentifier) and one.hierarchy is not None
        }
        table = decision.encoded().table
        return cls(
            epsilon=model.epsilon,
            delta=model.delta,
            beta=float(model.sampling.beta),
            k=model.sampling.k,
            search_epsilon=model.search_epsilon,
            levels=decision.account["levels"],
            highest={
                domain.name: domain.hierarchy.n_levels - 1
                for domain in table.domains
                if domain.hierarchy is not None
            },
            hierarchies=known,
            protects=protected_unit(policy),
            private=policy.seed is None,
            rests_on=model.rests_on,
            spent=None if ledger is None else ledger.total,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the public form."""
        return {
            "private": self.private,
            **({} if self.private else {"not_private_because": "a seed repeats what was drawn"}),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "beta": self.beta,
            "k": self.k,
            **({} if self.search_epsilon is None else {"search_epsilon": self.search_epsilon}),
            "protects": f"one {self.protects}",
            "neighbours": f"tables that differ by one {self.protects} more or less",
            "levels": dict(self.levels),
            "levels_drawn": self.search_epsilon is not None,
            "highest_levels": dict(self.highest),
            "hierarchies": dict(self.hierarchies),
            "rests_on": self.rests_on,
            "checked": list(CHECKED),
            "cannot_be_checked": list(NOT_CHECKED),
            **({} if self.spent is None else {"spent_by_the_table": dict(self.spent)}),
        }


def _without_folder(form: dict[str, Any]) -> dict[str, Any]:
    """Return the form of a hierarchy, a file by its name alone."""
    given = form.get("file")
    if isinstance(given, str):
        return {"file": Path(given).name}
    if isinstance(given, dict):
        return {"file": {**given, "path": Path(given["path"]).name}}
    return form


def protected_unit(policy: Policy) -> Unit:
    """Return what a policy's mechanism protects: persons, where it says that each has a record."""
    named = any(model.entity for model in policy.models)
    return "person" if named or policy.rows == "persons" else "record"


def require_promise(promise: Promise | None) -> Promise:
    """Return a promise, and refuse that there is none."""
    if promise is None:
        raise PolicyError(
            "only a release under differential privacy has a public manifest and a public report: "
            "of any other, all figures depend on the records"
        )
    return promise


def holder_facts(promise: Promise) -> dict[str, Any]:
    """Return a promise for the JSON form of a release, whose other figures are not public."""
    audience = "the holder of the table: figures here depend on the records. Publish the public"
    return {"audience": f"{audience} manifest and report instead", **promise.to_dict()}


def public_manifest(
    promise: Mapping[str, Any],
    columns: Sequence[str],
    output: str | Path | files.Content | None,
    version: str,
) -> dict[str, Any]:
    """Return what may go along with a release or a synthetic table, whose promise is given."""
    written = None if output is None else files.Content.of(output)
    return {
        "audience": "public",
        "kanonym": version,
        "differential_privacy": dict(promise),
        "columns": list(columns),
        **({} if written is None else {"output": {"file": written.name, "sha256": written.sha256}}),
    }
