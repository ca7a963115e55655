"""Paths as DuckDB takes them: each file by its own name, whatever characters that has."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from kanonym.data.databases import displayable_url
from kanonym.data.errors import DataError


def files_of(path: str) -> list[str]:
    """Return the files that a path names: itself, or all that its pattern matches."""
    if "://" in path:
        raise DataError(
            f"{displayable_url(path)}: DuckDB reads files of this machine here. Copy the file, "
            "read it without an engine, or give a relation of a connection that has loaded httpfs"
        )
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder; name its files: {path}/*.parquet")
    if Path(path).exists():
        return [path]
    if not glob.has_magic(path):
        raise DataError(f"no file {displayable_url(path)}")
    found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - a pattern from the root, too
    files = [one for one in found if not Path(one).is_dir()]
    if not files:
        raise DataError(f"no file matches {displayable_url(path)}")
    return files


def file_array(files: Sequence[str]) -> exp.Array:
    """Return files as a list of DuckDB, which takes some characters for patterns, `~` for home."""
    paths = [exp.Literal.string(glob.escape(str(Path(one).absolute()))) for one in files]
    return exp.Array(expressions=paths)


def read_option(name: str, value: exp.Expr) -> exp.PropertyEQ:
    """Return an option of one of DuckDB's functions that read files."""
    return exp.PropertyEQ(this=exp.to_identifier(name), expression=value)


WITHOUT_FOLDERS = read_option("hive_partitioning", exp.false())
"""The names of folders are no columns."""
