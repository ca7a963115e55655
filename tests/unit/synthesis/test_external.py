"""Laws of synthesizers of other libraries: one interface, the table's types, plain refusals."""

from __future__ import annotations

import sys
from datetime import date, datetime, time, timedelta
from types import ModuleType

import numpy as np
import polars as pl
import pytest

import kanonym as ka
from kanonym.synthesis import SDV, SmartNoise, synthesize
from kanonym.synthesis.external.plain import PlainTable, seed_generators, silence_library
from kanonym.synthesis.synthesizer import Copula, synthesizer_names, synthesizer_of

REAL = pl.DataFrame(
    {
        "age": [20, 35, 50, 65] * 10,
        "income": [1.25, None, 3.5, 4.75] * 10,
        "born": [date(1980, 1, 1), date(1990, 1, 8), date(2000, 1, 15), None] * 10,
        "ill": ["flu", None, "cold", "flu"] * 10,
        "smokes": [True, False, True, True] * 10,
    }
)


class Model:
    """What both libraries hand out here: it draws rows of what it learned, numbers a bit off."""

    def __init__(self, *given, **options):
        """Remember what it was made of."""
        self.given, self.options, self.seed = given, options, None

    def fit(self, table, **options):
        """Remember the table; SDV's comes by name."""
        print("learning ...")  # noqa: T201 - as libraries do
        self.fitted, self.options = options, {**self.options, "state": np.random.random()}  # noqa: NPY002
        self.table = table["table"] if isinstance(table, dict) else table

    def _set_random_state(self, seed):
        self.seed = seed

    def sample(self, n):
        """Return n rows, as SDV does by name."""
        drawn = self.table.iloc[np.random.randint(0, len(self.table), n)].reset_index(drop=True)  # noqa: NPY002
        drawn["age"] += 0.3
        return drawn if self.seed is None else {"table": drawn}


