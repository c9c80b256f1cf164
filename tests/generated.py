"""The generated parts of docs/: tables of fields, settings, paths, problems, commands. Run it to write them."""

import keyword
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from labgen.api.endpoint import LABORATORIES, ROOT, PerLaboratory
from labgen.api.proposed import catalogues, changes, whole_laboratory
from labgen.api.search_answer import SEARCH_TYPES
from labgen.api.sections import ENDPOINTS, PER_LABORATORY
from labgen.cli import main
from labgen.contract.contract_rows import all_rows
from labgen.contract.http_answers import COMPRESSED_FROM
from labgen.contract.http_contract import Field, Level
from labgen.hosts import PROFILES
from labgen.hosts.capacity import WAYS, capacity, count_by_kind
from labgen.hosts.profile import Profile, results
from labgen.model.accreditation_rules import NUMBER_RULES, STANDARD_RULES
from labgen.model.catalogues import CATALOGUES, SHARED_LISTS
from labgen.model.record_fields import all_fields, inner_model, written_fields
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import DIRECTORY_PATH, JSON_FILE, PAGE_FILE
from labgen.model.tables import TABLES, CellType, Column, Table
from labgen.output.file_lists import read_built_site
from labgen.output.packs import PICTURES
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.problems.codes import CODES
from labgen.render.json_schema import COMPONENTS, Schemas
from labgen.render.template_checks import PAGES, VIEWS
from labgen.render.templates import load_templates
from labgen.system.input_files import built_in_templates

DOCS = Path(__file__).resolve().parent.parent / "docs"


def fields_table() -> str:
    """Return a table for each kind of record."""
    records: list[tuple[str, type[Record]]] = [
        ("`laboratories`", LaboratoryRecord),
        *parts_of_a_laboratory(),
        *((f"`{listed.stem}`", listed.record) for listed in SHARED_LISTS),
    ]
    return "\n\n".join(f"{title}:\n\n{table(model)}" for title, model in records)


def parts_of_a_laboratory() -> Iterator[tuple[str, type[Record]]]:
    """Yield the records inside that of a laboratory, with what they are, but for those that hold only others."""
    for path, field in all_fields(LaboratoryRecord):
        model = inner_model(field.annotation)
        if model and not all(inner_model(one.annotation) for one in own_fields(model).values()):
            name = ".".join(path)
            is_list = get_origin(field.annotation) is list
            yield f"an entry of a laboratory's `{name}`" if is_list else f"`{name}` of a laboratory", model


def table(model: type[Record]) -> str:
    rows = "\n".join(
        row(name, field, "; see below" if inner_model(field.annotation) else "")
        for name, field in own_fields(model).items()
    )
    return f"| field | | default | |\n|---|---|---|---|\n{rows}"


def own_fields(model: type[Record]) -> dict[str, FieldInfo]:
    """Return the fields of a record by their keys, but for those that all records have."""
    return {key: field for key, field in written_fields(model).items() if key not in written_fields(Record)}


def row(name: str, field: FieldInfo, more: str = "") -> str:
    return f"| `{name}` | {kind(field.annotation)} | {default(field)} | {field.description}{more} |"


def kind(annotation: Any) -> str:
    """Return what one writes, in a word."""
    if get_origin(annotation) is list:
        return "list of " + {"number": "numbers", "text": "texts"}.get(
            kind(get_args(annotation)[0]), "objects"
        )
    if get_origin(annotation) is dict:
        return "table"
    if get_origin(annotation) is Literal:
        return "text"
    if inner := [part for part in get_args(annotation) if part is not NoneType]:
        return kind(inner[0])
    if issubclass(annotation, BaseModel):
        return "object"
    return {int: "number", str: "text", bool: "true or false", NoneType: "null"}[annotation]


def default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    match field.default:
        case "":
            return "empty"
        case None:
            return "none"
        case bool(value):
            return str(value).lower()
        case str() | int() as value:
            return f"`{value}`"
        case _:
            return "empty"


def tables_text() -> str:
    """Return the columns of each table that data can be written in."""
    return "\n\n".join(f"## {name}\n\n{of_rows(one)}\n\n{columns_table(one)}" for name, one in TABLES.items())


