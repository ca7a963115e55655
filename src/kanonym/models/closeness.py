"""t-closeness: the sensitive values of every class are distributed as those of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from kanonym.data.message import gettext as _
from kanonym.kernels.classes import disclosure
from kanonym.models.base import Monotone, PerClass, check_attribute, check_choice, check_number
from kanonym.models.criteria import Criterion

Distance = Literal["equal", "ordered", "hierarchical", "largest-difference", "kullback-leibler"]

_MEASURES = {
    "equal": disclosure.T_EQUAL,
    "ordered": disclosure.T_ORDERED,
    "hierarchical": disclosure.T_HIERARCHICAL,
    "largest-difference": disclosure.TOTAL_VARIATION,
    "kullback-leibler": disclosure.KL,
}


@dataclass(frozen=True, slots=True)
class TCloseness(PerClass):
    """The distance from every class to the table is at most t: the earth mover's, or a simpler one.

    Protects against attribute disclosure by what a class reveals beyond the table: skewed shares,
    and values that are distinct but similar. The distance defines similarity:

    - `equal`: any two values are equally far apart.
    - `ordered`: values stand in the order of their codes (numbers and dates in
      their own); neighbours are 1 / (m - 1) apart, with m the number of distinct
      values of the table, however far apart the numbers themselves are.
    - `hierarchical`: two values are as far apart as their lowest common ancestor is
      high: its level / the height of the hierarchy. Needs a hierarchy of the
      attribute.

    Two further distances are those of teaching texts, not of the paper. They know no similar
    values:

    - `largest-difference`: the largest difference between the share of a value in the class and
      its share in the table. It is at most the `equal` distance.
    - `kullback-leibler`: the Kullback-Leibler divergence of the class from the table, with
      natural logarithms. It has no upper bound of its own.

    Parameters
    ----------
    attribute
        The sensitive attribute.
    t
        In [0, 1]; for `kullback-leibler` at least 0.
    distance
        `equal`, `ordered`, `hierarchical`, `largest-difference` or `kullback-leibler`.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Satisfying classes stay so when they are joined: the distance is convex, so that
    of a mixture of two distributions is at most the larger of theirs (Li et al.,
    theorem on generalization; the largest difference is a norm, and the divergence is convex in
    the class). The number of suppressed records may grow.

    References
    ----------
    Li, Li and Venkatasubramanian (2007), "t-closeness: privacy beyond k-anonymity
    and l-diversity", ICDE, sections on t-closeness and the earth mover's distance.

    Examples
    --------
    >>> TCloseness("disease", t=0.2)
    TCloseness(attribute='disease', t=0.2, distance='equal')

    """

    attribute: str
    t: float
    distance: Distance = "equal"

    type: ClassVar[str] = "t-closeness"
    promise: ClassVar[str] = _(
        "In no class do the sensitive values differ much from the whole table: belonging to a "
        "class tells little."
    )
    no_promise: ClassVar[str] = _("It sets no class size: combine it with k-anonymity.")
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "In every class, the distribution of “{attribute}” is close to that of the whole "
            "table: at a distance of at most {asked}, on a scale from 0 (the same) to 1."
        ),
        "largest-difference": _(
            "In every class, the share of each value of “{attribute}” differs by at most {asked} "
            "from its share in the whole table."
        ),
        "kullback-leibler": _(
            "In every class, the Kullback-Leibler divergence of the distribution of “{attribute}” "
            "from that of the whole table is at most {asked}; 0 is the same."
        ),
    }
    monotone: ClassVar[Monotone] = "generalization"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_attribute(self.type, self.attribute)
        check_choice(self.type, "distance", self.distance, tuple(_MEASURES))
        highest = None if self.distance == "kullback-leibler" else 1
        check_number(self.type, "t", self.t, minimum=0, maximum=highest)

    @property
    def needs_hierarchy(self) -> bool:
        """Whether distances are those of a hierarchy."""
        return self.distance == "hierarchical"

    @property
    def required(self) -> float:
        """The t asked for."""
        return self.t

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: distance <= t."""
        return (Criterion(_MEASURES[self.distance], self.attribute, self.t, "<="),)
