"""Vercel: `routes`, which stand before the file system.

What is claimed of it was tried on a stand-in of its router, not on the host.
"""

from labgen.hosts.profile import Files, HostClass, HostSite, Profile, fill


def files(site: HostSite) -> Files:
    """Return the routes; out/ lies at the root of the project, whatever the base path is."""
    return {"vercel.json": fill("vercel/vercel.json", site)}


VERCEL = Profile(
    "vercel",
    "Vercel",
    HostClass.FULL,
    "`vercel.json`: routes that choose between files",
    files,
    cannot="redirects unknown paths without a slash to those with one before it says 404",
    deploy=("cd out", "npx vercel deploy --prod --yes --token $VERCEL_TOKEN"),
)
