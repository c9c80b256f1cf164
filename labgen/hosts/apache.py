"""Apache: an .htaccess file in the root of the site, and a whole configuration to try it with."""

from labgen.hosts.profile import OPERATOR, Files, HostClass, HostSite, Profile, fill, this_not_allowed

COPIES = {".br": "br", ".gz": "gzip"}
"""How HTTP calls the copies that labgen makes, in the order in which they are preferred."""
VARY = 'Header always merge Vary "Accept-Encoding" "expr=%{REQUEST_STATUS} =~ /^(?:200|206|304)$/"\n'


def files(site: HostSite) -> Files:
    """Return what Apache reads."""
    used = {suffix: name for suffix, name in COPIES.items() if suffix in site.copies}
    rules = [fill("apache/copies", site, NAME=name, SUFFIX=suffix) for suffix, name in used.items()]
    types = [f"RemoveType {suffix}\nAddEncoding {name} {suffix}\n" for suffix, name in used.items()]
    htaccess = fill(
        "apache/htaccess",
        site,
        COPIES=b"".join(rules).decode(),
        ENCODINGS="".join([*types, VARY]) if used else "",
        THIS_NOT_ALLOWED=_quoted(this_not_allowed(site, "%{REQUEST_METHOD}")),
    )
    return {".htaccess": htaccess, f"{OPERATOR}/apache/httpd.conf": fill("apache/httpd.conf", site)}


def _quoted(text: str) -> str:
    r"""Return a text as it stands in a quoted argument that is an expression: `\` is read twice."""
    return text.replace("\\", r"\\").replace("\\", r"\\").replace('"', r"\"")


APACHE = Profile(
    "apache",
    "Apache",
    HostClass.FULL,
    f"`.htaccess` in the site's root; `{OPERATOR}/apache/httpd.conf` to try it",
    files,
    cannot=(
        "refuses TRACE only by `TraceEnable off` in its own configuration, and answers what it refuses "
        "before it reads .htaccess (%00, a name that is too long) in HTML without the header fields"
    ),
    copies=frozenset(COPIES),
    deploy=(
        "ssh deploy@example.org 'sudo a2enmod headers rewrite && sudo systemctl restart apache2'  # once",
        "rsync -a --delete-after out/ deploy@example.org:/srv/labs/",
    ),
)
