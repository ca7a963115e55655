"""Models of sensitive values: l-diversity, t-closeness, β-likeness and δ-disclosure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.kernels.classes import disclosure
from kanonym.models.base import (
    Criterion,
    Monotone,
    PerClass,
    check_attribute,
    check_choice,
    check_integer,
    check_number,
)

if TYPE_CHECKING:
    from kanonym.data.partition import Classes


Diversity = Literal["distinct", "entropy", "recursive"]


@dataclass(frozen=True, slots=True)
class LDiversity(PerClass):
    """Every class has at least l well-represented values of a sensitive attribute.

    Protects against attribute disclosure where a class agrees on the value
    (homogeneity) or an intruder can rule some values out (background knowledge).
    What "well-represented" means is the kind:

    - `distinct`: at least l different values.
    - `entropy`: exp(H) >= l, with H the entropy of the values in the class; l may
      be any number of at least 1.
    - `recursive`: (c, l)-diversity, r_1 < c * (r_l + ... + r_m), with r the counts
      of the class in descending order: strictly less, so the most frequent value is
      not too frequent even after l - 2 values have been ruled out.

    A class then has at least l records (with a value), with no further condition.
    `required` and `achieved` are l, for `recursive` c.

    Parameters
    ----------
    attribute
        The sensitive attribute.
    l
        At least 1; an integer unless the kind is `entropy`.
    kind
        `distinct`, `entropy` or `recursive`.
    c
        Above 0; for `recursive`, and only there.

    Raises
    ------
    PolicyError
        A parameter is out of its range, missing, or has no meaning for the kind.

    Notes
    -----
    Satisfying classes stay so when they are joined (the paper proves it for each kind;
    entropy is concave). For `distinct` the number of suppressed records never grows,
    either: a joined class has the values of both, so one that satisfies it suffices.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), "l-diversity:
    privacy beyond k-anonymity", ACM TKDD 1(1), section on its instantiations. The
    paper compares entropies, H >= log l; exp(H) >= l is the same for any base.

    Examples
    --------
    >>> LDiversity("disease", l=3)
    LDiversity(attribute='disease', l=3, kind='distinct', c=None)
    >>> LDiversity("disease", l=3, kind="recursive")
    Traceback (most recent call last):
        ...
    kanonym.data.errors.PolicyError: l-diversity: kind recursive needs c, a number above 0

    """

    attribute: str
    l: float
    kind: Diversity = "distinct"
    c: float | None = None

    type: ClassVar[str] = "l-diversity"
    title: ClassVar[str] = _("l-diversity")
    keyword: ClassVar[str] = "l"
    promise: ClassVar[str] = _(
        "Each class has several well-represented sensitive values: nobody’s value is certain."
    )
    no_promise: ClassVar[str] = _(
        "A value may be far more likely than in the table, and different values may mean the same."
    )
    symbol: ClassVar[str] = "l"
    relation: ClassVar[str] = "≥"
    variants: ClassVar[Mapping[str, tuple[str, str]]] = {"recursive": ("c", "<")}
    requirements: ClassVar[Mapping[str, str]] = {
        "distinct": _("In every class, “{attribute}” has at least {asked} distinct values."),
        "entropy": _(
            "In every class, “{attribute}” is at least as varied as {asked} equally frequent "
            "values."
        ),
        "recursive": _(
            "In every class, the most frequent value of “{attribute}” has fewer records than "
            "{asked} times those of the {rank} most frequent value and all rarer ones together."
        ),
    }

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_attribute(self.type, self.attribute)
        check_choice(self.type, "kind", self.kind, ("distinct", "entropy", "recursive"))
        if self.kind == "entropy":
            check_number(self.type, "l", self.l, minimum=1)
        else:
            check_integer(self.type, "l", self.l, 1)
        if self.kind == "recursive":
            if self.c is None:
                raise PolicyError(f"{self.type}: kind recursive needs c, a number above 0")
            check_number(self.type, "c", self.c, above=0)
        elif self.c is not None:
            raise PolicyError(
                f"{self.type}: c is {self.c!r}; kind {self.kind} has no c, kind recursive has"
            )

    @property
    def protects(self) -> tuple[Literal["identity", "attributes"], ...]:
        """Both: l values need at least l records."""
        return ("identity", "attributes")

    @property
    def monotone(self) -> Monotone:
        """`suppression` for distinct values, `generalization` for the other kinds."""
        return "suppression" if self.kind == "distinct" else "generalization"

    @property
    def required(self) -> float:
        """The l asked for; the c of kind `recursive`."""
        return self.l if self.c is None else self.c

    def criteria(self) -> tuple[Criterion, ...]:
        """Return the condition of the kind."""
        if self.c is not None:
            measure = disclosure.RECURSIVE
            return (Criterion(measure, self.attribute, self.c, "<", argument=int(self.l)),)
        measure = disclosure.DISTINCT if self.kind == "distinct" else disclosure.ENTROPY
        return (Criterion(measure, self.attribute, self.l, ">="),)


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
    title: ClassVar[str] = _("t-closeness")
    keyword: ClassVar[str] = "t"
    promise: ClassVar[str] = _(
        "In no class do the sensitive values differ much from the whole table: belonging to a "
        "class tells little."
    )
    no_promise: ClassVar[str] = _("It sets no class size: combine it with k-anonymity.")
    symbol: ClassVar[str] = "t"
    compares_with_table: ClassVar[bool] = True
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


Likeness = Literal["basic", "enhanced"]


@dataclass(frozen=True, slots=True)
class BetaLikeness(PerClass):
    """No value's share in a class exceeds its share in the table by more than a factor.

    With q a value's share in the class and p its share in the table, for every
    value that gained (q > p):

    - `basic`: (q - p) / p <= beta.
    - `enhanced`: (q - p) / p <= min(beta, -ln p), so that frequent values, which
      beta alone would let grow to q = 1, are bounded as well.

    Protects against attribute disclosure, rare values in particular, which
    t-closeness lets grow by any factor as long as their shares stay small.
    `achieved` is the smallest beta that would be met; for `enhanced` it is infinite
    where a value exceeds its own -ln p, since no beta helps there.

    Parameters
    ----------
    attribute
        The sensitive attribute.
    beta
        Above 0.
    kind
        `basic` or `enhanced`.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Satisfying classes stay so when they are joined: a value's share in both together
    lies between its shares in each, and its share in the table is what it was. The
    number of suppressed records may grow.

    References
    ----------
    Cao and Karras (2012), "Publishing microdata with a robust privacy guarantee",
    PVLDB 5(11): basic and enhanced beta-likeness.

    Examples
    --------
    >>> BetaLikeness("disease", beta=2, kind="enhanced")
    BetaLikeness(attribute='disease', beta=2, kind='enhanced')

    """

    attribute: str
    beta: float
    kind: Likeness = "basic"

    type: ClassVar[str] = "beta-likeness"
    title: ClassVar[str] = _("β-likeness")
    keyword: ClassVar[str] = "beta"
    promise: ClassVar[str] = _("No sensitive value becomes much more likely than in the table.")
    no_promise: ClassVar[str] = _("Values may become much less likely. It sets no class size.")
    symbol: ClassVar[str] = "β"
    compares_with_table: ClassVar[bool] = True
    requirements: ClassVar[Mapping[str, str]] = {
        "basic": _(
            "In no class is a value of “{attribute}” more than {times} times as frequent as in the "
            "whole table."
        ),
        "enhanced": _(
            "In no class is a value of “{attribute}” more than {times} times as frequent as in the "
            "whole table; for frequent values the limit is lower."
        ),
    }
    monotone: ClassVar[Monotone] = "generalization"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_attribute(self.type, self.attribute)
        check_number(self.type, "beta", self.beta, above=0)
        check_choice(self.type, "kind", self.kind, ("basic", "enhanced"))

    @staticmethod
    def factor(required: float) -> float:
        """Return 1 + beta."""
        return 1 + required

    @property
    def required(self) -> float:
        """The beta asked for."""
        return self.beta

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: gain <= beta, and for `enhanced` gain / (-ln p) <= 1."""
        basic = Criterion(disclosure.BETA_BASIC, self.attribute, self.beta, "<=")
        if self.kind == "basic":
            return (basic,)
        return (basic, Criterion(disclosure.BETA_EXCESS, self.attribute, 1, "<="))


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(PerClass):
    """Every class changes the logarithm of a present value's share by less than delta.

    With q a value's share in the class and p its share in the table,
    `|log2(q / p)| < delta`, strictly. The logarithm has base 2, as in the paper
    (`kanonym measure` reports the natural one).

    Deviation: the paper asks the condition of every value of the table, and a value
    that is absent from a class (q = 0) makes it infinite, so that every class would
    need every value. Here absent values are left out, as ARX and pycanon do.

    Parameters
    ----------
    attribute
        The sensitive attribute.
    delta
        Above 0.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Not monotone: a value that one of two satisfying classes has and the other lacks can
    be too rare in both together.

    References
    ----------
    Brickell and Shmatikov (2008), "The cost of privacy: destruction of data-mining
    utility in anonymized data publishing", KDD: delta-disclosure privacy.

    Examples
    --------
    >>> DeltaDisclosure("disease", delta=1.5)
    DeltaDisclosure(attribute='disease', delta=1.5)

    """

    attribute: str
    delta: float

    type: ClassVar[str] = "delta-disclosure"
    title: ClassVar[str] = _("δ-disclosure")
    keyword: ClassVar[str] = "delta"
    promise: ClassVar[str] = _("Each sensitive value stays about as likely as in the table.")
    no_promise: ClassVar[str] = _("It is hard to satisfy, and costs much information.")
    symbol: ClassVar[str] = "δ"
    relation: ClassVar[str] = "<"
    compares_with_table: ClassVar[bool] = True
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "In every class, each value of “{attribute}” that occurs is less than {times} times as "
            "frequent as in the whole table, and more than 1/{times} times."
        )
    }
    monotone: ClassVar[Monotone] = "none"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_attribute(self.type, self.attribute)
        check_number(self.type, "delta", self.delta, above=0)

    @staticmethod
    def factor(required: float) -> float:
        """Return the power of 2."""
        return 2**required

    @property
    def required(self) -> float:
        """The delta asked for, base 2."""
        return self.delta

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: |ln(q / p)| < delta * ln 2."""
        threshold = self.delta * math.log(2)
        return (Criterion(disclosure.DELTA, self.attribute, threshold, "<"),)

    def achieved(self, classes: Classes) -> float:
        """Return the largest |log2(q / p)| over classes and present values."""
        return PerClass.achieved(self, classes) / math.log(2)