@pytest.fixture
def made(monkeypatch):
    """Put a library of one's own in the place of SDV and SmartNoise; return the models it makes."""
    models = []

    def model(*given, **options):
        models.append(Model(*given, **options))
        return models[-1]

    class Metadata:
        """Takes any form as it is."""

        load_from_dict = staticmethod(lambda form: form)

    class Synthesizer:
        """Creates a model of any name."""

        create = staticmethod(model)

    modules = {
        "sdv": {},
        "sdv.single_table": {"GaussianCopulaSynthesizer": model, "TVAESynthesizer": model},
        "sdv.metadata": {"Metadata": Metadata},
        "snsynth": {"Synthesizer": Synthesizer},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        for key, value in content.items():
            setattr(module, key, value)
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["sdv"].single_table = sys.modules["sdv.single_table"]
    return models


METHODS = [SDV(), SDV("tvae", {"epochs": 1}), SmartNoise("mst", epsilon=2)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_library_is_asked_in_the_same_way(made, capfd, method):
    """It learns plain numbers and texts; what it draws has the types of the table again."""
    found = synthesize(REAL, rows=30, method=method)
    assert found.method == method.name
    assert found.frame.schema == REAL.schema
    assert found.frame.height == 30
    assert set(found.frame["ill"]) <= set(REAL["ill"])
    # Texts are objects in pandas 2.
    assert {str(one) for one in made[0].table.dtypes} - {"str", "object"} == {"int64", "float64"}
    assert capfd.readouterr() == ("", "")


def test_sdv_is_told_the_kind_of_each_column_and_its_parameters(made):
    """Numbers and times are numerical, all else is categorical; nothing else is said."""
    synthesize(REAL, method=SDV("tvae", {"epochs": 1}))
    kinds = made[0].given[0]["tables"]["table"]["columns"]
    assert {name: one["sdtype"] for name, one in kinds.items()} == {
        "age": "numerical",
        "income": "numerical",
        "born": "numerical",
        "ill": "categorical",
        "smokes": "categorical",
    }
    assert made[0].options["epochs"] == 1


def test_numbers_of_sdv_lie_where_the_column_could(made):
    """They are moved to its steps and its range: a drawn 20.3 of ages in steps of 15 is 20."""
    found = synthesize(REAL, rows=50, method=SDV()).frame
    assert set(found["age"]) <= {20, 35, 50, 65}
    assert made[0].table["age"].tolist() == REAL["age"].to_list()


def test_smartnoise_is_told_the_budget_and_spends_a_tenth_on_ranges(made):
    """Without a number there is no range to find; nulls are said where there are some."""
    synthesize(REAL, method=SmartNoise("mst", epsilon=2, parameters={"delta": 1e-6}))
    assert made[0].given == ("mst",)
    assert (made[0].options["epsilon"], made[0].options["delta"]) == (2.0, 1e-6)
    assert made[0].fitted == {
        "categorical_columns": ["ill", "smokes"],
        "continuous_columns": ["age", "income", "born"],
        "preprocessor_eps": 0.2,
        "nullable": True,
    }
    words = pl.DataFrame({"ill": ["flu", "cold"] * 9, "age": ["young", "old"] * 9})
    with pytest.raises(ka.DataError):
        synthesize(words, method=SmartNoise("mst", epsilon=2))  # `Model` adds to ages
    assert made[1].fitted["preprocessor_eps"] == 0
    assert not made[1].fitted["nullable"]


def test_the_seed_decides_what_sdv_learns_and_draws(made):
    """One seed gives one table, and the generators that all share are left as they were."""
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first, again, other = (synthesize(REAL, method=SDV(), seed=seed).frame for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)
    assert made[0].seed == made[1].seed != made[2].seed
    assert made[0].options["state"] == made[1].options["state"] != made[2].options["state"]
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_constraints_are_kept_for_libraries_that_know_none(made):
    """Records that break one are drawn again, whoever draws."""
    table = REAL.with_columns(more=pl.col("age") + pl.Series([0, 10] * 20))
    found = synthesize(table, method=SDV(), constraints=["age <= more"], rows=200)
    assert (found.frame["age"] <= found.frame["more"]).all()
    assert made


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_library_that_is_not_installed_is_named_with_its_command(monkeypatch, method):
    """The error says what to install."""
    for name in ("sdv", "sdv.single_table", "sdv.metadata", "snsynth"):
        monkeypatch.setitem(sys.modules, name, None)
    command = "'sdv>=2'" if method.name.startswith("sdv") else "smartnoise-synth"
    with pytest.raises(ka.PolicyError, match=f"not installed: pip install {command}"):
        synthesize(REAL, method=method)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (pl.DataFrame({"x": [f"name {i}" for i in range(40)]}), {}, "column 'x' is free text"),
        (REAL.with_columns(y=pl.lit(float("inf"))), {}, "not a finite number"),
        (REAL, {"constraints": ["income > age"]}, "breaks the constraint"),
        (REAL, {"constraints": ["ill > age"]}, "which have no order"),
    ],
)
def test_libraries_are_given_nothing_that_ours_refuses(made, method, table, options, message):
    """Free text would be repeated word by word; so it is refused before."""
    with pytest.raises(ka.KanonymError, match=message):
        synthesize(table, method=method, **options)
    assert not made


def test_what_fails_in_a_library_is_told_without_a_value(monkeypatch, made):
    """Its message may quote the table, so only its kind is told."""

    def fail(*_given, **_options):
        raise ValueError("Ada Lovelace has no such thing")

    monkeypatch.setattr(Model, "fit", fail)
    with pytest.raises(
        ka.DataError, match=r"^sdv:tvae failed on this table with a ValueError"
    ) as e:
        synthesize(REAL, method="sdv:tvae")
    assert "Ada" not in str(e.value)
    assert made


@pytest.mark.parametrize("observed", [True, False])
def test_every_type_comes_back(observed):
    """Numbers, times, Booleans, categories and nulls are the same after the way there and back."""
    table = pl.DataFrame(
        [
            pl.Series("small", [1, 2, None], pl.Int8),
            pl.Series("large", [0, 2**52, 5], pl.UInt64),
            pl.Series("short", [0.5, 1.25, None], pl.Float32),
            pl.Series("exact", ["1.25", "2.50", "9.75"]).cast(pl.Decimal(10, 2)),
            pl.Series("day", [date(2020, 1, 1), None, date(2021, 1, 1)]),
            pl.Series("moment", [datetime(2020, 1, 1, 1, 2, 3, 456789)] * 3, pl.Datetime("us")),
            pl.Series("zoned", [datetime(2020, 6, 1)] * 3, pl.Datetime("ms", "Europe/Berlin")),
            pl.Series("span", [timedelta(1), timedelta(0, 1, 1), None]),
            pl.Series("clock", [time(1, 2), time(3, 4), None]),
            pl.Series("yes", [True, None, False]),
            pl.Series("word", ["a", None, "b"]),
            pl.Series("kind", ["a", None, "b"], pl.Categorical),
            pl.Series("grade", ["low", "high", None], pl.Enum(["low", "high", "top"])),
            pl.Series("nothing", [None, None, None], pl.String),
        ]
    )
    plain = PlainTable(tuple(table.get_columns()))
    assert "nothing" not in plain.frame().columns
    assert pl.DataFrame(plain.restore(plain.frame(), observed=observed)).equals(table)


