"""Draws what a photographer of an invented laboratory would show: its house, a room, a close view, the country around.

Light, haze and depth are drawn by gradients and blurred shapes. Lengths are shares of the picture's height; (0, 0) is
its upper left corner.
"""

import random
from collections.abc import Callable
from hashlib import sha256
from math import cos, pi, sin
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFilter

Colour = tuple[int, int, int]
Point = tuple[float, float]


def colour(text: str) -> Colour:
    """Return the colour of a text such as #a0b1c2."""
    red, green, blue = bytes.fromhex(text[1:])
    return red, green, blue


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """Return a colour between two: `share` of the other."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


WHITE, BLACK = (255, 255, 255), (12, 16, 22)


class Light(NamedTuple):
    """A time of the day: the sky above and at the horizon, what lies far away, what lies in the shade, and windows."""

    above: Colour
    horizon: Colour
    shade: Colour
    window: Colour
    is_lit: bool


LIGHTS = [
    Light(colour("#4f8fca"), colour("#dcebf5"), colour("#2f4358"), colour("#9cc3de"), False),
    Light(colour("#86aed2"), colour("#f8dcc0"), colour("#4a4a5c"), colour("#b9cfe0"), False),
    Light(colour("#2f416d"), colour("#f3b184"), colour("#1d2437"), colour("#ffd68a"), True),
    Light(colour("#7fa6c4"), colour("#f3efe6"), colour("#3f4b52"), colour("#b4cbd9"), False),
]
WALLS = [colour(one) for one in ("#e9e4da", "#b9674a", "#d9dcdc", "#7d8a8f", "#c9a77c", "#f3f1ec", "#5d6d78")]
LIQUIDS = [colour(one) for one in ("#2e86c1", "#e08e45", "#3f9d7a", "#c0486b", "#d8b740", "#6a5aa8")]


class View:
    """A picture that is drawn, with soft shapes."""

    def __init__(self, size: tuple[int, int], light: Light) -> None:
        self.image = Image.new("RGB", size, light.horizon)
        self.light = light
        self.wide = size[0] / size[1]

    def at(self, point: Point) -> Point:
        return point[0] * self.image.height, point[1] * self.image.height

    def fade(self, top: float, bottom: float, upper: Colour, lower: Colour) -> None:
        """Fill from one height to another with one colour that becomes another."""
        y, height = round(top * self.image.height), max(1, round((bottom - top) * self.image.height))
        self.image.paste(_faded((self.image.width, height), upper, lower), (0, y))

    def _mask(self, points: list[Point], blur: float, alpha: float) -> tuple[tuple[int, int], Image.Image]:
        """Return the part of the picture that a shape covers: its corner, and how much each pixel is covered."""
        places, margin = [self.at(one) for one in points], 3 * blur * self.image.height + 1
        left, top = (max(0, int(min(one[axis] for one in places) - margin)) for axis in (0, 1))
        right, bottom = (
            max(corner + 4, min(edge, int(max(one[axis] for one in places) + margin) + 1))
            for axis, corner, edge in ((0, left, self.image.width), (1, top, self.image.height))
        )
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).polygon([(x - left, y - top) for x, y in places], fill=round(255 * alpha))
        return (left, top), _blurred(mask, blur * self.image.height)

    def area(
        self,
        points: list[Point],
        fill: Colour,
        lower: Colour | None = None,
        blur: float = 0.0,
        alpha: float = 1.0,
    ) -> None:
        """Fill a polygon, with a second colour at its lower end."""
        if lower is None and not blur and alpha == 1.0:
            ImageDraw.Draw(self.image).polygon([self.at(one) for one in points], fill=fill)
            return
        corner, mask = self._mask(points, blur, alpha)
        self.image.paste(_faded(mask.size, fill, lower or fill), corner, mask)

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        fill: Colour,
        lower: Colour | None = None,
        **how: float,
    ) -> None:
        self.area([(left, top), (right, top), (right, bottom), (left, bottom)], fill, lower, **how)

    def round(
        self,
        middle: Point,
        width: float,
        height: float,
        fill: Colour,
        lower: Colour | None = None,
        **how: float,
    ) -> None:
        self.area(
            [
                (middle[0] + width * cos(pi * step / 40), middle[1] + height * sin(pi * step / 40))
                for step in range(80)
            ],
            fill,
            lower,
            **how,
        )

    def glow(self, middle: Point, radius: float, fill: Colour, share: float = 0.6) -> None:
        """Add light around a point."""
        points = [
            (middle[0] + radius * cos(pi * step / 20), middle[1] + radius * sin(pi * step / 20))
            for step in range(40)
        ]
        corner, mask = self._mask(points, radius * 0.5, share)
        below = self.image.crop((*corner, corner[0] + mask.width, corner[1] + mask.height))
        light = Image.composite(Image.new("RGB", mask.size, fill), Image.new("RGB", mask.size), mask)
        self.image.paste(ImageChops.screen(below, light), corner)

    def soften(self, blur: float) -> None:
        """Put all that was drawn so far out of focus."""
        small = self.image.reduce(4).filter(ImageFilter.GaussianBlur(blur * self.image.height / 4))
        self.image = small.resize(self.image.size, Image.Resampling.BICUBIC)


def _faded(size: tuple[int, int], upper: Colour, lower: Colour) -> Image.Image:
    share = Image.linear_gradient("L").resize((1, size[1]), Image.Resampling.BILINEAR)
    column = Image.composite(Image.new("RGB", share.size, lower), Image.new("RGB", share.size, upper), share)
    return column.resize(size, Image.Resampling.NEAREST)


def _blurred(mask: Image.Image, radius: float) -> Image.Image:
    """Blur a mask, in a fourth of its size, where that cannot be seen."""
    if not radius:
        return mask
    small = mask.reduce(4).filter(ImageFilter.GaussianBlur(radius / 4))
    return small.resize(mask.size, Image.Resampling.BILINEAR)


def ridge(view: View, rng: random.Random, level: float, swing: float, rough: int) -> list[Point]:
    """Return the outline of hills, down to the lower edge."""
    waves = [(rng.uniform(0.6, 1.4) * 2**n, rng.random() * 6.3, swing / 1.7**n) for n in range(rough)]
    line = [
        (
            view.wide * step / 160,
            level
            + sum(high * sin(often * 2.2 * view.wide * step / 160 + phase) for often, phase, high in waves),
        )
        for step in range(161)
    ]
    return [*line, (view.wide, 1.0), (0.0, 1.0)]


def sky(view: View, rng: random.Random, horizon: float) -> None:
    """A sky with thin clouds."""
    view.fade(0, horizon, view.light.above, view.light.horizon)
    for _ in range(7):
        x, y = rng.uniform(0, view.wide), rng.uniform(0.04, horizon * 0.7)
        view.round(
            (x, y),
            rng.uniform(0.16, 0.4),
            rng.uniform(0.008, 0.025),
            mix(view.light.horizon, WHITE, 0.6),
            blur=0.018,
            alpha=0.55,
        )


def peaks(view: View, rng: random.Random, horizon: float) -> None:
    """Mountains with snow, in haze."""
    for depth, high in ((0.62, 0.34), (0.35, 0.24)):
        for number in range(4):
            x, top = view.wide * (number + rng.uniform(0.2, 0.8)) / 4, horizon - high * rng.uniform(0.7, 1.1)
            stone = mix(mix(view.light.shade, colour("#6b7f93"), 0.5), view.light.horizon, depth)
            side, deep = rng.uniform(0.35, 0.5), (horizon - top) * 0.4
            view.area(
                [(x - side, horizon), (x, top), (x + side, horizon)],
                stone,
                mix(stone, view.light.horizon, 0.45),
            )
            view.area(
                [(x, top), (x + side, horizon), (x + 0.05, horizon)],
                mix(stone, view.light.shade, 0.3),
                mix(stone, view.light.horizon, 0.35),
            )
            snow = [
                (x, top),
                (x + side * 0.4, top + deep),
                (x + side * 0.14, top + deep * 0.72),
                (x - 0.01, top + deep),
                (x - side * 0.2, top + deep * 0.7),
                (x - side * 0.4, top + deep),
            ]
            view.area(snow, mix(WHITE, view.light.horizon, depth * 0.6))


def woods(view: View, rng: random.Random, horizon: float) -> None:
    """Firs, the far ones paler."""
    for depth in (0.6, 0.35, 0.1):
        green = mix(mix(colour("#2f5540"), view.light.shade, 0.3), view.light.horizon, depth)
        for _ in range(round(34 * view.wide)):
            x, high = rng.uniform(-0.05, view.wide + 0.05), rng.uniform(0.1, 0.26) * (1.15 - depth)
            foot = horizon + (0.6 - depth) * 0.05
            for tier in range(4):
                top, half = foot - high * (1 - tier * 0.22), high * (0.09 + tier * 0.055)
                view.area(
                    [(x, top), (x + half, top + high * 0.36), (x - half, top + high * 0.36)],
                    mix(green, BLACK, tier * 0.06),
                )


def town(view: View, rng: random.Random, horizon: float) -> None:
    """Roofs and a tower, in haze."""
    for depth in (0.75, 0.55):
        stone = mix(view.light.shade, view.light.horizon, depth)
        x = -0.1
        while x < view.wide:
            wide, high = rng.uniform(0.06, 0.16), rng.uniform(0.05, 0.16)
            view.box(x, horizon - high, x + wide, horizon, stone)
            if rng.random() < 0.5:
                view.area(
                    [(x, horizon - high), (x + wide / 2, horizon - high - 0.05), (x + wide, horizon - high)],
                    stone,
                )
            x += wide + rng.uniform(0, 0.02)


def fields(view: View, rng: random.Random, horizon: float) -> None:
    """Hills with fields, the far ones paler."""
    for depth, level, green in ((0.7, -0.07, "#7f9a72"), (0.45, -0.03, "#86a05a"), (0.2, 0.02, "#a7ab58")):
        hue = mix(mix(colour(green), view.light.shade, 0.15), view.light.horizon, depth)
        view.area(ridge(view, rng, horizon + level, 0.03, 2), hue, mix(hue, view.light.shade, 0.25))


def harbour(view: View, rng: random.Random, horizon: float) -> None:
    """Cranes on a quay."""
    for number in range(3):
        steel = mix(view.light.shade, view.light.horizon, 0.5 - number * 0.12)
        x, high = view.wide * (number + rng.uniform(0.1, 0.8)) / 3, rng.uniform(0.24, 0.34)
        for side in (-0.06, 0.05):
            view.box(x + side, horizon - high, x + side + 0.012, horizon, steel)
        view.box(x - 0.2, horizon - high - 0.012, x + 0.12, horizon - high + 0.012, steel)
        view.area(
            [
                (x, horizon - high - 0.1),
                (x + 0.012, horizon - high - 0.1),
                (x - 0.18, horizon - high),
                (x - 0.19, horizon - high),
            ],
            steel,
        )
        view.box(x - 0.03, horizon - high * 0.75, x + 0.03, horizon - high * 0.6, steel)
    for _ in range(9):
        x, hue = rng.uniform(0, view.wide), mix(rng.choice(LIQUIDS), view.light.horizon, 0.4)
        for tier in range(rng.randint(1, 3)):
            view.box(
                x,
                horizon - 0.03 * (tier + 1),
                x + 0.09,
                horizon - 0.03 * tier - 0.002,
                mix(hue, BLACK, tier * 0.08),
            )


def tree(view: View, rng: random.Random, foot: Point, high: float) -> None:
    """A broad tree, lit from the left."""
    green = mix(
        rng.choice([colour("#4c7a4a"), colour("#6d8f3f"), colour("#3f6b5a")]),
        view.light.shade,
        0.35 if view.light.is_lit else 0.1,
    )
    view.round(
        (foot[0] + high * 0.15, foot[1]), high * 0.5, high * 0.05, view.light.shade, blur=0.012, alpha=0.5
    )
    view.box(
        foot[0] - high * 0.035,
        foot[1] - high * 0.5,
        foot[0] + high * 0.035,
        foot[1],
        mix(colour("#5a4636"), view.light.shade, 0.3),
    )
    for step in range(26):
        around, far = rng.random() * 2 * pi, rng.random() ** 0.5 * high * 0.28
        x, y = foot[0] + far * cos(around) * 1.1, foot[1] - high * 0.66 + far * sin(around)
        tone = (
            mix(green, view.light.horizon, 0.22)
            if step > 13 and cos(around + 0.8) < 0
            else mix(green, view.light.shade, rng.uniform(0, 0.3))
        )
        view.round((x, y), high * rng.uniform(0.08, 0.14), high * rng.uniform(0.07, 0.12), tone)


def windows(
    view: View,
    rng: random.Random,
    frame: tuple[float, float, float, float],
    columns: int,
    rows: int,
    gap: float = 0.2,
) -> None:
    """Rows of windows that mirror the sky, or are lit."""
    left, top, right, bottom = frame
    wide, high = (right - left) / columns, (bottom - top) / rows
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * wide + wide * gap / 2, top + row * high + high * gap / 2
            is_dark = view.light.is_lit and rng.random() < 0.3
            pane = (
                mix(view.light.shade, view.light.above, 0.3)
                if is_dark
                else mix(view.light.window, view.light.above, rng.uniform(0, 0.25))
            )
            view.box(
                x,
                y,
                x + wide * (1 - gap),
                y + high * (1 - gap),
                mix(pane, WHITE, 0.15),
                mix(pane, view.light.shade, 0.28),
            )
            view.box(
                x,
                y + high * (1 - gap),
                x + wide * (1 - gap),
                y + high * (1 - gap) + 0.004,
                mix(view.light.horizon, WHITE, 0.3),
            )


def institute(view: View, rng: random.Random, left: float, right: float, foot: float) -> None:
    """A modern house of three floors of glass, with a low wing."""
    wall, wide = rng.choice([WALLS[0], WALLS[2], WALLS[5]]), right - left
    split, roof = left + wide * 0.62, foot - 0.42
    view.box(
        split, foot - 0.2, right, foot, mix(wall, view.light.shade, 0.35), mix(wall, view.light.shade, 0.5)
    )
    windows(view, rng, (split + 0.02, foot - 0.18, right - 0.02, foot - 0.03), 5, 1, 0.12)
    view.box(left, roof, split, foot, mix(wall, view.light.horizon, 0.2), mix(wall, view.light.shade, 0.18))
    windows(
        view,
        rng,
        (left + 0.02, roof + 0.03, split - 0.02, foot - 0.14),
        max(4, round((split - left) * 11)),
        3,
        0.14,
    )
    view.box(left - 0.015, roof - 0.014, split + 0.015, roof, mix(wall, WHITE, 0.4))
    view.box(split - 0.02, foot - 0.216, right + 0.012, foot - 0.2, mix(wall, WHITE, 0.3))
    view.box(
        left + 0.03,
        foot - 0.12,
        split - 0.03,
        foot,
        mix(view.light.window, view.light.shade, 0.3),
        mix(view.light.window, view.light.shade, 0.55),
    )
    for x in (0.15, 0.38, 0.61, 0.84):
        view.box(
            left + (split - left) * x,
            foot - 0.12,
            left + (split - left) * x + 0.012,
            foot,
            mix(wall, view.light.shade, 0.5),
        )


def works(view: View, rng: random.Random, left: float, right: float, foot: float) -> None:
    """A hall of brick with a sawtooth roof and a chimney."""
    brick, bays = rng.choice([WALLS[1], WALLS[4], WALLS[1]]), max(3, round((right - left) / 0.27))
    wide, eaves = (right - left) / bays, foot - 0.25
    view.box(
        right - 0.16,
        foot - 0.56,
        right - 0.105,
        eaves,
        mix(brick, view.light.horizon, 0.1),
        mix(brick, view.light.shade, 0.3),
    )
    view.box(right - 0.168, foot - 0.57, right - 0.097, foot - 0.55, mix(brick, view.light.shade, 0.5))
    for bay in range(bays):
        x = left + bay * wide
        view.area([(x, eaves), (x, eaves - 0.11), (x + wide, eaves)], mix(brick, view.light.shade, 0.55))
        view.area(
            [(x, eaves), (x, eaves - 0.11), (x + 0.014, eaves - 0.1), (x + 0.014, eaves)],
            mix(view.light.window, WHITE, 0.2),
        )
    view.box(
        left, eaves, right, foot, mix(brick, view.light.horizon, 0.12), mix(brick, view.light.shade, 0.3)
    )
    for course in range(1, 16):
        view.box(
            left,
            eaves + course * 0.0155,
            right,
            eaves + course * 0.0155 + 0.0016,
            mix(brick, view.light.shade, 0.32),
        )
    for bay in range(bays):
        x = left + bay * wide
        windows(view, rng, (x + wide * 0.16, eaves + 0.05, x + wide * 0.84, foot - 0.05), 3, 2, 0.1)
        view.box(
            x + wide * 0.14, eaves + 0.036, x + wide * 0.86, eaves + 0.05, mix(brick, view.light.shade, 0.45)
        )


def gable(view: View, rng: random.Random, left: float, right: float, foot: float) -> None:
    """A house with a steep roof and a wing of wood."""
    wall, tiles, split = (
        rng.choice([WALLS[0], WALLS[5], WALLS[4]]),
        mix(colour("#8a4b38"), view.light.shade, 0.25),
        left + (right - left) * 0.45,
    )
    eaves, top = foot - 0.24, foot - 0.47
    timber = mix(colour("#8d6a4a"), view.light.shade, 0.15)
    view.box(split, foot - 0.2, right, foot, timber, mix(timber, view.light.shade, 0.3))
    for board in range(round((right - split) / 0.022)):
        view.box(
            split + board * 0.022,
            foot - 0.2,
            split + board * 0.022 + 0.0025,
            foot,
            mix(timber, view.light.shade, 0.4),
        )
    view.area(
        [
            (split - 0.02, foot - 0.2),
            (split + 0.03, foot - 0.31),
            (right - 0.03, foot - 0.31),
            (right + 0.03, foot - 0.2),
        ],
        mix(tiles, view.light.horizon, 0.1),
        mix(tiles, view.light.shade, 0.3),
    )
    windows(view, rng, (split + 0.05, foot - 0.16, right - 0.03, foot - 0.04), 4, 1, 0.35)
    middle = (left + split) / 2
    view.area(
        [(left, foot), (left, eaves), (middle, top), (split, eaves), (split, foot)],
        mix(wall, view.light.horizon, 0.15),
        mix(wall, view.light.shade, 0.2),
    )
    for side in (left - 0.03, split + 0.03):
        view.area([(middle, top - 0.03), (middle, top + 0.006), (side, eaves + 0.036), (side, eaves)], tiles)
    windows(view, rng, (left + 0.04, eaves + 0.01, split - 0.04, foot - 0.04), 3, 2, 0.42)
    windows(view, rng, (middle - 0.035, top + 0.09, middle + 0.035, top + 0.17), 1, 1, 0.2)


HOUSES = {"works": works, "gable": gable, "institute": institute}
GROUND = {
    "harbour": colour("#6f8796"),
    "woods": colour("#6d8a4e"),
    "peaks": colour("#7f9a58"),
    "fields": colour("#8fa35a"),
    "town": colour("#8d938f"),
}
COUNTRY: dict[str, Callable[[View, random.Random, float], None]] = {
    "harbour": harbour, "woods": woods, "peaks": peaks, "fields": fields, "town": town,
}  # fmt: skip
PLACES = {
    "hafen": ("works", "harbour"), "nord": ("institute", "harbour"), "vester": ("gable", "harbour"), "tann": ("gable", "woods"), "suesse": ("works", "woods"),
    "alpen": ("gable", "peaks"), "voralm": ("gable", "peaks"), "gipfel": ("institute", "peaks"), "jura": ("works", "peaks"), "bieler": ("gable", "peaks"),
    "boden": ("gable", "fields"), "marsch": ("works", "fields"), "quell": ("institute", "fields"), "strassen": ("works", "fields"), "zeytin": ("gable", "fields"),
    "faerberei": ("works", "town"), "metall": ("works", "town"), "druckhof": ("works", "town"), "wlokno": ("works", "town"),
}  # fmt: skip
"""What a house is, and where it stands, by a part of a laboratory's name."""


