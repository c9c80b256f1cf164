"""Debian's browsers, driven by Playwright: Chromium by its own protocol, Firefox by WebDriver BiDi.

Whatever a browser has to complain about (a message on the console, an error that nobody caught, a dialog, a
request that failed) fails the test that opened the page.
"""

import importlib.resources
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from servers import served

from labgen.serve.answer import Answer, Site

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

expect = playwright.expect
expect.set_options(timeout=60_000)  # of milliseconds: a machine with other work is slow, not wrong

PROGRAMS = {"chromium": ("chromium",), "firefox": ("firefox-esr", "firefox")}
"""The names under which systems have the browsers."""

STRICT = ("Content-Security-Policy", "require-trusted-types-for 'script'")
"""A header field that hosts may send: no text becomes markup by script."""
FORGET = "() => { if (location.protocol === 'http:') { localStorage.clear(); sessionStorage.clear(); } }"


class Window:
    """Opens pages in one browser, and remembers what it complains about."""

    def __init__(self, started: Any, name: str) -> None:
        self.name = name
        self.started = started
        self.browsers: dict[str, Any] = {}
        self.contexts: list[Any] = []
        self.visited: dict[bool, Any] = {}
        self.complaints: list[str] = []

    def open(self, address: str, *, has_script: bool = True, scheme: str = "light", **options: Any) -> Any:
        """Return a page, in a context of its own."""
        page = self._page(scheme, has_script=has_script, **options)
        self.contexts.append(page.context)
        page.goto(address)
        return page

    def visit(self, address: str, *, has_script: bool = True, width: int = 1280, height: int = 720) -> Any:
        """Return the page of all visits, as a new one would be: but it shares its context and cache with other tests."""
        if has_script not in self.visited:
            self.visited[has_script] = self._page("light", has_script=has_script)
        page = self.visited[has_script]
        if has_script:
            page.evaluate(FORGET)
        page.bring_to_front()  # in which keys are pressed
        page.goto("about:blank")  # else nothing is loaded where addresses differ behind # alone
        page.mouse.move(0, 0)
        page.set_viewport_size({"width": width, "height": height})
        if address != page.url:
            page.goto(address)
        return page

    def _page(self, scheme: str, *, has_script: bool, **options: Any) -> Any:
        context = self._browser(scheme).new_context(
            **options, **self._context_options(scheme, has_script=has_script)
        )
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"a dialog: {dialog.message}"))
        page.on("requestfailed", self._failed)
        if not has_script and self.name == "firefox":  # the protocol cannot turn scripts off
            page.route("**/*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
        return page

    def _failed(self, request: Any) -> None:
        if request.failure not in ("net::ERR_ABORTED", "NS_BINDING_ABORTED"):  # that is: the reader went on
            self.complaints.append(f"{request.url}: {request.failure}")

    def _context_options(self, scheme: str, *, has_script: bool) -> dict[str, Any]:
        if self.name == "firefox":
            return {}
        clipboard = ["clipboard-read", "clipboard-write"]
        return {"color_scheme": scheme, "java_script_enabled": has_script, "permissions": clipboard}

    def _browser(self, scheme: str) -> Any:
        """Return the browser; Firefox has one for each scheme, because only its settings say which."""
        key = scheme if self.name == "firefox" else ""
        if key not in self.browsers:
            self.browsers[key] = self._launch(scheme)
        return self.browsers[key]

    def _launch(self, scheme: str) -> Any:
        program = program_of(self.name)
        if self.name == "chromium":
            return self.started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        settings = {
            "ui.systemUsesDarkTheme": int(scheme == "dark"),
            "dom.events.testing.asyncClipboard": True,
        }
        return self.started.firefox.launch(
            channel="moz-firefox", executable_path=program, firefox_user_prefs=settings
        )

    def close_pages(self) -> None:
        """Close all pages."""
        while self.contexts:
            self.contexts.pop().close()
        if dark := self.browsers.pop("dark", None):
            dark.close()

    def rest(self) -> None:
        """Leave the page of all visits: also a page that nobody looks at takes time."""
        for page in self.visited.values():
            page.goto("about:blank")

    def close(self) -> None:
        """End the browser."""
        for browser in self.browsers.values():
            browser.close()


def program_of(name: str) -> str:
    """Return where a browser is; skip the test where it is not, or fail where all browsers must be."""
    found = next(filter(None, map(shutil.which, PROGRAMS[name])), None)
    return found or missing(f"{name} is not installed")


def missing(message: str) -> NoReturn:
    """Skip the test, or fail where all browsers must be: `.ci/run` sets LABGEN_ALL_BROWSERS."""
    if os.environ.get("LABGEN_ALL_BROWSERS"):
        pytest.fail(message)
    pytest.skip(message)


class Windows(dict[str, Window]):
    """The window of each browser, which is started when the first page is opened in it."""

    def __init__(self, started: Any) -> None:
        self.started = started

    def __missing__(self, name: str) -> Window:
        program_of(name)
        self[name] = Window(self.started, name)
        return self[name]


@contextmanager
def all_windows() -> Iterator[Windows]:
    """Give the windows of all browsers, which end with the block."""
    with playwright.sync_playwright() as started:
        windows = Windows(started)
        try:
            yield windows
        finally:
            for window in windows.values():
                window.close()


@contextmanager
def serving(out: Path, change: Callable[[Answer], Answer] = lambda answer: answer) -> Iterator[str]:
    """Serve a built site as a full host would, under the strictest policy for scripts; give its address.

    No two sites have the same, because browsers keep what they have loaded from it.
    """
    site = Site(out)

    def respond(method: str, target: str, fields: Mapping[str, str]) -> Answer:
        if target == "/favicon.ico":  # browsers ask for it beside what is no page
            return Answer(204, ())
        answer = change(site.answer(method, target, fields))
        return answer._replace(fields=(*answer.fields, STRICT))

    with served(respond, NEXT_PORT[0]) as address:
        NEXT_PORT[0] = int(address.rpartition(":")[2]) + 1
        yield address


NEXT_PORT = [18600]


def block_of(page: Any) -> Any:
    return json.loads(page.locator("#json").evaluate("block => block.textContent"))


def document_of(page: Any) -> Any:
    """Return what lies beside the page."""
    return page.context.request.get(re.sub(r"api\.html.*", "index.json", page.url)).json()


def complaints_of_axe(page: Any, window: Window) -> list[tuple[str, str]]:
    """Return the rules that a page breaks, and where, on a telephone and on a screen, where it is left.

    In the dark scheme, which Chromium changes to at once, just these rules on colours can have another result.
    """
    page.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = []
    for width, height in ((390, 844), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        found += page.evaluate(AXE, {"rules": {"target-size": {"enabled": True}}})
    if window.name == "chromium":
        page.emulate_media(color_scheme="dark")
        found += page.evaluate(AXE, {"runOnly": ["color-contrast", "link-in-text-block"]})
        page.emulate_media(color_scheme="light")
    return [(one["id"], one["nodes"][0]["html"]) for one in found]


AXE = """async options => {
  const found = await axe.run(document, { resultTypes: ["violations"], preload: false, ...options });
  return found.violations;
}"""
"""Without `preload`, which loads the styles of other hosts: pages have none."""


def too_narrow_windows(page: Any) -> list[int]:
    """Return the windows, from telephones to screens, in one with text of twice the size, that a page is wider than."""
    exceeded = []
    for width, text in ((320, 100), (768, 100), (1440, 100), (360, 200)):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("size => { document.documentElement.style.fontSize = size; }", f"{text}%")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            exceeded.append(width)
    return exceeded


OBSERVE_SHIFTS = """() => { window.moved = 0; new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true }); }"""
"""Adds up how far things move that nobody moved, in Chromium: `window.moved`."""


def wait_until(page: Any, is_so: str, argument: Any = None) -> None:
    """Ask a page again and again, until a function says so; Playwright's own way is no trusted type."""
    for _ in range(200):
        if page.evaluate(is_so, argument):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never so: {is_so}")
