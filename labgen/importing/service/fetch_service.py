"""Fetch the documents of a service: each once, cached at once, and transferred again only if it changed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import SplitResult

import orjson

from labgen.api.endpoint import API
from labgen.contract.http_answers import Received
from labgen.contract.http_contract import Request
from labgen.fetch.ask import OVERLOADED, GivenUpError, PoliteClient, ask_for_all
from labgen.fetch.client import NoAnswerError
from labgen.fetch.urls import split_untrusted, without_credentials
from labgen.importing.service.answer_cache import Answer, Answers
from labgen.output.errors import OutputError
from labgen.problems.text import say

OK, UNCHANGED, NOT_FOUND, GONE = 200, 304, 404, 410
JSON = "application/json"
MOST_FAILURES = 20
"""Unusable documents in a row, after which the service is given up."""
AGAIN = say("run the same command again: it goes on where it was")


class Failure(NamedTuple):
    """A document that could not be fetched, and why."""

    target: str
    reason: str


class _Task(NamedTuple):
    target: str
    accept: str
    former: Answer | None


@dataclass(slots=True)
class Service:
    """A service. `prefix` is the path of its URL before `/api/`; `pages` are the pages of its list."""

    url: SplitResult
    prefix: str
    asker: PoliteClient
    answers: Answers
    progress: Callable[[int, int], None]
    asked: int = 0
    failures: list[Failure] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)

    def document(self, path: str) -> Any:
        """Return a document that was fetched, or None if there is none."""
        answer = self.answers.current(self.prefix + path)
        return orjson.loads(answer.body) if answer and answer.status == OK else None

    def body(self, path: str) -> bytes | None:
        """Return the bytes of a document that was fetched, or None if there is none."""
        answer = self.answers.current(self.prefix + path)
        return answer.body if answer and answer.status == OK else None

    def try_document(self, target: str) -> Any:
        """Fetch a document; return None if it is missing. Raises `OutputError` if the service is given up."""
        self.fetch([target])
        answer = self.answers.current(target)
        return orjson.loads(answer.body) if answer and answer.status == OK else None

    def fetch(self, targets: Iterable[str], accept: str = JSON, total: int = 0) -> None:
        """Fetch and cache the documents that were not fetched yet; record unusable ones in `failures`.

        Raises `OutputError` if the service stops responding, or too many documents in a row are unusable.
        """
        in_a_row = 0
        try:
            for task, result in ask_for_all(self.asker, self._ask, self._tasks(targets, accept)):
                if isinstance(result, NoAnswerError) and not self.asked:
                    address = without_credentials(self.url).geturl()
                    message = say("nobody answers at {address}: {result}", address=address, result=result)
                    raise OutputError(message, say("is the address right, and the host up?"))
                reason = self._keep(task, result)
                in_a_row = in_a_row + 1 if reason else 0
                if reason:
                    self.failures.append(Failure(task.target, reason))
                if in_a_row >= MOST_FAILURES:
                    raise OutputError(
                        say(
                            "{in_a_row} documents in a row cannot be used: {reason}",
                            in_a_row=in_a_row,
                            reason=reason,
                        ),
                        AGAIN,
                    )
                self.asked += 1
                self.progress(self.asked, max(total, self.asked))
        except GivenUpError as error:
            raise OutputError(say("the import stopped: {error}", error=error), AGAIN) from None

    def _tasks(self, targets: Iterable[str], accept: str) -> Iterator[_Task]:
        for target in targets:
            if self.answers.current(target) is None:
                yield _Task(target, accept, self.answers.former(target))
            else:
                self.asked += 1

    def _ask(self, task: _Task) -> Received | NoAnswerError:
        """Request a document, conditionally if a cached answer has a validator. Thread-safe."""
        fields = [("Accept", task.accept)]
        if task.former and task.former.etag:
            fields.append(("If-None-Match", task.former.etag))
        elif task.former and task.former.modified:
            fields.append(("If-Modified-Since", task.former.modified))
        try:
            return self.asker.ask(Request("GET", task.target, tuple(fields)))
        except NoAnswerError as error:
            return error

    def _keep(self, task: _Task, result: Received | NoAnswerError) -> str:
        """Cache a response and return "", or return why it cannot be used."""
        if isinstance(result, NoAnswerError):
            return str(result)
        if result.status == UNCHANGED and task.former:
            self.answers.confirm(task.target)
            return ""
        if reason := self._wrong(result, task.accept):
            return reason
        fields = result.fields
        kind = fields.get("content-type", "").partition(";")[0].strip().lower()
        etag, modified = fields.get("etag", ""), fields.get("last-modified", "")
        body = result.body if result.status == OK else b""
        self.answers.keep(task.target, Answer(result.status, kind, etag, modified, body))
        return ""

    def _wrong(self, received: Received, accept: str) -> str:
        """Return why a response cannot be used; "" if it can: it is the document, or a 404 or 410."""
        if received.status in (NOT_FOUND, GONE):
            return ""
        if received.status in (401, 403, 407):
            return say(
                "the host refuses it ({status}); https://name:password@… sends a password",
                status=received.status,
            )
        if 300 <= received.status < 400:  # noqa: PLR2004
            return say(
                "the host sends to {elsewhere}, which is not followed", elsewhere=self._elsewhere(received)
            )
        if received.status in OVERLOADED:
            return say("the host is overloaded ({status})", status=received.status)
        if received.status != OK:
            return say("the host answers {status}", status=received.status)
        if received.fields.get("content-encoding", "identity") not in ("", "identity"):
            return say("the answer is compressed, though nobody asked for that")
        return _no_json(received) if accept == JSON else ""

    def _elsewhere(self, received: Received) -> str:
        there = split_untrusted(received.fields.get("location", ""))
        return f"{there.scheme or self.url.scheme}://{there.netloc or self.url.hostname}{there.path}"


def _no_json(received: Received) -> str:
    """Return why a body is not JSON; "" if it is."""
    kind = received.fields.get("content-type", "")
    try:
        orjson.loads(received.body)
    except orjson.JSONDecodeError:
        return say("the answer is {part}", part="HTML" if "html" in kind.lower() else say("no JSON"))
    return ""


def prefix_of(url: SplitResult) -> str:
    """Return the path of a URL before `/api/`; the URL of an API document may also be given."""
    before, found, _ = url.path.partition(API.rstrip("/"))
    return (before if found else url.path).rstrip("/")
