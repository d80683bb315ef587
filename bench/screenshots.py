"""Every kind of board as its mail shows it, in a real browser: one picture for light and one for dark, a width each.

    python -m bench.screenshots [folder [game ...]]

Needs Chromium. Each game stands there at its smallest, its usual and its largest size, and on each board that it
offers, after some moves. They are to be looked at by a person: nothing here judges them.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image, ImageChops

from games import GAMES
from games.rules import YES_NO
from pbm.compose.pages import Pages, Sheet
from pbm.compose.views import View
from pbm.compose.wire import Links, Part, Parts
from pbm.domain.match import State
from tests.games.variants import largest, opening, smallest

PLIES = 9
WIDTHS = (390, 800)
HEIGHT = 3600
ADDRESS = "pbm+absqeayaliong6ygdna7jn6i@example.org"


def sizes(name: str) -> list[tuple[str, ...]]:
    """The words of challenges for the smallest, the usual and the largest board, and for each choice of another."""
    game = GAMES[name]
    chosen = [
        (f"-{option.name}={each}",)
        for option in game.info.options
        for each in option.choices
        if option.choices != YES_NO
    ]
    return list(dict.fromkeys([smallest(game), (), largest(game), *chosen]))


def played(name: str, words: Sequence[str]) -> State:
    state = State.start(GAMES[name], words)
    for move in opening(GAMES[name], words, PLIES):
        state, _ = state.play(move)
    return state


def page(state: State) -> str:
    """The HTML of a board mail, its picture in it."""
    sheet = Sheet(Pages(), "html", "example.org")
    body = sheet.body(sheet.board(View(state), "ascii", Links(ADDRESS, "Re: 101")), "Board 101")
    html, pictures = "", {}
    for part in parts_of(body):
        if part.kind == "text/html":
            html = str(part.content)
        elif isinstance(part.content, bytes):
            pictures[part.headers["Content-ID"].strip("<>")] = base64.b64encode(part.content).decode()
    for name, data in pictures.items():
        html = html.replace(f"cid:{name}", f"data:image/png;base64,{data}")
    return html


def parts_of(body: str | Part | Parts) -> Iterator[Part]:
    if isinstance(body, Parts):
        for part in body.parts:
            yield from parts_of(part)
    elif isinstance(body, Part):
        yield body


def shoot(browser: str, frames: list[Path], width: int, *, dark: bool, out: Path) -> None:
    look = "background:#121212;color-scheme:dark" if dark else "background:#ffffff"
    style = f"width:{width}px;height:{HEIGHT}px;border:0;margin:2px;{look}"
    shown = "".join(f'<iframe src="{frame.name}" style="{style}"></iframe>' for frame in frames)
    wall = out.with_suffix(".html")
    wall.write_text(f'<body style="margin:0;background:#555555">{shown}')
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files",
        f"--window-size={(width + 6) * len(frames)},{HEIGHT + 8}", f"--screenshot={out}", wall.as_uri(),
    ]  # fmt: skip
    dim = ["--blink-settings=preferredColorScheme=0", "--force-dark-mode"] if dark else []
    subprocess.run([*command[:-1], *dim, command[-1]], check=True, capture_output=True, timeout=120)
    wall.unlink()
    _trim(out)


def _trim(out: Path) -> None:
    """Cut off what is below the longest of the mails."""
    with Image.open(out) as image:
        shown = image.convert("RGB")
    foot = shown.crop((0, HEIGHT - 40, shown.width, HEIGHT - 20)).resize(shown.size, Image.Resampling.NEAREST)
    box = ImageChops.difference(shown, foot).crop((0, 20, shown.width, HEIGHT - 20)).getbbox()
    shown.crop((0, 0, shown.width, min(HEIGHT, (box[3] if box else 0) + 40))).save(out)


def main(folder: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("There is no Chromium here.")
    folder.mkdir(parents=True, exist_ok=True)
    for game in sys.argv[2:] or GAMES:
        frames = []
        for number, words in enumerate(sizes(game)):
            frame = folder / f"{game}-{number}-frame.html"
            frame.write_text(page(played(game, words)))
            frames.append(frame)
        for width in WIDTHS:
            for dark in (False, True):
                out = folder / f"{game}-{width}-{'dark' if dark else 'light'}.png"
                shoot(browser, frames, width, dark=dark, out=out)
                print(out)
        for frame in frames:
            frame.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots").absolute())
