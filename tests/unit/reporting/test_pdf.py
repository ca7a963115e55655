"""Laws of the PDF: a browser that is installed prints it, and what is wrong is said."""

from __future__ import annotations

import stat
import sys

import pytest

from kanonym.data.errors import DataError
from kanonym.reporting import encode, format_of
from kanonym.reporting.rendering import pdf

needs_a_shell = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")


def stand_in(folder, script):
    """Put a browser into a folder that does as a script says."""
    path = folder / "chromium"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """Leave no browser to be found but those in a folder."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(pdf, "COMMANDS", ("chromium",))
    monkeypatch.setattr(pdf, "PLACES", ())
    monkeypatch.setattr(pdf.shutil, "which", lambda name: next(map(str, tmp_path.glob(name)), None))
    return tmp_path


def test_extension_pdf_is_a_form():
    """A report may be written as .pdf."""
    assert format_of("a/report.PDF") == "pdf"


def test_without_a_browser_the_error_says_what_to_do(alone, summary_of):
    """Nothing is drawn, and the reader learns what to install or to write instead."""
    with pytest.raises(DataError, match=r"install Chromium, Google Chrome .* or write \.html"):
        encode(summary_of({"age": [1, 2]}, [0, 0]), "pdf")
    assert not list(alone.iterdir())


@needs_a_shell
def test_a_browser_that_prints_is_believed(alone):
    """What it leaves at the place that it was told is the PDF."""
    stand_in(
        alone,
        'for one in "$@"; do case $one in --print-to-pdf=*) '
        'printf "%%PDF-1.4 " > "${one#--print-to-pdf=}" ;; esac; done',
    )
    assert pdf.print_pdf("<p>page</p>") == b"%PDF-1.4 "


@needs_a_shell
def test_a_browser_that_fails_is_quoted(alone):
    """The error has the last line that the browser said, and what to do."""
    stand_in(alone, "echo first >&2; echo no display >&2; exit 1")
    with pytest.raises(DataError, match=r"did not print the report \(no display\): install"):
        pdf.print_pdf("<p>page</p>")


@needs_a_shell
def test_a_browser_that_hangs_is_given_up(alone, monkeypatch):
    """Two minutes are enough for a page; then the error says so."""
    stand_in(alone, "exec sleep 30")
    monkeypatch.setattr(pdf, "SECONDS", 0.2)
    with pytest.raises(DataError, match="timed out"):
        pdf.print_pdf("<p>page</p>")
