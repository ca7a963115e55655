"""Names, dates, numbers, places and contacts in free text are found and replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import polars as pl

from kanonym.actions.base import Action, Context, cell_texts
from kanonym.actions.free_text import rules
from kanonym.actions.free_text.presidio import find_by_presidio, load_presidio
from kanonym.data.errors import Message, PolicyError
from kanonym.models.base import check_choice

_BLANKS = re.compile(r"[ \t]{2,}")

Find = Callable[[str, str], Sequence[rules.Mention]]


class _Known(NamedTuple):
    """What other columns of the table say that a text may mention.

    words: words of all values. own: (n,) the value of each record in each column, and what
    stands for it.
    """

    words: rules.NameWords
    own: list[tuple[tuple[str, str | None], ...]]


@dataclass(frozen=True, slots=True)
class ScrubText(Action):
    """Identifiers that are written in texts are replaced; null stays null.

    Rules look at forms: e-mail and web addresses, phone numbers, dates, long numbers and codes,
    street addresses, and names after a title or with a common given name. With `columns`, what
    the table itself knows is found too: every word that is part of a value there, in capital or
    small letters. In small letters, words that texts use for other things (will, new, and of other
    records' values what many texts have) are left; words of two letters are found with a capital
    letter in the record's own text.
    What is found overlaps nothing: where two rules find parts of it, all of it is replaced.

    Parameters
    ----------
    language
        `en`, `es` or `de`: the language of the texts.
    columns
        Columns with names, cities and the like; their values are looked for in all texts.
    replace
        `type`: each mention becomes its kind in brackets: [name], [date], [number], [place] or
        [contact]. `pseudonym`: a mention of the record's own value in one of `columns` becomes
        what that column's own actions make of it, so that the text agrees with the table;
        everything else becomes its kind. `remove`: nothing is left.
    detector
        `rules`; or `presidio`, beside the rules: a language model finds names and places. It needs
        `kanonym[text]` and an installed model of spaCy.

    Raises
    ------
    PolicyError
        Unknown language, replacement or detector; `columns` are no names; when applied, a column of
        `columns` has no action that makes pseudonyms.
    MissingExtraError
        When applied: Presidio, or a model of the language, is not installed.

    Notes
    -----
    Cost about 0.7 ms for a note of 50 words. Recall and precision on generated notes:
    docs/actions.md.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from kanonym.actions.base import Context
    >>> notes = pl.Series("note", ["Mrs Smith called on 3 May 2020 from 555-123-4567.", None])
    >>> ScrubText().apply(notes, Context(np.random.default_rng(0), column=None)).to_list()
    ['Mrs [name] called on [date] from [contact].', None]
    """

    type: ClassVar[str] = "scrub-text"
    protects: ClassVar[str] = Message(
        "Names, dates, numbers, places and contacts that are found in a text cannot be read."
    )
    exposes: ClassVar[str] = Message(
        "What is not found remains, above all names without a title or a common given name, and "
        "what a text tells without naming anybody: whoever knows the story knows the person. Of "
        "the mentions in generated notes, rules alone found 73 to 86 %, with columns of the table "
        "98 to 100 %; 92 to 100 % of the replacements were right. Real notes are harder."
    )

    language: Literal["en", "es", "de"] = "en"
    columns: Sequence[str] = ()
    replace: Literal["type", "pseudonym", "remove"] = "type"
    detector: Literal["rules", "presidio"] = "rules"

    def __post_init__(self) -> None:
        check_choice(self.type, "language", self.language, rules.LANGUAGES)
        check_choice(self.type, "replace", self.replace, ("type", "pseudonym", "remove"))
        check_choice(self.type, "detector", self.detector, ("rules", "presidio"))
        given = [self.columns] if isinstance(self.columns, str) else self.columns
        if not isinstance(given, list | tuple) or not all(isinstance(n, str) and n for n in given):
            raise PolicyError(f"{self.type}: columns is {self.columns!r}; it must be column names")
        object.__setattr__(self, "columns", tuple(given))
        if self.replace == "pseudonym" and not given:
            raise PolicyError(
                f"{self.type}: replace is pseudonym, and no column is named that has them: "
                "set columns"
            )

    def apply(self, values: pl.Series, context: Context) -> pl.Series:
        """Return the scrubbed texts; see `Action.apply`."""
        texts = cell_texts(values, self.type)
        known = self._known(texts, context)
        find = self._finder()
        scrubbed = [
            None if text is None else self._scrub(text, find(text, self.language), known, row)
            for row, text in enumerate(texts)
        ]
        return pl.Series(values.name, scrubbed, dtype=pl.String)

    def _finder(self) -> Find:
        if self.detector == "rules":
            return lambda text, language: list(rules.find_by_rules(text, language))
        by_model = partial(find_by_presidio, load_presidio(self.language))
        return lambda text, language: [
            *rules.find_by_rules(text, language),
            *by_model(text, language),
        ]

    def _known(self, texts: pl.Series, context: Context) -> _Known:
        """Return what the columns say, for each of the texts."""
        n, values = len(texts), set[str]()
        sides = []
        for name in self.columns:
            own = cell_texts(context.other_column(name), self.type)
            stands: pl.Series | None = None
            if self.replace == "pseudonym":
                stands = context.pseudonyms(name)
                if stands is None:
                    raise PolicyError(
                        f"{self.type}: replace is pseudonym, and column {name!r} has no action "
                        "that makes pseudonyms: give it one, such as surrogate or fake"
                    )
                if context.rows is not None:
                    stands = stands.gather(context.rows)
                stands = cell_texts(stands, self.type)
            values.update(own.drop_nulls().unique())
            sides.append(zip(own, [None] * n if stands is None else stands, strict=True))
        own_values = [
            tuple((value, stand) for value, stand in pairs if value is not None)
            for pairs in zip(*sides, strict=True)
        ]
        return _Known(rules.NameWords.of_table(values, texts.drop_nulls()), own_values or [()] * n)

    def _scrub(self, text: str, found: Sequence[rules.Mention], known: _Known, row: int) -> str:
        own = [
            rules.Mention(*place, "name", stand)
            for value, stand in known.own[row]
            for place in rules.NameWords.of_record(value).places(text)
        ]
        table = [rules.Mention(*place, "name") for place in known.words.places(text)]
        stand_ins = [one for one in own if one.replacement is not None]
        mentions = rules.merge_mentions([*stand_ins, *found, *own, *table])
        parts, last = [], 0
        for mention in mentions:
            stand = mention.replacement or ("" if self.replace == "remove" else f"[{mention.kind}]")
            parts += [text[last : mention.start], stand]
            last = mention.end
        scrubbed = "".join([*parts, text[last:]])
        return _BLANKS.sub(" ", scrubbed).strip() if self.replace == "remove" else scrubbed