def of_rows(one: Table) -> str:
    """Return what a row of a table is, as a sentence."""
    if one.is_of_values:
        return f"A row for each value of a laboratory's `{one.field}`, in their order."
    if one.field:
        return f"A row for each entry of a laboratory's `{one.field}`, in their order."
    return f"A row for each {one.record.noun()}."


def columns_table(one: Table) -> str:
    rows = [
        f"| `{column.name}` | {several(column)} | {'required' if column.is_required else ''} | "
        f"{column.description.replace('|', BAR)} |"
        for column in one.columns.values()
    ]
    return "\n".join(["| column | cell | | |\n|---|---|---|---|", *rows])


def several(column: Column) -> str:
    """Return what a cell of a column holds, in words."""
    if column.target_list:
        return "several ids or titles" if column.is_list else "id or title"
    return (
        f"several: {column.kind.value}"
        if column.is_list and column.kind is not CellType.JSON
        else column.kind.value
    )


def session_of_init() -> str:
    """Return the terminal session in which a project is made."""
    command = [sys.executable, "-m", "labgen", "init", "verzeichnis"]
    environment = os.environ | {"PYTHONPATH": str(DOCS.parent)}
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
    return f"{SESSION}\n\n```console\n$ labgen init verzeichnis\n{done.stdout}```"


SESSION = "<!-- session: run by tests/test_docs.py -->"


def compared_catalogues() -> str:
    """Return the lists in data/ by which laboratories are compared."""
    *others, last = (f"`{one.stem}`" for one in CATALOGUES if one.is_compared)
    return f"{', '.join(others)} and {last}."


def settings_table() -> str:
    """Return the table of the settings, those of sub-tables with their table's name."""
    rows = []
    for name, field in own_fields(SiteRecord).items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, Record) and name != "stats":
            rows += [row(f"{name}.{inner}", one) for inner, one in own_fields(model).items()]
        else:
            rows.append(row(f"{name}.projects" if name == "stats" else name, field))
    return "| setting | | default | |\n|---|---|---|---|\n" + "\n".join(rows)


def paths_table() -> str:
    """Return the table of all endpoints."""
    rows = []
    for endpoint in (
        *ENDPOINTS,
        whole_laboratory(DIRECTORY_PATH, ()),
        catalogues(DIRECTORY_PATH),
        *changes(DIRECTORY_PATH),
    ):
        paths = ", ".join(f"`{path}`" for path in endpoint.spec_paths)
        rows.append(f"| {paths} | {endpoint.title} ({endpoint.spec_section or 'proposed by labgen'}) |")
    return "| path | (clause of the specification) |\n|---|---|\n" + "\n".join(rows)


def hosts_table() -> str:
    """Return what is written for each host, and what it cannot do."""
    rows = [f"| `{one.name}` | {one.host_class} | {one.does} | {one.cannot} |" for one in PROFILES.values()]
    return "| host | class | what is written | but it |\n|---|---|---|---|\n" + "\n".join(rows)


def problems_text() -> str:
    """Return a section for each code of a problem."""
    return "\n\n".join(
        f"## {name}\n\n*{code.severity.capitalize()}.* {code.meaning} {code.reason}\n\n"
        f"Example: {as_code(code.example)}\n\nRemedy: {code.remedy}"
        for name, code in sorted(CODES.items())
    )


def german_problems_text() -> str:
    """Return the same in German."""
    words = {"error": "Fehler", "warning": "Warnung"}
    return "\n\n".join(
        f"## {name}\n\n*{' oder '.join(words[one] for one in code.severities)}.* {code.meaning} {code.reason}\n\n"
        f"Beispiel: {as_code(code.example)}\n\nAbhilfe: {code.remedy}"
        for name, code in sorted(CODES.in_language("de").items())
    )


def as_code(example: str) -> str:
    """Return an example as Markdown: one that is a sentence with code of its own stays as it is."""
    return example if "`" in example else f"`{example}`"


def commands_text() -> str:
    """Return the help of each command, as `--help` prints it."""
    blocks = []
    for name, command in sorted(main.commands.items()):
        context = click.Context(
            command, info_name=f"labgen {name}", terminal_width=100, **main.context_settings
        )
        blocks.append(f"## labgen {name}\n\n```text\n{command.get_help(context)}\n```")
    return "\n\n".join(blocks)


