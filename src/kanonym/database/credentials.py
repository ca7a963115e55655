"""Nothing that opens a database, or tells where it is, in a message.

Drivers repeat what they were given when a connection fails: user, host, at times the whole
URL. Every text of a driver goes through `without_credentials` before a user, a log or a
manifest sees it.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_AUTHORITY = re.compile(r"(?<=://)[^/\s\"'?#]+")
_QUERY = re.compile(r"(://[^\s\"'?]*)\?[^\s\"']*")
_HIDDEN = "***"


def shown(url: str) -> str:
    """Return what may be shown of a URL: its scheme, and its path without what is before and after.

    Examples
    --------
    >>> shown("postgresql://ann:secret@db.example/clinic?sslkey=key.pem")
    'postgresql://***/clinic'
    >>> shown("sqlite:///clinic.db")
    'sqlite:///clinic.db'

    """
    return _QUERY.sub(r"\1", _AUTHORITY.sub(_HIDDEN, url.partition("#")[0]))


def without_credentials(message: str, url: str = "") -> str:
    """Return a message without user, password, host and parameters of URLs.

    Parameters
    ----------
    message
        What an engine or a driver said.
    url
        The URL that was opened: its parts are taken out wherever they stand, alone too. Those
        of other URLs are taken out where the URL stands.

    Examples
    --------
    >>> url = "postgresql://ann:s3cret@db.example/clinic"
    >>> without_credentials('password "s3cret" of user "ann" at db.example is wrong', url)
    'password "***" of user "***" at *** is wrong'

    """
    message = message.replace(url, shown(url)) if url else message
    message = _QUERY.sub(r"\1", _AUTHORITY.sub(_HIDDEN, message))
    for secret, anywhere in _secrets(url):
        pattern = re.escape(secret)
        message = re.sub(pattern if anywhere else rf"(?<!\w){pattern}(?!\w)", _HIDDEN, message)
    return message


def _secrets(url: str) -> list[tuple[str, bool]]:
    """Return each part of a URL that is not to be told, and whether within words, too."""
    parts = urlsplit(url)
    account, _, place = parts.netloc.rpartition("@")
    user, _, password = account.partition(":")
    host, _, port = place.rpartition(":") if ":" in place else (place, "", "")
    told = dict.fromkeys((user, unquote(user), host, host.strip("[]"), port), False)
    told |= {value: "pass" in key for key, value in parse_qsl(parts.query)}
    told |= {password: True, unquote(password): True}
    return sorted(
        ((one, deep) for one, deep in told.items() if one), key=lambda each: -len(each[0])
    )
