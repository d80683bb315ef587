"""Materials of pictures: a palette, our own fonts, and pieces that are drawn smoothly once and then stamped.

A picture is an image of palette numbers, so it is small and fast to write. Smooth edges are drawn in true colours at
several times their size, reduced, and then mapped to the palette.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from io import BytesIO
from itertools import product
from pathlib import Path

from PIL import Image, ImageColor, ImageDraw, ImageFont

from games.scene import Form
from pbm.draw.colours import CLOSED, COLOURS, FAINT, INK, LAST, LINE, PAPER, SHADED, WINNING, WOOD, Picture, text_on

FONTS = Path(__file__).parent / "fonts"
FINER = 4
"""How many times larger than its final size a smooth thing is drawn."""
GROUNDS = (PAPER, WOOD, SHADED, CLOSED)

Pen = ImageDraw.ImageDraw
Point = tuple[float, float]


def mixed(one: str, other: str, share: int = 3) -> str:
    """A mixture of two colours. share: sixths of `one`."""
    parts = zip(ImageColor.getrgb(one), ImageColor.getrgb(other), strict=True)
    return "#{:02x}{:02x}{:02x}".format(*((a * share + b * (6 - share)) // 6 for a, b in parts))


FEW = 16  # a picture with at most this many colours needs half the room per pixel
_STROKES = (INK, LINE, COLOURS["green"], COLOURS["red"], COLOURS["blue"], COLOURS["purple"])
_FIRST = (PAPER, FAINT, COLOURS["yellow"], *_STROKES, *(mixed(ink, PAPER) for ink in (FAINT, *_STROKES)))
# They come first in the palette, so that a picture of lines and letters alone needs few colours.
"""The colours for lines and letters on paper, including their soft edges."""


_EDGES = (INK, LINE, LAST, WINNING)
"""The colours of the edges of pieces and cells, which touch all grounds."""


@cache
def palette(most: int = 256) -> Image.Image:
    """All colours of pictures: those of boards, and mixtures of each with the colours it may touch.

    most: how many colours to keep.
    """
    inks = dict.fromkeys((*_FIRST, *GROUNDS, *COLOURS.values(), LAST, WINNING))
    pairs = [*product(_EDGES, GROUNDS), *((fill, text_on(fill)) for fill in COLOURS.values())]
    between = dict.fromkeys(mixed(ink, ground, share) for ink, ground in pairs for share in (2, 4))
    colours = [*inks, *(colour for colour in between if colour not in inks)][:most]
    image = Image.new("P", (1, 1))
    image.putpalette([part for colour in colours for part in ImageColor.getrgb(colour)])
    return image


def flat(image: Image.Image, most: int = 256) -> Image.Image:
    """The image in palette numbers. most: how many of the first colours may be used."""
    return image.quantize(palette=palette(most), dither=Image.Dither.NONE)


@cache
def number(colour: str, most: int = 256) -> int:
    """The palette number of a colour. most: how many of the first colours may be used."""
    return flat(Image.new("RGB", (1, 1), colour), most).tobytes()[0]


@cache
def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """bold: bold and monospaced."""
    name = "DejaVuSansMono-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(FONTS / name), size, layout_engine=ImageFont.Layout.BASIC)


def blank(width: int, height: int) -> Image.Image:
    """Empty paper for lines and letters, in numbers of the palette's first colours."""
    image = Image.new("P", (width, height), number(PAPER))
    image.putpalette(palette(FEW).getpalette() or [])
    return image


def smooth(width: int, height: int, ground: str, paint: Callable[[Pen, int], None]) -> Image.Image:
    """An image in true colours. paint: draws it enlarged; its second argument is the factor."""
    large = Image.new("RGB", (width * FINER, height * FINER), ground)
    paint(ImageDraw.Draw(large), FINER)
    return large.reduce(FINER)


@lru_cache(maxsize=1000)
def dot(radius: int, fill: str) -> Image.Image:
    """A disc on paper, for stamping."""

    def paint(pen: Pen, finer: int) -> None:
        box = 0, 0, (2 * radius + 1) * finer - 1, (2 * radius + 1) * finer - 1
        pen.ellipse(box, fill, INK, finer)

    return flat(smooth(2 * radius + 1, 2 * radius + 1, PAPER, paint), FEW)


@lru_cache(maxsize=1000)
def piece(radius: int, fill: str, ring: str, letter: str, ground: str, form: Form = Form.STONE) -> Image.Image:
    """A piece in a square of side 2 * radius + 1, for stamping on its ground. ring: the colour of its edge."""
    side, thick = 2 * radius + 1, 1 if ring == INK else 3

    def paint(pen: Pen, finer: int) -> None:
        box, width = (0, 0, side * finer - 1, side * finer - 1), thick * finer
        if form in (Form.ARROW, Form.WALL):
            pen.rectangle(box, fill, ring, width)
        else:
            pen.ellipse(box, fill, ring, width)
        if form is Form.QUEEN:
            inner = radius * finer // 3
            pen.ellipse((inner, inner, box[2] - inner, box[3] - inner), None, text_on(fill), finer)

    image = smooth(side, side, ground, paint)
    if letter:
        write(ImageDraw.Draw(image), letter, radius, radius, radius, text_on(fill))
    return flat(image)


@lru_cache(maxsize=50)
def disc(radius: int) -> Image.Image:
    """The mask of a disc in its square."""
    mask = Image.new("1", (2 * radius + 1, 2 * radius + 1))
    ImageDraw.Draw(mask).ellipse((0, 0, 2 * radius, 2 * radius), 1)
    return mask


def stamp(image: Image.Image, stamped: Image.Image, middle: Point, *, square: bool = False) -> None:
    """Pastes a thing with its centre at middle. square: with its corners."""
    width, height = stamped.size
    corner = round(middle[0]) - width // 2, round(middle[1]) - height // 2
    image.paste(stamped, corner, None if square else disc(width // 2))


@lru_cache(maxsize=5000)
def lettering(words: str, size: int, width: int, ink: str) -> Image.Image:
    """Bold words on a strip of paper, for stamping."""
    image = Image.new("RGB", (width, size), PAPER)
    write(ImageDraw.Draw(image), words, size, width / 2, size / 2, ink, bold=True)
    return flat(image, FEW)


def write(pen: Pen, words: str, size: int, x: float, y: float, fill: str | int = INK, *, bold: bool = False) -> None:
    """Writes words centred on a point."""
    pen.text((x, y), words, fill, font(size, bold=bold), anchor="mm")


def finished(image: Image.Image) -> Picture:
    """The file of an image in palette numbers."""
    file = BytesIO()
    image.save(file, "PNG")
    return Picture(file.getvalue(), image.width, image.height)
