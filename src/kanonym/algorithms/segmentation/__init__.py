"""Segmentation: records in one order, cut into classes where it loses least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import ClassVar, Literal, get_args

import numpy as np

from kanonym.algorithms.base import (
    LINEAR,
    Algorithm,
    Problem,
    Recodes,
    compile_criteria,
    require_feasible,
    without_conditions,
)
from kanonym.algorithms.options import Target, Weights
from kanonym.algorithms.record_exchange import exchange_nearby
from kanonym.algorithms.segmentation import cuts as orders
from kanonym.algorithms.segmentation.cuts import (
    LARGEST,
    SMALLEST,
    UNLIMITED,
    Cut,
    JoinedClasses,
    cut_order,
    join_until_satisfied,
    may_fail_when_grown,
)
from kanonym.algorithms.workload import GuidingTarget, guiding_target
from kanonym.data.errors import PolicyError
from kanonym.data.errors import gettext as _
from kanonym.data.partition import Partition, Refusals, Units, cut_in_two
from kanonym.data.table import EncodedTable
from kanonym.kernels.arrays import Floats, Int32s, Ints
from kanonym.kernels.classes.conditions import Criteria
from kanonym.kernels.classes.histograms import Costs
from kanonym.kernels.parallel import parallel

Order = Literal["auto", "guided", "hilbert", "kd", "lexicographic", "serpentine"]

EFFORT = 1 << 21
"""`auto` tries further sequences of the columns up to so many records times a class's records."""

ANY_ORDER = 0.05
"""How probable it is that an order is drawn, whatever it loses."""

SMALL = 1 << 12
"""In tables of up to so many records, `auto` joins failing classes of every order."""

ROUNDS = 2
"""So often at the most it goes on from the best of them."""

HOPE = 1.5
"""But only where the serpentine order loses no more than so many times the least."""


