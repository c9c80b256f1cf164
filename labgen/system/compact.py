"""Copy bytes objects, so that they take no more memory than they need."""


def without_spare_memory(data: bytes) -> bytes:
    """Return a copy without spare memory; the bytes that orjson returns occupy 4 KB or more."""
    return bytes(memoryview(data))
