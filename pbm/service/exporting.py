"""A player's games and data as files: one JSON for programs, and a text for each game.

The JSON holds nothing that only this server knows, and is always written in the same way. So what another server makes
of it gives the same file again. Nothing in it shows where anybody else reads mail.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games import GAMES
from pbm import draw
from pbm.compose.pages import Pages
from pbm.compose.records import move_list
from pbm.domain.match import Match, Player, State
from pbm.domain.remarks import Remark, RemarkKind
from pbm.service.tables import States
from pbm.store import Transaction

FORMAT, VERSION = "pbm player", 1
MAX_LOOSE, MAX_LOOSE_OCTETS = 20, 300_000
"""Games and octets that are sent as files of their own; more of either are packed."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to be attached. kind: its media type."""

    name: str
    kind: str
    data: bytes


def data_of(tx: Transaction, player: Player) -> dict[str, Any]:
    """Everything of a player; see pbm.store.belongings for what the names mean."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "userid": player.userid,
        "here_since": tx.players.created_at(player.id).isoformat(),
        "bot": bool(tx.players.bots((player.id,))),
        "settings": tx.players.settings(player.id),
        "games": [tx.belongings.match(board, player.id) for board in tx.belongings.boards(player.id)],
        **tx.belongings.sections(player.id),
        **tx.belongings.people(player.id),
    }


def to_json(data: Mapping[str, Any]) -> bytes:
    return (json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def files_of(tx: Transaction, states: States, pages: Pages, player: Player) -> list[File]:
    """The JSON and the records of the games he has played, in one archive where these are many or large."""
    files = [File(f"pbm-{player.userid}.json", "application/json", to_json(data_of(tx, player)))]
    summaries = tx.matches.summaries(player_ids=(player.id,), limit=None)
    for summary in summaries:
        match = tx.matches.load(summary.board)
        if match is not None and match.game in GAMES:
            record = record_of(tx, pages, match, states.of(match), player)
            files.append(File(f"{match.game}-{match.board}.txt", "text/plain; charset=utf-8", record.encode()))
    if len(files) - 1 <= MAX_LOOSE and sum(len(file.data) for file in files) <= MAX_LOOSE_OCTETS:
        return files
    return [_packed(f"pbm-{player.userid}.zip", files)]


def record_of(tx: Transaction, pages: Pages, match: Match, state: State, player: Player) -> str:
    """One game as a text: who, when, every ply, how it stands, and what the player wrote about it."""
    remarks: list[tuple[RemarkKind, Remark]] = [
        (kind, remark) for kind in RemarkKind for remark in tx.remarks.of(kind, match.board, player.id)
    ]
    return pages.render(
        "record.txt",
        match=match,
        state=state,
        over=match.result is not None,
        seat=None,
        changes=tx.ratings.changes(match.board),
        moves=move_list(match, state, whole=True),
        drawing=draw.text(state.game.scene(state.position, state.last)),
        remarks=sorted(remarks, key=lambda each: each[1].written_at),
    )


def _packed(name: str, files: list[File]) -> File:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.writestr(zipfile.ZipInfo(file.name), file.data, zipfile.ZIP_DEFLATED)
    return File(name, "application/zip", archive.getvalue())
