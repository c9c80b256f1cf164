"""Find probable mistakes in a project's templates: misspelt names and blocks, blocked content."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.meta import find_referenced_templates

from labgen.api.sections import ENDPOINTS, PER_LABORATORY
from labgen.problems.hints import closest, did_you_mean
from labgen.problems.problem import Place, Problem, Span
from labgen.problems.text import say
from labgen.render.content_policy import Tag, blocked, blocked_in_styles, policy_in, tags_in
from labgen.render.environment import PageEnvironment
from labgen.render.template_loader import BUILT_IN, TemplateFailedError

PAGES = (
    "page.html", "laboratory.html", "country.html", "index.html", "reference.html", "404.html", "search.html",
    "search-list.html",
)  # fmt: skip
"""The templates of whole pages."""
VIEWS = ("view-facet.html", *(f"view-{one.name}.html" for one in PER_LABORATORY))
"""The templates of what people see of documents."""
PARTS = {
    "laboratory.html": (*VIEWS, "section.html", "group.html", "contents-entry.html"),
    "country.html": ("town.html", "card.html"),
    "search-list.html": ("search-entry.html",),
}
"""The templates that are rendered separately and become a part of a page, by the page's template."""
NAMES = tuple(dict.fromkeys((*PAGES, *(name for some in PARTS.values() for name in some))))


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
    problems += _unused_blocks(read)
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
            say("browsers block `{shown}`: the page's policy says `{rule}`", shown=one.shown, rule=one.rule),
            Place(file, span=Span(one.line, 1, 1)),
            say("put the file into templates/static/, or change the policy in templates/frame.html"),
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
    others = ("frame.html", "search-field.html")
    known = tuple(name.removesuffix(".html") for name in (*NAMES, *others))
    is_open = any(None in template.refers_to for template in read.values())
    for name in files:
        near = closest(name.partition(".")[0], known)
        hint = say("did you mean `{near}.html`?", near=near) if near else ""
        if name in read or not (hint or name.endswith(".html")) or (is_open and not hint):
            continue
        if any(name == f"view-{one.name}.html" for one in ENDPOINTS):
            hint = say("public pages are made of the documents of laboratories")
        message, place = say("no page uses `templates/{name}`", name=name), Place(f"templates/{name}")
        yield Problem("unused-template", message, place, hint, "warning")


def _unused_blocks(read: Mapping[str, _Template]) -> Iterator[Problem]:
    """Yield warnings of blocks in a project's templates that no page shows."""
    chains = [[read[name], *_above(read[name], read)] for name in _rendered(read)]
    shown = {block for chain in chains for block in _shown_blocks(chain)}
    told: set[str] = set()
    for chain in chains:
        for place, template in enumerate(chain[:-1]):
            if template.is_own and template.name not in told:
                told.add(template.name)
                hidden = _outermost(template.tree, {block for name, block in shown if name == template.name})
                yield from (_unused_block(block, chain, place) for block in hidden)


def _rendered(read: Mapping[str, _Template]) -> list[str]:
    """Return the templates that pages render, but for those that are only extended."""
    included = {name for one in read.values() for name in _included(one)}
    return sorted(read if None in included else {*NAMES, *filter(None, included)} & read.keys())


def _included(template: _Template) -> list[str | None]:
    """Return the templates that a template includes or imports; None for one that is not known."""
    names = list(template.refers_to)
    if extends := _extends(template):
        names.remove(extends.template.value if isinstance(extends.template, nodes.Const) else None)
    return names


def _shown_blocks(chain: Sequence[_Template]) -> set[tuple[str, str]]:
    """Return the blocks that a page shows, each with the name of its template.

    `chain` has the template of the page, and those that it extends, the nearest first. The last one begins;
    each block is the one of the first template that has it, and of the next one where that calls `super()`.
    All are shown, for what is known, if the last one extends one that is not known.
    """
    if _extends(chain[-1]):
        return {(one.name, block.name) for one in chain for block in one.tree.find_all(nodes.Block)}
    defined = [{one.name: one for one in template.tree.find_all(nodes.Block)} for template in chain]
    found: set[tuple[str, str]] = set()

    def enter(name: str, level: int = 0) -> None:
        at = next((one for one in range(level, len(chain)) if name in defined[one]), None)
        if at is not None and (key := (chain[at].name, name)) not in found:
            found.add(key)
            visit(defined[at][name], name, at)

    def visit(node: nodes.Node, inside: str, level: int) -> None:
        for child in node.iter_child_nodes():
            match child:
                case nodes.Block():
                    enter(child.name)
                case nodes.Name(name="super"):
                    enter(inside, level + 1)
                case nodes.Getattr(node=nodes.Name(name="super"), attr="super"):
                    enter(inside, level + 2)
                case _:
                    visit(child, inside, level)

    visit(chain[-1].tree, "", len(chain))
    for name in _called(chain):
        enter(name)
    return found


def _called(templates: Iterable[_Template]) -> Iterator[str]:
    """Yield the blocks that templates call as `self.name()`."""
    for template in templates:
        for one in template.tree.find_all(nodes.Getattr):
            if isinstance(one.node, nodes.Name) and one.node.name == "self":
                yield one.attr


def _unused_block(block: nodes.Block, chain: Sequence[_Template], place: int) -> Problem:
    """Return the warning of a block that is not shown, with the reason."""
    template, above = chain[place], chain[place + 1 :]
    known = {name for _, name in _shown_blocks(above)}
    if block.name not in known:
        reason, hint = (
            say("`{name}` shows none of that name", name=above[0].name),
            did_you_mean(block.name, sorted(known)),
        )
    elif place:
        reason, hint = (
            say("all that extend `{name}` have their own", name=template.name),
            say("write it into their templates"),
        )
    else:
        reason, hint = (
            say("the block around it is replaced"),
            say("move it there, or write {{ super() }} there"),
        )
    message = say("the block `{name}` is not shown: {reason}", name=block.name, reason=reason)
    return Problem("unused-block", message, template.place(block.lineno), hint, "warning")


def _above(template: _Template, read: Mapping[str, _Template]) -> list[_Template]:
    """Return the parent templates of a template, the nearest first, as far as they are known."""
    found: list[_Template] = []
    while extends := _extends((found or [template])[-1]):
        name = extends.template.value if isinstance(extends.template, nodes.Const) else ""
        if name not in read or read[name] in (template, *found):
            break
        found.append(read[name])
    return found


def _outermost(node: nodes.Node, shown: Collection[str]) -> Iterator[nodes.Block]:
    """Yield the blocks that are not shown, but for those inside another one."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Block) and child.name not in shown:
            yield child
        else:
            yield from _outermost(child, shown)


def _extends(template: _Template) -> nodes.Extends | None:
    return template.tree.find(nodes.Extends)


def _blocked(templates: list[_Template]) -> Iterator[Problem]:
    """Yield warnings of content that the policy of a page forbids, in the templates of the page."""
    policy = next(filter(None, (policy_in(one.tags) for one in templates)), None)
    for template in templates:
        if not (policy and template.is_own):
            continue
        for one in blocked(template.tags, policy):
            message = say(
                "browsers block `{shown}`: the page's policy says `{rule}`", shown=one.shown, rule=one.rule
            )
            yield Problem("blocked-content", message, template.place(one.line), _INSTEAD, "warning")


_INSTEAD = say(
    "put it into a file in templates/static/, whose address is "
    '`site.static("name")`, or change the policy in templates/frame.html'
)
