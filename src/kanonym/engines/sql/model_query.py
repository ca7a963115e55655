"""One SQL statement that judges or measures a table by its classes, for any dialect of sqlglot.

Nothing is joined by equality, since null must equal null: classes, their histograms and the values
of the whole table meet in unions and windows, which group nulls together in every dialect.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanonym.data.errors import PolicyError
from kanonym.data.person_key import columns_of
from kanonym.data.schema import ItemSet, QuasiIdentifier, Sensitive
from kanonym.engines.sql.statements import alias_column, exact_column, named_table, parsed
from kanonym.engines.sql.store import Query
from kanonym.kernels.classes import disclosure
from kanonym.models import Criterion
from kanonym.models.base import WholeTable, whole_table_models
from kanonym.policy import Policy
from kanonym.recoding.recode import released_names


@dataclass(frozen=True)
class _Measure:
    """What is measured of each class: a measure of the combinations of some columns."""

    label: str
    measure: int
    columns: tuple[str, ...] = ()
    argument: int = 0
    without_null: bool = False


def violations_query(table: str, policy: Policy, dialect: str, count: str | None = None) -> str:
    """Return a statement that gives the classes of a released table that violate a policy.

    Parameters
    ----------
    table
        Its name, with those of its schema and database before it, separated by dots.
    policy
        Its quasi-identifiers and models; they must be conditions on the sizes of classes and on
        how often they have each value.
    dialect
        One of `statements.DIALECTS`.
    count
        The column of record counts of an aggregated table.

    Returns
    -------
    A statement with one row for each violating class: its quasi-identifiers, its `records`, and
    what each condition measures. No row: all models hold. Where a model of the whole table
    fails, the rows are the classes that raise what it measures.

    Raises
    ------
    PolicyError
        SQL cannot say what the policy asks for.

    """
    _refuse_unsayable(policy)
    names = _released_names(policy)
    criteria = [criterion for model in policy.models for criterion in model.criteria()]
    measures = {criterion: _measure_of(criterion, policy) for criterion in criteria}
    builder = _Builder(table, names, list(dict.fromkeys(measures.values())), dialect, count)
    failing = [_fails(builder.figure(measures[criterion]), criterion) for criterion in criteria]
    figures = builder.figures()
    shown = builder.shown()
    for model in whole_table_models(policy.models):
        name = f"w{len(failing)}"
        share, raising = _share_of_classes(model)
        figures = exp.select(exp.Star(), alias_column(share, name)).from_(figures.subquery(name))
        at_most = Criterion(disclosure.SIZE, None, model.required, "<=")
        failing.append(exp.and_(_fails(exact_column(name), at_most), raising))
        label = builder.free_name(model.type.replace("-", "_"))
        shown.append(alias_column(exact_column(name), label))
    query = exp.select(*shown).from_(figures.subquery("g")).where(exp.or_(*failing))
    return query.sql(dialect, pretty=True)


_NAMES = {
    disclosure.ALPHA: "alpha",
    disclosure.DISTINCT: "l_distinct",
    disclosure.ENTROPY: "l_entropy",
    disclosure.T_EQUAL: "t_equal",
    disclosure.T_ORDERED: "t_ordered",
    disclosure.BETA_BASIC: "basic_beta",
    disclosure.BETA_ENHANCED: "enhanced_beta",
    disclosure.DELTA: "delta_disclosure",
    disclosure.KL: "kl_divergence",
    disclosure.TOTAL_VARIATION: "total_variation",
    disclosure.RECURSIVE: "recursive_c",
    disclosure.BETA_EXCESS: "beta_excess",
    disclosure.DIVERSITY_PERCENT: "diversity_percent",
}
"""The name of each figure: that of `kanonym measure`, where it has one."""
_MEASURED = tuple(_NAMES)[:10]
_LEAST = (disclosure.DISTINCT, disclosure.ENTROPY)


def figures_query(
    table: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    dialect: str,
    count: str | None = None,
) -> str:
    """Return a statement of one row: records, classes, k, and the worst figures of all classes.

    Figures have the names that `kanonym measure --json` gives them, behind that of their column.
    Parameters and errors as of `violations_query`.
    """
    measures = [
        _Measure(f"{column}_{_NAMES[measure]}", measure, (column,))
        for column in sensitive
        for measure in _MEASURED
    ]
    builder = _Builder(table, list(quasi_identifiers), measures, dialect, count)
    records = exact_column("n")
    worst = [
        alias_column(
            (exp.Min if measure.measure in _LEAST else exp.Max)(this=builder.figure(measure)),
            builder.free_name(measure.label),
        )
        for measure in measures
    ]
    query = exp.select(
        alias_column(exp.Sum(this=records), "records"),
        alias_column(exp.Count(this=exp.Star()), "classes"),
        alias_column(exp.Min(this=records.copy()), "k"),
        alias_column(exp.Sum(this=_indicator(parsed("n = 1"))), "uniques"),
        *worst,
    ).from_(builder.figures().subquery("g"))
    return query.sql(dialect, pretty=True)


class _Builder:
    """Builds the figures of the classes of one table.

    Inside, quasi-identifiers are k0, k1 …, values v0, v1 …, figures m0, m1 …; n is the number of
    records of a class, f of one value in it, q and p are shares in the class and in the table.
    """

    def __init__(
        self,
        table: str,
        names: list[str],
        measures: list[_Measure],
        dialect: str,
        count: str | None,
    ) -> None:
        self.table = named_table(table, dialect)
        if not names:
            raise PolicyError("SQL needs quasi-identifiers: without one there are no classes")
        self.names = names
        self.taken = {name.lower() for name in names}
        self.keys = [f"k{i}" for i in range(len(names))]
        self.measures = [measure for measure in measures if measure.columns]
        self.count = count
        self.order = _POSTGRES_ORDER if dialect == "postgres" else "{name}"

    def figure(self, measure: _Measure) -> exp.Condition:
        """Return the column of a figure: 0 of a class without a value, as kernels have it."""
        if not measure.columns:
            return exact_column("n")
        column = exact_column(f"m{self.measures.index(measure)}")
        if measure.measure == disclosure.RECURSIVE:
            return column  # null: infinite
        return exp.Coalesce(this=column, expressions=[parsed("0")])

    def shown(self) -> list[exp.Alias]:
        """Return the columns of a class under the names that people know."""
        columns = zip(self.keys, self.names, strict=True)
        shown = [alias_column(exact_column(key), name) for key, name in columns]
        shown.append(alias_column(exact_column("n"), self.free_name("records")))
        return shown + [
            alias_column(self.figure(measure), self.free_name(measure.label))
            for measure in self.measures
        ]

    def figures(self) -> Query:
        """Return a query with a row for each class: its values, its records, all figures."""
        rows = [self._of_union(self._counted((), "n"))]
        sources = dict.fromkeys(
            (measure.columns, measure.without_null) for measure in self.measures
        )
        for columns, without_null in sources:
            cells = self._counted(columns, "f", without_null=without_null)
            source = (columns, without_null)
            own = [
                measure
                for measure in self.measures
                if (measure.columns, measure.without_null) == source
            ]
            width = len(columns)
            for shares, is_grid in ((self._shares, False), (self._cumulated, True)):
                several = [
                    measure for measure in own if (measure.measure in _GRID_MEASURES) == is_grid
                ]
                if several:
                    rows.append(self._of_union(self._measured(shares(cells, width), several)))
        query = rows[0]
        for row in rows[1:]:
            query = exp.union(query, row, distinct=False)
        figures = ["n", *(f"m{i}" for i in range(len(self.measures)))]
        return self._grouped(query, [f'MAX("{name}") AS {name}' for name in figures])

    def free_name(self, label: str) -> str:
        """Return a name for a figure that no column has, in any case, and that no dialect cuts."""
        while len(label.encode()) > _LONGEST:
            label = label[1:]
        places = itertools.count(2)
        name = label
        while name.lower() in self.taken:
            name = f"{label}_{next(places)}"
        self.taken.add(name.lower())
        return name

    def _counted(self, columns: Sequence[str], name: str, *, without_null: bool = False) -> Query:
        """Return how many records there are of each combination of key and values."""
        inner = [*self.keys, *_values(len(columns))]
        pairs = zip((*self.names, *columns), inner, strict=True)
        named = [alias_column(exact_column(column), new) for column, new in pairs]
        number = "COUNT(*)"
        if self.count is not None:
            named.append(alias_column(exact_column(self.count), "f"))
            number = "SUM(f)"
        # Grouped by its own names: dialects differ in which of two equal ones they take.
        query = exp.select(*named).from_(self.table.copy()).subquery("s")
        counted = exp.select(
            *map(exact_column, inner), parsed(f"CAST({number} AS BIGINT) AS {name}")
        )
        counted = counted.from_(query).group_by(*map(exact_column, inner))
        if without_null:
            counted = counted.where(
                *(parsed(f"NOT {name} IS NULL") for name in _values(len(columns)))
            )
        return counted

    def _grouped(self, query: Query, columns: Sequence[str], by: Sequence[str] = ()) -> Query:
        """Return expressions over the rows of each class."""
        keys = [exact_column(name) for name in (*self.keys, *by)]
        picked = [parsed(column) for column in columns]
        own = [key.copy() for key in keys]
        return exp.select(*keys, *picked).from_(query.subquery("t")).group_by(*own)

    def _measured(self, source: Query, measures: Sequence[_Measure]) -> Query:
        columns = [
            f"{_MEASURES[one.measure].format(l=one.argument)} AS m{self.measures.index(one)}"
            for one in measures
        ]
        return self._grouped(source, columns)

    def _of_union(self, query: Query) -> Query:
        """Return a query with all columns of the union, null for those that it has not."""
        own = {column.alias_or_name for column in query.selects}
        kinds = {"n": "BIGINT", **{f"m{i}": "DOUBLE" for i in range(len(self.measures))}}
        columns = [
            parsed(f"CAST({name if name in own else 'NULL'} AS {kind}) AS {name}")
            for name, kind in kinds.items()
        ]
        keys = [exact_column(key) for key in self.keys]
        return exp.select(*keys, *columns).from_(query.subquery("c"))

    def _windows(self, query: Query, width: int, columns: Sequence[str]) -> Query:
        """Return expressions with windows; {class} and {value} are those of a row."""
        places = {"class": ", ".join(self.keys), "value": ", ".join(_values(width))}
        kept = [exact_column(name) for name in (*self.keys, *_values(width))]
        picked = [parsed(column.format(**places)) for column in columns]
        return exp.select(*kept, *picked).from_(query.subquery("t"))

    def _shares(self, cells: Query, width: int) -> Query:
        """Return the share of each value in its class and in the table, and its rank."""
        rank = "ROW_NUMBER() OVER (PARTITION BY {class} ORDER BY f DESC) AS r"
        return self._windows(cells, width, [*_SHARES, "f", rank])

    def _cumulated(self, cells: Query, width: int) -> Query:
        """Return both shares of all values of the table in each class, and their running sums."""
        values = [exact_column(name) for name in _values(width)]
        keys = [exact_column(key) for key in self.keys]
        classes = exp.select(*keys).distinct().from_(cells.copy().subquery("a"))
        table = exp.select(*values).distinct().from_(cells.copy().subquery("b"))
        every = (
            exp.select(*(column.copy() for column in (*keys, *values)), parsed("0 AS f"))
            .from_(classes.subquery("c"))
            .join(table.subquery("d"), join_type="cross")
        )
        grid = self._grouped(
            exp.union(cells, every, distinct=False), ["SUM(f) AS f"], _values(width)
        )
        order = ", ".join(
            f"CASE WHEN {name} IS NULL THEN 1 ELSE 0 END, {self.order.format(name=name)}"
            for name in _values(width)
        )
        running = (
            f"SUM({name}) OVER (PARTITION BY {{class}} ORDER BY {order} "
            f"ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {name}_sum"
            for name in ("q", "p")
        )
        return self._windows(self._windows(grid, width, _SHARES), width, ["q", "p", *running])


_SHARES = (
    "CAST(f AS DOUBLE) / CAST(SUM(f) OVER (PARTITION BY {class}) AS DOUBLE) AS q",
    "CAST(SUM(f) OVER (PARTITION BY {value}) AS DOUBLE) / CAST(SUM(f) OVER () AS DOUBLE) AS p",
)
_POSTGRES_ORDER = (
    "CASE WHEN CAST(PG_TYPEOF({name}) AS TEXT) IN ('text', 'character varying', 'character') "
    'THEN CAST({name} AS TEXT) COLLATE "C" END, {name}'
)
"""Texts by their characters, as elsewhere, not by the language of the database."""
_LONGEST = 60
"""Bytes of a name: PostgreSQL cuts it after 63."""
_GAIN = "(q - p) / p"
_MEASURES = {
    disclosure.DISTINCT: "COUNT(*)",
    disclosure.ENTROPY: "EXP(-SUM(q * LN(q)))",
    disclosure.RECURSIVE: (
        "CASE WHEN COUNT(*) >= {l} THEN CAST(MAX(f) AS DOUBLE) / "
        "CAST(SUM(CASE WHEN r >= {l} THEN f ELSE 0 END) AS DOUBLE) END"
    ),
    disclosure.ALPHA: "MAX(q)",
    disclosure.T_EQUAL: "SUM(CASE WHEN q > p THEN q - p ELSE 0.0 END)",
    disclosure.T_ORDERED: (
        "CASE WHEN COUNT(*) > 1 THEN SUM(ABS(q_sum - p_sum)) / CAST(COUNT(*) - 1 AS DOUBLE) "
        "ELSE 0.0 END"
    ),
    disclosure.BETA_BASIC: f"MAX(CASE WHEN q > p THEN {_GAIN} ELSE 0.0 END)",
    disclosure.BETA_EXCESS: f"MAX(CASE WHEN q > p THEN {_GAIN} / (-LN(p)) ELSE 0.0 END)",
    disclosure.BETA_ENHANCED: (
        f"MAX(CASE WHEN q > p AND {_GAIN} < -LN(p) THEN {_GAIN} WHEN q > p THEN -LN(p) "
        "ELSE 0.0 END)"
    ),
    disclosure.DELTA: "MAX(ABS(LN(q / p)))",
    disclosure.KL: "SUM(q * LN(q / p))",
    disclosure.TOTAL_VARIATION: "MAX(ABS(q - p))",
    disclosure.DIVERSITY_PERCENT: "100.0 * COUNT(*) / CAST(SUM(f) AS DOUBLE)",
}
"""Each measure of `kernels.classes.disclosure` that needs no tree, over the values of a class."""
_GRID_MEASURES = (disclosure.T_ORDERED, disclosure.TOTAL_VARIATION)
"""Those that look at the values of the table which a class lacks, too."""


def _refuse_unsayable(policy: Policy) -> None:
    """Refuse what no statement about the classes of one table says."""
    sets = [name for name, role in policy.attributes.items() if isinstance(role, ItemSet)]
    if sets:
        raise PolicyError(f"SQL cannot judge the sets of items {', '.join(sets)}: verify a file")
    if policy.others == "quasi-identifier":
        raise PolicyError("others: quasi-identifier leaves the columns open: name each for SQL")
    # A pseudonym links all rows of a person, by which `verify` then counts.
    persons = columns_of(model.entity for model in policy.models if model.entity is not None)
    released = [name for name in persons if getattr(policy.attributes.get(name), "action", None)]
    if released:
        raise PolicyError(
            f"{', '.join(released)} is released: who knows several rows of a person follows it, "
            "which SQL does not count: verify a file"
        )
    unsayable = [
        model.type
        for model in policy.models
        if not model.criteria() and not (isinstance(model, WholeTable) and model.counts_classes)
    ]
    if unsayable:
        raise PolicyError(
            f"SQL cannot judge {', '.join(unsayable)}, which is no condition on the sizes and the "
            "values of classes: verify a file, or a table on an engine"
        )


def _released_names(policy: Policy) -> list[str]:
    """Return the columns of the quasi-identifiers in a released table."""
    roles = {n: role for n, role in policy.attributes.items() if isinstance(role, QuasiIdentifier)}
    if policy.recoding == "range" and any(role.recoding is None for role in roles.values()):
        raise PolicyError("recoding: range leaves open which columns are two: name each for SQL")
    own = (released_names(name, role.recoding or "interval") for name, role in roles.items())
    return [column for names in own for column in names]


def _measure_of(criterion: Criterion, policy: Policy) -> _Measure:
    """Return what is to be measured for a criterion."""
    name = criterion.attribute
    if name is None:
        return _Measure("records", disclosure.SIZE)
    if criterion.measure not in _MEASURES:
        raise PolicyError(f"SQL measures no distance in a hierarchy ({name}): verify a file")
    role = policy.attributes.get(name)
    excludes = isinstance(role, Sensitive) and role.nulls == "exclude"
    if excludes and isinstance(role, Sensitive) and (role.missing or policy.missing):
        raise PolicyError(
            f"SQL sees words for missing values of {name} as values: make them null in the table"
        )
    ordered = criterion.measure == disclosure.T_ORDERED
    if ordered and isinstance(role, Sensitive) and role.type not in (None, "text"):
        raise PolicyError(
            f"SQL orders the texts of {name} as texts, not as {role.type}: give the column this "
            "type in the database, and none in the policy"
        )
    return _Measure(
        f"{name}_{_NAMES[criterion.measure]}",
        criterion.measure,
        tuple(columns_of([name])),
        criterion.argument,
        without_null=excludes,
    )


def _fails(figure: exp.Condition, criterion: Criterion) -> exp.Condition:
    """Return the condition that a criterion fails; null fails, slack is that of kernels."""
    threshold = float(criterion.threshold)
    slack = disclosure.TOLERANCE * max(1.0, abs(threshold))
    bound = threshold + slack if criterion.relation == "<=" else threshold - slack
    limit = parsed(f"CAST({bound!r} AS DOUBLE)")
    if criterion.measure in (disclosure.SIZE, disclosure.DISTINCT) and threshold.is_integer():
        limit = parsed(str(int(threshold)))
    relation = {">=": exp.GTE, "<=": exp.LTE, "<": exp.LT}[criterion.relation]
    return exp.EQ(this=_indicator(relation(this=figure, expression=limit)), expression=parsed("0"))


def _share_of_classes(model: WholeTable) -> tuple[exp.Condition, exp.Condition]:
    """Return the share that a model of the whole table measures, and which classes raise it."""
    largest = model.largest_counted
    counted = "1 = 1" if largest is None else f"n <= {largest}"
    raising = f"n * CAST({model.required!r} AS DOUBLE) < 1" if largest is None else counted
    number = f"SUM(CASE WHEN {counted} THEN 1 ELSE 0 END) OVER ()"
    share = f"CAST({number} AS DOUBLE) / CAST(SUM(n) OVER () AS DOUBLE)"
    return parsed(share), parsed(raising)


def _indicator(condition: exp.Condition) -> exp.Condition:
    """Return 1 where a condition holds, else 0."""
    return exp.case().when(condition, "1").else_("0")


def _values(width: int) -> list[str]:
    return [f"v{i}" for i in range(width)]
