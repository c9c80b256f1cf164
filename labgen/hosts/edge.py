"""Generate the code that edge functions share, and the list of folders whose files are in packs."""

import re
from importlib.resources import files

from labgen.api.endpoint import LABORATORIES
from labgen.hosts.profile import HOSTS, Files, HostSite, fill, refusal_body
from labgen.model.site_paths import JSON_FILE

PATTERN_FILE = f"{HOSTS}/packed"
"""The file with the patterns of the folders whose files are in packs, so they are not deployed."""
COPY_WITHOUT_PACKED = f"rsync -a --delete --delete-excluded --exclude-from=out/{PATTERN_FILE} out/ public/"
"""The command that copies a site to public/, without these folders."""
_NO_SEARCH = b"\n// No search index is published.\nasync function searched() {\n  return null;\n}\n"


def edge_function(site: HostSite, adapter: bytes) -> bytes:
    """Return the code of an edge function that follows the contract; its platform calls `adapter`."""
    return edge_rules(site) + fill("packs.js", site) + _searching(site) + adapter


def edge_rules(site: HostSite) -> bytes:
    """Return the code that chooses the file for a request."""
    return fill("edge.js", site, THIS_NOT_ALLOWED=refusal_body(site, "METHOD"))


def _searching(site: HostSite) -> bytes:
    """Return the function `searched`, made from the browsers' client; without an index, it returns null."""
    if not site.has_search:
        return _NO_SEARCH
    client = files("labgen.search").joinpath("client.js").read_text(encoding="utf-8")
    text = re.sub(r"^export ", "", client, flags=re.MULTILINE)
    return fill("search.js", site, LIST=LABORATORIES + JSON_FILE, CLIENT=text.rstrip())


def pattern_file(site: HostSite) -> Files:
    """Return the file with the patterns of packed folders, if the site has packs."""
    return {PATTERN_FILE: folder_patterns(site)} if site.packs else {}


def folder_patterns(site: HostSite, above: str = "") -> bytes:
    """Return the patterns of the folders whose files are in packs, as .gitignore and rsync read them."""
    return "".join(f"{above}{kind.pattern}\n" for kind, _ in site.packs).encode()
