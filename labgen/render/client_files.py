"""Fill the modules in JavaScript that a site publishes, and the types from the schemas of `openapi.json`."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from labgen.api.endpoint import ROOT, PerLaboratory
from labgen.api.list_query import ListParameter, list_parameters
from labgen.api.proposed import catalogue_names
from labgen.api.search_answer import SEARCH_TYPES
from labgen.api.sections import endpoints_of
from labgen.contract.host_abilities import HostAbilities
from labgen.model.directory import Directory
from labgen.render.json_schema import COMPONENTS, Schema, Schemas
from labgen.render.openapi import published_schemas
from labgen.render.operation_parts import ENGLISH
from labgen.render.site_values import FRONT_PAGE

CLIENT_FILE, TYPES_FILE, ELEMENTS_FILE = "labgen.js", "labgen.d.ts", "embed.js"


def client_files(directory: Directory, hosts: HostAbilities) -> dict[str, bytes]:
    """Return the client in JavaScript and its types, by their names under out/."""
    endpoints, schemas = endpoints_of(directory), Schemas()
    types = {one.name: schemas.of(one.document) for one in endpoints}
    for kind in SEARCH_TYPES:
        schemas.of(kind)
    named = published_schemas(endpoints, schemas, directory.site)
    sections = [one.name for one in endpoints if isinstance(one, PerLaboratory) and one.name != ROOT]
    own = directory.site.directory_path.lstrip("/")
    documents = "\n\n".join(_interface(name, schema) for name, schema in named.items())
    fields = "\n".join(f"  {name}: {typescript(types[name])};" for name in sections)
    catalogues = " | ".join(map(json.dumps, catalogue_names(directory))) or "never"
    parameters = "\n".join(map(_parameter, list_parameters(directory)))
    return {
        CLIENT_FILE: _filled(
            CLIENT_FILE, DOCUMENT=hosts.document_name, SECTIONS=json.dumps(sections), DIRECTORY=own
        ),
        TYPES_FILE: _filled(
            TYPES_FILE, DOCUMENTS=documents, SECTIONS=fields, CATALOGUES=catalogues, PARAMETERS=parameters
        ),
        ELEMENTS_FILE: _elements(directory),
    }


def _elements(directory: Directory) -> bytes:
    """Return the module with elements for other websites, with the words of the site."""
    site, words = directory.site, directory.language.words
    names = ("label", "hint", "button", "one", "many", "none")
    texts = {"verified": words["verified"]} | {name: words[f"search_{name}"] for name in names}
    public = site.website_url or ("." if site.has_public_pages else "")
    search = f"{site.search_path.lstrip('/')}{FRONT_PAGE}" if site.search.enabled else ""
    return _filled(
        ELEMENTS_FILE,
        TEXTS=json.dumps(texts, ensure_ascii=False),
        LANGUAGE=site.language,
        PUBLIC=public,
        SEARCH=search,
    )


def _filled(name: str, **values: str) -> bytes:
    """Return a file of `labgen.client` with these values for the names between `@`."""
    text = files("labgen").joinpath("client", name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text.encode()


def _parameter(parameter: ListParameter) -> str:
    about = ENGLISH[parameter.about].replace("{what}", parameter.what)
    return f"  /** {about} */\n  {parameter.name}?: ParameterValue;"


def _interface(name: str, schema: Schema) -> str:
    """Return the interface of an object."""
    return "\n".join([_comment(schema), f"export interface {name} {{", *_fields(schema), "}"])


def _fields(schema: Schema) -> Iterator[str]:
    for name, field in schema["properties"].items():
        mark = "" if name in schema["required"] else "?"
        yield f"  {_comment(field)}"
        yield f"  {name if name.isidentifier() else json.dumps(name)}{mark}: {typescript(field)};"


def _comment(schema: Schema) -> str:
    return f"/** {' '.join(schema['description'].split()).replace('*/', '* /')} */"


def typescript(schema: Schema) -> str:
    """Return the type in TypeScript of what a schema describes."""
    match schema:
        case {"$ref": str(name)}:
            return name.removeprefix(COMPONENTS)
        case {"anyOf": [{"enum": list(known)}, {"type": "string"}]}:
            return " | ".join([*map(json.dumps, known), "(string & {})"])
        case {"anyOf": list(parts)}:
            return " | ".join(map(typescript, parts))
        case {"enum": list(values)}:
            return " | ".join(map(json.dumps, values))
        case {"type": "array", "items": items}:
            return f"Array<{typescript(items)}>"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {typescript(values)}>"
        case _:
            return _simple(schema["type"])


def _simple(kinds: Any) -> str:
    return " | ".join(_SIMPLE.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


_SIMPLE = {"integer": "number"}
