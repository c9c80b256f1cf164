"""Sets of laboratories as the bits of a number, where many are in them: quick to join."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from typing import TypeVar

from labgen.search.lists import bits_of, has_bits, pack, pack_bits, unpack, unpack_bits
from labgen.search_index.index_input import Slots

MOST_BITS = 1 << 25
"""How much memory lists may take that are kept as bits, in bytes."""
DENSE = 32
"""Of lists with one of so many slots or more in all, the union is made as bits."""


@dataclass(frozen=True, slots=True)
class SlotBits:
    """Slots, each as a bit of a number."""

    bits: int

    def __len__(self) -> int:
        return self.bits.bit_count()


SlotSet = Slots | SlotBits
Key = TypeVar("Key")


def with_bits(lists: Mapping[Key, Slots], last: int) -> dict[Key, SlotSet]:
    """Return lists by key, the longest of them as bits (see `MOST_BITS`); `last` is the highest slot."""
    lengths = sorted(map(len, lists.values()), reverse=True)
    room = MOST_BITS // (last // 8 + 1)
    least = lengths[room] if room < len(lengths) else 0
    return {
        key: SlotBits(bits_of(some, some[-1])) if len(some) > least else some for key, some in lists.items()
    }


def joined(sets: Sequence[SlotSet]) -> SlotSet:
    """Return the slots that are in any of the sets, in order."""
    if len(sets) < 2:  # noqa: PLR2004 - nothing to join
        return sets[0] if sets else ()
    bits = [one.bits for one in sets if isinstance(one, SlotBits)]
    lists = [one for one in sets if not isinstance(one, SlotBits) and one]
    last = max([one[-1] for one in lists], default=0)
    if bits or sum(map(len, lists)) * DENSE > last:
        return SlotBits(reduce(or_, bits, bits_of(chain.from_iterable(lists), last)))
    return array("I", sorted(set().union(*lists)))


def without(slots: SlotSet, others: SlotSet) -> SlotSet:
    """Return the slots that are in none of the others."""
    if not slots or not others:
        return slots
    bits = [one.bits if isinstance(one, SlotBits) else bits_of(one, one[-1]) for one in (slots, others)]
    return SlotBits(bits[0] & ~bits[1])


def moved(slots: SlotSet, gone: Collection[int], new: Collection[int]) -> SlotSet:
    """Return slots without `gone`, and with `new`."""
    if isinstance(slots, SlotBits):
        kept = slots.bits & ~bits_of(gone, max(gone, default=0))
        return SlotBits(kept | bits_of(new, max(new, default=0)))
    some = [*slots]
    for one in {*gone, *new}:
        some[bisect_left(some, one) : bisect_right(some, one)] = [one] if one in new else []
    return some


def unpacked(published: str | None) -> SlotSet:
    """Decode a published list."""
    return SlotBits(unpack_bits(published)) if published and has_bits(published) else unpack(published)


def packed(slots: SlotSet) -> str:
    """Encode slots for publication, as `pack` does."""
    return pack_bits(slots.bits) if isinstance(slots, SlotBits) else pack(slots)
