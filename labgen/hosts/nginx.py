"""nginx: two files to include, and a whole configuration to try the site with."""

from labgen.hosts.profile import OPERATOR, Files, HostClass, HostSite, Profile, fill, this_not_allowed

COPIES = {
    ".gz": "gzip_static on;           # copies that labgen made\ngzip_vary on;\n",
    ".br": "brotli_static on;         # needs the module ngx_brotli (libnginx-mod-http-brotli-static)\n",
}


def files(site: HostSite) -> Files:
    """Return what nginx reads."""
    copies = "".join(COPIES[suffix] for suffix in site.copies)
    refusal = this_not_allowed(site, "$request_method").replace("\\", "\\\\")
    return {
        f"{OPERATOR}/nginx/{name}": fill(f"nginx/{name}", site, COPIES=copies, THIS_NOT_ALLOWED=refusal)
        for name in ("http.conf", "server.conf", "nginx.conf")
    }


NGINX = Profile(
    "nginx",
    "nginx",
    HostClass.FULL,
    f"`{OPERATOR}/nginx/`: `http.conf` and `server.conf` to include there; `nginx.conf` to try them",
    files,
    copies=frozenset(COPIES),
    deploy=(
        "rsync -a --delete-after out/ deploy@example.org:/srv/labs/",
        "ssh deploy@example.org sudo nginx -s reload",
    ),
)
