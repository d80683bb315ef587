"""Verbs about time: when a player is reminded, and the ends of his time as a calendar."""

from __future__ import annotations

from pbm.compose import Answer
from pbm.domain.commands import Command
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.reminders import OFF, read_ladder, told
from pbm.domain.settings import Settings
from pbm.service.handling import Handling
from pbm.service.reminding import plan_anew, running_boards
from pbm.service.verbs.registry import done, handles


@handles("remind")
def remind(handling: Handling, command: Command) -> Answer | None:
    player = handling.who(command)
    stored = handling.tx.players.settings(player.id)
    if words := command.args.get("LADDER", ""):
        stored = {**stored, "remind": read_ladder(words)}
        handling.tx.players.save_settings(player.id, stored)
        plan_anew(handling.tx, player, handling.now)
    return done(command, _told(Settings.chosen(stored)), "pbm: your reminders")


def _told(settings: Settings) -> str:
    if settings.digest != OFF:
        kept = (
            "no reminders" if settings.remind == OFF else f"reminders {told(settings.remind)} before your time is over"
        )
        return (
            f'You get a digest every day at {settings.digest} instead of reminders. After "set digest off" you would '
            f"get {kept}."
        )
    if settings.remind == OFF:
        return 'You get no reminders. To get some, answer with a line such as "remind 2d 1d 6h".'
    return (
        f"When it is your turn you are reminded {told(settings.remind)} before your time is over. To "
        'change that, answer with a line such as "remind 2d 1d 6h" or "remind off".'
    )


@handles("calendar")
def calendar(handling: Handling, command: Command) -> Answer | None:
    player = handling.who(command)
    word = command.args.get("BOARD", "all" if handling.sender.board is None else str(handling.sender.board))
    boards = running_boards(handling.tx, player)
    if word.casefold() != "all":
        table = handling.table(int(word))
        handling.seat_of(table, player)
        table.check_running()
        boards = [board for board in boards if board.match.board == table.match.board]
    timed = [board.match for board in boards if board.deadline is not None]
    if not timed:
        raise NotFound(f"No time runs on board {word} now." if word.isdigit() else "No time runs on your boards now.")
    reader = handling.reader(player)
    if not reader.addresses:
        raise NotAllowed("None of your addresses takes mail now.")
    handling.letters += handling.tools.composer.calendar(reader, timed, handling.now, handling.message)
    return None
