"""Check that symbolic links in templates/ stay within the project."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from labgen.formats.read_files import BEHIND_LINKS, NO_LINK
from labgen.model.site_paths import visible_name
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say
from labgen.system.input_files import PROJECT, TEMPLATES, is_inside

Links = Mapping[str, str]
"""The targets of symbolic links by their names; both are relative to the project's folder."""


def check_template_links(root: Path, links: Links) -> list[Problem]:
    """Report unusable symbolic links in templates/; if a link leaves the project, no template may be read."""
    own = {name: target for name, target in sorted(links.items()) if name.split("/")[0] == TEMPLATES}
    return [*_outside(own), *_behind_others(root, own)]


def _outside(links: Links) -> Iterator[Problem]:
    for name, target in links.items():
        if not is_inside(target, PROJECT):
            file = visible_name(name)
            message = say(
                "`{file}` is a symbolic link that leaves the project, or leads to what is hidden in it",
                file=file,
            )
            yield Problem("outside-project", message, Place(file), say("put the file itself into templates/"))


def _behind_others(root: Path, links: Links) -> Iterator[Problem]:
    """Report folders reached through several symbolic links: changes in them would not be noticed."""
    behind = {
        name for name in links if any(name.startswith(f"{other}/") for other in links if other != TEMPLATES)
    }
    seen = {links.get(TEMPLATES, TEMPLATES), *(links[name] for name in links.keys() - behind)}
    for name in sorted(behind):
        is_seen = any(f"{links[name]}/".startswith(f"{folder}/") for folder in seen)
        if not is_seen and (root / name).is_dir() and is_inside(links[name], PROJECT):
            file = visible_name(name)
            yield Problem(
                "unreadable-file",
                say("`{file}` {behind_links}", file=file, behind_links=BEHIND_LINKS),
                Place(file),
                NO_LINK,
            )
