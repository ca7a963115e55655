"""Models of the class size: k-anonymity, and (alpha, k)-anonymity on top of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from kanonym.data.errors import gettext as _
from kanonym.data.person_key import EntityColumns, entity_of
from kanonym.kernels.classes import disclosure
from kanonym.models.base import (
    Criterion,
    Monotone,
    PerClass,
    check_attribute,
    check_integer,
    check_number,
)


@dataclass(frozen=True, slots=True)
class KAnonymity(PerClass):
    """Every class has at least k records, or records of at least k persons.

    Protects against identity disclosure: an intruder who knows a person's quasi-identifiers finds
    at least k records that could be theirs. It does not consider sensitive values: all k records
    may have the same one.

    Parameters
    ----------
    k
        Integer of at least 1.
    entity
        The identifier that tells persons apart, where one person may have several
        records: k then counts persons. Records without a value are one person. A list of
        identifiers tells them apart together, such as the hospital and the number of a
        patient there; null is then a value, and records without any are one person.

    Raises
    ------
    PolicyError
        k is not an integer of at least 1, or entity is neither a column name nor a list of them.

    Notes
    -----
    Monotone, for the number of suppressed records, too: a joined class has the records
    of both, so a class that satisfies the model still does. Persons are counted as the
    distinct values of l-diversity are: a class protects each of its persons in its own
    records, not the history of one person over classes.

    References
    ----------
    Samarati (2001), "Protecting respondents' identities in microdata release";
    Sweeney (2002), "k-anonymity: a model for protecting privacy".

    Examples
    --------
    >>> KAnonymity(5)
    KAnonymity(k=5, entity=None)
    >>> KAnonymity(5, entity=["hospital", "number"])
    KAnonymity(k=5, entity=['hospital', 'number'])
    >>> KAnonymity(0)
    Traceback (most recent call last):
        ...
    kanonym.data.errors.PolicyError: k-anonymity: k is 0; it must be an integer of at least 1

    """

    k: int
    entity: str | None = None

    type: ClassVar[str] = "k-anonymity"
    title: ClassVar[str] = _("k-anonymity")
    keyword: ClassVar[str] = "k"
    promise: ClassVar[str] = _(
        "Whoever knows somebody’s quasi-identifiers finds at least k records that could be theirs."
    )
    no_promise: ClassVar[str] = _(
        "If all of them share one diagnosis, it is known. Add l-diversity or t-closeness."
    )
    symbol: ClassVar[str] = "k"
    relation: ClassVar[str] = "≥"
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "Every record must look the same as at least {others}: each class has at least "
            "{records}."
        ),
        "entity": _(
            "Every record must look the same as those of at least {others}: each class has records "
            "of at least {persons}, identified by “{attribute}”."
        ),
    }
    monotone: ClassVar[Monotone] = "suppression"

    def __init__(self, k: int, entity: EntityColumns | None = None) -> None:
        """Refuse parameters out of their range."""
        check_integer(self.type, "k", k, 1)
        object.__setattr__(self, "k", k)
        key = None if entity is None else entity_of(self.type, entity)
        object.__setattr__(self, "entity", key)

    @property
    def attribute(self) -> str | None:
        """The entity; None where the model looks at class sizes."""
        return self.entity

    @property
    def counts_records(self) -> bool:
        """Whether no persons are counted."""
        return self.entity is None

    @property
    def required(self) -> float:
        """The k asked for."""
        return self.k

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: size >= k, or distinct persons >= k."""
        if self.entity is None:
            return (Criterion(disclosure.SIZE, None, self.k, ">="),)
        return (Criterion(disclosure.DISTINCT, self.entity, self.k, ">="),)


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(PerClass):
    """Every class has at least k records, and no sensitive value has a share above alpha.

    Protects against identity disclosure, and bounds the confidence with which an
    intruder infers any value of the attribute. `required` and `achieved` are alpha;
    `achieved` is infinite where a class is smaller than k, whatever its shares.

    Parameters
    ----------
    alpha
        Largest share of one value in a class, in (0, 1].
    k
        Integer of at least 1.
    attribute
        The sensitive attribute.

    Raises
    ------
    PolicyError
        A parameter is out of its range.

    Notes
    -----
    Satisfying classes stay so when they are joined: a value's share in both together
    lies between its shares in each. The number of suppressed records may grow.

    References
    ----------
    Wong, Li, Fu and Wang (2006), "(alpha, k)-anonymity: an enhanced k-anonymity
    model for privacy preserving data publishing", in its general form: alpha holds
    for every sensitive value, not for one chosen value.

    Examples
    --------
    >>> AlphaKAnonymity(0.5, 3, "disease")
    AlphaKAnonymity(alpha=0.5, k=3, attribute='disease')

    """

    alpha: float
    k: int
    attribute: str

    type: ClassVar[str] = "alpha-k-anonymity"
    title: ClassVar[str] = _("(α, k)-anonymity")
    keyword: ClassVar[str] = "alpha"
    promise: ClassVar[str] = _(
        "As k-anonymity; and no sensitive value has more than the share alpha of a class."
    )
    no_promise: ClassVar[str] = _("Rare values may still be much more frequent than in the table.")
    symbol: ClassVar[str] = "α"
    requirements: ClassVar[Mapping[str, str]] = {
        "": _(
            "Each class has at least {k} records, and no value of “{attribute}” makes up more than "
            "{share} of a class."
        )
    }
    monotone: ClassVar[Monotone] = "generalization"

    def __post_init__(self) -> None:
        """Refuse parameters out of their range."""
        check_number(self.type, "alpha", self.alpha, above=0, maximum=1)
        check_integer(self.type, "k", self.k, 1)
        check_attribute(self.type, self.attribute)

    @property
    def protects(self) -> tuple[Literal["identity", "attributes"], ...]:
        """Both: k records, and no value of too many of them."""
        return ("identity", "attributes")

    @property
    def required(self) -> float:
        """The alpha asked for."""
        return self.alpha

    def criteria(self) -> tuple[Criterion, ...]:
        """Return: largest share <= alpha; size >= k."""
        return (
            Criterion(disclosure.ALPHA, self.attribute, self.alpha, "<="),
            Criterion(disclosure.SIZE, None, self.k, ">="),
        )
