"""Write the files for Netlify: with an edge function, or with redirect and header rules alone.

The statements about it were tested on stand-ins, not on the host; the edge function itself ran in node.
"""

import json

from labgen.hosts.edge import COPY_WITHOUT_PACKED, edge_function, pattern_file
from labgen.hosts.profile import HOSTS, Files, HostClass, HostSite, Limit, Measure, Profile, fill, fill_each

LIMITS = (Limit(Measure.FOLDER_FILES, 54_000, "take a host without this limit: files, cloudfront"),)
EDGE_DEPLOY = (
    "cp out/.hosts/netlify/netlify.toml .",
    "npx netlify-cli deploy --prod --site-name laboratories",
)


def edge_files(site: HostSite) -> Files:
    """Return the files for `netlify deploy`, which publishes out/ at the root, whatever the base path is."""
    folder = f"{HOSTS}/netlify"
    paths = [site.base_path, f"{site.base_path}/*"] if site.base_path else ["/*"]
    adapter = fill("netlify/labgen.js", site, PATHS=json.dumps(paths))
    return {
        **pattern_file(site),
        f"{folder}/netlify.toml": fill(
            "netlify/netlify.toml", site, PUBLISH="public" if site.packs else "out"
        ),
        f"{folder}/edge-functions/labgen.js": edge_function(site, adapter),
    }


def rules_files(site: HostSite) -> Files:
    """Return the redirect and header rules.

    They must be at the root of the published folder: with a base path, outside of out/.
    """
    fields = fill_each("netlify/document-headers", site)
    return {
        "_redirects": fill_each("netlify/redirects", site).encode(),
        "_headers": fill("netlify/headers", site, DOCUMENT_FIELDS=fields),
    }


NETLIFY = Profile(
    "netlify",
    "Netlify",
    HostClass.FULL,
    f"`{HOSTS}/netlify/`: an edge function that chooses between files, and its `netlify.toml`",
    edge_files,
    limits=LIMITS,
    deploy=EDGE_DEPLOY,
    has_search_function=True,
    has_pack_function=True,
    deploy_packs=(COPY_WITHOUT_PACKED, *EDGE_DEPLOY),
)

NETLIFY_RULES = Profile(
    "netlify-rules",
    "Netlify without functions",
    HostClass.JSON_ONLY,
    "`_redirects` and `_headers`",
    rules_files,
    cannot=(
        "answers browsers with JSON unless the query asks for the page, unknown paths with the page 404.html "
        "and a path without its slash with 200, and sends no Allow"
    ),
    limits=LIMITS,
    deploy=(
        "rm -rf public && mkdir -p public$BASE_PATH  # BASE_PATH: `base_path`, if any",
        "cp -R out/. public$BASE_PATH/ && cp out/_redirects out/_headers out/404.html public/",
        "npx netlify-cli deploy --prod --no-build --dir public --site-name laboratories",
    ),
)
