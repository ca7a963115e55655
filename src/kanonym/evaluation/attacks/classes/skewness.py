"""Values of a class that are over-represented, or close in meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl

from kanonym.data.errors import Message
from kanonym.data.errors import gettext as _
from kanonym.data.hierarchy import Hierarchy
from kanonym.evaluation.attacks.base import Aim, Attack, AttackContext
from kanonym.evaluation.attacks.classes.homogeneity import NO_SENSITIVE, judge_few_values
from kanonym.evaluation.attacks.matching import disclosure
from kanonym.evaluation.attacks.matching.guessing import Values, values_of
from kanonym.evaluation.attacks.result import AttackResult
from kanonym.evaluation.pair.tables import CategoricalColumn, NumericColumn, TablePair
from kanonym.kernels.arrays import Floats, Int32s
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

    Notes
    -----
    The baseline makes the same claims and is right with probability p. The original
    published unchanged makes every claim right where nobody has an equal (by
    quasi-identifiers): all are claimed whose value has p of at most 1 / lift.

    What t-closeness promises: with equal distances, q - p <= t in every class, and a claimed value
    has q - p >= q (1 - 1 / lift), so that q <= t · lift / (lift - 1). Where each person has one
    candidate class, the rate over all persons is a mean of such q: it is at most t · lift / (lift -
    1), 2 t with a lift of 2, and at most t above the baseline. Ordered and hierarchical distances
    bound neither: near values may take each other's place for little.

    A null is a value; suppressed sensitive cells count neither in q nor in p. Several
    sensitive attributes, changed values and cost as of homogeneity.

    References
    ----------
    Li, Li, Venkatasubramanian (2007). t-Closeness: privacy beyond k-anonymity and l-diversity.
    ICDE, section 3 (skewness attack). The threshold and the counting of persons are ours.
    """

    type: ClassVar[str] = "skewness"
    title: ClassVar[str] = _("Skewness")
    question: ClassVar[str] = _(
        "Whose sensitive value is much more probable in their class than in the whole table?"
    )
    question_about: ClassVar[str] = _(
        "Whose {name} is now easier to guess than from the whole table?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, {right} are guessed right; by chance, "
        "{chance}."
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
        return disclosure.run_disclosure(self, scene, random, judges, NO_SENSITIVE)


def _claims(learned: disclosure.PossibleValues, lift: float) -> disclosure.Judgement:
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
    return disclosure.Judgement(claimed == learned.own, chances, claimed >= 0)


@dataclass(frozen=True, slots=True)
class SimilarityOfValues(Attack):
    """Learn nearly what a person's sensitive value is, from records that nearly agree.

    As `Homogeneity`, but values need not be the same. With a hierarchy of the attribute they
    agree where one label of a level covers all of them; numbers without a hierarchy where
    they span at most a share of the range of all released ones, and none is null. Success:
    they agree, and the person's value lies within. Categories without a hierarchy, or with
    one that has no level between the values and the root, are left out.

    Attributes
    ----------
    level
        The level of the hierarchy, from 1; that below the root where it has fewer.
    share
        The largest span of numbers that are close, as a share of the range, in [0, 1].
    attempts
        How many persons are looked up at most.

    Notes
    -----
    Full success as of homogeneity, with groups of values. The baseline sees the released
    values without the classes. Where the hierarchy does not know a released value, it is a
    group of its own. Several sensitive attributes, changed values and cost as of homogeneity.

    References
    ----------
    Li, Li, Venkatasubramanian (2007). t-Closeness: privacy beyond k-anonymity and
    l-diversity. ICDE, section 3 (similarity attack). Level and share are ours.
    """

    type: ClassVar[str] = "similarity"
    title: ClassVar[str] = _("Similarity")
    question: ClassVar[str] = _(
        "What kind of sensitive value does a person have, where the values of a class are alike?"
    )
    result_sentence: ClassVar[str] = _(
        "Knows the quasi-identifiers. Of 100 known people, the value of {right} is known "
        "approximately; by chance, of {chance}."
    )
    method: ClassVar[str] = (
        "learns the range or the group of a value, because all are close in meaning"
    )
    source: ClassVar[str] = "Li et al. 2007"
    aim: ClassVar[Aim] = "inference"

    level: int = 1
    share: float = 0.05
    attempts: int = 2000

    def __post_init__(self) -> None:
        check_integer("similarity", "level", self.level, 1)
        check_number("similarity", "share", self.share, minimum=0, maximum=1)
        check_integer("similarity", "attempts", self.attempts, 1)

    def run(self, scene: AttackContext, random: np.random.Generator) -> AttackResult:
        """Return what the intruder achieved; see the class."""
        judges: dict[str, tuple[disclosure.Coder, disclosure.Judge]] = {}
        for name in scene.sensitive:
            tree = scene.trees.get(name)
            if tree is not None and tree.n_levels > 2:
                level = min(self.level, tree.n_levels - 2)
                judges[name] = (
                    partial(_group_values, name=name, tree=tree, level=level),
                    partial(judge_few_values, most=1),
                )
            elif isinstance(scene.pair.column(name), NumericColumn):
                judges[name] = (
                    partial(values_of, name=name),
                    partial(_judge_closeness, share=self.share),
                )
        reason = Message(
            "no sensitive attribute is a number or has a hierarchy of more than two levels"
        )
        return disclosure.run_disclosure(self, scene, random, judges, reason)


def _group_values(pair: TablePair, name: str, tree: Hierarchy, level: int) -> Values:
    """Code an attribute by its labels of a level."""
    values, column = values_of(pair, name), pair.column(name)
    leaves = _leaves(tree, values, column)
    own = len(tree.labels[level]) + np.arange(values.size)
    labels = np.where(leaves >= 0, tree.codes[level, leaves], own)
    groups, place = np.unique(labels, return_inverse=True)
    code = np.append(place, len(groups)).astype(np.int32)
    return replace(
        values, own=code[values.own], released=code[values.released], size=len(groups), line=None
    )


def _leaves(tree: Hierarchy, values: Values, column: NumericColumn | CategoricalColumn) -> Int32s:
    """Return (size,) int32: the leaf of each code, -1 where the hierarchy does not know it."""
    if values.line is None:
        assert isinstance(column, CategoricalColumn)  # noqa: S101 - the only one without a line
        return tree.leaf_of(column.categories.sort(nulls_last=True))
    known = tree.values.to_physical() if tree.values.dtype.is_temporal() else tree.values
    physical = replace(tree, values=known.cast(pl.Float64))
    return physical.leaf_of(pl.Series(tree.values.name, values.line))


def _judge_closeness(learned: disclosure.PossibleValues, share: float) -> disclosure.Judgement:
    """Judge whether all numbers that could be each person's lie close together."""
    assert learned.line is not None  # noqa: S101 - numbers have a line
    line = np.append(learned.line, np.nan)
    width = share * _span(line[learned.table > 0])
    ends = learned.counts.indptr
    some = np.diff(ends) > 0
    low, high = np.full((2, len(some)), np.nan)
    low[some] = line[learned.counts.indices[ends[:-1][some]]]
    # Codes ascend, null at the end, and cells alone that say nothing: a NaN is close to nothing.
    high[some] = line[learned.counts.indices[ends[1:][some] - 1]]
    claims = high - low <= width
    own = line[learned.own]
    everything = _span(line[learned.table > 0], whole=True) <= width
    return disclosure.Judgement(
        claims & (low <= own) & (own <= high),
        (everything & (learned.table[learned.own] > 0)).astype(np.float64),
        claims,
    )


def _span(numbers: Floats, *, whole: bool = False) -> float:
    """Return how far numbers reach; NaN where one is none and `whole`, or where there is none."""
    held = numbers if whole else numbers[~np.isnan(numbers)]
    return float(held.max() - held.min()) if len(held) else float("nan")
