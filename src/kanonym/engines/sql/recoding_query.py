"""One SELECT that recodes the records of a table by mappings, rules and boxes, for any dialect."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any, Literal

from sqlglot import exp

from kanonym.engines.sql.statements import EXECUTED, alias_column, exact_column, named_table, parsed
from kanonym.engines.sql.store import Query

FEW = 40
"""Values up to so many are listed where they are compared; more stand in a table of their own."""
_CLASSES, _VALUES = "kanonym_classes", "kanonym_values_"  # names that no table of theirs has
_YEAR, _MONTH = "SUBSTRING(CAST({v} AS TEXT), 1, 4)", "SUBSTRING(CAST({v} AS TEXT), 6, 2)"
_UNITS = {
    "day": "SUBSTRING(CAST({v} AS TEXT), 1, 10)",
    "month": "SUBSTRING(CAST({v} AS TEXT), 1, 7)",
    "quarter": (
        f"CONCAT({_YEAR}, CASE WHEN {_MONTH} < '04' THEN '-Q1' WHEN {_MONTH} < '07' THEN '-Q2' "
        f"WHEN {_MONTH} < '10' THEN '-Q3' ELSE '-Q4' END)"
    ),
    "year": _YEAR,
    "decade": "CONCAT(SUBSTRING(CAST({v} AS TEXT), 1, 3), '0s')",
}
Kind = Literal["text", "number", "real", "truth", "date", "time"]


@dataclass(frozen=True)
class Rule:
    """What labels any value: SQL text about `{v}`, and which values it can be asked about."""

    label: str
    key: str = "{v}"  # by which its values are ordered
    known: str = ""  # nothing: about all

    @classmethod
    def of_unit(cls, unit: str) -> Rule:
        """Return the labels of a calendar unit."""
        return cls(_UNITS[unit])

    @classmethod
    def of_cuts(cls, points: Sequence[float], texts: Sequence[str]) -> Rule:
        """Return the labels of the intervals between points, and beyond; texts: of the points."""
        labels = [f"<{texts[0]}", *(f"[{low}, {high})" for low, high in pairwise(texts))]
        cases = " ".join(
            f"WHEN {{v}} < {point!r} THEN '{label}'"
            for point, label in zip(points, labels, strict=True)
        )
        return cls(f"CASE {cases} ELSE '>={texts[-1]}' END")

    @classmethod
    def of_grid(
        cls,
        width: int,
        origin: int,
        bottom: tuple[float, str] | None,
        top: tuple[float, str] | None,
    ) -> Rule:
        """Return the labels of intervals of whole numbers; values beyond the ends are coded."""
        value = f"(CAST({{v}} AS DOUBLE) - {origin})" if origin else "CAST({v} AS DOUBLE)"
        low = f"{width} * CAST(FLOOR({value} / {width}) AS BIGINT)"
        low = f"({origin} + {low})" if origin else low
        high = f"({low} + {width})"
        first, last, coded = f"CAST({low} AS TEXT)", f"CAST({high} AS TEXT)", ""
        if bottom is not None:
            first = f"CASE WHEN {low} < {bottom[0]!r} THEN '{bottom[1]}' ELSE {first} END"
            coded += f"WHEN {{v}} < {bottom[0]!r} THEN '<{bottom[1]}' "
        if top is not None:
            last = f"CASE WHEN {high} > {top[0]!r} THEN '{top[1]}' ELSE {last} END"
            coded += f"WHEN {{v}} >= {top[0]!r} THEN '>={top[1]}' "
        inner = f"CONCAT('[', {first}, ', ', {last}, ')')"
        return cls(f"CASE {coded}ELSE {inner} END" if coded else inner)

    @classmethod
    def of_mask(cls, kept: int, width: int, character: str, *, left: bool, number: bool) -> Rule:
        """Return codes of which a number of characters stays, padded to a width."""
        text = "CAST({v} AS TEXT)" if number else "{v}"
        pad = _text(("0" if number else character) * width)
        hidden = _text(character * (width - kept))
        if left or number:  # padded on the left
            start = f"LENGTH({text}) + 1"
            padded = f"SUBSTRING(CONCAT({pad}, {text}), {start}, {width})"
        else:
            padded = f"SUBSTRING(CONCAT({text}, {pad}), 1, {width})"
        label = f"CONCAT(SUBSTRING({padded}, 1, {kept}), {hidden})"
        if left:
            label = f"CONCAT({hidden}, SUBSTRING({padded}, {width - kept + 1}, {kept}))"
        known = f"LENGTH({text}) <= {width}" + (" AND {v} >= 0" if number else "")
        return cls(label, "{v}" if number else padded, known)


@dataclass(frozen=True)
class Cells:
    """Some values of a column: those that are listed, or from low to high, or that a rule knows."""

    members: tuple[Any, ...] = ()
    ends: tuple[Any, Any] | None = None  # the second one is None where there is no highest value
    rule: Rule | None = None
    label: str | None = None  # that the rule gives them
    null: bool = False


@dataclass(frozen=True)
class ReadColumn:
    """A column as it is read: NaN becomes null, truth values texts."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Labels:
    """What values of a column become: labels of a mapping or a rule, or themselves if `keep`."""

    mapping: Mapping[Any, str]
    rule: Rule | None = None
    null: str | None = None
    otherwise: str | None = None
    keep: bool = False


