"""Searches of the small project, and what is answered to them."""

import json
import subprocess
from collections.abc import Sequence
from http.client import HTTPConnection
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from conftest import ALPHA, BETA, Project, laboratory
from servers import require

from labgen.search import Search, folder_reader

LIST = "/api/v1/laboratory/laboratories/"
LABORATORIES = [
    ALPHA
    | {
        "materials": [12], "is_verified": True, "locality": "Köln", "about": "Zugprüfung an Wörtern <b>",
        "contact_person": {"last_name": "Quitte", "email": "quitte@alpha.example", "phone": "+49 30 23125-777"},
        "accreditations": [{"id": 1, "accreditation_standard": 1, "accreditation_body": "DAkkS", "number": "D-PL-17043-01-00"}],
    },
    BETA | {"materials": [12, 471], "country": "li", "name": "Straßenlabor </script>"},
    laboratory("00003", name="Institut für Stahl-Beton"),
]  # fmt: skip
STANDARDS = [{"id": 1, "search_val": "iso-17025", "title": "Prüflabore", "standard": "DIN EN ISO/IEC 17025"}]
SEARCHES = [
    "q=stahl", "q=K%C3%B6ln", "q=strasse", "q=17025&facets=materials,country", "materials__in=12,471&page=2", "materials__in=12&country=li",
    "q=D-PL-17", "q=zug", "q=Institutt", "page=1", "page=2", "page=9", "page=x", "is_verified=true&format=json", "q=%FF%zz", "q=%E2%80%A8",
    "materials__in=%3Cscript%3E&q=%3Cscript%3E", "q=__proto__&country=constructor", "facets=verification_status&q=labor", "q=" + "a%20" * 600,
    "materials__in=" + ",".join(map(str, range(500))),
]  # fmt: skip
"""Queries that have a parameter of the search."""


def searchable(project: Project, own: str = "") -> Project:
    """Write the laboratories that these searches are for; `own` are settings at the top."""
    settings = (project.root / "data/site.toml").read_text(encoding="utf-8")
    project.file("data/site.toml", f"{own}{settings}[limits]\npage_size = 1\n")
    return project.write(laboratories=LABORATORIES, accreditation_standards=STANDARDS)


def answered(out: Path, query: str) -> tuple[int, bytes]:
    """Return the status and the body that the Python client gives, from the files."""
    answer = Search(folder_reader(out))(query)
    return answer.status, answer.body()


def asked(port: int, query: str, base_path: str = "") -> tuple[int, bytes]:
    """Return the status and the body that a host gives."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", f"{base_path}{LIST}?{query}")
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


RUN = """
import { searcher, toJson } from "./client.mjs";
import { readFileSync } from "node:fs";
const read = name => { try { return readFileSync(name, "utf8"); } catch { return null; } };
const search = searcher(read), answers = [];
for (const query of JSON.parse(readFileSync("queries.json", "utf8"))) {
  const { status, document } = typeof query === "string" ? await search(query) : { status: 200, document: await search.suggest(...query) };
  answers.push([status, toJson(document)]);
  if (typeof query === "string" && status !== 404 && await search.count(query) !== (document.count ?? 0)) throw new Error(`another count: ${query}`);
}
console.log(JSON.stringify(answers));
"""


def run_in_node(folder: Path, client: bytes, script: str, *arguments: str) -> Any:
    """Run a script in node that imports `./client.mjs`, and return what it prints as JSON."""
    node = require("node")
    (folder / "client.mjs").write_bytes(client)
    (folder / "run.mjs").write_text(script, encoding="utf-8")
    command = [node, "run.mjs", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def answers_of_client_js(folder: Path, queries: Sequence[str | Sequence[str]]) -> list[tuple[int, str]]:
    """Return the statuses and bodies that `client.js` gives in node; the files of the site lie in a folder.

    A list instead of a query has the arguments of `suggest`.
    """
    client = package_files("labgen.search").joinpath("client.js").read_bytes()
    (folder / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    return [(status, text) for status, text in run_in_node(folder, client, RUN)]
