"""Every kind of board as its mail shows it, in a real browser: one picture for light and one for dark, a width each.

    python -m bench.screenshots [folder [game ...]]

Needs Chromium. Each game stands there at its smallest, its usual and its largest size, after some moves. They are to be
looked at by a person: nothing here judges them.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from games import GAMES
from pbm.compose.forms import Sheet
from pbm.compose.html import mailto
from pbm.compose.pages import Pages
from pbm.compose.views import View
from pbm.compose.wire import Part, Parts
from pbm.domain.match import State

PLIES = 9
WIDTHS = (390, 800)
HEIGHT = 1500
ADDRESS = "pbm+absqeayaliong6ygdna7jn6i@example.org"


def sizes(game: str) -> Iterator[list[str]]:
    """The words of challenges for a small, a usual and a large board."""
    options = {option.name: option for option in GAMES[game].info.options}
    counted = next((options[name] for name in ("size", "sides", "columns") if name in options), None)
    yield []
    if counted:
        yield from ([f"-{counted.name}={size}"] for size in (counted.low, counted.high) if size)
    if "board" in options:
        yield from (["-board=3"], ["-board=complete", "-points=12"])


def played(game: str, words: list[str]) -> State:
    state = State.start(GAMES[game], words)
    for ply in range(PLIES):
        moves = list(islice(state.game.moves(state.position), 200))
        if not moves or state.outcome is not None:
            break
        state, _ = state.play(state.game.notate(state.position, moves[7 * (ply + 1) % len(moves)]))
    return state


def page(state: State) -> str:
    """The HTML of a board mail, its picture in it."""
    sheet = Sheet(Pages(), "html", "example.org")
    body = sheet.body(sheet.board(View(state), "ascii", mailto(ADDRESS, "Re: 101")), "Board 101")
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
