"""Every kind of board as its mail shows it, in a real browser: one picture for light and one for dark per width.

    python -m bench.screenshots --help

Needs Chromium. Each game is shown at its smallest, usual and largest size, and on each board that it offers, after some
moves. A person has to look at the pictures: nothing here judges them. With --mail it makes the README's picture: a
whole mail, as a phone shows it.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import click
from PIL import Image, ImageChops

from games import GAMES
from games.rules import YES_NO
from pbm.compose.pages import Sheet
from pbm.compose.views import View
from pbm.compose.wire import Links, to_bytes
from pbm.domain.match import State
from tests.conversation import House, address_of
from tests.databases import Files
from tests.games.variants import largest, opening, smallest

PLIES = 9
WIDTHS = (390, 800)
HEIGHT = 3600
EDGE = 2
ADDRESS = "pbm+absqeayaliong6ygdna7jn6i@example.org"
OPENING = ("D4", "D5", "F6", "C4", "E7", "E4")
SAID = "F5\n\nGood luck!"


def sizes(name: str) -> list[tuple[str, ...]]:
    """The options for the smallest, the usual and the largest board, and for each choice of another board."""
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
    """The HTML of a board in a mail, with its picture in it."""
    sheet = Sheet("html", "example.org")
    body = sheet.body(sheet.board(View(state), "ascii", Links(ADDRESS, "Re: 101")), "Board 101")
    return seen(to_bytes({}, body))


def seen(mail: bytes) -> str:
    """The HTML of a mail, with its pictures in it."""
    parts = list(message_from_bytes(mail, policy=default).walk())
    html = next(str(part.get_content()) for part in parts if part.get_content_type() == "text/html")
    for part in parts:
        if part["Content-ID"]:
            data = base64.b64encode(part.get_content()).decode()
            html = html.replace(f"cid:{part['Content-ID'].strip('<>')}", f"data:image/png;base64,{data}")
    return html


def board_mail(folder: Path) -> str:
    """The mail to a player whose turn it is after the first moves of a game."""
    house = House(Files(folder).ready())
    house.player("alice")
    house.player("bob", form="html")
    board = house.game("cross alice bob", OPENING)
    return seen(next(got for got in house.answer("alice", SAID, board) if got.address == address_of("bob")).raw)


def shoot(browser: str, frames: list[Path], width: int, *, dark: bool, out: Path) -> None:
    look = "background:#121212;color-scheme:dark" if dark else "background:#ffffff"
    style = f"width:{width}px;height:{HEIGHT}px;border:0;margin:{EDGE}px;{look}"
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
    """Cut off the empty part below the longest mail."""
    with Image.open(out) as image:
        shown = image.convert("RGB")
    foot = shown.crop((0, HEIGHT - 40, shown.width, HEIGHT - 20)).resize(shown.size, Image.Resampling.NEAREST)
    box = ImageChops.difference(shown, foot).crop((0, 20, shown.width, HEIGHT - 20)).getbbox()
    shown.crop((0, 0, shown.width, min(HEIGHT, (box[3] if box else 0) + 40))).save(out)


def shoot_mail(browser: str, out: Path) -> None:
    """One mail alone, in few colours, to keep the file small."""
    with tempfile.TemporaryDirectory() as name:
        frame, taken = Path(name, "mail.html"), Path(name, "taken.png")
        frame.write_text(board_mail(Path(name)))
        shoot(browser, [frame], WIDTHS[0], dark=False, out=taken)
        with Image.open(taken) as image:
            mail = image.crop((EDGE, EDGE, image.width - 2 * EDGE, image.height))
        mail.quantize(48, dither=Image.Dither.NONE).save(out, optimize=True)


def shoot_boards(browser: str, folder: Path, games: Iterable[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for game in games:
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


@click.command(help=(__doc__ or "").split("\n")[0])
@click.argument("games", nargs=-1, type=click.Choice(list(GAMES)))
@click.option("--folder", type=click.Path(path_type=Path), default=Path("build/screenshots"), show_default=True)
@click.option("--mail", type=click.Path(path_type=Path), help="Only the README's picture, into this file.")
def main(games: Sequence[str], folder: Path, mail: Path | None) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise click.ClickException("There is no Chromium here.")
    if mail is not None:
        shoot_mail(browser, mail)
    else:
        shoot_boards(browser, folder.absolute(), games or GAMES)


if __name__ == "__main__":
    main()
