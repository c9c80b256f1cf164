"""The site on a server that has a website already: the website's answers stay the same, to the byte."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import NamedTuple

import pytest
from conftest import ALPHA, EXHAUSTIVE, SITE, Project
from servers import PATHS, ask, exchange, failures, free_port, require, rows_of, running

from labgen.contract import http_contract
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_contract import BROWSER, AnswerKind, Request

BASE, SECOND = "/verzeichnis", "/ein-langer/pfad_2.neu/zum~verzeichnis-der-labore"

WEBSITE = {
    "index.html": "<!doctype html><meta charset=utf-8><title>Prüfung</title><p>Startseite ä\n",
    "fehler.html": "<!doctype html><p>Diese Seite gibt es nicht.\n",
    "bericht.pdf": "%PDF-1.4\n" + "0123456789" * 500,
    "labor/00001/alpha/index.html": "<p>Das öffentliche Labor Alpha\n",
    "static/app.css": "body { color: black }\n" * 100,
    "media/foto.webp": "RIFF....WEBP",
    "api/andere.json": '{"andere": "api"}',
    "404.json": '"des Nachbarn"',
    "405.json": '"des Nachbarn"',
    "404.html": "<p>des Nachbarn\n",
    "daten.json": '{"wert": "' + "ä" * 3000 + '"}',
    "verzeichnisse/index.html": "<p>Andere Verzeichnisse\n",
    "daten.json.gz": "not really gzip",
}
"""The files of a website that was there before."""

TARGETS = [
    "/", "/index.html", "/bericht.pdf", "/labor/00001/alpha/", "/labor/00001/alpha", "/labor/nothing/", "/nothing", "/nothing.pdf",
    "/static/app.css", "/static/nothing.css", "/media/foto.webp", "/media/nothing/", "/api/andere.json", "/api/", "/api", "/api/v2/",
    "/404.json", "/404.html", "/405.json", "/daten.json", "/verzeichnisse/", "/verzeichnisse", "/verzeichnis2", "/ein-langer/pfad_2xneu/", "/kontakt.php?a=1", "/kontakt.php/pfad",
    "/.well-known/security.txt", "/.htaccess", "/%2e%2e/", "/%00", "/%2F", "/x%2Fy", "/" + "x" * 300, "/?format=api", "/?format=xml",
]  # fmt: skip
FIELDS = [
    (), (("Accept", BROWSER),), (("Range", "bytes=10-19"),), (("Accept-Encoding", "gzip"),), (("Origin", "https://a.example"),),
    (("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"),),
]  # fmt: skip
METHODS = ["HEAD", "POST", "OPTIONS", "DELETE", "TRACE"]
PROBES = [
    *(Request("GET", target, fields) for target in TARGETS for fields in FIELDS),
    *(Request(method, target) for target in TARGETS for method in METHODS),
]


class Placed(NamedTuple):
    """A built site: its files lie below a folder, where their addresses say."""

    root: Path
    base_path: str

    @property
    def out(self) -> Path:
        return self.root / self.base_path.strip("/")

    def own(self, host: str) -> Path:
        return self.out / ".hosts" / host


class Case(NamedTuple):
    """A server, which sites there are on it, and whether they lie in the website's own folder."""

    host: str
    bases: tuple[str, ...]
    is_inside: bool = False

    def __str__(self) -> str:
        sites = " and ".join(base or "/" for base in self.bases)
        return f"{self.host}, {sites}{', in the website' if self.is_inside else ''}"


CASES = [
    *(Case(host, (BASE, SECOND), is_inside=True) for host in ("nginx", "caddy", "apache", "lighttpd")),
    *(Case(host, ("", BASE)) for host in ("nginx", "caddy", "apache")),
    Case("lighttpd", (BASE,)),
    *(Case(host, (BASE,)) for host in ("nginx", "caddy", "apache") if EXHAUSTIVE),  # those above have it too
]


def lasting(name: str, value: str) -> str:
    """Return a header field without what the clock decides, or the order in which Apache says methods."""
    if name in ("Date", "Expires"):
        return ""
    return ",".join(sorted(value.split(","))) if name == "Allow" else value


def told(port: int) -> dict[Request, object]:
    """Return all that a server answers to the probes, as far as it is the same each time."""
    found: dict[Request, object] = {}
    for request in PROBES:
        status, fields, body = exchange(port, request)
        found[request] = status, [(name, lasting(name, value)) for name, value in fields], body
    return found


