"""Define the HTTP header fields to store with each file in an object store."""

from pathlib import PurePosixPath

from labgen.contract.http_contract import DIGEST_FOLDERS, IMMUTABLE, MEDIA_TYPES, REVALIDATED


def object_fields(name: str) -> dict[str, str]:
    """Return the header fields of a file, by its name under out/: its type, and how long caches keep it."""
    media_type = MEDIA_TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
    kept = IMMUTABLE if name.startswith(DIGEST_FOLDERS) else REVALIDATED
    return {"Content-Type": media_type, "Cache-Control": kept}
