"""The guide to deployment: its configurations, as they stand there, serve a published site over TLS."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from click.testing import CliRunner
from conftest import Project
from generated import DOCS
from servers import free_port, missing, require, running

from labgen.cli import main
from labgen.hosts import PROFILES

GUIDE = (DOCS / "guides/deployment.md").read_text(encoding="utf-8")
LIVE = "/etc/letsencrypt/live/labs.example.org"


class Machine(NamedTuple):
    """A folder that stands for a server's disk, and the ports that stand for 80 and 443."""

    folder: Path
    http: int
    https: int

    def configuration(self, host: str, *changes: tuple[str, str]) -> str:
        """Return what the guide says for a host, on this machine."""
        blocks = re.findall(rf"<!-- tested: {host}.*? -->\n\n```\w+\n(.*?)```", GUIDE, re.DOTALL)
        text = "".join(blocks)
        for before, after in changes:
            assert re.search(before, text), before
            text = re.sub(before, after.replace("\\", "\\\\"), text)
        for place in ("/srv/labs", "/var/www/html"):
            text = text.replace(place, f"{self.folder}{place}")
        return text.replace(LIVE, str(self.folder)).replace("labs.example.org", "localhost")


def nginx(machine: Machine) -> list[str]:
    site = machine.configuration(
        "nginx",
        (r"listen \[::\].*", ""),
        (r"listen 80", f"listen 127.0.0.1:{machine.http}"),
        (r"listen 443", f"listen 127.0.0.1:{machine.https}"),
    )
    temporary = "".join(
        f"{name}_temp_path {machine.folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = machine.folder / "nginx.conf"
    config.write_text(
        f"daemon off; {'user root;' if os.geteuid() == 0 else ''} pid {machine.folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ {temporary} access_log off; gzip on;\n{site} }}\n"
    )
    return [require("nginx"), "-c", str(config)]


def caddy(machine: Machine) -> list[str]:
    site = machine.configuration(
        "caddy",
        (
            "labs.example.org {",
            f"https://localhost:{machine.https} {{\n tls {LIVE}/fullchain.pem {LIVE}/privkey.pem",
        ),
    )
    config = machine.folder / "Caddyfile"
    config.write_text(f"{{\n admin off\n http_port {machine.http}\n}}\n{site}")
    return [require("caddy"), "run", "--config", str(config), "--adapter", "caddyfile"]


def apache(machine: Machine) -> list[str]:
    site = machine.configuration("apache", (r"\*:80", f"*:{machine.http}"), (r"\*:443", f"*:{machine.https}"))
    names = ("mpm_event", "authz_core", "dir", "mime", "alias", "headers", "rewrite", "ssl", "socache_shmcb")
    modules = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in names)
    config = machine.folder / "apache2.conf"
    config.write_text(
        f"Listen 127.0.0.1:{machine.http}\nListen 127.0.0.1:{machine.https}\nServerName localhost\n"
        f"PidFile {machine.folder}/pid\nDefaultRuntimeDir {machine.folder}\nErrorLog /dev/stderr\n{modules}"
        f"<Directory {machine.folder}/var/www/html>\nRequire all granted\n</Directory>\n"
        f"TypesConfig /etc/mime.types\n<Directory />\nAllowOverride None\nRequire all denied\n</Directory>\n{site}"
    )
    return [require("apache2"), "-f", str(config), "-D", "FOREGROUND"]


def lighttpd(machine: Machine) -> list[str]:
    if not Path("/usr/lib/lighttpd/mod_openssl.so").exists():
        missing("lighttpd-mod-openssl")
    site = machine.configuration(
        "lighttpd", (r"\$SERVER.*\[::\].*", ""), ('":443"', f'"127.0.0.1:{machine.https}"')
    )
    config = machine.folder / "lighttpd.conf"
    config.write_text(
        f'server.bind = "127.0.0.1"\nserver.port = {machine.http}\nserver.document-root = "{machine.folder}/var/www/html"\n'
        'server.modules = ( "mod_redirect", "mod_setenv", "mod_rewrite", "mod_deflate" )\n'
        f"{site}"
    )
    return [require("lighttpd"), "-D", "-f", str(config)]


SERVERS: dict[str, Callable[[Machine], list[str]]] = {
    "nginx": nginx,
    "caddy": caddy,
    "apache": apache,
    "lighttpd": lighttpd,
}


@contextmanager
def served(host: str, folder: Path) -> Iterator[Machine]:
    """Publish a site to a machine and start its server, as the guide says."""
    project = Project(folder / "project").sound()
    project.build(hosts=(host,))
    machine = Machine(folder, free_port(), free_port())
    require("rsync")
    require("openssl")
    published = CliRunner().invoke(
        main, ["publish", "--no-verify", str(folder / "srv/labs"), "-C", str(project.root)]
    )
    assert published.exit_code == 0, published.output
    challenge = folder / "var/www/html/.well-known/acme-challenge/token_1"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof")
    openssl = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout privkey.pem -out fullchain.pem -days 90 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run(openssl.split(), cwd=folder, check=True, capture_output=True)
    command = SERVERS[host](machine)
    with running(command, machine.https, folder / "server.log", {"HOME": str(folder)}):
        yield machine


@pytest.mark.parametrize("host", SERVERS)
def test_the_configuration_of_the_guide_serves_the_whole_contract_over_tls(host, tmp_path, monkeypatch):
    with served(host, tmp_path) as machine:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "fullchain.pem"))
        address = f"https://localhost:{machine.https}"
        done = CliRunner().invoke(main, ["verify", address, "-C", str(tmp_path / "project")])
        assert "all passed" in done.output
        if host != "caddy":  # which fetches its certificate itself
            assert on_port_80(machine, "/.well-known/acme-challenge/token_1")[::2] == (200, b"proof")
            status, location, _ = on_port_80(machine, "/api/v1/?a=1")
            assert (status, location) == (301, "https://localhost/api/v1/?a=1")


def on_port_80(machine: Machine, target: str) -> tuple[int, str, bytes]:
    """Return the status, the Location without its port and the body of an answer to localhost."""
    connection = HTTPConnection("localhost", machine.http, timeout=10)
    connection.request("GET", target)
    answer = connection.getresponse()
    location = answer.getheader("Location", "").replace(f":{machine.http}", "")
    found = answer.status, location, answer.read()
    connection.close()
    return found


def test_the_job_of_gitlab_runs_what_the_profile_says():
    job = yaml.safe_load(re.findall(r"<!-- tested: gitlab -->\n\n```yaml\n(.*?)```", GUIDE, re.DOTALL)[0])[
        "pages"
    ]
    assert job["artifacts"]["paths"] == ["public"]
    assert job["cache"]["paths"] == ["out/", ".labgen/"]
    assert PROFILES["gitlab-pages"].commands[0] in job["script"]


def test_the_commands_of_a_deployment_find_the_files_that_they_name(tmp_path):
    """Those that only copy are run; the others need an account."""
    for name, profile in PROFILES.items():
        if not re.search(r"\b(?:cp|template-file)\b", " ".join(profile.deploy)):
            continue
        project = Project(tmp_path / name).sound()
        project.build(hosts=(name,))
        copies = [one for one in profile.deploy if re.match(r"rm|cp|mkdir", one)]
        subprocess.run(["bash", "-e", "-c", "\n".join(copies) or ":"], cwd=project.root, check=True)
        named = [one for command in profile.deploy for one in re.findall(r"--template-file (\S+)", command)]
        assert all((project.root / one).is_file() for one in named)
