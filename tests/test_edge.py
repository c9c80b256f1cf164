"""The rules that edge functions are made from, in plain node: what can be decided without a server."""

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Project
from servers import PATHS, QUERIES, addressed, complaints, require

from labgen.contract.contract_rows import all_rows
from labgen.contract.http_answers import Received
from labgen.contract.http_contract import BROWSER, ETAG, MEDIA_TYPES, Request, Row
from labgen.hosts.profile import FOLDER, HostSite, fill, refusal_body
from labgen.serve.answer import Site

ADAPTER = """
const { files, requests } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const isThere = (file) => files.indexOf(file) >= 0;
const answers = requests.map(({ method, path, query, accept }) => {
  const decision = decide(method, path, query, accept);
  if (decision.status !== 200 || isThere(decision.file)) return decision;
  return decision.below && isThere(decision.below) ? moved(decision.location) : missing(path, query, accept);
});
console.log(JSON.stringify(answers));
"""


class Edge(NamedTuple):
    """A host of a site below a base path, made from the rules."""

    base_path: str
    out: Path
    decide: Callable[[Sequence[Request]], list[dict[str, Any]]]

    def received(self, decision: dict[str, Any], method: str) -> Received:
        """Return a decision as the answer that a host would send."""
        file = decision.get("file", "").removeprefix(f"{self.base_path}/")
        body = (self.out / file).read_bytes() if file else decision["body"].encode()
        fields = {name.lower(): value for name, value in decision["fields"].items()}
        if file and "content-type" not in fields:
            fields["content-type"] = MEDIA_TYPES[Path(file).suffix]
        return Received(decision["status"], fields, b"" if method == "HEAD" else body)


@pytest.fixture(scope="module", params=["", "/.labs/verzeichnis"], ids=["at the root", "below a base path"])
def edge(request, tmp_path_factory) -> Edge:
    node = require("node")
    project = Project(tmp_path_factory.mktemp("edge")).sound()
    assert project.build().written
    files = [f"{request.param}/{name}" for name in project.tree()]
    not_found, not_allowed = (project.out / name for name in ("404.json", "405.json"))
    site = HostSite(
        request.param, 'Methode "{method}" nicht erlaubt.', not_found.read_bytes(), not_allowed.read_bytes()
    )
    rules = fill("edge.js", site, THIS_NOT_ALLOWED=refusal_body(site, "METHOD"))
    program = project.root / "edge.cjs"
    program.write_bytes(rules + ADAPTER.encode())

    def decide(requests: Sequence[Request]) -> list[dict[str, Any]]:
        asked = json.dumps({"files": files, "requests": [_parts(one) for one in requests]})
        run = subprocess.run([node, program], input=asked, capture_output=True, text=True, check=True)
        decisions: list[dict[str, Any]] = json.loads(run.stdout)
        return decisions

    return Edge(request.param, project.out, decide)


def _parts(request: Request) -> dict[str, str]:
    path, _, query = request.target.partition("?")
    fields = {name.lower(): value for name, value in request.headers}
    return {"method": request.method, "path": path, "query": query} | fields


def needs_server(row: Row) -> bool:
    return row.first is not None or row.topic == "compression" or ETAG in row.expected.fields


def test_every_row_that_needs_no_server_is_decided_as_expected(edge):
    rows = [row for row in all_rows(PATHS, edge.base_path, addressed(edge.out)) if not needs_server(row)]
    wrong = {}
    for row, decision in zip(rows, edge.decide([row.request for row in rows]), strict=True):
        body = (edge.out / row.expected.content).read_bytes() if row.expected.content else None
        if found := complaints(row.expected, edge.received(decision, row.request.method), body):
            wrong[f"{row.name} {row.request.target}"] = found
    assert wrong == {}


@pytest.mark.parametrize("accept", ["*/*", BROWSER])
def test_every_query_is_understood_as_in_the_preview(edge, accept):
    targets = [f"{edge.base_path}{PATHS[0]}{query}" for query in QUERIES]
    decisions = edge.decide([Request("GET", target, (("Accept", accept),)) for target in targets])
    preview = Site(edge.out, edge.base_path)
    for target, decision in zip(targets, decisions, strict=True):
        body = preview.answer("GET", target, {"accept": accept}).body
        assert edge.received(decision, "GET").body == body, target


@pytest.mark.parametrize(
    "target",
    [
        "/.labgen-site.json",
        "/.labgen-site/site.json",
        "/%2elabgen-site.json",
        "/.hosts/nginx/http.conf",
        "/api/v1/laboratory/?format=constructor",
        "/api/v1/laboratory/laboratories/00001/?format=api&format=xml",
        "/%5cexample.org",
        "/static/%zz",
    ],
)
def test_what_is_not_for_clients_is_not_found(edge, target):
    (decision,) = edge.decide([Request("GET", edge.base_path + target)])
    assert (decision["status"], decision["body"]) == (404, (edge.out / "404.json").read_text())


@pytest.mark.parametrize("before", ["/", "/%2f", "//"])
def test_no_redirect_leads_to_another_site(edge, before):
    (decision,) = edge.decide([Request("GET", f"{before}{edge.base_path}{PATHS[0].rstrip('/')}")])
    assert decision["fields"]["Location"] == edge.base_path + PATHS[0]


def test_a_refusal_names_only_a_method_that_is_a_word(edge):
    word, other = edge.decide([Request("PURGE", "/"), Request("<b>", "/")])
    assert json.loads(word["body"])["detail"] == 'Methode "PURGE" nicht erlaubt.'
    assert other["body"] == (edge.out / "405.json").read_text()


def test_the_rules_leave_room_for_an_adapter_in_the_smallest_host():
    text = (FOLDER / "edge.js").read_text(encoding="utf-8")
    assert len(text.encode()) < 6_000
    assert not any(word in text for word in ("import ", "export ", "new URL", "async ", "(?<", "..."))
