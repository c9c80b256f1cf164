"""The formats' two abilities, held against the libraries that know the formats."""

import csv
import io
import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labgen.formats.csv_format import csv_nodes, parse_csv, scan_csv
from labgen.formats.format import Nodes
from labgen.formats.json_format import json_nodes, jsonl_nodes, parse_jsonl
from labgen.formats.toml_format import parse_toml, toml_nodes
from labgen.formats.yaml_format import parse_yaml, yaml_nodes
from labgen.problems.problem import Pointer
from labgen.source.laboratory_locations import Location, parse_laboratory
from labgen.source.read_laboratory import read_laboratory, read_sound
from labgen.system.formula_guard import guarded, unguarded

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def found(nodes: Nodes, text: str, pointer: Pointer) -> str | None:
    """Return the text that stands at a pointer."""
    stretches = [node.value for node in nodes(text, {pointer}) if node.pointer == pointer]
    return text[slice(*stretches[-1])] if stretches else None


def pointers(value: Any, top: Pointer = ()) -> list[tuple[Pointer, Any]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(top, value), *(pair for step, part in parts for pair in pointers(part, (*top, step)))]


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_value_of_a_json_text_is_found_where_it_stands(value, indent, is_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    stretches = {node.pointer: node.value for node in json_nodes(text)}
    assert {pointer: json.loads(text[slice(*stretch)]) for pointer, stretch in stretches.items()} == dict(
        pointers(value)
    )


@given(st.lists(VALUES, max_size=4))
def test_lines_of_json_end_at_line_feeds_only(values):
    text = "\n\n".join(json.dumps(value, ensure_ascii=False) for value in values)
    entries, problems = parse_jsonl(text, "x.jsonl")
    assert not problems
    assert [entry.value for entry in entries] == values
    for entry in entries:
        assert json.loads(found(jsonl_nodes, text, entry.pointer) or "") == entry.value


@given(
    st.lists(st.lists(st.text(), min_size=1, max_size=4), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_a_csv_text_is_read_as_the_standard_library_reads_it(rows, ending):
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows(rows)
    text = written.getvalue()
    scanned, bad_quote = scan_csv(text)
    assert bad_quote is None
    assert [[cell.text for cell in row] for row in scanned] == [list(map(unguarded, row)) for row in rows]


@given(st.text(alphabet="=+-@\t\r\n;,'\"a", max_size=12))
def test_a_text_that_is_guarded_against_formulas_is_read_as_it_was(text):
    assert unguarded(guarded(text)) == text


def test_csv_cells_are_found_where_they_stand():
    text = 'id,title\r\n1,"a, ""b"""\r\n\r\n2,c'
    assert found(csv_nodes, text, (1, "title")) == '"a, ""b"""'
    assert found(csv_nodes, text, (3, "title")) == "c"
    assert found(csv_nodes, text, (0, "id")) == "id"


def test_a_csv_file_may_separate_with_semicolons_as_excel_does_in_german():
    entries, problems = parse_csv("id;title\n1;Öl, raffiniert\n", "x.csv")
    assert [entry.value for entry in entries] == [["id", "title"], {"id": "1", "title": "Öl, raffiniert"}]
    assert not problems


YAML = """\
name: Prüflabor
country: no
display_id: 00123
postal_code: 80331
phone: +49 30 1
date: 2024-05-01
time: 12:30:00
rating: 4.50
size: 1e3
flag: yes
is_verified: true
website: null
empty:
about: |
  zwei
  Zeilen
list: [1, "2"]
"""


def test_yaml_is_read_by_the_rules_of_version_1_2():
    entries, problems = parse_yaml(YAML, "x.yaml")
    value: Any = entries[0].value
    assert not problems
    assert str(value.pop("rating")) == "4.50"
    assert value == {
        "name": "Prüflabor", "country": "no", "display_id": "00123", "postal_code": 80331, "phone": "+49 30 1",
        "date": "2024-05-01", "time": "12:30:00", "size": "1e3", "flag": "yes", "is_verified": True,
        "website": None, "empty": None, "about": "zwei\nZeilen\n", "list": [1, "2"],
    }  # fmt: skip


def test_yaml_values_are_found_where_they_stand():
    assert found(yaml_nodes, YAML, ("name",)) == "Prüflabor"
    assert found(yaml_nodes, YAML, ("list", 1)) == '"2"'


@given(st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0xFFFF)))
@settings(max_examples=200, deadline=None)
def test_a_text_in_double_quotes_comes_through_yaml_unchanged(text):
    entries, _ = parse_yaml("a: " + json.dumps(text), "x.yaml")
    assert [entry.value for entry in entries] == [{"a": text}]


TOML = '''\
a = "x" # "b = 1"
"quoted key" = 1
b.c = 'y'
[table]
text = """
a = 1
"""
list = [ # a comment ]
  "x = 1",
  { d = "]" },
]
last = true
[[more]]
e = 2
[[more]]
e = 3
[more.f]
g = 4
'''


def test_toml_values_are_found_where_they_stand():
    assert tomllib.loads(TOML)["table"]["last"] is True
    assert found(toml_nodes, TOML, ("a",)) == '"x"'
    assert found(toml_nodes, TOML, ("quoted key",)) == "1"
    assert found(toml_nodes, TOML, ("b", "c")) == "'y'"
    assert found(toml_nodes, TOML, ("table", "text")) == '"""\na = 1\n"""'
    assert found(toml_nodes, TOML, ("table", "last")) == "true"
    assert found(toml_nodes, TOML, ("more", 0, "e")) == "2"
    assert found(toml_nodes, TOML, ("more", 1, "f", "g")) == "4"


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_a_format_fail(text):
    from labgen.source.file_formats import FORMATS

    for suffix, file_format in FORMATS.items():
        entries, problems = file_format.parse(text, "x" + suffix)
        assert entries or problems or not text.strip() or suffix in {".csv", ".toml"}
        if not problems:
            list(file_format.nodes(text, {()}))


SPELLED = [
    "7",
    "0",
    "-0",
    "00",
    "7.0",
    "4.50",
    "4.5",
    "4.555",
    "1e1",
    "45E-1",
    "1" * 30,
    "18446744073709551616",
    "1e400",
]
SPELLED += [
    "NaN",
    "-1",
    "true",
    "null",
    '"4.50"',
    '"\\ud83d\\ude00"',
    '"\\ud800"',
    '"\\u0034"',
    '"\u2028"',
    "[7]",
    "[7.0]",
]


@given(
    st.lists(
        st.tuples(st.sampled_from(["postal_code", "rating", "name", "materials"]), st.sampled_from(SPELLED)),
        max_size=3,
    ),
    st.sampled_from(["", " ", "\n", "\ufeff"]),
    st.sampled_from(["l.json", "l.jsonl"]),
)
@settings(max_examples=400, deadline=None)
def test_what_is_sound_is_read_again_as_it_was_read_first(fields, around, file):
    given_fields = {
        "display_id": "12345678901234567890123",
        "name": '"A"',
        "country": '"de"',
        "deal_status": '"p"',
    }
    given_fields |= {"verification_status": '"p"', "$schema": '"s.json"', **dict(fields)}
    text = around + "{" + ",".join(f'"{name}": {value}' for name, value in given_fields.items()) + "}"
    data, location = text.encode(), Location(file, None if file == "l.json" else 0)
    entry, problems = parse_laboratory(location, data)
    source, more = read_laboratory(entry, file) if entry else (None, [])
    if source and not problems + more:
        assert read_sound(location, data) == source.record


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 'x", "a text is not closed on its line"),
        ("'", "a text is not closed on its line"),
        ("[[a]", "the name of the table is not closed"),
        ("a = {b = 1, b = 2}", "duplicate inline table key 'b'"),
        ('a = "\\uD800"', "escaped character is not a Unicode scalar value"),
        ("a = 1979-02-31", "invalid date or datetime"),
    ],
)
def test_what_the_parser_of_toml_says_is_explained_or_quoted(text, said):
    (problem,) = parse_toml(text, "site.toml")[1]
    assert (problem.code, problem.message) == ("invalid-toml", said)
