"""A frame that is filled is byte for byte the page that Jinja renders in full, whatever its template does."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from labgen.render.environment import PageEnvironment
from labgen.render.frames import FrameEnvironment, Slot, html, make_frame
from labgen.render.template_loader import TemplateLoader

Text = st.SearchStrategy[str]


def joined(*parts: str | Text) -> Text:
    """Return texts made of these parts, one after the other."""
    return st.tuples(*(st.just(part) if isinstance(part, str) else part for part in parts)).map("".join)


NAMES = st.sampled_from(
    ["title", "filled", "block", "page.title", "page['title']", "links[0].title", "data.a"]
)
PLAIN = st.sampled_from(["word", "texts", "links", "data", "page", "page.flag", "nothing", "number", "v", "x", "loop.index", "loop", "'Wasser'", "'a'", "''", "0", "1", "none", "true", "'title'", "'upper'", "self", "lib", "'\\x00title\\x00'"])  # fmt: skip
FILTERS = [
    "upper", "length", "e", "safe", "string", "default('x')", "default('x', true)", "replace('a', 'b')", "trim", "first", "last", "list",
    "join", "join(', ')", "truncate(3)", "title", "reverse|list", "int", "tojson", "urlencode", "wordcount", "striptags", "indent", "count",
    "map('upper')|list", "map('string')|join", "map(attribute='title')|list", "map(attribute='title')|join('/')", "select|list", "reject|list",
    "select('string')|list", "selectattr('title')|list", "unique|list", "sort", "batch(2)|list", "slice(2)|list", "xmlattr", "attr('title')",
    "attr('_marked')", "pprint", "max", "min", "sum", "sum(start='')", "dictsort", "items|list", "groupby('title')", "format('a')", "center(9)",
    "forceescape", "capitalize", "wordwrap(3)", "urlize", "filesizeformat", "round", "abs", "float",
]  # fmt: skip
TESTS = ["string", "none", "defined", "undefined", "mapping", "iterable", "sequence", "number", "callable", "escaped", "upper", "true", "boolean", "odd", "filter", "in texts"]  # fmt: skip
ENDS = [
    "[0]", "[:2]", "[-1:]", "['a']", ".title", ".upper()", ".upper", ".name", ".text", ".before", ".is_filled", "._marked", ".__class__", "()", ".split()",
    ".items()|list", ".__len__()", ".__html__()", ".b", ".b()", ".super()", ".keys()|list", ".format(1)",
]  # fmt: skip
OPERATORS = [" ~ ", " + ", " == ", " != ", " < ", " in ", " not in ", " and ", " or ", " % ", " * ", " - "]
CALLS = ["m({})", "caller()", "caller({})", "super()", "self.b()", "lib.m({})", "loop.changed({})", "loop.cycle({}, 'x')", "namespace(a={}).a", "dict(a={})", "dict(a={}).a",
    "cycler({}).next()", "'{{0}}'.format({})", "('<b>%s'|safe) % {}", "''.join([{}])", "(''|safe).join([{}])", "('a'|safe).replace('a', {})", "'Wasser'.__eq__({})", "'Wasserlabor'.startswith({})",
    "texts.index({})", "texts.count({})", "texts[{}]", "{{'Wasser': 1}}[{}]", "'abc'[{}]", "data.get({})", "range({})", "(''|safe) + {}", "self._TemplateReference__context.blocks.b[0](self._TemplateReference__context)|list"]  # fmt: skip


def further(inner: Text) -> Text:
    """Return expressions that hold others."""
    calls = st.tuples(st.sampled_from(CALLS), inner).map(lambda pair: pair[0].format(pair[1]))
    return st.one_of(
        joined("(", inner, ")|", st.sampled_from(FILTERS)),
        joined("(", inner, ")", st.sampled_from(ENDS)),
        joined("(", inner, st.sampled_from(OPERATORS), inner, ")"),
        joined("(", inner, " is ", st.sampled_from(TESTS), ")"),
        joined("(", inner, " is ", st.sampled_from(["sameas", "eq", "in", "ne", "lt"]), "(", inner, "))"),
        joined("(", inner, " if ", inner, " else ", inner, ")"),
        joined("(not ", inner, ")"),
        joined("[", inner, ", ", inner, "]"),
        joined("{'a': ", inner, "}"),
        calls,
    )


SHALLOW = further(st.one_of(NAMES, NAMES, PLAIN))
EXPRESSIONS = st.one_of(SHALLOW, SHALLOW, further(SHALLOW))
BLOCKS = st.sampled_from(["b", "c", "d"])


def containing(inner: Text) -> Text:
    """Return statements that hold others."""
    return st.one_of(
        joined(inner, inner),
        joined("{% if ", EXPRESSIONS, " %}", inner, "{% else %}", inner, "{% endif %}"),
        joined("{% for x in ", EXPRESSIONS, " %}", inner, "{% else %}", inner, "{% endfor %}"),
        joined("{% for x in ", EXPRESSIONS, " recursive %}", inner, "{{ loop(", EXPRESSIONS, ") }}{% endfor %}"),
        joined("{% set v %}", inner, "{% endset %}"),
        joined("{% set v %}", inner, "{% endset %}{{ v }}"),
        joined("{% set v %}", inner, "{% endset %}{% if 'Wasser' in v %}yes{% endif %}"),
        joined("{% set v | ", st.sampled_from(["upper", "length", "e"]), " %}", inner, "{% endset %}{{ v }}"),
        joined("{% filter ", st.sampled_from(["upper", "length", "replace('W', '\\x00')", "e"]), " %}", inner, "{% endfilter %}"),
        joined("{% macro m(x='') %}", inner, "{% endmacro %}{{ m(", EXPRESSIONS, ") }}"),
        joined("{% macro m(x='') %}{{ caller(x) }}{% endmacro %}{% call(v) m(", EXPRESSIONS, ") %}", inner, "{% endcall %}"),
        joined("{% with v = ", EXPRESSIONS, " %}", inner, "{% endwith %}"),
        joined("{% autoescape ", st.sampled_from(["true", "false", "page.flag"]), " %}", inner, "{% endautoescape %}"),
        joined("{% block ", BLOCKS, " scoped %}", inner, "{% endblock %}"),
    )  # fmt: skip


SAFE = st.one_of(
    st.sampled_from(["text", "<b>&amp;</b>", "{{ super() }}", "{{ self.d() }}", "{% include 'part.html' %}", "{% if page.flag %}{{ title }}{% endif %}"]),
    st.sampled_from(["{% for x in links %}{{ x.title }}{% endfor %}", "{% if filled %}{{ filled }}{% else %}no{% endif %}", "{% set v = title %}{{ v }}"]),
    NAMES.map("<i>{{{{ {} }}}}</i>".format),
)  # fmt: skip
USES = st.one_of(
    joined("{{ ", EXPRESSIONS, " }}"),
    joined("{% if ", EXPRESSIONS, " %}yes{% endif %}"),
    joined("{% set x = ", EXPRESSIONS, " %}{{ x }}"),
)
OF_V = further(st.just("v"))
CAPTURED = st.sampled_from([
    "{% set v %}{{ title }}{% endset %}", "{% set v = super() %}", "{% set v = self.d() %}", "{% set v = self.d.super() %}", "{% import 'lib.html' as v with context %}",
    "{% import 'lib.html' as v %}", "{% set v = title ~ 'a' %}", "{% set v = [title]|join %}", "{% macro m() %}{{ title }}{% endmacro %}{% set v = m() %}",
    "{% set v = (''|safe) + title %}", "{% set v = ('%s'|safe) % title %}", "{% set v %}{% include 'part.html' %}{% endset %}", "{% set v = links|map(attribute='title')|join %}",
    "{% set v %}{{ super() }}{% endset %}", "{% set v = self._TemplateReference__context.blocks.d[0](self._TemplateReference__context)|list|last %}",
])  # fmt: skip
RISKY = st.one_of(
    USES,
    joined(CAPTURED, "{{ ", OF_V, " }}"),
    joined(CAPTURED, "{% if ", OF_V, " %}yes{% endif %}"),
    st.sampled_from(["{{ lib }}", "{% call '{}'.format('\\x00title\\x00') %}{% endcall %}", "{% include 'part.html' without context %}", "{{ self.b() }}"]),
    joined(CAPTURED, "{{ v }}{{ v }}"),
)  # fmt: skip
SIMPLE = joined(SAFE, SAFE)
BODIES = joined(SAFE, st.one_of(RISKY, RISKY, RISKY, containing(SAFE), containing(RISKY)), SAFE)
FEW_BODIES = st.one_of(SIMPLE, SIMPLE, SIMPLE, BODIES)
PARENTS = joined(
    "{% block b %}",
    SIMPLE,
    "{% endblock %}|{% block c %}",
    FEW_BODIES,
    "{% endblock %}{% block d %}{{ title }}{% endblock %}",
)
PAGES = st.one_of(
    BODIES,
    joined("{% extends 'parent.html' %}{% block b %}", BODIES, "{% endblock %}"),
    joined("{% extends 'parent.html' %}{% block c %}{{ super() }}", SIMPLE, "{% endblock %}{% block b %}", BODIES, "{% endblock %}"),
)  # fmt: skip
SITES = st.fixed_dictionaries(
    {"page.html": PAGES, "parent.html": PARENTS, "part.html": FEW_BODIES, "lib.html": FEW_BODIES}
)  # fmt: skip
VALUES = [
    {"title": title, "filled": filled, "block": block}
    for title, filled, block in [
        ("Wasserlabor", "upper", "<p>Wasser</p>"), ("", "a", ""), ("<b title='x'>&\"", "0", '<a href="/">&amp;</a>'), ("title", "title", "title"), ("0", "1", "0"),
    ]
]  # fmt: skip


class Link(NamedTuple):
    title: Any
    href: str = "/"


@dataclass(frozen=True, slots=True)
class Page:
    title: Any
    flag: bool = True


def variables(value: Callable[[str], Any]) -> dict[str, Any]:
    """Return what a template sees: slots or values, and things that hold them."""
    title, filled, block = value("title"), value("filled"), value("block")
    return {
        "title": title, "filled": filled, "block": block, "page": Page(title), "links": (Link(title), Link("Start")),
        "data": {"a": filled, "b": "Wasser"}, "texts": [title, "Wasser"], "word": "Wasser", "nothing": None, "number": 3, "v": "v", "x": [title], "lib": {"v": filled},
    }  # fmt: skip


def slot(name: str) -> Slot:
    return Slot(name, is_filled=name == "filled")


def check(templates: dict[str, str]) -> bool:
    """Compare a filled frame with full renderings; return whether there was one."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in templates.items():
            (Path(folder) / name).write_text(text)
        loader = TemplateLoader(Path(folder), [Path(folder)])
        frame = make_frame(FrameEnvironment(loader, {}), "page.html", variables(slot))
        if frame is None:
            return False
        pages = PageEnvironment(loader, {})
        for values in VALUES:
            as_html = {
                name: text.encode() if name == "block" else html(text) for name, text in values.items()
            }
            texts: dict[str, Any] = values | {"block": Markup(values["block"])}
            assert frame.fill(as_html) == pages.render("page.html", variables(texts.__getitem__), ""), (
                templates
            )
    return True


