"""Generate the search function of edge hosts, from the JavaScript client that browsers use."""

import re
from importlib.resources import files

from labgen.api.endpoint import LABORATORIES
from labgen.hosts.profile import HostSite, fill
from labgen.model.site_paths import JSON_FILE

_NOTHING = b"\n// No search index is published.\nasync function searched() {\n  return null;\n}\n"


def searching(site: HostSite) -> bytes:
    """Return the function `searched`, which returns null where no search is asked for."""
    if not site.has_search:
        return _NOTHING
    client = files("labgen.search").joinpath("client.js").read_text(encoding="utf-8")
    text = re.sub(r"^export ", "", client, flags=re.MULTILINE)
    return fill("search.js", site, LIST=LABORATORIES + JSON_FILE, CLIENT=text.rstrip())