@dataclass(frozen=True, slots=True)
class Segmentation(Algorithm):
    """Local recoding by sorting the records once and cutting that order where it loses least.

    Parameters
    ----------
    order
        How records are sorted. `lexicographic`: by the attribute of fewest values, then by the
        next, and so on. `serpentine`: likewise, but each attribute ascends and descends in turn, so
        that neighbours stay near where another one changes. `hilbert`: along a Hilbert curve
        through the attributes, each scaled to what it may lose. `kd`: as the tree of Mondrian's
        cuts holds them. `auto`: all of these, and in tables of some 300,000 records (fewer where
        classes are large) other sequences of the columns for `serpentine`; the one that loses least
        for the recoding asked is kept. `guided`: as the tree of `Mondrian` with the target holds
        them.
    target
        A column that models are to predict from the quasi-identifiers: of whatever role but
        theirs. What classes tell about it then counts as much as the loss. Both are shares
        of what one class of all records has: its loss, and the entropy of the target, or the
        squared error of one with more than 20 numbers or dates. The order `guided` is one of
        those that `auto` tries. What holds of a sensitive target of `Mondrian` holds here.
    weights
        By quasi-identifier: how much its loss counts; 1 for the others. Only their ratios matter;
        what has weight 0 is not looked at.

    Notes
    -----
    With k-anonymity, and with l-diversity by distinct values, the cut is the best there is of
    that order (`cut: optimal` in the account): classes have k to 2 k - 1 records where only k
    is asked for. Entropy and recursive l-diversity do not always survive when a class
    grows: of longer classes not all are looked at (`by record`). Classes of 64 records
    and more start at every (k / 32)-th record only (`by piece`). Models that compare a
    class with the table ((α, k)-anonymity, t-closeness, β-likeness, δ-disclosure)
    take many records: classes of k are joined along the order (`by class`), in `kd` order
    with a loss of at most that of strict Mondrian.

    Where classes need a size alone, and there is no target, they then exchange records with
    classes nearby (`record_exchange`), as long as the loss falls and up to a fixed effort. Where
    models look at sensitive values they do not: an exchange that these forbid would tell about
    them. Where a class may fail although it has grown, such classes of k are made as well, by
    their size alone, and then each that fails is joined with the one with which that loses least
    and they satisfy the models (`joined` as `cut` in the account), with 1 % of the others, drawn
    by the key. Where nearly all fail, such classes of twice the size are made, and so on
    (`size` in the account). `auto` does so in the order that loses least, and in tables of up to
    4,096 records in every order. What loses less is released.

    Where models look at sensitive values and the problem has a key, classes start anywhere but
    at places drawn by chance (`closed_places`): that none starts at a place then does not prove
    that sensitive values forbade it.

    A class takes what lies side by side in the order: in space, classes may overlap, and
    equal records may be parted.

    Cost for n records, d attributes: sorting, O(n k d) a cut, and the exchange: O(n d), with a
    factor that falls as the table grows. Works for any mix of attributes and recodings; no
    record is suppressed.

    Ghinita, Karras, Kalnis and Mamoulis 2007, "Fast data anonymization with low information
    loss" (VLDB), §4-5: one order and an optimal cut by dynamic programming for k-anonymity.
    Deviations: several orders, the cut counts the loss of the recoding asked rather than
    of ranges, the exchange, the joining of classes and the target are ours, and l-diversity
    is in the cut where they use a greedy heuristic.
    """

    order: Order = "auto"
    target: Target = None
    weights: Weights = field(default_factory=dict)

    type: ClassVar[str] = "segmentation"
    title: ClassVar[str] = _("Segmentation")
    summary: ClassVar[str] = _("Orders the records and cuts the order. Loses little.")
    hides_growing: ClassVar[bool] = False
    recodes: ClassVar[Recodes] = "spans"
    largest_fragment: ClassVar[int | None] = LINEAR

    @property
    def hides_refusals(self) -> bool:
        """Yes."""
        return True

    def __post_init__(self) -> None:
        if self.order not in get_args(Order):
            raise PolicyError(
                f"segmentation: order is {self.order!r}; it must be one of "
                f"{', '.join(get_args(Order))}"
            )
        if self.order == "guided" and self.target is None:
            raise PolicyError("segmentation: order is guided, but there is no target; name one")

    def partition(self, problem: Problem) -> Partition:
        """Divide a table into classes that satisfy every model.

        problem: The suppression limit is not read: every record is released.
        """
        table, models = problem.table, problem.models
        if table.n_rows == 0:
            return Partition(np.empty(0, np.int32), 0, by_row=True)
        criteria = compile_criteria(models, table)
        require_feasible(table, models)
        if not table.domains:
            return Partition(np.zeros(len(table.weights), np.int32), 1)
        aim = None if self.target is None else guiding_target(table, self.target)
        joined = None
        if aim is None and len(criteria.thresholds) and may_fail_when_grown(criteria):
            joined = self._join_classes(problem, criteria)
        enough = np.inf if joined is None else joined.loss
        order, columns, found = self._cut(problem, criteria, aim, enough)
        by_place = found.labels
        account: dict[str, object] = {"order": order, "cut": found.way}
        if aim is None and not len(criteria.thresholds):
            by_place, account["exchanges"] = _exchange(problem, criteria, found)
        elif joined is not None and joined.loss < found.loss:
            order, columns, found = joined.order, joined.columns, joined.base
            by_place, account = joined.labels, joined.account
        n_classes = int(by_place.max()) + 1
        labels = np.empty(table.n_rows, np.int32)
        by_tuple = np.argsort(table.tuple_of_row, kind="stable")
        labels[by_tuple] = by_place[np.argsort(found.tuples, kind="stable")]
        if order in ("lexicographic", "serpentine"):
            account["columns"] = [table.domains[a].name for a in columns]
        if aim is not None:
            of_record = replace(aim, codes=aim.codes[table.tuple_of_row])
            account |= of_record.account(labels, np.ones(table.n_rows, np.int64))
        return Partition(labels, n_classes, by_row=True, account=account)

    def _cut(
        self,
        problem: Problem,
        criteria: Criteria,
        aim: GuidingTarget | None,
        enough: float = np.inf,
    ) -> tuple[str, Sequence[int], Cut]:
        """Cut the table in the order asked for; return its name, and the columns' sequence."""
        if self.order == "auto":
            return _cut_in_best_order(problem, criteria, aim, enough)
        columns = orders.ascending_cardinality(problem.table)
        return self.order, columns, _cut_in_order(self.order, columns, problem, criteria, aim)

    def _join_classes(self, problem: Problem, criteria: Criteria) -> JoinedClasses | None:
        """Make classes by their size alone, and join those that fail; None where that cannot be."""
        asked = [self]
        if self.order == "auto" and problem.table.n_rows <= SMALL:
            asked += [replace(self, order=name) for name in _named_orders(guided=False)]
        tried = [one._join_in_order(problem, criteria) for one in asked]  # noqa: SLF001 - its own
        return min((one for one in tried if one), key=lambda one: one.loss, default=None)

    def _join_in_order(self, problem: Problem, criteria: Criteria) -> JoinedClasses | None:
        """Join the classes of the order asked for."""
        size = max(criteria.min_size, SMALLEST)
        if not size <= problem.table.n_rows <= LARGEST:
            return None
        while True:
            alone = without_conditions(criteria, size)
            order, columns, base = self._cut(problem, alone, None)
            classes, exchanges = _exchange(problem, alone, base)
            found = join_until_satisfied(problem, criteria, base.tuples, classes)
            if found is not None:
                account = {"order": order, "cut": "joined", "size": size, "exchanges": exchanges}
                return JoinedClasses(order, columns, base, *found, account)
            size *= 2
            if size * size > problem.table.n_rows:
                return None

    def refusals(self, problem: Problem, partition: Partition) -> Refusals | None:
        """Return the places inside of classes where none may start.

        The order is that of the division. In `kd` and `guided` order, whose tree looks at
        sensitive values, too, nobody else knows it as exactly. Where places may be closed by
        chance, none is known. What tells who joined whom is not replayed.
        """
        if partition.account["cut"] == "joined":
            return None
        if problem.key is not None:
            return Refusals.of(Units.of(problem.table, partition), ())
        table = problem.table
        place = {domain.name: a for a, domain in enumerate(table.domains)}
        columns = [place[name] for name in partition.account.get("columns", ())]
        criteria = compile_criteria(problem.models, table)
        aim = None if self.target is None else guiding_target(table, self.target)
        order = str(partition.account["order"])
        found = _cut_in_order(order, columns, problem, criteria, aim)
        units = Units.of(table, partition)
        # Of equal records all stand where the first of them does, whichever class has it.
        rank = np.empty(len(table.weights), np.int32)
        rank[found.tuples[::-1]] = np.arange(len(found.tuples), dtype=np.int32)[::-1]
        first = np.full(int(units.profiles.max(initial=-1)) + 1, len(found.tuples), np.int32)
        profiles = units.profiles[units.of_row]
        np.minimum.at(first, profiles, rank[table.tuple_of_row])
        keys = first[units.profiles]
        is_place = np.zeros(table.n_rows + 1, np.bool_)
        is_place[found.places] = True

        def refused_cuts() -> Iterator[tuple[Ints, Ints]]:
            for label, some in enumerate(units.by_class()):
                start = int(found.starts[label])
                for left, right in cut_in_two(some, units.sizes, keys[some], criteria.min_size):
                    if is_place[start + int(units.sizes[left].sum())]:
                        yield left, right

        return Refusals.of(units, refused_cuts())