def test_numbers_that_no_column_of_the_type_holds_are_moved_into_it():
    """A noisy 300 is no Int8: it becomes 127, and a range that was not asked for stays unused."""
    plain = PlainTable((pl.Series("x", [1, 2], pl.Int8),))
    drawn = pl.DataFrame({"x": [300.2, 7.4]}).to_pandas()
    assert plain.restore(drawn, observed=False)[0].to_list() == [127, 7]
    assert plain.restore(drawn, observed=True)[0].to_list() == [2, 2]


def test_quietly_keeps_what_a_library_prints(capsys):
    """Standard output belongs to the caller: a table or JSON may go there."""
    with silence_library("it"):
        print("loss 0.1")  # noqa: T201
        print("loss 0.1", file=sys.stderr)  # noqa: T201
    assert capsys.readouterr() == ("", "")


def test_torch_is_seeded_where_it_is_loaded(monkeypatch):
    """Neural networks draw from its generator, which is given back, too."""
    calls = []
    torch = ModuleType("torch")
    torch.random = ModuleType("random")
    torch.random.get_rng_state = lambda: "before"
    torch.random.set_rng_state = calls.append
    torch.manual_seed = calls.append
    monkeypatch.setitem(sys.modules, "torch", torch)
    with seed_generators(5):
        assert calls == [5]
    assert calls == [5, "before"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: SDV("ctgam"), "unknown synthesizer of SDV; did you mean 'ctgan'"),
        (lambda: SmartNoise("mts", 1), "unknown synthesizer of SmartNoise; did you mean 'mst'"),
        (lambda: SmartNoise("mst", 0), "epsilon is 0"),
    ],
)
def test_wrong_parameters_are_refused(build, message):
    """Before anything is learned."""
    with pytest.raises(ka.PolicyError, match=message):
        build()


def test_every_name_means_a_synthesizer():
    """What is listed can be asked for; those with a budget ask for it."""
    assert synthesizer_names()[0] == synthesizer_of("copula").name == Copula.name
    for name in synthesizer_names():
        if name.startswith("smartnoise"):
            with pytest.raises(ka.PolicyError, match="--epsilon"):
                synthesizer_of(name)
        else:
            assert synthesizer_of(name).name == name


def people(n):
    """Return a small table with two columns that hang together."""
    random = np.random.default_rng(0)
    ages = random.integers(20, 80, n)
    ill = np.where(ages + random.normal(0, 10, n) > 50, "yes", "no")
    return pl.DataFrame({"age": ages, "ill": ill, "town": random.choice(list("abc"), n)})


def test_sdv_itself_draws_a_table_of_the_same_kind():
    """With SDV installed: types, seed, and a table that is like the original."""
    pytest.importorskip("sdv", reason="needs SDV: pip install 'sdv>=2'")
    table = people(400)
    found = synthesize(table, method="sdv:gaussian-copula", seed=1)
    assert found.frame.schema == table.schema
    assert found.frame.equals(synthesize(table, method="sdv:gaussian-copula", seed=1).frame)
    assert not found.frame.equals(synthesize(table, method="sdv:gaussian-copula", seed=2).frame)
    assert found.utility.measured["total-variation"].value < 0.2
    assert found.detection.value < 0.8


def test_smartnoise_itself_draws_a_table_of_the_same_kind():
    """With SmartNoise installed: types, categories, and a table that is like the original."""
    pytest.importorskip("snsynth", reason="needs SmartNoise: pip install smartnoise-synth")
    table = people(400)
    found = synthesize(table, method=SmartNoise("mwem", epsilon=5), seed=1)
    assert found.frame.schema == table.schema
    assert set(found.frame["ill"]) <= {"yes", "no"}
    assert found.utility.measured["total-variation"].value < 0.4
