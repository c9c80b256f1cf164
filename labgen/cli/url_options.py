"""Validate the URLs of hosts, and look up the HTTP proxy for them."""

from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from labgen.cli.group import fail
from labgen.fetch.urls import parse_address
from labgen.problems.text import say

if TYPE_CHECKING:
    from labgen.fetch.client import Route


def route_to(url: SplitResult) -> "Route":
    """Return the route to a URL: by the environment's proxy, and for https with its CA certificates."""
    from ssl import create_default_context

    from labgen.fetch.client import Route

    return Route(_proxy_for(url), create_default_context() if url.scheme == "https" else None)


def _proxy_for(url: SplitResult) -> tuple[str, int] | None:
    """Return host and port of the environment's HTTP proxy for a URL, or None if there is none."""
    from urllib.request import getproxies, proxy_bypass

    proxy = getproxies().get(url.scheme)
    if not proxy or proxy_bypass(url.hostname or ""):
        return None
    with suppress(ValueError):
        found = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
        if found.scheme in ("http", "https") and found.hostname:
            return found.hostname, found.port or 80
    return fail(
        say(
            "{scheme}_proxy names {proxy}, which is not the address of an HTTP proxy",
            scheme=url.scheme,
            proxy=proxy,
        ),
        code=2,
    )


def is_address(name: str) -> bool:
    """Return whether a name is the URL of a host, not a path."""
    return name.lower().startswith(("http://", "https://"))


def require_address(address: str, what: str) -> SplitResult:
    """Return the parts of the URL of a site or a service (`what`); exit with an error if it is invalid."""
    parts = parse_address(address)
    if parts is None:
        fail(
            say("{address} is not the address of a {what}", address=address, what=what),
            say("give scheme and host, such as https://example.org"),
            2,
        )
    return parts
