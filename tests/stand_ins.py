"""Stand-ins for hosts that cannot be tried without an account.

None of this is the host. Each is a small interpreter of what is known of it (from its documentation, and from
runs of the vendors' own local servers), good enough to see whether the files that labgen writes do what they
are meant to do, and no more. A host is a function from a request to an answer; `serving` gives it a port.
"""

import json
import mimetypes
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote_to_bytes

from servers import free_port, require, running

from labgen.hosts.object_headers import object_fields


class Asked(NamedTuple):
    """A method, a path and a query as they were sent, and header fields by lower-case name."""

    method: str
    path: str
    query: str
    fields: Mapping[str, str]


class Answer(NamedTuple):
    status: int
    fields: dict[str, str]
    body: bytes = b""

    def plus(self, **changes: Any) -> "Answer":
        return self._replace(**changes)

    def with_fields(self, more: Mapping[str, str]) -> "Answer":
        """Return the answer with more fields; those win."""
        kept = {name: value for name, value in self.fields.items() if name not in _lower(more)}
        return self._replace(fields=kept | _lower(more))


Host = Callable[[Asked], Answer]


def _lower(fields: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in fields.items()}


@contextmanager
def serving(host: Host) -> Iterator[int]:
    """Serve a host on a free port of loopback until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            path, _, query = self.path.partition("?")
            answer = host(Asked(self.command, path, query, _lower(dict(self.headers.items()))))
            self.send_response(answer.status)
            for name, value in answer.fields.items():
                self.send_header(name, value)
            has_body = self.command != "HEAD" and answer.status not in (204, 304)
            if answer.status not in (204, 304):
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body if has_body else b"")

        do_GET = do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Store:
    """Files by name, as all these hosts have them: a type from the suffix, and an ETag from the bytes.

    With `version`, all files have this ETag.
    """

    def __init__(self, folder: Path, prefix: str = "", version: str = "") -> None:
        self.folder = folder
        self.version = version
        self.prefix = prefix.strip("/") + "/" if prefix.strip("/") else ""

    def has(self, name: str) -> bool:
        return self.read(name) is not None

    def has_folder(self, name: str) -> bool:
        """Say whether there are files below a name; none is hidden."""
        found = self._path(name.strip("/"))
        return found is not None and found.is_dir()

    def read(self, name: str) -> bytes | None:
        path = self._path(name)
        try:
            return path.read_bytes() if path and not name.endswith("/") else None
        except (OSError, ValueError):
            return None

    def _path(self, name: str) -> Path | None:
        try:
            decoded = unquote_to_bytes(name.lstrip("/")).decode()
        except UnicodeDecodeError:
            return None
        parts = decoded.split("/")
        if (
            not decoded.startswith(self.prefix)
            or "\0" in decoded
            or ".." in parts
            or max(map(len, parts)) > 255
        ):
            return None
        path = self.folder / decoded.removeprefix(self.prefix)
        try:
            path.stat()
        except OSError:
            return None
        return path

    def give(self, name: str, asked: Asked, status: int = 200) -> Answer | None:
        """Return a file as an answer, 304 where it is known; None where it is not there."""
        body = self.read(name)
        if body is None:
            return None
        etag = f'"{self.version or md5(body, usedforsecurity=False).hexdigest()}"'
        if status == 200 and asked.fields.get("if-none-match") == etag:
            return Answer(304, {"etag": etag})
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Answer(status, {"content-type": kind, "etag": etag}, body)


HTML = {"content-type": "text/html; charset=utf-8"}


def _html(status: int) -> Answer:
    return Answer(status, HTML, f"<h1>{status}</h1>".encode())


def plain_files(out: Path, base_path: str) -> Host:
    """Any server of files: a name is answered with its bytes, all else with 404."""
    store = Store(out, base_path)

    def answer(asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return _html(501)
        return store.give(asked.path, asked) or _html(404)

    return answer


def s3_website(out: Path, base_path: str) -> Host:
    """A bucket's website endpoint.

    Made from its documentation: GET and HEAD alone; the index document for names that end in a slash; 302
    without the query for a name below which the index document lies; the error document with its own type;
    Cache-Control as `labgen publish` gave it to an object.
    """
    store = Store(out, base_path)
    config = json.loads((out / ".hosts/s3-website/website.json").read_bytes())
    index, error = config["IndexDocument"]["Suffix"], config["ErrorDocument"]["Key"]

    def answer(asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return _html(405)
        name = asked.path + index if asked.path.endswith("/") else asked.path
        if found := store.give(name, asked):
            fields = object_fields(name.removeprefix(f"{base_path}/"))
            return found.with_fields({"cache-control": fields["Cache-Control"]})
        if store.has(f"{name}/{index}"):
            return Answer(302, {"location": f"{asked.path}/"})
        return store.give(error, asked, 404) or _html(404)

    return answer


def github_pages(out: Path, base_path: str) -> Host:
    """GitHub Pages: what `jekyll serve` was seen to do with `index.json`, and GitHub's `*` for CORS.

    301 without the query to the slash, 404.html for all that is not there, 405 for other methods.
    """
    store = Store(out, base_path)
    anyone = {"access-control-allow-origin": "*"}

    def answer(asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return _html(405)
        names = ("index.html", "index.json") if asked.path.endswith("/") else ("",)
        for name in names:
            if found := store.give(asked.path + name, asked):
                return found.with_fields(anyone)
        if not asked.path.endswith("/") and store.has_folder(asked.path):
            return Answer(301, {"location": f"{asked.path}/"} | anyone)
        return (store.give(f"{base_path}/404.html", asked, 404) or _html(404)).with_fields(anyone)

    return answer


def gitlab_pages(out: Path, base_path: str) -> Host:
    """GitLab Pages, as its published code reads.

    Files win over rules; a folder without its slash is 302 to `//host/…/`, with the query; an asterisk takes
    the rest, and slashes are merged; only status 200 rewrites; one ETag for the whole site; any method is GET.
    """
    store = Store(out, base_path, "digest-of-the-deployment")
    rules = [line.split() for line in (out / "_redirects").read_text().splitlines() if line[:1] == "/"]
    anyone = {"access-control-allow-origin": "*", "vary": "Origin"}

    def rewritten(path: str) -> str | None:
        for source, target, status in rules:
            head = source.removesuffix("*").rstrip("/")
            assert source.endswith("/*")
            assert status == "200"
            if path.startswith(f"{head}/"):
                return re.sub("//+", "/", target.replace(":splat", path.removeprefix(f"{head}/")))
        return None

    def answer(asked: Asked) -> Answer:
        if store.has_folder(asked.path) and not asked.path.endswith("/"):
            host = asked.fields.get("host", "")
            query = f"?{asked.query}" if asked.query else ""
            return Answer(302, {"location": f"//{host}{asked.path}/{query}"} | anyone)
        name = asked.path + "index.html" if asked.path.endswith("/") else asked.path
        found = store.give(name, asked) or store.give(rewritten(asked.path) or "/-", asked)
        found = found or store.give(f"{base_path}/404.html", asked, 404) or _html(404)
        return found.with_fields(anyone)

    return answer


def firebase(folder: Path) -> Host:
    """Firebase Hosting, as the server of its emulator (superstatic) was seen to answer.

    `folder` holds firebase.json and what it publishes. Rules of header fields go by the path that is asked
    for, on every answer, the last one winning; any method is GET; there is no 304; a name that is not UTF-8 or
    too long for a file is an error of the server.
    """
    config = json.loads((folder / "firebase.json").read_bytes())["hosting"]
    store = Store(folder / config["public"])

    def pattern(glob: str) -> re.Pattern[str]:
        text = re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        return re.compile(text)

    rules = [(pattern(rule["source"]), rule["headers"]) for rule in config["headers"]]

    def bare(asked: Asked) -> Answer:
        if "%ff" in asked.path or max(map(len, asked.path.split("/"))) > 255:
            return _html(500)
        name = asked.path + "index.html" if asked.path.endswith("/") else asked.path
        if found := store.give(name, asked):
            return found
        if store.has(f"{name}/index.html"):
            query = f"?{asked.query}" if asked.query else ""
            return Answer(301, {"location": f"{asked.path}/{query}"})
        return store.give("404.html", asked, 404) or _html(404)

    def answer(asked: Asked) -> Answer:
        found = bare(asked._replace(fields={}))
        for matches, headers in rules:
            if matches.fullmatch(asked.path):
                found = found.with_fields({one["key"]: one["value"] for one in headers})
        return found

    return answer


def netlify_files(out: Path) -> Host:
    """Netlify's own files, without rules: 404.html where there is none; any method but GET is 405.

    Caches have to revalidate, as its documentation says.
    """
    store = Store(out)

    def answer(asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            return _html(405)
        found = store.give(asked.path, asked) or store.give("404.html", asked, 404) or _html(404)
        return found.with_fields({"cache-control": "public,max-age=0,must-revalidate"})

    return answer


def netlify_rules(out: Path) -> Host:
    """Netlify's `_redirects` and `_headers`, as documented, and as its own local server was seen to do it.

    Files win over rules; a rule with a query wants that parameter; an asterisk takes the rest, and slashes are
    merged; what a rule leads to and is not there is 404.html; `Allow` cannot be set; header fields go by the
    path that is asked for.
    """
    given = netlify_files(out)
    lines = (out / "_redirects").read_text().splitlines()
    rules = [line.split() for line in lines if line.startswith("/")]
    blocks = re.findall(r"^(/\S*)\n((?:  .+\n?)+)", (out / "_headers").read_text(), re.MULTILINE)

    def rewritten(asked: Asked) -> str:
        query = parse_qsl(asked.query)
        for source, *wanted, target, status in rules:
            assert status == "200"
            head = source.removesuffix("*")
            pairs = [tuple(one.split("=")) for one in wanted]
            if asked.path.startswith(head) and all(pair in query for pair in pairs):
                return re.sub("//+", "/", target.replace(":splat", asked.path.removeprefix(head)))
        return asked.path

    def answer(asked: Asked) -> Answer:
        found = given(asked)
        if found.status == 404:
            found = given(asked._replace(path=rewritten(asked)))
        for source, fields in blocks:
            if asked.path.startswith(source.removesuffix("*")):
                pairs = (line.strip().split(": ", 1) for line in fields.splitlines())
                found = found.with_fields({name: value for name, value in pairs if name != "Allow"})
        return found

    return answer


SUPERSTATIC = """
const [, , modules, folder, port] = process.argv;
const { hosting } = require(folder + "/firebase.json");
const server = require(modules + "/superstatic").server;
server({ port: Number(port), hostname: "127.0.0.1", config: hosting, cwd: folder }).listen();
"""
"""The server of Firebase's emulator, itself."""