def place_of(laboratory: str) -> tuple[str, str]:
    return next((place for part, place in PLACES.items() if part in laboratory), ("institute", "town"))


def house(view: View, rng: random.Random, laboratory: str) -> None:
    """The house of a laboratory, with the country behind it and trees before it."""
    kind, country = place_of(laboratory)
    horizon, foot = 0.66, 0.8
    sky(view, rng, horizon + 0.04)
    COUNTRY[country](view, rng, horizon)
    grass = mix(GROUND[country], view.light.shade, 0.3 if view.light.is_lit else 0.05)
    view.fade(horizon, 1, mix(grass, view.light.horizon, 0.35), mix(grass, view.light.shade, 0.3))
    side = 0.16 if view.wide > 1 else 0.04
    left, right = (
        (side + rng.uniform(0, 0.12), view.wide - side) if view.wide > 1 else (side, view.wide + 0.3)
    )
    view.area(
        [
            (left - 0.03, foot + 0.005),
            (right + 0.02, foot - 0.02),
            (right + 0.16, foot + 0.035),
            (left + 0.1, foot + 0.045),
        ],
        view.light.shade,
        blur=0.015,
        alpha=0.55,
    )
    HOUSES[kind](view, rng, left, right, foot)
    door = left + (right - left) * 0.3
    view.area(
        [(door - 0.05, foot), (door + 0.06, foot), (door + 0.34, 1), (door - 0.3, 1)],
        mix(view.light.horizon, colour("#b9b2a6"), 0.6),
        mix(view.light.shade, colour("#b9b2a6"), 0.7),
        alpha=0.8,
    )
    tree(view, rng, (0.1 if view.wide > 1 else 0.0, 0.86), 0.42 if view.wide > 1 else 0.3)
    tree(view, rng, (view.wide - (0.14 if view.wide > 1 else 0.02), 0.9), 0.5 if view.wide > 1 else 0.36)
    if view.light.is_lit:
        view.glow(((left + right) / 2, foot - 0.15), 0.4, view.light.window, 0.28)
    view.glow((view.wide * 0.12, 0.1), 0.35, mix(view.light.horizon, WHITE, 0.5), 0.3)


