"""Decide which hosts a preview answers for, so that no other site can read it through a browser.

A site on the internet can let its own name lead to the address of this machine (DNS rebinding). A browser
then sends that name, and lets the site's scripts read what is answered. An address cannot be used like that.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from labgen.contract.contract_rows import ELSEWHERE
from labgen.problems.text import say

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/?#@\[\]\\]+)(:[0-9]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KnownHosts:
    """The hosts that a preview answers for: this machine's own names, and `names`.

    With `is_open`, also all addresses: the preview listens to other machines.
    """

    names: frozenset[str] = frozenset()
    is_open: bool = False

    def knows(self, host: str) -> bool:
        """Return whether a `Host` field (a name or an address, with or without a port) is known."""
        found = _HOST.fullmatch(host)
        name = _plain(found[1]) if found else ""
        if name == "localhost" or name.endswith(".localhost") or name in self.names:
            return True
        try:
            address = ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.is_open or address.is_loopback

    def refuses(self, fields: Mapping[str, str]) -> str:
        """Return the unknown host that a request is for, or whose page sends it; "" if there is none."""
        if not self.knows(fields.get("host", "localhost")):
            return fields["host"] or say("without a name")
        origin = fields.get("origin", "")
        is_told = origin not in ("", ELSEWHERE[1])  # `labgen verify` asks as a site that cannot exist
        is_foreign = fields.get("sec-fetch-site") == "cross-site" and is_told  # only browsers say so
        return origin if is_foreign and not self.knows(_host_of(origin)) else ""


LOOPBACK = KnownHosts()
"""The names and addresses of this machine that only this machine can use."""


def known_hosts(names: tuple[str, ...], address: str) -> KnownHosts:
    """Return the hosts for the names that a user gave, and the address that the preview listens on."""
    return KnownHosts(frozenset(map(_plain, names)), not ip_address(address).is_loopback)


def is_name(name: str) -> bool:
    """Return whether a text is a name or an address, without a port."""
    found = _HOST.fullmatch(name)
    return bool(found and not found[2])


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
