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
from conftest import copy_of_sample, files_of

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
const [, , core, file] = process.argv;
const { createConfig, lint } = createRequire(file)(core);
const config = await createConfig({ extends: ["recommended"] });
const found = await lint({ ref: file, config });
console.log(JSON.stringify(found.map((one) => [one.ruleId, one.location[0].pointer])));
"""
BROKEN_RULES = {
    "no-path-trailing-slash": "the specification's paths end in a slash",
    "no-ambiguous-paths": "a `display_id` is made of digits, which this rule does not look at",
}


def test_a_linter_finds_only_what_the_specification_demands(served, tmp_path):
    core = node_module("@redocly/openapi-core/lib/index.js")
    (tmp_path / "lint.mjs").write_text(LINT)
    done = run("node", "lint.mjs", core, served.out / "openapi.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {rule for rule, _ in found} == BROKEN_RULES.keys()


def generator() -> Path:
    """Return the program openapi-generator; skip the test where it is not there (`.ci/run` fetches it)."""
    program = Path(os.environ.get("LABGEN_OPENAPI_GENERATOR", "none"))
    if not program.exists() or not shutil.which("java"):
        pytest.skip("LABGEN_OPENAPI_GENERATOR names no openapi-generator.jar, or there is no java")
    return program


@pytest.mark.parametrize("language", ["go", "java", "python", "rust", "typescript-fetch"])
def test_openapi_generator_makes_a_client_in_each_language(served, tmp_path, language):
    contract = served.out / "openapi.json"
    command = ["java", "-jar", generator(), "generate", "-g", language, "-i", contract, "-o", "c"]
    lazy = ["--additional-properties=lazyImports=true"] if language == "python" else []
    done = run(*command, *lazy, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    if language == "python":
        (tmp_path / "read.py").write_text(READ_BY_GENERATED_MODELS)
        for number, one in enumerate(served.documents()):
            (tmp_path / f"{number:04}-{one.function}.json").write_text(json.dumps(one.document))
        done = run(sys.executable, "read.py", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, "read\n"), done.stderr[-3000:]
    if language == "typescript-fetch":
        tsc = node_module("typescript/bin/tsc")
        done = run(
            "node",
            tsc,
            *["--strict", "--noEmit", "--skipLibCheck", "--lib", "es2020,dom", "c/index.ts"],
            cwd=tmp_path,
        )
        assert (done.returncode, done.stdout[-3000:]) == (0, "")


READ_BY_GENERATED_MODELS = """
import json, sys
from pathlib import Path
sys.path.insert(0, "c")
from openapi_client.models import LaboratoryDocument, TestMethodItemEnvelope
later = {"field_of_a_later_version": 1}
kinds = {"get_laboratory": LaboratoryDocument, "get_test_methods": TestMethodItemEnvelope}
read = 0
for file in sorted(Path().glob("0*.json")):
    if kind := kinds.get(file.stem.partition("-")[2]):
        document = json.loads(file.read_text())
        assert kind.from_dict(document | later).to_dict() == document, file
        read += 1
assert read
print("read")
"""


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