def bottle(view: View, rng: random.Random, foot: Point, high: float) -> None:
    """A bottle of glass, half full."""
    wide, level, liquid = high * 0.2, rng.uniform(0.3, 0.6), rng.choice(LIQUIDS)
    x, y = foot
    view.box(
        x - wide, y - high * 0.72, x + wide, y, mix(WHITE, liquid, 0.12), mix(WHITE, liquid, 0.25), alpha=0.75
    )
    view.box(
        x - wide, y - high * level, x + wide, y, mix(liquid, WHITE, 0.15), mix(liquid, BLACK, 0.25), alpha=0.9
    )
    view.box(
        x - wide * 0.45, y - high * 0.88, x + wide * 0.45, y - high * 0.7, mix(WHITE, liquid, 0.15), alpha=0.8
    )
    view.box(x - wide * 0.55, y - high, x + wide * 0.55, y - high * 0.86, mix(colour("#3c6ea5"), BLACK, 0.2))
    view.box(x - wide * 0.75, y - high * 0.68, x - wide * 0.5, y - high * 0.05, WHITE, alpha=0.5, blur=0.002)


def cone(view: View, rng: random.Random, foot: Point, high: float) -> None:
    """A conical flask."""
    liquid, (x, y) = rng.choice(LIQUIDS), foot
    half = high * 0.42
    glass = [
        (x - high * 0.1, y - high),
        (x + high * 0.1, y - high),
        (x + high * 0.1, y - high * 0.62),
        (x + half, y),
        (x - half, y),
        (x - high * 0.1, y - high * 0.62),
    ]
    view.round((x, y), half, high * 0.05, BLACK, blur=0.01, alpha=0.35)
    view.area(glass, mix(WHITE, liquid, 0.1), mix(WHITE, liquid, 0.2), alpha=0.55)
    view.area(
        [
            (x - high * 0.26, y - high * 0.34),
            (x + high * 0.26, y - high * 0.34),
            (x + half, y),
            (x - half, y),
        ],
        mix(liquid, WHITE, 0.25),
        mix(liquid, BLACK, 0.2),
        alpha=0.92,
    )
    view.round((x, y - high * 0.34), high * 0.26, high * 0.03, mix(liquid, WHITE, 0.5))
    view.area(
        [
            (x - high * 0.06, y - high * 0.95),
            (x - high * 0.03, y - high * 0.95),
            (x - high * 0.03, y - high * 0.6),
            (x - half * 0.6, y - high * 0.1),
            (x - half * 0.72, y - high * 0.1),
        ],
        WHITE,
        blur=0.004,
        alpha=0.6,
    )
    view.box(x - high * 0.13, y - high * 1.03, x + high * 0.13, y - high * 0.98, mix(WHITE, liquid, 0.2))