@dataclass(frozen=True)
class ClassBoxes:
    """Boxes in the order in which they are asked, and what each class releases.

    released: by column a value a class, last that of records in no box.
    """

    boxes: Sequence[tuple[Sequence[Cells], int]]
    released: Mapping[str, Sequence[Any]]


def recoding_statement(
    table: str,
    dialect: str,
    known: Sequence[ReadColumn],
    recoding: Sequence[Labels] | ClassBoxes,
    columns: Mapping[str, Sequence[str]],
    create: tuple[Literal["view", "table"], str] | None = None,
) -> str:
    """Return the statement that recodes a table.

    known, recoding: the columns that are recoded, and what becomes of them.
    columns: those that are released, in order, each with the names of what it becomes.
    create: what is made of the recoded records, and its name; None for the SELECT alone.
    """
    writer = _Writer(dialect)
    keys = [f"k{place}" for place in range(len(known))]
    read = [alias_column(writer.read(one), key) for one, key in zip(known, keys, strict=True)]
    recoded = {one.name for one in known}
    others = [name for name in columns if name not in recoded]
    read += [alias_column(exact_column(name), f"o{i}") for i, name in enumerate(others)]
    rows: Query = exp.select(*read).from_(named_table(table, dialect))
    tables: list[exp.CTE] = []
    released = {name: f'"o{place}"' for place, name in enumerate(others)}
    if isinstance(recoding, ClassBoxes):
        number = parsed(f"{writer.class_of(recoding)} AS c")
        rows = exp.select(exp.Star(), number).from_(rows.subquery("s"))
        names = [f"r{place}" for place in range(len(recoding.released))]
        released |= dict(zip(recoding.released, names, strict=True))
        classes = zip(itertools.count(), *recoding.released.values())
        tables.append(writer.table(_CLASSES, ["n", *names], list(classes)))
        query = exp.select().from_(rows.subquery("s"))
        query = query.join(exp.to_table(_CLASSES), on=parsed("c = n"), join_type="left")
    else:
        query = exp.select().from_(rows.subquery("s"))
        for place, (one, labels) in enumerate(zip(known, recoding, strict=True)):
            released[one.name] = writer.label(labels, f"k{place}", one.kind, place)
            if labels.rule is None and len(labels.mapping) > FEW:
                pairs = list(labels.mapping.items())
                tables.append(writer.table(f"{_VALUES}{place}", [f"v{place}", f"l{place}"], pairs))
                on = parsed(f"k{place} = v{place}")
                query = query.join(exp.to_table(f"{_VALUES}{place}"), on=on, join_type="left")
    shown = [
        alias_column(parsed(released[new]), new) for names in columns.values() for new in names
    ]
    query = query.select(*shown)
    if tables:
        query.set("with_", exp.With(expressions=tables))
    made: exp.Expression = query
    if create is not None:
        kind, name = create
        made = exp.Create(this=named_table(name, dialect), kind=kind.upper(), expression=query)
    if dialect == "tsql":  # texts are of Unicode, and `+` does not put all of them together
        for node in list(made.find_all(exp.Concat, exp.Literal)):
            if isinstance(node, exp.Concat):
                node.replace(exp.Anonymous(this="CONCAT", expressions=node.expressions))
            elif node.is_string and not node.name.isascii():
                node.replace(exp.National(this=node.name))
    return made.sql(dialect, pretty=True)


