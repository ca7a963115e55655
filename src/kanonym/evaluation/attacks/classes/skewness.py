"""The skewness attack: a class has more of a value than the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.matching.disclosure import Judgement, PossibleValues, run_disclosure
from kanonym.evaluation.attacks.matching.values import values_of
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.models.base import check_integer, check_number

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Skewness(Attack):
    """Claim of a person the sensitive value that is most over-represented in the class.

    q is a value's share among the records that could be the person's, p its share among all
    released records. The intruder claims the value with the largest q / p, of equal ones
    that with the larger q, if q / p is at least `lift`; else nothing. Success: a claim is
    made and it is right.

    Attributes
    ----------
    lift
        How many times more likely than in the table a value must be to be claimed; above 1.
    attempts
        How many persons are looked up at most.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    The baseline makes the same claims and is right with probability p. The original
    published unchanged makes every claim right where nobody has an equal (by
    quasi-identifiers): all are claimed whose value has p of at most 1 / lift.

    What t-closeness promises: with equal distances, q - p <= t in every class, and a claimed
    value has q - p >= q (1 - 1 / lift), so that q <= t · lift / (lift - 1). Where each
    person has one candidate class, the rate over all persons is a mean of such q: it is at
    most t · lift / (lift - 1), 2 t with a lift of 2, and at most t above the baseline.
    Ordered and hierarchical distances bound neither: near values may take each other's
    place for little.

    A null is a value; suppressed sensitive cells count neither in q nor in p. Several
    sensitive attributes, changed values and cost as of homogeneity.

    References
    ----------
    Li, Li, Venkatasubramanian (2007). t-Closeness: privacy beyond k-anonymity and
    l-diversity. ICDE, section 3 (skewness attack). The threshold and the counting of
    persons are ours.

    """

    type: ClassVar[str] = "skewness"
    title: ClassVar[str] = _("Skewness")
    asks: ClassVar[str] = _(
        "Whose sensitive value is much more probable in their class than in the whole table?"
    )
    asks_of: ClassVar[str] = _("Whose {name} is now easier to guess than from the whole table?")
    told: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
    )
    question: ClassVar[str] = (
        "Can someone guess a person's sensitive value because it is much more frequent among "
        "the records that could be the person's than in the whole table?"
    )
    method: ClassVar[str] = (
        "claims the value that is most over-represented, if it is at least twice as frequent "
        "as in the table"
    )
    source: ClassVar[str] = "Li et al. 2007"
    aim: ClassVar[Aim] = "inference"

    lift: float = 2.0
    attempts: int = 2000

    def __post_init__(self) -> None:
        check_number("skewness", "lift", self.lift, above=1)
        check_integer("skewness", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        judges = {
            name: (partial(values_of, name=name), partial(_claims, lift=self.lift))
            for name in scene.sensitive
        }
        return run_disclosure(self, scene, random, judges, NO_SENSITIVE)


def _claims(learned: PossibleValues, lift: float) -> Judgement:
    """Claim the most over-represented value of each person, and judge the claims."""
    rows, codes = learned.entries
    mask = codes < learned.size
    rows, codes, counts = rows[mask], codes[mask], learned.counts.data[mask]
    n_persons, table = len(learned.own), learned.table[:-1]
    n_known = max(int(table.sum()), 1)
    totals = np.bincount(rows, counts, n_persons)
    # Products of whole numbers: equal ratios are equal, whatever the order of the rows.
    ratios = (counts * n_known) / (totals[rows] * table[codes])
    order = np.lexsort((codes, -counts, -ratios, rows))
    best = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
    best = best[ratios[best] >= lift * (1 - _ROUNDING)]
    claimed = np.full(n_persons, -1, np.int64)
    claimed[rows[best]] = codes[best]
    chances = np.zeros(n_persons)
    chances[rows[best]] = table[codes[best]] / n_known
    return Judgement(claimed == learned.own, chances, claimed >= 0)
