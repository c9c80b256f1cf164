"""Draws the pictures of the sample in data/: logos, buildings, rooms and places of invented laboratories, and no photograph.

    python tests/draw_pictures.py [FOLDER]

Writes what the records in data/laboratories/ name to data/media/ (or to another folder): a logo, a tall picture for
lists, a gallery and what else they name for each. What is drawn follows from the name of the file alone, so the same Pillow draws the
same bytes. Each picture is drawn at twice its size and reduced. Logos are PNG in few colours, scenes are WebP, so that the files stay small.
"""

import json
import random
import sys
from collections.abc import Callable
from hashlib import sha256
from math import cos, pi, sin
from pathlib import Path
from typing import NamedTuple

from draw_scenes import draw_scene
from PIL import Image, ImageDraw

from labgen.model.picture_fields import named_pictures
from labgen.model.records import LaboratoryRecord

ROOT = Path(__file__).resolve().parent.parent
SCALE = 2
"""How much larger a picture is drawn than it is kept."""
COLOURS = 8
"""Of a logo."""
QUALITY = 76
"""Of a scene."""
SIZES = {"logos": (400, 320), "bilder": (480, 672)}
"""The sizes of pictures by their folders; all others have that of a gallery."""
GALLERY = (1600, 900)


class Palette(NamedTuple):
    """The colours of a laboratory: paper, ink, two that carry, and one that stands out."""

    paper: str
    ink: str
    first: str
    second: str
    accent: str


PALETTES = [
    Palette("#eef3f9", "#1d3557", "#457b9d", "#a8dadc", "#e63946"),
    Palette("#f3eee7", "#264653", "#2a9d8f", "#e9c46a", "#e76f51"),
    Palette("#f7f4ee", "#3d405b", "#81b29a", "#f2cc8f", "#e07a5f"),
    Palette("#eaf4f4", "#0b3c49", "#1f7a8c", "#bfdbf7", "#f4a259"),
    Palette("#eef5ee", "#283618", "#606c38", "#dda15e", "#bc6c25"),
    Palette("#f1f0f7", "#2b2d42", "#5c6ea0", "#b8c4e6", "#ef8354"),
]

Point = tuple[float, float]


class Sheet:
    """A sheet to draw on, in shares of its height: (0, 0) is its middle."""

    def __init__(self, size: tuple[int, int], palette: Palette) -> None:
        self.image = Image.new("RGB", (size[0] * SCALE, size[1] * SCALE), palette.paper)
        self.palette = palette
        self.draw = ImageDraw.Draw(self.image)
        self.unit = min(self.image.size) / 2
        self.half = (self.image.width / 2 / self.unit, self.image.height / 2 / self.unit)

    def at(self, point: Point) -> Point:
        """Return a point as the pixels it stands for."""
        return self.image.width / 2 + point[0] * self.unit, self.image.height / 2 + point[1] * self.unit

    def disc(self, middle: Point, radius: float, colour: str) -> None:
        x, y = self.at(middle)
        r = radius * self.unit
        self.draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)

    def area(self, points: list[Point], colour: str) -> None:
        self.draw.polygon([self.at(one) for one in points], fill=colour)

    def block(self, corner: Point, opposite: Point, colour: str, radius: float = 0.0) -> None:
        self.draw.rounded_rectangle((*self.at(corner), *self.at(opposite)), radius * self.unit, fill=colour)

    def stroke(self, points: list[Point], width: float, colour: str) -> None:
        self.draw.line([self.at(one) for one in points], colour, round(width * self.unit), joint="curve")


Motif = Callable[[Sheet, random.Random, Point, float], None]
"""Draws something recognisable around a point, of about a radius."""


