"""Limit what a project's own templates may do, so that none takes all memory or time.

Built-in templates are not touched. In others, each turn of a loop and each call of a macro is counted,
powers and repeated texts are limited, and a page is rendered with a limit on the memory of the process.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import nodes

from labgen.problems.problem import shown
from labgen.problems.text import say

MOST_TURNS = 1_000_000
"""Turns of loops and calls of macros for one page."""
LONGEST_RANGE = 100_000
LARGEST_POWER = 1000
LONGEST_PRODUCT = 1_000_000
MEMORY = 512 << 20
"""Bytes that rendering one page may take."""


class LimitReachedError(jinja2.TemplateRuntimeError):
    """A template does more than a page needs; the message says what."""


def limited_range(*bounds: int) -> range:
    """Return a range, as Jinja's function of that name. Raises `LimitReachedError` if it is too long."""
    found = range(*bounds)
    if len(found) > LONGEST_RANGE:
        raise LimitReachedError(
            say(
                "range() has {count:,} numbers, but at most {longest_range:,} are allowed",
                count=len(found),
                longest_range=LONGEST_RANGE,
            )
        )
    return found


def limited_power(base: Any, exponent: Any) -> Any:
    """Return a power. Raises `LimitReachedError` if the exponent is too large."""
    if abs(exponent) > LARGEST_POWER:
        raise LimitReachedError(
            say(
                "the exponent {exponent} is larger than {largest_power:,}",
                exponent=shown(exponent),
                largest_power=LARGEST_POWER,
            )
        )
    return base**exponent


def limited_product(left: Any, right: Any) -> Any:
    """Return a product. Raises `LimitReachedError` if it repeats a text or a list too often."""
    for repeated, times in ((left, right), (right, left)):
        is_repeated = isinstance(repeated, str | list | tuple) and isinstance(times, int)
        if is_repeated and len(repeated) * times > LONGEST_PRODUCT:
            raise LimitReachedError(say("a text or a list is repeated {times} times", times=shown(times)))
    return left * right


def add_limits(tree: nodes.Template) -> None:
    """Change the syntax of a template so that turns are counted, and powers and products limited."""
    for node in tree.find_all((nodes.For, nodes.Macro, nodes.CallBlock)):
        body: list[nodes.Node] = node.body  # type: ignore[attr-defined]
        line = body[0].lineno if body else node.lineno
        body.insert(0, nodes.ExprStmt(_call("count_turn", [], line), lineno=line))
    _limit_operators(tree)
    tree.set_environment(tree.environment)  # type: ignore[arg-type]


_OPERATORS: dict[type[nodes.Node], str] = {nodes.Pow: "limited_power", nodes.Mul: "limited_product"}
"""The functions of `PageEnvironment` in place of operators whose results may be very large."""


def _call(name: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    function = nodes.EnvironmentAttribute(name, lineno=line)
    return nodes.Call(function, arguments, [], None, None, lineno=line)


def _limit_operators(node: nodes.Node) -> None:
    for name, value in node.iter_fields():
        if isinstance(value, list):
            setattr(node, name, [_limited(one) for one in value])
        else:
            setattr(node, name, _limited(value))


def _limited(value: Any) -> Any:
    if isinstance(value, nodes.Node):
        _limit_operators(value)
    name = _OPERATORS.get(type(value))
    return _call(name, [value.left, value.right], value.lineno) if name else value


@contextmanager
def limited_memory() -> Iterator[None]:
    """Let the process take a little more memory than it has; where the system cannot limit it, all."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        ceiling = min((one for one in before if one != resource.RLIM_INFINITY), default=most)
        resource.setrlimit(resource.RLIMIT_AS, (min(most, ceiling), before[1]))
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, before)
