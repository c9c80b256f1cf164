"""Write the configuration for Vercel: `routes`, which are applied before files are looked up.

The statements about it were tested on a stand-in for its router, not on the host. Vercel's own npm package
(@vercel/routing-utils) accepts the routes, and `vercel build` keeps their order and publishes api/; its local
server cannot test them, because it ignores `has`.
"""

import json
import re
from collections.abc import Sequence

from labgen.api.endpoint import LABORATORIES
from labgen.hosts.edge import COPY_WITHOUT_PACKED, edge_function, pattern_file
from labgen.hosts.profile import HOSTS, Files, HostClass, HostSite, Profile, fill

SITE = """\
    { "src": "^(@PATTERN@)$", "headers": { "Location": "$1/" }, "status": 301 },
"""
MIDDLEWARE = """\
    { "src": "^@PATTERN@@PATH@$", "middlewarePath": "middleware", "continue": true },
"""
NO_PACKS = """\
    {
      "src": "^@PATTERN@/api/packs/.*$",
      "missing": [{ "type": "header", "key": "x-labgen-pack", "value": "^1$" }],
      "status": 404,
      "dest": "/404.json"
    },
"""
FOLDER = f"{HOSTS}/vercel"
DEPLOY = (
    "cp out/.hosts/vercel/* vercel/",
    "npx vercel deploy --cwd vercel --prod --yes",
)


def files(site: HostSite) -> Files:
    """Return the routes and the middleware; out/ is copied to public/ beside them, with any base path.

    out/ cannot be the project folder itself: there, Vercel takes api/ for the source code of functions.
    """
    pattern = json.dumps(re.escape(site.base_path))[1:-1]
    whole_site = SITE.replace("@PATTERN@", pattern) if site.base_path else ""
    paths = [LABORATORIES] if site.has_search else []
    paths += [f"{kind.path}.*" for kind, _ in site.packs]
    hidden = NO_PACKS if site.packs else ""
    asked = hidden + "".join(MIDDLEWARE.replace("@PATH@", path) for path in paths)
    values = {"SITE": whole_site, "PATTERN": pattern, "MIDDLEWARE": asked.replace("@PATTERN@", pattern)}
    found = {f"{FOLDER}/vercel.json": fill("vercel/vercel.json", site, **values), **pattern_file(site)}
    if paths:
        found[f"{FOLDER}/middleware.js"] = _middleware(site, paths)
    return found


def _middleware(site: HostSite, paths: Sequence[str]) -> bytes:
    """Return the middleware, which Vercel calls for the given paths."""
    matcher = json.dumps([site.base_path + path.replace(".*", "(.*)") for path in paths])
    return edge_function(site, fill("vercel/answer.js", site, MATCHER=matcher))


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
        *DEPLOY,
    ),
    has_search_function=True,
    has_pack_function=True,
    deploy_packs=(
        f"mkdir -p vercel && {COPY_WITHOUT_PACKED.replace(' public/', ' vercel/public/')}",
        *DEPLOY,
    ),
)
