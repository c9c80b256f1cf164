"""Write the files for GitHub Pages and GitLab Pages, which allow hardly any configuration.

The statements about them were tested on stand-ins, not on the hosts.
"""

from labgen.hosts.profile import Files, HostClass, HostSite, Limit, Measure, Profile, fill_each


def github_files(_site: HostSite) -> Files:
    """Return the files that stop GitHub from running its own site generator."""
    return {".nojekyll": b""}


def gitlab_files(site: HostSite) -> Files:
    """Return the rewrite rules for GitLab Pages, which contain the base path."""
    return {"_redirects": fill_each("pages/redirects", site).encode()}


GITHUB_PAGES = Profile(
    "github-pages",
    "GitHub Pages",
    HostClass.JSON_ONLY,
    "`.nojekyll`; a folder without an `index.html` is answered with its `index.json`",
    github_files,
    cannot=(
        "answers browsers with JSON, and unknown paths with the page 404.html; it sends none of the header "
        "fields but Access-Control-Allow-Origin, and redirects without the query"
    ),
    limits=(
        Limit(Measure.SITE_SIZE, 1_000_000_000, "take smaller pictures, or a host without this limit: files"),
    ),
    deploy=("git push  # .github/workflows/publish.yml does the rest",),
)

GITLAB_PAGES = Profile(
    "gitlab-pages",
    "GitLab Pages",
    HostClass.JSON_ONLY,
    "`_redirects`: a path is answered with its `index.json`",
    gitlab_files,
    cannot=(
        "answers browsers with JSON, and unknown paths with the page 404.html; it sends none of the header "
        "fields but Access-Control-Allow-Origin, and redirects to the slash with 302"
    ),
    copies=frozenset({".gz", ".br"}),
    limits=(Limit(Measure.FILES, 200_000, "build without compressed copies, or take another host: nginx"),),
    deploy=("git push  # .gitlab-ci.yml does the rest",),
)
