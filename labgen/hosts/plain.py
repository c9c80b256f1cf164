"""Define the profile of servers without configuration, which only serve files under their own names."""

from labgen.hosts.profile import TO_SERVER, Files, HostClass, HostSite, Profile


def files(_site: HostSite) -> Files:
    """Return no files: these servers read none from labgen."""
    return {}


FILES = Profile(
    "files",
    "a server of plain files",
    HostClass.EXPLICIT,
    "nothing beside the files: `<path>index.json` and `<path>api.html` are asked for by their names",
    files,
    cannot="has no paths without a file name, and sends header fields of its own choice",
    copies=frozenset({".gz", ".br", ".zst"}),
    deploy=(TO_SERVER,),
)
