"""Checkers that share no code with the library: files are read, grouped and judged in plain Python.

Nothing of kanonym is imported here.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import gzip
import io
import json
import math
import re
import sqlite3
import zipfile
import zlib
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

CLOSE = 1e-9


def rows_of_file(path):
    """Return the rows of a written file as dicts, by a reader that is not the library's."""
    path = Path(path)
    suffixes = [one for one in path.suffixes if one != ".gz"]
    kind = suffixes[-1]
    if kind == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    if kind == ".feather":
        return pyarrow.feather.read_table(path).to_pylist()
    if kind == ".xlsx":
        return _rows_of_workbook(path)
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    if kind == ".jsonl":
        return [json.loads(line, parse_float=str) for line in text.split("\n") if line]
    if kind == ".json":
        return json.loads(text, parse_float=str)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if kind == ".tsv" else ",")
    # A row of one empty cell is an empty line, which the reader gives as an empty list.
    lines = [line or [""] for line in reader]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def rows_by_pandas(path):
    """Return the rows of a text table or a workbook as pandas reads them, all cells as text."""
    path = Path(path)
    if path.suffix == ".xlsx":
        frame = pd.read_excel(path, dtype=str, keep_default_na=False, na_filter=False)
    else:
        kind = [one for one in path.suffixes if one != ".gz"][-1]
        frame = pd.read_csv(
            path,
            sep="\t" if kind == ".tsv" else ",",
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            skip_blank_lines=False,
        )
    return frame.to_dict("records")


def rows_of_sqlite(path, table):
    """Return the rows of a table of SQLite."""
    connection = sqlite3.connect(path)
    try:
        quoted = table.replace('"', '""')
        cursor = connection.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608
        names = [one[0] for one in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]
    finally:
        connection.close()


