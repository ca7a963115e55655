"""Dates as people write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self

import polars as pl

from kanonym.data.errors import PolicyError


class Names(NamedTuple):
    """The names of a language in their order, in full and short, in one text each."""

    full: str
    short: str


MONTHS = {
    "en": Names(
        "January February March April May June July August September October November December",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    ),
    "de": Names(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan. Feb. März Apr. Mai Juni Juli Aug. Sep. Okt. Nov. Dez.",
    ),
    "es": Names(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
    ),
    "fr": Names(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    ),
}
WEEKDAYS = {
    "en": Names(
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday", "Mon Tue Wed Thu Fri Sat Sun"
    ),
    "de": Names(
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag", "Mo Di Mi Do Fr Sa So"
    ),
    "es": Names(
        "lunes martes miércoles jueves viernes sábado domingo", "lun mar mié jue vie sáb dom"
    ),
    "fr": Names(
        "lundi mardi mercredi jeudi vendredi samedi dimanche", "lun. mar. mer. jeu. ven. sam. dim."
    ),
}
_VARIANTS = (
    ("jän jänner", 1),
    ("fevrier fevr fév fev", 2),
    ("mär maerz mrz", 3),
    ("juill", 7),
    ("aout", 8),
    ("sept set setiembre", 9),
    ("decembre", 12),
)


def _numbers(languages: dict[str, Names]) -> dict[str, int]:
    """Return the number of each name, in lower case and without a point."""
    return {
        name.lower().removesuffix("."): number
        for names in languages.values()
        for own in names
        for number, name in enumerate(own.split(), 1)
    }


NUMBER_OF_MONTH = {
    **{name: month for names, month in _VARIANTS for name in names.split()},
    **_numbers(MONTHS),
}
_SPELT = {"tues": 2, "thur": 4, "thurs": 4, "sonnabend": 6, "miercoles": 3, "mie": 3, "sabado": 6}
NUMBER_OF_WEEKDAY = {**_SPELT, **_numbers(WEEKDAYS)}


def month_numbers(names: pl.Series) -> pl.Series:
    """Return (n,) Int32 the months that names are, null where one is none."""
    return _look_up(names, NUMBER_OF_MONTH)


def weekday_numbers(names: pl.Series) -> pl.Series:
    """Return (n,) Int32 the weekdays that names are, Monday as 1, null where one is none."""
    return _look_up(names, NUMBER_OF_WEEKDAY)


def _look_up(names: pl.Series, numbers: dict[str, int]) -> pl.Series:
    bare = names.str.to_lowercase().str.strip_suffix(".")
    return bare.replace_strict(numbers, default=None, return_dtype=pl.Int32)


def names_like(
    shown: dict[int, str], *, full: bool, languages: dict[str, Names] = MONTHS
) -> tuple[str, ...]:
    """Return the names of all months in the language and case of those of some.

    shown: by number, names as a table writes them. languages: `MONTHS` or `WEEKDAYS`.
    """
    known = [(names.full if full else names.short).split() for names in languages.values()]
    best = max(
        known,
        key=lambda own: sum(_bare(own[one - 1]) == _bare(name) for one, name in shown.items()),
    )
    texts = list(shown.values())
    made = []
    for name in best:
        one = name
        if texts and not all(text.endswith(".") for text in texts):
            one = one.removesuffix(".")
        if texts and all(text.isupper() for text in texts):
            one = one.upper()
        elif texts and all(text.islower() for text in texts):
            one = one.lower()
        elif texts and all(text[:1].isupper() for text in texts):
            one = one[:1].upper() + one[1:]
        made.append(one)
    return tuple(shown.get(month, name) for month, name in enumerate(made, 1))


def _bare(name: str) -> str:
    return name.lower().removesuffix(".")


ISO = "%Y-%m-%d"
_DIRECTIVE = re.compile(r"%-?([a-zA-Z%])")
_DATES = (
    *({*day, month, year} for day in ("d", "") for month in "mbB" for year in "Yy"),
    {"G", "V", "u"},
)
_TIMES = (
    *({"H", "M"}, {"H", "M", "S"}, {"H", "M", "S", "f"}),
    *({"I", "M", "p"}, {"I", "M", "S", "p"}, {"I", "p"}),
)
_GROUPS = {
    "d": r"([0-9]{1,2})(?:\.?º|er|st|nd|rd|th)?",
    "m": r"([0-9]{1,2})",
    "b": r"(\p{L}+\.?)",
    "B": r"(\p{L}+\.?)",
    "a": r"(\p{L}+\.?)",
    "A": r"(\p{L}+\.?)",
    "G": r"([0-9]{4})",
    "V": r"([0-9]{2})",
    "u": r"([1-7])",
    "Y": r"([0-9]{4})",
    "y": r"([0-9]{2})",
    "H": r"([0-9]{1,2})",
    "I": r"([0-9]{1,2})",
    "M": r"([0-9]{2})",
    "S": r"([0-9]{2})",
    "f": r"([0-9]{1,6})",
    "p": r"([AaPp]\.?\s?[Mm]\.?)",
}
_FIRST = r"(?:^|[^0-9])(1(?:er|\.?º))(?:[^0-9]|$)"
"""The first day of a month in French and Spanish."""
_NOON = 12


@dataclass(frozen=True, slots=True)
class DateReading:
    """How the dates or times of a column are written.

    Examples
    --------
    >>> german = DateReading("%d.%m.%Y")
    >>> german.read(pl.Series(["31.12.1954", None, "soon"])).to_list()
    [datetime.date(1954, 12, 31), None, None]
    >>> DateReading("%-d de %B de %Y").read(pl.Series(["3 de marzo de 1954"])).to_list()
    [datetime.date(1954, 3, 3)]
    """

    form: str = ISO
    years_from: int | None = None
    names: tuple[str, ...] = field(default=(), compare=False)
    weekdays: tuple[str, ...] = field(default=(), compare=False)
    halves: tuple[str, str] = field(default=("AM", "PM"), compare=False)
    first: str = field(default="1", compare=False)

    def __post_init__(self) -> None:
        parts = _DIRECTIVE.findall(self.form)
        times = set(parts) & set("HMSfIp")
        weekdays = set(parts) & set("aA")
        dates = set(parts) - times - weekdays
        if (
            (dates and dates not in _DATES)
            or len(parts) != len(set(parts))
            or (weekdays and ("d" not in dates or len(weekdays) > 1))
            or (times and times not in _TIMES)
            or not parts
        ):
            raise PolicyError(
                f"format {self.form!r} is not a date format: it needs %d, %m and %Y, "
                "for times %H and %M as well"
            )
        if "y" in parts and self.years_from is None:
            raise PolicyError(
                f"format {self.form!r}: %y is ambiguous, 54 may be 1954 or 2054; say where its "
                "hundred years begin, such as years_from: 1925, or write years with four digits"
            )
        if self.years_from is not None and "y" not in parts:
            raise PolicyError("years_from is for years of two digits: the format has no %y")

    @property
    def kind(self) -> Literal["date", "time"]:
        """The `type` in a policy."""
        return "date" if self.has_date else "time"

    @property
    def noun(self) -> str:
        """What its values are called."""
        if not self.has_date:
            return "times"
        return "dates" if set(_DIRECTIVE.findall(self.form)) & set("du") else "months"

    @property
    def separator(self) -> str:
        """What stands between the dates of a label."""
        return "; " if "," in self.form else ", "

    @property
    def is_plain(self) -> bool:
        """Whether it is the style of programs, ISO 8601."""
        return self.form == ISO

    @property
    def has_date(self) -> bool:
        """Whether it has a date, not a time of day alone."""
        return bool(set(_DIRECTIVE.findall(self.form)) & set("YyG"))

    @property
    def has_time(self) -> bool:
        """Whether it has a time of day."""
        return bool(set(_DIRECTIVE.findall(self.form)) & set("HI"))

    @property
    def pattern(self) -> str:
        """The regular expression of its texts, a group for each directive."""
        pieces = []
        end = 0
        for directive in _DIRECTIVE.finditer(self.form):
            pieces += [_literal(self.form[end : directive.start()]), _GROUPS[directive[1]]]
            end = directive.end()
        return f"(?i)^{''.join(pieces)}{_literal(self.form[end:])}$"

    def read(self, texts: pl.Series) -> pl.Series:
        """Return the dates or times of texts; null where a text is none."""
        names = [directive[1] for directive in _DIRECTIVE.finditer(self.form)]
        groups = texts.str.strip_chars().str.extract_groups(self.pattern).struct.unnest()
        part = dict(zip(names, groups.get_columns(), strict=True))
        number = {
            name: one.cast(pl.Int32, strict=False)
            for name, one in part.items()
            if name not in "bBpaA"
        }
        for name in set(part) & {"b", "B"}:
            number["m"] = month_numbers(part[name])
        for name in set(part) & {"a", "A"}:
            number["u"] = weekday_numbers(part[name])
        if "y" in number and self.years_from is not None:
            number["Y"] = (number["y"] - self.years_from % 100) % 100 + self.years_from
        if "I" in number:
            late = part["p"].str.to_lowercase().str.starts_with("p")
            within = number["I"].is_between(1, 12)
            number["H"] = number["I"].set(~within, None) % 12 + late.cast(pl.Int32) * 12
        known = pl.DataFrame([one.alias(name) for name, one in number.items()])
        day = pl.col("d") if "d" in number else pl.lit(1, pl.Int32)
        hour, minute = pl.col("H"), pl.col("M") if "M" in number else pl.lit(0, pl.Int32)
        second = pl.col("S") if "S" in number else pl.lit(0, pl.Int32)
        if self.has_time:
            in_day = (hour < 24) & (minute < 60) & (second < 60)
            seconds = pl.when(in_day).then(hour * 3600 + minute * 60 + second).cast(pl.Int64)
            micro = seconds * 1_000_000
            if "f" in part:
                number_of = part["f"].str.pad_end(6, "0").cast(pl.Int64, strict=False)
                micro += pl.lit(number_of)
        if self.has_date:
            found = _days_of_weeks() if "V" in number else _days_of_months(day)
            if "u" in number:
                found = pl.when(found.dt.weekday() == pl.col("u")).then(found)
            if self.has_time:
                found = found.cast(pl.Datetime("us")) + pl.duration(microseconds=micro)
        else:
            found = (micro * 1_000).cast(pl.Time)
        return known.select(found.alias("read")).to_series().alias(texts.name)

    def settle(self, texts: pl.Series, counts: pl.Series) -> Self:
        """Return the reading with the names that the texts of a table have.

        texts: distinct, each with its count.
        """
        shown = set(_DIRECTIVE.findall(self.form)) & set("bBaAp")
        if not shown:
            return self
        day = texts.str.extract(_FIRST, 1).drop_nulls()
        names = [directive[1] for directive in _DIRECTIVE.finditer(self.form)]
        groups = texts.str.strip_chars().str.extract_groups(self.pattern).struct.unnest()
        part = dict(zip(names, groups.get_columns(), strict=True))
        style = replace(self, first=day[0]) if len(day) else self
        for name in shown & {"b", "B"}:
            own = _frequent_names(part[name], counts, month_numbers)
            style = replace(style, names=names_like(own, full=name == "B"))
        for name in shown & {"a", "A"}:
            own = _frequent_names(part[name], counts, weekday_numbers)
            days = names_like(own, full=name == "A", languages=WEEKDAYS)
            style = replace(style, weekdays=days)
        if "p" in shown:
            halves = part["p"].drop_nulls()
            first = next(iter(halves.to_list()), "AM")
            other = first.translate(str.maketrans("AaPp", "PpAa"))
            style = replace(style, halves=(first, other) if first[:1] in "Aa" else (other, first))
        return style

    def has_bounds(self, values: pl.Series) -> bool:
        """Tell whether some values are bounds: none are."""
        del values
        return False

    def write(self, values: pl.Series) -> pl.Series:
        """Return dates or times as text."""
        frame = pl.DataFrame({"value": values})
        value = pl.col("value").dt
        pieces: list[pl.Expr] = []
        end = 0
        names = self.names or names_like({}, full="%B" in self.form)
        weekdays = self.weekdays or names_like({}, full="%A" in self.form, languages=WEEKDAYS)
        for directive in _DIRECTIVE.finditer(self.form):
            pieces.append(pl.lit(self.form[end : directive.start()]))
            end = directive.end()
            if directive[1] in "bB":
                numbers = pl.Series(range(1, 13), dtype=pl.Int8)
                pieces.append(value.month().replace_strict(numbers, pl.Series(names)))
            elif directive[1] in "aA":
                numbers = pl.Series(range(1, 8), dtype=pl.Int8)
                pieces.append(value.weekday().replace_strict(numbers, pl.Series(weekdays)))
            elif directive[1] == "f":
                short = (value.microsecond() % 1000 == 0).all()
                texts = value.microsecond().cast(pl.String).str.zfill(6)
                pieces.append(pl.when(short).then(texts.str.slice(0, 3)).otherwise(texts))
            elif directive[1] == "p":
                morning, afternoon = map(pl.lit, self.halves)
                pieces.append(pl.when(value.hour() < _NOON).then(morning).otherwise(afternoon))
            elif directive[1] in "YG":
                year = value.year() if directive[1] == "Y" else value.iso_year()
                pieces.append(year.cast(pl.String).str.zfill(4))
            else:
                padded = "-" not in directive[0]
                number = _number(pl.col("value"), directive[1], padded=padded)
                if directive[0] == "%-d" and self.first != "1":
                    number = pl.when(value.day() == 1).then(pl.lit(self.first)).otherwise(number)
                pieces.append(number)
        pieces.append(pl.lit(self.form[end:]))
        return frame.select(pl.concat_str(pieces).alias(values.name)).to_series()

    def read_canonical(self, texts: pl.Series) -> pl.Series:
        """Return the values of texts in ISO 8601, as labels have them; null where one is none."""
        if not self.has_date:
            return texts.str.to_time("%H:%M:%S%.f", strict=False)
        if self.has_time:
            return texts.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
        return texts.str.to_date(ISO, strict=False)

    def write_canonical(self, values: pl.Series) -> pl.Series:
        """Return values in ISO 8601."""
        if not self.has_date:
            return values.dt.to_string("%H:%M:%S%.f")
        return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.f" if self.has_time else ISO)

    def in_order(self, values: pl.Series) -> pl.Series:
        """Return values as they are: dates have no bounds."""
        return values


def _number(value: pl.Expr, directive: str, *, padded: bool) -> pl.Expr:
    """Return a part of dates as digits."""
    part = value.dt
    number = {
        "d": part.day,
        "m": part.month,
        "y": lambda: part.year() % 100,
        "H": part.hour,
        "I": lambda: (part.hour() + 11) % 12 + 1,
        "M": part.minute,
        "S": part.second,
        "V": part.week,
        "u": part.weekday,
    }[directive]()
    text = number.cast(pl.String)
    return text.str.zfill(2) if padded and directive != "u" else text


def _days_of_months(day: pl.Expr) -> pl.Expr:
    """Return days from the columns Y and m; null where there is no such day."""
    first = pl.date(pl.col("Y"), pl.col("m").clip(1, 12), 1)
    in_month = pl.col("m").is_between(1, 12) & (pl.col("Y") > 0)
    in_month &= day.is_between(1, first.dt.month_end().dt.day())
    return pl.when(in_month).then(first.dt.offset_by(pl.format("{}d", day - 1)))


def _days_of_weeks() -> pl.Expr:
    """Return days from the columns G, V and u of ISO 8601; null where there is no such week."""
    fourth = pl.date(pl.col("G").clip(1, 9998), 1, 4)  # always in the first week
    days = (pl.col("V") - 1) * 7 + pl.col("u") - fourth.dt.weekday().cast(pl.Int32)
    expression = fourth.dt.offset_by(pl.format("{}d", days))
    return pl.when(expression.dt.iso_year() == pl.col("G"), pl.col("V") > 0).then(expression)


def _frequent_names(
    names: pl.Series, counts: pl.Series, numbers_of: Callable[[pl.Series], pl.Series]
) -> dict[int, str]:
    """Return by number the most frequent name of each month or weekday."""
    ranked = pl.DataFrame({"name": names, "n": counts}).drop_nulls()
    ranked = ranked.group_by("name").agg(pl.col("n").sum())
    ranked = ranked.sort("n", "name", descending=[True, False])
    own: dict[int, str] = {}
    for number, text in zip(numbers_of(ranked["name"]), ranked["name"], strict=True):
        if number is not None:
            own.setdefault(number, text)
    return own


def _literal(text: str) -> str:
    """Return the regular expression of what stands between directives."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", text.replace("%%", "%"))))
