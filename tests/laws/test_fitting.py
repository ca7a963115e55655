"""What holds of every recoding that is fitted to a table and applied to batches.

Tables, models and oracle are those of `releases`.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import kanonym as ka
from conftest import FRAMES
from effort import examples
from kanonym.data.columns.values import text_of
from kanonym.data.frames import to_polars
from kanonym.models import WholeTable
from kanonym.recoding.recode import ALLOWED
from kanonym.series import Fitted, PersonColumn, fit
from kanonym.series.known_attribute import extend_hierarchy
from releases import KINDS, MODELS, SOURCES, TREE, coded, holds, policy_of, regrouped, tables, typed
from twins.lattice import measured
from twins.mondrian import at_most

BOXES = {"loss": ka.Mondrian(split="loss"), "span": ka.Mondrian(split="span")}
EVERY = {**BOXES, "full-domain": ka.FullDomain()}
QUICK = settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))


@st.composite
def attributes(draw, levels=None):
    """Draw the quasi-identifiers, one to three; with `levels`, recodings are left to them."""
    chosen = {
        "id": ka.Insensitive(),
        "s": ka.Sensitive(TREE, draw(st.sampled_from(["value", "exclude"]))),
    }
    for name in draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, unique=True)):
        source = SOURCES[name] if draw(st.booleans()) else None
        recodings = [one for one in ALLOWED[KINDS[name]] if one != "hierarchy" or source]
        recoding = None if levels else draw(st.sampled_from([None, *recodings]))
        chosen[name] = ka.QuasiIdentifier(source, recoding)
    return chosen


def fitted_to(table, policy, **options):
    """Return the recoding of a table, None where there is none."""
    try:
        return fit(table, policy, **options)
    except ka.InfeasibleError:
        return None
    except ka.PolicyError as error:
        # Where classes of equal means and modes were joined to keep a model that a join breaks.
        if "overlap" not in str(error):
            raise
        event("overlap")
        return None


def applied(fitted, batch, **options):
    """Return the release of a batch, None where there is none."""
    try:
        return fitted.apply(batch, **options)
    except ka.InfeasibleError:
        return None


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(
    models=st.sampled_from(list(MODELS)),
    columns=tables(),
    chosen=attributes(levels=True),
    limit=st.sampled_from([0.0, 0.2, 0.5]),
)
def test_levels_applied_to_the_table_give_its_release(models, columns, chosen, limit):
    """By levels, the fitted table comes out as `anonymize` releases it, suppression included.

    Of classes that a model of the whole table wants fewer of, equally small ones may differ; and
    nothing is left to chance, which suppresses classes that satisfy the models, too.
    """
    table = typed(columns)
    policy = policy_of(
        chosen, MODELS[models], ka.FullDomain(), suppression_limit=limit, minimality="none"
    )
    fitted = fitted_to(table, policy) if len(table) else None
    event(f"fitted: {fitted is not None}")
    if fitted is not None:
        expected = ka.anonymize(table, policy)
        release = fitted.apply(table)
        if not limit or not any(isinstance(model, WholeTable) for model in policy.models):
            assert release.frame.equals(expected.frame)
            assert release.utility.ncp == pytest.approx(expected.utility.ncp)
        assert release.suppressed == expected.suppressed
        assert release.union.class_sizes == expected.verification.class_sizes


@pytest.mark.parametrize("algorithm", BOXES)
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(
    models=st.sampled_from(list(MODELS)), columns=tables(), chosen=attributes(), keep=st.booleans()
)
def test_boxes_applied_to_the_table_give_its_release(models, algorithm, columns, chosen, keep):
    """By boxes, a table of which nothing is suppressed comes out as `anonymize` releases it."""
    table = typed(columns)
    policy = policy_of(chosen, MODELS[models], BOXES[algorithm], keep_order=keep)
    fitted = fitted_to(table, policy) if len(table) else None
    event(f"fitted: {fitted is not None}")
    if fitted is not None:
        expected = ka.anonymize(table, policy)
        release = fitted.apply(table)
        ours, theirs = release.frame, expected.frame
        if not keep:
            ours, theirs = ours.sort("id"), theirs.sort("id")
        assert ours.equals(theirs)
        assert (release.suppressed, release.outside, sum(release.unseen.values())) == (0, 0, 0)
        assert release.utility.ncp == pytest.approx(expected.utility.ncp)


@pytest.mark.parametrize("algorithm", EVERY)
@settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
@given(
    models=st.sampled_from(list(MODELS)),
    columns=tables(),
    batches=st.lists(tables(), min_size=1, max_size=3),
    chosen=attributes(levels=True),
    each=st.booleans(),
)
def test_every_batch_and_the_union_satisfy_every_model(
    models, algorithm, columns, batches, chosen, each
):
    """What is released, regrouped in plain Python, satisfies every model: batch and union.

    A batch is compared with the records that came in, suppressed ones included; the union with
    what was released, since nothing is kept of suppressed records. A batch that is refused
    changes nothing for the next.
    """
    policy = policy_of(chosen, MODELS[models], EVERY[algorithm], suppression_limit=0.7)
    table = typed(columns)
    fitted = fitted_to(table, policy, each_batch=each) if len(table) else None
    if fitted is None:
        return
    out = defaultdict(list)
    for batch in map(typed, (*batches, columns)):
        release = applied(fitted, batch)
        event(f"released: {release is not None}")
        if release is None:
            continue
        assert release.rows_out + release.suppressed == len(batch)
        own = regrouped(release.frame, chosen)
        if each:
            require(own, batch["s"].to_list(), policy)
        for values, secrets in own.items():
            out[values] += secrets
        require(out, [value for values in out.values() for value in values], policy)
        assert release.union.rows == sum(map(len, out.values()))
        assert release.union.n_classes == len(out)


def require(groups, came, policy):
    """Check the classes of a release by the naive measures, against the records that came in."""
    code, paths = coded(came, policy.attributes["s"].nulls)
    before = [code(value) for value in came]
    whole = [model for model in policy.models if isinstance(model, WholeTable)]
    for values in groups.values():
        own = [code(value) for value in values]
        assert all(holds(m, own, before, paths) for m in policy.models if m not in whole)
    sizes = [len(values) for values in groups.values()]
    assert all(at_most(measured(model, sizes), model.required) for model in whole)


@pytest.mark.parametrize("algorithm", EVERY)
@settings(max_examples=examples(30), suppress_health_check=list(HealthCheck))
@given(columns=tables(), batch=tables(), chosen=attributes(levels=True))
def test_what_is_released_is_true(algorithm, columns, batch, chosen):
    """Labels hold the value of each record: intervals, sets, and nodes of hierarchies."""
    policy = policy_of(chosen, MODELS["k"], EVERY[algorithm], suppression_limit=0.7)
    table, later = typed(columns), typed(batch)
    fitted = fitted_to(table, policy) if len(table) else None
    release = None if fitted is None else applied(fitted, later)
    if release is None:
        return
    for known in fitted.series.recoding.known:
        wider = known.hierarchy and extend_hierarchy(known.hierarchy, known.rule, later[known.name])
        for label, row in zip(release.frame[known.name], release.frame["id"], strict=True):
            value = later[known.name][row]
            event(f"{known.name}: {label == '*'}")
            assert true_of(label, value, wider)


def true_of(label, value, wider):
    """Say whether a released label holds a value; wider: the hierarchy with the batch in it."""
    if label in (None, "*", value) or str(label) == text_of(pl.Series([value]))[0]:
        return True
    if wider is not None:
        tree = wider.hierarchy
        leaf = tree.leaf_of(pl.Series([value], dtype=tree.values.dtype))[0]
        return any(tree.label(level, leaf) == label for level in range(tree.n_levels))
    if isinstance(value, str):
        return (value in label) or json.dumps(value, ensure_ascii=False) in label
    if value is None:
        return "null" in label
    low, high = map(float, label.strip("[]").split(", "))
    return low <= value <= high


@pytest.mark.parametrize("algorithm", EVERY)
@QUICK
@given(
    columns=tables(),
    first=tables(),
    second=tables(),
    chosen=attributes(levels=True),
    models=st.sampled_from(list(MODELS)),
)
def test_a_file_goes_on_where_the_recoding_was(algorithm, columns, first, second, chosen, models):
    """Saved between two batches and read again, a recoding releases what it would have."""
    policy = policy_of(chosen, MODELS[models], EVERY[algorithm], suppression_limit=0.7)
    table = typed(columns)
    fitted = fitted_to(table, policy) if len(table) else None
    if fitted is None:
        return
    applied(fitted, typed(first))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recoding.json"
        fitted.save(path)
        again = Fitted.load(path)
        again.save(Path(folder) / "again.json")
        assert (Path(folder) / "again.json").read_bytes() == path.read_bytes()
    one, other = applied(fitted, typed(second)), applied(again, typed(second))
    assert (one is None) == (other is None)
    if one is not None:
        assert one.frame.equals(other.frame)
        assert one.union == other.union


@pytest.mark.parametrize("algorithm", EVERY)
@settings(max_examples=examples(24), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(FRAMES)), tables(), tables(), attributes(levels=True))
def test_every_frame_library_gives_the_same_releases(algorithm, library, columns, batch, chosen):
    """A recoding that was fitted to one library's table releases the batches of all others."""
    policy = policy_of(chosen, MODELS["k"], EVERY[algorithm], suppression_limit=0.7)
    table = typed(columns)
    fitted = fitted_to(table, policy) if len(table) and batch["id"] else None
    if fitted is None:
        return
    if None in batch["age"]:
        batch = {**batch, "age": [None if v is None else float(v) for v in batch["age"]]}
    other = Fitted(fitted.series, fitted.account)
    one = applied(fitted, pl.DataFrame(batch))
    again = applied(other, FRAMES[library](batch))
    assert (one is None) == (again is None)
    if one is not None:
        ours = to_polars(again.frame)
        assert ours.columns == one.frame.columns
        assert ours.rows() == one.frame.rows()