@contextmanager
def firebase_emulator(modules: Path, folder: Path) -> Iterator[int]:
    """Serve folder/public by folder/firebase.json."""
    script = folder / "superstatic.cjs"
    script.write_text(SUPERSTATIC)
    port = free_port()
    command = [require("node"), str(script), str(modules), str(folder), str(port)]
    with running(command, port, folder / "superstatic.log") as found:
        yield found


NETLIFY = """
import http from "node:http";
import { pathToFileURL } from "node:url";
const [, , file, files, port] = process.argv;
const edge = await import(pathToFileURL(file));
const { path: paths = [], matcher = [] } = edge.config;
const isMeant = (path) => matcher.some((one) => new RegExp("^" + one + "$").test(path)) || paths.some((one) =>
  one.endsWith("*") ? path.startsWith(one.slice(0, -1)) : path === one);
async function answer(request) {
  const next = (options) => {
    const address = new URL(request.url);
    address.port = files;
    const headers = new Headers(request.headers);
    if (!(options && options.sendConditionalRequest)) headers.delete("if-none-match");
    return fetch(address, { method: request.method, headers, redirect: "manual" });
  };
  const path = new URL(request.url).pathname;
  const found = isMeant(path) ? await edge.default(request, { next }) : undefined;
  return found || next({ sendConditionalRequest: true });
}
http.createServer(async (incoming, outgoing) => {
  const address = "http://127.0.0.1:" + port + incoming.url;
  const { host, connection, ...fields } = incoming.headers;
  let found;
  try {
    found = await answer(new Request(address, { method: incoming.method, headers: fields }));
  } catch (error) {
    found = new Response(String(error), { status: 500 });
  }
  outgoing.writeHead(found.status, Object.fromEntries(found.headers));
  outgoing.end(Buffer.from(await found.arrayBuffer()));
}).listen(Number(port), "127.0.0.1");
"""
"""Netlify's runtime of edge functions, as documented: `context.next` asks for what would be answered without
the function (and drops conditions unless told otherwise); the function's own `fetch` comes back here. That of
Vercel is the same, but for the name of the paths; a function that returns nothing leaves the answer to routes."""


