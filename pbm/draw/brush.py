"""The materials of pictures: a palette, fonts shipped with us, and pieces drawn smoothly once and stamped ever after.

A picture is an image of palette numbers, which makes it small and quick to write. Smooth edges are drawn in true
colours, several times as large as they will be, and then found in the palette.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, product
from operator import mul
from pathlib import Path
from struct import pack
from types import MappingProxyType
from typing import NamedTuple

from PIL import Image, ImageColor, ImageDraw, ImageFont
from zlib_ng import zlib_ng

from games.scene import Form

Marks = Mapping[str, str]
"""Characters that stand for those of the plain drawing; those it does not have stay."""
PLAIN: Marks = MappingProxyType({})

INK = "#222222"
LINE = "#777777"
FAINT = "#c8c8c8"
PAPER = "#ffffff"
WOOD, SHADED, CLOSED = "#f0e2c0", "#d9bf8c", "#bdb9b0"
"""Grounds of places: of most, of those darker than their neighbours, of those where nobody may play now."""
LAST = "#d62f1f"
WINNING = "#1f9a4b"

COLOURS = {
    "black": INK, "white": PAPER, "red": "#c62828", "blue": "#1f4fbf", "yellow": "#ffd92e", "purple": "#6a2fa3",
    "green": "#2e8b57", "grey": FAINT,
}  # fmt: skip
_USUAL = {"B": "black", "X": "black", "W": "white", "O": "white", "Y": "yellow", "P": "purple", "R": "red"}
_DARK = {COLOURS[name] for name in ("black", "red", "blue", "purple", "green")}


def fill_of(letter: str, colours: Mapping[str, str]) -> str:
    """The colour of a piece, by its letter, which is written on it besides. colours: names of others than usual."""
    return COLOURS.get(colours.get(letter, _USUAL.get(letter, "grey")), FAINT)


def text_on(fill: str) -> str:
    """The colour in which letters can be read on it."""
    return PAPER if fill in _DARK else INK


def ring_of(fill: str) -> str:
    """The colour of the ring around the piece that the last move brought; red would be lost on a red piece."""
    return COLOURS["yellow"] if fill == COLOURS["red"] else LAST


FONTS = Path(__file__).parent / "fonts"
FINER = 4
"""How many times as large as it will be a smooth thing is drawn."""
GROUNDS = (PAPER, WOOD, SHADED, CLOSED)

Pen = ImageDraw.ImageDraw
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file, and how wide and high it is to be shown, in pixels."""

    data: bytes
    width: int
    height: int
    kind: str = "image/png"


