"""Finished games as a static site: replays without scripts, players, standings. Nothing here listens."""

from pbm.archive.press import Published, publish
from pbm.archive.site import FolderTaken

__all__ = ["FolderTaken", "Published", "publish"]
