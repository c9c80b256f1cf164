"""Define a dictionary that computes missing values on demand."""

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Lazy(dict[Key, Value]):
    """A dictionary that reads the value of a missing key when it is first requested, and keeps it."""

    def __init__(self, read: Callable[[Key], Value]) -> None:
        super().__init__()
        self.read = read

    def __missing__(self, key: Key) -> Value:
        value = self[key] = self.read(key)
        return value
