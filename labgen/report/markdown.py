"""Escape texts for cells of tables in Markdown: nothing that data holds is markup, a link or a mention."""

APART = "&#8203;"
"""A space of no width: an escaped sign still makes a mention, or a reference, of the word behind it."""
_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "\\`*_[]|~!"}
    | {"&": "&amp;", "<": "&lt;", "@": f"@{APART}", "#": f"\\#{APART}"}
)


def cell(text: str) -> str:
    """Return a text for a cell, on one line."""
    return _escaped(" ".join(text.split()))


def cell_with_code(text: str) -> str:
    """Return a message for a cell, on one line; what it has in backticks is code."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0:  # a value has one of its own
        return cell(text)
    return "".join(code(part) if at % 2 else _escaped(part) for at, part in enumerate(parts))


def code(text: str) -> str:
    """Return a name for a cell as code, or escaped if it has signs that end code or a cell."""
    return cell(f"`{text}`") if not text.strip() or set(text) & set("`|\\\n\r") else f"`{text}`"


def _escaped(line: str) -> str:
    return line.translate(_ESCAPES).replace("://", f":{APART}//").replace("www.", f"www{APART}.")
