"""Mutants: a file of a sound project is changed a little, or much, and the project is checked and built.

Nothing may hang, end in a traceback, or publish what the specification's tables refuse; where there is an error, out/ stays as
it was; what `check` says, `build` says; and a build that changes nothing writes nothing.
"""

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conftest import Project
from test_whole_sources import CONTACT, LABORATORY, faults, text

from torture.common import SECRET, labgen, linked_copy, tree

STEPS = 3
TOKENS = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\xc3\x28", b"null", b"NaN", b"1e999", b"-0", b"\\ud800", b"\\u0000", b'"', b"'", b"{", b"}",
    b"[", b"]", b",", b";", b":", b"- ", b"&a *a", b"!!python/object", b"<<<<<<< HEAD\n", b"#", b"{{", b"}}", b"{% ", b" %}", b"{% raw %}",
    b"{% include 'x' %}", b"{{ document.x.y }}", b"{{ 1/0 }}", b"{% for x in range(9**9) %}", b"<script>", b"</pre>", b"\xe2\x80\xa8", b"\xcc\x81" * 50,
    b"\xf0\x9f\xa7\xaa", b"99999999999999999999", b"../../etc/passwd", b"/dev/zero", b"https://", b"00001", b"de", b"true", b"\t", b"\x1b[31m",
]  # fmt: skip
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    2**53,
    2**63,
    "",
    " ",
    "0",
    "\x85",
    "\ud7ff",
    "a" * 5000,
    [],
    {},
    [[]],
    {"": 0},
    [None],
    "<b>",
    "�",
]


def flip(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    data[at] = rng.randrange(256)


def cut(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.choice([1, 2, 10, 100, 10**6])]


def insert(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data))
    data[at:at] = rng.choice(TOKENS) * rng.choice([1, 1, 1, 2, 200])


def repeat(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data))
    part = data[start : start + rng.choice([1, 5, 50, 500])]
    data[start:start] = part * rng.choice([1, 2, 50])


def swap(data: bytearray, rng: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    data[:] = b"\n".join(lines)


def replace(data: bytearray, rng: random.Random) -> None:
    """Replace a value of a JSON text, or a word of any other."""
    try:
        value = json.loads(data)
    except ValueError:
        words = bytes(data).split(b" ")
        words[rng.randrange(len(words))] = json.dumps(rng.choice(VALUES)).encode()
        data[:] = b" ".join(words)
        return
    box = [value]
    holders = holders_of(box)
    holder, key = rng.choice(holders)
    if rng.random() < 0.3 and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = rng.choice([*VALUES, rng.choice(holders)[0]][: len(VALUES)])
    data[:] = json.dumps(box[0], ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2])).encode(
        errors="replace"
    )


def holders_of(box: list[Any]) -> list[tuple[Any, Any]]:
    """Return all values in a box, each by what holds it and its key there."""
    holders: list[tuple[Any, Any]] = [(box, 0)]
    for holder, key in holders:
        part = holder[key]
        keys = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        holders += [(part, one) for one in keys]
    return holders


MUTATIONS: list[Callable[[bytearray, random.Random], None]] = [
    flip,
    cut,
    insert,
    insert,
    repeat,
    swap,
    replace,
    replace,
    replace,
]


def mutate(project: Project, seed: int, step: int) -> str:
    """Change a file of a project; return its name."""
    rng = random.Random(f"{seed}/{step}")
    files = [
        path
        for top in ("data", "templates")
        for path in sorted((project.root / top).rglob("*"))
        if path.is_file()
    ]
    kinds = {path.suffix: path for path in files}
    file = rng.choice(files) if rng.random() < 0.7 else kinds[rng.choice(sorted(kinds))]
    data = bytearray(file.read_bytes()) or bytearray(b" ")
    rng.choice(MUTATIONS)(data, rng)
    file.write_bytes(data)
    return file.relative_to(project.root).as_posix()


def run(seed: int, steps: Sequence[int], folder: Path) -> str:
    project, before = linked_copy(seed, folder)
    names = [mutate(project, seed, step) for step in steps]
    where = ("-C", str(project.root))
    checked, built = labgen("check", *where), labgen("build", "--allow-removals", *where)
    if fault := checked.fault(0, 1) or built.fault(0, 1):
        return f"{fault}\nchanged: {', '.join(names)}"
    if checked.code != built.code:
        return f"check ends with {checked.code} and build with {built.code}\n{checked.output}\n{built.output}"
    if built.code == 1:
        return "" if tree(project.out) == before else f"an error, and out/ is not as it was\n{built.output}"
    return published_faults(project) or second_build(where)


def second_build(where: tuple[str, str]) -> str:
    again = labgen("build", *where)
    is_quiet = ": 0 written, 0 removed" in again.output
    return again.fault(0) or ("" if is_quiet else f"a second build writes\n{again.output}")


LABORATORY_FILE = re.compile("api/v1/laboratory/laboratories/[0-9]+/index.json")


def published_faults(project: Project) -> str:
    """Return what is published that must not be."""
    contact = {**CONTACT, "encoded_email": text, "encoded_phone": text}
    for name, data in tree(project.out).items():
        if SECRET.encode() in data:
            return f"{name} publishes an address plainly"
        if LABORATORY_FILE.fullmatch(name):
            found = list(faults(json.loads(data), {**LABORATORY, "contact_person": contact}))
            if found:
                return f"{name} is not as the specification has it: {found[:3]}"
    return ""
