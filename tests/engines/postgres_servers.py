"""PostgreSQL servers for tests, on the loopback interface alone."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest


@contextlib.contextmanager
def postgres_server():
    """Start a server; yield the URL of its database, or skip, with the reason."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), reverse=True)
    program = shutil.which("postgres") or (str(found[0]) if found else None)
    if program is None:
        pytest.skip("needs PostgreSQL: no program `postgres` on this machine")
    folder = Path(tempfile.mkdtemp(prefix="kanonym-postgres-"))
    before = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # the server refuses to run as root
        try:
            shutil.chown(folder, "postgres")
        except LookupError:
            pytest.skip("needs PostgreSQL: it does not run as root, and has no user `postgres`")
        switch = shutil.which("runuser") or "/usr/sbin/runuser"  # not on every PATH
        before = [switch, "-u", "postgres", "--"]
    password = secrets.token_urlsafe(12)
    (folder / "password").write_text(password)
    (folder / "password").chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    binaries = Path(program).parent
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c fsync=off -k {folder}"

    def run(*command):
        done = subprocess.run(
            [*before, *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    control = [str(binaries / "pg_ctl"), "-D", str(folder / "data"), "-w", "-s"]
    try:
        run(
            str(binaries / "initdb"), "-D", "data", "-U", "ann", "--auth=scram-sha-256",
            "--no-sync", "--pwfile=password", "--encoding=UTF8", "--locale=C",
        )  # fmt: skip
        run(*control, "-l", "log", "-o", options, "start")
        try:
            yield f"postgresql://ann:{password}@127.0.0.1:{port}/postgres"
        finally:
            run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def create_database(url):
    """Return the URL of an empty database on the server of a URL."""
    import adbc_driver_postgresql.dbapi

    name = f"tests_{secrets.token_hex(4)}"
    with (
        adbc_driver_postgresql.dbapi.connect(url, autocommit=True) as server,
        server.cursor() as cursor,
    ):
        cursor.execute(f"CREATE DATABASE {name}")
    return f"{url.removesuffix('postgres')}{name}"
