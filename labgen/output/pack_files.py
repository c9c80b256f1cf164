"""Write a pack, and prove that a file is one (docs/reference/packs.md)."""

from collections.abc import Mapping

import orjson

from labgen.output.published_manifest import Digests, hex_digest

PACK_FOLDER = "api/packs"
"""The folder under out/ with the packs. Some hosts skip names that begin with a dot, so this has none."""


def is_pack(name: str) -> bool:
    """Return whether a file under out/ is a pack, or a folder holds packs."""
    return name.startswith(f"{PACK_FOLDER}/")


def render_pack(files: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a pack; its files are given by their names below the path of its kind.

    The first line is JSON: the start, the size and the digest of each file, by name. Their bytes follow.
    """
    head: dict[str, tuple[int, int, str]] = {}
    start = 0
    for name, data in sorted(files.items()):
        head[name] = (start, len(data), hex_digest(data))
        start += len(data)
    return b"".join([orjson.dumps(head), b"\n", *(files[name] for name in head)])


def digests_in(pack: bytes) -> Digests:
    """Return the digests of the files in a pack, by name. Raises ValueError or TypeError."""
    head = dict(orjson.loads(pack.partition(b"\n")[0]))
    return {name: digest for name, (_, _, digest) in head.items()}


def proves_itself(pack: bytes) -> bool:
    """Return whether bytes are a whole pack: the digests in its first line are those of what follows."""
    head, _, rest = pack.partition(b"\n")
    try:
        files = {name: rest[start : start + size] for name, (start, size, _) in orjson.loads(head).items()}
        return render_pack(files) == pack
    except (ValueError, TypeError, AttributeError):
        return False
