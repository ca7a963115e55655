"""Values that are the only ones left: homogeneity, background knowledge, DiSCO."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext, everybody
from kanonym.evaluation.attacks.linking.linkage import linkage_obstacle
from kanonym.evaluation.attacks.matching.disclosure import Judgement, PossibleValues, run_disclosure
from kanonym.evaluation.attacks.matching.guessing import values_of
from kanonym.evaluation.attacks.matching.lookup import OPEN, are_among, person_values, record_values
from kanonym.evaluation.attacks.result import AttackResult, worst_of
from kanonym.evaluation.utility.cells import NumericCells
from kanonym.evaluation.utility.k_marginal import marginal_cells
from kanonym.kernels.arrays import Bools
from kanonym.models.base import check_integer

NO_SENSITIVE = Message("no sensitive attribute is in both tables")


@dataclass(frozen=True, slots=True)
class Homogeneity(Attack):
    """Learn a person's sensitive value for certain, from records that all have it.

    The intruder knows the quasi-identifiers of a person and that the person is in the
    release, finds the records that leave these values open, and learns the sensitive value
    where all of them share it. A null is a value. Records that are suppressed altogether, and
    suppressed sensitive cells, count only where nothing else is there: a claim may be wrong.
    Success: there is one value, and it is the person's own.

    Attributes
    ----------
    attempts
        How many persons are looked up at most.

    Notes
    -----
    The original published unchanged discloses every person whose equals (by quasi-identifiers)
    share the value: all where nobody has an equal. The baseline sees the released values without
    the classes, and succeeds where all of them are the same. Distinct l-diversity with l of at
    least 2 leaves 0. Where released values are means or otherwise changed, the intruder takes the
    nearest records. With several sensitive attributes the outcome is that of the largest risk;
    `parts` has each one's rate. Cost: `evaluation.attacks.matching.disclosure.run_disclosure`.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity: privacy beyond
    k-anonymity. ACM TKDD 1(1), section 2.1. There the class is the person's own; here it is
    every class that the intruder cannot tell from it.
    """

    type: ClassVar[str] = "homogeneity"
    title: ClassVar[str] = _("Homogeneity")
    question: ClassVar[str] = _(
        "What is a person’s sensitive value, where all records of the class have the same one?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is certain; by "
        "chance, of {chance}."
    )
    method: ClassVar[str] = (
        "learns a value for certain, because all records that could be the person's have it"
    )
    source: ClassVar[str] = "Machanavajjhala et al. 2007"
    aim: ClassVar[Aim] = "inference"

    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("homogeneity", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        judges = {
            name: (partial(values_of, name=name), partial(judge_few_values, most=1))
            for name in scene.sensitive
        }
        return run_disclosure(self, scene, random, judges, NO_SENSITIVE)


def judge_few_values(learned: PossibleValues, most: int) -> Judgement:
    """Judge whether at most some values could be each person's, the true one among them."""
    distinct = learned.distinct
    claims = (distinct > 0) & (distinct <= most)
    everything = 0 < _distinct_of_table(learned) <= most
    return Judgement(
        claims & learned.includes_own,
        (everything & (learned.table[learned.own] > 0)).astype(np.float64),
        claims,
    )


def _distinct_of_table(learned: PossibleValues) -> int:
    """Return the number of released values; more than there are where no cell says anything."""
    return learned.size + 1 if learned.table[-1] else int((learned.table > 0).sum())


@dataclass(frozen=True, slots=True)
class BackgroundKnowledge(Attack):
    """Learn a person's sensitive value where some values are known not to be the person's.

    As `Homogeneity`, and for each person the intruder can rule out m values: those that help most,
    which is the worst case. Success: the person's value is the only one left. It is so where the
    records that could be the person's have at most m + 1 values, the true one among them.

    Attributes
    ----------
    m
        Values that the intruder rules out for each person; 0 is homogeneity.
    attempts
        How many persons are looked up at most.

    Notes
    -----
    The baseline knows as much, and the released values without the classes: it succeeds
    where the table has at most m + 1 values. Distinct l-diversity with l of at least m + 2
    leaves 0. Full success, nulls and cost as of homogeneity.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007). l-Diversity: privacy beyond
    k-anonymity. ACM TKDD 1(1), sections 2.2 and 4.1. Ruling out is the only background
    knowledge here; likelihoods of values are not.
    """

    type: ClassVar[str] = "background-knowledge"
    title: ClassVar[str] = _("Background knowledge")
    question: ClassVar[str] = _(
        "What is a person’s sensitive value, if some values can be ruled out?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers, and some values that the person does not have. Of 100 known "
        "people, the value of {right} is certain; by chance, of {chance}."
    )
    method: ClassVar[str] = "the same after ruling out `m` values"
    source: ClassVar[str] = "Machanavajjhala et al. 2007"
    aim: ClassVar[Aim] = "inference"

    m: int = 1
    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("background-knowledge", "m", self.m, 0)
        check_integer("background-knowledge", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        judges = {
            name: (partial(values_of, name=name), partial(judge_few_values, most=self.m + 1))
            for name in scene.sensitive
        }
        return run_disclosure(self, scene, random, judges, NO_SENSITIVE)


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
    question: ClassVar[str] = _(
        "What is a person’s sensitive value, where all records with exactly the known values have "
        "the same one?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is the only one in "
        "records with exactly these values; by chance, of {chance}."
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
            return self.not_run(reason)
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
            return self.not_run(OPEN)
        return replace(worst_of(outcomes), parts=parts)


def find_disclosed(persons: pl.DataFrame, records: pl.DataFrame, secret: str) -> Bools:
    """Return (n,) bool: whether all records of a person's other values have the person's secret."""
    keys = [name for name in records.columns if name != secret]
    values = records.unique()
    certain = values.filter(values.select(keys).is_unique())
    return are_among(persons, certain)
