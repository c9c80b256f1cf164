"""Find probable mistakes in a project's templates: misspelt names and blocks, blocked content."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.meta import find_referenced_templates

from labgen.api.endpoint import row_fields
from labgen.api.sections import ENDPOINTS
from labgen.problems.hints import closest, did_you_mean
from labgen.problems.problem import Place, Problem, Span
from labgen.render.content_policy import Tag, blocked, blocked_in_styles, policy_in, tags_in
from labgen.render.environment import PageEnvironment
from labgen.render.template_loader import BUILT_IN, TemplateFailedError

PAGES = ("page.html", "index.html", "reference.html", "404.html", "search.html", "search-list.html")
"""The templates of whole pages."""
VIEWS = tuple(f"view-{one.name}.html" for one in ENDPOINTS if not row_fields(one.document))
"""The templates of views for people, which are a part of `page.html`."""
PARTS = {"page.html": VIEWS, "search-list.html": ("search-entry.html",)}
"""The templates that are rendered separately and become a part of a page, by the page's template."""
NAMES = (*PAGES, *VIEWS, *PARTS["search-list.html"])


class _Template(NamedTuple):
    """A parsed template: its file in the project, and the names that it refers to (None: not known)."""

    name: str
    file: str
    tree: nodes.Template
    tags: list[Tag]
    refers_to: tuple[str | None, ...]

    @property
    def is_own(self) -> bool:
        return not self.file.startswith(f"{BUILT_IN}/")

    def place(self, line: int) -> Place:
        return Place(self.file, span=Span(line, 1, 1))


def check_own_templates(pages: PageEnvironment, files: Collection[str]) -> list[Problem]:
    """Return warnings of probable mistakes in a project's own templates; `files` are those in templates/."""
    if not files:
        return []
    read = _read(pages, NAMES)
    problems = [*_unused(files, read)]
    for template in read.values():
        problems += _unknown_blocks(template, read) if template.is_own else ()
    for page in PAGES:
        problems += _blocked(_reached((page, *PARTS.get(page, ())), read))
    return list(dict.fromkeys(problems))


def check_own_styles(pages: PageEnvironment, styles: Mapping[str, str]) -> list[Problem]:
    """Return warnings of what the Content-Security-Policy blocks in a project's stylesheets, by file."""
    read = _read(pages, PAGES[:1]) if styles else {}
    policy = next(filter(None, (policy_in(one.tags) for one in read.values())), {})
    return [
        Problem(
            "blocked-content",
            f"browsers block `{one.shown}`: the page's policy says `{one.rule}`",
            Place(file, span=Span(one.line, 1, 1)),
            "put the file into templates/static/, or change the policy in templates/frame.html",
            "warning",
        )
        for file, text in styles.items()
        for one in blocked_in_styles(text, policy)
    ]


def _read(pages: PageEnvironment, names: Iterable[str]) -> dict[str, _Template]:
    """Return the existing templates with these names, and all that they refer to."""
    found: dict[str, _Template] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        try:
            source, file, _ = pages.loader.get_source(pages, name)
            found[name] = _parse(name, pages.loader.file_name(file), source)
        except (jinja2.TemplateError, TemplateFailedError, RecursionError):
            continue  # reported where it is rendered
        pending += [one for one in found[name].refers_to if one and one not in found]
    return found


@lru_cache(maxsize=128)
def _parse(name: str, file: str, source: str) -> _Template:
    """Parse a template; cached, because the preview checks all of them after each edit.

    Raises `TemplateSyntaxError` and `RecursionError`.
    """
    tree = _SYNTAX.parse(source, name, file)
    return _Template(name, file, tree, tags_in(_SYNTAX, source), tuple(find_referenced_templates(tree)))


_SYNTAX = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
"""Parses templates in the syntax of `PageEnvironment`, and renders nothing."""


def _reached(names: Iterable[str], read: Mapping[str, _Template]) -> list[_Template]:
    """Return these templates and all that they refer to."""
    found: dict[str, _Template] = {}
    pending = [*names]
    while pending:
        name = pending.pop()
        if name in read and name not in found:
            found[name] = read[name]
            pending += [one for one in read[name].refers_to if one]
    return list(found.values())


def _unused(files: Iterable[str], read: Mapping[str, _Template]) -> Iterator[Problem]:
    """Yield warnings of files that no page uses."""
    others = ("frame.html", "card.html", "search-field.html")
    known = tuple(name.removesuffix(".html") for name in (*NAMES, *others))
    is_open = any(None in template.refers_to for template in read.values())
    for name in files:
        near = closest(name.partition(".")[0], known)
        hint = f"did you mean `{near}.html`?" if near else ""
        if name in read or not (hint or name.endswith(".html")) or (is_open and not hint):
            continue
        if any(name == f"view-{one.name}.html" for one in ENDPOINTS):
            hint = "the entries of this section are shown as a table, which `page.html` makes"
        message, place = f"no page uses `templates/{name}`", Place(f"templates/{name}")
        yield Problem("unused-template", message, place, hint, "warning")


def _unknown_blocks(template: _Template, read: Mapping[str, _Template]) -> Iterator[Problem]:
    """Yield warnings of blocks that are not shown, because no parent template has a block of that name."""
    above = _above(template, read)
    if not above:
        return
    known = {block.name for one in above for block in one.tree.find_all(nodes.Block)}
    called = {
        one.attr
        for each in (template, *above)
        for one in each.tree.find_all(nodes.Getattr)
        if _is_self(one.node)
    }
    for block in _outermost(template.tree):
        if block.name not in known | called:
            message = f"the block `{block.name}` is not shown: `{above[0].name}` has none of that name"
            hint = did_you_mean(block.name, sorted(known))
            yield Problem("unknown-block", message, template.place(block.lineno), hint, "warning")


def _above(template: _Template, read: Mapping[str, _Template]) -> list[_Template]:
    """Return the parent templates of a template, the nearest first; empty if they are not known."""
    found: list[_Template] = []
    while extends := (found or [template])[-1].tree.find(nodes.Extends):
        name = extends.template.value if isinstance(extends.template, nodes.Const) else ""
        if name not in read or read[name] in (template, *found):
            return []
        found.append(read[name])
    return found


def _outermost(node: nodes.Node) -> Iterator[nodes.Block]:
    """Yield the blocks that are not inside another block."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Block):
            yield child
        else:
            yield from _outermost(child)


def _is_self(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "self"


def _blocked(templates: list[_Template]) -> Iterator[Problem]:
    """Yield warnings of content that the policy of a page forbids, in the templates of the page."""
    policy = next(filter(None, (policy_in(one.tags) for one in templates)), None)
    for template in templates:
        if not (policy and template.is_own):
            continue
        for one in blocked(template.tags, policy):
            message = f"browsers block `{one.shown}`: the page's policy says `{one.rule}`"
            yield Problem("blocked-content", message, template.place(one.line), _INSTEAD, "warning")


_INSTEAD = (
    'put it into a file in templates/static/, whose address is `site.static("name")`, '
    "or change the policy in templates/frame.html"
)
