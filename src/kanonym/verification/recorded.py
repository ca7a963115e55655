"""What the manifest of a release recorded, for a check without the original."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.schema import Role
from kanonym.models import KAnonymity, PrivacyModel
from kanonym.policy import Policy
from kanonym.verification.verdict import Finding, ModelCheck


@dataclass(frozen=True, slots=True)
class RecordedRelease:
    """What was known when a release was made."""

    persons: Mapping[str, float]
    findings: tuple[Finding, ...]
    drawn_columns: tuple[str, ...] = ()
    drawn_cells: int = 0

    def counts(self, model: PrivacyModel) -> bool:
        """Whether the manifest tells what a model achieved."""
        return model.entity is not None and model.entity in self.persons

    def with_checks(
        self, checks: Sequence[ModelCheck], models: Sequence[PrivacyModel], k: int
    ) -> tuple[ModelCheck, ...]:
        """Return the checks of all models, recorded ones too; k: of the smallest class."""
        others = iter(checks)
        return tuple(
            self._check(model, k) if self.counts(model) else next(others) for model in models
        )

    def _check(self, model: PrivacyModel, k: int) -> ModelCheck:
        achieved = min(self.persons[str(model.entity)], k)
        return ModelCheck(
            model.type,
            model.entity,
            model.required,
            achieved,
            achieved >= model.required or not k,
            trivial=model.required <= 1,
            recorded=True,
            guarantee=model.guarantee,
            protects=model.protects,
        )


def recorded_release(manifest: str | Path, released: str | Path, policy: Policy) -> RecordedRelease:
    """Read what the manifest of a release recorded."""
    try:
        form = json.loads(Path(manifest).read_text(encoding="utf-8"))
        digest, checked = form["output"]["sha256"], form["verification"]
        attributes = form["policy"]["attributes"]
        persons = {
            str(one["attribute"]): float(one["achieved"])
            for one in checked["models"]
            if one["type"] == KAnonymity.type and "attribute" in one
        }
        findings = tuple(map(Finding.from_dict, checked["findings"]))
    except OSError as error:
        raise DataError(f"{manifest}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(
            f"{manifest}: is not a manifest of a released file; `kanonym anonymize` writes one"
        ) from None
    found, drawn = files.sha256(released), form.get("drawn")
    drawn = drawn if isinstance(drawn, Mapping) and drawn.get("cells") else {}
    is_drawn = drawn.get("sha256") == found
    if not is_drawn and found != digest:
        raise DataError(
            f"{released}: is not the file of the manifest {manifest} (another SHA-256): what was "
            "recorded of persons holds for that file alone"
        )
    role = str(Role.QUASI_IDENTIFIER)
    known = [name for name, one in attributes.items() if one.get("role") == role]
    asked = [name for name, one in policy.attributes.items() if one.role is Role.QUASI_IDENTIFIER]
    if sorted(known) != sorted(asked):
        raise DataError(
            f"{manifest}: the release has the quasi-identifiers {', '.join(known)}, the policy "
            f"{', '.join(asked)}: persons were counted in other classes"
        )
    if not is_drawn:
        return RecordedRelease(persons, findings)
    columns = tuple(map(str, drawn.get("columns", ())))
    return RecordedRelease(persons, findings, columns, int(drawn["cells"]))
