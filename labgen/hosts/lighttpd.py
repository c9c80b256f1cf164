"""Write the configuration for lighttpd: a file to include, and a complete one for a trial."""

from textwrap import indent

from labgen.hosts.profile import HOSTS, TO_SERVER, Files, HostClass, HostSite, Profile, fill


def files(site: HostSite) -> Files:
    """Return the configuration files for lighttpd."""
    rules = indent(fill("lighttpd/list.conf", site).decode(), " " * 12)
    return {
        f"{HOSTS}/lighttpd/{name}": fill(f"lighttpd/{name}", site, LIST_RULES=rules)
        for name in ("site.conf", "lighttpd.conf")
    }


LIGHTTPD = Profile(
    "lighttpd",
    "lighttpd",
    HostClass.FULL,
    f"`{HOSTS}/lighttpd/`: `site.conf` to include; `lighttpd.conf` to try it",
    files,
    cannot=(
        "takes no compressed copies but compresses itself, names no method in its 405, and answers unknown "
        "methods with 501, OPTIONS on a path without its slash with 301, and `q=0` in Accept-Encoding as if "
        "it were not there; it answers ?page=2 of the list with that page instead of a redirect, adds the "
        "slash to the name of any folder before it says 404, gives HEAD the ETag of the uncompressed "
        "document, and answers what it refuses itself (400, 411 to a POST without a length, 416, 431) in "
        "HTML without header fields"
    ),
    deploy=(
        TO_SERVER,
        "ssh root@example.org systemctl reload lighttpd  # after an update of labgen",
    ),
)
