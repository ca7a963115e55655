"""Pseudonyms by a keyed hash."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kanonym.actions.base import Action, Context
from kanonym.actions.cells import cell_texts, rewrite_texts
from kanonym.actions.pseudonymization.key import check_source, read_key
from kanonym.data.errors import DataError, PolicyError
from kanonym.data.message import Message
from kanonym.models.base import check_integer

_SHORTEST, _WHOLE = 8, 64


@dataclass(frozen=True, slots=True)
class KeyedHash(Action):
    """HMAC-SHA-256 of each value, in hexadecimal; one key, one pseudonym in every table.

    The value is hashed as text, the same for 7, 7.0 and "7", so that tables join whatever
    their files made of a column. Null stays null.

    Parameters
    ----------
    key
        `{env: NAME}` or `{file: path}`, at least 16 bytes; read when the action is applied.
    length
        How many hexadecimal digits of the hash are kept, from 8 to 64. Each is four bits:
        with 32, the chance that any two of a billion values collide is below 10⁻²⁰.
    space
        Name of a key space: equal values of two spaces, such as patient 17 and admission 17,
        have different pseudonyms. None hashes the value alone.

    Raises
    ------
    PolicyError
        Another form of key, or a length out of range; when applied, no such variable or file,
        or a key that is too short.
    DataError
        When applied: two values of the column have one pseudonym of this length.

    Notes
    -----
    Cost 2 to 5 µs a distinct value. Krawczyk, Bellare and Canetti (1997), RFC 2104; a hash
    without a key would let anybody test guessed values.

    Examples
    --------
    >>> import numpy as np, os, polars as pl
    >>> from kanonym.actions.base import Context
    >>> os.environ["STUDY_KEY"] = "of an example only, never of data"
    >>> names = pl.Series("name", ["John", "Emily", "John", None])
    >>> context = Context(np.random.default_rng(0), column=None)
    >>> KeyedHash(key={"env": "STUDY_KEY"}, length=16).apply(names, context).to_list()
    ['63a40bf79e3da516', '69ebcfb32c5c0cc5', '63a40bf79e3da516', None]

    """

    type: ClassVar[str] = "keyed-hash"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Without the key, nobody can find or test the original value."
    )
    exposes: ClassVar[str] = Message(
        "Equal values have equal pseudonyms: frequencies and links between tables remain, and "
        "whoever has the key can test any guessed value."
    )

    key: Any  # checked here alone: an error about its type would repeat it
    length: int = 32
    space: str | None = None

    def __post_init__(self) -> None:
        check_source(self.type, self.key)
        check_integer(self.type, "length", self.length, _SHORTEST)
        if self.length > _WHOLE:
            raise PolicyError(f"{self.type}: length is {self.length}; it must be at most {_WHOLE}")
        if self.space is not None and (not isinstance(self.space, str) or not self.space):
            raise PolicyError(f"{self.type}: space must be a name")
        if self.space is not None and "\0" in self.space:
            raise PolicyError(f"{self.type}: space must be a name without NUL characters")

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the pseudonyms; see `Action.apply`."""
        del context  # nothing here is random
        key = read_key(self.type, self.key)
        prefix = "" if self.space is None else f"pseudonym\0{self.space}\0"

        def pseudonym(text: str) -> str:
            return hmac.digest(key, (prefix + text).encode(), "sha256").hex()[: self.length]

        given = cell_texts(values, self.type)
        hashed = rewrite_texts(given, pseudonym)
        if hashed.n_unique() < given.n_unique():
            raise DataError(
                f"column {values.name!r}: two values have the same pseudonym of {self.length} "
                f"digits; {self.type} needs a larger length"
            )
        return hashed
