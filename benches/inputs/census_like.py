"""Seeded tables like a census: any number of rows × 6 attributes, written as Parquet in parts.

    python benches/inputs/census_like.py ROWS PLACE [few|many]

Three columns are whole numbers, three are text. Of ten million rows, `few` has about 200,000
distinct tuples and `many` about 5,000,000. A row depends on its part's number and the seed
alone, so that a longer table begins with the rows of a shorter one, and no more than one part
is ever in memory.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PART = 250_000
SEED = 20_240_607
COLUMNS = ("age", "sex", "region", "education", "marital", "occupation")

MARITAL = ("never married", "married", "divorced", "separated", "widowed", "spouse absent")
EDUCATION = (
    *("none", "grade 4", "grade 8", "grade 9", "grade 10", "grade 11", "grade 12"),
    *("high school", "some college", "vocational", "academic", "bachelor", "master"),
    *("professional", "doctorate", "unknown"),
)


@dataclass(frozen=True)
class Shape:
    """How fine the values are: years of one age value, regions, occupations, their evenness."""

    years: int
    regions: int
    occupations: int
    skew: float


SHAPES = {
    "few": Shape(years=5, regions=9, occupations=8, skew=0.9),
    "many": Shape(years=1, regions=51, occupations=96, skew=0.9),
}


def chances(n: int, skew: float) -> np.ndarray:
    """Return the chances of n values in order, the first the most likely."""
    weights = 1.0 / np.arange(1, n + 1) ** skew
    return weights / weights.sum()


def drawn(random: np.random.Generator, chance: np.ndarray, n: int) -> np.ndarray:
    """Return n positions drawn with the given chances."""
    return np.searchsorted(np.cumsum(chance)[:-1], random.random(n), side="right")


def text(values: list[str], codes: np.ndarray) -> pa.DictionaryArray:
    """Return a column of text from positions in its values."""
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int16)), pa.array(values))


def part(number: int, n: int, shape: Shape, seed: int = SEED) -> pa.Table:
    """Return the first n rows of a part of the table."""
    random = np.random.default_rng([seed, number])
    years = np.minimum(np.abs(random.normal(0, 38, PART)), 94).astype(np.int64)
    stage = np.minimum(years // 20, 4)
    marital = (drawn(random, chances(len(MARITAL), 1.4), PART) + stage) % len(MARITAL)
    schooled = np.clip(random.normal(6 + stage, 2.5, PART), 0, len(EDUCATION) - 1)
    education = schooled.astype(np.int64)
    region = drawn(random, chances(shape.regions, shape.skew), PART)
    occupation = drawn(random, chances(shape.occupations, shape.skew), PART)
    occupation = (occupation + education * (shape.occupations // 16)) % shape.occupations
    regions = [f"region {one:02}" for one in range(shape.regions)]
    columns = [
        pa.array(years // shape.years * shape.years),
        pa.array((random.random(PART) < 0.49).astype(np.int64)),
        text(regions, region).dictionary_decode(),
        text(list(EDUCATION), education).dictionary_decode(),
        text(list(MARITAL), marital).dictionary_decode(),
        pa.array(1000 + 10 * occupation),
    ]
    return pa.table(dict(zip(COLUMNS, columns, strict=True))).slice(0, n)


def write(rows: int, place: Path, shape: str = "few", seed: int = SEED) -> Path:
    """Write a table of so many rows to a Parquet file, a row group a part, and return the path.

    Time and size grow with the rows, memory does not: about 165 MB.
    """
    with pq.ParquetWriter(place, part(0, 0, SHAPES[shape]).schema) as writer:
        for number, start in enumerate(range(0, rows, PART)):
            writer.write_table(part(number, min(PART, rows - start), SHAPES[shape], seed))
    return place


def main() -> None:
    """Write the table that the command line asks for."""
    rows, place, *shape = sys.argv[1:]
    print(write(int(rows), Path(place), *shape))


if __name__ == "__main__":
    main()
