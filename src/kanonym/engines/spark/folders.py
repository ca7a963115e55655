"""Folders where Spark writes: those of its own file systems, or of this machine under Connect."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from kanonym.data.errors import DataError
from kanonym.engines.spark.faults import translate_errors, without_credentials


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
    """The file systems that classic Spark knows: local, HDFS, object stores.

    A move is one step on local disks and on HDFS; object stores copy, file by file.
    """

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