def _rows_of_workbook(path):
    sheet = openpyxl.load_workbook(path, read_only=False).worksheets[0]
    lines = [[cell.value for cell in row] for row in sheet.iter_rows()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def classes(rows, known, secret=None):
    """Return the sensitive values of each class: records that agree on all known columns."""
    found = defaultdict(list)
    for row in rows:
        key = tuple((type(row[name]).__name__, str(row[name])) for name in known)
        found[key].append(None if secret is None else row[secret])
    return list(found.values())


def satisfied(model, groups, table):
    """Return whether a model holds in every class, by its formula in the literature.

    model: its form in a policy. groups: the sensitive values of each class. table: those of the
    whole table before suppression.
    """
    kind = model["type"]
    if kind == "k-anonymity":
        return all(len(one) >= model["k"] for one in groups)
    if kind == "average-risk":
        return len(groups) <= model["threshold"] * sum(map(len, groups)) + CLOSE
    if kind == "sample-uniqueness":
        alone = sum(len(one) == 1 for one in groups)
        return alone <= model["threshold"] * sum(map(len, groups)) + CLOSE
    judge = {
        "alpha-k-anonymity": _alpha,
        "l-diversity": _diverse,
        "t-closeness": _close,
        "beta-likeness": _alike,
        "delta-disclosure": _disclosing,
    }[kind]
    whole = _shares(table)
    return all(judge(model, one, whole) for one in groups)


def fits(rows, names, k):
    """Return whether every record is like k records or more, a blank cell like any."""
    cells = [[row[name] for name in names] for row in rows]

    def alike(one, other):
        pairs = zip(one, other, strict=True)
        return all(a == b or a in (None, "") or b in (None, "") for a, b in pairs)

    return all(sum(alike(one, other) for other in cells) >= k for one in cells)


def _shares(values):
    counts = Counter(str(value) for value in values)
    return {value: count / len(values) for value, count in counts.items()}


def _alpha(model, values, _whole):
    most = max(_shares(values).values())
    return len(values) >= model["k"] and most <= model["alpha"] + CLOSE


def _diverse(model, values, _whole):
    counts = sorted(Counter(str(value) for value in values).values(), reverse=True)
    if model.get("kind", "distinct") == "distinct":
        return len(counts) >= model["l"]
    if model["kind"] == "entropy":
        shares = [count / len(values) for count in counts]
        entropy = -sum(share * math.log(share) for share in shares)
        return math.exp(entropy) >= model["l"] - 1e-6
    rest = sum(counts[model["l"] - 1 :])
    return len(counts) >= model["l"] and counts[0] < model["c"] * rest + CLOSE


def _close(model, values, whole):
    own = _shares(values)
    if model.get("distance") == "hierarchical":
        # Of the tree * - viral - hiv, flu and * - healthy - none: what crosses each edge moves half
        # a level of two, up or down.
        viral = [own.get(one, 0) - whole.get(one, 0) for one in ("hiv", "flu")]
        healthy = own.get("none", 0) - whole.get("none", 0)
        crossing = map(abs, (*viral, sum(viral), healthy, healthy))
        return sum(crossing) / 4 <= model["t"] + CLOSE
    if model.get("distance") == "ordered":
        moved, total = 0.0, 0.0
        for value in sorted(whole):
            moved += own.get(value, 0) - whole[value]
            total += abs(moved)
        return total <= (model["t"] + CLOSE) * max(len(whole) - 1, 1)
    if model.get("distance") == "kullback-leibler":
        divergence = sum(share * math.log(share / whole[one]) for one, share in own.items())
        return divergence <= model["t"] + CLOSE
    differences = [abs(own.get(one, 0) - share) for one, share in whole.items()]
    if model.get("distance") == "largest-difference":
        return max(differences) <= model["t"] + CLOSE
    return sum(differences) / 2 <= model["t"] + CLOSE


def _alike(model, values, whole):
    for value, share in _shares(values).items():
        most = model["beta"]
        if model.get("kind") == "enhanced":
            most = min(most, -math.log(whole[value]))
        if (share - whole[value]) / whole[value] > most + CLOSE:
            return False
    return True


def _disclosing(model, values, whole):
    return all(
        abs(math.log2(share / whole[value])) < model["delta"] + CLOSE
        for value, share in _shares(values).items()
    )


NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
INTERVAL = re.compile(rf"^([\[(])({NUMBER}), ({NUMBER})([\])])$")


def contains(label, value):
    """Return whether a released label of a whole number holds it; None where that is not known."""
    text = str(label)
    if text == "*":
        return True
    found = INTERVAL.match(text)
    if found and value is not None:
        left, low, high, right = found.groups()
        first, last = Fraction(low), Fraction(high)
        above = first <= value if left == "[" else first < value
        below = value <= last if right == "]" else value < last
        return above and below
    if text.startswith("{") and text.endswith("}"):
        inside = text[1:-1].split(", ")
        return ("null" if value is None else str(value)) in inside
    return None


def forms_of(secret):
    """Return the bytes in which a text may hide: as it is, in UTF-16 and in base64."""
    plain = secret.encode()
    found = [plain, secret.encode("utf-16-le"), secret.encode("utf-16-be")]
    # In base64, what stands around a text decides how its ends are written.
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + plain)
        found.append(coded[4 if shift else 0 : -4])
    return found


def uncovered(data):
    """Return bytes, and what they hold packed: members of zip archives, gzip, zlib streams."""
    found = [data]
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found += [archive.read(name) for name in archive.namelist()]
    for mark in (b"\x1f\x8b\x08", b"\x78\x9c", b"\x78\xda"):
        place = data.find(mark)
        while place >= 0:
            with contextlib.suppress(zlib.error):
                found.append(zlib.decompressobj(47).decompress(data[place:]))
            place = data.find(mark, place + 1)
    if data.startswith(b"PAR1"):
        table = pyarrow.parquet.read_table(io.BytesIO(data))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        found.append(sink.getvalue().to_pybytes())
    if data.startswith(b"ARROW1"):
        table = pyarrow.feather.read_table(io.BytesIO(data))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        found.append(sink.getvalue().to_pybytes())
    return found