def microscope(view: View, rng: random.Random, foot: Point, high: float) -> None:
    """A microscope, from the side."""
    x, y = foot
    white, dark = colour("#e8ebec"), mix(colour("#2b3238"), rng.choice(LIQUIDS), 0.1)
    h = high
    view.round((x, y), h * 0.42, h * 0.04, BLACK, blur=0.012, alpha=0.4)
    view.box(x - h * 0.32, y - h * 0.08, x + h * 0.3, y, mix(white, BLACK, 0.1), mix(white, BLACK, 0.35))
    view.area(
        [
            (x + h * 0.1, y - h * 0.08),
            (x + h * 0.3, y - h * 0.08),
            (x + h * 0.33, y - h * 0.7),
            (x + h * 0.05, y - h * 0.78),
            (x + h * 0.02, y - h * 0.62),
            (x + h * 0.18, y - h * 0.56),
        ],
        white,
        mix(white, BLACK, 0.25),
    )
    view.box(x - h * 0.3, y - h * 0.33, x + h * 0.16, y - h * 0.295, dark)
    view.box(x - h * 0.1, y - h * 0.29, x + h * 0.0, y - h * 0.09, mix(dark, WHITE, 0.25), dark)
    view.area(
        [
            (x - h * 0.15, y - h * 0.72),
            (x + h * 0.08, y - h * 0.72),
            (x + h * 0.05, y - h * 0.52),
            (x - h * 0.12, y - h * 0.52),
        ],
        white,
        mix(white, BLACK, 0.2),
    )
    for angle in (-0.09, 0.0, 0.08):
        view.area(
            [
                (x - h * 0.06 + angle * h, y - h * 0.52),
                (x + h * 0.0 + angle * h, y - h * 0.52),
                (x - h * 0.015 + angle * h * 1.4, y - h * 0.36),
                (x - h * 0.045 + angle * h * 1.4, y - h * 0.36),
            ],
            mix(dark, WHITE, 0.15),
            dark,
        )
    view.area(
        [
            (x - h * 0.1, y - h * 0.72),
            (x + h * 0.04, y - h * 0.76),
            (x - h * 0.08, y - h * 1.0),
            (x - h * 0.2, y - h * 0.96),
        ],
        dark,
        mix(dark, WHITE, 0.2),
    )
    view.round((x + h * 0.22, y - h * 0.25), h * 0.055, h * 0.055, dark, mix(dark, WHITE, 0.2))


