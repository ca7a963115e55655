"""Releases that Spark writes: hidden until they are verified, then moved into their place.

A release is a folder of files, as everything that Spark writes. It is written into a hidden
folder beside its place: one whose name begins with a dot, which neither Spark nor its kin
read. What a killed process leaves there is removed by the next run that writes to that place.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

import polars as pl
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import DecimalType

from kanonym.data.errors import DataError
from kanonym.engines.spark.reading import OPTIONS, check_writable, format_of
from kanonym.engines.spark.session import translate_errors, without_credentials
from kanonym.engines.sql.store import Query


class Folders(Protocol):
    """What a file system does with folders; paths as Spark takes them."""

    def exists(self, path: str) -> bool:
        """Whether there is anything at a path."""
        ...

    def names(self, path: str) -> list[str]:
        """Return the names in a folder; none where there is no such folder."""
        ...

    def make(self, path: str) -> None:
        """Make a folder, and those around it."""
        ...

    def move(self, path: str, to: str) -> None:
        """Give a folder another name, at once."""
        ...

    def remove(self, path: str) -> None:
        """Remove a folder with everything in it, if it is there."""
        ...


class HadoopFolders:
    """The file systems that classic Spark knows: local, HDFS, object stores."""

    def __init__(self, session: SparkSession) -> None:
        context: Any = session.sparkContext
        self._path = context._jvm.org.apache.hadoop.fs.Path  # noqa: SLF001 - PySpark has no other way
        self._settings = context._jsc.hadoopConfiguration()  # noqa: SLF001

    def exists(self, path: str) -> bool:
        """As `Folders.exists`."""
        system, place = self._hadoop_path(path)
        return bool(system.exists(place))

    def names(self, path: str) -> list[str]:
        """As `Folders.names`."""
        system, place = self._hadoop_path(path)
        if not system.exists(place):
            return []
        return [str(one.getPath().getName()) for one in system.listStatus(place)]

    def make(self, path: str) -> None:
        """As `Folders.make`."""
        system, place = self._hadoop_path(path)
        system.mkdirs(place)

    def move(self, path: str, to: str) -> None:
        """As `Folders.move`."""
        system, place = self._hadoop_path(path)
        if not system.rename(place, self._path(to)):
            raise DataError(f"{without_credentials(to)} cannot be written: nothing was written")

    def remove(self, path: str) -> None:
        """As `Folders.remove`."""
        system, place = self._hadoop_path(path)
        system.delete(place, True)  # noqa: FBT003 - Java knows no names

    def _hadoop_path(self, path: str) -> tuple[Any, Any]:
        place = self._path(path)
        return place.getFileSystem(self._settings), place


class SharedFolders:
    """Folders of this machine that a Spark Connect server sees, too."""

    def exists(self, path: str) -> bool:
        """As `Folders.exists`."""
        return _local_path(path).exists()

    def names(self, path: str) -> list[str]:
        """As `Folders.names`."""
        return os.listdir(_local_path(path)) if _local_path(path).is_dir() else []  # noqa: PTH208

    def make(self, path: str) -> None:
        """As `Folders.make`."""
        _local_path(path).mkdir(parents=True, exist_ok=True)

    def move(self, path: str, to: str) -> None:
        """As `Folders.move`."""
        try:
            _local_path(path).rename(_local_path(to))
        except OSError as error:
            raise DataError(
                f"{to} cannot be written: {error.strerror or error}; nothing was written"
            ) from None

    def remove(self, path: str) -> None:
        """As `Folders.remove`."""
        shutil.rmtree(_local_path(path), ignore_errors=True)


def folders_of(session: SparkSession, inside: str, *, remote: bool) -> Folders:
    """Return what handles the folders around a place.

    inside: the folder that is written to. remote: whether the session is one of Connect.
    """
    if not remote:
        return HadoopFolders(session)
    advice = (
        "a release is renamed into its place when it is verified, which cannot be done from here. "
        "Leave the output out, and write release.frame yourself"
    )
    if urlsplit(inside).scheme not in ("", "file"):
        raise DataError(
            f"{without_credentials(inside)} is on the server of Spark Connect: {advice}"
        )
    # Whether both see one disk is tried, with a folder that only this process knows.
    probe = Path(_local_path(inside), f".kanonym-{os.getpid()}-{os.urandom(4).hex()}")
    probe.mkdir(parents=True)
    try:
        (probe / "probe.txt").write_text(probe.name)
        seen = _is_visible(session, str(probe / "probe.txt"), probe.name)
    finally:
        shutil.rmtree(probe, ignore_errors=True)
    if not seen:
        raise DataError(f"the server of Spark Connect does not see {inside}: {advice}")
    return SharedFolders()


def _is_visible(session: SparkSession, path: str, content: str) -> bool:
    try:
        with translate_errors("read a file"):
            return [row[0] for row in session.read.text(path).collect()] == [content]
    except DataError:
        return False


def _local_path(path: str) -> Path:
    return Path(urlsplit(path).path if path.startswith("file:") else path)


Frame: TypeAlias = Any  # pyspark carries no types

_MARK = "kanonym"
_INSTANTS = "spark.sql.parquet.outputTimestampType"


@dataclass
class HiddenFolder:
    """A release in a hidden folder."""

    query: Query
    folders: Folders
    hidden: str
    place: str
    rows: Callable[[], Iterable[pl.DataFrame]] | None = None

    def publish(self) -> str:
        """Move the folder of files into its place, and return that."""
        with translate_errors(f"write {without_credentials(self.place)}"):
            _refuse_existing(self.folders, self.place)
            self.folders.move(_hidden_path(self.hidden), self.place)
            self.folders.remove(self.hidden)
        return self.place

    def discard(self) -> None:
        """Remove what was written."""
        with translate_errors("remove what it wrote"):
            self.folders.remove(self.hidden)


@dataclass
class LazyRelease:
    """A release that is a DataFrame, computed when it is read."""

    query: Query
    frame: Frame
    rows: Callable[[], Iterable[pl.DataFrame]] | None = None

    def publish(self) -> Frame:
        """Return the DataFrame."""
        return self.frame

    def discard(self) -> None:
        """Do nothing: nothing was written."""


def stage_frame(
    session: SparkSession,
    frame: Frame,
    place: str | None,
    view: Callable[[Frame], Query],
    *,
    remote: bool,
) -> HiddenFolder | LazyRelease:
    """Write a DataFrame where nobody takes it for a release."""
    if place is None:
        return LazyRelease(view(frame), frame)
    kind = format_of(place, "")
    folders = require_place(session, place, remote=remote)
    inside, name = _split_place(place)
    with translate_errors(f"write {without_credentials(place)}"):
        _remove_stale(folders, inside, name)
        hidden = f"{inside}/{_prefix(name)}{os.getpid()}-{secrets.token_hex(4)}"
        try:
            if _source(kind) == "json":
                _refuse_rounding(frame)
            options = OPTIONS.get(kind, {})
            with _exact_times(session):
                frame.write.format(_source(kind)).options(**options).save(_hidden_path(hidden))
            reader = session.read.format(_source(kind)).options(**options).schema(frame.schema)
            if _source(kind) == "csv":
                reader = reader.options(multiLine=True)  # a cell may hold a line break
            query = view(reader.load(_hidden_path(hidden)))
        except BaseException:
            with contextlib.suppress(Exception):  # the first error is the one to be told
                folders.remove(hidden)
            raise
    return HiddenFolder(query, folders, hidden, place)


def _refuse_rounding(frame: Frame) -> None:
    """Refuse decimals that readers of JSON would round: most take its numbers for float64."""
    rounded = []
    for field in frame.schema.fields:
        if (
            isinstance(field.dataType, DecimalType)
            and field.dataType.precision > sys.float_info.dig
        ):
            column = functions.col("`" + field.name.replace("`", "``") + "`")
            back = column.cast("double").try_cast(field.dataType)
            rounded.append(functions.max(~column.eqNullSafe(back)).alias(field.name))
    if not rounded:
        return
    (found,) = frame.select(*rounded).collect()
    for name, lost in found.asDict().items():
        if lost:
            raise DataError(
                f"column {name!r} holds decimals of more digits than a floating-point number has, "
                "which readers of JSON would round: round it, convert it to text, or write Parquet"
            )


def require_place(session: SparkSession, place: str, *, remote: bool) -> Folders:
    """Return the file system of a place; errors as of `stage_frame`."""
    check_writable(format_of(place, ""), place)
    with translate_errors(f"write {without_credentials(place)}"):
        folders = folders_of(session, _split_place(place)[0], remote=remote)
        _refuse_existing(folders, place)
    return folders


def _split_place(place: str) -> tuple[str, str]:
    """Return the folder of a place, and its name in it."""
    inside, _, name = place.rstrip("/").rpartition("/")
    return inside or ("/" if place.startswith("/") else "."), name


def _refuse_existing(folders: Folders, place: str) -> None:
    if folders.exists(place):
        raise DataError(
            f"{without_credentials(place)} exists already, and Spark would not replace it whole: "
            "remove it, or choose another place"
        )


def _prefix(name: str) -> str:
    """Return how the names of hidden folders of this machine for a place begin."""
    return f".{name}.{_MARK}-{socket.gethostname()}-"


def _hidden_path(hidden: str) -> str:
    return f"{hidden}/release"


def _remove_stale(folders: Folders, inside: str, name: str) -> None:
    """Remove what processes of this machine left that are no more."""
    prefix = _prefix(name)
    for left in folders.names(inside):
        number = left.removeprefix(prefix).partition("-")[0]
        if left.startswith(prefix) and number.isdigit() and not _is_alive(int(number)):
            folders.remove(f"{inside}/{left}")


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":  # there, asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _source(kind: str) -> str:
    return "csv" if kind == "tsv" else "json" if kind == "jsonl" else kind


@contextlib.contextmanager
def _exact_times(session: SparkSession) -> Iterator[None]:
    """Have Parquet hold moments as everyone reads them, not in Spark's old form of 96 bits."""
    before = session.conf.get(_INSTANTS, None)
    session.conf.set(_INSTANTS, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        if before is None:
            session.conf.unset(_INSTANTS)
        else:
            session.conf.set(_INSTANTS, before)
