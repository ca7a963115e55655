"""User, password and host of a database are in no message, and in no name of an object."""

from __future__ import annotations

import traceback
from urllib.parse import quote, urlsplit

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

import kanonym as ka
from effort import NIGHTLY, examples
from kanonym.cli import main
from kanonym.data.databases import displayable_url, without_credentials
from kanonym.data.errors import DataError
from kanonym.engines.database import scan_database, write_table
from kanonym.engines.duckdb import scan_duckdb

IN_POSTGRES = pytest.mark.xdist_group("postgresql")
IN_DUCKDB = pytest.mark.xdist_group("duckdb")


CANARY = "Kanari3nvogel"
PORT = "6543"
S3 = f"s3://{CANARY}:{CANARY}@127.0.0.1/clinic.csv"
BAD_URLS = [
    f"sqlite://ann:{CANARY}@127.0.0.1/clinic.db",
    f"sqlite:////nowhere/clinic.db?password={CANARY}",
    f"sqlite:////nowhere/clinic.db%3Fpassword%3D{CANARY}",
    f"sqlite:////nowhere/clinic.db?key={CANARY}",
    f"mysql://ann:{CANARY}@127.0.0.1:{PORT}/clinic",
    f"MySQL+driver://ann:{CANARY}@127.0.0.1:{PORT}/clinic?password={CANARY}",
    f"mssql://127.0.0.1:{PORT};user=ann;password={CANARY}",
    f"postgresql:/ann:{CANARY}@127.0.0.1:{PORT}/clinic",
    f"postgresql:ann:{CANARY}@127.0.0.1:{PORT}/clinic",
    f"postgresql//ann:{CANARY}@127.0.0.1:{PORT}/clinic",
    f"ann:{CANARY}@127.0.0.1:{PORT}/clinic",
    f"host=127.0.0.1 port={PORT} password={CANARY}",
    f"POSTGRESQL://ann:{CANARY}@127.0.0.1:1/clinic",
    f"postgresql://ann:{CANARY}@[::1/clinic",
    f"postgresql://ann:{CANARY}@127.0.0.1:{CANARY}/clinic",
    f"postgresql://ann:%zz{CANARY}@127.0.0.1:1/clinic",
    f"postgresql://ann:a {CANARY}@127.0.0.1:1/clinic",
    f"postgresql://ann:{CANARY}/{CANARY}@127.0.0.1:1/clinic",
    f'postgresql://ann:a"b{CANARY}%@127.0.0.1:1/clinic',
    f"postgresql://ann:x#{CANARY}?@127.0.0.1:1/clinic",
    f"postgresql://127.0.0.1:1/clinic?user=ann&password={CANARY}",
    f"postgresql://127.0.0.1:1/clinic?password=%zz{CANARY}",
    f"postgresql://ann@127.0.0.1:1,127.0.0.1:2/clinic?{CANARY}={CANARY}",
    f"https://ann:{CANARY}@127.0.0.1:1/clinic.csv?signature={CANARY}",
    S3,
    f"nosuch://ann:{CANARY}@127.0.0.1/clinic.csv",
]


def of(url):
    """Return what of a URL is not to be told."""
    parts = urlsplit(url)
    return [parts.username, parts.password, parts.hostname, str(parts.port)]


def tells(message, url):
    """Tell whether a message holds one of these words."""
    words = [
        word
        for word in message.replace('"', " ").replace("'", " ").replace("/", " ").split()
        if word.strip(":;,.()@") in of(url)
    ]
    return bool(words) or urlsplit(url).password in message


@IN_POSTGRES
def test_failed_connections_tell_nothing(postgres):
    """A wrong password, host, port or database is an error without any of them."""
    parts = urlsplit(postgres)
    password, port = parts.password, str(parts.port)
    for wrong in (
        postgres.replace(password, "wr;ng-p%40ss"),
        postgres.replace(port, "1"),
        postgres.replace("127.0.0.1", "nowhere.invalid"),
        postgres.replace("ann:", "bob:"),
        postgres.replace("/postgres", "/other?application_name=verysecret"),
        postgres + "?sslmode=verify-full&sslrootcert=/secret/root.pem",
    ):
        with pytest.raises(DataError, match=r"postgresql://\*\*\*/") as caught:
            scan_database(wrong, "patients")
        assert not tells(str(caught.value), wrong)
        assert "secret" not in str(caught.value)
        assert "wr;ng" not in str(caught.value)
        assert caught.value.__cause__ is None


@IN_POSTGRES
def test_sources_do_not_show_their_url(postgres):
    """The repr of a source, its store and its statements is without credentials."""
    write_table(pl.DataFrame({"a": [1]}), postgres, "shown")
    source = scan_database(postgres, "shown")
    for text in (repr(source), repr(source.store), str(source.store), source.query.sql()):
        assert not tells(text, postgres)


@IN_POSTGRES
def test_failed_queries_tell_no_value(postgres):
    """What PostgreSQL quotes of the data is not passed on, nor is the statement."""
    write_table(pl.DataFrame({"name": ["verysecret"]}), postgres, "persons")
    source = scan_database(postgres, "persons")
    number = exp.cast(exp.column("name", quoted=True), "INT")
    wrong = exp.select(number).from_(source.query.subquery("q"))
    with pytest.raises(DataError, match="SQLSTATE 22P02") as caught:
        source.store.fetch(wrong)
    assert "verysecret" not in str(caught.value)
    assert source.store.fetch(source.query).height == 1  # it goes on with a new connection


