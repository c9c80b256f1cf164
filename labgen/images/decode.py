"""Decode untrusted image files within limits, and rotate them upright. Imports Pillow.

The header of a file is checked before any pixel is decoded. Every failure of a decoder becomes an
`UnfitImageError` with a reason in plain language.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageMath, UnidentifiedImageError, features

from labgen.images import png
from labgen.model.pictures import Size
from labgen.problems.text import say

MAX_BYTES = 100_000_000
MAX_PIXELS = 100_000_000
MAX_SIDE = 20_000
MAX_SCANS = 100
"""The limit for a progressive JPEG: usual files have about ten, and each costs as much as a whole picture."""
PLENTY = say("3,200 pixels on the longer side are plenty")

FORMATS = {
    "JPEG": (".jpg", ".jpeg"),
    "PNG": (".png",),
    "WEBP": (".webp",),
    "AVIF": (".avif",),
    "GIF": (".gif",),
}
"""The accepted formats, by their names in Pillow, and their file name extensions."""

_NAMES = {"WEBP": "WebP"}
_SAME = {"MPO": "JPEG"}
"""MPO, in which cameras store several pictures, is a JPEG followed by other JPEGs."""

Image.MAX_IMAGE_PIXELS = MAX_PIXELS


class UnfitImageError(Exception):
    """An original that cannot be used: the code of the problem, the reason, and what to do."""

    def __init__(self, code: str, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.code = code
        self.hint = hint


class Original(NamedTuple):
    """An original whose header was read: the picture (not decoded), EXIF orientation, upright size."""

    image: Image.Image
    orientation: int
    size: Size


class Upright(NamedTuple):
    """A decoded picture, rotated upright, and its ICC colour profile, or b""."""

    image: Image.Image
    profile: bytes


def open_original(data: bytes, name: str) -> Original:
    """Read the header of an original, and check it. Raises `UnfitImageError`."""
    with _guarded():
        try:
            image = Image.open(BytesIO(data), formats=tuple(FORMATS))
        except UnidentifiedImageError:
            raise _unidentified(data, name) from None
    _check_name(image.format or "", name)
    _check_size(Size(*image.size))
    if image.format in ("JPEG", "MPO") and data.count(b"\xff\xda") > MAX_SCANS:
        reason = say("it is a JPEG of more than {max_scans} scans", max_scans=MAX_SCANS)
        raise UnfitImageError("broken-image", reason, SAVE_AGAIN)
    for said in ("xmp", "XML:com.adobe.xmp"):  # Pillow reads the orientation from it, but browsers do not
        image.info.pop(said, None)
    if image.format == "PNG":
        _complete(image, data)
    orientation = _orientation(image)
    width, height = image.size
    return Original(
        image, orientation, Size(height, width) if orientation >= FIRST_ON_ITS_SIDE else Size(width, height)
    )


SAVE_AGAIN = say("save it again with an image program, or fetch it again")
EXPORT = say("export it as JPEG or PNG")


@contextmanager
def _guarded() -> Iterator[None]:
    """Turn every exception of a decoder into `UnfitImageError`, and ignore its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            yield
        except (UnfitImageError, UnidentifiedImageError):
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning, MemoryError):
            reason = say("it unpacks to more than {max_pixels:,} pixels", max_pixels=MAX_PIXELS)
            raise UnfitImageError("image-too-large", reason, PLENTY) from None
        except Exception as error:  # noqa: BLE001 - decoders raise whatever a damaged file leads them to
            raise UnfitImageError("broken-image", _reason(error), SAVE_AGAIN) from None


def _reason(error: Exception) -> str:
    text = str(error)
    if "truncated" in text.lower() or isinstance(error, EOFError):
        return say("it ends too early")
    words = re.sub(r"[^\x20-\x7e]+", " ", text).strip()[:80]
    return say("it cannot be decoded ({words})", words=words or type(error).__name__)


