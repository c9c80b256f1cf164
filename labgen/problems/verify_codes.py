"""Explain each problem code of `labgen verify` (the texts of `labgen explain`)."""

from labgen.problems.explanation import Explanation

LINES = "Look at the lines of the host's configuration that the message names: they do it."

VERIFY_CODES: dict[str, Explanation] = {
    "blocked-page": Explanation(
        "A header field that a host sends keeps browsers from showing a page, or what it needs.",
        "Browsers obey each: the page is without style, script or pictures, or it is saved to a file.",
        "Content-Security-Policy: default-src 'none'",
        "Let the policy allow 'self' for styles, scripts and pictures, or send none: pages bring their own. "
        "Send no Content-Disposition.",
    ),
    "broken-copy": Explanation(
        "A compressed answer cannot be decoded, or holds other bytes than the site.",
        "Browsers and most clients ask for compressed answers, so they get the broken ones.",
        "gzip of an older build lies beside a new index.json",
        "Build and deploy again, copies included. Nothing on the way may compress what is compressed.",
    ),
    "caching": Explanation(
        "Caches may keep an answer for longer than it is right, or must ask for what never changes.",
        "A document may change with each build; what has a digest in its address never does.",
        "Cache-Control: immutable on a document",
        LINES,
    ),
    "changed-on-the-way": Explanation(
        "An answer is a file of the site, but something between host and client has changed it.",
        "It is not what was built and tested: ETags, digests and clients that compare bytes fail.",
        "a CDN minifies pages, hides e-mail addresses, or puts a script in",
        "Turn that off for this site. `Cache-Control: no-transform` forbids it to most of what does so.",
    ),
    "compression": Explanation(
        "Answers are not compressed for those who accept that, or for those who do not.",
        "Large documents take ten times as long; who did not ask for compressed bytes cannot read them.",
        "a document of 80 KB is sent as it is",
        LINES,
    ),
    "content-type": Explanation(
        "The host gives a file another media type than it has.",
        "With `nosniff`, browsers refuse styles and scripts of a wrong type; clients refuse such JSON.",
        "a picture in WebP as application/octet-stream",
        "Give the host the media types of the files that it does not know.",
    ),
    "copy-without-vary": Explanation(
        "An answer is compressed, and does not say so to caches.",
        "Without `Vary: Accept-Encoding`, a cache gives compressed bytes to clients that cannot read them.",
        "Content-Encoding: gzip without Vary: Accept-Encoding",
        LINES,
    ),
    "cut-short": Explanation(
        "An answer ends before it is as long as it says.",
        "Clients wait for the rest, or take the part for the whole.",
        "Content-Length: 5000, but 4096 bytes follow",
        "Look at what stands before the files: a proxy whose disk is full, or that changes bodies.",
    ),
    "expired-certificate": Explanation(
        "The certificate of the host is not valid any more, or not yet.",
        "Browsers and clients refuse the connection.",
        "a certificate that nobody renewed",
        "Renew the certificate, and let the server read the new one.",
    ),
    "files": Explanation(
        "The host does not serve a file as what it is under its own name.",
        "Clients of plain hosts ask for index.json and api.html by name.",
        "GET …/gallery/index.json is answered with 301",
        LINES,
    ),
    "foreign-file": Explanation(
        "A file lies in the site's folder that labgen did not write.",
        "Hosts serve it; an index.html even in place of the document.",
        "out/api/v1/laboratory/index.html",
        "Remove it.",
    ),
    "format": Explanation(
        "The host answers a `?format=` that is neither json nor api with something else than 404.",
        "So does the framework of the original (docs/reference/decisions.md).",
        "GET …/gallery/?format=xml is answered with JSON",
        LINES,
    ),
    "front": Explanation(
        "The root of the site, or reference/, is not answered with its page.",
        "It is where people begin to read.",
        "GET / is answered with 404",
        LINES,
    ),
    "head-length": Explanation(
        "The answer to HEAD has another Content-Length than that to GET.",
        "HEAD promises the header fields of GET (RFC 9110, 9.3.2): caches drop what they hold.",
        "HEAD is answered with Content-Length: 0",
        "Look at what answers HEAD before the site: a function, or a proxy.",
    ),
    "headers": Explanation(
        "A header field that every answer carries is missing, or is another.",
        "Without them, pages of other sites may not read the API, or browsers guess types.",
        "Access-Control-Allow-Origin is missing",
        LINES,
    ),
    "hidden-file": Explanation(
        "The host gives out what is not for the public: labgen's marker, or the configuration of a host.",
        "It tells how the site is made and served.",
        "GET /.labgen-site.json is answered with the list of files",
        "Let the host deny names that begin with a dot, or leave these files out of the deployment.",
    ),
    "invalid-document": Explanation(
        "A document in the folder is not what its schema says.",
        "Clients that are made from openapi.json fail.",
        "`rating` is a number where its schema says text",
        "Somebody changed the file: delete .labgen/, build and deploy again.",
    ),
    "json": Explanation(
        "A path is not answered with its document.",
        "The paths of documents are the API (specification, section 4).",
        "GET …/gallery/ is answered with text/html",
        LINES,
    ),
    "left-over": Explanation(
        "A document is still there that the site does not have any more.",
        "Whoever knows its address still reads of a laboratory that is gone.",
        "a laboratory that was taken out of data/",
        "Deploy again so that what is gone is removed, as `rsync --delete-after` does.",
    ),
    "lost-file": Explanation(
        "A file of the site is not there.",
        "The deployment left it out, or somebody removed it.",
        "the pictures were not copied to the host",
        "Build and deploy again, all of out/.",
    ),
    "methods": Explanation(
        "Other methods than GET, HEAD and OPTIONS are not answered with 405 and a reason in JSON.",
        "Clients read from it that the API is read-only.",
        "POST is answered with 405 and a page in HTML",
        LINES,
    ),
    "missing": Explanation(
        "What is not there is not answered with 404 and the JSON of 404.json.",
        "Clients would take a page for a document, or an error of theirs for one of the host.",
        "GET …/laboratories/0/ is answered with 200 and the front page",
        LINES,
    ),
    "moved-site": Explanation(
        "The host sends every request to another address.",
        "The site is verified where it is, and `labgen verify` follows no redirect.",
        "http://labs.example.org leads to https://labs.example.org",
        "Verify the address that the message names.",
    ),
    "needs-password": Explanation(
        "The host asks for a name and a password.",
        "The API has no authentication; this may be a site that is not public yet.",
        "401 for everything",
        "Write them into the address: labgen verify https://name:password@labs.example.org",
    ),
    "no-answer": Explanation(
        "There is no answer: no such host, no connection, or none in time.",
        "Nothing can be said about what is served.",
        "connection refused",
        "Look whether the host is up and the address is right; --timeout waits longer.",
    ),
    "not-verified": Explanation(
        "Not everything was looked at.",
        "The time was over, or the host was given up.",
        "2,310 of 4,104 checks were not made: the time is over",
        "Try again with a higher --limit or a smaller --sample and --files.",
    ),
    "openapi-mismatch": Explanation(
        "openapi.json is not the contract of the documents beside it.",
        "Clients that are made from it fail.",
        "openapi.json of another build",
        "Build and deploy again.",
    ),
    "options": Explanation(
        "OPTIONS is not answered with the methods, and what scripts of other sites may do.",
        "Browsers ask so before they let a script send some requests.",
        "OPTIONS is answered with 405",
        LINES,
    ),
    "overloaded": Explanation(
        "The host answers 429, 502, 503 or 504 to everything.",
        "It is overloaded, limits requests, or what it stands before is down.",
        "503 with Retry-After: 3600",
        "Try again later, with fewer --connections.",
    ),
    "page": Explanation(
        "A path is not answered with its page where a browser or `?format=api` asks for it.",
        "People would see JSON.",
        "GET …/gallery/?format=api is answered with JSON",
        LINES,
    ),
    "repeat": Explanation(
        "The host sends no ETag, or answers 304 where the document has changed.",
        "Clients that ask again would load everything, or keep what is old.",
        "GET with If-None-Match is answered with 200",
        LINES,
    ),
    "sends-cookie": Explanation(
        "The host sets a cookie.",
        "The API has no sessions; shared caches do not keep what sets a cookie, and visitors were not asked.",
        "Set-Cookie: AWSALB=… of a load balancer",
        "Turn it off at what stands before the site: a load balancer, a firewall, a counter of visitors.",
    ),
    "sent-again": Explanation(
        "The host answered a request only when labgen sent it again.",
        "Browsers and most clients do not send a request again: to their users, it has failed.",
        "21 of 1,050 requests had to be sent again (HTTP 503: 21 times)",
        "Look into the log of the host, and of what stands before it; or it limits requests: --connections 1.",
    ),
    "server-error": Explanation(
        "The host answers with an error of its own.",
        "Something in its configuration or its functions fails.",
        "the status is 500",
        "Look into the log of the host.",
    ),
    "slash": Explanation(
        "A path without its slash is not redirected to the one with it.",
        "Clients that leave the slash away find nothing, or are led off the site.",
        "GET …/gallery is answered with 404",
        LINES,
    ),
    "slow-answer": Explanation(
        "An answer took long.",
        "The site is files, so a host sends each in a moment.",
        "3 answers took 2 s or longer, up to 7.1 s",
        "Look what the host does before it sends a file; --slow sets what counts as slow.",
    ),
    "stale-file": Explanation(
        "A file is there, but with other bytes than were built.",
        "The deployment is older than the build, or caches before the host hold what was.",
        "an edited laboratory that was not deployed",
        "Deploy again; empty the caches; turn off what rewrites pages on the way.",
    ),
    "tls-refused": Explanation(
        "The host and labgen did not agree on TLS.",
        "The port speaks no TLS, or only versions that are not safe any more.",
        "https:// to a port that speaks http",
        "Look at the scheme and the port of the address, and at the versions of TLS that the host takes.",
    ),
    "untrusted-certificate": Explanation(
        "The certificate of the host is not signed by anybody whom this machine trusts.",
        "It is self-signed, of an authority of your own, or the host does not send the certificates between.",
        "a self-signed certificate",
        "Let the host send the whole chain; SSL_CERT_FILE=authority.pem trusts an authority of your own.",
    ),
    "wrong-certificate": Explanation(
        "The certificate of the host is for another name.",
        "Browsers and clients refuse the connection.",
        "a certificate for www.example.org on labs.example.org",
        "Get a certificate for this name, or verify the name that it is for.",
    ),
}
