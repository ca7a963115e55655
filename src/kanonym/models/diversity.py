"""l-diversity: every class has enough well-represented sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from kanonym.data.errors import PolicyError
from kanonym.data.message import gettext as _
from kanonym.kernels.classes import disclosure
from kanonym.models.base import (
    Monotone,
    PerClass,
    check_attribute,
    check_choice,
    check_integer,
    check_number,
)
from kanonym.models.criteria import Criterion

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
    promise: ClassVar[str] = _(
        "Each class has several well-represented sensitive values: nobody’s value is certain."
    )
    no_promise: ClassVar[str] = _(
        "A value may be far more likely than in the table, and different values may mean the same."
    )
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