_HEADS = [
    (rb"\xff\xd8\xff", "JPEG"),
    (rb"\x89PNG\r\n", "PNG"),
    (rb"RIFF....WEBP", "WEBP"),
    (rb"....ftypavi[fs]", "AVIF"),
    (rb"GIF8[79]a", "GIF"),
    (rb"....ftyp(heic|heix|hevc|mif1|msf1)", "HEIC"),
    (rb"II\*\x00|MM\x00\*", "TIFF"),
    (rb"BM", "BMP"),
    (rb"8BPS", "PSD"),
    (rb"%PDF", "PDF"),
    (rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg", "SVG"),
    (rb"\s*<(!doctype )?html", "HTML"),
]


def _unidentified(data: bytes, name: str) -> UnfitImageError:
    """Return the error for a file that no decoder accepts."""
    if not data:
        return UnfitImageError("broken-image", say("it is empty"), SAVE_AGAIN)
    is_like = (kind for head, kind in _HEADS if re.match(head, data[:1000], re.DOTALL | re.IGNORECASE))
    kind = next(is_like, None)
    if kind in ("AVIF", "WEBP") and not features.check(kind.lower()):
        reason = say("this Pillow was built without {title}", title=_title(kind))
        return UnfitImageError("missing-package", reason, say("install the wheel: pip install pillow"))
    if kind in FORMATS:
        if name.lower().endswith(FORMATS[kind]):
            return UnfitImageError(
                "broken-image", say("its head is not that of a sound {title}", title=_title(kind)), SAVE_AGAIN
            )
        return _mislabelled(kind, name)
    if kind:
        return UnfitImageError("mislabelled-image", say("it is in the format {kind}", kind=kind), EXPORT)
    return UnfitImageError("broken-image", say("it is no picture that labgen can read"), SAVE_AGAIN)


def _check_name(kind: str, name: str) -> None:
    kind = _SAME.get(kind, kind)
    if not name.lower().endswith(FORMATS[kind]):
        raise _mislabelled(kind, name)


def _mislabelled(kind: str, name: str) -> UnfitImageError:
    right = name.rpartition("/")[2].rpartition(".")[0] + FORMATS[kind][0]
    return UnfitImageError(
        "mislabelled-image",
        say("it is in the format {title}", title=_title(kind)),
        say("call it {right}", right=right),
    )


def _title(kind: str) -> str:
    return _NAMES.get(kind, kind)


def _check_size(size: Size) -> None:
    width, height = size
    if max(size) > MAX_SIDE:
        reason = say(
            "it is {width:,}x{height:,} pixels large, and {max_side:,} on a side are the most",
            width=width,
            height=height,
            max_side=MAX_SIDE,
        )
        raise UnfitImageError("image-too-large", reason, PLENTY)
    if width * height > MAX_PIXELS:
        reason = say(
            "it is {width:,}x{height:,} pixels large, and {max_pixels:,} in all are the most",
            width=width,
            height=height,
            max_pixels=MAX_PIXELS,
        )
        raise UnfitImageError("image-too-large", reason, PLENTY)
    if not min(size):
        raise UnfitImageError("broken-image", say("it has no pixels"), SAVE_AGAIN)


ORIENTATION = 0x0112
FIRST_ON_ITS_SIDE = 5


def _complete(image: Image.Image, data: bytes) -> None:
    """Correct what Pillow reports of a PNG: its EXIF data and its transparent colour."""
    if exif := png.exif(data):
        image.info["exif"] = exif
    colour = image.info.get("transparency")
    if isinstance(colour, int | tuple):
        image.info["transparency"] = png.transparent(data, image.mode, colour)


_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


def _orientation(image: Image.Image) -> int:
    """Return the EXIF orientation of a picture; upright if its EXIF data is damaged.

    The method of Pillow's PNG class is not used: it decodes the whole picture to reach data at the end.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = Image.Image.getexif(image).get(ORIENTATION, 1)
        except Exception:  # noqa: BLE001 - a picture can be shown without its EXIF data
            return 1
    return found if found in _TURNS else 1


def decode(original: Original, needed: Size) -> Upright:
    """Decode an original at a resolution sufficient for `needed`, and rotate it. Raises `UnfitImageError`.

    The result is at least as large as `needed`, if the original is.
    """
    image = original.image
    profile = image.info.get("icc_profile")
    width, height = needed if original.orientation < FIRST_ON_ITS_SIDE else Size(needed.height, needed.width)
    with _guarded():
        image.draft(None, (width, height))  # None keeps the mode
        image.load()
        image = _in_colours(_reduced(_in_eight_bits(image), Size(width, height)))
        if original.orientation in _TURNS:
            image = image.transpose(_TURNS[original.orientation])
    return Upright(image, profile if isinstance(profile, bytes) else b"")


def _in_eight_bits(image: Image.Image) -> Image.Image:
    """Return a picture with 8 bits per channel and without a palette, so that its size can be reduced."""
    if image.mode.startswith("I"):
        return _from_sixteen_bits(image)
    if image.mode in ("1", "P", "PA") or (image.has_transparency_data and image.mode in ("L", "RGB")):
        return _in_colours(image)
    return image


def _from_sixteen_bits(image: Image.Image) -> Image.Image:
    """Convert a grey picture to 8 bits; if it has a transparent colour, to RGBA."""
    grey = image.point(lambda value: value * (1 / 256)).convert("L")
    clear = image.info.get("transparency")
    if clear is None:
        return grey
    alpha = ImageMath.lambda_eval(
        lambda given: given["convert"]((given["samples"] != clear) * 255, "L"), samples=image.convert("I")
    )
    return Image.merge("RGBA", (grey, grey, grey, alpha))


def _reduced(image: Image.Image, needed: Size) -> Image.Image:
    """Reduce a picture by an integer factor, to at least twice the needed size; a small one is unchanged."""
    factor = min(image.width // (2 * needed.width), image.height // (2 * needed.height))
    return image.reduce(factor) if factor > 1 else image


def _in_colours(image: Image.Image) -> Image.Image:
    """Return a picture in RGB, RGBA or CMYK."""
    mode = "RGBA" if image.has_transparency_data else "RGB"
    return image if image.mode in ("CMYK", mode) else image.convert(mode)
