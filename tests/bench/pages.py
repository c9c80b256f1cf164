"""Measures what pages cost of a full build: making them, against writing their bytes.

    python tests/bench/pages.py PROJECT [--rounds 3] [--folder /dev/shm]

Builds a project in one process, in alternation: without pages, and as it is; the floor writes both trees. What
the pages' bytes cost is the difference of the floors, what making them costs is what the builds differ by
beyond that. Seconds of CPU, because these say what work there is. Nothing is removed between rounds: a file
system that was just cleared is slow for minutes.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from floor import floor
from run import run

WITHOUT = "--without-pages"


def leave_out_pages() -> None:
    """Take from labgen all that is made for pages of laboratories: what is left makes JSON."""
    from labgen.render import items, shared_items, site_files
    from labgen.render.encode_json import render_json
    from labgen.render.items import Rendered

    def files(self: Any, laboratories: Any) -> Any:
        labs = [laboratory for laboratory, _ in laboratories]
        documents = [[self.document(one, lab) for lab in labs] for one, *_ in self.outputs]
        names = [name for _, name, _ in self.outputs]
        return [
            {name: one.json for name, one in zip(names, own, strict=True)}
            for own in zip(*documents, strict=True)
        ]

    changed: Any = site_files
    changed.render_document = lambda document, *_: Rendered(render_json(document), b"")
    changed.LaboratoryRenderer.files = files
    changed = shared_items
    changed.item_of_rows = lambda item: Rendered(render_json(item), b"")
    changed.ListRenderer._block = lambda *_: b""
    changed = items
    changed.ItemRenderer.render = lambda _, item, _path: Rendered(render_json(item), b"")


def build(*arguments: str) -> None:
    """Run labgen in this process, without pages if that is asked for."""
    import gc

    gc.disable()
    if arguments[0] == WITHOUT:
        leave_out_pages()
        arguments = arguments[1:]
    from labgen.cli import main

    main(arguments, prog_name="labgen")


def measured(project: Path, folder: Path, *options: str) -> tuple[float, float]:
    """Return the seconds of CPU of a build into a folder, and of its floor."""
    shutil.rmtree(project / ".labgen", ignore_errors=True)
    command = [*options, "build", "-q", "-j", "1", "-C", str(project), "-o", str(folder / "out")]
    done = run(sys.executable, __file__, "build", *command)
    if not (folder / "out" / "index.html").is_file():
        sys.exit(done.text)
    (folder / "floor").mkdir(parents=True)
    return done.cpu, floor(folder / "out", folder / "floor", 1)[1]


def main() -> None:
    """Measure, and print the medians of all rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    asked = parser.parse_args()
    making, writing, whole = [], [], []
    top = Path(tempfile.mkdtemp(prefix="labgen-pages-", dir=asked.folder))
    for number in range(asked.rounds):
        without, floor_without = measured(asked.project, top / f"{number}-without", WITHOUT)
        full, floor_full = measured(asked.project, top / f"{number}-with")
        writing.append(floor_full - floor_without)
        making.append(full - without - writing[-1])
        whole.append(full)
        print(
            f"build {full:.2f} s, without pages {without:.2f} s; floor {floor_full:.2f} s, {floor_without:.2f} s: "
            f"making pages {making[-1]:.2f} s, writing them {writing[-1]:.2f} s",
            flush=True,
        )
    shutil.rmtree(top)
    made, wrote = median(making), median(writing)
    print(
        f"making pages takes {made:.2f} s of {median(whole):.2f} s, {made / wrote:.2f} of writing their bytes"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        build(*sys.argv[2:])
    else:
        main()
