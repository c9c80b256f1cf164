"""Write the files for Amazon S3 as a website, and for CloudFront with a function before a bucket.

What is claimed of them was tried on stand-ins of the bucket and of CloudFront, not on the hosts; the
function itself ran in node. That it may turn the status 200 of a document into the 301 of its path without
the slash stands in no documentation that we found, and older pages deny it: try this first.
"""

from collections.abc import Iterator

from labgen.api.http_contract import DIGEST_FOLDERS, IMMUTABLE, REVALIDATED
from labgen.hosts.profile import OPERATOR, Files, HostClass, HostSite, Profile, fill, this_not_allowed

WEBSITE = f"out/{OPERATOR}/s3-website/website.json"
FUNCTION = (
    "--function-config Comment=labgen,Runtime=cloudfront-js-2.0 "
    f"--function-code fileb://out/{OPERATOR}/cloudfront/function.js"
)


def _sync(bucket: str) -> Iterator[str]:
    """Yield the commands that copy a site: first what documents name, then the documents."""
    for folder in DIGEST_FOLDERS:
        yield f"aws s3 sync out/{folder} {bucket}{folder} --cache-control '{IMMUTABLE}'"
    excluded = " ".join(f"--exclude '{one}*'" for one in (".", *DIGEST_FOLDERS))
    yield f"aws s3 sync out/ {bucket} --delete {excluded} --cache-control '{REVALIDATED}'"
    for folder in DIGEST_FOLDERS:
        yield f"aws s3 sync out/{folder} {bucket}{folder} --delete"


def website_files(site: HostSite) -> Files:
    """Return the configuration; out/ lies in the bucket below the base path."""
    key = site.base_path.lstrip("/") + "/" if site.base_path else ""
    return {f"{OPERATOR}/s3-website/website.json": fill("s3/website.json", site, KEY=key)}


def cloudfront_files(site: HostSite) -> Files:
    """Return the function and two parts of a distribution; out/ lies at the root of the bucket."""
    rules = fill("edge.js", site, THIS_NOT_ALLOWED=this_not_allowed(site, "METHOD"))
    folder = f"{OPERATOR}/cloudfront"
    return {
        f"{folder}/function.js": rules + fill("cloudfront/function.js", site),
        f"{folder}/headers-policy.json": fill("cloudfront/headers-policy.json", site),
        f"{folder}/error-responses.json": fill("cloudfront/error-responses.json", site),
    }


S3_WEBSITE = Profile(
    "s3-website",
    "Amazon S3 website hosting",
    HostClass.JSON_ONLY,
    f"`{OPERATOR}/s3-website/website.json`: the index document `index.json`, the error document `404.json`",
    website_files,
    cannot=(
        "answers browsers with JSON, without any of the header fields, redirects to the slash with 302 and "
        "without the query, and has no https"
    ),
    deploy=(
        f"aws s3api put-bucket-website --bucket $BUCKET --website-configuration file://{WEBSITE}",
        *_sync("s3://$BUCKET$BASE_PATH/"),
    ),
)

CLOUDFRONT = Profile(
    "cloudfront",
    "Amazon CloudFront",
    HostClass.FULL,
    f"`{OPERATOR}/cloudfront/`: a function for the viewer's requests and answers, headers and errors",
    cloudfront_files,
    cannot=(
        "sends Access-Control-Allow-Origin with a 404 only where the request has an Origin, and has JSON "
        "instead of the page for unknown paths"
    ),
    deploy=(
        *_sync("s3://$BUCKET/"),
        f"aws cloudfront update-function --name labgen --if-match $ETAG {FUNCTION}",
        "aws cloudfront publish-function --name labgen --if-match $PUBLISH_ETAG",
        "aws cloudfront create-invalidation --distribution-id $DISTRIBUTION --paths '/*'",
    ),
)
