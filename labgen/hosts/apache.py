"""Write the configuration for Apache: .htaccess, a file to include beside a website, and one for a trial."""

import re

from labgen.hosts.profile import (
    HOSTS,
    TO_SERVER,
    Files,
    HostClass,
    HostSite,
    Profile,
    fill,
    site_id,
)

COPIES = {".zst": "zstd", ".br": "br", ".gz": "gzip"}
"""The HTTP content coding of compressed copies by their suffix, in the order of preference."""
COMPRESSED = """\
# [compression] The copies are enough: the server compresses no file that has none.
<IfModule mod_env.c>
    SetEnv no-gzip 1
    SetEnv no-brotli 1
</IfModule>
Header always merge Vary "Accept-Encoding" "expr=%{REQUEST_STATUS} in {'200', '304'}"
"""


def files(site: HostSite) -> Files:
    """Return the configuration files for Apache. One file is empty: the body of redirects."""
    used = {suffix: name for suffix, name in COPIES.items() if suffix in site.copies}
    rules = [fill("apache/copies", site, NAME=name, SUFFIX=suffix) for suffix, name in used.items()]
    types = [f"RemoveType {suffix}\nAddEncoding {name} {suffix}\n" for suffix, name in used.items()]
    htaccess = fill(
        "apache/htaccess",
        site,
        COPIES=b"".join(rules).decode(),
        ENCODINGS="".join([*types, COMPRESSED]) if used else "",
        SITE=SLASH.replace("@BASE@", site.base_path) if site.base_path else "",
    )
    return {
        ".htaccess": htaccess,
        f"{HOSTS}/apache/httpd.conf": fill("apache/httpd.conf", site),
        f"{HOSTS}/apache/beside.conf": beside(site),
        f"{HOSTS}/apache/moved": b"",
    }


def beside(site: HostSite) -> bytes:
    """Return the configuration for a server shared with a website: it claims only the site's own paths."""
    root = f"${{{site_id(site.base_path)}_root}}"
    if site.base_path:
        aliases = f'Alias "{site.base_path}" "{root}{site.base_path}"'
        own = f"^{re.escape(site.base_path)}(?:/|$)"
    else:
        aliases = ALIASES.format(root=root, own=site.own_paths_pattern.removeprefix("^"))
        own = site.own_paths_pattern.replace("^/(?:", r"^/(?:\.labgen/|", 1)
    return fill("apache/beside.conf", site, OWN=own, ALIASES=aliases)


SLASH = """\
# [slash] of the site itself
RewriteCond %{REQUEST_URI} =@BASE@
RewriteRule ^ @BASE@/ [R=301,L]

"""
ALIASES = r"""
AliasMatch "^/\.labgen/(40[045]\.(?:json|html))$" "{root}/$1"
AliasMatch "^/\.labgen/moved$" "{root}/.hosts/apache/moved"
AliasMatch "^(?={own})(.*)$" "{root}$1"
""".strip()


APACHE = Profile(
    "apache",
    "Apache",
    HostClass.FULL,
    f"`.htaccess` in the site's root; `{HOSTS}/apache/`: `beside.conf` to include; `httpd.conf` to try it",
    files,
    cannot=(
        "names no method in its 405, and answers what it refuses before it reads .htaccess (%00, %2F, a name "
        "that is too long) in HTML without the header fields, where the server is not the site's alone; only "
        "`TraceEnable off` in its own configuration refuses TRACE"
    ),
    copies=frozenset(COPIES),
    deploy=(TO_SERVER,),
)
