"""The first policy of a table, tried beside other algorithms."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kanonym.comparison.comparison import Comparison, as_frame_type
from kanonym.comparison.sweep import Combination
from kanonym.comparison.trials import SPAN_LOSS, Trial, run
from kanonym.data import frames
from kanonym.data.columns.rebuild import TableSource
from kanonym.data.errors import DataError, InfeasibleError, Message
from kanonym.data.files import table_of, write_text
from kanonym.data.results import Result, ResultTable
from kanonym.data.schema import Role
from kanonym.models import PrivacyModel, TCloseness
from kanonym.models.base import check_integer
from kanonym.policy import Policy
from kanonym.profiling import Profile, profile
from kanonym.profiling.first_policy import ALGORITHM, policy_text

OTHERS: tuple[Mapping[str, Any], ...] = (
    {"type": "full-domain", "steps": 500},
    {"type": "local-recoding", "steps": 500},
)
"""What is tried beside the algorithm of the first policy, which tries several itself; steps bound
the time that large lattices take, the same everywhere."""

MOST_ROWS = 200_000
"""Of larger tables a sample of so many records is tried."""

SEED = 0
NAMES = 8  # columns that a sentence names


@dataclass(frozen=True, repr=False)
class Recommendation(Result):
    """A first policy, and why it is as it is."""

    policy: Policy
    reasons: tuple[str, ...]
    comparison: Comparison
    profile: Profile
    text: str

    def write_policy(self, path: str | os.PathLike[str]) -> None:
        """Write the policy as YAML, with the evidence as comments, for an editor."""
        write_text(Path(path), self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "policy": self.policy.to_dict(),
            "reasons": list(self.reasons),
            "comparison": self.comparison.to_dict(),
        }

    def tables(self) -> list[ResultTable]:
        """Return the reasons, and a row for each algorithm that was tried."""
        return [ResultTable((), [], notes=self.reasons), self.comparison.releases()]


def recommend(
    frame: TableSource, *, k: int = 5, progress: Callable[[str], None] | None = None
) -> Recommendation:
    """Recommend a first policy for a table, as a starting point.

    The policy is that of `profile`: its roles, k-anonymity, and l-diversity or t-closeness of
    sensitive attributes. It is tried, and so are two algorithms that release levels of hierarchies:
    the reasons tell the loss of each.

    Parameters
    ----------
    frame
        As of `profile`.
    k
        Smallest number of records of a class.
    progress
        Called with the name of each stage as it begins, and with `compare: sentence`.

    Raises
    ------
    PolicyError
        No column is a quasi-identifier, or k is no number of at least 1.
    InfeasibleError
        No release of the table satisfies such a policy, as where it has fewer than k records.
    DataError
        The frame is none, or has no record.

    Notes
    -----
    Of more than 200,000 records the algorithms are tried on a sample, always the same; a release
    of the whole table is then made by the one that is recommended. Searches of lattices end
    after 500 nodes.

    Examples
    --------
    >>> from kanonym.data.example_tables import patients
    >>> found = recommend(patients(500))
    >>> found.comparison.knee is not None, found.policy.models[0]
    (True, KAnonymity(k=5, entity=None))

    """
    step = progress or (lambda _stage: None)
    check_integer("recommend", "k", k, 1)
    frame = table_of(frame)
    native = frames.to_eager(frame)
    if not frames.n_rows(native):
        raise DataError("the table has no record: there is nothing to recommend a policy for")
    found = profile(native, progress=progress)
    policy = found.policy(k)
    table, sampled = native, found.rows > MOST_ROWS
    if sampled:
        random = np.random.default_rng(SEED)
        rows = np.sort(random.choice(found.rows, MOST_ROWS, replace=False))
        table = frames.assemble(native, rows, frames.column_names(native))
    forms = (ALGORITHM, *OTHERS)
    trials = run(table, [_combination(found, k, form) for form in forms], progress=progress)
    first = trials[0]
    if sampled and first.has_release:
        step("check")
        (first,) = run(native, [_combination(found, k, ALGORITHM)], progress=progress)
    if not first.has_release:
        reason = first.reason
        raise InfeasibleError(f"no release of this table satisfies such a policy: {reason}")
    why = [*_choice(first, trials[1:]), *([_sample(found.rows)] if sampled else [])]
    return Recommendation(
        policy=policy,
        reasons=(*_roles(found, policy, k), *why, LOOK),
        comparison=Comparison(
            tuple(trials), frames.n_rows(table), _like=as_frame_type(native, frame)
        ),
        profile=found,
        text=found.policy_text(k),
    )


LOOK = Message(
    "Values do not show what a column means: check the role of every column before using the "
    "policy."
)

NAMED = {
    Role.IDENTIFIER: Message("Identifiers, which are dropped"),
    Role.QUASI_IDENTIFIER: Message("Quasi-identifiers, which are recoded"),
    Role.SENSITIVE: Message("Sensitive attributes, which are released unchanged"),
}


def _combination(found: Profile, k: int, form: Mapping[str, Any]) -> Combination:
    text = policy_text(found, k, form)
    return Combination({"algorithm": form["type"]}, Policy.from_text(text, source="candidate"))


def _loss(trial: Trial) -> float:
    value = trial.utility[SPAN_LOSS]
    return 1.0 if value is None else value


def _roles(found: Profile, policy: Policy, k: int) -> list[str]:
    """Say what the columns are taken for, and what is asked."""
    reasons: list[str] = []
    for role, what in NAMED.items():
        named = found.names(role)
        if named:
            names = ", ".join(named[:NAMES])
            if len(named) > NAMES:
                names = Message("{names} and {more} more", names=names, more=len(named) - NAMES)
            reasons.append(Message("{what}: {names}.", what=what, names=names))
    reasons.append(
        Message(
            "k is {k}: every record looks like at least {others} others. Before anonymization, "
            "{uniques:,} of its {rows:,} records are unique in their quasi-identifiers.",
            k=k,
            others=k - 1,
            uniques=found.together.uniques,
            rows=found.rows,
        )
    )
    asked = {model.attribute: model for model in policy.models if model.entity is None}
    reasons += [
        _diversity(asked[name])
        if name in asked
        else Message(
            "There is no requirement for {name}: all records have the same value.", name=name
        )
        for name in found.names(Role.SENSITIVE)
    ]
    return reasons


def _diversity(model: PrivacyModel) -> str:
    """Say what is asked of a sensitive attribute."""
    if model.type == TCloseness.type:
        return Message(
            "In every class, the values of {attribute} are distributed similarly to the whole "
            "table (t-closeness of at most {required:g}): most records share one value, so "
            "l-diversity would require almost nothing.",
            attribute=model.attribute,
            required=model.required,
        )
    if model.to_dict()["kind"] == "distinct":
        return Message(
            "In every class, {attribute} has at least {required:g} distinct values: the class "
            "alone does not disclose it.",
            attribute=model.attribute,
            required=model.required,
        )
    return Message(
        "In every class, the values of {attribute} are mixed (entropy l-diversity of at least "
        "{required:g}): with 2 distinct values required, all but one record could have the same "
        "value.",
        attribute=model.attribute,
        required=model.required,
    )


def _choice(first: Trial, others: list[Trial]) -> list[str]:
    """Say what the first policy's algorithm loses, and what others do."""
    said: list[str] = [
        Message(
            "The algorithm is {label}: its release loses {loss:.3f} of the detail of the "
            "quasi-identifiers (span loss, 0 nothing to 1 everything). It has {classes:,} classes, "
            "the smallest of {k:,} records, and suppresses {suppressed:,} records.",
            label=first.label,
            loss=_loss(first),
            classes=first.classes,
            k=first.k,
            suppressed=first.suppressed,
        )
    ]
    for other in others:
        facts = {"label": other.label, "loss": _loss(other)}
        if not other.has_release:
            said.append(
                Message(
                    "{label} produced no release: {reason}.", label=other.label, reason=other.reason
                )
            )
        elif _loss(other) < _loss(first):
            said.append(
                Message(
                    "{label} loses less, {loss:.3f}: if labels of hierarchies serve you as well as "
                    "ranges, name it as the algorithm, and leave out the recoding.",
                    **facts,
                )
            )
        else:
            said.append(Message("{label} loses more or as much: {loss:.3f}.", **facts))
    return said


def _sample(rows: int) -> str:
    return Message(
        "The others were tried on {sample:,} of the {rows:,} records; the release of all of them "
        "was made and verified by the first one alone.",
        sample=MOST_ROWS,
        rows=rows,
    )
