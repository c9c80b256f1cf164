"""Describe the fields of documents for the reference, from their schemas; shared objects only once."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args, get_origin

from labgen.api.document_parts import Envelope
from labgen.api.endpoint import Endpoint, PerLaboratory
from labgen.api.proposed import Whole
from labgen.model.language import Language
from labgen.render.json_schema import COMPONENTS, Schema, Schemas

ENVELOPE = "envelope"
"""The id of the part of the page that describes the envelope of sections."""


class Meaning(NamedTuple):
    """A sentence, and its language if that is not the language of the page."""

    text: str
    language: str | None = None


class Shared(NamedTuple):
    """A reference to an object that several documents contain: its id on the page, and its title."""

    id: str
    title: str


class Field(NamedTuple):
    """A field of a document: its id on the page, its name, its JSON types, its shape or "".

    The fields inside it are its `parts`, unless it is a `shared` object, which is described elsewhere.
    """

    id: str
    name: str
    types: tuple[str, ...]
    is_list: bool
    shape: str
    meaning: Meaning
    parts: "tuple[Field, ...]" = ()
    shared: Shared | None = None


class SharedObject(NamedTuple):
    """A shared object with its fields."""

    id: str
    title: str
    fields: tuple[Field, ...]


class Document(NamedTuple):
    """The description of a document in the reference: its fields, or those of its entries.

    `shared` is the object that it is, or that its entries are, if that object is described elsewhere.
    """

    fields: tuple[Field, ...] = ()
    is_list: bool = False
    shared: Shared | None = None
    has_envelope: bool = False


class FieldTree:
    """Describes the fields of documents, and the objects that several documents share."""

    def __init__(self, endpoints: Iterable[Endpoint], language: Language) -> None:
        self.language = language
        self.schemas = Schemas()
        uses: Counter[str] = Counter()
        self.of_endpoint: dict[str, Schema] = {}
        for one in endpoints:
            schemas = Schemas()
            self.of_endpoint[one.name] = self.schemas.of(one.document)
            schemas.of(one.document)
            if get_origin(one.document) is not Envelope and not isinstance(one, Whole):
                uses.update(schemas.named.keys())
        self.shared = {name: self._shared(name) for name, count in uses.items() if count > 1}

    def _shared(self, name: str) -> Shared:
        key = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Document")).lower()
        return Shared(key, self.language.words.get(f"object_{key}", name))

    def document(self, endpoint: Endpoint, more: Any = None) -> Document:
        """Describe an endpoint's document; `more` is a type whose fields it has only sometimes."""
        schema, key = self.of_endpoint[endpoint.name], endpoint.name
        if get_origin(endpoint.document) is Envelope:
            item = self.schemas.of(get_args(endpoint.document)[0])
            return Document(tuple(self._parts(f"{key}.items", item)), has_envelope=True)
        if isinstance(endpoint, Whole):
            return Document(tuple(self._section(endpoint, one) for one in endpoint.sections))
        is_list = schema.get("type") == "array"
        inner = schema["items"] if is_list else schema
        shared = self._shared_in(inner)
        fields = () if shared else tuple(self._parts(key, inner))
        if more:
            fields += tuple(self._parts(key, self.schemas.of(more)))
        return Document(fields, is_list, shared)

    def _section(self, whole: Whole, section: PerLaboratory) -> Field:
        """Describe the document of a section in that of a whole laboratory; it has a part of its own."""
        schema, name = self.of_endpoint[section.name], section.name
        is_list = schema.get("type") == "array"
        about = self.language.about.get(name)
        meaning = Meaning(about) if about else self._meaning({"description": section.about})
        shared = Shared(name, self.language.titles.get(name, section.title))
        kinds = ("object",)
        return Field(f"{whole.name}.{name}", name, kinds, is_list, "", meaning, (), shared)

    def shared_objects(self, endpoints: Sequence[Endpoint]) -> Iterator[SharedObject]:
        """Yield the objects that several documents contain, and the envelope if a document has one."""
        envelopes = [one.document for one in endpoints if get_origin(one.document) is Envelope]
        for kind in envelopes[:1]:
            resolved = self._resolved(self.schemas.of(kind))
            fields = (
                self._field(f"{ENVELOPE}.{name}", name, one) for name, one in resolved["properties"].items()
            )
            title = self.language.words["object_envelope"]
            yield SharedObject(ENVELOPE, title, tuple(one._replace(parts=(), shared=None) for one in fields))
        for name, shared in self.shared.items():
            yield SharedObject(
                shared.id, shared.title, tuple(self._parts(shared.id, self.schemas.named[name]))
            )

    def _parts(self, key: str, schema: Schema) -> Iterator[Field]:
        """Yield the fields inside a list or an object."""
        inner = self._resolved(schema)
        for part in inner.get("anyOf", ()):
            yield from self._parts(key, part)
        if "items" in inner:
            yield from self._parts(key, inner["items"])
        for name, one in inner.get("properties", {}).items():
            yield self._field(f"{key}.{name}", name, one)
        if isinstance(more := inner.get("additionalProperties"), dict):
            yield from self._parts(key, more)

    def _field(self, key: str, name: str, schema: Schema) -> Field:
        inner = self._resolved(schema)
        is_list = inner.get("type") == "array"
        shared = self._shared_in(schema["items"] if is_list else schema)
        return Field(
            key,
            name,
            self._types(schema["items"] if is_list else schema),
            is_list,
            shape_of(inner),
            self._meaning(schema),
            () if shared else tuple(self._parts(key, schema)),
            shared,
        )

    def _shared_in(self, schema: Schema) -> Shared | None:
        """Return the shared object that a schema refers to, directly or beside null."""
        found = [
            self.shared.get(name) for one in (schema, *schema.get("anyOf", ())) for name in _names_in(one)
        ]
        return next(filter(None, found), None)

    def _resolved(self, schema: Schema) -> Schema:
        names = list(_names_in(schema))
        return self.schemas.named[names[0]] if names else schema

    def _types(self, schema: Schema) -> tuple[str, ...]:
        if "anyOf" in schema:
            return tuple(kind for part in schema["anyOf"] for kind in self._types(part))
        kinds = self._resolved(schema).get("type", "string")
        return tuple(kinds) if isinstance(kinds, list) else (kinds,)

    def _meaning(self, schema: Mapping[str, Any]) -> Meaning:
        return meaning_of(schema.get("description", ""), self.language)


def meaning_of(english: str, language: Language) -> Meaning:
    """Return a description in the language of the page, or in English if it is not translated."""
    if english in language.descriptions:
        return Meaning(language.descriptions[english])
    return Meaning(english, None if not english or language.code.startswith("en") else "en")


def _names_in(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].removeprefix(COMPONENTS)


def shape_of(schema: Schema) -> str:
    """Return the minimum, the pattern or the format of a value; "" if there is none."""
    if "minimum" in schema:
        return f"≥ {schema['minimum']}"
    return str(schema.get("pattern") or schema.get("format") or "")