def mixed(one: str, other: str, share: int = 3) -> str:
    """A colour between two. share: sixths of the one."""
    parts = zip(ImageColor.getrgb(one), ImageColor.getrgb(other), strict=True)
    return "#{:02x}{:02x}{:02x}".format(*((a * share + b * (6 - share)) // 6 for a, b in parts))


FEW = 16
"""Colours of a picture that takes half the room for each pixel."""
_STROKES = (INK, LINE, COLOURS["green"], COLOURS["red"], COLOURS["blue"], COLOURS["purple"])
_FIRST = (PAPER, FAINT, COLOURS["yellow"], *_STROKES, *(mixed(ink, PAPER) for ink in (FAINT, *_STROKES)))
"""All that lines and letters on paper need, their soft edges too; they stand first in the palette."""


_EDGES = (INK, LINE, LAST, WINNING)
"""Colours of the edges of pieces and cells, which border on all grounds."""


@cache
def palette(most: int = 256) -> Image.Image:
    """All colours of pictures: those of boards, and what lies between each and the grounds it may border on.

    most: how many of them.
    """
    inks = dict.fromkeys((*_FIRST, *GROUNDS, *COLOURS.values(), LAST, WINNING))
    pairs = [*product(_EDGES, GROUNDS), *((fill, text_on(fill)) for fill in COLOURS.values())]
    between = dict.fromkeys(mixed(ink, ground, share) for ink, ground in pairs for share in (2, 4))
    colours = [*inks, *(colour for colour in between if colour not in inks)][:most]
    image = Image.new("P", (1, 1))
    image.putpalette([part for colour in colours for part in ImageColor.getrgb(colour)])
    return image


def flat(image: Image.Image, most: int = 256) -> Image.Image:
    """The same in numbers of the palette, of its first colours alone where so many are enough."""
    return image.quantize(palette=palette(most), dither=Image.Dither.NONE)


@cache
def number(colour: str, most: int = 256) -> int:
    """The palette's number of a colour, among its first colours alone where so many are enough."""
    return flat(Image.new("RGB", (1, 1), colour), most).tobytes()[0]


@cache
def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """bold: letters of equal width."""
    name = "DejaVuSansMono-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(FONTS / name), size, layout_engine=ImageFont.Layout.BASIC)


def blank(width: int, height: int) -> Image.Image:
    """A sheet of paper for lines and letters, in numbers of the palette's first colours."""
    image = Image.new("P", (width, height), number(PAPER))
    image.putpalette(palette(FEW).getpalette() or [])
    return image


def smooth(width: int, height: int, ground: str, paint: Callable[[Pen, int], None]) -> Image.Image:
    """An image in true colours. paint: draws it on a sheet that is so many times as large."""
    large = Image.new("RGB", (width * FINER, height * FINER), ground)
    paint(ImageDraw.Draw(large), FINER)
    return large.reduce(FINER)


@lru_cache(maxsize=1000)
def dot(radius: int, fill: str) -> Image.Image:
    """A disc on paper, to be stamped."""

    def paint(pen: Pen, finer: int) -> None:
        box = 0, 0, (2 * radius + 1) * finer - 1, (2 * radius + 1) * finer - 1
        pen.ellipse(box, fill, INK, finer)

    return flat(smooth(2 * radius + 1, 2 * radius + 1, PAPER, paint), FEW)


@lru_cache(maxsize=1000)
def piece(radius: int, fill: str, ring: str, letter: str, ground: str, form: Form = Form.STONE) -> Image.Image:
    """A square of twice the radius and one, to be stamped on its ground. ring: the colour of its edge."""
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
    """Where a round thing covers its square."""
    mask = Image.new("1", (2 * radius + 1, 2 * radius + 1))
    ImageDraw.Draw(mask).ellipse((0, 0, 2 * radius, 2 * radius), 1)
    return mask


def stamp(image: Image.Image, stamped: Image.Image, middle: Point, *, square: bool = False) -> None:
    """Put a thing where its middle is to be. square: it has corners."""
    width, height = stamped.size
    corner = round(middle[0]) - width // 2, round(middle[1]) - height // 2
    image.paste(stamped, corner, None if square else disc(width // 2))


@lru_cache(maxsize=5000)
def lettering(words: str, size: int, width: int, ink: str) -> Image.Image:
    """Bold words on a strip of paper, to be stamped."""
    image = Image.new("RGB", (width, size), PAPER)
    write(ImageDraw.Draw(image), words, size, width / 2, size / 2, ink, bold=True)
    return flat(image, FEW)


def write(pen: Pen, words: str, size: int, x: float, y: float, fill: str | int = INK, *, bold: bool = False) -> None:
    """Words centred on a point."""
    pen.text((x, y), words, fill, font(size, bold=bold), anchor="mm")


def finished(image: Image.Image, level: int = 0) -> Picture:
    """The file. level: how hard to make it small, up to 9; 0 for what is usual.

    Lines in few colours gain nothing above level 5. Pillow would hand zlib-ng row after row, and take twice as long.
    """
    return _file(mount(image), zlib_ng.compress(_rows(image), level or (5 if _is_few(image) else 6)))


MARGIN = 1
"""Pixels in front of each row of a picture of cells: of number 0, which says that what follows is no difference."""


class Band(NamedTuple):
    """Some rows of a picture, compressed without regard to those above, and the halves of their check from 0 on."""

    packed: bytes
    octets: int
    upper: int
    lower: int


def band(rows: bytes) -> Band:
    """Of a picture of cells: its pixels, with a margin to the left of them."""
    packer = zlib_ng.compressobj(6, wbits=-15)
    upper, lower = divmod(zlib_ng.adler32(rows), 1 << 16)
    return Band(packer.compress(rows) + packer.flush(zlib_ng.Z_SYNC_FLUSH), len(rows), upper, lower - 1)


def joined(bands: Sequence[Band], mount: Mount) -> Picture:
    """The file of bands one below the other."""
    packed, octets, uppers, lowers = zip(*bands, strict=True)
    low = [*accumulate(lowers, initial=0)]
    high = sum(uppers) + sum(map(mul, octets, low))
    check = pack(">2H", high % _ADLER, (low[-1] + 1) % _ADLER)  # of all rows
    return _file(mount, b"".join((b"\x78\x9c", *packed, b"\3\0", check)))


_ADLER = 65521
"""The modulus of both halves of a zlib stream's check (RFC 1950)."""


def _is_few(image: Image.Image) -> bool:
    return len(image.getpalette() or []) <= 3 * FEW


def _rows(image: Image.Image) -> bytes:
    """As the file has them, each after an octet of zeros: what follows is no difference from others."""
    margin, kind = (2, "P;4") if _is_few(image) else (1, "P")
    return image.crop((-margin, 0, *image.size)).tobytes("raw", kind)


class Mount(NamedTuple):
    """What files of pictures have in common that are as large and have the same palette: how they begin."""

    head: bytes
    width: int
    height: int


def mount(image: Image.Image) -> Mount:
    colours = bytes(image.getpalette() or [])
    size = pack(">2I5B", image.width, image.height, 4 if len(colours) <= 3 * FEW else 8, _IN_PALETTE, 0, 0, 0)
    return Mount(_PNG + _chunk(b"IHDR", size) + _chunk(b"PLTE", colours), image.width, image.height)


def _file(mount: Mount, packed: bytes) -> Picture:
    return Picture(b"".join((mount.head, _chunk(b"IDAT", packed), _END)), mount.width, mount.height)


_PNG = b"\x89PNG\r\n\x1a\n"
_IN_PALETTE = 3
"""Of PNG: pixels are numbers of a palette."""


def _chunk(name: bytes, data: bytes) -> bytes:
    return b"".join((pack(">I", len(data)), name, data, pack(">I", zlib_ng.crc32(data, zlib_ng.crc32(name)))))


_END = _chunk(b"IEND", b"")
