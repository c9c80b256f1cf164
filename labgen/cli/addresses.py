"""Validate the addresses of hosts, and look up the HTTP proxy for them."""

from contextlib import suppress
from urllib.parse import urlsplit

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


def require_address(source: str) -> str:
    """Refuse an invalid address."""
    try:
        parts = urlsplit(source)
        is_good = bool(parts.hostname) and (parts.port or 1) > 0 and not (parts.query or parts.fragment)
        is_good = is_good and source.isascii() and source.isprintable() and " " not in source
    except ValueError:
        is_good = False
    if not is_good:
        fail(
            f"{source} is not the address of a service",
            "give scheme and host, such as https://example.org",
            2,
        )
    return source
