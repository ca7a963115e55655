"""Files of other machines are read by their URL, by every command that reads a table."""

from __future__ import annotations

import base64
import http.server
import io
import json
import shutil
import ssl
import subprocess
import threading
from typing import ClassVar

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import kanonym as ka
from kanonym.data.errors import DataError

ROWS = "23,01234,flu\n25,01235,cold\n28,01310,flu\n29,01311,cold\n"
TABLE = "age,zip,disease\n" + ROWS * 3


class Files(http.server.BaseHTTPRequestHandler):
    """Gives out files from memory, some after a password, some after a detour."""

    files: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_HEAD(self):
        """Answer without the content."""
        self.do_GET()

    def do_GET(self):
        """Answer with a file."""
        path = self.path.partition("?")[0]
        secret = self.headers.get("Authorization")
        self.asked.append((path, secret))
        if path.startswith("/elsewhere/"):
            self.send_response(302)
            self.send_header("Location", "http://example.invalid" + path)
            self.end_headers()
            return
        locked = path.startswith("/locked/") and secret is None
        data = self.files.get(path.rpartition("/")[2])
        self.send_response(401 if locked else 404 if data is None else 200)
        data = b"" if locked or data is None else data
        cut = 1000 if path.startswith("/cut/") else 0
        self.send_header("Content-Length", str(len(data) + cut))
        self.send_header("Last-Modified", "Sat, 01 Jan 2022 00:00:00 GMT")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, *_):
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Serve files by https on the loopback interface; return the start of their URLs."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the program openssl, for a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
               "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
               "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as running:
        running.socket = context.wrap_socket(running.socket, server_side=True)
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(autouse=True)
def files():
    """Fill the server."""
    frame = pl.read_csv(TABLE.encode(), schema_overrides={"zip": pl.String})
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    Files.files = {"table.csv": TABLE.encode(), "table.parquet": buffer.getvalue()}
    Files.asked.clear()
    return frame


@pytest.mark.parametrize("name", ["table.csv", "table.parquet", "table.csv?signature=abc"])
def test_tables_by_https(server, files, name):
    """A table of a server is the table that it is on the disk."""
    assert_frame_equal(ka.read_table(f"https://{server}/{name}"), files)


def test_passwords_go_to_their_server_alone(server):
    """User and password of a URL are sent as such, and not further."""
    url = f"https://ann:s%40cret@{server}/locked/table.csv"
    assert len(ka.read_table(url)) == 12
    assert Files.asked[-1][1] == "Basic " + base64.b64encode(b"ann:s@cret").decode()
    with pytest.raises(DataError, match=r"https://\*\*\*/locked/table.csv .* 401"):
        ka.read_table(f"https://{server}/locked/table.csv")


@pytest.mark.parametrize(
    ("place", "match"),
    [
        ("none.csv", "404"),
        ("cut/table.csv", "IncompleteRead"),
        ("elsewhere/table.csv", "the connection is not encrypted"),
        ("table.docx", "unknown extension"),
    ],
)
def test_what_cannot_be_fetched(server, place, match):
    """The reason is told, the host is not."""
    with pytest.raises(DataError, match=match) as caught:
        ka.read_table(f"https://ann:s3cret@{server}/{place}")
    assert "127.0.0.1" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_certificates_are_looked_at(server, monkeypatch):
    """A server that nobody vouches for is refused."""
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(DataError, match="certificate is not trusted"):
        ka.read_table(f"https://{server}/table.csv")


def test_plain_http_is_refused():
    """What others could read along is not asked for."""
    with pytest.raises(DataError, match="the connection is not encrypted; use https://"):
        ka.read_table("http://example.invalid/table.csv")


def test_object_stores(monkeypatch, files):
    """A file of an object store is read by its URL, with keys that are told nowhere."""
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        options = f"scheme=http&region=here&endpoint_override=127.0.0.1:{running.server_port}"
        assert_frame_equal(ka.read_table(f"s3://key:s3cret@bucket/table.csv?{options}"), files)
        with pytest.raises(DataError, match=r"s3://\*\*\*/none.csv cannot be read") as caught:
            ka.read_table(f"s3://key:s3cret@bucket/none.csv?{options}")
        running.shutdown()
    assert "s3cret" not in str(caught.value)
    assert str(running.server_port) not in str(caught.value)
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT", raising=False)
    with pytest.raises(DataError, match="set AZURE_STORAGE_ACCOUNT"):
        ka.read_table("az://container/table.csv")


def test_a_policy_names_no_remote_table(files):
    """A policy is kept and passed on: its population is a file of this machine."""
    policy = ka.Policy(
        attributes={"age": ka.QuasiIdentifier()},
        models=[ka.models.KMap(2, population="https://ann:s3cret@127.0.0.1:1/all.csv")],
        algorithm=ka.FullDomain(),
        others="insensitive",
    )
    with pytest.raises(ka.KanonymError, match="https:// is not supported here") as caught:
        ka.anonymize(files, policy)
    assert "s3cret" not in str(caught.value)


def test_every_command_reads_remote_tables(server, kanonym, folder):
    """Profile, measure, verify, assess, attack, compare and anonymize take a URL."""
    url = f"https://{server}/table.csv"
    (folder / "policy.yaml").write_text(
        "version: 1\nattributes:\n  age: {role: quasi-identifier}\n"
        "  zip: {role: quasi-identifier}\n  disease: {role: insensitive}\n"
        "models:\n  - {type: k-anonymity, k: 3}\n"
    )
    known = ["-q", "age,zip"]
    for command in (
        ["anonymize", url, "--policy", "policy.yaml", "-o", "released.csv"],
        ["profile", url],
        ["measure", url, *known],
        ["verify", url, "--policy", "policy.yaml", "--accept-findings", "--original", url],
        ["assess", url, "released.csv", *known],
        ["attack", url, url, *known, "--attack", "linkage"],
        ["compare", url, *known, "--others", "insensitive", "-k", "2"],
    ):
        done = kanonym(*command, "--json")
        assert done.code == 0, (command, done.error)
        json.loads(done.out)
        assert "127.0.0.1" not in done.text + done.error
