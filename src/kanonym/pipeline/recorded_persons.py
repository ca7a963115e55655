"""What a manifest recorded of the persons of a release, for a check without their identifier."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kanonym.data import files
from kanonym.data.errors import DataError
from kanonym.data.schema import Role
from kanonym.models import KAnonymity, PrivacyModel
from kanonym.policy import Policy
from kanonym.verification import ModelCheck, Verification, VerificationWarning

OF_PERSONS = ("repeated-identifier", "repeated-persons", "persons-not-checked")


@dataclass(frozen=True, slots=True)
class RecordedPersons:
    """What was known of persons when a release was made.

    Attributes
    ----------
    persons
        By entity the fewest persons of a class.
    warnings
        What was told of identifiers that repeat.

    """

    persons: Mapping[str, float]
    warnings: tuple[VerificationWarning, ...]

    def is_recorded(self, model: PrivacyModel) -> bool:
        """Whether the manifest tells what a model achieved."""
        return model.entity is not None and model.entity in self.persons

    def with_checks(self, found: Verification, models: Sequence[PrivacyModel]) -> Verification:
        """Return a verification of all models: those that were recorded stand in their places.

        found: of the other models. A class of fewer records than k has fewer persons, too.
        """
        others = iter(found.checks)
        checks = []
        for model in models:
            if not self.is_recorded(model):
                checks.append(next(others))
                continue
            achieved = min(self.persons[str(model.entity)], found.k)
            checks.append(
                ModelCheck(
                    model.type,
                    model.entity,
                    model.required,
                    achieved,
                    achieved >= model.required or not found.rows,
                    trivial=model.required <= 1,
                    recorded=True,
                    guarantee=model.guarantee,
                )
            )
        return replace(found, checks=tuple(checks))


def recorded_persons(manifest: str | Path, released: str | Path, policy: Policy) -> RecordedPersons:
    """Read from the manifest of a release what it recorded of persons.

    Parameters
    ----------
    manifest
        The manifest.
    released
        The released file: its SHA-256 must be the one of the manifest.
    policy
        What is to be checked: its quasi-identifiers must be those of the release.

    Raises
    ------
    DataError
        The manifest cannot be read, is of another file, or of other quasi-identifiers.

    """
    try:
        form = json.loads(Path(manifest).read_text(encoding="utf-8"))
        digest, checked = form["output"]["sha256"], form["verification"]
        attributes = form["policy"]["attributes"]
        persons = {
            str(one["attribute"]): float(one["achieved"])
            for one in checked["models"]
            if one["type"] == KAnonymity.type and "attribute" in one
        }
        warnings = tuple(
            VerificationWarning(
                one["kind"], tuple(one["columns"]), str(one["message"]), dict(one["counts"])
            )
            for one in checked["warnings"]
            if one["kind"] in OF_PERSONS
        )
    except OSError as error:
        raise DataError(f"{manifest}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(
            f"{manifest}: is not a manifest of a released file; `kanonym anonymize --manifest` "
            "writes one"
        ) from None
    found, drawn = files.sha256(released), _drawn_part(form)
    if drawn.get("sha256") == found:
        warnings = (*warnings, _drawn_warning(drawn))
    elif found != digest:
        raise DataError(
            f"{released}: is not the file of the manifest {manifest} (another SHA-256): what was "
            "recorded of persons holds for that file alone"
        )
    known = _quasi_identifiers(attributes)
    asked = [name for name, one in policy.attributes.items() if one.role is Role.QUASI_IDENTIFIER]
    if sorted(known) != sorted(asked):
        raise DataError(
            f"{manifest}: the release has the quasi-identifiers {', '.join(known)}, the policy "
            f"{', '.join(asked)}: persons were counted in other classes"
        )
    return RecordedPersons(persons, warnings)


def _drawn_part(form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a manifest says of a table with one value per cell, {} where there is none."""
    drawn = form.get("drawn")
    return drawn if isinstance(drawn, Mapping) and drawn.get("cells") else {}


def _drawn_warning(drawn: Mapping[str, Any]) -> VerificationWarning:
    """Return the warning that values of the table were drawn from labels."""
    columns = tuple(map(str, drawn.get("columns", ())))
    return VerificationWarning(
        "drawn-values",
        columns,
        f"values of {', '.join(columns)} were drawn from labels: records with equal values "
        "are together by chance, and what a model says of them protects nobody. Verify the "
        "released table with its labels",
        {"cells": int(drawn["cells"])},
    )


def _quasi_identifiers(attributes: Mapping[str, Any]) -> list[str]:
    return [
        name for name, one in attributes.items() if one.get("role") == str(Role.QUASI_IDENTIFIER)
    ]
