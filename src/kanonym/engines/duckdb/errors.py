"""What DuckDB says when something goes wrong, without values and without credentials."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import duckdb
import pyarrow as pa

from kanonym.data.databases import without_credentials
from kanonym.data.errors import DataError

_TELLING = (
    duckdb.CatalogException,
    duckdb.BinderException,
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.PermissionException,
)
"""Errors that speak of names and of the machine; others quote values."""

_TELLING_STREAM = ("Out of Memory Error", "IO Error", "Permission Error")
"""How the same begin where they come out of a stream of Arrow, as errors of the system."""

_FILE = re.compile(r"^\s*file = (.+)$", re.MULTILINE)
_EXTENSION = re.compile(r"requires the extension (\w+) to be loaded")
_LINE = re.compile(r"CSV Error on Line: ([0-9]+)")


@contextlib.contextmanager
def translate_errors(where: str = "DuckDB") -> Iterator[None]:
    """Turn errors of DuckDB into ours.

    where: the file or the engine, for the message.
    """
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise DataError(_describe_error(error, without_credentials(where))) from None
    except OSError as error:
        if error.errno is not None:  # of the system itself
            raise
        if str(error).startswith("INTERRUPT Error"):
            raise KeyboardInterrupt from None
        raise DataError(_describe_error(error, without_credentials(where))) from None
    except (duckdb.Error, pa.ArrowException, UnicodeError) as error:
        raise DataError(_describe_error(error, without_credentials(where))) from None


def _describe_error(error: Exception, where: str) -> str:
    message = str(error)
    file = _FILE.search(message)
    if file is not None:
        line = _LINE.search(message)
        place = file[1].strip() + (f", line {line[1]}" if line else "")
        return (
            f"{place}: not a row of the header's cells. Mend the row, quote a cell that holds "
            'the separator, double a " inside a quoted cell, and end all rows the same way'
        )
    extension = _EXTENSION.search(message)
    if extension is not None:
        return (
            f"{where} needs the extension {extension[1]} of DuckDB, and none is loaded from the "
            "network here: load it in a connection of your own, and give a relation of that"
        )
    if isinstance(error, _TELLING) or message.startswith(_TELLING_STREAM):
        return f"{where}: {without_credentials(message.partition(chr(10))[0])}"
    return (
        f"{where} failed with {type(error).__name__}: a value could not be read or computed (it is "
        f"not shown here)"
    )
