"""Write the configuration for Caddy: snippets to import, and a complete Caddyfile for a trial."""

import re
from textwrap import indent

from labgen.contract.http_contract import MEDIA_TYPES
from labgen.hosts.profile import (
    HOSTS,
    TO_SERVER,
    Files,
    HostClass,
    HostSite,
    Profile,
    fill,
    refusal_body,
    site_id,
)

COPIES = {".zst": "zstd", ".br": "br", ".gz": "gzip"}
"""Caddy's name of compressed copies by their suffix, in its order of preference."""


UNCERTAIN = (".txt", ".xml", ".atom", ".csv", ".jsonl", ".ico", ".webp", ".avif")
"""The suffixes of files whose media types Caddy takes from the machine that it runs on."""


def files(site: HostSite) -> Files:
    """Return the configuration files for Caddy."""
    names = " ".join(name for suffix, name in COPIES.items() if suffix in site.copies)
    copies = f"\t\t\t\tprecompressed {names}\n" if names else ""
    refusal = refusal_body(site, "{method}").replace("{", "\\{", 1)
    types = "".join(_type(site, suffix) for suffix in UNCERTAIN)
    rules = fill("caddy/rules.caddy", site, COPIES=copies, TYPES=types, THIS_NOT_ALLOWED=refusal).decode()
    own = rf"^{re.escape(site.base_path)}(?:/|$)" if site.base_path else site.own_paths_pattern
    return {
        f"{HOSTS}/caddy/{name}": fill(f"caddy/{name}", site, RULES=indent(rules, "\t"), OWN=own)
        for name in ("Caddyfile", "site.caddy", "beside.caddy")
    }


def _type(site: HostSite, suffix: str) -> str:
    name = f"@{site_id(site.base_path)}_{suffix.lstrip('.')}"
    return f'\t\t\t{name} path *{suffix}\n\t\t\theader {name} Content-Type "{MEDIA_TYPES[suffix]}"\n'


CADDY = Profile(
    "caddy",
    "Caddy",
    HostClass.FULL,
    f"`{HOSTS}/caddy/`: `site.caddy` or `beside.caddy` to import in a site block; `Caddyfile` to try it",
    files,
    copies=frozenset(COPIES),
    deploy=(
        TO_SERVER,
        "ssh root@example.org systemctl reload caddy  # after an update of labgen",
    ),
)
