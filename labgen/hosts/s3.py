"""Write the files for Amazon S3 as a website, and for CloudFront with a function before a bucket.

The statements about them were tested on stand-ins for the bucket and CloudFront, not on the hosts; the
function itself ran in node, and a linter accepts the template. No documentation that we found says that the
function may change the status 200 of a document to the 301 of its path without the slash, and older pages
deny it: test this first.
"""

import json
from typing import Any

from labgen.contract.http_contract import EXPOSED
from labgen.hosts.edge import edge_rules
from labgen.hosts.profile import HOSTS, Files, HostClass, HostSite, Profile, fill

STACK = "--stack-name laboratories"
TEMPLATE = f"out/{HOSTS}/cloudfront/template.json"


def website_files(site: HostSite) -> Files:
    """Return the configuration; in the bucket, out/ is stored below the base path."""
    key = site.base_path.lstrip("/") + "/" if site.base_path else ""
    return {f"{HOSTS}/s3-website/website.json": fill("s3/website.json", site, KEY=key)}


def cloudfront_files(site: HostSite) -> Files:
    """Return the function, two parts of a distribution, and a CloudFormation template of everything.

    out/ is stored at the root of the bucket.
    """
    folder = f"{HOSTS}/cloudfront"
    function = edge_rules(site) + fill("cloudfront/function.js", site)
    exposed = EXPOSED.split(", ")
    policy = fill(
        "cloudfront/headers-policy.json",
        site,
        EXPOSED_COUNT=str(len(exposed)),
        EXPOSED_NAMES=json.dumps(exposed)[1:-1],
    )
    errors = fill("cloudfront/error-responses.json", site)
    parts = {
        "FUNCTION": json.dumps(function.decode()),
        "POLICY": json.dumps(_as_in_templates(json.loads(policy) | {"Name": {"Ref": "AWS::StackName"}})),
        "ERRORS": json.dumps(_as_in_templates(json.loads(errors))),
    }
    return {
        f"{folder}/function.js": function,
        f"{folder}/headers-policy.json": policy,
        f"{folder}/error-responses.json": errors,
        f"{folder}/template.json": fill("cloudfront/template.json", site, **parts),
    }


def _as_in_templates(value: Any) -> Any:
    """Convert a part of a configuration to the form of CloudFormation: without the lengths of lists."""
    if not isinstance(value, dict):
        return value
    if "ErrorCode" in value.get("Items", [{}])[0]:
        return [one | {"ResponseCode": int(one["ResponseCode"])} for one in value["Items"]]
    return {name: _as_in_templates(one) for name, one in value.items() if name != "Quantity"}


S3_WEBSITE = Profile(
    "s3-website",
    "Amazon S3 website hosting",
    HostClass.JSON_ONLY,
    f"`{HOSTS}/s3-website/website.json`: the index document `index.json`, the error document `404.json`",
    website_files,
    cannot=(
        "answers browsers with JSON, without any of the header fields, redirects to the slash with 302 and "
        "without the query, and has no https"
    ),
    deploy=("labgen publish s3://$BUCKET$BASE_PATH  # BASE_PATH: `base_path`, if any",),
)

CLOUDFRONT = Profile(
    "cloudfront",
    "Amazon CloudFront",
    HostClass.FULL,
    f"`{HOSTS}/cloudfront/`: a template of CloudFormation with a bucket, a distribution and a function",
    cloudfront_files,
    cannot=(
        "sends Access-Control-Allow-Origin with a 404 only where the request has an Origin, and has JSON "
        "instead of the page for unknown paths"
    ),
    deploy=(
        f"aws cloudformation deploy --no-fail-on-empty-changeset {STACK} --template-file {TEMPLATE}",
        "labgen publish s3://$BUCKET",
    ),
)
