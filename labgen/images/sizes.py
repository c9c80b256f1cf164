"""Compute the size that an original must have for its renditions. Does not need Pillow."""

from labgen.model.renditions import SIZES, Size
from labgen.model.summaries import Use


def fitted_size(original: Size, size: Size) -> Size:
    """Return the largest size with the proportions of the original that fits into `size`."""
    scale = min(size.width / original.width, size.height / original.height)
    return Size(max(1, round(original.width * scale)), max(1, round(original.height * scale)))


def needed_for(original: Size, use: Use) -> Size:
    """Return the size at which an original must be decoded for all its renditions."""
    needed = [fitted_size(original, size) if use == "logo" else size for size in SIZES[use]]
    return Size(max(one.width for one in needed), max(one.height for one in needed))


def is_enlarged(original: Size, use: Use) -> bool:
    """Return whether an original is smaller than the largest of its renditions."""
    width, height = needed_for(original, use)
    return original.width < width or original.height < height
