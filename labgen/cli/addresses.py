"""Validate the addresses of hosts, and look up the HTTP proxy for them."""

import re
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from labgen.cli.group import fail


def proxy_for(address: str) -> tuple[str, int] | None:
    """Return host and port of the HTTP proxy that the environment names for an address, if it names one."""
    from urllib.request import getproxies, proxy_bypass

    url = urlsplit(address)
    proxy = getproxies().get(url.scheme)
    if not proxy or proxy_bypass(url.hostname or ""):
        return None
    with suppress(ValueError):
        found = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
        if found.scheme in ("http", "https") and found.hostname:
            return found.hostname, found.port or 80
    return fail(f"{url.scheme}_proxy names {proxy}, which is not the address of an HTTP proxy", code=2)


def is_address(name: str) -> bool:
    """Return whether a name is the address of a host, not a path."""
    return name.lower().startswith(("http://", "https://"))


def parse_address(address: str) -> SplitResult | None:
    """Return the parts of the address of a host, or None if it is invalid."""
    try:
        parts = urlsplit(address)
        is_good = bool(parts.hostname) and (parts.port or 1) > 0 and not (parts.query or parts.fragment)
    except ValueError:
        return None
    return parts if is_good and not re.search(r"[\x00-\x20\x7f]", address) else None


def require_address(source: str) -> str:
    """Refuse an invalid address of a service."""
    if not (source.isascii() and parse_address(source)):
        fail(
            f"{source} is not the address of a service",
            "give scheme and host, such as https://example.org",
            2,
        )
    return source
