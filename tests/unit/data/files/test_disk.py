"""Writing whole or not at all, and reading with a clear answer."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanonym.data.errors import DataError
from kanonym.data.files import atomic_write, check_output, sha256, write_text


def names(folder):
    """Return the names of all files in a folder, hidden ones too."""
    return sorted(os.listdir(folder))  # noqa: PTH208 - hidden files too


def test_a_file_appears_when_the_block_ends(tmp_path):
    """The name is taken at the end, and only by the finished file."""
    path = tmp_path / "report.html"
    with atomic_write(path) as temporary:
        temporary.write_text("half")
        assert temporary.parent == tmp_path
        assert not temporary.match("*.html")  # no pattern takes it for a finished file
        assert not path.exists()
    assert path.read_text() == "half"
    assert names(tmp_path) == ["report.html"]


def write_and_fail(path, error):
    """Write half a file, then fail."""
    with atomic_write(path) as temporary:
        temporary.write_text("half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failing_block_leaves_everything_as_it_was(tmp_path, error):
    """After any exception the old file is whole and no temporary one remains."""
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(error):
        write_and_fail(path, error)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["t.csv"]


def test_what_a_killed_process_left_is_removed(tmp_path):
    """The next write into a folder removes the hidden files of processes that are no more."""
    code = (
        "import os, sys\n"
        "from kanonym.data.files import atomic_write\n"
        "with atomic_write(sys.argv[1]) as temporary:\n"
        "    temporary.write_text('half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    path = tmp_path / "t.csv"
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert len(names(tmp_path)) == 1
    write_text(path, "whole")
    assert names(tmp_path) == ["t.csv"]


def test_the_file_of_a_process_at_work_stays(tmp_path):
    """Another write into the folder leaves a file alone whose process is alive."""
    with atomic_write(tmp_path / "slow.csv") as temporary:
        temporary.write_text("half")
        write_text(tmp_path / "quick.csv", "whole")
        assert temporary.exists()
    assert names(tmp_path) == ["quick.csv", "slow.csv"]


FULL = OSError(28, "No space left on device")
REFUSED = r"t\.csv cannot be written: No space left on device; nothing was written"


def test_a_full_disk_while_writing_is_our_error(tmp_path):
    """What the system refuses in the block is a DataError with its reason."""
    with pytest.raises(DataError, match=REFUSED):
        write_and_fail(tmp_path / "t.csv", FULL)
    assert names(tmp_path) == []


def test_a_name_that_cannot_be_taken_is_our_error(tmp_path, monkeypatch):
    """What the system refuses at the end leaves no file either."""

    def refuse(*_):
        raise FULL

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(DataError, match=REFUSED):
        write_text(tmp_path / "t.csv", "new")
    assert names(tmp_path) == []


def test_permissions_of_a_replaced_file_stay(tmp_path):
    """A new file has the usual permissions, a replaced one its own."""
    path = tmp_path / "t.csv"
    write_text(path, "a")
    usual = (tmp_path / "other").touch() or (tmp_path / "other").stat().st_mode
    assert path.stat().st_mode == usual
    path.chmod(0o600)
    write_text(path, "b")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_followed(tmp_path):
    """Writing through a link replaces the file behind it, not the link."""
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_text(tmp_path / "link.csv", "new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_a_pipe_gets_the_bytes(tmp_path):
    """A named pipe is written to, not replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "released")
        assert os.read(reader, 100) == b"released"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_text_is_utf8_with_plain_line_ends(tmp_path):
    """Text is written byte for byte the same on every system."""
    write_text(tmp_path / "t.txt", "é\n")
    assert (tmp_path / "t.txt").read_bytes() == b"\xc3\xa9\n"


def test_text_goes_to_standard_output(capsysbinary):
    """`-` is standard output."""
    write_text("-", "é\n")
    assert capsysbinary.readouterr().out == b"\xc3\xa9\n"


class Slow:
    """An unbuffered stream that takes some bytes at a time, and no more than it has room for."""

    def __init__(self, room):
        self.room = room
        self.taken = b""

    @property
    def buffer(self):
        """Stand for the stream of bytes, too."""
        return self

    def write(self, data):
        """Take at most seven bytes."""
        part = bytes(data[: min(7, self.room - len(self.taken))])
        if not part:
            raise FULL
        self.taken += part
        return len(part)

    def flush(self):
        """Do nothing: nothing waits."""


def test_standard_output_gets_every_byte(monkeypatch):
    """A stream that takes a part of the bytes is given the rest."""
    monkeypatch.setattr(sys, "stdout", out := Slow(room=1000))
    write_text("-", "x" * 100)
    assert out.taken == b"x" * 100


def test_standard_output_that_fills_up_is_an_error(monkeypatch):
    """Bytes that nobody took are an error, also where the stream took the first of them."""
    monkeypatch.setattr(sys, "stdout", Slow(room=50))
    with pytest.raises(DataError, match="standard output cannot be written: No space left"):
        write_text("-", "x" * 100)


@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere/t.csv", "the folder .*nowhere does not exist; create it"), ("", "it is a folder")],
)
def test_impossible_outputs_are_refused_beforehand(tmp_path, name, message):
    """A missing folder, or a folder in place of a file, is known before any work."""
    with pytest.raises(DataError, match=message):
        check_output(tmp_path / name)


def test_forbidden_outputs_are_refused_beforehand(tmp_path, monkeypatch):
    """A folder or file that may not be written is known before any work."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(DataError, match=r"t\.csv cannot be written: permission denied"):
        check_output(tmp_path / "t.csv")


def test_hashes_are_those_of_everybody(tmp_path):
    """The hash of a file is its SHA-256."""
    (tmp_path / "t").write_bytes(b"abc" * 100_000)
    assert sha256(tmp_path / "t") == hashlib.sha256(b"abc" * 100_000).hexdigest()


def test_hashing_a_missing_file_names_the_nearest(tmp_path):
    """A misspelt name is answered as when reading."""
    (tmp_path / "release.csv").touch()
    with pytest.raises(DataError, match=r"did you mean .*release\.csv\?"):
        sha256(tmp_path / "relaese.csv")
