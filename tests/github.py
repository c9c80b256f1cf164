"""A stand-in for the part of GitHub's API that a comment of a pull request needs, on loopback."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "amt/verzeichnis"
PULL_REQUEST = 7
PATH = f"/repos/{REPOSITORY}/issues"


@dataclass
class GitHub:
    """The comments of a pull request; where `is_read_only`, a token may not write, as that of a fork."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    is_read_only: bool = False
    address: str = ""

    def comment(self, body: str, author: str) -> dict[str, Any]:
        one = {"id": 100 + len(self.comments), "user": {"login": author}, "body": body}
        self.comments.append(one)
        return one


@contextmanager
def github() -> Iterator[GitHub]:
    """Yield a running stand-in."""
    state = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            assert url.path == f"{PATH}/{PULL_REQUEST}/comments"
            query = {key: int(values[0]) for key, values in parse_qs(url.query).items()}
            start = (query["page"] - 1) * query["per_page"]
            self.answer(200, state.comments[start : start + query["per_page"]])

        def do_POST(self) -> None:
            assert self.path == f"{PATH}/{PULL_REQUEST}/comments"
            self.write(201, lambda body: state.comment(body, "github-actions[bot]"))

        def do_PATCH(self) -> None:
            start, _, number = self.path.rpartition("/")
            assert start == f"{PATH}/comments"
            (one,) = (one for one in state.comments if one["id"] == int(number))
            self.write(200, lambda body: one.update(body=body) or one)

        def write(self, status: int, change: Any) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
            if state.is_read_only or self.headers["Authorization"] != "Bearer secret":
                self.answer(403, {"message": "Resource not accessible by integration"})
            elif len(body) > 65_536:
                self.answer(422, {"message": "body is too long"})
            else:
                self.answer(status, change(body))

        def answer(self, status: int, document: Any) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield state
        server.shutdown()
        thread.join()
