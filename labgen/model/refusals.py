"""Refuse a value while pydantic checks it: an error whose type is the code of a problem."""

from typing import LiteralString

from pydantic_core import ErrorDetails, PydanticCustomError


def refusal(code: LiteralString, text: str) -> PydanticCustomError:
    """Return the error of a value: pydantic keeps the text, with its template, in the error's context."""
    return PydanticCustomError(code, "{text}", {"text": text})


def said_in(error: ErrorDetails) -> str:
    """Return the text of an error of pydantic: that of a refusal, or pydantic's own."""
    return error.get("ctx", {}).get("text", error["msg"])  # type: ignore[no-any-return]
