"""Which names of files are URLs of files on other machines."""

from __future__ import annotations

STORES = ("s3", "gs", "gcs", "az", "abfs", "abfss")
SCHEMES = ("https", "http", *STORES)


def is_remote(path: object) -> bool:
    """Whether a path is the URL of a file on another machine that can be read."""
    scheme, mark, _ = str(path).partition("://")
    return bool(mark) and scheme.lower() in SCHEMES


def path_of(url: str) -> str:
    """Return the path of a URL, which ends with the name of a file."""
    return url.partition("://")[2].partition("?")[0].partition("#")[0]