def contract_table() -> str:
    """Return the rows of the HTTP contract for one path and for the site, with their requests and answers."""
    lines = ["| row | level | request | answer |", "|---|---|---|---|"]
    rows = list(all_rows([f"{LABORATORIES}1/"], files=[PICTURE, SCRIPT], pages=["/suche/"]))
    names = {row.name for row in rows}
    for row in [*rows, *(one for one in all_rows([], "/verzeichnis") if one.name not in names)]:
        fields = "".join(f", `{name}: {value}`" for name, value in row.request.headers)
        statuses = " or ".join(map(str, sorted(row.expected.statuses)))
        media_type = f", `{row.expected.media_type}`" if row.expected.media_type else ""
        media_type += "".join(f", {as_expected(one)}" for one in row.expected.fields)
        if row.expected.is_compressed:
            media_type += (
                f", sent as `{row.expected.codings[0]}` where it has {COMPRESSED_FROM:,} bytes or more"
            )
        target = row.request.target if len(row.request.target) < LONG else f"{row.request.target[:LONG]}…"
        lines.append(
            f"| `{row.name}` | {row.level} | `{row.request.method} {target}`{fields} | {statuses}{media_type} |"
        )
    return "\n".join(lines)


def as_expected(field: Field) -> str:
    """Return what is expected of a header field, as Markdown."""
    if not field.value:
        return f"`{field.name}`"
    if field.is_banned:
        return f"`{field.name}` without `{field.value}`"
    return f"`{field.name}` with `{field.value}`" if field.is_part else f"`{field.name}: {field.value}`"


LONG = 80
"""Characters of a target that are shown."""


def number_rules_table() -> str:
    """Return a table of the forms of certificate numbers."""
    rows = (
        f"| `{one.name}` | {', '.join(one.bodies)} | `{one.example}` | `{one.pattern.replace('|', BAR)}` | "
        f"{'yes' if one.is_unique else 'no'} | {one.source} |"
        for one in NUMBER_RULES
    )
    return "\n".join(
        ["| rule | accreditation body | example | form | own | source |\n|---|---|---|---|---|---|", *rows]
    )


def standard_rules_table() -> str:
    """Return a table of the current editions of standards."""
    rows = (
        f"| `{one.name}` | {one.designation} | {one.current} | {', '.join(one.former)} | {one.source} |"
        for one in STANDARD_RULES
    )
    return "\n".join(
        ["| rule | designation | current edition | replaces | source |\n|---|---|---|---|---|", *rows]
    )


BAR = "\\|"
"""A bar in a cell of a table."""


def rows_by_level() -> dict[Level, set[str]]:
    """Return the names of the contract's rows by their level, those of a site below a base path included."""
    names: dict[Level, set[str]] = {level: set() for level in Level}
    for row in all_rows([f"{LABORATORIES}1/"], "/verzeichnis", [PICTURE, SCRIPT], ["/suche/"]):
        names[row.level].add(row.name)
    return names


PICTURE = "media/0123456789abcdef/alpha-100x80.webp"
"""A file that has a digest in its address."""
SCRIPT = "labgen.js"
"""A file that has none."""


def passed_table() -> str:
    """Return how many rows of each level each host passed."""
    levels = rows_by_level()
    lines = ["| host | class | must | should | optional | tried on |", "|---|---|---|---|---|---|"]
    for profile in PROFILES.values():
        found = results().get(profile.name)
        tried = [names - set(found.untried) if found else set() for names in levels.values()]
        counts = [f"{len(names - profile.failed_rows)}/{len(names)}" if names else "–" for names in tried]
        proof = found.proof if found else "not tried"
        lines.append(f"| {profile.title} | {profile.host_class} | {' | '.join(counts)} | {proof} |")
    return "\n".join(lines)


def passed_sections() -> str:
    """Return what each host did not pass."""
    return "\n\n".join(
        passed_section(one) for one in PROFILES.values() if one.cannot or one.failed_rows or one.limits
    )