def screen(view: View, rng: random.Random, foot: Point, high: float) -> None:
    """A screen with a curve."""
    x, y = foot
    wide, line = high * 1.5, rng.choice(LIQUIDS)
    view.box(x - wide * 0.12, y - high * 0.2, x + wide * 0.12, y, colour("#3a4148"))
    view.box(x - wide / 2, y - high, x + wide / 2, y - high * 0.16, colour("#20262c"))
    view.box(
        x - wide * 0.48,
        y - high * 0.97,
        x + wide * 0.48,
        y - high * 0.2,
        mix(colour("#0e2233"), line, 0.12),
        colour("#0b1722"),
    )
    spikes = [(rng.random(), rng.uniform(0.2, 0.65), rng.uniform(0.008, 0.03)) for _ in range(7)]
    curve = [
        (
            x - wide * 0.45 + wide * 0.9 * step / 200,
            y
            - high
            * (
                0.28
                + sum(size / (1 + ((step / 200 - where) / narrow) ** 2) for where, size, narrow in spikes)
                * 0.6
            ),
        )
        for step in range(201)
    ]
    curve = [(px, max(py, y - high * 0.93)) for px, py in curve]
    for row in range(5):
        view.box(
            x - wide * 0.45,
            y - high * (0.3 + row * 0.14),
            x + wide * 0.45,
            y - high * (0.3 + row * 0.14) + 0.0012,
            mix(line, BLACK, 0.6),
        )
    ImageDraw.Draw(view.image).line(
        [view.at(one) for one in curve],
        mix(line, WHITE, 0.45),
        max(2, round(high * 0.012 * view.image.height)),
        joint="curve",
    )
    view.glow((x, y - high * 0.55), high * 0.5, line, 0.2)


