"""Invented names, addresses and the like in place of real ones."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kanonym.actions.base import Action, Context, Drawn, cell_texts
from kanonym.actions.pseudonymization.keyed_pseudonyms import check_source, read_key
from kanonym.data.errors import DataError, Message, PolicyError
from kanonym.models.base import check_choice

KINDS = {
    "name": "name",
    "first-name": "first_name",
    "last-name": "last_name",
    "user-name": "user_name",
    "email": "safe_email",  # of domains that nobody can have
    "phone": "phone_number",
    "address": "address",
    "street": "street_address",
    "city": "city",
    "postcode": "postcode",
    "company": "company",
    "job": "job",
    "iban": "iban",
}
"""What can be invented, and the name of Faker's provider of it."""

_TRIES = 20


@dataclass(frozen=True, slots=True)
class Fake(Action):
    """An invented value for each distinct one; null stays null. Needs `kanonym[fake]`.

    Equal values have equal fakes, in all columns of a policy with fakes of one kind. No value has
    itself as its fake, as long as the locale has others. Without a key, different values have
    different fakes too, until the locale runs out of them: the fakes of one table distinguish
    records as the values did. With a key, a fake depends on its value and the key alone and so is
    the same in every table; two values may then share one. In several columns of one kind they
    may not: that is refused.

    Parameters
    ----------
    kind
        What to invent: a key of `KINDS`.
    locale
        A locale of Faker, such as de_DE or es_ES.
    key
        `{env: NAME}` or `{file: path}`, at least 16 bytes; read when the action is applied.

    Raises
    ------
    PolicyError
        Unknown kind, or another form of key; when applied, an unknown locale, no such key, or
        the extra is not installed.
    DataError
        When applied to several columns: two values share a fake, or one value has two.

    Notes
    -----
    Cost about 0.15 ms a distinct value, by Faker. Another version of Faker may invent others.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> names = pl.Series("name", ["John", "Emily", "John", None])
    >>> fakes = Fake("first-name").apply(names, Context(np.random.default_rng(0), column=None))
    >>> fakes[0] == fakes[2], fakes[0] != fakes[1], fakes[3]
    (True, True, None)
    """

    type: ClassVar[str] = "fake"
    per_value: ClassVar[bool] = True
    remembers: ClassVar[bool] = True
    protects: ClassVar[str] = Message("The invented value reveals nothing about the real one.")
    exposes: ClassVar[str] = Message(
        "Equal values have equal fakes, so frequencies and links remain; and a fake can by chance "
        "be the name of a real person, in the table or outside."
    )

    kind: str
    locale: str = "en_US"
    key: Any = None  # checked here alone: an error about its type would repeat it

    def __post_init__(self) -> None:
        check_choice(self.type, "kind", self.kind, tuple(KINDS))
        if not isinstance(self.locale, str) or not self.locale:
            raise PolicyError(
                f"{self.type}: locale is {self.locale!r}; it must be one such as en_US"
            )
        if self.key is not None:
            check_source(self.type, self.key)

    @property
    def draws(self) -> bool:
        """Whether fakes depend on a draw: without a key they do."""
        return self.key is None

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the fakes; see `Action.apply`."""
        seed = context.random.bytes(32) if self.key is None else read_key(self.type, self.key)
        invent = self._inventor(seed)
        given = cell_texts(values, self.type)
        distinct = given.drop_nulls().unique().sort().to_list()
        drawn = self._drawn(values.name, distinct, context)
        fakes, taken = drawn.values, set(drawn.values.values())
        tries = _TRIES
        for value in distinct:
            if value in fakes:
                continue
            avoided = taken if self.key is None else set()
            invented = (invent(value, attempt) for attempt in range(tries))
            fake = next((one for one in invented if one != value and one not in avoided), None)
            if fake is None:  # the locale has hardly any left
                fake, tries = invent(value, 0), 2
            fakes[value] = fake
            taken.add(fake)
        if len(drawn.columns) > 1 and len(taken) < len(fakes):
            named = ", ".join(sorted(drawn.columns))
            why = (
                f"the locale {self.locale} has too few for {len(fakes):,} values"
                if self.key is None
                else "with a key, chance decides; leave out key"
            )
            raise DataError(
                f"columns {named}: two values have the same {self.kind} as their {self.type} "
                f"({why}). Give these columns another kind, or the action surrogate or keyed-hash"
            )
        return given.replace_strict(
            distinct, [fakes[value] for value in distinct], default=None, return_dtype=pl.String
        )

    def _drawn(self, name: str, distinct: list[str], context: Context) -> Drawn:
        """Return what is drawn so far, once no value has a fake of this kind by other means."""
        own = (self.type, self.kind, self.locale, str(self.key))
        for bounds, other in list(context.drawn.items()):
            alike = isinstance(bounds, tuple) and bounds[:2] == own[:2] and bounds != own
            if alike and any(value in other.values for value in distinct):
                raise DataError(
                    f"column {name!r} has values in common with "
                    f"{', '.join(sorted(other.columns))}, and {self.type} of kind {self.kind} has "
                    "another locale or key there: each such value would have two. Give these "
                    "columns the same locale and key"
                )
        return context.drawn_for(name, *own)

    def _inventor(self, seed: bytes) -> Callable[[str, int], str]:
        """Return the function that invents the same thing for the same value and attempt."""
        try:
            import faker  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            raise PolicyError(
                f"{self.type} needs Faker, which is not installed: pip install 'kanonym[fake]'"
            ) from None
        try:
            source = faker.Faker(self.locale)
        except AttributeError:
            raise PolicyError(
                f"{self.type}: locale is {self.locale!r}, which Faker does not know; take one such "
                "as en_US, de_DE or es_ES"
            ) from None
        provider = getattr(source, KINDS[self.kind])

        def invent(value: str, attempt: int) -> str:
            digest = hmac.digest(seed, f"{self.kind}\0{attempt}\0{value}".encode(), "sha256")
            source.seed_instance(int.from_bytes(digest, "big"))
            return ", ".join(str(provider()).splitlines())

        return invent