def passed_section(profile: Profile) -> str:
    """Return what there is to know of one host."""
    lines = [f"## {profile.title}"]
    if profile.cannot:
        lines.append(f"{profile.title} {profile.cannot}.")
    if failed := sorted(profile.failed_rows):
        lines.append(f"Not passed: {', '.join(f'`{name}`' for name in failed)}.")
    if profile.name in results() and (untried := results()[profile.name].untried):
        lines.append(f"Not tried: {', '.join(f'`{name}`' for name in untried)}.")
    if profile.limits:
        limits = "; ".join(f"{one.most:,} {one.of} ({one.help})" for one in profile.limits)
        lines.append(f"Limits that a build looks at: {limits}.")
    return "\n\n".join(lines)


def again(profile: Profile) -> str:
    """Return the commands of each deployment to a host."""
    text = "Each time:\n\n" + "\n".join(f"    {line}" for line in profile.commands)
    if not profile.deploy_packs:
        return text
    packs = "\n".join(f"    {line}" for line in profile.deploy_packs)
    return f"{text}\n\nWith [packs](large-directories.md#packs), after the build:\n\n{packs}"


def views_text() -> str:
    """Return the names of the templates of views for people."""
    return ", ".join(f"`{name}`" for name in VIEWS) + "."


def blocks_table() -> str:
    """Return the blocks of each built-in template that a project's template of that name can change."""
    lines = ["| template | blocks |", "|---|---|"]
    for name in ("frame.html", *PAGES):
        shown = [block for block in blocks_of(name) if is_shown(name, block)]
        lines.append(f"| `{name}` | {', '.join(f'`{block}`' for block in shown)} |")
    return "\n".join(lines)


def blocks_of(name: str) -> list[str]:
    """Return the blocks of a built-in template and of those that it extends, in their order."""
    text = (built_in_templates() / name).read_text(encoding="utf-8")
    above = re.search(r'{% extends "(.*?)" %}', text)
    own = re.findall(r"{% block (\w+) %}", text)
    return list(dict.fromkeys([*(blocks_of(above[1]) if above else ()), *own]))


def is_shown(name: str, block: str) -> bool:
    """Return whether labgen does not warn of a template of a project that changes this block alone."""
    with TemporaryDirectory() as folder:
        template = Path(folder, "templates", name)
        template.parent.mkdir()
        template.write_text(f'{{% extends "built-in/{name}" %}}{{% block {block} %}}{{% endblock %}}')
        _, problems = load_templates(Path(folder))
    return not any(one.code == "unused-block" for one in problems)


def capacities_table() -> str:
    """Return how many laboratories fit on Cloudflare, estimated from the sample directory: two digits of each."""
    with TemporaryDirectory() as folder:
        build(DOCS.parent, Path(folder, "out"), Options(hosts=("cloudflare",)))
        site = read_built_site(Path(folder, "out"))
    assert site
    sample = count_by_kind(site.files())
    least = sum(isinstance(one, PerLaboratory) and not one.is_optional for one in ENDPOINTS) * len(
        (JSON_FILE, PAGE_FILE)
    )
    plain = sample._replace(own=least * sample.laboratories, pictures=0)
    kinds = {
        f"{sample.of_laboratories / sample.laboratories:.0f} documents and pages, "
        f"{sample.pictures / sample.laboratories:.1f} pictures": sample,
        f"{plain.of_laboratories // plain.laboratories} documents and pages, no picture": plain,
    }
    (limit,) = PROFILES["cloudflare"].limits[:1]
    assert limit.paid
    lines = [
        "| files that the host takes | a laboratory has | as files | `laboratories` in packs | `pictures`, too |"
    ]
    lines.append("|---|---|---|---|---|")
    for most in (limit.most, limit.paid):
        for kind, counts in kinds.items():
            ways = [packed for _, packed in WAYS if counts.pictures or PICTURES not in packed]
            fit = [two_digits(capacity(counts, limit, most, packed) or 0) for packed in ways]
            fit += ["–"] * (len(WAYS) - len(ways))
            lines.append(f"| {most:,} | {kind} | {' | '.join(fit)} |")
    return "\n".join(lines)


