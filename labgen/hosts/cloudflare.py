"""Write the files for Cloudflare: a Worker with assets, Pages with a Worker, or assets alone.

Both Workers contain the shared code of `hosts.edge`, their host's rules for file names, and a common adapter.
"""

import json

from labgen.hosts.edge import COPY_WITHOUT_PACKED, edge_function, folder_patterns, pattern_file
from labgen.hosts.profile import HOSTS, Files, HostClass, HostSite, Limit, Measure, Profile, fill, fill_each

LIMITS = (
    Limit(
        Measure.FILES,
        20_000,
        "the paid plan takes 100,000: build with --allow-over-limit there; or take a server of your own",
        paid=100_000,
    ),
    Limit(Measure.FILE_SIZE, 25 * 1024 * 1024, "give a smaller picture, or take another host"),
)


def worker(site: HostSite, names: str) -> bytes:
    """Return the code of a Worker; `names` is the text with the host's rules for file names."""
    return edge_function(site, fill(f"cloudflare/{names}", site) + fill("cloudflare/worker.js", site))


def worker_files(site: HostSite) -> Files:
    """Return the files for `wrangler deploy`, which deploys a folder with out/ at the base path."""
    paths = [f"{path}*" for path in site.document_paths]
    asked = json.dumps([*paths, f"{site.base_path}/openapi.json"])
    return {
        "_headers": fill("cloudflare/worker-headers", site),
        f"{HOSTS}/cloudflare/wrangler.jsonc": fill("cloudflare/wrangler.jsonc", site, WORKER_PATHS=asked),
        f"{HOSTS}/cloudflare/worker.js": worker(site, "assets.js"),
        ".assetsignore": fill("cloudflare/assetsignore", site) + folder_patterns(site, site.base_path),
    }


def pages_files(site: HostSite) -> Files:
    """Return the files for `wrangler pages deploy`; the Worker must be at the root."""
    return {
        **pattern_file(site),
        "_worker.js": worker(site, "pages.js"),
        "_routes.json": fill("cloudflare/routes.json", site),
    }


def assets_files(site: HostSite) -> Files:
    """Return the files for `wrangler deploy` without a Worker."""
    mount = f"# [files] out/ lies below the base path\n{site.base_path}/* /:splat 200\n"
    files = mount if site.base_path else ""
    paths = fill_each("cloudflare/document-redirects", site)
    fields = fill_each("cloudflare/document-headers", site)
    return {
        f"{HOSTS}/cloudflare-assets/wrangler.jsonc": fill("cloudflare/assets.jsonc", site),
        ".assetsignore": fill("cloudflare/assetsignore", site),
        "_redirects": fill("cloudflare/redirects", site, DOCUMENT_PATHS=paths, FILES=files),
        "_headers": fill("cloudflare/headers", site, DOCUMENT_FIELDS=fields),
        **{f"{folder}/404.html": site.not_found for folder in site.folders},
    }


CLOUDFLARE = Profile(
    "cloudflare",
    "Cloudflare Workers",
    HostClass.FULL,
    f"`{HOSTS}/cloudflare/`: a Worker that chooses between files, and its `wrangler.jsonc`",
    worker_files,
    limits=LIMITS,
    deploy=(
        "rm -rf public && mkdir -p public$BASE_PATH  # BASE_PATH: `base_path`, if any",
        "cp -R out/. public$BASE_PATH/ && cp out/_headers out/.assetsignore public/",
        "cp out/.hosts/cloudflare/wrangler.jsonc .",
        "npx wrangler deploy --name laboratories",
    ),
    has_search_function=True,
    has_pack_function=True,
)

CLOUDFLARE_PAGES = Profile(
    "cloudflare-pages",
    "Cloudflare Pages",
    HostClass.FULL,
    "`_worker.js` and `_routes.json`: a Worker that chooses between files",
    pages_files,
    cannot="counts each picture as a request of the Worker, of which the free plan has 100,000 a day",
    limits=LIMITS,
    deploy=("npx wrangler pages deploy out --project-name laboratories --branch main",),
    has_search_function=True,
    has_pack_function=True,
    deploy_packs=(
        COPY_WITHOUT_PACKED,
        "npx wrangler pages deploy public --project-name laboratories --branch main",
    ),
)

CLOUDFLARE_ASSETS = Profile(
    "cloudflare-assets",
    "Cloudflare static assets without a Worker",
    HostClass.JSON_ONLY,
    "`_redirects`, `_headers` and `api/404.html`, and a `wrangler.jsonc` without a Worker",
    assets_files,
    cannot=(
        "answers browsers with JSON: it does not look at `Accept` and `?format=`, refuses OPTIONS, does not "
        "find a path without its slash, and calls the JSON of its 404 text/html"
    ),
    limits=LIMITS,
    deploy=(
        "cp out/.hosts/cloudflare-assets/wrangler.jsonc .",
        "npx wrangler deploy --name laboratories",
    ),
)
