"""Games: the rules of each, what they share, and the registry, which is imported when one of its names is first used.

So whoever needs a name of `games.rules` or `games.scene` does not wait for all games.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from games.rules import AnyGame

if TYPE_CHECKING:
    from games.registry import GAMES, LEFT_OUT, OURS, join, leave_out, reason_of
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__} has no attribute {name}")
        return getattr(import_module(f"{__name__}.registry"), name)


__all__ = ["GAMES", "LEFT_OUT", "OURS", "AnyGame", "join", "leave_out", "reason_of"]