def _hides(problem: Problem, criteria: Criteria) -> bool:
    """Whether nothing but closed places may depend on sensitive values."""
    hidden = problem.key is not None and len(criteria.thresholds) > 0
    return hidden and not may_fail_when_grown(criteria)


def _named_orders(*, guided: bool) -> list[Order]:
    """Return the orders of which `auto` takes one; guided: whether there is a target."""
    return [name for name in get_args(Order) if name != "auto" and (guided or name != "guided")]


def _exchange(problem: Problem, criteria: Criteria, found: Cut) -> tuple[Int32s, int]:
    """Let the classes of a cut exchange records; return them by place, and how often they did."""
    codes = np.ascontiguousarray(problem.table.codes[found.tuples])
    return exchange_nearby(codes, found.labels, criteria.min_size, problem.costs)


def _named_order(
    order: str,
    columns: Sequence[int],
    table: EncodedTable,
    costs: Costs,
    criteria: Criteria,
    aim: GuidingTarget | None,
) -> tuple[Ints, Int32s | None]:
    """Return the tuples in one of the orders that have a name, and the classes of its tree.

    columns: in which sequence those that go column by column take them.
    """
    if order == "hilbert":
        return orders.hilbert_order(table, costs), None
    if order in ("kd", "guided"):
        return orders.kd_order(table, costs, criteria, aim if order == "guided" else None)
    if order == "lexicographic":
        return orders.lexicographic_order(table, columns), None
    return orders.serpentine_order(table, columns), None


