"""Sets of laboratories as the bits of a number, where many are in them: quick to join, and smaller."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from labgen.search.lists import bits_of, pack, pack_bits, unpack
from labgen.search_index.index_input import Slots

DENSE = 32
"""Of a list with one of so many slots or more, the bits take less memory than the numbers."""


@dataclass(frozen=True, slots=True)
class SlotBits:
    """Slots, each as a bit of a number."""

    bits: int

    def __len__(self) -> int:
        return self.bits.bit_count()


SlotSet = Slots | SlotBits


def compact(slots: SlotSet) -> SlotSet:
    """Return slots in the form that takes least memory."""
    if isinstance(slots, SlotBits):
        return slots
    if slots and len(slots) * DENSE > slots[-1]:
        return SlotBits(bits_of(slots))
    return array("I", slots)


def joined(sets: Sequence[SlotSet]) -> SlotSet:
    """Return the slots that are in any of the sets, in order."""
    if len(sets) == 1:
        return sets[0]
    slots = sorted(set().union(*[one for one in sets if not isinstance(one, SlotBits)]))
    bits = [one.bits for one in sets if isinstance(one, SlotBits)]
    return SlotBits(reduce(or_, bits, bits_of(slots))) if bits else slots


def packed(slots: SlotSet) -> str:
    """Encode slots for publication, as `pack` does."""
    if not isinstance(slots, SlotBits):
        return pack(slots)
    text = pack_bits(slots.bits)
    return text if len(slots) > len(text) else pack(unpack(text))
