"""A released frame holds what is released: searched as bytes, as its own library writes it."""

import io
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kanonym.data.errors import DataError
from kanonym.data.frames import assemble

CANARIES = [f"CANARY{place:03d}, too long to be kept inline" for place in range(60)]
ROWS = np.array([41, 7, 23])
RELEASED = {b"CANARY041", b"CANARY007", b"CANARY023"}

POLARS = {
    "text": pl.Series(CANARIES),
    "bytes": pl.Series([one.encode() for one in CANARIES]),
    "categories": pl.Series(CANARIES, dtype=pl.Categorical),
    "enumeration": pl.Series(CANARIES, dtype=pl.Enum(CANARIES)),
    "lists": pl.Series([[one, one] for one in CANARIES]),
    "lists of an enumeration": pl.Series(
        [[one] for one in CANARIES], dtype=pl.List(pl.Enum(CANARIES))
    ),
    "arrays of an enumeration": pl.Series(
        [[one, one] for one in CANARIES], dtype=pl.Array(pl.Enum(CANARIES), 2)
    ),
    "structs": pl.Series(
        [{"a": one, "b": [one], "c": one} for one in CANARIES],
        dtype=pl.Struct({"a": pl.String, "b": pl.List(pl.String), "c": pl.Enum(CANARIES)}),
    ),
}

TEXTS = pa.array(CANARIES)
ARROW = {
    "text": TEXTS,
    "views": TEXTS.cast(pa.string_view()),
    "dictionary": TEXTS.dictionary_encode(),
    "ordered dictionary": pa.DictionaryArray.from_arrays(np.arange(60), TEXTS, ordered=True),
    "lists": pa.array([[one] for one in CANARIES]),
    "views of lists": pa.array([[one] for one in CANARIES], pa.list_view(pa.string())),
    "lists of a dictionary": pa.ListArray.from_arrays(np.arange(61), TEXTS.dictionary_encode()),
    "pairs": pa.array([[one, one] for one in CANARIES], pa.list_(pa.string(), 2)),
    "maps": pa.array([[(one, one)] for one in CANARIES], pa.map_(pa.string(), pa.string())),
    "structs with metadata": pa.array(
        [{"a": one} for one in CANARIES],
        pa.struct([pa.field("a", pa.string_view(), metadata={"of": CANARIES[0]})]),
    ),
    "extension": pa.ExtensionArray.from_storage(
        pa.json_(), pa.array([f'"{one}"' for one in CANARIES])
    ),
}

PANDAS = {
    "text": pd.Series(CANARIES),
    "objects": pd.Series(CANARIES, dtype=object),
    "lists": pd.Series([[one] for one in CANARIES]),
    "slices of an array": pd.Series(list(np.array(CANARIES, object).reshape(60, 1))),
    "categories": pd.Series(CANARIES, dtype="category"),
    "ordered categories": pd.Series(pd.Categorical(CANARIES, CANARIES[::-1], ordered=True)),
    "arrow text": pd.Series(pd.arrays.ArrowExtensionArray(TEXTS)),
    "arrow views": pd.Series(pd.arrays.ArrowExtensionArray(TEXTS.cast(pa.string_view()))),
    "arrow dictionary": pd.Series(pd.arrays.ArrowExtensionArray(TEXTS.dictionary_encode())),
    "arrow lists": pd.Series(pd.arrays.ArrowExtensionArray(pa.array([[one] for one in CANARIES]))),
}


def written(frame):
    """Return a frame as its own library pickles it, and writes it to Arrow and Parquet."""
    yield pickle.dumps(frame)
    table = frame if isinstance(frame, pa.Table) else None
    buffer = io.BytesIO()
    if isinstance(frame, pl.DataFrame):
        frame.write_ipc(buffer, compression="uncompressed")
        frame.write_parquet(buffer, compression="uncompressed")
        table = frame.to_arrow()
        yield pickle.dumps(table)
    if table is not None:
        with pa.ipc.new_file(buffer, table.schema) as file:
            file.write_table(table)
    yield buffer.getvalue()


def canaries(frame):
    """Return the canaries in whatever a frame is written as."""
    return {one for text in written(frame) for one in re.findall(rb"CANARY\d+", text)}


@pytest.mark.parametrize("values", POLARS.values(), ids=POLARS)
def test_nothing_of_suppressed_records_is_in_a_polars_frame(values):
    """A frame of three records holds their three strings, in buffers and in categories."""
    table = pl.DataFrame({"x": values})
    released = assemble(table, ROWS, ["x"])
    assert canaries(released) == RELEASED
    assert released["x"].to_list() == table["x"].gather(ROWS).to_list()


@pytest.mark.parametrize("values", ARROW.values(), ids=ARROW)
def test_nothing_of_suppressed_records_is_in_an_arrow_table(values):
    """So it is for every Arrow type, whose very type stays, and without metadata of fields."""
    table = pa.table({"x": values}).replace_schema_metadata({"who": CANARIES[0]})
    table = pa.concat_tables([table.slice(0, 20), table.slice(20)])
    released = assemble(table, ROWS, ["x"])
    released.validate(full=True)
    assert canaries(released) == RELEASED
    assert released["x"].type == table["x"].type
    before = table["x"].to_pylist()
    assert released["x"].to_pylist() == [before[row] for row in ROWS]


