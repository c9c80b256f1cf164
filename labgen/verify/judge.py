"""Diagnose the wrong responses of a host: a file not deployed, a stale file, a wrong configuration."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import SplitResult, unquote

from labgen.contract.content_codings import BrokenCodingError, Content, content_of
from labgen.contract.http_answers import (
    MOST_DECODED,
    STALE,
    Aspect,
    Difference,
    Received,
    body_of,
    changed_fields,
    differences,
)
from labgen.contract.http_contract import (
    DIGEST_FOLDERS,
    EMBEDDED,
    ETAG,
    NOT_FOUND,
    NOT_MODIFIED,
    OK,
    PAGE_TYPE,
    REDIRECTS,
    Expected,
    Level,
    Row,
)
from labgen.fetch.urls import without_credentials
from labgen.hosts.profile import TO_SERVER, Profile
from labgen.model.site_paths import JSON_FILE, file_of, folder_of
from labgen.output.errors import OutputError
from labgen.output.file_lists import BuiltSite
from labgen.output.published_record import CODINGS
from labgen.problems.text import joined, say, term, text_of
from labgen.system.input_files import chunks_of, read_bytes
from labgen.verify.changed_on_the_way import change_of
from labgen.verify.checks import Check, Fault
from labgen.verify.descriptions import can_read, hint_for_html, is_html, is_json, is_listing, summary_of
from labgen.verify.listed_files import host_files, is_front
from labgen.verify.policies import blocked_parts, is_hidden, is_saved, passed_through, wrong_freshness
from labgen.verify.remedies import REMEDIES, code_of, help_for, lines_with, topic_of
from labgen.verify.subjects import subject_of
from labgen.verify.try_asks import Tried

NOT_THERE = frozenset({403, 404, 410})
READING = ("GET", "HEAD")
SERVER_ERROR = 500
NOT_IMPLEMENTED = 501
"""The status with which some servers refuse unknown methods."""
REFUSING = NOT_THERE | {401, 405, 406, NOT_IMPLEMENTED}
MILD = frozenset({"hidden-from-search"})
"""Codes of faults with which a check is a `Level.SHOULD`: hosts may mean it so, as for a preview."""
SERIOUS = REMEDIES.keys() - MILD
"""Codes of faults with which a check is a `Level.MUST`, whatever the level of its row."""
UNEXCUSED = REMEDIES.keys() - {"content-type", "head-length"}
"""Codes of faults that are never excused, because no kind of host is known to have them."""
OF_LABGEN = re.compile(rb"""href=["']?[^"'>]*static/[\w-]+\.[0-9a-f]{12}\.css""")
"""The styles of a page that labgen made; listings of folders have none."""
BY_NAME = frozenset(
    {
        "json-file",
        "page-file",
        "file",
        "immutable",
        "openapi",
        "modified-file",
        "file-is-not-another-unmodified",
    }
)
"""Rows that request a file by its name."""


@dataclass(slots=True)
class Judge:
    """Checks responses one by one, and diagnoses the faults of each.

    Files are requested by name first: `lost` are the files that the host does not have, and their targets,
    `stale` those of which it has other bytes, `changed` those that something on the way changes. `answered`
    are the targets of GET that it has answered. `unread` counts the responses whose content coding no decoder
    is installed for.
    """

    out: Path
    built: BuiltSite
    url: SplitResult
    profile: Profile | None
    lost: set[str] = field(default_factory=set)
    stale: set[str] = field(default_factory=set)
    unread: Counter[str] = field(default_factory=Counter)
    changed: dict[str, str] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    texts: Mapping[str, str] = field(init=False)
    _compared: tuple[str, Content] | None = field(default=None, init=False)
    """The file that was compared last, which most rows of a response name, and its content."""

    def __post_init__(self) -> None:
        self.texts = _configuration(self.out, self.built, self.profile)

    def checks(self, tried: Tried) -> Iterator[Check]:
        """Yield the checks of all rows that a response tests; a fault is named once."""
        received = tried.received
        if received and not can_read(received):
            self.unread[received.coding] += 1
        if received and received.status in OK and tried.ask.request.method == "GET":
            self.answered.add(tried.ask.request.target)
        known: set[str] = set()
        for row in tried.ask.rows_for(received.status) if received else tried.ask.rows[:1]:
            found = [*self._faults(row, tried)]
            new = tuple(one for one in found if one.message not in known)
            known.update(one.message for one in new)
            if new or not found:
                yield self._check(row, tried, new)

    def _check(self, row: Row, tried: Tried, faults: tuple[Fault, ...]) -> Check:
        codes = {one.code for one in faults}
        level = Level.MUST if codes & SERIOUS else Level.SHOULD if codes and codes <= MILD else row.level
        kept = tuple(one for one in faults if not self._is_excused(row, one))
        sent = summary_of(tried.received or tried.first) if faults else ""
        return Check(
            row.name,
            level,
            subject_of(row.request, is_repeated=row.first is not None),
            kept or faults,
            sent,
            is_excused=bool(faults and not kept),
        )

    def _is_excused(self, row: Row, fault: Fault) -> bool:
        """Return whether the host need not pass a row with a fault. Wrong deployments are never excused."""
        misses = self.profile.failed_rows if self.profile else frozenset()
        of_paths = fault.code == "json" and "json" in misses
        is_free = row.level is Level.OPTIONAL or row.name in misses or of_paths
        return is_free and fault.code not in UNEXCUSED

    def _faults(self, row: Row, tried: Tried) -> Iterator[Fault]:
        received = tried.received
        if tried.failure:
            code, text = tried.failure.code, text_of(tried.failure)
            yield self._fault(
                code, say("there is no answer: {text}", text=text) if code == "no-answer" else text
            )
        elif received is None:
            yield from self._of_first(row, tried.first)
        else:
            yield from self._of_answer(row, row.expected, received)
            if tried.first and row.expected.statuses == NOT_MODIFIED == {received.status}:
                for one in changed_fields(tried.first, received):
                    yield self._of_difference(row, one, received)

    def _of_first(self, row: Row, first: Received | None) -> Iterator[Fault]:
        """Yield the faults of an answer without the ETag that the second request needs."""
        if first:
            asked = replace(row, request=row.first or row.request)
            wanted = Expected(OK, fields=(ETAG,), codings=row.expected.codings)
            yield from self._of_answer(asked, wanted, first)

    def _of_answer(self, row: Row, expected: Expected, received: Received) -> Iterator[Fault]:
        if self._is_of_website(row, received) or self._is_no_list(row, received):
            return
        found = differences(expected, received, self._content(expected))
        is_other = any(one.aspect is Aspect.TYPE for one in found)
        for one in found:
            if not is_other or one.aspect in (Aspect.TYPE, Aspect.FIELD, Aspect.VARY_ENCODING, Aspect.ETAG):
                yield self._of_difference(row, one, received)
        if "set-cookie" in received.fields:
            name = received.fields["set-cookie"].partition("=")[0]
            yield self._fault("sends-cookie", say("it sets the cookie {name}", name=name))
        if received.status in (OK | NOT_FOUND) & expected.statuses and not is_other:
            yield from self._of_policies(expected, received)

    def _is_of_website(self, row: Row, received: Received) -> bool:
        """Return whether a website around the site answers what leads out of the site, with a page."""
        leads_out = bool(self.built.base_path) and row.name.startswith("refuse-up")
        return leads_out and received.status in OK and is_html(received)

    def _is_no_list(self, row: Row, received: Received) -> bool:
        """Return whether a website around the site answers with a page what names no file of the site."""
        is_asked = row.name == "hidden" or row.name.startswith("folder")
        is_page = is_asked and received.status in OK and is_html(received)
        return is_page and not self._lists(row.request.target, received)

    def _lists(self, target: str, received: Received) -> bool:
        """Return whether a page links to what lies in a folder of the site."""
        folder, body = unquote(target.removeprefix(f"{self.built.base_path}/")), body_of(received)
        inside = (name.removeprefix(folder) for name in self.built.files() if name.startswith(folder))
        names = {name.partition("/")[0] for name in inside}
        linked = re.findall(rb"""href\s*=\s*["']?([^"'>\s]+)""", body)
        found = {unquote(link.decode(errors="replace")).rstrip("/").rpartition("/")[2] for link in linked}
        return not names.isdisjoint(found) or is_listing(received)

    def _of_policies(self, expected: Expected, received: Received) -> Iterator[Fault]:
        may_change = expected.file and not expected.file.startswith(DIGEST_FOLDERS)
        if (may_change or received.status in NOT_FOUND) and (why := wrong_freshness(received.fields)):
            yield self._by_topic("caching", why, "Cache-Control")
        if expected.media_type == PAGE_TYPE and received.status in OK:
            body = body_of(received)  # empty if it cannot be decoded
            if body and is_hidden(received.fields) and b"noindex" not in body:
                text = say("its X-Robots-Tag hides it from search engines, and the page itself does not")
                yield self._fault("hidden-from-search", text)
            if is_saved(received.fields):
                text = say("it is saved to a file, not shown: its Content-Disposition is attachment")
                yield self._fault("blocked-page", text)
            host = without_credentials(self.url).netloc
            parts = blocked_parts(received.fields, self.url.scheme, host)
            if parts:
                text = say(
                    "its Content-Security-Policy forbids the page's own {parts}",
                    parts=joined(map(term, parts), by=", "),
                )
                yield self._fault("blocked-page", text)

    def _of_difference(self, row: Row, one: Difference, received: Received) -> Fault:
        match one.aspect:
            case Aspect.BODY if self._is_wrong_part(row):
                return self._fault("wrong-part", one.text)
            case Aspect.STATUS:
                return self._of_status(row, one.text, received)
            case Aspect.TYPE:
                return self._of_type(row, one.text, received)
            case Aspect.FIELD | Aspect.ETAG:
                return self._of_field(row, one, received)
            case Aspect.VARY_ENCODING:
                return self._without_vary(row, one, received)
            case Aspect.CODING:
                return self._by_topic("compression", one.text)
            case Aspect.LENGTH:
                return self._of_length(row, one.text)
            case Aspect.COPY if text := self._change(row, received):
                return self._fault("changed-on-the-way", text)
            case Aspect.COPY if row.expected.content not in self.stale:
                return self._fault("broken-copy", one.text)
            case _:
                return self._of_body(row, one.text, received)

    def _change(self, row: Row, received: Received) -> str:
        """Return how the file of a response was changed on the way, "" if it is another one, or large."""
        file, built = row.expected.file, self._content(row.expected)
        is_broken = isinstance(received.content, BrokenCodingError)
        if not (file and built and received.is_whole) or is_broken or built.size > MOST_DECODED:
            return ""
        if text := change_of(file, read_bytes(self.out / file), body_of(received)):
            self.changed[file] = text
        return text

    def _is_wrong_part(self, row: Row) -> bool:
        """Return whether a row asks for a part of a file that is right where all of it is asked for."""
        is_right = row.request.target in self.answered and row.expected.content not in self.stale
        return row.name == "part-of-file" and is_right and row.expected.content not in self.changed

    def _of_length(self, row: Row, text: str) -> Fault:
        if change := self.changed.get(row.expected.content):
            return self._fault("changed-on-the-way", change)
        if row.expected.content in self.stale:
            return self._fault("stale-file", STALE)
        return self._fault("head-length", text)

    def _of_body(self, row: Row, text: str, received: Received) -> Fault:
        file = row.expected.file
        if change := self._change(row, received):
            return self._fault("changed-on-the-way", change)
        if file and (row.name in BY_NAME or is_front(file)):
            self.stale.add(file)
        if file and (file in self.stale or is_front(file)):
            return self._fault("stale-file", STALE)
        if not file or row.expected.statuses != OK:
            return self._by_topic(topic_of(row, received), text)
        text = say(
            "the body is not that of {rpartition}, which is right under its own name",
            rpartition=file.rpartition("/")[2],
        )
        hint = hint_for_html(received) or say("does a cache before the host hold an old answer?")
        return self._by_topic(topic_of(row, received), text, hint=hint)

    def _of_status(self, row: Row, text: str, received: Received) -> Fault:
        is_asked_before = row.request.method in READING and row.request.target in self.answered
        is_there = is_asked_before and not self._is_lost(row)
        leads_away = received.status in REDIRECTS and "//" in received.fields.get("location", "")
        if is_there and (leads_away or received.status in REFUSING):
            return self._fault("refused-request", text)
        if self._is_wrong_part(row):
            return self._fault("wrong-part", text)
        if received.status in NOT_THERE and (row.name in BY_NAME or self._is_lost(row)):
            self.lost.update({row.expected.content, row.request.target} - {""})
            return self._fault(
                "lost-file", say("the status is {status}, though out/ has it", status=received.status)
            )
        if received.status >= SERVER_ERROR and received.status != NOT_IMPLEMENTED:
            return self._fault("server-error", text)
        if received.status in OK and row.name == "gone" and is_json(received):
            return self._fault("left-over", say("the host has a document that the site does not have"))
        if received.status in OK and row.name == "hidden" and not is_html(received):
            return self._fault(
                "hidden-file", say("the host gives out a file that is not for the public"), "[hidden]"
            )
        if received.status in OK and row.name.startswith("folder"):
            if OF_LABGEN.search(body_of(received)):
                return self._fault("left-over", say("the host has a page that the site does not have"))
            return self._fault("listed-folder", say("the host answers a folder with what lies in it"))
        return self._by_topic(topic_of(row, received), text)

    def _is_lost(self, row: Row) -> bool:
        """Return whether the file of a row, or that of its path, is missing."""
        target = row.request.target
        path = target.partition("?")[0].removeprefix(self.built.base_path)
        possible = {row.expected.content, target, folder_of(path), file_of(path, JSON_FILE)}
        return not self.lost.isdisjoint(possible)

    def _of_type(self, row: Row, text: str, received: Received) -> Fault:
        if row.name in BY_NAME:
            return self._fault("content-type", text, row.expected.media_type or "")
        is_document = row.expected.statuses == OK and row.expected.media_type != PAGE_TYPE
        hint = hint_for_html(received) if is_document else ""
        return self._by_topic(topic_of(row, received), text, hint=hint)

    def _of_field(self, row: Row, one: Difference, received: Received) -> Fault:
        if one.aspect is Aspect.ETAG and self.changed:
            return Fault("repeat", one.text, say("what changes answers on the way takes it away"))
        if one.aspect is Aspect.ETAG:
            return self._by_topic("repeat", one.text)
        if one.field == "Location":  # one text for all paths, so that they are shown together
            is_whole = "//" in received.fields.get("location", "").partition("?")[0]
            whole, other = (
                say("Location names a scheme or a host"),
                say("Location is not the path with its slash and query"),
            )
            return self._by_topic(topic_of(row, received), whole if is_whole else other)
        if one.field == EMBEDDED.name:
            return Fault("headers", one.text, say("let nothing before the site send it"))
        if sign := self._passed_through(received):
            return _lost_on_the_way(code_of(one), one, sign)
        if one.field == "Cache-Control":
            return self._by_topic("caching", one.text, one.field)
        return self._by_topic("headers", one.text, one.field)

    def _without_vary(self, row: Row, one: Difference, received: Received) -> Fault:
        """Return the fault of a compressed response that does not say so to caches.

        Where something before the host has compressed it, no line of the host's configuration is wrong.
        """
        if not self._is_own_copy(row, received):
            return self._fault("copy-without-vary", one.text)
        if sign := self._passed_through(received):
            return _lost_on_the_way("copy-without-vary", one, sign)
        return self._by_topic("compression", one.text)._replace(code="copy-without-vary")

    def _is_own_copy(self, row: Row, received: Received) -> bool:
        """Return whether a compressed response may be the host's own: a copy of the site, if it has any."""
        suffix = next((suffix for suffix, coding in CODINGS.items() if coding == received.coding), "")
        if not (self.profile and suffix in self.profile.copies):
            return True
        copy = self.out / f"{row.expected.content}{suffix}"
        if not copy.is_file():
            return False
        with copy.open("rb") as file:
            return file.read(len(received.body)) == received.body

    def _passed_through(self, received: Received) -> str:
        """Return the header field of what stands before an operator's own server, "" if there is none."""
        is_own_server = self.profile is None or TO_SERVER in self.profile.deploy
        return passed_through(received.fields) if is_own_server else ""

    def _by_topic(self, topic: str, text: str, field: str = "", hint: str = "") -> Fault:
        """Return a fault that the host's configuration fixes; `hint` names another possible reason."""
        first, *others = help_for(topic, field, self.texts)
        return Fault(topic, text, first, (*others, hint))

    def _fault(self, code: str, text: str, line: str = "") -> Fault:
        """Return a fault with its remedy, and the lines of the host's configuration that contain `line`."""
        lines = lines_with(line, self.texts) if line else []
        return Fault(code, text, REMEDIES.get(code, ""), tuple(lines))

    def _content(self, expected: Expected) -> Content | None:
        """Return the content to compare a response with, None if it has no file. Raises `OutputError`."""
        if not expected.content:
            return None
        if self._compared and self._compared[0] == expected.content:
            return self._compared[1]
        try:
            content = content_of(chunks_of(self.out / expected.content))
        except OSError:
            message = say("{out} does not hold {content} any more", out=self.out, content=expected.content)
            raise OutputError(message, say("`labgen build` makes it again")) from None
        self._compared = expected.content, content
        return content


def _lost_on_the_way(code: str, one: Difference, sign: str) -> Fault:
    """Return the fault of a header field that something before the host takes away; `sign` is its own."""
    remedy = say("{sign} tells of something before the host: let it keep {field}", sign=sign, field=one.field)
    return Fault(code, one.text, remedy)


def _configuration(out: Path, built: BuiltSite, profile: Profile | None) -> Mapping[str, str]:
    """Return the texts of a host's configuration files in out/, by name."""
    names = host_files(profile, built) if profile else []
    return {name: (out / name).read_text(encoding="utf-8", errors="replace") for name in names}