KEY = {"env": "SERIES_KEY"}
ACTIONS = {
    "dropped": [],
    "drawn anew": [ka.actions.Surrogate()],
    "the same": [ka.actions.KeyedHash(key=KEY)],
}
VISITS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([20, 21, 40]), st.sampled_from("xy")),
    min_size=2,
    max_size=16,
)


def visits_of(rows):
    """Return visits of persons."""
    columns = {"id": pl.Int64, "age": pl.Int64, "s": pl.String}
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.mark.parametrize("algorithm", ["span", "full-domain"])
@pytest.mark.parametrize("pseudonym", ACTIONS)
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(
    table=VISITS,
    batches=st.lists(VISITS, min_size=1, max_size=4),
    k=st.integers(2, 3),
    known=st.booleans(),
)
def test_the_union_promises_no_more_persons_than_there_are(
    pseudonym, algorithm, table, batches, k, known, monkeypatch
):
    """Nobody counts twice, in a batch or in all, and who is alone in all linked rows is found."""
    monkeypatch.setenv("SERIES_KEY", "a key of tests, of no data")
    policy = ka.Policy(
        attributes={
            "id": ka.Identifier(action=ACTIONS[pseudonym]),
            "age": ka.QuasiIdentifier(ka.hierarchy.intervals(width=[10, 40])),
            "s": ka.Sensitive(),
        },
        models=[ka.KAnonymity(k, entity="id")],
        algorithm=EVERY[algorithm],
        suppression_limit=1.0,
    )
    fitted = fitted_to(visits_of(table), policy) if table else None
    if fitted is None:
        return
    person = PersonColumn("id", KEY) if known else None
    classes, histories, seen = defaultdict(set), defaultdict(list), []
    for number, batch in enumerate(map(visits_of, [table, *batches])):
        release = applied(fitted, batch, person=person)
        event(f"released: {release is not None}")
        if release is None:
            continue
        own = defaultdict(set)
        for age, row in zip(release.frame["age"], release.rows, strict=True):
            who = batch["id"][int(row)]
            own[age].add(who)
            histories[who].append((number, age))
        for age, persons in own.items():
            assert len(persons) >= k
            classes[age] |= persons
        (alone,), (together,) = release.verification.checks, release.union.checks
        if not alone.linked_by:
            assert alone.achieved == min(map(len, own.values()), default=0)
        assert together.achieved <= min(map(len, classes.values()), default=0)
        assert together.achieved >= k or not classes
        if known:
            now, earlier = set().union(*own.values()), set().union(*seen)
            several = sum(len({batch for batch, _ in one}) > 1 for one in histories.values())
            found = release.repeated
            assert found.persons == len(now & earlier)
            assert (found.in_several, found.in_series) == (several, len(now | earlier))
            seen.append(now)
            if pseudonym == "the same" and several:
                alike = Counter(tuple(sorted(one)) for one in histories.values())
                event(f"alike: {min(alike.values())}")
                assert together.achieved <= min(alike.values())
                assert "id" in together.linked_by
        with tempfile.TemporaryDirectory() as folder:
            fitted.save(Path(folder) / "fitted.json")
            fitted = Fitted.load(Path(folder) / "fitted.json")
