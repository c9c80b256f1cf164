"""Pack and unpack lists of laboratories in the search index: ascending slots, as steps or as bits.

A *slot* is the number of a laboratory in the index. Slots ascend in the order of display_ids.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from operator import sub

BITS = "="
"""The first character of a list that has one bit per slot."""
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_VALUES = {sign: value for value, sign in enumerate(_SIGNS)}
_MORE = 32
"""A sign of this value or more has five bits of a step, of which more follow."""


def _signs_of(step: int) -> str:
    text = ""
    while step >= _MORE:
        text += _SIGNS[_MORE + step % _MORE]
        step //= _MORE
    return text + _SIGNS[step]


_SHORT_STEPS = [_signs_of(step) for step in range(_MORE * _MORE)]


def sign(value: int) -> str:
    """Return the sign of a number below 64."""
    return _SIGNS[value]


def value_of_sign(one: str) -> int:
    """Return the number below 64 that a sign stands for."""
    return _VALUES[one]


def pack(slots: Sequence[int]) -> str:
    """Encode a list of slots for publication: as steps, or as bits if that is shorter.

    Steps are the first slot and then the differences: signs of five bits each, the lowest first. Bits are
    base64 of one bit per slot, the lowest bit of each byte first.
    """
    if not slots:
        return ""
    length_of_bits = (slots[-1] // 24 + 1) * 4 + 1
    if len(slots) <= length_of_bits:
        text = pack_steps([slots[0], *map(sub, slots[1:], slots)])
        if len(text) <= length_of_bits:
            return text
    return pack_bits(bits_of(slots, slots[-1]))


def pack_steps(steps: Iterable[int]) -> str:
    """Encode slots, given as the first one and the differences, as steps."""
    most = len(_SHORT_STEPS)
    return "".join([_SHORT_STEPS[step] if step < most else _signs_of(step) for step in steps])


def bits_of(slots: Iterable[int], last: int) -> int:
    """Return the number that has a bit for each slot; `slots` may be in any order, `last` is the highest."""
    data = bytearray(last // 8 + 1)
    for slot in slots:
        data[slot >> 3] |= _BIT[slot & 7]
    return int.from_bytes(data, "little")


def pack_bits(bits: int) -> str:
    """Encode slots, given as the bits of a number, as bits."""
    return BITS + b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little")).decode()


def bits_in(packed: str) -> int:
    """Decode a published list of bits to a number that has them."""
    return int.from_bytes(b64decode(packed[1:]), "little")


_BIT = [1 << bit for bit in range(8)]
_BITS = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]


def unpack(packed: str | None) -> list[int]:
    """Decode a published list to slots."""
    if not packed:
        return []
    if packed[0] == BITS:
        return [8 * at + bit for at, byte in enumerate(b64decode(packed[1:])) if byte for bit in _BITS[byte]]
    slots, slot, shift = [], 0, 0
    for sign in packed:
        value = _VALUES[sign]
        slot += value % _MORE << shift
        shift += 5
        if value < _MORE:
            slots.append(slot)
            shift = 0
    return slots


def union(lists: Iterable[Sequence[int]]) -> list[int]:
    """Return the slots that are in any of the lists, in order."""
    some = [one for one in lists if one]
    return list(some[0]) if len(some) == 1 else sorted(set().union(*some))


def intersection(lists: Iterable[Sequence[int]]) -> list[int]:
    """Return the slots that are in all of the lists (at least one), in order."""
    first, *others = sorted(lists, key=len)
    common = set(first).intersection(*others)
    return [slot for slot in first if slot in common]