def two_digits(number: int) -> str:
    """Return a number rounded to two digits, because it is an estimate."""
    return f"{int(float(f'{number:.1e}')):,}"


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "tutorial.md": {"init": session_of_init},
    "explanation/similarity.md": {"compared": compared_catalogues},
    "reference/accreditation.md": {"numbers": number_rules_table, "standards": standard_rules_table},
    "guides/hosts.md": {"hosts": hosts_table},
    "reference/fields.md": {"fields": fields_table},
    "reference/tables.md": {"tables": tables_text},
    "reference/settings.md": {"settings": settings_table},
    "reference/output.md": {"paths": paths_table},
    "reference/problems.md": {"problems": problems_text},
    "reference/problems.de.md": {"problems": german_problems_text},
    "reference/commands.md": {"commands": commands_text},
    "reference/contract.md": {"contract": contract_table},
    "reference/hosts.md": {"passed": passed_table, "hosts": passed_sections},
    "guides/templates.md": {"views": views_text, "blocks": blocks_table},
    "guides/large-directories.md": {"capacities": capacities_table},
    "guides/deployment.md": {f"again {one.name}": partial(again, one) for one in PROFILES.values()},
}
"""The pages that have generated parts, and how each part is made."""


def with_generated_parts(page: str) -> str:
    """Return the text of a page with its generated parts made anew."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, make in PARTS[page].items():
        head, start, rest = text.partition(f"<!-- generated: {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        assert end, name
        text = f"{head}{start}\n{make()}\n\n{end}{tail}"
    return text


CLIENT_TYPES = DOCS.parent / "labgen/client/documents.py"


def client_types() -> str:
    """Return the types of documents for the client in Python: the same as in the API, without what builds need."""
    schemas = Schemas()
    types = {one.name: schemas.of(one.document) for one in ENDPOINTS}
    for kind in SEARCH_TYPES:
        schemas.of(kind)
    sections = {one.name: python(types[one.name]) for one in PER_LABORATORY if one.name != ROOT}
    whole = [
        "    laboratory: Required[LaboratoryDocument]",
        *(f"    {n}: {kind}" for n, kind in sections.items()),
    ]
    overloads = [
        f'    @overload\n    def __call__(self, display_id: str, name: Literal["{name}"]) -> {kind}: ...'
        for name, kind in sections.items()
    ]
    parts = [
        CLIENT_HEAD,
        *(typed_dict(name, schema) for name, schema in schemas.named.items()),
        "\n".join(["class WholeLaboratory(TypedDict, total=False):", '    """A laboratory with the sections that its site has."""', "", *whole]),
        "\n".join(["class SectionReader(Protocol):", '    """Returns a section of a laboratory."""', "", "\n\n".join(overloads)]),
    ]  # fmt: skip
    return "\n\n\n".join(parts) + "\n"


CLIENT_HEAD = '''"""The types of documents, made from those of the API by `make docs`. Documents may get further fields."""

from __future__ import annotations

from typing import Literal, NotRequired, Protocol, Required, TypedDict, overload'''


def typed_dict(name: str, schema: dict[str, Any]) -> str:
    """Return the type of an object; the functional form where a field is a word of Python."""
    fields = schema["properties"]
    if any(keyword.iskeyword(field) for field in fields):
        entries = ", ".join(f'"{field}": {python(one)!r}' for field, one in fields.items())
        return f"{name} = TypedDict({name!r}, {{{entries}}})  # noqa: E501, UP013"
    lines = [f"class {name}(TypedDict):", f'    """{schema["description"]}"""', ""]
    for field, one in fields.items():
        lines += textwrap.wrap(one["description"], 100, initial_indent="    # ", subsequent_indent="    # ")
        kind = python(one)
        lines.append(f"    {field}: {kind if field in schema['required'] else f'NotRequired[{kind}]'}")
    return "\n".join(lines)


def python(schema: dict[str, Any]) -> str:
    """Return the type in Python of what a schema describes."""
    match schema:
        case {"$ref": str(name)}:
            return name.removeprefix(COMPONENTS)
        case {"anyOf": list(parts)}:
            return " | ".join(map(python, parts))
        case {"type": "array", "items": items}:
            return f"list[{python(items)}]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"dict[str, {python(values)}]"
    kinds = schema["type"]
    return " | ".join(PYTHON[one] for one in ([kinds] if isinstance(kinds, str) else kinds))


PYTHON = {"string": "str", "integer": "int", "boolean": "bool", "null": "None"}


if __name__ == "__main__":
    CLIENT_TYPES.write_text(client_types(), encoding="utf-8")
    for name in PARTS:
        (DOCS / name).write_text(with_generated_parts(name), encoding="utf-8")
