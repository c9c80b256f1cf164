"""Generate the stylesheet of the configured colours, and check colours and logo."""

import hashlib
from collections.abc import Collection, Iterator

from labgen.model.settings import LooksRecord
from labgen.problems.hints import did_you_mean
from labgen.problems.problem import Place, Problem
from labgen.problems.text import say

LIGHTEST, DARKEST = "#f5f7f9", "#191f26"
"""The backgrounds on which links have the least contrast, in light and in dark."""
READABLE = 4.5
"""The contrast that texts need (WCAG 2.2, 1.4.3)."""


def colours_file(looks: LooksRecord) -> dict[str, bytes]:
    """Return the stylesheet by its path below out/; empty if the settings choose no colour."""
    rules = [f":root{{--link:{looks.colour}}}"] if looks.colour else []
    if looks.dark_colour:
        rules.append(f"@media (prefers-color-scheme:dark){{:root{{--link:{looks.dark_colour}}}}}")
    elif looks.colour:
        rules[0] = f"@media (prefers-color-scheme:light){{{rules[0]}}}"
    if not rules:
        return {}
    data = f"@media screen{{{''.join(rules)}}}\n".encode()
    return {f"static/colours.{hashlib.sha256(data).hexdigest()[:12]}.css": data}


def check_looks(looks: LooksRecord, static: Collection[str], file: str) -> Iterator[Problem]:
    """Yield an error for a logo that is not a static file, and warnings for colours that are hard to read."""
    if looks.logo and looks.logo not in static:
        message = say("there is no file `templates/static/{logo}`", logo=looks.logo)
        hint = did_you_mean(looks.logo, static)
        yield Problem("unknown-reference", message, Place(file, ("looks", "logo")), hint)
    for name, colour, ground in (
        ("colour", looks.colour, LIGHTEST),
        ("dark_colour", looks.dark_colour, DARKEST),
    ):
        if colour and (found := contrast(colour, ground)) < READABLE:
            message = say(
                "`{colour}` has a contrast of {found:.1f} on `{ground}`; texts need {readable}",
                colour=colour,
                found=found,
                ground=ground,
                readable=READABLE,
            )
            hint = say("take a {part} one", part="darker" if name == "colour" else "lighter")
            yield Problem("low-contrast", message, Place(file, ("looks", name)), hint, "warning")


LINEAR = 0.04045
"""Up to this value, the light of an sRGB channel grows linearly."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= LINEAR else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