class _Writer:
    """Writes values, conditions and tables of values for one dialect."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect

    def read(self, column: ReadColumn) -> exp.Condition:
        """Return a column as the recoding knows it; texts are compared by their characters."""
        given = exact_column(column.name)
        if column.kind == "real" and self.dialect not in ("sqlite", "tsql"):
            return exp.Nullif(this=given, expression=parsed("CAST('NaN' AS DOUBLE)"))
        if column.kind == "truth":
            return exp.case().when(given, "'true'").when(exp.Not(this=given.copy()), "'false'")
        if column.kind == "text" and self.dialect == "postgres":
            text = exp.cast(given, exp.DataType.Type.TEXT)  # a type of its own has no collation
            return exp.Collate(this=text, expression=exp.var('"C"'))
        if column.kind == "text" and self.dialect == "tsql":
            return exp.Collate(this=given, expression=exp.var("Latin1_General_BIN2"))
        return given

    def text(self, value: Any) -> str:
        """Return a value as SQL text."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, float):
            return f"CAST({value!r} AS DOUBLE)"
        if isinstance(value, date) and self.dialect != "sqlite":
            kind = "TIMESTAMP" if isinstance(value, datetime) else "DATE"
            return f"CAST('{value.isoformat(*[' '] * (kind == 'TIMESTAMP'))}' AS {kind})"
        return _text(value) if isinstance(value, str | date) else str(value)

    def table(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> exp.CTE:
        """Return a table of values; null has the type of its column, if all values are null."""
        texts = [[self.text(value) for value in row] for row in rows]
        for place in range(len(columns)):
            if all(row[place] is None for row in rows):
                texts[0][place] = "CAST(NULL AS TEXT)"
        if self.dialect in (*EXECUTED, "databricks"):
            body: Query | exp.Values = exp.Values(
                expressions=[exp.Tuple(expressions=[*map(parsed, row)]) for row in texts]
            )
            alias = [exp.to_identifier(column, quoted=True) for column in columns]
            return exp.CTE(
                this=body, alias=exp.TableAlias(this=exp.to_identifier(name), columns=alias)
            )
        selects = [
            exp.select(
                *(alias_column(parsed(one), new) for one, new in zip(row, columns, strict=True))
            )
            for row in texts
        ]
        body = selects[0] if len(selects) == 1 else exp.union(*selects, distinct=False, copy=False)
        return exp.CTE(this=body, alias=exp.TableAlias(this=exp.to_identifier(name)))

    def label(self, labels: Labels, key: str, kind: str, place: int) -> str:
        """Return what a column becomes."""
        null, otherwise = self.text(labels.null), self.text(labels.otherwise)
        known = ""
        few = len(labels.mapping) <= FEW
        if labels.keep:
            is_known = f"{key} IN ({self.list(labels.mapping)})" if few else f"NOT v{place} IS NULL"
            value = f"CASE {key} WHEN 'true' THEN TRUE ELSE FALSE END" if kind == "truth" else key
            return f"CASE WHEN {is_known} THEN {value} END" if labels.mapping else "NULL"
        if labels.rule is not None:
            label = labels.rule.label.replace("{v}", key)
            if labels.rule.known:
                known = f"WHEN {labels.rule.known.replace('{v}', key)} THEN {label} "
            else:
                otherwise = label
        elif few:
            by_label: dict[str, list[Any]] = {}
            for value, label in labels.mapping.items():
                by_label.setdefault(label, []).append(value)
            known = "".join(
                f"WHEN {key} IN ({self.list(values)}) THEN {_text(label)} "
                for label, values in by_label.items()
            )
        else:
            known = f"WHEN NOT v{place} IS NULL THEN l{place} "
        if not known and null == otherwise:
            return otherwise
        return f"CASE WHEN {key} IS NULL THEN {null} {known}ELSE {otherwise} END"

    def list(self, values: Iterable[Any]) -> str:
        """Return values with commas between them."""
        return ", ".join(map(self.text, values))

    def class_of(self, recoding: ClassBoxes) -> str:
        """Return the number of the class of the first box that a record is in."""
        last = len(next(iter(recoding.released.values()))) - 1
        cases = [
            f"WHEN {' AND '.join(parts)} THEN {number}"
            for cells, number in recoding.boxes
            for parts in [[self.within(one, f"k{place}") for place, one in enumerate(cells)]]
        ]
        return f"CASE {' '.join(cases)} ELSE {last} END" if cases else str(last)

    def within(self, cells: Cells, key: str) -> str:
        """Return the condition that a value is one of some cells."""
        parts, rule = [f"{key} IS NULL"] if cells.null else [], cells.rule
        if cells.members:
            parts.append(f"{key} IN ({self.list(cells.members)})")
        conditions = [f"NOT {key} IS NULL"]
        if rule is not None and rule.known:
            conditions.append(rule.known.replace("{v}", key))
        if cells.label is not None and rule is not None:
            conditions.append(f"{rule.label.replace('{v}', key)} = {_text(cells.label)}")
        if cells.ends is not None:
            form = "{v}" if rule is None else rule.key
            low, mine, high = (
                form.replace("{v}", one)
                for one in (self.text(cells.ends[0]), key, self.text(cells.ends[1]))
            )
            conditions.append(f"{mine} >= {low}")
            conditions += [] if cells.ends[1] is None else [f"{mine} <= {high}"]
        if rule is not None or cells.ends is not None:
            parts.append(f"({' AND '.join(conditions)})")
        return f"({' OR '.join(parts)})" if parts else "1 = 0"


def _text(value: str | date) -> str:
    """Return a text in quotes."""
    return exp.Literal.string(str(value)).sql()
