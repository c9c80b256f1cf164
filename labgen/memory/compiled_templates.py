"""Store the compiled templates of a site; the render package says what they hold."""

from collections.abc import Mapping

from labgen.memory.database import Memory


def compiled_templates(memory: Memory) -> dict[str, bytes]:
    """Return the compiled templates of the last build."""
    return dict(memory.execute("SELECT key, code FROM template"))


def update_compiled_templates(memory: Memory, codes: Mapping[str, bytes]) -> None:
    """Store the compiled templates that are new or changed."""
    new = codes.items() - compiled_templates(memory).items()
    memory.write("INSERT OR REPLACE INTO template VALUES (?, ?)", new)
