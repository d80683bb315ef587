"""How long board mails take by form, and how large they are: `python -m bench.compose [--rounds N]`.

Each position is sent to both its players, as after a move; nothing is shared between positions.

`python -m bench.compose --worst [GAME...]`: the longest that any game takes for one drawing, picture, list of moves or
ply, with the largest and the nastiest options that a challenge may have, in long games.

`python -m bench.compose --pictures [GAME...]`: the picture alone, made anew for each position of a game at its
smallest, usual and largest size: processor milliseconds, the best of three, and octets.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from statistics import median
from typing import TypeVar

import click
from rich.console import Console
from rich.table import Table

from games import GAMES
from games.rules import OptionError
from pbm.compose.composer import Composer
from pbm.compose.machine import MAX_MOVES
from pbm.compose.notices import Notice, Reader
from pbm.compose.tell import mail_bytes
from pbm.compose.views import View
from pbm.domain.match import Match, Player, Ply, Record, State
from pbm.domain.settings import Settings
from pbm.domain.tokens import PlayerToken, Signer
from pbm.draw import picture as pictures
from pbm.features.plan import MAX_PLIES
from pbm.mailin import Robot
from tests.games.variants import largest, smallest

T = TypeVar("T")

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BOARDS = ("cross -size=10", *GAMES)
FORMS = ("text", "html", "both", "both, picture")
PLAYERS = (Player(1, "alice"), Player(2, "bob"))


def positions(words: str, count: int) -> list[tuple[Match, State]]:
    """Positions of random games, each with its record."""
    chance, (name, *options) = random.Random(1), words.split()
    found: list[tuple[Match, State]] = []
    while len(found) < count:
        match = Match(101, name, 1, tuple(options), "", PLAYERS, 0, Record(), NOW)
        state = State.start(GAMES[name], options)
        while state.outcome is None and len(found) < count:
            legal = list(islice(state.game.moves(state.position), 200))
            seat = state.to_move
            state, notation = state.play(state.game.notate(state.position, chance.choice(legal)))
            match = match._replace(record=match.record.appended(Ply(notation, seat, NOW)), revision=match.revision + 1)
            found.append((match, state))
    return found


def seconds(form: str, told: list[tuple[Match, State]]) -> tuple[float, int]:
    """Processor time of a move's two mails, and their size together in octets, on average."""
    pictures.picture.cache_clear()
    composer = Composer(Robot("pbm", "example.org"), Signer(b"secret"))
    mail, _, picture = form.partition(", ")
    settings = Settings(mail=mail, picture="on" if picture else "off")
    readers = [
        Reader((f"{each.userid}@example.net",), each, seat, settings, PlayerToken(each.id, 0, 0))
        for seat, each in enumerate(PLAYERS, 1)
    ]
    begun, octets = time.process_time(), 0
    for match, state in told:
        for reader in readers:
            octets += sum(len(mail_bytes(mail)) for mail in composer.notice(Notice(match, state, reader), NOW))
    return (time.process_time() - begun) / len(told), octets // len(told)


NASTY = {
    "crossgeo": [
        "",
        *(f"-points={points} -board=complete -version={each}" for points in (3, 12) for each in ("g", "rgb")),
    ],
    "polygon": [
        f"-sides={sides} -colours={each}" for sides in (16, 24) for each in ("any", "same", "split", "different")
    ],
    "luddit": ["-size=19 -stones=99 -limit=198", "-size=19 -stones=3 -limit=3"],
    "dots": ["-columns=12 -rows=12", "-columns=2 -rows=12"],
    "go": ["-size=19", "-size=19 -handicap=9"],
}
"""Options besides the largest."""
GRAPHS = {
    "a comb": "\n".join(f"0,{row} 999,{row}" for row in range(200)),
    "a star": "\n".join(f"500,500 {x},{y}" for x, y in [(5 * n, 0) for n in range(200)]),
    "a web": "\n".join(f"0,{row * 5} 999,{995 - row * 5}" for row in range(200)),
    "a mesh": "\n".join(
        [*(f"0,{n} 99,{n + 7}" for n in range(0, 99, 4)), *(f"{n},0 {n + 7},99" for n in range(0, 99, 4))]
    ),
}
"""The bodies of challenges to CrossGeo."""
LONG = 260
"""Up to how many plies of a game the longest is sought."""
EACH = 12
"""How many plies lie between two drawings."""
PARTS: dict[str, Callable[[View], object]] = {
    "moves": lambda view: view.moves,
    "scene": lambda view: view.scene,
    "ascii": lambda view: view.text("ascii"),
    "unicode": lambda view: view.text("unicode"),
    "words": lambda view: view.text("words"),
    "picture": lambda view: next(view.pictures(), None),
    "description": lambda view: view.description,
}


