"""Board mails a second by form, and how large they are: `python -m bench.compose [--rounds N]`.

Each position is told to both its players, as after a move; nothing is shared between positions.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

import click
from rich.console import Console
from rich.table import Table

from games import GAMES
from pbm.compose import Composer, Notice, Reader
from pbm.domain.match import Match, Player, Ply, State
from pbm.domain.settings import Settings
from pbm.domain.tokens import PlayerToken, Signer
from pbm.draw import picture as pictures
from pbm.mailin import Robot

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BOARDS = ("cross -size=10", *GAMES)
FORMS = ("text", "html", "both", "both, picture")
PLAYERS = (Player(1, "alice"), Player(2, "bob"))


def positions(words: str, count: int) -> list[tuple[Match, State]]:
    """Positions of random games, each with its record."""
    chance, (name, *options) = random.Random(1), words.split()
    found: list[tuple[Match, State]] = []
    while len(found) < count:
        match = Match(101, name, 1, tuple(options), "", PLAYERS, 0, (), NOW)
        state = State.start(GAMES[name], options)
        while state.outcome is None and len(found) < count:
            legal = list(islice(state.game.moves(state.position), 200))
            seat = state.to_move
            state, notation = state.play(state.game.notate(state.position, chance.choice(legal)))
            match = replace(match, record=(*match.record, Ply(notation, seat, NOW)), revision=match.revision + 1)
            found.append((match, state))
    return found


def seconds(form: str, told: list[tuple[Match, State]]) -> tuple[float, int]:
    """Processor time of a move's two mails, and their octets together, on average."""
    pictures._picture.cache_clear()  # noqa: SLF001
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
            octets += sum(len(mail.raw) for mail in composer.notice(Notice(match, state, reader), NOW))
    return (time.process_time() - begun) / len(told), octets // len(told)


@click.command()
@click.option("--rounds", default=40, help="Positions of each board.")
def main(rounds: int) -> None:
    """Print processor milliseconds of the two mails of a move, and their kilobytes."""
    table = Table("two mails of a move, ms and kB", *FORMS)
    for words in BOARDS:
        measured = [seconds(form, positions(words, rounds)) for form in FORMS]
        table.add_row(words, *(f"{spent * 1000:.1f}  {octets / 1000:.0f}" for spent, octets in measured))
    Console().print(table)


if __name__ == "__main__":
    main()