def _cut_in_order(
    order: str,
    columns: Sequence[int],
    problem: Problem,
    criteria: Criteria,
    aim: GuidingTarget | None,
    enough: Floats = UNLIMITED,
) -> Cut:
    """Cut a table in one of the orders that have a name."""
    table, costs = problem.table, problem.costs
    looked = criteria
    if aim is None and _hides(problem, criteria):
        looked = without_conditions(criteria, criteria.min_size)
    tuples, known = _named_order(order, columns, table, costs, looked, aim)
    known = known if looked is criteria else None
    return cut_order(problem, criteria, tuples, known, aim, enough)


def _cut_in_best_order(
    problem: Problem, criteria: Criteria, aim: GuidingTarget | None, enough: float
) -> tuple[str, Sequence[int], Cut]:
    """Cut a table in every order; return the one that loses least, of equal ones the first."""
    table = problem.table
    hides = aim is None and _hides(problem, criteria)
    names = _named_orders(guided=aim is not None)
    columns = orders.ascending_cardinality(table)
    # What loses so many times more than another order is given up, whichever is cut first.
    hope = HOPE if table.n_rows * criteria.min_size <= EFFORT else 1 + 1e-9
    limit = np.array([np.inf])
    lock = Lock()

    def cut_in(name: Order) -> Cut:
        cut = _cut_in_order(name, columns, problem, criteria, aim, limit)
        with lock:
            if not hides:
                limit[0] = min(limit[0], hope * cut.loss)
        return cut

    found = parallel(cut_in, names)
    best, name = min(zip(found, names, strict=True), key=lambda one: one[0].loss)
    looked = criteria
    base = found[names.index("serpentine")].loss
    rounds = ROUNDS if base <= HOPE * min(best.loss, enough) else 0
    n_classes = len(best.starts) - 1
    if hides:
        # The sequence is that for sizes alone.
        looked = without_conditions(criteria, criteria.min_size)
        base = cut_order(problem, looked, orders.serpentine_order(table, columns)).loss
        rounds, n_classes = ROUNDS, max(table.n_rows // criteria.min_size, 1)
    if table.n_rows * table.n_rows // n_classes > EFFORT:
        rounds = 0
    for _step in range(rounds):
        nearby = [
            [*columns[:i], columns[i + 1], columns[i], *columns[i + 2 :]]
            for i in range(len(columns) - 1)
        ]
        losses = parallel(
            lambda one: (
                cut_order(problem, looked, orders.serpentine_order(table, one), aim=aim).loss
            ),
            nearby,
        )
        if not nearby or min(losses) >= base:
            break
        base = min(losses)
        columns = nearby[losses.index(base)]
    by_cardinality = orders.ascending_cardinality(table)
    cuts = [(one, name, by_cardinality) for one, name in zip(found, names, strict=True)]
    if columns != by_cardinality:
        order = orders.serpentine_order(table, columns)
        cuts.append((cut_order(problem, criteria, order, aim=aim), "serpentine", columns))
    best, name, columns = min(cuts, key=lambda one: one[0].loss)
    if hides:
        random = np.random.default_rng([problem.key or 0, table.n_rows, 1])
        other = int(random.integers(len(cuts)))
        if random.random() < ANY_ORDER:
            best, name, columns = cuts[other]
    return name, columns, best