def setups(game: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The options and bodies of challenges."""
    for words in dict.fromkeys([" ".join(largest(GAMES[game])), *NASTY.get(game, [])]):
        yield tuple(words.split()), ""
    if game == "crossgeo":
        yield from (((), graph) for graph in GRAPHS.values())


def timed(spent: dict[str, float], part: str, work: Callable[[], T]) -> T:
    """Run the work without garbage collection, whose time depends on all other objects there are."""
    gc.disable()
    begun = time.thread_time()
    result = work()
    spent[part] = max(spent.get(part, 0), time.thread_time() - begun)
    gc.enable()
    return result


def longest(game: str, options: tuple[str, ...], body: str, last: bool) -> dict[str, float]:
    """The longest seconds of each part. last: whether to play the last move listed, not a random one.

    preview: of as many plies as a preview may have.
    """
    chance, spent = random.Random(3), dict[str, float]()
    state = timed(spent, "start", lambda: State.start(GAMES[game], options, body))
    match = Match(101, game, 1, options, body, PLAYERS, 0, Record(), NOW)
    while state.outcome is None and len(match.record) < LONG:
        legal = timed(spent, "moves", partial(listed, state))
        told, seat = state.game.notate(state.position, legal[-1] if last else chance.choice(legal)), state.to_move
        ply = dict[str, float]()
        state, notation = timed(ply, "ply", partial(state.play, told))
        spent["ply"] = max(spent.get("ply", 0), ply["ply"])
        if len(match.record) < MAX_PLIES:
            spent["preview"] = spent.get("preview", 0) + ply["ply"]
        match = match._replace(record=match.record.appended(Ply(notation, seat, NOW)), revision=match.revision + 1)
        if len(match.record) % EACH == 1 or state.outcome is not None:
            pictures.picture.cache_clear()
            view = View(state)
            for part, work in PARTS.items():
                timed(spent, part, partial(work, view))
            timed(spent, "machine", partial(view.machine, match))
    return spent


def listed(state: State) -> list[object]:
    return list(islice(state.game.moves(state.position), MAX_MOVES))


def _once(work: Callable[[], object]) -> float:
    """Seconds the work takes."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def drawn(games: Sequence[str], rounds: int) -> Table:
    """Draw each board once before it is measured, because its ground is kept for all positions."""
    table = Table("picture", "median ms", "longest ms", "kB", "pixels")
    for name in games or GAMES:
        for words in dict.fromkeys([smallest(GAMES[name]), (), largest(GAMES[name])]):
            boards = [View(state).scene.board for _, state in positions(" ".join((name, *words)), rounds)]
            made = [pictures.drawn(board) for board in boards]
            spent = [1000 * min(_once(partial(pictures.drawn, board)) for _ in range(3)) for board in boards]
            octets = sum(len(picture.data) for picture in made) / len(made)
            size = max((picture.width, picture.height) for picture in made)
            table.add_row(
                " ".join((name, *words)), f"{median(spent):.2f}", f"{max(spent):.2f}", f"{octets / 1000:.1f}",
                f"{size[0]} x {size[1]}",
            )  # fmt: skip
    return table


def worst(games: Sequence[str]) -> Table:
    parts = ("start", "ply", "preview", *PARTS, "machine")
    table = Table("longest, ms of processor", *parts)
    pictures.drawn(View(State.start(GAMES["cross"], ())).scene.board)  # to load what the first picture loads
    for game in games or GAMES:
        found = dict.fromkeys(parts, 0.0)
        for options, body in setups(game):
            for last in (False, True):
                try:
                    spent = longest(game, options, body, last)
                except OptionError:
                    continue
                found = {part: max(found[part], spent.get(part, 0)) for part in parts}
        table.add_row(game, *(f"{found[part] * 1000:.0f}" for part in parts))
    return table


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(list(GAMES)), metavar="[GAME]...")
@click.option("--rounds", default=40, help="Positions of each board.")
@click.option("--worst", "is_worst", is_flag=True, help="The longest of everything, in the nastiest games.")
@click.option("--pictures", "is_pictures", is_flag=True, help="Pictures alone.")
def main(games: tuple[str, ...], rounds: int, *, is_worst: bool, is_pictures: bool) -> None:
    """Print processor milliseconds of the two mails of a move, and their kilobytes."""
    if is_pictures:
        Console(width=120).print(drawn(games, rounds))
        return
    if is_worst:
        Console(width=120).print(worst(games))
        return
    table = Table("two mails of a move, ms and kB", *FORMS)
    for words in BOARDS:
        measured = [seconds(form, positions(words, rounds)) for form in FORMS]
        table.add_row(words, *(f"{spent * 1000:.1f}  {octets / 1000:.0f}" for spent, octets in measured))
    Console().print(table)


if __name__ == "__main__":
    main()
