"""Crop, scale and encode an upright picture as a rendition. Imports Pillow.

Any change of the pixels here or in `decode` must increase `model.renditions.RECIPE`.
"""

from functools import lru_cache
from io import BytesIO
from typing import Any

from PIL import Image, ImageCms

from labgen.images.decode import Upright
from labgen.images.sizes import fitted_size
from labgen.model.pictures import Focus, Pictured, Size

GAP = 2.0
"""Pictures are first reduced quickly to this multiple of the wanted size, and then scaled by Lanczos."""


def render(upright: Upright, declared: Pictured, focus: Focus, size: Size, image_format: str) -> bytes:
    """Return a rendition of exactly this size: fitted as a whole, or cropped around the focus."""
    if declared.is_whole:
        image = _on_canvas(_in_srgb(_fitted(upright.image, size), upright.profile), size)
    else:
        image = _in_srgb(_filled(upright.image, size, focus), upright.profile)
    return _encoded(image, image_format, is_whole=declared.is_whole)


def _fitted(image: Image.Image, size: Size) -> Image.Image:
    inner = fitted_size(Size(*image.size), size)
    return image.resize(inner, Image.Resampling.LANCZOS, reducing_gap=GAP)


def _on_canvas(image: Image.Image, size: Size) -> Image.Image:
    """Return a picture in the middle of a transparent canvas."""
    canvas = Image.new("RGBA", size, (255, 255, 255, 0))
    canvas.paste(image, ((size.width - image.width) // 2, (size.height - image.height) // 2))
    return canvas


def _filled(image: Image.Image, size: Size, focus: Focus) -> Image.Image:
    scale = max(size.width / image.width, size.height / image.height)
    left, right = _stretch(image.width, size.width / scale, focus[0])
    top, bottom = _stretch(image.height, size.height / scale, focus[1])
    box = (left, top, right, bottom)
    return image.resize(size, Image.Resampling.LANCZOS, box=box, reducing_gap=GAP)


def _stretch(length: int, wanted: float, percent: int) -> tuple[float, float]:
    """Return the visible part of a side, `wanted` pixels long, as near around a point as the side allows."""
    wanted = min(wanted, length)
    start = min(max(length * percent / 100 - wanted / 2, 0.0), length - wanted)
    return start, start + wanted


def _in_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """Convert a picture to sRGB (mode RGB or RGBA), by its embedded profile if that can be used."""
    alpha = image.getchannel("A") if image.mode == "RGBA" else None
    colours = image.convert("RGB") if alpha else image
    if (found := _transform(profile, image.mode == "CMYK") if profile else None) is not None:
        transform, mode = found
        colours = transform.apply(colours.convert(mode))
    colours = colours.convert("RGB")
    if alpha:
        colours.putalpha(alpha)
    return colours


_MODES = {("RGB", False): "RGB", ("GRAY", False): "L", ("CMYK", True): "CMYK"}
"""The mode in which a profile is applied, by its colour space and whether the picture is in CMYK."""


@lru_cache(maxsize=32)
def _transform(profile: bytes, is_cmyk: bool) -> tuple[ImageCms.ImageCmsTransform, str] | None:
    """Return the transform from a profile to sRGB, and its input mode; None if it is sRGB or unusable."""
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        mode = _MODES.get((source.profile.xcolor_space.strip(), is_cmyk))
        if mode is None or ImageCms.getProfileDescription(source).startswith("sRGB"):
            return None
        made: Any = ImageCms.buildTransform(
            source,
            ImageCms.createProfile("sRGB"),
            mode,
            "RGB",
            ImageCms.Intent.RELATIVE_COLORIMETRIC,
            ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None
    return made, mode


_QUALITY: dict[tuple[str, bool], dict[str, Any]] = {
    ("webp", False): {"format": "WEBP", "quality": 80, "method": 2},
    ("webp", True): {"format": "WEBP", "lossless": True, "quality": 80, "method": 4},
    ("jpeg", False): {"format": "JPEG", "quality": 82, "optimize": True},
    ("jpeg", True): {"format": "JPEG", "quality": 92, "optimize": True, "subsampling": 0},
    ("png", False): {"format": "PNG"},
    ("png", True): {"format": "PNG", "optimize": True},
}
"""Encoder settings, by format and whether it is for logos, whose edges must stay sharp.

WebP's `method` 2 needs 0.4 of the time of 4, the default, and makes 8 % more bytes.
"""


def _encoded(image: Image.Image, image_format: str, *, is_whole: bool) -> bytes:
    """Encode a picture as a file, without any metadata of the original."""
    if image.mode == "RGBA" and image.getchannel("A").getextrema()[0] == OPAQUE:
        image = image.convert("RGB")
    if image.mode == "RGBA" and image_format == "jpeg":
        white = Image.new("RGB", image.size, "white")
        white.paste(image, mask=image.getchannel("A"))
        image = white
    image.info.clear()
    written = BytesIO()
    image.save(written, **_QUALITY[image_format, is_whole])
    return written.getvalue()


OPAQUE = 255
