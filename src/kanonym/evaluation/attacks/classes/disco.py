"""DiSCO: the secret is disclosive in the synthetic table, and correct in the original."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanonym.data.message import gettext as _
from kanonym.evaluation.attacks.attacked_persons import everybody
from kanonym.evaluation.attacks.base import Aim, Attack
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE
from kanonym.evaluation.attacks.intruder_view import AttackContext
from kanonym.evaluation.attacks.linking.linkage import linkage_obstacle, unattempted_outcome
from kanonym.evaluation.attacks.matching.single_values import (
    OPEN,
    are_among,
    person_values,
    record_values,
)
from kanonym.evaluation.attacks.result import AttackResult, worst_of
from kanonym.evaluation.utility.cells import NumericCells
from kanonym.evaluation.utility.k_marginal import marginal_cells

OF_ORIGINAL = "in the original"


@dataclass(frozen=True, slots=True)
class Disco(Attack):
    """Learn a person's sensitive value from released records of exactly the known values.

    The intruder looks up the released records that have all known values of a person. Where
    they agree on the sensitive value, it is claimed; success: it is the person's. Numbers
    count by the bins of the K-marginal score. A record that leaves several values open is not
    looked at: `homogeneity` reads labels, this attack single values.

    Notes
    -----
    `parts` has by sensitive attribute the rate, and as `in the original` the same of the
    original published unchanged (DiO): the rate is at most about that where a release
    copies, and above it where classes of equal records hide that values differ. The baseline
    is that of `homogeneity`: the released values without the known ones.

    Everybody is looked up. Cost O(records) a column.

    References
    ----------
    Raab, Nowok, Dibben (2024). Practical privacy metrics for synthetic data.
    arXiv:2406.16826: DiSCO and DiO.

    """

    type: ClassVar[str] = "disco"
    title: ClassVar[str] = _("DiSCO")
    asks: ClassVar[str] = _(
        "What is a person’s sensitive value, where all records with exactly the known values have "
        "the same one?"
    )
    told: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is the only one in "
        "records with exactly these values; by chance, of {chance}."
    )
    question: ClassVar[str] = (
        "Do all released records with a person's known values have the same sensitive value, and "
        "is it the person's?"
    )
    method: ClassVar[str] = (
        "learns the only value that released records with exactly the known values have"
    )
    source: ClassVar[str] = "Raab et al. 2024"
    aim: ClassVar[Aim] = "inference"

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        del random
        pair = scene.pair
        reason = linkage_obstacle(pair)
        if reason is None and not scene.sensitive:
            reason = NO_SENSITIVE
        if reason is not None:
            return unattempted_outcome(self, reason)
        known = list(pair.quasi_identifiers)
        cells = [marginal_cells(pair.column(name)) for name in {*known, *scene.sensitive}]
        limits = {cell.name: cell.borders for cell in cells if isinstance(cell, NumericCells)}
        outcomes, parts = [], dict[str, float]()
        for name in scene.sensitive:
            keys = [one for one in known if one != name]
            names = [*keys, name]
            persons, records = (
                values(pair, names, limits) for values in (person_values, record_values)
            )
            if not keys or not len(records):
                continue
            whole = everybody(pair)
            control = None
            if scene.control is not None and scene.control.n_original:
                others = person_values(scene.control, names, limits)
                control = everybody(scene.control).count(find_disclosed(others, records, name))
            constant = records[name].n_unique() == 1
            chance = persons[name].eq_missing(records[name][0]).to_numpy() & constant
            targets = whole.count(find_disclosed(persons, records, name), exact=True)
            baseline = whole.count(chance, exact=True)
            parts |= {
                name: targets.rate,
                f"{name}: {OF_ORIGINAL}": whole.count(find_disclosed(persons, persons, name)).rate,
            }
            outcomes.append(AttackResult(self.type, self.question, targets, baseline, control))
        if not outcomes:
            return unattempted_outcome(self, OPEN)
        return replace(worst_of(outcomes), parts=parts)


def find_disclosed(persons: pl.DataFrame, records: pl.DataFrame, secret: str) -> NDArray[np.bool_]:
    """Return (n,) bool: whether all records of a person's other values have the person's secret."""
    keys = [name for name in records.columns if name != secret]
    values = records.unique()
    certain = values.filter(values.select(keys).is_unique())
    return are_among(persons, certain)
