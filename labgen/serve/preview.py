"""Rebuild a project when it changes, and answer requests from the last site without errors."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import NamedTuple, TypeVar

from labgen.contract.http_contract import PAGE_TYPE
from labgen.model.settings import SiteRecord
from labgen.model.site_paths import STATE
from labgen.output.errors import OutputError
from labgen.pipeline.build import build
from labgen.pipeline.build_options import Options
from labgen.pipeline.result import Outcome
from labgen.problems.text import plural, say, text_of
from labgen.serve.answer import Answer, Site
from labgen.source.languages import load_language
from labgen.source.read_settings import load_settings
from labgen.system.input_files import find_inputs
from labgen.system.interruption import is_interrupted, raise_pending

Changed = TypeVar("Changed")

OWN = "/.labgen/"
"""The beginning of the paths that the preview itself answers, beside the site."""
NOT_FOUND = 404
INTERVAL = 0.5
"""Seconds between two scans of the project, if watchfiles is not installed."""

_RELOAD = """\
(() => {
  const own = document.currentScript;
  const seen = own.dataset.version;
  const look = () => {
    const script = document.createElement("script");
    script.src = "/.labgen/version.js?" + Date.now();
    script.onload = () => { script.remove(); setTimeout(look, 700); };
    script.onerror = () => { script.remove(); setTimeout(look, 2000); };
    window.labgenVersion = version => { if (version !== seen) location.reload(); };
    document.head.append(script);
  };
  setTimeout(look, 700);
})();
"""


_STYLE = """\
.labgen-problems {
  position: fixed; inset: 0 0 auto 0; z-index: 2147483647; max-height: 60vh; overflow: auto;
  margin: 0; padding: 0.75rem 1rem; background: #7f1d1d; color: #fff; font: 1rem/1.4 sans-serif;
  box-shadow: 0 0.25rem 1rem #0008;
}
.labgen-problems summary { font-weight: bold; color: inherit; cursor: pointer; }
.labgen-problems pre {
  margin: 0.5rem 0 0; padding: 0; border: 0; background: none; color: inherit;
  font: 0.875rem/1.4 monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
@media print { .labgen-problems { display: none; } }
"""


class Trouble(NamedTuple):
    """The problems that prevent a newer site: in a few words, and in full."""

    summary: str
    text: str


@dataclass(slots=True)
class Preview:
    """The state of the preview: the last good site, and the problems that prevent a newer one.

    `render` returns the problems of a build as plain text.
    """

    root: Path
    jobs: int
    render: Callable[[Outcome], str]
    version: int = 0
    trouble: Trouble | None = None
    site: Site = field(init=False)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.site = Site(self.out)

    @property
    def out(self) -> Path:
        """The folder of the previewed site; out/ is not touched."""
        return self.root / STATE / "preview"

    def build(self) -> Outcome:
        """Build the project as it is now, and show the new site or the problems. Raises `OutputError`."""
        options = Options(jobs=self.jobs, are_removals_allowed=True, are_changes_allowed=True)
        try:
            outcome = build(self.root, self.out, options)
        except OutputError as error:
            with self.lock:
                self.trouble, self.version = Trouble("1 error", text_of(error)), self.version + 1
            raise
        settings, _ = load_settings(self.root.resolve() / "data")
        with self.lock:
            if outcome.written is None:
                self.trouble = Trouble(plural(outcome.errors, "error"), self.render(outcome))
            else:
                self.trouble = None
                self.site = self._site_of(settings) if settings else self.site
            self.version += 1
        return outcome

    def _site_of(self, settings: SiteRecord) -> Site:
        language, _ = load_language(self.root.resolve(), settings.language)
        refusal = language.words["this_method_not_allowed"] if language else ""
        return Site(self.out, settings.base_path, refusal, settings.document_folders)

    def respond(self, method: str, target: str, fields: Mapping[str, str]) -> Answer:
        """Return the response to a request; a page that a browser shows reloads itself."""
        with self.lock:
            site, trouble, version = self.site, self.trouble, self.version
        if target.startswith(OWN):
            return _own(target, version)
        answer = site.answer(method, target, fields)
        if fields.get("sec-fetch-dest") != "document":
            return answer
        if trouble and answer.status == NOT_FOUND:
            answer = Answer(NOT_FOUND, (("Content-Type", PAGE_TYPE),), _EMPTY)
        if not _is_page(answer):
            return answer
        shown = (
            say("nothing was built yet")
            if answer.body == _EMPTY
            else say("this is the last site without an error")
        )
        page = _troubled(answer.body, trouble, shown) if trouble else answer.body
        return answer._replace(body=_watched(page, version), fields=_unkept(answer))


def _is_page(answer: Answer) -> bool:
    return any(name == "Content-Type" and value.startswith("text/html") for name, value in answer.fields)


def _unkept(answer: Answer) -> tuple[tuple[str, str], ...]:
    """Return the header fields of a response, changed so that browsers do not store it."""
    fields = [one for one in answer.fields if one[0] not in ("ETag", "Cache-Control")]
    return (*fields, ("Cache-Control", "no-store"))


def _own(target: str, version: int) -> Answer:
    script = (("Content-Type", "text/javascript; charset=utf-8"), ("Cache-Control", "no-store"))
    if target.startswith(f"{OWN}version.js"):
        return Answer(200, script, b'labgenVersion("%d")' % version)
    if target == f"{OWN}reload.js":
        return Answer(200, script, _RELOAD.encode())
    if target == f"{OWN}preview.css":
        style = (("Content-Type", "text/css; charset=utf-8"), ("Cache-Control", "no-store"))
        return Answer(200, style, _STYLE.encode())
    return Answer(404, (("Content-Type", "application/json"),), b"{}")


_EMPTY = b"<!doctype html><html><head><title>labgen</title></head><body></body></html>"
"""An empty page, which shows the problems in place of a missing page."""


def _troubled(page: bytes, trouble: Trouble, shown: str) -> bytes:
    """Return a page with the problems in its title and at its top; `shown` tells users what they see."""
    title = escape(f"{trouble.summary} – ").encode()
    summary, text = (
        escape(say("{summary}: {shown}", summary=trouble.summary, shown=shown)),
        escape(trouble.text),
    )
    inner = f"<details open><summary>{summary}</summary><pre>{text}</pre></details>"
    box = f'<div class="labgen-problems" role="alert">{inner}</div>'.encode()
    style = f'<link rel="stylesheet" href="{OWN}preview.css">'.encode()
    page = re.sub(rb"<title>", lambda found: found[0] + title, page, count=1)
    page = page.replace(b"</head>", style + b"</head>", 1)
    return re.sub(rb"<body[^>]*>", lambda found: found[0] + box, page, count=1)


def _watched(page: bytes, version: int) -> bytes:
    """Return a page that reloads itself when the site changes."""
    script = f'<script src="{OWN}reload.js" data-version="{version}"></script>'
    return page.replace(b"</body>", script.encode() + b"</body>", 1)


def changes(root: Path, is_over: threading.Event) -> Iterator[None]:
    """Yield whenever a file of the project changes, found by watchfiles or, without it, by polling."""
    try:
        from watchfiles import watch
    except ImportError:
        yield from _found(root, is_over)
        return
    while not is_over.is_set():
        folders = _watched_folders(root)
        told = watch(*folders, stop_event=is_over, rust_timeout=1000, yield_on_timeout=True)
        for changed in _until_interrupted(told):
            has_other_folders = _watched_folders(root) != folders
            if changed or has_other_folders:
                yield
            if has_other_folders:
                break


def _until_interrupted(told: Iterator[Changed]) -> Iterator[Changed]:
    """Yield the reported changes; watchfiles turns an `Interruption` into a KeyboardInterrupt."""
    try:
        yield from told
    except KeyboardInterrupt:
        if is_interrupted():
            raise_pending()
        raise


def _watched_folders(root: Path) -> list[Path]:
    return [folder for folder in (root / "data", root / "templates") if folder.is_dir()]


def _found(root: Path, is_over: threading.Event) -> Iterator[None]:
    before = find_inputs(root).everything
    while not is_over.wait(INTERVAL):
        now = find_inputs(root).everything
        if now != before:
            before = now
            yield