def drop(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A drop of water, with its shine."""
    colour = rng.choice(sheet.palette[1:])
    x, y = middle
    curve = [2 * pi * step / 60 for step in range(60)]
    outline = [(x + radius * 0.72 * sin(t) * sin(t / 2) ** 1.5, y - radius * cos(t) * 0.95) for t in curve]
    sheet.area(outline, colour)
    sheet.disc((x - radius * 0.2, y + radius * 0.45), radius * 0.13, sheet.palette.paper)


def flask(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A conical flask, half full."""
    x, y = middle
    r = radius
    sheet.area([(x - 0.18 * r, y - 0.9 * r), (x + 0.18 * r, y - 0.9 * r), (x + 0.18 * r, y - 0.3 * r),
                (x + 0.75 * r, y + 0.9 * r), (x - 0.75 * r, y + 0.9 * r), (x - 0.18 * r, y - 0.3 * r)], sheet.palette.second)  # fmt: skip
    colour = rng.choice([sheet.palette.first, sheet.palette.accent])
    sheet.area([(x - 0.44 * r, y + 0.25 * r), (x + 0.44 * r, y + 0.25 * r), (x + 0.75 * r, y + 0.9 * r),
                (x - 0.75 * r, y + 0.9 * r)], colour)  # fmt: skip
    sheet.block((x - 0.28 * r, y - r), (x + 0.28 * r, y - 0.86 * r), sheet.palette.ink, 0.05 * r)
    for dx, dy, size in ((-0.2, 0.55, 0.09), (0.15, 0.4, 0.06), (0.25, 0.7, 0.11)):
        sheet.disc((x + dx * r, y + dy * r), size * r, sheet.palette.paper)


def peaks(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """Mountains with snow, under a sun."""
    x, y = middle
    sheet.disc((x + radius * 0.6, y - radius * 0.6), radius * 0.2, sheet.palette.accent)
    for dx, height, colour in (
        (-0.45, 0.9, sheet.palette.second),
        (0.45, 1.1, sheet.palette.first),
        (0.0, 1.4, sheet.palette.ink),
    ):
        left, right, top = x + (dx - 0.62) * radius, x + (dx + 0.62) * radius, y + (0.75 - height) * radius
        sheet.area([(left, y + 0.75 * radius), (x + dx * radius, top), (right, y + 0.75 * radius)], colour)
        share = 0.18 + rng.random() * 0.08
        slope = 0.62 * radius * share
        snow = top + height * radius * share
        sheet.area([(x + dx * radius - slope, snow), (x + dx * radius, top), (x + dx * radius + slope, snow),
                    (x + dx * radius, snow - 0.05 * radius)], sheet.palette.second)  # fmt: skip


def gear(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A cogwheel."""
    x, y = middle
    teeth = rng.choice([8, 10, 12])
    for number in range(teeth):
        angle = 2 * pi * number / teeth
        along, across = (cos(angle), sin(angle)), (-sin(angle), cos(angle))
        sheet.area(
            [
                (
                    x + (along[0] * far + across[0] * side) * radius,
                    y + (along[1] * far + across[1] * side) * radius,
                )
                for far, side in ((0.6, -0.14), (0.95, -0.1), (0.95, 0.1), (0.6, 0.14))
            ],
            sheet.palette.ink,
        )
    for share, colour in (
        (0.75, sheet.palette.ink),
        (0.52, sheet.palette.first),
        (0.22, sheet.palette.paper),
    ):
        sheet.disc(middle, radius * share, colour)


def leaf(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A leaf before a sun."""
    x, y = middle
    sheet.disc(middle, radius * 0.85, sheet.palette.second)
    half = [(radius * 0.42 * sin(pi * step / 30), radius * (step / 15 - 1)) for step in range(31)]
    sheet.area(
        [(x + dx, y + dy) for dx, dy in half] + [(x - dx, y + dy) for dx, dy in reversed(half)],
        sheet.palette.first,
    )
    sheet.stroke([(x, y - 0.8 * radius), (x, y + 1.05 * radius)], 0.035 * radius, sheet.palette.ink)
    for step in range(rng.choice([3, 4])):
        height = y + (step * 0.32 - 0.3) * radius
        for side in (-1, 1):
            sheet.stroke(
                [(x, height + 0.15 * radius), (x + side * 0.25 * radius, height - 0.08 * radius)],
                0.03 * radius,
                sheet.palette.ink,
            )


def wave(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A sound, as bars."""
    x, y = middle
    for number in range(-5, 6):
        height = radius * (0.2 + 0.75 * abs(cos(number * 0.55 + rng.random() * 0.4)))
        colour = sheet.palette.ink if number % 2 else sheet.palette.first
        at = x + number * 0.17 * radius
        sheet.block((at - 0.05 * radius, y - height), (at + 0.05 * radius, y + height), colour, 0.05 * radius)


def cube(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A cube, as a sample of concrete."""
    x, y = middle
    r = radius * 0.9
    top, left, right = rng.sample([sheet.palette.second, sheet.palette.first, sheet.palette.ink], 3)
    sheet.area([(x, y - r), (x + 0.87 * r, y - 0.5 * r), (x, y), (x - 0.87 * r, y - 0.5 * r)], top)
    sheet.area([(x - 0.87 * r, y - 0.5 * r), (x, y), (x, y + r), (x - 0.87 * r, y + 0.5 * r)], left)
    sheet.area([(x + 0.87 * r, y - 0.5 * r), (x, y), (x, y + r), (x + 0.87 * r, y + 0.5 * r)], right)


def molecule(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A ring of atoms."""
    x, y = middle
    turn = rng.random() * pi
    ring = [
        (x + cos(turn + pi * step / 3) * radius * 0.7, y + sin(turn + pi * step / 3) * radius * 0.7)
        for step in range(6)
    ]
    sheet.stroke([*ring, ring[0]], 0.08 * radius, sheet.palette.ink)
    for number, atom in enumerate(ring):
        sheet.disc(
            atom, radius * 0.23, (sheet.palette.first, sheet.palette.accent, sheet.palette.second)[number % 3]
        )


def spark(sheet: Sheet, rng: random.Random, middle: Point, radius: float) -> None:
    """A flash in a disc."""
    x, y = middle
    sheet.disc(middle, radius * 0.9, sheet.palette.ink)
    shape = [(0.15, -0.65), (-0.4, 0.1), (-0.05, 0.1), (-0.15, 0.65), (0.4, -0.12), (0.05, -0.12)]
    sheet.area(
        [(x + dx * radius, y + dy * radius) for dx, dy in shape],
        rng.choice([sheet.palette.second, sheet.palette.accent]),
    )


MOTIFS: dict[str, Motif] = {
    "wasser": drop, "faerberei": drop, "hafen": drop, "milch": flask, "alpen": peaks, "gipfel": peaks, "metall": gear,
    "messwinkel": gear, "tann": leaf, "boden": leaf, "marsch": leaf, "bieler": flask, "rhein": wave, "nord": wave,
    "beton": cube, "strassen": cube, "druckhof": cube, "polymer": molecule, "funkel": spark, "jura": peaks, "wlokno": cube, "vester": wave, "zeytin": leaf,
}  # fmt: skip
"""What is drawn for a laboratory, by a part of its name."""


def logo(sheet: Sheet, rng: random.Random, motif: Motif) -> None:
    """One motif."""
    motif(sheet, rng, (0, 0), 0.72)


def draw(name: str) -> Image.Image:
    """Return the picture of a name below data/media/, such as logos/nordkante.png."""
    kind, _, stem = name.rpartition(".")[0].partition("/")
    laboratory, _, number = stem.rpartition("-")
    if not number.isdecimal():
        laboratory, number = stem, "0"
    rng = random.Random(name)
    size = SIZES.get(kind, GALLERY)
    if kind != "logos":
        large = draw_scene((size[0] * SCALE, size[1] * SCALE), laboratory, int(number), rng)
        return large.resize(size, Image.Resampling.BOX)
    sheet = Sheet(size, PALETTES[sha256(laboratory.encode()).digest()[1] % len(PALETTES)])
    logo(sheet, rng, next((one for part, one in MOTIFS.items() if part in laboratory), flask))
    small = sheet.image.resize(size, Image.Resampling.BOX)
    return small.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def named() -> set[str]:
    """Return the names of all pictures that the sample's records name."""
    files = (ROOT / "data/laboratories").glob("*.json")
    written = [json.loads(path.read_bytes(), parse_float=str) for path in files]
    records = [LaboratoryRecord.model_validate(one) for one in written]
    return {name for record in records for _, name in named_pictures(record)}


def main(folder: Path) -> None:
    for name in sorted(named()):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        how = {"optimize": True} if file.suffix == ".png" else {"quality": QUALITY, "method": 6}
        draw(name).save(file, **how)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "data/media")