@given(SITES)
@settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))
def test_a_filled_frame_is_what_jinja_renders_in_full(templates):
    event("frame" if check(templates) else "in full")


WITH_PARENT = "{% extends 'parent.html' %}"
FRAMED = [
    "{{ title }}", "<a href='{{ links[0].title }}'>{{ block }}</a>", "{% for x in links %}{{ x.title }}{% endfor %}", "{% if filled %}{{ filled }}{% endif %}",
    "{{ filled or 'none' }}", "{% set v = title %}{% with x = v %}{{ x }}{% endwith %}", "{% include 'part.html' %}", "{{ data.get('a') }}{{ data['a'] }}",
    WITH_PARENT, WITH_PARENT + "{% block b %}{{ super() }}<p>{{ title }}</p>{% endblock %}", WITH_PARENT + "{% block b %}{{ super() }}{% block c %}{{ self.d() }}{% endblock %}{% endblock %}",
    WITH_PARENT + "{% block b %}{% set v = super() %}{{ v }}{{ v }}{% endblock %}", "{% set v %}{{ word }}{% endset %}{{ v|upper }}{{ title }}", "{% block e %}{{ self.e.name }}{{ title }}{% endblock %}",
    "{% import 'lib.html' as lib %}{{ lib.shout('a') }}{{ title }}", "{% import 'lib.html' as lib with context %}{{ lib.shout('a') }}{{ title }}", "{{ links|map(attribute='title')|list|last }}", "{% autoescape page.flag %}{{ title }}{% endautoescape %}",
]  # fmt: skip
LOOKING = [
    # captured text
    "{% set v %}{{ title }}{% endset %}{% if 'Wasser' in v %}yes{% endif %}", "{% set v %}{{ title }}{% endset %}{{ v[:3] }}", "{% set v %}{{ title }}{% endset %}{{ v.upper() }}",
    "{% set v %}{% include 'part.html' %}{% endset %}{{ v[:3] }}", "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(title)[:3] }}", "{% macro m() %}{{ caller()[:3] }}{% endmacro %}{% call m() %}{{ title }}{% endcall %}",
    "{% filter upper %}{{ title }}{% endfilter %}", "{% for x in [1] recursive %}{% if x %}{{ loop([0])[:3] }}{% else %}{{ title }}{% endif %}{% endfor %}",
    WITH_PARENT + "{% block b %}{{ super()[:3] }}{% endblock %}", WITH_PARENT + "{% block b %}{% set v = super() %}{% if 'Wasser' in v %}yes{% endif %}{% endblock %}", WITH_PARENT + "{% block b %}{{ self.d()|upper }}{% endblock %}",
    WITH_PARENT + "{% block b %}{% set v %}{{ super() }}{% endset %}{{ v|length }}{% endblock %}", "{% import 'part.html' as v with context %}{{ v }}{% if 'Wasser' in v ~ '' %}yes{% endif %}",
    WITH_PARENT + "{% block b %}{{ self._TemplateReference__context.blocks.d[0](self._TemplateReference__context)|list|last|upper }}{% endblock %}",
    WITH_PARENT + "{% block b %}{{ self['_TemplateReference__context'].blocks.d[0](self['_TemplateReference__context'])|list|last|upper }}{% endblock %}",
    "{% extends 'looking.html' %}{% block b %}{{ super() }}{% endblock %}",
    # joined text
    "{{ (title ~ 'a')[:3] }}", "{{ ([title]|join)[:3] }}", "{{ ((''|safe) + title)[:3] }}", "{{ (('%s'|safe) % title)[:3] }}", "{{ ('%s' % title)[:3] }}", "{{ ('{}'.format(title))[:3] }}", "{{ (texts ~ '')[2:5] }}",
    # what is known of a value
    "{{ title == 'Wasserlabor' }}", "{{ 'Wasser' in texts[:1] }}", "{{ title is iterable }}", "{{ title is sequence }}", "{{ title is sameas word }}", "{{ title is string }}", "{{ filled|float }}", "{{ filled|int }}",
    "{{ title is none }}", "{{ title is escaped }}", "{{ title|default('x', true) }}", "{% if title %}yes{% endif %}", "{{ 'yes' if title else 'no' }}", "{{ title|length }}", "{{ title|safe }}", "{{ title|e|length }}",
    "{% for x in title %}{{ x }}{% endfor %}", "{% autoescape false %}{{ title }}{% endautoescape %}",  "{{ title|replace('W', 'w') }}", "{{ title|trim }}",
    "{{ 'abc'[filled] is defined }}", "{{ title.upper is defined }}", "{{ title.name is defined }}", "{{ title._marked is defined }}", "{{ 'Wasser'.__eq__(title) }}", "{{ 'Wasser'['__eq__'](title) }}", "{{ ('Wasser'|attr('__eq__'))(title) }}",
    "{{ {'Wasserlabor': 1}[title] is defined }}", "{{ texts|select('string')|list|length }}", "{{ links|selectattr('title', 'string')|list|length }}", "{{ texts|map('length')|list }}", "{{ texts|sort|join }}", "{{ [title]|unique|list|length }}",
    # a slot of the template's own
    "{% call '{}'.format('\\x00title\\x00') %}{% endcall %}", "{{ '\\x00title\\x00' }}", "{% filter replace('x', '\\x00') %}xtitlex{% endfilter %}",
    "{% extends 'forging.html' %}{% block b %}{{ super() }}{% endblock %}",
    # characters that no page may hold
    "{{ title }}{{ '\\x0b' }}", "{{ title }}{{ '\\ud800' }}", "{% macro m() %}{% include 'part.html' without context %}{% endmacro %}{{ m() }}",
]  # fmt: skip


AROUND = {
    "parent.html": "{% block b %}{{ title }}{% endblock %}|{% block c %}{{ filled }}{% block d %}{{ title }}{% endblock %}{% endblock %}",
    "looking.html": "{% block b %}{% set v %}{{ title }}{% endset %}{{ v }}{% if 'Wasser' in v %}yes{% endif %}{% endblock %}",
    "forging.html": "{% block b %}{% call '{}'.format('\\x00title\\x00') %}{% endcall %}{% endblock %}",
    "part.html": "{{ title }}",
    "lib.html": "{% macro shout(x) %}{{ x|upper }}{% endmacro %}",
}


@pytest.mark.parametrize("page", FRAMED)
def test_a_template_that_only_outputs_values_is_a_frame(page):
    assert check(AROUND | {"page.html": page})


@pytest.mark.parametrize("page", LOOKING)
def test_a_template_that_looks_into_a_value_is_rendered_in_full(page):
    assert not check(AROUND | {"page.html": page})
