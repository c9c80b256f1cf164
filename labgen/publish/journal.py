"""Record on this machine which files were sent, so that an interrupted publication resumes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock

from labgen.model.site_paths import STATE
from labgen.output.published_manifest import Digests


class Journal:
    """A log of the files sent to a target: a line for each, with its digest and name.

    The first line identifies the publication: the name of its mark at the target.
    """

    def __init__(self, root: Path, address: str) -> None:
        self.file = root / STATE / f"publish-{sha256(address.encode()).hexdigest()[:16]}"
        self.lock = Lock()

    def read(self, publication: str) -> Digests:
        """Return the digests of the files that a publication has sent; none if the journal is of another."""
        try:
            first, *lines = self.file.read_text(encoding="utf-8").split("\n")[:-1]
        except (OSError, ValueError):
            return {}
        if first != publication:
            return {}
        sent = (line.partition(" ") for line in lines)
        return {name: digest for digest, _, name in sent}

    @contextmanager
    def recording(self, publication: str, sent: Digests, digests: Digests) -> Iterator[Callable[[str], None]]:
        """Start a new journal with the files that were already sent; remove it if the block succeeds.

        Yields a function that records a sent file at once, with its digest from `digests`.
        """
        self.file.parent.mkdir(exist_ok=True)
        with self.file.open("w", encoding="utf-8") as opened:

            def note(name: str) -> None:
                with self.lock:
                    opened.write(f"{digests[name]} {name}\n")
                    opened.flush()

            opened.write("".join([f"{publication}\n", *(f"{one} {name}\n" for name, one in sent.items())]))
            opened.flush()
            yield note
        self.file.unlink(missing_ok=True)
