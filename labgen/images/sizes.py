"""Compute the size that an original must have for its renditions. Does not need Pillow."""

from labgen.model.pictures import Pictured, Size


def fitted_size(original: Size, size: Size) -> Size:
    """Return the largest size with the proportions of the original that fits into `size`."""
    scale = min(size.width / original.width, size.height / original.height)
    return Size(max(1, round(original.width * scale)), max(1, round(original.height * scale)))


def needed_for(original: Size, declared: Pictured) -> Size:
    """Return the size at which an original must be decoded for all its renditions."""
    needed = [fitted_size(original, size) if declared.is_whole else size for size in declared.sizes]
    return Size(max(one.width for one in needed), max(one.height for one in needed))


def is_enlarged(original: Size, declared: Pictured) -> bool:
    """Return whether an original is smaller than the largest of its renditions."""
    width, height = needed_for(original, declared)
    return original.width < width or original.height < height
