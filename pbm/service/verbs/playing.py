"""Verbs of a running board."""

from __future__ import annotations

from pbm.compose import Answer
from pbm.domain.commands import Command, split_guard
from pbm.domain.events import Resigned
from pbm.domain.match import SWAP, Ending, Result, other
from pbm.domain.verbs import find
from pbm.service.handling import Handling
from pbm.service.verbs.registry import HANDLERS, handles


@handles("move")
def move(handling: Handling, command: Command) -> Answer | None:
    text, guard = split_guard(command.args["MOVE"])
    verb = find(text, per_game=True)
    if verb is not None and verb.alters and verb.name == text.casefold() and verb.name != "move":
        return HANDLERS[verb.name](handling, command)
    table, seat = handling.seated(command)
    table.play(seat, text, guard)
    return None


@handles("swap")
def swap(handling: Handling, command: Command) -> Answer | None:
    _, guard = split_guard(command.args.get("MOVE", ""))
    table, seat = handling.seated(command)
    table.play(seat, SWAP, guard)
    return None


@handles("resign")
def resign(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    table.check_running()
    table.end(Result(Ending.RESIGNED, other(seat), "by resignation"), Resigned(table.match.board, seat))
    return None
