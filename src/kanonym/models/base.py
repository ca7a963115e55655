"""What a privacy model is: one vectorized predicate over equivalence classes, or over the table."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from kanonym.data.errors import PolicyError
from kanonym.data.person_key import PersonKey
from kanonym.differential_privacy.sampling import Sampling
from kanonym.kernels.classes import disclosure

if TYPE_CHECKING:
    from kanonym.data.item_sets import ItemTree
    from kanonym.data.partition import Classes
    from kanonym.models.itemsets import KnownItems


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a model says of a released table.

    failing: (n_classes,) bool, the classes to blame; None where the model blames no class.
    """

    achieved: float
    satisfied: bool
    failing: NDArray[np.bool_] | None = None
    itemsets: tuple[tuple[int | None, tuple[int, ...], int], ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedSets:
    """The sets of items of a released table, of all attributes side by side.

    offsets, labels: (n_rows + 1,) int64 and int32: the labels of each row, ascending and distinct.
    class_of_row: (n_rows,) int32, the equivalence class of each row.
    """

    tree: ItemTree
    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    class_of_row: NDArray[np.int32]


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedTable:
    """What a model may look at in a released table.

    rows: gives (n_rows, n_columns) int32 codes of the released quasi-identifiers: equal values of a
    column have equal codes.
    counts: (n_rows,) int64 records that each row stands for; None for one each.
    """

    classes: Classes
    beyond: Classes
    rows: Callable[[], NDArray[np.int32]]
    counts: NDArray[np.int64] | None = None
    sets: ReleasedSets | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """One compiled condition on a class; a model is met where all of its own hold.

    Attributes
    ----------
    measure
        A measure of `kernels.classes.disclosure` (its integer constant).
    attribute
        The sensitive attribute that it looks at; None for the class size alone.
    threshold
        The required value.
    relation
        `>=`, `<=` or `<`: how the measured value must relate to the threshold.
    argument
        A further integer of the measure (l of recursive (c, l)-diversity), else 0.

    """

    measure: int
    attribute: str | None
    threshold: float
    relation: str
    argument: int = 0

    def measure_classes(self, classes: Classes) -> NDArray[np.float64]:
        """Return (n_classes,) float64: the measure of every class."""
        if self.attribute is None:
            return classes.sizes.astype(np.float64)
        distribution = classes.distributions[self.attribute]
        if self.measure == disclosure.ALPHA and distribution.totals is not None:
            most = np.zeros(len(distribution.totals), np.int64)
            owners = np.repeat(np.arange(len(most)), np.diff(distribution.offsets))
            np.maximum.at(most, owners, distribution.counts)
            return np.asarray(most / np.maximum(distribution.totals, 1))
        ancestors = distribution.ancestors
        if self.measure == disclosure.T_HIERARCHICAL and not len(ancestors):
            raise PolicyError(
                f"t-closeness with hierarchical distance needs a hierarchy of {self.attribute!r}"
            )
        return disclosure.measure_classes(
            self.measure,
            distribution.offsets,
            distribution.values,
            distribution.counts,
            classes.sizes,
            disclosure.reference_shares(distribution.table, ancestors),
            ancestors,
            self.argument,
        )

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes meet the condition."""
        relation = disclosure.RELATIONS[self.relation]
        return disclosure.hold_all(self.measure_classes(classes), relation, float(self.threshold))


MEASURES: dict[str, int] = {
    "records": disclosure.SIZE,
    "distinct": disclosure.DISTINCT,
    "entropy": disclosure.ENTROPY,
    "largest-share": disclosure.ALPHA,
    "t-equal": disclosure.T_EQUAL,
    "t-ordered": disclosure.T_ORDERED,
    "t-hierarchical": disclosure.T_HIERARCHICAL,
    "largest-difference": disclosure.TOTAL_VARIATION,
    "kullback-leibler": disclosure.KL,
    "basic-beta": disclosure.BETA_BASIC,
    "enhanced-beta": disclosure.BETA_ENHANCED,
    "delta": disclosure.DELTA,
    "diversity-percent": disclosure.DIVERSITY_PERCENT,
}
"""What a `Criterion` may measure of a class; definitions in `kernels.classes.disclosure`."""


NO_THRESHOLDS = ("attribute", "entity", "population")
"""Parameters that say of which columns and tables a model speaks."""

Monotone = Literal["suppression", "generalization", "none"]
"""What joining classes (a further generalization) keeps of a model.

`generalization`: where every class satisfies the model, the joined ones do. The number
of records that must be suppressed may still grow: a class that fails can pull one that
does not with it. `suppression`: that number never grows, either, alone or together
with other models of this kind. `none`: neither.
"""


Guarantee = Literal["per class", "whole table", "population", "itemsets", "mechanism"]
"""What a model speaks about.

`per class`: each class on its own. `whole table`: all classes together. `population`: classes
beside those of a population table. `itemsets`: combinations of values in released rows.
`mechanism`: how the release was made, which its values do not show.
"""


class PrivacyModel(ABC):
    """A requirement on every equivalence class of a table, or on all of them together."""

    __slots__ = ()

    type: ClassVar[str]
    title: ClassVar[str] = ""
    """Its name in words; the type where it is empty."""
    keyword: ClassVar[str] = ""
    guarantee: ClassVar[Guarantee] = "per class"
    symbol: ClassVar[str] = ""
    """The letter or word for the required value."""
    relation: ClassVar[str] = "≤"
    """How the achieved value must compare with the required one."""
    variants: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Symbol and relation of the kinds that have others."""
    requirements: ClassVar[Mapping[str, str]] = {}
    """What is required, by kind or distance: a sentence each."""
    compares_with_table: ClassVar[bool] = False
    """Whether classes are compared with the whole table, which the original is."""

    @staticmethod
    def factor(required: float) -> float:
        """Return how many times as frequent as in the table a value may be."""
        return required

    @property
    def entity(self) -> str | None:
        """The identifier by which the model counts persons, or a key of several; None without."""
        return None

    @property
    def protects(self) -> tuple[Literal["identity", "attributes"], ...]:
        """The parts of a verdict that the model is about."""
        named = getattr(self, "attribute", None)
        return ("identity",) if named in (None, self.entity) else ("attributes",)

    @property
    def counts_records(self) -> bool:
        """Whether it counts records that one could be, so that null may be read as a wildcard."""
        return False

    @property
    def population_table(self) -> Any:
        """The population table, or the path of one; None where the model needs none."""
        return None

    @property
    def within_population(self) -> bool:
        """Whether every record of the release must be in the population table."""
        return False

    @property
    def least_persons(self) -> int:
        """Persons of the population that each class must have, where that is all; else 0."""
        return 0

    @property
    def needs_hierarchy(self) -> bool:
        """Whether the attribute needs a hierarchy."""
        return False

    @property
    def trivial(self) -> bool:
        """Whether every table satisfies the model; models per class are asked of the table."""
        return False

    @property
    def sufficient_size(self) -> int:
        """A class size from which on the model holds, where the criteria do not say all; else 1."""
        return 1

    @property
    def rests_on(self) -> str | None:
        """What the proof of a mechanism rests on; None where released values are checked."""
        return None

    @property
    def known_items(self) -> KnownItems | None:
        """What is required of sets of items; None where the model is not about them."""
        return None

    @property
    def sampling(self) -> Sampling | None:
        """How records are sampled; None where all of them take part."""
        return None

    @property
    def monotone(self) -> Monotone:
        """What joining classes keeps of the model; each model's docstring proves its own."""
        return "none"

    @property
    def suppressible(self) -> bool:
        """Whether a class that fails no longer does once its records are suppressed."""
        return True

    if TYPE_CHECKING:
        # Fields of most models, of narrower types: type checkers refuse those of a property, and of
        # a variable of any other type.
        attribute: Any
        """The sensitive attribute, or None for a model of class sizes."""
        required: Any
        """The value that the user asked for."""

    @abstractmethod
    def criteria(self) -> tuple[Criterion, ...]:
        """Return the conditions in the form that compiled kernels read.

        None where the model looks at the whole table or at its population: such a
        model is asked by `satisfied` alone.
        """

    @abstractmethod
    def achieved(self, classes: Classes) -> float:
        """Return the value that the whole table has: the worst over its classes."""

    @abstractmethod
    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes satisfy the model."""

    def answer(self, released: ReleasedTable) -> Answer:
        """Ask every class."""
        holds = self.satisfied(released.classes)
        return Answer(self.achieved(released.classes), bool(holds.all()), ~holds)

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, without what is None."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {
            name: list(value.columns) if isinstance(value, PersonKey) else value
            for name, value in given.items()
            if value is not None
        }


class PerClass(PrivacyModel):
    """The predicate of every model that asks each class on its own: its criteria hold.

    A class without a record, which only the population table has, releases nothing and
    satisfies them all.

    A requirement of your own is a frozen dataclass that inherits from this one. It has a `type`,
    a name that no other model has; `attribute`, the sensitive column that it looks at, or None;
    `required`, the value asked for; and `criteria()`. It goes into the `models` of a policy in
    Python, and every algorithm that takes models of classes takes it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from kanonym.models import MEASURES
    >>> @dataclass(frozen=True)
    ... class AtMost(PerClass):
    ...     attribute: str
    ...     required: float
    ...     type = "at-most"
    ...
    ...     def criteria(self):
    ...         share = MEASURES["largest-share"]
    ...         return (Criterion(share, self.attribute, self.required, "<="),)
    >>> AtMost("income", 0.8).criteria()[0].relation
    '<='

    """

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool: which classes satisfy the model."""
        satisfied = np.ones(len(classes.sizes), np.bool_)
        for criterion in self.criteria():
            satisfied &= criterion.satisfied(classes)
        satisfied |= classes.sizes == 0
        return satisfied

    def achieved(self, classes: Classes) -> float:
        """Return the strictest value of the first criterion's threshold that all classes meet.

        Infinite where a further criterion fails, because no value of the first
        threshold would help then. 0 where there are no classes.
        """
        mask = classes.sizes > 0
        if not mask.any():
            return 0
        first, *further = self.criteria()
        if not all(criterion.satisfied(classes)[mask].all() for criterion in further):
            return math.inf
        measured = first.measure_classes(classes)[mask]
        worst = float(measured.min() if first.relation == ">=" else measured.max())
        whole = first.measure in (disclosure.SIZE, disclosure.DISTINCT)
        return int(worst) if whole else worst


class WholeTable(PrivacyModel):
    """The predicate of every model that asks the whole table: one answer for all classes.

    Such a model looks at the sizes of the released classes and wants one number of
    them, its `measured`, to be at most the required one. Where it is not, no class is
    to blame more than another: which are suppressed, `algorithms.full_domain.nodes` decides.
    """

    guarantee: ClassVar[Guarantee] = "whole table"
    counts_classes: ClassVar[bool] = False
    """Whether `measure_sizes` is the number of classes that count, over that of records."""
    largest_counted: ClassVar[int | None] = None
    """Records of the largest class that counts; None where all do."""

    def answer(self, released: ReleasedTable) -> Answer:
        """Ask all classes together; none is to blame."""
        sizes = released.classes.sizes
        return Answer(self.achieved(released.classes), self.holds(sizes) or not len(sizes))

    @property
    def attribute(self) -> str | None:
        """None: the model looks at class sizes."""
        return None

    @property
    def trivial(self) -> bool:
        """Whether every table satisfies the model: it asks for a share of at most 1."""
        return bool(self.required >= 1)

    @abstractmethod
    def measure_sizes(self, sizes: NDArray[np.int64]) -> float:
        """Return the value of classes of (n_classes,) int64 sizes, each at least 1."""

    @property
    def sufficient_size(self) -> int:
        """A class size from which on every table satisfies the model."""
        return 1 if self.required >= 1 else 2

    def criteria(self) -> tuple[Criterion, ...]:
        """Return none: no class satisfies or fails the model on its own."""
        return ()

    def holds(self, sizes: NDArray[np.int64]) -> bool:
        """Say whether released classes satisfy the model.

        Parameters
        ----------
        sizes
            (n_classes,) int64 numbers of records; classes of none do not count. A
            release without a record satisfies every model.

        """
        return bool(self.measure_sizes(sizes[sizes > 0]) <= self.required + disclosure.TOLERANCE)

    def satisfied(self, classes: Classes) -> NDArray[np.bool_]:
        """Return (n_classes,) bool, all equal: whether the table satisfies the model."""
        return np.full(len(classes.sizes), self.holds(classes.sizes))

    def achieved(self, classes: Classes) -> float:
        """Return the value of the table; 0 where there are no classes."""
        return self.measure_sizes(classes.sizes[classes.sizes > 0])


def whole_table_models(models: Iterable[PrivacyModel]) -> list[WholeTable]:
    """Return the models of the whole table."""
    return [cast("WholeTable", model) for model in models if model.guarantee == "whole table"]


def lost_by_joining(model: PrivacyModel) -> bool:
    """Say whether two classes that satisfy a model may fail it when they are joined."""
    return model.guarantee == "per class" and model.monotone == "none"


def check_attribute(model: str, attribute: object) -> None:
    """Refuse anything but a column name."""
    if not isinstance(attribute, str) or not attribute:
        raise PolicyError(
            f"{model}: attribute is {attribute!r}; it must be the name of a sensitive attribute"
        )


def check_integer(model: str, name: str, value: object, minimum: int) -> None:
    """Refuse anything but an integer of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < minimum:
        raise PolicyError(
            f"{model}: {name} is {value!r}; it must be an integer of at least {minimum}"
        )


def check_number(
    model: str,
    name: str,
    value: object,
    *,
    above: float | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
) -> None:
    """Refuse anything but a finite number in the range that is given."""
    lower = f" above {above}" if above is not None else f" of at least {minimum}"
    upper = "" if maximum is None else f" and at most {maximum}"
    if (
        isinstance(value, bool)
        or not isinstance(value, Real)
        or not math.isfinite(value)
        or (above is not None and float(value) <= above)
        or (minimum is not None and float(value) < minimum)
        or (maximum is not None and float(value) > maximum)
    ):
        raise PolicyError(f"{model}: {name} is {value!r}; it must be a number{lower}{upper}")


def check_choice(model: str, name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse anything but one of the given words."""
    if value not in choices:
        raise PolicyError(f"{model}: {name} is {value!r}; it must be {' or '.join(choices)}")


def check_flag(owner: str, name: str, value: object) -> None:
    """Refuse anything but true and false."""
    if not isinstance(value, bool):
        raise PolicyError(f"{owner}: {name} is {value!r}; it must be true or false")