def room(view: View, rng: random.Random, _laboratory: str) -> None:
    """A laboratory with a window, a shelf and a bench."""
    wall, bench = mix(colour("#e4e9ea"), rng.choice(LIQUIDS), 0.07), 0.7
    view.fade(0, bench, mix(wall, WHITE, 0.3), mix(wall, BLACK, 0.12))
    left = view.wide * rng.uniform(0.06, 0.14)
    view.box(
        left, 0.08, left + 0.62, 0.52, mix(colour("#bcd6e8"), WHITE, 0.3), mix(colour("#d5e6cf"), WHITE, 0.4)
    )
    view.area(
        [
            (left, 0.44),
            (left + 0.2, 0.38),
            (left + 0.4, 0.43),
            (left + 0.62, 0.36),
            (left + 0.62, 0.52),
            (left, 0.52),
        ],
        colour("#a9c3a0"),
        blur=0.01,
    )
    for x in (0.0, 0.305, 0.61):
        view.box(left + x - 0.008, 0.07, left + x + 0.014, 0.53, mix(wall, WHITE, 0.7))
    view.box(left - 0.03, 0.52, left + 0.66, 0.54, mix(wall, WHITE, 0.6))
    shelf = left + 0.78
    for level in (0.24, 0.46):
        x = shelf + 0.05
        while x < view.wide - 0.14:
            bottle(view, rng, (x, level), rng.uniform(0.1, 0.15))
            x += rng.uniform(0.06, 0.09)
        view.box(shelf, level, view.wide - 0.08, level + 0.014, mix(wall, BLACK, 0.25), mix(wall, BLACK, 0.4))
    view.soften(0.004)
    view.glow((left + 0.31, 0.3), 0.5, WHITE, 0.5)
    view.fade(bench, 1, mix(wall, BLACK, 0.06), mix(wall, BLACK, 0.3))
    view.box(
        0,
        bench,
        view.wide,
        bench + 0.13,
        mix(colour("#5f6b73"), WHITE, 0.35),
        mix(colour("#4d585f"), WHITE, 0.1),
    )
    view.box(0, bench + 0.13, view.wide, bench + 0.15, colour("#3d464c"))
    front = mix(rng.choice([colour("#e9ecec"), colour("#c8d3d8"), colour("#b7c7c0")]), wall, 0.3)
    for door in range(round(view.wide / 0.3) + 1):
        view.box(door * 0.3, bench + 0.16, door * 0.3 + 0.292, 1, front, mix(front, BLACK, 0.22))
        view.box(door * 0.3 + 0.1, bench + 0.185, door * 0.3 + 0.19, bench + 0.196, mix(front, BLACK, 0.5))
    things = [cone, microscope, screen, bottle, cone]
    rng.shuffle(things)
    for number, thing in enumerate(things[:4] if view.wide > 1 else things[:2]):
        x = view.wide * (number + 0.6) / 4.3
        thing(
            view,
            rng,
            (x, bench + rng.uniform(0.05, 0.09)),
            {cone: 0.2, microscope: 0.38, screen: 0.3, bottle: 0.22}[thing],
        )


def out_of_focus(view: View, rng: random.Random, tone: Colour) -> None:
    """A room that is only light and colour."""
    view.fade(0, 1, mix(tone, WHITE, 0.55), mix(tone, BLACK, 0.45))
    for _ in range(14):
        x, y, size = rng.uniform(0, view.wide), rng.uniform(0, 0.75), rng.uniform(0.04, 0.14)
        view.round(
            (x, y),
            size,
            size,
            mix(rng.choice(LIQUIDS), WHITE, 0.55),
            blur=0.006,
            alpha=rng.uniform(0.12, 0.35),
        )
    view.soften(0.02)
    view.fade(0.78, 1, mix(tone, WHITE, 0.2), mix(tone, BLACK, 0.4))


def tubes(view: View, rng: random.Random, tone: Colour) -> None:
    """Tubes in a rack."""
    count = round(view.wide / 0.15)
    for number in range(count):
        x, liquid = (
            (number + 0.5) * view.wide / count,
            mix(tone, LIQUIDS[(number + rng.randint(0, 1)) % len(LIQUIDS)], 0.7),
        )
        level = rng.uniform(0.36, 0.55)
        view.box(
            x - 0.042, 0.14, x + 0.042, 0.86, mix(WHITE, liquid, 0.1), mix(WHITE, liquid, 0.2), alpha=0.45
        )
        view.box(
            x - 0.042, level, x + 0.042, 0.86, mix(liquid, WHITE, 0.3), mix(liquid, BLACK, 0.3), alpha=0.9
        )
        view.round((x, 0.86), 0.042, 0.04, mix(liquid, BLACK, 0.3))
        view.round((x, level), 0.042, 0.01, mix(liquid, WHITE, 0.6))
        view.box(x - 0.03, 0.16, x - 0.018, 0.82, WHITE, blur=0.004, alpha=0.65)
        view.round((x, 0.14), 0.05, 0.012, mix(WHITE, tone, 0.15))
    for level in (0.3, 0.66):
        view.box(
            0,
            level,
            view.wide,
            level + 0.05,
            mix(colour("#dfe5e8"), tone, 0.1),
            mix(colour("#9aa5ab"), tone, 0.2),
            alpha=0.92,
        )