def example(site: Placed, file: str) -> str:
    """Return the example in the first comment of a configuration, for this site."""
    comment = (site.out / ".hosts" / file).read_text().partition("\n\n")[0]
    lines = [line.removeprefix("#     ") for line in comment.split("\n") if line.startswith("#     ")]
    assert "/srv/www" in comment
    return "\n".join(lines).replace("/srv/www", str(site.root)) + "\n"


NGINX = """
%(user)s
worker_processes 1;
daemon off;
pid %(folder)s/nginx.pid;
error_log stderr;
load_module /usr/lib/nginx/modules/ngx_http_brotli_static_module.so;
events {}
http {
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log %(folder)s/access.log;
    client_body_temp_path %(folder)s/body;
    proxy_temp_path %(folder)s/proxy;
    fastcgi_temp_path %(folder)s/fastcgi;
    uwsgi_temp_path %(folder)s/uwsgi;
    scgi_temp_path %(folder)s/scgi;
    server_tokens off;
    gzip on;
    gzip_types application/json text/css;
    map $args $asked { default ""; }
    %(http)s
    server {
        listen 127.0.0.1:%(port)s;
        root %(website)s;
        index index.html;
        charset utf-8;
        charset_types application/json;
        server_tokens off;
        gzip_static on;
        expires 1h;
        ssi on;
        recursive_error_pages on;
        add_header Strict-Transport-Security "max-age=63072000" always;
        add_header X-Frame-Options DENY always;
        error_page 403 404 405 /fehler.html;
        %(sites)s
        location / { try_files $uri $uri/ /kontakt.php?$args; }
        location ~ [.]php(/|$) { default_type text/html; return 200 "$request_method $request_uri $uri\\n"; }
        location ~* [.](css|js|json|html|svg|webp)$ { expires 30d; }
        location /static/ {}
        location /media/ {}
        location /api/ {}
        location = /nothing.pdf { return 410; }
    }
}
"""


CADDY = """
{
	admin off
	auto_https off
}
http://:%(port)s {
	bind 127.0.0.1
	root * %(website)s
	encode gzip
	header {
		Strict-Transport-Security "max-age=63072000"
		X-Frame-Options DENY
		X-Content-Type-Options nosniff
		-Server
	}
	header Cache-Control max-age=3600
	@php path *.php *.php/*
	respond @php "{method} {uri}"
	try_files {path} {path}/ /index.html
	%(sites)s
	handle /api/* {
		file_server
	}
	handle {
		file_server
	}
	handle_errors {
		rewrite * /fehler.html
		file_server
	}
}
"""


APACHE = """
%(user)s
Listen 127.0.0.1:%(port)s
ServerName 127.0.0.1
PidFile %(folder)s/apache.pid
DefaultRuntimeDir %(folder)s
ErrorLog %(folder)s/error.log
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule autoindex_module /usr/lib/apache2/modules/mod_autoindex.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
LoadModule env_module /usr/lib/apache2/modules/mod_env.so
LoadModule expires_module /usr/lib/apache2/modules/mod_expires.so
LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
LoadModule headers_module /usr/lib/apache2/modules/mod_headers.so
LoadModule mime_module /usr/lib/apache2/modules/mod_mime.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module /usr/lib/apache2/modules/mod_proxy_http.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
LoadModule setenvif_module /usr/lib/apache2/modules/mod_setenvif.so
TypesConfig /etc/mime.types
<VirtualHost 127.0.0.1:%(port)s>
    DocumentRoot %(website)s
    %(sites)s
    AddDefaultCharset iso-8859-1
    AddOutputFilterByType DEFLATE text/html application/json text/css
    Header always set Strict-Transport-Security "max-age=63072000"
    Header set X-Content-Type-Options nosniff
    Header set Cache-Control "max-age=600"
    ExpiresActive On
    ExpiresDefault "access plus 1 hour"
    ErrorDocument 403 /fehler.html
    ErrorDocument 404 /fehler.html
    ErrorDocument 405 /fehler.html
    Alias /static/ %(website)s/static/
    ProxyPass /kontakt.php http://127.0.0.1:9/
    %(whole_server)s
    <Directory %(website)s>
        Options Indexes FollowSymLinks
        AllowOverride All
        Require all granted
        RewriteEngine On
        RewriteCond %%{REQUEST_FILENAME} !-f
        RewriteCond %%{REQUEST_FILENAME} !-d
        RewriteRule ^labor/ /index.html [L]
    </Directory>
</VirtualHost>
"""


