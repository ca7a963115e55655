"""Files on other machines: https:// by the standard library, object stores by pyarrow.

Nothing is fetched but what a user names by a URL. Keys of object stores come from where
their own tools find them (environment, configuration files, the machine's role).
"""

from __future__ import annotations

import base64
import http.client
import os
import ssl
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import pyarrow as pa
import pyarrow.fs

from kanonym.data.databases import STORES, displayable_url, without_credentials
from kanonym.data.errors import DataError

_SECONDS = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def fetch(url: str) -> bytes:
    """Return the content of a remote file."""
    try:
        if url.partition("://")[0].lower() in STORES:
            return _fetch_from_store(url)
        return _fetch_from_server(url)
    except urllib.error.HTTPError as error:
        reason = f"the server answers {error.code} {error.reason}"
        error.close()
    except (ssl.SSLError, urllib.error.URLError) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        trusted = not isinstance(cause, ssl.SSLError)
        reason = str(getattr(cause, "strerror", None) or cause)
        reason = reason if trusted else "its certificate is not trusted"
    except http.client.HTTPException as error:
        reason = f"the answer is broken ({type(error).__name__})"
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
    raise DataError(f"{displayable_url(url)} cannot be read: {without_credentials(reason, url)}")


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a server to another address, but not out of https."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """Return the request that follows."""
        _require_private(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _require_private(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise DataError(f"{displayable_url(url)}: the connection is not encrypted; use https://")


def _fetch_from_server(url: str) -> bytes:
    _require_private(url)
    parts = urlsplit(url)
    account, _, place = parts.netloc.rpartition("@")
    request = urllib.request.Request(  # noqa: S310 - https, see above
        urlunsplit(parts._replace(netloc=place, fragment="")), headers={"User-Agent": "kanonym"}
    )
    if account:
        code = base64.b64encode(unquote(account).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {code}")
    with urllib.request.build_opener(_Redirects).open(request, timeout=_SECONDS) as answer:
        found: bytes = answer.read()
    return found


def _fetch_from_store(url: str) -> bytes:
    scheme, _, rest = url.partition("://")
    if scheme.lower() == "az":  # az://container/path, as fsspec and polars write it
        account = os.environ.get("AZURE_STORAGE_ACCOUNT_NAME") or os.environ.get(
            "AZURE_STORAGE_ACCOUNT"
        )
        if not account:
            raise DataError(
                f"{displayable_url(url)}: set AZURE_STORAGE_ACCOUNT to the storage account"
            )
        system, path = pyarrow.fs.AzureFileSystem(account_name=account), rest
    else:
        kind = {"gcs": "gs"}.get(scheme.lower(), scheme.lower())
        system, path = pyarrow.fs.FileSystem.from_uri(f"{kind}://{rest}")
    with system.open_input_stream(path, compression=None) as stream:
        found: bytes = stream.read()
    return found
