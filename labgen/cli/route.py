"""Find out how a host is reached: the proxy that the environment names."""

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
