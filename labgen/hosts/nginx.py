"""Write the configuration for nginx: files to include, and a complete one for a trial."""

from textwrap import indent

from labgen.hosts.profile import (
    HOSTS,
    TO_SERVER,
    Files,
    HostClass,
    HostSite,
    Profile,
    fill,
    refusal_body,
)

COPIES = {
    ".gz": "gzip_static on;           # copies that labgen made\n",
    ".br": "brotli_static on;         # needs the module ngx_brotli (libnginx-mod-http-brotli-static)\n",
}
BROTLI = "load_module /usr/lib/nginx/modules/ngx_http_brotli_static_module.so;  # where Debian has it\n"


def files(site: HostSite) -> Files:
    """Return the configuration files for nginx."""
    internal = f"{site.base_path}/api/v1/laboratory/.labgen"
    bare = f"location = {site.base_path} {{ rewrite ^ {internal}/site last; }}\n" if site.base_path else ""
    refusal = refusal_body(site, "$request_method").replace("\\", "\\\\")
    copies = "".join(COPIES[suffix] for suffix in site.copies)
    known = {"COPIES": copies, "THIS_NOT_ALLOWED": refusal, "INTERNAL": internal}
    rules = fill("nginx/rules.conf", site, **known).decode()
    own = f"^~ {site.base_path}/" if site.base_path else f'~ "{site.own_paths_pattern}"'
    values = {
        "location.conf": {"RULES": rules, "SITE": indent(bare, "#     "), "OWN": own},
        "server.conf": {"RULES": indent(rules, "    "), "SITE": bare},
        "http.conf": {"INTERNAL": internal},
        "nginx.conf": {"INTERNAL": internal, "MODULES": BROTLI if ".br" in site.copies else ""},
    }
    return {f"{HOSTS}/nginx/{name}": fill(f"nginx/{name}", site, **more) for name, more in values.items()}


NGINX = Profile(
    "nginx",
    "nginx",
    HostClass.FULL,
    f"`{HOSTS}/nginx/`: `http.conf` with `server.conf` or `location.conf` to include, `nginx.conf` to try",
    files,
    cannot=(
        "answers what it refuses before it looks for a location (%00, a target that is too long, TRACE) in "
        "HTML without the header fields, where the server is not the site's alone"
    ),
    copies=frozenset(COPIES),
    deploy=(
        TO_SERVER,
        "ssh root@example.org systemctl reload nginx  # after an update of labgen",
    ),
)