@pytest.mark.parametrize("values", PANDAS.values(), ids=PANDAS)
def test_nothing_of_suppressed_records_is_in_a_pandas_frame(values):
    """So it is for objects, text and categories of pandas."""
    table = pd.DataFrame({"x": values})
    table.attrs["who"] = CANARIES[0]
    released = assemble(table, ROWS, ["x"])
    assert canaries(released) == RELEASED
    assert [str(one) for one in released["x"]] == [str(table["x"].tolist()[row]) for row in ROWS]


def test_categories_stand_in_an_order_that_says_nothing():
    """Unordered ones are sorted; ordered ones keep their order, without what does not occur."""
    texts = ["pear", "apple", "fig", "kiwi"]
    declared = ["kiwi", "fig", "pear", "apple"]
    rows = np.array([2, 0, 1])
    frame = pd.DataFrame({"c": pd.Categorical(texts, texts), "o": pd.Categorical(texts, declared)})
    frame["o"] = frame["o"].cat.as_ordered()
    released = assemble(frame, rows, ["c", "o"])
    assert released["c"].cat.categories.tolist() == ["apple", "fig", "pear"]
    assert released["o"].cat.categories.tolist() == ["fig", "pear", "apple"]
    table = pa.table({"c": pa.array(texts).dictionary_encode()})
    chunk = assemble(table, rows, ["c"])["c"].chunk(0)
    assert chunk.dictionary.to_pylist() == ["apple", "fig", "pear"]
    column = pl.DataFrame({"e": pl.Series(texts, dtype=pl.Enum(declared))})
    assert assemble(column, rows, ["e"]).schema["e"] == pl.Enum(["fig", "pear", "apple"])


def test_categories_of_several_types_are_sorted_too():
    """Numbers beside text have no order of their own: types, then texts."""
    frame = pd.DataFrame({"c": pd.Categorical(["b", 2, "a", 1], ["b", 2, "a", 1])})
    released = assemble(frame, np.array([0, 1, 2]), ["c"])
    assert released["c"].cat.categories.tolist() == [2, "a", "b"]


def test_a_dictionary_with_repeated_values_and_null_is_made_one_of_distinct_values():
    """Two codes of one value would tell records apart; null in a dictionary is null."""
    values = pa.DictionaryArray.from_arrays([0, 1, 2, 3, None], ["b", "a", "b", None])
    released = assemble(pa.table({"x": values}), None, ["x"])["x"]
    assert released.to_pylist() == ["b", "a", "b", None, None]
    assert released.chunk(0).dictionary.to_pylist() == ["a", "b"]


def test_nothing_stands_under_nulls():
    """A cell that was set to null leaves nothing behind, in masked arrays and Arrow buffers."""
    masked = pd.array([1, 987654321, 3], dtype="Int64")
    masked[1] = pd.NA
    assert np.int64(987654321).tobytes() in pickle.dumps(pd.DataFrame({"x": masked}))
    for rows in (None, np.array([1, 0])):
        released = assemble(pd.DataFrame({"x": masked}), rows, ["x"])
        assert np.int64(987654321).tobytes() not in pickle.dumps(released)
        assert released["x"].isna().sum() == 1
    _, offsets, data = pa.array(CANARIES).buffers()
    valid = pa.py_buffer(np.packbits(np.arange(60) % 2, bitorder="little").tobytes())
    hidden = pa.Array.from_buffers(pa.string(), 60, [valid, offsets, data])
    nested = pa.StructArray.from_arrays([TEXTS], ["a"], mask=pa.array(np.arange(60) % 2 == 0))
    for values in (hidden, nested):
        table = pa.table({"x": values})
        for frame in (table, pl.from_arrow(table)):
            found = canaries(assemble(frame, np.array([0, 1, 2]), ["x"]))
            assert found == {b"CANARY001"}


def test_values_that_an_action_took_away_are_not_under_the_nulls_of_a_release():
    """A column that comes as polars is built anew as well, in every library."""
    _, offsets, data = pa.array(CANARIES).buffers()
    valid = pa.py_buffer(bytes(8))
    hidden = pl.Series("x", pa.Array.from_buffers(pa.string(), 60, [valid, offsets, data]))
    numbers = pd.DataFrame({"x": range(60)})
    for frame in (pl.from_pandas(numbers), pa.Table.from_pandas(numbers), numbers):
        assert canaries(assemble(frame, None, [hidden])) == set()


def test_changing_an_object_of_a_release_leaves_the_input_alone():
    """Lists and other objects are copies."""
    table = pd.DataFrame({"x": [[1], [2]]})
    assemble(table, None, ["x"])["x"][0].append(5)
    assert table["x"].tolist() == [[1], [2]]


def test_objects_that_cannot_be_copied_are_refused():
    """The message names the column and the type, and no value."""

    class Locked:
        """An object that cannot be copied."""

        def __deepcopy__(self, memo):
            """Fail, with a value of the table in the message."""
            raise RuntimeError(CANARIES[0])

    table = pd.DataFrame({"x": [Locked()]})
    with pytest.raises(DataError, match=r"column 'x' holds objects \(Locked\)") as caught:
        assemble(table, None, ["x"])
    assert "CANARY" not in str(caught.value)


def test_arrow_types_that_cannot_be_taken_are_refused():
    """Arrow takes nothing from run-end encoded columns: the message names column and type."""
    values = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", "b"]))
    with pytest.raises(DataError, match="column 'x' of type run_end_encoded"):
        assemble(pa.table({"x": values}), np.array([1]), ["x"])