LIGHTTPD = """
server.modules = ( "mod_redirect", "mod_rewrite", "mod_setenv", "mod_access", "mod_deflate", "mod_indexfile", "mod_staticfile" )
server.document-root = "%(website)s"
server.bind = "127.0.0.1"
server.port = %(port)s
server.error-handler-404 = "/fehler.html"
index-file.names = ( "index.html" )
mimetype.assign = ( ".html" => "text/html", ".css" => "text/css; charset=iso-8859-1", ".pdf" => "application/pdf" )
deflate.mimetypes = ( "text/css" )
deflate.allowed-encodings = ( "gzip" )
url.access-deny = ( ".inc" )
url.rewrite-if-not-file = ( "^/(?:labor|verzeichnis|labore)" => "/index.html" )
setenv.add-response-header = ( "Strict-Transport-Security" => "max-age=63072000" )
setenv.set-response-header = ( "Cache-Control" => "max-age=3600" )
%(sites)s
"""


def on_nginx(case: Case, sites: Sequence[Placed]) -> dict[str, str]:
    """Return what is included, by where."""
    owns = [one.own("nginx") for one in sites]
    inside = "".join(f"include {own}/server.conf;\n" for own in owns)
    beside = "".join(example(one, "nginx/location.conf") for one in sites)
    http = "".join(f"include {own}/http.conf;\n" for own in owns)
    return {"http": http, "sites": inside if case.is_inside else beside}


def on_caddy(case: Case, sites: Sequence[Placed]) -> dict[str, str]:
    inside = "".join(f"import {one.own('caddy')}/site.caddy\n" for one in sites)
    beside = "".join(example(one, "caddy/beside.caddy") for one in sites)
    return {"sites": inside if case.is_inside else beside}


def on_apache(case: Case, sites: Sequence[Placed]) -> dict[str, str]:
    """Return what is included; where .htaccess does it, the website has no rules for the whole server."""
    if case.is_inside:
        return {"sites": "", "whole_server": ""}
    return {
        "sites": "".join(example(one, "apache/beside.conf") for one in sites),
        "whole_server": TO_THE_WEBSITE,
    }


TO_THE_WEBSITE = r"""
    ProxyPassMatch ^/(?:verzeichnis|api/v1)(?:/|$) http://127.0.0.1:9/
    RewriteEngine On
    RewriteRule ^/(?:verzeichnis|api/v1)(?:/|$) /index.html [L]
"""
"""Rules that take the site's addresses for the website, and stand behind what is included."""


def on_lighttpd(case: Case, sites: Sequence[Placed]) -> dict[str, str]:
    inside = "".join(f'include "{one.own("lighttpd")}/site.conf"\n' for one in sites)
    beside = "".join(example(one, "lighttpd/site.conf") for one in sites)
    return {"sites": inside if case.is_inside else beside}


class Server(NamedTuple):
    """A server: its configuration with a website, its command, and what is included for sites."""

    text: str
    command: tuple[str, ...]
    includes: Callable[[Case, Sequence[Placed]], dict[str, str]]


SERVERS = {
    "nginx": Server(NGINX, ("nginx", "-p", "%(folder)s", "-c", "%(config)s"), on_nginx),
    "caddy": Server(CADDY, ("caddy", "run", "--config", "%(config)s", "--adapter", "caddyfile"), on_caddy),
    "apache": Server(APACHE, ("apache2", "-f", "%(config)s", "-D", "FOREGROUND"), on_apache),
    "lighttpd": Server(LIGHTTPD, ("lighttpd", "-D", "-f", "%(config)s"), on_lighttpd),
}


@contextmanager
def serving(case: Case, port: int, website: Path, sites: Sequence[Placed]) -> Iterator[int]:
    """Run the website's server, with or without sites beside it."""
    server = SERVERS[case.host]
    with TemporaryDirectory() as name:
        folder = Path(name)
        user = AS_USER.get(case.host, "") if os.geteuid() == 0 else ""
        values = {
            "user": user,
            "folder": folder,
            "config": folder / "config",
            "port": port,
            "website": website,
        }
        (folder / "config").write_text(server.text % (values | server.includes(case, sites)))
        program, *arguments = (part % values for part in server.command)
        with running([require(program), *arguments], port, folder / "log", {"HOME": name}):
            yield port


