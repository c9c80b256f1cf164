"""Write the configuration for Vercel: `routes`, which are applied before files are looked up.

What is claimed of it was tried on a stand-in of its router, not on the host. Vercel's own package of npm
(@vercel/routing-utils) accepts the routes; its local server cannot try them, because it ignores `has`.
"""

import json
import re

from labgen.api.endpoint import LABORATORIES
from labgen.hosts.profile import Files, HostClass, HostSite, Profile, fill
from labgen.hosts.searching import searching

SITE = """\
    { "src": "^(@PATTERN@)$", "headers": { "Location": "$1/" }, "status": 301 },
"""


def files(site: HostSite) -> Files:
    """Return the routes; out/ lies at the root of the project, whatever the base path is."""
    pattern = json.dumps(re.escape(site.base_path))[1:-1]
    whole_site = SITE.replace("@PATTERN@", pattern) if site.base_path else ""
    routes = {"vercel.json": fill("vercel/vercel.json", site, SITE=whole_site, PATTERN=pattern)}
    if not site.has_search:
        return routes
    answer = fill("vercel/answer.js", site, LIST_PATH=site.base_path + LABORATORIES)
    return routes | {"middleware.js": fill("vercel/middleware.js", site) + searching(site) + answer}


VERCEL = Profile(
    "vercel",
    "Vercel",
    HostClass.FULL,
    "`vercel.json`: routes that choose between files; `middleware.js` searches",
    files,
    cannot=(
        "redirects unknown paths without a slash to those with one before it says 404, and takes the first "
        "`format` of several"
    ),
    deploy=("cd out", "npx vercel deploy --prod --yes --token $VERCEL_TOKEN"),
    searches=True,
)
