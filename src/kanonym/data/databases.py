"""Addresses of databases, and the credentials that are kept out of texts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, quote, unquote

from kanonym.data.errors import DataError

STORES = ("s3", "gs", "gcs", "az", "abfs", "abfss")
SCHEMES = ("https", "http", *STORES)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]*")
_PARAMETERS = re.compile(r"[?#;]|%3f|%23", re.IGNORECASE)
_CREDENTIALS = re.compile(r":[^@]*@|pass(word|wd)?=|pwd=", re.IGNORECASE)
_HIDDEN = "***"

_QUOTED = r"\"[^\"]*\"|'[^']*'"
_SETTING = re.compile(  # as in "host=db.example user=ann password=s3cret"
    r"\b(host|hostaddr|port|user|username|uid|password|passwd|pwd|passfile|token|secret|key_id|"
    rf"session_token|sig|signature)(\s*=\s*)({_QUOTED}|[^\s,;)\"']+)",
    re.IGNORECASE,
)
_SPOKEN = re.compile(  # as in: connection to server at "db.example" (10.0.0.1), port 5432 failed
    rf"\b(server at|host name|host|user|role|for user)(\s+)({_QUOTED})(\s*\([^)\s]*\))?",
    re.IGNORECASE,
)
_PORT = re.compile(r"\bport (\d+)", re.IGNORECASE)


def is_remote(path: object) -> bool:
    """Whether a path is the URL of a file on another machine that can be read."""
    scheme, mark, _ = str(path).partition("://")
    return bool(mark) and scheme.lower() in SCHEMES


def path_of(url: str) -> str:
    """Return the path of a URL, which ends with the name of a file."""
    return url.partition("://")[2].partition("?")[0].partition("#")[0]


def displayable_url(url: str) -> str:
    """Return what may be shown of a URL: its scheme, and its path without what is before and after.

    What is no URL is returned as it is, unless it seems to hold a password.

    Examples
    --------
    >>> displayable_url("postgresql://ann:secret@db.example/clinic?sslkey=key.pem")
    'postgresql://***/clinic'
    >>> displayable_url("sqlite:///clinic.db")
    'sqlite:///clinic.db'
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _HIDDEN if _CREDENTIALS.search(url) else url
    account, at, place = rest.rpartition("@")  # a password may hold any character
    place = _PARAMETERS.split(place, maxsplit=1)[0]
    authority, slash, path = place.partition("/")
    hidden = _HIDDEN if account or at or authority else ""
    return f"{scheme}://{hidden}{slash}{path}"


def without_credentials(message: str, url: str = "") -> str:
    """Return a message without user, password, host and parameters of URLs.

    Examples
    --------
    >>> url = "postgresql://ann:s3cret@db.example/clinic"
    >>> without_credentials('password "s3cret" of user "ann" at db.example is wrong', url)
    'password "***" of user "***" at *** is wrong'
    """
    message = message.replace(url, displayable_url(url)) if url else message
    message = _URL.sub(lambda found: displayable_url(found[0]), message)
    message = _SETTING.sub(rf"\1\2{_HIDDEN}", message)
    message = _SPOKEN.sub(rf'\1\2"{_HIDDEN}"', message)
    message = _PORT.sub(f"port {_HIDDEN}", message)
    for secret, anywhere in _secrets(url):
        pattern = re.escape(secret)
        message = re.sub(pattern if anywhere else rf"(?<!\w){pattern}(?!\w)", _HIDDEN, message)
    return message


def _secrets(url: str) -> list[tuple[str, bool]]:
    """Return each part of a URL that is not to be told, and whether within words, too."""
    rest = url.partition("://")[2]
    before, _, query = rest.partition("?")
    # A "?" or a "/" may belong to the password: its end is the last "@".
    account, _, behind = rest.rpartition("@")
    user, _, password = account.partition(":")
    place = (behind if account else before).partition("/")[0].partition("?")[0]
    told: dict[str, bool] = {}
    for one in place.split(","):  # PostgreSQL takes several hosts
        host, _, port = one.rpartition(":") if ":" in one else (one, "", "")
        told |= dict.fromkeys((host, host.strip("[]"), port), False)
    told |= dict.fromkeys((user, unquote(user)), False)
    told |= {value: "pass" in key.lower() for key, value in parse_qsl(query)}
    told |= {value: True for key, value in _raw_parameters(query) if "pass" in key.lower()}
    told |= {password: True, unquote(password): True}
    return sorted(
        ((one, deep) for one, deep in told.items() if one), key=lambda each: -len(each[0])
    )


def _raw_parameters(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a URL as they are written."""
    pairs = (one.partition("=") for one in query.split("&"))
    return [(key, value) for key, _, value in pairs]


Kind: TypeAlias = Literal["postgresql", "sqlite", "duckdb"]

SQLITE = (".db", ".sqlite", ".sqlite3")
"""How the names of SQLite files end."""

DUCKDB = (".duckdb", ".ddb")
"""How the names of DuckDB files end."""

_SCHEMES: dict[str, Kind] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "sqlite": "sqlite",
}

_SHOWN = 20
"""Names of tables that a message lists at most."""


def database_kind(place: str) -> Kind | None:
    """Return what kind of database a place is; None of anything else.

    Examples
    --------
    >>> database_kind("clinic.duckdb"), database_kind("sqlite:///clinic"), database_kind("a.csv")
    ('duckdb', 'sqlite', None)
    """
    scheme, mark, _ = place.partition("://")
    if mark:
        return _SCHEMES.get(scheme.lower().partition("+")[0])
    suffix = Path(place).suffix.lower()
    if suffix in SQLITE:
        return "sqlite"
    return "duckdb" if suffix in DUCKDB else None


def sqlite_url(path: str | Path) -> str:
    """Return the URL of a SQLite file, as the path is: relative or from the root."""
    return f"sqlite:///{quote(str(path))}"


def table_list(names: Sequence[str]) -> str:
    """Return the names of a database's tables, as a message lists them."""
    if not names:
        return "it has no table"
    more = len(names) - _SHOWN
    listed = ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return f"its tables: {listed}"


def missing_table(name: str, names: Sequence[str], where: str) -> DataError:
    """Return the error that a database has no table of a name, and which ones it has."""
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    return DataError(f"no table {name!r} in {where}{guess} ({table_list(names)})")
