"""The key of a table whose frequency set stays on its engine: the same as in this process."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanonym.algorithms.secret_key import INNER, LANES, OUTER, factors, key_of_sums
from kanonym.engines.sql.large.coding import sum_of
from kanonym.engines.sql.statements import COUNT, alias_column, exact_column, subquery
from kanonym.engines.sql.store import Query, Source

_number = exp.Literal.number


def secret_key_on_engine(source: Source, held: Query, codes: Sequence[str], n_known: int) -> int:
    """Return the key of a frequency set, see `secret_key`; one aggregation.

    held: reads the columns of `codes`, of which the first `n_known` are quasi-identifiers, and
    `n` records.
    """
    wide = [exp.cast(exact_column(code, "f"), exp.DataType.Type.BIGINT) for code in codes]
    columns = [*wide[:n_known], *(_plus(one, _number(1)) for one in wide[n_known:])]
    inner = exp.select(exact_column(COUNT, "f")).from_(subquery(held, "f"))
    sums = []
    for lane in range(LANES):
        total: exp.Expression = _number(0)
        for column, factor in zip(columns, factors(lane, len(columns)), strict=True):
            total = _plus(total, _times(column, _number(factor)))
        name = f"h{lane}"
        inner = inner.select(alias_column(_rest(total, INNER), name))
        one = exact_column(name, "x")
        outer = _rest(_plus(_times(one, one.copy()), one.copy()), OUTER)
        weight = exp.cast(exact_column(COUNT, "x"), exp.DataType.Type.BIGINT)
        sums.append(alias_column(sum_of(_times(weight, outer)), name))
    found = source.store.fetch(exp.select(*sums).from_(subquery(inner, "x")))
    return key_of_sums([int(found[f"h{lane}"][0]) for lane in range(LANES)])


def _plus(left: exp.Expression, right: exp.Expression) -> exp.Paren:
    return exp.Paren(this=exp.Add(this=left.copy(), expression=right))


def _times(left: exp.Expression, right: exp.Expression) -> exp.Paren:
    return exp.Paren(this=exp.Mul(this=left.copy(), expression=right))


def _rest(value: exp.Expression, divisor: int) -> exp.Paren:
    return exp.Paren(this=exp.Mod(this=value, expression=_number(divisor)))
