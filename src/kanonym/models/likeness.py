"""beta-likeness and delta-disclosure: bounds on how much one value's share may change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from kanonym.data.message import gettext as _
from kanonym.kernels.classes import disclosure
from kanonym.models.base import Monotone, PerClass, check_attribute, check_choice, check_number
from kanonym.models.criteria import Criterion

if TYPE_CHECKING:
    from kanonym.data.partition import Classes

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
    promise: ClassVar[str] = _("No sensitive value becomes much more likely than in the table.")
    no_promise: ClassVar[str] = _("Values may become much less likely. It sets no class size.")
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
    promise: ClassVar[str] = _("Each sensitive value stays about as likely as in the table.")
    no_promise: ClassVar[str] = _("It is hard to satisfy, and costs much information.")
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
