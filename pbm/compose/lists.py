"""Headers by which mail programs sort and join the mails of a board, and by which one gets off it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from pbm.domain.match import Match, State
from pbm.mailin import Robot

VOLUME = 50
"""Changes of a board whose mails are one conversation. Gmail cuts one off at about 100 mails, the player's own among
them; each change is one mail to him, half of them answer one of his, and there are others."""
_CONVERSATION = re.compile(r"<board-\d+(?:-\d+)?@")
_FILETIME_START = datetime(1601, 1, 1, tzinfo=UTC)


def title_of(match: Match, state: State) -> str:
    """The constant subject of a board's mails, as long as they are one conversation."""
    volume = _volume(match)
    names = "-".join(player.userid for player in match.players)
    return f"{state.game.info.title} Board {match.board} {names}{f' ({volume})' if volume > 1 else ''}"


def thread_of(match: Match) -> str:
    """The name of the conversation that the board's mails belong to now."""
    volume = _volume(match)
    return f"board-{match.board}{f'-{volume}' if volume > 1 else ''}"


def conversations_in(references: Iterable[str]) -> set[str]:
    """The ids among those of a mail that name conversations of boards."""
    return {reference for reference in references if _CONVERSATION.match(reference)}


def _volume(match: Match) -> int:
    return 1 + match.revision // VOLUME


def board_headers(robot: Robot, match: Match, state: State, leave: str, answered_at: str) -> dict[str, str]:
    """The same for all mails of a board to one reader, but for his token.

    leave: what he writes to follow the board no more, "" where he plays on it: a mail program that unsubscribes him is
    then told how things are, and nothing is done by one click. answered_at: the address that knows him, or "".
    Programs that show mails as chats make a chat of each List-Id, and write to List-Post there.
    """
    name, host = f"{state.game.info.title} Board {match.board}", f"{robot.local_part}.{robot.domain}"
    post = {"List-Post": f"<mailto:{answered_at}>"} if answered_at else {}
    return {
        "List-Id": f"{name} <{match.board}.{match.game}.{host}>",
        **post,
        **_off_board(robot, match, leave, answered_at or robot.address),
        "Thread-Topic": title_of(match, state),
        "Thread-Index": _thread_index(f"{thread_of(match)}@{robot.domain}", match.started_at),
    }


def _off_board(robot: Robot, match: Match, leave: str, address: str) -> dict[str, str]:
    command = f"{match.game} {leave if leave.endswith(' all') else f'unsubscribe {match.board}'}"
    if leave.startswith("unfollow "):
        command = leave
    return unsubscribe(robot, command, address, by_click=bool(leave))


def unsubscribe(robot: Robot, command: str, address: str, *, by_click: bool = True) -> dict[str, str]:
    """How to get off by a command mailed to an address that knows the reader (RFC 2369) and, where there is a web
    address for it, by one click (RFC 8058).
    """
    by_mail = f"<mailto:{address}?subject={quote(command)}>"
    if not (by_click and robot.unsubscribe_url):
        return {"List-Unsubscribe": by_mail}
    click = f"<{robot.unsubscribe_url}?address={quote(address)}&command={quote(command)}>"
    return {"List-Unsubscribe": f"{click}, {by_mail}", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


def _thread_index(name: str, started_at: datetime) -> str:
    """Outlook's mark of a conversation: when it began, as the six high octets of a FILETIME, and a GUID."""
    began = (started_at - _FILETIME_START) // timedelta(microseconds=1) * 10
    guid = hashlib.sha256(name.encode()).digest()[:16]
    return base64.b64encode(began.to_bytes(8, "big")[:6] + guid).decode("ascii")
