"""List the hosts that labgen supports: the files that each needs, its abilities and its limits."""

from labgen.hosts.apache import APACHE
from labgen.hosts.caddy import CADDY
from labgen.hosts.cloudflare import CLOUDFLARE, CLOUDFLARE_ASSETS, CLOUDFLARE_PAGES
from labgen.hosts.firebase import FIREBASE
from labgen.hosts.git_pages import GITHUB_PAGES, GITLAB_PAGES
from labgen.hosts.lighttpd import LIGHTTPD
from labgen.hosts.netlify import NETLIFY, NETLIFY_RULES
from labgen.hosts.nginx import NGINX
from labgen.hosts.plain import FILES
from labgen.hosts.profile import Profile
from labgen.hosts.s3 import CLOUDFRONT, S3_WEBSITE
from labgen.hosts.vercel import VERCEL

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        NGINX,
        CADDY,
        APACHE,
        LIGHTTPD,
        CLOUDFLARE,
        CLOUDFLARE_PAGES,
        CLOUDFRONT,
        VERCEL,
        NETLIFY,
        NETLIFY_RULES,
        CLOUDFLARE_ASSETS,
        FIREBASE,
        S3_WEBSITE,
        GITHUB_PAGES,
        GITLAB_PAGES,
        FILES,
    )
}

REFUSED = {
    "azure-static-web-apps": (
        "Azure Static Web Apps keeps /api for its own functions, so nothing below /api/v1/ can be served",
        "put out/ into Azure Blob Storage behind Front Door (`--host files`), or take another host",
    ),
}
"""Hosts that cannot serve the contract at all: the reason, and a hint."""
