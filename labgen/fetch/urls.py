"""Parse untrusted URLs: those that users type, and those that hosts send."""

import re
from typing import Any
from unicodedata import normalize
from urllib.parse import SplitResult, quote, urljoin, urlsplit

MOST_OF_LABEL = 63
"""The maximum length of a label of a host name (RFC 1035, section 2.3.4)."""
_PATH = "/%:@!$&'()*+,;=~"
_QUERY = f"{_PATH}?[]"
_NOWHERE = SplitResult("", "", "", "", "")


def split_untrusted(address: Any) -> SplitResult:
    """Split an untrusted URL into its parts; all are empty if it is not a URL."""
    try:
        return urlsplit(address) if isinstance(address, str) else _NOWHERE
    except ValueError:
        return _NOWHERE


def parse_address(address: str) -> SplitResult | None:
    """Split the URL of a site into its parts, in ASCII as HTTP sends them; return None if it is invalid.

    A non-ASCII host name is encoded as in DNS (RFC 3492); the path is percent-encoded (RFC 3986).
    """
    try:
        parts = urlsplit(address)
        name, is_port_valid = parts.hostname, (parts.port or 1) > 0
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or parts.query or parts.fragment or not (name and is_port_valid):
        return None
    credentials, at, host = parts.netloc.rpartition("@")
    host = host if host.startswith("[") else _host_in_ascii(host)
    if not host or re.search(r"[\x00-\x20\x7f]", address):
        return None
    return parts._replace(netloc=f"{credentials}{at}{host}", path=quote(parts.path, safe=_PATH))


def _host_in_ascii(host: str) -> str:
    """Encode a host (with its port) as in DNS; return "" if it is invalid."""
    name, colon, port = host.partition(":")
    labels = [
        one if one.isascii() else f"xn--{normalize('NFKC', one).lower().encode('punycode').decode()}"
        for one in re.split("[.。]", name)
    ]
    are_valid = all(0 < len(one) <= MOST_OF_LABEL for one in (labels if labels[-1] else labels[:-1]))
    return ".".join(labels) + colon + port if are_valid else ""


def without_credentials(url: SplitResult) -> SplitResult:
    """Return a URL without user name and password."""
    return url._replace(netloc=url.netloc.rpartition("@")[2])


def joined(base: SplitResult, address: str) -> str:
    """Resolve a URL relative to a base URL (RFC 3986, section 5); return it unchanged if it is invalid."""
    try:
        return urljoin(without_credentials(base).geturl(), address)
    except ValueError:
        return address


def redirected(url: SplitResult, target: str, location: str) -> str | None:
    """Return the request target that a redirect leads to, or None if it leads to another host or scheme.

    Non-ASCII bytes of the field Location are percent-encoded as they are (RFC 9110, section 10.2.2).
    """
    own = without_credentials(url)
    there = split_untrusted(joined(split_untrusted(f"{own.scheme}://{own.netloc}{target}"), location))
    if (there.scheme, without_credentials(there).netloc) != (own.scheme, own.netloc):
        return None
    path = quote(there.path or "/", safe=_PATH, encoding="latin-1", errors="replace")
    query = quote(there.query, safe=_QUERY, encoding="latin-1", errors="replace")
    return f"{path}?{query}" if query else path