AS_USER = {"nginx": "user root;", "apache": "User nobody\nGroup nogroup"}
"""Who reads the files, where root starts the server."""


@pytest.fixture(scope="module")
def opened() -> Iterator[Path]:
    """A folder that all users can read: Apache gives up its rights."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request) -> Case:
    return Case(*request.param)


@pytest.fixture(scope="module")
def website(case, opened) -> Path:
    folder = Path(mkdtemp(dir=opened))
    folder.chmod(0o755)
    for name, text in WEBSITE.items():
        Project(folder).file(name, text)
        os.utime(folder / name, (1_700_000_000, 1_700_000_000))
    return folder


@pytest.fixture(scope="module")
def its_port(case) -> int:
    """The port of a server with and without sites: answers name it."""
    return free_port()


@pytest.fixture(scope="module")
def answers_alone(case, its_port, website) -> dict[Request, object]:
    """What the website's server says before there is a site."""
    with serving(case, its_port, website, ()) as port:
        return told(port)


@pytest.fixture(scope="module")
def sites(case, website, answers_alone) -> list[Placed]:
    roots = [
        website if case.is_inside else website.with_name(f"{website.name}-{number}")
        for number in range(len(case.bases))
    ]
    return [
        build(Placed(root, base_path), case.host) for root, base_path in zip(roots, case.bases, strict=True)
    ]


def build(site: Placed, host: str) -> Placed:
    with TemporaryDirectory() as name:
        project = Project(Path(name)).sound()
        website = "" if site.base_path else 'website_url = "https://www.example"\n'  # has the public pages
        project.file("data/site.toml", f'base_path = "{site.base_path}"\n{website}{SITE}')
        project.write(laboratories=[ALPHA | {"about": "Wir prüfen. " * 200}])
        assert project.build(hosts=(host,)).written
        shutil.copytree(project.out, site.out)
    return site


@pytest.fixture(scope="module")
def port(case, its_port, website, sites) -> Iterator[int]:
    with serving(case, its_port, website, sites) as port:
        yield port


def test_the_website_answers_as_if_there_were_no_site(answers_alone, port):
    wrong = {request: answer for request, answer in told(port).items() if answer != answers_alone[request]}
    assert wrong == {}


FOLDERS = {row.name for row in all_rows([]) if row.name.startswith("folder-")}
OF_THE_WEBSITE = {*(row.name for row in http_contract.FIELDS[AnswerKind.FRONT]), *FOLDERS, "hidden", "unknown-version", "unknown-outside-api", "unknown-outside-api-for-browsers"}  # fmt: skip
"""What the website answers where a site without a base path has nothing but its own paths."""
LEAD_OUT = {"refuse-up", "refuse-up-encoded", "refuse-up-by-slash"}
"""Requests that lead out of the site, to the website."""


def test_the_site_passes_all_rows(case, sites, port):
    for site in sites:
        excused = LEAD_OUT | (OF_THE_WEBSITE if site.base_path == "" else set())
        if case.host == "apache":
            excused = excused | {"unknown-path-with-encoded-slash"}  # refused before it is known whose it is
        of_site = [row for row in rows_of(site.out, site.base_path) if row.request.target != "/"]
        rows = [row for row in of_site if row.name not in excused | {"brotli"}]
        assert failures(port, site.out, rows) == {}


def test_the_header_fields_of_the_whole_server_are_on_the_sites_answers_too(case, sites, port):
    """But nginx leaves them out where a location has its own, as that of server.conf has."""
    wanted = None if case.is_inside and case.host == "nginx" else "max-age=63072000"
    targets = [PATHS[0], PATHS[0].rstrip("/"), f"{PATHS[0]}nothing/", f"{PATHS[0]}?format=xml"]
    for site in sites:
        for method, target in product(("GET", "POST", "OPTIONS"), targets):
            answer = ask(port, Request(method, site.base_path + target))
            assert answer.fields.get("strict-transport-security") == wanted, (method, target)
