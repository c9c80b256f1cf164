"""Check the header fields of responses that say who may show a page, and how long caches may keep it."""

import re
from collections.abc import Mapping

from labgen.problems.text import say

FOR_CACHES = ("cache-control", "cdn-cache-control", "surrogate-control")
"""The header fields that caches obey (RFC 9111; RFC 9213, and what it follows, for those of CDNs)."""
LONGEST_FRESH = 3600
"""The maximum number of seconds for which caches may serve a document without revalidating it."""
NEEDED = {
    "styles": ("style-src-elem", "style-src", "default-src"),
    "scripts": ("script-src-elem", "script-src", "default-src"),
    "pictures": ("img-src", "default-src"),
    "requests of scripts": ("connect-src", "default-src"),
    "forms": ("form-action",),
}
"""What a page loads from its own origin, and the directives for it: the first one in the policy applies."""
LOCKED = {"scripts": "allow-scripts", "forms": "allow-forms"}
"""What a policy with `sandbox` must allow."""


def blocked_parts(fields: Mapping[str, str], scheme: str, host: str) -> list[str]:
    """Return the parts of a page that a Content-Security-Policy forbids; there may be several policies."""
    policies = fields.get("content-security-policy", "").lower().split(",")
    return [part for part in NEEDED if any(_forbids(policy, part, scheme, host) for policy in policies)]


def _forbids(policy: str, part: str, scheme: str, host: str) -> bool:
    directives: dict[str, list[str]] = {}
    for directive in policy.split(";"):
        name, *sources = directive.split() or [""]
        directives.setdefault(name, sources)
    if (allowed := LOCKED.get(part)) and allowed not in directives.get("sandbox", [allowed]):
        return True
    name = next((name for name in NEEDED[part] if name in directives), "")
    if not name:
        return False
    sources = directives[name]
    is_strict = part == "scripts" and "'strict-dynamic'" in sources
    return is_strict or not any(_allows(source, scheme, host) for source in sources)


def _allows(source: str, scheme: str, host: str) -> bool:
    """Return whether a source expression of a policy matches the site's own host."""
    if source in ("'self'", "*", f"{scheme}:"):
        return True
    pattern = re.escape(source.removeprefix(f"{scheme}://").partition("/")[0]).replace(
        r"\*", "[^.]+(?:\\.[^.]+)*"
    )
    return re.fullmatch(pattern, host) is not None


def is_saved(fields: Mapping[str, str]) -> bool:
    """Return whether browsers save a response to a file instead of showing it."""
    return fields.get("content-disposition", "").lower().startswith("attachment")


def is_hidden(fields: Mapping[str, str]) -> bool:
    """Return whether a response asks all search engines to leave it out, not only one by its name."""
    rules = fields.get("x-robots-tag", "").lower().split(",")
    return any(rule.strip() in ("noindex", "none") for rule in rules)


def wrong_freshness(fields: Mapping[str, str]) -> str:
    """Return why a response may stay in caches for too long, "" if it does not."""
    sent = ", ".join(fields.get(name, "") for name in FOR_CACHES).lower()
    if "immutable" in sent:
        return say("it is sent as immutable, though it changes")
    seconds = max((int(one) for one in re.findall(r"(?:max-age|s-maxage)=\"?(\d+)", sent)), default=0)
    return (
        say("caches may keep it for {seconds:,} seconds unasked", seconds=seconds)
        if seconds > LONGEST_FRESH
        else ""
    )


def passed_through(fields: Mapping[str, str]) -> str:
    """Return the header field with which a proxy, a cache or a CDN tells of itself, "" if there is none."""
    return next(
        (
            say("{name}: {fields}", name=name, fields=fields[name.lower()])
            for name in BETWEEN
            if name.lower() in fields
        ),
        "",
    )


BETWEEN = (
    "Via", "CF-RAY", "X-Varnish", "X-Cache", "X-Served-By", "X-Amz-Cf-Id", "X-Fastly-Request-ID", "Age",
)  # fmt: skip
"""Header fields of what stands before a host."""
