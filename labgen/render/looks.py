"""Generate the stylesheet of the configured colours and font, and check what the settings choose."""

import hashlib
import re
from collections.abc import Iterator, Mapping

from labgen.model.pictures import Size
from labgen.model.settings import LooksRecord
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say

StaticFiles = Mapping[str, tuple[str, bytes]]
"""Static files by their names: the paths under out/, and the bytes."""
LIGHT, DARK = ("#ffffff", "#f4f6f5"), ("#111716", "#192120")
"""The backgrounds of pages in light and in dark: `--paper` and `--tint` of templates/static/style.css."""
PALE = 0.08
"""The share of the colour in `--pale`, the third background."""
READABLE = 4.5
"""The contrast that texts need (WCAG 2.2, 1.4.3)."""
SOCIAL = Size(1200, 630)
"""The size of a picture that previews of links show large."""


def looks_file(looks: LooksRecord, static: StaticFiles) -> dict[str, bytes]:
    """Return the stylesheet by its path below out/; empty if the settings choose neither colour nor font."""
    rules = "".join(_colour_rules(looks))
    styles = f"@media screen{{{rules}}}\n" if rules else ""
    if looks.font:
        file = static[looks.font][0].rpartition("/")[2]
        styles += f'@font-face{{font-family:own;src:url("{file}");font-display:swap;font-weight:100 900}}\n'
        styles += ":root{--font:own,system-ui,sans-serif}\n"
    data = styles.encode()
    return {f"static/looks.{hashlib.sha256(data).hexdigest()[:12]}.css": data} if data else {}


def _colour_rules(looks: LooksRecord) -> Iterator[str]:
    if looks.colour:
        yield _scheme("light", looks.colour, on_link="#fff")
    if looks.dark_colour:
        yield _scheme("dark", looks.dark_colour, on_link=DARK[0])


def _scheme(scheme: str, colour: str, on_link: str) -> str:
    return f"@media (prefers-color-scheme:{scheme}){{:root{{--link:{colour};--on-link:{on_link}}}}}"


def check_looks(looks: LooksRecord, static: StaticFiles, file: str) -> Iterator[Problem]:
    """Yield errors for files that are not there, and warnings for what readers or networks could not see."""
    for setting, name in looks.files.items():
        if name not in static:
            message = say("there is no file `templates/static/{name}`", name=name)
            yield Problem(
                "unknown-reference", message, Place(file, ("looks", setting)), did_you_mean(name, static)
            )
    for setting, colour, grounds in (
        ("colour", looks.colour, LIGHT),
        ("dark_colour", looks.dark_colour, DARK),
    ):
        if colour:
            yield from _check_colour(colour, grounds, Place(file, ("looks", setting)))
    if picture := static.get(looks.social_picture or ""):
        yield from _check_social_picture(picture[1], Place(file, ("looks", "social_picture")))


def _check_colour(colour: str, grounds: tuple[str, str], place: Place) -> Iterator[Problem]:
    paper = grounds[0]
    ground = min((*grounds, mixed(colour, paper, PALE)), key=lambda one: contrast(colour, one))
    if (found := contrast(colour, ground)) < READABLE:
        message = say(
            "`{colour}` has a contrast of {found:.1f} on `{ground}`; texts need {readable}",
            colour=colour,
            found=found,
            ground=ground,
            readable=READABLE,
        )
        hint = say("take a darker one") if grounds is LIGHT else say("take a lighter one")
        yield Problem("low-contrast", message, place, hint, "warning")


def _check_social_picture(data: bytes, place: Place) -> Iterator[Problem]:
    size = _picture_size(data)
    if size is None:
        message = say("previews of links show no picture that is neither PNG nor JPEG")
        yield Problem("unfit-preview", message, place, say("export it as JPEG or PNG"), "warning")
    elif size.width < SOCIAL.width or size.height < SOCIAL.height:
        message = say(
            "previews of links need a picture of {needed} pixels; this one has {size}",
            needed=SOCIAL,
            size=size,
        )
        yield Problem("unfit-preview", message, place, say("take a larger one"), "warning")


def _picture_size(data: bytes) -> Size | None:
    """Return the size of a PNG or a JPEG by its header; None if it is neither. Does not need Pillow."""
    if found := re.match(rb"\x89PNG\r\n\x1a\n.{4}IHDR(.{4})(.{4})", data, re.DOTALL):
        return Size(*map(int.from_bytes, found.groups()))
    at = 2
    while data.startswith(b"\xff\xd8") and (segment := SEGMENT.match(data, at)):
        marker, length, height, width = map(int.from_bytes, segment.groups())
        if marker in FRAMES:
            return Size(width, height)
        at = segment.start(2) + length
    return None


SEGMENT = re.compile(rb"\xff+([^\xff])(..).(..)(..)", re.DOTALL)
"""A segment of a JPEG: its marker and length, and the height and width of a frame."""
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""The markers of frames (SOF)."""


def mixed(one: str, other: str, share: float) -> str:
    """Return a colour mixed from a share of one and the rest of the other (CSS `color-mix` in sRGB)."""
    channels = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in channels)


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


LINEAR = 0.04045
"""Up to this value, the light of an sRGB channel grows linearly."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [one / 255 for one in _channels(colour)]
    linear = [one / 12.92 if one <= LINEAR else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
