"""Pack and unpack lists of laboratories in the search index: ascending slots, as differences or as bits.

A *slot* is the number of a laboratory in the index. Slots ascend in the order of display_ids.
"""

from base64 import b64decode, b64encode
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import sub

Packed = list[int] | str
SPARSE = 14
"""If fewer than one in so many slots is in a list, differences are shorter than bits."""
FEW = 64
"""Lists with fewer slots are always encoded as differences."""


def pack(slots: Sequence[int]) -> Packed:
    """Encode a list of slots for publication.

    Either the first slot followed by differences, or base64 of one bit per slot, the lowest bit of each byte
    first: whichever is shorter.
    """
    if len(slots) < FEW or len(slots) * SPARSE < slots[-1]:
        return _differences(slots)
    length_of_bits = (slots[-1] // 24 + 1) * 4 + 2
    if 2 * len(slots) + 1 <= length_of_bits:  # a difference takes a digit and a comma, at least
        differences = _differences(slots)
        if sum(map(len, map(str, differences))) + len(slots) + 1 <= length_of_bits:
            return differences
    digits = bytearray(b"0") * (slots[-1] // 8 * 8 + 8)
    deque(map(digits.__setitem__, slots, repeat(ord("1"))), maxlen=0)
    digits.reverse()
    return b64encode(int(digits, 2).to_bytes(len(digits) // 8, "little")).decode()


def _differences(slots: Sequence[int]) -> list[int]:
    return [*slots[:1], *map(sub, slots[1:], slots)]


_BITS = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]


def unpack(packed: Packed | None) -> list[int]:
    """Decode a published list to slots."""
    if isinstance(packed, str):
        return [8 * at + bit for at, byte in enumerate(b64decode(packed)) if byte for bit in _BITS[byte]]
    slots, slot = [], 0
    for step in packed or ():
        slot += step
        slots.append(slot)
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
