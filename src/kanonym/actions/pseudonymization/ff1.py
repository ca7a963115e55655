"""Pseudonyms by format-preserving encryption."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from kanonym.actions.base import Action, Context, cell_texts, rewrite_texts
from kanonym.actions.pseudonymization.keyed_pseudonyms import check_source, read_key
from kanonym.data.errors import DataError, Message, PolicyError

_LEAST_DOMAIN = 1_000_000
_KEY_LENGTHS = (32, 48, 64)
_HEXADECIMAL = string.hexdigits.encode()


@dataclass(frozen=True, slots=True)
class FF1(Action):
    """Each value encrypted into one of the same length over the same alphabet.

    Characters outside the alphabet, such as hyphens, stay where they are. Integers become text,
    because a pseudonym may begin with zero. One key and one tweak give one pseudonym in every
    table; `restore` gives the values back. Null stays null. Needs the extra `kanonym[fpe]`.

    Parameters
    ----------
    key
        `{env: NAME}` or `{file: path}` of an AES key in hexadecimal, 32, 48 or 64 digits; read
        when the action is applied.
    alphabet
        The characters that are encrypted, into each other.
    tweak
        A public text; another one gives other pseudonyms under the same key.

    Raises
    ------
    PolicyError
        Another form of key, or characters that stand twice in the alphabet; when applied, no
        such variable or file, no AES key there, or the extra is not installed.
    DataError
        When applied: a value has so few characters of the alphabet that there are less than a
        million of its kind (six digits are enough), which could be tried out.

    Notes
    -----
    Cost 30 to 40 µs a distinct value. NIST SP 800-38G (2016), algorithms 7 and 8, by the
    library libffx; least domain as in the drafts of its revision 1. FF3 and FF3-1 are left
    out: the second of these drafts (2025) withdraws them.

    Examples
    --------
    >>> import numpy as np, os, polars as pl
    >>> from kanonym.actions.base import Context
    >>> os.environ["CARD_KEY"] = "2B7E151628AED2A6ABF7158809CF4F3C"
    >>> cards = pl.Series("card", ["01234-56789", None])
    >>> action = FF1(key={"env": "CARD_KEY"})
    >>> action.apply(cards, Context(np.random.default_rng(0), column=None)).to_list()
    ['24334-77484', None]
    """

    type: ClassVar[str] = "ff1"
    per_value: ClassVar[bool] = True
    protects: ClassVar[str] = Message(
        "Without the key, nobody can find or test the original value."
    )
    exposes: ClassVar[str] = Message(
        "Length and the characters outside the alphabet remain, equal values have equal "
        "pseudonyms, and whoever has the key decrypts them all."
    )

    key: Any  # checked here alone: an error about its type would repeat it
    alphabet: str = "0123456789"
    tweak: str = ""

    def __post_init__(self) -> None:
        check_source(self.type, self.key)
        if (
            not isinstance(self.alphabet, str)
            or len(self.alphabet) < 2
            or len(set(self.alphabet)) < len(self.alphabet)
        ):
            raise PolicyError(
                f"{self.type}: alphabet is {self.alphabet!r}; it must be two or more characters, "
                "each once"
            )
        if not isinstance(self.tweak, str):
            raise PolicyError(f"{self.type}: tweak is {self.tweak!r}; it must be a text")

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the encrypted values; see `Action.apply`."""
        del context  # nothing here is random
        return self._crypt(values, "encrypt")

    def restore(self, values: pl.Series) -> pl.Series:
        """Return the values of pseudonyms, as text.

        Raises
        ------
        PolicyError, DataError
            As `apply`.
        """
        return self._crypt(values, "decrypt")

    def _crypt(self, values: pl.Series, direction: str) -> pl.Series:
        change = getattr(self._cipher(), direction)
        given = cell_texts(values, self.type)
        self._refuse_short(given)
        tweak = self.tweak.encode()

        def crypt(text: str) -> str:
            inside = "".join(c for c in text if c in self.alphabet)
            new = iter(change(inside, tweak=tweak))
            return "".join(next(new) if c in self.alphabet else c for c in text)

        return rewrite_texts(given, crypt)

    def _refuse_short(self, given: pl.Series) -> None:
        """Refuse values of a kind of which there are too few to hide among."""
        least = next(n for n in range(2, 64) if len(self.alphabet) ** n >= _LEAST_DOMAIN)
        counts = given.str.extract_all(f"[{_escape(self.alphabet)}]").list.len()
        short = (counts < least).fill_null(value=False).arg_true()
        if len(short):
            raise DataError(
                f"column {given.name!r}, row {short[0] + 1}: {counts[short[0]]} characters of the "
                f"alphabet are too few for {self.type}, which needs {least}; all values this short "
                f"can be tried: use keyed-hash or surrogate"
            )

    def _cipher(self) -> Any:
        """Return the cipher under the key."""
        try:
            import ffx  # noqa: PLC0415 - an extra
        except ImportError:
            raise PolicyError(
                f"{self.type} needs libffx, which is not installed: pip install 'kanonym[fpe]'"
            ) from None
        text = read_key(self.type, self.key).strip()
        if len(text) not in _KEY_LENGTHS or not all(digit in _HEXADECIMAL for digit in text):
            ((_, name),) = self.key.items()
            raise PolicyError(
                f"{self.type}: {name} holds no AES key: it must be 32, 48 or 64 hexadecimal "
                "digits (`openssl rand -hex 32` makes one)"
            )
        return ffx.FF1(bytes.fromhex(text.decode()), alphabet=self.alphabet)


def _escape(characters: str) -> str:
    """Return characters as a class of a regular expression takes them."""
    return "".join(f"\\x{{{ord(character):x}}}" for character in characters)
