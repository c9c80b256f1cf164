"""Pack and unpack lists of laboratories in the search index: ascending slots, as the gaps before them.

A *slot* is the number of a laboratory in the index. Slots ascend in the order of display_ids. A *gap* is how
many slots before one, and after the one before it, are not in the list.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate, chain
from operator import sub

BITS = "="
"""The first character of a list that has gaps in bits; others have them in signs."""
MISSING = "!"
"""What stands before a list of the slots that are not in the list, and the one after its last."""
FEW = 4
"""A list of fewer slots has signs: these are shorter, then."""
SPARSE = 4
"""Where so many slots are as one in the list, a gap is divided: below, a list is one bit a slot."""
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_VALUES = {sign: value for value, sign in enumerate(_SIGNS)}
_MORE = 32
"""A sign of this value or more has five bits of a number, of which more follow."""


def signs_of(number: int) -> str:
    """Encode a number as signs of five bits each, the lowest first."""
    text = ""
    while number >= _MORE:
        text += _SIGNS[_MORE + number % _MORE]
        number //= _MORE
    return text + _SIGNS[number]


def numbers_in(signs: str) -> list[int]:
    """Decode the signs of numbers."""
    numbers, number, shift = [], 0, 0
    for sign in signs:
        value = _VALUES[sign]
        number += value % _MORE << shift
        shift += 5
        if value < _MORE:
            numbers.append(number)
            number = shift = 0
    return numbers


def count_in(signs: str) -> int:
    """Return how many numbers signs encode: as many as have a sign of which no more follow."""
    return len(signs.translate(_WITHOUT_OTHERS))


_WITHOUT_OTHERS = str.maketrans("", "", _SIGNS[_MORE:])


_SHORT = 1024
"""The codes of shorter steps are kept."""


class _Codes(dict[int, str]):
    """What steps are encoded as: how far a slot is from the one before it, and the first from -1."""

    def __init__(self, code: Callable[[int], str]) -> None:
        super().__init__({step: code(step) for step in range(1, _SHORT)})
        self.code = code

    def __missing__(self, step: int) -> str:
        return self.code(step)


_IN_SIGNS = _Codes(lambda step: signs_of(step - 1))


@cache
def _in_bits(size: int) -> _Codes:
    """Return the codes in bits: the whole parts of two to the power of `size` as zeros, a one, the rest."""
    part = 1 << size
    return _Codes(lambda step: "0" * (step - 1 >> size) + f"{part + (step - 1) % part:b}")


class _Steps(dict[str, int]):
    """The steps that codes in bits stand for."""

    def __init__(self, size: int) -> None:
        super().__init__({code: step for step, code in _in_bits(size).items()})
        self.size = size

    def __missing__(self, code: str) -> int:
        zeros = len(code) - self.size - 1
        return (zeros - 1 << self.size) + int(code[zeros:], 2) + 1


_steps = cache(_Steps)


def pack(slots: Sequence[int]) -> str:
    """Encode a list of slots for publication."""
    if len(slots) >= FEW and slots[-1] < SPARSE * len(slots):
        return pack_bits(bits_of(slots, slots[-1]))
    return _pack_steps(list(map(sub, slots, chain((-1,), slots))))


def pack_bits(bits: int) -> str:
    """Encode slots, given as the bits of a number, as `pack` does."""
    count, end = bits.bit_count(), bits.bit_length()
    if count < FEW or end > SPARSE * count:
        return _pack_steps([len(zeros) + 1 for zeros in bin(bits)[:1:-1].split("1")[:-1]])
    if end + 1 - count < count:
        return MISSING + pack_bits(bits ^ (2 << end) - 1)
    return _in_base64(0, bits, end)


def _pack_steps(steps: Sequence[int]) -> str:
    if len(steps) < FEW:
        return "".join(map(_IN_SIGNS.__getitem__, steps))
    size = (sum(steps) // len(steps)).bit_length() - 1
    text = "".join(map(_in_bits(size).__getitem__, steps))
    return _in_base64(size, int(text[::-1], 2), len(text))


def _in_base64(size: int, bits: int, count: int) -> str:
    data = bits.to_bytes((count + 7) // 8, "little")
    return f"{BITS}{_SIGNS[size]}{b64encode(data).decode().rstrip('=')}"


def bits_of(slots: Iterable[int], last: int) -> int:
    """Return the number that has a bit for each slot; `slots` may be in any order, `last` is the highest."""
    data = bytearray(last // 8 + 1)
    for slot in slots:
        data[slot >> 3] |= _BIT[slot & 7]
    return int.from_bytes(data, "little")


_BIT = [1 << bit for bit in range(8)]
_BITS_IN = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]


def unpack(packed: str | None) -> list[int]:
    """Decode a published list to slots."""
    if not packed:
        return []
    if has_bits(packed):
        bits = unpack_bits(packed)
        data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
        return [8 * at + bit for at, byte in enumerate(data) if byte for bit in _BITS_IN[byte]]
    if packed[0] != BITS:
        return [*accumulate([gap + 1 for gap in numbers_in(packed)], initial=-1)][1:]
    size = _VALUES[packed[1]]
    text = bin(_from_base64(packed))[:1:-1] + "0" * size  # a number has no zeros at its end
    codes = re.findall(f"0*1[01]{{{size}}}", text)
    return [*accumulate(map(_steps(size).__getitem__, codes), initial=-1)][1:]


def has_bits(packed: str) -> bool:
    """Return whether a published list has a bit for each slot, so that `unpack_bits` decodes it."""
    return packed.startswith((MISSING, BITS + _SIGNS[0]))


def unpack_bits(packed: str) -> int:
    """Decode a published list of this kind to the bits of a number."""
    if packed[0] != MISSING:
        return _from_base64(packed)
    missing = unpack(packed[1:])
    bits = bits_of(missing, missing[-1])
    return bits ^ (1 << bits.bit_length()) - 1


def _from_base64(packed: str) -> int:
    return int.from_bytes(b64decode(packed[2:] + "=="), "little")


def union(lists: Iterable[Sequence[int]]) -> list[int]:
    """Return the slots that are in any of the lists, in order."""
    some = [one for one in lists if one]
    return list(some[0]) if len(some) == 1 else sorted(set().union(*some))


def intersection(lists: Iterable[Sequence[int]]) -> list[int]:
    """Return the slots that are in all of the lists (at least one), in order."""
    first, *others = sorted(lists, key=len)
    common = set(first).intersection(*others)
    return [slot for slot in first if slot in common]