@contextmanager
def netlify_edge(out: Path, folder: Path, seen: list[str] | None = None) -> Iterator[int]:
    """Run the edge function in node, before Netlify's files as they are here; `seen` gets what it asks for."""
    given = netlify_files(out)

    def noted(asked: Asked) -> Answer:
        if seen is not None:
            seen.append(asked.path)
        return given(asked)

    with in_node(out / ".hosts/netlify/edge-functions/labgen.js", noted, folder) as port:
        yield port


@contextmanager
def in_node(edge_function: Path, host: Host, folder: Path) -> Iterator[int]:
    """Run an edge function in node, before a host."""
    runtime = folder / "runtime.mjs"
    runtime.write_text(NETLIFY)
    function = folder / "labgen.mjs"
    function.write_bytes(edge_function.read_bytes())
    port = free_port()
    with serving(host) as files:
        command = [require("node"), str(runtime), str(function), str(files), str(port)]
        with running(command, port, folder / "netlify.log") as found:
            yield found


CLOUDFRONT = """
const fs = require("fs");
const code = fs.readFileSync(process.argv[2], "utf-8");
const handler = new Function(code + "; return handler;")();
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(JSON.stringify(handler(JSON.parse(line))));
});
"""


class Function:
    """CloudFront's function, in node, fed with one event a line."""

    def __init__(self, file: Path) -> None:
        command = [require("node"), "-e", CLOUDFRONT, "-", str(file)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
        )
        self.lock = threading.Lock()

    def __call__(self, kind: str, request: Any, response: Any = None) -> Any:
        event = {"version": "1.0", "context": {"eventType": kind}, "request": request}
        if response is not None:
            event["response"] = response
        assert self.process.stdin
        assert self.process.stdout
        with self.lock:
            self.process.stdin.write(json.dumps(event) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

    def end(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


def _event_request(asked: Asked) -> dict[str, Any]:
    query: dict[str, Any] = {}
    for part in filter(None, asked.query.split("&")):
        name, _, value = part.partition("=")
        one = query.setdefault(name, {"value": value, "multiValue": []})
        one["multiValue"].append({"value": value})
    for one in query.values():
        if len(one["multiValue"]) == 1:
            del one["multiValue"]
    headers = {name: {"value": value} for name, value in asked.fields.items()}
    return {
        "method": asked.method,
        "uri": asked.path,
        "querystring": query,
        "headers": headers,
        "cookies": {},
    }


def _of_event(response: Mapping[str, Any]) -> Answer:
    fields = {name: one["value"] for name, one in response["headers"].items()}
    body = response.get("body") or {}
    return Answer(response["statusCode"], fields, body.get("data", "").encode())


def cloudfront(out: Path, run: Function, *, shows_changed_request: bool) -> Host:
    """CloudFront before a bucket, as documented.

    The function answers the viewer's request, or names a file of the bucket. Its other half does not run
    where the bucket answers 400 or more: there stand the error responses and the headers policy, whose CORS
    part is for requests with an Origin. The documentation does not say which request the second half is
    shown, the viewer's or the changed one: both are tried.
    """
    store = Store(out)
    folder = out / ".hosts/cloudfront"
    policy = json.loads((folder / "headers-policy.json").read_bytes())
    pages = json.loads((folder / "error-responses.json").read_bytes())["Items"]
    errors = {one["ErrorCode"]: (one["ResponsePagePath"], int(one["ResponseCode"])) for one in pages}
    assert policy["SecurityHeadersConfig"]["ContentTypeOptions"]["Override"]

    def with_policy(asked: Asked, answer: Answer) -> Answer:
        more = {"x-content-type-options": "nosniff"}
        if "origin" in asked.fields:
            cors = policy["CorsConfig"]
            more["access-control-allow-origin"] = cors["AccessControlAllowOrigins"]["Items"][0]
            more["access-control-expose-headers"] = ", ".join(cors["AccessControlExposeHeaders"]["Items"])
        return answer.with_fields(more)

    def answer(asked: Asked) -> Answer:
        sent = _event_request(asked)
        changed = run("viewer-request", sent)
        if "statusCode" in changed:
            return _of_event(changed)
        found = store.give(changed["uri"], asked)
        if found is None:
            page, status = errors[403]
            return with_policy(asked, store.give(page, asked, status) or _html(status))
        headers = {name: {"value": value} for name, value in found.fields.items()}
        response = {"statusCode": found.status, "headers": headers}
        ended = run("viewer-response", changed if shows_changed_request else sent, response)
        last = _of_event(ended)
        body = found.body if last.status == found.status else last.body
        return with_policy(asked, last.plus(body=body))

    return answer


class Route:
    """One of Vercel's `routes`."""

    def __init__(self, route: Mapping[str, Any]) -> None:
        self.route = route
        known = {"src", "methods", "has", "missing", "headers", "status", "dest", "continue"}
        assert route.keys() <= known | {
            "middlewarePath"
        }  # it answers searches alone, and lets all else go on

    def match(self, asked: Asked, path: str) -> re.Match[str] | None:
        """Say whether the route is for a request with this path."""
        is_meant = (
            asked.method in self.route.get("methods", [asked.method])
            and all(_holds(one, asked) for one in self.route.get("has", []))
            and not any(_holds(one, asked) for one in self.route.get("missing", []))
        )
        return re.search(self.route["src"], path) if is_meant else None

    def fields(self, found: re.Match[str]) -> dict[str, str]:
        headers = self.route.get("headers", {})
        return {name.lower(): _filled(value, found) for name, value in headers.items()}


def _holds(condition: Mapping[str, str], asked: Asked) -> bool:
    """Look for a pattern anywhere in a header field, or in the first parameter of a name."""
    query = dict(reversed(parse_qsl(asked.query, keep_blank_values=True)))
    given = asked.fields if condition["type"] == "header" else query
    value = given.get(condition["key"])
    return value is not None and re.search(condition["value"], value) is not None


def _filled(text: str, found: re.Match[str]) -> str:
    return re.sub(r"\$(\d)", lambda one: found[int(one[1])], text)


def vercel(out: Path, *, by_file: bool) -> Host:
    """Vercel's `routes`, as documented: in their order, before the file system.

    A route with `continue` adds header fields and goes on; a redirect keeps the query. Where the file of the
    route that ends it is there, the routes of the phase `hit` follow; else those of the phase `error`. The
    documentation does not say which path these are shown, that of the request or that of the file: both are
    tried. Caches have to revalidate what no route speaks of.
    """
    store = Store(out)
    routes = json.loads((out / ".hosts/vercel/vercel.json").read_bytes())["routes"]
    hit, error = routes.index({"handle": "hit"}), routes.index({"handle": "error"})
    parts = (routes[:hit], routes[hit + 1 : error], routes[error + 1 :])
    first, on_hit, on_error = ([Route(one) for one in part] for part in parts)

    def end(phase: list[Route], asked: Asked, path: str, fields: dict[str, str]) -> tuple[Route | None, str]:
        """Return the route that ends a phase, and the path of its file; add the header fields on the way."""
        for route in phase:
            if found := route.match(asked, path):
                fields.update(route.fields(found))
                if not route.route.get("continue"):
                    return route, _filled(route.route.get("dest", ""), found)
        return None, path

    def answer(asked: Asked) -> Answer:
        fields = {"cache-control": "public, max-age=0, must-revalidate"}
        route, path = end(first, asked, asked.path, fields)
        status = route.route.get("status", 200) if route else 200
        if 300 <= status < 400:
            fields["location"] += f"?{asked.query}" if asked.query else ""
        if route and not path:
            return Answer(status, fields)
        found, shown = store.give(path, asked, status), path if by_file else asked.path
        end(on_hit if found else [], asked, shown, fields)
        if found is None:
            route, path = end(on_error, asked, shown, fields)
            found = store.give(path, asked, 404) if route else None
        return (found or _html(404)).with_fields(fields)

    return answer
