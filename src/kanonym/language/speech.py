"""How a report speaks: sentences translated, and numbers as the language writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from gettext import NullTranslations
from itertools import accumulate
from typing import Any

from kanonym.data.errors import Message, Sentence, ngettext, pgettext
from kanonym.data.errors import gettext as _

NAMES_SHOWN = 12
LETTERS_SHOWN = 400
LEAST_VALUE = 0.0001
"""Values closer to 0 than this are written as less than it."""
_PERCENT = "\N{NO-BREAK SPACE}%"

NOUNS = {
    "record": ngettext("record", "records"),
    "item": ngettext("item", "items"),
    "column": ngettext("column", "columns"),
    "class": ngettext("class", "classes"),
    "node": ngettext("node", "nodes"),
    "cell": ngettext("cell", "cells"),
    "other": ngettext("other", "others"),
    "other-person": ngettext("other person", "other people"),
    "person": ngettext("person", "people"),
    "attack": ngettext("attack", "attacks"),
    "description": ngettext("description", "descriptions"),
    "decision": ngettext("decision", "decisions"),
    "person-cells": ngettext("person (cell by cell)", "people (cell by cell)"),
    "record-cells": ngettext("record (cell by cell)", "records (cell by cell)"),
    "rectangle": ngettext("rectangle", "rectangles"),
    "pair": ngettext("pair", "pairs"),
    "bar": ngettext("bar", "bars"),
    "run": ngettext("run", "runs"),
}
"""The words for what units of attacks and of persons count."""


@dataclass(frozen=True, slots=True, eq=False)
class Translator:
    """One language."""

    code: str
    decimal: str
    thousands: str
    locale: str
    conjunction: Callable[[str], str]
    ordinal: Callable[[int], str]
    catalogue: NullTranslations = field(default_factory=NullTranslations)

    def translate(self, message: str) -> str:
        """Say a message in this language; one without a translation stays English.

        Examples
        --------
        >>> from kanonym.language import SPANISH
        >>> SPANISH.translate(Message("the original has no record"))
        'el original no tiene registros'

        """
        if isinstance(message, Sentence):
            return self.text(message)
        if not isinstance(message, Message):
            return message
        template = self.catalogue.gettext(message.template)
        if template == message.template:
            return message
        facts = {name: self._format_fact(fact) for name, fact in message.facts.items()}
        return template.format(**facts)

    def text(self, sentence: str, n: float | None = None, /, **facts: Any) -> str:
        """Fill in a sentence in this language; `n` chooses between one and many.

        Examples
        --------
        >>> from kanonym.language import SPANISH
        >>> SPANISH.text(_("under {number}"), number=5)
        'menos de 5'

        """
        return self.template(sentence, n).format(**facts)

    def template(self, sentence: str, n: float | None = None) -> str:
        """Return a sentence in this language, not filled in."""
        if not isinstance(sentence, Sentence):
            return self.catalogue.gettext(sentence)
        if sentence.many:
            return self.catalogue.ngettext(sentence, sentence.many, 1 if n == 1 else 2)
        if sentence.context:
            return self.catalogue.pgettext(sentence.context, sentence)
        return self.catalogue.gettext(sentence)

    def template_functions(self) -> dict[str, Callable[..., str]]:
        """Return what templates call: the names that Babel looks for, and `say` for the rest."""
        return {
            "say": self.text,
            "_": lambda text, **facts: self.text(Sentence(text), **facts),
            "ngettext": lambda one, many, n, **facts: self.text(Sentence(one, many), n, **facts),
            "pgettext": lambda context, text, **facts: self.text(
                Sentence(text, context=context), **facts
            ),
        }

    def plural(self, number: float, noun: str) -> str:
        """Write a number with its noun: `1 class`, `222 classes`."""
        return f"{self.count(number)} {self.text(NOUNS.get(noun, noun), number)}"

    def count(self, number: float) -> str:
        """Write a number of things: `30,162`."""
        return self.localize(f"{number:,.0f}")

    def percent(self, share: float) -> str:
        """Write a share of 0 to 1 in percent, never rounded to 0 or to 100 unless it is."""
        if 0 < share < 0.001:
            return self.text(
                pgettext("share", "under {least}"), least=self.localize("0.1") + _PERCENT
            )
        if 0.999 < share < 1:
            return self.text(_("over {most}"), most=self.localize("99.9") + _PERCENT)
        return f"{self.localize(f'{round(100 * share, 1):g}')}{_PERCENT}"

    def tenths(self, share: float) -> str:
        """Write a share in percent with one decimal, so that columns of them are even."""
        share = round(share, 9)
        if 0 < share < 0.001 or 0.999 < share < 1:
            return self.percent(share)
        return f"{self.localize(f'{100 * share:.1f}')}{_PERCENT}"

    def per_hundred(self, share: float) -> str:
        """Write how many of a hundred a share is: `about 13`, `under 1`, `over 99`."""
        share = round(share, 9)
        if 0 < share < 0.01 or 0.99 < share < 1:
            return (
                self.text(_("under {number}"), number=1)
                if share < 0.5
                else self.text(_("over {number}"), number=99)
            )
        number = self.count(100 * share)
        return number if share in {0.0, 1.0} else self.text(_("about {number}"), number=number)

    def exact_percent(self, share: float) -> str:
        """Write a share in percent with up to two decimals; 0 and 100 stand for none and all."""
        if share not in (0, 1):
            share = min(max(round(share, 4), 0.0001), 0.9999)
        return f"{self.localize(f'{100 * share:.6g}')} %"

    def precise_percent(self, share: float) -> str:
        """Write a small share in percent with two digits that are not zero: `0.0097 %`."""
        share = round(share, 9)
        if share >= 0.01 or share <= 0:
            return self.percent(share)
        digits = 1 - math.floor(math.log10(100 * share))
        return f"{self.localize(f'{100 * share:.{digits}f}'.rstrip('0').rstrip('.'))}{_PERCENT}"

    def chance(self, share: float) -> str:
        """Write a chance as `1 in 5 (20 %)`."""
        if share >= 1:
            return self.text(_("1 in 1 (certain)"))
        if share <= 0:
            return "0"
        return self.text(
            _("1 in {number} ({share})"),
            number=self.count(1 / share),
            share=self.precise_percent(share),
        )

    def value(self, number: float | None) -> str:
        """Write a measured value: integers whole, others with four significant digits.

        What is nearly nothing is `under 0.0001`.
        """
        if number is None:
            return "–"
        if not math.isfinite(number):
            return self.text(_("unbounded"))
        if float(number).is_integer() or abs(number) >= 10_000:
            return self.count(number)
        if abs(number) < LEAST_VALUE:
            least = self.localize(f"{LEAST_VALUE:.4f}")
            return self.text(_("under {least}") if number > 0 else _("0 to −{least}"), least=least)
        return self.localize(f"{number:.4g}")

    def names(self, listed: Sequence[str], letters: int = LETTERS_SHOWN) -> str:
        """Write names as an enumeration, long ones cut: `age, sex and 288 more`.

        At most twelve names are written, and none that begin after so many letters.
        """
        begins = accumulate((len(name) + 2 for name in listed), initial=0)
        shown = sum(begin < letters for begin, _ in zip(begins, listed, strict=False))
        shown = min(shown, NAMES_SHOWN)
        if len(listed) > shown:
            more = self.count(len(listed) - shown)
            return self.text(
                _("{names} and {number} more"), names=", ".join(listed[:shown]), number=more
            )
        if len(listed) < 2:
            return "".join(listed)
        last = f"{self.conjunction(listed[-1])} {listed[-1]}"
        return f"{', '.join(listed[:-1])} {last}"

    def terms(self, terms: Sequence[str]) -> str:
        """Name what columns are or hold, in the language."""
        return ", ".join(sorted(map(self.template, terms)))

    def pairs(self, parts: Mapping[str, Any]) -> str:
        """Write keys and values in a line: `type mondrian, levels (age 2, sex 0)`."""
        return ", ".join(f"{key} {self._format_part(part)}" for key, part in parts.items())

    def durations(self, seconds: Mapping[str, float]) -> str:
        """Write seconds by stage in a line."""
        return ", ".join(
            f"{stage} {self.localize(f'{spent:.2f}')}" for stage, spent in seconds.items()
        )

    def localize(self, number: str) -> str:
        """Put the separators of the language into a number as Python writes it."""
        return number.translate(str.maketrans(",.", self.thousands + self.decimal))

    def _format_fact(self, fact: Any) -> Any:
        """Write a fact of a message: messages translated, numbers as the language writes them."""
        if isinstance(fact, str) or not isinstance(fact, int | float):
            return self.translate(fact) if isinstance(fact, str) else fact
        return self.count(fact) if isinstance(fact, int) else self.value(fact)

    def _format_part(self, part: Any) -> str:
        """Write a value of any kind for a reader."""
        if isinstance(part, bool):
            return self.text(_("yes") if part else _("no"))
        if isinstance(part, Mapping):
            return f"({self.pairs(part)})"
        if isinstance(part, list | tuple):
            return f"({', '.join(map(self._format_part, part))})"
        return self.localize(f"{part:.4g}") if isinstance(part, float) else str(part)