def pull(view: View, rng: random.Random, tone: Colour) -> None:
    """A specimen in the grips of a testing machine."""
    x, steel = view.wide * 0.52, mix(colour("#aab4ba"), tone, 0.15)
    for side in (-0.5, 0.42):
        view.box(x + side, 0, x + side + 0.085, 1, mix(steel, WHITE, 0.4), mix(steel, BLACK, 0.35))
        view.box(x + side + 0.02, 0, x + side + 0.03, 1, WHITE, blur=0.004, alpha=0.6)
    for top, bottom in ((0.0, 0.2), (0.84, 1.0)):
        view.box(x - 0.6, top, x + 0.6, bottom, mix(tone, BLACK, 0.45), mix(tone, BLACK, 0.65))
    for up in (0, 1):
        body = [(-0.12, 0.2), (0.12, 0.2), (0.12, 0.34), (0.06, 0.4), (-0.06, 0.4), (-0.12, 0.34)]
        view.area(
            [(x + dx, 1.04 - dy if up else dy) for dx, dy in body],
            mix(steel, BLACK, 0.3 if up else 0.1),
            mix(steel, BLACK, 0.5),
        )
        for rib in range(4):
            y = (0.74 if up else 0.24) + rib * 0.022
            view.box(x - 0.115, y, x + 0.115, y + 0.006, mix(steel, BLACK, 0.65))
    waist = [
        (x + side * (0.028 + 0.018 * abs(step / 10 - 1) ** 3), 0.36 + 0.32 * step / 20)
        for side in (-1, 1)
        for step in (range(21) if side < 0 else range(20, -1, -1))
    ]
    metal = rng.choice([colour("#c9d0d4"), colour("#c98f5a"), colour("#b8bec2")])
    view.area(waist, mix(metal, WHITE, 0.35), mix(metal, BLACK, 0.2))
    view.box(x - 0.012, 0.38, x - 0.004, 0.66, WHITE, blur=0.003, alpha=0.8)
    view.glow((x, 0.52), 0.28, mix(tone, WHITE, 0.5), 0.35)


def block(view: View, rng: random.Random, tone: Colour) -> None:
    """A cube of concrete between the plates of a press."""
    x, grey = view.wide * 0.5, mix(colour("#a9a79f"), tone, 0.08)
    for top, bottom in ((0.0, 0.22), (0.8, 1.0)):
        view.box(
            x - 0.56,
            top,
            x + 0.56,
            bottom,
            mix(colour("#56616a"), WHITE, 0.2),
            mix(colour("#3b444b"), tone, 0.15),
        )
    view.box(x - 0.44, 0.22, x + 0.44, 0.28, colour("#c2c9cd"), colour("#7f888e"))
    view.box(x - 0.44, 0.74, x + 0.44, 0.8, colour("#c2c9cd"), colour("#7f888e"))
    view.box(x - 0.27, 0.28, x + 0.19, 0.74, mix(grey, WHITE, 0.25), mix(grey, BLACK, 0.1))
    view.area(
        [(x + 0.19, 0.28), (x + 0.3, 0.3), (x + 0.3, 0.72), (x + 0.19, 0.74)],
        mix(grey, BLACK, 0.3),
        mix(grey, BLACK, 0.45),
    )
    for _ in range(170):
        px, py, size = x + rng.uniform(-0.26, 0.18), rng.uniform(0.29, 0.73), rng.uniform(0.001, 0.006)
        view.round(
            (px, py),
            size * 1.4,
            size,
            mix(grey, rng.choice([BLACK, WHITE, colour("#8a7f70")]), rng.uniform(0.1, 0.4)),
        )
    crack = [(x - 0.1, 0.28)]
    while crack[-1][1] < 0.7:
        crack.append((crack[-1][0] + rng.uniform(-0.03, 0.045), crack[-1][1] + rng.uniform(0.02, 0.05)))
    ImageDraw.Draw(view.image).line(
        [view.at(one) for one in crack], mix(grey, BLACK, 0.75), max(2, round(0.004 * view.image.height))
    )


def dishes(view: View, rng: random.Random, tone: Colour) -> None:
    """Dishes with colonies, from above."""
    view.fade(0, 1, mix(colour("#eef1f2"), tone, 0.1), mix(colour("#c6ced2"), tone, 0.2))
    for row in range(2):
        for column in range(round(view.wide / 0.44) + 1):
            x, y, size = column * 0.46 + (0.06 if row else 0.28), 0.28 + row * 0.47, 0.2
            agar = rng.choice([colour("#e6c98a"), colour("#c9586a"), colour("#efe6cf"), colour("#8fb9a5")])
            view.round((x + 0.025, y + 0.035), size, size, BLACK, blur=0.02, alpha=0.4)
            view.round((x, y), size, size, mix(WHITE, tone, 0.06))
            view.round((x, y), size * 0.93, size * 0.93, mix(agar, WHITE, 0.25), mix(agar, BLACK, 0.08))
            for _ in range(rng.randint(4, 40)):
                around, far = rng.random() * 2 * pi, rng.random() ** 0.5 * size * 0.82
                spot = rng.uniform(0.004, 0.014)
                view.round(
                    (x + far * cos(around), y + far * sin(around)),
                    spot,
                    spot,
                    mix(agar, rng.choice([WHITE, BLACK]), 0.55),
                )
            view.area(
                [(x + size * 0.86 * cos(a / 20), y + size * 0.86 * sin(a / 20)) for a in range(66, 90)]
                + [(x + size * 0.8 * cos(a / 20), y + size * 0.8 * sin(a / 20)) for a in range(89, 65, -1)],
                WHITE,
                blur=0.004,
                alpha=0.8,
            )


def grain(view: View, rng: random.Random, tone: Colour) -> None:
    """The year rings of a trunk."""
    wood = mix(colour("#c79a63"), tone, 0.05)
    x, y = view.wide * rng.uniform(0.4, 0.6), rng.uniform(0.45, 0.6)
    radius, ring = 1.25, 0
    while radius > 0.02:
        dark = 0.35 if ring % 2 else rng.uniform(0.0, 0.12)
        points = [
            (
                x + radius * (1 + 0.035 * sin(3 * a / 30 + 1) + 0.012 * sin(11 * a / 30)) * cos(a / 30),
                y + radius * 0.86 * (1 + 0.03 * sin(2 * a / 30)) * sin(a / 30),
            )
            for a in range(189)
        ]
        view.area(points, mix(mix(wood, WHITE, 0.25 * (1.25 - radius)), colour("#6b4526"), dark))
        radius -= 0.007 if ring % 2 else rng.uniform(0.015, 0.045)
        ring += 1
    for number in range(3):
        a = rng.random() * 6.3
        view.area(
            [
                (x, y),
                (x + 0.7 * cos(a), y + 0.6 * sin(a)),
                (x + 0.7 * cos(a + 0.012 + number * 0.003), y + 0.6 * sin(a + 0.015)),
            ],
            colour("#4f321c"),
        )
    view.glow((view.wide * 0.2, 0.1), 0.6, WHITE, 0.22)


