"""What programs of others make of `openapi.json`: a tester that tries all it allows, and two generated clients."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import servers
import yaml
from conftest import EXHAUSTIVE, copy_of_sample, files_of

from labgen.api.sections import gallery
from labgen.serve.preview import Preview

TIMEOUT = 120


class Read(NamedTuple):
    """A document: its path in OpenAPI, its operation, what stands for parameters, and itself."""

    template: str
    operation: Mapping[str, Any]
    parameters: list[str]
    document: Any

    @property
    def named_parameters(self) -> dict[str, str | int]:
        """What stands for each parameter; pages and parts are numbers."""
        names = re.findall(r"{(\w+)}", self.template)
        values = zip(names, self.parameters, strict=True)
        return {name: int(value) if name in {"page", "part"} else value for name, value in values}

    @property
    def function(self) -> str:
        """What Python's generators call the operation."""
        return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", self.operation["operationId"])


class Served(NamedTuple):
    """The sample directory as `labgen serve` shows it."""

    address: str
    out: Path

    def documents(self) -> Iterator[Read]:
        """Yield each document."""
        paths = json.loads((self.out / "openapi.json").read_bytes())["paths"]
        for template, item in paths.items():
            pattern = re.sub(r"\\{\w+\\}", "([^/]+)", re.escape(template))
            for file in sorted(self.out.glob(files_of(template))):
                found = re.fullmatch(pattern, f"/{file.parent.relative_to(self.out)}/")
                assert found
                document = json.loads(file.read_bytes())
                yield Read(template, item["get"], list(found.groups()), document)


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("clients")
    copy_of_sample(root)
    preview = Preview(root, 1, lambda outcome: str(outcome.problems))
    preview.build()
    with servers.served(preview.respond) as address:
        yield Served(address, root / ".labgen/preview")


def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NO_COLOR": "1", "NO_PROXY": "127.0.0.1", **variables}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


EMPTY_FORMAT = """
import schemathesis

@schemathesis.hook
def filter_query(context, query):
    return not query or query.get("format") != ""
"""
"""An empty `format` counts as none (docs/reference/contract.md), which a schema cannot say."""


def test_schemathesis_finds_no_answer_that_openapi_does_not_allow(served, tmp_path):
    program = shutil.which("schemathesis", path=Path(sys.executable).parent)
    assert program
    (tmp_path / "hooks.py").write_text(EMPTY_FORMAT, encoding="utf-8")
    done = run(
        program,
        "run",
        f"{served.address}/openapi.json",
        "--max-examples=4",
        "--suppress-health-check=all",
        "--seed=1",
        "--warnings=off",  # of catalogues with one page, which have no second one
        cwd=tmp_path,
        SCHEMATHESIS_HOOKS="hooks",
        PYTHONPATH=str(tmp_path),
    )
    assert "No issues found" in done.stdout, done.stdout[-3000:]