@IN_DUCKDB
def test_failed_queries_of_duckdb_tell_no_value():
    """What DuckDB quotes of the data is not passed on, nor is the statement."""
    source = scan_duckdb(pl.DataFrame({"name": ["verysecret"]}))
    number = exp.cast(exp.column("name", quoted=True), "INT")
    wrong = exp.select(number).from_(source.query.subquery("q"))
    with pytest.raises(DataError, match="ConversionException") as caught:
        source.store.fetch(wrong)
    assert "verysecret" not in str(caught.value)


@IN_DUCKDB
def test_urls_of_files_are_not_told():
    """A file of a server that is not reached is named without user, password and parameters."""
    with pytest.raises(DataError) as caught:
        scan_duckdb("http://ann:s3cret@127.0.0.1:1/table.parquet?signature=s3cret")
    assert "s3cret" not in str(caught.value)
    assert "ann" not in str(caught.value).replace("cannot", "")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://ann:pw@host:5432/clinic", "postgresql://***/clinic"),
        (
            "postgresql+psycopg://ann@127.0.0.1/clinic?password=pw",
            "postgresql+psycopg://***/clinic",
        ),
        ("postgresql:///clinic?host=/run/postgres&user=ann", "postgresql:///clinic"),
        ("sqlite:///clinic.db", "sqlite:///clinic.db"),
        ("sqlite:////data/clinic.db?mode=ro#t", "sqlite:////data/clinic.db"),
        ("sqlite://ann:pw@127.0.0.1/clinic.db", "sqlite://***/clinic.db"),
        ("sqlite:///clinic.db%3Fpassword=pw", "sqlite:///clinic.db"),
        ("mysql://ann:p/w?x#y@z@127.0.0.1/clinic?password=pw", "mysql://***/clinic"),
        ("jdbc://host/clinic;user=ann;password=pw", "jdbc://***/clinic"),
        ("clinic.csv", "clinic.csv"),
    ],
)
def test_what_is_shown_of_a_url(url, expected):
    """The scheme and the path are shown."""
    assert displayable_url(url) == expected


PARTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=5)


@settings(max_examples=examples(100), deadline=None)
@given(user=PARTS, password=PARTS, around=PARTS)
def test_passwords_are_never_in_a_message(user, password, around):
    """However a password is written, and wherever it stands, it is taken out."""
    url = f"postgresql://{quote(user, safe='')}:{quote(password, safe='')}@127.0.0.1/clinic"
    for message in (url, f"{around}{password}{around}", f"{quote(password, safe='')} is wrong"):
        found = without_credentials(message, url)
        assert password not in found.replace("***", "")
        assert quote(password, safe="") not in found


def everything_said(error):
    """Return what a traceback shows of an error: it, and what it came from."""
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize("url", BAD_URLS)
def test_no_function_tells_a_password(url):
    """Of whatever is no database that answers, nothing is told but its scheme and its path."""
    table = pl.DataFrame({"age": [1]})
    for act in (
        lambda: scan_database(url, "patients"),
        lambda: write_table(table, url, "patients"),
        lambda: scan_duckdb(url),
        lambda: ka.read_table(url),
        lambda: ka.write_table(table, url),
        lambda: ka.anonymize(table, quasi_identifiers=["age"], k=1, output=url),
    ):
        with pytest.raises(ka.KanonymError) as caught:
            act()
        lines = everything_said(caught.value).splitlines()
        said = "\n".join(line for line in lines if not line.startswith("    "))  # no source
        assert CANARY not in said
        assert PORT not in said


# An address of S3 that does not answer is asked for six seconds: by day by functions alone.
@pytest.mark.nightly(on=S3)
@pytest.mark.parametrize("url", BAD_URLS)
def test_no_command_tells_a_password(url, capsys, tmp_path):
    """Neither output nor errors of a command hold it, wherever it was given."""
    table = tmp_path / "table.csv"
    table.write_text("age\n1\n2\n")
    short = ["-q", "age", "-k", "1"]
    out = ["-o", str(tmp_path / "released.csv")]
    commands = (
        ["anonymize", url, "--table", "patients", *short, *out],
        ["anonymize", url, *short, *out],
        ["anonymize", url, "--engine", "duckdb", *short, *out],
        ["anonymize", str(table), *short, "-o", url],
        ["anonymize", str(table), *short, "-o", url, "--report", url],
        ["anonymize", str(table), "--engine", "duckdb", *short, "-o", url],
        ["anonymize", str(table), *short, *out, "--manifest", url],
        ["measure", url, "-q", "age"],
        ["measure", url, "--table", "patients", "-q", "age"],
        ["profile", url],
        ["verify", url, "--policy", url],
        ["assess", url, str(table), "-q", "age"],
        ["attack", url, url, "-q", "age"],
        ["compare", url, "-q", "age", "-k", "1"],
    )
    # By day every fifth command of a URL, the next ones of the next URL.
    for command in commands if NIGHTLY else commands[BAD_URLS.index(url) % 5 :: 5]:
        with pytest.raises(SystemExit) as caught:
            main(command)
        assert caught.value.code != 0
        said = "".join(capsys.readouterr())
        assert CANARY not in said
        assert PORT not in said
        assert "internal error" not in said
