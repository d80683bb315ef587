"""What people write about a board and the server keeps: comments to the opponent, words among followers, own notes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pbm.domain.match import Player


class RemarkKind(StrEnum):
    """comment: to all who get the board's mails. kibitz: among followers, sealed until the end. note: to oneself."""

    COMMENT = "comment"
    KIBITZ = "kibitz"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Remark:
    """ply: how many were played when it was written."""

    board: int
    author: Player
    ply: int
    text: str
    written_at: datetime