def test_a_generated_python_client_reads_every_document(served, tmp_path, monkeypatch):
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    done = run(
        *command,
        "--path",
        served.out / "openapi.json",
        "--output-path",
        tmp_path / "labs_client",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("labs_client")
    with module.Client(
        base_url=served.address, raise_on_unexpected_status=True, httpx_args={"trust_env": False}
    ) as client:
        for one in served.documents():
            (tag,) = one.operation["tags"]
            operation = importlib.import_module(f"labs_client.api.{tag}.{one.function}")
            read = operation.sync(*one.parameters, client=client)
            assert (
                [item.to_dict() for item in read] if isinstance(read, list) else read.to_dict()
            ) == one.document


def node_module(path: str) -> Path:
    """Return a program of npm's; skip the test where it is not there (`.ci/run` installs it)."""
    program = Path(os.environ.get("LABGEN_NODE_MODULES", "none")) / path
    if not program.exists() or not shutil.which("node"):
        pytest.skip(f"LABGEN_NODE_MODULES names no folder with {path}")
    return program


LINT = """
import { createRequire } from "node:module";
const [, , core, file, own] = process.argv;
const { createConfig, lint } = createRequire(file)(core);
const config = await createConfig(JSON.parse(own));
const found = await lint({ ref: file, config });
console.log(JSON.stringify(found.map((one) => [one.ruleId, one.location[0].pointer])));
"""
GUIDE = Path(__file__).parent.parent / "docs/guides/clients.md"


def test_a_linter_finds_only_what_the_specification_demands(served, tmp_path):
    core = node_module("@redocly/openapi-core/lib/index.js")
    (tmp_path / "lint.mjs").write_text(LINT)
    (documented,) = re.findall(r"```yaml\n# redocly\.yaml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    own = yaml.safe_load(documented)
    for rules, broken in ((own["rules"], set()), ({}, own["rules"].keys())):
        config = json.dumps({"extends": own["extends"], "rules": rules})
        done = run("node", "lint.mjs", core, served.out / "openapi.json", config, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert {rule for rule, _ in json.loads(done.stdout)} == broken


def generator() -> Path:
    """Return the program openapi-generator; skip the test where it is not there (`.ci/run` fetches it)."""
    program = Path(os.environ.get("LABGEN_OPENAPI_GENERATOR", "none"))
    if not program.exists() or not shutil.which("java"):
        pytest.skip("LABGEN_OPENAPI_GENERATOR names no openapi-generator.jar, or there is no java")
    return program


@pytest.mark.parametrize("language", ["go", "java", "rust"])
def test_openapi_generator_makes_a_client_in_each_language(served, tmp_path, language):
    generate(served, language, tmp_path / "client")


def generate(served: Served, language: str, target: Path, *options: str) -> None:
    command = ("java", "-jar", generator(), "generate", "-g", language, "-i", served.out / "openapi.json")
    done = run(*command, "-o", target, *options, cwd=target.parent)
    assert done.returncode == 0, done.stderr[-3000:]


READ_BY_PYTHON = """
import json, sys
sys.path.insert(0, "client")
import openapi_client
from openapi_client import api

sites = openapi_client.ApiClient(openapi_client.Configuration(host=sys.argv[1]))
apis = [getattr(api, name)(sites) for name in dir(api) if name.endswith("Api")]
read = 0
for _, function, path, document in json.load(open("documents.json")):
    (call,) = [getattr(one, function) for one in apis if hasattr(one, function)]
    got = call(**path)
    assert ([one.to_dict() for one in got] if isinstance(got, list) else got.to_dict()) == document, function
    read += 1
later = document | {"field_of_a_later_version": 1}
assert type(got).from_dict(later).to_dict() == document
print(read)
"""


def test_a_python_client_of_openapi_generator_reads_every_document(served, tmp_path):
    generate(served, "python", tmp_path / "client", "--additional-properties=lazyImports=true")
    count = write_documents(served, tmp_path)
    (tmp_path / "read.py").write_text(READ_BY_PYTHON)
    done = run(sys.executable, "read.py", served.address, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{count}\n"), done.stderr[-3000:]


def write_documents(served: Served, folder: Path) -> int:
    """Write what a client reads to documents.json, and return the number of documents."""
    rows = [
        (one.operation["operationId"], one.function, one.named_parameters, one.document)
        for one in served.documents()
    ]
    (folder / "documents.json").write_text(json.dumps(rows))
    return len(rows)


READ_BY_TYPESCRIPT = """
declare const require: any, process: any;
const assert = require("node:assert"), fs = require("node:fs");
const [, , address] = process.argv;
type Of = { [name: string]: any };
%s
const rows: [string, string, Of, any][] = JSON.parse(fs.readFileSync("documents.json", "utf8"));
(async () => {
  for (const [operation, , path, document] of rows) {
    assert.deepStrictEqual(await read(operation, path), document, operation);
  }
  const name: string = await firstName();
  console.log(rows.length, name);
})();
"""
"""Read each document by a generated client, which defines `read` and, with its own types, `firstName`."""

HEY_API = """
import * as sdk from "./client";
import { client } from "./client/client.gen";
client.setConfig({ baseUrl: address });
const read = async (operation: string, path: Of) =>
  (await (sdk as Of)[operation]({ path, throwOnError: true })).data;
const firstName = async () => (await sdk.listLaboratories({ throwOnError: true })).data.results[0].name;
"""
ORVAL = """
import * as sdk from "./client";
const own = fetch;
globalThis.fetch = (path, options) => own(address + path, options);
const read = async (operation: string, path: Of) => (await (sdk as Of)[operation](...Object.values(path))).data;
const firstName = async () => {
  const page = await sdk.listLaboratories();
  return page.status === 200 ? page.data.results[0].name : "";
};
"""
TYPESCRIPT_FETCH = """
import * as sdk from "./client";
const configuration = new sdk.Configuration({ basePath: address });
const apis: Of[] = Object.entries(sdk as Of)
  .filter(([name]) => name.endsWith("Api")).map(([, Api]) => new Api(configuration));
const renamed = (value: any, by: (key: string) => string): any =>
  Array.isArray(value) ? value.map((one) => renamed(one, by))
  : value === null || typeof value !== "object" ? value
  : Object.fromEntries(Object.entries(value).map(([key, one]) => [by(key), renamed(one, by)]));
const camel = (key: string) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
const read = async (operation: string, path: Of) =>
  renamed(await apis.find((one) => operation in one)![operation](renamed(path, camel)), snake);
const firstName = async () => (await new sdk.LaboratoriesApi(configuration).listLaboratories()).results[0].name;
"""


def with_hey_api(served: Served, folder: Path) -> None:
    command = ("node", node_module("@hey-api/openapi-ts/bin/run.js"), "-i", served.out / "openapi.json")
    done = run(*command, "-o", "client", "-c", "@hey-api/client-fetch", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def with_orval(served: Served, folder: Path) -> None:
    command = ("node", node_module("orval/dist/bin/orval.js"), "--input", served.out / "openapi.json")
    done = run(*command, "--output", "client.ts", "--client", "fetch", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def with_openapi_generator(served: Served, folder: Path) -> None:
    generate(served, "typescript-fetch", folder / "client")


GENERATORS = {
    "hey-api": (with_hey_api, HEY_API),
    "orval": (with_orval, ORVAL),
    "openapi-generator": (with_openapi_generator, TYPESCRIPT_FETCH),
}


@pytest.mark.parametrize("name", [one for one in GENERATORS if EXHAUSTIVE or one != "orval"])
def test_a_generated_typescript_client_type_checks_and_reads_every_document(served, tmp_path, name):
    make, client = GENERATORS[name]
    tsc = node_module("typescript/bin/tsc")
    make(served, tmp_path)
    count = write_documents(served, tmp_path)
    (tmp_path / "read.ts").write_text(READ_BY_TYPESCRIPT % client)
    options = ["--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"]
    done = run("node", tsc, *options, "--module", "commonjs", "read.ts", cwd=tmp_path)
    assert (done.returncode, done.stdout[-3000:]) == (0, "")
    done = run("node", "read.js", served.address, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith(f"{count} ")


TYPESCRIPT = """\
import type { paths } from "./labs";
type Answer<Path extends keyof paths> = paths[Path]["get"] extends { responses: { 200: { content: { "application/json": infer One } } } } ? One : never;
"""


def test_every_document_is_of_the_type_that_typescript_is_given(served, tmp_path):
    generate, tsc = node_module("openapi-typescript/bin/cli.js"), node_module("typescript/bin/tsc")
    done = run("node", generate, served.out / "openapi.json", "-o", "labs.ts", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    literals = [
        f"const d{number}: Answer<{json.dumps(one.template)}> = {json.dumps(one.document)};"
        for number, one in enumerate(served.documents())
    ]
    (tmp_path / "documents.ts").write_text("\n".join([TYPESCRIPT, *literals]))
    (template,) = gallery.ENDPOINT.path_templates
    wrong = {"preview_url": None}, {"preview_url": "", "large_url": "", "more": 1}, {"preview_url": ""}
    refused = [
        f"// @ts-expect-error\nconst w{number}: Answer<{json.dumps(template)}>[0] = {json.dumps(one)};"
        for number, one in enumerate(wrong)
    ]
    (tmp_path / "wrong.ts").write_text("\n".join([TYPESCRIPT, *refused]))
    done = run(
        "node", tsc, "--strict", "--noEmit", "--skipLibCheck", "documents.ts", "wrong.ts", cwd=tmp_path
    )
    assert (done.returncode, done.stdout[-3000:]) == (0, "")


FETCHING = """
import createClient from "openapi-fetch";
import type { paths } from "./labs";

const client = createClient<paths>({ baseUrl: process.argv[2] });
const page = await client.GET("/api/v1/laboratory/laboratories/", {});
if (!page.data) throw new Error(page.error.detail);
for (const { display_id } of page.data.results) {
  const params = { path: { display_id } };
  const { data, error } = await client.GET("/api/v1/laboratory/laboratories/{display_id}/", { params });
  if (!data) throw new Error(error.detail);
  const tier: string = data.deal_status.id;
  const materials = await client.GET("/api/v1/laboratory/laboratories/{display_id}/materials/", { params });
  const ids: number[] = materials.data!.items.map((one) => one.id);
  console.log(JSON.stringify([display_id, data.name, tier, ids]));
}
"""


def test_the_commonest_typescript_client_type_checks_and_reads_laboratories(served, tmp_path):
    generate, tsc = node_module("openapi-typescript/bin/cli.js"), node_module("typescript/bin/tsc")
    node_module("openapi-fetch/package.json")
    (tmp_path / "node_modules").symlink_to(os.environ["LABGEN_NODE_MODULES"])
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "fetching.ts").write_text("declare const process: { argv: string[] };\n" + FETCHING)
    done = run("node", generate, served.out / "openapi.json", "-o", "labs.ts", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    options = ["--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    done = run("node", tsc, *options, "--lib", "es2022,dom", "fetching.ts", cwd=tmp_path)
    assert (done.returncode, done.stdout[-3000:]) == (0, "")
    done = run("node", "fetching.js", served.address, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    documents = {(one.operation["operationId"], *one.parameters): one.document for one in served.documents()}
    listed = documents[("listLaboratories",)]["results"]
    wanted = [
        [
            one["display_id"],
            one["name"],
            documents["getLaboratory", one["display_id"]]["deal_status"]["id"],
            [item["id"] for item in documents["getMaterials", one["display_id"]]["items"]],
        ]
        for one in listed
    ]
    assert [json.loads(line) for line in done.stdout.splitlines()] == wanted