def cloth(view: View, rng: random.Random, tone: Colour) -> None:
    """Threads of a cloth, close."""
    linen = colour("#e6ddcc")
    one, other = mix(tone, linen, 0.55), mix(mix(tone, BLACK, 0.35), linen, 0.2)
    step = 0.085
    view.fade(0, 1, mix(one, BLACK, 0.6), mix(one, BLACK, 0.7))
    for row in range(round(1 / step) + 1):
        for column in range(round(view.wide / step) + 1):
            x, y = column * step, row * step
            over = (row + column) % 2
            hue = mix(one if over else other, BLACK, rng.uniform(0, 0.12))
            wide, high = (0.064, 0.036) if over else (0.036, 0.064)
            view.round((x, y), wide, high, mix(hue, WHITE, 0.18), mix(hue, BLACK, 0.3))
    view.glow((view.wide * 0.7, 0.2), 0.7, WHITE, 0.2)


def meter(view: View, rng: random.Random, tone: Colour) -> None:
    """Screens of instruments in a dark room."""
    view.fade(0, 1, mix(colour("#222c36"), tone, 0.15), colour("#11171d"))
    for number in range(3 if view.wide > 1 else 1):
        x = view.wide * (number + 0.5) / (3 if view.wide > 1 else 1)
        view.box(x - 0.27, 0.2, x + 0.27, 0.82, colour("#3a444d"), colour("#262e35"))
        screen(view, rng, (x, 0.62), 0.36)
        for knob in range(4):
            view.round((x - 0.18 + knob * 0.12, 0.73), 0.032, 0.032, colour("#8b969e"), colour("#4b555d"))
            view.box(x - 0.182 + knob * 0.12, 0.705, x - 0.178 + knob * 0.12, 0.725, WHITE)
    view.fade(0.84, 1, colour("#2d363d"), colour("#14191d"))


CLOSE = {
    "metall": pull, "rhein": pull, "nord": pull, "polymer": pull, "donau": pull, "beton": block, "strassen": block, "jura": block, "boden": tubes, "alpen": tubes,
    "quell": tubes, "hafen": tubes, "marsch": dishes, "milch": dishes, "zeytin": dishes, "tann": grain, "faerberei": cloth, "wlokno": cloth, "druckhof": cloth,
    "funkel": meter, "still": meter, "mess": meter, "bieler": meter,
}  # fmt: skip
"""What a laboratory looks at closely, by a part of its name."""


def close(view: View, rng: random.Random, laboratory: str) -> None:
    """What a laboratory looks at, with the room out of focus."""
    tone = LIQUIDS[sha256(laboratory.encode()).digest()[3] % len(LIQUIDS)]
    subject = next((one for part, one in CLOSE.items() if part in laboratory), tubes)
    out_of_focus(view, rng, mix(tone, colour("#8fa3ad"), 0.55))
    subject(view, rng, tone)


def around(view: View, rng: random.Random, laboratory: str) -> None:
    """The country around, with water that mirrors it."""
    _, country = place_of(laboratory)
    horizon = 0.56
    sky(view, rng, horizon + 0.03)
    sun = (view.wide * rng.uniform(0.25, 0.75), horizon * rng.uniform(0.45, 0.75))
    view.glow(sun, 0.25, mix(view.light.horizon, colour("#fff1c9"), 0.6), 0.8)
    view.round(sun, 0.035, 0.035, mix(WHITE, view.light.horizon, 0.2), blur=0.004)
    COUNTRY[country](view, rng, horizon)
    edge = round(view.image.height * horizon)
    mirror = view.image.crop((0, 0, view.image.width, edge)).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    mirror = mirror.resize((view.image.width, view.image.height - edge)).filter(
        ImageFilter.GaussianBlur(view.image.height * 0.006)
    )
    view.image.paste(
        Image.blend(
            mirror, Image.new("RGB", mirror.size, mix(view.light.shade, view.light.above, 0.5)), 0.35
        ),
        (0, edge),
    )
    for _ in range(60):
        y = horizon + (1 - horizon) * rng.random() ** 1.5
        x, long = rng.uniform(0, view.wide), rng.uniform(0.05, 0.3) * (0.3 + y - horizon)
        view.box(x, y, x + long, y + 0.0025, mix(view.light.horizon, WHITE, 0.3), alpha=0.4)
    bank = mix(colour("#5c6f3d"), view.light.shade, 0.45)
    view.area(ridge(view, rng, 0.93, 0.025, 3), bank, mix(bank, BLACK, 0.3))
    for _ in range(90):
        x, high = rng.uniform(0, view.wide), rng.uniform(0.03, 0.13)
        view.area(
            [(x, 0.99), (x + 0.006, 0.99), (x + rng.uniform(-0.03, 0.04), 0.97 - high)],
            mix(bank, view.light.horizon, rng.uniform(0, 0.35)),
        )


SCENES = [house, room, close, around]


def draw_scene(size: tuple[int, int], laboratory: str, number: int, rng: random.Random) -> Image.Image:
    """Draw the house of a laboratory (1, 5), a room (2, 6), a close view (3), or the country around (4); for lists (0), one of these."""
    own = sha256(laboratory.encode()).digest()
    view = View(size, LIGHTS[(own[0] + number // 4) % len(LIGHTS)])
    scene = SCENES[(number - 1) % len(SCENES)] if number else (house, close, house, room)[own[4] % 4]
    scene(view, rng, laboratory)
    return view.image
