"""Membership: telling whether a person's record was among those that were anonymized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext, AttackedPersons
from kanonym.evaluation.attacks.matching.predicates import nearest_gaps
from kanonym.evaluation.attacks.models.roc import area, best_threshold
from kanonym.evaluation.attacks.result import AttackResult, SuccessCount
from kanonym.models.base import check_integer

NO_CONTROL = Message("give a control table: people who are not in the data")


@dataclass(frozen=True, slots=True)
class Membership(Attack):
    """Take persons whose values a released record fits well for persons of the original.

    The intruder knows the quasi-identifiers of persons, half of them of the original and half
    of the control, and how near the nearest released record is to each. Who is nearer than a
    threshold is taken for a member. The threshold is the best one for half of the persons;
    the other half is decided by it and counted.

    Attributes
    ----------
    attempts
        Decisions that are counted at most, members and others alike.

    Notes
    -----
    Needs a control. Full success: of an original published unchanged everybody is told from
    the persons of the control who have nobody's values; the rate is 1 where all of them are
    such. A person with several records is as near as they are on average, for all of a member's
    records fit the release. The baseline is one half, which a release that leaves everybody's
    values open gives exactly: then all are equally near.

    `parts` has the `advantage` (true positive rate minus false positive rate of the counted
    decisions) and the `auc` (probability that a member is nearer than another person, equal
    ones half, over all persons). Where there are sensitive attributes, also the same for an
    intruder who knows these values, too, under `with sensitive values`.

    The distance is that of `gaps.nearest_gaps`. The advantage is that of Yeom, Giacomelli,
    Fredrikson, Jha (2018, CSF, definition 4); distance to the nearest released record as the
    score is that of Hayes et al. and others on synthetic data. Fixing the threshold on other
    persons than those decided keeps it from being flattered by chance.

    Cost: `nearest_gaps` of twice as many persons as are decided, twice with sensitive attributes.
    """

    type: ClassVar[str] = "membership"
    title: ClassVar[str] = _("Membership")
    question: ClassVar[str] = _("Is a known person in the table at all?")
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 decisions, {right} are right; by chance, {chance}."
    )
    method: ClassVar[str] = "decides who is in the table and who is not; needs a control"
    aim: ClassVar[Aim] = "inference"
    whole_parts: ClassVar[tuple[str, ...]] = (
        "advantage",
        "auc",
        "with sensitive values",
        "advantage with sensitive values",
        "auc with sensitive values",
    )
    unit: ClassVar[str] = "decision"
    of_person: ClassVar[str] = "the records are decided about together"
    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer(self.type, "attempts", self.attempts, 2)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Decide about persons of the original and of the control; see the class."""
        pair, control = scene.pair, scene.control
        if control is None:
            return self.not_run(NO_CONTROL)
        if not pair.n_released or not pair.quasi_identifiers:
            return self.not_run(Message("the release has no record, or no quasi-identifier"))
        half = min(self.attempts, pair.n_persons, control.n_persons) // 2
        if not half:
            return self.not_run(
                Message("the original and the control need two persons each, or more")
            )
        members, others = (
            AttackedPersons.of(one, random.permutation(one.n_persons)[: 2 * half])
            for one in (pair, control)
        )

        secrets = tuple(name for name in scene.sensitive if name not in pair.quasi_identifiers)
        step = scene.progress_steps(4 if secrets else 2)

        def try_columns(names: tuple[str, ...]) -> tuple[SuccessCount, float]:
            near = -members.average(nearest_gaps(pair, members.records, names, pair))
            step()
            far = -others.average(nearest_gaps(control, others.records, names, pair))
            step()
            threshold = best_threshold(near[:half], far[:half])
            correct = (near[half:] >= threshold).sum() + (far[half:] < threshold).sum()
            return SuccessCount(int(correct), 2 * half), area(near, far)

        targets, auc = try_columns(pair.quasi_identifiers)
        parts = {"advantage": _advantage(targets), "auc": auc}
        if secrets:
            stronger, auc = try_columns((*pair.quasi_identifiers, *secrets))
            parts["with sensitive values"] = stronger.rate
            parts["advantage with sensitive values"] = _advantage(stronger)
            parts["auc with sensitive values"] = auc
        baseline = SuccessCount(half, 2 * half, exact=True)
        return AttackResult(self.type, self.question, targets, baseline, parts=parts)


def _advantage(decided: SuccessCount) -> float:
    """Return the true minus the false positive rate, of as many members as others."""
    return 2 * decided.rate - 1
