"""The hosts that labgen knows: what it writes for each, what each cannot do, and where its limits lie."""

from labgen.hosts.nginx import NGINX
from labgen.hosts.profile import Profile

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (NGINX,)}

REFUSED = {
    "azure-static-web-apps": (
        "Azure Static Web Apps keeps /api for its own functions, so nothing below /api/v1/ can be served",
        "put out/ into Azure Blob Storage behind Front Door (`--host files`), or take another host",
    ),
}
"""Hosts that cannot serve the contract at all: why, and the way out."""
