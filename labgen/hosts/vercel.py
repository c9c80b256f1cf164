"""Write the configuration for Vercel: `routes`, which are applied before files are looked up.

What is claimed of it was tried on a stand-in of its router, not on the host. Vercel's own package of npm
(@vercel/routing-utils) accepts the routes, and `vercel build` keeps their order and publishes api/; its local
server cannot try them, because it ignores `has`.
"""

import json
import re

from labgen.api.endpoint import LABORATORIES
from labgen.hosts.profile import OPERATOR, Files, HostClass, HostSite, Profile, fill
from labgen.hosts.searching import searching

SITE = """\
    { "src": "^(@PATTERN@)$", "headers": { "Location": "$1/" }, "status": 301 },
"""
MIDDLEWARE = """\
    { "src": "^@PATTERN@@LIST@$", "middlewarePath": "middleware", "continue": true },
"""
FOLDER = f"{OPERATOR}/vercel"


def files(site: HostSite) -> Files:
    """Return the routes and the middleware; out/ lies beside them as public/, whatever the base path is.

    It cannot be the folder of the project itself: there, Vercel takes api/ for the sources of functions.
    """
    pattern = json.dumps(re.escape(site.base_path))[1:-1]
    whole_site = SITE.replace("@PATTERN@", pattern) if site.base_path else ""
    asked = MIDDLEWARE.replace("@PATTERN@", pattern).replace("@LIST@", LABORATORIES)
    values = {"SITE": whole_site, "PATTERN": pattern, "MIDDLEWARE": asked if site.has_search else ""}
    routes = {f"{FOLDER}/vercel.json": fill("vercel/vercel.json", site, **values)}
    if not site.has_search:
        return routes
    answer = fill("vercel/answer.js", site, LIST_PATH=site.base_path + LABORATORIES)
    middleware = fill("vercel/middleware.js", site) + searching(site) + answer
    return routes | {f"{FOLDER}/middleware.js": middleware}


VERCEL = Profile(
    "vercel",
    "Vercel",
    HostClass.FULL,
    f"`{FOLDER}/`: `vercel.json`, routes that choose between files, and `middleware.js`, which searches",
    files,
    cannot=(
        "redirects unknown paths without a slash to those with one before it says 404, and takes the first "
        "`format` of several"
    ),
    deploy=(
        "mkdir -p vercel && rm -rf vercel/public && cp -R out vercel/public",
        "cp out/.hosts/vercel/* vercel/",
        "npx vercel deploy --cwd vercel --prod --yes",
    ),
    searches=True,
)
