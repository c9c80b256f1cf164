"""Write the configuration for Caddy: snippets to import, and a complete Caddyfile for a trial."""

import re
from textwrap import indent

from labgen.hosts.profile import (
    OPERATOR,
    Files,
    HostClass,
    HostSite,
    Profile,
    fill,
    this_not_allowed,
)

COPIES = {".zst": "zstd", ".br": "br", ".gz": "gzip"}
"""How Caddy calls the copies that labgen makes, in the order in which it prefers them."""


def files(site: HostSite) -> Files:
    """Return what Caddy reads."""
    names = " ".join(name for suffix, name in COPIES.items() if suffix in site.copies)
    copies = f"\t\t\t\tprecompressed {names}\n" if names else ""
    refusal = this_not_allowed(site, "{method}").replace("{", "\\{", 1)
    rules = fill("caddy/rules.caddy", site, COPIES=copies, THIS_NOT_ALLOWED=refusal).decode()
    own = rf"^{re.escape(site.base_path)}(?:/|$)" if site.base_path else site.own_paths
    return {
        f"{OPERATOR}/caddy/{name}": fill(f"caddy/{name}", site, RULES=indent(rules, "\t"), OWN=own)
        for name in ("Caddyfile", "site.caddy", "beside.caddy")
    }


CADDY = Profile(
    "caddy",
    "Caddy",
    HostClass.FULL,
    f"`{OPERATOR}/caddy/`: `site.caddy` or `beside.caddy` to import in a site block; `Caddyfile` to try it",
    files,
    copies=frozenset(COPIES),
    deploy=(
        "rsync -rlc --delete-after out/ deploy@example.org:/srv/labs/",
        "ssh deploy@example.org sudo systemctl reload caddy",
    ),
)
